/* state_blocks.c: all blocks of the equations at one state, in separate memory: for reports and
   decisions, not for speed. */
#include "engine/engine_internal.h"

#include <string.h>

static dfl_status allocate(double **out, const size_t *size, int count, dfl_context *ctx);

dfl_status dfl_state_blocks_create(dfl_blocks *out, dfl_runnable *run, unsigned need, double t,
                                   const double *x)
{
    const dfl_equations *eq = run->eq;
    const size_t nv = (size_t)eq->nv, nc = (size_t)(eq->nl + eq->nm);
    const size_t size[OUT_BLOCKS] = {[OUT_KIN] = (size_t)eq->np,     [OUT_F] = nv,
                                     [OUT_B] = (size_t)eq->nr,       [OUT_D] = (size_t)eq->nw,
                                     [OUT_C] = (size_t)eq->ns,       [OUT_G] = (size_t)eq->nl,
                                     [OUT_EP] = (size_t)eq->nep,     [OUT_GI] = (size_t)eq->nl,
                                     [OUT_HV] = (size_t)eq->nm,      [OUT_E] = (size_t)eq->ne,
                                     [OUT_GAM] = (size_t)eq->n0,     [OUT_W] = nc * nv,
                                     [OUT_K0] = nv * (size_t)eq->n0, [OUT_BIAS] = nc};
    double *arrays[OUT_BLOCKS];
    dfl_status status = allocate(arrays, size, OUT_BLOCKS, run->ctx);
    memcpy(out, arrays, sizeof *out);
    if (!status && run->packed && need & DFL_DIRECTIONS) {
        status = dfl_unpack_directions(out->W, out->K0, run, t, x);
        need &= ~(unsigned)DFL_DIRECTIONS;
    }
    if (!status)
        run->eom.eval(out, t, x, need, run);
    return status;
}

void dfl_state_blocks_free(dfl_blocks *blocks, const dfl_runnable *run)
{
    dfl_free(run->ctx, blocks->kin);
    *blocks = (dfl_blocks){0};
}

dfl_status dfl_state_jacobian_create(dfl_jacobian *out, dfl_runnable *run, double t,
                                     const double *x, const double *a)
{
    const dfl_equations *eq = run->eq;
    const size_t n = (size_t)eq->n, nv = (size_t)eq->nv, np = (size_t)eq->np;
    const size_t nc = (size_t)(eq->nl + eq->nm), sp = (size_t)(eq->ns + eq->np);
    const size_t size[JACOBIAN_BLOCKS] = {(size_t)eq->nw * n,
                                          nc * n,
                                          (nc + (size_t)eq->ne) * (nv + sp),
                                          (size_t)eq->n0 * n,
                                          (size_t)(eq->ns + eq->nl + eq->nep) * sp,
                                          (size_t)eq->nr * n,
                                          nv * n,
                                          np * (nv + sp)};
    double *arrays[JACOBIAN_BLOCKS];
    const dfl_status status = allocate(arrays, size, JACOBIAN_BLOCKS, run->ctx);
    memcpy(out, arrays, sizeof *out);
    if (!status && run->packed)
        return dfl_unpack_jacobian(arrays, run, t, x, a);
    if (!status)
        run->eom.jacobian(out, t, x, a, run);
    return status;
}

void dfl_state_jacobian_free(dfl_jacobian *jacobian, const dfl_runnable *run)
{
    dfl_free(run->ctx, jacobian->d);
    *jacobian = (dfl_jacobian){0};
}

/* One block of memory for all arrays, which the first one owns. */
static dfl_status allocate(double **out, const size_t *size, int count, dfl_context *ctx)
{
    size_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += size[i];
    double *next = dfl_alloc(ctx, sum + 1, sizeof *next);
    for (int i = 0; i < count; i++) {
        out[i] = next;
        next += next ? size[i] : 0;
    }
    return out[0] ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_state_balance_rate(double *rows, double *drift, dfl_runnable *run, double t,
                            const double *x)
{
    dfl_tree_engine_balance_rate(rows, drift, run->tree, t, x);
}
