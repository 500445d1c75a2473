/* null_space.c: null spaces by the singular value decomposition, reduced by elimination. */
#include "derive/null_space.h"

#include "linalg/linalg.h"

#include <lapacke.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

static int rank_of(const double *sigma, int count);
static void eliminate(double *B, int n, int k, int column, int pivot);

dfl_status dfl_null_space(double **basis, int *count, dfl_context *ctx, double *A, int m, int n)
{
    const int least = m < n ? m : n, room = 5 * (m + n) + 16;
    double *sigma = dfl_alloc(ctx, (size_t)least, sizeof *sigma);
    double *VT = dfl_alloc(ctx, (size_t)n * (size_t)n, sizeof *VT);
    double *work = dfl_alloc(ctx, (size_t)room, sizeof *work);
    double *B = dfl_alloc(ctx, (size_t)n * (size_t)n, sizeof *B);
    dfl_status status = sigma && VT && work && B ? DFL_OK : DFL_NO_MEMORY;
    *count = n;
    if (!status && m == 0)
        for (int i = 0; i < n; i++)
            B[i + i * n] = 1.0;
    if (!status && !dfl_all_finite(A, m * n)) /* LAPACK's iteration might never end */
        status = dfl_fail(ctx, DFL_NOT_FINITE, "the model's matrices contain NaN or Inf");
    if (!status && m > 0) {
        const int info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'A', m, n, A, m, sigma, NULL, 1,
                                             VT, n, work, room);
        if (info)
            status = dfl_fail(ctx, DFL_NOT_FINITE,
                              "the singular values of the model's matrices cannot be computed");
        const int rank = status ? 0 : rank_of(sigma, least);
        *count = n - rank;
        for (int k = 0; k < *count; k++)
            for (int i = 0; i < n; i++)
                B[i + k * n] = VT[rank + k + i * n];
        dfl_reduce_basis(B, n, *count);
    }
    dfl_free(ctx, sigma);
    dfl_free(ctx, VT);
    dfl_free(ctx, work);
    if (status) {
        dfl_free(ctx, B);
        B = NULL;
    }
    *basis = B;
    return status;
}

static int rank_of(const double *sigma, int count)
{
    int rank = 0;
    while (rank < count && sigma[rank] > 1e-9 * sigma[0])
        rank++;
    return rank;
}

/* Gauss-Jordan on the vectors, largest entries first; what is rounding becomes 0. */
void dfl_reduce_basis(double *B, int n, int k)
{
    for (int column = 0; column < k; column++) {
        int pivot = 0;
        for (int i = 0; i < n; i++)
            if (fabs(B[i + column * n]) > fabs(B[pivot + column * n]) * (1.0 + 1e-9))
                pivot = i;
        eliminate(B, n, k, column, pivot);
    }
    for (int i = 0; i < n * k; i++)
        if (fabs(B[i]) < 1e-9)
            B[i] = 0.0;
}

static void eliminate(double *B, int n, int k, int column, int pivot)
{
    double *b = B + column * n;
    const double scale = b[pivot];
    if (scale == 0.0)
        return;
    for (int i = 0; i < n; i++)
        b[i] /= scale;
    for (int j = 0; j < k; j++) {
        const double factor = B[pivot + j * n];
        if (j == column)
            continue;
        for (int i = 0; i < n; i++)
            B[i + j * n] -= factor * b[i];
    }
}
