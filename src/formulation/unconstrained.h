/* unconstrained.h: the matrix of the sparse form without constraints, condensed to positions.

   With p' = v and neither constraints nor further variables, the equations of an increment are

       (zeta^2 M + zeta D + K) dp = r1 + r3 + (zeta M + D) r2
       dv = zeta dp - r2,    da = zeta dv - M^-1 r1

   for the residuals r1, r2, r3 of M (a - v'), v - p', f_dyn - M a; K and D are the derivatives of M
   a - f_dyn by p and v. In joint coordinates of a tree of bodies entries couple a joint with those
   between it and the root, and with those behind it: eliminated from the leaves to the root nothing
   fills in (Featherstone 2008, section 6.5), which is the order of least fill that the sparse LU
   finds. M is factored in the same way. */
#ifndef DFL_UNCONSTRAINED_H
#define DFL_UNCONSTRAINED_H
#include "formulation/formulation_internal.h"

struct dfl_sparse_form;
typedef struct dfl_unconstrained dfl_unconstrained;

/* Whether the model is of this kind. */
bool dfl_unconstrained_suits(const dfl_system *sys);

/* On failure *out is NULL. DFL_NO_MEMORY. */
dfl_status dfl_unconstrained_create(dfl_unconstrained **out, struct dfl_sparse_form *form);
void dfl_unconstrained_free(dfl_unconstrained *u, dfl_context *ctx);

/* Factors with the last derivatives, for the shifts of all stages. False: the matrix or M is
   singular. */
bool dfl_unconstrained_factor(dfl_unconstrained *u, int stages);

/* Increments dx (n lanes of `width`) from rows rho (lanes, laid out as in sparse_form.h); `stages`
   of them. False: residuals are too large. */
bool dfl_unconstrained_solve(double *dx, dfl_unconstrained *u, const double *rho, int width,
                             int stages);

#endif
