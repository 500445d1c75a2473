/* functions.c: watched functions as tapes. */
#include "engine/engine_internal.h"

#include <math.h>
#include <string.h>

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

dfl_status dfl_functions_create(dfl_functions *out, dfl_runnable *run, const dfl_expr *rows,
                                int count)
{
    const dfl_equations *eq = run->eq;
    out->count = count;
    dfl_status status = dfl_program_create(&out->values, run, rows, count);
    if (status || count == 0)
        return status;
    dfl_expr *symbols = dfl_alloc(run->ctx, (size_t)eq->n + 1, sizeof *symbols), *entries = NULL;
    if (!symbols)
        return DFL_NO_MEMORY;
    for (int j = 0; j < eq->n; j++)
        symbols[j] = eq->x[j].symbol;
    symbols[eq->n] = dfl_symbol_expr(eq->graph, DFL_SYM_TIME, 0, "time");
    status = dfl_jacobian_exprs(&out->slope, eq->graph, rows, count, symbols, eq->n + 1);
    dfl_free(run->ctx, symbols);
    if (status)
        return status;
    entries = dfl_alloc(run->ctx, (size_t)out->slope.count, sizeof *entries);
    out->slope_value = dfl_alloc(run->ctx, (size_t)out->slope.count, sizeof *out->slope_value);
    out->bounds = dfl_alloc(run->ctx, dfl_tape_work(out->values.tape), sizeof *out->bounds);
    if (!entries || !out->slope_value || !out->bounds)
        status = DFL_NO_MEMORY;
    if (!status)
        status = find_uses(out, run, rows);
    for (int k = 0; !status && k < out->slope.count; k++)
        entries[k] = out->slope.entry[k].expr;
    if (!status)
        status = dfl_program_create(&out->slopes, run, entries, out->slope.count);
    dfl_free(run->ctx, entries);
    return status;
}

void dfl_functions_clear(dfl_functions *functions, dfl_context *ctx)
{
    dfl_sparse_clear(&functions->slope, ctx);
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
    memset(noise, 0, (size_t)functions->count * sizeof *noise);
    if (functions->count > 0)
        dfl_runnable_evaluate(&functions->slopes, run, t, x, NULL, &slope);
    for (int k = 0; k < functions->slope.count; k++) {
        const dfl_entry *entry = &functions->slope.entry[k];
        const double change = entry->col < run->eq->n ? fabs(slope[k]) * tolerance[entry->col] : 0;
        noise[entry->row] += isfinite(change) ? change : 0;
    }
}

double dfl_functions_rate(const dfl_functions *functions, const dfl_runnable *run, int which,
                          double t, const double *x, const double *rate)
{
    double *slope = functions->slope_value, sum = 0;
    dfl_runnable_evaluate(&functions->slopes, run, t, x, NULL, &slope);
    for (int k = 0; k < functions->slope.count; k++) {
        const dfl_entry *entry = &functions->slope.entry[k];
        if (entry->row == which)
            sum += slope[k] * (entry->col < run->eq->n ? rate[entry->col] : 1);
    }
    return sum;
}
