/* feedback.c: state feedback that minimizes a quadratic integral, and whether it can act. */
#include "analysis/analysis_internal.h"

#include <string.h>

dfl_status dfl_lqr(double *K, dfl_context *ctx, const dfl_linear_equations *linear, const double *Q,
                   const double *R)
{
    const int n = linear->ny, nu = linear->nu;
    const size_t ny = (size_t)n, m = (size_t)nu;
    double *L = dfl_alloc(ctx, m * m, sizeof *L);
    double *RB = dfl_alloc(ctx, m * ny, sizeof *RB); /* R^-1 B^T */
    double *S = dfl_alloc(ctx, ny * ny, sizeof *S);
    double *X = dfl_alloc(ctx, ny * ny, sizeof *X);
    dfl_status status = L && RB && S && X ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        memcpy(L, R, m * m * sizeof *L);
        if (!dfl_cholesky(L, nu))
            status = dfl_fail(ctx, DFL_INVALID, "the weights of inputs must be positive");
    }
    for (size_t j = 0; !status && j < ny; j++) {
        double *column = RB + j * m;
        for (size_t i = 0; i < m; i++)
            column[i] = linear->B[i * ny + j];
        dfl_cholesky_forward(column, 1, L, nu);
        dfl_cholesky_backward(column, L, nu);
    }
    if (!status) {
        dfl_gemm(n, n, nu, 1, linear->B, n, RB, nu, 0, S, n);
        status = dfl_riccati(X, ctx, n, linear->A, S, Q);
    }
    if (!status)
        dfl_gemm(nu, n, n, 1, RB, nu, X, n, 0, K, nu);
    dfl_free(ctx, L);
    dfl_free(ctx, RB);
    dfl_free(ctx, S);
    dfl_free(ctx, X);
    return status;
}

/* |z^H M| of a complex vector z (n, real and imaginary part, im may be NULL) and M (n x count) with
   columns `column` apart and rows `row` apart, as a part of |z| |M|. */
static double part(const double *re, const double *im, int n, const double *M, int column, int row,
                   int count)
{
    double sum = 0, vector = 0, matrix = 0;
    for (int i = 0; i < n; i++)
        vector += re[i] * re[i] + (im ? im[i] * im[i] : 0);
    for (int j = 0; j < count; j++) {
        double a = 0, b = 0;
        for (int i = 0; i < n; i++) {
            const double entry = M[(size_t)j * (size_t)column + (size_t)i * (size_t)row];
            a += re[i] * entry;
            b += im ? im[i] * entry : 0;
            matrix += entry * entry;
        }
        sum += a * a + b * b;
    }
    return vector * matrix > 0 ? sqrt(sum / (vector * matrix)) : 0;
}

/* Left eigenvectors against B, right ones against C (Popov, Belevitch, Hautus). */
dfl_status dfl_mode_access(double *controllable, double *observable, dfl_context *ctx,
                           const dfl_linear_equations *linear, const dfl_modes *modes)
{
    const int n = linear->ny;
    dfl_eigen eigen;
    const dfl_status status = dfl_eigen_find(&eigen, ctx, n, linear->A);
    for (int i = 0; !status && i < n; i++) {
        const dfl_mode *mode = &modes->mode[i];
        const size_t at = (size_t)mode->vector * (size_t)n;
        const size_t imaginary = (size_t)(mode->imaginary < 0 ? 0 : mode->imaginary) * (size_t)n;
        const bool real = mode->imaginary < 0;
        controllable[i] = part(eigen.left + at, real ? NULL : eigen.left + imaginary, n, linear->B,
                               n, 1, linear->nu);
        observable[i] = part(modes->shape + at, real ? NULL : modes->shape + imaginary, n,
                             linear->C, 1, linear->no, linear->no);
    }
    dfl_eigen_clear(&eigen);
    return status;
}
