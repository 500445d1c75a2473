/* projection.h: inside the formulation: the projected forms, their selectors and invariants. */
#ifndef DFL_PROJECTION_H
#define DFL_PROJECTION_H
#include "formulation/formulation.h"

/* Room for the projected forms, and what an integrator calls (formulation.h). */
dfl_status dfl_projected_init(dfl_formulation *form);
dfl_outcome dfl_projected_linearize(dfl_formulation *form, double t, const double *x,
                                    const double *a, bool update);
dfl_outcome dfl_projected_select(dfl_formulation *form, double t, const double *x);
dfl_outcome dfl_projected_factor(dfl_formulation *form, int stages);
dfl_outcome dfl_projected_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                                   int count, const double *transform, const double *yp,
                                   const double *xp);
dfl_outcome dfl_projected_mixed(double *rows, dfl_formulation *form, const dfl_point *differential,
                                const dfl_point *algebraic, double weight, const double *yp,
                                const double *xp);
void dfl_projected_solve(double *dx, dfl_formulation *form, double *rows);
dfl_outcome dfl_projected_defect(double *err, dfl_formulation *form, const dfl_point *point,
                                 const double *y);
void dfl_projected_minimum_norm(double *X, const dfl_formulation *form);
void dfl_projected_locate_rows(dfl_formulation *form);
dfl_outcome dfl_projected_increment(double *squares, dfl_formulation *form,
                                    const dfl_stages *stages, double *rows);

/* What increments need to know of the stages (stage_plan.c): found out again for other sizes, which are looked at after
   _doubt, and after _drop in any case. */
dfl_status dfl_stage_plan_create(dfl_stage_plan **plan, dfl_context *ctx);
void dfl_stage_plan_doubt(dfl_stage_plan *plan);
void dfl_stage_plan_drop(dfl_stage_plan *plan);

/* Own matrices of the stages for block 1 (stagewise.c): whether the rows allow it; form->own_rows from the
   rows of evaluated stages. */
dfl_status dfl_stagewise_init(dfl_formulation *form);
bool dfl_stagewise_possible(const dfl_formulation *form);
dfl_outcome dfl_stagewise_solve(dfl_formulation *form, const dfl_point *points, int count);

/* Splits of all blocks of the present derivatives (splits.c). DFL_STEP_RANK, DFL_STEP_SINGULAR. */
dfl_outcome dfl_projected_split(dfl_formulation *form);

/* The number of leading unknowns that block 1 determines: all of [a sigma w l m], or w alone. */
static inline int dfl_determined_first(const dfl_system *sys)
{
    return sys->psi1 ? sys->eom->nw : sys->n1;
}

/* Splits W (m2 rows of block 2) with its known rank, and notes how weak it is. False: the rank is
   not what it was. */
bool dfl_split_velocity(dfl_formulation *form, const double *J2v, int m2, int rank,
                        const unsigned char *favoured);

/* Decides which invariants are in use for the present derivatives. */
void dfl_invariants_choose(dfl_formulation *form);

/* Lets form->J2 be the rows of block 2 in use, copied where some are missing or will be changed,
   and sets form->m2. */
void dfl_invariants_compress(dfl_formulation *form);

/* Whether the selectors must be renewed for the present decomposition. */
bool dfl_selectors_outdated(dfl_formulation *form);

/* Computes Sp and Sv for the present decomposition; x is the user's. */
dfl_outcome dfl_selectors_compute(dfl_formulation *form, double t, const double *x);

/* The sets of pivot columns of block 3 and of the v-part of block 2, with a preference for the
   present sets so that near ties do not flip. */
void dfl_selectors_pivots(dfl_formulation *form, unsigned char *pivot_p, unsigned char *pivot_v);

/* S (rows x n) := the first n rows of B's columns, orthonormalised; or unit rows that are no
   pivots. */
void dfl_orthonormal_rows(double *S, int rows, int n, const double *B, int ldb);
void dfl_unit_rows(double *S, int rows, int n, const unsigned char *pivot);

/* Local coordinates (local.c): whether those in use are bad by now; the pivot sets that the user's
   `independent` means, and whether these coordinates are regular at all. */
bool dfl_local_outdated(dfl_formulation *form);
void dfl_local_partition(dfl_formulation *form);
bool dfl_local_regular(dfl_formulation *form);

/* psi1: writes a basis of the determined multipliers (nc x nflm, leading dimension ld). */
void dfl_selectors_free_multipliers(double *B, int ld, dfl_formulation *form);

#endif
