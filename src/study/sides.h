/* sides.h: which of several solutions of the constraints a start looks for. */
#ifndef DFL_SIDES_H
#define DFL_SIDES_H

#include "engine/engine_internal.h"

typedef struct dfl_sides {
    dfl_expr *exprs;
    const char **names;
} dfl_sides;

/* Takes the sides of the model; adds their number and names to `conditions`. The caller clears `out`,
   which begins as {0}, also after a failure. */
dfl_status dfl_sides_create(dfl_sides *out, dfl_conditions *conditions, const dfl_runnable *run);
void dfl_sides_clear(dfl_sides *sides, dfl_context *ctx);

/* Writes the values of all sides; returns as dfl_condition_fn. */
int dfl_sides_eval(double *value, const dfl_sides *sides, dfl_runnable *run, double t,
                   const double *x);

#endif
