/* test_control.c: the step-size controller and the scaled norms, on numbers worked out by hand. */
#include "support.h"

#include "integrate/step_control.h"
#include "integrate/norm.h"
#include "integrate/integrate.h"
#include "linalg/linalg.h"

/* ---- controller ---- */

static dfl_controller controller(dfl_control kind)
{
    dfl_controller control;
    const dfl_solver_options options = {.step.safety = 0.9,
                                        .step.min_factor = 0.2,
                                        .step.max_factor = 8,
                                        .step.max = 3,
                                        .step.control = kind};
    dfl_controller_init(&control, &options, 4);
    return control;
}

static void the_step_is_scaled_by_the_fourth_root_of_the_error(void **state)
{
    (void)state;
    dfl_controller control = controller(DFL_CONTROL_CLASSICAL);
    /* 0.9 / 16^(1/4) = 0.45 and 0.9 * 16^(1/4) = 1.8 */
    assert_near(dfl_controller_rejected(&control, 1, 16), 0.45, 1e-15);
    assert_near(dfl_controller_accepted(&control, 1, 1.0 / 16, false), 1.8, 1e-15);
    assert_near(dfl_controller_accepted(&control, -1, 1.0 / 16, false), -1.8, 1e-15);
}

static void one_change_stays_between_min_factor_and_max_factor(void **state)
{
    (void)state;
    dfl_controller control = controller(DFL_CONTROL_CLASSICAL);
    assert_near(dfl_controller_rejected(&control, 1, 1e9), 0.2, 1e-15);
    assert_near(dfl_controller_accepted(&control, 0.1, 1e-10, false), 0.8, 1e-15);
}

static void the_step_is_never_longer_than_max_step(void **state)
{
    (void)state;
    dfl_controller control = controller(DFL_CONTROL_CLASSICAL);
    assert_true(dfl_controller_accepted(&control, 2, 1e-10, false) == 3);
    assert_true(dfl_controller_accepted(&control, -2, 1e-10, false) == -3);
}

static void the_step_does_not_grow_after_a_rejection(void **state)
{
    (void)state;
    dfl_controller control = controller(DFL_CONTROL_CLASSICAL);
    assert_true(dfl_controller_accepted(&control, 1, 1e-4, true) == 1);
    /* it may shrink: 0.9 / 0.99^(1/4) < 1 */
    assert_true(dfl_controller_accepted(&control, 1, 0.99, true) < 0.91);
}

static void the_predictive_controller_follows_a_growing_error(void **state)
{
    (void)state;
    dfl_controller classical = controller(DFL_CONTROL_CLASSICAL);
    dfl_controller predictive = controller(DFL_CONTROL_PREDICTIVE);
    /* nothing is known before the first step: the same proposal */
    const double first = dfl_controller_accepted(&classical, 1, 0.05, false);
    assert_true(dfl_controller_accepted(&predictive, 1, 0.05, false) == first);
    /* from 0.05 to 0.8 at the same step: factor (0.8^2/0.05)^(1/4) / 0.9 instead of 0.8^(1/4)/0.9
     */
    assert_near(dfl_controller_accepted(&classical, 1, 0.8, false), 0.9 / pow(0.8, 0.25), 1e-14);
    assert_near(dfl_controller_accepted(&predictive, 1, 0.8, false),
                0.9 / pow(0.8 * 0.8 / 0.05, 0.25), 1e-14);
    /* a falling error is not extrapolated: the smaller of both proposals counts */
    assert_near(dfl_controller_accepted(&predictive, 1, 0.1, false), 0.9 / pow(0.1, 0.25), 1e-14);
}

/* ---- norms ---- */

/* Three free points on a line, and a multiplier-free model around them. */
static int eval_free(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, x, 3 * sizeof *x);
    if (need & DFL_FORCE)
        memset(out->f, 0, 3 * sizeof *x);
    return 0;
}

/* The norm of z, scaled at x, for a model and options. */
static void norms(double *error, double *newton, const dfl_eom *eom,
                  const dfl_solver_options *options, const double *x, const double *z)
{
    dfl_context *ctx = dfl_context_create();
    dfl_statistics stats = {0};
    dfl_system sys;
    dfl_scale scale;
    double lanes[16 * 4] = {0};
    const dfl_form_traits *traits =
        dfl_form_traits_of(options->form, dfl_integrator_is_explicit(options->integrator));
    assert_int_equal(dfl_system_init(&sys, ctx, eom, false, &stats), DFL_OK);
    dfl_system_ask(&sys, traits->acceleration != DFL_ACC_PROJECTED,
                   dfl_form_requirements(traits, eom));
    assert_int_equal(dfl_scale_init(&scale, &sys, options), DFL_OK);
    assert_int_equal(dfl_system_decide(&sys, 0, x, false), DFL_OK);
    assert_int_equal(sys.na, 0);
    dfl_scale_stages(&scale, 3);
    dfl_scale_bind(&scale);
    dfl_scale_set(&scale, x, 0.1);
    *error = dfl_scale_error(&scale, z);
    for (int i = 0; i < sys.n; i++)
        for (int k = 0; k < 3; k++)
            lanes[i * 4 + k] = z[i];
    *newton = sqrt(dfl_scale_newton(&scale, lanes, 3));
    dfl_scale_clear(&scale);
    dfl_system_clear(&sys);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* rtol = 1e-6: rtol' = 0.1 * 1e-4 = 1e-5; atol = 1e-7: atol' = 1e-6. */
static const dfl_solver_options unit_scale = {
    .rtol = 1e-6, .atol = 1e-7, .order = 5, .newton.multiplier_weight = 1};

/* rtol' of an order for a number of stages. */
static double inner(int order, int stages, double rtol)
{
    dfl_context *ctx = dfl_context_create();
    dfl_statistics stats = {0};
    dfl_system sys;
    dfl_scale scale;
    const dfl_eom eom = {.np = 3, .nv = 3, .eval = eval_free};
    const dfl_solver_options options = {.rtol = rtol, .atol = rtol, .order = order};
    assert_int_equal(dfl_system_init(&sys, ctx, &eom, false, &stats), DFL_OK);
    assert_int_equal(dfl_scale_init(&scale, &sys, &options), DFL_OK);
    dfl_scale_stages(&scale, stages);
    const double result = scale.smallest_rtol;
    dfl_scale_clear(&scale);
    dfl_system_clear(&sys);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    return result;
}

/* The estimate goes with h^(s+1), global errors with h^(2s-1), local ones with h^(2s). From the
   tolerance of RADAU5 and RADAU at 0.01 on, global errors of the automatic order fall as much as
   rtol; those of order 5 are RADAU5's. */
static void global_errors_follow_the_tolerance(void **state)
{
    (void)state;
    for (int s = 3; s <= 7; s += 2) {
        const double radau = 0.1 * pow(0.01, (s + 1) / (2.0 * s)), fall = (2 * s - 1) / (s + 1.0);
        assert_near(inner(0, s, 0.01), radau, 1e-15);
        assert_near(pow(inner(0, s, 1e-4) / inner(0, s, 1e-9), fall), 1e5, 1e-6);
    }
    assert_near(inner(13, 7, 1e-8), inner(0, 7, 1e-8), 0);
    assert_near(inner(5, 3, 1e-9), 1e-7, 1e-19);
}

static void the_norm_is_the_root_mean_square_of_scaled_components(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 3, .nv = 3, .eval = eval_free};
    const double x[6] = {0, 0.9, 0, 0, 0, 0}, z[6] = {3e-6, 4e-5, 0, 0, 0, 0};
    double error, newton;
    norms(&error, &newton, &eom, &unit_scale, x, z);
    /* scales 1e-6 and 1e-6 + 0.9e-5 = 1e-5: components 3 and 4 of 6 */
    assert_near(error, sqrt(25.0 / 6), 1e-12);
    assert_near(newton, sqrt(25.0 / 6), 1e-12); /* the mean over equal stages */
}

static void the_norm_by_bodies_is_the_largest_of_one_body(void **state)
{
    (void)state;
    /* bodies without unknowns of their own, such as the ground, take no part */
    const dfl_body bodies[40] = {[1] = {0, 1, 0, 1}, [39] = {1, 2, 1, 2}};
    const dfl_structure structure = {.nbodies = 40, .bodies = bodies};
    const dfl_eom eom = {.np = 3, .nv = 3, .eval = eval_free, .structure = &structure};
    dfl_solver_options options = unit_scale;
    options.error.norm = DFL_NORM_BODY;
    const double x[6] = {0}, z[6] = {3e-6, 1e-6, 1e-6, 4e-6, 1e-6, 1e-6};
    double error, newton;
    norms(&error, &newton, &eom, &options, x, z);
    assert_near(error, sqrt(25.0 / 2), 1e-12); /* v1 and p1 */
    assert_near(newton, sqrt(25.0 / 2), 1e-12);
}

static void multipliers_are_weighted_in_the_newton_norm_only(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_pendulum(&prob, 0));
    const double x[5] = {0}, z[5] = {5e-6, 0, 0, 0, 0};
    double error, newton;
    dfl_solver_options options = unit_scale;
    options.newton.multiplier_weight = 0.01;
    norms(&error, &newton, &prob.eom, &options, x, z);
    assert_near(error, sqrt(25.0 / 5), 1e-12);
    assert_near(newton, 0.01 * sqrt(25.0 / 5), 1e-12);
    /* psi1: multipliers have index 2 and are scaled by the step size, here 0.1, in both norms */
    options.newton.multiplier_weight = 1;
    options.form = DFL_PSI1;
    norms(&error, &newton, &prob.eom, &options, x, z);
    assert_near(error, 0.1 * sqrt(25.0 / 5), 1e-12);
    assert_near(newton, 0.1 * sqrt(25.0 / 5), 1e-12);
    problem_free(&prob);
}

/* eom: velocities have index 2, multipliers 3: they count h and h^2 times, in both norms. */
static void errors_of_higher_index_count_less(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_pendulum(&prob, 0));
    const double x[5] = {0}, z[5] = {300e-6, 40e-6, 0, 0, 0};
    double error, newton;
    dfl_solver_options options = unit_scale;
    options.form = DFL_EOM;
    norms(&error, &newton, &prob.eom, &options, x, z);
    assert_near(error, sqrt((3 * 3 + 4 * 4) / 5.0), 1e-12);
    assert_near(newton, sqrt((3 * 3 + 4 * 4) / 5.0), 1e-12);
    problem_free(&prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_is_scaled_by_the_fourth_root_of_the_error),
        cmocka_unit_test(one_change_stays_between_min_factor_and_max_factor),
        cmocka_unit_test(the_step_is_never_longer_than_max_step),
        cmocka_unit_test(the_step_does_not_grow_after_a_rejection),
        cmocka_unit_test(the_predictive_controller_follows_a_growing_error),
        cmocka_unit_test(global_errors_follow_the_tolerance),
        cmocka_unit_test(the_norm_is_the_root_mean_square_of_scaled_components),
        cmocka_unit_test(the_norm_by_bodies_is_the_largest_of_one_body),
        cmocka_unit_test(multipliers_are_weighted_in_the_newton_norm_only),
        cmocka_unit_test(errors_of_higher_index_count_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
