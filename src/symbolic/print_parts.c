/* print_parts.c: which parts of some expressions deserve a name.

   A part is named if it is used more than once and is not small, or if it would make a text nest
   too deeply. Sizes and depths count a named part as one, so one pass in the order of the nodes
   decides. A minus sign never gets a name: what it negates does. */
#include "symbolic/print.h"
#include "symbolic/part.h"

#include <ctype.h>
#include <string.h>

enum {
    SMALL = 4,           /* operations, symbols and constants of a part that gets no name */
    GREATEST_DEPTH = 200 /* of nested operations in one text */
};

/* Of one node, while names are chosen. */
typedef struct measure {
    uint32_t uses, size, depth;
} measure;

static void count_uses(measure *m, const dfl_part *part, const dfl_expr *rows, int nrows);
static void measure_node(measure *m, const dfl_part *part, uint32_t i);
static bool deserves_name(const measure *m, const dfl_node *node);
static int choose_letters(const dfl_graph *graph);
static bool is_letters_and_digits(const char *name, int letters);

dfl_status dfl_names_choose(dfl_names *out, const dfl_graph *graph, const dfl_expr *rows, int nrows)
{
    dfl_context *ctx = graph->ctx;
    dfl_part part;
    *out = (dfl_names){.nnodes = graph->nnodes, .letters = choose_letters(graph)};
    dfl_status status = dfl_part_create(&part, graph, rows, nrows);
    if (status)
        return status;
    measure *m = dfl_alloc(ctx, part.count, sizeof *m);
    out->expr = dfl_alloc(ctx, part.count, sizeof *out->expr);
    out->number = dfl_alloc(ctx, graph->nnodes, sizeof *out->number);
    if (m && out->expr && out->number) {
        count_uses(m, &part, rows, nrows);
        for (uint32_t i = 0; i < part.count; i++) {
            measure_node(m, &part, i);
            if (!deserves_name(&m[i], &part.node[i]))
                continue;
            out->expr[out->count++] = part.expr[i];
            out->number[part.expr[i]] = (uint32_t)out->count;
            m[i].size = 1;
            m[i].depth = 0;
        }
    } else {
        dfl_names_clear(out, ctx);
        status = DFL_NO_MEMORY;
    }
    dfl_free(ctx, m);
    dfl_part_clear(&part);
    return status;
}

void dfl_names_clear(dfl_names *names, dfl_context *ctx)
{
    dfl_free(ctx, names->number);
    dfl_free(ctx, names->expr);
    *names = (dfl_names){0};
}

/* What uses a negated part uses the part. */
static void count_uses(measure *m, const dfl_part *part, const dfl_expr *rows, int nrows)
{
    for (int k = 0; k < nrows; k++)
        m[dfl_part_place(part, rows[k])].uses++;
    for (uint32_t i = part->count; i-- > 0;) {
        const dfl_node *node = &part->node[i];
        const uint32_t operand[] = {node->a, node->b, node->c};
        const int operands = dfl_op_operands((dfl_op)node->op);
        for (int k = 0; k < operands; k++)
            m[operand[k]].uses += node->op == DFL_OP_NEG ? m[i].uses : 1;
    }
}

static void measure_node(measure *m, const dfl_part *part, uint32_t i)
{
    const dfl_node *node = &part->node[i];
    const uint32_t operand[] = {node->a, node->b, node->c};
    const int operands = dfl_op_operands((dfl_op)node->op);
    m[i].size = 1;
    for (int k = 0; k < operands; k++) {
        const measure *below = &m[operand[k]];
        m[i].size += below->size;
        if (m[i].depth < below->depth + 1)
            m[i].depth = below->depth + 1;
    }
}

static bool deserves_name(const measure *m, const dfl_node *node)
{
    if (node->op == DFL_OP_NEG)
        return false;
    return (m->uses > 1 && m->size > SMALL) || m->depth > GREATEST_DEPTH;
}

/* The fewest letters z with which no name of a part is that of a symbol. */
static int choose_letters(const dfl_graph *graph)
{
    int letters = 1;
    for (int i = 0; i < graph->nsymbols; i++) {
        if (is_letters_and_digits(graph->symbols[i].name, letters)) {
            letters++;
            i = -1;
        }
    }
    return letters;
}

static bool is_letters_and_digits(const char *name, int letters)
{
    if (strspn(name, "z") != (size_t)letters || name[letters] == 0)
        return false;
    for (name += letters; isdigit((unsigned char)*name); name++)
        ;
    return *name == 0;
}
