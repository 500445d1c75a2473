/* task_linearize.c: as `driftless linearize MODEL`: the linear equations near a state. */
#include "task/task_internal.h"

#include <math.h>
#include <stdio.h>

enum { MOST_TIMES = 10000 };

static void write_text(dfl_text *text, const dfl_linear_model *model);
static void write_matrix(dfl_text *text, const char *name, const double *A, int rows, int columns);
static void write_json(dfl_text *text, const dfl_task_state *near);
static dfl_status at_one_point(dfl_text *text, dfl_text *json, dfl_task_state *near,
                               const dfl_task_options *options);
static dfl_status along_run(dfl_text *text, dfl_text *json, dfl_task_state *near,
                            const dfl_task_options *options);
static dfl_status find_equations(dfl_task_state *near, const dfl_task_options *options);
static dfl_status write_others(const dfl_task_state *near, const dfl_task_options *options);
static bool is_h5(const char *path);
static dfl_status write_h5(dfl_matrix_file *file, const dfl_task_state *near,
                           const dfl_task_options *options);

dfl_status dfl_task_linearize(dfl_task *it)
{
    const dfl_task_options *options = &it->options;
    const dfl_status status = dfl_task_derive_dense(&it->near, options, ".json .mat .m .h5 .hdf5");
    if (status)
        return status;
    return options->along ? along_run(&it->text, &it->json, &it->near, options)
                          : at_one_point(&it->text, &it->json, &it->near, options);
}

static dfl_status at_one_point(dfl_text *text, dfl_text *json, dfl_task_state *near,
                               const dfl_task_options *options)
{
    dfl_status status = find_equations(near, options);
    if (status)
        return status;
    write_text(text, &near->linear);
    dfl_task_add_completed(json, near->linear.linear.why);
    write_json(json, near);
    dfl_text_add(json, "}\n");
    return write_others(near, options);
}

static dfl_status find_equations(dfl_task_state *near, const dfl_task_options *options)
{
    dfl_status status = dfl_task_find(near, options);
    if (!status)
        status = dfl_task_find_linear(near, options);
    if (!status && options->all_unknowns)
        status = dfl_linear_model_add_all(&near->linear, near->model.runnable, &near->state,
                                          options->inputs);
    return status;
}

/* Times of --along. */
typedef struct times {
    double first, last;
    int count;
} times;

static dfl_status read_times(times *out, dfl_context *ctx, const dfl_task_options *options)
{
    int end = 0;
    if (options->at || options->steady)
        return dfl_fail(ctx, DFL_INVALID,
                        "--along chooses the states; leave out --at and --steady");
    if (sscanf(options->along, "%lf:%lf:%d%n", &out->first, &out->last, &out->count, &end) != 3 ||
        options->along[end] || !isfinite(out->first) || !isfinite(out->last) || out->count < 1 ||
        out->count > MOST_TIMES)
        return dfl_fail(ctx, DFL_INVALID,
                        "--along %s: give FIRST:LAST:COUNT, such as 0:2:21, with at most %d times",
                        options->along, MOST_TIMES);
    return DFL_OK;
}

/* The equations at time number i; the states are those of `--at t=TIME`. */
static dfl_status find_at(dfl_task_state *near, const dfl_task_options *options, const times *when,
                          int i)
{
    dfl_task_options at = *options;
    char text[60];
    snprintf(text, sizeof text, "t=%.17g",
             when->count > 1 ? when->first + (when->last - when->first) * i / (when->count - 1)
                             : when->first);
    at.at = text;
    dfl_linear_model_clear(&near->linear);
    dfl_free(near->ctx, near->state.x);
    near->state.x = NULL;
    return find_equations(near, &at);
}

/* To all files FILE.mat and FILE.m. */
static dfl_status write_texts(const dfl_text *mat, const dfl_text *octave,
                              const dfl_task_state *near, const dfl_task_options *options)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < options->noutput; i++)
        if (dfl_ends_with(options->output[i], ".mat"))
            status = dfl_task_write(options->output[i], mat, &near->model);
        else if (dfl_ends_with(options->output[i], ".m"))
            status = dfl_task_write(options->output[i], octave, &near->model);
    return status;
}

static dfl_status along_run(dfl_text *text, dfl_text *json, dfl_task_state *near,
                            const dfl_task_options *options)
{
    dfl_context *ctx = near->ctx;
    dfl_matrix_file *file = NULL;
    times when;
    dfl_text mat = {.ctx = ctx}, octave = {.ctx = ctx};
    dfl_status status = read_times(&when, ctx, options);
    if (!status)
        status = dfl_matrix_file_open(&file, ctx);
    dfl_text_add(json, "{\"status\": \"completed\", \"message\": null, \"series\": [");
    for (int i = 0; !status && i < when.count; i++) {
        char group[20];
        status = find_at(near, options, &when, i);
        if (status)
            break;
        write_text(text, &near->linear);
        dfl_text_add(json, i > 0 ? ",\n{" : "\n{");
        write_json(json, near);
        dfl_text_add(json, "}");
        snprintf(group, sizeof group, "%d", i);
        dfl_matrix_file_group(file, group);
        dfl_task_write_h5(file, near);
        dfl_task_write_mat(&mat, near, i + 1);
        dfl_task_write_octave(&octave, near, i + 1);
    }
    dfl_text_add(json, "]}\n");
    if (!status)
        status = write_texts(&mat, &octave, near, options);
    dfl_text_clear(&mat);
    dfl_text_clear(&octave);
    if (status)
        dfl_matrix_file_close(NULL, file);
    return status ? status : write_h5(file, near, options);
}

/* Files of other programs. */
static dfl_status write_others(const dfl_task_state *near, const dfl_task_options *options)
{
    dfl_status status = DFL_OK;
    dfl_text mat = {.ctx = near->ctx}, octave = {.ctx = near->ctx};
    dfl_task_write_mat(&mat, near, 0);
    dfl_task_write_octave(&octave, near, 0);
    status = write_texts(&mat, &octave, near, options);
    dfl_text_clear(&mat);
    dfl_text_clear(&octave);
    dfl_matrix_file *file = NULL;
    if (!status)
        status = dfl_matrix_file_open(&file, near->linear.linear.ctx);
    if (status)
        return status;
    dfl_task_write_h5(file, near);
    return write_h5(file, near, options);
}

static bool is_h5(const char *path)
{
    return dfl_ends_with(path, ".h5") || dfl_ends_with(path, ".hdf5");
}

/* Ends the file and writes it to all places that --output names. */
static dfl_status write_h5(dfl_matrix_file *file, const dfl_task_state *near,
                           const dfl_task_options *options)
{
    dfl_text bytes = {.ctx = near->ctx};
    dfl_status status = dfl_matrix_file_close(&bytes, file);
    for (int i = 0; !status && i < options->noutput; i++)
        if (is_h5(options->output[i]))
            status = dfl_task_write(options->output[i], &bytes, &near->model);
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
    dfl_text_add(text, "at t = %.15g (%s)%s%s\n", model->t, dfl_point_kind_name(linear->kind),
                 linear->why ? ": " : "", linear->why ? linear->why : "");
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
static void write_json(dfl_text *text, const dfl_task_state *near)
{
    const dfl_linear_model *model = &near->linear;
    const dfl_linearized *linear = &model->linear;
    const dfl_equations *eq = near->model.eq;
    dfl_task_add_at(text, model);
    dfl_text_add(text, ",\n ");
    dfl_task_add_names(text, "states", model->states, linear->ny);
    dfl_text_add(text, ",\n ");
    dfl_task_add_names(text, "inputs", model->inputs, linear->nu);
    dfl_text_add(text, ",\n ");
    dfl_task_add_names(text, "outputs", model->outputs, model->no);
    dfl_text_add(text, ",\n ");
    dfl_task_add_matrix(text, "A", linear->A, linear->ny, linear->ny);
    dfl_text_add(text, ",\n ");
    dfl_task_add_matrix(text, "B", linear->B, linear->ny, linear->nu);
    dfl_text_add(text, ",\n ");
    dfl_task_add_matrix(text, "C", model->C, model->no, linear->ny);
    dfl_text_add(text, ",\n ");
    dfl_task_add_matrix(text, "D", model->D, model->no, linear->nu);
    if (!model->all.E)
        return;
    dfl_text_add(text, ",\n \"all\": {\"variables\": [");
    for (int i = 0; i < eq->n; i++) {
        dfl_text_add(text, i > 0 ? ", " : "");
        dfl_json_string(text, eq->x[i].name);
    }
    dfl_text_add(text, "],\n ");
    dfl_task_add_matrix(text, "E", model->all.E, eq->n, eq->n);
    dfl_text_add(text, ",\n ");
    dfl_task_add_matrix(text, "A", model->all.A, eq->n, eq->n);
    dfl_text_add(text, ",\n ");
    dfl_task_add_matrix(text, "B", model->all.B, eq->n, linear->nu);
    dfl_text_add(text, "}");
}
