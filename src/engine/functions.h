/* functions.h: functions of time and state that are watched for zeros: values, bounds over an
   interval, and what tolerances may change. */
#ifndef DFL_FUNCTIONS_H
#define DFL_FUNCTIONS_H

#include "carry/carry.h"
#include "symbolic/symbolic.h"

struct dfl_runnable;

/* A tape with its registers and the function that runs it. */
typedef struct program {
    dfl_tape *tape;
    double *work;
    dfl_program_fn native; /* NULL: the tape itself */
    bool part;             /* of another program, whose registers it uses */
} program;

typedef struct dfl_functions {
    int count;
    program values, slopes;
    dfl_carried_functions table; /* slopes: by the unknowns and, in a last column, by time */
    int *entries;                /* their rows and columns */
    double *slope_value;
    dfl_bounds *bounds; /* registers of `values` */
    bool *uses;         /* n: unknowns that the functions contain */
} dfl_functions;

/* DFL_NO_MEMORY. The programs belong to the runnable's list. */
dfl_status dfl_functions_create(dfl_functions *out, struct dfl_runnable *run, const dfl_expr *rows,
                                int count);
void dfl_functions_clear(dfl_functions *functions, dfl_context *ctx);

/* Bounds of all of them. x may be NULL if they do not read it. */
void dfl_functions_bounds(dfl_bounds *value, const dfl_functions *functions, const dfl_bounds *t,
                          const dfl_bounds *x);

/* How much each changes, in first order, if every unknown changes by its tolerance. */
void dfl_functions_noise(double *noise, const dfl_functions *functions,
                         const struct dfl_runnable *run, double t, const double *x,
                         const double *tolerance);

#endif
