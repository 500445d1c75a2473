/* result.h: a run as files: CSV, HDF5 or memory; its summary as JSON or text.

   A record describes one run, hands its rows, steps and events to all its files, and keeps the
   first failure of each. The kinds of files of this module are CSV, HDF5 and a table in memory;
   other modules add theirs as a dfl_file_kind (report: pages and plots).

   Every file has the same order of columns: positions p, velocities v, dynamic r, contact s,
   auxiliary w, lambda, mu, then the outputs. */
#ifndef DFL_RESULT_H
#define DFL_RESULT_H

#include "context/context.h"
#include "derive/derive.h"

#include "result/case_file.h"

#include <driftless/solver.h>

/* ------------------------------------------------------------------------------- columns */

enum { DFL_LEVELS = 8 };
/* "position", "velocity", "acceleration", "nonholonomic", "contact", "auxiliary", "invariant",
   "massless" */
extern const char *const dfl_level_names[DFL_LEVELS];

/* The residuals of a solver in this order. */
void dfl_residual_levels(double levels[DFL_LEVELS], const dfl_residuals *residuals);

/* The columns of all files, states first. */
typedef struct dfl_columns {
    int n, m;           /* states, outputs */
    int *place;         /* n: column -> index in x */
    const char **names; /* n + m, owned by the model */
    const char **kinds; /* n: "position", "velocity", "dynamic", "contact", "auxiliary" or
                           "multiplier" */
    char **units;       /* n + m: "" if unknown */
} dfl_columns;
dfl_status dfl_columns_create(dfl_columns *out, const dfl_equations *eq);
void dfl_columns_clear(dfl_columns *columns, dfl_context *ctx);

/* ------------------------------------------------------------------------------- one run */

/* A name with a text, or with a number if `text` is NULL. */
typedef struct dfl_fact {
    const char *name, *text;
    double number;
} dfl_fact;

/* What all files say about a run. It owns nothing. */
typedef struct dfl_description {
    const char *model, *text, *version; /* name and script of the model; version of Driftless */
    const char
        *energy; /* what the largest change of energy is called; behind a comma: why it changes */
    int n, m;    /* states, outputs */
    const char *const *names; /* n + m */
    const char *const *kinds; /* n: as in dfl_columns */
    const char *const *units; /* n + m: "" if unknown; NULL if none is known */
    int noptions;
    const dfl_fact *options; /* how it was run */
    int nparameters;         /* parameters, inputs and settings, with their values in this run */
    const char *const *parameters, *const *parameter_units;
    const double *values;
    int nfiles;
    const char *const *files, *const *file_texts; /* files that the script has read */
    const char *hash; /* a number that changes with the script and these files */
    int nevents;
    const char *const *events; /* names of declared events */
    int nswitches, nimpulses;
    const char *const *switches;    /* names of what may happen at an instant, with their lines */
    const char *const *impulses;    /* what may have an impulse: contacts, rows, velocities */
    const char *scene;              /* shapes as JSON; NULL without any */
    int nscene;                     /* numbers per frame of the scene */
    const char *const *scene_names; /* nscene: the shape of each number */

    const double *given, *corrected; /* n initial values each; NULL before the start */
    const unsigned char *held;       /* n: 1 if held at the start */

    const char *status, *message, *warnings; /* NULL before the end; warnings: one per line */
    int nstatistics, ncounters;
    const dfl_fact *statistics, *counters; /* numbers, whole numbers */
    int nlevels;
    const double *levels; /* largest residual of each level, NAN if the model has no such level */
} dfl_description;

/* One accepted step. */
typedef struct dfl_step_record {
    double time, size;
    int order;
    long rejections;             /* since the step before */
    double residual[DFL_LEVELS]; /* NAN if the model has no such level */
    double energy;               /* NAN if unknown */
} dfl_step_record;

/* A located event: the index of its declaration among the events. */
typedef struct dfl_event_record {
    int event, direction;
    double time;
    int acts; /* what it has done: its number in the summary's switches; -1: nothing */
} dfl_event_record;

/* Something that happens at an instant: an event or a sample acts, a contact collides or changes
   its mode, a branch of the equations changes, velocities jump at the kink of a constraint or
   motion. */
typedef enum dfl_switched {
    DFL_SWITCHED_EVENT,
    DFL_SWITCHED_SAMPLE,
    DFL_SWITCHED_IMPACT,
    DFL_SWITCHED_MODE,
    DFL_SWITCHED_BRANCH,
    DFL_SWITCHED_KINK,
    DFL_SWITCHED_KINDS
} dfl_switched;
extern const char *const dfl_switched_names[DFL_SWITCHED_KINDS];

/* The modes of a contact or of friction. */
typedef enum dfl_touching {
    DFL_TOUCHING_OPEN,
    DFL_TOUCHING_CLOSED,
    DFL_TOUCHING_STICKS,
    DFL_TOUCHING_SLIPS,
    DFL_TOUCHING_SLIPS_BACK,
    DFL_TOUCHING_MODES
} dfl_touching;
extern const char *const dfl_touching_names[DFL_TOUCHING_MODES];

typedef struct dfl_impulse {
    int name; /* of the description's impulses */
    double value;
} dfl_impulse;

typedef struct dfl_switch_record {
    double time;
    dfl_switched kind;
    int name;             /* of the description's switches */
    int state;            /* after it: a dfl_touching of a contact; the branch; the direction of an
                             event; 0 of a sample */
    double energy_change; /* NAN: velocities do not jump, or the energy is unknown */
    int nimpulses;
    const dfl_impulse *impulses;
} dfl_switch_record;

/* How a run ended. */
/* A column over the whole run. */
typedef struct dfl_over_time {
    const char *name;
    double min, max, mean, rms, final;
} dfl_over_time;

typedef struct dfl_summary {
    const char *form, *method, *linear;
    const char *status;  /* "completed", "stopped", "interrupted", "failed" */
    const char *message; /* "" if none */
    double t, seconds;   /* NAN if the run never started */
    dfl_statistics statistics;
    double energy_drift;   /* NAN if unknown */
    double rtol;           /* relative tolerance */
    const double *atol;    /* n: absolute tolerances at the end, or NULL */
    const double *x;       /* final state, or NULL */
    const double *outputs; /* final outputs, or NULL */
    const dfl_event_record *events;
    int nevents; /* of `events`; statistics.events may be more */
    const dfl_switch_record *switches;
    int nswitches;                  /* of `switches` ... */
    long total_switches;            /* ... and of the run */
    const dfl_over_time *over_time; /* of columns whose statistics are wanted ... */
    int nover_time;                 /* ... if they are */
} dfl_summary;

/* The largest residual of each level; NAN if the model or the form has no such level. */
void dfl_summary_levels(double levels[DFL_LEVELS], const dfl_summary *summary,
                        const dfl_equations *eq);

typedef struct dfl_record dfl_record;

/* Describes a run of `eq`, which must outlive the record, as must the options. DFL_NO_MEMORY. */
dfl_status dfl_record_create(dfl_record **out, const dfl_equations *eq, const dfl_fact *options,
                             int noptions);
/* The same with more numbers in every row: columns of these names, which must outlive the record,
   behind the outputs; and `moves` times as many numbers as the scene has, behind them. */
dfl_status dfl_record_create_wide(dfl_record **out, const dfl_equations *eq,
                                  const dfl_fact *options, int noptions, const char *const *more,
                                  int nmore, int moves);
/* Frees the record; files that are still open are closed as they are. NULL is allowed. */
void dfl_record_free(dfl_record *record);
/* Removes the files that are open, and leaves those alone that they would have replaced. */
void dfl_record_abandon(dfl_record *record);

const dfl_description *dfl_record_about(const dfl_record *record);
dfl_context *dfl_record_context(const dfl_record *record);

/* Starts the HDF5 library, which does not survive every call without a start; again does nothing.
   What it cannot close at the end of the program, such as a file that was given up, it leaves
   alone. DFL_NO_MEMORY. */
dfl_status dfl_hdf5_start(dfl_context *ctx);

/* Names of switches and impulses, which must outlive the record, before dfl_record_start. */
void dfl_record_name_switches(dfl_record *record, const char *const *switches, int nswitches,
                              const char *const *impulses, int nimpulses);

/* Opens FILE.csv, FILE.h5 or FILE.hdf5 ("-" is CSV on standard output) and writes what is known
   before the run. An older file is replaced when the record is closed: see dfl_new_file.
   DFL_INVALID: unknown ending, or the file cannot be opened (with the reason). DFL_IO: it cannot
   be written. DFL_STOPPED: the reader of standard output has gone. DFL_NO_MEMORY. */
dfl_status dfl_record_open(dfl_record *record, const char *path);

/* A result in memory. The arrays belong to the context `ctx`. */
typedef struct dfl_table {
    dfl_context *ctx;
    int columns;        /* time, states, outputs */
    int rows, row_room; /* rows in use and allocated */
    double *values;     /* row by row */
    int nevents, event_room;
    dfl_event_record *events;
} dfl_table;

/* Rows and events go to an empty table, `{.ctx = ctx}`, which must outlive the record. */
dfl_status dfl_record_open_table(dfl_record *record, dfl_table *table);
void dfl_table_clear(dfl_table *table);

/* Whether a file stores steps, or frames of the scene. */
bool dfl_record_takes_steps(const dfl_record *record);
bool dfl_record_takes_scene(const dfl_record *record);

/* Adds a warning of the solver, for the end of the files. */
void dfl_record_warn(dfl_record *record, const char *text);

/* Each of these writes to all files and returns the first failure: DFL_IO with the reason if a file
   cannot be written any more (what was written is kept), DFL_STOPPED if the reader of a pipe has
   gone. A file that failed once is not written again. */
/* Initial values, given and corrected (n each, as in x). */
dfl_status dfl_record_start(dfl_record *record, const double *given, const bool *held,
                            const double *corrected);
/* The energy and the residuals (NULL: unknown) of the row that comes next, at its own state. */
void dfl_record_check(dfl_record *record, double energy, const dfl_residuals *residuals);
/* One row at time t; `scene` holds the numbers of dfl_runnable_scene, or is NULL if no file takes
   them. */
dfl_status dfl_record_row(dfl_record *record, double t, const double *x, const double *outputs,
                          const double *scene);
dfl_status dfl_record_step(dfl_record *record, const dfl_step_record *step);
dfl_status dfl_record_event(dfl_record *record, const dfl_event_record *event);
dfl_status dfl_record_switch(dfl_record *record, const dfl_switch_record *happened);
/* Writes what is buffered and the summary, and closes all files, also after a failure. If a file
   cannot be completed, the status of the summary becomes "failed" for the files after it.
   A run that failed does not replace an older file: its own is then FILE.failed.h5 and so on, or is
   removed if it could not be written. */
dfl_status dfl_record_close(dfl_record *record, dfl_summary *summary);

/* What happened to files that were not put into their places, one line each; "" if nothing. */
const char *dfl_record_notes(const dfl_record *record);

/* The object of `--json`, ended by a newline, and a few lines for people. */
dfl_status dfl_summary_json(dfl_text *text, const dfl_record *record, const dfl_summary *summary);
dfl_status dfl_summary_text(dfl_text *text, const dfl_record *record, const dfl_summary *summary);

/* ------------------------------------------------------------------------------- kinds of files */

/* One file of a record. */
typedef struct dfl_writer dfl_writer;

/* A kind of file. A function is NULL if the kind does not take such records. `open` makes
   writer->file, `close` frees it; `close` finds `finished` set if the run has ended and its file
   should be completed. */
typedef struct dfl_file_kind {
    dfl_status (*open)(dfl_writer *writer);
    dfl_status (*start)(dfl_writer *writer);
    dfl_status (*row)(dfl_writer *writer);
    dfl_status (*step)(dfl_writer *writer, const dfl_step_record *step);
    dfl_status (*event)(dfl_writer *writer, const dfl_event_record *event);
    dfl_status (*happened)(dfl_writer *writer, const dfl_switch_record *happened);
    dfl_status (*close)(dfl_writer *writer, bool finished);
    bool scene; /* stores frames of the scene */
} dfl_file_kind;

struct dfl_writer {
    dfl_context *ctx;
    const dfl_file_kind *kind;
    const dfl_description *about;
    const double *row;   /* the present row: time, n states, m outputs */
    const double *frame; /* the numbers of the shapes in it */
    const double *check; /* its energy, and DFL_LEVELS residuals */
    char *path;
    dfl_new_file out;  /* of kinds that write one: dfl_writer_begin */
    double flushed;    /* time of the last flush, s */
    dfl_status status; /* the first failure; nothing is written after it ... */
    char reason[512];  /* ... and its message */
    void *file;
};

/* Adds a file of some kind; `path` is used in messages, `open` finds `file` in writer->file. */
dfl_status dfl_record_add(dfl_record *record, const dfl_file_kind *kind, const char *path,
                          void *file);

/* Opens writer->out; "-" is standard output. The record ends it: see dfl_record_close. */
dfl_status dfl_writer_begin(dfl_writer *writer, bool whole);

/* Whether the last flush is about a second ago; if so, the next second begins. */
bool dfl_writer_due(dfl_writer *writer);

/* ------------------------------------------------------------------------------- matrices */

/* An HDF5 file with matrices and lists of names, made in memory. The first failure is told at the
   end. */
typedef struct dfl_matrix_file dfl_matrix_file;
dfl_status dfl_matrix_file_open(dfl_matrix_file **out, dfl_context *ctx);
/* From now on values go to a new group of the file. */
void dfl_matrix_file_group(dfl_matrix_file *file, const char *name);
/* A matrix by columns, which the file has as A[row][column]; 1 x 1 is a number. */
void dfl_matrix_file_put(dfl_matrix_file *file, const char *name, const double *A, int rows,
                         int columns);
void dfl_matrix_file_names(dfl_matrix_file *file, const char *name, const char *const *names,
                           int count);
/* Appends the bytes of the file to a text (NULL: they are dropped) and frees it; NULL is allowed.
   DFL_IO, DFL_NO_MEMORY. */
dfl_status dfl_matrix_file_close(dfl_text *out, dfl_matrix_file *file);

/* ------------------------------------------------------------------------------- states */

/* Numbers by name. */
typedef struct dfl_named_value {
    char *name;
    double value;
} dfl_named_value;
typedef struct dfl_named_values {
    dfl_context *ctx;
    int count, room;
    dfl_named_value *item;
} dfl_named_values;

/* Reads them from a file with JSON: the members of its object "state" or "final", or of the whole.
   The caller clears *out also after a failure. DFL_INVALID: the message has file and line. */
dfl_status dfl_named_values_read(dfl_named_values *out, dfl_context *ctx, const char *path);
void dfl_named_values_clear(dfl_named_values *values);

/* ------------------------------------------------------------------------------- parts */

/* Numbers as base64 of their bytes, the lowest first; doubles, or floats if `single`. Writes
   4 * ceil(bytes / 3) characters and returns how many. */
size_t dfl_base64(char *out, const double *numbers, int count, bool single);

#endif
