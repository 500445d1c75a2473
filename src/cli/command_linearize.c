/* command_linearize.c: `driftless linearize MODEL`: the linear equations near a state. */
#include "cli/cli.h"

#include "result/result.h"

#include <math.h>

enum { MOST_TIMES = 10000 };

static void write_text(dfl_text *text, const dfl_linear_model *model);
static void write_matrix(dfl_text *text, const char *name, const double *A, int rows, int columns);
static void write_json(dfl_text *text, const cli_near *near);
static dfl_status at_one_point(dfl_text *text, dfl_text *json, cli_near *near,
                               const cli_arguments *arguments);
static dfl_status along_run(dfl_text *text, dfl_text *json, cli_near *near,
                            const cli_arguments *arguments);
static dfl_status find_equations(cli_near *near, const cli_arguments *arguments);
static dfl_status write_others(const cli_near *near, const cli_arguments *arguments);
static bool is_h5(const char *path);
static dfl_status write_h5(dfl_matrix_file *file, const cli_near *near,
                           const cli_arguments *arguments);

int cli_linearize(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_near near = {0};
    dfl_text text = {.ctx = ctx}, json = {.ctx = ctx};
    dfl_status status = cli_near_load(
        &near, ctx, arguments, arguments->along ? ".json .h5 .hdf5" : ".json .mat .m .h5 .hdf5");
    if (!status)
        status = arguments->along ? along_run(&text, &json, &near, arguments)
                                  : at_one_point(&text, &json, &near, arguments);
    const int exit_status = cli_conclude(ctx, arguments, &near.model, &text, &json, status);
    dfl_text_clear(&text);
    dfl_text_clear(&json);
    cli_near_clear(&near);
    return exit_status;
}

static dfl_status at_one_point(dfl_text *text, dfl_text *json, cli_near *near,
                               const cli_arguments *arguments)
{
    dfl_status status = find_equations(near, arguments);
    if (status)
        return status;
    write_text(text, &near->linear);
    dfl_text_add(json, "{\"status\": \"completed\", \"message\": null, ");
    write_json(json, near);
    dfl_text_add(json, "}\n");
    return write_others(near, arguments);
}

static dfl_status find_equations(cli_near *near, const cli_arguments *arguments)
{
    dfl_status status = cli_near_find(near, arguments);
    if (!status)
        status = cli_near_linearize(near, arguments);
    if (!status && arguments->all_unknowns)
        status = dfl_linear_model_add_all(&near->linear, near->model.run, &near->state,
                                          arguments->inputs);
    return status;
}

/* Times of --along. */
typedef struct times {
    double first, last;
    int count;
} times;

static dfl_status read_times(times *out, dfl_context *ctx, const cli_arguments *arguments)
{
    int end = 0;
    if (arguments->at || arguments->steady)
        return dfl_fail(ctx, DFL_INVALID,
                        "--along chooses the states; leave out --at and --steady");
    if (sscanf(arguments->along, "%lf:%lf:%d%n", &out->first, &out->last, &out->count, &end) != 3 ||
        arguments->along[end] || !isfinite(out->first) || !isfinite(out->last) || out->count < 1 ||
        out->count > MOST_TIMES)
        return dfl_fail(ctx, DFL_INVALID,
                        "--along %s: give FIRST:LAST:COUNT, such as 0:2:21, with at most %d times",
                        arguments->along, MOST_TIMES);
    return DFL_OK;
}

/* The equations at time number i; the states are those of `--at t=TIME`. */
static dfl_status find_at(cli_near *near, const cli_arguments *arguments, const times *when, int i)
{
    cli_arguments at = *arguments;
    char text[60];
    snprintf(text, sizeof text, "t=%.17g",
             when->count > 1 ? when->first + (when->last - when->first) * i / (when->count - 1)
                             : when->first);
    at.at = text;
    dfl_linear_model_clear(&near->linear);
    dfl_free(near->model.model->ctx, near->state.x);
    near->state.x = NULL;
    return find_equations(near, &at);
}

static dfl_status along_run(dfl_text *text, dfl_text *json, cli_near *near,
                            const cli_arguments *arguments)
{
    dfl_context *ctx = near->model.model->ctx;
    dfl_matrix_file *file = NULL;
    times when;
    dfl_status status = read_times(&when, ctx, arguments);
    if (!status)
        status = dfl_matrix_file_open(&file, ctx);
    dfl_text_add(json, "{\"status\": \"completed\", \"message\": null, \"series\": [");
    for (int i = 0; !status && i < when.count; i++) {
        char group[20];
        status = find_at(near, arguments, &when, i);
        if (status)
            break;
        write_text(text, &near->linear);
        dfl_text_add(json, i > 0 ? ",\n{" : "\n{");
        write_json(json, near);
        dfl_text_add(json, "}");
        snprintf(group, sizeof group, "%d", i);
        dfl_matrix_file_group(file, group);
        cli_write_h5(file, near);
    }
    dfl_text_add(json, "]}\n");
    if (status)
        dfl_matrix_file_close(NULL, file);
    return status ? status : write_h5(file, near, arguments);
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
            cli_write_mat(&out, near);
        else if (dfl_ends_with(path, ".m"))
            cli_write_octave(&out, near);
        else
            continue;
        status = cli_write(path, &out, &near->model);
        dfl_text_clear(&out);
    }
    dfl_matrix_file *file = NULL;
    if (!status)
        status = dfl_matrix_file_open(&file, near->linear.linear.ctx);
    if (status)
        return status;
    cli_write_h5(file, near);
    return write_h5(file, near, arguments);
}

static bool is_h5(const char *path)
{
    return dfl_ends_with(path, ".h5") || dfl_ends_with(path, ".hdf5");
}

/* Ends the file and writes it to all places that --output names. */
static dfl_status write_h5(dfl_matrix_file *file, const cli_near *near,
                           const cli_arguments *arguments)
{
    dfl_text bytes = {.ctx = near->model.model->ctx};
    dfl_status status = dfl_matrix_file_close(&bytes, file);
    for (int i = 0; !status && i < arguments->noutput; i++)
        if (is_h5(arguments->output[i]))
            status = cli_write(arguments->output[i], &bytes, &near->model);
    dfl_text_clear(&bytes);
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

/* The members of an object. */
static void write_json(dfl_text *text, const cli_near *near)
{
    const dfl_linear_model *model = &near->linear;
    const dfl_linearized *linear = &model->linear;
    const dfl_equations *eq = near->model.eq;
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
    if (!model->all.E)
        return;
    dfl_text_add(text, ",\n \"all\": {\"variables\": [");
    for (int i = 0; i < eq->n; i++) {
        dfl_text_add(text, i > 0 ? ", " : "");
        dfl_json_string(text, eq->x[i].name);
    }
    dfl_text_add(text, "],\n ");
    cli_add_matrix(text, "E", model->all.E, eq->n, eq->n);
    dfl_text_add(text, ",\n ");
    cli_add_matrix(text, "A", model->all.A, eq->n, eq->n);
    dfl_text_add(text, ",\n ");
    cli_add_matrix(text, "B", model->all.B, eq->n, linear->nu);
    dfl_text_add(text, "}");
}
