/* differentiate.h: exact derivatives; the results are expressions of the same graph.

   abs, min, max, select, sign: the derivative of the branch that is taken; at a jump or a corner
   that of "otherwise", and 0 for abs. x^y by y where x = 0: the limit 0. No function here recurses:
   expressions may be as deep as memory allows. */
#ifndef DFL_DIFFERENTIATE_H
#define DFL_DIFFERENTIATE_H

#include "symbolic/graph.h"

/* The entries of a sparse matrix of expressions that are not identically zero, column by column,
   rows ascending. */
typedef struct dfl_entry {
    int row, col;
    dfl_expr expr;
} dfl_entry;
typedef struct dfl_sparse {
    int nrows, ncols;
    int count;
    dfl_entry *entry; /* from the graph's context */
} dfl_sparse;
void dfl_sparse_clear(dfl_sparse *matrix, dfl_context *ctx);

/* d rows / d symbols by forward sweeps, each over the nodes that depend on its symbol. `symbols`
   are nodes of symbols, or DFL_NO_EXPR for a column without entries. On failure *out is empty. */
dfl_status dfl_jacobian_exprs(dfl_sparse *out, dfl_graph *graph, const dfl_expr *rows, int nrows,
                              const dfl_expr *symbols, int ncols);

/* gradient[i] = d root / d symbols[i], by one reverse sweep; below min, max and select by forward
   sweeps, in which a branch that is not taken cannot spoil the result by being infinite. */
dfl_status dfl_gradient_exprs(dfl_expr *gradient, dfl_graph *graph, dfl_expr root,
                              const dfl_expr *symbols, int n);

/* out[k] = sum_i d rows[k] / d symbols[i] * rates[i]: the derivative along a direction, such as
   d/dt with the rates p' = Z v, t' = 1. Other nodes than symbols may be given, too, if their rates
   are known: what they consist of is then not differentiated. */
dfl_status dfl_along_exprs(dfl_expr *out, dfl_graph *graph, const dfl_expr *rows, int nrows,
                           const dfl_expr *symbols, const dfl_expr *rates, int n);

/* out[k] = rows[k] with every symbols[i] replaced by values[i] (at once, not one after another). */
dfl_status dfl_substitute_exprs(dfl_expr *out, dfl_graph *graph, const dfl_expr *rows, int nrows,
                                const dfl_expr *symbols, const dfl_expr *values, int n);

#endif
