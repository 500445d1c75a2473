/* sides.c: rows u^T w = 0 of perpendicular axes are satisfied by the opposite axis as well. A side is the
   expression that tells both solutions apart, such as the cosine between two axes that shall coincide; the
   start is looked for where all of them are positive. */
#include "study/sides.h"

#include "context/context.h"

#include <string.h>

static int evaluate(double *value, double t, const double *x, void *user);

dfl_status dfl_sides_create(dfl_sides *out, dfl_conditions *conditions, dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    const size_t count = (size_t)model->nsides;
    *out = (dfl_sides){.run = run};
    out->exprs = dfl_alloc(run->ctx, count, sizeof *out->exprs);
    out->names = dfl_alloc(run->ctx, count, sizeof *out->names);
    if (!out->exprs || !out->names)
        return DFL_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        out->exprs[i] = model->sides[i].expr;
        out->names[i] = model->sides[i].name;
    }
    conditions->nsides = model->nsides;
    conditions->side = evaluate;
    conditions->side_names = out->names;
    conditions->user = out;
    return DFL_OK;
}

void dfl_sides_clear(dfl_sides *sides)
{
    dfl_free(sides->run->ctx, sides->exprs);
    dfl_free(sides->run->ctx, sides->names);
}

static int evaluate(double *value, double t, const double *x, void *user)
{
    const dfl_sides *sides = user;
    const int count = sides->run->eq->model->nsides;
    return dfl_runnable_values(value, sides->run, sides->exprs, count, t, x, NULL) ? -1 : 0;
}
