/* Wrong calls of driftless/model.h and its companions give errors and values that say so. */
#include "running.h"

#include <driftless/settings.h>
#include <driftless/task.h>

static void runs_that_are_null(void **state)
{
    (void)state;
    char bytes[8] = {0};
    double numbers[2] = {0};
    int rows = 7, columns = 7;
    assert_int_equal(dfl_run_write(NULL, "a.csv"), DFL_INVALID);
    assert_int_equal(dfl_run_save_to(NULL, "a"), DFL_INVALID);
    assert_int_equal(dfl_run_keep(NULL), DFL_INVALID);
    assert_int_equal(dfl_run_keep_page(NULL), DFL_INVALID);
    assert_int_equal(dfl_run_start(NULL), DFL_INVALID);
    assert_int_equal(dfl_run_advance(NULL, 1), DFL_INVALID);
    assert_int_equal(dfl_run_step(NULL), DFL_INVALID);
    assert_int_equal(dfl_run_finish(NULL), DFL_INVALID);
    assert_int_equal(dfl_run_complete(NULL), DFL_INVALID);
    assert_int_equal(dfl_run_save(bytes, NULL), DFL_INVALID);
    assert_int_equal(dfl_run_restore(NULL, bytes, sizeof bytes), DFL_INVALID);
    assert_int_equal(dfl_run_set(NULL, 0, 1), DFL_INVALID);
    assert_int_equal(dfl_run_interpolate(numbers, NULL, 0, true), DFL_INVALID);
    assert_null(dfl_run_page(NULL));
    assert_null(dfl_run_rows(NULL, &rows, &columns));
    assert_int_equal(rows + columns, 0);
    assert_null(dfl_run_summary(NULL));
    assert_null(dfl_run_text(NULL));
    assert_null(dfl_run_notes(NULL));
    assert_null(dfl_run_about(NULL));
    assert_null(dfl_run_event_name(NULL, 0));
    assert_true(isnan(dfl_run_at_start(NULL, 0).completed));
    dfl_run_span(NULL, &numbers[0], &numbers[1]);
    assert_true(isnan(numbers[0]) && isnan(numbers[1]));
    dfl_run_cancel(NULL);
    dfl_run_free(NULL);
    assert_int_equal(dfl_run_saved_size(NULL), 0);
    assert_int_equal(dfl_run_values(NULL), 0);
    assert_string_equal(dfl_run_value(NULL, 0).name, "");
    assert_int_equal(dfl_run_find(NULL, "x"), -1);
    assert_true(isnan(dfl_run_get(NULL, 0)) && isnan(dfl_run_time(NULL)));
    assert_true(isnan(dfl_run_energy(NULL)) && isnan(dfl_run_residuals(NULL).position));
    assert_int_equal(dfl_run_statistics(NULL).events, 0);
}

static void places_that_are_null(void **state)
{
    (void)state;
    fixture f = started(pendulum, NULL);
    const dfl_status found[] = {
        dfl_run_save(NULL, f.run),
        dfl_run_restore(f.run, NULL, 100),
        dfl_run_interpolate(NULL, f.run, 0, true),
        dfl_run_create(NULL, f.ctx, f.model, NULL),
        dfl_model_task(NULL, f.ctx, f.model, "modes", NULL),
        dfl_model_load(NULL, f.ctx, "a.lua", NULL),
        dfl_model_check(NULL, f.ctx, f.model, NULL),
        dfl_model_init(NULL, f.ctx, f.model, NULL),
        dfl_model_equations(NULL, f.ctx, f.model, false, false),
        dfl_model_export_c(NULL, f.ctx, f.model),
        dfl_model_linearize(NULL, f.ctx, f.model, NULL),
        dfl_model_equilibrium(NULL, f.ctx, f.model, NULL),
        dfl_model_inverse(NULL, f.ctx, f.model, 0, NULL),
        dfl_builder_create(NULL, f.ctx, "a"),
        dfl_language_names(NULL, f.ctx),
    };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        assert_int_equal(found[i], DFL_INVALID);
    expect(&f, dfl_run_advance(f.run, 0.1)); /* the run goes on */
    assert_null(dfl_run_rows(f.run, NULL, NULL));
    dfl_run_span(f.run, NULL, NULL);
    finished(&f);
}

static void models_and_findings_that_are_null(void **state)
{
    (void)state;
    fixture f = {.ctx = dfl_context_create()};
    dfl_task *task = NULL;
    char *text = NULL;
    dfl_modes modes = {0};
    assert_int_equal(dfl_model_task(&task, f.ctx, NULL, "modes", NULL), DFL_INVALID);
    assert_int_equal(dfl_model_task(&task, NULL, NULL, "modes", NULL), DFL_INVALID);
    assert_int_equal(dfl_model_equations(&text, f.ctx, NULL, false, false), DFL_INVALID);
    assert_int_equal(dfl_model_export_c(&text, f.ctx, NULL), DFL_INVALID);
    assert_int_equal(dfl_model_spare(NULL, f.ctx, "a"), DFL_INVALID);
    assert_null(dfl_task_about(NULL));
    assert_null(dfl_checked_about(NULL));
    assert_null(dfl_followed_about(NULL));
    assert_null(dfl_near_about(NULL));
    assert_int_equal(dfl_near_modes(&modes, NULL), DFL_INVALID);
    assert_int_equal(dfl_near_lqr(NULL, NULL, NULL, NULL, NULL, NULL, NULL), DFL_INVALID);
    dfl_near_shape(NULL, NULL, NULL, &modes, 0);
    assert_int_equal(dfl_builder_call(NULL, NULL, "planar", 0, NULL), DFL_INVALID);
    assert_int_equal(dfl_builder_check_calls(NULL, NULL), DFL_INVALID);
    assert_int_equal(dfl_builder_load(&f.model, NULL, NULL), DFL_INVALID);
    assert_null(dfl_builder_script(NULL));
    dfl_builder_free(NULL);
    dfl_context_free(f.ctx);
}

static void tasks_have_names(void **state)
{
    (void)state;
    fixture f = created(pendulum, NULL);
    dfl_task *task = NULL;
    assert_int_equal(dfl_model_task(&task, f.ctx, f.model, NULL, NULL), DFL_INVALID);
    assert_null(task);
    finished(&f);
}

static void settings_that_do_not_exist(void **state)
{
    (void)state;
    const int count = dfl_settings_count(), rtol = dfl_setting_find("rtol");
    assert_int_equal(dfl_setting_find(NULL), -1);
    assert_null(dfl_setting_at(-1));
    assert_null(dfl_setting_at(count));
    assert_non_null(dfl_setting_at(count - 1));
    assert_int_equal(dfl_setting_word(dfl_setting_at(rtol), "a"), -1); /* a number has no words */
    assert_int_equal(dfl_setting_word(dfl_setting_at(dfl_setting_find("form")), NULL), -1);
    assert_int_equal(dfl_setting_word(NULL, "psf"), -1);
}

/* Every byte of a saved run counts. */
static void no_byte_of_a_saved_run_may_change(void **state)
{
    (void)state;
    fixture f = started(pendulum, NULL);
    expect(&f, dfl_run_advance(f.run, 0.5));
    const size_t size = dfl_run_saved_size(f.run);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    expect(&f, dfl_run_save(bytes, f.run));
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 1;
        assert_int_equal(dfl_run_restore(f.run, bytes, size), DFL_INVALID);
        bytes[i] ^= 1;
    }
    expect(&f, dfl_run_restore(f.run, bytes, size));
    free(bytes);
    finished(&f);
}

static void messages_say_what_to_write(void **state)
{
    (void)state;
    fixture f = created(pendulum, NULL);
    dfl_model *other;
    dfl_run *none;
    const char *open = "initial(x=1", *maybe = "interpolate=maybe", *file = "push=nothing";
    const dfl_load_options bracket = {.nset = 1, .set = &open},
                           input = {.ninput = 1, .input = &file};
    const dfl_run_options flag = {.nsettings = 1, .settings = &maybe};
    assert_int_equal(dfl_model_load_text(&other, f.ctx, "a", pendulum, strlen(pendulum), &bracket),
                     DFL_INVALID);
    assert_string_equal(
        dfl_message(f.ctx),
        "set initial(x=1: write initial(NAME)=VALUE, with the name of a variable in brackets");
    assert_int_equal(dfl_model_load_text(&other, f.ctx, "a", pendulum, strlen(pendulum), &input),
                     DFL_INVALID);
    assert_string_equal(
        dfl_message(f.ctx),
        "input push=nothing: write input NAME=FILE.csv:COLUMN, and :hold or :cubic behind it");
    assert_int_equal(dfl_run_create(&none, f.ctx, f.model, &flag), DFL_INVALID);
    assert_string_equal(dfl_message(f.ctx),
                        "setting 'interpolate=maybe': 'maybe' is neither true nor false");
    finished(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_that_are_null),
        cmocka_unit_test(places_that_are_null),
        cmocka_unit_test(models_and_findings_that_are_null),
        cmocka_unit_test(tasks_have_names),
        cmocka_unit_test(settings_that_do_not_exist),
        cmocka_unit_test(no_byte_of_a_saved_run_may_change),
        cmocka_unit_test(messages_say_what_to_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
