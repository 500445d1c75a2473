/* jacobians.c: the derivatives that dfl_jacobian wants, block by block. */
#include "derive/derive_internal.h"

#include <string.h>

static dfl_status derive_block(dfl_sparse *out, dfl_equations *eq, const dfl_expr *const *parts,
                               const int *counts, int nparts, int first_column);
static dfl_status derive_acceleration(dfl_equations *eq);
static dfl_status derive_motion(dfl_equations *eq);

dfl_status dfl_derive_jacobians(dfl_equations *eq)
{
    const int v = eq->nw + eq->nl + eq->nm + eq->nr, s = v + eq->nv;
    const dfl_expr *const velocity[] = {eq->rows.gI, eq->rows.hv, eq->rows.e};
    const dfl_expr *const position[] = {eq->rows.c, eq->rows.g, eq->rows.ep};
    dfl_status status =
        derive_block(&eq->jacobian.d, eq, (const dfl_expr *const[]){eq->rows.d}, &eq->nw, 1, 0);
    if (!status)
        status = derive_block(&eq->jacobian.vel, eq, velocity,
                              (const int[]){eq->nl, eq->nm, eq->ne}, 3, v);
    if (!status)
        status = derive_block(&eq->jacobian.pos, eq, position,
                              (const int[]){eq->ns, eq->nl, eq->nep}, 3, s);
    if (!status)
        status = derive_block(&eq->jacobian.gam, eq, (const dfl_expr *const[]){eq->rows.gam},
                              &eq->n0, 1, 0);
    if (!status)
        status =
            derive_block(&eq->jacobian.b, eq, (const dfl_expr *const[]){eq->rows.b}, &eq->nr, 1, 0);
    if (!status)
        status = derive_block(&eq->jacobian.kin, eq, (const dfl_expr *const[]){eq->rows.kin},
                              &eq->np, 1, v);
    if (!status)
        status = derive_acceleration(eq);
    if (!status)
        status = derive_motion(eq);
    eq->have_jacobians = !status;
    return status;
}

/* The rows of all parts by the unknowns x[first_column ...]. */
static dfl_status derive_block(dfl_sparse *out, dfl_equations *eq, const dfl_expr *const *parts,
                               const int *counts, int nparts, int first_column)
{
    int nrows = 0;
    for (int k = 0; k < nparts; k++)
        nrows += counts[k];
    const int ncols = eq->n - first_column;
    dfl_expr *rows = dfl_exprs(eq, nrows), *columns = dfl_exprs(eq, ncols);
    dfl_status status = DFL_NO_MEMORY;
    if (rows && columns) {
        dfl_expr *to = rows;
        for (int k = 0; k < nparts; to += counts[k++])
            memcpy(to, parts[k], (size_t)counts[k] * sizeof *to);
        for (int j = 0; j < ncols; j++)
            columns[j] = eq->x[first_column + j].symbol;
        status = dfl_jacobian_exprs(out, eq->graph, rows, nrows, columns, ncols);
    }
    dfl_free(eq->model->ctx, rows);
    dfl_free(eq->model->ctx, columns);
    return status;
}

/* W a + bias, a held. */
static dfl_status derive_acceleration(dfl_equations *eq)
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
    const dfl_status status =
        derive_block(&eq->jacobian.acc, eq, (const dfl_expr *const[]){rows}, &nc, 1, 0);
    dfl_free(eq->model->ctx, rows);
    return status;
}

/* f - W^T (l, m) - M a, a held. */
static dfl_status derive_motion(dfl_equations *eq)
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
        derive_block(&eq->jacobian.dyn, eq, (const dfl_expr *const[]){rows}, &eq->nv, 1, 0);
    dfl_free(eq->model->ctx, rows);
    return status;
}
