/* task_gradient.c: as `driftless gradient MODEL`: derivatives of outputs at the end of a run. */
#include "task/task_internal.h"

#include <string.h>

static dfl_status name_outputs(const char ***of, int *count, const dfl_task_state *near,
                               const dfl_task_options *options);
static dfl_status name_parameters(dfl_text *by, const dfl_task_state *near,
                                  const dfl_task_options *options);
static void write_text(dfl_text *text, const dfl_gradient *gradient);
static void write_json(dfl_text *json, const dfl_gradient *gradient);

dfl_status dfl_task_gradient(dfl_task *it)
{
    dfl_task_state *near = &it->near;
    dfl_gradient gradient = {0};
    dfl_task_again again = {.near = near, .options = &it->options};
    const dfl_variation variation = dfl_task_variation(&again);
    dfl_text by = {.ctx = it->ctx};
    const char **of = NULL;
    int nof = 0;
    dfl_status status =
        dfl_task_derive(near, &it->options, ".json", &(dfl_derivation){.purpose = DFL_TO_FOLLOW});
    if (!status)
        status = dfl_settings_check_end(&near->settings, &near->model.choices, near->model.model);
    if (!status)
        status = name_outputs(&of, &nof, near, &it->options);
    if (!status)
        status = name_parameters(&by, near, &it->options);
    if (!status)
        status = dfl_study_gradient(&gradient, near->model.runnable, &near->settings, by.data, of,
                                    nof, &variation);
    if (!status) {
        write_text(&it->text, &gradient);
        write_json(&it->json, &gradient);
    }
    dfl_gradient_clear(&gradient);
    dfl_free(it->ctx, of);
    dfl_text_clear(&by);
    return status;
}

/* Those of --of, or all outputs that are declared; ends with NULL. */
static dfl_status name_outputs(const char ***of, int *count, const dfl_task_state *near,
                               const dfl_task_options *options)
{
    const dfl_model *model = near->model.model;
    const size_t room = (size_t)(options->nof + model->declarations.count + 1);
    *of = dfl_alloc(model->ctx, room, sizeof **of);
    if (!*of)
        return DFL_NO_MEMORY;
    for (int i = 0; i < options->nof; i++)
        (*of)[(*count)++] = options->of[i];
    for (int i = 0; options->nof == 0 && i < model->declarations.count; i++)
        if (model->declarations.item[i].kind == DFL_AN_OUTPUT)
            (*of)[(*count)++] = model->declarations.item[i].name;
    return *count > 0 ? DFL_OK
                      : dfl_fail(model->ctx, DFL_INVALID,
                                 "%s has no outputs; name a variable with --of", model->path);
}

/* Those of --by, or all parameters. */
static dfl_status name_parameters(dfl_text *by, const dfl_task_state *near,
                                  const dfl_task_options *options)
{
    const dfl_model *model = near->model.model;
    if (options->by)
        dfl_text_add(by, "%s", options->by);
    for (int i = 0; !options->by && i < model->declarations.count; i++)
        if (model->declarations.item[i].kind == DFL_A_PARAM)
            dfl_text_add(by, by->length > 0 ? ",%s" : "%s", model->declarations.item[i].name);
    if (by->status || by->length > 0)
        return by->status;
    return dfl_fail(model->ctx, DFL_INVALID,
                    "%s has no parameters; give initial values with --by \"initial(NAME)\"",
                    model->path);
}

static void write_text(dfl_text *text, const dfl_gradient *gradient)
{
    for (int i = 0; i < gradient->nof; i++) {
        dfl_text_add(text, "%s = %.12g at t = %.10g\n", gradient->of[i], gradient->value[i],
                     gradient->t);
        for (int j = 0; j < gradient->count; j++)
            dfl_text_add(text, "  d/d %-20s %.10g\n", gradient->by[j],
                         gradient->gradient[(size_t)j * (size_t)gradient->nof + (size_t)i]);
    }
}

static void write_one(dfl_text *json, const dfl_gradient *gradient, int i)
{
    dfl_text_add(json, "{\"status\": \"completed\", \"message\": null, \"of\": ");
    dfl_json_string(json, gradient->of[i]);
    dfl_text_add(json, ", \"t\": ");
    dfl_json_number(json, gradient->t);
    dfl_text_add(json, ", \"value\": ");
    dfl_json_number(json, gradient->value[i]);
    dfl_text_add(json, ", \"gradient\": {");
    for (int j = 0; j < gradient->count; j++) {
        dfl_text_add(json, j > 0 ? ", " : "");
        dfl_json_string(json, gradient->by[j]);
        dfl_text_add(json, ": ");
        dfl_json_number(json, gradient->gradient[(size_t)j * (size_t)gradient->nof + (size_t)i]);
    }
    dfl_text_add(json, "}}");
}

/* An object, or a list of them. */
static void write_json(dfl_text *json, const dfl_gradient *gradient)
{
    dfl_text_add(json, gradient->nof > 1 ? "[" : "");
    for (int i = 0; i < gradient->nof; i++) {
        dfl_text_add(json, i > 0 ? ",\n " : "");
        write_one(json, gradient, i);
    }
    dfl_text_add(json, gradient->nof > 1 ? "]\n" : "\n");
}
