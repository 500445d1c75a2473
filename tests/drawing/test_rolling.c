/* Rolling and skating bodies against the same systems written by hand, and against closed forms.

   The bounds are K times the tolerance 1e-10, K about five times what was measured. */
#include "scripted.h"

#include <math.h>

static const double TOL = 1e-10;

static scripted load_example(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, name);
    scripted s = {.ctx = dfl_context_create()};
    assert_non_null(s.ctx);
    scripted_expect(&s, dfl_script_load(&s.model, s.ctx, path, NULL));
    scripted_expect(&s, scripted_prepare(&s));
    return s;
}

static void compare(const scripted *a, const scripted *b, const char *const (*names)[2], int count,
                    double bound)
{
    for (int i = 0; i < count; i++)
        assert_near(scripted_value(a, names[i][0]), scripted_value(b, names[i][1]), bound);
}

/* examples/rolling-disk.lua has world velocities of the centre, the free joint those in axes of the
   body: the equations differ, the motion does not. */
static void the_disk_rolls_like_the_example(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"f.q1", "x"},
                                           {"f.q2", "y"},
                                           {"f.q4", "q0"},
                                           {"f.q5", "q1"},
                                           {"f.q6", "q2"},
                                           {"f.q7", "q3"},
                                           {"f.w1", "w1"},
                                           {"f.w2", "w2"},
                                           {"f.w3", "w3"},
                                           {"lambda(table)", "lambda(table)"},
                                           {"mu(table.slip1)", "mu(no-slip-x)"},
                                           {"mu(table.slip2)", "mu(no-slip-y)"}};
    scripted s = scripted_text(
        "gravity{0, 0, -9.81}\n"
        "local coin = body('coin', { mass = 1, inertia = {1/4, 1/4, 1/2}, com = {0, 0, 1} })\n"
        "local f = free('f', ground, coin, { at = {0, 0, 1} })\n"
        "rolling_disk('table', coin, { at = {0, 0, 1}, axis = {0, 0, 1}, radius = 1 })\n"
        "initial{ [f.q1] = 0, [f.q2] = 0, [f.q4] = cos(0.6), [f.q5] = sin(0.6), [f.q6] = 0,\n"
        "  [f.q7] = 0, [f.w1] = 0.2, [f.w2] = 1.5, [f.w3] = -4 }\n");
    scripted example = load_example("rolling-disk");
    scripted_run(&s, 3.0, TOL);
    scripted_run(&example, 3.0, TOL);
    assert_near(scripted_value(&s, "f.q3") + 1, scripted_value(&example, "z"), 100 * TOL);
    compare(&s, &example, names, sizeof names / sizeof *names, 200 * TOL);
    scripted_free(&s);
    scripted_free(&example);
}

static void the_knife_edge_runs_like_the_sleigh(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"f.q1", "x"},
                                           {"f.q2", "y"},
                                           {"f.q3", "phi"},
                                           {"der(f.q3)", "der(phi)"},
                                           {"mu(edge)", "mu(edge)"}};
    static const char *const ways[] = {"direction = {2, 0}", "lateral = {0, 1}"};
    scripted example = load_example("sleigh");
    scripted_run(&example, 5.0, TOL);
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "planar()\n"
                 "local s = body('s', { mass = 1, inertia = 0.5, com = {0.3, 0} })\n"
                 "local f = free('f', ground, s, { at = {0, 0} })\n"
                 "knife_edge('edge', s, { at = {0, 0}, %s })\n"
                 "initial{ [f.q1] = 0, [f.q2] = 0, [f.q3] = 0, [f.qd1] = 1, [f.qd3] = 1 }\n",
                 ways[k]);
        scripted s = scripted_text(text);
        scripted_run(&s, 5.0, TOL);
        compare(&s, &example, names, sizeof names / sizeof *names, 50 * TOL);
        scripted_free(&s);
    }
    scripted_free(&example);
}

/* A solid ball on a slope of angle 0.3 has 5/7 of the acceleration that it would have without
   friction. */
static void a_ball_rolls_down_a_slope(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "gravity{0, 0, -9.81}\n"
        "local R, n = 0.5, {sin(0.3), 0, cos(0.3)}\n"
        "local ball = body('ball', { mass = 2, inertia = {0.2, 0.2, 0.2}, com = {R*n[1], 0, "
        "R*n[3]} })\n"
        "local f = free('f', ground, ball, { at = {R*n[1], 0, R*n[3]} })\n"
        "rolling_ball('slope', ball, { at = {R*n[1], 0, R*n[3]}, radius = R, normal = n })\n");
    const double way = 0.5 * 4 * 5 / 7.0 * 9.81 * sin(0.3);
    scripted_run(&s, 2.0, TOL);
    assert_near(scripted_value(&s, "f.q1"), way * cos(0.3), 500 * TOL);
    assert_near(scripted_value(&s, "f.q3"), -way * sin(0.3), 500 * TOL);
    assert_near(scripted_value(&s, "f.w2"), 5 / 7.0 * 9.81 * sin(0.3) * 2 / 0.5, 500 * TOL);
    scripted_free(&s);
}

/* On a table that turns with rate W, a solid ball runs round a circle with rate 2/7 W. */
static void a_ball_on_a_turntable_goes_round_in_circles(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "gravity{0, 0, -9.81}\n"
        "local disc = body('disc', { mass = 1, inertia = {1, 1, 1} })\n"
        "revolute('axle', ground, disc, { at = {0, 0, 0}, axis = {0, 0, 1}, motion = 7*time })\n"
        "local R = 0.5\n"
        "local ball = body('ball', { mass = 2, inertia = {0.2, 0.2, 0.2}, com = {1, 0, R} })\n"
        "local f = free('f', ground, ball, { at = {1, 0, R} })\n"
        "rolling_ball('contact', ball, { at = {1, 0, R}, radius = R, on = disc })\n"
        "initial{ [f.q1] = 0, [f.q2] = 0, [f.v1] = 0, [f.v2] = 1, [f.w3] = 0 }\n");
    scripted_run(&s, 2.5, TOL);
    assert_near(scripted_value(&s, "f.q1"), 0.5 * (cos(5.0) - 1), 500 * TOL); /* radius v / rate */
    assert_near(scripted_value(&s, "f.q2"), 0.5 * sin(5.0), 500 * TOL);
    scripted_free(&s);
}

/* In the plane: a wheel with J = m R^2 / 2 has 2/3 of the acceleration. */
static void a_wheel_rolls_down_a_line(void **state)
{
    (void)state;
    scripted s = scripted_text("planar()\n gravity{0, -9.81}\n"
                               "local w = body('w', { mass = 2, inertia = 0.25, com = {0, 0.5} })\n"
                               "local f = free('f', ground, w, { at = {0, 0.5} })\n"
                               "rolling_disk('road', w, { at = {0, 0.5}, radius = 0.5, point = {0, "
                               "0}, normal = {0.3, 1} })\n"
                               "guess{ [f.q2] = 0.01 }\n");
    const double a = 2 / 3.0 * 9.81 * sin(atan(0.3));
    scripted_start(&s, &(dfl_solver_options){.rtol = TOL});
    const double x0 = scripted_value(&s, "f.q1");
    scripted_advance(&s, 2.0);
    assert_near(scripted_value(&s, "f.q1") - x0, 2 * a * cos(atan(0.3)), 200 * TOL);
    assert_near(scripted_value(&s, "der(f.q3)"), -2 * a / 0.5, 200 * TOL);
    scripted_free(&s);
}

/* Without forces an upright wheel on its own goes round a circle of radius v/w, and turns v/R. */
static void an_upright_wheel_goes_round_in_circles(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "planar()\n"
        "local w = body('w', { mass = 2, inertia = 0.25 })\n"
        "local f = free('f', ground, w, { at = {0, 0} })\n"
        "local phi = position('phi')\n"
        "mass(phi, 0.1)\n"
        "rolling_wheel('tyre', w, { at = {0, 0}, direction = {1, 0}, radius = 0.4, spin = phi })\n"
        "initial{ [f.q1] = 0, [f.q2] = 0, [f.q3] = 0, [f.qd1] = 1, [f.qd3] = 0.5 }\n");
    scripted_run(&s, 6.0, TOL);
    assert_near(scripted_value(&s, "f.q1"), 2 * sin(3.0), 100 * TOL);
    assert_near(scripted_value(&s, "f.q2"), 2 * (1 - cos(3.0)), 100 * TOL);
    assert_near(scripted_value(&s, "phi"), 6 / 0.4, 100 * TOL);
    scripted_free(&s);
}

#define BODY                                                                                       \
    "local b = body('b', { mass = 1, inertia = {1, 1, 1} })\n"                                     \
    "free('f', ground, b, { at = {0, 0, 0} })\n"

static void rollers_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    scripted_refused(BODY "rolling_disk('d', b, { at = {0, 0, 0}, radius = 1 })",
                     "test.lua:3: rolling_disk 'd': the axis is missing");
    scripted_refused(BODY "rolling_disk('d', b, { at = {0, 0, 0}, axis = {0, 1, 0}, radius = -1 })",
                     "radius is -1; give a positive number");
    scripted_refused(BODY
                     "rolling_ball('d', b, { at = {0, 0, 0}, radius = 1, normal = {0, 0, 0} })",
                     "normal has length zero");
    scripted_refused(BODY "rolling_ball('d', b, { at = {0, 0, 0}, axis = {0, 0, 1}, radius = 1 })",
                     "unknown option 'axis'");
    scripted_refused(BODY "knife_edge('d', b, { at = {0, 0, 0} })", "the direction is missing");
    scripted_refused(BODY "knife_edge('d', b, { at = {0, 0, 0}, direction = {0, 0, 1} })",
                     "lateral has length zero");
    scripted_refused(BODY "rolling_wheel('d', b, { at = {0, 0, 0}, direction = {1, 0, 0} })",
                     "give radius, and spin");
    scripted_refused("local b = body('b', { mass = 1 })\n"
                     "rolling_ball('d', b, { at = {0, 0, 0}, radius = 1 })",
                     "body 'b' does not hang on the ground yet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_disk_rolls_like_the_example),
        cmocka_unit_test(the_knife_edge_runs_like_the_sleigh),
        cmocka_unit_test(a_ball_rolls_down_a_slope),
        cmocka_unit_test(a_ball_on_a_turntable_goes_round_in_circles),
        cmocka_unit_test(a_wheel_rolls_down_a_line),
        cmocka_unit_test(an_upright_wheel_goes_round_in_circles),
        cmocka_unit_test(rollers_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
