/* Eigenvalues of machines that turn, and of a linkage with a massless coupler, in closed form. */
#include "near.h"

/* The mode nearest to re + i im. */
static void assert_eigenvalue(const near *it, double re, double im, double tolerance)
{
    double nearest = INFINITY;
    for (int i = 0; i < it->modes.count; i++)
        nearest = fmin(nearest, hypot(it->modes.mode[i].re - re, it->modes.mode[i].im - im));
    if (!(nearest <= tolerance))
        fail_msg("no eigenvalue is nearer to %.12g %+.12g i than %.3g", re, im, nearest);
}

static near find_top(double spin)
{
    char text[700];
    snprintf(text, sizeof text,
             "local a, b, phi = position('alpha', 'beta', 'phi')\n"
             "local A, B, P = velocity(a), velocity(b), velocity(phi)\n"
             "kinetic(0.6/2*(A^2*cos(b)^2 + B^2) + 0.2/2*(P + A*sin(b))^2)\n"
             "potential(5*cos(a)*cos(b))\n"
             "initial{ alpha = 0, beta = 0, [velocity(phi)] = %.17g }\n"
             "simulate{ to = 1 }\n",
             spin);
    return near_find(text, NULL, "phi");
}

/* J1 z'' - i J3 w z' - m g l z = 0 for z = alpha + i beta: it sleeps above w = 2 sqrt(J1 m g l)/J3.
 */
static void upright_top_sleeps_above_its_critical_spin(void **state)
{
    (void)state;
    const double critical = 2 * sqrt(0.6 * 5) / 0.2;
    near slow = find_top(0.8 * critical), fast = find_top(1.25 * critical);
    const double half = 0.2 * 0.8 * critical / 1.2, out = 0.2 * 1.25 * critical / 1.2;
    assert_int_equal(slow.linear.linear.kind, DFL_AT_STEADY_MOTION);
    assert_eigenvalue(&slow, sqrt(5 / 0.6 - half * half), half, 1e-12);
    assert_int_equal(slow.modes.unstable, 2);
    assert_eigenvalue(&fast, 0, out + sqrt(out * out - 5 / 0.6), 1e-12);
    assert_eigenvalue(&fast, 0, out - sqrt(out * out - 5 / 0.6), 1e-12);
    assert_int_equal(fast.modes.unstable, 0);
    near_free(&slow);
    near_free(&fast);
    for (int side = -1; side <= 1; side += 2) {
        near next = find_top(critical * (1 + side * 1e-6));
        assert_int_equal(next.modes.unstable, side < 0 ? 2 : 0);
        near_free(&next);
    }
}

/* The same top on a spherical joint: its quaternion turns along, and linear equations in small
   turns do not change; seen from the body frequencies are less by the spin. */
static void top_on_a_quaternion_is_judged_in_small_turns(void **state)
{
    (void)state;
    const double A = 1.3, C = 0.5, mgl = 9.81;
    for (int fast = 0; fast < 2; fast++) {
        const double spin = 2 * sqrt(A * mgl) / C * (fast ? 1.4 : 0.7), half = C * spin / (2 * A);
        char text[500];
        snprintf(text, sizeof text,
                 "gravity{0, 0, -9.81}\n"
                 "local b = body('b', {mass = 1, com = {0, 0, 1}, inertia = {0.3, 0.3, 0.5}})\n"
                 "local j = spherical('j', ground, b, {at = {0, 0, 0}})\n"
                 "initial{[j.w3] = %.17g}\n"
                 "simulate{to = 1}\n",
                 spin);
        near top = near_find(text, NULL, "j.w3");
        assert_int_equal(top.linear.linear.kind, DFL_AT_STEADY_MOTION);
        assert_true(top.linear.linear.turns);
        assert_string_equal(top.linear.states[0], "int(j.w1)");
        assert_int_equal(top.modes.unstable, fast ? 0 : 2);
        if (fast) {
            const double root = sqrt(half * half - mgl / A);
            assert_eigenvalue(&top, 0, spin - half - root, 1e-10);
            assert_eigenvalue(&top, 0, spin - half + root, 1e-10);
        } else
            assert_eigenvalue(&top, sqrt(mgl / A - half * half), spin - half, 1e-10);
        near_free(&top);
    }
}

/* A free body that turns about its middle axis: rates +- w sqrt((B-A)(C-B)/(A C)). */
static void free_body_is_unstable_about_its_middle_axis(void **state)
{
    (void)state;
    near it = near_find("local b = body('b', {mass = 2, inertia = {2, 3, 4}})\n"
                        "local j = free('j', ground, b, {at = {0, 0, 0}})\n"
                        "initial{[j.w2] = 3}\n"
                        "simulate{to = 1}\n",
                        NULL, "j.w2");
    assert_int_equal(it.linear.linear.kind, DFL_AT_STEADY_MOTION);
    assert_eigenvalue(&it, 3 * sqrt(1 * 1 / 8.0), 0, 1e-10);
    assert_int_equal(it.modes.unstable, 1);
    near_free(&it);
}

/* About its largest axis it is stable: its place drifts, which looks like (a + b t) exp(3 i t) from
   the body. */
static void free_body_is_not_unstable_about_its_largest_axis(void **state)
{
    (void)state;
    near it = near_find("local b = body('b', {mass = 2, inertia = {2, 3, 4}})\n"
                        "local j = free('j', ground, b, {at = {0, 0, 0}})\n"
                        "initial{[j.w3] = 3}\n"
                        "simulate{to = 1}\n",
                        NULL, "j.w3");
    scripted_expect(&it.s, dfl_study_judge_zeros(&it.linear, it.s.run, it.state.x, &it.modes));
    assert_eigenvalue(&it, 0, 3 * sqrt(2 * 1 / 6.0), 1e-10);
    assert_int_equal(it.modes.unstable, 0);
    assert_string_equal(dfl_study_stability(&it.linear, &it.modes), "indifferent");
    near_free(&it);
}

/* Balanced, but not judged: a spring whose stiffness changes with time, and one that turns with a
   hub. */
static void equations_that_change_are_frozen(void **state)
{
    (void)state;
    const char *const quick[] = {
        /* 1/100 s, and 0.1 m, are parts of round times and distances */
        "local y = position('y') kinetic(velocity(y)^2/2)\n"
        "potential((1 + 0.3*cos(2*pi*100*time))*200*y^2) simulate{ to = 1 }",
        "local x, y = position('x', 'y')\n"
        "kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
        "potential((1 + 0.3*cos(2*pi*x/0.1))*200*y^2)\n"
        "initial{ [velocity(x)] = 0.637, x = 0, y = 0 } simulate{ to = 1 }"};
    for (int i = 0; i < 2; i++) {
        near fast = near_find(quick[i], NULL, NULL);
        assert_int_equal(fast.linear.linear.kind, DFL_AT_FROZEN);
        assert_true(fast.linear.linear.changing);
        near_free(&fast);
    }
    near beat = near_find("local x = position('x') mass(x, 1)\n"
                          "force(x, -(4 + cos(4*time))*x)\n"
                          "simulate{to = 1}\n",
                          "x=0", NULL);
    near hub = near_find("local x, a = position('x', 'a') mass(x, 1) mass(a, 1)\n"
                         "force(x, -(4 + cos(a))*x)\n"
                         "initial{x = 0, [velocity(a)] = 4}\n"
                         "simulate{to = 1}\n",
                         NULL, "a");
    const near *each[] = {&beat, &hub};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(each[i]->linear.linear.kind, DFL_AT_FROZEN);
        assert_true(each[i]->linear.linear.changing);
        assert_non_null(strstr(each[i]->linear.linear.why, i ? "along the motion" : "with time"));
    }
    near_free(&beat);
    near_free(&hub);
}

/* m z'' + (ce + ci) z' + (k - i ci w) z = 0: internal damping makes a shaft whirl above
   w = sqrt(k/m) (1 + ce/ci). */
static void shaft_whirls_above_its_limit(void **state)
{
    (void)state;
    const double limit = sqrt(800 / 2.0) * (1 + 3 / 1.5);
    const double speeds[] = {limit * (1 - 1e-7), limit, limit * (1 + 1e-7)};
    for (int i = 0; i < 3; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "local x, y = position('x', 'y') local w = %.17g\n"
                 "local X, Y = velocity(x), velocity(y)\n"
                 "kinetic(X^2 + Y^2) potential(400*(x^2 + y^2))\n"
                 "force(x, -4.5*X - 1.5*w*y) force(y, -4.5*Y + 1.5*w*x)\n"
                 "simulate{ to = 1 }\n",
                 speeds[i]);
        near it = near_find(text, "equilibrium", NULL);
        if (i == 1)
            assert_eigenvalue(&it, 0, 20, 1e-12);
        else
            assert_int_equal(it.modes.unstable, i == 0 ? 0 : 2);
        near_free(&it);
    }
}

/* A parallelogram whose coupler has no mass: both cranks turn alike, (J1 + J2) q'' = -k q. */
static void four_bar_with_a_massless_coupler(void **state)
{
    (void)state;
    near it = near_find(
        "planar()\n"
        "local a = body('a', { mass = 0.5, com = {0.3, 0.4}, inertia = 0.1 })\n"
        "local b = body('b', { mass = 0.7, com = {2.3, 0.4}, inertia = 0.2 })\n"
        "local c = body('c', { mass = 0, com = {1.6, 0.8}, inertia = 0 })\n"
        "local p = revolute('p', ground, a, { at = {0, 0} })\n"
        "local q = revolute('q', ground, b, { at = {2, 0} })\n"
        "revolute('r', a, c, { at = {0.6, 0.8} }) revolute('s', c, b, { at = {2.6, 0.8} })\n"
        "force(p.q, -3*p.q) simulate{ to = 1 }\n",
        "equilibrium", NULL);
    const double inertia = 0.1 + 0.5 * 0.25 + 0.2 + 0.7 * 0.25;
    assert_int_equal(it.modes.count, 2);
    assert_eigenvalue(&it, 0, sqrt(3 / inertia), 1e-10);
    near_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upright_top_sleeps_above_its_critical_spin),
        cmocka_unit_test(top_on_a_quaternion_is_judged_in_small_turns),
        cmocka_unit_test(free_body_is_unstable_about_its_middle_axis),
        cmocka_unit_test(free_body_is_not_unstable_about_its_largest_axis),
        cmocka_unit_test(equations_that_change_are_frozen),
        cmocka_unit_test(shaft_whirls_above_its_limit),
        cmocka_unit_test(four_bar_with_a_massless_coupler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
