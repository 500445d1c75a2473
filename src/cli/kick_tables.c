/* kick_tables.c: outputs after steps and impulses of inputs, by the linear equations and by the model itself. */
#include "cli/cli.h"

#include "result/result.h"

#include <math.h>
#include <string.h>

static dfl_status find_kicks(cli_kicks *out, cli_near *near, dfl_context *ctx, double duration,
                             const cli_arguments *arguments);
static void add_list(dfl_text *json, const char *key, const double *first, int count,
                     size_t distance);

dfl_status cli_kicks_find(cli_kicks *out, cli_near *near, dfl_context *ctx,
                          const cli_arguments *arguments, bool impulse)
{
    const double duration = impulse ? arguments->impulse : arguments->step;
    *out = (cli_kicks){.impulse = impulse};
    if (isnan(duration))
        return DFL_OK;
    if (near->linear.linear.kind == DFL_AT_FROZEN)
        return dfl_fail(ctx, DFL_INVALID,
                        "--%s compares with a model at rest or in steady motion, and this state is "
                        "neither; give --at equilibrium",
                        impulse ? "impulse" : "step");
    if (arguments->size == 0)
        return dfl_fail(ctx, DFL_INVALID, "--size is 0; give another number");
    return find_kicks(out, near, ctx, duration, arguments);
}

static dfl_status find_kicks(cli_kicks *out, cli_near *near, dfl_context *ctx, double duration,
                             const cli_arguments *arguments)
{
    const dfl_linear_equations linear = dfl_linear_model_equations(&near->linear);
    out->size = isnan(arguments->size) ? 1 : arguments->size;
    out->count = isnan(arguments->points) ? 200 : (int)arguments->points;
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
            status = dfl_study_kick(out->nonlinear + first, near->model.run, &near->linear,
                                    &near->state, &near->settings, u, &kick);
    }
    return status;
}

void cli_kicks_json(dfl_text *json, const cli_kicks *it, const dfl_linear_model *model)
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

void cli_kicks_table(dfl_text *text, const cli_kicks *it, const dfl_linear_model *model)
{
    const size_t no = (size_t)model->no, each = (size_t)it->count * no;
    const char *kind = it->impulse ? "impulse" : "step";
    if (!it->linear)
        return;
    dfl_text_add(text, "time");
    for (int u = 0; u < model->linear.nu; u++)
        for (size_t o = 0; o < no; o++)
            dfl_text_add(text, ",\"%s/%s.%s.linear\",\"%s/%s.%s.nonlinear\"", model->outputs[o],
                         model->inputs[u], kind, model->outputs[o], model->inputs[u], kind);
    dfl_text_add(text, "\n");
    for (int k = 0; k < it->count; k++) {
        dfl_text_add(text, "%.17g", k * it->every);
        for (int u = 0; u < model->linear.nu; u++)
            for (size_t o = 0; o < no; o++) {
                const size_t at = (size_t)u * each + (size_t)k * no + o;
                dfl_text_add(text, ",%.17g,%.17g", it->linear[at], it->nonlinear[at]);
            }
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
