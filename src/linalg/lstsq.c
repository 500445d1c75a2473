/* lstsq.c: minimum-norm least squares, x = A^+ b, by LAPACK's SVD driver dgelss, or our own. It is
   used a few times per run (initial values, diagnosis), so tiny sizes have no special loop.

   A large square matrix is first tried by elimination, which is some 30 times cheaper: where the
   estimates of its condition say that no singular value is below the tolerance, A^+ = A^-1. With
   |A|_2^2 <= |A|_1 |A|_inf the ratio of its singular values is at least sqrt(rcond_1 rcond_inf). */
#include "linalg/jacobi.h"
#include "linalg/lapack_internal.h"
#include "linalg/linalg.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct dfl_lstsq {
    int m, n;         /* largest size */
    double *b;        /* max(m, n): right-hand side, then solution */
    double *singular; /* min(m, n) */
    double *work;
    lapack_int lwork;
    double *LU;        /* m x m if m = n >= SMALL, else NULL */
    lapack_int *pivot; /* 2 n: permutation, and workspace of dgecon */
};

enum { SMALL = 16 };

static lapack_int query_workspace(int m, int n);
static bool decompose(dfl_lstsq *lstsq, int m, int n, double *A, double tolerance,
                      lapack_int *rank);
static bool eliminate(double *x, dfl_lstsq *lstsq, int n, const double *A, const double *b,
                      double tolerance);

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
    const size_t square = (size_t)(m < n ? m : n);
    const size_t used = square >= SMALL ? square : 0;
    lstsq->LU = dfl_alloc(ctx, used * used, sizeof *lstsq->LU);
    lstsq->pivot = dfl_alloc(ctx, 2 * used, sizeof *lstsq->pivot);
    if (!lstsq->b || !lstsq->singular || !lstsq->work || !lstsq->LU || !lstsq->pivot) {
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
    dfl_free(ctx, lstsq->LU);
    dfl_free(ctx, lstsq->pivot);
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
    bool ok = dfl_all_finite(A, m * n) && dfl_all_finite(b, m);
    memset(x, 0, (size_t)n * sizeof *x);
    if (ok && m == n && n >= SMALL && eliminate(x, lstsq, n, A, b, tolerance)) {
        found = n;
    } else if (ok && m > 0 && n > 0) {
        memcpy(lstsq->b, b, (size_t)m * sizeof *b);
        ok = decompose(lstsq, m, n, A, tolerance, &found);
        if (ok)
            memcpy(x, lstsq->b, (size_t)n * sizeof *x);
    }
    if (rank)
        *rank = found;
    return ok;
}

#if DFL_LAPACK

static const double doubt = 10; /* by which the estimates of dgecon may be too large */

/* x = A^-1 b, or false: singular values may be below the tolerance. A is kept. */
static bool eliminate(double *x, dfl_lstsq *lstsq, int n, const double *A, const double *b,
                      double tolerance)
{
    lapack_int *pivot = lstsq->pivot, *iwork = pivot + n;
    double *LU = lstsq->LU, rcond[2] = {0, 0};
    memcpy(LU, A, (size_t)n * (size_t)n * sizeof *LU);
    for (int k = 0; k < 2; k++) /* the rows' sums need n numbers */
        rcond[k] = LAPACKE_dlange_work(LAPACK_COL_MAJOR, k ? 'I' : '1', n, n, A, n, lstsq->work);
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, LU, n, pivot) != 0)
        return false;
    for (int k = 0; k < 2; k++) {
        const double norm = rcond[k];
        if (LAPACKE_dgecon_work(LAPACK_COL_MAJOR, k ? 'I' : '1', n, LU, n, norm, &rcond[k],
                                lstsq->work, iwork) != 0)
            return false;
    }
    if (!(sqrt(rcond[0] * rcond[1]) > doubt * tolerance))
        return false;
    memcpy(x, b, (size_t)n * sizeof *x);
    return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, LU, n, pivot, x, n) == 0;
}

/* b := A^+ b */
static bool decompose(dfl_lstsq *lstsq, int m, int n, double *A, double tolerance, lapack_int *rank)
{
    return LAPACKE_dgelss_work(LAPACK_COL_MAJOR, m, n, 1, A, m, lstsq->b, m > n ? m : n,
                               lstsq->singular, tolerance, rank, lstsq->work, lstsq->lwork) == 0;
}

/* The workspace that dgelss wants for m x n, but at least what its manual requires for every
   smaller size. */
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

#else

static bool eliminate(double *x, dfl_lstsq *lstsq, int n, const double *A, const double *b,
                      double tolerance)
{
    (void)x, (void)lstsq, (void)n, (void)A, (void)b, (void)tolerance;
    return false;
}

static bool decompose(dfl_lstsq *lstsq, int m, int n, double *A, double tolerance, lapack_int *rank)
{
    return dfl_jacobi_solve(lstsq->b, m > n ? m : n, 1, A, m, n, tolerance, rank, lstsq->work);
}

static lapack_int query_workspace(int m, int n)
{
    return dfl_jacobi_work(m, n);
}

#endif
