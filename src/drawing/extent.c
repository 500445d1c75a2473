/* extent.c: the length of a mechanism, by which positions of its joints are judged: the largest
   distance of a joint or centre of mass from the joint that carries its body. Where the mechanism
   stands in the world does not matter. If there is no such distance, as for a body that turns about
   its centre, those between joints on the ground are taken, then radii of gyration. */
#include "drawing/drawing_internal.h"
#include "drawing/vectors.h"

#include <math.h>

static bool distance(double *out, const dfl_drawing *drawing, dfl_vec a, dfl_vec b);
static double on_bodies(const dfl_drawing *drawing);
static double on_ground(const dfl_drawing *drawing);
static double of_inertia(const dfl_drawing *drawing);

void dfl_drawing_measure(dfl_drawing *drawing)
{
    double length = on_bodies(drawing);
    if (length == 0)
        length = on_ground(drawing);
    if (length == 0)
        length = of_inertia(drawing);
    drawing->model->length = length;
}

/* False where it is no number. */
static bool distance(double *out, const dfl_drawing *drawing, dfl_vec a, dfl_vec b)
{
    const dfl_vec d = vec_sub(drawing->graph, a, b);
    double e[3];
    for (int i = 0; i < 3; i++)
        if (dfl_model_number(&e[i], drawing->model, d.e[i]))
            return false;
    *out = hypot(hypot(e[0], e[1]), e[2]);
    return isfinite(*out);
}

/* *largest := the distance of `point` from the origin of a body's link, if that is more. */
static void note(double *largest, const dfl_drawing *drawing, int body, dfl_vec point)
{
    const int link = body != DFL_GROUND ? drawing->bodies[body].link : 0;
    double d = 0;
    if (link > 0 && distance(&d, drawing, point, drawing->links[link].at))
        *largest = fmax(*largest, d);
}

static double on_bodies(const dfl_drawing *drawing)
{
    double largest = 0;
    for (int i = 0; i < drawing->nbodies; i++)
        if (!drawing->bodies[i].com_missing)
            note(&largest, drawing, i, drawing->bodies[i].com);
    for (int i = 0; i < drawing->njoints; i++) {
        const dfl_drawn_joint *joint = &drawing->joints[i].drawn;
        note(&largest, drawing, joint->parent, joint->at);
        note(&largest, drawing, joint->child, joint->apart ? joint->at_b : joint->at);
    }
    return largest;
}

static double on_ground(const dfl_drawing *drawing)
{
    double largest = 0, d = 0;
    const dfl_drawn_joint *first = NULL;
    for (int i = 0; i < drawing->njoints; i++) {
        const dfl_drawn_joint *joint = &drawing->joints[i].drawn;
        if (joint->parent != DFL_GROUND && joint->child != DFL_GROUND)
            continue;
        if (!first)
            first = joint;
        else if (distance(&d, drawing, joint->at, first->at))
            largest = fmax(largest, d);
    }
    return largest;
}

static double of_inertia(const dfl_drawing *drawing)
{
    double largest = 0, m = 0, J = 0;
    for (int i = 0; i < drawing->nbodies; i++)
        for (int k = 0; k < 3; k++)
            if (!dfl_model_number(&m, drawing->model, drawing->bodies[i].mass) &&
                !dfl_model_number(&J, drawing->model, drawing->bodies[i].inertia.e[k]) && m > 0 &&
                J > 0 && isfinite(J / m))
                largest = fmax(largest, sqrt(J / m));
    return largest;
}
