/* optimize_files.c: the files of an optimization: the model with what was found, its run, a page.
 */
#include "task/task_internal.h"

#include <stdio.h>
#include <string.h>

static bool has_file(const dfl_task *task, const char *ending);
static dfl_status write_script(dfl_task *task, const dfl_optimum *optimum);
static dfl_status write_run(dfl_task *task, const dfl_optimum *optimum);

dfl_status dfl_optimize_files(dfl_task *task, const dfl_optimum *optimum, const dfl_text *history)
{
    const bool stopped = dfl_interrupted(task->ctx); /* then no further runs are made */
    dfl_status status = DFL_OK;
    task->wrote_files = true;
    for (int i = 0; !status && i < task->options.noutput; i++)
        if (dfl_ends_with(task->options.output[i], ".json"))
            status = dfl_task_write(task->options.output[i], &task->json, &task->near.model);
    if (!status && has_file(task, ".lua"))
        status = write_script(task, optimum);
    if (!status && !stopped &&
        (has_file(task, ".csv") || has_file(task, ".h5") || has_file(task, ".hdf5")))
        status = write_run(task, optimum);
    if (!status && !stopped && has_file(task, ".html"))
        status = dfl_optimize_page(task, optimum, history);
    return status;
}

static bool has_file(const dfl_task *task, const char *ending)
{
    bool any = false;
    for (int i = 0; i < task->options.noutput; i++)
        any = any || dfl_ends_with(task->options.output[i], ending);
    return any;
}

/* ------------------------------------------------------------------------------- the model */

static dfl_status write_script(dfl_task *task, const dfl_optimum *optimum)
{
    const dfl_model *model = task->near.model.model;
    dfl_text text = {.ctx = task->ctx};
    dfl_status status = DFL_OK;
    if (!model->text || !*model->text)
        return dfl_fail(task->ctx, DFL_INVALID,
                        "this model has no script that a file FILE.lua could repeat");
    dfl_text_add(&text, "-- Made of '%s' by driftless optimize, with what was found.\nset{ ",
                 model->name);
    for (int i = 0; i < optimum->count; i++)
        dfl_text_add(&text, "%s[\"%s\"] = %.17g", i > 0 ? ", " : "", optimum->names[i],
                     optimum->best[i]);
    dfl_text_add(&text, " }\n%s", model->text);
    for (int i = 0; !status && i < task->options.noutput; i++)
        if (dfl_ends_with(task->options.output[i], ".lua"))
            status = dfl_task_write(task->options.output[i], &text, &task->near.model);
    dfl_text_clear(&text);
    return status;
}

/* ------------------------------------------------------------------------------- runs */

dfl_status dfl_optimize_load(dfl_loaded *out, dfl_settings *settings, const dfl_task *task,
                             const dfl_optimum *optimum, const double *values)
{
    dfl_task_again again = {.near = &task->near, .options = &task->options, .goals = true};
    const dfl_variation variation = dfl_task_variation(&again);
    const size_t count = (size_t)optimum->count;
    enum { LENGTH = 300 };
    char *text = dfl_alloc(task->ctx, count, LENGTH);
    const char **texts = dfl_alloc(task->ctx, count, sizeof *texts);
    dfl_status status = text && texts ? DFL_OK : DFL_NO_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        snprintf(text + i * LENGTH, LENGTH, "%s=%.17g", optimum->names[i], values[i]);
        texts[i] = text + i * LENGTH;
    }
    if (!status)
        status = variation.load(out, texts, optimum->count, variation.user);
    if (!status)
        status = dfl_settings_resolve(settings, &task->near.model.choices, out->run);
    dfl_free(task->ctx, text);
    dfl_free(task->ctx, texts);
    return status;
}

static dfl_status open_files(dfl_simulation *sim, void *user)
{
    const dfl_task *task = user;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < task->options.noutput; i++) {
        const char *path = task->options.output[i];
        if (!dfl_ends_with(path, ".csv") && !dfl_ends_with(path, ".h5") &&
            !dfl_ends_with(path, ".hdf5"))
            continue;
        status = dfl_model_spare(task->near.model.model, task->ctx, path);
        if (!status)
            status = dfl_record_open(sim->record, path);
    }
    return status;
}

static dfl_status write_run(dfl_task *task, const dfl_optimum *optimum)
{
    dfl_loaded loaded = {0};
    dfl_settings settings;
    dfl_fact facts[DFL_MOST_SETTINGS];
    dfl_record *record = NULL;
    dfl_summary summary;
    dfl_status status = dfl_optimize_load(&loaded, &settings, task, optimum, optimum->best);
    if (!status)
        status =
            dfl_record_create(&record, loaded.eq, facts, dfl_settings_describe(facts, &settings));
    if (!status) {
        dfl_simulation sim = {.ctx = task->ctx,
                              .run = loaded.run,
                              .eq = loaded.eq,
                              .settings = &settings,
                              .record = record,
                              .open = open_files,
                              .user = task};
        status = dfl_simulate(&summary, &sim);
        const dfl_status closed = dfl_record_close(record, &summary);
        status = status ? status : closed;
        dfl_simulation_clear(&sim);
    }
    dfl_record_free(record);
    dfl_loaded_clear(&loaded);
    return status;
}
