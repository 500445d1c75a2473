/* table_terms.h: functions through tables.

   A function through a table with numbers is one piecewise polynomial. Every kind but the monotone
   one is linear in its ordinates, and that one is linear in ordinates and slopes. So ordinates that
   are expressions of parameters multiply the functions through 1 at one place and 0 at the others,
   and a map of two arguments is a sum of products of such functions: a function is a list of terms,
   each a factor times one piecewise polynomial per argument. */
#ifndef DFL_TABLE_TERMS_H
#define DFL_TABLE_TERMS_H

#include "symbolic/graph.h"

typedef enum dfl_table_kind {
    DFL_TABLE_LINEAR,   /* kinks at the points; x given twice is a jump */
    DFL_TABLE_MONOTONE, /* slopes of Fritsch and Butland: continuous slope, nothing overshoots */
    DFL_TABLE_CUBIC,    /* natural cubic spline: continuous curvature */
    DFL_TABLE_SMOOTH,   /* natural spline of degree 5: four continuous derivatives */
    DFL_TABLE_KINDS
} dfl_table_kind;

typedef enum dfl_outside {
    DFL_OUTSIDE_HOLD,   /* the end's value */
    DFL_OUTSIDE_EXTEND, /* the end's value and slope */
    DFL_OUTSIDE_REPEAT, /* again and again; the first and the last value agree */
    DFL_OUTSIDE_ERROR,  /* an error of the caller; the function continues as EXTEND */
    DFL_OUTSIDES
} dfl_outside;

/* Where the values of a table are given along one argument. */
typedef struct dfl_axis {
    const double *x; /* n, ascending */
    int n;
    dfl_table_kind kind;
    dfl_outside outside;
    bool free_ends; /* a cubic spline without conditions at its ends: the outer two pieces are one
                       cubic */
} dfl_axis;

/* One addend: factor, times piecewise polynomials (by number) of x and of y; -1: none. */
typedef struct dfl_term {
    dfl_expr factor;
    int along_x, along_y;
} dfl_term;

/* DFL_INVALID, "table: x must ascend (row 5: 2 after 2.5)", for numbers that are no axis; `name`:
   what the message calls it. */
dfl_status dfl_axis_check(dfl_context *ctx, const dfl_axis *axis, const char *name);

/* Terms of the function through the ordinates y (axis->n), numbers or expressions of parameters.
   `terms` has room for dfl_table_terms(axis->n). DFL_INVALID: points too close together, or values
   that do not repeat. */
dfl_status dfl_table_create(dfl_term *terms, int *count, dfl_graph *graph, const dfl_axis *axis,
                            const dfl_expr *y);
static inline int dfl_table_terms(int n)
{
    return 2 * n + 1;
}

/* The same for values z (x->n rows of y->n) at the points of a grid; both axes linear or both
   cubic. Room for dfl_map_terms. */
dfl_status dfl_map_create(dfl_term *terms, int *count, dfl_graph *graph, const dfl_axis *x,
                          const dfl_axis *y, const dfl_expr *z);
static inline int dfl_map_terms(int nx, int ny)
{
    return nx * ny + (nx < ny ? nx : ny);
}

/* The argument of a table that repeats, moved into it; any other as it is. */
dfl_expr dfl_axis_argument(dfl_graph *graph, const dfl_axis *axis, dfl_expr argument);

/* The sum of the terms at arguments from dfl_axis_argument. */
dfl_expr dfl_terms_expr(dfl_graph *graph, const dfl_term *terms, int count, dfl_expr x, dfl_expr y);

/* The least and the largest value between the ends of a table with these numbers. */
dfl_status dfl_table_range(double range[2], dfl_context *ctx, const dfl_axis *axis,
                           const double *y);

#endif
