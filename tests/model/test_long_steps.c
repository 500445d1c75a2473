/* Steps that no row and no end limits: a flight is a parabola, which a step of any length takes
   without an error. Impacts are found all the same, and modes as in a run whose steps end at rows.
   And steps backwards. */
#include "running.h"

#include <math.h>

/* r = 0.1, thrown from 1 m with 2 m/s and a spin of -40, restitution 0.7, friction 0.2. */
static const char *const ball =
    "local r = 0.1 local x, y, turn = position('x', 'y', 'turn')\n"
    "mass(x, 1) mass(y, 1) mass(turn, 0.4*r^2) force(y, -9.81)\n"
    "local slip = velocity(x) - r*velocity(turn)\n"
    "unilateral('floor', y - r, { restitution = 0.7, friction = 0.2, slip = slip })\n"
    "initial{ x = 0, y = 1, turn = 0, ['der(x)'] = 2, ['der(y)'] = 0, ['der(turn)'] = -40 }\n";

/* x after the impacts, each of which slows by 0.2 of its impulse, or until the ball rolls. */
static double place_of_ball(double t_end)
{
    double t = sqrt(2 * 0.9 / 9.81), fall = 9.81 * t, v = 2, slip = 6, x = v * t;
    for (int k = 0; k < 100; k++) {
        const double push = fmin(0.2 * 1.7 * fall, slip / 3.5);
        v -= push;
        slip -= 3.5 * push;
        fall *= 0.7;
        x += v * 2 * fall / 9.81;
        t += 2 * fall / 9.81;
    }
    return x + v * (t_end - t);
}

static void impacts_are_met_however_long_steps_are(void **state)
{
    (void)state;
    const char *const tolerance[] = {"rtol=1e-4", "rtol=1e-6", "rtol=1e-8"};
    for (int k = 0; k < 3; k++)
        for (int way = 0; way < 3; way++) {
            const char *const settings[] = {tolerance[k], "interpolate=true"};
            const dfl_run_options options = {.nsettings = 1 + (way == 1), .settings = settings};
            fixture f = started(ball, &options);
            for (int i = 1; way < 2 && i <= 60; i++)
                expect(&f, dfl_run_advance(f.run, 0.1 * i));
            while (way == 2 && dfl_run_time(f.run) < 6)
                expect(&f, dfl_run_step(f.run));
            const double t = dfl_run_time(f.run), x = place_of_ball(t);
            assert_near(value(&f, "x"), x, 1e-8 * fabs(x));
            assert_near(value(&f, "y"), 0.1, 1e-12);
            finished(&f);
        }
}

/* Backwards: forces that jump are passed; impacts, events that act and friction at rest end the
   run. */
static void what_cannot_be_undone_is_refused(void **state)
{
    (void)state;
    static const char *const models[] = {
        "local y = position('y') mass(y, 1) force(y, -9.81)\n"
        "unilateral('floor', y, { restitution = 0.8 }) initial{ y = 1, ['der(y)'] = 0 }\n",
        "local y = position('y') mass(y, 1) force(y, -9.81)\n"
        "event('floor', y, { direction = 'falling', set = { [velocity(y)] = -velocity(y) } })\n"
        "initial{ y = 1, ['der(y)'] = 0 }\n",
        "local x = position('x') mass(x, 1) friction('floor', x, { load = 1 })\n"
        "initial{ x = 1, ['der(x)'] = 0 }\n",
        "local x = position('x') mass(x, 1) force(x, select(time + 1, 0, 2))\n"
        "initial{ x = 0, ['der(x)'] = 1 }\n"};
    for (int k = 0; k < 4; k++) {
        fixture f = started(models[k], NULL);
        if (k < 3) {
            assert_int_equal(dfl_run_advance(f.run, -2), DFL_INVALID);
            assert_non_null(strstr(dfl_message(f.ctx), "'floor'"));
            assert_non_null(strstr(dfl_message(f.ctx), "cannot be undone"));
        } else {
            expect(&f, dfl_run_advance(f.run, -2));
            assert_near(value(&f, "x"), -1, 1e-6); /* -2 + 1 */
        }
        finished(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_are_met_however_long_steps_are),
        cmocka_unit_test(what_cannot_be_undone_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
