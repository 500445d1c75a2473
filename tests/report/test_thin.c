/* Thinned tables: nothing is lost up to two rows per bucket, never an extremum, and frames stay
   whole. */
#include "support.h"

#include "report/thin_internal.h"

enum { NUMBERS = 1000 };

/* A value that jumps about, so that extrema lie anywhere. */
static double jump(long k)
{
    return sin(0.7 * (double)(k * k % 10007)) + 1e-3 * (double)(k % 97);
}

static void fill(dfl_thin *thin, dfl_context *ctx, bool whole, long rows)
{
    assert_int_equal(dfl_thin_create(thin, ctx, 2, whole, NUMBERS), DFL_OK);
    for (long k = 0; k < rows; k++)
        dfl_thin_add(thin, (double)k, (const double[]){jump(k), -(double)k});
}

static void rows_are_exact_up_to_two_per_bucket(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    static const long lengths[] = {1, 2, 249, 250, 400, 500};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        dfl_thin thin;
        fill(&thin, ctx, false, lengths[i]);
        assert_true(thin.per <= 2 && dfl_thin_rows(&thin) >= lengths[i]);
        for (int k = 0; k < lengths[i]; k++) {
            assert_true(dfl_thin_value(&thin, k, -1) == k);
            assert_true(dfl_thin_value(&thin, k, 0) == jump(k));
            assert_true(dfl_thin_value(&thin, k, 1) == -k);
        }
        dfl_thin_clear(&thin);
    }
    dfl_context_free(ctx);
}

/* Of every bucket of 2^j rows both extrema are there, at a time within the bucket, in their
   order. */
static void no_extremum_is_lost_however_many_rows(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    const long rows = 100003;
    dfl_thin thin;
    fill(&thin, ctx, false, rows);
    assert_int_equal(thin.rows, rows);
    assert_true(dfl_thin_rows(&thin) <= NUMBERS / 2);
    for (int bucket = 0; bucket < thin.count; bucket++) {
        const long first = bucket * thin.per;
        const long end = first + thin.per < rows ? first + thin.per : rows;
        long least = first, most = first;
        for (long k = first; k < end; k++) {
            least = jump(k) < jump(least) ? k : least;
            most = jump(k) > jump(most) ? k : most;
        }
        assert_true(dfl_thin_value(&thin, 2 * bucket, -1) == (double)first);
        assert_true(dfl_thin_value(&thin, 2 * bucket + 1, -1) == (double)(end - 1));
        assert_true(dfl_thin_value(&thin, 2 * bucket + (least > most), 0) == jump(least));
        assert_true(dfl_thin_value(&thin, 2 * bucket + (least < most), 0) == jump(most));
    }
    dfl_thin_clear(&thin);
    dfl_context_free(ctx);
}

static void frames_stay_whole_and_the_last_one_is_kept(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_thin thin;
    fill(&thin, ctx, true, 99999);
    const int rows = dfl_thin_rows(&thin);
    assert_true(rows <= NUMBERS / 2 + 1);
    for (int i = 0; i < rows; i++) {
        const long k = (long)dfl_thin_value(&thin, i, -1);
        assert_true(dfl_thin_value(&thin, i, 0) == jump(k) &&
                    dfl_thin_value(&thin, i, 1) == -(double)k);
        assert_true(k == i * thin.per || i == rows - 1);
    }
    assert_true(dfl_thin_value(&thin, rows - 1, -1) == 99998);
    dfl_thin_clear(&thin);
    dfl_context_free(ctx);
}

static void numbers_win_over_nan(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_thin thin;
    double low, high;
    assert_int_equal(dfl_thin_create(&thin, ctx, 2, false, 0), DFL_OK);
    for (int k = 0; k < 10000; k++)
        dfl_thin_add(&thin, k, (const double[]){k == 777 ? 5 : NAN, NAN});
    dfl_thin_range(&low, &high, &thin, 0);
    assert_true(low == 5 && high == 5);
    dfl_thin_range(&low, &high, &thin, 1);
    assert_true(isnan(low) && isnan(high));
    dfl_thin_clear(&thin);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_exact_up_to_two_per_bucket),
        cmocka_unit_test(no_extremum_is_lost_however_many_rows),
        cmocka_unit_test(frames_stay_whole_and_the_last_one_is_kept),
        cmocka_unit_test(numbers_win_over_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
