/* loops.c: joints that close loops become constraints, with the rows of multibody/loop_rows.c: for
   frames A and B and d = r_B - r_A,

       DOT1(u_A, w_B) = u.w      DOT2(u_A) = u.d      distance: (d.d - L^2) / (2 L)
       TURN(u, w) = (u_A.w_B - w_A.u_B) / 2
       screw: z.d - lead phi, phi = arg(x_A.x_B + i y_A.x_B) in the turn nearest to z.d / lead

   TURN is the sine of the angle times the axis of a turn, for joints that allow no turn: in loops
   that move in a plane u.w alone could be 1 - cos of the angle, whose derivative vanishes where the
   loop is closed.

   The poses are relative to the last link that both bodies hang on. Rows that no motion can change
   (a plane mechanism drawn in space has them) are left out if they are satisfied. */
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"

#include <math.h>

enum { X, Y, Z };

static void add_row_force(dfl_vec *force, dfl_vec *torque, dfl_graph *g, const dfl_joint_frames *e,
                          dfl_joint_row type, dfl_expr lambda);
static dfl_vec half_difference(dfl_graph *g, dfl_vec a, dfl_vec b);
static int link_of(const dfl_drawing *drawing, int body);
static void row_name(dfl_text *name, const dfl_placed_joint *joint, int number);
static int common_link(const dfl_drawing *drawing, int a, int b);
static void set_axes(dfl_vec axes[3], const dfl_drawing *drawing, const dfl_drawn_joint *joint,
                     dfl_vec axis, dfl_vec axis2);
static dfl_expr row_value(dfl_graph *g, const dfl_joint_frames *e, dfl_joint_row type);
static dfl_expr screw_value(dfl_graph *g, const dfl_joint_frames *e);
static const char *row_meaning(dfl_graph *g, const dfl_joint_frames *drawn, dfl_joint_row type);
static dfl_status declare_row(dfl_drawing *drawing, const dfl_placed_joint *joint, int number,
                              dfl_expr row, const char *meaning);
static void add_motions(dfl_text *text, const dfl_drawing *drawing, const dfl_placed_joint *joint);
static double loop_misfit(const dfl_drawing *drawing, const dfl_placed_joint *joint);
static dfl_status check_fulfilled(const dfl_drawing *drawing, const dfl_placed_joint *joint,
                                  dfl_expr row, const char *meaning);
static dfl_status all_prescribed(const dfl_drawing *drawing, const dfl_placed_joint *joint);
static dfl_status declare_side(dfl_drawing *drawing, const dfl_placed_joint *joint,
                               const dfl_joint_frames *e, dfl_joint_row type);

int dfl_drawing_row_count(const dfl_drawing *drawing, dfl_joint_kind kind)
{
    return dfl_joint_rows_of(kind, drawing->planar)->count;
}

dfl_status dfl_drawing_rows(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    const dfl_joint_rows *rows = dfl_joint_rows_of(joint->drawn.kind, drawing->planar);
    const dfl_drawn_joint *d = &joint->drawn;
    dfl_joint_frames e, drawn = {.d = {{0}}};
    dfl_status status = dfl_drawing_frames(&e, drawing, joint);
    if (status)
        return status;
    set_axes(drawn.A, drawing, d, d->axis, d->axis2);
    set_axes(drawn.B, drawing, d, d->apart ? d->axis_b : d->axis, d->apart ? d->axis2_b : d->axis2);
    joint->declared = true;
    const char *left_out[MOST_ROWS];
    int nleft = 0;
    for (int k = 0; k < rows->count && !status; k++) {
        const dfl_expr row = row_value(drawing->graph, &e, rows->row[k]);
        const char *meaning = row_meaning(drawing->graph, &drawn, rows->row[k]);
        dfl_expr constant;
        status = dfl_drawing_constant(&constant, drawing, row);
        if (!status && constant != DFL_NO_EXPR) {
            left_out[nleft++] = meaning;
            status = check_fulfilled(drawing, joint, constant, meaning);
        } else if (!status) {
            status = declare_row(drawing, joint, rows->count > 1 ? k + 1 : 0, row, meaning);
        }
    }
    if (!status)
        status = dfl_drawing_note_left_out(drawing, joint, left_out, nleft, rows->count);
    for (int k = 0; k < rows->count && !status; k++)
        status = declare_side(drawing, joint, &e, rows->row[k]);
    return status ? status : dfl_graph_status(drawing->graph);
}

/* On B: -lambda u at its point for DOT2, +lambda u x w for DOT1, half of that and of u_B x w_A for
   TURN, -lambda d / L for a distance, -lambda z and +lambda lead z for a screw. Rows that were left
   out carry nothing. */
dfl_status dfl_drawing_loop_force(dfl_vec *x, dfl_vec *force, dfl_vec *torque, dfl_drawing *drawing,
                                  int index)
{
    dfl_graph *g = drawing->graph;
    const dfl_placed_joint *joint = &drawing->joints[index];
    const dfl_drawn_joint *d = &joint->drawn;
    const dfl_joint_rows *rows = dfl_joint_rows_of(d->kind, drawing->planar);
    dfl_joint_frames e;
    dfl_status status = dfl_drawing_point(x, drawing, d->child, d->apart ? d->at_b : d->at);
    if (!status)
        status = dfl_drawing_frames(&e, drawing, joint);
    *force = *torque = vec_zero();
    for (int k = 0; k < rows->count && !status; k++) {
        const dfl_joint_row type = rows->row[k];
        int row;
        status = dfl_drawing_row(&row, drawing, joint, k);
        if (!status && row >= 0)
            add_row_force(force, torque, g, &e, type,
                          drawing->model->declarations.item[row].symbol);
    }
    if (status)
        return status;
    const int common =
        common_link(drawing, link_of(drawing, d->parent), link_of(drawing, d->child));
    const dfl_mat R = dfl_link_place(drawing, common)->R;
    *force = mat_times(g, R, *force);
    *torque = mat_times(g, R, *torque);
    return dfl_graph_status(g);
}

static void add_row_force(dfl_vec *force, dfl_vec *torque, dfl_graph *g, const dfl_joint_frames *e,
                          dfl_joint_row type, dfl_expr lambda)
{
    dfl_vec F = vec_zero(), N = vec_zero(); /* per -lambda */
    if (type.kind == DFL_ROW_DOT1)
        N = vec_cross(g, e->B[type.w], e->A[type.u]);
    else if (type.kind == DFL_ROW_TURN)
        N = half_difference(g, vec_cross(g, e->B[type.w], e->A[type.u]),
                            vec_cross(g, e->B[type.u], e->A[type.w]));
    else if (type.kind == DFL_ROW_DOT2)
        F = e->A[type.u];
    else if (type.kind == DFL_ROW_DISTANCE)
        F = vec_scale(g, dfl_div(g, dfl_constant(g, 1.0), e->length), e->d);
    else
        F = e->A[Z], N = vec_neg(g, vec_scale(g, e->lead, e->A[Z]));
    *force = vec_sub(g, *force, vec_scale(g, lambda, F));
    *torque = vec_sub(g, *torque, vec_scale(g, lambda, N));
}

static dfl_vec half_difference(dfl_graph *g, dfl_vec a, dfl_vec b)
{
    return vec_scale(g, dfl_constant(g, 0.5), vec_sub(g, a, b));
}

static int link_of(const dfl_drawing *drawing, int body)
{
    return body == DFL_GROUND ? 0 : drawing->bodies[body].link;
}

dfl_status dfl_drawing_row(int *out, const dfl_drawing *drawing, const dfl_placed_joint *joint,
                           int k)
{
    const dfl_model *model = drawing->model;
    dfl_text name = {.ctx = drawing->ctx};
    row_name(&name, joint, dfl_drawing_row_count(drawing, joint->drawn.kind) > 1 ? k + 1 : 0);
    const dfl_status status = name.status;
    const dfl_declaration *row = status ? NULL : dfl_model_find(model, dfl_text_string(&name));
    *out = row ? (int)(row - model->declarations.item) : -1;
    dfl_text_clear(&name);
    return status;
}

dfl_status dfl_drawing_frames(dfl_joint_frames *e, dfl_drawing *drawing,
                              const dfl_placed_joint *joint)
{
    dfl_graph *g = drawing->graph;
    const dfl_drawn_joint *d = &joint->drawn;
    const bool apart = d->apart;
    int a, b;
    dfl_status status = dfl_drawing_link(&a, drawing, d->parent);
    if (!status)
        status = dfl_drawing_link(&b, drawing, d->child);
    if (status)
        return status;
    if (a == b)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "%s '%s': its bodies cannot move against each other; leave it out",
                        dfl_joint_types[d->kind].name, joint->name);
    const int common = common_link(drawing, a, b);
    const dfl_pose A = dfl_link_pose(drawing, a, common), B = dfl_link_pose(drawing, b, common);
    const dfl_vec at_b = apart ? d->at_b : d->at;
    const dfl_vec from_a = vec_sub(g, d->at, drawing->links[a].at);
    const dfl_vec from_b = vec_sub(g, at_b, drawing->links[b].at);
    /* the origin of `common` in the drawing belongs to the frames, but not to the difference d */
    e->d = drawing->nreleases > 0 && common == 0
               ? dfl_links_apart(drawing, a, from_a, b, from_b)
               : vec_sub(g, vec_add(g, B.r, mat_times(g, B.R, from_b)),
                         vec_add(g, A.r, mat_times(g, A.R, from_a)));
    set_axes(e->A, drawing, d, d->axis, d->axis2);
    set_axes(e->B, drawing, d, apart ? d->axis_b : d->axis, apart ? d->axis2_b : d->axis2);
    for (int k = 0; k < 3; k++) {
        e->A[k] = mat_times(g, A.R, e->A[k]);
        e->B[k] = mat_times(g, B.R, e->B[k]);
    }
    e->lead = d->lead;
    const dfl_vec apart_by = vec_sub(g, at_b, d->at);
    e->length = d->length ? d->length : dfl_unary(g, DFL_OP_SQRT, vec_dot(g, apart_by, apart_by));
    return DFL_OK;
}

/* Numbers ascend from parents to children. */
static int common_link(const dfl_drawing *drawing, int a, int b)
{
    while (a != b)
        if (a > b)
            a = drawing->links[a].parent;
        else
            b = drawing->links[b].parent;
    return a;
}

static void set_axes(dfl_vec axes[3], const dfl_drawing *drawing, const dfl_drawn_joint *joint,
                     dfl_vec axis, dfl_vec axis2)
{
    const bool across = dfl_joint_types[joint->kind].plane == DFL_PLANE_WITHIN;
    if (drawing->planar && across)
        axis2 = (dfl_vec){{dfl_neg(drawing->graph, axis.e[1]), axis.e[0], 0}};
    else if (drawing->planar)
        axis = axis2 = vec_zero();
    dfl_drawing_axes(axes, drawing, axis, axis2);
}

static dfl_expr row_value(dfl_graph *g, const dfl_joint_frames *e, dfl_joint_row type)
{
    if (type.kind == DFL_ROW_DOT1)
        return vec_dot(g, e->A[type.u], e->B[type.w]);
    if (type.kind == DFL_ROW_TURN)
        return dfl_mul(g, dfl_constant(g, 0.5),
                       dfl_sub(g, vec_dot(g, e->A[type.u], e->B[type.w]),
                               vec_dot(g, e->A[type.w], e->B[type.u])));
    if (type.kind == DFL_ROW_DOT2)
        return vec_dot(g, e->A[type.u], e->d);
    if (type.kind == DFL_ROW_SCREW)
        return screw_value(g, e);
    const dfl_expr square = dfl_mul(g, e->length, e->length);
    return dfl_div(g, dfl_sub(g, vec_dot(g, e->d, e->d), square),
                   dfl_mul(g, dfl_constant(g, 2.0), e->length));
}

/* -lead arg((x_A.x_B + i y_A.x_B) exp(-i z.d / lead)): the angle is measured from that of the
   shift, so that the row jumps only half a turn away from where the loop is closed. */
static dfl_expr screw_value(dfl_graph *g, const dfl_joint_frames *e)
{
    const dfl_expr shift = dfl_div(g, vec_dot(g, e->A[Z], e->d), e->lead);
    const dfl_expr c = dfl_unary(g, DFL_OP_COS, shift), s = dfl_unary(g, DFL_OP_SIN, shift);
    const dfl_expr re = vec_dot(g, e->A[X], e->B[X]), im = vec_dot(g, e->A[Y], e->B[X]);
    const dfl_expr y = dfl_sub(g, dfl_mul(g, im, c), dfl_mul(g, re, s));
    const dfl_expr x = dfl_add(g, dfl_mul(g, re, c), dfl_mul(g, im, s));
    return dfl_neg(g, dfl_mul(g, e->lead, dfl_binary(g, DFL_OP_ATAN2, y, x)));
}

/* Which motion a row prevents, in the drawing. */
static const char *row_meaning(dfl_graph *g, const dfl_joint_frames *drawn, dfl_joint_row type)
{
    static const char *const shifts[] = {"x translation", "y translation", "z translation",
                                         "translation"};
    static const char *const turns[] = {"x rotation", "y rotation", "z rotation", "rotation"};
    if (type.kind == DFL_ROW_DISTANCE)
        return "distance";
    if (type.kind == DFL_ROW_SCREW)
        return "shift without turn";
    const dfl_vec u = type.kind == DFL_ROW_DOT2 ? drawn->A[type.u]
                                                : vec_cross(g, drawn->A[type.u], drawn->B[type.w]);
    return (type.kind == DFL_ROW_DOT2 ? shifts : turns)[vec_coordinate(u)];
}

/* NAME, or NAME.1, ... if there is a number. */
static void row_name(dfl_text *name, const dfl_placed_joint *joint, int number)
{
    dfl_text_add(name, "%s", joint->name);
    if (number > 0)
        dfl_text_add(name, ".%d", number);
}

static dfl_status declare_row(dfl_drawing *drawing, const dfl_placed_joint *joint, int number,
                              dfl_expr row, const char *meaning)
{
    int declaration;
    dfl_text name = {.ctx = drawing->ctx}, motions = {.ctx = drawing->ctx};
    row_name(&name, joint, number);
    add_motions(&motions, drawing, joint);
    dfl_status status = name.status ? name.status : motions.status;
    if (!status)
        status = dfl_model_constraint(&declaration, drawing->model, joint->line,
                                      dfl_text_string(&name), row);
    if (!status) {
        dfl_declaration *decl = &drawing->model->declarations.item[declaration];
        decl->meaning = meaning;
        decl->misfit = loop_misfit(drawing, joint);
        if (motions.length > 0)
            decl->motions = dfl_copy_string(drawing->ctx, dfl_text_string(&motions));
        status = motions.length > 0 && !decl->motions ? DFL_NO_MEMORY : DFL_OK;
    }
    dfl_text_clear(&motions);
    dfl_text_clear(&name);
    return status;
}

/* The prescribed joints of a loop: between both bodies and the last link that both hang on. */
static void add_motions(dfl_text *text, const dfl_drawing *drawing, const dfl_placed_joint *joint)
{
    int a = link_of(drawing, joint->drawn.parent), b = link_of(drawing, joint->drawn.child);
    while (a != b) {
        int *higher = a > b ? &a : &b;
        const dfl_link *link = &drawing->links[*higher];
        const dfl_placed_joint *passed = &drawing->joints[link->joint];
        if (passed->drawn.driven)
            dfl_text_add(text, "%s'%s' (line %d)", text->length ? ", " : "", passed->name,
                         passed->line);
        *higher = link->parent;
    }
}

/* A loop is no better than the worst joint in it. */
static double loop_misfit(const dfl_drawing *drawing, const dfl_placed_joint *joint)
{
    int a = link_of(drawing, joint->drawn.parent), b = link_of(drawing, joint->drawn.child);
    double largest = joint->tolerance;
    while (a != b) {
        int *higher = a > b ? &a : &b;
        const dfl_link *link = &drawing->links[*higher];
        largest = fmax(largest, drawing->joints[link->joint].tolerance);
        *higher = link->parent;
    }
    return largest;
}

/* A row without coordinates holds either always or never. */
static dfl_status check_fulfilled(const dfl_drawing *drawing, const dfl_placed_joint *joint,
                                  dfl_expr row, const char *meaning)
{
    double value = 0.0;
    if (dfl_depends(drawing->graph, row, DFL_SYM_TIME))
        return all_prescribed(drawing, joint);
    const double misfit = fmax(1e-9, loop_misfit(drawing, joint));
    const dfl_status status =
        dfl_drawing_read(&value, drawing, &row, 1, dfl_drawing_number,
                         dfl_joint_types[joint->drawn.kind].name, joint->name, "a row");
    if (status || fabs(value) <= misfit)
        return status ? status : dfl_model_within(&value, drawing->model, row, -misfit, misfit);
    return dfl_fail(drawing->ctx, DFL_INVALID,
                    "%s '%s' can never be closed: no joint allows the %s that its bodies are apart "
                    "(by %g); check `at` and `axis`, or give the loop another joint",
                    dfl_joint_types[joint->drawn.kind].name, joint->name, meaning, value);
}

static dfl_status all_prescribed(const dfl_drawing *drawing, const dfl_placed_joint *joint)
{
    dfl_text motions = {.ctx = drawing->ctx};
    add_motions(&motions, drawing, joint);
    const dfl_status status =
        motions.status
            ? motions.status
            : dfl_fail(drawing->ctx, DFL_INVALID,
                       "%s '%s': prescribed motions of %s leave nothing in its loop that "
                       "could move; leave out one of them",
                       dfl_joint_types[joint->drawn.kind].name, joint->name,
                       dfl_text_string(&motions));
    dfl_text_clear(&motions);
    return status;
}

/* The opposite axis satisfies u.w = 0 as well: axes of both frames that should coincide have cosine
   1. */
static dfl_status declare_side(dfl_drawing *drawing, const dfl_placed_joint *joint,
                               const dfl_joint_frames *e, dfl_joint_row type)
{
    const bool turns = type.kind == DFL_ROW_DOT1 || type.kind == DFL_ROW_TURN;
    if (!turns || type.u != X)
        return DFL_OK; /* x and y of A with z of B say the same; a universal joint has no side */
    const int axis = type.w == Z && !drawing->planar ? Z : X;
    const dfl_expr cosine = vec_dot(drawing->graph, e->A[axis], e->B[axis]);
    if (!dfl_depends(drawing->graph, cosine, DFL_SYM_P))
        return DFL_OK;
    return dfl_model_side(drawing->model, joint->line, joint->name, cosine);
}
