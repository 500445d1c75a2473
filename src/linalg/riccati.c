/* riccati.c: the stabilizing solution of A^T X + X A - X S X + Q = 0 from the stable invariant
   subspace of its Hamiltonian matrix (Laub 1979), and finite generalized eigenvalues. */
#include "linalg/linalg.h"

#include <lapacke.h>
#include <string.h>

static lapack_logical is_stable(const double *re, const double *im)
{
    (void)im;
    return *re < 0;
}

/* Fills H = [A -S; -Q -A^T], of order 2 n. */
static void fill_hamiltonian(double *H, int n, const double *A, const double *S, const double *Q)
{
    const size_t m = (size_t)n, ld = 2 * m;
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++) {
            H[j * ld + i] = A[j * m + i];
            H[j * ld + m + i] = -Q[j * m + i];
            H[(m + j) * ld + i] = -S[j * m + i];
            H[(m + j) * ld + m + i] = -A[i * m + j];
        }
}

/* X U1 = U2 */
static dfl_status solve_subspace(double *X, dfl_context *ctx, int n, const double *U)
{
    const size_t m = (size_t)n;
    dfl_factor *factor = NULL;
    dfl_status status = dfl_factor_create(&factor, ctx, n, false);
    double *b = dfl_alloc(ctx, m, sizeof *b);
    if (!status && !b)
        status = DFL_NO_MEMORY;
    for (size_t j = 0; !status && j < m; j++) /* U1^T, so that rows of X are solutions */
        for (size_t i = 0; i < m; i++)
            dfl_factor_matrix(factor)[j * m + i] = U[i * 2 * m + j];
    if (!status && !dfl_factor_compute(factor, n, DFL_METHOD_LU))
        status = dfl_fail(ctx, DFL_SINGULAR, "no feedback makes the system stable");
    for (size_t i = 0; !status && i < m; i++) {
        for (size_t j = 0; j < m; j++)
            b[j] = U[j * 2 * m + m + i];
        dfl_factor_solve(factor, b);
        for (size_t j = 0; j < m; j++)
            X[j * m + i] = b[j];
    }
    for (size_t j = 0; !status && j < m; j++) /* symmetric up to rounding */
        for (size_t i = 0; i < j; i++)
            X[j * m + i] = X[i * m + j] = (X[j * m + i] + X[i * m + j]) / 2;
    dfl_free(ctx, b);
    dfl_factor_free(factor, ctx);
    return status;
}

/* Whether an eigenvalue is imaginary, up to the square root of rounding: they are double there. */
static bool is_on_limit(const double *re, const double *im, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, hypot(re[i], im[i]));
    for (int i = 0; i < n; i++)
        if (fabs(re[i]) <= 3e-8 * largest)
            return true;
    return false;
}

dfl_status dfl_riccati(double *X, dfl_context *ctx, int n, const double *A, const double *S,
                       const double *Q)
{
    const size_t order = 2 * (size_t)n;
    lapack_int stable = 0, info = 0;
    if (n == 0)
        return DFL_OK;
    const lapack_int lwork = (lapack_int)(34 * order);
    double *H = dfl_alloc(ctx, order * order, sizeof *H);
    double *U = dfl_alloc(ctx, order * order, sizeof *U);
    double *work = dfl_alloc(ctx, (size_t)lwork + 2 * order, sizeof *work);
    lapack_logical *chosen = dfl_alloc(ctx, order, sizeof *chosen);
    dfl_status status = H && U && work && chosen ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        fill_hamiltonian(H, n, A, S, Q);
        status = dfl_require_finite(ctx, H, (int)(order * order));
    }
    if (!status)
        info = LAPACKE_dgees_work(LAPACK_COL_MAJOR, 'V', 'S', is_stable, (lapack_int)order, H,
                                  (lapack_int)order, &stable, work, work + order, U,
                                  (lapack_int)order, work + 2 * order, lwork, chosen);
    if (!status && (info || stable != n || is_on_limit(work, work + order, (int)order)))
        status = dfl_fail(ctx, DFL_SINGULAR,
                          "the Riccati equation has no stabilizing solution: a mode on the "
                          "stability limit is not "
                          "controlled, or not weighted");
    if (!status)
        status = solve_subspace(X, ctx, n, U);
    dfl_free(ctx, H);
    dfl_free(ctx, U);
    dfl_free(ctx, work);
    dfl_free(ctx, chosen);
    return status;
}

dfl_status dfl_pencil_eigenvalues(double *re, double *im, int *count, dfl_context *ctx, int n,
                                  double *A, double *E)
{
    const size_t order = (size_t)n;
    *count = 0;
    if (n == 0)
        return DFL_OK;
    dfl_status status = dfl_require_finite(ctx, A, n * n);
    if (!status)
        status = dfl_require_finite(ctx, E, n * n);
    if (status)
        return status;
    const lapack_int lwork = (lapack_int)(8 * order + 16);
    double *alpha = dfl_alloc(ctx, 3 * order + (size_t)lwork, sizeof *alpha);
    if (!alpha)
        return DFL_NO_MEMORY;
    double *beta = alpha + 2 * order;
    double sizes[2] = {0, 0};
    for (size_t i = 0; i < order * order; i++) {
        sizes[0] = fmax(sizes[0], fabs(A[i]));
        sizes[1] = fmax(sizes[1], fabs(E[i]));
    }
    const lapack_int info =
        LAPACKE_dggev_work(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, E, n, alpha, alpha + order, beta,
                           NULL, 1, NULL, 1, alpha + 3 * order, lwork);
    for (size_t i = 0; !info && i < order; i++) {
        const double size = hypot(alpha[i], alpha[order + i]);
        /* an infinite eigenvalue of index up to 4 is perturbed to eps^(1/4) */
        if (fabs(beta[i]) * sizes[0] <= 1e-5 * sizes[1] * size || beta[i] == 0)
            continue;
        re[*count] = alpha[i] / beta[i];
        im[(*count)++] = alpha[order + i] / beta[i];
    }
    dfl_free(ctx, alpha);
    return info ? dfl_fail(ctx, DFL_NOT_CONVERGED,
                           "the eigenvalues of a pencil of order %d were "
                           "not found",
                           n)
                : DFL_OK;
}
