/* impulses.c: the impulses that belong to a jump of the velocities.

   In M (v+ - v-) = P - W^T L + S^T Q the rows of velocities that are not assigned give the impulses
   L of the constraints, those that are assigned then give Q. */
#include "initial/initial_internal.h"

#include <math.h>
#include <string.h>

dfl_status dfl_impulses_init(dfl_impulses *impulses, const dfl_initial *init)
{
    dfl_context *ctx = init->sys.ctx;
    const size_t nv = (size_t)init->sys.n3, nc = (size_t)init->sys.nc, d = sizeof(double);
    impulses->rows = dfl_alloc(ctx, nc, d);
    impulses->along = dfl_alloc(ctx, nv, d);
    if (!impulses->rows || !impulses->along)
        return DFL_NO_MEMORY;
    if (init->sys.packed)
        return DFL_OK;
    impulses->A = dfl_alloc(ctx, nv * nc, d);
    impulses->needed = dfl_alloc(ctx, nv, d);
    if (!impulses->A || !impulses->needed)
        return DFL_NO_MEMORY;
    return nc > 0 && nv > 0 ? dfl_lstsq_create(&impulses->lstsq, ctx, (int)nv, (int)nc) : DFL_OK;
}

void dfl_impulses_clear(dfl_impulses *impulses, dfl_context *ctx)
{
    dfl_free(ctx, impulses->rows);
    dfl_free(ctx, impulses->along);
    dfl_free(ctx, impulses->A);
    dfl_free(ctx, impulses->needed);
    dfl_lstsq_free(impulses->lstsq, ctx);
}

bool dfl_initial_has_momentum(dfl_initial *init, double t, const double *x, const double *dv)
{
    const int nv = init->sys.n3;
    if (init->sys.packed || dfl_initial_full_mass(init, t, x))
        return true;
    const double least = 1e-12 * dfl_max_abs(init->L, nv * nv) * dfl_max_abs(dv, nv);
    for (int i = 0; i < nv; i++) {
        double momentum = 0;
        for (int j = 0; j < nv; j++)
            momentum += init->L[j * nv + i] * dv[j];
        if (fabs(momentum) > least)
            return true;
    }
    return false;
}

/* along := M (v+ - v-) */
static bool change_of_momenta(dfl_impulses *impulses, dfl_initial *init, double t, const double *x,
                              const dfl_jump *jump)
{
    const dfl_system *sys = &init->sys;
    const int nv = sys->n3, first = sys->at.v - sys->na;
    if (dfl_initial_full_mass(init, t, x))
        return false;
    memset(impulses->along, 0, (size_t)nv * sizeof *impulses->along);
    for (int j = 0; j < nv; j++) {
        const double change = x[first + j] - jump->before[first + j];
        for (int i = 0; i < nv; i++)
            impulses->along[i] += init->L[j * nv + i] * change;
    }
    return true;
}

bool dfl_impulses_take(dfl_impulses *impulses, dfl_initial *init, double t, const double *x,
                       const dfl_jump *jump)
{
    const dfl_system *sys = &init->sys;
    const int nv = sys->n3, nc = sys->nc;
    const bool *held = jump->assigned + (sys->at.v - sys->na);
    double *along = impulses->along, *rows = impulses->rows;
    if (sys->packed)
        return !dfl_packed_impulses(rows, along, init, jump);
    if (!change_of_momenta(impulses, init, t, x, jump))
        return false;
    const dfl_point *point = dfl_initial_evaluate(init, t, NULL);
    if (!point)
        return false;
    const double *W = point->blocks.W;
    int n = 0;
    for (int i = 0; i < nv; i++)
        if (!held[i])
            impulses->needed[n++] = jump->impulse[i] - along[i];
    for (int k = 0; k < nc; k++)
        for (int i = 0, row = 0; i < nv; i++)
            if (!held[i])
                impulses->A[k * n + row++] = W[i * nc + k];
    memset(rows, 0, (size_t)nc * sizeof *rows);
    if (n > 0 && nc > 0 &&
        !dfl_lstsq_solve(rows, impulses->lstsq, n, nc, impulses->A, impulses->needed, 1e-10, NULL))
        return false;
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < nc; k++)
            along[i] += W[i * nc + k] * rows[k];
        if (!held[i])
            along[i] = jump->impulse[i];
    }
    return true;
}
