/* shape_joints.c: joints as pins, balls, rails and rods, and their stands on the ground. */
#include "drawing/shapes_internal.h"

#include "drawing/vectors.h"

#include <math.h>

static double pin_radius(const dfl_stage *stage, const dfl_drawn_joint *joint);
static dfl_status show_joint(const dfl_stage *stage, const dfl_placed_joint *joint);
static dfl_status show_pin(const dfl_stage *stage, const dfl_placed_joint *joint, dfl_label label);
static dfl_status show_rail(const dfl_stage *stage, const dfl_placed_joint *joint, dfl_label label);
static dfl_status show_stand(const dfl_stage *stage, const dfl_placed_joint *joint);
static void across(double side[3], const double axis[3], const double down[3]);
static dfl_spot shifted(const dfl_stage *stage, const dfl_spot *from, const double *way, double by);

dfl_status dfl_show_joints(const dfl_stage *stage)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < stage->drawing->njoints && !status; i++)
        status = show_joint(stage, &stage->drawing->joints[i]);
    return status;
}

static dfl_status show_joint(const dfl_stage *stage, const dfl_placed_joint *joint)
{
    const dfl_drawn_joint *drawn = &joint->drawn;
    const dfl_label label = {joint->name, "", "gray", joint->line};
    const double none[4] = {1, 0, 0, 0}, r = 1.2 * pin_radius(stage, drawn), radii[] = {r, r, r};
    const dfl_spot at[2] = {{.body = drawn->parent, .at = drawn->at},
                            {.body = drawn->child, .at = drawn->apart ? drawn->at_b : drawn->at}};
    const unsigned look = dfl_joint_types[drawn->kind].look;
    if (look & DFL_LOOK_PIN)
        return show_pin(stage, joint, label);
    if (look & DFL_LOOK_BALL)
        return dfl_add_posed(stage, label, DFL_SPHERE, &at[1], none, radii, 3);
    if (look & DFL_LOOK_ROD)
        return dfl_add_line(stage, label, at, 2, 0.01 * stage->size);
    return DFL_OK; /* rails lie behind the bodies: dfl_show_grounds */
}

/* Shapes that do not move, or lie behind everything: rails, and the ground below joints. */
dfl_status dfl_show_grounds(const dfl_stage *stage)
{
    const dfl_drawing *drawing = stage->drawing;
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->njoints && !status; i++) {
        const dfl_placed_joint *joint = &drawing->joints[i];
        const unsigned look = dfl_joint_types[joint->drawn.kind].look;
        const char *suffix = look & DFL_LOOK_PIN ? ".rail" : "";
        if (look & DFL_LOOK_RAIL)
            status = show_rail(stage, joint, (dfl_label){joint->name, suffix, "gray", joint->line});
        else if (look && (joint->drawn.parent == DFL_GROUND || joint->drawn.child == DFL_GROUND))
            status = show_stand(stage, joint);
    }
    return status;
}

/* A little thicker than the bars that meet there. */
static double pin_radius(const dfl_stage *stage, const dfl_drawn_joint *joint)
{
    const double a = joint->parent == DFL_GROUND ? 0 : stage->thick[joint->parent];
    const double b = joint->child == DFL_GROUND ? 0 : stage->thick[joint->child];
    return fmax(a, b) > 0 ? 0.6 * fmax(a, b) : 0.015 * stage->size;
}

/* Along the axis; in the plane a circle. */
static dfl_status show_pin(const dfl_stage *stage, const dfl_placed_joint *joint, dfl_label label)
{
    const dfl_drawn_joint *drawn = &joint->drawn;
    const double radius = pin_radius(stage, drawn), sizes[] = {radius, 4 * radius};
    const dfl_spot at = {.body = drawn->child, .at = drawn->apart ? drawn->at_b : drawn->at};
    double axis[3], turn[4];
    dfl_status status;
    if (!dfl_stage_values(axis, &status, stage, (drawn->apart ? drawn->axis_b : drawn->axis).e, 3))
        return status;
    dfl_turn_axis(turn, 2, axis);
    return dfl_add_posed(stage, label, DFL_CYLINDER, &at, turn, sizes, 2);
}

/* A thin line of the parent along the axis, which reaches from where the child is in the drawing to
   where it is. */
static dfl_status show_rail(const dfl_stage *stage, const dfl_placed_joint *joint, dfl_label label)
{
    const dfl_drawn_joint *drawn = &joint->drawn;
    dfl_drawing *drawing = stage->drawing;
    dfl_graph *g = drawing->graph;
    const dfl_expr room = dfl_constant(g, 0.2 * stage->size);
    dfl_vec from, to, ends[2];
    dfl_mat R;
    dfl_status status = dfl_drawing_rotation(&R, drawing, drawn->parent);
    if (!status)
        status = dfl_drawing_point(&from, drawing, drawn->parent, drawn->at);
    if (!status)
        status =
            dfl_drawing_point(&to, drawing, drawn->child, drawn->apart ? drawn->at_b : drawn->at);
    if (status)
        return status;
    const dfl_vec u = mat_times(g, R, dfl_drawing_unit(drawing, drawn->axis));
    const dfl_expr way = vec_dot(g, u, vec_sub(g, to, from));
    const dfl_expr low = dfl_sub(g, dfl_binary(g, DFL_OP_MIN, way, 0), room);
    const dfl_expr high = dfl_add(g, dfl_binary(g, DFL_OP_MAX, way, 0), room);
    ends[0] = vec_add(g, from, vec_scale(g, low, u));
    ends[1] = vec_add(g, from, vec_scale(g, high, u));
    const dfl_spot path[2] = {{.body = DFL_GROUND, .at = ends[0]},
                              {.body = DFL_GROUND, .at = ends[1]}};
    return dfl_add_line(stage, label, path, 2, 0.006 * stage->size);
}

/* A triangle on a base line, upright against gravity and across the axis. */
static dfl_status show_stand(const dfl_stage *stage, const dfl_placed_joint *joint)
{
    const dfl_drawn_joint *drawn = &joint->drawn;
    const bool first = drawn->parent == DFL_GROUND;
    const dfl_spot at = {.body = DFL_GROUND,
                         .at = first || !drawn->apart ? drawn->at : drawn->at_b};
    const double h = 0.05 * stage->size;
    double axis[3], side[3];
    dfl_status status;
    if (!dfl_stage_values(axis, &status, stage, drawn->axis.e, 3))
        return status;
    across(side, axis, stage->down);
    static const double corner[6][2] = {{0, 0},   {-0.7, 1}, {-1.2, 1},
                                        {1.2, 1}, {0.7, 1},  {0, 0}}; /* side, down */
    dfl_spot path[6];
    for (int i = 0; i < 6; i++) {
        path[i] = shifted(stage, &at, side, corner[i][0] * h);
        path[i] = shifted(stage, &path[i], stage->down, corner[i][1] * h);
    }
    return dfl_add_line(stage, (dfl_label){joint->name, ".ground", "gray", joint->line}, path, 6,
                        0.008 * stage->size);
}

/* A unit vector across the axis and down, or any one across down if those are parallel. */
static void across(double side[3], const double axis[3], const double down[3])
{
    for (int attempt = 0; attempt < 4; attempt++) {
        const double *a = axis;
        const double unit[3] = {attempt == 1, attempt == 2, attempt == 3};
        if (attempt > 0)
            a = unit;
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            side[i] = down[j] * a[k] - down[k] * a[j];
        }
        const double length = hypot(hypot(side[0], side[1]), side[2]);
        const double size = hypot(hypot(a[0], a[1]), a[2]);
        if (length > 0.01 * size) {
            for (int i = 0; i < 3; i++)
                side[i] /= length;
            return;
        }
    }
}

static dfl_spot shifted(const dfl_stage *stage, const dfl_spot *from, const double *way, double by)
{
    dfl_graph *g = stage->drawing->graph;
    dfl_spot spot = *from;
    for (int k = 0; k < 3; k++)
        spot.at.e[k] = dfl_add(g, spot.at.e[k], dfl_constant(g, by * way[k]));
    return spot;
}
