/* shapes.c: the scene of a mechanism: what there is to see, where it is, and how large it is.

   All sizes follow from the drawing: the points of joints, elements and masses span a box, whose
   diagonal sets the size of everything that has no given size. */
#include "drawing/shapes_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"

#include <math.h>
#include <string.h>

/* More shapes than this only make pages slow. */
enum { MOST_THINGS = 2000 };

static dfl_status set_stage(dfl_stage *stage);
static void clear_stage(dfl_stage *stage);
static dfl_status find_spots(dfl_stage *stage);
static dfl_status add_spot(dfl_stage *stage, int body, dfl_vec at);
static dfl_status measure(dfl_stage *stage);
static dfl_status find_down(dfl_stage *stage);
static dfl_status show_all(const dfl_stage *stage);
static dfl_status bring_to_front(dfl_model *model, int count);

dfl_status dfl_drawing_show(dfl_drawing *drawing, const dfl_sight *sight)
{
    dfl_sight *sights = dfl_grow(drawing->ctx, drawing->sights, &drawing->max_sights,
                                 drawing->nsights, sizeof *sights);
    if (!sights)
        return DFL_NO_MEMORY;
    drawing->sights = sights;
    char *name = dfl_copy_string(drawing->ctx, sight->name);
    if (!name)
        return DFL_NO_MEMORY;
    sights += drawing->nsights++;
    *sights = *sight;
    sights->name = name;
    return DFL_OK;
}

void dfl_drawing_show_nothing(dfl_drawing *drawing)
{
    drawing->bare = true;
}

dfl_status dfl_drawing_shapes(dfl_drawing *drawing)
{
    dfl_model *model = drawing->model;
    const int things = drawing->nbodies + drawing->njoints + drawing->nsights + model->shapes.count;
    const int own = model->shapes.count;
    dfl_stage stage = {.drawing = drawing, .nown = own};
    if (drawing->bare || things > MOST_THINGS)
        return DFL_OK;
    dfl_status status = set_stage(&stage);
    if (!status)
        status = show_all(&stage);
    if (!status)
        status = bring_to_front(model, own);
    clear_stage(&stage);
    return status;
}

dfl_status dfl_drawing_carry_shapes(dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->model->shapes.count && !status; i++) {
        dfl_shape *shape = &drawing->model->shapes.item[i];
        if (shape->carrier == 0)
            continue;
        status = dfl_carry_shape(drawing, shape, shape->carrier - 1);
        shape->planar = shape->planar && drawing->planar;
        shape->carrier = 0;
    }
    return status;
}

static dfl_status show_all(const dfl_stage *stage)
{
    dfl_status status = dfl_show_grounds(stage);
    if (!status)
        status = dfl_show_bodies(stage);
    if (!status)
        status = dfl_show_elastics(stage);
    if (!status)
        status = dfl_show_elements(stage);
    return status ? status : dfl_show_joints(stage);
}

/* The first `count` shapes become the last ones: in a plane scene later ones cover earlier ones. */
static dfl_status bring_to_front(dfl_model *model, int count)
{
    const size_t size = sizeof *model->shapes.item, own = (size_t)count;
    const size_t others = (size_t)(model->shapes.count - count);
    if (own == 0 || others == 0)
        return DFL_OK;
    dfl_shape *copy = dfl_alloc(model->ctx, own, size);
    if (!copy)
        return DFL_NO_MEMORY;
    memcpy(copy, model->shapes.item, own * size);
    memmove(model->shapes.item, model->shapes.item + own, others * size);
    memcpy(model->shapes.item + others, copy, own * size);
    dfl_free(model->ctx, copy);
    return DFL_OK;
}

/* -------------------------------------------------------------------------- places and sizes */

static dfl_status set_stage(dfl_stage *stage)
{
    const dfl_drawing *drawing = stage->drawing;
    dfl_context *ctx = drawing->ctx;
    const size_t bodies = (size_t)drawing->nbodies;
    const size_t spots =
        bodies + 2 * (size_t)(drawing->njoints + drawing->nsights + drawing->nelastics);
    stage->spots = dfl_alloc(ctx, spots, sizeof *stage->spots);
    stage->thick = dfl_alloc(ctx, bodies, sizeof *stage->thick);
    stage->round = dfl_alloc(ctx, bodies, sizeof *stage->round);
    if (!stage->spots || !stage->thick || !stage->round)
        return DFL_NO_MEMORY;
    dfl_status status = find_spots(stage);
    if (!status)
        status = measure(stage);
    return status ? status : find_down(stage);
}

static void clear_stage(dfl_stage *stage)
{
    dfl_context *ctx = stage->drawing->ctx;
    dfl_free(ctx, stage->spots);
    dfl_free(ctx, stage->thick);
    dfl_free(ctx, stage->round);
}

static dfl_status find_spots(dfl_stage *stage)
{
    const dfl_drawing *drawing = stage->drawing;
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->njoints && !status; i++) {
        const dfl_drawn_joint *joint = &drawing->joints[i].drawn;
        if (joint->kind == DFL_JOINT_FIXED && joint->child != DFL_GROUND &&
            joint->parent != DFL_GROUND)
            status = add_spot(stage, joint->parent, drawing->bodies[joint->child].com);
        if (dfl_joint_types[joint->kind].point != DFL_POINT_PLACE)
            continue;
        status = add_spot(stage, joint->parent, joint->at);
        if (!status)
            status = add_spot(stage, joint->child, joint->apart ? joint->at_b : joint->at);
    }
    for (int i = 0; i < drawing->nsights && !status; i++) {
        const dfl_sight *sight = &drawing->sights[i];
        if (sight->kind == DFL_SEE_FRAME || sight->kind == DFL_SEE_CURVE)
            continue;
        const bool round = sight->kind == DFL_SEE_DISK || sight->kind == DFL_SEE_BALL;
        status = add_spot(stage, sight->a, sight->at);
        if (!status && sight->kind == DFL_SEE_SPRING)
            status = add_spot(stage, sight->b, sight->to);
        if (round && sight->a != DFL_GROUND)
            stage->round[sight->a] = true;
    }
    for (int i = 0; i < drawing->nelastics && !status; i++) {
        const dfl_elastic *e = &drawing->elastics[i];
        for (int k = 0; k < 2 && !status && e->noutline > 0; k++)
            status = add_spot(stage, e->body, e->node[e->nnodes + k * (e->noutline - 1)].at);
    }
    for (int i = 0; i < drawing->nbodies && !status; i++)
        if (drawing->bodies[i].mass != 0)
            status = add_spot(stage, i, drawing->bodies[i].com);
    return status;
}

static dfl_status add_spot(dfl_stage *stage, int body, dfl_vec at)
{
    dfl_spot *spot = &stage->spots[stage->nspots];
    dfl_status status;
    *spot = (dfl_spot){.body = body, .at = at};
    if (dfl_stage_values(spot->x, &status, stage, at.e, 3))
        stage->nspots++;
    return status;
}

/* The diagonal of all spots, wheels included; without any the largest body, or 1 m. */
static dfl_status measure(dfl_stage *stage)
{
    const dfl_drawing *drawing = stage->drawing;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double square = 0, radius;
    dfl_status status = DFL_OK;
    for (int i = 0; i < stage->nspots; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], stage->spots[i].x[k]);
            high[k] = fmax(high[k], stage->spots[i].x[k]);
        }
    for (int k = 0; k < 3 && stage->nspots > 0; k++)
        square += (high[k] - low[k]) * (high[k] - low[k]);
    stage->size = sqrt(square);
    for (int i = 0; i < drawing->nsights && !status; i++)
        if (drawing->sights[i].radius != 0 &&
            dfl_stage_values(&radius, &status, stage, &drawing->sights[i].radius, 1))
            stage->size = fmax(stage->size, 2 * radius);
    for (int i = 0; i < drawing->nbodies && !status && square == 0; i++) {
        const dfl_placed_body *body = &drawing->bodies[i];
        double mass, inertia[6], size[3], turn[4];
        if (dfl_stage_values(&mass, &status, stage, &body->mass, 1) &&
            dfl_stage_values(inertia, &status, stage, body->inertia.e, 6) &&
            dfl_inertia_box(size, turn, mass, inertia))
            stage->size = fmax(stage->size, 2 * fmax(size[0], fmax(size[1], size[2])));
    }
    if (!(stage->size > 0))
        stage->size = 1;
    return status;
}

/* Along gravity, else -y in the plane and -z in space. */
static dfl_status find_down(dfl_stage *stage)
{
    dfl_status status;
    double *down = stage->down;
    const bool known = dfl_stage_values(down, &status, stage, stage->drawing->gravity.e, 3);
    const double length = sqrt(down[0] * down[0] + down[1] * down[1] + down[2] * down[2]);
    for (int k = 0; k < 3; k++)
        down[k] = known && length > 0 ? down[k] / length : 0;
    if (!known || !(length > 0))
        down[stage->drawing->planar ? 1 : 2] = -1;
    return status;
}
