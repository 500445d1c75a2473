/* jacobi.c: singular values by one-sided rotations (Hestenes; Golub and Van Loan, Matrix
   Computations, 4th ed., section 8.6.3).

   Rotations of pairs of columns make them orthogonal; their lengths are then the singular values,
   and small ones are as accurate as large ones. Wide matrices are transposed. */
#include "linalg/jacobi.h"

#include "linalg/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_SWEEPS = 60 };

static double dot(const double *x, const double *y, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

static void rotate(double *x, double *y, int count, double c, double s)
{
    for (int i = 0; i < count; i++) {
        const double a = x[i], b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
    }
}

/* Makes columns p and q orthogonal; whether they were not. */
static bool orthogonalize(double *A, int m, int n, double *V, int p, int q)
{
    double *a = A + (size_t)p * (size_t)m, *b = A + (size_t)q * (size_t)m;
    const double aa = dot(a, a, m), bb = dot(b, b, m), ab = dot(a, b, m);
    if (!(fabs(ab) > DBL_EPSILON * sqrt(aa) * sqrt(bb)) || !(fabs(ab) > DBL_MIN))
        return false;
    const double zeta = (bb - aa) / (2 * ab);
    const double t = (zeta > 0 ? 1 : -1) / (fabs(zeta) + hypot(1, zeta));
    const double c = 1 / hypot(1, t), s = c * t;
    rotate(a, b, m, c, s);
    rotate(V + (size_t)p * (size_t)n, V + (size_t)q * (size_t)n, n, c, s);
    return true;
}

static void exchange(double *x, double *y, int count)
{
    for (int i = 0; i < count; i++) {
        const double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

static void sort_columns(double *A, int m, int n, double *V, double *s)
{
    for (int k = 0; k < n; k++) {
        int longest = k;
        for (int j = k + 1; j < n; j++)
            longest = s[j] > s[longest] ? j : longest;
        if (longest == k)
            continue;
        exchange(s + k, s + longest, 1);
        exchange(A + (size_t)k * (size_t)m, A + (size_t)longest * (size_t)m, m);
        exchange(V + (size_t)k * (size_t)n, V + (size_t)longest * (size_t)n, n);
    }
}

bool dfl_jacobi(double *A, int m, int n, double *V, double *s)
{
    const double size = dfl_max_abs(A, m * n);
    const double scale = size > 0 && isfinite(1 / size) ? 1 / size : 1;
    if (!dfl_all_finite(A, m * n))
        return false;
    memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
    for (int j = 0; j < n; j++)
        V[j + j * n] = 1;
    for (int i = 0; i < m * n; i++)
        A[i] *= scale; /* squares neither overflow nor vanish */
    bool turned = true;
    for (int sweep = 0; turned && sweep < MOST_SWEEPS; sweep++) {
        turned = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                turned = orthogonalize(A, m, n, V, p, q) || turned;
    }
    for (int i = 0; i < m * n; i++)
        A[i] /= scale;
    for (int j = 0; j < n; j++) {
        double *a = A + (size_t)j * (size_t)m;
        const double largest = dfl_max_abs(a, m);
        double sum = 0;
        for (int i = 0; largest > 0 && i < m; i++)
            sum += a[i] / largest * (a[i] / largest);
        s[j] = largest * sqrt(sum);
    }
    sort_columns(A, m, n, V, s);
    return true;
}

/* x := (I - tau v v^T) x */
static void reflect_by(double *x, const double *v, double tau, int count)
{
    const double factor = tau * dot(v, x, count);
    for (int i = 0; i < count; i++)
        x[i] -= factor * v[i];
}

/* Q (m x m): its first n columns are the columns of A (m x n, orthogonal, descending) with length
   1, the others complete them. By Householder's reflections, which also serve columns that vanish;
   s is overwritten by 2 / v^T v of each reflection. */
static void complete_basis(double *Q, double *A, int m, int n, double *s)
{
    memset(Q, 0, (size_t)m * (size_t)m * sizeof *Q);
    for (int j = 0; j < m; j++)
        Q[(size_t)j * (size_t)m + (size_t)j] = 1;
    for (int k = 0; k < n; k++) {
        double *v = A + (size_t)k * (size_t)m + k;
        const double largest = dfl_max_abs(v, m - k);
        for (int i = 0; largest > 0 && i < m - k; i++)
            v[i] /= largest;
        const double norm = sqrt(dot(v, v, m - k));
        if (v[0] > 0) /* the reflection turns v to -norm e_0: that column of Q changes its sign */
            Q[(size_t)k * (size_t)m + (size_t)k] = -1;
        v[0] += v[0] > 0 ? norm : -norm;
        s[k] = norm > 0 ? 2 / dot(v, v, m - k) : 0;
        for (int j = k + 1; j < n; j++)
            reflect_by(A + (size_t)j * (size_t)m + k, v, s[k], m - k);
    }
    for (int j = 0; j < m; j++)
        for (int k = n - 1; k >= 0; k--)
            reflect_by(Q + (size_t)j * (size_t)m + k, A + (size_t)k * (size_t)m + k, s[k], m - k);
}

static void transpose(double *At, const double *A, int m, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            At[(size_t)i * (size_t)n + (size_t)j] = A[(size_t)j * (size_t)m + (size_t)i];
}

static void transpose_square(double *A, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double t = A[i + j * n];
            A[i + j * n] = A[j + i * n];
            A[j + i * n] = t;
        }
}

bool dfl_jacobi_all(double *W, int n, int m, double *values, double *U, double *VT, double *work)
{
    const bool tall = n >= m;
    const int rows = tall ? n : m, columns = tall ? m : n;
    double *A = work, *V = tall ? VT : U, *Q = tall ? U : VT;
    if (tall)
        memcpy(A, W, (size_t)n * (size_t)m * sizeof *A);
    else
        transpose(A, W, n, m);
    if (!dfl_jacobi(A, rows, columns, V, values))
        return false;
    complete_basis(Q, A, rows, columns, W); /* W has room for its scalars */
    transpose_square(VT, m);
    return true;
}

int dfl_jacobi_work(int m, int n)
{
    const int least = m < n ? m : n;
    return m * n + least * least + 2 * least;
}

/* With A V = (u_k s_k): A^+ b = sum v_k (a_k^T b) / s_k^2; transposed, a_k and v_k exchange their
   places. */
bool dfl_jacobi_solve(double *B, int ldb, int count, double *A, int m, int n, double tolerance,
                      int *rank, double *work)
{
    const bool tall = m >= n;
    const int rows = tall ? m : n, columns = tall ? n : m;
    double *T = work, *V = T + m * n, *s = V + columns * columns, *y = s + columns;
    *rank = 0;
    if (tall)
        memcpy(T, A, (size_t)m * (size_t)n * sizeof *T);
    else
        transpose(T, A, m, n);
    if (!dfl_jacobi(T, rows, columns, V, s))
        return false;
    while (*rank < columns && s[*rank] > tolerance * s[0])
        ++*rank;
    for (int c = 0; c < count; c++) {
        double *b = B + (size_t)c * (size_t)ldb;
        for (int k = 0; k < *rank; k++) {
            const double *from = tall ? T + (size_t)k * (size_t)rows : V + k * columns;
            y[k] = dot(from, b, m) / s[k] / s[k];
        }
        memset(b, 0, (size_t)n * sizeof *b);
        for (int k = 0; k < *rank; k++) {
            const double *to = tall ? V + k * columns : T + (size_t)k * (size_t)rows;
            for (int i = 0; i < n; i++)
                b[i] += to[i] * y[k];
        }
    }
    return true;
}
