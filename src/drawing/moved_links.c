/* moved_links.c: axes and accelerations of links for the recursions of dynamics.c, whose letters it
   uses. */
#include "drawing/moved_links.h"

#include "drawing/vectors.h"

static void set_in_world_axes(dfl_moved *m, dfl_drawing *drawing, int index);
static void set_in_own_axes(dfl_moved *m, const dfl_moved *p, dfl_drawing *drawing,
                            const dfl_link *link);

void dfl_moved_place(dfl_moved *all, dfl_drawing *drawing, bool world)
{
    all[0].C = all[0].R = mat_identity(drawing->graph);
    for (int i = 1; i < drawing->nlinks; i++) {
        const dfl_link *link = &drawing->links[i];
        all[i] = (dfl_moved){.m = link->mass, .h = link->moment, .J = link->inertia};
        if (world)
            set_in_world_axes(&all[i], drawing, i);
        else
            set_in_own_axes(&all[i], &all[link->parent], drawing, link);
    }
}

static void set_in_world_axes(dfl_moved *m, dfl_drawing *drawing, int index)
{
    dfl_graph *g = drawing->graph;
    const dfl_pose *pose = dfl_link_place(drawing, index);
    m->r = pose->arm;
    m->R = pose->R;
    m->axis = mat_times(g, dfl_link_axes(drawing, index), drawing->links[index].axis);
    m->h = mat_times(g, pose->R, m->h);
    m->J = sym_rotate(g, pose->R, m->J);
}

/* Q = C_p^T turn C. An axis that is not an axis of the drawing becomes z: then
   turn C = C turn_z. */
static void set_in_own_axes(dfl_moved *m, const dfl_moved *p, dfl_drawing *drawing,
                            const dfl_link *link)
{
    dfl_graph *g = drawing->graph;
    const bool turns = link->kind == DFL_STEP_REVOLUTE || link->kind == DFL_STEP_SCREW;
    const bool tilted = turns && vec_coordinate(link->axis) == 3;
    m->turned = link->kind != DFL_STEP_PRISMATIC;
    m->C = link->kind == DFL_STEP_PRISMATIC ? p->C : mat_identity(g);
    m->Q = m->turned ? mat_product(g, mat_transpose(p->C), dfl_link_turn(drawing, link)) : m->C;
    if (tilted) {
        const dfl_vec z = {{0, 0, dfl_constant(g, 1.0)}};
        dfl_vec axes[3];
        dfl_drawing_axes(axes, drawing, link->axis, vec_zero());
        m->C = mat_transpose(mat_of_rows(axes));
        m->Q = mat_turn(g, z, link->p[0]);
        if (!mat_same(m->C, p->C))
            m->Q = mat_product(g, mat_product(g, mat_transpose(p->C), m->C), m->Q);
        m->axis = z;
    } else {
        m->axis = mat_back(g, m->C, link->axis);
    }
    m->r = mat_back(g, p->C, dfl_link_shift(drawing, link));
    m->R = mat_transpose(m->C);
    m->h = mat_back(g, m->C, m->h);
    m->J = sym_rotate(g, mat_transpose(m->C), m->J);
}

/* Angular velocities, and accelerations for v' = 0. */
void dfl_moved_accelerate(dfl_moved *all, dfl_drawing *drawing)
{
    dfl_graph *g = drawing->graph;
    all[0].a = vec_neg(g, drawing->gravity);
    for (int i = 1; i < drawing->nlinks; i++) {
        const dfl_link *link = &drawing->links[i];
        const dfl_moved *p = &all[link->parent];
        dfl_moved *m = &all[i];
        dfl_vec w, u, wd, ud;
        dfl_moved_rates(&w, &u, drawing, link, m);
        const dfl_vec before = dfl_moved_to_child(g, m, p->omega);
        dfl_vec a = vec_cross_add(g, p->a, p->alpha, m->r);
        a = dfl_moved_to_child(g, m, vec_cross_add(g, a, p->omega, vec_cross(g, p->omega, m->r)));
        m->a = vec_cross_add(g, a, vec_scale(g, dfl_constant(g, 2.0), before), u);
        m->omega = vec_add(g, before, w);
        m->alpha = vec_cross_add(g, dfl_moved_to_child(g, m, p->alpha), before, w);
        if (link->kind == DFL_STEP_FREE || link->kind == DFL_STEP_USER)
            m->a = vec_cross_add(g, m->a, w, u);
        if (link->kind == DFL_STEP_USER) {
            m->alpha = vec_add(g, m->alpha, mat_times(g, m->R, link->motion->wd));
            m->a = vec_add(g, m->a, mat_times(g, m->R, link->motion->ud));
        }
        if (link->dofs > 0)
            continue;
        dfl_moved_unit_rates(&wd, &ud, drawing, link, 0, m);
        m->alpha = vec_add(g, m->alpha, vec_scale(g, link->drive, wd));
        m->a = vec_add(g, m->a, vec_scale(g, link->drive, ud));
    }
}

dfl_vec dfl_moved_to_parent(dfl_graph *g, const dfl_moved *m, dfl_vec b)
{
    return m->turned ? mat_times(g, m->Q, b) : b;
}

dfl_vec dfl_moved_to_child(dfl_graph *g, const dfl_moved *m, dfl_vec b)
{
    return m->turned ? mat_back(g, m->Q, b) : b;
}

/* The rates of a link, in the axes used here. */
void dfl_moved_rates(dfl_vec *w, dfl_vec *u, dfl_drawing *drawing, const dfl_link *link,
                     const dfl_moved *m)
{
    dfl_link_rates(w, u, drawing, link, m->axis);
    if (link->kind == DFL_STEP_USER) {
        *w = mat_times(drawing->graph, m->R, *w);
        *u = mat_times(drawing->graph, m->R, *u);
    }
}

/* ... whose velocity k is 1. */
void dfl_moved_unit_rates(dfl_vec *w, dfl_vec *u, dfl_drawing *drawing, const dfl_link *link, int k,
                          const dfl_moved *m)
{
    dfl_link unit = {.kind = link->kind, .lead = link->lead, .motion = link->motion};
    unit.v[k] = dfl_constant(drawing->graph, 1.0);
    dfl_moved_rates(w, u, drawing, &unit, m);
}
