/* Records: several files of one run, of which some fail; the description that all of them get. */
#define _POSIX_C_SOURCE 200809L
#include "fixture.h"

enum { N = 6 };

static const double x[N] = {0, 1, 2, 3, 4, 5}, height = 7;

static dfl_summary completed(void)
{
    return (dfl_summary){
        .form = "psf", .method = "radau5", .status = "completed", .message = "", .t = 1, .x = x};
}

static long lines_of(const char *path)
{
    long lines = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int c = getc(file); c != EOF; c = getc(file))
        lines += c == '\n';
    fclose(file);
    return lines;
}

/* A kind of file that fails at its third row, and counts what it gets. */
typedef struct broken {
    int rows, closed;
} broken;

static dfl_status open_broken(dfl_writer *writer)
{
    (void)writer;
    return DFL_OK;
}

static dfl_status break_at_three(dfl_writer *writer)
{
    broken *file = writer->file;
    return ++file->rows < 3 ? DFL_OK : dfl_fail(writer->ctx, DFL_IO, "'%s' is full", writer->path);
}

static dfl_status close_broken(dfl_writer *writer, bool finished)
{
    ((broken *)writer->file)->closed += finished ? 1 : 100;
    return DFL_OK;
}

static const dfl_file_kind broken_kind = {
    .open = open_broken, .row = break_at_three, .close = close_broken};

/* The message stays, the file gets nothing more, the other file gets everything. */
static void a_file_that_fails_leaves_the_others_alone(void **state)
{
    const fixture *f = *state;
    char good[128];
    broken file = {0};
    dfl_record *record = NULL;
    dfl_summary summary = completed();
    fixture_check(fixture_record(&record, f, ""), f->ctx);
    fixture_check(dfl_record_add(record, &broken_kind, "b", &file), f->ctx);
    fixture_check(dfl_record_open(record, fixture_path(good, f, "good.csv")), f->ctx);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(dfl_record_row(record, i, x, &height, NULL), i < 2 ? DFL_OK : DFL_IO);
        dfl_fail(f->ctx, DFL_INVALID, "another message");
    }
    assert_int_equal(dfl_record_event(record, &(dfl_event_record){0}), DFL_IO);
    assert_string_equal(dfl_message(f->ctx), "'b' is full");
    assert_int_equal(dfl_record_close(record, &summary), DFL_IO);
    assert_string_equal(dfl_message(f->ctx), "'b' is full");
    assert_string_equal(summary.status, "failed");
    assert_int_equal(file.rows, 3);
    assert_int_equal(file.closed, 1);
    assert_int_equal(lines_of(good), 11);
    dfl_record_free(record);
}

static void a_record_that_is_freed_gives_its_files_up(void **state)
{
    const fixture *f = *state;
    broken file = {0};
    dfl_record *record = NULL;
    fixture_check(fixture_record(&record, f, ""), f->ctx);
    fixture_check(dfl_record_add(record, &broken_kind, "b", &file), f->ctx);
    dfl_record_free(record);
    assert_int_equal(file.closed, 100);
}

/* Columns p, v, r, lambda; start and end appear when they are known. */
static void the_description_grows_with_the_run(void **state)
{
    const fixture *f = *state;
    const bool held[N] = {[4] = true};
    const char *const names[] = {"x", "y", "der(x)", "der(y)", "r", "lambda(rod)", "height"};
    dfl_record *record = NULL;
    dfl_summary summary = completed();
    fixture_check(fixture_record(&record, f, ""), f->ctx);
    const dfl_description *about = dfl_record_about(record);
    assert_string_equal(about->model, "swing");
    assert_true(about->n == N && about->m == 1);
    for (int i = 0; i < N + 1; i++)
        assert_string_equal(about->names[i], names[i]);
    assert_string_equal(about->kinds[5], "multiplier");
    assert_true(about->noptions == 2 && about->nparameters == 2 && about->nevents == 1);
    assert_true(about->values[0] == 2 && !strcmp(about->parameter_units[0], "kg"));
    assert_true(!about->scene && !about->given && !about->status);
    fixture_check(dfl_record_start(record, x, held, x), f->ctx);
    assert_true(about->given[0] == 4 && about->held[0] && !about->held[1]);
    dfl_record_warn(record, "careful");
    broken file = {0};
    fixture_check(dfl_record_add(record, &broken_kind, "b", &file), f->ctx);
    fixture_check(dfl_record_close(record, &summary), f->ctx);
    assert_string_equal(about->status, "completed");
    assert_string_equal(about->warnings, "careful\n");
    assert_string_equal(about->statistics[0].name, "t");
    assert_true(about->statistics[0].number == 1 && about->nlevels == DFL_LEVELS);
    dfl_record_free(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_fails_leaves_the_others_alone),
        cmocka_unit_test(a_record_that_is_freed_gives_its_files_up),
        cmocka_unit_test(the_description_grows_with_the_run),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
