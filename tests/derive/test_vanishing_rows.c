/* Constraints whose derivatives vanish, at the start or always, when there are no others. */
#include "scripted.h"

#define FALL "local x = position('x')\nkinetic(velocity(x)^2/2)\nforce(x, 2)\n"
#define FALL_ASIDE FALL "local y = position('y')\nkinetic(velocity(y)^2/2)\n"

static void assert_start_fails(const char *text, const char *message)
{
    scripted s = scripted_text(text);
    assert_int_equal(scripted_try_start(&s, NULL), DFL_SINGULAR);
    if (!strstr(dfl_message(s.ctx), message))
        fail_msg("%s", dfl_message(s.ctx));
    scripted_free(&s);
}

/* x = 0 written as x^2 = 0, and a bar whose end is held where it is farthest out. */
static void a_start_without_derivatives_is_a_singular_position(void **state)
{
    (void)state;
    const char *message = "the start at t = 0 is a singular position: the constraints have rank 0 "
                          "there and 1 next to it";
    assert_start_fails(FALL "constraint('c', x^2)", message);
    assert_start_fails(FALL_ASIDE "constraint('c', x^2)", message);
    assert_start_fails("planar()\n"
                       "local bar = body('bar', { mass = 1, com = {0.5, 0}, inertia = 1/12 })\n"
                       "revolute('pin', ground, bar, { at = {0, 0} })\n"
                       "constraint('c', point(bar, {1, 0}).x - 1)",
                       message);
}

/* A parameter switches the only constraint off: the motion is free, x = t^2. */
static void a_constraint_that_is_switched_off_changes_nothing(void **state)
{
    (void)state;
    static const char *const models[] = {FALL, FALL_ASIDE};
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(text, sizeof text, "%slocal on = param('on', 0)\nconstraint('c', on*x)",
                 models[k]);
        scripted s = scripted_text(text);
        scripted_run(&s, 1.0, 1e-10);
        assert_near(scripted_value(&s, "x"), 1.0, 1e-10);
        assert_near(scripted_value(&s, "lambda(c)"), 0.0, 1e-10);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_without_derivatives_is_a_singular_position),
        cmocka_unit_test(a_constraint_that_is_switched_off_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
