/* split.c: right inverse and null space of a wide matrix: handle, scaling, rank, and the SVD.

   Row scaling: if D A R' = I then A (R' D) = I, and the null space does not change. Unknowns in
   units of C: if A C R' = I and A C N' = 0 then R = C R', N = C N'. */
#include "linalg/jacobi.h"
#include "linalg/linalg.h"
#include "linalg/split_internal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static dfl_status create_work(struct split_work *work, dfl_context *ctx, int m, int n);
static lapack_int query_workspace(int m, int n);
static bool load_transposed(dfl_split *split, const double *A, int lda, const dfl_split_rule *rule);
static void equilibrate(double *W, int n, int m, double *scale, const dfl_split_rule *rule);
static void scale_columns(double *R, int n, int m, const double *scale);
static void scale_entries(double *R, int n, int m, const double *scale);
static void set_identity(double *N, int n);
static inline bool split_row(dfl_split *split, const dfl_split_rule *rule, const double *A,
                             int lda);
static bool split_rows(dfl_split *split, const dfl_split_rule *rule, const double *A, int lda);

dfl_status dfl_split_create(dfl_split **out, dfl_context *ctx, int m, int n)
{
    assert(m >= 0 && n >= 0);
    const size_t rows = (size_t)m, columns = (size_t)n;
    *out = NULL;
    dfl_split *split = dfl_alloc(ctx, 1, sizeof *split);
    if (!split)
        return DFL_NO_MEMORY;
    split->R = dfl_alloc(ctx, columns * rows, sizeof *split->R);
    split->N = dfl_alloc(ctx, columns * columns, sizeof *split->N);
    split->pivot = dfl_alloc(ctx, rows, sizeof *split->pivot);
    split->work = dfl_alloc(ctx, 1, sizeof *split->work);
    if (!split->R || !split->N || !split->pivot || !split->work ||
        create_work(split->work, ctx, m, n) != DFL_OK) {
        dfl_split_free(split, ctx);
        return DFL_NO_MEMORY;
    }
    *out = split;
    return DFL_OK;
}

void dfl_split_free(dfl_split *split, dfl_context *ctx)
{
    if (!split)
        return;
    struct split_work *work = split->work;
    if (work) {
        dfl_free(ctx, work->work);
        dfl_free(ctx, work->iwork);
        dfl_free(ctx, work->VT);
        dfl_free(ctx, work->Q);
        dfl_free(ctx, work->position);
        dfl_free(ctx, work->column);
        dfl_free(ctx, work->order);
        dfl_free(ctx, work->tau);
        dfl_free(ctx, work->diagonal);
        dfl_free(ctx, work->values);
        dfl_free(ctx, work->scale);
        dfl_free(ctx, work->W);
    }
    dfl_free(ctx, work);
    dfl_free(ctx, split->pivot);
    dfl_free(ctx, split->N);
    dfl_free(ctx, split->R);
    dfl_free(ctx, split);
}

void dfl_split_copy(dfl_split *split, const dfl_split *from)
{
    const int m = from->m, n = from->n;
    assert(m <= split->work->m && n <= split->work->n);
    split->m = m;
    split->n = n;
    split->rank = from->rank;
    split->largest = from->largest;
    split->smallest = from->smallest;
    split->dropped = from->dropped;
    for (int i = 0; i < n * m; i++)
        split->R[i] = from->R[i];
    for (int i = 0; i < n * (n - from->rank); i++)
        split->N[i] = from->N[i];
    for (int i = 0; i < from->rank; i++)
        split->pivot[i] = from->pivot[i];
}

bool dfl_split_compute(dfl_split *split, const dfl_split_rule *rule, const double *A, int lda,
                       int m, int n)
{
    assert(m <= split->work->m && n <= split->work->n);
    const bool qr = rule->method == DFL_METHOD_QR || (n == 1 && rule->method == DFL_METHOD_LU);
    split->m = m;
    split->n = n;
    split->rank = 0;
    split->largest = split->smallest = split->dropped = 0;
    const bool usable = (m == 1 && n > 0 && qr && split_row(split, rule, A, lda)) ||
                        split_rows(split, rule, A, lda);
    if (usable && rule->columns) {
        scale_entries(split->R, n, m, rule->columns);
        scale_entries(split->N, n, n - split->rank, rule->columns);
    }
    return usable;
}

static __attribute__((noinline)) bool split_rows(dfl_split *split, const dfl_split_rule *rule,
                                                 const double *A, int lda)
{
    const int m = split->m, n = split->n;
    if (m == 0 || n == 0) {
        set_identity(split->N, n);
        return m == 0;
    }
    if (!load_transposed(split, A, lda, rule)) {
        split->rank = -1;
        return false;
    }
    bool usable = false;
    switch (rule->method) {
    case DFL_METHOD_LU:
        usable = dfl_split_lu(split, rule);
        break;
    case DFL_METHOD_QR:
        usable = m <= n && dfl_split_qr(split, rule);
        break;
    case DFL_METHOD_SVD:
        usable = dfl_split_svd(split, rule);
        break;
    }
    if (usable && rule->scale_rows)
        scale_columns(split->R, n, m, split->work->scale);
    return usable && dfl_all_finite(split->R, n * m); /* entries near DBL_MIN overflow */
}

/* One row w (a single constraint), the most frequent case of tiny models: R = w/|w|^2, and N from
   the columns of the reflection I - v v^T/(|w|^2 + |w||w_0|), v = w +- |w| e_0, that takes w to
   e_0. Scaling would only change the reported size, which is not compared with any other. False
   where |w|^2 may be far from what it should be, or the rank is imposed: then the general method
   decides. */
static inline bool split_row(dfl_split *split, const dfl_split_rule *rule, const double *A, int lda)
{
    const int n = split->n;
    double *w = split->work->W, *R = split->R, *x = split->N, square = 0;
    for (int j = 0; j < n; j++, A += lda) {
        w[j] = rule->columns ? *A * rule->columns[j] : *A;
        square += w[j] * w[j];
    }
    if (!(square > 1e-250 && square < 1e250) || rule->rank == 0)
        return false;
    const double norm = sqrt(square), inverse = 1 / square;
    split->rank = 1;
    split->pivot[0] = 0;
    split->largest = split->smallest = norm;
    for (int j = 0; j < n; j++)
        R[j] = w[j] * inverse;
    if (n == 1)
        return true;
    const double tau = -1 / (square + norm * fabs(w[0]));
    w[0] += w[0] > 0 ? norm : -norm;
    for (int j = 1; j < n; j++, x += n) {
        const double factor = tau * w[j];
        for (int i = 0; i < n; i++)
            x[i] = factor * w[i];
        x[j] += 1;
    }
    return true;
}

/* W = Q diag(values) VT */
static bool decompose(struct split_work *work, int m, int n)
{
#if DFL_LAPACK
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', n, m, work->W, n, work->values, work->Q, n,
                               work->VT, m, work->work, work->lwork, work->iwork) == 0;
#else
    return dfl_jacobi_all(work->W, n, m, work->values, work->Q, work->VT, work->work);
#endif
}

/* W = U S V^T gives D A = V S U^T, so (D A)^+ = U_1 S_1^-1 V_1^T, and N = U_2. */
bool dfl_split_svd(dfl_split *split, const dfl_split_rule *rule)
{
    struct split_work *work = split->work;
    const int m = split->m, n = split->n;
    if (!decompose(work, m, n)) {
        split->rank = -1;
        return false;
    }
    dfl_split_decide(split, rule, work->values, m < n ? m : n, 0);
    const int rank = split->rank;
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < m; j++)
            work->VT[i + j * m] /= work->values[i];
    dfl_gemm(n, m, rank, 1.0, work->Q, n, work->VT, m, 0.0, split->R, n);
    memcpy(split->N, work->Q + rank * n, (size_t)(n * (n - rank)) * sizeof *split->N);
    return rule->rank < 0 || rank == (rule->rank < m ? rule->rank : m);
}

bool dfl_split_decide(dfl_split *split, const dfl_split_rule *rule, const double *values, int count,
                      double unreached)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    const double threshold = rule->rank < 0 ? rule->tolerance * largest : 0;
    const int most = rule->rank < 0 ? split->m : rule->rank;

    split->rank = 0;
    split->largest = split->smallest = largest;
    split->dropped = unreached;
    for (int i = 0; i < count; i++) {
        const double value = values[i];
        if (value > threshold && split->rank < most) {
            split->rank++;
            split->smallest = value < split->smallest ? value : split->smallest;
        } else if (value > split->dropped) {
            split->dropped = value;
        }
    }
    return split->rank == split->m;
}

static dfl_status create_work(struct split_work *work, dfl_context *ctx, int m, int n)
{
    const size_t rows = (size_t)m, columns = (size_t)n;
    work->m = m;
    work->n = n;
    work->lwork = query_workspace(m, n);
    work->W = dfl_alloc(ctx, columns * rows, sizeof *work->W);
    work->scale = dfl_alloc(ctx, rows, sizeof *work->scale);
    work->values = dfl_alloc(ctx, rows, sizeof *work->values);
    work->diagonal = dfl_alloc(ctx, rows, sizeof *work->diagonal);
    work->tau = dfl_alloc(ctx, rows, sizeof *work->tau);
    work->order = dfl_alloc(ctx, rows, sizeof *work->order);
    work->column = dfl_alloc(ctx, columns, sizeof *work->column);
    work->position = dfl_alloc(ctx, columns, sizeof *work->position);
    work->Q = dfl_alloc(ctx, columns * columns, sizeof *work->Q);
    work->VT = dfl_alloc(ctx, rows * rows, sizeof *work->VT);
    work->iwork = dfl_alloc(ctx, 8 * rows, sizeof *work->iwork);
    work->work = dfl_alloc(ctx, (size_t)work->lwork, sizeof *work->work);
    const bool complete = work->W && work->scale && work->values && work->diagonal && work->tau &&
                          work->order && work->column && work->position && work->Q && work->VT &&
                          work->iwork && work->work;
    return complete ? DFL_OK : DFL_NO_MEMORY;
}

/* The workspace that LAPACK wants for the largest size, but at least what the manual of dgesdd
   requires for every smaller one (4 k^2 + 7 k + the other, k the smaller size, covers its minima,
   and those of dgeqp3 and dorgqr). */
static lapack_int query_workspace(int m, int n)
{
#if DFL_LAPACK
    double svd = 0, qr = 0, form = 0, none = 0;
    lapack_int index = 0;
    if (m > 0 && n > 0) {
        LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', n, m, &none, n, &none, &none, n, &none, m, &svd,
                            -1, &index);
        LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, &none, n, &index, &none, &qr, -1);
        if (m <= n)
            LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, n, m, &none, n, &none, &form, -1);
    }
    const double small = m < n ? m : n, large = m < n ? n : m;
    const double least = 4 * small * small + 7 * small + large;
    return (lapack_int)fmax(fmax(svd, least), fmax(qr, form));
#else
    return m * n; /* of dfl_jacobi_all */
#endif
}

/* W = (D A)^T; false if A is not finite. Without row scaling D = I and is not stored. */
static bool load_transposed(dfl_split *split, const double *A, int lda, const dfl_split_rule *rule)
{
    struct split_work *work = split->work;
    const int m = split->m, n = split->n;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            work->W[i * n + j] = rule->columns ? A[j * lda + i] * rule->columns[j] : A[j * lda + i];
    if (!dfl_all_finite(work->W, m * n))
        return false;
    if (rule->scale_rows)
        equilibrate(work->W, n, m, work->scale, rule);
    return true;
}

/* Gives each column of W the largest entry 1; scale[i] = 1 leaves a zero column as it is. Where
   the rank is imposed, columns below a part of the largest, or of what they should be, stay
   weaker than the others: redundant rows may vanish on the constraints and point anywhere next
   to them. */
static void equilibrate(double *W, int n, int m, double *scale, const dfl_split_rule *rule)
{
    const bool imposed = rule->method == DFL_METHOD_SVD && rule->rank >= 0;
    double overall = 0;
    for (int k = 0; k < m * n && imposed && !rule->least; k++)
        overall = fabs(W[k]) > overall ? fabs(W[k]) : overall;
    for (int i = 0; i < m; i++) {
        double largest = rule->least ? rule->least[i] : 1e-4 * overall;
        for (int j = 0; j < n; j++)
            largest = fabs(W[i * n + j]) > largest ? fabs(W[i * n + j]) : largest;
        const double inverse = 1 / largest;
        scale[i] = inverse <= DBL_MAX ? inverse : 1;
    }
    scale_columns(W, n, m, scale);
}

static void scale_columns(double *R, int n, int m, const double *scale)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            R[i * n + j] *= scale[i];
}

static void scale_entries(double *R, int n, int m, const double *scale)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            R[i * n + j] *= scale[j];
}

static void set_identity(double *N, int n)
{
    memset(N, 0, (size_t)(n * n) * sizeof *N);
    for (int i = 0; i < n; i++)
        N[i * n + i] = 1;
}
