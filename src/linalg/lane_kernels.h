/* lane_kernels.h: loops over lanes (linalg.h) that are inlined where they are used, so that the number of
   stages and of vectors per component are constants for the compiler. Functions that contain them are marked
   WIDE (vectors.h) and stand in files compiled with -ffp-contract=fast. */
#ifndef DFL_LANE_KERNELS_H
#define DFL_LANE_KERNELS_H

#include "linalg/linalg.h"
#include "linalg/vectors.h"

/* The switch that makes `stages` and `quads` constants: CALL(stages, quads) for 1, 3, 5 or 7 stages. */
#define FOR_STAGES(stages, CALL)                                                                   \
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
static INLINE void fetch(four y[2], int quads, const double *Y)
{
    for (int q = 0; q < quads; q++)
        y[q] = *(const quad *)(Y + 4 * q);
}

static INLINE void store(double *Y, int quads, const four y[2])
{
    for (int q = 0; q < quads; q++)
        *(quad *)(Y + 4 * q) = y[q];
}

static INLINE double add_up(four y)
{
    return (y[0] + y[2]) + (y[1] + y[3]);
}

/* `rows` (1 to 6) components of A X in registers; like `quads`, the vectors of a component, a constant for the
   compiler. */
static INLINE void sum_rows(int rows, int quads, four sum[12], const double *A, long lda, long n,
                            const double *X)
{
    UNROLL
    for (int i = 0; i < rows * quads; i++)
        sum[i] = (four){0};
    for (long j = 0; j < n; j++, A += lda, X += 4 * quads) {
        UNROLL
        for (int i = 0; i < rows * quads; i++)
            sum[i] += A[i / quads] * *(const quad *)(X + 4 * (i % quads));
    }
}

static INLINE void mul_rows(int rows, int quads, double *Y, const double *A, long lda, long n,
                            const double *X)
{
    four sum[12];
    sum_rows(rows, quads, sum, A, lda, n, X);
    UNROLL
    for (int i = 0; i < rows * quads; i++)
        *(quad *)(Y + 4 * i) = sum[i];
}

/* Y (m lanes) = A (m x n, leading dimension lda) X: four rows at a time, and the last six or fewer at once. */
static INLINE void mul(int quads, double *Y, const double *A, long lda, long m, long n,
                       const double *X)
{
    for (; m > 6; m -= 4, A += 4, Y += 16 * quads)
        mul_rows(4, quads, Y, A, lda, n, X);
    switch (m) {
    case 6:
        mul_rows(6, quads, Y, A, lda, n, X);
        break;
    case 5:
        mul_rows(5, quads, Y, A, lda, n, X);
        break;
    case 4:
        mul_rows(4, quads, Y, A, lda, n, X);
        break;
    case 3:
        mul_rows(3, quads, Y, A, lda, n, X);
        break;
    case 2:
        mul_rows(2, quads, Y, A, lda, n, X);
        break;
    case 1:
        mul_rows(1, quads, Y, A, lda, n, X);
    }
}

/* y = M x for one component, M over the stages by columns; four sums, so that none waits long for another. */
static INLINE void transform_one(four y[2], int stages, int quads, const double *M, const double *x)
{
    for (int q = 0; q < quads; q++) {
        four sum[4] = {{0}, {0}, {0}, {0}};
        UNROLL
        for (int k = 0; k < stages; k++) {
            const four term = x[k] * *(const quad *)(M + 4 * (k * quads + q));
            sum[k % 4] = k < 4 ? term : sum[k % 4] + term;
        }
        y[q] = stages > 3   ? (sum[0] + sum[1]) + (sum[2] + sum[3])
               : stages > 1 ? (sum[0] + sum[1]) + sum[2]
                            : sum[0];
    }
}

static INLINE void transform(int stages, int quads, double *Y, const double *M, long n,
                             const double *X)
{
    for (long i = 0; i < n; i++, X += 4 * quads, Y += 4 * quads) {
        four y[2];
        transform_one(y, stages, quads, M, X);
        store(Y, quads, y);
    }
}

/* One entry of `count` stages, `distance` apart; zeros behind them. */
static INLINE four pick_four(int count, const double *entry, long distance)
{
    return (four){entry[0], count > 1 ? entry[distance] : 0, count > 2 ? entry[2 * distance] : 0,
                  count > 3 ? entry[3 * distance] : 0};
}

static INLINE void pick(four y[2], int stages, const double *entry, long distance)
{
    y[0] = pick_four(stages, entry, distance);
    y[1] = stages > 4 ? pick_four(stages - 4, entry + 4 * distance, distance) : (four){0};
}

/* The other lane of each pair. */
static INLINE void partners(four y[2], int quads, const four x[2])
{
    if (quads == 1) {
        y[0] = __builtin_shufflevector(x[0], x[0], 0, 2, 1, 3);
    } else {
        y[0] = __builtin_shufflevector(x[0], x[1], 0, 2, 1, 4);
        y[1] = __builtin_shufflevector(x[0], x[1], 3, 6, 5, 7);
    }
}

/* y = zeta x for one component: each lane times re, the other lane of its pair times im. */
static INLINE void shift(four y[2], int quads, const dfl_shifts *zeta, const four x[2])
{
    four other[2];
    partners(other, quads, x);
    for (int q = 0; q < quads; q++)
        y[q] =
            *(const quad *)(zeta->re + 4 * q) * x[q] + *(const quad *)(zeta->im + 4 * q) * other[q];
}

/* y += z x: each lane times re, the other lane of its pair times im. */
static INLINE void add_product(four y[2], int quads, const double *z, const four x[2],
                               const four other[2])
{
    for (int q = 0; q < quads; q++) {
        y[q] += *(const quad *)(z + 4 * q) * x[q];
        y[q] += *(const quad *)(z + 4 * (quads + q)) * other[q];
    }
}

/* d = E^-1 x for two components, the inverse as dfl_shifted_inverse gives it. */
static INLINE void multiply_two(int quads, double *d, four x[2][2], const double *inverse)
{
    const int width = 4 * quads, entry = 2 * width;
    four other[2][2], y[2][2] = {{{0}, {0}}, {{0}, {0}}};
    for (int j = 0; j < 2; j++)
        partners(other[j], quads, x[j]);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
            add_product(y[i], quads, inverse + (2 * j + i) * entry, x[j], other[j]);
    for (int i = 0; i < 2; i++)
        store(d + i * width, quads, y[i]);
}

/* The sum of squares of weighted lanes. */
static INLINE double squares(int quads, const double *X, int n, const double *weight)
{
    four sum[2] = {{0}, {0}};
    for (int i = 0; i < n; i++, X += 4 * quads)
        for (int q = 0; q < quads; q++) {
            const four x = *(const quad *)(X + 4 * q) * weight[i];
            sum[q] += x * x;
        }
    return add_up(sum[0] + sum[1]);
}

/* X += dX unless it is NULL, and x + X at the stages, `stride` apart. */
static INLINE void scatter(int stages, int quads, double *stage, long stride, int n,
                           const double *x, double *X, const double *dX)
{
    for (int i = 0; i < n; i++, X += 4 * quads) {
        four sum[2];
        for (int q = 0; q < quads; q++) {
            if (dX)
                *(quad *)(X + 4 * q) += *(const quad *)(dX + 4 * (i * quads + q));
            sum[q] = x[i] + *(const quad *)(X + 4 * q);
        }
        for (int k = 0; k < stages; k++)
            stage[k * stride + i] = sum[k / 4][k % 4];
    }
}

#endif
