/* exchange_internal.h: what exchange.c and exchange_tangent.c share. */
#ifndef DFL_EXCHANGE_INTERNAL_H
#define DFL_EXCHANGE_INTERNAL_H

#include "fmu/exchange.h"
#include "linalg/linalg.h"

struct dfl_exchange {
    dfl_context *ctx;
    const dfl_eom *eom;
    dfl_layout at;
    dfl_split *split;
    int rank; /* of the constraints; -1: not known */
    dfl_blocks blocks;
    double *room; /* all numbers below */
    double *M, *MN, *K, *z, *a, *rest;
    double *slope_room; /* of exchange_tangent.c, or NULL: not yet needed */
    dfl_blocks slopes;
    double *slope_M, *kept, *product;
};

/* y = M x; M may be diagonal. */
void dfl_exchange_times(double *y, const dfl_exchange *e, const double *M, const double *x,
                        int columns);

/* a, and rest = f - M a, from f, bias, M and the split rows. False: a matrix is singular. */
bool dfl_exchange_accelerate(dfl_exchange *e);

#endif
