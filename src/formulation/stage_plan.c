/* What the loops over lanes of stages.c need, found once for all iterations. */
#include "formulation/projection.h"
#include "formulation/stage_plan.h"

/* Where the rows of a point stand, counted from its x: the algebraic rows in use, then what rho is made of.
   Rows that are combined in lanes begin with the bias, and W follows rho. */
void dfl_projected_locate_rows(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const dfl_point *point = &form->jac.scratch;
    const bool in_lanes = dfl_system_combines_in_lanes(sys);
    const bool given = form->rates_are_a && !in_lanes; /* a, otherwise to be made of f */
    const double *x = point->x, *f = given ? point->a : point->blocks.f;
    const int ne = sys->eom->ne, rows = sys->m1 + sys->m2 + sys->m3, row_e = sys->row_e;
    int *place = form->place;
    for (int i = 0; i < rows; i++) /* dropped invariants are left out */
        if (i < row_e || i >= row_e + ne || form->active[i - row_e])
            *place++ = (int)(point->alg - x) + i;
    for (int i = 0; in_lanes && i < sys->nc; i++)
        form->place[sys->row_acc + i] = (int)(point->blocks.bias - x) + i;
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

void dfl_stage_plan_doubt(dfl_stage_plan *plan)
{
    plan->valid = false;
}

void dfl_stage_plan_drop(dfl_stage_plan *plan)
{
    plan->Z = NULL;
    plan->valid = false;
}

/* The rows of r', M v' or v', p' that are collected, and gII, hI that are combined. */
static void prepare_rows(dfl_stage_plan *plan, const dfl_formulation *form, const dfl_stages *st,
                         double *rows)
{
    const dfl_system *sys = form->sys;
    const dfl_eom *eom = sys->eom;
    const int nv = sys->n3, np = eom->np, nc = sys->nc, width = form->width;
    const int own = form->stagewise ? sys->m1 : 0;
    const bool in_lanes = dfl_system_combines_in_lanes(sys);
    const int *alg = form->place, *r = alg + form->ma, *f = r + sys->n2, *kin = f + nv,
              *W = kin + np;
    double *rho = form->rho, *rho_v = rho + sys->n2 * width, *rho_p = rho_v + nv * width;
    plan->own = rows;
    plan->nown = own;
    plan->alg = (segment){rows + own * width, alg + own, r};
    plan->r = (segment){rho, r, f};
    plan->f = (segment){rho_v, f, kin};
    plan->kin = (segment){rho_p, kin, eom->trivial_kinematics ? kin : W};
    plan->W = (segment){rho_p + np * width, W, in_lanes ? W + nc * nv : W};
    plan->off_v = sys->off_v;
    plan->Z_v = st->Z + sys->off_v * width;
    plan->nkin = eom->trivial_kinematics ? np : 0;
    plan->M_inv = in_lanes ? sys->M_inv : NULL;
    plan->off_l = sys->off_l;
    plan->Z_l = st->Z + sys->off_l * width;
    plan->acc = rows + sys->row_acc * width;
    plan->nc = nc;
    plan->nv = nv;
    plan->momentum = form->reads_rates ? form->momentum : NULL;
}

static void prepare(dfl_stage_plan *plan, const dfl_formulation *form, const dfl_stages *st,
                    double *rows)
{
    const dfl_system *sys = form->sys;
    const int width = form->width, nr = sys->n2, nsv = form->nsv;
    double *d = rows + (form->ma + nr) * width, *y = form->moved + nr * width;
    const double *SJ = form->SJ + nr, *SM = form->SM + nr;
    const int skipped = sys->eom->n0 > 0 ? 0 : sys->m1; /* block 1 moves neither v nor p */
    prepare_rows(plan, form, st, rows);
    plan->first = st->points->x;
    plan->distance = dfl_points_distance(st->points, st->count);
    plan->nr = nr;
    plan->ma = form->ma;
    plan->nd = form->nd;
    plan->lanes = rows;
    plan->Z_r = st->Z + sys->off_r * width;
    plan->v = (block){.S = form->Sv,
                      .SM = form->rates_are_a ? form->Sv : form->SvM,
                      .f = plan->f.lanes,
                      .Z = plan->Z_v,
                      .SJ_a = SJ,
                      .SM_a = SM,
                      .alg = rows,
                      .d = d,
                      .y = y,
                      .m = nsv,
                      .n = sys->n3,
                      .na = form->ma};
    plan->p = (block){.S = form->Sp,
                      .SM = form->Sp,
                      .f = plan->kin.lanes,
                      .Z = st->Z + sys->off_p * width,
                      .SJ_a = SJ + nsv + skipped * form->nd,
                      .SM_a = SM + nsv + skipped * form->nd,
                      .alg = rows + skipped * width,
                      .d = d + nsv * width,
                      .y = y + nsv * width,
                      .m = form->nfp,
                      .n = sys->eom->np,
                      .na = form->ma - skipped};
    plan->few = sys->n <= 6 ? sys->n : 0;
    plan->whole = sys->psi1 || sys->eom->n0 > 0;
    plan->n = sys->n;
    plan->K = form->K;
    plan->u = rows + form->ma * width;
    plan->CB = form->CB;
    plan->Z = st->Z;
    plan->width = width;
}

void dfl_stage_plan_renew(dfl_stage_plan *plan, const dfl_formulation *form, const dfl_stages *st,
                          double *rows)
{
    const bool fits = plan->Z == st->Z && plan->width == form->width && plan->ma == form->ma &&
                      plan->nd == form->nd && plan->v.m == form->nsv;
    if (!fits)
        prepare(plan, form, st, rows);
    plan->inverse = dfl_shifted_inverse(form->E);
    plan->rate = 1 / st->h;
    plan->valid = true;
}
