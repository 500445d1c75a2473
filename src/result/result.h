/* result.h: where a run goes: CSV, HDF5, memory, or several; and its summary as JSON or text.

   Columns stand in the same order everywhere: positions p, velocities v, dynamic r, contact s, auxiliary
   w, lambda, mu, then the outputs; what a reader wants first comes first. */
#ifndef DFL_RESULT_H
#define DFL_RESULT_H

#include "context/text.h"
#include "derive/equations.h"

#include <driftless/driftless.h>

enum { DFL_LEVELS = 8 };
/* "position", "velocity", "acceleration", "nonholonomic", "contact", "auxiliary", "invariant",
   "massless" */
extern const char *const dfl_level_names[DFL_LEVELS];

/* The names of all columns, and where each state is found in x. */
typedef struct dfl_columns {
    int n, m;           /* states, outputs */
    int *place;         /* n: column -> index in x */
    const char **state; /* n names, owned by the equations */
    const char **output;
    char **unit; /* n + m: "" where it is not known */
} dfl_columns;
dfl_status dfl_columns_create(dfl_columns *out, const dfl_equations *eq);
void dfl_columns_clear(dfl_columns *columns, dfl_context *ctx);

/* "position", "velocity", "dynamic", "contact", "auxiliary" or "multiplier": the kind of a state's column. */
const char *dfl_column_kind(const dfl_equations *eq, int column);

/* The names of all declarations of one kind, in their order; NULL without memory (dfl_free). */
const char **dfl_declared_names(const dfl_equations *eq, dfl_declared kind);

/* One accepted step, for /steps and /residuals. */
typedef struct dfl_step_record {
    double time, size;
    int order;
    long rejections;             /* since the record before */
    double residual[DFL_LEVELS]; /* NAN where the model has none */
    double energy;               /* NAN if unknown */
} dfl_step_record;

/* A located event: the number of its declaration within its kind. */
typedef struct dfl_event_record {
    int event, direction;
    double time;
} dfl_event_record;

/* An option of the run, for /meta/options: a text, or a number where text is NULL. */
typedef struct dfl_run_option {
    const char *name, *text;
    double number;
} dfl_run_option;

/* What a run ended with; the fields of --json. */
typedef struct dfl_summary {
    const char *form, *method;
    const char *status;  /* "completed", "stopped", "interrupted", "failed" */
    const char *message; /* "" if none */
    double t, seconds;   /* NAN if the run never started */
    dfl_statistics statistics;
    double energy_drift;   /* NAN if unknown */
    const double *x;       /* final state, or NULL */
    const double *outputs; /* final outputs, or NULL */
    const dfl_event_record *events;
    int nevents; /* of `events`; statistics.events may be more */
} dfl_summary;

/* The largest residual of each level, NAN where model or form have no such level. */
void dfl_summary_levels(double levels[DFL_LEVELS], const dfl_summary *summary,
                        const dfl_equations *eq);

/* The counters of the statistics, by name. */
enum { DFL_COUNTERS = 15 };
typedef struct dfl_counter {
    const char *name;
    long value;
} dfl_counter;
void dfl_summary_counters(dfl_counter out[DFL_COUNTERS], const dfl_statistics *stats);

/* One file, or standard output. */
typedef struct dfl_writer dfl_writer;

/* Opens FILE.csv, FILE.h5 or FILE.hdf5 ("-" is CSV on standard output), a page FILE.html or a plot
   FILE.svg, replaces what is there and writes what is known before the run. `eq` must outlive the writer.
   DFL_INVALID: unknown ending, or the file cannot be opened (with the reason). DFL_CALLBACK: it cannot be
   written. DFL_STOPPED: the reader of standard output has gone. DFL_NO_MEMORY. */
dfl_status dfl_writer_open(dfl_writer **out, const char *path, const dfl_equations *eq,
                           const dfl_run_option *options, int noptions);

/* A result in memory. The arrays belong to the context `ctx`. */
typedef struct dfl_table {
    dfl_context *ctx;
    int columns;          /* time, states, outputs */
    size_t rows, room;    /* of values */
    double *values;       /* row by row */
    size_t nevents, more; /* events, and room for them */
    dfl_event_record *events;
    double *given, *corrected; /* n, as in x; NULL before the start */
    bool *held;
} dfl_table;

/* A writer into an empty table, `{.ctx = ctx}`, which must outlive it; steps are dropped. */
dfl_status dfl_writer_open_table(dfl_writer **out, dfl_table *table, const dfl_equations *eq);
void dfl_table_clear(dfl_table *table);

/* Whether steps and residuals are stored, or dropped (CSV, memory). */
bool dfl_writer_takes_steps(const dfl_writer *writer);

/* Whether the file shows the scene: then dfl_writer_scene comes before every row, with the numbers of
   dfl_runnable_scene. */
bool dfl_writer_takes_scene(const dfl_writer *writer);
void dfl_writer_scene(dfl_writer *writer, const double *columns);

/* What a plot shows, names with commas between; other files take everything. DFL_INVALID: an unknown
   name, with the nearest. */
dfl_status dfl_writer_columns(dfl_writer *writer, const char *columns);

/* A warning of the solver, for the end of the file. */
void dfl_writer_warning(dfl_writer *writer, const char *text);

/* Each of these fails with DFL_CALLBACK and the reason when the file cannot be written any more (what
   was written is kept), and with DFL_STOPPED when the reader of a pipe has gone. */
/* Given and corrected initial values (n each, as in x). */
dfl_status dfl_writer_initial(dfl_writer *writer, const double *given, const bool *held,
                              const double *corrected);
/* One row of states and outputs at time t. */
dfl_status dfl_writer_row(dfl_writer *writer, double t, const double *x, const double *outputs);
dfl_status dfl_writer_step(dfl_writer *writer, const dfl_step_record *step);
dfl_status dfl_writer_event(dfl_writer *writer, const dfl_event_record *event);
/* Writes what is buffered and the summary, closes and frees the writer, also after a failure; NULL is
   allowed. `summary` NULL: the run was given up. */
dfl_status dfl_writer_close(dfl_writer *writer, const dfl_summary *summary);

/* The object of `--json`, ended by a newline. */
dfl_status dfl_summary_json(dfl_text *text, const dfl_summary *summary, const dfl_equations *eq);
/* A few lines for people. */
dfl_status dfl_summary_text(dfl_text *text, const dfl_summary *summary, const dfl_equations *eq);

/* Parts of JSON: a string in quotation marks (bytes that are not UTF-8 become U+FFFD), a number (null
   unless finite). */
void dfl_json_string(dfl_text *text, const char *string);
void dfl_json_number(dfl_text *text, double number);

#endif
