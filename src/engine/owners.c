/* owners.c: what the switching functions of a run belong to, the present modes, and the energy in
   the present branches. */
#include "engine/engine_internal.h"

#include <math.h>

enum { DRIVE_ROWS = 3 }; /* momentum, rate, motion */

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

dfl_status dfl_switches_create_drives(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    dfl_switches *sw = &run->switches;
    dfl_expr *rows = dfl_alloc(run->ctx, DRIVE_ROWS * (size_t)model->motions.count, sizeof *rows);
    int count = 0;
    for (int i = 0; rows && i < model->motions.count; i++)
        if (model->motions.item[i].momentum != DFL_NO_EXPR) {
            rows[count++] = model->motions.item[i].momentum;
            rows[count++] = model->motions.item[i].rate;
            rows[count++] = model->motions.item[i].value;
        }
    sw->ndrives = count / DRIVE_ROWS;
    dfl_status status = rows ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_lock(rows, NULL, sw->lock, rows, count, false);
    if (!status)
        status = dfl_program_create(&sw->drives, run, rows, count);
    dfl_free(run->ctx, rows);
    return status;
}

int dfl_runnable_drives(const dfl_runnable *run)
{
    return run->switches.ndrives;
}

const char *dfl_runnable_drive_name(const dfl_runnable *run, int drive)
{
    const dfl_prescribed *motion = run->eq->model->motions.item;
    for (int left = drive;; motion++)
        if (motion->momentum != DFL_NO_EXPR && left-- == 0)
            return motion->name;
}

void dfl_runnable_drive_momenta(double *out, const dfl_runnable *run, double t, const double *x)
{
    if (run->switches.ndrives > 0)
        dfl_runnable_evaluate(&run->switches.drives, run, t, x, NULL, &out);
}

double dfl_runnable_branch_energy(const dfl_runnable *run, double t, const double *x)
{
    double energy = NAN, *out = &energy;
    if (run->eq->energy != DFL_NO_EXPR && run->switches.count > 0)
        dfl_runnable_evaluate(&run->switches.energy, run, t, x, NULL, &out);
    return energy;
}
