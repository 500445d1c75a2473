/* optimize.c: the objective of optimize{} as a function of what varies, with its gradient. */
#include "study/optimize_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status prepare(objective *it, double *z);
static dfl_status find_start(objective *it, double *z);
static dfl_status conclude(objective *it, const double *z, const outcome *at);
static dfl_status find_deviations(objective *it, const outcome *at);

dfl_status dfl_study_optimize(dfl_optimum *out, const dfl_model *model, const dfl_choices *choices,
                              const dfl_variation *variation, dfl_iteration_fn tell, void *user)
{
    const dfl_goals *goals = &model->goals;
    objective it = {.ctx = model->ctx,
                    .model = model,
                    .choices = choices,
                    .variation = variation,
                    .out = out,
                    .count = goals->varied.count,
                    .nmeasures = goals->measures.count,
                    .tolerance = isnan(goals->tolerance) ? 1e-8 : goals->tolerance,
                    .tell = tell,
                    .user = user};
    outcome at = {0};
    *out = (dfl_optimum){.ctx = model->ctx, .count = goals->varied.count};
    if (goals->line == 0)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "%s says nothing about what to optimize; add optimize{ vary = { L = {0.5, "
                        "2} }, minimize = final(x^2) }",
                        model->path);
    double *z = dfl_alloc(model->ctx, (size_t)it.count, sizeof *z);
    dfl_status status = z ? prepare(&it, z) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_outcome_create(&at, &it);
    if (!status)
        status = dfl_objective_evaluate(&at, &it, z);
    out->first = at.value;
    if (!status)
        status = goals->minimize == DFL_NO_EXPR ? dfl_search_squares(&at, &it, z)
                                                : dfl_search_descent(&at, &it, z);
    if (!status || status == DFL_STOPPED) {
        const dfl_status end = conclude(&it, z, &at);
        status = end ? end : status;
    }
    dfl_outcome_clear(&at, &it);
    dfl_free(model->ctx, z);
    return status;
}

void dfl_optimum_clear(dfl_optimum *optimum)
{
    dfl_context *ctx = optimum->ctx;
    if (!ctx)
        return;
    dfl_free(ctx, optimum->names);
    dfl_free(ctx, optimum->start);
    dfl_free(ctx, optimum->best);
    dfl_free(ctx, optimum->deviation);
    dfl_free(ctx, optimum->at_bound);
    *optimum = (dfl_optimum){0};
}

dfl_status dfl_outcome_create(outcome *out, const objective *it)
{
    const size_t m = (size_t)(it->nof - it->nmeasures), count = (size_t)it->count;
    *out = (outcome){.value = NAN,
                     .slope = dfl_alloc(it->ctx, count, sizeof(double)),
                     .residual = dfl_alloc(it->ctx, m, sizeof(double)),
                     .J = dfl_alloc(it->ctx, m * count, sizeof(double))};
    return out->slope && out->residual && out->J ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_outcome_clear(outcome *out, const objective *it)
{
    dfl_free(it->ctx, out->slope);
    dfl_free(it->ctx, out->residual);
    dfl_free(it->ctx, out->J);
    *out = (outcome){0};
}

static dfl_status prepare(objective *it, double *z)
{
    dfl_optimum *out = it->out;
    const size_t count = (size_t)it->count;
    out->names = dfl_alloc(it->ctx, count, sizeof *out->names);
    out->start = dfl_alloc(it->ctx, count, sizeof *out->start);
    out->best = dfl_alloc(it->ctx, count, sizeof *out->best);
    out->deviation = dfl_alloc(it->ctx, count, sizeof *out->deviation);
    out->at_bound = dfl_alloc(it->ctx, count, sizeof *out->at_bound);
    if (!out->names || !out->start || !out->best || !out->deviation || !out->at_bound)
        return DFL_NO_MEMORY;
    it->nof = it->nmeasures;
    for (int i = 0; i < it->model->goals.measured.count; i++)
        it->nof += it->model->goals.measured.item[i].count;
    out->residuals = it->nof - it->nmeasures;
    return find_start(it, z);
}

/* The values of the script, or of its start for initial values, inside the bounds. */
static dfl_status find_start(objective *it, double *z)
{
    dfl_loaded loaded = {0};
    dfl_start_state start = {0};
    dfl_status status = it->variation->load(&loaded, NULL, 0, it->variation->user);
    if (!status)
        status = dfl_start_state_find(&start, loaded.eq);
    if (!status && start.problem)
        status = dfl_fail(it->ctx, DFL_INCONSISTENT, "%s", start.problem);
    const gradient_run names = {.run = loaded.run};
    for (int i = 0; !status && i < it->count; i++) {
        const dfl_varied *varied = &it->model->goals.varied.item[i];
        followed by;
        status = dfl_gradient_parameter(&by, &names, "optimize: vary", varied->name);
        if (status)
            break;
        const double value = by.place >= 0 ? start.x[by.place] : by.value;
        if (value < varied->low || value > varied->high)
            status = dfl_fail(it->ctx, DFL_INVALID,
                              "optimize: '%s' begins with %g, which is not between its bounds %g "
                              "and %g",
                              varied->name, value, varied->low, varied->high);
        z[i] = (value - varied->low) / (varied->high - varied->low);
        it->out->names[i] = varied->name;
        it->out->start[i] = value;
    }
    dfl_start_state_clear(&start, it->ctx);
    dfl_loaded_clear(&loaded);
    return status;
}

/* ---- one run ---- */

static double value_at(const objective *it, const double *z, int i)
{
    const dfl_varied *varied = &it->model->goals.varied.item[i];
    return varied->low + z[i] * (varied->high - varied->low);
}

/* What is measured, as expressions at times. */
static dfl_status list_values(dfl_expr *expr, double *when, const objective *it, dfl_runnable *run,
                              const dfl_settings *settings)
{
    const dfl_goals *goals = &eq_of(run)->model->goals;
    int k = 0;
    for (; k < it->nmeasures; k++) {
        expr[k] = goals->measures.item[k].expr;
        when[k] = goals->measures.item[k].t;
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

/* minimize(measures, theta), with measures as parameters of the model. */
static dfl_status add_minimized(outcome *out, const objective *it, gradient_run *run)
{
    const dfl_goals *goals = &eq_of(run->run)->model->goals;
    const int nm = it->nmeasures, count = it->count, columns = nm + count;
    dfl_expr *symbols = dfl_exprs(eq_of(run->run), columns);
    double *slopes = dfl_alloc(it->ctx, (size_t)columns, sizeof *slopes), value = NAN;
    dfl_status status = symbols && slopes ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < nm; k++) {
        symbols[k] = goals->measures.item[k].symbol;
        status =
            dfl_runnable_set(run->run, DFL_A_PARAM, goals->measures.item[k].param, run->value[k]);
    }
    for (int j = 0; !status && j < count; j++)
        symbols[nm + j] = run->followed[j].symbol;
    double *x = dfl_alloc(it->ctx, (size_t)eq_of(run->run)->n, sizeof *x);
    if (!status)
        status = x ? dfl_runnable_values(&value, run->run, &goals->minimize, 1, run->t, x, NULL)
                   : DFL_NO_MEMORY;
    if (!status)
        status = dfl_runnable_slopes(slopes, run->run, &goals->minimize, 1, symbols, columns,
                                     run->t, x, NULL);
    out->value += value;
    for (int j = 0; !status && j < count; j++) {
        out->slope[j] += slopes[nm + j];
        for (int k = 0; k < nm; k++)
            out->slope[j] += slopes[k] * run->gradient[(size_t)j * (size_t)it->nof + (size_t)k];
    }
    dfl_free(it->ctx, x);
    dfl_free(it->ctx, symbols);
    dfl_free(it->ctx, slopes);
    return status;
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
            const double r = weight * (run->value[row] - goals->measured.item[i].value[j]);
            out->residual[k] = r;
            out->value += r * r;
            for (int c = 0; c < it->count; c++) {
                const double s = weight * run->gradient[(size_t)c * (size_t)it->nof + row];
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
    }
}

static dfl_status run_at(outcome *out, objective *it, gradient_run *run,
                         const dfl_settings *settings)
{
    const size_t nof = (size_t)it->nof, d = sizeof(double);
    dfl_expr *expr = dfl_exprs(eq_of(run->run), it->nof);
    double *when = dfl_alloc(it->ctx, nof, d);
    run->value = dfl_alloc(it->ctx, nof, d);
    run->gradient = dfl_alloc(it->ctx, nof * (size_t)it->count, d);
    run->expr = expr;
    run->when = when;
    run->nof = it->nof;
    run->count = it->count;
    dfl_status status = expr && when && run->value && run->gradient ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = list_values(expr, when, it, run->run, settings);
    for (int i = 0; !status && i < it->count; i++)
        status = dfl_gradient_parameter(&run->followed[i], run, "optimize: vary",
                                        it->model->goals.varied.item[i].name);
    if (!status)
        status = dfl_gradient_follow(run);
    if (!status) {
        out->value = 0;
        memset(out->slope, 0, (size_t)it->count * sizeof *out->slope);
        add_squares(out, it, run);
        if (it->model->goals.minimize != DFL_NO_EXPR)
            status = add_minimized(out, it, run);
        scale(out, it);
    }
    dfl_free(it->ctx, expr);
    dfl_free(it->ctx, when);
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
                 value_at(it, z, (int)i));
    }
    if (!status)
        status = it->variation->load(&loaded, fixed, it->count, it->variation->user);
    run.run = loaded.run;
    if (!status)
        status = dfl_settings_resolve(&settings, it->choices, run.run);
    it->out->runs++;
    out->value = INFINITY;
    if (!status)
        status = run_at(out, it, &run, &settings);
    if (!status && !isfinite(out->value))
        status = dfl_fail(it->ctx, DFL_NOT_FINITE, "the objective is %g", out->value);
    dfl_loaded_clear(&loaded);
    dfl_free(it->ctx, text);
    dfl_free(it->ctx, fixed);
    dfl_free(it->ctx, run.followed);
    return dfl_interrupted(it->ctx) ? DFL_STOPPED : status;
}

/* ---- the end ---- */

double dfl_objective_slope(const objective *it, const double *z, const double *slope)
{
    double largest = 0;
    for (int i = 0; i < it->count; i++)
        if (!dfl_is_held(z, slope, i))
            largest = fmax(largest, fabs(slope[i]));
    return largest;
}

static dfl_status conclude(objective *it, const double *z, const outcome *at)
{
    dfl_optimum *out = it->out;
    for (int i = 0; i < it->count; i++) {
        out->best[i] = value_at(it, z, i);
        out->at_bound[i] = z[i] <= 0 || z[i] >= 1;
        out->deviation[i] = NAN;
    }
    out->objective = at->value;
    out->slope = dfl_objective_slope(it, z, at->slope);
    return it->model->goals.minimize == DFL_NO_EXPR ? find_deviations(it, at) : DFL_OK;
}

/* sigma^2 (J'J)^-1 with sigma^2 = |r|^2 / (m - count): its diagonal, for small residuals. */
static dfl_status find_deviations(objective *it, const outcome *at)
{
    const int count = it->count, m = it->nof;
    double *A = dfl_alloc(it->ctx, (size_t)count * (size_t)count, sizeof *A);
    double *y = dfl_alloc(it->ctx, (size_t)count, sizeof *y);
    if (A && y && m > count) {
        dfl_gemm_tn(count, count, m, 1, at->J, m, at->J, m, 0, A, count);
        const bool regular = dfl_cholesky(A, count);
        for (int i = 0; regular && i < count; i++) {
            const dfl_varied *varied = &it->model->goals.varied.item[i];
            double square = 0;
            memset(y, 0, (size_t)count * sizeof *y);
            y[i] = 1;
            dfl_cholesky_forward(y, 1, A, count);
            for (int k = 0; k < count; k++)
                square += y[k] * y[k];
            it->out->deviation[i] =
                (varied->high - varied->low) * sqrt(square * at->value / (m - count));
        }
    }
    const dfl_status status = A && y ? DFL_OK : DFL_NO_MEMORY;
    dfl_free(it->ctx, A);
    dfl_free(it->ctx, y);
    return status;
}
