/* M as the metric of velocities, with packed matrices.

   Velocities without mass, as those of joints between bodies with absolute coordinates, get a small
   one while they are factored with: [M + E  W^T; W 0]. Right-hand sides have M itself, so
   corrections end where momenta say, and the lent mass E only changes how fast. */
#include "initial/packed_start.h"

#include "context/context.h"

#include <string.h>

/* Of the smallest mass there is. */
static const double lent_part = 1e-3;

dfl_status dfl_packed_mass_init(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const dfl_pattern *M = &sys->packed->M;
    dfl_packed_start *ps = init->packed;
    const int nv = sys->n3, entries = sys->mass.diagonal ? 0 : M->column_start[nv];
    ps->lent = dfl_alloc(sys->ctx, (size_t)nv + 1, sizeof(double));
    if (!ps->lent)
        return DFL_NO_MEMORY;
    if (sys->mass.diagonal)
        return DFL_OK;
    dfl_place_of_entry *place = dfl_alloc(sys->ctx, (size_t)(entries + nv) + 1, sizeof *place);
    ps->M_at = dfl_alloc(sys->ctx, (size_t)(entries + nv) + 1, sizeof(int));
    dfl_status status = place && ps->M_at ? DFL_OK : DFL_NO_MEMORY;
    for (int j = 0; !status && j < nv; j++) {
        for (int k = M->column_start[j]; k < M->column_start[j + 1]; k++)
            place[k] = (dfl_place_of_entry){M->row[k], j};
        place[entries + j] = (dfl_place_of_entry){j, j};
    }
    if (!status)
        status = dfl_csc_create(&ps->M, ps->M_at, sys->ctx, nv, nv, place, entries + nv);
    dfl_free(sys->ctx, place);
    return status;
}

/* The number of the diagonal entry j. */
static int diagonal(const dfl_initial *init, int j)
{
    const dfl_system *sys = &init->sys;
    if (sys->mass.diagonal)
        return j;
    return init->packed->M_at[sys->packed->M.column_start[sys->n3] + j];
}

void dfl_packed_take_mass(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    const dfl_pattern *M = &sys->packed->M;
    dfl_packed_start *ps = init->packed;
    double *D = ps->D, smallest = 0;
    if (sys->mass.diagonal)
        memcpy(D, ps->jac.M, (size_t)sys->n3 * sizeof *D);
    else
        memset(D, 0, (size_t)ps->M.start[sys->n3] * sizeof *D);
    for (int j = 0; !sys->mass.diagonal && j < sys->n3; j++)
        for (int k = M->column_start[j]; k < M->column_start[j + 1]; k++) {
            const bool apart = dfl_stages_held(init, cond, sys->at.v + j) ||
                               dfl_stages_held(init, cond, sys->at.v + M->row[k]);
            D[ps->M_at[k]] = apart && M->row[k] != j ? 0 : ps->jac.M[k];
        }
    for (int j = 0; j < sys->n3; j++) {
        const double mass = D[diagonal(init, j)];
        smallest = mass > 0 && (smallest == 0 || mass < smallest) ? mass : smallest;
    }
    for (int j = 0; j < sys->n3; j++) {
        double *mass = &D[diagonal(init, j)];
        ps->lent[j] = *mass == 0 ? lent_part * smallest : 0;
        *mass += ps->lent[j];
    }
}

void dfl_packed_momentum(double *y, const dfl_initial *init, const double *u)
{
    const dfl_packed_start *ps = init->packed;
    const int nv = init->sys.n3;
    memset(y, 0, (size_t)nv * sizeof *y);
    if (!init->sys.mass.diagonal)
        dfl_csc_add(y, ps->M.start, ps->M.row, nv, ps->D, 1, u);
    for (int j = 0; j < nv; j++)
        y[j] += ((init->sys.mass.diagonal ? ps->D[j] : 0) - ps->lent[j]) * u[j];
}
