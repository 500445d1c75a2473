/* inverse.h: the drives that make a model follow the motions of its script; part of study.h. */
#ifndef DFL_INVERSE_H
#define DFL_INVERSE_H

#include "engine/engine.h"
#include "result/result.h"

struct dfl_settings;

/* What was found at one time. */
typedef struct dfl_inverse_row {
    double t;
    const double *x;       /* n: with the multipliers of the driven model; those of motions are 0 */
    const double *outputs; /* with the drives as inputs */
    const double *tau;     /* nu: the inputs */
    const double *power;   /* nu: of each of them */
} dfl_inverse_row;

/* Called at every row; anything but DFL_OK ends the run. */
typedef dfl_status (*dfl_inverse_fn)(const dfl_inverse_row *row, void *user);

typedef struct dfl_inverse {
    int nu;
    char **names; /* of the drives: inputs, or joints and coordinates that drive themselves */
    int *inputs;  /* numbers of their declarations, or NULL if there are none: */
    int *rows;    /* of the constraints that prescribe a coordinate */
    double *peak, *rms;
    double t; /* of the last row */
    double *tau, *power, *outputs, *x;
    double *before;   /* nu: tau of the row before, for means */
    char notice[500]; /* what the user should know, or empty */
} dfl_inverse;

/* Follows the motions from settings->from to settings->to, with rows as `every` says, or 201. The
   script must have been loaded with `prescribe`. Initial values of the script are guesses. Without
   inputs every coordinate that follows a function of time by itself, also by `drive`, is driven by
   a force of its own, with the name of its joint. The caller clears *out also after a failure.
   DFL_INVALID: no motion, no drive, or no end. DFL_INCONSISTENT: the inputs cannot follow; the
   message names the direction. */
dfl_status dfl_study_inverse(dfl_inverse *out, dfl_runnable *run,
                             const struct dfl_settings *settings, dfl_inverse_fn row, void *user);
void dfl_inverse_clear(dfl_inverse *inverse, dfl_context *ctx);

/* All rows in memory: time, variables and outputs, then drives, then their powers. */
typedef struct dfl_inverse_table {
    dfl_context *ctx;
    const dfl_equations *eq;
    dfl_columns columns;
    dfl_inverse inverse;
    int nvariables, ncolumns; /* variables and outputs; all, without time */
    char **names;             /* ncolumns */
    int rows, room;
    double *values; /* rows x (1 + ncolumns), row by row */
} dfl_inverse_table;

/* As dfl_study_inverse. The caller clears *out also after a failure. */
dfl_status dfl_study_inverse_table(dfl_inverse_table *out, dfl_runnable *run,
                                   const struct dfl_settings *settings);
void dfl_inverse_table_clear(dfl_inverse_table *table);

/* Whether row `row` of the constraints is a motion. */
bool dfl_is_motion(const dfl_equations *eq, int row);

#endif
