/* test_newton_options.c: options of Newton's iteration: where its matrix is taken, how long it is
   kept, how far it iterates. */
#include "swing.h"

static void every_reference_point_gives_the_solution_with_its_own_work(void **state)
{
    (void)state;
    double solves[5] = {0}; /* per attempt, with a new matrix for each */
    for (int ref = DFL_REFERENCE_START; ref <= DFL_REFERENCE_STAGE3; ref++) {
        const run r = swing(&(dfl_solver_options){
            .rtol = 1e-7, .newton.reference = (dfl_reference)ref, .newton.reuse = -1});
        assert_accurate(&r);
        solves[ref] = (double)r.stats.back_substitutions / (double)r.stats.attempts;
        for (int other = DFL_REFERENCE_START; other < ref; other++)
            assert_true(solves[ref] != solves[other]);
    }
    /* a matrix inside the step is closer to all stages than one at its start */
    assert_true(solves[DFL_REFERENCE_STAGE2] < solves[DFL_REFERENCE_START]);
}

static void constant_prediction_costs_iterations(void **state)
{
    (void)state;
    const dfl_solver_options extrapolate = {.rtol = 1e-7, .newton.reference = DFL_REFERENCE_START};
    dfl_solver_options constant = extrapolate;
    constant.newton.prediction = DFL_CONSTANT;
    const run e = swing(&extrapolate), c = swing(&constant);
    assert_accurate(&e);
    assert_accurate(&c);
    assert_true((double)c.stats.back_substitutions > 1.2 * (double)e.stats.back_substitutions);
}

static void newton_iterations_bounds_the_solves_of_an_attempt(void **state)
{
    (void)state;
    const run few =
        swing(&(dfl_solver_options){.rtol = 1e-7, .newton.iterations = 3, .newton.updates = -1});
    const run many =
        swing(&(dfl_solver_options){.rtol = 1e-7, .newton.iterations = 10, .newton.updates = -1});
    assert_accurate(&many);
    assert_accurate(&few);
    assert_true(few.stats.back_substitutions <= 3 * few.stats.attempts);
    assert_true(few.stats.rejected_newton > many.stats.rejected_newton);
}

static void newton_updates_bounds_the_matrices_of_an_attempt(void **state)
{
    (void)state;
    /* a hard iteration bound makes updates necessary */
    dfl_solver_options options = {.rtol = 1e-7, .newton.iterations = 3, .newton.updates = -1};
    const run none = swing(&options);
    options.newton.updates = 2;
    const run two = swing(&options);
    assert_accurate(&none);
    assert_accurate(&two);
    assert_int_equal(none.stats.newton_updates, 0);
    assert_true(two.stats.newton_updates > 0);
    assert_true(two.stats.newton_updates <= 2 * two.stats.attempts);
    assert_true(two.stats.rejected_newton < none.stats.rejected_newton);
}

static void a_smaller_newton_tolerance_iterates_more_and_leaves_less(void **state)
{
    (void)state;
    const run loose = swing(&(dfl_solver_options){.rtol = 1e-5, .newton.tolerance = 0.03});
    const run tight = swing(&(dfl_solver_options){.rtol = 1e-5, .newton.tolerance = 1e-6});
    assert_succeeded(&loose);
    assert_succeeded(&tight);
    assert_true((double)tight.stats.back_substitutions / (double)tight.stats.attempts >
                1 + (double)loose.stats.back_substitutions / (double)loose.stats.attempts);
    assert_true(tight.stats.max_residual.position < 1e-2 * loose.stats.max_residual.position);
}

static void a_small_multiplier_weight_lets_newton_stop_earlier(void **state)
{
    (void)state;
    const run one = swing(&(dfl_solver_options){.rtol = 1e-7});
    const run less = swing(&(dfl_solver_options){.rtol = 1e-7, .newton.multiplier_weight = 1e-3});
    assert_accurate(&one);
    assert_succeeded(&less);
    assert_true(less.stats.back_substitutions < one.stats.back_substitutions);
}

static void the_matrix_is_kept_while_newton_is_fast(void **state)
{
    (void)state;
    for (int ref = DFL_REFERENCE_START; ref <= DFL_REFERENCE_STAGE3; ref++) {
        dfl_solver_options options = {.rtol = 1e-7, .newton.reference = (dfl_reference)ref};
        const run usual = swing(&options);
        options.newton.reuse = -1;
        const run never = swing(&options);
        options.newton.reuse = 0.2;
        const run often = swing(&options);
        options.newton.reuse = ref == DFL_REFERENCE_START ? 1e-3 : 0.03;
        const run same = swing(&options);
        assert_accurate(&never);
        assert_accurate(&often);
        assert_true(never.stats.jacobians >= never.stats.accepted);
        assert_true(often.stats.jacobians < often.stats.accepted / 2);
        assert_memory_equal(usual.x, same.x, sizeof same.x); /* the default */
    }
}

/* With a kept matrix that is too old, no smaller step makes Newton converge: the algebraic part of
   the matrix does not depend on the step size. */
static void a_kept_matrix_is_renewed_when_newton_fails(void **state)
{
    (void)state;
    const run r = swing(&(dfl_solver_options){.rtol = 1e-6,
                                              .newton.reference = DFL_REFERENCE_START,
                                              .newton.reuse = 0.5,
                                              .newton.updates = -1});
    assert_succeeded(&r);
    assert_true(r.stats.rejected_newton > 0);
    assert_true(error_at(&r, &pendulum, T_END) < 10 * ACCURATE); /* at ten times the tolerance */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reference_point_gives_the_solution_with_its_own_work),
        cmocka_unit_test(constant_prediction_costs_iterations),
        cmocka_unit_test(newton_iterations_bounds_the_solves_of_an_attempt),
        cmocka_unit_test(newton_updates_bounds_the_matrices_of_an_attempt),
        cmocka_unit_test(a_smaller_newton_tolerance_iterates_more_and_leaves_less),
        cmocka_unit_test(a_small_multiplier_weight_lets_newton_stop_earlier),
        cmocka_unit_test(the_matrix_is_kept_while_newton_is_fast),
        cmocka_unit_test(a_kept_matrix_is_renewed_when_newton_fails),
    };
    return cmocka_run_group_tests(tests, make_pendulum, free_pendulum);
}
