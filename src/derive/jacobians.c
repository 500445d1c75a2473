/* jacobians.c: the derivatives that dfl_jacobian wants, block by block. */
#include "derive/derive_internal.h"

#include <string.h>

/* What rows are differentiated by: for all unknowns x, each block has its own first column. */
typedef struct columns {
    const dfl_expr *symbol;
    int count;
    bool unknowns; /* they are x */
} columns;

static dfl_status derive_all(dfl_equation_jacobian *out, dfl_equations *eq, const columns *by);
static dfl_status derive_block(dfl_sparse *out, dfl_equations *eq, const dfl_expr *const *parts,
                               const int *counts, int nparts, const columns *by, int first_column);
static dfl_status derive_acceleration(dfl_sparse *out, dfl_equations *eq, const columns *by);
static dfl_status derive_motion(dfl_sparse *out, dfl_equations *eq, const columns *by);

dfl_status dfl_derive_jacobians(dfl_equations *eq)
{
    dfl_expr *x = dfl_exprs(eq, eq->n);
    if (!x)
        return DFL_NO_MEMORY;
    for (int j = 0; j < eq->n; j++)
        x[j] = eq->x[j].symbol;
    const columns by = {x, eq->n, true};
    const dfl_status status = derive_all(&eq->jacobian, eq, &by);
    eq->have_jacobians = !status;
    dfl_free(eq->model->ctx, x);
    return status;
}

dfl_status dfl_equations_slopes(dfl_equation_jacobian *out, const dfl_equations *eq,
                                const dfl_expr *symbols, int count)
{
    const columns by = {symbols, count, false};
    return derive_all(out, (dfl_equations *)eq, &by); /* its graph grows, nothing else changes */
}

void dfl_equation_jacobian_clear(dfl_equation_jacobian *jacobian, dfl_context *ctx)
{
    dfl_sparse *const block[] = {&jacobian->d,   &jacobian->acc, &jacobian->vel, &jacobian->gam,
                                 &jacobian->pos, &jacobian->b,   &jacobian->dyn, &jacobian->kin};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_sparse_clear(block[i], ctx);
}

static dfl_status derive_all(dfl_equation_jacobian *out, dfl_equations *eq, const columns *by)
{
    const int v = eq->nw + eq->nl + eq->nm + eq->nr, s = v + eq->nv;
    const dfl_expr *const velocity[] = {eq->rows.gI, eq->rows.hv, eq->rows.e};
    const dfl_expr *const position[] = {eq->rows.c, eq->rows.g, eq->rows.ep};
    const struct {
        dfl_sparse *out;
        const dfl_expr *const *parts;
        int counts[3], nparts, first_column;
    } blocks[] = {
        {&out->d, (const dfl_expr *const[]){eq->rows.d}, {eq->nw}, 1, 0},
        {&out->vel, velocity, {eq->nl, eq->nm, eq->ne}, 3, v},
        {&out->pos, position, {eq->ns, eq->nl, eq->nep}, 3, s},
        {&out->gam, (const dfl_expr *const[]){eq->rows.gam}, {eq->n0}, 1, 0},
        {&out->b, (const dfl_expr *const[]){eq->rows.b}, {eq->nr}, 1, 0},
        {&out->kin, (const dfl_expr *const[]){eq->rows.kin}, {eq->np}, 1, v},
    };
    dfl_status status = DFL_OK;
    for (size_t i = 0; !status && i < sizeof blocks / sizeof *blocks; i++)
        status = derive_block(blocks[i].out, eq, blocks[i].parts, blocks[i].counts,
                              blocks[i].nparts, by, blocks[i].first_column);
    if (!status)
        status = derive_acceleration(&out->acc, eq, by);
    return status ? status : derive_motion(&out->dyn, eq, by);
}

/* The rows of all parts by the unknowns x[first_column ...], or by all symbols. */
static dfl_status derive_block(dfl_sparse *out, dfl_equations *eq, const dfl_expr *const *parts,
                               const int *counts, int nparts, const columns *by, int first_column)
{
    int nrows = 0;
    for (int k = 0; k < nparts; k++)
        nrows += counts[k];
    const int first = by->unknowns ? first_column : 0;
    dfl_expr *rows = dfl_exprs(eq, nrows);
    if (!rows)
        return DFL_NO_MEMORY;
    dfl_expr *to = rows;
    for (int k = 0; k < nparts; to += counts[k++])
        if (counts[k] > 0)
            memcpy(to, parts[k], (size_t)counts[k] * sizeof *to);
    const dfl_status status =
        dfl_jacobian_exprs(out, eq->graph, rows, nrows, by->symbol + first, by->count - first);
    dfl_free(eq->model->ctx, rows);
    return status;
}

/* W a + bias, a held. */
static dfl_status derive_acceleration(dfl_sparse *out, dfl_equations *eq, const columns *by)
{
    const int nc = eq->nl + eq->nm;
    dfl_expr *rows = dfl_exprs(eq, nc);
    if (!rows)
        return DFL_NO_MEMORY;
    memcpy(rows, eq->rows.bias, (size_t)nc * sizeof *rows);
    for (int k = 0; k < eq->W.count; k++) {
        const dfl_entry *entry = &eq->W.entry[k];
        rows[entry->row] = dfl_add(eq->graph, rows[entry->row],
                                   dfl_mul(eq->graph, entry->expr, eq->a[entry->col]));
    }
    const dfl_status status = derive_block(out, eq, (const dfl_expr *const[]){rows}, &nc, 1, by, 0);
    dfl_free(eq->model->ctx, rows);
    return status;
}

/* f - W^T (l, m) - M a, a held. */
static dfl_status derive_motion(dfl_sparse *out, dfl_equations *eq, const columns *by)
{
    dfl_graph *graph = eq->graph;
    dfl_expr *rows = dfl_exprs(eq, eq->nv);
    if (!rows)
        return DFL_NO_MEMORY;
    memcpy(rows, eq->rows.f, (size_t)eq->nv * sizeof *rows);
    for (int k = 0; k < eq->W.count; k++) {
        const dfl_entry *entry = &eq->W.entry[k];
        const dfl_expr multiplier = eq->x[eq->nw + entry->row].symbol;
        rows[entry->col] =
            dfl_sub(graph, rows[entry->col], dfl_mul(graph, entry->expr, multiplier));
    }
    for (int k = 0; k < eq->M.count; k++) {
        const dfl_entry *entry = &eq->M.entry[k];
        rows[entry->row] =
            dfl_sub(graph, rows[entry->row], dfl_mul(graph, entry->expr, eq->a[entry->col]));
    }
    const dfl_status status =
        derive_block(out, eq, (const dfl_expr *const[]){rows}, &eq->nv, 1, by, 0);
    dfl_free(eq->model->ctx, rows);
    return status;
}
