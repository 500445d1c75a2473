/* Forces with kinks and the automatic order: an order higher than 5 steps over a kink with an
   error of the size of its estimate. Which of the kinks it meets, and where between its stages,
   changes with the last digits of the tolerance; so the error is stated over several tolerances
   that differ by some percent. */
#include "evidence.h"

static const double tolerances[] = {1e-6, 1e-8, 1e-10};
enum { NTOL = sizeof tolerances / sizeof *tolerances, NEAR = 5 };

static double near_tolerance(int k, int j)
{
    return tolerances[k] * (1 + 0.013 * j);
}

/* The largest error of a run of the wheelset over its references. */
static double wheelset_error(double tol)
{
    const dfl_solver_options options = {.rtol = tol};
    double error = 0;
    run r;
    run_make(&r, "wheelset", 0, &options);
    for (int i = 0; i < r.prob.nreferences; i++) {
        const problem_reference *ref = &r.prob.references[i];
        error = fmax(error, error_between(run_to(&r, ref->t), ref->x, 0, r.at.n));
    }
    run_free(&r);
    return error;
}

/* 176 kinks in 10 s. The largest errors with 100 tolerances near 1e-6, 100 near 1e-8 and 360
   near 1e-10 were 61, 1100 and 3100 tol. */
static void the_wheelset_keeps_its_error_with_slightly_different_tolerances(void **state)
{
    (void)state;
    const double K[NTOL] = {300, 5000, 1e4};
    for (int k = 0; k < NTOL; k++)
        for (int j = 0; j < NEAR; j++) {
            const double tol = near_tolerance(k, j), error = wheelset_error(tol);
            print_message("wheelset %.4e: error / tol %.3g (K %g)\n", tol, error / tol, K[k]);
            assert_at_most(error, K[k] * tol, "the error");
        }
}

/* x = (lambda, v1, v2, p1, p2): two unit masses that g = p2 - p1 ties together, pulled by a
   spring on the first. */
enum { LAMBDA, V, P = 3, N = 5 };

static int unit_masses(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = M[3] = 1;
    return 0;
}

static void eval_tie(dfl_blocks *out, const double *x, unsigned need)
{
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, x + V, 2 * sizeof *x);
    if (need & DFL_POSITION)
        out->g[0] = x[P + 1] - x[P];
    if (need & DFL_VELOCITY)
        out->gI[0] = x[V + 1] - x[V];
    if (need & DFL_DIRECTIONS) {
        out->W[0] = -1;
        out->W[1] = 1;
    }
    if (need & DFL_BIAS)
        out->bias[0] = 0;
}

/* The spring is four times as stiff on one side: p'' = -p for p < 0, -4 p for p > 0. */
static int eval_stop(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    eval_tie(out, x, need);
    if (need & DFL_FORCE) {
        out->f[0] = -2 * x[P] * (x[P] > 0 ? 4 : 1);
        out->f[1] = 0;
    }
    return 0;
}

/* p'' = -p, and until t = 1, if `user` says so, a push with ten kinks. */
static int eval_pushed(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const bool *pushed = user;
    eval_tie(out, x, need);
    if (need & DFL_FORCE) {
        out->f[0] = -2 * x[P] + (*pushed && t < 1 ? fabs(sin(10 * acos(-1) * t)) : 0);
        out->f[1] = 0;
    }
    return 0;
}

static void start_tied(run *r, dfl_eval_fn eval, bool *pushed, const dfl_solver_options *options)
{
    static const double x0[N] = {0, 1, 1, 0, 0};
    *r = (run){.ctx = dfl_context_create()};
    r->prob.name = "tied masses";
    r->prob.eom =
        (dfl_eom){.np = 2, .nv = 2, .nl = 1, .eval = eval, .mass = unit_masses, .user = pushed};
    assert_int_equal(dfl_solver_create(&r->solver, r->ctx, &r->prob.eom, options), DFL_OK);
    assert_int_equal(dfl_solver_start(r->solver, 0, x0, NULL), DFL_OK);
}

static void free_tied(run *r)
{
    dfl_solver_free(r->solver);
    dfl_context_free(r->ctx);
}

/* From p = 0 with v = 1 the motion is sin(2t)/2 for half a period of pi and then -sin for pi: it
   returns every 3 pi/2. The largest error of 20 tolerances each, over ten returns: 250, 700, 630
   tol. */
static void a_one_sided_spring_moves_as_its_exact_solution(void **state)
{
    (void)state;
    const double period = 1.5 * acos(-1), later = 0.3, K = 3500;
    for (int i = 0; i < NTOL * NEAR; i++) {
        const double tol = near_tolerance(i / NEAR, i % NEAR);
        const dfl_solver_options options = {.rtol = tol};
        double error = 0;
        run r;
        start_tied(&r, eval_stop, NULL, &options);
        for (int k = 1; k <= 10; k++) {
            const double *x = run_to(&r, k * period + later);
            error = fmax(error, fabs(x[P] - sin(2 * later) / 2));
            error = fmax(error, fabs(x[V] - cos(2 * later)));
        }
        print_message("one-sided spring %.4e: error / tol %.3g\n", tol, error / tol);
        assert_at_most(error, K * tol, "the error");
        free_tied(&r);
    }
}

static double steps_between(double from, double to, bool pushed)
{
    const dfl_solver_options options = {.rtol = 1e-10};
    run r;
    start_tied(&r, eval_pushed, &pushed, &options);
    run_to(&r, from);
    const long before = dfl_solver_statistics(r.solver).accepted;
    run_to(&r, to);
    const long after = dfl_solver_statistics(r.solver).accepted;
    free_tied(&r);
    return (double)(after - before);
}

/* In doubt steps of order 13 are (5/860)^(1/8) = 0.53 times as long. */
static void kinks_are_forgotten_when_the_motion_stays_smooth(void **state)
{
    (void)state;
    const double after_kinks = steps_between(400, 800, true);
    const double smooth = steps_between(400, 800, false);
    print_message("%g steps after kinks, %g without\n", after_kinks, smooth);
    assert_true(after_kinks < 1.1 * smooth);
    assert_true(steps_between(1, 100, true) > 1.1 * steps_between(1, 100, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wheelset_keeps_its_error_with_slightly_different_tolerances),
        cmocka_unit_test(a_one_sided_spring_moves_as_its_exact_solution),
        cmocka_unit_test(kinks_are_forgotten_when_the_motion_stays_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
