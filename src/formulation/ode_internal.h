/* ode_internal.h: between the right-hand sides (ode.c), local coordinates (ode_local.c) and states moved onto
   the constraints (manifold.c). */
#ifndef DFL_ODE_INTERNAL_H
#define DFL_ODE_INTERNAL_H
#include "formulation/ode.h"

/* Local coordinates: chosen at the beginning of a step; p and v completed from them, with blocks g, gI, hv,
   W evaluated at these positions. */
dfl_outcome dfl_ode_local_begin(dfl_ode *ode, const dfl_point *point);
dfl_outcome dfl_ode_local_complete(dfl_ode *ode, dfl_point *point);

#endif
