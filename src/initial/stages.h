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

/* Whether no row of positions is violated; rows and derivatives have been evaluated. */
bool dfl_stages_hold(const dfl_initial *init);

/* Whether all rows of positions hold at init->x, and all sides are positive. */
bool dfl_assembly_closed(dfl_initial *init, const dfl_conditions *cond);

/* Looks for such positions from the guess init->x0 and around it. *found: init->x, and init->x0, are near a
   solution; otherwise init->x violates the rows least, and init->conflict lists held unknowns without
   which there is a solution. */
dfl_status dfl_assembly_search(bool *found, dfl_initial *init, const dfl_conditions *cond);

/* DFL_INCONSISTENT if a side is not positive. */
dfl_status dfl_assembly_check_sides(dfl_initial *init, const dfl_conditions *cond);

/* F and J (leading dimension ld) of all rows at init->x. */
dfl_status dfl_stages_all_rows(dfl_initial *init, int ld);

#endif
