/* run_inside.c: times inside the last step. Interpolation reaches them, and the next step begins
   where the last one ends, unless something changes before. */
#include "model/run_internal.h"

#include <math.h>

double dfl_run_now(const dfl_run *run)
{
    return isnan(run->shown) ? dfl_solver_time(run->sim.solver) : run->shown;
}

const double *dfl_run_state(const dfl_run *run)
{
    return isnan(run->shown) ? dfl_solver_state(run->sim.solver) : run->inside;
}

bool dfl_run_reaches(const dfl_run *run, double t)
{
    const double begin = dfl_solver_step_begin(run->sim.solver);
    const double end = dfl_solver_time(run->sim.solver);
    return (t - begin) * (end - t) > 0;
}

dfl_status dfl_run_show(dfl_run *run, double t)
{
    const dfl_solver_options *options = &run->settings.solver;
    const bool project = options->output.project && dfl_form_keeps_constraints(options->form);
    const dfl_status status = dfl_solver_interpolate(run->inside, run->sim.solver, t, project);
    if (!status)
        run->shown = t;
    run->known_at = NAN;
    return status;
}

dfl_status dfl_run_settle(dfl_run *run)
{
    const double t = run->shown;
    if (isnan(t))
        return DFL_OK;
    run->shown = run->known_at = NAN;
    run->stop_ahead = false;
    run->sim.stop_event = -1;
    return dfl_solver_step_back(run->sim.solver, t);
}
