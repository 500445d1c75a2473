/* test_ssf.c: Petzold and Potra (1992): the solution of the state-space form of the overdetermined
   system (3.1), and the L-term in the projected invariants (3.32).

   The limit of the ssf iteration leaves a residual in range A2^T, which is (3.16) with the
   multipliers mu and tau. Both need the regular matrix (3.24): independent rows of [G; L], L the
   derivative of gI by p. The mass matrix plays no part in this. */
#include "forms.h"

/* Lowest point, 2 m/s: the speed is above 1 m/s until 0.15 s, for all weights in use. */
static const double start[] = {0, 2, 0, 0, -1};
static const double length = 0.15;

typedef struct weights {
    double x, y;
} weights;

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const weights *m = user;
    uneven_eval(out, t, x, need, NULL);
    if (need & DFL_FORCE)
        out->f[1] = -10 * m->y;
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    const weights *m = user;
    (void)t, (void)x;
    M[0] = m->x, M[1] = m->y;
    return 0;
}

static dfl_eom pendulum(weights *m)
{
    dfl_eom eom = uneven_pendulum;
    eom.eval = eval;
    eom.mass = mass;
    eom.user = m;
    return eom;
}

static run swing(weights m, dfl_solver_options options, double t_end)
{
    const dfl_eom eom = pendulum(&m);
    return run_with(&eom, 0, start, t_end, &options, NULL);
}

/* The error of velocities and positions after `length`. */
static double error(weights m, dfl_solver_options options)
{
    const run exact = swing(m, (dfl_solver_options){.rtol = 1e-12}, length);
    const run r = swing(m, options, length);
    assert_succeeded(&exact);
    assert_succeeded(&r);
    return distance(r.x + 1, exact.x + 1, 4);
}

/* BDF of order 2 converges with order 2, also if M is no multiple of the identity. */
static void ssf_converges_for_every_mass(void **state)
{
    (void)state;
    const weights all[] = {{1, 1}, {2, 2}, {1, 2}, {3, 1}, {10, 1}, {1, 4}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const double coarse = error(all[i], to_rounding(DFL_SSF, DFL_BDF, 2, length / 80)),
                     fine = error(all[i], to_rounding(DFL_SSF, DFL_BDF, 2, length / 160));
        assert_between(log2(coarse / fine), 1.8, 2.2);
    }
}

/* The iteration's limit, with Newton's iteration carried to rounding. */
static void ssf_is_ext316_with_lagged_constraints(void **state)
{
    (void)state;
    const weights all[] = {{1, 1}, {1, 3}};
    for (int i = 0; i < 2; i++)
        for (int order = 1; order <= 3; order++) {
            dfl_solver_options options = to_rounding(DFL_SSF, DFL_BDF, order, 0.005);
            options.constraints.lagged = true;
            const run one = swing(all[i], options, length);
            options.form = DFL_EXT316;
            const run other = swing(all[i], options, length);
            assert_succeeded(&one);
            assert_succeeded(&other);
            assert_true(distance(one.x + 1, other.x + 1, 4) < 1e-9);
        }
}

/* It keeps (3.1d) and (3.1e). */
static void ssf_keeps_positions_and_velocities(void **state)
{
    (void)state;
    const run r = swing((weights){1, 3}, to_rounding(DFL_SSF, DFL_BDF, 2, 0.005), length);
    assert_succeeded(&r);
    assert_near(r.stats.max_residual.position, 0, 1e-11);
    assert_near(r.stats.max_residual.velocity, 0, 1e-10);
}

/* More constraints than half the coordinates: (3.24) is singular everywhere. */
static void ssf_says_where_it_is_singular(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_slidercrank_level(&prob));
    const dfl_solver_options options = {.form = DFL_SSF, .integrator = DFL_BDF};
    const run r = run_with(&prob.eom, 0, prob.x0, 1, &options, NULL);
    assert_failed(&r, DFL_SINGULAR, "ssf");
    problem_free(&prob);
}

/* With M = I, v' + G^T tau is a of M a = f - G^T l, so (3.32) with the L-term is (3.17); without it
   they differ by the size of the error. */
static void the_l_term_makes_pinv_ext317_for_unit_masses(void **state)
{
    (void)state;
    const weights unit = {1, 1};
    for (int order = 1; order <= 3; order++) {
        dfl_solver_options options = to_rounding(DFL_PINV, DFL_BDF, order, 0.005);
        options.constraints.turning = true;
        const run turning = swing(unit, options, 0.3);
        options.constraints.turning = false;
        const run plain = swing(unit, options, 0.3);
        options.form = DFL_EXT317;
        const run ext317 = swing(unit, options, 0.3);
        assert_succeeded(&turning);
        assert_succeeded(&ext317);
        assert_true(distance(turning.x, ext317.x, 5) < 1e-9);
        assert_true(distance(plain.x, ext317.x, 5) > 1e-7);
    }
}

/* mu and tau vanish with the L-term as well: the order stays, and so does the motion. */
static void the_l_term_keeps_the_order(void **state)
{
    (void)state;
    dfl_solver_options options = to_rounding(DFL_PINV, DFL_BDF, 2, length / 80);
    options.constraints.turning = true;
    const double coarse = error((weights){1, 3}, options);
    options.step.fixed /= 2;
    const double fine = error((weights){1, 3}, options);
    assert_between(log2(coarse / fine), 1.8, 2.2);
}

static void the_l_term_belongs_to_pinv(void **state)
{
    (void)state;
    dfl_solver_options options = {.form = DFL_PSF};
    options.constraints.turning = true;
    const run r = swing((weights){1, 1}, options, 1);
    assert_failed(&r, DFL_INVALID, "pinv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ssf_converges_for_every_mass),
        cmocka_unit_test(ssf_is_ext316_with_lagged_constraints),
        cmocka_unit_test(ssf_keeps_positions_and_velocities),
        cmocka_unit_test(ssf_says_where_it_is_singular),
        cmocka_unit_test(the_l_term_makes_pinv_ext317_for_unit_masses),
        cmocka_unit_test(the_l_term_keeps_the_order),
        cmocka_unit_test(the_l_term_belongs_to_pinv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
