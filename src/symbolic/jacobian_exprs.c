/* jacobian_exprs.c: a sparse matrix of derivatives by forward sweeps, column by column.

   The users of every node are listed once. From a symbol they lead to all nodes that depend on it,
   and its sweep visits exactly those, in the order of their places: the cost of a column is that of
   what depends on it, however large the model is. The derivative nodes go through the same
   constructors, so that columns share what they have in common. */
#include "symbolic/differentiate.h"
#include "symbolic/graph_internal.h"
#include "symbolic/forward_sweep.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    dfl_graph *graph;
    dfl_part part;
    uint32_t *first_user, *user; /* users of place i: user[first_user[i]] .. */
    uint32_t *first_row, *row;   /* rows at place i, in the same way */
    uint32_t *place_of_row;
    uint32_t *list, *rows_found; /* what depends on a symbol, in order; its rows */
    uint32_t count, nrows_found;
    uint64_t *bits;       /* a bitmap of places, all 0 between columns */
    dfl_expr *derivative; /* per place; all 0 between sweeps */
    uint32_t room;        /* of out->entry */
} work;

static dfl_status create_work(work *w, dfl_graph *graph, const dfl_expr *rows, int nrows);
static void clear_work(work *w);
static void list_users(work *w);
static void list_rows(work *w, int nrows);
static void find_dependents(work *w, uint32_t seed);
static dfl_status add_column(dfl_sparse *out, work *w, int col, dfl_expr symbol);
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
    dfl_status status = create_work(&w, graph, rows, nrows);
    for (int col = 0; !status && col < ncols; col++)
        status = add_column(out, &w, col, symbols[col]);
    if (!status)
        status = dfl_graph_status(graph);
    clear_work(&w);
    if (status)
        dfl_sparse_clear(out, graph->ctx);
    return status;
}

static dfl_status create_work(work *w, dfl_graph *graph, const dfl_expr *rows, int nrows)
{
    dfl_context *ctx = graph->ctx;
    *w = (work){.graph = graph};
    const dfl_status status = dfl_part_create(&w->part, graph, rows, nrows);
    if (status)
        return status;
    const size_t count = w->part.count;
    size_t operands = 0;
    for (size_t i = 0; i < count; i++)
        operands += (size_t)dfl_op_operands((dfl_op)w->part.node[i].op);
    w->first_user = dfl_alloc(ctx, count + 2, sizeof *w->first_user);
    w->user = dfl_alloc(ctx, operands + 1, sizeof *w->user);
    w->first_row = dfl_alloc(ctx, count + 2, sizeof *w->first_row);
    w->row = dfl_alloc(ctx, (size_t)nrows + 1, sizeof *w->row);
    w->place_of_row = dfl_alloc(ctx, (size_t)nrows + 1, sizeof *w->place_of_row);
    w->list = dfl_alloc(ctx, count + 1, sizeof *w->list);
    w->rows_found = dfl_alloc(ctx, (size_t)nrows + 1, sizeof *w->rows_found);
    w->bits = dfl_alloc(ctx, count / 64 + 1, sizeof *w->bits);
    w->derivative = dfl_alloc(ctx, count + 1, sizeof *w->derivative);
    if (!w->first_user || !w->user || !w->first_row || !w->row || !w->place_of_row || !w->list ||
        !w->rows_found || !w->bits || !w->derivative)
        return DFL_NO_MEMORY;
    for (int k = 0; k < nrows; k++)
        w->place_of_row[k] = dfl_part_place(&w->part, rows[k]);
    list_users(w);
    list_rows(w, nrows);
    return DFL_OK;
}

static void clear_work(work *w)
{
    dfl_context *ctx = w->graph->ctx;
    dfl_free(ctx, w->derivative);
    dfl_free(ctx, w->bits);
    dfl_free(ctx, w->rows_found);
    dfl_free(ctx, w->list);
    dfl_free(ctx, w->place_of_row);
    dfl_free(ctx, w->row);
    dfl_free(ctx, w->first_row);
    dfl_free(ctx, w->user);
    dfl_free(ctx, w->first_user);
    dfl_part_clear(&w->part);
}

/* Operand k of a node: its place. */
static uint32_t operand(const dfl_node *node, int k)
{
    return k == 0 ? node->a : k == 1 ? node->b : node->c;
}

/* Counts one place further on, so that sums become the starts and filling moves them on. */
static void list_users(work *w)
{
    const uint32_t count = w->part.count;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            const dfl_node *node = &w->part.node[i];
            const int operands = dfl_op_operands((dfl_op)node->op);
            for (int k = 0; k < operands; k++) {
                uint32_t *at = &w->first_user[operand(node, k) + (pass ? 1 : 2)];
                if (pass)
                    w->user[*at] = i;
                ++*at;
            }
        }
        for (uint32_t i = 0; !pass && i < count; i++)
            w->first_user[i + 2] += w->first_user[i + 1];
    }
}

static void list_rows(work *w, int nrows)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < nrows; k++) {
            uint32_t *at = &w->first_row[w->place_of_row[k] + (pass ? 1 : 2)];
            if (pass)
                w->row[*at] = (uint32_t)k;
            ++*at;
        }
        for (uint32_t i = 0; !pass && i < w->part.count; i++)
            w->first_row[i + 2] += w->first_row[i + 1];
    }
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* list := all places that depend on the one of a symbol, ascending; few by sorting, many by a walk
   through the bitmap. */
static void find_dependents(work *w, uint32_t seed)
{
    uint32_t last = seed;
    w->list[0] = seed;
    w->count = 1;
    w->bits[seed / 64] |= UINT64_C(1) << seed % 64;
    for (uint32_t k = 0; k < w->count; k++)
        for (uint32_t p = w->first_user[w->list[k]]; p < w->first_user[w->list[k] + 1]; p++) {
            const uint32_t i = w->user[p];
            if (w->bits[i / 64] >> i % 64 & 1)
                continue;
            w->bits[i / 64] |= UINT64_C(1) << i % 64;
            w->list[w->count++] = i;
            last = i > last ? i : last;
        }
    if (w->count < (last - seed) / 512) {
        qsort(w->list, w->count, sizeof *w->list, ascending);
        for (uint32_t k = 0; k < w->count; k++)
            w->bits[w->list[k] / 64] = 0;
        return;
    }
    w->count = 0;
    for (uint32_t word = seed / 64; word <= last / 64; word++) {
        for (uint64_t left = w->bits[word]; left; left &= left - 1)
            w->list[w->count++] = word * 64 + dfl_low_bit(left);
        w->bits[word] = 0;
    }
}

/* Sweeps over the nodes that depend on the symbol, collects the rows, and clears the
   derivatives. */
static dfl_status add_column(dfl_sparse *out, work *w, int col, dfl_expr symbol)
{
    if (symbol == DFL_NO_EXPR)
        return DFL_OK;
    assert(dfl_node_of(w->graph, symbol)->op == DFL_OP_SYMBOL);
    const uint32_t seed = dfl_part_place(&w->part, symbol);
    dfl_status status = DFL_OK;
    if (seed == DFL_NO_EXPR)
        return DFL_OK;
    find_dependents(w, seed);
    w->nrows_found = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        const uint32_t i = w->list[k];
        w->derivative[i] = i == seed ? dfl_constant(w->graph, 1)
                                     : dfl_sweep_node(w->graph, &w->part, i, w->derivative);
        for (uint32_t p = w->first_row[i]; p < w->first_row[i + 1]; p++)
            if (w->derivative[i] != 0)
                w->rows_found[w->nrows_found++] = w->row[p];
    }
    qsort(w->rows_found, w->nrows_found, sizeof *w->rows_found, ascending);
    for (uint32_t k = 0; !status && k < w->nrows_found; k++) {
        const uint32_t row = w->rows_found[k];
        status = add_entry(out, w, (int)row, col, w->derivative[w->place_of_row[row]]);
    }
    for (uint32_t k = 0; k < w->count; k++)
        w->derivative[w->list[k]] = 0;
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
