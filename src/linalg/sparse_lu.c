/* LU of sparse matrices by KLU (SuiteSparse; Davis and Palamadai Natarajan 2010).

   The pivots of the first matrix serve the next ones (klu_refactor), which costs a fraction of a
   factorization with pivoting. Whether they still do shows in the residual of every solution; if
   they do not, they are chosen anew, and then by size. The analysis of a pattern serves all factors
   of it. */
#include "linalg/linalg.h"

#include <float.h>
#include <klu.h>
#include <math.h>
#include <string.h>

/* Diagonal entries are pivots if they are at least this part of their column; if that was not good
   enough, this part. */
static const double tolerant = 1e-3, careful = 0.1;

struct dfl_sparse_lu {
    dfl_context *ctx;
    const dfl_csc *A;
    bool complex, pivoted; /* pivoted: pivots were chosen for the present numbers */
    klu_common common;
    const dfl_sparse_lu *analyst; /* whose symbolic it is */
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    const double *value;
    double size;       /* the largest sum of |a_ij| in a row */
    double *b, *r, *z; /* right-hand side, residual, row sums */
};

dfl_status dfl_sparse_lu_create(dfl_sparse_lu **out, dfl_context *ctx, const dfl_csc *pattern,
                                bool complex, const dfl_sparse_lu *like)
{
    *out = NULL;
    dfl_sparse_lu *lu = dfl_alloc(ctx, 1, sizeof *lu);
    if (!lu)
        return DFL_NO_MEMORY;
    const size_t n = (size_t)pattern->columns, numbers = n * (complex ? 2 : 1);
    lu->ctx = ctx;
    lu->A = pattern;
    lu->complex = complex;
    lu->b = dfl_alloc(ctx, numbers, sizeof(double));
    lu->r = dfl_alloc(ctx, numbers, sizeof(double));
    lu->z = dfl_alloc(ctx, n, sizeof(double));
    klu_defaults(&lu->common);
    lu->common.scale = 2; /* rows by their largest entries */
    lu->common.tol = tolerant;
    /* Columns by COLAMD, without blocks: the search for a full diagonal before them would take a
       time that grows with the square of the order, and there is only one block. */
    lu->common.btf = 0;
    lu->common.ordering = 1;
    if (!lu->b || !lu->r || !lu->z) {
        dfl_sparse_lu_free(lu);
        return DFL_NO_MEMORY;
    }
    lu->analyst = like ? like : lu;
    lu->symbolic = like ? like->symbolic : NULL;
    if (!like && n > 0)
        lu->symbolic = klu_analyze((int)n, pattern->start, pattern->row, &lu->common);
    if (n > 0 && !lu->symbolic && lu->common.status == KLU_OUT_OF_MEMORY) {
        dfl_sparse_lu_free(lu);
        return DFL_NO_MEMORY;
    }
    *out = lu;
    return DFL_OK;
}

static void drop_numeric(dfl_sparse_lu *lu)
{
    if (!lu->numeric)
        return;
    if (lu->complex)
        klu_z_free_numeric(&lu->numeric, &lu->common);
    else
        klu_free_numeric(&lu->numeric, &lu->common);
}

void dfl_sparse_lu_free(dfl_sparse_lu *lu)
{
    if (!lu)
        return;
    drop_numeric(lu);
    if (lu->symbolic && lu->analyst == lu)
        klu_free_symbolic(&lu->symbolic, &lu->common);
    dfl_free(lu->ctx, lu->b);
    dfl_free(lu->ctx, lu->r);
    dfl_free(lu->ctx, lu->z);
    dfl_free(lu->ctx, lu);
}

/* At most the square root of 2 too large. */
static double modulus(const dfl_sparse_lu *lu, const double *x, int i)
{
    return lu->complex ? fabs(x[2 * i]) + fabs(x[2 * i + 1]) : fabs(x[i]);
}

static double largest(const dfl_sparse_lu *lu, const double *x)
{
    double most = 0;
    for (int i = 0; i < lu->A->columns; i++)
        most = modulus(lu, x, i) > most ? modulus(lu, x, i) : most;
    return most;
}

/* The largest row sum of the present matrix. */
static double row_sums(dfl_sparse_lu *lu)
{
    const dfl_csc *A = lu->A;
    double most = 0;
    memset(lu->z, 0, (size_t)A->columns * sizeof(double));
    for (int k = 0; k < A->start[A->columns]; k++) {
        lu->z[A->row[k]] += modulus(lu, lu->value, k);
        most = lu->z[A->row[k]] > most ? lu->z[A->row[k]] : most;
    }
    return most;
}

/* With new pivots. */
static bool factor_anew(dfl_sparse_lu *lu)
{
    const dfl_csc *A = lu->A;
    double *value = (double *)lu->value; /* which KLU only reads */
    drop_numeric(lu);
    lu->numeric = lu->complex ? klu_z_factor(A->start, A->row, value, lu->symbolic, &lu->common)
                              : klu_factor(A->start, A->row, value, lu->symbolic, &lu->common);
    lu->pivoted = true;
    if (lu->numeric && lu->common.status == KLU_OK)
        return true;
    drop_numeric(lu);
    return false;
}

bool dfl_sparse_lu_factor(dfl_sparse_lu *lu, const double *value)
{
    const dfl_csc *A = lu->A;
    const int numbers = A->start[A->columns] * (lu->complex ? 2 : 1);
    lu->value = value;
    if (A->columns == 0)
        return true;
    if (!lu->symbolic || !dfl_all_finite(value, numbers))
        return false;
    lu->size = row_sums(lu);
    if (!lu->numeric)
        return factor_anew(lu);
    lu->pivoted = false;
    double *numbers_of = (double *)value;
    const int good =
        lu->complex
            ? klu_z_refactor(A->start, A->row, numbers_of, lu->symbolic, lu->numeric, &lu->common)
            : klu_refactor(A->start, A->row, numbers_of, lu->symbolic, lu->numeric, &lu->common);
    return (good && lu->common.status == KLU_OK) || factor_anew(lu);
}

static void apply_inverse(double *b, dfl_sparse_lu *lu)
{
    const int n = lu->A->columns;
    if (lu->complex)
        klu_z_solve(lu->symbolic, lu->numeric, n, 1, b, &lu->common);
    else
        klu_solve(lu->symbolic, lu->numeric, n, 1, b, &lu->common);
}

/* r = b - A x */
static void residual(dfl_sparse_lu *lu, const double *x)
{
    const dfl_csc *A = lu->A;
    const double *a = lu->value;
    double *r = lu->r;
    memcpy(r, lu->b, (size_t)A->columns * (lu->complex ? 2 : 1) * sizeof *r);
    if (!lu->complex) {
        dfl_csc_add(r, A->start, A->row, A->columns, a, -1, x);
        return;
    }
    for (int j = 0; j < A->columns; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++) {
            const int i = A->row[k];
            r[2 * i] -= a[2 * k] * x[2 * j] - a[2 * k + 1] * x[2 * j + 1];
            r[2 * i + 1] -= a[2 * k] * x[2 * j + 1] + a[2 * k + 1] * x[2 * j];
        }
}

/* Solves, and refines once if the residual is above rounding. True: the residual is small. */
static bool solve_and_check(double *x, dfl_sparse_lu *lu)
{
    const int n = lu->A->columns, numbers = n * (lu->complex ? 2 : 1);
    const double good = 1e-13, enough = 1e-10;
    memcpy(x, lu->b, (size_t)numbers * sizeof *x);
    apply_inverse(x, lu);
    for (int sweep = 0;; sweep++) {
        residual(lu, x);
        const double scale = lu->size * largest(lu, x) + largest(lu, lu->b);
        const double part = largest(lu, lu->r) / (scale > 0 ? scale : 1);
        if (part <= good || sweep == 2)
            return part <= enough && dfl_all_finite(x, numbers);
        apply_inverse(lu->r, lu);
        for (int i = 0; i < numbers; i++)
            x[i] += lu->r[i];
    }
}

bool dfl_sparse_lu_solve(double *b, dfl_sparse_lu *lu)
{
    const int n = lu->A->columns;
    if (n == 0)
        return true;
    memcpy(lu->b, b, (size_t)n * (lu->complex ? 2 : 1) * sizeof *b);
    if (solve_and_check(b, lu))
        return true;
    if (!lu->pivoted && factor_anew(lu) && solve_and_check(b, lu))
        return true;
    lu->common.tol = careful;
    const bool good = factor_anew(lu) && solve_and_check(b, lu);
    lu->common.tol = tolerant;
    return good;
}
