/* Measures the solver on the problems that the peers are measured on; one JSON line per run, with
   the fields of bench/README.md. The least of several repeats counts. */
#define _POSIX_C_SOURCE 200809L
#include <driftless/driftless.h>
#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct setting {
    const char *problem, *maker, *formulation;
    bool differences;
    double t_end;
    int first, last; /* tolerances 10^-(first/2) ... 10^-(last/2), in half decades */
    int stride;
    dfl_form form;
    int order; /* 0: automatic */
    dfl_integrator integrator;
} setting;

static const setting settings[] = {
    {"pendulum", "pendulum", "psf", false, 1000, 8, 27, 1, DFL_PSF, 0, DFL_RADAU},
    {"pendulum", "pendulum_energy", "psf+energy", false, 1000, 8, 28, 1, DFL_PSF, 0, DFL_RADAU},
    {"pendulum", "pendulum", "psi1", false, 1000, 14, 14, 1, DFL_PSI1, 0, DFL_RADAU},
    {"pendulum", "pendulum_energy", "psf+energy", true, 1000, 8, 24, 2, DFL_PSF, 0, DFL_RADAU},
    {"pendulum", "pendulum_energy", "psf+energy", false, 1000, 8, 28, 1, DFL_PSF, 5, DFL_RADAU},
    {"andrews", "andrews", "psf", false, 0.03, 6, 23, 1, DFL_PSF, 0, DFL_RADAU},
    {"andrews", "andrews", "psf", true, 0.03, 6, 23, 1, DFL_PSF, 0, DFL_RADAU},
    {"andrews", "andrews", "psf", false, 0.03, 6, 23, 1, DFL_PSF, 5, DFL_RADAU},
    {"caraxis", "caraxis", "psf", false, 3, 6, 24, 1, DFL_PSF, 0, DFL_RADAU},
    {"caraxis", "caraxis", "psf", true, 3, 6, 24, 1, DFL_PSF, 0, DFL_RADAU},
    {"caraxis", "caraxis", "psf", false, 3, 6, 24, 1, DFL_PSF, 5, DFL_RADAU},
    {"pendulum", "pendulum", "psf", false, 1000, 8, 20, 2, DFL_PSF, 0, DFL_BDF},
    {"pendulum", "pendulum", "psf", false, 1000, 8, 24, 2, DFL_PSF, 0, DFL_HALF_EXPLICIT},
    {"pendulum", "pendulum", "psf", false, 1000, 8, 26, 2, DFL_PSF, 0, DFL_EXPLICIT_PAIR},
    {"andrews", "andrews", "psf", false, 0.03, 6, 20, 2, DFL_PSF, 0, DFL_BDF},
    {"andrews", "andrews", "psf", false, 0.03, 6, 22, 2, DFL_PSF, 0, DFL_HALF_EXPLICIT},
    {"andrews", "andrews", "psf", false, 0.03, 6, 23, 2, DFL_PSF, 0, DFL_EXPLICIT_PAIR},
    {"caraxis", "caraxis", "psf", false, 3, 6, 20, 2, DFL_PSF, 0, DFL_BDF},
    {"caraxis", "caraxis", "psf", false, 3, 6, 22, 2, DFL_PSF, 0, DFL_HALF_EXPLICIT},
    {"caraxis", "caraxis", "psf", false, 3, 6, 24, 2, DFL_PSF, 0, DFL_EXPLICIT_PAIR},
};

typedef struct result {
    dfl_status status;
    double seconds, seconds_min, per_eval;
    dfl_statistics stats;
    double err_p, err_v, err_l, res[3], drift;
} result;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double largest_error(const double *x, const double *y, int first, int last)
{
    double largest = 0;
    for (int i = first; i < last; i++)
        if (!isnan(y[i]))
            largest = fmax(largest, fabs(x[i] - y[i]) / fmax(1, fabs(y[i])));
    return largest;
}

static double largest(const double *x, int n)
{
    double value = 0;
    for (int i = 0; i < n; i++)
        value = fmax(value, fabs(x[i]));
    return value;
}

/* Blocks with room for WIDTH numbers each. */
enum { WIDTH = 64 };
static dfl_blocks blocks_in(double *room)
{
    dfl_blocks b;
    double **const block[] = {&b.kin, &b.f,  &b.b, &b.d,   &b.c, &b.g,  &b.ep,
                              &b.gI,  &b.hv, &b.e, &b.gam, &b.W, &b.K0, &b.bias};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        *block[i] = room + i * WIDTH;
    return b;
}

/* Seconds of one evaluation as the solver asks for it: all blocks, and M where it varies. The least: a disturbed one
   would make the overhead look smaller. */
static double time_evaluation(const problem *p, const double *x)
{
    const dfl_eom *eom = &p->eom;
    double room[14 * WIDTH] = {0}, M[WIDTH] = {0}, best = 1;
    dfl_blocks out = blocks_in(room);
    const bool mass = eom->mass && !eom->mass_constant;
    dfl_eval_fn volatile eval = eom->eval;
    const int calls = 20000;
    for (int k = 0; k < 4; k++) {
        const double begin = now();
        for (int i = 0; i < calls; i++) {
            eval(&out, p->t_end, x, DFL_EVERYTHING, eom->user);
            if (mass)
                eom->mass(M, p->t_end, x, eom->user);
        }
        best = fmin(best, (now() - begin) / calls);
    }
    return best;
}

static const double *reference_at(const problem *p, double t)
{
    for (int i = 0; i < p->nreferences; i++)
        if (fabs(p->references[i].t - t) < 1e-9)
            return p->references[i].x;
    return NULL;
}

/* Residuals at the end, with accelerations M a = f - W^T l solved by small Gaussian elimination. */
static void end_residuals(result *r, const problem *p, double t, const double *x)
{
    const dfl_eom *eom = &p->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    const int nv = eom->nv, nl = eom->nl;
    double room[14 * WIDTH] = {0}, M[WIDTH] = {0};
    dfl_blocks b = blocks_in(room);
    eom->eval(&b, t, x, DFL_EVERYTHING, eom->user);
    for (int i = 0; i < nv; i++)
        M[i * nv + i] = 1;
    if (eom->mass) {
        double D[WIDTH] = {0};
        eom->mass(eom->mass_diagonal ? D : M, t, x, eom->user);
        for (int i = 0; eom->mass_diagonal && i < nv; i++)
            M[i * nv + i] = D[i];
    }
    double *a = b.f;
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < nl; k++)
            a[i] -= b.W[i * nl + k] * x[at.lambda + k];
    for (int k = 0; k < nv; k++)
        for (int i = k + 1; i < nv; i++) {
            const double q = M[k * nv + i] / M[k * nv + k];
            for (int j = k; j < nv; j++)
                M[j * nv + i] -= q * M[j * nv + k];
            a[i] -= q * a[k];
        }
    for (int k = nv - 1; k >= 0; k--) {
        for (int j = k + 1; j < nv; j++)
            a[k] -= M[j * nv + k] * a[j];
        a[k] /= M[k * nv + k];
    }
    for (int i = 0; i < nl; i++)
        for (int j = 0; j < nv; j++)
            b.bias[i] += b.W[j * nl + i] * a[j];
    r->res[0] = largest(b.g, nl);
    r->res[1] = largest(b.gI, nl);
    r->res[2] = largest(b.bias, nl);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void run(result *r, const problem *p, const setting *s, double tol, int most)
{
    dfl_context *ctx = dfl_context_create();
    dfl_solver_options options = {
        .form = s->form, .integrator = s->integrator, .order = s->order, .rtol = tol, .atol = tol};
    dfl_solver *solver = NULL;
    double seconds[15], spent = 0;
    int runs = 0;
    r->per_eval = 1;
    r->status = dfl_solver_create(&solver, ctx, &p->eom, &options);
    while (!r->status && runs < most && spent < 0.7) {
        r->status = dfl_solver_start(solver, p->t0, p->x0, NULL);
        const double begin = now();
        if (!r->status)
            r->status = dfl_solver_advance(solver, s->t_end);
        spent += seconds[runs++] = now() - begin;
        /* between runs: the processor is as fast then as it is in them */
        if (!r->status)
            r->per_eval = fmin(r->per_eval, time_evaluation(p, dfl_solver_state(solver)));
    }
    if (!r->status) {
        const dfl_layout at = dfl_eom_layout(&p->eom);
        const double *x = dfl_solver_state(solver), *y = reference_at(p, s->t_end);
        qsort(seconds, (size_t)runs, sizeof *seconds, by_value);
        r->seconds = seconds[runs / 2];
        r->seconds_min = seconds[0];
        r->stats = dfl_solver_statistics(solver);
        r->err_p = largest_error(x, y, at.p, at.n);
        r->err_v = largest_error(x, y, at.v, at.s);
        r->err_l = largest_error(x, y, at.lambda, at.mu);
        r->drift =
            p->energy ? fabs(p->energy(x, p->parameters) - p->energy(p->x0, p->parameters)) : NAN;
        end_residuals(r, p, s->t_end, x);
    } else {
        fprintf(stderr, "%s %s %.1e: %s\n", s->problem, s->formulation, tol, dfl_message(ctx));
    }
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}

static void number(const char *name, double value)
{
    if (isfinite(value))
        printf(",\"%s\":%.4g", name, value);
    else
        printf(",\"%s\":null", name);
}

static void print(const result *r, const setting *s, double tol)
{
    const long evaluations = r->stats.evaluations + r->stats.difference_evaluations;
    const bool radau = s->integrator == DFL_RADAU;
    printf("{\"problem\":\"%s\",\"solver\":\"driftless%s%s\",\"formulation\":\"%s\","
           "\"jacobian\":\"%s\",\"status\":%d",
           s->problem, radau && s->order != 5 ? "" : "-",
           !radau          ? dfl_integrator_name(s->integrator)
           : s->order == 5 ? "order5"
                           : "",
           s->formulation, s->differences ? "fd" : "analytic", (int)r->status);
    number("rtol", tol);
    number("atol", tol);
    printf(",\"steps\":%ld,\"fevals\":%ld,\"jac\":%ld,\"lu\":%ld", r->stats.accepted, evaluations,
           r->stats.jacobians, r->stats.differential_decompositions);
    number("seconds", r->seconds);
    number("seconds_min", r->seconds_min);
    number("sec_per_feval", r->per_eval);
    number("overhead", r->seconds_min / ((double)evaluations * r->per_eval));
    number("err_p", r->err_p);
    number("err_v", r->err_v);
    number("err_lambda", r->err_l);
    number("res_pos", r->res[0]);
    number("res_vel", r->res[1]);
    number("res_acc", r->res[2]);
    number("energy_drift", r->drift);
    printf("}\n");
    fflush(stdout);
}

/* One run of a setting without repeats, for instruction counts. */
static int run_once(const char *name, const char *formulation, double tol, int order)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        setting chosen = settings[i];
        const setting *s = &chosen;
        problem p;
        chosen.order = order;
        if (strcmp(name, s->problem) != 0 || strcmp(formulation, s->formulation) != 0)
            continue;
        if (!problem_make(&p, s->maker, 0))
            return 1;
        result r = {0};
        run(&r, &p, s, tol, 1);
        printf("%ld\n", r.stats.accepted);
        problem_free(&p);
        return 0;
    }
    return 2;
}

/* usage: bench_solver [problem]                           all runs, or those of one problem
          bench_solver problem formulation tolerance order  one run; prints the number of steps */
int main(int argc, char **argv)
{
    if (argc == 5)
        return run_once(argv[1], argv[2], atof(argv[3]), atoi(argv[4]));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const setting *s = &settings[i];
        problem p;
        if (argc > 1 && strcmp(argv[1], s->problem) != 0)
            continue;
        if (!problem_make(&p, s->maker, 0))
            return 1;
        if (s->differences)
            p.eom.jacobian = NULL;
        for (int k = s->first; k <= s->last; k += s->stride) {
            result r = {0};
            const double tol = pow(10, -k / 2.0);
            run(&r, &p, s, tol, 15);
            print(&r, s, tol);
        }
        problem_free(&p);
    }
    return 0;
}
