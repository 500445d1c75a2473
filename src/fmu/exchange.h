/* exchange.h: accelerations and multipliers from positions and velocities alone, for integrators
   outside. */
#ifndef DFL_EXCHANGE_H
#define DFL_EXCHANGE_H

#include "carry/carry.h"

#include <driftless/context.h>
#include <driftless/eom.h>

typedef struct dfl_exchange dfl_exchange;

/* Whether linear equations give them; otherwise dfl_carried_complete does. */
static inline bool dfl_exchange_is_linear(const dfl_eom *eom)
{
    return eom->nw == 0 && eom->ns == 0 && eom->n0 == 0 && eom->forces_free_of_multipliers;
}

/* DFL_NO_MEMORY. */
dfl_status dfl_exchange_create(dfl_exchange **out, dfl_context *ctx, const dfl_eom *eom);
void dfl_exchange_free(dfl_exchange *exchange);

/* With r, v and p of x (n): moves v onto the constraints of velocities, writes the multipliers into
   x and the derivatives of r, v, p into rate (n). False: a matrix is singular, or a number is not
   finite. */
bool dfl_exchange_eval(double *rate, double *x, dfl_exchange *exchange, double t);

/* The rank of the constraints from now on; -1: it is found anew at every evaluation. Constraints
   that are redundant where they are satisfied are not beside it, so that states of the caller do
   not show it. */
void dfl_exchange_impose(dfl_exchange *exchange, int rank);

/* Derivatives of what dfl_exchange_eval has written at this x, whose values before it were `given`
   (n), along a direction: of x itself (n), and of the rates (n). */
bool dfl_exchange_tangent(double *slope_rate, double *slope, dfl_exchange *exchange,
                          dfl_carried_run *run, double t, const double *given, const double *x,
                          const dfl_carried_direction *along);

/* The largest change of a position that g asks for at x, and the largest position. */
void dfl_exchange_distance(double *change, double *size, dfl_exchange *exchange, double t,
                           const double *x);

#endif
