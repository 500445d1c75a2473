/* test_stiff_elements.c: springs and dampers whose limit is a constraint. The frequencies are
   known: two masses m on a spring c vibrate with sqrt(2 c/m), one mass on c0 with sqrt(c0/m). */
#include "../scripted.h"

#include "study/study.h"

#include <stdlib.h>

/* What was said, one line each. */
typedef struct heard {
    int count;
    char text[8][600];
} heard;

static void note(const char *text, void *user)
{
    heard *h = user;
    if (h->count < 8)
        snprintf(h->text[h->count], sizeof h->text[0], "%s", text);
    h->count++;
}

static heard hear(const char *script, double length)
{
    heard h = {0};
    scripted s = scripted_text(script);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6});
    const dfl_status status =
        dfl_study_stiff_elements(s.run, 0, length, dfl_solver_state(s.solver), note, &h);
    scripted_expect(&s, status);
    scripted_free(&s);
    return h;
}

/* Two unit masses on a line: a soft spring to the ground, `law` between them. */
static heard two_masses(const char *law, double length)
{
    char script[800];
    snprintf(script, sizeof script,
             "planar()\n"
             "local a = body('a', {mass = 1, inertia = 1, com = {1, 0}})\n"
             "local b = body('b', {mass = 1, inertia = 1, com = {2, 0}})\n"
             "prismatic('ja', ground, a, {at = {1, 0}, axis = {1, 0}})\n"
             "prismatic('jb', ground, b, {at = {2, 0}, axis = {1, 0}})\n"
             "spring('soft', ground, a, {from = {0, 0}, to = {1, 0}, stiffness = 4})\n"
             "%s\n",
             law);
    return hear(script, length);
}

static const char *const stiff =
    "spring('hard', a, b, {from = {1, 0}, to = {2, 0}, stiffness = 2e8})";

/* sqrt(4e8) = 2e4 rad/s, 3.2e3 Hz; both masses move with sqrt(4/2) = 1.41 rad/s, 4.4 s. */
static void a_stiff_spring_is_named_with_its_frequency(void **state)
{
    (void)state;
    const heard h = two_masses(stiff, 20);
    assert_int_equal(h.count, 1);
    assert_non_null(strstr(h.text[0], "spring 'hard' is so stiff"));
    assert_non_null(strstr(h.text[0], "3.2e+03 Hz"));
    assert_non_null(strstr(h.text[0], "takes 4.4 s"));
    assert_non_null(strstr(h.text[0], "distance("));
}

/* A run that is as short as a few vibrations may be about them. */
static void a_short_run_may_want_the_vibration(void **state)
{
    (void)state;
    assert_int_equal(two_masses(stiff, 0.01).count, 0);
}

static void springs_of_similar_speed_are_not_named(void **state)
{
    (void)state;
    assert_int_equal(
        two_masses("spring('firm', a, b, {from = {1, 0}, to = {2, 0}, stiffness = 400})", 20).count,
        0);
}

/* d (v_b - v_a) with d = 1e6: the difference dies within m/(2 d) = 5e-7 s. */
static void a_strong_damper_is_named_with_its_time(void **state)
{
    (void)state;
    const heard h =
        two_masses("spring('dash', a, b, {from = {1, 0}, to = {2, 0}, damping = 1e6})", 20);
    assert_int_equal(h.count, 1);
    assert_non_null(strstr(h.text[0], "spring 'dash' is so strongly damped"));
    assert_non_null(strstr(h.text[0], "5e-07 s"));
}

/* Forces without a name: the coordinates that they hold; sqrt(2e8) rad/s is 2.3e3 Hz. */
static void forces_without_a_name_show_by_their_coordinates(void **state)
{
    (void)state;
    const heard h = hear("local x, y = position('x', 'y')\n"
                         "kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
                         "potential(5*x^2 + 0.5e8*(y - x)^2)\n",
                         10);
    assert_int_equal(h.count, 1);
    assert_non_null(strstr(h.text[0], "forces along x, y"));
    assert_non_null(strstr(h.text[0], "2.3e+03 Hz"));
}

/* All six parts of a bushing are one element. */
static void a_bushing_is_named_once(void **state)
{
    (void)state;
    const heard h =
        hear("local base = body('base', {mass = 10, com = {0, 0, 0}, inertia = {1, 1, 1}})\n"
             "local arm = body('arm', {mass = 1, com = {1, 0, 0}, inertia = {.1, .1, .1}})\n"
             "prismatic('slide', ground, base, {at = {0, 0, 0}, axis = {1, 0, 0}})\n"
             "spring('slow', ground, base, {from = {-1, 0, 0}, to = {0, 0, 0}, stiffness = 10})\n"
             "free('float', base, arm, {at = {1, 0, 0}})\n"
             "bushing('mount', base, arm, {at = {.5, 0, 0}, stiffness = 1e10, turn_stiffness = "
             "1e9})\n",
             10);
    assert_int_equal(h.count, 1);
    assert_non_null(strstr(h.text[0], "bushing 'mount'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_spring_is_named_with_its_frequency),
        cmocka_unit_test(a_short_run_may_want_the_vibration),
        cmocka_unit_test(springs_of_similar_speed_are_not_named),
        cmocka_unit_test(a_strong_damper_is_named_with_its_time),
        cmocka_unit_test(forces_without_a_name_show_by_their_coordinates),
        cmocka_unit_test(a_bushing_is_named_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
