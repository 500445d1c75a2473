/* task_life.c: a task by its name, from its options to its report. */
#include "task/task_internal.h"

#include <string.h>

static const struct {
    const char *name;
    dfl_status (*function)(dfl_task *it);
    const char *fields; /* of its JSON besides status and message, null if it fails */
} tasks[] = {{"linearize", dfl_task_linearize, "at states inputs outputs A B C D"},
             {"modes", dfl_task_modes, "at unstable eigenvalues"},
             {"equilibrium", dfl_task_equilibrium, "stable unstable stability residual at state"},
             {"response", dfl_task_response, "at poles omega response"},
             {"lqr", dfl_task_lqr, "at states inputs K poles"},
             {"inverse", dfl_task_inverse, "t drives state final"},
             {"compare", dfl_task_compare, ""},
             {"export", dfl_task_export, ""},
             {"gradient", dfl_task_gradient, "value gradient"},
             {"optimize", dfl_task_optimize, "objective start best runs iterations"}};
enum { TASKS = sizeof tasks / sizeof *tasks };

static dfl_status find_task(int *out, dfl_context *ctx, const char *name);
static dfl_status check_options(dfl_context *ctx, const dfl_task_options *options);
static dfl_status perform(dfl_task *it, int number);
static dfl_status write_files(const dfl_task *it);
static void add_failure(dfl_text *json, const char *message, const char *fields);

dfl_status dfl_model_task(dfl_task **out, dfl_context *ctx, const dfl_model *model,
                          const char *name, const dfl_task_options *options)
{
    static const dfl_task_options none = {0};
    int number = 0;
    if (out)
        *out = NULL;
    dfl_status status = dfl_check_call(out, ctx, model);
    if (!status)
        status = find_task(&number, ctx, name);
    if (!status)
        status = check_options(ctx, options ? options : &none);
    if (status)
        return status;
    dfl_task *it = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    it->ctx = it->text.ctx = it->json.ctx = it->note.ctx = it->near.ctx = ctx;
    it->options = options ? *options : none;
    it->near.source = model;
    status = perform(it, number);
    *out = it;
    return status;
}

static dfl_status find_task(int *out, dfl_context *ctx, const char *name)
{
    const char *names[TASKS];
    for (int i = 0; i < TASKS; i++) {
        names[i] = tasks[i].name;
        if (name && !strcmp(name, tasks[i].name)) {
            *out = i;
            return DFL_OK;
        }
    }
    const char *nearest = name ? dfl_nearest_word(name, names, TASKS) : NULL;
    return dfl_fail(ctx, DFL_INVALID, "there is no task '%s'; %s%s%s", name ? name : "",
                    nearest ? "did you mean " : "see driftless/task.h", nearest ? nearest : "",
                    nearest ? "?" : "");
}

static dfl_status check_options(dfl_context *ctx, const dfl_task_options *options)
{
    dfl_status status = dfl_check_texts(ctx, "output", options->noutput, options->output);
    if (!status)
        status = dfl_check_texts(ctx, "of", options->nof, options->of);
    if (!status && (options->nomega < 0 || (options->nomega > 0 && !options->omega)))
        status = dfl_fail(ctx, DFL_INVALID, "%d omega: give a number of frequencies, and them",
                          options->nomega);
    return status;
}

/* What was derived is not needed any more when all is written. */
static dfl_status perform(dfl_task *it, int number)
{
    dfl_status status = tasks[number].function(it);
    const bool found = !status || status == DFL_STOPPED;
    if (found) {
        dfl_status written = it->text.status ? it->text.status : it->json.status;
        if (!written)
            written = it->note.status;
        if (!written)
            written = write_files(it);
        status = written ? written : status;
    }
    if (status && !it->options.prefix)
        dfl_name_fields(it->ctx, status);
    if (status && status != DFL_STOPPED) {
        dfl_text_clear(&it->json);
        add_failure(&it->json, dfl_message(it->ctx), tasks[number].fields);
    }
    it->report = (dfl_task_report){.text = dfl_text_string(&it->text),
                                   .json = dfl_text_string(&it->json),
                                   .note = it->note.length > 0 ? dfl_text_string(&it->note) : NULL,
                                   .completed = !status && !it->unfinished};
    dfl_task_clear(&it->near);
    return status;
}

/* JSON to files FILE.json, the text to those that the task has not written itself. */
static dfl_status write_files(const dfl_task *it)
{
    static const char *const written[] = {".mat", ".m", ".html", ".svg", ".lua", ".h5", ".hdf5"};
    dfl_status status = DFL_OK;
    for (int i = 0; !status && !it->wrote_files && i < it->options.noutput; i++) {
        const char *path = it->options.output[i];
        bool done = false;
        for (size_t k = 0; k < sizeof written / sizeof *written; k++)
            done = done || dfl_ends_with(path, written[k]);
        if (!done)
            status = dfl_task_write(path, dfl_ends_with(path, ".json") ? &it->json : &it->text,
                                    &it->near.model);
    }
    return status;
}

/* The object of a failure. */
static void add_failure(dfl_text *json, const char *message, const char *fields)
{
    dfl_text_add(json, "{\"status\": \"failed\", \"message\": ");
    dfl_json_string(json, message);
    while (*fields) {
        const size_t length = strcspn(fields, " ");
        dfl_text_add(json, ", \"%.*s\": null", (int)length, fields);
        fields += length + strspn(fields + length, " ");
    }
    dfl_text_add(json, "}\n");
}

const dfl_task_report *dfl_task_about(const dfl_task *task)
{
    return task ? &task->report : NULL;
}

void dfl_task_free(dfl_task *task)
{
    if (!task)
        return;
    dfl_text_clear(&task->text);
    dfl_text_clear(&task->json);
    dfl_text_clear(&task->note);
    dfl_free(task->ctx, task);
}
