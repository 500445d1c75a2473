/* kernels.c: products of small matrices, products with four stages at once, and Cholesky.

   Below the measured limits our own loops win because a BLAS call costs more than the arithmetic
   (bench/bench_linalg.c prints both). The loops keep a block of results in registers and run
   through the inner dimension once, which is the innermost kernel of Goto and van de Geijn, Anatomy
   of high-performance matrix multiplication, ACM TOMS 34 (2008), without its packing. */
#include "linalg.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>

enum {
    GEMM_LIMIT = 64,     /* m n k up to which our product is faster ... */
    GEMM_TN_LIMIT = 150, /* ... and the same with A^T */
    LANES_LIMIT = 120,   /* m n */
    CHOLESKY_LIMIT = 16  /* n */
};

static void small_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B,
                       int ldb, double beta, double *C, int ldc);
static void small_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda,
                          const double *B, int ldb, double beta, double *C, int ldc);
static void lanes_product(double *Y, const double *A, int lda, int m, int n, const double *X,
                          bool add);
static bool small_cholesky(double *A, int n);
static bool large_cholesky(double *A, int n);

void dfl_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
              double beta, double *C, int ldc)
{
    if ((long)m * n * k <= GEMM_LIMIT)
        small_gemm(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta,
                    C, ldc);
}

void dfl_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B,
                 int ldb, double beta, double *C, int ldc)
{
    if ((long)m * n * k <= GEMM_TN_LIMIT)
        small_gemm_tn(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    else
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta,
                    C, ldc);
}

/* The lanes are a column-major 4 x n matrix, so Y = A X reads Y = X A^T for BLAS. */
void dfl_lanes_mul(double *Y, const double *A, int lda, int m, int n, const double *X)
{
    if (m * n <= LANES_LIMIT)
        lanes_product(Y, A, lda, m, n, X, false);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, DFL_LANES, m, n, 1.0, X, DFL_LANES, A,
                    lda, 0.0, Y, DFL_LANES);
}

void dfl_lanes_mul_add(double *Y, const double *A, int lda, int m, int n, const double *X)
{
    if (m * n <= LANES_LIMIT)
        lanes_product(Y, A, lda, m, n, X, true);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, DFL_LANES, m, n, 1.0, X, DFL_LANES, A,
                    lda, 1.0, Y, DFL_LANES);
}

bool dfl_cholesky(double *A, int n)
{
    return n <= CHOLESKY_LIMIT ? small_cholesky(A, n) : large_cholesky(A, n);
}

void dfl_cholesky_solve(const double *L, int n, double *b)
{
    if (n > CHOLESKY_LIMIT) {
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, L, n, b, 1);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, L, n, b, 1);
        return;
    }
    for (int j = 0; j < n; j++) { /* L y = b */
        const double *Lj = L + j * n;
        b[j] /= Lj[j];
        for (int i = j + 1; i < n; i++)
            b[i] -= Lj[i] * b[j];
    }
    for (int j = n - 1; j >= 0; j--) { /* L^T x = y */
        const double *Lj = L + j * n;
        double sum = b[j];
        for (int i = j + 1; i < n; i++)
            sum -= Lj[i] * b[i];
        b[j] = sum / Lj[j];
    }
}

/* beta = 0 means that C is not read, as in BLAS. */
static inline void store(double *c, double alpha, double sum, double beta)
{
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

/* A block of `rows` x `columns` (constants for the compiler) entries of C. */
static inline void gemm_block(int rows, int columns, int k, double alpha, const double *restrict A,
                              int lda, const double *restrict B, int ldb, double beta,
                              double *restrict C, int ldc)
{
    double sum[2][4] = {{0}};
    for (int l = 0; l < k; l++)
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < rows; i++)
                sum[j][i] += A[l * lda + i] * B[j * ldb + l];
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            store(C + j * ldc + i, alpha, sum[j][i], beta);
}

static inline void gemm_columns(int m, int columns, int k, double alpha, const double *A, int lda,
                                const double *B, int ldb, double beta, double *C, int ldc)
{
    int i = 0;
    for (; i + 4 <= m; i += 4)
        gemm_block(4, columns, k, alpha, A + i, lda, B, ldb, beta, C + i, ldc);
    if (m - i >= 2) {
        gemm_block(2, columns, k, alpha, A + i, lda, B, ldb, beta, C + i, ldc);
        i += 2;
    }
    if (i < m)
        gemm_block(1, columns, k, alpha, A + i, lda, B, ldb, beta, C + i, ldc);
}

static void small_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B,
                       int ldb, double beta, double *C, int ldc)
{
    int j = 0;
    for (; j + 2 <= n; j += 2)
        gemm_columns(m, 2, k, alpha, A, lda, B + j * ldb, ldb, beta, C + j * ldc, ldc);
    if (j < n)
        gemm_columns(m, 1, k, alpha, A, lda, B + j * ldb, ldb, beta, C + j * ldc, ldc);
}

static void small_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda,
                          const double *B, int ldb, double beta, double *C, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            const double *a = A + i * lda, *b = B + j * ldb;
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[l] * b[l];
            store(C + i + j * ldc, alpha, sum, beta);
        }
}

/* `rows` (a constant for the compiler) lanes of Y, held in registers. */
static inline void lanes_rows(int rows, double *restrict Y, const double *restrict A, int lda,
                              int n, const double *restrict X, bool add)
{
    double sum[2][DFL_LANES] = {{0}};
    if (add)
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < DFL_LANES; k++)
                sum[i][k] = Y[i * DFL_LANES + k];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < DFL_LANES; k++)
                sum[i][k] += A[j * lda + i] * X[j * DFL_LANES + k];
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < DFL_LANES; k++)
            Y[i * DFL_LANES + k] = sum[i][k];
}

static inline void lanes_product(double *Y, const double *A, int lda, int m, int n, const double *X,
                                 bool add)
{
    int i = 0;
    for (; i + 2 <= m; i += 2)
        lanes_rows(2, Y + i * DFL_LANES, A + i, lda, n, X, add);
    if (i < m)
        lanes_rows(1, Y + i * DFL_LANES, A + i, lda, n, X, add);
}

/* A pivot that has lost all digits of the diagonal entry it came from carries no sign any more: n
   subtractions of squares, each with a few roundings, leave 10 n eps. False for NaN. */
static bool is_positive(double pivot, double diagonal, int n)
{
    return pivot > 10 * n * DBL_EPSILON * diagonal && pivot <= DBL_MAX;
}

/* Column by column, each taking what the columns to its left contribute (left-looking). */
static bool small_cholesky(double *A, int n)
{
    for (int j = 0; j < n; j++) {
        double *Aj = A + j * n;
        const double diagonal = Aj[j];
        for (int k = 0; k < j; k++)
            for (int i = j; i < n; i++)
                Aj[i] -= A[k * n + i] * A[k * n + j];
        if (!is_positive(Aj[j], diagonal, n))
            return false;
        Aj[j] = sqrt(Aj[j]);
        const double inverse = 1 / Aj[j];
        for (int i = j + 1; i < n; i++)
            Aj[i] *= inverse;
    }
    return true;
}

/* The diagonal entry that a pivot came from is the squared norm of its row of L. */
static bool large_cholesky(double *A, int n)
{
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n) != 0)
        return false;
    for (int i = 0; i < n; i++) {
        const double norm = cblas_dnrm2(i + 1, A + i, n);
        if (!is_positive(A[i * n + i] * A[i * n + i], norm * norm, n))
            return false;
    }
    return true;
}
