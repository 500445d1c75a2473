/* Messages of a run call switches by the names and lines of the script. */
#include "../simulated.h"

#include "declare/declare.h"

/* What a run logs and says at its end. */
static void collect(dfl_log_level level, const char *text, void *user)
{
    char *said = user;
    (void)level;
    snprintf(said + strlen(said), 2000 - strlen(said), "%s\n", text);
}

static void expect_said(const char *text, double to, const char *words)
{
    scripted s = scripted_text(text);
    dfl_settings settings;
    dfl_summary summary;
    dfl_choices choices = dfl_choices_none("--");
    char said[2000] = "";
    choices.number[dfl_setting_find("to")] = to;
    scripted_expect(&s, dfl_settings_resolve(&settings, &choices, s.run));
    dfl_simulation sim = {.ctx = s.ctx,
                          .eq = s.eq,
                          .run = s.run,
                          .settings = &settings,
                          .log = collect,
                          .user = said};
    dfl_simulate(&summary, &sim);
    collect(DFL_LOG_NOTICE, summary.message, said);
    if (!strstr(said, words))
        fail_msg("'%s' does not contain '%s'", said, words);
    dfl_simulation_clear(&sim);
    scripted_free(&s);
}

static void events_that_accumulate(void **state)
{
    (void)state;
    expect_said("local y = position('y') mass(y, 1) force(y, -9.81)\n"
                "event('bounce', y, { direction = 'falling',\n"
                "  set = { [velocity(y)] = -0.8*velocity(y) } })\n"
                "initial{ y = 1, ['der(y)'] = 0 }\n",
                10, "test.lua:2: events accumulate at t = 4.06");
    /* 2e-6 s from one to the next, for ever: nothing but noise moves */
    expect_said("local x = position('x') mass(x, 1) force(x, -sign(x))\n"
                "initial{x = 0, ['der(x)'] = 1e-6} simulate{atol = 1e-6}\n",
                10, "test.lua:1: events accumulate at t = 0.00");
}

/* File and line of what the message names. */
static void places_of_declarations(void **state)
{
    (void)state;
    expect_said("local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                "constraint('rod', x^2 + y^2 - 1) initial{ x = 1, y = 0, ['der(y)'] = 0 }\n"
                "event('kick', time - 1, { set = { [velocity(x)] = 1, [velocity(y)] = 1 } })\n",
                2, "test.lua:3: the set of 'kick', line 3 at t = 1 contradicts the constraints");
    expect_said("local x = position('x') mass(x, 1) local on = discrete('on', 0)\n"
                "constraint('latch', x - 1, { active = on })\n"
                "event('close', time - 1, { set = { [on] = 1 } })\n"
                "initial{ x = 0.5, ['der(x)'] = 0 }\n",
                2,
                "test.lua:2: a constraint cannot be closed at t = 1: x would have to jump by 0.5");
    expect_said("local x, y = position('x', 'y') mass(x, 0) mass(y, 1)\n"
                "force(x, 10*(y - x) - 0.5*velocity(x)) force(y, 10*(x - y))\n"
                "unilateral('floor', x + 0.1)\n"
                "initial{ x = 0, y = 0, ['der(y)'] = -1 }\n",
                2, "test.lua:3: contact 'floor' closes");
}

static void events_that_switch_each_other(void **state)
{
    (void)state;
    expect_said("local x = position('x') mass(x, 1)\n"
                "local n = discrete('n', 0)\n"
                "event('there', x - 1, { set = { [n] = 1 } })\n"
                "event('back', n - 0.5, { set = { [n] = 1 - n } })\n"
                "initial{ x = 0, ['der(x)'] = 1 }\n",
                2, "keep switching each other at t = 1: 'back', line 4; give them a dead band");
}

static void a_motion_with_a_kink(void **state)
{
    (void)state;
    expect_said(
        "planar()\n"
        "local cart = body('cart', {mass = 1})\n"
        "local bob = body('bob', {mass = 1, com = {0, -1}})\n"
        "prismatic('rail', ground, cart, {at = {0, 0}, axis = {1, 0}, motion = max(0, time - "
        "1)})\n"
        "revolute('pin', cart, bob, {at = {0, 0}})\n",
        2, "has a kink at t = 1 (time - 1 in rail, line 4): velocities jump");
}

static void an_event_that_is_not_finite(void **state)
{
    (void)state;
    expect_said("local x = position('x') mass(x, 1)\n"
                "event('root', sqrt(1 - x))\n"
                "initial{ x = 0, ['der(x)'] = 1 }\n",
                2, "event 'root' is");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_that_accumulate),        cmocka_unit_test(places_of_declarations),
        cmocka_unit_test(events_that_switch_each_other), cmocka_unit_test(a_motion_with_a_kink),
        cmocka_unit_test(an_event_that_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
