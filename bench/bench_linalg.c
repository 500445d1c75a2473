/* bench_linalg: nanoseconds per call of our loops beside BLAS and LAPACK, for n = 1..32.

   The limits in src/linalg (GEMM_LIMIT, LANES_LIMIT, CHOLESKY_LIMIT, DFL_SMALL_ORDER, SPLIT_SMALL)
   stand where the two columns cross. Our columns show the library as it is, so beyond a limit both
   are the same code. Run it with OPENBLAS_NUM_THREADS=1. */
#define _POSIX_C_SOURCE 199309L

#include "../src/linalg/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX = 32 };

/* Everything a measured call may read or write. */
typedef struct bench {
    int n;
    double A[2 * MAX * MAX], B[2 * MAX * MAX], C[2 * MAX * MAX], b[2 * MAX];
    lapack_int swap[MAX];
    dfl_factor *factor, *zfactor;
    dfl_split *split;
    dfl_split_rule rule;
} bench;

typedef void (*bench_fn)(bench *s);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* The best of 30 runs of at least 0.1 ms: interruptions only ever add time. */
static double nanoseconds(bench_fn call, bench *s)
{
    long count = 16;
    double best = 0;
    for (int run = 0; run < 30;) {
        const double start = now();
        for (long i = 0; i < count; i++)
            call(s);
        const double elapsed = now() - start;
        if (elapsed < 1e5) {
            count *= 2;
            continue;
        }
        const double each = elapsed / (double)count;
        best = run == 0 || each < best ? each : best;
        run++;
    }
    return best;
}

static void our_lanes(bench *s)
{
    dfl_lanes_mul(s->C, 4, s->A, s->n, s->n, s->B);
}

static void blas_lanes(bench *s)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, 4, s->n, s->n, 1.0, s->B, 4, s->A, s->n,
                0.0, s->C, 4);
}

static void our_gemm(bench *s)
{
    dfl_gemm(s->n, s->n, s->n, 1.0, s->A, s->n, s->B, s->n, 0.0, s->C, s->n);
}

static void our_gemm_tn(bench *s)
{
    dfl_gemm_tn(s->n, s->n, s->n, 1.0, s->A, s->n, s->B, s->n, 0.0, s->C, s->n);
}

static void blas_gemm(bench *s)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, s->n, s->n, s->n, 1.0, s->A, s->n, s->B,
                s->n, 0.0, s->C, s->n);
}

static void our_factor(bench *s, dfl_factor *factor, size_t width, dfl_method method)
{
    const size_t n = (size_t)s->n;
    memcpy(dfl_factor_matrix(factor), s->A, width * n * n * sizeof *s->A);
    if (!dfl_factor_compute(factor, s->n, method))
        abort();
    memcpy(s->b, s->B, width * n * sizeof *s->b);
    dfl_factor_solve(factor, s->b);
}

static void our_lu(bench *s)
{
    our_factor(s, s->factor, 1, DFL_METHOD_LU);
}

static void our_complex_lu(bench *s)
{
    our_factor(s, s->zfactor, 2, DFL_METHOD_LU);
}

static void our_qr(bench *s)
{
    our_factor(s, s->factor, 1, DFL_METHOD_QR);
}

static void our_solve(bench *s)
{
    dfl_factor_solve(s->factor, s->b);
    memcpy(s->b, s->B, (size_t)s->n * sizeof *s->b);
}

static void our_complex_solve(bench *s)
{
    dfl_factor_solve(s->zfactor, s->b);
    memcpy(s->b, s->B, (size_t)s->n * 2 * sizeof *s->b);
}

static void lapack_lu(bench *s)
{
    const size_t n = (size_t)s->n;
    memcpy(s->C, s->A, n * n * sizeof *s->A);
    LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, s->n, s->n, s->C, s->n, s->swap);
    memcpy(s->b, s->B, n * sizeof *s->b);
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', s->n, 1, s->C, s->n, s->swap, s->b, s->n);
}

static void lapack_complex_lu(bench *s)
{
    const size_t n = (size_t)s->n;
    lapack_complex_double *C = (lapack_complex_double *)(void *)s->C;
    lapack_complex_double *b = (lapack_complex_double *)(void *)s->b;
    memcpy(s->C, s->A, 2 * n * n * sizeof *s->A);
    LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, s->n, s->n, C, s->n, s->swap);
    memcpy(s->b, s->B, 2 * n * sizeof *s->b);
    LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, 'N', s->n, 1, C, s->n, s->swap, b, s->n);
}

/* A diagonally dominant matrix costs as much as any positive definite one. */
static void fill_definite(bench *s)
{
    memcpy(s->C, s->A, (size_t)(s->n * s->n) * sizeof *s->A);
    for (int i = 0; i < s->n; i++)
        s->C[i * (s->n + 1)] = MAX;
}

static void our_cholesky(bench *s)
{
    fill_definite(s);
    if (!dfl_cholesky(s->C, s->n))
        abort();
}

static void lapack_cholesky(bench *s)
{
    fill_definite(s);
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', s->n, s->C, s->n);
}

static void our_split(bench *s)
{
    const int m = (s->n + 1) / 2;
    if (!dfl_split_compute(s->split, &s->rule, s->A, m, m, s->n))
        abort();
}

/* The steps that the split's LAPACK branch takes, without forming the right inverse. */
static void lapack_split(bench *s)
{
    static double work[64 * MAX], tau[MAX];
    const int n = s->n, m = (n + 1) / 2;
    memcpy(s->C, s->A, (size_t)(n * m) * sizeof *s->A);
    memset(s->swap, 0, sizeof s->swap);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, s->C, n, s->swap, tau, work, 64 * MAX);
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, n, m, s->C, n, tau, work, 64 * MAX);
}

static double split_time(bench *s, dfl_method method)
{
    s->rule = (dfl_split_rule){.method = method, .tolerance = 1e-12, .rank = -1};
    return nanoseconds(our_split, s);
}

static void print_row(bench *s)
{
    printf("%3d |%6.0f%6.0f |%7.0f%7.0f%7.0f |%7.0f%7.0f |%7.0f%7.0f |%7.0f", s->n,
           nanoseconds(our_lanes, s), nanoseconds(blas_lanes, s), nanoseconds(our_gemm, s),
           nanoseconds(our_gemm_tn, s), nanoseconds(blas_gemm, s), nanoseconds(our_lu, s),
           nanoseconds(lapack_lu, s), nanoseconds(our_complex_lu, s),
           nanoseconds(lapack_complex_lu, s), nanoseconds(our_qr, s));
    our_lu(s);
    our_complex_lu(s);
    printf(" |%5.0f%6.0f", nanoseconds(our_solve, s), nanoseconds(our_complex_solve, s));
    printf(" |%6.0f%7.0f", nanoseconds(our_cholesky, s), nanoseconds(lapack_cholesky, s));
    printf(" |%7.0f%7.0f%7.0f%7.0f\n", split_time(s, DFL_METHOD_LU), split_time(s, DFL_METHOD_QR),
           nanoseconds(lapack_split, s), split_time(s, DFL_METHOD_SVD));
}

int main(void)
{
    static bench s;
    dfl_context *ctx = dfl_context_create();
    if (!ctx || dfl_factor_create(&s.factor, ctx, MAX, false) ||
        dfl_factor_create(&s.zfactor, ctx, MAX, true) || dfl_split_create(&s.split, ctx, MAX, MAX))
        return 1;
    for (int i = 0; i < 2 * MAX * MAX; i++) {
        s.A[i] = (double)rand() / RAND_MAX - 0.5;
        s.B[i] = (double)rand() / RAND_MAX - 0.5;
    }
    printf("ns per call; factor columns include one solve; split: m = (n + 1) / 2\n");
    printf("    | lanes       | gemm                 | real LU       | complex LU    | QR    "
           " | solve      | Cholesky     | split\n");
    printf("  n |  ours  BLAS |   ours     tn   BLAS |   ours LAPACK |   ours LAPACK |   ours"
           " | real compl |  ours LAPACK |     LU     QR LAPACK    SVD\n");
    for (s.n = 1; s.n <= MAX; s.n += s.n < 6 ? 1 : 2)
        print_row(&s);
    dfl_split_free(s.split, ctx);
    dfl_factor_free(s.zfactor, ctx);
    dfl_factor_free(s.factor, ctx);
    dfl_context_free(ctx);
    return 0;
}
