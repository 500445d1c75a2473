/* sparse_local.c: all rows of a large model and their derivatives at one state. */
#include "analysis/sparse_local.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

/* Rows of W nearer to others than this part of their length depend on them. */
static const double redundant = 3e-6;

/* Takes entries of the pencil one after another: places first, numbers later. */
typedef struct collector {
    dfl_sparse_local *local;
    dfl_place_of_entry *place; /* NULL: numbers are taken */
    int count;
} collector;

static dfl_status copy_pattern(dfl_csc *out, dfl_context *ctx, const dfl_pattern *pattern, int rows,
                               int columns);
static dfl_status make_pencil(dfl_sparse_local *local);
static void collect(collector *to);
static dfl_status eval(dfl_sparse_local *local, double t, const double *x, bool still);
static dfl_status find_accelerations(dfl_sparse_local *local, bool still);

dfl_status dfl_sparse_local_create(dfl_sparse_local *out, dfl_context *ctx, const dfl_eom *eom)
{
    memset(out, 0, sizeof *out);
    out->ctx = ctx;
    out->eom = eom;
    if (!eom->sparsity)
        return dfl_fail(ctx, DFL_INVALID, "few modes need a model with sparse matrices");
    if (eom->ne + eom->nep + eom->n0 > 0)
        return dfl_fail(
            ctx, DFL_INVALID,
            "analyses of models with invariants (ne, nep) or massless rows (n0) need dense "
            "matrices");
    dfl_status status = dfl_eom_check(ctx, eom);
    if (status)
        return status;
    const size_t nv = (size_t)eom->nv, nc = (size_t)(eom->nl + eom->nm);
    out->at = dfl_eom_layout(eom);
    out->nc = (int)nc;
    out->a = dfl_alloc(ctx, nv + nc + 1, sizeof *out->a);
    out->f = dfl_alloc(ctx, 2 * nv + 1, sizeof *out->f);
    out->left_out = dfl_alloc(ctx, nc + 1, sizeof *out->left_out);
    if (!out->a || !out->f || !out->left_out)
        return DFL_NO_MEMORY;
    status = dfl_system_init(&out->sys, ctx, eom, false, &out->counters);
    if (!status)
        status = dfl_packed_jacobian_init(&out->jac, &out->sys);
    if (!status)
        status = dfl_point_init(&out->point, &out->sys);
    if (!status)
        status = copy_pattern(&out->W, ctx, &eom->sparsity->W, (int)nc, eom->nv);
    if (!status && !out->sys.mass.diagonal)
        status = copy_pattern(&out->M, ctx, &eom->sparsity->M, eom->nv, eom->nv);
    if (!status)
        status = dfl_saddle_ldl_create(&out->saddle, ctx, out->sys.mass.diagonal ? NULL : &out->M,
                                       &out->W);
    return status ? status : make_pencil(out);
}

void dfl_sparse_local_clear(dfl_sparse_local *local)
{
    dfl_context *ctx = local->ctx;
    if (!ctx)
        return;
    dfl_saddle_ldl_free(local->saddle);
    dfl_csc_clear(&local->W, ctx);
    dfl_csc_clear(&local->M, ctx);
    dfl_csc_clear(&local->pattern, ctx);
    dfl_free(ctx, local->a);
    dfl_free(ctx, local->f);
    dfl_free(ctx, local->left_out);
    dfl_free(ctx, local->place);
    dfl_free(ctx, local->A);
    dfl_packed_jacobian_clear(&local->jac, ctx);
    dfl_point_clear(&local->point, ctx);
    if (local->sys.ctx)
        dfl_system_clear(&local->sys);
    memset(local, 0, sizeof *local);
}

dfl_status dfl_sparse_local_eval(dfl_sparse_local *local, double t, const double *x)
{
    return eval(local, t, x, false);
}

dfl_status dfl_sparse_local_eval_still(dfl_sparse_local *local, double t, const double *x)
{
    return eval(local, t, x, true);
}

double dfl_sparse_local_force_size(const dfl_sparse_local *local)
{
    const dfl_pattern *dyn = &local->eom->sparsity->dyn;
    const double *W = local->point.blocks.W, *l = local->x + local->at.lambda;
    double size = 0;
    for (int j = 0; j < local->at.n; j++)
        for (int k = dyn->column_start[j]; k < dyn->column_start[j + 1]; k++)
            size = fmax(size, fabs(local->jac.blocks.dyn[k]) * fmax(fabs(local->x[j]), 1e-3));
    for (int j = 0; j < local->eom->nv; j++) {
        double sum = 0;
        for (int k = local->W.start[j]; k < local->W.start[j + 1]; k++)
            sum += W[k] * l[local->W.row[k]];
        size = fmax(size, fabs(sum));
    }
    return size;
}

double dfl_sparse_local_frequency(const dfl_sparse_local *local)
{
    const dfl_csc *p = &local->pattern;
    const dfl_layout at = local->at;
    double mass = 0, stiffness = 0, rate = 0;
    for (int j = at.r; j < at.n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            const bool balance = p->row[k] >= at.v && p->row[k] < at.s;
            if (balance && j >= at.v && j < at.s)
                mass = fmax(mass, fabs(local->E[k]));
            if (balance && j >= at.s)
                stiffness = fmax(stiffness, fabs(local->A[k]));
            if (j < at.v && p->row[k] >= at.r && p->row[k] < at.v)
                rate = fmax(rate, fabs(local->A[k]));
        }
    if (stiffness > 0 && mass > 0)
        return sqrt(stiffness / mass);
    return rate > 0 ? rate : 1;
}

static dfl_status copy_pattern(dfl_csc *out, dfl_context *ctx, const dfl_pattern *pattern, int rows,
                               int columns)
{
    const int count = (int)dfl_pattern_entries(pattern, columns);
    dfl_place_of_entry *place = dfl_alloc(ctx, (size_t)count + 1, sizeof *place);
    if (!place)
        return DFL_NO_MEMORY;
    for (int j = 0; j < columns; j++)
        for (int k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++)
            place[k] = (dfl_place_of_entry){pattern->row[k], j};
    const dfl_status status = dfl_csc_create(out, NULL, ctx, rows, columns, place, count);
    dfl_free(ctx, place);
    return status;
}

/* The pattern of A and E. */
static dfl_status make_pencil(dfl_sparse_local *local)
{
    dfl_context *ctx = local->ctx;
    const dfl_eom *eom = local->eom;
    const size_t room = local->jac.entries + dfl_system_mass_entries(&local->sys) +
                        (size_t)(2 * eom->np + eom->nr + local->nc) + 1;
    collector to = {local, dfl_alloc(ctx, room, sizeof *to.place), 0};
    local->place = dfl_alloc(ctx, room, sizeof *local->place);
    if (!to.place || !local->place) {
        dfl_free(ctx, to.place);
        return DFL_NO_MEMORY;
    }
    collect(&to);
    const int n = local->at.n;
    const dfl_status status =
        dfl_csc_create(&local->pattern, local->place, ctx, n, n, to.place, to.count);
    dfl_free(ctx, to.place);
    if (status)
        return status;
    const size_t entries = (size_t)local->pattern.start[n];
    local->A = dfl_alloc(ctx, 2 * entries + 1, sizeof *local->A);
    local->E = local->A + entries;
    return local->A ? DFL_OK : DFL_NO_MEMORY;
}

static void put(collector *to, int row, int column, double a, double e)
{
    if (to->place) {
        to->place[to->count++] = (dfl_place_of_entry){row, column};
        return;
    }
    const int at = to->local->place[to->count++], first = to->local->at.lambda;
    const bool dropped =
        row >= first && row < first + to->local->nc && to->local->left_out[row - first];
    to->local->A[at] += dropped && row != column ? 0 : a;
    to->local->E[at] += e;
}

/* A block of derivatives: its rows from `from` on go to rows of A from `row` on. */
static void put_block(collector *to, const dfl_pattern *p, const double *value, int columns,
                      int column, int from, int until, int row)
{
    for (int j = 0; p->column_start && j < columns; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++)
            if (p->row[k] >= from && p->row[k] < until)
                put(to, row + p->row[k] - from, column + j, value[k], 0);
}

/* Rows in the order of the unknowns: d; g, hv; b; dyn; c, kin. */
static void collect(collector *to)
{
    const dfl_sparse_local *local = to->local;
    const dfl_eom *eom = local->eom;
    const dfl_sparsity *s = eom->sparsity;
    const dfl_jacobian *jac = &local->jac.blocks;
    const dfl_layout at = local->at;
    const int n = at.n, vsp = n - at.v, sp = n - at.s, ns = eom->ns, nl = eom->nl, nv = eom->nv;
    put_block(to, &s->d, jac->d, n, 0, 0, eom->nw, 0);
    put_block(to, &s->pos, jac->pos, sp, at.s, ns, ns + nl, at.lambda);
    put_block(to, &s->vel, jac->vel, vsp, at.v, nl, local->nc, at.mu);
    put_block(to, &s->b, jac->b, n, 0, 0, eom->nr, at.r);
    put_block(to, &s->dyn, jac->dyn, n, 0, 0, nv, at.v);
    put_block(to, &s->pos, jac->pos, sp, at.s, 0, ns, at.s);
    if (!eom->trivial_kinematics)
        put_block(to, &s->kin, jac->kin, vsp, at.v, 0, eom->np, at.p);
    for (int i = 0; i < eom->np; i++) {
        put(to, at.p + i, at.p + i, 0, 1);
        if (eom->trivial_kinematics)
            put(to, at.p + i, at.v + i, 1, 0);
    }
    for (int i = 0; i < eom->nr; i++)
        put(to, at.r + i, at.r + i, 0, 1);
    for (int i = 0; i < local->nc; i++)
        put(to, at.lambda + i, at.lambda + i, local->left_out[i], 0);
    for (int j = 0; local->sys.mass.diagonal && j < nv; j++)
        put(to, at.v + j, at.v + j, 0, local->jac.M[j]);
    for (int j = 0; !local->sys.mass.diagonal && j < nv; j++)
        for (int k = s->M.column_start[j]; k < s->M.column_start[j + 1]; k++)
            put(to, at.v + s->M.row[k], at.v + j, 0, local->jac.M[k]);
}

static dfl_status eval(dfl_sparse_local *local, double t, const double *x, bool still)
{
    dfl_system *sys = &local->sys;
    dfl_point *point = &local->point;
    local->t = t;
    local->x = x;
    dfl_status status = dfl_system_decide(sys, t, x, true);
    if (status)
        return status;
    dfl_point_bind(point, sys);
    point->t = t;
    memset(point->x, 0, (size_t)sys->na * sizeof *x);
    memcpy(point->x + sys->na, x, (size_t)sys->nu * sizeof *x);
    dfl_outcome outcome = dfl_system_eval_checked(sys, point);
    if (!outcome) /* the second half of f is zero */
        outcome = dfl_system_dynamics(local->f, sys, point, local->f + local->eom->nv);
    if (!outcome)
        outcome = dfl_system_mass(local->jac.M, sys, t, x);
    status =
        outcome ? dfl_local_refuse(local->ctx, sys, outcome, t) : find_accelerations(local, still);
    if (status)
        return status;
    outcome = dfl_system_packed_jacobian(&local->jac, sys, t, point->x, local->a);
    if (outcome)
        return dfl_local_refuse(local->ctx, sys, outcome, t);
    memset(local->A, 0, 2 * (size_t)local->pattern.start[local->at.n] * sizeof *local->A);
    collect(&(collector){local, NULL, 0});
    return DFL_OK;
}

/* Also which rows depend on others. */
static dfl_status find_accelerations(dfl_sparse_local *local, bool still)
{
    const int nv = local->eom->nv, nc = local->nc;
    const double *bias = local->point.blocks.bias;
    if (!dfl_saddle_ldl_factor(local->saddle, local->jac.M, local->point.blocks.W, redundant, NULL))
        return dfl_fail(local->ctx, DFL_SINGULAR, "the mass matrix is singular at t = %g",
                        local->t);
    for (int i = 0; i < nc; i++)
        local->left_out[i] = !dfl_saddle_ldl_takes(local->saddle, i);
    memset(local->a, 0, (size_t)nv * sizeof *local->a);
    if (still)
        return DFL_OK;
    double *l = local->a + nv;
    memcpy(local->a, local->f, (size_t)nv * sizeof *local->a);
    for (int i = 0; i < nc; i++)
        l[i] = -bias[i];
    dfl_saddle_ldl_solve(local->a, l, local->saddle);
    return DFL_OK;
}
