/* Results in memory: rows, events and initial values as they were given. */
#define _POSIX_C_SOURCE 200809L
#include "failing.h"
#include "fixture.h"

enum { N = 6, COLUMNS = 1 + N + 1, ROWS = 1000 };

static void write_everything(dfl_record *record, dfl_context *ctx)
{
    double x[N] = {0, 1, 2, 3, 4, 5};
    const bool held[N] = {[4] = true};
    fixture_check(dfl_record_start(record, x, held, x), ctx);
    for (int i = 0; i < ROWS; i++) {
        const double height = 100 + i;
        const dfl_event_record event = {.event = 0, .direction = i % 2, .time = i};
        x[0] = -i;
        fixture_check(dfl_record_row(record, i, x, &height, NULL), ctx);
        fixture_check(dfl_record_event(record, &event), ctx);
    }
}

static void a_table_keeps_rows_events_and_initial_values(void **state)
{
    const fixture *f = *state;
    const long before = dfl_context_live(f->ctx);
    dfl_table table = {.ctx = f->ctx};
    dfl_record *record = NULL;
    fixture_check(fixture_record(&record, f, ""), f->ctx);
    fixture_check(dfl_record_open_table(record, &table), f->ctx);
    assert_false(dfl_record_takes_steps(record));
    write_everything(record, f->ctx);
    assert_int_equal(table.columns, COLUMNS);
    assert_int_equal(table.rows, ROWS);
    assert_int_equal(table.nevents, ROWS);
    for (int i = 0; i < ROWS; i++) { /* time, x, y, der(x), der(y), r, lambda, height */
        const double expected[COLUMNS] = {i, 4, 5, 2, 3, 1, -i, 100 + i};
        assert_memory_equal(table.values + i * COLUMNS, expected, sizeof expected);
        assert_true(table.events[i].time == i && table.events[i].direction == i % 2);
    }
    const dfl_description *about = dfl_record_about(record); /* in the order of the columns */
    assert_true(about->given[1] == 5 && about->corrected[3] == 3 && about->held[0]);
    assert_false(about->held[1] || about->held[5]);
    dfl_record_free(record);
    dfl_table_clear(&table);
    assert_int_equal(dfl_context_live(f->ctx), before);
}

static void every_failed_allocation_is_clean(void **state)
{
    const fixture *f = *state;
    const double x[N] = {0}, height = 0;
    const bool held[N] = {false};
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, f->ctx) {
        dfl_table table = {.ctx = f->ctx};
        dfl_record *record = NULL;
        status = fixture_record(&record, f, "");
        if (!status)
            status = dfl_record_open_table(record, &table);
        if (!status)
            status = dfl_record_start(record, x, held, x);
        for (int i = 0; !status && i < 200; i++)
            status = dfl_record_row(record, i, x, &height, NULL);
        if (!status)
            status = dfl_record_event(record, &(dfl_event_record){0});
        dfl_context_fail_after(f->ctx, -1);
        dfl_record_free(record);
        dfl_table_clear(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_keeps_rows_events_and_initial_values),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
