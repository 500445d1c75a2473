/* shape_parts.c: shapes that move with bodies.

   The orientation of a body is the product of the quaternions of its joints, half angles included,
   and not the quaternion of its matrix: it has no jumps, so that the animation can interpolate
   between rows. */
#include "drawing/shapes_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"

#include <string.h>

enum { POSE = 7, MOST_SIZES = 3, MOST_LINE_POINTS = 200, LONGEST_NAME = 100 };

static dfl_status add_shape(const dfl_stage *stage, dfl_label label, dfl_shape *shape);
static dfl_status body_turn(dfl_expr q[4], dfl_drawing *drawing, int body);
static void link_turn(dfl_expr q[4], dfl_drawing *drawing, int index);
static void about_axis(dfl_expr q[4], dfl_graph *g, dfl_vec axis, dfl_expr angle);
static void times(dfl_expr q[4], dfl_graph *g, const dfl_expr a[4], const dfl_expr b[4]);
static void of_matrix(dfl_expr q[4], dfl_graph *g, dfl_mat R);

dfl_status dfl_add_line(const dfl_stage *stage, dfl_label label, const dfl_spot *points, int count,
                        double thickness)
{
    return dfl_add_colored_line(stage, label, points, count, thickness, NULL);
}

dfl_status dfl_add_colored_line(const dfl_stage *stage, dfl_label label, const dfl_spot *points,
                                int count, double thickness, const dfl_expr *moments)
{
    dfl_expr columns[4 * MOST_LINE_POINTS + 1];
    dfl_status status = DFL_OK;
    count = count < MOST_LINE_POINTS ? count : MOST_LINE_POINTS;
    for (int i = 0; i < count && !status; i++) {
        dfl_vec x;
        status = dfl_drawing_point(&x, stage->drawing, points[i].body, points[i].at);
        if (!status)
            memcpy(columns + 3 * i, x.e, sizeof x.e);
    }
    columns[3 * count] = dfl_constant(stage->drawing->graph, thickness);
    dfl_shape shape = {.kind = DFL_LINE, .ncolumns = 3 * count + 1, .column = columns};
    if (moments) {
        memcpy(columns + shape.ncolumns, moments, (size_t)count * sizeof *moments);
        shape.ncolumns += count;
        shape.nvalues = count;
        shape.value = "bending moment, N m";
    }
    return status ? status : add_shape(stage, label, &shape);
}

dfl_status dfl_add_spring(const dfl_stage *stage, dfl_label label, const dfl_spot ends[2],
                          double radius)
{
    dfl_graph *g = stage->drawing->graph;
    dfl_vec from, to;
    dfl_status status = dfl_drawing_point(&from, stage->drawing, ends[0].body, ends[0].at);
    if (!status)
        status = dfl_drawing_point(&to, stage->drawing, ends[1].body, ends[1].at);
    if (status)
        return status;
    dfl_expr columns[] = {
        from.e[0],         from.e[1], from.e[2], to.e[0], to.e[1], to.e[2], dfl_constant(g, radius),
        dfl_constant(g, 8)};
    dfl_shape shape = {.kind = DFL_SPRING, .ncolumns = 8, .column = columns};
    return add_shape(stage, label, &shape);
}

dfl_status dfl_add_posed(const dfl_stage *stage, dfl_label label, dfl_shape_kind kind,
                         const dfl_spot *spot, const double turn[4], const double *sizes,
                         int nsizes)
{
    dfl_graph *g = stage->drawing->graph;
    dfl_expr columns[POSE + MOST_SIZES];
    memcpy(columns, spot->at.e, sizeof spot->at.e);
    for (int i = 0; i < 4; i++)
        columns[3 + i] = dfl_constant(g, turn[i]);
    for (int i = 0; i < nsizes; i++)
        columns[POSE + i] = dfl_constant(g, sizes[i]);
    dfl_shape shape = {.kind = kind, .ncolumns = POSE + nsizes, .column = columns};
    const dfl_status status = dfl_carry_shape(stage->drawing, &shape, spot->body);
    return status ? status : add_shape(stage, label, &shape);
}

const char *dfl_body_color(const dfl_drawing *drawing, int body)
{
    static const char *const colors[] = {"blue", "orange", "green", "purple", "sky", "vermillion"};
    const char *own = drawing->bodies[body].color;
    return own ? own : colors[body % 6];
}

/* Unless its name is taken, or too long. */
static dfl_status add_shape(const dfl_stage *stage, dfl_label label, dfl_shape *shape)
{
    dfl_model *model = stage->drawing->model;
    dfl_text name = {.ctx = model->ctx};
    dfl_text_add(&name, "%s%s", label.name, label.part ? label.part : "");
    dfl_status status = name.status;
    shape->name = dfl_text_string(&name);
    shape->color = label.color;
    shape->planar = stage->drawing->planar;
    shape->line = label.line;
    if (!status && name.length <= LONGEST_NAME &&
        !dfl_is_drawn(model, model->shapes.count, shape->name))
        status = dfl_model_shape(model, shape);
    dfl_text_clear(&name);
    return status;
}

bool dfl_is_drawn(const dfl_model *model, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(model->shapes.item[i].name, name))
            return true;
    return false;
}

dfl_status dfl_carry_shape(dfl_drawing *drawing, dfl_shape *shape, int body)
{
    dfl_graph *g = drawing->graph;
    const bool posed = shape->kind >= DFL_BOX;
    const int points = posed                       ? 1
                       : shape->kind == DFL_SPRING ? 2
                                                   : (shape->ncolumns - 1 - shape->nvalues) / 3;
    dfl_status status = DFL_OK;
    for (int i = 0; i < points && !status; i++) {
        dfl_vec point, x;
        memcpy(point.e, shape->column + 3 * i, sizeof point.e);
        status = dfl_drawing_point(&x, drawing, body, point);
        if (!status)
            memcpy(shape->column + 3 * i, x.e, sizeof x.e);
    }
    dfl_expr turn[4], own[4];
    if (!posed || status)
        return status;
    status = body_turn(turn, drawing, body);
    if (status)
        return status;
    memcpy(own, shape->column + 3, sizeof own);
    times(shape->column + 3, g, turn, own);
    return dfl_graph_status(g);
}

bool dfl_stage_values(double *out, dfl_status *status, const dfl_stage *stage, const dfl_expr *e,
                      int count)
{
    *status = dfl_drawing_read(out, stage->drawing, e, count, dfl_drawing_number, "a shape",
                               "of the scene", "it");
    const bool known = !*status;
    if (*status == DFL_INVALID)
        *status = DFL_OK;
    return known;
}

/* -------------------------------------------------------------------------- orientation */

static dfl_status body_turn(dfl_expr q[4], dfl_drawing *drawing, int body)
{
    dfl_expr angle;
    int link;
    if (drawing->planar) {
        const dfl_vec z = {{0, 0, dfl_constant(drawing->graph, 1.0)}};
        const dfl_status status = dfl_drawing_angle(&angle, drawing, body);
        if (!status)
            about_axis(q, drawing->graph, z, angle);
        return status;
    }
    const dfl_status status = dfl_drawing_link(&link, drawing, body);
    if (!status)
        link_turn(q, drawing, link);
    return status ? status : dfl_graph_status(drawing->graph);
}

/* A link with R = base turn(axis, angle) turns relative to the last link before it with
   R = base. */
static void link_turn(dfl_expr q[4], dfl_drawing *drawing, int index)
{
    dfl_graph *g = drawing->graph;
    dfl_expr before[4], own[4];
    if (index == 0) {
        memcpy(q, (dfl_expr[]){dfl_constant(g, 1.0), 0, 0, 0}, 4 * sizeof *q);
        return;
    }
    const dfl_pose *pose = dfl_link_place(drawing, index);
    const dfl_link *link = &drawing->links[index];
    int parent = link->parent;
    if (link->kind == DFL_STEP_PRISMATIC) {
        link_turn(q, drawing, parent);
        return;
    }
    if (link->kind == DFL_STEP_SPHERICAL || link->kind == DFL_STEP_FREE) {
        memcpy(own, link->p + (link->kind == DFL_STEP_FREE ? 3 : 0), sizeof own);
    } else if (link->kind == DFL_STEP_USER) {
        of_matrix(own, g, link->motion->R);
    } else {
        while (!mat_same(dfl_link_place(drawing, parent)->R, pose->base))
            parent = drawing->links[parent].parent;
        about_axis(own, g, pose->axis, pose->angle);
    }
    link_turn(before, drawing, parent);
    times(q, g, before, own);
}

static void about_axis(dfl_expr q[4], dfl_graph *g, dfl_vec axis, dfl_expr angle)
{
    const dfl_expr half = dfl_mul(g, dfl_constant(g, 0.5), angle);
    const dfl_vec e = vec_scale(g, dfl_unary(g, DFL_OP_SIN, half), axis);
    q[0] = dfl_unary(g, DFL_OP_COS, half);
    memcpy(q + 1, e.e, sizeof e.e);
}

/* q = a b */
static void times(dfl_expr q[4], dfl_graph *g, const dfl_expr a[4], const dfl_expr b[4])
{
    const dfl_vec u = {{a[1], a[2], a[3]}}, v = {{b[1], b[2], b[3]}};
    const dfl_vec sum = vec_add(g, vec_scale(g, a[0], v), vec_scale(g, b[0], u));
    const dfl_vec e = vec_cross_add(g, sum, u, v);
    q[0] = dfl_sub(g, dfl_mul(g, a[0], b[0]), vec_dot(g, u, v));
    memcpy(q + 1, e.e, sizeof e.e);
}

/* (1 + tr R, antisymmetric part): any length will do, but for turns by pi exactly. */
static void of_matrix(dfl_expr q[4], dfl_graph *g, dfl_mat R)
{
    const dfl_expr trace = dfl_add(g, R.e[0], dfl_add(g, R.e[4], R.e[8]));
    q[0] = dfl_add(g, dfl_constant(g, 1.0), trace);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        q[1 + i] = dfl_sub(g, R.e[3 * k + j], R.e[3 * j + k]);
    }
}
