/* saddle.h: accelerations, multipliers and auxiliary variables of a given state.

       M a + K0 sigma + W^T (l, m) = f,   K0^T a = 0,   d = 0,   V a = target

   Usually V = W and target = -bias: the constraints on acceleration level. A half-explicit method
   takes V and the target from the constraints on velocity level at a later point. If f, b, d are
   free of w, l, m, one linear solve gives the answer, otherwise Newton's iteration. Only
   independent rows of redundant constraints are used; the multipliers of the others are
   unchanged. */
#ifndef DFL_SADDLE_H
#define DFL_SADDLE_H

#include "eom/eom.h"
#include "linalg/linalg.h"

typedef struct dfl_saddle {
    dfl_system *sys; /* that carries accelerations */
    bool linear;     /* forces are free of w, l, m */
    int nrows, *row; /* the independent rows of W */
    int order;       /* of the matrix: a, sigma, w and the multipliers of these rows */
    dfl_factor *factor;
    double *M;             /* nv x nv, or nv if diagonal, at the point of the factor */
    double *rhs;           /* order */
    double *basis;         /* nc x nv: for the choice of rows */
    bool have_coupling;    /* derivatives of f, d by w, l, m are known */
    double *coupling;      /* (nv + nw) x (nw + nc) */
    dfl_rows_jacobian jac; /* they come from here */
} dfl_saddle;

dfl_status dfl_saddle_init(dfl_saddle *saddle, dfl_system *sys);
void dfl_saddle_clear(dfl_saddle *saddle);

/* After dfl_system_decide. */
void dfl_saddle_bind(dfl_saddle *saddle);

/* Chooses `rank` independent rows of W at a point and forgets the coupling. */
void dfl_saddle_choose(dfl_saddle *saddle, const dfl_point *point, int rank);

/* Evaluates saddle->M at a point. */
dfl_outcome dfl_saddle_mass(dfl_saddle *saddle, const dfl_point *point);

/* Factors the matrix with M, K0 and W of a point whose blocks are evaluated, and V (nc x nv). */
dfl_outcome dfl_saddle_factor(dfl_saddle *saddle, const dfl_point *point, const double *V);

/* Solves for a, sigma, w, l, m of point->x, whose values are the starting values; f_dyn, b and d
   follow. The matrix is factored for this V, with (nearly) the present M and W. `target` has nc
   values. */
dfl_outcome dfl_saddle_solve(dfl_saddle *saddle, dfl_point *point, const double *V,
                             const double *target);

/* The least change dv in the metric of M with V dv = target, for the rows in use: dv (nv). */
void dfl_saddle_least_change(double *dv, dfl_saddle *saddle, const double *target);

/* dv = the direction along the constraints, V dv = 0, that a force (nv) accelerates: M dv + W^T k =
   force. */
void dfl_saddle_direction(double *dv, dfl_saddle *saddle, const double *force);

/* Chooses `rank` of `count` vectors by Gram and Schmidt with pivoting: vector i has `length`
   entries A[i*stride + j*inner], which are overwritten. Lengths are relative to those of
   `original`, if given. */
void dfl_choose_vectors(int *chosen, int rank, double *A, int count, int length, int stride,
                        int inner, const double *original);

#endif
