/* A. Steinbrecher (2002), section 6: a point on a circle, started off the constraints,
   integrated in different forms with the implicit trapezoidal rule, 1000 steps of 0.005. The
   rule is not L-stable, so that each form shows what it leaves open: constraints that are not
   there drift, multipliers of higher index alternate.

   Equations: p' = v, v' = f - G^T lambda, f = (-p1 - 2 p1 v1 v2, -v1 + 2 p1 p2^2), 0 = g = p1^2
   + p2^2 - 1; solution p = (sin t, cos t), lambda = sin t cos t. */
#include "support.h"

enum { LAMBDA, VX, VY, X, Y, N, STEPS = 1000 };

static const double start[N] = {0.0001, 0.999, 0.001, 0.0001, 1.0001}; /* (37) */

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double p1 = x[X], p2 = x[Y], v1 = x[VX], v2 = x[VY];
    (void)t, (void)need, (void)user;
    out->f[0] = -p1 - 2 * p1 * v1 * v2;
    out->f[1] = -v1 + 2 * p1 * p2 * p2;
    out->g[0] = p1 * p1 + p2 * p2 - 1;
    out->gI[0] = 2 * (p1 * v1 + p2 * v2);
    out->W[0] = 2 * p1;
    out->W[1] = 2 * p2;
    out->bias[0] = 2 * (v1 * v1 + v2 * v2);
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = M[1] = 1;
    return 0;
}

static const dfl_eom circle = {.np = 2,
                               .nv = 2,
                               .nl = 1,
                               .eval = eval,
                               .mass = mass,
                               .mass_diagonal = true,
                               .mass_constant = true,
                               .trivial_kinematics = true,
                               .forces_free_of_multipliers = true};

/* The history of a run. */
typedef struct history {
    int count;
    double t[STEPS + 1], x[STEPS + 1][N];
} history;

static int note(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    history *h = user; /* the beginning of a record */
    (void)solver, (void)t_old;
    assert_true(h->count <= STEPS);
    h->t[h->count] = t;
    memcpy(h->x[h->count++], x, N * sizeof *x);
    return 0;
}

static double g(const double *x)
{
    return x[X] * x[X] + x[Y] * x[Y] - 1;
}

static double gI(const double *x)
{
    return 2 * (x[X] * x[VX] + x[Y] * x[VY]);
}

static double gII(const double *x)
{
    dfl_blocks b = {.f = (double[2]){0},
                    .g = (double[1]){0},
                    .gI = (double[1]){0},
                    .W = (double[2]){0},
                    .bias = (double[1]){0}};
    eval(&b, 0, x, 0, NULL);
    double sum = b.bias[0];
    for (int i = 0; i < 2; i++)
        sum += b.W[i] * (b.f[i] - b.W[i] * x[LAMBDA]);
    return sum;
}

/* What a run shows, step by step. */
typedef struct record {
    history h;
    long selections, rows[2]; /* calls of select, and which rows were chosen */
} record;

/* Selectors of the paper: the first rows up to p1 = 1/2, the second ones beyond. */
static int select_rows(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x,
                       void *user)
{
    record *r = user;
    const int row = x[X] > 0.5;
    (void)t;
    assert_int_equal(nfp, 1);
    assert_int_equal(nfv, 1);
    Sp[row] = Sv[row] = 1;
    Sp[1 - row] = Sv[1 - row] = 0;
    r->selections++;
    r->rows[row]++;
    return 0;
}

/* Newton's iteration ends with increments of 1e-10, so that residuals are below the 1e-8 that
   the paper asks for. In the forms of index 2 and 3 it starts at the last point, since
   alternating multipliers cannot be extrapolated. */
static run integrate(record *r, dfl_form form, double t_end)
{
    const bool alternates = form == DFL_EOM || form == DFL_EOM2;
    const dfl_solver_options options = {
        .form = form,
        .integrator = DFL_TRAPEZOIDAL,
        .constraints.selectors = form == DFL_PSF ? DFL_USER : DFL_ORTHOGONAL,
        .constraints.select = select_rows,
        .rtol = 1e-8,
        .newton.prediction = alternates ? DFL_CONSTANT : DFL_EXTRAPOLATE,
        .newton.tolerance = 0.01,
        .newton.iterations = 50,
        .newton.updates = alternates ? 10 : 0,
        .step.fixed = 0.005,
        .output.on_step = note,
        .user = r};
    memset(r, 0, sizeof *r);
    const run result =
        run_with(&circle, 0, start, t_end, &options, &(dfl_conditions){.mode = DFL_START_AS_GIVEN});
    assert_succeeded(&result);
    assert_int_equal(r->h.count, (int)(t_end / 0.005 + 0.5) + 1);
    return result;
}

static double second_difference(const history *h, int i)
{
    return h->x[i + 1][LAMBDA] - 2 * h->x[i][LAMBDA] + h->x[i - 1][LAMBDA];
}

/* lambda'' = -2 sin 2t, so second differences of a smooth solution stay below h^2 2 = 5e-5; here
   plus what the wrong start adds. */
static const double smooth = 1e-4;

/* The paper prints -0.0013956 for gII; that value belongs to lambda = -0.0001. */
static void the_start_violates_every_level(void **state)
{
    (void)state;
    double other[N];
    memcpy(other, start, sizeof other);
    other[LAMBDA] = -0.0001;
    assert_near(g(start), 0.00020002, 1e-9);
    assert_near(gI(start), 0.0022, 1e-9);
    assert_near(gII(start), -0.0021958, 5e-8);
    assert_near(gII(other), -0.0013956, 5e-8);
}

/* Nothing is kept but the value of gII: gI = gI0 + gII t, g = g0 + gI0 t + gII t^2/2. */
static void uode_drifts_quadratically(void **state)
{
    (void)state;
    static record r;
    integrate(&r, DFL_UODE, 5);
    const double g0 = g(start), gI0 = gI(start), gII0 = gII(start);
    for (int i = 1; i <= STEPS; i++) {
        const double t = r.h.t[i];
        assert_near(gII(r.h.x[i]), gII0, 1e-6);
        assert_near(gI(r.h.x[i]), gI0 + gII0 * t, 5e-5);
        assert_near(g(r.h.x[i]), g0 + gI0 * t + gII0 * t * t / 2, 1e-4);
        if (i > 1 && i < STEPS)
            assert_true(fabs(second_difference(&r.h, i)) < smooth);
    }
}

/* gII = 0: gI keeps its value, g = g0 + gI t. */
static void eom1_drifts_linearly_and_does_not_alternate(void **state)
{
    (void)state;
    static record r;
    integrate(&r, DFL_EOM1, 5);
    const double g1 = g(r.h.x[1]), gI1 = gI(r.h.x[1]);
    assert_near(gI1, 0.0022, 1e-5); /* less what gII at the start does in half a step */
    for (int i = 1; i <= STEPS; i++) {
        assert_near(gII(r.h.x[i]), 0, 1e-8);
        assert_near(gI(r.h.x[i]), gI1, 1e-6);
        assert_near(g(r.h.x[i]), g1 + gI1 * (r.h.t[i] - r.h.t[1]), 2e-6);
        if (i > 1 && i < STEPS)
            assert_true(fabs(second_difference(&r.h, i)) < smooth);
    }
    assert_near(g(r.h.x[STEPS]), 0.0112, 5e-5);
}

/* gI = 0: g keeps its value after the first step; every step adds the same defect to lambda,
   with the other sign. */
static void eom2_alternates_in_lambda(void **state)
{
    (void)state;
    static record r;
    integrate(&r, DFL_EOM2, 5);
    for (int i = 1; i <= STEPS; i++) {
        assert_near(gI(r.h.x[i]), 0, 1e-9);
        assert_near(g(r.h.x[i]), g(r.h.x[1]), 1e-6);
        const double sign = i % 2 ? 1 : -1;
        if (i < STEPS)
            assert_near(sign * (r.h.x[i][LAMBDA] - r.h.x[i + 1][LAMBDA]) / 2, 0.22, 0.01);
    }
}

/* g = 0 alone: what the first step leaves of gI alternates and, with the motion, grows; lambda
   grows linearly at first. Numbers at t = 0.5, 1, 3 by a program of its own (full Newton
   iteration to 1e-8 in double precision). */
static void eom_alternates_with_growing_amplitude(void **state)
{
    (void)state;
    static record r;
    const int at[] = {100, 200, 600};
    const double velocity[] = {9.2572e-02, 1.2655e-01, 9.7346e-01};
    const double lambda[] = {-1.7043e+03, -3.8508e+03, -3.4392e+04};
    integrate(&r, DFL_EOM, 3);
    for (int i = 1; i < r.h.count; i++) {
        assert_near(g(r.h.x[i]), 0, 1e-9);
        assert_true(gI(r.h.x[i]) * gI(r.h.x[i - 1]) < 0 || i == 1);
        assert_true(r.h.x[i][LAMBDA] * r.h.x[i - 1][LAMBDA] < 0 || i == 1);
    }
    for (int k = 0; k < 3; k++) {
        const double *x = r.h.x[at[k]], t = r.h.t[at[k]];
        assert_near(gI(x), velocity[k], 1e-3 * fabs(velocity[k]));
        assert_near(x[LAMBDA] - sin(t) * cos(t), lambda[k], 1e-3 * fabs(lambda[k]));
    }
}

/* All levels at every step, no drift, no oscillation, through two changes of the selectors, and
   over t = 3 pi/2, where these selectors are singular for an instant. What is left of the wrong
   start is a point of the circle beside the right one, 0.06 at t = 5. */
static void psf_shows_neither(void **state)
{
    (void)state;
    static record r;
    const run result = integrate(&r, DFL_PSF, 5);
    for (int i = 1; i <= STEPS; i++) {
        const double t = r.h.t[i], *x = r.h.x[i];
        assert_near(g(x), 0, 1e-10);
        assert_near(gI(x), 0, 1e-9);
        assert_near(gII(x), 0, 1e-8);
        assert_near(x[X], sin(t), 0.02);
        assert_near(x[Y], cos(t), 0.06);
        if (i > 1 && i < STEPS)
            assert_true(fabs(second_difference(&r.h, i)) < smooth);
    }
    assert_true(r.rows[0] > 0 && r.rows[1] > 0);
    /* both ends of the step were asked */
    assert_int_equal(r.selections, 2 * result.stats.selector_computations);
}

/* From this start the iteration does not always converge in eom. No step is taken then: positions
   stay as far from the circle as they were at most, however the run ends. */
static void no_step_of_eom_is_taken_without_convergence(void **state)
{
    (void)state;
    static const dfl_integrator integrators[] = {DFL_RADAU, DFL_BDF, DFL_TRAPEZOIDAL, DFL_MIDPOINT};
    int ended = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            const dfl_solver_options options = {.form = DFL_EOM,
                                                .integrator = integrators[i],
                                                .rtol = 1e-8,
                                                .step.fixed = 0.005 * (1 << k)};
            const run r = run_with(&circle, 0, start, 5, &options,
                                   &(dfl_conditions){.mode = DFL_START_AS_GIVEN});
            if (r.status)
                assert_failed(&r, DFL_NOT_CONVERGED, "has not converged in the step of fixed size");
            ended += r.status != DFL_OK;
            assert_int_equal(r.stats.unconverged, 0);
            assert_true(r.stats.max_residual.position <= 1.01 * fabs(g(start)));
        }
    assert_true(ended > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_violates_every_level),
        cmocka_unit_test(uode_drifts_quadratically),
        cmocka_unit_test(eom1_drifts_linearly_and_does_not_alternate),
        cmocka_unit_test(eom2_alternates_in_lambda),
        cmocka_unit_test(eom_alternates_with_growing_amplitude),
        cmocka_unit_test(psf_shows_neither),
        cmocka_unit_test(no_step_of_eom_is_taken_without_convergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
