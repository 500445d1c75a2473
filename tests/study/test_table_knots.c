/* Smooth tables: the third derivative of a natural cubic spline jumps at its points, the fifth of a
   spline of degree 5. Steps end there unless the points are so dense that nothing is lost. */
#include "../scripted.h"

/* 1 + F(y), F through (-1, 0), (0, 1), (1, 0): 2 - 1.5 y^2 + 0.5 |y|^3 up to |y| = 1. */
static double potential(double x)
{
    const double y = x - 0.3, a = fabs(y);
    return y * y - 0.375 * pow(y, 4) + 0.1 * pow(a, 5) +
           0.3 * (2 * y - 0.5 * pow(y, 3) + 0.125 * y * pow(a, 3));
}

static scripted run_at(const char *text, double to, double tol)
{
    scripted s = {.ctx = dfl_context_create()};
    assert_non_null(s.ctx);
    scripted_expect(&s,
                    dfl_script_load_text(&s.model, s.ctx, "test.lua", text, strlen(text), NULL));
    s.model->precision = tol;
    scripted_expect(&s, scripted_prepare(&s));
    scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol});
    scripted_advance(&s, to);
    return s;
}

static void energy_is_kept_over_points_of_the_state(void **state)
{
    (void)state;
    for (double tol = 1e-3; tol > 1e-13; tol *= 0.1) {
        scripted s = run_at("local x = position('x') kinetic(velocity(x)^2/2) initial{x = 0.65}\n"
                            "local K = lookup({-1, 0, 1}, {0, 1, 0}, {kind = 'cubic'})\n"
                            "force(x, -x*(1 + K(x - 0.3)))\n",
                            20, tol);
        const double v = scripted_value(&s, "der(x)");
        assert_near(v * v / 2 + potential(scripted_value(&s, "x")), potential(0.65), 30 * tol);
        scripted_free(&s);
    }
}

/* F through (0, 0), (1, 1), (2, 0) has the integral 1.25, and its mean place is the middle. */
static void points_in_time_are_known(void **state)
{
    (void)state;
    for (double tol = 1e-3; tol > 1e-13; tol *= 0.1) {
        scripted s = run_at("local x = position('x') kinetic(velocity(x)^2/2)\n"
                            "local F = lookup({0, 1, 2}, {0, 1, 0}, {kind = 'cubic'})\n"
                            "force(x, F(time))\n",
                            2, tol);
        assert_near(scripted_value(&s, "der(x)"), 1.25, 1e-14);
        assert_near(scripted_value(&s, "x"), 1.25, 1e-14);
        scripted_free(&s);
    }
}

/* The spline through 11 values of sin(i^2): pieces
   of degree 5, integrated here by Gauss's three points between the knots, which is exact. */
static void a_spline_of_time_is_integrated_exactly(void **state)
{
    (void)state;
    static const char *const text =
        "local x = position('x') kinetic(velocity(x)^2/2)\n"
        "local t, y = {}, {} for i = 0, 10 do t[i + 1] = i y[i + 1] = math.sin(i*i) end\n"
        "local F = spline(t, y) force(x, F(time)) output('F', F(time))\n";
    static const double gauss[] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double weight[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double sum = 0;
    dfl_context *ctx = dfl_context_create();
    dfl_graph *g = NULL;
    double t[11], y[11];
    int number = 0;
    assert_int_equal(dfl_graph_create(&g, ctx, 0), DFL_OK);
    for (int i = 0; i < 11; i++)
        t[i] = i, y[i] = sin(i * i);
    assert_int_equal(dfl_spline_create(&number, g, t, y, 11), DFL_OK);
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 3; k++)
            sum += weight[k] * dfl_spline_value(&g->splines[number], 0, i + gauss[k]);
    dfl_graph_free(g);
    dfl_context_free(ctx);
    for (double tol = 1e-3; tol > 1e-13; tol *= 0.1) {
        scripted s = run_at(text, 10, tol);
        assert_near(scripted_value(&s, "der(x)"), sum, 10 * tol + 1e-13);
        scripted_free(&s);
    }
}

/* 1000 values of a sine: the run is not cut into as many steps, nor does it lose digits. */
static void dense_points_are_stepped_over(void **state)
{
    (void)state;
    scripted s = run_at("local x = position('x') kinetic(velocity(x)^2/2) initial{x = 1}\n"
                        "local t, y = {}, {}\n"
                        "for i = 0, 1000 do t[i + 1] = i/100 y[i + 1] = math.sin(i/50) end\n"
                        "local F = lookup(t, y, {kind = 'cubic'})\n"
                        "force(x, -x + F(time))\n",
                        10, 1e-6);
    assert_true(dfl_solver_statistics(s.solver).accepted < 100);
    /* x'' = -x + sin 2t */
    assert_near(scripted_value(&s, "x"), cos(10) + (2 * sin(10) - sin(20)) / 3, 1e-5);
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_kept_over_points_of_the_state),
        cmocka_unit_test(points_in_time_are_known),
        cmocka_unit_test(a_spline_of_time_is_integrated_exactly),
        cmocka_unit_test(dense_points_are_stepped_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
