/* touches.c: contacts that are open or closed, friction that sticks or slips. While it slips the
   friction is a force against the slip h; while it sticks, rows hold it.

   On a surface the direction of slip is written with a unit vector d near it and e across:

       h/|h| = (d + q e) / sqrt(1 + q^2),    q = (h.e)/(h.d)

   The solver chooses d when slip begins and whenever h.d falls below |h.e|/2. So slip that stops on
   a straight line has a constant friction up to its end and beyond, within a step that is taken
   again; h = 0 is no singularity, since (h.e)/(h.d) is (h.e)(h.d)/((h.d)^2 + s^2) with a speed s
   below the tolerance. */
#include "drawing/elements.h"

#include "drawing/drawing_internal.h"
#include "drawing/reactions.h"
#include "drawing/vectors.h"

#include <math.h>

static dfl_status check_coefficients(dfl_drawing *drawing, const dfl_touch_law *law);
static dfl_status rub(dfl_touch_symbols *out, dfl_drawing *drawing, const dfl_touch_law *law,
                      dfl_touch *made);
static dfl_status hold(dfl_drawing *drawing, const dfl_stroke *stroke, dfl_expr multiplier);
static void slip_on_surface(dfl_expr direction[2], dfl_model *model, dfl_touch *made);

dfl_status dfl_touch_add(dfl_touch_symbols *out, dfl_drawing *drawing, const dfl_touch_law *law)
{
    dfl_graph *g = drawing->graph;
    dfl_model *model = drawing->model;
    int number;
    dfl_status status = check_coefficients(drawing, law);
    dfl_touch touch = {.name = (char *)law->name,
                       .line = law->line,
                       .gap = law->gap,
                       .directions = law->directions,
                       .load = law->gap != DFL_NO_EXPR ? 0 : dfl_unary(g, DFL_OP_ABS, law->load),
                       .restitution = law->restitution};
    for (int k = 0; k < law->directions; k++)
        touch.slip[k] = law->along[k].xd;
    if (!status)
        status = dfl_model_touch(&number, model, &touch);
    if (status)
        return status;
    dfl_touch *made = &model->actions.touches.item[number];
    const dfl_discrete *modes = model->actions.discretes.item;
    *out = (dfl_touch_symbols){.load = made->load,
                               .closed = modes[made->closed].symbol,
                               .sense = modes[made->sense].symbol};
    if (made->normal >= 0)
        out->hit[0] = dfl_neg(g, model->declarations.item[made->normal].symbol);
    return law->directions > 0 ? rub(out, drawing, law, made) : DFL_OK;
}

dfl_status dfl_touch_transmits(dfl_drawing *drawing, const dfl_touch_symbols *touch, dfl_vec normal,
                               const dfl_surface *surface)
{
    dfl_graph *g = drawing->graph;
    const dfl_vec force = vec_add(g, vec_scale(g, touch->load, normal),
                                  dfl_surface_vector(g, surface, touch->friction));
    const dfl_vec impulse = vec_add(g, vec_scale(g, touch->hit[0], normal),
                                    dfl_surface_vector(g, surface, touch->hit + 1));
    return dfl_drawing_touching(drawing, surface->a, surface->b, surface->x, force, impulse);
}

/* The laws of friction, and its forces. */
static dfl_status rub(dfl_touch_symbols *out, dfl_drawing *drawing, const dfl_touch_law *law,
                      dfl_touch *made)
{
    dfl_graph *g = drawing->graph;
    dfl_model *model = drawing->model;
    const dfl_expr arm = dfl_mul(g, law->radius, made->load), sense = out->sense;
    const dfl_expr stick = model->actions.discretes.item[made->stick].symbol;
    dfl_expr direction[2] = {sense}, held = 0;
    dfl_status status = DFL_OK;
    made->coefficient = law->kinetic;
    made->kinetic = dfl_mul(g, law->kinetic, arm);
    made->limit = dfl_mul(g, law->sticking == DFL_NO_EXPR ? law->kinetic : law->sticking, arm);
    if (law->directions == 2)
        slip_on_surface(direction, model, made);
    for (int k = 0; !status && k < law->directions; k++) {
        const dfl_expr mu = model->declarations.item[made->tangent[k]].symbol;
        const dfl_expr force = dfl_mul(g, direction[k], made->kinetic);
        out->friction[k] = dfl_neg(g, dfl_add(g, dfl_mul(g, stick, mu), force));
        held = law->directions < 2 ? dfl_unary(g, DFL_OP_ABS, mu)
                                   : dfl_add(g, held, dfl_mul(g, mu, mu));
        status = dfl_stroke_push(drawing, &law->along[k], dfl_neg(g, force), false);
        if (!status)
            status = hold(drawing, &law->along[k], dfl_mul(g, stick, mu));
        out->hit[1 + k] = dfl_neg(g, mu);
    }
    out->total = out->friction[0];
    if (law->directions == 2) {
        held = dfl_unary(g, DFL_OP_SQRT, held);
        out->total = dfl_add(g, dfl_mul(g, stick, held), dfl_mul(g, sense, made->kinetic));
    }
    out->margin = dfl_sub(g, made->limit, held);
    return status;
}

/* What sticks between points of bodies is part of the reactions. */
static dfl_status hold(dfl_drawing *drawing, const dfl_stroke *stroke, dfl_expr multiplier)
{
    const bool straight = stroke->kind == DFL_STROKE_LINE;
    const dfl_vec none = vec_zero();
    dfl_vec x;
    if (!straight && stroke->kind != DFL_STROKE_TURN)
        return DFL_OK;
    const dfl_status status = dfl_drawing_point(&x, drawing, stroke->b, stroke->at_b);
    return status ? status
                  : dfl_drawing_bond(drawing, stroke->a, stroke->b, multiplier, x,
                                     straight ? stroke->u : none, straight ? none : stroke->u);
}

/* h/|h|, and h.d - |h.e|/2, rounded where h is below the speed s. */
static void slip_on_surface(dfl_expr direction[2], dfl_model *model, dfl_touch *made)
{
    dfl_graph *g = model->graph;
    const dfl_discrete *modes = model->actions.discretes.item;
    const dfl_expr d[2] = {modes[made->along[0]].symbol, modes[made->along[1]].symbol};
    const dfl_expr speed = modes[made->speed].symbol, *h = made->slip;
    const dfl_expr one = dfl_constant(g, 1), half = dfl_constant(g, 0.5);
    const dfl_expr small = dfl_mul(g, speed, speed);
    const dfl_expr along = dfl_add(g, dfl_mul(g, h[0], d[0]), dfl_mul(g, h[1], d[1]));
    const dfl_expr across = dfl_sub(g, dfl_mul(g, h[1], d[0]), dfl_mul(g, h[0], d[1]));
    const dfl_expr q =
        dfl_div(g, dfl_mul(g, across, along), dfl_add(g, dfl_mul(g, along, along), small));
    const dfl_expr length = dfl_unary(g, DFL_OP_SQRT, dfl_add(g, one, dfl_mul(g, q, q)));
    const dfl_expr wide = dfl_unary(g, DFL_OP_SQRT, dfl_add(g, dfl_mul(g, across, across), small));
    direction[0] = dfl_div(g, dfl_sub(g, d[0], dfl_mul(g, q, d[1])), length);
    direction[1] = dfl_div(g, dfl_add(g, d[1], dfl_mul(g, q, d[0])), length);
    made->sliding = dfl_sub(g, along, dfl_mul(g, half, dfl_sub(g, wide, speed)));
}

/* A number that keeps its value, within bounds. */
static dfl_status check_range(dfl_drawing *drawing, const char *what, dfl_expr expr, double most)
{
    double value;
    dfl_model *model = drawing->model;
    if (expr == DFL_NO_EXPR || !dfl_keeps_value(drawing->graph, expr))
        return DFL_OK;
    const dfl_status status = dfl_model_within(&value, model, expr, 0, most);
    if (status || (value >= 0 && value <= most))
        return status;
    return dfl_fail(model->ctx, DFL_INVALID,
                    most < INFINITY ? "%s is %g; give a number from 0 to %g"
                                    : "%s is %g; give a number that is not negative",
                    what, value, most);
}

static dfl_status check_coefficients(dfl_drawing *drawing, const dfl_touch_law *law)
{
    double kinetic, sticking, more;
    dfl_model *model = drawing->model;
    dfl_status status = check_range(drawing, "restitution", law->restitution, 1);
    if (!status && law->directions > 0)
        status = check_range(drawing, "the coefficient of friction", law->kinetic, INFINITY);
    if (status || law->directions == 0 || law->sticking == DFL_NO_EXPR ||
        !dfl_keeps_value(drawing->graph, law->kinetic) ||
        !dfl_keeps_value(drawing->graph, law->sticking))
        return status;
    status = dfl_model_number(&kinetic, model, law->kinetic);
    if (!status)
        status = dfl_model_number(&sticking, model, law->sticking);
    if (!status)
        status = dfl_model_within(
            &more, model, dfl_sub(drawing->graph, law->sticking, law->kinetic), 0, INFINITY);
    if (!status && sticking < kinetic)
        status = dfl_fail(model->ctx, DFL_INVALID,
                          "static friction %g is below sliding friction %g", sticking, kinetic);
    return status;
}
