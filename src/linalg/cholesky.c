/* cholesky.c: the factor of a symmetric positive definite matrix, and systems with it; tiny
   sizes with our own loops. */
#include "linalg/lapack_internal.h"
#include "linalg/linalg.h"

#include <float.h>
#include <math.h>

enum { CHOLESKY_LIMIT = 16 }; /* n up to which our loops are faster (bench/bench_linalg.c) */

static bool small_cholesky(double *A, int n);
#if DFL_LAPACK
static bool large_cholesky(double *A, int n);
#endif

bool dfl_cholesky(double *A, int n)
{
#if DFL_LAPACK
    if (n > CHOLESKY_LIMIT)
        return large_cholesky(A, n);
#endif
    return small_cholesky(A, n);
}

/* The sign of a pivot that has lost all digits of its diagonal entry is meaningless: n subtractions
   of squares, each with a few roundings, leave 10 n eps. False for NaN. */
static bool is_positive(double pivot, double diagonal, int n)
{
    return pivot > 10 * n * DBL_EPSILON * diagonal && pivot <= DBL_MAX;
}

/* Column by column, each taking what the columns to its left contribute (left-looking). */
static bool small_cholesky(double *A, int n)
{
    for (int j = 0; j < n; j++) {
        double *Aj = A + j * n;
        const double diagonal = Aj[j];
        for (int k = 0; k < j; k++)
            for (int i = j; i < n; i++)
                Aj[i] -= A[k * n + i] * A[k * n + j];
        if (!is_positive(Aj[j], diagonal, n))
            return false;
        Aj[j] = sqrt(Aj[j]);
        const double inverse = 1 / Aj[j];
        for (int i = j + 1; i < n; i++)
            Aj[i] *= inverse;
    }
    return true;
}

#if DFL_LAPACK
/* The diagonal entry that a pivot came from is the squared norm of its row of L. */
static bool large_cholesky(double *A, int n)
{
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n) != 0)
        return false;
    for (int i = 0; i < n; i++) {
        const double norm = cblas_dnrm2(i + 1, A + i, n);
        if (!is_positive(A[i * n + i] * A[i * n + i], norm * norm, n))
            return false;
    }
    return true;
}
#endif

void dfl_cholesky_forward(double *y, int stride, const double *L, int n)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            y[j * stride] -= L[k * n + j] * y[k * stride];
        y[j * stride] /= L[j * n + j];
    }
}

void dfl_cholesky_backward(double *y, const double *L, int n)
{
    for (int j = n - 1; j >= 0; j--) {
        for (int k = j + 1; k < n; k++)
            y[j] -= L[j * n + k] * y[k];
        y[j] /= L[j * n + j];
    }
}
