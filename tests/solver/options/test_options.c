/* test_options.c: options as a whole, and tolerances: defaults, ranges, what is refused. The
   other options of dfl_solver_options are in test_form_options.c (what is integrated),
   test_newton_options.c and test_step_options.c. */
#include "solver/solver_internal.h"

#include "swing.h"

/* ---- tolerances ---- */

static void the_relative_tolerance_bounds_the_error(void **state)
{
    (void)state;
    const run coarse = swing(&(dfl_solver_options){.rtol = 1e-4, .atol = 1e-10});
    const run fine = swing(&(dfl_solver_options){.rtol = 1e-9, .atol = 1e-10});
    assert_succeeded(&coarse);
    assert_succeeded(&fine);
    /* the step count grows like rtol^(-1/5) or faster; the error falls by about the ratio 1e5 */
    assert_true(fine.stats.accepted > 3 * coarse.stats.accepted);
    assert_true(error_at(&fine, &pendulum, T_END) < 1e-2 * error_at(&coarse, &pendulum, T_END));
    assert_true(error_at(&fine, &pendulum, T_END) < 1e-7);
}

static void the_absolute_tolerance_bounds_the_error(void **state)
{
    (void)state;
    const run coarse = swing(&(dfl_solver_options){.rtol = 1e-9, .atol = 1e-3});
    const run fine = swing(&(dfl_solver_options){.rtol = 1e-9, .atol = 1e-9});
    assert_succeeded(&coarse);
    assert_succeeded(&fine);
    assert_true(fine.stats.accepted > 3 * coarse.stats.accepted);
    assert_true(error_at(&fine, &pendulum, T_END) < 1e-2 * error_at(&coarse, &pendulum, T_END));
}

/* Two oscillators without coupling, p1'' = -p1 and p2'' = -400 p2, from (1, 1) at rest. */
static int oscillators(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = x[0], out->kin[1] = x[1];
    if (need & DFL_FORCE)
        out->f[0] = -x[2], out->f[1] = -400 * x[3];
    return 0;
}

static const dfl_eom two_oscillators = {.np = 2, .nv = 2, .eval = oscillators};
static const double two_x0[4] = {0, 0, 1, 1};

static run oscillate(const dfl_solver_options *options)
{
    dfl_solver_options chosen = *options;
    chosen.order = 5;
    return run_with(&two_oscillators, 0, two_x0, 3, &chosen, NULL);
}

/* Loosens the fast oscillator by 1e4: only its error grows, and fewer steps are needed. */
static void assert_only_fast_error_grows(const run *all, const run *each)
{
    assert_succeeded(all);
    assert_succeeded(each);
    const double slow = cos(3.0), fast = cos(60.0);
    assert_true(2 * each->stats.accepted < all->stats.accepted);
    assert_true(fabs(each->x[3] - fast) > 20 * fabs(all->x[3] - fast));
    /* the slow one keeps its tolerance of 1e-8; 1e-6 allows for 100 steps of accumulation */
    assert_near(each->x[2], slow, 1e-6);
    assert_near(all->x[2], slow, 1e-6);
}

static void loosening_rtol_each_of_one_component_lets_its_error_grow(void **state)
{
    (void)state;
    const double rtol[4] = {1e-8, 1e-4, 1e-8, 1e-4}, atol[4] = {1e-8, 1e-4, 1e-8, 1e-4};
    const run all = oscillate(&(dfl_solver_options){.rtol = 1e-8});
    const run each =
        oscillate(&(dfl_solver_options){.error.rtol_each = rtol, .error.atol_each = atol});
    assert_only_fast_error_grows(&all, &each);
}

static void loosening_atol_each_of_one_component_lets_its_error_grow(void **state)
{
    (void)state;
    const double atol[4] = {1e-8, 1e-3, 1e-8, 1e-3};
    const run all = oscillate(&(dfl_solver_options){.rtol = 1e-8, .atol = 1e-8});
    const run each = oscillate(&(dfl_solver_options){.rtol = 1e-8, .error.atol_each = atol});
    assert_only_fast_error_grows(&all, &each);
}

static void equal_tolerances_for_each_component_are_the_scalar_ones(void **state)
{
    (void)state;
    const double rtol[N] = {1e-5, 1e-5, 1e-5, 1e-5, 1e-5}, atol[N] = {1e-7, 1e-7, 1e-7, 1e-7, 1e-7};
    const run scalar = swing(&(dfl_solver_options){.rtol = 1e-5, .atol = 1e-7});
    const run each = swing(&(dfl_solver_options){.error.rtol_each = rtol, .error.atol_each = atol});
    assert_succeeded(&each);
    assert_memory_equal(scalar.x, each.x, sizeof scalar.x);
    assert_int_equal(scalar.stats.attempts, each.stats.attempts);
}

/* ---- defaults and ranges ---- */

static void zero_means_the_documented_default(void **state)
{
    (void)state;
    const run automatic = run_problem(&pendulum, T_END, &(dfl_solver_options){0});
    const run none = run_problem(&pendulum, T_END, NULL);
    const run zero = swing(&(dfl_solver_options){0});
    const run said =
        swing(&(dfl_solver_options){.rtol = 1e-6,
                                    .atol = 1e-6,
                                    .form = DFL_PSF,
                                    .constraints.selectors = DFL_ORTHOGONAL,
                                    .constraints.renewal = DFL_RENEW_ALWAYS,
                                    .constraints.algebraic = DFL_ALGEBRAIC_AUTO,
                                    .newton.differential = DFL_DIFFERENTIAL_LU,
                                    .error.norm = DFL_NORM_RMS,
                                    .constraints.rank_tolerance = 1e-10,
                                    .newton.reference = DFL_REFERENCE_STAGE2,
                                    .newton.prediction = DFL_EXTRAPOLATE,
                                    .step.control = DFL_CONTROL_PREDICTIVE,
                                    .newton.iterations = 10,
                                    .newton.updates = 1,
                                    .newton.tolerance = 0.5 * fmin(0.03, sqrt(0.1 * 1e-4)),
                                    .newton.multiplier_weight = 1,
                                    .newton.reuse = 0.03,
                                    .step.max_attempts = 10000000,
                                    .step.safety = 0.9,
                                    .step.min_factor = 0.2,
                                    .step.max_factor = 8,
                                    .step.keep_low = 1,
                                    .step.keep_high = 1.2});
    assert_succeeded(&zero);
    assert_succeeded(&said);
    assert_memory_equal(automatic.x, none.x, sizeof none.x);
    assert_true(distance(automatic.x, zero.x, N) > 0); /* another order */
    /* sqrt(0.1 rtol^(2/3)) is written with rounded powers above: rounding, amplified over 100 steps
     */
    assert_true(distance(zero.x, said.x, N) < 1e-9);
    assert_int_equal(zero.stats.attempts, said.stats.attempts);
    assert_int_equal(zero.stats.back_substitutions, said.stats.back_substitutions);
}

static void the_default_rank_tolerance_is_larger_with_differences(void **state)
{
    (void)state;
    for (int differences = 0; differences < 2; differences++) {
        dfl_eom eom = pendulum.eom;
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        if (differences) /* of g too: with p' = v it would be known from W */
            eom.jacobian = NULL, eom.trivial_kinematics = false;
        assert_int_equal(dfl_solver_create(&solver, ctx, &eom, NULL), DFL_OK);
        assert_true(solver->options.constraints.rank_tolerance == (differences ? 1e-6 : 1e-10));
        dfl_solver_free(solver);
        dfl_context_free(ctx);
    }
}

static void an_option_out_of_range_is_refused_by_name(void **state)
{
    (void)state;
    static const double bad[N] = {1e-6, 1e-6, -1e-6, 1e-6, 1e-6};
    const struct {
        const char *name;
        dfl_solver_options options;
    } wrong[] = {
        {"rtol", {.rtol = -1e-6}},
        {"rtol", {.rtol = 2}},
        {"rtol", {.rtol = 1e-17}},
        {"rtol", {.rtol = NAN}},
        {"atol", {.atol = -1}},
        {"atol", {.atol = INFINITY}},
        {"rtol_each[2]", {.error.rtol_each = bad}},
        {"atol_each[2]", {.error.atol_each = bad}},
        {"form", {.form = DFL_FORMS}},
        {"selectors", {.constraints.selectors = (dfl_selectors)3}},
        {"renewal", {.constraints.renewal = (dfl_renewal)3}},
        {"select", {.constraints.selectors = DFL_USER}},
        {"algebraic", {.constraints.algebraic = (dfl_algebraic)4}},
        {"differential", {.newton.differential = (dfl_differential)2}},
        {"norm", {.error.norm = (dfl_norm)2}},
        {"structure->bodies", {.error.norm = DFL_NORM_BODY}},
        {"rank_tolerance", {.constraints.rank_tolerance = -1}},
        {"rank_tolerance", {.constraints.rank_tolerance = 0.5}},
        {"reference", {.newton.reference = (dfl_reference)5}},
        {"reference",
         {.newton.reference = DFL_REFERENCE_STAGE1, .newton.prediction = DFL_CONSTANT}},
        {"prediction", {.newton.prediction = (dfl_prediction)2}},
        {"control", {.step.control = (dfl_control)2}},
        {"newton_iterations", {.newton.iterations = -1}},
        {"newton_iterations", {.newton.iterations = 1000}},
        {"newton_updates", {.newton.updates = 11}},
        {"newton_tolerance", {.newton.tolerance = -1}},
        {"newton_tolerance", {.newton.tolerance = 2}},
        {"multiplier_weight", {.newton.multiplier_weight = -1}},
        {"multiplier_weight", {.newton.multiplier_weight = 2}},
        {"jacobian_reuse", {.newton.reuse = 2}},
        {"jacobian_reuse", {.newton.reuse = NAN}},
        {"first_step", {.step.first = NAN}},
        {"max_step", {.step.max = -1}},
        {"fixed_step", {.step.fixed = -1}},
        {"fixed_step", {.step.fixed = INFINITY}},
        {"fixed_step", {.step.fixed = 1, .step.max = 0.5}},
        {"max_steps", {.step.max_attempts = -1}},
        {"order", {.order = 3}},
        {"order", {.order = 17}},
        {"safety", {.step.safety = -1}},
        {"safety", {.step.safety = 1.5}},
        {"min_factor", {.step.min_factor = 2}},
        {"max_factor", {.step.max_factor = 0.5}},
        {"keep_low", {.step.keep_low = 2}},
        {"keep_high", {.step.keep_high = 0.5}},
        {"every", {.output.every = -1}},
        {"events.count", {.events.count = -1}},
        {"event", {.events.count = 1}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const run r = swing(&wrong[i].options);
        if (r.status != DFL_INVALID || !strstr(r.message, wrong[i].name))
            fail_msg("%s (entry %zu): %s '%s'", wrong[i].name, i, dfl_status_name(r.status),
                     r.message);
    }
}

/* ---- arguments ---- */

static void a_missing_model_or_start_is_refused_with_a_message(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_non_null(ctx);
    assert_int_equal(dfl_solver_create(&solver, ctx, NULL, NULL), DFL_INVALID);
    assert_null(solver);
    assert_non_null(strstr(dfl_message(ctx), "eom"));
    assert_int_equal(dfl_solver_create(&solver, ctx, &pendulum.eom, NULL), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, NULL, NULL), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "x0"));
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* ---- self-check ---- */

static int eval_wrong(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const int rc = pendulum.eom.eval(out, t, x, need, user);
    if (need & DFL_DIRECTIONS)
        out->W[1] *= 1.01;
    return rc;
}

static void the_self_check_is_made_only_on_request(void **state)
{
    (void)state;
    dfl_eom eom = pendulum.eom;
    const double x0[N] = {0, 0, 0, 0.8, -0.6};
    eom.eval = eval_wrong;
    eom.jacobian = NULL; /* it has the right W */
    const run with = run_with(&eom, 0, x0, 0.01, &(dfl_solver_options){.self_check = true}, NULL);
    assert_failed(&with, DFL_INVALID, "self-check: W");
    const run without = run_with(&eom, 0, x0, 0.01, NULL, NULL);
    assert_succeeded(&without);
}

/* Also what is asked for by negative numbers: no updates, no damping. */
static void resolved_options_stay_as_they_are(void **state)
{
    (void)state;
    const dfl_solver_options given[] = {
        {0},
        {.form = DFL_BAUMGARTE, .baumgarte = {.alpha = -1, .beta = 3}},
        {.form = DFL_BAUMGARTE, .baumgarte.beta = -1},
        {.step.fixed = 0.1},
        {.integrator = DFL_BDF, .newton = {.updates = -2, .reuse = -1}},
        {.newton.prediction = DFL_CONSTANT, .constraints.selectors = DFL_UNIT},
    };
    dfl_context *ctx = dfl_context_create();
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        dfl_solver_options once, twice;
        assert_int_equal(dfl_solver_options_resolve(&once, ctx, &pendulum.eom, &given[i]), DFL_OK);
        assert_int_equal(dfl_solver_options_resolve(&twice, ctx, &pendulum.eom, &once), DFL_OK);
        const run a = swing(&given[i]), b = swing(&once);
        assert_memory_equal(&once, &twice, sizeof once);
        assert_int_equal(a.stats.attempts, b.stats.attempts);
        assert_memory_equal(a.x, b.x, N * sizeof *a.x);
    }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_relative_tolerance_bounds_the_error),
        cmocka_unit_test(the_absolute_tolerance_bounds_the_error),
        cmocka_unit_test(loosening_rtol_each_of_one_component_lets_its_error_grow),
        cmocka_unit_test(loosening_atol_each_of_one_component_lets_its_error_grow),
        cmocka_unit_test(equal_tolerances_for_each_component_are_the_scalar_ones),
        cmocka_unit_test(zero_means_the_documented_default),
        cmocka_unit_test(resolved_options_stay_as_they_are),
        cmocka_unit_test(the_default_rank_tolerance_is_larger_with_differences),
        cmocka_unit_test(an_option_out_of_range_is_refused_by_name),
        cmocka_unit_test(a_missing_model_or_start_is_refused_with_a_message),
        cmocka_unit_test(the_self_check_is_made_only_on_request),
    };
    return cmocka_run_group_tests(tests, make_pendulum, free_pendulum);
}
