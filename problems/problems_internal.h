/* problems_internal.h: what the makers of the problems share. */
#ifndef DFL_PROBLEMS_INTERNAL_H
#define DFL_PROBLEMS_INTERNAL_H

#include <stddef.h>

#include "problems.h"

/* Gives a problem whose sizes are set its x0 (n zeros) and `bytes` zeroed bytes of parameters,
   which eom.user then points to. False without memory; nothing is left allocated then. */
bool problem_allocate(problem *prob, size_t bytes);

/* Replaces the multipliers in x0 by those of the accelerations that M a + W^T (l,m) = f and
   W a + bias = 0 demand. Of dependent rows some multipliers become zero. For problems whose f does
   not depend on the multipliers. False without memory. */
bool problem_solve_multipliers(problem *prob);

#endif
