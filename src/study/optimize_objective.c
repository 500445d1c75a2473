/* optimize_objective.c: the objective of optimize{} and its limits as functions of what varies,
   with their gradients: one run. */
#include "study/optimize_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

dfl_status dfl_outcome_create(outcome *out, const objective *it)
{
    const size_t m = (size_t)(it->nof - it->nmeasures), count = (size_t)it->count;
    const size_t limits = (size_t)it->nlimits;
    *out = (outcome){.value = NAN,
                     .slope = dfl_alloc(it->ctx, count, sizeof(double)),
                     .residual = dfl_alloc(it->ctx, m, sizeof(double)),
                     .J = dfl_alloc(it->ctx, m * count, sizeof(double)),
                     .limit = dfl_alloc(it->ctx, limits, sizeof(double)),
                     .limit_slope = dfl_alloc(it->ctx, limits * count, sizeof(double))};
    return out->slope && out->residual && out->J && out->limit && out->limit_slope ? DFL_OK
                                                                                   : DFL_NO_MEMORY;
}

void dfl_outcome_clear(outcome *out, const objective *it)
{
    dfl_free(it->ctx, out->slope);
    dfl_free(it->ctx, out->residual);
    dfl_free(it->ctx, out->J);
    dfl_free(it->ctx, out->limit);
    dfl_free(it->ctx, out->limit_slope);
    *out = (outcome){0};
}

void dfl_outcome_copy(outcome *to, const objective *it, const outcome *from)
{
    const size_t m = (size_t)(it->nof - it->nmeasures), count = (size_t)it->count;
    const size_t limits = (size_t)it->nlimits, d = sizeof(double);
    to->value = from->value;
    memcpy(to->slope, from->slope, count * d);
    memcpy(to->residual, from->residual, m * d);
    memcpy(to->J, from->J, m * count * d);
    memcpy(to->limit, from->limit, limits * d);
    memcpy(to->limit_slope, from->limit_slope, limits * count * d);
}

double dfl_outcome_violation(const objective *it, const outcome *at)
{
    double worst = 0;
    for (int i = 0; i < it->nlimits; i++)
        worst =
            fmax(worst, it->model->goals.limits.item[i].equal ? fabs(at->limit[i]) : at->limit[i]);
    return worst;
}

bool dfl_outcome_is_better(const objective *it, const outcome *at, const outcome *best)
{
    const double slack = 1e-6, here = dfl_outcome_violation(it, at);
    const double there = dfl_outcome_violation(it, best);
    if (fmax(here, there) > slack && here != there)
        return here < there;
    return at->value < best->value;
}

/* What is measured, as expressions at times. */
static dfl_status list_values(dfl_expr *expr, double *when, const objective *it, dfl_runnable *run,
                              const dfl_settings *settings)
{
    const dfl_goals *goals = &eq_of(run)->model->goals;
    int k = 0;
    for (; k < it->nmeasures; k++) {
        expr[k] = goals->measures.item[k].expr;
        when[k] = goals->measures.item[k].peak ? it->peak[k].t : goals->measures.item[k].t;
        if (goals->measures.item[k].peak) {
            const dfl_status status = dfl_runnable_branch_of(&expr[k], run, expr[k]);
            if (status)
                return status;
        }
    }
    for (int i = 0; i < goals->measured.count; i++) {
        const dfl_measured *data = &goals->measured.item[i];
        const char *found;
        dfl_expr of;
        const dfl_status status = dfl_study_output(&of, &found, run, "optimize: fit", data->name);
        if (status)
            return status;
        for (int j = 0; j < data->count; j++, k++) {
            expr[k] = of;
            when[k] = data->time[j];
        }
    }
    for (int i = 0; i < it->nof; i++)
        if (when[i] < settings->from || when[i] > settings->to)
            return dfl_fail(it->ctx, DFL_INVALID,
                            "optimize: t = %g is outside of the run from %g to %g", when[i],
                            settings->from, settings->to);
    return DFL_OK;
}

/* An expression of measures and of what varies, which are parameters of the model: its value, and
   slope (count, `stride` apart) += its derivatives. symbols, slopes: workspace for both. */
static dfl_status add_expression(double *value, double *slope, int stride, const objective *it,
                                 gradient_run *run, dfl_expr expr, const dfl_expr *symbols,
                                 double *slopes)
{
    const int nm = it->nmeasures, count = it->count;
    double *x = dfl_alloc(it->ctx, (size_t)eq_of(run->run)->n, sizeof *x);
    dfl_status status =
        x ? dfl_runnable_values(value, run->run, &expr, 1, run->t, x, NULL) : DFL_NO_MEMORY;
    if (!status)
        status =
            dfl_runnable_slopes(slopes, run->run, &expr, 1, symbols, nm + count, run->t, x, NULL);
    for (int j = 0; !status && j < count; j++) {
        double sum = slopes[nm + j];
        for (int k = 0; k < nm; k++)
            sum += slopes[k] * run->gradient[(size_t)j * (size_t)run->nof + (size_t)k];
        slope[j * stride] += sum;
    }
    dfl_free(it->ctx, x);
    return status;
}

/* What is minimized, and the limits. */
static dfl_status add_expressions(outcome *out, const objective *it, gradient_run *run)
{
    const dfl_goals *goals = &eq_of(run->run)->model->goals;
    const int nm = it->nmeasures, count = it->count;
    dfl_expr *symbols = dfl_exprs(eq_of(run->run), nm + count);
    double *slopes = dfl_alloc(it->ctx, (size_t)(nm + count), sizeof *slopes), value = 0;
    dfl_status status = symbols && slopes ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < nm; k++) {
        symbols[k] = goals->measures.item[k].symbol;
        status =
            dfl_runnable_set(run->run, DFL_A_PARAM, goals->measures.item[k].param, run->value[k]);
    }
    for (int j = 0; !status && j < count; j++)
        symbols[nm + j] = run->followed[j].symbol;
    if (!status && goals->minimize != DFL_NO_EXPR)
        status = add_expression(&value, out->slope, 1, it, run, goals->minimize, symbols, slopes);
    out->value += value;
    memset(out->limit_slope, 0, (size_t)(it->nlimits * count) * sizeof *out->limit_slope);
    for (int i = 0; !status && i < it->nlimits; i++)
        status = add_expression(&out->limit[i], out->limit_slope + i, it->nlimits, it, run,
                                goals->limits.item[i].expr, symbols, slopes);
    dfl_free(it->ctx, symbols);
    dfl_free(it->ctx, slopes);
    return status;
}

/* Whether events whose times are wanted have happened. */
static dfl_status check_measures(const objective *it, gradient_run *run)
{
    const dfl_model *model = eq_of(run->run)->model;
    for (int k = 0; k < it->nmeasures; k++) {
        const dfl_measure *measure = &model->goals.measures.item[k];
        double times;
        if (measure->met == DFL_NO_EXPR)
            continue;
        const dfl_status status =
            dfl_runnable_values(&times, run->run, &measure->met, 1, run->t, NULL, NULL);
        if (!status && times < measure->wanted)
            return dfl_fail(it->ctx, DFL_INVALID,
                            "optimize: event '%s' happens %.0f times in the run, not %d",
                            model->declarations.item[measure->event].name, times, measure->wanted);
        if (status)
            return status;
    }
    return DFL_OK;
}

/* The sum of squares of weighted residuals. */
static void add_squares(outcome *out, const objective *it, const gradient_run *run)
{
    const dfl_goals *goals = &it->model->goals;
    const int m = it->nof - it->nmeasures;
    int k = 0;
    for (int i = 0; i < goals->measured.count; i++)
        for (int j = 0; j < goals->measured.item[i].count; j++, k++) {
            const double weight = goals->measured.item[i].weight;
            const size_t row = (size_t)(it->nmeasures + k);
            const double r = weight * (run->value[row] - goals->measured.item[i].value[j]) -
                             (it->shift ? it->shift[k] : 0);
            out->residual[k] = r;
            out->value += r * r;
            for (int c = 0; c < it->count; c++) {
                const double s = weight * run->gradient[(size_t)c * (size_t)run->nof + row];
                out->J[(size_t)c * (size_t)m + (size_t)k] = s;
                out->slope[c] += 2 * r * s;
            }
        }
}

/* From derivatives by the parameters to those by z. */
static void scale(outcome *out, const objective *it)
{
    const size_t m = (size_t)(it->nof - it->nmeasures);
    for (int c = 0; c < it->count; c++) {
        const dfl_varied *varied = &it->model->goals.varied.item[c];
        out->slope[c] *= varied->high - varied->low;
        for (size_t k = 0; k < m; k++)
            out->J[(size_t)c * m + k] *= varied->high - varied->low;
        for (int k = 0; k < it->nlimits; k++)
            out->limit_slope[c * it->nlimits + k] *= varied->high - varied->low;
    }
}

static dfl_status run_at(outcome *out, objective *it, gradient_run *run,
                         const dfl_settings *settings)
{
    const size_t nof = (size_t)(it->nof + dfl_instants_count(it)), d = sizeof(double);
    dfl_expr *expr = dfl_exprs(eq_of(run->run), (int)nof);
    double *when = dfl_alloc(it->ctx, nof, d);
    int *instant = dfl_alloc(it->ctx, nof, sizeof *instant);
    run->value = dfl_alloc(it->ctx, nof, d);
    run->gradient = dfl_alloc(it->ctx, nof * (size_t)it->count, d);
    run->rate = dfl_alloc(it->ctx, nof, d);
    run->expr = expr;
    run->when = when;
    run->instant = (int)nof > it->nof ? instant : NULL;
    run->nof = (int)nof;
    run->count = it->count;
    run->how = it->how;
    dfl_status status = expr && when && instant && run->value && run->gradient && run->rate
                            ? DFL_OK
                            : DFL_NO_MEMORY;
    if (!status)
        status = list_values(expr, when, it, run->run, settings);
    if (!status)
        dfl_instants_list(expr, when, instant, it, run->run);
    for (int i = 0; !status && i < it->count; i++)
        status = dfl_gradient_parameter(&run->followed[i], run, "optimize: vary",
                                        it->model->goals.varied.item[i].name);
    if (!status)
        status = dfl_gradient_follow(run);
    if (!status)
        status = dfl_instants_join(run, it);
    if (!status)
        status = check_measures(it, run);
    if (!status) {
        out->value = 0;
        memset(out->slope, 0, (size_t)it->count * sizeof *out->slope);
        add_squares(out, it, run);
        status = add_expressions(out, it, run);
        scale(out, it);
    }
    dfl_free(it->ctx, expr);
    dfl_free(it->ctx, when);
    dfl_free(it->ctx, instant);
    dfl_free(it->ctx, run->rate);
    dfl_free(it->ctx, run->value);
    dfl_free(it->ctx, run->gradient);
    return status;
}

dfl_status dfl_objective_evaluate(outcome *out, objective *it, const double *z)
{
    enum { ROOM = 200 };
    const size_t count = (size_t)it->count;
    dfl_loaded loaded = {0};
    dfl_settings settings;
    char *text = dfl_alloc(it->ctx, count * ROOM, 1);
    const char **fixed = dfl_alloc(it->ctx, count, sizeof *fixed);
    gradient_run run = {.settings = &settings,
                        .variation = it->variation,
                        .fixed = fixed,
                        .nfixed = it->count,
                        .followed = dfl_alloc(it->ctx, count, sizeof *run.followed)};
    dfl_status status = text && fixed && run.followed ? DFL_OK : DFL_NO_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        fixed[i] = text + i * ROOM;
        snprintf(text + i * ROOM, ROOM, "%s=%.17g", it->model->goals.varied.item[i].name,
                 dfl_varied_value(it, z, (int)i));
    }
    if (!status)
        status = it->variation->load(&loaded, fixed, it->count, it->variation->user);
    run.run = loaded.run;
    if (!status)
        status = dfl_settings_resolve(&settings, it->choices, run.run);
    it->out->runs++;
    out->value = INFINITY;
    if (!status && it->peaks)
        status = dfl_objective_peaks(it->peak, it, fixed);
    if (!status)
        status = run_at(out, it, &run, &settings);
    if (!status && !isfinite(out->value))
        status = dfl_fail(it->ctx, DFL_NOT_FINITE,
                          "optimize: what is minimized is %s; look for logarithms, roots and "
                          "divisions of measures",
                          isnan(out->value) ? "not a number" : "infinite");
    dfl_loaded_clear(&loaded);
    dfl_free(it->ctx, text);
    dfl_free(it->ctx, fixed);
    dfl_free(it->ctx, run.followed);
    return dfl_interrupted(it->ctx) ? DFL_STOPPED : status;
}
