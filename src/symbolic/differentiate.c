/* differentiate.c: sweeps over the nodes below some roots (part.h): derivatives along a direction,
   gradients, substitution. Each is one loop over an array, so the depth of an expression does not
   matter. Derivatives live in an array parallel to the part's nodes; 0, the constant, means
   none. */
#include "symbolic/differentiate.h"
#include "symbolic/graph_internal.h"
#include "symbolic/forward_sweep.h"

static void seed(dfl_expr *derivative, const dfl_part *part, dfl_graph *graph,
                 const dfl_expr *symbols, const dfl_expr *rates, int n);
static bool has_branches(const dfl_part *part);
static dfl_status reverse_gradient(dfl_expr *gradient, dfl_graph *graph, const dfl_part *part,
                                   const dfl_expr *symbols, int n);
static void find_wanted(bool *wanted, const dfl_part *part, const dfl_expr *symbols, int n);
static void pass_back(dfl_expr *adjoint, dfl_graph *graph, const dfl_part *part, uint32_t i,
                      const bool *wanted);
static dfl_status forward_gradient(dfl_expr *gradient, dfl_graph *graph, dfl_expr root,
                                   const dfl_expr *symbols, int n);
static dfl_expr substituted(dfl_graph *graph, const dfl_part *part, uint32_t i,
                            const dfl_expr *replaced);

dfl_status dfl_along_exprs(dfl_expr *out, dfl_graph *graph, const dfl_expr *rows, int nrows,
                           const dfl_expr *symbols, const dfl_expr *rates, int n)
{
    dfl_part part;
    dfl_status status = dfl_part_create(&part, graph, rows, nrows);
    if (status)
        return status;
    dfl_expr *derivative = dfl_alloc(graph->ctx, part.count, sizeof *derivative);
    if (derivative) {
        seed(derivative, &part, graph, symbols, rates, n);
        for (uint32_t i = 0; i < part.count; i++)
            if (derivative[i] == 0 && dfl_op_operands((dfl_op)part.node[i].op) > 0)
                derivative[i] = dfl_sweep_node(graph, &part, i, derivative);
        for (int k = 0; k < nrows; k++)
            out[k] = derivative[dfl_part_place(&part, rows[k])];
        status = dfl_graph_status(graph);
    } else {
        status = DFL_NO_MEMORY;
    }
    dfl_free(graph->ctx, derivative);
    dfl_part_clear(&part);
    return status;
}

dfl_status dfl_gradient_exprs(dfl_expr *gradient, dfl_graph *graph, dfl_expr root,
                              const dfl_expr *symbols, int n)
{
    dfl_part part;
    dfl_status status = dfl_part_create(&part, graph, &root, 1);
    if (status)
        return status;
    if (has_branches(&part))
        status = forward_gradient(gradient, graph, root, symbols, n);
    else
        status = reverse_gradient(gradient, graph, &part, symbols, n);
    dfl_part_clear(&part);
    return status;
}

dfl_status dfl_substitute_exprs(dfl_expr *out, dfl_graph *graph, const dfl_expr *rows, int nrows,
                                const dfl_expr *symbols, const dfl_expr *values, int n)
{
    dfl_part part;
    dfl_status status = dfl_part_create(&part, graph, rows, nrows);
    if (status)
        return status;
    dfl_expr *replaced = dfl_alloc(graph->ctx, part.count, sizeof *replaced);
    if (replaced) {
        for (uint32_t i = 0; i < part.count; i++)
            replaced[i] = part.expr[i];
        for (int k = 0; k < n; k++) {
            const uint32_t place = dfl_part_place(&part, symbols[k]);
            if (place != DFL_NO_EXPR)
                replaced[place] = values[k];
        }
        for (uint32_t i = 0; i < part.count; i++)
            if (dfl_op_operands((dfl_op)part.node[i].op) > 0)
                replaced[i] = substituted(graph, &part, i, replaced);
        for (int k = 0; k < nrows; k++)
            out[k] = replaced[dfl_part_place(&part, rows[k])];
        status = dfl_graph_status(graph);
    } else {
        status = DFL_NO_MEMORY;
    }
    dfl_free(graph->ctx, replaced);
    dfl_part_clear(&part);
    return status;
}

dfl_rule dfl_sweep_rule(const dfl_part *part, uint32_t i)
{
    const dfl_node *node = &part->node[i];
    const int operands = dfl_op_operands((dfl_op)node->op);
    const bool spline = node->op == DFL_OP_SPLINE;
    return (dfl_rule){.op = (dfl_op)node->op,
                      .e = part->expr[i],
                      .a = operands > 0 ? part->expr[node->a] : 0,
                      .b = operands > 1 ? part->expr[node->b]
                           : spline     ? node->b
                                        : 0,
                      .c = operands > 2 ? part->expr[node->c]
                           : spline     ? node->c
                                        : 0};
}

dfl_expr dfl_sweep_node(dfl_graph *graph, const dfl_part *part, uint32_t i,
                        const dfl_expr *derivative)
{
    const dfl_node *node = &part->node[i];
    const int operands = dfl_op_operands((dfl_op)node->op);
    const dfl_expr da = operands > 0 ? derivative[node->a] : 0;
    const dfl_expr db = operands > 1 ? derivative[node->b] : 0;
    const dfl_expr dc = operands > 2 ? derivative[node->c] : 0;
    if (da == 0 && db == 0 && dc == 0)
        return 0;
    const dfl_rule rule = dfl_sweep_rule(part, i);
    return dfl_rule_forward(graph, &rule, da, db, dc);
}

/* A symbol that is given twice changes at the sum of its rates. */
static void seed(dfl_expr *derivative, const dfl_part *part, dfl_graph *graph,
                 const dfl_expr *symbols, const dfl_expr *rates, int n)
{
    for (int k = 0; k < n; k++) {
        const uint32_t place = dfl_part_place(part, symbols[k]);
        const bool symbol = dfl_node_of(graph, symbols[k])->op == DFL_OP_SYMBOL;
        if (place != DFL_NO_EXPR)
            derivative[place] = symbol ? dfl_add(graph, derivative[place], rates[k]) : rates[k];
    }
}

static bool has_branches(const dfl_part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (part->node[i].op >= DFL_OP_MIN || part->node[i].op == DFL_OP_NOEVENT)
            return true;
    return false;
}

static dfl_status reverse_gradient(dfl_expr *gradient, dfl_graph *graph, const dfl_part *part,
                                   const dfl_expr *symbols, int n)
{
    dfl_status status = DFL_NO_MEMORY;
    dfl_expr *adjoint = dfl_alloc(graph->ctx, part->count, sizeof *adjoint);
    bool *wanted = dfl_alloc(graph->ctx, part->count, sizeof *wanted);
    if (!adjoint || !wanted)
        goto done;
    find_wanted(wanted, part, symbols, n);
    adjoint[part->count - 1] = dfl_constant(graph, 1); /* the root has the highest number */
    for (uint32_t i = part->count; i-- > 0;)
        if (wanted[i] && adjoint[i] != 0)
            pass_back(adjoint, graph, part, i, wanted);
    for (int k = 0; k < n; k++) {
        const uint32_t place = dfl_part_place(part, symbols[k]);
        gradient[k] = place == DFL_NO_EXPR ? 0 : adjoint[place];
    }
    status = dfl_graph_status(graph);

done:
    dfl_free(graph->ctx, wanted);
    dfl_free(graph->ctx, adjoint);
    return status;
}

/* Which nodes depend on one of the symbols. */
static void find_wanted(bool *wanted, const dfl_part *part, const dfl_expr *symbols, int n)
{
    for (int k = 0; k < n; k++) {
        const uint32_t place = dfl_part_place(part, symbols[k]);
        if (place != DFL_NO_EXPR)
            wanted[place] = true;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        const dfl_node *node = &part->node[i];
        const int operands = dfl_op_operands((dfl_op)node->op);
        if (operands > 0)
            wanted[i] = wanted[node->a] || (operands > 1 && wanted[node->b]);
    }
}

/* Adds the node's share to its operands' adjoints. */
static void pass_back(dfl_expr *adjoint, dfl_graph *graph, const dfl_part *part, uint32_t i,
                      const bool *wanted)
{
    const dfl_node *node = &part->node[i];
    const dfl_rule rule = dfl_sweep_rule(part, i);
    const uint32_t operand[] = {node->a, node->b};
    const int operands = dfl_op_operands((dfl_op)node->op);
    for (int which = 0; which < operands; which++) {
        const uint32_t to = operand[which];
        if (wanted[to])
            adjoint[to] =
                dfl_add(graph, adjoint[to], dfl_rule_reverse(graph, &rule, which, adjoint[i]));
    }
}

/* Where a branch is chosen (min, max, select), the branch that is not taken may be infinite, and a
   reverse sweep would multiply that by zero; a forward sweep chooses between finished
   derivatives. It also keeps derivatives of a noevent inside one. */
static dfl_status forward_gradient(dfl_expr *gradient, dfl_graph *graph, dfl_expr root,
                                   const dfl_expr *symbols, int n)
{
    dfl_sparse row;
    const dfl_status status = dfl_jacobian_exprs(&row, graph, &root, 1, symbols, n);
    if (status)
        return status;
    for (int k = 0; k < n; k++)
        gradient[k] = 0;
    for (int k = 0; k < row.count; k++)
        gradient[row.entry[k].col] = row.entry[k].expr;
    dfl_sparse_clear(&row, graph->ctx);
    return DFL_OK;
}

/* The node on replaced operands; itself if none has changed. */
static dfl_expr substituted(dfl_graph *graph, const dfl_part *part, uint32_t i,
                            const dfl_expr *replaced)
{
    const dfl_node *node = &part->node[i];
    const int operands = dfl_op_operands((dfl_op)node->op);
    const dfl_expr a = replaced[node->a];
    const dfl_expr b = operands > 1 ? replaced[node->b] : 0;
    const dfl_expr c = operands > 2 ? replaced[node->c] : 0;
    if (a == part->expr[node->a] && (operands < 2 || b == part->expr[node->b]) &&
        (operands < 3 || c == part->expr[node->c]))
        return part->expr[i];
    return dfl_rebuild(graph, node, a, b, c);
}
