/* exchange.h: accelerations and multipliers from positions and velocities alone, for integrators
   outside. */
#ifndef DFL_EXCHANGE_H
#define DFL_EXCHANGE_H

#include <driftless/context.h>
#include <driftless/eom.h>

typedef struct dfl_exchange dfl_exchange;

/* Why a model has no such form: "auxiliary variables", ..., or NULL. */
static inline const char *dfl_exchange_obstacle(const dfl_eom *eom)
{
    if (eom->nw > 0)
        return "auxiliary variables";
    if (eom->ns > 0)
        return "contact variables";
    if (eom->n0 > 0)
        return "massless directions";
    if (!eom->forces_free_of_multipliers)
        return "forces that depend on multipliers";
    return NULL;
}

/* Why integrators outside cannot drive it, as above: they do not know what happens at instants. */
static inline const char *dfl_exchange_instants(int contacts, int actions)
{
    return contacts > 0  ? "contacts or friction with sticking"
           : actions > 0 ? "events or samples that act"
                         : NULL;
}

/* DFL_NO_MEMORY. */
dfl_status dfl_exchange_create(dfl_exchange **out, dfl_context *ctx, const dfl_eom *eom);
void dfl_exchange_free(dfl_exchange *exchange);

/* With r, v and p of x (n): moves v onto the constraints of velocities, writes the multipliers into x and
   the derivatives of r, v, p into rate (n). False: a matrix is singular, or a number is not finite. */
bool dfl_exchange_eval(double *rate, double *x, dfl_exchange *exchange, double t);

/* The largest change of a position that g asks for at x, and the largest position. */
void dfl_exchange_distance(double *change, double *size, dfl_exchange *exchange, double t,
                           const double *x);

#endif
