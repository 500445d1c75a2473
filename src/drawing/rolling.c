/* rolling.c: knife edges, and disks and balls that roll on a plane.

   A knife edge at P with lateral direction n, fixed in the body: n.v_P = 0. A disk of radius R with
   unit axis n on a plane with unit normal k touches it at c + R e, with c its centre and

       e = (-k + (k.n) n) / s,   s = sqrt(1 - (k.n)^2),        g = k.(c - o) - R s

   where o is a point of the plane; a ball has e = -k and s = 1. The velocity of the contact point,
   v_c + omega x R e, minus the velocity of the plane there, has three components: the one along k
   is the derivative of g, the other two are nonholonomic rows. A disk that lies flat (s = 0)
   touches everywhere. */
#include "drawing/closures.h"
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/reactions.h"
#include "drawing/vectors.h"

#include <math.h>

/* Directions and places in the world. */
typedef struct contact {
    dfl_vec k, across[2]; /* unit vectors: normal of the plane, directions in it */
    dfl_vec edge;         /* R e */
    dfl_vec place;        /* where they touch */
    dfl_expr gap;         /* g */
    dfl_vec slip;
} contact;

static dfl_status check_direction(const dfl_drawing *drawing, const char *call, const char *name,
                                  const char *what, dfl_vec direction);
static dfl_status tie_point(dfl_drawing *drawing, int body, dfl_vec at, int row, dfl_vec direction);
static dfl_status check_roller(const dfl_drawing *drawing, const dfl_drawn_roller *roller);
static dfl_status place(contact *con, dfl_drawing *drawing, const dfl_drawn_roller *roller);
static dfl_status set_edge(contact *con, dfl_drawing *drawing, const dfl_drawn_roller *roller,
                           dfl_vec centre, dfl_vec origin);
static dfl_status set_slip(contact *con, dfl_drawing *drawing, const dfl_drawn_roller *roller,
                           dfl_vec centre, dfl_vec origin);
static dfl_status declare_slip(dfl_drawing *drawing, const dfl_drawn_roller *roller,
                               const contact *con, int k);
static dfl_status tie(dfl_drawing *drawing, const dfl_drawn_roller *roller, const contact *con,
                      int row, dfl_vec direction);

dfl_status dfl_drawing_knife_edge(int *out, dfl_drawing *drawing, int line, const char *name,
                                  int body, dfl_vec at, dfl_vec lateral)
{
    dfl_graph *g = drawing->graph;
    dfl_mat R;
    dfl_vec v;
    dfl_status status = check_direction(drawing, "knife_edge", name, "lateral", lateral);
    if (!status)
        status = dfl_drawing_rotation(&R, drawing, body);
    if (!status)
        status = dfl_drawing_velocity(&v, drawing, body, at);
    if (status)
        return status;
    const dfl_vec n = mat_times(g, R, dfl_drawing_unit(drawing, lateral));
    status = dfl_model_nonholonomic(out, drawing->model, line, name, vec_dot(g, n, v));
    return status ? status : tie_point(drawing, body, at, *out, n);
}

dfl_status dfl_drawing_wheel_spin(int *out, dfl_drawing *drawing, int line, const char *name,
                                  int body, dfl_vec at, dfl_vec direction, dfl_expr radius,
                                  dfl_expr spin)
{
    dfl_graph *g = drawing->graph;
    dfl_expr rate;
    dfl_mat R;
    dfl_vec v;
    dfl_status status = check_direction(drawing, "rolling_wheel", name, "direction", direction);
    if (!status && (radius == 0 || !dfl_depends(g, spin, DFL_SYM_P)))
        status = dfl_fail(drawing->ctx, DFL_INVALID,
                          "rolling_wheel '%s': give radius, and spin, the angle by which the wheel "
                          "has turned, such as spin = axle.q",
                          name);
    if (!status)
        status = dfl_drawing_rate(&rate, drawing, spin);
    if (!status)
        status = dfl_drawing_rotation(&R, drawing, body);
    if (!status)
        status = dfl_drawing_velocity(&v, drawing, body, at);
    if (status)
        return status;
    const dfl_vec t = mat_times(g, R, dfl_drawing_unit(drawing, direction));
    status = dfl_model_nonholonomic(out, drawing->model, line, name,
                                    dfl_sub(g, vec_dot(g, t, v), dfl_mul(g, radius, rate)));
    return status ? status : tie_point(drawing, body, at, *out, t);
}

static dfl_status check_direction(const dfl_drawing *drawing, const char *call, const char *name,
                                  const char *what, dfl_vec direction)
{
    double d[3];
    const dfl_status status =
        dfl_drawing_read(d, drawing, direction.e, 3, dfl_model_sign, call, name, what);
    if (status || d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0)
        return status;
    return dfl_fail(drawing->ctx, DFL_INVALID,
                    "%s '%s': %s has length zero; give numbers that are not all zero", call, name,
                    what);
}

/* The force of a row at a point of a body, against the ground, for reactions. */
static dfl_status tie_point(dfl_drawing *drawing, int body, dfl_vec at, int row, dfl_vec direction)
{
    dfl_vec x;
    const dfl_status status = dfl_drawing_point(&x, drawing, body, at);
    return status ? status
                  : dfl_drawing_bond(drawing, DFL_GROUND, body,
                                     drawing->model->declarations.item[row].symbol, x, direction,
                                     vec_zero());
}

dfl_status dfl_drawing_roller(int *out, dfl_drawing *drawing, const dfl_drawn_roller *roller)
{
    contact con;
    dfl_status status = check_roller(drawing, roller);
    if (!status)
        status = place(&con, drawing, roller);
    if (!status)
        status = dfl_model_constraint(out, drawing->model, roller->line, roller->name, con.gap);
    if (!status) {
        drawing->model->declarations.item[*out].meaning = "distance";
        status = tie(drawing, roller, &con, *out, con.k);
    }
    const int rows = roller->slips ? 0 : drawing->planar ? 1 : 2;
    for (int k = 0; k < rows && !status; k++)
        status = declare_slip(drawing, roller, &con, k);
    if (!status)
        status = dfl_drawing_show(drawing,
                                  &(dfl_sight){.line = roller->line,
                                               .kind = vec_is_zero(roller->axis) && !drawing->planar
                                                           ? DFL_SEE_BALL
                                                           : DFL_SEE_DISK,
                                               .name = roller->name,
                                               .a = roller->body,
                                               .at = roller->at,
                                               .axis = roller->axis,
                                               .radius = roller->radius});
    return status ? status : dfl_graph_status(drawing->graph);
}

static dfl_status check_roller(const dfl_drawing *drawing, const dfl_drawn_roller *roller)
{
    const char *call = vec_is_zero(roller->axis) ? "rolling_ball" : "rolling_disk";
    double radius, n[3], a[3];
    dfl_status status = dfl_drawing_read(&radius, drawing, &roller->radius, 1, dfl_model_sign, call,
                                         roller->name, "radius");
    if (!status && !(radius > 0.0))
        status =
            dfl_fail(drawing->ctx, DFL_INVALID, "%s '%s': radius is %g; give a positive number",
                     call, roller->name, radius);
    if (!status)
        status = check_direction(drawing, call, roller->name, "normal", roller->normal);
    if (!status)
        status = dfl_drawing_read(a, drawing, roller->axis.e, 3, dfl_model_finite, call,
                                  roller->name, "axis");
    if (!status)
        status = dfl_drawing_read(n, drawing, roller->normal.e, 3, dfl_model_finite, call,
                                  roller->name, "normal");
    if (status || vec_is_zero(roller->axis) || roller->on == DFL_GROUND)
        return status;
    return roller->on != roller->body
               ? DFL_OK
               : dfl_fail(drawing->ctx, DFL_INVALID, "%s '%s': rolls on itself; give another body",
                          call, roller->name);
}

static dfl_status place(contact *con, dfl_drawing *drawing, const dfl_drawn_roller *roller)
{
    dfl_graph *g = drawing->graph;
    dfl_vec axes[3], centre, origin;
    dfl_mat R;
    dfl_status status = dfl_drawing_rotation(&R, drawing, roller->on);
    if (!status)
        status = dfl_drawing_point(&centre, drawing, roller->body, roller->at);
    if (!status)
        status = dfl_drawing_point(&origin, drawing, roller->on, roller->point);
    if (status)
        return status;
    dfl_drawing_axes(axes, drawing, roller->normal, vec_zero());
    if (drawing->planar) /* the direction in the plane of the drawing */
        axes[0] = vec_cross(g, axes[2], (dfl_vec){{0, 0, dfl_constant(g, 1.0)}});
    con->k = mat_times(g, R, axes[2]);
    con->across[0] = mat_times(g, R, axes[0]);
    con->across[1] = mat_times(g, R, axes[1]);
    status = set_edge(con, drawing, roller, centre, origin);
    return status ? status : set_slip(con, drawing, roller, centre, origin);
}

/* R e and g */
static dfl_status set_edge(contact *con, dfl_drawing *drawing, const dfl_drawn_roller *roller,
                           dfl_vec centre, dfl_vec origin)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr height = vec_dot(g, con->k, vec_sub(g, centre, origin));
    con->edge = vec_neg(g, vec_scale(g, roller->radius, con->k));
    con->gap = dfl_sub(g, height, roller->radius);
    if (vec_is_zero(roller->axis) || drawing->planar)
        return DFL_OK;
    dfl_mat R;
    const dfl_status status = dfl_drawing_rotation(&R, drawing, roller->body);
    if (status)
        return status;
    const dfl_vec n = mat_times(g, R, dfl_drawing_unit(drawing, roller->axis));
    const dfl_expr kn = vec_dot(g, con->k, n);
    const dfl_expr s =
        dfl_unary(g, DFL_OP_SQRT, dfl_sub(g, dfl_constant(g, 1.0), dfl_mul(g, kn, kn)));
    const dfl_vec e = vec_sub(g, vec_scale(g, kn, n), con->k);
    con->edge = vec_scale(g, dfl_div(g, roller->radius, s), e);
    con->gap = dfl_sub(g, height, dfl_mul(g, roller->radius, s));
    return DFL_OK;
}

/* Velocity of the roller's contact point relative to the plane. */
static dfl_status set_slip(contact *con, dfl_drawing *drawing, const dfl_drawn_roller *roller,
                           dfl_vec centre, dfl_vec origin)
{
    dfl_graph *g = drawing->graph;
    dfl_vec v, omega, v_plane, omega_plane;
    dfl_status status = dfl_drawing_velocity(&v, drawing, roller->body, roller->at);
    if (!status)
        status = dfl_drawing_omega(&omega, drawing, roller->body);
    if (!status)
        status = dfl_drawing_velocity(&v_plane, drawing, roller->on, roller->point);
    if (!status)
        status = dfl_drawing_omega(&omega_plane, drawing, roller->on);
    if (status)
        return status;
    con->place = vec_add(g, centre, con->edge);
    const dfl_vec arm = vec_sub(g, con->place, origin);
    con->slip = vec_sub(g, vec_cross_add(g, v, omega, con->edge),
                        vec_cross_add(g, v_plane, omega_plane, arm));
    return DFL_OK;
}

static dfl_status declare_slip(dfl_drawing *drawing, const dfl_drawn_roller *roller,
                               const contact *con, int k)
{
    int number = 0;
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(&text, "%s.slip%d", roller->name, k + 1);
    dfl_status status = text.status;
    if (!status)
        status =
            dfl_model_nonholonomic(&number, drawing->model, roller->line, dfl_text_string(&text),
                                   vec_dot(drawing->graph, con->across[k], con->slip));
    dfl_text_clear(&text);
    return status ? status : tie(drawing, roller, con, number, con->across[k]);
}

/* The force of a row along `direction`, for reactions. */
static dfl_status tie(dfl_drawing *drawing, const dfl_drawn_roller *roller, const contact *con,
                      int row, dfl_vec direction)
{
    return dfl_drawing_bond(drawing, roller->on, roller->body,
                            drawing->model->declarations.item[row].symbol, con->place, direction,
                            vec_zero());
}
