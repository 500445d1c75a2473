/* Measures how the work of the automatic order depends on the tolerance: every problem, and models
   of bodies from scripts as the program runs them, with 20 tolerances from 1e-3 to 1e-12. One line
   per run: accepted steps, their mean order, evaluations, decompositions, rejected attempts,
   milliseconds, the error at the end against a run with rtol = 1e-13; then for each problem the
   largest factors between neighbouring tolerances, and the sums.   usage: bench_tolerances
   EXAMPLES-FOLDER [NAME ...] */
#define _POSIX_C_SOURCE 200809L
#include "study/study.h"
#include "script/script.h"

#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOLERANCES = 20 };

static const char *const problems[] = {
    "pendulum", "pendulum_energy", "nchain",   "andrews",        "caraxis",
    "crank",    "slidercrank",     "wheelset", "truck",          "fekete",
    "disk",     "sleigh",          "top",      "top_invariants", "bricard",
    "flyball",  "fourbar_hanging", "servo",    "friction",       "oscillator"};

static const struct {
    const char *script;
    double t_end;
} scripts[] = {{"andrews-bodies", 0.03},   {"bricard", 2},    {"four-bar-bodies", 2},
               {"slider-crank-bodies", 2}, {"cam", 0.025},    {"gear-rack", 2},
               {"rolling-disk-bodies", 5}, {"top-bodies", 2}, {"double-pendulum", 10},
               {"suspension", 3},          {"arm-pid", 4},    {"crane", 10},
               {"cam-follower", 1},        {"ellipse", 5},    {"maxwell", 5},
               {"massless-node", 2},       {"flyball", 2},    {"truck", 5}};

/* What one run needed. */
typedef struct need {
    bool completed;
    double steps, order, evaluations, milliseconds, error;
    dfl_statistics stats;
} need;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int note_order(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    double *sum = user;
    (void)x;
    if (t != t_old)
        *sum += dfl_solver_order(solver);
    return 0;
}

/* A problem; `run`: of a script, or NULL. */
typedef struct task {
    dfl_context *ctx;
    const dfl_eom *eom;
    dfl_runnable *run;
    double t0, t_end;
    const double *x0;
} task;

/* Runs and compares the end with *end, or keeps it there if `keep`. */
static need measure(const task *it, double tolerance, double *end, bool keep)
{
    need out = {0};
    double orders = 0;
    dfl_solver *solver = NULL;
    dfl_solver_options options = {
        .rtol = tolerance, .atol = tolerance, .output.on_step = note_order, .user = &orders};
    if (it->run) {
        dfl_runnable_lock(&options.switches, it->run, NULL);
        dfl_runnable_pulses(&options.pulses, it->run);
    }
    const dfl_layout at = dfl_eom_layout(it->eom);
    dfl_status status = dfl_solver_create(&solver, it->ctx, it->eom, &options);
    if (!status)
        status = dfl_solver_start(solver, it->t0, it->x0, NULL);
    const double begin = now();
    if (!status)
        status = dfl_solver_advance(solver, it->t_end);
    out.milliseconds = 1e3 * (now() - begin);
    out.completed = !status;
    if (status)
        fprintf(stderr, "%s\n", dfl_message(it->ctx));
    if (solver)
        out.stats = dfl_solver_statistics(solver);
    out.steps = (double)out.stats.accepted;
    out.order = orders / fmax(1, out.steps);
    out.evaluations = (double)(out.stats.evaluations + out.stats.difference_evaluations);
    if (!status && keep)
        memcpy(end, dfl_solver_state(solver), (size_t)at.n * sizeof *end);
    for (int i = at.v; !status && i < at.n; i++)
        out.error =
            fmax(out.error, fabs(dfl_solver_state(solver)[i] - end[i]) / fmax(1, fabs(end[i])));
    dfl_solver_free(solver);
    return out;
}

static double factor(double a, double b)
{
    return a > b ? a / b : b / a;
}

static void sweep(const char *name, const task *it)
{
    static double end[10000];
    need all[TOLERANCES];
    double steps = 1, evaluations = 1, sum_steps = 0, sum_evaluations = 0, sum_ms = 0;
    measure(it, 1e-13, end, true);
    for (int k = 0; k < TOLERANCES; k++) {
        const double tolerance = pow(10, -3 - 9.0 * k / (TOLERANCES - 1));
        need *n = &all[k];
        *n = measure(it, tolerance, end, false);
        printf(
            "%-20s %.2e %s%6.0f steps, order %5.2f, %8.0f evaluations, %6ld dec, rejected %4ld + "
            "%3ld, %3ld changes, %8.2f ms, error %.1e\n",
            name, tolerance, n->completed ? "" : "FAILED ", n->steps, n->order, n->evaluations,
            n->stats.differential_decompositions, n->stats.rejected_error, n->stats.rejected_newton,
            n->stats.order_changes, n->milliseconds, n->error);
        sum_steps += n->steps;
        sum_evaluations += n->evaluations;
        sum_ms += n->milliseconds;
        if (k > 0) {
            steps = fmax(steps, factor(n->steps, n[-1].steps));
            evaluations = fmax(evaluations, factor(n->evaluations, n[-1].evaluations));
        }
    }
    printf("= %-20s factors: steps %.2f, evaluations %.2f; sums: %.0f steps, %.0f evaluations, "
           "%.1f ms\n",
           name, steps, evaluations, sum_steps, sum_evaluations, sum_ms);
    fflush(stdout);
}

static void sweep_problem(const char *name)
{
    problem p;
    dfl_context *ctx = dfl_context_create();
    if (ctx && problem_make(&p, name, 0)) {
        const double t_end = strcmp(name, "fekete") == 0 ? 100 : p.t_end;
        sweep(name, &(task){.ctx = ctx, .eom = &p.eom, .t0 = p.t0, .t_end = t_end, .x0 = p.x0});
        problem_free(&p);
    }
    dfl_context_free(ctx);
}

static int sweep_script(const char *folder, const char *name, double t_end)
{
    char path[1000];
    dfl_context *ctx = dfl_context_create();
    dfl_model *model = NULL;
    dfl_equations *eq = NULL;
    dfl_runnable *run = NULL;
    dfl_solver *solver = NULL;
    double *x = calloc(10000, sizeof *x);
    snprintf(path, sizeof path, "%s/%s.lua", folder, name);
    dfl_status status = dfl_script_load(&model, ctx, path, NULL);
    if (!status)
        status = dfl_equations_create(&eq, model, true);
    if (!status)
        status = dfl_runnable_create(&run, eq);
    if (!status)
        status = dfl_solver_create(&solver, ctx, dfl_runnable_eom(run), NULL);
    if (!status)
        status = dfl_study_start(x, NULL, run, solver, NULL, 0.0);
    dfl_solver_free(solver);
    if (!status)
        sweep(
            name,
            &(task){.ctx = ctx, .eom = dfl_runnable_eom(run), .run = run, .t_end = t_end, .x0 = x});
    else
        fprintf(stderr, "%s: %s\n", name, dfl_message(ctx));
    free(x);
    dfl_runnable_free(run);
    dfl_equations_free(eq);
    dfl_model_free(model);
    dfl_context_free(ctx);
    return status != DFL_OK;
}

static bool chosen(const char *name, int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(name, argv[i]) == 0)
            return true;
    return argc <= 2;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (chosen(problems[i], argc, argv))
            sweep_problem(problems[i]);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (chosen(scripts[i].script, argc, argv))
            failed |=
                sweep_script(argc > 1 ? argv[1] : "examples", scripts[i].script, scripts[i].t_end);
    return failed;
}
