/* Random models of pieces, against their exact motions: springs behind gaps, steps, tables, relays
   with a dead band (scripts/piecewise-models has written them and their ends). The first hundred;
   all with the argument `all`. */
#include "../scripted.h"

enum { LONGEST = 4000, SELECTION = 100 };
static bool all;

/* Whether a model ends as it should; `text`: how it ends. */
static bool ends_right(char *text, size_t size, const char *line, double tolerance)
{
    double end, expected[4];
    int count, masses, used = 0, more;
    if (sscanf(line, "%lf %d %d%n", &end, &count, &masses, &used) != 3 || masses < 1 || masses > 2)
        fail_msg("a line does not begin with end, count and number: %.60s", line);
    for (int i = 0; i < 2 * masses; i++, used += more)
        assert_int_equal(sscanf(line + used, "%lf%n", &expected[i], &more), 1);
    scripted s = scripted_text(line + used);
    scripted_start(&s, &(dfl_solver_options){.rtol = tolerance, .atol = tolerance});
    scripted_advance(&s, end);
    double error = 0;
    for (int i = 0; i < masses; i++) {
        const char *const names[2][2] = {{"x0", "der(x0)"}, {"x1", "der(x1)"}};
        error = fmax(error, fabs(scripted_value(&s, names[i][0]) - expected[i]));
        error = fmax(error, fabs(scripted_value(&s, names[i][1]) - expected[masses + i]));
    }
    const long crossings = dfl_solver_statistics(s.solver).crossings;
    snprintf(text, size, "error %.1e with tolerance %.0e, %ld switches instead of %d", error,
             tolerance, crossings, count);
    scripted_free(&s);
    /* the models amplify a change of the start a hundredfold at most */
    return error <= 100 * tolerance && crossings == count;
}

static void exact_motions_are_met(void **state)
{
    (void)state;
    FILE *file = fopen(DFL_SOURCE_DIR "/tests/study/piecewise/models.txt", "r");
    char line[LONGEST], text[200];
    int number = 0, wrong = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && (all || number < SELECTION)) {
        number++;
        for (double tolerance = 1e-6; tolerance > 1e-11; tolerance *= 1e-2)
            if (!ends_right(text, sizeof text, line, tolerance)) {
                print_message("model %d: %s\n", number, text);
                wrong++;
            }
    }
    fclose(file);
    print_message("%d models, %d wrong\n", number, wrong);
    assert_true(number >= SELECTION);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_motions_are_met)};
    all = argc > 1 && !strcmp(argv[1], "all");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
