/* eom_internal.h: inside eom: what went wrong at a point. */
#ifndef DFL_EOM_INTERNAL_H
#define DFL_EOM_INTERNAL_H

#include "eom/eom.h"

/* Names what is not finite in y = f_dyn - M v' (nv) at an evaluated point: DFL_STEP_NONFINITE. */
dfl_outcome dfl_system_dynamics_trouble(const double *y, dfl_system *sys, const dfl_point *point);

/* The kind and index of row `row` of block `block` of a stack. */
void dfl_stack_name_row(dfl_trouble *trouble, const dfl_eom *eom, int block, int row);

/* The name of the callback that knows M. */
const char *dfl_system_mass_callback(const dfl_eom *eom);

#endif
