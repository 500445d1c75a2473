/* What a model is and where it starts, as data: dfl_model_check, dfl_model_init, equations. */
#include "running.h"

static fixture loaded(const char *text)
{
    fixture f = {.ctx = dfl_context_create()};
    assert_non_null(f.ctx);
    expect(&f, dfl_model_load_text(&f.model, f.ctx, "test.lua", text, strlen(text), NULL));
    return f;
}

static const dfl_finding *find(const dfl_check_report *report, const char *kind)
{
    for (int i = 0; i < report->nfindings; i++)
        if (!strcmp(report->findings[i].kind, kind))
            return &report->findings[i];
    return NULL;
}

static void a_pendulum_is_ready(void **state)
{
    (void)state;
    fixture f = loaded(pendulum);
    dfl_checked *checked;
    expect(&f, dfl_model_check(&checked, f.ctx, f.model, NULL));
    const dfl_check_report *report = dfl_checked_about(checked);
    assert_int_equal(report->verdict, DFL_READY);
    assert_null(report->start_message);
    assert_int_equal(report->np, 2);
    assert_int_equal(report->nl, 1);
    assert_int_equal(report->dof_by_rank, 1);
    assert_int_equal(report->nvalues, 5);
    assert_string_equal(report->values[0].name, "x");
    assert_true(report->values[0].held && !report->values[1].held);
    assert_near(report->values[0].completed, 0.9, 1e-15);
    assert_near(report->values[1].completed, -sqrt(1 - 0.81), 1e-12);
    assert_true(report->values[1].atol > 0);
    const dfl_finding *missed = find(report, "missed"); /* y = -0.5 is not on the circle */
    assert_non_null(missed);
    assert_near(missed->size, fabs(0.81 + 0.25 - 1), 1e-12);
    assert_string_equal(missed->names[0], "rod");
    assert_non_null(strstr(report->json, "\"runnable\": true"));
    dfl_checked_free(checked);
    finished(&f);
}

static void dependent_and_contradictory_rows_have_names(void **state)
{
    (void)state;
    fixture f = loaded("local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                       "constraint('one', x - y) constraint('two', 2*x - 2*y)\n"
                       "initial{ x = 1 }\n");
    dfl_checked *checked;
    expect(&f, dfl_model_check(&checked, f.ctx, f.model, NULL));
    const dfl_check_report *report = dfl_checked_about(checked);
    const dfl_finding *redundant = find(report, "redundant");
    assert_int_equal(report->verdict, DFL_READY);
    assert_int_equal(report->rank, 1);
    assert_non_null(redundant);
    assert_int_equal(redundant->nnames, 2);
    assert_string_equal(redundant->names[0], "one");
    assert_string_equal(redundant->names[1], "two");
    assert_true(isnan(redundant->size));
    dfl_checked_free(checked);
    finished(&f);

    f = loaded("local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
               "constraint('one', x - y) constraint('two', x - y - 0.5)\n");
    expect(&f, dfl_model_check(&checked, f.ctx, f.model, NULL));
    report = dfl_checked_about(checked);
    const dfl_finding *contradictory = find(report, "contradictory");
    assert_int_equal(report->verdict, DFL_NO_START);
    assert_non_null(report->start_message);
    assert_non_null(contradictory);
    assert_near(contradictory->size, 0.5, 1e-12);
    assert_true(isnan(report->values[0].completed));
    dfl_checked_free(checked);
    finished(&f);
}

static void undetermined_directions_are_found(void **state)
{
    (void)state;
    fixture f = loaded("local x, y = position('x', 'y') mass(x, 1) force(x, -x)\n");
    dfl_checked *checked;
    expect(&f, dfl_model_check(&checked, f.ctx, f.model, NULL));
    assert_int_equal(dfl_checked_about(checked)->verdict, DFL_UNDETERMINED);
    assert_non_null(strstr(find(dfl_checked_about(checked), "undetermined")->text, "der(y)"));
    dfl_checked_free(checked);
    finished(&f);
}

/* Lua that is pasted gives the same start again. */
static void starts_can_be_pasted(void **state)
{
    (void)state;
    fixture f = loaded(pendulum);
    dfl_checked *start, *again;
    char text[1000];
    expect(&f, dfl_model_init(&start, f.ctx, f.model, NULL));
    const dfl_check_report *report = dfl_checked_about(start);
    snprintf(text, sizeof text, "%s%s", pendulum, report->lua);
    fixture pasted = loaded(text);
    expect(&pasted, dfl_model_init(&again, pasted.ctx, pasted.model, NULL));
    for (int i = 0; i < report->nvalues; i++)
        assert_near(dfl_checked_about(again)->values[i].completed, report->values[i].completed,
                    1e-12);
    dfl_checked_free(start);
    dfl_checked_free(again);
    finished(&f);
    finished(&pasted);
}

static void equations_are_texts(void **state)
{
    (void)state;
    fixture f = loaded(pendulum);
    char *text;
    expect(&f, dfl_model_equations(&text, f.ctx, f.model, false, false));
    assert_non_null(strstr(text, "x^2 + y^2"));
    dfl_free(f.ctx, text);
    expect(&f, dfl_model_equations(&text, f.ctx, f.model, true, false));
    assert_non_null(strstr(text, "\\documentclass"));
    dfl_free(f.ctx, text);
    assert_int_equal(dfl_model_equations(&text, f.ctx, f.model, false, true), DFL_INVALID);
    assert_null(text); /* it has no bodies */
    expect(&f, dfl_model_export_c(&text, f.ctx, f.model));
    assert_non_null(strstr(text, "#include <math.h>"));
    dfl_free(f.ctx, text);
    finished(&f);
}

static void wrong_options_get_a_message(void **state)
{
    (void)state;
    static const char *const settings[] = {"form=nonsense"};
    static const dfl_check_options wrong = {.nsettings = 1, .settings = settings},
                                   absent = {.start_from = "/nowhere.json"};
    fixture f = loaded(pendulum);
    dfl_checked *checked;
    assert_int_equal(dfl_model_check(&checked, f.ctx, f.model, &wrong), DFL_INVALID);
    assert_non_null(strstr(dfl_message(f.ctx), "nonsense"));
    assert_int_equal(dfl_model_init(&checked, f.ctx, f.model, &absent), DFL_INVALID);
    assert_non_null(strstr(dfl_message(f.ctx), "nowhere"));
    assert_int_equal(dfl_model_check(&checked, f.ctx, NULL, NULL), DFL_INVALID);
    assert_null(checked);
    finished(&f);
}

/* Every allocation fails once; nothing is lost. */
static void checks_survive_no_memory(void **state)
{
    (void)state;
    static const char *const twice = "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                                     "constraint('one', x - y) constraint('two', 2*x - 2*y)\n";
    dfl_status status = DFL_NO_MEMORY;
    for (long k = 0; status; k += 1 + k / 30) {
        fixture f = loaded(twice);
        dfl_checked *checked = NULL, *start = NULL;
        char *text = NULL;
        dfl_context_fail_after(f.ctx, k);
        status = dfl_model_check(&checked, f.ctx, f.model, NULL);
        if (!status)
            status = dfl_model_init(&start, f.ctx, f.model, NULL);
        if (!status)
            status = dfl_model_export_c(&text, f.ctx, f.model);
        if (status && status != DFL_NO_MEMORY)
            fail_msg("%ld: %s: %s", k, dfl_status_name(status), dfl_message(f.ctx));
        dfl_checked_free(checked);
        dfl_checked_free(start);
        dfl_free(f.ctx, text);
        finished(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_is_ready),
        cmocka_unit_test(dependent_and_contradictory_rows_have_names),
        cmocka_unit_test(undetermined_directions_are_found),
        cmocka_unit_test(starts_can_be_pasted),
        cmocka_unit_test(equations_are_texts),
        cmocka_unit_test(wrong_options_get_a_message),
        cmocka_unit_test(checks_survive_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
