/* Singular positions and redundant constraints. With all bars of a four-bar linkage in line, W
   loses rank and motions branch: the solver stops there, names time and rows, and has not left the
   smooth branch. Redundant constraints of constant rank, and regular motions however long, pass. */
#include "evidence.h"

#include <stdlib.h>

static const double tolerances[] = {1e-4, 1e-6, 1e-8};
enum { NTOL = sizeof tolerances / sizeof *tolerances };

/* The time at which theta = pi/2, by bisection on the exact motion. For N = 2 the sheet of the
   benchmark states 0.71435552929296. */
static double first_singular_time(int N)
{
    double low = 0.5, high = 1.0;
    for (int i = 0; i < 45; i++) {
        double theta, rate;
        const double middle = (low + high) / 2;
        fourbar_exact(&theta, &rate, N, middle);
        if (theta < acos(-1) / 2)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Notes the notices and warnings of a run. */
typedef struct journal {
    int lines;
    char last[512];
} journal;

static void note(dfl_log_level level, const char *text, void *user)
{
    journal *j = user;
    if (level == DFL_LOG_DEBUG)
        return;
    j->lines++;
    snprintf(j->last, sizeof j->last, "%s", text);
}

/* Runs into the first singular position and checks where and how the run ends. */
static void meet_singular_position(int N, double tol, double t_singular)
{
    const dfl_solver_options options = {.rtol = tol};
    double position, velocity;
    run r;
    run_make(&r, "fourbar", N, &options);
    const dfl_status status = dfl_solver_advance(r.solver, 10);
    const double t = dfl_solver_time(r.solver);
    const char *message = dfl_message(r.ctx);
    fourbar_error(&position, &velocity, &r, N);
    print_message("N %d tol %.0e: %s %.1e s before, error p %.1e v %.1e: %s\n", N, tol,
                  dfl_status_name(status), t_singular - t, position, velocity, message);

    assert_int_equal(status, DFL_RANK_CHANGED);
    /* never behind it, and before it by one regular step at most: 0.25 tol^(1/6) s, which is 0.05 s
       at 1e-4 */
    assert_true(t <= t_singular && t >= t_singular - 0.25 * pow(tol, 1.0 / 6));
    /* every bar takes part; the message names the rows and a time, which lies between the last step
       and (a flip is extrapolated linearly) shortly behind the singular position */
    const char *at = strstr(message, "t = ");
    assert_non_null(at);
    const double told = strtod(at + 4, NULL);
    assert_true(told >= t - 1e-6 && told <= t_singular + 1e-3);
    for (int row = 0; row < 2 * N + 1 && row < 5; row++) {
        char name[16];
        snprintf(name, sizeof name, "g[%d]", row);
        assert_non_null(strstr(message, name));
    }
    /* On the smooth branch with the accuracy of a regular run (measured: below 2 tol and 10 tol);
       on another branch the errors would be of the size of the steps. */
    assert_at_most(position, 10 * tol, "the position error at the stop");
    assert_at_most(velocity, 100 * tol, "the velocity error at the stop");
    run_free(&r);
}

static void a_fourbar_stops_at_its_singular_position_on_the_right_branch(void **state)
{
    (void)state;
    const int sizes[] = {1, 2, 7};
    for (int i = 0; i < 3; i++) {
        const double t_singular = first_singular_time(sizes[i]);
        if (sizes[i] == 2) /* the benchmark's own number, 14 digits */
            assert_at_most(fabs(t_singular - 0.71435552929296), 1e-13, "the bisection's error");
        for (int k = 0; k < NTOL; k++)
            meet_singular_position(sizes[i], tolerances[k], t_singular);
    }
}

/* What was computed is kept: the last state satisfies the constraints. Nothing of the failure is
   left in a solver that is started again: it repeats the steps of a fresh one, bit by bit. */
static void after_a_singular_position_the_state_can_be_read_and_the_solver_used_again(void **state)
{
    (void)state;
    const double tol = 1e-6, regular = 0.6;
    const dfl_solver_options options = {.rtol = tol};
    run stopped, fresh;
    run_make(&stopped, "fourbar", 2, &options);
    run_make(&fresh, "fourbar", 2, &options);
    assert_int_not_equal(dfl_solver_advance(stopped.solver, 10), DFL_OK);
    const double *p = dfl_solver_state(stopped.solver) + stopped.at.p;
    for (int i = 0; i < 3; i++) /* Newton's tolerance, as in test_references.c */
        assert_at_most(fabs(hypot(p[2 * i] - i, p[2 * i + 1]) - 1), 0.03 * inner_tolerance(tol),
                       "the change of length");
    assert_int_equal(dfl_solver_start(stopped.solver, 0, stopped.prob.x0, NULL), DFL_OK);
    const double *x = run_to(&stopped, regular), *y = run_to(&fresh, regular);
    assert_memory_equal(x, y, (size_t)stopped.at.n * sizeof *x);
    run_free(&stopped);
    run_free(&fresh);
}

/* Runs to t_end at all tolerances without a word in the log. */
static void run_in_silence(const char *name, int size, double t_end)
{
    for (int k = 0; k < NTOL; k++) {
        journal log = {0};
        const dfl_solver_options options = {.rtol = tolerances[k], .log = note, .user = &log};
        run r;
        run_make(&r, name, size, &options);
        const int rank = r.prob.eom.nl;
        run_to(&r, t_end);
        if (log.lines > 0)
            fail_msg("%s %d at %.0e: %s", name, size, tolerances[k], log.last);
        assert_int_equal(dfl_solver_statistics(r.solver).rank_position, rank);
        assert_int_equal(dfl_solver_statistics(r.solver).rank_velocity, rank);
        run_free(&r);
    }
}

static void regular_motions_run_long_without_a_false_alarm(void **state)
{
    (void)state;
    run_in_silence("fourbar_hanging", 1, 100);
    run_in_silence("fourbar_hanging", 7, 50);
    run_in_silence("nchain", 5, 20);
    run_in_silence("andrews", 0, 0.3);
    run_in_silence("slidercrank", 0, 50);
}

/* One of Bricard's 24 constraints is redundant at all times; the motion of P3 does not depend on
   how that is resolved. 20 tol: ten times what was measured. */
static void bricards_mechanism_keeps_rank_23_and_reaches_its_references(void **state)
{
    (void)state;
    for (int k = 0; k < NTOL; k++) {
        journal log = {0};
        const dfl_solver_options options = {.rtol = tolerances[k], .log = note, .user = &log};
        double largest = 0;
        run r;
        run_make(&r, "bricard", 0, &options);
        for (int i = 0; i < r.prob.nreferences; i++) {
            const problem_reference *ref = &r.prob.references[i];
            const double *x = run_to(&r, ref->t);
            largest = fmax(largest, error_between(x, ref->x, r.at.v, r.at.n));
            assert_int_equal(dfl_solver_statistics(r.solver).rank_position, 23);
            assert_int_equal(dfl_solver_statistics(r.solver).rank_velocity, 23);
        }
        print_message("bricard %.0e: error %.1e; %s\n", tolerances[k], largest, log.last);
        assert_at_most(largest, 20 * tolerances[k], "the error of P3");
        assert_int_equal(log.lines, 1);
        assert_non_null(strstr(log.last, "redundant"));
        assert_non_null(strstr(log.last, "23"));
        run_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fourbar_stops_at_its_singular_position_on_the_right_branch),
        cmocka_unit_test(after_a_singular_position_the_state_can_be_read_and_the_solver_used_again),
        cmocka_unit_test(regular_motions_run_long_without_a_false_alarm),
        cmocka_unit_test(bricards_mechanism_keeps_rank_23_and_reaches_its_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
