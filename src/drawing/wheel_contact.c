/* wheel_contact.c: a wheel, a profile turned about an axis, on a rail, a profile shifted along a
   line.

   Two of the four contact variables of two surfaces follow directly. The wheel touches where its
   circumference is tangent to the rail: the radius there points along e, which lies in the plane of
   the axle a and the rail's normal n,

       e = -(n - (n.a) a) / sqrt(1 - (n.a)^2)

   and along the rail, direction t, the contact is where the wheel is. With the profiles (lateral
   l(u), radius r(u)) of the wheel and x(y) of the rail there remain u and y:
   x1 = centre + l a + r e, D = x1 - x(y) without its part along t,

       c = ((l' a + r' e).n, D.x'),      g = n.D

   Where the wheel rolls, the points of both bodies at x1 have the same velocity along t, or across
   it along n x t. */
#include "drawing/closures.h"
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/reactions.h"
#include "drawing/vectors.h"
#include "symbolic/symbolic.h"

#include <math.h>

/* Vectors in the world. */
typedef struct contact {
    dfl_vec a, n, e, t; /* axle, normal of the rail, radius, along the rail */
    dfl_vec slope;      /* x' */
    dfl_vec centre;     /* of the wheel */
    dfl_vec x, D;       /* x1, and without its part along the rail x1 - x */
} contact;

static dfl_status place(contact *con, dfl_drawing *drawing, const dfl_drawn_wheel *wheel);
static dfl_status declare_rolling(dfl_drawing *drawing, const dfl_drawn_wheel *wheel,
                                  const contact *con);
static dfl_status slip_velocity(dfl_vec *slip, dfl_drawing *drawing, const dfl_drawn_wheel *wheel,
                                const contact *con);
static dfl_status towards_wheel(dfl_expr *sign, dfl_drawing *drawing, const dfl_drawn_wheel *wheel,
                                dfl_vec normal);
static dfl_vec without(dfl_graph *g, dfl_vec b, dfl_vec along);

dfl_status dfl_drawing_wheel(int *out, dfl_drawing *drawing, const dfl_drawn_wheel *wheel)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr one = dfl_constant(g, 1.0), profile[2] = {wheel->lateral, wheel->radius};
    dfl_expr rate[2];
    contact con;
    dfl_status status = dfl_along_exprs(rate, g, profile, 2, &wheel->u, &one, 1);
    if (!status && rate[0] == 0 && rate[1] == 0)
        status = dfl_fail(drawing->ctx, DFL_INVALID,
                          "contact_wheel '%s': the wheel's profile does not depend on its "
                          "parameter; return lateral place and radius as functions of it",
                          wheel->name);
    if (!status)
        status = place(&con, drawing, wheel);
    if (status)
        return status;
    const dfl_vec along = vec_add(g, vec_scale(g, rate[0], con.a), vec_scale(g, rate[1], con.e));
    status = dfl_model_equation(drawing->model, wheel->u, vec_dot(g, along, con.n));
    if (!status)
        status = dfl_model_equation(drawing->model, wheel->y,
                                    vec_dot(g, without(g, con.D, con.t), con.slope));
    if (!status)
        status = dfl_model_constraint(out, drawing->model, wheel->line, wheel->name,
                                      vec_dot(g, con.n, con.D));
    if (!status) {
        dfl_declaration *row = &drawing->model->declarations.item[*out];
        row->meaning = "contact";
        status =
            dfl_drawing_bond(drawing, wheel->b, wheel->a, row->symbol, con.x, con.n, vec_zero());
    }
    if (!status && (wheel->rolls[0] || wheel->rolls[1]))
        status = declare_rolling(drawing, wheel, &con);
    return status ? status : dfl_graph_status(g);
}

static dfl_status place(contact *con, dfl_drawing *drawing, const dfl_drawn_wheel *wheel)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr one = dfl_constant(g, 1.0);
    dfl_vec centre, x, slope, axle, along;
    dfl_expr sign;
    dfl_mat A, B;
    dfl_status status = dfl_drawing_direction(&axle, drawing, wheel->name, wheel->axis);
    if (!status)
        status = dfl_drawing_direction(&along, drawing, wheel->name, wheel->along);
    if (!status)
        status = dfl_drawing_rotation(&A, drawing, wheel->a);
    if (!status)
        status = dfl_drawing_rotation(&B, drawing, wheel->b);
    if (!status)
        status = dfl_drawing_point(&centre, drawing, wheel->a, wheel->at);
    if (!status)
        status = dfl_drawing_point(&x, drawing, wheel->b, wheel->rail);
    if (!status)
        status = dfl_along_exprs(slope.e, g, wheel->rail.e, 3, &wheel->y, &one, 1);
    if (status)
        return status;
    const dfl_vec across = vec_cross(g, along, slope);
    if (vec_is_zero(across))
        status = dfl_fail(drawing->ctx, DFL_INVALID,
                          "contact_wheel '%s': the rail's profile runs along the rail; return "
                          "points of its cross-section as functions of the parameter",
                          wheel->name);
    if (!status)
        status = towards_wheel(&sign, drawing, wheel, across);
    if (status)
        return status;
    con->a = mat_times(g, A, axle);
    con->t = mat_times(g, B, along);
    con->n = mat_times(g, B, vec_scale(g, sign, vec_unit(g, across)));
    con->e = vec_neg(g, vec_unit(g, without(g, con->n, con->a)));
    con->slope = mat_times(g, B, without(g, slope, along));
    con->centre = centre;
    con->x = vec_add(g, vec_add(g, centre, vec_scale(g, wheel->lateral, con->a)),
                     vec_scale(g, wheel->radius, con->e));
    con->D = vec_sub(g, con->x, x);
    return DFL_OK;
}

/* NAME.slip1 along the rail, NAME.slip2 across it. */
static dfl_status declare_rolling(dfl_drawing *drawing, const dfl_drawn_wheel *wheel,
                                  const contact *con)
{
    dfl_graph *g = drawing->graph;
    const dfl_vec directions[2] = {con->t, vec_cross(g, con->n, con->t)};
    dfl_vec slip;
    dfl_status status = slip_velocity(&slip, drawing, wheel, con);
    for (int k = 0; k < 2 && !status; k++) {
        int number = 0;
        dfl_text name = {.ctx = drawing->ctx};
        if (!wheel->rolls[k])
            continue;
        dfl_text_add(&name, "%s.slip%d", wheel->name, k + 1);
        status = name.status;
        if (!status)
            status =
                dfl_model_nonholonomic(&number, drawing->model, wheel->line, dfl_text_string(&name),
                                       vec_dot(g, directions[k], slip));
        dfl_text_clear(&name);
        if (!status)
            status = dfl_drawing_bond(drawing, wheel->b, wheel->a,
                                      drawing->model->declarations.item[number].symbol, con->x,
                                      directions[k], vec_zero());
    }
    return status;
}

/* Of the wheel relative to the rail, at the contact. */
static dfl_status slip_velocity(dfl_vec *slip, dfl_drawing *drawing, const dfl_drawn_wheel *wheel,
                                const contact *con)
{
    dfl_graph *g = drawing->graph;
    dfl_vec v, omega, origin, v_rail, omega_rail;
    dfl_status status = dfl_drawing_velocity(&v, drawing, wheel->a, wheel->at);
    if (!status)
        status = dfl_drawing_omega(&omega, drawing, wheel->a);
    if (!status)
        status = dfl_drawing_point(&origin, drawing, wheel->b, wheel->at);
    if (!status)
        status = dfl_drawing_velocity(&v_rail, drawing, wheel->b, wheel->at);
    if (!status)
        status = dfl_drawing_omega(&omega_rail, drawing, wheel->b);
    if (status)
        return status;
    *slip = vec_sub(g, vec_cross_add(g, v, omega, vec_sub(g, con->x, con->centre)),
                    vec_cross_add(g, v_rail, omega_rail, vec_sub(g, con->x, origin)));
    return DFL_OK;
}

/* The sign with which the normal points from the rail to the wheel's centre, in the drawing, at the
   start. */
static dfl_status towards_wheel(dfl_expr *sign, dfl_drawing *drawing, const dfl_drawn_wheel *wheel,
                                dfl_vec normal)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr start = dfl_constant(g, wheel->start);
    const dfl_vec up = vec_sub(g, wheel->at, wheel->rail);
    dfl_expr height = vec_dot(g, normal, up);
    double value = 0.0;
    dfl_status status = dfl_substitute_exprs(&height, g, &height, 1, &wheel->y, &start, 1);
    if (!status)
        status = dfl_drawing_read(&value, drawing, &height, 1, dfl_model_sign, "contact_wheel",
                                  wheel->name, "the rail's profile");
    *sign = dfl_constant(g, value < 0.0 ? -1.0 : 1.0);
    return status;
}

/* b - (b.along) along */
static dfl_vec without(dfl_graph *g, dfl_vec b, dfl_vec along)
{
    return vec_sub(g, b, vec_scale(g, vec_dot(g, b, along), along));
}
