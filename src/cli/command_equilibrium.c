/* command_equilibrium.c: `driftless equilibrium MODEL`: a state of rest, or a steady motion. */
#include "cli/cli.h"

#include "result/result.h"

/* All variables and outputs at the equilibrium, and its stability. */
typedef struct values {
    dfl_columns columns;
    double *outputs;
    dfl_modes modes;
} values;

static dfl_status search(values *out, cli_near *near, const cli_arguments *arguments);
static void clear(values *found, dfl_context *ctx);
static const char *stability(const values *found);
static double value_of(const values *found, const cli_near *near, int column);
static void write_text(dfl_text *text, const values *found, const cli_near *near);
static void write_json(dfl_text *text, const values *found, const cli_near *near);

int cli_equilibrium(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_near near = {0};
    values found = {0};
    dfl_text text = {.ctx = ctx}, json = {.ctx = ctx};
    dfl_status status = cli_near_load(&near, ctx, arguments, ".json");
    if (!status)
        status = search(&found, &near, arguments);
    if (!status) {
        write_text(&text, &found, &near);
        write_json(&json, &found, &near);
    }
    const int exit_status = cli_conclude(ctx, arguments, &near.model, &text, &json, status);
    dfl_text_clear(&text);
    dfl_text_clear(&json);
    clear(&found, ctx);
    cli_near_clear(&near);
    return exit_status;
}

static dfl_status search(values *out, cli_near *near, const cli_arguments *arguments)
{
    const cli_model *model = &near->model;
    dfl_context *ctx = model->model->ctx;
    const dfl_state_choice start = {.at = arguments->at, .near = true};
    dfl_status status = dfl_study_state(&near->state, model->run, &near->settings, &start);
    if (!status)
        status = dfl_study_equilibrium(&near->state.equilibrium, near->state.x, model->run,
                                       near->state.t, arguments->steady);
    if (!status)
        status = cli_near_linearize(near, arguments);
    if (!status)
        status = dfl_modes_find(&out->modes, ctx, near->linear.linear.ny, near->linear.linear.A);
    if (!status)
        status = dfl_columns_create(&out->columns, model->eq);
    if (!status) {
        out->outputs = dfl_alloc(ctx, (size_t)out->columns.m, sizeof *out->outputs);
        status = out->outputs ? DFL_OK : DFL_NO_MEMORY;
    }
    if (!status)
        dfl_runnable_outputs(out->outputs, model->run, near->state.t, near->state.x);
    return status;
}

static void clear(values *found, dfl_context *ctx)
{
    dfl_columns_clear(&found->columns, ctx);
    dfl_free(ctx, found->outputs);
    dfl_modes_clear(&found->modes);
}

static const char *stability(const values *found)
{
    return found->modes.unstable ? "unstable" : found->modes.indifferent ? "indifferent" : "stable";
}

static double value_of(const values *found, const cli_near *near, int column)
{
    const int n = found->columns.n;
    return column < n ? near->state.x[found->columns.place[column]] : found->outputs[column - n];
}

static void write_text(dfl_text *text, const values *found, const cli_near *near)
{
    const dfl_equilibrium *report = &near->state.equilibrium;
    dfl_text_add(text, "%s, %s", dfl_point_kind_name(near->linear.linear.kind), stability(found));
    if (found->modes.unstable)
        dfl_text_add(text, " in %d direction%s", found->modes.unstable,
                     found->modes.unstable > 1 ? "s" : "");
    dfl_text_add(text, "; %d iterations, residual %.3g\n", report->iterations, report->residual);
    for (int i = 0; i < found->columns.n + found->columns.m; i++)
        dfl_text_add(text, "%-24s %24.17g\n", found->columns.names[i], value_of(found, near, i));
}

static void write_json(dfl_text *text, const values *found, const cli_near *near)
{
    const dfl_equilibrium *report = &near->state.equilibrium;
    dfl_text_add(text,
                 "{\"status\": \"completed\", \"message\": null, \"stable\": %s, \"unstable\": %d, "
                 "\"stability\": \"%s\",\n \"iterations\": %d, \"residual\": ",
                 found->modes.unstable ? "false" : "true", found->modes.unstable, stability(found),
                 report->iterations);
    dfl_json_number(text, report->residual);
    dfl_text_add(text, ", ");
    cli_add_at(text, &near->linear);
    dfl_text_add(text, ",\n \"state\": {");
    for (int i = 0; i < found->columns.n + found->columns.m; i++) {
        dfl_text_add(text, i > 0 ? ",\n  " : "\n  ");
        dfl_json_string(text, found->columns.names[i]);
        dfl_text_add(text, ": ");
        dfl_json_number(text, value_of(found, near, i));
    }
    dfl_text_add(text, "}}\n");
}
