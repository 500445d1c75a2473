/* set_values.c: values of parameters, inputs, settings and initial values from outside (NAME=VALUE)
   and from set{} of the script, and that every one of them has a meaning. */
#include "script/sandbox.h"

#include "declare/declare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dfl_status add(dfl_script *script, int place, dfl_script_set set);
static dfl_status set_initial(const dfl_script *script, const dfl_script_set *set);
static dfl_status refuse(const dfl_script *script, const dfl_script_set *set);

dfl_status dfl_set_values_read(dfl_script *script, const char *text)
{
    dfl_context *ctx = script->ctx;
    const char *prefix = script->options.prefix;
    const char *equal = strchr(text, '=');
    if (!equal || equal == text)
        return dfl_fail(ctx, DFL_INVALID, "%sset %s: write %sset NAME=VALUE", prefix, text, prefix);
    char *end;
    const double value = strtod(equal + 1, &end);
    if (end == equal + 1 || *end || !isfinite(value))
        return dfl_fail(ctx, DFL_INVALID, "%sset %s: '%s' is not a finite number", prefix, text,
                        equal + 1);
    char *name = dfl_copy_string(ctx, text);
    if (!name)
        return DFL_NO_MEMORY;
    name[equal - text] = 0;
    return add(script, script->nset, (dfl_script_set){.name = name, .text = text, .value = value});
}

dfl_status dfl_set_values_add(dfl_script *script, int line, const char *name, double value)
{
    char *copy = dfl_copy_string(script->ctx, name);
    return copy ? add(script, 0, (dfl_script_set){.name = copy, .line = line, .value = value})
                : DFL_NO_MEMORY;
}

/* Takes the name, also if it fails. */
static dfl_status add(dfl_script *script, int place, dfl_script_set set)
{
    dfl_script_set *grown =
        dfl_grow(script->ctx, script->set, &script->set_room, script->nset, sizeof *grown);
    if (!grown) {
        dfl_free(script->ctx, set.name);
        return DFL_NO_MEMORY;
    }
    script->set = grown;
    memmove(grown + place + 1, grown + place, (size_t)(script->nset - place) * sizeof *grown);
    grown[place] = set;
    script->nset++;
    return DFL_OK;
}

bool dfl_set_values_apply(double *value, dfl_script *script, const char *name)
{
    bool set = false;
    for (int i = 0; i < script->nset; i++)
        if (strcmp(script->set[i].name, name) == 0) {
            *value = script->set[i].value;
            script->set[i].used = set = true;
        }
    return set;
}

dfl_status dfl_set_values_check(const dfl_script *script)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < script->nset; i++) {
        const dfl_script_set *set = &script->set[i];
        if (!set->used && !strncmp(set->name, "initial(", 8))
            status = set_initial(script, set);
        else if (!set->used)
            status = refuse(script, set);
    }
    return status;
}

void dfl_set_values_clear(dfl_script *script)
{
    for (int i = 0; i < script->nset; i++)
        dfl_free(script->ctx, script->set[i].name);
    dfl_free(script->ctx, script->set);
}

/* "--set L=2", or "FILE:3: set: L". */
static const char *origin_of(dfl_text *out, const dfl_script *script, const dfl_script_set *set)
{
    out->ctx = script->ctx;
    if (set->text)
        dfl_text_add(out, "%sset %s", script->options.prefix, set->text);
    else
        dfl_text_add(out, "%s:%d: set: %s", script->model->path, set->line, set->name);
    return dfl_text_string(out);
}

/* initial(NAME)=VALUE, also of der(x): as in initial{}. */
static dfl_status set_initial(const dfl_script *script, const dfl_script_set *set)
{
    const char *inner = set->name + 8;
    const size_t length = strlen(inner);
    char name[160];
    dfl_text text = {0};
    dfl_status status;
    snprintf(name, sizeof name, "%.*s", (int)(length > 0 ? length - 1 : 0), inner);
    const dfl_expr symbol = dfl_model_variable_named(script->model, name);
    if (length < 2 || inner[length - 1] != ')')
        status = dfl_fail(script->ctx, DFL_INVALID,
                          "%s: write initial(NAME)=VALUE, with the name of a variable in brackets",
                          origin_of(&text, script, set));
    else if (symbol == DFL_NO_EXPR)
        status = dfl_fail(script->ctx, DFL_INVALID, "%s: %s has no variable '%s'",
                          origin_of(&text, script, set), script->model->path, name);
    else
        status = dfl_model_start(script->model, 0, symbol, set->value, true);
    dfl_text_clear(&text);
    return status;
}

/* A value that the script never asked for has a misspelt name, or comes too late. */
static dfl_status refuse(const dfl_script *script, const dfl_script_set *set)
{
    enum { SETTABLE = 1 << DFL_A_PARAM | 1 << DFL_AN_INPUT | 1 << DFL_A_SETTING };
    const dfl_model *model = script->model;
    const dfl_declaration *other = dfl_model_find(model, set->name);
    dfl_text text = {0};
    const char *origin = origin_of(&text, script, set);
    dfl_status status;
    if (other && (SETTABLE >> other->kind & 1)) {
        status = dfl_fail(script->ctx, DFL_INVALID,
                          "%s: '%s' is declared before; write set{} at the beginning", origin,
                          set->name);
    } else if (other) {
        status = dfl_fail(script->ctx, DFL_INVALID,
                          "%s: '%s' is a %s in %s; only parameters, inputs and settings can be set",
                          origin, set->name, dfl_declared_name(other->kind), model->path);
    } else {
        const char *nearest = dfl_model_nearest(model, set->name, SETTABLE);
        status = dfl_fail(script->ctx, DFL_INVALID,
                          "%s: %s has no parameter, input or setting '%s'%s%s%s", origin,
                          model->path, set->name, nearest ? "; did you mean '" : "",
                          nearest ? nearest : "", nearest ? "'?" : "");
    }
    dfl_text_clear(&text);
    return status;
}
