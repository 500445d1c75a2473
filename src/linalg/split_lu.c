/* split_lu.c: split of a wide matrix by Gaussian elimination with full pivoting.

   Let B be the m pivot columns of A and F the n - m free ones. The right inverse is B^-1 in the
   rows of the pivots and zero elsewhere; N = I_free - R (A I_free) is the unit matrix in the rows
   of the free columns and -B^-1 F in the rows of the pivots. Elimination gives P A [B F] =
   L [U_1 U_2], so B^-1 F = U_1^-1 U_2 and B^-1 = U_1^-1 L^-1 P. */
#include "linalg/split_internal.h"
#include "linalg/linalg.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* The pivots of a column chosen before have a little more weight, so that the choice does not flip
   between two equally good columns. */
static const double FAVOUR = 1.01;

DFL_WIDE static int eliminate(dfl_split *split, const dfl_split_rule *rule, double *unreached);
static DFL_INLINE double find_row(int *row, const dfl_split *split, int k);
static double find_pivot(int *row, int *col, const dfl_split *split, const dfl_split_rule *rule,
                         int k);
static void exchange(dfl_split *split, int k, int row, int col);
static DFL_INLINE void subtract_row(dfl_split *split, int k);
DFL_WIDE static void form_inverse(dfl_split *split);
static void form_null_space(dfl_split *split);

bool dfl_split_lu(dfl_split *split, const dfl_split_rule *rule)
{
    assert(rule->leading >= 0 && rule->leading <= split->m);
    struct split_work *work = split->work;
    for (int i = 0; i < split->m; i++)
        work->order[i] = i;
    for (int j = 0; j < split->n; j++)
        work->column[j] = j;

    double unreached = 0;
    const int count = eliminate(split, rule, &unreached);
    const bool full = dfl_split_decide(split, rule, work->values, count, unreached);
    memcpy(split->pivot, work->column, (size_t)split->rank * sizeof *split->pivot);
    if (!full)
        return false;
    form_inverse(split);
    form_null_space(split);
    return true;
}

/* Returns the number of pivots found; *unreached is the size of the entry that was too small. */
DFL_WIDE static int eliminate(dfl_split *split, const dfl_split_rule *rule, double *unreached)
{
    double *values = split->work->values, largest = 0;
    const int most = split->m < split->n ? split->m : split->n;
    for (int k = 0; k < most; k++) {
        int row = k, col = k;
        const double size = rule->columns_in_order ? find_row(&row, split, k)
                                                   : find_pivot(&row, &col, split, rule, k);
        const double threshold = rule->rank < 0 ? rule->tolerance * largest : 0;
        if (!(size > threshold && size >= DBL_MIN && size <= DBL_MAX)) {
            *unreached = size;
            return k;
        }
        values[k] = size;
        largest = size > largest ? size : largest;
        exchange(split, k, row, col);
        subtract_row(split, k);
    }
    return most;
}

/* The largest entry of column k not yet eliminated. */
static DFL_INLINE double find_row(int *row, const dfl_split *split, int k)
{
    const double *W = split->work->W + k;
    const int n = split->n;
    double best = fabs(W[k * n]);
    for (int i = k + 1; i < split->m; i++)
        if (fabs(W[i * n]) > best) {
            best = fabs(W[i * n]);
            *row = i;
        }
    return best;
}

/* The largest entry not yet eliminated, favoured columns first among near-equals. Leading rows
   pivot in the leading columns, the others in the columns after them. Returns its size without the
   extra weight. */
static double find_pivot(int *row, int *col, const dfl_split *split, const dfl_split_rule *rule,
                         int k)
{
    const struct split_work *work = split->work;
    const int n = split->n;
    const bool in_lead = k < rule->leading;
    const int last_row = in_lead ? rule->leading : split->m;
    const int last_col = in_lead ? rule->leading : n;
    double best = 0;
    for (int i = k; i < last_row; i++)
        for (int j = k; j < last_col; j++) {
            double size = fabs(work->W[i * n + j]);
            if (rule->favoured && rule->favoured[work->column[j]])
                size *= FAVOUR;
            if (size > best) {
                best = size;
                *row = i;
                *col = j;
            }
        }
    return fabs(work->W[*row * n + *col]);
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

/* Brings the pivot to row and column k. */
static void exchange(dfl_split *split, int k, int row, int col)
{
    struct split_work *work = split->work;
    const int m = split->m, n = split->n;
    if (row != k) {
        for (int j = 0; j < n; j++)
            swap_doubles(work->W + k * n + j, work->W + row * n + j);
        swap_ints(work->order + k, work->order + row);
    }
    if (col != k) {
        for (int i = 0; i < m; i++)
            swap_doubles(work->W + i * n + k, work->W + i * n + col);
        swap_ints(work->column + k, work->column + col);
    }
}

/* y -= a x */
static DFL_INLINE void subtract(double *y, double a, const double *x, int n)
{
    int i = 0;
    for (; i + 4 <= n; i += 4)
        *(dfl_quad *)(y + i) -= a * *(const dfl_quad *)(x + i);
    for (; i < n; i++)
        y[i] -= a * x[i];
}

/* Eliminates column k below row k; the multipliers replace it, and the pivot its reciprocal. */
static DFL_INLINE void subtract_row(dfl_split *split, int k)
{
    const int m = split->m, n = split->n;
    double *Wk = split->work->W + k * n;
    Wk[k] = 1 / Wk[k];
    for (int i = k + 1; i < m; i++) {
        double *Wi = split->work->W + i * n;
        Wi[k] *= Wk[k];
        subtract(Wi + k + 1, Wi[k], Wk + k + 1, n - k - 1);
    }
}

/* x := U_1^-1 x, where component i of x is at x[column[i]]. */
static inline void solve_upper(double *x, const dfl_split *split)
{
    const double *W = split->work->W;
    const int *column = split->work->column;
    const int m = split->m, n = split->n;
    for (int i = m - 1; i >= 0; i--) {
        double sum = x[column[i]];
        for (int j = i + 1; j < m; j++)
            sum -= W[i * n + j] * x[column[j]];
        x[column[i]] = sum * W[i * n + i];
    }
}

/* Z = U_1^-1 L^-1 row by row: entry k of row i belongs into row column[i] and column order[k] of
   R. */
DFL_WIDE static void form_inverse(dfl_split *split)
{
    const struct split_work *work = split->work;
    const int m = split->m, n = split->n;
    double *R = split->R, *Z = work->Q;
    memset(Z, 0, (size_t)(m * m) * sizeof *Z);
    for (int i = 0; i < m; i++) {
        Z[i * m + i] = 1;
        for (int j = 0; j < i; j++)
            subtract(Z + i * m, work->W[i * n + j], Z + j * m, j + 1);
    }
    memset(R, 0, (size_t)(n * m) * sizeof *R);
    for (int i = m - 1; i >= 0; i--) {
        for (int j = i + 1; j < m; j++)
            subtract(Z + i * m, work->W[i * n + j], Z + j * m, m);
        for (int k = 0; k < m; k++)
            R[work->order[k] * n + work->column[i]] = Z[i * m + k] *= work->W[i * n + i];
    }
}

/* A column of N is the unit vector of a free column minus its U_1^-1 U_2. The free columns come in
   ascending order, so that N depends on which columns pivot, not on the order in which they did. */
static void form_null_space(dfl_split *split)
{
    const struct split_work *work = split->work;
    const int m = split->m, n = split->n;
    double *x = split->N;
    memset(x, 0, (size_t)(n * (n - m)) * sizeof *x);
    for (int j = 0; j < n; j++)
        work->position[work->column[j]] = j;
    for (int free = 0; free < n; free++) {
        const int j = work->position[free];
        if (j < m)
            continue;
        for (int i = 0; i < m; i++)
            x[work->column[i]] = -work->W[i * n + j];
        solve_upper(x, split);
        x[free] = 1;
        x += n;
    }
}
