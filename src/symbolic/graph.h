/* graph.h: expressions as one shared graph.

   A node is an operation on earlier nodes; its number is its identity, so equal numbers mean equal
   expressions, numbers ascend from operands to results, and every pass is a loop over an array.
   Constructors look a node up before they make it (hash-consing) and bring it into a canonical form
   in constant time (the rules are in canonical.c). Nodes are never removed.

   A constructor that fails (memory, node limit) returns the constant 0 and the graph remembers the
   failure: build a whole expression, then ask dfl_graph_status once. */
#ifndef DFL_GRAPH_H
#define DFL_GRAPH_H

#include <driftless/context.h>

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t dfl_expr;
#define DFL_NO_EXPR UINT32_MAX

typedef enum dfl_op {
    DFL_OP_CONSTANT, /* a: number in the table of constants */
    DFL_OP_SYMBOL,   /* a: number in the table of symbols */
    /* of one operand a */
    DFL_OP_NEG,
    DFL_OP_SQ, /* a a */
    DFL_OP_SQRT,
    DFL_OP_EXP,
    DFL_OP_LOG,
    DFL_OP_SIN,
    DFL_OP_COS,
    DFL_OP_TAN,
    DFL_OP_ASIN,
    DFL_OP_ACOS,
    DFL_OP_ATAN,
    DFL_OP_SINH,
    DFL_OP_COSH,
    DFL_OP_TANH,
    DFL_OP_ABS,
    DFL_OP_SIGN,    /* -1, 0, 1 */
    DFL_OP_FLOOR,   /* the largest whole number that is not above a */
    DFL_OP_NOEVENT, /* a, whose switches are not watched (locking.h) */
    DFL_OP_SPLINE,  /* derivative number c of spline number b at a */
    /* of two operands a, b */
    DFL_OP_ADD,
    DFL_OP_SUB,
    DFL_OP_MUL,
    DFL_OP_DIV,
    DFL_OP_POW,
    DFL_OP_ATAN2, /* of the point (x = b, y = a) */
    DFL_OP_MIN,
    DFL_OP_MAX,
    /* of three */
    DFL_OP_SELECT, /* b where a > 0, else c */
    DFL_OPS
} dfl_op;

/* What a symbol stands for. */
typedef enum dfl_symbol_kind {
    DFL_SYM_TIME,
    DFL_SYM_PARAM,
    DFL_SYM_INPUT,
    DFL_SYM_LEVEL, /* the initial value that an invariant keeps */
    DFL_SYM_W,
    DFL_SYM_LAMBDA,
    DFL_SYM_MU,
    DFL_SYM_R,
    DFL_SYM_V,
    DFL_SYM_S,
    DFL_SYM_P,
    DFL_SYM_A,        /* accelerations v' */
    DFL_SYM_PENDING,  /* stands for an expression that is known when the model is complete */
    DFL_SYM_BRANCH,   /* the branch in which a switch is frozen (locking.h) */
    DFL_SYM_DISCRETE, /* a variable that keeps its value between events */
    DFL_SYM_RATE,     /* a further derivative by time, or what analyses add; the last of 16 */
    DFL_SYM_KINDS
} dfl_symbol_kind;

/* 16 bytes. `depends` has bit (1 << kind) for every kind of symbol below the node. */
typedef struct dfl_node {
    uint8_t op;
    uint8_t spare;
    uint16_t depends;
    dfl_expr a, b, c; /* operands; unused ones are 0 */
} dfl_node;

typedef struct dfl_symbol {
    dfl_symbol_kind kind;
    int index; /* within its kind */
    char *name;
    dfl_expr expr; /* its node */
} dfl_symbol;

/* A piecewise polynomial. */
typedef struct dfl_spline {
    int n;     /* knots, at least 1 */
    double *x; /* n, ascending */
    double
        *coef; /* (n+1) x 6: row i has the coefficients of (x - x[i])^0 .. ^5 of the piece that ends
                     at knot i (row 0: all below the table); row n, about x[n-1]: all above it */
    int smoothness;     /* continuous derivatives at inner knots: 0 a kink, -1 a jump */
    int end_smoothness; /* the same at the first and the last knot: the lower one */
} dfl_spline;

typedef struct dfl_graph {
    dfl_context *ctx;
    dfl_node *nodes;
    uint32_t nnodes, max_nodes, limit;
    uint32_t *table; /* open addressing: node numbers, DFL_NO_EXPR where empty */
    uint32_t table_size;
    double *constants;
    uint32_t nconstants, max_constants;
    dfl_symbol *symbols;
    int nsymbols, max_symbols;
    dfl_spline *splines;
    int nsplines, max_splines;
    uint64_t requests; /* constructor calls, for measurements of sharing */
    dfl_status status; /* the first failure */
} dfl_graph;

enum { DFL_LARGEST_GRAPH = 1 << 30 }; /* so that twice their number fits into 32 bits */

/* Creates a graph that refuses more than `limit` nodes; 0 means 2e7. Node 0 is the constant 0. */
dfl_status dfl_graph_create(dfl_graph **out, dfl_context *ctx, uint32_t limit);
void dfl_graph_free(dfl_graph *graph);

/* DFL_OK, or the first failure, with its message in the context. */
dfl_status dfl_graph_status(dfl_graph *graph);

/* Forgets that there was no memory, for another attempt: no node was made since then. */
void dfl_graph_retry(dfl_graph *graph);

/* The number of nodes that n expressions consist of, each counted once: a message about the limit
   can name the largest part. 0 without memory. */
uint32_t dfl_graph_size(const dfl_graph *graph, const dfl_expr *rows, int n);

/* A zero has no sign: -0.0 is the constant 0. */
dfl_expr dfl_constant(dfl_graph *graph, double value);
/* The symbol of this kind and index, made at the first call; `name` is copied then. */
dfl_expr dfl_symbol_expr(dfl_graph *graph, dfl_symbol_kind kind, int index, const char *name);

/* Canonical operations. dfl_unary takes DFL_OP_NEG to DFL_OP_NOEVENT, dfl_binary DFL_OP_ADD to
   DFL_OP_MAX. Powers with small integer exponents become products, exponent 1/2 a square root. */
dfl_expr dfl_unary(dfl_graph *graph, dfl_op op, dfl_expr a);
dfl_expr dfl_binary(dfl_graph *graph, dfl_op op, dfl_expr a, dfl_expr b);
dfl_expr dfl_select(dfl_graph *graph, dfl_expr condition, dfl_expr positive, dfl_expr otherwise);

static inline dfl_expr dfl_add(dfl_graph *g, dfl_expr a, dfl_expr b)
{
    return dfl_binary(g, DFL_OP_ADD, a, b);
}
static inline dfl_expr dfl_sub(dfl_graph *g, dfl_expr a, dfl_expr b)
{
    return dfl_binary(g, DFL_OP_SUB, a, b);
}
static inline dfl_expr dfl_mul(dfl_graph *g, dfl_expr a, dfl_expr b)
{
    return dfl_binary(g, DFL_OP_MUL, a, b);
}
static inline dfl_expr dfl_div(dfl_graph *g, dfl_expr a, dfl_expr b)
{
    return dfl_binary(g, DFL_OP_DIV, a, b);
}
static inline dfl_expr dfl_neg(dfl_graph *g, dfl_expr a)
{
    return dfl_unary(g, DFL_OP_NEG, a);
}

/* Makes the natural spline of degree 5 through n >= 3 points, x strictly ascending, and returns its
   number in *out: four times continuously differentiable, continued beyond the table by parabolas.
   DFL_INVALID names the bad entry. table_terms.h makes others. */
dfl_status dfl_spline_create(int *out, dfl_graph *graph, const double *x, const double *y, int n);
dfl_expr dfl_spline_expr(dfl_graph *graph, int spline, int derivative, dfl_expr argument);
/* The row is the number of knots below x; then Horner's rule. */
double dfl_spline_value(const dfl_spline *spline, int derivative, double x);

/* The value of one operation; every evaluator and the folding of constants use this definition. */
double dfl_op_value(const dfl_graph *graph, const dfl_node *node, double a, double b, double c);

/* Access. */
static inline const dfl_node *dfl_node_of(const dfl_graph *g, dfl_expr e)
{
    return &g->nodes[e];
}
static inline bool dfl_is_constant(const dfl_graph *g, dfl_expr e)
{
    return g->nodes[e].op == DFL_OP_CONSTANT;
}
static inline double dfl_constant_value(const dfl_graph *g, dfl_expr e)
{
    return g->constants[g->nodes[e].a];
}
static inline bool dfl_depends(const dfl_graph *g, dfl_expr e, dfl_symbol_kind kind)
{
    return g->nodes[e].depends >> kind & 1;
}
/* 0 to 3 */
int dfl_op_operands(dfl_op op);
/* "sin", "atan2", "+", ... */
const char *dfl_op_name(dfl_op op);

#endif
