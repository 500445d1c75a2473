/* shape_elements.c: springs, wheels, balls, frames, and the curves of contacts. */
#include "drawing/shapes_internal.h"

#include "drawing/vectors.h"
#include "symbolic/symbolic.h"

#include <math.h>

/* Samples on either side of the start; a curve with an angle as its parameter is closed by them. */
enum { SAMPLES = 32 };

static bool is_replaced(const dfl_stage *stage, const dfl_sight *sight);
static dfl_status show_round(const dfl_stage *stage, const dfl_sight *sight, dfl_label label);
static dfl_status show_wheel(const dfl_stage *stage, const dfl_sight *sight, dfl_label label);
static dfl_status show_frame(const dfl_stage *stage, const dfl_sight *sight, dfl_label label);
static dfl_status show_curve(const dfl_stage *stage, const dfl_sight *sight, dfl_label label);
static dfl_status trace(dfl_spot *path, int *first, int *count, const dfl_stage *stage,
                        const dfl_sight *sight, double reach);
static bool sample(dfl_spot *out, dfl_status *status, const dfl_stage *stage,
                   const dfl_sight *sight, double parameter);

dfl_status dfl_show_elements(const dfl_stage *stage)
{
    const dfl_drawing *drawing = stage->drawing;
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->nsights && !status; i++) {
        const dfl_sight *sight = &drawing->sights[i];
        const dfl_spot ends[2] = {{.body = sight->a, .at = sight->at},
                                  {.body = sight->b, .at = sight->to}};
        dfl_label label = {.name = sight->name, .part = ""};
        if (sight->a != DFL_GROUND && sight->kind != DFL_SEE_SPRING) {
            if (is_replaced(stage, sight))
                continue;
            label.color = dfl_body_color(drawing, sight->a);
        }
        switch (sight->kind) {
        case DFL_SEE_SPRING:
            status = dfl_add_spring(stage, label, ends, 0.025 * stage->size);
            break;
        case DFL_SEE_DISK:
        case DFL_SEE_BALL:
            status = show_round(stage, sight, label);
            break;
        case DFL_SEE_WHEEL:
            status = show_wheel(stage, sight, label);
            break;
        case DFL_SEE_FRAME:
            status = show_frame(stage, sight, label);
            break;
        case DFL_SEE_CURVE:
            status = show_curve(stage, sight, label);
            break;
        }
    }
    return status;
}

/* Whether a body that something shows is hidden, or is drawn by the script as a whole. */
static bool is_replaced(const dfl_stage *stage, const dfl_sight *sight)
{
    const dfl_placed_body *body = &stage->drawing->bodies[sight->a];
    const bool round = sight->kind == DFL_SEE_DISK || sight->kind == DFL_SEE_BALL;
    return body->hidden || (round && dfl_is_drawn(stage->drawing->model, stage->nown, body->name));
}

static dfl_status show_round(const dfl_stage *stage, const dfl_sight *sight, dfl_label label)
{
    const dfl_spot at = {.body = sight->a, .at = sight->at};
    const dfl_expr one = dfl_constant(stage->drawing->graph, 1.0);
    const dfl_vec axis = vec_is_zero(sight->axis) ? (dfl_vec){{0, 0, one}} : sight->axis;
    double radius, direction[3], turn[4];
    dfl_status status;
    if (!dfl_stage_values(&radius, &status, stage, &sight->radius, 1) ||
        !dfl_stage_values(direction, &status, stage, axis.e, 3))
        return status;
    const bool ball = sight->kind == DFL_SEE_BALL && !stage->drawing->planar;
    const double sizes[] = {radius, ball ? radius : 0.2 * radius, radius};
    dfl_turn_axis(turn, 2, direction);
    return dfl_add_posed(stage, label, ball ? DFL_SPHERE : DFL_CYLINDER, &at, turn, sizes,
                         ball ? 3 : 2);
}

/* Seen from above in a plane model, where it is a box along its direction. */
static dfl_status show_wheel(const dfl_stage *stage, const dfl_sight *sight, dfl_label label)
{
    dfl_graph *g = stage->drawing->graph;
    const dfl_spot at = {.body = sight->a, .at = sight->at};
    const dfl_vec lateral = vec_cross(g, sight->axis2, sight->axis);
    double radius, along[3], aside[3], turn[4];
    dfl_status status;
    if (!dfl_stage_values(&radius, &status, stage, &sight->radius, 1) ||
        !dfl_stage_values(along, &status, stage, sight->axis.e, 3) ||
        !dfl_stage_values(aside, &status, stage, lateral.e, 3))
        return status;
    const double box[] = {2 * radius, 0.4 * radius, 0.4 * radius}, disk[] = {radius, 0.2 * radius};
    if (stage->drawing->planar) {
        dfl_turn_axis(turn, 0, along);
        return dfl_add_posed(stage, label, DFL_BOX, &at, turn, box, 3);
    }
    dfl_turn_axis(turn, 2, aside);
    return dfl_add_posed(stage, label, DFL_CYLINDER, &at, turn, disk, 2);
}

static dfl_status show_frame(const dfl_stage *stage, const dfl_sight *sight, dfl_label label)
{
    const dfl_spot at = {.body = sight->a, .at = sight->at};
    const double size = 0.12 * stage->size;
    double values[9], turn[4];
    dfl_vec axes[3];
    dfl_status status;
    dfl_drawing_axes(axes, stage->drawing, sight->axis, sight->axis2);
    const dfl_mat all = mat_of_rows(axes);
    if (!dfl_stage_values(values, &status, stage, all.e, 9))
        return status;
    dfl_turn_axes(turn, values);
    return dfl_add_posed(stage, label, DFL_FRAME, &at, turn, &size, 1);
}

/* The part of the curve that stays near: where half a turn leads too far away, the samples are
   closer. */
static dfl_status show_curve(const dfl_stage *stage, const dfl_sight *sight, dfl_label label)
{
    dfl_spot path[2 * SAMPLES + 1];
    dfl_status status = DFL_OK;
    int first = 0, count = 0;
    double reach = 3.14159265358979323846;
    for (int attempt = 0; attempt < 8 && count < SAMPLES && !status; attempt++, reach /= 4)
        status = trace(path, &first, &count, stage, sight, reach);
    if (status || count < 2)
        return status;
    label.color = "black";
    return dfl_add_line(stage, label, path + first, count, 0.008 * stage->size);
}

/* Samples from the start to both sides, `count` from `first` on. */
static dfl_status trace(dfl_spot *path, int *first, int *count, const dfl_stage *stage,
                        const dfl_sight *sight, double reach)
{
    dfl_status status;
    *count = 0;
    if (!sample(&path[SAMPLES], &status, stage, sight, sight->start))
        return status;
    *first = SAMPLES;
    *count = 1;
    for (int side = -1; side <= 1; side += 2)
        for (int i = 1; i <= SAMPLES; i++) {
            dfl_spot *next = &path[SAMPLES + side * i];
            if (!sample(next, &status, stage, sight, sight->start + reach * side * i / SAMPLES))
                break;
            const double *a = path[SAMPLES].x, *b = next->x;
            if (hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) > 0.7 * stage->size)
                break;
            *first -= side < 0;
            *count += 1;
        }
    return status;
}

static bool sample(dfl_spot *out, dfl_status *status, const dfl_stage *stage,
                   const dfl_sight *sight, double parameter)
{
    dfl_graph *g = stage->drawing->graph;
    const dfl_expr s = dfl_constant(g, parameter);
    *out = (dfl_spot){.body = sight->a};
    *status = dfl_substitute_exprs(out->at.e, g, sight->at.e, 3, &sight->s, &s, 1);
    return !*status && dfl_stage_values(out->x, status, stage, out->at.e, 3);
}
