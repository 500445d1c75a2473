/* sweep.c: a study from its creation to its end. */
#include "sweep/sweep_internal.h"

#include <math.h>
#include <string.h>

static dfl_status name_columns(dfl_sweep *sweep);

dfl_status dfl_sweep_create(dfl_sweep **out, dfl_context *ctx, const dfl_model *model,
                            const dfl_sweep_options *options)
{
    *out = NULL;
    dfl_status status = dfl_check_model(ctx, model);
    if (status)
        return status;
    dfl_sweep *sweep = dfl_alloc(ctx, 1, sizeof *sweep);
    if (!sweep)
        return DFL_NO_MEMORY;
    sweep->ctx = ctx;
    sweep->model = model;
    sweep->first_failed = -1;
    pthread_mutex_init(&sweep->lock, NULL);
    pthread_cond_init(&sweep->more, NULL);
    status = dfl_sweep_prepare(sweep, options);
    if (!status && !options->elsewhere)
        status = dfl_sweep_count(sweep);
    if (!status)
        status = name_columns(sweep);
    if (status)
        dfl_sweep_free(sweep);
    else
        *out = sweep;
    return status;
}

void dfl_sweep_free(dfl_sweep *sweep)
{
    if (!sweep)
        return;
    dfl_context *ctx = sweep->ctx;
    dfl_sweep_stop(sweep);
    dfl_pool_free(sweep->pool);
    dfl_cases_free(sweep->cases);
    dfl_design_free(sweep->design);
    dfl_case_file_close(sweep->file);
    dfl_free(ctx, sweep->path);
    dfl_free(ctx, sweep->columns_kept);
    dfl_free(ctx, sweep->settings);
    dfl_free(ctx, sweep->cases_file);
    dfl_free(ctx, sweep->names);
    dfl_free(ctx, sweep->values);
    dfl_free(ctx, sweep->there);
    dfl_free(ctx, sweep->jobs);
    dfl_free(ctx, sweep->results);
    pthread_cond_destroy(&sweep->more);
    pthread_mutex_destroy(&sweep->lock);
    dfl_free(ctx, sweep);
}

static dfl_status name_columns(dfl_sweep *sweep)
{
    const dfl_case_layout *layout = &sweep->cases->layout;
    const int parameters = layout->list[DFL_CASE_PARAMETERS].count;
    const int results = layout->list[DFL_CASE_RESULTS].count;
    sweep->names = dfl_alloc(sweep->ctx, (size_t)(parameters + results), sizeof *sweep->names);
    sweep->values = dfl_alloc(sweep->ctx, dfl_case_numbers(layout), sizeof *sweep->values);
    if (!sweep->names || !sweep->values)
        return DFL_NO_MEMORY;
    for (int i = 0; i < parameters; i++)
        sweep->names[i] = layout->list[DFL_CASE_PARAMETERS].text[i];
    for (int i = 0; i < results; i++)
        sweep->names[parameters + i] = layout->list[DFL_CASE_RESULTS].text[i];
    return DFL_OK;
}

dfl_status dfl_sweep_start(dfl_sweep *sweep, int threads)
{
    const bool here = sweep->there != NULL;
    const dfl_pool_hooks hooks = {here ? dfl_sweep_next : dfl_sweep_next_job,
                                  here ? dfl_sweep_done : dfl_sweep_job_done, sweep};
    if (sweep->pool)
        return dfl_fail(sweep->ctx, DFL_INVALID, "the study has been started already");
    if (threads < 0 || threads > 4096)
        return dfl_fail(sweep->ctx, DFL_INVALID, "%d threads; give a number from 1 to 4096",
                        threads);
    sweep->begun = dfl_clock();
    return dfl_pool_start(&sweep->pool, sweep->ctx, sweep->cases, threads, &hooks);
}

bool dfl_sweep_wait(dfl_sweep *sweep, double seconds)
{
    return !sweep->pool || dfl_pool_wait(sweep->pool, seconds);
}

void dfl_sweep_stop(dfl_sweep *sweep)
{
    if (!sweep->pool)
        return;
    dfl_pool_stop(sweep->pool);
    pthread_mutex_lock(&sweep->lock);
    sweep->last_jobs = true;
    sweep->njobs = 0;
    pthread_cond_broadcast(&sweep->more);
    pthread_mutex_unlock(&sweep->lock);
}

dfl_status dfl_sweep_finish(dfl_sweep *sweep)
{
    const int trouble =
        sweep->pool && dfl_pool_wait(sweep->pool, 0) ? dfl_pool_trouble(sweep->pool) : 0;
    dfl_pool_free(sweep->pool);
    sweep->pool = NULL;
    if (sweep->file && sweep->there)
        dfl_case_file_sync(sweep->file);
    if (trouble)
        return dfl_fail(sweep->ctx, DFL_IO,
                        "'%s' cannot be written: %s; cases that are there stay, --resume "
                        "goes on",
                        sweep->path ? sweep->path : "results", strerror(trouble));
    return sweep->done < sweep->total
               ? dfl_fail(sweep->ctx, DFL_STOPPED, "interrupted after %ld of %ld cases",
                          sweep->done, sweep->total)
               : DFL_OK;
}

dfl_sweep_progress dfl_sweep_so_far(dfl_sweep *sweep)
{
    pthread_mutex_lock(&sweep->lock);
    const dfl_sweep_progress progress = {.cases = sweep->total,
                                         .done = sweep->done,
                                         .failed = sweep->failed,
                                         .before = sweep->before,
                                         .first_failed = sweep->first_failed,
                                         .message = sweep->first_message,
                                         .doubtful = sweep->doubtful,
                                         .first_doubtful = sweep->first_doubtful,
                                         .doubt = sweep->first_doubt,
                                         .seconds =
                                             sweep->begun > 0 ? dfl_clock() - sweep->begun : 0,
                                         .path = sweep->path};
    pthread_mutex_unlock(&sweep->lock);
    return progress;
}

int dfl_sweep_columns(const dfl_sweep *sweep, const char *const **names, int *parameters)
{
    const dfl_case_layout *layout = &sweep->cases->layout;
    *names = sweep->names;
    *parameters = layout->list[DFL_CASE_PARAMETERS].count;
    return *parameters + layout->list[DFL_CASE_RESULTS].count;
}

int dfl_sweep_row(double *values, dfl_sweep *sweep, long number, const char **message)
{
    const dfl_case_layout *layout = &sweep->cases->layout;
    const int parameters = layout->list[DFL_CASE_PARAMETERS].count;
    const int results = layout->list[DFL_CASE_RESULTS].count;
    if (message)
        *message = sweep->message;
    sweep->message[0] = 0;
    for (int i = 0; i < results; i++)
        values[parameters + i] = NAN;
    if (!sweep->file || number < 0 || number >= sweep->total ||
        !dfl_case_file_parameters(values, sweep->file, number))
        return DFL_CASE_MISSING;
    const dfl_case_state state =
        dfl_case_file_get(sweep->file, number, sweep->values, sweep->message);
    if (state != DFL_CASE_MISSING)
        memcpy(values + parameters, sweep->values, (size_t)results * sizeof *values);
    return (int)state;
}

dfl_status dfl_sweep_write_csv(dfl_sweep *sweep, const char *path)
{
    return sweep->file ? dfl_cases_write_csv(sweep->file, sweep->ctx, path)
                       : dfl_fail(sweep->ctx, DFL_INVALID, "the table is in another process");
}

dfl_status dfl_sweep_check_result(dfl_sweep *sweep, int result)
{
    if (!sweep->file)
        return dfl_fail(sweep->ctx, DFL_INVALID, "the table is in another process");
    return result >= 0 && result < sweep->cases->layout.list[DFL_CASE_RESULTS].count
               ? DFL_OK
               : dfl_fail(sweep->ctx, DFL_INVALID, "there is no result %d", result);
}

dfl_status dfl_sweep_sensitivity(double *first, double *total, dfl_sweep *sweep, int result)
{
    const dfl_status status = dfl_sweep_check_result(sweep, result);
    if (status)
        return status;
    if (!dfl_sensitivity_known(sweep->file))
        return dfl_fail(sweep->ctx, DFL_INVALID, "sensitivity indices need the design saltelli");
    return dfl_sensitivity(first, total, sweep->file, sweep->ctx, result);
}

bool dfl_is_sweep(dfl_context *ctx, const char *study)
{
    return dfl_is_case_file(ctx, study);
}
