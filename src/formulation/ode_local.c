/* Local coordinates: dependent coordinates from the constraints.

   With a matrix S (nf x nv) that makes [S; W] regular, S p and S v are coordinates of the
   constraint manifold: given a state, [S; W] dp = (0, -g) and [S; W] dv = (0, -gI, -hv) restore the
   rest. S are unit rows (partition: independent coordinates chosen among p) or an orthonormal basis
   of the tangent plane at the beginning of the step (tangent). A partition is kept while the block
   of W that is inverted for the dependent coordinates is at most twice as bad as the best block
   that column pivoting finds. Steps of a method of order 8 are long, and a step that begins with a
   bad partition may pass its singular position. */
#include "formulation/ode_internal.h"
#include "formulation/projected.h"

#include <math.h>
#include <string.h>

enum { most_iterations = 12 };
static const double much_worse = 2;

/* Corrections that fall at least by this factor converge to the solution next to the given state
   (Newton and Kantorovich), not to another one beyond the end of the chart. */
static const double contraction = 0.25;

static double quality(dfl_ode *ode, const dfl_point *point, const bool *independent);
static void best_partition(bool *independent, dfl_ode *ode, const dfl_point *point);

/* S and the factors of [S; W] at the beginning of a step. */
dfl_outcome dfl_ode_local_begin(dfl_ode *ode, const dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const int nv = sys->n3, nf = ode->nf = nv - ode->saddle.nrows;
    if (ode->form == DFL_TANGENT) {
        const dfl_split_rule rule = {.method = DFL_METHOD_SVD, .rank = ode->saddle.nrows};
        if (!dfl_split_compute(ode->split, &rule, point->blocks.W, sys->nc, sys->nc, nv))
            return dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, point->t);
        for (int i = 0; i < nf; i++)
            for (int j = 0; j < nv; j++)
                ode->S[j * nf + i] = ode->split->N[i * nv + j];
        return DFL_STEP_OK;
    }
    bool *other = ode->other;
    dfl_ode_chosen_partition(other, ode, point);
    if (!dfl_coordinates_are_fixed(ode->options)) {
        const double best = quality(ode, point, other);
        if (ode->chosen && quality(ode, point, ode->independent) * much_worse >= best)
            return DFL_STEP_OK;
        ode->sys->stats->selector_computations++;
    }
    memcpy(ode->independent, other, (size_t)nv * sizeof *other);
    ode->chosen = true;
    dfl_ode_partition_rows(ode->S, ode, other);
    return DFL_STEP_OK;
}

void dfl_ode_chosen_partition(bool *independent, dfl_ode *ode, const dfl_point *point)
{
    const bool *given = ode->options->constraints.independent;
    if (given)
        memcpy(independent, given + dfl_eom_layout(ode->sys->eom).v,
               (size_t)ode->sys->n3 * sizeof *independent);
    else
        best_partition(independent, ode, point);
}

void dfl_ode_partition_rows(double *S, const dfl_ode *ode, const bool *independent)
{
    const dfl_constraint_options *c = &ode->options->constraints;
    const int nv = ode->sys->n3, nf = ode->nf;
    memset(S, 0, (size_t)(nf * nv) * sizeof *S);
    for (int j = 0, i = 0; c->ncombinations == 0 && j < nv && i < nf; j++)
        if (independent[j])
            S[j * nf + i++] = 1;
    if (c->ncombinations > 0)
        dfl_orthonormal_rows(S, nf, nv, c->combinations, nv, NULL);
}

/* Chooses columns of W by Gram and Schmidt with pivoting: they belong to dependent coordinates. */
static void best_partition(bool *independent, dfl_ode *ode, const dfl_point *point)
{
    const int nc = ode->sys->nc, nv = ode->sys->n3, rank = ode->saddle.nrows;
    for (int j = 0; j < nv; j++)
        independent[j] = true;
    memcpy(ode->rows, point->blocks.W, (size_t)(nc * nv) * sizeof *ode->rows);
    dfl_choose_vectors(ode->dependent, rank, ode->rows, nv, nc, nc, 1, NULL);
    for (int k = 0; k < rank; k++)
        independent[ode->dependent[k]] = false;
}

/* How far the block of W that belongs to the dependent coordinates is from being singular: the
   smallest entry of its QR decomposition. (Its condition number would be 1 for every single
   constraint.) */
static double quality(dfl_ode *ode, const dfl_point *point, const bool *independent)
{
    const int nc = ode->sys->nc, nv = ode->sys->n3, rank = ode->saddle.nrows;
    double *A = ode->rows;
    int column = 0;
    for (int j = 0; j < nv; j++) {
        if (independent[j])
            continue;
        for (int i = 0; i < rank && column < rank; i++)
            A[column * rank + i] = point->blocks.W[j * nc + ode->saddle.row[i]];
        column++;
    }
    const dfl_split_rule rule = {.method = DFL_METHOD_QR, .tolerance = 1e-15, .rank = -1};
    if (column != rank || !dfl_split_compute(ode->split, &rule, A, rank, rank, rank))
        return 0;
    return rank > 0 ? ode->split->smallest : 1;
}

dfl_outcome dfl_ode_local_factor(dfl_ode *ode, const dfl_point *point)
{
    const int nc = ode->sys->nc, nv = ode->sys->n3, nf = ode->nf;
    double *A = dfl_factor_matrix(ode->local);
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nf; i++)
            A[j * nv + i] = ode->S[j * nf + i];
        for (int k = nf; k < nv; k++)
            A[j * nv + k] = point->blocks.W[j * nc + ode->saddle.row[k - nf]];
    }
    if (!dfl_factor_compute(ode->local, nv, DFL_METHOD_LU))
        return dfl_system_part_trouble(ode->sys, DFL_STEP_SINGULAR, DFL_FAILURE_POSITION, point->t);
    return DFL_STEP_OK;
}

double dfl_ode_local_correction(dfl_ode *ode, const double *rows, int count)
{
    const int nv = ode->sys->n3;
    double size = 0;
    memset(ode->change, 0, (size_t)nv * sizeof(double));
    for (int k = ode->nf; k < nv; k++) {
        const int row = ode->saddle.row[k - ode->nf];
        ode->change[k] = row < count ? -rows[row] : 0;
    }
    dfl_factor_solve(ode->local, ode->change);
    for (int i = 0; i < nv; i++)
        size = fmax(size, fabs(ode->change[i]));
    return size;
}

dfl_outcome dfl_ode_local_complete(dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const int nv = sys->n3, nl = sys->eom->nl;
    double *p = point->x + sys->at.p, *v = point->x + sys->at.v, last = INFINITY;
    for (int it = 0; it < most_iterations; it++) {
        dfl_outcome outcome =
            dfl_system_eval_blocks(sys, point, DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS);
        if (!outcome)
            outcome = dfl_ode_local_factor(ode, point);
        if (outcome)
            return outcome;
        const double size = dfl_ode_local_correction(ode, point->blocks.g, nl);
        if (!(size < 1e10))
            break;
        if (size <= 1e-15 || (size <= 1e-10 && size >= 0.5 * last)) {
            dfl_ode_local_correction(ode, point->blocks.gI, sys->nc);
            for (int i = 0; i < nv; i++)
                v[i] += ode->change[i];
            return DFL_STEP_OK;
        }
        if (it > 0 && size > 1e-10 && size > contraction * last)
            break; /* another solution may be as close as the right one */
        for (int i = 0; i < nv; i++)
            p[i] += ode->change[i];
        last = size;
    }
    sys->trouble.outcome = DFL_STEP_OK;
    return DFL_STEP_RETRY;
}
