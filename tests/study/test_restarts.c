/* What runs do after a switch, and where steps end early: step sizes, orders, rates. */
#include "../scripted.h"

#include <math.h>

/* A massless point x' = t - x has the speed 1 - exp(-t), which pushes y from ln 2 on: its
   acceleration follows from no force, and the time of the switch must not use one. */
static void speeds_of_massless_points_cross_on_time(void **state)
{
    static const double tolerances[] = {1e-6, 1e-8, 1e-10};
    (void)state;
    for (int i = 0; i < 3; i++) {
        const double tol = tolerances[i], rest = 2 - log(2);
        scripted s = scripted_text("local x, y = position('x', 'y') mass(x, 0) mass(y, 1)\n"
                                   "force(x, time - x - velocity(x))\n"
                                   "force(y, select(velocity(x) - 0.5, 1, 0))\n"
                                   "initial{x = 0, y = 0, [velocity(y)] = 0}\n");
        scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol});
        scripted_advance(&s, 2);
        assert_near(scripted_value(&s, "der(y)"), rest, tol);
        assert_near(scripted_value(&s, "y"), rest * rest / 2, tol);
        assert_int_equal(dfl_solver_statistics(s.solver).crossings, 1);
        assert_in_range(dfl_solver_statistics(s.solver).evaluations, 1, 200);
        scripted_free(&s);
    }
}

/* A trunk on four massless legs. With a loose tolerance one foot touches while another is that
   close to the floor and touches with it, though it is about to lift off: it goes back alone. */
static void feet_that_touched_too_early_let_go(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "planar() gravity{0, -9.81}\n"
        "local trunk = body('trunk', {mass = 20, inertia = 1.2, com = {0, 0.5}})\n"
        "local fly = free('fly', ground, trunk, {at = {0, 0.5}})\n"
        "for i, hip in ipairs{{-0.4, 0}, {-0.4, 1}, {0.4, 1}, {0.4, 0}} do\n"
        "  local x, phase = hip[1], math.pi*hip[2]\n"
        "  local leg = body('leg' .. i, {mass = 0, com = {x, 0.4}})\n"
        "  local tip = body('tip' .. i, {mass = 0, com = {x, 0}})\n"
        "  revolute('hip' .. i, trunk, leg,\n"
        "           {at = {x, 0.5}, motion = 0.2*sin(2*math.pi*time + phase)})\n"
        "  local reach = prismatic('reach' .. i, leg, tip, {at = {x, 0}, axis = {0, -1}})\n"
        "  local raised = cos(2*math.pi*time + phase)\n"
        "  force(reach.q, -8e3*(reach.q + 0.06*max(0, raised)^2) - 120*reach.qd)\n"
        "  impact('floor' .. i, ground, tip, {at = {x, 0}, plane = {0, 0}, normal = {0, 1},\n"
        "         stiffness = 4e5, friction = 0.7, speed = 0.02})\n"
        "end\n"
        "initial{[fly.q2] = 0.005}\n");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-4});
    scripted_advance(&s, 4);
    /* where tolerances of 1e-6 and 1e-8 end, too */
    assert_near(scripted_value(&s, "fly.q1"), 1.43391, 1e-4);
    scripted_free(&s);
}

/* A body rests on a stiff spring, is pulled up from 1 s on and leaves it at t0 = 1 + 9.81/20, then
   rises against a damper: v' = 20 (t - t0) - 200 v until 2 s, 10.19 - 200 v afterwards. The depth
   of the contact is far below all tolerances but the last. */
static void stiff_contacts_do_not_pull(void **state)
{
    static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8};
    const double d = 200, t0 = 1 + 9.81 / 20, s1 = 2 - t0, a = 20 / d;
    const double v1 = a * (s1 - (1 - exp(-d * s1)) / d), v_end = 10.19 / d;
    const double y1 = a * (s1 * s1 / 2 - s1 / d + (1 - exp(-d * s1)) / (d * d));
    const double y = y1 + 2 * v_end + (v1 - v_end) * (1 - exp(-2 * d)) / d;
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 2; k++) {
            const double tol = tolerances[i];
            scripted s = scripted_text(
                k == 0 ? "local y = position('y') mass(y, 1) initial{y = -9.81e-6}\n"
                         "force(y, 20*max(0, min(1, time - 1)) - 9.81 - 200*velocity(y))\n"
                         "force(y, 1e6*max(0, -y))\n"
                       : "local y = position('y') mass(y, 1) initial{y = -9.81e-6}\n"
                         "force(y, 20*max(0, min(1, time - 1)) - 9.81 - 200*velocity(y))\n"
                         "force(y, select(y, 0, -1e6*y))\n");
            scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol});
            scripted_advance(&s, 4);
            assert_near(scripted_value(&s, "y"), y, 10 * tol);
            assert_near(scripted_value(&s, "der(y)"), v_end, 10 * tol);
            assert_int_equal(dfl_solver_statistics(s.solver).crossings, 3);
            scripted_free(&s);
        }
}

/* x'' = 3 sin 2t - x between stops without rebound: it leaves the lower one, x = -1/2, where all
   forces vanish, at t0 with 3 sin 2 t0 = -1/2, and then is a cos(t - t0) + b sin(t - t0) - sin 2t.
 */
static void stops_let_go_where_forces_cancel(void **state)
{
    const double pi = 3.14159265358979323846, t0 = pi - asin(1.0 / 6) / 2, t = 3.6;
    const double a = -0.5 - 1.0 / 6, b = 2 * cos(2 * t0);
    (void)state;
    for (int i = 3; i <= 10; i++) {
        const double tol = pow(10, -i);
        scripted s = scripted_text("local x = position('x') mass(x, 1)\n"
                                   "force(x, 3*sin(2*time) - x)\n"
                                   "stop('end', x, {lower = -0.5, upper = 0.6})\n"
                                   "initial{x = 0, ['der(x)'] = 0.3}\n");
        scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol});
        scripted_advance(&s, t);
        assert_near(scripted_value(&s, "x"), a * cos(t - t0) + b * sin(t - t0) - sin(2 * t),
                    10 * tol);
        scripted_advance(&s, 9);
        assert_near(scripted_value(&s, "x"), -0.5, tol);
        scripted_free(&s);
    }
}

/* Steps that end at rows much closer than they could be: a higher order than 9 gains nothing. */
static void rows_do_not_raise_the_order(void **state)
{
    static const int orders[] = {0, 9};
    long evaluations[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        scripted s = scripted_text("local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                                   "force(y, -9.81) constraint('rod', x^2 + y^2 - 1)\n"
                                   "initial{x = 1, y = 0}\n");
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6, .order = orders[i]});
        for (int row = 1; row <= 500; row++)
            scripted_advance(&s, 0.01 * row);
        evaluations[i] = dfl_solver_statistics(s.solver).evaluations;
        scripted_free(&s);
    }
    assert_in_range(evaluations[0], 1, evaluations[1] + evaluations[1] / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(speeds_of_massless_points_cross_on_time),
                                       cmocka_unit_test(feet_that_touched_too_early_let_go),
                                       cmocka_unit_test(stiff_contacts_do_not_pull),
                                       cmocka_unit_test(stops_let_go_where_forces_cancel),
                                       cmocka_unit_test(rows_do_not_raise_the_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
