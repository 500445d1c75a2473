/* row_checks.c: energy and residuals of rows, at their own states. A row that a step ends at has
   those of the step; an interpolated one leaves the constraints by the error of the interpolation,
   which the largest residuals of a run must show. */
#include "study/study_internal.h"

#include <math.h>

static void note(double *largest, double residual)
{
    if (residual > *largest)
        *largest = residual;
}

static void take_largest(dfl_residuals *largest, const dfl_residuals *of)
{
    note(&largest->position, of->position);
    note(&largest->velocity, of->velocity);
    note(&largest->acceleration, of->acceleration);
    note(&largest->nonholonomic, of->nonholonomic);
    note(&largest->contact, of->contact);
    note(&largest->auxiliary, of->auxiliary);
    note(&largest->invariant, of->invariant);
    note(&largest->massless, of->massless);
}

void dfl_study_check_row(dfl_simulation *sim, double t, const double *x)
{
    const bool between = t != dfl_solver_time(sim->solver);
    if (!between && !sim->records_steps)
        return;
    const dfl_residuals residuals =
        between ? dfl_solver_residuals_at(sim->solver, t, x) : dfl_solver_residuals(sim->solver);
    const double energy = dfl_runnable_energy(sim->run, t, x);
    if (between) {
        take_largest(&sim->of_rows, &residuals);
        note(&sim->energy_drift, fabs(energy - sim->energy));
    }
    if (sim->record)
        dfl_record_check(sim->record, energy, &residuals);
}

void dfl_study_add_rows(dfl_statistics *statistics, const dfl_simulation *sim)
{
    take_largest(&statistics->max_residual, &sim->of_rows);
}
