/* switch_derivatives.c: derivatives by parameters where branches change.

   The instant t* at which a switching function phi passes zero depends on the parameters, and the state
   follows other rates afterwards:

       t*_theta = -(phi_x x_theta + phi_theta) / phi',      x_theta+ = x_theta- + (x'- - x'+) t*_theta

   for positions, velocities and dynamic variables; all others follow from these. */
#include "solver/switching.h"

#include <driftless/gradient.h>

#include <math.h>
#include <string.h>

static dfl_status find_instant(dfl_solver *solver);
static dfl_status refuse(const dfl_solver *solver, const char *why);

dfl_status dfl_solver_approach_switch(dfl_solver *solver)
{
    const dfl_stepper *st = solver->stepper;
    if (!solver->derivatives.tangents)
        return DFL_OK;
    dfl_stepper_rates(solver->derivatives.rates, st, &st->here);
    memcpy(solver->derivatives.before, st->here.x, (size_t)solver->sys.n * sizeof *st->here.x);
    return find_instant(solver);
}

/* The derivatives of the time at which functions pass zero, and how far those differ that do so
   together. */
static dfl_status find_instant(dfl_solver *solver)
{
    const dfl_parameters *by = &solver->derivatives.parameters;
    const dfl_switching *sw = solver->switching;
    const double t = solver->stepper->t, *x = dfl_solver_state(solver);
    const double *X = dfl_solver_derivatives(solver).x, *xp = solver->derivatives.rates;
    double *slope = solver->derivatives.slope, *instant = solver->derivatives.instant;
    double *slack = solver->derivatives.slack;
    bool found = false;
    memset(slack, 0, (size_t)by->count * sizeof *slack);
    for (int i = 0; i < solver->options.switches.count; i++) {
        double rate = 0;
        if (!sw->crossed[i])
            continue;
        if (!by->crossing)
            return refuse(solver, "how its switches depend on the parameters is not known");
        if (by->crossing(&rate, slope, i, t, x, xp + solver->sys.na, X, by->user))
            return dfl_switching_stopped(solver, "crossing");
        for (int j = 0; j < by->count; j++) {
            const double value = slope[j] == 0 ? 0 : -slope[j] / rate;
            if (!isfinite(value))
                return refuse(solver, "a switching function only touches zero");
            if (found)
                slack[j] = fmax(slack[j], fabs(value - instant[j]));
            else
                instant[j] = value;
        }
        found = true;
    }
    if (!found)
        memset(instant, 0, (size_t)by->count * sizeof *instant);
    return DFL_OK;
}

/* Whether velocities or positions have jumped. */
static bool has_jumped(const dfl_solver *solver)
{
    const dfl_system *sys = &solver->sys;
    const double *x = solver->stepper->here.x, *before = solver->derivatives.before;
    const double *weight = dfl_stepper_weights(solver->stepper);
    for (int i = sys->at.r; i < sys->n; i++)
        if (!(fabs(x[i] - before[i]) * weight[i] <= 1))
            return true;
    return false;
}

/* Whether it matters which of several switches comes first: rates jump, and their times differ. */
static bool is_ambiguous(const dfl_solver *solver, const double *after)
{
    const dfl_parameters *by = &solver->derivatives.parameters;
    const double *weight = dfl_stepper_weights(solver->stepper);
    for (int j = 0; j < by->count; j++)
        for (int i = solver->sys.at.r; i < solver->sys.n; i++) {
            const double jump = fabs(solver->derivatives.rates[i] - after[i]);
            const double size = by->size ? fmax(fabs(by->size[j]), 1) : 1;
            if (!(jump * solver->derivatives.slack[j] * size * weight[i] <= 1e-2))
                return true;
        }
    return false;
}

dfl_status dfl_solver_leave_switch(dfl_solver *solver)
{
    const dfl_stepper *st = solver->stepper;
    const dfl_system *sys = &solver->sys;
    double *X = solver->derivatives.values, *after = solver->x_stop;
    if (!solver->derivatives.tangents)
        return DFL_OK;
    if (has_jumped(solver))
        return refuse(solver, "the state jumps");
    dfl_stepper_rates(after, st, &st->here);
    if (is_ambiguous(solver, after))
        return refuse(solver, "several switches coincide, whose times depend on the parameters "
                              "differently");
    for (int j = 0; j < solver->derivatives.parameters.count; j++)
        for (int i = sys->at.r; i < sys->n; i++)
            if (i < sys->at.sp || i >= sys->at.p) /* contact variables follow from positions */
                X[(size_t)j * (size_t)sys->nu + (size_t)(i - sys->na)] +=
                    (solver->derivatives.rates[i] - after[i]) * solver->derivatives.instant[j];
    return dfl_solver_derivatives_failed(
        solver, dfl_tangents_start(solver->derivatives.tangents, solver->stepper, X));
}

static dfl_status refuse(const dfl_solver *solver, const char *why)
{
    return dfl_fail(solver->ctx, DFL_INVALID,
                    "derivatives by parameters cannot be followed beyond t = %.10g: %s",
                    solver->stepper->t, why);
}
