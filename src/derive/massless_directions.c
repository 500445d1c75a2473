/* massless_directions.c: directions without mass that no constraint holds, and the balance of
   forces along them.

       M K0 = 0, W K0 = 0,     0 = gam = K0^T f

   Elimination with pivots that are decided at the start gives the kernel of M (mass_rank.c,
   null_directions.c); held.c takes out what constraints hold. */
#include "derive/massless_directions.h"

#include "derive/derive_internal.h"

#include <string.h>

static dfl_status find(dfl_equations *eq);
static dfl_status find_by_expressions(dfl_equations *eq);
static dfl_status find_directions(dfl_equations *eq, dfl_trials *trials);
static dfl_status note_elimination(dfl_equations *eq, const dfl_elimination *elimination);
static bool same_decisions(const dfl_light_directions *a, const dfl_light_directions *b);
static dfl_status balance(dfl_equations *eq);

dfl_status dfl_derive_massless(dfl_equations *eq)
{
    const dfl_status status = find(eq);
    return status ? status : dfl_declare_quasistatic(eq->model, eq);
}

static dfl_status find(dfl_equations *eq)
{
    eq->massless.K0 = (dfl_sparse){.nrows = eq->nv};
    eq->massless.negligible = -1;
    eq->massless.velocity =
        dfl_alloc(eq->model->ctx, (size_t)eq->nv, sizeof *eq->massless.velocity);
    if (!eq->massless.velocity)
        return DFL_NO_MEMORY;
    return eq->model->tree ? dfl_derive_tree_massless(eq) : find_by_expressions(eq);
}

static dfl_status find_by_expressions(dfl_equations *eq)
{
    dfl_trials trials;
    bool regular = false;
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
        status = dfl_find_quasistatic(&eq->massless.balances, &trials);
    dfl_trials_clear(&trials);
    return status;
}

void dfl_light_directions_clear(dfl_light_directions *massless, dfl_context *ctx)
{
    dfl_sparse_clear(&massless->K0, ctx);
    dfl_directions_free(massless->tree, ctx);
    dfl_free(ctx, massless->velocity);
    dfl_free(ctx, massless->decided.item);
    dfl_free(ctx, massless->balances.velocity);
    dfl_free(ctx, massless->balances.row);
    *massless = (dfl_light_directions){0};
}

/* Ranks, and which directions are held, are all that numbers have decided. They decide again; where
   they decide alike, the graph has the same expressions already. */
dfl_status dfl_equations_compare_masses(bool *same, dfl_equations *eq)
{
    dfl_equations now = *eq;
    dfl_status status = DFL_OK;
    *same = true;
    if (eq->before)
        status = dfl_equations_compare_masses(same, eq->before);
    if (status || !*same)
        return status;
    now.massless = (dfl_light_directions){0};
    now.rows.gam = NULL;
    now.n0 = 0;
    status = find(&now);
    *same = !status && now.n0 == eq->n0 && same_decisions(&now.massless, &eq->massless);
    if (*same) { /* numbers in messages, and the place where a tree decides, are the new ones */
        const dfl_light_directions old = eq->massless;
        eq->massless = now.massless;
        now.massless = old;
    }
    dfl_light_directions_clear(&now.massless, eq->model->ctx);
    dfl_free(eq->model->ctx, now.rows.gam);
    return status == DFL_INVALID ? DFL_OK : status; /* deriving again says why */
}

static bool same_ints(const int *a, const int *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static bool same_decisions(const dfl_light_directions *a, const dfl_light_directions *b)
{
    const dfl_balances *left = &a->balances, *right = &b->balances;
    bool same = a->none == b->none && a->decided.count == b->decided.count &&
                same_ints(a->decided.item, b->decided.item, a->decided.count) &&
                left->count == right->count &&
                same_ints(left->velocity, right->velocity, left->count);
    for (int i = 0; same && i < left->count; i++)
        same = left->row[i] == right->row[i];
    return same;
}

dfl_status dfl_massless_decided(dfl_equations *eq, const int *items, int count)
{
    for (int i = 0; i < count; i++) {
        int *all = dfl_grow(eq->model->ctx, eq->massless.decided.item, &eq->massless.decided.room,
                            eq->massless.decided.count, sizeof *all);
        if (!all)
            return DFL_NO_MEMORY;
        eq->massless.decided.item = all;
        all[eq->massless.decided.count++] = items[i];
    }
    return DFL_OK;
}

static dfl_status find_directions(dfl_equations *eq, dfl_trials *trials)
{
    dfl_elimination elimination;
    dfl_status status = dfl_elimination_create(&elimination, trials);
    if (status)
        return status;
    eq->massless.negligible = elimination.negligible;
    eq->massless.negligible_ratio = elimination.ratio;
    status = note_elimination(eq, &elimination);
    if (!status && elimination.nfree > 0) {
        memcpy(eq->massless.velocity, elimination.free,
               (size_t)elimination.nfree * sizeof *eq->massless.velocity);
        status = dfl_null_directions(&eq->massless.K0, eq, &elimination);
        if (!status)
            status = dfl_release_held(&eq->massless.K0, eq->massless.velocity, trials);
    }
    dfl_elimination_clear(&elimination, eq->model->ctx);
    return status;
}

static dfl_status note_elimination(dfl_equations *eq, const dfl_elimination *el)
{
    const int counts[] = {el->rank, el->nfree};
    dfl_status status = dfl_massless_decided(eq, counts, 2);
    if (!status)
        status = dfl_massless_decided(eq, el->order, el->rank);
    if (!status)
        status = dfl_massless_decided(eq, el->free, el->nfree);
    if (!status)
        status = dfl_massless_decided(eq, el->after, el->nfree);
    for (int i = 0; !status && i < el->nv; i++)
        status = dfl_massless_decided(eq, &(int){el->support[i]}, 1);
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
