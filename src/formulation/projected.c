/* The projected forms in every iteration: psf, psi1, and the local coordinates of tangent and
   partition, which have a - v' instead of f_dyn - M v'. Newton's systems are those of reduced.h. */
#include "formulation/projected.h"
#include "formulation/chart.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

static dfl_status allocate(dfl_projected *form);
static dfl_status create_factors(dfl_projected *form);
static bool solves_for_rates(const dfl_projected *form);

static dfl_status init(dfl_formulation *base)
{
    dfl_projected *form = (dfl_projected *)base;
    form->local = base->traits->rates_are_a;
    dfl_status status = dfl_dense_init(&form->dense, base);
    if (!status)
        status = dfl_reduced_init(&form->newton, base);
    if (!status)
        status = allocate(form);
    return status ? status : create_factors(form);
}

static dfl_status allocate(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, nv = (size_t)sys->n3, np = (size_t)sys->eom->np;
    const size_t d = sizeof(double);
    const size_t nd = (size_t)(sys->n2 + sys->n3 + sys->n4 + sys->nc);
    const size_t width = (size_t)dfl_lanes_width(form->base.needs.stages);
    const size_t places = (size_t)(sys->m1 + sys->m2 + sys->m3 + sys->mdif + sys->nc * sys->n3);
    const struct {
        double **block;
        size_t count;
    } room[] = {{&form->J2_store, (size_t)sys->m2 * n},
                {&form->column_scale, 2 * (size_t)sys->m1},
                {&form->local_work, form->local ? 2 * (np * np + nv * nv) : 0},
                {&form->y, nv},
                {&form->pp, np},
                {&form->momentum, nv * width},
                {&form->SvM, nv * nv},
                {&form->moved, nd * width},
                {&form->rates, nv * width}};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        if (!(*room[i].block = dfl_alloc(ctx, room[i].count, d)))
            return DFL_NO_MEMORY;
    form->pivot_p = dfl_alloc(ctx, (size_t)sys->n4, 1);
    form->pivot_v = dfl_alloc(ctx, nv, 1);
    form->local_pivots = dfl_alloc(ctx, (size_t)(sys->n4 + sys->n3), 1);
    form->place = dfl_alloc(ctx, places, sizeof *form->place);
    return form->pivot_p && form->pivot_v && form->local_pivots && form->place
               ? dfl_invariants_init(&form->invariants, &form->base)
               : DFL_NO_MEMORY;
}

static dfl_status create_factors(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    dfl_context *ctx = sys->ctx;
    const int larger = sys->n3 > sys->n4 ? sys->n3 : sys->n4;
    dfl_status status = dfl_split_create(&form->split1, ctx, sys->m1, sys->n1);
    if (!status)
        status = dfl_split_create(&form->pivots3, ctx, sys->m3, sys->n4);
    if (!status && !sys->psi1 && !sys->geoms)
        status = dfl_stagewise_init(form);
    if (!status && form->base.options->constraints.selectors == DFL_USER)
        status = dfl_end_selectors_init(&form->ends, sys);
    if (!status && (form->base.options->constraints.selectors == DFL_USER || form->local))
        status = dfl_split_create(&form->quality, ctx, larger, larger);
    return status ? status : dfl_stage_plan_create(&form->plan, ctx);
}

static void clear(dfl_formulation *base)
{
    dfl_projected *form = (dfl_projected *)base;
    dfl_context *ctx = base->sys->ctx;
    void *const block[] = {form->J2_store, form->column_scale, form->local_work, form->y,
                           form->pp,       form->momentum,     form->SvM,        form->moved,
                           form->rates,    form->pivot_p,      form->pivot_v,    form->local_pivots,
                           form->place,    form->plan,         form->own.rows};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_invariants_clear(&form->invariants, ctx);
    dfl_split_free(form->split1, ctx);
    dfl_split_free(form->pivots3, ctx);
    dfl_split_free(form->quality, ctx);
    dfl_end_selectors_clear(&form->ends, ctx);
    for (int k = 0; k < base->needs.stages; k++)
        dfl_factor_free(form->own.factor[k], ctx);
    dfl_reduced_clear(&form->newton, base);
    dfl_dense_clear(&form->dense, base);
}

static void bind(dfl_formulation *base)
{
    dfl_projected *form = (dfl_projected *)base;
    dfl_dense_bind(&form->dense, base);
    dfl_stage_plan_invalidate(form->plan);
    form->have_selectors = false;
    dfl_invariants_bind(&form->invariants, base);
    base->rates_are_a = form->local || solves_for_rates(form);
    base->reads_rates = !base->sys->mass.constant && !base->rates_are_a;
    base->stagewise = base->rates_are_a && base->sys->carried && !base->needs.two_points &&
                      dfl_stagewise_possible(form);
}

/* Whether psf has a - v' instead of f_dyn - M v'. With the M(p) of each stage in that product,
   Newton's iteration would converge only as fast as one M fits all stages; and with masses of
   different sizes the rows along S would restrict the steps of BDF (Petzold and Potra 1992).
   Exceptions: massless directions have no a, user-defined selectors choose among the rows of M v',
   and the rules of order 2 take forces between two points. */
static bool solves_for_rates(const dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    return (sys->carried || sys->eliminated) && sys->eom->n0 == 0 &&
           form->base.options->constraints.selectors != DFL_USER && !form->base.needs.two_points;
}

static dfl_outcome factor(dfl_formulation *base, int stages)
{
    return dfl_reduced_factor(&((dfl_projected *)base)->newton, base, stages);
}

static void begin_iteration(dfl_formulation *base)
{
    dfl_projected *form = (dfl_projected *)base;
    form->own.factored = 0;
    dfl_stage_plan_recheck(form->plan);
}

/* What the residuals of all stages are gathered from. */
typedef struct stages {
    const dfl_point *points;
    int count;
    long distance;           /* of the points in memory */
    const double *transform; /* over the stages */
} stages;

static inline stages stages_of(const dfl_point *points, int count, const double *transform)
{
    return (stages){points, count, dfl_points_distance(points, count), transform};
}

/* Gathers n entries of each stage into lanes, less weight_i X_i. `first`: the entries of the first
   stage. */
static inline void gather(double *lanes, const stages *st, const double *first, int n,
                          const double *X, const double *weight)
{
    dfl_lanes_gather(lanes, st->count, st->transform, n, first, st->distance, X, weight);
}

/* The stages' own rows instead of block 1. */
static inline void gather_own(double *rows, const dfl_projected *form, const stages *st)
{
    const int m1 = form->base.sys->m1;
    dfl_lanes_gather(rows, st->count, st->transform, m1, form->own.rows, m1, NULL, NULL);
}

/* The algebraic rows of all stages, dropped invariants left out. */
static inline __attribute__((always_inline)) void
gather_algebraic(double *rows, const dfl_projected *form, const stages *st)
{
    const dfl_system *sys = form->base.sys;
    const int ne = sys->eom->ne, row_e = sys->row.e, width = form->base.width;
    const double *alg = st->points->alg;
    if (form->base.nactive == ne) {
        gather(rows, st, alg, sys->m1 + sys->m2 + sys->m3, NULL, NULL);
        return;
    }
    gather(rows, st, alg, row_e, NULL, NULL);
    rows += row_e * width;
    for (int i = 0; i < ne; i++)
        if (form->invariants.active[i]) {
            gather(rows, st, alg + row_e + i, 1, NULL, NULL);
            rows += width;
        }
    gather(rows, st, alg + row_e + ne, sys->m3, NULL, NULL);
}

/* f_dyn - M v': M constant, so that it may act on transformed derivatives, or stage by stage; or
   a - v'. */
static inline __attribute__((always_inline)) dfl_outcome
gather_dynamics(double *rho, dfl_projected *form, const stages *st, const double *yp,
                const double *xp)
{
    dfl_system *sys = form->base.sys;
    const int nv = sys->n3;
    if (form->base.rates_are_a) {
        gather(rho, st, st->points->a, nv, yp, NULL);
        return DFL_STEP_OK;
    }
    if (sys->mass.constant) {
        if (!sys->mass.diagonal)
            dfl_lanes_mul(form->momentum, form->base.width, sys->mass.M, nv, nv, yp);
        gather(rho, st, st->points->blocks.f, nv, sys->mass.diagonal ? yp : form->momentum,
               sys->mass.diagonal ? sys->mass.M : NULL);
        return DFL_STEP_OK;
    }
    for (int k = 0; k < st->count; k++) {
        for (int i = 0; i < nv; i++)
            form->dense.vp[i] = xp[i * form->base.width + k];
        dfl_outcome outcome =
            dfl_system_dynamics(form->momentum + k * nv, sys, &st->points[k], form->dense.vp);
        if (outcome)
            return outcome;
    }
    dfl_lanes_gather(rho, st->count, st->transform, nv, form->momentum, nv, NULL, NULL);
    return DFL_STEP_OK;
}

static dfl_outcome residual(double *rows, dfl_formulation *base, const dfl_point *points, int count,
                            const double *transform, const double *yp, const double *xp)
{
    dfl_projected *form = (dfl_projected *)base;
    dfl_system *sys = form->base.sys;
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np, width = form->base.width;
    const stages st = stages_of(points, count, transform);
    double *rho_v = form->newton.rho + nr * width, *rho_p = rho_v + nv * width;
    gather_algebraic(rows, form, &st);
    if (form->base.stagewise) {
        dfl_outcome outcome = dfl_stagewise_solve(form, points, count);
        if (outcome)
            return outcome;
        gather_own(rows, form, &st);
    }
    if (nr > 0)
        gather(form->newton.rho, &st, points->dif, nr, yp + sys->at.r * width, NULL);
    gather(rho_p, &st, points->blocks.kin, np, yp + sys->at.p * width, NULL);
    const dfl_outcome outcome =
        gather_dynamics(rho_v, form, &st, yp + sys->at.v * width, xp + sys->at.v * width);
    return outcome || !form->ends.differ
               ? outcome
               : dfl_end_selectors_add(rho_p, rho_v, &form->ends, sys, base->mean_with, points,
                                       width, base->rates_are_a);
}

static dfl_outcome mixed(double *rows, dfl_formulation *base, const dfl_point *differential,
                         const dfl_point *algebraic, double weight, const double *yp,
                         const double *xp)
{
    const double weighted[DFL_LANES] = {weight}, once[DFL_LANES] = {1};
    const stages st = stages_of(algebraic, 1, once);
    dfl_outcome outcome = residual(rows, base, differential, 1, weighted, yp, xp);
    gather_algebraic(rows, (dfl_projected *)base, &st);
    return outcome;
}

static void solve(double *dx, dfl_formulation *base, double *rows)
{
    dfl_reduced_solve(dx, &((dfl_projected *)base)->newton, base, rows);
}

static dfl_outcome defect(double *err, dfl_formulation *base, const dfl_point *point,
                          const double *y)
{
    dfl_projected *form = (dfl_projected *)base;
    dfl_system *sys = form->base.sys;
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np;
    double *d = form->newton.u, *rho = form->pp;
    dfl_outcome outcome = DFL_STEP_OK;
    for (int i = 0; i < nv; i++)
        form->dense.vp[i] = -y[sys->at.v + i];
    if (form->base.rates_are_a)
        for (int i = 0; i < nv; i++)
            form->y[i] = point->a[i] - form->dense.vp[i];
    else
        outcome = dfl_system_dynamics(form->y, sys, point, form->dense.vp);
    if (outcome)
        return outcome;
    for (int i = 0; i < nr; i++)
        d[i] = point->dif[i] + y[sys->at.r + i];
    for (int i = 0; i < np; i++)
        rho[i] = point->blocks.kin[i] + y[sys->at.p + i];
    if (form->newton.sv_identity)
        memcpy(d + nr, form->y, (size_t)nv * sizeof *d);
    else
        dfl_product(form->newton.nsv, 1, nv, 1, form->newton.Sv, form->newton.nsv, form->y, nv, 0,
                    d + nr, form->newton.nsv);
    dfl_product(form->newton.nfp, 1, np, 1, form->newton.Sp, form->newton.nfp, rho, np, 0,
                d + nr + form->newton.nsv, form->newton.nfp);
    dfl_reduced_defect(err, &form->newton, base);
    return DFL_STEP_OK;
}

/* X1 -= N N^T X1, N = ker of block 1 in the columns [a sigma w l m] */
static void minimum_norm(double *X, const dfl_formulation *base)
{
    const dfl_projected *form = (const dfl_projected *)base;
    const int n1 = form->base.sys->n1, width = form->base.width;
    if (form->base.defect == 0 || form->base.sys->psi1)
        return;
    for (int j = 0; j < form->base.defect; j++) {
        const double *N = form->split1->N + (size_t)j * (size_t)n1;
        for (int k = 0; k < width; k++) {
            double sum = 0;
            for (int i = 0; i < n1; i++)
                sum += N[i] * X[i * width + k];
            for (int i = 0; i < n1; i++)
                X[i * width + k] -= N[i] * sum;
        }
    }
}

static dfl_outcome renew_selectors(bool *changed, dfl_formulation *base, double t, const double *x,
                                   bool later)
{
    dfl_projected *form = (dfl_projected *)base;
    *changed = form->have_selectors;
    if (form->have_selectors && !later)
        return dfl_projected_select(form, t, x);
    form->have_selectors = false;
    return DFL_STEP_OK;
}

static const double *acceleration_rows(dfl_formulation *base, const dfl_point *point)
{
    return base->sys->psi1 ? NULL : point->alg + base->sys->row.acc;
}

/* In psi1 all rows of the dynamics are kept; invariants and massless rows take some of Sv. */
static void chart_rows(dfl_chart_rows *rows, const dfl_formulation *base)
{
    const dfl_projected *form = (const dfl_projected *)base;
    const bool kept = base->sys->psi1 || base->nactive > 0 || base->sys->eom->n0 > 0;
    *rows = (dfl_chart_rows){.Sp = form->newton.Sp,
                             .Sv = kept ? NULL : form->newton.Sv,
                             .nfp = form->newton.nfp,
                             .nfv = form->newton.nsv,
                             .momentum = !base->rates_are_a};
}

const dfl_form_class dfl_projected_class = {.size = sizeof(dfl_projected),
                                            .init = init,
                                            .bind = bind,
                                            .clear = clear,
                                            .linearize = dfl_projected_linearize,
                                            .factor = factor,
                                            .residual = residual,
                                            .mixed = mixed,
                                            .solve = solve,
                                            .defect = defect,
                                            .chart_rows = chart_rows,
                                            .acceleration_rows = acceleration_rows,
                                            .begin_iteration = begin_iteration,
                                            .increment = dfl_projected_increment,
                                            .minimum_norm = minimum_norm,
                                            .renew_selectors = renew_selectors,
                                            .suspend = dfl_invariants_suspend,
                                            .accepted = dfl_invariants_accepted};
