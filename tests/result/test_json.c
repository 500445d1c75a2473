/* Summaries: JSON that a parser of its own accepts, with the promised fields, and the text for
   people. */
#define _POSIX_C_SOURCE 200809L
#include "failing.h"
#include "fixture.h"

static const double x[6] = {0.1, 1.0 / 3.0, 3, 4, 5, 6}, height = 7;
static const dfl_event_record events[] = {{.event = 0, .direction = -1, .time = 0.25, .acts = 1},
                                          {.event = 0, .direction = 1, .time = 0.5, .acts = -1}};
static const char *const switch_names[] = {"wall", "floor"};
static const char *const impulse_names[] = {"floor", "rod"};
static const dfl_impulse impulses[] = {{0, 7}, {1, -8}};
static const dfl_switch_record switches[] = {
    {.kind = DFL_SWITCHED_MODE, .name = 0, .state = DFL_TOUCHING_SLIPS_BACK, .energy_change = NAN},
    {.time = 0.25,
     .kind = DFL_SWITCHED_IMPACT,
     .name = 1,
     .energy_change = -3,
     .nimpulses = 2,
     .impulses = impulses}};

static dfl_summary some_summary(void)
{
    dfl_summary summary = {.form = "psf",
                           .method = "radau5",
                           .status = "failed",
                           .message = "a \"quoted\"\nline \\ \t\x01 π \xff\xc0\xaf",
                           .t = 1.5,
                           .seconds = 0.25,
                           .energy_drift = INFINITY,
                           .x = x,
                           .outputs = &height,
                           .events = events,
                           .nevents = 2,
                           .switches = switches,
                           .nswitches = 2,
                           .total_switches = 5};
    summary.statistics.accepted = 11;
    summary.statistics.rejected_error = 12;
    summary.statistics.rejected_newton = 13;
    summary.statistics.attempts = 36;
    summary.statistics.unconverged = 5;
    summary.statistics.partial_evaluations = 14;
    summary.statistics.events = 3;
    summary.statistics.max_residual.position = 1e-12;
    summary.statistics.max_residual.velocity = 2e-10;
    summary.statistics.max_residual.acceleration = NAN;
    return summary;
}

/* Writes the JSON and has tests/result/read_json.py look at it. */
static void check_with_python(const fixture *f, const dfl_summary *summary, const char *what)
{
    char path[128];
    dfl_text text = {.ctx = f->ctx};
    dfl_record *record = NULL;
    fixture_check(fixture_record(&record, f, ""), f->ctx);
    dfl_record_name_switches(record, switch_names, 2, impulse_names, 2);
    fixture_check(dfl_summary_json(&text, record, summary), f->ctx);
    dfl_record_free(record);
    FILE *file = fopen(fixture_path(path, f, "summary.json"), "w");
    fputs(dfl_text_string(&text), file);
    fclose(file);
    dfl_text_clear(&text);
    fixture_command("/usr/bin/python3 %s/tests/result/read_json.py %s %s", path, what);
}

static void a_parser_finds_every_field(void **state)
{
    const dfl_summary summary = some_summary();
    check_with_python(*state, &summary, "ended");
}

static void what_does_not_exist_is_null(void **state)
{
    dfl_summary summary = some_summary();
    summary.x = NULL;
    summary.t = NAN;
    summary.message = "";
    check_with_python(*state, &summary, "never-started");
}

static void levels_that_a_model_lacks_are_not_numbers(void **state)
{
    const fixture *f = *state;
    const dfl_summary summary = some_summary();
    double levels[DFL_LEVELS];
    dfl_summary_levels(levels, &summary, f->eq);
    assert_true(levels[0] == 1e-12 && levels[1] == 2e-10);
    for (int i = 2; i < DFL_LEVELS; i++)
        assert_true(isnan(levels[i]));
}

static void people_are_told_residuals_steps_and_events(void **state)
{
    const fixture *f = *state;
    dfl_summary summary = some_summary();
    dfl_text text = {.ctx = f->ctx};
    summary.energy_drift = 3e-9;
    dfl_record *record = NULL;
    fixture_check(fixture_record(&record, f, ""), f->ctx);
    dfl_record_name_switches(record, switch_names, 2, impulse_names, 2);
    fixture_check(dfl_summary_text(&text, record, &summary), f->ctx);
    dfl_record_free(record);
    const char *const parts[] = {"swing: failed at t = 1.5",
                                 "1e-12 position",
                                 "2e-10 velocity",
                                 "11, and 25 rejected",
                                 "3e-09",
                                 "bottom at t = 0.25, impulse 7 floor, -8 rod, energy -3\n",
                                 "bottom at t = 0.5\n",
                                 "wall slips back at t = 0\n",
                                 "and 1 more"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(dfl_text_string(&text), parts[i]))
            fail_msg("'%s' is missing in\n%s", parts[i], dfl_text_string(&text));
    assert_null(strstr(dfl_text_string(&text), "contact"));
    dfl_text_clear(&text);
}

static void every_failed_allocation_is_clean(void **state)
{
    const fixture *f = *state;
    const dfl_summary summary = some_summary();
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, f->ctx) {
        dfl_text text = {.ctx = f->ctx};
        dfl_record *record = NULL;
        status = fixture_record(&record, f, "");
        if (!status) {
            dfl_record_name_switches(record, switch_names, 2, impulse_names, 2);
            status = dfl_summary_json(&text, record, &summary);
        }
        if (!status)
            status = dfl_summary_text(&text, record, &summary);
        dfl_context_fail_after(f->ctx, -1);
        dfl_record_free(record);
        dfl_text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parser_finds_every_field),
        cmocka_unit_test(what_does_not_exist_is_null),
        cmocka_unit_test(levels_that_a_model_lacks_are_not_numbers),
        cmocka_unit_test(people_are_told_residuals_steps_and_events),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
