/* response.c: frequency response and zeros of linear equations. */
#include "analysis/analysis_internal.h"

#include <string.h>

/* The equations in Hessenberg form: H = Q^T A Q, Q^T B, C Q. */
typedef struct reduced {
    double *H, *Q, *B, *C;
    double *x, *work; /* complex: ny x nu, ny x ny */
} reduced;

static dfl_status reduce(reduced *out, dfl_context *ctx, const dfl_linear_equations *linear);
static bool respond(double *re, double *im, const reduced *it, const dfl_linear_equations *linear,
                    double omega);

dfl_status dfl_frequency_response(double *re, double *im, int *poles, dfl_context *ctx,
                                  const dfl_linear_equations *linear, const double *omega,
                                  int count)
{
    reduced it = {0};
    const size_t each = (size_t)linear->no * (size_t)linear->nu;
    int met = 0;
    const dfl_status status = reduce(&it, ctx, linear);
    for (int i = 0; !status && i < count; i++) {
        double *at[] = {re + (size_t)i * each, im + (size_t)i * each};
        const bool finite = respond(at[0], at[1], &it, linear, omega[i]);
        met += !finite;
        for (size_t k = 0; !finite && k < each; k++)
            at[0][k] = at[1][k] = NAN;
    }
    if (poles)
        *poles = met;
    double *const block[] = {it.H, it.Q, it.B, it.C, it.x, it.work};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    return status;
}

static dfl_status reduce(reduced *out, dfl_context *ctx, const dfl_linear_equations *linear)
{
    const size_t ny = (size_t)linear->ny, nu = (size_t)linear->nu, no = (size_t)linear->no;
    const int n = linear->ny;
    out->H = dfl_alloc(ctx, ny * ny, sizeof(double));
    out->Q = dfl_alloc(ctx, ny * ny, sizeof(double));
    out->B = dfl_alloc(ctx, ny * nu, sizeof(double));
    out->C = dfl_alloc(ctx, no * ny, sizeof(double));
    out->x = dfl_alloc(ctx, 2 * ny * nu, sizeof(double));
    out->work = dfl_alloc(ctx, 2 * ny * ny, sizeof(double));
    if (!out->H || !out->Q || !out->B || !out->C || !out->x || !out->work)
        return DFL_NO_MEMORY;
    memcpy(out->H, linear->A, ny * ny * sizeof(double));
    const dfl_status status = dfl_hessenberg(out->Q, ctx, n, out->H);
    if (status)
        return status;
    dfl_gemm_tn(n, linear->nu, n, 1, out->Q, n, linear->B, n, 0, out->B, n);
    dfl_gemm(linear->no, n, n, 1, linear->C, linear->no, out->Q, n, 0, out->C, linear->no);
    return DFL_OK;
}

/* False: i omega is an eigenvalue. */
static bool respond(double *re, double *im, const reduced *it, const dfl_linear_equations *linear,
                    double omega)
{
    const int n = linear->ny, no = linear->no;
    for (int i = 0; i < n * linear->nu; i++) {
        it->x[2 * i] = it->B[i];
        it->x[2 * i + 1] = 0;
    }
    if (!dfl_hessenberg_solve(it->x, it->work, n, it->H, 0, omega, linear->nu))
        return false;
    for (int j = 0; j < linear->nu; j++)
        for (int i = 0; i < no; i++) {
            double sum[2] = {linear->D[j * no + i], 0};
            for (int k = 0; k < n; k++) {
                sum[0] += it->C[k * no + i] * it->x[2 * (j * n + k)];
                sum[1] += it->C[k * no + i] * it->x[2 * (j * n + k) + 1];
            }
            re[j * no + i] = sum[0];
            im[j * no + i] = sum[1];
        }
    return true;
}

/* Where [A - z, b; c, d] is singular. */
dfl_status dfl_transmission_zeros(double *re, double *im, int *count, dfl_context *ctx,
                                  const dfl_linear_equations *linear, int u, int o)
{
    const int n = linear->ny, m = n + 1;
    const size_t order = (size_t)m;
    double *A = dfl_alloc(ctx, order * order, sizeof *A);
    double *E = dfl_alloc(ctx, order * order, sizeof *E);
    dfl_status status = A && E ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        for (int j = 0; j < n; j++) {
            memcpy(A + (size_t)j * order, linear->A + (size_t)j * (size_t)n, (size_t)n * sizeof *A);
            A[(size_t)j * order + (size_t)n] = linear->C[j * linear->no + o];
            E[(size_t)j * order + (size_t)j] = 1;
        }
        memcpy(A + (size_t)n * order, linear->B + (size_t)u * (size_t)n, (size_t)n * sizeof *A);
        A[order * order - 1] = linear->D[u * linear->no + o];
        status = dfl_pencil_eigenvalues(re, im, count, ctx, m, A, E);
    }
    dfl_free(ctx, A);
    dfl_free(ctx, E);
    return status;
}
