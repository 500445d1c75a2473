/* task_modes.c: as `driftless modes MODEL`: eigenvalues near a state, also over a parameter. */
#include "task/task_internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 100000 };

/* A parameter, input or setting and its values. */
typedef struct sweep {
    char name[200];
    double first, last;
    int count;
} sweep;

static dfl_status derive(dfl_task_state *near, const dfl_task_options *options, const char *more);
static dfl_status at_one_point(dfl_text *text, dfl_text *json, dfl_task_state *near,
                               const dfl_task_options *options);
static dfl_status over_values(dfl_task *task);
static dfl_status read_sweep(sweep *out, dfl_context *ctx, const char *text);
static double value_of(const sweep *it, int i);
static dfl_status find_modes(dfl_modes *out, dfl_task_state *near, const dfl_task_options *options);
static dfl_status keep_smallest(dfl_modes *modes, int count);
static dfl_status with_value(dfl_modes *out, dfl_task_state *near, const dfl_task_options *options,
                             const sweep *it, double value);
static void write_table(dfl_text *text, const dfl_modes *modes, const dfl_task_state *near);
static void add_unstable(dfl_text *json, const dfl_task_state *near, const dfl_modes *modes);

dfl_status dfl_task_modes(dfl_task *it)
{
    const dfl_task_options *options = &it->options;
    if (!(options->count >= 0) || options->count != floor(options->count))
        return dfl_fail(it->ctx, DFL_INVALID, "--count %g: give a whole number of modes",
                        options->count);
    const dfl_status status = derive(&it->near, options, NULL);
    if (status)
        return status;
    return options->over ? over_values(it) : at_one_point(&it->text, &it->json, &it->near, options);
}

/* `more`: a setting in addition to those of the model, or NULL. */
static dfl_status derive(dfl_task_state *near, const dfl_task_options *options, const char *more)
{
    const bool few = options->count > 0 && !options->steady;
    const dfl_derivation how = {.purpose = few ? DFL_FEW_MODES : DFL_TO_LINEARIZE,
                                .count = options->count,
                                .nmore = more != NULL,
                                .more = &more};
    return dfl_task_derive(near, options, ".json .html", &how);
}

static dfl_status at_one_point(dfl_text *text, dfl_text *json, dfl_task_state *near,
                               const dfl_task_options *options)
{
    dfl_modes modes = {0};
    dfl_status status = find_modes(&modes, near, options);
    if (!status) {
        write_table(text, &modes, near);
        dfl_task_add_completed(json, near->linear.linear.why);
        dfl_task_add_at(json, &near->linear);
        dfl_text_add(json, ", \"unstable\": ");
        add_unstable(json, near, &modes);
        dfl_text_add(json, ",\n ");
        dfl_task_add_eigenvalues(json, "eigenvalues", &modes);
        dfl_text_add(json, ",\n ");
        dfl_task_add_shapes(json, near, &modes);
        dfl_text_add(json, "}\n");
        status = dfl_task_write_pages(options, near, "modes", json, &modes);
    }
    dfl_modes_clear(&modes);
    return status;
}

/* What is found at all values. */
typedef struct loci {
    dfl_text values, lists, unstable, messages;
    int failed;
    dfl_status failure; /* the first one */
} loci;

/* One value; if it fails, the row has the message. */
static dfl_status add_value(loci *out, dfl_text *text, dfl_task_state *near,
                            const dfl_task_options *options, const sweep *it, int i)
{
    const double value = value_of(it, i);
    dfl_modes modes = {0};
    const dfl_status status = with_value(&modes, near, options, it, value);
    dfl_text_add(&out->values, i > 0 ? ", " : "");
    dfl_json_number(&out->values, value);
    dfl_text_add(&out->lists, i > 0 ? ",\n  " : "\n  ");
    dfl_text_add(&out->unstable, i > 0 ? ", " : "");
    dfl_text_add(&out->messages, i > 0 ? ", " : "");
    dfl_text_add(text, "%s = %.15g\n", it->name, value);
    if (status) {
        const char *message = dfl_message(near->ctx);
        out->failure = out->failed++ ? out->failure : status;
        dfl_text_add(&out->lists, "[]");
        dfl_text_add(&out->unstable, "null");
        dfl_json_string(&out->messages, message);
        dfl_text_add(text, "failed: %s\n", message);
    } else {
        dfl_task_add_eigenvalues(&out->lists, NULL, &modes);
        add_unstable(&out->unstable, near, &modes);
        if (near->linear.linear.why)
            dfl_json_string(&out->messages, near->linear.linear.why);
        else
            dfl_text_add(&out->messages, "null");
        write_table(text, &modes, near);
    }
    dfl_modes_clear(&modes);
    return status == DFL_NO_MEMORY || dfl_interrupted(near->ctx) ? status : DFL_OK;
}

/* Of a parameter or an input, or "". */
static const char *unit_of(const dfl_model *model, const char *name)
{
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (strcmp(decl->name, name) == 0 && decl->unit)
            return decl->unit;
    }
    return "";
}

/* The script is run again for every value, which may shape the model. */
static dfl_status over_values(dfl_task *task)
{
    dfl_text *text = &task->text, *json = &task->json;
    dfl_task_state *near = &task->near;
    const dfl_task_options *options = &task->options;
    sweep it;
    dfl_status status = read_sweep(&it, near->ctx, options->over);
    loci all = {.values = {.ctx = json->ctx},
                .lists = {.ctx = json->ctx},
                .unstable = {.ctx = json->ctx},
                .messages = {.ctx = json->ctx}};
    for (int i = 0; !status && i < it.count; i++)
        status = add_value(&all, text, near, options, &it, i);
    if (!status && all.failed == it.count)
        status = all.failure; /* the message is that of the last one */
    if (!status) {
        char failed[100];
        snprintf(failed, sizeof failed, "%d of %d values failed", all.failed, it.count);
        dfl_task_add_completed(json, all.failed ? failed : NULL);
        if (all.failed)
            dfl_text_add(&task->note, "%s", failed);
        dfl_text_add(json, "\"over\": ");
        dfl_json_string(json, it.name);
        dfl_text_add(json, ",\n \"unit\": ");
        dfl_json_string(json, unit_of(near->source, it.name));
        dfl_text_add(json,
                     ",\n \"values\": [%s],\n \"unstable\": [%s],\n \"messages\": [%s],\n "
                     "\"eigenvalues\": [%s]}\n",
                     dfl_text_string(&all.values), dfl_text_string(&all.unstable),
                     dfl_text_string(&all.messages), dfl_text_string(&all.lists));
        status = all.lists.status      ? all.lists.status
                 : all.messages.status ? all.messages.status
                                       : all.unstable.status;
    }
    if (!status)
        status = dfl_task_write_pages(options, near, "modes", json, NULL);
    dfl_text_clear(&all.values);
    dfl_text_clear(&all.lists);
    dfl_text_clear(&all.unstable);
    dfl_text_clear(&all.messages);
    return status;
}

static dfl_status read_sweep(sweep *out, dfl_context *ctx, const char *text)
{
    const char *equal = strchr(text, '=');
    char *end = NULL;
    bool valid = equal && equal > text && (size_t)(equal - text) < sizeof out->name;
    if (valid) {
        snprintf(out->name, sizeof out->name, "%.*s", (int)(equal - text), text);
        out->first = strtod(equal + 1, &end);
        valid = end > equal + 1 && *end == ':';
    }
    if (valid) {
        const char *from = end + 1;
        out->last = strtod(from, &end);
        valid = end > from && *end == ':';
    }
    if (valid) {
        const char *from = end + 1;
        const long count = strtol(from, &end, 10);
        valid = end > from && !*end && count >= 1 && count <= MOST_VALUES && isfinite(out->first) &&
                isfinite(out->last);
        out->count = (int)count;
    }
    return valid ? DFL_OK
                 : dfl_fail(ctx, DFL_INVALID,
                            "--over %s: give NAME=FIRST:LAST:COUNT, such as v=0:10:101", text);
}

static double value_of(const sweep *it, int i)
{
    return i == 0               ? it->first
           : i == it->count - 1 ? it->last
                                : it->first + (it->last - it->first) * i / (it->count - 1);
}

/* With sparse matrices. */
static dfl_status find_few(dfl_modes *out, dfl_task_state *near, const dfl_task_options *options)
{
    dfl_status status = dfl_task_find(near, options);
    if (!status)
        status = dfl_modes_few(out, &near->linear.linear.kind, near->ctx,
                               dfl_runnable_eom(near->model.runnable), near->state.t, near->state.x,
                               (int)fmin(options->count, INT_MAX));
    near->linear.t = near->state.t;
    near->linear.linear.ctx = near->ctx;
    return status ? status : dfl_study_judge(&near->linear, near->model.runnable, near->state.x);
}

static dfl_status find_modes(dfl_modes *out, dfl_task_state *near, const dfl_task_options *options)
{
    dfl_status status = DFL_OK;
    if (dfl_runnable_packed(near->model.runnable)) {
        status = find_few(out, near, options);
        if (!status || status == DFL_NO_MEMORY || !dfl_study_allows_dense(near->model.eq))
            return status;
        dfl_modes_clear(out);
        dfl_free(near->ctx, near->state.x);
        near->state.x = NULL;
        dfl_runnable_free(near->model.runnable);
        status = dfl_runnable_create(&near->model.runnable, near->model.eq);
    }
    if (!status)
        status = dfl_task_find(near, options);
    if (!status)
        status = dfl_task_find_free(near, options);
    if (!status)
        status = dfl_modes_find(out, near->linear.linear.ctx, near->linear.linear.ny,
                                near->linear.linear.A);
    if (!status)
        status = dfl_study_judge_zeros(&near->linear, near->model.runnable, near->state.x, out);
    if (!status && options->count > 0 && options->count < out->count)
        status = keep_smallest(out, (int)fmin(options->count, INT_MAX));
    return status;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The modes with the `count` smallest eigenvalues, in their order; those as small as the last one
   are added. */
static dfl_status keep_smallest(dfl_modes *modes, int count)
{
    double *size = dfl_alloc(modes->ctx, (size_t)modes->count, sizeof *size);
    int kept = 0;
    if (!size)
        return DFL_NO_MEMORY;
    for (int i = 0; i < modes->count; i++)
        size[i] = hypot(modes->mode[i].re, modes->mode[i].im);
    qsort(size, (size_t)modes->count, sizeof *size, compare);
    for (int i = 0; i < modes->count; i++)
        if (hypot(modes->mode[i].re, modes->mode[i].im) <= size[count - 1])
            modes->mode[kept++] = modes->mode[i];
    modes->count = kept;
    dfl_free(modes->ctx, size);
    return DFL_OK;
}

static dfl_status with_value(dfl_modes *out, dfl_task_state *near, const dfl_task_options *options,
                             const sweep *it, double value)
{
    char assignment[300];
    snprintf(assignment, sizeof assignment, "%s=%.17g", it->name, value);
    dfl_task_clear(near);
    const dfl_status status = derive(near, options, assignment);
    return status ? status : find_modes(out, near, options);
}

/* Whether others grow is not known if only few were found. */
static void add_unstable(dfl_text *json, const dfl_task_state *near, const dfl_modes *modes)
{
    if (!near->linear.linear.changing && dfl_task_linear(near))
        dfl_text_add(json, "%d", modes->unstable);
    else
        dfl_text_add(json, "null");
}

static void write_table(dfl_text *text, const dfl_modes *modes, const dfl_task_state *near)
{
    const dfl_linear_model *linear = &near->linear;
    dfl_text_add(text, "at t = %.15g (%s): ", linear->t, dfl_point_kind_name(linear->linear.kind));
    if (linear->linear.changing)
        dfl_text_add(text, "stability is not judged: %s\n", linear->linear.why);
    else
        dfl_text_add(text, "%s%s\n",
                     modes->unstable || dfl_task_linear(near) ? "" : "the modes found are ",
                     dfl_study_stability(linear, modes));
    dfl_text_add(text, "%18s %18s %14s %12s\n", "real part 1/s", "imaginary rad/s", "frequency Hz",
                 "damping");
    for (int i = 0; i < modes->count; i++) {
        const dfl_mode *mode = &modes->mode[i];
        dfl_text_add(text, "%18.10g %18.10g %14.8g %12.6g\n", mode->re, mode->im, mode->hz,
                     mode->damping);
    }
}
