/* task_response.c: as `driftless response MODEL`: frequency response of inputs to outputs. */
#include "task/task_internal.h"

#include <math.h>

/* Frequencies and the response there, no x nu numbers each. */
typedef struct response {
    int count, poles; /* count 0: none are asked for */
    const double *omega;
    double *re, *im;
    dfl_task_kicks step, impulse;
} response;

static dfl_status check_questions(dfl_context *ctx, const dfl_task_options *options);
static dfl_status find_response(response *out, const dfl_task_state *near, dfl_context *ctx);
static void add_notice(dfl_text *text, const response *it, const dfl_linear_model *model);
static void write_table(dfl_text *text, const response *it, const dfl_linear_model *model);
static dfl_status write_json(dfl_text *text, const response *it, const dfl_task_state *near);
static void add_numbers(dfl_text *text, const char *key, const double *first, int count,
                        int distance);
static dfl_status add_poles(dfl_text *text, const dfl_task_state *near);
static dfl_status add_zeros(dfl_text *text, const dfl_linear_equations *linear, dfl_context *ctx,
                            int u, int o);
static dfl_status add_static_gain(dfl_text *text, const dfl_linear_equations *linear, int k);

dfl_status dfl_task_response(dfl_task *task)
{
    const dfl_task_options *options = &task->options;
    dfl_context *ctx = task->ctx;
    dfl_task_state *near = &task->near;
    response it = {.count = options->nomega, .omega = options->omega};
    dfl_status status = check_questions(ctx, options);
    if (!status)
        status = dfl_task_derive_dense(near, options, ".json .csv .html");
    if (!status)
        status = dfl_task_find(near, options);
    if (!status)
        status = dfl_task_find_linear(near, options);
    if (!status)
        status = find_response(&it, near, ctx);
    if (!status)
        status = dfl_task_kicks_find(&it.step, near, ctx, options, false);
    if (!status)
        status = dfl_task_kicks_find(&it.impulse, near, ctx, options, true);
    if (!status) {
        if (it.count > 0)
            write_table(&task->text, &it, &near->linear);
        else
            dfl_task_kicks_table(&task->text, &it.step, &it.impulse, &near->linear);
        status = write_json(&task->json, &it, near);
    }
    if (!status)
        status = dfl_task_write_pages(options, near, "response", &task->json, NULL);
    if (!status)
        add_notice(&task->note, &it, &near->linear);
    dfl_free(ctx, it.re);
    dfl_free(ctx, it.im);
    dfl_free(ctx, it.step.linear);
    dfl_free(ctx, it.impulse.linear);
    return status;
}

static dfl_status check_questions(dfl_context *ctx, const dfl_task_options *options)
{
    if (options->nomega == 0 && options->step == 0 && options->impulse == 0)
        return dfl_fail(ctx, DFL_INVALID, "a response to what? Give frequencies, or --step T");
    for (int i = 0; i < options->nomega; i++)
        if (!isfinite(options->omega[i]))
            return dfl_fail(ctx, DFL_INVALID, "frequency %d is %g", i, options->omega[i]);
    return DFL_OK;
}

static dfl_status find_response(response *out, const dfl_task_state *near, dfl_context *ctx)
{
    const dfl_linear_equations linear = dfl_linear_model_equations(&near->linear);
    const size_t each = (size_t)linear.no * (size_t)linear.nu, room = each * (size_t)out->count;
    if (linear.nu == 0)
        return dfl_fail(
            ctx, DFL_INVALID,
            "%s has no input; declare one with input(\"name\", 0) and use it in a force",
            near->model.model->path);
    if (out->count == 0)
        return DFL_OK;
    out->re = dfl_alloc(ctx, room, sizeof *out->re);
    out->im = dfl_alloc(ctx, room, sizeof *out->im);
    if (!out->re || !out->im)
        return DFL_NO_MEMORY;
    return dfl_frequency_response(out->re, out->im, &out->poles, ctx, &linear, out->omega,
                                  out->count);
}

/* What a reader of the numbers must know. */
static void add_notice(dfl_text *text, const response *it, const dfl_linear_model *model)
{
    const char *why = model->linear.why;
    if (why)
        dfl_text_add(text, "the response is that of the linear equations at this state (%s): %s",
                     dfl_point_kind_name(model->linear.kind), why);
    if (it->poles)
        dfl_text_add(text,
                     "%s%d of the frequencies %s an undamped pole, where the response is infinite",
                     why ? "; " : "", it->poles, it->poles > 1 ? "are" : "is");
}

/* omega, then magnitude, phase (continuous), real and imaginary part of each response. */
static void write_table(dfl_text *text, const response *it, const dfl_linear_model *model)
{
    const int no = model->no, each = no * model->linear.nu;
    static const char *const part[] = {"magnitude", "phase", "re", "im"};
    dfl_text_add(text, "omega");
    for (int k = 0; k < each; k++)
        for (int i = 0; i < 4; i++)
            dfl_text_add(text, ",\"%s/%s.%s\"", model->outputs[k % no], model->inputs[k / no],
                         part[i]);
    dfl_text_add(text, "\n");
    double *before = dfl_alloc(text->ctx, (size_t)each, sizeof *before);
    for (int i = 0; before && i < it->count; i++) {
        dfl_text_add(text, "%.17g", it->omega[i]);
        for (int k = 0; k < each; k++) {
            const double re = it->re[i * each + k], im = it->im[i * each + k];
            double phase = atan2(im, re);
            if (i > 0 && isfinite(phase) && isfinite(before[k])) /* without jumps of 2 pi */
                phase = before[k] + remainder(phase - before[k], 2 * 3.14159265358979323846);
            before[k] = isfinite(phase) ? phase : before[k];
            dfl_text_add(text, ",%.17g,%.17g,%.17g,%.17g", hypot(re, im), phase, re, im);
        }
        dfl_text_add(text, "\n");
    }
    if (!before)
        text->status = DFL_NO_MEMORY;
    dfl_free(text->ctx, before);
}

static dfl_status write_json(dfl_text *text, const response *it, const dfl_task_state *near)
{
    const dfl_linear_model *model = &near->linear;
    const dfl_linear_equations linear = dfl_linear_model_equations(model);
    const int no = linear.no, each = no * linear.nu;
    dfl_text notice = {.ctx = text->ctx};
    add_notice(&notice, it, model);
    dfl_task_add_completed(text, notice.length ? dfl_text_string(&notice) : NULL);
    dfl_text_clear(&notice);
    dfl_task_add_at(text, model);
    dfl_text_add(text, ",\n ");
    dfl_status status = add_poles(text, near);
    if (it->count > 0)
        add_numbers(text, "omega", it->omega, it->count, 1);
    else
        dfl_text_add(text, "\"omega\": []");
    dfl_text_add(text, ",\n \"response\": [");
    for (int k = 0; !status && k < each; k++) {
        dfl_text_add(text, k > 0 ? ",\n  {\"from\": " : "\n  {\"from\": ");
        dfl_json_string(text, model->inputs[k / no]);
        dfl_text_add(text, ", \"to\": ");
        dfl_json_string(text, model->outputs[k % no]);
        dfl_text_add(text, ", ");
        status = add_zeros(text, &linear, text->ctx, k / no, k % no);
        status = status ? status : add_static_gain(text, &linear, k);
        add_numbers(text, "re", it->re ? it->re + k : NULL, it->count, each);
        dfl_text_add(text, ", ");
        add_numbers(text, "im", it->im ? it->im + k : NULL, it->count, each);
        dfl_text_add(text, "}");
    }
    dfl_text_add(text, "]");
    dfl_task_kicks_json(text, &it->step, model);
    dfl_task_kicks_json(text, &it->impulse, model);
    dfl_text_add(text, "}\n");
    return status;
}

static void add_numbers(dfl_text *text, const char *key, const double *first, int count,
                        int distance)
{
    dfl_text_add(text, "\"%s\": [", key);
    for (int i = 0; i < count; i++) {
        dfl_text_add(text, i > 0 ? ", " : "");
        dfl_json_number(text, first[(size_t)i * (size_t)distance]);
    }
    dfl_text_add(text, "]");
}

static dfl_status add_poles(dfl_text *text, const dfl_task_state *near)
{
    dfl_modes modes = {0};
    const dfl_linearized *linear = &near->linear.linear;
    const dfl_status status = dfl_modes_find(&modes, text->ctx, linear->ny, linear->A);
    if (!status) {
        dfl_task_add_eigenvalues(text, "poles", &modes);
        dfl_text_add(text, ",\n ");
    }
    dfl_modes_clear(&modes);
    return status;
}

/* The response to an input that stays, or null: number k of them. */
static dfl_status add_static_gain(dfl_text *text, const dfl_linear_equations *linear, int k)
{
    const double zero = 0;
    const size_t each = (size_t)linear->no * (size_t)linear->nu;
    double *re = dfl_alloc(text->ctx, 2 * each, sizeof *re);
    const dfl_status status =
        re ? dfl_frequency_response(re, re + each, NULL, text->ctx, linear, &zero, 1)
           : DFL_NO_MEMORY;
    dfl_text_add(text, "\"gain\": ");
    dfl_json_number(text, status ? NAN : re[k]);
    dfl_text_add(text, ", ");
    dfl_free(text->ctx, re);
    return status;
}

/* The zeros of one response. */
static dfl_status add_zeros(dfl_text *text, const dfl_linear_equations *linear, dfl_context *ctx,
                            int u, int o)
{
    int count = 0;
    const size_t room = (size_t)linear->ny + 1;
    double *re = dfl_alloc(ctx, 2 * room, sizeof *re);
    dfl_status status =
        re ? dfl_transmission_zeros(re, re + room, &count, ctx, linear, u, o) : DFL_NO_MEMORY;
    dfl_text_add(text, "\"zeros\": [");
    for (int i = 0; !status && i < count; i++) {
        dfl_text_add(text, i > 0 ? ", {\"re\": " : "{\"re\": ");
        dfl_json_number(text, re[i]);
        dfl_text_add(text, ", \"im\": ");
        dfl_json_number(text, re[room + (size_t)i]);
        dfl_text_add(text, "}");
    }
    dfl_text_add(text, "], ");
    dfl_free(ctx, re);
    return status;
}
