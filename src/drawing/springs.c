/* springs.c: springs and dampers: along strokes, in series, and as bushings. */
#include "drawing/elements.h"

#include "context/context.h"
#include "drawing/drawing_internal.h"
#include "drawing/vectors.h"

/* Poses and velocities of both bodies at a bushing, with axes E of the bushing in the drawing. */
typedef struct mounting {
    dfl_mat A, B; /* from the drawing to the world */
    dfl_mat E;    /* columns */
    dfl_vec d;    /* from A's point to B's */
    dfl_vec v, w; /* of B relative to A: point and turn, in world axes */
    dfl_vec wa;
} mounting;

static dfl_status mount(mounting *m, dfl_drawing *drawing, const dfl_bushing *bushing);
static dfl_vec times_each(dfl_graph *g, dfl_vec a, dfl_vec b);
static dfl_vec into_axes(dfl_graph *g, dfl_mat E, dfl_mat R, dfl_vec world);
static dfl_vec into_world(dfl_graph *g, dfl_mat E, dfl_mat R, dfl_vec axes);
static dfl_expr quaternion(dfl_vec *e, dfl_graph *g, dfl_mat R);
static dfl_status push_parts(dfl_drawing *drawing, const dfl_bushing *bushing, const mounting *m,
                             dfl_vec force, dfl_vec torque, bool stored);
static dfl_status store(dfl_drawing *drawing, dfl_vec c, dfl_vec x);
static dfl_status check_constant(const dfl_drawing *drawing, const dfl_bushing *bushing);

dfl_status dfl_spring(dfl_expr *pull, dfl_drawing *drawing, const dfl_stroke *stroke, dfl_expr c,
                      dfl_expr d, dfl_expr rest)
{
    dfl_graph *g = drawing->graph;
    const bool stored = dfl_keeps_value(g, c) && dfl_keeps_value(g, rest);
    const dfl_expr stretch = dfl_sub(g, stroke->x, rest);
    const dfl_expr elastic = dfl_mul(g, c, stretch), viscous = dfl_mul(g, d, stroke->xd);
    *pull = dfl_add(g, elastic, viscous);
    dfl_status status = dfl_stroke_push(drawing, stroke, dfl_neg(g, elastic), stored);
    if (!status)
        status = dfl_stroke_push(drawing, stroke, dfl_neg(g, viscous), false);
    if (!status && stored && elastic != 0)
        status =
            dfl_model_stored(drawing->model, dfl_mul(g, dfl_constant(g, 0.5),
                                                     dfl_mul(g, c, dfl_mul(g, stretch, stretch))));
    return status;
}

dfl_status dfl_maxwell(dfl_expr *out, dfl_expr *pull, dfl_drawing *drawing, int line,
                       const char *name, const dfl_stroke *stroke, dfl_expr c, dfl_expr d,
                       dfl_expr rest)
{
    dfl_graph *g = drawing->graph;
    dfl_text variable = {.ctx = drawing->ctx};
    dfl_text_add(&variable, "%s.r", name);
    dfl_status status = variable.status;
    if (!status)
        status = dfl_model_variable(out, drawing->model, line, DFL_A_DYNAMIC,
                                    dfl_text_string(&variable));
    dfl_text_clear(&variable);
    if (!status && stroke->kind == DFL_STROKE_LINE)
        status = dfl_model_unit(drawing->model, dfl_model_owner(drawing->model, *out), "m");
    if (status)
        return status;
    const dfl_expr stretch = dfl_sub(g, dfl_sub(g, stroke->x, rest), *out);
    *pull = dfl_mul(g, c, stretch);
    status = dfl_model_equation(drawing->model, *out, dfl_div(g, *pull, d));
    return status ? status : dfl_stroke_push(drawing, stroke, dfl_neg(g, *pull), false);
}

/* -------------------------------------------------------------------------- bushings */

/* With R = A^T B the turn of B relative to A in the drawing's axes and its quaternion (e0, e), the
   potential eps^T C eps / 2 of eps = 2 e gives B the torque -(e0 1 - [e]x) C eps in its own axes,
   since e' = (e0 1 + [e]x) omega / 2. */
dfl_status dfl_bushing_add(dfl_bushing_symbols *out, dfl_drawing *drawing,
                           const dfl_bushing *bushing)
{
    dfl_graph *g = drawing->graph;
    mounting m;
    dfl_status status = check_constant(drawing, bushing);
    if (!status)
        status = mount(&m, drawing, bushing);
    if (status)
        return status;
    dfl_mat R;
    dfl_vec e;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R.e[3 * i + k] = vec_dot(g, mat_column(m.A, i), mat_column(m.B, k));
    const dfl_expr e0 = quaternion(&e, g, R), two = dfl_constant(g, 2.0);
    out->shift = into_axes(g, m.E, m.A, m.d);
    out->turn = vec_scale(g, two, mat_back(g, m.E, e));
    const dfl_vec rate = into_axes(g, m.E, m.A, vec_sub(g, m.v, vec_cross(g, m.wa, m.d)));
    const dfl_vec spin = into_axes(g, m.E, m.B, m.w);
    const dfl_vec Ce = mat_times(g, m.E, times_each(g, bushing->turn_stiffness, out->turn));
    const dfl_vec twist = vec_sub(g, vec_cross(g, e, Ce), vec_scale(g, e0, Ce)); /* in B */
    const dfl_vec elastic =
        vec_neg(g, into_world(g, m.E, m.A, times_each(g, bushing->stiffness, out->shift)));
    const dfl_vec viscous =
        vec_neg(g, into_world(g, m.E, m.A, times_each(g, bushing->damping, rate)));
    const dfl_vec elastic_turn = mat_times(g, m.B, twist);
    const dfl_vec viscous_turn =
        vec_neg(g, into_world(g, m.E, m.B, times_each(g, bushing->turn_damping, spin)));
    out->force = vec_add(g, elastic, viscous);
    out->torque = vec_add(g, elastic_turn, viscous_turn);
    status = push_parts(drawing, bushing, &m, elastic, elastic_turn, true);
    if (!status)
        status = push_parts(drawing, bushing, &m, viscous, viscous_turn, false);
    if (!status)
        status = store(drawing, bushing->stiffness, out->shift);
    return status ? status : store(drawing, bushing->turn_stiffness, out->turn);
}

static dfl_status check_constant(const dfl_drawing *drawing, const dfl_bushing *bushing)
{
    for (int i = 0; i < 3; i++)
        if (!dfl_keeps_value(drawing->graph, bushing->stiffness.e[i]) ||
            !dfl_keeps_value(drawing->graph, bushing->turn_stiffness.e[i]))
            return dfl_fail(drawing->ctx, DFL_INVALID,
                            "the stiffnesses of a bushing may contain only numbers, parameters and "
                            "inputs; use wrench for another law");
    return DFL_OK;
}

static dfl_status mount(mounting *m, dfl_drawing *drawing, const dfl_bushing *bushing)
{
    dfl_graph *g = drawing->graph;
    dfl_vec xa, xb, va, vb, wb, axes[3];
    dfl_status status = dfl_drawing_rotation(&m->A, drawing, bushing->a);
    if (!status)
        status = dfl_drawing_rotation(&m->B, drawing, bushing->b);
    if (!status)
        status = dfl_drawing_point(&xa, drawing, bushing->a, bushing->at);
    if (!status)
        status = dfl_drawing_point(&xb, drawing, bushing->b, bushing->at);
    if (!status)
        status = dfl_drawing_velocity(&va, drawing, bushing->a, bushing->at);
    if (!status)
        status = dfl_drawing_velocity(&vb, drawing, bushing->b, bushing->at);
    if (!status)
        status = dfl_drawing_omega(&m->wa, drawing, bushing->a);
    if (!status)
        status = dfl_drawing_omega(&wb, drawing, bushing->b);
    if (status)
        return status;
    dfl_drawing_axes(axes, drawing, bushing->axis, bushing->axis2);
    m->E = mat_transpose(mat_of_rows(axes));
    m->d = vec_sub(g, xb, xa);
    m->v = vec_sub(g, vb, va);
    m->w = vec_sub(g, wb, m->wa);
    return dfl_graph_status(g);
}

static dfl_vec times_each(dfl_graph *g, dfl_vec a, dfl_vec b)
{
    for (int i = 0; i < 3; i++)
        a.e[i] = dfl_mul(g, a.e[i], b.e[i]);
    return a;
}

/* Between the world and the axes E that a body with the rotation R carries. */
static dfl_vec into_axes(dfl_graph *g, dfl_mat E, dfl_mat R, dfl_vec world)
{
    return mat_back(g, E, mat_back(g, R, world));
}

static dfl_vec into_world(dfl_graph *g, dfl_mat E, dfl_mat R, dfl_vec axes)
{
    return mat_times(g, R, mat_times(g, E, axes));
}

/* e0 = sqrt(1 + tr R) / 2 >= 0, e from the antisymmetric part. */
static dfl_expr quaternion(dfl_vec *e, dfl_graph *g, dfl_mat R)
{
    const dfl_expr one = dfl_constant(g, 1.0);
    const dfl_expr trace = dfl_add(g, R.e[0], dfl_add(g, R.e[4], R.e[8]));
    const dfl_expr root = dfl_unary(g, DFL_OP_SQRT, dfl_add(g, one, trace));
    const dfl_expr scale = dfl_div(g, dfl_constant(g, 0.5), root);
    *e = vec_scale(g, scale,
                   (dfl_vec){{dfl_sub(g, R.e[7], R.e[5]), dfl_sub(g, R.e[2], R.e[6]),
                              dfl_sub(g, R.e[3], R.e[1])}});
    return dfl_mul(g, dfl_constant(g, 0.5), root);
}

/* The force acts at B's point on both bodies. */
static dfl_status push_parts(dfl_drawing *drawing, const dfl_bushing *bushing, const mounting *m,
                             dfl_vec force, dfl_vec torque, bool stored)
{
    dfl_graph *g = drawing->graph;
    if (vec_is_zero(force) && vec_is_zero(torque))
        return dfl_graph_status(g);
    const dfl_vec moment = vec_cross_add(g, torque, m->d, force);
    const dfl_status status =
        dfl_drawing_apply(drawing, bushing->b, bushing->at, force, torque, stored);
    return status ? status
                  : dfl_drawing_apply(drawing, bushing->a, bushing->at, vec_neg(g, force),
                                      vec_neg(g, moment), stored);
}

static dfl_status store(dfl_drawing *drawing, dfl_vec c, dfl_vec x)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr twice = vec_dot(g, x, times_each(g, c, x));
    return twice == 0 ? DFL_OK
                      : dfl_model_stored(drawing->model, dfl_mul(g, dfl_constant(g, 0.5), twice));
}
