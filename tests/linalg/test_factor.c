/* test_factor.c: factors of square matrices, least squares and Cholesky's factor against the
   equations that they solve. */
#include "failing.h"
#include "matrices.h"

enum { LARGE = 99 }; /* LAPACK takes real matrices from 97 on, all others from 17 on */

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
    static double A[2 * LARGE * LARGE], b[2 * LARGE], x[2 * LARGE];
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
        assert_int_equal(dfl_factor_create(&factor, ctx, LARGE, is_complex), DFL_OK);
        for (int n = 0; n <= LARGE; n += n < MAX ? 1 : 3)
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
        for (int n = 1; n <= LARGE; n += n < MAX ? 1 : 3)
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

/* Square matrices H diag(1, ..., 1, s) H with a reflection H: their smallest singular value s is
   above the tolerance 1e-10, by far or hardly, or below. */
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
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, ctx) {
        status = create_all();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
