/* tree_state.c: the tree of bodies at a state: its life, masses, forces, and massless directions.
   The rows of its loops are in tree_rows.c. */
#include "derive/tree_state_internal.h"

#include <string.h>

static dfl_status allocate(dfl_tree_state *s);
static void find_places(dfl_tree_state *s);
static dfl_status rebuild(dfl_tree_state *s, const double *values);
static dfl_status build(tree_parts *out, const dfl_tree_state *s);
static void free_parts(tree_parts *parts);
static bool differ(const dfl_tree_state *s, const double *values);
static dfl_status check_directions(const dfl_tree_state *s, const dfl_tree *tree);
static void set_drives(dfl_tree *tree, const dfl_tree_state *s, const double *drives);
static void decide(dfl_tree *tree, const dfl_tree_state *s);
static int row_of(const dfl_tree_state *s, int k);
static void derive_inverse(dfl_tree_state *s);

dfl_status dfl_tree_state_create(dfl_tree_state **out, const dfl_equations *eq,
                                 const dfl_numbers *numbers)
{
    *out = NULL;
    dfl_context *ctx = eq->model->ctx;
    dfl_tree_state *s = dfl_alloc(ctx, 1, sizeof *s);
    if (!s)
        return DFL_NO_MEMORY;
    s->eq = eq;
    s->ctx = ctx;
    s->description = eq->model->tree;
    dfl_status status = allocate(s);
    if (!status) {
        find_places(s);
        status = dfl_tree_state_update(s, numbers);
    }
    if (status)
        dfl_tree_state_free(s);
    else
        *out = s;
    return status;
}

dfl_status dfl_tree_state_nearby(dfl_tree_state **out, const dfl_tree_state *of,
                                 const double *values)
{
    const dfl_mass_tree *d = of->description;
    dfl_tree_state *s = *out = dfl_alloc(of->ctx, 1, sizeof *s);
    if (!s)
        return DFL_NO_MEMORY;
    s->eq = of->eq;
    s->ctx = of->ctx;
    s->description = of->description;
    dfl_status status = allocate(s);
    if (!status) {
        find_places(s);
        status = rebuild(s, values);
    }
    for (int i = 0; i < d->nnumbers; i++) /* as before */
        *d->numbers[i].place = of->values[i];
    if (status) {
        dfl_tree_state_free(s);
        *out = NULL;
    }
    return status;
}

const double *dfl_tree_state_numbers(const dfl_tree_state *s)
{
    return s->values;
}

static dfl_status allocate(dfl_tree_state *s)
{
    const dfl_mass_tree *d = s->description;
    const size_t np = (size_t)d->np, nv = (size_t)d->nv, rows = (size_t)d->nrows;
    s->p_of = dfl_alloc(s->ctx, np, sizeof *s->p_of);
    s->v_of = dfl_alloc(s->ctx, nv, sizeof *s->v_of);
    s->row_of = dfl_alloc(s->ctx, rows, sizeof *s->row_of);
    s->p = dfl_alloc(s->ctx, np + 3 * nv + 3 * (size_t)d->ndrives, sizeof *s->p);
    s->M = dfl_alloc(s->ctx, nv * (3 * nv + np), sizeof *s->M);
    s->W = dfl_alloc(s->ctx, rows * (4 * nv + np + 2), sizeof *s->W);
    s->values = dfl_alloc(s->ctx, (size_t)d->nnumbers, sizeof *s->values);
    if (!s->p_of || !s->v_of || !s->row_of || !s->p || !s->M || !s->W || !s->values)
        return DFL_NO_MEMORY;
    s->v = s->p + np;
    s->a = s->v + nv;
    s->tau = s->a + nv;
    s->drives = s->tau + nv;
    s->Tq = s->M + nv * nv;
    s->Tv = s->Tq + nv * nv;
    s->by_p = s->Tv + nv * nv;
    s->gIq = s->W + rows * nv;
    s->gIIq = s->gIq + rows * nv;
    s->gIIv = s->gIIq + rows * nv;
    s->rows_by_p = s->gIIv + rows * nv;
    s->values_of_rows = s->rows_by_p + rows * np;
    s->l = s->values_of_rows + rows;
    return DFL_OK;
}

static void find_places(dfl_tree_state *s)
{
    const dfl_equations *eq = s->eq;
    const dfl_mass_tree *d = s->description;
    s->first_v = eq->nw + eq->nl + eq->nm + eq->nr;
    for (int k = 0; k < d->nv; k++)
        s->v_of[k] = s->first_v + dfl_equations_velocity(eq, d->v[k]);
    for (int k = 0; k < d->np; k++) {
        const dfl_symbol *symbol = &eq->graph->symbols[dfl_node_of(eq->graph, d->p[k])->a];
        s->p_of[k] = eq->slot[DFL_SYM_P][symbol->index];
    }
    for (int k = 0; k < d->nrows; k++)
        s->row_of[k] = d->rows[k] < 0 ? -1 : eq->model->declarations.item[d->rows[k]].index;
}

void dfl_tree_state_free(dfl_tree_state *s)
{
    if (!s)
        return;
    free_parts(&s->parts);
    void *const blocks[] = {s->p_of, s->v_of, s->row_of, s->p, s->M, s->W, s->values, s->decided};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(s->ctx, blocks[i]);
    dfl_free(s->ctx, s);
}

static void free_parts(tree_parts *parts)
{
    dfl_elastic_tree_free(parts->elastic);
    dfl_tree_derivatives_free(parts->derivatives);
    dfl_loops_free(parts->loops);
    dfl_tree_free(parts->tree);
}

dfl_status dfl_tree_state_update(dfl_tree_state *s, const dfl_numbers *numbers)
{
    const dfl_mass_tree *d = s->description;
    dfl_expr *exprs = dfl_exprs(s->eq, d->nnumbers);
    double *values = dfl_alloc(s->ctx, (size_t)d->nnumbers, sizeof *values);
    dfl_status status = exprs && values ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < d->nnumbers; i++)
        exprs[i] = d->numbers[i].expr;
    if (!status)
        status = dfl_numbers_values(values, numbers, s->eq, exprs, d->nnumbers);
    if (!status && (!s->parts.tree || differ(s, values)))
        status = rebuild(s, values);
    dfl_free(s->ctx, exprs);
    dfl_free(s->ctx, values);
    return status;
}

/* Whether a number differs from the one in use. */
static bool differ(const dfl_tree_state *s, const double *values)
{
    return memcmp(values, s->values, (size_t)s->description->nnumbers * sizeof *values) != 0;
}

static dfl_status rebuild(dfl_tree_state *s, const double *values)
{
    const dfl_mass_tree *d = s->description;
    tree_parts parts = {0};
    for (int i = 0; i < d->nnumbers; i++)
        *d->numbers[i].place = values[i];
    dfl_status status = build(&parts, s);
    if (!status && s->decided)
        status = check_directions(s, parts.tree);
    if (status) {
        free_parts(&parts);
        return status;
    }
    free_parts(&s->parts);
    s->parts = parts;
    memcpy(s->values, values, (size_t)d->nnumbers * sizeof *values);
    return DFL_OK;
}

static dfl_status build(tree_parts *out, const dfl_tree_state *s)
{
    const dfl_mass_tree *d = s->description;
    dfl_status status = dfl_mass_tree_build(&out->tree, d);
    if (!status)
        status = dfl_mass_tree_close(&out->loops, d, out->tree);
    if (!status)
        status = dfl_tree_derivatives_create(&out->derivatives, s->ctx, out->tree);
    if (!status && d->nelastics > 0)
        status = dfl_elastic_tree_create(&out->elastic, s->ctx, out->tree, out->derivatives,
                                         d->elastics, d->nelastics);
    if (!status && s->decided)
        decide(out->tree, s);
    return status;
}

/* The equations have rows for the massless directions of the model as it was given. */
static dfl_status check_directions(const dfl_tree_state *s, const dfl_tree *tree)
{
    const dfl_tree *now = s->parts.tree;
    const int count = dfl_tree_n0(tree);
    bool same = count == dfl_tree_n0(now);
    for (int k = 0; same && k < count; k++)
        same = dfl_tree_massless(tree, k) == dfl_tree_massless(now, k);
    if (same)
        return DFL_OK;
    const dfl_tree *more = count > dfl_tree_n0(now) ? tree : now;
    return dfl_fail(
        s->ctx, DFL_INVALID,
        "joint '%s' moves bodies %s mass with this value, and the model was prepared for the "
        "other case; set the value before the run",
        dfl_tree_joint_name(more, dfl_tree_joint_of(more, dfl_tree_massless(more, 0))),
        more == tree ? "without" : "with");
}

void dfl_tree_state_place(dfl_tree_state *s, const double *x, const double *drives)
{
    const dfl_mass_tree *d = s->description;
    for (int k = 0; k < d->np; k++)
        s->p[k] = x[s->p_of[k]];
    for (int k = 0; k < d->nv; k++)
        s->v[k] = x[s->v_of[k]];
    memcpy(s->drives, drives, 3 * (size_t)d->ndrives * sizeof *drives);
    set_drives(s->parts.tree, s, s->drives);
    if (s->parts.elastic)
        dfl_elastic_tree_place(s->parts.elastic, s->p);
    else
        dfl_tree_place(s->parts.tree, s->p);
}

static void set_drives(dfl_tree *tree, const dfl_tree_state *s, const double *drives)
{
    for (int k = 0; k < s->description->ndrives; k++)
        dfl_tree_drive(tree, k, drives[3 * k], drives[3 * k + 1], drives[3 * k + 2]);
}

dfl_status dfl_tree_state_place_at(dfl_tree_state *s, const dfl_numbers *numbers)
{
    const int count = 3 * s->description->ndrives;
    double *drives = dfl_alloc(s->ctx, (size_t)count, sizeof *drives);
    const dfl_status status =
        drives ? dfl_numbers_values(drives, numbers, s->eq, s->description->drives, count)
               : DFL_NO_MEMORY;
    if (!status)
        dfl_tree_state_place(s, numbers->x, drives);
    dfl_free(s->ctx, drives);
    return status;
}

/* The row of velocity k in f and M. */
static int row_of(const dfl_tree_state *s, int k)
{
    return s->v_of[k] - s->first_v;
}

void dfl_tree_state_inverse(dfl_tree_state *s)
{
    if (s->parts.elastic)
        dfl_elastic_tree_inverse(s->tau, s->parts.elastic, s->v, s->a);
    else
        dfl_tree_inverse(s->tau, s->parts.tree, s->v, s->a);
}

void dfl_tree_state_forces(double *f, dfl_tree_state *s)
{
    const int nv = s->description->nv;
    memset(s->a, 0, (size_t)nv * sizeof *s->a);
    dfl_tree_state_inverse(s);
    for (int k = 0; k < nv; k++)
        f[row_of(s, k)] -= s->tau[k];
}

void dfl_tree_state_mass(double *M, dfl_tree_state *s)
{
    const int nv = s->description->nv, rows = s->eq->nv;
    if (s->parts.elastic)
        dfl_elastic_tree_mass(s->M, nv, s->parts.elastic);
    else
        dfl_tree_mass(s->M, nv, s->parts.tree);
    for (int j = 0; j < nv; j++) {
        double *column = M + (size_t)row_of(s, j) * (size_t)rows;
        for (int i = 0; i < nv; i++)
            column[row_of(s, i)] += s->M[(size_t)i + (size_t)j * (size_t)nv];
    }
}

static void derive_inverse(dfl_tree_state *s)
{
    if (s->parts.elastic)
        dfl_elastic_tree_derive(s->Tq, s->Tv, s->M, s->parts.elastic, s->v, s->a);
    else
        dfl_tree_derive(s->Tq, s->Tv, s->M, s->parts.derivatives, s->v, s->a);
}

void dfl_tree_state_slopes(double *dyn, dfl_tree_state *s, const double *a, const double *l)
{
    const int np = s->description->np, nv = s->description->nv, rows = s->eq->nv;
    const size_t ld = (size_t)nv;
    for (int k = 0; k < nv; k++)
        s->a[k] = a[row_of(s, k)];
    if (s->description->nrows > 0)
        dfl_tree_state_move(s);
    derive_inverse(s);
    if (s->description->nrows > 0)
        dfl_tree_state_row_forces(dyn, s, l);
    memset(s->by_p, 0, ld * (size_t)np * sizeof *s->by_p);
    if (s->parts.elastic)
        dfl_elastic_tree_chain(s->by_p, nv, s->parts.elastic, s->Tq, nv, nv);
    else
        dfl_tree_chain(s->by_p, nv, s->parts.tree, s->Tq, nv, nv, s->p);
    for (int j = 0; j < nv + np; j++) {
        const double *from = j < nv ? s->Tv + ld * (size_t)j : s->by_p + ld * (size_t)(j - nv);
        double *to = dyn + (size_t)(j < nv ? s->v_of[j] : s->p_of[j - nv]) * (size_t)rows;
        for (int i = 0; i < nv; i++)
            to[row_of(s, i)] -= from[i];
    }
}

/* ------------------------------------------------------------------ massless directions */

dfl_status dfl_tree_state_decide(dfl_tree_state *s)
{
    const size_t np = (size_t)s->description->np;
    const size_t ndrives = 3 * (size_t)s->description->ndrives;
    if (!s->decided)
        s->decided = dfl_alloc(s->ctx, np + ndrives, sizeof *s->decided);
    if (!s->decided)
        return DFL_NO_MEMORY;
    memcpy(s->decided, s->p, np * sizeof *s->decided);
    memcpy(s->decided + np, s->drives, ndrives * sizeof *s->decided);
    decide(s->parts.tree, s);
    return DFL_OK;
}

/* Around s->decided. */
static void decide(dfl_tree *tree, const dfl_tree_state *s)
{
    set_drives(tree, s, s->decided + s->description->np);
    dfl_tree_decide_ranks(tree, s->decided);
}

int dfl_tree_state_negligible(double *ratio, const dfl_tree_state *s)
{
    const dfl_tree_ranks ranks = dfl_tree_ranks_of(s->parts.tree);
    *ratio = ranks.ratio;
    return s->parts.elastic || ranks.negligible < 0 ? -1 : row_of(s, ranks.negligible);
}

int dfl_tree_state_n0(const dfl_tree_state *s)
{
    return s->parts.elastic ? 0 : dfl_tree_n0(s->parts.tree); /* drawing/tree_description.c */
}

int dfl_tree_state_massless(const dfl_tree_state *s, int index)
{
    return row_of(s, dfl_tree_massless(s->parts.tree, index));
}

void dfl_tree_state_balance(double *gam, double *a, dfl_tree_state *s, const double *f)
{
    const int nv = s->description->nv;
    for (int k = 0; k < nv; k++)
        s->tau[k] = f[row_of(s, k)];
    dfl_tree_forward(s->a, gam, s->parts.tree, s->v, s->tau);
    for (int k = 0; k < nv; k++)
        a[row_of(s, k)] = s->a[k];
}

void dfl_tree_state_null_space(double *K0, dfl_tree_state *s)
{
    const int nv = s->description->nv, n0 = dfl_tree_state_n0(s);
    dfl_tree_null_space(s->M, nv, s->parts.tree);
    for (int j = 0; j < n0; j++)
        for (int i = 0; i < nv; i++)
            K0[row_of(s, i) + (long)j * nv] = s->M[i + (long)j * nv];
}
