/* products.c: products of small matrices, and products with four stages at once.

   Below the measured limits our own loops win because a BLAS call costs more than the arithmetic
   (bench/bench_linalg.c prints both). The loops keep a block of results in registers and run
   through the inner dimension once, which is the innermost kernel of Goto and van de Geijn, Anatomy
   of high-performance matrix multiplication, ACM TOMS 34 (2008), without its packing. gcc makes a
   second version of them for processors with AVX and FMA, chosen when the library is loaded. */
#include "linalg.h"

#include <cblas.h>

/* m n k up to which our product is used. It is as fast as BLAS up to order 32 (bench/bench_linalg.c),
   whole runs of larger models did not differ, and OpenBLAS takes memory for products up to this
   size, which an integration must not. */
enum { GEMM_LIMIT = 1000000 };

/* Two and four doubles that need no alignment and may alias other doubles. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* gcc only: clang 14 gives the chosen version another name than other files call. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("fma", "default")))
#else
#define WIDE
#endif

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
static inline __attribute__((always_inline)) void gemm_eight(int columns, int k, double alpha,
                                                             const double *A, int lda,
                                                             const double *B, int ldb, double beta,
                                                             double *C, int ldc)
{
    const quad zero = {0};
    quad low[4] = {zero, zero, zero, zero}, high[4] = {zero, zero, zero, zero};
    for (int l = 0; l < k; l++) {
        const double *a = A + (long)l * lda;
        const quad a0 = *(const quad *)a, a1 = *(const quad *)(a + 4);
        for (int j = 0; j < columns; j++) {
            low[j] += a0 * B[(long)j * ldb + l];
            high[j] += a1 * B[(long)j * ldb + l];
        }
    }
    for (int j = 0; j < columns; j++) {
        quad *c = (quad *)(C + (long)j * ldc), *d = (quad *)(C + (long)j * ldc + 4);
        *c = beta == 0 ? alpha * low[j] : alpha * low[j] + beta * *c;
        *d = beta == 0 ? alpha * high[j] : alpha * high[j] + beta * *d;
    }
}

static inline __attribute__((always_inline)) void gemm_columns(int columns, int m, int k,
                                                               double alpha, const double *A,
                                                               int lda, const double *B, int ldb,
                                                               double beta, double *C, int ldc)
{
    int i = 0;
    for (; i + 8 <= m; i += 8)
        gemm_eight(columns, k, alpha, A + i, lda, B, ldb, beta, C + i, ldc);
    for (; i + 4 <= m; i += 4)
        GEMM_ROWS(quad);
    if (m - i >= 2) {
        GEMM_ROWS(pair);
        i += 2;
    }
    if (i < m)
        GEMM_ROWS(double);
}

WIDE static void small_gemm(int m, int n, int k, double alpha, const double *A, int lda,
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

void dfl_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
              double beta, double *C, int ldc)
{
    if (m == 0 || n == 0)
        return;
    if ((long)m * n * k <= GEMM_LIMIT)
        small_gemm(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta,
                    C, ldc);
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
    if ((long)m * n * k <= GEMM_LIMIT)
        small_gemm_tn(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    else
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta,
                    C, ldc);
}

/* `rows` (a constant for the compiler) lanes of Y, held in registers. */
static inline __attribute__((always_inline)) void lanes_rows(int rows, double *Y, const double *A,
                                                             int lda, int n, const double *X)
{
    quad sum[4] = {{0}, {0}, {0}, {0}};
    for (int j = 0; j < n; j++) {
        const quad x = *(const quad *)(X + j * DFL_LANES);
        for (int i = 0; i < rows; i++)
            sum[i] += A[(long)j * lda + i] * x;
    }
    for (int i = 0; i < rows; i++)
        *(quad *)(Y + i * DFL_LANES) = sum[i];
}

WIDE void dfl_lanes_mul(double *Y, const double *A, int lda, int m, int n, const double *X)
{
    int i = 0;
    for (; i + 4 <= m; i += 4)
        lanes_rows(4, Y + i * DFL_LANES, A + i, lda, n, X);
    if (m - i >= 2) {
        lanes_rows(2, Y + i * DFL_LANES, A + i, lda, n, X);
        i += 2;
    }
    if (i < m)
        lanes_rows(1, Y + i * DFL_LANES, A + i, lda, n, X);
}

WIDE void dfl_lanes_transform(double *Y, const double *M, int n, const double *X)
{
    const quad m0 = *(const quad *)M, m1 = *(const quad *)(M + 4), m2 = *(const quad *)(M + 8),
               m3 = *(const quad *)(M + 12);
    for (int i = 0; i < n; i++, X += DFL_LANES, Y += DFL_LANES)
        *(quad *)Y = X[0] * m0 + X[1] * m1 + X[2] * m2 + X[3] * m3;
}

WIDE void dfl_lanes_add(double *Y, int n, const double *X)
{
    for (int i = 0; i < n; i++, X += DFL_LANES, Y += DFL_LANES)
        *(quad *)Y += *(const quad *)X;
}

WIDE double dfl_lanes_squares(const double *X, int n, const double *weight)
{
    quad sum = {0};
    for (int i = 0; i < n; i++, X += DFL_LANES) {
        const quad x = *(const quad *)X * weight[i];
        sum += x * x;
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* With three stages, the rule, the stages stay in registers. */
static inline __attribute__((always_inline)) void
gather_stages(int stages, double *Y, const double *M, int n, const double *const *stage,
              const double *X, const double *weight)
{
    const double *const s0 = stage[0], *const s1 = stages > 1 ? stage[1] : s0,
                        *const s2 = stages > 2 ? stage[2] : s0;
    const quad m0 = *(const quad *)M, m1 = *(const quad *)(M + 4), m2 = *(const quad *)(M + 8);
    for (int i = 0; i < n; i++, Y += DFL_LANES) {
        quad y = s0[i] * m0;
        if (stages > 1)
            y += s1[i] * m1;
        if (stages > 2)
            y += s2[i] * m2;
        for (int k = 3; k < stages; k++)
            y += stage[k][i] * *(const quad *)(M + k * DFL_LANES);
        if (weight)
            y -= weight[i] * *(const quad *)(X + i * DFL_LANES);
        else if (X)
            y -= *(const quad *)(X + i * DFL_LANES);
        *(quad *)Y = y;
    }
}

WIDE void dfl_lanes_gather(double *Y, const double *M, int n, const double *const *stage,
                           int stages, const double *X, const double *weight)
{
    if (stages == 3)
        gather_stages(3, Y, M, n, stage, X, weight);
    else
        gather_stages(stages, Y, M, n, stage, X, weight);
}
