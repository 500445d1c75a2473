/* simulation.h: one run, from its initial values to its end, into all its files; part of study.h.
 */
#ifndef DFL_SIMULATION_H
#define DFL_SIMULATION_H

#include "context/context.h"
#include "engine/engine.h"
#include "result/result.h"
#include "study/trends.h"

struct dfl_settings;

enum { DFL_LISTED_EVENTS = 20 }; /* that a summary lists, unless it lists all */

/* Called after every step and at every row. Return true to interrupt the run. */
typedef bool (*dfl_watch_fn)(double t, double step, void *user);

/* Called at every event. DFL_OK, or why the run stops. */
typedef dfl_status (*dfl_met_fn)(int event, int direction, double t, void *user);

/* Called once, when the initial values are complete: the caller opens its files, so that a start
   that fails leaves those of an earlier run alone. */
typedef struct dfl_simulation dfl_simulation;
typedef dfl_status (*dfl_open_fn)(dfl_simulation *sim, void *user);

struct dfl_simulation {
    /* set by the caller */
    dfl_context *ctx;
    dfl_runnable *run;
    const dfl_equations *eq;
    const struct dfl_settings *settings;
    dfl_record *record; /* or NULL: nothing is stored */
    dfl_open_fn open;   /* or NULL: the files of the record are open */
    dfl_watch_fn watch; /* or NULL */
    dfl_log_fn log;     /* or NULL */
    dfl_met_fn met;     /* or NULL */
    dfl_status (*side)(dfl_simulation *sim, const bool *crossed,
                       void *user); /* or NULL; of an instant, as dfl_around_fn */
    void *user;      /* given to open, watch, log, met and side; `more` finds it here */
    bool all_events; /* the summary lists every event */
    dfl_status (*more)(
        double *outputs, double *scene, dfl_simulation *sim, double t,
        const double *x);   /* or NULL: nmore numbers of each row behind its outputs, ... */
    int nmore, nmore_scene; /* ... and nmore_scene behind its scene (NULL: not drawn) */
    dfl_trends *trends;     /* columns whose extrema and means are wanted, or NULL */
    bool looks_inside;      /* the caller interpolates between the ends of steps */
    const void *saved;      /* a saved run from which this one goes on, or NULL ... */
    size_t saved_size;      /* ... and its size */

    bool records_steps; /* a file takes steps and residuals */
    dfl_event_kind *event_kinds;
    const char **event_names;
    struct {
        double *excess, *largest; /* numbers of the model's doubts, now and in the whole run */
        bool *known;              /* those that the user knows of */
        double t, *v, *a;         /* the last velocities; accelerations since then */
    } doubt;
    double *atol, *largest; /* n: absolute tolerances at the end, largest values of all steps */
    double *outputs;        /* at the last row */
    bool *undefined;        /* of each output: the user knows that it was not finite */
    double *scene;          /* columns of the shapes there, if a file shows them: */
    bool drawn;
    bool started;          /* the initial values are complete; before, callbacks are ignored */
    double begun;          /* s, on the clock */
    double row_time;       /* of the last row */
    double rows;           /* of the grid that `every` gives, reached so far */
    dfl_residuals of_rows; /* the largest of interpolated rows */
    struct {
        double t, energy;
        double *x, *outputs, *scene;
        dfl_residuals residuals;
    } kept; /* the row before an instant at which the state may jump */
    struct {
        char **names; /* of switches, actions and contacts */
        int nnames;
        const char **impulses; /* 3 per contact, then rows, then velocities, then drives */
        int nimpulses;
        dfl_impulse *found;        /* nimpulses: of the present record */
        dfl_switch_record *record; /* the first ones */
        int count, room;
        long total;
        double energy; /* after the last one; NAN: unknown */
        int pending;   /* the record that the next event has caused, or -1 */
        struct {
            char **names;            /* ndrives */
            double *before, *after;  /* dfl_runnable_drive_momenta */
            double *impulse, *state; /* ndrives; n: with impulses in the places of multipliers */
        } drives;
    } switched;
    double energy, energy_drift;
    long rejections; /* at the last step */
    dfl_event_record *events;
    int nevents, event_room;
    int stop_event;     /* the event that ended the run, or -1 */
    dfl_status trouble; /* of a writer, ... */
    char message[1024]; /* ... or how the run ended */
    dfl_solver *solver;
};

/* Memory and the solver, the start, native code; then the run itself, with a summary of how it
   ended that points into `sim`. DFL_OK: to its end, or to an event that stops it. DFL_STOPPED:
   interrupted. All else is a failure, also of a writer; sim->started says whether there was a
   start. The caller clears `sim` when the summary has been used. */
dfl_status dfl_simulate(dfl_summary *summary, dfl_simulation *sim);

/* The same in parts: memory, solver and start; advance as often as wanted, settings->to may be NAN
   then; the end, with the status of what was last. */
dfl_status dfl_simulation_begin(dfl_simulation *sim);
dfl_status dfl_simulation_advance(dfl_simulation *sim, double t);
dfl_status dfl_simulation_end(dfl_summary *summary, dfl_simulation *sim, dfl_status status);
void dfl_simulation_clear(dfl_simulation *sim);

/* For single steps of the solver: the next row of `every` at which a step has to end, NAN if none
   has; then, if one has ended there, the row. False: a writer has failed. */
double dfl_simulation_next_row(const dfl_simulation *sim);
bool dfl_simulation_take_row(dfl_simulation *sim);

/* Once an advance has returned DFL_STOPPED: the message of why. DFL_STOPPED; or DFL_INVALID and so
   on, if the event is a limit that must not be passed. */
dfl_status dfl_simulation_stopped(dfl_simulation *sim);

/* A run that has begun, as bytes; it goes on from a fresh beginning, as dfl_solver_save says.
   Restoring needs a run of the same model with the same form and method that has begun.
   DFL_INVALID: the bytes are of another model, version or kind of run, or cut. */
size_t dfl_simulation_saved_size(const dfl_simulation *sim);
dfl_status dfl_simulation_save(void *bytes, dfl_simulation *sim);
dfl_status dfl_simulation_restore(dfl_simulation *sim, const void *bytes, size_t size);
bool dfl_is_saved_run(const void *bytes, size_t size);

/* A saved run from a file: *bytes, a text of `{.ctx = ctx}`, stays empty if the file is something
   else. To a file that is open, and is in its place afterwards, or gone. DFL_INVALID, DFL_IO,
   DFL_NO_MEMORY, DFL_STOPPED. */
dfl_status dfl_saved_run_read(dfl_text *bytes, const char *path);
dfl_status dfl_saved_run_refuse(dfl_context *ctx, const char *path); /* where only values serve */
dfl_status dfl_saved_run_write(dfl_new_file *file, dfl_simulation *sim);

#endif
