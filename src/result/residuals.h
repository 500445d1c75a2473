/* residuals.h: the residuals of one state, level by level. */
#ifndef DFL_RESIDUALS_H
#define DFL_RESIDUALS_H

#include "result/result.h"

typedef struct dfl_residuals dfl_residuals;

/* Creates the workspace for a model; `eom` must outlive it. Without `accelerations` (psi1) that level is
   NAN. */
dfl_status dfl_residuals_create(dfl_residuals **out, dfl_context *ctx, const dfl_eom *eom,
                                bool accelerations);
void dfl_residuals_free(dfl_residuals *residuals);

/* The largest absolute residual of every level at (t, x); NAN for a level that the model does not have
   or that cannot be evaluated. The acceleration level takes a from M a = f - W^T (l, m): NAN if M
   is singular. */
void dfl_residuals_eval(double levels[DFL_LEVELS], dfl_residuals *residuals, double t,
                        const double *x);

#endif
