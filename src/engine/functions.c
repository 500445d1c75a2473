/* functions.c: watched functions as tapes. */
#include "engine/engine_internal.h"

/* Which unknowns the rows contain. */
static dfl_status find_uses(dfl_functions *out, const dfl_runnable *run, const dfl_expr *rows)
{
    const dfl_equations *eq = run->eq;
    const dfl_graph *g = eq->graph;
    bool *below = dfl_alloc(run->ctx, g->nnodes, sizeof *below);
    out->uses = dfl_alloc(run->ctx, (size_t)eq->n, sizeof *out->uses);
    if (!below || !out->uses) {
        dfl_free(run->ctx, below);
        return DFL_NO_MEMORY;
    }
    for (int i = 0; i < out->count; i++)
        below[rows[i]] = true;
    for (uint32_t i = g->nnodes; i-- > 0;) {
        const dfl_node *node = dfl_node_of(g, i);
        const dfl_expr operand[] = {node->a, node->b, node->c};
        for (int k = 0; below[i] && k < dfl_op_operands((dfl_op)node->op); k++)
            below[operand[k]] = true;
    }
    for (int j = 0; j < eq->n; j++)
        out->uses[j] = below[eq->x[j].symbol];
    dfl_free(run->ctx, below);
    return DFL_OK;
}

static dfl_status create_slopes(dfl_functions *out, dfl_runnable *run, const dfl_sparse *slope)
{
    const size_t count = (size_t)slope->count;
    dfl_expr *exprs = dfl_alloc(run->ctx, count, sizeof *exprs);
    int *row = out->entries = dfl_alloc(run->ctx, 2 * count, sizeof *row);
    out->slope_value = dfl_alloc(run->ctx, count, sizeof *out->slope_value);
    dfl_status status = exprs && row && out->slope_value ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < slope->count; k++) {
        exprs[k] = slope->entry[k].expr;
        row[k] = slope->entry[k].row;
        row[slope->count + k] = slope->entry[k].col;
    }
    out->table = (dfl_carried_functions){out->count, slope->count, row,
                                         status ? NULL : row + slope->count, out->uses};
    if (!status)
        status = dfl_program_create(&out->slopes, run, exprs, slope->count);
    dfl_free(run->ctx, exprs);
    return status;
}

dfl_status dfl_functions_create(dfl_functions *out, dfl_runnable *run, const dfl_expr *rows,
                                int count)
{
    const dfl_equations *eq = run->eq;
    dfl_sparse slope = {0};
    out->count = count;
    dfl_status status = dfl_program_create(&out->values, run, rows, count);
    if (status || count == 0)
        return status;
    dfl_expr *symbols = dfl_alloc(run->ctx, (size_t)eq->n + 1, sizeof *symbols);
    if (!symbols)
        return DFL_NO_MEMORY;
    for (int j = 0; j < eq->n; j++)
        symbols[j] = eq->x[j].symbol;
    symbols[eq->n] = dfl_symbol_expr(eq->graph, DFL_SYM_TIME, 0, "time");
    status = dfl_jacobian_exprs(&slope, eq->graph, rows, count, symbols, eq->n + 1);
    dfl_free(run->ctx, symbols);
    if (!status)
        status = find_uses(out, run, rows);
    if (!status)
        status = create_slopes(out, run, &slope);
    dfl_sparse_clear(&slope, run->ctx);
    out->bounds = dfl_alloc(run->ctx, dfl_tape_work(out->values.tape), sizeof *out->bounds);
    return status || out->bounds ? status : DFL_NO_MEMORY;
}

void dfl_functions_clear(dfl_functions *functions, dfl_context *ctx)
{
    dfl_free(ctx, functions->entries);
    dfl_free(ctx, functions->slope_value);
    dfl_free(ctx, functions->bounds);
    dfl_free(ctx, functions->uses);
}

void dfl_functions_bounds(dfl_bounds *value, const dfl_functions *functions, const dfl_bounds *t,
                          const dfl_bounds *x)
{
    const program *prog = &functions->values;
    const dfl_bounds *const in[DFL_IN_ARRAYS] = {[DFL_IN_TIME] = t, [DFL_IN_X] = x};
    dfl_tape_enclose_prepare(prog->tape, functions->bounds, prog->work);
    dfl_tape_enclose(prog->tape, functions->bounds, in, &value);
}

void dfl_functions_noise(double *noise, const dfl_functions *functions, const dfl_runnable *run,
                         double t, const double *x, const double *tolerance)
{
    double *slope = functions->slope_value;
    if (functions->count == 0)
        return;
    dfl_runnable_evaluate(&functions->slopes, run, t, x, NULL, &slope);
    dfl_watched_noise(noise, &functions->table, slope, run->eq->n, tolerance);
}
