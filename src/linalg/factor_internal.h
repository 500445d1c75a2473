/* factor_internal.h: factorizations of tiny square matrices by our own loops; for factor.c only.
   All matrices are n x n with leading dimension n; complex numbers are interleaved (re, im). */
#ifndef DFL_FACTOR_INTERNAL_H
#define DFL_FACTOR_INTERNAL_H

#include <stdbool.h>

/* Largest n, of real matrices factored by LU: where LAPACK gets faster, bench/bench_linalg.c. */
enum { DFL_SMALL_ORDER = 16, DFL_SMALL_LU = 96 };

/* P A = L U in place; the diagonal of U is stored inverted. Row i of P A is row order[i] of A.
   False if a pivot is zero or not finite. Entry i of b, complex: its real part, is b[i*stride]. */
bool dfl_small_lu(double *A, int n, int *order);
void dfl_small_lu_solve(const double *LU, int n, const int *order, double *b, int stride);
bool dfl_small_lu_complex(double *A, int n, int *order);
void dfl_small_lu_complex_solve(const double *LU, int n, const int *order, double *b, int stride);

/* A = Q R in place: the Householder vectors on and below the diagonal, R above it. `scalars` (3 n)
   gets tau_k and the inverted, for the complex case complex, diagonal entries of R.
   False if a diagonal entry is zero to working precision in its column, or not finite. */
bool dfl_small_qr(double *A, int n, double *scalars);
void dfl_small_qr_solve(const double *QR, int n, const double *scalars, double *b);
bool dfl_small_qr_complex(double *A, int n, double *scalars);
void dfl_small_qr_complex_solve(const double *QR, int n, const double *scalars, double *b);

#endif
