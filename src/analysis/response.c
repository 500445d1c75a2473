/* response.c: frequency response and zeros of linear equations. */
#include "analysis/analysis_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points on a circle about a pole; orders of poles that are looked for there. */
enum { POINTS = 64, LAURENT = 5 };

/* The equations in Hessenberg form: H = Q^T A Q, Q^T B, C Q. */
typedef struct reduced {
    double *H, *Q, *B, *C;
    double *x, *work; /* complex: ny x nu, ny x ny */
} reduced;

static dfl_status reduce(reduced *out, dfl_context *ctx, const dfl_linear_equations *linear);
static bool respond(double *re, double *im, const reduced *it, const dfl_linear_equations *linear,
                    double sigma, double omega);
static dfl_status circle(double *sigma, dfl_context *ctx, const dfl_linear_equations *linear,
                         double omega);
static int find_regular_part(double *re, double *im, double *work, const reduced *it,
                             const dfl_linear_equations *linear, double omega, double radius);

dfl_status dfl_frequency_response(double *re, double *im, int *poles, dfl_context *ctx,
                                  const dfl_linear_equations *linear, const double *omega,
                                  int count)
{
    reduced it = {0};
    const size_t each = (size_t)linear->no * (size_t)linear->nu;
    int met = 0;
    double *work = dfl_alloc(ctx, (3 + 2 * LAURENT) * each, sizeof *work);
    dfl_status status = work ? reduce(&it, ctx, linear) : DFL_NO_MEMORY;
    for (int i = 0; !status && i < count; i++) {
        double *at[] = {re + (size_t)i * each, im + (size_t)i * each}, radius;
        if (respond(at[0], at[1], &it, linear, 0, omega[i]))
            continue;
        status = circle(&radius, ctx, linear, omega[i]);
        if (!status)
            met += find_regular_part(at[0], at[1], work, &it, linear, omega[i], radius) > 0;
    }
    if (poles)
        *poles = met;
    dfl_free(ctx, work);
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

/* At sigma + i omega. False: it is an eigenvalue. */
static bool respond(double *re, double *im, const reduced *it, const dfl_linear_equations *linear,
                    double sigma, double omega)
{
    const int n = linear->ny, no = linear->no;
    for (int i = 0; i < n * linear->nu; i++) {
        it->x[2 * i] = it->B[i];
        it->x[2 * i + 1] = 0;
    }
    if (!dfl_hessenberg_solve(it->x, it->work, n, it->H, sigma, omega, linear->nu))
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

static int compare_distances(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The radius of a circle about i omega between the eigenvalues there, up to rounding, and all
   others. */
static dfl_status circle(double *radius, dfl_context *ctx, const dfl_linear_equations *linear,
                         double omega)
{
    dfl_modes modes;
    dfl_status status = dfl_modes_find(&modes, ctx, linear->ny, linear->A);
    const int n = status ? 0 : modes.count;
    double *away = dfl_alloc(ctx, (size_t)n, sizeof *away), best = 10, size = 0;
    if (!status && !away)
        status = DFL_NO_MEMORY;
    for (int i = 0; !status && i < n; i++) {
        const dfl_mode *mode = &modes.mode[i];
        away[i] = hypot(mode->re, mode->im - omega);
        size = fmax(size, hypot(mode->re, mode->im));
    }
    if (!status && n > 0)
        qsort(away, (size_t)n, sizeof *away, compare_distances);
    *radius = size > 0 ? 2 * size : 1;
    for (int i = 0; !status && i + 1 < n; i++) {
        const double ratio = away[i + 1] / fmax(away[i], 1e-10 * size);
        if (size > 0 && ratio > best) {
            best = ratio;
            *radius = 0.3 * away[i + 1];
        }
    }
    dfl_free(ctx, away);
    dfl_modes_clear(&modes);
    return status;
}

/* A pole that inputs do not reach or outputs do not show is none of the response: then it is the
   mean over the circle, and all terms of its Laurent series with negative powers vanish. Others
   become NAN; returns their number. */
static int find_regular_part(double *re, double *im, double *work, const reduced *it,
                             const dfl_linear_equations *linear, double omega, double radius)
{
    const int each = linear->no * linear->nu;
    double *value = work, *size = work + 2 * each, *term = size + each;
    int infinite = 0;
    bool known = true;
    memset(size, 0, (1 + 2 * LAURENT) * (size_t)each * sizeof *size);
    for (int k = 0; known && k < POINTS; k++) {
        const double angle = 2 * 3.14159265358979323846 * (k + 0.5) / POINTS;
        known = respond(value, value + each, it, linear, radius * cos(angle),
                        omega + radius * sin(angle));
        for (int m = 0; m < LAURENT; m++) {
            const double c = cos(m * angle) / POINTS, s = sin(m * angle) / POINTS;
            for (int i = 0; known && i < each; i++) {
                term[2 * (m * each + i)] += c * value[i] - s * value[each + i];
                term[2 * (m * each + i) + 1] += s * value[i] + c * value[each + i];
                size[i] = fmax(size[i], hypot(value[i], value[each + i]));
            }
        }
    }
    for (int i = 0; i < each; i++) {
        bool finite = known;
        for (int m = 1; m < LAURENT; m++)
            finite = finite && hypot(term[2 * (m * each + i)], term[2 * (m * each + i) + 1]) <=
                                   1e-9 * size[i];
        re[i] = finite ? term[2 * i] : NAN;
        im[i] = finite ? term[2 * i + 1] : NAN;
        infinite += !finite;
    }
    return infinite;
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
