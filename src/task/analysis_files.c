/* analysis_files.c: pages of analyses: the object that --json prints, with what the animation of
   modes needs. */
#include "task/task_internal.h"

#include "report/report.h"

#include <math.h>
#include <string.h>

enum { MOST_MODES = 60 }; /* that a page animates */

static dfl_status add_animation(dfl_text *json, const dfl_task_state *near, const dfl_modes *modes);
static dfl_status add_frames(dfl_text *json, const dfl_task_state *near, const dfl_modes *modes,
                             int count);
static void add_row(dfl_text *json, const double *row, int count);

dfl_status dfl_task_write_pages(const dfl_task_options *options, const dfl_task_state *near,
                                const char *command, const dfl_text *json, const dfl_modes *modes)
{
    dfl_context *ctx = near->ctx;
    const char *path = near->model.model->path, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    dfl_text data = {.ctx = ctx}, page = {.ctx = ctx};
    dfl_status status = DFL_OK;
    bool any = false;
    for (int i = 0; i < options->noutput; i++)
        any = any || dfl_ends_with(options->output[i], ".html");
    if (!any)
        return DFL_OK;
    dfl_text_add(&data, "{\"command\": \"%s\", \"model\": ", command);
    dfl_json_string(&data, name);
    dfl_text_add(&data, ", \"version\": \"" DFL_VERSION "\",\n\"result\": %s",
                 dfl_text_string(json));
    if (modes)
        status = add_animation(&data, near, modes);
    dfl_text_add(&data, "}");
    if (!status)
        status = data.status;
    if (!status)
        status = dfl_analysis_page(&page, name, dfl_text_string(&data));
    for (int i = 0; !status && i < options->noutput; i++)
        if (dfl_ends_with(options->output[i], ".html"))
            status = dfl_task_write(options->output[i], &page, &near->model);
    dfl_text_clear(&page);
    dfl_text_clear(&data);
    return status;
}

dfl_status dfl_view_result(dfl_context *ctx, const char *result, const char *path,
                           const char *columns)
{
    if (!ctx || !result || !path)
        return ctx ? dfl_fail(ctx, DFL_INVALID, "name the result, and the file to write")
                   : DFL_INVALID;
    return dfl_report_stored(ctx, result, path, columns);
}

/* The scene at the state, and how its numbers change with each mode. */
static dfl_status add_animation(dfl_text *json, const dfl_task_state *near, const dfl_modes *modes)
{
    dfl_record *record = NULL;
    dfl_status status = dfl_record_create(&record, near->model.eq, NULL, 0);
    const dfl_description *about = status ? NULL : dfl_record_about(record);
    if (about && about->scene && about->nscene > 0) {
        dfl_text_add(json, ",\n\"scene\": %s", about->scene);
        status = add_frames(json, near, modes, about->nscene);
    }
    dfl_record_free(record);
    return status;
}

/* Central differences are good enough to look at. */
static dfl_status add_frames(dfl_text *json, const dfl_task_state *near, const dfl_modes *modes,
                             int count)
{
    const dfl_equations *eq = near->model.eq;
    dfl_context *ctx = json->ctx;
    const size_t np = (size_t)eq->np, n = (size_t)eq->n, numbers = (size_t)count;
    double *x = dfl_alloc(ctx, n + 2 * np + 2 * numbers, sizeof *x);
    if (!x)
        return DFL_NO_MEMORY;
    double *shape = x + n, *high = shape + 2 * np, *low = high + numbers;
    for (size_t i = 0; i < n; i++)
        x[i] = near->state.x[i];
    dfl_runnable_scene(high, near->model.runnable, near->state.t, x);
    dfl_text_add(json, ",\n\"base\": ");
    add_row(json, high, count);
    dfl_text_add(json, ",\n\"moves\": [");
    for (int k = 0; k < modes->count && k < MOST_MODES; k++) {
        dfl_mode_shape(shape, shape + np, dfl_task_linear(near), (int)np, modes, k);
        dfl_text_add(json, k > 0 ? ",\n" : "\n");
        for (int part = 0; part < 2; part++) {
            const double *along = shape + (part ? np : 0), h = 1e-5;
            for (size_t i = 0; i < np; i++)
                x[n - np + i] = near->state.x[n - np + i] + h * along[i];
            dfl_runnable_scene(high, near->model.runnable, near->state.t, x);
            for (size_t i = 0; i < np; i++)
                x[n - np + i] = near->state.x[n - np + i] - h * along[i];
            dfl_runnable_scene(low, near->model.runnable, near->state.t, x);
            for (size_t i = 0; i < numbers; i++)
                high[i] = (high[i] - low[i]) / (2 * h);
            dfl_text_add(json, part ? ", \"im\": " : "{\"re\": ");
            add_row(json, high, count);
        }
        dfl_text_add(json, "}");
    }
    dfl_text_add(json, "]");
    dfl_free(ctx, x);
    return DFL_OK;
}

static void add_row(dfl_text *json, const double *row, int count)
{
    dfl_text_add(json, "[");
    for (int i = 0; i < count; i++) {
        dfl_text_add(json, i > 0 ? "," : "");
        if (isfinite(row[i]))
            dfl_text_add(json, "%.7g", row[i]);
        else
            dfl_text_add(json, "null");
    }
    dfl_text_add(json, "]");
}
