/* Outputs that contain accelerations: M a = f - W^T (lambda, mu) at every state. */
#include "../scripted.h"

#include <math.h>

/* x'' = -4 x exactly. */
static void an_oscillator_shows_its_acceleration(void **state)
{
    (void)state;
    scripted s =
        scripted_text("local x = position('x')\n"
                      "kinetic(velocity(x)^2/2) potential(2*x^2)\n"
                      "output('a', acceleration(x)) output('a2', 2*acceleration(velocity(x)) + x)\n"
                      "initial{ x = 0.25 }\n");
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "a"), -1.0, 0.0);
    assert_near(scripted_output(&s, "a2"), -1.75, 0.0);
    scripted_advance(&s, 1.0);
    assert_near(scripted_output(&s, "a"), -4.0 * scripted_value(&s, "x"), 1e-15);
    scripted_free(&s);
}

/* On a circle of radius 2 the acceleration across is v^2 / r. */
static void a_constrained_mass_is_accelerated_to_the_centre(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, y = position('x', 'y')\n"
                               "kinetic(3*(velocity(x)^2 + velocity(y)^2)/2)\n"
                               "constraint('circle', x^2 + y^2 - 4)\n"
                               "output('inward', -(x*acceleration(x) + y*acceleration(y))/2)\n"
                               "initial{ x = 0, y = 2, [velocity(x)] = 3 }\n");
    const dfl_solver_options options = {.rtol = 1e-9, .atol = 1e-9};
    scripted_start(&s, &options);
    assert_near(scripted_output(&s, "inward"), 4.5, 1e-12);
    scripted_advance(&s, 2.0);
    assert_near(scripted_output(&s, "inward"), 4.5, 1e-7); /* the velocity has an error of rtol */
    scripted_free(&s);
}

/* A slide without mass that a constraint ties to a mass moves as that does; one that hangs between
   dampers moves so that its balance 2 n' + x' + t = 0 holds: 2 n'' + x'' + 1 = 0. */
static void directions_without_mass_are_accelerated_too(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, y, n = position('x', 'y', 'n')\n"
                               "kinetic(velocity(x)^2/2)\n"
                               "constraint('tie', y - 2*x)\n"
                               "force(x, 3) force(n, -2*velocity(n) - velocity(x) - time)\n"
                               "output('ay', acceleration(y)) output('an', acceleration(n))\n");
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "ay"), 6.0, 1e-12);
    assert_near(scripted_output(&s, "an"), -2.0, 1e-12);
    scripted_free(&s);
}

static void accelerations_stand_in_outputs_only(void **state)
{
    (void)state;
    dfl_status status;
    scripted s = scripted_try(&status, "local x = position('x')\nkinetic(velocity(x)^2/2)\n"
                                       "force(x, acceleration(x))\n");
    assert_int_equal(status, DFL_INVALID);
    assert_non_null(strstr(dfl_message(s.ctx), "test.lua:3: force: the expression contains the "
                                               "acceleration der(der(x))"));
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_oscillator_shows_its_acceleration),
        cmocka_unit_test(a_constrained_mass_is_accelerated_to_the_centre),
        cmocka_unit_test(directions_without_mass_are_accelerated_too),
        cmocka_unit_test(accelerations_stand_in_outputs_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
