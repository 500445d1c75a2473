/* What happens at events and samples: assignments, impulses, discrete variables, rows that are
   switched on and off; against closed forms. */
#include "met_events.h"

static const double tolerances[] = {1e-6, 1e-8, 1e-10};
enum { TOLERANCES = 3 };

static scripted run_text(met *m, const char *text, double to, double tol)
{
    scripted s = met_begin(m, text, tol);
    scripted_advance(&s, to);
    return s;
}

/* Dropped from 1 m, it keeps 0.8 of its speed. */
static void a_ball_bounces(void **state)
{
    (void)state;
    static const double impacts[] = {.4515236409857309, 1.1739614665629004, 1.7519117270246359};
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        scripted s = run_text(&m,
                              "local y = position('y') mass(y, 1) force(y, -9.81)\n"
                              "local n = discrete('n', 0)\n"
                              "event('bounce', y, { direction = 'falling',\n"
                              "  set = { [velocity(y)] = -0.8*velocity(y), [n] = n + 1 } })\n"
                              "initial{ y = 1, ['der(y)'] = 0 }\n",
                              3, tolerances[i]);
        assert_int_equal(m.count, 6);
        assert_int_equal(m.jumps, 6);
        for (int k = 0; k < 3; k++)
            assert_near(m.time[k], impacts[k], 10 * tolerances[i]);
        assert_near(scripted_value(&s, "y"), .068707460965765722, 100 * tolerances[i]);
        assert_near(scripted_output(&s, "n"), 6, 0);
        scripted_free(&s);
    }
}

/* A pendulum hits a wall: x' is assigned, y' follows from the rod. */
static void constraints_answer_to_what_is_assigned(void **state)
{
    (void)state;
    static const double times[] = {.62728438683962223, 1.8769472556772476, 3.1545937535501173,
                                   4.476189090727951,  5.848932736439839,  7.2742302163318627};
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        scripted s = run_text(&m,
                              "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                              "force(y, -13.750371636040745)\n"
                              "constraint('rod', x^2 + y^2 - 1)\n"
                              "event('wall', x + 0.6, { direction = 'falling',\n"
                              "  set = { [velocity(x)] = -0.8*velocity(x) } })\n"
                              "initial{ x = 1, y = 0, ['der(x)'] = 0 }\n",
                              1, tolerances[i]);
        assert_near(scripted_value(&s, "x"), .76509047297177587, 100 * tolerances[i]);
        assert_near(scripted_value(&s, "y"), -.64392279674493921, 100 * tolerances[i]);
        scripted_advance(&s, 7.5);
        assert_int_equal(m.count, 6);
        for (int k = 0; k < 6; k++)
            assert_near(m.time[k], times[k], 100 * tolerances[i]);
        scripted_free(&s);
    }
}

/* A slider-crank whose slider is turned back: the impulse goes through the rod into the crank. */
static void the_rest_keeps_its_momentum(void **state)
{
    (void)state;
    met m;
    scripted s =
        run_text(&m,
                 "local x, y, q = position('x', 'y', 'q')\n"
                 "mass(x, 1) mass(y, 1) mass(q, 2)\n"
                 "constraint('crank', x^2 + y^2 - 1)\n"
                 "constraint('rod', (q - x)^2 + y^2 - 4)\n"
                 "event('wall', time - 1e-9, { set = { [velocity(q)] = -0.5*velocity(q) } })\n"
                 "initial{ x = 0.5, y = sqrt(3)/2, ['der(x)'] = sqrt(3), ['der(y)'] = -1 }\n"
                 "guess{ q = 2.3 }\n",
                 1e-8, 1e-10);
    assert_near(scripted_value(&s, "q"), 2.3027756377319946, 1e-7);
    assert_near(scripted_value(&s, "der(x)"), -.86602540378443865, 1e-7);
    assert_near(scripted_value(&s, "der(y)"), .5, 1e-7);
    assert_near(scripted_value(&s, "der(q)"), -1.1062176344920693, 1e-7);
    scripted_free(&s);
}

/* Two masses on a rail with full mass matrix: v1 is assigned, the momentum of x2 stays. */
static void a_full_mass_matrix_couples_what_is_assigned(void **state)
{
    (void)state;
    met m;
    scripted s = run_text(&m,
                          "local x, y = position('x', 'y') mass(x, 3) mass(x, y, 1) mass(y, 2)\n"
                          "event('kick', time - 1, { set = { [velocity(x)] = 4 } })\n"
                          "event('blow', time - 2, { impulse = { [y] = 5 } })\n"
                          "initial{ x = 0, y = 0, ['der(x)'] = 0, ['der(y)'] = 1 }\n",
                          1.5, 1e-8);
    assert_near(scripted_value(&s, "der(x)"), 4, 1e-12);
    assert_near(scripted_value(&s, "der(y)"), 1 - 0.5 * 4, 1e-12);
    scripted_advance(&s, 3); /* M^-1 (0, 5) = (-1, 3) */
    assert_near(scripted_value(&s, "der(x)"), 3, 1e-12);
    assert_near(scripted_value(&s, "der(y)"), 2, 1e-12);
    assert_int_equal(m.count, 2);
    scripted_free(&s);
}

/* x'' = u with u = -4 x - 2 x' every 0.1 s. */
static void a_sampled_controller(void **state)
{
    (void)state;
    static const struct {
        const char *sample, *force;
        double x5, v5;
    } cases[] = {
        {"period = 0.1", "force(x, u)", -.0063670792416028762, -.0024867432585392939},
        {"period = 0.1, phase = 0.03", "force(x, u)", -.0062763169465527541, -.0035640764114688442},
        {"period = 0.1", "force(x, delay('u1', u, 'control', 1))", -.0090123029327164576,
         .030200629343932923},
    };
    met m;
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "local x = position('x') mass(x, 1) local u = discrete('u', 0)\n"
                 "sample('control', { %s, set = { [u] = -4*x - 2*velocity(x) } })\n"
                 "%s initial{ x = 1, ['der(x)'] = 0 }\n",
                 cases[i].sample, cases[i].force);
        scripted s = run_text(&m, text, 5, 1e-8);
        assert_near(scripted_value(&s, "x"), cases[i].x5, 1e-13);
        assert_near(scripted_value(&s, "der(x)"), cases[i].v5, 1e-13);
        assert_int_equal(m.jumps, 0);
        assert_true(dfl_solver_statistics(s.solver).accepted < 60);
        scripted_free(&s);
    }
}

/* A sampled controller of p and d with a short filter is the difference equation. */
static void a_sampled_pid(void **state)
{
    (void)state;
    met m;
    scripted s = run_text(&m,
                          "local x = position('x') mass(x, 1)\n"
                          "local c = pid('c', { reference = 1, value = x, p = 4, i = 0.5, d = 2,\n"
                          "  filter = 0.05, limit = 3, windup = 0.4, period = 0.1 })\n"
                          "force(x, c.out) initial{ x = 0, ['der(x)'] = 0 }\n",
                          0.05, 1e-10);
    double x = 0, v = 0, sum = 0, slow = 0;
    for (int k = 0; k < 40; k++) {
        const double T = 0.1, e = 1 - x;
        sum += T * e;
        slow = (slow + T / 0.05 * e) / (1 + T / 0.05);
        const double raw = 4 * e + 0.5 * sum + 2 * (e - slow) / 0.05;
        const double u = fmax(-3, fmin(raw, 3));
        sum += T * (u - raw) / (0.5 * 0.4);
        x += v * T + u * T * T / 2;
        v += u * T;
    }
    scripted_advance(&s, 4);
    assert_near(scripted_value(&s, "x"), x, 1e-8);
    assert_near(scripted_value(&s, "der(x)"), v, 1e-8);
    scripted_free(&s);
}

/* The outer loop every 5 ms, then the inner one every 1 ms. */
static void two_rates_run_in_order(void **state)
{
    (void)state;
    met m;
    scripted s = run_text(&m,
                          "local x = position('x') mass(x, 1)\n"
                          "local u, vref = discrete('u', 0), discrete('vref', 0)\n"
                          "force(x, u - 2*velocity(x))\n"
                          "sample('outer', { period = 0.005, set = { [vref] = 10*(1 - x) } })\n"
                          "sample('inner', { period = 0.001,\n"
                          "  set = { [u] = 200*(vref - velocity(x)) } })\n"
                          "initial{ x = 0, ['der(x)'] = 0 }\n",
                          0.1, 1e-8);
    assert_near(scripted_value(&s, "x"), .63746513656415531, 1e-9);
    scripted_advance(&s, 1);
    assert_near(scripted_value(&s, "x"), .99997569320655336, 1e-9);
    assert_near(scripted_value(&s, "der(x)"), 2.6071243478827136e-4, 1e-9);
    scripted_free(&s);
}

/* x'' = -x' + u, u = -+1 beyond +-0.1. */
static void a_relay_with_a_dead_band(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        scripted s =
            run_text(&m,
                     "local x = position('x') mass(x, 1) local u = discrete('u', 1)\n"
                     "force(x, u - velocity(x))\n"
                     "event('high', x - 0.1, { direction = 'rising', set = { [u] = -1 } })\n"
                     "event('low', x + 0.1, { direction = 'falling', set = { [u] = 1 } })\n",
                     60, tolerances[i]);
        const double period = m.time[m.count - 1] - m.time[m.count - 3];
        assert_near(period, 2.8472462194612358, 100 * tolerances[i]);
        for (int k = 0; k < m.count; k++)
            assert_int_equal(m.event[k], k % 2);
        scripted_free(&s);
    }
}

/* A latch closes where two masses meet, without rebound, and opens at 3 s. */
static void a_row_is_switched_on_and_off(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i], w = 1 / sqrt(3.0), pi = 3.14159265358979323846;
        scripted s =
            run_text(&m,
                     "local x, y = position('x', 'y') mass(x, 1) mass(y, 2)\n"
                     "local on = discrete('on', 0)\n"
                     "constraint('latch', x - y, { active = on })\n"
                     "force(x, -x)\n"
                     "event('close', x - y, { direction = 'falling', set = { [on] = 1 } })\n"
                     "event('open', time - 3, { set = { [on] = 0 } })\n"
                     "initial{ x = 1, y = 0, ['der(x)'] = 0, ['der(y)'] = 0 }\n",
                     2.5, tol);
        const double x = -w * sin(w * (2.5 - pi / 2));
        assert_near(m.time[0], pi / 2, 10 * tol);
        assert_near(scripted_value(&s, "x"), x, 100 * tol);
        assert_near(scripted_value(&s, "y"), x, 100 * tol);
        assert_near(scripted_value(&s, "lambda(latch)"), -2 * x / 3, 1000 * tol);
        scripted_advance(&s, 4);
        const double y3 = -w * sin(w * (3 - pi / 2)), v3 = -w * w * cos(w * (3 - pi / 2));
        assert_near(scripted_value(&s, "y"), y3 + v3, 100 * tol);
        assert_near(scripted_value(&s, "x"), y3 * cos(1) + v3 * sin(1), 100 * tol);
        assert_near(scripted_value(&s, "lambda(latch)"), 0, 1e-12);
        scripted_free(&s);
    }
}

/* Chains of samples: values as they were, also within one instant. */
static void values_of_earlier_samples(void **state)
{
    (void)state;
    met m;
    scripted s = run_text(&m,
                          "local n, a, b = discrete('n', 0), discrete('a', 0), discrete('b', 0)\n"
                          "sample('s', { period = 1, set = { [n] = n + 1 } })\n"
                          "output('late', delay('d', n, 's', 2))\n"
                          "sample('first', { period = 1, set = { [a] = a + 1 } })\n"
                          "sample('second', { period = 1, set = { [b] = previous(a) } })\n"
                          "local x = position('x') mass(x, 2)\n"
                          "sample('push', { period = 2, set = {}, impulse = { [x] = 1 } })\n"
                          "initial{ x = 0, ['der(x)'] = 0 }\n",
                          5.5, 1e-8);
    assert_near(scripted_output(&s, "n"), 6, 0);
    assert_near(scripted_output(&s, "late"), 4, 0);
    assert_near(scripted_output(&s, "a"), 6, 0);
    assert_near(scripted_output(&s, "b"), 5, 0);
    assert_near(scripted_value(&s, "der(x)"), 1.5, 1e-12); /* at 0, 2 and 4 s */
    scripted_free(&s);
}

/* restart ends a step; nonholonomic rows are switched; a sampled pid waits for its phase. */
static void options_of_instants_act(void **state)
{
    (void)state;
    met m;
    scripted s = run_text(&m,
                          "local x = position('x') mass(x, 1)\n"
                          "event('mark', time - 0.5, { restart = true })\n"
                          "local on = discrete('on', 0)\n"
                          "nonholonomic('brake', velocity(x), { active = on })\n"
                          "event('hold', time - 1, { set = { [on] = 1 } })\n"
                          "initial{ x = 0, ['der(x)'] = 1 }\n",
                          0.9, 1e-8);
    assert_int_equal(dfl_solver_statistics(s.solver).crossings, 1);
    scripted_advance(&s, 2);
    assert_near(scripted_value(&s, "x"), 1, 1e-9);
    assert_near(scripted_value(&s, "der(x)"), 0, 1e-12);
    scripted_free(&s);
    s = run_text(
        &m,
        "local x = position('x') mass(x, 1)\n"
        "local c = pid('c', { reference = 1, value = x, p = 1, period = 0.1, phase = 0.05 })\n"
        "force(x, c.out) initial{ x = 0, ['der(x)'] = 0 }\n",
        0.04, 1e-8);
    assert_near(scripted_value(&s, "der(x)"), 0, 0);
    scripted_advance(&s, 0.1);
    assert_near(scripted_value(&s, "der(x)"), 0.05, 1e-12);
    scripted_free(&s);
}

/* A latch that would have to move bodies, and a velocity that a constraint forbids. */
static void contradictions_end_the_run(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "local x = position('x') mass(x, 1) local on = discrete('on', 0)\n"
        "constraint('latch', x - 1, { active = on })\n"
        "event('close', time - 1, { set = { [on] = 1 } })\n",
        "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
        "constraint('rod', x^2 + y^2 - 1) initial{ x = 1, y = 0, ['der(y)'] = 0 }\n"
        "event('kick', time - 1, { set = { [velocity(x)] = 1, [velocity(y)] = 1 } })\n"};
    static const char *const words[] = {"would have to jump", "rod"};
    for (int i = 0; i < 2; i++) {
        scripted s = scripted_text(texts[i]);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6, .atol = 1e-6});
        assert_int_equal(dfl_solver_advance(s.solver, 2), DFL_INCONSISTENT);
        if (!strstr(dfl_message(s.ctx), words[i]))
            fail_msg("'%s' has no '%s'", dfl_message(s.ctx), words[i]);
        scripted_free(&s);
    }
}

/* Impacts written as events come closer and closer. */
static void accumulating_events_end_the_run(void **state)
{
    (void)state;
    scripted s = scripted_text("local y = position('y') mass(y, 1) force(y, -9.81)\n"
                               "event('bounce', y, { direction = 'falling',\n"
                               "  set = { [velocity(y)] = -0.8*velocity(y) } })\n"
                               "initial{ y = 1, ['der(y)'] = 0 }\n");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6, .atol = 1e-6});
    assert_int_equal(dfl_solver_advance(s.solver, 10), DFL_NOT_CONVERGED);
    if (!strstr(dfl_message(s.ctx), "accumulate"))
        fail_msg("%s", dfl_message(s.ctx));
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces),
        cmocka_unit_test(constraints_answer_to_what_is_assigned),
        cmocka_unit_test(the_rest_keeps_its_momentum),
        cmocka_unit_test(a_full_mass_matrix_couples_what_is_assigned),
        cmocka_unit_test(a_sampled_controller),
        cmocka_unit_test(a_sampled_pid),
        cmocka_unit_test(two_rates_run_in_order),
        cmocka_unit_test(a_relay_with_a_dead_band),
        cmocka_unit_test(a_row_is_switched_on_and_off),
        cmocka_unit_test(values_of_earlier_samples),
        cmocka_unit_test(options_of_instants_act),
        cmocka_unit_test(contradictions_end_the_run),
        cmocka_unit_test(accumulating_events_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
