/* Models at the edge of what is well scaled: short levers, light and heavy masses, short rows,
   stiff forces, invariants that degenerate, positions next to singular ones, tiny lengths.
   Expected values are exact or come from a classical Runge-Kutta method (RK4) for the same motion
   without constraints. */
#include "support.h"
#include "reference.h"

static const double gravity = 9.81;

/* ---------------------------------------------------------------- references */
/* The pendulum of length 1 in its angle from the hanging position: y = (theta, theta'). */
static void swing(double *rate, double t, const double *y, const void *user)
{
    (void)t;
    (void)user;
    rate[0] = y[1];
    rate[1] = -gravity * sin(y[0]);
}

/* Where it is after t seconds from (0.6, -0.8) with the tangential velocity `speed`. */
static void swing_for(double y[2], double t, double speed)
{
    y[0] = atan2(0.6, 0.8);
    y[1] = speed;
    rk4(y, 2, 0, t, (int)ceil(t * 1000), swing, NULL);
}

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
        const dfl_solver_options options = {.atol_each = atol};
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

/* ---------------------------------------------------------------- a pendulum in other units */
/* One point on a circle around the origin. */
typedef struct rod {
    double mass, scale, length; /* `scale` multiplies the constraint */
    bool with_energy;           /* the energy is an invariant (ne = 1), for mass and length 1 */
    double energy;
} rod;

static int rod_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const rod *m = user;
    const double *v = x + 1, *p = x + 3, vv = v[0] * v[0] + v[1] * v[1];
    (void)t;
    if (need & DFL_FORCE) {
        out->f[0] = 0;
        out->f[1] = -m->mass * gravity;
    }
    if (need & DFL_POSITION)
        out->g[0] = m->scale * (p[0] * p[0] + p[1] * p[1] - m->length * m->length) / 2;
    if (need & DFL_VELOCITY) {
        out->gI[0] = m->scale * (p[0] * v[0] + p[1] * v[1]);
        if (m->with_energy)
            out->e[0] = vv / 2 + gravity * p[1] - m->energy;
    }
    if (need & DFL_DIRECTIONS) {
        out->W[0] = m->scale * p[0];
        out->W[1] = m->scale * p[1];
    }
    if (need & DFL_BIAS)
        out->bias[0] = m->scale * vv;
    return 0;
}

static int rod_mass(double *M, double t, const double *x, void *user)
{
    const rod *m = user;
    (void)t;
    (void)x;
    M[0] = M[3] = m->mass;
    return 0;
}

static dfl_eom rod_eom(rod *m)
{
    return (dfl_eom){.np = 2,
                     .nv = 2,
                     .nl = 1,
                     .ne = m->with_energy,
                     .eval = rod_eval,
                     .mass = rod_mass,
                     .mass_constant = true,
                     .trivial_kinematics = true,
                     .user = m};
}

/* Runs for 1 s from (0.6, -0.8) with v = (0.1, 0), of which (0.064, 0.048) is tangential. */
static run swing_heavy(double mass, bool carry)
{
    rod m = {.mass = mass, .scale = 1, .length = 1};
    const dfl_eom eom = rod_eom(&m);
    const double x0[5] = {0, 0.1, 0, 0.6, -0.8}, atol[5] = {1e-6 * mass, 1e-6, 1e-6, 1e-6, 1e-6};
    const dfl_solver_options options = {.atol_each = atol, .carry_accelerations = carry};
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
        const dfl_solver_options options = {.atol_each = atol};
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
        const dfl_solver_options options = {.atol_each = atol};
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
        const dfl_solver_options options = {.atol_each = atol};
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
            run_with(&eom, 0, x0, 3, &(dfl_solver_options){.order = 5, .jacobian_reuse = -1}, NULL);
        assert_succeeded(&kept);
        assert_succeeded(&fresh);
        assert_true(2 * kept.stats.attempts <= 3 * fresh.stats.attempts);
        assert_true(2 * kept.stats.jacobians < fresh.stats.jacobians); /* it was kept */
        assert_near(kept.x[5], sin(y[0]), 2e-6); /* measured: below 5e-7 at rtol 1e-6 */
        assert_near(fresh.x[5], sin(y[0]), 2e-6);
    }
}

/* ---------------------------------------------------------------- nearly parallel rows */
/* (x, y) = 0 held by the rows n and s (n + m/33): n, m a frame that turns with `speed`, and s a
   length that varies by `swell`. z'' = -z is free. */
typedef struct frame {
    double speed, swell;
} frame;

/* The row w and its first two time derivatives. */
static void turning_row(double w[3][2], const frame *fr, int row, double t)
{
    const double o = fr->speed, e = row ? 0.03 : 0, swell = row ? fr->swell : 0;
    const double s = 1 + swell * sin(2 * t), s1 = 2 * swell * cos(2 * t), s2 = -4 * (s - 1);
    const double n[2] = {cos(o * t), sin(o * t)}, m[2] = {-n[1], n[0]};
    for (int i = 0; i < 2; i++) {
        const double a = n[i] + e * m[i], b = o * (m[i] - e * n[i]);
        w[0][i] = s * a;
        w[1][i] = s1 * a + s * b;
        w[2][i] = s2 * a + 2 * s1 * b - s * o * o * a;
    }
}

static double dot2(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1];
}

static int frame_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 2, *p = x + 5;
    if (need & DFL_FORCE) {
        out->f[0] = out->f[1] = 0;
        out->f[2] = -p[2];
    }
    for (int row = 0; row < 2; row++) {
        double w[3][2];
        turning_row(w, user, row, t);
        if (need & DFL_POSITION)
            out->g[row] = dot2(w[0], p);
        if (need & DFL_VELOCITY)
            out->gI[row] = dot2(w[0], v) + dot2(w[1], p);
        if (need & DFL_DIRECTIONS) {
            out->W[row] = w[0][0];
            out->W[2 + row] = w[0][1];
        }
        if (need & DFL_BIAS)
            out->bias[row] = 2 * dot2(w[1], v) + dot2(w[2], p);
    }
    return 0;
}

static void nearly_parallel_turning_rows_are_no_singular_position(void **state)
{
    (void)state;
    frame frames[] = {{3, 0}, {3, 0.5}, {4, 0}, {5, 0.5}, {6, 0}, {6.5, 0.5}};
    const double x0[8] = {0, 0, 0, 0, 1, 0, 0, 0};
    for (int i = 0; i < 6; i++) {
        const dfl_eom eom = {.np = 3,
                             .nv = 3,
                             .nl = 2,
                             .eval = frame_eval,
                             .trivial_kinematics = true,
                             .user = &frames[i]};
        const run r = run_with(&eom, 0, x0, 20, NULL, NULL);
        assert_succeeded(&r);
        assert_int_equal(r.stats.rank_position, 2);
        assert_near(r.x[7], sin(20), 2e-5); /* 20 times the tolerance over 20 s */
        assert_near(fmax(fabs(r.x[5]), fabs(r.x[6])), 0, 1e-9);
    }
}

/* ---------------------------------------------------------------- singular positions */
/* A parallelogram in the angles of its crank (1), coupler (2) and rocker (1), without forces.
   `user` says whether the ground is added first: then crank and rocker do not cancel exactly in g.
   */
static int parallelogram_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 2, *p = x + 5, length[3] = {1, 2, -1};
    const bool ground_first = *(const bool *)user;
    double sum[3][2] = {{ground_first ? -2 : 0}}; /* g, gI, bias */
    (void)t;
    for (int i = 0; i < 3; i++) {
        const double c = length[i] * cos(p[i]), s = length[i] * sin(p[i]);
        sum[0][0] += i == 1 && !ground_first ? c - 2 : c;
        sum[0][1] += s;
        sum[1][0] -= s * v[i];
        sum[1][1] += c * v[i];
        sum[2][0] -= c * v[i] * v[i];
        sum[2][1] -= s * v[i] * v[i];
        if (need & DFL_DIRECTIONS) {
            out->W[2 * i] = -s;
            out->W[2 * i + 1] = c;
        }
        if (need & DFL_FORCE)
            out->f[i] = 0;
    }
    if (need & DFL_POSITION)
        memcpy(out->g, sum[0], sizeof sum[0]);
    if (need & DFL_VELOCITY)
        memcpy(out->gI, sum[1], sizeof sum[1]);
    if (need & DFL_BIAS)
        memcpy(out->bias, sum[2], sizeof sum[2]);
    return 0;
}

static dfl_eom parallelogram(bool *ground_first)
{
    return (dfl_eom){.np = 3,
                     .nv = 3,
                     .nl = 2,
                     .eval = parallelogram_eval,
                     .trivial_kinematics = true,
                     .user = ground_first};
}

/* The crank turns with 1 rad/s from 0.3 rad and is flat at pi: the run stops in front of that, by
   at most `margin` seconds. */
static void meet_flat_position(bool ground_first, double rtol, double margin)
{
    const double x0[8] = {0, 0, 1, 0, 1, 0.3, 0, 0.3}, flat = acos(-1) - 0.3;
    const dfl_eom eom = parallelogram(&ground_first);
    const run r = run_with(&eom, 0, x0, 10, &(dfl_solver_options){.rtol = rtol}, NULL);
    print_message("rtol %g: %s %.1e s before, at most %.1e\n", rtol, dfl_status_name(r.status),
                  flat - r.t, margin);
    assert_true(r.status == DFL_RANK_CHANGED || r.status == DFL_NOT_CONVERGED);
    assert_non_null(strstr(r.message, "g[0]"));
    assert_non_null(strstr(r.message, "g[1]"));
    assert_between(r.t, flat - margin, flat);
    /* on the branch it came along: on the other one the coupler's angle is of the size of the
       distance to the flat position */
    assert_near(r.x[5], 0.3 + r.t, 1e-6);
    assert_near(r.x[6], 0, 1e-6);
    assert_near(r.x[7], 0.3 + r.t, 1e-6);
}

/* Crank and rocker cancel exactly, so only the singular position itself ends the run. */
static void a_parallelogram_stops_shortly_before_its_flat_position(void **state)
{
    (void)state;
    for (int k = 6; k <= 10; k += 2)
        meet_flat_position(false, pow(10, -k), 0.01);
}

/* At the distance s from the flat position the smallest singular value of W is s, and each of p,
   v, a and the multipliers divides the rounding of the one before by it: eps/s^4 reaches rtol at s
   = (eps/rtol)^(1/4), where the multipliers cannot be computed any more. Twice that is allowed. */
static void rounding_stops_a_parallelogram_where_multipliers_are_lost(void **state)
{
    (void)state;
    for (int k = 6; k <= 10; k += 2)
        meet_flat_position(true, pow(10, -k), 2 * pow(2.2e-16 * pow(10, k), 0.25));
}

static void a_start_at_rest_in_the_flat_position_is_refused(void **state)
{
    (void)state;
    const double x0[8] = {0};
    bool ground_first = false;
    const dfl_eom eom = parallelogram(&ground_first);
    const run r = run_with(&eom, 0, x0, 1, NULL, NULL);
    assert_failed(&r, DFL_SINGULAR, "singular position");
}

/* ---------------------------------------------------------------- invariants */
enum { OUTPUTS = 20001 };
typedef struct record {
    int n;
    double speed[OUTPUTS]; /* tangential */
} record;

static double speed_of(const double *x)
{
    return x[2] * x[3] - x[1] * x[4];
}

static int record_speed(double t, const double *x, void *user)
{
    record *rec = user;
    (void)t;
    if (rec->n < OUTPUTS)
        rec->speed[rec->n++] = speed_of(x);
    return 0;
}

/* The largest error of the speed over 20 s from rest, at outputs 1 ms apart. */
static double worst_speed(double rtol, bool project)
{
    static record rec;
    rod m = {.mass = 1, .scale = 1, .length = 1, .with_energy = true, .energy = -0.8 * gravity};
    const dfl_eom eom = rod_eom(&m);
    const double x0[5] = {0, 0, 0, 0.6, -0.8};
    const dfl_solver_options options = {.rtol = rtol,
                                        .every = 1e-3,
                                        .project_output = project,
                                        .on_output = record_speed,
                                        .user = &rec};
    rec.n = 0;
    const run r = run_with(&eom, 0, x0, 20, &options, NULL);
    assert_succeeded(&r);
    assert_true(rec.n >= OUTPUTS - 1);
    double y[2] = {atan2(0.6, 0.8), 0}, worst = 0;
    for (int i = 0; i < rec.n; i++) {
        worst = fmax(worst, fabs(rec.speed[i] - y[1]));
        rk4(y, 2, 0, 1e-3, 1, swing, NULL);
    }
    return worst;
}

/* At a turning point the gradient of the energy with respect to v vanishes: projecting onto it
   there would divide its error by v. (Tolerances from 1e-4 to 1e-8 in 17 steps: 0.5 to 3.5 times as large.) */
static void projected_output_is_accurate_at_turning_points(void **state)
{
    (void)state;
    for (int k = 4; k <= 8; k += 2) {
        const double rtol = pow(10, -k), plain = worst_speed(rtol, false);
        const double projected = worst_speed(rtol, true);
        print_message("rtol %g: speed %.1e interpolated, %.1e projected\n", rtol, plain, projected);
        assert_between(projected, 0, 4 * plain);
        assert_between(plain, 0, 1000 * rtol);
    }
}

static int speed_event(double *value, double t, const double *x, void *user)
{
    (void)t;
    (void)user;
    value[0] = speed_of(x);
    return 0;
}

/* 1e-10 m/s: times are located to rounding and |v'| is below 10 m/s^2. */
static void a_terminal_event_at_rest_leaves_no_velocity(void **state)
{
    (void)state;
    const dfl_event_kind kind = {.terminal = true};
    for (int j = 0; j < 30; j++) {
        const double v0 = 1.5 + 0.2 * (j / 3), x0[5] = {0, v0, 0, 0, -1};
        rod m = {.mass = 1,
                 .scale = 1,
                 .length = 1,
                 .with_energy = true,
                 .energy = v0 * v0 / 2 - gravity};
        const dfl_eom eom = rod_eom(&m);
        const dfl_solver_options options = {.rtol = pow(10, -4 - 2 * (j % 3)),
                                            .nevents = 1,
                                            .event = speed_event,
                                            .event_kinds = &kind};
        const run r = run_with(&eom, 0, x0, 50, &options, NULL);
        if (r.status != DFL_STOPPED)
            fail_msg("v0 %g, rtol %g: %s", v0, options.rtol, r.message);
        assert_near(speed_of(r.x), 0, 1e-10);
    }
}

/* x = V t is driven and y'' = -y is free: the invariant of both has a gradient that is parallel to
   the constraint, up to 1/V. */
static int driven_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double V = *(const double *)user, *v = x + 1, *p = x + 3;
    if (need & DFL_FORCE) {
        out->f[0] = 0;
        out->f[1] = -p[1];
    }
    if (need & DFL_POSITION)
        out->g[0] = p[0] - V * t;
    if (need & DFL_VELOCITY) {
        out->gI[0] = v[0] - V;
        out->e[0] = (v[1] * v[1] + p[1] * p[1] - 1) / 2 + (v[0] * v[0] - V * V) / 2;
    }
    if (need & DFL_DIRECTIONS)
        out->W[0] = 1;
    if (need & DFL_BIAS)
        out->bias[0] = 0;
    return 0;
}

static void an_invariant_dominated_by_a_driven_coordinate_is_dropped(void **state)
{
    (void)state;
    for (double V = 1; V < 2e9; V *= 10) {
        const dfl_eom eom = {.np = 2,
                             .nv = 2,
                             .nl = 1,
                             .ne = 1,
                             .eval = driven_eval,
                             .trivial_kinematics = true,
                             .user = &V};
        const double x0[5] = {0, V, 1, 0, 0};
        const run r = run_with(&eom, 0, x0, 10, NULL, NULL);
        assert_succeeded(&r);
        assert_near(r.x[3], 10 * V, 1e-6 * V);
        assert_near(r.x[4], sin(10), 1e-5); /* ten times the tolerance over 10 s */
        if (V > 5e8)                        /* rounding of V^2 exceeds the energy of y */
            assert_int_equal(r.stats.steps_without_invariants, r.stats.accepted);
    }
}

/* ---------------------------------------------------------------- undetermined multipliers */
/* The circle twice, with friction in proportion to the first multiplier alone. */
static int doubled_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 2, *p = x + 4, scale[2] = {1, 3};
    (void)t;
    (void)user;
    if (need & DFL_FORCE) {
        const double friction = -0.1 * x[0] * tanh(10 * (p[0] * v[1] - p[1] * v[0]));
        out->f[0] = -p[1] * friction;
        out->f[1] = p[0] * friction - gravity;
    }
    for (int i = 0; i < 2; i++) {
        if (need & DFL_POSITION)
            out->g[i] = scale[i] * (p[0] * p[0] + p[1] * p[1] - 1) / 2;
        if (need & DFL_VELOCITY)
            out->gI[i] = scale[i] * (p[0] * v[0] + p[1] * v[1]);
        if (need & DFL_DIRECTIONS) {
            out->W[i] = scale[i] * p[0];
            out->W[2 + i] = scale[i] * p[1];
        }
        if (need & DFL_BIAS)
            out->bias[i] = scale[i] * (v[0] * v[0] + v[1] * v[1]);
    }
    return 0;
}

static void forces_that_depend_on_an_undetermined_multiplier_are_refused(void **state)
{
    (void)state;
    const dfl_form forms[] = {DFL_PSF, DFL_PSI1};
    const double x0[6] = {0, 0, 0, 0, 0.6, -0.8};
    for (int i = 0; i < 2; i++) {
        const dfl_eom eom = {
            .np = 2, .nv = 2, .nl = 2, .eval = doubled_eval, .trivial_kinematics = true};
        const run r = run_with(&eom, 0, x0, 2, &(dfl_solver_options){.form = forms[i]}, NULL);
        assert_failed(&r, DFL_SINGULAR, "undetermined");
    }
}

/* ---------------------------------------------------------------- wrong arguments */
static void a_missing_model_or_start_is_refused_with_a_message(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_non_null(ctx);
    assert_int_equal(dfl_solver_create(&solver, ctx, NULL, NULL), DFL_INVALID);
    assert_null(solver);
    assert_non_null(strstr(dfl_message(ctx), "eom"));
    bool ground_first = false;
    const dfl_eom eom = parallelogram(&ground_first);
    assert_int_equal(dfl_solver_create(&solver, ctx, &eom, NULL), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, NULL, NULL), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "x0"));
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void a_step_limit_below_rounding_is_reported_as_such(void **state)
{
    (void)state;
    rod m = {.mass = 1, .scale = 1, .length = 1};
    const dfl_eom eom = rod_eom(&m);
    const double x0[5] = {0, 0, 0, 0.6, -0.8};
    const run r = run_with(&eom, 1, x0, 2, &(dfl_solver_options){.max_step = 1e-30}, NULL);
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
        cmocka_unit_test(nearly_parallel_turning_rows_are_no_singular_position),
        cmocka_unit_test(a_parallelogram_stops_shortly_before_its_flat_position),
        cmocka_unit_test(rounding_stops_a_parallelogram_where_multipliers_are_lost),
        cmocka_unit_test(a_start_at_rest_in_the_flat_position_is_refused),
        cmocka_unit_test(projected_output_is_accurate_at_turning_points),
        cmocka_unit_test(a_terminal_event_at_rest_leaves_no_velocity),
        cmocka_unit_test(an_invariant_dominated_by_a_driven_coordinate_is_dropped),
        cmocka_unit_test(forces_that_depend_on_an_undetermined_multiplier_are_refused),
        cmocka_unit_test(a_missing_model_or_start_is_refused_with_a_message),
        cmocka_unit_test(a_step_limit_below_rounding_is_reported_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
