/* task_optimize.c: as `driftless optimize MODEL`: parameters that make what optimize{} wants as
   small as possible. */
#include "task/task_internal.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 1000000 }; /* searches */

/* The user's progress, and the history of the search. */
typedef struct listener {
    const dfl_task_options *options;
    dfl_text history;
} listener;

static dfl_status check_numbers(dfl_context *ctx, const dfl_task_options *options);
static void tell(int iteration, long runs, double objective, void *user);
static void write_text(dfl_text *text, const dfl_optimum *optimum, const dfl_derived *model);
static void warn_of_idle(dfl_text *note, const dfl_optimum *optimum);
static void write_json(dfl_text *json, const dfl_optimum *optimum, dfl_status status);

dfl_status dfl_task_optimize(dfl_task *it)
{
    dfl_task_state *near = &it->near;
    dfl_optimum optimum = {0};
    listener listening = {.options = &it->options, .history = {.ctx = it->ctx}};
    dfl_task_again again = {.near = near, .options = &it->options, .goals = true};
    const dfl_variation variation = dfl_task_variation(&again);
    dfl_search_options search = {.algorithm = it->options.algorithm,
                                 .starts = (int)fmin(it->options.starts, MOST),
                                 .resamples = (int)fmin(it->options.bootstrap, MOST),
                                 .seed = it->options.seed == 0 ? 1 : it->options.seed,
                                 .threads = (int)fmin(it->options.threads, 4096)};
    dfl_status status = check_numbers(it->ctx, &it->options);
    if (!status)
        status = dfl_task_derivatives(&search.derivatives, it);
    if (!status)
        status = dfl_task_derive(near, &it->options, ".json .csv .h5 .hdf5 .html .lua",
                                 &(dfl_derivation){.purpose = DFL_TO_FOLLOW, .goals = true});
    if (!status)
        status = dfl_settings_check_end(&near->settings, &near->model.choices, near->model.model);
    if (!status)
        status = dfl_study_optimize(&optimum, near->model.model, &near->model.choices, &variation,
                                    &search, tell, &listening);
    if (!status || status == DFL_STOPPED) {
        write_text(&it->text, &optimum, &near->model);
        write_json(&it->json, &optimum, status);
        warn_of_idle(&it->note, &optimum);
        it->unfinished = !optimum.converged;
        const dfl_status written = dfl_optimize_files(it, &optimum, &listening.history);
        status = written ? written : status;
    }
    dfl_text_clear(&listening.history);
    dfl_optimum_clear(&optimum);
    return status;
}

static dfl_status check_numbers(dfl_context *ctx, const dfl_task_options *options)
{
    const struct {
        const char *name;
        double value, least, most;
    } numbers[] = {{"starts", options->starts, 0, MOST},
                   {"bootstrap", options->bootstrap, 0, MOST},
                   {"seed", options->seed, -0x1p53, 0x1p53},
                   {"threads", options->threads, 0, 4096}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const double value = numbers[i].value;
        if (!(value >= numbers[i].least && value <= numbers[i].most) || value != floor(value))
            return dfl_fail(ctx, DFL_INVALID, "--%s is %g; give a whole number from %g to %g",
                            numbers[i].name, value, numbers[i].least, numbers[i].most);
    }
    return DFL_OK;
}

static void tell(int iteration, long runs, double objective, void *user)
{
    listener *it = user;
    const dfl_task_options *options = it->options;
    char line[120];
    dfl_text_add(&it->history, it->history.length > 0 ? ",[%ld," : "[%ld,", runs);
    dfl_json_number(&it->history, objective);
    dfl_text_add(&it->history, "]");
    snprintf(line, sizeof line, "iteration %d, %ld runs: objective %.10g", iteration, runs,
             objective);
    if (options->on_progress)
        options->on_progress(line, options->user);
}

static void write_text(dfl_text *text, const dfl_optimum *optimum, const dfl_derived *model)
{
    dfl_text_add(text, "objective %.10g, at the start %.10g; %d iterations, %ld runs%s\n",
                 optimum->objective, optimum->first, optimum->iterations, optimum->runs,
                 optimum->converged ? "" : "; NOT CONVERGED");
    if (optimum->limits > 0)
        dfl_text_add(text, "%d limit%s, violated by %.2g at most\n", optimum->limits,
                     optimum->limits > 1 ? "s" : "", optimum->violation);
    for (int i = 0; i < optimum->count; i++) {
        dfl_text_add(text, "  %-20s %.12g   from %.6g", optimum->names[i], optimum->best[i],
                     optimum->start[i]);
        if (isfinite(optimum->deviation[i]))
            dfl_text_add(text, "   +- %.2g with 95 %% (standard deviation %.2g)",
                         optimum->interval[i], optimum->deviation[i]);
        if (isfinite(optimum->low[i]))
            dfl_text_add(text, "   bootstrap %.6g to %.6g", optimum->low[i], optimum->high[i]);
        dfl_text_add(text, optimum->at_bound[i] ? "   at its bound\n" : "\n");
    }
    if (optimum->lost > 0)
        dfl_text_add(text, "bootstrap: %d of %d fits have not converged%s\n", optimum->lost,
                     optimum->resamples,
                     isnan(optimum->low[0]) ? "; so there are no intervals" : "");
    dfl_text_add(text, "driftless run %s", model->model->path);
    for (int i = 0; i < optimum->count; i++)
        dfl_text_add(text, " --set '%s=%.17g'", optimum->names[i], optimum->best[i]);
    dfl_text_add(text, "\n");
}

static void warn_of_idle(dfl_text *note, const dfl_optimum *optimum)
{
    for (int i = 0; i < optimum->count; i++)
        if (optimum->idle[i])
            dfl_text_add(note,
                         "%s'%s' has no influence: nothing that is wanted depends on it, at the "
                         "start and at the end of the search",
                         note->length > 0 ? "\n" : "", optimum->names[i]);
}

/* [NAME, ...] of those without influence. */
static void add_idle(dfl_text *json, const dfl_optimum *optimum)
{
    const char *separator = "";
    dfl_text_add(json, ", \"without_influence\": [");
    for (int i = 0; i < optimum->count; i++) {
        if (!optimum->idle[i])
            continue;
        dfl_text_add(json, "%s", separator);
        dfl_json_string(json, optimum->names[i]);
        separator = ", ";
    }
    dfl_text_add(json, "]");
}

/* "KEY": {NAME: value, ...}. */
static void add_values(dfl_text *json, const char *key, const dfl_optimum *optimum,
                       const double *value)
{
    dfl_text_add(json, ", \"%s\": {", key);
    for (int i = 0; i < optimum->count; i++) {
        dfl_text_add(json, i > 0 ? ", " : "");
        dfl_json_string(json, optimum->names[i]);
        dfl_text_add(json, ": ");
        dfl_json_number(json, value[i]);
    }
    dfl_text_add(json, "}");
}

static void add_bootstrap(dfl_text *json, const dfl_optimum *optimum)
{
    dfl_text_add(json, ", \"bootstrap\": ");
    if (optimum->resamples == 0) {
        dfl_text_add(json, "null");
        return;
    }
    dfl_text_add(json, "{\"resamples\": %d, \"failed\": %d", optimum->resamples, optimum->lost);
    add_values(json, "low", optimum, optimum->low);
    add_values(json, "high", optimum, optimum->high);
    dfl_text_add(json, "}");
}

static void write_json(dfl_text *json, const dfl_optimum *optimum, dfl_status status)
{
    dfl_text_add(json, "{\"status\": \"%s\", \"message\": %s, \"objective\": ",
                 status               ? "interrupted"
                 : optimum->converged ? "completed"
                                      : "failed",
                 status ? "\"interrupted; best is the best so far\""
                 : optimum->converged
                     ? "null"
                     : "\"the search has not converged; best is the best so far\"");
    dfl_json_number(json, optimum->objective);
    dfl_text_add(json, ", \"objective_at_start\": ");
    dfl_json_number(json, optimum->first);
    add_values(json, "start", optimum, optimum->start);
    add_values(json, "best", optimum, optimum->best);
    add_values(json, "deviation", optimum, optimum->deviation);
    add_values(json, "interval", optimum, optimum->interval);
    add_bootstrap(json, optimum);
    add_idle(json, optimum);
    dfl_text_add(json, ", \"slope\": ");
    dfl_json_number(json, optimum->slope);
    dfl_text_add(json, ", \"limits\": %d, \"violation\": ", optimum->limits);
    dfl_json_number(json, optimum->violation);
    dfl_text_add(json, ", \"runs\": %ld, \"failed\": %ld, \"iterations\": %d, \"searches\": %d}\n",
                 optimum->runs, optimum->failed, optimum->iterations, optimum->searches);
}
