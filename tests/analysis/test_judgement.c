/* Where eigenvalues do not tell whether a state is stable, and where they do. */
#include "near.h"

#define MASS "local x, v = position('x'), velocity\nkinetic(v(x)^2/2)\n"
#define RUN "\nsimulate{ to = 1 }"

/* NULL: it is judged; else a part of the reason. */
static void expect(const char *text, const char *reason)
{
    near it = near_find(text, NULL, NULL);
    scripted_expect(&it.s, dfl_study_judge_zeros(&it.linear, it.s.run, it.state.x, &it.modes));
    const char *why = it.linear.linear.why;
    assert_int_equal(it.linear.linear.changing, reason != NULL);
    if (reason && !strstr(why, reason))
        fail_msg("'%s' does not contain '%s'", why, reason);
    assert_true(reason || !why);
    near_free(&it);
}

static void instants_are_not_judged(void **state)
{
    (void)state;
    expect(MASS "force(x, -4*x)" RUN, NULL);
    expect(MASS "force(x, -4*x)\ninitial{ x = 1 }" RUN, "not balanced");
}

/* Unstable on one side only; a force that jumps; friction by a sign. */
static void branches_that_meet_are_not_judged_unless_they_agree(void **state)
{
    (void)state;
    expect(MASS "force(x, select(x, 100*x, -10*x))" RUN, "x in force, line 3");
    expect(MASS "potential(5*abs(x))" RUN, "x in potential, line 3");
    expect(MASS "force(x, -4*x - 2*sign(v(x)))" RUN, "der(x)");
    expect(MASS "force(x, -4*x - max(x, 0)^3)" RUN, NULL);
    expect(MASS "force(x, -4*x - 30*max(x - 0.1, 0))" RUN, NULL);
}

static void samples_are_not_judged(void **state)
{
    (void)state;
    const char *const control = MASS "local u = discrete('u', 0)\n"
                                     "sample('control', { period = 0.1, set = { [u] = -4*x } })\n"
                                     "force(x, u)";
    char text[400];
    snprintf(text, sizeof text, "%s" RUN, control);
    expect(text, "'control' (line 4) acts at instants");
    snprintf(text, sizeof text, "%s\ninitial{ x = 1 }" RUN, control);
    expect(text, "changes u from 0 to -4");
    expect(MASS "local u = discrete('u', 1)\n"
                "sample('record', { period = 0.1, set = { [u] = x } })\n"
                "force(x, -4*x)\noutput('last', u)" RUN,
           NULL);
}

static void friction_is_judged_within_its_limit(void **state)
{
    (void)state;
    expect(MASS "force(x, 2)\nfriction('f', x, { load = 3 })" RUN, NULL);
    expect(MASS "force(x, 3)\nfriction('f', x, { load = 3 })" RUN, "sticks at its limit");
}

/* x'' = -x^2 leaves zero on one side, -x^3 does not, and both have the same eigenvalues; along a
   circle of equilibria, a valley, and for a mass without forces all is indifferent. */
static void zero_eigenvalues_are_judged_by_equilibria_beside_them(void **state)
{
    (void)state;
    expect(MASS "force(x, -x^2)" RUN, "zero");
    expect(MASS "force(x, -x^3 - v(x))" RUN, "zero");
    expect(MASS "force(x, -v(x))" RUN, NULL);
    expect("local x, y = position('x', 'y')\nkinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
           "potential(5*(sqrt(x^2 + y^2) - 1)^2)\ninitial{ x = 0.6, y = 0.8 }" RUN,
           NULL);
}

/* A shallow arch, 200 (l0 - l) y/l with l^2 = 1 + y^2, snaps where l^3 = l0: there two equilibria
   meet. */
static void folds_are_not_judged(void **state)
{
    (void)state;
    const double l0 = sqrt(1.09), l = cbrt(l0), y = sqrt(l * l - 1), limit = 200 * (l0 - l) * y / l;
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "local y = position('y')\nmass(y, 1)\n"
                 "potential(100*(sqrt(1 + y^2) - sqrt(1.09))^2)\n"
                 "force(y, -0.1*velocity(y) - %.17g)\ninitial{ y = 0.2 }" RUN,
                 limit * (i ? 0.999 : 1));
        near it = near_find(text, "equilibrium", NULL);
        scripted_expect(&it.s, dfl_study_judge_zeros(&it.linear, it.s.run, it.state.x, &it.modes));
        assert_string_equal(dfl_study_stability(&it.linear, &it.modes),
                            i ? "stable" : "not judged");
        near_free(&it);
    }
}

/* A pendulum on a shaft: hanging down is stable below w^2 = g, and at it the first terms vanish. */
static void steady_motions_with_zero_eigenvalues_are_not_judged(void **state)
{
    (void)state;
    for (int i = -1; i <= 1; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "local p, q = position('p', 'q')\nlocal v = velocity\n"
                 "kinetic((v(q)^2 + sin(q)^2*v(p)^2)/2 + 0.1*v(p)^2)\npotential(-9*cos(q))\n"
                 "constraint('drive', p - %.17g*time)\ninitial{ q = 0 }" RUN,
                 3 + 0.1 * i);
        near it = near_find(text, NULL, "p");
        scripted_expect(&it.s, dfl_study_judge_zeros(&it.linear, it.s.run, it.state.x, &it.modes));
        assert_int_equal(it.linear.linear.kind, DFL_AT_STEADY_MOTION);
        assert_string_equal(dfl_study_stability(&it.linear, &it.modes), i < 0   ? "stable"
                                                                        : i > 0 ? "unstable"
                                                                                : "not judged");
        near_free(&it);
    }
}

#define TWO "local x, y = position('x', 'y')\nlocal v = velocity\nkinetic((v(x)^2 + v(y)^2)/2)\n"

/* Both masses alone are stable. If one drives the other at its own frequency, y = t sin(2 t)/4
   grows with time; a third one with its square. The gyroscope loses its stability at g = 2 with
   double frequencies: s^4 + (g^2 - 2) s^2 + 1. */
static void equal_frequencies_that_drive_each_other_are_not_judged(void **state)
{
    (void)state;
    expect(TWO "force(x, -4*x) force(y, -4*y)" RUN, NULL);
    expect(TWO "force(x, -4*x) force(y, -4*y + x)" RUN, "of the frequency 2 rad/s");
    expect(TWO "force(x, -4*x) force(y, -4*y + 1e-6*x)" RUN, "of the frequency 2 rad/s");
    expect(TWO "force(x, -4*x) force(y, -4.1*y + x)" RUN, NULL);
    expect(TWO "local z = position('z') mass(z, 1)\n"
               "force(x, -4*x) force(y, -4*y + x) force(z, -4*z + y)" RUN,
           "of the frequency 2 rad/s");
    expect(TWO "force(x, x + 2*v(y)) force(y, y - 2*v(x))" RUN, "of the frequency 1 rad/s");
    expect(TWO "force(x, x + 2.1*v(y)) force(y, y - 2.1*v(x))" RUN, NULL);
    expect(TWO "force(x, -4*x - 0.1*v(x)) force(y, -4*y - 0.1*v(y) + x)" RUN, NULL);
}

/* Every rounding of these matrices splits the equal frequencies. */
static void equal_frequencies_are_seen_through_rounding(void **state)
{
    (void)state;
    const char *const rope = "local x, y, z = position('x', 'y', 'z')\nlocal v = velocity\n"
                             "kinetic(0.35*(v(x)^2 + v(y)^2 + v(z)^2))\npotential(0.7*9.81*z)\n"
                             "constraint('rope', x^2 + y^2 + z^2 - 1.3)\nforce(x, %g*y)\n"
                             "initial{ x = 0, y = 0 }\nguess{ z = -1 }\nsimulate{ to = 1 }";
    char text[400];
    snprintf(text, sizeof text, rope, 0.0);
    expect(text, NULL);
    snprintf(text, sizeof text, rope, 0.3);
    expect(text, "drive each other");
}

/* A constant velocity is indifferent; a constant acceleration is not: x'' = y, or y'. */
static void zero_eigenvalues_that_drive_each_other_are_not_judged(void **state)
{
    (void)state;
    expect(TWO RUN, NULL);
    expect(TWO "force(x, y)" RUN, "square of time");
    expect(TWO "force(x, v(y))" RUN, "square of time");
}

/* All have the eigenvalues +- 2 i; v^3 drives, and |v| v, x^2 v and a magnetic field do not. */
static void terms_of_higher_order_that_drive_are_seen(void **state)
{
    (void)state;
    expect(MASS "force(x, -4*x + 0.1*v(x)^3)" RUN, "terms of higher order");
    expect(MASS "force(x, -4*x + 0.1*v(x)*x^2)" RUN, "terms of higher order");
    expect(MASS "force(x, -4*x - 0.1*v(x)^3)" RUN, NULL);
    expect(MASS "force(x, -4*x - 0.1*v(x)*x^2)" RUN, NULL);
    expect(MASS "force(x, -4*x - abs(v(x))*v(x))" RUN, NULL);
    expect(TWO "force(x, -4*x + v(y)) force(y, -5*y - v(x))" RUN, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instants_are_not_judged),
        cmocka_unit_test(branches_that_meet_are_not_judged_unless_they_agree),
        cmocka_unit_test(samples_are_not_judged),
        cmocka_unit_test(friction_is_judged_within_its_limit),
        cmocka_unit_test(zero_eigenvalues_are_judged_by_equilibria_beside_them),
        cmocka_unit_test(folds_are_not_judged),
        cmocka_unit_test(equal_frequencies_that_drive_each_other_are_not_judged),
        cmocka_unit_test(equal_frequencies_are_seen_through_rounding),
        cmocka_unit_test(zero_eigenvalues_that_drive_each_other_are_not_judged),
        cmocka_unit_test(terms_of_higher_order_that_drive_are_seen),
        cmocka_unit_test(steady_motions_with_zero_eigenvalues_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
