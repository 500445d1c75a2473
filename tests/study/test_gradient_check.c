/* Derivatives of runs judged by differences of runs: right ones agree where values are strongly
   nonlinear, wrong ones do not. */
#include "followed.h"

/* 500 radians later: differences with a thousandth of w compare other periods. */
static const char fast[] = "local w = param('w', 50)\n"
                           "local x = position('x') mass(x, 1) force(x, -w^2*x)\n"
                           "initial{ x = 1, ['der(x)'] = 0 }\n";

/* The verdict on the derivative of x at t = `to` by w, `wrong` times what was found. */
static dfl_agreement judged(const char *text, double to, double tol, double wrong, double want,
                            double *doubt)
{
    const char *of[] = {"x"};
    varied self = {.ctx = dfl_context_create(), .text = text};
    const dfl_variation variation = {.load = load, .user = &self};
    const dfl_choices choices = dfl_choices_none("test: ");
    dfl_gradient gradient = {0};
    dfl_gradient_check check = {0};
    dfl_settings settings;
    dfl_loaded loaded = {0};
    assert_int_equal(load(&loaded, NULL, 0, &self), DFL_OK);
    assert_int_equal(dfl_settings_resolve(&settings, &choices, loaded.run), DFL_OK);
    settings.to = to;
    settings.solver.rtol = settings.solver.atol = tol;
    assert_int_equal(dfl_study_gradient(&gradient, loaded.run, &settings, "w", of, 1,
                                        DFL_DERIVATIVES_DIRECT, &variation, NULL),
                     DFL_OK);
    gradient.gradient[0] *= wrong;
    assert_int_equal(dfl_study_gradient_check(&check, &gradient, &settings, &choices, &variation),
                     DFL_OK);
    const dfl_agreement verdict = check.verdict[0];
    assert_int_equal(verdict, check.worst);
    assert_true(fabs(check.differences[0] - want) <= 10 * check.doubt[0] + 1e-5 * fabs(want) + tol);
    *doubt = check.doubt[0] / fabs(want);
    dfl_gradient_check_clear(&check);
    dfl_gradient_clear(&gradient);
    dfl_loaded_clear(&loaded);
    dfl_context_free(self.ctx);
    return verdict;
}

static void the_step_of_differences_follows_the_curvature(void **state)
{
    (void)state;
    const double want = -10 * sin(500.);
    double doubt;
    assert_int_equal(judged(fast, 10, 1e-8, 1, want, &doubt), DFL_AGREES);
    assert_true(doubt < 1e-5);
    assert_int_equal(judged(fast, 10, 1e-8, 1.001, want, &doubt), DFL_INACCURATE);
}

static void coarse_runs_are_said_to_be_coarse(void **state)
{
    (void)state;
    double doubt;
    /* at this tolerance the period is some percent off */
    assert_int_not_equal(judged(fast, 10, 1e-3, 1, -10 * sin(500.), &doubt), DFL_DISAGREES);
}

/* Runs farther away fail: the root has no values there. */
static void runs_that_fail_are_taken_nearer(void **state)
{
    (void)state;
    static const char edge[] = "local w = param('w', 1)\n"
                               "local x = position('x') mass(x, 1)\n"
                               "force(x, -sqrt(w - 0.9999))\n"
                               "initial{ x = 1, ['der(x)'] = 0 }\n";
    double doubt;
    assert_int_equal(judged(edge, 1, 1e-8, 1, -0.25 / sqrt(1e-4), &doubt), DFL_AGREES);
}

/* A value that constraints keep at zero: what is left of it and of its derivative is rounding. */
static void derivatives_that_vanish_agree(void **state)
{
    (void)state;
    static const char level[] = "local w = param('w', 2)\n"
                                "local p, q = position('p', 'q') mass(p, 1) mass(q, 3)\n"
                                "constraint('level', sin(p) + w*sin(q)) force(p, -9.81*cos(p))\n"
                                "output('x', sin(p) + w*sin(q))\n"
                                "initial{ p = 0.5, ['der(p)'] = 1 } guess{ q = -0.25 }\n";
    double doubt;
    assert_int_equal(judged(level, 3, 1e-8, 1, 0, &doubt), DFL_AGREES);
}

/* The derivative is that of one side, differences are those of both. */
static void what_has_no_derivative_disagrees(void **state)
{
    (void)state;
    static const char kink[] = "local w = param('w', 2)\n"
                               "local x = position('x') mass(x, 1) force(x, max(w, 2))\n"
                               "initial{ x = 1, ['der(x)'] = 0 }\n";
    double doubt;
    assert_int_equal(judged(kink, 1, 1e-8, 1, 0.25, &doubt), DFL_DISAGREES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_of_differences_follows_the_curvature),
        cmocka_unit_test(coarse_runs_are_said_to_be_coarse),
        cmocka_unit_test(runs_that_fail_are_taken_nearer),
        cmocka_unit_test(derivatives_that_vanish_agree),
        cmocka_unit_test(what_has_no_derivative_disagrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
