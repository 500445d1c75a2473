/* pool.c: the cases of a study on several threads, which take them from one queue. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/sweep_internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

typedef struct worker {
    struct dfl_pool *pool;
    pthread_t thread;
    dfl_case it;
    dfl_case_model model;
    double *values;
} worker;

struct dfl_pool {
    dfl_context *ctx;
    const dfl_cases *cases;
    dfl_pool_hooks hooks;
    worker *workers;
    int count, started;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int running; /* under the lock */
    atomic_bool stop;
    atomic_int trouble;
};

static void *work(void *user);
static bool asked_to_stop(void *user);

static int processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < 4096 ? (int)count : 1;
}

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
    pool->count = threads > 0 ? threads : processors();
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->ended, NULL);
    *out = pool;
    pool->workers = dfl_alloc(ctx, (size_t)pool->count, sizeof *pool->workers);
    if (!pool->workers)
        return DFL_NO_MEMORY;
    for (int i = 0; i < pool->count; i++) {
        worker *it = &pool->workers[i];
        it->pool = pool;
        it->it.numbers = dfl_alloc(ctx, dfl_case_numbers(&cases->layout), sizeof *it->it.numbers);
        it->values =
            dfl_alloc(ctx, (size_t)dfl_design_parameters(cases->design) + 1, sizeof *it->values);
        if (!it->it.numbers || !it->values)
            return DFL_NO_MEMORY;
    }
    sigset_t all, usual; /* signals are for the thread that waits */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &usual);
    pool->running = pool->count;
    while (pool->started < pool->count &&
           !pthread_create(&pool->workers[pool->started].thread, NULL, work,
                           &pool->workers[pool->started]))
        pool->started++;
    pthread_sigmask(SIG_SETMASK, &usual, NULL);
    pthread_mutex_lock(&pool->lock);
    pool->running -= pool->count - pool->started;
    pthread_mutex_unlock(&pool->lock);
    return pool->started > 0 ? DFL_OK : dfl_fail(ctx, DFL_NO_MEMORY, "no thread can be started");
}

static void *work(void *user)
{
    worker *self = user;
    dfl_pool *pool = self->pool;
    const dfl_pool_hooks *hooks = &pool->hooks;
    while (!atomic_load(&pool->stop) && hooks->next(&self->it.number, self->values, hooks->user)) {
        dfl_cases_run(&self->it, &self->model, pool->cases, self->values, asked_to_stop, pool);
        if (self->it.state == DFL_CASE_MISSING)
            break;
        if (!hooks->done(&self->it, hooks->user)) {
            atomic_store(&pool->trouble, errno ? errno : EIO);
            atomic_store(&pool->stop, true);
        }
    }
    dfl_case_model_clear(&self->model);
    pthread_mutex_lock(&pool->lock);
    pool->running--;
    pthread_cond_signal(&pool->ended);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static bool asked_to_stop(void *user)
{
    return atomic_load(&((dfl_pool *)user)->stop);
}

bool dfl_pool_wait(dfl_pool *pool, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const double fraction = (double)until.tv_nsec * 1e-9 + seconds;
    until.tv_sec += (time_t)fraction;
    until.tv_nsec = (long)((fraction - (double)(time_t)fraction) * 1e9);
    pthread_mutex_lock(&pool->lock);
    while (pool->running > 0 &&
           pthread_cond_timedwait(&pool->ended, &pool->lock, &until) != ETIMEDOUT)
        ;
    const bool ended = pool->running == 0;
    pthread_mutex_unlock(&pool->lock);
    return ended;
}

void dfl_pool_stop(dfl_pool *pool)
{
    atomic_store(&pool->stop, true);
}

int dfl_pool_trouble(dfl_pool *pool)
{
    return atomic_load(&pool->trouble);
}

void dfl_pool_free(dfl_pool *pool)
{
    if (!pool)
        return;
    for (int i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    for (int i = 0; pool->workers && i < pool->count; i++) {
        dfl_free(pool->ctx, pool->workers[i].it.numbers);
        dfl_free(pool->ctx, pool->workers[i].values);
    }
    pthread_cond_destroy(&pool->ended);
    pthread_mutex_destroy(&pool->lock);
    dfl_free(pool->ctx, pool->workers);
    dfl_free(pool->ctx, pool);
}
