/* workers.c: threads that take jobs from one queue. */
#define _POSIX_C_SOURCE 200809L
#include "workers/workers.h"

#include "context/context.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

typedef struct worker {
    struct dfl_workers *all;
    pthread_t thread;
    int number;
} worker;

struct dfl_workers {
    dfl_context *ctx;
    dfl_work work;
    worker *worker;
    int count, started;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int running; /* under the lock */
    atomic_bool stop;
};

static void *live(void *user);

int dfl_workers_count(int threads)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > 0)
        return threads;
    return processors > 0 && processors < 4096 ? (int)processors : 1;
}

dfl_status dfl_workers_start(dfl_workers **out, dfl_context *ctx, int threads, const dfl_work *work)
{
    *out = NULL;
    dfl_workers *all = dfl_alloc(ctx, 1, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    all->ctx = ctx;
    all->work = *work;
    all->count = dfl_workers_count(threads);
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->ended, NULL);
    *out = all;
    all->worker = dfl_alloc(ctx, (size_t)all->count, sizeof *all->worker);
    if (!all->worker)
        return DFL_NO_MEMORY;
    sigset_t signals, usual; /* they are for the thread that waits */
    sigfillset(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, &usual);
    all->running = all->count;
    for (; all->started < all->count; all->started++) {
        worker *it = &all->worker[all->started];
        *it = (worker){.all = all, .number = all->started};
        if (pthread_create(&it->thread, NULL, live, it))
            break;
    }
    pthread_sigmask(SIG_SETMASK, &usual, NULL);
    pthread_mutex_lock(&all->lock);
    all->running -= all->count - all->started;
    pthread_mutex_unlock(&all->lock);
    return all->started > 0 ? DFL_OK : dfl_fail(ctx, DFL_NO_MEMORY, "no thread can be started");
}

static void *live(void *user)
{
    worker *self = user;
    dfl_workers *all = self->all;
    const dfl_work *work = &all->work;
    while (!atomic_load(&all->stop) && work->job(self->number, work->user))
        ;
    if (work->leave)
        work->leave(self->number, work->user);
    pthread_mutex_lock(&all->lock);
    all->running--;
    pthread_cond_signal(&all->ended);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

bool dfl_workers_wait(dfl_workers *workers, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const double fraction = (double)until.tv_nsec * 1e-9 + seconds;
    until.tv_sec += (time_t)fraction;
    until.tv_nsec = (long)((fraction - (double)(time_t)fraction) * 1e9);
    pthread_mutex_lock(&workers->lock);
    while (workers->running > 0 &&
           pthread_cond_timedwait(&workers->ended, &workers->lock, &until) != ETIMEDOUT)
        ;
    const bool ended = workers->running == 0;
    pthread_mutex_unlock(&workers->lock);
    return ended;
}

void dfl_workers_stop(dfl_workers *workers)
{
    atomic_store(&workers->stop, true);
}

bool dfl_workers_stopped(const dfl_workers *workers)
{
    return atomic_load(&workers->stop);
}

void dfl_workers_free(dfl_workers *workers)
{
    if (!workers)
        return;
    for (int i = 0; i < workers->started; i++)
        pthread_join(workers->worker[i].thread, NULL);
    pthread_cond_destroy(&workers->ended);
    pthread_mutex_destroy(&workers->lock);
    dfl_free(workers->ctx, workers->worker);
    dfl_free(workers->ctx, workers);
}
