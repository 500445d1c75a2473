/* Columns d(x)/d(L) of a run: a ball that bounces, against its closed form. */
#include <driftless/task.h>

#include "../failing.h"
#include "../support.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const ball =
    "local g, e, h = param('g', 9.81), param('e', 0.8), param('h', 1)\n"
    "local y = position('y') mass(y, 1) force(y, -g) initial{ y = h }\n"
    "unilateral('floor', y, { restitution = e }) output('square', y^2)\n"
    "draw.point('ball', {0, y}) simulate{ to = 1.1, every = 0.05, rtol = 1e-10 }\n";

/* Its height until the second impact; `bounced`: which side of the first one t is on. */
static double complex height(double t, double complex g, double complex e, double complex h,
                             bool bounced)
{
    const double complex fall = csqrt(2 * h / g), s = t - fall;
    return bounced ? e * csqrt(2 * g * h) * s - g * s * s / 2 : h - g * t * t / 2;
}

/* Its derivatives by g, e and h, by complex steps. */
static void slopes(double out[3], double t, bool bounced)
{
    const double step = 1e-30;
    for (int k = 0; k < 3; k++) {
        const double complex i = I * step;
        out[k] = cimag(height(t, 9.81 + (k == 0 ? i : 0), 0.8 + (k == 1 ? i : 0),
                              1 + (k == 2 ? i : 0), bounced)) /
                 step;
    }
}

static dfl_status make_curves(dfl_context *ctx, const char *const *files, int nfiles)
{
    static const char *const of[] = {"y", "square"};
    dfl_model *model = NULL;
    dfl_task *task = NULL;
    dfl_status status = dfl_model_load_text(&model, ctx, "ball.lua", ball, strlen(ball), NULL);
    if (!status)
        status = dfl_model_task(
            &task, ctx, model, "gradient",
            &(dfl_task_options){
                .nof = 2, .of = of, .by = "g,e,h", .noutput = nfiles, .output = files});
    dfl_task_free(task);
    dfl_model_free(model);
    return status;
}

static void every_row_has_the_derivatives_of_the_closed_form(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    const char *const files[] = {"gradient_columns.csv"};
    char line[1000];
    int rows = 0, after = 0;
    if (make_curves(ctx, files, 1))
        fail_msg("%s", dfl_message(ctx));
    FILE *file = fopen(files[0], "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "time,y,der(y),lambda(floor),square,d(y)/d(g),d(y)/d(e),d(y)/d(h),"
                              "d(square)/d(g),d(square)/d(e),d(square)/d(h)\n");
    while (fgets(line, sizeof line, file)) {
        double number[11], wanted[3];
        char *at = line;
        for (int i = 0; i < 11; i++, at++)
            number[i] = strtod(at, &at);
        const bool bounced = number[2] > 0 || number[0] > 0.46;
        slopes(wanted, number[0], bounced);
        for (int k = 0; k < 3; k++) {
            assert_near(number[5 + k], wanted[k], 1e-8);
            assert_near(number[8 + k], 2 * number[1] * wanted[k], 1e-8);
        }
        rows++;
        after += bounced;
    }
    fclose(file);
    assert_int_equal(rows, 25); /* 0 to 1.1, and two at the impact */
    assert_int_equal(after, 14);
    remove(files[0]);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    const char *const files[] = {"gradient_all.csv", "gradient_all.h5", "gradient_all.svg",
                                 "gradient_all.json"};
    dfl_context *ctx = dfl_context_create();
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL_BY(97, status, ctx) {
        status = make_curves(ctx, files, 4);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(remove(files[i]), 0);
    dfl_context_free(ctx);
}

static void rows_between_steps_are_refused(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_model *model = NULL;
    dfl_task *task = NULL;
    const char *const settings[] = {"interpolate=true"}, *const files[] = {"gradient_no.csv"};
    assert_int_equal(dfl_model_load_text(&model, ctx, "ball.lua", ball, strlen(ball), NULL),
                     DFL_OK);
    assert_int_equal(
        dfl_model_task(&task, ctx, model, "gradient",
                       &(dfl_task_options){
                           .nsettings = 1, .settings = settings, .noutput = 1, .output = files}),
        DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "steps of the solver"));
    assert_int_not_equal(access(files[0], F_OK), 0);
    dfl_task_free(task);
    assert_int_equal(dfl_model_task(&task, ctx, model, "gradient",
                                    &(dfl_task_options){
                                        .derivatives = "adjoint", .noutput = 1, .output = files}),
                     DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "need direct"));
    dfl_task_free(task);
    dfl_model_free(model);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_the_derivatives_of_the_closed_form),
        cmocka_unit_test(no_memory_leaves_nothing_behind),
        cmocka_unit_test(rows_between_steps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
