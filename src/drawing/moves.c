/* moves.c: whether an expression changes with the coordinates.

   A row of a plane mechanism that is drawn in space contains coordinates even if no motion changes
   it: the terms cancel, but not as expressions if axes are tilted. Values at several unrelated
   places show it; what remains of cancelled terms is rounding, which would spoil the rank of the
   constraints. */
#include "drawing/drawing_internal.h"

#include "symbolic/symbolic.h"

#include <math.h>

static dfl_status try_places(dfl_expr *out, dfl_drawing *drawing, dfl_expr expr);
static void values_at(double *value, const dfl_drawing *drawing, const dfl_part *part, int place);
static double symbol_at(const dfl_drawing *drawing, const dfl_symbol *symbol, int place);

dfl_status dfl_drawing_constant(dfl_expr *out, dfl_drawing *drawing, dfl_expr expr)
{
    const dfl_graph *graph = drawing->graph;
    *out = expr;
    if (!dfl_depends(graph, expr, DFL_SYM_P) && !dfl_depends(graph, expr, DFL_SYM_S))
        return DFL_OK;
    dfl_tried *all =
        dfl_grow(drawing->ctx, drawing->tried, &drawing->max_tried, drawing->ntried, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    drawing->tried = all;
    const dfl_status status = try_places(out, drawing, expr);
    all[drawing->ntried++] = (dfl_tried){expr, *out};
    return status;
}

dfl_status dfl_drawing_same_constants(bool *same, dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    *same = true;
    for (int i = 0; *same && !status && i < drawing->ntried; i++) {
        dfl_expr now;
        status = try_places(&now, drawing, drawing->tried[i].expr);
        *same = now == drawing->tried[i].constant;
    }
    return status;
}

static dfl_status try_places(dfl_expr *out, dfl_drawing *drawing, dfl_expr expr)
{
    enum { PLACES = 4 };
    dfl_part part;
    double first = 0.0;
    dfl_status status = dfl_part_create(&part, drawing->graph, &expr, 1);
    if (status)
        return status;
    double *value = dfl_alloc(drawing->ctx, part.count, sizeof *value);
    status = value ? DFL_OK : DFL_NO_MEMORY;
    bool moves = false;
    for (int place = 0; place < PLACES && !status && !moves; place++) {
        values_at(value, drawing, &part, place);
        const double now = value[part.count - 1];
        first = place == 0 ? now : first;
        moves = !(fabs(now - first) <= 1e-11 * fmax(1.0, fabs(first)));
    }
    *out = moves ? DFL_NO_EXPR : dfl_constant(drawing->graph, fabs(first) <= 1e-11 ? 0.0 : first);
    dfl_free(drawing->ctx, value);
    dfl_part_clear(&part);
    return status;
}

/* The values of all nodes of the part; the expression itself is the last one. */
static void values_at(double *value, const dfl_drawing *drawing, const dfl_part *part, int place)
{
    const dfl_graph *graph = drawing->graph;
    for (uint32_t i = 0; i < part->count; i++) {
        const dfl_node *node = &part->node[i];
        const int operands = dfl_op_operands((dfl_op)node->op);
        if (node->op == DFL_OP_CONSTANT)
            value[i] = dfl_constant_value(graph, part->expr[i]);
        else if (node->op == DFL_OP_SYMBOL)
            value[i] = symbol_at(drawing, &graph->symbols[node->a], place);
        else
            value[i] =
                dfl_op_value(graph, node, value[node->a], operands > 1 ? value[node->b] : 0.0,
                             operands > 2 ? value[node->c] : 0.0);
    }
}

/* Parameters and inputs have their values; coordinates, contact variables and time lie between -0.9
   and 1.1, without relation to each other. */
static double symbol_at(const dfl_drawing *drawing, const dfl_symbol *symbol, int place)
{
    if (symbol->kind == DFL_SYM_PARAM || symbol->kind == DFL_SYM_INPUT)
        return dfl_model_owner(drawing->model, symbol->expr)->value;
    const int kinds = DFL_SYM_KINDS;
    return 0.1 + dfl_generic(place, (int)symbol->kind + kinds * symbol->index);
}
