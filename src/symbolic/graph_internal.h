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

/* The canonical form of node's operation on other operands. */
dfl_expr dfl_rebuild(dfl_graph *graph, const dfl_node *node, dfl_expr a, dfl_expr b, dfl_expr c);

#endif
