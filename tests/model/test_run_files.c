/* Files of a run are those of the program; pages are texts; runs go on from files. */
#define _POSIX_C_SOURCE 200809L
#include "running.h"

#include <unistd.h>

/* The contents of a file; freed by the caller. */
static char *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (1 << 20) - 1, file);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static void run_program(const char *arguments)
{
    char command[2000];
    snprintf(command, sizeof command, "%s %s", DFL_PROGRAM_FILE, arguments);
    assert_int_equal(system(command), 0);
}

static void assert_same_file(const char *a, const char *b)
{
    size_t na, nb;
    char *one = contents(a, &na), *two = contents(b, &nb);
    assert_true(na > 100 && na == nb && !memcmp(one, two, na));
    free(one);
    free(two);
}

/* A folder for the files of a test, which the test makes its own. */
static void enter_folder(char *folder)
{
    strcpy(folder, "/tmp/driftless-files-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
}

static void leave_folder(const char *folder, const char *const *files, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(unlink(files[i]), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void a_program_and_the_command_line_write_the_same_bytes(void **state)
{
    (void)state;
    static const char *const examples[] = {"pendulum", "slider-crank-bodies", "ball"};
    static const char *const files[] = {"here.csv", "there.csv", "here.svg", "there.svg"};
    char folder[100], text[1000];
    enter_folder(folder);
    for (int i = 0; i < 3; i++) {
        fixture f = {.ctx = dfl_context_create()};
        snprintf(text, sizeof text, "%s/examples/%s.lua", DFL_SOURCE_DIR, examples[i]);
        expect(&f, dfl_model_load(&f.model, f.ctx, text, NULL));
        expect(&f, dfl_run_create(&f.run, f.ctx, f.model, NULL));
        expect(&f, dfl_run_write(f.run, "here.csv"));
        expect(&f, dfl_run_write(f.run, "here.svg"));
        expect(&f, dfl_run_start(f.run));
        expect(&f, dfl_run_finish(f.run));
        assert_non_null(strstr(dfl_run_text(f.run), "completed"));
        finished(&f);
        snprintf(text, sizeof text,
                 "run %s/examples/%s.lua --quiet --output there.csv --plot there.svg",
                 DFL_SOURCE_DIR, examples[i]);
        run_program(text);
        assert_same_file("here.csv", "there.csv");
        assert_same_file("here.svg", "there.svg");
    }
    leave_folder(folder, files, 4);
}

static void pages_are_texts(void **state)
{
    (void)state;
    fixture f = created(pendulum, NULL);
    expect(&f, dfl_run_keep_page(f.run));
    const dfl_status status = dfl_run_start(f.run);
    if (status && strstr(dfl_message(f.ctx), "Node.js")) { /* built without it */
        finished(&f);
        skip();
    }
    expect(&f, status);
    assert_null(dfl_run_page(f.run));
    assert_int_equal(dfl_run_keep_page(f.run), DFL_INVALID);
    expect(&f, dfl_run_finish(f.run));
    assert_non_null(dfl_run_page(f.run));
    assert_non_null(strstr(dfl_run_page(f.run), "<html"));
    assert_non_null(strstr(dfl_run_page(f.run), "lambda(rod)"));
    assert_non_null(strstr(dfl_run_page(f.run), "</html>"));
    finished(&f);
}

/* From bytes of the program in a file, with parameters that were set; from values by name. */
static void runs_start_from_files(void **state)
{
    (void)state;
    static const char *const files[] = {"saved.bin", "state.json"};
    const dfl_run_options from_bytes = {.start_from = "saved.bin"},
                          from_values = {.start_from = "state.json"};
    char folder[100];
    enter_folder(folder);
    fixture f = started(pendulum, NULL);
    set(&f, "L", 1.1);
    expect(&f, dfl_run_advance(f.run, 1));
    const size_t size = dfl_run_saved_size(f.run);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    expect(&f, dfl_run_save(bytes, f.run));
    FILE *file = fopen("saved.bin", "wb");
    assert_true(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    free(bytes);
    fixture on = started(pendulum, &from_bytes);
    assert_true(dfl_run_time(on.run) == 1);
    assert_near(value(&on, "L"), 1.1, 0);
    expect(&f, dfl_run_advance(f.run, 2));
    expect(&on, dfl_run_advance(on.run, 2));
    assert_true(value(&f, "x") == value(&on, "x"));

    file = fopen("state.json", "w");
    assert_non_null(file);
    fputs("{\"x\": 0.6, \"y\": -0.8, \"der(x)\": 0, \"der(y)\": 0, \"lambda(rod)\": 0}", file);
    assert_int_equal(fclose(file), 0);
    fixture other = started(pendulum, &from_values);
    assert_near(value(&other, "x"), 0.6, 1e-12);
    finished(&f);
    finished(&on);
    finished(&other);
    leave_folder(folder, files, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_and_the_command_line_write_the_same_bytes),
        cmocka_unit_test(pages_are_texts),
        cmocka_unit_test(runs_start_from_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
