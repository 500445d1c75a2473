/* model_life.c: creating and freeing a model; its notes and messages. */
#include "declare/declare_internal.h"
#include "declare/force_jumps.h"

#include "context/context.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static dfl_status set_names(dfl_model *model, const char *path);
static dfl_status add_doubt(dfl_model *model, dfl_doubt doubt, const char *text);
static dfl_status add_line(char ***lines, int *count, int *max, dfl_context *ctx, const char *text);

dfl_status dfl_model_create(dfl_model **out, dfl_context *ctx, const char *path)
{
    *out = NULL;
    dfl_model *model = dfl_alloc(ctx, 1, sizeof *model);
    if (!model)
        return DFL_NO_MEMORY;
    model->ctx = ctx;
    model->energy.kinetic = model->energy.potential = model->energy.stored = model->energy.driven =
        DFL_NO_EXPR;
    model->goals.minimize = DFL_NO_EXPR;
    model->goals.tolerance = NAN;
    model->run = dfl_choices_none("simulate: ");
    model->precision = 1e-6; /* as runs without rtol have */
    dfl_status status = dfl_graph_create(&model->graph, ctx, 0);
    if (!status)
        status = set_names(model, path);
    if (status)
        dfl_model_free(model);
    else
        *out = model;
    return status;
}

/* Path as given; name without folder and ending. */
static dfl_status set_names(dfl_model *model, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    model->path = dfl_copy_string(model->ctx, path);
    model->name = dfl_copy_string(model->ctx, base);
    if (!model->path || !model->name)
        return DFL_NO_MEMORY;
    char *dot = strrchr(model->name, '.');
    if (dot && dot != model->name)
        *dot = 0;
    return DFL_OK;
}

static void free_lines(char **lines, int count, dfl_context *ctx)
{
    for (int i = 0; i < count; i++)
        dfl_free(ctx, lines[i]);
    dfl_free(ctx, lines);
}

void dfl_model_free(dfl_model *model)
{
    if (!model)
        return;
    dfl_context *ctx = model->ctx;
    if (model->drawing.free)
        model->drawing.free(model->drawing.it);
    for (int i = 0; i < model->declarations.count; i++) {
        dfl_free(ctx, model->declarations.item[i].name);
        dfl_free(ctx, model->declarations.item[i].unit);
        dfl_free(ctx, model->declarations.item[i].carries);
        dfl_free(ctx, model->declarations.item[i].motions);
        dfl_free(ctx, model->declarations.item[i].failure);
    }
    dfl_model_clear_actions(model);
    dfl_goals_clear(&model->goals, ctx);
    dfl_plan_clear(&model->plan, ctx);
    for (int i = 0; i < model->jumps.count; i++)
        dfl_force_jump_clear(&model->jumps.item[i], ctx);
    for (int i = 0; i < model->decisions.count; i++) {
        dfl_free(ctx, model->decisions.item[i].expr);
        dfl_free(ctx, model->decisions.item[i].facts);
    }
    void *const blocks[] = {model->name,
                            model->path,
                            model->text,
                            model->index.by_name,
                            model->index.by_symbol,
                            model->index.shapes,
                            model->declarations.item,
                            model->masses.item,
                            model->forces.item,
                            model->starts.item,
                            model->readings.item,
                            model->decisions.item,
                            model->jumps.item,
                            model->places.item,
                            model->rates.item,
                            model->signals.item};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
    for (int i = 0; i < DFL_MOST_SETTINGS; i++)
        dfl_free(ctx, (void *)model->run.text[i]);
    for (int i = 0; i < model->files.count; i++) {
        dfl_free(ctx, model->files.item[i].name);
        dfl_free(ctx, model->files.item[i].text);
    }
    dfl_free(ctx, model->files.item);
    for (int i = 0; i < model->bodies.count; i++) {
        dfl_free(ctx, model->bodies.item[i].name);
        dfl_free(ctx, model->bodies.item[i].text);
    }
    dfl_free(ctx, model->bodies.item);
    free_lines(model->sets.item, model->sets.count, ctx);
    free_lines(model->inputs.item, model->inputs.count, ctx);
    free_lines(model->notes.item, model->notes.count, ctx);
    free_lines(model->warnings.item, model->warnings.count, ctx);
    for (int i = 0; i < model->doubts.count; i++)
        dfl_free(ctx, model->doubts.item[i].text);
    dfl_free(ctx, model->doubts.item);
    for (int i = 0; i < model->shapes.count; i++)
        dfl_shape_clear(&model->shapes.item[i], ctx);
    dfl_free(ctx, model->shapes.item);
    for (int i = 0; i < model->sides.count; i++)
        dfl_free(ctx, model->sides.item[i].name);
    dfl_free(ctx, model->sides.item);
    for (int i = 0; i < model->compliances.count; i++)
        dfl_free(ctx, model->compliances.item[i].name);
    dfl_free(ctx, model->compliances.item);
    for (int i = 0; i < model->motions.count; i++)
        dfl_free(ctx, model->motions.item[i].name);
    dfl_free(ctx, model->motions.item);
    for (int i = 0; i < model->frames.count; i++) {
        dfl_free(ctx, model->frames.item[i].name);
        dfl_free(ctx, model->frames.item[i].columns);
    }
    dfl_free(ctx, model->frames.item);
    dfl_mass_tree_free(model->tree);
    dfl_graph_free(model->graph);
    dfl_free(ctx, model);
}

void dfl_model_set_tree(dfl_model *model, dfl_mass_tree *tree)
{
    dfl_mass_tree_free(model->tree);
    model->tree = tree;
}

dfl_status dfl_model_note(dfl_model *model, const char *text)
{
    return add_line(&model->notes.item, &model->notes.count, &model->notes.room, model->ctx, text);
}

dfl_status dfl_model_remember_option(dfl_model *model, bool input, const char *text)
{
    return input ? add_line(&model->inputs.item, &model->inputs.count, &model->inputs.room,
                            model->ctx, text)
                 : add_line(&model->sets.item, &model->sets.count, &model->sets.room, model->ctx,
                            text);
}

dfl_status dfl_model_warn(dfl_model *model, const char *text)
{
    return add_line(&model->warnings.item, &model->warnings.count, &model->warnings.room,
                    model->ctx, text);
}

dfl_status dfl_model_doubt(dfl_model *model, int line, dfl_expr excess, const char *text)
{
    return add_doubt(model, (dfl_doubt){.line = line, .excess = excess}, text);
}

dfl_status dfl_model_neglect(dfl_model *model, int line, dfl_expr left_out, dfl_expr whole,
                             const char *text)
{
    return add_doubt(
        model, (dfl_doubt){.line = line, .excess = left_out, .whole = whole, .neglected = true},
        text);
}

static dfl_status add_doubt(dfl_model *model, dfl_doubt doubt, const char *text)
{
    dfl_doubt *all = dfl_grow(model->ctx, model->doubts.item, &model->doubts.room,
                              model->doubts.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->doubts.item = all;
    doubt.text = dfl_copy_string(model->ctx, text);
    if (!doubt.text)
        return DFL_NO_MEMORY;
    all[model->doubts.count++] = doubt;
    return DFL_OK;
}

static dfl_status add_line(char ***lines, int *count, int *max, dfl_context *ctx, const char *text)
{
    char **all = dfl_grow(ctx, *lines, max, *count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    *lines = all;
    all[*count] = dfl_copy_string(ctx, text);
    return all[(*count)++] ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_model_side(dfl_model *model, int line, const char *name, dfl_expr expr)
{
    dfl_side *sides = dfl_grow(model->ctx, model->sides.item, &model->sides.room,
                               model->sides.count, sizeof *sides);
    if (!sides)
        return DFL_NO_MEMORY;
    model->sides.item = sides;
    char *copy = dfl_copy_string(model->ctx, name);
    if (!copy)
        return DFL_NO_MEMORY;
    model->sides.item[model->sides.count++] = (dfl_side){copy, expr, line};
    return DFL_OK;
}

dfl_status dfl_model_place(dfl_model *model, const dfl_placement *placement)
{
    dfl_placement *all = dfl_grow(model->ctx, model->places.item, &model->places.room,
                                  model->places.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->places.item = all;
    all[model->places.count++] = *placement;
    return DFL_OK;
}

dfl_status dfl_model_rate(dfl_model *model, dfl_expr expr, dfl_expr rate)
{
    dfl_known_rate *all = dfl_grow(model->ctx, model->rates.item, &model->rates.room,
                                   model->rates.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->rates.item = all;
    all[model->rates.count++] = (dfl_known_rate){expr, rate};
    return DFL_OK;
}

dfl_status dfl_model_compliance(dfl_model *model, const dfl_compliance *compliance)
{
    dfl_compliance *all = dfl_grow(model->ctx, model->compliances.item, &model->compliances.room,
                                   model->compliances.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->compliances.item = all;
    char *copy = dfl_copy_string(model->ctx, compliance->name);
    if (!copy)
        return DFL_NO_MEMORY;
    all[model->compliances.count] = *compliance;
    all[model->compliances.count++].name = copy;
    return DFL_OK;
}

dfl_status dfl_model_motion(dfl_model *model, int line, const char *name, dfl_expr value,
                            dfl_expr rate)
{
    dfl_prescribed *motions = dfl_grow(model->ctx, model->motions.item, &model->motions.room,
                                       model->motions.count, sizeof *motions);
    if (!motions)
        return DFL_NO_MEMORY;
    model->motions.item = motions;
    char *copy = dfl_copy_string(model->ctx, name);
    if (!copy)
        return DFL_NO_MEMORY;
    motions[model->motions.count++] = (dfl_prescribed){copy, line, value, rate, DFL_NO_EXPR};
    return DFL_OK;
}

dfl_status dfl_model_fail(const dfl_model *model, int line, const char *format, ...)
{
    dfl_text text = {.ctx = model->ctx};
    char message[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (model->path)
        dfl_text_add(&text, "%s:", model->path);
    if (model->path && line > 0)
        dfl_text_add(&text, "%d:", line);
    const dfl_status status = dfl_fail(model->ctx, DFL_INVALID, "%s%s%s", dfl_text_string(&text),
                                       text.length ? " " : "", message);
    dfl_text_clear(&text);
    return status;
}
