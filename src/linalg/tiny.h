/* tiny.h: products of tiny matrices, inlined where they are used.

   Single constraints give products of one row, and sums of one term, that take fewer instructions than a call
   of dfl_gemm: entries of two terms at most are computed here. */
#ifndef DFL_TINY_H
#define DFL_TINY_H

#include "linalg/linalg.h"
#include "linalg/vectors.h"

/* As dfl_gemm; beta is 0 or 1, a constant for the compiler like alpha. */
static INLINE void product(int m, int n, int k, double alpha, const double *A, int lda,
                           const double *B, int ldb, double beta, double *C, int ldc)
{
    if (m == 1 && k == 2) {
        const double a0 = alpha * A[0], a1 = alpha * A[lda];
        for (int j = 0; j < n; j++, B += ldb, C += ldc) {
            const double sum = a0 * B[0] + a1 * B[1];
            *C = beta == 0 ? sum : *C + sum;
        }
    } else if (m == 1 && k == 1) {
        const double a = alpha * *A;
        for (int j = 0; j < n; j++, B += ldb, C += ldc)
            *C = beta == 0 ? a * *B : *C + a * *B;
    } else if (k == 1) {
        for (int j = 0; j < n; j++, B += ldb, C += ldc) {
            const double b = alpha * *B;
            for (int i = 0; i < m; i++)
                C[i] = beta == 0 ? A[i] * b : C[i] + A[i] * b;
        }
    } else {
        dfl_gemm(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    }
}

#endif
