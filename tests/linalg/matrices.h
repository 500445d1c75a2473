/* matrices.h: random matrices of many sizes, on both sides of the limits where LAPACK takes over,
   and the equations that define products and inverses.

   Tolerances: a backward stable method leaves a residual of a modest multiple of n eps times the
   condition number. The random matrices have entries in [-1, 1] plus, where regularity matters, a
   shift of the diagonal that keeps the condition number below about 100; n <= 40 gives
   40 * 100 * 2e-16 = 1e-12. TOLERANCE adds a factor 10. */
#ifndef DFL_TESTS_MATRICES_H
#define DFL_TESTS_MATRICES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/linalg.h"

static const double TOLERANCE = 1e-11;
enum { MAX = 40, AREA = MAX * MAX };

static dfl_context *ctx;
static uint64_t seed = 1;

static inline int make_context(void **state)
{
    (void)state;
    ctx = dfl_context_create();
    return ctx ? 0 : -1;
}

static inline int free_context(void **state)
{
    (void)state;
    const long live = dfl_context_live(ctx);
    dfl_context_free(ctx);
    return live == 0 ? 0 : -1;
}

/* Uniform in [-1, 1): Knuth's MMIX generator, its upper 53 bits. */
static inline double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static inline void fill(double *x, int count)
{
    for (int i = 0; i < count; i++)
        x[i] = uniform();
}

/* m x n, with m added to a diagonal that pairs row i with column 3 i + 1 mod n, so that pivoting
   has something to do but the matrix is well-conditioned. */
static inline void fill_regular(double *A, int m, int n)
{
    const int stride = n % 3 == 0 ? 1 : 3;
    fill(A, m * n);
    for (int i = 0; i < m; i++)
        A[i + (stride * i + 1) % n * m] += m + 1;
}

/* m x n of the given rank: a product of two random factors. */
static inline void fill_deficient(double *A, int m, int n, int rank)
{
    double left[AREA], right[AREA];
    fill_regular(left, rank, m); /* transposed */
    fill_regular(right, rank, n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            A[i + j * m] = 0;
            for (int k = 0; k < rank; k++)
                A[i + j * m] += left[k + i * rank] * right[k + j * rank];
        }
}

static inline void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) /* catches NaN */
        fail_msg("%.17g and %.17g differ by more than %g", a, b, tolerance);
}

/* C = A B by the definition. */
static inline void naive_product(double *C, const double *A, const double *B, int m, int k, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            C[i + j * m] = 0;
            for (int l = 0; l < k; l++)
                C[i + j * m] += A[i + l * m] * B[l + j * k];
        }
}

static inline void transpose(double *T, const double *A, int m, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            T[j + i * n] = A[i + j * m];
}

static inline void assert_identity(const double *A, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            assert_close(A[i + j * n], i == j ? 1.0 : 0.0, TOLERANCE);
}

static inline void assert_all_close(const double *A, const double *B, int count, double tolerance)
{
    for (int i = 0; i < count; i++)
        assert_close(A[i], B[i], tolerance);
}

static inline void assert_all_zero(const double *A, int count, double tolerance)
{
    for (int i = 0; i < count; i++)
        assert_close(A[i], 0.0, tolerance);
}

#endif
