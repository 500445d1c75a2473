/* schur_block.c: the part of a matrix that belongs to some of its eigenvalues: the leading block of the
   real Schur form of the balanced matrix, in which LAPACK's dtrsen brings them to the front. */
#include "analysis/analysis_internal.h"

#include <lapacke.h>
#include <string.h>

/* Room for one decomposition. */
typedef struct schur {
    double *re, *im, *scale, *work;
    lapack_int lwork;
    lapack_logical *chosen;
} schur;

static dfl_status schur_create(schur *it, dfl_context *ctx, size_t n, size_t count);
static void schur_clear(schur *it, dfl_context *ctx);
static void choose_nearest(schur *it, int n, double omega, int count);
static double magnitude(const double *A, size_t count);

dfl_status dfl_schur_block(dfl_schur_part *out, dfl_context *ctx, int n, double *A, double omega,
                           int count)
{
    const lapack_int order = n;
    lapack_int low, high, m = 0;
    double apart;
    schur it;
    dfl_status status = schur_create(&it, ctx, (size_t)n, (size_t)count);
    lapack_int info = 0, none[1];
    if (!status)
        info = LAPACKE_dgebal_work(LAPACK_COL_MAJOR, 'B', order, A, order, &low, &high, it.scale);
    if (!status && !info) {
        out->norm = magnitude(A, (size_t)n * (size_t)n);
        info = LAPACKE_dgees_work(LAPACK_COL_MAJOR, 'N', 'N', NULL, order, A, order, &m, it.re,
                                  it.im, NULL, 1, it.work, it.lwork, NULL);
    }
    if (!status && !info) {
        choose_nearest(&it, n, omega, count);
        info = LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'E', 'N', it.chosen, order, A, order, NULL, 1,
                                   it.re, it.im, &m, &out->condition, &apart, it.work, it.lwork,
                                   none, 1);
    }
    if (!status && info)
        status = dfl_fail(ctx, DFL_NOT_CONVERGED,
                          "the Schur form of a matrix of order %d was not found", n);
    out->order = (int)m;
    schur_clear(&it, ctx);
    return status;
}

static dfl_status schur_create(schur *it, dfl_context *ctx, size_t n, size_t count)
{
    const size_t chosen = 2 * count + 2, room = chosen * n > 34 * n ? chosen * n : 34 * n;
    *it = (schur){.lwork = (lapack_int)room + 1};
    it->re = dfl_alloc(ctx, 3 * n + room + 1, sizeof *it->re);
    it->chosen = dfl_alloc(ctx, n, sizeof *it->chosen);
    if (!it->re || !it->chosen)
        return DFL_NO_MEMORY;
    it->im = it->re + n;
    it->scale = it->im + n;
    it->work = it->scale + n;
    return DFL_OK;
}

static void schur_clear(schur *it, dfl_context *ctx)
{
    dfl_free(ctx, it->re);
    dfl_free(ctx, it->chosen);
}

/* The `count` eigenvalues nearest to i omega, and their conjugates. */
static void choose_nearest(schur *it, int n, double omega, int count)
{
    memset(it->chosen, 0, (size_t)n * sizeof *it->chosen);
    for (int k = 0; k < count; k++) {
        int best = -1;
        for (int i = 0; i < n; i++) {
            const double away = hypot(it->re[i], it->im[i] - omega);
            const bool free = !it->chosen[i] && (it->im[i] >= 0 || omega == 0);
            if (free && (best < 0 || away < hypot(it->re[best], it->im[best] - omega)))
                best = i;
        }
        if (best >= 0)
            it->chosen[best] = 1;
    }
    for (int i = 1; i < n; i++) /* the second one of a pair follows the first one */
        if (it->im[i] < 0)
            it->chosen[i] = it->chosen[i - 1] = it->chosen[i] || it->chosen[i - 1];
}

static double magnitude(const double *A, size_t count)
{
    double size = 0;
    for (size_t i = 0; i < count; i++)
        size = fmax(size, fabs(A[i]));
    return size;
}
