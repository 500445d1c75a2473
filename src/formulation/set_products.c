/* Products with vectors of sets (set_products.h). */
#include "formulation/set_products.h"

#include <math.h>

static DFL_INLINE dfl_four fetch(const double *x)
{
    return *(const dfl_quad *)x;
}

DFL_WIDE void dfl_set_add_columns(double *y, const dfl_set_matrix *A, double factor,
                                  const double *x)
{
    for (int j = 0; j < A->count; j++) {
        const dfl_four xj = factor * fetch(x + DFL_SET * j);
        for (int k = A->start[A->first + j]; k < A->start[A->first + j + 1]; k++) {
            double *to = y + DFL_SET * A->index[k];
            dfl_set_store(to, fetch(to) + A->value[k] * xj);
        }
    }
}

DFL_WIDE void dfl_set_add_rows(double *y, const dfl_set_matrix *A, double factor, const double *x)
{
    for (int j = 0; j < A->count; j++) {
        dfl_four sum = {0};
        for (int k = A->start[A->first + j]; k < A->start[A->first + j + 1]; k++)
            sum += A->value[k] * fetch(x + DFL_SET * A->index[k]);
        dfl_set_store(y + DFL_SET * j, fetch(y + DFL_SET * j) + factor * sum);
    }
}

static DFL_INLINE dfl_four absolute(dfl_four x)
{
    const dfl_four_mask value = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    return (dfl_four)((dfl_four_mask)x & value);
}

static DFL_INLINE dfl_four larger(dfl_four a, dfl_four b)
{
    const dfl_four_mask b_is = b > a;
    return (dfl_four)(((dfl_four_mask)b & b_is) | ((dfl_four_mask)a & ~b_is));
}

static DFL_INLINE double largest_lane(dfl_four a)
{
    const double left = a[0] > a[1] ? a[0] : a[1], right = a[2] > a[3] ? a[2] : a[3];
    return left > right ? left : right;
}

DFL_WIDE double dfl_set_subtract_sets(double *y, const dfl_set_matrix *A, const double *x)
{
    dfl_four most = {0};
    for (int j = 0; j < A->count; j++) {
        const dfl_four xj = fetch(x + DFL_SET * j);
        const dfl_four turned = {0, -xj[2], xj[1], 0};
        for (int k = A->start[j]; k < A->start[j + 1]; k++) {
            const dfl_four a = fetch(A->value + DFL_SET * k);
            const dfl_four re = {a[0], a[1], a[1], 0};
            const dfl_four direct = re * xj, across = a[2] * turned;
            double *to = y + DFL_SET * A->index[k];
            dfl_set_store(to, fetch(to) - direct - across);
            most = larger(most, absolute(direct) + absolute(across));
        }
    }
    return largest_lane(most);
}

DFL_WIDE void dfl_set_add(double *y, double factor, const double *x, int n)
{
    for (int i = 0; i < DFL_SET * n; i += DFL_SET)
        dfl_set_store(y + i, fetch(y + i) + factor * fetch(x + i));
}

DFL_WIDE void dfl_set_scale(double *y, double factor, const double *x, int n)
{
    for (int i = 0; i < DFL_SET * n; i += DFL_SET)
        dfl_set_store(y + i, factor * fetch(x + i));
}

DFL_WIDE void dfl_set_add_shifted(double *y, const double *zeta, double factor, const double *x,
                                  int n)
{
    const dfl_four re = {factor * zeta[0], factor * zeta[1], factor * zeta[1], 0};
    const dfl_four im = {0, -factor * zeta[2], factor * zeta[2], 0};
    for (int i = 0; i < DFL_SET * n; i += DFL_SET) {
        const dfl_four xi = fetch(x + i), other = __builtin_shufflevector(xi, xi, 0, 2, 1, 3);
        dfl_set_store(y + i, fetch(y + i) + re * xi + im * other);
    }
}

DFL_WIDE double dfl_set_largest(const double *x, int n)
{
    dfl_four most = {0}, finite = {0};
    for (int i = 0; i < DFL_SET * n; i += DFL_SET) {
        most = larger(most, absolute(fetch(x + i)));
        finite += 0 * fetch(x + i);
    }
    return finite[0] + finite[1] + finite[2] + finite[3] == 0 ? largest_lane(most) : INFINITY;
}
