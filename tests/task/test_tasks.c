/* What the commands of the program find, from a program: driftless/task.h. */
#include <driftless/task.h>

#include "../failing.h"
#include "../support.h"

#include <math.h>
#include <stdlib.h>

/* 2 kg on a spring of 8 N/m: 2 rad/s. */
static const char *const spring =
    "local k = param('k', 8) local x = position('x') mass(x, 2)\n"
    "force(x, -k*x + input('u', 0)) output('twice', 2*x)\n"
    "initial{ x = 0, ['der(x)'] = 1 } simulate{ to = 1, rtol = 1e-10 }\n";

typedef struct fixture {
    dfl_context *ctx;
    dfl_model *model;
    dfl_task *task;
} fixture;

static fixture loaded(const char *text)
{
    fixture f = {.ctx = dfl_context_create()};
    if (dfl_model_load_text(&f.model, f.ctx, "test.lua", text, strlen(text), NULL))
        fail_msg("%s", dfl_message(f.ctx));
    return f;
}

static void finished(fixture *f)
{
    dfl_task_free(f->task);
    dfl_model_free(f->model);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
}

static const dfl_task_report *done(fixture *f, const char *name, const dfl_task_options *options)
{
    dfl_task_free(f->task);
    if (dfl_model_task(&f->task, f->ctx, f->model, name, options))
        fail_msg("%s", dfl_message(f->ctx));
    assert_true(dfl_task_about(f->task)->completed);
    return dfl_task_about(f->task);
}

/* The number after `"key": ` in JSON, or after `"key": [`. */
static double number_of(const char *json, const char *key)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(json, quoted);
    if (!at)
        fail_msg("%s is not in %s", key, json);
    at += strlen(quoted);
    return strtod(at + strspn(at, "[{"), NULL);
}

static void modes_are_those_of_the_spring(void **state)
{
    (void)state;
    fixture f = loaded(spring);
    const dfl_task_report *about = done(&f, "modes", NULL);
    assert_near(fabs(number_of(about->json, "im")), 2, 1e-12);
    assert_near(number_of(about->json, "re"), 0, 1e-12);
    about = done(&f, "modes", &(dfl_task_options){.over = "k=2:8:2"});
    assert_near(fabs(number_of(strstr(about->json, "eigenvalues"), "im")), 1, 1e-12);
    finished(&f);
}

/* x(t) = u / (k - m omega^2) at rest. */
static void the_response_is_that_of_the_spring(void **state)
{
    (void)state;
    fixture f = loaded(spring);
    const double omega[] = {1, 2};
    const dfl_task_report *about =
        done(&f, "response", &(dfl_task_options){.at = "equilibrium", .nomega = 1, .omega = omega});
    assert_near(number_of(strstr(about->json, "\"response\""), "re"), 2 / 6.0, 1e-12);
    assert_null(about->note);
    about =
        done(&f, "response", &(dfl_task_options){.at = "equilibrium", .nomega = 2, .omega = omega});
    assert_non_null(strstr(about->note, "undamped pole"));
    finished(&f);
}

/* x = sin(w t)/w with w = sqrt(k/m), dx/dk by hand. */
static void the_gradient_is_that_of_the_formula(void **state)
{
    (void)state;
    const double w = 2, dw = 1 / (2 * w * 2);
    const char *const of[] = {"x"};
    fixture f = loaded(spring);
    const dfl_task_report *about =
        done(&f, "gradient", &(dfl_task_options){.nof = 1, .of = of, .by = "k"});
    assert_near(number_of(about->json, "value"), sin(w) / w, 1e-8);
    assert_near(number_of(about->json, "k"), (cos(w) / w - sin(w) / (w * w)) * dw, 1e-7);
    finished(&f);
}

/* The file of a fit may be one that a run of the model has yet to write. */
static void a_missing_file_of_measurements_is_a_matter_of_optimize(void **state)
{
    (void)state;
    static const char *const of[] = {"x"};
    fixture f = loaded("local v = param('v', 1) local x = position('x') mass(x, 1)\n"
                       "initial{ x = 0, ['der(x)'] = v } simulate{ to = 2 }\n"
                       "optimize{ vary = { v = {0, 3} }, fit = { file = 'no.csv', x = 'x' } }\n");
    assert_near(number_of(done(&f, "gradient", &(dfl_task_options){.nof = 1, .of = of})->json, "v"),
                2, 1e-9);
    dfl_task_free(f.task);
    f.task = NULL;
    assert_int_equal(dfl_model_task(&f.task, f.ctx, f.model, "optimize", NULL), DFL_INVALID);
    assert_non_null(strstr(dfl_message(f.ctx), "'no.csv' cannot be read"));
    finished(&f);
}

/* Where v + k x = 0, reached by an acceleration -u from x = 1 at rest, the motion stays: x falls as
   exp(-k t). */
static double slid(double u, double k, double t)
{
    const double reached = (sqrt(1 + 2 * k * k / u) - 1) / k;
    return (1 - u * reached * reached / 2) * exp(-k * (t - reached));
}

/* Forces that jump with a speed hold it, as in a run: a body comes to rest, a relay keeps a line.
 */
static void gradients_follow_motions_that_slide(void **state)
{
    (void)state;
    static const char *const of[] = {"x"};
    static const char *const how[] = {"direct", "adjoint"};
    fixture rests = loaded("local mu = param('mu', 0.5) local x = position('x') mass(x, 1)\n"
                           "force(x, -mu*sign(velocity(x))) initial{ x = 0, ['der(x)'] = 1 }\n"
                           "simulate{ to = 3, rtol = 1e-9 }");
    fixture relay = loaded("local u, k = param('u', 2), param('k', 1.5) local x = position('x')\n"
                           "mass(x, 1) force(x, -u*sign(velocity(x) + k*x))\n"
                           "initial{ x = 1, ['der(x)'] = 0 } simulate{ to = 2, rtol = 1e-9 }");
    for (int i = 0; i < 2; i++) {
        const dfl_task_options options = {.nof = 1, .of = of, .derivatives = how[i]};
        const char *json = done(&rests, "gradient", &options)->json;
        assert_near(number_of(json, "value"), 1, 1e-8);
        assert_near(number_of(json, "mu"), -2, 1e-7);
        json = done(&relay, "gradient", &options)->json;
        const double h = 1e-4, u = slid(2 + h, 1.5, 2) - slid(2 - h, 1.5, 2);
        const double k = slid(2, 1.5 + h, 2) - slid(2, 1.5 - h, 2);
        assert_near(number_of(json, "value"), slid(2, 1.5, 2), 1e-8);
        assert_near(number_of(json, "u"), u / (2 * h), 1e-7);
        assert_near(number_of(json, "k"), k / (2 * h), 1e-7);
    }
    finished(&rests);
    finished(&relay);
}

static void all_other_tasks_end_with_an_object(void **state)
{
    (void)state;
    fixture f = loaded(spring);
    const char *const names[] = {"linearize", "equilibrium", "lqr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const dfl_task_report *about =
            done(&f, names[i], &(dfl_task_options){.state_weight = "x=1"});
        assert_int_equal(strncmp(about->json, "{\"status\": \"completed\"", 22), 0);
        assert_true(strlen(about->text) > 0);
    }
    finished(&f);
}

/* Messages name fields, not options of the program, unless a prefix says so. */
static void failures_have_messages_and_objects(void **state)
{
    (void)state;
    fixture f = loaded(spring);
    dfl_task_options options = {.count = 1.5};
    assert_int_equal(dfl_model_task(&f.task, f.ctx, f.model, "modes", &options), DFL_INVALID);
    assert_string_equal(dfl_message(f.ctx), "count 1.5: give a whole number of modes");
    assert_false(dfl_task_about(f.task)->completed);
    assert_string_equal(dfl_task_about(f.task)->json,
                        "{\"status\": \"failed\", \"message\": \"count 1.5: give a whole number of "
                        "modes\", \"at\": null, \"unstable\": null, \"eigenvalues\": null}\n");
    dfl_task_free(f.task);
    assert_int_equal(dfl_model_task(&f.task, f.ctx, f.model, "lqr", NULL), DFL_INVALID);
    assert_non_null(strstr(dfl_message(f.ctx), " state_weight NAME=Q"));
    dfl_task_free(f.task);
    options.prefix = "--";
    assert_int_equal(dfl_model_task(&f.task, f.ctx, f.model, "modes", &options), DFL_INVALID);
    assert_non_null(strstr(dfl_message(f.ctx), "--count"));
    dfl_task_free(f.task);
    assert_int_equal(dfl_model_task(&f.task, f.ctx, f.model, "mode", NULL), DFL_INVALID);
    assert_null(f.task);
    assert_non_null(strstr(dfl_message(f.ctx), "modes"));
    assert_int_equal(dfl_model_task(&f.task, f.ctx, NULL, "modes", NULL), DFL_INVALID);
    finished(&f);
}

/* x'' = -3 sign(x + x') slides along x + x' = 0 from 0.53 s on: forms that can hold it are
   compared, the others say why not. */
static void motions_that_slide_are_compared(void **state)
{
    (void)state;
    fixture f = loaded("local x = position('x') kinetic(velocity(x)^2/2) initial{ x = 2 }\n"
                       "force(x, -3*sign(x + velocity(x))) simulate{ to = 3 }\n");
    const dfl_task_report *about =
        done(&f, "compare", &(dfl_task_options){.forms = "psf,ggl", .tol = "1e-6"});
    assert_non_null(strstr(about->text, "psf        radau           1e-06"));
    assert_non_null(strstr(about->text, "not with ggl"));
    finished(&f);
}

static void allocations_may_fail(void **state)
{
    (void)state;
    fixture f = loaded(spring);
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, f.ctx) {
        status = dfl_model_task(&f.task, f.ctx, f.model, "modes", NULL);
        dfl_task_free(f.task);
        f.task = NULL;
    }
    finished(&f);
}

/* The end of the last line of a file with rows. */
static double last_number(const char *path, int column)
{
    char line[1000] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        ;
    fclose(file);
    const char *at = line;
    for (int i = 0; i < column; i++)
        at = strchr(at, ',') + 1;
    return strtod(at, NULL);
}

static void the_optimum_is_a_script_and_a_run(void **state)
{
    (void)state;
    static const char *const throw_there =
        "local v = param('v', 3) local x = position('x') mass(x, 1) force(x, -velocity(x))\n"
        "initial{ x = 0.5, ['der(x)'] = v } simulate{ to = 1, rtol = 1e-9, every = 0.5 }\n"
        "optimize{ vary = { v = {1, 9}, ['initial(x)'] = {0, 2} },\n"
        "  minimize = final((x - 4)^2) + integral(1e-9*v^2) + 0.1*at(0, (x - 1)^2) }\n";
    const char *const files[] = {"optimum.lua", "optimum.csv", "optimum.json"};
    fixture f = loaded(throw_there), g = {.ctx = dfl_context_create()};
    dfl_run *best = NULL;
    done(&f, "optimize", &(dfl_task_options){.noutput = 3, .output = files});
    assert_near(last_number(files[1], 1), 4, 1e-5);
    assert_int_equal(dfl_model_load(&g.model, g.ctx, files[0], NULL), DFL_OK);
    assert_int_equal(dfl_run_create(&best, g.ctx, g.model, NULL), DFL_OK);
    assert_int_equal(dfl_run_start(best), DFL_OK);
    assert_int_equal(dfl_run_advance(best, 1), DFL_OK);
    assert_near(dfl_run_get(best, dfl_run_find(best, "x")), last_number(files[1], 1), 1e-12);
    dfl_run_free(best);
    for (int i = 0; i < 3; i++)
        remove(files[i]);
    finished(&g);
    finished(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_those_of_the_spring),
        cmocka_unit_test(the_response_is_that_of_the_spring),
        cmocka_unit_test(the_gradient_is_that_of_the_formula),
        cmocka_unit_test(gradients_follow_motions_that_slide),
        cmocka_unit_test(a_missing_file_of_measurements_is_a_matter_of_optimize),
        cmocka_unit_test(all_other_tasks_end_with_an_object),
        cmocka_unit_test(failures_have_messages_and_objects),
        cmocka_unit_test(motions_that_slide_are_compared),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(the_optimum_is_a_script_and_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
