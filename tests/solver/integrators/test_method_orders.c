/* The orders of BDF, trapezoidal and midpoint rule with fixed steps and Newton iterated to
   rounding.

   In psf all unknowns of index 1 have the order of the method: p and v are integrated, the
   multipliers are functions of them. In psi1 the multipliers are of index 2: with BDF of order k
   they keep order k (Brenan, Campbell and Petzold 1996, section 3.2.3); with the trapezoidal
   rule they keep order 2 when they start right; with the midpoint rule they belong to the middle
   of the step and have order 1. */
#include "evidence.h"

/* Errors lie between 1e-2 and 1e-8: below the leading term's onset and far above the references'
   accuracy. */
static const study second[] = {{"pendulum", 3, {400, 560, 800, 1120}, 0}, /* M constant, exact */
                               {"top", 0, {200, 280, 400, 560}, 0},       /* quaternion, np > nv */
                               {"slidercrank", 0, {2000, 2800, 4000, 5600}, 0}, /* M(p) */
                               {"sleigh", 0, {200, 280, 400, 560}, 0}};         /* nonholonomic */
static const study first[] = {{"pendulum", 3, {4000, 5600, 8000, 11200}, 0},
                              {"top", 0, {1000, 1400, 2000, 2800}, 0}};
static const study higher[] = {{"pendulum", 3, {280, 400, 560, 800}, 0},
                               {"top", 0, {160, 224, 320, 448}, 0}};

/* rtol and newton_tolerance ask for increments of 1e-14 of x. */
static errors orders(const study *s, dfl_solver_options method)
{
    method.rtol = 1e-6;
    method.newton.iterations = 50;
    method.newton.tolerance = 1e-8;
    return orders_of(s, &method);
}

static void assert_within(double value, double expected)
{
    if (!(fabs(value - expected) <= 0.05 * expected + 0.1))
        fail_msg("the observed order is %.2f, not about %g", value, expected);
}

static void assert_orders(errors found, double p, double v, double l)
{
    assert_within(found.position, p);
    assert_within(found.velocity, v);
    assert_within(found.multiplier, l);
}

static void methods_of_second_order_have_it_in_psf(void **state)
{
    (void)state;
    /* unit selectors: two problems; a change of them in the slider-crank spoils the leading term */
    for (size_t i = 0; i < sizeof second / sizeof *second; i++)
        for (int unit = 0; unit < (i < 2 ? 2 : 1); unit++)
            for (int m = DFL_BDF; m <= DFL_MIDPOINT; m++) {
                const dfl_solver_options method = {.integrator = (dfl_integrator)m,
                                                   .order = m == DFL_BDF ? 2 : 0,
                                                   .constraints.selectors =
                                                       unit ? DFL_UNIT : DFL_ORTHOGONAL};
                assert_orders(orders(&second[i], method), 2, 2, 2);
            }
}

static void methods_of_second_order_have_it_in_psi1(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof second / sizeof *second; i++)
        for (int m = DFL_BDF; m <= DFL_MIDPOINT; m++) {
            const dfl_solver_options method = {
                .integrator = (dfl_integrator)m, .order = m == DFL_BDF ? 2 : 0, .form = DFL_PSI1};
            assert_orders(orders(&second[i], method), 2, 2, m == DFL_MIDPOINT ? 1 : 2);
        }
}

static void bdf_has_the_order_that_is_asked_for(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++)
        for (int i = 0; i < 2; i++)
            for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
                const dfl_solver_options method = {
                    .integrator = DFL_BDF, .order = k, .form = (dfl_form)form};
                assert_orders(orders(k == 1 ? &first[i] : &higher[i], method), k, k, k);
            }
}

/* Forms that keep all rows: the trapezoidal rule takes x' from step to step there. The midpoint
   rule has multipliers of order 1 in forms without gII, or with v' in it, which belong to the
   middle of the step. */
static void other_forms_have_second_order_too(void **state)
{
    (void)state;
    const dfl_form forms[] = {DFL_EOM,    DFL_EOM2, DFL_EOM1,    DFL_GGL,       DFL_ODAE,
                              DFL_EXT317, DFL_PINV, DFL_TANGENT, DFL_PARTITION, DFL_IMPLICIT};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int m = DFL_BDF; m <= DFL_MIDPOINT; m++) {
            const dfl_solver_options method = {
                .integrator = (dfl_integrator)m, .order = m == DFL_BDF ? 2 : 0, .form = forms[f]};
            const bool mean = forms[f] == DFL_EOM || forms[f] == DFL_EOM2 || forms[f] == DFL_GGL ||
                              forms[f] == DFL_EOM1 || forms[f] == DFL_PINV;
            assert_orders(orders(&second[0], method), 2, 2, m == DFL_MIDPOINT && mean ? 1 : 2);
        }
}

/* The state of the pendulum at t = 0.25 + tau; with `method`, its continuous output there after
   six steps of size h. */
static void pendulum_after(double *x, double tau, const dfl_solver_options *method, double h)
{
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    dfl_solver_options options = {.rtol = 1e-13};
    if (method) {
        options = *method;
        options.rtol = 1e-6;
        options.newton.iterations = 50;
        options.newton.tolerance = 1e-8;
        options.step.fixed = h;
    }
    memcpy(prob.x0, prob.references[0].x, 5 * sizeof *x);
    prob.t0 = prob.references[0].t;
    run r;
    run_start(&r, &prob, &options);
    run_to(&r, prob.t0 + (method ? 6 * h : tau));
    assert_int_equal(dfl_solver_interpolate(x, r.solver, prob.t0 + tau, false), DFL_OK);
    run_free(&r);
}

/* The polynomial through the last k + 1 points misses the motion by h^(k+1), and these points
   are wrong by h^(k+1) after a few steps: so is the continuous output. BDF of order 2 begins
   with a straight past, which is wrong by h^2. */
static void dense_output_has_one_order_more_than_the_method(void **state)
{
    (void)state;
    const dfl_solver_options methods[] = {
        {.integrator = DFL_BDF, .order = 1}, {.integrator = DFL_BDF, .order = 2},
        {.integrator = DFL_BDF, .order = 3}, {.integrator = DFL_BDF, .order = 4},
        {.integrator = DFL_BDF, .order = 5}, {.integrator = DFL_TRAPEZOIDAL},
        {.integrator = DFL_MIDPOINT}};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const int k = methods[m].order ? methods[m].order : 2;
        study s = {"pendulum", 0, {0}, 0};
        double error[STUDY_STEPS];
        for (int i = 0; i < STUDY_STEPS; i++) {
            s.steps[i] = (k > 3 ? 60 : 200) << i;
            const double h = 1.0 / s.steps[i];
            double x[5], y[5];
            pendulum_after(x, 5.4 * h, &methods[m], h);
            pendulum_after(y, 5.4 * h, NULL, 0);
            error[i] = error_between(x, y, 1, 5);
        }
        print_message("%s%d: dense output of order %.2f, errors %.1e .. %.1e\n",
                      dfl_integrator_name(methods[m].integrator), methods[m].order,
                      slope_of(s.steps, error, STUDY_STEPS), error[0], error[STUDY_STEPS - 1]);
        const bool straight = methods[m].integrator == DFL_BDF && k == 2;
        assert_within(slope_of(s.steps, error, STUDY_STEPS), straight ? 2 : k + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_of_second_order_have_it_in_psf),
        cmocka_unit_test(methods_of_second_order_have_it_in_psi1),
        cmocka_unit_test(bdf_has_the_order_that_is_asked_for),
        cmocka_unit_test(other_forms_have_second_order_too),
        cmocka_unit_test(dense_output_has_one_order_more_than_the_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
