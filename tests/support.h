/* support.h: what the tests of the solver share: one complete run as a value, and comparisons. */
#ifndef DFL_TESTS_SUPPORT_H
#define DFL_TESTS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <driftless/driftless.h>

#include "problems.h"

enum { RUN_MOST = 80 }; /* unknowns of a model that a test runs */

/* How a run ended. */
typedef struct run {
    dfl_status status;
    char message[512];
    dfl_statistics stats;
    double t, h;
    int n;
    double x[RUN_MOST];
} run;

/* Creates, starts, advances to t_end, frees; nothing stays allocated. */
static inline run run_with(const dfl_eom *eom, double t0, const double *x0, double t_end,
                           const dfl_solver_options *options, const dfl_conditions *conditions)
{
    run r = {.n = dfl_eom_unknowns(eom)};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_non_null(ctx);
    assert_true(r.n <= RUN_MOST);
    r.status = dfl_solver_create(&solver, ctx, eom, options);
    if (!r.status)
        r.status = dfl_solver_start(solver, t0, x0, conditions);
    const bool started = !r.status;
    if (started)
        r.status = dfl_solver_advance(solver, t_end);
    if (started) {
        r.stats = dfl_solver_statistics(solver);
        r.t = dfl_solver_time(solver);
        r.h = dfl_solver_step(solver);
        memcpy(r.x, dfl_solver_state(solver), (size_t)r.n * sizeof *r.x);
    }
    if (r.status)
        snprintf(r.message, sizeof r.message, "%s", dfl_message(ctx));
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    return r;
}

/* A problem from its own start to t_end. */
static inline run run_problem(const problem *prob, double t_end, const dfl_solver_options *options)
{
    return run_with(&prob->eom, prob->t0, prob->x0, t_end, options, NULL);
}

static inline void assert_succeeded(const run *r)
{
    if (r->status)
        fail_msg("%s: %s", dfl_status_name(r->status), r->message);
}

/* The run failed with `status` and its message contains `text`. */
static inline void assert_failed(const run *r, dfl_status status, const char *text)
{
    if (r->status != status || !strstr(r->message, text))
        fail_msg("expected %s with '%s', found %s: '%s'", dfl_status_name(status), text,
                 dfl_status_name(r->status), r->message);
}

static inline void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g within %g", found, expected, tolerance);
}

static inline void assert_between(double found, double low, double high)
{
    if (!(found >= low && found <= high))
        fail_msg("found %.6g, expected it between %.6g and %.6g", found, low, high);
}

/* The largest |a_i - b_i|. */
static inline double distance(const double *a, const double *b, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* The largest error against the problem's reference at time t, relative to max(1, |x|), over the
   unknowns first .. first+count-1 that are known. */
static inline double error_of(const run *r, const problem *prob, double t, int first, int count)
{
    const problem_reference *ref = NULL;
    for (int i = 0; i < prob->nreferences; i++)
        if (prob->references[i].t == t)
            ref = &prob->references[i];
    assert_non_null(ref);
    double largest = 0;
    for (int i = first; i < first + count; i++)
        if (!isnan(ref->x[i]))
            largest = fmax(largest, fabs(r->x[i] - ref->x[i]) / fmax(1, fabs(ref->x[i])));
    return largest;
}

/* The error of all unknowns. */
static inline double error_at(const run *r, const problem *prob, double t)
{
    return error_of(r, prob, t, 0, r->n);
}

/* The largest residual of any level at (t, x): c, g, ep, d, gI, hv, e, gam. */
static inline double residual_of(const dfl_eom *eom, double t, const double *x)
{
    static double room[14][RUN_MOST * RUN_MOST];
    dfl_blocks b = {.kin = room[0],
                    .f = room[1],
                    .b = room[2],
                    .d = room[3],
                    .c = room[4],
                    .g = room[5],
                    .ep = room[6],
                    .gI = room[7],
                    .hv = room[8],
                    .e = room[9],
                    .gam = room[10],
                    .W = room[11],
                    .K0 = room[12],
                    .bias = room[13]};
    const struct {
        const double *rows;
        int n;
    } part[] = {{b.c, eom->ns},  {b.g, eom->nl},  {b.ep, eom->nep}, {b.d, eom->nw},
                {b.gI, eom->nl}, {b.hv, eom->nm}, {b.e, eom->ne},   {b.gam, eom->n0}};
    assert_int_equal(eom->eval(&b, t, x, DFL_EVERYTHING & ~(unsigned)DFL_BIAS, eom->user), 0);
    double largest = 0;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        for (int i = 0; i < part[k].n; i++) {
            if (!isfinite(part[k].rows[i]))
                fail_msg("a row is %g", part[k].rows[i]);
            largest = fmax(largest, fabs(part[k].rows[i]));
        }
    return largest;
}

#endif
