/* least_rows.c: multipliers of least norm, with sparse matrices.

   Among all l that make |f - A^T l| least in the metric of D^-1, the one of least |l| is the limit
   of

       l := l + (S + delta)^-1 A D^-1 (f - A^T l),    S = A D^-1 A^T,

   from l = 0: components that A^T does not see stay zero, the others converge with delta/(sigma +
   delta), sigma being the eigenvalues of S. Rows that do not count have no delta. One such step is
   a solution with [D 0 A^T; 0 1/delta I; A I 0]. */
#include "linalg/linalg.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

struct dfl_least_rows {
    dfl_context *ctx;
    const dfl_csc *A;
    const bool *uncounted; /* rows, or NULL */
    dfl_csc both;          /* [A I] */
    dfl_saddle_ldl *ldl;
    double *D;        /* columns of both */
    double *value;    /* entries of both; those of A first */
    double *x, *step; /* columns of both, rows */
    double *rest;     /* columns of A: f - A^T l */
};

/* Of the largest squared length of a row: rounding in directions that are not seen is divided by
   it. */
static const double delta_part = 1e-6;

enum { MOST_SWEEPS = 60 };

static dfl_status add_identity(dfl_least_rows *least)
{
    const dfl_csc *A = least->A;
    const int nv = A->columns, nc = A->rows, entries = A->start[nv];
    least->both = (dfl_csc){.rows = nc, .columns = nv + nc};
    least->both.start = dfl_alloc(least->ctx, (size_t)(nv + nc) + 1, sizeof(int));
    least->both.row = dfl_alloc(least->ctx, (size_t)(entries + nc) + 1, sizeof(int));
    if (!least->both.start || !least->both.row)
        return DFL_NO_MEMORY;
    memcpy(least->both.start, A->start, ((size_t)nv + 1) * sizeof(int));
    if (entries > 0)
        memcpy(least->both.row, A->row, (size_t)entries * sizeof(int));
    for (int i = 0; i < nc; i++) {
        least->both.row[entries + i] = i;
        least->both.start[nv + i + 1] = entries + i + 1;
    }
    return DFL_OK;
}

dfl_status dfl_least_rows_create(dfl_least_rows **out, dfl_context *ctx, const dfl_csc *A,
                                 const bool *uncounted)
{
    dfl_least_rows *least = dfl_alloc(ctx, 1, sizeof *least);
    *out = least;
    if (!least)
        return DFL_NO_MEMORY;
    least->ctx = ctx;
    least->A = A;
    least->uncounted = uncounted;
    const size_t all = (size_t)(A->columns + A->rows) + 1, d = sizeof(double);
    dfl_status status = add_identity(least);
    least->D = dfl_alloc(ctx, all, d);
    least->value = dfl_alloc(ctx, (size_t)(A->start[A->columns] + A->rows) + 1, d);
    least->x = dfl_alloc(ctx, all, d);
    least->step = dfl_alloc(ctx, (size_t)A->rows + 1, d);
    least->rest = dfl_alloc(ctx, (size_t)A->columns + 1, d);
    if (!least->D || !least->value || !least->x || !least->step || !least->rest)
        status = DFL_NO_MEMORY;
    if (!status)
        status = dfl_saddle_ldl_create(&least->ldl, ctx, NULL, &least->both);
    if (status) {
        dfl_least_rows_free(least);
        *out = NULL;
    }
    return status;
}

void dfl_least_rows_free(dfl_least_rows *least)
{
    if (!least)
        return;
    dfl_saddle_ldl_free(least->ldl);
    dfl_csc_clear(&least->both, least->ctx);
    double *const block[] = {least->D, least->value, least->x, least->step, least->rest};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(least->ctx, block[i]);
    dfl_free(least->ctx, least);
}

/* The largest squared length of a row. */
static double largest_row(const dfl_least_rows *least, const double *D, const double *A)
{
    const dfl_csc *pattern = least->A;
    double *length2 = least->step, largest = 0;
    memset(length2, 0, (size_t)pattern->rows * sizeof *length2);
    for (int j = 0; j < pattern->columns; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            length2[pattern->row[k]] += A[k] * A[k] / D[j];
    for (int i = 0; i < pattern->rows; i++)
        largest = fmax(largest, length2[i]);
    return largest;
}

bool dfl_least_rows_factor(dfl_least_rows *least, const double *D, const double *A)
{
    const int nv = least->A->columns, nc = least->A->rows, entries = least->A->start[nv];
    const double largest = largest_row(least, D, A), delta = largest > 0 ? delta_part * largest : 1;
    memcpy(least->D, D, (size_t)nv * sizeof *D);
    if (entries > 0)
        memcpy(least->value, A, (size_t)entries * sizeof *A);
    for (int i = 0; i < nc; i++) {
        least->D[nv + i] = 1 / delta;
        least->value[entries + i] = least->uncounted && least->uncounted[i] ? 0 : 1;
    }
    return dfl_saddle_ldl_factor(least->ldl, least->D, least->value, 0, NULL);
}

void dfl_least_rows_solve(double *l, dfl_least_rows *least, const double *f)
{
    const dfl_csc *A = least->A;
    const int nv = A->columns, nc = A->rows;
    double last = INFINITY;
    memset(l, 0, (size_t)nc * sizeof *l);
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        double size = 0, largest = 0;
        memcpy(least->rest, f, (size_t)nv * sizeof *f);
        dfl_csc_add_transposed(least->rest, A->start, A->row, nv, least->value, -1, l);
        memset(least->x, 0, (size_t)(nv + nc) * sizeof *least->x);
        memcpy(least->x, least->rest, (size_t)nv * sizeof *least->x);
        memset(least->step, 0, (size_t)nc * sizeof *least->step);
        dfl_saddle_ldl_solve(least->x, least->step, least->ldl);
        for (int i = 0; i < nc; i++) {
            l[i] += least->step[i];
            size = fmax(size, fabs(least->step[i]));
            largest = fmax(largest, fabs(l[i]));
        }
        if (size <= 1e-13 * largest || (size <= 1e-9 * largest && size > 0.5 * last))
            break;
        last = size;
    }
}
