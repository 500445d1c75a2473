/* sides.c: which of several solutions of the constraints a start looks for.

   Rows u^T w = 0 of perpendicular axes are satisfied by the opposite axis as well. A side is an
   expression that distinguishes the two solutions, such as the cosine between two axes that should
   coincide; the start is looked for where all sides are positive. */
#include "study/study_internal.h"

dfl_status dfl_sides_create(dfl_sides *out, dfl_conditions *conditions, const dfl_runnable *run)
{
    const dfl_model *model = eq_of(run)->model;
    const size_t count = (size_t)model->sides.count;
    out->exprs = dfl_alloc(ctx_of(run), count, sizeof *out->exprs);
    out->names = dfl_alloc(ctx_of(run), count, sizeof *out->names);
    if (!out->exprs || !out->names)
        return DFL_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        out->exprs[i] = model->sides.item[i].expr;
        out->names[i] = model->sides.item[i].name;
    }
    conditions->nsides = model->sides.count;
    conditions->side_names = out->names;
    return DFL_OK;
}

void dfl_sides_clear(dfl_sides *sides, dfl_context *ctx)
{
    dfl_free(ctx, sides->exprs);
    dfl_free(ctx, sides->names);
}

int dfl_sides_eval(double *value, const dfl_sides *sides, dfl_runnable *run, double t,
                   const double *x)
{
    const int count = eq_of(run)->model->sides.count;
    return dfl_runnable_values(value, run, sides->exprs, count, t, x, NULL) ? -1 : 0;
}
