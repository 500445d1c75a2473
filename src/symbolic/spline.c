/* spline.c: the natural spline of degree 5 through a table.

   Of all functions through the points it has the least integral of (s''')^2 (Schoenberg, Spline
   interpolation and the higher derivatives, Proc. Nat. Acad. Sci. 51, 1964, with k = 3). Between
   knots it is the quintic given by value, slope and curvature at both ends (Hermite), so that s is
   twice continuously differentiable whatever the slopes and curvatures are; the least integral over
   them makes s''' and s'''' continuous too, and zero at both ends. That is a positive definite
   system in which a knot is coupled to its neighbours only: half-bandwidth 3. */
#include "symbolic/graph_internal.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    COEFS = 6, /* of a quintic */
    BAND = 4,  /* rows of the lower band: half-bandwidth 3 and the diagonal */
    ENDS = 4   /* unknowns of an interval: slope and curvature at its left, then right end */
};

/* Coefficients of t^3, t^4, t^5 of the quintic on 0 <= t <= 1, from the rise and from slope and
   curvature at 0, then at 1. */
static const double hermite_rise[3] = {10, -15, 6};
static const double hermite[3][ENDS] = {{-6, -1.5, -4, 0.5}, {8, 1.5, 7, -1}, {-3, -0.5, -3, 0.5}};

static dfl_status check_table(dfl_context *ctx, const double *x, const double *y, int n);
static dfl_status slopes_and_curvatures(double *d, dfl_context *ctx, const double *x,
                                        const double *y, int n, double unit);
static void add_interval(double *A, double *d, double h, double rise);
static void interval_energy(double K[ENDS][ENDS], double load[ENDS]);
static bool solve_scaled(double *A, double *d, double *scale, int n);
static void fill_pieces(dfl_spline *spline, const double *y, const double *d, double unit);
static dfl_status keep_spline(int *out, dfl_graph *graph, const dfl_spline *spline);

dfl_status dfl_spline_create(int *out, dfl_graph *graph, const double *x, const double *y, int n)
{
    dfl_context *ctx = graph->ctx;
    dfl_spline spline = {.n = n};
    double *d = NULL;
    dfl_status status = check_table(ctx, x, y, n);
    if (status)
        return status;
    status = DFL_NO_MEMORY;
    const size_t count = (size_t)n;
    const double unit = (x[n - 1] - x[0]) / (n - 1);
    spline.x = dfl_alloc(ctx, count, sizeof *spline.x);
    spline.coef = dfl_alloc(ctx, (count + 1) * COEFS, sizeof *spline.coef);
    d = dfl_alloc(ctx, 2 * count, sizeof *d);
    if (!spline.x || !spline.coef || !d)
        goto done;
    memcpy(spline.x, x, count * sizeof *x);
    status = slopes_and_curvatures(d, ctx, x, y, n, unit);
    if (status)
        goto done;
    fill_pieces(&spline, y, d, unit);
    status = keep_spline(out, graph, &spline);

done:
    dfl_free(ctx, d);
    if (status) {
        dfl_free(ctx, spline.coef);
        dfl_free(ctx, spline.x);
    }
    return status;
}

double dfl_spline_value(const dfl_spline *spline, int derivative, double x)
{
    int low = 0, high = spline->n; /* the number of knots below x lies between */
    while (low < high) {
        const int middle = (low + high) / 2;
        if (spline->x[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    const double *coef = spline->coef + (size_t)low * COEFS;
    const double t = x - spline->x[low < spline->n ? low : spline->n - 1];
    double sum = 0;
    for (int k = COEFS - 1; k >= derivative; k--) {
        double factor = 1; /* k (k-1) ... (k-derivative+1) */
        for (int i = 0; i < derivative; i++)
            factor *= k - i;
        sum = sum * t + factor * coef[k];
    }
    return sum;
}

static dfl_status check_table(dfl_context *ctx, const double *x, const double *y, int n)
{
    if (n < 3)
        return dfl_fail(ctx, DFL_INVALID, "a spline through %d points; give at least 3", n);
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return dfl_fail(ctx, DFL_INVALID,
                            "point %d of a spline is (%g, %g); give finite numbers", i + 1, x[i],
                            y[i]);
        if (i > 0 && !(x[i] > x[i - 1]))
            return dfl_fail(ctx, DFL_INVALID,
                            "points %d and %d of a spline have x = %.17g and %.17g; give x in "
                            "ascending order, each once",
                            i, i + 1, x[i - 1], x[i]);
    }
    return DFL_OK;
}

/* d: slope, curvature of every knot in turn, with lengths measured in `unit`, the mean spacing. */
static dfl_status slopes_and_curvatures(double *d, dfl_context *ctx, const double *x,
                                        const double *y, int n, double unit)
{
    dfl_status status = DFL_NO_MEMORY;
    const size_t count = 2 * (size_t)n;
    double *A = dfl_alloc(ctx, BAND * count, sizeof *A);
    double *scale = dfl_alloc(ctx, count, sizeof *scale);
    if (!A || !scale)
        goto done;
    int narrowest = 0;
    for (int i = 0; i + 1 < n; i++) {
        add_interval(A + 2 * BAND * i, d + 2 * i, (x[i + 1] - x[i]) / unit, y[i + 1] - y[i]);
        if (x[i + 1] - x[i] < x[narrowest + 1] - x[narrowest])
            narrowest = i;
    }
    status = DFL_OK;
    if (!solve_scaled(A, d, scale, 2 * n))
        status = dfl_fail(ctx, DFL_INVALID,
                          "the points of a spline are spaced too unevenly: points %d and %d, at "
                          "x = %.17g and %.17g, are too near to each other; leave one out",
                          narrowest + 1, narrowest + 2, x[narrowest], x[narrowest + 1]);

done:
    dfl_free(ctx, scale);
    dfl_free(ctx, A);
    return status;
}

/* Adds one interval's integral of (s''')^2 to the lower band A (columns of BAND entries) and to the
   right-hand side d, both from the unknowns of its left end on. With t = x/h the slopes are h s',
   the curvatures h^2 s'', and the integral has the factor h^-5. */
static void add_interval(double *A, double *d, double h, double rise)
{
    double K[ENDS][ENDS], load[ENDS];
    interval_energy(K, load);
    const double power[ENDS] = {h, h * h, h, h * h};
    const double factor = 1 / (h * h * h * h * h);
    for (int j = 0; j < ENDS; j++) {
        for (int i = j; i < ENDS; i++)
            A[BAND * j + i - j] += factor * power[i] * power[j] * K[i][j];
        d[j] -= factor * power[j] * load[j] * rise;
    }
}

/* On the unit interval s''' = c0 + c1 t + c2 t^2, c_i = (6, 24, 60)_i times row i of Hermite's
   formula, and the integral of t^i t^j is 1/(i+j+1). */
static void interval_energy(double K[ENDS][ENDS], double load[ENDS])
{
    static const double factor[3] = {6, 24, 60};
    for (int p = 0; p < ENDS; p++) {
        load[p] = 0;
        for (int q = 0; q < ENDS; q++)
            K[p][q] = 0;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                const double w = factor[i] * factor[j] * hermite[i][p] / (i + j + 1);
                load[p] += w * hermite_rise[j];
                for (int q = 0; q < ENDS; q++)
                    K[p][q] += w * hermite[j][q];
            }
        }
    }
}

/* Solves A d = d by Cholesky's method after scaling A to a unit diagonal, which takes out the
   different units of slopes and curvatures and most of uneven spacing. */
static bool solve_scaled(double *A, double *d, double *scale, int n)
{
    for (int j = 0; j < n; j++)
        scale[j] = 1 / sqrt(A[BAND * j]);
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n && i < j + BAND; i++)
            A[BAND * j + i - j] *= scale[i] * scale[j];
        d[j] *= scale[j];
    }
    if (LAPACKE_dpbsv_work(LAPACK_COL_MAJOR, 'L', n, BAND - 1, 1, A, BAND, d, n) != 0)
        return false;
    for (int j = 0; j < n; j++) {
        d[j] *= scale[j];
        if (!isfinite(d[j]))
            return false;
    }
    return true;
}

/* Row i is the piece between knots i-1 and i about knot i: Hermite's formula read from right to
   left. */
static void fill_pieces(dfl_spline *spline, const double *y, const double *d, double unit)
{
    const int n = spline->n;
    for (int i = 0; i <= n; i++) {
        const int at = i < n ? i : n - 1;
        double *coef = spline->coef + (size_t)i * COEFS;
        coef[0] = y[at];
        coef[1] = d[2 * at] / unit;
        coef[2] = d[2 * at + 1] / 2 / unit / unit;
        if (i == 0 || i == n)
            continue;
        const double h = spline->x[i] - spline->x[i - 1], r = h / unit;
        const double ends[ENDS] = {-r * d[2 * i], r * r * d[2 * i + 1], -r * d[2 * i - 2],
                                   r * r * d[2 * i - 1]};
        double power = -1 / h / h / h;
        for (int k = 0; k < 3; k++, power /= -h) {
            double c = hermite_rise[k] * (y[i - 1] - y[i]);
            for (int j = 0; j < ENDS; j++)
                c += hermite[k][j] * ends[j];
            coef[3 + k] = c * power;
        }
    }
}

/* Hands the spline's arrays over to the graph. */
static dfl_status keep_spline(int *out, dfl_graph *graph, const dfl_spline *spline)
{
    uint32_t room = (uint32_t)graph->max_splines;
    dfl_spline *splines = dfl_grown(graph->splines, &room, graph->ctx,
                                    (uint32_t)graph->nsplines + 1, INT_MAX, sizeof *splines);
    if (!splines)
        return DFL_NO_MEMORY;
    graph->splines = splines;
    graph->max_splines = (int)room;
    *out = graph->nsplines;
    splines[graph->nsplines++] = *spline;
    return DFL_OK;
}
