/* factor.c: a square matrix, factored by LU or QR, real or complex.

   Orders up to DFL_SMALL_ORDER, by real LU up to DFL_SMALL_LU, go to factor_small.c; larger ones to
   LAPACK, whose workspace is asked for at creation. LAPACK may pass over NaN, so larger matrices
   are searched for it first. Without LAPACK the loops of factor_small.c serve all orders. */
#include "linalg/factor_internal.h"
#include "linalg/lapack_internal.h"
#include "linalg/linalg.h"

#include <assert.h>
#include <float.h>
#include <math.h>

struct dfl_factor {
    int capacity, n; /* largest order, and order of the matrix factored */
    bool is_complex;
    dfl_method method;
    double *A;         /* n x n, then its factors */
    double *scalars;   /* QR: 3 n; see factor_internal.h, or LAPACK's tau */
    lapack_int *order; /* n: of the rows, as in factor_internal.h or LAPACK */
    double *packed;    /* n: a right-hand side taken out of lanes */
    double *work;      /* LAPACK's, lwork real or complex numbers */
    lapack_int lwork;
};

static bool is_small(const dfl_factor *factor);
static lapack_int query_workspace(int n, bool is_complex);
static bool large_lu(dfl_factor *factor);
static bool large_qr(dfl_factor *factor);
static inline void small_lu_solve(const dfl_factor *factor, double *b, int stride);
static __attribute__((noinline)) void solve_packed(const dfl_factor *factor, double *b, int width);
static void large_lu_solve(const dfl_factor *factor, double *b);
static void large_qr_solve(const dfl_factor *factor, double *b);

dfl_status dfl_factor_create(dfl_factor **out, dfl_context *ctx, int n, bool is_complex)
{
    assert(n >= 0);
    const size_t order = (size_t)n, width = is_complex ? 2 : 1;
    *out = NULL;
    dfl_factor *factor = dfl_alloc(ctx, 1, sizeof *factor);
    if (!factor)
        return DFL_NO_MEMORY;
    factor->capacity = n;
    factor->is_complex = is_complex;
    factor->lwork = n > DFL_SMALL_ORDER ? query_workspace(n, is_complex) : 0;
    factor->A = dfl_alloc(ctx, width * order * order, sizeof *factor->A);
    factor->scalars = dfl_alloc(ctx, 3 * order, sizeof *factor->scalars);
    factor->order = dfl_alloc(ctx, order, sizeof *factor->order);
    factor->packed = dfl_alloc(ctx, width * order, sizeof *factor->packed);
    factor->work = dfl_alloc(ctx, width * (size_t)factor->lwork, sizeof *factor->work);
    if (!factor->A || !factor->scalars || !factor->order || !factor->packed || !factor->work) {
        dfl_factor_free(factor, ctx);
        return DFL_NO_MEMORY;
    }
    *out = factor;
    return DFL_OK;
}

void dfl_factor_free(dfl_factor *factor, dfl_context *ctx)
{
    if (!factor)
        return;
    dfl_free(ctx, factor->work);
    dfl_free(ctx, factor->packed);
    dfl_free(ctx, factor->order);
    dfl_free(ctx, factor->scalars);
    dfl_free(ctx, factor->A);
    dfl_free(ctx, factor);
}

double *dfl_factor_matrix(dfl_factor *factor)
{
    return factor->A;
}

static bool is_small(const dfl_factor *factor)
{
    const bool real_lu = factor->method == DFL_METHOD_LU && !factor->is_complex;
    return factor->n <= (real_lu ? DFL_SMALL_LU : DFL_SMALL_ORDER);
}

bool dfl_factor_compute(dfl_factor *factor, int n, dfl_method method)
{
    assert(n <= factor->capacity && method != DFL_METHOD_SVD);
    factor->n = n;
    factor->method = method;
    if (!is_small(factor))
        return method == DFL_METHOD_LU ? large_lu(factor) : large_qr(factor);
    if (method == DFL_METHOD_LU)
        return factor->is_complex ? dfl_small_lu_complex(factor->A, n, factor->order)
                                  : dfl_small_lu(factor->A, n, factor->order);
    return factor->is_complex ? dfl_small_qr_complex(factor->A, n, factor->scalars)
                              : dfl_small_qr(factor->A, n, factor->scalars);
}

void dfl_factor_solve(const dfl_factor *factor, double *b)
{
    const int n = factor->n;
    const bool is_lu = factor->method == DFL_METHOD_LU;
    const bool small = is_small(factor);
    if (!small && is_lu)
        large_lu_solve(factor, b);
    else if (!small)
        large_qr_solve(factor, b);
    else if (is_lu)
        small_lu_solve(factor, b, factor->is_complex ? 2 : 1);
    else if (factor->is_complex)
        dfl_small_qr_complex_solve(factor->A, n, factor->scalars, b);
    else
        dfl_small_qr_solve(factor->A, n, factor->scalars, b);
}

void dfl_factor_solve_lanes(const dfl_factor *factor, double *b, int width)
{
    if (is_small(factor) && factor->method == DFL_METHOD_LU)
        small_lu_solve(factor, b, width);
    else
        solve_packed(factor, b, width);
}

static inline void small_lu_solve(const dfl_factor *factor, double *b, int stride)
{
    if (factor->is_complex)
        dfl_small_lu_complex_solve(factor->A, factor->n, factor->order, b, stride);
    else
        dfl_small_lu_solve(factor->A, factor->n, factor->order, b, stride);
}

static void solve_packed(const dfl_factor *factor, double *b, int width)
{
    const int n = factor->n, parts = factor->is_complex ? 2 : 1;
    double *x = factor->packed;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < parts; k++)
            x[i * parts + k] = b[i * width + k];
    dfl_factor_solve(factor, x);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < parts; k++)
            b[i * width + k] = x[i * parts + k];
}

#if DFL_LAPACK

static lapack_complex_double *as_complex(double *x)
{
    return (lapack_complex_double *)(void *)x;
}

/* The larger workspace of factoring and applying Q; both grow with n. */
static lapack_int query_workspace(int n, bool is_complex)
{
    double factor[2] = {0}, apply[2] = {0}, none[2] = {0};
    if (is_complex) {
        lapack_complex_double *z = as_complex(none);
        LAPACKE_zgeqrf_work(LAPACK_COL_MAJOR, n, n, z, n, z, as_complex(factor), -1);
        LAPACKE_zunmqr_work(LAPACK_COL_MAJOR, 'L', 'C', n, 1, n, z, n, z, z, n, as_complex(apply),
                            -1);
    } else {
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, n, none, n, none, factor, -1);
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', n, 1, n, none, n, none, none, n, apply, -1);
    }
    return (lapack_int)fmax(fmax(factor[0], apply[0]), n);
}

static bool large_lu(dfl_factor *factor)
{
    const int n = factor->n;
    if (!dfl_all_finite(factor->A, n * n * (factor->is_complex ? 2 : 1)))
        return false;
    if (factor->is_complex)
        return LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, n, n, as_complex(factor->A), n,
                                   factor->order) == 0;
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, factor->A, n, factor->order) == 0;
}

static void large_lu_solve(const dfl_factor *factor, double *b)
{
    const int n = factor->n;
    if (factor->is_complex)
        LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, as_complex(factor->A), n, factor->order,
                            as_complex(b), n);
    else
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, factor->A, n, factor->order, b, n);
}

/* The test of factor_small.c: a diagonal entry of R below the rounding error of its column. */
static bool has_regular_diagonal(const double *R, int n, int width)
{
    for (int k = 0; k < n; k++) {
        const double *Rk = R + width * k * n;
        const double diagonal = cblas_dnrm2(width, Rk + width * k, 1);
        const double column = cblas_dnrm2(width * (k + 1), Rk, 1);
        if (!(diagonal > DBL_EPSILON * column && diagonal <= DBL_MAX))
            return false;
    }
    return true;
}

static bool large_qr(dfl_factor *factor)
{
    const int n = factor->n, width = factor->is_complex ? 2 : 1;
    if (!dfl_all_finite(factor->A, n * n * width))
        return false;
    if (factor->is_complex)
        LAPACKE_zgeqrf_work(LAPACK_COL_MAJOR, n, n, as_complex(factor->A), n,
                            as_complex(factor->scalars), as_complex(factor->work), factor->lwork);
    else
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, n, factor->A, n, factor->scalars, factor->work,
                            factor->lwork);
    return has_regular_diagonal(factor->A, n, width);
}

static void large_qr_solve(const dfl_factor *factor, double *b)
{
    const int n = factor->n;
    if (factor->is_complex) {
        LAPACKE_zunmqr_work(LAPACK_COL_MAJOR, 'L', 'C', n, 1, n, as_complex(factor->A), n,
                            as_complex(factor->scalars), as_complex(b), n, as_complex(factor->work),
                            factor->lwork);
        cblas_ztrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, factor->A, n, b, 1);
    } else {
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', n, 1, n, factor->A, n, factor->scalars, b,
                            n, factor->work, factor->lwork);
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, factor->A, n, b, 1);
    }
}

#else

/* One permuted right-hand side. */
static lapack_int query_workspace(int n, bool is_complex)
{
    (void)is_complex;
    return n;
}

static bool large_lu(dfl_factor *factor)
{
    return factor->is_complex ? dfl_small_lu_complex(factor->A, factor->n, factor->order)
                              : dfl_small_lu(factor->A, factor->n, factor->order);
}

static bool large_qr(dfl_factor *factor)
{
    return factor->is_complex ? dfl_small_qr_complex(factor->A, factor->n, factor->scalars)
                              : dfl_small_qr(factor->A, factor->n, factor->scalars);
}

/* x -= a y, y of one number; complex numbers have two parts. */
static void subtract_column(double *x, const double *a, const double *y, int count, int parts)
{
    for (int i = 0; i < count && parts == 1; i++)
        x[i] -= a[i] * y[0];
    for (int i = 0; i < 2 * count && parts == 2; i += 2) {
        x[i] -= a[i] * y[0] - a[i + 1] * y[1];
        x[i + 1] -= a[i] * y[1] + a[i + 1] * y[0];
    }
}

/* The diagonal of U is stored inverted. */
static void large_lu_solve(const dfl_factor *factor, double *b)
{
    const int n = factor->n, parts = factor->is_complex ? 2 : 1;
    const double *LU = factor->A;
    double *x = factor->work;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < parts; k++)
            x[i * parts + k] = b[factor->order[i] * parts + k];
    for (int k = 0; k < n; k++)
        subtract_column(x + parts * (k + 1), LU + parts * (k * n + k + 1), x + parts * k, n - k - 1,
                        parts);
    for (int k = n - 1; k >= 0; k--) {
        const double *u = LU + parts * (k * n + k);
        const double re = x[parts * k];
        if (parts == 1) {
            x[k] = re * u[0];
        } else {
            const double im = x[2 * k + 1];
            x[2 * k] = re * u[0] - im * u[1];
            x[2 * k + 1] = re * u[1] + im * u[0];
        }
        subtract_column(x, LU + parts * k * n, x + parts * k, k, parts);
    }
    for (int i = 0; i < n * parts; i++)
        b[i] = x[i];
}

static void large_qr_solve(const dfl_factor *factor, double *b)
{
    if (factor->is_complex)
        dfl_small_qr_complex_solve(factor->A, factor->n, factor->scalars, b);
    else
        dfl_small_qr_solve(factor->A, factor->n, factor->scalars, b);
}

#endif
