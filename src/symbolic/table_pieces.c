/* table_pieces.c: piecewise polynomials through numbers.

   Cubics between points follow from ordinates and slopes (Hermite). A table that repeats is
   continued on both sides by some of its own points before its slopes are computed: in a cubic
   spline the influence of a point decreases by more than 3 per interval whatever their widths are,
   in a spline of degree 5 by 2.3 where they are even, so that 60 points are periodicity to
   rounding. */
#include "symbolic/table_pieces.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    COEFS = DFL_SPLINE_COEFS,
    BEYOND = 60,        /* points on each side of a table that repeats */
    BEYOND_MONOTONE = 2 /* ... which only depend on their neighbours */
};

static void linear_pieces(dfl_spline *out, const dfl_axis *axis, const double *y);
static dfl_status curved_pieces(dfl_spline *out, dfl_context *ctx, const dfl_axis *axis,
                                const double *y, const double *slopes);
static void continue_table(double *to_x, double *to_y, const dfl_axis *axis, const double *y,
                           int beyond);
static dfl_status cubic_pieces(double *coef, dfl_context *ctx, const dfl_axis *axis,
                               const double *x, const double *y, const double *slopes, int n);
static void close_ends(dfl_spline *out, dfl_outside outside, double first);
static void expand(double *at, const double *coef, double t);
static int knot_smoothness(const dfl_spline *pieces, int knot);
static bool is_zero(const double *coef);

dfl_status dfl_pieces_create(dfl_spline *out, dfl_context *ctx, const dfl_axis *axis,
                             const double *y, const double *slopes)
{
    static const int smoothness[DFL_TABLE_KINDS] = {
        [DFL_TABLE_MONOTONE] = 1, [DFL_TABLE_CUBIC] = 2, [DFL_TABLE_SMOOTH] = 4};
    const size_t n = (size_t)axis->n;
    dfl_status status = DFL_OK;
    *out = (dfl_spline){.n = axis->n, .smoothness = smoothness[axis->kind]};
    out->x = dfl_alloc(ctx, n, sizeof *out->x);
    out->coef = dfl_alloc(ctx, COEFS * (n + 1), sizeof *out->coef);
    if (!out->x || !out->coef)
        return DFL_NO_MEMORY;
    if (axis->kind == DFL_TABLE_LINEAR)
        linear_pieces(out, axis, y);
    else
        status = curved_pieces(out, ctx, axis, y, slopes);
    if (status)
        return status;
    for (size_t i = 0; i < COEFS * ((size_t)out->n + 1); i++)
        if (!isfinite(out->coef[i]))
            return dfl_fail(ctx, DFL_INVALID,
                            "table: the values are too large for the distances of their places");
    const int first = knot_smoothness(out, 0), last = knot_smoothness(out, out->n - 1);
    out->end_smoothness = first < last ? first : last;
    return DFL_OK;
}

void dfl_pieces_clear(dfl_spline *pieces, dfl_context *ctx)
{
    dfl_free(ctx, pieces->coef);
    dfl_free(ctx, pieces->x);
    *pieces = (dfl_spline){0};
}

void dfl_pieces_trim(dfl_spline *pieces)
{
    double *coef = pieces->coef;
    int skip = 0;
    while (pieces->n > 1 && is_zero(coef + COEFS * pieces->n) &&
           is_zero(coef + COEFS * (pieces->n - 1)))
        pieces->n--;
    while (skip < pieces->n - 1 && is_zero(coef + COEFS * skip) &&
           is_zero(coef + COEFS * (skip + 1)))
        skip++;
    pieces->n -= skip;
    memmove(pieces->x, pieces->x + skip, (size_t)pieces->n * sizeof *pieces->x);
    memmove(coef, coef + COEFS * skip, COEFS * ((size_t)pieces->n + 1) * sizeof *coef);
}

/* A place given twice becomes one knot between pieces that do not meet. */
static void linear_pieces(dfl_spline *out, const dfl_axis *axis, const double *y)
{
    const double *x = axis->x;
    const bool flat = axis->outside == DFL_OUTSIDE_HOLD;
    double *coef = out->coef;
    int m = 0;
    for (int i = 0; i < axis->n; i++) {
        if (i > 0 && x[i] == x[i - 1]) {
            out->smoothness = -1;
            continue;
        }
        coef[COEFS * m] = y[i];
        coef[COEFS * m + 1] = i > 0 ? (y[i] - y[i - 1]) / (x[i] - x[i - 1]) : 0;
        out->x[m++] = x[i];
    }
    out->n = m;
    memset(coef + COEFS * m, 0, COEFS * sizeof *coef);
    coef[COEFS * m] = y[axis->n - 1];
    if (flat || m < 2)
        return;
    coef[1] = coef[COEFS + 1];
    coef[COEFS * m + 1] = coef[COEFS * (m - 1) + 1];
}

static dfl_status curved_pieces(dfl_spline *out, dfl_context *ctx, const dfl_axis *axis,
                                const double *y, const double *slopes)
{
    const bool monotone = axis->kind == DFL_TABLE_MONOTONE;
    const int beyond = axis->outside != DFL_OUTSIDE_REPEAT || slopes ? 0
                       : monotone                                    ? BEYOND_MONOTONE
                                                                     : BEYOND;
    const int n = axis->n + 2 * beyond;
    double *x = dfl_alloc(ctx, (size_t)n, sizeof *x), *v = dfl_alloc(ctx, (size_t)n, sizeof *v);
    double *coef = dfl_alloc(ctx, COEFS * ((size_t)n + 1), sizeof *coef);
    dfl_status status = DFL_NO_MEMORY;
    if (x && v && coef) {
        continue_table(x, v, axis, y, beyond);
        status = axis->kind == DFL_TABLE_SMOOTH ? dfl_quintic_pieces(coef, ctx, x, v, n)
                                                : cubic_pieces(coef, ctx, axis, x, v, slopes, n);
    }
    if (!status) {
        memcpy(out->x, axis->x, (size_t)axis->n * sizeof *x);
        memcpy(out->coef, coef + COEFS * beyond, COEFS * (size_t)axis->n * sizeof *coef);
        close_ends(out, axis->outside, y[0]);
    }
    dfl_free(ctx, coef);
    dfl_free(ctx, v);
    dfl_free(ctx, x);
    return status;
}

/* The points of the table, with `beyond` more on each side. */
static void continue_table(double *to_x, double *to_y, const dfl_axis *axis, const double *y,
                           int beyond)
{
    const int m = axis->n - 1;
    const double period = axis->x[m] - axis->x[0];
    for (int i = -beyond; i <= m + beyond; i++) {
        const int turns = i > m ? i / m : i < 0 ? -((m - 1 - i) / m) : 0;
        to_x[i + beyond] = axis->x[i - turns * m] + turns * period;
        to_y[i + beyond] = y[i - turns * m];
    }
}

/* Row i, about point i: the cubic from point i-1 to point i. Rows 0 and n are left alone. */
static dfl_status cubic_pieces(double *coef, dfl_context *ctx, const dfl_axis *axis,
                               const double *x, const double *y, const double *slopes, int n)
{
    double *work = dfl_alloc(ctx, 2 * (size_t)n, sizeof *work);
    if (!work)
        return DFL_NO_MEMORY;
    const double *d = slopes ? slopes : work;
    if (!slopes && axis->kind == DFL_TABLE_MONOTONE)
        dfl_monotone_slopes(work, x, y, n);
    else if (!slopes && axis->free_ends)
        dfl_free_end_slopes(work, x, y, n, work + n);
    else if (!slopes)
        dfl_natural_slopes(work, x, y, n, work + n);
    for (int i = 1; i < n; i++) {
        const double h = x[i] - x[i - 1], chord = (y[i] - y[i - 1]) / h;
        double *c = coef + COEFS * i;
        c[0] = y[i];
        c[1] = d[i];
        c[2] = (d[i - 1] + 2 * d[i] - 3 * chord) / h;
        c[3] = (d[i - 1] + d[i] - 2 * chord) / h / h;
    }
    dfl_free(ctx, work);
    return DFL_OK;
}

/* The pieces below and above the table, from those beside them; `first` is the first value. */
static void close_ends(dfl_spline *out, dfl_outside outside, double first)
{
    const int n = out->n;
    const int kept = outside == DFL_OUTSIDE_HOLD ? 1 : outside == DFL_OUTSIDE_REPEAT ? COEFS : 2;
    double *below = out->coef, *above = out->coef + COEFS * n;
    expand(below, below + COEFS, out->x[0] - out->x[1]);
    below[0] = first;
    memcpy(above, above - COEFS, COEFS * sizeof *above);
    for (int k = kept; k < COEFS; k++)
        below[k] = above[k] = 0;
}

/* The coefficients of a polynomial about another place, t away. */
static void expand(double *at, const double *coef, double t)
{
    memcpy(at, coef, COEFS * sizeof *at);
    for (int k = 0; k < COEFS; k++)
        for (int i = COEFS - 2; i >= k; i--)
            at[i] += t * at[i + 1];
}

double dfl_pieces_roughness(const dfl_spline *pieces)
{
    const int n = pieces->n;
    const double *x = pieces->x;
    double low = INFINITY, high = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) {
        const double before = i > 0 ? x[i] - x[i - 1] : 0, after = i + 1 < n ? x[i + 1] - x[i] : 0;
        const double reach = 0.5 * fmax(before, after);
        const double *left = pieces->coef + COEFS * i;
        double right[COEFS], far = reach;
        expand(right, left + COEFS, -after);
        for (int k = 0; k < COEFS; k++, far *= reach)
            sum += fabs(left[k] - right[k]) * far;
        low = fmin(low, left[0]);
        high = fmax(high, left[0]);
    }
    const double whole = (high - low) * (x[n - 1] - x[0]);
    return whole > 0 ? sum / whole : sum > 0 ? INFINITY : 0;
}

/* How many derivatives of the pieces on both sides of a knot agree, up to rounding; -1: not even
   their values. */
static int knot_smoothness(const dfl_spline *pieces, int knot)
{
    const int next = knot + 1 < pieces->n ? knot + 1 : knot;
    const double h = next > knot ? pieces->x[next] - pieces->x[knot]
                     : knot > 0  ? pieces->x[knot] - pieces->x[knot - 1]
                                 : 1;
    const double *left = pieces->coef + COEFS * knot;
    double right[COEFS], size = 0, power = 1;
    expand(right, left + COEFS, pieces->x[knot] - pieces->x[next]);
    for (int k = 0; k < COEFS; k++, power *= h)
        size = fmax(size, fmax(fabs(left[k]), fabs(right[k])) * power);
    power = 1;
    for (int k = 0; k < COEFS; k++, power *= h)
        if (fabs(left[k] - right[k]) * power > 1e4 * DBL_EPSILON * size)
            return k - 1;
    return COEFS - 1;
}

static bool is_zero(const double *coef)
{
    for (int k = 0; k < COEFS; k++)
        if (coef[k] != 0)
            return false;
    return true;
}
