/* LDL^T of [D A^T; A 0] for a real and a complex D at once: lanes (real | real part, imaginary part |
   nothing) in one pass through the patterns of a dfl_saddle_ldl. D = zeta^2 M + K is symmetric, not
   Hermitian: no conjugation. Definite after a turn by the argument of zeta^2, as long as K is small
   compared with zeta^2 M; callers check residuals. */
#include "linalg/saddle_ldl_internal.h"

#include <math.h>
#include <string.h>

struct dfl_lane_ldl {
    const dfl_saddle_ldl *of;
    double *value, *L, *pivot, *inverse, *y; /* lanes of 4 */
    int *row, *next;
    unsigned char *out;
};

dfl_status dfl_lane_ldl_create(dfl_lane_ldl **out, const dfl_saddle_ldl *of)
{
    dfl_context *ctx = of->ctx;
    const size_t n = (size_t)of->n, d = sizeof(double);
    const size_t entries = (size_t)of->row_start[of->n];
    dfl_lane_ldl *ldl = *out = dfl_alloc(ctx, 1, sizeof *ldl);
    if (!ldl)
        return DFL_NO_MEMORY;
    ldl->of = of;
    ldl->value = dfl_alloc(ctx, 4 * (size_t)of->upper.start[of->n] + 4, d);
    ldl->L = dfl_alloc(ctx, 4 * entries + 4, d);
    ldl->pivot = dfl_alloc(ctx, 4 * n + 4, d);
    ldl->inverse = dfl_alloc(ctx, 4 * n + 4, d);
    ldl->y = dfl_alloc(ctx, 4 * n + 4, d);
    ldl->row = dfl_alloc(ctx, entries + 1, sizeof(int));
    ldl->next = dfl_alloc(ctx, n + 1, sizeof(int));
    ldl->out = dfl_alloc(ctx, n + 1, 1);
    if (ldl->value && ldl->L && ldl->pivot && ldl->inverse && ldl->y && ldl->row && ldl->next &&
        ldl->out)
        return DFL_OK;
    dfl_lane_ldl_free(ldl);
    *out = NULL;
    return DFL_NO_MEMORY;
}

void dfl_lane_ldl_free(dfl_lane_ldl *ldl)
{
    if (!ldl)
        return;
    dfl_context *ctx = ldl->of->ctx;
    void *const block[] = {ldl->value, ldl->L,   ldl->pivot, ldl->inverse,
                           ldl->y,     ldl->row, ldl->next,  ldl->out};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, ldl);
}

static DFL_INLINE dfl_four fetch(const double *x)
{
    return *(const dfl_quad *)x;
}

static DFL_INLINE void store(double *x, dfl_four value)
{
    *(dfl_quad *)x = value;
}

/* Of real numbers in lane 0 and complex ones in lanes 1 and 2. */
static DFL_INLINE dfl_four product(dfl_four a, dfl_four b)
{
    const dfl_four turn = {0, -a[2], a[2], 0}, keep = {a[0], a[1], a[1], a[3]};
    const dfl_four swapped = {b[0], b[2], b[1], b[3]};
    return keep * b + turn * swapped;
}

static DFL_INLINE dfl_four reciprocal(dfl_four a)
{
    const double square = a[1] * a[1] + a[2] * a[2];
    return (dfl_four){1 / a[0], a[1] / square, -a[2] / square, 1};
}

/* D: lanes of 4 per entry of its pattern; A: numbers. */
static void place_numbers(dfl_lane_ldl *ldl, const double *D, const double *A)
{
    const dfl_saddle_ldl *of = ldl->of;
    memset(ldl->pivot, 0, 4 * (size_t)of->n * sizeof(double));
    for (int j = 0; j < of->nv; j++) {
        for (int k = of->D->start[j]; k < of->D->start[j + 1]; k++) {
            if (of->at_D[k] >= 0)
                memcpy(ldl->value + 4 * of->at_D[k], D + 4 * k, 4 * sizeof *D);
            else if (of->D->row[k] == j)
                memcpy(ldl->pivot + 4 * of->place[j], D + 4 * k, 4 * sizeof *D);
        }
        for (int k = of->A->start[j]; k < of->A->start[j + 1]; k++)
            store(ldl->value + 4 * of->at_A[k], (dfl_four){A[k], A[k], 0, 0});
    }
}

DFL_WIDE static bool eliminate(dfl_lane_ldl *ldl, const unsigned char *left_out)
{
    const dfl_saddle_ldl *of = ldl->of;
    double *y = ldl->y, *L = ldl->L;
    double sum = 0;
    for (int k = 0; k < of->n; k++) {
        dfl_four pivot = fetch(ldl->pivot + 4 * k);
        for (int p = of->upper.start[k]; p < of->upper.start[k + 1]; p++)
            store(y + 4 * of->upper.row[p], fetch(ldl->value + 4 * p));
        for (int p = of->row_start[k]; p < of->row_start[k + 1]; p++) {
            const int i = of->row_column[p], end = ldl->next[i];
            const dfl_four zero = {0, 0, 0, 0}, yi = ldl->out[i] ? zero : fetch(y + 4 * i);
            const dfl_four l = product(yi, fetch(ldl->inverse + 4 * i));
            store(y + 4 * i, zero);
            for (int q = of->start[i]; q < end; q++) {
                double *to = y + 4 * ldl->row[q];
                store(to, fetch(to) - product(fetch(L + 4 * q), yi));
            }
            pivot -= product(l, yi);
            ldl->row[end] = k;
            store(L + 4 * end, l);
            ldl->next[i] = end + 1;
        }
        const int i = of->unknown[k] - of->nv;
        ldl->out[k] = i >= 0 && left_out[i];
        if (ldl->out[k])
            pivot = (dfl_four){1, 1, 0, 1};
        const dfl_four inverse = reciprocal(pivot);
        store(ldl->inverse + 4 * k, inverse);
        sum += 0 * (inverse[0] + inverse[1] + inverse[2]);
    }
    return sum == 0;
}

bool dfl_lane_ldl_factor(dfl_lane_ldl *ldl, const double *D, const double *A,
                         const unsigned char *left_out)
{
    place_numbers(ldl, D, A);
    memcpy(ldl->next, ldl->of->start, (size_t)ldl->of->n * sizeof *ldl->next);
    memset(ldl->y, 0, 4 * (size_t)ldl->of->n * sizeof *ldl->y);
    return eliminate(ldl, left_out);
}

DFL_WIDE static void substitute(dfl_lane_ldl *ldl)
{
    const dfl_saddle_ldl *of = ldl->of;
    double *y = ldl->y;
    const double *L = ldl->L;
    for (int k = 0; k < of->n; k++) {
        const dfl_four yk = fetch(y + 4 * k);
        for (int p = of->start[k]; p < of->start[k + 1]; p++) {
            double *to = y + 4 * ldl->row[p];
            store(to, fetch(to) - product(fetch(L + 4 * p), yk));
        }
    }
    for (int k = of->n - 1; k >= 0; k--) {
        dfl_four sum = product(fetch(y + 4 * k), fetch(ldl->inverse + 4 * k));
        for (int p = of->start[k]; p < of->start[k + 1]; p++)
            sum -= product(fetch(L + 4 * p), fetch(y + 4 * ldl->row[p]));
        store(y + 4 * k, ldl->out[k] ? (dfl_four){0, 0, 0, 0} : sum);
    }
}

void dfl_lane_ldl_solve(double *x, double *l, dfl_lane_ldl *ldl)
{
    const dfl_saddle_ldl *of = ldl->of;
    for (int k = 0; k < of->n; k++) {
        const int u = of->unknown[k];
        const double *from = u < of->nv ? x + 4 * u : l + 4 * (u - of->nv);
        if (ldl->out[k])
            memset(ldl->y + 4 * k, 0, 4 * sizeof *x);
        else
            memcpy(ldl->y + 4 * k, from, 4 * sizeof *x);
    }
    substitute(ldl);
    for (int k = 0; k < of->n; k++) {
        const int u = of->unknown[k];
        memcpy(u < of->nv ? x + 4 * u : l + 4 * (u - of->nv), ldl->y + 4 * k, 4 * sizeof *x);
    }
}

DFL_WIDE static void substitute_real(double *y, const dfl_saddle_ldl *ldl)
{
    for (int k = 0; k < ldl->n; k++) {
        const dfl_four yk = fetch(y + 4 * k);
        for (int p = ldl->start[k]; p < ldl->start[k + 1]; p++) {
            double *to = y + 4 * ldl->row[p];
            store(to, fetch(to) - ldl->L[p] * yk);
        }
    }
    for (int k = ldl->n - 1; k >= 0; k--) {
        dfl_four sum = fetch(y + 4 * k) / ldl->pivot[k];
        for (int p = ldl->start[k]; p < ldl->start[k + 1]; p++)
            sum -= ldl->L[p] * fetch(y + 4 * ldl->row[p]);
        store(y + 4 * k, ldl->out[k] ? (dfl_four){0, 0, 0, 0} : sum);
    }
}

void dfl_saddle_ldl_solve_lanes(double *x, double *l, const dfl_saddle_ldl *ldl, double *work)
{
    for (int k = 0; k < ldl->n; k++) {
        const int u = ldl->unknown[k];
        const double *from = u < ldl->nv ? x + 4 * u : l + 4 * (u - ldl->nv);
        if (ldl->out[k])
            memset(work + 4 * k, 0, 4 * sizeof *x);
        else
            memcpy(work + 4 * k, from, 4 * sizeof *x);
    }
    substitute_real(work, ldl);
    for (int k = 0; k < ldl->n; k++) {
        const int u = ldl->unknown[k];
        memcpy(u < ldl->nv ? x + 4 * u : l + 4 * (u - ldl->nv), work + 4 * k, 4 * sizeof *x);
    }
}
