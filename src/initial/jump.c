/* jump.c: velocities that jump at an instant.

   Impulses P act on momenta; assigned velocities get impulses of their own; the constraints answer:

       M (v+ - v-) = P - W^T L + S^T Q,   W v+ + g_t = 0,   S v+ = given

   First the free velocities v_f answer to what is assigned and to P,
   M_ff dv_f = P_f - M_fs dv_s, then they move onto the constraints with the least change in the
   metric of M_ff, which is the answer of L. */
#include "initial/initial_internal.h"
#include "initial/packed_start.h"

#include <math.h>
#include <string.h>

static dfl_status free_answer(double *x, dfl_initial *init, double t, const dfl_jump *jump);
static dfl_status project_held(double *x, dfl_initial *init, double t, const bool *assigned);

dfl_status dfl_initial_jump(double *x, dfl_initial *init, double t, const dfl_jump *jump)
{
    const dfl_system *sys = &init->sys;
    const int nv = sys->n3, first = sys->at.v - sys->na;
    bool assigned = false, moves = nv > 0 && dfl_max_abs(jump->impulse, nv) != 0;
    for (int i = 0; i < sys->nu; i++)
        assigned = assigned || jump->assigned[i];
    for (int i = first; i < first + nv; i++)
        moves = moves || (jump->assigned[i] && x[i] != jump->before[i]);
    const dfl_status status = moves ? free_answer(x, init, t, jump) : DFL_OK;
    if (status)
        return status;
    return assigned ? project_held(x, init, t, jump->assigned)
                    : dfl_initial_project(x, init, t, false);
}

dfl_status dfl_initial_full_mass(dfl_initial *init, double t, const double *x)
{
    dfl_system *sys = &init->sys;
    const int nv = sys->n3;
    double *L = init->L;
    if (dfl_system_mass(L, sys, t, x))
        return dfl_fail(sys->ctx, DFL_CALLBACK, "mass fails at t = %.10g", t);
    for (int i = nv; sys->mass.diagonal && i-- > 0;) {
        const double mass = L[i];
        memset(L + (size_t)i * (size_t)nv, 0, (size_t)nv * sizeof *L);
        L[i * (nv + 1)] = mass;
    }
    return DFL_OK;
}

static dfl_status free_answer(double *x, dfl_initial *init, double t, const dfl_jump *jump)
{
    const dfl_system *sys = &init->sys;
    const int nv = sys->n3, first = sys->at.v - sys->na;
    const bool *held = jump->assigned + first;
    double *L = init->L, *change = init->step, *v = x + first;
    dfl_status status = sys->packed ? DFL_OK : dfl_initial_full_mass(init, t, x);
    if (!status && sys->packed) {
        dfl_initial_take_guess(init, t, x);
        status = dfl_packed_start_jump(init, jump);
        memcpy(v, init->x + sys->at.v, (size_t)nv * sizeof *v);
    }
    if (status || sys->packed)
        return status;
    int n = 0;
    for (int i = 0; i < nv; i++)
        if (!held[i]) {
            double sum = jump->impulse[i];
            for (int j = 0; j < nv; j++)
                if (held[j])
                    sum -= L[j * nv + i] * (v[j] - jump->before[first + j]);
            change[n++] = sum;
        }
    for (int j = 0, col = 0; j < nv; j++) { /* L := M_ff */
        for (int i = 0, row = 0; !held[j] && i < nv; i++)
            if (!held[i])
                L[col * n + row++] = L[j * nv + i];
        col += !held[j];
    }
    if (dfl_max_abs(change, n) == 0)
        return DFL_OK;
    if (!dfl_cholesky(L, n))
        return dfl_fail(sys->ctx, DFL_SINGULAR, "impulses act on directions without mass");
    dfl_cholesky_forward(change, 1, L, n);
    dfl_cholesky_backward(change, L, n);
    for (int i = 0, k = 0; i < nv; i++)
        if (!held[i])
            v[i] += change[k++];
    return DFL_OK;
}

/* Onto the constraints, with what is assigned held. */
static dfl_status project_held(double *x, dfl_initial *init, double t, const bool *assigned)
{
    const dfl_system *sys = &init->sys;
    const dfl_conditions cond = {.mode = DFL_START_PROJECT, .held = assigned};
    dfl_initial_take_guess(init, t, x);
    init->without_invariants = true;
    dfl_status status =
        sys->packed ? dfl_packed_start_project(init, &cond) : dfl_stages_project(init, &cond);
    if (!status)
        status = sys->packed ? dfl_packed_start_check(init, &cond) : dfl_stages_check(init, &cond);
    init->without_invariants = false;
    if (!status)
        memcpy(x, init->x + sys->na, (size_t)sys->nu * sizeof *x);
    return status;
}

const dfl_point *dfl_initial_evaluate(dfl_initial *init, double t, const double *x)
{
    dfl_system *sys = &init->sys;
    if (x)
        dfl_initial_take_guess(init, t, x);
    memcpy(init->point.x, init->x, (size_t)sys->n * sizeof *init->x);
    return dfl_system_eval_checked(sys, &init->point) ? NULL : &init->point;
}
