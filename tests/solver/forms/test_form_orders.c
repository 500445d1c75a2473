/* test_form_orders.c: orders of convergence with fixed steps of Radau IIA, order 5, and the drift
   of each form.

   Orders of index 2 and 3 are those of Hairer, Lubich and Roche (1989), table 2.3: with three
   stages p and v 5, multipliers 3 for index 2; p 5, v 3, multipliers 2 for index 3. */
#include "forms.h"

typedef struct orders {
    dfl_form form;
    double p, v, l;
} orders;

/* Fixed steps, Newton's iteration to rounding. */
static dfl_solver_options fixed(dfl_form form, double h)
{
    return (dfl_solver_options){.form = form,
                                .order = 5,
                                .rtol = 1e-8,
                                .step.fixed = h,
                                .newton.tolerance = 1e-8,
                                .newton.iterations = 30};
}

static void check_order(const char *name, double found, double expected, dfl_form form)
{
    if (!(fabs(found - expected) < 0.45))
        fail_msg("%s of %s has order %.2f, not %g", name, dfl_form_name(form), found, expected);
}

static const orders expected[] = {
    {DFL_PSF, 5, 5, 5},     {DFL_PSI1, 5, 5, 3}, {DFL_EOM, 5, 3, 2},       {DFL_EOM2, 5, 5, 3},
    {DFL_EOM1, 5, 5, 5},    {DFL_GGL, 5, 5, 3},  {DFL_BAUMGARTE, 5, 5, 5}, {DFL_ODAE, 5, 5, 5},
    {DFL_EXT317, 5, 5, 5},  {DFL_PINV, 5, 5, 5}, {DFL_TANGENT, 5, 5, 5},   {DFL_PARTITION, 5, 5, 5},
    {DFL_IMPLICIT, 5, 5, 5}};

/* From halving h; errors of all these runs lie above 1e-12. */
static void check_orders(const char *problem_name, double h)
{
    motion m = motion_of(problem_name, 0.2, 0.4);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const orders *o = &expected[k];
        form_error e[2];
        for (int j = 0; j < 2; j++) {
            const dfl_solver_options options = fixed(o->form, j == 0 ? h : h / 2);
            const run r = motion_run(&m, &options);
            assert_succeeded(&r);
            assert_int_equal(r.stats.unconverged, 0);
            e[j] = motion_error(&m, &r);
        }
        check_order("p", log2(e[0].p / e[1].p), o->p, o->form);
        check_order("v", log2(e[0].v / e[1].v), o->v, o->form);
        check_order("l", log2(e[0].l / e[1].l), o->l, o->form);
    }
    problem_free(&m.prob);
}

static void orders_are_those_of_the_index_for_a_top_with_quaternions(void **state)
{
    (void)state;
    check_orders("top", 0.02);
}

static void orders_are_those_of_the_index_for_a_rolling_disk(void **state)
{
    (void)state;
    check_orders("disk", 0.02);
}

/* BDF of order 2 has order 2 in all unknowns of all forms, also of index 3 (Brenan, Campbell,
   Petzold 1996, 3.2). The trapezoidal and midpoint rules have it in p and v. */
static void rules_of_second_order_have_it_in_every_form(void **state)
{
    (void)state;
    motion m = motion_of("top", 0.2, 0.2);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        for (int by = DFL_BDF; by <= DFL_MIDPOINT; by++) {
            const dfl_form form = expected[k].form;
            form_error e[2];
            for (int j = 0; j < 2; j++) {
                dfl_solver_options options = fixed(form, j == 0 ? 0.005 : 0.0025);
                options.integrator = (dfl_integrator)by;
                options.order = by == DFL_BDF ? 2 : 0;
                const run r = motion_run(&m, &options);
                assert_succeeded(&r);
                e[j] = motion_error(&m, &r);
            }
            check_order("p", log2(e[0].p / e[1].p), 2, form);
            check_order("v", log2(e[0].v / e[1].v), 2, form);
            if (by == DFL_BDF)
                check_order("l", log2(e[0].l / e[1].l), 2, form);
        }
    problem_free(&m.prob);
}

/* Levels of the constraints that a mass leaves which turns without gravity: all steps make the
   same error, while those of a swing to and fro cancel. Largest residuals over some time. */
typedef struct drift {
    double g, gI, gII;
} drift;

static drift drift_of(dfl_form form, double length)
{
    const dfl_solver_options options = fixed(form, 0.01);
    const double x0[] = {0, 8, 0, 0, -1};
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    *(pendulum_parameters *)prob.parameters = (pendulum_parameters){1, 1, 0};
    const run r = run_with(&prob.eom, 0, x0, length, &options, NULL);
    assert_succeeded(&r);
    problem_free(&prob);
    return (drift){r.stats.max_residual.position, r.stats.max_residual.velocity,
                   r.stats.max_residual.acceleration};
}

/* A point driven along x = t^7/7!: v' = t^5/5! is integrated with the same error in every step. */
static int driven(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)user;
    if (need & DFL_FORCE)
        out->f[0] = 0;
    if (need & DFL_POSITION)
        out->g[0] = x[2] - pow(t, 7) / 5040;
    if (need & DFL_VELOCITY)
        out->gI[0] = x[1] - pow(t, 6) / 720;
    if (need & DFL_DIRECTIONS)
        out->W[0] = 1;
    if (need & DFL_BIAS)
        out->bias[0] = -pow(t, 5) / 120;
    return 0;
}

/* gII = 0 is enforced: gI = c t, and g = c t^2 / 2 (Steinbrecher 2002). */
static void index_1_drifts_quadratically_from_positions_linearly_from_velocities(void **state)
{
    (void)state;
    static const dfl_form forms[] = {DFL_EOM1, DFL_IMPLICIT};
    const dfl_eom eom = {.np = 1, .nv = 1, .nl = 1, .eval = driven, .trivial_kinematics = true};
    for (int k = 0; k < 2; k++) {
        const dfl_solver_options options = fixed(forms[k], 0.1);
        const run once = run_with(&eom, 0, (const double[]){0, 0, 0}, 2, &options, NULL);
        const run twice = run_with(&eom, 0, (const double[]){0, 0, 0}, 4, &options, NULL);
        assert_succeeded(&once);
        assert_succeeded(&twice);
        assert_between(twice.stats.max_residual.velocity / once.stats.max_residual.velocity, 1.9,
                       2.1);
        assert_between(twice.stats.max_residual.position / once.stats.max_residual.position, 3.8,
                       4.2);
        assert_true(once.stats.max_residual.velocity > 1e-11);
        assert_true(twice.stats.max_residual.acceleration < 1e-13);
    }
}

static void index_2_drifts_linearly_from_positions(void **state)
{
    (void)state;
    const drift once = drift_of(DFL_EOM2, 20), twice = drift_of(DFL_EOM2, 40);
    assert_between(twice.g / once.g, 1.7, 2.3);
    assert_true(once.g > 1e-9 && twice.gI < 1e-11);
}

/* ... but not from positions; the other levels are off by errors that do not grow with time. */
static void index_3_keeps_positions_only(void **state)
{
    (void)state;
    const drift once = drift_of(DFL_EOM, 20), twice = drift_of(DFL_EOM, 40);
    assert_true(twice.g < 1e-12);
    assert_true(once.gI > 1e-6 && once.gII > 1e-3);
    assert_between(twice.gI / once.gI, 0.9, 1.1);
    assert_between(twice.gII / once.gII, 0.9, 1.1);
}

static void ggl_keeps_positions_and_velocities_but_not_accelerations(void **state)
{
    (void)state;
    const drift once = drift_of(DFL_GGL, 20), twice = drift_of(DFL_GGL, 40);
    assert_true(twice.g < 1e-11 && twice.gI < 1e-10);
    assert_true(once.gII > 1e-6);
    assert_between(twice.gII / once.gII, 0.9, 1.1);
}

static void forms_with_all_levels_keep_all_levels(void **state)
{
    (void)state;
    static const dfl_form forms[] = {DFL_PSF,  DFL_ODAE,    DFL_EXT317,
                                     DFL_PINV, DFL_TANGENT, DFL_PARTITION};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const drift d = drift_of(forms[k], 20);
        assert_true(d.g < 1e-11 && d.gI < 1e-10);
        /* pinv satisfies gII with v' + W^T tau, which is M^-1 f up to Newton's accuracy */
        assert_true(d.gII < 1e-9);
    }
}

/* Critically damped with 1/alpha = 0.1 s: what is left are the errors of the last moments. */
static void baumgarte_bounds_the_drift(void **state)
{
    (void)state;
    const drift plain = drift_of(DFL_EOM1, 40), once = drift_of(DFL_BAUMGARTE, 20),
                twice = drift_of(DFL_BAUMGARTE, 40);
    assert_between(twice.g / once.g, 0.9, 1.1);
    assert_between(twice.gI / once.gI, 0.9, 1.1);
    assert_true(twice.g < 1e-2 * plain.g);
}

/* A start off the constraint, at rest: g'' + 2 alpha g' + beta^2 g = 0 is then a damped
   oscillation, known exactly whatever the motion along the constraint. Errors are those of the
   tolerance. */
static void a_violated_constraint_swings_with_alpha_and_beta(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    static const dfl_integrator methods[] = {DFL_RADAU, DFL_BDF, DFL_EXPLICIT_PAIR};
    const double alpha = 3, beta = 5, omega = 4, t = 0.7, x0[] = {0, 0, 0, 1.001, 0};
    const double g0 = x0[3] * x0[3] - 1, phase = omega * t;
    const double g = g0 * exp(-alpha * t) * (cos(phase) + alpha / omega * sin(phase));
    const dfl_conditions as_given = {.mode = DFL_START_AS_GIVEN};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        const dfl_solver_options options = {.rtol = 1e-9,
                                            .form = DFL_BAUMGARTE,
                                            .integrator = methods[k],
                                            .baumgarte.alpha = alpha,
                                            .baumgarte.beta = beta};
        const run r = run_with(&prob.eom, 0, x0, t, &options, &as_given);
        assert_succeeded(&r);
        assert_near(r.x[3] * r.x[3] + r.x[4] * r.x[4] - 1, g, 1e-7);
    }
    problem_free(&prob);
}

/* alpha = beta = 0 is the form of index 1. */
static void baumgarte_without_damping_is_eom1(void **state)
{
    (void)state;
    motion m = motion_of("slidercrank", 0.05, 0.3);
    dfl_solver_options options = fixed(DFL_BAUMGARTE, 0.01);
    options.baumgarte.alpha = options.baumgarte.beta = -1;
    const run damped = motion_run(&m, &options);
    options.form = DFL_EOM1;
    const run plain = motion_run(&m, &options);
    assert_succeeded(&damped);
    assert_succeeded(&plain);
    assert_near(distance(damped.x, plain.x, damped.n), 0, 0);
    problem_free(&m.prob);
}

/* mu and tau of ggl, (3.17), (3.32) vanish on the solution: their largest values fall with the
   order of the stages, 3. In (3.16) lambda and tau act alike but for the turn of p', of order v:
   the error of lambda, and tau with it, is hundreds of times larger than with (3.17), although p
   and v are as good. */
static void multipliers_of_the_extended_forms_vanish_but_not_in_ext316(void **state)
{
    (void)state;
    static const dfl_form forms[] = {DFL_GGL, DFL_EXT317, DFL_PINV};
    motion m = motion_of("pendulum", 0.2, 0.8);
    run good = {0};
    for (int k = 0; k < 3; k++) {
        double largest[2];
        for (int j = 0; j < 2; j++) {
            const dfl_solver_options options = fixed(forms[k], j == 0 ? 0.04 : 0.02);
            good = motion_run(&m, &options);
            assert_succeeded(&good);
            largest[j] = good.stats.max_correction;
        }
        assert_between(log2(largest[0] / largest[1]), 2.5, 3.5);
    }
    const dfl_solver_options good_options = fixed(DFL_EXT317, 0.04);
    dfl_solver_options options = fixed(DFL_EXT316, 0.04);
    options.step.accept_unconverged = true; /* its multipliers are hardly determined */
    const run bad = motion_run(&m, &options);
    good = motion_run(&m, &good_options);
    assert_succeeded(&bad);
    const form_error e = motion_error(&m, &bad), f = motion_error(&m, &good);
    assert_true(e.p < 2 * f.p && e.v < 2 * f.v && e.l > 100 * f.l);
    assert_true(bad.stats.max_correction > 5 * good.stats.max_correction);
    problem_free(&m.prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_those_of_the_index_for_a_top_with_quaternions),
        cmocka_unit_test(orders_are_those_of_the_index_for_a_rolling_disk),
        cmocka_unit_test(rules_of_second_order_have_it_in_every_form),
        cmocka_unit_test(index_1_drifts_quadratically_from_positions_linearly_from_velocities),
        cmocka_unit_test(index_2_drifts_linearly_from_positions),
        cmocka_unit_test(index_3_keeps_positions_only),
        cmocka_unit_test(ggl_keeps_positions_and_velocities_but_not_accelerations),
        cmocka_unit_test(forms_with_all_levels_keep_all_levels),
        cmocka_unit_test(baumgarte_bounds_the_drift),
        cmocka_unit_test(a_violated_constraint_swings_with_alpha_and_beta),
        cmocka_unit_test(baumgarte_without_damping_is_eom1),
        cmocka_unit_test(multipliers_of_the_extended_forms_vanish_but_not_in_ext316),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
