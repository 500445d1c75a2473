/* initial_internal.h: inside initial: the stages of the projection (completion_stages.c), the
   check (violations.c) and far guesses (assembly.c). */
#ifndef DFL_INITIAL_INTERNAL_H
#define DFL_INITIAL_INTERNAL_H
#include "initial/initial.h"

/* Below this part of the largest, rows and singular values are weak. */
#define DFL_WEAK 1e-2

/* The unknowns and rows of a stage. */
typedef struct dfl_initial_stage {
    int first_column, columns, first_row, rows;
    bool metric;               /* of M */
    int skip_first, skip_last; /* columns in between that do not take part */
} dfl_initial_stage;

/* The stage that corrects row `row` of all algebraic rows. */
dfl_initial_stage dfl_stages_of_row(const dfl_initial *init, int row);

/* The rows of block 3 that take part. */
int dfl_stages_position_rows(const dfl_initial *init);

/* The largest unknown of a stage, by which changes are measured; 1 if all are zero. */
double dfl_stages_size(const dfl_initial *init, dfl_initial_stage st);

/* All rows and their derivatives at init->x. DFL_CALLBACK, DFL_NOT_FINITE. */
dfl_status dfl_stages_evaluate(dfl_initial *init);

/* The derivative of row `row` with respect to column `column`. */
double dfl_stages_entry(const dfl_initial *init, int row, int column);

/* How much shorter a row of a constraint, on any level, is at init->x than the sizes that its row
   of W has; 1 if it is not, or is no constraint. */
double dfl_stages_shrinkage(const dfl_initial *init, int row);

/* size (nc) := the largest size of a row of W, for all of them: rows that exist only because axes
   or lengths do not fit are tiny everywhere. */
void dfl_stages_alike(double *size, const dfl_initial *init);

/* Rows and columns of init->J and init->F (`nfree` columns) to unit maximum, where that is
   meaningful; init->column_scale keeps what columns were multiplied by. */
void dfl_stages_equilibrate(dfl_initial *init, dfl_initial_stage st, int nfree);

/* The same for all rows and `conditions` more rows after them, all unknowns in columns: in units
   that tolerances imply, and tiny columns of accelerations, multipliers and auxiliary variables to
   unit maximum. */
void dfl_stages_equilibrate_all(dfl_initial *init, int conditions);

/* The unit that a tolerance implies for an unknown, or 1. */
double dfl_stages_unit(const dfl_initial *init, int column);

/* Whether the conditions hold the unknown of this column. */
bool dfl_stages_held(const dfl_initial *init, const dfl_conditions *cond, int column);

/* Least change of positions. */
dfl_status dfl_stages_positions(dfl_initial *init, const dfl_conditions *cond);

/* Contact variables alone, for positions as they are. False: that does not converge. */
bool dfl_stages_contacts(dfl_initial *init, const dfl_conditions *cond);

/* Least change of positions, then velocities, then the rest. */
dfl_status dfl_stages_project(dfl_initial *init, const dfl_conditions *cond);

/* Carried accelerations alone, everything else as it is. */
dfl_status dfl_stages_accelerations(dfl_initial *init, const dfl_conditions *cond);

/* Completes init->x by the conditions (conditions.c). */
dfl_status dfl_initial_conditions(dfl_initial *init, const dfl_conditions *cond);

/* DFL_INCONSISTENT if a row is violated, naming the worst rows and the held unknowns. */
dfl_status dfl_stages_check(dfl_initial *init, const dfl_conditions *cond);

/* What rounding leaves in a row, whose derivatives have been evaluated. */
double dfl_stages_rounding(const dfl_initial *init, int row);

/* Whether the row is an invariant whose level is not taken yet. */
bool dfl_initial_is_open(const dfl_initial *init, int row);

/* Whether no row of positions is violated; rows and derivatives have been evaluated. */
bool dfl_stages_hold(const dfl_initial *init);

/* Whether all rows of positions hold at init->x, and all sides are positive. */
bool dfl_assembly_closed(dfl_initial *init, const dfl_conditions *cond);

/* Looks for such positions from the guess init->x0 and around it. *found: init->x, and init->x0,
   are near a solution; otherwise init->x violates the rows least, and init->conflict lists held
   unknowns without which there is a solution. */
dfl_status dfl_assembly_search(bool *found, dfl_initial *init, const dfl_conditions *cond);

/* DFL_INCONSISTENT if a side is not positive. */
dfl_status dfl_assembly_check_sides(dfl_initial *init, const dfl_conditions *cond);

/* ---- packed matrices (packed_start.c) ---- */

dfl_status dfl_packed_start_create(dfl_initial *init);
void dfl_packed_start_free(dfl_initial *init);

/* As dfl_stages_project, dfl_stages_positions and dfl_stages_contacts. */
dfl_status dfl_packed_start_project(dfl_initial *init, const dfl_conditions *cond);
dfl_status dfl_packed_start_positions(dfl_initial *init, const dfl_conditions *cond);
bool dfl_packed_start_contacts(dfl_initial *init, const dfl_conditions *cond);

/* As dfl_stages_hold. */
bool dfl_packed_start_holds(dfl_initial *init);

/* Velocities of init->x after impulses (nv); the constraints answer. DFL_SINGULAR. */
dfl_status dfl_packed_start_jump(dfl_initial *init, const dfl_jump *jump);
/* packed_impulses.c: rows (nc) and along (nv) of dfl_impulses_take. */
dfl_status dfl_packed_impulses(double *rows, double *along, dfl_initial *init,
                               const dfl_jump *jump);

/* Room for the values of sides. */
dfl_status dfl_initial_reserve_sides(dfl_initial *init, int nsides);

/* F and J (leading dimension ld) of all rows at init->x. */
dfl_status dfl_stages_all_rows(dfl_initial *init, int ld);

/* x of the user as the guess and as what is nearest to it. */
void dfl_initial_take_guess(dfl_initial *init, double t, const double *x);

/* init->L := M, all of it (jump.c). */
dfl_status dfl_initial_full_mass(dfl_initial *init, double t, const double *x);

#endif
