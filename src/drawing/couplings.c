/* couplings.c: relations between the coordinates of joints: rows with constant coefficients.

   All coordinates are zero in the drawing, so that no offsets are needed. */
#include "drawing/closures.h"
#include "drawing/drawing_internal.h"

#include "drawing/vectors.h"
#include "symbolic/symbolic.h"

static int angle_of(const dfl_placed_joint *joint);
static bool has_both(dfl_joint_kind kind);
static dfl_status no_coordinate(const dfl_drawing *drawing, int joint, const char *call,
                                const char *name, const char *what);
static dfl_status stretch(dfl_expr *out, dfl_drawing *drawing, const char *name, int a, int b,
                          dfl_expr radius_a, dfl_expr radius_b);
static dfl_status check_factor(const dfl_drawing *drawing, const char *call, const char *name,
                               const char *what, dfl_expr factor);
static dfl_status check_declarable(const dfl_drawing *drawing, const char *call, const char *name);
static dfl_status check_movable(const dfl_drawing *drawing, const char *call, const char *name,
                                int a, int b);
static dfl_status declare(int *out, dfl_drawing *drawing, int line, const char *name, dfl_expr row);

/* ------------------------------------------------------------------ coordinates */

dfl_status dfl_drawing_joint_angle(dfl_expr *out, dfl_drawing *drawing, int index, const char *call,
                                   const char *name)
{
    const dfl_placed_joint *joint = &drawing->joints[index];
    const int component = angle_of(joint);
    if (component < 0)
        return no_coordinate(drawing, index, call, name, "angle");
    if (joint->loop)
        return dfl_drawing_loop_angle(out, drawing, index);
    *out = joint->drawn.driven ? joint->drawn.motion : joint->p[component];
    return DFL_OK;
}

/* The coordinate of a user joint with one coordinate is taken as the angle or shift asked for. */
static int angle_of(const dfl_placed_joint *joint)
{
    const bool user = joint->drawn.kind == DFL_JOINT_USER && joint->np == 1;
    return user ? 0 : dfl_joint_angle(joint->drawn.kind);
}

dfl_status dfl_drawing_joint_shift(dfl_expr *out, dfl_drawing *drawing, int index, const char *call,
                                   const char *name)
{
    const dfl_placed_joint *joint = &drawing->joints[index];
    const bool user = joint->drawn.kind == DFL_JOINT_USER && joint->np == 1;
    const int component = user ? 0 : dfl_joint_shift(joint->drawn.kind);
    if (component < 0)
        return no_coordinate(drawing, index, call, name, "shift");
    if (joint->loop) {
        dfl_joint_frames f;
        const dfl_status status = dfl_drawing_frames(&f, drawing, joint);
        *out = status ? 0 : vec_dot(drawing->graph, f.A[2], f.d);
        return status;
    }
    *out = joint->drawn.driven ? joint->drawn.motion : joint->p[component];
    return DFL_OK;
}

/* An angle and a shift. */
static bool has_both(dfl_joint_kind kind)
{
    return dfl_joint_angle(kind) >= 0 && dfl_joint_shift(kind) >= 0;
}

static dfl_status no_coordinate(const dfl_drawing *drawing, int joint, const char *call,
                                const char *name, const char *what)
{
    const dfl_placed_joint *j = &drawing->joints[joint];
    return dfl_fail(drawing->ctx, DFL_INVALID,
                    "%s '%s': joint '%s' (%s) has no single %s; give another joint, or write the "
                    "relation with coupling",
                    call, name, j->name, dfl_joint_types[j->drawn.kind].name, what);
}

/* ------------------------------------------------------------------ couplings */

dfl_status dfl_drawing_gear(int *out, dfl_drawing *drawing, int line, const char *name, int a,
                            int b, dfl_expr ratio)
{
    dfl_graph *g = drawing->graph;
    dfl_expr qa, qb;
    dfl_status status = check_declarable(drawing, "gear", name);
    if (!status)
        status = check_factor(drawing, "gear", name, "ratio", ratio);
    if (!status && a == b)
        status =
            dfl_fail(drawing->ctx, DFL_INVALID, "gear '%s': the same joint is given twice", name);
    if (!status)
        status = check_movable(drawing, "gear", name, a, b);
    if (!status)
        status = dfl_drawing_joint_angle(&qa, drawing, a, "gear", name);
    if (!status)
        status = dfl_drawing_joint_angle(&qb, drawing, b, "gear", name);
    return status ? status
                  : declare(out, drawing, line, name, dfl_sub(g, qa, dfl_mul(g, ratio, qb)));
}

dfl_status dfl_drawing_rack(int *out, dfl_drawing *drawing, int line, const char *name, int pinion,
                            int rack, dfl_expr radius)
{
    dfl_graph *g = drawing->graph;
    dfl_expr angle, shift;
    dfl_status status = check_declarable(drawing, "rack", name);
    if (!status)
        status = check_factor(drawing, "rack", name, "radius", radius);
    if (!status)
        status = check_movable(drawing, "rack", name, pinion, rack);
    if (!status)
        status = dfl_drawing_joint_angle(&angle, drawing, pinion, "rack", name);
    if (!status)
        status = dfl_drawing_joint_shift(&shift, drawing, rack, "rack", name);
    return status ? status
                  : declare(out, drawing, line, name, dfl_sub(g, shift, dfl_mul(g, radius, angle)));
}

dfl_status dfl_drawing_thread(int *out, dfl_drawing *drawing, int line, const char *name, int joint,
                              dfl_expr lead)
{
    dfl_graph *g = drawing->graph;
    dfl_expr angle, shift;
    dfl_status status = check_declarable(drawing, "thread", name);
    if (!status)
        status = check_factor(drawing, "thread", name, "lead", lead);
    if (!status && !has_both(drawing->joints[joint].drawn.kind))
        status = dfl_fail(drawing->ctx, DFL_INVALID,
                          "thread '%s': joint '%s' is %s; a thread couples the angle and the shift "
                          "of a cylindrical joint",
                          name, drawing->joints[joint].name,
                          dfl_joint_types[drawing->joints[joint].drawn.kind].name);
    if (!status)
        status = dfl_drawing_joint_angle(&angle, drawing, joint, "thread", name);
    if (!status)
        status = dfl_drawing_joint_shift(&shift, drawing, joint, "thread", name);
    return status ? status
                  : declare(out, drawing, line, name, dfl_sub(g, shift, dfl_mul(g, lead, angle)));
}

dfl_status dfl_drawing_belt(int *out, dfl_drawing *drawing, int line, const char *name, int a,
                            int b, dfl_expr radius_a, dfl_expr radius_b)
{
    dfl_expr e;
    dfl_status status = check_movable(drawing, "belt", name, a, b);
    if (!status)
        status = stretch(&e, drawing, name, a, b, radius_a, radius_b);
    return status ? status : declare(out, drawing, line, name, e);
}

dfl_status dfl_drawing_elastic_belt(dfl_drawing *drawing, int line, const char *name, int a, int b,
                                    dfl_expr radius_a, dfl_expr radius_b, dfl_expr stiffness,
                                    dfl_expr damping)
{
    dfl_graph *g = drawing->graph;
    dfl_model *model = drawing->model;
    const dfl_expr radius[2] = {radius_a, dfl_neg(g, radius_b)};
    dfl_expr e, rate;
    dfl_status status = stretch(&e, drawing, name, a, b, radius_a, radius_b);
    if (!status)
        status = dfl_drawing_rate(&rate, drawing, e);
    if (!status)
        status = dfl_model_stored(
            model, dfl_mul(g, dfl_mul(g, dfl_constant(g, 0.5), stiffness), dfl_mul(g, e, e)));
    for (int k = 0; k < 2 && !status; k++) {
        const dfl_placed_joint *joint = &drawing->joints[k == 0 ? a : b];
        if (joint->np == 0)
            continue; /* driven */
        if (joint->loop)
            return dfl_fail(drawing->ctx, DFL_INVALID,
                            "belt '%s': joint '%s' closes a loop and has no coordinate that an "
                            "elastic belt could pull on; make another joint close the loop",
                            name, joint->name);
        const dfl_expr v = joint->v[angle_of(joint)];
        const dfl_expr arm = dfl_neg(g, radius[k]);
        status = dfl_model_stored_force(model, line, v, dfl_mul(g, arm, dfl_mul(g, stiffness, e)));
        const dfl_expr loss = dfl_mul(g, arm, dfl_mul(g, damping, rate));
        if (!status && loss != 0)
            status = dfl_model_force(model, line, v, loss);
    }
    return status;
}

/* radius_a angle(a) - radius_b angle(b) */
static dfl_status stretch(dfl_expr *out, dfl_drawing *drawing, const char *name, int a, int b,
                          dfl_expr radius_a, dfl_expr radius_b)
{
    dfl_graph *g = drawing->graph;
    dfl_expr qa, qb;
    dfl_status status = check_declarable(drawing, "belt", name);
    if (!status)
        status = check_factor(drawing, "belt", name, "radius_a", radius_a);
    if (!status)
        status = check_factor(drawing, "belt", name, "radius_b", radius_b);
    if (!status)
        status = dfl_drawing_joint_angle(&qa, drawing, a, "belt", name);
    if (!status)
        status = dfl_drawing_joint_angle(&qb, drawing, b, "belt", name);
    if (!status)
        *out = dfl_sub(g, dfl_mul(g, radius_a, qa), dfl_mul(g, radius_b, qb));
    return status;
}

dfl_status dfl_drawing_drive(int *out, dfl_drawing *drawing, int line, const char *name, int index,
                             dfl_expr motion)
{
    const dfl_placed_joint *joint = &drawing->joints[index];
    const unsigned allowed = 1U << DFL_SYM_TIME | 1U << DFL_SYM_PARAM | 1U << DFL_SYM_INPUT;
    dfl_status status = check_declarable(drawing, "drive", name);
    if (status)
        return status;
    if (joint->loop || joint->np != 1)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "drive '%s': joint '%s' %s; give a joint with one coordinate, or write "
                        "coupling(\"%s\", coordinate - motion)",
                        name, joint->name,
                        joint->loop           ? "closes a loop and has no coordinate"
                        : joint->drawn.driven ? "has a prescribed motion already"
                                              : "does not have one coordinate",
                        name);
    if (dfl_node_of(drawing->graph, motion)->depends & ~allowed)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "drive '%s': the motion contains variables; give a function of time, or "
                        "use coupling for a relation between coordinates",
                        name);
    return declare(out, drawing, line, name, dfl_sub(drawing->graph, joint->p[0], motion));
}

/* ------------------------------------------------------------------ checks */

static dfl_status check_factor(const dfl_drawing *drawing, const char *call, const char *name,
                               const char *what, dfl_expr factor)
{
    double value;
    const dfl_status status =
        dfl_drawing_read(&value, drawing, &factor, 1, dfl_model_sign, call, name, what);
    if (status || value != 0.0)
        return status;
    return dfl_fail(drawing->ctx, DFL_INVALID, "%s '%s': %s is 0 or missing; give a number", call,
                    name, what);
}

static dfl_status check_declarable(const dfl_drawing *drawing, const char *call, const char *name)
{
    if (!drawing->lowered)
        return DFL_OK;
    return dfl_fail(drawing->ctx, DFL_INVALID, "%s '%s': the mechanism is complete", call, name);
}

static dfl_status check_movable(const dfl_drawing *drawing, const char *call, const char *name,
                                int a, int b)
{
    const dfl_placed_joint *first = &drawing->joints[a], *second = &drawing->joints[b];
    if (!first->drawn.driven || !second->drawn.driven)
        return DFL_OK;
    return dfl_fail(
        drawing->ctx, DFL_INVALID,
        "%s '%s': the motions of '%s' (line %d) and '%s' (line %d) are both prescribed; "
        "leave out one of them, or the %s",
        call, name, first->name, first->line, second->name, second->line, call);
}

/* d/dt along the motion of all positions. */
dfl_status dfl_drawing_rate(dfl_expr *out, dfl_drawing *drawing, dfl_expr expr)
{
    dfl_graph *g = drawing->graph;
    dfl_model *model = drawing->model;
    const dfl_expr time = dfl_symbol_expr(g, DFL_SYM_TIME, 0, "time"), one = dfl_constant(g, 1.0);
    dfl_status status = dfl_along_exprs(out, g, &expr, 1, &time, &one, 1);
    for (int i = 0; i < model->declarations.count && !status; i++) {
        const dfl_expr position = model->declarations.item[i].symbol;
        dfl_expr slope, velocity;
        if (model->declarations.item[i].kind != DFL_A_POSITION)
            continue;
        status = dfl_along_exprs(&slope, g, &expr, 1, &position, &one, 1);
        if (status || slope == 0)
            continue;
        status = dfl_model_velocity(&velocity, model, position);
        *out = dfl_add(g, *out, dfl_mul(g, slope, velocity));
    }
    return status;
}

static dfl_status declare(int *out, dfl_drawing *drawing, int line, const char *name, dfl_expr row)
{
    return dfl_model_constraint(out, drawing->model, line, name, row);
}
