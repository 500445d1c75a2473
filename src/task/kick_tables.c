/* kick_tables.c: outputs after steps and impulses of inputs, by the linear equations and by the
   model itself. */
#include "task/task_internal.h"

#include <math.h>
#include <string.h>

static dfl_status find_kicks(dfl_task_kicks *out, dfl_task_state *near, dfl_context *ctx,
                             double duration, const dfl_task_options *options);
static void add_list(dfl_text *json, const char *key, const double *first, int count,
                     size_t distance);

dfl_status dfl_task_kicks_find(dfl_task_kicks *out, dfl_task_state *near, dfl_context *ctx,
                               const dfl_task_options *options, bool impulse)
{
    const double duration = impulse ? options->impulse : options->step;
    *out = (dfl_task_kicks){.impulse = impulse};
    if (duration == 0)
        return DFL_OK;
    if (near->linear.linear.kind == DFL_AT_FROZEN)
        return dfl_fail(ctx, DFL_INVALID,
                        "--%s compares with a model at rest or in steady motion, and this state is "
                        "neither; give --at equilibrium",
                        impulse ? "impulse" : "step");
    if (!(duration > 0 && isfinite(duration)) || !isfinite(options->size) || options->points < 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "--%s is %g, --size %g, --points %d: give numbers above 0",
                        impulse ? "impulse" : "step", duration, options->size, options->points);
    return find_kicks(out, near, ctx, duration, options);
}

static dfl_status find_kicks(dfl_task_kicks *out, dfl_task_state *near, dfl_context *ctx,
                             double duration, const dfl_task_options *options)
{
    const dfl_linear_equations linear = dfl_linear_model_equations(&near->linear);
    out->size = options->size == 0 ? 1 : options->size;
    out->count = options->points == 0 ? 200 : options->points;
    out->count = out->count < 2 ? 2 : out->count;
    out->every = duration / (out->count - 1);
    const size_t each = (size_t)out->count * (size_t)linear.no, nu = (size_t)linear.nu;
    out->linear = dfl_alloc(ctx, 2 * each * nu, sizeof *out->linear);
    if (!out->linear)
        return DFL_NO_MEMORY;
    out->nonlinear = out->linear + each * nu;
    const dfl_kick kick = {out->impulse, out->size, out->every, out->count};
    dfl_status status = DFL_OK;
    for (int u = 0; !status && u < linear.nu; u++) {
        const size_t first = (size_t)u * each;
        status = dfl_time_response(out->linear + first, ctx, &linear, u, out->impulse, out->every,
                                   out->count);
        if (!status)
            status = dfl_study_kick(out->nonlinear + first, near->model.runnable, &near->linear,
                                    &near->state, &near->settings, u, &kick);
    }
    return status;
}

void dfl_task_kicks_json(dfl_text *json, const dfl_task_kicks *it, const dfl_linear_model *model)
{
    const size_t no = (size_t)model->no, each = (size_t)it->count * no;
    if (!it->linear)
        return;
    dfl_text_add(json, ",\n \"%s\": {\"size\": ", it->impulse ? "impulse" : "step");
    dfl_json_number(json, it->size);
    dfl_text_add(json, ", \"t\": [");
    for (int i = 0; i < it->count; i++) {
        dfl_text_add(json, i > 0 ? ", " : "");
        dfl_json_number(json, i * it->every);
    }
    dfl_text_add(json, "], \"response\": [");
    for (int u = 0; u < model->linear.nu; u++)
        for (size_t o = 0; o < no; o++) {
            dfl_text_add(json, u > 0 || o > 0 ? ",\n  {\"from\": " : "\n  {\"from\": ");
            dfl_json_string(json, model->inputs[u]);
            dfl_text_add(json, ", \"to\": ");
            dfl_json_string(json, model->outputs[o]);
            add_list(json, "linear", it->linear + (size_t)u * each + o, it->count, no);
            add_list(json, "nonlinear", it->nonlinear + (size_t)u * each + o, it->count, no);
            dfl_text_add(json, "}");
        }
    dfl_text_add(json, "]}");
}

static void add_head(dfl_text *text, const dfl_task_kicks *it, const dfl_linear_model *model,
                     const char *time)
{
    const char *kind = it->impulse ? "impulse" : "step";
    dfl_text_add(text, "%s", time);
    for (int u = 0; u < model->linear.nu; u++)
        for (int o = 0; o < model->no; o++)
            dfl_text_add(text, ",\"%s/%s.%s.linear\",\"%s/%s.%s.nonlinear\"", model->outputs[o],
                         model->inputs[u], kind, model->outputs[o], model->inputs[u], kind);
}

static void add_row(dfl_text *text, const dfl_task_kicks *it, const dfl_linear_model *model, int k)
{
    const size_t no = (size_t)model->no, each = (size_t)it->count * no;
    dfl_text_add(text, "%.17g", k * it->every);
    for (int u = 0; u < model->linear.nu; u++)
        for (size_t o = 0; o < no; o++) {
            const size_t at = (size_t)u * each + (size_t)k * no + o;
            dfl_text_add(text, ",%.17g,%.17g", it->linear[at], it->nonlinear[at]);
        }
}

void dfl_task_kicks_table(dfl_text *text, const dfl_task_kicks *step, const dfl_task_kicks *impulse,
                          const dfl_linear_model *model)
{
    const dfl_task_kicks *first = step->linear ? step : impulse;
    const bool both = step->linear && impulse->linear;
    if (!first->linear)
        return;
    add_head(text, first, model, "time");
    if (both)
        add_head(text, impulse, model, ",\"impulse.time\"");
    dfl_text_add(text, "\n");
    for (int k = 0; k < first->count; k++) { /* both have the same number of times */
        add_row(text, first, model, k);
        dfl_text_add(text, both ? "," : "");
        if (both)
            add_row(text, impulse, model, k);
        dfl_text_add(text, "\n");
    }
}

static void add_list(dfl_text *json, const char *key, const double *first, int count,
                     size_t distance)
{
    dfl_text_add(json, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        dfl_text_add(json, i > 0 ? ", " : "");
        dfl_json_number(json, first[(size_t)i * distance]);
    }
    dfl_text_add(json, "]");
}
