/* rules.c: the derivatives of single operations.

   For an operation of one operand both directions multiply by the same factor. An operation of
   two has its own forward rule where that needs fewer operations than the sum of two products. */
#include "symbolic/rules.h"

#include <assert.h>

static dfl_expr times_slope(dfl_graph *g, const dfl_rule *rule, dfl_expr x);
static dfl_expr times_algebraic(dfl_graph *g, const dfl_rule *rule, dfl_expr x);
static dfl_expr times_base(dfl_graph *g, const dfl_rule *rule, dfl_expr x);
static dfl_expr times_exponent(dfl_graph *g, const dfl_rule *rule, dfl_expr x);
static dfl_expr where_it_acts(dfl_graph *g, dfl_expr x, dfl_expr slope);
static dfl_expr squares(dfl_graph *g, dfl_expr a, dfl_expr b);
static dfl_expr one_and(dfl_graph *g, dfl_op op, dfl_expr x);

/* A plain switch. */
dfl_expr dfl_rule_forward(dfl_graph *g, const dfl_rule *rule, dfl_expr da, dfl_expr db, dfl_expr dc)
{
    const dfl_expr e = rule->e, a = rule->a, b = rule->b;
    if (da == 0 && db == 0 && dc == 0)
        return 0;
    switch (rule->op) {
    case DFL_OP_ADD:
        return dfl_add(g, da, db);
    case DFL_OP_SUB:
        return dfl_sub(g, da, db);
    case DFL_OP_MUL:
        return dfl_add(g, dfl_mul(g, da, b), dfl_mul(g, a, db));
    case DFL_OP_DIV: /* (a' - e b') / b */
        return dfl_div(g, dfl_sub(g, da, dfl_mul(g, e, db)), b);
    case DFL_OP_POW:
        return dfl_add(g, where_it_acts(g, da, times_base(g, rule, da)),
                       times_exponent(g, rule, db));
    case DFL_OP_SQRT:
        return where_it_acts(g, da, times_slope(g, rule, da));
    case DFL_OP_ATAN2: /* (a' b - a b') / (a^2 + b^2) */
        return dfl_div(g, dfl_sub(g, dfl_mul(g, da, b), dfl_mul(g, a, db)), squares(g, a, b));
    case DFL_OP_MIN: /* a where a < b */
        return dfl_select(g, dfl_sub(g, b, a), da, db);
    case DFL_OP_MAX: /* a where a > b */
        return dfl_select(g, dfl_sub(g, a, b), da, db);
    case DFL_OP_SELECT:
        return dfl_select(g, a, db, dc);
    default:
        return times_slope(g, rule, da);
    }
}

dfl_expr dfl_rule_reverse(dfl_graph *g, const dfl_rule *rule, int which, dfl_expr x)
{
    const dfl_expr e = rule->e, a = rule->a, b = rule->b;
    const bool first = which == 0;
    assert(rule->op < DFL_OP_MIN && rule->op != DFL_OP_NOEVENT);
    switch (rule->op) {
    case DFL_OP_ADD:
        return x;
    case DFL_OP_SUB:
        return first ? x : dfl_neg(g, x);
    case DFL_OP_MUL:
        return dfl_mul(g, x, first ? b : a);
    case DFL_OP_DIV:
        return first ? dfl_div(g, x, b) : dfl_neg(g, dfl_div(g, dfl_mul(g, x, e), b));
    case DFL_OP_POW:
        return first ? times_base(g, rule, x) : times_exponent(g, rule, x);
    case DFL_OP_ATAN2:
        if (first)
            return dfl_div(g, dfl_mul(g, x, b), squares(g, a, b));
        return dfl_neg(g, dfl_div(g, dfl_mul(g, x, a), squares(g, a, b)));
    default:
        return times_slope(g, rule, x);
    }
}

/* x times the derivative of an operation of one operand: a plain switch, in two parts. */
static dfl_expr times_slope(dfl_graph *g, const dfl_rule *rule, dfl_expr x)
{
    const dfl_expr e = rule->e, a = rule->a;
    switch (rule->op) {
    case DFL_OP_EXP:
        return dfl_mul(g, x, e);
    case DFL_OP_LOG:
        return dfl_div(g, x, a);
    case DFL_OP_SIN:
        return dfl_mul(g, x, dfl_unary(g, DFL_OP_COS, a));
    case DFL_OP_COS:
        return dfl_neg(g, dfl_mul(g, x, dfl_unary(g, DFL_OP_SIN, a)));
    case DFL_OP_TAN:
        return dfl_mul(g, x, one_and(g, DFL_OP_ADD, e));
    case DFL_OP_ASIN:
        return dfl_div(g, x, dfl_unary(g, DFL_OP_SQRT, one_and(g, DFL_OP_SUB, a)));
    case DFL_OP_ACOS:
        return dfl_neg(g, dfl_div(g, x, dfl_unary(g, DFL_OP_SQRT, one_and(g, DFL_OP_SUB, a))));
    case DFL_OP_ATAN:
        return dfl_div(g, x, one_and(g, DFL_OP_ADD, a));
    case DFL_OP_SINH:
        return dfl_mul(g, x, dfl_unary(g, DFL_OP_COSH, a));
    case DFL_OP_COSH:
        return dfl_mul(g, x, dfl_unary(g, DFL_OP_SINH, a));
    case DFL_OP_TANH:
        return dfl_mul(g, x, one_and(g, DFL_OP_SUB, e));
    default:
        return times_algebraic(g, rule, x);
    }
}

static dfl_expr times_algebraic(dfl_graph *g, const dfl_rule *rule, dfl_expr x)
{
    const dfl_expr e = rule->e, a = rule->a;
    switch (rule->op) {
    case DFL_OP_NEG:
        return dfl_neg(g, x);
    case DFL_OP_NOEVENT:
        return dfl_unary(g, DFL_OP_NOEVENT, x);
    case DFL_OP_SQ:
        return dfl_mul(g, dfl_constant(g, 2), dfl_mul(g, x, a));
    case DFL_OP_SQRT:
        return dfl_div(g, x, dfl_mul(g, dfl_constant(g, 2), e));
    case DFL_OP_ABS:
        return dfl_mul(g, x, dfl_unary(g, DFL_OP_SIGN, a));
    case DFL_OP_SPLINE:
        return dfl_mul(g, x, dfl_spline_expr(g, (int)rule->b, (int)rule->c + 1, a));
    default:
        assert(rule->op == DFL_OP_SIGN || rule->op == DFL_OP_FLOOR);
        return 0;
    }
}

/* The slope of a root or a power, zero where a factor of x is that side of a branch: the slope of
   sqrt(max(y, 0)) for y < 0 is 0, not 0/0. */
static dfl_expr where_it_acts(dfl_graph *g, dfl_expr x, dfl_expr slope)
{
    const dfl_node node = *dfl_node_of(g, x);
    switch ((dfl_op)node.op) {
    case DFL_OP_SELECT:
        return node.c == 0   ? dfl_select(g, node.a, slope, 0)
               : node.b == 0 ? dfl_select(g, node.a, 0, slope)
                             : slope;
    case DFL_OP_NEG:
    case DFL_OP_DIV:
        return where_it_acts(g, node.a, slope);
    case DFL_OP_MUL:
        return where_it_acts(g, node.a, where_it_acts(g, node.b, slope));
    default:
        return slope;
    }
}

/* x b a^(b-1) */
static dfl_expr times_base(dfl_graph *g, const dfl_rule *rule, dfl_expr x)
{
    if (x == 0)
        return 0;
    const dfl_expr lower = dfl_sub(g, rule->b, dfl_constant(g, 1));
    return dfl_mul(g, dfl_mul(g, x, rule->b), dfl_binary(g, DFL_OP_POW, rule->a, lower));
}

/* x a^b log(a), and its limit 0 where a = 0 */
static dfl_expr times_exponent(dfl_graph *g, const dfl_rule *rule, dfl_expr x)
{
    if (x == 0)
        return 0;
    const dfl_expr slope = dfl_mul(g, rule->e, dfl_unary(g, DFL_OP_LOG, rule->a));
    return dfl_select(g, dfl_unary(g, DFL_OP_ABS, rule->a), dfl_mul(g, x, slope), 0);
}

static dfl_expr squares(dfl_graph *g, dfl_expr a, dfl_expr b)
{
    return dfl_add(g, dfl_unary(g, DFL_OP_SQ, a), dfl_unary(g, DFL_OP_SQ, b));
}

/* 1 + x^2 or 1 - x^2 */
static dfl_expr one_and(dfl_graph *g, dfl_op op, dfl_expr x)
{
    return dfl_binary(g, op, dfl_constant(g, 1), dfl_unary(g, DFL_OP_SQ, x));
}
