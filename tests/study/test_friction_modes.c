/* Friction of several elements at an instant, and where it breaks away, against closed forms. */
#include "../scripted.h"

static const dfl_solver_options methods[] = {
    {.order = 0},
    {.integrator = DFL_EXPLICIT_PAIR},
    {.integrator = DFL_BDF},
    {.integrator = DFL_TRAPEZOIDAL},
    {.integrator = DFL_MIDPOINT},
};
enum { METHODS = 5 };

/* Local errors of order 2 add up to more: the last two. */
static double allowed(int method, double tol)
{
    return (method < 3 ? 100 : 1000) * tol;
}

static scripted run_by(const char *text, double to, double tol, const dfl_solver_options *method)
{
    dfl_solver_options options = *method;
    options.rtol = options.atol = tol;
    scripted s = scripted_text(text);
    scripted_start(&s, &options);
    scripted_advance(&s, to);
    return s;
}

/* 2 sin t against 1.5 sticking, 1 slipping: multipliers have no rates, and the state is at rest. */
static void every_method_breaks_away_in_time(void **state)
{
    (void)state;
    const double begin = asin(0.75), to = 2;
    for (int i = 0; i < METHODS; i++)
        for (double tol = 1e-6; tol > 1e-9; tol *= 0.1) {
            scripted s =
                run_by("local x = position('x') kinetic(velocity(x)^2/2) force(x, 2*sin(time))\n"
                       "friction('f', x, {load = 1, coefficient = 1, static = 1.5})\n",
                       to, tol, &methods[i]);
            assert_near(scripted_value(&s, "der(x)"), 2 * (cos(begin) - cos(to)) - (to - begin),
                        allowed(i, tol));
            scripted_free(&s);
        }
}

/* Two frictions hold one shaft, 0.95 and 3.95, against a torque t/2: at 9.8 s it turns. */
static void frictions_of_one_motion_add_up(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++)
        for (double tol = 1e-6; tol > 1e-9; tol *= 0.1) {
            scripted s = run_by("local x = position('x') kinetic(velocity(x)^2/2)\n"
                                "initial{['der(x)'] = 0} force(x, 0.5*time)\n"
                                "friction('a', x, {load = 1, coefficient = 0.95})\n"
                                "friction('b', x, {load = 1, coefficient = 3.95})\n",
                                12, tol, &methods[i]);
            assert_near(scripted_value(&s, "der(x)"), pow(12 - 9.8, 2) / 4, allowed(i, tol));
            assert_near(scripted_value(&s, "x"), pow(12 - 9.8, 3) / 12, allowed(i, tol));
            scripted_free(&s);
        }
}

/* A clutch whose disks come to the same speed while the next clutch has stuck all the time: from
   then on no force acts anywhere. */
static void clutches_in_series_lock_where_no_force_is_left(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++)
        for (double tol = 1e-4; tol > 1e-11; tol *= 0.1) {
            scripted s = run_by("local a, b, c = position('a', 'b', 'c')\n"
                                "mass(a, 1) mass(b, 1) mass(c, 1)\n"
                                "force(a, select(time - 1, 0, 10))\n"
                                "friction('first', a - b, {load = 4})\n"
                                "friction('second', b - c, {load = 3})\n",
                                3, tol, &methods[i]);
            assert_near(scripted_value(&s, "der(a)"), 10.0 / 3, allowed(i, tol));
            assert_near(scripted_value(&s, "der(c)"), 10.0 / 3, allowed(i, tol));
            scripted_free(&s);
        }
}

/* A carriage that 1.85 N hold, 0.78 N if it slips, below a block that slips to and fro with 0.86 N:
   where the block turns it cannot stick, and the carriage stays where it is. */
static void friction_that_can_stick_does(void **state)
{
    (void)state;
    for (double tol = 1e-5; tol > 1e-13; tol *= 0.1) {
        scripted s =
            run_by("local b, c = position('b', 'c')\n"
                   "kinetic(velocity(b)^2/2 + velocity(c)^2/2)\n"
                   "initial{b = 1.1} force(b, -4*b + 3*sin(2.6*time))\n"
                   "friction('f', c - b, {load = 2.46, coefficient = 0.35, static = 0.87})\n"
                   "friction('g', c, {load = 2.76, coefficient = 0.283, static = 0.67})\n",
                   20, tol, &methods[0]);
        assert_near(scripted_value(&s, "c"), 0, 0);
        assert_true(dfl_solver_statistics(s.solver).crossings > 5);
        scripted_free(&s);
    }
}

/* 1 N and 3 N hold against 2 t: both let go when all of it is needed, at 2 s, and then pull 3.2 N.
 */
static void frictions_share_by_their_limits(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++)
        for (double tol = 1e-6; tol > 1e-9; tol *= 0.1) {
            scripted s = run_by("local x = position('x') mass(x, 1) force(x, 2*time)\n"
                                "friction('a', x, {load = 1, coefficient = 0.8, static = 1})\n"
                                "friction('b', x, {load = 3, coefficient = 0.8, static = 1})\n"
                                "initial{['der(x)'] = 0}\n",
                                4, tol, &methods[i]);
            assert_near(scripted_value(&s, "der(x)"), 5.6, allowed(i, tol));
            assert_near(scripted_value(&s, "x"), 64.0 / 15, allowed(i, tol));
            scripted_free(&s);
        }
}

/* A block that creeps: 0.02 + sin 2.5 t is more than 1 for a moment in each period, and nothing
   else moves. One period: v = int F - 1 from asin(0.98) on until it is zero again. */
static void short_slips_of_a_block_at_rest_are_seen(void **state)
{
    (void)state;
    const double begin = asin(0.98) / 2.5, rate = 2.5;
    double a = 3.14159265358979323846 / rate - begin, b = 2.0;
    for (int it = 0; it < 100; it++) {
        const double m = 0.5 * (a + b);
        const double v = -0.98 * (m - begin) + (cos(rate * begin) - cos(rate * m)) / rate;
        *(v > 0 ? &a : &b) = m;
    }
    const double slip = -0.49 * (a - begin) * (a - begin) + cos(rate * begin) / rate * (a - begin) -
                        (sin(rate * a) - sin(rate * begin)) / (rate * rate);
    for (int i = 0; i < 2; i++)
        for (double tol = 1e-4; tol > 1e-11; tol *= 0.1) {
            scripted s =
                run_by("local x = position('x') mass(x, 1) force(x, 0.02 + sin(2.5*time))\n"
                       "friction('f', x, {load = 1}) initial{['der(x)'] = 0}\n",
                       50, tol, &methods[i]);
            assert_near(scripted_value(&s, "x"), 20 * slip, 1e-9 + 10 * tol * slip);
            scripted_free(&s);
        }
}

/* Friction along x^2, whose direction 2 x vanishes on the way: x'' = -2 |x| sign(v) from -1 with 2
   m/s passes 0 with sqrt(2) m/s after asinh(1)/sqrt(2) s and stops at 1, a quarter of a cycle
   later. */
static void friction_passes_where_its_direction_vanishes(void **state)
{
    (void)state;
    const double middle = asinh(1) / sqrt(2);
    for (int i = 0; i < 2; i++)
        for (double tol = 1e-4; tol > 1e-11; tol *= 0.1) {
            scripted s =
                run_by("local x = position('x') mass(x, 1) friction('f', x^2, {load = 1})\n"
                       "initial{x = -1, ['der(x)'] = 2}\n",
                       middle + 0.5, tol, &methods[i]);
            assert_near(scripted_value(&s, "x"), sin(sqrt(2) * 0.5), 100 * tol);
            assert_near(scripted_value(&s, "der(x)"), sqrt(2) * cos(sqrt(2) * 0.5), 100 * tol);
            scripted_advance(&s, 10);
            assert_near(scripted_value(&s, "x"), 1, 100 * tol);
            assert_near(scripted_value(&s, "der(x)"), 0, tol);
            assert_int_equal(dfl_solver_statistics(s.solver).crossings, 2);
            scripted_free(&s);
        }
}

/* A box 0.6 x 1 falls on an edge and rocks from edge to edge, faster and faster, until it stands;
   each impact of one edge lifts the other one. The same for all methods, and where it ends at loose
   tolerances as at tight ones. */
static void a_box_that_rocks_comes_to_rest(void **state)
{
    (void)state;
    static const double end[] = {-0.0297260661, 0.0007535566, 0.0310125659,
                                 0.0608648398,  0.0915077570, 0.1769166923};
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < METHODS; i++)
            for (double tol = 1e-5; tol > 1e-8; tol *= 0.01) {
                char text[1000];
                snprintf(text, sizeof text,
                         "local x, y, p = position('x', 'y', 'p') mass(x, 1) mass(y, 1)\n"
                         "mass(p, 0.1133) force(y, -9.81) for s = -1, 1, 2 do\n"
                         "unilateral('c'..(s + 2), y + s*0.3*sin(p) - 0.5*cos(p),\n"
                         "  {friction = %g, restitution = %g, slip = velocity(x)\n"
                         "   + (0.5*cos(p) - s*0.3*sin(p))*velocity(p)}) end\n"
                         "initial{x = 0, y = 0.7, p = %g, ['der(x)'] = %g, ['der(y)'] = 0,\n"
                         "  ['der(p)'] = 0}\n",
                         0.6 - 0.05 * k, 0.06 * k, 0.02 + 0.02 * k, 0.1 * k - 0.2);
                scripted s = run_by(text, 2, tol, &methods[i]);
                assert_near(scripted_value(&s, "y"), 0.5, 10 * tol);
                assert_near(scripted_value(&s, "p"), 0, 10 * tol);
                assert_near(scripted_value(&s, "der(x)"), 0, tol);
                assert_near(scripted_value(&s, "der(p)"), 0, tol);
                assert_near(scripted_value(&s, "x"), end[k], 0.1 * sqrt(tol));
                assert_true(dfl_solver_statistics(s.solver).crossings < 60);
                scripted_free(&s);
            }
}

/* A wall beside the friction holds all that presses against it: friction of 1 N lets go where
   -3 cos t pulls with 1 N, not where half of the force is more. */
static void a_wall_holds_what_friction_need_not(void **state)
{
    (void)state;
    const double begin = acos(-1.0 / 3), to = 2.5;
    for (double tol = 1e-4; tol > 1e-11; tol *= 1e-2) {
        scripted s = scripted_text("local x = position('x') mass(x, 1) force(x, -3*cos(time))\n"
                                   "friction('pad', x, {load = 1}) unilateral('wall', x)\n");
        scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol});
        scripted_advance(&s, to);
        const double after = to - begin;
        assert_near(scripted_value(&s, "x"),
                    3 * (cos(to) - cos(begin)) + 3 * sin(begin) * after - after * after / 2,
                    100 * tol);
        assert_true(dfl_solver_statistics(s.solver).modes <= 4);
        scripted_free(&s);
    }
}

/* A sin t against 1: v = A (cos t1 - cos t) - (t - t1) from t1 = asin(1/A) until it is zero again.
 */
static double end_of_slip(double A, double begin)
{
    double low = acos(-1) - begin, high = low + 1.5;
    for (int i = 0; i < 100; i++) {
        const double t = (low + high) / 2;
        *(A * (cos(begin) - cos(t)) - (t - begin) > 0 ? &low : &high) = t;
    }
    return low;
}

/* Methods of low order, which err by far more than tol: not more than on the same motion without
   friction. */
static void a_slip_is_as_accurate_as_smooth_motion(void **state)
{
    (void)state;
    static const double forces[] = {1.01, 1.1, 1.5};
    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 3; k++)
            for (double tol = 1e-4; tol > 1e-9; tol *= 0.01) {
                const double A = forces[k], begin = asin(1 / A), end = end_of_slip(A, begin);
                const double way = A * (cos(begin) * (end - begin) - sin(end) + sin(begin)) -
                                   (end - begin) * (end - begin) / 2;
                char slips[400], smooth[400];
                snprintf(slips, sizeof slips,
                         "local x = position('x') mass(x, 1) initial{x = 0, ['der(x)'] = 0}\n"
                         "force(x, %.17g*sin(time)) friction('f', x, {load = 1})\n",
                         A);
                snprintf(smooth, sizeof smooth,
                         "local x = position('x') mass(x, 1) initial{x = 0, ['der(x)'] = 0}\n"
                         "force(x, %.17g*sin(time + %.17g) - 1)\n",
                         A, begin);
                scripted a = run_by(slips, end + 0.01, tol, &methods[i]);
                scripted b = run_by(smooth, end - begin, tol, &methods[i]);
                const double usual = fabs(scripted_value(&b, "x") - way);
                assert_near(scripted_value(&a, "x"), way, 1.5 * usual + 2 * tol);
                scripted_free(&a);
                scripted_free(&b);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_breaks_away_in_time),
        cmocka_unit_test(frictions_of_one_motion_add_up),
        cmocka_unit_test(clutches_in_series_lock_where_no_force_is_left),
        cmocka_unit_test(friction_that_can_stick_does),
        cmocka_unit_test(frictions_share_by_their_limits),
        cmocka_unit_test(short_slips_of_a_block_at_rest_are_seen),
        cmocka_unit_test(a_slip_is_as_accurate_as_smooth_motion),
        cmocka_unit_test(friction_passes_where_its_direction_vanishes),
        cmocka_unit_test(a_box_that_rocks_comes_to_rest),
        cmocka_unit_test(a_wall_holds_what_friction_need_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
