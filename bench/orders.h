/* orders.h: orders of convergence of p, v and the multipliers, measured with fixed steps; shared by
   bench_orders.c, which prints docs/orders.md, and by the test that recomputes a part of it.

   A motion is run with step sizes in the ratio 2^(1/4), Newton's iteration carried to rounding. The
   order of a kind of unknowns is the slope of log(error) over log(h) through five runs one after
   the other whose errors lie between what rounding leaves and 10 %: the finest ones that lie on a
   line to 4 %, or else those that are nearest to one. It is NAN where there are fewer, or where
   they are on no line. */
#ifndef DFL_BENCH_ORDERS_H
#define DFL_BENCH_ORDERS_H

#include <driftless/driftless.h>
#include "problems.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ORDERS_MOST = 32, ORDERS_RUNS = 44, ORDERS_LINE = 5, ORDERS_KINDS = 3 };

/* A problem that is in motion at its start, and its state some time later. */
typedef struct orders_motion {
    problem prob;
    double t0, t_end, x0[ORDERS_MOST], x[ORDERS_MOST];
    int first[ORDERS_KINDS], last[ORDERS_KINDS]; /* of p, v and l, m */
} orders_motion;

typedef struct orders_method {
    const char *name; /* of the column */
    dfl_integrator integrator;
    int order;
} orders_method;

static const orders_method orders_methods[] = {{"radau 1", DFL_RADAU, 1},
                                               {"radau 5", DFL_RADAU, 5},
                                               {"radau 9", DFL_RADAU, 9},
                                               {"radau 13", DFL_RADAU, 13},
                                               {"trapezoidal", DFL_TRAPEZOIDAL, 0},
                                               {"midpoint", DFL_MIDPOINT, 0},
                                               {"bdf 1", DFL_BDF, 1},
                                               {"bdf 2", DFL_BDF, 2},
                                               {"bdf 3", DFL_BDF, 3},
                                               {"bdf 4", DFL_BDF, 4},
                                               {"bdf 5", DFL_BDF, 5},
                                               {"half-explicit", DFL_HALF_EXPLICIT, 0},
                                               {"explicit-pair", DFL_EXPLICIT_PAIR, 0},
                                               {"extrapolation", DFL_EXTRAPOLATION, 4}};
enum { ORDERS_METHODS = sizeof orders_methods / sizeof *orders_methods };

/* What came of a combination. */
typedef struct orders_found {
    dfl_status status;          /* why it is refused or ends at all step sizes */
    double order[ORDERS_KINDS]; /* of p, v and l, m */
    char message[200];
} orders_found;

/* Advances from x0 at t0 to t and copies the state to x, which may be x0. */
static inline dfl_status orders_run(double *x, char message[200], bool *converged,
                                    const orders_motion *m, double t0, const double *x0, double t,
                                    const dfl_solver_options *options)
{
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    dfl_status status = dfl_solver_create(&solver, ctx, &m->prob.eom, options);
    if (!status)
        status = dfl_solver_start(solver, t0, x0, NULL);
    if (!status)
        status = dfl_solver_advance(solver, t);
    if (!status) {
        memcpy(x, dfl_solver_state(solver), (size_t)m->last[0] * sizeof *x);
        *converged = dfl_solver_statistics(solver).unconverged == 0;
    }
    snprintf(message, 200, "%s", status ? dfl_message(ctx) : "");
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    return status;
}

/* A time of problem `name`, longer for order 13; false if there is none. Free with
   problem_free(&out->prob). */
static inline bool orders_motion_make(orders_motion *out, const char *name, bool high)
{
    const bool top = !strcmp(name, "top");
    const double t0 = 0.2, length = top ? (high ? 1.6 : 0.4) : (high ? 3.2 : 0.7);
    const dfl_solver_options accurate = {.rtol = 1e-14, .order = 13};
    char message[200];
    bool converged;
    *out = (orders_motion){.t0 = t0, .t_end = t0 + length};
    if (!problem_make(&out->prob, name, 0))
        return false;
    const dfl_layout at = dfl_eom_layout(&out->prob.eom);
    const int first[] = {at.p, at.v, at.lambda}, last[] = {at.n, at.s, at.r};
    memcpy(out->first, first, sizeof first);
    memcpy(out->last, last, sizeof last);
    return at.n <= ORDERS_MOST &&
           !orders_run(out->x0, message, &converged, out, out->prob.t0, out->prob.x0, t0,
                       &accurate) &&
           !orders_run(out->x, message, &converged, out, t0, out->x0, out->t_end, &accurate);
}

/* Errors below it are rounding, which index 2 and 3 divide by h and h^2 in the multipliers. */
static inline double orders_floor(int kind, dfl_form form, double h, int steps)
{
    const double rounding = 5e-13 + 1e-14 * steps;
    if (form == DFL_EOM)
        return kind == 0 ? 10 * rounding : kind == 1 ? 1e-12 / h : 1e-12 / (h * h);
    return kind < 2 ? rounding : rounding + 1e-12 / h;
}

/* The straight line through log(error) over log(h) of the runs k, k+1 ...: its slope, and how far
   they are from it. */
static inline double orders_fit(double *scatter, const double *h, const double *error, int k)
{
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (int i = k; i < k + ORDERS_LINE; i++) {
        x += log(h[i]) / ORDERS_LINE;
        y += log(error[i]) / ORDERS_LINE;
    }
    for (int i = k; i < k + ORDERS_LINE; i++) {
        const double dx = log(h[i]) - x, dy = log(error[i]) - y;
        xx += dx * dx, xy += dx * dy, yy += dy * dy;
    }
    *scatter = sqrt(fmax(0, yy - xy * xy / xx));
    return xy / xx;
}

/* The slope of the finest good line, or else of the best one; NAN if there is none. */
static inline double orders_slope(const double *h, const double *error, const bool *tells)
{
    const double good = 0.04, none = 0.3;
    double slope = NAN, least = none;
    for (int k = ORDERS_RUNS - ORDERS_LINE; k >= 0 && least > good; k--) {
        double scatter = none;
        bool all = true;
        for (int i = k; i < k + ORDERS_LINE; i++)
            all = all && tells[i];
        const double here = all ? orders_fit(&scatter, h, error, k) : NAN;
        if (scatter < least) {
            least = scatter;
            slope = here;
        }
    }
    return slope;
}

/* Methods of orders 1 and 2 need small steps and do not come near rounding. */
static inline bool orders_low(const orders_method *method)
{
    return method->order == 1 || method->integrator == DFL_TRAPEZOIDAL ||
           method->integrator == DFL_MIDPOINT ||
           (method->integrator == DFL_BDF && method->order == 2);
}

/* Order 13 needs large steps, and time for errors to grow, to stay above rounding. */
static inline bool orders_high(const orders_method *method)
{
    return method->order == 13;
}

static inline orders_found orders_measure(const orders_motion *m, dfl_form form,
                                          const orders_method *method)
{
    orders_found found = {.status = DFL_OK};
    double h[ORDERS_RUNS], error[ORDERS_KINDS][ORDERS_RUNS];
    bool tells[ORDERS_KINDS][ORDERS_RUNS] = {{false}}, done = false, any = false;
    for (int k = 0; k < (orders_low(method) ? 24 : ORDERS_RUNS) && !done; k++) {
        /* even: errors of the trapezoidal rule alternate */
        const int steps = 2 * (int)lround((orders_low(method) ? 32 : 2) * pow(2, k / 4.0));
        double x[ORDERS_MOST];
        bool converged = false;
        h[k] = (m->t_end - m->t0) / steps;
        const dfl_solver_options options = {.form = form,
                                            .integrator = method->integrator,
                                            .order = method->order,
                                            .rtol = 1e-8, /* with 1e-8: increments of 5e-15 */
                                            .newton.tolerance = 1e-8,
                                            .newton.iterations = 50,
                                            .newton.updates = 5,
                                            .constraints.renewal = DFL_RENEW_ALWAYS,
                                            .step = {.fixed = h[k], .accept_unconverged = true}};
        const dfl_status status =
            orders_run(x, found.message, &converged, m, m->t0, m->x0, m->t_end, &options);
        done = status == DFL_INVALID;
        any = any || !status;
        found.status = any ? DFL_OK : status;
        bool all_rounding = !status;
        for (int i = 0; i < ORDERS_KINDS && !status; i++) {
            error[i][k] = 0;
            for (int j = m->first[i]; j < m->last[i]; j++)
                error[i][k] = fmax(error[i][k], fabs(x[j] - m->x[j]) / fmax(1, fabs(m->x[j])));
            const bool rounding = error[i][k] < orders_floor(i, form, h[k], steps);
            tells[i][k] = converged && !rounding && error[i][k] < 0.1;
            all_rounding = all_rounding && rounding;
        }
        done = done || all_rounding;
    }
    for (int i = 0; i < ORDERS_KINDS; i++)
        found.order[i] = orders_slope(h, error[i], tells[i]);
    return found;
}

#endif
