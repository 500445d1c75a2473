/* test_lasting_faults.c: a fault that stays ends the run in bounded time, with a message that names
   it. */
#include "faulty.h"

/* From call k on every call is spoiled. The number of attempts is bounded by halvings from the step
   to the rounding error of t, or at t = 0 to the smallest numbers: a thousand. */
static void lasting_fault(const char *name, damage d, long k, const char *text)
{
    faulty f;
    make_faulty(&f, name, d);
    f.from = k;
    f.to = 1L << 40;
    const dfl_solver_options options = options_for(&f);
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, &options), DFL_OK);
    dfl_status status = start_faulty(solver, &f);
    const bool started = !status;
    if (started)
        status = dfl_solver_advance(solver, f.prob.t_end);
    if (!fits(&d, status) || !names_target(ctx, d.target) || !strstr(dfl_message(ctx), text))
        fail_msg("%s, %s from call %ld, rc %d, block %d: %s: %s", name, target_name[d.target], k,
                 d.rc, d.block, dfl_status_name(status), dfl_message(ctx));
    if (started) {
        assert_true(dfl_solver_statistics(solver).attempts < 3000);
        assert_usable(solver, &f.prob, 1e-5);
        f.to = 0; /* repaired */
        assert_int_equal(dfl_solver_advance(solver, f.prob.t0 + span_of(&f.prob)), DFL_OK);
    }
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    problem_free(&f.prob);
}

/* During the start, in the first step, and far into the run. */
static void every_lasting_fault(const char *name, target which)
{
    double x[RUN_MOST];
    const long calls = without_fault(x, name, (damage){.target = which});
    const long from[] = {0, 1, calls / 4, calls / 2, calls - 1};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        lasting_fault(name, (damage){.target = which, .rc = 1}, from[i], "");
        lasting_fault(name, (damage){.target = which, .rc = -1}, from[i], "");
    }
}

static void a_callback_that_keeps_refusing_ends_the_run_in_bounded_time(void **state)
{
    (void)state;
    every_lasting_fault("pendulum_energy", EVAL);
    every_lasting_fault("pendulum_energy", MASS);
    every_lasting_fault("pendulum_energy", MASS_TIMES);
    every_lasting_fault("pendulum_energy", RESIDUAL);
    every_lasting_fault("pendulum_energy", JACOBIAN);
    every_lasting_fault("pendulum", SELECT);
    every_lasting_fault("friction", EVAL);
    every_lasting_fault("oscillator", EVAL);
}

static void lasting_numbers(const char *name, target which, int blocks)
{
    double x[RUN_MOST];
    const long calls = without_fault(x, name, (damage){.target = which});
    const long from[] = {0, calls / 2};
    for (int b = 0; b < blocks; b++)
        for (size_t i = 0; i < 2; i++) {
            problem prob;
            assert_true(problem_make(&prob, name, 0));
            const block eval = eval_block(&(dfl_blocks){0}, &prob.eom, b % EVAL_BLOCKS);
            const block jac = jacobian_block(&(dfl_jacobian){0}, &prob.eom, b % JACOBIAN_BLOCKS);
            const block *part = which == EVAL ? &eval : &jac;
            problem_free(&prob);
            if (part->count == 0)
                continue;
            lasting_fault(name, (damage){.target = which, .block = b, .value = NAN}, from[i],
                          part->name);
            lasting_fault(name, (damage){.target = which, .block = b, .value = INFINITY}, from[i],
                          part->name);
        }
}

static void lasting_nan_in_a_block_is_reported_with_its_name_and_index(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum_energy", "friction", "oscillator",
                                 "servo",           "sleigh",   "top"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lasting_numbers(names[i], EVAL, EVAL_BLOCKS);
        lasting_numbers(names[i], JACOBIAN, JACOBIAN_BLOCKS);
    }
}

static void lasting_nan_of_mass_callbacks_is_reported_with_their_name(void **state)
{
    (void)state;
    const target which[] = {MASS, MASS_TIMES, RESIDUAL};
    const char *const names[] = {"pendulum_energy", "friction"};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            double x[RUN_MOST];
            const long calls = without_fault(x, names[j], (damage){.target = which[i]});
            lasting_fault(names[j], (damage){.target = which[i], .value = NAN}, 0, "");
            lasting_fault(names[j], (damage){.target = which[i], .value = NAN}, calls / 2, "f[0]");
            variant = (dfl_solver_options){.form = DFL_PSI1};
            lasting_fault(names[j], (damage){.target = which[i], .value = NAN}, calls / 2, "f[0]");
            variant = (dfl_solver_options){0};
        }
}

static void selectors_that_are_not_finite_are_named(void **state)
{
    (void)state;
    lasting_fault("pendulum", (damage){.target = SELECT, .value = NAN}, 0, "selectors");
    lasting_fault("pendulum", (damage){.target = SELECT, .value = INFINITY}, 9, "selectors");
}

/* A force that no step size resolves: its sign flips with every call. */
static int flickering_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    faulty *f = user;
    const int rc = f->model->eval(out, t, x, need, f->model->user);
    if ((need & DFL_FORCE) && t > 0.1)
        out->f[0] += f->calls++ % 2 ? 1e30 : -1e30;
    return rc;
}

static void a_collapsing_step_size_ends_the_run_in_bounded_time(void **state)
{
    (void)state;
    faulty f;
    make_faulty(&f, "pendulum", (damage){.target = TARGETS});
    f.eom.eval = flickering_eval;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, NULL), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, f.prob.x0, NULL), DFL_OK);
    const dfl_status status = dfl_solver_advance(solver, 1);
    if (status != DFL_NOT_CONVERGED && status != DFL_SINGULAR)
        fail_msg("%s: %s", dfl_status_name(status), dfl_message(ctx));
    assert_true(dfl_solver_statistics(solver).attempts < 20000);
    assert_between(dfl_solver_time(solver), 0.05, 0.2);
    assert_usable(solver, &f.prob, 1e-5);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&f.prob);
}

static void the_limit_of_steps_ends_an_advance_that_can_be_continued(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_solver_options options = {.step.max_attempts = 10};
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, prob.x0, NULL), DFL_OK);
    dfl_status status = DFL_TOO_MANY_STEPS;
    int advances = 0;
    while (status == DFL_TOO_MANY_STEPS && advances++ < 100) {
        const long before = dfl_solver_statistics(solver).attempts;
        status = dfl_solver_advance(solver, 2);
        assert_true(dfl_solver_statistics(solver).attempts - before <= 10);
        if (status)
            assert_non_null(strstr(dfl_message(ctx), "max_steps"));
    }
    assert_int_equal(status, DFL_OK);
    assert_true(advances > 2);
    assert_near(dfl_solver_state(solver)[3], 1, 1e-4);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&prob);
}

/* A failing fixed step is halved; afterwards the size is again the one asked for. */
static void a_fixed_step_returns_to_its_size_after_a_fault(void **state)
{
    (void)state;
    faulty f;
    make_faulty(&f, "pendulum", (damage){.target = EVAL, .rc = 1});
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_solver_options options = {.step.fixed = 0.01};
    assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, f.prob.x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, 0.1), DFL_OK);
    f.from = f.calls + 1;
    f.to = f.from + 1;
    assert_int_equal(dfl_solver_advance(solver, 1), DFL_OK);
    assert_true(dfl_solver_step(solver) == 0.01);
    assert_in_range(dfl_solver_statistics(solver).accepted, 100, 102);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&f.prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_that_keeps_refusing_ends_the_run_in_bounded_time),
        cmocka_unit_test(lasting_nan_in_a_block_is_reported_with_its_name_and_index),
        cmocka_unit_test(lasting_nan_of_mass_callbacks_is_reported_with_their_name),
        cmocka_unit_test(selectors_that_are_not_finite_are_named),
        cmocka_unit_test(a_collapsing_step_size_ends_the_run_in_bounded_time),
        cmocka_unit_test(the_limit_of_steps_ends_an_advance_that_can_be_continued),
        cmocka_unit_test(a_fixed_step_returns_to_its_size_after_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
