/* command_linearize.c: `driftless linearize MODEL`: the linear equations near a state. */
#include "cli/cli.h"

static void write_text(dfl_text *text, const dfl_linear_model *model);
static void write_matrix(dfl_text *text, const char *name, const double *A, int rows, int columns);
static void write_json(dfl_text *text, const dfl_linear_model *model);
static dfl_status write_others(const cli_near *near, const cli_arguments *arguments);

int cli_linearize(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_near near = {0};
    dfl_text text = {.ctx = ctx}, json = {.ctx = ctx};
    dfl_status status = cli_near_load(&near, ctx, arguments, ".json .mat .m");
    if (!status)
        status = cli_near_find(&near, arguments);
    if (!status)
        status = cli_near_linearize(&near, arguments);
    if (!status) {
        write_text(&text, &near.linear);
        write_json(&json, &near.linear);
        status = write_others(&near, arguments);
    }
    const int exit_status = cli_conclude(ctx, arguments, &near.model, &text, &json, status);
    dfl_text_clear(&text);
    dfl_text_clear(&json);
    cli_near_clear(&near);
    return exit_status;
}

/* Files of other programs. */
static dfl_status write_others(const cli_near *near, const cli_arguments *arguments)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < arguments->noutput; i++) {
        const char *path = arguments->output[i];
        const bool mat = dfl_ends_with(path, ".mat");
        dfl_text out = {.ctx = near->linear.linear.ctx};
        if (mat)
            cli_write_mat(&out, &near->linear);
        else if (dfl_ends_with(path, ".m"))
            cli_write_octave(&out, &near->linear);
        else
            continue;
        status = cli_write(path, &out, &near->model);
        dfl_text_clear(&out);
    }
    return status;
}

static void write_names(dfl_text *text, const char *title, const char *const *names, int count)
{
    dfl_text_add(text, "%-8s", title);
    for (int i = 0; i < count; i++)
        dfl_text_add(text, " %s", names[i]);
    dfl_text_add(text, count ? "\n" : " none\n");
}

static void write_text(dfl_text *text, const dfl_linear_model *model)
{
    const dfl_linearized *linear = &model->linear;
    dfl_text_add(text, "at t = %.15g (%s)\n", model->t, dfl_point_kind_name(linear->kind));
    write_names(text, "states", model->states, linear->ny);
    write_names(text, "inputs", model->inputs, linear->nu);
    write_names(text, "outputs", model->outputs, model->no);
    write_matrix(text, "A", linear->A, linear->ny, linear->ny);
    write_matrix(text, "B", linear->B, linear->ny, linear->nu);
    write_matrix(text, "C", model->C, model->no, linear->ny);
    write_matrix(text, "D", model->D, model->no, linear->nu);
}

static void write_matrix(dfl_text *text, const char *name, const double *A, int rows, int columns)
{
    for (int i = 0; columns > 0 && i < rows; i++) {
        dfl_text_add(text, "%-3s", i == 0 ? name : "");
        for (int j = 0; j < columns; j++)
            dfl_text_add(text, " %16.9g", A[(size_t)j * (size_t)rows + (size_t)i]);
        dfl_text_add(text, "\n");
    }
}

static void write_json(dfl_text *text, const dfl_linear_model *model)
{
    const dfl_linearized *linear = &model->linear;
    dfl_text_add(text, "{\"status\": \"completed\", \"message\": null, ");
    cli_add_at(text, model);
    dfl_text_add(text, ",\n ");
    cli_add_names(text, "states", model->states, linear->ny);
    dfl_text_add(text, ",\n ");
    cli_add_names(text, "inputs", model->inputs, linear->nu);
    dfl_text_add(text, ",\n ");
    cli_add_names(text, "outputs", model->outputs, model->no);
    dfl_text_add(text, ",\n ");
    cli_add_matrix(text, "A", linear->A, linear->ny, linear->ny);
    dfl_text_add(text, ",\n ");
    cli_add_matrix(text, "B", linear->B, linear->ny, linear->nu);
    dfl_text_add(text, ",\n ");
    cli_add_matrix(text, "C", model->C, model->no, linear->ny);
    dfl_text_add(text, ",\n ");
    cli_add_matrix(text, "D", model->D, model->no, linear->nu);
    dfl_text_add(text, "}\n");
}
