/* lines.c: long expressions in short lines.

   Parts that cannot be broken at the + and - of an outermost sum (products, functions, sums inside
   them) are kept short by naming operands; sums are broken between their terms. */
#include "export/equation_rows_internal.h"

#include <ctype.h>
#include <string.h>

enum {
    MOST_SIGNS = 30,    /* operations and operands of a part that is not broken */
    TEXT_COLUMNS = 100, /* of a line of text */
    LATEX_COLUMNS = 78, /* visible signs of a line in 17 cm */
};

/* A summand that still has to be written. */
typedef struct summand {
    dfl_expr expr;
    bool negative;
} summand;

typedef struct summands {
    dfl_context *ctx;
    summand *item;
    size_t count, room;
    dfl_status status;
} summands;

static void mark_used(bool *used, const dfl_graph *graph, const dfl_expr *exprs, int count);
static void name_operands(dfl_names *names, uint32_t *size, const dfl_graph *graph, uint32_t node);
static dfl_status renumber(dfl_names *names, const dfl_graph *graph);
static bool is_sum(const dfl_graph *graph, dfl_expr expr);
static uint32_t operand_of(const dfl_node *node, int k);
static void write_terms(dfl_text *text, const dfl_graph *graph, dfl_expr expr,
                        const dfl_names *names, dfl_notation notation, int column);
static void push(summands *stack, dfl_expr expr, bool negative);
static void print_term(dfl_text *text, const dfl_graph *graph, dfl_expr expr,
                       const dfl_names *names, dfl_notation notation);

dfl_status dfl_names_shorten(dfl_names *names, const dfl_graph *graph, const dfl_expr *exprs,
                             int count)
{
    const uint32_t n = graph->nnodes;
    bool *used = dfl_alloc(graph->ctx, n, sizeof *used);
    uint32_t *size = dfl_alloc(graph->ctx, n, sizeof *size);
    dfl_status status = used && size ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        mark_used(used, graph, exprs, count);
        for (uint32_t node = 0; node < n; node++)
            if (used[node])
                name_operands(names, size, graph, node);
        status = renumber(names, graph);
    }
    dfl_free(graph->ctx, size);
    dfl_free(graph->ctx, used);
    return status;
}

static void mark_used(bool *used, const dfl_graph *graph, const dfl_expr *exprs, int count)
{
    for (int i = 0; i < count; i++)
        used[exprs[i]] = true;
    for (uint32_t node = graph->nnodes; node-- > 0;)
        for (int k = 0; used[node] && k < dfl_op_operands((dfl_op)graph->nodes[node].op); k++)
            used[operand_of(&graph->nodes[node], k)] = true;
}

/* Sets size[node], the number of signs below; names the largest operands while it is too large. */
static void name_operands(dfl_names *names, uint32_t *size, const dfl_graph *graph, uint32_t node)
{
    const dfl_node *n = &graph->nodes[node];
    const int operands = dfl_op_operands((dfl_op)n->op);
    for (;;) {
        uint32_t largest = 0, most = 1;
        size[node] = 1;
        for (int k = 0; k < operands; k++) {
            const uint32_t operand = operand_of(n, k);
            const uint32_t signs = names->number[operand] ? 1 : size[operand];
            size[node] += signs;
            if (signs > most) {
                most = signs;
                largest = operand;
            }
        }
        if (size[node] <= MOST_SIGNS || most == 1 || is_sum(graph, node))
            return;
        names->number[largest] = 1; /* numbered later */
    }
}

/* Numbers the names in the order of the nodes, in which operands come before results. */
static dfl_status renumber(dfl_names *names, const dfl_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < graph->nnodes; node++)
        if (names->number[node])
            names->number[node] = ++count;
    dfl_expr *expr = dfl_alloc(graph->ctx, count, sizeof *expr);
    if (!expr)
        return DFL_NO_MEMORY;
    for (uint32_t node = 0; node < graph->nnodes; node++)
        if (names->number[node])
            expr[names->number[node] - 1] = node;
    dfl_free(graph->ctx, names->expr);
    names->expr = expr;
    names->count = (int)count;
    return DFL_OK;
}

static bool is_sum(const dfl_graph *graph, dfl_expr expr)
{
    const uint8_t op = graph->nodes[expr].op;
    return op == DFL_OP_ADD || op == DFL_OP_SUB || op == DFL_OP_NEG;
}

static uint32_t operand_of(const dfl_node *node, int k)
{
    return k == 0 ? node->a : k == 1 ? node->b : node->c;
}

/* ------------------------------------------------------------------------------- lines */

dfl_status dfl_lines_add(dfl_text *text, const dfl_graph *graph, dfl_expr expr,
                         const dfl_names *names, dfl_notation notation, int column)
{
    if (is_sum(graph, expr))
        write_terms(text, graph, expr, names, notation, column);
    else
        dfl_print_expr(text, graph, expr, names, notation);
    return text->status;
}

/* The terms of the outermost sum from left to right, a new line where one would not fit. */
static void write_terms(dfl_text *text, const dfl_graph *graph, dfl_expr expr,
                        const dfl_names *names, dfl_notation notation, int column)
{
    const int most = notation == DFL_TEXT ? TEXT_COLUMNS : LATEX_COLUMNS;
    summands stack = {.ctx = text->ctx};
    dfl_text term = {.ctx = text->ctx};
    bool first = true;
    push(&stack, expr, false);
    while (stack.count && !stack.status && !term.status) {
        const summand top = stack.item[--stack.count];
        const dfl_node *node = dfl_node_of(graph, top.expr);
        if (is_sum(graph, top.expr) && (top.expr == expr || !names->number[top.expr])) {
            if (node->op != DFL_OP_NEG)
                push(&stack, node->b, top.negative != (node->op == DFL_OP_SUB));
            push(&stack, node->a, top.negative != (node->op == DFL_OP_NEG));
            continue;
        }
        print_term(&term, graph, top.expr, names, notation);
        const char *word = dfl_text_string(&term);
        const bool minus = top.negative != (*word == '-');
        word += *word == '-';
        const int width = dfl_lines_width(word, notation) + 3;
        if (!first && column + width > most) {
            dfl_text_add(text, notation == DFL_TEXT ? "\n       " : " \\\\\n&\\quad {}");
            column = 8;
        }
        if (first)
            dfl_text_add(text, minus ? "-%s" : "%s", word);
        else
            dfl_text_add(text, minus ? " - %s" : " + %s", word);
        column += width;
        first = false;
        dfl_text_clear(&term);
    }
    if (stack.status || term.status)
        text->status = DFL_NO_MEMORY;
    dfl_text_clear(&term);
    dfl_free(stack.ctx, stack.item);
}

static void push(summands *stack, dfl_expr expr, bool negative)
{
    if (stack->count == stack->room) {
        const size_t room = 2 * stack->room + 32;
        summand *grown = dfl_alloc(stack->ctx, room, sizeof *grown);
        if (!grown) {
            stack->status = DFL_NO_MEMORY;
            return;
        }
        if (stack->count)
            memcpy(grown, stack->item, stack->count * sizeof *grown);
        dfl_free(stack->ctx, stack->item);
        stack->item = grown;
        stack->room = room;
    }
    stack->item[stack->count++] = (summand){expr, negative};
}

/* Writes the name of a named part; dfl_print_expr would write its definition. */
static void print_term(dfl_text *text, const dfl_graph *graph, dfl_expr expr,
                       const dfl_names *names, dfl_notation notation)
{
    if (names->number[expr])
        dfl_print_part_name(text, names, (int)names->number[expr] - 1, notation);
    else
        dfl_print_expr(text, graph, expr, names, notation);
}

int dfl_lines_width(const char *text, dfl_notation notation)
{
    if (notation == DFL_TEXT)
        return (int)strlen(text);
    int width = 0;
    while (*text) {
        if (*text == '\\' && isalpha((unsigned char)text[1])) {
            text++;
            while (isalpha((unsigned char)*text))
                text++;
            width++;
        } else
            width += !strchr("{}^_ \\&", *text++);
    }
    return width;
}
