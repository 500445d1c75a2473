/* Memory of models and runs: nothing grows, and every allocation may fail. */
#define _POSIX_C_SOURCE 200809L
#include "../failing.h"
#include "running.h"

#include <stdio.h>
#include <unistd.h>

/* Small, so that each of its allocations can fail in turn. */
static const char *const body = "local L = param('L', 1) local x, y = position('x', 'y')\n"
                                "mass(x, 1) mass(y, 1) force(y, -9.81)\n"
                                "constraint('rod', x^2 + y^2 - L^2)\n"
                                "initial{ x = 0.6, ['der(x)'] = 0 } guess{ y = -0.8 }\n"
                                "simulate{ to = 0.1, rtol = 1e-4 }\n";

/* Loaded and freed a thousand times. */
static void nothing_grows(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        fixture f = started(cart, NULL);
        finished(&f);
    }
}

static fixture loaded(void)
{
    fixture f = {.ctx = dfl_context_create()};
    expect(&f, dfl_model_load_text(&f.model, f.ctx, "test.lua", body, strlen(body), NULL));
    return f;
}

static void loading_survives_no_memory(void **state)
{
    (void)state;
    fixture f = {.ctx = dfl_context_create()};
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, f.ctx) {
        status = dfl_model_load_text(&f.model, f.ctx, "test.lua", body, strlen(body), NULL);
        dfl_model_free(f.model);
        f.model = NULL;
    }
    finished(&f);
}

static dfl_status complete(fixture *f, const dfl_run_options *options, bool page, const char *save)
{
    dfl_status status = dfl_run_create(&f->run, f->ctx, f->model, options);
    if (!status)
        status = dfl_run_keep(f->run);
    if (!status && page)
        status = dfl_run_keep_page(f->run);
    if (!status && save)
        status = dfl_run_save_to(f->run, save);
    if (!status)
        status = dfl_run_complete(f->run);
    dfl_run_free(f->run);
    f->run = NULL;
    return status;
}

/* Rows in memory, and the page, if this build has pages. */
static void whole_runs_survive_no_memory(void **state)
{
    (void)state;
    fixture f = loaded();
    const bool page = !complete(&f, NULL, true, NULL);
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, f.ctx) {
        status = complete(&f, NULL, page, NULL);
    }
    finished(&f);
}

/* Values by name, and a saved run; no file that is not whole is left behind. */
static void starts_from_files_survive_no_memory(void **state)
{
    (void)state;
    char folder[] = "/tmp/driftless-XXXXXX", values[60], saved[60], other[60];
    assert_non_null(mkdtemp(folder));
    snprintf(values, sizeof values, "%s/state.json", folder);
    snprintf(saved, sizeof saved, "%s/saved.bin", folder);
    snprintf(other, sizeof other, "%s/other.bin", folder);
    FILE *file = fopen(values, "w");
    assert_non_null(file);
    fputs("{\"x\": 0.6, \"y\": -0.8, \"der(x)\": 0, \"der(y)\": 0, \"lambda(rod)\": 0}", file);
    assert_int_equal(fclose(file), 0);
    fixture f = loaded();
    expect(&f, complete(&f, NULL, false, saved));
    const char *const sources[] = {values, saved}, *const longer = "to=0.2";
    for (int i = 0; i < 2; i++) {
        const dfl_run_options options = {
            .nsettings = 1, .settings = &longer, .start_from = sources[i]};
        dfl_status status;
        WHILE_ALLOCATIONS_FAIL(status, f.ctx) {
            status = complete(&f, &options, false, other);
            assert_true(unlink(other) == 0 || status);
        }
    }
    finished(&f);
    unlink(values);
    unlink(saved);
    assert_int_equal(rmdir(folder), 0);
}

static dfl_status build(dfl_builder *builder)
{
    const dfl_argument name = {.kind = DFL_ARGUMENT_TEXT, .text = "x"},
                       x = {.kind = DFL_ARGUMENT_EXPRESSION, .text = "x"},
                       one = {.kind = DFL_ARGUMENT_NUMBER, .number = 1},
                       start = {.kind = DFL_ARGUMENT_NUMBER, .number = 0.5, .key = "x"},
                       table = {.kind = DFL_ARGUMENT_TABLE, .count = 1, .items = &start};
    const dfl_argument mass[] = {x, one};
    dfl_status status = dfl_builder_call(builder, "x", "position", 1, &name);
    if (!status)
        status = dfl_builder_call(builder, NULL, "mass", 2, mass);
    return status ? status : dfl_builder_call(builder, NULL, "initial", 1, &table);
}

static void builders_survive_no_memory(void **state)
{
    (void)state;
    fixture f = {.ctx = dfl_context_create()};
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, f.ctx) {
        dfl_builder *builder;
        status = dfl_builder_create(&builder, f.ctx, "built");
        if (!status)
            status = build(builder);
        if (!status)
            status = dfl_builder_load(&f.model, builder, NULL);
        dfl_model_free(f.model);
        f.model = NULL;
        dfl_builder_free(builder);
    }
    finished(&f);
}

/* Matrices of sparse runs are made when they are first needed: those of KLU, and condensed ones. */
static void sparse_runs_survive_no_memory(void **state)
{
    (void)state;
    static const char *const
        sparse = "linear=sparse",
        *const more[] = {
            "dynamic('charge', sin(x))\n",
            "for i = 1, 4 do local a, b = position('a'..i, 'b'..i) mass(a, 1) mass(b, 1)\n"
            "constraint('r'..i, a^2 + b^2 - i^2) force(a, -50*(a - x)) force(b, -50*(b - y))\n"
            "initial{ ['a'..i] = 0.1, ['der(a'..i..')'] = 0 } guess{ ['b'..i] = i } end\n"};
    const dfl_run_options options = {.nsettings = 1, .settings = &sparse};
    for (int i = 0; i < 2; i++) {
        char text[800];
        fixture f = {.ctx = dfl_context_create()};
        snprintf(text, sizeof text, "%s%s", body, more[i]);
        expect(&f, dfl_model_load_text(&f.model, f.ctx, "test.lua", text, strlen(text), NULL));
        dfl_status status;
        WHILE_ALLOCATIONS_FAIL(status, f.ctx) {
            status = complete(&f, &options, false, NULL);
        }
        finished(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_grows),
        cmocka_unit_test(loading_survives_no_memory),
        cmocka_unit_test(whole_runs_survive_no_memory),
        cmocka_unit_test(sparse_runs_survive_no_memory),
        cmocka_unit_test(starts_from_files_survive_no_memory),
        cmocka_unit_test(builders_survive_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
