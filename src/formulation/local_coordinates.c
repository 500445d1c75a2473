/* Local coordinates of the forms tangent and partition (Petzold, Potra (5.4)): how good they are.

   Positions are parametrised by q = A^T p, velocities by A^T v. The rows A^T = Sp and Sv have unit
   length and are orthogonal to each other. With an orthonormal basis K of the free directions, the
   smallest singular value of A^T K, at most 1, is the cosine of the largest angle between both
   spaces; the coordinates amplify errors by its inverse. They are kept until this is twice as bad
   as with the best choice: K itself for tangent planes, the choice of pivoting for partitions; a
   partition or a matrix A of the user is kept. (Ten
   times, which is usual for explicit methods, costs a digit on a pendulum and saves nothing.) */
#include "formulation/projected.h"

#include <string.h>

static const double worse = 2;
static const double singular = 1e-8;

static double quality(dfl_projected *form, const double *S, int rows, const double *Q, int n);

/* Orthonormal rows of the free positions and velocities. */
static void free_directions(double *Qp, double *Qv, const dfl_projected *form)
{
    const int ns = form->base.sys->eom->ns, np = form->base.sys->eom->np, nv = form->base.sys->n3;
    dfl_orthonormal_rows(Qp, form->newton.nfp, np, form->dense.split3->N + ns, form->base.sys->n4,
                         NULL);
    dfl_orthonormal_rows(Qv, form->newton.nsv, nv, form->dense.split2->N, nv, NULL);
}

/* The smallest singular value of S Q^T, both rows x n. */
static double quality(dfl_projected *form, const double *S, int rows, const double *Q, int n)
{
    const dfl_split_rule rule = {.method = DFL_METHOD_SVD, .tolerance = 0, .rank = rows};
    double *A = form->dense.work;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < rows; i++) {
            double dot = 0;
            for (int k = 0; k < n; k++)
                dot += S[k * rows + i] * Q[k * rows + j];
            A[j * rows + i] = dot;
        }
    if (rows == 0)
        return 1;
    return dfl_split_compute(form->quality, &rule, A, rows, rows, rows) ? form->quality->smallest
                                                                        : 0;
}

bool dfl_local_outdated(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int np = sys->eom->np, nv = sys->n3, ns = sys->eom->ns;
    const int larger = np > nv ? np : nv;
    double *Qp = form->local_work, *Qv = Qp + np * np, *S = Qv + nv * nv, best_p = 1, best_v = 1;
    unsigned char *p = form->local_pivots, *v = p + sys->n4;
    if (dfl_coordinates_are_fixed(form->base.options))
        return false;
    free_directions(Qp, Qv, form);
    if (form->base.options->constraints.selectors == DFL_UNIT) {
        dfl_selectors_pivots(form, p, v);
        memset(S, 0, (size_t)(larger * larger) * sizeof *S);
        dfl_unit_rows(S, form->newton.nfp, np, p + ns);
        best_p = quality(form, S, form->newton.nfp, Qp, np);
        dfl_unit_rows(S, form->newton.nsv, nv, v);
        best_v = quality(form, S, form->newton.nsv, Qv, nv);
    }
    return worse * quality(form, form->newton.Sp, form->newton.nfp, Qp, np) < best_p ||
           worse * quality(form, form->newton.Sv, form->newton.nsv, Qv, nv) < best_v;
}

void dfl_local_partition(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    const bool *independent = form->base.options->constraints.independent;
    const int ns = sys->eom->ns;
    for (int i = 0; i < sys->n4; i++)
        form->pivot_p[i] = i < ns || !independent[at.p + i - ns];
    for (int i = 0; i < sys->n3; i++)
        form->pivot_v[i] = !independent[at.v + i];
}

void dfl_local_combinations(dfl_projected *form)
{
    const dfl_constraint_options *c = &form->base.options->constraints;
    const int np = form->base.sys->eom->np, rows = c->ncombinations;
    dfl_orthonormal_rows(form->newton.Sp, rows, np, c->combinations, np, NULL);
    memcpy(form->newton.Sv, form->newton.Sp, (size_t)(np * rows) * sizeof(double));
}

bool dfl_local_regular(dfl_projected *form)
{
    const int np = form->base.sys->eom->np, nv = form->base.sys->n3;
    double *Qp = form->local_work, *Qv = Qp + np * np;
    free_directions(Qp, Qv, form);
    return quality(form, form->newton.Sp, form->newton.nfp, Qp, np) > singular &&
           quality(form, form->newton.Sv, form->newton.nsv, Qv, nv) > singular;
}
