/* part.h: the nodes below some roots as a separate program, for passes over expressions. */
#ifndef DFL_PART_H
#define DFL_PART_H

#include "symbolic/graph.h"

typedef struct dfl_part {
    dfl_context *ctx;
    uint32_t count;
    dfl_node *node;   /* count, operands first; operands are places in this array */
    dfl_expr *expr;   /* count: their numbers in the graph, ascending */
    uint64_t *marked; /* a bit for every node of the graph */
    uint32_t *before; /* per word of `marked`: bits set in the words before */
    uint32_t nwords;
} dfl_part;

/* Everything that n expressions consist of. On failure *out is empty. */
dfl_status dfl_part_create(dfl_part *out, const dfl_graph *graph, const dfl_expr *rows, int n);
void dfl_part_clear(dfl_part *part);

/* The place of a node of the graph, or DFL_NO_EXPR if it is not part of it. */
uint32_t dfl_part_place(const dfl_part *part, dfl_expr e);

/* The plain definition of every operation: value[i] of all nodes, where `symbol` gives the value of
   a symbol of the graph by its number. */
typedef double (*dfl_symbol_value_fn)(uint32_t symbol, const void *user);
void dfl_part_evaluate(double *value, const dfl_part *part, const dfl_graph *graph,
                       dfl_symbol_value_fn symbol, const void *user);

/* The number of the lowest bit that is set. */
uint32_t dfl_low_bit(uint64_t word);

#endif
