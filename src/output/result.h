/* result.h: where a run goes: CSV, HDF5, or both; and its summary as JSON or text. */
#ifndef DFL_RESULT_H
#define DFL_RESULT_H

#include "context/text.h"
#include "model/runnable.h"

/* One stored step for /steps and /residuals. */
typedef struct dfl_step_record {
    double time, size;
    int order;
    long rejections; /* since the record before */
    double residual
        [8]; /* position, velocity, acceleration, nonholonomic, contact, auxiliary, invariant, massless;
                           NAN where the model has none */
    double energy; /* NAN if unknown */
} dfl_step_record;

/* What a run ended with; the fields of --json. */
typedef struct dfl_summary {
    const char *model, *form, *method;
    dfl_status status;
    const char *status_name; /* "completed", "stopped by event NAME", "interrupted", "failed" */
    const char *message;     /* "" if none */
    double t, seconds;
    dfl_statistics statistics;
    double energy_drift;   /* NAN if unknown */
    const double *x;       /* final state, or NULL */
    const double *outputs; /* final outputs, or NULL */
} dfl_summary;

typedef struct dfl_writer dfl_writer;

/* Opens FILE.csv or FILE.h5 (by the ending; "-" is CSV on standard output) and writes what is known
   before the run. DFL_INVALID: unknown ending, or the file cannot be written (with the reason). */
dfl_status dfl_writer_open(dfl_writer **out, const char *path, dfl_runnable *run);

/* One row of states and outputs at time t. DFL_CALLBACK with the reason when the disk is full. */
dfl_status dfl_writer_row(dfl_writer *writer, double t, const double *x, const double *outputs);
dfl_status dfl_writer_step(dfl_writer *writer, const dfl_step_record *step);
/* Given and corrected initial values (n each). */
dfl_status dfl_writer_initial(dfl_writer *writer, const double *given, const bool *held,
                              const double *corrected);
/* Flushes, writes the summary, closes. Also after failures: what was computed is kept. */
dfl_status dfl_writer_close(dfl_writer *writer, const dfl_summary *summary);

/* The object of `--json`, ended by a newline. */
dfl_status dfl_summary_json(dfl_text *text, const dfl_summary *summary, const dfl_equations *eq);
/* A few lines for people. */
dfl_status dfl_summary_text(dfl_text *text, const dfl_summary *summary, const dfl_equations *eq);

#endif
