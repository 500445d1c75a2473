/* schur_block.c: the parts of a matrix that belong to some of its eigenvalues: leading blocks of
   the real Schur form of the balanced matrix, in which LAPACK's dtrsen brings these eigenvalues to
   the front. */
#include "analysis/analysis_internal.h"

#include <lapacke.h>
#include <string.h>

static void choose_nearest(bool *chosen, const dfl_schur *it, double omega, int count);

dfl_status dfl_schur_create(dfl_schur *out, dfl_context *ctx, int n, const double *A)
{
    const size_t order = (size_t)n, entries = order * order, room = 34 * order + 1;
    lapack_int low, high, none = 0, info = 0;
    *out = (dfl_schur){.ctx = ctx, .n = n};
    double *work = dfl_alloc(ctx, order + room, sizeof *work);
    out->T = dfl_alloc(ctx, entries, sizeof *out->T);
    out->part = dfl_alloc(ctx, entries, sizeof *out->part);
    out->re = dfl_alloc(ctx, 2 * order, sizeof *out->re);
    dfl_status status = work && out->T && out->part && out->re ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        out->im = out->re + order;
        memcpy(out->T, A, entries * sizeof *A);
        info = LAPACKE_dgebal_work(LAPACK_COL_MAJOR, 'B', n, out->T, n, &low, &high, work);
        for (size_t j = 0; j < order; j++)
            out->norm = fmax(out->norm, dfl_max_abs(out->T + j * order, n));
    }
    if (!status && !info)
        info = LAPACKE_dgees_work(LAPACK_COL_MAJOR, 'N', 'N', NULL, n, out->T, n, &none, out->re,
                                  out->im, NULL, 1, work + order, (lapack_int)room, NULL);
    if (!status && info)
        status = dfl_fail(ctx, DFL_NOT_CONVERGED,
                          "the Schur form of a matrix of order %d was not found", n);
    dfl_free(ctx, work);
    return status;
}

void dfl_schur_clear(dfl_schur *it)
{
    if (!it->ctx)
        return;
    dfl_free(it->ctx, it->T);
    dfl_free(it->ctx, it->part);
    dfl_free(it->ctx, it->re);
    *it = (dfl_schur){0};
}

dfl_status dfl_schur_block(int *order, double *condition, dfl_schur *it, double omega, int count)
{
    dfl_context *ctx = it->ctx;
    const size_t n = (size_t)it->n, room = (2 * (size_t)count + 2) * n;
    lapack_int m = 0, none[1], info = 0;
    double apart;
    bool *chosen = dfl_alloc(ctx, n, sizeof *chosen);
    lapack_logical *flags = dfl_alloc(ctx, n, sizeof *flags);
    double *work = dfl_alloc(ctx, 2 * n + room, sizeof *work);
    dfl_status status = chosen && flags && work ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        choose_nearest(chosen, it, omega, count);
        for (size_t i = 0; i < n; i++)
            flags[i] = chosen[i];
        memcpy(it->part, it->T, n * n * sizeof *it->T);
        info = LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'E', 'N', flags, it->n, it->part, it->n, NULL,
                                   1, work, work + n, &m, condition, &apart, work + 2 * n,
                                   (lapack_int)room, none, 1);
    }
    if (!status && info)
        status = dfl_fail(ctx, DFL_NOT_CONVERGED,
                          "eigenvalues of a matrix of order %d were not separated", it->n);
    *order = (int)m;
    dfl_free(ctx, chosen);
    dfl_free(ctx, flags);
    dfl_free(ctx, work);
    return status;
}

/* The `count` eigenvalues nearest to i omega, and their conjugates. */
static void choose_nearest(bool *chosen, const dfl_schur *it, double omega, int count)
{
    for (int k = 0; k < count; k++) {
        int best = -1;
        double least = 0;
        for (int i = 0; i < it->n; i++) {
            const double away = hypot(it->re[i], it->im[i] - omega);
            const bool free = !chosen[i] && (it->im[i] >= 0 || omega == 0);
            if (free && (best < 0 || away < least)) {
                best = i;
                least = away;
            }
        }
        if (best >= 0)
            chosen[best] = true;
    }
    for (int i = 1; i < it->n; i++) /* the second one of a pair follows the first one */
        if (it->im[i] < 0)
            chosen[i] = chosen[i - 1] = chosen[i] || chosen[i - 1];
}
