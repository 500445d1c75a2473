/* checked.c: what a model is, and where it starts, as data. */
#include "model/checked.h"

#include <math.h>

static dfl_status create(dfl_checked **out, dfl_context *ctx, const dfl_model *model,
                         const dfl_check_options *options, bool whole);
static dfl_status look(dfl_checked *it, const dfl_model *model, const dfl_check_options *options,
                       bool whole);
static dfl_status derive(dfl_checked *it, const dfl_model *model, const dfl_check_options *options);
static dfl_status complete(dfl_checked *it);
static dfl_status list_values(dfl_checked *it);
static void fill_report(dfl_checked *it);

dfl_status dfl_model_check(dfl_checked **out, dfl_context *ctx, const dfl_model *model,
                           const dfl_check_options *options)
{
    return create(out, ctx, model, options, true);
}

dfl_status dfl_model_init(dfl_checked **out, dfl_context *ctx, const dfl_model *model,
                          const dfl_check_options *options)
{
    return create(out, ctx, model, options, false);
}

static dfl_status create(dfl_checked **out, dfl_context *ctx, const dfl_model *model,
                         const dfl_check_options *options, bool whole)
{
    static const dfl_check_options none = {0};
    if (out)
        *out = NULL;
    dfl_status status = dfl_check_call(out, ctx, model);
    if (status)
        return status;
    dfl_checked *it = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    it->ctx = it->text.ctx = it->json.ctx = it->lua.ctx = it->diagnosis.ctx = ctx;
    status = look(it, model, options ? options : &none, whole);
    if (status)
        dfl_checked_free(it);
    else
        *out = it;
    return status;
}

static dfl_status look(dfl_checked *it, const dfl_model *model, const dfl_check_options *options,
                       bool whole)
{
    dfl_status status = derive(it, model, options);
    if (!status)
        status = whole ? dfl_study_check(&it->diagnosis, it->derived.runnable, &it->settings)
                       : complete(it);
    if (!status)
        status = list_values(it);
    if (!status && whole)
        status = dfl_checked_list(it);
    if (status)
        return status;
    if (whole) {
        dfl_diagnosis_text(&it->text, it->derived.runnable, &it->settings, &it->diagnosis);
        dfl_diagnosis_json(&it->json, it->derived.runnable, &it->settings, &it->diagnosis);
    } else {
        dfl_initial_table(&it->text, it);
        dfl_initial_json(&it->json, it);
        dfl_initial_lua(&it->lua, it);
    }
    fill_report(it);
    status = it->text.status ? it->text.status : it->json.status;
    return status ? status : it->lua.status;
}

static dfl_status derive(dfl_checked *it, const dfl_model *model, const dfl_check_options *options)
{
    const dfl_derivation how = {.purpose = DFL_TO_START,
                                .nsettings = options->nsettings,
                                .settings = options->settings,
                                .start_from = options->start_from,
                                .prefix = options->prefix};
    const dfl_status status = dfl_derived_create(&it->derived, it->ctx, model, &how);
    return status ? status
                  : dfl_settings_resolve(&it->settings, &it->derived.choices, it->derived.runnable);
}

/* The start alone, where a diagnosis has it. */
static dfl_status complete(dfl_checked *it)
{
    const size_t n = (size_t)it->derived.eq->n;
    dfl_diagnosis *out = &it->diagnosis;
    dfl_solver *solver = NULL;
    out->x = dfl_alloc(it->ctx, n, sizeof *out->x);
    dfl_status status =
        out->x ? dfl_solver_create(&solver, it->ctx, dfl_runnable_eom(it->derived.runnable),
                                   &it->settings.solver)
               : DFL_NO_MEMORY;
    if (!status)
        status = dfl_study_start(out->x, NULL, it->derived.runnable, solver, &it->settings.solver,
                                 it->settings.from);
    dfl_solver_free(solver);
    return status;
}

static dfl_status list_values(dfl_checked *it)
{
    const size_t n = (size_t)it->derived.eq->n;
    double *given = dfl_alloc(it->ctx, n, sizeof *given);
    bool *held = dfl_alloc(it->ctx, n, sizeof *held);
    dfl_status status = dfl_columns_create(&it->columns, it->derived.eq);
    if (!status)
        it->values = dfl_alloc(it->ctx, (size_t)it->columns.n, sizeof *it->values);
    if (!status && (!given || !held || !it->values))
        status = DFL_NO_MEMORY;
    if (!status)
        dfl_study_given(given, held, it->derived.runnable);
    for (int i = 0; !status && i < it->columns.n; i++) {
        const int k = it->columns.place[i];
        it->values[i] =
            (dfl_value_at_start){.name = it->columns.names[i],
                                 .given = given[k],
                                 .held = held[k],
                                 .completed = it->diagnosis.x ? it->diagnosis.x[k] : NAN,
                                 .atol = it->diagnosis.atol ? it->diagnosis.atol[k] : NAN};
    }
    dfl_free(it->ctx, given);
    dfl_free(it->ctx, held);
    return status;
}

static void fill_report(dfl_checked *it)
{
    const dfl_equations *eq = it->derived.eq;
    const dfl_diagnosis *found = &it->diagnosis;
    const int verdict = dfl_diagnosis_verdict(found);
    it->report = (dfl_check_report){.verdict = (dfl_verdict)verdict,
                                    .verdict_text = dfl_verdict_text(verdict),
                                    .start_message = found->start ? found->start_message : NULL,
                                    .np = eq->np,
                                    .nv = eq->nv,
                                    .nr = eq->nr,
                                    .ns = eq->ns,
                                    .nw = eq->nw,
                                    .nl = eq->nl,
                                    .nm = eq->nm,
                                    .ne = eq->ne,
                                    .nep = eq->nep,
                                    .n0 = eq->n0,
                                    .dof_by_count = found->dof_by_count,
                                    .dof_by_rank = found->dof_by_rank,
                                    .rank = found->rank,
                                    .nfindings = it->nfindings,
                                    .findings = it->findings,
                                    .t = it->settings.from,
                                    .rtol = it->settings.solver.rtol,
                                    .nvalues = it->columns.n,
                                    .values = it->values,
                                    .text = dfl_text_string(&it->text),
                                    .json = dfl_text_string(&it->json),
                                    .lua = it->lua.length > 0 ? dfl_text_string(&it->lua) : NULL};
}

const dfl_check_report *dfl_checked_about(const dfl_checked *checked)
{
    return checked ? &checked->report : NULL;
}

void dfl_checked_free(dfl_checked *it)
{
    if (!it)
        return;
    dfl_checked_clear_list(it);
    dfl_free(it->ctx, it->values);
    dfl_columns_clear(&it->columns, it->ctx);
    dfl_text_clear(&it->text);
    dfl_text_clear(&it->json);
    dfl_text_clear(&it->lua);
    dfl_diagnosis_clear(&it->diagnosis);
    dfl_derived_clear(&it->derived);
    dfl_free(it->ctx, it);
}
