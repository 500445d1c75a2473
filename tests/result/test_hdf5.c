/* HDF5 results: everything read back through HDF5 itself, Python and Octave; killed and starved
   runs. */
#define _POSIX_C_SOURCE 200809L
#include "failing.h"
#include "fixture.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { N = 6, PLACE_X = 4 };

static const char *const switch_names[] = {"x - 1 in force, line 3", "floor"};
static const char *const impulse_names[] = {"floor", "rod"};

/* Row k of the tests: time k/2, component i of x is k + i/10, the output -k. */
static void fill(double x[N], double *height, long k)
{
    for (int i = 0; i < N; i++)
        x[i] = (double)k + 0.1 * i;
    *height = -(double)k;
}

static dfl_status write_event(dfl_record *record, double t)
{
    static const dfl_impulse impulses[] = {{0, 7}, {1, -8}};
    const dfl_switch_record impact = {.time = t,
                                      .kind = DFL_SWITCHED_IMPACT,
                                      .name = 1,
                                      .state = DFL_TOUCHING_STICKS,
                                      .energy_change = -3,
                                      .nimpulses = 2,
                                      .impulses = impulses};
    const dfl_event_record event = {.event = 0, .direction = -1, .time = t, .acts = -1};
    const dfl_status status = dfl_record_switch(record, &impact);
    return status ? status : dfl_record_event(record, &event);
}

static dfl_status write_rows(dfl_record *record, long count)
{
    double x[N], height;
    dfl_status status = DFL_OK;
    for (long k = 0; !status && k < count; k++) {
        fill(x, &height, k);
        status = dfl_record_row(record, 0.5 * (double)k, x, &height, NULL);
        const dfl_step_record step = {.time = 0.5 * (double)k,
                                      .size = 0.5,
                                      .order = 5,
                                      .rejections = k % 3,
                                      .residual = {1, 2, NAN, 4, 5, 6, 7, 8},
                                      .energy = 10};
        if (!status)
            status = dfl_record_step(record, &step);
        if (!status && k % 4 == 1)
            status = write_event(record, 0.5 * (double)k);
    }
    return status;
}

static void write_complete(const fixture *f, const char *path, long rows)
{
    double given[N], height;
    const bool held[N] = {[PLACE_X] = true};
    dfl_record *record = NULL;
    dfl_summary summary = {.form = "psf",
                           .method = "radau5",
                           .status = "completed",
                           .message = "",
                           .t = 4.5,
                           .seconds = 1,
                           .energy_drift = 2e-9,
                           .x = given};
    summary.statistics.accepted = 9;
    summary.statistics.max_residual.position = 1e-12;
    fill(given, &height, 0);
    fixture_check(fixture_record(&record, f, path), f->ctx);
    dfl_record_name_switches(record, switch_names, 2, impulse_names, 2);
    assert_true(dfl_record_takes_steps(record));
    fixture_check(dfl_record_start(record, given, held, given), f->ctx);
    fixture_check(write_rows(record, rows), f->ctx);
    fixture_check(dfl_record_close(record, &summary), f->ctx);
    dfl_record_free(record);
}

/* Reads a table of doubles; returns the number of rows. */
static long read_table(double *out, size_t room, hid_t file, const char *name)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    hsize_t size[2] = {0, 1};
    H5Sget_simple_extent_dims(space, size, NULL);
    assert_true(size[0] * size[1] <= room);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return (long)size[0];
}

/* More rows than a block holds, so that full and partial blocks are both read. */
static void tables_read_back_as_written(void **state)
{
    enum { ROWS = 3000 };
    static double table[ROWS * 8];
    const int place[N] = {4, 5, 2, 3, 1, 0};
    char path[128];
    write_complete(*state, fixture_path(path, *state, "a.h5"), ROWS);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_int_equal(read_table(table, ROWS, file, "time"), ROWS);
    for (int k = 0; k < ROWS; k++)
        assert_true(table[k] == 0.5 * k);
    assert_int_equal(read_table(table, (size_t)ROWS * N, file, "state"), ROWS);
    for (int k = 0; k < ROWS; k++)
        for (int i = 0; i < N; i++)
            assert_true(table[k * N + i] == k + 0.1 * place[i]);
    assert_int_equal(read_table(table, ROWS, file, "outputs"), ROWS);
    assert_true(table[ROWS - 1] == -(ROWS - 1));
    assert_int_equal(read_table(table, (size_t)ROWS * 8, file, "residuals"), ROWS);
    assert_true(table[8 * (ROWS - 1) + 7] == 8 && isnan(table[8 * (ROWS - 1) + 2]));
    assert_int_equal(read_table(table, ROWS, file, "steps/rejections"), ROWS);
    assert_true(table[ROWS - 1] == (ROWS - 1) % 3);
    assert_int_equal(read_table(table, ROWS, file, "events/time"), ROWS / 4);
    H5Fclose(file);
}

static void python_reads_everything(void **state)
{
    char path[128];
    write_complete(*state, fixture_path(path, *state, "a.h5"), 10);
    fixture_command("/usr/bin/python3 %s/tests/result/read_h5.py %s %s", path, "completed");
}

static void octave_reads_everything(void **state)
{
    char path[128];
    if (system("command -v octave-cli >/dev/null 2>&1"))
        skip();
    write_complete(*state, fixture_path(path, *state, "a.h5"), 10);
    fixture_command("octave-cli --norc -q %s/tests/result/read_h5.m %s >%s", path, "/dev/null");
}

/* SIGKILL leaves no time to close. */
static void a_killed_run_keeps_what_it_had(void **state)
{
    fixture *f = *state;
    char path[128];
    fixture_path(path, f, "killed.h5");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const double x[N] = {0};
        const bool held[N] = {false};
        dfl_record *record = NULL;
        if (fixture_record(&record, f, path) || dfl_record_start(record, x, held, x))
            _exit(1);
        for (;;)
            if (write_rows(record, 1000))
                _exit(2);
    }
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 300000000}, NULL); /* a flush a second */
    kill(child, SIGKILL);
    int ended;
    waitpid(child, &ended, 0);
    assert_true(WIFSIGNALED(ended));
    fixture_command("/usr/bin/python3 %s/tests/result/read_h5.py %s %s", path, "killed");
}

/* With a limit on the size of files, as with a full disk, the run fails, and its file still
   opens. */
static void a_starved_run_fails_and_its_file_opens(void **state)
{
    fixture *f = *state;
    char path[128];
    fixture_path(path, f, "starved.h5");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const double x[N] = {0};
        const bool held[N] = {false};
        dfl_record *record = NULL;
        const struct rlimit limit = {400000, 400000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        if (fixture_record(&record, f, path) || dfl_record_start(record, x, held, x))
            _exit(1);
        if (write_rows(record, 100000) != DFL_IO || !strstr(dfl_message(f->ctx), "File too large"))
            _exit(2);
        dfl_summary summary = {.status = "failed", .message = ""};
        _exit(dfl_record_close(record, &summary) == DFL_IO ? 0 : 3);
    }
    int ended;
    waitpid(child, &ended, 0);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 0);
    fixture_command("/usr/bin/python3 %s/tests/result/read_h5.py %s %s", path, "starved");
}

static void files_that_cannot_be_written_are_refused_with_the_reason(void **state)
{
    const fixture *f = *state;
    dfl_record *record = NULL;
    assert_int_equal(fixture_record(&record, f, "/nowhere/a.h5"), DFL_INVALID);
    assert_non_null(strstr(dfl_message(f->ctx), "No such file"));
}

static void every_failed_allocation_is_clean(void **state)
{
    const fixture *f = *state;
    const double x[N] = {0};
    const bool held[N] = {false};
    char path[128];
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, f->ctx) {
        dfl_record *record = NULL;
        status = fixture_record(&record, f, fixture_path(path, f, "memory.h5"));
        if (!status)
            status = dfl_record_start(record, x, held, x);
        dfl_context_fail_after(f->ctx, -1);
        dfl_record_free(record);
    }
}

/* The residuals at x, as it is, in the order of a file. */
static void levels_at(double levels[DFL_LEVELS], const fixture *f, dfl_form form, const double *x)
{
    dfl_solver *solver = NULL;
    const dfl_solver_options options = {.form = form};
    const dfl_conditions as_given = {.mode = DFL_START_AS_GIVEN};
    fixture_check(dfl_solver_create(&solver, f->ctx, dfl_runnable_eom(f->run), &options), f->ctx);
    fixture_check(dfl_solver_start(solver, 0, x, &as_given), f->ctx);
    const dfl_residuals residuals = dfl_solver_residuals(solver);
    dfl_residual_levels(levels, &residuals);
    dfl_solver_free(solver);
}

/* At p = (x, 0), v = (0, 3): g = x^2 - 1, gI = 0, a = (-2 x l / m, -g) with m = 2, so that
   gII = 2 x a_x + 2 v.v = -2 x^2 l + 18. */
static void residuals_are_those_of_the_equations(void **state)
{
    const fixture *f = *state;
    double levels[DFL_LEVELS], x[N] = {9, 0, 0, 3, 1, 0};
    levels_at(levels, f, DFL_PSF, x);
    assert_true(levels[0] == 0 && levels[1] == 0);
    assert_near(levels[2], 0, 1e-14 * 18); /* rounding */
    for (int i = 3; i < DFL_LEVELS; i++)
        assert_true(isnan(levels[i]));
    x[0] = 8, x[4] = 2;
    levels_at(levels, f, DFL_PSF, x);
    assert_near(levels[0], 3, 0);
    assert_near(levels[2], 46, 1e-14 * 64); /* |-2*4*8 + 18| */
    levels_at(levels, f, DFL_PSI1, x);
    assert_true(isnan(levels[2]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_read_back_as_written),
        cmocka_unit_test(python_reads_everything),
        cmocka_unit_test(octave_reads_everything),
        cmocka_unit_test(a_killed_run_keeps_what_it_had),
        cmocka_unit_test(a_starved_run_fails_and_its_file_opens),
        cmocka_unit_test(files_that_cannot_be_written_are_refused_with_the_reason),
        cmocka_unit_test(every_failed_allocation_is_clean),
        cmocka_unit_test(residuals_are_those_of_the_equations),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
