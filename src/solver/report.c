/* What a run tells its user: output on a grid, after every step, and at located events.

   Events are sought on the continuous output: a sign change between sample points of the step is
   narrowed by the Illinois variant of regula falsi. Several events of a step come in their order.
 */
#include "solver/solver_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = 4 }; /* intervals of a step in which sign changes are looked for */

static dfl_status outputs_until(dfl_solver *solver, double t);
static dfl_status find_event(dfl_solver *solver, double from, double to, double *when, int *which);
static dfl_status meet_event(dfl_solver *solver, double t, int event);
static dfl_status event_values(double *value, dfl_solver *solver, double t, const double *x);

/* +1 forward, -1 backward in time. */
static double direction(const dfl_solver *solver)
{
    return solver->radau.h_cont < 0 ? -1 : 1;
}

static dfl_status call_output(dfl_solver *solver, double t, const double *x)
{
    const dfl_solver_options *opt = &solver->options;
    if (opt->on_output && opt->on_output(t, x, opt->user))
        return dfl_fail(solver->ctx, DFL_STOPPED, "on_output stopped the run at t = %.10g", t);
    return DFL_OK;
}

dfl_status dfl_solver_report_start(dfl_solver *solver)
{
    const dfl_solver_options *opt = &solver->options;
    const double t = solver->radau.t, *x = dfl_solver_state(solver);
    dfl_status status = DFL_OK;
    if (opt->nevents > 0)
        status = event_values(solver->value_old, solver, t, x);
    if (!status)
        status = call_output(solver, t, x);
    solver->outputs = 1;
    if (!status && opt->on_step && opt->on_step(solver, t, t, x, opt->user))
        status = dfl_fail(solver->ctx, DFL_STOPPED, "on_step stopped the run at t = %.10g", t);
    return status;
}

dfl_status dfl_solver_report_step(dfl_solver *solver)
{
    const dfl_solver_options *opt = &solver->options;
    const dfl_radau *radau = &solver->radau;
    const double t_old = radau->t_old, t = radau->t;
    double from = t_old;
    dfl_status status = DFL_OK;
    while (opt->nevents > 0 && !status) {
        double when;
        int which;
        status = find_event(solver, from, t, &when, &which);
        if (status || which < 0)
            break;
        status = outputs_until(solver, when);
        if (!status)
            status = meet_event(solver, when, which);
        from = when;
    }
    if (!status)
        status = outputs_until(solver, t);
    if (!status && opt->on_step &&
        opt->on_step(solver, t_old, t, dfl_solver_state(solver), opt->user))
        status = dfl_fail(solver->ctx, DFL_STOPPED, "on_step stopped the run at t = %.10g", t);
    return status;
}

dfl_status dfl_solver_report_end(dfl_solver *solver)
{
    const double t = solver->radau.t, every = solver->options.every;
    const double last = solver->t0 + direction(solver) * every * (double)(solver->outputs - 1);
    if (every > 0 && fabs(last - t) <= 1e-9 * every)
        return DFL_OK;
    return call_output(solver, t, dfl_solver_state(solver));
}

/* The state at time t of the last step, projected if the options say so. */
static dfl_status state_at(double *x, dfl_solver *solver, double t, bool project)
{
    if (t == solver->radau.t) {
        memcpy(x, dfl_solver_state(solver), (size_t)solver->sys.nu * sizeof *x);
        return DFL_OK;
    }
    return dfl_solver_interpolate(x, solver, t, project);
}

static dfl_status outputs_until(dfl_solver *solver, double t)
{
    const dfl_solver_options *opt = &solver->options;
    const double sign = direction(solver);
    dfl_status status = DFL_OK;
    while (!status && opt->every > 0 && opt->on_output) {
        double at = solver->t0 + sign * opt->every * (double)solver->outputs;
        if (sign * (at - t) > 1e-9 * opt->every)
            break;
        if (fabs(at - t) <= 1e-9 * opt->every)
            at = t;
        status = state_at(solver->x_event, solver, at, opt->project_output);
        if (!status)
            status = call_output(solver, at, solver->x_event);
        solver->outputs++;
    }
    return status;
}

static dfl_status event_values(double *value, dfl_solver *solver, double t, const double *x)
{
    const dfl_solver_options *opt = &solver->options;
    if (opt->event(value, t, x, opt->user))
        return dfl_fail(solver->ctx, DFL_CALLBACK, "event stopped the computation at t = %.10g", t);
    for (int i = 0; i < opt->nevents; i++)
        if (!isfinite(value[i]))
            return dfl_fail(solver->ctx, DFL_NOT_FINITE, "event %d is %g at t = %.10g", i, value[i],
                            t);
    return DFL_OK;
}

static dfl_status values_at(double *value, dfl_solver *solver, double t)
{
    dfl_status status = state_at(solver->x_event, solver, t, false);
    return status ? status : event_values(value, solver, t, solver->x_event);
}

/* Whether event i passes zero from `before` to `after` in its wanted direction. */
static bool passes(const dfl_solver *solver, int i, double before, double after)
{
    const dfl_event_kind *kinds = solver->options.event_kinds;
    const int wanted = kinds ? kinds[i].direction : 0;
    if (before == 0 || (before > 0) == (after > 0))
        return false;
    return wanted == 0 || (wanted > 0 ? after >= 0 && before < 0 : after <= 0 && before > 0);
}

/* The zero of event i between a (value fa) and b (value fb), by the Illinois method. */
static dfl_status locate(double *root, dfl_solver *solver, int i, double a, double fa, double b,
                         double fb)
{
    const double tolerance = 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
    dfl_status status = DFL_OK;
    int side = 0;
    for (int it = 0; it < 100 && fabs(b - a) > tolerance && fb != 0; it++) {
        double m = it % 8 == 7 ? 0.5 * (a + b) : (fb * a - fa * b) / (fb - fa);
        status = values_at(solver->value_probe, solver, m);
        if (status)
            return status;
        const double fm = solver->value_probe[i];
        if ((fm > 0) == (fb > 0) && fm != 0) {
            b = m, fb = fm;
            fa *= side == -1 ? 0.5 : 1;
            side = -1;
        } else {
            if (fm == 0) {
                b = m;
                break;
            }
            a = m, fa = fm;
            fb *= side == 1 ? 0.5 : 1;
            side = 1;
        }
    }
    *root = b;
    return status;
}

/* The first event after `from`; *which = -1 if there is none. value_old moves along. */
static dfl_status find_event(dfl_solver *solver, double from, double to, double *when, int *which)
{
    const int nevents = solver->options.nevents;
    const double sign = direction(solver);
    double a = from;
    *which = -1;
    for (int k = 1; k <= SAMPLES && *which < 0 && from != to; k++) {
        const double b = k == SAMPLES ? to : from + (to - from) * k / SAMPLES;
        dfl_status status = values_at(solver->value, solver, b);
        for (int i = 0; !status && i < nevents; i++) {
            double root;
            if (!passes(solver, i, solver->value_old[i], solver->value[i]))
                continue;
            status = locate(&root, solver, i, a, solver->value_old[i], b, solver->value[i]);
            if (!status && (*which < 0 || sign * (root - *when) < 0))
                *when = root, *which = i;
        }
        if (status)
            return status;
        if (*which < 0) {
            memcpy(solver->value_old, solver->value, (size_t)nevents * sizeof(double));
            a = b;
        }
    }
    if (*which < 0)
        return DFL_OK;
    /* go on from just behind the event, with the sign it has there */
    const double after = solver->value[*which];
    dfl_status status = values_at(solver->value_old, solver, *when);
    solver->value_old[*which] = after;
    return status;
}

/* Calls on_event; a terminal event makes the event's state, moved onto the constraints, the
 * present. */
static dfl_status meet_event(dfl_solver *solver, double t, int event)
{
    const dfl_solver_options *opt = &solver->options;
    const bool terminal = opt->event_kinds && opt->event_kinds[event].terminal;
    double *x = solver->x_event;
    const int sense = solver->value_old[event] > 0 ? 1 : -1;
    solver->stats.events++;
    dfl_status status = state_at(x, solver, t, opt->project_output || terminal);
    if (status)
        return status;
    const bool stop = opt->on_event && opt->on_event(event, sense, t, x, opt->user);
    if (!terminal && !stop)
        return DFL_OK;
    if (!terminal)
        status = state_at(x, solver, t, true);
    if (!status)
        status = dfl_solver_stand_at(solver, t, x);
    return status ? status
                  : dfl_fail(solver->ctx, DFL_STOPPED, "event %d stopped the run at t = %.10g",
                             event, t);
}
