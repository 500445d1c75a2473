/* recursion.c: masses and forces of a tree of bodies by the recursions of src/mechanics.

   The tree has its coordinates in an order of its own: they are gathered from x, and results are scattered.
   Derivatives along velocities, p' = Z v, become derivatives by p with Z^+ (dfl_tree_chain). */
#include "engine/recursion.h"

#include "derive/derive.h"

#include <string.h>

struct dfl_recursion {
    const dfl_equations *eq;
    dfl_context *ctx;
    dfl_mass_tree *description; /* of the model: its numbers are those in use */
    dfl_tree *tree;
    dfl_tree_derivatives *derivatives;
    int *p_of, *v_of;             /* places in x */
    double *p, *v, *a, *tau;      /* np, nv: in the order of the tree */
    double *M, *Tq, *Tv, *slopes; /* nv x nv; nv x np */
    double *values;               /* of the numbers */
};

static dfl_status allocate(dfl_recursion *r);
static void find_places(dfl_recursion *r);
static dfl_status rebuild(dfl_recursion *r, const double *values);
static bool differ(const dfl_recursion *r, const double *values);
static int row_of(const dfl_recursion *r, int k);

dfl_status dfl_recursion_create(dfl_recursion **out, const dfl_equations *eq,
                                const dfl_numbers *numbers)
{
    *out = NULL;
    dfl_context *ctx = eq->model->ctx;
    dfl_recursion *r = dfl_alloc(ctx, 1, sizeof *r);
    if (!r)
        return DFL_NO_MEMORY;
    r->eq = eq;
    r->ctx = ctx;
    r->description = eq->model->tree;
    dfl_status status = allocate(r);
    if (!status) {
        find_places(r);
        status = dfl_recursion_update(r, numbers);
    }
    if (status)
        dfl_recursion_free(r);
    else
        *out = r;
    return status;
}

static dfl_status allocate(dfl_recursion *r)
{
    const dfl_mass_tree *d = r->description;
    const size_t np = (size_t)d->np, nv = (size_t)d->nv;
    r->p_of = dfl_alloc(r->ctx, np, sizeof *r->p_of);
    r->v_of = dfl_alloc(r->ctx, nv, sizeof *r->v_of);
    r->p = dfl_alloc(r->ctx, np + 3 * nv, sizeof *r->p);
    r->M = dfl_alloc(r->ctx, nv * (3 * nv + np), sizeof *r->M);
    r->values = dfl_alloc(r->ctx, (size_t)d->nnumbers, sizeof *r->values);
    if (!r->p_of || !r->v_of || !r->p || !r->M || !r->values)
        return DFL_NO_MEMORY;
    r->v = r->p + np;
    r->a = r->v + nv;
    r->tau = r->a + nv;
    r->Tq = r->M + nv * nv;
    r->Tv = r->Tq + nv * nv;
    r->slopes = r->Tv + nv * nv;
    return DFL_OK;
}

static void find_places(dfl_recursion *r)
{
    const dfl_equations *eq = r->eq;
    const dfl_mass_tree *d = r->description;
    const int first = eq->nw + eq->nl + eq->nm + eq->nr;
    for (int k = 0; k < d->nv; k++)
        r->v_of[k] = first + dfl_equations_velocity(eq, d->v[k]);
    for (int k = 0; k < d->np; k++) {
        const dfl_symbol *symbol = &eq->graph->symbols[dfl_node_of(eq->graph, d->p[k])->a];
        r->p_of[k] = eq->slot[DFL_SYM_P][symbol->index];
    }
}

void dfl_recursion_free(dfl_recursion *r)
{
    if (!r)
        return;
    dfl_tree_derivatives_free(r->derivatives);
    dfl_tree_free(r->tree);
    void *const blocks[] = {r->p_of, r->v_of, r->p, r->M, r->values};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(r->ctx, blocks[i]);
    dfl_free(r->ctx, r);
}

dfl_status dfl_recursion_update(dfl_recursion *r, const dfl_numbers *numbers)
{
    const dfl_mass_tree *d = r->description;
    dfl_expr *exprs = dfl_exprs(r->eq, d->nnumbers);
    double *values = dfl_alloc(r->ctx, (size_t)d->nnumbers, sizeof *values);
    dfl_status status = exprs && values ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < d->nnumbers; i++)
        exprs[i] = d->numbers[i].expr;
    if (!status)
        status = dfl_numbers_values(values, numbers, r->eq, exprs, d->nnumbers);
    if (!status && (!r->tree || differ(r, values)))
        status = rebuild(r, values);
    dfl_free(r->ctx, exprs);
    dfl_free(r->ctx, values);
    return status;
}

/* Whether a number differs from the one in use. */
static bool differ(const dfl_recursion *r, const double *values)
{
    return memcmp(values, r->values, (size_t)r->description->nnumbers * sizeof *values) != 0;
}

static dfl_status rebuild(dfl_recursion *r, const double *values)
{
    const dfl_mass_tree *d = r->description;
    dfl_tree *tree = NULL;
    dfl_tree_derivatives *derivatives = NULL;
    for (int i = 0; i < d->nnumbers; i++)
        *d->numbers[i].place = values[i];
    dfl_status status = dfl_mass_tree_build(&tree, d);
    if (!status && dfl_tree_n0(tree) > 0)
        status = dfl_fail(
            r->ctx, DFL_INVALID,
            "joint '%s' moves bodies without mass, which recursions do not handle; "
            "choose the evaluation 'tape' or 'native'",
            dfl_tree_joint_name(tree, dfl_tree_joint_of(tree, dfl_tree_massless(tree, 0))));
    if (!status)
        status = dfl_tree_derivatives_create(&derivatives, r->ctx, tree);
    if (status) {
        dfl_tree_free(tree);
        return status;
    }
    dfl_tree_derivatives_free(r->derivatives);
    dfl_tree_free(r->tree);
    r->tree = tree;
    r->derivatives = derivatives;
    memcpy(r->values, values, (size_t)d->nnumbers * sizeof *values);
    return DFL_OK;
}

void dfl_recursion_place(dfl_recursion *r, const double *x, const double *drives)
{
    const dfl_mass_tree *d = r->description;
    for (int k = 0; k < d->np; k++)
        r->p[k] = x[r->p_of[k]];
    for (int k = 0; k < d->nv; k++)
        r->v[k] = x[r->v_of[k]];
    for (int k = 0; k < d->ndrives; k++)
        dfl_tree_drive(r->tree, k, drives[3 * k], drives[3 * k + 1], drives[3 * k + 2]);
    dfl_tree_place(r->tree, r->p);
}

/* The row of velocity k in f and M. */
static int row_of(const dfl_recursion *r, int k)
{
    const dfl_equations *eq = r->eq;
    return r->v_of[k] - (eq->nw + eq->nl + eq->nm + eq->nr);
}

void dfl_recursion_forces(double *f, dfl_recursion *r)
{
    const int nv = r->description->nv;
    memset(r->a, 0, (size_t)nv * sizeof *r->a);
    dfl_tree_inverse(r->tau, r->tree, r->v, r->a, NULL);
    for (int k = 0; k < nv; k++)
        f[row_of(r, k)] -= r->tau[k];
}

void dfl_recursion_mass(double *M, dfl_recursion *r)
{
    const int nv = r->description->nv, rows = r->eq->nv;
    dfl_tree_mass(r->M, nv, r->tree);
    for (int j = 0; j < nv; j++) {
        double *column = M + (size_t)row_of(r, j) * (size_t)rows;
        for (int i = 0; i < nv; i++)
            column[row_of(r, i)] += r->M[(size_t)i + (size_t)j * (size_t)nv];
    }
}

void dfl_recursion_slopes(double *J, dfl_recursion *r, const double *a)
{
    const int np = r->description->np, nv = r->description->nv, rows = r->eq->nv;
    const size_t ld = (size_t)nv;
    for (int k = 0; k < nv; k++)
        r->a[k] = a[row_of(r, k)];
    dfl_tree_derive(r->Tq, r->Tv, r->M, r->derivatives, r->v, r->a);
    memset(r->slopes, 0, ld * (size_t)np * sizeof *r->slopes);
    dfl_tree_chain(r->slopes, nv, r->tree, r->Tq, nv, nv, r->p);
    for (int j = 0; j < nv + np; j++) {
        const double *from = j < nv ? r->Tv + ld * (size_t)j : r->slopes + ld * (size_t)(j - nv);
        double *to = J + (size_t)(j < nv ? r->v_of[j] : r->p_of[j - nv]) * (size_t)rows;
        for (int i = 0; i < nv; i++)
            to[row_of(r, i)] -= from[i];
    }
}
