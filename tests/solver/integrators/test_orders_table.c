/* test_orders_table.c: docs/orders.md says what the present code does: some of its entries are
   measured again. */
#include "../../../bench/orders.h"
#include "support.h"

#include <stdlib.h>

static char *text; /* of docs/orders.md */

static int read_table(void **state)
{
    (void)state;
    FILE *file = fopen(DFL_SOURCE_DIR "/docs/orders.md", "rb");
    enum { MOST = 100000 };
    text = calloc(1, MOST + 1);
    const size_t length = file && text ? fread(text, 1, MOST, file) : 0;
    if (file)
        fclose(file);
    return length == 0;
}

static int free_table(void **state)
{
    (void)state;
    free(text);
    return 0;
}

/* The cell number `column`, counted from 0, of the line of a table that begins at `line`. */
static const char *cell(const char *line, int column)
{
    for (int i = 0; line && i <= column; i++)
        line = strchr(line + (i > 0), '|');
    return line ? line + 1 : NULL;
}

/* The printed orders of a form and a method. */
static void printed(double order[ORDERS_KINDS], const char *example, dfl_form form,
                    const orders_method *method)
{
    char name[80];
    snprintf(name, sizeof name, "\n### %s, ", example);
    const char *table = text;
    int column = -1;
    while (column < 0) { /* tables of this problem: the one with the method's column */
        table = strstr(table + 1, name);
        if (!table)
            fail_msg("docs/orders.md has no column '%s' for %s", method->name, example);
        const char *line = strstr(table, "\n| form |") + 1, *end = strchr(line, '\n');
        for (int i = 1; cell(line, i) && cell(line, i) < end; i++)
            if (!strncmp(cell(line, i) + 1, method->name, strlen(method->name)) &&
                cell(line, i)[1 + strlen(method->name)] == ' ')
                column = i;
    }
    snprintf(name, sizeof name, "\n| `%s` |", dfl_form_name(form));
    const char *line = strstr(table, name);
    assert_non_null(line);
    const char *here = cell(line + 1, column);
    for (int i = 0; i < ORDERS_KINDS; i++) {
        char *end;
        order[i] = strtod(here, &end);
        here = end + strspn(end, "\\*");
    }
}

static const orders_method *method_called(const char *name)
{
    for (int i = 0; i < ORDERS_METHODS; i++)
        if (!strcmp(orders_methods[i].name, name))
            return &orders_methods[i];
    fail_msg("there is no method %s", name);
    return NULL;
}

static void entries_of_the_table_are_what_is_measured(void **state)
{
    (void)state;
    static const struct {
        const char *problem, *method;
        dfl_form form;
    } entries[] = {{"pendulum", "radau 5", DFL_PSF},   {"pendulum", "radau 5", DFL_EOM},
                   {"pendulum", "radau 5", DFL_GGL},   {"pendulum", "radau 9", DFL_PINV},
                   {"pendulum", "bdf 3", DFL_PSF},     {"pendulum", "bdf 5", DFL_TANGENT},
                   {"pendulum", "midpoint", DFL_EOM1}, {"pendulum", "half-explicit", DFL_PSF},
                   {"top", "radau 5", DFL_PSI1},       {"top", "radau 9", DFL_PSF},
                   {"top", "radau 1", DFL_PSF},        {"top", "trapezoidal", DFL_PSI1},
                   {"top", "bdf 2", DFL_EXT317},       {"top", "explicit-pair", DFL_EXPLICIT},
                   {"top", "radau 5", DFL_BAUMGARTE}};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const orders_method *method = method_called(entries[i].method);
        orders_motion m;
        double expected[ORDERS_KINDS];
        assert_true(orders_motion_make(&m, entries[i].problem, orders_high(method)));
        const orders_found found = orders_measure(&m, entries[i].form, method);
        printed(expected, entries[i].problem, entries[i].form, method);
        for (int k = 0; k < ORDERS_KINDS; k++)
            if (!(fabs(found.order[k] - expected[k]) < 0.16)) /* one decimal, and rounding */
                fail_msg("%s, %s, %s: order %.2f of unknowns of kind %d, printed is %.1f",
                         entries[i].problem, entries[i].method, dfl_form_name(entries[i].form),
                         found.order[k], k, expected[k]);
        problem_free(&m.prob);
    }
}

static void combinations_that_are_refused_are_marked(void **state)
{
    (void)state;
    orders_motion m;
    assert_true(orders_motion_make(&m, "pendulum", false));
    assert_int_equal(orders_measure(&m, DFL_EOM, method_called("half-explicit")).status,
                     DFL_INVALID);
    assert_int_equal(orders_measure(&m, DFL_GGL, method_called("explicit-pair")).status,
                     DFL_INVALID);
    problem_free(&m.prob);
    assert_non_null(strstr(text, "| `eom` | - | - |"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_the_table_are_what_is_measured),
        cmocka_unit_test(combinations_that_are_refused_are_marked),
    };
    return cmocka_run_group_tests(tests, read_table, free_table);
}
