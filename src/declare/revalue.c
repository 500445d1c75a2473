/* revalue.c: a model with other values of its parameters, without its script. */
#include "declare/declare_internal.h"
#include "declare/force_jumps.h"

#include "context/context.h"
#include "symbolic/symbolic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool set_value(dfl_model *model, const char *set, bool starts);
static bool set_start(dfl_model *model, const char *name, size_t length, double value);
static dfl_status follow_parameters(bool *same, dfl_model *model);
static dfl_status compare_readings(bool *same, const dfl_model *model);
static bool decide_alike(const dfl_model *model, const double *value);
static dfl_status follow_starts(bool *same, dfl_model *model);
static dfl_status follow_run(bool *same, dfl_model *model);

void dfl_model_start_from(dfl_model *model, dfl_expr symbol, dfl_expr from)
{
    const int place = model->index.by_symbol[dfl_node_of(model->graph, symbol)->a].start;
    if (place)
        model->starts.item[place - 1].from = from;
}

void dfl_model_discrete_from(dfl_model *model, dfl_expr symbol, dfl_expr from)
{
    const dfl_node *node = dfl_node_of(model->graph, symbol);
    model->actions.discretes.item[model->graph->symbols[node->a].index].from = from;
}

dfl_status dfl_model_revalue(bool *same, dfl_model *model, const char *const *sets, int count)
{
    *same = !model->by_numbers;
    for (int i = 0; *same && i < count; i++)
        *same = set_value(model, sets[i], false);
    dfl_status status = *same ? follow_parameters(same, model) : DFL_OK;
    if (!status && *same)
        status = compare_readings(same, model);
    if (!status && *same)
        status = follow_starts(same, model);
    if (!status && *same && model->drawing.revalue)
        status = model->drawing.revalue(same, model->drawing.it);
    for (int i = 0; !status && *same && i < count; i++) /* they are the last ones that count */
        *same = set_value(model, sets[i], true);
    if (!status && *same)
        status = follow_run(same, model);
    if (!status && *same)
        status = dfl_model_slides_alike(same, model);
    return status;
}

/* False: the name is none of those that are values only, or the value needs a message. */
static bool set_value(dfl_model *model, const char *set, bool starts)
{
    const char *equal = strrchr(set, '=');
    const size_t length = equal ? (size_t)(equal - set) : 0;
    const double value = equal ? strtod(equal + 1, NULL) : NAN;
    char name[128];
    if (length == 0 || length >= sizeof name || !isfinite(value))
        return false;
    memcpy(name, set, length);
    name[length] = 0;
    if (!strncmp(name, "initial(", 8))
        return !starts || set_start(model, name + 8, length - 9, value);
    dfl_declaration *decl = dfl_model_find(model, name);
    if (!decl || (decl->kind != DFL_A_PARAM && decl->kind != DFL_AN_INPUT))
        return false;
    if (decl->kind == DFL_AN_INPUT && decl->expr != DFL_NO_EXPR && value != decl->value)
        return false; /* it follows a function of time */
    if (decl->from != 0 && !decl->given)
        return false; /* it follows other parameters */
    decl->value = value;
    return true;
}

/* "NAME)" */
static bool set_start(dfl_model *model, const char *name, size_t length, double value)
{
    char variable[128];
    memcpy(variable, name, length);
    variable[length] = 0;
    const dfl_expr symbol = dfl_model_variable_named(model, variable);
    if (symbol == DFL_NO_EXPR)
        return false;
    const int place = model->index.by_symbol[dfl_node_of(model->graph, symbol)->a].start;
    dfl_start_value *start = place ? &model->starts.item[place - 1] : NULL;
    if (!start || (start->decides && start->value != value))
        return false;
    start->value = start->given = value;
    return true;
}

/* Those that are expressions of parameters before them: these must have a value, also where it was
   set and does not count, as in the script. And starts of discrete variables. */
static dfl_status follow_parameters(bool *same, dfl_model *model)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && *same && i < model->declarations.count; i++) {
        dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind != DFL_A_PARAM || decl->from == 0)
            continue;
        status = dfl_model_number(&decl->preset, model, decl->from);
        decl->value = decl->given ? decl->value : decl->preset;
        *same = !status && isfinite(decl->preset);
    }
    for (int i = 0; !status && *same && i < model->actions.discretes.count; i++) {
        dfl_discrete *discrete = &model->actions.discretes.item[i];
        if (discrete->from == 0)
            continue;
        status = dfl_model_number(&discrete->value, model, discrete->from);
        *same = !status && isfinite(discrete->value);
    }
    return status;
}

/* A single value: with its sign, if it is zero. */
static bool is_within(const dfl_reading *reading, double value)
{
    return reading->low < reading->high ? value >= reading->low && value <= reading->high
                                        : memcmp(&value, &reading->low, sizeof value) == 0;
}

/* Values of all readings, then of all decisions. */
static dfl_status compare_readings(bool *same, const dfl_model *model)
{
    const int nreadings = model->readings.count;
    int count = nreadings, at = nreadings;
    for (int i = 0; i < model->decisions.count; i++)
        count += model->decisions.item[i].count;
    dfl_expr *exprs = dfl_alloc(model->ctx, (size_t)count, sizeof *exprs);
    double *value = dfl_alloc(model->ctx, (size_t)count, sizeof *value);
    dfl_status status = exprs && value ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < nreadings; i++)
        exprs[i] = model->readings.item[i].expr;
    for (int i = 0; !status && i < model->decisions.count; i++)
        for (int k = 0; k < model->decisions.item[i].count; k++)
            exprs[at++] = model->decisions.item[i].expr[k];
    if (!status && count > 0)
        status = dfl_model_numbers(value, model, exprs, count);
    for (int i = 0; !status && *same && i < nreadings; i++)
        *same = is_within(&model->readings.item[i], value[i]);
    if (!status && *same)
        *same = decide_alike(model, value + nreadings);
    dfl_free(model->ctx, exprs);
    dfl_free(model->ctx, value);
    return status;
}

static bool decide_alike(const dfl_model *model, const double *value)
{
    bool same = true;
    for (int i = 0; same && i < model->decisions.count; i++) {
        const dfl_decision *decision = &model->decisions.item[i];
        for (int k = 0; k < decision->count; k++)
            same = same && isfinite(value[k]);
        same =
            same && decision->decide(value, decision->count, decision->facts) == decision->answer;
        value += decision->count;
    }
    return same;
}

static dfl_status follow_starts(bool *same, dfl_model *model)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && *same && i < model->starts.count; i++) {
        dfl_start_value *start = &model->starts.item[i];
        double value = start->given;
        if (start->from == DFL_NO_EXPR)
            continue;
        status = dfl_model_number(&value, model, start->from);
        *same = !status && isfinite(value) && (!start->decides || value == start->given);
        start->given = value;
        start->value = start->completed ? start->value : value;
    }
    return status;
}

static dfl_status follow_run(bool *same, dfl_model *model)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && *same && i < DFL_MOST_SETTINGS; i++) {
        double value;
        if (model->run_from[i] == 0)
            continue;
        status = dfl_model_number(&value, model, model->run_from[i]);
        *same = !status && !dfl_choose_number(&model->run, model->ctx, i, value);
    }
    return status;
}
