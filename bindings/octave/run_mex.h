/* run_mex.h: one call of driftless_run(file, options). */
#ifndef DFL_OCTAVE_RUN_MEX_H
#define DFL_OCTAVE_RUN_MEX_H

#include "gateway.h"

#include "study/study.h"

enum { RUN_MESSAGES = 20 };

typedef struct run_call {
    gateway gw;
    const char *path;
    dfl_choices choices;
    const mxArray *given_set;
    bool quiet, keep_partial;
    int nset;
    const char **set; /* "NAME=VALUE" */

    dfl_model *model;
    dfl_equations *eq;
    dfl_runnable *run;
    dfl_settings settings;
    dfl_table table;
    dfl_simulation sim;
    dfl_summary summary;
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
