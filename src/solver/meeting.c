/* meeting.c: a state that another integrator has reached, in the branches and modes of this solver:
   what has passed zero on the way happens there. */
#include "solver/solver_internal.h"
#include "solver/switching.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LOOKS = 24 };                   /* ahead in time, ... */
static const double first_look = 1e-4; /* ... s, each twice as far as the last one */

static dfl_status mark_passed(bool *any, dfl_solver *solver);

dfl_status dfl_solver_meet(dfl_solver *solver, double t, const double *x)
{
    bool any = false;
    if (!solver->started)
        return dfl_fail(solver->ctx, DFL_INVALID, "call dfl_solver_start before dfl_solver_meet");
    dfl_solver_forget_derivatives(solver);
    solver->cut = NAN;
    memcpy(solver->x, x, (size_t)solver->sys.nu * sizeof *x);
    dfl_status status = dfl_initial_complete(solver->x, &solver->initial, t, NULL);
    if (!status)
        status = dfl_system_decide(&solver->sys, t, solver->x, solver->sys.carried);
    if (!status)
        status = dfl_solver_lay_out(solver, t);
    if (!status && dfl_formulation_least_multipliers(&solver->stepper->here, solver->form))
        status = dfl_switching_stopped(solver, "eval");
    if (!status)
        dfl_stepper_resume(solver->stepper);
    if (!status && solver->switching) {
        status = mark_passed(&any, solver);
        if (!status && any)
            status = dfl_switching_change(solver);
    }
    solver->unreported = solver->event_found = solver->approached = false;
    solver->sense = 0;
    solver->present = &solver->stepper->here;
    return dfl_solver_note_failure(solver, status);
}

/* Functions that are negative and do not rise, or zero up to their noise and falling (slopes of
   multipliers are not known, and zero); those of time by their values a rounding later, and the one
   that was announced for now. */
static dfl_status mark_passed(bool *any, dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    const double t = solver->stepper->t;
    const bool announced = t == sw->instant;
    sw->pending = false;
    sw->instant = INFINITY;
    sw->horizon = t;
    if (dfl_switching_noise(sw->noise, t, dfl_solver_state(solver), solver))
        return dfl_switching_stopped(solver, "noise");
    dfl_status status = dfl_switching_slopes(solver);
    if (!status)
        status = dfl_switching_values(solver);
    for (int i = opt->instants; !status && i < opt->count; i++) {
        const double value = sw->value[i], slope = sw->search.bounds[i].slope_high;
        sw->crossed[i] = value < -sw->noise[i] || (value < 0 && slope <= 0) ||
                         (value <= sw->noise[i] && slope < 0);
        *any = *any || sw->crossed[i];
    }
    if (!status && opt->instants > 0 &&
        opt->eval(sw->value, opt->instants, t + 64 * DBL_EPSILON * fabs(t), NULL, opt->user))
        status = dfl_switching_stopped(solver, "switches.eval");
    for (int i = 0; !status && i < opt->instants; i++) {
        sw->crossed[i] = sw->value[i] < 0 || (announced && i == sw->instant_of);
        *any = *any || sw->crossed[i];
    }
    return status;
}

/* ------------------------------------------------------------------------------- instants ahead */

dfl_status dfl_solver_next_instant(double *t, dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    double look = first_look;
    dfl_status status = DFL_OK;
    *t = INFINITY;
    if (!solver->started || !sw || solver->options.switches.instants == 0)
        return DFL_OK;
    sw->instant = INFINITY;
    for (int i = 0; !status && !isfinite(sw->instant) && i < LOOKS; i++, look *= 2)
        status = dfl_switching_look_ahead(solver, look);
    *t = isfinite(sw->instant) ? sw->instant : sw->horizon;
    return status;
}
