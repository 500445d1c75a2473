/* Gears, racks, threads, belts and drives against closed forms.

   All these couplings are linear, so that under constant torques the coordinates are parabolas,
   which the solver follows up to its tolerance TOL; K counts how far local errors add up. */
#include "scripted.h"

#include <math.h>

static const double TOL = 1e-10;

#define WHEELS                                                                                     \
    "planar()\n"                                                                                   \
    "local w1 = body('w1', { mass = 1, inertia = 0.1 })\n"                                         \
    "local w2 = body('w2', { mass = 1, inertia = 0.4, com = {1, 0} })\n"                           \
    "local a = revolute('a', ground, w1, { at = {0, 0} })\n"                                       \
    "local b = revolute('b', ground, w2, { at = {1, 0} })\n"

/* q_b = i q_a: the torque T at a turns J_a + i^2 J_b; the multiplier is what b needs: J_b q_b'' =
   -lambda. */
static void a_gear_adds_the_other_wheels_inertia(void **state)
{
    (void)state;
    const double i = -0.5, alpha = 1 / (0.1 + 0.4 * i * i);
    scripted s = scripted_text(WHEELS "gear('g', b, a, { ratio = -0.5 })\n"
                                      "force(a.q, 1)\n"
                                      "output('energy', energy())\n");
    scripted_run(&s, 2.0, TOL);
    assert_near(scripted_value(&s, "a.q"), 2 * alpha, 100 * TOL);
    assert_near(scripted_value(&s, "b.q"), 2 * alpha * i, 100 * TOL);
    assert_near(scripted_value(&s, "lambda(g)"), -0.4 * alpha * i, 100 * TOL);
    assert_near(scripted_output(&s, "energy"), 2 * alpha, 200 * TOL); /* the work of the torque */
    scripted_free(&s);
}

/* The same through a wheel that a loop joint pins: its angle is a variable that follows many
   turns. */
static void the_angle_of_a_loop_joint_is_followed_over_many_turns(void **state)
{
    (void)state;
    const double alpha = 1 / (0.1 + 0.4 * 0.25);
    scripted s = scripted_text("planar()\n"
                               "local w1 = body('w1', { mass = 1, inertia = 0.1 })\n"
                               "local w2 = body('w2', { mass = 1, inertia = 0.4, com = {1, 0} })\n"
                               "local a = revolute('a', ground, w1, { at = {0, 0} })\n"
                               "local f = free('f', ground, w2, { at = {1.5, 0} })\n"
                               "local b = revolute('b', ground, w2, { at = {1, 0} })\n"
                               "gear('g', b, a, { ratio = -0.5 })\n"
                               "force(a.q, 1)\n"
                               "initial{ [a.q] = 0, [a.qd] = 0 }\n");
    scripted_run(&s, 10.0, 1e-11);
    assert_near(scripted_value(&s, "a.q"), 50 * alpha, 5000 * 1e-11 * 50 * alpha);
    assert_near(scripted_value(&s, "b.angle"), -25 * alpha,
                5000 * 1e-11 * 25 * alpha); /* 20 turns */
    assert_near(scripted_value(&s, "f.q3"), scripted_value(&s, "b.angle"), 1e-8);
    scripted_free(&s);
}

static void a_rack_adds_its_mass_at_the_radius(void **state)
{
    (void)state;
    const double alpha = 1 / (0.1 + 2 * 0.3 * 0.3);
    scripted s =
        scripted_text("planar()\n"
                      "local w = body('w', { mass = 1, inertia = 0.1 })\n"
                      "local r = body('r', { mass = 2, com = {0, -0.3} })\n"
                      "local a = revolute('a', ground, w, { at = {0, 0} })\n"
                      "local b = prismatic('b', ground, r, { at = {0, 0}, axis = {1, 0} })\n"
                      "rack('teeth', a, b, { radius = 0.3 })\n"
                      "force(a.q, 1)\n");
    scripted_run(&s, 2.0, TOL);
    assert_near(scripted_value(&s, "a.q"), 2 * alpha, 100 * TOL);
    assert_near(scripted_value(&s, "b.q"), 0.3 * 2 * alpha, 100 * TOL);
    assert_near(scripted_value(&s, "lambda(teeth)"), -2 * 0.3 * alpha, 100 * TOL);
    scripted_free(&s);
}

/* A nut of mass m falls and turns: (J + m h^2) q'' = m g h; as a cylindrical joint with a thread,
   as a screw joint, and as a screw that closes a loop. */
static void thread_screw_and_loop_screw_move_alike(void **state)
{
    (void)state;
    static const char nut[] =
        "gravity{0, 0, -9.81}\n"
        "local nut = body('nut', { mass = 2, inertia = {0.1, 0.1, 0.2}, com = {0, 0, 1} })\n";
    static const char *const ways[] = {
        "local c = cylindrical('c', ground, nut, { at = {0, 0, 1}, axis = {0, 0, 1} })\n"
        "thread('t', c, { lead = 0.05 })\n output('q', c.q1)",
        "local c = screw('c', ground, nut, { at = {0, 0, 1}, axis = {0, 0, 1}, lead = 0.05 })\n"
        "output('q', c.q)",
        "local c = cylindrical('c', ground, nut, { at = {0, 0, 1}, axis = {0, 0, 1} })\n"
        "screw('t', ground, nut, { at = {0, 0, 1}, axis = {0, 0, 1}, lead = 0.05 })\n"
        "output('q', c.q1)"};
    const double q = -0.5 * 100 * 2 * 9.81 * 0.05 / (0.2 + 2 * 0.05 * 0.05);
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", nut, ways[k]);
        scripted s = scripted_text(text);
        scripted_run(&s, 10.0, 1e-9);
        assert_near(scripted_output(&s, "q"), q, 1e-6 * fabs(q));
        scripted_free(&s);
    }
}

static void a_rigid_belt_couples_like_a_gear(void **state)
{
    (void)state;
    const double i = 0.25, alpha = 1 / (0.1 + 0.4 * i * i);
    scripted s = scripted_text(WHEELS "belt('strap', a, b, { radius_a = 0.1, radius_b = 0.4 })\n"
                                      "force(a.q, 1)\n");
    scripted_run(&s, 2.0, TOL);
    assert_near(scripted_value(&s, "b.q"), 2 * alpha * i, 100 * TOL);
    scripted_free(&s);
}

/* The stretch e = R_a q_a - R_b q_b swings with w^2 = k (R_a^2/J_a + R_b^2/J_b). */
static void an_elastic_belt_swings(void **state)
{
    (void)state;
    const double w = sqrt(50 * (0.01 / 0.1 + 0.16 / 0.4)), t = 3.0;
    static const char *const damping[] = {"", ", damping = 0.2"};
    for (int damped = 0; damped < 2; damped++) {
        char text[1000];
        snprintf(text, sizeof text,
                 WHEELS
                 "belt('strap', a, b, { radius_a = 0.1, radius_b = 0.4, stiffness = 50%s })\n"
                 "output('energy', energy())\n"
                 "initial{ [a.q] = 1, [b.q] = 0, [a.qd] = 0, [b.qd] = 0 }\n",
                 damping[damped]);
        scripted s = scripted_text(text);
        scripted_run(&s, t, TOL);
        const double e = 0.1 * scripted_value(&s, "a.q") - 0.4 * scripted_value(&s, "b.q");
        const double decay = damped ? 0.5 * 0.2 * 0.5 : 0.0, n = sqrt(w * w - decay * decay);
        const double exact = 0.1 * exp(-decay * t) * (cos(n * t) + decay / n * sin(n * t));
        assert_near(e, exact, 100 * TOL);
        if (!damped)
            assert_near(scripted_output(&s, "energy"), 0.25, 100 * TOL);
        scripted_free(&s);
    }
}

/* x = sin 2t: the multiplier is minus the force, m x''. */
static void a_drive_shows_its_force(void **state)
{
    (void)state;
    scripted s =
        scripted_text("planar()\n"
                      "local m = body('m', { mass = 3 })\n"
                      "local x = prismatic('x', ground, m, { at = {0, 0}, axis = {1, 0} })\n"
                      "drive('shaker', x, sin(2*time))\n");
    scripted_run(&s, 1.0, TOL);
    assert_near(scripted_value(&s, "x.q"), sin(2.0), 1e-14);
    assert_near(scripted_value(&s, "der(x.q)"), 2 * cos(2.0), 1e-13);
    assert_near(scripted_value(&s, "lambda(shaker)"), 12 * sin(2.0), 1e-12);
    scripted_free(&s);
}

/* A Scotch yoke by a coupling between joints: x = r cos q - r. */
static void a_coupling_may_be_nonlinear(void **state)
{
    (void)state;
    scripted s =
        scripted_text("planar()\n"
                      "local w = body('w', { mass = 1, inertia = 0.1 })\n"
                      "local y = body('y', { mass = 2 })\n"
                      "local a = revolute('a', ground, w, { at = {0, 0} })\n"
                      "local b = prismatic('b', ground, y, { at = {0, 0}, axis = {1, 0} })\n"
                      "coupling('yoke', b.q - 0.2*(cos(a.q) - 1))\n"
                      "output('energy', energy())\n"
                      "initial{ [a.q] = 0.5, [a.qd] = 5 }\n");
    scripted_run(&s, 4.0, TOL);
    const double q = scripted_value(&s, "a.q"), v = scripted_value(&s, "der(a.q)");
    assert_near(scripted_value(&s, "b.q"), 0.2 * (cos(q) - 1), 1e-13);
    /* one degree of freedom: (J + m r^2 sin^2 q) q'^2 / 2 keeps its value */
    const double J0 = 0.1 + 0.08 * sin(0.5) * sin(0.5), J = 0.1 + 0.08 * sin(q) * sin(q);
    assert_near(J * v * v, J0 * 25, 500 * TOL);
    scripted_free(&s);
}

static void couplings_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    scripted_refused(WHEELS "gear('g', a, b, {})", "test.lua:6: gear 'g': ratio is 0 or missing");
    scripted_refused(WHEELS "gear('g', a, a, { ratio = 2 })", "the same joint is given twice");
    scripted_refused(WHEELS "gear('g', a, b, { rato = 2 })", "did you mean 'ratio'?");
    scripted_refused(WHEELS "gear('g', a, w2, { ratio = 2 })",
                     "argument 3 is a body; give a joint");
    scripted_refused(WHEELS "rack('r', a, b, { radius = 1 })",
                     "joint 'b' (revolute) has no single shift");
    scripted_refused(WHEELS "thread('t', a, { lead = 1 })",
                     "a thread couples the angle and the shift of a cylindrical joint");
    scripted_refused(WHEELS "belt('s', a, b, { radius_a = 1, radius_b = 1, damping = 1 })",
                     "damping without stiffness");
    scripted_refused(WHEELS "drive('d', a, b.q)", "the motion contains variables");
    scripted_refused("planar()\nlocal x = body('x', {mass = 1, inertia = 1})\n"
                     "drive('d', free('f', ground, x, { at = {0, 0} }), time)",
                     "does not have one coordinate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gear_adds_the_other_wheels_inertia),
        cmocka_unit_test(the_angle_of_a_loop_joint_is_followed_over_many_turns),
        cmocka_unit_test(a_rack_adds_its_mass_at_the_radius),
        cmocka_unit_test(thread_screw_and_loop_screw_move_alike),
        cmocka_unit_test(a_rigid_belt_couples_like_a_gear),
        cmocka_unit_test(an_elastic_belt_swings),
        cmocka_unit_test(a_drive_shows_its_force),
        cmocka_unit_test(a_coupling_may_be_nonlinear),
        cmocka_unit_test(couplings_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
