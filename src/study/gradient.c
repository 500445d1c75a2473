/* gradient.c: derivatives of outputs at the end of a run, by names. */
#include "study/gradient_internal.h"

static dfl_status find_parameters(dfl_gradient *out, gradient_run *it, const char *by);
static dfl_status find_outputs(dfl_gradient *out, dfl_expr *expr, dfl_runnable *run,
                               const char *const *of, int nof);

dfl_status dfl_study_gradient(dfl_gradient *out, dfl_runnable *run,
                              const struct dfl_settings *settings, const char *by,
                              const char *const *of, int nof, dfl_derivatives_how how,
                              const dfl_variation *variation, dfl_record *record)
{
    dfl_context *ctx = ctx_of(run);
    gradient_run it = {.run = run,
                       .settings = settings,
                       .variation = variation,
                       .nof = nof,
                       .how = how,
                       .record = record};
    *out = (dfl_gradient){.ctx = ctx};
    dfl_expr *expr = dfl_exprs(eq_of(run), nof);
    dfl_status status = expr ? find_parameters(out, &it, by) : DFL_NO_MEMORY;
    if (!status)
        status = find_outputs(out, expr, run, of, nof);
    if (!status) {
        out->value = dfl_alloc(ctx, (size_t)nof, sizeof *out->value);
        out->gradient = dfl_alloc(ctx, (size_t)nof * (size_t)it.count, sizeof *out->gradient);
        out->at = dfl_alloc(ctx, (size_t)it.count, sizeof *out->at);
        out->tolerance = dfl_alloc(ctx, (size_t)nof, sizeof *out->tolerance);
        status = out->value && out->gradient && out->at && out->tolerance ? DFL_OK : DFL_NO_MEMORY;
    }
    it.expr = expr;
    it.value = out->value;
    it.gradient = out->gradient;
    it.at = out->at;
    it.tolerance = out->tolerance;
    if (!status)
        status = dfl_gradient_follow(&it);
    out->t = it.t;
    out->steps = it.steps;
    out->backwards = it.backwards;
    dfl_free(ctx, it.followed);
    dfl_free(ctx, expr);
    return status;
}

void dfl_gradient_clear(dfl_gradient *gradient)
{
    dfl_context *ctx = gradient->ctx;
    if (!ctx)
        return;
    for (int i = 0; gradient->by && i < gradient->count; i++)
        dfl_free(ctx, gradient->by[i]);
    for (int i = 0; gradient->of && i < gradient->nof; i++)
        dfl_free(ctx, gradient->of[i]);
    dfl_free(ctx, gradient->by);
    dfl_free(ctx, gradient->of);
    dfl_free(ctx, gradient->value);
    dfl_free(ctx, gradient->gradient);
    dfl_free(ctx, gradient->at);
    dfl_free(ctx, gradient->tolerance);
    *gradient = (dfl_gradient){0};
}

static dfl_status find_parameters(dfl_gradient *out, gradient_run *it, const char *by)
{
    dfl_context *ctx = out->ctx;
    dfl_name_list list = {0};
    dfl_status status = dfl_name_list_split(&list, ctx, by);
    if (!status) {
        it->followed = dfl_alloc(ctx, (size_t)list.count, sizeof *it->followed);
        out->by = dfl_alloc(ctx, (size_t)list.count, sizeof *out->by);
        status = it->followed && out->by ? DFL_OK : DFL_NO_MEMORY;
    }
    for (int i = 0; !status && i < list.count; i++, out->count++) {
        out->by[i] = dfl_copy_string(ctx, list.name[i]);
        status = out->by[i] ? dfl_gradient_parameter(&it->followed[i], it, "--by", out->by[i])
                            : DFL_NO_MEMORY;
    }
    it->count = out->count;
    dfl_name_list_clear(&list, ctx);
    return status;
}

static dfl_status find_outputs(dfl_gradient *out, dfl_expr *expr, dfl_runnable *run,
                               const char *const *of, int nof)
{
    dfl_status status = DFL_OK;
    out->of = dfl_alloc(out->ctx, (size_t)nof, sizeof *out->of);
    if (!out->of)
        return DFL_NO_MEMORY;
    for (int i = 0; !status && i < nof; i++) {
        const char *found;
        status = dfl_study_output(&expr[i], &found, run, "--of", of[i]);
        if (!status && !(out->of[i] = dfl_copy_string(out->ctx, found)))
            status = DFL_NO_MEMORY;
        out->nof += !status;
    }
    return status;
}
