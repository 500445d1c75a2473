/* dynamics.c: mass matrix and forces of inertia and gravity: the recursions of Newton and Euler and
   of composite bodies (Featherstone 2008, chapters 5 and 6) on expressions.

   Each link has its own axes: the axes of the drawing, or z along a tilted axis. Q leads from them
   to the axes of its parent; r is the vector between the origins in axes of the parent; w, u are
   its rates as in kinematics.c. For v' = 0 and a_ground = -gravity:

       omega = Q^T omega_p + w           alpha = Q^T alpha_p + Q^T omega_p x w (+ prescribed)
       a = Q^T (a_p + alpha_p x r + omega_p x (omega_p x r)) + 2 Q^T omega_p x u + w x u
       F = m a + alpha x h + omega x (omega x h)      N = J alpha + omega x J omega + h x a

   with mass m, first moment h and inertia J about the origin. F and N are moved to the parent and
   added up. The velocities of the origins are never needed. Composite bodies: m, h, J are moved and
   added likewise, and a unit acceleration of every joint gives one row of M.

   If all turns are about one axis of coordinates, the axes of the world serve for all links: then Q
   is 1, and sines and cosines are those of sums of angles. Plane models are of this kind. */
#include "drawing/moved_links.h"
#include "drawing/vectors.h"

static dfl_status declare_forces(dfl_moved *all, dfl_drawing *drawing);
static dfl_status declare_drive_energy(dfl_moved *all, dfl_drawing *drawing);
static dfl_expr move_by_drives(dfl_moved *all, dfl_drawing *drawing);
static dfl_status declare_masses(dfl_moved *all, dfl_drawing *drawing);
static dfl_status declare_row(const dfl_moved *all, dfl_drawing *drawing, int index, int k);
static void compose(dfl_moved *parent, dfl_graph *g, const dfl_moved *child);
static dfl_status declare_modal_forces(dfl_moved *all, dfl_drawing *drawing);
static dfl_status declare_modal_row(const dfl_moved *all, dfl_drawing *drawing,
                                    const dfl_elastic *e, int k);
static dfl_status declare_along(const dfl_moved *all, dfl_drawing *drawing, int index, int last,
                                dfl_expr v, dfl_vec N, dfl_vec F, int line);
static dfl_expr project(dfl_drawing *drawing, const dfl_link *link, int k, const dfl_moved *m,
                        dfl_vec N, dfl_vec F);

dfl_status dfl_drawing_dynamics(dfl_drawing *drawing)
{
    dfl_moved *all = dfl_alloc(drawing->ctx, (size_t)drawing->nlinks, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    dfl_moved_place(all, drawing, dfl_drawing_in_world_axes(drawing));
    dfl_moved_accelerate(all, drawing);
    dfl_status status = declare_forces(all, drawing);
    if (!status)
        status = declare_drive_energy(all, drawing);
    if (!status)
        status = declare_masses(all, drawing);
    dfl_free(drawing->ctx, all);
    return status;
}

bool dfl_drawing_in_world_axes(const dfl_drawing *drawing)
{
    int common = -1;
    for (int i = 1; i < drawing->nlinks; i++) {
        const dfl_link *link = &drawing->links[i];
        const int axis = vec_coordinate(link->axis);
        if (link->kind == DFL_STEP_PRISMATIC)
            continue;
        if (link->kind == DFL_STEP_USER && drawing->planar)
            continue;
        if (link->kind == DFL_STEP_SPHERICAL || link->kind == DFL_STEP_FREE ||
            link->kind == DFL_STEP_USER)
            return false;
        if (axis == 3 || (common >= 0 && common != axis))
            return false;
        common = axis;
    }
    return true;
}

static dfl_status declare_forces(dfl_moved *all, dfl_drawing *drawing)
{
    dfl_graph *g = drawing->graph;
    dfl_status status = DFL_OK;
    for (int i = 1; i < drawing->nlinks; i++) {
        dfl_moved *m = &all[i];
        const dfl_vec Jw = sym_times(g, m->J, m->omega);
        m->F = vec_cross_add(g, vec_scale(g, m->m, m->a), m->alpha, m->h);
        m->F = vec_cross_add(g, m->F, m->omega, vec_cross(g, m->omega, m->h));
        m->N = vec_cross_add(g, sym_times(g, m->J, m->alpha), m->omega, Jw);
        m->N = vec_cross_add(g, m->N, m->h, m->a);
    }
    status = declare_modal_forces(all, drawing);
    for (int i = drawing->nlinks - 1; i > 0 && !status; i--) {
        const dfl_link *link = &drawing->links[i];
        dfl_moved *m = &all[i], *p = &all[link->parent];
        drawing->line = drawing->joints[link->joint].line;
        for (int k = 0; k < link->dofs && !status; k++) {
            const dfl_expr f = dfl_neg(g, project(drawing, link, k, m, m->N, m->F));
            if (f != 0)
                status = dfl_model_stored_force(drawing->model, drawing->line, link->v[k], f);
        }
        if (link->parent == 0)
            continue;
        const dfl_vec F = dfl_moved_to_parent(g, m, m->F);
        p->F = vec_add(g, p->F, F);
        p->N = vec_cross_add(g, vec_add(g, p->N, dfl_moved_to_parent(g, m, m->N)), m->r, F);
    }
    return status;
}

/* Prescribed motions make the kinetic energy v^T M v / 2 + c^T v + T0: momenta P and L of what the
   drives alone move give c as forces give tau, and T0. */
static dfl_status declare_drive_energy(dfl_moved *all, dfl_drawing *drawing)
{
    dfl_graph *g = drawing->graph;
    dfl_expr energy = move_by_drives(all, drawing);
    for (int i = 0; i < drawing->nelastics; i++) {
        const dfl_elastic *e = &drawing->elastics[i];
        const dfl_moved *m = &all[drawing->bodies[e->body].link];
        const dfl_vec omega = mat_back(g, m->R, m->omega), u = mat_back(g, m->R, m->a);
        for (int k = 0; k < e->n; k++) {
            if (e->massless[k])
                continue;
            const dfl_expr momentum = dfl_add(
                g, vec_dot(g, dfl_elastic_coupling(drawing, e, k), omega), vec_dot(g, e->S[k], u));
            energy = dfl_add(g, energy, dfl_mul(g, momentum, e->v[k]));
        }
    }
    for (int i = drawing->nlinks - 1; i > 0; i--) {
        const dfl_link *link = &drawing->links[i];
        const dfl_moved *m = &all[i];
        dfl_moved *p = &all[link->parent];
        for (int k = 0; k < link->dofs; k++)
            energy = dfl_add(g, energy,
                             dfl_mul(g, project(drawing, link, k, m, m->N, m->F), link->v[k]));
        if (link->parent == 0)
            continue;
        const dfl_vec P = dfl_moved_to_parent(g, m, m->F);
        p->F = vec_add(g, p->F, P);
        p->N = vec_cross_add(g, vec_add(g, p->N, dfl_moved_to_parent(g, m, m->N)), m->r, P);
    }
    return energy ? dfl_model_driven(drawing->model, energy) : DFL_OK;
}

/* omega, a: angular velocity and velocity for v = 0; F, N: momenta. Returns the energy T0. */
static dfl_expr move_by_drives(dfl_moved *all, dfl_drawing *drawing)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr half = dfl_constant(g, 0.5);
    dfl_expr energy = 0;
    all[0].omega = all[0].a = all[0].F = all[0].N = vec_zero();
    for (int i = 1; i < drawing->nlinks; i++) {
        const dfl_link *link = &drawing->links[i];
        const dfl_moved *p = &all[link->parent];
        dfl_moved *m = &all[i];
        dfl_vec w = vec_zero(), u = vec_zero();
        if (link->kind == DFL_STEP_USER) {
            w = mat_times(g, m->R, link->motion->w[link->dofs]);
            u = mat_times(g, m->R, link->motion->u[link->dofs]);
        } else if (link->dofs == 0) {
            dfl_moved_rates(&w, &u, drawing, link, m);
        }
        m->omega = vec_add(g, dfl_moved_to_child(g, m, p->omega), w);
        m->a = vec_add(g, dfl_moved_to_child(g, m, vec_cross_add(g, p->a, p->omega, m->r)), u);
        m->F = vec_cross_add(g, vec_scale(g, m->m, m->a), m->omega, m->h);
        m->N = vec_cross_add(g, sym_times(g, m->J, m->omega), m->h, m->a);
        const dfl_expr twice = dfl_add(g, vec_dot(g, m->a, m->F), vec_dot(g, m->omega, m->N));
        energy = dfl_add(g, energy, dfl_mul(g, half, twice));
    }
    return energy;
}

static dfl_status declare_masses(dfl_moved *all, dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->nelastics && !status; i++)
        for (int k = 0; k < drawing->elastics[i].n && !status; k++)
            status = declare_modal_row(all, drawing, &drawing->elastics[i], k);
    for (int i = drawing->nlinks - 1; i > 0 && !status; i--) {
        const dfl_link *link = &drawing->links[i];
        drawing->line = drawing->joints[link->joint].line;
        for (int k = 0; k < link->dofs && !status; k++)
            status = declare_row(all, drawing, i, k);
        if (link->parent > 0)
            compose(&all[link->parent], drawing->graph, &all[i]);
    }
    return status;
}

/* F = m a + alpha x h, N = J alpha + h x a for a unit acceleration of this joint, seen by the
   joints from here to the ground. */
static dfl_status declare_row(const dfl_moved *all, dfl_drawing *drawing, int index, int k)
{
    dfl_graph *g = drawing->graph;
    const dfl_link *link = &drawing->links[index];
    const int line = drawing->joints[link->joint].line;
    const dfl_moved *m = &all[index];
    dfl_vec alpha, a;
    dfl_moved_unit_rates(&alpha, &a, drawing, link, k, m);
    const dfl_vec F = vec_cross_add(g, vec_scale(g, m->m, a), alpha, m->h);
    const dfl_vec N = vec_cross_add(g, sym_times(g, m->J, alpha), m->h, a);
    return declare_along(all, drawing, index, k, link->v[k], N, F, line);
}

/* The masses between velocity v, whose unit acceleration needs the torque N and the force F at a
   link, and the velocities from there to the ground: of the first link those up to `last`, or all
   of them if it is negative. An elastic coordinate moves several links: its own mass then has two
   such parts. */
static dfl_status declare_along(const dfl_moved *all, dfl_drawing *drawing, int index, int last,
                                dfl_expr v, dfl_vec N, dfl_vec F, int line)
{
    dfl_graph *g = drawing->graph;
    dfl_status status = DFL_OK;
    for (int i = index; i > 0 && !status; i = drawing->links[i].parent) {
        const dfl_link *link = &drawing->links[i];
        const dfl_moved *m = &all[i];
        for (int j = 0; j < (last < 0 ? link->dofs : last + 1) && !status; j++) {
            dfl_expr entry = project(drawing, link, j, m, N, F);
            if (last < 0 && link->v[j] == v)
                entry = dfl_mul(g, dfl_constant(g, 2.0), entry);
            if (entry != 0)
                status = dfl_model_mass(drawing->model, line, v, link->v[j], entry);
        }
        last = -1;
        F = dfl_moved_to_parent(g, m, F);
        N = vec_cross_add(g, dfl_moved_to_parent(g, m, N), m->r, F);
    }
    return status;
}

/* ------------------------------------------------------------------ elastic bodies */

/* Adds to F and N of the links, and declares the forces on elastic coordinates. */
static dfl_status declare_modal_forces(dfl_moved *all, dfl_drawing *drawing)
{
    dfl_graph *g = drawing->graph;
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->nelastics && !status; i++) {
        const dfl_elastic *e = &drawing->elastics[i];
        dfl_moved *m = &all[drawing->bodies[e->body].link];
        dfl_vec F, N;
        dfl_expr Q[DFL_MOST_MODES];
        drawing->line = e->line;
        status = dfl_elastic_load(&F, &N, Q, drawing, e, mat_back(g, m->R, m->omega),
                                  mat_back(g, m->R, m->alpha), mat_back(g, m->R, m->a));
        m->F = vec_add(g, m->F, mat_times(g, m->R, F));
        m->N = vec_add(g, m->N, mat_times(g, m->R, N));
        for (int k = 0; k < e->n && !status; k++)
            if (Q[k] != 0)
                status = dfl_model_stored_force(drawing->model, e->line, e->v[k], dfl_neg(g, Q[k]));
        if (!status)
            status = dfl_elastic_doubt(drawing, e, m->omega);
    }
    return status;
}

/* A unit acceleration of an elastic coordinate needs F = S_k, N = C_k. */
static dfl_status declare_modal_row(const dfl_moved *all, dfl_drawing *drawing,
                                    const dfl_elastic *e, int k)
{
    dfl_graph *g = drawing->graph;
    const int link = drawing->bodies[e->body].link;
    const dfl_moved *m = &all[link];
    dfl_status status = DFL_OK;
    if (e->massless[k])
        return DFL_OK;
    for (int l = 0; l <= k && !status; l++)
        if (!e->massless[l] && e->M[k + e->n * l] != 0)
            status = dfl_model_mass(drawing->model, e->line, e->v[k], e->v[l], e->M[k + e->n * l]);
    if (status)
        return status;
    const dfl_vec N = mat_times(g, m->R, dfl_elastic_coupling(drawing, e, k));
    return declare_along(all, drawing, link, -1, e->v[k], N, mat_times(g, m->R, e->S[k]), e->line);
}

/* Adds the child's mass to the parent's: h + m r,
   J + 2 (r.h) 1 - (r h^T + h r^T) + m (r.r 1 - r r^T). */
static void compose(dfl_moved *parent, dfl_graph *g, const dfl_moved *child)
{
    const dfl_vec r = child->r, h = dfl_moved_to_parent(g, child, child->h);
    const dfl_vec far = vec_add(g, h, vec_scale(g, child->m, r)); /* h + m r */
    const dfl_sym J = child->turned ? sym_rotate(g, child->Q, child->J) : child->J;
    parent->m = dfl_add(g, parent->m, child->m);
    parent->h = vec_add(g, parent->h, far);
    dfl_expr diagonal[3]; /* r_i h_i + r_i far_i */
    for (int i = 0; i < 3; i++)
        diagonal[i] = dfl_mul(g, r.e[i], dfl_add(g, h.e[i], far.e[i]));
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++) {
            const int place = sym_place(i, k);
            dfl_expr sum = J.e[place];
            if (i == k)
                sum = dfl_add(g, sum, dfl_add(g, diagonal[(i + 1) % 3], diagonal[(i + 2) % 3]));
            else /* r_i far_k + h_i r_k */
                sum = dfl_sub(g, sum,
                              dfl_add(g, dfl_mul(g, r.e[i], far.e[k]), dfl_mul(g, h.e[i], r.e[k])));
            parent->J.e[place] = dfl_add(g, parent->J.e[place], sum);
        }
}

/* The generalized force on velocity k of a link of a torque N and a force F at its origin. */
static dfl_expr project(dfl_drawing *drawing, const dfl_link *link, int k, const dfl_moved *m,
                        dfl_vec N, dfl_vec F)
{
    dfl_graph *g = drawing->graph;
    dfl_vec w, u;
    dfl_moved_unit_rates(&w, &u, drawing, link, k, m);
    return dfl_add(g, vec_dot(g, w, N), vec_dot(g, u, F));
}
