/* test_redundant_rows.c: constraints that say the same twice share their multiplier. */
#include "fine.h"

/* A problem with constraints of one kind, each of them twice. */
static int eval_twice(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const problem *prob = user;
    const dfl_eom *eom = &prob->eom;
    const int nc = eom->nl + eom->nm, nv = eom->nv;
    double y[RUN_MOST], W[MOST * MOST] = {0};
    memcpy(y, x + nc, (size_t)dfl_eom_unknowns(eom) * sizeof *x); /* f does not see multipliers */
    dfl_blocks own = *out;
    own.W = W;
    const int rc = eom->eval(&own, t, y, need, prob->parameters);
    for (int i = 0; i < nc; i++) {
        if (need & DFL_POSITION && eom->nl)
            out->g[nc + i] = out->g[i];
        if (need & DFL_VELOCITY && eom->nl)
            out->gI[nc + i] = out->gI[i];
        if (need & DFL_VELOCITY && eom->nm)
            out->hv[nc + i] = out->hv[i];
        if (need & DFL_BIAS)
            out->bias[nc + i] = out->bias[i];
        for (int j = 0; j < nv && need & DFL_DIRECTIONS; j++)
            out->W[j * 2 * nc + i] = out->W[j * 2 * nc + nc + i] = W[j * nc + i];
    }
    return rc;
}

static int mass_twice(double *M, double t, const double *x, void *user)
{
    const problem *prob = user;
    const int nc = prob->eom.nl + prob->eom.nm;
    return prob->eom.mass(M, t, x + nc, prob->parameters);
}

static void check_doubled(const char *name, double t, dfl_form form)
{
    problem prob;
    assert_true(problem_make(&prob, name, 0));
    dfl_eom eom = prob.eom;
    const int nc = eom.nl + eom.nm;
    eom.nl *= 2;
    eom.nm *= 2;
    eom.eval = eval_twice;
    eom.mass = mass_twice;
    eom.jacobian = NULL;
    eom.user = &prob;
    double x0[RUN_MOST] = {0};
    memcpy(x0 + 2 * nc, prob.x0 + nc, (size_t)(dfl_eom_unknowns(&eom) - 2 * nc) * sizeof *x0);
    const dfl_solver_options options = {.rtol = 1e-8, .form = form};
    const run twice = run_with(&eom, 0, x0, t, &options, NULL);
    const run once = run_problem(&prob, t, &options);
    assert_succeeded(&twice);
    assert_int_equal(twice.stats.rank_velocity, nc);
    assert_true(distance(twice.x + 2 * nc, once.x + nc, once.n - nc) < CLOSE);
    /* of all multipliers with the same force the shortest: halves */
    for (int i = 0; i < nc; i++) {
        const double size = 1e-10 * fmax(1, fabs(twice.x[i])); /* an SVD per step: rounding */
        assert_near(twice.x[i], twice.x[nc + i], size);
        if (form == DFL_PSF)
            assert_near(twice.x[i] + twice.x[nc + i], once.x[i], 20 * CLOSE); /* lambda is 12 */
    }
    problem_free(&prob);
}

static void doubled_holonomic_rows_share_their_multiplier(void **state)
{
    (void)state;
    check_doubled("pendulum", 1.3, DFL_PSF);
    check_doubled("pendulum", 1.3, DFL_PSI1);
}

/* x^2 + y^2 = 1 three times: more rows than velocities. */
static int eval_three_rods(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)need, (void)user;
    const double *v = x + 3, *p = x + 5;
    out->f[0] = 0, out->f[1] = -9.81;
    for (int i = 0; i < 3; i++) {
        out->g[i] = p[0] * p[0] + p[1] * p[1] - 1;
        out->gI[i] = 2 * (p[0] * v[0] + p[1] * v[1]);
        out->W[i] = 2 * p[0], out->W[3 + i] = 2 * p[1];
        out->bias[i] = 2 * (v[0] * v[0] + v[1] * v[1]);
    }
    return 0;
}

/* Library problem A01 at t = 10, start (1, 0) at rest. */
static void constraints_may_outnumber_velocities(void **state)
{
    (void)state;
    const dfl_eom eom = {
        .np = 2, .nv = 2, .nl = 3, .eval = eval_three_rods, .trivial_kinematics = true};
    const double x0[7] = {[5] = 1};
    for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
        const dfl_solver_options options = {.rtol = 1e-8, .form = (dfl_form)form};
        const run r = run_with(&eom, 0, x0, 10, &options, NULL);
        assert_succeeded(&r);
        assert_int_equal(r.stats.rank_velocity, 1);
        assert_near(r.x[5], 0.2750874625761169, 10 * CLOSE); /* ten seconds of error growth */
        assert_near(r.x[6], -0.9614192050991251, 10 * CLOSE);
        assert_near(r.x[0], r.x[1], 1e-9);
        assert_near(r.x[0], r.x[2], 1e-9);
    }
}

static void doubled_nonholonomic_rows_share_their_multiplier(void **state)
{
    (void)state;
    check_doubled("sleigh", 1.0, DFL_PSF);
    check_doubled("sleigh", 1.0, DFL_PSI1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubled_holonomic_rows_share_their_multiplier),
        cmocka_unit_test(constraints_may_outnumber_velocities),
        cmocka_unit_test(doubled_nonholonomic_rows_share_their_multiplier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
