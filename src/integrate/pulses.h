/* pulses.h: steps that are short enough not to miss narrow pulses of functions of time. */
#ifndef DFL_PULSES_H
#define DFL_PULSES_H

#include "integrate/integrate.h"

enum { DFL_PULSE_NODES = 16 }; /* of a step, at most */

typedef struct dfl_pulses {
    double *value, *low, *high; /* of the functions: at one place; over the places of a step */
    double *largest;            /* |value| so far, ... */
    double *ahead;              /* ... and in the rest of the run ... */
    double t_end;               /* ... that ends here, ... */
    bool looked;                /* ... if that is known */
    dfl_bounds *bounds;
} dfl_pulses;

/* DFL_NO_MEMORY. */
dfl_status dfl_pulses_init(dfl_pulses *pulses, dfl_context *ctx, const dfl_solver_options *options);
void dfl_pulses_clear(dfl_pulses *pulses, dfl_context *ctx);

/* At a start: nothing has been seen. */
void dfl_pulses_start(dfl_pulses *pulses, const dfl_solver_options *options);

/* The run goes to t_end. */
void dfl_pulses_aim(dfl_pulses *pulses, double t_end);

/* *h: the next step, from the present point; it is halved until it is short enough. DFL_CALLBACK.
 */
dfl_status dfl_pulses_limit(double *h, dfl_stepper *st);

#endif
