/* motion.c: the accelerations that outputs contain, or that vanish at the start.

   M a = f - W^T (l, m) gives all of them as long as M is regular. For directions without mass the
   rate of their balance of forces is needed,  gam' = gam_v a + gam_p kin + gam_r b + gam_t = 0;
   rows that contain multipliers or other variables without a known rate are left out. */
#include "derive/derive.h"
#include "engine/engine_internal.h"

#include <math.h>

static dfl_status derive_balance(dfl_target *targets, int *count, const dfl_equations *eq);
static void known_rates(dfl_expr *symbols, dfl_expr *rates, const dfl_equations *eq);

dfl_status dfl_runnable_prepare_motion(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const size_t nv = (size_t)eq->nv, nc = (size_t)(eq->nl + eq->nm);
    const bool kept = run->packed && eq->ne + eq->nep > 0; /* whether the motion keeps them */
    if (!dfl_motion_is_wanted(eq) && !kept)
        return DFL_OK;
    if (run->packed)
        return dfl_packed_motion_create(run);
    run->a = dfl_alloc(run->ctx, 2 * nv + nc * (nv + 1) + nv * (size_t)eq->n0, sizeof *run->a);
    if (!run->a)
        return DFL_NO_MEMORY;
    run->blocks.f = run->a + nv;
    run->blocks.W = run->blocks.f + nv;
    run->blocks.bias = run->blocks.W + nc * nv;
    run->blocks.K0 = run->blocks.bias + nc; /* comes with W, not used */
    const dfl_status status = eq->n0 ? dfl_runnable_make_balance(run) : DFL_OK;
    return status ? status : dfl_accelerations_create(&run->motion, run->ctx, &run->eom, true);
}

void dfl_runnable_free_motion(dfl_runnable *run)
{
    dfl_packed_motion_free(run);
    dfl_accelerations_free(run->motion);
    dfl_tape_free(run->balance);
    dfl_free(run->ctx, run->balance_work);
    dfl_free(run->ctx, run->balance_rate);
    dfl_free(run->ctx, run->a);
}

const double *dfl_runnable_accelerations(dfl_runnable *run, double t, const double *x)
{
    if (run->packed)
        return run->a ? dfl_packed_accelerations(run, t, x) : NULL;
    if (!run->motion)
        return NULL;
    run->eom.eval(&run->blocks, t, x, DFL_FORCE | DFL_DIRECTIONS | DFL_BIAS, run);
    dfl_balance_rate rate = {NULL, NULL};
    if (run->eq->massless.tree && run->eq->n0 > 0) {
        double *drift = run->balance_rate + run->eq->n0 * run->eq->nv;
        dfl_tree_engine_balance_rate(run->balance_rate, drift, run->tree, t, x);
        rate = (dfl_balance_rate){run->balance_rate, drift};
    } else if (run->balance) {
        const double *const in[DFL_IN_ARRAYS] = {&t,
                                                 x,
                                                 NULL,
                                                 run->param,
                                                 run->input,
                                                 run->level,
                                                 run->branching.branch,
                                                 run->branching.discrete};
        double *const out[2] = {run->balance_rate, run->balance_rate + run->eq->n0 * run->eq->nv};
        dfl_tape_prepare(run->balance, run->balance_work, in);
        dfl_tape_eval(run->balance, run->balance_work, in, out);
        rate = (dfl_balance_rate){out[0], out[1]};
    }
    dfl_accelerations_complete(run->a, run->motion, &run->blocks, &rate, t, x);
    return run->a;
}

bool dfl_motion_is_wanted(const dfl_equations *eq)
{
    for (int i = 0; i < eq->model->declarations.count; i++) {
        const dfl_declaration *decl = &eq->model->declarations.item[i];
        if (decl->smooth ||
            (decl->kind == DFL_AN_OUTPUT && dfl_depends(eq->graph, decl->expr, DFL_SYM_A)))
            return true;
    }
    return false;
}

/* Its entries that are always zero are never written. */
dfl_status dfl_runnable_make_balance(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const size_t size = (size_t)eq->n0 * (size_t)(eq->nv + 1);
    dfl_place places[DFL_SYM_KINDS] = {{0}};
    run->balance_rate = dfl_alloc(run->ctx, size, sizeof *run->balance_rate);
    if (eq->massless.tree)
        return run->balance_rate ? DFL_OK : DFL_NO_MEMORY;
    dfl_target *targets = dfl_alloc(run->ctx, size, sizeof *targets);
    int count = 0;
    dfl_status status =
        targets && run->balance_rate ? derive_balance(targets, &count, eq) : DFL_NO_MEMORY;
    dfl_runnable_places(places, eq);
    if (!status)
        status = dfl_tape_create(&run->balance, run->ctx, eq->graph, places, targets, count);
    dfl_free(run->ctx, targets);
    if (status)
        return status;
    run->balance_work = dfl_alloc(run->ctx, dfl_tape_work(run->balance), sizeof *run->balance_work);
    return run->balance_work ? DFL_OK : DFL_NO_MEMORY;
}

static dfl_status derive_balance(dfl_target *targets, int *count, const dfl_equations *eq)
{
    const unsigned unknown =
        1U << DFL_SYM_W | 1U << DFL_SYM_LAMBDA | 1U << DFL_SYM_MU | 1U << DFL_SYM_S;
    const int n = eq->np + eq->nr + 1;
    dfl_expr *symbols = dfl_exprs(eq, 2 * n), *v = dfl_exprs(eq, eq->nv + eq->n0);
    dfl_sparse rows = {0};
    dfl_status status = symbols && v ? DFL_OK : DFL_NO_MEMORY;
    dfl_expr *drift = v + (status ? 0 : eq->nv);
    if (!status) {
        known_rates(symbols, symbols + n, eq);
        for (int j = 0; j < eq->nv; j++)
            v[j] = dfl_equations_v(eq)[j].symbol;
        status = dfl_along_exprs(drift, eq->graph, eq->rows.gam, eq->n0, symbols, symbols + n, n);
    }
    if (!status)
        status = dfl_jacobian_exprs(&rows, eq->graph, eq->rows.gam, eq->n0, v, eq->nv);
    for (int k = 0; !status && k < rows.count; k++)
        if (!(dfl_node_of(eq->graph, eq->rows.gam[rows.entry[k].row])->depends & unknown))
            targets[(*count)++] =
                (dfl_target){rows.entry[k].expr, 0, rows.entry[k].row + eq->n0 * rows.entry[k].col};
    for (int i = 0; !status && i < eq->n0; i++)
        if (!(dfl_node_of(eq->graph, eq->rows.gam[i])->depends & unknown))
            targets[(*count)++] = (dfl_target){drift[i], 1, i};
    dfl_sparse_clear(&rows, eq->model->ctx);
    dfl_free(eq->model->ctx, symbols);
    dfl_free(eq->model->ctx, v);
    return status;
}

/* p' = kin, r' = b, t' = 1 */
static void known_rates(dfl_expr *symbols, dfl_expr *rates, const dfl_equations *eq)
{
    int n = 0;
    for (int i = 0; i < eq->np; i++, n++) {
        symbols[n] = dfl_equations_p(eq)[i].symbol;
        rates[n] = eq->rows.kin[i];
    }
    for (int i = 0; i < eq->nr; i++, n++) {
        symbols[n] = eq->x[eq->nw + eq->nl + eq->nm + i].symbol;
        rates[n] = eq->rows.b[i];
    }
    symbols[n] = dfl_symbol_expr(eq->graph, DFL_SYM_TIME, 0, "time");
    rates[n] = dfl_constant(eq->graph, 1.0);
}
