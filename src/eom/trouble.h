/* trouble.h: inside eom: what went wrong at a point. */
#ifndef DFL_TROUBLE_H
#define DFL_TROUBLE_H

#include "eom/system.h"

/* DFL_STEP_NONFINITE if y = f_dyn - M v' (nv) at an evaluated point is not finite. */
dfl_outcome dfl_system_check_dynamics(const double *y, dfl_system *sys, const dfl_point *point);

/* The name of the callback that knows M. */
const char *dfl_system_mass_callback(const dfl_eom *eom);

#endif
