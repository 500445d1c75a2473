/* energy.c: the kinetic energy of all bodies. With prescribed motions it is more than v^T M v / 2. */
#include "mechanism/drawing_internal.h"

#include "mechanism/vectors.h"

static dfl_status add_body(dfl_expr *sum, dfl_drawing *drawing, const dfl_placed_body *body,
                           int index);

dfl_status dfl_drawing_driven_energy(dfl_drawing *drawing, int first_mass)
{
    dfl_graph *g = drawing->graph;
    dfl_model *model = drawing->model;
    dfl_expr T = 0;
    dfl_status status = DFL_OK;
    bool driven = false;
    for (int i = 0; i < drawing->njoints; i++)
        driven = driven || drawing->joints[i].drawn.driven;
    for (int i = 0; driven && i < drawing->nbodies && !status; i++)
        status = add_body(&T, drawing, &drawing->bodies[i], i);
    for (int i = first_mass; driven && i < model->nmasses && !status; i++)
        T = dfl_sub(g, T, dfl_model_mass_energy(model, i));
    if (driven && !status)
        model->driven = T;
    return status ? status : dfl_graph_status(g);
}

/* m v.v / 2 + omega.J omega / 2, of the centre of mass */
static dfl_status add_body(dfl_expr *sum, dfl_drawing *drawing, const dfl_placed_body *body,
                           int index)
{
    dfl_graph *g = drawing->graph;
    dfl_vec v, omega;
    dfl_mat R;
    const dfl_expr mass = body->mass;
    const dfl_sym inertia = body->inertia;
    dfl_status status = dfl_drawing_velocity(&v, drawing, index, body->com);
    if (!status)
        status = dfl_drawing_omega(&omega, drawing, index);
    if (!status)
        status = dfl_drawing_rotation(&R, drawing, index);
    if (status)
        return status;
    const dfl_vec w = mat_back(g, R, omega);
    const dfl_expr twice =
        dfl_add(g, dfl_mul(g, mass, vec_dot(g, v, v)), vec_dot(g, w, sym_times(g, inertia, w)));
    *sum = dfl_add(g, *sum, dfl_mul(g, dfl_constant(g, 0.5), twice));
    return DFL_OK;
}
