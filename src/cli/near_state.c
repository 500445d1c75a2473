/* near_state.c: what the analyses near a state share: from arguments to linear equations, parts of
   JSON, the end with its message. */
#include "cli/cli.h"

#include "result/result.h"

#include <string.h>

/* Whether a file of --output has one of the endings, separated by spaces. */
static dfl_status check_outputs(dfl_context *ctx, const cli_arguments *arguments,
                                const char *endings)
{
    for (int i = 0; i < arguments->noutput; i++) {
        const char *path = arguments->output[i];
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

dfl_status cli_near_load_as(cli_near *near, dfl_context *ctx, const cli_arguments *arguments,
                            const char *endings, cli_use use)
{
    dfl_status status = check_outputs(ctx, arguments, endings);
    if (!status)
        status = cli_load(&near->model, ctx, arguments, use);
    return status ? status
                  : dfl_settings_resolve(&near->settings, &arguments->choices, near->model.run);
}

dfl_status cli_near_load(cli_near *near, dfl_context *ctx, const cli_arguments *arguments,
                         const char *endings)
{
    return cli_near_load_as(near, ctx, arguments, endings, CLI_DENSE);
}

dfl_status cli_near_load_few(cli_near *near, dfl_context *ctx, const cli_arguments *arguments,
                             const char *endings)
{
    const bool few = arguments->count > 0 && !arguments->steady;
    return cli_near_load_as(near, ctx, arguments, endings, few ? CLI_FEW_MODES : CLI_DENSE);
}

const dfl_linearized *cli_near_linear(const cli_near *near)
{
    return near->linear.linear.X ? &near->linear.linear : NULL;
}

dfl_status cli_near_find(cli_near *near, const cli_arguments *arguments)
{
    const dfl_state_choice choice = {.at = arguments->at, .steady = arguments->steady};
    return dfl_study_state(&near->state, near->model.run, &near->settings, &choice);
}

dfl_status cli_near_linearize(cli_near *near, const cli_arguments *arguments)
{
    return dfl_linear_model_create(&near->linear, near->model.run, &near->state, arguments->inputs,
                                   arguments->outputs);
}

void cli_near_clear(cli_near *near)
{
    dfl_linear_model_clear(&near->linear);
    if (near->model.model)
        dfl_free(near->model.model->ctx, near->state.x);
    cli_unload(&near->model);
    *near = (cli_near){0};
}

void cli_add_completed(dfl_text *json, const char *notice)
{
    dfl_text_add(json, "{\"status\": \"completed\", \"message\": ");
    if (notice)
        dfl_json_string(json, notice);
    else
        dfl_text_add(json, "null");
    dfl_text_add(json, ", ");
}

void cli_add_at(dfl_text *text, const dfl_linear_model *linear)
{
    dfl_text_add(text, "\"at\": {\"t\": ");
    dfl_json_number(text, linear->t);
    dfl_text_add(text, ", \"kind\": \"%s\"}", dfl_point_kind_name(linear->linear.kind));
}

void cli_add_names(dfl_text *text, const char *key, const char *const *names, int count)
{
    dfl_text_add(text, "\"%s\": [", key);
    for (int i = 0; i < count; i++) {
        dfl_text_add(text, i > 0 ? ", " : "");
        dfl_json_string(text, names[i]);
    }
    dfl_text_add(text, "]");
}

void cli_add_matrix(dfl_text *text, const char *key, const double *A, int rows, int columns)
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

void cli_add_eigenvalues(dfl_text *json, const char *key, const dfl_modes *modes)
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

/* The object of a failure. */
static void add_failure(dfl_text *json, const char *message)
{
    dfl_text_add(json, "{\"status\": \"failed\", \"message\": ");
    dfl_json_string(json, message);
    dfl_text_add(json, "}\n");
}

int cli_conclude(dfl_context *ctx, const cli_arguments *arguments, const cli_model *model,
                 const dfl_text *text, const dfl_text *json, dfl_status status)
{
    dfl_text failure = {.ctx = ctx};
    if (status && arguments->json && status != DFL_STOPPED && model->model) {
        add_failure(&failure, dfl_message(ctx));
        char *message = dfl_copy_string(ctx, dfl_message(ctx));
        cli_write(NULL, &failure, model);
        if (message)
            dfl_fail(ctx, status, "%s", message);
        dfl_free(ctx, message);
        dfl_text_clear(&failure);
    }
    for (int i = 0; !status && i < arguments->noutput; i++) {
        const char *path = arguments->output[i];
        if (!dfl_ends_with(path, ".mat") && !dfl_ends_with(path, ".m") &&
            !dfl_ends_with(path, ".html") && !dfl_ends_with(path, ".lua") &&
            !dfl_ends_with(path, ".h5") && !dfl_ends_with(path, ".hdf5"))
            status = cli_write(path, dfl_ends_with(path, ".json") ? json : text, model);
    }
    if (!status && (arguments->json || arguments->noutput == 0))
        status = cli_write(NULL, arguments->json ? json : text, model);
    return cli_finish(ctx, status);
}
