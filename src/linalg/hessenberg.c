/* hessenberg.c: Q^T A Q = H with zeros below the first subdiagonal, for many systems (z I - A) x =
   b with different z: each then takes O(n^2) operations. */
#include "linalg/linalg.h"

#include <complex.h>
#include <lapacke.h>
#include <string.h>

dfl_status dfl_hessenberg(double *Q, dfl_context *ctx, int n, double *A)
{
    const size_t order = (size_t)n;
    double size = 0, more = 0;
    lapack_int info = 0;
    if (n == 0)
        return DFL_OK;
    LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, n, 1, n, A, n, NULL, &size, -1);
    LAPACKE_dorghr_work(LAPACK_COL_MAJOR, n, 1, n, Q, n, NULL, &more, -1);
    const lapack_int lwork = (lapack_int)(size > more ? size : more) + n;
    double *tau = dfl_alloc(ctx, order, sizeof *tau);
    double *work = dfl_alloc(ctx, (size_t)lwork, sizeof *work);
    dfl_status status = tau && work ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        info = LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, n, 1, n, A, n, tau, work, lwork);
    if (!status && !info) {
        memcpy(Q, A, order * order * sizeof *Q);
        info = LAPACKE_dorghr_work(LAPACK_COL_MAJOR, n, 1, n, Q, n, tau, work, lwork);
    }
    if (!status && info)
        status = dfl_fail(ctx, DFL_NOT_CONVERGED, "a matrix of order %d cannot be reduced", n);
    for (size_t j = 0; !status && j < order; j++)
        for (size_t i = j + 2; i < order; i++)
            A[j * order + i] = 0;
    dfl_free(ctx, tau);
    dfl_free(ctx, work);
    return status;
}

bool dfl_hessenberg_solve(double *x, double *work, int n, const double *H, double re, double im,
                          int count)
{
    double complex *U = (double complex *)(void *)work, *b = (double complex *)(void *)x;
    const double complex z = re + im * I;
    const size_t order = (size_t)n;
    double size = hypot(re, im);
    for (size_t i = 0; i < order * order; i++) {
        U[i] = -H[i];
        size = fmax(size, fabs(H[i]));
    }
    for (size_t i = 0; i < order; i++)
        U[i * order + i] += z;
    for (size_t k = 0; k < order; k++) { /* partial pivoting between two rows */
        if (k + 1 < order && cabs(U[k * order + k + 1]) > cabs(U[k * order + k])) {
            for (size_t j = k; j < order; j++) {
                const double complex kept = U[j * order + k];
                U[j * order + k] = U[j * order + k + 1];
                U[j * order + k + 1] = kept;
            }
            for (int c = 0; c < count; c++) {
                double complex *y = b + (size_t)c * order + k;
                const double complex kept = y[0];
                y[0] = y[1];
                y[1] = kept;
            }
        }
        if (cabs(U[k * order + k]) <= 1e-14 * (double)n * size)
            return false;
        if (k + 1 == order)
            break;
        const double complex factor = U[k * order + k + 1] / U[k * order + k];
        for (size_t j = k; j < order; j++)
            U[j * order + k + 1] -= factor * U[j * order + k];
        for (int c = 0; c < count; c++)
            b[(size_t)c * order + k + 1] -= factor * b[(size_t)c * order + k];
    }
    for (int c = 0; c < count; c++)
        for (size_t k = order; k-- > 0;) {
            double complex *y = b + (size_t)c * order;
            y[k] /= U[k * order + k];
            for (size_t i = 0; i < k; i++)
                y[i] -= U[k * order + i] * y[k];
        }
    return true;
}
