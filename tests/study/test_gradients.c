/* Derivatives of runs by parameters and initial values: against published numbers, closed forms,
   and extrapolated differences of runs. */
#include "followed.h"

#include <math.h>

static const char pendulum[] = "local m, L = param('m', 1), param('L', 1)\n"
                               "local g = param('g', 13.750371636040745)\n"
                               "local x, y = position('x', 'y')\n"
                               "kinetic(m/2*(velocity(x)^2 + velocity(y)^2)) potential(m*g*y)\n"
                               "constraint('rod', x^2 + y^2 - L^2)\n"
                               "guess{ x = 1 } initial{ y = 0 }\n";

static void a_pendulum_has_the_known_derivatives(void **state)
{
    (void)state;
    static const char *const of[] = {"x", "y", "der(x)", "der(y)", NULL};
    static const double by_L[] = {-2.30026634, 1.54098849, -11.46010486, -1.51406115};
    static const double by_g[] = {.10772085, -.15379146, .99916402, -.12649168};
    static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
    for (int k = 0; k < 4; k++) {
        const found at = gradient_of(pendulum, of, 4, "L,g,m", 1.3, tolerances[k]);
        const double bound = 10 * tolerances[k] + 1e-8;
        assert_int_equal(at.status, DFL_OK);
        for (int i = 0; i < 4; i++) {
            assert_near(at.gradient[i][0], by_L[i], bound);
            assert_near(at.gradient[i][1], by_g[i], bound);
            assert_near(at.gradient[i][2], 0, bound);
        }
    }
}

/* G p_theta + g_theta = 0, and the same of velocities, to rounding at any tolerance: x x_L + y y_L
   = L. */
static void the_constraints_are_differentiated_along(void **state)
{
    (void)state;
    static const char *const of[] = {"x", "y", "der(x)", "der(y)", NULL};
    static const double tolerances[] = {1e-3, 1e-6};
    for (int k = 0; k < 2; k++) {
        const found at = gradient_of(pendulum, of, 4, "L,g", 1.3, tolerances[k]);
        const double *v = at.value;
        for (int j = 0; j < 2; j++) {
            const double x = at.gradient[0][j], y = at.gradient[1][j];
            const double speed = v[0] * at.gradient[2][j] + v[1] * at.gradient[3][j];
            assert_near(v[0] * x + v[1] * y, j == 0 ? 1 : 0, 2e-13);
            assert_near(speed + v[2] * x + v[3] * y, 0, 2e-12);
        }
    }
}

/* The start depends on the lengths, and is held. */
static const char crank[] =
    "local l1, l2 = param('l1', 0.15), param('l2', 0.30)\n"
    "local m1, m2, m3 = param('m1', 0.36), param('m2', 0.151104), param('m3', 0.075552)\n"
    "local x, a, b = position('x', 'alpha', 'beta')\n"
    "local u, v, w = velocity(x, a, b)\n"
    "local rx, ry = u - l2/2*sin(a)*v, l2/2*cos(a)*v\n"
    "local cx = u - l2*sin(a)*v - l1/2*sin(a + b)*(v + w)\n"
    "local cy = l2*cos(a)*v + l1/2*cos(a + b)*(v + w)\n"
    "kinetic(m3/2*u^2 + m2/2*(rx^2 + ry^2) + m2*l2^2/24*v^2 + m1/2*(cx^2 + cy^2)\n"
    "  + m1*l1^2/24*(v + w)^2)\n"
    "potential(9.81*(m2*l2/2*sin(a) + m1*(l2*sin(a) + l1/2*sin(a + b))))\n"
    "constraint('px', x + l2*cos(a) + l1*cos(a + b))\n"
    "constraint('py', l2*sin(a) + l1*sin(a + b))\n"
    "initial{ x = sqrt(l2^2 - l1^2), alpha = pi - asin(l1/l2), beta = pi/2 + asin(l1/l2),\n"
    "  [u] = -10*l1, [v] = 0, [w] = 10 }\n";

static void a_slider_crank_has_the_known_derivatives(void **state)
{
    (void)state;
    static const char *const of[] = {"x", "beta", "lambda(px)", NULL};
    static const double want[3][5] = {{-3.58952398, 1.136838, -.03082163, .031764, .08333491},
                                      {-23.22338049, 1.80434939, -.20754032, .21388584, .56114343},
                                      {-339.150608, -2.613533, -7.107858, 1.453516, 13.461543}};
    static const double tolerances[] = {1e-6, 1e-8, 1e-10};
    for (int k = 0; k < 3; k++) {
        const found at = gradient_of(crank, of, 3, "l1,l2,m1,m2,m3", 1, tolerances[k]);
        assert_int_equal(at.status, DFL_OK);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 5; j++)
                assert_near(at.gradient[i][j], want[i][j],
                            (10 * tolerances[k] + 1e-8) * fmax(1, fabs(want[i][0])));
    }
}

static void every_kind_of_model_agrees_with_runs(void **state)
{
    (void)state;
    static const char *const xy[] = {"x", "y", NULL};
    /* nonholonomic, full mass matrix */
    static const char sleigh[] =
        "local m, J, a = param('m', 1), param('J', 0.5), param('a', 0.3)\n"
        "local x, y, phi = position('x', 'y', 'phi') local u, v, w = velocity(x, y, phi)\n"
        "kinetic(m/2*((u - a*w*sin(phi))^2 + (v + a*w*cos(phi))^2) + J/2*w^2)\n"
        "nonholonomic('edge', v*cos(phi) - u*sin(phi))\n"
        "initial{ x = 0, y = 0, phi = 0, [u] = 1, [w] = 1 }\n";
    compare_with_runs(sleigh, xy, 2, "a", 0.3, 2);
    compare_with_runs(sleigh, xy, 2, "initial(der(phi))", 1, 2);
    /* redundant constraints, an invariant, an input, initial values */
    static const char redundant[] =
        "local L, k = param('L', 1), input('k', 3)\n"
        "local x, y, z = position('x', 'y', 'z') mass(x, 1) mass(y, 2) mass(z, 1)\n"
        "potential(9.81*y + k*z^2/2) constraint('rod', x^2 + y^2 - L^2)\n"
        "constraint('same', x^2 + y^2 - L^2) constraint('twice', 2*x^2 + 2*y^2 - 2*L^2)\n"
        "invariant('energy', energy())\n"
        "initial{ x = 0.6*L, z = 0.2, ['der(x)'] = 0.3, ['der(z)'] = 0 } guess{ y = -0.8 }\n";
    compare_with_runs(redundant, (const char *const[]){"x", "y", "z", NULL}, 3, "L", 1, 2);
    compare_with_runs(redundant, (const char *const[]){"x", "z", NULL}, 2, "k", 3, 2);
    compare_with_runs(redundant, xy, 2, "initial(der(x))", 0.3, 2);
    /* dynamic and auxiliary variables, an output with accelerations */
    static const char maxwell[] =
        "local m, c, d = param('m', 1), param('c', 50), param('d', 5)\n"
        "local x = position('x') local v = velocity(x)\n"
        "kinetic(m/2*v^2) potential(10*x^2)\n"
        "local F = dynamic('F', function(F) return c*(v - F/d) end)\n"
        "local w = auxiliary('w', function(w) return w + w^3/10 - x - c/100 end)\n"
        "force(x, -F - w) output('acc', acceleration(x) + w*c)\n"
        "initial{ x = 0.1, [v] = 0, F = 0 }\n";
    static const char *const xFw[] = {"x", "F", "w", "acc", NULL};
    compare_with_runs(maxwell, xFw, 4, "c", 50, 1);
    compare_with_runs(maxwell, xFw, 4, "m", 1, 1);
    /* contact variables, rolling */
    static const char ellipse[] =
        "local a, b, steep = param('a', 0.3), param('b', 0.2), param('steep', 0.3)\n"
        "local x, y, phi = position('x', 'y', 'phi')\n"
        "kinetic((velocity(x)^2 + velocity(y)^2)/2 + (a^2 + b^2)/8*velocity(phi)^2)\n"
        "potential(9.81*y)\n"
        "local function rim(s) return a*cos(s)*cos(phi) - b*sin(s)*sin(phi),\n"
        "  a*cos(s)*sin(phi) + b*sin(s)*cos(phi) end\n"
        "local s = contact('s', function(s) local rx = rim(s) local tx, ty = rim(s + pi/2)\n"
        "  return ty - 2*steep*(x + rx)*tx end)\n"
        "local rx, ry = rim(s)\n"
        "constraint('touch', y + ry - steep*(x + rx)^2)\n"
        "nonholonomic('roll', velocity(x) - velocity(phi)*ry\n"
        "  + 2*steep*(x + rx)*(velocity(y) + velocity(phi)*rx))\n"
        "initial{ x = 1, phi = 0 } guess{ y = 0.5, s = -1.5 }\n";
    compare_with_runs(ellipse, (const char *const[]){"x", "s", NULL}, 2, "b", 0.2, 0.5);
    compare_with_runs(ellipse, (const char *const[]){"x", "s", NULL}, 2, "steep", 0.3, 0.5);
    /* forces with kinks, prescribed by time and tables */
    static const char kinks[] = "local k, f = param('k', 40), param('f', 3)\n"
                                "local x = position('x') mass(x, 1)\n"
                                "force(x, -k*max(x - 0.1, 0) - 5*x + abs(sin(f*time)))\n"
                                "initial{ x = 0, ['der(x)'] = 1 }\n";
    compare_with_runs(kinks, (const char *const[]){"x", "der(x)", NULL}, 2, "k", 40, 3);
    compare_with_runs(kinks, (const char *const[]){"x", "der(x)", NULL}, 2, "f", 3, 3);
}

/* Coordinates without mass follow the balance of forces; forces on them jump, masses vary. */
/* Quaternions at the start, given whole and in part. */
static void turned_starts_agree_with_runs(void **state)
{
    (void)state;
    static const char *const given[] = {
        "[j.q1] = cos(a/2), [j.q2] = sin(a/2), [j.q3] = 0, [j.q4] = 0",
        "[j.q2] = sin(a/2)",
        "[j.q1] = 2*cos(a/2), [j.q2] = 2*sin(a/2), [j.q3] = 0, [j.q4] = 0",
    };
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "gravity{0, 0, -9.81} local a = param('a', 0.3)\n"
                 "local b = body('b', { mass = 1, com = {0, 0, -1}, inertia = {.1, .1, .1} })\n"
                 "local j = spherical('j', ground, b, { at = {0, 0, 0} })\n"
                 "output('z', point(b, {0, 0, -1}).z) initial{ %s, [j.w1] = 1 }\n",
                 given[i]);
        compare_with_runs(text, (const char *const[]){"z", "j.q2", "j.w1", NULL}, 3, "a", 0.3, 1);
    }
}

static void massless_directions_agree_with_runs(void **state)
{
    (void)state;
    static const char arm[] =
        "local m, L, c, d = param('m', 1.3), param('L', 0.7), param('c', 30), param('d', 1.5)\n"
        "local a, b, s = position('a', 'b', 's') local u, v, w = velocity(a, b, s)\n"
        "kinetic(m/2*L^2*u^2 + m/4*(L*u*cos(a) + w)^2)\n"
        "potential(-m*9.81*L*cos(a) + c/2*(b - a)^2 + c/2*(b - 0.3*s)^2 + 5*s^2)\n"
        "force(b, -d*(v - u) - 0.3*d*v*(1 + b^2)) force(a, d*(v - u))\n"
        "initial{ a = 1, b = 0.8, s = 0.1, [u] = 0, [w] = 0.2 }\n";
    static const char *const abs_[] = {"a", "b", "s", "der(b)", NULL};
    compare_with_runs(arm, abs_, 4, "m", 1.3, 1);
    compare_with_runs(arm, abs_, 4, "d", 1.5, 1);
    compare_with_runs(arm, abs_, 4, "initial(b)", 0.8, 1);
    static const char rod[] =
        "local L, f = param('L', 0.7), param('f', 2)\n"
        "local x, y, z = position('x', 'y', 'z') mass(x, 1.3) mass(y, 1.3) force(y, -13)\n"
        "potential(15*(z - x)^2 + 30*z^2) constraint('rod', x^2 + y^2 - L^2)\n"
        "force(z, -1.5*velocity(z) + f*select(x - 0.2, 1, -1)) force(x, 0.15*velocity(z))\n"
        "output('acc', acceleration(z))\n"
        "initial{ x = 0.5*L, ['der(x)'] = 0.1, z = 0.2 } guess{ y = -0.5 }\n";
    static const char *const xz[] = {"x", "z", "der(z)", "lambda(rod)", NULL};
    compare_with_runs(rod, xz, 4, "L", 0.7, 1);
    compare_with_runs(rod, xz, 4, "f", 2, 1);
    refused(rod, "acc", "L", "massless directions");
    static const char still[] = /* stiffness determines the position of z */
        "local k = param('k', 30) local x, z = position('x', 'z') mass(x, 1) quasistatic(z)\n"
        "potential(k/2*(x - z)^2 + 20*z^2 + z^4) initial{ x = 0.5, ['der(x)'] = 0 }\n";
    compare_with_runs(still, (const char *const[]){"x", "z", NULL}, 2, "k", 30, 1);
    static const char between[] = /* the stiffness is between powers of two: 64 sqrt(2) */
        "local k = param('k', 50.50966799187808) local x, z = position('x', 'z') mass(x, 1)\n"
        "quasistatic(z) potential(k/2*(x - z)^2 + 20*z^2) initial{ x = 0.5, ['der(x)'] = 0 }\n";
    compare_with_runs(between, (const char *const[]){"x", "z", NULL}, 2, "k", 50.50966799187808, 1);
}

/* A beam that bends, with its length, stiffness and height as parameters. */
static void elastic_bodies_agree_with_runs(void **state)
{
    (void)state;
    static const char arm[] =
        "planar() gravity{0, -9.81}\n"
        "local L, E, h = param('L', 1), param('E', 7e10), param('h', 0.02)\n"
        "local arm = elastic('arm', { beam = { from = {0, 0}, to = {L, 0}, width = 0.02, height = "
        "h,\n"
        "  E = E, density = 2700 }, modes = 2, damping = 0.01, nodes = { root = 0, tip = 1 },\n"
        "  frame = 'tangent' })\n"
        "local load = body('load', { mass = 0.1, com = {L, 0}, inertia = 1e-4 })\n"
        "local hub = revolute('hub', ground, arm.root, { at = {0, 0} })\n"
        "fixed('grip', arm.tip, load) torsion('spring', hub, { stiffness = 20 })\n"
        "output('tip', deflection(arm.tip))\n";
    static const char *const of[] = {"hub.q", "tip", "arm.q1", NULL};
    compare_with_runs(arm, of, 3, "L", 1, 0.1);
    compare_with_runs(arm, of, 3, "h", 0.02, 0.1);
    compare_with_runs(arm, (const char *const[]){"hub.q", "tip", NULL}, 2, "E", 7e10, 0.1);
    const char *const names[] = {"hub.q", "tip", NULL};
    const found direct =
        gradient_by(DFL_DERIVATIVES_DIRECT, arm, names, 2, "L,E,h", 0.05, 1e-9, 1e-3);
    const found swept =
        gradient_by(DFL_DERIVATIVES_ADJOINT, arm, names, 2, "L,E,h", 0.05, 1e-9, 1e-3);
    assert_string_equal(swept.message, "");
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            assert_near(swept.gradient[i][j], direct.gradient[i][j],
                        1e-11 * fabs(direct.gradient[i][j]) + 1e-18);
}

/* Forces jump where a position, or time, passes a border that depends on parameters. */
static void jumps_of_forces_are_passed(void **state)
{
    (void)state;
    static const char free[] =
        "local k, f, T = param('k', 3), param('f', 2), param('T', 0.5)\n"
        "local x = position('x') mass(x, 1)\n"
        "force(x, -k*x - f*sign(x) + 4*select(time - T, 1, 0) - 0.1*velocity(x))\n"
        "initial{ x = 1, ['der(x)'] = 0.5 }\n";
    static const char *const of[] = {"x", "der(x)", NULL};
    compare_with_runs(free, of, 2, "k", 3, 2.9);
    compare_with_runs(free, of, 2, "f", 2, 2.9);
    compare_with_runs(free, of, 2, "T", 0.5, 2.9);
    compare_with_runs(free, of, 2, "initial(x)", 1, 2.9);
    static const char swing[] = "local L, u = param('L', 1), param('u', 5)\n"
                                "local x, y = position('x', 'y') mass(x, 1) mass(y, 2)\n"
                                "constraint('rod', x^2 + y^2 - L^2) potential(9.81*3*y)\n"
                                "force(x, u*select(x - 0.2*L, -1, 1))\n"
                                "initial{ x = 0.9*L, ['der(x)'] = 0.1 } guess{ y = -0.4 }\n";
    compare_with_runs(swing, (const char *const[]){"x", "y", "lambda(rod)", NULL}, 3, "L", 1, 1.9);
    compare_with_runs(swing, (const char *const[]){"x", "y", "lambda(rod)", NULL}, 3, "u", 5, 1.9);
}

/* The steps see the derivatives, too: nothing moves, but everything would. */
static void derivatives_of_a_rest_are_found(void **state)
{
    (void)state;
    static const char rest[] = "local u, k = input('u', 0), param('k', 4)\n"
                               "local x = position('x') mass(x, 1) force(x, u - k*x)\n"
                               "initial{ x = 0, ['der(x)'] = 0 }\n";
    static const char *const of[] = {"x", NULL};
    const found at = gradient_of(rest, of, 1, "u, initial(x),initial(der(x)),k", 10, 1e-8);
    assert_string_equal(at.message, "");
    assert_near(at.gradient[0][0], (1 - cos(20)) / 4, 1e-7);
    assert_near(at.gradient[0][1], cos(20), 1e-7);
    assert_near(at.gradient[0][2], sin(20) / 2, 1e-7);
    assert_near(at.gradient[0][3], 0, 1e-12);
}

/* Values that are almost zero, or so large that a part of them is a turn. */
/* Around a rest the state needs no steps, but its derivatives do: without error control they are
   wrong. */
static void steps_for_the_state_alone_are_longer(void **state)
{
    (void)state;
    static const char rest[] = "local u = input('u', 0) local x = position('x') mass(x, 1)\n"
                               "force(x, u - 4*x) initial{ x = 0, ['der(x)'] = 0 }\n";
    static const char *const of[] = {"x", NULL};
    const double want = (1 - cos(20)) / 4;
    for (int how = DFL_DERIVATIVES_DIRECT; how <= DFL_DERIVATIVES_ADJOINT; how++) {
        const found all = gradient_by((dfl_derivatives_how)how, rest, of, 1, "u", 10, 1e-8, 0);
        const found alone = gradient_by((dfl_derivatives_how)(how + DFL_DERIVATIVES_UNCONTROLLED),
                                        rest, of, 1, "u", 10, 1e-8, 0);
        assert_string_equal(alone.message, "");
        assert_near(all.gradient[0][0], want, 1e-7);
        assert_true(fabs(alone.gradient[0][0] - want) > 1e-4);
    }
}

static void sizes_of_parameters_do_not_matter(void **state)
{
    (void)state;
    static const char text[] = "local c, p = param('c', 1e-9), param('p', 1000)\n"
                               "local x = position('x') mass(x, 1) force(x, -x - c*velocity(x))\n"
                               "initial{ x = sin(p), ['der(x)'] = 0 }\n";
    static const char *const of[] = {"x", NULL};
    const found at = gradient_of(text, of, 1, "c,p", 20, 1e-8);
    const double s = sin(1000.0);
    assert_string_equal(at.message, "");
    assert_near(at.gradient[0][0], s * (sin(20.0) - 20 * cos(20.0)) / 2, 1e-6);
    assert_near(at.gradient[0][1], cos(1000.0) * cos(20.0), 1e-6);
}

/* The guess is off the rod: the least change moves it there, which depends on L in both
   coordinates. */
static void a_start_by_the_least_change_is_differentiated(void **state)
{
    (void)state;
    static const char text[] = "local L = param('L', 1)\n"
                               "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                               "constraint('rod', x^2 + y^2 - L^2) potential(9.81*y)\n"
                               "guess{ x = 0.9, y = 0.3 }\n";
    compare_with_runs(text, (const char *const[]){"x", "y", NULL}, 2, "L", 1, 0.7);
}

/* A weight on two rows for one constraint, l = (1, p) g/(1 + p^2); a pendulum with three rows whose
   sizes change along the way, by runs nearby and both ways. */
static void forces_of_redundant_constraints_are_differentiated(void **state)
{
    (void)state;
    static const char hanging[] =
        "local p, g = param('p', 2), param('g', 9.81) local x = position('x') mass(x, 1)\n"
        "force(x, g) constraint('a', x - 1) constraint('b', p*(x - 1))\n";
    static const char *const ab[] = {"lambda(a)", "lambda(b)", NULL};
    const found at = gradient_of(hanging, ab, 2, "p,g", 1, 1e-8);
    assert_string_equal(at.message, "");
    assert_near(at.value[1], 2 * at.value[0], 1e-9);
    assert_near(at.gradient[0][0], -at.value[0] * 4 / 5, 1e-7);
    assert_near(at.gradient[1][0], at.value[0] - at.value[1] * 4 / 5, 1e-7);
    assert_near(at.gradient[0][1], at.value[0] / 9.81, 1e-8);
    static const char swing[] = "local L, k = param('L', 1), param('k', 0.7)\n"
                                "local x, y = position('x', 'y') mass(x, 1) mass(y, 2)\n"
                                "potential(9.81*y) constraint('rod', x^2 + y^2 - L^2)\n"
                                "constraint('more', (2 + k*x)*(x^2 + y^2 - L^2))\n"
                                "initial{ x = 0.6*L, ['der(x)'] = 0.3 } guess{ y = -0.8 }\n";
    static const char *const of[] = {"lambda(rod)", "lambda(more)", "x", NULL};
    compare_with_runs(swing, of, 3, "L", 1, 1.3);
    compare_with_runs(swing, of, 3, "k", 0.7, 1.3);
    const found direct = gradient_by(DFL_DERIVATIVES_DIRECT, swing, of, 3, "L,k", 1.3, 1e-9, 0.02);
    const found swept = gradient_by(DFL_DERIVATIVES_ADJOINT, swing, of, 3, "L,k", 1.3, 1e-9, 0.02);
    assert_string_equal(swept.message, "");
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            assert_near(swept.gradient[i][j], direct.gradient[i][j],
                        1e-10 * fmax(1, fabs(direct.gradient[i][j])));
}

/* As compare_with_runs, with the values of the study at the ends of runs nearby. */
static void compare_with_ended_runs(const char *text, const char *const *of, int nof,
                                    const char *name, double value, double to)
{
    const double h = 5e-4 * fabs(value);
    const found at = gradient_of(text, of, nof, name, to, 1e-10);
    found end[4];
    assert_string_equal(at.message, "");
    for (int k = 0; k < 4; k++) {
        char changed[800], setting[60];
        snprintf(setting, sizeof setting, "set{ %s = %.17g }\n", name,
                 value + (k % 2 ? -h : h) * (k < 2 ? 2 : 1));
        snprintf(changed, sizeof changed, "%s%s", setting, text);
        end[k] = gradient_of(changed, of, nof, name, to, 1e-11);
        assert_string_equal(end[k].message, "");
    }
    for (int i = 0; i < nof; i++) {
        const double coarse = (end[0].value[i] - end[1].value[i]) / (4 * h);
        const double fine = (end[2].value[i] - end[3].value[i]) / (2 * h);
        const double want = fine + (fine - coarse) / 3;
        assert_near(at.gradient[i][0], want, 1e-5 * fmax(1, fabs(want)));
    }
}

/* A drop onto the floor in closed form; a pendulum that reaches a moving line by runs nearby. */
static void values_where_an_event_ends_the_run_are_differentiated(void **state)
{
    (void)state;
    static const char drop[] =
        "local h, g = param('h', 2), param('g', 9.81) local x = position('x') mass(x, 1)\n"
        "force(x, -g) event('floor', x, { stop = true }) output('end', time)\n"
        "output('speed', velocity(x)) initial{ x = h, ['der(x)'] = 0 }\n";
    static const char *const of[] = {"end", "speed", "x", NULL};
    for (int how = DFL_DERIVATIVES_DIRECT; how <= DFL_DERIVATIVES_ADJOINT; how++) {
        const found at = gradient_by((dfl_derivatives_how)how, drop, of, 3, "h,g", 5, 1e-9, 0);
        assert_string_equal(at.message, "");
        assert_near(at.value[0], sqrt(4 / 9.81), 1e-8);
        assert_near(at.gradient[0][0], 0.5 * sqrt(2 / (9.81 * 2)), 1e-8);
        assert_near(at.gradient[0][1], -0.5 * sqrt(4 / 9.81) / 9.81, 1e-8);
        assert_near(at.gradient[1][0], -0.5 * sqrt(2 * 9.81 / 2), 1e-7);
        assert_near(at.gradient[2][0], 0, 1e-8);
    }
    static const char slope[] = "local L, k = param('L', 1), param('k', 0.3)\n"
                                "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                                "constraint('rod', x^2 + y^2 - L^2) potential(9.81*y)\n"
                                "event('line', y + k*x + 0.8 + time/10, { stop = true })\n"
                                "initial{ x = 0.95*L, ['der(x)'] = 0 } guess{ y = 0.2 }\n";
    static const char *const ends[] = {"x", "der(y)", "lambda(rod)", NULL};
    compare_with_ended_runs(slope, ends, 3, "L", 1, 5);
    compare_with_ended_runs(slope, ends, 3, "k", 0.3, 5);
}

static void what_cannot_be_followed_is_refused(void **state)
{
    (void)state;
    refused(pendulum, "x", "L,q", "'q' is no parameter");
    refused(pendulum, "z", "L", "z");
    refused("local L = param('L', 1) local x = position('x') mass(x, 1)\n"
            "local f = spline({ -9, 0, L, 9 }, { 0, 1, 2, 0 })\n"
            "force(x, -f(x)) initial{ x = 1 }\n",
            "x", "L", "as a number");
    refused("local p = param('p', 2) local x = position('x') mass(x, 1)\n"
            "force(x, lookup({ 0, 1, p, 3 }, { 0, 0, 1, 1 }, { kind = 'linear' })(time))\n",
            "x", "p", "as a number");
    /* ... in the function of an event, in what it assigns, in the period of a sample */
    refused("local p = param('p', 2) local x = position('x') mass(x, 1)\n"
            "event('e', lookup({ 0, 1, p, 3 }, { 0, 0, 1, 1 }, { kind = 'linear' })(time) - 0.5,\n"
            "  { set = { [velocity(x)] = 1 } })\n",
            "x", "p", "as a number");
    refused(
        "local p = param('p', 2) local x = position('x') mass(x, 1) local u = discrete('u', 0)\n"
        "sample('s', { period = 0.1, set = { [u] = spline({ 0, 1, p }, { 0, 0, 1 })(x) } })\n",
        "x", "p", "as a number");
    refused("local p = param('p', 0.1) local x = position('x') mass(x, 1)\n"
            "local u = discrete('u', 0) sample('s', { period = p, set = { [u] = -x } })\n",
            "x", "p", "as a number");
    refused("local p = param('p', 2) local q = param('q', 2*p) local x = position('x')\n"
            "mass(x, 1) force(x, 1) output('o', q*x)\n",
            "o", "p", "as a number");
    refused("local p = param('p', 2) local x = position('x') mass(x, 1)\n"
            "force(x, noevent(select(x - p, -5, 1)))\n",
            "x", "p", "noevent");
    refused("local L = param('L', 1) local x = position('x') mass(x, 1)\n"
            "force(x, -9.81) event('floor', x, { stop = true }) initial{ x = L }\n"
            "output('a', acceleration(x))\n",
            "a", "L", "accelerations");
}

/* A parameter that is an expression of another is varied alone where it is given, whatever was
   varied before it; the other one, on whose number it depends, is refused. */
static void parameters_that_follow_others_are_varied(void **state)
{
    (void)state;
    static const char follower[] =
        "local a, c = param('a', 1.5), param('c', 1) local b = param('b', 2*a)\n"
        "local x = position('x') mass(x, 1) force(x, -c*x)\n"
        "initial{ x = b, [velocity(x)] = 0 }\n";
    static const char *const of[] = {"x", NULL};
    const found at = gradient_of(follower, of, 1, "c,b", 1, 1e-8);
    assert_int_equal(at.status, DFL_OK);
    assert_near(at.gradient[0][0], -1.5 * sin(1), 1e-6);
    assert_near(at.gradient[0][1], cos(1), 1e-6);
    refused(follower, "x", "b,a", "as a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_the_known_derivatives),
        cmocka_unit_test(the_constraints_are_differentiated_along),
        cmocka_unit_test(a_slider_crank_has_the_known_derivatives),
        cmocka_unit_test(every_kind_of_model_agrees_with_runs),
        cmocka_unit_test(turned_starts_agree_with_runs),
        cmocka_unit_test(massless_directions_agree_with_runs),
        cmocka_unit_test(elastic_bodies_agree_with_runs),
        cmocka_unit_test(steps_for_the_state_alone_are_longer),
        cmocka_unit_test(jumps_of_forces_are_passed),
        cmocka_unit_test(derivatives_of_a_rest_are_found),
        cmocka_unit_test(sizes_of_parameters_do_not_matter),
        cmocka_unit_test(a_start_by_the_least_change_is_differentiated),
        cmocka_unit_test(forces_of_redundant_constraints_are_differentiated),
        cmocka_unit_test(values_where_an_event_ends_the_run_are_differentiated),
        cmocka_unit_test(parameters_that_follow_others_are_varied),
        cmocka_unit_test(what_cannot_be_followed_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
