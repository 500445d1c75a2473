/* recording.c: a run that is recorded, and gradients by a sweep backwards. */
#include "solver/solver_internal.h"
#include "solver/switching.h"

#include <driftless/gradient.h>

dfl_status dfl_solver_record(dfl_solver *solver, const dfl_parameters *parameters,
                             const double *start)
{
    if (!solver->derivatives.tangents)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "call dfl_solver_follow before dfl_solver_record");
    if (parameters->nmemory > 0 && !parameters->products)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "parameters with a memory need `products` for dfl_solver_record");
    if (dfl_solver_changes_at_start(solver))
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "gradients cannot be swept backwards: something changes at the start, t = "
                        "%.10g; use the direct method",
                        solver->stepper->t);
    dfl_adjoint_free(solver->derivatives.adjoint);
    solver->derivatives.adjoint = NULL;
    dfl_status status =
        dfl_adjoint_create(&solver->derivatives.adjoint, solver->stepper, parameters);
    if (!status)
        status = dfl_adjoint_start(solver->derivatives.adjoint, start);
    return status;
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

size_t dfl_solver_recorded(const dfl_solver *solver)
{
    return solver->derivatives.adjoint ? dfl_adjoint_bytes(solver->derivatives.adjoint) : 0;
}
