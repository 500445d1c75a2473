/* Runs one solver on one problem, repeats it, and prints one JSON line per tolerance: cost, error
   against the reference solution, residuals of all constraint levels and energy drift at the end,
   with PEERS_HISTORY=1 also the largest of each in 200 equal parts of a further run, and the
   end. */
#define _POSIX_C_SOURCE 200809L
#include "peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void measure(const peer_solver *solver);
static int repeat(const peer_solver *solver, double *median, double *least, int *runs);
static void start(void);
static double seconds_per_evaluation(void);
static void print_errors(bool ok);
static void find_residuals(double residual[4], double t, const double *y);
static void watch(double t, const double *y);
static void print_history(const peer_solver *solver);
static void print_number(const char *key, double x);
static double largest_error(int n, const double *x, const double *reference);
static double largest(int n, const double *x);
static double now(void);
static int compare(const void *a, const void *b);

static const char *const form_names[] = {"EoM", "EoM2", "EoM1", "GGL", "UODE"};
static const peer_problem *const problems[] = {&peer_pendulum, &peer_andrews, &peer_caraxis,
                                               &peer_truck};
static double clock_start;

/* Largest residuals g, gI, gII and energy drift in parts of a run; NAN where no step ended. */
enum { PARTS = 200 };
static double history[4][PARTS];

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: %s problem solver formulation fd|analytic tolerance...\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < 4; i++)
        if (!strcmp(argv[1], problems[i]->name))
            run.problem = problems[i];
    if (!run.problem)
        run.problem = peer_oscillator(argv[1]);
    int form = EOM;
    while (form < UODE && strcmp(argv[3], form_names[form]))
        form++;
    run.form = (peer_form)form;
    run.analytic = !strcmp(argv[4], "analytic");
    const peer_solver *solver = peer_solvers;
    while (solver->name && strcmp(solver->name, argv[2]))
        solver++;
    if (!run.problem || !solver->name || !(solver->forms & 1u << form)) {
        fprintf(stderr, "%s: no such problem, solver or formulation: %s %s %s\n", argv[0], argv[1],
                argv[2], argv[3]);
        return 2;
    }
    for (int i = 5; i < argc; i++) {
        run.tolerance = atof(argv[i]);
        measure(solver);
    }
    return 0;
}

void peer_clock_start(void)
{
    clock_start = now();
}

void peer_clock_stop(void)
{
    run.seconds = now() - clock_start;
}

static void measure(const peer_solver *solver)
{
    const int np = run.problem->np, nl = run.problem->nl;
    run.layout = solver->layout;
    run.with_a = run.layout == MASS_FORM && !run.problem->mass;
    run.lambda = 2 * np + (run.with_a ? np : 0);
    run.mu = run.lambda + nl;
    run.n = run.layout == EXPLICIT ? 2 * np : run.mu + (run.form == GGL ? nl : 0);
    if (run.analytic && !peer_has_jacobian())
        return;

    double median, least;
    int runs;
    const int status = repeat(solver, &median, &least, &runs);
    const long evaluations = run.evaluations;
    const double each = seconds_per_evaluation();
    const char *jacobian = run.layout == EXPLICIT ? "none" : run.analytic ? "analytic" : "fd";
    printf("{\"problem\":\"%s\",\"solver\":\"%s\",\"formulation\":\"%s\",\"jacobian\":\"%s\"",
           run.problem->name, solver->name, form_names[run.form], jacobian);
    printf(",\"status\":%d", status);
    print_number("rtol", run.tolerance);
    print_number("atol", run.tolerance);
    printf(",\"steps\":%ld,\"fevals\":%ld,\"jac\":%ld,\"lu\":%ld", run.steps, evaluations,
           run.jacobians, run.decompositions);
    print_number("seconds", median);
    print_number("seconds_min", least);
    print_number("sec_per_feval", each);
    print_number("overhead", least / ((double)evaluations * each));
    print_errors(status == 0);
    printf(",\"runs\":%d", runs);
    if (getenv("PEERS_HISTORY") && *getenv("PEERS_HISTORY") && status == 0)
        print_history(solver);
    printf("}\n");
    fflush(stdout);
}

/* One run to warm up, then five (fifteen if short), fewer if they take more than a second or
   PEERS_SECONDS. */
static int repeat(const peer_solver *solver, double *median, double *least, int *runs)
{
    const char *limit = getenv("PEERS_SECONDS");
    double seconds[15], spent = 0, most = limit ? atof(limit) : 1;
    int status = 0, wanted = 1, done = 0;
    for (int k = -1; k < wanted; k++) {
        start();
        status = solver->integrate();
        spent += run.seconds;
        if (k < 0) {
            wanted = run.seconds < 0.02 ? 15 : 5;
            seconds[0] = run.seconds;
        } else {
            seconds[k] = run.seconds;
            done = k + 1;
        }
        if (status || spent > most)
            break;
    }
    *runs = done > 0 ? done : 1;
    qsort(seconds, (size_t)*runs, sizeof *seconds, compare);
    *median = seconds[*runs / 2];
    *least = seconds[0];
    return status;
}

/* Consistent initial values into run.y and run.yp. */
static void start(void)
{
    const int np = run.problem->np;
    const size_t bytes = (size_t)np * sizeof(double);
    double a[MAX_P], lambda[MAX_L];
    memset(run.y, 0, sizeof run.y);
    memset(run.yp, 0, sizeof run.yp);
    run.problem->init(run.y, run.y + np);
    peer_accelerations(a, lambda, run.problem, 0, run.y, run.y + np);
    for (int i = 0; i < np; i++)
        if (!isfinite(a[i]))
            a[i] = 0; /* of a massless coordinate, whose velocity is algebraic */
    memcpy(run.yp, run.y + np, bytes);
    memcpy(run.yp + np, a, bytes);
    if (run.layout != EXPLICIT) {
        if (run.with_a)
            memcpy(run.y + 2 * np, a, bytes);
        memcpy(run.y + run.lambda, lambda, (size_t)run.problem->nl * sizeof(double));
    }
    run.evaluations = run.jacobians = run.steps = run.decompositions = 0;
}

/* The best of five. The volatile pointers keep the calls from being optimised away. */
static double seconds_per_evaluation(void)
{
    void (*volatile f)(double, const double *, double *) =
        run.layout == MASS_FORM ? peer_rhs : peer_ode;
    void (*volatile r)(double, const double *, const double *, double *) = peer_residual;
    const int calls = run.problem == &peer_pendulum ? 100000 : 10000;
    double out[MAX_N], best = INFINITY;
    for (int k = 0; k < 5; k++) {
        const double t0 = now();
        for (int i = 0; i < calls; i++) {
            if (run.layout == RESIDUAL)
                r(run.problem->t_end, run.y, run.yp, out);
            else
                f(run.problem->t_end, run.y, out);
        }
        best = fmin(best, (now() - t0) / calls);
    }
    return best;
}

static void print_errors(bool ok)
{
    const peer_problem *problem = run.problem;
    const int np = problem->np, nl = problem->nl;
    const double *p = run.y, *v = run.y + np;
    const double known = ok ? 1 : NAN;
    double lambda[MAX_L], a[MAX_P], residual[4];
    peer_accelerations(a, lambda, problem, problem->t_end, p, v);
    if (run.layout != EXPLICIT)
        memcpy(lambda, run.y + run.lambda, (size_t)nl * sizeof *lambda);
    find_residuals(residual, problem->t_end, run.y);
    print_number("err_p", known * largest_error(np, p, problem->p_end));
    print_number("err_v", known * largest_error(np, v, problem->v_end));
    print_number("err_lambda", known * largest_error(nl, lambda, problem->lambda_end));
    print_number("res_pos", known * residual[0]);
    print_number("res_vel", known * residual[1]);
    print_number("res_acc", known * residual[2]);
    print_number("energy_drift", known * residual[3]);
}

/* Of g, gI, gII with a = M^-1 (f - G^T lambda), and |E - E0|. */
static void find_residuals(double residual[4], double t, const double *y)
{
    const peer_problem *problem = run.problem;
    const int np = problem->np, nl = problem->nl;
    const double *p = y, *v = y + np;
    double lambda[MAX_L], a[MAX_P], M[MAX_P * MAX_P], g[MAX_L], G[MAX_L * MAX_P];
    double velocity[MAX_L], acceleration[MAX_L], p0[MAX_P], v0[MAX_P];

    if (run.layout == EXPLICIT)
        peer_accelerations(a, lambda, problem, t, p, v);
    else
        memcpy(lambda, y + run.lambda, (size_t)nl * sizeof *lambda);
    problem->eval(t, p, v, M, a, g, G, velocity, acceleration);
    for (int i = 0; i < np; i++)
        for (int j = 0; j < nl; j++)
            a[i] -= G[j * np + i] * lambda[j];
    peer_gauss(a, np, M);
    for (int j = 0; j < nl; j++) {
        for (int i = 0; i < np; i++) {
            velocity[j] += G[j * np + i] * v[i];
            acceleration[j] += G[j * np + i] * a[i];
        }
    }
    problem->init(p0, v0);
    residual[0] = largest(nl, g);
    residual[1] = largest(nl, velocity);
    residual[2] = largest(nl, acceleration);
    residual[3] = problem->energy ? fabs(problem->energy(p, v) - problem->energy(p0, v0)) : NAN;
}

static void watch(double t, const double *y)
{
    double residual[4];
    const int part = (int)ceil(t / run.problem->t_end * PARTS) - 1;
    const int i = part < 0 ? 0 : part < PARTS ? part : PARTS - 1;
    find_residuals(residual, t, y);
    for (int k = 0; k < 4; k++)
        history[k][i] = fmax(history[k][i], residual[k]); /* fmax(NAN, x) = x */
}

static void print_history(const peer_solver *solver)
{
    static const char *const names[4] = {"g", "gI", "gII", "energy"};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < PARTS; i++)
            history[k][i] = NAN;
    run.on_step = watch;
    start();
    solver->integrate();
    run.on_step = NULL;
    for (int k = 0; k < 4; k++) {
        printf(",\"%s\":[", names[k]);
        for (int i = 0; i < PARTS; i++)
            printf(isfinite(history[k][i]) ? "%s%.3g" : "%snull", i ? "," : "", history[k][i]);
        printf("]");
    }
    printf(",\"y\":[");
    for (int i = 0; i < run.n; i++)
        printf("%s%.16g", i ? "," : "", run.y[i]);
    printf("],\"lambda\":%d", run.layout == EXPLICIT ? -1 : run.lambda);
}

static void print_number(const char *key, double x)
{
    if (isfinite(x))
        printf(",\"%s\":%.4g", key, x);
    else
        printf(",\"%s\":null", key);
}

/* Relative to max(1, |reference|); NaN if there is one. */
static double largest_error(int n, const double *x, const double *reference)
{
    double result = 0;
    for (int i = 0; i < n; i++) {
        const double q = fabs(x[i] - reference[i]) / fmax(1, fabs(reference[i]));
        if (!(q <= result))
            result = q;
    }
    return result;
}

static double largest(int n, const double *x)
{
    double result = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= result))
            result = fabs(x[i]);
    return result;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
