/* table_slopes.c: slopes at the points of a table, for cubics between them.

   Monotone: Fritsch and Butland, A method for constructing local monotone piecewise cubic
   interpolants, SIAM J. Sci. Stat. Comput. 5 (1984): the weighted harmonic mean of the slopes of
   both neighbouring chords, 0 where they differ in sign; at an end the parabola through three
   points, cut to the chord's sign and to three times its slope. Natural: the slopes for which the
   second derivative is continuous, and zero at the ends. Free ends: the third derivative is
   continuous at the points beside the ends instead, which keeps the fourth order. */
#include "symbolic/table_pieces.h"

#include <math.h>

/* own d_end + beside d_next = sum, at an end of a cubic spline. */
typedef struct end_row {
    double own, beside, sum;
} end_row;

static double inner_slope(double h, double hn, double s, double sn);
static double end_slope(double h, double hn, double s, double sn);
static double chord(const double *x, const double *y, int i);
static end_row free_end(double h, double hn, double s, double sn);
static void spline_slopes(double *d, const double *x, const double *y, int n, const end_row *first,
                          const end_row *last, double *work);
static dfl_expr inner_expr(dfl_graph *g, double h, double hn, dfl_expr s, dfl_expr sn);
static dfl_expr end_expr(dfl_graph *g, double h, double hn, dfl_expr s, dfl_expr sn);
static dfl_expr chord_expr(dfl_graph *g, const dfl_axis *axis, const dfl_expr *y, int i);

void dfl_monotone_slopes(double *d, const double *x, const double *y, int n)
{
    const int last = n - 1;
    if (n == 2) {
        d[0] = d[1] = chord(x, y, 0);
        return;
    }
    for (int i = 1; i < last; i++)
        d[i] = inner_slope(x[i] - x[i - 1], x[i + 1] - x[i], chord(x, y, i - 1), chord(x, y, i));
    d[0] = end_slope(x[1] - x[0], x[2] - x[1], chord(x, y, 0), chord(x, y, 1));
    d[last] = end_slope(x[last] - x[last - 1], x[last - 1] - x[last - 2], chord(x, y, last - 1),
                        chord(x, y, last - 2));
}

/* With widths h, hn and chords s, sn on both sides. */
static double inner_slope(double h, double hn, double s, double sn)
{
    const double w = 2 * hn + h, wn = hn + 2 * h;
    if (s == 0 || sn == 0 || (s > 0) != (sn > 0))
        return 0;
    return (w + wn) / (w / s + wn / sn);
}

/* With h and s at the end, hn and sn beside them. */
static double end_slope(double h, double hn, double s, double sn)
{
    const double d = ((2 * h + hn) * s - h * sn) / (h + hn);
    if (d == 0 || s == 0 || (d > 0) != (s > 0))
        return 0;
    const bool turns = sn == 0 || (s > 0) != (sn > 0);
    return turns && fabs(d) > 3 * fabs(s) ? 3 * s : d;
}

static double chord(const double *x, const double *y, int i)
{
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

/* 2 d_0 + d_1 = 3 s_0 at both ends: no curvature. */
void dfl_natural_slopes(double *d, const double *x, const double *y, int n, double *work)
{
    const end_row first = {2, 1, 3 * chord(x, y, 0)}, last = {2, 1, 3 * chord(x, y, n - 2)};
    spline_slopes(d, x, y, n, &first, &last, work);
}

/* C. de Boor, A practical guide to splines, chapter IV: not a knot. */
void dfl_free_end_slopes(double *d, const double *x, const double *y, int n, double *work)
{
    if (n < 4) { /* the polynomial through all points */
        const double s = chord(x, y, 0), h = x[1] - x[0];
        const double bend = n == 3 ? (chord(x, y, 1) - s) / (x[2] - x[0]) : 0;
        for (int i = 0; i < n; i++)
            d[i] = s + bend * (2 * (x[i] - x[0]) - h);
        return;
    }
    const end_row first = free_end(x[1] - x[0], x[2] - x[1], chord(x, y, 0), chord(x, y, 1));
    const end_row last =
        free_end(x[n - 1] - x[n - 2], x[n - 2] - x[n - 3], chord(x, y, n - 2), chord(x, y, n - 3));
    spline_slopes(d, x, y, n, &first, &last, work);
}

/* The third derivative is continuous at the first inner point: with h and s at the end, hn and sn
   beside them. */
static end_row free_end(double h, double hn, double s, double sn)
{
    return (end_row){hn, h + hn, ((h + 2 * (h + hn)) * hn * s + h * h * sn) / (h + hn)};
}

/* Gauss's elimination on a band, between the rows of both ends:
     h_i d_i-1 + 2 (h_i-1 + h_i) d_i + h_i-1 d_i+1 = 3 (h_i s_i-1 + h_i-1 s_i)
   with the widths h and chords s from point i on. */
static void spline_slopes(double *d, const double *x, const double *y, int n, const end_row *first,
                          const end_row *last, double *work)
{
    double *above = work; /* of the eliminated rows, whose diagonal is 1 */
    above[0] = first->beside / first->own;
    d[0] = first->sum / first->own;
    for (int i = 1; i < n - 1; i++) {
        const double h = x[i] - x[i - 1], hn = x[i + 1] - x[i];
        const double below = hn / (h + hn), right = h / (h + hn);
        const double pivot = 2 - below * above[i - 1];
        above[i] = right / pivot;
        d[i] =
            (3 * (below * chord(x, y, i - 1) + right * chord(x, y, i)) - below * d[i - 1]) / pivot;
    }
    d[n - 1] = (last->sum - last->beside * d[n - 2]) / (last->own - last->beside * above[n - 2]);
    for (int i = n - 2; i >= 0; i--)
        d[i] -= above[i] * d[i + 1];
}

void dfl_monotone_slope_exprs(dfl_expr *d, dfl_graph *g, const dfl_axis *axis, const dfl_expr *y)
{
    const double *x = axis->x;
    const int last = axis->n - 1;
    if (last == 1 && axis->outside != DFL_OUTSIDE_REPEAT) {
        d[0] = d[1] = chord_expr(g, axis, y, 0);
        return;
    }
    for (int i = 1; i < last; i++)
        d[i] = inner_expr(g, x[i] - x[i - 1], x[i + 1] - x[i], chord_expr(g, axis, y, i - 1),
                          chord_expr(g, axis, y, i));
    if (axis->outside == DFL_OUTSIDE_REPEAT) {
        d[0] = d[last] = inner_expr(g, x[last] - x[last - 1], x[1] - x[0],
                                    chord_expr(g, axis, y, last - 1), chord_expr(g, axis, y, 0));
        return;
    }
    d[0] =
        end_expr(g, x[1] - x[0], x[2] - x[1], chord_expr(g, axis, y, 0), chord_expr(g, axis, y, 1));
    d[last] = end_expr(g, x[last] - x[last - 1], x[last - 1] - x[last - 2],
                       chord_expr(g, axis, y, last - 1), chord_expr(g, axis, y, last - 2));
}

/* As inner_slope: the mean is (w + wn) s sn / (w sn + wn s). */
static dfl_expr inner_expr(dfl_graph *g, double h, double hn, dfl_expr s, dfl_expr sn)
{
    const double w = 2 * hn + h, wn = hn + 2 * h;
    const dfl_expr product = dfl_mul(g, s, sn);
    const dfl_expr sum =
        dfl_add(g, dfl_mul(g, dfl_constant(g, w), sn), dfl_mul(g, dfl_constant(g, wn), s));
    const dfl_expr mean = dfl_div(g, dfl_mul(g, dfl_constant(g, w + wn), product), sum);
    return dfl_select(g, product, mean, 0);
}

/* As end_slope. */
static dfl_expr end_expr(dfl_graph *g, double h, double hn, dfl_expr s, dfl_expr sn)
{
    const dfl_expr three = dfl_constant(g, 3);
    const dfl_expr d = dfl_sub(g, dfl_mul(g, dfl_constant(g, (2 * h + hn) / (h + hn)), s),
                               dfl_mul(g, dfl_constant(g, h / (h + hn)), sn));
    const dfl_expr along = dfl_mul(g, d, s);
    const dfl_expr excess = dfl_sub(g, along, dfl_mul(g, three, dfl_unary(g, DFL_OP_SQ, s)));
    const dfl_expr cut = dfl_select(g, excess, dfl_mul(g, three, s), d);
    return dfl_select(g, along, dfl_select(g, dfl_mul(g, s, sn), d, cut), 0);
}

static dfl_expr chord_expr(dfl_graph *g, const dfl_axis *axis, const dfl_expr *y, int i)
{
    const double *x = axis->x;
    return dfl_div(g, dfl_sub(g, y[i + 1], y[i]), dfl_constant(g, x[i + 1] - x[i]));
}
