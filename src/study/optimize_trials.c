/* optimize_trials.c: many searches of one objective, on all processors.

   Each search has a context, a copy of the script and counters of its own. What it finds depends on
   its number alone, so that the result does not depend on the number of threads. */
#include "study/optimize_internal.h"

#include "workers/workers.h"

#include <driftless/program.h>

static dfl_status create(search_trials *all);
static dfl_status prepare(search_trial *one, const objective *first);
static bool run_next(int thread, void *user);

dfl_status dfl_search_trials(search_trials *all)
{
    dfl_context *ctx = all->first->ctx;
    const dfl_work work = {.job = run_next, .user = all};
    dfl_workers *workers = NULL;
    const int most = dfl_workers_count(all->threads);
    dfl_status status = create(all);
    if (status)
        return status;
    if (all->item[0].ctx == ctx) {
        while (!dfl_interrupted(ctx) && run_next(0, all))
            ;
        return DFL_OK;
    }
    status = dfl_workers_start(&workers, ctx, most < all->count ? most : all->count, &work);
    while (!status && !dfl_workers_wait(workers, 0.1))
        if (dfl_interrupted(ctx)) {
            dfl_workers_stop(workers);
            for (int k = 0; k < all->count; k++)
                dfl_interrupt(all->item[k].ctx);
        }
    dfl_workers_free(workers);
    return status;
}

static dfl_status create(search_trials *all)
{
    const objective *first = all->first;
    const bool forks = first->variation->fork && all->threads != 1;
    all->item = dfl_alloc(first->ctx, (size_t)all->count, sizeof *all->item);
    for (int k = 0; all->item && k < all->count; k++) {
        search_trial *one = &all->item[k];
        one->number = k;
        one->ctx = forks ? dfl_context_create() : first->ctx;
        one->status = DFL_STOPPED; /* until it has run */
        if (!one->ctx)
            return DFL_NO_MEMORY;
    }
    return all->item ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_search_trials_clear(search_trials *all)
{
    dfl_context *ctx = all->first->ctx;
    for (int k = 0; all->item && k < all->count; k++) {
        search_trial *one = &all->item[k];
        if (!one->ctx)
            continue;
        dfl_outcome_clear(&one->at, &one->it);
        dfl_free(one->ctx, one->z);
        dfl_free(one->ctx, one->it.peak);
        if (one->ctx != ctx)
            dfl_context_free(one->ctx);
    }
    dfl_free(ctx, all->item);
}

static bool run_next(int thread, void *user)
{
    search_trials *all = user;
    const int k = atomic_fetch_add(&all->next, 1);
    (void)thread;
    if (k >= all->count)
        return false;
    search_trial *one = &all->item[k];
    one->status = prepare(one, all->first);
    if (!one->status)
        one->status = all->search(one, all->user);
    if (one->forked)
        all->first->variation->release(&one->variation);
    return true;
}

static void silent(int iteration, long runs, double value, void *user)
{
    (void)iteration, (void)runs, (void)value, (void)user;
}

/* An objective in the trial's own context. */
static dfl_status prepare(search_trial *one, const objective *first)
{
    const size_t measures = (size_t)first->nmeasures;
    dfl_status status = DFL_OK;
    one->it = *first;
    one->it.ctx = one->ctx;
    one->it.out = &one->out;
    one->it.peak = NULL;
    one->it.tell = silent;
    if (one->ctx != first->ctx) {
        status = first->variation->fork(&one->variation, one->ctx, first->variation->user);
        one->forked = !status;
        one->it.variation = &one->variation;
    }
    one->it.peak = dfl_alloc(one->ctx, measures, sizeof *one->it.peak);
    one->z = dfl_alloc(one->ctx, (size_t)first->count, sizeof *one->z);
    if (!status && !(one->it.peak && one->z))
        status = DFL_NO_MEMORY;
    return status ? status : dfl_outcome_create(&one->at, &one->it);
}
