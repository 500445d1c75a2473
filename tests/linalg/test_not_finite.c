/* test_not_finite.c: whatever LAPACK would iterate on for ever, or answer with zeros, is refused
   before. */
#include "failing.h"
#include "matrices.h"

enum { N = 4 };

/* One entry after another of a good matrix becomes NaN or infinite. */
static void assert_refused(bool (*refuses)(dfl_context *context, const double *A))
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    dfl_context *context = dfl_context_create();
    double A[N * N];
    fill(A, N * N);
    for (int i = 0; i < N; i++)
        A[i + i * N] += 2 * N;
    assert_false(refuses(context, A));
    for (int k = 0; k < 3 * N * N; k++) {
        const double good = A[k / 3];
        A[k / 3] = bad[k % 3];
        assert_true(refuses(context, A));
        A[k / 3] = good;
    }
    assert_int_equal(dfl_context_live(context), 0);
    dfl_context_free(context);
}

static bool eigen_refuses(dfl_context *context, const double *A)
{
    dfl_eigen eigen;
    const dfl_status status = dfl_eigen_find(&eigen, context, N, A);
    dfl_eigen_clear(&eigen);
    return status == DFL_NOT_FINITE;
}

static bool eigenvalues_refuse(dfl_context *context, const double *A)
{
    double copy[N * N], re[N], im[N], work[DFL_EIGENVALUES_WORK(N)];
    (void)context;
    memcpy(copy, A, sizeof copy);
    return !dfl_eigenvalues(re, im, copy, N, work);
}

static bool pencil_refuses(dfl_context *context, const double *A, const double *E)
{
    double a[N * N], e[N * N], re[N], im[N];
    int count;
    memcpy(a, A, sizeof a);
    memcpy(e, E, sizeof e);
    return dfl_pencil_eigenvalues(re, im, &count, context, N, a, e) == DFL_NOT_FINITE;
}

static const double one[N * N] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static bool left_pencil_refuses(dfl_context *context, const double *A)
{
    return pencil_refuses(context, A, one);
}

static bool right_pencil_refuses(dfl_context *context, const double *A)
{
    return pencil_refuses(context, one, A);
}

static bool riccati_refuses(dfl_context *context, const double *A)
{
    double X[N * N];
    return dfl_riccati(X, context, N, A, one, one) == DFL_NOT_FINITE;
}

static void what_is_iterated_is_finite(void **state)
{
    (void)state;
    assert_refused(eigen_refuses);
    assert_refused(eigenvalues_refuse);
    assert_refused(left_pencil_refuses);
    assert_refused(right_pencil_refuses);
    assert_refused(riccati_refuses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_iterated_is_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
