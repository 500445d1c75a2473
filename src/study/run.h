/* run.h: one run of a model from its initial values to its end, as the program and the bindings do it. */
#ifndef DFL_RUN_H
#define DFL_RUN_H

#include "engine/runnable.h"
#include "result/residuals.h"

/* What the caller says about a run: NAN or NULL where silent. */
typedef struct dfl_choices {
    double to, from, rtol, atol, every, first_step, max_step, fixed_step, max_steps;
    double baumgarte_alpha, baumgarte_beta;
    const char *form, *method, *evaluation, *start;
    const char *independent; /* coordinates of the form partition, with commas between */
    bool lagged;
    bool interpolate;   /* rows of `every` are not moved onto the constraints */
    const char *prefix; /* of an option in messages, such as "--" */
} dfl_choices;

/* All silent. */
dfl_choices dfl_choices_none(const char *prefix);

/* How the script has to lower a mechanism, so that it can be evaluated as chosen. */
dfl_dynamics dfl_choices_dynamics(const dfl_choices *choices);

/* How a model is run: the caller beats the script, the script beats the default. */
typedef struct dfl_settings {
    double from, to; /* `to` is NAN where nobody says */
    const char *form, *method, *evaluation_name;
    dfl_evaluation evaluation;
    const char *start_name;
    dfl_start_mode start;      /* completed or as given */
    dfl_solver_options solver; /* without callbacks and events; defaults filled in */
} dfl_settings;

/* DFL_INVALID: a choice that there is not, a number out of range. */
dfl_status dfl_settings_resolve(dfl_settings *out, const dfl_choices *choices, dfl_runnable *run);

/* DFL_INVALID, with the list of all, unless there is a method of this name; `said` names the option. */
dfl_status dfl_settings_check_method(dfl_context *ctx, const char *said, const char *name);

/* DFL_INVALID unless the run has an end and a length. */
dfl_status dfl_settings_check_end(const dfl_settings *settings, const dfl_choices *choices,
                                  const dfl_model *model);

enum { DFL_LISTED_EVENTS = 20 }; /* that a summary lists */

/* Called after every step and at every row. Return true to interrupt the run. */
typedef bool (*dfl_watch_fn)(double t, double step, void *user);

/* Called once, when the initial values are complete: the caller opens its files, so that a start that
   fails leaves those of an earlier run alone, and sets `writers`. */
typedef struct dfl_simulation dfl_simulation;
typedef dfl_status (*dfl_open_fn)(dfl_simulation *sim, void *user);

struct dfl_simulation {
    /* set by the caller */
    dfl_context *ctx;
    dfl_runnable *run;
    const dfl_equations *eq;
    const dfl_settings *settings;
    dfl_writer **writers;
    int nwriters;
    dfl_open_fn open;   /* or NULL: `writers` are open */
    dfl_watch_fn watch; /* or NULL */
    dfl_log_fn log;     /* or NULL */
    void *user;         /* given to open, watch and log */

    bool opened;              /* the writers are there; */
    dfl_text early;           /* warnings before that */
    dfl_residuals *residuals; /* NULL unless a file takes them */
    dfl_event_kind *event_kinds;
    double *outputs; /* at the last row */
    double *scene;   /* columns of the shapes there, if a file shows them: */
    bool drawn;
    bool started;    /* the initial values are complete; before, callbacks are ignored */
    double row_time; /* of the last row */
    double energy, energy_drift;
    long rejections; /* at the last step */
    dfl_event_record events[DFL_LISTED_EVENTS];
    int nevents;
    int stop_event;     /* the event that ended the run, or -1 */
    dfl_status trouble; /* of a writer, ... */
    char message[1024]; /* ... or how the run ended */
    dfl_solver *solver;
};

/* Memory and the solver, the start, native code; then the run itself, with a summary of how it ended that points
   into `sim`. DFL_OK: to its end, or to an event that stops it. DFL_STOPPED: interrupted. All else is a
   failure, also of a writer; sim->started says whether there was a start. The caller clears `sim` when
   the summary has been used. */
dfl_status dfl_simulate(dfl_summary *summary, dfl_simulation *sim);
void dfl_simulation_clear(dfl_simulation *sim);

#endif
