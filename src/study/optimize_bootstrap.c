/* optimize_bootstrap.c: how far the parameters of a fit may be off: the fit to many other
   measurements, each made of the best fit and of its own residuals, drawn with replacement; 95 of
   100 lie in the interval.

   Davison and Hinkley, Bootstrap Methods and their Application (1997), algorithm 6.1, whose
   residuals have the variance of the errors: r / sqrt(1 - h), h the diagonal of J (J'J)^-1 J', less
   their mean. Percentiles as in section 5.3. */
#include "study/optimize_internal.h"

#include "linalg/linalg.h"
#include "random/random.h"

#include <math.h>
#include <string.h>

typedef struct resamples {
    const objective *first;
    const outcome *best;
    const double *z;
    uint64_t seed;
    int residuals;
    double *residual; /* that are drawn */
    double *found;    /* what varies, of each fit, one after another; NAN: it has not converged */
} resamples;

static dfl_status find_residuals(bool *known, const resamples *of);
static dfl_status fit_again(search_trial *one, void *user);
static dfl_status find_intervals(objective *it, const resamples *of);

dfl_status dfl_bootstrap_fit(objective *it, const outcome *best, const double *z,
                             const dfl_search_options *options)
{
    const int m = it->nof - it->nmeasures;
    const size_t numbers = (size_t)options->resamples * (size_t)it->count;
    resamples of = {.first = it,
                    .best = best,
                    .z = z,
                    .seed = (uint64_t)(int64_t)options->seed,
                    .residuals = m,
                    .residual = dfl_alloc(it->ctx, (size_t)m, sizeof *of.residual),
                    .found = dfl_alloc(it->ctx, numbers, sizeof *of.found)};
    search_trials all = {.first = it,
                         .count = options->resamples,
                         .threads = options->threads,
                         .search = fit_again,
                         .user = &of};
    bool known = false;
    dfl_status status = of.residual && of.found ? find_residuals(&known, &of) : DFL_NO_MEMORY;
    if (!status && known) {
        it->out->resamples = options->resamples;
        status = dfl_search_trials(&all);
        for (int k = 0; !status && k < all.count; k++) {
            const dfl_status one = all.item[k].status;
            it->out->runs += all.item[k].out.runs;
            if (one == DFL_STOPPED || one == DFL_NO_MEMORY)
                status = one;
        }
        dfl_search_trials_clear(&all);
        if (!status)
            status = find_intervals(it, &of);
    }
    dfl_free(it->ctx, of.residual);
    dfl_free(it->ctx, of.found);
    return status;
}

/* *known: the measurements determine what varies, and more than that. */
static dfl_status find_residuals(bool *known, const resamples *of)
{
    const objective *it = of->first;
    const int count = it->count, m = of->residuals;
    const double *J = of->best->J;
    double *A = dfl_alloc(it->ctx, (size_t)count * (size_t)(count + 1), sizeof *A), mean = 0;
    double *y = A + count * count;
    if (!A)
        return DFL_NO_MEMORY;
    dfl_gemm_tn(count, count, m, 1, J, m, J, m, 0, A, count);
    *known = m > count && dfl_cholesky(A, count);
    for (int k = 0; *known && k < m; k++) {
        double rest = 1; /* 1 - h */
        for (int i = 0; i < count; i++)
            y[i] = J[(size_t)i * (size_t)m + (size_t)k];
        dfl_cholesky_forward(y, 1, A, count);
        for (int i = 0; i < count; i++)
            rest -= y[i] * y[i];
        /* a value that alone determines a parameter has no residual */
        of->residual[k] = rest > 1e-8 ? of->best->residual[k] / sqrt(rest) : 0;
        mean += of->residual[k] / m;
    }
    for (int k = 0; k < m; k++)
        of->residual[k] -= mean;
    dfl_free(it->ctx, A);
    return DFL_OK;
}

/* From the best point, where a run is known: residuals are those that were drawn. */
static void begin(search_trial *one, const resamples *of, double *shift)
{
    const int m = of->residuals, count = one->it.count;
    outcome *at = &one->at;
    dfl_outcome_copy(at, &one->it, of->best);
    memcpy(one->z, of->z, (size_t)count * sizeof *one->z);
    at->value = 0;
    for (int k = 0; k < m; k++) {
        const uint64_t bits = dfl_random_bits(of->seed, (uint64_t)one->number + 1, (uint64_t)k);
        at->residual[k] = of->residual[bits % (uint64_t)m];
        shift[k] = of->best->residual[k] - at->residual[k];
        at->value += at->residual[k] * at->residual[k];
    }
    for (int i = 0; i < count; i++) {
        at->slope[i] = 0;
        for (int k = 0; k < m; k++)
            at->slope[i] += 2 * at->residual[k] * at->J[(size_t)i * (size_t)m + (size_t)k];
    }
}

static dfl_status fit_again(search_trial *one, void *user)
{
    const resamples *of = user;
    const size_t count = (size_t)one->it.count;
    double *shift = dfl_alloc(one->ctx, (size_t)of->residuals, sizeof *shift);
    double *found = of->found + (size_t)one->number * count;
    dfl_status status = shift ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        begin(one, of, shift);
        one->it.shift = shift;
        status = dfl_search(&one->at, &one->it, one->z, NULL);
    }
    for (size_t i = 0; i < count; i++)
        found[i] = status || !one->out.converged ? NAN : dfl_varied_value(&one->it, one->z, (int)i);
    one->it.shift = NULL;
    dfl_free(one->ctx, shift);
    dfl_outcome_clear(&one->at, &one->it); /* many fits need no more memory than a few */
    return status;
}

/* Not known where more than one fit of twenty has not converged. */
static dfl_status find_intervals(objective *it, const resamples *of)
{
    dfl_optimum *out = it->out;
    double *values = dfl_alloc(it->ctx, (size_t)out->resamples, sizeof *values);
    if (!values)
        return DFL_NO_MEMORY;
    for (int i = 0; i < it->count; i++) {
        int converged = 0;
        for (int b = 0; b < out->resamples; b++) {
            const double value = of->found[(size_t)b * (size_t)it->count + (size_t)i];
            if (!isnan(value))
                values[converged++] = value;
        }
        out->lost = out->resamples - converged;
        if (20 * (long)out->lost > out->resamples)
            continue;
        out->low[i] = dfl_percentile(values, converged, 0.025);
        out->high[i] = dfl_percentile(values, converged, 0.975);
    }
    dfl_free(it->ctx, values);
    return DFL_OK;
}
