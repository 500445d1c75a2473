/* joint_tolerances.c: what the rows of loops may be apart, as their joints say. */
#include "engine/engine_internal.h"

double dfl_runnable_misfit(const dfl_runnable *run, const dfl_constraint_options *constraints)
{
    return dfl_largest_misfit(constraints, run->eq->nl + run->eq->nm);
}

dfl_status dfl_runnable_tolerances(dfl_constraint_options *out, dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const dfl_model *model = eq->model;
    double largest = 0.0;
    if (!run->redundant) /* solvers of earlier calls may refer to it */
        run->redundant = dfl_alloc(run->ctx, (size_t)(eq->nl + eq->nm), sizeof(double));
    if (!run->redundant)
        return DFL_NO_MEMORY;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind != DFL_A_CONSTRAINT || decl->index >= eq->nl)
            continue;
        run->redundant[decl->index] = decl->misfit;
        largest = decl->misfit > largest ? decl->misfit : largest;
    }
    out->redundant_each = largest > 0.0 ? run->redundant : NULL;
    return DFL_OK;
}
