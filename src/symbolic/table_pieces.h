/* table_pieces.h: piecewise polynomials through numbers, for tables. */
#ifndef DFL_TABLE_PIECES_H
#define DFL_TABLE_PIECES_H

#include "symbolic/graph_internal.h"
#include "symbolic/table_terms.h"

/* The function through y; `slopes` (n): the slopes at the points, NULL: those of the kind. Its
   arrays belong to the caller (dfl_pieces_clear), also after a failure. */
dfl_status dfl_pieces_create(dfl_spline *out, dfl_context *ctx, const dfl_axis *axis,
                             const double *y, const double *slopes);
void dfl_pieces_clear(dfl_spline *pieces, dfl_context *ctx);

/* Leaves out knots at the ends around which the function is zero. */
void dfl_pieces_trim(dfl_spline *pieces);

/* How much the pieces on both sides of a knot differ half an interval away from it, on the average
   over the table and as a part of the range of its values. */
double dfl_pieces_roughness(const dfl_spline *pieces);

/* Slopes at the n >= 2 points: of the monotone cubic, of the natural cubic spline (`work`: n),
   of the one whose outer two pieces are one cubic on each side. */
void dfl_monotone_slopes(double *d, const double *x, const double *y, int n);
void dfl_natural_slopes(double *d, const double *x, const double *y, int n, double *work);
void dfl_free_end_slopes(double *d, const double *x, const double *y, int n, double *work);

/* The first of these where ordinates are expressions. */
void dfl_monotone_slope_exprs(dfl_expr *d, dfl_graph *graph, const dfl_axis *axis,
                              const dfl_expr *y);

#endif
