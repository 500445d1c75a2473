/* lagrange.c: mass matrix and forces.

   With the momenta P = dT/dv, Lagrange's equations d/dt P - dT/dq + dV/dq = Q are

       M = dP/dv,     f = Z^T d(T - V)/dp - (dP/dp) p' - dP/dt + F

   where P belongs to coordinates with their own velocity, F is what `force` declares, and
   Z = dp'/dv carries the slopes of both energies over to speeds. */
#include "derive/derive_internal.h"

#include "symbolic/symbolic.h"

#include <stdlib.h>

static dfl_status add_kinetic(dfl_equations *eq, int *room);
static dfl_status check_smooth(const dfl_equations *eq);
static dfl_status add_inertia(dfl_equations *eq, int *room, const dfl_expr *momenta,
                              const dfl_expr *velocities, int count);
static dfl_status add_gyroscopic(dfl_equations *eq, const dfl_expr *momenta,
                                 const dfl_expr *velocities, int count);
static dfl_status add_slope(dfl_equations *eq, dfl_expr energy, bool negative);
static dfl_status add_declared(dfl_equations *eq, int *room);
static dfl_status check_mass(const dfl_equations *eq);
static int by_place(const void *a, const void *b);

dfl_status dfl_derive_dynamics(dfl_equations *eq)
{
    int room = 0;
    eq->rows.f = dfl_exprs(eq, eq->nv);
    if (!eq->rows.f)
        return DFL_NO_MEMORY;
    eq->M.nrows = eq->M.ncols = eq->nv;
    dfl_status status = DFL_OK;
    if (eq->model->energy.kinetic != DFL_NO_EXPR)
        status = add_kinetic(eq, &room);
    if (!status && eq->model->energy.potential != DFL_NO_EXPR)
        status = add_slope(eq, eq->model->energy.potential, true);
    if (!status)
        status = add_declared(eq, &room);
    if (!status)
        status = dfl_sparse_finish(&eq->M, eq->graph);
    return status ? status : check_mass(eq);
}

/* The coordinates with their own velocity, and T's part of M and f. */
static dfl_status add_kinetic(dfl_equations *eq, int *room)
{
    dfl_context *ctx = eq->model->ctx;
    dfl_expr *velocities = dfl_exprs(eq, eq->np), *momenta = dfl_exprs(eq, eq->np);
    int count = 0;
    dfl_status status = velocities && momenta ? check_smooth(eq) : DFL_NO_MEMORY;
    for (int i = 0; !status && i < eq->np; i++) {
        const dfl_declaration *decl = dfl_model_owner(eq->model, dfl_equations_p(eq)[i].symbol);
        if (decl->expr == DFL_NO_EXPR)
            velocities[count++] = decl->velocity;
    }
    if (!status)
        status =
            dfl_gradient_exprs(momenta, eq->graph, eq->model->energy.kinetic, velocities, count);
    if (!status)
        status = add_inertia(eq, room, momenta, velocities, count);
    if (!status)
        status = add_slope(eq, eq->model->energy.kinetic, false);
    if (!status)
        status = add_gyroscopic(eq, momenta, velocities, count);
    dfl_free(ctx, velocities);
    dfl_free(ctx, momenta);
    return status;
}

/* Refuses |v| and the like, which second derivatives cannot see. */
static dfl_status check_smooth(const dfl_equations *eq)
{
    dfl_part part;
    const dfl_status status = dfl_part_create(&part, eq->graph, &eq->model->energy.kinetic, 1);
    bool kinked = false;
    for (uint32_t i = 0; !status && i < part.count && !kinked; i++) {
        const int op = part.node[i].op;
        const bool kink = op == DFL_OP_ABS || op == DFL_OP_SIGN || op == DFL_OP_MIN ||
                          op == DFL_OP_MAX || op == DFL_OP_FLOOR || op == DFL_OP_SELECT;
        kinked = kink && dfl_depends(eq->graph, part.expr[i], DFL_SYM_V);
    }
    dfl_part_clear(&part);
    if (status)
        return status;
    return kinked ? dfl_model_fail(eq->model, eq->model->energy.kinetic_line,
                                   "the kinetic energy is not quadratic in the velocities: one is "
                                   "inside abs, sign, floor, min, max or select")
                  : DFL_OK;
}

/* M = dP/dv. The upper triangle is a copy of the lower one: M is symmetric to the last bit. */
static dfl_status add_inertia(dfl_equations *eq, int *room, const dfl_expr *momenta,
                              const dfl_expr *velocities, int count)
{
    dfl_sparse dP = {0};
    dfl_status status = dfl_jacobian_exprs(&dP, eq->graph, momenta, count, velocities, count);
    for (int k = 0; !status && k < dP.count; k++) {
        const dfl_entry *entry = &dP.entry[k];
        const int i = dfl_equations_velocity(eq, velocities[entry->row]);
        const int j = dfl_equations_velocity(eq, velocities[entry->col]);
        if (entry->row < entry->col)
            continue;
        status = dfl_sparse_add(&eq->M, room, eq->graph, i, j, entry->expr);
        if (!status && i != j)
            status = dfl_sparse_add(&eq->M, room, eq->graph, j, i, entry->expr);
    }
    dfl_sparse_clear(&dP, eq->model->ctx);
    return status;
}

/* f -= dP/dp p' + dP/dt, for the coordinates with their own velocity */
static dfl_status add_gyroscopic(dfl_equations *eq, const dfl_expr *momenta,
                                 const dfl_expr *velocities, int count)
{
    dfl_graph *graph = eq->graph;
    dfl_expr *symbols = dfl_exprs(eq, eq->np + 1), *rates = dfl_exprs(eq, eq->np + 1);
    dfl_expr *drift = dfl_exprs(eq, count);
    dfl_status status = symbols && rates && drift ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < eq->np; i++) {
        symbols[i] = dfl_equations_p(eq)[i].symbol;
        rates[i] = eq->rows.kin[i];
    }
    if (!status) {
        symbols[eq->np] = dfl_symbol_expr(graph, DFL_SYM_TIME, 0, "time");
        rates[eq->np] = dfl_constant(graph, 1.0);
        status = dfl_along_exprs(drift, graph, momenta, count, symbols, rates, eq->np + 1);
    }
    for (int i = 0; !status && i < count; i++) {
        dfl_expr *f = &eq->rows.f[dfl_equations_velocity(eq, velocities[i])];
        *f = dfl_sub(graph, *f, drift[i]);
    }
    dfl_free(eq->model->ctx, symbols);
    dfl_free(eq->model->ctx, rates);
    dfl_free(eq->model->ctx, drift);
    return status;
}

/* f += Z^T dT/dp, or f -= Z^T dV/dp */
static dfl_status add_slope(dfl_equations *eq, dfl_expr energy, bool negative)
{
    dfl_graph *graph = eq->graph;
    dfl_sparse Z = {0};
    dfl_expr *p = dfl_exprs(eq, eq->np), *v = dfl_exprs(eq, eq->nv), *slope = dfl_exprs(eq, eq->np);
    dfl_status status = p && v && slope ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < eq->np; i++)
        p[i] = dfl_equations_p(eq)[i].symbol;
    for (int j = 0; !status && j < eq->nv; j++)
        v[j] = dfl_equations_v(eq)[j].symbol;
    if (!status)
        status = dfl_gradient_exprs(slope, graph, energy, p, eq->np);
    if (!status)
        status = dfl_jacobian_exprs(&Z, graph, eq->rows.kin, eq->np, v, eq->nv);
    for (int k = 0; !status && k < Z.count; k++) {
        dfl_expr *f = &eq->rows.f[Z.entry[k].col];
        const dfl_expr part = dfl_mul(graph, Z.entry[k].expr, slope[Z.entry[k].row]);
        *f = negative ? dfl_sub(graph, *f, part) : dfl_add(graph, *f, part);
    }
    dfl_sparse_clear(&Z, eq->model->ctx);
    dfl_free(eq->model->ctx, p);
    dfl_free(eq->model->ctx, v);
    dfl_free(eq->model->ctx, slope);
    return status;
}

/* What `mass` and `force` declare. */
static dfl_status add_declared(dfl_equations *eq, int *room)
{
    const dfl_model *model = eq->model;
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < model->masses.count; k++) {
        const dfl_contribution *mass = &model->masses.item[k];
        const int i = dfl_equations_velocity(eq, mass->u), j = dfl_equations_velocity(eq, mass->v);
        status = dfl_sparse_add(&eq->M, room, eq->graph, i, j, mass->expr);
        if (!status && i != j)
            status = dfl_sparse_add(&eq->M, room, eq->graph, j, i, mass->expr);
    }
    for (int k = 0; k < model->forces.count; k++) {
        dfl_expr *f = &eq->rows.f[dfl_equations_velocity(eq, model->forces.item[k].u)];
        *f = dfl_add(eq->graph, *f, model->forces.item[k].expr);
    }
    return status;
}

static dfl_status check_mass(const dfl_equations *eq)
{
    for (int k = 0; k < eq->M.count; k++) {
        const dfl_entry *entry = &eq->M.entry[k];
        if (dfl_depends(eq->graph, entry->expr, DFL_SYM_V))
            return dfl_model_fail(
                eq->model, eq->model->energy.kinetic_line,
                "the kinetic energy is not quadratic in the velocities: the mass of "
                "%s and %s still contains a velocity",
                dfl_equations_v(eq)[entry->row].name, dfl_equations_v(eq)[entry->col].name);
    }
    return DFL_OK;
}

/* ------------------------------------------------------------------------ lists of entries */

dfl_status dfl_sparse_add(dfl_sparse *matrix, int *room, dfl_graph *graph, int row, int col,
                          dfl_expr expr)
{
    dfl_entry *entry =
        dfl_grow(graph->ctx, matrix->entry, room, matrix->count, sizeof *matrix->entry);
    if (!entry)
        return DFL_NO_MEMORY;
    matrix->entry = entry;
    matrix->entry[matrix->count++] = (dfl_entry){row, col, expr};
    return DFL_OK;
}

dfl_status dfl_sparse_finish(dfl_sparse *matrix, dfl_graph *graph)
{
    const dfl_expr zero = dfl_constant(graph, 0.0);
    int count = 0;
    if (matrix->count)
        qsort(matrix->entry, (size_t)matrix->count, sizeof *matrix->entry, by_place);
    for (int k = 0; k < matrix->count;) {
        dfl_entry sum = matrix->entry[k++];
        for (; k < matrix->count && matrix->entry[k].row == sum.row &&
               matrix->entry[k].col == sum.col;
             k++)
            sum.expr = dfl_add(graph, sum.expr, matrix->entry[k].expr);
        if (sum.expr != zero)
            matrix->entry[count++] = sum;
    }
    matrix->count = count;
    return dfl_graph_status(graph);
}

/* By columns, then rows, then age: numbers of expressions ascend with time, but equal ones do not
   matter. */
static int by_place(const void *a, const void *b)
{
    const dfl_entry *x = a, *y = b;
    if (x->col != y->col)
        return x->col < y->col ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->expr < y->expr ? -1 : x->expr > y->expr;
}
