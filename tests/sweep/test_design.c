/* Designs: values by number, how samples are spread, distributions. */
#include "support.h"

#include "sweep/numbers_internal.h"
#include "sweep/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dfl_design *design_of(dfl_context *ctx, const dfl_design_options *options)
{
    dfl_design *design = NULL;
    if (dfl_design_create(&design, ctx, options))
        fail_msg("%s", dfl_message(ctx));
    return design;
}

static void grids_have_all_combinations_the_last_name_fastest(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    const char *over[] = {"L=0.5:2:4", "m=1,2,5", "k=1:100:3:log"};
    dfl_design *design = design_of(ctx, &(dfl_design_options){.nover = 3, .over = over});
    static const double L[] = {0.5, 1, 1.5, 2}, m[] = {1, 2, 5}, k[] = {1, 10, 100};
    assert_int_equal(dfl_design_cases(design), 36);
    for (long i = 0; i < 36; i++) {
        double v[3];
        dfl_design_values(v, design, i);
        assert_near(v[0], L[i / 9], 0);
        assert_near(v[1], m[i / 3 % 3], 0);
        assert_near(v[2], k[i % 3], 1e-14);
    }
    dfl_design_free(design);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* Latin hypercubes and points of Sobol have one sample in each of 2^m equal parts of every column.
 */
static void evenly_spread_samples_have_one_in_each_part(void **state)
{
    (void)state;
    enum { COUNT = 1024, COLUMNS = 21 };
    static const dfl_design_kind kinds[] = {DFL_DESIGN_LHS, DFL_DESIGN_SOBOL};
    dfl_context *ctx = dfl_context_create();
    char texts[COLUMNS][24];
    const char *sample[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(texts[i], sizeof texts[i], "p%d=uniform(0,%d)", i, COUNT);
        sample[i] = texts[i];
    }
    for (int k = 0; k < 2; k++) {
        dfl_design *design = design_of(
            ctx,
            &(dfl_design_options){
                .nsample = COLUMNS, .sample = sample, .count = COUNT, .seed = 5, .kind = kinds[k]});
        int found[COLUMNS][COUNT] = {{0}};
        for (long i = 0; i < COUNT; i++) {
            double v[COLUMNS];
            dfl_design_values(v, design, i);
            for (int j = 0; j < COLUMNS; j++)
                found[j][(int)v[j]]++;
        }
        for (int j = 0; j < COLUMNS; j++)
            for (int i = 0; i < COUNT; i++)
                assert_int_equal(found[j][i], 1);
        dfl_design_free(design);
    }
    dfl_context_free(ctx);
}

/* The first two columns of Sobol's points are a (0, 2)-sequence: one point in each of 16 x 16
   squares and of all other boxes of that area, for each 256 points in a row. */
static void sobol_points_fill_boxes_evenly(void **state)
{
    (void)state;
    for (int bits = 0; bits <= 8; bits++)
        for (uint64_t block = 0; block < 3; block++) {
            int found[256] = {0};
            for (uint64_t i = 0; i < 256; i++) {
                const double x = dfl_sobol(3, 0, 256 * block + i);
                const double y = dfl_sobol(3, 1, 256 * block + i);
                const int column = (int)(x * (1 << bits)), row = (int)(y * (1 << (8 - bits)));
                found[column << (8 - bits) | row]++;
            }
            for (int i = 0; i < 256; i++)
                assert_int_equal(found[i], 1);
        }
}

/* x^s + ... + 1 with these inner coefficients is primitive: powers of x repeat after 2^s - 1.
   Together with odd initial numbers this is what makes a column one of Sobol's. Seen from outside:
   each column is a permutation in every aligned block of 2^k points. */
static void every_column_of_sobol_is_a_digital_sequence(void **state)
{
    (void)state;
    for (int column = 0; column < DFL_SOBOL_COLUMNS; column++)
        for (uint64_t block = 0; block < 4; block++) {
            unsigned char found[4096] = {0};
            for (uint64_t i = 0; i < 4096; i++)
                found[(int)(dfl_sobol(9, column, 4096 * block + i) * 4096)]++;
            for (int i = 0; i < 4096; i++)
                assert_int_equal(found[i], 1);
        }
}

static void permutations_are_permutations(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 17, 1000, 4097};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        unsigned char *found = calloc(counts[k], 1);
        for (uint64_t i = 0; i < counts[k]; i++)
            found[dfl_permute(4, 2, counts[k], i)]++;
        for (uint64_t i = 0; i < counts[k]; i++)
            assert_int_equal(found[i], 1);
        free(found);
    }
}

/* Quantiles against tables (normal: Abramowitz, Stegun, table 26.5) and closed forms. */
static void distributions_have_their_quantiles(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double u, value;
    } known[] = {{"normal(0,1)", 0.5, 0},
                 {"normal(0,1)", 0.975, 1.959963984540054},
                 {"normal(2,0.5)", 0.0013498980316300946, 0.5},
                 {"normal(0,1)", 1e-10, -6.361340902404056},
                 {"uniform(2,6)", 0.25, 3},
                 {"lognormal(3,0.5)", 0.84134474606854293, 4.9461638121003844},
                 {"loguniform(1,10000)", 0.75, 1000},
                 {"triangular(0,1,4)", 0.25, 1},
                 {"triangular(0,1,4)", 2.0 / 3, 2},
                 {"exponential(2)", 0.5, 1.3862943611198906}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        dfl_distribution it;
        assert_null(dfl_distribution_read(&it, known[i].text));
        assert_near(dfl_distribution_quantile(&it, known[i].u), known[i].value, 1e-13);
    }
    static const char *const wrong[] = {"normal",        "normal(1)",         "normal(1,0)",
                                        "gauss(0,1)",    "uniform(2,1)",      "uniform(1,2",
                                        "uniform(1,2)x", "triangular(0,5,4)", "normal(1,inf)"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dfl_distribution it;
        assert_non_null(dfl_distribution_read(&it, wrong[i]));
    }
}

/* Mean and variance of 20 000 samples within 4 standard errors (1/sqrt(n) and sqrt(2/n)); columns
   and seeds are independent: correlations within 4/sqrt(n). */
static void random_samples_are_independent(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    dfl_context *ctx = dfl_context_create();
    const char *sample[] = {"a=normal(0,1)", "b=normal(0,1)"};
    dfl_design_options options = {.nsample = 2, .sample = sample, .count = COUNT, .seed = 7};
    dfl_design *one = design_of(ctx, &options);
    options.seed = 8;
    dfl_design *other = design_of(ctx, &options);
    double sum = 0, square = 0, columns = 0, seeds = 0, next = 0, before = 0;
    for (long i = 0; i < COUNT; i++) {
        double v[2], w[2];
        dfl_design_values(v, one, i);
        dfl_design_values(w, other, i);
        sum += v[0];
        square += v[0] * v[0];
        columns += v[0] * v[1];
        seeds += v[0] * w[0];
        next += v[0] * before;
        before = v[0];
    }
    const double error = 1 / sqrt(COUNT);
    assert_true(fabs(sum / COUNT) < 4 * error);
    assert_true(fabs(square / COUNT - 1) < 4 * sqrt(2) * error);
    assert_true(fabs(columns / COUNT) < 4 * error);
    assert_true(fabs(seeds / COUNT) < 4 * error);
    assert_true(fabs(next / COUNT) < 4 * error);
    dfl_design_free(one);
    dfl_design_free(other);
    dfl_context_free(ctx);
}

static void saltelli_changes_one_column_at_a_time(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    const char *sample[] = {"a=uniform(0,1)", "b=uniform(0,1)", "c=uniform(0,1)"};
    dfl_design *design = design_of(
        ctx, &(dfl_design_options){
                 .nsample = 3, .sample = sample, .count = 8, .kind = DFL_DESIGN_SALTELLI});
    assert_int_equal(dfl_design_cases(design), 40);
    for (long row = 0; row < 8; row++) {
        double a[3], b[3];
        dfl_design_values(a, design, 5 * row);
        dfl_design_values(b, design, 5 * row + 1);
        for (int k = 0; k < 3; k++) {
            double v[3];
            dfl_design_values(v, design, 5 * row + 2 + k);
            for (int j = 0; j < 3; j++)
                assert_near(v[j], j == k ? b[j] : a[j], 0);
        }
    }
    dfl_design_free(design);
    dfl_context_free(ctx);
}

static void wrong_designs_are_refused(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    static const char *const wrong[] = {"L",       "=1",      "L=",        "L=1:2",
                                        "L=1:2:0", "L=1:2:x", "L=1:2:1.5", "L=0:1:5:log",
                                        "L=1,,2",  "L=a",     "L=1:2:3x",  "L=1:2:1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dfl_design *design;
        assert_int_equal(
            dfl_design_create(&design, ctx, &(dfl_design_options){.nover = 1, .over = &wrong[i]}),
            DFL_INVALID);
        assert_non_null(strstr(dfl_message(ctx), "--over"));
    }
    const char *twice[] = {"L=1,2", "L=3"};
    dfl_design *design;
    assert_int_equal(
        dfl_design_create(&design, ctx, &(dfl_design_options){.nover = 2, .over = twice}),
        DFL_INVALID);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_have_all_combinations_the_last_name_fastest),
        cmocka_unit_test(evenly_spread_samples_have_one_in_each_part),
        cmocka_unit_test(sobol_points_fill_boxes_evenly),
        cmocka_unit_test(every_column_of_sobol_is_a_digital_sequence),
        cmocka_unit_test(permutations_are_permutations),
        cmocka_unit_test(distributions_have_their_quantiles),
        cmocka_unit_test(random_samples_are_independent),
        cmocka_unit_test(saltelli_changes_one_column_at_a_time),
        cmocka_unit_test(wrong_designs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
