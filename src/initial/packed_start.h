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
    bool contacts_alone;     /* rows of positions are those of contacts */
    bool weighted;           /* the last factors of velocities have the metric M */
    double *dx, *l;          /* solutions */
    double *refined;         /* n4 + m3: right-hand side of positions, if some follow from others */
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

/* What a change of position or contact variable `column` counts for in least changes: 1, or
   little. */
double dfl_packed_importance(const dfl_initial *init, int column);

/* packed_descent.c: the linear algebra of assembly.c. Unknowns are counted in units `size`, those
   that are not listed are held; rows in units `row`, the others do not take part. */
typedef struct dfl_packed_descent dfl_packed_descent;
dfl_status dfl_packed_descent_create(dfl_packed_descent **out, const dfl_initial *init);
void dfl_packed_descent_free(dfl_packed_descent *p, dfl_context *ctx);
void dfl_packed_descent_scale(dfl_packed_descent *p, const int *column, const double *size,
                              int nfree, const double *row, int rows);
void dfl_packed_descent_derive(dfl_packed_descent *p);
bool dfl_packed_descent_solve(double *d, dfl_packed_descent *p, const int *column, int nfree,
                              const double *F, int rows, double mu);
double dfl_packed_descent_work(const dfl_packed_descent *p);

/* Moves init->x, where all rows of positions hold, along them as near to init->x0 as possible. */
void dfl_packed_start_approach(dfl_initial *init, const dfl_conditions *cond);

/* Accelerations, auxiliary variables and multipliers of init->x, from block 1. */
dfl_status dfl_packed_saddle_complete(dfl_initial *init);
void dfl_packed_saddle_clear(dfl_initial *init);

#endif
