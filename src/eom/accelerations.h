/* accelerations.h: the accelerations that belong to a state,  M a = f - W^T (l, m). */
#ifndef DFL_ACCELERATIONS_H
#define DFL_ACCELERATIONS_H

#include <driftless/context.h>
#include <driftless/eom.h>

#include <stdbool.h>

typedef struct dfl_accelerations dfl_accelerations;

/* Creates the workspace for a model; `eom` must outlive it. `singular`: also for masses that may be. */
dfl_status dfl_accelerations_create(dfl_accelerations **out, dfl_context *ctx, const dfl_eom *eom,
                                    bool singular);
void dfl_accelerations_free(dfl_accelerations *work);

/* a (nv) at (t, x), where f and W of `blocks` have been evaluated. False if M is singular or cannot be
   evaluated; a is of no use then. */
bool dfl_accelerations_solve(double *a, dfl_accelerations *work, const dfl_blocks *blocks, double t,
                             const double *x);

/* How the balance of massless directions changes: 0 = rows a + drift, both for gam' = 0. */
typedef struct dfl_balance_rate {
    const double *rows;  /* n0 x nv */
    const double *drift; /* n0 */
} dfl_balance_rate;

/* The same where M may be singular, as said at the creation: directions without mass are accelerated as the
   constraints want it, W a = -bias (evaluated too), and as their balance of forces wants it (`rate` may be NULL
   if n0 is 0). Those that stand nowhere are NAN, and everything is where a number is not finite. */
void dfl_accelerations_complete(double *a, dfl_accelerations *work, const dfl_blocks *blocks,
                                const dfl_balance_rate *rate, double t, const double *x);

#endif
