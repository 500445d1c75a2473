/* massless_directions.c: directions without mass that no constraint holds, and the balance of
   forces along them.

       M K0 = 0, W K0 = 0,     0 = gam = K0^T f

   Elimination with pivots that are decided at the start gives the kernel of M (mass_rank.c,
   null_directions.c); held.c takes out what constraints hold. */
#include "derive/massless_directions.h"

#include "derive/derive_internal.h"

#include <string.h>

static dfl_status find_directions(dfl_equations *eq, dfl_trials *trials);
static dfl_status balance(dfl_equations *eq);

dfl_status dfl_derive_massless(dfl_equations *eq)
{
    dfl_trials trials;
    bool regular = false;
    eq->massless.K0 = (dfl_sparse){.nrows = eq->nv};
    eq->massless.negligible = -1;
    eq->massless.velocity =
        dfl_alloc(eq->model->ctx, (size_t)eq->nv, sizeof *eq->massless.velocity);
    if (!eq->massless.velocity)
        return DFL_NO_MEMORY;
    if (eq->model->tree)
        return dfl_derive_tree_massless(eq);
    dfl_status status = dfl_trials_create(&trials, eq);
    if (!status)
        status = dfl_elimination_regular(&regular, &trials);
    eq->massless.none = regular;
    if (!status && !regular)
        status = dfl_trials_spread(&trials);
    if (!status && !regular)
        status = find_directions(eq, &trials);
    if (!status)
        status = balance(eq);
    if (!status)
        status = dfl_declare_quasistatic(&eq->again, &trials);
    dfl_trials_clear(&trials);
    return status;
}

/* Ranks are all that numbers have decided. */
dfl_status dfl_equations_compare_masses(bool *same, dfl_equations *eq)
{
    dfl_trials trials;
    *same = false;
    if (!eq->massless.none)
        return DFL_OK;
    dfl_status status = dfl_trials_create(&trials, eq);
    if (status)
        return status;
    if (eq->model->tree)
        *same = dfl_tree_is_regular(&trials);
    else
        status = dfl_elimination_regular(same, &trials);
    dfl_trials_clear(&trials);
    return status;
}

static dfl_status find_directions(dfl_equations *eq, dfl_trials *trials)
{
    dfl_elimination elimination;
    dfl_status status = dfl_elimination_create(&elimination, trials);
    if (status)
        return status;
    eq->massless.negligible = elimination.negligible;
    eq->massless.negligible_ratio = elimination.ratio;
    if (elimination.nfree > 0) {
        memcpy(eq->massless.velocity, elimination.free,
               (size_t)elimination.nfree * sizeof *eq->massless.velocity);
        status = dfl_null_directions(&eq->massless.K0, eq, &elimination);
        if (!status)
            status = dfl_release_held(&eq->massless.K0, eq->massless.velocity, trials);
    }
    dfl_elimination_clear(&elimination, eq->model->ctx);
    return status;
}

bool dfl_balance_depends(const dfl_equations *eq, unsigned kinds)
{
    for (int i = 0; !eq->massless.tree && i < eq->n0; i++)
        if (dfl_node_of(eq->graph, eq->rows.gam[i])->depends & kinds)
            return true;
    for (int j = 0; eq->massless.tree && j < eq->nv; j++)
        if (eq->massless.tree->moved[j] && dfl_node_of(eq->graph, eq->rows.f[j])->depends & kinds)
            return true;
    return false;
}

/* gam = K0^T f */
static dfl_status balance(dfl_equations *eq)
{
    eq->n0 = eq->massless.K0.ncols;
    eq->rows.gam = dfl_exprs(eq, eq->n0);
    if (!eq->rows.gam)
        return DFL_NO_MEMORY;
    for (int k = 0; k < eq->massless.K0.count; k++) {
        const dfl_entry *entry = &eq->massless.K0.entry[k];
        eq->rows.gam[entry->col] = dfl_add(eq->graph, eq->rows.gam[entry->col],
                                           dfl_mul(eq->graph, entry->expr, eq->rows.f[entry->row]));
    }
    return DFL_OK;
}
