/* graph_internal.h: what the files of the expression graph share among themselves. */
#ifndef DFL_GRAPH_INTERNAL_H
#define DFL_GRAPH_INTERNAL_H

#include "symbolic/graph.h"

/* The node (op, a, b, c) as it is, found or made: no rule is applied. */
dfl_expr dfl_graph_intern(dfl_graph *graph, dfl_op op, dfl_expr a, dfl_expr b, dfl_expr c);

/* `array` with room for at least `needed` elements (at most `most`), moved to twice the room if it
   must grow; *room is updated. NULL without memory: then `array` stays as it was. */
void *dfl_grown(void *array, uint32_t *room, dfl_context *ctx, uint32_t needed, uint32_t most,
                size_t size);

/* Hands the arrays of a piecewise polynomial over to the graph; *out is its number. */
dfl_status dfl_spline_keep(int *out, dfl_graph *graph, const dfl_spline *spline);

enum { DFL_SPLINE_COEFS = 6 }; /* of a piece */

/* (n+1) x 6: the pieces of the natural spline of degree 5 through n >= 3 points, x strictly
   ascending, as in dfl_spline. DFL_INVALID: too uneven for accurate pieces. */
dfl_status dfl_quintic_pieces(double *coef, dfl_context *ctx, const double *x, const double *y,
                              int n);

/* The canonical form of node's operation on other operands. */
dfl_expr dfl_rebuild(dfl_graph *graph, const dfl_node *node, dfl_expr a, dfl_expr b, dfl_expr c);

#endif
