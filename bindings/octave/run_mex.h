/* run_mex.h: one call of driftless_run(file, options). */
#ifndef DFL_OCTAVE_RUN_MEX_H
#define DFL_OCTAVE_RUN_MEX_H

#include "gateway.h"

#include <driftless/model.h>
#include <driftless/settings.h>

enum { RUN_MESSAGES = 20 };

/* An event, as it happened. */
typedef struct run_event {
    int event, direction;
    double time;
} run_event;

typedef struct run_call {
    gateway gw;
    const char *path;
    const mxArray *given_set;
    bool quiet, keep_partial, allow_fmu;
    int nset, nsettings;
    const char **set;                        /* "NAME=VALUE" */
    const char *settings[DFL_MOST_SETTINGS]; /* likewise */

    dfl_model *model;
    dfl_run *run;
    run_event *events;
    int nevents, room;
    const mxArray *breathe;
    double breathed; /* when, in seconds of processor time */
    char *messages[RUN_MESSAGES];
    int nmessages;
} run_call;

/* run_options.c: the struct `options`, and options.set. */
dfl_status run_read_options(run_call *call, const mxArray *options);
dfl_status run_read_set(run_call *call);

/* run_result.c: the struct that is returned. */
mxArray *run_result(const run_call *call, dfl_status status);

#endif
