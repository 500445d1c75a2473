/* kinematics.c: where bodies are and how they move, as expressions in world axes.

   With w and u the angular velocity of a link relative to its parent and the velocity of its
   origin, both in axes of the link, d the vector between the origins:

       omega = omega_p + R w                     v = v_p + omega_p x d + R u
       alpha = alpha_p + omega_p x R w + R w'    a = a_p + alpha_p x d + omega_p x (omega_p x d)
                                                     + 2 omega_p x R u + R (w x u + u')

   A link whose axis is parallel to that of the turn before it adds its angle to the other one:
   world coordinates then contain sines and cosines of sums of angles and no products of them. */
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"

static dfl_mat quaternion_matrix(dfl_graph *g, const dfl_expr *e);
static void user_rates(dfl_vec *w, dfl_vec *u, dfl_graph *g, const dfl_link *link);
static dfl_pose next_pose(dfl_drawing *drawing, const dfl_pose *parent, const dfl_link *link);
static bool same(dfl_vec a, dfl_vec b);
static dfl_vec accelerate(dfl_vec *alpha, dfl_drawing *drawing, int index, bool bias);

/* -------------------------------------------------------------------------- links */

dfl_mat dfl_link_turn(dfl_drawing *drawing, const dfl_link *link)
{
    dfl_graph *g = drawing->graph;
    switch (link->kind) {
    case DFL_STEP_REVOLUTE:
    case DFL_STEP_SCREW:
        return mat_turn(g, link->axis, link->p[0]);
    case DFL_STEP_SPHERICAL:
        return quaternion_matrix(g, link->p);
    case DFL_STEP_FREE:
        return quaternion_matrix(g, link->p + 3);
    case DFL_STEP_USER:
        return link->motion->R;
    default:
        return mat_identity(g);
    }
}

/* The rotation that belongs to the direction of e: quaternions need not have length 1. */
static dfl_mat quaternion_matrix(dfl_graph *g, const dfl_expr *e)
{
    const dfl_expr one = dfl_constant(g, 1.0);
    dfl_expr length = dfl_mul(g, e[0], e[0]);
    for (int i = 1; i < 4; i++)
        length = dfl_add(g, length, dfl_mul(g, e[i], e[i]));
    const dfl_expr s = dfl_div(g, dfl_constant(g, 2.0), length);
    dfl_mat R;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const dfl_expr ei = e[1 + i], ej = e[1 + j], ek = e[1 + k];
        const dfl_expr rest = dfl_add(g, dfl_mul(g, ej, ej), dfl_mul(g, ek, ek));
        const dfl_expr both = dfl_mul(g, ei, ej), turn = dfl_mul(g, e[0], ek);
        R.e[4 * i] = dfl_sub(g, one, dfl_mul(g, s, rest));
        R.e[3 * i + j] = dfl_mul(g, s, dfl_sub(g, both, turn));
        R.e[3 * j + i] = dfl_mul(g, s, dfl_add(g, both, turn));
    }
    return R;
}

dfl_vec dfl_link_shift(dfl_drawing *drawing, const dfl_link *link)
{
    dfl_graph *g = drawing->graph;
    dfl_expr along = 0;
    if (link->kind == DFL_STEP_USER)
        return vec_add(g, link->offset, link->motion->r);
    if (link->kind == DFL_STEP_FREE)
        return vec_add(g, link->offset, (dfl_vec){{link->p[0], link->p[1], link->p[2]}});
    if (link->kind == DFL_STEP_PRISMATIC)
        along = link->p[0];
    else if (link->kind == DFL_STEP_SCREW)
        along = dfl_mul(g, link->lead, link->p[0]);
    return vec_add(g, link->offset, vec_scale(g, along, link->axis));
}

static void user_rates(dfl_vec *w, dfl_vec *u, dfl_graph *g, const dfl_link *link)
{
    const dfl_link_motion *m = link->motion;
    for (int k = 0; k <= m->n; k++) {
        const dfl_expr v = k < m->n ? link->v[k] : link->clock;
        *w = vec_add(g, *w, vec_scale(g, v, m->w[k]));
        *u = vec_add(g, *u, vec_scale(g, v, m->u[k]));
    }
}

void dfl_link_rates(dfl_vec *w, dfl_vec *u, dfl_drawing *drawing, const dfl_link *link,
                    dfl_vec axis)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr *v = link->v;
    *w = *u = vec_zero();
    if (link->kind == DFL_STEP_USER) {
        user_rates(w, u, g, link);
        return;
    }
    if (link->kind == DFL_STEP_SPHERICAL || link->kind == DFL_STEP_FREE)
        *w = (dfl_vec){{v[0], v[1], v[2]}};
    else if (link->kind != DFL_STEP_PRISMATIC)
        *w = vec_scale(g, v[0], axis);
    if (link->kind == DFL_STEP_FREE)
        *u = (dfl_vec){{v[3], v[4], v[5]}};
    else if (link->kind == DFL_STEP_PRISMATIC)
        *u = vec_scale(g, v[0], axis);
    else if (link->kind == DFL_STEP_SCREW)
        *u = vec_scale(g, dfl_mul(g, link->lead, v[0]), axis);
}

const dfl_pose *dfl_link_place(dfl_drawing *drawing, int index)
{
    dfl_link *link = &drawing->links[index];
    if (!link->posed)
        link->pose = next_pose(drawing, dfl_link_place(drawing, link->parent), link);
    link->posed = true;
    return &link->pose;
}

dfl_pose dfl_link_pose(dfl_drawing *drawing, int index, int from)
{
    const dfl_mat one = mat_identity(drawing->graph);
    if (index == from)
        return (dfl_pose){.base = one, .R = one};
    if (from == 0)
        return *dfl_link_place(drawing, index);
    const dfl_link *link = &drawing->links[index];
    const dfl_pose parent = dfl_link_pose(drawing, link->parent, from);
    return next_pose(drawing, &parent, link);
}

static dfl_pose next_pose(dfl_drawing *drawing, const dfl_pose *parent, const dfl_link *link)
{
    dfl_graph *g = drawing->graph;
    const bool turns = link->kind == DFL_STEP_REVOLUTE || link->kind == DFL_STEP_SCREW;
    dfl_pose pose = *parent;
    if (link->kind == DFL_STEP_USER && drawing->planar) {
        const dfl_vec z = {{0, 0, dfl_constant(g, 1.0)}};
        const bool down = same(parent->axis, vec_neg(g, z));
        pose.axis = down ? parent->axis : z;
        pose.angle = (down ? dfl_sub : dfl_add)(g, parent->angle, link->motion->turn);
        pose.R = mat_product(g, pose.base, mat_turn(g, pose.axis, pose.angle));
    } else if (turns && (vec_is_zero(parent->axis) || same(parent->axis, link->axis))) {
        pose.axis = link->axis;
        pose.angle = dfl_add(g, parent->angle, link->p[0]);
    } else if (turns && same(parent->axis, vec_neg(g, link->axis))) {
        pose.angle = dfl_sub(g, parent->angle, link->p[0]);
    } else if (turns) {
        pose.base = parent->R;
        pose.axis = link->axis;
        pose.angle = link->p[0];
    }
    if (turns) {
        pose.R = mat_product(g, pose.base, mat_turn(g, pose.axis, pose.angle));
    } else if (link->kind != DFL_STEP_PRISMATIC &&
               !(link->kind == DFL_STEP_USER && drawing->planar)) {
        pose.base = pose.R = mat_product(g, parent->R, dfl_link_turn(drawing, link));
        pose.axis = vec_zero();
        pose.angle = 0;
    }
    pose.arm = mat_times(g, parent->R, dfl_link_shift(drawing, link));
    pose.r = vec_add(g, parent->r, pose.arm);
    return pose;
}

static bool same(dfl_vec a, dfl_vec b)
{
    return a.e[0] == b.e[0] && a.e[1] == b.e[1] && a.e[2] == b.e[2];
}

dfl_mat dfl_link_axes(const dfl_drawing *drawing, int index)
{
    const dfl_link *link = &drawing->links[index];
    const bool turns = link->kind == DFL_STEP_REVOLUTE || link->kind == DFL_STEP_SCREW;
    return turns ? link->pose.base : link->pose.R;
}

void dfl_link_move(dfl_drawing *drawing, int index)
{
    dfl_link *link = &drawing->links[index];
    if (link->moving)
        return;
    dfl_link_move(drawing, link->parent);
    dfl_link_place(drawing, index);
    dfl_graph *g = drawing->graph;
    const dfl_link *parent = &drawing->links[link->parent];
    const dfl_mat A = dfl_link_axes(drawing, index);
    dfl_vec w, u;
    dfl_link_rates(&w, &u, drawing, link, link->axis);
    link->omega = vec_add(g, parent->omega, mat_times(g, A, w));
    link->u =
        vec_add(g, vec_cross_add(g, parent->u, parent->omega, link->pose.arm), mat_times(g, A, u));
    link->moving = true;
}

dfl_vec dfl_link_arm(dfl_drawing *drawing, int link, dfl_vec point)
{
    const dfl_vec from = vec_sub(drawing->graph, point, drawing->links[link].at);
    return mat_times(drawing->graph, dfl_link_place(drawing, link)->R, from);
}

/* -------------------------------------------------------------------------- bodies */

dfl_status dfl_drawing_rotation(dfl_mat *R, dfl_drawing *drawing, int body)
{
    int link;
    const dfl_status status = dfl_drawing_link(&link, drawing, body);
    if (status)
        return status;
    *R = dfl_link_place(drawing, link)->R;
    return dfl_graph_status(drawing->graph);
}

dfl_status dfl_drawing_point(dfl_vec *x, dfl_drawing *drawing, int body, dfl_vec point)
{
    int link;
    const dfl_status status = dfl_drawing_link(&link, drawing, body);
    if (status)
        return status;
    const dfl_vec arm = dfl_link_arm(drawing, link, point);
    *x = vec_add(drawing->graph, drawing->links[link].pose.r, arm);
    return dfl_graph_status(drawing->graph);
}

dfl_status dfl_drawing_angle(dfl_expr *angle, dfl_drawing *drawing, int body)
{
    int link;
    if (!drawing->planar)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "body '%s': bodies have an angle in plane models only; call planar() first",
                        dfl_drawing_body_name(drawing, body));
    const dfl_status status = dfl_drawing_link(&link, drawing, body);
    if (status)
        return status;
    *angle = dfl_link_angle(drawing, link);
    return dfl_graph_status(drawing->graph);
}

dfl_expr dfl_link_angle(const dfl_drawing *drawing, int link)
{
    dfl_graph *g = drawing->graph;
    dfl_expr angle = 0;
    for (; link > 0; link = drawing->links[link].parent) {
        const dfl_link *l = &drawing->links[link];
        if (l->kind == DFL_STEP_USER)
            angle = dfl_add(g, l->motion->turn, angle);
        else if (l->kind == DFL_STEP_REVOLUTE)
            angle = dfl_add(g, dfl_mul(g, l->axis.e[2], l->p[0]), angle);
    }
    return angle;
}

dfl_status dfl_drawing_omega(dfl_vec *omega, dfl_drawing *drawing, int body)
{
    int link;
    const dfl_status status = dfl_drawing_link(&link, drawing, body);
    if (status)
        return status;
    dfl_link_move(drawing, link);
    *omega = drawing->links[link].omega;
    return dfl_graph_status(drawing->graph);
}

dfl_status dfl_drawing_velocity(dfl_vec *v, dfl_drawing *drawing, int body, dfl_vec point)
{
    int link;
    const dfl_status status = dfl_drawing_link(&link, drawing, body);
    if (status)
        return status;
    dfl_link_move(drawing, link);
    const dfl_vec arm = dfl_link_arm(drawing, link, point);
    const dfl_link *l = &drawing->links[link];
    *v = vec_cross_add(drawing->graph, l->u, l->omega, arm);
    return dfl_graph_status(drawing->graph);
}

dfl_status dfl_drawing_acceleration(dfl_vec *alpha, dfl_vec *a, dfl_drawing *drawing, int body,
                                    dfl_vec point, bool bias)
{
    dfl_graph *g = drawing->graph;
    int link;
    const dfl_status status = dfl_drawing_link(&link, drawing, body);
    if (status)
        return status;
    dfl_link_move(drawing, link);
    const dfl_vec arm = dfl_link_arm(drawing, link, point);
    const dfl_vec omega = drawing->links[link].omega;
    *a = accelerate(alpha, drawing, link, bias);
    *a = vec_cross_add(g, *a, *alpha, arm);
    *a = vec_cross_add(g, *a, omega, vec_cross(g, omega, arm));
    return dfl_graph_status(g);
}

/* Angular acceleration of a link and acceleration of its origin. */
static dfl_vec accelerate(dfl_vec *alpha, dfl_drawing *drawing, int index, bool bias)
{
    if (index == 0) {
        *alpha = vec_zero();
        return vec_zero();
    }
    dfl_graph *g = drawing->graph;
    const dfl_link *link = &drawing->links[index], *parent = &drawing->links[link->parent];
    dfl_vec a = accelerate(alpha, drawing, link->parent, bias), w, u, wd, ud;
    dfl_link_rates(&w, &u, drawing, link, link->axis);
    const dfl_mat A = dfl_link_axes(drawing, index);
    dfl_link change = *link; /* with rates of rates */
    for (int k = 0; k < (link->dofs ? link->dofs : 1); k++)
        change.v[k] = link->dofs == 0 ? link->drive
                      : bias          ? 0
                                      : dfl_drawing_acceleration_symbol(drawing, link->v[k]);
    change.clock = 0;
    dfl_link_rates(&wd, &ud, drawing, &change, link->axis);
    if (link->kind == DFL_STEP_FREE || link->kind == DFL_STEP_USER)
        ud = vec_cross_add(g, ud, w, u);
    if (link->kind == DFL_STEP_USER) {
        wd = vec_add(g, wd, link->motion->wd);
        ud = vec_add(g, ud, link->motion->ud);
    }
    const dfl_vec omega = parent->omega, twice = vec_scale(g, dfl_constant(g, 2.0), omega);
    a = vec_cross_add(g, a, *alpha, link->pose.arm);
    a = vec_cross_add(g, a, omega, vec_cross(g, omega, link->pose.arm));
    a = vec_cross_add(g, a, twice, mat_times(g, A, u));
    *alpha = vec_cross_add(g, *alpha, omega, mat_times(g, A, w));
    *alpha = vec_add(g, *alpha, mat_times(g, A, wd));
    return vec_add(g, a, mat_times(g, A, ud));
}

/* The symbol that derive/equations.c uses. */
dfl_expr dfl_drawing_acceleration_symbol(const dfl_drawing *drawing, dfl_expr v)
{
    const dfl_symbol *symbol = &drawing->graph->symbols[dfl_node_of(drawing->graph, v)->a];
    const int index = symbol->index;
    dfl_text name = {.ctx = drawing->ctx};
    dfl_text_add(&name, "der(%s)", symbol->name);
    const dfl_expr a = dfl_symbol_expr(drawing->graph, DFL_SYM_A, index, dfl_text_string(&name));
    dfl_text_clear(&name);
    return a;
}
