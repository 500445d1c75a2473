/* Invariants in the rows of projected forms: the parts that dense constraints leave, and block 2
   without those that are not in use (invariants.c). */
#include "formulation/projected.h"

#include <math.h>

/* q_i = e_v,i - (e_v,i R) W for all invariants, in units of the velocities */
static void free_parts(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int nv = sys->n3, ne = sys->eom->ne, rows = sys->nc, ld = sys->m2;
    const double *W = form->dense.jac.J2 + sys->at.v * ld, *ev = W + rows + sys->eom->n0;
    const double *unit = dfl_formulation_units(&form->base, sys->at.v);
    const dfl_split_rule rule = {.method = form->dense.method,
                                 .tolerance = form->dense.rank_tolerance,
                                 .rank =
                                     form->dense.method == DFL_METHOD_SVD ? form->base.rank2 : -1,
                                 .scale_rows = true,
                                 .columns = unit};
    double *eR = form->dense.work;
    dfl_split_compute(form->dense.split2, &rule, W, ld, rows, nv);
    dfl_gemm(ne, rows, nv, 1, ev, ld, form->dense.split2->R, nv, 0, eR, ne);
    for (int i = 0; i < ne; i++) {
        double squares = 0;
        for (int j = 0; j < nv; j++) {
            double value = ev[j * ld + i];
            squares += value * value;
            for (int k = 0; k < rows; k++)
                value -= eR[k * ne + i] * W[j * ld + k];
            form->invariants.q[i * nv + j] = unit ? value * unit[j] : value;
        }
        form->invariants.length[i] = sqrt(squares);
    }
}

void dfl_projected_choose_invariants(dfl_projected *form)
{
    if (!dfl_invariants_vary(&form->base))
        return;
    free_parts(form);
    dfl_invariants_decide(&form->invariants, &form->base, 10 * form->dense.rank_tolerance);
}

void dfl_projected_compress_invariants(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int ne = sys->eom->ne, first = sys->nc + sys->eom->n0, all = sys->m2;
    form->m2 = first + form->base.nactive;
    if (form->base.nactive == ne && sys->eom->n0 == 0) {
        form->J2 = form->dense.jac.J2;
        return;
    }
    double *out = form->J2 = form->J2_store;
    for (int j = 0; j < sys->n; j++) {
        const double *in = form->dense.jac.J2 + (size_t)j * (size_t)all;
        for (int i = 0; i < first; i++)
            *out++ = in[i];
        for (int i = 0; i < ne; i++)
            if (form->invariants.active[i])
                *out++ = in[first + i];
    }
}
