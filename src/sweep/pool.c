/* pool.c: the cases of a study on threads, each with a model of its own. */
#include "sweep/sweep_internal.h"

#include "workers/workers.h"

#include <errno.h>
#include <stdatomic.h>

typedef struct place {
    dfl_case it;
    dfl_case_model model;
    double *values;
} place;

struct dfl_pool {
    dfl_context *ctx;
    const dfl_cases *cases;
    dfl_pool_hooks hooks;
    place *places;
    int count;
    dfl_workers *workers;
    atomic_int trouble;
};

static dfl_status create_places(dfl_pool *pool);
static bool run_next(int thread, void *user);
static void leave(int thread, void *user);
static bool asked_to_stop(void *user);

dfl_status dfl_pool_start(dfl_pool **out, dfl_context *ctx, const dfl_cases *cases, int threads,
                          const dfl_pool_hooks *hooks)
{
    *out = NULL;
    dfl_pool *pool = dfl_alloc(ctx, 1, sizeof *pool);
    if (!pool)
        return DFL_NO_MEMORY;
    pool->ctx = ctx;
    pool->cases = cases;
    pool->hooks = *hooks;
    pool->count = dfl_workers_count(threads);
    *out = pool;
    const dfl_status status = create_places(pool);
    const dfl_work work = {.job = run_next, .leave = leave, .user = pool};
    return status ? status : dfl_workers_start(&pool->workers, ctx, pool->count, &work);
}

static dfl_status create_places(dfl_pool *pool)
{
    const size_t numbers = dfl_case_numbers(&pool->cases->layout);
    const size_t parameters = (size_t)dfl_design_parameters(pool->cases->design);
    pool->places = dfl_alloc(pool->ctx, (size_t)pool->count, sizeof *pool->places);
    for (int i = 0; pool->places && i < pool->count; i++) {
        place *it = &pool->places[i];
        it->it.numbers = dfl_alloc(pool->ctx, numbers, sizeof *it->it.numbers);
        it->values = dfl_alloc(pool->ctx, parameters + 1, sizeof *it->values);
        if (!it->it.numbers || !it->values)
            return DFL_NO_MEMORY;
    }
    return pool->places ? DFL_OK : DFL_NO_MEMORY;
}

static bool run_next(int thread, void *user)
{
    dfl_pool *pool = user;
    place *here = &pool->places[thread];
    const dfl_pool_hooks *hooks = &pool->hooks;
    if (!hooks->next(&here->it.number, here->values, hooks->user))
        return false;
    dfl_cases_run(&here->it, &here->model, pool->cases, here->values, asked_to_stop, pool);
    if (here->it.state == DFL_CASE_MISSING)
        return false;
    if (!hooks->done(&here->it, hooks->user)) {
        atomic_store(&pool->trouble, errno ? errno : EIO);
        dfl_workers_stop(pool->workers);
    }
    return true;
}

static void leave(int thread, void *user)
{
    dfl_case_model_clear(&((dfl_pool *)user)->places[thread].model);
}

static bool asked_to_stop(void *user)
{
    return dfl_workers_stopped(((dfl_pool *)user)->workers);
}

bool dfl_pool_wait(dfl_pool *pool, double seconds)
{
    return !pool->workers || dfl_workers_wait(pool->workers, seconds);
}

void dfl_pool_stop(dfl_pool *pool)
{
    if (pool->workers)
        dfl_workers_stop(pool->workers);
}

int dfl_pool_trouble(dfl_pool *pool)
{
    return atomic_load(&pool->trouble);
}

void dfl_pool_free(dfl_pool *pool)
{
    if (!pool)
        return;
    dfl_workers_free(pool->workers);
    for (int i = 0; pool->places && i < pool->count; i++) {
        dfl_free(pool->ctx, pool->places[i].it.numbers);
        dfl_free(pool->ctx, pool->places[i].values);
    }
    dfl_free(pool->ctx, pool->places);
    dfl_free(pool->ctx, pool);
}
