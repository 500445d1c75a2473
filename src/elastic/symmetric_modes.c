/* symmetric_modes.c: eigenvectors of symmetric pencils. */
#include "elastic/elastic.h"

#include "linalg/linalg.h"

#include <lapacke.h>
#include <string.h>

dfl_status dfl_symmetric_modes(double *w2, double *X, dfl_context *ctx, int n, double *K, double *M)
{
    if (n == 0)
        return DFL_OK;
    if (!dfl_all_finite(K, n * n) || !dfl_all_finite(M, n * n))
        return dfl_fail(ctx, DFL_INVALID, "stiffness or mass is not finite");
    const int room = 1 + 6 * n + 2 * n * n;
    double *work = dfl_alloc(ctx, (size_t)room, sizeof *work);
    int *iwork = dfl_alloc(ctx, (size_t)(3 + 5 * n), sizeof *iwork);
    dfl_status status = work && iwork ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        const int info = LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'U', n, K, n, M, n, w2, work,
                                             room, iwork, 3 + 5 * n);
        if (info)
            status = dfl_fail(ctx, DFL_INVALID,
                              "the mass matrix of the elastic body is not "
                              "positive definite");
    }
    if (!status)
        memcpy(X, K, (size_t)n * (size_t)n * sizeof *X);
    dfl_free(ctx, work);
    dfl_free(ctx, iwork);
    return status;
}
