/* forward_sweep.h: one node of a forward sweep, shared by the files that differentiate. */
#ifndef DFL_FORWARD_SWEEP_H
#define DFL_FORWARD_SWEEP_H

#include "symbolic/part.h"
#include "symbolic/rules.h"

/* The node at place i with its operands' numbers in the graph. */
dfl_rule dfl_sweep_rule(const dfl_part *part, uint32_t i);

/* The derivative of the node at place i, from those at the places of its operands. */
dfl_expr dfl_sweep_node(dfl_graph *graph, const dfl_part *part, uint32_t i,
                        const dfl_expr *derivative);

#endif
