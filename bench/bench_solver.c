/* Measures the solver on the problems that the peers are measured on; one JSON line per run, with
   the fields of bench/README.md. The least of several repeats counts; they are spread over rounds
   through all settings, so that what disturbs the machine for some seconds disturbs few of them. */
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

enum { ROUNDS = 3, RUNS = 5, ROWS = 512 }; /* of one round; settings and tolerances */

typedef struct result {
    const setting *setting;
    double tol;
    dfl_status status;
    double seconds[ROUNDS * RUNS], per_eval;
    int runs;
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

/* Seconds of one evaluation as the solver asks for it: all blocks, and M where it varies. The
   least: a disturbed one would make the overhead look smaller. */
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

/* Up to `most` runs more. */
static void run(result *r, const problem *p, int most)
{
    const setting *s = r->setting;
    dfl_context *ctx = dfl_context_create();
    dfl_solver_options options = {.form = s->form,
                                  .integrator = s->integrator,
                                  .order = s->order,
                                  .rtol = r->tol,
                                  .atol = r->tol};
    dfl_solver *solver = NULL;
    double spent = 0;
    r->status = dfl_solver_create(&solver, ctx, &p->eom, &options);
    for (int k = 0; !r->status && k < most && spent < 0.25; k++) {
        r->status = dfl_solver_start(solver, p->t0, p->x0, NULL);
        const double begin = now();
        if (!r->status)
            r->status = dfl_solver_advance(solver, s->t_end);
        spent += r->seconds[r->runs++] = now() - begin;
        /* between runs: the processor is as fast then as it is in them */
        if (!r->status)
            r->per_eval = fmin(r->per_eval, time_evaluation(p, dfl_solver_state(solver)));
    }
    if (!r->status) {
        const dfl_layout at = dfl_eom_layout(&p->eom);
        const double *x = dfl_solver_state(solver), *y = reference_at(p, s->t_end);
        r->stats = dfl_solver_statistics(solver);
        r->err_p = largest_error(x, y, at.p, at.n);
        r->err_v = largest_error(x, y, at.v, at.s);
        r->err_l = largest_error(x, y, at.lambda, at.mu);
        r->drift =
            p->energy ? fabs(p->energy(x, p->parameters) - p->energy(p->x0, p->parameters)) : NAN;
        end_residuals(r, p, s->t_end, x);
    } else {
        fprintf(stderr, "%s %s %.1e: %s\n", s->problem, s->formulation, r->tol, dfl_message(ctx));
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

static void print(result *r)
{
    const setting *s = r->setting;
    const long evaluations = r->stats.evaluations + r->stats.difference_evaluations;
    const bool radau = s->integrator == DFL_RADAU;
    printf("{\"problem\":\"%s\",\"solver\":\"driftless%s%s\",\"formulation\":\"%s\","
           "\"jacobian\":\"%s\",\"status\":%d",
           s->problem, radau && s->order != 5 ? "" : "-",
           !radau          ? dfl_integrator_name(s->integrator)
           : s->order == 5 ? "order5"
                           : "",
           s->formulation, s->differences ? "fd" : "analytic", (int)r->status);
    number("rtol", r->tol);
    number("atol", r->tol);
    printf(",\"steps\":%ld,\"fevals\":%ld,\"jac\":%ld,\"lu\":%ld", r->stats.accepted, evaluations,
           r->stats.jacobians, r->stats.differential_decompositions);
    qsort(r->seconds, (size_t)r->runs, sizeof *r->seconds, by_value);
    number("seconds", r->seconds[r->runs / 2]);
    number("seconds_min", r->seconds[0]);
    number("sec_per_feval", r->per_eval);
    number("overhead", r->seconds[0] / ((double)evaluations * r->per_eval));
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
        result r = {.setting = s, .tol = tol, .per_eval = 1};
        run(&r, &p, 1);
        printf("%ld\n", r.stats.accepted);
        problem_free(&p);
        return 0;
    }
    return 2;
}

/* One round through all settings, or those of one problem; the first one lays out the rows. Returns
   their number, or -1. */
static int round_of(result *row, const char *only)
{
    int rows = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const setting *s = &settings[i];
        problem p;
        if (only && strcmp(only, s->problem) != 0)
            continue;
        if (!problem_make(&p, s->maker, 0))
            return -1;
        if (s->differences)
            p.eom.jacobian = NULL;
        for (int k = s->first; k <= s->last && rows < ROWS; k += s->stride) {
            result *r = &row[rows++];
            if (!r->setting)
                *r = (result){.setting = s, .tol = pow(10, -k / 2.0), .per_eval = 1};
            if (!r->status)
                run(r, &p, RUNS);
        }
        problem_free(&p);
    }
    return rows;
}

/* usage: bench_solver [problem]                           all runs, or those of one problem
          bench_solver problem formulation tolerance order  one run; prints the number of steps */
int main(int argc, char **argv)
{
    static result row[ROWS];
    int rows = 0;
    if (argc == 5)
        return run_once(argv[1], argv[2], atof(argv[3]), atoi(argv[4]));
    for (int round = 0; round < ROUNDS && rows >= 0; round++)
        rows = round_of(row, argc > 1 ? argv[1] : NULL);
    for (int i = 0; i < rows; i++)
        print(&row[i]);
    return rows > 0 ? 0 : 1;
}
