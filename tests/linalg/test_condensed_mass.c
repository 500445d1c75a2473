/* test_condensed_mass.c: the lemmas of Arnold (2013), appendix A, on which recursions over bodies
   of deficient mass rest, as properties of random matrices of every rank. The pseudo-inverse is the
   one of dfl_split with singular values; that it is one is checked first (Penrose's four
   equations). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "context/context.h"
#include "linalg/linalg.h"

/* last: its complex.h defines a word that linalg.h uses */
#include <lapacke.h>

enum { D = 6, TRIALS = 20 };
static const double small = 1e-10; /* entries have the size 1 to 30, conditions up to 1e3 */

typedef struct matrix {
    int m, n;
    double e[D * D]; /* by columns */
} matrix;

static unsigned long seed = 12345;
static dfl_context *ctx;
static dfl_split *split;

static double draw(void)
{
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(seed >> 33) / 1073741824.0 - 1; /* -1 to 1 */
}

static matrix drawn(int m, int n)
{
    matrix a = {m, n, {0}};
    for (int i = 0; i < m * n; i++)
        a.e[i] = draw();
    return a;
}

static matrix times(matrix a, matrix b)
{
    matrix c = {a.m, b.n, {0}};
    for (int i = 0; i < a.m; i++)
        for (int j = 0; j < b.n; j++)
            for (int k = 0; k < a.n; k++)
                c.e[j * c.m + i] += a.e[k * a.m + i] * b.e[j * b.m + k];
    return c;
}

static matrix turned(matrix a)
{
    matrix b = {a.n, a.m, {0}};
    for (int i = 0; i < a.m; i++)
        for (int j = 0; j < a.n; j++)
            b.e[i * b.m + j] = a.e[j * a.m + i];
    return b;
}

static matrix minus(matrix a, matrix b)
{
    for (int i = 0; i < a.m * a.n; i++)
        a.e[i] -= b.e[i];
    return a;
}

static matrix unit(int n)
{
    matrix a = {n, n, {0}};
    for (int i = 0; i < n; i++)
        a.e[i * n + i] = 1;
    return a;
}

static double size(matrix a)
{
    double most = 0;
    for (int i = 0; i < a.m * a.n; i++)
        most = fmax(most, fabs(a.e[i]));
    return most;
}

/* Symmetric, positive semi-definite, of the given rank. */
static matrix mass(int rank)
{
    matrix b = drawn(D, rank > 0 ? rank : 1);
    if (rank == 0)
        memset(b.e, 0, sizeof b.e);
    return times(b, turned(b));
}

static matrix pseudo_inverse(matrix a)
{
    const dfl_split_rule rule = {.method = DFL_METHOD_SVD, .tolerance = 1e-9, .rank = -1};
    matrix b = {a.n, a.m, {0}};
    if (size(a) == 0)
        return b;
    dfl_split_compute(split, &rule, a.e, a.m, a.m, a.n);
    memcpy(b.e, split->R, (size_t)(a.m * a.n) * sizeof *b.e);
    return b;
}

static double least_eigenvalue(matrix a)
{
    double w[D];
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', a.n, a.e, a.n, w), 0);
    return w[0];
}

/* The symmetric root of a semi-definite matrix. */
static matrix root(matrix a)
{
    double w[D];
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', a.n, a.e, a.n, w), 0);
    matrix scaled = a;
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.n; i++)
            scaled.e[j * a.n + i] *= sqrt(fmax(0, w[j]));
    return times(scaled, turned(a));
}

/* Columns that are partly dependent: n columns of rank at most `rank`. */
static matrix joint(int n, int rank)
{
    return rank >= n ? drawn(D, n) : times(drawn(D, rank), drawn(rank, n));
}

static void the_split_is_a_pseudo_inverse(void **state)
{
    (void)state;
    for (int rank = 0; rank <= D; rank++) {
        const matrix a = mass(rank), b = pseudo_inverse(a);
        const matrix ab = times(a, b), ba = times(b, a);
        assert_true(size(minus(times(ab, a), a)) < small * fmax(1, size(a)));
        assert_true(size(minus(times(ba, b), b)) < small * fmax(1, size(b)));
        assert_true(size(minus(ab, turned(ab))) < small && size(minus(ba, turned(ba))) < small);
    }
}

/* K^-T H^T (M - M J (J^T M J)^+ J^T M) H K^-1 is symmetric and positive semi-definite. */
static void lemma_1_condensed_masses_are_masses(void **state)
{
    (void)state;
    for (int rank = 0; rank <= D; rank++)
        for (int n = 1; n <= D; n++)
            for (int trial = 0; trial < TRIALS; trial++) {
                const matrix M = mass(rank), J = joint(n, 1 + trial % n), H = drawn(D, D);
                const matrix MJ = times(M, J), inner = times(turned(J), MJ);
                const matrix B = minus(M, times(times(MJ, pseudo_inverse(inner)), turned(MJ)));
                const matrix X = times(H, pseudo_inverse(drawn(D, D))); /* H K^-1 */
                const matrix condensed = times(times(turned(X), B), X);
                const double scale = fmax(1, size(X)) * fmax(1, size(X)) * fmax(1, size(M));
                assert_true(size(minus(condensed, turned(condensed))) < small * scale);
                assert_true(least_eigenvalue(condensed) > -small * scale);
            }
}

/* C (I - (C^T C)^+ C^T C) = 0 and (I - C^T C (C^T C)^+) C^T = 0. */
static void lemma_2_what_has_no_mass_does_not_move_mass(void **state)
{
    (void)state;
    for (int n = 1; n <= D; n++)
        for (int rank = 1; rank <= n; rank++)
            for (int trial = 0; trial < TRIALS; trial++) {
                const matrix C = joint(n, rank), A = times(turned(C), C), P = pseudo_inverse(A);
                assert_true(size(times(C, minus(unit(n), times(P, A)))) < small * 100);
                assert_true(size(times(minus(unit(n), times(A, P)), turned(C))) < small * 100);
            }
}

/* With C = (B0^T B0 + sum Bj^T Bj)^1/2 J: Bj J (I - (C^T C)^+ C^T C) = 0 for every j. */
static void lemma_3_no_part_of_the_mass_moves_either(void **state)
{
    (void)state;
    for (int n = 1; n <= D; n++)
        for (int trial = 0; trial < TRIALS; trial++) {
            const int parts = 1 + trial % 3;
            matrix B[3], sum = {D, D, {0}};
            for (int j = 0; j < parts; j++) {
                B[j] = times(drawn(D, 1 + (trial + j) % 2), drawn(1 + (trial + j) % 2, D));
                const matrix square = times(turned(B[j]), B[j]);
                for (int i = 0; i < D * D; i++)
                    sum.e[i] += square.e[i];
            }
            assert_true(least_eigenvalue(sum) > -small * fmax(1, size(sum)));
            const matrix J = drawn(D, n), C = times(root(sum), J), A = times(turned(C), C);
            const matrix rest = minus(unit(n), times(pseudo_inverse(A), A));
            for (int j = 0; j < parts; j++)
                assert_true(size(times(times(B[j], J), rest)) < 1e-6 * fmax(1, size(sum)));
        }
}

static int set_up(void **state)
{
    (void)state;
    ctx = dfl_context_create();
    return !ctx || dfl_split_create(&split, ctx, D, D);
}

static int tear_down(void **state)
{
    (void)state;
    dfl_split_free(split, ctx);
    dfl_context_free(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_split_is_a_pseudo_inverse),
        cmocka_unit_test(lemma_1_condensed_masses_are_masses),
        cmocka_unit_test(lemma_2_what_has_no_mass_does_not_move_mass),
        cmocka_unit_test(lemma_3_no_part_of_the_mass_moves_either),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
