/* Separation of coordinates (Kurz, Burkhardt and Eberhard 2011, (17) to (19)).

   All coordinates and velocities are integrated. Rates of coordinates come from the independent
   velocities T v alone, [T; W] v~ = (T v, -theta), which is v~ = v + dv with [T; W] dv = (0, -gI,
   -hv); accelerations, (18), are those of the saddle system at v~. T (nf x nv) holds unit rows, the
   velocities that the user names or pivoting chooses, or an orthonormal basis of the free
   directions (selectors), or the user's combinations. It is kept, renewed at the beginning of a
   step when it has become twice as bad as the best T, or recomputed at each evaluation (renewal).
   An orthonormal basis that is recomputed always is the form qr. */
#include "formulation/ode_internal.h"

#include <string.h>

static const double much_worse = 2;

static bool is_kept(const dfl_ode *ode);
static dfl_outcome free_directions(dfl_ode *ode, const dfl_point *point);
static void choose(double *T, dfl_ode *ode, const dfl_point *point);
static double quality(dfl_ode *ode, const double *T);

dfl_outcome dfl_ode_separation_begin(dfl_ode *ode, const dfl_point *point)
{
    ode->nf = ode->sys->n3 - ode->saddle.nrows;
    if (ode->chosen && is_kept(ode))
        return DFL_STEP_OK;
    const dfl_outcome outcome = free_directions(ode, point);
    if (outcome)
        return outcome;
    const size_t size = (size_t)(ode->nf * ode->sys->n3) * sizeof(double);
    choose(ode->candidate, ode, point);
    if (ode->chosen && quality(ode, ode->S) * much_worse >= quality(ode, ode->candidate))
        return DFL_STEP_OK;
    memcpy(ode->S, ode->candidate, size);
    ode->sys->stats->selector_computations++;
    ode->chosen = true;
    return DFL_STEP_OK;
}

dfl_outcome dfl_ode_separate(dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const int nv = sys->n3;
    double *v = point->x + sys->at.v;
    dfl_outcome outcome = dfl_system_eval_blocks(sys, point, DFL_DIRECTIONS | DFL_VELOCITY);
    if (!outcome && (!ode->chosen || ode->options->constraints.renewal == DFL_RENEW_ALWAYS)) {
        ode->nf = nv - ode->saddle.nrows;
        outcome = free_directions(ode, point);
        if (!outcome)
            choose(ode->S, ode, point);
        ode->chosen = true;
    }
    if (!outcome)
        outcome = dfl_ode_local_factor(ode, point);
    if (outcome)
        return outcome;
    dfl_ode_local_correction(ode, point->blocks.gI, sys->nc);
    for (int i = 0; i < nv; i++)
        v[i] += ode->change[i];
    return DFL_STEP_OK;
}

/* T never changes once it is there. */
static bool is_kept(const dfl_ode *ode)
{
    const dfl_constraint_options *c = &ode->options->constraints;
    return dfl_coordinates_are_fixed(ode->options) || c->renewal == DFL_RENEW_NEVER;
}

/* split->N := an orthonormal basis of the kernel of W. */
static dfl_outcome free_directions(dfl_ode *ode, const dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const dfl_split_rule rule = {.method = DFL_METHOD_SVD, .rank = ode->saddle.nrows};
    if (!dfl_split_compute(ode->split, &rule, point->blocks.W, sys->nc, sys->nc, sys->n3))
        return dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, point->t);
    return DFL_STEP_OK;
}

static void choose(double *T, dfl_ode *ode, const dfl_point *point)
{
    const dfl_constraint_options *c = &ode->options->constraints;
    const int nv = ode->sys->n3, nf = ode->nf;
    if (dfl_coordinates_are_fixed(ode->options) || c->selectors == DFL_UNIT) {
        dfl_ode_chosen_partition(ode->other, ode, point);
        dfl_ode_partition_rows(T, ode, ode->other);
        return;
    }
    for (int i = 0; i < nf; i++)
        for (int j = 0; j < nv; j++)
            T[j * nf + i] = ode->split->N[i * nv + j];
}

/* The smallest singular value of T N: at most 1, the cosine of the largest angle between what T
   measures and the free directions. */
static double quality(dfl_ode *ode, const double *T)
{
    const int nv = ode->sys->n3, nf = ode->nf;
    const dfl_split_rule rule = {.method = DFL_METHOD_SVD, .tolerance = 0, .rank = nf};
    if (nf == 0)
        return 1;
    dfl_gemm(nf, nf, nv, 1, T, nf, ode->split->N, nv, 0, ode->rows, nf);
    return dfl_split_compute(ode->angles, &rule, ode->rows, nf, nf, nf) ? ode->angles->smallest : 0;
}
