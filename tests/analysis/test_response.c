/* Frequency responses and feedback against closed forms and numbers computed apart from this
   program. */
#include "models.h"
#include "near.h"

static dfl_linear_equations equations_of(const near *it)
{
    const dfl_linearized *at = &it->linear.linear;
    return (dfl_linear_equations){at->ny, at->nu,       it->linear.no, at->A,
                                  at->B,  it->linear.C, it->linear.D};
}

/* Outputs slider, crank; inputs F, T: entries (0, 0) and (0, 1). */
static void slider_crank_answers_forces_and_torques(void **state)
{
    (void)state;
    static const double omega[3] = {0, 10, 20};
    static const double force[3][2] = {
        {.0158877244, 0}, {.0309548164, -.0049116235}, {-.0155350039, -.0024745999}};
    static const double torque[3][2] = {
        {.0970778077, 0}, {.1891413546, -.0300111981}, {-.0949226008, -.0151203991}};
    double re[12], im[12];
    int poles;
    near it = near_find(slider_crank, "equilibrium", NULL);
    const dfl_linear_equations linear = equations_of(&it);
    scripted_expect(&it.s, dfl_frequency_response(re, im, &poles, it.s.ctx, &linear, omega, 3));
    assert_int_equal(poles, 0);
    for (int i = 0; i < 3; i++) {
        near_close(re[4 * i], force[i][0], 1e-10);
        near_close(im[4 * i], force[i][1], 1e-10);
        near_close(re[4 * i + 2], torque[i][0], 1e-10);
        near_close(im[4 * i + 2], torque[i][1], 1e-10);
    }
    near_free(&it);
}

/* At rest [[1/2, 1/2], [1/2, 3/2]]/g; at 2 rad/s the exact inverse; an undamped frequency has no
   response. */
static void double_pendulum_answers_as_the_exact_inverse(void **state)
{
    (void)state;
    const double omega[3] = {0, 2, sqrt(9.81 * (2 - sqrt(2)))};
    double re[12], im[12];
    int poles;
    near it = near_find(double_pendulum, NULL, NULL);
    const dfl_linear_equations linear = equations_of(&it);
    scripted_expect(&it.s, dfl_frequency_response(re, im, &poles, it.s.ctx, &linear, omega, 3));
    near_close(re[0], 0.5 / 9.81, 1e-14);
    near_close(re[3], 1.5 / 9.81, 1e-14);
    near_close(re[4], .1127888151, 1e-10);
    near_close(re[5], .1904403229, 1e-10);
    near_close(re[7], .4936694608, 1e-10);
    assert_int_equal(poles, 1);
    assert_true(isnan(re[8]));
    near_free(&it);
}

/* The load of a crane stands still at sqrt(g/L) under a force on the load: a zero of the trolley.
 */
static void crane_has_its_zero(void **state)
{
    (void)state;
    near it =
        near_find("local s, th = position('s', 'th')\n"
                  "kinetic(velocity(s)^2 + (velocity(s)^2 + 2*velocity(s)*velocity(th)*cos(th)"
                  " + velocity(th)^2)/2)\n"
                  "potential(-9.81*cos(th))\n"
                  "force(velocity(s), input('F', 0))\n",
                  NULL, NULL);
    const dfl_linear_equations linear = equations_of(&it);
    double re[8], im[8];
    int count;
    scripted_expect(&it.s, dfl_transmission_zeros(re, im, &count, it.s.ctx, &linear, 0, 0));
    assert_int_equal(count, 2);
    near_close(fabs(im[0]), sqrt(9.81), 1e-9);
    near_close(re[0], 0, 1e-9);
    near_free(&it);
}

/* x'' = u: weights 1 give the gains 1, sqrt 2 and the poles (-1 +- i)/sqrt 2. */
/* A force accelerates the crane by 1/3 and inclines the rope by 1/(3 g): poles at 0 cancel there.
   Two masses that a spring joins have an undamped pole, which their centre does not show. */
static void poles_that_cancel_leave_a_finite_response(void **state)
{
    (void)state;
    const double omega[2] = {0, 4};
    double re[8], im[8];
    int poles;
    near it = near_find("local s, th = position('s', 'th') local v, w = velocity(s), velocity(th)\n"
                        "kinetic(2/2*v^2 + 1/2*(v^2 + 2*v*w*cos(th) + w^2))\n"
                        "potential(-9.81*cos(th)) force(v, input('F', 0))\n"
                        "output('angle', th) output('rate', acceleration(s)) output('way', s)\n"
                        "simulate{ to = 1 }\n",
                        NULL, NULL);
    dfl_linear_equations linear = equations_of(&it);
    scripted_expect(&it.s, dfl_frequency_response(re, im, &poles, it.s.ctx, &linear, omega, 1));
    assert_int_equal(poles, 1);
    near_close(re[0], -1 / (3 * 9.81), 1e-12);
    near_close(re[1], 1.0 / 3, 1e-12);
    assert_true(isnan(re[2]) && isnan(im[2]));
    near_free(&it);
    it = near_find("local a, b = position('a', 'b') mass(a, 1) mass(b, 1)\n"
                   "local F = 8*(a - b) force(a, input('u', 0) - F) force(b, F)\n"
                   "output('centre', (a + b)/2) output('way', a) simulate{ to = 1 }\n",
                   NULL, NULL);
    linear = equations_of(&it);
    scripted_expect(&it.s, dfl_frequency_response(re, im, &poles, it.s.ctx, &linear, omega + 1, 1));
    near_close(re[0], -0.5 / 16, 1e-12);
    assert_true(isnan(re[1]) && poles == 1);
    near_free(&it);
}

static void feedback_of_a_free_mass_is_exact(void **state)
{
    (void)state;
    near it = near_find("local x = position('x')\n"
                        "kinetic(velocity(x)^2/2) force(velocity(x), input('F', 0))\n",
                        NULL, NULL);
    const dfl_linear_equations linear = equations_of(&it);
    double Q[4], N[2], R[1], K[2];
    const dfl_weights weights = {Q, N, R};
    scripted_expect(&it.s, dfl_study_weights(&weights, &it.linear, it.s.run, "x=1", "F=1"));
    scripted_expect(&it.s, dfl_lqr(K, it.s.ctx, &linear, Q, R));
    near_close(K[0], 1, 1e-12);
    near_close(K[1], sqrt(2), 1e-12);
    near_free(&it);
}

/* The second mass swings by itself. */
static void modes_that_no_input_reaches_are_found(void **state)
{
    (void)state;
    near it = near_find("local x, y = position('x', 'y')\n"
                        "kinetic((velocity(x)^2 + velocity(y)^2)/2) potential(y^2)\n"
                        "force(velocity(x), input('F', 0))\n",
                        NULL, NULL);
    const dfl_linear_equations linear = equations_of(&it);
    double reached[4], shown[4], Q[16], N[4], R[1], K[4];
    const dfl_weights weights = {Q, N, R};
    scripted_expect(&it.s, dfl_mode_access(reached, shown, it.s.ctx, &linear, &it.modes));
    for (int i = 0; i < 4; i++)
        assert_true(fabs(it.modes.mode[i].im) < 1 || reached[i] < 1e-12);
    scripted_expect(&it.s, dfl_study_weights(&weights, &it.linear, it.s.run, "x=1,y=1", NULL));
    assert_int_equal(dfl_lqr(K, it.s.ctx, &linear, Q, R), DFL_SINGULAR);
    near_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank_answers_forces_and_torques),
        cmocka_unit_test(double_pendulum_answers_as_the_exact_inverse),
        cmocka_unit_test(crane_has_its_zero),
        cmocka_unit_test(poles_that_cancel_leave_a_finite_response),
        cmocka_unit_test(feedback_of_a_free_mass_is_exact),
        cmocka_unit_test(modes_that_no_input_reaches_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
