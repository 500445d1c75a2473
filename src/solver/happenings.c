/* happenings.c: what the user is told of an instant at which something changes. */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <math.h>
#include <string.h>

static bool acts(const dfl_solver *solver, const dfl_jump *jump);
static dfl_status tell(dfl_solver *solver, const dfl_instant *instant);

dfl_status dfl_switching_tell_switch(dfl_solver *solver, double t, const dfl_jump *jump)
{
    dfl_switching *sw = solver->switching;
    bool passed = sw->change.acted || sw->change.rows;
    if (!solver->options.output.on_instant)
        return DFL_OK;
    for (int i = 0; i < solver->options.switches.count; i++)
        passed = passed || sw->crossed[i];
    const bool jumped = acts(solver, jump) || dfl_switching_jumps(solver, t, jump->before) > 0;
    const bool known =
        jumped && dfl_impulses_take(&sw->impulses, &solver->initial, t, solver->x, jump);
    if (!passed && !jumped)
        return DFL_OK;
    return tell(solver, &(dfl_instant){.what = DFL_HAPPENS_SWITCH,
                                       .t = t,
                                       .before = jump->before,
                                       .after = solver->x,
                                       .crossed = sw->crossed,
                                       .met = sw->change.met,
                                       .along = known ? sw->impulses.along : NULL,
                                       .rows = known ? sw->impulses.rows : NULL,
                                       .contact = -1});
}

/* Whether impulses or assignments change velocities, however little. */
static bool acts(const dfl_solver *solver, const dfl_jump *jump)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    bool changed = false;
    for (int i = at.v; i < at.s; i++)
        changed = changed || jump->impulse[i - at.v] != 0 ||
                  (jump->assigned[i] && solver->x[i] != jump->before[i]);
    return changed;
}

dfl_status dfl_contacts_tell_impact(dfl_solver *solver, double t, int contact,
                                    const double *impulse)
{
    dfl_contacts *c = solver->contacts;
    dfl_impulses *impulses = &solver->switching->impulses;
    const int nv = solver->eom->nv;
    const double *W = c->W + CONTACT_ROWS * contact * nv;
    const dfl_jump jump = {.before = c->tried, .impulse = c->impulse, .assigned = c->assigned};
    if (!solver->options.output.on_instant)
        return DFL_OK;
    memset(c->impulse, 0, (size_t)nv * sizeof *c->impulse);
    for (int k = 0; k < CONTACT_ROWS; k++)
        for (int j = 0; j < nv; j++)
            c->impulse[j] += impulse[k] * W[k * nv + j];
    for (int i = 0; i < c->count; i++)
        c->trial[i] = (dfl_contact_mode){.closed = false};
    const dfl_status status = dfl_contacts_set(solver, c->trial);
    if (status)
        return status;
    const bool known = dfl_impulses_take(impulses, &solver->initial, t, c->x, &jump);
    return tell(solver, &(dfl_instant){.what = DFL_HAPPENS_IMPACT,
                                       .t = t,
                                       .before = c->tried,
                                       .after = c->x,
                                       .rows = known ? impulses->rows : NULL,
                                       .contact = contact,
                                       .impulse = {impulse[0], impulse[1], impulse[2]}});
}

dfl_status dfl_contacts_tell_modes(dfl_solver *solver, double t)
{
    const dfl_contacts *c = solver->contacts;
    if (!solver->options.output.on_instant)
        return DFL_OK;
    return tell(solver, &(dfl_instant){.what = DFL_HAPPENS_MODES,
                                       .t = t,
                                       .before = c->x,
                                       .after = c->tried,
                                       .contact = -1,
                                       .from = c->mode,
                                       .to = c->trial});
}

static dfl_status tell(dfl_solver *solver, const dfl_instant *instant)
{
    const dfl_solver_options *opt = &solver->options;
    return opt->output.on_instant(instant, opt->user)
               ? dfl_fail(solver->ctx, DFL_STOPPED, "on_instant stopped the run at t = %.10g",
                          instant->t)
               : DFL_OK;
}
