/* test_singular_masses.c: a mass may be zero where a constraint holds it or where its balance is
   one of the massless rows. */
#include "fine.h"
#include "reference.h"

/* ---- held by a constraint ---- */

/* The pendulum of length 1 whose mass moves only in x (kind a): x'' = g x / y, lambda = -g/(2 y).
 */
static const double g_light = 4.0;

static int mass_light(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = 1;
    M[1] = 0;
    return 0;
}

static void light_rate(double *yp, double t, const double *y, const void *user)
{
    (void)t, (void)user;
    yp[0] = y[1];
    yp[1] = -g_light * y[0] / sqrt(1 - y[0] * y[0]);
}

static void a_mass_held_by_its_constraint_may_be_zero(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_pendulum(&prob, 0));
    *(pendulum_parameters *)prob.parameters = (pendulum_parameters){1, 1, g_light};
    prob.eom.mass = mass_light;
    const double y0 = -0.8, x0[5] = {-g_light / (2 * y0), 0, 0, 0.6, y0};
    double expected[2] = {0.6, 0};
    rk4(expected, 2, 0, 1, 4000, light_rate, NULL);
    for (int analytic = 0; analytic < 2; analytic++) {
        dfl_eom eom = prob.eom;
        if (!analytic)
            eom.jacobian = NULL;
        for (int mode = DFL_START_PROJECT; mode <= DFL_START_CHECK; mode++) {
            const dfl_conditions cond = {.mode = (dfl_start_mode)mode};
            const run r = run_with(&eom, 0, x0, 1, &fine, &cond);
            assert_succeeded(&r);
            assert_near(r.x[3], expected[0], CLOSE);
            assert_near(r.x[1], expected[1], CLOSE);
            assert_near(r.x[0], -g_light / (2 * r.x[4]), CLOSE);
            assert_true(r.stats.max_residual.acceleration < CLOSE);
        }
    }
    problem_free(&prob);
}

/* ---- massless rows ---- */

static void the_massless_oscillator_meets_its_references(void **state)
{
    (void)state;
    const double damping[] = {2, 50};
    for (int i = 0; i < 2; i++) {
        problem prob;
        assert_true(problem_oscillator_mass(&prob, 0, damping[i]));
        for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
            const dfl_solver_options options = {
                .rtol = 1e-8, .atol = 1e-10, .form = (dfl_form)form};
            for (int k = 0; k < prob.nreferences; k++) {
                const run r = run_problem(&prob, prob.references[k].t, &options);
                assert_succeeded(&r);
                assert_true(error_at(&r, &prob, prob.references[k].t) < CLOSE);
                assert_true(r.stats.max_residual.massless < 1e-5); /* forces of some 100 */
            }
        }
        problem_free(&prob);
    }
}

static void small_masses_tend_to_the_massless_limit(void **state)
{
    (void)state;
    double error[2];
    for (int i = 0; i < 2; i++) {
        problem limit, prob;
        const double m1 = i ? 1e-3 : 1e-2;
        assert_true(problem_oscillator_mass(&limit, 0, 50));
        assert_true(problem_oscillator_mass(&prob, m1, 50));
        const run r = run_problem(&prob, 2, &(dfl_solver_options){.rtol = 1e-10, .atol = 1e-13});
        assert_succeeded(&r);
        error[i] = fabs(r.x[3] - limit.references[1].x[3]);
        problem_free(&prob);
        problem_free(&limit);
    }
    /* O(m1): 6.3e-7 and 6.3e-8 */
    assert_between(error[0], 3e-7, 1.2e-6);
    assert_between(error[0] / error[1], 8, 12.5);
}

/* A massless node with spring 2 and damper 1, pushed by r with r' = -r:
   p' = -2 p + r, from p = 2, r = 1: p = exp(-t) + exp(-2 t). */
static int eval_pushed(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double r = x[0], v = x[1], p = x[2], f = -2 * p - v + r;
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = v;
    if (need & DFL_DYNAMIC)
        out->b[0] = -r;
    if (need & DFL_FORCE)
        out->f[0] = f;
    if (need & DFL_VELOCITY)
        out->gam[0] = f;
    if (need & DFL_DIRECTIONS)
        out->K0[0] = 1;
    return 0;
}

static int mass_zero(double *M, double t, const double *x, void *user)
{
    (void)M, (void)t, (void)x, (void)user;
    return 0;
}

/* A node in n dimensions with one direction that only forces move. */
static dfl_eom massless_node(dfl_eval_fn eval, int n)
{
    return (dfl_eom){.np = n,
                     .nv = n,
                     .n0 = 1,
                     .eval = eval,
                     .mass = mass_zero,
                     .mass_diagonal = true,
                     .mass_constant = true};
}

static void a_massless_row_may_contain_dynamic_force_elements(void **state)
{
    (void)state;
    dfl_eom eom = massless_node(eval_pushed, 1);
    eom.nr = 1;
    const double x0[3] = {1, 0, 2}; /* v follows from the balance */
    for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
        const dfl_solver_options options = {.rtol = 1e-8, .form = (dfl_form)form};
        const run r = run_with(&eom, 0, x0, 1, &options, NULL);
        assert_succeeded(&r);
        assert_near(r.x[2], exp(-1) + exp(-2), CLOSE);
        assert_near(r.x[1], -exp(-1) - 2 * exp(-2), CLOSE);
    }
}

/* The node with f = -2 p - v + w, 0 = d = w + p + v: p' = -1.5 p. */
static int eval_auxiliary(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double w = x[0], v = x[1], p = x[2], f = -2 * p - v + w;
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = v;
    if (need & DFL_AUXILIARY)
        out->d[0] = w + p + v;
    if (need & DFL_FORCE)
        out->f[0] = f;
    if (need & DFL_VELOCITY)
        out->gam[0] = f;
    if (need & DFL_DIRECTIONS)
        out->K0[0] = 1;
    return 0;
}

static void a_massless_row_may_contain_auxiliary_variables(void **state)
{
    (void)state;
    dfl_eom eom = massless_node(eval_auxiliary, 1);
    eom.nw = 1;
    /* the start must find v and w together: one from the other in turns would never settle */
    const double x0[3] = {0, 0, 1};
    for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
        const dfl_solver_options options = {.rtol = 1e-8, .form = (dfl_form)form};
        const run r = run_with(&eom, 0, x0, 1, &options, NULL);
        assert_succeeded(&r);
        assert_near(r.x[2], exp(-1.5), CLOSE);
        assert_near(r.x[0], 0.5 * exp(-1.5), CLOSE);
    }
}

/* A massless node on the unit circle, spring c and damper d to A = (2, 0), and a tangential force
   -mu lambda: 2 lambda = p.f = c (2 cos phi - 1), so
   d phi' = -2 c sin phi - (mu/2) c (2 cos phi - 1). */
static const double c_node = 3, d_node = 2, mu_node = 0.8;

static int eval_node(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double l = x[0], *v = x + 1, *p = x + 3, tangent[2] = {-p[1], p[0]};
    double f[2];
    (void)t, (void)user;
    for (int i = 0; i < 2; i++)
        f[i] = -c_node * (p[i] - (i == 0 ? 2 : 0)) - d_node * v[i] - mu_node * l * tangent[i];
    for (int i = 0; i < 2; i++) {
        if (need & DFL_KINEMATICS)
            out->kin[i] = v[i];
        if (need & DFL_FORCE)
            out->f[i] = f[i];
        if (need & DFL_DIRECTIONS)
            out->W[i] = 2 * p[i], out->K0[i] = tangent[i];
    }
    if (need & DFL_POSITION)
        out->g[0] = p[0] * p[0] + p[1] * p[1] - 1;
    if (need & DFL_VELOCITY) {
        out->gI[0] = 2 * (p[0] * v[0] + p[1] * v[1]);
        out->gam[0] = tangent[0] * f[0] + tangent[1] * f[1];
    }
    if (need & DFL_BIAS)
        out->bias[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

static void node_rate(double *yp, double t, const double *y, const void *user)
{
    (void)t, (void)user;
    yp[0] = c_node / d_node * (-2 * sin(y[0]) - mu_node / 2 * (2 * cos(y[0]) - 1));
}

static void check_node(dfl_form form)
{
    dfl_eom eom = massless_node(eval_node, 2);
    eom.nl = 1;
    const double x0[5] = {0, 0, 0, 0, 1};
    double phi[1] = {acos(0)};
    rk4(phi, 1, 0, 0.7, 2000, node_rate, NULL);
    const dfl_solver_options options = {.rtol = 1e-8, .form = form};
    const run r = run_with(&eom, 0, x0, 0.7, &options, NULL);
    assert_succeeded(&r);
    assert_near(r.x[3], cos(phi[0]), CLOSE);
    assert_near(r.x[4], sin(phi[0]), CLOSE);
    /* of psi1 the multiplier has a lower order in general; here it is determined by the rows of
       the dynamics that the constraint leaves without mass */
    assert_near(r.x[0], c_node / 2 * (2 * cos(phi[0]) - 1), CLOSE);
}

static void a_massless_row_may_contain_multipliers(void **state)
{
    (void)state;
    check_node(DFL_PSF);
}

static void a_massless_row_may_contain_multipliers_in_psi1(void **state)
{
    (void)state;
    check_node(DFL_PSI1);
}

/* A mass of 2 and a massless node, tied by a damper, each on a spring: x = [v | p]. What is wrong
   with K0 or gam. */
typedef enum wrong_massless { MASSLESS_RIGHT, HAS_MASS, OTHER_BALANCE } wrong_massless;

static int eval_tied(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const wrong_massless wrong = *(const wrong_massless *)user;
    const double f[2] = {-3 * x[2] - (x[0] - x[1]), -x[3] - (x[1] - x[0])};
    (void)t;
    if (need & DFL_FORCE)
        memcpy(out->f, f, sizeof f);
    if (need & DFL_VELOCITY)
        out->gam[0] = wrong == OTHER_BALANCE ? f[1] + x[3] : f[1];
    if (need & DFL_DIRECTIONS)
        out->K0[wrong == HAS_MASS ? 0 : 1] = 1;
    return 0;
}

static int mass_tied(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = 2;
    return 0;
}

static void the_self_check_finds_wrong_massless_directions(void **state)
{
    (void)state;
    static const char *const text[] = {NULL, "M K0 does not vanish in row f[0]", "but K0^T f is"};
    const double x0[4] = {0.3, 0, 1, 0.5};
    for (int k = MASSLESS_RIGHT; k <= OTHER_BALANCE; k++) {
        wrong_massless wrong = (wrong_massless)k;
        dfl_eom eom = massless_node(eval_tied, 2);
        eom.mass = mass_tied;
        eom.trivial_kinematics = true;
        eom.user = &wrong;
        const run r = run_with(&eom, 0, x0, 1, &(dfl_solver_options){.self_check = true}, NULL);
        if (text[k])
            assert_failed(&r, DFL_INVALID, text[k]);
        else
            assert_succeeded(&r);
    }
}

/* x = [w | l | v | p]: p0^2 + 1 = 0 has no solution, whatever is found for the massless velocity,
   v1 = w(v1) - p1. */
static int eval_impossible(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double w = x[0], *v = x + 2, *p = x + 4;
    (void)t, (void)user;
    if (need & DFL_FORCE) {
        out->f[0] = -1;
        out->f[1] = w - v[1] - p[1];
    }
    if (need & DFL_AUXILIARY)
        out->d[0] = w + 0.5 * w * w * w - 0.5 * sin(v[1]) - 1;
    if (need & DFL_POSITION)
        out->g[0] = p[0] * p[0] + 1;
    if (need & DFL_VELOCITY) {
        out->gI[0] = 2 * p[0] * v[0];
        out->gam[0] = w - v[1] - p[1];
    }
    if (need & DFL_DIRECTIONS) {
        out->W[0] = 2 * p[0];
        out->K0[1] = 1;
    }
    if (need & DFL_BIAS)
        out->bias[0] = 2 * v[0] * v[0];
    return 0;
}

static void massless_rows_that_settle_do_not_hide_positions_that_do_not(void **state)
{
    (void)state;
    dfl_eom eom = massless_node(eval_impossible, 2);
    eom.mass = mass_tied;
    eom.trivial_kinematics = true;
    eom.nl = eom.nw = 1;
    const double x0[6] = {0, 0, 0, 0, 0.7, 0.2};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &eom, NULL), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, x0, NULL), DFL_INCONSISTENT);
    assert_int_equal(dfl_solver_failure(solver), DFL_FAILURE_ITERATIONS);
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_held_by_its_constraint_may_be_zero),
        cmocka_unit_test(the_massless_oscillator_meets_its_references),
        cmocka_unit_test(small_masses_tend_to_the_massless_limit),
        cmocka_unit_test(a_massless_row_may_contain_dynamic_force_elements),
        cmocka_unit_test(a_massless_row_may_contain_auxiliary_variables),
        cmocka_unit_test(a_massless_row_may_contain_multipliers),
        cmocka_unit_test(a_massless_row_may_contain_multipliers_in_psi1),
        cmocka_unit_test(the_self_check_finds_wrong_massless_directions),
        cmocka_unit_test(massless_rows_that_settle_do_not_hide_positions_that_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
