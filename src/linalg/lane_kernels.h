/* lane_kernels.h: loops over lanes (linalg.h) that are inlined where they are used, so that the
   number of stages and of vectors per component are constants for the compiler. Functions that
   contain them are marked DFL_WIDE (simd.h) and are in files compiled with -ffp-contract=fast. */
#ifndef DFL_LANE_KERNELS_H
#define DFL_LANE_KERNELS_H

#include "linalg/linalg.h"

/* The switch that makes `stages` and `quads` constants: CALL(stages, quads) for 1, 3, 5 or 7
   stages. */
#define DFL_FOR_STAGES(stages, CALL)                                                               \
    switch (stages) {                                                                              \
    case 1:                                                                                        \
        CALL(1, 1);                                                                                \
        break;                                                                                     \
    case 3:                                                                                        \
        CALL(3, 1);                                                                                \
        break;                                                                                     \
    case 5:                                                                                        \
        CALL(5, 2);                                                                                \
        break;                                                                                     \
    default:                                                                                       \
        CALL(7, 2);                                                                                \
    }

/* One component. */
static DFL_INLINE void dfl_lane_fetch(dfl_four y[2], int quads, const double *Y)
{
    for (int q = 0; q < quads; q++)
        y[q] = *(const dfl_quad *)(Y + 4 * q);
}

static DFL_INLINE void dfl_lane_store(double *Y, int quads, const dfl_four y[2])
{
    for (int q = 0; q < quads; q++)
        *(dfl_quad *)(Y + 4 * q) = y[q];
}

static DFL_INLINE double dfl_lane_add_up(dfl_four y)
{
    return (y[0] + y[2]) + (y[1] + y[3]);
}

/* `rows` (1 to 6) components of A X in registers; like `quads`, the vectors of a component, a
   constant for the compiler. */
static DFL_INLINE void dfl_lane_sum_rows(int rows, int quads, dfl_four sum[12], const double *A,
                                         long lda, long n, const double *X)
{
    DFL_UNROLL
    for (int i = 0; i < rows * quads; i++)
        sum[i] = (dfl_four){0};
    for (long j = 0; j < n; j++, A += lda, X += 4 * quads) {
        DFL_UNROLL
        for (int i = 0; i < rows * quads; i++)
            sum[i] += A[i / quads] * *(const dfl_quad *)(X + 4 * (i % quads));
    }
}

static DFL_INLINE void dfl_lane_mul_rows(int rows, int quads, double *Y, const double *A, long lda,
                                         long n, const double *X)
{
    dfl_four sum[12];
    dfl_lane_sum_rows(rows, quads, sum, A, lda, n, X);
    DFL_UNROLL
    for (int i = 0; i < rows * quads; i++)
        *(dfl_quad *)(Y + 4 * i) = sum[i];
}

/* Y (m lanes) = A (m x n, leading dimension lda) X: four rows at a time, and the last six or
   fewer at once. */
static DFL_INLINE void dfl_lane_mul(int quads, double *Y, const double *A, long lda, long m, long n,
                                    const double *X)
{
    for (; m > 6; m -= 4, A += 4, Y += 16 * quads)
        dfl_lane_mul_rows(4, quads, Y, A, lda, n, X);
    switch (m) {
    case 6:
        dfl_lane_mul_rows(6, quads, Y, A, lda, n, X);
        break;
    case 5:
        dfl_lane_mul_rows(5, quads, Y, A, lda, n, X);
        break;
    case 4:
        dfl_lane_mul_rows(4, quads, Y, A, lda, n, X);
        break;
    case 3:
        dfl_lane_mul_rows(3, quads, Y, A, lda, n, X);
        break;
    case 2:
        dfl_lane_mul_rows(2, quads, Y, A, lda, n, X);
        break;
    case 1:
        dfl_lane_mul_rows(1, quads, Y, A, lda, n, X);
    }
}

/* y = M x for one component, M over the stages by columns; four sums, so that none waits long
   for another. */
static DFL_INLINE void dfl_lane_transform_one(dfl_four y[2], int stages, int quads, const double *M,
                                              const double *x)
{
    for (int q = 0; q < quads; q++) {
        dfl_four sum[4] = {{0}, {0}, {0}, {0}};
        DFL_UNROLL
        for (int k = 0; k < stages; k++) {
            const dfl_four term = x[k] * *(const dfl_quad *)(M + 4 * (k * quads + q));
            sum[k % 4] = k < 4 ? term : sum[k % 4] + term;
        }
        y[q] = stages > 3   ? (sum[0] + sum[1]) + (sum[2] + sum[3])
               : stages > 1 ? (sum[0] + sum[1]) + sum[2]
                            : sum[0];
    }
}

static DFL_INLINE void dfl_lane_transform(int stages, int quads, double *Y, const double *M, long n,
                                          const double *X)
{
    for (long i = 0; i < n; i++, X += 4 * quads, Y += 4 * quads) {
        dfl_four y[2];
        dfl_lane_transform_one(y, stages, quads, M, X);
        dfl_lane_store(Y, quads, y);
    }
}

/* One entry of `count` stages, `distance` apart; zeros after them. It is always inlined, so that
   how a vector is returned does not matter. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
static DFL_INLINE dfl_four dfl_lane_pick_four(int count, const double *entry, long distance)
{
    return (dfl_four){entry[0], count > 1 ? entry[distance] : 0,
                      count > 2 ? entry[2 * distance] : 0, count > 3 ? entry[3 * distance] : 0};
}
#pragma GCC diagnostic pop

static DFL_INLINE void dfl_lane_pick(dfl_four y[2], int stages, const double *entry, long distance)
{
    y[0] = dfl_lane_pick_four(stages, entry, distance);
    y[1] =
        stages > 4 ? dfl_lane_pick_four(stages - 4, entry + 4 * distance, distance) : (dfl_four){0};
}

/* The other lane of each pair. */
static DFL_INLINE void dfl_lane_partners(dfl_four y[2], int quads, const dfl_four x[2])
{
    if (quads == 1) {
        y[0] = __builtin_shufflevector(x[0], x[0], 0, 2, 1, 3);
    } else {
        y[0] = __builtin_shufflevector(x[0], x[1], 0, 2, 1, 4);
        y[1] = __builtin_shufflevector(x[0], x[1], 3, 6, 5, 7);
    }
}

/* y = zeta x for one component: each lane times re, the other lane of its pair times im. */
static DFL_INLINE void dfl_lane_shift(dfl_four y[2], int quads, const dfl_shifts *zeta,
                                      const dfl_four x[2])
{
    dfl_four other[2];
    dfl_lane_partners(other, quads, x);
    for (int q = 0; q < quads; q++)
        y[q] = *(const dfl_quad *)(zeta->re + 4 * q) * x[q] +
               *(const dfl_quad *)(zeta->im + 4 * q) * other[q];
}

/* y += z x: each lane times re, the other lane of its pair times im. */
static DFL_INLINE void dfl_lane_add_product(dfl_four y[2], int quads, const double *z,
                                            const dfl_four x[2], const dfl_four other[2])
{
    for (int q = 0; q < quads; q++) {
        y[q] += *(const dfl_quad *)(z + 4 * q) * x[q];
        y[q] += *(const dfl_quad *)(z + 4 * (quads + q)) * other[q];
    }
}

/* d = E^-1 x for two components, the inverse as dfl_shifted_inverse gives it. */
static DFL_INLINE void dfl_lane_multiply_two(int quads, double *d, dfl_four x[2][2],
                                             const double *inverse)
{
    const int width = 4 * quads, entry = 2 * width;
    dfl_four other[2][2], y[2][2] = {{{0}, {0}}, {{0}, {0}}};
    for (int j = 0; j < 2; j++)
        dfl_lane_partners(other[j], quads, x[j]);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
            dfl_lane_add_product(y[i], quads, inverse + (2 * j + i) * entry, x[j], other[j]);
    for (int i = 0; i < 2; i++)
        dfl_lane_store(d + i * width, quads, y[i]);
}

/* The sum of squares of weighted lanes. */
static DFL_INLINE double dfl_lane_squares(int quads, const double *X, int n, const double *weight)
{
    dfl_four sum[2] = {{0}, {0}};
    for (int i = 0; i < n; i++, X += 4 * quads)
        for (int q = 0; q < quads; q++) {
            const dfl_four x = *(const dfl_quad *)(X + 4 * q) * weight[i];
            sum[q] += x * x;
        }
    return dfl_lane_add_up(sum[0] + sum[1]);
}

/* X += dX unless it is NULL, and x + X at the stages, `stride` apart. */
static DFL_INLINE void dfl_lane_scatter(int stages, int quads, double *stage, long stride, int n,
                                        const double *x, double *X, const double *dX)
{
    for (int i = 0; i < n; i++, X += 4 * quads) {
        dfl_four sum[2];
        for (int q = 0; q < quads; q++) {
            if (dX)
                *(dfl_quad *)(X + 4 * q) += *(const dfl_quad *)(dX + 4 * (i * quads + q));
            sum[q] = x[i] + *(const dfl_quad *)(X + 4 * q);
        }
        for (int k = 0; k < stages; k++)
            stage[k * stride + i] = sum[k / 4][k % 4];
    }
}

#endif
