/* rules.h: the derivatives of single operations. */
#ifndef DFL_RULES_H
#define DFL_RULES_H

#include "symbolic/graph.h"

/* A node during a sweep: its number and operands in the graph. */
typedef struct dfl_rule {
    dfl_op op;
    dfl_expr e, a, b, c; /* of a spline, b and c are its number and derivative */
} dfl_rule;

/* The derivative of the node from those of its operands; unused ones are 0. */
dfl_expr dfl_rule_forward(dfl_graph *graph, const dfl_rule *rule, dfl_expr da, dfl_expr db,
                          dfl_expr dc);

/* `adjoint` times the derivative of the node with respect to operand `which`, 0 to 2. Not for min,
   max and select. */
dfl_expr dfl_rule_reverse(dfl_graph *graph, const dfl_rule *rule, int which, dfl_expr adjoint);

#endif
