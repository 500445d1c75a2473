/* test_degenerate_invariants.c: invariants whose gradient vanishes, or is parallel to a constraint.
   Expected values are exact or come from a classical Runge-Kutta method (RK4) for the same motion
   without constraints. */
#include "rod.h"

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
                                        .output.every = 1e-3,
                                        .output.project = project,
                                        .output.on_output = record_speed,
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
   there would divide its error by v. The factor 4: a correction whose root mean square over the
   four unknowns exceeds rtol' is not made (solver/interpolate.c), so the speed moves by sqrt(4)
   rtol' at most, and steps whose estimates, the error of the polynomial, come close to rtol' are in
   every run; 1 + 2 = 3 if they reach it. (Tolerances from 1e-4 to 1e-8 in 17 steps: 0.7 to 2.5
   times.) */
static void projected_output_is_accurate_at_turning_points(void **state)
{
    (void)state;
    for (int k = 4; k <= 8; k += 2) {
        const double rtol = pow(10, -k), plain = worst_speed(rtol, false);
        const double projected = worst_speed(rtol, true);
        print_message("rtol %g: speed %.1e interpolated, %.1e projected\n", rtol, plain, projected);
        assert_between(projected, 0, 4 * plain);
        assert_between(fmax(plain, projected), 0, 1000 * rtol);
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
                                            .events.count = 1,
                                            .events.eval = speed_event,
                                            .events.kinds = &kind};
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

/* A free mass in the plane, x = [v | p], with its momenta and its energy: three invariants for
   two velocities. */
static int flight_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_FORCE)
        out->f[0] = out->f[1] = 0;
    if (need & DFL_VELOCITY) {
        out->e[0] = x[0] - 3;
        out->e[1] = x[1] + 4;
        out->e[2] = (x[0] * x[0] + x[1] * x[1] - 25) / 2;
    }
    return 0;
}

static void more_invariants_than_velocities_are_dropped_unless_they_are_rigid(void **state)
{
    (void)state;
    const dfl_eom eom = {
        .np = 2, .nv = 2, .ne = 3, .eval = flight_eval, .trivial_kinematics = true};
    const double x0[] = {3, -4, 0, 1};
    const run r = run_with(&eom, 0, x0, 2, NULL, NULL);
    assert_succeeded(&r);
    assert_near(r.x[2], 6, 1e-9);
    assert_near(r.x[3], -7, 1e-9);
    const run rigid =
        run_with(&eom, 0, x0, 2, &(dfl_solver_options){.constraints.rigid_invariants = true}, NULL);
    assert_failed(&rigid, DFL_RANK_CHANGED, "invariants e depend on each other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projected_output_is_accurate_at_turning_points),
        cmocka_unit_test(a_terminal_event_at_rest_leaves_no_velocity),
        cmocka_unit_test(an_invariant_dominated_by_a_driven_coordinate_is_dropped),
        cmocka_unit_test(more_invariants_than_velocities_are_dropped_unless_they_are_rigid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
