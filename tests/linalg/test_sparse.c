/* test_sparse.c: sparse patterns, LU and LDL^T against the equations that they solve. */
#include "matrices.h"

enum { N = 30, ROWS = 12, ENTRIES = 4 * N };

static double number(void)
{
    double x;
    fill(&x, 1);
    return x;
}

static void a_pattern_is_sorted_and_joins_equal_places(void **state)
{
    (void)state;
    const dfl_place_of_entry place[] = {{2, 1}, {0, 0}, {2, 1}, {1, 1}, {0, 2}};
    const int expected_at[] = {2, 0, 2, 1, 3}, rows[] = {0, 1, 2, 0}, start[] = {0, 1, 3, 4};
    int at[5];
    dfl_csc matrix;
    assert_int_equal(dfl_csc_create(&matrix, at, ctx, 3, 3, place, 5), DFL_OK);
    assert_memory_equal(at, expected_at, sizeof at);
    assert_memory_equal(matrix.row, rows, sizeof rows);
    assert_memory_equal(matrix.start, start, sizeof start);
    dfl_csc_clear(&matrix, ctx);
}

/* A cyclic band without a diagonal, which needs pivoting; the second matrix has other numbers. */
static void sparse_lu_solves(void **state)
{
    (void)state;
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        const int w = is_complex ? 2 : 1;
        dfl_place_of_entry place[3 * N];
        double value[2 * 3 * N], b[2 * N], x[2 * N];
        for (int j = 0; j < N; j++)
            for (int k = 0; k < 3; k++)
                place[3 * j + k] = (dfl_place_of_entry){(j + 1 + 2 * k) % N, j};
        dfl_csc A;
        dfl_sparse_lu *lu;
        assert_int_equal(dfl_csc_create(&A, NULL, ctx, N, N, place, 3 * N), DFL_OK);
        assert_int_equal(dfl_sparse_lu_create(&lu, ctx, &A, is_complex, NULL), DFL_OK);
        for (int trial = 0; trial < 3; trial++) {
            fill(value, w * 3 * N);
            for (int k = 0; k < 3 * N; k += 3)
                value[w * k] += 4;
            fill(b, w * N);
            memcpy(x, b, sizeof x);
            assert_true(dfl_sparse_lu_factor(lu, value));
            assert_true(dfl_sparse_lu_solve(x, lu));
            for (int j = 0; j < N; j++)
                for (int k = A.start[j]; k < A.start[j + 1]; k++) {
                    const double *a = value + w * k, *y = x + w * j;
                    double *r = b + w * A.row[k];
                    r[0] -= a[0] * y[0] - (is_complex ? a[1] * y[1] : 0);
                    if (is_complex)
                        r[1] -= a[0] * y[1] + a[1] * y[0];
                }
            for (int i = 0; i < w * N; i++)
                assert_close(b[i], 0, TOLERANCE);
        }
        value[0] = NAN;
        assert_false(dfl_sparse_lu_factor(lu, value));
        memset(value, 0, sizeof value);
        assert_false(dfl_sparse_lu_factor(lu, value));
        dfl_sparse_lu_free(lu);
        dfl_csc_clear(&A, ctx);
    }
}

/* [D A^T; A 0] with D of one or several bands; rows 3 and 7 of A are combinations of others. */
static void check_saddle(bool diagonal, bool dependent)
{
    dfl_place_of_entry place[ENTRIES], band[3 * N];
    double a[ENTRIES], d[3 * N], x[N], l[ROWS], f[N], g[ROWS];
    int count = 0, bands = 0;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < 3; k++)
            place[count++] = (dfl_place_of_entry){i, (2 * i + 5 * k) % N};
    for (int j = 0; j < N; j++)
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++)
            band[bands++] = (dfl_place_of_entry){i, j};
    if (dependent) /* room for the entries of rows 1 and 2 in rows 3 and 7 */
        for (int k = 0; k < 6; k++) {
            place[count++] = (dfl_place_of_entry){3, place[3 + k].column};
            place[count++] = (dfl_place_of_entry){7, place[3 + k].column};
        }
    dfl_csc A, D;
    dfl_saddle_ldl *ldl;
    assert_int_equal(dfl_csc_create(&A, NULL, ctx, ROWS, N, place, count), DFL_OK);
    assert_int_equal(dfl_csc_create(&D, NULL, ctx, N, N, band, bands), DFL_OK);
    assert_int_equal(dfl_saddle_ldl_create(&ldl, ctx, diagonal ? NULL : &D, &A), DFL_OK);
    fill(a, A.start[N]);
    for (int j = 0; dependent && j < N; j++)
        for (int k = A.start[j]; k < A.start[j + 1]; k++) {
            double one = 0, two = 0;
            for (int q = A.start[j]; q < A.start[j + 1]; q++) {
                one = A.row[q] == 1 ? a[q] : one;
                two = A.row[q] == 2 ? a[q] : two;
            }
            a[k] = A.row[k] == 3 ? one + two : A.row[k] == 7 ? one - 2 * two : a[k];
        }
    for (int j = 0; diagonal && j < N; j++)
        d[j] = 2 + number();
    for (int j = 0; !diagonal && j < N; j++)
        for (int k = D.start[j]; k < D.start[j + 1]; k++)
            d[k] = D.row[k] == j ? 3 : 0.5 * (D.row[k] + j == 7 ? -1 : 1);
    assert_true(dfl_saddle_ldl_factor(ldl, d, a, 1e-6, NULL));
    assert_int_equal(dfl_saddle_ldl_rank(ldl), dependent ? ROWS - 2 : ROWS);
    assert_true(dfl_saddle_ldl_smallest(ldl) > 1e-3 && dfl_saddle_ldl_dropped(ldl) < 1e-7);
    fill(f, N);
    memset(g, 0, sizeof g); /* in the range of A */
    for (int j = 0; j < N; j++)
        x[j] = number();
    dfl_csc_add(g, A.start, A.row, N, a, 1, x);
    memcpy(x, f, sizeof x);
    memcpy(l, g, sizeof l);
    double four_x[4 * N], four_l[4 * ROWS], work[4 * (N + ROWS)];
    for (int i = 0; i < 4 * N; i++)
        four_x[i] = (1 + i % 4) * x[i / 4];
    for (int i = 0; i < 4 * ROWS; i++)
        four_l[i] = (1 + i % 4) * l[i / 4];
    dfl_saddle_ldl_solve(x, l, ldl);
    dfl_saddle_ldl_solve_lanes(four_x, four_l, ldl, true, work); /* multiples of it */
    for (int i = 0; i < 4 * N; i++)
        assert_close(four_x[i], (1 + i % 4) * x[i / 4], TOLERANCE);
    for (int i = 0; i < 4 * ROWS; i++)
        assert_close(four_l[i], (1 + i % 4) * l[i / 4], TOLERANCE);
    dfl_csc_add(g, A.start, A.row, N, a, -1, x);
    dfl_csc_add_transposed(f, A.start, A.row, N, a, -1, l);
    if (diagonal)
        for (int j = 0; j < N; j++)
            f[j] -= d[j] * x[j];
    else
        dfl_csc_add(f, D.start, D.row, N, d, -1, x);
    for (int j = 0; j < N; j++)
        assert_close(f[j], 0, 10 * TOLERANCE);
    for (int i = 0; i < ROWS; i++)
        assert_close(g[i], 0, 10 * TOLERANCE);
    d[0] = -1;
    assert_false(dfl_saddle_ldl_factor(ldl, d, a, 1e-6, NULL));
    dfl_saddle_ldl_free(ldl);
    dfl_csc_clear(&A, ctx);
    dfl_csc_clear(&D, ctx);
}

static void saddle_systems_are_solved(void **state)
{
    (void)state;
    check_saddle(true, false);
    check_saddle(false, false);
}

static void dependent_rows_are_left_out(void **state)
{
    (void)state;
    check_saddle(true, true);
    check_saddle(false, true);
}

/* r -= [D A^T; A 0] (x, l) in lanes (real | real part, imaginary part | 0). */
static void subtract_lanes(double *r, double *rows, const dfl_csc *D, const double *d,
                           const dfl_csc *A, const double *a, const double *x, const double *l)
{
    for (int j = 0; j < N; j++) {
        for (int k = D->start[j]; k < D->start[j + 1]; k++) {
            double *to = r + 4 * D->row[k];
            const double *z = d + 4 * k, *y = x + 4 * j;
            to[0] -= z[0] * y[0];
            to[1] -= z[1] * y[1] - z[2] * y[2];
            to[2] -= z[1] * y[2] + z[2] * y[1];
        }
        for (int k = A->start[j]; k < A->start[j + 1]; k++)
            for (int lane = 0; lane < 3; lane++) {
                r[4 * j + lane] -= a[k] * l[4 * A->row[k] + lane];
                rows[4 * A->row[k] + lane] -= a[k] * x[4 * j + lane];
            }
    }
}

/* Five bodies with six velocities each, coupled with the next one by D and by three rows, so that
   columns of the factors have rows in common; row 4 is left out in the second turn. Then real
   lanes, with and without forces. */
static void blocks_are_solved_in_lanes(void **state)
{
    (void)state;
    enum { BLOCK = 6, COUPLED = 3 * BLOCK * N };
    static dfl_place_of_entry of_D[COUPLED], of_A[2 * BLOCK * ROWS];
    static double d[4 * COUPLED], real[COUPLED], a[2 * BLOCK * ROWS];
    int nD = 0, nA = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (i / BLOCK == j / BLOCK || abs(i - j) == BLOCK)
                of_D[nD++] = (dfl_place_of_entry){i, j};
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < 2 * BLOCK; k++)
            of_A[nA++] = (dfl_place_of_entry){i, i / 3 * BLOCK + k};
    dfl_csc D, A;
    dfl_saddle_ldl *ldl;
    dfl_lane_ldl *lanes;
    assert_int_equal(dfl_csc_create(&D, NULL, ctx, N, N, of_D, nD), DFL_OK);
    assert_int_equal(dfl_csc_create(&A, NULL, ctx, ROWS, N, of_A, nA), DFL_OK);
    assert_int_equal(dfl_saddle_ldl_create(&ldl, ctx, &D, &A), DFL_OK);
    assert_int_equal(dfl_lane_ldl_create(&lanes, ldl), DFL_OK);
    fill(a, nA);
    for (int j = 0; j < N; j++)
        for (int k = D.start[j]; k < D.start[j + 1]; k++) {
            const int i = D.row[k];
            real[k] = i == j ? 20 : 1.0 / (1 + abs(i - j));
            for (int lane = 0; lane < 3; lane++)
                d[4 * k + lane] = real[k] * (double[]){1, 0.3, 0.8}[lane] + (i + j == 9) * 0.1;
        }
    for (int turn = 0; turn < 2; turn++) {
        const unsigned char out[ROWS] = {[4] = turn == 1};
        double x[4 * N], l[4 * ROWS], r[4 * N], rows[4 * ROWS], work[4 * (N + ROWS)];
        assert_true(dfl_lane_ldl_factor(lanes, d, a, out));
        fill(x, 4 * N);
        fill(l, 4 * ROWS);
        for (int i = 3; i < 4 * N; i += 4)
            x[i] = 0;
        for (int i = 3; i < 4 * ROWS; i += 4)
            l[i] = 0;
        memcpy(r, x, sizeof r);
        memcpy(rows, l, sizeof rows);
        dfl_lane_ldl_solve(x, l, lanes);
        subtract_lanes(r, rows, &D, d, &A, a, x, l);
        for (int i = 0; i < 4 * N; i++)
            assert_close(r[i], 0, 100 * TOLERANCE);
        for (int i = 0; i < 4 * ROWS; i++) {
            if (out[i / 4])
                assert_close(l[i], 0, 0);
            else
                assert_close(rows[i], 0, 100 * TOLERANCE);
        }
        assert_true(dfl_saddle_ldl_factor(ldl, real, a, 0, out));
        for (int forces = 1; forces >= 0; forces--) {
            double one_x[N] = {0}, one_l[ROWS];
            fill(one_l, ROWS);
            if (forces)
                fill(one_x, N);
            for (int i = 0; i < 4 * N; i++)
                x[i] = forces ? (1 + i % 4) * one_x[i / 4] : NAN; /* not read */
            for (int i = 0; i < 4 * ROWS; i++)
                l[i] = (1 + i % 4) * one_l[i / 4];
            dfl_saddle_ldl_solve(one_x, one_l, ldl);
            dfl_saddle_ldl_solve_lanes(x, l, ldl, forces, work);
            for (int i = 0; i < 4 * N; i++)
                assert_close(x[i], (1 + i % 4) * one_x[i / 4], 100 * TOLERANCE);
            for (int i = 0; forces && i < 4 * ROWS; i++)
                assert_close(l[i], (1 + i % 4) * one_l[i / 4], 100 * TOLERANCE);
        }
    }
    dfl_lane_ldl_free(lanes);
    dfl_saddle_ldl_free(ldl);
    dfl_csc_clear(&D, ctx);
    dfl_csc_clear(&A, ctx);
}

/* A D^-1 A^T for A = [1 1; 1 -1] and D = (1, -2): [1/2 3/2; 3/2 1/2] has eigenvalues 2 and -1. */
static void inertia_counts_negative_directions(void **state)
{
    (void)state;
    const dfl_place_of_entry place[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    dfl_csc A;
    dfl_saddle_ldl *ldl;
    assert_int_equal(dfl_csc_create(&A, NULL, ctx, 2, 2, place, 4), DFL_OK);
    assert_int_equal(dfl_saddle_ldl_create(&ldl, ctx, NULL, &A), DFL_OK);
    assert_int_equal(
        dfl_saddle_ldl_inertia(ldl, (const double[]){1, -2}, (const double[]){1, 1, 1, -1}, NULL),
        1);
    assert_int_equal(
        dfl_saddle_ldl_inertia(ldl, (const double[]){1, 2}, (const double[]){1, 1, 1, -1}, NULL),
        0);
    dfl_saddle_ldl_free(ldl);
    dfl_csc_clear(&A, ctx);
}

/* Rows 0 = row 1 + row 2: the multipliers of least norm have no part along (1, -1, -1), and the
   force of the given ones; if row 2 does not count, it takes what the others need not have. */
static void multipliers_of_least_norm(void **state)
{
    (void)state;
    const dfl_place_of_entry place[] = {{0, 0}, {0, 1}, {1, 0}, {2, 1}};
    const double D[] = {2, 0.5, 1}, A[] = {1, 3, 1, 3}, given[] = {1, -2, 0.5};
    const bool uncounted[] = {false, false, true};
    dfl_csc pattern;
    assert_int_equal(dfl_csc_create(&pattern, NULL, ctx, 3, 3, place, 4), DFL_OK);
    for (int k = 0; k < 2; k++) {
        dfl_least_rows *least;
        double f[3] = {0}, l[3], back[3] = {0};
        const double value[] = {A[0], A[2], A[1], A[3]}; /* by columns */
        assert_int_equal(dfl_least_rows_create(&least, ctx, &pattern, k == 0 ? NULL : uncounted),
                         DFL_OK);
        dfl_csc_add_transposed(f, pattern.start, pattern.row, 3, value, 1, given);
        assert_true(dfl_least_rows_factor(least, D, value));
        dfl_least_rows_solve(l, least, f);
        dfl_csc_add_transposed(back, pattern.start, pattern.row, 3, value, 1, l);
        for (int j = 0; j < 3; j++)
            assert_true(fabs(back[j] - f[j]) < 1e-12);
        assert_true(fabs(k == 0 ? l[0] - l[1] - l[2] : l[0] - l[1]) < 1e-9);
        dfl_least_rows_free(least);
    }
    dfl_csc_clear(&pattern, ctx);
}

/* Of three rows in a plane the one of the later kind, or the one that may be apart, is left out. */
static void rows_are_left_out_by_preference(void **state)
{
    (void)state;
    const dfl_place_of_entry place[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}};
    const double D[] = {1, 1}, apart[] = {0, 1e-3, 0};
    dfl_csc pattern;
    dfl_saddle_ldl *ldl;
    assert_int_equal(dfl_csc_create(&pattern, NULL, ctx, 3, 2, place, 6), DFL_OK);
    assert_int_equal(dfl_saddle_ldl_create(&ldl, ctx, NULL, &pattern), DFL_OK);
    for (int k = 0; k < 3; k++) { /* 0: row 2 is late; 1: row 1 may be apart; 2: by 1e-5 */
        const double value[] = {1, 1, 1, 0, 1, 2};
        const double parallel[] = {1, 2, 1, 0, 1e-5, 1};
        unsigned char out[3], seen[3];
        double work[8];
        dfl_row_choice choice = {.A = &pattern,
                                 .D = D,
                                 .value = k < 2 ? value : parallel,
                                 .zero = 1e-8,
                                 .allowed = k == 0 ? NULL : apart,
                                 .late = k == 0 ? 2 : 3,
                                 .left_out = out,
                                 .seen = seen,
                                 .work = work};
        assert_true(dfl_saddle_ldl_choose(&choice, ldl));
        assert_int_equal(dfl_saddle_ldl_rank(ldl), 2);
        assert_int_equal(out[k == 0 ? 2 : 1], 1);
    }
    dfl_saddle_ldl_free(ldl);
    dfl_csc_clear(&pattern, ctx);
}

/* Without allowances the choice is that of one elimination, however many rows depend on others: no
   row is looked at by itself, which took a factorization for each. */
static void rows_without_allowances_are_eliminated_once(void **state)
{
    (void)state;
    const dfl_place_of_entry place[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}};
    const double D[] = {1, 1}, value[] = {10, 10, 1e-3, 0, 1, 1}, none[] = {0, 0, 0};
    unsigned char out[3], seen[3];
    double work[8];
    dfl_csc pattern;
    dfl_saddle_ldl *ldl;
    assert_int_equal(dfl_csc_create(&pattern, NULL, ctx, 3, 2, place, 6), DFL_OK);
    assert_int_equal(dfl_saddle_ldl_create(&ldl, ctx, NULL, &pattern), DFL_OK);
    dfl_row_choice choice = {.A = &pattern,
                             .D = D,
                             .value = value,
                             .zero = 1e-8,
                             .allowed = none,
                             .late = 3,
                             .left_out = out,
                             .seen = seen,
                             .work = work};
    assert_true(dfl_saddle_ldl_choose(&choice, ldl));
    for (int i = 0; i < 3; i++)
        assert_int_equal(seen[i], 0);
    assert_int_equal(out[0] + out[1] + out[2], 1);
    dfl_saddle_ldl_free(ldl);
    dfl_csc_clear(&pattern, ctx);
}

/* Two rows that are left out, with the same distance from the third: a sum of them may be nothing,
   wherever they are among the rows. */
static void rows_that_cancel_have_their_distance(void **state)
{
    (void)state;
    enum { OWN = 6, ALL = OWN + 3 };
    double D[OWN + 2], value[OWN + 5], work[OWN + 2 + 2 * ALL];
    unsigned char out[ALL], seen[ALL];
    for (int i = 0; i < OWN + 2; i++)
        D[i] = 1;
    for (int i = 0; i < OWN + 5; i++)
        value[i] = i < OWN + 3 ? 1 : 1e-6;
    for (int twin = 1; twin < ALL - 1; twin++)
        for (int first = 0; first < twin; first++) {
            const int parallel[] = {first, twin, ALL - 1};
            dfl_place_of_entry place[OWN + 5];
            dfl_csc pattern;
            dfl_saddle_ldl *ldl;
            for (int i = 0, own = 0; i < ALL - 1; i++)
                if (i != first && i != twin)
                    place[own] = (dfl_place_of_entry){i, own}, own++;
            for (int i = 0; i < 5; i++)
                place[OWN + i] = (dfl_place_of_entry){parallel[i % 3], OWN + i / 3};
            assert_int_equal(dfl_csc_create(&pattern, NULL, ctx, ALL, OWN + 2, place, OWN + 5),
                             DFL_OK);
            assert_int_equal(dfl_saddle_ldl_create(&ldl, ctx, NULL, &pattern), DFL_OK);
            dfl_row_choice choice = {.A = &pattern,
                                     .D = D,
                                     .value = value,
                                     .zero = 1e-5,
                                     .late = ALL,
                                     .left_out = out,
                                     .seen = seen,
                                     .work = work};
            assert_true(dfl_saddle_ldl_choose(&choice, ldl));
            assert_int_equal(dfl_saddle_ldl_rank(ldl), OWN + 1);
            assert_true(choice.misfit > 1e-7 && choice.misfit < 1.1e-6);
            dfl_saddle_ldl_free(ldl);
            dfl_csc_clear(&pattern, ctx);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_pattern_is_sorted_and_joins_equal_places, make_context,
                                        free_context),
        cmocka_unit_test_setup_teardown(sparse_lu_solves, make_context, free_context),
        cmocka_unit_test_setup_teardown(multipliers_of_least_norm, make_context, free_context),
        cmocka_unit_test_setup_teardown(rows_are_left_out_by_preference, make_context,
                                        free_context),
        cmocka_unit_test_setup_teardown(rows_without_allowances_are_eliminated_once, make_context,
                                        free_context),
        cmocka_unit_test_setup_teardown(rows_that_cancel_have_their_distance, make_context,
                                        free_context),
        cmocka_unit_test_setup_teardown(saddle_systems_are_solved, make_context, free_context),
        cmocka_unit_test_setup_teardown(dependent_rows_are_left_out, make_context, free_context),
        cmocka_unit_test_setup_teardown(blocks_are_solved_in_lanes, make_context, free_context),
        cmocka_unit_test_setup_teardown(inertia_counts_negative_directions, make_context,
                                        free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
