/* Loops that move although they have more rows than motions: in a plane that lies obliquely, and in
   space. Some of their rows vanish on the constraints together with their derivatives, and point
   anywhere next to them. */
#include "scripted.h"

#include <stdio.h>

/* A slider-crank in the plane of x and y, turned by R, closed by a prismatic joint whose second
   axis is left to the program. The way of the slider does not depend on R. */
static const char slider_crank[] =
    "local function R(x, y, z)\n"
    "  local a, b = %.17g, %.17g\n"
    "  local x1, y1 = x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a)\n"
    "  return {x1, y1 * math.cos(b) - (z or 0) * math.sin(b), y1 * math.sin(b) + (z or 0) * "
    "math.cos(b)}\n"
    "end\n"
    "local n, I = R(0, 0, 1), {0.1, 0.1, 0.1}\n"
    "local a = body('a', {mass = 1, com = R(0, 0.5), inertia = I})\n"
    "local b = body('b', {mass = 1, com = R(1, 0.5), inertia = I})\n"
    "local c = body('c', {mass = 2, com = R(2, 0), inertia = I})\n"
    "local ja = revolute('ja', ground, a, {at = R(0, 0), axis = n})\n"
    "revolute('jb', a, b, {at = R(0, 1), axis = n})\n"
    "revolute('jc', b, c, {at = R(2, 0), axis = n})\n"
    "prismatic('guide', ground, c, {at = R(2, 0), axis = R(1, 0)})\n"
    "initial{[ja.q] = 0.2, [ja.qd] = 1}\n"
    "output('q', ja.q)\n"
    "output('E', energy())\n";

static double run_slider_crank(double a, double b)
{
    char text[sizeof slider_crank + 60];
    snprintf(text, sizeof text, slider_crank, a, b);
    scripted s = scripted_text(text);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8});
    const double E = scripted_output(&s, "E");
    scripted_advance(&s, 1.0);
    const dfl_statistics stats = dfl_solver_statistics(s.solver);
    assert_true(stats.rejected_newton <= stats.accepted / 5);
    assert_near(scripted_output(&s, "E"), E, 1e-6);
    const double q = scripted_output(&s, "q");
    scripted_free(&s);
    return q;
}

static void an_oblique_plane_changes_nothing(void **state)
{
    (void)state;
    const double q = run_slider_crank(0, 0);
    for (int k = 1; k <= 20; k++)
        assert_near(run_slider_crank(2.4 * k, 0.618 * k), q, 1e-6);
}

/* Sarrus: a plate on legs of two bars each, which hinge about horizontal axes across their
   directions; it moves straight up and down. */
static scripted sarrus(int legs, double between)
{
    char text[1200];
    snprintf(text, sizeof text,
             "local top = body('top', {mass = 2, com = {0, 0, 2}, inertia = {0.2, 0.2, 0.2}})\n"
             "for k = 1, %d do\n"
             "  local c, s = math.cos(%.17g * (k - 1)), math.sin(%.17g * (k - 1))\n"
             "  local function P(r, z) return {c * r, s * r, z} end\n"
             "  local I, axis = {0.1, 0.1, 0.1}, {-s, c, 0}\n"
             "  local lower = body('lower'..k, {mass = 1, com = P(1.5, 0.5), inertia = I})\n"
             "  local upper = body('upper'..k, {mass = 1, com = P(1.5, 1.5), inertia = I})\n"
             "  revolute('a'..k, ground, lower, {at = P(1, 0), axis = axis})\n"
             "  revolute('b'..k, lower, upper, {at = P(2, 1), axis = axis})\n"
             "  revolute('c'..k, upper, top, {at = P(1, 2), axis = axis})\n"
             "end\n"
             "gravity{0, 0, -9.81}\n"
             "local corner = point(top, {1, 1, 2})\n"
             "output('x', corner.x) output('y', corner.y) output('E', energy())\n",
             legs, between, between);
    return scripted_text(text);
}

static void a_plate_on_legs_moves_straight(void **state)
{
    (void)state;
    const struct {
        int legs, redundant;
        double between;
    } cases[] = {{2, 1, 0.9273}, {2, 1, 1.5707963267948966}, {3, 4, 2.0943951023931953}};
    for (int k = 0; k < 3; k++) {
        scripted s = sarrus(cases[k].legs, cases[k].between);
        scripted_start(&s, NULL);
        const double E = scripted_output(&s, "E");
        scripted_advance(&s, 0.3);
        const dfl_statistics stats = dfl_solver_statistics(s.solver);
        assert_int_equal(s.eq->nl - stats.rank_position, cases[k].redundant);
        assert_true(stats.accepted < 60 && stats.rejected_newton <= 2);
        assert_near(scripted_output(&s, "x"), 1, 1e-6);
        assert_near(scripted_output(&s, "y"), 1, 1e-6);
        assert_near(scripted_output(&s, "E"), E, 1e-4);
        scripted_free(&s);
    }
}

/* A chain along x whose last joint is locked by a second one: rows depend on one coordinate alone,
   whichever number it has. */
static void a_locked_joint_is_closed_whatever_its_number(void **state)
{
    (void)state;
    for (int n = 2; n <= 60; n++) {
        char text[600];
        snprintf(text, sizeof text,
                 "planar() gravity{0, -9.81}\n"
                 "local before, list = ground, {}\n"
                 "for i = 1, %d do\n"
                 "  local b = body('b' .. i, {mass = 1, com = {i, 0}, inertia = 0.1})\n"
                 "  revolute('j' .. i, before, b, {at = {i - 1, 0}})\n"
                 "  list[i], before = b, b\n"
                 "end\n"
                 "fixed('hold', list[%d], list[%d])\n",
                 n, n - 1, n);
        scripted s = scripted_text(text);
        assert_true(s.eq->nl > 0); /* the locked joint can move */
        if (n % 10 == 9) {
            scripted_start(&s, NULL);
            scripted_advance(&s, 0.01);
        }
        scripted_free(&s);
    }
}

/* A four-bar in space; one hinge is tilted out of the others' direction. */
static scripted tilted_four_bar(double tilt)
{
    char text[1200];
    snprintf(text, sizeof text,
             "gravity{0, -9.81, 0}\n"
             "local function bar(n, p, q)\n"
             "  return body(n, {mass = 1, com = {(p[1] + q[1])/2, (p[2] + q[2])/2, 0}, "
             "inertia = {0.1, 0.1, 0.1}})\n"
             "end\n"
             "local A, B, C, D = {0, 0, 0}, {0.2, 0.4, 0}, {1, 0.6, 0}, {1, 0, 0}\n"
             "local a, b, c = bar('crank', A, B), bar('coupler', B, C), bar('rocker', C, D)\n"
             "local j = revolute('j1', ground, a, {at = A, axis = {0, 0, 1}})\n"
             "revolute('j2', a, b, {at = B, axis = {0, 0, 1}})\n"
             "revolute('j3', b, c, {at = C, axis = {0, %.17g, 1}})\n"
             "revolute('j4', c, ground, {at = D, axis = {0, 0, 1}})\n"
             "initial{[j.qd] = 3}\n",
             tilt);
    return scripted_text(text);
}

static void a_tilted_hinge_makes_a_loop_rigid(void **state)
{
    (void)state;
    const double tilts[] = {1e-9, 1e-6, 1e-3};
    for (int k = 0; k < 3; k++) {
        scripted s = tilted_four_bar(tilts[k]);
        assert_int_equal(scripted_try_start(&s, NULL), DFL_INCONSISTENT);
        const char *said =
            strstr(dfl_message(s.ctx), "is rigid: the constraints leave 0 degrees of "
                                       "freedom, and 1 more if they fitted exactly");
        assert_non_null(said);
        const char *by = strstr(said, "opens j4.4 by "); /* the tilt, times how fast j3 turns */
        assert_non_null(by);
        const double misfit = strtod(by + strlen("opens j4.4 by "), NULL);
        assert_true(misfit > 0.1 * tilts[k] && misfit < 2 * tilts[k]);
        scripted_free(&s);
    }
}

/* With the misfit allowed it moves as the exact one, to about the misfit. */
static void a_misfit_that_is_allowed_changes_little(void **state)
{
    (void)state;
    scripted exact = tilted_four_bar(0);
    scripted_run(&exact, 2, 1e-8);
    const double tilts[] = {0, 1e-9, 1e-6, 1e-5};
    for (int k = 0; k < 4; k++) {
        scripted s = tilted_four_bar(tilts[k]);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8, .constraints.redundant = 1e-5});
        assert_int_equal(dfl_solver_statistics(s.solver).rank_velocity, 2);
        scripted_advance(&s, 2);
        const char *const names[] = {"j1.q", "j2.q", "j3.q", "der(j1.q)"};
        for (int i = 0; i < 4; i++)
            assert_near(scripted_value(&s, names[i]), scripted_value(&exact, names[i]),
                        1e-6 + tilts[k]);
        scripted_free(&s);
    }
    scripted_free(&exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_oblique_plane_changes_nothing),
        cmocka_unit_test(a_plate_on_legs_moves_straight),
        cmocka_unit_test(a_locked_joint_is_closed_whatever_its_number),
        cmocka_unit_test(a_tilted_hinge_makes_a_loop_rigid),
        cmocka_unit_test(a_misfit_that_is_allowed_changes_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
