/* drawing.c: what was drawn, kept as given; tree joints declare their coordinates at once. */
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"
#include "declare/declare.h"

#include <string.h>

static dfl_status take_nodes(dfl_drawn_joint *joint, const dfl_drawing *drawing);
static dfl_status take_tolerance(dfl_placed_joint *joint, dfl_drawing *drawing,
                                 const dfl_drawn_joint *drawn);
static dfl_status check_open(const dfl_drawing *drawing, const char *what, const char *name);
static dfl_status check_name(dfl_drawing *drawing, const char *what, const char *name);
static dfl_drawn_body out_of_frame(const dfl_drawing *drawing, const dfl_drawn_body *drawn);
static dfl_placed_joint settle(const dfl_drawing *drawing, const dfl_drawn_joint *joint);

dfl_status dfl_drawing_create(dfl_drawing **out, dfl_model *model)
{
    *out = NULL;
    dfl_drawing *drawing = dfl_alloc(model->ctx, 1, sizeof *drawing);
    if (!drawing)
        return DFL_NO_MEMORY;
    *drawing = (dfl_drawing){.ctx = model->ctx, .model = model, .graph = model->graph};
    drawing->links = dfl_grow(model->ctx, NULL, &drawing->max_links, 0, sizeof(dfl_link));
    if (!drawing->links) {
        dfl_free(model->ctx, drawing);
        return DFL_NO_MEMORY;
    }
    const dfl_mat one = mat_identity(model->graph);
    drawing->links[0] = (dfl_link){.kind = DFL_STEP_GROUND,
                                   .parent = -1,
                                   .joint = -1,
                                   .posed = true,
                                   .moving = true,
                                   .pose = {.base = one, .R = one}};
    drawing->nlinks = 1;
    *out = drawing;
    return DFL_OK;
}

void dfl_drawing_free(dfl_drawing *drawing)
{
    if (!drawing)
        return;
    dfl_context *ctx = drawing->ctx;
    dfl_mass_tree_free(drawing->declined);
    for (int i = 0; i < drawing->nbodies; i++) {
        dfl_free(ctx, drawing->bodies[i].name);
        dfl_free(ctx, drawing->bodies[i].color);
    }
    for (int i = 0; i < drawing->nsights; i++)
        dfl_free(ctx, (char *)drawing->sights[i].name);
    dfl_free(ctx, drawing->sights);
    for (int i = 0; i < drawing->njoints; i++) {
        dfl_free(ctx, drawing->joints[i].name);
        dfl_free(ctx, drawing->joints[i].motion);
    }
    dfl_drawing_free_elastic(drawing);
    dfl_free(ctx, drawing->names.entry);
    dfl_free(ctx, drawing->bodies);
    dfl_free(ctx, drawing->joints);
    dfl_free(ctx, drawing->links);
    dfl_free(ctx, drawing->path);
    dfl_free(ctx, drawing->releases);
    dfl_free(ctx, drawing->applied);
    dfl_free(ctx, drawing->bonds);
    dfl_free(ctx, drawing->tried);
    dfl_free(ctx, drawing);
}

dfl_status dfl_drawing_set_planar(dfl_drawing *drawing)
{
    if (drawing->nbodies + drawing->njoints > 0)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "planar: bodies and joints have been given before; call planar() first");
    drawing->planar = true;
    drawing->gravity.e[2] = 0;
    return DFL_OK;
}

bool dfl_drawing_is_planar(const dfl_drawing *drawing)
{
    return drawing->planar;
}

dfl_status dfl_drawing_set_gravity(dfl_drawing *drawing, int line, dfl_vec gravity)
{
    const unsigned known = 1U << DFL_SYM_PARAM | 1U << DFL_SYM_INPUT;
    const dfl_status status = check_open(drawing, "gravity", NULL);
    if (status)
        return status;
    for (int i = 0; i < 3; i++)
        if (dfl_node_of(drawing->graph, gravity.e[i])->depends & ~known)
            return dfl_fail(drawing->ctx, DFL_INVALID,
                            "gravity: it contains variables; give numbers or expressions of "
                            "parameters");
    if (drawing->planar && gravity.e[2] != 0)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "gravity: a plane model has no z; give two numbers");
    if (drawing->heavy)
        return dfl_fail(
            drawing->ctx, DFL_INVALID,
            "gravity: it has been given on line %d; there is one gravity, leave one out",
            drawing->gravity_line);
    drawing->gravity = gravity;
    drawing->heavy = true;
    drawing->gravity_line = line;
    return DFL_OK;
}

dfl_status dfl_drawing_body(int *out, dfl_drawing *drawing, const dfl_drawn_body *drawn)
{
    dfl_context *ctx = drawing->ctx;
    const dfl_drawn_body whole = out_of_frame(drawing, drawn), *body = &whole;
    dfl_status status = check_open(drawing, "body", body->name);
    if (!status)
        status = dfl_drawing_check_count(drawing, "body", body->name, drawing->nbodies);
    if (!status)
        status = check_name(drawing, "body", body->name);
    if (!status)
        status = dfl_drawing_check_body(drawing, body);
    if (status)
        return status;
    dfl_placed_body *bodies =
        dfl_grow(ctx, drawing->bodies, &drawing->max_bodies, drawing->nbodies, sizeof *bodies);
    if (!bodies)
        return DFL_NO_MEMORY;
    drawing->bodies = bodies;
    int *path = dfl_grow(ctx, drawing->path, &drawing->max_path, drawing->nbodies, sizeof *path);
    if (!path)
        return DFL_NO_MEMORY;
    drawing->path = path;
    char *name = dfl_copy_string(ctx, body->name);
    char *color = name && body->color ? dfl_copy_string(ctx, body->color) : NULL;
    if (!name || (body->color && !color)) {
        dfl_free(ctx, name);
        return DFL_NO_MEMORY;
    }
    *out = drawing->nbodies++;
    bodies[*out] = (dfl_placed_body){.name = name,
                                     .line = body->line,
                                     .mass = body->mass,
                                     .com = body->com,
                                     .inertia = body->inertia,
                                     .quasistatic = body->quasistatic,
                                     .com_missing = body->com_missing,
                                     .color = color,
                                     .hidden = body->hidden,
                                     .joint = -1,
                                     .link = -1};
    if (drawing->planar) {
        const dfl_expr zz = body->inertia.e[2];
        bodies[*out].inertia = (dfl_sym){{0, 0, zz, 0, 0, 0}};
        bodies[*out].com.e[2] = 0;
    }
    return DFL_OK;
}

/* Numbers of a frame become those of the drawing: c = at + A c', J = A J' A^T with the axes as
   columns of A. */
static dfl_drawn_body out_of_frame(const dfl_drawing *drawing, const dfl_drawn_body *drawn)
{
    dfl_graph *g = drawing->graph;
    dfl_drawn_body body = *drawn;
    dfl_vec axes[3];
    if (!drawn->framed)
        return body;
    if (drawing->planar && vec_is_zero(body.frame_axis))
        body.frame_axis.e[2] = dfl_constant(g, 1.0);
    dfl_drawing_axes(axes, drawing, body.frame_axis, body.frame_axis2);
    const dfl_mat A = mat_transpose(mat_of_rows(axes));
    body.com = vec_add(g, drawn->frame_at, mat_times(g, A, drawn->com));
    body.inertia = sym_rotate(g, A, drawn->inertia);
    return body;
}

dfl_status dfl_drawing_joint(int *out, dfl_drawing *drawing, const dfl_drawn_joint *drawn)
{
    dfl_context *ctx = drawing->ctx;
    dfl_placed_joint joint = settle(drawing, drawn);
    dfl_status status = take_nodes(&joint.drawn, drawing);
    if (status)
        return status;
    joint.drawn.name = drawn->name; /* for messages, while it is checked */
    status = check_open(drawing, dfl_joint_types[drawn->kind].name, drawn->name);
    if (!status)
        status = dfl_drawing_check_count(drawing, dfl_joint_types[drawn->kind].name, drawn->name,
                                         drawing->njoints);
    if (!status)
        status = check_name(drawing, dfl_joint_types[drawn->kind].name, drawn->name);
    if (!status)
        status = dfl_drawing_check_joint(drawing, &joint.drawn);
    if (!status && drawn->tolerance)
        status = take_tolerance(&joint, drawing, drawn);
    if (status)
        return status;
    dfl_placed_joint *joints =
        dfl_grow(ctx, drawing->joints, &drawing->max_joints, drawing->njoints, sizeof *joints);
    if (!joints)
        return DFL_NO_MEMORY;
    drawing->joints = joints;
    joint.name = dfl_copy_string(ctx, drawn->name);
    if (!joint.name)
        return DFL_NO_MEMORY;
    joint.drawn.name = NULL;
    joint.loop = dfl_drawing_closes_loop(drawing, &joint.drawn);
    joint.line = drawn->line;
    *out = drawing->njoints++;
    joints[*out] = joint;
    if (!joint.loop) {
        drawing->bodies[joint.drawn.child].joint = *out;
        status = dfl_drawing_coordinates(drawing, &joints[*out]);
        joints[*out].drawn.coordinate_names = NULL;
        return status ? status : dfl_drawing_hang_elastic(drawing, joint.drawn.child);
    }
    const bool hang = dfl_drawing_hangs(drawing, joint.drawn.parent) &&
                      dfl_drawing_hangs(drawing, joint.drawn.child);
    return hang ? dfl_drawing_rows(drawing, &joints[*out]) : DFL_OK;
}

/* Instead of an elastic body its node at the point of the joint; a free body is held by its frame.
 */
static dfl_status take_nodes(dfl_drawn_joint *joint, const dfl_drawing *drawing)
{
    const char *kind = dfl_joint_types[joint->kind].name;
    if (joint->kind == DFL_JOINT_FIXED)
        for (int k = 0; k < 2; k++) {
            const int body = k ? joint->child : joint->parent;
            if (dfl_drawing_is_elastic(drawing, body) && drawing->bodies[body].node < 0)
                return dfl_fail(drawing->ctx, DFL_INVALID,
                                "fixed '%s': the body '%s' is elastic; give one of its nodes, such "
                                "as %s.NODE",
                                joint->name, drawing->bodies[body].name,
                                drawing->bodies[body].name);
        }
    if (dfl_joint_types[joint->kind].point != DFL_POINT_PLACE)
        return DFL_OK;
    dfl_status status =
        dfl_drawing_need_node(&joint->parent, drawing, kind, joint->name, joint->at);
    if (!status)
        status = dfl_drawing_need_node(&joint->child, drawing, kind, joint->name,
                                       joint->apart ? joint->at_b : joint->at);
    return status;
}

static dfl_status take_tolerance(dfl_placed_joint *joint, dfl_drawing *drawing,
                                 const dfl_drawn_joint *drawn)
{
    const char *kind = dfl_joint_types[drawn->kind].name;
    double value = 0.0;
    const dfl_status status =
        dfl_drawing_value(&value, drawing, drawn->tolerance, kind, drawn->name, "tolerance");
    if (!status && !(value >= 0.0 && value <= 0.1))
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "%s '%s': tolerance is %g; give the misfit that is allowed, in m or rad, "
                        "between 0 and 0.1",
                        kind, drawn->name, value);
    joint->tolerance = value;
    return status;
}

/* In a plane model: no z, axes that may be left out, and a free body moves in the plane. */
static dfl_placed_joint settle(const dfl_drawing *drawing, const dfl_drawn_joint *drawn)
{
    dfl_placed_joint joint = {.drawn = *drawn};
    dfl_drawn_joint *d = &joint.drawn;
    if (!drawing->planar)
        return joint;
    d->at.e[2] = d->at_b.e[2] = 0;
    if (d->kind == DFL_JOINT_FREE)
        d->kind = DFL_JOINT_PLANAR;
    if (dfl_joint_types[d->kind].plane == DFL_PLANE_ACROSS && vec_is_zero(d->axis))
        d->axis.e[2] = dfl_constant(drawing->graph, 1.0);
    return joint;
}

/* Bodies and joints are complete once masses and energy were needed. */
static dfl_status check_open(const dfl_drawing *drawing, const char *what, const char *name)
{
    if (!drawing->closed)
        return DFL_OK;
    return dfl_fail(drawing->ctx, DFL_INVALID,
                    "%s%s%s%s: energy() of line %d is the sum of what was declared before it; "
                    "give gravity, bodies and joints first",
                    what, name ? " '" : "", name ? name : "", name ? "'" : "",
                    drawing->model->energy.asked_line);
}

static dfl_status check_name(dfl_drawing *drawing, const char *what, const char *name)
{
    int taken = 0;
    if (!strcmp(name, "ground"))
        return dfl_fail(drawing->ctx, DFL_INVALID, "%s: the name 'ground' is taken", what);
    const dfl_status status = dfl_drawing_find_name(&taken, drawing, name);
    if (status)
        return status;
    if (taken)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "%s: the name '%s' is taken by the %s of line %d; choose another one", what,
                        name, taken > 0 ? "body" : "joint",
                        taken > 0 ? drawing->bodies[taken - 1].line
                                  : drawing->joints[-taken - 1].line);
    return dfl_model_check_name(drawing->model, name);
}

dfl_status dfl_drawing_check_count(const dfl_drawing *drawing, const char *what, const char *name,
                                   int count)
{
    enum { MOST = 100000, MOST_FRAMES = 10000 }; /* names of frames are compared with all others */
    if (count < (strcmp(what, "frame") ? MOST : MOST_FRAMES))
        return DFL_OK;
    return dfl_fail(drawing->ctx, DFL_INVALID,
                    "%s '%s': a mechanism has at most %d bodies, as many joints, and %d frames; "
                    "is this an endless loop?",
                    what, name, MOST, MOST_FRAMES);
}

bool dfl_drawing_closes_loop(const dfl_drawing *drawing, const dfl_drawn_joint *joint)
{
    return joint->cut || dfl_joint_types[joint->kind].loop_only || joint->child == DFL_GROUND ||
           drawing->bodies[joint->child].joint >= 0;
}

int dfl_drawing_njoints(const dfl_drawing *drawing)
{
    return drawing->njoints;
}

const char *dfl_drawing_body_name(const dfl_drawing *drawing, int body)
{
    return body == DFL_GROUND ? "ground" : drawing->bodies[body].name;
}

const char *dfl_drawing_joint_name(const dfl_drawing *drawing, int joint)
{
    return drawing->joints[joint].name;
}

int dfl_drawing_joint_line(const dfl_drawing *drawing, int joint)
{
    return drawing->joints[joint].line;
}

dfl_joint_symbols dfl_drawing_joint_symbols(const dfl_drawing *drawing, int index)
{
    const dfl_placed_joint *joint = &drawing->joints[index];
    return (dfl_joint_symbols){.np = joint->np,
                               .nv = joint->nv,
                               .p = joint->p,
                               .v = joint->v,
                               .loop = joint->loop,
                               .speeds = joint->np > joint->nv,
                               .motion = joint->drawn.driven ? joint->drawn.motion : DFL_NO_EXPR,
                               .motion_rate = joint->drawn.driven ? joint->rate : DFL_NO_EXPR};
}
