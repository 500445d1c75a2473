/* Motions that no input acts on directly, against closed forms. */
#include "drive.h"

/* The last row of a script that can be driven. */
static last_row drive_well(const char *text)
{
    last_row last;
    double rms[2];
    char message[500];
    if (drive(&last, rms, message, text))
        fail_msg("%s", message);
    return last;
}

static void assert_refused(const char *text, dfl_status expected, const char *part)
{
    last_row last;
    double rms[2];
    char message[500];
    assert_int_equal(drive(&last, rms, message, text), expected);
    if (!strstr(message, part))
        fail_msg("'%s' is not in: %s", part, message);
}

/* m1 x1'' = F - k (x1 - x2), m2 x2'' = k (x1 - x2): with x2 = sin w t all follows, x1 = (1 - m2
   w^2/k) x2. */
static void two_masses_with_a_spring(void **state)
{
    (void)state;
    const last_row last =
        drive_well("local a, b = position('x1', 'x2')\n"
                   "kinetic(velocity(a)^2 + velocity(b)^2/2) potential(25*(a - b)^2)\n"
                   "force(a, input('F', 7))\n"
                   "motion(b, sin(3*time)) simulate{ to = 0.7 }\n");
    const double x2 = sin(2.1), x1 = (1 - 9.0 / 50) * x2;
    /* x = [lambda | v1 v2 | x1 x2] */
    near_close(last.x[3], x1, 1e-12);
    near_close(last.x[1], 3 * (1 - 9.0 / 50) * cos(2.1), 1e-11);
    near_close(last.tau[0], -2 * 9 * x1 + 50 * (x1 - x2), 1e-10);
}

/* With a damper beside the spring three derivatives are enough, and x1 - x2 is a motion of its own:
   d z' + k z = m2 x2'' begins with the z of the script. */
static void damper_leaves_a_motion_open(void **state)
{
    (void)state;
    const last_row last =
        drive_well("local a, b = position('x1', 'x2')\n"
                   "kinetic(velocity(a)^2 + velocity(b)^2/2) potential(25*(a - b)^2)\n"
                   "local d = 4*(velocity(a) - velocity(b))\n"
                   "force(a, input('F', 0) - d) force(b, d)\n"
                   "guess{ x1 = 0.2, x2 = 0, ['der(x1)'] = -2 }\n"
                   "motion(b, time^2) simulate{ to = 0.3, rtol = 1e-9 }\n");
    /* z = 2/50 + (0.2 - 2/50) exp(-50/4 t) */
    const double e = 0.16 * exp(-12.5 * 0.3), z = 0.04 + e, rate = -12.5 * e;
    near_close(last.x[3], 0.09 + z, 1e-8);
    near_close(last.x[1], 0.6 + rate, 1e-7);
    near_close(last.tau[0], 2 * (2 + 156.25 * e) + 50 * z + 4 * rate, 1e-6);
}

/* The load moves along x = sin t at a height: the trolley is where the rope points, s = x + H
   x''/g, and F = M s'' + m x''. */
static void crane_moves_its_load(void **state)
{
    (void)state;
    const last_row last = drive_well(
        "local s, l, x, y = position('s', 'l', 'x', 'y')\n"
        "kinetic(10/2*velocity(s)^2 + 0.1/2*velocity(l)^2 + 50*(velocity(x)^2 + velocity(y)^2))\n"
        "potential(981*y)\n"
        "constraint('rope', (x - s)^2 + y^2 - l^2)\n"
        "force(velocity(s), input('F', 0)) force(velocity(l), input('N', 0))\n"
        "motion(x, sin(time)) motion(y, -4)\n"
        "guess{ s = 0, l = 4, x = 0, y = -4 }\n"
        "simulate{ to = 0.9 }\n");
    const double x = sin(0.9), factor = 1 - 4 / 9.81;
    /* x = [rope, motions | v | s l x y] */
    near_close(last.x[7], factor * x, 1e-11);
    near_close(last.x[8], hypot(4, x * 4 / 9.81), 1e-11);
    near_close(last.tau[0], -10 * factor * x - 100 * x, 1e-8);
    near_close(last.x[0], 981.0 / 8, 1e-9); /* 2 lambda H = m g */
}

/* r = 2 x'', u = r + r'/5. */
static void input_of_a_dynamic_variable(void **state)
{
    (void)state;
    const last_row last =
        drive_well("local x = position('x') kinetic(velocity(x)^2)\n"
                   "local r = dynamic('r', function(r) return 5*(input('u', 0) - r) end)\n"
                   "force(x, r) motion(x, time^3) simulate{ to = 2 }\n");
    near_close(last.tau[0], 24 + 12 / 5.0, 1e-10);
}

static void input_that_is_not_proportional(void **state)
{
    (void)state;
    const last_row last = drive_well("local x = position('x') local u = input('u', 1)\n"
                                     "kinetic(velocity(x)^2) force(x, u + u^3)\n"
                                     "motion(x, 5/2*time^2) simulate{ to = 2 }\n");
    near_close(last.tau[0], 2, 1e-12); /* u + u^3 = 2 x'' = 10 */
}

/* Two masses with a spring, driven by u^2 - 9: b = 0.3 sin 2t needs a = 0.7 b, and u^2 = 9 - 4 a +
   40 (a - b); also from u = 0, where u^2 has no slope. */
static void square_of_an_input(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "local a, b = position('a', 'b')\nlocal v = velocity\n"
                 "kinetic(v(a)^2/2 + 3*v(b)^2/2) potential(40/2*(a - b)^2)\n"
                 "force(a, input('u', %d)^2 - 9)\n"
                 "motion(b, 0.3*sin(2*time)) simulate{ to = 2, every = 0.5 }\n",
                 i);
        const last_row last = drive_well(text);
        const double b = 0.3 * sin(4), a = 0.7 * b;
        near_close(last.tau[0], sqrt(9 - 4 * a + 40 * (a - b)), 1e-7);
    }
}

/* An inverted pendulum on mass 2 is left open: l'' = 9.81 l - 0.25 l'; so is -k/d of the damper. */
static void growing_motion_is_refused(void **state)
{
    (void)state;
    assert_refused("local a, b, th = position('x1', 'x2', 'th')\n"
                   "local va, vb, w = velocity(a), velocity(b), velocity(th)\n"
                   "kinetic(va^2 + vb^2/2 + 0.1*(vb^2 + 2*vb*w*cos(th) + w^2))\n"
                   "potential(25*(a - b)^2 + 0.2*9.81*cos(th))\n"
                   "force(a, input('F', 0) - 2*(va - vb)) force(b, 2*(va - vb))\n"
                   "force(th, -0.05*w)\n"
                   "motion(b, 0.3*sin(time)^5) simulate{ to = 4 }\n",
                   DFL_SINGULAR, "eigenvalues -25, -3.25959, 3.00959");
}

/* The load of a rope of constant length: the trolley acts on its x directly, but for the hanging
   rope. */
static void change_of_degree_is_refused(void **state)
{
    (void)state;
    assert_refused("local s, x, y = position('s', 'x', 'y')\n"
                   "kinetic(5*velocity(s)^2 + 50*(velocity(x)^2 + velocity(y)^2))\n"
                   "potential(981*y) constraint('rope', (x - s)^2 + y^2 - 16)\n"
                   "force(velocity(s), input('F', 0))\n"
                   "motion(x, time^5*(2 - time)^5) guess{ s = 0, x = 0, y = -4 }\n"
                   "simulate{ to = 2 }\n",
                   DFL_INCONSISTENT, "other derivatives");
}

/* Two inputs where one would do: the shorter ones, u = b s/|b|^2 for b u = s. */
static void spare_inputs_are_short(void **state)
{
    (void)state;
    const last_row last =
        drive_well("local a, b = position('x1', 'x2')\n"
                   "kinetic(velocity(a)^2 + velocity(b)^2/2) potential(25*(a - b)^2)\n"
                   "force(a, input('F', 7) + (2 + a)*input('G', 1))\n"
                   "motion(b, sin(3*time)) simulate{ to = 0.7 }\n");
    const double x2 = sin(2.1), x1 = (1 - 9.0 / 50) * x2, needed = -2 * 9 * x1 + 50 * (x1 - x2);
    near_close(last.x[3], x1, 1e-12);
    near_close(last.tau[0], needed / (1 + (2 + x1) * (2 + x1)), 1e-9);
    near_close(last.tau[1], needed * (2 + x1) / (1 + (2 + x1) * (2 + x1)), 1e-9);
}

/* The second of three masses is driven by G, which the third one follows; F is not needed, and the
   first mass follows as it would under the motion of the second, x2 = sin 2t: x1'' + x1' + 50 (x1 -
   x2) = 0. */
static void input_that_is_not_needed_rests(void **state)
{
    (void)state;
    const last_row last =
        drive_well("local a, b, c = position('x1', 'x2', 'x3')\n"
                   "kinetic((velocity(a)^2 + velocity(b)^2 + velocity(c)^2)/2)\n"
                   "potential(25*(a - b)^2 + 30*(b - c)^2)\n"
                   "force(a, input('F', 0) - velocity(a)) force(b, input('G', 0))\n"
                   "guess{ x1 = -0.0186, ['der(x1)'] = 2.1654 }\n"
                   "motion(c, 60/56*sin(2*time)) simulate{ to = 0.9, rtol = 1e-10 }\n");
    /* x = [lambda | v | x1 x2 x3]; x3'' + 60 (x3 - x2) = 0 */
    const double x2 = sin(1.8), x3 = 60 / 56.0 * x2;
    near_close(last.x[5], x2, 1e-10);
    near_close(last.tau[0], 0, 1e-12);
    near_close(last.tau[1], -4 * x2 + 50 * (x2 - last.x[4]) + 60 * (x2 - x3), 1e-9);
    /* x1 = p sin 2t + q cos 2t + exp(-t/2) (c cos wt + d sin wt), 46 p - 2 q = 50, 46 q + 2 p = 0
     */
    const double p = 50 * 46 / (46.0 * 46 + 4), q = -50 * 2 / (46.0 * 46 + 4), w = sqrt(50 - 0.25);
    const double c = -0.0186 - q, d = (2.1654 - 2 * p + c / 2) / w, t = 0.9;
    near_close(last.x[4],
               p * sin(2 * t) + q * cos(2 * t) + exp(-t / 2) * (c * cos(w * t) + d * sin(w * t)),
               1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_masses_with_a_spring),
        cmocka_unit_test(damper_leaves_a_motion_open),
        cmocka_unit_test(crane_moves_its_load),
        cmocka_unit_test(input_of_a_dynamic_variable),
        cmocka_unit_test(input_that_is_not_proportional),
        cmocka_unit_test(square_of_an_input),
        cmocka_unit_test(growing_motion_is_refused),
        cmocka_unit_test(change_of_degree_is_refused),
        cmocka_unit_test(spare_inputs_are_short),
        cmocka_unit_test(input_that_is_not_needed_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
