/* massless.c: what the model should know about bodies without mass: their names, for messages about
   directions that nothing determines, and which may be quasistatic. The directions themselves
   follow from the mass matrix: eliminated from the leaves of the tree to its root it is the
   recursion of Arnold (2013). */
#include "drawing/drawing_internal.h"

static dfl_status tell_joints(dfl_drawing *drawing, const dfl_placed_body *body);
static dfl_status is_empty(bool *out, const dfl_drawing *drawing, const dfl_placed_body *body);

dfl_status dfl_drawing_massless(dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->nbodies && !status; i++) {
        const dfl_placed_body *body = &drawing->bodies[i];
        const dfl_placed_joint *joint = &drawing->joints[drawing->links[body->link].joint];
        bool empty = false;
        if (body->link == 0 || body->elastic)
            continue;
        status = is_empty(&empty, drawing, body);
        if (!status && empty)
            status = tell_joints(drawing, body);
        for (int k = 0; k < joint->nv && !status && body->quasistatic; k++)
            status = dfl_model_quasistatic(drawing->model, joint->v[k]);
    }
    return status;
}

/* A body moves with all joints between it and the ground. */
static dfl_status tell_joints(dfl_drawing *drawing, const dfl_placed_body *body)
{
    dfl_status status = DFL_OK;
    int told = -1;
    for (int i = body->link; i > 0 && !status; i = drawing->links[i].parent) {
        const int number = drawing->links[i].joint;
        const dfl_placed_joint *joint = &drawing->joints[number];
        for (int k = 0; k < joint->nv && !status && number != told; k++)
            status = dfl_model_carries(drawing->model, joint->v[k], body->name);
        told = number; /* a joint may consist of several links */
    }
    return status;
}

/* With the present values of parameters. */
static dfl_status is_empty(bool *out, const dfl_drawing *drawing, const dfl_placed_body *body)
{
    double mass = 0.0, inertia[6];
    dfl_status status = dfl_drawing_read(&mass, drawing, &body->mass, 1, dfl_model_sign, "body",
                                         body->name, "mass");
    if (!status)
        status = dfl_drawing_read(inertia, drawing, body->inertia.e, 6, dfl_model_sign, "body",
                                  body->name, "inertia");
    *out = mass == 0.0;
    for (int k = 0; k < 6 && !status; k++)
        *out = *out && inertia[k] == 0.0;
    return status;
}
