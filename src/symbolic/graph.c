/* graph.c: the nodes and the table in which each is looked up before it is made.

   Open addressing with linear probing, first near the operands, at most half full. A node's key is
   its operation and operands; that of a constant is the pattern of its bits, that of a symbol its
   kind and index. */
#include "symbolic/graph_internal.h"

#include "context/context.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    DEFAULT_LIMIT = 20000000, /* nodes: 320 MB, and a table of 270 MB */
    FIRST_TABLE = 256,
    FIRST_ROOM = 16,
    NEIGHBOURS = 4096, /* places that are close to each other */
    TRIES = 16         /* of them, before any other place */
};

typedef struct key {
    uint32_t op, a, b, c;
} key;

static bool found(dfl_expr *out, dfl_graph *graph, key k);
static dfl_expr fail(dfl_graph *graph, dfl_status status);
static key key_of_constant(double value);
static key key_of_symbol(dfl_symbol_kind kind, int index);
static key key_of(const dfl_graph *graph, dfl_expr e);
static uint32_t mix(key k);
static uint32_t neighbourhood(const dfl_graph *graph, key k, uint32_t mixed);
static uint32_t place_of(const dfl_graph *graph, key k);
static bool same_key(key k, key l);
static bool make_room(dfl_graph *graph);
static dfl_status grow_table(dfl_graph *graph);
static dfl_expr append(dfl_graph *graph, key k, dfl_node node);
static bool append_symbol(dfl_graph *graph, dfl_symbol_kind kind, int index, const char *name);

dfl_status dfl_graph_create(dfl_graph **out, dfl_context *ctx, uint32_t limit)
{
    *out = NULL;
    dfl_graph *graph = dfl_alloc(ctx, 1, sizeof *graph);
    if (!graph)
        return DFL_NO_MEMORY;
    graph->ctx = ctx;
    graph->limit = limit == 0                  ? DEFAULT_LIMIT
                   : limit < DFL_LARGEST_GRAPH ? limit
                                               : DFL_LARGEST_GRAPH;
    dfl_status status = grow_table(graph);
    if (!status) {
        dfl_constant(graph, 0);
        status = dfl_graph_status(graph);
    }
    if (status) {
        dfl_graph_free(graph);
        return status;
    }
    *out = graph;
    return DFL_OK;
}

void dfl_graph_free(dfl_graph *graph)
{
    if (!graph)
        return;
    dfl_context *ctx = graph->ctx;
    for (int i = 0; i < graph->nsymbols; i++)
        dfl_free(ctx, graph->symbols[i].name);
    for (int i = 0; i < graph->nsplines; i++) {
        dfl_free(ctx, graph->splines[i].x);
        dfl_free(ctx, graph->splines[i].coef);
    }
    dfl_free(ctx, graph->splines);
    dfl_free(ctx, graph->symbols);
    dfl_free(ctx, graph->constants);
    dfl_free(ctx, graph->table);
    dfl_free(ctx, graph->nodes);
    dfl_free(ctx, graph);
}

/* The message is written again: another failure may have replaced it since. */
dfl_status dfl_graph_status(dfl_graph *graph)
{
    if (graph->status == DFL_INVALID)
        return dfl_fail(graph->ctx, DFL_INVALID,
                        "the expressions need more than %u nodes, which is the limit; simplify "
                        "them, use auxiliary variables for large parts, or raise the limit",
                        graph->limit);
    if (graph->status)
        return dfl_fail(graph->ctx, graph->status,
                        "no memory for more than %u nodes of expressions; simplify them or use "
                        "auxiliary variables for large parts",
                        graph->nnodes);
    return DFL_OK;
}

void dfl_graph_retry(dfl_graph *graph)
{
    if (graph->status == DFL_NO_MEMORY)
        graph->status = DFL_OK;
}

dfl_expr dfl_constant(dfl_graph *graph, double value)
{
    const double number = value == 0 ? 0 : value; /* one zero */
    const key k = key_of_constant(number);
    dfl_expr e;
    if (found(&e, graph, k))
        return e;
    if (!make_room(graph))
        return 0;
    double *constants = dfl_grown(graph->constants, &graph->max_constants, graph->ctx,
                                  graph->nconstants + 1, graph->limit, sizeof *constants);
    if (!constants)
        return fail(graph, DFL_NO_MEMORY);
    graph->constants = constants;
    constants[graph->nconstants] = number;
    return append(graph, k, (dfl_node){.op = DFL_OP_CONSTANT, .a = graph->nconstants++});
}

dfl_expr dfl_symbol_expr(dfl_graph *graph, dfl_symbol_kind kind, int index, const char *name)
{
    const key k = key_of_symbol(kind, index);
    dfl_expr e;
    if (found(&e, graph, k))
        return e;
    if (!make_room(graph))
        return 0;
    if (!append_symbol(graph, kind, index, name))
        return fail(graph, DFL_NO_MEMORY);
    return append(graph, k,
                  (dfl_node){.op = DFL_OP_SYMBOL,
                             .depends = (uint16_t)(1u << kind),
                             .a = (uint32_t)graph->nsymbols - 1});
}

dfl_expr dfl_graph_intern(dfl_graph *graph, dfl_op op, dfl_expr a, dfl_expr b, dfl_expr c)
{
    const key k = {op, a, b, c};
    dfl_expr e;
    if (found(&e, graph, k))
        return e;
    if (!make_room(graph))
        return 0;
    const dfl_node *nodes = graph->nodes;
    const int operands = dfl_op_operands(op);
    unsigned depends = nodes[a].depends;
    if (operands > 1)
        depends |= nodes[b].depends;
    if (operands > 2)
        depends |= nodes[c].depends;
    return append(
        graph, k,
        (dfl_node){.op = (uint8_t)op, .depends = (uint16_t)depends, .a = a, .b = b, .c = c});
}

void *dfl_grown(void *array, uint32_t *room, dfl_context *ctx, uint32_t needed, uint32_t most,
                size_t size)
{
    if (needed <= *room)
        return array;
    uint32_t larger = *room < FIRST_ROOM ? FIRST_ROOM : *room;
    while (larger < needed)
        larger = larger > most / 2 ? most : 2 * larger;
    void *grown = dfl_alloc(ctx, larger, size);
    if (!grown)
        return NULL;
    if (*room > 0)
        memcpy(grown, array, *room * size);
    dfl_free(ctx, array);
    *room = larger;
    return grown;
}

/* Whether nothing needs to be made: *out is the node with this key, or 0 after a failure. */
static bool found(dfl_expr *out, dfl_graph *graph, key k)
{
    graph->requests++;
    const dfl_expr e = graph->table[place_of(graph, k)];
    *out = e != DFL_NO_EXPR ? e : 0;
    return e != DFL_NO_EXPR || graph->status;
}

/* Remembers a failure; what could not be made is the constant 0. */
static dfl_expr fail(dfl_graph *graph, dfl_status status)
{
    graph->status = status;
    return 0;
}

static key key_of_constant(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (key){DFL_OP_CONSTANT, (uint32_t)bits, (uint32_t)(bits >> 32), 0};
}

static key key_of_symbol(dfl_symbol_kind kind, int index)
{
    return (key){DFL_OP_SYMBOL, (uint32_t)kind, (uint32_t)index, 0};
}

static key key_of(const dfl_graph *graph, dfl_expr e)
{
    const dfl_node *node = &graph->nodes[e];
    if (node->op == DFL_OP_CONSTANT)
        return key_of_constant(graph->constants[node->a]);
    if (node->op == DFL_OP_SYMBOL)
        return key_of_symbol(graph->symbols[node->a].kind, graph->symbols[node->a].index);
    return (key){node->op, node->a, node->b, node->c};
}

/* The mixing function is the finalizer of MurmurHash3 after each of two halves. */
static uint32_t mix(key k)
{
    uint64_t h = ((uint64_t)k.op << 56 ^ (uint64_t)k.c << 24) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= (uint64_t)k.b << 32 | k.a;
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(h ^ h >> 33);
}

/* Where the search among neighbours begins: nodes that are made of the same parts of a model stand
   close together in the table, since their last operands were made one after the other. */
static uint32_t neighbourhood(const dfl_graph *graph, key k, uint32_t mixed)
{
    const uint32_t ab = k.a > k.b ? k.a : k.b, last = ab > k.c ? ab : k.c;
    return k.op == DFL_OP_CONSTANT || k.op == DFL_OP_SYMBOL || last > graph->table_size / 2
               ? mixed
               : 2 * last + mixed % NEIGHBOURS;
}

/* The place of the node with this key, or the empty one where it belongs: among some neighbours,
   so that large graphs need not be fetched from all over the memory, and anywhere if these are all
   taken. */
static uint32_t place_of(const dfl_graph *graph, key k)
{
    const uint32_t mask = graph->table_size - 1, mixed = mix(k);
    uint32_t place = neighbourhood(graph, k, mixed) & mask;
    for (int tried = 1;; tried++) {
        if (graph->table[place] == DFL_NO_EXPR || same_key(key_of(graph, graph->table[place]), k))
            return place;
        place = (tried == TRIES ? mixed : place + 1) & mask;
    }
}

static bool same_key(key k, key l)
{
    return k.op == l.op && k.a == l.a && k.b == l.b && k.c == l.c;
}

/* Room for one more node, in the array and in the table; false if it fails. */
static bool make_room(dfl_graph *graph)
{
    if (graph->nnodes >= graph->limit) {
        fail(graph, DFL_INVALID);
        return false;
    }
    dfl_node *nodes = dfl_grown(graph->nodes, &graph->max_nodes, graph->ctx, graph->nnodes + 1,
                                graph->limit, sizeof *nodes);
    if (nodes)
        graph->nodes = nodes;
    if (!nodes || (2 * (graph->nnodes + 1) > graph->table_size && grow_table(graph))) {
        fail(graph, DFL_NO_MEMORY);
        return false;
    }
    return true;
}

static dfl_status grow_table(dfl_graph *graph)
{
    const uint32_t size = graph->table_size ? 2 * graph->table_size : FIRST_TABLE;
    uint32_t *table = dfl_alloc(graph->ctx, size, sizeof *table);
    if (!table)
        return DFL_NO_MEMORY;
    memset(table, 0xff, size * sizeof *table); /* DFL_NO_EXPR */
    dfl_free(graph->ctx, graph->table);
    graph->table = table;
    graph->table_size = size;
    for (uint32_t e = 0; e < graph->nnodes; e++)
        table[place_of(graph, key_of(graph, e))] = e;
    return DFL_OK;
}

/* Room must have been made. */
static dfl_expr append(dfl_graph *graph, key k, dfl_node node)
{
    const dfl_expr e = graph->nnodes++;
    graph->table[place_of(graph, k)] = e;
    graph->nodes[e] = node;
    return e;
}

static bool append_symbol(dfl_graph *graph, dfl_symbol_kind kind, int index, const char *name)
{
    uint32_t room = (uint32_t)graph->max_symbols;
    dfl_symbol *symbols = dfl_grown(graph->symbols, &room, graph->ctx,
                                    (uint32_t)graph->nsymbols + 1, graph->limit, sizeof *symbols);
    if (!symbols)
        return false;
    graph->symbols = symbols;
    graph->max_symbols = (int)room;
    char *copy = dfl_copy_string(graph->ctx, name);
    if (!copy)
        return false;
    symbols[graph->nsymbols++] =
        (dfl_symbol){.kind = kind, .index = index, .name = copy, .expr = graph->nnodes};
    return true;
}
