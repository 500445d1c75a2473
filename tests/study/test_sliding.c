/* Forces that jump with the sign of a speed: the motion slides along the jump (Filippov); against
   closed forms and against friction. */
#include "../scripted.h"

#include <math.h>

static const double tolerances[] = {1e-6, 1e-8, 1e-10};
enum { TOLERANCES = 3 };

static scripted run_text(const char *text, double to, double tol)
{
    scripted s = scripted_sliding(text);
    scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol});
    scripted_advance(&s, to);
    return s;
}

static void dry_friction_stops(void **state)
{
    (void)state;
    for (int i = 0; i < TOLERANCES; i++) {
        scripted s = run_text("local x = position('x') mass(x, 1)\n"
                              "force(x, -sign(velocity(x))) initial{ x = 0, ['der(x)'] = 1 }\n",
                              3, tolerances[i]);
        assert_near(scripted_value(&s, "x"), 0.5, 100 * tolerances[i]);
        assert_near(scripted_value(&s, "der(x)"), 0, 1e-14);
        assert_int_equal(dfl_solver_statistics(s.solver).crossings, 1);
        assert_true(dfl_solver_statistics(s.solver).attempts <= 20);
        scripted_free(&s);
    }
}

/* c/|c| is the sign of c, also where it stays zero: x(3) as below. */
static void quotients_of_absolute_values_are_signs(void **state)
{
    (void)state;
    scripted s = run_text("local x = position('x') mass(x, 1) local c = x + velocity(x)\n"
                          "force(x, -3*c/abs(c)) initial{ x = 2, ['der(x)'] = 0 }\n",
                          3, 1e-8);
    assert_near(scripted_value(&s, "x"), .13353107429937369, 1e-6);
    scripted_free(&s);
}

/* x'' = -3 sign(x + x') reaches the line x' = -x and follows it: x = x1 exp(t1 - t). */
static void a_relay_slides_along_its_line(void **state)
{
    (void)state;
    static const char *const text = "local x = position('x') mass(x, 1)\n"
                                    "force(x, -3*sign(x + velocity(x)))\n"
                                    "output('force', -3*sign(x + velocity(x)))\n"
                                    "initial{ x = 2, ['der(x)'] = 0 }\n";
    for (int i = 0; i < TOLERANCES; i++) {
        scripted s = run_text(text, .52752523165194667 - 20 * tolerances[i], tolerances[i]);
        assert_int_equal(dfl_solver_statistics(s.solver).crossings, 0);
        scripted_advance(&s, .52752523165194667 + 20 * tolerances[i]);
        assert_int_equal(dfl_solver_statistics(s.solver).crossings, 1);
        scripted_advance(&s, 3);
        assert_near(scripted_value(&s, "x"), .13353107429937369, 100 * tolerances[i]);
        assert_near(scripted_value(&s, "der(x)"), -scripted_value(&s, "x"), 1e-13);
        assert_near(scripted_output(&s, "force"), scripted_value(&s, "x"), 1e-12);
        assert_int_equal(dfl_solver_statistics(s.solver).crossings, 1);
        scripted_free(&s);
    }
}

/* Held while -1 <= 4 sin t <= 3, then free. */
static void a_jump_that_is_not_symmetric_holds_and_releases(void **state)
{
    (void)state;
    static const char *const text = "local x = position('x') mass(x, 1)\n"
                                    "local v = velocity(x)\n"
                                    "force(x, select(v, -3, 1) + 4*sin(time))\n"
                                    "initial{ x = 0, ['der(x)'] = 0 }\n";
    const double t1 = asin(0.75);
    for (int i = 0; i < TOLERANCES; i++) {
        scripted s = run_text(text, 0.8, tolerances[i]);
        assert_near(scripted_value(&s, "x"), 0, 1e-14);
        scripted_advance(&s, 1.5);
        assert_near(scripted_value(&s, "der(x)"), -3 * (1.5 - t1) + 4 * (cos(t1) - cos(1.5)),
                    100 * tolerances[i]);
        scripted_free(&s);
    }
}

/* x'' = sign(x') - 3 x: pieces of oscillations about 1/3 and -1/3 that grow. */
static void what_pushes_away_passes(void **state)
{
    (void)state;
    const double half = acos(-1) / sqrt(3);
    for (int i = 0; i < TOLERANCES; i++) {
        scripted s = run_text("local x = position('x') mass(x, 1)\n"
                              "force(x, sign(velocity(x)) - 3*x)\n"
                              "initial{ x = 1, ['der(x)'] = 0 }\n",
                              1.5 * half, tolerances[i]);
        assert_near(scripted_value(&s, "x"), 1. / 3, 100 * tolerances[i]);
        assert_near(scripted_value(&s, "der(x)"), 2 * sqrt(3), 400 * tolerances[i]);
        scripted_free(&s);
    }
}

/* While it is held, s = sin(t)/2. */
static void variables_of_all_kinds_take_part(void **state)
{
    (void)state;
    scripted s = run_text("local x = position('x') mass(x, 1)\n"
                          "local v = velocity(x)\n"
                          "local F = auxiliary('F', function(F) return F + 2*sign(v) end)\n"
                          "local r = dynamic('r', sign(v))\n"
                          "force(x, F + sin(time))\n"
                          "initial{ x = 0, ['der(x)'] = 0, r = 0 }\n",
                          5, 1e-9);
    assert_near(scripted_value(&s, "r"), (1 - cos(5)) / 2, 1e-7);
    assert_near(scripted_value(&s, "F"), -sin(5), 1e-12);
    assert_near(scripted_value(&s, "x"), 0, 1e-14);
    scripted_free(&s);
}

/* The same as friction, in two coordinates, with all methods. */
static void two_jumps_are_two_frictions(void **state)
{
    (void)state;
    static const char *const begin = "local x, y = position('x', 'y') mass(x, 1) mass(y, 2)\n"
                                     "local u, v = velocity(x), velocity(y)\n"
                                     "force(x, 3*cos(1.3*time) - 5*x)\n"
                                     "initial{ x = 1, y = 0, ['der(x)'] = 0, ['der(y)'] = 0 }\n";
    static const char *const jumps = "force(x, -2*sign(u - v))\n"
                                     "force(y, 2*sign(u - v) - 0.7*sign(2*v))\n";
    static const char *const rubs = "friction('a', x - y, { load = 1, coefficient = 2 })\n"
                                    "friction('b', y, { load = 1, coefficient = 0.7 })\n";
    static const dfl_solver_options options[] = {
        {.form = DFL_PSF, .rtol = 1e-9, .atol = 1e-9},
        {.form = DFL_PSI1, .rtol = 1e-9, .atol = 1e-9},
        {.form = DFL_PSF, .integrator = DFL_BDF, .rtol = 1e-9, .atol = 1e-9},
        {.form = DFL_PSF, .integrator = DFL_HALF_EXPLICIT, .rtol = 1e-9, .atol = 1e-9}};
    char text[1000];
    snprintf(text, sizeof text, "%s%s", begin, rubs);
    scripted friction = run_text(text, 10, 1e-10);
    snprintf(text, sizeof text, "%s%s", begin, jumps);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        scripted s = scripted_sliding(text);
        scripted_start(&s, &options[i]);
        scripted_advance(&s, 10);
        assert_near(scripted_value(&s, "x"), scripted_value(&friction, "x"), 1e-6);
        assert_near(scripted_value(&s, "y"), scripted_value(&friction, "y"), 1e-6);
        assert_near(scripted_value(&s, "der(x)"), scripted_value(&friction, "der(x)"), 1e-6);
        scripted_free(&s);
    }
    scripted_free(&friction);
}

/* Two masses on a rod, each with friction: who holds how much is not determined. */
static void rigid_parts_share_what_they_hold(void **state)
{
    (void)state;
    scripted s = run_text("local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                          "force(x, -0.4*sign(velocity(x))) force(y, -0.6*sign(velocity(y)))\n"
                          "constraint('rod', x - y - 1)\n"
                          "initial{ x = 1, ['der(x)'] = 1 }\n",
                          4, 1e-8);
    assert_near(scripted_value(&s, "x"), 2, 1e-6);
    assert_near(scripted_value(&s, "der(y)"), 0, 1e-12);
    scripted_free(&s);
}

/* A pendulum with a torque in its hinge, in Cartesian coordinates and by its angle. */
static void constraints_and_jumps_go_together(void **state)
{
    (void)state;
    scripted s = run_text("local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                          "force(y, -9.81)\n"
                          "local s = sign(x*velocity(y) - y*velocity(x))\n"
                          "force(x, 0.8*s*y) force(y, -0.8*s*x)\n"
                          "constraint('rod', x^2 + y^2 - 1)\n"
                          "output('angle', atan2(x, -y)) output('torque', -0.8*s)\n"
                          "initial{ x = 1, y = 0, ['der(x)'] = 0, ['der(y)'] = 0 }\n",
                          20, 1e-10);
    scripted a = run_text("local a = position('a') mass(a, 1) force(a, -9.81*sin(a))\n"
                          "friction('f', a, { load = 1, coefficient = 0.8 })\n"
                          "initial{ a = math.pi/2, ['der(a)'] = 0 }\n",
                          20, 1e-10);
    assert_near(scripted_output(&s, "angle"), scripted_value(&a, "a"), 1e-8);
    assert_near(scripted_output(&s, "torque"), -scripted_value(&a, "mu(f)"), 1e-7);
    scripted_free(&s);
    scripted_free(&a);
}

/* A jump that does not act on its speed cannot hold it; one that acts only later takes part in s;
   a brake that is released lets go. */
static void what_cannot_hold_passes(void **state)
{
    (void)state;
    scripted s = run_text("local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                          "force(x, -x) force(y, -sign(velocity(x)))\n"
                          "initial{ x = 0, y = 0, ['der(x)'] = 1, ['der(y)'] = 0 }\n",
                          3, 1e-9);
    const double t = acos(-1) / 2;
    assert_near(scripted_value(&s, "der(y)"), -t + (3 - t), 1e-6);
    scripted_free(&s);
    s = run_text("local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                 "local s = sign(velocity(x)) force(x, 0.5 - s) force(y, select(time - 2, s, 0))\n"
                 "initial{ x = 0, y = 0, ['der(x)'] = 0.5, ['der(y)'] = 0 }\n",
                 4, 1e-9);
    assert_near(scripted_value(&s, "y"), 1, 1e-7);
    scripted_free(&s);
    s = run_text("local x = position('x') mass(x, 1) local on = discrete('on', 1)\n"
                 "event('release', time - 2, { set = { [on] = 0 } })\n"
                 "force(x, 0.5 - on*sign(velocity(x))) output('s', sign(velocity(x)))\n"
                 "initial{ x = 0, ['der(x)'] = 0 }\n",
                 4, 1e-9);
    assert_near(scripted_value(&s, "der(x)"), 1, 1e-8);
    assert_near(scripted_output(&s, "s"), 1, 0);
    scripted_free(&s);
}

/* Forces without a jump, jumps with positions or with filtered speeds get no row. */
static void only_jumps_with_speeds_can_hold(void **state)
{
    (void)state;
    static const char *const forces[] = {"select(v, -2*v, -5*v)",
                                         "-abs(v)*v",
                                         "-sign(x)",
                                         "-k*sign(v)",
                                         "select(v - x, x - v, 5*x - 5*v)",
                                         "-(0.3*v - 0.7*w)*abs(0.3*v - 0.7*w)",
                                         "-sign(v - d)",
                                         "-sign(r)",
                                         "-sign(v^2 - 1)"};
    char text[500];
    for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
        snprintf(text, sizeof text,
                 "local x = position('x') mass(x, 1) local v = velocity(x)\n"
                 "local k = param('k', 0) local d = discrete('d', 1)\n"
                 "local y = position('y') mass(y, 1) local w = velocity(y)\n"
                 "local r = dynamic('r', function(r) return v - r end)\n"
                 "force(x, %s) initial{ x = 1, ['der(x)'] = 1, r = 1 }\n",
                 forces[i]);
        scripted s = scripted_sliding(text);
        if (s.eq->nm != 0)
            fail_msg("%s", forces[i]);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dry_friction_stops),
        cmocka_unit_test(quotients_of_absolute_values_are_signs),
        cmocka_unit_test(a_relay_slides_along_its_line),
        cmocka_unit_test(a_jump_that_is_not_symmetric_holds_and_releases),
        cmocka_unit_test(what_pushes_away_passes),
        cmocka_unit_test(variables_of_all_kinds_take_part),
        cmocka_unit_test(two_jumps_are_two_frictions),
        cmocka_unit_test(rigid_parts_share_what_they_hold),
        cmocka_unit_test(constraints_and_jumps_go_together),
        cmocka_unit_test(what_cannot_hold_passes),
        cmocka_unit_test(only_jumps_with_speeds_can_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
