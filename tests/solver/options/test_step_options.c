/* test_step_options.c: options of the step size: first, longest and fixed steps, how many, and how
   the controller changes them. */
#include "swing.h"

enum { MOST_STEPS = 4000 };
typedef struct steps {
    int n;
    double h[MOST_STEPS];
} steps;

static int note_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    steps *taken = user;
    (void)solver, (void)x;
    if (t != t_old && taken->n < MOST_STEPS)
        taken->h[taken->n++] = t - t_old;
    return 0;
}

static run swing_noting(steps *taken, dfl_solver_options options)
{
    taken->n = 0;
    options.output.on_step = note_step;
    options.user = taken;
    return swing(&options);
}

static steps taken;

static void the_first_step_is_as_given(void **state)
{
    (void)state;
    const run r = swing_noting(&taken, (dfl_solver_options){.rtol = 1e-7, .step.first = 1.25e-4});
    assert_accurate(&r);
    assert_near(taken.h[0], 1.25e-4, 1e-18); /* the same number, in t = 0 + h */
}

static void no_step_is_longer_than_max_step(void **state)
{
    (void)state;
    const run r = swing_noting(&taken, (dfl_solver_options){.rtol = 1e-3, .step.max = 0.005});
    assert_succeeded(&r);
    assert_true(r.stats.accepted >= 260); /* 1.3 / 0.005 */
    for (int i = 0; i < taken.n; i++)
        assert_true(taken.h[i] <= 0.005 * (1 + 1e-4)); /* the last one may stretch by 1e-4 */
    const run free = swing_noting(&taken, (dfl_solver_options){.rtol = 1e-3});
    assert_true(free.stats.accepted < 130);
}

static void fixed_steps_have_their_size_and_number(void **state)
{
    (void)state;
    const run r = swing_noting(&taken, (dfl_solver_options){.rtol = 1e-7, .step.fixed = 0.01});
    assert_accurate(&r);
    assert_int_equal(r.stats.accepted, 130);
    assert_int_equal(r.stats.attempts, 130);
    assert_int_equal(r.stats.unconverged, 0);
    for (int i = 0; i < taken.n; i++)
        assert_near(taken.h[i], 0.01, 1e-14); /* differences of times up to 1.3, and their sum */
    assert_true(r.stats.longest_step > 0);
    const run free = swing_noting(&taken, (dfl_solver_options){.rtol = 1e-7});
    assert_true(free.stats.longest_step == 0);
}

static void fixed_steps_go_on_when_newton_reaches_its_bound_only_on_request(void **state)
{
    (void)state;
    dfl_solver_options options = {
        .rtol = 1e-10, .step = {.fixed = 0.01, .accept_unconverged = true}, .newton.iterations = 1};
    const run r = swing(&options);
    assert_succeeded(&r);
    assert_int_equal(r.stats.accepted, 130);
    assert_int_equal(r.stats.back_substitutions, 130);
    assert_true(r.stats.unconverged > 120);
    assert_true(r.stats.unconverged <= 130);
    /* one iteration with extrapolated starting values still follows the motion */
    assert_true(error_at(&r, &pendulum, T_END) < 1e-2);
    /* nobody asked for that */
    options.step.accept_unconverged = false;
    const run stopped = swing(&options);
    assert_failed(&stopped, DFL_NOT_CONVERGED, "has not converged in the step of fixed size 0.01");
    assert_non_null(strstr(stopped.message, "accept_unconverged"));
    assert_int_equal(stopped.stats.unconverged, 0);
    assert_true(stopped.t < 0.1);
}

/* A shaken ball, x = [v | p], above a floor of stiffness 1e5. */
static int eval_ball(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)need, (void)user;
    out->f[0] = 3 * sin(40 * t) - 1 - (x[1] < 0 ? 1e5 * x[1] : 0);
    return 0;
}

/* In the air one matrix solves the linear equations in two iterations, a rate of rounding size.
   In the step onto the floor the iteration with that matrix runs away, which the last step's
   rate must not hide. */
static void a_fixed_step_that_diverges_behind_exact_ones_is_counted(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1, .nv = 1, .eval = eval_ball, .trivial_kinematics = true};
    const double x0[2] = {0, 1};
    const dfl_solver_options options = {.step = {.fixed = 0.1, .accept_unconverged = true}};
    const run air = run_with(&eom, 0, x0, 1.3, &options, NULL);
    const run floor = run_with(&eom, 0, x0, 1.5, &options, NULL);
    assert_succeeded(&air);
    assert_succeeded(&floor);
    assert_true(air.x[1] > 0);
    assert_int_equal(air.stats.unconverged, 0);
    assert_int_equal(floor.stats.unconverged, 1);
}

/* Refuses the states of one attempt, once. */
typedef struct once {
    dfl_eval_fn eval;
    void *user;
    int calls, refuse_at;
} once;

static int eval_once(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    once *model = user;
    if (++model->calls == model->refuse_at)
        return 1;
    return model->eval(out, t, x, need, model->user);
}

static void fixed_steps_return_to_their_size_after_a_refused_state(void **state)
{
    (void)state;
    once model = {.eval = pendulum.eom.eval, .user = pendulum.parameters, .refuse_at = 300};
    dfl_eom eom = pendulum.eom;
    eom.eval = eval_once;
    eom.mass = NULL; /* unit masses: `mass` would get the wrong parameters */
    eom.mass_diagonal = eom.mass_constant = false;
    eom.jacobian = NULL;
    eom.user = &model;
    taken.n = 0;
    const dfl_solver_options options = {
        .step.fixed = 0.01, .output.on_step = note_step, .user = &taken};
    const run r = run_with(&eom, 0, pendulum.x0, T_END, &options, NULL);
    assert_succeeded(&r);
    assert_int_equal(r.stats.rejected_newton, 1);
    /* one short step of 0.005, 129 of 0.01, and what is left at the end */
    assert_int_equal(r.stats.accepted, 131);
    int full = 0;
    for (int i = 0; i < taken.n; i++)
        full += fabs(taken.h[i] - 0.01) < 1e-12;
    assert_int_equal(full, 129);
}

static void max_steps_stops_and_the_run_can_go_on(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_solver_options options = {.rtol = 1e-7, .order = 5, .step.max_attempts = 20};
    assert_int_equal(dfl_solver_create(&solver, ctx, &pendulum.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, pendulum.x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, T_END), DFL_TOO_MANY_STEPS);
    assert_non_null(strstr(dfl_message(ctx), "max_steps"));
    assert_int_equal(dfl_solver_statistics(solver).attempts, 20);
    assert_between(dfl_solver_time(solver), 1e-6, T_END - 1e-6);
    dfl_status status = DFL_TOO_MANY_STEPS;
    for (int i = 0; status == DFL_TOO_MANY_STEPS && i < 100; i++)
        status = dfl_solver_advance(solver, T_END);
    assert_int_equal(status, DFL_OK);
    assert_true(distance(dfl_solver_state(solver), pendulum.references[3].x, N) <
                ACCURATE * 12); /* lambda is about 12 */
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}

static void a_smaller_safety_factor_takes_shorter_steps(void **state)
{
    (void)state;
    const run usual = swing(&(dfl_solver_options){.rtol = 1e-7});
    const run careful = swing(&(dfl_solver_options){.rtol = 1e-7, .step.safety = 0.45});
    assert_accurate(&usual);
    assert_accurate(&careful);
    /* the factor of the step size is that of the safety, 2, where the controller is at work */
    assert_between((double)careful.stats.accepted / (double)usual.stats.accepted, 1.5, 2.5);
    assert_true(careful.stats.rejected_error <= usual.stats.rejected_error);
}

static void no_step_grows_by_more_than_max_factor(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double most = i ? 8 : 1.5;
        const run r = swing_noting(
            &taken,
            (dfl_solver_options){.rtol = 1e-7, .step.first = 1e-7, .step.max_factor = most});
        assert_accurate(&r);
        double largest = 0;
        for (int k = 1; k < taken.n - 1; k++)
            largest = fmax(largest, taken.h[k] / taken.h[k - 1]);
        /* the limit is reached from such a first step; quotients of differences of t at 1e-7 */
        assert_between(largest, 0.99 * most, most * (1 + 1e-6));
    }
}

/* A mass of 1 under the force 1e4 exp(-1e8 (t - 1/2)^2): nothing, then a blow of 0.1 ms. */
static int eval_blow(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = x[0];
    if (need & DFL_FORCE)
        out->f[0] = sin(30 * t) + 1e4 * exp(-1e8 * (t - 0.5) * (t - 0.5));
    return 0;
}

static void no_rejected_step_shrinks_by_more_than_min_factor(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1, .nv = 1, .eval = eval_blow};
    const double x0[2] = {0};
    dfl_solver_options options = {.rtol = 1e-6, .step.max = 2e-3};
    const run usual = run_with(&eom, 0, x0, 1, &options, NULL);
    options.step.min_factor = 0.9;
    const run slow = run_with(&eom, 0, x0, 1, &options, NULL);
    assert_succeeded(&usual);
    assert_succeeded(&slow);
    assert_true(usual.stats.rejected_error > 0);
    /* from 2e-3 to the 1e-5 that the blow needs: log(200)/log(5) = 3 or log(200)/log(1/0.9) = 50 */
    assert_true(slow.stats.rejected_error > usual.stats.rejected_error + 20);
}

static void the_classical_controller_forgets_the_last_error(void **state)
{
    (void)state;
    const run p = swing(&(dfl_solver_options){.rtol = 1e-6});
    const run c = swing(&(dfl_solver_options){.rtol = 1e-6, .step.control = DFL_CONTROL_CLASSICAL});
    assert_succeeded(&p);
    assert_succeeded(&c);
    assert_true(error_at(&c, &pendulum, T_END) < 10 * ACCURATE); /* at ten times the tolerance */
    /* the prediction takes the smaller of two proposals: never fewer steps, fewer rejections */
    assert_true(c.stats.accepted != p.stats.accepted ||
                c.stats.rejected_error != p.stats.rejected_error);
    assert_true(c.stats.rejected_error >= p.stats.rejected_error);
}

static double decompositions_per_attempt(const run *r)
{
    return (double)r->stats.differential_decompositions / (double)r->stats.attempts;
}

static void keep_low_and_keep_high_bound_the_changes_that_are_ignored(void **state)
{
    (void)state;
    dfl_solver_options options = {.rtol = 1e-6,
                                  .newton.reference = DFL_REFERENCE_START,
                                  .newton.reuse = 0.5,
                                  .newton.updates = -1}; /* they decompose, too */
    const run usual = swing(&options);
    options.step.keep_high = 3;
    const run high = swing(&options);
    options.step.keep_high = 1; /* only an equal step is kept */
    const run never = swing(&options);
    options.step.keep_high = 0;
    options.step.keep_low = 0.5;
    const run low = swing(&options);
    assert_succeeded(&usual);
    assert_succeeded(&high);
    assert_succeeded(&never);
    assert_succeeded(&low);
    /* every kept step size saves a decomposition of the differential part */
    const double rate = decompositions_per_attempt(&usual);
    assert_true(decompositions_per_attempt(&high) < rate);
    assert_true(decompositions_per_attempt(&low) < rate);
    assert_true(decompositions_per_attempt(&never) > rate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_is_as_given),
        cmocka_unit_test(no_step_is_longer_than_max_step),
        cmocka_unit_test(fixed_steps_have_their_size_and_number),
        cmocka_unit_test(fixed_steps_go_on_when_newton_reaches_its_bound_only_on_request),
        cmocka_unit_test(a_fixed_step_that_diverges_behind_exact_ones_is_counted),
        cmocka_unit_test(fixed_steps_return_to_their_size_after_a_refused_state),
        cmocka_unit_test(max_steps_stops_and_the_run_can_go_on),
        cmocka_unit_test(a_smaller_safety_factor_takes_shorter_steps),
        cmocka_unit_test(no_step_grows_by_more_than_max_factor),
        cmocka_unit_test(no_rejected_step_shrinks_by_more_than_min_factor),
        cmocka_unit_test(the_classical_controller_forgets_the_last_error),
        cmocka_unit_test(keep_low_and_keep_high_bound_the_changes_that_are_ignored),
    };
    return cmocka_run_group_tests(tests, make_pendulum, free_pendulum);
}
