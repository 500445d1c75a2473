/* projected.h: the projected strangeness-free form (psf), the projected form of index 1 (psi1), and
   the local coordinates of tangent and partition:

       0 = alg(x)                                  the algebraic rows in use (ma)
       0 = S (dif(x) - diag(I, M, I) x')           S = diag(I, Sv, Sp)   (nd)

   Their Newton systems are those of reduced.h. */
#ifndef DFL_PROJECTED_H
#define DFL_PROJECTED_H

#include "formulation/end_selectors.h"
#include "formulation/invariants.h"
#include "formulation/reduced.h"

typedef struct dfl_stage_plan dfl_stage_plan;

/* Unknowns as rows of CB (from entry `at` on), and the columns in which these are not zero. */
typedef struct dfl_unknown_part {
    int row, rows, first, count, at;
} dfl_unknown_part;

/* Matrices of block 1 that belong to single stages (stagewise.c). */
typedef struct dfl_own_blocks {
    dfl_factor *factor[DFL_LANES];
    int factored; /* how many of them are those of the present stages */
    double *rows; /* m1 for each stage */
} dfl_own_blocks;

typedef struct dfl_projected {
    dfl_formulation base;
    dfl_dense dense;
    dfl_reduced newton;
    dfl_own_blocks own;
    dfl_invariants invariants;
    bool local;       /* local coordinates */
    int m2;           /* rows of block 2 in use */
    int nflm;         /* free multipliers (psi1) */
    double *J2_store; /* m2 x n, for ... */
    double *J2;       /* ... block 2 without dropped invariants and, if n0 > 0, without its
                         dependence on the first n1 columns */
    dfl_split *split1, *pivots3, *quality;
    dfl_end_selectors ends; /* with user-defined selectors */
    bool have_selectors;
    unsigned char *pivot_p, *pivot_v; /* pivot sets that belong to the selectors */
    dfl_unknown_part v, sp, p, r, lm; /* CB is zero except for these parts and [a sigma w l m] */
    double *column_scale;             /* of block 1, and sizes of its rows */
    double *local_work;               /* workspace of local coordinates */
    unsigned char *local_pivots;
    double *y, *pp;
    double *momentum; /* nv lanes: M v', or f_dyn - M v' stage by stage */
    double *SvM;      /* nsv x nv: Sv M of rows f_dyn - M v' with a constant M, otherwise zero */
    double *moved;    /* nd lanes: S diag(I,M,I) Z */
    double *rates;    /* nv lanes: v' */
    int *place;       /* of rows at a point (stage_plan.c) */
    dfl_stage_plan *plan; /* of the products in an iteration (stage_plan.c) */
} dfl_projected;

/* Operations of dfl_form_class in other files. */
dfl_outcome dfl_projected_linearize(dfl_formulation *base, double t, const double *x,
                                    const double *a, bool update);
dfl_outcome dfl_projected_increment(double *squares, dfl_formulation *base,
                                    const dfl_stages *stages, double *rows);

/* The general solution for form->dense.jac with the present ranks, invariants and selectors, where
   `before` was. */
dfl_outcome dfl_projected_solve_at(dfl_projected *form, const dfl_stage_solution *before, double t);

/* out (nsv x nv): what multiplies v' in the rows of the dynamics, Sv or Sv M. */
void dfl_projected_rate_rows(double *out, const dfl_projected *form);

/* New selectors for the present decomposition. */
dfl_outcome dfl_projected_select(dfl_projected *form, double t, const double *x);

/* The places of all rows at a point (stage_plan.c). */
void dfl_projected_locate_rows(dfl_projected *form);

/* What increments need to know of the stages (stage_plan.c). After _recheck the plan is made again
   if sizes have changed, after _invalidate in any case. */
dfl_status dfl_stage_plan_create(dfl_stage_plan **plan, dfl_context *ctx);
void dfl_stage_plan_recheck(dfl_stage_plan *plan);
void dfl_stage_plan_invalidate(dfl_stage_plan *plan);

/* The stages' own matrices of block 1 (stagewise.c): whether the rows allow them; form->own.rows
   from the rows of evaluated stages. */
dfl_status dfl_stagewise_init(dfl_projected *form);
bool dfl_stagewise_possible(const dfl_projected *form);
dfl_outcome dfl_stagewise_solve(dfl_projected *form, const dfl_point *points, int count);

/* Splits of all blocks of the present derivatives (splits.c). DFL_STEP_RANK, DFL_STEP_SINGULAR. */
dfl_outcome dfl_projected_split(dfl_projected *form);

/* The number of leading unknowns that block 1 determines: all of [a sigma w l m], or w alone. */
static inline int dfl_determined_first(const dfl_system *sys)
{
    return sys->psi1 ? sys->eom->nw : sys->n1;
}

/* Decides which invariants are in use for the present derivatives (dense_invariants.c). */
void dfl_projected_choose_invariants(dfl_projected *form);

/* Makes form->J2 the rows of block 2 in use, copied if some are missing or will be changed, and
   sets form->m2. */
void dfl_projected_compress_invariants(dfl_projected *form);

/* Whether the selectors must be renewed for the present decomposition. */
bool dfl_selectors_outdated(dfl_projected *form);

/* Computes Sp and Sv for the present decomposition; x is the user's. */
dfl_outcome dfl_selectors_compute(dfl_projected *form, double t, const double *x);

/* The sets of pivot columns of block 3 and of the v-part of block 2, with a preference for the
   present sets so that near ties do not flip. */
void dfl_selectors_pivots(dfl_projected *form, unsigned char *pivot_p, unsigned char *pivot_v);

/* S (rows x n) := the first n rows of B's columns, divided by their units (NULL: 1) and
   orthonormalised; or the unit rows that are not pivots. */
void dfl_orthonormal_rows(double *S, int rows, int n, const double *B, int ldb, const double *unit);
void dfl_unit_rows(double *S, int rows, int n, const unsigned char *pivot);

/* Local coordinates (local_coordinates.c): whether the present ones have become bad; the pivot sets
   that the option `independent` means; the rows of the user's combinations, orthonormal; whether
   these coordinates are regular at all. */
bool dfl_local_outdated(dfl_projected *form);
void dfl_local_partition(dfl_projected *form);
void dfl_local_combinations(dfl_projected *form);
bool dfl_local_regular(dfl_projected *form);

/* psi1: writes a basis of the determined multipliers (nc x nflm, leading dimension ld). */
void dfl_selectors_free_multipliers(double *B, int ld, dfl_projected *form);

#endif
