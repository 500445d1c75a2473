/* part.c: the nodes below some roots, renumbered without gaps, as a small separate program.

   Marks go from the roots down: operands have lower numbers, so one pass over the words of a bitmap
   is enough. The cost is that of the marked nodes plus one word per 64 nodes of the graph. The part
   keeps copies, so that the graph may grow while it is used. */
#include "symbolic/part.h"

#include <assert.h>

static void mark_operands(uint64_t *marked, const dfl_node *node);
static uint64_t *mark_below(uint32_t *count, const dfl_graph *graph, const dfl_expr *rows, int n);
static int top_bit(uint64_t word);
static int count_bits(uint64_t word);
static void number_words(dfl_part *part);
static void copy_nodes(dfl_part *part, const dfl_graph *graph);

dfl_status dfl_part_create(dfl_part *out, const dfl_graph *graph, const dfl_expr *rows, int n)
{
    *out = (dfl_part){.ctx = graph->ctx, .nwords = graph->nnodes / 64 + 1};
    out->marked = mark_below(&out->count, graph, rows, n);
    out->before = dfl_alloc(graph->ctx, out->nwords, sizeof *out->before);
    out->expr = dfl_alloc(graph->ctx, out->count, sizeof *out->expr);
    out->node = dfl_alloc(graph->ctx, out->count, sizeof *out->node);
    if (!out->marked || !out->before || !out->expr || !out->node) {
        dfl_part_clear(out);
        return DFL_NO_MEMORY;
    }
    number_words(out);
    copy_nodes(out, graph);
    return DFL_OK;
}

void dfl_part_clear(dfl_part *part)
{
    if (!part->ctx)
        return;
    dfl_free(part->ctx, part->node);
    dfl_free(part->ctx, part->expr);
    dfl_free(part->ctx, part->before);
    dfl_free(part->ctx, part->marked);
    *part = (dfl_part){0};
}

uint32_t dfl_part_place(const dfl_part *part, dfl_expr e)
{
    const uint32_t word = e / 64;
    const uint64_t bit = UINT64_C(1) << e % 64;
    if (word >= part->nwords || !(part->marked[word] & bit))
        return DFL_NO_EXPR;
    return part->before[word] + (uint32_t)count_bits(part->marked[word] & (bit - 1));
}

uint32_t dfl_graph_size(const dfl_graph *graph, const dfl_expr *rows, int n)
{
    uint32_t count;
    dfl_free(graph->ctx, mark_below(&count, graph, rows, n));
    return count;
}

uint32_t dfl_low_bit(uint64_t word)
{
    return (uint32_t)count_bits((word & -word) - 1);
}

/* One bit per node of the graph; NULL, and a count of 0, without memory. */
static uint64_t *mark_below(uint32_t *count, const dfl_graph *graph, const dfl_expr *rows, int n)
{
    *count = 0;
    uint64_t *marked = dfl_alloc(graph->ctx, graph->nnodes / 64 + 1, sizeof *marked);
    if (!marked)
        return NULL;
    for (int i = 0; i < n; i++) {
        assert(rows[i] < graph->nnodes);
        marked[rows[i] / 64] |= UINT64_C(1) << rows[i] % 64;
    }
    for (uint32_t word = graph->nnodes / 64 + 1; word-- > 0;) {
        uint64_t left = marked[word];
        while (left) { /* operands in the same word are below the bit, and join `left` */
            const int bit = top_bit(left);
            mark_operands(marked, &graph->nodes[word * 64 + (uint32_t)bit]);
            left = marked[word] & ((UINT64_C(1) << bit) - 1);
            ++*count;
        }
    }
    return marked;
}

static void mark_operands(uint64_t *marked, const dfl_node *node)
{
    const dfl_expr operand[] = {node->a, node->b, node->c};
    const int count = dfl_op_operands((dfl_op)node->op);
    for (int i = 0; i < count; i++)
        marked[operand[i] / 64] |= UINT64_C(1) << operand[i] % 64;
}

/* The number of the highest bit that is set. */
static int top_bit(uint64_t word)
{
    int bit = 0;
    for (int half = 32; half > 0; half /= 2) {
        if (word >> half) {
            word >>= half;
            bit += half;
        }
    }
    return bit;
}

/* Sums of neighbours: of bits, pairs, fours, then all bytes by one product. */
static int count_bits(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(word * UINT64_C(0x0101010101010101) >> 56);
}

static void number_words(dfl_part *part)
{
    uint32_t sum = 0;
    for (uint32_t word = 0; word < part->nwords; word++) {
        part->before[word] = sum;
        sum += (uint32_t)count_bits(part->marked[word]);
    }
}

static void copy_nodes(dfl_part *part, const dfl_graph *graph)
{
    uint32_t place = 0;
    for (uint32_t word = 0; word < part->nwords; word++) {
        for (uint64_t left = part->marked[word]; left; left &= left - 1) {
            const dfl_expr e = word * 64 + dfl_low_bit(left);
            dfl_node *node = &part->node[place];
            *node = graph->nodes[e];
            const int operands = dfl_op_operands((dfl_op)node->op);
            if (operands > 0)
                node->a = dfl_part_place(part, node->a);
            if (operands > 1)
                node->b = dfl_part_place(part, node->b);
            if (operands > 2)
                node->c = dfl_part_place(part, node->c);
            part->expr[place++] = e;
        }
    }
}

void dfl_part_evaluate(double *value, const dfl_part *part, const dfl_graph *graph,
                       dfl_symbol_value_fn symbol, const void *user)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const dfl_node *node = &part->node[i];
        const int operands = dfl_op_operands((dfl_op)node->op);
        if (node->op == DFL_OP_CONSTANT)
            value[i] = graph->constants[node->a];
        else if (node->op == DFL_OP_SYMBOL)
            value[i] = symbol(node->a, user);
        else
            value[i] =
                dfl_op_value(graph, node, value[node->a], operands > 1 ? value[node->b] : 0.0,
                             operands > 2 ? value[node->c] : 0.0);
    }
}
