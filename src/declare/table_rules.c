/* table_rules.c: what a model knows about its tables: the files they come from, where they end, and
   that what is differentiated twice contains none with kinks. */
#include "declare/declare_internal.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void least_smooth(int *inside, int *ends, const dfl_graph *graph, const dfl_part *part);
static dfl_status warn_once(dfl_model *model, int line, const char *what, const char *name,
                            const char *table);

dfl_status dfl_model_limit(dfl_model *model, int line, dfl_expr inside, const char *failure)
{
    char name[40];
    int number = 1;
    for (int i = 0; i < model->declarations.count; i++)
        if (model->declarations.item[i].failure && model->declarations.item[i].expr == inside)
            return DFL_OK;
    do
        snprintf(name, sizeof name, "outside.%d", number++);
    while (dfl_model_find(model, name));
    char *copy = dfl_copy_string(model->ctx, failure);
    dfl_status status = copy ? dfl_model_event(model, line, name, inside, -1, true) : DFL_NO_MEMORY;
    if (!status)
        model->declarations.item[model->declarations.count - 1].failure = copy;
    else
        dfl_free(model->ctx, copy);
    return status;
}

const char *dfl_model_file_text(const dfl_model *model, const char *name)
{
    for (int i = 0; i < model->files.count; i++)
        if (strcmp(model->files.item[i].name, name) == 0)
            return model->files.item[i].text;
    return NULL;
}

dfl_status dfl_model_add_file(dfl_model *model, const char *name, char *text)
{
    dfl_model_file *files = dfl_grow(model->ctx, model->files.item, &model->files.room,
                                     model->files.count, sizeof *files);
    char *copy = files ? dfl_copy_string(model->ctx, name) : NULL;
    if (files)
        model->files.item = files;
    if (!copy) {
        dfl_free(model->ctx, text);
        return DFL_NO_MEMORY;
    }
    files[model->files.count++] = (dfl_model_file){.name = copy, .text = text};
    return DFL_OK;
}

dfl_status dfl_model_add_body(dfl_model *model, const char *name, const char *text)
{
    dfl_model_file *bodies = dfl_grow(model->ctx, model->bodies.item, &model->bodies.room,
                                      model->bodies.count, sizeof *bodies);
    if (!bodies)
        return DFL_NO_MEMORY;
    model->bodies.item = bodies;
    dfl_model_file *body = &bodies[model->bodies.count++];
    *body = (dfl_model_file){.name = dfl_copy_string(model->ctx, name),
                             .text = dfl_copy_string(model->ctx, text)};
    return body->name && body->text ? DFL_OK : DFL_NO_MEMORY;
}

const char *dfl_model_body_text(const dfl_model *model, const char *name)
{
    for (int i = 0; i < model->bodies.count; i++)
        if (strcmp(model->bodies.item[i].name, name) == 0)
            return model->bodies.item[i].text;
    return NULL;
}

dfl_status dfl_model_signal_ends(dfl_model *model, int line, double first, double last, bool held)
{
    const dfl_model_signal signal = {.line = line, .first = first, .last = last, .held = held};
    for (int i = 0; i < model->signals.count; i++)
        if (model->signals.item[i].line == line && model->signals.item[i].first == first &&
            model->signals.item[i].last == last)
            return DFL_OK;
    dfl_model_signal *signals = dfl_grow(model->ctx, model->signals.item, &model->signals.room,
                                         model->signals.count, sizeof *signals);
    if (!signals)
        return DFL_NO_MEMORY;
    model->signals.item = signals;
    signals[model->signals.count++] = signal;
    return DFL_OK;
}

/* FNV-1a over the script, then the names and texts of the files, each with the zero at its end. */
uint64_t dfl_model_hash(const dfl_model *model)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (int i = -1; i < 2 * model->files.count; i++) {
        const dfl_model_file *file = i < 0 ? NULL : &model->files.item[i / 2];
        const char *text = !file   ? (model->text ? model->text : "")
                           : i % 2 ? file->text
                                   : file->name;
        const size_t length = strlen(text) + 1;
        for (size_t k = 0; k < length; k++)
            hash = (hash ^ (unsigned char)text[k]) * 0x100000001b3;
    }
    return hash;
}

dfl_status dfl_model_check_tables(dfl_model *model, int line, const char *what, const char *name,
                                  dfl_expr expr)
{
    const dfl_graph *graph = model->graph;
    dfl_part part;
    int inside, ends;
    if (graph->nsplines == 0)
        return DFL_OK;
    dfl_status status = dfl_part_create(&part, graph, &expr, 1);
    if (status)
        return status;
    least_smooth(&inside, &ends, graph, &part);
    dfl_part_clear(&part);
    if (inside < 1)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "%s '%s' contains a linear table: velocities would jump at its knots; give "
                        "it kind = \"cubic\" or \"smooth\"",
                        what, name);
    if (inside < 2)
        status = warn_once(model, line, what, name,
                           "a monotone table: accelerations jump at its knots; kind = \"cubic\" or "
                           "\"smooth\" has none of these jumps, but may overshoot");
    if (!status && ends < 1)
        status = warn_once(model, line, what, name,
                           "a table with a kink at an end: velocities would jump where the motion "
                           "leaves it; outside = \"extend\" has no kink");
    return status;
}

/* Of all piecewise polynomials that change with time or place: how many derivatives are continuous
   at inner knots and at the ends. */
static void least_smooth(int *inside, int *ends, const dfl_graph *graph, const dfl_part *part)
{
    const unsigned moving = 1u << DFL_SYM_TIME | 1u << DFL_SYM_P | 1u << DFL_SYM_S;
    *inside = *ends = INT_MAX;
    for (uint32_t i = 0; i < part->count; i++) {
        if (part->node[i].op != DFL_OP_SPLINE ||
            !(dfl_node_of(graph, part->expr[i])->depends & moving))
            continue;
        const dfl_spline *spline = &graph->splines[part->node[i].b];
        if (spline->smoothness < *inside)
            *inside = spline->smoothness;
        if (spline->end_smoothness < *ends)
            *ends = spline->end_smoothness;
    }
}

/* The rows of one joint may say the same. */
static dfl_status warn_once(dfl_model *model, int line, const char *what, const char *name,
                            const char *table)
{
    dfl_text text = {.ctx = model->ctx};
    bool told = false;
    if (line > 0)
        dfl_text_add(&text, "%s:%d: ", model->path, line);
    dfl_text_add(&text, "%s '%s' contains %s", what, name, table);
    for (int i = 0; i < model->warnings.count && !told; i++)
        told = strcmp(model->warnings.item[i], dfl_text_string(&text)) == 0;
    dfl_status status = text.status;
    if (!status && !told)
        status = dfl_model_warn(model, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}
