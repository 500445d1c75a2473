/* Selectors of the user at both ends of a step (see end_selectors.h). */
#include "formulation/end_selectors.h"

#include <string.h>

static bool take_mean(double *S, double *dS, dfl_split *split, const double *S0, int rows, int n,
                      bool *differ);
static void add_rows(double *rho, dfl_end_selectors *ends, const double *dS, const dfl_split *split,
                     int rows, int n, int width);

dfl_status dfl_end_selectors_init(dfl_end_selectors *ends, const dfl_system *sys)
{
    const int np = sys->eom->np, nv = sys->n3, larger = np > nv ? np : nv;
    const size_t d = sizeof(double);
    dfl_context *ctx = sys->ctx;
    ends->dSp = dfl_alloc(ctx, (size_t)np * (size_t)np, d);
    ends->dSv = dfl_alloc(ctx, (size_t)nv * (size_t)nv, d);
    ends->f0 = dfl_alloc(ctx, (size_t)larger, d);
    ends->f1 = dfl_alloc(ctx, (size_t)larger, d);
    ends->add = dfl_alloc(ctx, (size_t)larger, d);
    if (!ends->dSp || !ends->dSv || !ends->f0 || !ends->f1 || !ends->add)
        return DFL_NO_MEMORY;
    dfl_status status = dfl_split_create(&ends->Sp, ctx, np, np);
    return status ? status : dfl_split_create(&ends->Sv, ctx, nv, nv);
}

void dfl_end_selectors_clear(dfl_end_selectors *ends, dfl_context *ctx)
{
    dfl_free(ctx, ends->dSp);
    dfl_free(ctx, ends->dSv);
    dfl_free(ctx, ends->f0);
    dfl_free(ctx, ends->f1);
    dfl_free(ctx, ends->add);
    dfl_split_free(ends->Sp, ctx);
    dfl_split_free(ends->Sv, ctx);
}

bool dfl_end_selectors_mean(dfl_end_selectors *ends, const dfl_system *sys, double *Sp, double *Sv,
                            const double *Sp0, const double *Sv0, int nfp, int nfv)
{
    ends->differ = false;
    ends->nfp = nfp;
    ends->nfv = nfv;
    return take_mean(Sp, ends->dSp, ends->Sp, Sp0, nfp, sys->eom->np, &ends->differ) &&
           take_mean(Sv, ends->dSv, ends->Sv, Sv0, nfv, sys->n3, &ends->differ);
}

/* S := (S + S0)/2, dS := S - S0 */
static bool take_mean(double *S, double *dS, dfl_split *split, const double *S0, int rows, int n,
                      bool *differ)
{
    const dfl_split_rule rule = {.method = DFL_METHOD_QR, .tolerance = 1e-8, .rank = -1};
    for (int i = 0; i < rows * n; i++) {
        dS[i] = S[i] - S0[i];
        S[i] = 0.5 * (S[i] + S0[i]);
        *differ = *differ || dS[i] != 0;
    }
    return rows == 0 || !*differ ||
           (dfl_split_compute(split, &rule, S, rows, rows, n) && split->rank == rows);
}

dfl_outcome dfl_end_selectors_add(double *rho_p, double *rho_v, dfl_end_selectors *ends,
                                  dfl_system *sys, const dfl_point *start, const dfl_point *end,
                                  int width, bool accelerations)
{
    const int np = sys->eom->np, nv = sys->n3;
    dfl_outcome outcome = DFL_STEP_OK;
    memcpy(ends->f0, start->blocks.kin, (size_t)np * sizeof(double));
    memcpy(ends->f1, end->blocks.kin, (size_t)np * sizeof(double));
    add_rows(rho_p, ends, ends->dSp, ends->Sp, ends->nfp, np, width);
    if (accelerations) {
        memcpy(ends->f0, start->a, (size_t)nv * sizeof(double));
        memcpy(ends->f1, end->a, (size_t)nv * sizeof(double));
    } else {
        memset(ends->add, 0, (size_t)nv * sizeof(double));
        outcome = dfl_system_dynamics(ends->f0, sys, start, ends->add);
        if (!outcome)
            outcome = dfl_system_dynamics(ends->f1, sys, end, ends->add);
    }
    if (!outcome)
        add_rows(rho_v, ends, ends->dSv, ends->Sv, ends->nfv, nv, width);
    return outcome;
}

/* rho += S^+ dS (f1 - f0)/2 */
static void add_rows(double *rho, dfl_end_selectors *ends, const double *dS, const dfl_split *split,
                     int rows, int n, int width)
{
    for (int i = 0; i < n; i++)
        ends->f1[i] = 0.5 * (ends->f1[i] - ends->f0[i]);
    dfl_gemm(rows, 1, n, 1, dS, rows, ends->f1, n, 0, ends->f0, rows);
    dfl_gemm(n, 1, rows, 1, split->R, n, ends->f0, rows, 0, ends->add, n);
    for (int i = 0; rows > 0 && i < n; i++)
        rho[i * width] += ends->add[i];
}
