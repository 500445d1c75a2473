/* sparse_equilibrium.c: equilibria of large models, with sparse matrices.

   A step of implicit Euler of length 1/s from rest, (A - s E) dx = -rows, after which everything is
   stopped again: Newton's step for small s, a short way along the forces for large ones. s falls
   while the balance improves, and rises where it does not. Where that fails, every step is taken,
   and s follows the residual, as in equilibrium.c. */
#include "analysis/equilibrium_internal.h"
#include "analysis/sparse_local.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

typedef struct search {
    dfl_context *ctx;
    dfl_sparse_local local;
    dfl_sparse_lu *lu;
    double *x, *trial, *step; /* n each; one block of memory, that of x */
    double *shifted;
    double size[4]; /* of forces, positions, rates of r, auxiliary rows: what residuals are compared
                       with */
    double t;
} search;

static const double balanced = 1e-12, acceptable = 1e-8;

static dfl_status prepare(search *it, const dfl_eom *eom, const double *x);
static dfl_status begin(search *it, const double *x);
static dfl_status iterate(search *it, int *iterations, int most);
static dfl_status relax(search *it, int *iterations, int most);
static double imbalance(const search *it);
static double block_size(const dfl_pattern *p, const double *value, int columns, const double *x);

dfl_status dfl_sparse_equilibrium(double *x, dfl_equilibrium *report, dfl_context *ctx,
                                  const dfl_eom *eom, double t, int most)
{
    search it = {.ctx = ctx, .t = t};
    int iterations = 0, worst = 0;
    dfl_status status = prepare(&it, eom, x);
    if (!status)
        status = iterate(&it, &iterations, most);
    if (!status && imbalance(&it) > acceptable) {
        status = begin(&it, x);
        if (!status)
            status = relax(&it, &iterations, most);
        if (!status)
            status = iterate(&it, &iterations, most);
    }
    for (int i = 0; !status && i < eom->nv; i++)
        if (fabs(it.local.f[i]) > fabs(it.local.f[worst]))
            worst = i;
    if (!status && imbalance(&it) > acceptable) {
        char name[200];
        dfl_eom_name(name, sizeof name, eom, DFL_KIND_V, worst);
        status = dfl_fail(ctx, DFL_NOT_CONVERGED,
                          "no equilibrium was found: after %d iterations the force along %s is "
                          "still %.3g out of balance; start nearer to an equilibrium, or check "
                          "whether there is one",
                          iterations, name, it.local.f[worst]);
    }
    if (!status) {
        memcpy(x, it.x, (size_t)it.local.at.n * sizeof *x);
        *report = (dfl_equilibrium){iterations, eom->nv > 0 ? fabs(it.local.f[worst]) : 0, worst};
    }
    dfl_sparse_lu_free(it.lu);
    dfl_free(ctx, it.x);
    dfl_free(ctx, it.shifted);
    dfl_sparse_local_clear(&it.local);
    return status;
}

static dfl_status prepare(search *it, const dfl_eom *eom, const double *x)
{
    dfl_status status = dfl_sparse_local_create(&it->local, it->ctx, eom);
    if (status)
        return status;
    const dfl_sparse_local *local = &it->local;
    const size_t n = (size_t)local->at.n, entries = (size_t)local->pattern.start[n];
    it->x = dfl_alloc(it->ctx, 3 * n + 1, sizeof *it->x);
    it->shifted = dfl_alloc(it->ctx, entries + 1, sizeof *it->shifted);
    if (!it->x || !it->shifted)
        return DFL_NO_MEMORY;
    it->trial = it->x + n;
    it->step = it->trial + n;
    status = dfl_sparse_lu_create(&it->lu, it->ctx, &local->pattern, false, NULL);
    if (!status)
        status = begin(it, x);
    if (status)
        return status;
    const dfl_sparsity *s = eom->sparsity;
    const dfl_jacobian *jac = &local->jac.blocks;
    it->size[0] = dfl_sparse_local_force_size(local);
    it->size[1] = block_size(&s->pos, jac->pos, eom->ns + eom->np, it->x + local->at.s);
    it->size[2] = block_size(&s->b, jac->b, eom->nr > 0 ? (int)n : 0, it->x);
    it->size[3] = block_size(&s->d, jac->d, eom->nw > 0 ? (int)n : 0, it->x);
    return DFL_OK;
}

/* x, at rest. */
static dfl_status begin(search *it, const double *x)
{
    const dfl_layout at = it->local.at;
    memcpy(it->x, x, (size_t)at.n * sizeof *x);
    memset(it->x + at.v, 0, (size_t)it->local.eom->nv * sizeof *x);
    return dfl_sparse_local_eval_still(&it->local, it->t, it->x);
}

static double block_size(const dfl_pattern *p, const double *value, int columns, const double *x)
{
    double size = 1e-300;
    for (int j = 0; j < columns; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++)
            size = fmax(size, fabs(value[k]) * fmax(fabs(x[j]), 1e-3));
    return size;
}

/* The largest residual as a part of the terms of its kind. */
static double imbalance(const search *it)
{
    const dfl_sparse_local *local = &it->local;
    const dfl_eom *eom = local->eom;
    const dfl_blocks *b = &local->point.blocks;
    const double parts[] = {
        dfl_max_abs(local->f, eom->nv) / fmax(it->size[0], 1e-300),
        fmax(dfl_max_abs(b->g, eom->nl), dfl_max_abs(b->c, eom->ns)) / it->size[1],
        dfl_max_abs(b->b, eom->nr) / it->size[2], dfl_max_abs(b->d, eom->nw) / it->size[3]};
    return fmax(fmax(parts[0], parts[1]), fmax(parts[2], parts[3]));
}

/* trial := x after a step. */
static bool make_step(search *it, double s)
{
    const dfl_sparse_local *local = &it->local;
    const dfl_eom *eom = local->eom;
    const dfl_layout at = local->at;
    const dfl_blocks *b = &local->point.blocks;
    double *step = it->step;
    for (int k = 0; k < local->pattern.start[at.n]; k++)
        it->shifted[k] = local->A[k] - s * local->E[k];
    memset(step, 0, (size_t)at.n * sizeof *step);
    for (int i = 0; i < eom->nw; i++)
        step[i] = -b->d[i];
    for (int i = 0; i < eom->nl; i++)
        step[at.lambda + i] = local->left_out[i] ? 0 : -b->g[i];
    for (int i = 0; i < eom->nr; i++)
        step[at.r + i] = -b->b[i];
    for (int i = 0; i < eom->nv; i++)
        step[at.v + i] = -local->f[i];
    for (int i = 0; i < eom->ns; i++)
        step[at.s + i] = -b->c[i];
    if (!dfl_sparse_lu_factor(it->lu, it->shifted) || !dfl_sparse_lu_solve(step, it->lu))
        return false;
    for (int i = 0; i < at.n; i++)
        it->trial[i] = it->x[i] + step[i];
    memset(it->trial + at.v, 0, (size_t)eom->nv * sizeof *step);
    return true;
}

/* The imbalance after a part of a step, at trial; infinite where the model cannot be evaluated. */
static dfl_status try_step(double *after, search *it, double s, double part)
{
    *after = HUGE_VAL;
    if (!make_step(it, s))
        return DFL_OK;
    for (int i = 0; part < 1 && i < it->local.at.n; i++)
        it->trial[i] = it->x[i] + part * (it->trial[i] - it->x[i]);
    const dfl_status status = dfl_sparse_local_eval_still(&it->local, it->t, it->trial);
    if (!status)
        *after = imbalance(it);
    return status == DFL_NO_MEMORY ? status : DFL_OK;
}

static dfl_status iterate(search *it, int *iterations, int most)
{
    const size_t bytes = (size_t)it->local.at.n * sizeof *it->x;
    const double fast = dfl_sparse_local_frequency(&it->local);
    const double newton = 1e-7 * fast;
    double s = newton, part = 1, now = imbalance(it), after;
    dfl_status status = DFL_OK;
    int settled = 0; /* steps that did not improve a state that is good enough */
    for (int k = 0; !status && now > balanced && k < most && settled < 2 && s < 1e6 * fast; k++) {
        status = try_step(&after, it, s, part);
        if (!status && after < now * (1 - 0.01 * part)) {
            memcpy(it->x, it->trial, bytes);
            s = fmax(s * fmin(0.3, 10 * after / now), newton);
            now = after;
            part = 1;
            ++*iterations;
        } else if (s == newton && part > 0.02)
            part /= 2;
        else {
            s = fmax(8 * s, 1e-3 * fast);
            part = 1;
        }
        settled += after >= now && now <= acceptable;
        if (!status) /* the next step starts at x */
            status = dfl_sparse_local_eval_still(&it->local, it->t, it->x);
    }
    return status;
}

/* A motion with large damping. */
static dfl_status relax(search *it, int *iterations, int most)
{
    const size_t bytes = (size_t)it->local.at.n * sizeof *it->x;
    const double fast = dfl_sparse_local_frequency(&it->local);
    double s = fast, now = imbalance(it), after;
    dfl_status status = DFL_OK;
    for (int k = 0; !status && now > acceptable && k < most && s < 1e6 * fast; k++) {
        status = try_step(&after, it, s, 1);
        if (!status && after < 1e3 * now) {
            memcpy(it->x, it->trial, bytes);
            s *= fmin(fmax(after / now, 0.5), 2);
            now = after;
            ++*iterations;
        } else
            s *= 8;
        if (!status)
            status = dfl_sparse_local_eval_still(&it->local, it->t, it->x);
    }
    return status;
}
