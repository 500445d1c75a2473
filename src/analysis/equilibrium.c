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
    double size;                /* of what is not balanced at x */
    int worst;
    int iterations, most;
} search;

static const double balanced = 1e-11;  /* as a part of the forces: it does not become better */
static const double acceptable = 1e-8; /* is an equilibrium */

static dfl_status iterate(search *it);
static dfl_status relax(search *it);
static dfl_status improve(bool *better, search *it);
static dfl_status refuse(search *it);
static dfl_status check_constraints(search *it);
static double largest_residual(const search *it);

dfl_status dfl_equilibrium_find(double *x, dfl_equilibrium *report, dfl_context *ctx,
                                const dfl_eom *eom, double t,
                                const dfl_equilibrium_options *options)
{
    search it = {.t = t,
                 .most = options && options->max_iterations ? options->max_iterations : 500};
    dfl_status status =
        dfl_balance_step_create(&it.step, ctx, eom, options ? options->moving : NULL);
    const size_t n = (size_t)(status ? 0 : it.step.local.at.n);
    it.x = dfl_alloc(ctx, n, sizeof *it.x);
    it.change = dfl_alloc(ctx, n, sizeof *it.change);
    it.trial = dfl_alloc(ctx, n, sizeof *it.trial);
    if (!status && (!it.x || !it.change || !it.trial))
        status = DFL_NO_MEMORY;
    if (!status) {
        memcpy(it.x, x, n * sizeof *x);
        status = iterate(&it);
        if (!status && it.size > acceptable) {
            memcpy(it.x, x, n * sizeof *x);
            status = relax(&it);
        }
    }
    if (!status)
        status = check_constraints(&it);
    if (!status) {
        memcpy(x, it.x, n * sizeof *x);
        *report = (dfl_equilibrium){it.iterations, largest_residual(&it), it.worst};
    }
    dfl_free(ctx, it.x);
    dfl_free(ctx, it.change);
    dfl_free(ctx, it.trial);
    dfl_balance_step_clear(&it.step);
    return status;
}

/* Newton's iteration; it ends where the balance does not improve any more. */
static dfl_status iterate(search *it)
{
    bool better = true;
    dfl_status status = dfl_balance_settle(it->x, &it->step, it->t, 2);
    if (status)
        return status;
    it->size = dfl_balance_size(&it->worst, &it->step);
    for (int i = 0; !status && better && it->size > balanced && i < 50; i++) {
        status = dfl_balance_solve(it->change, &it->step, 0);
        if (!status)
            status = improve(&better, it);
        it->iterations += better;
    }
    return status ? status : dfl_balance_settle(it->x, &it->step, it->t, 2);
}

/* The longest of the steps 1, 1/2, ... with which the balance improves. A state in which the model
   cannot be evaluated is no improvement. */
static dfl_status improve(bool *better, search *it)
{
    const int n = it->step.local.at.n;
    *better = false;
    double part = 1;
    for (int k = 0; !*better && k < 7; k++, part /= 2) {
        int worst;
        for (int i = 0; i < n; i++)
            it->trial[i] = it->x[i] + part * it->change[i];
        const dfl_status status = dfl_balance_settle(it->trial, &it->step, it->t, 2);
        if (status == DFL_NO_MEMORY)
            return status;
        const double size = status ? HUGE_VAL : dfl_balance_size(&worst, &it->step);
        if (size < it->size * (1 - 0.01 * part)) {
            *better = true;
            it->size = size;
            it->worst = worst;
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

/* Along a motion without inertia. */
static dfl_status relax(search *it)
{
    const int n = it->step.local.at.n;
    dfl_status status = dfl_balance_settle(it->x, &it->step, it->t, 2);
    if (status)
        return status;
    it->size = dfl_balance_size(&it->worst, &it->step);
    double alpha = first_rate(it);
    for (int i = 0; it->size > balanced && i < it->most; i++) {
        int worst;
        status = dfl_balance_solve(it->change, &it->step, alpha);
        if (status)
            return status;
        for (int j = 0; j < n; j++)
            it->trial[j] = it->x[j] + it->change[j];
        status = dfl_balance_settle(it->trial, &it->step, it->t, 3);
        if (status == DFL_NO_MEMORY)
            return status;
        const double size = status ? HUGE_VAL : dfl_balance_size(&worst, &it->step);
        if (status || size > 2 * it->size) { /* too far */
            alpha *= 4;
            status = dfl_balance_settle(it->x, &it->step, it->t, 0);
            if (status || alpha > 1e15)
                return status ? status : refuse(it);
            continue;
        }
        const double ratio = it->size > 0 ? size / it->size : 1;
        alpha *= fmin(2, fmax(0.2, 0.8 * ratio));
        it->size = size;
        it->worst = worst;
        it->iterations++;
        memcpy(it->x, it->trial, (size_t)n * sizeof *it->x);
        if (alpha < 1e-9 && size <= acceptable)
            break;
    }
    status = dfl_balance_settle(it->x, &it->step, it->t, 2);
    return status || it->size <= acceptable ? status : refuse(it);
}

/* Names the balance of forces that is worst. */
static dfl_status refuse(search *it)
{
    const dfl_local *local = &it->step.local;
    char name[200];
    dfl_eom_name(name, sizeof name, local->eom, DFL_KIND_V, it->worst);
    return dfl_fail(local->ctx, DFL_NOT_CONVERGED,
                    "no equilibrium was found: after %d iterations the force along %s is still "
                    "%.3g out of balance; start nearer to an equilibrium, or check whether there "
                    "is one",
                    it->iterations, name, fabs(local->f[it->worst]));
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
        if (fabs(blocks->bias[i]) > 1e-7 * speed * speed)
            return dfl_fail(local->ctx, DFL_INCONSISTENT,
                            "the motion is not steady: constraint %s needs accelerations (%.3g); "
                            "use coordinates whose speeds are constant",
                            name, blocks->bias[i]);
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
