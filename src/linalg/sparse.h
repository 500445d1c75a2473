/* sparse.h: sparse matrices by compressed columns; part of linalg.h.

   Patterns are made once; numbers change in every step and are written in the order of the
   pattern. LU of any pattern is that of KLU; LDL^T is our own, for saddle matrices
   [D A^T; A 0] whose unknowns are eliminated in a fixed order. */
#ifndef DFL_SPARSE_H
#define DFL_SPARSE_H

#include <driftless/context.h>

#include <stdbool.h>

/* Entries of column j: start[j] .. start[j+1]-1, rows ascending. */
typedef struct dfl_csc {
    int rows, columns;
    int *start; /* columns + 1 */
    int *row;
} dfl_csc;

/* One entry of a matrix that is put together; equal places are one entry of the pattern. */
typedef struct dfl_place_of_entry {
    int row, column;
} dfl_place_of_entry;

/* The pattern of `count` places; at[k] (may be NULL) := the number of the entry of place k.
   DFL_NO_MEMORY: *out is empty. */
dfl_status dfl_csc_create(dfl_csc *out, int *at, dfl_context *ctx, int rows, int columns,
                          const dfl_place_of_entry *place, int count);
void dfl_csc_clear(dfl_csc *matrix, dfl_context *ctx);

/* y += factor A x, and y += factor A^T x. */
void dfl_csc_add(double *y, const int *start, const int *row, int columns, const double *value,
                 double factor, const double *x);
void dfl_csc_add_transposed(double *y, const int *start, const int *row, int columns,
                            const double *value, double factor, const double *x);

/* order[k]: the unknown that a factorization of a square matrix eliminates in step k, rows and
   columns alike. DFL_NO_MEMORY. */
dfl_status dfl_late_order(int *order, dfl_context *ctx, const dfl_csc *A);

/* ---- LU of a square matrix, real or complex (numbers interleaved) ---- */

typedef struct dfl_sparse_lu dfl_sparse_lu;

/* The pattern must stay where it is. `like`: another one of the same pattern, which must outlive
   this one, or NULL. DFL_NO_MEMORY. */
dfl_status dfl_sparse_lu_create(dfl_sparse_lu **out, dfl_context *ctx, const dfl_csc *pattern,
                                bool complex, const dfl_sparse_lu *like);
void dfl_sparse_lu_free(dfl_sparse_lu *lu);

/* Factors the matrix with these values, which must stay where they are while it is solved with.
   Pivots of an earlier matrix are tried first. False: singular, not finite, or no memory. */
bool dfl_sparse_lu_factor(dfl_sparse_lu *lu, const double *value);

/* b := A^-1 b. The residual is compared with rounding, and refined; false: it stays too large even
   with new pivots. */
bool dfl_sparse_lu_solve(double *b, dfl_sparse_lu *lu);

/* ---- LDL^T of a saddle matrix [D A^T; A 0] ---- */

/* D: symmetric, nv x nv, positive definite; A: nc x nv. Rows of A that depend on earlier ones are
   left out. */
typedef struct dfl_saddle_ldl dfl_saddle_ldl;

/* D: the pattern, NULL means diagonal. Patterns must stay where they are. DFL_NO_MEMORY. */
dfl_status dfl_saddle_ldl_create(dfl_saddle_ldl **out, dfl_context *ctx, const dfl_csc *D,
                                 const dfl_csc *A);
void dfl_saddle_ldl_free(dfl_saddle_ldl *ldl);

/* Factors with the numbers of D and A (in the order of the patterns). A row whose distance from the
   rows before it, in the metric of D^-1, is below `tolerance` times its length, or whose `left_out`
   is set (may be NULL), is left out: its multiplier is 0. False: D is not positive definite. */
bool dfl_saddle_ldl_factor(dfl_saddle_ldl *ldl, const double *D, const double *A, double tolerance,
                           const unsigned char *left_out);

/* Multiplications of one factorization and of some solutions. */
double dfl_saddle_ldl_work(const dfl_saddle_ldl *ldl, double solutions);

/* With a diagonal D whose entries may be negative: the number of directions in which A D^-1 A^T,
   without the rows that are left out (may be NULL), is not positive definite. */
int dfl_saddle_ldl_inertia(dfl_saddle_ldl *ldl, const double *D, const double *A,
                           const unsigned char *left_out);

/* The number of rows that take part, and whether row i does. The smallest distance of those that
   take part, and the largest of the others, relative to their lengths. The distance of row i. */
int dfl_saddle_ldl_rank(const dfl_saddle_ldl *ldl);
bool dfl_saddle_ldl_takes(const dfl_saddle_ldl *ldl, int row);
double dfl_saddle_ldl_smallest(const dfl_saddle_ldl *ldl);
double dfl_saddle_ldl_dropped(const dfl_saddle_ldl *ldl);
double dfl_saddle_ldl_distance(const dfl_saddle_ldl *ldl, int row);
bool dfl_saddle_ldl_is_empty(const dfl_saddle_ldl *ldl, int row); /* it is zero */

/* Rows that depend on others, and which of them are left out: those from row `late` on first; one
   that is as near to others as `allowed` (rows; may be NULL) says, relative to its length;
   otherwise what is nearer than `zero`. */
typedef struct dfl_row_choice {
    const dfl_csc *A;
    const double *D, *value; /* D is diagonal */
    double zero;
    const double *allowed;
    int late;
    unsigned char *left_out, *seen; /* rows: the choice; workspace */
    double *work;                   /* columns + 2 rows */
    double misfit;                  /* the largest distance of a row left out */
} dfl_row_choice;

/* Chooses, and leaves the factors of the rows that take part. False: D is not positive. */
bool dfl_saddle_ldl_choose(dfl_row_choice *choice, dfl_saddle_ldl *ldl);

/* ---- multipliers of least norm ---- */

/* l (rows of A) of least |l| that make |f - A^T l| least in the metric of D^-1, D diagonal. Rows
   that are `uncounted` (may be NULL), which must be independent of each other, do not count in |l|.
   The pattern must stay where it is, like these. DFL_NO_MEMORY: *out is NULL. */
typedef struct dfl_least_rows dfl_least_rows;
dfl_status dfl_least_rows_create(dfl_least_rows **out, dfl_context *ctx, const dfl_csc *A,
                                 const bool *uncounted);
void dfl_least_rows_free(dfl_least_rows *least);
bool dfl_least_rows_factor(dfl_least_rows *least, const double *D, const double *A);
void dfl_least_rows_solve(double *l, dfl_least_rows *least, const double *f);

/* The same for a real and a complex D at once, in lanes of 4: real, real part, imaginary part,
   nothing. D must have been given a pattern. DFL_NO_MEMORY: *out is NULL. */
typedef struct dfl_lane_ldl dfl_lane_ldl;
dfl_status dfl_lane_ldl_create(dfl_lane_ldl **out, const dfl_saddle_ldl *of);
void dfl_lane_ldl_free(dfl_lane_ldl *ldl);

/* D: lanes per entry of its pattern. False: a pivot vanishes. */
bool dfl_lane_ldl_factor(dfl_lane_ldl *ldl, const double *D, const double *A,
                         const unsigned char *left_out);
void dfl_lane_ldl_solve(double *x, double *l, dfl_lane_ldl *ldl);

/* (x, l) (nv, nc) := the solution for the right-hand sides (x, l); l = 0 in rows left out. */
void dfl_saddle_ldl_solve(double *x, double *l, dfl_saddle_ldl *ldl);

/* The same for four right-hand sides side by side; without `forces` x is not read, as if it were 0,
   and l is not written. work: 4 (nv + nc). */
void dfl_saddle_ldl_solve_lanes(double *x, double *l, const dfl_saddle_ldl *ldl, bool forces,
                                double *work);

#endif
