/* lower.c: a complete drawing becomes declarations of the model: masses and forces (dynamics.c),
   constraints (loops.c), energy, applied forces, lengths of quaternions. */
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"

static void add_mass(dfl_drawing *drawing, const dfl_placed_body *body);
static dfl_expr gravity_energy(dfl_drawing *drawing);
static dfl_status declare_applied(dfl_drawing *drawing);
static dfl_status declare_loops(dfl_drawing *drawing);
static dfl_status declare_lengths(dfl_drawing *drawing);
static dfl_status with_line(const dfl_drawing *drawing);

dfl_status dfl_drawing_close(dfl_drawing *drawing)
{
    bool left = false;
    if (drawing->closed)
        return DFL_OK;
    dfl_status status = dfl_drawing_check_all(drawing);
    if (!status)
        status = dfl_drawing_check_poses(drawing);
    for (int i = 0, link; i < drawing->nbodies && !status; i++) {
        status = dfl_drawing_link(&link, drawing, i);
        if (!status)
            add_mass(drawing, &drawing->bodies[i]);
    }
    for (int i = 0; i < drawing->nelastics && !status; i++)
        dfl_elastic_add_mass(drawing, &drawing->elastics[i]);
    if (!status)
        status = dfl_drawing_leave_to_recursion(&left, drawing);
    if (!status && !left)
        status = dfl_drawing_dynamics(drawing);
    const dfl_expr V = status ? 0 : gravity_energy(drawing);
    if (!status && V != 0)
        status = dfl_model_stored(drawing->model, V);
    if (status)
        return status;
    drawing->closed = true;
    return DFL_OK;
}

/* Mass, first moment and inertia about the link's origin: J + m (c.c 1 - c c^T). */
static void add_mass(dfl_drawing *drawing, const dfl_placed_body *body)
{
    dfl_graph *g = drawing->graph;
    dfl_link *link = &drawing->links[body->link];
    const dfl_vec c = vec_sub(g, body->com, link->at), h = vec_scale(g, body->mass, c);
    dfl_sym J = body->inertia;
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++) {
            const int place = sym_place(i, k), a = (i + 1) % 3, b = (i + 2) % 3;
            const dfl_expr part =
                i == k ? dfl_add(g, dfl_mul(g, h.e[a], c.e[a]), dfl_mul(g, h.e[b], c.e[b]))
                       : dfl_neg(g, dfl_mul(g, h.e[i], c.e[k]));
            J.e[place] = dfl_add(g, J.e[place], part);
        }
    if (drawing->planar)
        J = (dfl_sym){{0, 0, J.e[2], 0, 0, 0}};
    link->mass = dfl_add(g, link->mass, body->mass);
    link->moment = vec_add(g, link->moment, h);
    link->inertia = sym_add(g, link->inertia, J);
}

/* V = - sum of gravity.(m r + R h) */
static dfl_expr gravity_energy(dfl_drawing *drawing)
{
    dfl_graph *g = drawing->graph;
    dfl_expr V = 0;
    if (vec_is_zero(drawing->gravity))
        return V;
    for (int i = 0; i < drawing->nlinks; i++) {
        const dfl_link *link = &drawing->links[i];
        const dfl_pose *pose = dfl_link_place(drawing, i);
        const dfl_vec h =
            vec_add(g, vec_scale(g, link->mass, pose->r), mat_times(g, pose->R, link->moment));
        V = dfl_sub(g, V, vec_dot(g, drawing->gravity, h));
    }
    return V;
}

dfl_status dfl_drawing_apply(dfl_drawing *drawing, int body, dfl_vec point, dfl_vec force,
                             dfl_vec torque, bool stored)
{
    dfl_graph *g = drawing->graph;
    int index;
    dfl_status status = dfl_drawing_refuse_frame(drawing, body, point);
    if (!status)
        status = dfl_drawing_link(&index, drawing, body);
    if (!status && body != DFL_GROUND)
        status = dfl_drawing_note(drawing, body, point, force, torque);
    if (status || index == 0)
        return status;
    const dfl_vec arm = dfl_link_arm(drawing, index, point);
    dfl_link *link = &drawing->links[index];
    link->force = vec_add(g, link->force, force);
    link->torque = vec_cross_add(g, vec_add(g, link->torque, torque), arm, force);
    drawing->lossy = drawing->lossy || !stored;
    return dfl_graph_status(g);
}

dfl_status dfl_drawing_lower(dfl_drawing *drawing)
{
    if (drawing->lowered)
        return DFL_OK;
    dfl_status status = dfl_drawing_close(drawing);
    if (!status)
        dfl_drawing_measure(drawing);
    if (!status)
        status = declare_applied(drawing);
    if (!status)
        status = declare_loops(drawing);
    if (!status)
        status = dfl_drawing_attach(drawing);
    if (!status)
        status = dfl_drawing_leave_rows(drawing);
    if (!status)
        status = declare_lengths(drawing);
    if (!status)
        status = dfl_drawing_quaternions(drawing);
    if (!status)
        status = dfl_drawing_resolve(drawing);
    if (!status)
        status = dfl_drawing_momenta(drawing);
    if (!status)
        status = dfl_drawing_advise(drawing);
    if (!status)
        status = dfl_drawing_massless(drawing);
    if (!status)
        status = dfl_drawing_describe_frames(drawing);
    drawing->lowered = !status;
    return status == DFL_INVALID ? with_line(drawing) : status;
}

/* Forces and torques are moved from link to link, to the ground, in world axes. */
static dfl_status declare_applied(dfl_drawing *drawing)
{
    dfl_graph *g = drawing->graph;
    dfl_status status = DFL_OK;
    for (int i = drawing->nlinks - 1; i > 0 && !status; i--) {
        const dfl_link *link = &drawing->links[i];
        if (vec_is_zero(link->force) && vec_is_zero(link->torque))
            continue;
        dfl_link *parent = &drawing->links[link->parent];
        const dfl_pose *pose = dfl_link_place(drawing, i);
        const dfl_mat A = dfl_link_axes(drawing, i);
        drawing->line = drawing->joints[link->joint].line;
        for (int k = 0; k < link->dofs && !status; k++) {
            dfl_link unit = {.kind = link->kind, .lead = link->lead, .motion = link->motion};
            dfl_vec w, u;
            unit.v[k] = dfl_constant(g, 1.0);
            dfl_link_rates(&w, &u, drawing, &unit, link->axis);
            const dfl_expr f = dfl_add(g, vec_dot(g, mat_times(g, A, w), link->torque),
                                       vec_dot(g, mat_times(g, A, u), link->force));
            if (f != 0)
                status = (drawing->lossy ? dfl_model_force : dfl_model_stored_force)(
                    drawing->model, drawing->line, link->v[k], f);
        }
        parent->force = vec_add(g, parent->force, link->force);
        parent->torque =
            vec_cross_add(g, vec_add(g, parent->torque, link->torque), pose->arm, link->force);
    }
    return status;
}

static dfl_status declare_loops(dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->njoints && !status; i++) {
        dfl_placed_joint *joint = &drawing->joints[i];
        drawing->line = joint->line;
        if (joint->loop && !joint->declared)
            status = dfl_drawing_rows(drawing, joint);
    }
    return status;
}

/* e^T e keeps its value. Rotations do not depend on it, so nothing but the shown numbers gains;
   sparse matrices, which cannot keep invariants, do without. */
static dfl_status declare_lengths(dfl_drawing *drawing)
{
    dfl_graph *g = drawing->graph;
    dfl_status status = DFL_OK;
    if (drawing->model->dynamics == DFL_DYNAMICS_ABSOLUTE)
        return DFL_OK;
    for (int i = 0; i < drawing->njoints && !status; i++) {
        const dfl_placed_joint *joint = &drawing->joints[i];
        const dfl_expr *e = joint->p + joint->np - 4;
        dfl_expr square = 0;
        if (joint->np == joint->nv)
            continue;
        for (int k = 0; k < 4; k++)
            square = dfl_add(g, square, dfl_mul(g, e[k], e[k]));
        dfl_text name = {.ctx = drawing->ctx};
        dfl_text_add(&name, "%s.length", joint->name);
        drawing->line = joint->line;
        status = name.status;
        if (!status)
            status =
                dfl_model_invariant(drawing->model, joint->line, dfl_text_string(&name), square);
        dfl_text_clear(&name);
    }
    return status;
}

/* Puts file and line, where the failure set it, in front of the message. */
static dfl_status with_line(const dfl_drawing *drawing)
{
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(&text, "%s", dfl_message(drawing->ctx));
    const dfl_status status =
        text.status ? text.status
                    : dfl_model_fail(drawing->model, drawing->line, "%s", dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}
