/* polish.c: a state that is nearly on the constraints is moved onto them to rounding: positions,
   then velocities with the least change, then w and multipliers from the equations of motion. */
#include "analysis/analysis_internal.h"

#include <string.h>

static dfl_status correct_positions(double *x, dfl_local *local);
static dfl_status correct_velocities(double *x, dfl_local *local);
static dfl_status correct_forces(double *x, dfl_local *local);

dfl_status dfl_state_polish(double *x, dfl_context *ctx, const dfl_eom *eom, double t)
{
    enum { ROUNDS = 2 };
    typedef dfl_status (*stage)(double *x, dfl_local *local);
    static const stage stages[] = {correct_positions, correct_velocities, correct_forces};
    dfl_local local;
    dfl_status status = dfl_local_create(&local, ctx, eom);
    for (int i = 0; i < 3; i++)
        for (int k = 0; !status && k < ROUNDS; k++) {
            status = dfl_local_eval(&local, t, x);
            if (!status)
                status = stages[i](x, &local);
        }
    dfl_local_clear(&local);
    return status;
}

static dfl_status correct_positions(double *x, dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const dfl_blocks *blocks = &local->point.blocks;
    const int m = local->m3, n = eom->ns + eom->np, most = m > n ? m : n;
    const size_t entries = (size_t)m * (size_t)n;
    double *A = dfl_alloc(local->ctx, entries + (size_t)most, sizeof *A);
    if (!A)
        return DFL_NO_MEMORY;
    double *b = A + entries;
    memcpy(A, local->jac.blocks.pos, entries * sizeof *A);
    memcpy(b, blocks->c, (size_t)eom->ns * sizeof *b);
    memcpy(b + eom->ns, blocks->g, (size_t)eom->nl * sizeof *b);
    memcpy(b + eom->ns + eom->nl, blocks->ep, (size_t)eom->nep * sizeof *b);
    const dfl_status status =
        dfl_least_norm(b, local->ctx, m, n, A, 1, DFL_SCALE_ROWS, DFL_ANALYSIS_ZERO, NULL);
    for (int i = 0; !status && i < n; i++)
        x[local->at.s + i] -= b[i];
    dfl_free(local->ctx, A);
    return status;
}

/* gI, hv and the balance along massless directions */
static dfl_status correct_velocities(double *x, dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const dfl_blocks *blocks = &local->point.blocks;
    const int nv = eom->nv, nc = local->nc, n0 = eom->n0, m = nc + n0, most = m > nv ? m : nv;
    const size_t entries = (size_t)m * (size_t)nv;
    double *A = dfl_alloc(local->ctx, entries + (size_t)most, sizeof *A);
    if (!A)
        return DFL_NO_MEMORY;
    double *b = A + entries;
    for (int j = 0; j < nv; j++) {
        memcpy(A + (size_t)j * (size_t)m, blocks->W + (size_t)j * (size_t)nc,
               (size_t)nc * sizeof *A);
        memcpy(A + (size_t)j * (size_t)m + nc,
               local->jac.blocks.gam + (size_t)(local->at.v + j) * (size_t)n0,
               (size_t)n0 * sizeof *A);
    }
    memcpy(b, blocks->gI, (size_t)eom->nl * sizeof *b);
    memcpy(b + eom->nl, blocks->hv, (size_t)eom->nm * sizeof *b);
    memcpy(b + nc, blocks->gam, (size_t)n0 * sizeof *b);
    const dfl_status status =
        dfl_least_norm(b, local->ctx, m, nv, A, 1, DFL_SCALE_ROWS, DFL_ANALYSIS_ZERO, NULL);
    for (int i = 0; !status && i < nv; i++)
        x[local->at.v + i] -= b[i];
    dfl_free(local->ctx, A);
    return status;
}

/* M a - dyn_z z + K0 sigma = f - W^T (l, m), d_z z = -d, W a = -bias for the change z of (w, l, m)
 */
static dfl_status correct_forces(double *x, dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const dfl_blocks *blocks = &local->point.blocks;
    const int nv = eom->nv, nz = eom->nw + local->nc, k = nv + eom->n0 + nz;
    const size_t order = (size_t)k;
    double *S = dfl_alloc(local->ctx, order * order + order, sizeof *S);
    if (!S)
        return DFL_NO_MEMORY;
    double *b = S + order * order;
    dfl_motion_matrix(S, local);
    memcpy(b, local->f, (size_t)nv * sizeof *b);
    for (int i = 0; i < eom->nw; i++)
        b[nv + eom->n0 + i] = -blocks->d[i];
    for (int i = 0; i < local->nc; i++)
        b[nv + eom->n0 + eom->nw + i] = -blocks->bias[i];
    const dfl_status status =
        dfl_least_norm(b, local->ctx, k, k, S, 1, DFL_SCALE_BOTH, DFL_ANALYSIS_ZERO, NULL);
    for (int i = 0; !status && i < nz; i++)
        x[i] += b[nv + eom->n0 + i];
    dfl_free(local->ctx, S);
    return status;
}
