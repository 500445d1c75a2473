/* backwards.c: what cannot be undone. Impacts lose energy, friction that sticks has forgotten how
   it came to rest, events assign: states before them do not follow from states after them, so that
   runs with falling time end there. */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <stdio.h>

static dfl_status refuse(const dfl_solver *solver, const char *what)
{
    return dfl_fail(
        solver->ctx, DFL_INVALID,
        "time runs backwards, and %s cannot be undone at t = %.10g: what was before does "
        "not follow from what is after it",
        what, solver->stepper->t);
}

dfl_status dfl_switching_refuse_sticking(const dfl_solver *solver)
{
    const dfl_contacts *c = solver->contacts;
    for (int i = 0; c && i < c->count; i++)
        if (c->mode[i].stick) {
            char name[DFL_SWITCH_NAME];
            snprintf(name, sizeof name, "'%.100s', which sticks,",
                     solver->options.switches.contacts.contacts[i].name);
            return refuse(solver, name);
        }
    return DFL_OK;
}

dfl_status dfl_switching_refuse_actions(dfl_solver *solver)
{
    const dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    bool acts = sw->change.acted || sw->change.rows;
    for (int i = opt->instants; opt->contact && i < opt->count; i++)
        acts = acts || (sw->crossed[i] && !dfl_switching_is_branch(solver, i));
    if (!acts || solver->sense >= 0)
        return DFL_OK;
    char names[4 * DFL_SWITCH_NAME];
    dfl_switching_name_crossed(names, sizeof names, solver);
    return refuse(solver, names);
}
