/* canonical.c: the constructors. Each applies a few rules in constant time and never looks deeper
   than the operands' own operands, so that equal things are usually the same node and derivatives
   stay small.

   The rules, with constants c, k:
     constants fold unless the result is infinite or not a number
     x+0  x-0  x*1  x/1  x^1  -(-x)            ->  x          x+x -> 2 x     x x -> sq(x)
     x*0  0/x  x-x                             ->  0          x^0, 1^x -> 1
     a minus moves outward or into a constant: (-x) y -> -(x y), x+(-y) -> x-y, -(x-y) -> y-x,
       -(k x) -> (-k) x, -(k+x) -> (-k)-x, sin(-x) -> -sin(x), cos(-x) -> cos(x)
     sqrt(x^2) -> |x|, |(|x|)| -> |x|, |x^2| -> x^2, floor(floor(x)) -> floor(x), likewise noevent
     c (k x) -> (c k) x, (c x) y -> c (x y), (c x)/y -> c (x/y) for moderate c
     x/c -> (1/c) x only if 1/c is exact (a power of two);  x-c -> (-c)+x
     the constant comes first in sums and products, other operands in the order of their numbers
     x^n for integers |n| <= 16 -> products and a division; x^(1/2) -> sqrt(x), x^(-1/2) likewise
     k (r sin u)^2 + k (r cos u)^2 -> k r^2
   Each keeps the value for finite operands: exactly, or, for merged constants, integer powers and
   the last rule, up to rounding. The sign of a zero is not kept. The rules with a 0 on the right,
   and the last one, also hide what would be NaN (0 times infinity, 0/0 at one point, sin of
   infinity). */
#include "symbolic/graph_internal.h"

#include <assert.h>
#include <float.h>
#include <math.h>

enum { LARGEST_POWER = 16 }; /* exponent that becomes products */

/* One addend of the form k (r sin u)^2 or k (r cos u)^2. */
typedef struct harmonic {
    dfl_op op;        /* DFL_OP_SIN or DFL_OP_COS */
    dfl_expr k, r, u; /* k and r DFL_NO_EXPR: 1 */
} harmonic;

static bool folds(dfl_expr *out, dfl_graph *g, dfl_op op, dfl_expr a, dfl_expr b);
static bool is_value(const dfl_graph *g, dfl_expr e, double value);
static bool is_negative(const dfl_graph *g, dfl_expr e);
static dfl_expr make_neg(dfl_graph *g, dfl_expr a);
static dfl_expr make_even_or_odd(dfl_graph *g, dfl_op op, dfl_expr a);
static dfl_expr make_add(dfl_graph *g, dfl_expr a, dfl_expr b);
static dfl_expr make_sub(dfl_graph *g, dfl_expr a, dfl_expr b);
static dfl_expr make_mul(dfl_graph *g, dfl_expr a, dfl_expr b);
static bool has_moderate_factor(const dfl_graph *g, dfl_expr e);
static dfl_expr factor_out(dfl_graph *g, dfl_expr product, dfl_expr y);
static dfl_expr scale(dfl_graph *g, dfl_expr c, dfl_expr x);
static dfl_expr make_div(dfl_graph *g, dfl_expr a, dfl_expr b);
static bool has_exact_reciprocal(double value);
static dfl_expr make_pow(dfl_graph *g, dfl_expr a, dfl_expr b);
static dfl_expr product_power(dfl_graph *g, dfl_expr x, int n);
static dfl_expr commute(dfl_graph *g, dfl_op op, dfl_expr a, dfl_expr b);
static bool pythagoras(dfl_expr *out, dfl_graph *g, dfl_expr a, dfl_expr b);
static int harmonics_of(harmonic out[2], const dfl_graph *g, dfl_expr e);
static bool harmonic_square(harmonic *out, const dfl_graph *g, dfl_expr e);

dfl_expr dfl_unary(dfl_graph *g, dfl_op op, dfl_expr a)
{
    assert(op >= DFL_OP_NEG && op <= DFL_OP_NOEVENT);
    dfl_expr e;
    if (folds(&e, g, op, a, 0))
        return e;
    switch (op) {
    case DFL_OP_NEG:
        return make_neg(g, a);
    case DFL_OP_SQRT:
        return dfl_node_of(g, a)->op == DFL_OP_SQ ? dfl_unary(g, DFL_OP_ABS, dfl_node_of(g, a)->a)
                                                  : dfl_graph_intern(g, op, a, 0, 0);
    case DFL_OP_EXP:
    case DFL_OP_LOG:
    case DFL_OP_ACOS:
        return dfl_graph_intern(g, op, a, 0, 0);
    case DFL_OP_FLOOR:
        return dfl_node_of(g, a)->op == DFL_OP_FLOOR ? a : dfl_graph_intern(g, op, a, 0, 0);
    case DFL_OP_NOEVENT:
        return dfl_op_operands((dfl_op)dfl_node_of(g, a)->op) == 0 ||
                       dfl_node_of(g, a)->op == DFL_OP_NOEVENT
                   ? a
                   : dfl_graph_intern(g, op, a, 0, 0);
    default:
        return make_even_or_odd(g, op, a);
    }
}

dfl_expr dfl_binary(dfl_graph *g, dfl_op op, dfl_expr a, dfl_expr b)
{
    assert(op >= DFL_OP_ADD && op <= DFL_OP_MAX);
    dfl_expr e;
    if (folds(&e, g, op, a, b))
        return e;
    switch (op) {
    case DFL_OP_ADD:
        return make_add(g, a, b);
    case DFL_OP_SUB:
        return make_sub(g, a, b);
    case DFL_OP_MUL:
        return make_mul(g, a, b);
    case DFL_OP_DIV:
        return make_div(g, a, b);
    case DFL_OP_POW:
        return make_pow(g, a, b);
    case DFL_OP_MIN:
    case DFL_OP_MAX:
        return a == b ? a : dfl_graph_intern(g, op, a, b, 0);
    default:
        return dfl_graph_intern(g, op, a, b, 0);
    }
}

dfl_expr dfl_select(dfl_graph *g, dfl_expr condition, dfl_expr positive, dfl_expr otherwise)
{
    if (positive == otherwise)
        return positive;
    if (dfl_is_constant(g, condition))
        return dfl_constant_value(g, condition) > 0 ? positive : otherwise;
    return dfl_graph_intern(g, DFL_OP_SELECT, condition, positive, otherwise);
}

dfl_expr dfl_spline_expr(dfl_graph *g, int spline, int derivative, dfl_expr argument)
{
    assert(spline >= 0 && spline < g->nsplines && derivative >= 0);
    if (derivative > 5)
        return 0;
    if (dfl_is_constant(g, argument)) {
        const double value =
            dfl_spline_value(&g->splines[spline], derivative, dfl_constant_value(g, argument));
        if (isfinite(value))
            return dfl_constant(g, value);
    }
    return dfl_graph_intern(g, DFL_OP_SPLINE, argument, (uint32_t)spline, (uint32_t)derivative);
}

dfl_expr dfl_rebuild(dfl_graph *g, const dfl_node *node, dfl_expr a, dfl_expr b, dfl_expr c)
{
    const dfl_op op = (dfl_op)node->op;
    if (op == DFL_OP_SPLINE)
        return dfl_spline_expr(g, (int)node->b, (int)node->c, a);
    if (op == DFL_OP_SELECT)
        return dfl_select(g, a, b, c);
    return dfl_op_operands(op) == 1 ? dfl_unary(g, op, a) : dfl_binary(g, op, a, b);
}

/* Whether the operands are constants with a finite result, then in *out. b is 0, a constant, where
   it is not used. */
static bool folds(dfl_expr *out, dfl_graph *g, dfl_op op, dfl_expr a, dfl_expr b)
{
    if (!dfl_is_constant(g, a) || !dfl_is_constant(g, b))
        return false;
    const dfl_node node = {.op = (uint8_t)op};
    const double value =
        dfl_op_value(g, &node, dfl_constant_value(g, a), dfl_constant_value(g, b), 0);
    if (!isfinite(value))
        return false;
    *out = dfl_constant(g, value);
    return true;
}

static bool is_value(const dfl_graph *g, dfl_expr e, double value)
{
    return dfl_is_constant(g, e) && dfl_constant_value(g, e) == value;
}

/* -x, or c x or c/x with c < 0: make_neg takes the sign away without a new operation. */
static bool is_negative(const dfl_graph *g, dfl_expr e)
{
    const dfl_node *node = dfl_node_of(g, e);
    if (node->op == DFL_OP_NEG)
        return true;
    return (node->op == DFL_OP_MUL || node->op == DFL_OP_DIV) && dfl_is_constant(g, node->a) &&
           dfl_constant_value(g, node->a) < 0;
}

static dfl_expr make_neg(dfl_graph *g, dfl_expr a)
{
    const dfl_node node = *dfl_node_of(g, a);
    if (node.op == DFL_OP_CONSTANT) /* also what is not finite: else x-c and (-c)+x alternate */
        return dfl_constant(g, -dfl_constant_value(g, a));
    if (node.op == DFL_OP_NEG)
        return node.a;
    if (node.op == DFL_OP_SUB)
        return dfl_sub(g, node.b, node.a);
    if (node.op >= DFL_OP_ADD && node.op <= DFL_OP_DIV && dfl_is_constant(g, node.a)) {
        const dfl_expr c = dfl_constant(g, -dfl_constant_value(g, node.a));
        return dfl_binary(g, node.op == DFL_OP_ADD ? DFL_OP_SUB : (dfl_op)node.op, c, node.b);
    }
    return dfl_graph_intern(g, DFL_OP_NEG, a, 0, 0);
}

static dfl_expr make_even_or_odd(dfl_graph *g, dfl_op op, dfl_expr a)
{
    const dfl_node node = *dfl_node_of(g, a);
    const bool even = op == DFL_OP_SQ || op == DFL_OP_COS || op == DFL_OP_COSH || op == DFL_OP_ABS;
    if (op == DFL_OP_ABS && (node.op == DFL_OP_ABS || node.op == DFL_OP_SQ))
        return a;
    if (even && node.op == DFL_OP_ABS)
        return dfl_unary(g, op, node.a);
    if (!is_negative(g, a))
        return dfl_graph_intern(g, op, a, 0, 0);
    const dfl_expr positive = dfl_unary(g, op, dfl_neg(g, a));
    return even ? positive : dfl_neg(g, positive);
}

static dfl_expr make_add(dfl_graph *g, dfl_expr a, dfl_expr b)
{
    if (is_value(g, a, 0))
        return b;
    if (is_value(g, b, 0))
        return a;
    if (a == b)
        return dfl_mul(g, dfl_constant(g, 2), a);
    const bool minus_a = is_negative(g, a), minus_b = is_negative(g, b);
    if (minus_a && minus_b)
        return dfl_neg(g, dfl_add(g, dfl_neg(g, a), dfl_neg(g, b)));
    if (minus_b)
        return dfl_sub(g, a, dfl_neg(g, b));
    if (minus_a)
        return dfl_sub(g, b, dfl_neg(g, a));
    dfl_expr e;
    return pythagoras(&e, g, a, b) ? e : commute(g, DFL_OP_ADD, a, b);
}

static dfl_expr make_sub(dfl_graph *g, dfl_expr a, dfl_expr b)
{
    if (is_value(g, b, 0))
        return a;
    if (is_value(g, a, 0))
        return dfl_neg(g, b);
    if (a == b && !dfl_is_constant(g, a)) /* a constant here is not finite */
        return 0;
    if (dfl_is_constant(g, b) || is_negative(g, b))
        return dfl_add(g, dfl_neg(g, b), a);
    if (is_negative(g, a))
        return dfl_neg(g, dfl_add(g, dfl_neg(g, a), b));
    return dfl_graph_intern(g, DFL_OP_SUB, a, b, 0);
}

static dfl_expr make_mul(dfl_graph *g, dfl_expr a, dfl_expr b)
{
    if (dfl_is_constant(g, a))
        return scale(g, a, b);
    if (dfl_is_constant(g, b))
        return scale(g, b, a);
    if (a == b)
        return dfl_unary(g, DFL_OP_SQ, a);
    if (has_moderate_factor(g, a))
        return factor_out(g, a, b);
    if (has_moderate_factor(g, b))
        return factor_out(g, b, a);
    const bool minus_a = is_negative(g, a), minus_b = is_negative(g, b);
    if (!minus_a && !minus_b)
        return commute(g, DFL_OP_MUL, a, b);
    const dfl_expr product = dfl_mul(g, minus_a ? dfl_neg(g, a) : a, minus_b ? dfl_neg(g, b) : b);
    return minus_a && minus_b ? product : dfl_neg(g, product);
}

/* Whether e is c x with a constant that neither overflows nor underflows what it moves across. */
static bool has_moderate_factor(const dfl_graph *g, dfl_expr e)
{
    const dfl_node *node = dfl_node_of(g, e);
    if (node->op != DFL_OP_MUL || !dfl_is_constant(g, node->a))
        return false;
    const double size = fabs(dfl_constant_value(g, node->a));
    return size >= 0x1p-20 && size <= 0x1p20;
}

/* (c x) y -> c (x y) */
static dfl_expr factor_out(dfl_graph *g, dfl_expr product, dfl_expr y)
{
    const dfl_node node = *dfl_node_of(g, product);
    return scale(g, node.a, dfl_mul(g, node.b, y));
}

/* c x with a constant c. Constants merge if their product is a normal number. */
static dfl_expr scale(dfl_graph *g, dfl_expr c, dfl_expr x)
{
    const double value = dfl_constant_value(g, c);
    const dfl_node node = *dfl_node_of(g, x);
    if (dfl_is_constant(g, x))
        return dfl_graph_intern(g, DFL_OP_MUL, c, x, 0); /* did not fold */
    if (value == 0)
        return 0;
    if (value == 1)
        return x;
    if (value == -1)
        return dfl_neg(g, x);
    if (node.op == DFL_OP_MUL && dfl_is_constant(g, node.a)) {
        const double merged = value * dfl_constant_value(g, node.a);
        if (isnormal(merged))
            return dfl_mul(g, dfl_constant(g, merged), node.b);
    }
    if (is_negative(g, x))
        return dfl_mul(g, dfl_constant(g, -value), dfl_neg(g, x));
    return dfl_graph_intern(g, DFL_OP_MUL, c, x, 0);
}

static dfl_expr make_div(dfl_graph *g, dfl_expr a, dfl_expr b)
{
    if (is_value(g, b, 1))
        return a;
    if (is_value(g, a, 0) && !dfl_is_constant(g, b))
        return 0;
    if (dfl_is_constant(g, b) && has_exact_reciprocal(dfl_constant_value(g, b)))
        return dfl_mul(g, dfl_constant(g, 1 / dfl_constant_value(g, b)), a);
    if (has_moderate_factor(g, a)) {
        const dfl_node node = *dfl_node_of(g, a);
        return scale(g, node.a, dfl_div(g, node.b, b));
    }
    const bool minus_b =
        is_negative(g, b) || (dfl_is_constant(g, b) && dfl_constant_value(g, b) < 0);
    if (minus_b)
        return dfl_neg(g, dfl_div(g, a, dfl_neg(g, b)));
    if (is_negative(g, a))
        return dfl_neg(g, dfl_div(g, dfl_neg(g, a), b));
    if (dfl_node_of(g, b)->op == DFL_OP_ABS && dfl_node_of(g, b)->a == a)
        return dfl_unary(g, DFL_OP_SIGN, a); /* which has a value at 0 */
    return dfl_graph_intern(g, DFL_OP_DIV, a, b, 0);
}

static bool has_exact_reciprocal(double value)
{
    int exponent;
    return isnormal(value) && isnormal(1 / value) && fabs(frexp(value, &exponent)) == 0.5;
}

static dfl_expr make_pow(dfl_graph *g, dfl_expr a, dfl_expr b)
{
    if (is_value(g, a, 1))
        return a;
    if (!dfl_is_constant(g, b))
        return dfl_graph_intern(g, DFL_OP_POW, a, b, 0);
    const double n = dfl_constant_value(g, b);
    if (n == 0)
        return dfl_constant(g, 1);
    const bool root = fabs(n) == 0.5, integer = fabs(n) <= LARGEST_POWER && n == trunc(n);
    if (!root && !integer)
        return dfl_graph_intern(g, DFL_OP_POW, a, b, 0);
    const dfl_expr power = root ? dfl_unary(g, DFL_OP_SQRT, a) : product_power(g, a, (int)fabs(n));
    return n > 0 ? power : dfl_div(g, dfl_constant(g, 1), power);
}

/* x^n for n >= 1: the binary digits of n, from the top. */
static dfl_expr product_power(dfl_graph *g, dfl_expr x, int n)
{
    dfl_expr power = x;
    int bit = 1;
    while (2 * bit <= n)
        bit *= 2;
    while ((bit /= 2) > 0) {
        power = dfl_unary(g, DFL_OP_SQ, power);
        if (n & bit)
            power = dfl_mul(g, power, x);
    }
    return power;
}

/* A commutative operation: a constant first, else the lower number. */
static dfl_expr commute(dfl_graph *g, dfl_op op, dfl_expr a, dfl_expr b)
{
    const bool swap = !dfl_is_constant(g, a) && (dfl_is_constant(g, b) || b < a);
    return dfl_graph_intern(g, op, swap ? b : a, swap ? a : b, 0);
}

/* Whether a + b is k (r sin u)^2 + k (r cos u)^2; then *out = k r^2. */
static bool pythagoras(dfl_expr *out, dfl_graph *g, dfl_expr a, dfl_expr b)
{
    harmonic of_a[2], of_b[2];
    const int na = harmonics_of(of_a, g, a), nb = na ? harmonics_of(of_b, g, b) : 0;
    for (int i = 0; i < na; i++) {
        for (int j = 0; j < nb; j++) {
            const harmonic *s = &of_a[i], *c = &of_b[j];
            if (s->op == c->op || s->u != c->u || s->k != c->k || s->r != c->r)
                continue;
            const dfl_expr one = dfl_constant(g, 1);
            *out = dfl_mul(g, s->k == DFL_NO_EXPR ? one : s->k,
                           s->r == DFL_NO_EXPR ? one : dfl_unary(g, DFL_OP_SQ, s->r));
            return true;
        }
    }
    return false;
}

/* The ways to read e as k times a square: at most one per factor. */
static int harmonics_of(harmonic out[2], const dfl_graph *g, dfl_expr e)
{
    const dfl_node *node = dfl_node_of(g, e);
    int count = 0;
    if (node->op == DFL_OP_MUL) {
        if (harmonic_square(&out[count], g, node->a))
            out[count++].k = node->b;
        if (harmonic_square(&out[count], g, node->b))
            out[count++].k = node->a;
    } else if (harmonic_square(&out[0], g, e)) {
        count = 1;
    }
    return count;
}

/* Whether e is (r sin u)^2 or (r cos u)^2. */
static bool harmonic_square(harmonic *out, const dfl_graph *g, dfl_expr e)
{
    if (dfl_node_of(g, e)->op != DFL_OP_SQ)
        return false;
    const dfl_node *node = dfl_node_of(g, dfl_node_of(g, e)->a);
    *out = (harmonic){.k = DFL_NO_EXPR, .r = DFL_NO_EXPR};
    if (node->op == DFL_OP_MUL) {
        const uint8_t op = dfl_node_of(g, node->a)->op;
        const bool first = op == DFL_OP_SIN || op == DFL_OP_COS;
        out->r = first ? node->b : node->a;
        node = dfl_node_of(g, first ? node->a : node->b);
    }
    out->op = (dfl_op)node->op;
    out->u = node->a;
    return node->op == DFL_OP_SIN || node->op == DFL_OP_COS;
}
