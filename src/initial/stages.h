/* stages.h: inside initial: the stages of the projection and the check. */
#ifndef DFL_STAGES_H
#define DFL_STAGES_H
#include "initial/initial.h"

/* Least change of positions, then velocities, then the rest. */
dfl_status dfl_stages_project(dfl_initial *init, const dfl_conditions *cond);

/* Carried accelerations alone, everything else as it is. */
dfl_status dfl_stages_accelerations(dfl_initial *init, const dfl_conditions *cond);

/* DFL_INCONSISTENT if a row is violated, naming the worst rows and the held unknowns. */
dfl_status dfl_stages_check(dfl_initial *init, const dfl_conditions *cond);

/* F and J (leading dimension ld) of all rows at init->x. */
dfl_status dfl_stages_all_rows(dfl_initial *init, int ld);

#endif
