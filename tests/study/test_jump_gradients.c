/* Derivatives of runs in which the state jumps: against published numbers, closed forms, and
   extrapolated differences of runs. */
#include "followed.h"

static const char *const x_and_v[] = {"x", "der(x)", NULL};

/* A pendulum that a wall throws back. */
static void a_pendulum_with_a_wall_has_the_known_derivatives(void **state)
{
    (void)state;
    static const char text[] =
        "local m, L = param('m', 1), param('L', 1)\n"
        "local g = param('g', 13.750371636040745)\n"
        "local x, y = position('x', 'y')\n"
        "kinetic(m/2*(velocity(x)^2 + velocity(y)^2)) potential(m*g*y)\n"
        "constraint('rod', x^2 + y^2 - L^2)\n"
        "event('wall', x + 0.6, { direction = 'falling',\n"
        "  set = { ['der(x)'] = -0.8*velocity(x), ['der(y)'] = -0.8*velocity(y) } })\n"
        "guess{ x = 1 } initial{ y = 0 }\n";
    static const char *const of[] = {"x", "y", NULL};
    const found at = gradient_of(text, of, 2, "L,g,m", 1, 1e-10);
    assert_string_equal(at.message, "");
    assert_near(at.value[0], .765090473, 1e-8);
    assert_near(at.value[1], -.643922797, 1e-8);
    assert_near(at.gradient[0][0], .37877222, 1e-7);
    assert_near(at.gradient[0][1], .07325537, 1e-7);
    assert_near(at.gradient[0][2], 0, 1e-7);
}

/* y(T) = e u (T - t) - g (T - t)^2 / 2 with t = sqrt(2 h / g), u = sqrt(2 g h) after one impact. */
static void a_ball_bounces(void **state)
{
    (void)state;
    static const char text[] = "local e, g = param('e', 0.7), param('g', 9.81)\n"
                               "local x = position('x') mass(x, 2) force(x, -2*g)\n"
                               "unilateral('floor', x, { restitution = e }) initial{ x = 1 }\n";
    const double g = 9.81, e = 0.7, t = sqrt(2 / g), u = sqrt(2 * g), T = 1;
    const found at = gradient_of(text, x_and_v, 2, "e,g,initial(x)", T, 1e-10);
    const double t_g = -0.5 * t / g, u_g = 0.5 * u / g, t_h = 0.5 * t, u_h = 0.5 * u, after = T - t;
    assert_string_equal(at.message, "");
    assert_near(at.gradient[0][0], u * after, 1e-8);
    assert_near(at.gradient[1][0], u, 1e-8);
    assert_near(at.gradient[0][1],
                e * u_g * after - e * u * t_g - after * after / 2 + g * after * t_g, 1e-8);
    assert_near(at.gradient[0][2], e * u_h * after - e * u * t_h + g * after * t_h, 1e-8);
    assert_near(at.gradient[1][2], e * u_h + g * t_h, 1e-8);
    compare_with_runs(text, x_and_v, 2, "e", 0.7, 1.4); /* two impacts */
    compare_with_runs(text, x_and_v, 2, "g", 9.81, 1.4);
}

/* Sticks, breaks away with a jump of the force, slips, sticks again. */
static void friction_sticks_and_slips(void **state)
{
    (void)state;
    static const char text[] =
        "local k, mu, v = param('k', 40), param('mu', 0.3), param('v', 0.4)\n"
        "local rest, m = param('rest', 0.4), param('m', 1)\n"
        "local x = position('x') mass(x, m) force(x, k*(v*time - x))\n"
        "friction('ground', x, { coefficient = mu, static = rest, load = m*9.81 })\n"
        "initial{ x = 0 }\n";
    compare_with_runs(text, x_and_v, 2, "k", 40, 2.3);
    compare_with_runs(text, x_and_v, 2, "mu", 0.3, 2.3);
    compare_with_runs(text, x_and_v, 2, "v", 0.4, 2.3);
    compare_with_runs(text, x_and_v, 2, "rest", 0.4, 2.3);
    compare_with_runs(text, x_and_v, 2, "m", 1, 2.3);
}

/* A body falls on a slope, and slides with an impulse of friction at its impact; a rod with two
   ends lands on a step, so that one contact closes after the other. */
static void contacts_close(void **state)
{
    (void)state;
    static const char slope[] =
        "local mu, a, m = param('mu', 0.3), param('a', 0.3), param('m', 1.5)\n"
        "local x, y = position('x', 'y') mass(x, m) mass(y, m)\n"
        "force(x, m*9.81*sin(a)) force(y, -m*9.81*cos(a))\n"
        "local c = unilateral('floor', y, { friction = mu, slip = velocity(x) })\n"
        "output('N', c.f)\n"
        "initial{ y = 0.2, x = 0, ['der(x)'] = 1, ['der(y)'] = 0 }\n";
    static const char *const of[] = {"x", "der(x)", "N", NULL};
    compare_with_runs(slope, of, 2, "mu", 0.3, 0.9);
    compare_with_runs(slope, of, 3, "a", 0.3, 0.9);
    static const char rod[] =
        "local L, h, e = param('L', 1), param('h', 0.1), param('e', 0.4)\n"
        "local x, y, phi = position('x', 'y', 'phi') mass(x, 1) mass(y, 1) mass(phi, L^2/12)\n"
        "force(y, -9.81)\n"
        "unilateral('left', y - L/2*sin(phi) - h, { restitution = e })\n"
        "unilateral('right', y + L/2*sin(phi), { restitution = e })\n"
        "initial{ x = 0, y = 1, phi = 0.3, ['der(x)'] = 0.2, ['der(y)'] = 0, ['der(phi)'] = 0 }\n";
    static const char *const pose[] = {"y", "phi", "der(phi)", NULL};
    compare_with_runs(rod, pose, 3, "L", 1, 0.7);
    compare_with_runs(rod, pose, 3, "h", 0.1, 0.7);
    compare_with_runs(rod, pose, 3, "e", 0.4, 0.7);
}

/* Discrete variables depend on the parameters; those of a sample at the start as well. */
static void sampled_controllers_are_followed(void **state)
{
    (void)state;
    static const char text[] =
        "local k, d, T = param('k', 20), param('d', 3), param('T', 0.05)\n"
        "local x = position('x') local u = discrete('u', 0) mass(x, 1)\n"
        "force(x, u - 0.3*x)\n"
        "sample('s', { period = 0.05, set = { [u] = -k*x - d*velocity(x) + 0.1*previous(u) } })\n"
        "initial{ x = 1, ['der(x)'] = 0 }\n";
    static const char *const of[] = {"x", "der(x)", "u", NULL};
    compare_with_runs(text, of, 3, "k", 20, 0.93);
    compare_with_runs(text, of, 3, "d", 3, 0.93);
    compare_with_runs(text, of, 3, "initial(x)", 1, 0.93);
}

/* What a discrete variable begins with depends on a parameter; its delayed value begins alike. */
static void starts_of_discrete_variables_are_followed(void **state)
{
    (void)state;
    static const char text[] = "local p = param('p', 0.1) local x = position('x') mass(x, 1)\n"
                               "local u = discrete('u', 3*p^2) force(x, u - x)\n"
                               "event('e', x, { set = { [u] = u + p } })\n"
                               "sample('s', { period = 0.7, set = { [u] = u - p*x } })\n"
                               "force(x, delay('late', u, 's', 2))\n"
                               "initial{ x = 1, ['der(x)'] = 0 }\n";
    static const char *const of[] = {"x", "u", "late", NULL};
    compare_with_runs(text, of, 3, "p", 0.1, 3);
    const found direct = gradient_of(text, of, 3, "p", 3, 1e-9);
    const found swept = gradient_by(DFL_DERIVATIVES_ADJOINT, text, of, 3, "p", 3, 1e-9, 0);
    assert_string_equal(swept.message, "");
    for (int i = 0; i < 3; i++)
        assert_near(swept.gradient[i][0], direct.gradient[i][0], 1e-7);
}

/* An impulse through a constraint; a latch that opens. */
static void events_push_and_release(void **state)
{
    (void)state;
    static const char push[] =
        "local L, P = param('L', 1), param('P', 0.5)\n"
        "local x, y = position('x', 'y') mass(x, 1) mass(y, 2) force(y, -9.81*2)\n"
        "constraint('rod', x^2 + y^2 - L^2)\n"
        "event('low', x, { impulse = { ['der(x)'] = P, ['der(y)'] = 0.2*P } })\n"
        "initial{ x = 0.6*L, ['der(x)'] = 0 } guess{ y = -0.8 }\n";
    static const char *const of[] = {"x", "y", "der(x)", "lambda(rod)", NULL};
    compare_with_runs(push, of, 4, "L", 1, 1.5);
    compare_with_runs(push, of, 4, "P", 0.5, 1.5);
    static const char latch[] =
        "local a, k = param('a', 0.7), param('k', 3)\n"
        "local x, y = position('x', 'y') mass(x, 1) mass(y, 1) force(y, -9.81)\n"
        "force(x, -k*x) local on = discrete('on', 1)\n"
        "constraint('rod', x^2 + y^2 - 1, { active = on })\n"
        "event('release', x - a, { set = { [on] = 0 } })\n"
        "initial{ x = 0, ['der(x)'] = 5 } guess{ y = -1 }\n";
    compare_with_runs(latch, of, 3, "a", 0.7, 1);
    compare_with_runs(latch, of, 3, "k", 3, 1);
}

/* A block slides down a slope in a curve; another one is pulled from rest around a corner; a ball
   that falls on a floor slips on in another direction. */
static void friction_acts_in_two_directions(void **state)
{
    (void)state;
    static const char *const xy[] = {"x", "y", "der(x)", "der(y)", NULL};
    static const char slope[] =
        "local mu, m, a = param('mu', 0.3), param('m', 1.2), param('a', 0.4)\n"
        "local x, y = position('x', 'y') mass(x, m) mass(y, 2*m) force(x, m*9.81*sin(a))\n"
        "friction('ground', { x, y }, { coefficient = mu, load = m*9.81*cos(a) })\n"
        "initial{ x = 0, y = 0, ['der(x)'] = 0.2, ['der(y)'] = 1 }\n";
    compare_with_runs(slope, xy, 4, "mu", 0.3, 1);
    compare_with_runs(slope, xy, 4, "a", 0.4, 1);
    static const char pulled[] =
        "local k, mu, m = param('k', 30), param('mu', 0.3), param('m', 1.2)\n"
        "local x, y = position('x', 'y') mass(x, m) mass(y, m)\n"
        "force(x, k*(0.3*time - x)) force(y, k*(0.1*time^2 - y))\n"
        "friction('ground', { x, y }, { coefficient = mu, static = 0.35, load = m*9.81 })\n"
        "initial{ x = 0, y = 0, ['der(x)'] = 0, ['der(y)'] = 0 }\n";
    compare_with_runs(pulled, xy, 4, "k", 30, 0.8);
    compare_with_runs(pulled, xy, 4, "mu", 0.3, 0.8);
    static const char ball[] =
        "local mu, e, v = param('mu', 0.1), param('e', 0.5), param('v', 2)\n"
        "local x, y, z = position('x', 'y', 'z') mass(x, 1) mass(y, 2) mass(z, 1)\n"
        "force(z, -9.81) unilateral('floor', z, { restitution = e, friction = mu,\n"
        "  slip = { velocity(x), velocity(y) } })\n"
        "initial{ x = 0, y = 0, z = 0.2, ['der(x)'] = v, ['der(y)'] = v, ['der(z)'] = 0 }\n";
    compare_with_runs(ball, xy, 4, "mu", 0.1, 0.5);
    compare_with_runs(ball, xy, 4, "e", 0.5, 0.5);
    compare_with_runs(ball, xy, 4, "v", 2, 0.5);
}

/* A pendulum hangs from a support whose speed jumps; a drive changes its speed where y passes c. */
static void motions_have_kinks(void **state)
{
    (void)state;
    static const char support[] =
        "local p, L, ts = param('p', 1), param('L', 0.8), param('ts', 0.5)\n"
        "local x, u, v = position('x', 'u', 'v') mass(x, 1) mass(u, 1.5) mass(v, 1.5)\n"
        "force(v, -14.7) constraint('motion', x - p*abs(time - ts))\n"
        "constraint('rod', (u - x)^2 + v^2 - L^2)\n"
        "initial{ u = 0.6*L + p*ts, ['der(u)'] = -p, ['der(v)'] = 0 } guess{ v = -0.7, x = 0.5 }\n";
    static const char *const of[] = {"u", "v", "der(u)", "lambda(rod)", NULL};
    compare_with_runs(support, of, 4, "p", 1, 1);
    compare_with_runs(support, of, 4, "ts", 0.5, 1);
    static const char drive[] =
        "local p, c = param('p', 1), param('c', 0.4)\n"
        "local x, y = position('x', 'y') mass(x, 1) mass(y, 2) force(y, 3)\n"
        "nonholonomic('drive', velocity(x) - p*velocity(y) - select(y - c, 1, 0.2))\n"
        "initial{ x = 0, y = 0, ['der(y)'] = 0 }\n";
    static const char *const xy[] = {"x", "y", "der(x)", NULL};
    compare_with_runs(drive, xy, 3, "c", 0.4, 1.2);
    compare_with_runs(drive, xy, 3, "p", 1, 1.2);
}

/* v = J / (m + n/4) after the impulse: masses share momentum through constraints. */
static void masses_share_momentum(void **state)
{
    (void)state;
    static const char kick[] = "local m, n, J = param('m', 1), param('n', 2), param('J', 0.5)\n"
                               "local x, y = position('x', 'y') mass(x, m) mass(y, n)\n"
                               "constraint('g', y - 0.5*x)\n"
                               "event('kick', time - 0.5, { impulse = { [x] = J } })\n"
                               "initial{ x = 0.2, ['der(x)'] = 0 }\n";
    const found at = gradient_of(kick, x_and_v, 2, "m,n,J", 1, 1e-10);
    assert_string_equal(at.message, "");
    assert_near(at.gradient[0][0], -0.5 * 0.5 / 2.25, 1e-8);
    assert_near(at.gradient[0][1], -0.5 * 0.125 / 2.25, 1e-8);
    assert_near(at.gradient[1][2], 1 / 1.5, 1e-8);
    static const char rack[] =
        "planar() local m, n, J = param('m', 1), param('n', 2), param('J', 0.02)\n"
        "local a, b = body('a', { mass = m, com = {0, 0} }), body('b', { mass = n, com = {1, 0} "
        "})\n"
        "local w = body('w', { mass = 1, com = {2, 0}, inertia = J })\n"
        "local p = prismatic('p', ground, a, { at = {0, 0}, axis = {1, 0} })\n"
        "local q = prismatic('q', ground, b, { at = {1, 0}, axis = {1, 0} })\n"
        "local r = revolute('r', ground, w, { at = {2, 0} }) rack('k', r, q, { radius = 0.1 })\n"
        "unilateral('hit', 0.5 + q.q - p.q, { restitution = 0.5 })\n"
        "initial{ [p.qd] = 2, [p.q] = 0, [q.q] = 0, [q.qd] = 0 }\n";
    static const char *const of[] = {"p.q", "q.q", NULL};
    compare_with_runs(rack, of, 2, "m", 1, 1);
    compare_with_runs(rack, of, 2, "n", 2, 1);
    compare_with_runs(rack, of, 2, "J", 0.02, 1);
}

static void what_cannot_be_followed_is_refused(void **state)
{
    (void)state;
    refused("local p = param('p', 9) local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
            "friction('rub', { x, y }, { load = p }) initial{ ['der(x)'] = 1, ['der(y)'] = 2 }\n",
            "x", "p", "two directions comes to rest");
    /* two balls land together, but not if they begin elsewhere */
    refused("local p = param('p', 1) local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
            "force(x, -9.81) force(y, -9.81) unilateral('a', x, { restitution = 0.5 })\n"
            "unilateral('b', y, { restitution = 0.5 }) initial{ x = p, y = 1 }\n",
            "x", "p", "coincide");
    /* the velocity of the start is that of the other branch */
    refused("local p = param('p', 1) local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
            "force(y, x - y) constraint('c', x - select(time, p*time, 0))\n"
            "initial{ y = 0, ['der(y)'] = 0 }\n",
            "y", "p", "switches at the start");
    /* what rests on the floor would hover, or begin inside of it */
    refused("local p = param('p', 1) local x = position('x') mass(x, 1) force(x, -9.81)\n"
            "unilateral('a', x - p) initial{ x = 1, ['der(x)'] = 0 }\n",
            "x", "p", "which constraints hold");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_with_a_wall_has_the_known_derivatives),
        cmocka_unit_test(a_ball_bounces),
        cmocka_unit_test(friction_sticks_and_slips),
        cmocka_unit_test(contacts_close),
        cmocka_unit_test(sampled_controllers_are_followed),
        cmocka_unit_test(starts_of_discrete_variables_are_followed),
        cmocka_unit_test(events_push_and_release),
        cmocka_unit_test(friction_acts_in_two_directions),
        cmocka_unit_test(motions_have_kinks),
        cmocka_unit_test(masses_share_momentum),
        cmocka_unit_test(what_cannot_be_followed_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
