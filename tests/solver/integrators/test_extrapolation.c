/* test_extrapolation.c: the extrapolated half-explicit Euler method: orders, error control, order
   control, continuous output, and the models that it takes. */
#include "evidence.h"

/* The largest error of positions and velocities of a benchmark problem at its reference k. */
static double error_at_end(const char *name, int k, const dfl_solver_options *options,
                           dfl_statistics *stats)
{
    run r;
    run_make(&r, name, 0, options);
    const double *x = run_to(&r, r.prob.references[k].t);
    const double error = fmax(error_between(x, r.prob.references[k].x, r.at.v, r.at.s),
                              error_between(x, r.prob.references[k].x, r.at.p, r.at.n));
    if (stats)
        *stats = dfl_solver_statistics(r.solver);
    run_free(&r);
    return error;
}

static double fixed_error(const char *name, int order, double h)
{
    const dfl_solver_options options = {
        .integrator = DFL_EXTRAPOLATION, .order = order, .step.fixed = h};
    return error_at_end(name, 0, &options, NULL);
}

/* T_kk has the order k: Lubich's expansion in powers of h. */
static void each_row_adds_one_order(void **state)
{
    (void)state;
    for (int order = 1; order <= 7; order++) {
        const double h = order <= 3 ? 0.01 : 0.04;
        const double coarse = fixed_error("pendulum", order, h),
                     fine = fixed_error("pendulum", order, h / 2);
        if (!(fabs(log2(coarse / fine) - order) < 0.4))
            fail_msg("order %d: found %.2f (%g, %g)", order, log2(coarse / fine), coarse, fine);
    }
}

/* General Z, nonholonomic constraints, singular masses, contact variables: the errors follow the
   tolerance. */
static void errors_follow_the_tolerance(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum", "slidercrank", "andrews", "top", "sleigh", "disk"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double last = INFINITY;
        problem prob;
        if (!problem_make(&prob, names[i], 0))
            continue;
        problem_free(&prob);
        for (int digits = 5; digits <= 9; digits += 2) {
            const double tol = pow(10, -digits);
            const dfl_solver_options options = {
                .integrator = DFL_EXTRAPOLATION, .rtol = tol, .atol = tol};
            const double error = error_at_end(names[i], 0, &options, NULL);
            if (!(error < 3e3 * tol && error < last))
                fail_msg("%s with %g: error %g", names[i], tol, error);
            last = error;
        }
    }
}

/* Positions, velocities and accelerations satisfy their constraints to rounding at every step. */
static void all_constraints_are_kept(void **state)
{
    (void)state;
    dfl_statistics stats;
    const dfl_solver_options options = {.integrator = DFL_EXTRAPOLATION, .rtol = 1e-6};
    error_at_end("slidercrank", 0, &options, &stats);
    assert_at_most(stats.max_residual.position, 1e-13, "g");
    assert_at_most(stats.max_residual.velocity, 1e-11, "gI");
    assert_at_most(stats.max_residual.acceleration, 1e-9, "gII");
}

/* The order rises with the demand: steps hardly become shorter, and a bound on the order makes many
   more of them. */
static void the_order_follows_the_tolerance(void **state)
{
    (void)state;
    dfl_statistics loose, tight, low;
    dfl_solver_options options = {
        .integrator = DFL_EXTRAPOLATION, .rtol = 1e-5, .atol = 1e-5, .output.ends_only = true};
    error_at_end("pendulum", 4, &options, &loose);
    options.rtol = options.atol = 1e-11;
    error_at_end("pendulum", 4, &options, &tight);
    assert_true(tight.accepted < 4 * loose.accepted);
    options.order = 4;
    error_at_end("pendulum", 4, &options, &low);
    assert_true(low.accepted > 5 * tight.accepted);
}

/* Half a step inside: the polynomial has degree 5, the middle of the step is extrapolated. */
static double inside_error(double h)
{
    const dfl_solver_options options = {
        .integrator = DFL_EXTRAPOLATION, .order = 8, .step.fixed = h};
    const dfl_solver_options accurate = {.rtol = 1e-13, .atol = 1e-13};
    double largest = 0, x[16];
    run r, exact;
    run_make(&r, "pendulum", 0, &options);
    run_to(&r, 8 * h);
    for (int i = 1; i < 8; i++) {
        const double t = 8 * h - h * i / 8;
        assert_int_equal(dfl_solver_interpolate(x, r.solver, t, false), DFL_OK);
        run_make(&exact, "pendulum", 0, &accurate);
        largest = fmax(largest, error_between(x, run_to(&exact, t), r.at.v, r.at.n));
        run_free(&exact);
    }
    run_free(&r);
    return largest;
}

static void continuous_output_has_order_6(void **state)
{
    (void)state;
    const double coarse = inside_error(0.1), fine = inside_error(0.05);
    if (!(log2(coarse / fine) > 4.5 && fine < 1e-5))
        fail_msg("inside a step: %g, %g", coarse, fine);
}

/* States in the middle of steps. */
typedef struct middles {
    int count;
    double t[400], x[400][16];
} middles;

static int note_middle(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    middles *it = user;
    (void)x;
    if (t == t_old || it->count == 400)
        return 0;
    it->t[it->count] = t_old + 0.45 * (t - t_old);
    return dfl_solver_interpolate(it->x[it->count], solver, it->t[it->count], false) ||
           ++it->count < 0;
}

static double error_of_middles(bool ends_only, int *steps)
{
    static middles found;
    found.count = 0;
    const dfl_solver_options options = {.integrator = DFL_EXTRAPOLATION,
                                        .rtol = 1e-9,
                                        .atol = 1e-9,
                                        .output = {.ends_only = ends_only, .on_step = note_middle},
                                        .user = &found};
    const dfl_solver_options accurate = {.rtol = 1e-13, .atol = 1e-13};
    double largest = 0;
    run r, exact;
    run_make(&r, "pendulum", 0, &options);
    run_to(&r, 2);
    run_make(&exact, "pendulum", 0, &accurate);
    for (int i = 0; i < found.count; i++)
        largest =
            fmax(largest, error_between(found.x[i], run_to(&exact, found.t[i]), r.at.v, r.at.n));
    *steps = found.count;
    run_free(&r);
    run_free(&exact);
    return largest;
}

/* Unless nobody looks there, which allows longer steps. */
static void the_tolerance_holds_inside_of_steps(void **state)
{
    (void)state;
    int inside, ends;
    assert_at_most(error_of_middles(false, &inside), 1e-7, "error inside of steps");
    assert_true(error_of_middles(true, &ends) > 1e-6);
    assert_true(2 * ends < inside && inside < 400);
}

static void backward_it_returns(void **state)
{
    (void)state;
    const dfl_solver_options options = {
        .integrator = DFL_EXTRAPOLATION, .rtol = 1e-9, .atol = 1e-9};
    run r;
    run_make(&r, "slidercrank", 0, &options);
    run_to(&r, 0.3);
    const double *x = run_to(&r, 0);
    assert_at_most(error_between(x, r.prob.x0, r.at.v, r.at.n), 1e-6, "error after return");
    run_free(&r);
}

static void it_goes_with_psf_and_orders_that_it_has(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    dfl_solver_options options = {.integrator = DFL_EXTRAPOLATION, .form = DFL_EOM};
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "extrapolation"));
    options = (dfl_solver_options){.integrator = DFL_EXTRAPOLATION, .order = 13};
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "3 to 12"));
    dfl_context_free(ctx);
    problem_free(&prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_adds_one_order),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(all_constraints_are_kept),
        cmocka_unit_test(the_order_follows_the_tolerance),
        cmocka_unit_test(continuous_output_has_order_6),
        cmocka_unit_test(the_tolerance_holds_inside_of_steps),
        cmocka_unit_test(backward_it_returns),
        cmocka_unit_test(it_goes_with_psf_and_orders_that_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
