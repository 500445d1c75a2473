/* workers.h: threads that take jobs from one queue. */
#ifndef DFL_WORKERS_H
#define DFL_WORKERS_H

#include <driftless/context.h>

#include <stdbool.h>

/* Both are called by several threads at once, each with its number from 0 on. */
typedef struct dfl_work {
    bool (*job)(int thread, void *user);   /* takes a job and does it; false: the thread ends */
    void (*leave)(int thread, void *user); /* the last call of a thread; NULL: none */
    void *user;
} dfl_work;

typedef struct dfl_workers dfl_workers;

/* Starts `threads` threads (0: as many as there are processors), which get no signals. The caller
   frees *out also after a failure: DFL_NO_MEMORY, also if no thread can be started. */
dfl_status dfl_workers_start(dfl_workers **out, dfl_context *ctx, int threads,
                             const dfl_work *work);
/* How many threads there will be. */
int dfl_workers_count(int threads);
/* Waits for the end of all threads, at most some seconds. True: they have ended. */
bool dfl_workers_wait(dfl_workers *workers, double seconds);
/* No thread takes another job. Whether that was said. */
void dfl_workers_stop(dfl_workers *workers);
bool dfl_workers_stopped(const dfl_workers *workers);
/* Waits for all threads. NULL is allowed. */
void dfl_workers_free(dfl_workers *workers);

#endif
