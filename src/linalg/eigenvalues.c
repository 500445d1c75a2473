/* eigenvalues.c: the eigenvalues of a general matrix, without vectors: by LAPACK's dgeev, or by our
   own elimination to Hessenberg form and double steps of QR (Golub and Van Loan, Matrix
   Computations, 4th ed., sections 7.4 and 7.5; EISPACK's elmhes and hqr). */
#include "linalg/lapack_internal.h"
#include "linalg/linalg.h"

#include <float.h>
#include <math.h>

#if DFL_LAPACK

bool dfl_eigenvalues(double *re, double *im, double *A, int n, double *work)
{
    return n == 0 || (dfl_all_finite(A, n * n) &&
                      LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, re, im, NULL, 1, NULL,
                                         1, work, DFL_EIGENVALUES_WORK(n)) == 0);
}

#else

enum { MOST_ITERATIONS = 60 };

typedef struct matrix {
    double *A;
    int n;
} matrix;

static double *at(const matrix *m, int i, int j)
{
    return m->A + i + (size_t)j * (size_t)m->n;
}

/* Zeros below the first subdiagonal, by elimination with pivots: similar to A. */
static void to_hessenberg(const matrix *m)
{
    const int n = m->n;
    for (int k = 1; k < n - 1; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            pivot = fabs(*at(m, i, k - 1)) > fabs(*at(m, pivot, k - 1)) ? i : pivot;
        const double x = *at(m, pivot, k - 1);
        if (x == 0)
            continue;
        for (int j = k - 1; pivot != k && j < n; j++) {
            const double t = *at(m, pivot, j);
            *at(m, pivot, j) = *at(m, k, j);
            *at(m, k, j) = t;
        }
        for (int i = 0; pivot != k && i < n; i++) {
            const double t = *at(m, i, pivot);
            *at(m, i, pivot) = *at(m, i, k);
            *at(m, i, k) = t;
        }
        for (int i = k + 1; i < n; i++) {
            const double y = *at(m, i, k - 1) / x;
            *at(m, i, k - 1) = 0;
            for (int j = k; y != 0 && j < n; j++)
                *at(m, i, j) -= y * *at(m, k, j);
            for (int j = 0; y != 0 && j < n; j++)
                *at(m, j, k) += y * *at(m, j, i);
        }
    }
}

/* The first row of the last block that does not fall apart, up to row `last`. */
static int block_start(const matrix *m, int last, double norm)
{
    int l = last;
    for (; l > 0; l--) {
        double size = fabs(*at(m, l - 1, l - 1)) + fabs(*at(m, l, l));
        size = size > 0 ? size : norm;
        if (fabs(*at(m, l, l - 1)) <= DBL_EPSILON * size)
            break;
    }
    if (l > 0)
        *at(m, l, l - 1) = 0;
    return l;
}

/* The eigenvalues of the block of order 2 that ends at row `last`. */
static void two_by_two(double *re, double *im, const matrix *m, int last, double shift)
{
    const double x = *at(m, last, last), y = *at(m, last - 1, last - 1);
    const double w = *at(m, last, last - 1) * *at(m, last - 1, last);
    const double p = (y - x) / 2, q = p * p + w, root = sqrt(fabs(q));
    im[last] = im[last - 1] = 0;
    if (q >= 0) {
        const double z = p + copysign(root, p);
        re[last - 1] = re[last] = x + shift + z;
        if (z != 0)
            re[last] = x + shift - w / z;
    } else {
        re[last - 1] = re[last] = x + shift + p;
        im[last - 1] = root;
        im[last] = -root;
    }
}

/* The row of l .. last at which a double step of QR with the shifts (x, y, w) may begin, since two
   entries in front of it are small; v: the first column of the product of the shifted matrices. */
static int first_row(double *v, const matrix *m, int l, int last, double x, double y, double w)
{
    for (int k = last - 2;; k--) {
        const double z = *at(m, k, k), s = x - z, u = y - z;
        v[0] = (s * u - w) / *at(m, k + 1, k) + *at(m, k, k + 1);
        v[1] = *at(m, k + 1, k + 1) - z - s - u;
        v[2] = *at(m, k + 2, k + 1);
        const double size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
        for (int i = 0; i < 3; i++)
            v[i] /= size;
        if (k == l)
            return k;
        const double around = fabs(*at(m, k - 1, k - 1)) + fabs(z) + fabs(*at(m, k + 1, k + 1));
        if (fabs(*at(m, k, k - 1)) * (fabs(v[1]) + fabs(v[2])) <= DBL_EPSILON * fabs(v[0]) * around)
            return k;
    }
}

/* Rows k, k+1 (and k+2, if three) and columns l .. : x := (I - a b^T) x from both sides. */
static void reflect_rows(const matrix *m, int k, int l, int last, bool three, const double *a,
                         const double *b)
{
    const int count = three ? 3 : 2, end = last < k + 3 ? last : k + 3;
    for (int j = k; j <= last; j++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += b[i] * *at(m, k + i, j);
        for (int i = 0; i < count; i++)
            *at(m, k + i, j) -= sum * a[i];
    }
    for (int i = l; i <= end; i++) {
        double sum = 0;
        for (int j = 0; j < count; j++)
            sum += a[j] * *at(m, i, k + j);
        for (int j = 0; j < count; j++)
            *at(m, i, k + j) -= sum * b[j];
    }
}

/* One double step of QR on rows l .. last, with shifts of sum x + y and product x y - w. */
static void double_step(const matrix *m, int l, int last, double x, double y, double w)
{
    double v[3];
    const int first = first_row(v, m, l, last, x, y, w);
    for (int i = first + 2; i <= last; i++) {
        *at(m, i, i - 2) = 0;
        if (i > first + 2)
            *at(m, i, i - 3) = 0;
    }
    for (int k = first; k < last; k++) {
        const bool three = k != last - 1;
        double size = 1;
        if (k != first) {
            for (int i = 0; i < 3; i++)
                v[i] = i < 2 || three ? *at(m, k + i, k - 1) : 0;
            size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
            if (size == 0)
                continue;
            for (int i = 0; i < 3; i++)
                v[i] /= size;
        }
        const double s = copysign(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), v[0]);
        if (k != first)
            *at(m, k, k - 1) = -s * size;
        else if (l != first)
            *at(m, k, k - 1) = -*at(m, k, k - 1);
        v[0] += s;
        const double a[3] = {v[0] / s, v[1] / s, v[2] / s};
        const double b[3] = {1, v[1] / v[0], v[2] / v[0]};
        reflect_rows(m, k, l, last, three, a, b);
    }
}

bool dfl_eigenvalues(double *re, double *im, double *A, int n, double *work)
{
    const matrix m = {A, n};
    const double norm = dfl_max_abs(A, n * n);
    double shift = 0;
    (void)work;
    if (!dfl_all_finite(A, n * n))
        return false;
    to_hessenberg(&m);
    for (int last = n - 1, iterations = 0; last >= 0;) {
        const int l = block_start(&m, last, norm);
        double x = *at(&m, last, last);
        if (l == last) {
            re[last] = x + shift;
            im[last--] = 0;
            iterations = 0;
            continue;
        }
        double y = *at(&m, last - 1, last - 1);
        double w = *at(&m, last, last - 1) * *at(&m, last - 1, last);
        if (l == last - 1) {
            two_by_two(re, im, &m, last, shift);
            last -= 2;
            iterations = 0;
            continue;
        }
        if (++iterations > MOST_ITERATIONS)
            return false;
        if (iterations % 10 == 0) { /* an exceptional shift, where steps repeat themselves */
            shift += x;
            for (int i = 0; i <= last; i++)
                *at(&m, i, i) -= x;
            const double s = fabs(*at(&m, last, last - 1)) + fabs(*at(&m, last - 1, last - 2));
            x = y = 0.75 * s;
            w = -0.4375 * s * s;
        }
        double_step(&m, l, last, x, y, w);
    }
    return true;
}

#endif
