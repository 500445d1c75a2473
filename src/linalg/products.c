/* products.c: products of small matrices.

   Below the measured limits our own loops are faster because a BLAS call costs more than the
   arithmetic (bench/bench_linalg.c prints both). The loops keep a block of results in registers and
   run through the inner dimension once. This is the innermost kernel of Goto and van de Geijn,
   Anatomy of high-performance matrix multiplication, ACM TOMS 34 (2008), without its packing. For
   these loops gcc makes a second version for processors with AVX and FMA, chosen when the library
   is loaded. */
#include "linalg/lapack_internal.h"
#include "linalg/linalg.h"

/* m n k up to which our product is used. It is as fast as BLAS up to order 32
   (bench/bench_linalg.c), whole runs of larger models take the same time, and OpenBLAS allocates
   memory for products up to this size, which must not happen during an integration. */
#if DFL_LAPACK
enum { GEMM_LIMIT = 1000000 };
#endif

enum { SHORT_ROW = 4 }; /* products in an entry of a single row */

/* `columns` (1 to 4, a constant for the compiler) columns of as many rows of C as TYPE has entries;
   A and C point to the first row. */
#define GEMM_ROWS(TYPE)                                                                            \
    do {                                                                                           \
        TYPE sum[4] = {(TYPE){0}, (TYPE){0}, (TYPE){0}, (TYPE){0}};                                \
        for (int l = 0; l < k; l++) {                                                              \
            const TYPE a = *(const TYPE *)(A + (long)l * lda + i);                                 \
            for (int j = 0; j < columns; j++)                                                      \
                sum[j] += a * B[(long)j * ldb + l];                                                \
        }                                                                                          \
        for (int j = 0; j < columns; j++) {                                                        \
            TYPE *c = (TYPE *)(C + (long)j * ldc + i);                                             \
            *c = beta == 0 ? alpha * sum[j] : alpha * sum[j] + beta * *c;                          \
        }                                                                                          \
    } while (0)

/* The same for eight rows: eight sums hide the latency of a fused product. */
static DFL_INLINE void gemm_eight(int columns, int k, double alpha, const double *A, int lda,
                                  const double *B, int ldb, double beta, double *C, int ldc)
{
    const dfl_quad zero = {0};
    dfl_quad low[4] = {zero, zero, zero, zero}, high[4] = {zero, zero, zero, zero};
    for (int l = 0; l < k; l++) {
        const double *a = A + (long)l * lda;
        const dfl_quad a0 = *(const dfl_quad *)a, a1 = *(const dfl_quad *)(a + 4);
        for (int j = 0; j < columns; j++) {
            low[j] += a0 * B[(long)j * ldb + l];
            high[j] += a1 * B[(long)j * ldb + l];
        }
    }
    for (int j = 0; j < columns; j++) {
        dfl_quad *c = (dfl_quad *)(C + (long)j * ldc), *d = (dfl_quad *)(C + (long)j * ldc + 4);
        *c = beta == 0 ? alpha * low[j] : alpha * low[j] + beta * *c;
        *d = beta == 0 ? alpha * high[j] : alpha * high[j] + beta * *d;
    }
}

static DFL_INLINE void gemm_columns(int columns, int m, int k, double alpha, const double *A,
                                    int lda, const double *B, int ldb, double beta, double *C,
                                    int ldc)
{
    int i = 0;
    for (; i + 8 <= m; i += 8)
        gemm_eight(columns, k, alpha, A + i, lda, B, ldb, beta, C + i, ldc);
    for (; i + 4 <= m; i += 4)
        GEMM_ROWS(dfl_quad);
    if (m - i >= 2) {
        GEMM_ROWS(dfl_pair);
        i += 2;
    }
    if (i < m)
        GEMM_ROWS(double);
}

DFL_WIDE static void small_gemm(int m, int n, int k, double alpha, const double *A, int lda,
                                const double *B, int ldb, double beta, double *C, int ldc)
{
    int j = 0;
    for (; j + 4 <= n; j += 4)
        gemm_columns(4, m, k, alpha, A, lda, B + (long)j * ldb, ldb, beta, C + (long)j * ldc, ldc);
    if (n - j >= 2) {
        gemm_columns(2, m, k, alpha, A, lda, B + (long)j * ldb, ldb, beta, C + (long)j * ldc, ldc);
        j += 2;
    }
    if (j < n)
        gemm_columns(1, m, k, alpha, A, lda, B + (long)j * ldb, ldb, beta, C + (long)j * ldc, ldc);
}

/* One row of C with few products in each entry, as single constraints give: blocks would stay
   empty. */
static DFL_INLINE void row_of(int k, int n, double alpha, const double *A, int lda, const double *B,
                              int ldb, double beta, double *C, int ldc)
{
    double a[SHORT_ROW];
    for (int l = 0; l < k; l++)
        a[l] = alpha * A[(long)l * lda];
    for (int j = 0; j < n; j++, B += ldb, C += ldc) {
        double sum = 0;
        for (int l = 0; l < k; l++)
            sum += a[l] * B[l];
        *C = beta == 0 ? sum : sum + beta * *C;
    }
}

/* With k as a constant for the compiler: a third of the instructions of a loop over it. */
static void short_row(int n, int k, double alpha, const double *A, int lda, const double *B,
                      int ldb, double beta, double *C, int ldc)
{
    switch (k) {
    case 1:
        row_of(1, n, alpha, A, lda, B, ldb, beta, C, ldc);
        break;
    case 2:
        row_of(2, n, alpha, A, lda, B, ldb, beta, C, ldc);
        break;
    default:
        row_of(k, n, alpha, A, lda, B, ldb, beta, C, ldc);
    }
}

void dfl_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
              double beta, double *C, int ldc)
{
    if (m == 0 || n == 0)
        return;
    if (m == 1 && k <= SHORT_ROW) {
        short_row(n, k, alpha, A, lda, B, ldb, beta, C, ldc);
        return;
    }
#if DFL_LAPACK
    if ((long)m * n * k > GEMM_LIMIT) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta,
                    C, ldc);
        return;
    }
#endif
    small_gemm(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

static void small_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda,
                          const double *B, int ldb, double beta, double *C, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            const double *a = A + (long)i * lda, *b = B + (long)j * ldb;
            double *c = C + (long)j * ldc + i, sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[l] * b[l];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
}

void dfl_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B,
                 int ldb, double beta, double *C, int ldc)
{
#if DFL_LAPACK
    if ((long)m * n * k > GEMM_LIMIT) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta,
                    C, ldc);
        return;
    }
#endif
    small_gemm_tn(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
