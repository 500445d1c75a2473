/* test_method_settings.c: each setting of the method reaches the solver, from a caller and from a
   script, and changes what it does. */
#include "scripted.h"

#include <math.h>

/* A swinging double pendulum with constant, diagonal M. */
static const char pendulum[] = "local x, y, z, u = position('x', 'y', 'z', 'u')\n"
                               "local vx, vy, vz, vu = velocity(x, y, z, u)\n"
                               "kinetic((vx^2 + vy^2 + vz^2 + vu^2)/2)\n"
                               "potential(9.81*(y + u))\n"
                               "constraint('upper', x^2 + y^2 - 1)\n"
                               "constraint('lower', (z - x)^2 + (u - y)^2 - 1)\n"
                               "initial{ x = 1, y = 0, z = 2, u = 0, [vx] = 0, [vy] = 0,\n"
                               "         [vz] = 0, [vu] = 0 }\n";

/* The second row hardly differs from the first one; both hold x and z at rest. */
static const char nearly_doubled[] = "local x, y, z = position('x', 'y', 'z')\n"
                                     "kinetic((velocity(x)^2 + velocity(y)^2 + velocity(z)^2)/2)\n"
                                     "potential(9.81*y)\n"
                                     "constraint('one', x + z)\n"
                                     "constraint('two', x + 1.001*z)\n"
                                     "initial{ x = 0, y = 0, z = 0 }\n";

/* What a run leaves: its end and its counters. */
typedef struct trace {
    dfl_status status;
    double x[12];
    dfl_statistics stats;
    char message[300];
} trace;

/* A pair of name and value; a list ends with {NULL}. */
typedef struct said {
    const char *name, *value;
} said;

static void choose(dfl_choices *choices, const scripted *s, const said *it)
{
    const int number = dfl_setting_find(it->name);
    if (number < 0)
        fail_msg("there is no setting %s", it->name);
    const dfl_setting_kind kind = dfl_setting_at(number)->kind;
    if (kind == DFL_SETTING_WORD || kind == DFL_SETTING_TEXT)
        choices->text[number] = it->value;
    else
        scripted_expect(s, dfl_choose_number(choices, s->ctx, number, atof(it->value)));
}

static trace run_text(const char *text, const said *settings)
{
    scripted s = scripted_text(text);
    dfl_settings resolved;
    dfl_choices choices = dfl_choices_none("--");
    trace out = {0};
    choose(&choices, &s, &(said){"to", "1"});
    for (; settings && settings->name; settings++)
        choose(&choices, &s, settings);
    scripted_expect(&s, dfl_settings_resolve(&resolved, &choices, s.run));
    out.status = scripted_try_start(&s, &resolved.solver);
    if (!out.status)
        out.status = dfl_solver_advance(s.solver, 1);
    memcpy(out.x, dfl_solver_state(s.solver), (size_t)s.eq->n * sizeof(double));
    out.stats = dfl_solver_statistics(s.solver);
    out.stats.seconds = out.stats.longest_step = 0;
    snprintf(out.message, sizeof out.message, "%s", dfl_message(s.ctx));
    scripted_free(&s);
    return out;
}

/* The same settings in simulate{}. */
static trace run_script(const char *text, const said *settings)
{
    char script[1500];
    int used = snprintf(script, sizeof script, "%ssimulate{ to = 1", text);
    for (; settings->name; settings++) {
        const dfl_setting_kind kind = dfl_setting_at(dfl_setting_find(settings->name))->kind;
        const bool quoted = kind == DFL_SETTING_WORD || kind == DFL_SETTING_TEXT;
        used += snprintf(script + used, sizeof script - (size_t)used,
                         quoted ? ", %s = '%s'" : ", %s = %s", settings->name,
                         kind == DFL_SETTING_FLAG ? "true" : settings->value);
    }
    snprintf(script + used, sizeof script - (size_t)used, " }\n");
    return run_text(script, NULL);
}

static bool same(const trace *a, const trace *b)
{
    return a->status == b->status && !memcmp(a->x, b->x, sizeof a->x) &&
           !memcmp(&a->stats, &b->stats, sizeof a->stats);
}

/* One setting, and others that it needs; the run must differ from one with those others alone. */
typedef struct change {
    const char *text;
    said setting;
    said others[4];
} change;

static const change changes[] = {
    {pendulum, {"selectors", "unit"}, {{NULL, NULL}}},
    {pendulum, {"renewal", "always"}, {{"form", "tangent"}}},
    {pendulum, {"renewal", "on-change"}, {{NULL, NULL}}},
    {pendulum, {"algebraic", "lu"}, {{NULL, NULL}}},
    {pendulum, {"algebraic", "svd"}, {{NULL, NULL}}},
    {pendulum, {"differential", "qr"}, {{NULL, NULL}}},
    {pendulum, {"newton_iterations", "2"}, {{NULL, NULL}}},
    {pendulum, {"newton_updates", "-1"}, {{"fixed_step", "0.1"}}},
    {pendulum, {"newton_tolerance", "1e-5"}, {{NULL, NULL}}},
    {pendulum, {"multiplier_weight", "1e-3"}, {{NULL, NULL}}},
    {pendulum, {"jacobian_reuse", "-1"}, {{NULL, NULL}}},
    {pendulum, {"reference", "start"}, {{NULL, NULL}}},
    {pendulum, {"reference", "stage1"}, {{NULL, NULL}}},
    {pendulum, {"reference", "stage3"}, {{NULL, NULL}}},
    {pendulum, {"prediction", "constant"}, {{NULL, NULL}}},
    {pendulum, {"carry_accelerations", "1"}, {{NULL, NULL}}},
    {pendulum, {"control", "classical"}, {{NULL, NULL}}},
    {pendulum, {"safety", "0.5"}, {{NULL, NULL}}},
    {pendulum, {"min_factor", "0.8"}, {{NULL, NULL}}},
    {pendulum, {"max_factor", "1.5"}, {{NULL, NULL}}},
    {pendulum, {"keep_low", "0.3"}, {{"reference", "start"}, {"jacobian_reuse", "0.5"}}},
    {pendulum, {"keep_high", "3"}, {{"reference", "start"}, {"jacobian_reuse", "0.5"}}},
    {pendulum, {"lagged", "1"}, {{"form", "pinv"}}},
    {pendulum, {"independent", "x,u"}, {{"form", "partition"}}},
    {nearly_doubled, {"rank_tolerance", "0.01"}, {{NULL, NULL}}},
};

static void every_setting_changes_the_run_from_both_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const change *it = &changes[i];
        said with[6] = {it->setting};
        memcpy(with + 1, it->others, sizeof it->others);
        const trace usual = run_text(it->text, it->others), caller = run_text(it->text, with),
                    script = run_script(it->text, with);
        if (same(&usual, &caller))
            fail_msg("%s = %s changes nothing", it->setting.name, it->setting.value);
        if (!same(&caller, &script))
            fail_msg("simulate{ %s = %s } is not the same: %s", it->setting.name, it->setting.value,
                     script.message);
    }
}

/* Newton's iteration in long steps: it converges with a second matrix, or is said not to have. */
static void fixed_steps_converge_or_say_so(void **state)
{
    (void)state;
    const said usual[] = {{"fixed_step", "0.1"}, {NULL, NULL}},
               none[] = {{"fixed_step", "0.1"}, {"newton_updates", "-1"}, {NULL, NULL}},
               taken[] = {{"fixed_step", "0.1"}, {"accept_unconverged", "1"}, {NULL, NULL}};
    const trace updated = run_text(pendulum, usual), refused = run_text(pendulum, none),
                accepted = run_script(pendulum, taken);
    assert_int_equal(updated.status, DFL_OK);
    assert_true(updated.stats.newton_updates > 0 && updated.stats.unconverged == 0);
    assert_int_equal(refused.status, DFL_NOT_CONVERGED);
    assert_non_null(strstr(refused.message, "has not converged in the step of fixed size 0.1"));
    assert_int_equal(accepted.status, DFL_OK);
    assert_true(accepted.stats.unconverged > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_changes_the_run_from_both_places),
        cmocka_unit_test(fixed_steps_converge_or_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
