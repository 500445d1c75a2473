/* CSV results: the header, numbers that read back the same, quoting, files that cannot be
   written. */
#define _POSIX_C_SOURCE 200809L
#include "failing.h"
#include "fixture.h"

enum { N = 6 };
/* in the order of x; 0.1 and 1/3 need all 17 digits */
static const double state_of_x[N] = {0.1, 1.0 / 3.0, -2e-300, 4, 5.5, NAN};

/* The whole file as a string. */
static char *read_whole(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void the_header_names_positions_first_and_outputs_last(void **state)
{
    const fixture *f = *state;
    char path[128];
    dfl_record *record = NULL;
    fixture_check(fixture_record(&record, f, fixture_path(path, f, "a.csv")), f->ctx);
    assert_false(dfl_record_takes_steps(record));
    dfl_record_free(record);
    assert_string_equal(read_whole(path), "time,x,y,der(x),der(y),r,lambda(rod),height\n");
}

static void numbers_read_back_with_the_same_bits(void **state)
{
    const fixture *f = *state;
    const int place[N] = {4, 5, 2, 3, 1, 0};
    const double height = 1e22 / 7;
    char path[128];
    dfl_record *record = NULL;
    fixture_check(fixture_record(&record, f, fixture_path(path, f, "a.csv")), f->ctx);
    fixture_check(dfl_record_row(record, 0.7, state_of_x, &height, NULL), f->ctx);
    dfl_record_free(record);
    char *at = strchr(read_whole(path), '\n') + 1;
    assert_true(strtod(at, &at) == 0.7);
    for (int i = 0; i < N; i++) {
        const double found = strtod(at + 1, &at), expected = state_of_x[place[i]];
        assert_true(found == expected || (isnan(found) && isnan(expected)));
    }
    assert_true(strtod(at + 1, &at) == height);
    assert_string_equal(at, "\n");
}

/* No name that a model accepts needs it, so one is put in its place. */
static void names_with_commas_and_quotes_are_quoted(void **state)
{
    const fixture *f = *state;
    char path[128], odd[] = "a,\"b\"", *usual = f->eq->x[0].name;
    dfl_record *record = NULL;
    f->eq->x[0].name = odd;
    const dfl_status status = fixture_record(&record, f, fixture_path(path, f, "a.csv"));
    f->eq->x[0].name = usual;
    fixture_check(status, f->ctx);
    dfl_record_free(record);
    assert_non_null(strstr(read_whole(path), ",r,\"a,\"\"b\"\"\",height\n"));
}

static void a_full_disk_is_reported_once_and_for_all(void **state)
{
    const fixture *f = *state;
    char path[128];
    dfl_record *record = NULL;
    assert_int_equal(symlink("/dev/full", fixture_path(path, f, "full.csv")), 0);
    assert_int_equal(fixture_record(&record, f, path), DFL_IO);
    assert_null(record);
    assert_non_null(strstr(dfl_message(f->ctx), "No space left"));
}

static void unknown_endings_and_folders_that_are_not_there_are_refused(void **state)
{
    const fixture *f = *state;
    dfl_record *record = NULL;
    assert_int_equal(fixture_record(&record, f, "result.txt"), DFL_INVALID);
    assert_non_null(strstr(dfl_message(f->ctx), ".csv"));
    assert_int_equal(fixture_record(&record, f, "/nowhere/a.csv"), DFL_INVALID);
    assert_non_null(strstr(dfl_message(f->ctx), "No such file"));
    assert_int_equal(fixture_record(&record, f, ".csv"), DFL_INVALID);
}

static void every_failed_allocation_is_clean(void **state)
{
    const fixture *f = *state;
    char path[128];
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, f->ctx) {
        dfl_record *record = NULL;
        status = fixture_record(&record, f, fixture_path(path, f, "a.csv"));
        dfl_context_fail_after(f->ctx, -1);
        dfl_record_free(record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_names_positions_first_and_outputs_last),
        cmocka_unit_test(numbers_read_back_with_the_same_bits),
        cmocka_unit_test(names_with_commas_and_quotes_are_quoted),
        cmocka_unit_test(a_full_disk_is_reported_once_and_for_all),
        cmocka_unit_test(unknown_endings_and_folders_that_are_not_there_are_refused),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
