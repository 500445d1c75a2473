/* print.c: an expression as text or LaTeX with the fewest brackets.

   Brackets follow the levels sum < product < power < atom: an operand is bracketed if it binds less
   tightly than its place requires. A sign is written once: a negative operand (-x, -3 x, -3/x) is
   treated as a sum and turns a plus before it into a minus. Brackets in a + (b + c) and a (b c) are
   left out; that changes at most the rounding. The recursion is bounded by print_parts.c or,
   without names, here. */
#include "symbolic/print.h"

#include <math.h>

enum { DEEPEST = 1000, LONGEST = 20000 }; /* operations printed without names */

enum { SQUARINGS = 4 }; /* in a row that print as one power */

typedef enum level { ANY, SUM, PRODUCT, POWER, ATOM } level;

typedef struct printer {
    dfl_text *text;
    const dfl_graph *graph;
    const dfl_names *names;
    dfl_expr root;
    bool latex;
    int depth, length;
} printer;

/* A product as its different factors. */
enum { MOST_FACTORS = 40 };
typedef struct factor {
    dfl_expr base;
    int power;
} factor;
typedef struct factors {
    int count, visits;
    factor item[MOST_FACTORS];
} factors;

static void print(printer *p, dfl_expr e, level least);
static bool print_short(printer *p, dfl_expr e);
static level level_of(const printer *p, dfl_expr e);
static uint32_t name_of(const printer *p, dfl_expr e);
static bool is_minus(const printer *p, dfl_expr e);
static int power_of(const printer *p, dfl_expr *base, dfl_expr e, int squarings);
static void print_body(printer *p, dfl_expr e);
static void print_first(printer *p, dfl_expr a, bool minus, level least);
static void print_sum(printer *p, dfl_expr a, dfl_expr b);
static void print_difference(printer *p, dfl_expr a, dfl_expr b);
static bool starts_with_minus(const printer *p, dfl_expr e);
static void print_product(printer *p, const dfl_node *node, bool minus);
static void collect_factors(const printer *p, factors *list, dfl_expr e, int power);
static bool is_fixed(const printer *p, dfl_expr e);
static void print_times(printer *p, dfl_expr next);
static bool starts_with_digit(const printer *p, dfl_expr e);
static void print_ratio(printer *p, const dfl_node *node, bool minus);
static void print_power(printer *p, dfl_expr base, int power);
static void print_general_power(printer *p, const dfl_node *node);
static void print_call(printer *p, const dfl_node *node);
static void print_spline_name(printer *p, const dfl_node *node);
static void print_cases(printer *p, const dfl_node *node);
static const char *latex_function(dfl_op op);
static dfl_notation notation_of(const printer *p);
static void open_bracket(printer *p);
static void close_bracket(printer *p);

void dfl_print_expr(dfl_text *text, const dfl_graph *graph, dfl_expr expr, const dfl_names *names,
                    dfl_notation notation)
{
    printer p = {
        .text = text, .graph = graph, .names = names, .root = expr, .latex = notation == DFL_LATEX};
    print(&p, expr, ANY);
}

/* Prints e where at least level `least` is needed. */
static void print(printer *p, dfl_expr e, level least)
{
    if (print_short(p, e))
        return;
    p->depth++;
    p->length++;
    const bool bracket = level_of(p, e) < least;
    if (bracket)
        open_bracket(p);
    if (is_minus(p, e))
        dfl_text_add(p->text, "-");
    print_body(p, e);
    if (bracket)
        close_bracket(p);
    p->depth--;
}

/* A named part, or what is too much without names. */
static bool print_short(printer *p, dfl_expr e)
{
    const uint32_t name = name_of(p, e);
    if (name > 0)
        dfl_print_part_name(p->text, p->names, (int)name - 1, notation_of(p));
    else if (!p->names && (p->depth >= DEEPEST || p->length >= LONGEST))
        dfl_text_add(p->text, p->latex ? "\\ldots" : "...");
    else
        return false;
    return true;
}

static level level_of(const printer *p, dfl_expr e)
{
    const dfl_node *node = dfl_node_of(p->graph, e);
    dfl_expr base;
    if (name_of(p, e) > 0)
        return ATOM;
    if (is_minus(p, e))
        return SUM;
    if (power_of(p, &base, e, SQUARINGS) > 1)
        return POWER;
    switch ((dfl_op)node->op) {
    case DFL_OP_CONSTANT: { /* in LaTeX 1e30 is a product */
        const double size = fabs(dfl_constant_value(p->graph, e));
        return p->latex && (size >= 1e15 || size < 1e-4) && size != 0 ? PRODUCT : ATOM;
    }
    case DFL_OP_ADD:
    case DFL_OP_SUB:
        return SUM;
    case DFL_OP_MUL:
    case DFL_OP_DIV:
        return PRODUCT;
    case DFL_OP_POW:
        return POWER;
    case DFL_OP_SELECT:
        return p->latex ? SUM : ATOM;
    default:
        return ATOM;
    }
}

/* The number of the part's name, or 0; a part that is being defined is not replaced by its name. */
static uint32_t name_of(const printer *p, dfl_expr e)
{
    if (!p->names || e == p->root || e >= p->names->nnodes)
        return 0;
    return p->names->number[e];
}

/* Whether e is printed with a leading minus. */
static bool is_minus(const printer *p, dfl_expr e)
{
    const dfl_graph *g = p->graph;
    const dfl_node *node = dfl_node_of(g, e);
    if (name_of(p, e) > 0)
        return false;
    if (node->op == DFL_OP_MUL || node->op == DFL_OP_DIV)
        return dfl_is_constant(g, node->a) && dfl_constant_value(g, node->a) < 0;
    return node->op == DFL_OP_NEG || (node->op == DFL_OP_CONSTANT && dfl_constant_value(g, e) < 0);
}

/* e = base^n for squares and the products of powers that the constructor makes; returns n, 1 for
   everything else. */
static int power_of(const printer *p, dfl_expr *base, dfl_expr e, int squarings)
{
    const dfl_node *node = dfl_node_of(p->graph, e);
    *base = e;
    if (squarings == 0 || name_of(p, e) > 0)
        return 1;
    if (node->op == DFL_OP_SQ)
        return 2 * power_of(p, base, node->a, squarings - 1);
    if (node->op != DFL_OP_MUL)
        return 1;
    const bool first = dfl_node_of(p->graph, node->a)->op == DFL_OP_SQ;
    const dfl_expr square = first ? node->a : node->b, other = first ? node->b : node->a;
    const int n = power_of(p, base, square, squarings);
    if (n > 1 && *base == other)
        return n + 1;
    *base = e;
    return 1;
}

/* e; if it has a minus, without it. */
static void print_body(printer *p, dfl_expr e)
{
    const dfl_node *node = dfl_node_of(p->graph, e);
    dfl_expr base;
    const int power = power_of(p, &base, e, SQUARINGS);
    const bool minus = is_minus(p, e);
    if (power > 1)
        print_power(p, base, power);
    else if (node->op == DFL_OP_NEG)
        print(p, node->a, PRODUCT);
    else if (node->op == DFL_OP_CONSTANT)
        print_first(p, e, minus, ANY);
    else if (node->op == DFL_OP_SYMBOL)
        dfl_print_name(p->text, p->graph->symbols[node->a].name, notation_of(p));
    else if (node->op == DFL_OP_ADD)
        print_sum(p, node->a, node->b);
    else if (node->op == DFL_OP_SUB)
        print_difference(p, node->a, node->b);
    else if (node->op == DFL_OP_MUL)
        print_product(p, node, minus);
    else if (node->op == DFL_OP_DIV)
        print_ratio(p, node, minus);
    else if (node->op == DFL_OP_POW)
        print_general_power(p, node);
    else if (node->op == DFL_OP_SELECT && p->latex)
        print_cases(p, node);
    else
        print_call(p, node);
}

/* An operand that may be a constant whose sign is already written. */
static void print_first(printer *p, dfl_expr a, bool minus, level least)
{
    if (!minus && !dfl_is_constant(p->graph, a)) {
        print(p, a, least);
        return;
    }
    const double value = dfl_constant_value(p->graph, a);
    dfl_print_number(p->text, minus ? -value : value, notation_of(p));
}

/* A constant comes last, what is negative after what is not. */
static void print_sum(printer *p, dfl_expr a, dfl_expr b)
{
    const bool swap = is_minus(p, a) ? !is_minus(p, b) : dfl_is_constant(p->graph, a);
    const dfl_expr first = swap ? b : a, second = swap ? a : b;
    print(p, first, SUM);
    if (is_minus(p, second)) {
        dfl_text_add(p->text, " - ");
        print_body(p, second);
    } else {
        dfl_text_add(p->text, " + ");
        print(p, second, starts_with_minus(p, second) ? PRODUCT : SUM);
    }
}

static void print_difference(printer *p, dfl_expr a, dfl_expr b)
{
    print(p, a, SUM);
    dfl_text_add(p->text, " - ");
    print(p, b, PRODUCT);
}

static bool starts_with_minus(const printer *p, dfl_expr e)
{
    for (;;) {
        const dfl_node *node = dfl_node_of(p->graph, e);
        if (is_minus(p, e))
            return true;
        if (name_of(p, e) > 0 || (node->op != DFL_OP_ADD && node->op != DFL_OP_SUB))
            return false;
        e = node->op == DFL_OP_ADD && dfl_is_constant(p->graph, node->a) ? node->b : node->a;
    }
}

/* The factors of nested products once each, with their powers: the constant, parameters, the
   rest. */
static void print_product(printer *p, const dfl_node *node, bool minus)
{
    factors list = {.count = 0};
    const bool constant = dfl_is_constant(p->graph, node->a);
    if (constant)
        print_first(p, node->a, minus, PRODUCT);
    else
        collect_factors(p, &list, node->a, 1);
    collect_factors(p, &list, node->b, 1);
    bool first = !constant;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < list.count; i++) {
            const dfl_expr base = list.item[i].base;
            if (is_fixed(p, base) != (pass == 0))
                continue;
            if (!first)
                print_times(p, base);
            first = false;
            if (list.item[i].power > 1)
                print_power(p, base, list.item[i].power);
            else
                print(p, base, PRODUCT);
        }
}

static void collect_factors(const printer *p, factors *list, dfl_expr e, int power)
{
    const dfl_node *node = dfl_node_of(p->graph, e);
    const bool open = name_of(p, e) == 0 && list->visits++ < MOST_FACTORS - 2 && !is_minus(p, e);
    if (open && node->op == DFL_OP_SQ) {
        collect_factors(p, list, node->a, 2 * power);
        return;
    }
    if (open && node->op == DFL_OP_MUL && !dfl_is_constant(p->graph, node->a)) {
        collect_factors(p, list, node->a, power);
        collect_factors(p, list, node->b, power);
        return;
    }
    for (int i = 0; i < list->count; i++)
        if (list->item[i].base == e) {
            list->item[i].power += power;
            return;
        }
    list->item[list->count++] = (factor){e, power};
}

/* Whether e is made of parameters and numbers only. */
static bool is_fixed(const printer *p, dfl_expr e)
{
    return (dfl_node_of(p->graph, e)->depends & ~(1U << DFL_SYM_PARAM)) == 0;
}

static void print_times(printer *p, dfl_expr next)
{
    if (!p->latex)
        dfl_text_add(p->text, "*");
    else
        dfl_text_add(p->text, starts_with_digit(p, next) ? " \\cdot " : "\\,");
}

static bool starts_with_digit(const printer *p, dfl_expr e)
{
    while (name_of(p, e) == 0 && !is_minus(p, e) && dfl_node_of(p->graph, e)->op == DFL_OP_MUL)
        e = dfl_node_of(p->graph, e)->a;
    return name_of(p, e) == 0 && dfl_is_constant(p->graph, e);
}

static void print_ratio(printer *p, const dfl_node *node, bool minus)
{
    if (p->latex)
        dfl_text_add(p->text, "\\frac{");
    print_first(p, node->a, minus, p->latex ? ANY : PRODUCT);
    dfl_text_add(p->text, p->latex ? "}{" : "/");
    print(p, node->b, p->latex ? ANY : POWER);
    if (p->latex)
        dfl_text_add(p->text, "}");
}

/* In LaTeX the power of a function is written at its name: \sin^{2}. */
static void print_power(printer *p, dfl_expr base, int power)
{
    const dfl_node *node = dfl_node_of(p->graph, base);
    const bool trigonometric = (node->op >= DFL_OP_SIN && node->op <= DFL_OP_TAN) ||
                               (node->op >= DFL_OP_SINH && node->op <= DFL_OP_TANH);
    if (p->latex && trigonometric && name_of(p, base) == 0) {
        dfl_text_add(p->text, "%s^{%d}", latex_function((dfl_op)node->op), power);
        open_bracket(p);
        print(p, node->a, ANY);
        close_bracket(p);
    } else {
        print(p, base, ATOM);
        dfl_text_add(p->text, p->latex ? "^{%d}" : "^%d", power);
    }
}

static void print_general_power(printer *p, const dfl_node *node)
{
    print(p, node->a, ATOM);
    dfl_text_add(p->text, p->latex ? "^{" : "^");
    print(p, node->b, p->latex ? ANY : ATOM);
    if (p->latex)
        dfl_text_add(p->text, "}");
}

/* A function of one to three operands. */
static void print_call(printer *p, const dfl_node *node)
{
    static const char *const fences[DFL_OPS][2] = {
        [DFL_OP_SQRT] = {"\\sqrt{", "}"},
        [DFL_OP_ABS] = {"\\left|", "\\right|"},
        [DFL_OP_FLOOR] = {"\\left\\lfloor ", "\\right\\rfloor "}};
    const dfl_expr operand[] = {node->a, node->b, node->c};
    const int operands = dfl_op_operands((dfl_op)node->op);
    const char *const *fence = fences[node->op];
    const bool fenced = p->latex && fence[0];
    if (node->op == DFL_OP_SPLINE)
        print_spline_name(p, node);
    else if (fenced)
        dfl_text_add(p->text, "%s", fence[0]);
    else
        dfl_text_add(p->text, "%s",
                     p->latex ? latex_function((dfl_op)node->op) : dfl_op_name((dfl_op)node->op));
    if (!fenced)
        open_bracket(p);
    for (int i = 0; i < operands; i++) {
        dfl_text_add(p->text, i > 0 ? ", " : "");
        print(p, operand[i], ANY);
    }
    if (fenced)
        dfl_text_add(p->text, "%s", fence[1]);
    else
        close_bracket(p);
}

/* spline1, spline1', ...: numbers from 1. */
static void print_spline_name(printer *p, const dfl_node *node)
{
    dfl_text_add(p->text, p->latex ? "s_{%u}" : "spline%u", node->b + 1);
    for (uint32_t i = 0; i < node->c; i++)
        dfl_text_add(p->text, "'");
}

static void print_cases(printer *p, const dfl_node *node)
{
    dfl_text_add(p->text, "\\begin{cases} ");
    print(p, node->b, ANY);
    dfl_text_add(p->text, " & \\text{if } ");
    print(p, node->a, ANY);
    dfl_text_add(p->text, " > 0 \\\\ ");
    print(p, node->c, ANY);
    dfl_text_add(p->text, " & \\text{otherwise} \\end{cases}");
}

static const char *latex_function(dfl_op op)
{
    static const char *const name[DFL_OPS] = {[DFL_OP_EXP] = "\\exp",
                                              [DFL_OP_LOG] = "\\ln",
                                              [DFL_OP_SIN] = "\\sin",
                                              [DFL_OP_COS] = "\\cos",
                                              [DFL_OP_TAN] = "\\tan",
                                              [DFL_OP_ASIN] = "\\arcsin",
                                              [DFL_OP_ACOS] = "\\arccos",
                                              [DFL_OP_ATAN] = "\\arctan",
                                              [DFL_OP_SINH] = "\\sinh",
                                              [DFL_OP_COSH] = "\\cosh",
                                              [DFL_OP_TANH] = "\\tanh",
                                              [DFL_OP_SIGN] = "\\operatorname{sign}",
                                              [DFL_OP_NOEVENT] = "\\operatorname{noevent}",
                                              [DFL_OP_MIN] = "\\min",
                                              [DFL_OP_ATAN2] = "\\operatorname{atan2}",
                                              [DFL_OP_MAX] = "\\max"};
    return name[op];
}

static dfl_notation notation_of(const printer *p)
{
    return p->latex ? DFL_LATEX : DFL_TEXT;
}

static void open_bracket(printer *p)
{
    dfl_text_add(p->text, p->latex ? "\\left(" : "(");
}

static void close_bracket(printer *p)
{
    dfl_text_add(p->text, p->latex ? "\\right)" : ")");
}
