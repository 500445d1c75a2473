/* Accelerations where the rows do not contain them: M a = f_dyn. */
#include "formulation/formulation_internal.h"

#include <string.h>

/* M as a full matrix: stored, at the point, or by callback. */
static dfl_outcome full_mass(double *M, dfl_system *sys, const dfl_point *point)
{
    const int nv = sys->n3, count = sys->diagonal ? nv : nv * nv;
    dfl_outcome outcome = DFL_STEP_OK;
    if (sys->constant || dfl_system_mass_at_points(sys))
        memcpy(M, sys->constant ? sys->M : point->M, (size_t)count * sizeof *M);
    else
        outcome = dfl_system_mass(M, sys, point->t, point->x + sys->na);
    if (!sys->diagonal)
        return outcome;
    memset(M + nv, 0, (size_t)(nv * nv - nv) * sizeof *M);
    for (int i = nv - 1; i > 0; i--) {
        M[i * nv + i] = M[i];
        M[i] = 0;
    }
    return outcome;
}

bool dfl_formulation_accelerations(double *a, dfl_formulation *form, const dfl_point *point)
{
    const dfl_system *sys = form->sys;
    if (sys->psi1 || sys->geoms)
        return dfl_formulation_solve_accelerations(a, form, point);
    memcpy(a, point->a, (size_t)sys->n3 * sizeof *a);
    return true;
}

bool dfl_formulation_solve_accelerations(double *a, dfl_formulation *form, const dfl_point *point)
{
    dfl_system *sys = form->sys;
    dfl_factor *mass = form->dense->mass;
    const int nv = sys->n3;
    memset(form->dense->vp, 0, (size_t)nv * sizeof(double));
    if (full_mass(dfl_factor_matrix(mass), sys, point) ||
        dfl_system_dynamics(a, sys, point, form->dense->vp) ||
        !dfl_factor_compute(mass, nv, DFL_METHOD_QR))
        return false;
    dfl_factor_solve(mass, a);
    return true;
}
