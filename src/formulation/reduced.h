/* reduced.h: Newton's linear system for the shift zeta, with J and JD the derivatives of alg and
   dif:

       J dx = -alg,    S (zeta diag(I,M,I) - JD) dx = dif

   It is solved through all solutions of the first part, dx = CB [alg; u]. CB is independent of
   zeta, so a new step size needs only a new E = zeta SM_u - SJ_u (GEOMS, section on linear
   algebra). */
#ifndef DFL_REDUCED_H
#define DFL_REDUCED_H

#include "formulation/formulation_internal.h"

typedef struct dfl_reduced {
    int ma, nd, K;   /* algebraic and differential rows in use; K = ma + nd */
    int nfp, nfv;    /* free positions, velocities */
    int nsv;         /* rows of Sv */
    double *Sp, *Sv; /* nfp x np, nsv x nv */
    bool sv_identity;
    double *CB;      /* n x K */
    double *SM, *SJ; /* nd x K: S diag(I,M,I) CB and S JD CB */
    dfl_shifted *E;
    double *rho; /* mdif lanes of unprojected residuals; W follows */
    double *u;   /* nd: of an error estimate */
} dfl_reduced;

dfl_status dfl_reduced_init(dfl_reduced *newton, const dfl_formulation *form);
void dfl_reduced_clear(dfl_reduced *newton, const dfl_formulation *form);

dfl_outcome dfl_reduced_factor(dfl_reduced *newton, dfl_formulation *form, int stages);

/* dx (n lanes) from alg in `rows` (room for K lanes, overwritten) and rho. */
void dfl_reduced_solve(double *dx, dfl_reduced *newton, const dfl_formulation *form, double *rows);

/* err (n) = B E^-1 u */
void dfl_reduced_defect(double *err, dfl_reduced *newton, const dfl_formulation *form);

#endif
