/* factor_small.c: LU with partial pivoting and Householder QR for tiny matrices.

   Golub and Van Loan, Matrix Computations, 4th ed., algorithms 3.4.1 and 5.2.1, with reciprocals
   stored on the diagonal so that a solve does not divide. Complex arithmetic is written out,
   because C's complex product must handle infinities and is not inlined.

   NaN needs no separate test: nothing is skipped when a factor is zero, so a NaN anywhere reaches a
   pivot, and the test of the reciprocal pivot refuses it. */
#include "linalg/factor_internal.h"
#include "linalg/linalg.h"

#include <float.h>
#include <math.h>

#include "linalg/householder_internal.h"

static bool lu_factor_1(double *A, int *order);
static bool lu_factor_2(double *A, int *order);
static bool lu_factor_3(double *A, int *order);
static bool lu_factor(double *A, int n, int *order);
static bool lu_factor_by_fours(double *A, int n, int *order);
static void lu_solve_columns(const double *LU, int n, const int *order, double *b, int stride);
static void lu_solve_2(const double *LU, const int *order, double *b, int stride);
static void lu_solve_3(const double *LU, const int *order, double *b, int stride);
static inline __attribute__((always_inline)) void lu_solve(const double *LU, int n,
                                                           const int *order, double *b, int stride);
static inline bool invert_complex(double *z);

/* False for the reciprocals of zero (infinite), of infinity (zero) and for NaN. */
static inline bool is_usable(double reciprocal)
{
    return fabs(reciprocal) <= DBL_MAX && reciprocal != 0;
}

static inline void swap_ints(int *a, int *b)
{
    const int t = *a;
    *a = *b;
    *b = t;
}

static inline void swap_doubles(double *a, double *b)
{
    const double t = *a;
    *a = *b;
    *b = t;
}

bool dfl_small_lu(double *A, int n, int *order)
{
    switch (n) {
    case 1:
        return lu_factor_1(A, order);
    case 2:
        return lu_factor_2(A, order);
    case 3:
        return lu_factor_3(A, order);
    default:
        return n > DFL_SMALL_ORDER ? lu_factor_by_fours(A, n, order) : lu_factor(A, n, order);
    }
}

void dfl_small_lu_solve(const double *LU, int n, const int *order, double *b, int stride)
{
    switch (n) {
    case 1:
        b[0] *= LU[0];
        break;
    case 2:
        lu_solve_2(LU, order, b, stride);
        break;
    case 3:
        lu_solve_3(LU, order, b, stride);
        break;
    case 4:
        lu_solve(LU, 4, order, b, stride);
        break;
    case 5:
        lu_solve(LU, 5, order, b, stride);
        break;
    case 6:
        lu_solve(LU, 6, order, b, stride);
        break;
    default:
        lu_solve_columns(LU, n, order, b, stride);
    }
}

/* The orders 1, 2 and 3 of the hot loops have code without loops and without stores between; rows
   are not exchanged but addressed: r0, r1 and r2 are the rows of A in the order of P A. */
static bool lu_factor_1(double *A, int *order)
{
    order[0] = 0;
    A[0] = 1 / A[0];
    return is_usable(A[0]);
}

static bool lu_factor_2(double *A, int *order)
{
    const int r0 = fabs(A[1]) > fabs(A[0]), r1 = 1 - r0;
    const double inverse0 = 1 / A[r0], l = A[r1] * inverse0, u = A[2 + r0];
    const double inverse1 = 1 / (A[2 + r1] - l * u);
    order[0] = r0;
    order[1] = r1;
    A[0] = inverse0;
    A[1] = l;
    A[2] = u;
    A[3] = inverse1;
    return is_usable(inverse0) && is_usable(inverse1);
}

static void lu_solve_2(const double *LU, const int *order, double *b, int stride)
{
    const double y0 = b[order[0] * stride], y1 = b[order[1] * stride] - LU[1] * y0;
    const double x1 = y1 * LU[3];
    b[0] = (y0 - LU[2] * x1) * LU[0];
    b[stride] = x1;
}

static bool lu_factor_3(double *A, int *order)
{
    int r0 = fabs(A[1]) > fabs(A[0]);
    r0 = fabs(A[2]) > fabs(A[r0]) ? 2 : r0;
    int r1 = r0 == 0, r2 = r0 == 2 ? 1 : 2;
    const double inverse0 = 1 / A[r0], u01 = A[3 + r0], u02 = A[6 + r0];
    double l1 = A[r1] * inverse0, l2 = A[r2] * inverse0;
    double b11 = A[3 + r1] - l1 * u01, b12 = A[6 + r1] - l1 * u02;
    double b21 = A[3 + r2] - l2 * u01, b22 = A[6 + r2] - l2 * u02;
    if (fabs(b21) > fabs(b11)) {
        swap_ints(&r1, &r2);
        swap_doubles(&l1, &l2);
        swap_doubles(&b11, &b21);
        swap_doubles(&b12, &b22);
    }
    const double inverse1 = 1 / b11, l21 = b21 * inverse1;
    const double inverse2 = 1 / (b22 - l21 * b12);
    order[0] = r0;
    order[1] = r1;
    order[2] = r2;
    A[0] = inverse0;
    A[1] = l1;
    A[2] = l2;
    A[3] = u01;
    A[4] = inverse1;
    A[5] = l21;
    A[6] = u02;
    A[7] = b12;
    A[8] = inverse2;
    return is_usable(inverse0) && is_usable(inverse1) && is_usable(inverse2);
}

static void lu_solve_3(const double *LU, const int *order, double *b, int stride)
{
    const double y0 = b[order[0] * stride], y1 = b[order[1] * stride] - LU[1] * y0;
    const double y2 = b[order[2] * stride] - LU[2] * y0 - LU[5] * y1;
    const double x2 = y2 * LU[8], x1 = (y1 - LU[7] * x2) * LU[4];
    b[0] = (y0 - LU[6] * x2 - LU[3] * x1) * LU[0];
    b[stride] = x1;
    b[2 * stride] = x2;
}

/* y -= factor x */
static DFL_INLINE void subtract(double *restrict y, int n, double factor, const double *restrict x)
{
    int i = 0;
    for (; i + 4 <= n; i += 4)
        *(dfl_quad *)(y + i) -= factor * *(const dfl_quad *)(x + i);
    for (; i < n; i++)
        y[i] -= factor * x[i];
}

/* Column k, with the largest entry below as pivot, and what follows from it for the columns up to
   `end`. */
static DFL_INLINE bool eliminate(double *A, int n, int *order, int k, int end)
{
    double *Ak = A + k * n;
    int p = k;
    for (int i = k + 1; i < n; i++)
        p = fabs(Ak[i]) > fabs(Ak[p]) ? i : p;
    if (p != k) {
        swap_ints(order + k, order + p);
        for (int j = 0; j < n; j++)
            swap_doubles(A + j * n + k, A + j * n + p);
    }
    const double inverse = 1 / Ak[k];
    if (!is_usable(inverse))
        return false;
    Ak[k] = inverse;
    for (int i = k + 1; i < n; i++)
        Ak[i] *= inverse;
    for (int j = k + 1; j < end; j++)
        subtract(A + j * n + k + 1, n - k - 1, A[j * n + k], Ak + k + 1);
    return true;
}

DFL_WIDE static bool lu_factor(double *A, int n, int *order)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int k = 0; k < n; k++)
        if (!eliminate(A, n, order, k, n))
            return false;
    return true;
}

/* y (n) -= the four columns of L (leading dimension ld) times f (4) */
static DFL_INLINE void subtract_four(double *restrict y, int n, const double *f,
                                     const double *restrict L, int ld)
{
    const double *l1 = L + ld, *l2 = L + 2 * ld, *l3 = L + 3 * ld;
    int i = 0;
    for (; i + 4 <= n; i += 4)
        *(dfl_quad *)(y + i) -=
            f[0] * *(const dfl_quad *)(L + i) + f[1] * *(const dfl_quad *)(l1 + i) +
            f[2] * *(const dfl_quad *)(l2 + i) + f[3] * *(const dfl_quad *)(l3 + i);
    for (; i < n; i++)
        y[i] -= f[0] * L[i] + f[1] * l1[i] + f[2] * l2[i] + f[3] * l3[i];
}

/* Four columns are eliminated before the others follow, which are read and written once for all
   four. */
DFL_WIDE static bool lu_factor_by_fours(double *A, int n, int *order)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int k = 0; k < n; k += 4) {
        const int end = k + 4 < n ? k + 4 : n;
        const double *L = A + k * n + k;
        for (int l = k; l < end; l++)
            if (!eliminate(A, n, order, l, end))
                return false;
        for (int j = end; j < n; j++) {
            double *u = A + j * n + k;
            u[1] -= L[1] * u[0];
            u[2] -= L[2] * u[0] + L[n + 2] * u[1];
            u[3] -= L[3] * u[0] + L[n + 3] * u[1] + L[2 * n + 3] * u[2];
            subtract_four(u + 4, n - end, u, L + 4, n);
        }
    }
    return true;
}

/* By columns, four unknowns at a time. */
DFL_WIDE static void lu_solve_columns(const double *restrict LU, int n, const int *order,
                                      double *restrict b, int stride)
{
    double x[DFL_SMALL_LU];
    for (int i = 0; i < n; i++)
        x[i] = b[order[i] * stride];
    for (int k = 0; k < n; k++) /* L y = P b */
        subtract(x + k + 1, n - k - 1, x[k], LU + k * n + k + 1);
    for (int k = n - 1; k >= 0; k--) { /* U x = y */
        x[k] *= LU[k * n + k];
        subtract(x, k, x[k], LU + k * n);
    }
    for (int i = 0; i < n; i++)
        b[i * stride] = x[i];
}

/* By rows, so that each unknown is summed in a register. With a constant n, as for the orders up
   to 6, the compiler writes the loops out. */
static inline __attribute__((always_inline)) void
lu_solve(const double *restrict LU, int n, const int *order, double *restrict b, int stride)
{
    double x[DFL_SMALL_ORDER];
    for (int i = 0; i < n; i++) { /* L y = P b */
        x[i] = b[order[i] * stride];
        for (int k = 0; k < i; k++)
            x[i] -= LU[k * n + i] * x[k];
    }
    for (int i = n - 1; i >= 0; i--) { /* U x = y */
        for (int k = n - 1; k > i; k--)
            x[i] -= LU[k * n + i] * x[k];
        x[i] *= LU[i * n + i];
        b[i * stride] = x[i];
    }
}

/* c -= a b */
static inline void sub_product(double *c, const double *a, const double *b)
{
    const double re = a[0] * b[0] - a[1] * b[1];
    const double im = a[0] * b[1] + a[1] * b[0];
    c[0] -= re;
    c[1] -= im;
}

/* a *= b */
static inline void scale_by(double *a, const double *b)
{
    const double re = a[0] * b[0] - a[1] * b[1];
    a[1] = a[0] * b[1] + a[1] * b[0];
    a[0] = re;
}

static inline void swap_complex(double *a, double *b)
{
    swap_doubles(a, b);
    swap_doubles(a + 1, b + 1);
}

/* |re| + |im| is within a factor sqrt(2) of the modulus and good enough to choose a pivot. */
static inline double size_of(const double *z)
{
    return fabs(z[0]) + fabs(z[1]);
}

/* Brings the largest entry of column k, from row k on, to the diagonal. Exchanging at every larger
   entry, not once at the end, leaves only constant indices when n is constant. */
static inline void pivot_rows_complex(double *A, int n, int k, int *order)
{
    double *Ak = A + 2 * k * n;
    for (int i = k + 1; i < n; i++)
        if (size_of(Ak + 2 * i) > size_of(Ak + 2 * k)) {
            for (int j = 0; j < n; j++)
                swap_complex(A + 2 * (j * n + k), A + 2 * (j * n + i));
            swap_ints(order + k, order + i);
        }
}

static inline bool lu_factor_complex(double *A, int n, int *order)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int k = 0; k < n; k++) {
        double *Ak = A + 2 * k * n;
        pivot_rows_complex(A, n, k, order);
        if (!invert_complex(Ak + 2 * k))
            return false;
        for (int i = k + 1; i < n; i++)
            scale_by(Ak + 2 * i, Ak + 2 * k);
        for (int j = k + 1; j < n; j++)
            for (int i = k + 1; i < n; i++)
                sub_product(A + 2 * (j * n + i), Ak + 2 * i, A + 2 * (j * n + k));
    }
    return true;
}

/* Factors a copy, which for constant n lives in registers. */
static inline bool lu_factor_local_complex(double *A, int n, int *order)
{
    double a[18];
    for (int i = 0; i < 2 * n * n; i++)
        a[i] = A[i];
    const bool regular = lu_factor_complex(a, n, order);
    for (int i = 0; i < 2 * n * n; i++)
        A[i] = a[i];
    return regular;
}

static inline void lu_solve_complex(const double *restrict LU, int n, const int *order,
                                    double *restrict b, int stride)
{
    double x[2 * DFL_SMALL_ORDER];
    for (int i = 0; i < n; i++) {
        x[2 * i] = b[order[i] * stride];
        x[2 * i + 1] = b[order[i] * stride + 1];
    }
    for (int k = 0; k + 1 < n; k++) /* L y = P b */
        for (int i = k + 1; i < n; i++)
            sub_product(x + 2 * i, LU + 2 * (k * n + i), x + 2 * k);
    for (int k = n - 1; k >= 0; k--) { /* U x = y */
        scale_by(x + 2 * k, LU + 2 * (k * n + k));
        for (int i = 0; i < k; i++)
            sub_product(x + 2 * i, LU + 2 * (k * n + i), x + 2 * k);
    }
    for (int i = 0; i < n; i++) {
        b[i * stride] = x[2 * i];
        b[i * stride + 1] = x[2 * i + 1];
    }
}

/* The switches hand the compiler n as a constant for the sizes of the hot loops. */
bool dfl_small_lu_complex(double *A, int n, int *order)
{
    switch (n) {
    case 1:
        return lu_factor_local_complex(A, 1, order);
    case 2:
        return lu_factor_local_complex(A, 2, order);
    case 3:
        return lu_factor_local_complex(A, 3, order);
    default:
        return lu_factor_complex(A, n, order);
    }
}

void dfl_small_lu_complex_solve(const double *LU, int n, const int *order, double *b, int stride)
{
    switch (n) {
    case 1:
        scale_by(b, LU);
        break;
    case 2:
        lu_solve_complex(LU, 2, order, b, stride);
        break;
    case 3:
        lu_solve_complex(LU, 3, order, b, stride);
        break;
    case 4:
        lu_solve_complex(LU, 4, order, b, stride);
        break;
    case 5:
        lu_solve_complex(LU, 5, order, b, stride);
        break;
    case 6:
        lu_solve_complex(LU, 6, order, b, stride);
        break;
    default:
        lu_solve_complex(LU, n, order, b, stride);
    }
}

/* z := 1/z, after a scaling if |z|^2 could leave the range of doubles. */
static inline bool invert_complex(double *z)
{
    double scale = 1;
    double square = z[0] * z[0] + z[1] * z[1];
    if (!(square > 1e-290 && square < 1e290)) {
        scale = 1 / size_of(z);
        z[0] *= scale;
        z[1] *= scale;
        square = z[0] * z[0] + z[1] * z[1];
    }
    const double inverse = scale / square;
    z[0] *= inverse;
    z[1] *= -inverse;
    return is_usable(inverse) && is_usable(size_of(z));
}

/* Turns x (count entries) into the vector v of H = I - tau v v^T with H x = *r e_1; returns tau.
   The sign of r is opposite to x_1, so v_1 = x_1 - r does not cancel. */
static double householder(double *x, int count, double *r)
{
    const double square = dot_product(x, x, count);
    const double norm = sqrt(square);
    *r = x[0] > 0 ? -norm : norm;
    const double tau = 1 / (square + norm * fabs(x[0]));
    x[0] -= *r;
    return tau;
}

/* Householder QR perturbs each column relative to its own norm only (Higham, Accuracy and Stability
   of Numerical Algorithms, thm. 19.4): a diagonal entry below the rounding error of its column
   cannot be distinguished from zero. A reflection keeps the norm, so the column above the entry
   gives its size. */
static bool is_regular(double diagonal_squared, double above_squared)
{
    const double floor_squared = DBL_EPSILON * DBL_EPSILON * (above_squared + diagonal_squared);
    return diagonal_squared > floor_squared && diagonal_squared <= DBL_MAX;
}

bool dfl_small_qr(double *A, int n, double *scalars)
{
    double *tau = scalars, *inverse = scalars + n;
    for (int k = 0; k < n; k++) {
        double *Ak = A + k * n, r, above = 0;
        for (int i = 0; i < k; i++)
            above += Ak[i] * Ak[i];
        tau[k] = householder(Ak + k, n - k, &r);
        if (!is_regular(r * r, above))
            return false;
        inverse[k] = 1 / r;
        for (int j = k + 1; j < n; j++)
            reflect(A + j * n + k, Ak + k, tau[k], n - k);
    }
    return true;
}

void dfl_small_qr_solve(const double *QR, int n, const double *scalars, double *b)
{
    const double *tau = scalars, *inverse = scalars + n;
    for (int k = 0; k < n; k++) /* y = Q^T b */
        reflect(b + k, QR + k * n + k, tau[k], n - k);
    for (int k = n - 1; k >= 0; k--) { /* R x = y */
        b[k] *= inverse[k];
        for (int i = 0; i < k; i++)
            b[i] -= QR[k * n + i] * b[k];
    }
}

/* As householder, with H = I - tau v v^*, H x = r e_1 and r = -x_1 / |x_1| ||x||. */
static double householder_complex(double *x, int count, double *r)
{
    double square = 0;
    for (int i = 0; i < 2 * count; i++)
        square += x[i] * x[i];
    const double norm = sqrt(square);
    const double first = sqrt(x[0] * x[0] + x[1] * x[1]);
    r[0] = first > 0 ? -x[0] / first * norm : norm;
    r[1] = first > 0 ? -x[1] / first * norm : 0;
    x[0] -= r[0];
    x[1] -= r[1];
    return 1 / (square + norm * first);
}

/* y -= tau v (v^* y) */
static void reflect_complex(double *y, const double *v, double tau, int count)
{
    double dot[2] = {0};
    for (int i = 0; i < 2 * count; i += 2) {
        dot[0] += v[i] * y[i] + v[i + 1] * y[i + 1];
        dot[1] += v[i] * y[i + 1] - v[i + 1] * y[i];
    }
    dot[0] *= tau;
    dot[1] *= tau;
    for (int i = 0; i < 2 * count; i += 2)
        sub_product(y + i, dot, v + i);
}

bool dfl_small_qr_complex(double *A, int n, double *scalars)
{
    double *tau = scalars, *inverse = scalars + n;
    for (int k = 0; k < n; k++) {
        double *Ak = A + 2 * k * n, *r = inverse + 2 * k, above = 0;
        for (int i = 0; i < 2 * k; i++)
            above += Ak[i] * Ak[i];
        tau[k] = householder_complex(Ak + 2 * k, n - k, r);
        if (!is_regular(r[0] * r[0] + r[1] * r[1], above) || !invert_complex(r))
            return false;
        for (int j = k + 1; j < n; j++)
            reflect_complex(A + 2 * (j * n + k), Ak + 2 * k, tau[k], n - k);
    }
    return true;
}

void dfl_small_qr_complex_solve(const double *QR, int n, const double *scalars, double *b)
{
    const double *tau = scalars, *inverse = scalars + n;
    for (int k = 0; k < n; k++) /* y = Q^* b */
        reflect_complex(b + 2 * k, QR + 2 * (k * n + k), tau[k], n - k);
    for (int k = n - 1; k >= 0; k--) { /* R x = y */
        scale_by(b + 2 * k, inverse + 2 * k);
        for (int i = 0; i < k; i++)
            sub_product(b + 2 * i, QR + 2 * (k * n + i), b + 2 * k);
    }
}
