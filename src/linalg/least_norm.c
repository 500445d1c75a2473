/* least_norm.c: X = A^+ B for several right-hand sides, by LAPACK's complete orthogonal
   factorisation dgelsy, after rows and columns have been brought to the same size. */
#include "linalg/jacobi.h"
#include "linalg/lapack_internal.h"
#include "linalg/linalg.h"

#include <string.h>

static void equilibrate_rows(double *A, double *B, int ldb, int m, int n, int count);
static bool equilibrate_columns(double *A, const double *B, int ldb, double *scale, int m, int n,
                                int count, bool wanted);
static lapack_int workspace(int m, int n, int count, int ldb, double tolerance);

dfl_status dfl_least_norm(double *B, dfl_context *ctx, int m, int n, double *A, int count,
                          unsigned scaling, double tolerance, int *rank)
{
    const int ldb = m > n ? m : n;
    lapack_int found = 0, info = 0;
    if (m == 0 || n == 0) {
        memset(B, 0, (size_t)ldb * (size_t)count * sizeof *B);
        if (rank)
            *rank = 0;
        return DFL_OK;
    }
    const lapack_int lwork = workspace(m, n, count, ldb, tolerance);
    double *work = dfl_alloc(ctx, (size_t)lwork, sizeof *work);
    double *scale = dfl_alloc(ctx, (size_t)n, sizeof *scale);
    lapack_int *order = dfl_alloc(ctx, (size_t)n, sizeof *order);
    dfl_status status = work && scale && order ? DFL_OK : DFL_NO_MEMORY;
    if (!status && scaling & DFL_SCALE_ROWS)
        equilibrate_rows(A, B, ldb, m, n, count);
    if (!status && !equilibrate_columns(A, B, ldb, scale, m, n, count, scaling & DFL_SCALE_COLUMNS))
        status = dfl_fail(ctx, DFL_NOT_FINITE,
                          "a linear system contains a number that is not "
                          "finite");
#if DFL_LAPACK
    if (!status)
        info = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, count, A, m, B, ldb, order, tolerance,
                                   &found, work, lwork);
#else
    if (!status)
        info = !dfl_jacobi_solve(B, ldb, count, A, m, n, tolerance, &found, work);
#endif
    if (!status && info)
        status = dfl_fail(ctx, DFL_NOT_CONVERGED, "a linear system cannot be solved");
    for (int k = 0; !status && k < count; k++)
        for (int i = 0; i < n; i++)
            B[(size_t)k * (size_t)ldb + (size_t)i] *= scale[i];
    if (rank)
        *rank = (int)found;
    dfl_free(ctx, work);
    dfl_free(ctx, scale);
    dfl_free(ctx, order);
    return status;
}

/* The largest entry of each row becomes 1. */
static void equilibrate_rows(double *A, double *B, int ldb, int m, int n, int count)
{
    for (int i = 0; i < m; i++) {
        const double size = dfl_max_abs_row(A + i, n, m);
        for (int j = 0; size > 0 && j < n; j++)
            A[(size_t)j * (size_t)m + (size_t)i] /= size;
        for (int k = 0; size > 0 && k < count; k++)
            B[(size_t)k * (size_t)ldb + (size_t)i] /= size;
    }
}

/* The largest entry of each column becomes 1, if wanted. False: a number is not finite. */
static bool equilibrate_columns(double *A, const double *B, int ldb, double *scale, int m, int n,
                                int count, bool wanted)
{
    bool finite = true;
    for (int j = 0; j < n; j++) {
        double *a = A + (size_t)j * (size_t)m;
        const double size = dfl_max_abs(a, m);
        finite = finite && dfl_all_finite(a, m);
        scale[j] = wanted && size > 0 ? 1 / size : 1;
        for (int i = 0; i < m; i++)
            a[i] *= scale[j];
    }
    for (int k = 0; k < count; k++)
        finite = finite && dfl_all_finite(B + (size_t)k * (size_t)ldb, m);
    return finite;
}

static lapack_int workspace(int m, int n, int count, int ldb, double tolerance)
{
#if DFL_LAPACK
    double size = 0;
    lapack_int rank;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, count, NULL, m, NULL, ldb, NULL, tolerance, &rank,
                        &size, -1);
    return (lapack_int)size + 1;
#else
    (void)count, (void)ldb, (void)tolerance;
    return dfl_jacobi_work(m, n);
#endif
}
