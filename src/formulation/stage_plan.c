/* What the loops over lanes of stage_increments.c need, found once for all iterations. */
#include "formulation/projected.h"
#include "formulation/stage_plan.h"

/* The places of the rows of a point, relative to its x: the algebraic rows in use, then those of
   rho. Rows that are combined in lanes begin with the bias, and W follows rho. */
void dfl_projected_locate_rows(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const dfl_point *point = &form->dense.jac.scratch;
    const bool in_lanes = dfl_system_combines_in_lanes(sys);
    const bool given = form->base.rates_are_a && !in_lanes; /* a, otherwise to be made of f */
    const double *x = point->x, *f = given ? point->a : point->blocks.f;
    const int ne = sys->eom->ne, rows = sys->m1 + sys->m2 + sys->m3, row_e = sys->row.e;
    int *place = form->place;
    for (int i = 0; i < rows; i++) /* dropped invariants are left out */
        if (i < row_e || i >= row_e + ne || form->invariants.active[i - row_e])
            *place++ = (int)(point->alg - x) + i;
    for (int i = 0; in_lanes && i < sys->nc; i++)
        form->place[sys->row.acc + i] = (int)(point->blocks.bias - x) + i;
    for (int i = 0; i < sys->n2; i++)
        *place++ = (int)(point->dif - x) + i;
    for (int i = 0; i < sys->n3; i++)
        *place++ = (int)(f - x) + i;
    for (int i = 0; i < sys->eom->np; i++)
        *place++ = (int)(point->blocks.kin - x) + i;
    for (int i = 0; in_lanes && i < sys->nc * sys->n3; i++)
        *place++ = (int)(point->blocks.W - x) + i;
}

dfl_status dfl_stage_plan_create(dfl_stage_plan **plan, dfl_context *ctx)
{
    *plan = dfl_alloc(ctx, 1, sizeof **plan);
    return *plan ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_stage_plan_recheck(dfl_stage_plan *plan)
{
    plan->valid = false;
}

void dfl_stage_plan_invalidate(dfl_stage_plan *plan)
{
    plan->Z = NULL;
    plan->valid = false;
}

/* The rows of r', M v' or v', p' that are collected, and gII, hI that are combined. */
static void prepare_rows(dfl_stage_plan *plan, const dfl_projected *form, const dfl_stages *st,
                         double *rows)
{
    const dfl_system *sys = form->base.sys;
    const dfl_eom *eom = sys->eom;
    const int nv = sys->n3, np = eom->np, nc = sys->nc, width = form->base.width;
    const int own = form->base.stagewise ? sys->m1 : 0;
    const bool in_lanes = dfl_system_combines_in_lanes(sys);
    const int *alg = form->place, *r = alg + form->newton.ma, *f = r + sys->n2, *kin = f + nv,
              *W = kin + np;
    double *rho = form->newton.rho, *rho_v = rho + sys->n2 * width, *rho_p = rho_v + nv * width;
    plan->own.lanes = rows;
    plan->own.n = own;
    plan->alg = (segment){rows + own * width, alg + own, r};
    plan->r = (segment){rho, r, f};
    plan->f = (segment){rho_v, f, kin};
    plan->kin = (segment){rho_p, kin, eom->trivial_kinematics ? kin : W};
    plan->W = (segment){rho_p + np * width, W, in_lanes ? W + nc * nv : W};
    plan->shift.at = sys->at.v;
    plan->shift.Z = st->Z + sys->at.v * width;
    plan->shift.n = eom->trivial_kinematics ? np : 0;
    plan->dyn.M_inv = in_lanes ? sys->mass.inverse : NULL;
    plan->dyn.at_l = sys->at.l;
    plan->dyn.Z_l = st->Z + sys->at.l * width;
    plan->dyn.acc = rows + sys->row.acc * width;
    plan->dyn.nc = nc;
    plan->dyn.nv = nv;
    plan->dyn.momentum = form->base.reads_rates ? form->momentum : NULL;
}

static void prepare(dfl_stage_plan *plan, const dfl_projected *form, const dfl_stages *st,
                    double *rows)
{
    const dfl_system *sys = form->base.sys;
    const int width = form->base.width, nr = sys->n2, nsv = form->newton.nsv;
    double *d = rows + (form->newton.ma + nr) * width, *y = form->moved + nr * width;
    const double *SJ = form->newton.SJ + nr, *SM = form->newton.SM + nr;
    const int skipped = sys->eom->n0 > 0 ? 0 : sys->m1; /* block 1 moves neither v nor p */
    prepare_rows(plan, form, st, rows);
    plan->first = st->points->x;
    plan->distance = dfl_points_distance(st->points, st->count);
    plan->nr = nr;
    plan->ma = form->newton.ma;
    plan->nd = form->newton.nd;
    plan->lanes = rows;
    plan->Z_r = st->Z + sys->at.r * width;
    plan->v = (block){.S = form->newton.Sv,
                      .SM = form->base.rates_are_a ? form->newton.Sv : form->SvM,
                      .f = plan->f.lanes,
                      .Z = plan->shift.Z,
                      .SJ_a = SJ,
                      .SM_a = SM,
                      .alg = rows,
                      .d = d,
                      .y = y,
                      .m = nsv,
                      .n = sys->n3,
                      .na = form->newton.ma};
    plan->p = (block){.S = form->newton.Sp,
                      .SM = form->newton.Sp,
                      .f = plan->kin.lanes,
                      .Z = st->Z + sys->at.p * width,
                      .SJ_a = SJ + nsv + skipped * form->newton.nd,
                      .SM_a = SM + nsv + skipped * form->newton.nd,
                      .alg = rows + skipped * width,
                      .d = d + nsv * width,
                      .y = y + nsv * width,
                      .m = form->newton.nfp,
                      .n = sys->eom->np,
                      .na = form->newton.ma - skipped};
    plan->dZ.few = sys->n <= 6 ? sys->n : 0;
    plan->dZ.whole = sys->psi1 || sys->eom->n0 > 0;
    plan->dZ.n = sys->n;
    plan->dZ.K = form->newton.K;
    plan->dZ.u = rows + form->newton.ma * width;
    plan->dZ.CB = form->newton.CB;
    plan->Z = st->Z;
    plan->width = width;
}

void dfl_stage_plan_renew(dfl_stage_plan *plan, const dfl_projected *form, const dfl_stages *st,
                          double *rows)
{
    const bool fits = plan->Z == st->Z && plan->width == form->base.width &&
                      plan->ma == form->newton.ma && plan->nd == form->newton.nd &&
                      plan->v.m == form->newton.nsv;
    if (!fits)
        prepare(plan, form, st, rows);
    plan->inverse = dfl_shifted_inverse(form->newton.E);
    plan->rate = 1 / st->h;
    plan->valid = true;
}
