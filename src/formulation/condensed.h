/* condensed.h: the matrix of the sparse form, condensed to positions and one set of multipliers.

   With M constant, diagonal and positive, p' = v, holonomic constraints alone and forces of positions
   alone, the equations of an increment are, in this order and without approximation,

       (A)  [zeta^2 M + K  W^T; W 0] (dp, Lam) = (r3 + r1 + zeta r2, -r6)
       (B)  [M W^T; W 0] (y, -eta) = (0, -r5 - vel_p dp + zeta r6 + W M^-1 r2),   dv = zeta dp + y - M^-1 r2
       (C)  [M W^T; W 0] (z, -tau) = (0, -r4 - acc_v dv - acc_p dp + zeta (r5 + vel_p dp) + W M^-1 r1)
            da = zeta dv + z - M^-1 r1,   dl = Lam - tau - zeta eta

   for the residuals r1 .. r6 of M (a - v') - W^T tau, M (v - p') - W^T eta, f_dyn - M a, gII, gI, g. K, the
   derivative of -f_dyn by p, is symmetric for potential forces, so all three are LDL^T in a fixed order;
   if it is not, or a residual shows that the order does not serve, the whole matrix goes to KLU. */
#ifndef DFL_CONDENSED_H
#define DFL_CONDENSED_H
#include "formulation/formulation_internal.h"

struct dfl_sparse_form;
typedef struct dfl_condensed dfl_condensed;

/* Whether the model is of this kind. */
bool dfl_condensed_suits(const dfl_system *sys);

/* DFL_NO_MEMORY. */
dfl_status dfl_condensed_create(dfl_condensed **out, struct dfl_sparse_form *form);
void dfl_condensed_free(dfl_condensed *c, dfl_context *ctx);

/* K and W of the last derivatives. False: K is not symmetric. */
bool dfl_condensed_linearize(dfl_condensed *c);

/* Factors for the shifts of all stages. False: that fails. */
bool dfl_condensed_factor(dfl_condensed *c, int stages);

/* Increments x (n lanes of `width`) from rows rho (lanes, laid out as in sparse_form.h); `stages` of them.
   False: residuals are too large. */
bool dfl_condensed_solve(double *dx, dfl_condensed *c, const double *rho, int width, int stages);

#endif
