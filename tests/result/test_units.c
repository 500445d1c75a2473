/* Units of columns: those of parameters, of joints, of what scripts say, and of velocities; in HDF5
   they are attributes. */
#define _POSIX_C_SOURCE 200809L
#include "failing.h"
#include "fixture.h"

#include "result/result.h"

#include <hdf5.h>

static const char script[] =
    "local x, y = position('x', 'y')\n"
    "unit(x, 'm')\n"
    "kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
    "local rod = constraint('rod', x^2 + y^2 - 1)\n"
    "local u = speed('u')\n"
    "unit(u, 'kn')\n"
    "mass(u, 1)\n"
    "dynamic('r', function(r) return x - r end, 'V')\n"
    "dynamic('a', 'b', function(a, b) return b, a end, 'A')\n"
    "dynamic('c', -x, 'W')\n"
    "local wheel = body('wheel', { mass = 1, inertia = {1, 1, 1} })\n"
    "local j = cylindrical('j', ground, wheel, { at = {0, 0, 0}, axis = {0, 0, 1} })\n"
    "local ball = body('ball', { mass = 1, inertia = {1, 1, 1} })\n"
    "local f = free('f', wheel, ball, { at = {0, 0, 0} })\n"
    "output('force', multiplier(rod), 'N')\n"
    "output('height', y)\n"
    "output('p', point(wheel, {1, 0, 0}), 'velocity')\n"
    "output('j', j)\n"
    "initial{ x = 1 }\n";

static const char *const expected[][2] = {
    {"x", "m"},           {"y", ""},           {"der(x)", "m/s"}, {"der(y)", ""},
    {"u", "kn"},          {"r", "V"},          {"a", "A"},        {"b", "A"},
    {"c", "W"},           {"j.q1", "rad"},     {"j.q2", "m"},     {"der(j.q1)", "rad/s"},
    {"der(j.q2)", "m/s"}, {"f.q1", "m"},       {"f.q4", ""},      {"f.w1", "rad/s"},
    {"f.v3", "m/s"},      {"lambda(rod)", ""}, {"force", "N"},    {"height", ""},
    {"p.vx", "m/s"},      {"j.fx", "N"},       {"j.mz", "N m"},
};
enum { EXPECTED = sizeof expected / sizeof *expected };

static int open_model(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = dfl_context_create();
    fixture_check(dfl_script_load_text(&f->model, f->ctx, "u.lua", script, strlen(script), NULL),
                  f->ctx);
    fixture_check(dfl_equations_create(&f->eq, f->model, true), f->ctx);
    fixture_check(dfl_runnable_create(&f->run, f->eq), f->ctx);
    snprintf(f->folder, sizeof f->folder, "/tmp/driftless-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

static void columns_have_the_units_of_their_declarations(void **state)
{
    const fixture *f = *state;
    dfl_columns columns;
    fixture_check(dfl_columns_create(&columns, f->eq), f->ctx);
    for (int k = 0; k < EXPECTED; k++) {
        int i = 0;
        while (i < columns.n + columns.m && strcmp(columns.names[i], expected[k][0]) != 0)
            i++;
        if (i == columns.n + columns.m || strcmp(columns.units[i], expected[k][1]) != 0)
            fail_msg("%s: '%s'", expected[k][0],
                     i == columns.n + columns.m ? "missing" : columns.units[i]);
    }
    dfl_columns_clear(&columns, f->ctx);
}

static void units_survive_failed_allocations(void **state)
{
    const fixture *f = *state;
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, f->ctx) {
        dfl_columns columns;
        status = dfl_columns_create(&columns, f->eq);
        dfl_context_fail_after(f->ctx, -1);
        if (!status)
            dfl_columns_clear(&columns, f->ctx);
    }
}

static void results_have_them_as_attributes(void **state)
{
    const fixture *f = *state;
    char path[128];
    dfl_record *record = NULL;
    fixture_check(fixture_record(&record, f, fixture_path(path, f, "u.h5")), f->ctx);
    dfl_record_free(record);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t attribute = H5Aopen_by_name(file, "outputs", "units", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    char *units[64] = {NULL};
    assert_true(H5Sget_simple_extent_npoints(space) <= 64);
    assert_true(H5Aread(attribute, type, units) >= 0);
    assert_string_equal(units[0], "N");
    assert_string_equal(units[1], "");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, units);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Fclose(file);
}

static void wrong_units_are_refused(void **state)
{
    (void)state;
    static const char *const list[][2] = {
        {"local x = position('x')\nunit(x, 3)", "unit: argument 2 is a number; give the unit"},
        {"local x = position('x')\nunit(velocity(x), 'm')", "give a coordinate, a speed"},
        {"local x = position('x')\nunit(2*x, 'm')", "give a coordinate, a speed"},
        {"local x = position('x')\nunit(x, 'mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm')",
         "the unit of 'x' is longer than 40 characters"},
        {"local x = position('x')\noutput('y', x, 4)", "output: argument 3 is a number"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        dfl_context *ctx = dfl_context_create();
        dfl_model *model;
        const dfl_status status =
            dfl_script_load_text(&model, ctx, "u.lua", list[i][0], strlen(list[i][0]), NULL);
        if (status != DFL_INVALID || !strstr(dfl_message(ctx), list[i][1]))
            fail_msg("%s: %s", list[i][0], dfl_message(ctx));
        dfl_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(columns_have_the_units_of_their_declarations, open_model,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(units_survive_failed_allocations, open_model,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(results_have_them_as_attributes, open_model, fixture_close),
        cmocka_unit_test(wrong_units_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
