/* optimize_starts.c: searches from several places within the bounds, on all processors.

   Each search has a context, a copy of the script and counters of its own, and begins at its own place. They are
   compared in the order of their numbers, so that the result does not depend on the number of threads. */
#include "study/optimize_internal.h"

#include "workers/workers.h"

#include <driftless/program.h>

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct trial {
    dfl_context *ctx; /* its own, or that of the first search */
    dfl_variation variation;
    bool forked; /* it has a variation of its own */
    objective it;
    dfl_optimum out;
    outcome at;
    double *z;
    dfl_status status;
} trial;

typedef struct trials {
    const objective *first;
    const char *algorithm;
    int count;
    trial *item;
    atomic_int next;
} trials;

static dfl_status create(trials *all, objective *it, const dfl_search_options *options);
static void clear(trials *all);
static dfl_status run_all(trials *all, int threads);
static void take_better(outcome *at, double *z, objective *it, const trial *one);

dfl_status dfl_search_elsewhere(outcome *at, objective *it, double *z,
                                const dfl_search_options *options)
{
    trials all = {.first = it, .algorithm = options->algorithm, .count = options->starts - 1};
    if (all.count < 1)
        return DFL_OK;
    dfl_status status = create(&all, it, options);
    if (!status)
        status = run_all(&all, options->threads);
    for (int k = 0; !status && k < all.count; k++) {
        const trial *one = &all.item[k];
        it->out->runs += one->out.runs;
        it->out->iterations += one->out.iterations;
        it->out->failed += one->out.failed;
        if (!one->status)
            take_better(at, z, it, one);
        else if (one->status == DFL_STOPPED || one->status == DFL_NO_MEMORY)
            status = one->status;
        else /* a run that fails where a search begins is no failure of all */
            it->out->failed++;
    }
    clear(&all);
    return status;
}

static dfl_status create(trials *all, objective *it, const dfl_search_options *options)
{
    const bool forks = it->variation->fork && options->threads != 1;
    all->item = dfl_alloc(it->ctx, (size_t)all->count, sizeof *all->item);
    for (int k = 0; all->item && k < all->count; k++) {
        trial *one = &all->item[k];
        one->ctx = forks ? dfl_context_create() : it->ctx;
        one->status = DFL_STOPPED; /* until it has run */
        if (!one->ctx)
            return DFL_NO_MEMORY;
    }
    return all->item ? DFL_OK : DFL_NO_MEMORY;
}

static void clear(trials *all)
{
    dfl_context *ctx = all->first->ctx;
    for (int k = 0; all->item && k < all->count; k++) {
        trial *one = &all->item[k];
        if (!one->ctx)
            continue;
        dfl_outcome_clear(&one->at, &one->it);
        dfl_free(one->ctx, one->z);
        dfl_free(one->ctx, one->it.peak_when);
        if (one->forked)
            all->first->variation->release(&one->variation);
        if (one->ctx != ctx)
            dfl_context_free(one->ctx);
    }
    dfl_free(ctx, all->item);
}

static void silent(int iteration, long runs, double value, void *user)
{
    (void)iteration, (void)runs, (void)value, (void)user;
}

/* Places that fill the unit cube evenly: multiples of powers of the root of g^(count + 1) = g + 1. */
static void choose_place(double *z, int count, int k)
{
    double root = 2, part = 1;
    for (int i = 0; i < 60; i++)
        root = pow(1 + root, 1.0 / (count + 1));
    for (int i = 0; i < count; i++) {
        double whole;
        part /= root;
        z[i] = modf(0.5 + k * part, &whole);
    }
}

/* An objective in the trial's own context. */
static dfl_status prepare(trial *one, const objective *first)
{
    const size_t measures = (size_t)first->nmeasures;
    dfl_status status = DFL_OK;
    one->it = *first;
    one->it.ctx = one->ctx;
    one->it.out = &one->out;
    one->it.peak_when = NULL;
    one->it.tell = silent;
    if (one->ctx != first->ctx) {
        status = first->variation->fork(&one->variation, one->ctx, first->variation->user);
        one->forked = !status;
        one->it.variation = &one->variation;
    }
    one->it.peak_when = dfl_alloc(one->ctx, 2 * measures, sizeof *one->it.peak_when);
    one->it.peak = one->it.peak_when ? one->it.peak_when + measures : NULL;
    one->z = dfl_alloc(one->ctx, (size_t)first->count, sizeof *one->z);
    if (!status && !(one->it.peak_when && one->z))
        status = DFL_NO_MEMORY;
    return status ? status : dfl_outcome_create(&one->at, &one->it);
}

static bool run_next(int thread, void *user)
{
    trials *all = user;
    const int k = atomic_fetch_add(&all->next, 1);
    (void)thread;
    if (k >= all->count)
        return false;
    trial *one = &all->item[k];
    one->status = prepare(one, all->first);
    if (!one->status) {
        choose_place(one->z, all->first->count, k + 1);
        one->status = dfl_objective_evaluate(&one->at, &one->it, one->z);
    }
    if (!one->status)
        one->status = dfl_search(&one->at, &one->it, one->z, all->algorithm);
    return true;
}

static dfl_status run_all(trials *all, int threads)
{
    dfl_context *ctx = all->first->ctx;
    const dfl_work work = {.job = run_next, .user = all};
    dfl_workers *workers = NULL;
    const int most = dfl_workers_count(threads);
    if (all->item[0].ctx == ctx) {
        while (!dfl_interrupted(ctx) && run_next(0, all))
            ;
        return DFL_OK;
    }
    const dfl_status status =
        dfl_workers_start(&workers, ctx, most < all->count ? most : all->count, &work);
    while (!status && !dfl_workers_wait(workers, 0.1))
        if (dfl_interrupted(ctx)) {
            dfl_workers_stop(workers);
            for (int k = 0; k < all->count; k++)
                dfl_interrupt(all->item[k].ctx);
        }
    dfl_workers_free(workers);
    return status;
}

static void take_better(outcome *at, double *z, objective *it, const trial *one)
{
    const size_t m = (size_t)(it->nof - it->nmeasures), count = (size_t)it->count;
    const size_t limits = (size_t)it->nlimits, d = sizeof(double);
    if (!dfl_outcome_is_better(it, &one->at, at))
        return;
    at->value = one->at.value;
    memcpy(at->slope, one->at.slope, count * d);
    memcpy(at->residual, one->at.residual, m * d);
    memcpy(at->J, one->at.J, m * count * d);
    memcpy(at->limit, one->at.limit, limits * d);
    memcpy(at->limit_slope, one->at.limit_slope, limits * count * d);
    memcpy(z, one->z, count * d);
    it->out->converged = one->out.converged;
}
