/* check.c: whether bodies and joints make sense, with the present values of parameters. */
#include "drawing/drawing_internal.h"

#include "multibody/multibody.h"
#include "drawing/vectors.h"

/* What is wrong with the axes of a joint. */
enum { AXES_FIT, NO_AXIS, NO_AXIS2, NOT_PERPENDICULAR };

static dfl_status check_bodies(const dfl_drawing *drawing, const dfl_drawn_joint *joint);
static dfl_status check_use(const dfl_drawing *drawing, const dfl_drawn_joint *joint);
static dfl_status check_distance(const dfl_drawing *drawing, const dfl_drawn_joint *joint);
static dfl_status check_axes(const dfl_drawing *drawing, const dfl_drawn_joint *joint, dfl_vec axis,
                             dfl_vec axis2, const char *which);
static dfl_status check_plane(const dfl_drawing *drawing, const dfl_drawn_joint *joint);
static dfl_status check_motion(const dfl_drawing *drawing, const dfl_drawn_joint *joint);

dfl_status dfl_drawing_check_body(const dfl_drawing *drawing, const dfl_drawn_body *drawn)
{
    dfl_rigid_body body = {.name = drawn->name};
    const struct {
        double *to;
        const dfl_expr *from;
        int count;
        const char *what;
    } all[] = {{&body.mass, &drawn->mass, 1, "mass"},
               {body.com, drawn->com.e, 3, "com"},
               {body.inertia, drawn->inertia.e, 6, "inertia"}};
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < 3; i++)
        status = dfl_drawing_read(all[i].to, drawing, all[i].from, all[i].count, dfl_drawing_number,
                                  "body", drawn->name, all[i].what);
    return status ? status : dfl_tree_check_body(drawing->ctx, &body, 0, drawing->planar);
}

dfl_status dfl_drawing_check_bodies(const dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < drawing->nbodies; i++) {
        const dfl_placed_body *body = &drawing->bodies[i];
        const dfl_drawn_body drawn = {
            .name = body->name, .mass = body->mass, .com = body->com, .inertia = body->inertia};
        status = dfl_drawing_check_body(drawing, &drawn);
    }
    return status;
}

dfl_status dfl_drawing_check_joint(const dfl_drawing *drawing, const dfl_drawn_joint *joint)
{
    const dfl_vec axis_b = joint->apart ? joint->axis_b : joint->axis;
    const dfl_vec axis2_b = joint->apart ? joint->axis2_b : joint->axis2;
    const char *kind = dfl_joint_types[joint->kind].name;
    const struct {
        const dfl_expr *from;
        int count;
        const char *what;
    } all[] = {{joint->at.e, 3, "at"},
               {joint->at_b.e, 3, "at_b"},
               {&joint->lead, 1, "lead"},
               {&joint->length, 1, "length"}};
    double number[3];
    dfl_status status = check_bodies(drawing, joint);
    for (int i = 0; !status && i < 4; i++)
        status = dfl_drawing_read(number, drawing, all[i].from, all[i].count, dfl_model_finite,
                                  kind, joint->name, all[i].what);
    if (!status)
        status = check_axes(drawing, joint, joint->axis, joint->axis2, "axis");
    if (!status)
        status = check_axes(drawing, joint, axis_b, axis2_b, "axis_b");
    if (!status)
        status = check_use(drawing, joint);
    if (!status && drawing->planar)
        status = check_plane(drawing, joint);
    return status ? status : check_motion(drawing, joint);
}

static dfl_status check_bodies(const dfl_drawing *drawing, const dfl_drawn_joint *joint)
{
    if (joint->parent == joint->child)
        return dfl_fail(drawing->ctx, DFL_INVALID, "%s '%s': joins %s with itself; give two bodies",
                        dfl_joint_types[joint->kind].name, joint->name,
                        dfl_drawing_body_name(drawing, joint->parent));
    return DFL_OK;
}

/* Whether a joint can close a loop, if it does. */
static dfl_status check_use(const dfl_drawing *drawing, const dfl_drawn_joint *joint)
{
    const char *kind = dfl_joint_types[joint->kind].name;
    const bool loop = dfl_drawing_closes_loop(drawing, joint);
    const bool planar = drawing->planar;
    const bool leaves = planar && dfl_joint_types[joint->kind].plane == DFL_PLANE_NEVER;
    if (loop && joint->driven)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "%s '%s': a joint that closes a loop has no motion of its own; give it "
                        "before the other joint of %s",
                        kind, joint->name, dfl_drawing_body_name(drawing, joint->child));
    if (loop && !leaves && dfl_joint_rows_of(joint->kind, planar)->count == 0)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "%s '%s': cannot close a loop; give it before the other joint of %s, or "
                        "leave it out",
                        kind, joint->name, dfl_drawing_body_name(drawing, joint->child));
    if (!loop && joint->apart)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "%s '%s': at_b and axis_b are for joints that close loops; %s hangs on "
                        "this one, give at and axis",
                        kind, joint->name, dfl_drawing_body_name(drawing, joint->child));
    if (loop && joint->kind == DFL_JOINT_SCREW && joint->lead == 0)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "screw '%s': a loop needs a lead in m/rad; without one it is revolute",
                        joint->name);
    return joint->kind == DFL_JOINT_DISTANCE ? check_distance(drawing, joint) : DFL_OK;
}

static dfl_status check_distance(const dfl_drawing *drawing, const dfl_drawn_joint *joint)
{
    double length = 0.0, gap[3] = {0};
    const dfl_vec apart = vec_sub(drawing->graph, joint->at_b, joint->at);
    dfl_status status = dfl_drawing_read(&length, drawing, &joint->length, 1, dfl_model_sign,
                                         "distance", joint->name, "length");
    if (!status)
        status = dfl_drawing_read(gap, drawing, apart.e, 3, dfl_model_sign, "distance", joint->name,
                                  "at_b");
    const bool none = !joint->apart || (gap[0] == 0.0 && gap[1] == 0.0 && gap[2] == 0.0);
    if (!status && joint->length == 0 && none)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "distance '%s': its points coincide; give a length, or at_b in %s",
                        joint->name, dfl_drawing_body_name(drawing, joint->child));
    if (!status && length < 0.0)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "distance '%s': length is %g; give a positive number", joint->name, length);
    return status;
}

/* Of one axis, or of two that shall be perpendicular. */
static int find_misfit(const double *a, int count, const void *facts)
{
    (void)facts;
    const double *b = a + 3;
    const double aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    if (aa == 0.0 || count == 3)
        return aa == 0.0 ? NO_AXIS : AXES_FIT;
    const double bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    const double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    return bb == 0.0 ? NO_AXIS2 : ab * ab > 1e-16 * aa * bb ? NOT_PERPENDICULAR : AXES_FIT;
}

static dfl_status check_axes(const dfl_drawing *drawing, const dfl_drawn_joint *joint, dfl_vec axis,
                             dfl_vec axis2, const char *which)
{
    const char *kind = dfl_joint_types[joint->kind].name;
    const int count = dfl_joint_types[joint->kind].axes < 2 ? 3 : 6;
    const dfl_expr both[] = {axis.e[0], axis.e[1], axis.e[2], axis2.e[0], axis2.e[1], axis2.e[2]};
    double a[6];
    int misfit = AXES_FIT;
    dfl_status status =
        dfl_drawing_read(a, drawing, both, 3, dfl_drawing_number, kind, joint->name, which);
    if (!status)
        status = dfl_drawing_read(a + 3, drawing, both + 3, 3, dfl_drawing_number, kind,
                                  joint->name, "axis2");
    if (!status)
        status = dfl_model_decide(&misfit, drawing->model, both, count, find_misfit, NULL, 0);
    if (status)
        return status;
    if (misfit == NO_AXIS && dfl_joint_needs_axis(joint->kind, drawing->planar))
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "%s '%s': %s has length zero; give %s numbers that are not all zero", kind,
                        joint->name, which, drawing->planar ? "two" : "three");
    if (misfit == NO_AXIS2)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "universal '%s': axis2 is missing or zero; give the axis in %s",
                        joint->name, dfl_drawing_body_name(drawing, joint->child));
    if (misfit == NOT_PERPENDICULAR)
        return dfl_fail(
            drawing->ctx, DFL_INVALID,
            "universal '%s': axis and axis2 are not perpendicular; turn one of them, or "
            "give two revolute joints with a body without mass between them",
            joint->name);
    return DFL_OK;
}

static dfl_status check_plane(const dfl_drawing *drawing, const dfl_drawn_joint *joint)
{
    const bool across = joint->axis.e[0] == 0 && joint->axis.e[1] == 0;
    const bool within = joint->axis.e[2] == 0 && joint->axis_b.e[2] == 0;
    const char *name = dfl_joint_types[joint->kind].name;
    const dfl_plane_rule rule = dfl_joint_types[joint->kind].plane;
    if (rule == DFL_PLANE_ANY || (rule == DFL_PLANE_ACROSS && across) ||
        (rule == DFL_PLANE_WITHIN && within))
        return DFL_OK;
    return dfl_fail(
        drawing->ctx, DFL_INVALID,
        "%s '%s': does not stay in the plane; a plane model has revolute joints about "
        "z, prismatic joints along x and y, free, fixed, translation, point_on_line and "
        "distance",
        name, joint->name);
}

static dfl_status check_motion(const dfl_drawing *drawing, const dfl_drawn_joint *joint)
{
    const unsigned allowed = 1U << DFL_SYM_TIME | 1U << DFL_SYM_PARAM | 1U << DFL_SYM_INPUT;
    const char *kind = dfl_joint_types[joint->kind].name;
    if (!joint->driven)
        return DFL_OK;
    if (!dfl_joint_may_be_driven(joint->kind))
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "%s '%s': motion can be prescribed for revolute, prismatic and screw "
                        "joints; use constraint for the coordinates of others",
                        kind, joint->name);
    if (dfl_node_of(drawing->graph, joint->motion)->depends & ~allowed)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "%s '%s': motion contains variables; give a function of time, or use "
                        "constraint for a relation between coordinates",
                        kind, joint->name);
    return dfl_model_check_tables(drawing->model, drawing->line, "motion of", joint->name,
                                  joint->motion);
}

dfl_status dfl_drawing_check_all(dfl_drawing *drawing)
{
    for (int i = 0; i < drawing->nbodies; i++) {
        const dfl_placed_body *body = &drawing->bodies[i];
        if (dfl_drawing_hangs(drawing, i))
            continue;
        drawing->line = body->line;
        if (body->joint < 0)
            return dfl_fail(drawing->ctx, DFL_INVALID,
                            "body '%s' has no joint that it hangs on: give one with '%s' as its "
                            "second body, such as free(\"...\", ground, %s, { at = {%s} })",
                            body->name, body->name, body->name,
                            drawing->planar ? "0, 0" : "0, 0, 0");
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "body '%s' does not hang on the ground: follow its joints, starting with "
                        "'%s'; one is missing or closes a ring",
                        body->name, drawing->joints[body->joint].name);
    }
    return DFL_OK;
}
