/* Newton's systems through all solutions of the algebraic part (see reduced.h). */
#include "formulation/reduced.h"

#include <string.h>

dfl_status dfl_reduced_init(dfl_reduced *newton, const dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, nv = (size_t)sys->n3, np = (size_t)sys->eom->np;
    const size_t d = sizeof(double), width = (size_t)dfl_lanes_width(form->needs.stages);
    const int rows = sys->n2 + sys->n3 + sys->n4 + sys->nc;
    const size_t nd = (size_t)rows, K = (size_t)dfl_formulation_room(form);
    newton->Sp = dfl_alloc(ctx, np * np, d);
    newton->Sv = dfl_alloc(ctx, nv * nv, d);
    newton->CB = dfl_alloc(ctx, n * K, d);
    newton->SM = dfl_alloc(ctx, nd * K, d);
    newton->SJ = dfl_alloc(ctx, nd * K, d);
    newton->rho = dfl_alloc(ctx, (size_t)(sys->mdif + sys->nc * sys->n3) * width, d);
    newton->u = dfl_alloc(ctx, nd, d);
    return newton->Sp && newton->Sv && newton->CB && newton->SM && newton->SJ && newton->rho &&
                   newton->u
               ? dfl_shifted_create(&newton->E, ctx, rows, form->needs.stages)
               : DFL_NO_MEMORY;
}

void dfl_reduced_clear(dfl_reduced *newton, const dfl_formulation *form)
{
    dfl_context *ctx = form->sys->ctx;
    double *const block[] = {newton->Sp, newton->Sv,  newton->CB, newton->SM,
                             newton->SJ, newton->rho, newton->u};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_shifted_free(newton->E, ctx);
}

dfl_outcome dfl_reduced_factor(dfl_reduced *newton, dfl_formulation *form, int stages)
{
    const size_t first = (size_t)newton->ma * (size_t)newton->nd;
    return dfl_dense_factor(newton->E, form, newton->nd, newton->SM + first, newton->SJ + first,
                            stages);
}

/* d = S rho */
static void project(double *d, const dfl_reduced *newton, const dfl_formulation *form)
{
    const int nr = form->sys->n2, nv = form->sys->n3, np = form->sys->eom->np, width = form->width;
    const double *rho_v = newton->rho + nr * width;
    for (int i = 0; i < nr * width; i++)
        *d++ = newton->rho[i];
    if (newton->sv_identity)
        memcpy(d, rho_v, (size_t)(nv * width) * sizeof *d);
    else
        dfl_lanes_mul(d, width, newton->Sv, newton->nsv, nv, rho_v);
    dfl_lanes_mul(d + newton->nsv * width, width, newton->Sp, newton->nfp, np, rho_v + nv * width);
}

/* u of all shifts from  d - (zeta SM_a - SJ_a) a */
void dfl_reduced_solve(double *dx, dfl_reduced *newton, const dfl_formulation *form, double *rows)
{
    const int ma = newton->ma, width = form->width;
    double *d = rows + ma * width;
    project(d, newton, form);
    dfl_lanes_mul_shifted(d, width, &form->shifts, newton->SM, newton->SJ, newton->nd, ma, rows);
    dfl_shifted_solve(newton->E, d);
    dfl_lanes_mul(dx, width, newton->CB, form->sys->n, newton->K, rows);
}

void dfl_reduced_defect(double *err, dfl_reduced *newton, const dfl_formulation *form)
{
    const int n = form->sys->n, nd = newton->nd;
    dfl_shifted_solve_real(newton->E, newton->u);
    dfl_gemm(n, 1, nd, 1, newton->CB + (size_t)newton->ma * (size_t)n, n, newton->u, nd, 0, err, n);
}
