/* split_internal.h: what the three methods of a split share; for split*.c only.

   All of them work on W = (D A)^T, n x m, whose column i is row i of A, times D_ii = scale[i]: the
   rows that LU eliminates and the columns that QR reflects are contiguous. */
#ifndef DFL_SPLIT_INTERNAL_H
#define DFL_SPLIT_INTERNAL_H

#include "linalg/lapack_internal.h"
#include "linalg/linalg.h"

enum { SPLIT_SMALL = 16 }; /* largest n for our own QR; bench/bench_linalg.c */

struct split_work {
    int m, n;          /* largest size */
    double *W;         /* n x m */
    double *scale;     /* m: D */
    double *values;    /* m: sizes of the pivots or diagonal entries of R_1, or singular values */
    double *diagonal;  /* m: of R_1, with sign (QR) */
    double *tau;       /* m: of the Householder reflections (QR) */
    int *order;        /* m: permutation of the rows (LU, QR) ... */
    int *column;       /* n: ... and of the columns (LU) */
    int *position;     /* n: its inverse: where a column is now */
    double *Q;         /* n x n: all of Q, the left singular vectors of W, or B^-1 by rows (LU) */
    double *VT;        /* m x m: right singular vectors of W */
    lapack_int *iwork; /* 8 m: for dgesdd, or the permutation of dgeqp3 */
    double *work;      /* LAPACK's */
    lapack_int lwork;
};

/* Split the m x n matrix whose scaled transpose is in W, for m > 0: fill R (of D A), N and the
   results of dfl_split. False as dfl_split_compute. */
bool dfl_split_lu(dfl_split *split, const dfl_split_rule *rule);
bool dfl_split_qr(dfl_split *split, const dfl_split_rule *rule);
bool dfl_split_svd(dfl_split *split, const dfl_split_rule *rule);

/* Decides the rank from `count` values >= 0 of m (the rest were not reached and are at most
   `unreached`) and sets rank, largest, smallest and dropped. True if the rank is m. */
bool dfl_split_decide(dfl_split *split, const dfl_split_rule *rule, const double *values, int count,
                      double unreached);

#endif
