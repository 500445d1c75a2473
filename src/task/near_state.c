/* near_state.c: what the tasks near a state share: from options to linear equations, parts of JSON.
 */
#include "task/task_internal.h"

#include <stdio.h>
#include <string.h>

/* Whether a file of --output has one of the endings, separated by spaces. */
static dfl_status check_outputs(dfl_context *ctx, const dfl_task_options *options,
                                const char *endings)
{
    for (int i = 0; endings && i < options->noutput; i++) {
        const char *path = options->output[i];
        bool known = !strcmp(path, "-");
        for (const char *from = endings; *from; from += strspn(from, " ")) {
            char ending[20];
            const size_t length = strcspn(from, " ");
            snprintf(ending, sizeof ending, "%.*s", (int)length, from);
            known = known || dfl_ends_with(path, ending);
            from += length;
        }
        if (!known)
            return dfl_fail(ctx, DFL_INVALID, "--output '%s': give a file that ends in one of %s",
                            path, endings);
    }
    return DFL_OK;
}

dfl_status dfl_task_derive(dfl_task_state *near, const dfl_task_options *options,
                           const char *endings, const dfl_derivation *how)
{
    dfl_derivation all = *how;
    all.nsettings = options->nsettings;
    all.settings = options->settings;
    all.start_from = options->start_from;
    all.prefix = options->prefix;
    dfl_status status = check_outputs(near->ctx, options, endings);
    if (!status)
        status = dfl_derived_create(&near->model, near->ctx, near->source, &all);
    return status || !near->model.runnable
               ? status
               : dfl_settings_resolve(&near->settings, &near->model.choices, near->model.runnable);
}

dfl_status dfl_task_derive_dense(dfl_task_state *near, const dfl_task_options *options,
                                 const char *endings)
{
    return dfl_task_derive(near, options, endings, &(dfl_derivation){.purpose = DFL_TO_LINEARIZE});
}

const dfl_linearized *dfl_task_linear(const dfl_task_state *near)
{
    return near->linear.linear.X ? &near->linear.linear : NULL;
}

dfl_status dfl_task_find(dfl_task_state *near, const dfl_task_options *options)
{
    const dfl_state_choice choice = {.at = options->at, .steady = options->steady};
    return dfl_study_state(&near->state, near->model.runnable, &near->settings, &choice);
}

dfl_status dfl_task_find_linear(dfl_task_state *near, const dfl_task_options *options)
{
    return dfl_linear_model_create(&near->linear, near->model.runnable, &near->state,
                                   options->inputs, options->outputs);
}

dfl_status dfl_task_find_free(dfl_task_state *near, const dfl_task_options *options)
{
    return dfl_linear_model_create(&near->linear, near->model.runnable, &near->state, "",
                                   options->outputs);
}

void dfl_task_clear(dfl_task_state *near)
{
    dfl_linear_model_clear(&near->linear);
    dfl_free(near->ctx, near->state.x);
    dfl_derived_clear(&near->model);
    *near = (dfl_task_state){.ctx = near->ctx, .source = near->source};
}

void dfl_task_add_completed(dfl_text *json, const char *notice)
{
    dfl_text_add(json, "{\"status\": \"completed\", \"message\": ");
    if (notice)
        dfl_json_string(json, notice);
    else
        dfl_text_add(json, "null");
    dfl_text_add(json, ", ");
}

void dfl_task_add_at(dfl_text *text, const dfl_linear_model *linear)
{
    dfl_text_add(text, "\"at\": {\"t\": ");
    dfl_json_number(text, linear->t);
    dfl_text_add(text, ", \"kind\": \"%s\"}", dfl_point_kind_name(linear->linear.kind));
}

void dfl_task_add_names(dfl_text *text, const char *key, const char *const *names, int count)
{
    dfl_text_add(text, "\"%s\": [", key);
    for (int i = 0; i < count; i++) {
        dfl_text_add(text, i > 0 ? ", " : "");
        dfl_json_string(text, names[i]);
    }
    dfl_text_add(text, "]");
}

void dfl_task_add_matrix(dfl_text *text, const char *key, const double *A, int rows, int columns)
{
    dfl_text_add(text, "\"%s\": [", key);
    for (int i = 0; i < rows; i++) {
        dfl_text_add(text, i > 0 ? ",\n  [" : "\n  [");
        for (int j = 0; j < columns; j++) {
            dfl_text_add(text, j > 0 ? ", " : "");
            dfl_json_number(text, A[(size_t)j * (size_t)rows + (size_t)i]);
        }
        dfl_text_add(text, "]");
    }
    dfl_text_add(text, "]");
}

void dfl_task_add_eigenvalues(dfl_text *json, const char *key, const dfl_modes *modes)
{
    if (key)
        dfl_text_add(json, "\"%s\": ", key);
    dfl_text_add(json, "[");
    for (int i = 0; i < modes->count; i++) {
        const dfl_mode *mode = &modes->mode[i];
        dfl_text_add(json, i > 0 ? ", {\"re\": " : "{\"re\": ");
        dfl_json_number(json, mode->re);
        dfl_text_add(json, ", \"im\": ");
        dfl_json_number(json, mode->im);
        dfl_text_add(json, ", \"hz\": ");
        dfl_json_number(json, mode->hz);
        dfl_text_add(json, ", \"damping\": ");
        dfl_json_number(json, mode->damping);
        dfl_text_add(json, "}");
    }
    dfl_text_add(json, "]");
}

dfl_status dfl_task_write(const char *path, const dfl_text *text, const dfl_derived *model)
{
    const dfl_status status =
        text->status ? text->status : dfl_model_spare(model->model, text->ctx, path);
    return status ? status : dfl_write_file(text->ctx, path, dfl_text_string(text), text->length);
}
