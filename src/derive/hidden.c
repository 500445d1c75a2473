/* hidden.c: what a constraint implies for velocities and accelerations.

       gI   = g_p p' + g_s s' + g_t                      p' = kin, s' from 0 = c_p p' + c_s s' + c_t
       W    = d(gI, hv)/dv
       bias = d/dt (gI, hv) along p', s', t' = 1 with v held */
#include "derive/derive_internal.h"

#include <string.h>

/* The direction of motion of everything whose rate is known: p, s, time, matrices of rotation. */
typedef struct motion {
    int count;
    dfl_expr *symbols, *rates;
} motion;

static dfl_status make_flow(motion *out, dfl_equations *eq);
static dfl_status add_contact_rates(motion *out, dfl_equations *eq);
static void free_flow(motion *flow, dfl_context *ctx);
static dfl_status derive_rows(dfl_equations *eq, const motion *flow, dfl_expr *rows);
static dfl_status check_linear(const dfl_equations *eq);
static dfl_status derive_rates(dfl_equations *eq, const motion *flow);

dfl_status dfl_derive_hidden(dfl_equations *eq)
{
    const int nc = eq->nl + eq->nm;
    motion flow = {0};
    eq->rows.gI = dfl_exprs(eq, eq->nl);
    eq->rows.bias = dfl_exprs(eq, nc);
    dfl_expr *rows = dfl_exprs(eq, nc); /* gI, hv */
    dfl_status status = eq->rows.gI && eq->rows.bias && rows ? make_flow(&flow, eq) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_along_exprs(eq->rows.gI, eq->graph, eq->rows.g, eq->nl, flow.symbols,
                                 flow.rates, flow.count);
    if (!status)
        status = derive_rows(eq, &flow, rows);
    if (!status)
        status = check_linear(eq);
    if (!status)
        status = derive_rates(eq, &flow);
    free_flow(&flow, eq->model->ctx);
    dfl_free(eq->model->ctx, rows);
    return status;
}

static dfl_status make_flow(motion *out, dfl_equations *eq)
{
    dfl_graph *graph = eq->graph;
    const dfl_model *model = eq->model;
    const int known = model->rates.count, most = eq->np + 1 + known + eq->ns;
    out->symbols = dfl_exprs(eq, most);
    out->rates = dfl_exprs(eq, most);
    if (!out->symbols || !out->rates)
        return DFL_NO_MEMORY;
    for (int i = 0; i < eq->np; i++) {
        out->symbols[i] = dfl_equations_p(eq)[i].symbol;
        out->rates[i] = eq->rows.kin[i];
    }
    out->symbols[eq->np] = dfl_symbol_expr(graph, DFL_SYM_TIME, 0, "time");
    out->rates[eq->np] = dfl_constant(graph, 1.0);
    out->count = eq->np + 1;
    for (int i = 0; i < known; i++, out->count++) {
        out->symbols[out->count] = model->rates.item[i].expr;
        out->rates[out->count] = model->rates.item[i].rate;
    }
    return eq->ns ? add_contact_rates(out, eq) : DFL_OK;
}

static dfl_status add_contact_rates(motion *out, dfl_equations *eq)
{
    dfl_expr *drift = dfl_exprs(eq, eq->ns);
    dfl_status status = drift ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_along_exprs(drift, eq->graph, eq->rows.c, eq->ns, out->symbols, out->rates,
                                 out->count);
    if (!status)
        status = dfl_contact_rates(out->rates + out->count, eq, drift);
    for (int i = 0; !status && i < eq->ns; i++)
        out->symbols[out->count + i] = dfl_equations_s(eq)[i].symbol;
    out->count += eq->ns;
    dfl_free(eq->model->ctx, drift);
    return status;
}

static void free_flow(motion *flow, dfl_context *ctx)
{
    dfl_free(ctx, flow->symbols);
    dfl_free(ctx, flow->rates);
}

static dfl_status derive_rows(dfl_equations *eq, const motion *flow, dfl_expr *rows)
{
    const int nc = eq->nl + eq->nm;
    dfl_expr *v = dfl_exprs(eq, eq->nv);
    if (!v)
        return DFL_NO_MEMORY;
    for (int j = 0; j < eq->nv; j++)
        v[j] = dfl_equations_v(eq)[j].symbol;
    memcpy(rows, eq->rows.gI, (size_t)eq->nl * sizeof *rows);
    memcpy(rows + eq->nl, eq->rows.hv, (size_t)eq->nm * sizeof *rows);
    dfl_status status = dfl_jacobian_exprs(&eq->W, eq->graph, rows, nc, v, eq->nv);
    if (!status)
        status = dfl_along_exprs(eq->rows.bias, eq->graph, rows, nc, flow->symbols, flow->rates,
                                 flow->count);
    dfl_free(eq->model->ctx, v);
    return status;
}

static dfl_status check_linear(const dfl_equations *eq)
{
    for (int k = 0; k < eq->W.count; k++) {
        const dfl_entry *entry = &eq->W.entry[k];
        if (!dfl_depends(eq->graph, entry->expr, DFL_SYM_V))
            continue;
        const dfl_declaration *decl = &eq->model->declarations.item[eq->declared.row[entry->row]];
        return dfl_model_fail(
            eq->model, decl->line,
            "nonholonomic '%s' is not linear in the velocities: its derivative by %s "
            "still contains one",
            decl->name, dfl_equations_v(eq)[entry->col].name);
    }
    return DFL_OK;
}

/* The rates of the invariants e, ep: kept_drift without the accelerations, kept_push by them. */
static dfl_status derive_rates(dfl_equations *eq, const motion *flow)
{
    const int count = eq->ne + eq->nep;
    eq->kept.drift = dfl_exprs(eq, count);
    eq->kept.push = dfl_exprs(eq, count);
    dfl_expr *rows = dfl_exprs(eq, count), *v = dfl_exprs(eq, eq->nv);
    dfl_status status = DFL_NO_MEMORY;
    if (eq->kept.drift && eq->kept.push && rows && v) {
        memcpy(rows, eq->rows.e, (size_t)eq->ne * sizeof *rows);
        memcpy(rows + eq->ne, eq->rows.ep, (size_t)eq->nep * sizeof *rows);
        for (int j = 0; j < eq->nv; j++)
            v[j] = dfl_equations_v(eq)[j].symbol;
        status = dfl_along_exprs(eq->kept.drift, eq->graph, rows, count, flow->symbols, flow->rates,
                                 flow->count);
    }
    if (!status)
        status = dfl_along_exprs(eq->kept.push, eq->graph, rows, count, v, eq->a, eq->nv);
    dfl_free(eq->model->ctx, rows);
    dfl_free(eq->model->ctx, v);
    return status;
}
