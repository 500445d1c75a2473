/* print.h: expressions for people, as text or LaTeX; shared parts get names. */
#ifndef DFL_PRINT_H
#define DFL_PRINT_H

#include "context/context.h"
#include "symbolic/graph.h"

typedef enum dfl_notation { DFL_TEXT, DFL_LATEX } dfl_notation;

/* Names for subexpressions that occur more than once among `rows` and are worth a name, in the
   order in which they must be defined. Small ones (a symbol, a constant, sin(x), der(x)^2) get
   none; what nests too deeply to be read gets one, too. So the text of all rows and parts together
   grows no faster than the number of nodes. */
typedef struct dfl_names {
    int count;
    dfl_expr *expr;   /* count */
    uint32_t *number; /* per node: number of its name + 1, or 0 */
    uint32_t nnodes;  /* length of `number`; nodes made later have no name */
    int letters;      /* z, or zz, ...: no symbol's name is this with digits after it */
} dfl_names;
dfl_status dfl_names_choose(dfl_names *out, const dfl_graph *graph, const dfl_expr *rows,
                            int nrows);
void dfl_names_clear(dfl_names *names, dfl_context *ctx);

/* Appends an expression with the fewest brackets; `names` may be NULL. Named parts other than
   `expr` itself appear as z1, z2, ... (LaTeX: z_{1}). Without names, what nests deeper than 1000
   operations or comes after the first 20000 appears as "...". */
void dfl_print_expr(dfl_text *text, const dfl_graph *graph, dfl_expr expr, const dfl_names *names,
                    dfl_notation notation);

/* Appends the name of part number i, i from 0. */
void dfl_print_part_name(dfl_text *text, const dfl_names *names, int i, dfl_notation notation);

/* Appends a variable's name: x, der(x), lambda(rod); in LaTeX x, \dot{x},
   \lambda_{\mathrm{rod}}. */
void dfl_print_name(dfl_text *text, const char *name, dfl_notation notation);

/* Appends a number with the digits that are needed to read it back exactly. */
void dfl_print_number(dfl_text *text, double value, dfl_notation notation);

#endif
