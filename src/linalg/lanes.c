/* lanes.c: products with the stages of a step, all of them at once.

   A component takes one vector of four doubles, or two of them where there are more stages; each loop
   is compiled for both. What dfl_gemm keeps in registers is kept there too (products.c). gcc makes a
   second version for processors with AVX and FMA, chosen when the library is loaded. */
#include "linalg/lane_kernels.h"

#include <stddef.h>

WIDE void dfl_lanes_mul(double *Y, int width, const double *A, int m, int n, const double *X)
{
    if (width == 4)
        mul(1, Y, A, m, m, n, X);
    else
        mul(2, Y, A, m, m, n, X);
}

WIDE void dfl_lanes_transform(double *Y, int stages, const double *M, int n, const double *X)
{
#define TRANSFORM(stages, quads) transform(stages, quads, Y, M, n, X)
    FOR_STAGES(stages, TRANSFORM);
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

static INLINE void shift_all(int quads, double *Y, const dfl_shifts *zeta, int n, const double *X)
{
    const int width = 4 * quads;
    for (int i = 0; i < n; i++, X += width, Y += width) {
        four x[2], y[2];
        for (int q = 0; q < quads; q++)
            x[q] = *(const quad *)(X + 4 * q);
        shift(y, quads, zeta, x);
        for (int q = 0; q < quads; q++)
            *(quad *)(Y + 4 * q) = y[q];
    }
}

WIDE void dfl_lanes_shift(double *Y, int width, const dfl_shifts *zeta, int n, const double *X)
{
    if (width == 4)
        shift_all(1, Y, zeta, n, X);
    else
        shift_all(2, Y, zeta, n, X);
}

/* As mul_rows, with both matrices; 1 or 2 rows. */
static INLINE void mul_shifted_rows(int rows, int quads, double *Y, const dfl_shifts *zeta,
                                    const double *A, const double *B, int m, int n, const double *X)
{
    four a[2][2], b[2][2];
    for (int i = 0; i < rows; i++)
        for (int q = 0; q < quads; q++)
            a[i][q] = b[i][q] = (four){0};
    for (int j = 0; j < n; j++, X += 4 * quads)
        for (int i = 0; i < rows; i++)
            for (int q = 0; q < quads; q++) {
                a[i][q] += A[(long)j * m + i] * *(const quad *)(X + 4 * q);
                b[i][q] += B[(long)j * m + i] * *(const quad *)(X + 4 * q);
            }
    for (int i = 0; i < rows; i++) {
        four y[2];
        shift(y, quads, zeta, a[i]);
        for (int q = 0; q < quads; q++)
            *(quad *)(Y + 4 * (i * quads + q)) += b[i][q] - y[q];
    }
}

static INLINE void mul_shifted(int quads, double *Y, const dfl_shifts *zeta, const double *A,
                               const double *B, int m, int n, const double *X)
{
    int i = 0;
    for (; i + 2 <= m; i += 2)
        mul_shifted_rows(2, quads, Y + 4 * quads * i, zeta, A + i, B + i, m, n, X);
    if (i < m)
        mul_shifted_rows(1, quads, Y + 4 * quads * i, zeta, A + i, B + i, m, n, X);
}

WIDE void dfl_lanes_mul_shifted(double *Y, int width, const dfl_shifts *zeta, const double *A,
                                const double *B, int m, int n, const double *X)
{
    if (width == 4)
        mul_shifted(1, Y, zeta, A, B, m, n, X);
    else
        mul_shifted(2, Y, zeta, A, B, m, n, X);
}

WIDE double dfl_lanes_squares(const double *X, int width, int n, const double *weight)
{
    return width == 4 ? squares(1, X, n, weight) : squares(2, X, n, weight);
}

static INLINE void gather(int stages, int quads, double *Y, const double *M, int n,
                          const double *stage, long stride, const double *X, const double *weight)
{
    const int width = 4 * quads;
    for (int i = 0; i < n; i++, Y += width) {
        four y[2];
        for (int q = 0; q < quads; q++)
            y[q] = stage[i] * *(const quad *)(M + 4 * q);
        for (int k = 1; k < stages; k++)
            for (int q = 0; q < quads; q++)
                y[q] += stage[k * stride + i] * *(const quad *)(M + 4 * (k * quads + q));
        for (int q = 0; q < quads; q++) {
            if (weight)
                y[q] -= weight[i] * *(const quad *)(X + i * width + 4 * q);
            else if (X)
                y[q] -= *(const quad *)(X + i * width + 4 * q);
            *(quad *)(Y + 4 * q) = y[q];
        }
    }
}

WIDE void dfl_lanes_gather(double *Y, int stages, const double *M, int n, const double *stage,
                           long stride, const double *X, const double *weight)
{
#define GATHER(stages, quads) gather(stages, quads, Y, M, n, stage, stride, X, weight)
    FOR_STAGES(stages, GATHER);
#undef GATHER
}

WIDE void dfl_lanes_scatter(double *stage, long stride, int stages, int n, const double *x,
                            double *X, const double *dX)
{
#define SCATTER(stages, quads)                                                                     \
    if (dX)                                                                                        \
        scatter(stages, quads, stage, stride, n, x, X, dX);                                        \
    else                                                                                           \
        scatter(stages, quads, stage, stride, n, x, X, NULL)
    FOR_STAGES(stages, SCATTER);
#undef SCATTER
}

static INLINE void combine(int stages, int quads, double *y, const double *weight, int n,
                           const double *X)
{
    four w[2];
    pick(w, stages, weight, 1);
    for (int i = 0; i < n; i++, X += 4 * quads) {
        four sum = w[0] * *(const quad *)X;
        if (quads == 2)
            sum += w[1] * *(const quad *)(X + 4);
        y[i] = add_up(sum);
    }
}

WIDE void dfl_lanes_combine(double *y, int stages, const double *weight, int n, const double *X)
{
#define COMBINE(stages, quads) combine(stages, quads, y, weight, n, X)
    FOR_STAGES(stages, COMBINE);
#undef COMBINE
}
