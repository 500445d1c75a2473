/* The order of convergence with fixed steps and Newton iterated to rounding.

   Radau IIA with s stages has order 2s - 1 for p and v in both forms. The form psf contains the
   acceleration constraints, so its multipliers are functions of p and v and have that order as
   well; in psi1 they are index-2 variables of order s (Hairer, Lubich and Roche 1989), here with
   three stages of 2 to 3. Dense output has order s + 1. */
#include "evidence.h"

/* Errors at these step sizes lie between 1e-4 and 1e-10: below the leading term's onset and above
   the references' accuracy (1e-12 or better) and rounding. */
static const study studies[] = {
    {"pendulum", 3, {40, 56, 80, 112}, 5},      /* M constant, t = 1.3, exact */
    {"top", 0, {20, 28, 40, 56}, 5},            /* quaternion, np > nv, t = 0.5 */
    {"slidercrank", 0, {160, 224, 320, 448}, 5} /* M(p), t = 0.5 */
};

/* The same for the other orders: errors between 1e-2 and 4e-4 with order 1, and for the higher
   orders from 1e-8 down to where rounding, 1e-13, is still small. `psi1` is the order of its
   multipliers; 0: not looked at, because terms of the order of the velocities and of their own
   are of the same size (pendulum), or the longest step is too long for Newton's iteration (top). */
typedef struct other_study {
    study study;
    double low, high; /* of p, v and, in psf, the multipliers */
    double psi1;
} other_study;

static const other_study other_orders[] = {
    {{"pendulum", 3, {4000, 5600, 8000, 11200}, 1}, 0.9, 1.1, 1},
    {{"top", 0, {1000, 1400, 2000, 2800}, 1}, 0.9, 1.1, 1},
    {{"pendulum", 3, {12, 15, 19, 24}, 9}, 8.7, 9.7, 0},
    {{"top", 0, {6, 8, 10, 13}, 9}, 8.7, 9.7, 5},
    {{"pendulum", 3, {6, 7, 8, 9}, 13}, 12.5, 14, 7},
    {{"top", 0, {4, 5, 6, 7}, 13}, 12.5, 15, 0},
};

/* rtol' = 1e-7 and newton_tolerance 1e-7 ask for increments of 1e-14 of x. */
static errors orders(const study *s, dfl_form form, dfl_selectors selectors)
{
    return orders_of(s, &(dfl_solver_options){.rtol = 1e-9,
                                              .order = s->order,
                                              .form = form,
                                              .constraints.selectors = selectors,
                                              .newton.iterations = 50,
                                              .newton.tolerance = 1e-7});
}

static void assert_within(double value, double low, double high)
{
    if (!(value >= low && value <= high))
        fail_msg("the observed order is %.2f, not between %.2f and %.2f", value, low, high);
}

/* Windows: 5 less and more what the next terms of the expansion change over a factor 2.8 in h. */
static void positions_and_velocities_have_order_five(dfl_selectors selectors)
{
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        const errors psf = orders(&studies[i], DFL_PSF, selectors);
        assert_within(psf.position, 4.7, 5.6);
        assert_within(psf.velocity, 4.7, 5.6);
        assert_within(psf.multiplier, 4.7, 5.6);
        const errors psi1 = orders(&studies[i], DFL_PSI1, selectors);
        assert_within(psi1.position, 4.7, 5.6);
        assert_within(psi1.velocity, 4.7, 5.6);
        assert_within(psi1.multiplier, 1.8, 3.3);
    }
}

static void orders_are_five_with_orthogonal_selectors(void **state)
{
    (void)state;
    positions_and_velocities_have_order_five(DFL_ORTHOGONAL);
}

static void orders_are_five_with_unit_selectors(void **state)
{
    (void)state;
    positions_and_velocities_have_order_five(DFL_UNIT);
}

static void other_orders_are_observed_as_well(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof other_orders / sizeof *other_orders; i++) {
        const other_study *o = &other_orders[i];
        const errors psf = orders(&o->study, DFL_PSF, DFL_ORTHOGONAL);
        assert_within(psf.position, o->low, o->high);
        assert_within(psf.velocity, o->low, o->high);
        assert_within(psf.multiplier, o->low, o->high);
        if (o->study.order == 13 && o->psi1 == 0)
            continue;
        const errors psi1 = orders(&o->study, DFL_PSI1, DFL_ORTHOGONAL);
        assert_within(psi1.position, o->low, o->high);
        assert_within(psi1.velocity, o->low, o->high);
        if (o->psi1 > 0)
            assert_within(psi1.multiplier, 0.9 * o->psi1, 1.1 * o->psi1);
    }
}

/* The state of the pendulum at t = 0.25 + tau, or, with `order` > 0, of the continuous output
   there of one step of size h from t = 0.25. */
static void pendulum_after(double *x, double tau, int order, double h)
{
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    const dfl_solver_options exact = {.rtol = 1e-13}, step = {.rtol = 1e-9,
                                                              .order = order,
                                                              .newton.iterations = 50,
                                                              .newton.tolerance = 1e-7,
                                                              .step.fixed = h};
    memcpy(prob.x0, prob.references[0].x, 5 * sizeof *x);
    prob.t0 = prob.references[0].t;
    run r;
    run_start(&r, &prob, order > 0 ? &step : &exact);
    run_to(&r, prob.t0 + (order > 0 ? h : tau));
    assert_int_equal(dfl_solver_interpolate(x, r.solver, prob.t0 + tau, false), DFL_OK);
    run_free(&r);
}

/* The collocation polynomial of degree s has an error of order s + 1 in h, here 0.4 h into the
   step. */
static void dense_output_has_one_order_more_than_stages(void **state)
{
    (void)state;
    const int method[] = {1, 5, 9, 13};
    const int parts[][STUDY_STEPS] = {
        {100, 140, 200, 280}, {20, 28, 40, 56}, {10, 14, 20, 28}, {14, 17, 20, 24}};
    for (int m = 0; m < 4; m++) {
        study s = {"pendulum", 0, {0}, method[m]};
        double error[STUDY_STEPS];
        for (int i = 0; i < STUDY_STEPS; i++) {
            const double h = 1.0 / parts[m][i];
            double x[5], y[5];
            s.steps[i] = parts[m][i];
            pendulum_after(x, 0.4 * h, method[m], h);
            pendulum_after(y, 0.4 * h, 0, 0);
            error[i] = error_between(x, y, 1, 5);
        }
        const double observed = slope_of(s.steps, error, STUDY_STEPS),
                     expected = (method[m] + 1) / 2 + 1;
        print_message("order %2d: dense output %.2f, errors %.1e .. %.1e\n", method[m], observed,
                      error[0], error[STUDY_STEPS - 1]);
        assert_within(observed, expected - 0.3, expected + 0.6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_five_with_orthogonal_selectors),
        cmocka_unit_test(orders_are_five_with_unit_selectors),
        cmocka_unit_test(other_orders_are_observed_as_well),
        cmocka_unit_test(dense_output_has_one_order_more_than_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
