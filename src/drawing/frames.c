/* frames.c: frames with names, which the scene shows, and how they and the bodies move, for
   `driftless equations --frames`.

   A frame is a point of a body with axes: those of the drawing, or z along `axis` and x along
   `axis2`. The frame of a body has its origin in the centre of mass and the axes of the drawing.
   Everything is in world axes; columns of R are the axes of the frame. */
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"

#include <string.h>

static dfl_status check_frame_name(const dfl_drawing *drawing, const char *name);
static dfl_status describe(dfl_drawing *drawing, const char *name, int body, dfl_vec at,
                           dfl_vec axis, dfl_vec axis2);
static dfl_status describe_columns(dfl_model_frame *out, dfl_drawing *drawing, int body,
                                   dfl_vec at);

dfl_status dfl_drawing_frame(dfl_drawing *drawing, int line, const char *name, int body, dfl_vec at,
                             dfl_vec axis, dfl_vec axis2)
{
    const dfl_status status = check_frame_name(drawing, name);
    return status ? status
                  : dfl_drawing_show(drawing, &(dfl_sight){.kind = DFL_SEE_FRAME,
                                                           .line = line,
                                                           .name = name,
                                                           .a = body,
                                                           .at = at,
                                                           .axis = axis,
                                                           .axis2 = axis2});
}

static dfl_status check_frame_name(const dfl_drawing *drawing, const char *name)
{
    int frames = 0;
    for (int i = 0; i < drawing->nsights; i++) {
        const dfl_sight *sight = &drawing->sights[i];
        frames += sight->kind == DFL_SEE_FRAME;
        if (sight->kind == DFL_SEE_FRAME && !strcmp(name, sight->name))
            return dfl_fail(drawing->ctx, DFL_INVALID,
                            "frame: the name '%s' is taken by the frame of line %d; choose another "
                            "one",
                            name, sight->line);
    }
    for (int i = 0; i < drawing->nbodies; i++)
        if (!strcmp(name, drawing->bodies[i].name))
            return dfl_fail(drawing->ctx, DFL_INVALID,
                            "frame: the name '%s' is taken by the body of line %d; choose another "
                            "one",
                            name, drawing->bodies[i].line);
    return dfl_drawing_check_count(drawing, "frame", name, frames);
}

dfl_status dfl_drawing_describe_frames(dfl_drawing *drawing)
{
    dfl_model *model = drawing->model;
    dfl_status status = DFL_OK;
    if (!model->wants_frames)
        return DFL_OK;
    model->frames.item = dfl_alloc(drawing->ctx, (size_t)(drawing->nbodies + drawing->nsights),
                                   sizeof *model->frames.item);
    if (!model->frames.item)
        return DFL_NO_MEMORY;
    for (int i = 0; i < drawing->nbodies && !status; i++) {
        const dfl_placed_body *body = &drawing->bodies[i];
        status = describe(drawing, body->name, i, body->com, vec_zero(), vec_zero());
    }
    for (int i = 0; i < drawing->nsights && !status; i++) {
        const dfl_sight *f = &drawing->sights[i];
        if (f->kind == DFL_SEE_FRAME)
            status = describe(drawing, f->name, f->a, f->at, f->axis, f->axis2);
    }
    return status;
}

/* Adds a frame to the model. */
static dfl_status describe(dfl_drawing *drawing, const char *name, int body, dfl_vec at,
                           dfl_vec axis, dfl_vec axis2)
{
    dfl_model_frame *out = &drawing->model->frames.item[drawing->model->frames.count++];
    dfl_vec axes[3];
    dfl_graph *g = drawing->graph;
    dfl_vec r, v, a, omega, alpha;
    dfl_mat R;
    dfl_drawing_axes(axes, drawing, axis, axis2);
    out->planar = drawing->planar;
    out->name = dfl_copy_string(drawing->ctx, name);
    dfl_status status = out->name ? dfl_drawing_point(&r, drawing, body, at) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_drawing_rotation(&R, drawing, body);
    if (!status && drawing->planar)
        status = dfl_drawing_angle(&out->angle, drawing, body);
    if (!status)
        status = dfl_drawing_omega(&omega, drawing, body);
    if (!status)
        status = dfl_drawing_velocity(&v, drawing, body, at);
    if (!status)
        status = dfl_drawing_acceleration(&alpha, &a, drawing, body, at, false);
    if (status)
        return status;
    R = mat_product(g, R, mat_transpose(mat_of_rows(axes)));
    memcpy(out->R, R.e, sizeof out->R);
    memcpy(out->r, r.e, sizeof out->r);
    memcpy(out->v, v.e, sizeof out->v);
    memcpy(out->omega, omega.e, sizeof out->omega);
    memcpy(out->a, a.e, sizeof out->a);
    memcpy(out->alpha, alpha.e, sizeof out->alpha);
    return describe_columns(out, drawing, body, at);
}

static dfl_status describe_columns(dfl_model_frame *out, dfl_drawing *drawing, int body, dfl_vec at)
{
    const int most = dfl_drawing_velocities(drawing);
    dfl_jacobian_column *columns = dfl_alloc(drawing->ctx, (size_t)most, sizeof *columns);
    out->columns = dfl_alloc(drawing->ctx, (size_t)most, sizeof *out->columns);
    dfl_status status = columns && out->columns ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_drawing_jacobian(columns, &out->ncolumns, most, drawing, body, at);
    for (int k = 0; k < out->ncolumns && !status; k++) {
        const dfl_jacobian_column *from = &columns[out->ncolumns - 1 - k]; /* from the ground on */
        out->columns[k].u = from->v;
        memcpy(out->columns[k].v, from->velocity.e, sizeof from->velocity.e);
        memcpy(out->columns[k].omega, from->omega.e, sizeof from->omega.e);
    }
    dfl_free(drawing->ctx, columns);
    return status;
}
