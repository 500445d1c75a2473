/* bootstrap.c: how far estimates of a study may be off: the estimate from many studies that are
   made of its own rows, drawn with replacement; 95 of 100 lie in the interval.

   Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13: percentiles. */
#include "sweep/sweep_internal.h"

#include "sweep/numbers_internal.h"
#include "workers/workers.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { USUAL_RESAMPLES = 1000 };

typedef void (*estimate_fn)(double *out, const dfl_sample_rows *rows, const dfl_resample *pick);

typedef struct bootstrap {
    const dfl_sample_rows *rows;
    estimate_fn estimate;
    int quantities, resamples;
    uint64_t seed;
    double *found; /* quantities of each resample, one after another */
    atomic_int next;
} bootstrap;

static dfl_status read_column(dfl_sample_rows *out, const dfl_case_file *file, dfl_context *ctx,
                              int column);
static void mean_and_deviation(double *out, const dfl_sample_rows *rows, const dfl_resample *pick);
static dfl_status resample(dfl_estimate *out, const dfl_sweep *sweep, const dfl_sample_rows *rows,
                           estimate_fn estimate, int quantities, const dfl_bootstrap *how);
static bool take_one(int thread, void *user);
static double percentile(double *work, const bootstrap *all, int quantity, double part);

const double *dfl_sample_row(const dfl_sample_rows *rows, const dfl_resample *pick, long row)
{
    const uint64_t count = (uint64_t)rows->count;
    const long place =
        pick
            ? (long)(dfl_random_bits(pick->seed, (uint64_t)pick->number + 1, (uint64_t)row) % count)
            : row;
    return rows->value + place * rows->width;
}

dfl_status dfl_sweep_statistics(dfl_estimate *mean, dfl_estimate *deviation, dfl_sweep *sweep,
                                int result, const dfl_bootstrap *how)
{
    static const dfl_bootstrap usual = {0};
    dfl_sample_rows rows = {0};
    dfl_estimate both[2];
    dfl_status status = dfl_sweep_check_result(sweep, result);
    if (!status && !dfl_samples_known(sweep->file))
        status = dfl_fail(sweep->ctx, DFL_INVALID,
                          "means with intervals need samples (--sample) without --over and "
                          "--design saltelli");
    if (!status)
        status = read_column(&rows, sweep->file, sweep->ctx, result);
    if (!status)
        status = resample(both, sweep, &rows, mean_and_deviation, 2, how ? how : &usual);
    dfl_free(sweep->ctx, rows.value);
    if (!status) {
        *mean = both[0];
        *deviation = both[1];
    }
    return status;
}

dfl_status dfl_sweep_sensitivity_intervals(dfl_estimate *first, dfl_estimate *total,
                                           dfl_sweep *sweep, int result, const dfl_bootstrap *how)
{
    static const dfl_bootstrap usual = {0};
    dfl_sample_rows rows = {0};
    dfl_status status = dfl_sweep_check_result(sweep, result);
    if (!status && !dfl_sensitivity_known(sweep->file))
        status = dfl_fail(sweep->ctx, DFL_INVALID, "sensitivity indices need the design saltelli");
    if (!status)
        status = dfl_sensitivity_rows(&rows, sweep->file, sweep->ctx, result);
    const int d = rows.width - 2;
    dfl_estimate *both = status ? NULL : dfl_alloc(sweep->ctx, 2 * (size_t)d, sizeof *both);
    if (!status && !both)
        status = DFL_NO_MEMORY;
    if (!status)
        status = resample(both, sweep, &rows, dfl_sobol_indices, 2 * d, how ? how : &usual);
    if (!status) {
        memcpy(first, both, (size_t)d * sizeof *both);
        memcpy(total, both + d, (size_t)d * sizeof *both);
    }
    dfl_free(sweep->ctx, both);
    dfl_free(sweep->ctx, rows.value);
    return status;
}

/* Cases that have the result. */
static dfl_status read_column(dfl_sample_rows *out, const dfl_case_file *file, dfl_context *ctx,
                              int column)
{
    const dfl_case_layout *layout = dfl_case_file_layout(file);
    double *results = dfl_alloc(ctx, (size_t)layout->list[DFL_CASE_RESULTS].count, sizeof *results);
    *out = (dfl_sample_rows){.width = 1,
                             .value = dfl_alloc(ctx, (size_t)layout->cases, sizeof *out->value)};
    for (long i = 0; results && out->value && i < layout->cases; i++) {
        const dfl_case_state state = dfl_case_file_get(file, i, NULL, NULL);
        if (state != DFL_CASE_MISSING && state != DFL_CASE_FAILED &&
            dfl_case_file_results(results, file, i) && isfinite(results[column]))
            out->value[out->count++] = results[column];
    }
    dfl_free(ctx, results);
    return results && out->value ? DFL_OK : DFL_NO_MEMORY;
}

static void mean_and_deviation(double *out, const dfl_sample_rows *rows, const dfl_resample *pick)
{
    const double count = (double)rows->count;
    double sum = 0, square = 0;
    for (long i = 0; i < rows->count; i++)
        sum += *dfl_sample_row(rows, pick, i);
    const double mean = sum / count;
    for (long i = 0; i < rows->count; i++)
        square += pow(*dfl_sample_row(rows, pick, i) - mean, 2);
    out[0] = mean;
    out[1] = sqrt(square / (count - 1));
}

static dfl_status resample(dfl_estimate *out, const dfl_sweep *sweep, const dfl_sample_rows *rows,
                           estimate_fn estimate, int quantities, const dfl_bootstrap *how)
{
    dfl_context *ctx = sweep->ctx;
    const double seed = dfl_case_file_layout(sweep->file)->seed;
    const int resamples = how->resamples > 0 ? how->resamples : USUAL_RESAMPLES;
    bootstrap all = {.rows = rows,
                     .estimate = estimate,
                     .quantities = quantities,
                     .resamples = rows->count > 1 ? resamples : 0,
                     .seed = isnan(seed) ? 1 : (uint64_t)(int64_t)seed};
    all.found = dfl_alloc(ctx, (size_t)resamples * (size_t)quantities, sizeof *all.found);
    double *work = dfl_alloc(ctx, (size_t)resamples + (size_t)quantities, sizeof *work);
    dfl_workers *workers = NULL;
    dfl_status status = all.found && work ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_workers_start(&workers, ctx, how->threads,
                                   &(dfl_work){.job = take_one, .user = &all});
    dfl_workers_free(workers);
    if (!status)
        estimate(work, rows, NULL);
    for (int i = 0; !status && i < quantities; i++) {
        const double low = percentile(work + quantities, &all, i, 0.025);
        out[i] = (dfl_estimate){work[i], low, percentile(work + quantities, &all, i, 0.975),
                                rows->count};
    }
    dfl_free(ctx, all.found);
    dfl_free(ctx, work);
    return status;
}

static bool take_one(int thread, void *user)
{
    bootstrap *all = user;
    const int number = atomic_fetch_add(&all->next, 1);
    (void)thread;
    if (number >= all->resamples)
        return false;
    const dfl_resample pick = {.seed = all->seed, .number = number};
    all->estimate(all->found + (size_t)number * (size_t)all->quantities, all->rows, &pick);
    return true;
}

/* NAN: there is nothing to resample, or an estimate is no number. */
static double percentile(double *work, const bootstrap *all, int quantity, double part)
{
    for (int b = 0; b < all->resamples; b++) {
        work[b] = all->found[(size_t)b * (size_t)all->quantities + (size_t)quantity];
        if (isnan(work[b]))
            return NAN;
    }
    return dfl_percentile(work, all->resamples, part);
}
