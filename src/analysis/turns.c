/* turns.c: small turns as states, where positions, such as those of a quaternion, move along with a
   steady motion.

   With p' = Z v the changes of positions are p = Z q. Changes q belong to the velocities v; their
   equations follow from y = S z, S = diag(T, I), where T has the rows of Z of the independent
   positions:

       A becomes S^-1 (A S - S'),   S' = diag(T', I),   T' = Z' along the motion.

   Orientations then change in axes that turn with the body, in which a steady motion stands still.
 */
#include "analysis/analysis_internal.h"

#include <string.h>

bool dfl_turns_apply(const dfl_linearized *linear, const dfl_eom *eom)
{
    return linear->kind == DFL_AT_STEADY_MOTION && !eom->trivial_kinematics && eom->nl == 0 &&
           eom->ns == 0 && linear->npositions == eom->nv;
}

/* T and T' (nv x nv each). */
static dfl_status chart(double *T, double *rate, const dfl_linearized *linear, dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const int nv = eom->nv, np = eom->np, p = local->at.p, v = local->at.v, n = local->at.n;
    const size_t row = (size_t)np;
    double *moved = dfl_alloc(local->ctx, (size_t)(n + np), sizeof *moved);
    if (!moved)
        return DFL_NO_MEMORY;
    double *kin = moved + n;
    const double t = local->t, *x = local->x, *Z = local->jac.blocks.kin;
    memcpy(moved, x, (size_t)n * sizeof *x);
    memcpy(kin, local->point.blocks.kin, row * sizeof *kin);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nv; i++)
            T[j * nv + i] = Z[(size_t)j * row + (size_t)(linear->state[i] - p)];
    dfl_status status = DFL_OK;
    for (int j = -1; !status && j < nv; j++) { /* velocities 0, then one of them 1 */
        memset(moved + v, 0, (size_t)nv * sizeof *moved);
        if (j >= 0)
            moved[v + j] = 1;
        status = dfl_local_eval_still(local, t, moved);
        const double *slope = local->jac.blocks.kin + (size_t)(nv + eom->ns) * row;
        for (int i = 0; !status && i < nv; i++) {
            double sum = 0;
            for (int k = 0; k < np; k++)
                sum += slope[(size_t)k * row + (size_t)(linear->state[i] - p)] * kin[k];
            for (int column = j < 0 ? 0 : j; column < (j < 0 ? nv : j + 1); column++)
                rate[column * nv + i] += j < 0 ? -sum : sum;
        }
    }
    dfl_free(local->ctx, moved);
    return status;
}

/* The first nv columns of a matrix with `rows` rows, times T. */
static void times(double *A, int rows, const double *T, int nv, double *work)
{
    memcpy(work, A, (size_t)rows * (size_t)nv * sizeof *A);
    dfl_gemm(rows, nv, nv, 1, work, rows, T, nv, 0, A, rows);
}

/* Solves for the first nv rows of all columns. */
static dfl_status divide(double *A, int ld, int columns, const double *T, int nv, double *work,
                         dfl_context *ctx)
{
    double *copy = work, *side = work + nv * nv;
    int rank = 0;
    memcpy(copy, T, (size_t)nv * (size_t)nv * sizeof *copy);
    for (int j = 0; j < columns; j++)
        memcpy(side + (size_t)j * (size_t)nv, A + (size_t)j * (size_t)ld,
               (size_t)nv * sizeof *side);
    const dfl_status status =
        dfl_least_norm(side, ctx, nv, nv, copy, columns, DFL_SCALE_ROWS, DFL_ANALYSIS_ZERO, &rank);
    for (int j = 0; !status && j < columns; j++)
        memcpy(A + (size_t)j * (size_t)ld, side + (size_t)j * (size_t)nv,
               (size_t)nv * sizeof *side);
    return status ? status : rank == nv ? DFL_OK : DFL_SINGULAR;
}

dfl_status dfl_take_turns(dfl_linearized *out, dfl_local *local)
{
    const int nv = out->nv, ny = out->ny, n = out->n;
    const size_t square = (size_t)nv * (size_t)nv;
    const size_t room = square + (size_t)nv * (size_t)(n + ny + out->nu);
    double *T = dfl_alloc(local->ctx, 2 * square + room, sizeof *T);
    if (!T)
        return DFL_NO_MEMORY;
    double *rate = T + square, *work = rate + square;
    dfl_status status = chart(T, rate, out, local);
    if (!status) {
        times(out->A, ny, T, nv, work);
        times(out->X, n, T, nv, work);
        times(out->X_a, nv, T, nv, work);
        for (int j = 0; j < nv; j++)
            for (int i = 0; i < nv; i++)
                out->A[j * ny + i] -= rate[j * nv + i];
        status = divide(out->A, ny, ny, T, nv, work, local->ctx);
    }
    if (!status && out->nu > 0)
        status = divide(out->B, ny, out->nu, T, nv, work, local->ctx);
    for (int i = 0; i < nv; i++)
        out->state[i] = local->at.v + i;
    out->turns = true;
    dfl_free(local->ctx, T);
    return status;
}
