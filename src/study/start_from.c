/* start_from.c: initial values from a file, by name, in place of those of the script. */
#include "study/study_internal.h"

#include <math.h>
#include <string.h>

static dfl_status check_names(const dfl_named_values *values, const dfl_runnable *run,
                              const char *path);
static const dfl_named_value *find(const dfl_named_values *values, const char *name);
static bool is_of_a_run(const char *name);

dfl_status dfl_study_start_from(dfl_runnable *run, const char *path)
{
    const dfl_equations *eq = eq_of(run);
    dfl_model *model = eq->model;
    dfl_named_values values;
    dfl_status status = dfl_named_values_read(&values, ctx_of(run), path);
    if (!status)
        status = check_names(&values, run, path);
    for (int i = 0; !status && i < model->starts.count; i++)
        model->starts.item[i].held = false;
    for (int i = 0; !status && i < eq->n; i++) {
        const dfl_named_value *value = find(&values, eq->x[i].name);
        if (!value && is_of_a_run(eq->x[i].name))
            continue;
        status =
            value ? dfl_model_start(model, 0, eq->x[i].symbol, value->value, false)
                  : dfl_fail(ctx_of(run), DFL_INVALID, "%s has no value of '%s', a variable of %s",
                             path, eq->x[i].name, model->path);
    }
    dfl_named_values_clear(&values);
    return status;
}

/* Rows of forces that jump with a speed: runs alone have them. */
static bool is_of_a_run(const char *name)
{
    return !strncmp(name, "mu(slide.", 9);
}

/* Every name is a variable or an output. */
static dfl_status check_names(const dfl_named_values *values, const dfl_runnable *run,
                              const char *path)
{
    const dfl_equations *eq = eq_of(run);
    for (int i = 0; i < values->count; i++) {
        const char *name = values->item[i].name;
        const dfl_declaration *decl = dfl_model_find(eq->model, name);
        if (dfl_equations_find(eq, name) < 0 && !is_of_a_run(name) &&
            !(decl && decl->kind == DFL_AN_OUTPUT))
            return dfl_study_unknown_name(run, path, name);
    }
    return DFL_OK;
}

static const dfl_named_value *find(const dfl_named_values *values, const char *name)
{
    for (int i = 0; i < values->count; i++)
        if (!strcmp(values->item[i].name, name))
            return &values->item[i];
    return NULL;
}
