/* test_page.c: docs/paper against fresh runs of the experiments it shows: the page must have been
   made by a build that computes what this one does. Numbers that rounding may change have a margin.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "paper.h"

enum { CELL = 80, PUBLISHED = 8 };

/* Cell `column` (from 0) of the first row of a table whose first cells are `first` and, unless it
   is NULL, `second`. */
static void cell(char *text, const char *first, const char *second, int column)
{
    char line[4000];
    FILE *page = fopen(DFL_SOURCE_DIR "/docs/paper/README.md", "r");
    assert_non_null(page);
    text[0] = '\0';
    while (!text[0] && fgets(line, sizeof line, page)) {
        char *at = line, *cells[40];
        int count = 0;
        for (char *bar; *at == '|' && (bar = strchr(at + 1, '|')) && count < 40; at = bar) {
            cells[count] = at + 2;
            bar[-1] = '\0';
            count++;
        }
        if (count > column && !strcmp(cells[0], first) && (!second || !strcmp(cells[1], second)))
            snprintf(text, CELL, "%s", cells[column]);
    }
    fclose(page);
    if (!text[0])
        fail_msg("docs/paper has no row '%s' '%s'", first, second ? second : "");
}

static void assert_shown(const char *first, const char *second, int column, double fresh,
                         double margin)
{
    char text[CELL];
    cell(text, first, second, column);
    const double shown = strtod(text, NULL);
    if (!(fabs(shown - fresh) <= margin * fabs(fresh)))
        fail_msg("docs/paper, row '%s', column %d: shown %s, now %g; make paper", first, column,
                 text, fresh);
}

/* GEOMS, tables 3 and 4: accepted steps, evaluations, selectors. */
static void counts_of_the_pendulum_are_those_of_this_build(void **state)
{
    (void)state;
    static swing_run run;
    for (int i = 0; i < 6; i++) {
        char speed[8], tolerance[8];
        snprintf(speed, sizeof speed, "%.1f", i < 3 ? 2.8 : 2.9);
        snprintf(tolerance, sizeof tolerance, "1e-%02d", 7 + i % 3);
        paper_swing(&run, i < 3 ? 2.8 : 2.9, pow(10, -7 - i % 3));
        assert_shown(speed, tolerance, 2, (double)run.stats.accepted, 0.02);
        assert_shown(speed, tolerance, 3, (double)run.stats.evaluations, 0.03);
        assert_shown(speed, tolerance, 11, (double)run.stats.selector_computations, 0);
    }
}

/* Steinbrecher (2002): the residuals of the start. */
static void residuals_of_the_circle_are_those_of_this_build(void **state)
{
    (void)state;
    static circle_run run;
    static const char *const level[] = {"g", "gI", "gII"};
    paper_circle(&run, DFL_UODE);
    for (int k = 0; k < 3; k++)
        assert_shown(level[k], NULL, 2, run.at[0].level[k], 1e-4);
}

/* Neweul-M2, table 1: its eight rows (psf is ours) run 40 s, with the steps that are shown, with
   both settings. */
static void rows_of_the_slider_crank_are_those_of_this_build(void **state)
{
    (void)state;
    static closure_run run;
    for (int k = 0; k < PUBLISHED; k++)
        for (int loose = 0; loose < 2; loose++) {
            paper_closure(&run, &closures[k], loose, 40);
            assert_int_equal(run.status, DFL_OK);
            assert_shown(closures[k].name, NULL, loose ? 8 : 4, (double)run.steps, 0.1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_the_pendulum_are_those_of_this_build),
        cmocka_unit_test(residuals_of_the_circle_are_those_of_this_build),
        cmocka_unit_test(rows_of_the_slider_crank_are_those_of_this_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
