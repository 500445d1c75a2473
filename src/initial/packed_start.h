/* packed_start.h: consistent initial values with packed matrices, between packed_start.c,
   packed_check.c and packed_saddle.c. */
#ifndef DFL_PACKED_START_H
#define DFL_PACKED_START_H
#include "initial/initial_internal.h"

/* packed_massless.c */
typedef struct dfl_packed_massless {
    dfl_csc matrix;
    int *at; /* of the numbers: their places in the matrix */
    double *value, *right;
    dfl_sparse_lu *lu; /* NULL: not needed yet */
} dfl_packed_massless;

typedef struct dfl_packed_start {
    dfl_packed_jacobian jac;
    dfl_csc pos, W, M;                      /* patterns */
    dfl_saddle_ldl *positions, *velocities; /* of [D G^T; G 0] and [M W^T; W 0] ... */
    dfl_saddle_ldl *plain;   /* ... or with D instead of a singular M; NULL: M is diagonal */
    double *D, *A;           /* the numbers of these */
    int *M_at;               /* entries of M that numbers of the model are; the diagonal follows */
    double *lent;            /* nv: mass that D has, but M has not (packed_mass.c) */
    bool weighted;           /* the last factors of velocities have the metric M */
    double *dx, *l;          /* solutions */
    double *x;               /* n: a former state */
    double *push;            /* nv: impulses */
    double *allowed;         /* all rows: residuals that are as good as zero */
    dfl_row_choice choice;   /* of rows that are left out, and ... */
    double *may;             /* ... the parts of their lengths that rows may be apart */
    unsigned char *left_out; /* nc: rows of W that depend on others */

    dfl_packed_massless massless;

    /* block 1 for a, sigma, w, l, m */
    dfl_csc matrix;
    int *at;
    double *value, *right;
    dfl_sparse_lu *lu;
    dfl_least_rows *least;       /* multipliers of least norm; NULL: not needed yet */
    unsigned char *laid_out_for; /* nc: left_out that `matrix` is made for */
} dfl_packed_start;

/* ps->least, for rows of W. ps->A: rows of W at the point, without columns that are held
   (packed_saddle.c, packed_start.c). */
dfl_status dfl_packed_least_rows(dfl_initial *init);
void dfl_packed_take_rows(dfl_initial *init, const dfl_conditions *cond);

/* packed_mass.c: the pattern of M; its numbers into D; y := M u. */
dfl_status dfl_packed_mass_init(dfl_initial *init);
void dfl_packed_take_mass(dfl_initial *init, const dfl_conditions *cond);
void dfl_packed_momentum(double *y, const dfl_initial *init, const double *u);

/* All rows and derivatives at init->x. DFL_CALLBACK, DFL_NOT_FINITE. */
dfl_status dfl_packed_start_evaluate(dfl_initial *init);

/* The factors for positions or velocities; NULL: no metric is positive. */
dfl_saddle_ldl *dfl_packed_factor_stage(dfl_initial *init, const dfl_conditions *cond,
                                        bool velocities);

/* left_out: rows of W that depend on others at init->x, whatever is held; *count: those that are
   not empty. D: units of the velocities. */
dfl_status dfl_packed_start_dependent(int *count, dfl_initial *init);
void dfl_packed_take_units(dfl_initial *init);

/* DFL_INCONSISTENT, with the worst row, unless all rows hold (packed_check.c). */
dfl_status dfl_packed_start_check(dfl_initial *init, const dfl_conditions *cond);

/* Velocities of init->x along massless directions, from their balance. DFL_INCONSISTENT: it does
   not determine them. */
dfl_status dfl_packed_massless_balance(dfl_initial *init);
void dfl_packed_massless_clear(dfl_initial *init);

/* Accelerations, auxiliary variables and multipliers of init->x, from block 1. */
dfl_status dfl_packed_saddle_complete(dfl_initial *init);
void dfl_packed_saddle_clear(dfl_initial *init);

#endif
