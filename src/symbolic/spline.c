/* spline.c: the natural spline of degree 5 through a table.

   Of all functions through the points it has the least integral of (s''')^2, and s''' is a spline
   of degree 2 that vanishes outside the table (Schoenberg, Spline interpolation and the higher
   derivatives, Proc. Nat. Acad. Sci. 51, 1964, with k = 3). So s''' = sum c_j N_j with the
   quadratic B-splines N_j on the knots x_j .. x_j+3, and since a second divided difference of s is
   an average of s''/2, the integrals of N_j s''' are twice the differences of neighbouring second
   divided differences:   G c = 2 (dd_j+1 - dd_j),  G_jk the integral of N_j N_k,  a positive
   definite band. B-splines stay well conditioned however uneven the knots are (de Boor, A Practical
   Guide to Splines, chapter XI), so that no accuracy is lost beyond that of the divided
   differences. The effect of rounding in the table itself is measured; tables for which it is too
   large are refused. Curvature and slope of a knot follow from the divided differences around it,
   by Taylor. */
#include "symbolic/graph_internal.h"

#include <float.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    COEFS = DFL_SPLINE_COEFS,
    PARTS = 3, /* a quadratic B-spline has 3 pieces, each with 3 ordinates in Bernstein's basis */
    BAND = 3   /* rows of the lower band of G: half-bandwidth 2 and the diagonal */
};

static const double most_lost = 1e-6;      /* of the spline's size, by roundings of the table */
static const double least_spacing = 1e-13; /* of the table's length: below, x is rounding itself */

/* A table and what is computed from it; the arrays are workspace. */
typedef struct table {
    const double *x, *y;
    int n;
    double *slope; /* n - 1: first divided differences */
    double *third; /* PARTS (n - 1): s''' between knots, by ordinates */
    double *G;     /* BAND (n - 3) */
    double *scale; /* n - 3 */
    double *c;     /* n - 3 */
} table;

static dfl_status check_points(dfl_context *ctx, const double *x, const double *y, int n);
static dfl_status too_uneven(dfl_context *ctx, const double *x, int n);
static dfl_status table_create(table *out, dfl_context *ctx, const double *x, int n);
static void table_clear(table *tab, dfl_context *ctx);
static bool interpolate(double *coef, table *tab, const double *y);
static bool third_derivative(table *tab);
static void ordinates(double N[PARTS][PARTS], const double *x);
static void assemble(table *tab);
static double common_integral(double N[PARTS][PARTS], double next[PARTS][PARTS], const double *x,
                              int distance);
static bool solve_scaled(double *G, double *c, double *scale, int n);
static void fill_pieces(double *coef, const table *tab);
static double curvature(const table *tab, int i);
static bool is_accurate(const double *coef, table *tab, double *change, double *changed_coef);
static double largest_value(const table *tab, const double *coef);

dfl_status dfl_spline_create(int *out, dfl_graph *graph, const double *x, const double *y, int n)
{
    dfl_context *ctx = graph->ctx;
    dfl_spline spline = {.n = n, .smoothness = 4, .end_smoothness = 4};
    dfl_status status = check_points(ctx, x, y, n);
    if (status)
        return status;
    spline.x = dfl_alloc(ctx, (size_t)n, sizeof *spline.x);
    spline.coef = dfl_alloc(ctx, COEFS * ((size_t)n + 1), sizeof *spline.coef);
    status =
        spline.x && spline.coef ? dfl_quintic_pieces(spline.coef, ctx, x, y, n) : DFL_NO_MEMORY;
    if (!status) {
        memcpy(spline.x, x, (size_t)n * sizeof *x);
        status = dfl_spline_keep(out, graph, &spline);
    }
    if (status) {
        dfl_free(ctx, spline.coef);
        dfl_free(ctx, spline.x);
    }
    return status;
}

dfl_status dfl_quintic_pieces(double *coef, dfl_context *ctx, const double *x, const double *y,
                              int n)
{
    const size_t count = (size_t)n;
    table tab = {0};
    double *work = dfl_alloc(ctx, count + COEFS * (count + 1), sizeof *work);
    dfl_status status = table_create(&tab, ctx, x, n);
    if (!status && !work)
        status = DFL_NO_MEMORY;
    if (!status && (!interpolate(coef, &tab, y) || !is_accurate(coef, &tab, work, work + count)))
        status = too_uneven(ctx, x, n);
    table_clear(&tab, ctx);
    dfl_free(ctx, work);
    return status;
}

static dfl_status check_points(dfl_context *ctx, const double *x, const double *y, int n)
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

static dfl_status too_uneven(dfl_context *ctx, const double *x, int n)
{
    int narrowest = 0;
    for (int i = 1; i + 1 < n; i++)
        if (x[i + 1] - x[i] < x[narrowest + 1] - x[narrowest])
            narrowest = i;
    return dfl_fail(ctx, DFL_INVALID,
                    "the points of a spline are spaced too unevenly: points %d and %d, at "
                    "x = %.17g and %.17g, are too close together; leave one out",
                    narrowest + 1, narrowest + 2, x[narrowest], x[narrowest + 1]);
}

static dfl_status table_create(table *out, dfl_context *ctx, const double *x, int n)
{
    const size_t intervals = (size_t)n - 1, unknowns = (size_t)n - 3;
    *out = (table){.x = x, .n = n};
    out->slope = dfl_alloc(ctx, intervals, sizeof *out->slope);
    out->third = dfl_alloc(ctx, PARTS * intervals, sizeof *out->third);
    out->G = dfl_alloc(ctx, BAND * unknowns, sizeof *out->G);
    out->scale = dfl_alloc(ctx, unknowns, sizeof *out->scale);
    out->c = dfl_alloc(ctx, unknowns, sizeof *out->c);
    return out->slope && out->third && out->G && out->scale && out->c ? DFL_OK : DFL_NO_MEMORY;
}

static void table_clear(table *tab, dfl_context *ctx)
{
    dfl_free(ctx, tab->c);
    dfl_free(ctx, tab->scale);
    dfl_free(ctx, tab->G);
    dfl_free(ctx, tab->third);
    dfl_free(ctx, tab->slope);
}

/* The pieces of the spline through (x, y); false if they are not finite. */
static bool interpolate(double *coef, table *tab, const double *y)
{
    tab->y = y;
    for (int i = 0; i + 1 < tab->n; i++)
        tab->slope[i] = (y[i + 1] - y[i]) / (tab->x[i + 1] - tab->x[i]);
    if (!third_derivative(tab))
        return false;
    fill_pieces(coef, tab);
    for (size_t i = 0; i < COEFS * ((size_t)tab->n + 1); i++)
        if (!isfinite(coef[i]))
            return false;
    return true;
}

static bool third_derivative(table *tab)
{
    const int unknowns = tab->n - 3;
    memset(tab->third, 0, PARTS * ((size_t)tab->n - 1) * sizeof *tab->third);
    assemble(tab);
    if (!solve_scaled(tab->G, tab->c, tab->scale, unknowns))
        return false;
    for (int j = 0; j < unknowns; j++) {
        double N[PARTS][PARTS];
        ordinates(N, tab->x + j);
        for (int i = 0; i < PARTS; i++)
            for (int k = 0; k < PARTS; k++)
                tab->third[PARTS * (j + i) + k] += tab->c[j] * N[i][k];
    }
    return true;
}

/* The pieces of N on the knots x[0] .. x[3]: N = sum of ordinate k times Bernstein's polynomial
   k. */
static void ordinates(double N[PARTS][PARTS], const double *x)
{
    const double left = (x[1] - x[0]) / (x[2] - x[0]), right = (x[3] - x[2]) / (x[3] - x[1]);
    const double all[PARTS][PARTS] = {{0, 0, left}, {left, 1, right}, {right, 0, 0}};
    memcpy(N, all, sizeof all);
}

/* The lower band of G, and c = 2 (dd_j+1 - dd_j). */
static void assemble(table *tab)
{
    const double *x = tab->x, *slope = tab->slope;
    const int unknowns = tab->n - 3;
    for (int j = 0; j < unknowns; j++) {
        double N[PARTS][PARTS], next[PARTS][PARTS];
        ordinates(N, x + j);
        for (int k = 0; k < BAND; k++) {
            tab->G[BAND * j + k] = 0;
            if (j + k >= unknowns)
                continue;
            ordinates(next, x + j + k);
            tab->G[BAND * j + k] = common_integral(N, next, x + j, k);
        }
        tab->c[j] = 2 * ((slope[j + 2] - slope[j + 1]) / (x[j + 3] - x[j + 1]) -
                         (slope[j + 1] - slope[j]) / (x[j + 2] - x[j]));
    }
}

/* The integral of N, which begins at x[0], and `next`, which begins `distance` knots later. */
static double common_integral(double N[PARTS][PARTS], double next[PARTS][PARTS], const double *x,
                              int distance)
{
    static const double bernstein[PARTS][PARTS] = {
        {6, 3, 1}, {3, 4, 3}, {1, 3, 6}}; /* times 1/30 */
    double sum = 0;
    for (int i = distance; i < PARTS; i++)
        for (int p = 0; p < PARTS; p++)
            for (int q = 0; q < PARTS; q++)
                sum += (x[i + 1] - x[i]) / 30 * bernstein[p][q] * N[i][p] * next[i - distance][q];
    return sum;
}

/* Solves G c = c by Cholesky's method after scaling G to a unit diagonal, which takes out the
   uneven spacing. */
static bool solve_scaled(double *G, double *c, double *scale, int n)
{
    for (int j = 0; j < n; j++)
        scale[j] = 1 / sqrt(G[BAND * j]);
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n && i < j + BAND; i++)
            G[BAND * j + i - j] *= scale[i] * scale[j];
        c[j] *= scale[j];
        if (!isfinite(c[j]))
            return false;
    }
    if (n > 0 && LAPACKE_dpbsv_work(LAPACK_COL_MAJOR, 'L', n, BAND - 1, 1, G, BAND, c, n) != 0)
        return false;
    for (int j = 0; j < n; j++)
        c[j] *= scale[j];
    return true;
}

/* Row i is the piece between knots i-1 and i about knot i; beyond the ends s''' is zero. */
static void fill_pieces(double *coef, const table *tab)
{
    const int n = tab->n;
    for (int i = 0; i <= n; i++, coef += COEFS) {
        const int at = i < n ? i : n - 1, left = at > 0 ? at - 1 : 0;
        const double h = tab->x[left + 1] - tab->x[left], bend = curvature(tab, at);
        const double *z = tab->third + PARTS * left;
        const double inside = at > 0 ? bend / 2 - h * (z[0] + 3 * z[1] + 6 * z[2]) / 60
                                     : -bend / 2 - h * (6 * z[0] + 3 * z[1] + z[2]) / 60;
        coef[0] = tab->y[at];
        coef[1] = tab->slope[left] + h * inside;
        coef[2] = bend / 2;
        coef[3] = coef[4] = coef[5] = 0;
        if (i == 0 || i == n)
            continue;
        coef[3] = z[2] / 6;
        coef[4] = (z[2] - z[1]) / h / 12;
        coef[5] = (z[2] - 2 * z[1] + z[0]) / h / h / 60;
    }
}

/* s'' at knot i: inside from Taylor's formula to both neighbours; at an end from the knot next to
   it. */
static double curvature(const table *tab, int i)
{
    const int inner = i == 0 ? 1 : i == tab->n - 1 ? i - 1 : i;
    const double *z = tab->third + PARTS * (inner - 1), *next = z + PARTS;
    const double h = tab->x[inner] - tab->x[inner - 1], hn = tab->x[inner + 1] - tab->x[inner];
    const double before = h * (z[0] + 3 * z[1] + 6 * z[2]) / 60,
                 after = hn * (6 * next[0] + 3 * next[1] + next[2]) / 60;
    const double bend =
        2 * ((tab->slope[inner] - tab->slope[inner - 1] - hn * after + h * before) / (h + hn));
    if (i < inner)
        return bend - h * (z[0] + z[1] + z[2]) / 3;
    return i > inner ? bend + hn * (next[0] + next[1] + next[2]) / 3 : bend;
}

/* Whether the spline through tab->y is more than the roundings of its table. It is linear in the
   values, so the spline through changes by a unit in the last place, of the largest value, is
   what they do to it; with alternating signs all divided differences are largest. */
static bool is_accurate(const double *coef, table *tab, double *change, double *changed_coef)
{
    const double size = largest_value(tab, coef), length = tab->x[tab->n - 1] - tab->x[0];
    double largest = 0;
    for (int i = 0; i < tab->n; i++)
        largest = fmax(largest, fabs(tab->y[i]));
    for (int i = 0; i < tab->n; i++) {
        change[i] = (i % 2 ? 1 : -1) * DBL_EPSILON * largest;
        if (i > 0 && tab->x[i] - tab->x[i - 1] < least_spacing * length)
            return false;
    }
    return interpolate(changed_coef, tab, change) &&
           largest_value(tab, changed_coef) <= most_lost * size;
}

/* Of the values at knots and in the middle between them. */
static double largest_value(const table *tab, const double *coef)
{
    double largest = fabs(tab->y[0]);
    for (int i = 1; i < tab->n; i++) {
        const double t = -(tab->x[i] - tab->x[i - 1]) / 2;
        double middle = 0;
        for (int k = COEFS - 1; k >= 0; k--)
            middle = middle * t + coef[COEFS * i + k];
        largest = fmax(largest, fmax(fabs(tab->y[i]), fabs(middle)));
    }
    return largest;
}

dfl_status dfl_spline_keep(int *out, dfl_graph *graph, const dfl_spline *spline)
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
