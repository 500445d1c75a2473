/* Derivatives of steps of BDF: those of the computed run for fixed steps of every order, and of the
   motion. */
#include "followed.h"

/* Varying masses, dynamic and auxiliary variables; then with redundant constraints, too. */
#define FREE                                                                                       \
    "local L, c = param('L', %.17g), param('c', %.17g)\n"                                          \
    "local x, y, z = position('x', 'y', 'z') mass(x, 1) mass(y, 1) mass(z, 2 + sin(z))\n"          \
    "potential(9.81*y + 15*(z - x)^2 + L*y^4)\n"                                                   \
    "local F = dynamic('F', function(F) return c*(velocity(x) - F/5) end)\n"                       \
    "local w = auxiliary('w', function(w) return w + w^3/10 - z - c/100 end)\n"                    \
    "force(x, -F - w) initial{ x = 0.6*L, z = 0.2, F = 0, ['der(x)'] = 0.3, ['der(z)'] = 0 }\n"    \
    "guess{ y = -0.8 } simulate{ to = 0.5, method = '%s' }\n"
static const char unconstrained[] = FREE;
static const char mixed[] = FREE "constraint('rod', x^2 + y^2 - L^2)\n"
                                 "constraint('again', 2*x^2 + 2*y^2 - 2*L^2)\n";

static const char massless[] =
    "local L, c = param('L', %.17g), param('c', %.17g)\n"
    "local x, y, z = position('x', 'y', 'z') mass(x, 1.3) mass(y, 1.3) force(y, -13)\n"
    "potential(15*(z - x)^2 + c*z^2) constraint('rod', x^2 + y^2 - L^2)\n"
    "force(z, -1.5*velocity(z)*(1 + z^2)) force(x, 0.15*velocity(z))\n"
    "initial{ x = 0.5*L, ['der(x)'] = 0.1, z = 0.2 } guess{ y = -0.5 }\n"
    "simulate{ to = 0.5, method = '%s' }\n";

static found at_values(const char *format, const char *method, double L, double c, double tol,
                       double step)
{
    static const char *const of[] = {"x", "z", "der(z)", NULL};
    char text[2000];
    snprintf(text, sizeof text, format, L, c, method);
    const found at = gradient_by(DFL_DERIVATIVES_DIRECT, text, of, 3, "L,c", 0.5, tol, step);
    assert_string_equal(at.message, "");
    return at;
}

/* Central differences of runs with the same steps: `error` relative. */
static void steps_agree_with_differences(const char *format, const char *method, double error)
{
    const double L = 1, c = 20, d = 1e-4, step = 0.01;
    const found at = at_values(format, method, L, c, 1e-12, step);
    for (int j = 0; j < 2; j++) {
        const double size = j ? c : L, dL = j ? 0 : d * size, dc = j ? d * size : 0;
        const found up = at_values(format, method, L + dL, c + dc, 1e-12, step);
        const found down = at_values(format, method, L - dL, c - dc, 1e-12, step);
        for (int i = 0; i < 3; i++) {
            const double want = (up.value[i] - down.value[i]) / (2 * d * size);
            assert_near(at.gradient[i][j], want, error * fmax(1 / size, fabs(want)));
        }
    }
}

/* Orders above 2 begin with steps of another method. Without constraints the differences agree up
   to their own errors, d^2 and Newton's over d; with constraints the selectors change with the
   parameters, which changes a step by a part of its error. */
static void steps_of_every_order_are_differentiated(void **state)
{
    (void)state;
    static const char *const methods[] = {"bdf1", "bdf2", "bdf3", "bdf4", "bdf5"};
    for (int k = 0; k < 5; k++)
        steps_agree_with_differences(unconstrained, methods[k], 2e-7);
    steps_agree_with_differences(mixed, "bdf3", 1e-4);
    steps_agree_with_differences(mixed, "bdf5", 2e-6);
    steps_agree_with_differences(massless, "bdf4", 1e-4);
}

/* The errors fall with the tolerance, and the gradient is that of the motion. */
static void tolerances_are_kept(void **state)
{
    (void)state;
    const found best = at_values(mixed, "radau", 1, 20, 1e-12, 0);
    const double tolerances[] = {1e-5, 1e-7, 1e-9};
    for (int k = 0; k < 3; k++) {
        const found at = at_values(mixed, "bdf", 1, 20, tolerances[k], 0);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 2; j++)
                assert_near(at.gradient[i][j], best.gradient[i][j],
                            300 * tolerances[k] * fmax(1, fabs(best.gradient[i][j])));
    }
}

/* x = 0 whatever k is; dx/df follows x'' = -k x + f. The steps are those that the derivatives need.
 */
static void derivatives_of_a_rest_are_found(void **state)
{
    (void)state;
    static const char text[] = "local f = param('f', 0) local x = position('x') mass(x, 1)\n"
                               "force(x, f - 4*x) initial{ x = 0, ['der(x)'] = 0 }\n"
                               "simulate{ to = 1, method = 'bdf' }\n";
    static const char *const of[] = {"x", NULL};
    const found at = gradient_of(text, of, 1, "f", 1, 1e-8);
    assert_string_equal(at.message, "");
    assert_near(at.gradient[0][0], (1 - cos(2.0)) / 4, 1e-6);
}

static void instants_are_passed(void **state)
{
    (void)state;
    static const char *const of[] = {"x", "der(x)", NULL};
    static const char ball[] = "local e, g = param('e', 0.7), param('g', 9.81)\n"
                               "local x = position('x') mass(x, 2) force(x, -2*g)\n"
                               "unilateral('floor', x, { restitution = e }) initial{ x = 1 }\n"
                               "simulate{ to = 1.4, method = 'bdf' }\n";
    compare_with_runs(ball, of, 2, "e", 0.7, 1.4);
    compare_with_runs(ball, of, 2, "g", 9.81, 1.4);
    static const char block[] =
        "local k, v, m = param('k', 40), param('v', 0.4), param('m', 1)\n"
        "local x = position('x') mass(x, m) force(x, k*(v*time - x))\n"
        "friction('ground', x, { coefficient = 0.3, static = 0.4, load = m*9.81 })\n"
        "initial{ x = 0 } simulate{ to = 1, method = 'bdf' }\n";
    compare_with_runs(block, of, 2, "k", 40, 1);
    compare_with_runs(block, of, 2, "m", 1, 1);
}

static void sweeps_are_refused(void **state)
{
    (void)state;
    static const char text[] = "local k = param('k', 4) local x = position('x') mass(x, 1)\n"
                               "force(x, -k*x) initial{ x = 1, ['der(x)'] = 0 }\n"
                               "simulate{ to = 1, method = '%s' }\n";
    static const char *const of[] = {"x", NULL};
    char model[300];
    snprintf(model, sizeof model, text, "bdf");
    const found at = gradient_by(DFL_DERIVATIVES_ADJOINT, model, of, 1, "k", 1, 1e-6, 0);
    assert_int_equal(at.status, DFL_INVALID);
    assert_non_null(strstr(at.message, "steps of bdf depend on earlier ones"));
    snprintf(model, sizeof model, text, "trapezoidal");
    refused(model, "x", "k", "radau or bdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_every_order_are_differentiated),
        cmocka_unit_test(tolerances_are_kept), cmocka_unit_test(derivatives_of_a_rest_are_found),
        cmocka_unit_test(instants_are_passed), cmocka_unit_test(sweeps_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
