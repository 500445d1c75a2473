/* plain.h: forms that keep all rows of kinematics and dynamics, with one dense matrix (forms.c
   lists the rows and unknowns of each form).

   Unknowns [a | tau | mu | eps | user's x], the first four only if the form has them, and the same
   number of rows

       dynamics    f_dyn - M (v' + W^T tau)          corrected accelerations (pinv)
                   f_dyn - W^T tau - M v'            otherwise, or  a - v'  if the rates are a
       kinematics  Z (v - W_l^T mu - (L Z)^T tau) - p' - ep_p^T eps
       b - r',  f_dyn - M a,  d,  c
       gII, hI     W a + bias                        a: v', the unknowns a, or v' + W^T tau
       gI, hv, g, ep

   where W_l are the holonomic rows of W and L the derivative of (gI, hv) with respect to p.
   Multipliers of positions act along velocities, Z (GZ)^T mu, which is G^T mu for Z = I: so unit
   quaternions stay unit quaternions, whatever the shape of Z. A row F(x, x') enters the matrix as
   zeta E - J with E = -dF/dx' and J = dF/dx, where derivatives of W^T tau and the like are left
   out: mu and tau vanish at the solution. */
#ifndef DFL_PLAIN_H
#define DFL_PLAIN_H
#include "formulation/formulation_internal.h"

typedef struct dfl_plain {
    dfl_formulation base;
    dfl_dense dense;
    double *E, *J;                /* n x n */
    dfl_shifted *factors;         /* of zeta E - J */
    double *rho;                  /* n lanes: the rows of the stages, transformed */
    dfl_split *contact;           /* c_s, for L */
    int n;                        /* unknowns and rows */
    int col_tau, col_mu, col_eps; /* columns; a is at 0 */
    struct {
        int kin, b, a, d, c, acc, gI, hv, g, ep;
    } row;                       /* the first of each kind; dynamics are at 0 */
    double *F;                   /* n x stages: the rows */
    double *rate;                /* n: x' of a stage */
    double *push, *turn, *alpha; /* nv: W^T tau, what mu and tau do to v, accelerations */
    double *W, *L, *ep_p;        /* at the reference point: nc x nv, nc x nv, nep x np */
    double *L_stage;             /* at a stage */
    double *LT;                  /* nc x np: workspace of L */
    unsigned char *dropped;      /* nc: redundant rows, whose multipliers have their own rows */
    double *kernel;              /* nc x nc: the projector onto ker W^T */
    dfl_rows_jacobian stage_jac; /* for L at a stage, unless lagged */
    bool have_stage_jac;
} dfl_plain;

/* Operations of dfl_form_class. */
dfl_outcome dfl_plain_linearize(dfl_formulation *base, double t, const double *x, const double *a,
                                bool update);
dfl_outcome dfl_plain_residual(double *rows, dfl_formulation *base, const dfl_point *points,
                               int count, const double *transform, const double *yp,
                               const double *xp);
dfl_outcome dfl_plain_mixed(double *rows, dfl_formulation *base, const dfl_point *differential,
                            const dfl_point *algebraic, double weight, const double *yp,
                            const double *xp);
dfl_outcome dfl_plain_defect(double *err, dfl_formulation *base, const dfl_point *point,
                             const double *y);

/* L Z (nc x nv) from the derivatives of the velocity rows, with s = s(p). */
bool dfl_plain_turning(double *L, dfl_plain *plain, const dfl_rows_jacobian *jac);

#endif
