/* test_split.c: right inverse, null space and rank of rectangular matrices. */
#include "matrices.h"

static void assert_right_inverse(const double *A, const double *R, int m, int n)
{
    double P[AREA];
    naive_product(P, A, R, m, n, m);
    assert_identity(P, m);
}

static void assert_null_space(const double *A, const dfl_split *s, double scale)
{
    double P[AREA];
    naive_product(P, A, s->N, s->m, s->n, s->n - s->rank);
    assert_all_zero(P, s->m * (s->n - s->rank), TOLERANCE * scale);
}

static void assert_orthonormal(const double *N, int n, int k)
{
    double T[AREA], P[AREA];
    transpose(T, N, n, k);
    naive_product(P, T, N, k, n, k);
    assert_identity(P, k);
}

/* The four conditions that define R = A^+ (Penrose 1955). */
static void assert_pseudo_inverse(const double *A, const double *R, int m, int n, double scale)
{
    double AR[AREA], RA[AREA], P[AREA], T[AREA];
    naive_product(AR, A, R, m, n, m);
    naive_product(RA, R, A, n, m, n);
    naive_product(P, AR, A, m, m, n);
    assert_all_close(P, A, m * n, TOLERANCE * scale);
    naive_product(P, RA, R, n, n, m);
    assert_all_close(P, R, n * m, TOLERANCE * scale);
    transpose(T, AR, m, m);
    assert_all_close(T, AR, m * m, TOLERANCE * scale);
    transpose(T, RA, n, n);
    assert_all_close(T, RA, n * n, TOLERANCE * scale);
}

static void check_split(dfl_split *s, dfl_split_rule rule, const double *A, int m, int n)
{
    assert_true(dfl_split_compute(s, &rule, A, m > 0 ? m : 1, m, n));
    assert_int_equal(s->rank, m);
    assert_right_inverse(A, s->R, m, n);
    assert_null_space(A, s, m + 1);
    if (rule.method != DFL_METHOD_LU) {
        assert_orthonormal(s->N, n, n - m);
        assert_pseudo_inverse(A, s->R, m, n, m + 1);
    }
    assert_true(m == 0 || (s->largest >= s->smallest && s->smallest > 0));
    assert_close(s->dropped, 0, 0);
}

static void a_split_gives_right_inverse_and_null_space(void **state)
{
    (void)state;
    static const int columns[] = {1, 2, 3, 4, 5, 6, 8, 11, 15, 16, 17, 18, 25, 40};
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, MAX, MAX), DFL_OK);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        for (int m = 0; m <= columns[c]; m += m < 7 ? 1 : 5)
            for (int method = DFL_METHOD_LU; method <= DFL_METHOD_SVD; method++) {
                static double A[AREA];
                fill_regular(A, m, columns[c]);
                dfl_split_rule rule = {
                    .method = (dfl_method)method, .tolerance = 1e-10, .rank = -1};
                check_split(s, rule, A, m, columns[c]);
                rule.scale_rows = true;
                check_split(s, rule, A, m, columns[c]);
                rule.rank = m;
                check_split(s, rule, A, m, columns[c]);
            }
    dfl_split_free(s, ctx);
}

/* Room for the largest case must suffice for every smaller shape, also those that LAPACK treats by
   another path; the address sanitizer watches. */
static void a_split_of_exact_size_needs_no_more_room(void **state)
{
    (void)state;
    static double A[AREA];
    for (int n = 1; n <= MAX; n += 3)
        for (int m = 1; m <= n; m += 2)
            for (int method = DFL_METHOD_LU; method <= DFL_METHOD_SVD; method++) {
                dfl_split *s = NULL;
                assert_int_equal(dfl_split_create(&s, ctx, m, n), DFL_OK);
                fill_regular(A, m, n);
                check_split(s, (dfl_split_rule){.method = (dfl_method)method, .rank = -1}, A, m, n);
                dfl_split_free(s, ctx);
            }
}

static void a_split_finds_the_rank_of_a_deficient_matrix(void **state)
{
    (void)state;
    static double A[AREA];
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, MAX, MAX), DFL_OK);
    for (int n = 2; n <= MAX; n += n < 8 ? 1 : 4)
        for (int m = 2; m <= n; m += 3)
            for (int rank = 1; rank < m; rank += 2)
                for (int method = DFL_METHOD_LU; method <= DFL_METHOD_SVD; method++) {
                    fill_deficient(A, m, n, rank);
                    const dfl_split_rule rule = {
                        .method = (dfl_method)method, .tolerance = 1e-10, .rank = -1};
                    const bool usable = dfl_split_compute(s, &rule, A, m, m, n);
                    assert_int_equal(s->rank, rank);
                    assert_true(usable == (method == DFL_METHOD_SVD));
                    assert_true(s->dropped < 1e-10 * s->largest);
                    if (!usable)
                        continue;
                    assert_pseudo_inverse(A, s->R, m, n, 100.0 * n);
                    assert_null_space(A, s, 100.0 * n);
                    assert_orthonormal(s->N, n, n - rank);
                }
    dfl_split_free(s, ctx);
}

static void an_imposed_rank_truncates_the_svd(void **state)
{
    (void)state;
    static const double A[] = {3, 0, 0, 2, 0, 0}; /* diag(3, 2), 2 x 3 */
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, 2, 3), DFL_OK);
    dfl_split_rule rule = {.method = DFL_METHOD_SVD, .rank = 1};
    assert_true(dfl_split_compute(s, &rule, A, 2, 2, 3));
    assert_int_equal(s->rank, 1);
    const double R[] = {1.0 / 3, 0, 0, 0, 0, 0};
    assert_all_close(s->R, R, 6, 1e-15);
    assert_close(s->smallest, 3, 1e-15);
    assert_close(s->dropped, 2, 1e-15);
    for (int method = DFL_METHOD_LU; method <= DFL_METHOD_QR; method++) {
        rule.method = (dfl_method)method;
        assert_false(dfl_split_compute(s, &rule, A, 2, 2, 3));
    }
    dfl_split_free(s, ctx);
}

/* The second row is 1e-12 of the first: below the tolerance, but imposing the rank accepts it, and
   so does scaling the rows. */
static void imposing_full_rank_or_scaling_rows_accepts_a_small_row(void **state)
{
    (void)state;
    static const double A[] = {1, 0, 0, 1e-12, 1, 1e-12}, unscaled[] = {1, 0, 0, 1, 1, 1};
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, 2, 3), DFL_OK);
    for (int method = DFL_METHOD_LU; method <= DFL_METHOD_SVD; method++) {
        dfl_split_rule rule = {.method = (dfl_method)method, .tolerance = 1e-10, .rank = -1};
        dfl_split_compute(s, &rule, A, 2, 2, 3);
        assert_int_equal(s->rank, 1);
        rule.scale_rows = true;
        assert_true(dfl_split_compute(s, &rule, A, 2, 2, 3));
        for (int j = 0; j < 3; j++) /* its column of R is large; undo both scalings */
            s->R[3 + j] *= 1e-12;
        assert_right_inverse(unscaled, s->R, 2, 3);
        rule = (dfl_split_rule){.method = (dfl_method)method, .tolerance = 1e-10, .rank = 2};
        assert_true(dfl_split_compute(s, &rule, A, 2, 2, 3));
    }
    dfl_split_free(s, ctx);
}

static void a_zero_row_has_no_scale_and_no_rank(void **state)
{
    (void)state;
    static const double A[] = {0, 2, 0, 4, 0, 4}; /* rows (0 0 0) and (2 4 4) */
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, 2, 3), DFL_OK);
    for (int method = DFL_METHOD_LU; method <= DFL_METHOD_SVD; method++) {
        const dfl_split_rule rule = {
            .method = (dfl_method)method, .tolerance = 1e-10, .rank = -1, .scale_rows = true};
        assert_true(dfl_split_compute(s, &rule, A, 2, 2, 3) == (method == DFL_METHOD_SVD));
        assert_int_equal(s->rank, 1);
    }
    assert_pseudo_inverse(A, s->R, 2, 3, 1);
    const double zero[6] = {0};
    const dfl_split_rule rule = {.method = DFL_METHOD_SVD, .tolerance = 1e-10, .rank = -1};
    assert_true(dfl_split_compute(s, &rule, zero, 2, 2, 3));
    assert_int_equal(s->rank, 0);
    assert_all_close(s->R, zero, 6, 0.0);
    assert_orthonormal(s->N, 3, 3);
    dfl_split_free(s, ctx);
}

static void lu_takes_the_largest_entries_as_pivots(void **state)
{
    (void)state;
    static const double A[] = {1, 1, 2, 9, 3, 0, 5, 4}; /* rows (1 2 3 5) and (1 9 0 4) */
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, 2, 4), DFL_OK);
    const dfl_split_rule rule = {.method = DFL_METHOD_LU, .tolerance = 1e-10, .rank = -1};
    assert_true(dfl_split_compute(s, &rule, A, 2, 2, 4));
    assert_int_equal(s->pivot[0], 1); /* 9, which leaves 5 - 4 * 2/9 = 4.1 as the largest */
    assert_int_equal(s->pivot[1], 3);
    for (int free = 0; free < 2; free++) /* N is the identity in the free rows 0 and 2 */
        for (int k = 0; k < 2; k++)
            assert_close(s->N[2 * free + 4 * k], free == k ? 1 : 0, 0.0);
    assert_close(s->R[0], 0, 0.0); /* and R is zero there */
    assert_close(s->R[2], 0, 0.0);
    dfl_split_free(s, ctx);
}

static void lu_keeps_a_favoured_column_that_is_almost_as_good(void **state)
{
    (void)state;
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, 1, 3), DFL_OK);
    const unsigned char favoured[] = {0, 1, 0};
    const dfl_split_rule rule = {
        .method = DFL_METHOD_LU, .tolerance = 1e-10, .rank = -1, .favoured = favoured};
    const double near[] = {1, 0.995, 0.2}, far[] = {1, 0.98, 0.2};
    assert_true(dfl_split_compute(s, &rule, near, 1, 1, 3)); /* 0.995 * 1.01 > 1 */
    assert_int_equal(s->pivot[0], 1);
    assert_close(s->largest, 0.995, 0.0); /* the pivot itself, without its favour */
    assert_true(dfl_split_compute(s, &rule, far, 1, 1, 3));
    assert_int_equal(s->pivot[0], 0);
    dfl_split_free(s, ctx);
}

static void lu_pivots_leading_rows_in_leading_columns(void **state)
{
    (void)state;
    static double A[AREA];
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, 6, 9), DFL_OK);
    for (int leading = 0; leading <= 6; leading++) {
        fill(A, 6 * 9);
        for (int i = 0; i < 6; i++)
            A[i + i * 6] += 4; /* regular leading blocks ... */
        for (int j = leading; j < 9; j++)
            A[5 + j * 6] *= 50; /* ... and larger entries that would be preferred */
        const dfl_split_rule rule = {
            .method = DFL_METHOD_LU, .tolerance = 1e-10, .rank = -1, .leading = leading};
        check_split(s, rule, A, 6, 9);
        for (int k = 0; k < 6; k++)
            assert_true((s->pivot[k] < leading) == (k < leading));
    }
    dfl_split_free(s, ctx);
}

static void a_singular_leading_block_is_refused(void **state)
{
    (void)state;
    static const double A[] = {0, 1, 1, 0}; /* regular, but its first entry is zero */
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, 2, 2), DFL_OK);
    dfl_split_rule rule = {.method = DFL_METHOD_LU, .tolerance = 1e-10, .rank = -1, .leading = 1};
    assert_false(dfl_split_compute(s, &rule, A, 2, 2, 2));
    assert_int_equal(s->rank, 0);
    rule.leading = 0;
    assert_true(dfl_split_compute(s, &rule, A, 2, 2, 2));
    dfl_split_free(s, ctx);
}

static void a_split_refuses_what_is_not_finite(void **state)
{
    (void)state;
    static double A[AREA];
    const double bad[] = {NAN, INFINITY, -INFINITY};
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, 20, MAX), DFL_OK);
    for (int n = 1; n <= MAX; n += 13)
        for (int method = DFL_METHOD_LU; method <= DFL_METHOD_SVD; method++)
            for (int b = 0; b < 3; b++) {
                const int m = (n + 1) / 2;
                fill_regular(A, m, n);
                A[m * n - 1] = bad[b];
                const dfl_split_rule rule = {
                    .method = (dfl_method)method, .rank = -1, .scale_rows = b == 0};
                assert_false(dfl_split_compute(s, &rule, A, m, m, n));
                assert_int_equal(s->rank, -1);
            }
    dfl_split_free(s, ctx);
}

/* Entries near the ends of the range of doubles may fail, but must not succeed with rubbish. */
static void a_split_of_extreme_entries_is_finite_or_refused(void **state)
{
    (void)state;
    static double A[AREA];
    const double sizes[] = {1e-320, 1e-300, 1e-170, 1e170, 1e307};
    dfl_split *s = NULL;
    assert_int_equal(dfl_split_create(&s, ctx, 12, 24), DFL_OK);
    for (int e = 0; e < 5; e++)
        for (int n = 4; n <= 24; n += 20)
            for (int method = DFL_METHOD_LU; method <= DFL_METHOD_SVD; method++)
                for (int scaled = 0; scaled < 2; scaled++) {
                    const int m = n / 2;
                    fill(A, m * n);
                    for (int i = 0; i < m * n; i++)
                        A[i] *= sizes[e];
                    const dfl_split_rule rule = {.method = (dfl_method)method,
                                                 .tolerance = 1e-10,
                                                 .rank = -1,
                                                 .scale_rows = scaled == 1};
                    if (!dfl_split_compute(s, &rule, A, m, m, n))
                        continue;
                    for (int i = 0; i < n * m; i++)
                        assert_true(isfinite(s->R[i]));
                    for (int i = 0; i < n * (n - s->rank); i++)
                        assert_true(isfinite(s->N[i]));
                }
    dfl_split_free(s, ctx);
}

/* Rows 0 and 1 are parallel up to 1e-5, rows 2 and 3 up to 1e-7, also with rows of other units. */
static void rows_may_be_dependent_up_to_their_own_tolerances(void **state)
{
    (void)state;
    dfl_split *split = NULL;
    double least[4];
    const dfl_split_rule rule = {
        .method = DFL_METHOD_SVD, .tolerance = 1e-10, .rank = -1, .scale_rows = true};
    static const struct {
        double more[4];
        int rank;
    } cases[] = {{{0}, 4},
                 {{1e-4, 0, 0, 0}, 3},
                 {{0, 1e-4, 0, 0}, 3},
                 {{1e-6, 1e-6, 0, 0}, 4},
                 {{0, 0, 1e-6, 0}, 3},
                 {{1e-4, 1e-4, 1e-8, 0}, 3},
                 {{1e-6, 0, 1e-6, 1e-6}, 3},
                 {{1e-4, 1e-4, 1e-4, 1e-4}, 2}};
    assert_int_equal(dfl_split_create(&split, ctx, 4, 4), DFL_OK);
    for (int scaled = 0; scaled < 2; scaled++) {
        const double unit[] = {1, scaled ? 1e5 : 1, scaled ? 1e-3 : 1, 1};
        double A[16] = {0};
        for (int i = 0; i < 4; i++)
            A[(i < 2 ? 0 : 2) * 4 + i] = unit[i];
        A[1 * 4 + 1] = 1e-5 * unit[1];
        A[3 * 4 + 3] = 1e-7 * unit[3];
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            assert_int_equal(dfl_lenient_rank(least, split, &rule, cases[k].more, A, 4, 4, 4),
                             cases[k].rank);
        assert_int_equal(dfl_lenient_rank(least, split, &rule, NULL, A, 4, 4, 4), 4);
    }
    dfl_split_free(split, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_may_be_dependent_up_to_their_own_tolerances),
        cmocka_unit_test(a_split_gives_right_inverse_and_null_space),
        cmocka_unit_test(a_split_of_exact_size_needs_no_more_room),
        cmocka_unit_test(a_split_finds_the_rank_of_a_deficient_matrix),
        cmocka_unit_test(an_imposed_rank_truncates_the_svd),
        cmocka_unit_test(imposing_full_rank_or_scaling_rows_accepts_a_small_row),
        cmocka_unit_test(a_zero_row_has_no_scale_and_no_rank),
        cmocka_unit_test(lu_takes_the_largest_entries_as_pivots),
        cmocka_unit_test(lu_keeps_a_favoured_column_that_is_almost_as_good),
        cmocka_unit_test(lu_pivots_leading_rows_in_leading_columns),
        cmocka_unit_test(a_singular_leading_block_is_refused),
        cmocka_unit_test(a_split_refuses_what_is_not_finite),
        cmocka_unit_test(a_split_of_extreme_entries_is_finite_or_refused),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
