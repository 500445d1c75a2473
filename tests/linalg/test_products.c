/* test_products.c: products of matrices and of several vectors in lanes against their
   definition. */
#include "linalg/linalg.h"
#include "matrices.h"

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

/* Set, or subtracted from what is there, in columns that are longer than the matrix. */
static void tiny_products_equal_the_definition(void **state)
{
    (void)state;
    enum { MOST = 5, LD = 7 };
    double A[LD * MOST], B[LD * MOST], C[LD * MOST], D[LD * MOST], E[LD * MOST];
    for (int m = 0; m <= MOST; m++)
        for (int n = 0; n <= MOST; n++)
            for (int k = 0; k <= MOST; k++) {
                fill(A, LD * MOST);
                fill(B, LD * MOST);
                fill(D, LD * MOST);
                memcpy(E, D, sizeof E);
                for (int i = 0; i < LD * MOST; i++)
                    C[i] = NAN; /* must not be read */
                dfl_product(m, n, k, 1, A, LD, B, LD, 0, C, LD);
                dfl_product(m, n, k, -1, A, LD, B, LD, 1, D, LD);
                for (int j = 0; j < n; j++)
                    for (int i = 0; i < m; i++) {
                        double sum = 0;
                        for (int l = 0; l < k; l++)
                            sum += A[l * LD + i] * B[j * LD + l];
                        assert_close(C[j * LD + i], sum,
                                     1e-14); /* 5 products of size 1, each with eps */
                        E[j * LD + i] -= sum;
                    }
                assert_all_close(D, E, LD * MOST, 1e-14); /* nothing else was changed */
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
        for (int i = 0; i < N; i++) /* lanes not in use are zero, and stay so */
            for (int k = stages; k < width; k++)
                X[i * width + k] = 0;
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

/* (zeta A - B) x = b again for every shift: orders that are factored in lanes and larger ones,
   regular matrices and one whose best pivots differ from shift to shift (A has a zero where B has
   none). */
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
        assert_true(dfl_shifted_factor(shifted, n, A, B, stages, &shifts,
                                       qr ? DFL_METHOD_QR : DFL_METHOD_LU));
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
    dfl_shifts shifts;
    dfl_shifts_set(&shifts, 3, zeta);
    assert_int_equal(dfl_shifted_create(&shifted, ctx, N, 3), DFL_OK);
    assert_false(dfl_shifted_factor(shifted, N, zero, zero, 3, &shifts, DFL_METHOD_LU));
    for (int i = 0; i < N * N; i++) {
        double A[N * N] = {2, 1, 1, 3};
        assert_true(dfl_shifted_factor(shifted, N, A, zero, 3, &shifts, DFL_METHOD_LU));
        A[i] = NAN;
        assert_false(dfl_shifted_factor(shifted, N, A, zero, 3, &shifts, DFL_METHOD_LU));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_equals_the_definition),
        cmocka_unit_test(tiny_products_equal_the_definition),
        cmocka_unit_test(gemm_with_beta_zero_does_not_read_the_result),
        cmocka_unit_test(gemm_respects_leading_dimensions),
        cmocka_unit_test(lanes_multiply_four_or_eight_vectors_at_once),
        cmocka_unit_test(lanes_are_transformed_over_the_stages),
        cmocka_unit_test(lanes_are_multiplied_by_shifts),
        cmocka_unit_test(lanes_are_multiplied_by_shifted_matrices),
        cmocka_unit_test(factors_solve_in_lanes),
        cmocka_unit_test(shifted_systems_are_solved_for_all_shifts),
        cmocka_unit_test(singular_shifted_systems_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
