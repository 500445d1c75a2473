/* radau_internal.h: between the method (radau.c) and the loop of attempts (step.c). */
#ifndef DFL_RADAU_INTERNAL_H
#define DFL_RADAU_INTERNAL_H
#include "integrate/radau.h"

/* Starting values Z0, also in Z, for a step of size h. */
void dfl_radau_predict(dfl_radau *ra, double h);

/* W from Z; with redundant constraints without the undetermined part. */
void dfl_radau_settle(dfl_radau *ra);

/* x_ref, a_ref at a stage of Z (Z0: predicted, Z: present); returns its time. */
double dfl_radau_reference(dfl_radau *ra, double h, const double *Z, int stage);

dfl_outcome dfl_radau_factor(dfl_radau *ra, double h);
dfl_outcome dfl_radau_iterate(double *size, dfl_radau *ra, double h);
void dfl_radau_update(dfl_radau *ra);
dfl_outcome dfl_radau_error(double *err, dfl_radau *ra, double h, bool refine);

/* The end of the step in `next`, not yet evaluated; then the step's polynomial is kept. */
void dfl_radau_candidate(dfl_radau *ra, double h);
void dfl_radau_store(dfl_radau *ra, double h);

/* Everything that depends on the number of stages. */
void dfl_radau_use_order(dfl_radau *ra, int order);

/* order.c: the first order; and the next one after a step was accepted, perhaps not at first, or
   rejected. */
void dfl_order_start(dfl_radau *ra);
void dfl_order_accepted(dfl_radau *ra, bool after_rejection);
void dfl_order_rejected(dfl_radau *ra);

#endif
