/* test_completed.c: invariants whose levels are taken at the completed start. A mass point on a
   line, p' = v, v' = 0, with the invariant e = v - level. */
#include "support.h"

typedef struct line {
    dfl_context *ctx;
    double level;
    int calls;
    dfl_status answer;
} line;

enum { V, P, N };

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const line *it = user;
    (void)t;
    if (need & DFL_FORCE)
        out->f[0] = 0;
    if (need & DFL_VELOCITY)
        out->e[0] = x[V] - it->level;
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = 1;
    return 0;
}

static dfl_status take_level(double t, const double *x, void *user)
{
    line *it = user;
    (void)t;
    it->calls++;
    it->level = x[V];
    return it->answer ? dfl_fail(it->ctx, it->answer, "the level is not wanted") : DFL_OK;
}

/* Starts with v = 3 while the level is 0; v at t = 2. */
static dfl_status start(double *v, line *it, dfl_completed_fn completed)
{
    const dfl_eom eom = {.np = 1,
                         .nv = 1,
                         .ne = 1,
                         .trivial_kinematics = true,
                         .eval = eval,
                         .mass = mass,
                         .user = it};
    const double x0[N] = {[V] = 3, [P] = 1};
    dfl_solver *solver = NULL;
    it->ctx = dfl_context_create();
    dfl_status status = dfl_solver_create(&solver, it->ctx, &eom, NULL);
    const dfl_conditions conditions = {.completed = completed, .user = it};
    if (!status)
        status = dfl_solver_start(solver, 0, x0, &conditions);
    if (!status)
        status = dfl_solver_advance(solver, 2);
    if (status)
        assert_string_equal(dfl_message(it->ctx), "the level is not wanted");
    else
        *v = dfl_solver_state(solver)[V];
    dfl_solver_free(solver);
    dfl_context_free(it->ctx);
    return status;
}

static void levels_are_taken_at_the_completed_start(void **state)
{
    (void)state;
    double v = NAN;
    line it = {.level = 0};
    assert_int_equal(start(&v, &it, NULL), DFL_OK);
    assert_near(v, 0, 1e-12); /* the invariant holds: v is changed */
    assert_int_equal(start(&v, &it, take_level), DFL_OK);
    assert_near(v, 3, 1e-12); /* its level is free: v is kept */
    assert_int_equal(it.calls, 1);
}

static void a_status_ends_the_start_with_its_message(void **state)
{
    (void)state;
    double v = NAN;
    line it = {.answer = DFL_SINGULAR};
    assert_int_equal(start(&v, &it, take_level), DFL_SINGULAR);
    assert_int_equal(it.calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_are_taken_at_the_completed_start),
                                       cmocka_unit_test(a_status_ends_the_start_with_its_message)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
