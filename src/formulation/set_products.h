/* set_products.h: vectors whose components are sets, lanes of 4 (real | real part, imaginary part |
   0), and their products with sparse matrices of numbers: one vector instruction for all shifts. */
#ifndef DFL_SET_PRODUCTS_H
#define DFL_SET_PRODUCTS_H
#include "linalg/linalg.h"

enum { DFL_LANES_OF_SET = 4, DFL_SET = DFL_LANES_OF_SET };

/* A sparse matrix, by columns or by rows, from column or row `first` on. */
typedef struct dfl_set_matrix {
    const int *start, *index;
    const double *value;
    int first, count;
} dfl_set_matrix;

/* Where a set is in lanes of all stages: `pair` of complex ones or the real lane alone; `whole`:
   these lanes are one set. */
typedef struct dfl_set_place {
    int width, set;
    bool pair, whole;
} dfl_set_place;

/* n components of a set from lanes of all stages; and back, other lanes as they are, but those that
   are never used may be cleared. */
void dfl_set_take(double *x, const double *lanes, const dfl_set_place *at, int n);
void dfl_set_give(double *lanes, const dfl_set_place *at, const double *x, int n);

/* y += factor (A x), A by columns; the same, A by rows. */
void dfl_set_add_columns(double *y, const dfl_set_matrix *A, double factor, const double *x);
void dfl_set_add_rows(double *y, const dfl_set_matrix *A, double factor, const double *x);

/* y -= A x with an A of sets, by columns; returns the size of the largest product. */
double dfl_set_subtract_sets(double *y, const dfl_set_matrix *A, const double *x);

/* y += factor x; y := x + z; y := factor x; y += factor zeta x: n components. */
void dfl_set_add(double *y, double factor, const double *x, int n);
void dfl_set_sum(double *y, const double *x, const double *z, int n);
void dfl_set_scale(double *y, double factor, const double *x, int n);
void dfl_set_add_shifted(double *y, const double *zeta, double factor, const double *x, int n);

/* y -= zeta M x with a diagonal M. */
void dfl_set_subtract_inertia(double *y, const double *zeta, const double *M, const double *x,
                              int n);

/* The largest |x|, infinite if one is not finite. */
double dfl_set_largest(const double *x, int n);

/* One component, inlined where it is used. */
static DFL_INLINE void dfl_set_store(double *x, dfl_four value)
{
    *(dfl_quad *)x = value;
}

static DFL_INLINE void dfl_set_add_one(double *y, double a, const double *x)
{
    *(dfl_quad *)y += a * *(const dfl_quad *)x;
}

#endif
