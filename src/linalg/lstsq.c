/* lstsq.c: minimum-norm least squares, x = A^+ b, by LAPACK's SVD driver dgelss. It is used a few
   times per run (initial values, diagnosis), so there is no loop of our own for tiny sizes. */
#include "finite.h"
#include "linalg.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

struct dfl_lstsq {
    int m, n;         /* largest size */
    double *b;        /* max(m, n): right-hand side, then solution */
    double *singular; /* min(m, n) */
    double *work;
    lapack_int lwork;
};

static lapack_int query_workspace(int m, int n);

dfl_status dfl_lstsq_create(dfl_lstsq **out, dfl_context *ctx, int m, int n)
{
    assert(m >= 0 && n >= 0);
    *out = NULL;
    dfl_lstsq *lstsq = dfl_alloc(ctx, 1, sizeof *lstsq);
    if (!lstsq)
        return DFL_NO_MEMORY;
    lstsq->m = m;
    lstsq->n = n;
    lstsq->lwork = query_workspace(m, n);
    lstsq->b = dfl_alloc(ctx, (size_t)(m > n ? m : n), sizeof *lstsq->b);
    lstsq->singular = dfl_alloc(ctx, (size_t)(m < n ? m : n), sizeof *lstsq->singular);
    lstsq->work = dfl_alloc(ctx, (size_t)lstsq->lwork, sizeof *lstsq->work);
    if (!lstsq->b || !lstsq->singular || !lstsq->work) {
        dfl_lstsq_free(lstsq, ctx);
        return DFL_NO_MEMORY;
    }
    *out = lstsq;
    return DFL_OK;
}

void dfl_lstsq_free(dfl_lstsq *lstsq, dfl_context *ctx)
{
    if (!lstsq)
        return;
    dfl_free(ctx, lstsq->work);
    dfl_free(ctx, lstsq->singular);
    dfl_free(ctx, lstsq->b);
    dfl_free(ctx, lstsq);
}

bool dfl_lstsq_solve(double *x, dfl_lstsq *lstsq, int m, int n, double *A, const double *b,
                     double tolerance, int *rank)
{
    assert(m <= lstsq->m && n <= lstsq->n);
    lapack_int found = 0;
    bool ok = is_finite(A, m * n) && is_finite(b, m);
    memset(x, 0, (size_t)n * sizeof *x);
    if (ok && m > 0 && n > 0) {
        memcpy(lstsq->b, b, (size_t)m * sizeof *b);
        ok =
            LAPACKE_dgelss_work(LAPACK_COL_MAJOR, m, n, 1, A, m, lstsq->b, m > n ? m : n,
                                lstsq->singular, tolerance, &found, lstsq->work, lstsq->lwork) == 0;
        if (ok)
            memcpy(x, lstsq->b, (size_t)n * sizeof *x);
    }
    if (rank)
        *rank = found;
    return ok;
}

/* What dgelss wants for m x n, but at least what its manual asks of every smaller size. */
static lapack_int query_workspace(int m, int n)
{
    const int least = m < n ? m : n, most = m < n ? n : m;
    double wanted = 1, none = 0;
    lapack_int rank;
    if (least > 0)
        LAPACKE_dgelss_work(LAPACK_COL_MAJOR, m, n, 1, &none, m, &none, most, &none, 0, &rank,
                            &wanted, -1);
    return (lapack_int)fmax(wanted, 3.0 * least + fmax(2.0 * least, most) + 1);
}
