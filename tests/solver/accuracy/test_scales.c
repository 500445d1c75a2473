/* test_scales.c: models at the edge of what is well scaled: short levers, light and heavy masses,
   short rows, tiny lengths, stiff forces, large multipliers.
   Expected values are exact or come from a classical Runge-Kutta method (RK4) for the same motion
   without constraints. */
#include "rod.h"

/* The state just after the start. */
static run start_with(const dfl_eom *eom, double t0, const double *x0,
                      const dfl_solver_options *options, const dfl_conditions *conditions)
{
    return run_with(eom, t0, x0, t0, options, conditions);
}

/* ---------------------------------------------------------------- short lever arms */
/* A bar of half length A and mass 1 whose two ends stay on the x axis, pushed along it by a force
   of 1 N and turned by a torque that would give 1 rad/s^2. */
static int lever_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double A = *(const double *)user, *v = x + 2, *p = x + 5;
    const double s = A * sin(p[2]), c = A * cos(p[2]);
    (void)t;
    if (need & DFL_FORCE) {
        out->f[0] = 1;
        out->f[1] = 0;
        out->f[2] = A * A / 3;
    }
    for (int i = 0; i < 2; i++) {
        const double side = i ? -1 : 1;
        if (need & DFL_POSITION)
            out->g[i] = p[1] + side * s;
        if (need & DFL_VELOCITY)
            out->gI[i] = v[1] + side * c * v[2];
        if (need & DFL_DIRECTIONS) {
            out->W[2 + i] = 1;
            out->W[4 + i] = side * c;
        }
        if (need & DFL_BIAS)
            out->bias[i] = -side * s * v[2] * v[2];
    }
    return 0;
}

static int lever_mass(double *M, double t, const double *x, void *user)
{
    const double A = *(const double *)user;
    (void)t;
    (void)x;
    M[0] = M[1] = 1;
    M[2] = A * A / 3;
    return 0;
}

static void constraints_with_a_short_lever_arm_are_independent(void **state)
{
    (void)state;
    for (double A = 1e-4; A > 5e-10; A /= 10) {
        const double a = 1e-6 * A, J = A * A / 3, x0[8] = {0};
        const double atol[8] = {a, a, a, a, 1e-6, a, a, 1e-6};
        const dfl_eom eom = {.np = 3,
                             .nv = 3,
                             .nl = 2,
                             .eval = lever_eval,
                             .mass = lever_mass,
                             .mass_diagonal = true,
                             .mass_constant = true,
                             .trivial_kinematics = true,
                             .user = &A};
        const dfl_solver_options options = {.error.atol_each = atol};
        const run r = run_with(&eom, 0, x0, 2, &options, NULL);
        assert_succeeded(&r);
        assert_int_equal(r.stats.rank_position, 2);
        assert_int_equal(r.stats.rank_velocity, 2);
        /* A (l1 - l2) = J, l1 + l2 = 0. Rounding only: x'' is constant, the rest is constant. */
        assert_near(r.x[0], J / (2 * A), 1e-9 * J / A);
        assert_near(r.x[1], -J / (2 * A), 1e-9 * J / A);
        assert_near(r.x[5], 2, 1e-9);
        assert_near(r.x[7], 0, 1e-12);
    }
}

/* Runs for 1 s from (0.6, -0.8) with v = (0.1, 0), of which (0.064, 0.048) is tangential. */
static run swing_heavy(double mass, bool carry)
{
    rod m = {.mass = mass, .scale = 1, .length = 1};
    const dfl_eom eom = rod_eom(&m);
    const double x0[5] = {0, 0.1, 0, 0.6, -0.8}, atol[5] = {1e-6 * mass, 1e-6, 1e-6, 1e-6, 1e-6};
    const dfl_solver_options options = {.error.atol_each = atol,
                                        .newton.carry_accelerations = carry};
    run r = start_with(&eom, 0, x0, &options, NULL);
    assert_succeeded(&r);
    assert_near(r.x[0] / mass, 7.8544, 1e-9); /* v^2 - g p_y with v^2 = 0.0064; rounding */
    assert_near(r.x[1], 0.064, 1e-12);
    assert_near(r.x[2], 0.048, 1e-12);
    r = run_with(&eom, 0, x0, 1, &options, NULL);
    assert_succeeded(&r);
    return r;
}

static void the_motion_does_not_depend_on_the_unit_of_mass(void **state)
{
    (void)state;
    const double masses[] = {1, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9, 1e12};
    double y[2];
    swing_for(y, 1, 0.08);
    for (int carry = 0; carry < 2; carry++) {
        const run one = swing_heavy(1, carry);
        /* ten times the tolerance for 20 steps */
        assert_near(one.x[0], y[1] * y[1] + gravity * cos(y[0]), 1e-4);
        assert_near(one.x[1], y[1] * cos(y[0]), 1e-5);
        assert_near(one.x[3], sin(y[0]), 1e-5);
        for (int i = 0; i < 8; i++) {
            const run r = swing_heavy(masses[i], carry);
            assert_near(r.x[0] / masses[i], one.x[0], 1e-7); /* rounding: a tenth of rtol */
            assert_near(distance(r.x + 1, one.x + 1, 4), 0, 1e-7);
        }
    }
}

/* The start lies off the circle; the nearest point on it has the same direction. */
static void start_and_motion_do_not_depend_on_the_scale_of_the_constraint(void **state)
{
    (void)state;
    const double x0[5] = {0, 0.1, 0, 0.6 * 1.2, -0.8 * 1.2};
    double y[2];
    swing_for(y, 1, 0.08);
    for (int i = 0; i < 5; i++) {
        rod m = {.mass = 1, .scale = pow(10, -2 * i), .length = 1};
        const dfl_eom eom = rod_eom(&m);
        const double atol[5] = {1e-6 / m.scale, 1e-6, 1e-6, 1e-6, 1e-6};
        const double start[5] = {7.8544, 0.064, 0.048, 0.6, -0.8};
        const dfl_solver_options options = {.error.atol_each = atol};
        run r = start_with(&eom, 0, x0, &options, NULL);
        assert_succeeded(&r);
        r.x[0] *= m.scale;
        assert_near(distance(r.x, start, 5), 0, 1e-9); /* Newton's method run to rounding */
        r = run_with(&eom, 0, x0, 1, &options, NULL);
        assert_succeeded(&r);
        assert_near(r.x[0] * m.scale, y[1] * y[1] + gravity * cos(y[0]), 1e-4); /* as above */
        assert_near(r.x[3], sin(y[0]), 1e-5);
    }
}

/* x = 1 in a short row, (y, z) on a circle in a row of length 1. */
static int plane_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double scale = *(const double *)user, *v = x + 2, *p = x + 5;
    (void)t;
    if (need & DFL_FORCE) {
        out->f[0] = out->f[1] = 0;
        out->f[2] = -gravity;
    }
    if (need & DFL_POSITION) {
        out->g[0] = scale * (p[0] - 1);
        out->g[1] = (p[1] * p[1] + p[2] * p[2] - 1) / 2;
    }
    if (need & DFL_VELOCITY) {
        out->gI[0] = scale * v[0];
        out->gI[1] = p[1] * v[1] + p[2] * v[2];
    }
    if (need & DFL_DIRECTIONS) {
        out->W[0] = scale;
        out->W[3] = p[1];
        out->W[5] = p[2];
    }
    if (need & DFL_BIAS) {
        out->bias[0] = 0;
        out->bias[1] = v[1] * v[1] + v[2] * v[2];
    }
    return 0;
}

static void a_short_row_beside_a_long_one_is_satisfied_as_well(void **state)
{
    (void)state;
    const double x0[8] = {0, 0, 0.5, 0, 0, 1.3, 0.6, -0.8};
    double y[2];
    swing_for(y, 0.5, 0);
    for (int i = 0; i < 5; i++) {
        double scale = pow(10, -2 * i);
        const dfl_eom eom = {.np = 3,
                             .nv = 3,
                             .nl = 2,
                             .eval = plane_eval,
                             .trivial_kinematics = true,
                             .user = &scale};
        const double atol[8] = {1e-6 / scale, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6};
        const dfl_solver_options options = {.error.atol_each = atol};
        run r = start_with(&eom, 0, x0, &options, NULL);
        assert_succeeded(&r);
        assert_near(r.x[5], 1, 1e-9); /* the correction run to rounding, as above */
        assert_near(r.x[2], 0, 1e-9);
        r = run_with(&eom, 0, x0, 0.5, &options, NULL);
        assert_succeeded(&r);
        assert_int_equal(r.stats.rank_velocity, 2);
        assert_near(r.x[5], 1, 1e-7);         /* a tenth of the tolerance: x is constant */
        assert_near(r.x[6], sin(y[0]), 1e-5); /* ten times the tolerance */
    }
}

/* Lengths down to 1e-12 m with times of sqrt(length): everything scales exactly. */
static void a_microscopic_pendulum_starts_and_moves_like_a_large_one(void **state)
{
    (void)state;
    double y[2];
    swing_for(y, 3, 0);
    for (int k = 1; k <= 4; k++) {
        rod m = {.mass = 1, .scale = 1, .length = pow(10, -3 * k)};
        const double L = m.length, T = sqrt(L);
        const dfl_eom eom = rod_eom(&m);
        const double atol[5] = {1e-6 / L, 1e-6 * L / T, 1e-6 * L / T, 1e-6 * L, 1e-6 * L};
        const dfl_solver_options options = {.error.atol_each = atol};
        const double off[5] = {gravity * 0.8 / L, 0, 0, 1.3 * 0.6 * L, -1.3 * 0.8 * L};
        run r = start_with(&eom, 0, off, &options, NULL);
        assert_succeeded(&r);
        assert_near(r.x[3] / L, 0.6, 1e-10); /* Newton's method converges quadratically */
        assert_near(r.x[4] / L, -0.8, 1e-10);
        r = start_with(&eom, 0, off, &options, &(dfl_conditions){.mode = DFL_START_CHECK});
        assert_failed(&r, DFL_INCONSISTENT, "g[0]");
        r = run_with(&eom, 0, off, 3 * T, &options, NULL);
        assert_succeeded(&r);
        assert_near(r.x[3] / L, sin(y[0]), 1e-5); /* ten times the tolerance */
    }
}

/* ---------------------------------------------------------------- stiff forces */
/* A second mass is tied to the pendulum by a spring K and a damper K/1000, so stiff that both move
   as one: to g/K = 1e-7 m the motion is the pendulum's. */
static int tied_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double K = *(const double *)user, *v = x + 1, *p = x + 5;
    (void)t;
    for (int i = 0; i < 2 && (need & DFL_FORCE); i++) {
        const double pull = K * (p[2 + i] - p[i]) + 1e-3 * K * (v[2 + i] - v[i]);
        const double weight = i ? gravity : 0;
        out->f[i] = pull - weight;
        out->f[2 + i] = -pull - weight;
    }
    if (need & DFL_POSITION)
        out->g[0] = (p[0] * p[0] + p[1] * p[1] - 1) / 2;
    if (need & DFL_VELOCITY)
        out->gI[0] = p[0] * v[0] + p[1] * v[1];
    if (need & DFL_DIRECTIONS) {
        out->W[0] = p[0];
        out->W[1] = p[1];
    }
    if (need & DFL_BIAS)
        out->bias[0] = v[0] * v[0] + v[1] * v[1];
    return 0;
}

static int tied_jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const double K = *(const double *)user, *v = x + 1, *p = x + 5;
    (void)t;
    for (int i = 0; i < 2; i++) {
        out->acc[1 + i] = 2 * v[i];
        out->acc[5 + i] = a[i];
        out->vel[i] = out->pos[i] = p[i];
        out->vel[4 + i] = v[i];
        out->dyn[i] = -p[i];
    }
    for (int i = 0; i < 4; i++) {
        const int other = (i + 2) % 4;
        out->dyn[(1 + i) * 4 + i] = -1e-3 * K;
        out->dyn[(1 + other) * 4 + i] = 1e-3 * K;
        out->dyn[(5 + i) * 4 + i] = -K - (i < 2 ? x[0] : 0);
        out->dyn[(5 + other) * 4 + i] = K;
    }
    return 0;
}

/* What keeping saves is counted in steps of one order. */
static void keeping_the_matrix_of_a_stiff_model_costs_few_steps(void **state)
{
    (void)state;
    const double x0[9] = {0, 0, 0, 0, 0, 0.6, -0.8, 0.6, -0.8};
    double y[2];
    swing_for(y, 3, 0);
    for (int k = 0; k < 6; k++) {
        double K = pow(10, 8 + 2 * (k / 2));
        const dfl_eom eom = {.np = 4,
                             .nv = 4,
                             .nl = 1,
                             .eval = tied_eval,
                             .jacobian = k % 2 ? tied_jacobian : NULL,
                             .trivial_kinematics = true,
                             .user = &K};
        const run kept = run_with(&eom, 0, x0, 3, &(dfl_solver_options){.order = 5}, NULL);
        const run fresh =
            run_with(&eom, 0, x0, 3, &(dfl_solver_options){.order = 5, .newton.reuse = -1}, NULL);
        assert_succeeded(&kept);
        assert_succeeded(&fresh);
        assert_true(2 * kept.stats.attempts <= 3 * fresh.stats.attempts);
        assert_true(2 * kept.stats.jacobians < fresh.stats.jacobians); /* it was kept */
        assert_near(kept.x[5], sin(y[0]), 2e-6); /* measured: below 5e-7 at rtol 1e-6 */
        assert_near(fresh.x[5], sin(y[0]), 2e-6);
    }
}

static void a_step_limit_below_rounding_is_reported_as_such(void **state)
{
    (void)state;
    rod m = {.mass = 1, .scale = 1, .length = 1};
    const dfl_eom eom = rod_eom(&m);
    const double x0[5] = {0, 0, 0, 0.6, -0.8};
    const run r = run_with(&eom, 1, x0, 2, &(dfl_solver_options){.step.max = 1e-30}, NULL);
    assert_int_not_equal(r.status, DFL_OK);
    assert_non_null(strstr(r.message, "step"));
    print_message("%s: %s\n", dfl_status_name(r.status), r.message);
}

/* The truck's multipliers are 7e4 N and about 0 N: an absolute tolerance for all unknowns asks the
   latter for less than the rounding of the former. */
static void large_multipliers_do_not_limit_a_scalar_tolerance(void **state)
{
    (void)state;
    problem truck;
    assert_true(problem_make(&truck, "truck", 0));
    const problem_reference *ref = &truck.references[0];
    const int v = dfl_eom_layout(&truck.eom).v, n = dfl_eom_unknowns(&truck.eom);
    for (int digits = 9; digits <= 13; digits += 2) {
        const dfl_solver_options options = {.rtol = pow(10, -digits)};
        const run r = run_problem(&truck, ref->t, &options);
        assert_succeeded(&r);
        /* 100 times the tolerance, down to the accuracy of the reference */
        assert_true(distance(r.x + v, ref->x + v, n - v) < 100 * options.rtol + ref->accuracy);
    }
    problem_free(&truck);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_multipliers_do_not_limit_a_scalar_tolerance),
        cmocka_unit_test(constraints_with_a_short_lever_arm_are_independent),
        cmocka_unit_test(the_motion_does_not_depend_on_the_unit_of_mass),
        cmocka_unit_test(start_and_motion_do_not_depend_on_the_scale_of_the_constraint),
        cmocka_unit_test(a_short_row_beside_a_long_one_is_satisfied_as_well),
        cmocka_unit_test(a_microscopic_pendulum_starts_and_moves_like_a_large_one),
        cmocka_unit_test(keeping_the_matrix_of_a_stiff_model_costs_few_steps),
        cmocka_unit_test(a_step_limit_below_rounding_is_reported_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
