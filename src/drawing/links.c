/* links.c: the coordinates of joints, and joints as chains of links. */
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"
#include "symbolic/symbolic.h"

/* With more links absolute coordinates are surely cheaper: expressions in joint coordinates, which
   grow with the square of their number, are not made. */
enum { MOST_IN_DOUBT = 400 };

static dfl_status declare_angles(dfl_drawing *drawing, dfl_placed_joint *joint);
static dfl_status declare_speeds(dfl_drawing *drawing, dfl_placed_joint *joint);
static dfl_status declare_kinematics(dfl_drawing *drawing, dfl_placed_joint *joint);
static dfl_status declare_rotation(dfl_drawing *drawing, const dfl_expr e[4], dfl_vec omega);
static dfl_status prescribe(dfl_drawing *drawing, dfl_placed_joint *joint);
static dfl_vec step_axis(const dfl_drawing *drawing, const dfl_drawn_joint *joint,
                         dfl_step_axis which);
static dfl_status add_link(int *out, dfl_drawing *drawing, int parent, int index,
                           const dfl_joint_step *step);

/* -------------------------------------------------------------------------- coordinates */

dfl_status dfl_drawing_coordinates(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    if (joint->drawn.driven)
        return prescribe(drawing, joint);
    const dfl_joint_kind kind = joint->drawn.kind;
    const bool user = kind == DFL_JOINT_USER;
    joint->np = user ? joint->drawn.ncoordinates : dfl_joint_np(kind, drawing->planar);
    joint->nv = user ? joint->drawn.ncoordinates : dfl_joint_nv(kind, drawing->planar);
    dfl_status status = declare_angles(drawing, joint);
    if (!status && joint->np > joint->nv)
        status = declare_speeds(drawing, joint);
    return status;
}

/* Positions NAME.q or NAME.q1, ..., or as the user calls them. */
static dfl_status declare_angles(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    dfl_model *model = drawing->model;
    dfl_status status = DFL_OK;
    for (int i = 0; i < joint->np && !status; i++) {
        dfl_text name = {.ctx = drawing->ctx};
        const char *const *names = joint->drawn.coordinate_names;
        dfl_text_add(&name, "%s.%s", joint->name, names ? names[i] : "q");
        if (joint->np > 1 && !names)
            dfl_text_add(&name, "%d", i + 1);
        status = name.status;
        if (!status)
            status = dfl_model_position(&joint->p[i], model, joint->line, dfl_text_string(&name));
        if (!status && joint->np == joint->nv)
            status = dfl_model_velocity(&joint->v[i], model, joint->p[i]);
        const char *unit = dfl_joint_p_unit(joint->drawn.kind, i);
        if (!status && unit)
            status = dfl_model_unit(model, dfl_model_owner(model, joint->p[i]), unit);
        dfl_text_clear(&name);
    }
    return status;
}

/* Speeds NAME.w1 .. w3 and, of a free body, NAME.v1 .. v3, with their kinematics. */
static dfl_status declare_speeds(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    dfl_model *model = drawing->model;
    dfl_status status = DFL_OK;
    for (int i = 0; i < joint->nv && !status; i++) {
        dfl_text name = {.ctx = drawing->ctx};
        dfl_text_add(&name, "%s.%c%d", joint->name, i < 3 ? 'w' : 'v', i % 3 + 1);
        status = name.status;
        if (!status)
            status = dfl_model_speed(&joint->v[i], model, joint->line, dfl_text_string(&name));
        if (!status)
            status = dfl_model_unit(model, dfl_model_owner(model, joint->v[i]),
                                    dfl_joint_v_unit(joint->drawn.kind, i));
        dfl_text_clear(&name);
    }
    return status ? status : declare_kinematics(drawing, joint);
}

/* e' = 1/2 Q omega, r' = R v */
static dfl_status declare_kinematics(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr *e = joint->p + joint->np - 4, *w = joint->v;
    dfl_status status = dfl_drawing_turning(drawing, e, w);
    if (status || joint->np == 4)
        return status;
    const dfl_link link = {.kind = DFL_STEP_FREE, .p = {0, 0, 0, e[0], e[1], e[2], e[3]}};
    const dfl_vec rates =
        mat_times(g, dfl_link_turn(drawing, &link), (dfl_vec){{w[3], w[4], w[5]}});
    for (int i = 0; i < 3 && !status; i++)
        status = dfl_model_kinematics(drawing->model, joint->p[i], rates.e[i]);
    return status;
}

dfl_status dfl_drawing_turning(dfl_drawing *drawing, const dfl_expr e[4], const dfl_expr w[3])
{
    dfl_graph *g = drawing->graph;
    const dfl_expr half = dfl_constant(g, 0.5);
    const dfl_vec Q[4] = {{{dfl_neg(g, e[1]), dfl_neg(g, e[2]), dfl_neg(g, e[3])}},
                          {{e[0], dfl_neg(g, e[3]), e[2]}},
                          {{e[3], e[0], dfl_neg(g, e[1])}},
                          {{dfl_neg(g, e[2]), e[1], e[0]}}};
    const dfl_vec omega = {{w[0], w[1], w[2]}};
    dfl_status status = DFL_OK;
    for (int i = 0; i < 4 && !status; i++)
        status =
            dfl_model_kinematics(drawing->model, e[i], dfl_mul(g, half, vec_dot(g, Q[i], omega)));
    return status ? status : declare_rotation(drawing, e, omega);
}

/* R' = R (omega x .), row by row, which says less than the derivatives of its quaternion would. */
static dfl_status declare_rotation(dfl_drawing *drawing, const dfl_expr e[4], dfl_vec omega)
{
    const dfl_link link = {.kind = DFL_STEP_SPHERICAL, .p = {e[0], e[1], e[2], e[3]}};
    const dfl_mat R = dfl_link_turn(drawing, &link);
    dfl_status status = DFL_OK;
    for (int i = 0; i < 3; i++) {
        const dfl_vec rate = vec_cross(drawing->graph, mat_row(R, i), omega);
        for (int k = 0; k < 3 && !status; k++)
            status = dfl_model_rate(drawing->model, R.e[3 * i + k], rate.e[k]);
    }
    return status;
}

/* The rates of a prescribed motion. */
static dfl_status prescribe(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr time = dfl_symbol_expr(g, DFL_SYM_TIME, 0, "time"), one = dfl_constant(g, 1.0);
    dfl_status status = dfl_along_exprs(&joint->rate, g, &joint->drawn.motion, 1, &time, &one, 1);
    if (!status)
        status = dfl_along_exprs(&joint->rate2, g, &joint->rate, 1, &time, &one, 1);
    if (!status)
        status = dfl_model_motion(drawing->model, joint->line, joint->name, joint->drawn.motion,
                                  joint->rate);
    return status;
}

/* -------------------------------------------------------------------------- links */

bool dfl_drawing_hangs(const dfl_drawing *drawing, int body)
{
    for (int steps = 0; body != DFL_GROUND; steps++) {
        const int joint = drawing->bodies[body].joint;
        if (drawing->bodies[body].link >= 0)
            return true;
        if (joint < 0 || steps > drawing->nbodies)
            return false;
        body = drawing->joints[joint].drawn.parent;
    }
    return true;
}

dfl_status dfl_drawing_link(int *out, dfl_drawing *drawing, int body)
{
    int length = 0;
    if (!dfl_drawing_hangs(drawing, body))
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "body '%s' does not hang on the ground yet; give the joints between them "
                        "first",
                        drawing->bodies[body].name);
    for (int b = body; b != DFL_GROUND && drawing->bodies[b].link < 0;) {
        drawing->path[length++] = b;
        b = drawing->joints[drawing->bodies[b].joint].drawn.parent;
    }
    dfl_status status = DFL_OK;
    while (length > 0 && !status) {
        dfl_placed_body *b = &drawing->bodies[drawing->path[--length]];
        const dfl_drawn_joint *joint = &drawing->joints[b->joint].drawn;
        const int count = dfl_joint_steps(joint->kind, drawing->planar);
        int link = joint->parent == DFL_GROUND ? 0 : drawing->bodies[joint->parent].link;
        for (int k = 0; k < count && !status; k++)
            status =
                add_link(&link, drawing, link, b->joint, &dfl_joint_types[joint->kind].step[k]);
        if (!status && dfl_drawing_releases(drawing, drawing->path[length], link))
            status = dfl_drawing_release(&link, drawing, drawing->path[length]);
        if (!status)
            b->link = link;
    }
    *out = body == DFL_GROUND ? 0 : drawing->bodies[body].link;
    if (!status && drawing->nlinks > MOST_IN_DOUBT &&
        drawing->model->dynamics == DFL_DYNAMICS_CHEAPEST) {
        drawing->model->large = true;
        status = dfl_fail(drawing->ctx, DFL_INVALID, "absolute coordinates are wanted");
    }
    return status ? status : dfl_graph_status(drawing->graph);
}

static dfl_vec step_axis(const dfl_drawing *drawing, const dfl_drawn_joint *joint,
                         dfl_step_axis which)
{
    dfl_vec axes[3];
    if (which == DFL_ALONG_NONE)
        return vec_zero();
    if (which == DFL_ALONG_AXIS2)
        return dfl_drawing_unit(drawing, joint->axis2);
    if (which >= DFL_ALONG_X) {
        dfl_drawing_axes(axes, drawing, vec_zero(), vec_zero());
        return axes[which - DFL_ALONG_X];
    }
    dfl_drawing_axes(axes, drawing, joint->axis, joint->axis2);
    return axes[which == DFL_ALONG_AXIS ? 2 : which == DFL_ALONG_SIDE ? 0 : 1];
}

static dfl_status add_link(int *out, dfl_drawing *drawing, int parent, int index,
                           const dfl_joint_step *step)
{
    dfl_link *links =
        dfl_grow(drawing->ctx, drawing->links, &drawing->max_links, drawing->nlinks, sizeof *links);
    if (!links)
        return DFL_NO_MEMORY;
    drawing->links = links;
    const dfl_placed_joint *joint = &drawing->joints[index];
    dfl_link *link = &links[drawing->nlinks];
    const bool whole = step->kind == DFL_STEP_SPHERICAL || step->kind == DFL_STEP_FREE ||
                       step->kind == DFL_STEP_USER;
    if (step->kind == DFL_STEP_USER && !joint->motion)
        return dfl_fail(drawing->ctx, DFL_INVALID, "joint '%s': its pose is not known yet",
                        joint->name);
    *link = (dfl_link){.kind = (dfl_step_kind)step->kind,
                       .parent = parent,
                       .joint = index,
                       .at = joint->drawn.at,
                       .axis = step_axis(drawing, &joint->drawn, (dfl_step_axis)step->axis),
                       .lead = joint->drawn.lead,
                       .motion = joint->motion,
                       .clock = dfl_constant(drawing->graph, 1.0)};
    link->offset = vec_sub(drawing->graph, link->at, links[parent].at);
    if (joint->drawn.driven) {
        link->p[0] = joint->drawn.motion;
        link->v[0] = joint->rate;
        link->drive = joint->rate2;
    } else {
        link->dofs = whole ? joint->nv : 1;
        for (int k = 0; k < (whole ? joint->np : 1); k++)
            link->p[k] = joint->p[step->component + k];
        for (int k = 0; k < link->dofs; k++)
            link->v[k] = joint->v[step->component + k];
    }
    *out = drawing->nlinks++;
    return DFL_OK;
}
