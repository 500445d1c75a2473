/* The end of a run at an event: with the accuracy of a step, not of the continuous output, whose order is lower.

   From the beginning of the step in which the event was found, the integrator goes to the located time with steps of
   its own; there the event function is not quite zero, and some steps of Newton's iteration for the time, each a very
   short step of the integrator, make it so. Methods that remember earlier steps would have to begin anew with a low
   order; their continuous output has the order of the method. */
#include "solver/solver_internal.h"

#include <float.h>
#include <math.h>

static void sharpen(dfl_scale *scale);
static dfl_status go_to(dfl_solver *solver, double t);
static dfl_status value_at(double *value, dfl_solver *solver, int event, double t);

bool dfl_solver_land(dfl_solver *solver, int event)
{
    dfl_stepper *st = solver->stepper;
    const double h_step = st->h_old, h_next = st->h, longest = fabs(st->h_old);
    double value, before;
    if (st->class->remembers || !st->stepped)
        return false;
    const dfl_point end = st->here;
    st->here = st->next; /* where the step began */
    st->next = end;
    solver->stats.accepted--;
    dfl_stepper_start(st, solver->event_time - st->here.t);
    sharpen(&st->scale);
    dfl_status status = go_to(solver, solver->event_time);
    const double near = 1e-3 * st->h_old;
    if (!status)
        status = value_at(&before, solver, event, st->t - near);
    if (!status)
        status = value_at(&value, solver, event, st->t);
    const double slope = status ? 0 : (value - before) / near;
    for (int it = 0; !status && it < 5 && value != 0; it++) {
        const double t = st->t - value / slope;
        if (fabs(t - st->t) <= 4 * DBL_EPSILON * fabs(t))
            break;
        status = fabs(t - st->t) < longest ? go_to(solver, t) : DFL_NOT_CONVERGED;
        if (!status)
            status = value_at(&value, solver, event, st->t);
    }
    st->h = h_next;
    st->h_old = h_step; /* the direction of time */
    return !status;
}

/* A first step has no step before it to predict its stages from: what Newton's iteration leaves would be more than
   it usually is. Until the next start of the integrator. */
static void sharpen(dfl_scale *scale)
{
    const double lowest = 100 * DBL_EPSILON / scale->smallest_rtol;
    const double wanted = fmax(lowest, 0.01 * scale->newton_tolerance);
    scale->newton_tolerance = fmin(scale->newton_tolerance, wanted);
}

static dfl_status go_to(dfl_solver *solver, double t)
{
    dfl_stepper *st = solver->stepper;
    long attempts_left = 1000;
    dfl_status status = DFL_OK;
    dfl_stepper_aim(st, t);
    while (!status && st->t != t) {
        status = dfl_stepper_step(st, t, &attempts_left);
        if (!status)
            dfl_solver_note_residuals(solver);
    }
    return status;
}

static dfl_status value_at(double *value, dfl_solver *solver, int event, double t)
{
    dfl_status status = dfl_solver_interpolate(solver->x_event, solver, t, false);
    if (!status)
        status = dfl_solver_event_values(solver->value_probe, solver, t, solver->x_event);
    *value = solver->value_probe[event];
    return status;
}
