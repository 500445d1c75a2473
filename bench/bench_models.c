/* Measures models derived from scripts beside the same equations written by hand in problems/: one
   evaluation, one Jacobian and a whole run, by hand, on the tape and as native code. The least of
   several repeats counts.   usage: bench_models EXAMPLES-FOLDER */
#define _POSIX_C_SOURCE 200809L
#include "study/study.h"
#include "script/script.h"

#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct setting {
    const char *problem, *script;
    double t_end, tolerance;
} setting;

static const setting settings[] = {
    {"pendulum", "pendulum.lua", 100.0, 1e-8},
    {"andrews", "andrews.lua", 0.03, 1e-8},
    {"caraxis", "car-axis.lua", 3.0, 1e-8},
};

/* Seconds of one evaluation, one Jacobian and one run. */
typedef struct timing {
    double eval, jacobian, run;
    long steps;
} timing;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Room for every block of a model, zeroed. */
static double *take(double **store, int count)
{
    double *block = *store;
    *store += count;
    return block;
}

static dfl_blocks make_blocks(double **store, const dfl_eom *eom)
{
    const int nc = eom->nl + eom->nm;
    dfl_blocks out = {.kin = take(store, eom->np), .f = take(store, eom->nv)};
    out.b = take(store, eom->nr);
    out.d = take(store, eom->nw);
    out.c = take(store, eom->ns);
    out.g = take(store, eom->nl);
    out.ep = take(store, eom->nep);
    out.gI = take(store, eom->nl);
    out.hv = take(store, eom->nm);
    out.e = take(store, eom->ne);
    out.gam = take(store, eom->n0);
    out.W = take(store, nc * eom->nv);
    out.K0 = take(store, eom->nv * eom->n0);
    out.bias = take(store, nc);
    return out;
}

static dfl_jacobian make_jacobian(double **store, const dfl_eom *eom)
{
    const int n = dfl_eom_unknowns(eom), nc = eom->nl + eom->nm;
    dfl_jacobian out = {.d = take(store, eom->nw * n), .acc = take(store, nc * n)};
    out.vel = take(store, (nc + eom->ne) * (eom->nv + eom->ns + eom->np));
    out.gam = take(store, eom->n0 * n);
    out.pos = take(store, (eom->ns + eom->nl + eom->nep) * (eom->ns + eom->np));
    out.b = take(store, eom->nr * n);
    out.dyn = take(store, eom->nv * n);
    out.kin = take(store, eom->np * (eom->nv + eom->ns + eom->np));
    return out;
}

/* The least seconds per call over several batches. */
static void measure_calls(timing *out, const dfl_eom *eom, const double *x)
{
    enum { BATCHES = 15, CALLS = 3000 };
    const int n = dfl_eom_unknowns(eom);
    double *room = calloc((size_t)(12 * n * n + 100 * n + 100), sizeof *room), *store = room;
    double *a = calloc((size_t)eom->nv + 1, sizeof *a);
    dfl_blocks blocks = make_blocks(&store, eom);
    dfl_jacobian jac = make_jacobian(&store, eom);
    const unsigned need =
        DFL_EVERYTHING & ~(eom->trivial_kinematics ? (unsigned)DFL_KINEMATICS : 0U);
    out->eval = out->jacobian = INFINITY;
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = now();
        for (int i = 0; i < CALLS; i++)
            eom->eval(&blocks, 0.0, x, need, eom->user);
        out->eval = fmin(out->eval, (now() - start) / CALLS);
        start = now();
        for (int i = 0; i < CALLS; i++)
            eom->jacobian(&jac, 0.0, x, a, eom->user);
        out->jacobian = fmin(out->jacobian, (now() - start) / CALLS);
    }
    free(room);
    free(a);
}

static void measure_run(timing *out, dfl_context *ctx, const dfl_eom *eom, const double *x0,
                        const setting *set)
{
    enum { REPEATS = 7 };
    out->run = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        dfl_solver *solver = NULL;
        const dfl_solver_options options = {.rtol = set->tolerance, .atol = set->tolerance};
        dfl_status status = dfl_solver_create(&solver, ctx, eom, &options);
        if (!status)
            status = dfl_solver_start(solver, 0.0, x0, NULL);
        const double start = now();
        if (!status)
            status = dfl_solver_advance(solver, set->t_end);
        out->run = fmin(out->run, now() - start);
        if (status)
            fprintf(stderr, "%s: %s\n", set->problem, dfl_message(ctx));
        else
            out->steps = dfl_solver_statistics(solver).accepted;
        dfl_solver_free(solver);
    }
}

static void print_row(const setting *set, const char *how, const timing *t, const timing *hand)
{
    printf("| %-8s | %-6s | %8.0f | %4.2f | %8.0f | %4.2f | %8.3f | %4.2f | %5ld |\n", set->problem,
           how, 1e9 * t->eval, t->eval / hand->eval, 1e9 * t->jacobian,
           t->jacobian / hand->jacobian, 1e3 * t->run, t->run / hand->run, t->steps);
}

/* The state of the script that corresponds to the hand-written start: its own completed start. */
static int compare(const setting *set, const char *folder)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, set->script);
    dfl_context *ctx = dfl_context_create();
    dfl_model *model = NULL;
    dfl_equations *eq = NULL;
    dfl_runnable *run = NULL;
    dfl_solver *solver = NULL;
    problem prob;
    if (!ctx || !problem_make(&prob, set->problem, 0))
        return 1;
    dfl_status status = dfl_script_load(&model, ctx, path, NULL);
    if (!status)
        status = dfl_equations_create(&eq, model, true);
    if (!status)
        status = dfl_runnable_create(&run, eq);
    double *x = calloc(1000, sizeof *x);
    if (!status)
        status = dfl_solver_create(&solver, ctx, dfl_runnable_eom(run), NULL);
    if (!status)
        status = dfl_study_start(x, NULL, run, solver, NULL, 0.0);
    dfl_solver_free(solver);
    if (!status) {
        timing hand = {0}, derived = {0};
        measure_calls(&hand, &prob.eom, prob.x0);
        measure_run(&hand, ctx, &prob.eom, prob.x0, set);
        print_row(set, "hand", &hand, &hand);
        for (int native = 0; native < 2 && !status; native++) {
            bool compiled;
            status = dfl_runnable_compile(&compiled, run, native ? DFL_EVAL_NATIVE : DFL_EVAL_TAPE,
                                          NULL, NULL, NULL);
            if (status)
                break;
            measure_calls(&derived, dfl_runnable_eom(run), x);
            measure_run(&derived, ctx, dfl_runnable_eom(run), x, set);
            print_row(set, native ? "native" : "tape", &derived, &hand);
        }
    }
    if (status)
        fprintf(stderr, "%s: %s\n", set->script, dfl_message(ctx));
    free(x);
    dfl_runnable_free(run);
    dfl_equations_free(eq);
    dfl_model_free(model);
    problem_free(&prob);
    dfl_context_free(ctx);
    return status != DFL_OK;
}

int main(int argc, char **argv)
{
    int failed = 0;
    puts("| model    | how    |  eval ns | by   |  jac. ns | by   |   run ms | by   | steps |");
    puts("| -------- | ------ | -------- | ---- | -------- | ---- | -------- | ---- | ----- |");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        failed |= compare(&settings[i], argc > 1 ? argv[1] : "examples");
    return failed;
}
