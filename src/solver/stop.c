/* The end of a run at an event: with the accuracy of a step, not of the continuous output, whose
   order is lower.

   The step in which the event was found is taken again so that it ends at the located time. There
   the event function is not quite zero; some iterations of Newton's method for the time, each the
   same step with another end, make it zero. They go on until a step that began with the stages of a
   step with the same end confirms the zero: the error that Newton's iteration for the stages leaves
   depends on its starting values. The last step is then the one from where it began to the event.
   Methods that remember earlier steps would have to begin anew with a low order; their continuous
   output has the order of the method. */
#include "solver/solver_internal.h"

#include <float.h>
#include <math.h>

static dfl_status value_at(double *value, dfl_solver *solver, int event, double t);

bool dfl_solver_land(dfl_solver *solver, int event)
{
    dfl_stepper *st = solver->stepper;
    const double near = 1e-3 * (solver->event_time - st->t_old), longest = fabs(st->h_old);
    const double rounding = 4 * DBL_EPSILON * fabs(solver->event_time);
    double t = solver->event_time, value, before, change = near, last;
    if (dfl_stepper_remembers(st) || !st->stepped || near == 0)
        return false;
    for (int it = 0; it < 8; it++) {
        if (!dfl_stepper_retake(st, t))
            return false;
        solver->event_time = t;
        if (value_at(&before, solver, event, t - near) || value_at(&value, solver, event, t))
            return false;
        last = change;
        change = -value * near / (value - before);
        if ((fabs(change) <= rounding && fabs(last) <= rounding) ||
            !(fabs(t + change - st->t_old) <= longest)) /* or not a number */
            break;
        t += change;
    }
    dfl_solver_note_residuals(solver);
    return fabs(change) <= 1e-3 * fabs(near); /* otherwise steps do not confirm the zero */
}

static dfl_status value_at(double *value, dfl_solver *solver, int event, double t)
{
    dfl_status status = dfl_solver_interpolate(solver->x_event, solver, t, false);
    if (!status)
        status = dfl_solver_event_values(solver->value_probe, solver, t, solver->x_event);
    *value = solver->value_probe[event];
    return status;
}
