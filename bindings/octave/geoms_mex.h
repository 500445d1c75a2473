/* geoms_mex.h: one call of geoms(problem, tspan, x0, options). */
#ifndef DFL_OCTAVE_GEOMS_MEX_H
#define DFL_OCTAVE_GEOMS_MEX_H

#include "gateway.h"

enum { GEOMS_KINDS = DFL_ROW_KIN + 1, GEOMS_NEEDS = DFL_EVERYTHING + 1, GEOMS_MESSAGES = 20 };

/* The user's functions and arrays; NULL where there are none. */
typedef struct geoms_given {
    const mxArray *eval, *mass, *mass_times, *residual, *jacobian; /* of the problem */
    const mxArray *names, *bodies, *pattern;
    const mxArray *rtol, *atol, *held, *weight, *condition, *independent; /* of the options */
    const mxArray *select, *on_step, *on_output, *event, *event_kinds, *on_event, *log;
} geoms_given;

/* Rows of numbers that grow by doubling. */
typedef struct geoms_table {
    int columns, rows, room;
    double *data; /* row by row */
} geoms_table;

typedef struct geoms_run {
    gateway gw;
    geoms_given given;
    bool takes_need; /* eval has a third argument */
    bool keep_partial;

    dfl_eom eom;
    int n;
    const char **names[GEOMS_KINDS]; /* by dfl_kind; NULL where not given */
    int nnames[GEOMS_KINDS];
    char name[64]; /* the last one that was asked for */
    dfl_structure structure;
    dfl_pattern pattern;
    mxArray *needs[GEOMS_NEEDS]; /* the struct `need` by flags, made when first needed */

    dfl_solver_options options;
    dfl_conditions conditions;
    int start; /* 0: what the other options suggest; else 1 + dfl_start_mode */
    bool *held, *independent;

    int ntimes; /* of tspan */
    double *times, *x0;
    int next_time; /* the next of `times` to be written, if there are more than two */
    dfl_solver *solver;
    geoms_table rows;   /* t, x */
    geoms_table events; /* t, event, direction, x */
    double *corrected;  /* x at the start */
    double *probe;      /* n */
    bool started;
    int met;             /* the number of the event that was met last */
    const char *stopped; /* the function that asked to stop, or NULL */
    char *messages[GEOMS_MESSAGES];
    int nmessages;
} geoms_run;

/* problem.c: sizes, flags and names. */
dfl_status geoms_read_problem(geoms_run *run, const mxArray *problem);
/* geoms_options.c: options and conditions, after the problem. */
dfl_status geoms_read_options(geoms_run *run, const mxArray *options);

/* model.c: the problem's functions as callbacks of the model. */
void geoms_set_model(geoms_run *run);
/* Calls f(t, x, more...) for one result; NULL if it fails. `more` are destroyed. */
mxArray *geoms_call(geoms_run *run, const mxArray *f, double t, const double *x, int nmore,
                    mxArray **more);
/* Calls f(t, x) for `count` numbers; false if that fails. */
bool geoms_call_vector(double *out, geoms_run *run, const mxArray *f, const char *name, double t,
                       const double *x, int count);

/* observe.c: the options' functions as callbacks of the run; rows and events. */
dfl_status geoms_set_callbacks(geoms_run *run);
/* The row where the run ended, unless it is there. */
void geoms_add_end(geoms_run *run);

/* report.c: what the call returns. */
mxArray *geoms_times(const geoms_run *run);
mxArray *geoms_states(const geoms_run *run);
mxArray *geoms_info(const geoms_run *run, dfl_status status, const char *message);

#endif
