/* Force elements against closed forms: signs, laws, elements with a memory, friction, impacts. */
#include "../scripted.h"

/* Two masses of 2 and 3 kg that slide along x, 1 m apart in the drawing. */
#define MASSES                                                                                     \
    "planar()\n"                                                                                   \
    "local a = body('a', {mass = 2, com = {0, 0}, inertia = 1})\n"                                 \
    "local b = body('b', {mass = 3, com = {1, 0}, inertia = 1})\n"                                 \
    "local ja = prismatic('ja', ground, a, {at = {0, 0}, axis = {1, 0}})\n"                        \
    "local jb = prismatic('jb', ground, b, {at = {1, 0}, axis = {1, 0}})\n"                        \
    "output('aa', acceleration(ja.q)) output('ab', acceleration(jb.q))\n"

static scripted model_of(const char *first, const char *second)
{
    char text[4000];
    snprintf(text, sizeof text, "%s%s", first, second);
    return scripted_text(text);
}

/* Stretched by 0.5 m and drawn out at 0.4 m/s: 10 * 0.5 + 5 * 0.4 = 7 N pull both together. */
static void a_spring_pulls_its_ends_together(void **state)
{
    (void)state;
    static const char *const laws[] = {
        "{stiffness = 10, damping = 5}", "{stiffness = 10, damping = 5, length = 1, delta = 0}",
        "{force = function(l, ld) return 10*(l - 1) + 5*ld end}",
        "{damping = 5, force = spline({0, 1, 2, 3}, {-10, 0, 10, 20})}"};
    for (int i = 0; i < 4; i++) {
        char element[400];
        snprintf(element, sizeof element,
                 "local s = spring('s', point(a, {0, 0}), point(b, {1, 0}), %s)\n"
                 "output('l', s.l) output('ld', s.ld) output('f', s.f)\n"
                 "initial{[ja.q] = -0.2, [jb.q] = 0.3, [velocity(ja.q)] = -0.1, [velocity(jb.q)] = "
                 "0.3}\n",
                 laws[i]);
        scripted s = model_of(MASSES, element);
        scripted_start(&s, NULL);
        assert_near(scripted_output(&s, "l"), 1.5, 1e-15);
        assert_near(scripted_output(&s, "ld"), 0.4, 1e-15);
        assert_near(scripted_output(&s, "f"), 7.0, 1e-12);
        assert_near(scripted_output(&s, "aa"), 7.0 / 2, 1e-12);
        assert_near(scripted_output(&s, "ab"), -7.0 / 3, 1e-12);
        scripted_free(&s);
    }
}

/* The same hinge: an element on the joint's coordinate, and about the axis of both bodies. */
static void torsion_on_a_joint_is_torsion_about_its_axis(void **state)
{
    (void)state;
    static const char *const how[] = {"h, {stiffness = 3, damping = 0.5, rest = 0.1}",
                                      "ground, a, {axis = {0, 0, 2}, stiffness = 3, damping = 0.5, "
                                      "rest = 0.1}"};
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "local a = body('a', {mass = 1, com = {0, 0, 0}, inertia = {1, 1, 2}})\n"
                 "local h = revolute('h', ground, a, {at = {0, 0, 0}, axis = {0, 0, 1}})\n"
                 "local t = torsion('t', %s)\n"
                 "output('a', acceleration(h.q)) output('f', t.f) output('q', t.q)\n"
                 "initial{[h.q] = 0.5, [h.qd] = 0.2}\n",
                 how[i]);
        scripted s = scripted_text(text);
        scripted_start(&s, NULL);
        assert_near(scripted_output(&s, "q"), 0.5, 1e-15);
        assert_near(scripted_output(&s, "f"), 3 * 0.4 + 0.5 * 0.2, 1e-14);
        assert_near(scripted_output(&s, "a"), -(3 * 0.4 + 0.5 * 0.2) / 2, 1e-14);
        scripted_free(&s);
    }
}

/* Drawn out with v = 0.3 m/s, a spring c and a damper d in series pull with d v (1 - exp(-c t /
   d)). */
static void a_maxwell_element_relaxes(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "planar()\n"
        "local a = body('a', {mass = 2, com = {1, 0}, inertia = 1})\n"
        "prismatic('j', ground, a, {at = {1, 0}, axis = {1, 0}, motion = 0.3*time})\n"
        "local m = maxwell('m', ground, a, {from = {0, 0}, to = {1, 0}, stiffness = "
        "20, damping = 8})\n"
        "kinetic(velocity(position('free'))^2/2) output('f', m.f) output('r', m.r)\n");
    scripted_run(&s, 0.7, 1e-9);
    const double f = 8 * 0.3 * (1 - exp(-20 * 0.7 / 8));
    assert_near(scripted_output(&s, "f"), f, 1e-8);
    assert_near(scripted_output(&s, "r"), 0.3 * 0.7 - f / 20, 1e-8);
    scripted_free(&s);
}

/* At the constant speed w: L i' = u - R i - k w. Without inductance the same at once; the voltage
   saturates. */
static void a_motor_draws_its_current(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "local a = body('a', {mass = 2, com = {0, 0, 0}, inertia = {1, 1, 1}})\n"
        "revolute('j', ground, a, {at = {0, 0, 0}, axis = {0, 0, 1}, motion = 3*time})\n"
        "local m = actuator('m', ground, a, {axis = {0, 0, 1}, voltage = 12, resistance = 2,\n"
        "  inductance = 0.5, constant = 0.4, gear = 2})\n"
        "local n = actuator('n', ground, a, {axis = {0, 0, 1}, voltage = 100, limit = 6, "
        "resistance = 2,\n"
        "  constant = 0.4})\n"
        "kinetic(velocity(position('free'))^2/2) output('i', m.i) output('f', m.f) output('power', "
        "m.power) output('n', n.i) output('u', "
        "n.u)\n");
    scripted_run(&s, 0.3, 1e-9);
    const double i = (12 - 2 * 0.4 * 3) / 2 * (1 - exp(-2 * 0.3 / 0.5));
    assert_near(scripted_output(&s, "i"), i, 1e-8);
    assert_near(scripted_output(&s, "f"), 0.8 * i, 1e-8);
    assert_near(scripted_output(&s, "power"), 2.4 * i, 1e-7);
    assert_near(scripted_output(&s, "u"), 100 / pow(1 + pow(100.0 / 6, 8), 0.125), 1e-12);
    assert_near(scripted_output(&s, "n"), (6 - 0.4 * 3) / 2, 1e-9);
    scripted_free(&s);
}

/* For the error 1 from the start: K_p + K_i t + K_d exp(-t / T) / T. */
static void a_pid_answers_a_step(void **state)
{
    (void)state;
    scripted s =
        scripted_text("local x = position('x') kinetic(velocity(x)^2/2)\n"
                      "local c = pid('c', {reference = 1, value = 0*x, p = 3, i = 2, d = 0.5,\n"
                      "  filter = 0.1})\n"
                      "output('u', c.out) output('e', c.error)\n"
                      "output('lagging', lag('slow', c.error, 0.4))\n");
    scripted_run(&s, 0.35, 1e-9);
    assert_near(scripted_output(&s, "u"), 3 + 2 * 0.35 + 5 * exp(-3.5), 1e-7);
    assert_near(scripted_output(&s, "e"), 1.0, 0.0);
    assert_near(scripted_output(&s, "lagging"), 1 - exp(-0.35 / 0.4), 1e-8);
    scripted_free(&s);
}

/* x'' = 8 (1 - x) - 2 x': 1 - exp(-t) (cos w t + sin(w t) / w), w^2 = 7. */
static void a_controlled_mass_answers_a_step(void **state)
{
    (void)state;
    scripted s = model_of(MASSES, "local c = pid('c', {reference = 1, value = jb.q, p = 24})\n"
                                  "effort('d', jb, c.out - 6*jb.qd)\n");
    scripted_run(&s, 1.3, 1e-9);
    const double w = sqrt(7.0), t = 1.3;
    assert_near(scripted_value(&s, "jb.q"), 1 - exp(-t) * (cos(w * t) + sin(w * t) / w), 1e-7);
    scripted_free(&s);
}

/* With a limit of 1 N a mass of 3 kg cannot follow; unwinding keeps the integral small: without it,
   it grows to about the integral of the error, 0.5 * 4^2 * ... > 3. */
static void windup_is_prevented(void **state)
{
    (void)state;
    double sum[2];
    for (int i = 0; i < 2; i++) {
        scripted s =
            model_of(MASSES, i ? "local c = pid('c', {reference = 4, value = jb.q, p = 2, i = 1,\n"
                                 " limit = 1, windup = 0.2}) effort('d', jb, c.out)"
                                 " output('u', c.out)\n"
                               : "local c = pid('c', {reference = 4, value = jb.q, p = 2, i = 1,\n"
                                 " limit = 1}) effort('d', jb, c.out) output('u', c.out)\n");
        scripted_run(&s, 2.0, 1e-8);
        sum[i] = scripted_value(&s, "c.i");
        assert_between(scripted_output(&s, "u"), -1.0, 1.0);
        scripted_free(&s);
    }
    assert_true(sum[0] > 7.0); /* error of 4 m for 2 s, less what the mass moves */
    assert_true(sum[1] <
                -3.0); /* u is near 2 e + sum, which stays near the limit: sum near 1 - 8 + ... */
}

/* With F = -mu m g v / sqrt(v^2 + s^2) the way from v0 to v is (S(v0) - S(v)) / (mu g),
   S = (v sqrt(v^2 + s^2) + s^2 asinh(v / s)) / 2. */
static double slid(double v, double s)
{
    return (v * sqrt(v * v + s * s) + s * s * asinh(v / s)) / 2;
}

static void friction_brakes_to_a_stop(void **state)
{
    (void)state;
    scripted s =
        model_of(MASSES, "friction('f', jb, {load = 3*9.81, coefficient = 0.2, speed = 0.01})\n"
                         "initial{[velocity(jb.q)] = 2}\n");
    scripted_run(&s, 0.5, 1e-9);
    const double v = scripted_value(&s, "der(jb.q)"), k = 0.2 * 9.81;
    assert_near(scripted_value(&s, "jb.q"), (slid(2, 0.01) - slid(v, 0.01)) / k, 1e-6);
    scripted_advance(&s, 3.0); /* the sliding ends after 1.02 s */
    assert_near(scripted_value(&s, "der(jb.q)"), 0.0, 1e-6);
    assert_near(scripted_value(&s, "jb.q"), slid(2, 0.01) / k, 1e-6);
    scripted_free(&s);
}

/* A block that a plane carries: the multiplier of the constraint is its weight. */
static void friction_takes_the_multiplier_as_its_load(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "gravity{0, 0, -9.81}\n"
        "local b = body('b', {mass = 3, com = {0, 0, 0}, inertia = {1, 1, 1}})\n"
        "local j = translation('j', ground, b)\n"
        "local p = point_on_plane('p', ground, b, {at = {0, 0, 0}, axis = {0, 0, 1}})\n"
        "local f = friction('f', ground, point(b, {0, 0, 0}), {normal = {0, 0, 1}, load = "
        "p.lambda,\n"
        "  coefficient = 0.2, speed = 0.01})\n"
        "output('fx', f.fx) output('fy', f.fy) output('load', p.fz)\n"
        "initial{['der(j.q1)'] = 3, ['der(j.q2)'] = 4}\n");
    scripted_start(&s, NULL);
    const double F = 0.2 * 3 * 9.81 * 5 / sqrt(25 + 1e-4);
    assert_near(scripted_output(&s, "fx"), -0.6 * F, 1e-10);
    assert_near(scripted_output(&s, "fy"), -0.8 * F, 1e-10);
    assert_near(scripted_output(&s, "load"), 3 * 9.81, 1e-10);
    scripted_advance(&s, 1.0); /* 5 m/s, less 1.962 m/s^2 */
    assert_near(scripted_value(&s, "der(j.q1)"), 0.6 * (5 - 0.2 * 9.81), 1e-3);
    scripted_free(&s);
}

/* A ball of 3 kg dropped from 1 m: k d^2.5 / 2.5 = m g (1 + d); it comes back to its height. With
   losses it does not, and at rest k d^1.5 = m g. */
static void a_ball_bounces(void **state)
{
    (void)state;
    for (int lossy = 0; lossy < 2; lossy++) {
        char text[900];
        snprintf(text, sizeof text,
                 "gravity{0, 0, -9.81}\n"
                 "local b = body('b', {mass = 3, com = {0, 0, 1.2}, inertia = {1, 1, 1}})\n"
                 "local j = prismatic('j', ground, b, {at = {0, 0, 1.2}, axis = {0, 0, 1}})\n"
                 "local i = impact('i', ground, b, {at = {0, 0, 1.2}, radius = 0.2,\n"
                 "  plane = {0, 0, 0}, normal = {0, 0, 1}, stiffness = 1e5, damping = %g})\n"
                 "output('gap', i.gap) output('f', i.f)\n",
                 0.1 * lossy);
        scripted s = scripted_text(text);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8, .atol = 1e-8});
        assert_near(scripted_output(&s, "gap"), 1.0, 1e-15);
        assert_near(scripted_output(&s, "f"), 0.0, 0.0);
        double deepest = 0, highest = -1, least = 0;
        for (double t = 0.01; t < 1.2; t += 0.001) {
            scripted_advance(&s, t);
            deepest = fmax(deepest, -scripted_output(&s, "gap"));
            least = fmin(least, scripted_output(&s, "f"));
            if (t > 0.5)
                highest = fmax(highest, scripted_output(&s, "gap"));
        }
        assert_true(least >= 0.0);
        if (!lossy) {
            assert_near(1e5 * pow(deepest, 2.5) / 2.5, 3 * 9.81 * (1 + deepest), 0.1);
            assert_near(highest, 1.0, 1e-4);
        } else {
            assert_between(highest, 0.1, 0.8);
            scripted_advance(&s, 12.0);
            assert_near(-scripted_output(&s, "gap"), pow(3 * 9.81 / 1e5, 1 / 1.5), 1e-5);
        }
        scripted_free(&s);
    }
}

/* A wrench in axes of the body turns with it; on A acts the opposite. */
static void a_wrench_acts_in_its_axes(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "local b = body('b', {mass = 2, com = {1, 0, 0}, inertia = {2, 2, 4}})\n"
        "local c = body('c', {mass = 5, com = {0, 0, 0}, inertia = {1, 1, 1}})\n"
        "local j = revolute('j', ground, b, {at = {0, 0, 0}, axis = {0, 0, 1}})\n"
        "local k = translation('k', ground, c)\n"
        "wrench('w', c, b, {at = {1, 0, 0}, force = {0, 3, 0}, torque = {0, 0, 0.5}, body_axes = "
        "true})\n"
        "output('alpha', acceleration(j.q)) output('x', point(c, {0, 0, 0}), 'acceleration')\n"
        "initial{[j.q] = 0.4}\n");
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "alpha"), 3.5 / 6, 1e-14); /* 4 + 2 * 1^2 about the hinge */
    assert_near(scripted_output(&s, "x.ax"), 3 * sin(0.4) / 5, 1e-14);
    assert_near(scripted_output(&s, "x.ay"), -3 * cos(0.4) / 5, 1e-14);
    scripted_free(&s);
    /* in axes of a frame with z along x and x along y of the drawing: the same force */
    s = scripted_text(
        "local c = body('c', {mass = 5, com = {0, 0, 0}, inertia = {1, 1, 1}})\n"
        "local k = revolute('k', ground, c, {at = {0, 0, 0}, axis = {0, 0, 1}})\n"
        "local f = frame('f', c, {at = {2, 0, 0}, axis = {1, 0, 0}, axis2 = {0, 1, 0}})\n"
        "local w = wrench('w', ground, f, {force = {3, 0, 1}, body_axes = true})\n"
        "output('alpha', acceleration(k.q)) output('fx', w.fx) output('fy', w.fy)\n"
        "initial{[k.q] = 0.4}\n");
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "alpha"), 3.0 * 2, 1e-14);
    assert_near(scripted_output(&s, "fx"), cos(0.4) - 3 * sin(0.4), 1e-14);
    assert_near(scripted_output(&s, "fy"), sin(0.4) + 3 * cos(0.4), 1e-14);
    scripted_free(&s);
}

/* A force F along x = (q1 + 2 q2) does the work F (dq1 + 2 dq2). */
static void an_effort_does_work_along_its_expression(void **state)
{
    (void)state;
    scripted s = model_of(MASSES, "local d = effort('d', ja.q + 2*jb.q, 6)\n"
                                  "output('power', d.power)\n"
                                  "initial{[velocity(ja.q)] = 1, [velocity(jb.q)] = 0.5}\n");
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "aa"), 3.0, 1e-14);
    assert_near(scripted_output(&s, "ab"), 4.0, 1e-14);
    assert_near(scripted_output(&s, "power"), 12.0, 1e-14);
    scripted_free(&s);
}

/* A circular orbit about a point: v^2 = mu / r, one turn in 2 pi sqrt(r^3 / mu). */
static void a_satellite_returns(void **state)
{
    (void)state;
    scripted s =
        scripted_text("local b = body('b', {mass = 7, com = {2, 0, 0}, inertia = {1, 1, 1}})\n"
                      "local j = translation('j', ground, b)\n"
                      "attraction('g', b, {mu = 8})\n"
                      "initial{['der(j.q2)'] = 2}\n");
    scripted_run(&s, 2 * acos(-1.0), 1e-9);
    assert_near(scripted_value(&s, "j.q1"), 0.0, 1e-6);
    assert_near(scripted_value(&s, "j.q2"), 0.0, 1e-6);
    scripted_free(&s);
}

/* A long body in a circular orbit swings about the line to the centre with w = n sqrt(3 (B - A) /
   C) (Beletskii): for C = B and A = 0.1 B with 1.643 times the orbit's frequency n = 1. */
static void the_gravity_gradient_turns_a_long_body(void **state)
{
    (void)state;
    scripted s =
        scripted_text("planar()\n"
                      "local b = body('b', {mass = 1e6, com = {1, 0}, inertia = 1})\n"
                      "local arm = body('arm')\n"
                      "revolute('orbit', ground, arm, {at = {0, 0}, motion = time})\n"
                      "local j = revolute('j', arm, b, {at = {1, 0}})\n"
                      "torsion('g', j, {torque = function(q) return 3*0.9*sin(2*q)/2 end})\n"
                      "initial{[j.q] = 1e-3}\n");
    scripted_run(&s, 2.0, 1e-10);
    assert_near(scripted_value(&s, "j.q"), 1e-3 * cos(sqrt(2.7) * 2.0), 1e-8);
    scripted_free(&s);
    s = scripted_text(
        "local arm = body('arm', {mass = 1, com = {0, 0, 0}, inertia = {1, 1, 1}})\n"
        "local b = body('b', {mass = 10, com = {100, 0, 0}, inertia = {0.1, 1, 1}})\n"
        "revolute('orbit', ground, arm, {at = {0, 0, 0}, axis = {0, 0, 1}, motion = time})\n"
        "local j = revolute('j', arm, b, {at = {100, 0, 0}, axis = {0, 0, 1}})\n"
        "attraction('g', b, {mu = 1e6, gradient = true})\n"
        "initial{[j.q] = 1e-3}\n");
    scripted_run(&s, 2.0, 1e-10);
    assert_near(scripted_value(&s, "j.q"), 1e-3 * cos(sqrt(2.7) * 2.0), 1e-8);
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_pulls_its_ends_together),
        cmocka_unit_test(torsion_on_a_joint_is_torsion_about_its_axis),
        cmocka_unit_test(a_maxwell_element_relaxes),
        cmocka_unit_test(a_motor_draws_its_current),
        cmocka_unit_test(a_pid_answers_a_step),
        cmocka_unit_test(a_controlled_mass_answers_a_step),
        cmocka_unit_test(windup_is_prevented),
        cmocka_unit_test(friction_brakes_to_a_stop),
        cmocka_unit_test(friction_takes_the_multiplier_as_its_load),
        cmocka_unit_test(a_ball_bounces),
        cmocka_unit_test(a_wrench_acts_in_its_axes),
        cmocka_unit_test(an_effort_does_work_along_its_expression),
        cmocka_unit_test(a_satellite_returns),
        cmocka_unit_test(the_gravity_gradient_turns_a_long_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
