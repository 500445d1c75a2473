/* test_linalg.c: properties of the dense kernels on random matrices of many sizes, on both sides of
   the limits where LAPACK takes over.

   Tolerances: a backward stable method leaves a residual of a modest multiple of n eps times the
   condition number. The random matrices have entries in [-1, 1] plus, where regularity matters, a
   shift of the diagonal that keeps the condition number below about 100; n <= 40 gives
   40 * 100 * 2e-16 = 1e-12. TOLERANCE adds a factor 10. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/linalg/linalg.h"

static const double TOLERANCE = 1e-11;
enum { MAX = 40, AREA = MAX * MAX };

static dfl_context *ctx;
static uint64_t seed = 1;

/* Uniform in [-1, 1): Knuth's MMIX generator, its upper 53 bits. */
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static void fill(double *x, int count)
{
    for (int i = 0; i < count; i++)
        x[i] = uniform();
}

/* m x n, with m added to a diagonal that pairs row i with column 3 i + 1 mod n, so that pivoting
   has something to do but the matrix is well-conditioned. */
static void fill_regular(double *A, int m, int n)
{
    const int stride = n % 3 == 0 ? 1 : 3;
    fill(A, m * n);
    for (int i = 0; i < m; i++)
        A[i + (stride * i + 1) % n * m] += m + 1;
}

/* m x n of the given rank: a product of two random factors. */
static void fill_deficient(double *A, int m, int n, int rank)
{
    double left[AREA], right[AREA];
    fill_regular(left, rank, m); /* transposed */
    fill_regular(right, rank, n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            A[i + j * m] = 0;
            for (int k = 0; k < rank; k++)
                A[i + j * m] += left[k + i * rank] * right[k + j * rank];
        }
}

static void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) /* catches NaN */
        fail_msg("%.17g and %.17g differ by more than %g", a, b, tolerance);
}

/* C = A B by the definition. */
static void naive_product(double *C, const double *A, const double *B, int m, int k, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            C[i + j * m] = 0;
            for (int l = 0; l < k; l++)
                C[i + j * m] += A[i + l * m] * B[l + j * k];
        }
}

static void transpose(double *T, const double *A, int m, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            T[j + i * n] = A[i + j * m];
}

static void assert_identity(const double *A, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            assert_close(A[i + j * n], i == j ? 1.0 : 0.0, TOLERANCE);
}

static void assert_all_close(const double *A, const double *B, int count, double tolerance)
{
    for (int i = 0; i < count; i++)
        assert_close(A[i], B[i], tolerance);
}

static void assert_all_zero(const double *A, int count, double tolerance)
{
    for (int i = 0; i < count; i++)
        assert_close(A[i], 0.0, tolerance);
}

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

/* Products ------------------------------------------------------------------------------------ */

static void gemm_equals_the_definition(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 13, 24, 40};
    static double A[AREA], B[AREA], T[AREA], C[AREA], D[AREA], E[AREA];
    for (int a = 1; a < 12; a++)
        for (int b = 1; b < 12; b++)
            for (int c = 0; c < 12; c++) {
                const int m = sizes[a], n = sizes[b], k = sizes[c];
                fill(A, m * k);
                fill(B, k * n);
                fill(C, m * n);
                memcpy(E, C, sizeof E);
                transpose(T, A, m, k);
                naive_product(D, A, B, m, k, n);
                for (int i = 0; i < m * n; i++)
                    D[i] = 2 * D[i] - 0.5 * C[i];
                dfl_gemm(m, n, k, 2.0, A, m, B, k > 0 ? k : 1, -0.5, C, m);
                dfl_gemm_tn(m, n, k, 2.0, T, k > 0 ? k : 1, B, k > 0 ? k : 1, -0.5, E, m);
                assert_all_close(C, D, m * n, 1e-13); /* 40 products of size 2, each with eps */
                assert_all_close(E, D, m * n, 1e-13);
            }
}

static void gemm_with_beta_zero_does_not_read_the_result(void **state)
{
    (void)state;
    static double A[AREA], B[AREA], C[AREA], D[AREA];
    for (int n = 1; n <= MAX; n++) {
        fill(A, n * n);
        fill(B, n * n);
        naive_product(D, A, B, n, n, n);
        for (int i = 0; i < n * n; i++)
            C[i] = NAN;
        dfl_gemm(n, n, n, 1.0, A, n, B, n, 0.0, C, n);
        assert_all_close(C, D, n * n, 1e-13);
    }
}

static void gemm_respects_leading_dimensions(void **state)
{
    (void)state;
    static const double A[] = {1, 2, -9, 3, 4, -9};         /* [1 3; 2 4] in 3 x 2 */
    static const double B[] = {5, 6, -9, -9, 7, 8, -9, -9}; /* [5 7; 6 8] in 4 x 2 */
    double C[] = {0, 0, 99, 0, 0, 99}, E[] = {0, 0, 99, 0, 0, 99};
    dfl_gemm(2, 2, 2, 1.0, A, 3, B, 4, 0.0, C, 3);
    dfl_gemm_tn(2, 2, 2, 1.0, A, 3, B, 4, 0.0, E, 3);
    const double AB[] = {23, 34, 99, 31, 46, 99}, AtB[] = {17, 39, 99, 23, 53, 99};
    assert_all_close(C, AB, 6, 0.0); /* small integers are exact */
    assert_all_close(E, AtB, 6, 0.0);
}

static void lanes_multiply_four_or_eight_vectors_at_once(void **state)
{
    (void)state;
    static double A[AREA], X[DFL_LANES * MAX], Y[DFL_LANES * MAX];
    for (int width = 4; width <= DFL_LANES; width += 4)
        for (int m = 0; m <= MAX; m++)
            for (int n = 0; n <= MAX; n++) {
                fill(A, m * n);
                fill(X, width * n);
                fill(Y, width * m); /* must be overwritten */
                dfl_lanes_mul(Y, width, A, m, n, X);
                for (int i = 0; i < m; i++)
                    for (int k = 0; k < width; k++) {
                        double sum = 0;
                        for (int j = 0; j < n; j++)
                            sum += A[i + j * m] * X[j * width + k];
                        assert_close(Y[i * width + k], sum, 1e-13);
                    }
            }
}

/* Lane 0 times a real number, each pair behind it, as a complex number, times a complex one. */
static void lanes_are_multiplied_by_shifts(void **state)
{
    (void)state;
    enum { N = 3 };
    double zeta[7], X[DFL_LANES * N], Y[DFL_LANES * N];
    for (int stages = 1; stages <= 7; stages += 2) {
        const int width = dfl_lanes_width(stages);
        dfl_shifts shifts;
        fill(zeta, stages);
        fill(X, width * N);
        dfl_shifts_set(&shifts, stages, zeta);
        dfl_lanes_shift(Y, width, &shifts, N, X);
        for (int i = 0; i < N; i++) {
            const double *x = X + i * width, *y = Y + i * width;
            assert_close(y[0], zeta[0] * x[0], 1e-14);
            for (int k = 1; k < stages; k += 2) {
                assert_close(y[k], zeta[k] * x[k] - zeta[k + 1] * x[k + 1], 1e-14);
                assert_close(y[k + 1], zeta[k] * x[k + 1] + zeta[k + 1] * x[k], 1e-14);
            }
            for (int k = stages; k < width; k++)
                assert_close(y[k], 0, 0);
        }
    }
}

/* Y - (zeta A - B) X from separate products. */
static void lanes_are_multiplied_by_shifted_matrices(void **state)
{
    (void)state;
    enum { M = 5, N = 4 };
    double zeta[7], A[M * N], B[M * N], X[DFL_LANES * N], Y[DFL_LANES * M], expected[DFL_LANES * M];
    double AX[DFL_LANES * M], BX[DFL_LANES * M];
    for (int stages = 1; stages <= 7; stages += 2)
        for (int m = 0; m <= M; m++) {
            const int width = dfl_lanes_width(stages);
            dfl_shifts shifts;
            fill(zeta, stages);
            fill(A, m * N);
            fill(B, m * N);
            fill(X, width * N);
            fill(Y, width * m);
            dfl_shifts_set(&shifts, stages, zeta);
            dfl_lanes_mul(AX, width, A, m, N, X);
            dfl_lanes_mul(BX, width, B, m, N, X);
            dfl_lanes_shift(AX, width, &shifts, m, AX);
            for (int i = 0; i < width * m; i++)
                expected[i] = Y[i] - AX[i] + BX[i];
            dfl_lanes_mul_shifted(Y, width, &shifts, A, B, m, N, X);
            assert_all_close(Y, expected, width * m, 1e-13);
        }
}

/* A solve in lanes is the solve of what stands in them; other lanes stay as they are. */
static void factors_solve_in_lanes(void **state)
{
    (void)state;
    enum { WIDTH = 8, LARGEST = 20 };
    static double A[2 * LARGEST * LARGEST], b[2 * LARGEST], lanes[WIDTH * LARGEST];
    for (int parts = 1; parts <= 2; parts++)
        for (int n = 1; n <= LARGEST; n++)
            for (int qr = 0; qr < 2; qr++) {
                dfl_factor *factor = NULL;
                assert_int_equal(dfl_factor_create(&factor, ctx, n, parts == 2), DFL_OK);
                fill(A, parts * n * n);
                fill(b, parts * n);
                fill(lanes, WIDTH * n);
                for (int i = 0; i < n; i++)
                    for (int k = 0; k < parts; k++)
                        lanes[i * WIDTH + 3 + k] = b[i * parts + k];
                const double left = lanes[2], right = lanes[3 + parts];
                memcpy(dfl_factor_matrix(factor), A, (size_t)(parts * n * n) * sizeof *A);
                assert_true(dfl_factor_compute(factor, n, qr ? DFL_METHOD_QR : DFL_METHOD_LU));
                dfl_factor_solve(factor, b);
                dfl_factor_solve_lanes(factor, lanes + 3, WIDTH);
                for (int i = 0; i < n; i++)
                    for (int k = 0; k < parts; k++)
                        assert_close(lanes[i * WIDTH + 3 + k], b[i * parts + k], 0);
                assert_close(lanes[2], left, 0);
                assert_close(lanes[3 + parts], right, 0);
                dfl_factor_free(factor, ctx);
            }
}

/* (zeta A - B) x = b again for every shift: orders that are factored in lanes and larger ones, regular matrices
   and one whose best pivots differ from shift to shift (A has a zero where B has none). */
static void shifted_systems_are_solved_for_all_shifts(void **state)
{
    (void)state;
    enum { LARGEST = 9 };
    double zeta[7], A[LARGEST * LARGEST], B[LARGEST * LARGEST], b[DFL_LANES * LARGEST];
    double x[DFL_LANES * LARGEST], Ex[DFL_LANES * LARGEST], real[LARGEST];
    for (int trial = 0; trial < 8 * LARGEST; trial++) {
        const int stages = 1 + 2 * (trial % 4), n = 1 + trial / 8;
        const int width = dfl_lanes_width(stages);
        const bool qr = trial % 8 == 3;
        dfl_shifted *shifted = NULL;
        assert_int_equal(dfl_shifted_create(&shifted, ctx, n, 7), DFL_OK);
        fill(zeta, stages);
        fill(A, n * n);
        fill(B, n * n);
        fill(b, width * n);
        for (int i = 0; trial % 8 >= 4 && n > 1 && i < n; i++)
            A[i * n + i] = 0;
        for (int i = 0; i < n; i++) {
            for (int k = stages; k < width; k++)
                b[i * width + k] = 0;
            real[i] = b[i * width];
        }
        dfl_shifts shifts;
        dfl_shifts_set(&shifts, stages, zeta);
        memcpy(x, b, sizeof b);
        assert_true(
            dfl_shifted_factor(shifted, n, A, B, stages, zeta, qr ? DFL_METHOD_QR : DFL_METHOD_LU));
        dfl_shifted_solve(shifted, x);
        memcpy(Ex, b, sizeof b);
        dfl_lanes_mul_shifted(Ex, width, &shifts, A, B, n, n, x); /* b - (zeta A - B) x */
        for (int i = 0; i < n; i++)
            for (int k = 0; k < stages; k++)
                assert_close(Ex[i * width + k], 0, 1e-11); /* at a condition of 1e4 */
        dfl_shifted_solve_real(shifted, real);
        for (int i = 0; i < n; i++)
            assert_close(real[i], x[i * width], 1e-10);
        dfl_shifted_free(shifted, ctx);
    }
}

/* A zero matrix, and NaN anywhere, for any shift. */
static void singular_shifted_systems_are_refused(void **state)
{
    (void)state;
    enum { N = 2 };
    const double zeta[3] = {1, 2, 3}, zero[N * N] = {0};
    dfl_shifted *shifted = NULL;
    assert_int_equal(dfl_shifted_create(&shifted, ctx, N, 3), DFL_OK);
    assert_false(dfl_shifted_factor(shifted, N, zero, zero, 3, zeta, DFL_METHOD_LU));
    for (int i = 0; i < N * N; i++) {
        double A[N * N] = {2, 1, 1, 3};
        assert_true(dfl_shifted_factor(shifted, N, A, zero, 3, zeta, DFL_METHOD_LU));
        A[i] = NAN;
        assert_false(dfl_shifted_factor(shifted, N, A, zero, 3, zeta, DFL_METHOD_LU));
    }
    dfl_shifted_free(shifted, ctx);
    for (long k = 0; k < 12; k++) { /* allocations that fail */
        dfl_context_fail_after(ctx, k);
        if (dfl_shifted_create(&shifted, ctx, N, 7) == DFL_OK)
            dfl_shifted_free(shifted, ctx);
        else
            assert_null(shifted);
    }
    dfl_context_fail_after(ctx, -1);
}

/* For every number of stages, a full matrix over the lanes, one column per stage. */
static void lanes_are_transformed_over_the_stages(void **state)
{
    (void)state;
    enum { N = 5 };
    double M[DFL_LANES * 7], X[DFL_LANES * N], Y[DFL_LANES * N], G[DFL_LANES * N], stage[7][N];
    double weight[N];
    for (int stages = 1; stages <= 7; stages += 2) {
        const int width = dfl_lanes_width(stages);
        fill(M, width * stages);
        fill(X, width * N);
        fill(weight, N);
        for (int k = 0; k < stages; k++)
            for (int i = 0; i < N; i++)
                stage[k][i] = X[i * width + k];
        dfl_lanes_transform(Y, stages, M, N, X);
        dfl_lanes_gather(G, stages, M, N, stage[0], N, X, weight);
        for (int i = 0; i < N; i++)
            for (int r = 0; r < width; r++) {
                double sum = 0;
                for (int k = 0; k < stages; k++)
                    sum += M[k * width + r] * X[i * width + k];
                assert_close(Y[i * width + r], sum, 1e-13);
                assert_close(G[i * width + r], sum - weight[i] * X[i * width + r], 1e-13);
            }
        dfl_lanes_gather(G, stages, M, N, stage[0], N, NULL, NULL);
        assert_all_close(G, Y, width * N, 1e-13);
        double back[7][N], sums[N];
        dfl_lanes_scatter(back[0], N, stages, N, weight, G, X); /* G = Y + X */
        for (int i = 0; i < width * N; i++)
            assert_close(G[i], Y[i] + X[i], 1e-13);
        dfl_lanes_scatter(back[0], N, stages, N, weight, X, NULL);
        dfl_lanes_combine(sums, stages, M, N, X);
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < stages; k++) {
                sum += M[k] * X[i * width + k];
                assert_close(back[k][i], weight[i] + X[i * width + k], 0);
            }
            assert_close(sums[i], sum, 1e-13);
        }
        dfl_lanes_transform(X, stages, M, N, X); /* in place */
        assert_all_close(X, Y, width * N, 1e-13);
    }
}

/* Splits -------------------------------------------------------------------------------------- */

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

/* Factors ------------------------------------------------------------------------------------- */

/* Residual of the complex product A x - b; a real system has zero imaginary parts. */
static void assert_solves(const double *A, const double *x, const double *b, int n, bool is_complex)
{
    const int w = is_complex ? 2 : 1;
    for (int i = 0; i < n; i++) {
        double re = 0, im = 0;
        for (int j = 0; j < n; j++) {
            const double *a = A + w * (i + j * n), *y = x + w * j;
            const double ai = is_complex ? a[1] : 0, yi = is_complex ? y[1] : 0;
            re += a[0] * y[0] - ai * yi;
            im += a[0] * yi + ai * y[0];
        }
        assert_close(re, b[w * i], TOLERANCE);
        assert_close(im, is_complex ? b[w * i + 1] : 0, TOLERANCE);
    }
}

static void check_factor(dfl_factor *factor, int n, bool is_complex, dfl_method method)
{
    static double A[2 * AREA], b[2 * MAX], x[2 * MAX];
    const int w = is_complex ? 2 : 1;
    fill(A, w * n * n);
    for (int i = 0; i < n; i++)
        A[w * (i + (3 * i + 1) % n * n)] += n % 3 ? n : 0;
    fill(b, w * n);
    memcpy(x, b, sizeof x);
    memcpy(dfl_factor_matrix(factor), A, (size_t)(w * n * n) * sizeof *A);
    assert_true(dfl_factor_compute(factor, n, method));
    dfl_factor_solve(factor, x);
    assert_solves(A, x, b, n, is_complex);
    memcpy(x, b, sizeof x); /* and again: solving leaves the factors alone */
    dfl_factor_solve(factor, x);
    assert_solves(A, x, b, n, is_complex);
}

static void a_factored_matrix_solves_its_equations(void **state)
{
    (void)state;
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        dfl_factor *factor = NULL;
        assert_int_equal(dfl_factor_create(&factor, ctx, MAX, is_complex), DFL_OK);
        for (int n = 0; n <= MAX; n++)
            for (int repeat = 0; repeat < (n < 6 ? 50 : 2); repeat++)
                if (n > 0) {
                    check_factor(factor, n, is_complex, DFL_METHOD_LU);
                    check_factor(factor, n, is_complex, DFL_METHOD_QR);
                }
        dfl_factor_free(factor, ctx);
    }
}

/* Small integers and a column that repeats: LU meets an exact zero, QR one within rounding. */
static void a_singular_matrix_is_refused(void **state)
{
    (void)state;
    for (int is_complex = 0; is_complex < 2; is_complex++)
        for (int n = 1; n <= MAX; n++)
            for (int method = DFL_METHOD_LU; method <= DFL_METHOD_QR; method++) {
                dfl_factor *factor = NULL;
                assert_int_equal(dfl_factor_create(&factor, ctx, n, is_complex), DFL_OK);
                const size_t column = (size_t)(n * (is_complex ? 2 : 1));
                double *A = dfl_factor_matrix(factor);
                for (int i = 0; i < n - 1; i++)
                    A[column * (size_t)i + (size_t)i * (is_complex ? 2 : 1)] = i + 1;
                if (n > 1)
                    memcpy(A + column * (size_t)(n - 1), A, column * sizeof *A);
                assert_false(dfl_factor_compute(factor, n, (dfl_method)method));
                dfl_factor_free(factor, ctx);
            }
}

static void a_matrix_that_is_not_finite_is_refused_wherever_the_entry_stands(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int is_complex = 0; is_complex < 2; is_complex++)
        for (int n = 1; n <= 24; n += n < 5 ? 1 : 19)
            for (int method = DFL_METHOD_LU; method <= DFL_METHOD_QR; method++) {
                const int count = n * n * (is_complex ? 2 : 1);
                dfl_factor *factor = NULL;
                assert_int_equal(dfl_factor_create(&factor, ctx, n, is_complex), DFL_OK);
                double *A = dfl_factor_matrix(factor);
                for (int k = 0; k < 3 * count; k++) {
                    memset(A, 0, (size_t)count * sizeof *A);
                    for (int i = 0; i < n; i++)
                        A[i * (n + 1) * (is_complex ? 2 : 1)] = 1; /* zeros try to hide it */
                    A[k / 3] = bad[k % 3];
                    assert_false(dfl_factor_compute(factor, n, (dfl_method)method));
                }
                dfl_factor_free(factor, ctx);
            }
}

/* Scaling a matrix by 1e-160 makes the squares of its complex pivots underflow. */
static void complex_pivots_of_any_size_are_inverted(void **state)
{
    (void)state;
    const double sizes[] = {1e-300, 1e-160, 1e160, 1e300};
    dfl_factor *factor = NULL;
    assert_int_equal(dfl_factor_create(&factor, ctx, 1, true), DFL_OK);
    for (int i = 0; i < 4; i++) {
        double *A = dfl_factor_matrix(factor), b[] = {sizes[i], 0};
        A[0] = 3 * sizes[i];
        A[1] = -4 * sizes[i];
        assert_true(dfl_factor_compute(factor, 1, DFL_METHOD_LU));
        dfl_factor_solve(factor, b); /* 1 / (3 - 4 i) = 0.12 + 0.16 i */
        assert_close(b[0], 0.12, 1e-15);
        assert_close(b[1], 0.16, 1e-15);
    }
    dfl_factor_free(factor, ctx);
}

/* Least squares and Cholesky ------------------------------------------------------------------ */

/* x = A^+ b is characterized by A^T (A x - b) = 0 and x in the range of A^T; the latter holds when
   adding any null vector makes x longer, that is when x is orthogonal to the null space. */
static void least_squares_gives_the_shortest_minimizer(void **state)
{
    (void)state;
    static double A[AREA], copy[AREA], b[MAX], x[MAX], r[MAX];
    dfl_lstsq *lstsq = NULL;
    assert_int_equal(dfl_lstsq_create(&lstsq, ctx, MAX, MAX), DFL_OK);
    for (int m = 1; m <= MAX; m += 3)
        for (int n = 1; n <= MAX; n += 3) {
            const int least = m < n ? m : n, rank = (least + 1) / 2;
            int found = -1;
            fill_deficient(A, m, n, rank);
            memcpy(copy, A, sizeof A);
            fill(b, m);
            assert_true(dfl_lstsq_solve(x, lstsq, m, n, copy, b, 1e-10, &found));
            assert_int_equal(found, rank);
            naive_product(r, A, x, m, n, 1);
            for (int i = 0; i < m; i++)
                r[i] -= b[i];
            for (int j = 0; j < n; j++) {
                double dot = 0;
                for (int i = 0; i < m; i++)
                    dot += A[i + j * m] * r[i];
                assert_close(dot, 0, 1e4 * TOLERANCE); /* entries of A reach n^2 = 1600 */
            }
            /* x in the range of A^T: A^T y = x has a solution */
            double T[AREA], y[MAX], z[MAX];
            transpose(T, A, m, n);
            memcpy(copy, T, sizeof T);
            assert_true(dfl_lstsq_solve(y, lstsq, n, m, copy, x, 1e-10, NULL));
            naive_product(z, T, y, n, m, 1);
            assert_all_close(z, x, n, TOLERANCE);
        }
    dfl_lstsq_free(lstsq, ctx);
}

/* Square matrices H diag(1, ..., 1, s) H with a reflection H: their smallest singular value s is above the tolerance
   1e-10, by far or hardly, or below. */
static void least_squares_of_square_matrices_have_the_rank_of_the_tolerance(void **state)
{
    (void)state;
    static const double smallest[] = {1.0, 1e-6, 5e-10, 2e-10, 5e-11, 1e-14};
    static double A[AREA], u[MAX], b[MAX], x[MAX], y[MAX];
    dfl_lstsq *lstsq = NULL;
    assert_int_equal(dfl_lstsq_create(&lstsq, ctx, MAX, MAX), DFL_OK);
    for (int n = 15; n <= MAX; n += 5)
        for (int k = 0; k < 6; k++) {
            const double s = smallest[k];
            double square = 0;
            int rank = -1;
            fill(u, n);
            fill(y, n);
            for (int i = 0; i < n; i++)
                square += u[i] * u[i];
            double h[MAX]; /* H e_n = e_n - 2 u u_n / u.u */
            for (int i = 0; i < n; i++)
                h[i] = (i == n - 1) - 2 * u[i] * u[n - 1] / square;
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++) /* 1 - (1 - s) h h^T */
                    A[i + j * n] = (i == j) - (1 - s) * h[i] * h[j];
            naive_product(b, A, y, n, n, 1);
            assert_true(dfl_lstsq_solve(x, lstsq, n, n, A, b, 1e-10, &rank));
            assert_int_equal(rank, s > 1e-10 ? n : n - 1);
            double along =
                0; /* where the rank is lost, the shortest solution has nothing along h */
            for (int i = 0; i < n; i++)
                along += h[i] * y[i];
            for (int i = 0; i < n; i++)
                y[i] -= rank < n ? h[i] * along : 0.0;
            assert_all_close(x, y, n, 1e-14 * n / fmax(s, rank < n ? 1.0 : 1e-10));
        }
    dfl_lstsq_free(lstsq, ctx);
}

static void least_squares_refuses_what_is_not_finite_and_takes_empty_systems(void **state)
{
    (void)state;
    dfl_lstsq *lstsq = NULL;
    double A[] = {1, NAN, 3, 4}, b[] = {1, 2}, x[] = {7, 7};
    int rank = -1;
    assert_int_equal(dfl_lstsq_create(&lstsq, ctx, 2, 2), DFL_OK);
    assert_false(dfl_lstsq_solve(x, lstsq, 2, 2, A, b, 1e-10, &rank));
    A[1] = 2;
    b[0] = INFINITY;
    assert_false(dfl_lstsq_solve(x, lstsq, 2, 2, A, b, 1e-10, &rank));
    assert_true(dfl_lstsq_solve(x, lstsq, 0, 2, A, b, 1e-10, &rank));
    assert_int_equal(rank, 0);
    assert_close(x[0], 0, 0.0);
    dfl_lstsq_free(lstsq, ctx);
}

/* A = G G^T + I is positive definite; minus (its trace) I it is not. */
static void cholesky_factors_and_refuses_what_is_not_positive_definite(void **state)
{
    (void)state;
    static double G[AREA], T[AREA], A[AREA], L[AREA];
    for (int n = 1; n <= MAX; n++) {
        fill(G, n * n);
        transpose(T, G, n, n);
        naive_product(A, G, T, n, n, n);
        for (int i = 0; i < n; i++)
            A[i * (n + 1)] += 1;
        memcpy(L, A, sizeof L);
        assert_true(dfl_cholesky(L, n));
        for (int j = 0; j < n; j++) /* L L^T = A */
            for (int i = j; i < n; i++) {
                double sum = 0;
                for (int k = 0; k <= j; k++)
                    sum += L[i + k * n] * L[j + k * n];
                assert_close(sum, A[i + j * n], 1e-12 * n);
            }

        memcpy(L, A, sizeof L);
        L[n * n - 1] = -1;
        assert_false(dfl_cholesky(L, n));
        for (int k = 0; k < n; k++) { /* NaN anywhere in the lower triangle */
            memcpy(L, A, sizeof L);
            L[n - 1 + k * n] = NAN;
            assert_false(dfl_cholesky(L, n));
        }
    }
}

static void cholesky_refuses_a_matrix_that_is_singular_within_rounding(void **state)
{
    (void)state;
    static double G[AREA], T[AREA], A[AREA];
    for (int n = 2; n <= MAX; n++) {
        fill(G, n * (n - 1)); /* G G^T has rank n - 1 ... */
        for (int i = 0; i < n - 1; i++)
            G[i * (n + 1)] += n; /* ... and a well-conditioned block before its last row */
        transpose(T, G, n, n - 1);
        naive_product(A, G, T, n, n - 1, n);
        assert_false(dfl_cholesky(A, n));
    }
}

/* Creation ------------------------------------------------------------------------------------ */

static dfl_status create_all(void)
{
    dfl_split *split = NULL;
    dfl_factor *factor = NULL;
    dfl_lstsq *lstsq = NULL;
    dfl_status status = dfl_split_create(&split, ctx, 3, 20);
    if (!status)
        status = dfl_factor_create(&factor, ctx, 20, true);
    if (!status)
        status = dfl_lstsq_create(&lstsq, ctx, 20, 3);
    dfl_lstsq_free(lstsq, ctx);
    dfl_factor_free(factor, ctx);
    dfl_split_free(split, ctx);
    return status;
}

/* Fails the first, second, third ... allocation until all succeed. */
static void creation_survives_every_failed_allocation(void **state)
{
    (void)state;
    dfl_status status = DFL_NO_MEMORY;
    for (long n = 0; status; n++) {
        dfl_context_fail_after(ctx, n);
        status = create_all();
        assert_true(status == DFL_OK || status == DFL_NO_MEMORY);
        assert_int_equal(dfl_context_live(ctx), 0);
    }
    dfl_context_fail_after(ctx, -1);
}

static int make_context(void **state)
{
    (void)state;
    ctx = dfl_context_create();
    return ctx ? 0 : -1;
}

static int free_context(void **state)
{
    (void)state;
    const long live = dfl_context_live(ctx);
    dfl_context_free(ctx);
    return live == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_equals_the_definition),
        cmocka_unit_test(gemm_with_beta_zero_does_not_read_the_result),
        cmocka_unit_test(gemm_respects_leading_dimensions),
        cmocka_unit_test(lanes_multiply_four_or_eight_vectors_at_once),
        cmocka_unit_test(shifted_systems_are_solved_for_all_shifts),
        cmocka_unit_test(singular_shifted_systems_are_refused),
        cmocka_unit_test(lanes_are_transformed_over_the_stages),
        cmocka_unit_test(lanes_are_multiplied_by_shifts),
        cmocka_unit_test(lanes_are_multiplied_by_shifted_matrices),
        cmocka_unit_test(factors_solve_in_lanes),
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
        cmocka_unit_test(a_factored_matrix_solves_its_equations),
        cmocka_unit_test(a_singular_matrix_is_refused),
        cmocka_unit_test(a_matrix_that_is_not_finite_is_refused_wherever_the_entry_stands),
        cmocka_unit_test(complex_pivots_of_any_size_are_inverted),
        cmocka_unit_test(least_squares_gives_the_shortest_minimizer),
        cmocka_unit_test(least_squares_of_square_matrices_have_the_rank_of_the_tolerance),
        cmocka_unit_test(least_squares_refuses_what_is_not_finite_and_takes_empty_systems),
        cmocka_unit_test(cholesky_factors_and_refuses_what_is_not_positive_definite),
        cmocka_unit_test(cholesky_refuses_a_matrix_that_is_singular_within_rounding),
        cmocka_unit_test(creation_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
