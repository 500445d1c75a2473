/* restart.c: the state after an instant at which branches change or events act. */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <math.h>
#include <string.h>

static dfl_status contradiction(dfl_solver *solver, dfl_status status, double t);
static dfl_status check_jump(dfl_solver *solver, double t);
static dfl_status decide_rows_again(dfl_solver *solver, double t);

/* What depends on the branch at the present positions: velocities where a motion has a kink or an
   event acts, accelerations, multipliers, auxiliary variables. */
dfl_status dfl_switching_jump(dfl_solver *solver)
{
    const dfl_change *change = &solver->switching->change;
    const double t = solver->stepper->t;
    const dfl_jump jump = {.before = dfl_solver_state(solver),
                           .impulse = change->impulse,
                           .assigned = change->assigned};
    const dfl_status refused = dfl_switching_refuse_actions(solver);
    if (refused)
        return refused;
    memcpy(solver->x, change->x, (size_t)solver->sys.nu * sizeof *solver->x);
    dfl_status status = dfl_initial_jump(solver->x, &solver->initial, t, &jump);
    if (status)
        return contradiction(solver, status, t);
    status = check_jump(solver, t);
    bool modes = false;
    if (!status)
        status = dfl_switching_tell_switch(solver, t, &jump);
    if (!status)
        status = dfl_solver_meet_acting(solver, change->met);
    if (!status)
        status = dfl_contacts_resolve(&modes, solver, t);
    if (status)
        return status;
    return change->rows || modes ? decide_rows_again(solver, t) : dfl_solver_place_start(solver, t);
}

/* What events have set, or what other branches ask for, contradicts the constraints. */
static dfl_status contradiction(dfl_solver *solver, dfl_status status, double t)
{
    char names[4 * DFL_SWITCH_NAME];
    dfl_switching_name_crossed(names, sizeof names, solver);
    return dfl_fail(solver->ctx, status, "%s %s at t = %.10g contradicts the constraints: %s",
                    solver->switching->change.acted ? "the set of" : "the switch of", names, t,
                    dfl_message(solver->ctx));
}

dfl_status dfl_solver_refresh(dfl_solver *solver, const dfl_conditions *conditions)
{
    const double t = solver->stepper->t;
    bool modes = false;
    if (!solver->started)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "call dfl_solver_start before dfl_solver_refresh");
    dfl_solver_forget_derivatives(solver);
    if (solver->switching)
        memset(solver->switching->crossed, 0,
               (size_t)solver->options.switches.count * sizeof *solver->switching->crossed);
    memcpy(solver->x, dfl_solver_state(solver), (size_t)solver->sys.nu * sizeof *solver->x);
    dfl_status status = dfl_initial_complete(solver->x, &solver->initial, t, conditions);
    if (!status)
        status = dfl_contacts_resolve(&modes, solver, t);
    if (!status)
        status = dfl_system_decide(&solver->sys, t, solver->x, solver->sys.carried);
    if (!status)
        status = dfl_solver_lay_out(solver, t);
    if (!status && dfl_formulation_least_multipliers(&solver->stepper->here, solver->form))
        status = dfl_switching_stopped(solver, "eval");
    if (!status)
        dfl_stepper_resume(solver->stepper);
    if (!status && solver->switching)
        status = dfl_switching_catch_up(solver);
    solver->present = &solver->stepper->here;
    return dfl_solver_note_failure(solver, status);
}

/* Rows were switched on or off: ranks and free directions are others. */
static dfl_status decide_rows_again(dfl_solver *solver, double t)
{
    dfl_initial *init = &solver->initial;
    dfl_system_row_sizes(init->row_size, &init->sys, &init->point, init->x);
    dfl_formulation_bind(solver->form);
    dfl_status status = dfl_solver_place_start(solver, t);
    if (!status)
        status = dfl_formulation_ranks(solver->form, &solver->stepper->here, init->row_size);
    if (!status && dfl_formulation_least_multipliers(&solver->stepper->here, solver->form))
        status = dfl_switching_stopped(solver, "eval");
    return status;
}

/* Positions cannot jump unless they are assigned; velocities jump where constraints have a kink,
   which is told. */
static dfl_status check_jump(dfl_solver *solver, double t)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const dfl_change *change = &solver->switching->change;
    const double *before = dfl_solver_state(solver), *after = solver->x;
    double *tolerance = solver->switching->tolerance;
    char name[64];
    dfl_solver_tolerances_at(tolerance, solver, before);
    for (int i = at.p; i < at.n; i++)
        if (!change->assigned[i] && fabs(after[i] - before[i]) > 100 * tolerance[i]) {
            dfl_eom_name(name, sizeof name, solver->eom, DFL_KIND_P, i - at.p);
            return dfl_fail(solver->ctx, DFL_INCONSISTENT,
                            "%s at t = %.10g: %s would have to jump by %.3g; bodies cannot",
                            change->rows ? "a constraint cannot be closed" : "a constraint jumps",
                            t, name, after[i] - before[i]);
        }
    const double largest = dfl_switching_jumps(solver, t, before);
    if (largest > 0 && !change->acted && !change->rows) {
        char names[4 * DFL_SWITCH_NAME];
        dfl_switching_name_crossed(names, sizeof names, solver);
        dfl_log(&solver->options, DFL_LOG_WARNING,
                "a constraint or a prescribed motion has a kink at t = %.10g (%s): velocities jump "
                "there, by %.4g at most",
                t, names, largest);
    }
    return DFL_OK;
}

double dfl_switching_jumps(dfl_solver *solver, double t, const double *before)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    double *tolerance = solver->switching->tolerance, largest = 0;
    double *change = solver->switching->probe + 2 * solver->options.switches.count;
    dfl_solver_tolerances_at(tolerance, solver, before);
    for (int i = at.v; i < at.s; i++) {
        const double dv = solver->x[i] - before[i];
        change[i - at.v] = fabs(dv) > 100 * tolerance[i] ? dv : 0;
        largest = fmax(largest, fabs(change[i - at.v]));
    }
    return largest > 0 && dfl_initial_has_momentum(&solver->initial, t, solver->x, change) ? largest
                                                                                           : 0;
}

dfl_status dfl_switching_report(dfl_solver *solver, bool after)
{
    const dfl_output_options *out = &solver->options.output;
    const dfl_layout at = dfl_eom_layout(solver->eom);
    double *before = solver->switching->before, *tolerance = solver->switching->tolerance;
    const double *x = dfl_solver_state(solver), t = solver->stepper->t;
    bool jumped = !after;
    if (after)
        dfl_solver_tolerances_at(tolerance, solver, x);
    else
        memcpy(before, x, (size_t)solver->sys.nu * sizeof *before);
    for (int i = at.r; i < at.n; i++)
        jumped = jumped || fabs(x[i] - before[i]) > 100 * tolerance[i];
    if (!jumped || !out->on_jump || !out->on_jump(t, x, after, solver->options.user))
        return DFL_OK;
    return dfl_fail(solver->ctx, DFL_STOPPED, "on_jump stopped the run at t = %.10g", t);
}
