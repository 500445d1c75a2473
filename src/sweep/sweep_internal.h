/* sweep_internal.h: a study, inside the module: what its cases have in common, one case, all of
   them on threads, the file and the queue. */
#ifndef DFL_SWEEP_INTERNAL_H
#define DFL_SWEEP_INTERNAL_H

#include <driftless/sweep.h>

#include "model/model.h"
#include "result/result.h"
#include "study/study.h"
#include "sweep/design.h"

#include <pthread.h>

/* ---- the cases (cases.c, case_run.c) ---- */

/* Numbers of `results`: the time at the end, then these for each column, then two per event. */
enum { STAT_FINAL, STAT_MIN, STAT_MAX, STAT_MEAN, STAT_RMS, STATS };

typedef struct dfl_cases_options {
    int nsettings;
    const char *const *settings; /* "NAME=VALUE" */
    const char *columns;         /* NULL: outputs, or positions */
    double seconds, megabytes;   /* limits; 0: none */
} dfl_cases_options;

typedef struct dfl_cases {
    dfl_context *ctx;
    const dfl_design *design;
    const dfl_model *model;
    dfl_cases_options options;
    char *columns; /* names of the columns that are kept, separated by commas */
    char hash[20];
    char **owned; /* texts of the layout */
    int nowned;
    const char **outputs, **events, **results, **series; /* lists of the layout */
    dfl_case_layout layout;                              /* of the file */
    double every;                                        /* of the grid of series */
} dfl_cases;

/* Derives the model once and finds out what a case has. Design, model and options must outlive
 *out. DFL_INVALID: the model is wrong, or has no such parameter. */
dfl_status dfl_cases_create(dfl_cases **out, dfl_context *ctx, const dfl_model *model,
                            const dfl_design *design, const dfl_cases_options *options);
void dfl_cases_free(dfl_cases *cases);

typedef struct dfl_case {
    long number;
    dfl_case_state state; /* DFL_CASE_MISSING: it was stopped from outside */
    double *numbers;      /* dfl_case_numbers(layout) */
    char message[DFL_CASE_MESSAGE];
} dfl_case;

/* The model of a thread with the values of its last case (case_model.c): equations stay as long as
   they only change their values. Everything lives in a context of its own, where memory is counted.
   Begins as {0}. */
typedef struct dfl_case_model {
    struct {
        size_t used, most; /* bytes; most is 0: no limit */
        bool exceeded;
    } memory;
    bool (*over)(void *user); /* the case is to end: it gets no more memory; NULL: it goes on */
    void *user;
    double over_since;
    dfl_context *ctx;
    dfl_derived derived;
    double limit;      /* of memory, bytes */
    size_t kept;       /* bytes of the equations, after their first case */
    char *texts;       /* "NAME=VALUE" of the case, in `room` bytes ... */
    const char **sets; /* ... by parameter */
    size_t room;
} dfl_case_model;

/* Gives it the values of a case. The context has the message of a failure. */
dfl_status dfl_case_model_take(dfl_case_model *model, const dfl_cases *cases, const double *values);
/* After a case; nothing is kept of one that failed. */
void dfl_case_model_leave(dfl_case_model *model, bool well);
void dfl_case_model_clear(dfl_case_model *model);

/* Runs one case; `stop` (may be NULL) is asked after every step. Depends on nothing but cases and
   values, not on what the model was used for before. May run in several threads, each with a model
   of its own. */
void dfl_cases_run(dfl_case *it, dfl_case_model *model, const dfl_cases *cases,
                   const double *values, bool (*stop)(void *user), void *user);

/* ---- threads (pool.c) ---- */

/* Who hands out cases and takes their results; both are called by several threads at once. */
typedef struct dfl_pool_hooks {
    bool (*next)(long *number, double *values, void *user); /* false: there are no more */
    bool (*done)(const dfl_case *it, void *user);           /* false: end, errno says why */
    void *user;
} dfl_pool_hooks;

typedef struct dfl_pool dfl_pool;

/* Starts `threads` threads (0: as many as there are processors). The caller frees *out also after a
   failure. */
dfl_status dfl_pool_start(dfl_pool **out, dfl_context *ctx, const dfl_cases *cases, int threads,
                          const dfl_pool_hooks *hooks);
/* Waits for the end of all threads, at most some seconds. True: they have ended. */
bool dfl_pool_wait(dfl_pool *pool, double seconds);
/* Cases under way end soon, and are missing. */
void dfl_pool_stop(dfl_pool *pool);
/* Why `done` has ended the pool: a number of errno; 0: it has not. */
int dfl_pool_trouble(dfl_pool *pool);
/* Waits for all threads. NULL is allowed. */
void dfl_pool_free(dfl_pool *pool);

/* ---- the study ---- */

struct dfl_sweep {
    dfl_context *ctx;
    const dfl_model *model;
    char *path, *columns_kept;
    const char **settings; /* of study{} (planned.c), or NULL ... */
    char every[40], *cases_file;
    dfl_design *design;
    dfl_cases *cases;
    dfl_case_file *file; /* NULL: elsewhere */
    bool resumed;
    dfl_pool *pool;
    double begun;
    dfl_status outcome; /* of the threads, once they have ended */
    const char **names; /* of the table's columns */
    double *values;     /* room for a row of the table */
    char message[DFL_CASE_MESSAGE];

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t more;  /* elsewhere: jobs, or the end of all jobs */
    uint16_t *there;      /* by case: 0: missing; 1: in the file, or under way; 1 + N: under way in
                             process N */
    long next;            /* the first one that may not be */
    long total, done, failed, before, first_failed;
    char first_message[DFL_CASE_MESSAGE];
    long doubtful, first_doubtful; /* cases that have run, of which something is not known */
    char first_doubt[DFL_CASE_MESSAGE];
    char *jobs, *results; /* elsewhere: those that wait */
    int njobs, nresults, job_room, result_room, under_way;
    bool last_jobs;
};

/* planned.c: options, and what study{} of the script says. */
dfl_status dfl_sweep_plan(dfl_sweep_options *out, dfl_sweep *sweep, const dfl_sweep_options *given);

/* sweep_file.c: design, cases and file, from options or from the file. */
dfl_status dfl_sweep_prepare(dfl_sweep *sweep, const dfl_sweep_options *options);

/* sweep_queue.c: what is there already; hooks of the pool. */
dfl_status dfl_sweep_count(dfl_sweep *sweep);
bool dfl_sweep_next(long *number, double *values, void *sweep);
bool dfl_sweep_take(long *number, double *values, dfl_sweep *sweep, int process);
bool dfl_sweep_done(const dfl_case *it, void *sweep);
void dfl_sweep_count_case(dfl_sweep *sweep, long number, dfl_case_state state, const char *message);
/* sweep_jobs.c: the same for jobs of another process. */
bool dfl_sweep_next_job(long *number, double *values, void *sweep);
bool dfl_sweep_job_done(const dfl_case *it, void *sweep);

/* bootstrap.c: numbers of cases that belong together, row by row; one row, or the one that a
   resample has in its place. */
typedef struct dfl_sample_rows {
    int width;
    long count;
    double *value;
} dfl_sample_rows;
typedef struct dfl_resample {
    uint64_t seed;
    int number;
} dfl_resample;
const double *dfl_sample_row(const dfl_sample_rows *rows, const dfl_resample *pick, long row);

/* sensitivity.c: whether the study has Saltelli's design; Sobol's indices of column `column` of
   `results`. */
bool dfl_sensitivity_known(const dfl_case_file *file);
dfl_status dfl_sensitivity(double *first, double *total, const dfl_case_file *file,
                           dfl_context *ctx, int column);

/* f(A), f(B), f(AB_1), ... of all complete rows of the design; the indices of these or, with
   `pick`, of others: all of first order, then all total ones. The caller frees the rows, also after
   a failure. */
dfl_status dfl_sensitivity_rows(dfl_sample_rows *out, const dfl_case_file *file, dfl_context *ctx,
                                int column);
void dfl_sobol_indices(double *out, const dfl_sample_rows *rows, const dfl_resample *pick);
/* Whether all cases are samples of the same distributions. */
bool dfl_samples_known(const dfl_case_file *file);
/* sweep.c: DFL_INVALID unless the sweep has its file and this result. */
dfl_status dfl_sweep_check_result(dfl_sweep *sweep, int result);

/* case_table.c: the table of a file as CSV. */
dfl_status dfl_cases_write_csv(const dfl_case_file *file, dfl_context *ctx, const char *path);

#endif
