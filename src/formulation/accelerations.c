/* Accelerations where the rows do not contain them: M a = f_dyn. */
#include "formulation/formulation.h"

#include <string.h>

/* M by callback, column by column or stored, as a full matrix. */
static dfl_outcome full_mass(double *M, dfl_system *sys, const dfl_point *point)
{
    const int nv = sys->n3;
    const double *known = sys->constant ? sys->M : point->M;
    if (sys->diagonal) {
        memset(M, 0, (size_t)(nv * nv) * sizeof *M);
        for (int i = 0; i < nv; i++)
            M[i * nv + i] = known[i];
        return DFL_STEP_OK;
    }
    if (!sys->constant && !sys->eom->mass)
        return dfl_system_mass(M, sys, point->t, point->x + sys->na);
    memcpy(M, known, (size_t)(nv * nv) * sizeof *M);
    return DFL_STEP_OK;
}

bool dfl_formulation_accelerations(double *a, dfl_formulation *form, const dfl_point *point)
{
    dfl_system *sys = form->sys;
    dfl_factor *mass = form->mass;
    const int nv = sys->n3;
    if (!sys->psi1 && !sys->geoms) {
        memcpy(a, point->a, (size_t)nv * sizeof *a);
        return true;
    }
    memset(form->vp, 0, (size_t)nv * sizeof(double));
    if (full_mass(dfl_factor_matrix(mass), sys, point) ||
        dfl_system_dynamics(a, sys, point, form->vp) ||
        !dfl_factor_compute(mass, nv, DFL_METHOD_QR))
        return false;
    dfl_factor_solve(mass, a);
    return true;
}
