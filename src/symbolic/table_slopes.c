/* table_slopes.c: slopes at the points of a table, for cubics between them.

   Monotone: Fritsch and Butland, A method for constructing local monotone piecewise cubic
   interpolants, SIAM J. Sci. Stat. Comput. 5 (1984): the weighted harmonic mean of the slopes of
   both neighbouring chords, 0 where they differ in sign; at an end the parabola through three
   points, cut to the chord's sign and to three times its slope. Natural: the slopes for which the
   second derivative is continuous, and zero at the ends. */
#include "symbolic/table_pieces.h"

#include <math.h>

static double inner_slope(double h, double hn, double s, double sn);
static double end_slope(double h, double hn, double s, double sn);
static double chord(const double *x, const double *y, int i);
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

/* Gauss's elimination on a band that is dominated by its diagonal:
     2 d_0 + d_1 = 3 s_0,   h_i d_i-1 + 2 (h_i-1 + h_i) d_i + h_i-1 d_i+1 = 3 (h_i s_i-1 + h_i-1 s_i)
   with the widths h and chords s from point i on. */
void dfl_natural_slopes(double *d, const double *x, const double *y, int n, double *work)
{
    double *above = work; /* of the eliminated rows, whose diagonal is 1 */
    above[0] = 0.5;
    d[0] = 1.5 * chord(x, y, 0);
    for (int i = 1; i < n; i++) {
        const bool last = i == n - 1;
        const double h = x[i] - x[i - 1], hn = last ? 1 : x[i + 1] - x[i];
        const double below = last ? 1 : hn / (h + hn), right = last ? 0 : h / (h + hn);
        const double sum =
            3 * (last ? chord(x, y, i - 1) : below * chord(x, y, i - 1) + right * chord(x, y, i));
        const double pivot = 2 - below * above[i - 1];
        above[i] = right / pivot;
        d[i] = (sum - below * d[i - 1]) / pivot;
    }
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
