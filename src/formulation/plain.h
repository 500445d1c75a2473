/* plain.h: forms that keep all rows of kinematics and dynamics, with one dense matrix (forms.h
   says which rows and unknowns each one has).

   Unknowns [a | tau | mu | eps | user's x], those in front only where a form has them, and as many
   rows

       dynamics    f_dyn - M (v' + W^T tau)          corrected accelerations (pinv)
                   f_dyn - W^T tau - M v'            otherwise, or  a - v'  where the rates are a
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
#include "formulation/formulation.h"

struct dfl_plain {
    int n;                        /* unknowns and rows */
    int col_tau, col_mu, col_eps; /* columns; a is at 0 */
    int row_kin, row_b, row_a;    /* rows; dynamics are at 0 */
    int row_d, row_c, row_acc;
    int row_gI, row_hv, row_g, row_ep;
    double *F;                   /* n x stages: the rows */
    double *rate;                /* n: x' of a stage */
    double *push, *turn, *alpha; /* nv: W^T tau, what mu and tau do to v, accelerations */
    double *W, *L, *ep_p;        /* at the reference point: nc x nv, nc x nv, nep x np */
    double *L_stage;             /* at a stage */
    double *LT;                  /* nc x np: workspace of L */
    unsigned char *dropped;      /* nc: redundant rows, whose multipliers have rows of their own */
    double *kernel;              /* nc x nc: the projector onto ker W^T */
    dfl_rows_jacobian stage_jac; /* for L at a stage, unless lagged */
    bool have_stage_jac;
};

dfl_status dfl_plain_init(dfl_formulation *form);
void dfl_plain_free(dfl_plain *plain, dfl_context *ctx);

/* The operations of formulation.h. */
dfl_outcome dfl_plain_linearize(dfl_formulation *form, double t, const double *x, const double *a,
                                bool update);
dfl_outcome dfl_plain_select(dfl_formulation *form, double t, const double *x);
dfl_outcome dfl_plain_factor(dfl_formulation *form, int stages);
dfl_outcome dfl_plain_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                               int count, const double *transform, const double *yp,
                               const double *xp);
dfl_outcome dfl_plain_mixed(double *rows, dfl_formulation *form, const dfl_point *differential,
                            const dfl_point *algebraic, double weight, const double *yp,
                            const double *xp);
void dfl_plain_solve(double *dx, dfl_formulation *form, double *rows);
dfl_outcome dfl_plain_defect(double *err, dfl_formulation *form, const dfl_point *point,
                             const double *y);
void dfl_plain_minimum_norm(double *X, const dfl_formulation *form);
const double *dfl_plain_acceleration_rows(dfl_formulation *form, const dfl_point *point);

/* L Z (nc x nv) from the derivatives of the velocity rows, with s = s(p). */
bool dfl_plain_turning(double *L, dfl_formulation *form, const dfl_rows_jacobian *jac);

#endif
