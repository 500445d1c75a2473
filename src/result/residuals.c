/* residuals.c: how far one state is from every constraint.

   The solver keeps only the largest residuals of a run. For a file that shows them along the run they are
   evaluated again after each step:  g, gI, hv, c, d, (e, ep), gam  as the model gives them, and
   W a + bias  with  M a = f - W^T (l, m). */
#include "result/residuals.h"

#include "eom/accelerations.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

struct dfl_residuals {
    dfl_context *ctx;
    const dfl_eom *eom;
    bool accelerations;
    dfl_blocks blocks;
    double *store; /* of all blocks */
    double *a;     /* nv */
    dfl_accelerations *motion;
};

static void place_blocks(dfl_residuals *residuals);
static double largest(const double *rows, int n);
static double acceleration(dfl_residuals *residuals, double t, const double *x);

dfl_status dfl_residuals_create(dfl_residuals **out, dfl_context *ctx, const dfl_eom *eom,
                                bool accelerations)
{
    *out = NULL;
    dfl_residuals *residuals = dfl_alloc(ctx, 1, sizeof *residuals);
    if (!residuals)
        return DFL_NO_MEMORY;
    const size_t nv = (size_t)eom->nv, nc = (size_t)(eom->nl + eom->nm);
    const size_t rows = (size_t)(eom->np + eom->nr + eom->nw + eom->ns + 2 * eom->nl + eom->nep +
                                 eom->nm + eom->ne + eom->n0);
    residuals->ctx = ctx;
    residuals->eom = eom;
    residuals->accelerations = accelerations && nc > 0;
    residuals->store =
        dfl_alloc(ctx, rows + nv + nc + nc * nv + nv * (size_t)eom->n0, sizeof(double));
    residuals->a = dfl_alloc(ctx, nv, sizeof(double));
    dfl_status status = residuals->store && residuals->a
                            ? dfl_accelerations_create(&residuals->motion, ctx, eom, false)
                            : DFL_NO_MEMORY;
    if (status) {
        dfl_residuals_free(residuals);
        return status;
    }
    place_blocks(residuals);
    *out = residuals;
    return DFL_OK;
}

void dfl_residuals_free(dfl_residuals *residuals)
{
    if (!residuals)
        return;
    dfl_context *ctx = residuals->ctx;
    dfl_accelerations_free(residuals->motion);
    dfl_free(ctx, residuals->store);
    dfl_free(ctx, residuals->a);
    dfl_free(ctx, residuals);
}

void dfl_residuals_eval(double levels[DFL_LEVELS], dfl_residuals *residuals, double t,
                        const double *x)
{
    const dfl_eom *eom = residuals->eom;
    const dfl_blocks *b = &residuals->blocks;
    unsigned need = DFL_POSITION | DFL_VELOCITY | DFL_AUXILIARY;
    if (residuals->accelerations)
        need |= DFL_FORCE | DFL_DIRECTIONS | DFL_BIAS;
    for (int i = 0; i < DFL_LEVELS; i++)
        levels[i] = NAN;
    if (eom->eval(&residuals->blocks, t, x, need, eom->user))
        return;
    levels[0] = largest(b->g, eom->nl);
    levels[1] = largest(b->gI, eom->nl);
    if (residuals->accelerations)
        levels[2] = acceleration(residuals, t, x);
    levels[3] = largest(b->hv, eom->nm);
    levels[4] = largest(b->c, eom->ns);
    levels[5] = largest(b->d, eom->nw);
    levels[6] = fmax(largest(b->e, eom->ne), largest(b->ep, eom->nep));
    levels[7] = largest(b->gam, eom->n0);
}

static void place_blocks(dfl_residuals *residuals)
{
    const dfl_eom *eom = residuals->eom;
    const int nc = eom->nl + eom->nm;
    dfl_blocks *b = &residuals->blocks;
    double **const block[] = {&b->kin, &b->f,  &b->b, &b->d,   &b->c, &b->g,  &b->ep,
                              &b->gI,  &b->hv, &b->e, &b->gam, &b->W, &b->K0, &b->bias};
    const int size[] = {eom->np, eom->nv,      eom->nr,           eom->nw, eom->ns,
                        eom->nl, eom->nep,     eom->nl,           eom->nm, eom->ne,
                        eom->n0, nc * eom->nv, eom->nv * eom->n0, nc};
    double *next = residuals->store;
    for (int i = 0; i < 14; i++) {
        *block[i] = next;
        next += size[i];
    }
}

/* NAN if there are no rows (fmax takes the other argument then). */
static double largest(const double *rows, int n)
{
    double most = n > 0 ? 0 : NAN;
    for (int i = 0; i < n; i++)
        most = isnan(rows[i]) ? INFINITY : fmax(most, fabs(rows[i]));
    return most;
}

static double acceleration(dfl_residuals *residuals, double t, const double *x)
{
    const dfl_eom *eom = residuals->eom;
    const dfl_blocks *b = &residuals->blocks;
    const int nv = eom->nv, nc = eom->nl + eom->nm;
    double *a = residuals->a, *rows = b->bias;
    if (!dfl_accelerations_solve(a, residuals->motion, b, t, x))
        return NAN;
    dfl_gemm(nc, 1, nv, 1, b->W, nc, a, nv, 1, rows, nc);
    return largest(rows, nc);
}
