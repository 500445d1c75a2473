/* null_space.h: null spaces by numbers, with bases that can be shown to a user. */
#ifndef DFL_NULL_SPACE_H
#define DFL_NULL_SPACE_H

#include <driftless/context.h>

/* basis (n x *count, from ctx): spans {y : A y = 0}, in reduced form: each vector has entry 1 where
   all others have 0, so that a vector names as few components as possible. A (m x n) is
   overwritten; its rows should be scaled alike. Singular values below 1e-9 of the largest are
   treated as zero: not for mass matrices, whose singular values fall with the length of a chain.
   DFL_NOT_FINITE: A contains NaN or Inf. */
dfl_status dfl_null_space(double **basis, int *count, dfl_context *ctx, double *A, int m, int n);

/* The null space of a mass matrix M (nv x nv), by the pivots that decide about massless directions
   (mass_rank.c). basis (nv x *count, from ctx) is not reduced. A matrix with negative eigenvalues
   is treated as any other matrix. */
dfl_status dfl_mass_null_space(double **basis, int *count, dfl_context *ctx, const double *M,
                               int nv);

/* Brings independent vectors, the columns of B (n x count), into the reduced form. */
void dfl_reduce_basis(double *B, int n, int count);

#endif
