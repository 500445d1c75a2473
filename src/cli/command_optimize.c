/* command_optimize.c: `driftless optimize MODEL`: parameters that make what optimize{} wants as small as
   possible. */
#include "cli/cli.h"

#include "cli/interrupt.h"
#include "result/result.h"

#include <math.h>

static void tell(int iteration, long runs, double objective, void *user);
static void write_text(dfl_text *text, const dfl_optimum *optimum, const cli_model *model);
static void write_json(dfl_text *json, const dfl_optimum *optimum, dfl_status status);

int cli_optimize(dfl_context *ctx, const cli_arguments *given)
{
    cli_arguments arguments = *given;
    cli_near near = {0};
    dfl_optimum optimum = {0};
    cli_reloading again = {.ctx = ctx, .arguments = &arguments};
    const dfl_variation variation = cli_variation(&again);
    dfl_text text = {.ctx = ctx}, json = {.ctx = ctx};
    arguments.goals = true;
    dfl_status status = cli_near_load_as(&near, ctx, &arguments, ".json", CLI_FOLLOWED);
    if (!status)
        status = dfl_settings_check_end(&near.settings, &arguments.choices, near.model.model);
    if (!status) {
        cli_interrupt_defer(true);
        status = dfl_study_optimize(&optimum, near.model.model, &arguments.choices, &variation,
                                    tell, &arguments);
    }
    cli_interrupt_defer(false);
    const bool stopped = status == DFL_STOPPED;
    if (!status || stopped) {
        write_text(&text, &optimum, &near.model);
        write_json(&json, &optimum, status);
    }
    int exit_status =
        cli_conclude(ctx, &arguments, &near.model, &text, &json, stopped ? DFL_OK : status);
    if (!exit_status && !stopped && !optimum.converged)
        exit_status = CLI_FAILURE;
    if (stopped)
        exit_status = cli_interrupted();
    dfl_optimum_clear(&optimum);
    dfl_text_clear(&text);
    dfl_text_clear(&json);
    cli_near_clear(&near);
    return exit_status;
}

static void tell(int iteration, long runs, double objective, void *user)
{
    if (!((const cli_arguments *)user)->quiet)
        fprintf(stderr, "driftless: iteration %d, %ld runs: objective %.10g\n", iteration, runs,
                objective);
}

static void write_text(dfl_text *text, const dfl_optimum *optimum, const cli_model *model)
{
    dfl_text_add(text, "objective %.10g, at the start %.10g; %d iterations, %ld runs%s\n",
                 optimum->objective, optimum->first, optimum->iterations, optimum->runs,
                 optimum->converged ? "" : "; NOT CONVERGED");
    for (int i = 0; i < optimum->count; i++) {
        dfl_text_add(text, "  %-20s %.12g   from %.6g", optimum->names[i], optimum->best[i],
                     optimum->start[i]);
        if (isfinite(optimum->deviation[i]))
            dfl_text_add(text, "   standard deviation %.2g", optimum->deviation[i]);
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
    dfl_text_add(json, ", \"slope\": ");
    dfl_json_number(json, optimum->slope);
    dfl_text_add(json, ", \"runs\": %ld, \"failed\": %ld, \"iterations\": %d}\n", optimum->runs,
                 optimum->failed, optimum->iterations);
}
