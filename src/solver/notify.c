/* What a run reports to its user: output on a grid, after every step, and at located events.

   Several events of a step come in their order (search.c finds them). An event that ends the run
   also ends its step; outputs up to it belong to that shorter step. A step whose report a callback
   interrupted is reported to its end by the next advance. */
#include "solver/solver_internal.h"

#include <math.h>
#include <string.h>

static dfl_status outputs_until(dfl_solver *solver, double t);
static dfl_status approach_events(dfl_solver *solver);
static dfl_status meet_events(dfl_solver *solver);
static dfl_status end_at_event(dfl_solver *solver, int event);

static dfl_status call_output(dfl_solver *solver, double t, const double *x)
{
    const dfl_solver_options *opt = &solver->options;
    if (opt->output.on_output && opt->output.on_output(t, x, opt->user))
        return dfl_fail(solver->ctx, DFL_STOPPED, "on_output stopped the run at t = %.10g", t);
    return DFL_OK;
}

dfl_status dfl_solver_report_start(dfl_solver *solver)
{
    const dfl_solver_options *opt = &solver->options;
    const double t = solver->stepper->t, *x = dfl_solver_state(solver);
    dfl_status status = DFL_OK;
    if (opt->events.count > 0)
        status = dfl_solver_event_values(solver->value_old, solver, t, x);
    if (!status)
        status = call_output(solver, t, x);
    solver->outputs = 1;
    solver->fresh = true;
    if (!status && opt->output.on_step && opt->output.on_step(solver, t, t, x, opt->user))
        status = dfl_fail(solver->ctx, DFL_STOPPED, "on_step stopped the run at t = %.10g", t);
    return status;
}

dfl_status dfl_solver_report_step(dfl_solver *solver)
{
    const dfl_solver_options *opt = &solver->options;
    const dfl_stepper *st = solver->stepper;
    const bool whole = isnan(solver->cut);
    const double t_old = st->t_old, t = whole ? st->t : solver->cut;
    if (!solver->unreported)
        solver->reported = t_old;
    solver->unreported = true;
    while (opt->events.count > 0 && (solver->event_found || solver->reported != t)) {
        dfl_status status = solver->event_found ? DFL_OK : dfl_solver_find_events(solver, t);
        if (!status && solver->event_found)
            status = approach_events(solver);
        if (!status && solver->event_found)
            status = outputs_until(solver, solver->event_time);
        if (!status && solver->event_found)
            status = meet_events(solver);
        if (status)
            return status;
    }
    dfl_status status = outputs_until(solver, t);
    if (status)
        return status;
    solver->unreported = false;
    if (opt->output.on_step &&
        opt->output.on_step(solver, t_old, t, whole ? dfl_solver_state(solver) : solver->x_cut,
                            opt->user))
        status = dfl_fail(solver->ctx, DFL_STOPPED, "on_step stopped the run at t = %.10g", t);
    return status;
}

dfl_status dfl_solver_report_again(dfl_solver *solver, double t_end)
{
    const dfl_solver_options *opt = &solver->options;
    const double t = solver->stepper->t, sense = t_end < t ? -1 : 1;
    if (sense == solver->sense)
        return solver->unreported ? dfl_solver_report_step(solver) : DFL_OK;
    solver->unreported = solver->event_found = solver->approached = false;
    if (opt->events.count > 0) {
        dfl_status status =
            dfl_solver_event_values(solver->value_old, solver, t, dfl_solver_state(solver));
        if (status)
            return status;
    }
    solver->fresh = true;
    for (int i = 0; i < opt->events.count; i++) /* an event met here is not met again */
        if (solver->found[i] && solver->event_time == t)
            solver->value_old[i] = 0;
    if (opt->output.every > 0)
        solver->outputs = (long)floor(sense * (t - solver->t0) / opt->output.every + 1e-9) + 1;
    solver->sense = sense;
    return DFL_OK;
}

dfl_status dfl_solver_report_end(dfl_solver *solver)
{
    const double t = solver->stepper->t, every = solver->options.output.every;
    const double last =
        solver->t0 + dfl_solver_direction(solver) * every * (double)(solver->outputs - 1);
    if (every > 0 && fabs(last - t) <= 1e-9 * every)
        return DFL_OK;
    dfl_status status =
        dfl_solver_interpolate(solver->x_event, solver, t, solver->options.output.project);
    return status ? status : call_output(solver, t, solver->x_event);
}

static dfl_status outputs_until(dfl_solver *solver, double t)
{
    const dfl_solver_options *opt = &solver->options;
    const double sign = dfl_solver_direction(solver);
    dfl_status status = DFL_OK;
    while (!status && opt->output.every > 0 && opt->output.on_output) {
        double at = solver->t0 + sign * opt->output.every * (double)solver->outputs;
        if (sign * (at - t) > 1e-9 * opt->output.every)
            break;
        if (fabs(at - t) <= 1e-9 * opt->output.every)
            at = t;
        status = dfl_solver_continuous(solver->x_event, solver, at, opt->output.project);
        if (!status)
            status = call_output(solver, at, solver->x_event);
        solver->outputs++;
    }
    return status;
}

/* Repeats the step of a terminal event so that it ends there. If that is impossible, keeps the
   event's state, on the constraints, from the continuous output. Once: outputs before the event may
   stop the run. */
static dfl_status approach_events(dfl_solver *solver)
{
    const dfl_solver_options *opt = &solver->options;
    const double located = solver->event_time;
    if (solver->approached)
        return DFL_OK;
    solver->stopping = -1;
    solver->landed = false;
    for (int i = opt->events.count - 1; i >= 0; i--)
        if (solver->found[i] && opt->events.kinds && opt->events.kinds[i].terminal)
            solver->stopping = i;
    const bool terminal = solver->stopping >= 0;
    dfl_status status =
        dfl_solver_continuous(solver->x_stop, solver, located, terminal || opt->output.project);
    if (terminal)
        dfl_solver_unfollow_step(solver);
    solver->landed = !status && terminal && dfl_solver_land(solver, solver->stopping);
    solver->derivatives.off_event = terminal && !solver->landed;
    if (!status && terminal)
        status = dfl_solver_follow_step(solver);
    if (solver->landed)
        memcpy(solver->x_stop, dfl_solver_state(solver),
               (size_t)solver->sys.nu * sizeof *solver->x_stop);
    else
        solver->event_time = located;
    solver->approached = solver->event_found = !status;
    return status;
}

/* Calls on_event for all events at event_time, whose state is x_stop. */
static dfl_status meet_events(dfl_solver *solver)
{
    const dfl_solver_options *opt = &solver->options;
    const double t = solver->event_time;
    const bool terminal = solver->stopping >= 0;
    int stopping = solver->stopping;
    dfl_status status = DFL_OK;
    solver->event_found = solver->approached = false;
    for (int i = 0; i < opt->events.count; i++) {
        if (!solver->found[i])
            continue;
        solver->stats.events++;
        if (opt->events.on_event &&
            opt->events.on_event(i, solver->found[i], t, solver->x_stop, opt->user) && stopping < 0)
            stopping = i;
    }
    if (stopping < 0)
        return DFL_OK;
    if (!terminal && !opt->output.project)
        status = dfl_solver_continuous(solver->x_stop, solver, t, true);
    return status ? status : end_at_event(solver, stopping);
}

static dfl_status stopped_by(dfl_solver *solver, int event, double t)
{
    char name[DFL_SWITCH_NAME];
    dfl_solver_event_name(name, sizeof name, event, solver);
    return dfl_fail(solver->ctx, DFL_STOPPED, "%s stopped the run at t = %.10g", name, t);
}

static dfl_status meet_here(dfl_solver *solver, int event, int direction)
{
    const dfl_solver_options *opt = &solver->options;
    const double t = solver->stepper->t, *x = dfl_solver_state(solver);
    solver->stats.events++;
    if (opt->events.on_event && opt->events.on_event(event, direction, t, x, opt->user))
        return stopped_by(solver, event, t);
    return DFL_OK;
}

dfl_status dfl_solver_meet_acting(dfl_solver *solver, const signed char *met)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && met && i < solver->options.events.count; i++)
        if (met[i])
            status = meet_here(solver, i, met[i]);
    return status;
}

dfl_status dfl_solver_meet_impact(dfl_solver *solver, int event)
{
    return event < 0 || event >= solver->options.events.count ? DFL_OK
                                                              : meet_here(solver, event, -1);
}

/* The step ends here, at (event_time, x_stop): the last call of on_step comes before this is made
   the present point, because the step can be interpolated only until then. */
static dfl_status end_at_event(dfl_solver *solver, int event)
{
    const dfl_solver_options *opt = &solver->options;
    const dfl_stepper *st = solver->stepper;
    const double t = solver->event_time;
    const bool evaluated = solver->landed || dfl_solver_evaluate_beside(solver, t, solver->x_stop);
    solver->present = solver->landed ? &st->here : evaluated ? &st->next : NULL;
    if (opt->output.on_step)
        opt->output.on_step(solver, st->t_old, t, solver->x_stop, opt->user);
    solver->present = &st->here;
    solver->unreported = false;
    solver->cut = NAN; /* what was found behind the event will be found again */
    if (!evaluated)
        return dfl_fail(solver->ctx, DFL_CALLBACK, "eval fails at the event, t = %.10g", t);
    if (!solver->landed)
        dfl_solver_stand_beside(solver);
    return stopped_by(solver, event, t);
}
