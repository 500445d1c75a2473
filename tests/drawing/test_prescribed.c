/* Mechanisms whose motions are all prescribed: no coordinate is left, or constraints determine all
   of them. What comes out is kinematics and inverse dynamics, against formulas. */
#include "../simulated.h"

#include "study/study.h"

static const double g = 9.81;

static const char pendulum[] =
    "planar()\ngravity{0, -9.81}\n"
    "local b = body('b', {mass = 2, com = {0, -1.5}, inertia = 0.3})\n"
    "local j = revolute('j', ground, b, {at = {0, 0}, motion = sin(time)})\n"
    "output('j', j) output('drive', j.drive) output('E', energy())\n"
    "output('tip', point(b, {0, -1.5}), 'position', 'velocity', "
    "'acceleration')\n"
    "event('up', j.q - 0.5, {direction = 'rising'})\n";

/* (J + m l^2) phi'' + m g l sin(phi) with phi = sin(t), to rounding at any time. */
static void assert_pendulum(const scripted *s)
{
    const double m = 2, l = 1.5, J = 0.3, t = dfl_solver_time(s->solver);
    const double phi = sin(t), w = cos(t), wd = -sin(t);
    const double ax = l * (wd * cos(phi) - w * w * sin(phi));
    const double ay = l * (wd * sin(phi) + w * w * cos(phi));
    assert_near(scripted_output(s, "drive"), (J + m * l * l) * wd + m * g * l * sin(phi), 1e-12);
    assert_near(scripted_output(s, "tip.x"), l * sin(phi), 1e-13);
    assert_near(scripted_output(s, "tip.vy"), l * w * sin(phi), 1e-13);
    assert_near(scripted_output(s, "tip.ax"), ax, 1e-12);
    assert_near(scripted_output(s, "j.fx"), m * ax, 1e-12);
    assert_near(scripted_output(s, "j.fy"), m * (ay + g), 1e-12);
    assert_near(scripted_output(s, "E"), (J + m * l * l) * w * w / 2 - m * g * l * cos(phi), 1e-12);
}

static void a_driven_pendulum_needs_the_torque_of_its_formula(void **state)
{
    (void)state;
    scripted s = scripted_text(pendulum);
    assert_int_equal(s.eq->n, 0);
    scripted_start(&s, NULL);
    assert_pendulum(&s);
    for (double t = 0.5; t < 20; t *= 1.7) {
        scripted_advance(&s, t);
        assert_pendulum(&s);
    }
    scripted_advance(&s, 0.3); /* and backwards */
    assert_pendulum(&s);
    scripted_free(&s);
}

static void every_method_and_form_goes_through_the_time(void **state)
{
    (void)state;
    for (int integrator = DFL_RADAU; integrator <= DFL_EXPLICIT_PAIR; integrator++) {
        scripted s = scripted_text(pendulum);
        scripted_start(&s, &(dfl_solver_options){.integrator = (dfl_integrator)integrator});
        scripted_advance(&s, 3);
        assert_pendulum(&s);
        scripted_free(&s);
    }
    const dfl_form forms[] = {DFL_PSI1, DFL_EOM, DFL_GGL, DFL_BAUMGARTE, DFL_TANGENT, DFL_UODE};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        scripted s = scripted_text(pendulum);
        scripted_start(&s, &(dfl_solver_options){.form = forms[i]});
        scripted_advance(&s, 3);
        assert_pendulum(&s);
        scripted_free(&s);
    }
}

/* Lagrange's equations of the plane arm with point masses at the ends of both links; q2 counts from
   link 1. */
static void a_robot_with_two_driven_joints_has_the_torques_of_the_textbook(void **state)
{
    (void)state;
    scripted s =
        scripted_text("planar()\ngravity{0, -9.81}\n"
                      "local a = body('a', {mass = 3, com = {1.2, 0}})\n"
                      "local b = body('b', {mass = 2, com = {2, 0}})\n"
                      "local j1 = revolute('j1', ground, a, {at = {0, 0}, motion = sin(time)})\n"
                      "local j2 = revolute('j2', a, b, {at = {1.2, 0}, motion = 2*cos(3*time)})\n"
                      "output('t1', j1.drive) output('t2', j2.drive)\n");
    const double m1 = 3, m2 = 2, l1 = 1.2, l2 = 0.8;
    scripted_start(&s, NULL);
    for (double t = 0.2; t < 3; t += 0.7) {
        scripted_advance(&s, t);
        const double q1 = sin(t), w1 = cos(t), a1 = -sin(t);
        const double q2 = 2 * cos(3 * t), w2 = -6 * sin(3 * t), a2 = -18 * cos(3 * t);
        const double h = m2 * l1 * l2, c2 = cos(q2), s2 = sin(q2);
        const double tau2 = (m2 * l2 * l2 + h * c2) * a1 + m2 * l2 * l2 * a2 + h * s2 * w1 * w1 +
                            m2 * g * l2 * cos(q1 + q2);
        const double tau1 = ((m1 + m2) * l1 * l1 + m2 * l2 * l2 + 2 * h * c2) * a1 +
                            (m2 * l2 * l2 + h * c2) * a2 - h * s2 * (2 * w1 * w2 + w2 * w2) +
                            (m1 + m2) * g * l1 * cos(q1) + m2 * g * l2 * cos(q1 + q2);
        assert_near(scripted_output(&s, "t1"), tau1, 1e-11);
        assert_near(scripted_output(&s, "t2"), tau2, 1e-11);
    }
    scripted_free(&s);
}

/* A parallelogram with a driven crank: the coupler stays level, the rocker turns as the crank does.
   The coupler moves on a circle without turning, so the drive works against gravity and inertia of
   m1 and m3 about their bearings and of m2 as a point at the crank pin. */
static void a_driven_parallelogram_is_determined_by_its_loop(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "planar()\ngravity{0, -9.81}\n"
        "local crank = body('crank', {mass = 1, com = {0, 0.5}, inertia = 0.1})\n"
        "local bar = body('bar', {mass = 2, com = {1, 1}, inertia = 0.7})\n"
        "local rocker = body('rocker', {mass = 1, com = {2, 0.5}, inertia = 0.1})\n"
        "local a = revolute('a', ground, crank, {at = {0, 0}, motion = 0.6*sin(2*time)})\n"
        "revolute('b', crank, bar, {at = {0, 1}})\n"
        "revolute('c', ground, rocker, {at = {2, 0}})\n"
        "revolute('d', bar, rocker, {at = {2, 1}})\n"
        "output('torque', a.drive)\n");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-9});
    assert_int_equal(s.eq->nv - dfl_solver_statistics(s.solver).rank_velocity, 0);
    for (double t = 0.3; t < 4; t += 0.6) {
        scripted_advance(&s, t);
        const double q = 0.6 * sin(2 * t), qdd = -2.4 * sin(2 * t);
        const double J = 2 * (0.1 + 0.25) + 2, moment = g * (2 * 0.5 + 2);
        assert_near(scripted_value(&s, "b.q"), -q, 1e-10);
        assert_near(scripted_value(&s, "c.q"), q, 1e-10);
        assert_near(scripted_output(&s, "torque"), J * qdd - moment * sin(q), 1e-8);
    }
    scripted_free(&s);
}

/* r' = q - r with q = sin(t): r = (sin(t) - cos(t) + exp(-t)) / 2 */
static void what_has_a_memory_is_still_integrated(void **state)
{
    (void)state;
    scripted s =
        scripted_text("planar()\n"
                      "local b = body('b', {mass = 1, com = {0, -1}})\n"
                      "local j = revolute('j', ground, b, {at = {0, 0}, motion = sin(time)})\n"
                      "dynamic('r', function(r) return j.q - r end)\n");
    scripted_run(&s, 3, 1e-9);
    assert_near(scripted_value(&s, "r"), (sin(3) - cos(3) + exp(-3)) / 2, 1e-8);
    scripted_free(&s);
}

/* ------------------------------------------------------------------------------- whole runs */

/* Nothing limits the steps: the run does, so that sin(t) = 0.5 is found rising in each of 10
   turns. */
static void steps_do_not_leap_over_events(void **state)
{
    (void)state;
    static const char driven[] = "planar()\n"
                                 "local b = body('b', {mass = 1, com = {0, -1}})\n"
                                 "local j = revolute('j', ground, b, {at = {0, 0}})\n"
                                 "drive('d', j, sin(time))\n"
                                 "event('up', j.q - 0.5, {direction = 'rising'})\n";
    const char *const texts[] = {pendulum, driven};
    for (int i = 0; i < 2; i++) {
        scripted s = scripted_text(texts[i]);
        dfl_settings settings;
        dfl_simulation sim;
        const dfl_summary summary = simulate(&sim, &settings, &s, 62.8);
        assert_int_equal(summary.nevents, 10);
        for (int k = 0; k < summary.nevents; k++)
            assert_near(summary.events[k].time, asin(0.5) + 2 * acos(-1) * k, 1e-6);
        assert_in_range(summary.statistics.accepted, 100, 200);
        dfl_simulation_clear(&sim);
        scripted_free(&s);
    }
}

/* ------------------------------------------------------------------------------- refusals */

static void without_outputs_there_is_nothing_to_run(void **state)
{
    (void)state;
    scripted_refused(
        "planar()\n"
        "local b = body('b', {mass = 1, com = {0, -1}})\n"
        "revolute('j', ground, b, {at = {0, 0}, motion = sin(time)})\n",
        "where `motion` prescribes all of them, declare the outputs that you want: output(");
}

static void assert_start_refused(const char *text, dfl_status expected, const char *message)
{
    dfl_status status;
    scripted s = scripted_try(&status, text);
    if (!status)
        status = scripted_try_start(&s, NULL);
    if (status != expected || !strstr(dfl_message(s.ctx), message))
        fail_msg("expected '%s', found %s: %s", message, dfl_status_name(status),
                 dfl_message(s.ctx));
    scripted_free(&s);
}

#define FOUR_BARS(a, b, c)                                                                         \
    "planar()\n"                                                                                   \
    "local crank = body('crank', {mass = 1, com = {0, 0.5}, inertia = 0.1})\n"                     \
    "local rod = body('rod', {mass = 1, com = {1.5, 1.5}, inertia = 0.1})\n"                       \
    "local rocker = body('rocker', {mass = 1, com = {3, 1}, inertia = 0.1})\n"                     \
    "local a = revolute('a', ground, crank, {at = {0, 0}" a "})\n"                                 \
    "local b = revolute('b', crank, rod, {at = {0, 1}" b "})\n"                                    \
    "local c = revolute('c', ground, rocker, {at = {3, 0}" c "})\n"                                \
    "revolute('d', rod, rocker, {at = {3, 2}})\n"                                                  \
    "output('t', time)\n"

/* On the level of positions, of velocities, of accelerations; by option and by call. */
static void drives_that_contradict_each_other_are_named(void **state)
{
    (void)state;
    const char *const joints = "motions 'c' (line 7), 'a' (line 5) contradict each other";
    const char *const calls = "motions 'da' (line 10), 'dc' (line 11) contradict each other";
    assert_start_refused(FOUR_BARS(", motion = time + 0.3", "", ", motion = time"),
                         DFL_INCONSISTENT, joints);
    assert_start_refused(FOUR_BARS(", motion = time", "", ", motion = time"), DFL_INCONSISTENT,
                         joints);
    assert_start_refused(FOUR_BARS(", motion = 2*time", "", ", motion = time"), DFL_INCONSISTENT,
                         joints);
    assert_start_refused(FOUR_BARS("", "", "") "drive('da', a, time + 0.3)\ndrive('dc', c, time)",
                         DFL_INCONSISTENT, calls);
    assert_start_refused(FOUR_BARS("", "", "") "drive('da', a, time)\ndrive('dc', c, time)",
                         DFL_INCONSISTENT, calls);
    assert_start_refused(FOUR_BARS("", "", "") "drive('da', a, 2*time)\ndrive('dc', c, time)",
                         DFL_INCONSISTENT, calls);
}

/* The start is consistent on all levels; the motions part later. */
static void drives_that_part_later_are_named(void **state)
{
    (void)state;
    scripted s = scripted_text(FOUR_BARS(", motion = 2*time^3", "", ", motion = time^3"));
    scripted_start(&s, NULL);
    assert_int_equal(dfl_solver_advance(s.solver, 5), DFL_RANK_CHANGED);
    dfl_study_explain(s.run, DFL_RANK_CHANGED, dfl_solver_time(s.solver),
                      dfl_solver_state(s.solver));
    assert_non_null(strstr(dfl_message(s.ctx), "'c' (line 7), 'a' (line 5) contradict each other"));
    scripted_free(&s);
}

/* Two drives that agree do no harm; what is wrong besides is not theirs. */
static void drives_that_agree_are_not_blamed(void **state)
{
    (void)state;
    static const char twice[] = "planar()\n"
                                "local b = body('b', {mass = 1, com = {0, -1}, inertia = 1})\n"
                                "local j = revolute('j', ground, b, {at = {0, 0}})\n"
                                "drive('d1', j, sin(time)) drive('d2', j, sin(time))\n";
    scripted s = scripted_text(twice);
    scripted_run(&s, 2, 1e-8);
    assert_near(scripted_value(&s, "j.q"), sin(2), 1e-12);
    scripted_give(&s, "j.q", 0.5, true);
    assert_int_equal(scripted_try_start(&s, NULL), DFL_INCONSISTENT);
    assert_null(strstr(dfl_message(s.ctx), "prescribed"));
    scripted_free(&s);
}

static void loops_and_couplings_without_a_free_joint_name_the_drives(void **state)
{
    (void)state;
    scripted_refused(
        FOUR_BARS(", motion = time", ", motion = 0", ", motion = time"),
        "test.lua:8: revolute 'd': prescribed motions of 'c' (line 7), 'b' (line 6), 'a' "
        "(line 5) leave nothing");
    scripted_refused("planar()\n"
                     "local x, y = body('x', {mass = 1}), body('y', {mass = 1})\n"
                     "local a = revolute('a', ground, x, {at = {0, 0}, motion = time})\n"
                     "local b = revolute('b', ground, y, {at = {1, 0}, motion = time})\n"
                     "gear('g', a, b, {ratio = 2})\n",
                     "test.lua:5: gear 'g': the motions of 'a' (line 3) and 'b' (line 4) are both");
}

static void starting_values_of_prescribed_joints_are_refused(void **state)
{
    (void)state;
    static const char *const values[] = {"initial{ [j.q] = 1 }",        "guess{ [j.q] = 1 }",
                                         "initial{ [j.qd] = 1 }",       "initial{ ['j.q'] = 1 }",
                                         "initial{ ['der(j.q)'] = 1 }", "initial{ j = 1 }"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int k = 0; k < 2; k++) {
            char text[300];
            snprintf(text, sizeof text,
                     "planar() local b = body('b', { mass = 1 })\n"
                     "local j = revolute('j', ground, b, { at = {0, 0}, motion = %s })\n%s",
                     k ? "sin(time)" : "time", values[i]);
            scripted_refused(text,
                             "the motion of joint 'j' (line 2) prescribes its position and speed");
        }
    assert_start_refused("planar() local b = body('b', { mass = 1, inertia = 1 })\n"
                         "local j = revolute('j', ground, b, { at = {0, 0} })\n"
                         "drive('d', j, sin(time))\n"
                         "initial{ [j.q] = 0.3 }",
                         DFL_INCONSISTENT, "test.lua:3: the initial values");
    assert_start_refused("planar() local b = body('b', { mass = 1, inertia = 1 })\n"
                         "local j = revolute('j', ground, b, { at = {0, 0} })\n"
                         "drive('d', j, sin(time))\n"
                         "initial{ [j.qd] = 0.3 }",
                         DFL_INCONSISTENT,
                         "'d' prescribes this motion: hold the value that it begins with");
}

static void every_failed_allocation_on_the_way_to_the_names_is_clean(void **state)
{
    (void)state;
    for (int n = 0;; n++) {
        dfl_status status;
        scripted s = scripted_try(
            &status, FOUR_BARS("", "", "") "drive('da', a, time)\ndrive('dc', c, time)");
        dfl_context_fail_after(s.ctx, n);
        status = scripted_try_start(&s, NULL);
        dfl_context_fail_after(s.ctx, -1);
        const bool named = strstr(dfl_message(s.ctx), "contradict each other") != NULL;
        scripted_free(&s);
        assert_true(status == DFL_NO_MEMORY || status == DFL_INCONSISTENT);
        if (named)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driven_pendulum_needs_the_torque_of_its_formula),
        cmocka_unit_test(every_method_and_form_goes_through_the_time),
        cmocka_unit_test(a_robot_with_two_driven_joints_has_the_torques_of_the_textbook),
        cmocka_unit_test(a_driven_parallelogram_is_determined_by_its_loop),
        cmocka_unit_test(what_has_a_memory_is_still_integrated),
        cmocka_unit_test(steps_do_not_leap_over_events),
        cmocka_unit_test(without_outputs_there_is_nothing_to_run),
        cmocka_unit_test(drives_that_contradict_each_other_are_named),
        cmocka_unit_test(drives_that_part_later_are_named),
        cmocka_unit_test(drives_that_agree_are_not_blamed),
        cmocka_unit_test(loops_and_couplings_without_a_free_joint_name_the_drives),
        cmocka_unit_test(starting_values_of_prescribed_joints_are_refused),
        cmocka_unit_test(every_failed_allocation_on_the_way_to_the_names_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
