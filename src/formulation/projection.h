/* projection.h: inside the formulation: selectors and invariants. */
#ifndef DFL_PROJECTION_H
#define DFL_PROJECTION_H
#include "formulation/formulation.h"

/* Decides which invariants are in use for the present derivatives. */
void dfl_invariants_choose(dfl_formulation *form);

/* Lets form->J2 be the rows of block 2 in use, copied where some are missing or will be changed, and
   sets form->m2. */
void dfl_invariants_compress(dfl_formulation *form);

/* Whether the selectors must be renewed for the present decomposition. */
bool dfl_selectors_outdated(dfl_formulation *form);

/* Computes Sp and Sv for the present decomposition; x is the user's. */
dfl_outcome dfl_selectors_compute(dfl_formulation *form, double t, const double *x);

/* psi1: writes a basis of the determined multipliers (nc x nflm, leading dimension ld). */
void dfl_selectors_free_multipliers(double *B, int ld, dfl_formulation *form);

#endif
