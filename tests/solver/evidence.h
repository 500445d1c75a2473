/* evidence.h: what the tests that measure accuracy have in common: a solver on one of the benchmark
   problems, errors against references, and the exact motion of the four-bar linkages. */
#ifndef DFL_EVIDENCE_H
#define DFL_EVIDENCE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <driftless/driftless.h>
#include <problems.h>

/* One problem with its solver. */
typedef struct run {
    problem prob;
    dfl_context *ctx;
    dfl_solver *solver;
    dfl_layout at; /* offsets of the parts of x */
} run;

/* Starts problem `prob`, which the run owns from now on; `options` must outlive the run. */
static inline void run_start(run *out, const problem *prob, const dfl_solver_options *options)
{
    *out = (run){.prob = *prob, .ctx = dfl_context_create(), .at = dfl_eom_layout(&prob->eom)};
    assert_non_null(out->ctx);
    dfl_status status = dfl_solver_create(&out->solver, out->ctx, &out->prob.eom, options);
    if (!status)
        status = dfl_solver_start(out->solver, prob->t0, prob->x0, NULL);
    if (status)
        fail_msg("%s: %s", prob->name, dfl_message(out->ctx));
}

static inline void run_make(run *out, const char *name, int size, const dfl_solver_options *options)
{
    problem prob;
    assert_true(problem_make(&prob, name, size));
    run_start(out, &prob, options);
}

static inline void run_free(run *r)
{
    dfl_solver_free(r->solver);
    dfl_context_free(r->ctx);
    problem_free(&r->prob);
}

/* Advances and returns the state there; any failure fails the test. */
static inline const double *run_to(run *r, double t)
{
    if (dfl_solver_advance(r->solver, t))
        fail_msg("%s: %s", r->prob.name, dfl_message(r->ctx));
    return dfl_solver_state(r->solver);
}

/* The largest error of x[first .. last-1], relative to max(1, |reference|); NAN is not known. */
static inline double error_between(const double *x, const double *reference, int first, int last)
{
    double largest = 0;
    for (int i = first; i < last; i++)
        if (!isnan(reference[i]))
            largest = fmax(largest, fabs(x[i] - reference[i]) / fmax(1, fabs(reference[i])));
    return largest;
}

/* The relative tolerance that the error and Newton tests use (RADAU5's transformation). */
static inline double inner_tolerance(double tol)
{
    return 0.1 * pow(tol, 2.0 / 3.0);
}

/* Fails unless value <= bound; a NAN fails too. */
static inline void assert_at_most(double value, double bound, const char *what)
{
    if (!(value <= bound))
        fail_msg("%s is %.3e, more than %.3e", what, value, bound);
}

/* The angle (rad, from the upward vertical) and its rate of N parallel uprights after time t:
   I theta'' = w sin theta (problems/fourbar.c), by the classical Runge-Kutta method in 20000 steps.
   For the times used here, below 1 s, its error is below 1e-14. */
static inline void fourbar_exact(double *theta, double *rate, int N, double t)
{
    const double w2 = 9.81 * ((N + 1) / 2.0 + N) / ((N + 1) / 3.0 + N);
    const int steps = 20000;
    const double h = t / steps;
    double a = 0, b = 1;
    for (int i = 0; i < steps; i++) {
        const double a1 = b, b1 = w2 * sin(a);
        const double a2 = b + h / 2 * b1, b2 = w2 * sin(a + h / 2 * a1);
        const double a3 = b + h / 2 * b2, b3 = w2 * sin(a + h / 2 * a2);
        const double a4 = b + h * b3, b4 = w2 * sin(a + h * a3);
        a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        b += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    *theta = a;
    *rate = b;
}

/* The largest errors of positions and velocities of a four-bar run against the exact motion. */
static inline void fourbar_error(double *position, double *velocity, const run *r, int N)
{
    const double *x = dfl_solver_state(r->solver), *v = x + r->at.v, *p = x + r->at.p;
    double theta, rate;
    fourbar_exact(&theta, &rate, N, dfl_solver_time(r->solver));
    *position = *velocity = 0;
    for (int i = 0; i <= N; i++) {
        *position = fmax(*position, hypot(p[2 * i] - i - sin(theta), p[2 * i + 1] - cos(theta)));
        *velocity =
            fmax(*velocity, hypot(v[2 * i] - rate * cos(theta), v[2 * i + 1] + rate * sin(theta)));
    }
}

/* Of positions, velocities and multipliers. */
typedef struct errors {
    double position, velocity, multiplier;
} errors;

static inline errors errors_of(const run *r, const double *x, const double *reference)
{
    return (errors){error_between(x, reference, r->at.p, r->at.n),
                    error_between(x, reference, r->at.v, r->at.s),
                    error_between(x, reference, r->at.lambda, r->at.r)};
}

/* Errors of problem `name` at its reference number `reference`, after `steps` steps of one size. */
static inline errors errors_after(int steps, const char *name, int reference,
                                  dfl_solver_options options)
{
    problem prob;
    assert_true(problem_make(&prob, name, 0));
    const problem_reference *ref = &prob.references[reference];
    options.step.fixed = (ref->t - prob.t0) / steps;
    run r;
    run_start(&r, &prob, &options);
    const double *x = run_to(&r, ref->t);
    assert_int_equal(dfl_solver_statistics(r.solver).accepted, steps);
    const errors e = errors_of(&r, x, ref->x);
    run_free(&r);
    return e;
}

/* The slope of log(error) over log(h), by least squares over all numbers of steps. */
static inline double slope_of(const int *steps, const double *error, int count)
{
    double sh = 0, se = 0, shh = 0, she = 0;
    for (int i = 0; i < count; i++) {
        const double h = -log(steps[i]), e = log(error[i]);
        sh += h;
        se += e;
        shh += h * h;
        she += h * e;
    }
    return (count * she - sh * se) / (count * shh - sh * sh);
}

/* One study of orders: the problem to the time of its reference number `reference`, in so many
   steps, ascending. */
enum { STUDY_STEPS = 4 };
typedef struct study {
    const char *name;
    int reference;
    int steps[STUDY_STEPS];
    int order; /* of the method; 0: the test names it elsewhere */
} study;

/* The observed orders of a method. */
static inline errors orders_of(const study *s, const dfl_solver_options *method)
{
    double p[STUDY_STEPS], v[STUDY_STEPS], l[STUDY_STEPS];
    for (int i = 0; i < STUDY_STEPS; i++) {
        const errors e = errors_after(s->steps[i], s->name, s->reference, *method);
        p[i] = e.position;
        v[i] = e.velocity;
        l[i] = e.multiplier;
    }
    const errors result = {slope_of(s->steps, p, STUDY_STEPS), slope_of(s->steps, v, STUDY_STEPS),
                           slope_of(s->steps, l, STUDY_STEPS)};
    print_message("%-12s %s%d %s %s: order of p %.2f, v %.2f, multipliers %.2f; errors p %.1e .. "
                  "%.1e, multipliers %.1e .. %.1e\n",
                  s->name, dfl_integrator_name(method->integrator), method->order,
                  dfl_form_name(method->form),
                  method->constraints.selectors == DFL_UNIT ? "unit" : "orthogonal",
                  result.position, result.velocity, result.multiplier, p[0], p[STUDY_STEPS - 1],
                  l[0], l[STUDY_STEPS - 1]);
    return result;
}

#endif
