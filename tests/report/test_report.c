/* Pages and plots: the same from a run and from its stored result; texts of a model stay texts;
   files that cannot be written; memory that is lacking. What a browser makes of a page:
   tests/report. */
#define _POSIX_C_SOURCE 200809L
#include "failing.h"
#include "result/fixture.h"

#include "declare/declare.h"
#include "report/report_internal.h"

enum { N = 5 }; /* lambda(rod), der(x), der(y), x, y */
static const char script[] = "local x, y = position('x', 'y')\n"
                             "kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
                             "constraint('rod', x^2 + y^2 - 1)\n"
                             "output('height', y + 1)\n"
                             "event('bottom', x)\n"
                             "draw.point('</script><img src=x onerror=alert(1)>', {x, y})\n"
                             "draw.line('rod', {0, 0}, {x, y})\n"
                             "-- </script><!-- <b>&amp;\n";

static int open_drawn(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = dfl_context_create();
    fixture_check(
        dfl_script_load_text(&f->model, f->ctx, "a<b&c.lua", script, strlen(script), NULL), f->ctx);
    fixture_check(dfl_equations_create(&f->eq, f->model, true), f->ctx);
    fixture_check(dfl_runnable_create(&f->run, f->eq), f->ctx);
    snprintf(f->folder, sizeof f->folder, "/tmp/driftless-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

/* A short run into one file. */
static dfl_status write_run(const fixture *f, const char *path, const char *columns)
{
    const double given[N] = {0, 0, 0, 1, 0.5};
    const bool held[N] = {false, false, false, true, false};
    dfl_summary summary = {
        .form = "psf", .method = "radau5", .status = "completed", .message = "", .t = 2};
    dfl_record *record = NULL;
    dfl_status status = fixture_record(&record, f, dfl_is_report(path) ? "" : path);
    if (!status && dfl_is_report(path))
        status = dfl_report_open(record, path, columns);
    if (!status)
        status = dfl_record_start(record, given, held, given);
    for (int k = 0; !status && k < 20; k++) {
        const double x[N] = {1, 2, 3, cos(0.1 * k), sin(0.1 * k)}, height = 1 + sin(0.1 * k);
        double scene[16];
        const dfl_step_record step = {.time = 0.1 * k, .size = 0.1, .residual = {1e-12 * k}};
        dfl_runnable_scene(scene, f->run, 0.1 * k, x);
        status = dfl_record_row(record, 0.1 * k, x, &height,
                                dfl_record_takes_scene(record) ? scene : NULL);
        if (!status)
            status = dfl_record_step(record, &step);
        if (!status && k == 10)
            status = dfl_record_event(record, &(dfl_event_record){0, -1, 1, -1});
    }
    if (!status) {
        dfl_record_warn(record, "look <here>");
        status = dfl_record_close(record, &summary);
    }
    dfl_record_free(record);
    return status;
}

/* The whole file (free). */
static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static int count(const char *text, const char *piece)
{
    int found = 0;
    while ((text = strstr(text, piece))) {
        found++;
        text += strlen(piece);
    }
    return found;
}

static void a_page_from_a_run_and_from_its_result_are_the_same(void **state)
{
    const fixture *f = *state;
    char live[128], stored[128], later[128];
    if (dfl_viewer_js_length == 0)
        skip();
    fixture_check(write_run(f, fixture_path(live, f, "live.html"), NULL), f->ctx);
    fixture_check(write_run(f, fixture_path(stored, f, "run.h5"), NULL), f->ctx);
    fixture_check(dfl_report_stored(f->ctx, stored, fixture_path(later, f, "later.html"), NULL),
                  f->ctx);
    char *a = read_whole(live), *b = read_whole(later);
    const char *from_a = strstr(a, "\n\"scene\":"), *from_b = strstr(b, "\n\"scene\":");
    assert_true(from_a && from_b);
    assert_string_equal(from_a, from_b); /* shapes, names, tables, program */
    static const char *const both[] = {"\"status\":\"completed\"",
                                       "\"form\":\"psf\"",
                                       "\"rtol\":1e-08",
                                       "\"event_names\":[\"bottom\"]",
                                       "\"warnings\":\"look \\u003chere>\\n\"",
                                       "\"initial\":[[1,1,1],[0.5,0.5,0]",
                                       "\"events\":[[1,0,-1]]"};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        if (!strstr(a, both[i]) || !strstr(b, both[i]))
            fail_msg("not in both pages: %s", both[i]);
    }
    free(a);
    free(b);
}

/* Two script elements end, and nothing of the model can be taken for an element. */
static void texts_of_a_model_stay_texts(void **state)
{
    const fixture *f = *state;
    char path[128];
    if (dfl_viewer_js_length == 0)
        skip();
    fixture_check(write_run(f, fixture_path(path, f, "a.html"), NULL), f->ctx);
    char *page = read_whole(path);
    assert_int_equal(count(page, "</script"), 2);
    assert_int_equal(count(page, "<img"), 0);
    assert_int_equal(count(page, "<!--"), 0);
    assert_int_equal(count(page, "\\u003c/script>\\u003cimg src=x onerror=alert(1)>"), 2);
    assert_non_null(strstr(page, "<title>a&lt;b&amp;c - Driftless</title>"));
    free(page);
}

static void a_plot_has_a_curve_and_a_name_for_every_column(void **state)
{
    const fixture *f = *state;
    char path[128], stored[128];
    fixture_check(write_run(f, fixture_path(path, f, "a.svg"), "x,lambda(rod)"), f->ctx);
    char *plot = read_whole(path);
    assert_int_equal(count(plot, "<path stroke="), 2);
    assert_non_null(strstr(plot, ">lambda(rod)</text>"));
    assert_non_null(strstr(plot, "time in s"));
    assert_non_null(strstr(plot, "<title>a&lt;b&amp;c</title>"));
    free(plot);
    fixture_check(write_run(f, fixture_path(stored, f, "run.h5"), NULL), f->ctx);
    fixture_check(dfl_report_stored(f->ctx, stored, path, "height,y"), f->ctx);
    plot = read_whole(path);
    assert_int_equal(count(plot, "<path stroke="), 2);
    free(plot);
}

/* Units stand in the legend; residuals have powers of ten. */
static void a_plot_may_show_residuals_energy_or_steps(void **state)
{
    const fixture *f = *state;
    static const struct {
        const char *columns, *piece;
        int curves;
    } list[] = {{"residuals", ">position</text>", 1},
                {"steps", ">step size in s</text>", 1},
                {"energy", ">change of energy in J</text>", 1}};
    char path[128], stored[128];
    fixture_check(write_run(f, fixture_path(stored, f, "run.h5"), NULL), f->ctx);
    for (int i = 0; i < 6; i++) {
        fixture_path(path, f, "a.svg");
        const char *columns = list[i / 2].columns;
        fixture_check(i % 2 ? write_run(f, path, columns)
                            : dfl_report_stored(f->ctx, stored, path, columns),
                      f->ctx);
        char *plot = read_whole(path);
        assert_int_equal(count(plot, "<path stroke="), list[i / 2].curves);
        assert_non_null(strstr(plot, list[i / 2].piece));
        assert_true((strstr(plot, ">10<tspan") != NULL) == (i / 2 < 2));
        free(plot);
    }
}

static void unknown_columns_and_files_are_refused(void **state)
{
    const fixture *f = *state;
    char path[128], stored[128], text[128];
    assert_int_equal(write_run(f, fixture_path(path, f, "a.svg"), "x,heigth"), DFL_INVALID);
    assert_non_null(strstr(dfl_message(f->ctx), "'heigth'; did you mean 'height'?"));
    fixture_check(write_run(f, fixture_path(stored, f, "run.h5"), NULL), f->ctx);
    assert_int_equal(dfl_report_stored(f->ctx, stored, path, "z9"), DFL_INVALID);
    assert_int_equal(dfl_report_stored(f->ctx, stored, fixture_path(path, f, "a.png"), NULL),
                     DFL_INVALID);
    assert_non_null(strstr(dfl_message(f->ctx), "ends in .html"));
    assert_int_equal(dfl_report_stored(f->ctx, fixture_path(text, f, "none.h5"), path, NULL),
                     DFL_INVALID);
    assert_non_null(strstr(dfl_message(f->ctx), "cannot be read: No such file"));
    fixture_check(write_run(f, fixture_path(text, f, "a.csv"), NULL), f->ctx);
    assert_int_equal(dfl_report_stored(f->ctx, text, fixture_path(path, f, "a.html"), NULL),
                     DFL_INVALID);
    assert_non_null(strstr(dfl_message(f->ctx), "is not a result of driftless"));
}

/* /dev/full takes nothing. */
static void a_full_disk_is_told(void **state)
{
    const fixture *f = *state;
    char page[128], plot[128], stored[128];
    if (dfl_viewer_js_length == 0)
        skip();
    assert_int_equal(symlink("/dev/full", fixture_path(page, f, "full.html")), 0);
    assert_int_equal(symlink("/dev/full", fixture_path(plot, f, "full.svg")), 0);
    assert_int_equal(write_run(f, page, NULL), DFL_IO);
    assert_non_null(strstr(dfl_message(f->ctx), "No space left on device"));
    assert_int_equal(write_run(f, plot, NULL), DFL_IO);
    fixture_check(write_run(f, fixture_path(stored, f, "run.h5"), NULL), f->ctx);
    assert_int_equal(dfl_report_stored(f->ctx, stored, page, NULL), DFL_IO);
    assert_int_equal(write_run(f, fixture_path(page, f, "none/a.html"), NULL), DFL_INVALID);
}

static void reports_survive_every_failed_allocation(void **state)
{
    const fixture *f = *state;
    char page[128], plot[128], stored[128];
    fixture_check(write_run(f, fixture_path(stored, f, "run.h5"), NULL), f->ctx);
    fixture_path(page, f, dfl_viewer_js_length > 0 ? "a.html" : "a.svg");
    fixture_path(plot, f, "b.svg");
    for (int what = 0; what < 3; what++) {
        dfl_status status;
        WHILE_ALLOCATIONS_FAIL(status, f->ctx) {
            status = what == 0   ? write_run(f, page, NULL)
                     : what == 1 ? write_run(f, plot, "x,y")
                                 : dfl_report_stored(f->ctx, stored, page, NULL);
            dfl_context_fail_after(f->ctx, -1);
        }
        assert_int_equal(status, DFL_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_from_a_run_and_from_its_result_are_the_same,
                                        open_drawn, fixture_close),
        cmocka_unit_test_setup_teardown(texts_of_a_model_stay_texts, open_drawn, fixture_close),
        cmocka_unit_test_setup_teardown(a_plot_has_a_curve_and_a_name_for_every_column, open_drawn,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(a_plot_may_show_residuals_energy_or_steps, open_drawn,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(unknown_columns_and_files_are_refused, open_drawn,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(a_full_disk_is_told, open_drawn, fixture_close),
        cmocka_unit_test_setup_teardown(reports_survive_every_failed_allocation, open_drawn,
                                        fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
