/* command_equilibrium.c: `driftless equilibrium MODEL`: a state of rest, or a steady motion. */
#include "cli/cli.h"

#include "context/context.h"
#include "result/result.h"

#include <math.h>
#include <string.h>

enum { MOST_STARTS = 10000 };

/* All variables and outputs at the equilibrium, and its stability. */
typedef struct values {
    dfl_columns columns;
    double *outputs;
    dfl_modes modes;
} values;

static dfl_status search(values *out, cli_near *near, const cli_arguments *arguments,
                         const char *at);
static dfl_status search_often(dfl_text *text, dfl_text *json, cli_near *near,
                               const cli_arguments *arguments);
static void list_guesses(dfl_text *at, const cli_near *near, const double *base, int start);
static bool is_known(const double *x, const double *known, int count, const dfl_equations *eq);
static void clear(values *found, dfl_context *ctx);
static bool is_judged(const cli_near *near);
static const char *stability(const values *found, const cli_near *near);
static double value_of(const values *found, const cli_near *near, int column);
static void write_text(dfl_text *text, const values *found, const cli_near *near);
static void write_json(dfl_text *text, const values *found, const cli_near *near);

int cli_equilibrium(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_near near = {0};
    values found = {0};
    dfl_text text = {.ctx = ctx}, json = {.ctx = ctx};
    dfl_status status = cli_near_load(&near, ctx, arguments, ".json");
    if (!status && isnan(arguments->starts)) {
        status = search(&found, &near, arguments, arguments->at);
        if (!status) {
            write_text(&text, &found, &near);
            cli_add_completed(&json, near.linear.linear.why);
            write_json(&json, &found, &near);
            dfl_text_add(&json, "}\n");
        }
    } else if (!status)
        status = search_often(&text, &json, &near, arguments);
    const int exit_status = cli_conclude(ctx, arguments, &near.model, &text, &json, status);
    dfl_text_clear(&text);
    dfl_text_clear(&json);
    clear(&found, ctx);
    cli_near_clear(&near);
    return exit_status;
}

static dfl_status search(values *out, cli_near *near, const cli_arguments *arguments,
                         const char *at)
{
    const cli_model *model = &near->model;
    dfl_context *ctx = model->model->ctx;
    const dfl_state_choice start = {.at = at, .near = true};
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

/* From the start of the script and from others around it: every equilibrium once. Starts from which none is found
   are left out, unless all are. */
static dfl_status search_often(dfl_text *text, dfl_text *json, cli_near *near,
                               const cli_arguments *arguments)
{
    dfl_context *ctx = near->model.model->ctx;
    const dfl_equations *eq = near->model.eq;
    const size_t np = (size_t)eq->np;
    if (arguments->starts > MOST_STARTS || arguments->starts != floor(arguments->starts))
        return dfl_fail(ctx, DFL_INVALID, "--starts is %g; give a whole number from 1 to %d",
                        arguments->starts, MOST_STARTS);
    const int starts = (int)arguments->starts;
    double *known = dfl_alloc(ctx, np * (size_t)(starts + 1), sizeof *known), *base = known;
    dfl_text list = {.ctx = ctx}, first = {.ctx = ctx};
    dfl_status status = known ? DFL_OK : DFL_NO_MEMORY, failure = DFL_OK;
    int count = 0;
    for (int k = 0; !status && k < starts && !dfl_interrupted(ctx); k++) {
        values found = {0};
        dfl_text at = {.ctx = ctx};
        if (k > 0)
            list_guesses(&at, near, base, k);
        const dfl_status result =
            search(&found, near, arguments, k > 0 ? dfl_text_string(&at) : arguments->at);
        const double *p = near->state.x ? near->state.x + eq->n - eq->np : NULL;
        if (k == 0 && p)
            memcpy(base, p, np * sizeof *p);
        if (result == DFL_NO_MEMORY)
            status = result;
        failure = failure ? failure : result;
        if (!result && !is_known(p, known + np, count, eq)) {
            memcpy(known + np * (size_t)++count, p, np * sizeof *p);
            write_text(text, &found, near);
            dfl_text_add(&list, count > 1 ? ",\n{" : "\n{");
            write_json(&list, &found, near);
            dfl_text_add(&list, "}");
            if (count == 1)
                write_json(&first, &found, near);
        }
        clear(&found, ctx);
        dfl_text_clear(&at);
        dfl_linear_model_clear(&near->linear);
        dfl_free(ctx, near->state.x);
        near->state.x = NULL;
    }
    if (!status && count == 0)
        status = failure ? failure : DFL_STOPPED;
    dfl_text_add(json,
                 "{\"status\": \"completed\", \"message\": null, %s,\n \"equilibria\": [%s]}\n",
                 dfl_text_string(&first), dfl_text_string(&list));
    if (!status)
        status = list.status ? list.status : first.status;
    dfl_text_clear(&first);
    dfl_text_clear(&list);
    dfl_free(ctx, known);
    return status;
}

/* All positions somewhere around those of the first start: within 3, 1 or 0.3 of them. */
static void list_guesses(dfl_text *at, const cli_near *near, const double *base, int start)
{
    static const double reach[] = {3, 1, 0.3};
    const dfl_equations *eq = near->model.eq;
    for (int i = 0; i < eq->np; i++)
        dfl_text_add(at, "%s%s=%.17g", i > 0 ? "," : "", dfl_equations_p(eq)[i].name,
                     base[i] + reach[start % 3] * dfl_generic(start, i));
}

/* Whole turns do not make an equilibrium another one. */
static bool is_known(const double *x, const double *known, int count, const dfl_equations *eq)
{
    const double turn = 6.283185307179586;
    for (int k = 0; k < count; k++) {
        bool same = true;
        for (int i = 0; same && i < eq->np; i++) {
            const double d = x[i] - known[(size_t)k * (size_t)eq->np + (size_t)i];
            const double tolerance = 1e-6 * (1 + fabs(x[i]));
            same = fabs(d) <= tolerance || fabs(remainder(d, turn)) <= tolerance;
        }
        if (same)
            return true;
    }
    return false;
}

static void clear(values *found, dfl_context *ctx)
{
    dfl_columns_clear(&found->columns, ctx);
    dfl_free(ctx, found->outputs);
    dfl_modes_clear(&found->modes);
}

/* An equilibrium is judged by its modes if it is one for longer than this instant. */
static bool is_judged(const cli_near *near)
{
    return near->linear.linear.kind != DFL_AT_FROZEN;
}

static const char *stability(const values *found, const cli_near *near)
{
    return !is_judged(near)           ? "not judged"
           : found->modes.unstable    ? "unstable"
           : found->modes.indifferent ? "indifferent"
                                      : "stable";
}

static double value_of(const values *found, const cli_near *near, int column)
{
    const int n = found->columns.n;
    return column < n ? near->state.x[found->columns.place[column]] : found->outputs[column - n];
}

static void write_text(dfl_text *text, const values *found, const cli_near *near)
{
    const dfl_equilibrium *report = &near->state.equilibrium;
    dfl_text_add(text, "%s, %s", dfl_point_kind_name(near->linear.linear.kind),
                 stability(found, near));
    if (!is_judged(near))
        dfl_text_add(text, ": %s", near->linear.linear.why);
    else if (found->modes.unstable)
        dfl_text_add(text, " in %d direction%s", found->modes.unstable,
                     found->modes.unstable > 1 ? "s" : "");
    dfl_text_add(text, "; %d iterations, residual %.3g\n", report->iterations, report->residual);
    for (int i = 0; i < found->columns.n + found->columns.m; i++)
        dfl_text_add(text, "%-24s %24.17g\n", found->columns.names[i], value_of(found, near, i));
}

/* The members of an object. */
static void write_json(dfl_text *text, const values *found, const cli_near *near)
{
    const dfl_equilibrium *report = &near->state.equilibrium;
    if (is_judged(near))
        dfl_text_add(text, "\"stable\": %s, \"unstable\": %d, ",
                     found->modes.unstable ? "false" : "true", found->modes.unstable);
    else
        dfl_text_add(text, "\"stable\": null, \"unstable\": null, ");
    dfl_text_add(text, "\"stability\": \"%s\",\n \"iterations\": %d, \"residual\": ",
                 stability(found, near), report->iterations);
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
    dfl_text_add(text, "}");
}
