/* bench_symbolic: what expressions cost: deriving the equations of motion, evaluating them on the
   tape and as native code, and compiling.

       bench_symbolic              table: mechanisms of growing size
       bench_symbolic chain N      one JSON line for a chain of N links, with the values at one
                                   point (for sympy_compare.py)

   The mechanisms: `pendulum` and `slidercrank` as in problems/ (beside their functions written by
   hand), and `chain`: N equal uniform bars of length L and mass m hinged to each other in a plane,
   relative angles, the tip tied to the x axis. From kinetic energy T, potential V, constraints g:

       M = T_vv,  f = T_p - V_p - (T_v)_p v,  G = g_p,  gI = G v,  bias = (G v)_p v */
#define _POSIX_C_SOURCE 200809L

#include "problems.h"
#include "symbolic/symbolic.h"

#include <driftless/driftless.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 40, CONSTRAINTS = 2 };
enum { IN_P, IN_V, IN_PARAM, INS };
enum { OUT_M, OUT_F, OUT_G, OUT_W, OUT_GI, OUT_BIAS, OUTS };

/* What a mechanism declares. */
typedef struct mechanism {
    dfl_context *ctx;
    dfl_graph *graph;
    int n, ng;
    dfl_expr p[MOST], v[MOST], T, V, g[CONSTRAINTS];
    double parameter[8];
    int nparameters;
} mechanism;

/* Its equations, ready to run. */
typedef struct program {
    dfl_target *targets;
    int ntargets;
    dfl_tape *tape;
    dfl_native *native;
    double *work, *in[INS], *out[OUTS];
    double derive_seconds, compile_seconds, load_seconds;
} program;

static void check(dfl_status status, dfl_context *ctx);
static double seconds(void);
static double nanoseconds(void (*call)(void *), void *what);
static dfl_expr parameter(mechanism *m, const char *name, double value);
static void start_mechanism(mechanism *m, int n);
static void make_pendulum(mechanism *m);
static void make_slidercrank(mechanism *m);
static void make_chain(mechanism *m, int n);
static void add_bar(mechanism *m, dfl_expr x, dfl_expr y, dfl_expr turn, dfl_expr mass,
                    dfl_expr inertia, dfl_expr gravity);
static void derive(program *prog, mechanism *m);
static void add_matrix(program *prog, int array, dfl_sparse *matrix, dfl_context *ctx);
static void add_vector(program *prog, int array, const dfl_expr *expr, int n);
static void make_tape(program *prog, mechanism *m);
static void set_point(program *prog, const mechanism *m);
static double compiler_seconds(void);
static void compile(program *prog, dfl_context *ctx);
static void build(program *prog, mechanism *m);
static void clear(program *prog, mechanism *m);
static void run_tape(void *what);
static void run_native(void *what);
static void print_row(const char *name, mechanism *m, const char *by_hand);
static double measure_by_hand(const char *name);
static void run_by_hand(void *what);
static void print_chain(int n);

int main(int argc, char **argv)
{
    mechanism m = {0};
    if (argc == 3 && strcmp(argv[1], "chain") == 0) {
        print_chain(atoi(argv[2]));
        return 0;
    }
    printf("%-14s %7s %7s %8s %8s %8s %8s %8s %8s\n", "mechanism", "derive", "ops", "tape", "tape",
           "native", "by hand", "compile", "load");
    printf("%-14s %7s %7s %8s %8s %8s %8s %8s %8s\n", "", "ms", "", "ns", "ns/op", "ns", "ns", "s",
           "ms");
    make_pendulum(&m);
    print_row("pendulum", &m, "pendulum");
    make_slidercrank(&m);
    print_row("slidercrank", &m, "slidercrank");
    for (int n = 1; n <= 32; n *= 2) {
        char name[32];
        snprintf(name, sizeof name, "chain %d", n);
        make_chain(&m, n);
        print_row(name, &m, NULL);
    }
    return 0;
}

static void check(dfl_status status, dfl_context *ctx)
{
    if (!status)
        return;
    fprintf(stderr, "bench_symbolic: %s\n", dfl_message(ctx));
    exit(1);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of 20 runs of at least 0.2 ms: interruptions only ever add time. */
static double nanoseconds(void (*call)(void *), void *what)
{
    long count = 1;
    double best = INFINITY;
    for (int run = 0; run < 20;) {
        const double start = seconds();
        for (long i = 0; i < count; i++)
            call(what);
        const double elapsed = seconds() - start;
        if (elapsed < 2e-4) {
            count *= 2;
            continue;
        }
        best = fmin(best, 1e9 * elapsed / (double)count);
        run++;
    }
    return best;
}

static void start_mechanism(mechanism *m, int n)
{
    *m = (mechanism){.ctx = dfl_context_create(), .n = n};
    check(dfl_graph_create(&m->graph, m->ctx, 0), m->ctx);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%d", i + 1);
        m->p[i] = dfl_symbol_expr(m->graph, DFL_SYM_P, i, name);
        snprintf(name, sizeof name, "u%d", i + 1);
        m->v[i] = dfl_symbol_expr(m->graph, DFL_SYM_V, i, name);
    }
}

static dfl_expr parameter(mechanism *m, const char *name, double value)
{
    m->parameter[m->nparameters] = value;
    return dfl_symbol_expr(m->graph, DFL_SYM_PARAM, m->nparameters++, name);
}

static void make_pendulum(mechanism *m)
{
    start_mechanism(m, 2);
    dfl_graph *g = m->graph;
    const dfl_expr mass = parameter(m, "m", 1), L = parameter(m, "L", 1);
    const dfl_expr gravity = parameter(m, "g", 9.81);
    const dfl_expr x2 = dfl_unary(g, DFL_OP_SQ, m->p[0]), y2 = dfl_unary(g, DFL_OP_SQ, m->p[1]);
    add_bar(m, m->p[0], m->p[1], 0, mass, 0, gravity);
    m->g[0] = dfl_sub(g, dfl_add(g, x2, y2), dfl_unary(g, DFL_OP_SQ, L));
    m->ng = 1;
}

/* problems/slidercrank.c: slider, rod (absolute angle), crank (angle relative to the rod). */
static void make_slidercrank(mechanism *m)
{
    start_mechanism(m, 3);
    dfl_graph *g = m->graph;
    const dfl_expr m1 = parameter(m, "m1", 0.36), l1 = parameter(m, "l1", 0.15);
    const dfl_expr m2 = parameter(m, "m2", 0.151104), l2 = parameter(m, "l2", 0.3);
    const dfl_expr m3 = parameter(m, "m3", 0.075552), gravity = parameter(m, "g", 9.81);
    const dfl_expr half = dfl_constant(g, 0.5), twelve = dfl_constant(g, 12);
    const dfl_expr x = m->p[0], rod = m->p[1], crank = dfl_add(g, rod, m->p[2]);
    const dfl_expr Ux = dfl_mul(g, l2, dfl_unary(g, DFL_OP_COS, rod));
    const dfl_expr Uy = dfl_mul(g, l2, dfl_unary(g, DFL_OP_SIN, rod));
    const dfl_expr Vx = dfl_mul(g, l1, dfl_unary(g, DFL_OP_COS, crank));
    const dfl_expr Vy = dfl_mul(g, l1, dfl_unary(g, DFL_OP_SIN, crank));
    const dfl_expr J1 = dfl_div(g, dfl_mul(g, m1, dfl_unary(g, DFL_OP_SQ, l1)), twelve);
    const dfl_expr J2 = dfl_div(g, dfl_mul(g, m2, dfl_unary(g, DFL_OP_SQ, l2)), twelve);
    add_bar(m, x, 0, 0, m3, 0, gravity);
    add_bar(m, dfl_add(g, x, dfl_mul(g, half, Ux)), dfl_mul(g, half, Uy), m->v[1], m2, J2, gravity);
    add_bar(m, dfl_add(g, dfl_add(g, x, Ux), dfl_mul(g, half, Vx)),
            dfl_add(g, Uy, dfl_mul(g, half, Vy)), dfl_add(g, m->v[1], m->v[2]), m1, J1, gravity);
    m->g[0] = dfl_add(g, dfl_add(g, x, Ux), Vx);
    m->g[1] = dfl_add(g, Uy, Vy);
    m->ng = 2;
}

static void make_chain(mechanism *m, int n)
{
    start_mechanism(m, n);
    dfl_graph *g = m->graph;
    const dfl_expr mass = parameter(m, "m", 1.2), L = parameter(m, "L", 0.8);
    const dfl_expr gravity = parameter(m, "g", 9.81), half = dfl_constant(g, 0.5);
    const dfl_expr J =
        dfl_div(g, dfl_mul(g, mass, dfl_unary(g, DFL_OP_SQ, L)), dfl_constant(g, 12));
    dfl_expr angle = 0, turn = 0, x = 0, y = 0;
    for (int i = 0; i < n; i++) {
        angle = dfl_add(g, angle, m->p[i]);
        turn = dfl_add(g, turn, m->v[i]);
        const dfl_expr dx = dfl_mul(g, L, dfl_unary(g, DFL_OP_COS, angle));
        const dfl_expr dy = dfl_mul(g, L, dfl_unary(g, DFL_OP_SIN, angle));
        add_bar(m, dfl_add(g, x, dfl_mul(g, half, dx)), dfl_add(g, y, dfl_mul(g, half, dy)), turn,
                mass, J, gravity);
        x = dfl_add(g, x, dx);
        y = dfl_add(g, y, dy);
    }
    m->g[0] = y;
    m->ng = 1;
}

/* Energies of a bar with its centre of mass at (x, y). */
static void add_bar(mechanism *m, dfl_expr x, dfl_expr y, dfl_expr turn, dfl_expr mass,
                    dfl_expr inertia, dfl_expr gravity)
{
    dfl_graph *g = m->graph;
    const dfl_expr half = dfl_constant(g, 0.5), place[] = {x, y};
    dfl_expr rate[2];
    check(dfl_along_exprs(rate, g, place, 2, m->p, m->v, m->n), m->ctx);
    const dfl_expr speed =
        dfl_add(g, dfl_unary(g, DFL_OP_SQ, rate[0]), dfl_unary(g, DFL_OP_SQ, rate[1]));
    const dfl_expr moving = dfl_mul(g, dfl_mul(g, half, mass), speed);
    const dfl_expr turning = dfl_mul(g, dfl_mul(g, half, inertia), dfl_unary(g, DFL_OP_SQ, turn));
    m->T = dfl_add(g, m->T, dfl_add(g, moving, turning));
    m->V = dfl_add(g, m->V, dfl_mul(g, dfl_mul(g, mass, gravity), y));
}

static void derive(program *prog, mechanism *m)
{
    dfl_graph *g = m->graph;
    dfl_expr momentum[MOST], Tp[MOST], Vp[MOST], f[MOST], gI[CONSTRAINTS], bias[CONSTRAINTS];
    dfl_sparse M = {0}, G = {0};
    prog->targets = calloc((size_t)(MOST * MOST + 4 * MOST), sizeof *prog->targets);
    check(dfl_gradient_exprs(momentum, g, m->T, m->v, m->n), m->ctx);
    check(dfl_gradient_exprs(Tp, g, m->T, m->p, m->n), m->ctx);
    check(dfl_gradient_exprs(Vp, g, m->V, m->p, m->n), m->ctx);
    check(dfl_along_exprs(f, g, momentum, m->n, m->p, m->v, m->n), m->ctx);
    for (int i = 0; i < m->n; i++)
        f[i] = dfl_sub(g, dfl_sub(g, Tp[i], Vp[i]), f[i]);
    check(dfl_jacobian_exprs(&M, g, momentum, m->n, m->v, m->n), m->ctx);
    check(dfl_jacobian_exprs(&G, g, m->g, m->ng, m->p, m->n), m->ctx);
    check(dfl_along_exprs(gI, g, m->g, m->ng, m->p, m->v, m->n), m->ctx);
    check(dfl_along_exprs(bias, g, gI, m->ng, m->p, m->v, m->n), m->ctx);
    check(dfl_graph_status(g), m->ctx);
    add_matrix(prog, OUT_M, &M, m->ctx);
    add_matrix(prog, OUT_W, &G, m->ctx);
    add_vector(prog, OUT_F, f, m->n);
    add_vector(prog, OUT_G, m->g, m->ng);
    add_vector(prog, OUT_GI, gI, m->ng);
    add_vector(prog, OUT_BIAS, bias, m->ng);
}

static void add_matrix(program *prog, int array, dfl_sparse *matrix, dfl_context *ctx)
{
    for (int k = 0; k < matrix->count; k++) {
        const dfl_entry *e = &matrix->entry[k];
        prog->targets[prog->ntargets++] =
            (dfl_target){.expr = e->expr, .array = array, .index = e->row + e->col * matrix->nrows};
    }
    dfl_sparse_clear(matrix, ctx);
}

static void add_vector(program *prog, int array, const dfl_expr *expr, int n)
{
    for (int i = 0; i < n; i++)
        prog->targets[prog->ntargets++] = (dfl_target){.expr = expr[i], .array = array, .index = i};
}

static void make_tape(program *prog, mechanism *m)
{
    const dfl_place places[DFL_SYM_KINDS] = {[DFL_SYM_P] = {.array = IN_P},
                                             [DFL_SYM_V] = {.array = IN_V},
                                             [DFL_SYM_PARAM] = {.array = IN_PARAM}};
    check(dfl_tape_create(&prog->tape, m->ctx, m->graph, places, prog->targets, prog->ntargets),
          m->ctx);
    prog->work = calloc(dfl_tape_work(prog->tape), sizeof *prog->work);
    for (int a = 0; a < INS; a++)
        prog->in[a] = calloc(MOST, sizeof *prog->in[a]);
    for (int a = 0; a < OUTS; a++)
        prog->out[a] = calloc(MOST * MOST, sizeof *prog->out[a]);
}

/* Angles 0.1, 0.2, ..., speeds 1, 1/2, 1/3, ... */
static void set_point(program *prog, const mechanism *m)
{
    for (int i = 0; i < m->n; i++) {
        prog->in[IN_P][i] = 0.1 * (i + 1);
        prog->in[IN_V][i] = 1.0 / (i + 1);
    }
    for (int i = 0; i < m->nparameters; i++)
        prog->in[IN_PARAM][i] = m->parameter[i];
}

/* CPU time of the compilers so far. */
static double compiler_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Into an empty cache, then once more from it. */
static void compile(program *prog, dfl_context *ctx)
{
    char cache[] = "/tmp/driftless-bench-XXXXXX", command[64];
    if (!mkdtemp(cache))
        exit(1);
    const dfl_tape *tapes[] = {prog->tape};
    const dfl_native_options options = {.cache = cache};
    const double before = compiler_seconds();
    check(dfl_native_create(&prog->native, ctx, tapes, 1, &options), ctx);
    prog->compile_seconds = compiler_seconds() - before;
    dfl_native_free(prog->native);
    const double start = seconds();
    check(dfl_native_create(&prog->native, ctx, tapes, 1, &options), ctx);
    prog->load_seconds = seconds() - start;
    snprintf(command, sizeof command, "rm -r %s", cache);
    if (system(command) != 0)
        exit(1);
}

static void build(program *prog, mechanism *m)
{
    *prog = (program){0};
    const double start = seconds();
    derive(prog, m);
    prog->derive_seconds = seconds() - start;
    make_tape(prog, m);
    compile(prog, m->ctx);
}

static void clear(program *prog, mechanism *m)
{
    for (int a = 0; a < INS; a++)
        free(prog->in[a]);
    for (int a = 0; a < OUTS; a++)
        free(prog->out[a]);
    free(prog->work);
    free(prog->targets);
    dfl_native_free(prog->native);
    dfl_tape_free(prog->tape);
    dfl_graph_free(m->graph);
    dfl_context_free(m->ctx);
}

static void run_tape(void *what)
{
    program *prog = what;
    dfl_tape_eval(prog->tape, prog->work, (const double *const *)prog->in, prog->out);
}

static void run_native(void *what)
{
    program *prog = what;
    dfl_native_function(prog->native, 0)(prog->work, (const double *const *)prog->in, prog->out);
}

static void print_row(const char *name, mechanism *m, const char *by_hand)
{
    program prog;
    build(&prog, m);
    const double ops = (double)dfl_tape_operations(prog.tape);
    set_point(&prog, m);
    dfl_tape_prepare(prog.tape, prog.work, (const double *const *)prog.in);
    const double tape = nanoseconds(run_tape, &prog), native = nanoseconds(run_native, &prog);
    printf("%-14s %7.2f %7.0f %8.1f %8.2f %8.1f ", name, 1e3 * prog.derive_seconds, ops, tape,
           tape / ops, native);
    if (by_hand)
        printf("%8.1f ", measure_by_hand(by_hand));
    else
        printf("%8s ", "-");
    printf("%8.3f %8.3f\n", prog.compile_seconds, 1e3 * prog.load_seconds);
    clear(&prog, m);
}

/* A problem and room for what its functions write. */
typedef struct hand {
    problem prob;
    dfl_blocks blocks;
    double M[64];
} hand;

static double measure_by_hand(const char *name)
{
    double room[7][64];
    hand h = {.blocks = {.kin = room[0],
                         .f = room[1],
                         .g = room[2],
                         .gI = room[3],
                         .W = room[4],
                         .bias = room[5],
                         .ep = room[6]}};
    if (!problem_make(&h.prob, name, 0))
        exit(1);
    const double time = nanoseconds(run_by_hand, &h);
    problem_free(&h.prob);
    return time;
}

static void run_by_hand(void *what)
{
    hand *h = what;
    const dfl_eom *eom = &h->prob.eom;
    eom->eval(&h->blocks, 0, h->prob.x0, DFL_EVERYTHING & ~DFL_KINEMATICS, eom->user);
    eom->mass(h->M, 0, h->prob.x0, eom->user);
}

/* The sums of the entries of every block are the values to compare. */
static void print_chain(int n)
{
    static const char *const block[OUTS] = {"M", "f", "g", "G", "gI", "bias"};
    mechanism m;
    program prog;
    if (n < 1 || n > MOST) {
        fprintf(stderr, "bench_symbolic: %d links; choose 1 to %d\n", n, MOST);
        exit(2);
    }
    const double start = seconds();
    make_chain(&m, n);
    const double made = seconds() - start;
    build(&prog, &m);
    set_point(&prog, &m);
    dfl_tape_prepare(prog.tape, prog.work, (const double *const *)prog.in);
    run_tape(&prog);
    printf("{\"n\": %d, \"derive\": %.6g, \"operations\": %ld, \"compile\": %.6g, ", n,
           made + prog.derive_seconds, dfl_tape_operations(prog.tape), prog.compile_seconds);
    for (int a = 0; a < OUTS; a++) {
        double sum = 0;
        for (int i = 0; i < MOST * MOST; i++)
            sum += prog.out[a][i];
        printf("\"%s\": %.17g, ", block[a], sum);
    }
    printf("\"tape\": %.6g, ", 1e-9 * nanoseconds(run_tape, &prog));
    printf("\"native\": %.6g}\n", 1e-9 * nanoseconds(run_native, &prog));
    clear(&prog, &m);
}
