/* simulate.h: one run from its initial values to its end, into all its files. */
#ifndef DFL_CLI_SIMULATE_H
#define DFL_CLI_SIMULATE_H

#include "cli/cli.h"
#include "cli/progress.h"
#include "output/residuals.h"

enum { CLI_LISTED_EVENTS = 20 }; /* that a summary lists */

typedef struct cli_simulation {
    dfl_context *ctx;
    dfl_runnable *run;
    const dfl_equations *eq;
    const cli_settings *settings;
    dfl_writer **writers;
    int nwriters;
    bool quiet;

    dfl_residuals *residuals; /* NULL unless a file takes them */
    dfl_event_kind *event_kinds;
    double *outputs; /* at the last row */
    double *scene;   /* columns of the shapes there, if a file shows them: */
    bool drawn;
    bool started;    /* the initial values are complete; before, callbacks are ignored */
    double row_time; /* of the last row */
    double energy, energy_drift;
    long rejections; /* at the last step */
    dfl_event_record events[CLI_LISTED_EVENTS];
    int nevents;
    int stop_event;     /* the event that ended the run, or -1 */
    dfl_status trouble; /* of a writer, ... */
    char message[1024]; /* ... or how the run ended */
    cli_progress progress;
    dfl_solver *solver;
} cli_simulation;

/* Runs it and tells how it ended; `summary` points into `sim`. The exit status is returned. The caller
   clears `sim` when the summary has been used. ctx, run, eq, settings, writers, quiet are set before. */
int cli_simulate(dfl_summary *summary, cli_simulation *sim);
void cli_simulation_clear(cli_simulation *sim);

#endif
