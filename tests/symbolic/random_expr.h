/* random_expr.h: random expressions for the tests of the symbolic engine, each built twice: through
   the constructors, and as a plain list of steps that is evaluated as it stands. */
#ifndef DFL_TESTS_RANDOM_EXPR_H
#define DFL_TESTS_RANDOM_EXPR_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolic/symbolic.h"

enum { SYMBOLS = 5, STEPS = 60 };

/* One operation on earlier steps, a symbol (a: its number) or a constant. */
typedef struct step {
    dfl_op op;
    int a, b, c;
    double constant;
} step;

typedef struct listing {
    int n;
    step step[STEPS];
    dfl_expr expr[STEPS]; /* what the constructors made of it */
    double value[STEPS];  /* at the point given last */
    double
        error[STEPS]; /* bound of rounding errors there, per unit roundoff; not finite: unknown */
    double extent[STEPS]; /* sum of the sizes of all contributions to the derivatives */
} listing;

/* Marsaglia's xorshift, 64 bits. */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline int random_below(uint64_t *state, int n)
{
    return (int)((next_random(state) >> 20) % (uint64_t)n);
}

static inline double random_between(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(next_random(state) >> 11) * 0x1p-53;
}

/* The derivatives of an operation with value v, by hand: for bounds only. */
static inline void slopes(double p[3], const step *s, double a, double b, double v,
                          const dfl_graph *graph)
{
    p[0] = p[1] = p[2] = 0;
    switch (s->op) {
    case DFL_OP_NEG:
    case DFL_OP_ABS:
        p[0] = 1;
        break;
    case DFL_OP_SQ:
        p[0] = 2 * a;
        break;
    case DFL_OP_SQRT:
        p[0] = 0.5 / v;
        break;
    case DFL_OP_EXP:
        p[0] = v;
        break;
    case DFL_OP_LOG:
        p[0] = 1 / a;
        break;
    case DFL_OP_SIN:
    case DFL_OP_COS:
        p[0] = 1;
        break;
    case DFL_OP_TAN:
        p[0] = 1 + v * v;
        break;
    case DFL_OP_ASIN:
    case DFL_OP_ACOS:
        p[0] = 1 / sqrt(1 - a * a);
        break;
    case DFL_OP_ATAN:
        p[0] = 1 / (1 + a * a);
        break;
    case DFL_OP_SINH:
    case DFL_OP_COSH:
        p[0] = cosh(a);
        break;
    case DFL_OP_TANH:
        p[0] = 1;
        break;
    case DFL_OP_SPLINE:
        p[0] = dfl_spline_value(&graph->splines[s->b], s->c + 1, a);
        break;
    case DFL_OP_ADD:
    case DFL_OP_SUB:
    case DFL_OP_MIN:
    case DFL_OP_MAX:
        p[0] = p[1] = 1;
        break;
    case DFL_OP_MUL:
        p[0] = b;
        p[1] = a;
        break;
    case DFL_OP_DIV:
        p[0] = 1 / b;
        p[1] = v / b;
        break;
    case DFL_OP_POW:
        p[0] = b * v / a;
        p[1] = v * log(fabs(a));
        break;
    case DFL_OP_ATAN2:
        p[0] = b / (a * a + b * b);
        p[1] = a / (a * a + b * b);
        break;
    case DFL_OP_SELECT:
        p[1] = p[2] = 1;
        break;
    default:
        break;
    }
}

/* The value of a step as C has it. */
static inline double step_value(const step *s, double a, double b, double c, const double *x,
                                const dfl_graph *graph)
{
    switch (s->op) {
    case DFL_OP_CONSTANT:
        return s->constant;
    case DFL_OP_SYMBOL:
        return x[s->a];
    case DFL_OP_NEG:
        return -a;
    case DFL_OP_SQ:
        return a * a;
    case DFL_OP_SQRT:
        return sqrt(a);
    case DFL_OP_EXP:
        return exp(a);
    case DFL_OP_LOG:
        return log(a);
    case DFL_OP_SIN:
        return sin(a);
    case DFL_OP_COS:
        return cos(a);
    case DFL_OP_TAN:
        return tan(a);
    case DFL_OP_ASIN:
        return asin(a);
    case DFL_OP_ACOS:
        return acos(a);
    case DFL_OP_ATAN:
        return atan(a);
    case DFL_OP_SINH:
        return sinh(a);
    case DFL_OP_COSH:
        return cosh(a);
    case DFL_OP_TANH:
        return tanh(a);
    case DFL_OP_ABS:
        return fabs(a);
    case DFL_OP_SIGN:
        return a > 0 ? 1 : a < 0 ? -1 : 0;
    case DFL_OP_FLOOR:
        return floor(a);
    case DFL_OP_SPLINE:
        return dfl_spline_value(&graph->splines[s->b], s->c, a);
    case DFL_OP_ADD:
        return a + b;
    case DFL_OP_SUB:
        return a - b;
    case DFL_OP_MUL:
        return a * b;
    case DFL_OP_DIV:
        return a / b;
    case DFL_OP_POW:
        return pow(a, b);
    case DFL_OP_ATAN2:
        return atan2(a, b);
    case DFL_OP_MIN:
        return a < b ? a : b;
    case DFL_OP_MAX:
        return a > b ? a : b;
    case DFL_OP_SELECT:
        return a > 0 ? b : c;
    default:
        return NAN;
    }
}

/* Whether a small change of the operands may change the result by jumps, or across a border of the
   domain: then nothing is known about the error. */
static inline bool on_the_edge(const step *s, double a, double ea, double b, double eb)
{
    const double slack = 64 * DBL_EPSILON;
    if (s->op == DFL_OP_SIGN || s->op == DFL_OP_SELECT)
        return fabs(a) <= slack * ea;
    if (s->op == DFL_OP_FLOOR)
        return fabs(a - nearbyint(a)) <= slack * ea;
    if (s->op == DFL_OP_ATAN2)
        return fabs(a) <= slack * ea && b <= slack * eb;
    if (s->op == DFL_OP_POW)
        return a <= slack * ea;
    return false;
}

/* Evaluates step i with its error bound and extent. */
static inline void evaluate_step(listing *l, int i, const double *x, const dfl_graph *graph)
{
    const step *s = &l->step[i];
    const int operands = dfl_op_operands(s->op);
    const int from[3] = {s->a, operands > 1 ? s->b : 0, operands > 2 ? s->c : 0};
    double v[3] = {0}, p[3];
    for (int k = 0; k < operands; k++)
        v[k] = l->value[from[k]];
    l->value[i] = step_value(s, v[0], v[1], v[2], x, graph);
    slopes(p, s, v[0], v[1], l->value[i], graph);
    l->error[i] = fabs(l->value[i]);
    l->extent[i] = s->op == DFL_OP_SYMBOL ? 1 : 0;
    for (int k = 0; k < operands; k++) {
        l->error[i] += p[k] == 0 ? 0 * l->error[from[k]] : fabs(p[k]) * l->error[from[k]];
        l->extent[i] += p[k] == 0 ? 0 : fabs(p[k]) * l->extent[from[k]];
    }
    if (operands > 0 &&
        on_the_edge(s, v[0], l->error[from[0]], v[1], operands > 1 ? l->error[from[1]] : 0))
        l->error[i] = INFINITY;
}

static inline void evaluate_listing(listing *l, const double *x, const dfl_graph *graph)
{
    for (int i = 0; i < l->n; i++)
        evaluate_step(l, i, x, graph);
}

/* The step through the constructors. */
static inline dfl_expr construct_step(const listing *l, const step *s, dfl_graph *graph,
                                      const dfl_expr *symbols)
{
    const dfl_expr *e = l->expr;
    if (s->op == DFL_OP_CONSTANT)
        return dfl_constant(graph, s->constant);
    if (s->op == DFL_OP_SYMBOL)
        return symbols[s->a];
    if (s->op == DFL_OP_SPLINE)
        return dfl_spline_expr(graph, s->b, s->c, e[s->a]);
    if (s->op == DFL_OP_SELECT)
        return dfl_select(graph, e[s->a], e[s->b], e[s->c]);
    return dfl_op_operands(s->op) == 1 ? dfl_unary(graph, s->op, e[s->a])
                                       : dfl_binary(graph, s->op, e[s->a], e[s->b]);
}

static inline step random_step(uint64_t *state, int n, int nsplines)
{
    static const double constants[] = {0, 1, -1, 2, 0.5, -0.5, 3, -2, 4, -3, 0.1, 7, 1.5, -1.5};
    step s = {.op = (dfl_op)random_below(state, DFL_OPS)};
    if (random_below(state, 3) == 0) /* more arithmetic than functions */
        s.op = (dfl_op)(DFL_OP_ADD + random_below(state, 5));
    if (s.op == DFL_OP_SPLINE && nsplines == 0)
        s.op = DFL_OP_NEG;
    s.a = s.op == DFL_OP_SYMBOL ? random_below(state, SYMBOLS) : random_below(state, n);
    s.b = s.op == DFL_OP_SPLINE ? random_below(state, nsplines) : random_below(state, n);
    s.c = s.op == DFL_OP_SPLINE ? random_below(state, 3) : random_below(state, n);
    s.constant = constants[random_below(state, (int)(sizeof constants / sizeof constants[0]))];
    return s;
}

/* A listing that begins with the symbols. With `x`, steps are rejected until all values there are
   of moderate size and away from edges. */
static inline void random_listing(listing *l, uint64_t *state, dfl_graph *graph,
                                  const dfl_expr *symbols, const double *x)
{
    for (l->n = 0; l->n < STEPS; l->n++) {
        step s = l->n < SYMBOLS ? (step){.op = DFL_OP_SYMBOL, .a = l->n}
                                : random_step(state, l->n, graph->nsplines);
        l->step[l->n] = s;
        if (x) {
            evaluate_step(l, l->n, x, graph);
            const double slack = 64 * DBL_EPSILON * l->error[l->n];
            if (!(fabs(l->value[l->n]) < 50 && slack < 1e-9 && l->extent[l->n] < 1e4) ||
                ((s.op == DFL_OP_MIN || s.op == DFL_OP_MAX) &&
                 fabs(l->value[s.a] - l->value[s.b]) < 1e-6) ||
                ((s.op == DFL_OP_ABS || s.op == DFL_OP_LOG || s.op == DFL_OP_SQRT) &&
                 fabs(l->value[s.a]) < 1e-6)) {
                l->n--;
                continue;
            }
        }
        l->expr[l->n] = construct_step(l, &s, graph, symbols);
    }
}

/* The values of all nodes of a graph by the definition of the operations; x by number of symbol. */
static inline double *evaluate_graph(const dfl_graph *graph, const double *x)
{
    double *v = malloc(graph->nnodes * sizeof *v);
    assert_non_null(v);
    for (dfl_expr e = 0; e < graph->nnodes; e++) {
        const dfl_node *node = dfl_node_of(graph, e);
        const int operands = dfl_op_operands((dfl_op)node->op);
        if (node->op == DFL_OP_SYMBOL)
            v[e] = x[node->a];
        else
            v[e] = dfl_op_value(graph, node, operands > 0 ? v[node->a] : 0,
                                operands > 1 ? v[node->b] : 0, operands > 2 ? v[node->c] : 0);
    }
    return v;
}

/* A graph with SYMBOLS symbols x1, x2, ... and one spline. */
static inline dfl_graph *new_graph(dfl_context *ctx, dfl_expr *symbols)
{
    static const char *const names[SYMBOLS] = {"x1", "der(x1)", "phi", "m", "j1.q"};
    static const double x[] = {-2, -1, 0.5, 1, 3}, y[] = {1, 0.5, -1, 2, 0};
    dfl_graph *graph = NULL;
    int spline;
    assert_int_equal(dfl_graph_create(&graph, ctx, 0), DFL_OK);
    for (int i = 0; i < SYMBOLS; i++)
        symbols[i] = dfl_symbol_expr(graph, i < 3 ? DFL_SYM_P : DFL_SYM_PARAM, i, names[i]);
    assert_int_equal(dfl_spline_create(&spline, graph, x, y, 5), DFL_OK);
    return graph;
}

#endif
