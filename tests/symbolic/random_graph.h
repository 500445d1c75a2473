/* random_graph.h: random expressions of all operations, their plain evaluation, and points with
   special values, for the tests of everything that evaluates. */
#ifndef DFL_TESTS_RANDOM_GRAPH_H
#define DFL_TESTS_RANDOM_GRAPH_H

#include "symbolic/graph_internal.h"
#include "symbolic/symbolic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    EACH = 3,    /* symbols of every kind */
    ARRAYS = 6,  /* input arrays: time, state, accelerations, parameters, inputs, levels */
    LENGTH = 32, /* of an input array */
    STATES = 7   /* kinds that share the state array */
};

/* A small generator of its own, so that every machine tests the same graphs. */
static inline uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}
static inline uint32_t random_below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)((next_random(seed) >> 33) % n);
}
static inline double random_between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * (double)(next_random(seed) >> 11) * 0x1p-53;
}

/* Ordinary numbers, and one in eight that is not. */
static inline double random_value(uint64_t *seed)
{
    static const double special[] = {0.0,   -0.0,   1.0,    -1.0,     INFINITY, -INFINITY, NAN,
                                     1e308, -1e308, 5e-324, 2.2e-308, 1e22,     0.5,       1e-9};
    if (random_below(seed, 8) == 0)
        return special[random_below(seed, sizeof special / sizeof *special)];
    return random_between(seed, -2, 2);
}

/* Where the symbols of random graphs are found; state variables are scattered over one array. */
typedef struct places {
    dfl_place place[DFL_SYM_KINDS];
    int slot[STATES][EACH];
} places;

static inline void make_places(places *p)
{
    static const dfl_symbol_kind state[STATES] = {DFL_SYM_W, DFL_SYM_LAMBDA, DFL_SYM_MU, DFL_SYM_R,
                                                  DFL_SYM_V, DFL_SYM_S,      DFL_SYM_P};
    memset(p, 0, sizeof *p);
    p->place[DFL_SYM_TIME].array = 0;
    p->place[DFL_SYM_A].array = 2;
    p->place[DFL_SYM_PARAM].array = 3;
    p->place[DFL_SYM_INPUT].array = 4;
    p->place[DFL_SYM_LEVEL].array = 5;
    for (int k = 0; k < STATES; k++) {
        p->place[state[k]] = (dfl_place){.array = 1, .slot = p->slot[k]};
        for (int i = 0; i < EACH; i++) /* some neighbours, some reversed */
            p->slot[k][i] = k * EACH + (k % 2 ? i : EACH - 1 - i);
    }
}

/* The input arrays of one point. */
typedef struct point {
    double value[ARRAYS][LENGTH];
    const double *in[ARRAYS];
} point;

static inline void make_point(point *p, uint64_t *seed)
{
    for (int a = 0; a < ARRAYS; a++) {
        p->in[a] = p->value[a];
        for (int i = 0; i < LENGTH; i++)
            p->value[a][i] = random_value(seed);
    }
}

static inline dfl_expr random_leaf(dfl_graph *graph, uint64_t *seed)
{
    const double value = random_value(seed);
    if (isfinite(value) && random_below(seed, 4) == 0)
        return dfl_constant(graph, value);
    const dfl_symbol_kind kind = (dfl_symbol_kind)random_below(seed, DFL_SYM_A + 1);
    const int index = kind == DFL_SYM_TIME ? 0 : (int)random_below(seed, EACH);
    char name[32];
    snprintf(name, sizeof name, "s%d_%d", (int)kind, index);
    return dfl_symbol_expr(graph, kind, index, name);
}

/* A new operation on earlier ones; half of them as they are, half in canonical form. */
static inline dfl_expr random_operation(dfl_graph *graph, uint64_t *seed, const dfl_expr *pool,
                                        uint32_t npool)
{
    const dfl_op op = (dfl_op)(DFL_OP_NEG + random_below(seed, (uint32_t)(DFL_OPS - DFL_OP_NEG)));
    const dfl_expr a = pool[random_below(seed, npool)], b = pool[random_below(seed, npool)];
    const dfl_expr c = pool[random_below(seed, npool)];
    const int operands = dfl_op_operands(op);
    if (op == DFL_OP_SPLINE)
        return dfl_spline_expr(graph, (int)random_below(seed, (uint32_t)graph->nsplines),
                               (int)random_below(seed, 6), a);
    if (random_below(seed, 2))
        return dfl_graph_intern(graph, op, a, operands > 1 ? b : 0, operands > 2 ? c : 0);
    if (operands == 1)
        return dfl_unary(graph, op, a);
    return operands == 2 ? dfl_binary(graph, op, a, b) : dfl_select(graph, a, b, c);
}

/* Fills pool[0 .. n-1] with leaves and operations; the graph must have splines. */
static inline void random_expressions(dfl_graph *graph, uint64_t *seed, dfl_expr *pool, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        pool[i] = i < 4 || random_below(seed, 6) == 0 ? random_leaf(graph, seed)
                                                      : random_operation(graph, seed, pool, i);
    assert_int_equal(dfl_graph_status(graph), DFL_OK);
}

static inline dfl_graph *random_graph(dfl_context *ctx)
{
    const double x[] = {-1, 0, 0.5, 2, 3}, y[] = {1, 0, 2, -1, 0.5};
    dfl_graph *graph = NULL;
    int number = 0;
    assert_int_equal(dfl_graph_create(&graph, ctx, 0), DFL_OK);
    assert_int_equal(dfl_spline_create(&number, graph, x, y, 5), DFL_OK);
    assert_int_equal(dfl_spline_create(&number, graph, x + 1, y, 3), DFL_OK);
    return graph;
}

/* The values of all nodes, one after another. */
static inline void plain_values(double *value, const dfl_graph *graph, const dfl_place *place,
                                const double *const *in)
{
    for (uint32_t i = 0; i < graph->nnodes; i++) {
        const dfl_node *node = &graph->nodes[i];
        if (node->op == DFL_OP_SYMBOL) {
            const dfl_symbol *s = &graph->symbols[node->a];
            const dfl_place *p = &place[s->kind];
            value[i] = in[p->array][p->slot ? p->slot[s->index] : s->index];
        } else {
            const int n = dfl_op_operands((dfl_op)node->op);
            value[i] = dfl_op_value(graph, node, n > 0 ? value[node->a] : 0,
                                    n > 1 ? value[node->b] : 0, n > 2 ? value[node->c] : 0);
        }
    }
}

/* The same bits; of NaN only that it is one. */
static inline void assert_same(double found, double expected, const char *what, int i)
{
    if (isnan(found) && isnan(expected))
        return;
    if (memcmp(&found, &expected, sizeof found) != 0)
        fail_msg("%s %d: found %a, expected %a", what, i, found, expected);
}

#endif
