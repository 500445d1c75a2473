/* optimize.c: what optimize{} of a script wants: where the search begins, and how it ends. */
#include "study/optimize_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

static dfl_status prepare(objective *it, double *z);
static dfl_status find_start(objective *it, double *z);
static void note_influence(objective *it, const outcome *at);
static dfl_status conclude(objective *it, const double *z, const outcome *at);
static dfl_status find_deviations(objective *it, const outcome *at);

dfl_status dfl_study_optimize(dfl_optimum *out, const dfl_model *model, const dfl_choices *choices,
                              const dfl_variation *variation, const dfl_search_options *options,
                              dfl_iteration_fn tell, void *user)
{
    const dfl_goals *goals = &model->goals;
    objective it = {.ctx = model->ctx,
                    .model = model,
                    .choices = choices,
                    .variation = variation,
                    .out = out,
                    .count = goals->varied.count,
                    .nmeasures = goals->measures.count,
                    .nlimits = goals->limits.count,
                    .tolerance = isnan(goals->tolerance) ? 1e-8 : goals->tolerance,
                    .how = options->derivatives,
                    .tell = tell,
                    .user = user};
    outcome at = {0};
    *out = (dfl_optimum){.ctx = model->ctx, .count = goals->varied.count};
    if (goals->line == 0)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "%s says nothing about what to optimize; add optimize{ vary = { L = {0.5, "
                        "2} }, minimize = final(x^2) }",
                        model->path);
    if (options->resamples > 0 && goals->minimize != DFL_NO_EXPR)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "--bootstrap is for a fit alone; optimize{} in %s, line %d, minimizes",
                        model->path, goals->line);
    double *z = dfl_alloc(model->ctx, (size_t)it.count, sizeof *z);
    dfl_status status = z ? prepare(&it, z) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_outcome_create(&at, &it);
    if (!status)
        status = dfl_objective_evaluate(&at, &it, z);
    out->first = at.value;
    if (!status)
        note_influence(&it, &at);
    if (!status)
        status = dfl_search(&at, &it, z, options->algorithm);
    if (!status)
        status = dfl_search_elsewhere(&at, &it, z, options);
    out->searches = options->starts > 1 ? options->starts : 1;
    if (!status || status == DFL_STOPPED) {
        const dfl_status end = conclude(&it, z, &at);
        status = end ? end : status;
    }
    if (!status && options->resamples > 0 && out->converged)
        status = dfl_bootstrap_fit(&it, &at, z, options);
    dfl_outcome_clear(&at, &it);
    dfl_free(model->ctx, it.peak);
    dfl_free(model->ctx, z);
    return status;
}

dfl_status dfl_search(outcome *at, objective *it, double *z, const char *algorithm)
{
    const bool squares = it->model->goals.minimize == DFL_NO_EXPR;
    const char *name = algorithm ? algorithm : it->nlimits > 0 ? "slsqp" : squares ? "lm" : "bfgs";
    const bool own = strcmp(name, "lm") == 0 || strcmp(name, "bfgs") == 0;
    if (own && it->nlimits > 0)
        return dfl_fail(it->ctx, DFL_INVALID,
                        "--algorithm %s cannot keep limits (subject); take slsqp, mma, ccsaq, "
                        "cobyla or isres",
                        name);
    if (strcmp(name, "lm") == 0 && !squares)
        return dfl_fail(it->ctx, DFL_INVALID,
                        "--algorithm lm is for a fit alone; take bfgs or one of NLopt");
    return strcmp(name, "lm") == 0     ? dfl_search_squares(at, it, z)
           : strcmp(name, "bfgs") == 0 ? dfl_search_descent(at, it, z)
                                       : dfl_search_nlopt(at, it, z, name);
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
    dfl_free(ctx, optimum->interval);
    dfl_free(ctx, optimum->low);
    dfl_free(ctx, optimum->high);
    dfl_free(ctx, optimum->at_bound);
    dfl_free(ctx, optimum->idle);
    *optimum = (dfl_optimum){0};
}

static dfl_status prepare(objective *it, double *z)
{
    dfl_optimum *out = it->out;
    const size_t count = (size_t)it->count;
    out->names = dfl_alloc(it->ctx, count, sizeof *out->names);
    out->start = dfl_alloc(it->ctx, count, sizeof *out->start);
    out->best = dfl_alloc(it->ctx, count, sizeof *out->best);
    out->deviation = dfl_alloc(it->ctx, count, sizeof *out->deviation);
    out->interval = dfl_alloc(it->ctx, count, sizeof *out->interval);
    out->low = dfl_alloc(it->ctx, count, sizeof *out->low);
    out->high = dfl_alloc(it->ctx, count, sizeof *out->high);
    out->at_bound = dfl_alloc(it->ctx, count, sizeof *out->at_bound);
    out->idle = dfl_alloc(it->ctx, count, sizeof *out->idle);
    if (!out->names || !out->start || !out->best || !out->deviation || !out->interval ||
        !out->low || !out->high || !out->at_bound || !out->idle)
        return DFL_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        out->idle[i] = true;
    it->nof = it->nmeasures;
    for (int i = 0; i < it->model->goals.measured.count; i++)
        it->nof += it->model->goals.measured.item[i].count;
    out->residuals = it->nof - it->nmeasures;
    out->limits = it->nlimits;
    for (int i = 0; i < it->nmeasures; i++)
        it->peaks = it->peaks || it->model->goals.measures.item[i].peak;
    it->peak = dfl_alloc(it->ctx, (size_t)it->nmeasures, sizeof *it->peak);
    return it->peak ? find_start(it, z) : DFL_NO_MEMORY;
}

/* The values of the script, or of its start for initial values, inside the bounds. */
static dfl_status find_start(objective *it, double *z)
{
    dfl_loaded loaded = {0};
    dfl_start_state start = {0};
    dfl_status status = it->variation->load(&loaded, NULL, 0, it->variation->user);
    if (!status)
        status = dfl_start_state_find(&start, loaded.eq, it->choices);
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

double dfl_objective_slope(const objective *it, const double *z, const double *slope)
{
    double largest = 0;
    for (int i = 0; i < it->count; i++)
        if (!dfl_is_held(z, slope, i))
            largest = fmax(largest, fabs(slope[i]));
    return largest;
}

static bool is_zero(const double *column, int count)
{
    for (int i = 0; i < count; i++)
        if (column[i] != 0)
            return false;
    return true;
}

static void note_influence(objective *it, const outcome *at)
{
    const int m = it->nof - it->nmeasures;
    for (int i = 0; i < it->count; i++)
        it->out->idle[i] = it->out->idle[i] && isfinite(at->value) && at->slope[i] == 0 &&
                           is_zero(at->J + (size_t)i * (size_t)m, m) &&
                           is_zero(at->limit_slope + i * it->nlimits, it->nlimits);
}

static dfl_status conclude(objective *it, const double *z, const outcome *at)
{
    dfl_optimum *out = it->out;
    for (int i = 0; i < it->count; i++) {
        out->best[i] = dfl_varied_value(it, z, i);
        out->at_bound[i] = z[i] <= 0 || z[i] >= 1;
        out->deviation[i] = out->interval[i] = out->low[i] = out->high[i] = NAN;
    }
    note_influence(it, at);
    out->objective = at->value;
    out->violation = dfl_outcome_violation(it, at);
    out->slope = dfl_objective_slope(it, z, at->slope);
    return it->model->goals.minimize == DFL_NO_EXPR ? find_deviations(it, at) : DFL_OK;
}

/* Of Student's distribution with n degrees of freedom, 97.5 %: the closed forms of one and two,
   then the expansion about the normal distribution in 1/n, to 0.2 % or better. */
static double student_quantile(int n)
{
    const double z = 1.959963984540054, z2 = z * z, v = 1.0 / n;
    if (n <= 2)
        return n == 1 ? 12.706204736174698 : 4.302652729749462;
    return z * (1 + v * ((z2 + 1) / 4 +
                         v * (((5 * z2 + 16) * z2 + 3) / 96 +
                              v * ((((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384 +
                                   v * (((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) /
                                        92160)))));
}

/* sigma^2 (J'J)^-1 with sigma^2 = |r|^2 / (m - count): its diagonal, for small residuals. */
static dfl_status find_deviations(objective *it, const outcome *at)
{
    const int count = it->count, m = it->nof - it->nmeasures;
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
            it->out->interval[i] = student_quantile(m - count) * it->out->deviation[i];
        }
    }
    const dfl_status status = A && y ? DFL_OK : DFL_NO_MEMORY;
    dfl_free(it->ctx, A);
    dfl_free(it->ctx, y);
    return status;
}
