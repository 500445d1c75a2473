/* value.c: the number that an expression of parameters stands for. */
#include "declare/declare.h"

#include "symbolic/symbolic.h"

static double value_of_node(const dfl_model *model, const dfl_part *part, const double *value,
                            uint32_t i);

dfl_status dfl_model_value(double *out, const dfl_model *model, dfl_expr expr)
{
    const unsigned known = 1U << DFL_SYM_PARAM | 1U << DFL_SYM_INPUT;
    const dfl_graph *graph = model->graph;
    dfl_part part;
    if (dfl_node_of(graph, expr)->depends & ~known)
        return dfl_fail(model->ctx, DFL_INVALID, "the expression contains more than parameters");
    if (dfl_is_constant(graph, expr)) {
        *out = dfl_constant_value(graph, expr);
        return DFL_OK;
    }
    dfl_status status = dfl_part_create(&part, graph, &expr, 1);
    if (status)
        return status;
    double *value = dfl_alloc(model->ctx, part.count, sizeof *value);
    for (uint32_t i = 0; value && i < part.count; i++)
        value[i] = value_of_node(model, &part, value, i);
    if (value)
        *out = value[part.count - 1];
    status = value ? DFL_OK : DFL_NO_MEMORY;
    dfl_free(model->ctx, value);
    dfl_part_clear(&part);
    return status;
}

static double value_of_node(const dfl_model *model, const dfl_part *part, const double *value,
                            uint32_t i)
{
    const dfl_graph *graph = model->graph;
    const dfl_node *node = &part->node[i];
    if (node->op == DFL_OP_CONSTANT)
        return dfl_constant_value(graph, part->expr[i]);
    if (node->op == DFL_OP_SYMBOL)
        return dfl_model_owner(model, part->expr[i])->value;
    return dfl_op_value(graph, node, value[node->a],
                        dfl_op_operands((dfl_op)node->op) > 1 ? value[node->b] : 0.0,
                        dfl_op_operands((dfl_op)node->op) > 2 ? value[node->c] : 0.0);
}
