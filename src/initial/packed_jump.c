/* packed_jump.c: velocities after impulses, with packed matrices (see jump.c). Velocities without
   mass have a lent one in the factors (packed_mass.c), so the answer is found in several
   corrections. */
#include "initial/packed_start.h"

#include "context/context.h"

#include <string.h>

/* push (nv) := impulses on the velocities that are not assigned, without what those that are need
   of them: P_f - M_fs dv_s. */
static void impulses_on_free(double *push, const dfl_initial *init, const dfl_jump *jump,
                             const dfl_conditions *held)
{
    const dfl_system *sys = &init->sys;
    const dfl_packed_start *ps = init->packed;
    const int first = sys->at.v - sys->na;
    double *dv = ps->x;
    for (int j = 0; j < sys->n3; j++)
        dv[j] = jump->assigned[first + j] ? init->x[sys->at.v + j] - jump->before[first + j] : 0;
    memset(push, 0, (size_t)sys->n3 * sizeof *push);
    if (!sys->mass.diagonal)
        dfl_packed_mass_product(push, sys, ps->jac.M, dv);
    for (int j = 0; j < sys->n3; j++)
        push[j] = dfl_stages_held(init, held, sys->at.v + j) ? 0 : jump->impulse[j] - push[j];
}

/* Whether impulses have a part along directions that neither mass nor constraints answer for. */
static bool acts_without_mass(dfl_initial *init, const double *push)
{
    const dfl_system *sys = &init->sys;
    double *along = init->packed->dx; /* n0 <= nv */
    dfl_system_take_along(along, sys, init->packed->jac.K0, push);
    return dfl_max_abs(along, sys->eom->n0) > 1e-12 * dfl_max_abs(push, sys->n3);
}

dfl_status dfl_packed_start_jump(dfl_initial *init, const dfl_jump *jump)
{
    enum { MOST = 60 };
    const dfl_conditions held = {.held = jump->assigned};
    const dfl_system *sys = &init->sys;
    dfl_packed_start *ps = init->packed;
    const dfl_status status = dfl_packed_start_evaluate(init);
    if (status)
        return status;
    dfl_packed_factor_stage(init, &held, true);
    if (!ps->weighted)
        return dfl_fail(sys->ctx, DFL_SINGULAR, "impulses act on directions without mass");
    double *change = ps->x, *push = ps->push, *v = init->x + sys->at.v;
    impulses_on_free(push, init, jump, &held);
    if (acts_without_mass(init, push))
        return dfl_fail(sys->ctx, DFL_SINGULAR, "impulses act on directions without mass");
    memset(change, 0, (size_t)sys->n3 * sizeof *change); /* M change + W^T l = push */
    for (int it = 0; it < MOST; it++) {
        dfl_packed_momentum(ps->dx, init, change);
        for (int j = 0; j < sys->n3; j++)
            ps->dx[j] = push[j] - ps->dx[j];
        memset(ps->l, 0, (size_t)sys->nc * sizeof *ps->l);
        dfl_saddle_ldl_solve(ps->dx, ps->l, ps->velocities);
        for (int j = 0; j < sys->n3; j++)
            change[j] += ps->dx[j];
        if (dfl_max_abs(ps->dx, sys->n3) <= 1e-14 * dfl_max_abs(change, sys->n3))
            break;
    }
    for (int j = 0; j < sys->n3; j++)
        v[j] += change[j];
    return DFL_OK;
}
