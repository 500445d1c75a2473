/* test_failures.c: whatever fails once, an allocation or a callback, the caller gets a status
   with a message, nothing leaks, and the last accepted state stays usable. Allocations fail in
   turn through the context's hook. */
#include "failing.h"
#include "faulty.h"

/* ------------------------------------------------------------------ allocations */

static const char *const memory_problems[] = {"pendulum_energy", "andrews",  "bricard",
                                              "wheelset",        "friction", "oscillator"};
enum { MEMORY_PROBLEMS = sizeof memory_problems / sizeof *memory_problems };

static void create_survives_every_failed_allocation(void **state)
{
    (void)state;
    for (int p = 0; p < MEMORY_PROBLEMS; p++) {
        problem prob;
        assert_true(problem_make(&prob, memory_problems[p], 0));
        dfl_context *ctx = dfl_context_create();
        dfl_status status;
        const dfl_solver_options options = {.events.count = 1,
                                            .events.eval = spoiled_event,
                                            .constraints.selectors = DFL_USER,
                                            .constraints.select = spoiled_select};
        long n = 0;
        WHILE_ALLOCATIONS_FAIL(status, ctx) {
            dfl_solver *solver = (dfl_solver *)&prob; /* must be overwritten */
            status = dfl_solver_create(&solver, ctx, &prob.eom, &options);
            assert_true(!status || !solver);
            dfl_solver_free(solver);
            n++;
        }
        assert_true(n > 50); /* the hook was in use */
        dfl_context_free(ctx);
        problem_free(&prob);
    }
}

static void start_survives_every_failed_allocation(dfl_solver *solver, dfl_context *ctx,
                                                   const problem *prob, const dfl_conditions *cond)
{
    dfl_status status = DFL_NO_MEMORY;
    for (long n = 0; status == DFL_NO_MEMORY; n++) {
        assert_true(n < 100);
        dfl_context_fail_after(ctx, n);
        status = dfl_solver_start(solver, prob->t0, prob->x0, cond);
        if (status == DFL_NO_MEMORY) {
            assert_non_null(strstr(dfl_message(ctx), "memory"));
            assert_int_equal(dfl_solver_advance(solver, prob->t_end), DFL_INVALID);
            dfl_fail(ctx, DFL_INVALID, "-");
        }
    }
    dfl_context_fail_after(ctx, 0); /* advancing never allocates */
    if (status)
        fail_msg("%s: %s", prob->name, dfl_message(ctx));
    assert_int_equal(dfl_solver_advance(solver, prob->t0 + span_of(prob)), DFL_OK);
    dfl_context_fail_after(ctx, -1);
}

/* Conditions that any start fulfils: nothing is asked of the model. */
static int no_demand(double *residual, double t, const double *x, void *user)
{
    (void)t, (void)user;
    residual[0] = 0 * x[0];
    residual[1] = 0;
    return 0;
}

static void every_way_to_start_survives_every_failed_allocation(void **state)
{
    (void)state;
    for (int p = 0; p < MEMORY_PROBLEMS; p++)
        for (int mode = 0; mode < 4; mode++)
            for (int self_check = 0; self_check <= 1; self_check++) {
                problem prob;
                assert_true(problem_make(&prob, memory_problems[p], 0));
                dfl_context *ctx = dfl_context_create();
                dfl_solver *solver = NULL;
                const dfl_solver_options options = {.self_check = self_check};
                assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
                const int n = dfl_eom_unknowns(&prob.eom);
                /* a consistent start for the modes that do not complete it */
                double x0[RUN_MOST];
                if (dfl_solver_start(solver, prob.t0, prob.x0, NULL))
                    fail_msg("%s %s", prob.name, dfl_message(ctx));
                memcpy(x0, dfl_solver_state(solver), (size_t)n * sizeof *x0);
                memcpy(prob.x0, x0, (size_t)n * sizeof *x0);
                const dfl_conditions cond = {.mode = (dfl_start_mode)mode,
                                             .nconditions = mode == DFL_START_CONDITIONS ? 2 : 0,
                                             .condition = no_demand};
                start_survives_every_failed_allocation(solver, ctx, &prob, &cond);
                dfl_solver_free(solver);
                assert_int_equal(dfl_context_live(ctx), 0);
                dfl_context_free(ctx);
                problem_free(&prob);
            }
}

/* ------------------------------------------------------------------ callbacks */

/* The k-th call is spoiled, everything else works. The run fails cleanly or recovers; either way it
   reaches the end and agrees with the run without a fault. */
static void one_fault(const char *name, damage d, long k, const double *expected, double tolerance)
{
    faulty f;
    make_faulty(&f, name, d);
    f.from = k;
    f.to = k + 1;
    const dfl_solver_options options = options_for(&f);
    const double t_end = f.prob.t0 + span_of(&f.prob);
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, &options), DFL_OK);
    dfl_status status = start_faulty(solver, &f);
    if (status) {
        if (!fits(&d, status) || (d.rc && !names_target(ctx, d.target)))
            fail_msg("%s, start, %s call %ld rc %d block %d: %s: %s", name, target_name[d.target],
                     k, d.rc, d.block, dfl_status_name(status), dfl_message(ctx));
        if (status != DFL_STOPPED) {
            assert_int_equal(dfl_solver_advance(solver, t_end), DFL_INVALID);
            if (start_faulty(solver, &f))
                fail_msg("%s, started again after %s call %ld rc %d block %d: %s", name,
                         target_name[d.target], k, d.rc, d.block, dfl_message(ctx));
        }
    }
    status = dfl_solver_advance(solver, t_end);
    if (status) {
        if (!fits(&d, status) || (d.rc && !names_target(ctx, d.target)))
            fail_msg("%s, advance, %s call %ld rc %d block %d: %s: %s", name, target_name[d.target],
                     k, d.rc, d.block, dfl_status_name(status), dfl_message(ctx));
        assert_usable(solver, &f.prob, 1e-5);
        if (dfl_solver_advance(solver, t_end))
            fail_msg("%s, continued after %s call %ld rc %d block %d: %s", name,
                     target_name[d.target], k, d.rc, d.block, dfl_message(ctx));
    }
    assert_usable(solver, &f.prob, 1e-5);
    const dfl_layout at = dfl_eom_layout(&f.prob.eom);
    for (int i = at.v; i < at.n; i++)
        if (fabs(dfl_solver_state(solver)[i] - expected[i]) >
            tolerance * fmax(1, fabs(expected[i])))
            fail_msg("%s, %s call %ld rc %d block %d: x[%d] is %.10g, not %.10g", name,
                     target_name[d.target], k, d.rc, d.block, i, dfl_solver_state(solver)[i],
                     expected[i]);
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    problem_free(&f.prob);
}

/* Every call, in longer runs every call up to a bound and then every stride-th one, with all
   kinds of damage. Recovery changes the steps, so the result changes by some tolerances (1e-6):
   1e-4 tells it from a wrong one. */
static void every_call_may_fail(const char *name, target which, int blocks)
{
    double expected[RUN_MOST];
    const long calls = without_fault(expected, name, (damage){.target = which});
    assert_true(calls > 0);
    for (long k = 0; k < calls; k += k < 40 || calls <= 300 ? 1 : 1 + calls / 23) {
        one_fault(name, (damage){.target = which, .rc = 1}, k, expected, 1e-4);
        one_fault(name, (damage){.target = which, .rc = -1}, k, expected, 1e-4);
        for (int b = 0; b < blocks; b++) {
            one_fault(name, (damage){.target = which, .block = b, .value = NAN}, k, expected, 1e-4);
            if (k % 7 == 0)
                one_fault(name, (damage){.target = which, .block = b, .value = -INFINITY}, k,
                          expected, 1e-4);
        }
    }
}

static void every_call_of_eval_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", EVAL, EVAL_BLOCKS);
    every_call_may_fail("friction", EVAL, EVAL_BLOCKS);
    every_call_may_fail("oscillator", EVAL, EVAL_BLOCKS);
}

static void every_call_of_eval_may_fail_once_in_larger_models(void **state)
{
    (void)state;
    const char *const names[] = {"servo", "sleigh", "andrews", "bricard", "wheelset", "top"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        every_call_may_fail(names[i], EVAL, EVAL_BLOCKS);
}

static void every_call_of_eval_may_fail_once_in_other_forms(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum_energy", "friction", "sleigh"};
    const dfl_solver_options variants[] = {{.form = DFL_PSI1},
                                           {.constraints.selectors = DFL_UNIT},
                                           {.newton.reference = DFL_REFERENCE_START},
                                           {.newton.carry_accelerations = true},
                                           {.constraints.algebraic = DFL_ALGEBRAIC_SVD}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
            variant = variants[k];
            every_call_may_fail(names[i], EVAL, EVAL_BLOCKS);
        }
        variant = (dfl_solver_options){0};
    }
}

static void every_call_of_eval_may_fail_once_with_differences(void **state)
{
    (void)state;
    by_differences = true;
    every_call_may_fail("pendulum_energy", EVAL, EVAL_BLOCKS);
    every_call_may_fail("friction", EVAL, EVAL_BLOCKS);
    by_differences = false;
}

/* Without the acceleration level nothing but the dynamics contains M. */
static void every_call_of_mass_callbacks_may_fail_once_in_psi1(void **state)
{
    (void)state;
    variant = (dfl_solver_options){.form = DFL_PSI1};
    every_call_may_fail("pendulum_energy", MASS, 1);
    every_call_may_fail("pendulum_energy", MASS_TIMES, 1);
    every_call_may_fail("pendulum_energy", RESIDUAL, 1);
    variant = (dfl_solver_options){0};
}

static void every_call_of_mass_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", MASS, 1);
    every_call_may_fail("andrews", MASS, 1);
}

static void every_call_of_mass_times_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", MASS_TIMES, 1);
    every_call_may_fail("friction", MASS_TIMES, 1);
}

static void every_call_of_residual_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", RESIDUAL, 1);
    every_call_may_fail("friction", RESIDUAL, 1);
}

static void every_call_of_jacobian_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", JACOBIAN, JACOBIAN_BLOCKS);
    every_call_may_fail("friction", JACOBIAN, JACOBIAN_BLOCKS);
    every_call_may_fail("oscillator", JACOBIAN, JACOBIAN_BLOCKS);
}

static void every_call_of_select_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum", SELECT, 1);
}

static void every_call_of_condition_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum", CONDITION, 1);
}

static void every_call_of_event_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", EVENT, 1);
}

static void every_call_of_on_step_and_on_output_may_stop_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", ON_STEP, 0);
    every_call_may_fail("pendulum_energy", ON_OUTPUT, 0);
}

/* A callback that asks to stop at its k-th call of a start from off the constraints ends it,
   whatever it was called for. */
static void stops_of_start(const char *name, target which)
{
    long k = 0;
    for (bool reached = true; reached; k++) {
        faulty f;
        make_faulty(&f, name, (damage){.target = which, .rc = -1});
        f.from = k;
        f.to = k + 1;
        const dfl_layout at = dfl_eom_layout(&f.eom);
        for (int i = at.p; i < at.n; i++)
            f.prob.x0[i] += 0.05 * (i % 3);
        const dfl_solver_options options = options_for(&f);
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, &options), DFL_OK);
        const dfl_status status = dfl_solver_start(solver, f.prob.t0, f.prob.x0, NULL);
        reached = f.calls > k;
        assert_int_equal(status, reached ? DFL_CALLBACK : DFL_OK);
        assert_true(!reached || strstr(dfl_message(ctx), target_name[which]));
        f.from = f.to; /* and starts when asked again */
        assert_int_equal(dfl_solver_start(solver, f.prob.t0, f.prob.x0, NULL), DFL_OK);
        dfl_solver_free(solver);
        dfl_context_free(ctx);
        problem_free(&f.prob);
    }
    assert_true(k > 3);
}

static void a_start_obeys_every_callback_that_asks_to_stop(void **state)
{
    (void)state;
    stops_of_start("pendulum", EVAL);
    stops_of_start("pendulum", JACOBIAN);
    stops_of_start("slidercrank", EVAL);
    stops_of_start("slidercrank", MASS);
    by_differences = true;
    stops_of_start("caraxis", EVAL);
    by_differences = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_obeys_every_callback_that_asks_to_stop),
        cmocka_unit_test(create_survives_every_failed_allocation),
        cmocka_unit_test(every_way_to_start_survives_every_failed_allocation),
        cmocka_unit_test(every_call_of_eval_may_fail_once),
        cmocka_unit_test(every_call_of_eval_may_fail_once_in_larger_models),
        cmocka_unit_test(every_call_of_eval_may_fail_once_in_other_forms),
        cmocka_unit_test(every_call_of_eval_may_fail_once_with_differences),
        cmocka_unit_test(every_call_of_mass_may_fail_once),
        cmocka_unit_test(every_call_of_mass_callbacks_may_fail_once_in_psi1),
        cmocka_unit_test(every_call_of_mass_times_may_fail_once),
        cmocka_unit_test(every_call_of_residual_may_fail_once),
        cmocka_unit_test(every_call_of_jacobian_may_fail_once),
        cmocka_unit_test(every_call_of_select_may_fail_once),
        cmocka_unit_test(every_call_of_condition_may_fail_once),
        cmocka_unit_test(every_call_of_event_may_fail_once),
        cmocka_unit_test(every_call_of_on_step_and_on_output_may_stop_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
