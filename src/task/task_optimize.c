/* task_optimize.c: as `driftless optimize MODEL`: parameters that make what optimize{} wants as small as
   possible. */
#include "task/task_internal.h"

#include <math.h>
#include <stdio.h>

/* The user's progress, and the history of the search. */
typedef struct listener {
    const dfl_task_options *options;
    dfl_text history;
} listener;

static void tell(int iteration, long runs, double objective, void *user);
static void write_text(dfl_text *text, const dfl_optimum *optimum, const dfl_derived *model);
static void write_json(dfl_text *json, const dfl_optimum *optimum, dfl_status status);

dfl_status dfl_task_optimize(dfl_task *it)
{
    dfl_task_state *near = &it->near;
    dfl_optimum optimum = {0};
    listener listening = {.options = &it->options, .history = {.ctx = it->ctx}};
    dfl_task_again again = {.near = near, .options = &it->options, .goals = true};
    const dfl_variation variation = dfl_task_variation(&again);
    const dfl_search_options search = {.algorithm = it->options.algorithm,
                                       .starts = (int)fmin(it->options.starts, 1e6)};
    dfl_status status = dfl_task_derive(near, &it->options, ".json .csv .h5 .hdf5 .html .lua",
                                        &(dfl_derivation){.purpose = DFL_TO_FOLLOW, .goals = true});
    if (!status)
        status = dfl_settings_check_end(&near->settings, &near->model.choices, near->model.model);
    if (!status)
        status = dfl_study_optimize(&optimum, near->model.model, &near->model.choices, &variation,
                                    &search, tell, &listening);
    if (!status || status == DFL_STOPPED) {
        write_text(&it->text, &optimum, &near->model);
        write_json(&it->json, &optimum, status);
        it->unfinished = !optimum.converged;
        const dfl_status written = dfl_optimize_files(it, &optimum, &listening.history);
        status = written ? written : status;
    }
    dfl_text_clear(&listening.history);
    dfl_optimum_clear(&optimum);
    return status;
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
        dfl_text_add(text, optimum->at_bound[i] ? "   at its bound\n" : "\n");
    }
    dfl_text_add(text, "driftless run %s", model->model->path);
    for (int i = 0; i < optimum->count; i++)
        dfl_text_add(text, " --set '%s=%.17g'", optimum->names[i], optimum->best[i]);
    dfl_text_add(text, "\n");
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
    dfl_text_add(json, ", \"slope\": ");
    dfl_json_number(json, optimum->slope);
    dfl_text_add(json, ", \"limits\": %d, \"violation\": ", optimum->limits);
    dfl_json_number(json, optimum->violation);
    dfl_text_add(json, ", \"runs\": %ld, \"failed\": %ld, \"iterations\": %d, \"searches\": %d}\n",
                 optimum->runs, optimum->failed, optimum->iterations, optimum->searches);
}
