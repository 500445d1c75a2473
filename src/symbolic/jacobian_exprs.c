/* jacobian_exprs.c: a sparse matrix of derivatives by forward sweeps, 64 columns at a time.

   One pass finds on which of the 64 symbols each node depends. Turned around, that gives one bitmap
   of nodes per column; its sweep visits exactly those. The derivative nodes go through the same
   constructors, so that columns share what they have in common. */
#include "symbolic/differentiate.h"
#include "symbolic/graph_internal.h"
#include "symbolic/sweep.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

enum { BLOCK = 64 }; /* columns */

typedef struct work {
    dfl_graph *graph;
    dfl_part part;
    uint32_t *row;     /* nrows: places of the rows */
    uint64_t *depends; /* per place: a bit for each column of the block */
    uint64_t *users;   /* per column of the block: a bitmap of places, nwords each */
    uint32_t nwords;
    dfl_expr *derivative; /* per place; all 0 between sweeps */
    uint32_t room;        /* of out->entry */
} work;

static dfl_status create_work(work *w, dfl_graph *graph, const dfl_expr *rows, int nrows,
                              int ncols);
static void clear_work(work *w);
static void find_dependence(work *w, const dfl_expr *symbols, int ncols);
static void turn_around(work *w, int ncols);
static dfl_status add_column(dfl_sparse *out, work *w, int col, int first, dfl_expr symbol);
static dfl_status add_entry(dfl_sparse *out, work *w, int row, int col, dfl_expr expr);

void dfl_sparse_clear(dfl_sparse *matrix, dfl_context *ctx)
{
    dfl_free(ctx, matrix->entry);
    *matrix = (dfl_sparse){0};
}

dfl_status dfl_jacobian_exprs(dfl_sparse *out, dfl_graph *graph, const dfl_expr *rows, int nrows,
                              const dfl_expr *symbols, int ncols)
{
    work w;
    *out = (dfl_sparse){.nrows = nrows, .ncols = ncols};
    dfl_status status = create_work(&w, graph, rows, nrows, ncols);
    for (int first = 0; !status && first < ncols; first += BLOCK) {
        const int count = ncols - first < BLOCK ? ncols - first : BLOCK;
        find_dependence(&w, symbols + first, count);
        turn_around(&w, count);
        for (int col = first; !status && col < first + count; col++)
            status = add_column(out, &w, col, first, symbols[col]);
    }
    if (!status)
        status = dfl_graph_status(graph);
    clear_work(&w);
    if (status)
        dfl_sparse_clear(out, graph->ctx);
    return status;
}

static dfl_status create_work(work *w, dfl_graph *graph, const dfl_expr *rows, int nrows, int ncols)
{
    dfl_context *ctx = graph->ctx;
    *w = (work){.graph = graph};
    const dfl_status status = dfl_part_create(&w->part, graph, rows, nrows);
    if (status)
        return status;
    const size_t count = w->part.count, columns = ncols < BLOCK ? (size_t)ncols : BLOCK;
    w->nwords = w->part.count / 64 + 1;
    w->row = dfl_alloc(ctx, (size_t)nrows, sizeof *w->row);
    w->depends = dfl_alloc(ctx, count, sizeof *w->depends);
    w->users = dfl_alloc(ctx, columns * w->nwords, sizeof *w->users);
    w->derivative = dfl_alloc(ctx, count, sizeof *w->derivative);
    if (!w->row || !w->depends || !w->users || !w->derivative)
        return DFL_NO_MEMORY;
    for (int k = 0; k < nrows; k++)
        w->row[k] = dfl_part_place(&w->part, rows[k]);
    return DFL_OK;
}

static void clear_work(work *w)
{
    dfl_context *ctx = w->graph->ctx;
    dfl_free(ctx, w->derivative);
    dfl_free(ctx, w->users);
    dfl_free(ctx, w->depends);
    dfl_free(ctx, w->row);
    dfl_part_clear(&w->part);
}

static void find_dependence(work *w, const dfl_expr *symbols, int ncols)
{
    uint64_t *depends = w->depends;
    const dfl_part *part = &w->part;
    memset(depends, 0, part->count * sizeof *depends);
    for (int j = 0; j < ncols; j++) {
        assert(dfl_node_of(w->graph, symbols[j])->op == DFL_OP_SYMBOL);
        const uint32_t place = dfl_part_place(part, symbols[j]);
        if (place != DFL_NO_EXPR)
            depends[place] |= UINT64_C(1) << j;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        const dfl_node *node = &part->node[i];
        const int operands = dfl_op_operands((dfl_op)node->op);
        if (operands > 0)
            depends[i] = depends[node->a];
        if (operands > 1)
            depends[i] |= depends[node->b];
        if (operands > 2)
            depends[i] |= depends[node->c];
    }
}

/* depends, by nodes, becomes users, by columns. */
static void turn_around(work *w, int ncols)
{
    memset(w->users, 0, (size_t)ncols * w->nwords * sizeof *w->users);
    for (uint32_t i = 0; i < w->part.count; i++)
        for (uint64_t left = w->depends[i]; left; left &= left - 1)
            w->users[dfl_low_bit(left) * w->nwords + i / 64] |= UINT64_C(1) << i % 64;
}

/* Sweeps over the nodes that depend on the symbol, collects the rows, and clears the
   derivatives. */
static dfl_status add_column(dfl_sparse *out, work *w, int col, int first, dfl_expr symbol)
{
    const uint64_t *users = w->users + (size_t)(col - first) * w->nwords;
    const uint32_t seed = dfl_part_place(&w->part, symbol);
    dfl_status status = DFL_OK;
    if (seed == DFL_NO_EXPR)
        return DFL_OK;
    for (uint32_t word = seed / 64; word < w->nwords; word++) {
        for (uint64_t left = users[word]; left; left &= left - 1) {
            const uint32_t i = word * 64 + dfl_low_bit(left);
            w->derivative[i] = i == seed ? dfl_constant(w->graph, 1)
                                         : dfl_sweep_node(w->graph, &w->part, i, w->derivative);
        }
    }
    for (int k = 0; !status && k < out->nrows; k++)
        if (w->derivative[w->row[k]] != 0)
            status = add_entry(out, w, k, col, w->derivative[w->row[k]]);
    for (uint32_t word = seed / 64; word < w->nwords; word++)
        for (uint64_t left = users[word]; left; left &= left - 1)
            w->derivative[word * 64 + dfl_low_bit(left)] = 0;
    return status;
}

static dfl_status add_entry(dfl_sparse *out, work *w, int row, int col, dfl_expr expr)
{
    dfl_context *ctx = w->graph->ctx;
    if (out->count == INT_MAX)
        return dfl_fail(ctx, DFL_INVALID, "a matrix of derivatives has more than %d entries",
                        INT_MAX);
    dfl_entry *entry =
        dfl_grown(out->entry, &w->room, ctx, (uint32_t)out->count + 1, INT_MAX, sizeof *entry);
    if (!entry)
        return DFL_NO_MEMORY;
    out->entry = entry;
    entry[out->count++] = (dfl_entry){.row = row, .col = col, .expr = expr};
    return DFL_OK;
}
