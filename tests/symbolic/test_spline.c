/* test_spline.c: the natural quintic spline against its defining properties and a known
   solution. */
#include "random_expr.h"

/* A graph with one spline. */
typedef struct table {
    dfl_context *ctx;
    dfl_graph *g;
    const dfl_spline *s;
} table;

static table open_table(const double *x, const double *y, int n)
{
    table t = {.ctx = dfl_context_create()};
    int number = -1;
    assert_int_equal(dfl_graph_create(&t.g, t.ctx, 0), DFL_OK);
    const dfl_status status = dfl_spline_create(&number, t.g, x, y, n);
    if (status)
        fail_msg("%s", dfl_message(t.ctx));
    assert_int_equal(number, 0);
    t.s = &t.g->splines[0];
    return t;
}

static void close_table(table *t)
{
    dfl_graph_free(t->g);
    assert_int_equal(dfl_context_live(t->ctx), 0);
    dfl_context_free(t->ctx);
}

/* A derivative of row `row`'s polynomial: the limit from its own side at any x. */
static double piece(const dfl_spline *s, int row, int derivative, double x)
{
    const double t = x - s->x[row < s->n ? row : s->n - 1];
    double sum = 0;
    for (int k = 5; k >= derivative; k--) {
        double factor = s->coef[6 * row + k];
        for (int i = 0; i < derivative; i++)
            factor *= k - i;
        sum = sum * t + factor;
    }
    return sum;
}

/* The size of derivative d near knot i as rounding sees it: of all derivatives in the intervals
   beside it, brought to the same unit by their widths. */
static double local_size(const dfl_spline *s, int i, int d)
{
    double size = 0;
    for (int row = i; row <= i + 1; row++) {
        if (row == 0 || row == s->n)
            continue;
        const double width = s->x[row] - s->x[row - 1];
        for (int k = 0; k <= 5; k++)
            size = fmax(size, fabs(piece(s, row, k, s->x[i])) * pow(width, k - d));
    }
    return size;
}

/* Interpolation exactly; derivatives up to the fourth agree from both sides of every knot. Beyond
   the table the pieces are quadratics, so this includes s''' = s'''' = 0 at the ends. */
static void assert_natural(const dfl_spline *s, const double *y, double tolerance)
{
    for (int i = 0; i < s->n; i++)
        assert_true(dfl_spline_value(s, 0, s->x[i]) == y[i]);
    for (int row = 0; row <= s->n; row += s->n)
        for (int k = 3; k < 6; k++)
            assert_true(s->coef[6 * row + k] == 0);
    for (int d = 0; d <= 4; d++) {
        for (int i = 0; i < s->n; i++) {
            const double left = piece(s, i, d, s->x[i]), right = piece(s, i + 1, d, s->x[i]);
            const double size = local_size(s, i, d);
            if (!(fabs(left - right) <= tolerance * size))
                fail_msg("derivative %d jumps by %g of %g at knot %d", d, right - left, size, i);
        }
    }
}

static void random_tables_are_interpolated_smoothly(void **state)
{
    (void)state;
    enum { MOST = 60 };
    uint64_t random = 77777;
    for (int k = 0; k < 300; k++) {
        double x[MOST], y[MOST];
        const int n = 3 + random_below(&random, MOST - 3);
        const double unit = pow(10, random_between(&random, -8, 8));
        x[0] = unit * random_between(&random, -5, 5);
        y[0] = random_between(&random, -1, 1);
        for (int i = 1; i < n; i++) {
            x[i] = x[i - 1] + unit * random_between(&random, 0.2, 2);
            y[i] = random_between(&random, -1, 1);
        }
        table t = open_table(x, y, n);
        assert_natural(t.s, y, 1e-10); /* some thousand roundings */
        close_table(&t);
    }
}

/* A million to one in spacing. */
static void uneven_tables_are_interpolated_smoothly(void **state)
{
    (void)state;
    const double x[] = {0, 1e-3, 1, 1 + 1e-6, 1 + 3e-6, 2, 5, 100}, y[] = {0, 1, 2, 3, 5, 4, 1, 0};
    table t = open_table(x, y, 8);
    assert_natural(t.s, y, 1e-10);
    close_table(&t);
}

static void long_tables_are_interpolated_smoothly(void **state)
{
    (void)state;
    enum { N = 5000 };
    static double x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = 1000 + 0.01 * i;
        y[i] = sin(x[i]);
    }
    table t = open_table(x, y, N);
    assert_natural(t.s, y, 1e-10);
    /* away from the ends the error of a quintic spline is some h^6/6! of the sixth derivative, here
       below rounding; differentiating loses a factor 100 = 1/h each time */
    for (int i = N / 4; i < 3 * N / 4; i += 7) {
        const double at = x[i] + 0.004;
        assert_true(fabs(dfl_spline_value(t.s, 0, at) - sin(at)) < 1e-12);
        assert_true(fabs(dfl_spline_value(t.s, 1, at) - cos(at)) < 1e-9);
        assert_true(fabs(dfl_spline_value(t.s, 2, at) + sin(at)) < 1e-7);
    }
    close_table(&t);
}

/* Halving the spacing divides the error inside by 64. */
static void the_error_is_of_sixth_order(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        double x[81], y[81];
        const int n = k ? 81 : 41;
        for (int i = 0; i < n; i++) {
            x[i] = -10 + 20.0 * i / (n - 1);
            y[i] = exp(-x[i] * x[i] / 4); /* vanishes at the ends: they do not matter */
        }
        table t = open_table(x, y, n);
        error[k] = 0;
        for (double at = -3; at < 3; at += 0.01)
            error[k] = fmax(error[k], fabs(dfl_spline_value(t.s, 0, at) - exp(-at * at / 4)));
        close_table(&t);
    }
    assert_true(error[0] / error[1] > 50 && error[0] / error[1] < 90);
}

/* Three points: the parabola. Any number of points of a parabola: the parabola, inside and
   beyond. */
static void parabolas_are_reproduced(void **state)
{
    (void)state;
    const double x[] = {-1, 0.5, 2, 2.5, 7};
    double y[5];
    for (int i = 0; i < 5; i++)
        y[i] = 3 - 2 * x[i] + 0.5 * x[i] * x[i];
    for (int n = 3; n <= 5; n++) {
        table t = open_table(x, y, n);
        for (double at = -20; at <= 20; at += 0.37) {
            const double exact[] = {3 - 2 * at + 0.5 * at * at, at - 2, 1, 0, 0, 0, 0};
            for (int d = 0; d <= 6; d++)
                assert_true(fabs(dfl_spline_value(t.s, d, at) - exact[d]) < 1e-11);
        }
        close_table(&t);
    }
}

static void assert_refused(const double *x, const double *y, int n, const char *expected)
{
    dfl_context *ctx = dfl_context_create();
    dfl_graph *g = NULL;
    int number;
    assert_int_equal(dfl_graph_create(&g, ctx, 0), DFL_OK);
    assert_int_equal(dfl_spline_create(&number, g, x, y, n), DFL_INVALID);
    if (!strstr(dfl_message(ctx), expected))
        fail_msg("'%s' is not in '%s'", expected, dfl_message(ctx));
    assert_int_equal(g->nsplines, 0);
    dfl_graph_free(g);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* The largest error between the points, as a part of the largest value. */
static double error_of(const dfl_spline *s, double (*exact)(double x))
{
    double error = 0, size = 0;
    for (int i = 1; i < s->n; i++)
        for (int k = 1; k < 8; k++) {
            const double at = s->x[i - 1] + (s->x[i] - s->x[i - 1]) * k / 8;
            error = fmax(error, fabs(dfl_spline_value(s, 0, at) - exact(at)));
            size = fmax(size, fabs(exact(at)));
        }
    return error / size;
}

static double line(double x)
{
    return 3 * x - 2;
}

static double parabola(double x)
{
    return x * x - 5 * x + 1;
}

/* Points that all but coincide. A second derivative from three of them 1e-6 apart would be
   rounding: 1e-16 / (1e-6)^2 = 1e-4. */
static void near_points_cost_no_accuracy(void **state)
{
    (void)state;
    const double near_zero[] = {0, 1e-7, 1, 2, 3}, pair[] = {0, 1, 2, 2 + 1e-6, 3, 4},
                 triple[] = {0, 1, 1 + 1e-6, 1 + 2e-6, 2, 3};
    double y[6];
    table t = open_table(near_zero, near_zero, 5);
    for (double at = -1; at < 4; at += 0.125) {
        assert_true(fabs(dfl_spline_value(t.s, 0, at) - at) < 1e-14);
        assert_true(fabs(dfl_spline_value(t.s, 1, at) - 1) < 1e-14);
    }
    close_table(&t);
    for (int i = 0; i < 6; i++)
        y[i] = parabola(pair[i]);
    t = open_table(pair, y, 6);
    assert_true(error_of(t.s, parabola) < 1e-9);
    close_table(&t);
    for (int i = 0; i < 6; i++)
        y[i] = line(triple[i]);
    assert_refused(triple, y, 6, "points 2 and 3");
}

/* Spacings over eight orders of magnitude. On a grid of 2^-26 the values are exact, as are then all
   divided differences; elsewhere they are rounded, and a table is refused where the estimate of
   that exceeds 1e-6. */
static void lines_and_parabolas_are_reproduced_at_any_spacing(void **state)
{
    (void)state;
    enum { MOST = 30 };
    const double grid = 0x1p-26;
    uint64_t random = 4711;
    int accepted = 0, refused = 0;
    for (int k = 0; k < 2000; k++) {
        double x[MOST] = {0}, y[MOST];
        const int n = 4 + random_below(&random, MOST - 4);
        const bool exact = k % 2;
        double (*const function)(double) = k % 4 < 2 ? line : parabola;
        x[0] = exact ? 0 : random_between(&random, -1, 1);
        for (int i = 1; i < n; i++) {
            const double h = pow(10, random_between(&random, -8, 0));
            x[i] = x[i - 1] + (exact ? grid * ceil(h / MOST / grid) : h);
        }
        for (int i = 0; i < n; i++)
            y[i] = function(x[i]);
        dfl_context *ctx = dfl_context_create();
        dfl_graph *g = NULL;
        int number;
        assert_int_equal(dfl_graph_create(&g, ctx, 0), DFL_OK);
        const dfl_status status = dfl_spline_create(&number, g, x, y, n);
        accepted += !status;
        refused += status == DFL_INVALID;
        if (!status && !(error_of(&g->splines[0], function) < (exact ? 1e-9 : 1e-5)))
            fail_msg("table %d is off by %g", k, error_of(&g->splines[0], function));
        dfl_graph_free(g);
        dfl_context_free(ctx);
    }
    assert_int_equal(accepted + refused, 2000);
    assert_true(accepted > 200 && refused > 200);
}

/* Points (-1, 0), (0, 1), (1, 0), by hand: s''' is piecewise quadratic, zero with its slope at both
   ends, and even data make it odd, so three points give the parabola 1 - x^2. With a fourth point
   it is no longer one; then the least integral of (s''')^2 is checked against every single change
   of the slopes by a function that vanishes at the knots: (x-x0)(x-x1)(x-x2)(x-x3) on the table. */
static void the_integral_of_the_third_derivative_is_least(void **state)
{
    (void)state;
    const double x[] = {-1, 0, 1, 3}, y[] = {0, 1, 0, 2};
    table t = open_table(x, y, 4);
    /* stationary: the integral of s''' w''' over the table is zero for w of any such form times
       x^k */
    for (int k = 0; k < 4; k++) {
        double integral = 0, size = 0;
        for (int i = 1; i < 4; i++) {
            const int m = 2000; /* midpoints; the integrand is a polynomial of degree at most 9 */
            const double width = (x[i] - x[i - 1]) / m;
            for (int j = 0; j < m; j++) {
                const double at = x[i - 1] + (j + 0.5) * width;
                /* (x+1) x (x-1) (x-3) x^k = x^(k+4) - 3 x^(k+3) - x^(k+2) + 3 x^(k+1) */
                const double c[] = {3, -1, -3, 1};
                double third = 0;
                for (int e = 0; e < 4; e++) {
                    const int p = k + 1 + e;
                    if (p >= 3)
                        third += c[e] * p * (p - 1) * (p - 2) * pow(at, p - 3);
                }
                const double product = third * dfl_spline_value(t.s, 3, at) * width;
                integral += product;
                size += fabs(product);
            }
        }
        assert_true(fabs(integral) < 1e-5 * size); /* midpoint rule: width^2 = 1e-6 */
    }
    close_table(&t);
}

static void a_spline_expression_is_shared_folded_and_ends_at_the_sixth_derivative(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 4}, y[] = {0, 1, 4, 5};
    table t = open_table(x, y, 4);
    const dfl_expr q = dfl_symbol_expr(t.g, DFL_SYM_P, 0, "q");
    const dfl_expr e = dfl_spline_expr(t.g, 0, 0, q);
    assert_int_equal(e, dfl_spline_expr(t.g, 0, 0, q));
    assert_int_not_equal(e, dfl_spline_expr(t.g, 0, 1, q));
    assert_int_equal(dfl_spline_expr(t.g, 0, 6, q), 0);
    assert_int_equal(dfl_spline_expr(t.g, 0, 0, dfl_constant(t.g, 2)), dfl_constant(t.g, 4));
    assert_true(isnan(dfl_spline_value(t.s, 0, NAN)));
    close_table(&t);
}

static void bad_tables_are_refused_by_name(void **state)
{
    (void)state;
    const double up[] = {0, 1, 2, 3}, y[] = {0, 0, 0, 0};
    const double equal[] = {0, 1, 1, 3}, down[] = {0, 2, 1, 3}, nan[] = {0, 1, NAN, 3};
    const double infinite[] = {0, INFINITY, 0, 0}, narrow[] = {0, 1e-200, 1, 2};
    const double rises[] = {0, 1, 0, 1};
    assert_refused(up, y, 2, "at least 3");
    assert_refused(up, y, 0, "at least 3");
    assert_refused(equal, y, 4, "points 2 and 3");
    assert_refused(down, y, 4, "points 2 and 3");
    assert_refused(nan, y, 4, "point 3");
    assert_refused(up, infinite, 4, "point 2");
    assert_refused(narrow, rises, 4, "points 1 and 2");
}

static void a_spline_survives_every_failed_allocation(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 4}, y[] = {0, 1, 4, 5};
    dfl_status status = DFL_NO_MEMORY;
    for (int n = 0; status; n++) {
        dfl_context *ctx = dfl_context_create();
        dfl_graph *g = NULL;
        int number;
        assert_int_equal(dfl_graph_create(&g, ctx, 0), DFL_OK);
        dfl_context_fail_after(ctx, n);
        status = dfl_spline_create(&number, g, x, y, 4);
        assert_true(status == DFL_OK || status == DFL_NO_MEMORY);
        dfl_graph_free(g);
        assert_int_equal(dfl_context_live(ctx), 0);
        dfl_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tables_are_interpolated_smoothly),
        cmocka_unit_test(uneven_tables_are_interpolated_smoothly),
        cmocka_unit_test(long_tables_are_interpolated_smoothly),
        cmocka_unit_test(the_error_is_of_sixth_order),
        cmocka_unit_test(parabolas_are_reproduced),
        cmocka_unit_test(near_points_cost_no_accuracy),
        cmocka_unit_test(lines_and_parabolas_are_reproduced_at_any_spacing),
        cmocka_unit_test(the_integral_of_the_third_derivative_is_least),
        cmocka_unit_test(a_spline_expression_is_shared_folded_and_ends_at_the_sixth_derivative),
        cmocka_unit_test(bad_tables_are_refused_by_name),
        cmocka_unit_test(a_spline_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
