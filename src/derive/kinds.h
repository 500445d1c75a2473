/* kinds.h: which unknowns have the same unit, and sizes that only the model knows. */
#ifndef DFL_KINDS_H
#define DFL_KINDS_H

#include "derive/equations.h"

#include <driftless/eom.h>

typedef struct dfl_kinds {
    dfl_context *ctx;
    int *kind;
    double *size;
    dfl_sizes sizes; /* of the two, for dfl_eom */
} dfl_kinds;

/* Finds them. A model that is too large for that has kinds of declared units, or none.
   DFL_NO_MEMORY. */
dfl_status dfl_kinds_create(dfl_kinds *out, const dfl_equations *eq);
void dfl_kinds_clear(dfl_kinds *kinds);

/* Those of lengths and angles by their declared units (unit_kinds.c). */
void dfl_kinds_by_units(dfl_kinds *out, const dfl_equations *eq);

#endif
