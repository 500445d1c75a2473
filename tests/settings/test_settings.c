/* test_settings.c: the table of settings, and what a run makes of choices. */
#include "scripted.h"

#include "study/study.h"

static const char pendulum[] = "local x, y = position('x', 'y')\n"
                               "mass(x, 1) mass(y, 1)\n"
                               "constraint('rod', x^2 + y^2 - 1)\n"
                               "initial{ x = 1, y = 0 }\n"
                               "simulate{ to = 3, rtol = 1e-4 }\n";

static void names_and_words_are_spelled_once(void **state)
{
    (void)state;
    const dfl_setting *form = dfl_setting_at(dfl_setting_find("form"));
    for (int i = 0; i < DFL_FORMS; i++)
        assert_string_equal(form->words[i], dfl_form_name((dfl_form)i));
    assert_null(form->words[DFL_FORMS]);
    for (int i = 0; i < dfl_settings_count(); i++) {
        const dfl_setting *setting = dfl_setting_at(i);
        assert_int_equal(dfl_setting_find(setting->name), i);
        assert_true(strlen(setting->name) < DFL_LONGEST_SETTING);
        assert_true((setting->value == NULL) == (setting->kind == DFL_SETTING_FLAG));
        assert_true((setting->words != NULL) == (setting->kind == DFL_SETTING_WORD));
        for (int k = 0; setting->words && setting->words[k]; k++)
            assert_int_equal(dfl_setting_word(setting, setting->words[k]), k);
    }
    assert_int_equal(dfl_setting_find("rtoll"), -1);
}

static void numbers_have_ranges(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_choices choices = dfl_choices_none("--");
    const struct {
        const char *name;
        double number;
        const char *message;
    } wrong[] = {{"max_step", 0, "--max-step is 0; it must be positive"},
                 {"to", INFINITY, "--to is inf; give a finite number"},
                 {"max_steps", 1.5, "--max-steps is 1.5; it must be a whole number, 1 or more"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const int setting = dfl_setting_find(wrong[i].name);
        assert_int_equal(dfl_choose_number(&choices, ctx, setting, wrong[i].number), DFL_INVALID);
        assert_string_equal(dfl_message(ctx), wrong[i].message);
        assert_true(isnan(dfl_choices_number(&choices, wrong[i].name)));
    }
    assert_int_equal(dfl_choose_number(&choices, ctx, dfl_setting_find("to"), -1), DFL_OK);
    assert_true(dfl_choices_number(&choices, "to") == -1);
    dfl_context_free(ctx);
}

/* The default that help shows is the one that the solver takes. */
static void defaults_are_as_help_says(void **state)
{
    (void)state;
    scripted s = scripted_text("local x = position('x') mass(x, 1) simulate{ to = 3 }");
    dfl_settings settings;
    const dfl_choices choices = dfl_choices_none("--");
    dfl_fact stored[DFL_MOST_SETTINGS];
    scripted_expect(&s, dfl_settings_resolve(&settings, &choices, s.run));
    const int count = dfl_settings_describe(stored, &settings);
    int compared = 0;
    for (int i = 0; i < count; i++) {
        const int number = dfl_setting_find(stored[i].name);
        const char *standard = number < 0 ? NULL : dfl_setting_at(number)->standard;
        char *end = NULL;
        const double value = standard ? strtod(standard, &end) : 0;
        if (!standard || (!stored[i].text && *end))
            continue;
        if (stored[i].text)
            assert_string_equal(stored[i].text, standard);
        else
            assert_true(stored[i].number == value);
        compared++;
    }
    assert_true(compared >= 7); /* form, start, method, evaluation, from, rtol, max_steps */
    assert_true(settings.solver.atol == 0); /* it follows the sizes of the model */
    scripted_free(&s);
}

/* Every number that can be chosen reaches the options that are stored with results. */
static void the_caller_overrules_the_script(void **state)
{
    (void)state;
    scripted s = scripted_text(pendulum);
    dfl_settings settings;
    dfl_choices choices = dfl_choices_none("--");
    scripted_expect(&s, dfl_settings_resolve(&settings, &choices, s.run));
    assert_true(settings.to == 3 && settings.solver.rtol == 1e-4);
    choices.number[dfl_setting_find("rtol")] = 1e-5;
    choices.number[dfl_setting_find("lagged")] = 1;
    choices.number[dfl_setting_find("max_steps")] = 17;
    choices.text[dfl_setting_find("method")] = "bdf3";
    choices.text[dfl_setting_find("form")] = "ggl";
    scripted_expect(&s, dfl_settings_resolve(&settings, &choices, s.run));
    assert_true(settings.to == 3 && settings.solver.rtol == 1e-5);
    assert_true(settings.solver.constraints.lagged && settings.solver.step.max_attempts == 17);
    assert_int_equal(settings.solver.integrator, DFL_BDF);
    assert_int_equal(settings.solver.order, 3);
    assert_int_equal(settings.solver.form, DFL_GGL);
    choices.text[dfl_setting_find("method")] = "bdf7";
    assert_int_equal(dfl_settings_resolve(&settings, &choices, s.run), DFL_INVALID);
    assert_non_null(
        strstr(dfl_message(s.ctx), "--method: there is no 'bdf7'; choose one of radau"));
    scripted_free(&s);
}

/* Each name of a method is an integrator and its order. */
static void all_methods_can_be_chosen(void **state)
{
    (void)state;
    scripted s = scripted_text(pendulum);
    dfl_settings settings;
    dfl_choices choices = dfl_choices_none("--");
    const dfl_setting *method = dfl_setting_at(dfl_setting_find("method"));
    int of[DFL_INTEGRATORS] = {0};
    for (int i = 0; method->words[i]; i++) {
        choices.text[dfl_setting_find("method")] = method->words[i];
        scripted_expect(&s, dfl_settings_resolve(&settings, &choices, s.run));
        of[settings.solver.integrator]++;
    }
    assert_true(of[DFL_RADAU] == 5 && of[DFL_BDF] == 6);
    for (int i = 0; i < DFL_INTEGRATORS; i++)
        assert_true(of[i] > 0);
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_words_are_spelled_once),
        cmocka_unit_test(numbers_have_ranges),
        cmocka_unit_test(defaults_are_as_help_says),
        cmocka_unit_test(the_caller_overrules_the_script),
        cmocka_unit_test(all_methods_can_be_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
