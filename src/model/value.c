/* value.c: the number that an expression of parameters stands for. */
#include "model/model.h"

dfl_status dfl_model_value(double *out, const dfl_model *model, dfl_expr expr)
{
    const dfl_graph *graph = model->graph;
    const unsigned known = 1U << DFL_SYM_PARAM | 1U << DFL_SYM_INPUT;
    if (dfl_node_of(graph, expr)->depends & ~known)
        return dfl_fail(model->ctx, DFL_INVALID, "the expression contains more than parameters");
    double *value = dfl_alloc(model->ctx, (size_t)expr + 1, sizeof *value);
    if (!value)
        return DFL_NO_MEMORY;
    for (int i = 0; i < model->ndeclarations; i++) {
        const dfl_declaration *decl = &model->declarations[i];
        if ((decl->kind == DFL_A_PARAM || decl->kind == DFL_AN_INPUT) && decl->symbol <= expr)
            value[decl->symbol] = decl->value;
    }
    for (dfl_expr i = 0; i <= expr; i++) {
        const dfl_node *node = dfl_node_of(graph, i);
        if (node->op == DFL_OP_CONSTANT)
            value[i] = dfl_constant_value(graph, i);
        else if (node->op != DFL_OP_SYMBOL && !(node->depends & ~known))
            value[i] = dfl_op_value(graph, node, value[node->a],
                                    dfl_op_operands((dfl_op)node->op) > 1 ? value[node->b] : 0.0,
                                    dfl_op_operands((dfl_op)node->op) > 2 ? value[node->c] : 0.0);
    }
    *out = value[expr];
    dfl_free(model->ctx, value);
    return DFL_OK;
}
