/* Modified divided differences: on any grid, what is predicted and interpolated of a polynomial is
   the polynomial, and with constant steps the coefficients are the well-known ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "integrate/history.h"

/* 1 + t + ... + t^k and its slope */
static double polynomial(double t, int k)
{
    double sum = 0;
    for (int i = k; i >= 0; i--)
        sum = sum * t + 1;
    return sum;
}

static double slope(double t, int k)
{
    double sum = 0;
    for (int i = k; i >= 1; i--)
        sum = sum * t + i;
    return sum;
}

/* A past of `steps` uneven steps on the polynomial of degree k, the degree of the prediction rising
   to k. */
static double follow(dfl_history *past, int k, int steps)
{
    const double size[] = {0.1, 0.15, 0.08, 0.2, 0.11, 0.05, 0.13, 0.1};
    double t = 0.2, x = polynomial(t, k), xp = slope(t, k);
    dfl_history_start(past, 1, &x, &xp);
    for (int i = 0; i < steps; i++) {
        double x0, xp0;
        dfl_history_prepare(past, size[i], i + 1 < k ? i + 1 : k);
        dfl_history_predict(&x0, &xp0, past);
        t += size[i];
        const double e = polynomial(t, k) - x0;
        dfl_history_add(past, &e);
    }
    return t;
}

static void polynomials_are_predicted_and_interpolated_exactly(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++) {
        dfl_context *ctx = dfl_context_create();
        dfl_history past = {0};
        assert_int_equal(dfl_history_init(&past, ctx, 1, DFL_DIFFERENCES), DFL_OK);
        const double t = follow(&past, k, 7), h = 0.17;
        double x0, xp0, x;
        dfl_history_prepare(&past, h, k);
        dfl_history_predict(&x0, &xp0, &past);
        assert_true(fabs(x0 - polynomial(t + h, k)) < 1e-12 * x0);
        assert_true(fabs(xp0 - slope(t + h, k)) < 1e-11 * xp0);
        for (int i = 0; i <= 4; i++) {
            dfl_history_interpolate(&x, &past, -0.04 * i, k);
            assert_true(fabs(x - polynomial(t - 0.04 * i, k)) < 1e-12 * x);
        }
        dfl_history_clear(&past, ctx);
        assert_int_equal(dfl_context_live(ctx), 0);
        dfl_context_free(ctx);
    }
}

/* sigma_{k+1} = 1/(k + 1), the error constant; sum alpha_i = 1 + 1/2 + ... + 1/k, the leading
   coefficient. */
static void constant_steps_have_the_coefficients_of_bdf(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_history past = {0};
    const double x = 1, xp = 0;
    assert_int_equal(dfl_history_init(&past, ctx, 1, DFL_DIFFERENCES), DFL_OK);
    dfl_history_start(&past, 1, &x, &xp);
    for (int i = 0; i < 8; i++) {
        const double e = 0;
        dfl_history_prepare(&past, 0.01, 5);
        dfl_history_add(&past, &e);
    }
    for (int k = 1; k <= 5; k++) {
        dfl_history_prepare(&past, 0.01, k);
        assert_true(fabs(past.sigma[k] - 1.0 / (k + 1)) < 1e-12);
        assert_true(fabs(past.alpha[k] - 1.0 / (k + 1)) < 1e-12);
        assert_true(fabs(past.beta[k] - 1) < 1e-12);
    }
    dfl_history_clear(&past, ctx);
    dfl_context_free(ctx);
}

/* An attempt changes nothing: the step may be prepared again with another size and degree. */
static void attempts_leave_no_trace(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_history past = {0};
    assert_int_equal(dfl_history_init(&past, ctx, 1, DFL_DIFFERENCES), DFL_OK);
    follow(&past, 4, 6);
    double first, again, unused;
    dfl_history_prepare(&past, 0.1, 4);
    dfl_history_predict(&first, &unused, &past);
    dfl_history_prepare(&past, 0.9, 2);
    dfl_history_predict(&again, &unused, &past);
    assert_true(again != first);
    dfl_history_prepare(&past, 0.1, 4);
    dfl_history_predict(&again, &unused, &past);
    assert_true(again == first);
    dfl_history_clear(&past, ctx);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_are_predicted_and_interpolated_exactly),
        cmocka_unit_test(constant_steps_have_the_coefficients_of_bdf),
        cmocka_unit_test(attempts_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
