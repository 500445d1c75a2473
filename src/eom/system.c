/* system.c: sizes of the rows, the decision whether accelerations are carried, and room for
   points (see eom.h). */
#include "eom/eom.h"

#include <float.h>
#include <math.h>
#include <string.h>

static dfl_status evaluate_mass(dfl_system *sys, double t, const double *x);
static void set_sizes(dfl_system *sys);

dfl_status dfl_system_init(dfl_system *sys, dfl_context *ctx, const dfl_eom *eom, bool psi1,
                           dfl_statistics *stats)
{
    const size_t nv = (size_t)eom->nv;
    memset(sys, 0, sizeof *sys);
    sys->ctx = ctx;
    sys->eom = eom;
    sys->psi1 = psi1;
    sys->rounding = DBL_EPSILON;
    sys->geoms = eom->contract == DFL_GEOMS;
    sys->packed = eom->sparsity;
    sys->stats = stats;
    sys->nc = eom->nl + eom->nm;
    sys->mass.diagonal = eom->mass_diagonal || (!eom->mass && !eom->mass_times && !eom->residual);
    sys->mass.constant = eom->mass && !eom->residual ? eom->mass_constant : sys->mass.diagonal;
    sys->carried = !psi1 && !sys->geoms; /* room for the larger decision */
    set_sizes(sys);
    sys->mass.M =
        dfl_alloc(ctx, sys->packed ? dfl_system_mass_entries(sys) : nv * nv, sizeof(double));
    sys->mass.inverse = dfl_alloc(ctx, nv, sizeof(double));
    sys->scratch.seed = dfl_alloc(ctx, nv, sizeof(double));
    sys->scratch.product = dfl_alloc(ctx, nv, sizeof(double));
    return sys->mass.M && sys->mass.inverse && sys->scratch.seed && sys->scratch.product
               ? DFL_OK
               : DFL_NO_MEMORY;
}

void dfl_system_ask(dfl_system *sys, bool psi1, dfl_requirements requirements)
{
    sys->psi1 = psi1;
    sys->requirements = requirements;
    sys->carried = !psi1 && !sys->geoms;
    set_sizes(sys);
}

void dfl_system_clear(dfl_system *sys)
{
    dfl_free(sys->ctx, sys->mass.M);
    dfl_free(sys->ctx, sys->mass.inverse);
    dfl_free(sys->ctx, sys->scratch.seed);
    dfl_free(sys->ctx, sys->scratch.product);
}

static void set_sizes(dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    sys->na = sys->carried ? eom->nv + eom->n0 : sys->requirements.leading;
    sys->leading_a = sys->carried || sys->requirements.leading_a;
    sys->nu = at.n;
    sys->n = sys->na + at.n;
    sys->n1 = sys->na + at.r;
    sys->n2 = eom->nr;
    sys->n3 = eom->nv;
    sys->n4 = eom->ns + eom->np;
    sys->at.l = sys->na + at.lambda;
    sys->at.r = sys->na + at.r;
    sys->at.v = sys->na + at.v;
    sys->at.sp = sys->na + at.s;
    sys->at.p = sys->na + at.p;
    sys->row.d = sys->carried ? sys->na : 0;
    sys->row.acc = sys->row.d + eom->nw;
    sys->m1 = sys->row.acc + (sys->psi1 ? 0 : sys->nc);
    sys->row.gam = sys->m1 + sys->nc;
    sys->row.e = sys->row.gam + eom->n0;
    sys->m2 = sys->nc + eom->n0 + eom->ne;
    sys->m3 = eom->ns + eom->nl + eom->nep;
    sys->mdif = eom->nr + eom->nv + eom->np;
    sys->bare = !sys->geoms && !eom->residual;
    sys->eliminated = !sys->carried && !sys->psi1 && !sys->geoms;
    sys->need = DFL_EVERYTHING;
    if (sys->geoms)
        sys->need &= ~(unsigned)DFL_DIRECTIONS;
    if ((sys->psi1 && !sys->requirements.bias) || eom->no_bias)
        sys->need &= ~(unsigned)DFL_BIAS;
    if (eom->residual)
        sys->need &= ~(unsigned)DFL_FORCE;
    if (eom->trivial_kinematics)
        sys->need &= ~(unsigned)DFL_KINEMATICS;
}

dfl_status dfl_system_decide(dfl_system *sys, double t, const double *x, bool carry)
{
    const dfl_eom *eom = sys->eom;
    bool invertible = sys->mass.diagonal;
    if (sys->mass.constant || invertible) {
        dfl_status status = evaluate_mass(sys, t, x);
        if (status)
            return status;
    }
    for (int i = 0; invertible && i < eom->nv; i++) {
        sys->mass.inverse[i] = 1 / sys->mass.M[i];
        invertible = sys->mass.M[i] > 0;
    }
    sys->carried = !sys->psi1 && !sys->geoms &&
                   (carry || sys->requirements.carry || sys->packed || !invertible || eom->n0 > 0);
    set_sizes(sys);
    return DFL_OK;
}

static dfl_status evaluate_mass(dfl_system *sys, double t, const double *x)
{
    const size_t count = dfl_system_mass_entries(sys);
    dfl_outcome outcome = dfl_system_mass(sys->mass.M, sys, t, x);
    if (outcome)
        return dfl_fail(sys->ctx, DFL_CALLBACK, "mass failed at the start, t = %g", t);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(sys->mass.M[i]))
            return dfl_fail(sys->ctx, DFL_NOT_FINITE, "entry %zu of the mass matrix is %g", i,
                            sys->mass.M[i]);
    return DFL_OK;
}

dfl_status dfl_point_init(dfl_point *point, const dfl_system *sys)
{
    return dfl_points_init(point, 1, sys);
}

dfl_status dfl_points_init(dfl_point *points, int count, const dfl_system *sys)
{
    const size_t nv = (size_t)sys->eom->nv, nc = (size_t)sys->nc;
    const size_t size[] = {(size_t)sys->n,
                           (size_t)(sys->m1 + sys->m2 + sys->m3),
                           (size_t)sys->mdif,
                           nv,
                           sys->packed ? dfl_system_mass_entries(sys) : nv * nv,
                           dfl_system_W_entries(sys),
                           dfl_system_K0_entries(sys),
                           nc};
    size_t each = 0;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        each += size[i];
    memset(points, 0, (size_t)count * sizeof *points);
    double *at = dfl_alloc(sys->ctx, (size_t)count * each, sizeof(double));
    if (!at)
        return DFL_NO_MEMORY;
    for (int k = 0; k < count; k++) {
        dfl_point *point = &points[k];
        double **const part[] = {&point->x,         &point->alg,        &point->dif,
                                 &point->a,         &point->M,          &point->blocks.W,
                                 &point->blocks.K0, &point->blocks.bias};
        for (size_t i = 0; i < sizeof part / sizeof *part; at += size[i++])
            *part[i] = at;
    }
    return DFL_OK;
}

void dfl_point_bind(dfl_point *point, const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    dfl_blocks *blocks = &point->blocks;
    double *vel = point->alg + sys->m1, *pos = vel + sys->m2;
    blocks->b = point->dif;
    blocks->f = blocks->b + eom->nr;
    blocks->kin = eom->trivial_kinematics ? point->x + sys->at.v : blocks->f + eom->nv;
    blocks->d = point->alg + sys->row.d;
    blocks->gI = vel;
    blocks->hv = vel + eom->nl;
    blocks->gam = point->alg + sys->row.gam;
    blocks->e = point->alg + sys->row.e;
    blocks->c = pos;
    blocks->g = pos + eom->ns;
    blocks->ep = blocks->g + eom->nl;
}

void dfl_point_clear(dfl_point *point, dfl_context *ctx)
{
    dfl_free(ctx, point->x); /* the first part of the whole */
}
