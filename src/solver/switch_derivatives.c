/* switch_derivatives.c: derivatives by parameters where branches change.

   The instant t* at which a switching function phi passes zero depends on the parameters, and the
   state follows other rates afterwards:

       t*_theta = -(phi_x x_theta + phi_theta) / phi'
       x_theta+ = x_theta- + (x'- - x'+) t*_theta

   for positions, velocities and dynamic variables; all others follow from these. Where events act
   or bodies meet, the state jumps, x+ = R(x-, t*, theta), and

       x_theta+ = R_x (x_theta- + x'- t*_theta) + R_t t*_theta + R_theta - x'+ t*_theta */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <driftless/gradient.h>

#include <math.h>
#include <string.h>

static dfl_status jump(dfl_solver *solver, const double *after);
static dfl_status start_again(dfl_solver *solver);
static bool changes_at_start(const dfl_solver *solver);
static dfl_status refuse(const dfl_solver *solver, const char *why);

dfl_status dfl_solver_approach_switch(dfl_solver *solver)
{
    const dfl_stepper *st = solver->stepper;
    if (!solver->derivatives.tangents)
        return DFL_OK;
    dfl_stepper_rates(solver->derivatives.rates, st, &st->here);
    const dfl_status status = dfl_solver_derivatives_failed(
        solver, dfl_tangents_rates(solver->derivatives.rates, solver->derivatives.tangents,
                                   solver->stepper));
    if (status)
        return status;
    memcpy(solver->derivatives.before, st->here.x, (size_t)solver->sys.n * sizeof *st->here.x);
    const dfl_status found = dfl_solver_find_instant(solver);
    return found ? found : dfl_solver_recorded_approach(solver);
}

/* The derivatives of the time at which functions pass zero, and how far those differ that do so
   together. */
dfl_status dfl_solver_find_instant(dfl_solver *solver)
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

/* Whether friction in two directions comes to rest. Its slip h vanishes there with all derivatives,
   those across it like (t* - t)^p; but the linearized equations contain 1/|h|, which rounding makes
   arbitrary where the last step ends. */
static bool rests_on_surface(const dfl_solver *solver)
{
    const dfl_contact_options *contacts = &solver->options.switches.contacts;
    const dfl_contact_mode *before = solver->switching->record.modes;
    bool found = false;
    for (int i = 0; i < contacts->count; i++)
        found = found || (dfl_contact_directions(&contacts->contacts[i]) == 2 && before[i].sense &&
                          solver->contacts->mode[i].stick);
    return found;
}

/* Whether velocities or positions have jumped; those along massless directions follow forces that
   jump. */
static bool has_jumped(const dfl_solver *solver)
{
    const dfl_system *sys = &solver->sys;
    const dfl_stepper *st = solver->stepper;
    const double *x = st->here.x, *before = solver->derivatives.before;
    const double *weight = dfl_stepper_weights(st);
    for (int i = sys->at.r; i < sys->n; i++)
        if (!(fabs(x[i] - before[i]) * weight[i] <= 1) && dfl_stepper_has_rate(st, &st->here, i))
            return true;
    return false;
}

/* Whether it matters which of several switches comes first: rates or states jump, and their times
   differ. */
static bool is_ambiguous(const dfl_solver *solver, const double *after)
{
    const dfl_parameters *by = &solver->derivatives.parameters;
    const double *weight = dfl_stepper_weights(solver->stepper), *rates = solver->derivatives.rates;
    const bool jumped = has_jumped(solver);
    for (int j = 0; j < by->count; j++)
        for (int i = solver->sys.at.r; i < solver->sys.n; i++) {
            const double jump =
                jumped ? fabs(rates[i]) + fabs(after[i]) : fabs(rates[i] - after[i]);
            const double size = by->size ? fmax(fabs(by->size[j]), 1) : 1;
            if (!(jump * solver->derivatives.slack[j] * size * weight[i] <= 1e-2))
                return true;
        }
    return false;
}

dfl_status dfl_solver_leave_switch(dfl_solver *solver)
{
    if (!solver->derivatives.tangents)
        return DFL_OK;
    const dfl_status status = dfl_solver_pass_instant(solver);
    return status ? status : dfl_solver_recorded_leave(solver);
}

dfl_status dfl_solver_pass_instant(dfl_solver *solver)
{
    const dfl_stepper *st = solver->stepper;
    const dfl_system *sys = &solver->sys;
    double *X = solver->derivatives.values, *after = solver->x_stop;
    dfl_stepper_rates(after, st, &st->here);
    if (rests_on_surface(solver))
        return refuse(solver, "friction in two directions comes to rest");
    if (is_ambiguous(solver, after))
        return refuse(solver, "several switches coincide, whose times depend on the parameters "
                              "differently, unless smaller tolerances tell them apart");
    if (dfl_record_jumps(solver) || has_jumped(solver))
        return jump(solver, after);
    for (int j = 0; j < solver->derivatives.parameters.count; j++)
        for (int i = sys->at.r; i < sys->n; i++)
            if (i < sys->at.sp || i >= sys->at.p) /* contact variables follow from positions */
                X[(size_t)j * (size_t)sys->nu + (size_t)(i - sys->na)] +=
                    (solver->derivatives.rates[i] - after[i]) * solver->derivatives.instant[j];
    return start_again(solver);
}

dfl_status dfl_solver_leave_start(dfl_solver *solver)
{
    struct dfl_tangents *tan = solver->derivatives.tangents;
    if (!changes_at_start(solver))
        return dfl_solver_derivatives_failed(
            solver, dfl_tangents_start(tan, solver->stepper, solver->derivatives.values, NULL));
    memset(solver->x_stop, 0, (size_t)solver->sys.n * sizeof *solver->x_stop);
    return jump(solver, solver->x_stop);
}

/* Through a jump, to the rates `after`. */
static dfl_status jump(dfl_solver *solver, const double *after)
{
    const dfl_parameters *by = &solver->derivatives.parameters;
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const int n = solver->sys.nu, na = solver->sys.na;
    const double *rates = solver->derivatives.rates + na;
    double *along = dfl_alloc(solver->ctx, (size_t)(2 * n + by->nmemory), sizeof *along);
    double *out = along + n;
    dfl_status status = along ? DFL_OK : DFL_NO_MEMORY;
    for (int j = 0; !status && j < by->count; j++) {
        double *X = solver->derivatives.values + (size_t)j * (size_t)n;
        const double instant = solver->derivatives.instant[j];
        for (int i = 0; i < n; i++)
            along[i] = X[i] + rates[i] * instant;
        status = dfl_record_slopes(out, solver, j, along, instant);
        for (int i = at.r; !status && i < n; i++)
            X[i] = out[i] - after[na + i] * instant;
        if (!status && by->nmemory > 0)
            memcpy(by->memory + (size_t)j * (size_t)by->nmemory, out + n,
                   (size_t)by->nmemory * sizeof *out);
    }
    dfl_free(solver->ctx, along);
    return status ? status : start_again(solver);
}

/* From the derivatives after an instant. */
static dfl_status start_again(dfl_solver *solver)
{
    struct dfl_tangents *tan = solver->derivatives.tangents;
    dfl_solver_tolerances_at(solver->switching->tolerance, solver, dfl_solver_state(solver));
    const dfl_status status = dfl_solver_derivatives_failed(
        solver, dfl_tangents_start(tan, solver->stepper, solver->derivatives.values,
                                   solver->switching->tolerance));
    if (!status && dfl_tangents_moved(tan) > 1e-4)
        return refuse(solver, "which constraints hold there depends on the parameters");
    return status;
}

/* Whether this is the start, and events act or contacts close here. */
static bool changes_at_start(const dfl_solver *solver)
{
    const dfl_contacts *c = solver->contacts;
    if (!solver->switching || !solver->options.switches.resume || solver->stepper->t != solver->t0)
        return false;
    bool changed = dfl_record_jumps(solver);
    for (int i = 0; c && i < c->count; i++)
        changed = changed || c->mode[i].closed || c->mode[i].stick || c->mode[i].sense;
    return changed;
}

static dfl_status refuse(const dfl_solver *solver, const char *why)
{
    return dfl_fail(solver->ctx, DFL_INVALID,
                    "derivatives by parameters cannot be followed beyond t = %.10g: %s",
                    solver->stepper->t, why);
}
