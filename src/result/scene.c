/* scene.c: the scene of a model as JSON, for the page and for /scene of an HDF5 result. */
#include "result/result_internal.h"

#include "declare/declare.h"

#include <math.h>

static void add_shape(dfl_text *text, const dfl_graph *graph, const dfl_shape *shape);
static void add_triangles(dfl_text *text, const dfl_shape *shape);

dfl_status dfl_scene_json(dfl_text *text, const dfl_model *model)
{
    if (model->shapes.count == 0)
        return DFL_OK;
    dfl_text_add(text, "{\"planar\":%s,\"shapes\":[", dfl_scene_planar(model) ? "true" : "false");
    for (int i = 0; i < model->shapes.count; i++) {
        dfl_text_add(text, i > 0 ? ",\n" : "\n");
        add_shape(text, model->graph, &model->shapes.item[i]);
    }
    dfl_text_add(text, "]}");
    return text->status;
}

static void add_shape(dfl_text *text, const dfl_graph *graph, const dfl_shape *shape)
{
    dfl_text_add(text, "{\"kind\":\"%s\",\"name\":", dfl_shape_names[shape->kind]);
    dfl_json_string(text, shape->name);
    dfl_text_add(text, ",\"color\":");
    if (shape->color)
        dfl_json_string(text, shape->color);
    else
        dfl_text_add(text, "null");
    dfl_text_add(text, ",\"trace\":%s,\"columns\":[", shape->trace ? "true" : "false");
    for (int i = 0; i < shape->ncolumns; i++) {
        const bool fixed = dfl_is_constant(graph, shape->column[i]);
        dfl_text_add(text, i > 0 ? "," : "");
        dfl_json_number(text, fixed ? dfl_constant_value(graph, shape->column[i]) : NAN);
    }
    dfl_text_add(text, "]");
    if (shape->nvalues > 0) {
        dfl_text_add(text, ",\"value\":");
        dfl_json_string(text, shape->value);
    }
    if (shape->triangles) {
        dfl_text_add(text, ",\"mesh\":\"");
        add_triangles(text, shape);
        dfl_text_add(text, "\"");
    }
    dfl_text_add(text, "}");
}

/* 9 floats are 36 bytes, 48 characters without padding. */
static void add_triangles(dfl_text *text, const dfl_shape *shape)
{
    for (int i = 0; i < shape->ntriangles; i++) {
        double corners[9];
        char characters[48];
        for (int k = 0; k < 9; k++)
            corners[k] = shape->triangles[9 * i + k];
        dfl_text_bytes(text, characters, dfl_base64(characters, corners, 9, true));
    }
}
