/* arnoldi.h: eigenvalues of largest size of a linear map that is known by its products. */
#ifndef DFL_ARNOLDI_H
#define DFL_ARNOLDI_H

#include "linalg/linalg.h"

#include <driftless/analysis.h>

/* y := the map of z (n each). False: it cannot. */
typedef bool (*dfl_map_fn)(double *y, const double *z, void *user);

typedef struct dfl_krylov dfl_krylov;

/* A basis that begins with `block` vectors, so that eigenvalues of this multiplicity are found, and
   grows up to `room` vectors. */
dfl_status dfl_krylov_create(dfl_krylov **out, dfl_context *ctx, int n, int block, int room,
                             dfl_map_fn map, void *user);
void dfl_krylov_free(dfl_krylov *krylov);

/* Maps vectors of the basis until `count` have been, and finds the eigenvalues of the map in their
   span. DFL_SINGULAR: the map failed. DFL_NOT_CONVERGED, DFL_NO_MEMORY. */
dfl_status dfl_krylov_extend(dfl_krylov *krylov, int count);

/* What is known now, by size: the largest come first; `error`: the residual of each. `whole`: the
   span is mapped into itself, all are exact. */
typedef struct dfl_ritz {
    double re, im;
    double error, doubt;
    int vector; /* column of the eigenvectors; of a pair the first one of two columns */
} dfl_ritz;
const dfl_ritz *dfl_krylov_values(const dfl_krylov *krylov, int *count, bool *whole);

/* The eigenvector of a value: n numbers each; im is NULL for a real one. */
void dfl_krylov_vector(double *re, double *im, const dfl_krylov *krylov, const dfl_ritz *value);

#endif
