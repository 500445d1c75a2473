/* owners.c: what the switching functions of a run belong to, the present modes, and the energy in the
   present branches. */
#include "engine/engine_internal.h"

#include <math.h>

int dfl_runnable_functions(const dfl_runnable *run)
{
    return run->switches.count;
}

dfl_expr dfl_runnable_condition(const dfl_runnable *run, int function)
{
    return run->switches.item[run->switches.watched[function].number].condition;
}

dfl_owner dfl_runnable_owner(const dfl_runnable *run, int function)
{
    const dfl_switches *sw = &run->switches;
    const int item = sw->watched[function].number;
    if (item < sw->lock->count)
        return (dfl_owner){DFL_OWNER_SWITCH, item};
    if (item < sw->first_contact)
        return (dfl_owner){DFL_OWNER_ACTION, item - sw->lock->count};
    return (dfl_owner){DFL_OWNER_CONTACT, (item - sw->first_contact) / DFL_CONTACT_ITEMS};
}

double dfl_runnable_branch(const dfl_runnable *run, int number)
{
    return run->branching.branch[number];
}

dfl_contact_mode dfl_runnable_mode(const dfl_runnable *run, int contact)
{
    return dfl_branching_mode(&run->branching, contact);
}

dfl_status dfl_switches_create_energy(dfl_runnable *run)
{
    dfl_expr energy = run->eq->energy;
    if (energy == DFL_NO_EXPR)
        return DFL_OK;
    const dfl_status status = dfl_lock(&energy, NULL, run->switches.lock, &energy, 1, false);
    return status ? status : dfl_program_create(&run->switches.energy, run, &energy, 1);
}

double dfl_runnable_branch_energy(const dfl_runnable *run, double t, const double *x)
{
    double energy = NAN, *out = &energy;
    if (run->eq->energy != DFL_NO_EXPR && run->switches.count > 0)
        dfl_runnable_evaluate(&run->switches.energy, run, t, x, NULL, &out);
    return energy;
}
