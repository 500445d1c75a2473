/* State feedback by names: at steady motions, and with weights of what contains inputs. */
#include "near.h"

static dfl_feedback feedback_of(near *it, const char *weights)
{
    dfl_feedback found;
    scripted_expect(&it->s, dfl_study_feedback(&found, &it->linear, it->s.run, weights, NULL));
    return found;
}

/* x'' = u with q x''^2 + u^2: that is x'' = u with (1 + q) u^2, so that x=w needs sqrt(w/(1 + q)),
   and 2 sqrt(k) behind it. */
static void weights_of_accelerations_count_the_input(void **state)
{
    (void)state;
    near it = near_find("local x = position('x')\nkinetic(velocity(x)^2/2)\n"
                        "force(x, input('u', 0))\noutput('a', acceleration(x))\nsimulate{ to = 1 }",
                        NULL, NULL);
    dfl_feedback plain = feedback_of(&it, "x=4"), found = feedback_of(&it, "x=4,a=3");
    near_close(plain.K[0], 2, 1e-12);
    near_close(found.K[0], 1, 1e-12);
    near_close(found.K[1], sqrt(2), 1e-12);
    dfl_feedback_clear(&plain);
    dfl_feedback_clear(&found);
    near_free(&it);
}

/* x' = -x + u (by a dynamic variable) with (x + u)^2 + u^2: s = P of P^2/2 + 3 P - 1/2 = 0, K = (P
   + 1)/2. */
static void products_of_states_and_inputs_are_kept(void **state)
{
    (void)state;
    near it = near_find("local u = input('u', 0)\n"
                        "local x = dynamic('x', function(x) return -x + u end)\n"
                        "output('y', x + u)\nsimulate{ to = 1 }",
                        NULL, NULL);
    dfl_feedback found = feedback_of(&it, "y=1");
    near_close(found.K[0], (sqrt(10) - 3 + 1) / 2, 1e-12);
    near_close(found.poles.mode[0].re, -1 - (sqrt(10) - 2) / 2, 1e-12);
    dfl_feedback_clear(&found);
    near_free(&it);
}

#define VEHICLE(delta)                                                                             \
    "local X, Y, psi = position('X', 'Y', 'psi')\n"                                                \
    "local u, v, r = speed('u', 'v', 'r')\n"                                                       \
    "kinematics(X, u*cos(psi) - v*sin(psi))\n"                                                     \
    "kinematics(Y, u*sin(psi) + v*cos(psi))\n"                                                     \
    "kinematics(psi, r)\n"                                                                         \
    "local m, J, a, b, Cf, Cr = 1500, 2500, 1.2, 1.4, 80000, 40000\n"                              \
    "local front = Cf*(input('delta', " delta ") - (v + a*r)/u)\n"                                 \
    "local rear = -Cr*(v - b*r)/u\n"                                                               \
    "mass(u, m) mass(v, m) mass(r, J)\n"                                                           \
    "force(u, m*v*r) force(v, -m*u*r + front + rear) force(r, a*front - b*rear)\n"                 \
    "nonholonomic('cruise', u - 20)\n"                                                             \
    "initial{ u = 20 }\nsimulate{ to = 3 }\n"

/* An oversteering vehicle above its critical speed: A and B of v and r have closed forms, and the
   closed loop has the poles of Riccati's equation: those of the Hamiltonian matrix in the left
   half, by its polynomial. */
static void turning_vehicle_is_stabilized_without_its_place(void **state)
{
    (void)state;
    near it = near_find(VEHICLE("0.02"), NULL, "u");
    dfl_feedback found = feedback_of(&it, "r=1");
    const double m = 1500, J = 2500, a = 1.2, b = 1.4, f = 80000, c = 40000, u = 20;
    const double A[4] = {-(f + c) / (m * u), -(a * f - b * c) / (J * u),
                         -u - (a * f - b * c) / (m * u), -(a * a * f + b * b * c) / (J * u)};
    const double B[2] = {f / m, a * f / J};
    int used = 0;
    assert_int_equal(it.modes.unstable, 1);
    assert_int_equal(found.poles.count, 2);
    assert_int_equal(found.poles.unstable, 0);
    double K[2];
    for (int i = 0; i < 5; i++)
        if (found.left[i])
            near_close(found.K[i], 0, 0);
        else
            K[used++] = found.K[i];
    assert_int_equal(used, 2);
    /* det(s - A) det(-s - A) + |n(s)|^2 for the zero polynomial n of r, at the poles of the closed
       loop */
    const double trace = A[0] + A[3], det = A[0] * A[3] - A[1] * A[2];
    const double n0 = A[1] * B[0] - A[0] * B[1], n1 = B[1];
    const double sum = -(trace - B[0] * K[0] - B[1] * K[1]);
    const double product =
        (A[0] - B[0] * K[0]) * (A[3] - B[1] * K[1]) - (A[1] - B[1] * K[0]) * (A[2] - B[0] * K[1]);
    near_close(product, sqrt(det * det + n0 * n0), 1e-8 * product);
    near_close(sum * sum - 2 * product, trace * trace - 2 * det + n1 * n1, 1e-8 * sum * sum);
    dfl_feedback refused;
    assert_int_equal(dfl_study_feedback(&refused, &it.linear, it.s.run, "psi=1", NULL),
                     DFL_INVALID);
    assert_non_null(strstr(dfl_message(it.s.ctx), "psi changes along"));
    dfl_feedback_clear(&refused);
    dfl_feedback_clear(&found);
    near_free(&it);
}

/* Straight on, the lane is held by Y and psi, which rest; only X is left out. */
static void lane_is_held_straight_on(void **state)
{
    (void)state;
    near it = near_find(VEHICLE("0"), NULL, "u");
    dfl_feedback found = feedback_of(&it, "Y=1,psi=1");
    assert_int_equal(found.poles.count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(found.poles.mode[i].re < -1e-3);
    for (int i = 0; i < 5; i++)
        assert_int_equal(found.left[i], !strcmp(it.linear.states[i], "X"));
    dfl_feedback_clear(&found);
    near_free(&it);
}

/* A shaft that turns, with a pendulum on it: J W' = u holds the speed, K = sqrt(q). */
static void spinning_shaft_holds_its_speed(void **state)
{
    (void)state;
    near it = near_find("local p = position('p')\nkinetic(0.5*velocity(p)^2/2)\n"
                        "force(p, input('torque', 0))\ninitial{ [velocity(p)] = 30 }\n"
                        "simulate{ to = 1 }",
                        NULL, "p");
    dfl_feedback found = feedback_of(&it, "der(p)=4");
    assert_int_equal(found.poles.count, 1);
    near_close(found.K[1], 2, 1e-12);
    near_close(found.poles.mode[0].re, -4, 1e-12);
    dfl_feedback_clear(&found);
    near_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_of_accelerations_count_the_input),
        cmocka_unit_test(products_of_states_and_inputs_are_kept),
        cmocka_unit_test(turning_vehicle_is_stabilized_without_its_place),
        cmocka_unit_test(lane_is_held_straight_on),
        cmocka_unit_test(spinning_shaft_holds_its_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
