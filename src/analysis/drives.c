/* drives.c: forces of drives that supply a given force together with constraints. */
#include "analysis/analysis_internal.h"

#include <string.h>

static dfl_status find_kernel(double *K, int *k, dfl_context *ctx, const dfl_drive_forces *wanted);
static dfl_status solve(double *tau, int *worst, dfl_context *ctx, const dfl_drive_forces *wanted,
                        const double *K, int k);
static dfl_status fit_multipliers(double *multipliers, dfl_context *ctx,
                                  const dfl_drive_forces *wanted, const double *tau);

dfl_status dfl_drives_find(double *tau, double *multipliers, int *worst, dfl_context *ctx,
                           const dfl_drive_forces *wanted)
{
    const size_t nv = (size_t)wanted->nv;
    int k = 0;
    double *K = dfl_alloc(ctx, nv * nv, sizeof *K);
    dfl_status status = K ? find_kernel(K, &k, ctx, wanted) : DFL_NO_MEMORY;
    if (!status)
        status = solve(tau, worst, ctx, wanted, K, k);
    if (!status)
        status = fit_multipliers(multipliers, ctx, wanted, tau);
    dfl_free(ctx, K);
    return status;
}

static dfl_status find_kernel(double *K, int *k, dfl_context *ctx, const dfl_drive_forces *wanted)
{
    const int nv = wanted->nv, nc = wanted->nc;
    double *A = dfl_alloc(ctx, (size_t)nc * (size_t)nv, sizeof *A);
    double *weight = dfl_alloc(ctx, (size_t)nv, sizeof *weight);
    int *pivot = dfl_alloc(ctx, (size_t)nc + (size_t)nv, sizeof *pivot);
    const bool room = A && weight && pivot;
    int *by = room ? pivot + nc : NULL;
    if (room) {
        memcpy(A, wanted->W, (size_t)nc * (size_t)nv * sizeof *A);
        dfl_scale_rows(A, nc, nv);
        for (int j = 0; j < nv; j++) {
            weight[j] = 1;
            by[j] = -1;
        }
        const int rank = dfl_eliminate(pivot, A, nc, nv, 0, nc, weight, DFL_ANALYSIS_ZERO);
        for (int i = 0; i < rank; i++)
            by[pivot[i]] = i;
        for (int j = 0; j < nv; j++) {
            if (by[j] >= 0)
                continue;
            double *column = K + (size_t)(*k)++ * (size_t)nv;
            column[j] = 1;
            for (int i = 0; i < nv; i++)
                if (by[i] >= 0)
                    column[i] = -A[(size_t)j * (size_t)nc + (size_t)by[i]];
        }
    }
    dfl_free(ctx, A);
    dfl_free(ctx, weight);
    dfl_free(ctx, pivot);
    return room ? DFL_OK : DFL_NO_MEMORY;
}

/* The shortest tau with K^T B tau = K^T force. */
static dfl_status solve(double *tau, int *worst, dfl_context *ctx, const dfl_drive_forces *wanted,
                        const double *K, int k)
{
    const int nv = wanted->nv, nu = wanted->nu, most = k > nu ? k : nu;
    double *A = dfl_alloc(ctx, 2 * (size_t)k * (size_t)nu, sizeof *A);
    double *b = dfl_alloc(ctx, (size_t)most + (size_t)k, sizeof *b);
    dfl_status status = A && b ? DFL_OK : DFL_NO_MEMORY;
    double *copy = A + (status ? 0 : (size_t)k * (size_t)nu), *rest = b + (status ? 0 : most);
    if (!status) {
        dfl_gemm_tn(k, nu, nv, 1, K, nv, wanted->B, nv, 0, A, k > 0 ? k : 1);
        dfl_gemm_tn(k, 1, nv, 1, K, nv, wanted->force, nv, 0, b, most > 0 ? most : 1);
        memcpy(copy, A, (size_t)k * (size_t)nu * sizeof *A);
        memcpy(rest, b, (size_t)k * sizeof *b);
        status = dfl_least_norm(b, ctx, k, nu, A, 1, DFL_SCALE_NONE, DFL_ANALYSIS_ZERO, NULL);
    }
    if (!status) {
        memcpy(tau, b, (size_t)nu * sizeof *tau);
        double missing = 0;
        for (int i = 0; i < k; i++) {
            for (int j = 0; j < nu; j++)
                rest[i] -= copy[(size_t)j * (size_t)k + (size_t)i] * tau[j];
            if (fabs(rest[i]) > missing) {
                missing = fabs(rest[i]);
                for (int j = 0, best = 0; j < nv; j++) /* the free velocity of this direction */
                    if (fabs(K[(size_t)i * (size_t)nv + (size_t)j]) >
                        fabs(K[(size_t)i * (size_t)nv + (size_t)best]))
                        best = *worst = j;
                    else if (j == 0)
                        *worst = 0;
            }
        }
        if (missing > 1e-8 * wanted->scale)
            status = dfl_fail(ctx, DFL_INCONSISTENT,
                              "the drives cannot follow the motion: %.3g of "
                              "a force is missing",
                              missing);
    }
    dfl_free(ctx, A);
    dfl_free(ctx, b);
    return status;
}

/* W^T multipliers = B tau - force */
static dfl_status fit_multipliers(double *multipliers, dfl_context *ctx,
                                  const dfl_drive_forces *wanted, const double *tau)
{
    const int nv = wanted->nv, nc = wanted->nc, most = nv > nc ? nv : nc;
    double *A = dfl_alloc(ctx, (size_t)nv * (size_t)nc, sizeof *A);
    double *b = dfl_alloc(ctx, (size_t)most, sizeof *b);
    dfl_status status = A && b ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        for (int j = 0; j < nv; j++)
            for (int i = 0; i < nc; i++)
                A[(size_t)i * (size_t)nv + (size_t)j] =
                    wanted->W[(size_t)j * (size_t)nc + (size_t)i];
        for (int i = 0; i < nv; i++) {
            b[i] = -wanted->force[i];
            for (int j = 0; j < wanted->nu; j++)
                b[i] += wanted->B[(size_t)j * (size_t)nv + (size_t)i] * tau[j];
        }
        status = dfl_least_norm(b, ctx, nv, nc, A, 1, DFL_SCALE_NONE, DFL_ANALYSIS_ZERO, NULL);
    }
    if (!status)
        memcpy(multipliers, b, (size_t)nc * sizeof *b);
    dfl_free(ctx, A);
    dfl_free(ctx, b);
    return status;
}
