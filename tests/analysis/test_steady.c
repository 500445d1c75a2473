/* Steady motions whose speeds are sought, or follow constraints, against closed forms. */
#include "near.h"

/* Linear tyres, the speed kept by a drive: r = u delta/(L + K u^2), K = m (b Cr - a Cf)/(L Cf Cr),
   and b - a m u^2/(Cr L) times r/u is the sideslip v/u at the centre of mass. */
#define CAR(Cr)                                                                                    \
    "local X, Y, psi = position('X', 'Y', 'psi')\n"                                                \
    "local u, v, r = speed('u', 'v', 'r')\n"                                                       \
    "kinematics(X, u*cos(psi) - v*sin(psi))\n"                                                     \
    "kinematics(Y, u*sin(psi) + v*cos(psi))\n"                                                     \
    "kinematics(psi, r)\n"                                                                         \
    "local m, J, a, b, Cf, Cr = 1500, 2500, 1.2, 1.4, 80000, " Cr "\n"                             \
    "local front = Cf*(0.02 - (v + a*r)/u)\n"                                                      \
    "local rear = -Cr*(v - b*r)/u\n"                                                               \
    "mass(u, m) mass(v, m) mass(r, J)\n"                                                           \
    "force(u, m*v*r) force(v, -m*u*r + front + rear) force(r, a*front - b*rear)\n"                 \
    "nonholonomic('cruise', u - 20)\n"                                                             \
    "initial{ u = 20 }\n"                                                                          \
    "simulate{ to = 3 }\n"

static void turning_vehicle(void **state)
{
    (void)state;
    const double m = 1500, a = 1.2, b = 1.4, L = 2.6, C = 80000, u = 20;
    const double K = m * (b - a) / (L * C), r = u * 0.02 / (L + K * u * u);
    near it = near_find(CAR("80000"), NULL, "u");
    assert_int_equal(it.linear.linear.kind, DFL_AT_STEADY_MOTION);
    near_close(near_value(&it, "r"), r, 1e-12);
    near_close(near_value(&it, "v"), r * (b - a * m * u * u / (C * L)), 1e-11);
    assert_string_equal(dfl_study_stability(&it.linear, &it.modes), "stable");
    assert_int_equal(it.linear.linear.cyclic, 3);
    near_free(&it);
}

/* Oversteering above its critical speed, u^2 = -L/K. */
static void oversteering_vehicle_is_unstable_above_its_critical_speed(void **state)
{
    (void)state;
    near slow = near_find(CAR("62000"), NULL, "u"), fast = near_find(CAR("40000"), NULL, "u");
    const double slow_K = 1500 * (1.4 * 62000 - 1.2 * 80000) / (2.6 * 80000 * 62000);
    const double fast_K = 1500 * (1.4 * 40000 - 1.2 * 80000) / (2.6 * 80000 * 40000);
    assert_true(-2.6 / slow_K > 400 && -2.6 / fast_K < 400);
    assert_string_equal(dfl_study_stability(&slow.linear, &slow.modes), "stable");
    assert_string_equal(dfl_study_stability(&fast.linear, &fast.modes), "unstable");
    near_free(&slow);
    near_free(&fast);
}

/* A disk with the place of its contact, whose velocity turns along: m = 2, R = 0.4. */
#define DISK(spin, yaw)                                                                            \
    "local x, y, psi, th, ph = position('x', 'y', 'psi', 'th', 'ph')\n"                            \
    "local v, m, R = velocity, 2, 0.4\n"                                                           \
    "local A, C = m*R^2/4, m*R^2/2\n"                                                              \
    "local cx = v(x) - R*cos(th)*v(th)*sin(psi) - R*sin(th)*v(psi)*cos(psi)\n"                     \
    "local cy = v(y) + R*cos(th)*v(th)*cos(psi) - R*sin(th)*v(psi)*sin(psi)\n"                     \
    "kinetic(m/2*(cx^2 + cy^2 + R^2*sin(th)^2*v(th)^2) + A/2*(v(th)^2 + v(psi)^2*cos(th)^2)\n"     \
    "  + C/2*(v(ph) - v(psi)*sin(th))^2)\n"                                                        \
    "potential(m*9.81*R*cos(th))\n"                                                                \
    "nonholonomic('rx', v(x) - R*v(ph)*cos(psi))\n"                                                \
    "nonholonomic('ry', v(y) - R*v(ph)*sin(psi))\n"                                                \
    "initial{ psi = 0, [v(ph)] = " spin ", [v(psi)] = " yaw " }\n"                                 \
    "simulate{ to = 1 }\n"

/* m g R tan th = (C + m R^2) yaw (spin - yaw sin th) + A yaw^2 sin th */
static void disk_rolls_in_a_circle(void **state)
{
    (void)state;
    near it = near_find(DISK("10", "1"), NULL, "ph,psi");
    const double th = near_value(&it, "th");
    assert_int_equal(it.linear.linear.kind, DFL_AT_STEADY_MOTION);
    near_close(2 * 9.81 * 0.4 * tan(th), 0.48 * (10 - sin(th)) + 0.08 * sin(th), 1e-9);
    assert_true(th > 0.5);
    assert_int_equal(it.modes.unstable, 0);
    near_free(&it);
}

/* Straight on: stable above spin^2 = g/(3 R). */
static void disk_rolls_straight_above_its_critical_speed(void **state)
{
    (void)state;
    near slow = near_find(DISK("2.85", "0"), NULL, NULL);
    near fast = near_find(DISK("2.87", "0"), NULL, NULL);
    assert_true(2.85 < sqrt(9.81 / 1.2) && 2.87 > sqrt(9.81 / 1.2));
    assert_int_equal(slow.linear.linear.kind, DFL_AT_STEADY_MOTION);
    assert_int_equal(slow.modes.unstable, 1);
    assert_int_equal(fast.linear.linear.kind, DFL_AT_STEADY_MOTION);
    assert_int_equal(fast.modes.unstable, 0);
    near_free(&slow);
    near_free(&fast);
}

/* A pendulum on a shaft that a constraint turns: cos q = g/w^2, its frequency is w sin q. */
static void constraints_of_time_drive_a_steady_motion(void **state)
{
    (void)state;
    near it = near_find("local p, q = position('p', 'q')\n"
                        "local v = velocity\n"
                        "kinetic((v(q)^2 + sin(q)^2*v(p)^2)/2 + 0.1*v(p)^2)\n"
                        "potential(-9.81*cos(q))\n"
                        "constraint('drive', p - 4*time)\n"
                        "guess{ q = 0.8 }\n"
                        "simulate{ to = 1 }\n",
                        NULL, "p");
    const double q = near_value(&it, "q");
    assert_int_equal(it.linear.linear.kind, DFL_AT_STEADY_MOTION);
    near_close(cos(q), 9.81 / 16, 1e-10);
    near_has(&it, 0, 4 * sin(q), 1e-9);
    assert_string_equal(dfl_study_stability(&it.linear, &it.modes), "stable");
    near_free(&it);
}

/* The same shaft, its drive faster and faster, is no steady motion. */
static void a_drive_that_accelerates_is_none(void **state)
{
    (void)state;
    near it = near_find("local p, q = position('p', 'q')\n"
                        "local v = velocity\n"
                        "kinetic((v(q)^2 + sin(q)^2*v(p)^2)/2 + 0.1*v(p)^2)\n"
                        "potential(-9.81*cos(q))\n"
                        "constraint('drive', p - 4*time - time^3)\n"
                        "guess{ q = 0 }\n"
                        "simulate{ to = 1 }\n",
                        NULL, "p");
    assert_int_equal(it.linear.linear.kind, DFL_AT_FROZEN);
    assert_true(it.linear.linear.changing);
    near_free(&it);
}

/* Chaplygin's sleigh, its mass in front of the blade by a: disturbances decay with m a u/(J + m
   a^2). */
static void sleigh_runs_straight(void **state)
{
    (void)state;
    near it = near_find("local x, y, h = position('x', 'y', 'h')\n"
                        "local v, a = velocity, 0.3\n"
                        "local cx, cy = v(x) - a*sin(h)*v(h), v(y) + a*cos(h)*v(h)\n"
                        "kinetic((cx^2 + cy^2) + 0.5/2*v(h)^2)\n"
                        "nonholonomic('blade', v(y)*cos(h) - v(x)*sin(h))\n"
                        "initial{ x = 0, y = 0, h = 0, [v(x)] = 2, [v(h)] = 0 }\n"
                        "simulate{ to = 1 }\n",
                        NULL, "x");
    assert_int_equal(it.linear.linear.kind, DFL_AT_STEADY_MOTION);
    near_has(&it, -2 * 0.3 * 2 / (0.5 + 2 * 0.09), 0, 1e-10);
    assert_string_equal(dfl_study_stability(&it.linear, &it.modes),
                        "indifferent"); /* other speeds */
    near_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turning_vehicle),
        cmocka_unit_test(oversteering_vehicle_is_unstable_above_its_critical_speed),
        cmocka_unit_test(disk_rolls_in_a_circle),
        cmocka_unit_test(disk_rolls_straight_above_its_critical_speed),
        cmocka_unit_test(constraints_of_time_drive_a_steady_motion),
        cmocka_unit_test(a_drive_that_accelerates_is_none),
        cmocka_unit_test(sleigh_runs_straight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
