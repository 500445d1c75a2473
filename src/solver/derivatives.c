/* derivatives.c: derivatives of the trajectory by parameters, beside the state. */
#include "solver/solver_internal.h"
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <driftless/gradient.h>

#include <math.h>
#include <string.h>

static dfl_status check(const dfl_solver *solver, const dfl_parameters *parameters);
static bool has_surface_friction(const dfl_solver *solver);

dfl_status dfl_solver_follow(dfl_solver *solver, const dfl_parameters *parameters,
                             const double *start)
{
    dfl_context *ctx = solver->ctx;
    const size_t n = (size_t)solver->sys.n;
    dfl_solver_forget_derivatives(solver);
    dfl_status status = check(solver, parameters);
    if (!status)
        status = dfl_tangents_create(&solver->derivatives.tangents, solver->stepper, parameters);
    if (status)
        return status;
    solver->derivatives.values = dfl_alloc(ctx, n * (size_t)parameters->count, sizeof(double));
    solver->derivatives.parameters = *parameters;
    solver->derivatives.instant = dfl_alloc(ctx, (size_t)parameters->count, sizeof(double));
    solver->derivatives.slope = dfl_alloc(ctx, (size_t)parameters->count, sizeof(double));
    solver->derivatives.slack = dfl_alloc(ctx, (size_t)parameters->count, sizeof(double));
    solver->derivatives.rates = dfl_alloc(ctx, n, sizeof(double));
    solver->derivatives.before = dfl_alloc(ctx, n, sizeof(double));
    if (!solver->derivatives.values || !solver->derivatives.rates || !solver->derivatives.before ||
        !solver->derivatives.instant || !solver->derivatives.slope || !solver->derivatives.slack)
        status = DFL_NO_MEMORY;
    if (!status) {
        memcpy(solver->derivatives.values, start,
               (size_t)solver->sys.nu * (size_t)parameters->count * sizeof *start);
        status = dfl_solver_leave_start(solver);
    }
    if (status)
        dfl_solver_forget_derivatives(solver);
    else
        solver->stepper->tangents = solver->derivatives.tangents;
    dfl_solver_control_derivatives(solver, true);
    return status;
}

/* Where friction in two directions comes to rest, |h| ~ t* - t, the direction of the slip has
   derivatives without higher ones, (t* - t)^p: no step is short enough for their estimates, which
   would end among the noise of h. */
static bool has_surface_friction(const dfl_solver *solver)
{
    const dfl_contact_options *contacts = &solver->options.switches.contacts;
    bool found = false;
    for (int i = 0; i < contacts->count; i++)
        found = found || dfl_contact_directions(&contacts->contacts[i]) == 2;
    return found;
}

/* What the derivatives cannot follow. */
static dfl_status check(const dfl_solver *solver, const dfl_parameters *parameters)
{
    const dfl_solver_options *options = &solver->options;
    const char *why = NULL;
    if (!parameters || parameters->count < 1)
        return dfl_fail(solver->ctx, DFL_INVALID, "there are no parameters to follow");
    if (!solver->started)
        return dfl_fail(solver->ctx, DFL_INVALID, "call dfl_solver_start before dfl_solver_follow");
    if (options->form != DFL_PSF)
        why = "they need the form psf";
    else if (options->integrator != DFL_RADAU && options->integrator != DFL_BDF)
        why = "they need the method radau or bdf";
    else if (options->constraints.selectors == DFL_USER)
        why = "the selectors are user-defined";
    else if (solver->sys.packed)
        why = "matrices are sparse; use dense ones";
    else if (solver->sys.geoms)
        why = "the model has GEOMS's contract";
    return why ? dfl_fail(solver->ctx, DFL_INVALID,
                          "derivatives by parameters cannot be followed: %s", why)
               : DFL_OK;
}

void dfl_solver_control_derivatives(dfl_solver *solver, bool controlled)
{
    if (solver->derivatives.tangents)
        dfl_tangents_control(solver->derivatives.tangents,
                             controlled && !has_surface_friction(solver));
}

dfl_derivatives dfl_solver_derivatives(dfl_solver *solver)
{
    const dfl_system *sys = &solver->sys;
    if (!solver->derivatives.tangents)
        return (dfl_derivatives){0};
    const double *Y = dfl_tangents_values(solver->derivatives.tangents);
    const int count = dfl_tangents_count(solver->derivatives.tangents);
    for (int j = 0; j < count; j++)
        memcpy(solver->derivatives.values + (size_t)j * (size_t)sys->nu,
               Y + (size_t)j * (size_t)sys->n + sys->na, (size_t)sys->nu * sizeof *Y);
    return (dfl_derivatives){solver->derivatives.values,
                             dfl_tangents_accelerations(solver->derivatives.tangents),
                             solver->stepper->here.a, dfl_solver_redundant(solver)};
}

dfl_status dfl_solver_follow_step(dfl_solver *solver)
{
    if (!solver->derivatives.tangents)
        return DFL_OK;
    const double t = isnan(solver->cut) ? solver->stepper->t : solver->cut;
    const dfl_status status = dfl_solver_derivatives_failed(
        solver, dfl_tangents_accept(solver->derivatives.tangents, solver->stepper, t));
    return status || !solver->derivatives.adjoint
               ? status
               : dfl_adjoint_step(solver->derivatives.adjoint, solver->derivatives.tangents, t);
}

void dfl_solver_unfollow_step(dfl_solver *solver)
{
    if (!solver->derivatives.tangents)
        return;
    dfl_tangents_undo(solver->derivatives.tangents);
    if (solver->derivatives.adjoint)
        dfl_adjoint_undo(solver->derivatives.adjoint);
}

dfl_status dfl_solver_rates(double *rates, dfl_solver *solver)
{
    const dfl_system *sys = &solver->sys;
    double *xp = solver->derivatives.rates;
    if (!solver->derivatives.tangents)
        return dfl_fail(solver->ctx, DFL_INVALID, "call dfl_solver_follow before dfl_solver_rates");
    if (solver->derivatives.off_event)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "derivatives by parameters cannot be followed to the event at t = %.10g, "
                        "where no step ends; end the run before it",
                        solver->stepper->t);
    dfl_stepper_rates(xp, solver->stepper, &solver->stepper->here);
    const dfl_status status = dfl_solver_derivatives_failed(
        solver, dfl_tangents_rates(xp, solver->derivatives.tangents, solver->stepper));
    memcpy(rates, xp + sys->na, (size_t)sys->nu * sizeof *rates);
    return status;
}

void dfl_solver_forget_derivatives(dfl_solver *solver)
{
    if (solver->stepper)
        solver->stepper->tangents = NULL;
    dfl_tangents_free(solver->derivatives.tangents);
    dfl_solver_forget_record(solver);
    dfl_free(solver->ctx, solver->derivatives.values);
    dfl_free(solver->ctx, solver->derivatives.rates);
    dfl_free(solver->ctx, solver->derivatives.before);
    dfl_free(solver->ctx, solver->derivatives.instant);
    dfl_free(solver->ctx, solver->derivatives.slope);
    dfl_free(solver->ctx, solver->derivatives.slack);
    memset(&solver->derivatives, 0, sizeof solver->derivatives);
}

/* Why the rows, or their derivatives, cannot be evaluated where the step could be taken. */
dfl_status dfl_solver_derivatives_failed(dfl_solver *solver, dfl_outcome outcome)
{
    char what[200];
    if (!outcome)
        return DFL_OK;
    dfl_system_trouble_name(what, sizeof what, &solver->sys);
    return dfl_fail(solver->ctx,
                    outcome == DFL_STEP_NONFINITE ? DFL_NOT_FINITE
                    : outcome == DFL_STEP_STOP    ? DFL_STOPPED
                    : outcome == DFL_STEP_RETRY   ? DFL_CALLBACK
                                                  : DFL_SINGULAR,
                    "derivatives by parameters cannot be evaluated at t = %.10g: %s",
                    solver->sys.trouble.t, what);
}
