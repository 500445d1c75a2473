/* tape_view.c: a tape around tables that belong to somebody else, and are not written to. */
#include "symbolic/tape_view.h"

#include "symbolic/tape_internal.h"

static dfl_moves moves_of(const dfl_moves_data *data)
{
    _Static_assert(sizeof(dfl_move) == sizeof(dfl_move_data), "the same fields");
    return (dfl_moves){(dfl_move *)(uintptr_t)data->move, data->count};
}

static dfl_segment segment_of(const dfl_segment_data *data)
{
    return (dfl_segment){(uint32_t *)(uintptr_t)data->code, data->length, data->first, data->count};
}

dfl_status dfl_tape_view_create(dfl_tape **out, dfl_context *ctx, const dfl_tape_data *data,
                                const dfl_spline *tables)
{
    *out = NULL;
    dfl_tape *tape = dfl_alloc(ctx, 1, sizeof *tape);
    dfl_spline *splines = dfl_alloc(ctx, (size_t)data->ntables, sizeof *splines);
    if (!tape || !splines) {
        dfl_free(ctx, tape);
        dfl_free(ctx, splines);
        return DFL_NO_MEMORY;
    }
    for (int i = 0; i < data->ntables; i++)
        splines[i] = tables[data->tables[i]];
    *tape = (dfl_tape){.ctx = ctx,
                       .nregisters = data->nregisters,
                       .nconstants = data->nconstants,
                       .first_constant = data->first_constant,
                       .constants = (double *)(uintptr_t)data->constants,
                       .settings = moves_of(&data->settings),
                       .inputs = moves_of(&data->inputs),
                       .outputs = moves_of(&data->outputs),
                       .prepare = segment_of(&data->prepare),
                       .eval = segment_of(&data->eval),
                       .splines = splines,
                       .nsplines = data->ntables};
    *out = tape;
    return DFL_OK;
}

void dfl_tape_view_free(dfl_tape *tape)
{
    if (!tape)
        return;
    dfl_free(tape->ctx, tape->splines);
    dfl_free(tape->ctx, tape);
}

dfl_status dfl_tables_view(dfl_spline **out, dfl_context *ctx, const dfl_table_data *tables,
                           int count)
{
    dfl_spline *splines = *out = dfl_alloc(ctx, (size_t)count, sizeof *splines);
    if (!splines)
        return DFL_NO_MEMORY;
    for (int i = 0; i < count; i++)
        splines[i] = (dfl_spline){.n = tables[i].n,
                                  .x = (double *)(uintptr_t)tables[i].x,
                                  .coef = (double *)(uintptr_t)tables[i].coef,
                                  .smoothness = tables[i].smoothness,
                                  .end_smoothness = tables[i].end_smoothness};
    return DFL_OK;
}
