/* stage_lanes.c: products with the stages of a step, all of them at once.

   A component takes one vector of four doubles, or two of them where there are more stages; each
   loop is compiled for both. As in dfl_gemm, blocks of results stay in registers (products.c). gcc
   makes a second version for processors with AVX and FMA, chosen when the library is loaded. */
#include "linalg/linalg.h"

#include <stddef.h>

DFL_WIDE void dfl_lanes_mul(double *Y, int width, const double *A, int m, int n, const double *X)
{
    if (width == 4)
        dfl_lane_mul(1, Y, A, m, m, n, X);
    else
        dfl_lane_mul(2, Y, A, m, m, n, X);
}

DFL_WIDE void dfl_lanes_transform(double *Y, int stages, const double *M, int n, const double *X)
{
#define TRANSFORM(stages, quads) dfl_lane_transform(stages, quads, Y, M, n, X)
    DFL_FOR_STAGES(stages, TRANSFORM);
#undef TRANSFORM
}

void dfl_shifts_set(dfl_shifts *shifts, int stages, const double *zeta)
{
    for (int k = 0; k < DFL_LANES; k++) {
        shifts->re[k] = zeta[0];
        shifts->im[k] = 0;
    }
    for (int k = 1; k < stages; k += 2) {
        shifts->re[k] = shifts->re[k + 1] = zeta[k];
        shifts->im[k] = -zeta[k + 1];
        shifts->im[k + 1] = zeta[k + 1];
    }
}

static DFL_INLINE void shift_all(int quads, double *Y, const dfl_shifts *zeta, int n,
                                 const double *X)
{
    const int width = 4 * quads;
    for (int i = 0; i < n; i++, X += width, Y += width) {
        dfl_four x[2], y[2];
        for (int q = 0; q < quads; q++)
            x[q] = *(const dfl_quad *)(X + 4 * q);
        dfl_lane_shift(y, quads, zeta, x);
        for (int q = 0; q < quads; q++)
            *(dfl_quad *)(Y + 4 * q) = y[q];
    }
}

DFL_WIDE void dfl_lanes_shift(double *Y, int width, const dfl_shifts *zeta, int n, const double *X)
{
    if (width == 4)
        shift_all(1, Y, zeta, n, X);
    else
        shift_all(2, Y, zeta, n, X);
}

/* As mul_rows, with both matrices; 1 or 2 rows. */
static DFL_INLINE void mul_shifted_rows(int rows, int quads, double *Y, const dfl_shifts *zeta,
                                        const double *A, const double *B, int m, int n,
                                        const double *X)
{
    dfl_four a[2][2], b[2][2];
    for (int i = 0; i < rows; i++)
        for (int q = 0; q < quads; q++)
            a[i][q] = b[i][q] = (dfl_four){0};
    for (int j = 0; j < n; j++, X += 4 * quads)
        for (int i = 0; i < rows; i++)
            for (int q = 0; q < quads; q++) {
                a[i][q] += A[(long)j * m + i] * *(const dfl_quad *)(X + 4 * q);
                b[i][q] += B[(long)j * m + i] * *(const dfl_quad *)(X + 4 * q);
            }
    for (int i = 0; i < rows; i++) {
        dfl_four y[2];
        dfl_lane_shift(y, quads, zeta, a[i]);
        for (int q = 0; q < quads; q++)
            *(dfl_quad *)(Y + 4 * (i * quads + q)) += b[i][q] - y[q];
    }
}

static DFL_INLINE void mul_shifted(int quads, double *Y, const dfl_shifts *zeta, const double *A,
                                   const double *B, int m, int n, const double *X)
{
    int i = 0;
    for (; i + 2 <= m; i += 2)
        mul_shifted_rows(2, quads, Y + 4 * quads * i, zeta, A + i, B + i, m, n, X);
    if (i < m)
        mul_shifted_rows(1, quads, Y + 4 * quads * i, zeta, A + i, B + i, m, n, X);
}

DFL_WIDE void dfl_lanes_mul_shifted(double *Y, int width, const dfl_shifts *zeta, const double *A,
                                    const double *B, int m, int n, const double *X)
{
    if (width == 4)
        mul_shifted(1, Y, zeta, A, B, m, n, X);
    else
        mul_shifted(2, Y, zeta, A, B, m, n, X);
}

DFL_WIDE double dfl_lanes_squares(const double *X, int width, int n, const double *weight)
{
    return width == 4 ? dfl_lane_squares(1, X, n, weight) : dfl_lane_squares(2, X, n, weight);
}

static DFL_INLINE double add_squares(int quads, double *sum, const int *group, const double *X,
                                     int n, const double *weight)
{
    double all = 0;
    for (int i = 0; i < n; i++, X += 4 * quads) {
        const double square = dfl_lane_squares(quads, X, 1, weight + i);
        sum[group[i]] += square;
        all += square;
    }
    return all;
}

DFL_WIDE double dfl_lanes_add_squares(double *sum, const int *group, const double *X, int width,
                                      int n, const double *weight)
{
    return width == 4 ? add_squares(1, sum, group, X, n, weight)
                      : add_squares(2, sum, group, X, n, weight);
}

static DFL_INLINE void gather(int stages, int quads, double *Y, const double *M, int n,
                              const double *stage, long stride, const double *X,
                              const double *weight)
{
    const int width = 4 * quads;
    for (int i = 0; i < n; i++, Y += width) {
        dfl_four y[2];
        for (int q = 0; q < quads; q++)
            y[q] = stage[i] * *(const dfl_quad *)(M + 4 * q);
        for (int k = 1; k < stages; k++)
            for (int q = 0; q < quads; q++)
                y[q] += stage[k * stride + i] * *(const dfl_quad *)(M + 4 * (k * quads + q));
        for (int q = 0; q < quads; q++) {
            if (weight)
                y[q] -= weight[i] * *(const dfl_quad *)(X + i * width + 4 * q);
            else if (X)
                y[q] -= *(const dfl_quad *)(X + i * width + 4 * q);
            *(dfl_quad *)(Y + 4 * q) = y[q];
        }
    }
}

DFL_WIDE void dfl_lanes_gather(double *Y, int stages, const double *M, int n, const double *stage,
                               long stride, const double *X, const double *weight)
{
#define GATHER(stages, quads) gather(stages, quads, Y, M, n, stage, stride, X, weight)
    DFL_FOR_STAGES(stages, GATHER);
#undef GATHER
}

DFL_WIDE void dfl_lanes_scatter(double *stage, long stride, int stages, int n, const double *x,
                                double *X, const double *dX)
{
#define SCATTER(stages, quads)                                                                     \
    if (dX)                                                                                        \
        dfl_lane_scatter(stages, quads, stage, stride, n, x, X, dX);                               \
    else                                                                                           \
        dfl_lane_scatter(stages, quads, stage, stride, n, x, X, NULL)
    DFL_FOR_STAGES(stages, SCATTER);
#undef SCATTER
}

static DFL_INLINE void combine(int stages, int quads, double *y, const double *weight, int n,
                               const double *X)
{
    dfl_four w[2];
    dfl_lane_pick(w, stages, weight, 1);
    for (int i = 0; i < n; i++, X += 4 * quads) {
        dfl_four sum = w[0] * *(const dfl_quad *)X;
        if (quads == 2)
            sum += w[1] * *(const dfl_quad *)(X + 4);
        y[i] = dfl_lane_add_up(sum);
    }
}

DFL_WIDE void dfl_lanes_combine(double *y, int stages, const double *weight, int n, const double *X)
{
#define COMBINE(stages, quads) combine(stages, quads, y, weight, n, X)
    DFL_FOR_STAGES(stages, COMBINE);
#undef COMBINE
}
