/* recursion.h: masses and forces of a tree of bodies while the solver runs: what the tapes leave out. */
#ifndef DFL_RECURSION_H
#define DFL_RECURSION_H

#include "derive/derive.h"

typedef struct dfl_recursion dfl_recursion;

/* With the numbers of parameters and inputs; `eq` must outlive it. DFL_INVALID: a number of the tree makes no sense. */
dfl_status dfl_recursion_create(dfl_recursion **out, const dfl_equations *eq,
                                const dfl_numbers *numbers);
void dfl_recursion_free(dfl_recursion *recursion);

/* Parameters or inputs have other values. After a failure the former ones count. */
dfl_status dfl_recursion_update(dfl_recursion *recursion, const dfl_numbers *numbers);

/* Puts the tree where the state says; `drives` are the prescribed motions, 3 numbers each. Everything below
   refers to the last call. */
void dfl_recursion_place(dfl_recursion *recursion, const double *x, const double *drives);

/* f (nv) -= C(p, v): forces of inertia for v' = 0 and of gravity. */
void dfl_recursion_forces(double *f, dfl_recursion *recursion);

/* M (nv x nv) += that of the tree. */
void dfl_recursion_mass(double *M, dfl_recursion *recursion);

/* J (nv x n) -= derivatives of M a + C by all unknowns. */
void dfl_recursion_slopes(double *J, dfl_recursion *recursion, const double *a);

#endif
