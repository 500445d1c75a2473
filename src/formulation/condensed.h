/* condensed.h: the matrix of the sparse form, condensed to positions and one set of multipliers.

   With M constant, holonomic constraints alone and forces of positions and velocities, the
   equations of an increment are, with p' = v and in this order,

       (A)  [zeta^2 M + zeta D + K  W^T; W 0] (dp, Lam) = (r3 + r1 + (zeta + D/M) r2 - D u, -r6)
       (B)  [M W^T; W 0] (u, -eta) = (0, -r5 - vel_p dp - W w),
            w = zeta dp - M^-1 r2,   dv = w + u
       (C)  [M W^T; W 0] (da, dl) = (r3 - K dp - D dv, -r4 - acc_v dv - acc_p dp)

   for the residuals r1 .. r6 of M (a - v') - W^T tau, M (v - p') - W^T eta, f_dyn - M a, gII, gI,
   g. (C) are the rows of f_dyn - M a and gII themselves: multipliers as Lam - tau - zeta eta would
   be differences of numbers that grow as zeta^2, and wrong in steps that are short for the length
   of a chain. K and D are the derivatives of -f_dyn by p and v. Kinematics with quaternions are
   solved block by block (motion_blocks.h), and velocities without mass, as those of joints, are
   eliminated with their rows (massless_joints.h). If D is large, (A) and (B) are passed through
   twice. The symmetric part of the matrix of (A) is factored as LDL^T in a fixed order; what it
   leaves of an unsymmetric one goes into further sweeps. If that is too much, or a residual shows
   that the order does not serve, the whole matrix goes to KLU.

   The lumped matrix has the blocks of zeta^2 M + zeta D + K where M has its own, so bodies are
   coupled by constraints alone: far fewer entries in nets. K and D are h^2 and h times smaller than
   M, so what it leaves out goes into further sweeps, too: one if that is below 1 % of the blocks,
   as the convergence of Newton's method shows no less. It is used when that takes less work. */
#ifndef DFL_CONDENSED_H
#define DFL_CONDENSED_H
#include "formulation/formulation_internal.h"

struct dfl_sparse_form;
typedef struct dfl_condensed dfl_condensed;

/* What the model has that does not condense, or NULL. */
const char *dfl_condensed_obstacle(const dfl_system *sys);

/* *out stays NULL if blocks are too large. DFL_NO_MEMORY. */
dfl_status dfl_condensed_create(dfl_condensed **out, struct dfl_sparse_form *form);
void dfl_condensed_free(dfl_condensed *c, dfl_context *ctx);

/* The last derivatives. False: they do not condense. */
bool dfl_condensed_linearize(dfl_condensed *c);

/* Factors for the shifts of all stages. False: that fails, or the matrix is far from symmetric. */
bool dfl_condensed_factor(dfl_condensed *c, int stages);

/* Increments x (n lanes of `width`) from rows rho (lanes, laid out as in sparse_form.h); `stages`
   of them. False: residuals are too large. */
bool dfl_condensed_solve(double *dx, dfl_condensed *c, const double *rho, int width, int stages);

#endif
