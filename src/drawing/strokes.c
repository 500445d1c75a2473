/* strokes.c: scalars along which forces do work. */
#include "drawing/elements.h"

#include "drawing/drawing_internal.h"
#include "drawing/vectors.h"
#include "symbolic/symbolic.h"

static dfl_status push_along(dfl_drawing *drawing, const dfl_stroke *stroke, dfl_expr F,
                             bool stored);

bool dfl_keeps_value(const dfl_graph *g, dfl_expr e)
{
    const unsigned fixed = 1U << DFL_SYM_PARAM | 1U << DFL_SYM_INPUT;
    return !(dfl_node_of(g, e)->depends & ~fixed);
}

dfl_status dfl_stroke_line(dfl_stroke *out, dfl_drawing *drawing, int a, int b, dfl_vec at_a,
                           dfl_vec at_b, dfl_expr delta)
{
    dfl_graph *g = drawing->graph;
    dfl_vec xa, xb, va, vb;
    dfl_status status = dfl_drawing_need_node(&a, drawing, "line to", "body", at_a);
    if (!status)
        status = dfl_drawing_need_node(&b, drawing, "line to", "body", at_b);
    if (!status)
        status = dfl_drawing_point(&xa, drawing, a, at_a);
    if (!status)
        status = dfl_drawing_point(&xb, drawing, b, at_b);
    if (!status)
        status = dfl_drawing_velocity(&va, drawing, a, at_a);
    if (!status)
        status = dfl_drawing_velocity(&vb, drawing, b, at_b);
    if (status)
        return status;
    const dfl_vec d = vec_sub(g, xb, xa), drawn = vec_sub(g, at_b, at_a);
    const dfl_expr soft = dfl_mul(g, delta, delta);
    *out = (dfl_stroke){
        .kind = DFL_STROKE_LINE, .a = a, .b = b, .at_a = at_a, .at_b = at_b, .v = DFL_NO_EXPR};
    out->x = dfl_unary(g, DFL_OP_SQRT, dfl_add(g, vec_dot(g, d, d), soft));
    out->drawn = dfl_unary(g, DFL_OP_SQRT, dfl_add(g, vec_dot(g, drawn, drawn), soft));
    out->u = vec_scale(g, dfl_div(g, dfl_constant(g, 1.0), out->x), d);
    out->xd = vec_dot(g, out->u, vec_sub(g, vb, va));
    return dfl_graph_status(g);
}

/* x_A and x_B: an axis across, carried along by each body. */
dfl_status dfl_stroke_turn(dfl_stroke *out, dfl_drawing *drawing, int a, int b, dfl_vec axis)
{
    dfl_graph *g = drawing->graph;
    dfl_mat A, B;
    dfl_vec axes[3], wa, wb;
    dfl_status status = dfl_drawing_rotation(&A, drawing, a);
    if (!status)
        status = dfl_drawing_rotation(&B, drawing, b);
    if (!status)
        status = dfl_drawing_omega(&wa, drawing, a);
    if (!status)
        status = dfl_drawing_omega(&wb, drawing, b);
    if (status)
        return status;
    dfl_drawing_axes(axes, drawing, axis, vec_zero());
    const dfl_vec xa = mat_times(g, A, axes[0]), xb = mat_times(g, B, axes[0]);
    *out = (dfl_stroke){.kind = DFL_STROKE_TURN, .a = a, .b = b, .v = DFL_NO_EXPR};
    out->u = mat_times(g, A, axes[2]);
    out->x =
        dfl_binary(g, DFL_OP_ATAN2, vec_dot(g, out->u, vec_cross(g, xa, xb)), vec_dot(g, xa, xb));
    out->xd = vec_dot(g, out->u, vec_sub(g, wb, wa));
    return dfl_graph_status(g);
}

dfl_status dfl_stroke_joint(dfl_stroke *out, dfl_drawing *drawing, int joint, int component)
{
    const dfl_joint_symbols s = dfl_drawing_joint_symbols(drawing, joint);
    const char *name = dfl_drawing_joint_name(drawing, joint);
    if (s.motion != DFL_NO_EXPR)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "joint '%s' has a prescribed motion, which no force changes", name);
    if (s.loop)
        return dfl_fail(
            drawing->ctx, DFL_INVALID,
            "joint '%s' closes a loop and has no coordinate; give the two bodies and the "
            "axis instead, or let another joint close the loop (cut = true)",
            name);
    if (s.np == 0 || s.speeds)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "joint '%s' has no angle or shift of its own; give the two bodies instead",
                        name);
    if (component < 0 || component >= s.np)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "joint '%s' has %d coordinates; choose one from 1 to %d", name, s.np, s.np);
    *out = (dfl_stroke){
        .kind = DFL_STROKE_JOINT, .x = s.p[component], .xd = s.v[component], .v = s.v[component]};
    return DFL_OK;
}

/* xd = dx/dp p' + dx/dt */
dfl_status dfl_stroke_expr(dfl_stroke *out, dfl_drawing *drawing, dfl_expr x)
{
    dfl_model *model = drawing->model;
    const int most = model->count[DFL_A_POSITION] + 1;
    dfl_expr *symbols = dfl_alloc(model->ctx, (size_t)(2 * most), sizeof *symbols);
    if (!symbols)
        return DFL_NO_MEMORY;
    dfl_expr *rates = symbols + most;
    int n = 0;
    dfl_status status = DFL_OK;
    for (int i = 0; i < model->declarations.count && !status; i++)
        if (model->declarations.item[i].kind == DFL_A_POSITION) {
            symbols[n] = model->declarations.item[i].symbol;
            status = dfl_model_velocity(&rates[n++], model, model->declarations.item[i].symbol);
        }
    symbols[n] = dfl_symbol_expr(model->graph, DFL_SYM_TIME, 0, "time");
    rates[n++] = dfl_constant(model->graph, 1.0);
    *out = (dfl_stroke){.kind = DFL_STROKE_EXPR, .x = x, .v = DFL_NO_EXPR};
    if (!status)
        status = dfl_along_exprs(&out->xd, model->graph, &x, 1, symbols, rates, n);
    dfl_free(model->ctx, symbols);
    return status;
}

dfl_status dfl_stroke_push(dfl_drawing *drawing, const dfl_stroke *stroke, dfl_expr F, bool stored)
{
    dfl_graph *g = drawing->graph;
    const bool straight = stroke->kind == DFL_STROKE_LINE;
    if (F == 0)
        return dfl_graph_status(g);
    if (stroke->kind == DFL_STROKE_JOINT)
        return (stored ? dfl_model_stored_force : dfl_model_force)(drawing->model, stroke->line,
                                                                   stroke->v, F);
    if (stroke->kind == DFL_STROKE_EXPR)
        return push_along(drawing, stroke, F, stored);
    const dfl_vec on_b = vec_scale(g, F, stroke->u), on_a = vec_neg(g, on_b), none = vec_zero();
    dfl_status status = dfl_drawing_apply(drawing, stroke->b, stroke->at_b, straight ? on_b : none,
                                          straight ? none : on_b, stored);
    if (!status)
        status = dfl_drawing_apply(drawing, stroke->a, stroke->at_a, straight ? on_a : none,
                                   straight ? none : on_a, stored);
    return status;
}

/* The force F dxd/dv on every velocity. */
static dfl_status push_along(dfl_drawing *drawing, const dfl_stroke *stroke, dfl_expr F,
                             bool stored)
{
    dfl_model *model = drawing->model;
    const int most = model->count[DFL_A_POSITION] + model->count[DFL_A_SPEED];
    dfl_expr *v = dfl_alloc(model->ctx, (size_t)(2 * most + 1), sizeof *v), *slope = v + most;
    int n = 0;
    if (!v)
        return DFL_NO_MEMORY;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind == DFL_A_SPEED)
            v[n++] = decl->symbol;
        else if (decl->kind == DFL_A_POSITION && decl->expr == DFL_NO_EXPR)
            v[n++] = decl->velocity;
    }
    dfl_status status = dfl_gradient_exprs(slope, model->graph, stroke->xd, v, n);
    for (int i = 0; i < n && !status; i++)
        if (slope[i] != 0)
            status = (stored ? dfl_model_stored_force : dfl_model_force)(
                model, stroke->line, v[i], dfl_mul(model->graph, F, slope[i]));
    dfl_free(model->ctx, v);
    return status;
}
