/* driftless/sweep.h: many runs of one model, on all processors, into one file. Link with
   libdriftless-model. */
#ifndef DFL_SWEEP_H
#define DFL_SWEEP_H

#include <driftless/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `{0}` with something that varies, here or in study{} of the script, is a complete set. Fields
   have the names of the options of `driftless sweep` (docs/studies.md). */
typedef struct dfl_sweep_options {
    int nover;
    const char *const *over; /* "NAME=FIRST:LAST:COUNT", ... ":log", "NAME=A,B,C" */
    int nsample;
    const char *const *sample; /* "NAME=normal(MEAN,DEVIATION)" and so on */
    double count;              /* of samples; 0 means 100 */
    double seed;               /* a whole number; 0 means 1 */
    const char *design;        /* "random", "lhs", "sobol", "saltelli"; NULL means "random" */
    const char *cases;         /* a file FILE.csv with a row per case instead; NULL: none */
    int nsettings;
    const char *const *settings; /* as in dfl_run_options; with "every=H" series are kept, too */
    const char *columns; /* what is kept, names separated by commas; NULL: outputs, or positions */
    double case_seconds; /* a case that takes longer has failed; 0: no limit */
    double case_memory;  /* likewise, megabytes */
    const char *output;  /* FILE.h5; NULL: MODEL-study.h5 */
    const char *resume;  /* go on with this file, which says all of the above but the limits; NULL:
                             none */
    bool replace;        /* a study in `output` that has results is lost; false: it is refused */
    bool elsewhere;      /* other processes hand out cases and write: there is no file */
} dfl_sweep_options;

typedef struct dfl_sweep dfl_sweep;

/* Makes the file of the study, or opens it to go on. Model and texts must outlive the sweep.
   DFL_INVALID: wrong options, a model that cannot run with its own values, a file of another model,
   one that another process writes, or one with results that would be lost. DFL_IO, DFL_NO_MEMORY.
 */
dfl_status dfl_sweep_create(dfl_sweep **out, dfl_context *ctx, const dfl_model *model,
                            const dfl_sweep_options *options);

/* Ends what is under way, and frees it; NULL is allowed. The file stays. */
void dfl_sweep_free(dfl_sweep *sweep);

/* Starts threads, which run all cases that are missing; 0: as many as there are processors. */
dfl_status dfl_sweep_start(dfl_sweep *sweep, int threads);

/* Waits for their end, at most some seconds. True: they have ended. */
bool dfl_sweep_wait(dfl_sweep *sweep, double seconds);

/* Cases under way end soon, without a result. */
void dfl_sweep_stop(dfl_sweep *sweep);

/* How it went, once all threads have ended or shall end: DFL_OK: every case has run. DFL_STOPPED:
   some are missing. DFL_IO: the file cannot be written. */
dfl_status dfl_sweep_finish(dfl_sweep *sweep);

typedef struct dfl_sweep_progress {
    long cases, done, failed; /* failed ones are done */
    long before;              /* done when the sweep was created */
    long first_failed;        /* the lowest number of a case that has failed, or -1 ... */
    const char *message;      /* ... and why; "" if none */
    long doubtful;            /* have run, but some of their results are not known ... */
    long first_doubtful;      /* ... the lowest number of one */
    const char *doubt;        /* ... and what is not known of it, and why; "" if none */
    double seconds;           /* since the start */
    const char *path;         /* of the file, or NULL */
} dfl_sweep_progress;
dfl_sweep_progress dfl_sweep_so_far(dfl_sweep *sweep);

/* The table: one row per case. Names of columns: parameters, then "t", "OUTPUT.final" and so on.
   States: 0 missing, 1 completed, 2 stopped by an event, 3 failed. */
int dfl_sweep_columns(const dfl_sweep *sweep, const char *const **names, int *parameters);
/* A row; returns the state. `message` (may be NULL), why the case has failed or what is not known
   of it, points into the sweep until the next call. */
int dfl_sweep_row(double *values, dfl_sweep *sweep, long number, const char **message);

/* The table as CSV; `path` NULL: standard output. */
dfl_status dfl_sweep_write_csv(dfl_sweep *sweep, const char *path);

/* ---- several processes ---- */

/* Who has the file hands out up to `most` cases as jobs to process 1, 2, ... (up to 65534) and
   stores results; others take jobs and give results. Both are bytes of these sizes, for processes
   of the same program. Cases of a process that ends are taken back if it has no results of them:
   how many. */
size_t dfl_sweep_job_size(const dfl_sweep *sweep);
size_t dfl_sweep_result_size(const dfl_sweep *sweep);
int dfl_sweep_hand_out(void *jobs, dfl_sweep *sweep, int most, int process);
dfl_status dfl_sweep_store(dfl_sweep *sweep, const void *results, int count);
long dfl_sweep_take_back(dfl_sweep *sweep, int process);

/* What has to be the same in all processes: version, model, settings and results, as bytes.
   DFL_INVALID: that of a process is another; the message says which part. */
enum { DFL_SWEEP_IDENTITY = 96 };
void dfl_sweep_identity(char out[DFL_SWEEP_IDENTITY], const dfl_sweep *sweep);
dfl_status dfl_sweep_check_identity(dfl_sweep *sweep, int process, const void *other, size_t count);

/* `elsewhere`: adds jobs (DFL_NO_MEMORY); collects up to `most` results; how many jobs wait or run.
   No jobs (count 0): the threads end when there are none left. */
dfl_status dfl_sweep_add_jobs(dfl_sweep *sweep, const void *jobs, int count);
int dfl_sweep_collect(void *results, dfl_sweep *sweep, int most);
int dfl_sweep_waiting(dfl_sweep *sweep);

/* Sobol's indices of a result, the column with this number behind the parameters, by all
   parameters: the part of its variance by each alone, and with its interactions. NAN: it does not
   vary, or completed cases lack it, as the time of an event that some runs do not meet.
   DFL_INVALID: the study has not the design "saltelli". */
dfl_status dfl_sweep_sensitivity(double *first, double *total, dfl_sweep *sweep, int result);

/* What a study estimates, with the interval that contains it in 95 of 100 studies, by the
   bootstrap; NAN: not known. `how` NULL: as {0}. */
typedef struct dfl_estimate {
    double value, low, high;
    long rows; /* cases, or rows of the design "saltelli", that have the result */
} dfl_estimate;
typedef struct dfl_bootstrap {
    int resamples; /* 0 means 1000 */
    int threads;   /* 0: as many as there are processors; they do not change the intervals */
} dfl_bootstrap;

/* Mean and standard deviation of a result over all cases that have it. DFL_INVALID: the cases are
   not samples
   (`sample` without `over`, and not with the design "saltelli"). */
dfl_status dfl_sweep_statistics(dfl_estimate *mean, dfl_estimate *deviation, dfl_sweep *sweep,
                                int result, const dfl_bootstrap *how);
/* As dfl_sweep_sensitivity. */
dfl_status dfl_sweep_sensitivity_intervals(dfl_estimate *first, dfl_estimate *total,
                                           dfl_sweep *sweep, int result, const dfl_bootstrap *how);

/* ---- pages ---- */

/* Whether a file is a study; its page, as one HTML file. DFL_INVALID, DFL_IO. */
bool dfl_is_sweep(dfl_context *ctx, const char *study);
dfl_status dfl_sweep_page(dfl_context *ctx, const char *study, const char *path);

#ifdef __cplusplus
}
#endif
#endif
