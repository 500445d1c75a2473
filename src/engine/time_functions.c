/* time_functions.c: functions of time alone in the equations: the largest such parts of all rows,
   with the branches of the run. Those that are linear in time have no pulses. */
#include "engine/engine_internal.h"

static dfl_status find_largest(dfl_expr *out, int *count, dfl_graph *graph, const dfl_expr *rows,
                               int nrows);
static dfl_status leave_out_linear(dfl_expr *pulses, int *count, dfl_graph *graph);

dfl_status dfl_pulses_create(dfl_runnable *run)
{
    dfl_expr *rows = NULL, *pulses = NULL;
    int nrows, count = 0;
    dfl_graph *graph = run->eq->graph;
    if (run->eq->n == 0)
        return DFL_OK; /* nothing is integrated */
    dfl_status status = dfl_runnable_rows(&rows, &nrows, run, false);
    if (!status && run->switches.lock->count > 0)
        status = dfl_lock(rows, NULL, run->switches.lock, rows, nrows, false);
    if (!status) {
        pulses = dfl_alloc(run->ctx, dfl_graph_size(graph, rows, nrows), sizeof *pulses);
        status = pulses ? find_largest(pulses, &count, graph, rows, nrows) : DFL_NO_MEMORY;
    }
    if (!status)
        status = leave_out_linear(pulses, &count, graph);
    if (!status)
        status = dfl_functions_create(&run->pulses, run, pulses, count);
    dfl_free(run->ctx, rows);
    dfl_free(run->ctx, pulses);
    return status;
}

static bool of_time(const dfl_node *node)
{
    const unsigned fixed = 1u << DFL_SYM_PARAM | 1u << DFL_SYM_INPUT | 1u << DFL_SYM_LEVEL |
                           1u << DFL_SYM_BRANCH | 1u << DFL_SYM_DISCRETE;
    return (node->depends & ~fixed) == 1u << DFL_SYM_TIME;
}

/* Rows of time alone, and such operands of other operations. */
static dfl_status find_largest(dfl_expr *out, int *count, dfl_graph *graph, const dfl_expr *rows,
                               int nrows)
{
    dfl_part part;
    dfl_status status = dfl_part_create(&part, graph, rows, nrows);
    if (status)
        return status;
    bool *found = dfl_alloc(graph->ctx, part.count, sizeof *found);
    if (!found)
        status = DFL_NO_MEMORY;
    for (int k = 0; !status && k < nrows; k++)
        found[dfl_part_place(&part, rows[k])] = true;
    for (uint32_t i = 0; !status && i < part.count; i++) {
        const dfl_node *node = &part.node[i];
        const uint32_t operand[] = {node->a, node->b, node->c};
        const int operands = dfl_op_operands((dfl_op)node->op);
        for (int k = 0; k < operands && !of_time(dfl_node_of(graph, part.expr[i])); k++)
            found[operand[k]] = true;
    }
    for (uint32_t i = 0; !status && i < part.count; i++)
        if (found[i] && of_time(dfl_node_of(graph, part.expr[i])))
            out[(*count)++] = part.expr[i];
    dfl_free(graph->ctx, found);
    dfl_part_clear(&part);
    return status;
}

static dfl_status leave_out_linear(dfl_expr *pulses, int *count, dfl_graph *graph)
{
    const dfl_expr time = dfl_symbol_expr(graph, DFL_SYM_TIME, 0, "time");
    dfl_sparse slope = {0};
    const int all = *count;
    const dfl_status status = dfl_jacobian_exprs(&slope, graph, pulses, all, &time, 1);
    *count = 0;
    for (int k = 0; !status && k < slope.count; k++)
        if (dfl_depends(graph, slope.entry[k].expr, DFL_SYM_TIME))
            pulses[(*count)++] = pulses[slope.entry[k].row];
    dfl_sparse_clear(&slope, graph->ctx);
    return status;
}

static int pulse_values(double *value, int count, double t, const double *x, void *user)
{
    const dfl_runnable *run = user;
    (void)count;
    dfl_runnable_evaluate(&run->pulses.values, run, t, x, NULL, &value);
    return 0;
}

static int pulse_bounds(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                        void *user)
{
    const dfl_runnable *run = user;
    (void)count;
    dfl_functions_bounds(value, &run->pulses, t, x);
    return 0;
}

void dfl_runnable_pulses(dfl_pulse_options *out, dfl_runnable *run)
{
    *out = (dfl_pulse_options){
        .count = run->pulses.count, .eval = pulse_values, .enclose = pulse_bounds, .user = run};
}
