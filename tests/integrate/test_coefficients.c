/* test_coefficients.c: the tables of Radau IIA against what defines them (Hairer and Wanner,
   Solving Ordinary Differential Equations II, IV.5 and IV.8), and for three stages against closed
   forms. */
#include "support.h"

#include "integrate/coefficients.h"

static const int orders[] = {1, 5, 9, 13};
enum { NORDERS = sizeof orders / sizeof *orders, S = DFL_RADAU_STAGES };

/* B := A^-1 (s x s by rows) by Gauss-Jordan elimination with row exchanges. */
static void invert(double *B, const double *A, int s)
{
    double M[S][2 * S] = {{0}};
    for (int i = 0; i < s; i++) {
        memcpy(M[i], A + i * s, (size_t)s * sizeof *A);
        M[i][s + i] = 1;
    }
    for (int k = 0; k < s; k++) {
        int pivot = k;
        for (int i = k; i < s; i++)
            if (fabs(M[i][k]) > fabs(M[pivot][k]))
                pivot = i;
        for (int j = 0; j < 2 * s; j++) {
            const double old = M[k][j];
            M[k][j] = M[pivot][j];
            M[pivot][j] = old;
        }
        for (int i = 0; i < s; i++) {
            const double q = i == k ? 1 - 1 / M[k][k] : M[i][k] / M[k][k];
            for (int j = 0; j < 2 * s; j++)
                M[i][j] -= q * M[k][j];
        }
    }
    for (int i = 0; i < s; i++)
        memcpy(B + i * s, M[i] + s, (size_t)s * sizeof *B);
}

static double entry(const double *columns, const dfl_coefficients *rk, int i, int j)
{
    return columns[j * rk->width + i];
}

static void there_is_a_method_for_each_order_and_no_other(void **state)
{
    (void)state;
    for (int order = -1; order < 20; order++) {
        const dfl_coefficients *rk = dfl_coefficients_of(order);
        assert_int_equal(rk != NULL, order == 1 || order == 5 || order == 9 || order == 13);
        if (!rk)
            continue;
        assert_int_equal(rk->order, order);
        assert_int_equal(2 * rk->stages - 1, order);
        assert_int_equal(rk->width, rk->stages <= 4 ? 4 : 8);
        assert_true(rk->c[rk->stages - 1] == 1); /* stiffly accurate: the last stage is the end */
    }
}

/* C(s): sum_j a_ij c_j^(k-1) = c_i^k / k for k = 1 .. s, here as A^-1 (c^k) = k c^(k-1); and
   B(2s-1): sum_j b_j c_j^(k-1) = 1/k for k = 1 .. 2s-1, b being the last row of A. Rounding: the
   entries of A^-1 reach 54. */
static void simplifying_assumptions_hold(void **state)
{
    (void)state;
    for (int n = 0; n < NORDERS; n++) {
        const dfl_coefficients *rk = dfl_coefficients_of(orders[n]);
        const int s = rk->stages;
        double A[S * S];
        invert(A, rk->AI, s);
        for (int k = 1; k <= s; k++)
            for (int i = 0; i < s; i++) {
                double sum = 0;
                for (int j = 0; j < s; j++)
                    sum += rk->AI[i * s + j] * pow(rk->c[j], k);
                assert_near(sum, k * pow(rk->c[i], k - 1), 1e-13);
            }
        for (int k = 1; k <= 2 * s - 1; k++) {
            double sum = 0;
            for (int j = 0; j < s; j++)
                sum += A[(s - 1) * s + j] * pow(rk->c[j], k - 1);
            assert_near(sum, 1.0 / k, 1e-14);
        }
        /* one more is not satisfied: the order is exactly 2s - 1 */
        double sum = 0;
        for (int j = 0; j < s; j++)
            sum += A[(s - 1) * s + j] * pow(rk->c[j], 2 * s - 1);
        assert_true(fabs(sum - 1.0 / (2 * s)) > 1e-9);
    }
}

/* A^-1 T = T diag(gamma, [alpha -beta; beta alpha], ...) and T TI = I, relative to the products of
   the absolute values, which bound the rounding of the entries. */
static void the_transformation_decouples_the_stages(void **state)
{
    (void)state;
    for (int n = 0; n < NORDERS; n++) {
        const dfl_coefficients *rk = dfl_coefficients_of(orders[n]);
        const int s = rk->stages;
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                double left = 0, unit = 0, left_size = 0, unit_size = 1;
                for (int k = 0; k < s; k++) {
                    left += rk->AI[i * s + k] * entry(rk->T, rk, k, j);
                    left_size += fabs(rk->AI[i * s + k] * entry(rk->T, rk, k, j));
                    unit += entry(rk->T, rk, i, k) * entry(rk->TI, rk, k, j);
                    unit_size += fabs(entry(rk->T, rk, i, k) * entry(rk->TI, rk, k, j));
                }
                double right = rk->shift[0] * entry(rk->T, rk, i, 0);
                if (j > 0) { /* columns 2p-1 and 2p belong to the pair p */
                    const int first = j % 2 ? j : j - 1;
                    const double alpha = rk->shift[first], beta = rk->shift[first + 1];
                    right = alpha * entry(rk->T, rk, i, j) +
                            (j == first ? beta : -beta) *
                                entry(rk->T, rk, i, j == first ? j + 1 : j - 1);
                }
                assert_near(left, right, 1e-15 * (left_size + fabs(right)) * s);
                assert_near(unit, i == j, 1e-15 * unit_size * s);
            }
        for (int j = 0; j < s; j++) /* lanes without a stage stay zero */
            for (int i = s; i < rk->width; i++)
                assert_true(entry(rk->T, rk, i, j) == 0 && entry(rk->TI, rk, i, j) == 0);
    }
}

/* The estimate f(x_k) + (1/h) sum e_i Z_i vanishes for polynomials of degree s and not for s + 1:
   sum e_i c_i^k is -1 for k = 1 and 0 for k = 2 .. s. */
static void the_error_estimate_has_order_s(void **state)
{
    (void)state;
    for (int n = 0; n < NORDERS; n++) {
        const dfl_coefficients *rk = dfl_coefficients_of(orders[n]);
        for (int k = 1; k <= rk->stages + 1; k++) {
            double sum = 0;
            for (int i = 0; i < rk->stages; i++)
                sum += rk->e[i] * pow(rk->c[i], k);
            if (k <= rk->stages)
                assert_near(sum, k == 1 ? -1 : 0, 1e-14);
            else
                assert_true(fabs(sum) > 1e-5);
        }
    }
}

/* Legendre's polynomial P_k at 2t - 1. */
static double legendre(int k, double t)
{
    double old = 0, p = 1;
    for (int m = 0; m < k; m++) {
        const double next = ((2 * m + 1) * (2 * t - 1) * p - m * old) / (m + 1);
        old = p;
        p = next;
    }
    return p;
}

/* Of a motion with the slope P_k(2t - 1), x = (P_k+1 - P_k-1) / (4k + 2) but for a constant, all
   coefficients vanish except the one of P_k. Rounding: entries of up to 21. */
static void the_last_coefficients_of_the_slope_are_those_of_legendres_series(void **state)
{
    (void)state;
    for (int n = 0; n < NORDERS; n++) {
        const dfl_coefficients *rk = dfl_coefficients_of(orders[n]);
        const int s = rk->stages;
        assert_int_equal(rk->series != NULL, s > 1);
        for (int k = 1; rk->series && k < s; k++)
            for (int place = 0; place < 3; place++) {
                double sum = 0;
                for (int i = 0; i < s; i++) {
                    const double x = legendre(k + 1, rk->c[i]) - legendre(k - 1, rk->c[i]);
                    const double x0 = legendre(k + 1, 0) - legendre(k - 1, 0);
                    sum += rk->series[place * s + i] * (x - x0) / (4 * k + 2);
                }
                assert_near(sum, k == s - 1 - place, 1e-14);
            }
    }
}

/* The basis reproduces t, t^2, ... t^s, also outside the step, and is one and zero at the nodes. */
static void the_basis_interpolates_with_degree_s(void **state)
{
    (void)state;
    for (int n = 0; n < NORDERS; n++) {
        const dfl_coefficients *rk = dfl_coefficients_of(orders[n]);
        const double at[] = {-0.5, 0, 0.3, 0.77, 1, 1.6};
        double l[S];
        for (size_t m = 0; m < sizeof at / sizeof *at; m++) {
            dfl_coefficients_basis(l, rk, at[m]);
            for (int k = 1; k <= rk->stages; k++) {
                double sum = 0, size = 1;
                for (int j = 0; j < rk->stages; j++) {
                    sum += l[j] * pow(rk->c[j], k);
                    size += fabs(l[j]);
                }
                assert_near(sum, pow(at[m], k), 1e-14 * size);
            }
        }
        for (int i = 0; i < rk->stages; i++) {
            dfl_coefficients_basis(l, rk, rk->c[i]);
            for (int j = 0; j < rk->stages; j++)
                assert_near(l[j], i == j, 1e-13);
        }
    }
}

/* Several points at once are the same as one after another; both orders of products, so 1e-14. */
static void the_basis_at_several_points_is_that_of_each(void **state)
{
    (void)state;
    for (int n = 0; n < NORDERS; n++)
        for (int width = 4; width <= 8; width += 4) {
            const dfl_coefficients *rk = dfl_coefficients_of(orders[n]);
            const double at[8] = {-0.5, 0, 0.3, 1.9, 0.77, 1, 1.6, 2};
            double l[S], L[S * 8];
            dfl_coefficients_basis_at(L, rk, width, at);
            for (int k = 0; k < width; k++) {
                dfl_coefficients_basis(l, rk, at[k]);
                for (int j = 0; j < rk->stages; j++)
                    assert_near(L[j * width + k], l[j], 1e-14 * (1 + fabs(l[j])));
            }
        }
}

/* RADAU5's constants: (4 -+ sqrt 6)/10, the entries of A, and the real eigenvalue
   30 / (6 + 81^(1/3) - 9^(1/3)). */
static void three_stages_are_those_of_radau5(void **state)
{
    (void)state;
    const dfl_coefficients *rk = dfl_coefficients_of(5);
    const double q = sqrt(6), u = (6 + cbrt(81) - cbrt(9)) / 30;
    const double a = (12 - cbrt(81) + cbrt(9)) / 60, b = (cbrt(81) + cbrt(9)) * sqrt(3) / 60;
    const double A[9] = {(88 - 7 * q) / 360,     (296 - 169 * q) / 1800, (-2 + 3 * q) / 225,
                         (296 + 169 * q) / 1800, (88 + 7 * q) / 360,     (-2 - 3 * q) / 225,
                         (16 - q) / 36,          (16 + q) / 36,          1.0 / 9};
    double inverse[9];
    invert(inverse, rk->AI, 3);
    for (int i = 0; i < 9; i++)
        assert_near(inverse[i], A[i], 1e-15);
    assert_near(rk->c[0], (4 - q) / 10, 1e-16);
    assert_near(rk->c[1], (4 + q) / 10, 2e-16);
    assert_near(rk->shift[0], 1 / u, 2e-15);
    assert_near(rk->shift[1], a / (a * a + b * b), 2e-15);
    assert_near(rk->shift[2], b / (a * a + b * b), 2e-15);
    assert_near(rk->e[0], -(13 + 7 * q) / 3, 2e-15);
    assert_near(rk->e[1], (-13 + 7 * q) / 3, 2e-15);
    assert_near(rk->e[2], -1.0 / 3, 1e-16);
    assert_near(entry(rk->T, rk, 2, 0), 0.96604818261509293619, 1e-16);
    assert_near(entry(rk->TI, rk, 0, 0), 4.3255798900631553510, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_a_method_for_each_order_and_no_other),
        cmocka_unit_test(simplifying_assumptions_hold),
        cmocka_unit_test(the_transformation_decouples_the_stages),
        cmocka_unit_test(the_error_estimate_has_order_s),
        cmocka_unit_test(the_last_coefficients_of_the_slope_are_those_of_legendres_series),
        cmocka_unit_test(the_basis_interpolates_with_degree_s),
        cmocka_unit_test(the_basis_at_several_points_is_that_of_each),
        cmocka_unit_test(three_stages_are_those_of_radau5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
