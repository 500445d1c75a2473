/* eigen.c: eigenvalues of a general matrix with their condition, and its eigenvectors, by LAPACK's
   dgeevx. */
#include "linalg/linalg.h"

#include <float.h>
#include <lapacke.h>

static void drop_rounding(double *A, double *row, const double *from, int n);
static dfl_status compute(dfl_eigen *out, double *A);

dfl_status dfl_eigen_find(dfl_eigen *out, dfl_context *ctx, int n, const double *A)
{
    const size_t order = (size_t)n, entries = order * order;
    *out = (dfl_eigen){.ctx = ctx, .n = n};
    double *copy = dfl_alloc(ctx, entries, sizeof *copy);
    out->re = dfl_alloc(ctx, order, sizeof(double));
    out->im = dfl_alloc(ctx, order, sizeof(double));
    out->doubt = dfl_alloc(ctx, order, sizeof(double));
    out->right = dfl_alloc(ctx, entries, sizeof(double));
    out->left = dfl_alloc(ctx, entries, sizeof(double));
    dfl_status status = DFL_NO_MEMORY;
    if (copy && out->re && out->im && out->doubt && out->right && out->left)
        status = dfl_require_finite(ctx, A, n * n);
    if (!status && n > 0) {
        drop_rounding(copy, out->re, A, n);
        status = compute(out, copy);
    }
    dfl_free(ctx, copy);
    return status;
}

dfl_status dfl_require_finite(dfl_context *ctx, const double *x, int count)
{
    return dfl_all_finite(x, count)
               ? DFL_OK
               : dfl_fail(ctx, DFL_NOT_FINITE, "a matrix contains a number that is not finite");
}

void dfl_eigen_clear(dfl_eigen *eigen)
{
    dfl_context *ctx = eigen->ctx;
    if (!ctx)
        return;
    dfl_free(ctx, eigen->re);
    dfl_free(ctx, eigen->im);
    dfl_free(ctx, eigen->doubt);
    dfl_free(ctx, eigen->right);
    dfl_free(ctx, eigen->left);
    *eigen = (dfl_eigen){0};
}

/* Entries that are rounding next to their row and column would mislead the balancing, which makes
   rows and columns alike. */
static void drop_rounding(double *A, double *row, const double *from, int n)
{
    const size_t order = (size_t)n;
    for (size_t i = 0; i < order; i++)
        row[i] = dfl_max_abs_row(from + i, n, n);
    for (size_t j = 0; j < order; j++) {
        const double column = dfl_max_abs(from + j * order, n);
        for (size_t i = 0; i < order; i++) {
            const double a = from[j * order + i];
            A[j * order + i] = fabs(a) <= 4 * n * DBL_EPSILON * sqrt(row[i] * column) ? 0 : a;
        }
    }
}

/* The doubt of an eigenvalue is the rounding of the balanced matrix divided by the cosine between
   its left and right eigenvector (Golub and Van Loan, section 7.2.2). */
static dfl_status compute(dfl_eigen *out, double *A)
{
    dfl_context *ctx = out->ctx;
    const lapack_int n = out->n;
    lapack_int low, high, info = -1;
    double norm = 0, size = 0;
    LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, 'B', 'V', 'V', 'E', n, A, n, out->re, out->im, out->left,
                        n, out->right, n, &low, &high, NULL, &norm, out->doubt, NULL, &size, -1,
                        NULL);
    const lapack_int lwork = (lapack_int)size + 1;
    double *work = dfl_alloc(ctx, (size_t)lwork, sizeof *work);
    double *scale = dfl_alloc(ctx, 2 * (size_t)n, sizeof *scale);
    lapack_int *whole = dfl_alloc(ctx, 2 * (size_t)n, sizeof *whole);
    dfl_status status = work && scale && whole ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        info = LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, 'B', 'V', 'V', 'E', n, A, n, out->re, out->im,
                                   out->left, n, out->right, n, &low, &high, scale, &norm,
                                   out->doubt, scale + n, work, lwork, whole);
    if (!status && info)
        status = dfl_fail(ctx, DFL_NOT_CONVERGED,
                          "the eigenvalues of a matrix of order %d were "
                          "not found",
                          out->n);
    for (int i = 0; !status && i < n; i++)
        out->doubt[i] =
            n * DBL_EPSILON * norm / (out->doubt[i] > DBL_EPSILON ? out->doubt[i] : DBL_EPSILON);
    dfl_free(ctx, work);
    dfl_free(ctx, scale);
    dfl_free(ctx, whole);
    return status;
}
