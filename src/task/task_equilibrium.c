/* task_equilibrium.c: as `driftless equilibrium MODEL`: a state of rest, or a steady motion. */
#include "task/task_internal.h"

#include <math.h>
#include <string.h>

enum { MOST_STARTS = 10000 };

/* All variables and outputs at the equilibrium, and its stability. */
typedef struct values {
    dfl_columns columns;
    double *outputs;
    dfl_modes modes;
} values;

static dfl_status search(values *out, dfl_task_state *near, const dfl_task_options *options,
                         const char *at);
static dfl_status search_often(dfl_text *text, dfl_text *json, dfl_task_state *near,
                               const dfl_task_options *options);
static void list_guesses(dfl_text *at, const dfl_task_state *near, const double *base, int start);
static bool is_known(const double *x, const double *known, int count, const dfl_equations *eq);
static bool is_beside(const double *x, const double *known, int count, const dfl_task_state *near,
                      const dfl_modes *modes);
static void clear(values *found, dfl_context *ctx);
static bool is_judged(const dfl_task_state *near);
static double value_of(const values *found, const dfl_task_state *near, int column);
static void write_text(dfl_text *text, const values *found, const dfl_task_state *near);
static void write_json(dfl_text *text, const values *found, const dfl_task_state *near);

dfl_status dfl_task_equilibrium(dfl_task *it)
{
    const dfl_task_options *options = &it->options;
    values found = {0};
    dfl_status status = dfl_task_derive_dense(&it->near, options, ".json");
    if (!status && options->starts != 0)
        return search_often(&it->text, &it->json, &it->near, options);
    if (!status)
        status = search(&found, &it->near, options, options->at);
    if (!status) {
        write_text(&it->text, &found, &it->near);
        dfl_task_add_completed(&it->json, it->near.linear.linear.why);
        write_json(&it->json, &found, &it->near);
        dfl_text_add(&it->json, "}\n");
    }
    clear(&found, it->ctx);
    return status;
}

/* A search starts at the given values, or near them if they contradict the constraints. */
static dfl_status find_start(dfl_task_state *near, const char *at)
{
    dfl_runnable *run = near->model.runnable;
    dfl_state_choice start = {.at = at};
    dfl_status status = dfl_study_state(&near->state, run, &near->settings, &start);
    if (status && at && status != DFL_NO_MEMORY && status != DFL_INVALID) {
        dfl_free(near->ctx, near->state.x);
        near->state.x = NULL;
        start.near = true;
        status = dfl_study_state(&near->state, run, &near->settings, &start);
    }
    return status;
}

static dfl_status search(values *out, dfl_task_state *near, const dfl_task_options *options,
                         const char *at)
{
    const dfl_derived *model = &near->model;
    dfl_context *ctx = model->model->ctx;
    dfl_status status = find_start(near, at);
    if (!status)
        status = dfl_study_equilibrium(&near->state.equilibrium, near->state.x, model->runnable,
                                       near->state.t, options->steady);
    if (!status)
        status = dfl_task_find_free(near, options);
    if (!status)
        status = dfl_modes_find(&out->modes, ctx, near->linear.linear.ny, near->linear.linear.A);
    if (!status)
        status = dfl_study_judge_zeros(&near->linear, model->runnable, near->state.x, &out->modes);
    if (!status)
        status = dfl_columns_create(&out->columns, model->eq);
    if (!status) {
        out->outputs = dfl_alloc(ctx, (size_t)out->columns.m, sizeof *out->outputs);
        status = out->outputs ? DFL_OK : DFL_NO_MEMORY;
    }
    if (!status)
        dfl_runnable_outputs(out->outputs, model->runnable, near->state.t, near->state.x);
    return status;
}

/* From the start of the script and from others around it: every equilibrium once. Starts from which
   none is found are left out, unless all are. */
static dfl_status search_often(dfl_text *text, dfl_text *json, dfl_task_state *near,
                               const dfl_task_options *options)
{
    dfl_context *ctx = near->ctx;
    const dfl_equations *eq = near->model.eq;
    const size_t np = (size_t)eq->np;
    if (!(options->starts >= 1 && options->starts <= MOST_STARTS) ||
        options->starts != floor(options->starts))
        return dfl_fail(ctx, DFL_INVALID, "--starts is %g; give a whole number from 1 to %d",
                        options->starts, MOST_STARTS);
    const int starts = (int)options->starts;
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
            search(&found, near, options, k > 0 ? dfl_text_string(&at) : options->at);
        const double *p = near->state.x ? near->state.x + eq->n - eq->np : NULL;
        if (k == 0 && p)
            memcpy(base, p, np * sizeof *p);
        if (result == DFL_NO_MEMORY)
            status = result;
        failure = failure ? failure : result;
        if (!result && !is_known(p, known + np, count, eq) &&
            !is_beside(p, known + np, count, near, &found.modes)) {
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
static void list_guesses(dfl_text *at, const dfl_task_state *near, const double *base, int start)
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

/* d loses what it has along a shape, which has lost its part along those before. */
static void remove_part(double *d, const double *shape, int n)
{
    double along = 0, square = 0;
    for (int i = 0; i < n; i++) {
        along += d[i] * shape[i];
        square += shape[i] * shape[i];
    }
    for (int i = 0; square > 1e-12 && i < n; i++)
        d[i] -= along / square * shape[i];
}

/* Whether an equilibrium is one of a row of them: it differs from a known one only in directions
   without stiffness, those of eigenvalues zero. */
static bool is_beside(const double *x, const double *known, int count, const dfl_task_state *near,
                      const dfl_modes *modes)
{
    const int np = near->model.eq->np;
    const size_t row = (size_t)np;
    double *shapes = dfl_alloc(near->ctx, row * (size_t)(modes->indifferent + 2), sizeof *shapes);
    double *d = shapes ? shapes + row * (size_t)modes->indifferent : NULL;
    bool beside = false;
    int free = 0;
    for (int k = 0; shapes && k < modes->count && free < modes->indifferent; k++) {
        const dfl_mode *mode = &modes->mode[k];
        double *shape = shapes + row * (size_t)free;
        if (hypot(mode->re, mode->im) > mode->doubt)
            continue;
        dfl_mode_shape(shape, d, &near->linear.linear, np, modes, k);
        for (int i = 0; i < free; i++)
            remove_part(shape, shapes + row * (size_t)i, np);
        free++;
    }
    for (int k = 0; free > 0 && !beside && k < count; k++) {
        double size = 0, left = 0;
        for (int i = 0; i < np; i++)
            size = fmax(size, fabs(d[i] = x[i] - known[(size_t)k * row + (size_t)i]));
        for (int i = 0; i < free; i++)
            remove_part(d, shapes + row * (size_t)i, np);
        for (int i = 0; i < np; i++)
            left = fmax(left, fabs(d[i]));
        beside = left <= 1e-6 * (1 + size);
    }
    dfl_free(near->ctx, shapes);
    return beside;
}

static void clear(values *found, dfl_context *ctx)
{
    dfl_columns_clear(&found->columns, ctx);
    dfl_free(ctx, found->outputs);
    dfl_modes_clear(&found->modes);
}

/* An equilibrium is judged by its modes if it is one for longer than this instant, on all sides of
   it. */
static bool is_judged(const dfl_task_state *near)
{
    return !near->linear.linear.changing;
}

static double value_of(const values *found, const dfl_task_state *near, int column)
{
    const int n = found->columns.n;
    return column < n ? near->state.x[found->columns.place[column]] : found->outputs[column - n];
}

static void write_text(dfl_text *text, const values *found, const dfl_task_state *near)
{
    const dfl_equilibrium *report = &near->state.equilibrium;
    dfl_text_add(text, "%s, %s", dfl_point_kind_name(near->linear.linear.kind),
                 dfl_study_stability(&near->linear, &found->modes));
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
static void write_json(dfl_text *text, const values *found, const dfl_task_state *near)
{
    const dfl_equilibrium *report = &near->state.equilibrium;
    if (is_judged(near))
        dfl_text_add(text, "\"stable\": %s, \"unstable\": %d, ",
                     found->modes.unstable ? "false" : "true", found->modes.unstable);
    else
        dfl_text_add(text, "\"stable\": null, \"unstable\": null, ");
    dfl_text_add(text, "\"stability\": \"%s\",\n \"iterations\": %d, \"residual\": ",
                 dfl_study_stability(&near->linear, &found->modes), report->iterations);
    dfl_json_number(text, report->residual);
    dfl_text_add(text, ", ");
    dfl_task_add_at(text, &near->linear);
    dfl_text_add(text, ",\n \"state\": {");
    for (int i = 0; i < found->columns.n + found->columns.m; i++) {
        dfl_text_add(text, i > 0 ? ",\n  " : "\n  ");
        dfl_json_string(text, found->columns.names[i]);
        dfl_text_add(text, ": ");
        dfl_json_number(text, value_of(found, near, i));
    }
    dfl_text_add(text, "}");
}
