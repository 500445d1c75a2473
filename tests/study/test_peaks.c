#define _POSIX_C_SOURCE 200809L
/* maximum(...) of optimize{} at kinks and jumps: derivatives against extrapolated differences of
   runs, direct and by a sweep backwards. */
#include "optimum.h"

typedef struct peak_slope {
    double objective, slope;
} peak_slope;

/* Of the model, a format of the parameter's value, whose bounds are one below and above it; the
   search ends at once. */
static peak_slope at_value(const char *model, double p, dfl_derivatives_how how)
{
    char text[3000];
    snprintf(text, sizeof text, model, p, p - 1, p + 1);
    const found at = optimum_from(text, &(dfl_search_options){.derivatives = how});
    assert_string_equal(at.message, "");
    return (peak_slope){at.objective, at.slope / 2};
}

static double difference(const char *model, double p, double h)
{
    return (at_value(model, p + h, DFL_DERIVATIVES_DIRECT).objective -
            at_value(model, p - h, DFL_DERIVATIVES_DIRECT).objective) /
           (2 * h);
}

static void check_peak(const char *model, double p)
{
    const double direct = at_value(model, p, DFL_DERIVATIVES_DIRECT).slope;
    const double adjoint = at_value(model, p, DFL_DERIVATIVES_ADJOINT).slope;
    const double wide = difference(model, p, 2e-3), narrow = difference(model, p, 1e-3);
    const double expected = fabs((4 * narrow - wide) / 3);
    assert_near(direct, expected, 1e-6 * (1 + expected));
    assert_near(adjoint, direct, 1e-9 * (1 + expected));
}

#define VARIED " tolerance = 1e30, vary = { p = {%.17g, %.17g} } }\n"
#define SWING                                                                                      \
    "local p = param('p', %.17g) local x = position('x') mass(x, 1) force(x, 0.5*p - x)\n"         \
    "initial{ x = 1 + p, ['der(x)'] = 0 } simulate{ to = 1.9, rtol = 1e-10 }\n"

static void at_kinks_of_the_expression(void **state)
{
    (void)state;
    check_peak(SWING
               "optimize{ minimize = maximum(p^2 + 0.3*velocity(x) - 3*abs(x - 0.3*p)),\n" VARIED,
               1);
}

/* Largest before, then after the instant. */
static void at_jumps_of_the_expression(void **state)
{
    (void)state;
    check_peak(
        SWING
        "optimize{ minimize = maximum(select(x - 0.3, 3 - x + p*velocity(x)^2, 0.1*p)),\n" VARIED,
        1);
    check_peak(
        SWING
        "optimize{ minimize = maximum(select(x - 0.3, 0.1*p, 4 + x + p*velocity(x))),\n" VARIED,
        1);
}

/* A rope whose load changes: its force jumps, its speed has a kink. */
#define ROPE                                                                                       \
    "local p = param('p', %.17g) local x, y = position('x', 'y') mass(x, 1) mass(y, 0.1)\n"        \
    "force(x, select(0.3*x - 0.2, -4*p, 5)) force(y, -p*y)\n"                                      \
    "local l = constraint('rope', x^2 + y - 1) initial{ x = 0, ['der(x)'] = 0.2 }\n"               \
    "simulate{ to = 1.2, rtol = 1e-10 }\n"
static void of_forces_and_speeds_at_switches(void **state)
{
    (void)state;
    check_peak(ROPE "optimize{ minimize = maximum(velocity(x)*(1 + 0.1*p)),\n" VARIED, 1);
    check_peak(ROPE "optimize{ minimize = maximum(p*multiplier(l)),\n" VARIED, 1);
}

static void at_samples(void **state)
{
    (void)state;
    check_peak("local p = param('p', %.17g) local x = position('x') local u = discrete('u', 0)\n"
               "mass(x, 1) force(x, u) initial{ x = 1, ['der(x)'] = 0 }\n"
               "sample('control', { period = 0.05, set = { [u] = -20*p*x - 3*velocity(x) } })\n"
               "simulate{ to = 0.5, rtol = 1e-10 }\n"
               "optimize{ minimize = maximum(u*x + 20*p*x*x + p*x),\n" VARIED,
               1);
}

#define BALL                                                                                       \
    "local p = param('p', %.17g) local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"          \
    "force(y, -9.81) force(x, -0.3*velocity(x)) unilateral('floor', y, { restitution = 0.8*p })\n" \
    "initial{ x = 0, y = 1.3*p, ['der(x)'] = 2, ['der(y)'] = 0 } simulate{ to = 0.9, rtol = "      \
    "1e-10 }\n"

static void at_a_bounce(void **state)
{
    (void)state;
    check_peak(BALL "optimize{ minimize = maximum(velocity(y) + p*x),\n" VARIED, 1);
    check_peak(BALL "optimize{ minimize = maximum(-velocity(y) + p*x),\n" VARIED, 1);
}

static void at_events(void **state)
{
    (void)state;
    check_peak(SWING "event('kick', x - 0.3*p, { set = { [velocity(x)] = -0.5*p*velocity(x) } })\n"
                     "optimize{ minimize = maximum(velocity(x)^2 + p),\n" VARIED,
               1);
    check_peak(SWING "event('hit', x - 0.3*p, { stop = true })\n"
                     "optimize{ minimize = maximum(velocity(x)^2 + p),\n" VARIED,
               1);
}

/* 2 + p/2 before, 2 - p/2 after an instant: p = 0 is a corner. */
static void a_tie_is_refused(void **state)
{
    (void)state;
    const found at =
        optimum_of("local p = param('p', 0) local x = position('x') mass(x, 1) force(x, -x)\n"
                   "initial{ x = 1, ['der(x)'] = 0 } simulate{ to = 1.9, rtol = 1e-9 }\n"
                   "optimize{ minimize = maximum(select(x - 0.5, 2.5 - x + p*x, 1 + 2*x - p*x)),\n"
                   "  vary = { p = {-1, 1} } }\n");
    assert_int_equal(at.status, DFL_INVALID);
    assert_non_null(strstr(at.message, "the same on both sides"));
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_kinks_of_the_expression),
                                       cmocka_unit_test(at_jumps_of_the_expression),
                                       cmocka_unit_test(of_forces_and_speeds_at_switches),
                                       cmocka_unit_test(at_samples),
                                       cmocka_unit_test(at_a_bounce),
                                       cmocka_unit_test(at_events),
                                       cmocka_unit_test(a_tie_is_refused)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_folder();
    return failed;
}
