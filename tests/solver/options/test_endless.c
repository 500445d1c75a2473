/* Options with which a run could never end are refused at once: steps that do not change the time,
   and rows without number. */
#include "evidence.h"

static int ignore(double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    return 0;
}

static void assert_refused(dfl_solver_options options, double from, double to, const char *name)
{
    problem prob;
    dfl_solver *solver = NULL;
    dfl_context *ctx = dfl_context_create();
    assert_true(problem_make(&prob, "pendulum", 0));
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, from, prob.x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, to), DFL_INVALID);
    if (!strstr(dfl_message(ctx), name))
        fail_msg("expected '%s' in '%s'", name, dfl_message(ctx));
    assert_true(dfl_solver_time(solver) == from);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&prob);
}

static void what_cannot_end_is_refused_at_once(void **state)
{
    (void)state;
    for (double sense = -1; sense <= 1; sense += 2) {
        const double t = 1e6 * sense;
        dfl_solver_options rows = {.output.every = 1e-12, .output.on_output = ignore};
        assert_refused(rows, t, t + 1, "every");
        assert_refused(rows, t, t - 1, "every");
        assert_refused((dfl_solver_options){.step.max = 1e-12}, t, t + 1, "max_step");
        assert_refused((dfl_solver_options){.step.fixed = 1e-12}, t, t - 1, "fixed_step");
        rows.output.every = 1e-10;
        assert_refused(rows, 0, sense, "rows");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_cannot_end_is_refused_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
