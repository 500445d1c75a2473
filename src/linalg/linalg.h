/* linalg.h: linear algebra for the other modules. Dense matrices are column-major. Nothing here
   allocates after creation, except the functions for analyses; tiny sizes use our own loops, larger
   ones BLAS and LAPACK. */
#ifndef DFL_LINALG_H
#define DFL_LINALG_H

#include "linalg/simd.h"
#include "linalg/sparse.h"

#include <driftless/context.h>

#include <math.h>
#include <stdbool.h>

/* Whether none of the numbers is NaN or infinite. x - x is zero for finite x only; the loop has no
   branch, and its sums do not wait for each other. */
static inline bool dfl_all_finite(const double *x, int count)
{
    dfl_pair sum[2] = {{0}, {0}};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 2; k++)
            sum[k] += *(const dfl_pair *)(x + i + 2 * k) - *(const dfl_pair *)(x + i + 2 * k);
    sum[0] += sum[1];
    double rest = sum[0][0] + sum[0][1];
    for (; i < count; i++)
        rest += x[i] - x[i];
    return rest == 0;
}

/* The largest |x_i| of n numbers; 0 if there are none. NaN is ignored. */
static inline double dfl_max_abs(const double *x, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    return largest;
}

/* As dfl_max_abs, for numbers at the distance `stride`: a row of a matrix. */
static inline double dfl_max_abs_row(const double *x, int n, int stride)
{
    double largest = 0;
    for (int i = 0; i < n; i++, x += stride)
        largest = fabs(*x) > largest ? fabs(*x) : largest;
    return largest;
}

/* C (m x n) = alpha A (m x k) B (k x n) + beta C;  _tn: with A^T, A being k x m. */
void dfl_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
              double beta, double *C, int ldc);
void dfl_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B,
                 int ldb, double beta, double *C, int ldc);

/* As dfl_gemm, inlined. Single constraints give products of one row, and sums of one term, that
   take fewer instructions than a call of dfl_gemm: entries of at most two terms are computed
   here. beta is 0 or 1; like alpha, it is a constant for the compiler. */
static DFL_INLINE void dfl_product(int m, int n, int k, double alpha, const double *A, int lda,
                                   const double *B, int ldb, double beta, double *C, int ldc)
{
    if (m == 1 && k == 2) {
        const double a0 = alpha * A[0], a1 = alpha * A[lda];
        for (int j = 0; j < n; j++, B += ldb, C += ldc) {
            const double sum = a0 * B[0] + a1 * B[1];
            *C = beta == 0 ? sum : *C + sum;
        }
    } else if (m == 1 && k == 1) {
        const double a = alpha * *A;
        for (int j = 0; j < n; j++, B += ldb, C += ldc)
            *C = beta == 0 ? a * *B : *C + a * *B;
    } else if (k == 1) {
        for (int j = 0; j < n; j++, B += ldb, C += ldc) {
            const double b = alpha * *B;
            for (int i = 0; i < m; i++)
                C[i] = beta == 0 ? A[i] * b : C[i] + A[i] * b;
        }
    } else {
        dfl_gemm(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    }
}

/* Vectors of stages, "lanes": component i of stage k at [i*width + k]. Methods of up to four
   stages have lanes of width 4, others, up to DFL_LANES, of width 8; those not in use are zero.
   Matrices M over the stages are stored by columns of that width. */
enum { DFL_LANES = 8 };
static inline int dfl_lanes_width(int stages)
{
    return stages <= 4 ? 4 : 8;
}

/* Y (m lanes) = A (m x n) X (n lanes). Y does not overlap X. */
void dfl_lanes_mul(double *Y, int width, const double *A, int m, int n, const double *X);

/* Y_i = M X_i for each of n components; 1, 3, 5 or 7 stages. Y may be X. */
void dfl_lanes_transform(double *Y, int stages, const double *M, int n, const double *X);

/* Numbers that multiply lanes: a real one lane 0, complex ones the pairs of lanes after it, as real
   and imaginary part. */
typedef struct dfl_shifts {
    double re[DFL_LANES]; /* of each lane */
    double im[DFL_LANES]; /* of each lane; negative in the lane of the real part */
} dfl_shifts;

/* zeta: the real number, then real and imaginary parts; 1, 3, 5 or 7 in all. The lanes after them
   have the real number, so that they are regular if it is. */
void dfl_shifts_set(dfl_shifts *shifts, int stages, const double *zeta);

/* Y_i = zeta X_i for n components. */
void dfl_lanes_shift(double *Y, int width, const dfl_shifts *zeta, int n, const double *X);

/* Y (m lanes) -= (zeta A - B) X (n lanes), A and B m x n. Y does not overlap X. */
void dfl_lanes_mul_shifted(double *Y, int width, const dfl_shifts *zeta, const double *A,
                           const double *B, int m, int n, const double *X);

/* Y_i = M (stage_0[i], stage_1[i], ...) - weight_i X_i for n components: plain vectors of the
   stages, stage_k at stage + k*stride, into transformed lanes. X may be NULL (nothing is
   subtracted), weight NULL (all 1). */
void dfl_lanes_gather(double *Y, int stages, const double *M, int n, const double *stage,
                      long stride, const double *X, const double *weight);

/* The way back, stage_k[i] = x_i + X_ik, after X += dX if dX is not NULL. */
void dfl_lanes_scatter(double *stage, long stride, int stages, int n, const double *x, double *X,
                       const double *dX);

/* Weighted sums over the stages, y_i = sum weight_k X_ik. */
void dfl_lanes_combine(double *y, int stages, const double *weight, int n, const double *X);

/* The sum of (weight_i X_i)^2 over all lanes, for n components. */
double dfl_lanes_squares(const double *X, int width, int n, const double *weight);

/* The same; those of each component are also added to sum[group_i]. */
double dfl_lanes_add_squares(double *sum, const int *group, const double *X, int width, int n,
                             const double *weight);

typedef enum dfl_method { DFL_METHOD_LU, DFL_METHOD_QR, DFL_METHOD_SVD } dfl_method;

/* A split of a matrix A (m x n, usually wide): A R = I (R the pseudo-inverse on the range when
   rank < m) and A N = 0, so every solution of A x = b is x = R b + N u.
   LU: full pivoting, N built on the unit vectors of the free columns in ascending order, so that it
   depends on the set of pivot columns only; full row rank only.
   QR: column-pivoted QR of A^T, N orthonormal; full row rank only.
   SVD: N orthonormal, rank < m allowed. */
typedef struct dfl_split {
    int m, n, rank;
    double *R;      /* n x m, leading dimension n */
    double *N;      /* n x (n - rank), leading dimension n */
    int *pivot;     /* LU: the pivot columns, in elimination order (rank entries) */
    double largest; /* largest and smallest pivot, diagonal entry or singular value kept ... */
    double smallest;
    double dropped; /* ... and the largest one treated as zero (0 if none) */
    struct split_work *work;
} dfl_split;

/* How the rank is decided: values above `tolerance` times the largest are not zero; `rank` >= 0
   imposes it. */
typedef struct dfl_split_rule {
    dfl_method method;
    double tolerance;
    int rank;                      /* negative: decide by tolerance */
    int leading;                   /* LU: the first `leading` rows pivot in the first `leading`
                                      columns, before all others (contact variables) */
    const unsigned char *favoured; /* LU: n flags or NULL; entries of a favoured column are weighted
                                      by 1.01 in the pivot search (hysteresis) */
    bool columns_in_order;         /* LU: the pivot of column k is sought in column k only */
    bool scale_rows;               /* equilibrate rows to unit maximum before pivoting */
    const double *columns; /* n sizes of the unknowns, or NULL: bases are orthonormal, and ranks are
                              decided, in units of them */
    const double *least;   /* with scale_rows: m least sizes of rows; NULL means 0, or 1e-4 of
                                      the largest row if the rank is imposed */
} dfl_split_rule;

/* Creates room for matrices up to m x n. */
dfl_status dfl_split_create(dfl_split **out, dfl_context *ctx, int m, int n);
void dfl_split_free(dfl_split *split, dfl_context *ctx);

/* The rank of A by the SVD with scaled rows, where row i may be off by the part more[i] of its size
   instead of rule->tolerance if it is larger (NULL: none may). -1: the SVD fails. `least` (m) is
   workspace, and may be rule->least. Afterwards the split is that of weighted rows. */
int dfl_lenient_rank(double *least, dfl_split *split, const dfl_split_rule *rule,
                     const double *more, const double *A, int lda, int m, int n);

/* Splits A (m x n, leading dimension lda, unchanged). Returns true if the split is usable: for LU
   and QR full row rank was found (or imposed), for SVD the iteration converged and an imposed rank
   was reached. If it is false, `rank` is what was found, and R and N must not be used. A matrix
   with non-finite entries gives false and rank -1. m = 0 gives R empty, N = I. */
bool dfl_split_compute(dfl_split *split, const dfl_split_rule *rule, const double *A, int lda,
                       int m, int n);

/* split := a usable split of the same matrix. */
void dfl_split_copy(dfl_split *split, const dfl_split *from);

/* A factored square matrix, real or complex (interleaved re, im). */
typedef struct dfl_factor dfl_factor;
dfl_status dfl_factor_create(dfl_factor **out, dfl_context *ctx, int n, bool is_complex);
void dfl_factor_free(dfl_factor *factor, dfl_context *ctx);

/* The matrix to be filled in before dfl_factor_compute (which overwrites it), order n, ld = n. */
double *dfl_factor_matrix(dfl_factor *factor);

/* Factors by LU with partial pivoting or by QR. False if the matrix is not finite or singular: LU
   met a pivot that is exactly zero, or QR one that is below the rounding error of its column. */
bool dfl_factor_compute(dfl_factor *factor, int n, dfl_method method);

/* b := A^-1 b, one right-hand side (complex: interleaved); in lanes of `width`, that is with
   entry i at b[i*width]; complex: its real part, followed by its imaginary part. */
void dfl_factor_solve(const dfl_factor *factor, double *b);
void dfl_factor_solve_lanes(const dfl_factor *factor, double *b, int width);

/* Square systems with zeta A - B for the shifts of all stages: one real, then complex ones. */
typedef struct dfl_shifted dfl_shifted;
dfl_status dfl_shifted_create(dfl_shifted **out, dfl_context *ctx, int n, int stages);
void dfl_shifted_free(dfl_shifted *shifted, dfl_context *ctx);

/* A, B (order n, ld = n); the shifts of all stages. False as dfl_factor_compute, for any of
   them. */
bool dfl_shifted_factor(dfl_shifted *shifted, int n, const double *A, const double *B, int stages,
                        const dfl_shifts *zeta, dfl_method method);

/* d (n lanes) := (zeta A - B)^-1 d; of the real shift alone, d being a vector. */
void dfl_shifted_solve(const dfl_shifted *shifted, double *d);
void dfl_shifted_solve_real(const dfl_shifted *shifted, double *d);

/* For callers that solve in their own loops (lane_kernels.h): the inverse for order 2, if all
   shifts are factored at once, or NULL. */
const double *dfl_shifted_inverse(const dfl_shifted *shifted);

/* Minimum-norm least squares by SVD, with workspace for up to m x n. */
typedef struct dfl_lstsq dfl_lstsq;
dfl_status dfl_lstsq_create(dfl_lstsq **out, dfl_context *ctx, int m, int n);
void dfl_lstsq_free(dfl_lstsq *lstsq, dfl_context *ctx);
/* x (n) := A^+ b (m); A (m x n, ld m) is overwritten. Singular values below tolerance times the
   largest are treated as zero; *rank (may be NULL) is what remains. False if the SVD fails
   (non-finite input). */
bool dfl_lstsq_solve(double *x, dfl_lstsq *lstsq, int m, int n, double *A, const double *b,
                     double tolerance, int *rank);

/* Fails with a message if a number is NaN or infinite: LAPACK's iterations need not end then. */
dfl_status dfl_require_finite(dfl_context *ctx, const double *x, int count);

/* The eigenvalues of A (order n, overwritten). False: A is not finite, or the iteration fails. */
#define DFL_EIGENVALUES_WORK(n) (4 * (n) + 16)
bool dfl_eigenvalues(double *re, double *im, double *A, int n, double *work);

/* Cholesky factor of a symmetric positive definite matrix in place (lower triangle); false if it
   is not positive definite to working precision. */
bool dfl_cholesky(double *A, int n);

/* y := L^-1 y, entries of y `stride` apart, and y := L^-T y, with such a factor. */
void dfl_cholesky_forward(double *y, int stride, const double *L, int n);
void dfl_cholesky_backward(double *y, const double *L, int n);

/* ---- for analyses: these allocate what they need ---- */

/* Gauss-Jordan elimination of rows from .. to-1 of A (m x n) in all rows; the first rows of them
   become rows whose unknown pivot[k] has the factor 1 and occurs in no other row, the rest is
   redundant. Returns how many there are. Columns are preferred by their weight; those of weight 0
   are never eliminated. Entries up to `tolerance` are rounding: dfl_scale_rows makes the largest
   entry of each row 1 before. */
void dfl_scale_rows(double *A, int m, int n);
int dfl_eliminate(int *pivot, double *A, int m, int n, int from, int to, const double *weight,
                  double tolerance);

enum { DFL_SCALE_NONE, DFL_SCALE_ROWS, DFL_SCALE_COLUMNS, DFL_SCALE_BOTH };

/* B (max(m, n) x count, m rows of right-hand sides, then n of solutions) := A^+ B; A (m x n) is
   overwritten. `scaling`: rows get equal sizes, for equations that agree with each other; columns
   do, for unknowns of different units, and a solution that is not unique is then the shortest in
   these units. *rank may be NULL. DFL_NOT_FINITE, DFL_NOT_CONVERGED, DFL_NO_MEMORY. */
dfl_status dfl_least_norm(double *B, dfl_context *ctx, int m, int n, double *A, int count,
                          unsigned scaling, double tolerance, int *rank);

/* Eigenvalues and eigenvectors. A pair of complex eigenvalues has the positive imaginary part first
   and its vector in two columns, real and imaginary part. */
typedef struct dfl_eigen {
    dfl_context *ctx;
    int n;
    double *re, *im;
    double *doubt;        /* by which rounding may have moved each eigenvalue */
    double *right, *left; /* n x n */
} dfl_eigen;

/* Of A (order n); the caller clears *out also after a failure. DFL_NOT_FINITE, DFL_NOT_CONVERGED,
   DFL_NO_MEMORY. */
dfl_status dfl_eigen_find(dfl_eigen *out, dfl_context *ctx, int n, const double *A);
void dfl_eigen_clear(dfl_eigen *eigen);

/* A (order n) := H = Q^T A Q, zero below its first subdiagonal. */
dfl_status dfl_hessenberg(double *Q, dfl_context *ctx, int n, double *A);
/* x (n x count, complex, interleaved) := (z I - H)^-1 x with z = re + i im; `work` has n x n
   complex numbers. False: z is an eigenvalue, up to rounding. */
bool dfl_hessenberg_solve(double *x, double *work, int n, const double *H, double re, double im,
                          int count);

/* X (order n, symmetric): A^T X + X A - X S X + Q = 0 with A - S X stable. DFL_SINGULAR: there is
   none. */
dfl_status dfl_riccati(double *X, dfl_context *ctx, int n, const double *A, const double *S,
                       const double *Q);

/* The finite eigenvalues of z E x = A x (order n, both overwritten), *count of them. */
dfl_status dfl_pencil_eigenvalues(double *re, double *im, int *count, dfl_context *ctx, int n,
                                  double *A, double *E);

#include "linalg/lane_kernels.h"

/* ---- derivatives of computed functions (extrapolated_slope.c) ---- */

/* out (n): a smooth function of s, computed to rounding. */
typedef dfl_status (*dfl_curve_fn)(double *out, double s, void *user);

/* out (n): its derivative at s = 0, by differences of values within h, or closer until they exist
 *and agree; doubt: how far they do not, relative to the largest derivative. work: 4 n. */
dfl_status dfl_slope_at_zero(double *out, double *doubt, int n, dfl_curve_fn f, void *user,
                             double h, double *work);

#endif
