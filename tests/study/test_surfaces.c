/* Friction that sticks in two directions, against closed forms and references. */
#include "met_events.h"

static const double tolerances[] = {1e-6, 1e-8, 1e-10};
enum { TOLERANCES = 3 };

/* Thrown across a slope of 0.3 rad, mu = 0.5: with the angle p from the line of fall v = C
   tan(p/2)^(b/a) / sin p, dt = -v dp/(a sin p) (quadrature, 20 digits). The directions of slip may
   be any. */
static void a_block_thrown_across_a_slope(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++)
        for (int turned = 0; turned < 2; turned++) {
            const double tol = tolerances[i];
            char text[600];
            snprintf(text, sizeof text,
                     "local x, y, z = position('x', 'y', 'z') mass(x, 1) mass(y, 1) mass(z, 1)\n"
                     "force(x, 9.81*sin(0.3)) force(z, -9.81*cos(0.3))\n"
                     "local c, s = math.cos(%d), math.sin(%d)\n"
                     "local f = unilateral('floor', z, { friction = 0.5, slip = {\n"
                     "  c*velocity(x) + s*velocity(y), c*velocity(y) - s*velocity(x)} })\n"
                     "output('f', f.friction) output('slips', f.sense)\n"
                     "event('stops', f.sense - 0.5)\n"
                     "initial{ z = 0, ['der(x)'] = 0.5, ['der(y)'] = 2, ['der(z)'] = 0 }\n",
                     turned, turned);
            scripted s = met_begin(&m, text, tol);
            scripted_advance(&s, 0.81);
            assert_near(scripted_output(&s, "slips"), 1, 0);
            scripted_advance(&s, 0.83);
            assert_near(scripted_output(&s, "slips"), 0, 0);
            scripted_advance(&s, 20);
            assert_near(scripted_value(&s, "x"), .41882558085557927707, 100 * tol);
            assert_near(scripted_value(&s, "y"), .5229977513128157153, 100 * tol);
            assert_near(scripted_value(&s, "der(x)"), 0, tol);
            assert_near(scripted_output(&s, "f"), 9.81 * sin(0.3), 1e-9);
            scripted_free(&s);
        }
}

/* A force that turns: the slip turns with it, behind by acos(1/2). */
static void slip_that_turns(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i], angle = acos(0.5), v = 2 * sin(angle) / 3;
        char text[500];
        snprintf(text, sizeof text,
                 "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                 "force(x, 2*cos(3*time)) force(y, 2*sin(3*time))\n"
                 "local c = friction('rub', {x, y}, { load = 1 })\n"
                 "output('f1', c.f1) output('power', c.power)\n"
                 "initial{ ['der(x)'] = %.17g, ['der(y)'] = %.17g }\n",
                 v * cos(angle), -v * sin(angle));
        scripted s = met_begin(&m, text, tol);
        scripted_advance(&s, 20);
        assert_near(scripted_value(&s, "der(x)"), v * cos(60 - angle), 100 * tol);
        assert_near(scripted_value(&s, "der(y)"), v * sin(60 - angle), 100 * tol);
        assert_near(scripted_output(&s, "f1"), -cos(60 - angle), 100 * tol);
        assert_near(scripted_output(&s, "power"), -v, 100 * tol);
        scripted_free(&s);
    }
}

/* Masses that differ: slip does not begin along the force. Reference: steps of Runge and Kutta in
   log(t - 1/2), from the direction in which acceleration and slip agree. */
static void a_breakaway_with_two_masses(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i];
        scripted s = met_begin(&m,
                               "local x, y = position('x', 'y') mass(x, 1) mass(y, 3)\n"
                               "force(x, 2*time*cos(0.7)) force(y, 2*time*sin(0.7))\n"
                               "friction('rub', {x, y}, { load = 1, coefficient = 0.8,\n"
                               "  static = 1 })\n",
                               tol);
        scripted_advance(&s, 0.49);
        assert_near(scripted_value(&s, "der(x)"), 0, tol);
        scripted_advance(&s, 2);
        assert_near(scripted_value(&s, "x"), .910098675847454, 100 * tol);
        assert_near(scripted_value(&s, "y"), .354287671172735, 100 * tol);
        assert_near(scripted_value(&s, "der(x)"), 1.7710330290611, 100 * tol);
        assert_near(scripted_value(&s, "der(y)"), .6449807721270694, 100 * tol);
        scripted_free(&s);
    }
}

static const char ball[] =
    "gravity{0, 0, -9.81}\n"
    "local ball = body('ball', { mass = 1, com = {0, 0, 0.1}, inertia = {0.004, 0.004, 0.004} })\n"
    "free('fly', ground, ball, { at = {0, 0, 0.1} })\n";

/* 7 m/s, mu = 0.2: rolls with 5/7 of its speed. */
static void a_bowling_ball_in_space(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i], angle = 0.6;
        char text[900];
        snprintf(text, sizeof text,
                 "%simpact('floor', ground, ball, { at = {0, 0, 0.1}, radius = 0.1,\n"
                 "  plane = {0, 0, 0}, normal = {0, 0, 1}, restitution = 0.8, friction = 0.2 })\n"
                 "initial{ ['fly.v1'] = %.17g, ['fly.v2'] = %.17g }\n",
                 ball, 7 * cos(angle), 7 * sin(angle));
        scripted s = met_begin(&m, text, tol);
        scripted_advance(&s, 3);
        assert_near(scripted_value(&s, "fly.q1"), 16.019367991845056 * cos(angle), 1600 * tol);
        assert_near(scripted_value(&s, "fly.q2"), 16.019367991845056 * sin(angle), 1600 * tol);
        scripted_free(&s);
    }
}

/* Thrown on the floor, in any direction: the sphere rolls or slips after the impact (7.17). The
   spin about the normal does not matter. */
static void a_ball_thrown_on_the_floor(void **state)
{
    (void)state;
    met m;
    for (int slips = 0; slips < 2; slips++)
        for (int k = 0; k < 5; k++) {
            const double angle = 1.3 * k, v = slips ? 10 : 1, after = slips ? 8.38 : 5.0 / 7;
            char text[900];
            snprintf(text, sizeof text,
                     "%simpact('floor', ground, ball, { at = {0, 0, 0.1}, radius = 0.1,\n"
                     "  plane = {0, 0, 0}, normal = {0, 0, 1}, restitution = 0.8,\n"
                     "  friction = 0.3 })\n"
                     "initial{ ['fly.v1'] = %.17g, ['fly.v2'] = %.17g, ['fly.v3'] = -3,\n"
                     "  ['fly.w3'] = 4 }\n",
                     ball, v * cos(angle), v * sin(angle));
            scripted s = met_begin(&m, text, 1e-9);
            assert_int_equal(m.count, 1);
            memcpy(s.x, dfl_solver_state(s.solver), (size_t)s.eq->n * sizeof *s.x);
            assert_near(scripted_value(&s, "fly.v1"), after * cos(angle), 1e-8);
            assert_near(scripted_value(&s, "fly.v2"), after * sin(angle), 1e-8);
            assert_near(scripted_value(&s, "fly.v3"), 2.4, 1e-8);
            assert_near(scripted_value(&s, "fly.w1"), -(slips ? 40.5 : 50.0 / 7) * sin(angle),
                        1e-7);
            assert_near(scripted_value(&s, "fly.w2"), (slips ? 40.5 : 50.0 / 7) * cos(angle), 1e-7);
            assert_near(scripted_value(&s, "fly.w3"), 4, 1e-8);
            scripted_free(&s);
        }
}

/* A block on a carried plane slides to rest under the weight that the plane's multiplier is. */
static void friction_on_a_plane_sticks(void **state)
{
    (void)state;
    met m;
    scripted s =
        met_begin(&m,
                  "gravity{0, 0, -9.81}\n"
                  "local b = body('b', { mass = 3, com = {0, 0, 0}, inertia = {1, 1, 1} })\n"
                  "local j = translation('j', ground, b)\n"
                  "local p = point_on_plane('p', ground, b, { at = {0, 0, 0}, axis = {0, 0, 1} })\n"
                  "local f = friction('f', ground, point(b, {0, 0, 0}), { normal = {0, 0, 1},\n"
                  "  load = p.lambda, coefficient = 0.2 })\n"
                  "output('fx', f.fx) output('fy', f.fy) output('mode', f.mode)\n"
                  "initial{ ['der(j.q1)'] = 3, ['der(j.q2)'] = 4 }\n",
                  1e-8);
    scripted_advance(&s, 1);
    assert_near(scripted_output(&s, "fx"), -0.6 * 0.2 * 3 * 9.81, 1e-7);
    assert_near(scripted_output(&s, "fy"), -0.8 * 0.2 * 3 * 9.81, 1e-7);
    scripted_advance(&s, 10);
    const double way = 25 / (2 * 0.2 * 9.81);
    assert_near(scripted_value(&s, "j.q1"), 0.6 * way, 1e-6);
    assert_near(scripted_value(&s, "j.q2"), 0.8 * way, 1e-6);
    assert_near(scripted_output(&s, "mode"), 0, 0);
    scripted_free(&s);
}

/* On a slope in space, in any drawing: the same motion, turned. */
static void turning_the_drawing_changes_nothing(void **state)
{
    (void)state;
    met m;
    double way[2];
    for (int k = 0; k < 2; k++) {
        char text[900];
        const double a = k ? 0.4 : 0; /* about z, then x' */
        snprintf(
            text, sizeof text,
            "local c, s = math.cos(%.17g), math.sin(%.17g)\n"
            "local function turn(x, y, z)\n"
            "  x, y = c*x - s*y, s*x + c*y\n"
            "  return { x, c*y - s*z, s*y + c*z }\n"
            "end\n"
            "gravity(turn(3, 0, -9))\n"
            "local b = body('b', { mass = 2, com = {0, 0, 0}, inertia = {1, 1, 1} })\n"
            "local j = translation('j', ground, b)\n"
            "impact('i', ground, b, { at = {0, 0, 0}, plane = {0, 0, 0}, normal = turn(0, 0, 1),\n"
            "  restitution = 0.5, friction = 0.6 })\n"
            "local v = turn(0.5, 2, -1)\n"
            "initial{ ['der(j.q1)'] = v[1], ['der(j.q2)'] = v[2], ['der(j.q3)'] = v[3] }\n",
            a, a);
        scripted s = met_begin(&m, text, 1e-9);
        scripted_advance(&s, 5);
        const double x = scripted_value(&s, "j.q1"), y = scripted_value(&s, "j.q2"),
                     z = scripted_value(&s, "j.q3");
        const double back = cos(a) * y + sin(a) * z;
        const double now[2] = {cos(a) * x + sin(a) * back, cos(a) * back - sin(a) * x};
        assert_near(cos(a) * z - sin(a) * y, 0, 1e-7);
        for (int i = 0; k == 1 && i < 2; i++)
            assert_near(now[i], way[i], 1e-7);
        memcpy(way, now, sizeof way);
        scripted_free(&s);
    }
    assert_true(way[1] > 0.1);
}

/* A stool with three legs slides and spins until all of them stick: its loads are those of statics,
   and a stool that is turned goes the same way, turned. */
static void a_stool_comes_to_rest(void **state)
{
    (void)state;
    met m;
    double way[2];
    for (int k = 0; k < 2; k++) {
        const double a = 0.7 * k, c = cos(a), s = sin(a);
        char text[1200];
        snprintf(text, sizeof text,
                 "gravity{0, 0, -9.81}\n"
                 "local c, s = math.cos(%.17g), math.sin(%.17g)\n"
                 "local stool = body('stool', { mass = 4, com = {0, 0, 0.3},\n"
                 "  inertia = {0.3, 0.3, 0.5} })\n"
                 "free('fly', ground, stool, { at = {0, 0, 0.3} })\n"
                 "for i, p in ipairs{{0.5, 0}, {-0.3, 0.4}, {-0.3, -0.4}} do\n"
                 "  local leg = impact('leg' .. i, ground, stool, { normal = {0, 0, 1},\n"
                 "    at = {c*p[1] - s*p[2], s*p[1] + c*p[2], 0}, plane = {0, 0, 0},\n"
                 "    restitution = 0, friction = 0.2 })\n"
                 "  output('f' .. i, leg.f) output('slips' .. i, leg.sense)\n"
                 "end\n"
                 "output('E', energy())\n"
                 "initial{ ['fly.v1'] = %.17g, ['fly.v2'] = %.17g, ['fly.w3'] = 3 }\n",
                 a, a, 2 * c - 0.5 * s, 2 * s + 0.5 * c);
        scripted t = met_begin(&m, text, 1e-8);
        scripted_advance(&t, 3);
        assert_near(scripted_output(&t, "f1"), 4 * 9.81 * 0.3 / 0.8, 1e-6);
        assert_near(scripted_output(&t, "f2"), 4 * 9.81 * 0.25 / 0.8, 1e-6);
        assert_near(scripted_output(&t, "E"), 4 * 9.81 * 0.3, 1e-6);
        assert_near(scripted_output(&t, "slips1") + scripted_output(&t, "slips3"), 0, 0);
        const double x = scripted_value(&t, "fly.q1"), y = scripted_value(&t, "fly.q2");
        const double now[2] = {c * x + s * y, c * y - s * x};
        for (int i = 0; k == 1 && i < 2; i++)
            assert_near(now[i], way[i], 1e-6);
        memcpy(way, now, sizeof way);
        scripted_free(&t);
    }
    assert_true(way[0] > 1);
}

static void wrong_pairs_are_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"friction('f', {x}, { load = 1 })", "give one expression, or two in a list"},
        {"friction('f', {x, 2}, { load = 1 })", "item 2 is no expression"},
        {"friction('f', {x, y}, { load = 1, speed = 0.1 })", "speed belongs to one direction"},
        {"unilateral('u', x, { friction = 1, slip = {velocity(x), y, y} })", "a list of 3"},
        {"unilateral('u', x, { slip = {velocity(x), velocity(y)} })", "give friction"},
        {"friction('f', {x, y}, { load = 1, static = 0.5 })", "static friction 0.5 is below"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        dfl_status status;
        snprintf(text, sizeof text, "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n%s\n",
                 cases[i][0]);
        scripted s = scripted_try(&status, text);
        assert_int_not_equal(status, DFL_OK);
        if (!strstr(dfl_message(s.ctx), cases[i][1]))
            fail_msg("%s: %s", cases[i][0], dfl_message(s.ctx));
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_thrown_across_a_slope),
        cmocka_unit_test(slip_that_turns),
        cmocka_unit_test(a_breakaway_with_two_masses),
        cmocka_unit_test(a_bowling_ball_in_space),
        cmocka_unit_test(a_ball_thrown_on_the_floor),
        cmocka_unit_test(friction_on_a_plane_sticks),
        cmocka_unit_test(turning_the_drawing_changes_nothing),
        cmocka_unit_test(a_stool_comes_to_rest),
        cmocka_unit_test(wrong_pairs_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
