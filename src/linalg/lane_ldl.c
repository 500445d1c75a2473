/* LDL^T of [D A^T; A 0] for a real and a complex D at once: lanes (real | real part, imaginary part
   | nothing) in one pass through the patterns of a dfl_saddle_ldl. D = zeta^2 M + K is symmetric,
   not Hermitian: no conjugation. Definite after a turn by the argument of zeta^2, as long as K is
   small compared with zeta^2 M; callers check residuals. */
#include "linalg/saddle_ldl_internal.h"

#include <math.h>
#include <string.h>

struct dfl_lane_ldl {
    const dfl_saddle_ldl *of;
    double *value, *L, *pivot, *inverse, *y; /* lanes of 4 */
    unsigned char *out;
    bool complete; /* nothing is left out */
};

dfl_status dfl_lane_ldl_create(dfl_lane_ldl **out, const dfl_saddle_ldl *of)
{
    dfl_context *ctx = of->ctx;
    const size_t n = (size_t)of->n, d = sizeof(double);
    const size_t entries = (size_t)of->row_start[of->n];
    dfl_lane_ldl *ldl = *out = dfl_alloc(ctx, 1, sizeof *ldl);
    if (!ldl)
        return DFL_NO_MEMORY;
    ldl->of = of;
    ldl->value = dfl_alloc(ctx, 4 * (size_t)of->upper.start[of->n] + 4, d);
    ldl->L = dfl_alloc(ctx, 4 * entries + 4, d);
    ldl->pivot = dfl_alloc(ctx, 4 * n + 4, d);
    ldl->inverse = dfl_alloc(ctx, 4 * n + 4, d);
    ldl->y = dfl_alloc(ctx, 4 * n + 4, d);
    ldl->out = dfl_alloc(ctx, n + 1, 1);
    if (ldl->value && ldl->L && ldl->pivot && ldl->inverse && ldl->y && ldl->out)
        return DFL_OK;
    dfl_lane_ldl_free(ldl);
    *out = NULL;
    return DFL_NO_MEMORY;
}

void dfl_lane_ldl_free(dfl_lane_ldl *ldl)
{
    if (!ldl)
        return;
    dfl_context *ctx = ldl->of->ctx;
    void *const block[] = {ldl->value, ldl->L, ldl->pivot, ldl->inverse, ldl->y, ldl->out};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, ldl);
}

static DFL_INLINE dfl_four fetch(const double *x)
{
    return *(const dfl_quad *)x;
}

static DFL_INLINE void store(double *x, dfl_four value)
{
    *(dfl_quad *)x = value;
}

static DFL_INLINE dfl_four swapped(dfl_four a)
{
    return __builtin_shufflevector(a, a, 0, 2, 1, 3);
}

/* A factor of products of real numbers in lane 0 (and 3) and complex ones in lanes 1 and 2:
   a b = keep b + swapped(cross b), so that sums are swapped once. */
typedef struct multiplier {
    dfl_four keep, cross;
} multiplier;

/* By masks: gcc would move single numbers with an instruction that valgrind does not know. */
static DFL_INLINE dfl_four turned(dfl_four a)
{
    const dfl_four_mask used = {0, -1, -1, 0}, sign = {0, 0, INT64_MIN, 0};
    return (dfl_four)(((dfl_four_mask)a & used) ^ sign);
}

static DFL_INLINE multiplier multiplier_of(dfl_four a)
{
    return (multiplier){__builtin_shufflevector(a, a, 0, 1, 1, 3),
                        turned(__builtin_shufflevector(a, a, 0, 2, 2, 3))};
}

static DFL_INLINE dfl_four product(multiplier a, dfl_four b)
{
    return a.keep * b + swapped(a.cross * b);
}

static DFL_INLINE dfl_four reciprocal(dfl_four a)
{
    const double square = a[1] * a[1] + a[2] * a[2];
    return (dfl_four){1 / a[0], a[1] / square, -a[2] / square, 1};
}

/* D: lanes of 4 per entry of its pattern; A: numbers. */
static void place_numbers(dfl_lane_ldl *ldl, const double *D, const double *A)
{
    const dfl_saddle_ldl *of = ldl->of;
    memset(ldl->pivot, 0, 4 * (size_t)of->n * sizeof(double));
    for (int j = 0; j < of->nv; j++) {
        for (int k = of->D->start[j]; k < of->D->start[j + 1]; k++) {
            if (of->at_D[k] >= 0)
                memcpy(ldl->value + 4 * of->at_D[k], D + 4 * k, 4 * sizeof *D);
            else if (of->D->row[k] == j)
                memcpy(ldl->pivot + 4 * of->place[j], D + 4 * k, 4 * sizeof *D);
        }
        for (int k = of->A->start[j]; k < of->A->start[j + 1]; k++)
            store(ldl->value + 4 * of->at_A[k], (dfl_four){A[k], A[k], 0, 0});
    }
}

/* y -= L x for `count` rows of `width` columns, whose entries begin at `at`. */
static DFL_INLINE void subtract_columns(double *y, const double *L, const int *row, int width,
                                        const int *at, int count, const multiplier *x)
{
    const double *entry[DFL_WIDEST_CHUNK];
    const int *rows = row + at[0];
    DFL_UNROLL
    for (int c = 0; c < width; c++)
        entry[c] = L + 4 * (size_t)at[c];
    for (size_t t = 0; t < (size_t)count; t++) {
        dfl_four keep = {0, 0, 0, 0}, cross = keep;
        double *to = y + 4 * (size_t)(unsigned)rows[t];
        DFL_UNROLL
        for (int c = 0; c < width; c++) {
            const dfl_four l = fetch(entry[c] + 4 * t);
            keep += x[c].keep * l;
            cross += x[c].cross * l;
        }
        store(to, fetch(to) - keep - swapped(cross));
    }
}

/* y -= L x for the columns of a chunk from column i on, down to entry `end` of the first: rows
   within the chunk come first, so that x = y is known, or 0 in columns that are left out (`out`, or
   NULL). */
static DFL_INLINE void subtract_chunk(double *y, const double *L, const dfl_saddle_ldl *of,
                                      const unsigned char *out, int width, int i, int end,
                                      multiplier *x)
{
    const int *start = of->start + i, *tail = width > 1 ? of->tail + i : start;
    DFL_UNROLL
    for (int c = 0; c < width; c++) {
        x[c] = multiplier_of(out && out[i + c] ? (dfl_four){0, 0, 0, 0} : fetch(y + 4 * (i + c)));
        if (c + 1 < width)
            subtract_columns(y, L, of->row, 1, &start[c], tail[c] - start[c], &x[c]);
    }
    subtract_columns(y, L, of->row, width, tail, end - tail[0], x);
}

/* The switch that makes the width of a chunk a constant for the compiler. */
#define FOR_WIDTH(width, CALL)                                                                     \
    switch (width) {                                                                               \
    case 1:                                                                                        \
        CALL(1);                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        CALL(2);                                                                                   \
        break;                                                                                     \
    case 3:                                                                                        \
        CALL(3);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        CALL(4);                                                                                   \
    }

/* Entry `slot` of L, which is in column i, and what its row takes from the column: y -= L x above
   it. Returns what that takes from the pivot. */
static DFL_INLINE dfl_four eliminate_single(double *y, double *L, const dfl_lane_ldl *ldl, int i,
                                            int slot)
{
    const int *row = ldl->of->row;
    const dfl_four none = {0, 0, 0, 0};
    const multiplier x = multiplier_of(ldl->out[i] ? none : fetch(y + 4 * i));
    for (int q = ldl->of->start[i]; q < slot; q++) {
        double *to = y + 4 * (size_t)(unsigned)row[q];
        store(to, fetch(to) - product(x, fetch(L + 4 * (size_t)(unsigned)q)));
    }
    const dfl_four l = product(x, fetch(ldl->inverse + 4 * i));
    store(L + 4 * (size_t)(unsigned)slot, l);
    store(y + 4 * i, none);
    return product(x, l);
}

/* Row k of L; returns what it takes from the pivot. */
static DFL_INLINE dfl_four eliminate_row(double *y, double *L, const dfl_lane_ldl *ldl, int k)
{
    const dfl_saddle_ldl *of = ldl->of;
    const int *column = of->row_column, *slot = of->row_slot, *chunk = of->chunk;
    const int end = of->row_start[k + 1];
    const double *inverse = ldl->inverse;
    const unsigned char *out = ldl->out;
    dfl_four sum = {0, 0, 0, 0};
    for (int p = of->row_start[k], width; p < end; p += width) {
        const int i = column[p];
        multiplier x[DFL_WIDEST_CHUNK];
        width = chunk[i] > 0 && i + chunk[i] <= k ? chunk[i] : 1;
        if (width == 1) {
            sum += eliminate_single(y, L, ldl, i, slot[p]);
            continue;
        }
#define SUBTRACT(width) subtract_chunk(y, L, of, out, width, i, slot[p], x)
        FOR_WIDTH(width, SUBTRACT);
#undef SUBTRACT
        for (int c = 0; c < width; c++) {
            const dfl_four l = product(x[c], fetch(inverse + 4 * (i + c)));
            sum += product(x[c], l);
            store(L + 4 * slot[p + c], l);
            store(y + 4 * (i + c), (dfl_four){0, 0, 0, 0});
        }
    }
    return sum;
}

DFL_WIDE static bool eliminate(dfl_lane_ldl *ldl, const unsigned char *left_out)
{
    const dfl_saddle_ldl *of = ldl->of;
    double *y = ldl->y, *L = ldl->L, *inverse = ldl->inverse;
    const double *value = ldl->value, *pivots = ldl->pivot;
    const int n = of->n, nv = of->nv, *unknown = of->unknown;
    const int *start = of->upper.start, *row = of->upper.row;
    dfl_four sum = {0, 0, 0, 0};
    ldl->complete = true;
    for (int k = 0; k < n; k++) {
        for (int p = start[k]; p < start[k + 1]; p++)
            store(y + 4 * row[p], fetch(value + 4 * p));
        dfl_four pivot = fetch(pivots + 4 * k) - eliminate_row(y, L, ldl, k);
        const int i = unknown[k] - nv;
        ldl->out[k] = i >= 0 && left_out[i];
        if (ldl->out[k]) {
            pivot = (dfl_four){1, 1, 0, 1};
            ldl->complete = false;
        }
        const dfl_four one = reciprocal(pivot);
        store(inverse + 4 * k, one);
        sum += 0 * one;
    }
    return sum[0] + sum[1] + sum[2] == 0;
}

bool dfl_lane_ldl_factor(dfl_lane_ldl *ldl, const double *D, const double *A,
                         const unsigned char *left_out)
{
    place_numbers(ldl, D, A);
    memset(ldl->y, 0, 4 * (size_t)ldl->of->n * sizeof *ldl->y);
    return eliminate(ldl, left_out);
}

/* y in the order of elimination, with zeros for what is left out, and for x if it is NULL. */
static DFL_INLINE void gather(double *y, const dfl_saddle_ldl *of, const double *x, const double *l,
                              const unsigned char *out, bool complete)
{
    const int nv = of->nv, nc = of->nc, n = of->n, *place = of->place;
    for (int i = 0; i < nv; i++)
        store(y + 4 * (size_t)(unsigned)place[i], x ? fetch(x + 4 * i) : (dfl_four){0, 0, 0, 0});
    for (int i = 0; i < nc; i++)
        store(y + 4 * (size_t)(unsigned)place[nv + i], fetch(l + 4 * i));
    for (int k = 0; !complete && k < n; k++)
        if (out[k])
            store(y + 4 * k, (dfl_four){0, 0, 0, 0});
}

/* The way back; l NULL: it is not wanted. */
static DFL_INLINE void scatter(double *x, double *l, const dfl_saddle_ldl *of, const double *y)
{
    const int nv = of->nv, nc = of->nc, *place = of->place;
    for (int i = 0; i < nv; i++)
        store(x + 4 * i, fetch(y + 4 * (size_t)(unsigned)place[i]));
    for (int i = 0; l && i < nc; i++)
        store(l + 4 * i, fetch(y + 4 * (size_t)(unsigned)place[nv + i]));
}

/* Complex products from sums of products, and from such with real and imaginary parts exchanged:
   (s0, s1 - s2, a1 + a2, s3). */
static DFL_INLINE dfl_four combined(dfl_four s, dfl_four a)
{
    const dfl_four_mask sign = {0, INT64_MIN, 0, 0}, used = {0, -1, -1, 0};
    const dfl_four first = __builtin_shufflevector(s, a, 0, 1, 5, 3);
    const dfl_four second = __builtin_shufflevector(s, a, 0, 2, 6, 3);
    return first + (dfl_four)(((dfl_four_mask)second & used) ^ sign);
}

/* y of a chunk from column i on: D^-1 y - L^T y. */
static DFL_INLINE void finish_chunk(double *y, const dfl_lane_ldl *ldl, int width, int i)
{
    const dfl_saddle_ldl *of = ldl->of;
    const int *row = of->row, *start = of->start + i, *tail = of->tail + i;
    const int count = start[1] - tail[0];
    const double *L = ldl->L, *entry[DFL_WIDEST_CHUNK];
    dfl_four straight[DFL_WIDEST_CHUNK], across[DFL_WIDEST_CHUNK];
    DFL_UNROLL
    for (int c = 0; c < width; c++) {
        entry[c] = L + 4 * (size_t)tail[c];
        straight[c] = across[c] = (dfl_four){0, 0, 0, 0};
    }
    for (size_t t = 0; t < (size_t)count; t++) {
        const dfl_four yt = fetch(y + 4 * (size_t)(unsigned)row[tail[0] + (int)t]);
        const dfl_four other = swapped(yt);
        DFL_UNROLL
        for (int c = 0; c < width; c++) {
            const dfl_four l = fetch(entry[c] + 4 * t);
            straight[c] += l * yt;
            across[c] += l * other;
        }
    }
    for (int c = width - 1; c >= 0; c--) {
        const dfl_four one = fetch(ldl->inverse + 4 * (i + c));
        dfl_four sum = product(multiplier_of(one), fetch(y + 4 * (i + c)));
        for (int p = start[c]; width > 1 && p < tail[c]; p++) {
            const dfl_four l = fetch(L + 4 * p), yp = fetch(y + 4 * row[p]);
            straight[c] += l * yp;
            across[c] += l * swapped(yp);
        }
        sum -= combined(straight[c], across[c]);
        store(y + 4 * (i + c), ldl->out[i + c] ? (dfl_four){0, 0, 0, 0} : sum);
    }
}

/* Columns that are no chunks, from k on; returns the next chunk. What loops need is in variables,
   since vectors may alias anything. */
static DFL_INLINE int subtract_singles(double *y, const double *L, const dfl_saddle_ldl *of, int k)
{
    const int n = of->n, *start = of->start, *row = of->row, *chunk = of->chunk;
    for (int p = start[k]; k < n && chunk[k] == 1; k++) {
        const multiplier x = multiplier_of(fetch(y + 4 * k));
        for (const int end = start[k + 1]; p < end; p++) {
            double *to = y + 4 * (size_t)(unsigned)row[p];
            store(to, fetch(to) - product(x, fetch(L + 4 * p)));
        }
    }
    return k;
}

/* From column k down; returns where the next chunk ends. */
static DFL_INLINE int finish_singles(double *y, const dfl_lane_ldl *ldl, int k)
{
    const dfl_saddle_ldl *of = ldl->of;
    const int *start = of->start, *row = of->row, *chunk = of->chunk;
    const double *L = ldl->L, *inverse = ldl->inverse;
    const unsigned char *out = ldl->out;
    for (int p = start[k + 1] - 1; k >= 0 && chunk[k] == 1; k--) {
        const dfl_four own = fetch(inverse + 4 * k), yk = fetch(y + 4 * k);
        dfl_four straight = {0, 0, 0, 0}, across = straight;
        for (const int begin = start[k]; p >= begin; p--) {
            const dfl_four yp = fetch(y + 4 * (size_t)(unsigned)row[p]), l = fetch(L + 4 * p);
            straight += l * yp;
            across += l * swapped(yp);
        }
        const dfl_four sum = combined(own * yk - straight, own * swapped(yk) - across);
        store(y + 4 * k, out[k] ? (dfl_four){0, 0, 0, 0} : sum);
    }
    return k;
}

DFL_WIDE void dfl_lane_ldl_solve(double *x, double *l, dfl_lane_ldl *ldl)
{
    const dfl_saddle_ldl *of = ldl->of;
    const int n = of->n, *start = of->start, *chunk = of->chunk;
    const double *L = ldl->L;
    double *y = ldl->y;
    multiplier unused[DFL_WIDEST_CHUNK];
    gather(y, of, x, l, ldl->out, ldl->complete);
    for (int k = subtract_singles(y, L, of, 0); k < n;
         k = subtract_singles(y, L, of, k + chunk[k])) {
#define SUBTRACT(width) subtract_chunk(y, L, of, NULL, width, k, start[k + 1], unused)
        FOR_WIDTH(chunk[k], SUBTRACT);
#undef SUBTRACT
    }
    for (int k = finish_singles(y, ldl, n - 1); k >= 0; k = finish_singles(y, ldl, k - 1)) {
        while (chunk[k] == 0)
            k--;
#define FINISH(width) finish_chunk(y, ldl, width, k)
        FOR_WIDTH(chunk[k], FINISH);
#undef FINISH
    }
    scatter(x, l, of, y);
}

/* The same with numbers instead of lanes in L: y -= L x of a chunk. */
static DFL_INLINE void subtract_numbers(double *y, const dfl_saddle_ldl *ldl, int width, int i)
{
    const int *row = ldl->row, *start = ldl->start + i, *tail = ldl->tail + i;
    const int count = start[1] - tail[0], *rows = row + tail[0];
    const double *L = ldl->L, *entry[DFL_WIDEST_CHUNK];
    dfl_four x[DFL_WIDEST_CHUNK];
    DFL_UNROLL
    for (int c = 0; c < width; c++) {
        entry[c] = L + tail[c];
        x[c] = fetch(y + 4 * (i + c));
        for (int p = start[c]; width > 1 && p < tail[c]; p++)
            store(y + 4 * row[p], fetch(y + 4 * row[p]) - L[p] * x[c]);
    }
    for (size_t t = 0; t < (size_t)count; t++) {
        double *to = y + 4 * (size_t)(unsigned)rows[t];
        dfl_four sum = fetch(to);
        DFL_UNROLL
        for (int c = 0; c < width; c++)
            sum -= entry[c][t] * x[c];
        store(to, sum);
    }
}

static DFL_INLINE void finish_numbers(double *y, const dfl_saddle_ldl *ldl, int width, int i)
{
    const int *row = ldl->row, *start = ldl->start + i, *tail = ldl->tail + i;
    const int count = start[1] - tail[0], *rows = row + tail[0];
    const double *L = ldl->L, *entry[DFL_WIDEST_CHUNK];
    dfl_four sum[DFL_WIDEST_CHUNK];
    DFL_UNROLL
    for (int c = 0; c < width; c++) {
        entry[c] = L + tail[c];
        sum[c] = fetch(y + 4 * (i + c)) / ldl->pivot[i + c];
    }
    for (size_t t = 0; t < (size_t)count; t++) {
        const dfl_four yt = fetch(y + 4 * (size_t)(unsigned)rows[t]);
        DFL_UNROLL
        for (int c = 0; c < width; c++)
            sum[c] -= entry[c][t] * yt;
    }
    for (int c = width - 1; c >= 0; c--) {
        for (int p = start[c]; width > 1 && p < tail[c]; p++)
            sum[c] -= L[p] * fetch(y + 4 * row[p]);
        store(y + 4 * (i + c), ldl->out[i + c] ? (dfl_four){0, 0, 0, 0} : sum[c]);
    }
}

/* As subtract_singles; without `forces` columns whose y is 0 are passed over. */
static DFL_INLINE int subtract_single_numbers(double *y, const dfl_saddle_ldl *ldl, bool forces,
                                              int k)
{
    const int n = ldl->n, *start = ldl->start, *row = ldl->row, *chunk = ldl->chunk;
    const double *L = ldl->L;
    const unsigned char *quiet = ldl->quiet;
    for (; k < n && chunk[k] == 1; k++) {
        if (!forces && quiet[k])
            continue;
        const dfl_four x = fetch(y + 4 * k);
        for (int p = start[k], end = start[k + 1]; p < end; p++) {
            double *to = y + 4 * (size_t)(unsigned)row[p];
            store(to, fetch(to) - L[p] * x);
        }
    }
    return k;
}

static DFL_INLINE int finish_single_numbers(double *y, const dfl_saddle_ldl *ldl, int k)
{
    const int *start = ldl->start, *row = ldl->row, *chunk = ldl->chunk;
    const double *L = ldl->L, *pivot = ldl->pivot;
    const unsigned char *out = ldl->out;
    for (int p = start[k + 1] - 1; k >= 0 && chunk[k] == 1; k--) {
        dfl_four sum = fetch(y + 4 * k) / pivot[k];
        for (const int begin = start[k]; p >= begin; p--)
            sum -= L[p] * fetch(y + 4 * (size_t)(unsigned)row[p]);
        store(y + 4 * k, out[k] ? (dfl_four){0, 0, 0, 0} : sum);
    }
    return k;
}

DFL_WIDE void dfl_saddle_ldl_solve_lanes(double *x, double *l, const dfl_saddle_ldl *ldl,
                                         bool forces, double *work)
{
    const int n = ldl->n, *chunk = ldl->chunk;
    gather(work, ldl, forces ? x : NULL, l, ldl->out, ldl->rank == ldl->nc);
    for (int k = subtract_single_numbers(work, ldl, forces, 0); k < n;
         k = subtract_single_numbers(work, ldl, forces, k + chunk[k])) {
        if (!forces && ldl->quiet[k])
            continue;
#define SUBTRACT(width) subtract_numbers(work, ldl, width, k)
        FOR_WIDTH(chunk[k], SUBTRACT);
#undef SUBTRACT
    }
    for (int k = finish_single_numbers(work, ldl, n - 1); k >= 0;
         k = finish_single_numbers(work, ldl, k - 1)) {
        while (chunk[k] == 0)
            k--;
#define FINISH(width) finish_numbers(work, ldl, width, k)
        FOR_WIDTH(chunk[k], FINISH);
#undef FINISH
    }
    scatter(x, forces ? l : NULL, ldl, work);
}
