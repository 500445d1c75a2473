/* Drives of prescribed motions against independent numbers. */
#include "drive.h"

/* Lagrange's equations in the two angles give the same forces and multipliers. */
static void double_pendulum_is_driven_along_two_angles(void **state)
{
    (void)state;
    last_row last;
    double rms[2];
    char message[500];
    const dfl_status status =
        drive(&last, rms, message,
              "local x1, y1, x2, y2 = position('x1', 'y1', 'x2', 'y2')\n"
              "kinetic((velocity(x1)^2 + velocity(y1)^2 + velocity(x2)^2 + velocity(y2)^2)/2)\n"
              "potential(9.81*(y1 + y2))\n"
              "constraint('upper', x1^2 + y1^2 - 1)\n"
              "constraint('lower', (x2 - x1)^2 + (y2 - y1)^2 - 1)\n"
              "force(velocity(x1), input('F1', 0)) force(velocity(x2), input('F2', 0))\n"
              "motion(x1, sin(0.5*sin(2*time)))\n"
              "motion(x2 - x1, sin(0.8*time^2))\n"
              "guess{ x1 = 0, y1 = -1, x2 = 0, y2 = -2 }\n"
              "simulate{ to = 0.3 }\n");
    assert_int_equal(status, DFL_OK);
    assert_int_equal(last.rows, 201);
    near_close(last.tau[0], 3.9569654791, 1e-10);
    near_close(last.tau[1], 1.0618486250, 1e-10);
    near_close(last.x[0], 10.7475415518, 1e-10);
    near_close(last.x[1], 5.2608867317, 1e-10);
}

/* m x'' = 2 (F1 + F2) along x = t^2 with m = 3: the shortest drives are equal, F1 = F2 = 1.5,
   whatever value the inputs have in the script. */
static void redundant_drives_share_the_force(void **state)
{
    (void)state;
    last_row last;
    double rms[2];
    char message[500];
    const dfl_status status = drive(&last, rms, message,
                                    "local x = position('x')\n"
                                    "kinetic(3/2*velocity(x)^2)\n"
                                    "force(velocity(x), 2*input('F1', 4) + 2*input('F2', 0))\n"
                                    "motion(x, time^2)\n"
                                    "simulate{ to = 1, every = 0.1 }\n");
    assert_int_equal(status, DFL_OK);
    assert_int_equal(last.rows, 11);
    for (int i = 0; i < 2; i++) {
        near_close(last.tau[i], 1.5, 1e-12);
        near_close(rms[i], 1.5, 1e-12);
    }
}

/* A cart is driven along s = t^2/2; the pendulum on it moves as it likes. */
static void coordinates_without_motion_are_integrated(void **state)
{
    (void)state;
    last_row last;
    double rms[2];
    char message[500];
    const dfl_status status =
        drive(&last, rms, message,
              "local s, th = position('s', 'th')\n"
              "kinetic(velocity(s)^2 + (velocity(s)^2 + 2*velocity(s)*velocity(th)*cos(th)\n"
              "        + velocity(th)^2)/2)\n"
              "potential(-9.81*cos(th))\n"
              "force(velocity(s), input('F', 0))\n"
              "motion(s, time^2/2)\n"
              "simulate{ to = 1, rtol = 1e-10 }\n");
    assert_int_equal(status, DFL_OK);
    /* x = [lambda | s' th' | s th]: th'' = -9.81 sin th - cos th has the integral
       th'^2/2 - 9.81 cos th + sin th; F = 3 s'' + th'' cos th - th'^2 sin th */
    const double w = last.x[2], th = last.x[4];
    near_close(w * w / 2 - 9.81 * cos(th) + sin(th), -9.81, 1e-8);
    near_close(last.tau[0], 3 + (-9.81 * sin(th) - cos(th)) * cos(th) - w * w * sin(th), 1e-9);
}

/* (I + m l^2) q'' + m g l cos q about the bearing, without any input. */
static void joint_with_a_drive_needs_its_torque(void **state)
{
    (void)state;
    last_row last;
    double rms[2];
    char message[500];
    const dfl_status status =
        drive(&last, rms, message,
              "planar() gravity{0, -9.81}\n"
              "local a = body('arm', { mass = 2, com = {0.5, 0}, inertia = 0.1 })\n"
              "local j = revolute('j', ground, a, { at = {0, 0} })\n"
              "drive('d', j, 0.3*sin(2*time)) simulate{ to = 1 }\n");
    const double q = 0.3 * sin(2);
    assert_int_equal(status, DFL_OK);
    near_close(last.tau[0], -0.6 * 4 * q + 9.81 * cos(q), 1e-11);
}

static void what_cannot_be_driven_is_refused(void **state)
{
    (void)state;
    last_row last;
    double rms[2];
    char message[500];
    dfl_status status = drive(&last, rms, message,
                              "local x, y = position('x', 'y')\n"
                              "kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
                              "force(velocity(x), input('F', 0))\n"
                              "motion(y, time^2) simulate{ to = 1 }\n");
    assert_int_equal(status, DFL_INCONSISTENT);
    assert_non_null(strstr(message, "der(y)"));
    status = drive(&last, rms, message,
                   "local x = position('x')\nkinetic(velocity(x)^2/2)\n"
                   "force(velocity(x), input('F', 0)) simulate{ to = 1 }\n");
    assert_int_equal(status, DFL_INVALID);
    assert_non_null(strstr(message, "prescribes no motion"));
}

/* A path with a kink, and one with a jump of its third derivative where inputs contain the fourth.
 */
static void paths_that_are_not_smooth_enough_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path, *told; /* told NULL: it can be followed */
        bool indirect;
    } each[] = {
        {"abs(time - 0.4)", "velocity jumps", false},
        {"select(time - 0.4, 1, 0)", "it jumps", false},
        {"max(0, time - 0.4)^2", NULL, false},
        {"max(0, time - 0.4)^3", "third derivative", true},
        {"max(0, time - 0.4)^4", NULL, true},
        {"max(0, time - 0.4)^5", NULL, true},
        {"sin(40*time)^5", NULL, true},
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        last_row last;
        double rms[2];
        char message[500], text[500];
        snprintf(text, sizeof text,
                 "local a, b = position('a', 'b') mass(a, 1) mass(b, 2)\n"
                 "force(a, input('u', 0) - 50*(a - b)) force(b, 50*(a - b))\n"
                 "motion(%s, %s) simulate{ to = 1, every = 0.1 }\n",
                 each[i].indirect ? "b" : "a", each[i].path);
        const dfl_status status = drive(&last, rms, message, text);
        if (status != (each[i].told ? DFL_INCONSISTENT : DFL_OK))
            fail_msg("%s: status %d, %s", each[i].path, (int)status, message);
        if (each[i].told && (!strstr(message, each[i].told) || !strstr(message, "t = 0.4")))
            fail_msg("%s: %s", each[i].path, message);
    }
}

/* A standing pendulum, a mass that is pushed away, negative damping; a load that is reeled in grows
   a little, at the rate l'/l, and is followed. */
static void open_motions_that_grow_are_refused(void **state)
{
    (void)state;
    static const char *const model[] = {
        "kinetic(va^2 + (va^2 + 2*va*vb*cos(b) + vb^2)/2) potential(9.81*cos(b))\n"
        "motion(a, 0.1*sin(time)^4)\n",
        "mass(a, 1) mass(b, 1) force(b, 4*b) motion(a, sin(time)) initial{ b = 1e-3 }\n",
        "mass(a, 1) mass(b, 1) force(b, a - b + 0.2*vb) motion(a, sin(time))\n",
        "kinetic(0.1*va^2 + va^2 + a^2*vb^2) potential(-2*9.81*a*cos(b))\n"
        "motion(a, 4 - 0.5*time) initial{ b = 0.1 } guess{ a = 4 }\n"};
    for (int i = 0; i < 4; i++) {
        last_row last;
        double rms[2];
        char message[500], text[500];
        snprintf(text, sizeof text,
                 "local a, b = position('a', 'b') local va, vb = velocity(a), velocity(b)\n"
                 "force(va, input('u', 0)) %s simulate{ to = 3, every = 0.1 }\n",
                 model[i]);
        const dfl_status status = drive(&last, rms, message, text);
        assert_int_equal(status, i < 3 ? DFL_SINGULAR : DFL_OK);
        if (i < 3)
            assert_non_null(strstr(message, "unstable, with the eigenvalues"));
    }
}

/* Two rows prescribe one coordinate: one drive with a name that no column has. */
static void coordinates_have_one_drive_each(void **state)
{
    (void)state;
    last_row last;
    double rms[2];
    char message[500];
    const dfl_status status =
        drive(&last, rms, message,
              "local x = position('x') mass(x, 3)\n"
              "motion(x, time^2) motion(2*x, 2*time^2) simulate{ to = 1, every = 0.5 }\n");
    assert_int_equal(status, DFL_OK);
    near_close(last.tau[0], 6, 1e-9);
}

/* Nothing touches the floor on the way; the path needs 9.81 + y''. */
static void an_open_contact_stays_open(void **state)
{
    (void)state;
    last_row last;
    double rms[2];
    char message[500];
    const dfl_status status =
        drive(&last, rms, message,
              "local y = position('y') mass(y, 1) force(y, -9.81)\n"
              "unilateral('floor', y) force(y, input('u', 0))\n"
              "motion(y, 1 + 0.1*sin(time)) simulate{ to = 1, every = 0.5 }\n");
    assert_int_equal(status, DFL_OK);
    near_close(last.tau[0], 9.81 - 0.1 * sin(1), 1e-9);
}

/* u^2 - 1 = x'' from u = 0.5 and from 0, where u^2 has no slope; tanh(u) = x'' as long as it can.
 */
static void forces_need_not_be_proportional_to_inputs(void **state)
{
    (void)state;
    static const char *const model[] = {"input('u', 0.5)^2 - 1", "input('u', 0)^2 - 1",
                                        "tanh(input('u', 0))"};
    for (int i = 0; i < 4; i++) {
        last_row last;
        double rms[2];
        char message[500], text[300];
        snprintf(text, sizeof text,
                 "local x = position('x') mass(x, 1) force(x, %s)\n"
                 "motion(x, %g*sin(time)) simulate{ to = 1, every = 0.1 }\n",
                 model[i < 3 ? i : 2], i < 3 ? 0.2 : 2.0);
        const dfl_status status = drive(&last, rms, message, text);
        const double a = -0.2 * sin(1);
        assert_int_equal(status, i < 3 ? DFL_OK : DFL_INCONSISTENT);
        if (i < 3)
            near_close(last.tau[0], i < 2 ? sqrt(1 + a) : atanh(a), 1e-12);
        else
            assert_non_null(strstr(message, "no values of them were found"));
    }
}

/* Of u^2/2 + w = 2 + x'' = 2.2 the shortest (u, w) has u (1 - w) = 0: w = 1. */
static void of_nonlinear_drives_the_shortest_are_taken(void **state)
{
    (void)state;
    last_row last;
    double rms[2];
    char message[500];
    const dfl_status status = drive(&last, rms, message,
                                    "local x = position('x') mass(x, 1)\n"
                                    "force(x, input('u', 1)^2/2 + input('w', 0.5) - 2)\n"
                                    "motion(x, 0.1*time^2) simulate{ to = 1, every = 0.5 }\n");
    assert_int_equal(status, DFL_OK);
    near_close(last.tau[1], 1, 1e-9);
    near_close(last.tau[0], sqrt(2.4), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum_is_driven_along_two_angles),
        cmocka_unit_test(redundant_drives_share_the_force),
        cmocka_unit_test(coordinates_without_motion_are_integrated),
        cmocka_unit_test(joint_with_a_drive_needs_its_torque),
        cmocka_unit_test(what_cannot_be_driven_is_refused),
        cmocka_unit_test(paths_that_are_not_smooth_enough_are_refused),
        cmocka_unit_test(open_motions_that_grow_are_refused),
        cmocka_unit_test(coordinates_have_one_drive_each),
        cmocka_unit_test(an_open_contact_stays_open),
        cmocka_unit_test(forces_need_not_be_proportional_to_inputs),
        cmocka_unit_test(of_nonlinear_drives_the_shortest_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
