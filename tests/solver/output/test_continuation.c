/* test_continuation.c: how runs can be cut, turned and repeated, and what is counted. */
#include "recorder.h"
#include "counted.h"

static void on_step_may_stop_and_the_run_goes_on_from_there(void **state)
{
    (void)state;
    fixture f, g;
    begin(&f, "pendulum", (dfl_solver_options){.output.on_step = on_step});
    begin(&g, "pendulum", (dfl_solver_options){0});
    f.rec->stop_step = 7;
    assert_int_equal(dfl_solver_advance(f.solver, 3), DFL_STOPPED);
    assert_non_null(strstr(dfl_message(f.ctx), "on_step"));
    assert_int_equal(dfl_solver_statistics(f.solver).accepted, 7);
    assert_true(dfl_solver_time(f.solver) == f.rec->last);
    assert_int_equal(dfl_solver_advance(f.solver, 3), DFL_OK);
    assert_int_equal(dfl_solver_advance(g.solver, 3), DFL_OK);
    /* a stop changes nothing */
    assert_true(distance(dfl_solver_state(f.solver), dfl_solver_state(g.solver), f.n) == 0);
    assert_int_equal(f.rec->steps, dfl_solver_statistics(f.solver).accepted + 1);
    end(&f);
    end(&g);
}

static void on_output_may_stop_and_the_grid_goes_on_without_a_gap(void **state)
{
    (void)state;
    for (int stop = 2; stop < 40; stop += 3) {
        fixture f;
        begin(&f, "pendulum",
              (dfl_solver_options){
                  .rtol = 1e-3, .output.every = 0.01, .output.on_output = on_output});
        f.rec->stop_at = stop;
        assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_STOPPED);
        assert_non_null(strstr(dfl_message(f.ctx), "on_output"));
        assert_true(f.rec->t[stop - 1] <= dfl_solver_time(f.solver));
        assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_OK);
        assert_int_equal(f.rec->count, 101);
        for (int i = 0; i <= 100; i++)
            assert_near(f.rec->t[i], 0.01 * i, 1e-15);
        end(&f);
    }
}

/* From t to t plus a few roundings, at the start and later, with all methods. */
static void the_next_number_can_be_reached(void **state)
{
    (void)state;
    for (int method = 0; method < DFL_INTEGRATORS; method++)
        for (int k = 0; k < 4; k++) {
            const double t0[] = {1, 1e9, -3, 1e-3};
            fixture f;
            begin(&f, "pendulum", (dfl_solver_options){.integrator = (dfl_integrator)method});
            assert_int_equal(dfl_solver_start(f.solver, t0[k], f.prob.x0, NULL), DFL_OK);
            double t = t0[k];
            for (int i = 0; i < 12; i++) {
                for (int j = 0; j < 1 << i; j++)
                    t = nextafter(t, INFINITY);
                if (dfl_solver_advance(f.solver, t) != DFL_OK)
                    fail_msg("%s at %.17g: %s", dfl_integrator_name((dfl_integrator)method), t,
                             dfl_message(f.ctx));
                assert_true(dfl_solver_time(f.solver) == t);
            }
            assert_int_equal(dfl_solver_advance(f.solver, t0[k] + 0.1), DFL_OK);
            end(&f);
        }
}

/* Stopped within a step, then turned round: the grid of the way back begins at the present time. */
static void a_stopped_run_may_turn_round(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "pendulum",
          (dfl_solver_options){.rtol = 1e-3, .output.every = 0.01, .output.on_output = on_output});
    f.rec->stop_at = 30;
    assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_STOPPED);
    const double t = dfl_solver_time(f.solver);
    assert_int_equal(dfl_solver_advance(f.solver, 0), DFL_OK);
    assert_true(f.rec->t[30] < t && f.rec->t[30] >= t - 0.01);
    assert_true(f.rec->t[f.rec->count - 1] == 0);
    end(&f);
}

/* The error of either way is within ten times the tolerance or so. */
static void integrating_back_returns_to_the_start(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum", "pendulum_energy", "sleigh", "top_invariants"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        fixture f;
        begin(&f, names[k], (dfl_solver_options){.rtol = 1e-8});
        const dfl_layout at = dfl_eom_layout(&f.prob.eom);
        double x0[RUN_MOST];
        memcpy(x0, dfl_solver_state(f.solver), (size_t)f.n * sizeof *x0);
        const double span = fmin(1, f.prob.t_end - f.prob.t0);
        if (dfl_solver_advance(f.solver, f.prob.t0 + span))
            fail_msg("%s: %s", names[k], dfl_message(f.ctx));
        assert_int_equal(dfl_solver_advance(f.solver, f.prob.t0), DFL_OK);
        assert_true(dfl_solver_time(f.solver) == f.prob.t0);
        for (int i = at.v; i < at.n; i++)
            assert_near(dfl_solver_state(f.solver)[i], x0[i], 1e-5 * fmax(1, fabs(x0[i])));
        end(&f);
    }
}

/* Fifty pieces cost at most one cut step each, and the step size survives a cut. */
static void many_small_advances_agree_with_one(void **state)
{
    (void)state;
    fixture f, g;
    begin(&f, "pendulum", (dfl_solver_options){.rtol = 1e-8});
    begin(&g, "pendulum", (dfl_solver_options){.rtol = 1e-8});
    assert_int_equal(dfl_solver_advance(f.solver, 2.5), DFL_OK);
    for (int k = 1; k <= 50; k++)
        assert_int_equal(dfl_solver_advance(g.solver, 0.05 * k), DFL_OK);
    const dfl_statistics one = dfl_solver_statistics(f.solver);
    const dfl_statistics many = dfl_solver_statistics(g.solver);
    assert_true(dfl_solver_time(f.solver) == dfl_solver_time(g.solver));
    assert_true(distance(dfl_solver_state(f.solver), dfl_solver_state(g.solver), f.n) < 1e-6);
    assert_true(many.accepted <= one.accepted + 50);
    end(&f);
    end(&g);
}

static void an_advance_of_length_zero_changes_nothing(void **state)
{
    (void)state;
    fixture f;
    double x[RUN_MOST];
    begin(&f, "andrews",
          (dfl_solver_options){.output.on_output = on_output, .output.on_step = on_step});
    assert_int_equal(dfl_solver_advance(f.solver, 0), DFL_OK);
    assert_int_equal(dfl_solver_statistics(f.solver).attempts, 0);
    assert_int_equal(dfl_solver_advance(f.solver, 0.01), DFL_OK);
    memcpy(x, dfl_solver_state(f.solver), (size_t)f.n * sizeof *x);
    const int outputs = f.rec->count;
    const double h = dfl_solver_step(f.solver);
    assert_int_equal(dfl_solver_advance(f.solver, 0.01), DFL_OK);
    assert_true(distance(x, dfl_solver_state(f.solver), f.n) == 0);
    assert_true(dfl_solver_step(f.solver) == h);
    assert_int_equal(f.rec->count, outputs);
    end(&f);
}

static void an_advance_by_one_rounding_error_succeeds(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "pendulum", (dfl_solver_options){0});
    assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_OK);
    for (int k = 0; k < 5; k++) {
        const double t = nextafter(dfl_solver_time(f.solver), 2);
        assert_int_equal(dfl_solver_advance(f.solver, t), DFL_OK);
        assert_true(dfl_solver_time(f.solver) == t);
    }
    assert_int_equal(dfl_solver_advance(f.solver, 2), DFL_OK);
    assert_near(dfl_solver_state(f.solver)[3], 1, 1e-4);
    end(&f);
}

static void advance_some(fixture *f, double *x, double t_end)
{
    assert_int_equal(dfl_solver_advance(f->solver, t_end), DFL_OK);
    memcpy(x, dfl_solver_state(f->solver), (size_t)f->n * sizeof *x);
}

static double short_span(const problem *prob)
{
    return prob->t0 + fmin(0.3, 0.3 * (prob->t_end - prob->t0));
}

static void starting_again_repeats_a_run_bit_by_bit(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum_energy", "andrews", "bricard",        "friction",
                                 "oscillator",      "servo",   "top_invariants", "slidercrank",
                                 "fekete",          "sleigh"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int selectors = DFL_ORTHOGONAL; selectors <= DFL_UNIT; selectors++) {
            problem prob;
            assert_true(problem_make(&prob, names[k], 0));
            const int n = dfl_eom_unknowns(&prob.eom);
            const double t_end = short_span(&prob);
            double *x = calloc((size_t)n, sizeof *x);
            dfl_context *ctx = dfl_context_create();
            dfl_solver *solver = NULL;
            const dfl_solver_options options = {.constraints.selectors = (dfl_selectors)selectors};
            assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
            dfl_statistics first = {0};
            for (int round = 0; round < 3; round++) {
                if (dfl_solver_start(solver, prob.t0, prob.x0, NULL) ||
                    dfl_solver_advance(solver, t_end))
                    fail_msg("%s, selectors %d: %s", names[k], selectors, dfl_message(ctx));
                const dfl_statistics stats = dfl_solver_statistics(solver);
                if (round == 0) {
                    memcpy(x, dfl_solver_state(solver), (size_t)n * sizeof *x);
                    first = stats;
                } else if (memcmp(x, dfl_solver_state(solver), (size_t)n * sizeof *x) != 0) {
                    fail_msg("%s differs when started again", names[k]);
                }
                assert_int_equal(stats.evaluations, first.evaluations);
                assert_int_equal(stats.jacobians, first.jacobians);
                assert_int_equal(stats.check_evaluations, first.check_evaluations);
                if (round == 1) /* leave it somewhere else */
                    assert_int_equal(dfl_solver_advance(solver, t_end + 0.01 * (t_end - prob.t0)),
                                     DFL_OK);
            }
            dfl_solver_free(solver);
            dfl_context_free(ctx);
            free(x);
            problem_free(&prob);
        }
}

static void two_solvers_side_by_side_do_not_disturb_each_other(void **state)
{
    (void)state;
    fixture f, g;
    double alone_f[RUN_MOST], alone_g[RUN_MOST], x[RUN_MOST];
    begin(&f, "andrews", (dfl_solver_options){0});
    begin(&g, "friction", (dfl_solver_options){.constraints.selectors = DFL_UNIT});
    for (int k = 1; k <= 10; k++)
        advance_some(&f, alone_f, 0.003 * k);
    for (int k = 1; k <= 10; k++)
        advance_some(&g, alone_g, 0.2 * k);
    end(&f);
    end(&g);
    begin(&f, "andrews", (dfl_solver_options){0});
    begin(&g, "friction", (dfl_solver_options){.constraints.selectors = DFL_UNIT});
    for (int k = 1; k <= 10; k++) {
        advance_some(&g, x, 0.2 * k);
        advance_some(&f, x, 0.003 * k);
    }
    assert_memory_equal(dfl_solver_state(f.solver), alone_f, (size_t)f.n * sizeof(double));
    assert_memory_equal(dfl_solver_state(g.solver), alone_g, (size_t)g.n * sizeof(double));
    end(&f);
    end(&g);
}

static void the_statistics_count_every_call_of_the_model(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum_energy", "andrews", "bricard", "oscillator", "friction"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int differences = 0; differences <= 1; differences++) {
            fixture f;
            begin(&f, names[k], (dfl_solver_options){0});
            counter c;
            dfl_eom eom = counted_model(&c, &f.prob.eom);
            if (differences)
                eom.jacobian = NULL;
            const dfl_solver_options options = {.output.every = short_span(&f.prob) / 10,
                                                .output.project = true,
                                                .output.on_output = on_output,
                                                .user = f.rec};
            dfl_solver *solver = NULL;
            assert_int_equal(dfl_solver_create(&solver, f.ctx, &eom, &options), DFL_OK);
            assert_int_equal(dfl_solver_start(solver, f.prob.t0, f.prob.x0, NULL), DFL_OK);
            assert_int_equal(dfl_solver_advance(solver, short_span(&f.prob)), DFL_OK);
            const dfl_statistics s = dfl_solver_statistics(solver);
            if (s.evaluations + s.difference_evaluations + s.check_evaluations != c.eval)
                fail_msg("%s: %ld + %ld + %ld evaluations, %ld calls", names[k], s.evaluations,
                         s.difference_evaluations, s.check_evaluations, c.eval);
            assert_true(s.accepted > 0);
            assert_true(s.accepted + s.rejected_error + s.rejected_newton <= s.attempts);
            /* only rejections of the first step are left out of rejected_error, as in RADAU5 */
            assert_true(s.accepted + s.rejected_error + s.rejected_newton >= s.attempts - 5);
            assert_true(s.algebraic_decompositions <= s.jacobians);
            assert_true(s.seconds > 0);
            assert_true(s.max_residual.position < 1e-6 && s.max_residual.velocity < 1e-4);
            if (eom.jacobian)
                assert_true(s.jacobians <= c.jacobian);
            dfl_solver_free(solver);
            end(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_step_may_stop_and_the_run_goes_on_from_there),
        cmocka_unit_test(on_output_may_stop_and_the_grid_goes_on_without_a_gap),
        cmocka_unit_test(the_next_number_can_be_reached),
        cmocka_unit_test(a_stopped_run_may_turn_round),
        cmocka_unit_test(integrating_back_returns_to_the_start),
        cmocka_unit_test(many_small_advances_agree_with_one),
        cmocka_unit_test(an_advance_of_length_zero_changes_nothing),
        cmocka_unit_test(an_advance_by_one_rounding_error_succeeds),
        cmocka_unit_test(starting_again_repeats_a_run_bit_by_bit),
        cmocka_unit_test(two_solvers_side_by_side_do_not_disturb_each_other),
        cmocka_unit_test(the_statistics_count_every_call_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
