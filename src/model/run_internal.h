/* run_internal.h: one simulation of a script. */
#ifndef DFL_RUN_INTERNAL_H
#define DFL_RUN_INTERNAL_H

#include "model/model.h"

#include "result/result.h"

#include <stdatomic.h>

struct dfl_run {
    dfl_context *ctx;
    bool calling; /* a callback of the caller */
    dfl_derived derived;
    dfl_run_options options; /* without settings */
    dfl_settings settings;
    dfl_fact facts[DFL_MOST_SETTINGS];
    dfl_record *record;
    char **files;
    int nfiles, room_of_files;
    char *save; /* where the state at the end goes, or NULL ... */
    dfl_new_file saved;
    dfl_table table; /* rows in memory */
    bool kept;
    dfl_text summary, text; /* of a finished run: JSON, a few lines ... */
    dfl_run_report report;  /* ... and data */
    double levels[DFL_LEVELS];
    dfl_text page;   /* in memory ... */
    bool keeps_page; /* ... if it is wanted */
    char *plotted;   /* columns of plots, or NULL */
    dfl_simulation sim;
    dfl_trends trends; /* statistics of outputs, if they are wanted ... */
    dfl_over_time *over_time;
    bool started;
    bool finished;
    bool changed;    /* inputs or parameters, since the last state */
    bool single;     /* one step is wanted */
    bool stepped;    /* ... and taken */
    bool asked;      /* a callback wants the run to stop */
    bool stop_ahead; /* the run was stopped where the last step ends, after `shown` */
    double shown;    /* a time inside the last step that is the present one, or NAN ... */
    double *inside;  /* n: ... and the state there */
    double known_at; /* the time at which the outputs are known; NAN: nowhere */
    atomic_bool cancelled;

    dfl_columns columns;
    int nvalues;
    const dfl_declaration **settable; /* inputs, then parameters */
    double *number;                   /* their values */
    double *x;                        /* n: an interpolated state */
    double *outputs;
};

/* run_settings.c: choices from texts "NAME=VALUE"; texts[DFL_MOST_SETTINGS] own the words;
   `prefix`: of names in messages, lives as long. DFL_INVALID. */
dfl_status dfl_choose_texts(dfl_choices *out, char **texts, dfl_context *ctx, const char *prefix,
                            int count, const char *const *settings);

/* loading.c: options of a caller, whose texts they refer to, for scripts; DFL_INVALID if they
   cannot be read; what a model was loaded with. */
dfl_script_options dfl_script_options_of(const dfl_load_options *options);
dfl_status dfl_check_load(dfl_context *ctx, const dfl_script_options *options);
dfl_script_options dfl_model_said(const dfl_model *model, const char *prefix);

/* run_life.c: dfl_run_start; `looks_inside`: somebody may interpolate in steps. */
dfl_status dfl_run_begin(dfl_run *run, bool looks_inside);

/* run_life.c: whether the run can go on; its state belongs to the present inputs and parameters
   then. Goes on to t. */
dfl_status dfl_run_ready(dfl_run *run);
/* DFL_INVALID: a callback of the run itself wants to move it. */
dfl_status dfl_run_outside(const dfl_run *run);
dfl_status dfl_run_go_on(dfl_run *run, double t);

/* run_files.c: opens all files, writes the state at the end, frees what files need. */
dfl_status dfl_run_open_files(dfl_simulation *sim, void *user);
dfl_status dfl_run_save_at_end(dfl_run *run);
void dfl_run_clear_files(dfl_run *run);

/* run_end.c: closes the files and makes the summary. Returns the status, or that of a result that
   could not be stored. */
dfl_status dfl_run_conclude(dfl_run *run, dfl_status status);

/* run_inside.c: the present time and state. */
double dfl_run_now(const dfl_run *run);
const double *dfl_run_state(const dfl_run *run);
/* Whether t is inside the last step; makes it the present time, by interpolation. */
bool dfl_run_reaches(const dfl_run *run, double t);
dfl_status dfl_run_show(dfl_run *run, double t);
/* Makes the present time one from which the solver goes on. */
dfl_status dfl_run_settle(dfl_run *run);

/* run_values.c: names and values, and their end. */
dfl_status dfl_run_list_values(dfl_run *run);
void dfl_run_clear_values(dfl_run *run);
/* Inputs and parameters as a saved run had them. */
void dfl_run_take_numbers(dfl_run *run);
/* The state after inputs or parameters have changed. */
dfl_status dfl_run_refresh(dfl_run *run);

#endif
