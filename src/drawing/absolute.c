/* absolute.c: bodies with absolute coordinates, for mechanisms of many bodies.

   A body gets coordinates of its own: the shift of its centre of mass from the drawing and its
   angle, or a quaternion. The links of the joint that it hangs on stay, without mass: they lead
   from its parent to the place where the joint puts the body, and rows demand that the body is
   there,

       r + R (x - c) - r_joint = 0     for the point x of the joint, c being the centre of mass
       angle - angle_joint = 0         or, in space, sin of the turn between both times its axis = 0

   Coordinates of joints remain unknowns with the names of the script, and everything that contains
   them stays as it is. Poses of bodies are short expressions, M has one constant block per body,
   and each row contains the coordinates of one joint and two bodies. */
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"

#include <string.h>

static dfl_status declare_position(dfl_expr *p, dfl_drawing *drawing, int body, const char *what,
                                   const char *unit);
static dfl_status declare_speed(dfl_expr *v, dfl_drawing *drawing, int body, int k);
static dfl_status add_step(dfl_drawing *drawing, int body, dfl_step_kind kind, dfl_vec axis,
                           const dfl_expr *p, const dfl_expr *v);
static dfl_status place(dfl_drawing *drawing, const dfl_release *release);
static int is_inertia(const double *numbers, int count, const void *planar);
static bool has_inertia(const dfl_drawing *drawing, const dfl_placed_body *body);
static dfl_status declare_rows(dfl_drawing *drawing, const dfl_release *release);
static dfl_status declare_row(int *number, dfl_drawing *drawing, const dfl_placed_joint *joint,
                              int k, dfl_expr row);
static void mark_joint(const dfl_drawing *drawing, int link);
static dfl_status note_coordinates(const dfl_drawing *drawing);

/* -------------------------------------------------------------------------- coordinates */

/* Whether a coordinate moves the link. */
static bool moves(const dfl_drawing *drawing, int link)
{
    for (; link > 0; link = drawing->links[link].parent)
        if (drawing->links[link].dofs > 0)
            return true;
    return false;
}

bool dfl_drawing_releases(const dfl_drawing *drawing, int body, int end)
{
    const dfl_drawn_joint *joint = &drawing->joints[drawing->bodies[body].joint].drawn;
    const bool absolute = joint->parent == DFL_GROUND && joint->kind == DFL_JOINT_FREE;
    return drawing->model->dynamics == DFL_DYNAMICS_ABSOLUTE && !absolute &&
           dfl_joint_steps(joint->kind, drawing->planar) > 0 && moves(drawing, end) &&
           has_inertia(drawing, &drawing->bodies[body]);
}

/* With the present values of parameters: the others keep joint coordinates. */
static bool has_inertia(const dfl_drawing *drawing, const dfl_placed_body *body)
{
    dfl_expr all[7] = {body->mass};
    int answer = 0;
    memcpy(all + 1, body->inertia.e, sizeof body->inertia.e);
    return !dfl_model_decide(&answer, drawing->model, all, 7, is_inertia, &drawing->planar,
                             sizeof drawing->planar) &&
           answer;
}

/* Whether there is mass, and inertia about all axes. */
static int is_inertia(const double *numbers, int count, const void *planar)
{
    (void)count;
    const double tiny = 1e-12, *I = numbers + 1;
    if (!(numbers[0] > 0) || *(const bool *)planar)
        return numbers[0] > 0 && I[2] > 0;
    const double xx = I[sym_place(0, 0)], yy = I[sym_place(1, 1)], zz = I[sym_place(2, 2)],
                 xy = I[sym_place(0, 1)], xz = I[sym_place(0, 2)], yz = I[sym_place(1, 2)];
    const double size = xx + yy + zz, plane = xx * yy - xy * xy;
    const double volume =
        plane * zz - xx * yz * yz + 2 * xy * xz * yz - yy * xz * xz; /* the determinant */
    return xx > tiny * size && plane > tiny * size * size && volume > tiny * size * size * size;
}

dfl_status dfl_drawing_release(int *link, dfl_drawing *drawing, int body)
{
    static const char *const shifts[] = {"x", "y", "z"};
    static const char *const quaternion[] = {"e1", "e2", "e3", "e4"};
    dfl_graph *g = drawing->graph;
    const dfl_mat one = mat_identity(g);
    const int dimension = drawing->planar ? 2 : 3, turns = drawing->planar ? 1 : 4;
    dfl_release *all = dfl_grow(drawing->ctx, drawing->releases, &drawing->max_releases,
                                drawing->nreleases, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    drawing->releases = all;
    dfl_release *r = &all[drawing->nreleases];
    *r = (dfl_release){.body = body, .end = *link};
    dfl_status status = DFL_OK;
    for (int k = 0; k < dimension && !status; k++) {
        status = declare_position(&r->p[k], drawing, body, shifts[k], "m");
        if (!status)
            status = dfl_model_velocity(&r->v[k], drawing->model, r->p[k]);
        if (!status)
            status =
                add_step(drawing, body, DFL_STEP_PRISMATIC, mat_row(one, k), r->p + k, r->v + k);
    }
    for (int k = 0; k < turns && !status; k++)
        status = declare_position(&r->p[dimension + k], drawing, body,
                                  drawing->planar ? "angle" : quaternion[k],
                                  drawing->planar ? "rad" : "1");
    if (!status && drawing->planar)
        status = dfl_model_velocity(&r->v[2], drawing->model, r->p[2]);
    for (int k = 0; k < 3 && !status && !drawing->planar; k++)
        status = declare_speed(&r->v[3 + k], drawing, body, k);
    if (!status && !drawing->planar)
        status = dfl_drawing_turning(drawing, r->p + 3, r->v + 3);
    if (!status)
        status = add_step(drawing, body, drawing->planar ? DFL_STEP_REVOLUTE : DFL_STEP_SPHERICAL,
                          drawing->planar ? mat_row(one, 2) : vec_zero(), r->p + dimension,
                          r->v + dimension);
    if (status)
        return status;
    *link = r->link = drawing->nlinks - 1;
    drawing->nreleases++;
    return place(drawing, r);
}

static dfl_status declare_position(dfl_expr *p, dfl_drawing *drawing, int body, const char *what,
                                   const char *unit)
{
    dfl_model *model = drawing->model;
    dfl_text name = {.ctx = drawing->ctx};
    dfl_text_add(&name, "_%s.%s", drawing->bodies[body].name, what);
    dfl_status status = name.status;
    if (!status)
        status = dfl_model_position(p, model, drawing->bodies[body].line, dfl_text_string(&name));
    if (!status)
        dfl_model_owner(model, *p)->inner = true;
    if (!status)
        status = dfl_model_unit(model, dfl_model_owner(model, *p), unit);
    dfl_text_clear(&name);
    return status;
}

static dfl_status declare_speed(dfl_expr *v, dfl_drawing *drawing, int body, int k)
{
    dfl_model *model = drawing->model;
    dfl_text name = {.ctx = drawing->ctx};
    dfl_text_add(&name, "_%s.w%d", drawing->bodies[body].name, k + 1);
    dfl_status status = name.status;
    if (!status)
        status = dfl_model_speed(v, model, drawing->bodies[body].line, dfl_text_string(&name));
    if (!status)
        dfl_model_owner(model, *v)->inner = true;
    if (!status)
        status = dfl_model_unit(model, dfl_model_owner(model, *v), "rad/s");
    dfl_text_clear(&name);
    return status;
}

/* A link behind the ground, or behind the one that was added before. */
static dfl_status add_step(dfl_drawing *drawing, int body, dfl_step_kind kind, dfl_vec axis,
                           const dfl_expr *p, const dfl_expr *v)
{
    const bool whole = kind == DFL_STEP_SPHERICAL;
    const dfl_release *release = &drawing->releases[drawing->nreleases];
    dfl_link *links =
        dfl_grow(drawing->ctx, drawing->links, &drawing->max_links, drawing->nlinks, sizeof *links);
    if (!links)
        return DFL_NO_MEMORY;
    drawing->links = links;
    dfl_link *link = &links[drawing->nlinks];
    *link = (dfl_link){.kind = kind,
                       .parent = p == release->p ? 0 : drawing->nlinks - 1,
                       .joint = drawing->bodies[body].joint,
                       .at = drawing->bodies[body].com,
                       .axis = axis,
                       .dofs = whole ? 3 : 1,
                       .clock = dfl_constant(drawing->graph, 1.0)};
    link->offset = vec_sub(drawing->graph, link->at, links[link->parent].at);
    for (int k = 0; k < (whole ? 4 : 1); k++)
        link->p[k] = p[k];
    for (int k = 0; k < link->dofs; k++)
        link->v[k] = v[k];
    drawing->nlinks++;
    return DFL_OK;
}

/* Whether absolute coordinates move a link. */
static bool is_inner(const dfl_drawing *drawing, int link)
{
    const dfl_link *l = &drawing->links[link];
    return l->dofs > 0 && dfl_model_owner(drawing->model, l->v[0])->inner;
}

/* The origin of a link is *far, a place of the drawing, and what is returned, in which no number of
   the drawing is large: differences between bodies would show its rounding. */
static dfl_vec near_drawing(dfl_vec *far, dfl_drawing *drawing, int link)
{
    dfl_graph *g = drawing->graph;
    int root = link;
    while (root > 0 && drawing->links[root].parent > 0)
        root = drawing->links[root].parent;
    *far = is_inner(drawing, root) ? drawing->links[root].at : vec_zero();
    if (!is_inner(drawing, root))
        return dfl_link_place(drawing, link)->r;
    const dfl_link first = drawing->links[root];
    return vec_add(g, vec_scale(g, first.p[0], first.axis), dfl_link_pose(drawing, link, root).r);
}

dfl_vec dfl_links_apart(dfl_drawing *drawing, int a, dfl_vec from_a, int b, dfl_vec from_b)
{
    dfl_graph *g = drawing->graph;
    dfl_vec far_a, far_b;
    const dfl_vec near_a = near_drawing(&far_a, drawing, a);
    const dfl_vec near_b = near_drawing(&far_b, drawing, b);
    const dfl_vec arm_a = mat_times(g, dfl_link_place(drawing, a)->R, from_a);
    const dfl_vec arm_b = mat_times(g, dfl_link_place(drawing, b)->R, from_b);
    if (vec_is_zero(far_a)) /* a place on the ground */
        return vec_add(g, vec_add(g, near_b, arm_b), vec_sub(g, far_b, vec_add(g, near_a, arm_a)));
    const dfl_vec moved = vec_add(g, vec_sub(g, near_b, near_a), vec_sub(g, far_b, far_a));
    return vec_add(g, moved, vec_sub(g, arm_b, arm_a));
}

/* Where the joint puts the body, for the start. */
static dfl_status place(dfl_drawing *drawing, const dfl_release *release)
{
    dfl_graph *g = drawing->graph;
    dfl_placement out = {.planar = drawing->planar};
    const dfl_vec com = drawing->bodies[release->body].com;
    dfl_link_move(drawing, release->end);
    const dfl_vec arm = dfl_link_arm(drawing, release->end, com);
    const dfl_link *end = &drawing->links[release->end];
    const dfl_vec r = vec_sub(g, vec_add(g, end->pose.r, arm), com);
    const dfl_vec u = vec_cross_add(g, end->u, end->omega, arm);
    const dfl_vec omega = mat_back(g, end->pose.R, end->omega);
    for (int k = 0; k < 7; k++)
        out.p[k] = release->p[k];
    for (int k = 0; k < 6; k++)
        out.v[k] = release->v[k];
    for (int k = 0; k < 3; k++) {
        out.r[k] = r.e[k];
        out.u[k] = u.e[k];
        out.omega[k] = omega.e[drawing->planar ? 2 : k];
    }
    for (int k = 0; k < 9; k++)
        out.R[k] = drawing->planar ? dfl_link_angle(drawing, release->end) : end->pose.R.e[k];
    const dfl_status status = dfl_graph_status(g);
    return status ? status : dfl_model_place(drawing->model, &out);
}

/* -------------------------------------------------------------------------- rows */

dfl_status dfl_drawing_attach(dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->nreleases && !status; i++) {
        const dfl_release *release = &drawing->releases[i];
        drawing->line = drawing->joints[drawing->links[release->link].joint].line;
        status = declare_rows(drawing, release);
        if (!status)
            mark_joint(drawing, release->end);
    }
    return status || drawing->nreleases == 0 ? status : note_coordinates(drawing);
}

static dfl_status note_coordinates(const dfl_drawing *drawing)
{
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(
        &text,
        "%d of %d bodies have absolute coordinates, for sparse matrices: their coordinates "
        "and the rows of their joints are counted, but not shown in results",
        drawing->nreleases, drawing->nbodies);
    const dfl_status status =
        text.status ? text.status : dfl_model_note(drawing->model, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

/* The turn between two frames: sin of the angle times a component of the axis. */
static dfl_expr turn_between(dfl_graph *g, dfl_mat A, dfl_mat B, int k)
{
    const int u = (k + 1) % 3, w = (k + 2) % 3;
    const dfl_mat At = mat_transpose(A), Bt = mat_transpose(B);
    return dfl_mul(g, dfl_constant(g, 0.5),
                   dfl_sub(g, vec_dot(g, mat_row(At, w), mat_row(Bt, u)),
                           vec_dot(g, mat_row(At, u), mat_row(Bt, w))));
}

static dfl_status declare_rows(dfl_drawing *drawing, const dfl_release *release)
{
    static const char *const meanings[] = {"x translation", "y translation", "z translation",
                                           "x rotation",    "y rotation",    "z rotation"};
    dfl_graph *g = drawing->graph;
    const dfl_placed_joint *joint = &drawing->joints[drawing->links[release->link].joint];
    const dfl_pose *there = dfl_link_place(drawing, release->link);
    const dfl_pose *end = dfl_link_place(drawing, release->end);
    const dfl_vec zero = vec_zero();
    const dfl_vec arm =
        vec_sub(g, drawing->links[release->end].at, drawing->links[release->link].at);
    const dfl_vec d = dfl_links_apart(drawing, release->end, zero, release->link, arm);
    const int shifts = drawing->planar ? 2 : 3, rows = drawing->planar ? 3 : 6;
    dfl_status status = DFL_OK;
    for (int k = 0; k < rows && !status; k++) {
        const dfl_expr row = k < shifts        ? d.e[k]
                             : drawing->planar ? dfl_sub(g, dfl_link_angle(drawing, release->link),
                                                         dfl_link_angle(drawing, release->end))
                                               : turn_between(g, end->R, there->R, k - 3);
        int number;
        status = declare_row(&number, drawing, joint, k + 1, row);
        if (status)
            break;
        drawing->model->declarations.item[number].meaning = meanings[k < shifts ? k : k + 6 - rows];
        drawing->model->declarations.item[number].inner = true;
    }
    return status ? status : dfl_graph_status(g);
}

/* JOINT.k, or with strokes before it where the script has this name itself. */
static dfl_status declare_row(int *number, dfl_drawing *drawing, const dfl_placed_joint *joint,
                              int k, dfl_expr row)
{
    dfl_text name = {.ctx = drawing->ctx};
    dfl_text_add(&name, "%s.%d", joint->name, k);
    while (!name.status && dfl_model_find(drawing->model, dfl_text_string(&name))) {
        dfl_text longer = {.ctx = drawing->ctx};
        dfl_text_add(&longer, "_%s", dfl_text_string(&name));
        dfl_text_clear(&name);
        name = longer;
    }
    dfl_status status = name.status;
    if (!status)
        status =
            dfl_model_constraint(number, drawing->model, joint->line, dfl_text_string(&name), row);
    dfl_text_clear(&name);
    return status;
}

/* The velocities of the links up to the next absolute coordinates follow from these. */
static void mark_joint(const dfl_drawing *drawing, int link)
{
    for (; link > 0 && !is_inner(drawing, link); link = drawing->links[link].parent)
        for (int k = 0; k < drawing->links[link].dofs; k++)
            dfl_model_owner(drawing->model, drawing->links[link].v[k])->follows = true;
}
