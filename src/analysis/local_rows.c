/* local_rows.c: all rows of a model and their derivatives at one state. */
#include "analysis/analysis_internal.h"

#include <string.h>

static dfl_status eval_rows(dfl_local *local, double t, const double *x);
static dfl_status eval_slopes(dfl_local *local);
static dfl_status solve_accelerations(dfl_local *local);

dfl_status dfl_local_create(dfl_local *out, dfl_context *ctx, const dfl_eom *eom)
{
    const size_t nv = (size_t)(eom->nv > 0 ? eom->nv : 0);
    memset(out, 0, sizeof *out);
    out->ctx = ctx;
    out->eom = eom;
    dfl_status status = dfl_eom_check(ctx, eom);
    if (!status && (eom->contract == DFL_GEOMS || eom->no_bias))
        status = dfl_fail(ctx, DFL_INVALID,
                          "analyses need a model in the native contract, with W and bias");
    else if (!status && eom->sparsity)
        status = dfl_fail(ctx, DFL_INVALID,
                          "linear equations need dense matrices: a model without sparsity");
    if (status)
        return status;
    out->at = dfl_eom_layout(eom);
    out->nc = eom->nl + eom->nm;
    out->m3 = eom->ns + eom->nl + eom->nep;
    out->a = dfl_alloc(ctx, nv, sizeof *out->a);
    out->M = dfl_alloc(ctx, nv * nv, sizeof *out->M);
    out->f = dfl_alloc(ctx, 2 * nv, sizeof *out->f);
    if (!out->a || !out->M || !out->f)
        return DFL_NO_MEMORY;
    status = dfl_system_init(&out->sys, ctx, eom, false, &out->counters);
    if (!status)
        status = dfl_rows_jacobian_init(&out->jac, &out->sys);
    return status ? status : dfl_point_init(&out->point, &out->sys);
}

void dfl_local_clear(dfl_local *local)
{
    dfl_context *ctx = local->ctx;
    if (!ctx)
        return;
    dfl_free(ctx, local->a);
    dfl_free(ctx, local->M);
    dfl_free(ctx, local->f);
    dfl_rows_jacobian_clear(&local->jac, ctx);
    dfl_point_clear(&local->point, ctx);
    if (local->sys.ctx)
        dfl_system_clear(&local->sys);
    memset(local, 0, sizeof *local);
}

dfl_status dfl_local_eval(dfl_local *local, double t, const double *x)
{
    dfl_status status = eval_rows(local, t, x);
    if (!status)
        status = solve_accelerations(local);
    return status ? status : eval_slopes(local);
}

dfl_status dfl_local_eval_still(dfl_local *local, double t, const double *x)
{
    const dfl_status status = eval_rows(local, t, x);
    memset(local->a, 0, (size_t)local->eom->nv * sizeof *local->a);
    return status ? status : eval_slopes(local);
}

/* Blocks and M. */
static dfl_status eval_rows(dfl_local *local, double t, const double *x)
{
    const dfl_eom *eom = local->eom;
    dfl_system *sys = &local->sys;
    const int nv = eom->nv;
    local->t = t;
    local->x = x;
    const dfl_status status = dfl_system_decide(sys, t, x, true);
    if (status)
        return status;
    dfl_rows_jacobian_bind(&local->jac, sys);
    dfl_point_bind(&local->point, sys);
    dfl_point *point = &local->point;
    point->t = t;
    memset(point->x, 0, (size_t)sys->na * sizeof *x);
    memcpy(point->x + sys->na, x, (size_t)sys->nu * sizeof *x);
    dfl_outcome outcome = dfl_system_eval_checked(sys, point);
    if (!outcome) /* the second half of f is zero */
        outcome = dfl_system_dynamics(local->f, sys, point, local->f + nv);
    if (!outcome)
        outcome = dfl_system_mass(local->M, sys, t, x);
    for (int j = nv - 1; sys->mass.diagonal && j >= 0; j--) { /* to a matrix, from the end */
        const double mass = local->M[j];
        memset(local->M + (size_t)j * (size_t)nv, 0, (size_t)nv * sizeof mass);
        local->M[(size_t)j * (size_t)nv + (size_t)j] = mass;
    }
    return outcome ? dfl_local_refuse(local->ctx, &local->sys, outcome, local->t) : DFL_OK;
}

static dfl_status eval_slopes(dfl_local *local)
{
    const dfl_outcome outcome =
        dfl_system_jacobian(&local->jac, &local->sys, local->t, local->point.x, local->a);
    return outcome ? dfl_local_refuse(local->ctx, &local->sys, outcome, local->t) : DFL_OK;
}

/* M a = f - W^T (l, m), W a = -bias, K0^T a = 0: they agree. */
static dfl_status solve_accelerations(dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const dfl_blocks *blocks = &local->point.blocks;
    const int nv = eom->nv, nc = local->nc, n0 = eom->n0, m = nv + nc + n0;
    double *A = dfl_alloc(local->ctx, (size_t)m * (size_t)nv, sizeof *A);
    double *b = dfl_alloc(local->ctx, (size_t)m, sizeof *b);
    dfl_status status = A && b ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        for (int j = 0; j < nv; j++) {
            double *column = A + (size_t)j * (size_t)m;
            memcpy(column, local->M + (size_t)j * (size_t)nv, (size_t)nv * sizeof *A);
            memcpy(column + nv, blocks->W + (size_t)j * (size_t)nc, (size_t)nc * sizeof *A);
            for (int k = 0; k < n0; k++)
                column[nv + nc + k] = blocks->K0[k * nv + j];
        }
        memcpy(b, local->f, (size_t)nv * sizeof *b);
        for (int i = 0; i < nc; i++)
            b[nv + i] = -blocks->bias[i];
        status =
            dfl_least_norm(b, local->ctx, m, nv, A, 1, DFL_SCALE_ROWS, DFL_ANALYSIS_ZERO, NULL);
    }
    if (!status)
        memcpy(local->a, b, (size_t)nv * sizeof *b);
    dfl_free(local->ctx, A);
    dfl_free(local->ctx, b);
    return status;
}

dfl_status dfl_local_refuse(dfl_context *ctx, const dfl_system *sys, dfl_outcome outcome, double t)
{
    char name[200];
    dfl_system_trouble_name(name, sizeof name, sys);
    if (outcome == DFL_STEP_NONFINITE)
        return dfl_fail(ctx, DFL_NOT_FINITE, "%s is not finite at t = %g", name, t);
    return dfl_fail(ctx, DFL_CALLBACK, "%s failed at t = %g",
                    sys->trouble.callback ? sys->trouble.callback : "the model", t);
}

dfl_status dfl_local_inputs(dfl_input_slopes *out, const dfl_local *local, const dfl_inputs *inputs)
{
    const dfl_eom *eom = local->eom;
    const size_t nu = inputs ? (size_t)inputs->nu : 0, nv = (size_t)eom->nv, nr = (size_t)eom->nr;
    out->dyn = dfl_alloc(local->ctx, nu * (nv + nr + (size_t)eom->nw) + 1, sizeof(double));
    if (!out->dyn)
        return DFL_NO_MEMORY;
    out->b = out->dyn + nu * nv;
    out->d = out->b + nu * nr;
    if (nu == 0)
        return DFL_OK;
    if (inputs->slopes(out, local->t, local->x, local->a, inputs->user))
        return dfl_fail(local->ctx, DFL_CALLBACK, "the derivatives by inputs failed at t = %g",
                        local->t);
    for (size_t i = 0; i < nu * (nv + nr + (size_t)eom->nw); i++)
        if (!isfinite(out->dyn[i]))
            return dfl_fail(local->ctx, DFL_NOT_FINITE,
                            "a derivative by an input is not finite at t = %g", local->t);
    return DFL_OK;
}
