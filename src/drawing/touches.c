/* touches.c: contacts that are open or closed, friction that sticks or slips. While it slips the
   friction is a force against the sense of slip; while it sticks, a row holds it. */
#include "drawing/elements.h"

#include "drawing/drawing_internal.h"

#include <math.h>

static dfl_status check_coefficients(dfl_drawing *drawing, const dfl_touch_law *law);

dfl_status dfl_touch_add(dfl_touch_symbols *out, dfl_drawing *drawing, const dfl_touch_law *law)
{
    dfl_graph *g = drawing->graph;
    dfl_model *model = drawing->model;
    int number;
    dfl_status status = check_coefficients(drawing, law);
    const dfl_touch touch = {.name = (char *)law->name,
                             .line = law->line,
                             .gap = law->gap,
                             .slip = law->along ? law->along->xd : DFL_NO_EXPR,
                             .load =
                                 law->gap != DFL_NO_EXPR ? 0 : dfl_unary(g, DFL_OP_ABS, law->load),
                             .restitution = law->restitution};
    if (!status)
        status = dfl_model_touch(&number, model, &touch);
    if (status)
        return status;
    dfl_touch *made = &model->actions.touches.item[number];
    const dfl_discrete *modes = model->actions.discretes.item;
    const dfl_expr stick = modes[made->stick].symbol, sense = modes[made->sense].symbol;
    *out = (dfl_touch_symbols){
        .load = made->load, .closed = modes[made->closed].symbol, .sense = sense};
    if (!law->along)
        return DFL_OK;
    const dfl_expr arm = dfl_mul(g, law->radius, made->load);
    const dfl_expr mu = model->declarations.item[made->tangent].symbol;
    made->coefficient = law->kinetic;
    made->kinetic = dfl_mul(g, law->kinetic, arm);
    made->limit = dfl_mul(g, law->sticking == DFL_NO_EXPR ? law->kinetic : law->sticking, arm);
    out->friction = dfl_neg(g, dfl_add(g, dfl_mul(g, stick, mu), dfl_mul(g, sense, made->kinetic)));
    out->margin = dfl_sub(g, made->limit, dfl_unary(g, DFL_OP_ABS, mu));
    return dfl_stroke_push(drawing, law->along, dfl_neg(g, dfl_mul(g, sense, made->kinetic)),
                           false);
}

/* A number that keeps its value, within bounds. */
static dfl_status check_range(dfl_drawing *drawing, const char *what, dfl_expr expr, double most)
{
    double value;
    dfl_model *model = drawing->model;
    if (expr == DFL_NO_EXPR || !dfl_keeps_value(drawing->graph, expr))
        return DFL_OK;
    const dfl_status status = dfl_model_value(&value, model, expr);
    if (status || (value >= 0 && value <= most))
        return status;
    return dfl_fail(model->ctx, DFL_INVALID,
                    most < INFINITY ? "%s is %g; give a number from 0 to %g"
                                    : "%s is %g; give a number that is not negative",
                    what, value, most);
}

static dfl_status check_coefficients(dfl_drawing *drawing, const dfl_touch_law *law)
{
    double kinetic, sticking;
    dfl_model *model = drawing->model;
    dfl_status status = check_range(drawing, "restitution", law->restitution, 1);
    if (!status && law->along)
        status = check_range(drawing, "the coefficient of friction", law->kinetic, INFINITY);
    if (status || !law->along || law->sticking == DFL_NO_EXPR ||
        !dfl_keeps_value(drawing->graph, law->kinetic) ||
        !dfl_keeps_value(drawing->graph, law->sticking))
        return status;
    status = dfl_model_value(&kinetic, model, law->kinetic);
    if (!status)
        status = dfl_model_value(&sticking, model, law->sticking);
    if (!status && sticking < kinetic)
        status = dfl_fail(model->ctx, DFL_INVALID,
                          "static friction %g is below sliding friction %g", sticking, kinetic);
    return status;
}
