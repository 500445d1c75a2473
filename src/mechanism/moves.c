/* moves.c: whether an expression changes with the coordinates.

   A row of a plane mechanism that is drawn in space contains coordinates even if no motion changes it: the parts
   cancel, but not as expressions, where axes are not those of coordinates. Its value at unlike places tells; what
   remains of cancelled parts is rounding, which would spoil the rank of the constraints. */
#include "mechanism/drawing_internal.h"

#include "symbolic/derive.h"

#include <math.h>

static dfl_status value_at(double *out, dfl_drawing *drawing, dfl_expr expr, int place);

dfl_status dfl_drawing_constant(dfl_expr *out, dfl_drawing *drawing, dfl_expr expr)
{
    enum { PLACES = 4 };
    double first = 0.0, value = 0.0;
    *out = expr;
    if (!dfl_depends(drawing->graph, expr, DFL_SYM_P) &&
        !dfl_depends(drawing->graph, expr, DFL_SYM_S))
        return DFL_OK;
    dfl_status status = value_at(&first, drawing, expr, 0);
    for (int place = 1; place < PLACES && !status; place++) {
        status = value_at(&value, drawing, expr, place);
        if (!(fabs(value - first) <= 1e-11 * fmax(1.0, fabs(first)))) {
            *out = DFL_NO_EXPR;
            return status;
        }
    }
    *out = dfl_constant(drawing->graph, fabs(first) <= 1e-11 ? 0.0 : first);
    return status;
}

/* All coordinates, contact variables and time are fractions of multiples of irrational numbers. */
static dfl_status value_at(double *out, dfl_drawing *drawing, dfl_expr expr, int place)
{
    dfl_graph *g = drawing->graph;
    const size_t count = (size_t)g->nsymbols;
    dfl_expr *symbols = dfl_alloc(drawing->ctx, count, sizeof *symbols);
    dfl_expr *values = dfl_alloc(drawing->ctx, count, sizeof *values);
    dfl_status status = symbols && values ? DFL_OK : DFL_NO_MEMORY;
    int n = 0;
    for (int i = 0; i < g->nsymbols && !status; i++) {
        const dfl_symbol_kind kind = g->symbols[i].kind;
        if (kind != DFL_SYM_P && kind != DFL_SYM_S && kind != DFL_SYM_TIME)
            continue;
        const double phase = (place + 1) * sqrt(2.0 + n) + 0.618 * n;
        symbols[n] = g->symbols[i].expr;
        values[n++] = dfl_constant(g, 2.0 * (phase - floor(phase)) - 0.9);
    }
    if (!status)
        status = dfl_substitute_exprs(&expr, g, &expr, 1, symbols, values, n);
    if (!status)
        status = dfl_model_value(out, drawing->model, expr);
    dfl_free(drawing->ctx, symbols);
    dfl_free(drawing->ctx, values);
    return status;
}
