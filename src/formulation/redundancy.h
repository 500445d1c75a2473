/* redundancy.h: multipliers of redundant constraints.

   A set I of the rows of W is independent, the others are W_D = C W_I. Only y = l_I + C^T l_D has
   an effect, since W^T l = W_I^T y; the multipliers of minimum norm with the same effect are

       l_D = (I + C C^T)^-1 C y,    l_I = y - C^T l_D.

   Rows may have any size and unit: I is chosen by the remainder of each row relative to its length,
   and the longest remainder among those that are good enough is taken. So C has no large
   entries. */
#ifndef DFL_REDUNDANCY_H
#define DFL_REDUNDANCY_H

#include <driftless/context.h>
#include <stdbool.h>

typedef struct dfl_redundant {
    int nc, nv;
    int rank;   /* rows in I */
    int *order; /* nc: the rows in I, then those in D */
    bool least; /* false: I + C C^T is too badly scaled, and l_D = 0 is used */
    double *C;  /* (nc - rank) x rank */
    double *L;  /* Cholesky factor of I + C C^T */
    double *rest, *B, *y, *d;
} dfl_redundant;

dfl_status dfl_redundant_init(dfl_redundant *red, dfl_context *ctx, int nc, int nv);
void dfl_redundant_clear(dfl_redundant *red, dfl_context *ctx);

/* Chooses at most `rank` independent rows of W (nc x nv, leading dimension ldw), whose lengths are
   taken as at least `least`: the remainder of a row that vanishes may point anywhere. */
void dfl_redundant_choose(dfl_redundant *red, const double *W, int ldw, const double *least,
                          int rank);

/* l (nc): those of minimum norm with the same effect. */
void dfl_redundant_least(double *l, const dfl_redundant *red);

/* l (nc) of minimum norm with the effect y (rank, by the order of I). */
void dfl_redundant_expand(double *l, const dfl_redundant *red, const double *y);

/* N (nc x (nc - rank), leading dimension ldn): an orthonormal basis of the multipliers without
   effect. */
void dfl_redundant_kernel(double *N, int ldn, const dfl_redundant *red);

#endif
