/* bench_evaluation: what the ways of evaluating a mechanism cost, for the constants in
   src/declare/costs.c. One line per model and way: sizes, CPU seconds from the script to a model
   that can be evaluated, operations and nanoseconds of one call of eval, mass and jacobian, seconds
   of the compiler.   usage: bench_evaluation FOLDER [MODEL [NAME=VALUE ...]] */
#define _POSIX_C_SOURCE 200809L
#include "engine/engine_internal.h"
#include "script/script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { SETTINGS = 3 };

typedef struct selection {
    const char *model;
    const char *set[SETTINGS];
    bool large; /* by recursion alone: expressions would take minutes and gigabytes */
} selection;

static const selection selections[] = {
    {"rope", {"N=2", "plane=1"}, false},
    {"rope", {"N=5", "plane=1"}, false},
    {"rope", {"N=10", "plane=1"}, false},
    {"rope", {"N=20", "plane=1"}, false},
    {"rope", {"N=40", "plane=1"}, false},
    {"rope", {"N=60", "plane=1"}, false},
    {"rope", {"N=2"}, false},
    {"rope", {"N=3"}, false},
    {"rope", {"N=5"}, false},
    {"rope", {"N=8"}, false},
    {"rope", {"N=12"}, false},
    {"rope", {"N=20"}, false},
    {"rope", {"N=30"}, false},
    {"arm", {"N=3"}, false},
    {"arm", {"N=6"}, false},
    {"arm", {"N=7"}, false},
    {"arm", {"N=12"}, false},
    {"arm", {"N=20"}, false},
    {"four-bars", {"N=1"}, false},
    {"four-bars", {"N=5"}, false},
    {"four-bars", {"N=20"}, false},
    {"four-bars", {"N=40"}, false},
    {"car", {NULL}, false},
    {"beams", {"N=1", "n=4"}, false},
    {"beams", {"N=2", "n=4"}, false},
    {"beams", {"N=4", "n=4"}, false},
    {"beams", {"N=8", "n=4"}, false},
    {"beams", {"N=16", "n=4"}, true},
    {"beams", {"N=32", "n=4"}, true},
    {"beams", {"N=2", "n=2"}, false},
    {"beams", {"N=2", "n=8"}, false},
    {"beams", {"N=2", "n=12"}, false},
    {"beams", {"N=2", "n=16"}, true},
    {"beams", {"N=2", "n=24"}, true},
};

/* Everything that is made of a script. */
typedef struct bench {
    dfl_context *ctx;
    dfl_model *model;
    dfl_equations *eq;
    dfl_runnable *run;
    double *x, *a, *room;
    dfl_blocks blocks;
    dfl_jacobian jac;
    double *M;
} bench;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU seconds of the compilers that have ended. */
static double children(void)
{
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static double *take(double **store, int count)
{
    double *block = *store;
    *store += count;
    return block;
}

static bool make_room(bench *b)
{
    const dfl_eom *e = dfl_runnable_eom(b->run);
    const int n = dfl_eom_unknowns(e), nc = e->nl + e->nm;
    b->room = calloc((size_t)(14 * n * n + 100 * n + 100), sizeof *b->room);
    if (!b->room)
        return false;
    double *store = b->room;
    b->x = take(&store, n);
    b->a = take(&store, e->nv);
    b->M = take(&store, e->nv * e->nv);
    double **const rows[] = {&b->blocks.kin, &b->blocks.f, &b->blocks.b,   &b->blocks.d,
                             &b->blocks.c,   &b->blocks.g, &b->blocks.ep,  &b->blocks.gI,
                             &b->blocks.hv,  &b->blocks.e, &b->blocks.gam, &b->blocks.bias};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = take(&store, n);
    b->blocks.W = take(&store, nc * e->nv);
    b->blocks.K0 = take(&store, e->nv * e->n0);
    double **const matrices[] = {&b->jac.d,   &b->jac.acc, &b->jac.vel, &b->jac.gam,
                                 &b->jac.pos, &b->jac.b,   &b->jac.dyn, &b->jac.kin};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        *matrices[i] = take(&store, n * n);
    for (int i = 0; i < n; i++)
        b->x[i] = 0.1 + 0.01 * i;
    return true;
}

static void call(bench *b, int what)
{
    const dfl_eom *e = dfl_runnable_eom(b->run);
    if (what == 0)
        e->eval(&b->blocks, 0.0, b->x, b->run->full, e->user);
    else if (what == 1)
        e->mass(b->M, 0.0, b->x, e->user);
    else
        e->jacobian(&b->jac, 0.0, b->x, b->a, e->user);
}

/* The least nanoseconds of one call over several batches of about 2 ms. */
static double measure(bench *b, int what)
{
    enum { BATCHES = 15 };
    double least = INFINITY, start = now();
    call(b, what);
    const double first = fmax(now() - start, 1e-8);
    const int calls = (int)fmin(fmax(2e-3 / first, 1), 1e5);
    for (int batch = 0; batch < BATCHES; batch++) {
        start = now();
        for (int i = 0; i < calls; i++)
            call(b, what);
        least = fmin(least, (now() - start) / calls);
    }
    return 1e9 * least;
}

static dfl_status prepare(bench *b, const selection *s, const char *folder, dfl_dynamics dynamics)
{
    char path[1000];
    int nset = 0;
    snprintf(path, sizeof path, "%s/%s.lua", folder, s->model);
    while (nset < SETTINGS && s->set[nset])
        nset++;
    const dfl_script_options options = {.set = s->set, .nset = nset, .dynamics = dynamics};
    dfl_status status = dfl_script_load(&b->model, b->ctx, path, &options);
    if (!status)
        status = dfl_equations_create(&b->eq, b->model, true);
    if (!status)
        status = dfl_runnable_create(&b->run, b->eq);
    return status;
}

static void print_way(bench *b, const selection *s, const char *how, double made, double compiler)
{
    printf("%-10s", s->model);
    for (int i = 0; i < 2; i++)
        printf(" %-8s", s->set[i] ? s->set[i] : "-");
    printf(" %-9s nv %3d made %7.4f ops %7ld %7ld %8ld", how, b->eq->nv, made,
           dfl_tape_operations(b->run->all.tape), dfl_tape_operations(b->run->mass.tape),
           dfl_tape_operations(b->run->jacobian.tape));
    printf(" ns %9.0f %9.0f %9.0f compiler %.2f\n", measure(b, 0), measure(b, 1), measure(b, 2),
           compiler);
    fflush(stdout);
}

static int measure_selection(const selection *s, const char *folder, dfl_dynamics dynamics)
{
    bench b = {.ctx = dfl_context_create()};
    const double begun = now();
    dfl_status status = b.ctx ? prepare(&b, s, folder, dynamics) : DFL_NO_MEMORY;
    const double made = now() - begun;
    bool native = false;
    if (!status && make_room(&b)) {
        print_way(&b, s, b.model->tree ? "recursion" : "tape", made, 0);
        const double before = children();
        const dfl_native_options options = {.cache = "/dev/null"}; /* nothing is kept */
        if (dynamics == DFL_DYNAMICS_EXPRESSIONS &&
            dfl_tape_operations(b.run->jacobian.tape) < 40000)
            status = dfl_runnable_compile(&native, b.run, DFL_EVAL_NATIVE, &options, NULL, NULL);
        if (native && !status)
            print_way(&b, s, "native", made, children() - before);
    }
    if (status)
        fprintf(stderr, "%s: %s\n", s->model, dfl_message(b.ctx));
    free(b.room);
    dfl_runnable_free(b.run);
    dfl_equations_free(b.eq);
    dfl_model_free(b.model);
    dfl_context_free(b.ctx);
    return status != DFL_OK;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3 + SETTINGS) {
        fprintf(stderr, "usage: bench_evaluation FOLDER [MODEL [NAME=VALUE ...]]\n");
        return 2;
    }
    selection chosen = {.model = argc > 2 ? argv[2] : NULL};
    for (int i = 3; i < argc; i++)
        chosen.set[i - 3] = argv[i];
    const selection *list = argc > 2 ? &chosen : selections;
    const size_t count = argc > 2 ? 1 : sizeof selections / sizeof *selections;
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        failed += measure_selection(&list[i], argv[1], DFL_DYNAMICS_RECURSION);
        if (!list[i].large)
            failed += measure_selection(&list[i], argv[1], DFL_DYNAMICS_EXPRESSIONS);
    }
    return failed > 0;
}
