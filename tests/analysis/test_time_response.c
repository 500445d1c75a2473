/* Steps and impulses of inputs: closed forms, and the model itself for small and large ones. */
#include "near.h"

enum { COUNT = 41 };

/* x'' + 0.6 x' + 9 x = u: exact. */
static void oscillator_answers_in_closed_form(void **state)
{
    (void)state;
    near it = near_find("local x = position('x') kinetic(velocity(x)^2/2) potential(9/2*x^2)\n"
                        "force(x, input('u', 0) - 0.6*velocity(x)) simulate{ to = 1 }\n",
                        NULL, NULL);
    const dfl_linear_equations linear = {
        it.linear.linear.ny, 1,           it.linear.no, it.linear.linear.A,
        it.linear.linear.B,  it.linear.C, it.linear.D};
    double step[COUNT], impulse[COUNT];
    const double h = 0.25, w = sqrt(9 - 0.09);
    scripted_expect(&it.s, dfl_time_response(step, it.s.ctx, &linear, 0, false, h, COUNT));
    scripted_expect(&it.s, dfl_time_response(impulse, it.s.ctx, &linear, 0, true, h, COUNT));
    for (int i = 0; i < COUNT; i++) {
        const double t = i * h, e = exp(-0.3 * t);
        near_close(step[i], (1 - e * (cos(w * t) + 0.3 / w * sin(w * t))) / 9, 1e-14);
        near_close(impulse[i], e * sin(w * t) / w, 1e-14);
    }
    near_free(&it);
}

/* The largest difference of the load of a crane between the linear equations and the model. */
static double crane_differs(double size, bool impulse)
{
    near it = near_find("local s, x, y = position('s', 'x', 'y')\n"
                        "kinetic(velocity(s)^2 + (velocity(x)^2 + velocity(y)^2)/2)\n"
                        "potential(9.81*y) constraint('rope', (x - s)^2 + y^2 - 1)\n"
                        "force(s, input('drive', 0)) output('load', x)\n"
                        "initial{ s = 0, x = 0 } guess{ y = -1 } simulate{ to = 1 }\n",
                        NULL, NULL);
    const dfl_linear_equations linear = {
        it.linear.linear.ny, 1,           it.linear.no, it.linear.linear.A,
        it.linear.linear.B,  it.linear.C, it.linear.D};
    double straight[COUNT], model[COUNT], worst = 0;
    const dfl_kick kick = {impulse, size, 0.05, COUNT};
    scripted_expect(&it.s,
                    dfl_time_response(straight, it.s.ctx, &linear, 0, impulse, kick.every, COUNT));
    scripted_expect(&it.s,
                    dfl_study_kick(model, it.s.run, &it.linear, &it.state, &it.settings, 0, &kick));
    for (int i = 0; i < COUNT; i++)
        worst = fmax(worst, fabs(straight[i] - model[i]));
    near_free(&it);
    return worst;
}

/* Both agree for small steps; by symmetry the difference grows with the square of the size. */
static void model_leaves_its_linear_equations_with_the_square_of_the_size(void **state)
{
    (void)state;
    for (int impulse = 0; impulse < 2; impulse++) {
        const double small = crane_differs(0.05, impulse), large = crane_differs(0.1, impulse);
        assert_true(large < 1e-3);
        near_close(large / small, 4, 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillator_answers_in_closed_form),
        cmocka_unit_test(model_leaves_its_linear_equations_with_the_square_of_the_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
