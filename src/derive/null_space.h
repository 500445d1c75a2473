/* null_space.h: exact-looking bases of null spaces, for messages. */
#ifndef DFL_NULL_SPACE_H
#define DFL_NULL_SPACE_H

#include <driftless/context.h>

/* basis (n x *count, from ctx): spans {y : A y = 0}, in reduced form: each vector has entry 1 where all
   others have 0, so that a vector names as few components as possible. A (m x n) is overwritten; its
   rows should be scaled alike. Singular values below 1e-9 of the largest count as zero. */
dfl_status dfl_null_space(double **basis, int *count, dfl_context *ctx, double *A, int m, int n);

#endif
