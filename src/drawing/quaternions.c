/* quaternions.c: starting values of the quaternions of spherical and free joints.

   Rotations do not depend on the length of a quaternion, but people give cosines and sines of half
   an angle, and often not all four numbers. Missing numbers complete the quaternion to length 1;
   four numbers of another length are scaled to it. Where they are made of parameters, this is done
   again for other values of these. */
#include "drawing/drawing_internal.h"

#include "context/context.h"

#include <math.h>

/* Four numbers as given so far. */
typedef struct quaternion {
    double e[4];
    bool held[4], guessed[4];
    int nheld, line;
    double square; /* of the held ones */
    double length; /* before it was scaled; 0: it was not */
} quaternion;

static const double close = 1e-3; /* lengths that differ by less are rounded */

static dfl_start_value *start_of(const dfl_drawing *drawing, const dfl_placed_joint *joint, int k);
static quaternion read_quaternion(const dfl_drawing *drawing, const dfl_placed_joint *joint);
static dfl_status make_whole(dfl_drawing *drawing, const dfl_placed_joint *joint, quaternion *q);
static dfl_status complete(dfl_drawing *drawing, const dfl_placed_joint *joint, quaternion *q);
static bool completes(quaternion *q);
static double stretch(quaternion *q);
static dfl_status warn_of_length(dfl_drawing *drawing, const dfl_placed_joint *joint,
                                 double length);
static dfl_status store(dfl_drawing *drawing, const dfl_placed_joint *joint, const quaternion *q);
static bool has_same_starts(const dfl_drawing *drawing, const dfl_placed_joint *joint,
                            const quaternion *q);

dfl_status dfl_drawing_quaternions(dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->njoints && !status; i++) {
        const dfl_placed_joint *joint = &drawing->joints[i];
        if (joint->np == joint->nv)
            continue;
        quaternion q = read_quaternion(drawing, joint);
        drawing->line = q.line;
        status = make_whole(drawing, joint, &q);
        if (!status && q.length > 0)
            status = warn_of_length(drawing, joint, q.length);
        if (!status)
            status = store(drawing, joint, &q);
    }
    return status;
}

dfl_status dfl_drawing_same_quaternions(bool *same, dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->njoints && !status && *same; i++) {
        const dfl_placed_joint *joint = &drawing->joints[i];
        if (joint->np == joint->nv)
            continue;
        quaternion q = read_quaternion(drawing, joint);
        status = make_whole(drawing, joint, &q);
        *same = !status && q.length == 0 && has_same_starts(drawing, joint, &q);
        if (*same)
            status = store(drawing, joint, &q);
    }
    return status;
}

/* Of number k of a joint's quaternion; NULL: there is none. */
static dfl_start_value *start_of(const dfl_drawing *drawing, const dfl_placed_joint *joint, int k)
{
    const dfl_model *model = drawing->model;
    const dfl_expr symbol = joint->p[joint->np - 4 + k];
    const int number = model->index.by_symbol[dfl_node_of(drawing->graph, symbol)->a].start;
    return number > 0 ? &model->starts.item[number - 1] : NULL;
}

static quaternion read_quaternion(const dfl_drawing *drawing, const dfl_placed_joint *joint)
{
    quaternion q = {.line = joint->line};
    for (int k = 0; k < 4; k++) {
        const dfl_start_value *start = start_of(drawing, joint, k);
        q.e[k] = k == 0 ? 1.0 : 0.0; /* of the drawing */
        if (!start || start->added)
            continue;
        q.e[k] = start->given;
        q.held[k] = start->held;
        q.guessed[k] = !start->held;
        q.line = start->line;
        q.nheld += start->held;
        q.square += start->held ? start->given * start->given : 0.0;
    }
    return q;
}

/* Gives it length 1, or a length within a rounding of it. */
static dfl_status make_whole(dfl_drawing *drawing, const dfl_placed_joint *joint, quaternion *q)
{
    double square = 0.0;
    for (int k = 0; k < 4; k++)
        square += q->e[k] * q->e[k];
    if (q->nheld == 4 && square > 0.0)
        q->length = stretch(q);
    else if (q->nheld > 0 && q->nheld < 4)
        return complete(drawing, joint, q);
    else if (square > 0.0)
        completes(q);
    else
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "joint '%s': its quaternion is zero; give four numbers of length 1, "
                        "the cosine of half the angle first",
                        joint->name);
    return DFL_OK;
}

static dfl_status complete(dfl_drawing *drawing, const dfl_placed_joint *joint, quaternion *q)
{
    if (q->square > (1 + close) * (1 + close))
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "joint '%s': the given part of its quaternion has length %.4g, more than "
                        "1; give all four numbers",
                        joint->name, sqrt(q->square));
    if (completes(q))
        return DFL_OK;
    return dfl_fail(drawing->ctx, DFL_INVALID,
                    "joint '%s': the given part of its quaternion has length %.4g and does not say "
                    "about which axis it is turned; give all four numbers",
                    joint->name, sqrt(q->square));
}

/* The rest of the square goes to the scalar, or to guesses; false: to none of them. */
static bool completes(quaternion *q)
{
    const double rest = fmax(0.0, 1.0 - q->square);
    double guessed = 0.0;
    for (int k = 1; k < 4; k++)
        guessed += q->guessed[k] ? q->e[k] * q->e[k] : 0.0;
    if (!q->held[0] && !q->guessed[0] && guessed <= rest) {
        q->e[0] = sqrt(rest - guessed);
        return true;
    }
    guessed += q->guessed[0] ? q->e[0] * q->e[0] : 0.0;
    if (guessed == 0.0)
        return rest <= 2 * close;
    for (int k = 0; k < 4; k++)
        q->e[k] *= q->guessed[k] ? sqrt(rest / guessed) : 1.0;
    return true;
}

/* Four held numbers to length 1: from another one, or 0 where it was that. */
static double stretch(quaternion *q)
{
    const double length = sqrt(q->square);
    if (fabs(length - 1.0) <= close)
        return 0;
    for (int k = 0; k < 4; k++)
        q->e[k] /= length;
    return length;
}

static dfl_status warn_of_length(dfl_drawing *drawing, const dfl_placed_joint *joint, double length)
{
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(&text,
                 "joint '%s': its quaternion is given with length %.6g; it is scaled to length 1",
                 joint->name, length);
    const dfl_status status =
        text.status ? text.status : dfl_model_warn(drawing->model, dfl_text_string(&text));
    drawing->model->by_numbers = true;
    dfl_text_clear(&text);
    return status;
}

static dfl_status store(dfl_drawing *drawing, const dfl_placed_joint *joint, const quaternion *q)
{
    dfl_status status = DFL_OK;
    for (int k = 0; k < 4 && !status; k++)
        if (q->e[k] != 0.0 || start_of(drawing, joint, k))
            status = dfl_model_complete_start(drawing->model, q->line, joint->p[joint->np - 4 + k],
                                              q->e[k], q->held[k]);
    return status;
}

/* Whether store adds none, and has added those that are there. */
static bool has_same_starts(const dfl_drawing *drawing, const dfl_placed_joint *joint,
                            const quaternion *q)
{
    bool same = true;
    for (int k = 0; k < 4; k++) {
        const dfl_start_value *start = start_of(drawing, joint, k);
        same = same && (q->e[k] != 0.0 ? start != NULL : !start || !start->added);
    }
    return same;
}
