/* split_qr.c: split of a wide matrix by a column-pivoted QR factorization of its transpose.

   A^T P = [Q_1 Q_2] [R_1; 0] (Golub and Van Loan, Matrix Computations, 4th ed., sec. 5.4.2) gives
   the right inverse Q_1 R_1^-T P^T, which is the pseudo-inverse, and the null space N = Q_2. */
#include "linalg/linalg.h"
#include "linalg/split_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/householder_internal.h"

static bool small_split(dfl_split *split, const dfl_split_rule *rule);
#if DFL_LAPACK
static bool large_split(dfl_split *split, const dfl_split_rule *rule);
#endif

bool dfl_split_qr(dfl_split *split, const dfl_split_rule *rule)
{
#if DFL_LAPACK
    if (split->n > SPLIT_SMALL)
        return large_split(split, rule);
#endif
    return small_split(split, rule);
}

static inline double squared_length(const double *x, int count)
{
    return dot_product(x, x, count);
}

/* Exchanges column k with the one that is longest below row k; returns its squared length. The
   lengths are computed anew, which for tiny m costs little and avoids the cancellation of
   updates. */
static double bring_longest(dfl_split *split, int k)
{
    struct split_work *work = split->work;
    const int m = split->m, n = split->n;
    double longest = squared_length(work->W + k * n + k, n - k);
    int p = k;
    for (int i = k + 1; i < m; i++) {
        const double square = squared_length(work->W + i * n + k, n - k);
        if (square > longest) {
            longest = square;
            p = i;
        }
    }
    if (p != k) {
        for (int j = 0; j < n; j++) {
            const double t = work->W[k * n + j];
            work->W[k * n + j] = work->W[p * n + j];
            work->W[p * n + j] = t;
        }
        const int t = work->order[k];
        work->order[k] = work->order[p];
        work->order[p] = t;
    }
    return longest;
}

/* Householder: v = x -+ ||x|| e_1 replaces column k from row k on; the diagonal entry of R_1 goes
   to diagonal[k]. Returns the number of columns reached. */
static int factor_small(dfl_split *split, double *unreached)
{
    struct split_work *work = split->work;
    const int m = split->m, n = split->n;
    for (int k = 0; k < m; k++) {
        double *v = work->W + k * n + k;
        const double square = bring_longest(split, k);
        const double norm = sqrt(square);
        if (!(square >= DBL_MIN && square <= DBL_MAX)) {
            *unreached = norm;
            return k;
        }
        work->tau[k] = 1 / (square + norm * fabs(v[0]));
        work->diagonal[k] = v[0] > 0 ? -norm : norm;
        v[0] -= work->diagonal[k];
        for (int i = k + 1; i < m; i++)
            reflect(work->W + i * n + k, v, work->tau[k], n - k);
    }
    return m;
}

/* x := Q e_j = H_0 ... H_(m-1) e_j; the reflections after j do not touch e_j. */
static void form_column(double *x, const dfl_split *split, int j)
{
    const struct split_work *work = split->work;
    const int m = split->m, n = split->n;
    memset(x, 0, (size_t)n * sizeof *x);
    x[j] = 1;
    for (int k = j < m ? j : m - 1; k >= 0; k--)
        reflect(x + k, work->W + k * n + k, work->tau[k], n - k);
}

/* Column order[k] of the right inverse: X R_1^T = Q_1, from the last column to the first. */
static void form_inverse_column(dfl_split *split, int k)
{
    const struct split_work *work = split->work;
    const int m = split->m, n = split->n;
    double *x = split->R + work->order[k] * n;
    form_column(x, split, k);
    for (int l = k + 1; l < m; l++) {
        const double *y = split->R + work->order[l] * n;
        const double r = work->W[l * n + k];
        for (int i = 0; i < n; i++)
            x[i] -= r * y[i];
    }
    const double inverse = 1 / work->diagonal[k];
    for (int i = 0; i < n; i++)
        x[i] *= inverse;
}

/* The sizes of the diagonal entries decide. */
static bool decide(dfl_split *split, const dfl_split_rule *rule, int count, double unreached)
{
    struct split_work *work = split->work;
    for (int k = 0; k < count; k++)
        work->values[k] = fabs(work->diagonal[k]);
    return dfl_split_decide(split, rule, work->values, count, unreached);
}

static bool small_split(dfl_split *split, const dfl_split_rule *rule)
{
    const int m = split->m, n = split->n;
    for (int i = 0; i < m; i++)
        split->work->order[i] = i;
    double unreached = 0;
    const int count = factor_small(split, &unreached);
    if (!decide(split, rule, count, unreached))
        return false;
    for (int k = m - 1; k >= 0; k--)
        form_inverse_column(split, k);
    for (int j = m; j < n; j++)
        form_column(split->N + (j - m) * n, split, j);
    return true;
}

#if DFL_LAPACK
/* LAPACK's dgeqp3 and dorgqr; W keeps R_1 while Q is formed in its own array. */
static bool large_split(dfl_split *split, const dfl_split_rule *rule)
{
    struct split_work *work = split->work;
    const int m = split->m, n = split->n;
    memset(work->iwork, 0, (size_t)m * sizeof *work->iwork); /* every column is free to move */
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, work->W, n, work->iwork, work->tau, work->work,
                        work->lwork);
    for (int k = 0; k < m; k++)
        work->diagonal[k] = work->W[k * n + k];
    if (!dfl_all_finite(work->diagonal, m) || !decide(split, rule, m, 0))
        return false;
    memcpy(work->Q, work->W, (size_t)(n * m) * sizeof *work->Q);
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, n, m, work->Q, n, work->tau, work->work, work->lwork);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, n, m, 1.0, work->W,
                n, work->Q, n);
    for (int k = 0; k < m; k++)
        memcpy(split->R + (work->iwork[k] - 1) * n, work->Q + k * n, (size_t)n * sizeof *work->Q);
    memcpy(split->N, work->Q + m * n, (size_t)(n * (n - m)) * sizeof *work->Q);
    return true;
}
#endif
