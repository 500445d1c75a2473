/* The parts of invariants that sparse constraints leave (invariants.c). */
#include "formulation/sparse_form.h"

#include <math.h>
#include <string.h>

/* ev (ne x nv, by rows) := the derivatives of e by v. */
static void take_slopes(double *ev, const dfl_sparse_form *form)
{
    const dfl_system *sys = form->base.sys;
    const dfl_pattern *p = &sys->packed->vel;
    const size_t nv = (size_t)sys->n3;
    memset(ev, 0, (size_t)sys->eom->ne * nv * sizeof *ev);
    for (int j = 0; j < sys->n3; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++)
            if (p->row[k] >= sys->nc)
                ev[(size_t)(p->row[k] - sys->nc) * nv + (size_t)j] = form->jac.blocks.vel[k];
}

/* q_i: what [D W^T; W 0] leaves of e_v,i, in units of the velocities. */
void dfl_sparse_choose_invariants(dfl_sparse_form *form)
{
    const dfl_system *sys = form->base.sys;
    const int nv = sys->n3;
    const double *unit = dfl_system_units(sys, sys->at.v);
    dfl_invariants *it = &form->invariants;
    double *l = form->choice.work; /* free between choices */
    take_slopes(it->q, form);
    for (int i = 0; i < sys->eom->ne; i++) {
        double *q = it->q + (size_t)i * (size_t)nv, squares = 0;
        for (int j = 0; j < nv; j++)
            squares += q[j] * q[j];
        it->length[i] = sqrt(squares);
        memset(l, 0, (size_t)sys->nc * sizeof *l);
        dfl_saddle_ldl_solve(q, l, form->split);
        for (int j = 0; unit && j < nv; j++)
            q[j] /= unit[j];
    }
    dfl_invariants_decide(it, &form->base, 0);
}
