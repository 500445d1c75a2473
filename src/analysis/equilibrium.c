/* equilibrium.c: states in which forces are balanced, at rest or in a steady motion.

   Newton's iteration along the constraints with multipliers fitted by least squares in between,
   and damped while the balance does not improve. Where that fails, pseudo-transient continuation
   with switched evolution relaxation: alpha falls with the residual (Kelley and Keyes 1998). */
#include "analysis/equilibrium_internal.h"

#include <string.h>

/* An iteration; x is the best state so far. */
typedef struct search {
    dfl_balance_step step;
    double t;
    double *x, *change, *trial; /* n each */
    double *forces;             /* nv: at the start, for each velocity its own */
    dfl_unbalanced worst;       /* at x ... */
    double residual;            /* ... and the largest residual there */
    double largest,
        stretch; /* of all positions so far; by how much more a step may move them ... */
    bool cut;    /* ... and whether the last one was shortened */
    int iterations, most;
} search;

static const double balanced = 1e-11;  /* as a part of the forces: it does not become better */
static const double acceptable = 1e-8; /* is an equilibrium */

static dfl_status search_from(search *it, const double *x, bool keep);
static dfl_status finish(search *it);
static dfl_status shorten_multipliers(search *it);
static dfl_status iterate(search *it);
static dfl_status relax(search *it);
static dfl_status improve(bool *better, search *it);
static dfl_status refuse(search *it);
static dfl_status check_constraints(search *it);
static double largest_residual(const search *it);
static int largest_force(const dfl_local *local);
static void shorten(search *it);

dfl_status dfl_equilibrium_find(double *x, dfl_equilibrium *report, dfl_context *ctx,
                                const dfl_eom *eom, double t,
                                const dfl_equilibrium_options *options)
{
    const int most = options && options->max_iterations ? options->max_iterations : 500;
    if (eom->sparsity && options && options->moving)
        return dfl_fail(ctx, DFL_INVALID, "steady motions need a model with dense matrices");
    if (eom->sparsity)
        return dfl_sparse_equilibrium(x, report, ctx, eom, t, most);
    search it = {.t = t, .most = most};
    dfl_status status =
        dfl_balance_step_create(&it.step, ctx, eom, options ? options->moving : NULL);
    const size_t n = (size_t)(status ? 0 : it.step.local.at.n);
    it.x = dfl_alloc(ctx, n, sizeof *it.x);
    it.change = dfl_alloc(ctx, n, sizeof *it.change);
    it.trial = dfl_alloc(ctx, n, sizeof *it.trial);
    it.forces = dfl_alloc(ctx, (size_t)eom->nv, sizeof *it.forces);
    if (!status && (!it.x || !it.change || !it.trial || !it.forces))
        status = DFL_NO_MEMORY;
    if (!status)
        status = search_from(&it, x, false);
    if (status && status != DFL_NO_MEMORY && it.step.ncalm > 0)
        status = search_from(&it, x, true);
    if (!status) {
        memcpy(x, it.x, n * sizeof *x);
        *report =
            (dfl_equilibrium){it.iterations, largest_residual(&it), largest_force(&it.step.local)};
    }
    dfl_free(ctx, it.x);
    dfl_free(ctx, it.change);
    dfl_free(ctx, it.trial);
    dfl_free(ctx, it.forces);
    dfl_balance_step_clear(&it.step);
    return status;
}

static dfl_status begin(search *it, const double *x, bool keep)
{
    memcpy(it->x, x, (size_t)it->step.local.at.n * sizeof *x);
    return it->step.moving ? dfl_steady_begin(it->x, &it->step, it->t, keep) : DFL_OK;
}

/* `keep`: speeds that may have any value in a steady motion begin with theirs in x, and not with
   zero. */
static dfl_status search_from(search *it, const double *x, bool keep)
{
    dfl_status status = begin(it, x, keep);
    if (!status)
        status = iterate(it);
    if (!status && it->worst.size > acceptable) {
        status = begin(it, x, keep);
        if (!status)
            status = relax(it);
    }
    if (status)
        return status;
    it->worst = dfl_balance_size(&it->step);
    if (it->worst.size <= acceptable)
        status = finish(it);
    if (!status)
        status = it->worst.size <= acceptable ? check_constraints(it) : refuse(it);
    return status ? status : shorten_multipliers(it);
}

/* How far the last step moves positions, as a part of their sizes, if it removes all forces.
   Overwrites it->trial. */
static dfl_status reach(double *longest, search *it)
{
    const dfl_local *local = &it->step.local;
    const dfl_eom *eom = local->eom;
    *longest = 0;
    for (int i = local->at.p; i < local->at.n; i++) {
        const double known = eom->sizes ? eom->sizes->size[i] : 0;
        *longest =
            fmax(*longest, fabs(it->change[i]) / fmax(fabs(it->x[i]), known > 0 ? known : 1));
    }
    const dfl_status status = dfl_balance_remains(it->trial, &it->step);
    if (status || dfl_balance_own(&it->step, it->forces, it->trial).size > acceptable)
        *longest = HUGE_VAL;
    return status;
}

/* Large forces of the model have hidden small ones: Newton's iteration goes on until each force is
   small beside those along its own velocity. it->worst tells if that is not reached. What is out of
   balance is the rounding of forces that cancel, if a step that removes it is shorter than
   positions can express, or a little longer and in vain, as close to a load that buckles. */
static dfl_status finish(search *it)
{
    const int n = it->step.local.at.n;
    const double rounding = 1e-13, noise = 1e-10; /* as parts of the sizes of positions */
    bool vain = false;
    double longest = HUGE_VAL;
    dfl_status status = dfl_balance_settle(it->x, &it->step, it->t, 0);
    dfl_unbalanced own = {0};
    if (!status)
        own = dfl_balance_own(&it->step, it->forces, it->step.local.f);
    for (int k = 0; !status && own.size > acceptable && k < 20; k++) {
        status = dfl_balance_solve(it->change, &it->step, 0);
        if (!status)
            status = reach(&longest, it);
        if (status || longest <= rounding)
            break;
        for (int i = 0; i < n; i++)
            it->trial[i] = it->x[i] + it->change[i];
        status = dfl_balance_settle(it->trial, &it->step, it->t, 2);
        if (status)
            break;
        const dfl_unbalanced now = dfl_balance_own(&it->step, it->forces, it->step.local.f);
        vain = now.size >= own.size;
        if (vain)
            break;
        own = now;
        it->iterations++;
        memcpy(it->x, it->trial, (size_t)n * sizeof *it->x);
    }
    if (status != DFL_NO_MEMORY)
        status = dfl_balance_settle(it->x, &it->step, it->t, 0);
    if (own.size > acceptable && longest > (vain ? noise : rounding))
        it->worst = own;
    return status;
}

/* Of the multipliers of redundant constraints that balance the forces the shortest ones, whatever
   the way to them; where forces contain multipliers that may not be possible. */
static dfl_status shorten_multipliers(search *it)
{
    const int n = it->step.local.at.n;
    if (it->step.local.nc == 0)
        return DFL_OK;
    memcpy(it->trial, it->x, (size_t)n * sizeof *it->x);
    dfl_status status = dfl_balance_shortest(it->trial, &it->step, it->t);
    if (status == DFL_NO_MEMORY)
        return status;
    if (!status && dfl_balance_size(&it->step).size <= fmax(10 * it->worst.size, balanced)) {
        memcpy(it->x, it->trial, (size_t)n * sizeof *it->x);
        return DFL_OK;
    }
    return dfl_balance_settle(it->x, &it->step, it->t, 0);
}

/* Newton's iteration; it ends where the balance does not improve any more. */
static dfl_status iterate(search *it)
{
    bool better = true;
    dfl_status status = dfl_balance_settle(it->x, &it->step, it->t, 2);
    if (status)
        return status;
    dfl_balance_note(it->forces, &it->step);
    it->worst = dfl_balance_size(&it->step);
    it->residual = largest_residual(it);
    it->stretch = 1;
    for (int i = 0; !status && better && it->worst.size > balanced && i < 50; i++) {
        status = dfl_balance_solve(it->change, &it->step, 0);
        if (!status) {
            shorten(it);
            status = improve(&better, it);
        }
        it->iterations += better;
    }
    return status ? status : dfl_balance_settle(it->x, &it->step, it->t, 2);
}

/* Whether the evaluated state is better than x. Relative to forces that all decrease together
   nothing improves: then the residual counts. */
static bool is_better(const search *it, const dfl_unbalanced *worst, double part)
{
    const double less = 1 - 0.01 * part;
    return worst->size < it->worst.size * less || (worst->size <= it->worst.size * (1 + 1e-9) &&
                                                   largest_residual(it) < it->residual * less);
}

/* The longest of the steps 1, 1/2, ... with which the balance improves. A state in which the model
   cannot be evaluated is no improvement. */
static dfl_status improve(bool *better, search *it)
{
    const int n = it->step.local.at.n;
    *better = false;
    double part = 1;
    for (int k = 0; !*better && k < 7; k++, part /= 2) {
        dfl_unbalanced worst = {.size = HUGE_VAL};
        for (int i = 0; i < n; i++)
            it->trial[i] = it->x[i] + part * it->change[i];
        const dfl_status status = dfl_balance_settle(it->trial, &it->step, it->t, 2);
        if (status == DFL_NO_MEMORY)
            return status;
        if (!status)
            worst = dfl_balance_size(&it->step);
        if (is_better(it, &worst, part)) {
            *better = true;
            it->stretch *= it->cut && k == 0 ? 2 : 1;
            it->worst = worst;
            it->residual = largest_residual(it);
            memcpy(it->x, it->trial, (size_t)n * sizeof *it->x);
        }
    }
    /* the next step starts at x */
    return *better ? DFL_OK : dfl_balance_settle(it->x, &it->step, it->t, 0);
}

/* The size of f in units of the damping, for the first alpha. */
static double first_rate(const search *it)
{
    const dfl_local *local = &it->step.local;
    const int nv = local->eom->nv;
    double rate = 0;
    for (int i = 0; i < nv; i++) {
        const double mass = local->M[(size_t)i * (size_t)nv + (size_t)i];
        rate = fmax(rate, mass > 0 ? fabs(local->f[i]) / mass : 0);
    }
    return rate > 0 ? 10 * rate : 1;
}

/* Whether forces do work in a step. With alpha below a negative stiffness it would go back, as from
   beyond a fold, which a motion without inertia passes slowly. */
static bool goes_along_forces(const search *it)
{
    const dfl_balance_step *step = &it->step;
    const int nv = step->local.eom->nv;
    double work = 0;
    for (int j = 0; j < step->k; j++)
        for (int i = 0; i < nv; i++)
            work += step->step[j] * step->K[(size_t)j * (size_t)nv + (size_t)i] * step->local.f[i];
    return work >= 0;
}

/* Along a motion without inertia. */
static dfl_status relax(search *it)
{
    const int n = it->step.local.at.n;
    dfl_status status = dfl_balance_settle(it->x, &it->step, it->t, 2);
    if (status)
        return status;
    it->worst = dfl_balance_size(&it->step);
    it->stretch = 1;
    double alpha = first_rate(it);
    for (int i = 0; it->worst.size > balanced && i < it->most; i++) {
        dfl_unbalanced worst = {.size = HUGE_VAL};
        status = dfl_balance_solve(it->change, &it->step, alpha);
        if (status)
            return status;
        if (it->worst.size > acceptable && alpha < 1e15 && !goes_along_forces(it)) {
            alpha *= 4;
            continue;
        }
        shorten(it);
        for (int j = 0; j < n; j++)
            it->trial[j] = it->x[j] + it->change[j];
        status = dfl_balance_settle(it->trial, &it->step, it->t, 3);
        if (status == DFL_NO_MEMORY)
            return status;
        if (!status)
            worst = dfl_balance_size(&it->step);
        if (status || worst.size > 2 * it->worst.size) { /* too far */
            alpha *= 4;
            status = dfl_balance_settle(it->x, &it->step, it->t, 0);
            if (status || alpha > 1e15)
                return status ? status : refuse(it);
            continue;
        }
        const double ratio = it->worst.size > 0 ? worst.size / it->worst.size : 1;
        alpha *= fmin(2, fmax(0.2, 0.8 * ratio));
        it->stretch *= it->cut ? 2 : 1;
        it->worst = worst;
        it->iterations++;
        memcpy(it->x, it->trial, (size_t)n * sizeof *it->x);
        if (alpha < 1e-9 && worst.size <= acceptable)
            break;
    }
    status = dfl_balance_settle(it->x, &it->step, it->t, 2);
    return status || it->worst.size <= acceptable ? status : refuse(it);
}

/* Names what is balanced least. */
static dfl_status refuse(search *it)
{
    const dfl_local *local = &it->step.local;
    const dfl_unbalanced *worst = &it->worst;
    char name[200];
    dfl_eom_name(name, sizeof name, local->eom, worst->kind, worst->index);
    return dfl_fail(local->ctx, DFL_NOT_CONVERGED,
                    "no equilibrium was found: after %d iterations %s %s is still %.3g%s; start "
                    "nearer to an equilibrium, or check whether there is one",
                    it->iterations,
                    worst->kind == DFL_KIND_V   ? "the force along"
                    : worst->kind == DFL_KIND_R ? "the rate of"
                                                : "the residual of",
                    name, worst->value, worst->kind == DFL_KIND_V ? " out of balance" : "");
}

/* Constraints on velocities and accelerations hold without acceleration, too. */
static dfl_status check_constraints(search *it)
{
    const dfl_local *local = &it->step.local;
    const dfl_eom *eom = local->eom;
    const dfl_blocks *blocks = &local->point.blocks;
    const double speed = 1 + dfl_max_abs(it->x + local->at.v, eom->nv);
    char name[200];
    for (int i = 0; i < local->nc; i++) {
        const bool holonomic = i < eom->nl;
        const double rate = holonomic ? blocks->gI[i] : blocks->hv[i - eom->nl];
        dfl_eom_name(name, sizeof name, eom, holonomic ? DFL_ROW_GI : DFL_ROW_HV,
                     holonomic ? i : i - eom->nl);
        if (fabs(rate) > 1e-7 * speed)
            return dfl_fail(local->ctx, DFL_INCONSISTENT,
                            "there is no equilibrium with these speeds: constraint %s is violated "
                            "at the rate %.3g; name the moving coordinates with --steady, or stop "
                            "what drives them",
                            name, rate);
        double bias = blocks->bias[i];
        for (int j = 0; it->step.moving && j < eom->nv; j++)
            bias += blocks->W[(size_t)j * (size_t)local->nc + (size_t)i] * it->step.a[j];
        if (fabs(bias) > 1e-7 * speed * speed)
            return dfl_fail(local->ctx, DFL_INCONSISTENT,
                            "the motion is not steady: constraint %s needs accelerations (%.3g); "
                            "use coordinates whose speeds are constant",
                            name, bias);
    }
    return DFL_OK;
}

static double largest_residual(const search *it)
{
    const dfl_local *local = &it->step.local;
    const dfl_eom *eom = local->eom;
    const dfl_blocks *blocks = &local->point.blocks;
    double size = dfl_max_abs(local->f, eom->nv);
    size = fmax(size, dfl_max_abs(blocks->b, eom->nr));
    size = fmax(size, dfl_max_abs(blocks->d, eom->nw));
    size = fmax(size, dfl_max_abs(blocks->c, eom->ns));
    size = fmax(size, dfl_max_abs(blocks->g, eom->nl));
    return fmax(size, dfl_max_abs(blocks->ep, eom->nep));
}

static int largest_force(const dfl_local *local)
{
    int worst = 0;
    for (int i = 1; i < local->eom->nv; i++)
        if (fabs(local->f[i]) > fabs(local->f[worst]))
            worst = i;
    return worst;
}

/* No position moves by more than half of its size: 1 rad, a length of the model, or the largest
   position so far; further, if shorter steps have led nearer to a balance. */
static void shorten(search *it)
{
    const dfl_local *local = &it->step.local;
    const dfl_eom *eom = local->eom;
    const int p = local->at.p, n = local->at.n;
    const double largest = it->largest = fmax(it->largest, dfl_max_abs(it->x + p, eom->np));
    double part = 1;
    for (int i = p; i < n; i++) {
        const double known = eom->sizes ? eom->sizes->size[i] : 0;
        const double size = it->stretch * fmax(known, largest > 0 ? largest : known > 0 ? 0 : 1);
        if (fabs(it->change[i]) * part > 0.5 * size)
            part = 0.5 * size / fabs(it->change[i]);
    }
    it->cut = part < 1;
    for (int i = 0; part < 1 && i < n; i++)
        it->change[i] *= part;
}
