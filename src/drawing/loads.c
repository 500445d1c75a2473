/* loads.c: forces and torques on bodies: given ones, friction, impacts, attraction. */
#include "drawing/elements.h"

#include "drawing/drawing_internal.h"
#include "drawing/vectors.h"

/* Where a sphere meets a plane or another sphere. */
typedef struct meeting {
    dfl_vec normal; /* from A to B, world axes */
    dfl_vec touch;  /* the place of B's sphere that is nearest */
    dfl_vec centre; /* of B's sphere */
    dfl_mat frame;  /* the rotation of A */
    dfl_expr gap, rate;
} meeting;

static dfl_status act(dfl_drawing *drawing, int a, int b, dfl_vec x, dfl_vec force, dfl_vec torque,
                      bool stored);
static dfl_status act_on(dfl_drawing *drawing, int body, dfl_vec x, dfl_vec force, dfl_vec torque,
                         bool stored);
static dfl_status velocity_at(dfl_vec *v, dfl_drawing *drawing, int body, dfl_vec x);
static dfl_status slip_at(dfl_vec *out, dfl_vec *velocity, dfl_drawing *drawing, int a, int b,
                          dfl_vec x, dfl_vec normal, dfl_expr grip, dfl_expr speed);
static dfl_status slip_along(dfl_surface *out, dfl_drawing *drawing, int line, int a, int b,
                             dfl_vec x, dfl_vec normal);
static void tangents_of_plane(dfl_vec tangent[2], dfl_drawing *drawing, dfl_mat A, dfl_vec normal);
static void tangents_of_sphere(dfl_vec tangent[2], dfl_graph *g, dfl_vec n);
static dfl_status meet(meeting *out, dfl_drawing *drawing, const dfl_impact *impact);
static dfl_status store_impact(dfl_drawing *drawing, const dfl_impact *impact, dfl_expr depth);

dfl_status dfl_load(dfl_drawing *drawing, int a, int b, dfl_vec at, dfl_vec force, dfl_vec torque)
{
    dfl_vec x;
    const dfl_status status = dfl_drawing_point(&x, drawing, b, at);
    return status ? status : act(drawing, a, b, x, force, torque, false);
}

dfl_status dfl_load_turn(dfl_vec *vector, dfl_drawing *drawing, int body, dfl_vec axis,
                         dfl_vec axis2)
{
    dfl_graph *g = drawing->graph;
    dfl_mat R;
    dfl_vec axes[3], sum = vec_zero();
    const dfl_status status = dfl_drawing_rotation(&R, drawing, body);
    if (status)
        return status;
    dfl_drawing_axes(axes, drawing, axis, axis2);
    for (int i = 0; i < 3; i++)
        sum = vec_add(g, sum, vec_scale(g, vector->e[i], axes[i]));
    *vector = mat_times(g, R, sum);
    return dfl_graph_status(g);
}

/* On B at the place x of the world, and the opposite on A at the same place. */
static dfl_status act(dfl_drawing *drawing, int a, int b, dfl_vec x, dfl_vec force, dfl_vec torque,
                      bool stored)
{
    dfl_graph *g = drawing->graph;
    const dfl_status status = act_on(drawing, b, x, force, torque, stored);
    return status ? status : act_on(drawing, a, x, vec_neg(g, force), vec_neg(g, torque), stored);
}

/* Moves the force to the point of the joint that the body hangs on. */
static dfl_status act_on(dfl_drawing *drawing, int body, dfl_vec x, dfl_vec force, dfl_vec torque,
                         bool stored)
{
    dfl_graph *g = drawing->graph;
    dfl_vec origin;
    if (body == DFL_GROUND)
        return dfl_graph_status(g);
    const dfl_vec at = drawing->joints[drawing->bodies[body].joint].drawn.at;
    const dfl_status status = dfl_drawing_point(&origin, drawing, body, at);
    if (status)
        return status;
    const dfl_vec moment = vec_cross_add(g, torque, vec_sub(g, x, origin), force);
    return dfl_drawing_apply(drawing, body, at, force, moment, stored);
}

/* The velocity of the place x of the world, carried along by the body. */
static dfl_status velocity_at(dfl_vec *v, dfl_drawing *drawing, int body, dfl_vec x)
{
    dfl_graph *g = drawing->graph;
    dfl_vec origin, omega;
    const dfl_vec zero = vec_zero();
    dfl_status status = dfl_drawing_point(&origin, drawing, body, zero);
    if (!status)
        status = dfl_drawing_velocity(v, drawing, body, zero);
    if (!status)
        status = dfl_drawing_omega(&omega, drawing, body);
    if (!status)
        *v = vec_cross_add(g, *v, omega, vec_sub(g, x, origin));
    return status;
}

/* -------------------------------------------------------------------------- friction */

dfl_expr dfl_smooth_sign(dfl_graph *g, dfl_expr x, dfl_expr s)
{
    const dfl_expr square = dfl_add(g, dfl_mul(g, x, x), dfl_mul(g, s, s));
    return dfl_div(g, x, dfl_unary(g, DFL_OP_SQRT, square));
}

dfl_status dfl_slip(dfl_vec *out, dfl_vec *velocity, dfl_drawing *drawing, int a, int b, dfl_vec at,
                    dfl_vec normal, dfl_expr grip, dfl_expr speed)
{
    dfl_mat R;
    dfl_vec x;
    dfl_status status = dfl_drawing_rotation(&R, drawing, a);
    if (!status)
        status = dfl_drawing_point(&x, drawing, b, at);
    if (status)
        return status;
    const dfl_vec n = mat_times(drawing->graph, R, dfl_drawing_unit(drawing, normal));
    return slip_at(out, velocity, drawing, a, b, x, n, grip, speed);
}

/* Friction of `grip` newtons at the place x, across a unit vector. */
static dfl_status slip_at(dfl_vec *out, dfl_vec *velocity, dfl_drawing *drawing, int a, int b,
                          dfl_vec x, dfl_vec normal, dfl_expr grip, dfl_expr speed)
{
    dfl_graph *g = drawing->graph;
    dfl_vec va, vb;
    dfl_status status = velocity_at(&va, drawing, a, x);
    if (!status)
        status = velocity_at(&vb, drawing, b, x);
    if (status)
        return status;
    const dfl_vec v = vec_sub(g, vb, va);
    *velocity = vec_sub(g, v, vec_scale(g, vec_dot(g, normal, v), normal));
    const dfl_expr square = dfl_add(g, vec_dot(g, *velocity, *velocity), dfl_mul(g, speed, speed));
    const dfl_expr size = dfl_unary(g, DFL_OP_ABS, grip);
    const dfl_expr k = dfl_div(g, size, dfl_unary(g, DFL_OP_SQRT, square));
    *out = vec_neg(g, vec_scale(g, k, *velocity));
    return act(drawing, a, b, x, *out, vec_zero(), false);
}

dfl_status dfl_surface_slip(dfl_surface *out, dfl_drawing *drawing, int line, int a, int b,
                            dfl_vec at, dfl_vec normal)
{
    dfl_mat R;
    dfl_vec x;
    dfl_status status = dfl_drawing_rotation(&R, drawing, a);
    if (!status)
        status = dfl_drawing_point(&x, drawing, b, at);
    if (status)
        return status;
    tangents_of_plane(out->tangent, drawing, R, normal);
    return slip_along(out, drawing, line, a, b, x,
                      mat_times(drawing->graph, R, dfl_drawing_unit(drawing, normal)));
}

/* Across a unit normal that is fixed to A. */
static void tangents_of_plane(dfl_vec tangent[2], dfl_drawing *drawing, dfl_mat A, dfl_vec normal)
{
    dfl_vec axes[3];
    dfl_drawing_axes(axes, drawing, normal, vec_zero());
    tangent[0] = mat_times(drawing->graph, A, axes[0]);
    tangent[1] = mat_times(drawing->graph, A, axes[1]);
}

/* Across a unit normal that goes anywhere: from x, or from y where the normal is near x. */
static void tangents_of_sphere(dfl_vec tangent[2], dfl_graph *g, dfl_vec n)
{
    const dfl_expr one = dfl_constant(g, 1.0);
    const dfl_expr near = dfl_sub(g, dfl_mul(g, n.e[0], n.e[0]), dfl_constant(g, 0.7853));
    const dfl_vec c = {{dfl_select(g, near, 0, one), dfl_select(g, near, one, 0), 0}};
    tangent[0] = vec_unit(g, vec_sub(g, c, vec_scale(g, vec_dot(g, n, c), n)));
    tangent[1] = vec_cross(g, n, tangent[0]);
}

/* Speeds of B on A at the place x along the tangents; in plane models along one. */
static dfl_status slip_along(dfl_surface *out, dfl_drawing *drawing, int line, int a, int b,
                             dfl_vec x, dfl_vec normal)
{
    dfl_graph *g = drawing->graph;
    dfl_vec va, vb;
    dfl_status status = velocity_at(&va, drawing, a, x);
    if (!status)
        status = velocity_at(&vb, drawing, b, x);
    if (status)
        return status;
    const bool planar = dfl_drawing_is_planar(drawing);
    out->a = a;
    out->b = b;
    out->x = x;
    if (planar)
        out->tangent[0] = (dfl_vec){{dfl_neg(g, normal.e[1]), normal.e[0], 0}};
    out->directions = planar ? 1 : 2;
    for (int k = 0; k < out->directions; k++)
        out->along[k] = (dfl_stroke){.kind = DFL_STROKE_EXPR,
                                     .line = line,
                                     .v = DFL_NO_EXPR,
                                     .xd = vec_dot(g, out->tangent[k], vec_sub(g, vb, va))};
    return dfl_graph_status(g);
}

dfl_vec dfl_surface_vector(dfl_graph *g, const dfl_surface *surface, const dfl_expr part[2])
{
    dfl_vec sum = vec_zero();
    for (int k = 0; k < surface->directions; k++)
        sum = vec_add(g, sum, vec_scale(g, part[k], surface->tangent[k]));
    return sum;
}

/* -------------------------------------------------------------------------- impacts */

/* F = k depth^n (1 + 1.5 chi depth') with depth = max(0, -gap), and no pull where the bracket is
   negative (Hunt & Crossley 1975). */
dfl_status dfl_impact_add(dfl_impact_symbols *out, dfl_drawing *drawing, const dfl_impact *impact)
{
    dfl_graph *g = drawing->graph;
    meeting m;
    dfl_status status = meet(&m, drawing, impact);
    if (status)
        return status;
    const dfl_expr one = dfl_constant(g, 1.0),
                   losses = dfl_mul(g, dfl_constant(g, 1.5), impact->damping);
    const dfl_expr depth = dfl_binary(g, DFL_OP_MAX, 0, dfl_neg(g, m.gap));
    const dfl_expr elastic =
        dfl_mul(g, impact->stiffness, dfl_binary(g, DFL_OP_POW, depth, impact->exponent));
    const dfl_expr factor =
        dfl_binary(g, DFL_OP_MAX, 0, dfl_sub(g, one, dfl_mul(g, losses, m.rate)));
    const bool stored =
        dfl_keeps_value(g, impact->stiffness) && dfl_keeps_value(g, impact->exponent);
    *out = (dfl_impact_symbols){.gap = m.gap, .rate = m.rate};
    out->force = losses == 0 ? elastic : dfl_mul(g, elastic, factor);
    const dfl_expr excess = dfl_sub(g, out->force, elastic);
    status = act(drawing, impact->a, impact->b, m.touch, vec_scale(g, elastic, m.normal),
                 vec_zero(), stored);
    if (!status && excess != 0)
        status = act(drawing, impact->a, impact->b, m.touch, vec_scale(g, excess, m.normal),
                     vec_zero(), false);
    if (!status && stored)
        status = store_impact(drawing, impact, depth);
    if (!status && impact->grip != 0) {
        dfl_vec velocity;
        status = slip_at(&out->slip, &velocity, drawing, impact->a, impact->b, m.touch, m.normal,
                         dfl_mul(g, impact->grip, out->force), impact->speed);
    }
    return status ? status : dfl_graph_status(g);
}

dfl_status dfl_impact_rigid(dfl_rigid_impact *out, dfl_drawing *drawing, int line,
                            const dfl_impact *impact)
{
    meeting m;
    const dfl_status status = meet(&m, drawing, impact);
    if (status)
        return status;
    *out = (dfl_rigid_impact){.gap = m.gap, .rate = m.rate, .normal = m.normal};
    if (impact->sphere)
        tangents_of_sphere(out->surface.tangent, drawing->graph, m.normal);
    else
        tangents_of_plane(out->surface.tangent, drawing, m.frame, impact->normal);
    return slip_along(&out->surface, drawing, line, impact->a, impact->b, m.touch, m.normal);
}

static dfl_status meet(meeting *out, dfl_drawing *drawing, const dfl_impact *impact)
{
    dfl_graph *g = drawing->graph;
    dfl_vec other, va, vb;
    dfl_status status = dfl_drawing_point(&out->centre, drawing, impact->b, impact->at);
    if (!status)
        status = dfl_drawing_point(&other, drawing, impact->a, impact->other);
    if (!status)
        status = dfl_drawing_rotation(&out->frame, drawing, impact->a);
    if (status)
        return status;
    const dfl_vec d = vec_sub(g, out->centre, other);
    if (impact->sphere) {
        const dfl_expr distance = dfl_unary(g, DFL_OP_SQRT, vec_dot(g, d, d));
        out->normal = vec_scale(g, dfl_div(g, dfl_constant(g, 1.0), distance), d);
        out->gap = dfl_sub(g, distance, dfl_add(g, impact->radius, impact->other_radius));
    } else {
        out->normal = mat_times(g, out->frame, dfl_drawing_unit(drawing, impact->normal));
        out->gap = dfl_sub(g, vec_dot(g, out->normal, d), impact->radius);
    }
    out->touch = vec_sub(g, out->centre, vec_scale(g, impact->radius, out->normal));
    status = velocity_at(&va, drawing, impact->a, out->centre);
    if (!status)
        status = velocity_at(&vb, drawing, impact->b, out->centre);
    if (!status)
        out->rate = vec_dot(g, out->normal, vec_sub(g, vb, va));
    return status;
}

/* k depth^(n+1) / (n+1) */
static dfl_status store_impact(dfl_drawing *drawing, const dfl_impact *impact, dfl_expr depth)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr next = dfl_add(g, impact->exponent, dfl_constant(g, 1.0));
    const dfl_expr power = dfl_binary(g, DFL_OP_POW, depth, next);
    return dfl_model_stored(drawing->model, dfl_mul(g, impact->stiffness, dfl_div(g, power, next)));
}

/* -------------------------------------------------------------------------- attraction */

/* V = -mu m / r - mu (tr J - 3 u.J u) / (2 r^3) with u = r / |r|, J the inertia in world axes
   (MacCullagh): F = -mu m r / r^3 - (3 mu / 2 r^5) (tr J r + 2 J r - 5 (u.J u) r),  N = 3 mu / r^5
   r x J r. */
dfl_status dfl_attraction(dfl_vec *force, dfl_vec *torque, dfl_drawing *drawing, int body,
                          dfl_vec centre, dfl_expr mu, bool gradient)
{
    dfl_graph *g = drawing->graph;
    const dfl_placed_body *b = &drawing->bodies[body];
    const dfl_vec com = b->com;
    const dfl_expr mass = b->mass;
    dfl_sym J = b->inertia;
    dfl_vec x;
    dfl_mat R;
    dfl_status status = dfl_drawing_point(&x, drawing, body, com);
    if (!status)
        status = dfl_drawing_rotation(&R, drawing, body);
    if (status)
        return status;
    const dfl_vec r = vec_sub(g, x, centre);
    const dfl_expr square = vec_dot(g, r, r), distance = dfl_unary(g, DFL_OP_SQRT, square);
    const dfl_expr k = dfl_div(g, mu, dfl_mul(g, distance, square)); /* mu / r^3 */
    dfl_expr V = dfl_neg(g, dfl_div(g, dfl_mul(g, mu, mass), distance));
    *force = vec_neg(g, vec_scale(g, dfl_mul(g, k, mass), r));
    *torque = vec_zero();
    if (gradient) {
        J = sym_rotate(g, R, J);
        const dfl_vec Jr = sym_times(g, J, r);
        const dfl_expr half = dfl_constant(g, 0.5),
                       three = dfl_div(g, dfl_mul(g, dfl_constant(g, 3.0), k), square);
        const dfl_expr trace = dfl_add(g, J.e[0], dfl_add(g, J.e[1], J.e[2]));
        const dfl_expr along = dfl_div(g, vec_dot(g, r, Jr), square); /* u.J u */
        const dfl_expr radial = dfl_sub(g, trace, dfl_mul(g, dfl_constant(g, 5.0), along));
        const dfl_vec part =
            vec_add(g, vec_scale(g, radial, r), vec_scale(g, dfl_constant(g, 2.0), Jr));
        *force = vec_sub(g, *force, vec_scale(g, dfl_mul(g, half, three), part));
        *torque = vec_scale(g, three, vec_cross(g, r, Jr));
        V = dfl_sub(g, V,
                    dfl_mul(g, dfl_mul(g, half, k),
                            dfl_sub(g, trace, dfl_mul(g, dfl_constant(g, 3.0), along))));
    }
    status = dfl_drawing_apply(drawing, body, com, *force, *torque, true);
    return status ? status : dfl_model_stored(drawing->model, V);
}
