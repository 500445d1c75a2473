/* shape.c: the scene of a model, checked and stored. */
#include "declare/declare_internal.h"

#include "context/context.h"

#include <string.h>

enum { LONGEST_NAME = 100, MOST_SHAPES = 100000, MOST_TRIANGLES = 200000, HASHES = 4096 };

const char *const dfl_color_names[DFL_COLORS] = {"blue",       "orange", "green", "purple", "sky",
                                                 "vermillion", "yellow", "gray",  "black"};
const char *const dfl_shape_names[DFL_SHAPE_KINDS] = {"point",    "line",   "spring", "box",
                                                      "cylinder", "sphere", "frame",  "mesh"};

static unsigned hash(const char *name);
static dfl_status check_name(const dfl_model *model, const char *name);
static dfl_status copy_shape(dfl_shape *out, dfl_context *ctx, const dfl_shape *shape);
static dfl_status make_room(dfl_model *model);
static dfl_status check_triangles(const dfl_model *model, int more);

dfl_status dfl_model_shape(dfl_model *model, const dfl_shape *shape)
{
    dfl_shape copy;
    dfl_status status = check_name(model, shape->name);
    if (!status && shape->color)
        status = dfl_model_check_color(model, shape->name, shape->color);
    for (int i = 0; !status && i < shape->ncolumns; i++)
        status = dfl_model_check_contents(model, DFL_FOR_DRAW, shape->name, shape->column[i]);
    if (!status)
        status = check_triangles(model, shape->ntriangles);
    if (!status)
        status = make_room(model);
    if (status)
        return status;
    status = copy_shape(&copy, model->ctx, shape);
    if (status) {
        dfl_shape_clear(&copy, model->ctx);
        return status;
    }
    int *last = &model->index.shapes[hash(copy.name)];
    copy.alike = *last;
    model->shapes.item[model->shapes.count++] = copy;
    *last = model->shapes.count;
    return DFL_OK;
}

void dfl_shape_clear(dfl_shape *shape, dfl_context *ctx)
{
    dfl_free(ctx, (char *)shape->name);
    dfl_free(ctx, (char *)shape->color);
    dfl_free(ctx, shape->column);
    dfl_free(ctx, shape->triangles);
    *shape = (dfl_shape){0};
}

dfl_status dfl_model_show(dfl_model *model)
{
    dfl_status (*const show)(void *) = model->unseen ? NULL : model->drawing.show;
    if (!show)
        return DFL_OK;
    model->drawing.show = NULL;
    return show(model->drawing.it);
}

int dfl_scene_columns(const dfl_model *model)
{
    int count = 0;
    for (int i = 0; i < model->shapes.count; i++)
        for (int k = 0; k < model->shapes.item[i].ncolumns; k++)
            count += !dfl_is_constant(model->graph, model->shapes.item[i].column[k]);
    return count;
}

bool dfl_scene_planar(const dfl_model *model)
{
    bool planar = true;
    for (int i = 0; i < model->shapes.count; i++)
        planar = planar && model->shapes.item[i].planar;
    return planar;
}

static unsigned hash(const char *name)
{
    unsigned h = 0;
    for (; *name; name++)
        h = 31 * h + (unsigned char)*name;
    return h % HASHES;
}

static dfl_status check_name(const dfl_model *model, const char *name)
{
    if (!*name)
        return dfl_fail(model->ctx, DFL_INVALID, "draw: the name is empty; give a name in quotes");
    if (strlen(name) > LONGEST_NAME)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "draw: the name '%.20s...' is longer than %d characters", name,
                        LONGEST_NAME);
    const int *index = model->index.shapes;
    for (int i = index ? index[hash(name)] : 0; i > 0; i = model->shapes.item[i - 1].alike)
        if (strcmp(model->shapes.item[i - 1].name, name) == 0)
            return dfl_fail(model->ctx, DFL_INVALID,
                            "draw: '%s' is already drawn in line %d; choose another name", name,
                            model->shapes.item[i - 1].line);
    return DFL_OK;
}

/* A word of the palette, or # and six hexadecimal digits. */
dfl_status dfl_model_check_color(const dfl_model *model, const char *name, const char *color)
{
    if (color[0] == '#' && strlen(color) == 7 && strspn(color + 1, "0123456789abcdefABCDEF") == 6)
        return DFL_OK;
    for (int i = 0; i < DFL_COLORS; i++)
        if (strcmp(color, dfl_color_names[i]) == 0)
            return DFL_OK;
    const char *nearest = dfl_nearest_word(color, dfl_color_names, DFL_COLORS);
    if (nearest)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "draw '%s': unknown color '%.40s'; did you mean '%s'?", name, color,
                        nearest);
    return dfl_fail(model->ctx, DFL_INVALID,
                    "draw '%s': unknown color '%.40s'; there are blue, orange, green, purple, sky, "
                    "vermillion, yellow, gray, black and \"#rrggbb\"",
                    name, color);
}

/* Clear the copy even if it fails. */
static dfl_status copy_shape(dfl_shape *out, dfl_context *ctx, const dfl_shape *shape)
{
    const size_t columns = (size_t)shape->ncolumns, floats = 9 * (size_t)shape->ntriangles;
    *out = *shape;
    out->name = dfl_copy_string(ctx, shape->name);
    out->color = shape->color ? dfl_copy_string(ctx, shape->color) : NULL;
    out->column = dfl_alloc(ctx, columns, sizeof *out->column);
    out->triangles = floats > 0 ? dfl_alloc(ctx, floats, sizeof *out->triangles) : NULL;
    if (!out->name || (shape->color && !out->color) || !out->column ||
        (floats > 0 && !out->triangles))
        return DFL_NO_MEMORY;
    memcpy(out->column, shape->column, columns * sizeof *out->column);
    if (floats > 0)
        memcpy(out->triangles, shape->triangles, floats * sizeof *out->triangles);
    return DFL_OK;
}

/* For one shape more. */
static dfl_status make_room(dfl_model *model)
{
    if (model->shapes.count >= MOST_SHAPES)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "draw: more than %d shapes; is this an endless loop?", MOST_SHAPES);
    dfl_shape *larger = dfl_grow(model->ctx, model->shapes.item, &model->shapes.room,
                                 model->shapes.count, sizeof *larger);
    if (!larger)
        return DFL_NO_MEMORY;
    model->shapes.item = larger;
    if (!model->index.shapes)
        model->index.shapes = dfl_alloc(model->ctx, HASHES, sizeof *model->index.shapes);
    return model->index.shapes ? DFL_OK : DFL_NO_MEMORY;
}

/* Of all meshes together: they are part of the page. */
static dfl_status check_triangles(const dfl_model *model, int more)
{
    int count = more;
    for (int i = 0; more > 0 && i < model->shapes.count; i++)
        count += model->shapes.item[i].ntriangles;
    if (count <= MOST_TRIANGLES)
        return DFL_OK;
    return dfl_fail(model->ctx, DFL_INVALID,
                    "draw: the meshes have more than %d triangles together; simplify them",
                    MOST_TRIANGLES);
}
