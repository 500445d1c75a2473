/* recording.c: a run that is recorded, and gradients by a sweep backwards.

   Beside the derivatives that are followed there is a second set, by all parameters. It is there at
   starts only: at the beginning, and where branches change or the state jumps. */
#include "solver/solver_internal.h"
#include "solver/switching.h"

#include <driftless/gradient.h>

#include <string.h>

/* The part of solver->derivatives that has columns for parameters. */
typedef struct dfl_other_set {
    struct dfl_tangents *tangents;
    dfl_parameters parameters;
    double *values, *instant, *slack, *slope;
} dfl_other_set;

void dfl_solver_swap_derivatives(dfl_solver *solver)
{
    dfl_other_set *other = solver->derivatives.other;
    const dfl_other_set present = {solver->derivatives.tangents, solver->derivatives.parameters,
                                   solver->derivatives.values,   solver->derivatives.instant,
                                   solver->derivatives.slack,    solver->derivatives.slope};
    solver->derivatives.tangents = other->tangents;
    solver->derivatives.parameters = other->parameters;
    solver->derivatives.values = other->values;
    solver->derivatives.instant = other->instant;
    solver->derivatives.slack = other->slack;
    solver->derivatives.slope = other->slope;
    *other = present;
}

void dfl_solver_forget_record(dfl_solver *solver)
{
    dfl_other_set *other = solver->derivatives.other;
    dfl_adjoint_free(solver->derivatives.adjoint);
    if (other) {
        dfl_free(solver->ctx, other->values);
        dfl_free(solver->ctx, other->instant);
        dfl_free(solver->ctx, other->slack);
        dfl_free(solver->ctx, other->slope);
    }
    dfl_free(solver->ctx, other);
    solver->derivatives.adjoint = NULL;
    solver->derivatives.other = NULL;
}

int dfl_solver_spare(const dfl_solver *solver, const dfl_parameters *parameters)
{
    return dfl_adjoint_spare(&solver->sys, parameters->nmemory);
}

static dfl_status create(dfl_solver *solver, const dfl_parameters *parameters, int spare)
{
    dfl_context *ctx = solver->ctx;
    const size_t n = (size_t)solver->sys.n, count = (size_t)parameters->count, d = sizeof(double);
    dfl_other_set *other = solver->derivatives.other = dfl_alloc(ctx, 1, sizeof *other);
    dfl_status status =
        other ? dfl_adjoint_create(&solver->derivatives.adjoint, solver->stepper, parameters, spare)
              : DFL_NO_MEMORY;
    if (status)
        return status;
    other->tangents = dfl_adjoint_tangents(solver->derivatives.adjoint);
    other->parameters = *parameters;
    other->values = dfl_alloc(ctx, n * count, d);
    other->instant = dfl_alloc(ctx, count, d);
    other->slack = dfl_alloc(ctx, count, d);
    other->slope = dfl_alloc(ctx, count, d);
    return other->values && other->instant && other->slack && other->slope ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_solver_record(dfl_solver *solver, const dfl_parameters *parameters, int spare,
                             const double *start)
{
    const int needed = dfl_solver_spare(solver, parameters);
    if (!solver->derivatives.tangents)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "call dfl_solver_follow before dfl_solver_record");
    if (solver->options.integrator != DFL_RADAU)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "sweeps backwards need the method radau: the steps of %s depend on earlier "
                        "ones; use direct derivatives",
                        dfl_integrator_name(solver->options.integrator));
    if (parameters->nmemory > 0 && !parameters->products)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "parameters with a memory need `products` for dfl_solver_record");
    if (spare < needed || parameters->count <= spare)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "%d spare parameters of %d are given, %d are needed before the others",
                        spare, parameters->count, needed);
    dfl_solver_forget_record(solver);
    dfl_status status = create(solver, parameters, spare);
    if (!status) {
        dfl_solver_swap_derivatives(solver);
        memcpy(solver->derivatives.values, start,
               (size_t)solver->sys.nu * (size_t)parameters->count * sizeof *start);
        status = dfl_solver_leave_start(solver);
        dfl_solver_swap_derivatives(solver);
    }
    if (!status)
        status = dfl_adjoint_start(solver->derivatives.adjoint);
    if (status)
        dfl_solver_forget_record(solver);
    return status;
}

dfl_status dfl_solver_recorded_approach(dfl_solver *solver)
{
    if (!solver->derivatives.adjoint)
        return DFL_OK;
    dfl_status status =
        dfl_solver_derivatives_failed(solver, dfl_adjoint_approach(solver->derivatives.adjoint));
    dfl_solver_swap_derivatives(solver);
    if (!status)
        status = dfl_solver_find_instant(solver);
    dfl_solver_swap_derivatives(solver);
    return status;
}

dfl_status dfl_solver_recorded_leave(dfl_solver *solver)
{
    if (!solver->derivatives.adjoint)
        return DFL_OK;
    dfl_solver_swap_derivatives(solver);
    const dfl_status status = dfl_solver_pass_instant(solver);
    dfl_solver_swap_derivatives(solver);
    return status ? status : dfl_adjoint_start(solver->derivatives.adjoint);
}

dfl_status dfl_solver_weigh(dfl_solver *solver, int objective, const double *x, const double *a,
                            const double *memory)
{
    return solver->derivatives.adjoint
               ? dfl_adjoint_weigh(solver->derivatives.adjoint, objective, x, a, memory)
               : dfl_fail(solver->ctx, DFL_INVALID,
                          "call dfl_solver_record before dfl_solver_weigh");
}

dfl_status dfl_solver_sweep(double *gradient, dfl_solver *solver, int objectives)
{
    if (!solver->derivatives.adjoint)
        return dfl_fail(solver->ctx, DFL_INVALID, "call dfl_solver_record before dfl_solver_sweep");
    return dfl_solver_derivatives_failed(
        solver, dfl_adjoint_sweep(gradient, solver->derivatives.adjoint, objectives));
}

void dfl_solver_record_limit(dfl_solver *solver, size_t bytes)
{
    if (solver->derivatives.adjoint)
        dfl_adjoint_limit(solver->derivatives.adjoint, bytes);
}

size_t dfl_solver_recorded(const dfl_solver *solver)
{
    return solver->derivatives.adjoint ? dfl_adjoint_bytes(solver->derivatives.adjoint) : 0;
}
