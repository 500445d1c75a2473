/* shifted.c: systems with zeta A - B for the shifts of all stages.

   Small orders are inverted for all shifts at once, a shift per lane: a complex number takes a pair of lanes,
   in which its real part stands twice and its imaginary part with both signs (dfl_shifts), so that sums,
   products and reciprocals of such numbers are those of single lanes. All shifts share the order of the
   pivots; where one of them is less than a tenth of the best in its own lane, and for larger orders, each
   shift has a factorization of its own. An inverse is as accurate as Newton's iteration needs: it does not
   change what the iteration converges to. Order 2, seven stages, instructions: 300 instead of 1250 to factor,
   100 instead of 390 to solve; order 4: 1650 instead of 4300, 230 instead of 760. */
#include "linalg/lane_kernels.h"

#include <assert.h>
#include <float.h>

enum { LARGEST_INVERSE = 6 };

struct dfl_shifted {
    int n, stages, width;
    bool inverted;
    double *inverse; /* n x n entries, each with lanes of re, then of im */
    dfl_factor *real, *pair[DFL_LANES / 2];
};

static bool invert(dfl_shifted *shifted, const double *A, const double *B, const double *zeta);
static bool factor_each(dfl_shifted *shifted, const double *A, const double *B, const double *zeta,
                        dfl_method method);
WIDE static bool invert_all(double *E, int width, int n, const dfl_shifts *zeta, const double *A,
                            const double *B);
WIDE static void multiply(double *d, int width, const double *E, int n);

dfl_status dfl_shifted_create(dfl_shifted **out, dfl_context *ctx, int n, int stages)
{
    dfl_shifted *shifted = *out = dfl_alloc(ctx, 1, sizeof *shifted);
    if (!shifted)
        return DFL_NO_MEMORY;
    const size_t order = (size_t)(n < LARGEST_INVERSE ? n : LARGEST_INVERSE);
    shifted->inverse = dfl_alloc(ctx, order * order * 2 * DFL_LANES, sizeof(double));
    dfl_status status = shifted->inverse ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_factor_create(&shifted->real, ctx, n, false);
    for (int k = 0; !status && k < stages / 2; k++)
        status = dfl_factor_create(&shifted->pair[k], ctx, n, true);
    if (status) {
        dfl_shifted_free(shifted, ctx);
        *out = NULL;
    }
    return status;
}

void dfl_shifted_free(dfl_shifted *shifted, dfl_context *ctx)
{
    if (!shifted)
        return;
    dfl_factor_free(shifted->real, ctx);
    for (int k = 0; k < DFL_LANES / 2; k++)
        dfl_factor_free(shifted->pair[k], ctx);
    dfl_free(ctx, shifted->inverse);
    dfl_free(ctx, shifted);
}

bool dfl_shifted_factor(dfl_shifted *shifted, int n, const double *A, const double *B, int stages,
                        const double *zeta, dfl_method method)
{
    shifted->n = n;
    shifted->stages = stages;
    shifted->width = dfl_lanes_width(stages);
    shifted->inverted = stages > 1 && n <= LARGEST_INVERSE && method == DFL_METHOD_LU &&
                        invert(shifted, A, B, zeta);
    return shifted->inverted || factor_each(shifted, A, B, zeta, method);
}

void dfl_shifted_solve(const dfl_shifted *shifted, double *d)
{
    const int width = shifted->width;
    if (shifted->inverted) {
        multiply(d, width, shifted->inverse, shifted->n);
        return;
    }
    dfl_factor_solve_lanes(shifted->real, d, width);
    for (int k = 0; k < shifted->stages / 2; k++)
        dfl_factor_solve_lanes(shifted->pair[k], d + 1 + 2 * k, width);
}

void dfl_shifted_solve_real(const dfl_shifted *shifted, double *d)
{
    const int n = shifted->n, entry = 2 * shifted->width;
    double x[LARGEST_INVERSE];
    if (!shifted->inverted) {
        dfl_factor_solve(shifted->real, d);
        return;
    }
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        for (int j = 0; j < n; j++)
            x[i] += shifted->inverse[(j * n + i) * entry] * d[j];
    }
    for (int i = 0; i < n; i++)
        d[i] = x[i];
}

static bool factor_each(dfl_shifted *shifted, const double *A, const double *B, const double *zeta,
                        dfl_method method)
{
    const int n = shifted->n;
    const size_t count = (size_t)n * (size_t)n;
    double *E = dfl_factor_matrix(shifted->real);
    for (size_t i = 0; i < count; i++)
        E[i] = zeta[0] * A[i] - B[i];
    bool regular = dfl_factor_compute(shifted->real, n, method);
    for (int k = 0; regular && k < shifted->stages / 2; k++) {
        const double re = zeta[1 + 2 * k], im = zeta[2 + 2 * k];
        E = dfl_factor_matrix(shifted->pair[k]);
        for (size_t i = 0; i < count; i++) {
            E[2 * i] = re * A[i] - B[i];
            E[2 * i + 1] = im * A[i];
        }
        regular = dfl_factor_compute(shifted->pair[k], n, method);
    }
    return regular;
}

/* Lanes without a stage repeat the real shift, so that they are regular where it is. */
static bool invert(dfl_shifted *shifted, const double *A, const double *B, const double *zeta)
{
    dfl_shifts all;
    dfl_shifts_set(&all, shifted->stages, zeta);
    for (int k = shifted->stages; k < shifted->width; k++)
        all.re[k] = zeta[0];
    return invert_all(shifted->inverse, shifted->width, shifted->n, &all, A, B);
}

/* A complex number per pair of lanes. */
typedef struct number {
    quad re[2], im[2];
} number;

static INLINE number load(int quads, const double *E)
{
    number z;
    for (int q = 0; q < quads; q++) {
        z.re[q] = *(const quad *)(E + 4 * q);
        z.im[q] = *(const quad *)(E + 4 * (quads + q));
    }
    return z;
}

static INLINE void put(double *E, int quads, number z)
{
    store(E, quads, z.re);
    store(E + 4 * quads, quads, z.im);
}

static INLINE number product(int quads, number x, number y)
{
    number z;
    for (int q = 0; q < quads; q++) {
        z.re[q] = x.re[q] * y.re[q] - x.im[q] * y.im[q];
        z.im[q] = x.re[q] * y.im[q] + x.im[q] * y.re[q];
    }
    return z;
}

static INLINE number reciprocal(int quads, number x)
{
    number z;
    for (int q = 0; q < quads; q++) {
        const quad inverse = 1 / (x.re[q] * x.re[q] + x.im[q] * x.im[q]);
        z.re[q] = x.re[q] * inverse;
        z.im[q] = -x.im[q] * inverse;
    }
    return z;
}

static INLINE void square(quad y[2], int quads, const double *E)
{
    const number z = load(quads, E);
    for (int q = 0; q < quads; q++)
        y[q] = z.re[q] * z.re[q] + z.im[q] * z.im[q];
}

/* Whether |E_row| is in every lane at least a tenth of the others from row k on. */
static INLINE bool is_good_pivot(int quads, const double *column, int row, int k, int n)
{
    const int entry = 8 * quads;
    long good = -1;
    quad pivot[2], y[2];
    square(pivot, quads, column + row * entry);
    for (int i = k; i < n; i++) {
        square(y, quads, column + i * entry);
        for (int q = 0; q < quads; q++) {
            const quad_mask large = pivot[q] >= 0.01 * y[q] + DBL_MIN;
            good &= large[0] & large[1] & large[2] & large[3];
        }
    }
    return good;
}

static INLINE void swap(double *x, double *y, int count)
{
    for (int i = 0; i < count; i++) {
        const double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* E := E^-1 in place by Gauss and Jordan's elimination. */
static INLINE bool eliminate(int quads, double *E, int n)
{
    const int entry = 8 * quads, column = n * entry;
    int pivot[LARGEST_INVERSE];
    for (int k = 0; k < n; k++) {
        int row = k;
        while (row < n && !is_good_pivot(quads, E + k * column, row, k, n))
            row++;
        if (row == n)
            return false;
        pivot[k] = row;
        for (int j = 0; pivot[k] != k && j < n; j++)
            swap(E + j * column + k * entry, E + j * column + pivot[k] * entry, entry);
        const number p = reciprocal(quads, load(quads, E + k * column + k * entry));
        for (int j = 0; j < n; j++) {
            double *Ej = E + j * column;
            if (j == k)
                continue;
            const number r = product(quads, p, load(quads, Ej + k * entry));
            put(Ej + k * entry, quads, r);
            for (int i = 0; i < n; i++) {
                if (i == k)
                    continue;
                const number s = product(quads, r, load(quads, E + k * column + i * entry));
                number z = load(quads, Ej + i * entry);
                for (int q = 0; q < quads; q++) {
                    z.re[q] -= s.re[q];
                    z.im[q] -= s.im[q];
                }
                put(Ej + i * entry, quads, z);
            }
        }
        for (int i = 0; i < n; i++) {
            number z = load(quads, E + k * column + i * entry);
            z = i == k ? p : product(quads, p, z);
            for (int q = 0; i != k && q < quads; q++) {
                z.re[q] = -z.re[q];
                z.im[q] = -z.im[q];
            }
            put(E + k * column + i * entry, quads, z);
        }
    }
    for (int k = n - 1; k >= 0; k--)
        if (pivot[k] != k)
            swap(E + k * column, E + pivot[k] * column, column);
    return true;
}

static INLINE bool invert_with(int quads, double *E, int n, const dfl_shifts *zeta,
                               const double *A, const double *B)
{
    const int entry = 8 * quads;
    quad sum = {0};
    for (int i = 0; i < n * n; i++)
        for (int q = 0; q < quads; q++) {
            *(quad *)(E + i * entry + 4 * q) = A[i] * *(const quad *)(zeta->re + 4 * q) - B[i];
            *(quad *)(E + i * entry + 4 * (quads + q)) = A[i] * *(const quad *)(zeta->im + 4 * q);
        }
    if (!eliminate(quads, E, n))
        return false;
    for (int i = 0; i < n * n * entry; i += 4)
        sum += 0 * *(const quad *)(E + i);
    return sum[0] + sum[1] + sum[2] + sum[3] == 0; /* all are finite */
}

/* Order 2, of mechanisms with one degree of freedom, has its loops unrolled. */
WIDE static bool invert_all(double *E, int width, int n, const dfl_shifts *zeta, const double *A,
                            const double *B)
{
    if (width == 4)
        return n == 2 ? invert_with(1, E, 2, zeta, A, B) : invert_with(1, E, n, zeta, A, B);
    return n == 2 ? invert_with(2, E, 2, zeta, A, B) : invert_with(2, E, n, zeta, A, B);
}

/* d := E d; each lane times re, the other lane of its pair times im. */
static INLINE void multiply_with(int quads, double *d, const double *E, int n)
{
    const int width = 4 * quads, entry = 2 * width;
    double other[LARGEST_INVERSE * DFL_LANES], sum[LARGEST_INVERSE * DFL_LANES];
    for (int j = 0; j < n; j++)
        for (int q = 0; q < quads; q++)
            *(quad *)(other + j * width + 4 * q) = partners(quads, 4 * q, d + j * width);
    for (int i = 0; i < n; i++) {
        quad u[2] = {{0}, {0}};
        for (int j = 0; j < n; j++) {
            const double *e = E + (j * n + i) * entry;
            for (int q = 0; q < quads; q++)
                u[q] += *(const quad *)(e + 4 * q) * *(const quad *)(d + j * width + 4 * q) +
                        *(const quad *)(e + width + 4 * q) *
                            *(const quad *)(other + j * width + 4 * q);
        }
        store(sum + i * width, quads, u);
    }
    for (int i = 0; i < n * quads; i++)
        *(quad *)(d + 4 * i) = *(const quad *)(sum + 4 * i);
}

WIDE static void multiply(double *d, int width, const double *E, int n)
{
    if (width == 4)
        n == 2 ? multiply_with(1, d, E, 2) : multiply_with(1, d, E, n);
    else
        n == 2 ? multiply_with(2, d, E, 2) : multiply_with(2, d, E, n);
}
