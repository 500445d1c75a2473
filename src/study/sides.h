/* sides.h: which of several solutions of the constraints the start is. */
#ifndef DFL_MODEL_SIDES_H
#define DFL_MODEL_SIDES_H

#include "engine/engine_internal.h"

/* Adds the sides of the model to the conditions of a start. */
typedef struct dfl_sides {
    dfl_runnable *run;
    dfl_expr *exprs;
    const char **names;
} dfl_sides;

dfl_status dfl_sides_create(dfl_sides *out, dfl_conditions *conditions, dfl_runnable *run);
void dfl_sides_clear(dfl_sides *sides);

#endif
