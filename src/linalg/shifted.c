/* shifted.c: systems with zeta A - B for the shifts of all stages.

   Small orders are factored for all shifts at once, P E = L D U, a shift per lane. A complex number
   takes a pair of lanes, with its real part twice and its imaginary part with both signs
   (dfl_shifts), so that sums, products and reciprocals of such numbers are those of single lanes.
   All shifts share the order of the pivots; if a pivot is less than a tenth of the best in its own
   lane, and for larger orders, each shift is factored separately.

   Order 2, of mechanisms with one degree of freedom, is inverted: the products of a solution then
   do not wait for each other, and zeta I - [0 I; -K -D] loses no digits by the inversion, however
   stiff it is. With several degrees of freedom it would, if stiff forces nearly cancel. */
#include "linalg/linalg.h"

#include <float.h>

enum { LARGEST_TOGETHER = 6 };

struct dfl_shifted {
    int n, stages, width;
    bool together;   /* all shifts are factored at once: */
    double *factors; /* n x n entries, each with lanes of re, then of im: L, U, and D^-1 on the
                        diagonal; E^-1 of order 2 */
    int order[LARGEST_TOGETHER]; /* of the rows: that of entry i is order[i] */
    dfl_factor *real, *pair[DFL_LANES / 2];
};

static bool factor_at_once(dfl_shifted *shifted, const double *A, const double *B,
                           const dfl_shifts *zeta);
static bool factor_each(dfl_shifted *shifted, const double *A, const double *B,
                        const dfl_shifts *zeta, dfl_method method);
static void solve_real_two(double *d, int width, const double *inverse);
DFL_WIDE static bool factor_together(double *E, int width, int n, int *order,
                                     const dfl_shifts *zeta, const double *A, const double *B);
DFL_WIDE static bool invert_two(double *E, int width, const dfl_shifts *zeta, const double *A,
                                const double *B);
DFL_WIDE static void solve_two(double *d, int width, const double *inverse);
DFL_WIDE static void solve_together(double *d, int width, const double *E, int n, const int *order);

dfl_status dfl_shifted_create(dfl_shifted **out, dfl_context *ctx, int n, int stages)
{
    dfl_shifted *shifted = *out = dfl_alloc(ctx, 1, sizeof *shifted);
    if (!shifted)
        return DFL_NO_MEMORY;
    const size_t order = (size_t)(n < LARGEST_TOGETHER ? n : LARGEST_TOGETHER);
    shifted->factors = dfl_alloc(ctx, order * order * 2 * DFL_LANES, sizeof(double));
    dfl_status status = shifted->factors ? DFL_OK : DFL_NO_MEMORY;
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
    dfl_free(ctx, shifted->factors);
    dfl_free(ctx, shifted);
}

bool dfl_shifted_factor(dfl_shifted *shifted, int n, const double *A, const double *B, int stages,
                        const dfl_shifts *zeta, dfl_method method)
{
    shifted->n = n;
    shifted->stages = stages;
    shifted->width = dfl_lanes_width(stages);
    shifted->together = stages > 1 && n <= LARGEST_TOGETHER && method == DFL_METHOD_LU &&
                        factor_at_once(shifted, A, B, zeta);
    return shifted->together || factor_each(shifted, A, B, zeta, method);
}

void dfl_shifted_solve(const dfl_shifted *shifted, double *d)
{
    const int width = shifted->width;
    if (shifted->together && shifted->n == 2) {
        solve_two(d, width, shifted->factors);
        return;
    }
    if (shifted->together) {
        solve_together(d, width, shifted->factors, shifted->n, shifted->order);
        return;
    }
    dfl_factor_solve_lanes(shifted->real, d, width);
    for (int k = 0; k < shifted->stages / 2; k++)
        dfl_factor_solve_lanes(shifted->pair[k], d + 1 + 2 * k, width);
}

const double *dfl_shifted_inverse(const dfl_shifted *shifted)
{
    return shifted->together && shifted->n == 2 ? shifted->factors : NULL;
}

/* In the first lane, where all numbers are real. */
void dfl_shifted_solve_real(const dfl_shifted *shifted, double *d)
{
    const int n = shifted->n, entry = 2 * shifted->width, column = n * entry;
    const double *E = shifted->factors;
    double x[LARGEST_TOGETHER];
    if (!shifted->together) {
        dfl_factor_solve(shifted->real, d);
        return;
    }
    if (n == 2) {
        solve_real_two(d, shifted->width, E);
        return;
    }
    for (int i = 0; i < n; i++)
        x[i] = d[shifted->order[i]];
    for (int j = 0; j < n; j++) {
        for (int i = j + 1; i < n; i++)
            x[i] -= E[j * column + i * entry] * x[j];
        x[j] *= E[j * column + j * entry];
    }
    for (int j = n - 1; j > 0; j--)
        for (int i = 0; i < j; i++)
            x[i] -= E[j * column + i * entry] * x[j];
    for (int i = 0; i < n; i++)
        d[i] = x[i];
}

static bool factor_each(dfl_shifted *shifted, const double *A, const double *B,
                        const dfl_shifts *zeta, dfl_method method)
{
    const int n = shifted->n;
    const size_t count = (size_t)n * (size_t)n;
    double *E = dfl_factor_matrix(shifted->real);
    for (size_t i = 0; i < count; i++)
        E[i] = zeta->re[0] * A[i] - B[i];
    bool regular = dfl_factor_compute(shifted->real, n, method);
    for (int k = 0; regular && k < shifted->stages / 2; k++) {
        const double re = zeta->re[2 + 2 * k], im = zeta->im[2 + 2 * k];
        E = dfl_factor_matrix(shifted->pair[k]);
        for (size_t i = 0; i < count; i++) {
            E[2 * i] = re * A[i] - B[i];
            E[2 * i + 1] = im * A[i];
        }
        regular = dfl_factor_compute(shifted->pair[k], n, method);
    }
    return regular;
}

static bool factor_at_once(dfl_shifted *shifted, const double *A, const double *B,
                           const dfl_shifts *zeta)
{
    const int n = shifted->n, width = shifted->width;
    return n == 2 ? invert_two(shifted->factors, width, zeta, A, B)
                  : factor_together(shifted->factors, width, n, shifted->order, zeta, A, B);
}

/* A complex number per pair of lanes. */
typedef struct number {
    dfl_four re[2], im[2];
} number;

static DFL_INLINE number load(int quads, const double *E)
{
    number z = {{{0}, {0}}, {{0}, {0}}};
    for (int q = 0; q < quads; q++) {
        z.re[q] = *(const dfl_quad *)(E + 4 * q);
        z.im[q] = *(const dfl_quad *)(E + 4 * (quads + q));
    }
    return z;
}

static DFL_INLINE void put(double *E, int quads, number z)
{
    dfl_lane_store(E, quads, z.re);
    dfl_lane_store(E + 4 * quads, quads, z.im);
}

static DFL_INLINE number product(int quads, number x, number y)
{
    number z = {{{0}, {0}}, {{0}, {0}}};
    for (int q = 0; q < quads; q++) {
        z.re[q] = x.re[q] * y.re[q] - x.im[q] * y.im[q];
        z.im[q] = x.re[q] * y.im[q] + x.im[q] * y.re[q];
    }
    return z;
}

static DFL_INLINE number reciprocal(int quads, number x)
{
    number z = {{{0}, {0}}, {{0}, {0}}};
    for (int q = 0; q < quads; q++) {
        const dfl_four inverse = 1 / (x.re[q] * x.re[q] + x.im[q] * x.im[q]);
        z.re[q] = x.re[q] * inverse;
        z.im[q] = -x.im[q] * inverse;
    }
    return z;
}

static DFL_INLINE void square(dfl_four y[2], int quads, const double *E)
{
    const number z = load(quads, E);
    for (int q = 0; q < quads; q++)
        y[q] = z.re[q] * z.re[q] + z.im[q] * z.im[q];
}

/* Whether |E_row| is in every lane at least a tenth of the others from row k on, and its square
   no overflow. */
static DFL_INLINE bool is_good_pivot(int quads, const double *column, int row, int k, int n)
{
    const int entry = 8 * quads;
    dfl_four_mask good = {-1, -1, -1, -1};
    dfl_four pivot[2], y[2];
    square(pivot, quads, column + row * entry);
    for (int i = k; i < n; i++) {
        square(y, quads, column + i * entry);
        for (int q = 0; q < quads; q++)
            good &= (pivot[q] >= 0.01 * y[q] + DBL_MIN) & (pivot[q] <= DBL_MAX);
    }
    return good[0] & good[1] & good[2] & good[3];
}

static DFL_INLINE void exchange(double *x, double *y, int count)
{
    for (int i = 0; i < count; i++) {
        const double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* Brings a good pivot into row k. False: there is none. */
static DFL_INLINE bool bring_pivot(int quads, double *E, int *order, int k, int n)
{
    const int entry = 8 * quads, column = n * entry;
    int row = k;
    while (row < n && !is_good_pivot(quads, E + k * column, row, k, n))
        row++;
    if (row == n)
        return false;
    for (int j = 0; row != k && j < n; j++)
        exchange(E + j * column + k * entry, E + j * column + row * entry, entry);
    const int first = order[k];
    order[k] = order[row];
    order[row] = first;
    return true;
}

/* E_ij -= L_ik E_kj, then U_kj = E_kj / E_kk, for one column j after k */
static DFL_INLINE void eliminate(int quads, double *Ej, const double *Ek, int k, int n,
                                 number inverse)
{
    const int entry = 8 * quads;
    const number pivot = load(quads, Ej + k * entry);
    for (int i = k + 1; i < n; i++) {
        const number s = product(quads, pivot, load(quads, Ek + i * entry));
        number z = load(quads, Ej + i * entry);
        for (int q = 0; q < quads; q++) {
            z.re[q] -= s.re[q];
            z.im[q] -= s.im[q];
        }
        put(Ej + i * entry, quads, z);
    }
    put(Ej + k * entry, quads, product(quads, inverse, pivot));
}

static DFL_INLINE bool factor_with(int quads, double *E, int n, int *order, const dfl_shifts *zeta,
                                   const double *A, const double *B)
{
    const int entry = 8 * quads, column = n * entry;
    for (int i = 0; i < n * n; i++)
        for (int q = 0; q < quads; q++) {
            *(dfl_quad *)(E + i * entry + 4 * q) =
                A[i] * *(const dfl_quad *)(zeta->re + 4 * q) - B[i];
            *(dfl_quad *)(E + i * entry + 4 * (quads + q)) =
                A[i] * *(const dfl_quad *)(zeta->im + 4 * q);
        }
    for (int k = 0; k < n; k++)
        order[k] = k;
    for (int k = 0; k < n; k++) {
        double *Ek = E + k * column;
        if (!bring_pivot(quads, E, order, k, n))
            return false;
        const number inverse = reciprocal(quads, load(quads, Ek + k * entry));
        for (int i = k + 1; i < n; i++)
            put(Ek + i * entry, quads, product(quads, inverse, load(quads, Ek + i * entry)));
        for (int j = k + 1; j < n; j++)
            eliminate(quads, E + j * column, Ek, k, n, inverse);
        put(Ek + k * entry, quads, inverse);
    }
    return true;
}

DFL_WIDE static bool factor_together(double *E, int width, int n, int *order,
                                     const dfl_shifts *zeta, const double *A, const double *B)
{
    return width == 4 ? factor_with(1, E, n, order, zeta, A, B)
                      : factor_with(2, E, n, order, zeta, A, B);
}

/* One component of a right-hand side. */
typedef struct component {
    dfl_four of[2];
} component;

/* y -= z x: each lane times re, the other lane of its pair times im. */
static DFL_INLINE void subtract_product(component *y, int quads, const double *z,
                                        const dfl_four x[2])
{
    const number factor = load(quads, z);
    dfl_four other[2];
    dfl_lane_partners(other, quads, x);
    for (int q = 0; q < quads; q++)
        y->of[q] -= factor.re[q] * x[q] + factor.im[q] * other[q];
}

/* x -= E_j x_j in the rows from `first` to `last` - 1 */
static DFL_INLINE void subtract(int quads, component *x, const double *Ej, int j, int first,
                                int last)
{
    for (int i = first; i < last; i++)
        subtract_product(&x[i], quads, Ej + i * 8 * quads, x[j].of);
}

static DFL_INLINE void solve_with(int quads, double *d, const double *E, int n, const int *order)
{
    const int width = 4 * quads, entry = 2 * width, column = n * entry;
    component x[LARGEST_TOGETHER];
    for (int i = 0; i < n; i++)
        for (int q = 0; q < quads; q++)
            x[i].of[q] = *(const dfl_quad *)(d + order[i] * width + 4 * q);
    for (int j = 0; j < n; j++) {
        component y = {{{0}, {0}}};
        subtract(quads, x, E + j * column, j, j + 1, n);
        subtract_product(&y, quads, E + j * column + j * entry, x[j].of);
        for (int q = 0; q < quads; q++)
            x[j].of[q] = -y.of[q];
    }
    for (int j = n - 1; j > 0; j--)
        subtract(quads, x, E + j * column, j, 0, j);
    for (int i = 0; i < n; i++)
        dfl_lane_store(d + i * width, quads, x[i].of);
}

DFL_WIDE static void solve_together(double *d, int width, const double *E, int n, const int *order)
{
    if (width == 4)
        solve_with(1, d, E, n, order);
    else
        solve_with(2, d, E, n, order);
}

/* E = zeta A - B, one entry */
static DFL_INLINE number entry_of(int quads, const dfl_shifts *zeta, double A, double B)
{
    number z = {{{0}, {0}}, {{0}, {0}}};
    for (int q = 0; q < quads; q++) {
        z.re[q] = A * *(const dfl_quad *)(zeta->re + 4 * q) - B;
        z.im[q] = A * *(const dfl_quad *)(zeta->im + 4 * q);
    }
    return z;
}

/* x y or -x y */
static DFL_INLINE number signed_product(int quads, double sign, number x, number y)
{
    number z = product(quads, x, y);
    for (int q = 0; q < quads; q++) {
        z.re[q] *= sign;
        z.im[q] *= sign;
    }
    return z;
}

/* E^-1 = [d -b; -c a] / (a d - b c). False: the determinant vanishes in some lane, or its square
   overflows. */
static DFL_INLINE bool invert_two_with(int quads, double *E, const dfl_shifts *zeta,
                                       const double *A, const double *B)
{
    const int entry = 8 * quads;
    const number a = entry_of(quads, zeta, A[0], B[0]), c = entry_of(quads, zeta, A[1], B[1]),
                 b = entry_of(quads, zeta, A[2], B[2]), d = entry_of(quads, zeta, A[3], B[3]);
    number det = product(quads, a, d);
    const number bc = product(quads, b, c);
    int64_t good = -1;
    for (int q = 0; q < quads; q++) {
        const dfl_four size = det.re[q] * det.re[q] + det.im[q] * det.im[q] + bc.re[q] * bc.re[q] +
                              bc.im[q] * bc.im[q];
        det.re[q] -= bc.re[q];
        det.im[q] -= bc.im[q];
        const dfl_four square = det.re[q] * det.re[q] + det.im[q] * det.im[q];
        const dfl_four_mask regular = (square > 1e-28 * size + DBL_MIN) & (square <= DBL_MAX);
        good &= regular[0] & regular[1] & regular[2] & regular[3];
    }
    const number inverse = reciprocal(quads, det);
    put(E, quads, product(quads, inverse, d));
    put(E + entry, quads, signed_product(quads, -1, inverse, c));
    put(E + 2 * entry, quads, signed_product(quads, -1, inverse, b));
    put(E + 3 * entry, quads, product(quads, inverse, a));
    return good;
}

DFL_WIDE static bool invert_two(double *E, int width, const dfl_shifts *zeta, const double *A,
                                const double *B)
{
    return width == 4 ? invert_two_with(1, E, zeta, A, B) : invert_two_with(2, E, zeta, A, B);
}

static DFL_INLINE void solve_two_with(int quads, double *d, const double *inverse)
{
    dfl_four x[2][2];
    dfl_lane_fetch(x[0], quads, d);
    dfl_lane_fetch(x[1], quads, d + 4 * quads);
    dfl_lane_multiply_two(quads, d, x, inverse);
}

DFL_WIDE static void solve_two(double *d, int width, const double *inverse)
{
    if (width == 4)
        solve_two_with(1, d, inverse);
    else
        solve_two_with(2, d, inverse);
}

static void solve_real_two(double *d, int width, const double *inverse)
{
    const int entry = 2 * width;
    const double x = d[0], y = d[1];
    d[0] = inverse[0] * x + inverse[2 * entry] * y;
    d[1] = inverse[entry] * x + inverse[3 * entry] * y;
}
