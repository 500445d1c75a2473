/* joints.c: the table of joints, and what follows from it. */
#include "multibody/multibody.h"

#include <stddef.h>

enum { X, Y, Z };

/* clang-format off */
#define DOT1(u, w) {DFL_ROW_DOT1, u, w}
#define DOT2(u) {DFL_ROW_DOT2, u, 0}
#define TURN(u, w) {DFL_ROW_TURN, u, w}
#define TOGETHER DOT2(X), DOT2(Y), DOT2(Z)
#define ON_AXIS DOT2(X), DOT2(Y)
#define PARALLEL DOT1(X, Z), DOT1(Y, Z)
#define NO_TURN TURN(X, Z), TURN(Y, Z), TURN(X, Y)
#define STEP(kind, axis, component) {DFL_STEP_##kind, DFL_ALONG_##axis, component}

const dfl_joint_type dfl_joint_types[DFL_JOINT_KINDS] = {
    [DFL_JOINT_FIXED] = {
        .name = "fixed", .title = "fixed joint",
        .plane = DFL_PLANE_ANY,
        .space = {6, {TOGETHER, NO_TURN}},
        .flat = {3, {ON_AXIS, DOT1(X, Y)}}},
    [DFL_JOINT_REVOLUTE] = {
        .name = "revolute", .title = "revolute joint",
        .steps = 1, .step = {STEP(REVOLUTE, AXIS, 0)},
        .axes = 1, .point = DFL_POINT_PLACE, .plane = DFL_PLANE_ACROSS, .look = DFL_LOOK_PIN,
        .space = {5, {TOGETHER, PARALLEL}},
        .flat = {2, {ON_AXIS}}},
    [DFL_JOINT_PRISMATIC] = {
        .name = "prismatic", .title = "prismatic joint",
        .steps = 1, .step = {STEP(PRISMATIC, AXIS, 0)},
        .axes = 1, .point = DFL_POINT_PLACE, .plane = DFL_PLANE_WITHIN, .look = DFL_LOOK_RAIL,
        .space = {5, {ON_AXIS, NO_TURN}},
        .flat = {2, {DOT2(X), DOT1(X, Z)}}},
    [DFL_JOINT_SCREW] = {
        .name = "screw", .title = "screw joint",
        .steps = 1, .step = {STEP(SCREW, AXIS, 0)},
        .axes = 1, .point = DFL_POINT_PLACE, .look = DFL_LOOK_PIN,
        .space = {5, {ON_AXIS, PARALLEL, {DFL_ROW_SCREW, 0, 0}}}},
    [DFL_JOINT_CYLINDRICAL] = {
        .name = "cylindrical", .title = "cylindrical joint",
        .steps = 2, .step = {STEP(PRISMATIC, AXIS, 1), STEP(REVOLUTE, AXIS, 0)},
        .axes = 1, .point = DFL_POINT_PLACE, .look = DFL_LOOK_PIN | DFL_LOOK_RAIL,
        .space = {4, {ON_AXIS, PARALLEL}}},
    [DFL_JOINT_UNIVERSAL] = {
        .name = "universal", .title = "universal joint",
        .steps = 2, .step = {STEP(REVOLUTE, AXIS, 0), STEP(REVOLUTE, AXIS2, 1)},
        .axes = 2, .point = DFL_POINT_PLACE, .look = DFL_LOOK_BALL,
        .space = {4, {TOGETHER, DOT1(Z, X)}}},
    [DFL_JOINT_PLANAR] = {
        .name = "planar_joint", .title = "planar joint",
        .steps = 3,
        .step = {STEP(PRISMATIC, SIDE, 0), STEP(PRISMATIC, THIRD, 1), STEP(REVOLUTE, AXIS, 2)},
        .axes = 1, .point = DFL_POINT_ORIGIN, .plane = DFL_PLANE_ACROSS,
        .space = {3, {DOT2(Z), PARALLEL}}},
    [DFL_JOINT_TRANSLATION] = {
        .name = "translation", .title = "translation",
        .steps = 3,
        .step = {STEP(PRISMATIC, X, 0), STEP(PRISMATIC, Y, 1), STEP(PRISMATIC, Z, 2)},
        .plane = DFL_PLANE_ANY,
        .space = {3, {NO_TURN}},
        .flat = {1, {DOT1(X, Y)}}},
    [DFL_JOINT_SPHERICAL] = {
        .name = "spherical", .title = "spherical joint",
        .steps = 1, .step = {STEP(SPHERICAL, NONE, 0)},
        .point = DFL_POINT_PLACE, .look = DFL_LOOK_BALL,
        .space = {3, {TOGETHER}}},
    [DFL_JOINT_FREE] = {
        .name = "free", .title = "free joint",
        .steps = 1, .step = {STEP(FREE, NONE, 0)},
        .point = DFL_POINT_ORIGIN},
    [DFL_JOINT_USER] = {
        .name = "joint", .title = "user joint",
        .steps = 1, .step = {STEP(USER, NONE, 0)},
        .point = DFL_POINT_ORIGIN, .plane = DFL_PLANE_ANY},
    [DFL_JOINT_POINT_ON_LINE] = {
        .name = "point_on_line", .title = "point on a line",
        .loop_only = true,
        .axes = 1, .point = DFL_POINT_PLACE, .plane = DFL_PLANE_WITHIN, .look = DFL_LOOK_RAIL,
        .space = {2, {ON_AXIS}},
        .flat = {1, {DOT2(X)}}},
    [DFL_JOINT_POINT_ON_PLANE] = {
        .name = "point_on_plane", .title = "point on a plane",
        .loop_only = true,
        .axes = 1, .point = DFL_POINT_PLACE,
        .space = {1, {DOT2(Z)}}},
    [DFL_JOINT_DISTANCE] = {
        .name = "distance", .title = "distance",
        .loop_only = true,
        .point = DFL_POINT_PLACE, .plane = DFL_PLANE_ANY, .look = DFL_LOOK_ROD,
        .space = {1, {{DFL_ROW_DISTANCE, 0, 0}}},
        .flat = {1, {{DFL_ROW_DISTANCE, 0, 0}}}},
};
/* clang-format on */

/* Coordinates and velocities of a step. */
static const unsigned char step_np[] = {
    [DFL_STEP_REVOLUTE] = 1,  [DFL_STEP_PRISMATIC] = 1, [DFL_STEP_SCREW] = 1,
    [DFL_STEP_SPHERICAL] = 4, [DFL_STEP_FREE] = 7,      [DFL_STEP_USER] = 0};
static const unsigned char step_nv[] = {
    [DFL_STEP_REVOLUTE] = 1,  [DFL_STEP_PRISMATIC] = 1, [DFL_STEP_SCREW] = 1,
    [DFL_STEP_SPHERICAL] = 3, [DFL_STEP_FREE] = 6,      [DFL_STEP_USER] = 0};

static const dfl_joint_step *step_with(dfl_joint_kind kind, int component);
static bool shifts(const dfl_joint_step *step);

/* In the plane no step moves along z of the drawing. */
int dfl_joint_steps(dfl_joint_kind kind, bool planar)
{
    const dfl_joint_type *type = &dfl_joint_types[kind];
    int steps = type->steps;
    while (planar && steps > 0 && type->step[steps - 1].axis == DFL_ALONG_Z)
        steps--;
    return steps;
}

int dfl_joint_np(dfl_joint_kind kind, bool planar)
{
    int np = 0;
    for (int i = 0; i < dfl_joint_steps(kind, planar); i++)
        np += step_np[dfl_joint_types[kind].step[i].kind];
    return np;
}

int dfl_joint_nv(dfl_joint_kind kind, bool planar)
{
    int nv = 0;
    for (int i = 0; i < dfl_joint_steps(kind, planar); i++)
        nv += step_nv[dfl_joint_types[kind].step[i].kind];
    return nv;
}

const char *dfl_joint_p_unit(dfl_joint_kind kind, int component)
{
    const dfl_joint_step *step = step_with(kind, component);
    switch (step ? step->kind : DFL_STEP_USER) {
    case DFL_STEP_REVOLUTE:
    case DFL_STEP_SCREW:
        return "rad";
    case DFL_STEP_PRISMATIC:
        return "m";
    case DFL_STEP_FREE:
        return component < 3 ? "m" : NULL;
    default:
        return NULL;
    }
}

const char *dfl_joint_v_unit(dfl_joint_kind kind, int component)
{
    const dfl_joint_step *step = step_with(kind, component);
    if (!step || step->kind == DFL_STEP_USER)
        return NULL;
    const bool shift = step->kind == DFL_STEP_FREE ? component >= 3 : shifts(step);
    return shift ? "m/s" : "rad/s";
}

static const dfl_joint_step *step_with(dfl_joint_kind kind, int component)
{
    const dfl_joint_type *type = &dfl_joint_types[kind];
    for (int i = 0; i < type->steps; i++)
        if (type->step[i].component == component || step_np[type->step[i].kind] > 1)
            return &type->step[i];
    return NULL;
}

static bool shifts(const dfl_joint_step *step)
{
    return step->kind == DFL_STEP_PRISMATIC;
}

int dfl_joint_angle(dfl_joint_kind kind)
{
    const dfl_joint_type *type = &dfl_joint_types[kind];
    int found = -1;
    for (int i = 0; i < type->steps; i++) {
        const dfl_joint_step *step = &type->step[i];
        if (step->kind != DFL_STEP_REVOLUTE && step->kind != DFL_STEP_SCREW)
            continue;
        if (found >= 0)
            return -1;
        found = step->component;
    }
    return found;
}

int dfl_joint_shift(dfl_joint_kind kind)
{
    const dfl_joint_type *type = &dfl_joint_types[kind];
    int found = -1;
    for (int i = 0; i < type->steps; i++) {
        if (!shifts(&type->step[i]))
            continue;
        if (found >= 0)
            return -1;
        found = type->step[i].component;
    }
    return found;
}

bool dfl_joint_is(dfl_joint_kind kind, dfl_step_kind step)
{
    return dfl_joint_types[kind].steps == 1 && dfl_joint_types[kind].step[0].kind == step;
}

bool dfl_joint_may_be_driven(dfl_joint_kind kind)
{
    return dfl_joint_nv(kind, false) == 1;
}

bool dfl_joint_turns(dfl_joint_kind kind)
{
    const dfl_joint_type *type = &dfl_joint_types[kind];
    for (int i = 0; i < type->steps; i++)
        if (!shifts(&type->step[i]))
            return true;
    return false;
}

bool dfl_joint_needs_axis(dfl_joint_kind kind, bool planar)
{
    const dfl_joint_type *type = &dfl_joint_types[kind];
    return type->axes > 0 && !(planar && type->plane == DFL_PLANE_ACROSS);
}

const dfl_joint_rows *dfl_joint_rows_of(dfl_joint_kind kind, bool planar)
{
    return planar ? &dfl_joint_types[kind].flat : &dfl_joint_types[kind].space;
}
