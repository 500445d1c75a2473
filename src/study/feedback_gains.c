/* feedback_gains.c: state feedback of a script's model near a state, with weights by name. */
#include "study/study_internal.h"

static dfl_status allocate(dfl_feedback *out, size_t ny, size_t nu);
static dfl_status check_reached(const dfl_feedback *it);
static void close_loop(dfl_feedback *it, const dfl_linear_equations *linear);
static int count_hidden(const double *part, int count);

dfl_status dfl_study_feedback(dfl_feedback *out, const dfl_linear_model *model, dfl_runnable *run,
                              const char *state_weight, const char *input_weight)
{
    const dfl_linear_equations linear = dfl_linear_model_equations(model);
    dfl_context *ctx = ctx_of(run);
    *out = (dfl_feedback){.ctx = ctx};
    if (linear.nu == 0)
        return dfl_fail(
            ctx, DFL_INVALID,
            "%s has no input; declare one with input(\"name\", 0) and use it in a force",
            eq_of(run)->model->path);
    dfl_status status = allocate(out, (size_t)linear.ny, (size_t)linear.nu);
    if (!status)
        status = dfl_study_weights(out->Q, out->R, model, run, state_weight, input_weight);
    if (!status)
        status = dfl_modes_find(&out->open, ctx, linear.ny, linear.A);
    if (!status)
        status = dfl_mode_access(out->reached, out->shown, ctx, &linear, &out->open);
    if (!status)
        status = check_reached(out);
    if (!status)
        status = dfl_lqr(out->K, ctx, &linear, out->Q, out->R);
    if (status)
        return status;
    out->unreached = count_hidden(out->reached, linear.ny);
    out->unshown = count_hidden(out->shown, linear.ny);
    close_loop(out, &linear);
    return dfl_modes_find(&out->poles, ctx, linear.ny, out->closed);
}

void dfl_feedback_clear(dfl_feedback *it)
{
    double *const block[] = {it->Q, it->R, it->K, it->closed, it->reached, it->shown};
    if (!it->ctx)
        return;
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(it->ctx, block[i]);
    dfl_modes_clear(&it->open);
    dfl_modes_clear(&it->poles);
    *it = (dfl_feedback){0};
}

static dfl_status allocate(dfl_feedback *out, size_t ny, size_t nu)
{
    dfl_context *ctx = out->ctx;
    out->Q = dfl_alloc(ctx, ny * ny, sizeof(double));
    out->R = dfl_alloc(ctx, nu * nu, sizeof(double));
    out->K = dfl_alloc(ctx, nu * ny, sizeof(double));
    out->closed = dfl_alloc(ctx, ny * ny, sizeof(double));
    out->reached = dfl_alloc(ctx, ny, sizeof(double));
    out->shown = dfl_alloc(ctx, ny, sizeof(double));
    return out->Q && out->R && out->K && out->closed && out->reached && out->shown ? DFL_OK
                                                                                   : DFL_NO_MEMORY;
}

/* A mode that does not decay by itself must be reached by an input. */
static dfl_status check_reached(const dfl_feedback *it)
{
    for (int i = 0; i < it->open.count; i++) {
        const dfl_mode *mode = &it->open.mode[i];
        if (it->reached[i] <= DFL_HIDDEN_PART && mode->re >= -mode->doubt)
            return dfl_fail(it->ctx, DFL_SINGULAR,
                            "no input reaches the mode with the eigenvalue %.6g %+.6g i, which "
                            "does not decay by itself; feedback cannot make it stable",
                            mode->re, mode->im);
    }
    return DFL_OK;
}

static void close_loop(dfl_feedback *it, const dfl_linear_equations *linear)
{
    const int ny = linear->ny, nu = linear->nu;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < ny; i++) {
            double sum = linear->A[j * ny + i];
            for (int k = 0; k < nu; k++)
                sum -= linear->B[k * ny + i] * it->K[j * nu + k];
            it->closed[j * ny + i] = sum;
        }
}

static int count_hidden(const double *part, int count)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found += part[i] <= DFL_HIDDEN_PART;
    return found;
}
