/* Mechanisms against what textbooks say of them without bodies and joints: closed formulas, and the
   equations of few coordinates integrated here by Runge and Kutta. Runs have the tolerance 1e-10;
   the bounds of 1e-8 leave room for its accumulation. */
#include "../scripted.h"

/* z' = f(z), the classical method of order 4. */
static void runge_kutta(double *z, int n, void (*f)(double *, const double *), double T, int steps)
{
    static const double place[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    const double h = T / steps;
    double k[4][9], y[9];
    assert_true(n <= 9);
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < n; j++)
                y[j] = z[j] + (i ? h * place[i] * k[i - 1][j] : 0.0);
            f(k[i], y);
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < n; j++)
                z[j] += h / 6 * weight[i] * k[i][j];
    }
}

/* Two shafts at the angle beta: omega2/omega1 = cos(beta)/(1 - sin(beta)^2 sin(alpha)^2), where
   alpha is counted from the position in which the fork of the first shaft stands across both
   shafts. The joint brakes the first shaft with what its inertia needs. */
static void a_universal_joint_turns_unevenly(void **state)
{
    (void)state;
    const double beta = 0.5;
    scripted s =
        scripted_text("local b = 0.5\n"
                      "local one = body('one', {mass = 1, inertia = {0.1, 0.1, 0.1}})\n"
                      "local two = body('two', {mass = 1, inertia = {0.2, 0.2, 0.2}})\n"
                      "local j = revolute('j', ground, one, {at = {0, 0, 0}, axis = {1, 0, 0}})\n"
                      "revolute('l', ground, two, {at = {0, 0, 0}, axis = {cos(b), sin(b), 0}})\n"
                      "local h = universal('h', one, two, {at = {0, 0, 0}, axis = {0, 0, 1}, "
                      "axis2 = {-sin(b), cos(b), 0}})\n"
                      "output('w1', one.wx) output('w2', two.wx*cos(b) + two.wy*sin(b))\n"
                      "output('torque', h.mx) output('rate', acceleration(j.q))\n"
                      "initial{[j.q] = 0, [j.qd] = 3}\n");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-10});
    for (int i = 1; i <= 5; i++) {
        scripted_advance(&s, 0.3 * i);
        const double w1 = scripted_output(&s, "w1"), w2 = scripted_output(&s, "w2");
        const double across = sin(beta) * sin(scripted_value(&s, "j.q"));
        assert_near(w2 / w1, cos(beta) / (1 - across * across), 1e-10);
        assert_near(0.1 * w1 * w1 + 0.2 * w2 * w2, (0.1 + 0.2 * cos(beta) * cos(beta)) * 9, 1e-8);
        assert_near(-scripted_output(&s, "torque"), 0.1 * scripted_output(&s, "rate"), 1e-10);
    }
    scripted_free(&s);
}

static void cross(double *c, const double *a, const double *b)
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* From the centre of a disk of radius 1/2 with the axis e to its lowest point. */
static void to_ground(double *a, const double *e)
{
    const double d[3] = {e[2] * e[0], e[2] * e[1], e[2] * e[2] - 1};
    for (int i = 0; i < 3; i++)
        a[i] = 0.5 * d[i] / sqrt(dot(d, d));
}

static void solve3(double *x, double A[3][3], const double *b)
{
    double c[3][3];
    for (int i = 0; i < 3; i++)
        cross(c[i], A[(i + 1) % 3], A[(i + 2) % 3]);
    for (int i = 0; i < 3; i++)
        x[i] = (b[0] * c[0][i] + b[1] * c[1][i] + b[2] * c[2][i]) / dot(A[0], c[0]);
}

/* z = (e, omega, centre): moments about the centre of the force at the lowest point, whose velocity
   v + omega x a vanishes: I omega' + omega x I omega = a x m (v' + g), v = -omega x a. The
   derivative of a along e' = omega x e is taken by a central difference. */
static void coin(double *rate, const double *z)
{
    const double *e = z, *w = z + 3, step = 1e-5;
    const double A = 1.0 / 16, C = 1.0 / 8; /* m = 1, r = 1/2 */
    double a[3], ahead[3], behind[3], ad[3], I[3][3], M[3][3], Iw[3], wIw[3], wad[3], moment[3];
    cross(rate, w, e);
    to_ground(a, e);
    to_ground(ahead,
              (double[]){e[0] + step * rate[0], e[1] + step * rate[1], e[2] + step * rate[2]});
    to_ground(behind,
              (double[]){e[0] - step * rate[0], e[1] - step * rate[1], e[2] - step * rate[2]});
    for (int i = 0; i < 3; i++) {
        ad[i] = (ahead[i] - behind[i]) / (2 * step);
        for (int k = 0; k < 3; k++) {
            I[i][k] = (i == k) * A + (C - A) * e[i] * e[k];
            M[i][k] = I[i][k] + (i == k) * dot(a, a) - a[i] * a[k];
        }
        Iw[i] = dot(I[i], w);
    }
    cross(wIw, w, Iw);
    cross(wad, w, ad);
    const double force[3] = {-wad[0], -wad[1], 9.81 - wad[2]};
    cross(moment, a, force);
    for (int i = 0; i < 3; i++)
        moment[i] -= wIw[i];
    solve3(rate + 3, M, moment);
    cross(rate + 6, a, w);
}

static void a_coin_rolls_as_its_own_equations_say(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "gravity{0, 0, -9.81}\n"
        "local c = body('c', {mass = 1, inertia = {1/16, 1/16, 1/8}, com = {0, 0, 0.5}})\n"
        "local f = free('f', ground, c, {at = {0, 0, 0.5}})\n"
        "rolling_disk('table', c, {at = {0, 0, 0.5}, axis = {0, 0, 1}, radius = 0.5})\n"
        "local p, q = point(c, {0, 0, 0.5}), point(c, {0, 0, 1.5})\n"
        "output('ex', q.x - p.x) output('ey', q.y - p.y) output('ez', q.z - p.z)\n"
        "output('wx', c.wx) output('wy', c.wy) output('wz', c.wz)\n"
        "output('x', p.x) output('y', p.y) output('z', p.z)\n"
        "initial{[f.q4] = cos(0.6), [f.q5] = sin(0.6), [f.q6] = 0, [f.q7] = 0, [f.w1] = 0.2, "
        "[f.w2] = 1.5, [f.w3] = -4}\n");
    static const char *const names[9] = {"ex", "ey", "ez", "wx", "wy", "wz", "x", "y", "z"};
    double z[9];
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-10});
    for (int i = 0; i < 9; i++)
        z[i] = scripted_output(&s, names[i]);
    runge_kutta(z, 9, coin, 2.0, 4000);
    scripted_advance(&s, 2.0);
    for (int i = 0; i < 9; i++)
        assert_near(scripted_output(&s, names[i]), z[i], 1e-7); /* the difference: 1e-10 of a' */
    scripted_free(&s);
}

/* x = r cos(phi), (J + m r^2 sin^2) phi'' + m r^2 sin cos phi'^2 = F r sin with the force -F on the
   yoke. */
static void yoke(double *rate, const double *z)
{
    const double s = sin(z[0]), c = cos(z[0]);
    rate[0] = z[1];
    rate[1] = (0.2 * s - 0.08 * s * c * z[1] * z[1]) / (0.1 + 0.08 * s * s);
}

static void a_scotch_yoke_has_one_equation(void **state)
{
    (void)state;
    scripted s =
        scripted_text("planar()\ngravity{0, -9.81}\n"
                      "local w = body('w', {mass = 1, inertia = 0.1})\n"
                      "local y = body('y', {mass = 2, com = {0.2, 0}})\n"
                      "local a = revolute('a', ground, w, {at = {0, 0}})\n"
                      "local b = prismatic('b', ground, y, {at = {0.2, 0}, axis = {1, 0}})\n"
                      "point_on_line('slot', y, w, {at = {0.2, 0}, axis = {0, 1}})\n"
                      "force(b.q, -1)\n"
                      "initial{[a.q] = 0.4, [a.qd] = 3}\n");
    double z[2] = {0.4, 3};
    runge_kutta(z, 2, yoke, 1.0, 2000);
    scripted_run(&s, 1.0, 1e-10);
    assert_near(scripted_value(&s, "a.q"), z[0], 1e-8);
    assert_near(scripted_value(&s, "der(a.q)"), z[1], 1e-8);
    assert_near(scripted_value(&s, "b.q"), 0.2 * (cos(z[0]) - 1), 1e-8);
    scripted_free(&s);
}

/* A circle with the eccentricity e under a flat lifter: y = e sin(alpha), N = m (g + y''); the cam
   is held by a torque with the arm e cos(alpha) and carries N. */
static void an_eccentric_lifts_as_a_sine(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "planar()\ngravity{0, -9.81}\n"
        "local c = body('c', {mass = 1, inertia = 0.01})\n"
        "local f = body('f', {mass = 0.5, com = {0, 0.12}})\n"
        "local a = revolute('a', ground, c, {at = {0, 0}, motion = 5*time})\n"
        "local g = prismatic('g', ground, f, {at = {0, 0.12}, axis = {0, 1}})\n"
        "local t = contact_curves('t', c, f, {curve_a = function(s) return 0.02 + 0.1*cos(s), "
        "0.1*sin(s) end, curve_b = function(s) return s, 0.1 end, start = {pi/2, 0.02}})\n"
        "output('N', multiplier(t)) output('torque', a.drive) output('bearing', a.fy)\n");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-10});
    for (int i = 0; i <= 3; i++) {
        if (i > 0)
            scripted_advance(&s, 0.4 * i);
        const double y = 0.02 * sin(2.0 * i), N = 0.5 * (9.81 - 25 * y);
        assert_near(scripted_value(&s, "g.q"), y, 1e-9);
        assert_near(scripted_output(&s, "N"), N, 1e-8);
        assert_near(scripted_output(&s, "torque"), N * 0.02 * cos(2.0 * i), 1e-8);
        assert_near(scripted_output(&s, "bearing"), N + 9.81, 1e-8);
    }
    scripted_free(&s);
}

/* Sun, planet, carrier and a ring that stands: omega_s = (1 + R/S) omega_c, omega_p = (1 - R/P)
   omega_c. */
static void a_planetary_gear_has_the_inertia_of_its_ratios(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "planar()\n"
        "local sun = body('sun', {mass = 1, inertia = 0.01})\n"
        "local arm = body('arm', {mass = 2, inertia = 0.05})\n"
        "local wheel = body('wheel', {mass = 0.5, com = {0.15, 0}, inertia = 0.002})\n"
        "local a = revolute('a', ground, sun, {at = {0, 0}})\n"
        "local c = revolute('c', ground, arm, {at = {0, 0}})\n"
        "local p = revolute('p', arm, wheel, {at = {0.15, 0}})\n"
        "coupling('inner', 0.1*(a.q - c.q) + 0.05*p.q)\n"
        "coupling('outer', -0.2*c.q - 0.05*p.q)\n"
        "force(a.q, 1)\noutput('wheel', wheel.wz)\n");
    const double inertia = 9 * 0.01 + 0.05 + 0.5 * 0.15 * 0.15 + 9 * 0.002;
    scripted_run(&s, 1.0, 1e-10);
    assert_near(scripted_value(&s, "der(c.q)"), 3 / inertia, 1e-8);
    assert_near(scripted_value(&s, "der(a.q)"), 9 / inertia, 1e-8);
    assert_near(scripted_output(&s, "wheel"), -9 / inertia, 1e-8);
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_universal_joint_turns_unevenly),
        cmocka_unit_test(a_coin_rolls_as_its_own_equations_say),
        cmocka_unit_test(a_scotch_yoke_has_one_equation),
        cmocka_unit_test(an_eccentric_lifts_as_a_sine),
        cmocka_unit_test(a_planetary_gear_has_the_inertia_of_its_ratios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
