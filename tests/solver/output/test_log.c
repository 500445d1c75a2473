/* What a run tells through `log`, and constraints that are redundant only for a while. */
#include "support.h"

/* How many lines of each level came, and the last one of each. */
typedef struct journal {
    int lines[3];
    char last[3][256];
} journal;

static void note(dfl_log_level level, const char *text, void *user)
{
    journal *j = user;
    j->lines[level]++;
    snprintf(j->last[level], sizeof j->last[level], "%s", text);
}

static void corrected_initial_values_are_noted_with_the_largest_change(void **state)
{
    (void)state;
    problem pendulum;
    journal j = {0};
    assert_true(problem_make(&pendulum, "pendulum", 0));
    const double x0[5] = {0, 0, 0, 1.25, 0}; /* a quarter too far out */
    const dfl_solver_options options = {.log = note, .user = &j};
    const run r = run_with(&pendulum.eom, 0, x0, 0.01, &options, NULL);
    assert_succeeded(&r);
    assert_int_equal(j.lines[DFL_LOG_NOTICE], 1);
    assert_non_null(strstr(j.last[DFL_LOG_NOTICE], "p[0] by 0.25"));
    problem_free(&pendulum);
}

static void rejected_steps_are_told_for_debugging(void **state)
{
    (void)state;
    problem pendulum;
    journal j = {0};
    assert_true(problem_make(&pendulum, "pendulum", 0));
    const dfl_solver_options options = {.log = note, .user = &j};
    const run r = run_problem(&pendulum, 2, &options);
    assert_succeeded(&r);
    assert_true(r.stats.rejected_error > 0);
    assert_true(j.lines[DFL_LOG_DEBUG] >= r.stats.rejected_error + r.stats.rejected_newton);
    assert_non_null(strstr(j.last[DFL_LOG_DEBUG], "rejected, error"));
    problem_free(&pendulum);
}

/* x = [l0 l1 | vx vy | px py]: y = 0 and y + bend(x) = 0. */
typedef struct rails {
    double tilt; /* bend = tilt x */
    double knee; /* or (x - knee)^3 beyond the knee */
} rails;

static int eval_rails(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const rails *r = user;
    const double *v = x + 2, *p = x + 4, d = fmax(0, p[0] - r->knee);
    const double slope = r->tilt + 3 * d * d;
    (void)t, (void)need;
    out->f[0] = out->f[1] = 0;
    out->g[0] = p[1], out->g[1] = p[1] + r->tilt * p[0] + d * d * d;
    out->gI[0] = v[1], out->gI[1] = v[1] + slope * v[0];
    out->W[0] = 0, out->W[1] = slope, out->W[2] = out->W[3] = 1;
    out->bias[0] = 0, out->bias[1] = 6 * d * v[0] * v[0];
    return 0;
}

static dfl_eom two_rails(rails *r)
{
    return (dfl_eom){
        .np = 2, .nv = 2, .nl = 2, .eval = eval_rails, .trivial_kinematics = true, .user = r};
}

/* Columns are scaled before ranks are decided, so the rows are independent; but only just. */
static void nearly_dependent_constraints_give_a_warning(void **state)
{
    (void)state;
    rails r = {.tilt = 1e-5, .knee = 1e9};
    journal j = {0};
    const dfl_eom eom = two_rails(&r);
    const double x0[6] = {0};
    const dfl_solver_options options = {.log = note, .user = &j};
    const run still = run_with(&eom, 0, x0, 0.01, &options, NULL);
    assert_succeeded(&still);
    assert_int_equal(still.stats.rank_velocity, 2);
    assert_int_equal(j.lines[DFL_LOG_WARNING], 1);
    assert_non_null(strstr(j.last[DFL_LOG_WARNING], "nearly dependent"));
}

/* The second rail is the first one up to x = 1 and bends away behind it: a motion of speed 1
   meets the knee at t = 1 and cannot follow both. */
static void a_row_that_stops_being_redundant_ends_the_run(void **state)
{
    (void)state;
    rails r = {.knee = 1};
    const dfl_eom eom = two_rails(&r);
    const double x0[6] = {0, 0, 1, 0, 0, 0};
    const run moving = run_with(&eom, 0, x0, 5, NULL, NULL);
    assert_int_equal(moving.status, DFL_RANK_CHANGED);
    assert_int_equal(moving.stats.rank_velocity, 1);
    assert_non_null(strstr(moving.message, "redundant at the start"));
    /* noticed when (x - 1)^3 exceeds the tolerance of y: rtol' = 1e-5, so at x = 1.03 or so */
    assert_true(moving.t >= 0 && moving.t < 1.1);
    assert_near(moving.x[5], 0, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrected_initial_values_are_noted_with_the_largest_change),
        cmocka_unit_test(rejected_steps_are_told_for_debugging),
        cmocka_unit_test(nearly_dependent_constraints_give_a_warning),
        cmocka_unit_test(a_row_that_stops_being_redundant_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
