/* Tables 3 and 4 of the GEOMS paper: the pendulum with g = 13.75, started at its lowest point with
   v0 = 2.8 (swings to less than 45 degrees) and v0 = 2.9 (12 passages through 45 degrees, where the
   larger pivot of W = (2x, 2y) changes), on [0, 5] with a first step of 0.01.

   What is not met: every published run has Newton failures (1 for v0 = 2.8; 13, 6 and 6 for 2.9)
   and with them 11 to 13 % more steps for v0 = 2.9; here no iteration fails and v0 = 2.9 needs as
   many steps as 2.8 (186, 269 and 391 instead of the published 207, 303 and 441). */
#include "evidence.h"

typedef struct row {
    double v0, tol;
    long published; /* accepted steps */
} row;

static const row rows[] = {{2.8, 1e-7, 187}, {2.8, 1e-8, 270}, {2.8, 1e-9, 391},
                           {2.9, 1e-7, 207}, {2.9, 1e-8, 303}, {2.9, 1e-9, 441}};
enum { NROWS = sizeof rows / sizeof *rows };

/* The settings of the published code: unit selectors renewed when the pivots change, LU, the matrix
   of the step's start, no second matrix within a step; the Newton tolerance is the one that fits
   the published counts best. */
static dfl_solver_options published_settings(double tol)
{
    return (dfl_solver_options){.rtol = tol,
                                .order = 5,
                                .constraints.selectors = DFL_UNIT,
                                .constraints.renewal = DFL_RENEW_ON_CHANGE,
                                .constraints.algebraic = DFL_ALGEBRAIC_LU,
                                .newton.reference = DFL_REFERENCE_START,
                                .newton.updates = -1,
                                .newton.tolerance = 0.5 * fmin(0.03, sqrt(inner_tolerance(tol))),
                                .step.first = 0.01};
}

static dfl_statistics solve(const row *at, const dfl_solver_options *options)
{
    problem prob;
    run r;
    assert_true(problem_make(&prob, "pendulum", 0));
    ((pendulum_parameters *)prob.parameters)->g = 13.75;
    const double x0[5] = {(at->v0 * at->v0 + 13.75) / 2, at->v0, 0, 0, -1};
    memcpy(prob.x0, x0, sizeof x0);
    run_start(&r, &prob, options);
    run_to(&r, 5);
    const dfl_statistics stats = dfl_solver_statistics(r.solver);
    run_free(&r);
    return stats;
}

static dfl_statistics solve_as_published(const row *at)
{
    const dfl_solver_options options = published_settings(at->tol);
    const dfl_statistics s = solve(at, &options);
    print_message("v0 %.1f tol %.0e: accepted %ld (published %ld), solves %ld, rejected %ld error "
                  "%ld Newton, selectors %ld\n",
                  at->v0, at->tol, s.accepted, at->published, s.back_substitutions,
                  s.rejected_error, s.rejected_newton, s.selector_computations);
    return s;
}

/* One selector at the start and one for each passage through 45 degrees, beside those that a failed
   Newton iteration asks for: 1 and 13 in every published run. */
static void selectors_are_computed_once_and_at_each_of_twelve_passages(void **state)
{
    (void)state;
    for (int i = 0; i < NROWS; i++) {
        const dfl_statistics s = solve_as_published(&rows[i]);
        assert_int_equal(s.selector_computations - s.rejected_newton, rows[i].v0 < 2.85 ? 1 : 13);
    }
}

/* NEOM = 3 NBSUB + NACCPT, NEDEC = NACCPT + NERJCT + NCRJCT, NPDEC = NJAC = NACCPT, NMAS = 1: true
   of every published row. */
static void counters_obey_the_published_identities(void **state)
{
    (void)state;
    for (int i = 0; i < NROWS; i++) {
        const dfl_solver_options options = published_settings(rows[i].tol);
        const dfl_statistics s = solve(&rows[i], &options);
        assert_int_equal(s.evaluations, 3 * s.back_substitutions + s.accepted);
        assert_int_equal(s.differential_decompositions,
                         s.accepted + s.rejected_error + s.rejected_newton);
        assert_int_equal(s.algebraic_decompositions, s.accepted);
        assert_int_equal(s.jacobians, s.accepted);
        assert_int_equal(s.mass_evaluations, 1);
        assert_int_equal(s.attempts, s.accepted + s.rejected_error + s.rejected_newton);
        assert_int_equal(s.difference_evaluations, 0);
    }
}

/* 10 %: the paper leaves the safety factor and the Newton tolerance open. */
static void steps_without_a_change_of_selectors_are_as_many_as_published(void **state)
{
    (void)state;
    for (int i = 0; i < NROWS && rows[i].v0 < 2.85; i++) {
        const dfl_solver_options options = published_settings(rows[i].tol);
        const dfl_statistics s = solve(&rows[i], &options);
        assert_true(fabs((double)(s.accepted - rows[i].published)) <=
                    0.1 * (double)rows[i].published);
    }
}

/* Orthogonal selectors, QR, and the matrix of the predicted second stage, with the same order. */
static void the_defaults_need_fewer_steps_than_the_published_settings(void **state)
{
    (void)state;
    for (int i = 0; i < NROWS; i++) {
        const dfl_solver_options published = published_settings(rows[i].tol);
        const dfl_solver_options defaults = {.rtol = rows[i].tol, .order = 5, .step.first = 0.01};
        const dfl_statistics p = solve(&rows[i], &published), d = solve(&rows[i], &defaults);
        print_message("v0 %.1f tol %.0e: steps %ld instead of %ld, solves %ld instead of %ld\n",
                      rows[i].v0, rows[i].tol, d.accepted, p.accepted, d.back_substitutions,
                      p.back_substitutions);
        assert_true(d.accepted < p.accepted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selectors_are_computed_once_and_at_each_of_twelve_passages),
        cmocka_unit_test(counters_obey_the_published_identities),
        cmocka_unit_test(steps_without_a_change_of_selectors_are_as_many_as_published),
        cmocka_unit_test(the_defaults_need_fewer_steps_than_the_published_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
