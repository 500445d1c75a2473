/* Products with vectors of sets (set_products.h). */
#include "formulation/set_products.h"

#include <math.h>

static DFL_INLINE dfl_four fetch(const double *x)
{
    return *(const dfl_quad *)x;
}

DFL_WIDE void dfl_set_take(double *x, const double *lanes, const dfl_set_place *at, int n)
{
    const int width = at->width, first = 2 * at->set + 1;
    const dfl_four_mask used = {-1, -1, -1, 0};
    for (int i = 0; at->pair && first == 1 && i < n; i++)
        dfl_set_store(x + DFL_SET * i, (dfl_four)((dfl_four_mask)fetch(lanes + width * i) & used));
    for (int i = 0; at->pair && first > 1 && i < n; i++) {
        const double *from = lanes + width * i;
        dfl_set_store(x + DFL_SET * i, (dfl_four){from[0], from[first], from[first + 1], 0});
    }
    for (int i = 0; !at->pair && i < n; i++)
        dfl_set_store(x + DFL_SET * i, (dfl_four){lanes[width * i], 0, 0, 0});
}

DFL_WIDE void dfl_set_give(double *lanes, const dfl_set_place *at, const double *x, int n)
{
    const int width = at->width, first = 2 * at->set + 1;
    for (int i = 0; at->pair && width == DFL_SET && i < n; i++)
        dfl_set_store(lanes + width * i, fetch(x + DFL_SET * i));
    for (int i = 0; at->pair && width > DFL_SET && i < n; i++) {
        double *to = lanes + width * i;
        to[0] = first == 1 ? x[DFL_SET * i] : to[0];
        to[first] = x[DFL_SET * i + 1];
        to[first + 1] = x[DFL_SET * i + 2];
    }
    for (int i = 0; !at->pair && i < n; i++)
        lanes[width * i] = x[DFL_SET * i];
}

/* Vectors may alias anything, so what a loop needs of the matrix is in variables. */
DFL_WIDE void dfl_set_add_columns(double *y, const dfl_set_matrix *A, double factor,
                                  const double *x)
{
    const int count = A->count, *start = A->start + A->first, *index = A->index;
    const double *value = A->value;
    for (int j = 0, k = start[0]; j < count; j++) {
        const dfl_four xj = factor * fetch(x + DFL_SET * j);
        for (const int end = start[j + 1]; k < end; k++) {
            double *to = y + DFL_SET * (size_t)(unsigned)index[k];
            dfl_set_store(to, fetch(to) + value[k] * xj);
        }
    }
}

DFL_WIDE void dfl_set_add_rows(double *y, const dfl_set_matrix *A, double factor, const double *x)
{
    const int count = A->count, *start = A->start + A->first, *index = A->index;
    const double *value = A->value;
    for (int j = 0, k = start[0]; j < count; j++) {
        dfl_four sum = {0};
        for (const int end = start[j + 1]; k < end; k++)
            sum += value[k] * fetch(x + DFL_SET * (size_t)(unsigned)index[k]);
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
    const int count = A->count, *start = A->start, *index = A->index;
    const double *value = A->value;
    dfl_four most = {0};
    for (int j = 0, k = start[0]; j < count; j++) {
        const dfl_four xj = fetch(x + DFL_SET * j), keep = {xj[0], xj[1], xj[1], 0};
        const dfl_four turn = {0, -xj[2], xj[2], 0};
        for (const int end = start[j + 1]; k < end; k++) {
            const dfl_four a = fetch(value + DFL_SET * k);
            const dfl_four direct = keep * a;
            const dfl_four across = turn * __builtin_shufflevector(a, a, 0, 2, 1, 3);
            double *to = y + DFL_SET * (size_t)(unsigned)index[k];
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

DFL_WIDE void dfl_set_sum(double *y, const double *x, const double *z, int n)
{
    for (int i = 0; i < DFL_SET * n; i += DFL_SET)
        dfl_set_store(y + i, fetch(x + i) + fetch(z + i));
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

DFL_WIDE void dfl_set_subtract_inertia(double *y, const double *zeta, const double *M,
                                       const double *x, int n)
{
    const dfl_four re = {zeta[0], zeta[1], zeta[1], 0}, im = {0, -zeta[2], zeta[2], 0};
    for (int i = 0; i < n; i++, x += DFL_SET, y += DFL_SET) {
        const dfl_four xi = fetch(x), other = __builtin_shufflevector(xi, xi, 0, 2, 1, 3);
        dfl_set_store(y, fetch(y) - M[i] * (re * xi + im * other));
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
