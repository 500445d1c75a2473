/* The work of the automatic order as a function of the tolerance: 20 tolerances from 1e-3 to 1e-12,
   between neighbours steps and evaluations change by a factor of 1.5 at most. A single unlucky
   rejected step used to hold the lowest order for 64 steps; a long step whose estimate vanished by
   chance made the next ones short. `make tolerances` measures all problems: of some the steps still
   jump where another order begins to pay. */
#include "evidence.h"

enum { TOLERANCES = 20 };

static dfl_statistics work_of(const char *name, double tolerance)
{
    run r;
    run_make(&r, name, 0, &(dfl_solver_options){.rtol = tolerance, .atol = tolerance});
    run_to(&r, r.prob.t_end);
    const dfl_statistics stats = dfl_solver_statistics(r.solver);
    run_free(&r);
    return stats;
}

static double factor(long a, long b)
{
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

static void work_changes_gradually_with_the_tolerance(void **state)
{
    (void)state;
    const char *const names[] = {
        "andrews",         "servo",    "caraxis",         "slidercrank", "sleigh", "oscillator",
        "fourbar_hanging", "pendulum", "pendulum_energy", "nchain",      "disk",   "flyball"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        dfl_statistics last = {0};
        for (int k = 0; k < TOLERANCES; k++) {
            const double tolerance = pow(10, -3 - 9.0 * k / (TOLERANCES - 1));
            const dfl_statistics now = work_of(names[i], tolerance);
            print_message("%-16s %.1e: %4ld steps, %6ld evaluations\n", names[i], tolerance,
                          now.accepted, now.evaluations + now.difference_evaluations);
            if (k > 0) {
                assert_at_most(factor(now.accepted, last.accepted), 1.5, "the change of steps");
                assert_at_most(factor(now.evaluations + now.difference_evaluations,
                                      last.evaluations + last.difference_evaluations),
                               1.5, "the change of evaluations");
            }
            last = now;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_changes_gradually_with_the_tolerance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
