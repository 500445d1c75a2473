/* Functions that tolerances may change by more than they can do: sin(k x) with k times ten
   tolerances of x larger than pi is never far below zero, yet crosses. */
#include "../scripted.h"

static const double pi = 3.14159265358979323846;

/* Force 1 where sin(k x) > 0, else -1, from x = 0 with speed 1: every half wave takes the time tau,
   and speeds alternate. */
static void assert_ripples(double k, double tol, const dfl_solver_options *options)
{
    char text[200];
    const double to = 10, fast = sqrt(1 + 2 * pi / k), tau = fast - 1;
    const double passed = floor(to / tau), rest = to - passed * tau;
    const bool up = fmod(passed, 2) == 0;
    const double v = up ? 1 + rest : fast - rest;
    snprintf(text, sizeof text,
             "local x = position('x') kinetic(velocity(x)^2/2) initial{['der(x)'] = 1}\n"
             "force(x, select(sin(%g*x), 1, -1))\n",
             k);
    scripted s = scripted_text(text);
    dfl_solver_options all = options ? *options : (dfl_solver_options){0};
    all.rtol = all.atol = tol;
    scripted_start(&s, &all);
    scripted_advance(&s, to);
    assert_int_equal(dfl_solver_statistics(s.solver).crossings, (int)passed);
    /* steps end where the force changes: between, parabolas are exact */
    const double error = all.integrator == DFL_BDF ? 100 * tol : 1e-9;
    assert_near(scripted_value(&s, "der(x)"), v, error);
    assert_near(scripted_value(&s, "x"),
                passed * pi / k + rest * (up ? 1 + rest / 2 : fast - rest / 2), 10 * error);
    scripted_free(&s);
}

static void ripples_below_the_tolerance_are_seen(void **state)
{
    (void)state;
    static const double waves[] = {3, 7, 40, 200};
    for (int i = 0; i < 4; i++)
        for (double tol = 1e-1; tol > 1e-7; tol *= 0.1)
            assert_ripples(waves[i], tol, NULL);
}

static void every_method_sees_ripples(void **state)
{
    (void)state;
    static const dfl_solver_options methods[] = {
        {.order = 5},
        {.order = 13},
        {.integrator = DFL_TRAPEZOIDAL},
        {.integrator = DFL_EXPLICIT_PAIR},
        {.integrator = DFL_BDF},
    };
    for (int i = 0; i < 5; i++)
        for (double tol = 1e-3; tol > 1e-6; tol *= 0.1)
            assert_ripples(40, tol, &methods[i]);
}

/* All zeros of sin(50 x) up to x = 10. */
static void events_below_the_tolerance_are_met(void **state)
{
    (void)state;
    for (double tol = 1e-1; tol > 1e-7; tol *= 0.1) {
        scripted s = scripted_text(
            "local x = position('x') kinetic(velocity(x)^2/2) initial{['der(x)'] = 1}\n"
            "local n = discrete('n', 0) event('zero', sin(50*x), {set = {[n] = n + 1}})\n");
        scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol});
        scripted_advance(&s, 10);
        assert_int_equal(dfl_solver_statistics(s.solver).crossings, 159);
        scripted_free(&s);
    }
}

/* b and c reach zero 28 ms after y, less than ten tolerances away by then, and turn back there. */
static void slow_bodies_turn_at_their_own_time(void **state)
{
    (void)state;
    static const dfl_solver_options methods[] = {
        {.order = 5}, {.order = 13}, {.integrator = DFL_TRAPEZOIDAL}, {.integrator = DFL_BDF}};
    for (int i = 0; i < 4; i++)
        for (double tol = 1e-4; tol > 1e-7; tol *= 0.1) {
            dfl_solver_options options = methods[i];
            options.rtol = options.atol = tol;
            scripted s = scripted_text(
                "local y, b, c = position('y', 'b', 'c') mass(y, 1) mass(b, 1) mass(c, 1)\n"
                "force(y, -9.81) unilateral('floor', y, {restitution = 0.8})\n"
                "unilateral('wall', b, {restitution = 1})\n"
                "event('turn', c, {direction = 'falling', set = {[velocity(c)] = -velocity(c)}})\n"
                "initial{y = 1, b = 0.0048, c = 0.0048}\n"
                "initial{['der(b)'] = -0.01, ['der(c)'] = -0.01}\n");
            scripted_start(&s, &options);
            scripted_advance(&s, 1);
            assert_near(scripted_value(&s, "b"), 0.0052, 1e-2 * tol);
            assert_near(scripted_value(&s, "c"), 0.0052, 1e-2 * tol);
            scripted_free(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ripples_below_the_tolerance_are_seen),
        cmocka_unit_test(every_method_sees_ripples),
        cmocka_unit_test(events_below_the_tolerance_are_met),
        cmocka_unit_test(slow_bodies_turn_at_their_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
