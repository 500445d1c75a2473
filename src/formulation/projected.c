/* The projected forms in every iteration: psf, psi1, and the local coordinates of tangent and partition,
   which have a - v' in place of f_dyn - M v'. Newton's systems are those of formulation.h. */
#include "formulation/projection.h"
#include "linalg/tiny.h"

#include <math.h>
#include <string.h>

static dfl_status create_factors(dfl_formulation *form);

dfl_status dfl_projected_init(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const dfl_eom *eom = sys->eom;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, nv = (size_t)eom->nv, np = (size_t)eom->np, d = sizeof(double);
    const size_t ma = (size_t)(sys->m1 + sys->m2 + sys->m3);
    const size_t nd = (size_t)(eom->nr + sys->n3 + sys->n4 + sys->nc), K = ma + nd;
    const size_t width = (size_t)dfl_lanes_width(form->max_stages);
    const size_t rho = (size_t)(sys->mdif + sys->nc * sys->n3);
    form->J2_store = dfl_alloc(ctx, (size_t)sys->m2 * n, d);
    form->Sp = dfl_alloc(ctx, np * np, d);
    form->Sv = dfl_alloc(ctx, nv * nv, d);
    form->pivot_p = dfl_alloc(ctx, (size_t)sys->n4, 1);
    form->pivot_v = dfl_alloc(ctx, nv, 1);
    form->CB = dfl_alloc(ctx, n * K, d);
    form->SM = dfl_alloc(ctx, nd * K, d);
    form->SJ = dfl_alloc(ctx, nd * K, d);
    form->rho = dfl_alloc(ctx, rho * width, d);
    form->u = dfl_alloc(ctx, nd, d);
    form->momentum = dfl_alloc(ctx, nv * width, d);
    form->SvM = dfl_alloc(ctx, nv * nv, d);
    form->moved = dfl_alloc(ctx, nd * width, d);
    form->rates = dfl_alloc(ctx, nv * width, d);
    form->place = dfl_alloc(ctx, ma + rho, sizeof *form->place);
    form->local_work = dfl_alloc(ctx, form->local ? 2 * (np * np + nv * nv) : 0, d);
    form->local_pivots = dfl_alloc(ctx, (size_t)(sys->n4 + sys->n3), 1);
    return form->J2_store && form->Sp && form->Sv && form->pivot_p && form->pivot_v && form->CB &&
                   form->SM && form->SJ && form->rho && form->u && form->momentum && form->SvM &&
                   form->moved && form->rates && form->place && form->local_work &&
                   form->local_pivots
               ? create_factors(form)
               : DFL_NO_MEMORY;
}

static dfl_status create_factors(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    dfl_context *ctx = sys->ctx;
    const int nd = sys->n2 + sys->n3 + sys->n4 + sys->nc;
    const int larger = sys->n3 > sys->n4 ? sys->n3 : sys->n4;
    dfl_status status = dfl_split_create(&form->split1, ctx, sys->m1, sys->n1);
    if (!status && !sys->psi1 && !sys->geoms)
        status = dfl_stagewise_init(form);
    if (!status && (form->options->constraints.selectors == DFL_USER || form->local))
        status = dfl_split_create(&form->quality, ctx, larger, larger);
    if (!status)
        status = dfl_stage_plan_create(&form->plan, ctx);
    if (!status)
        status = dfl_shifted_create(&form->E, ctx, nd, form->max_stages);
    return status;
}

dfl_outcome dfl_projected_factor(dfl_formulation *form, int stages)
{
    const int nd = form->nd;
    const size_t first = (size_t)form->ma * (size_t)nd;
    const dfl_method method =
        form->options->newton.differential == DFL_DIFFERENTIAL_QR ? DFL_METHOD_QR : DFL_METHOD_LU;
    if (!dfl_shifted_factor(form->E, nd, form->SM + first, form->SJ + first, stages, &form->shifts,
                            method))
        return dfl_system_part_trouble(form->sys, DFL_STEP_SINGULAR, DFL_FAILURE_NEWTON_MATRIX, 0);
    return DFL_STEP_OK;
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

/* n entries of each stage, which stand at `first` in the first one, less weight_i X_i, into lanes. */
static inline void gather(double *lanes, const stages *st, const double *first, int n,
                          const double *X, const double *weight)
{
    dfl_lanes_gather(lanes, st->count, st->transform, n, first, st->distance, X, weight);
}

/* Those of the stages themselves in place of block 1. */
static inline void gather_own(double *rows, const dfl_formulation *form, const stages *st)
{
    const int m1 = form->sys->m1;
    dfl_lanes_gather(rows, st->count, st->transform, m1, form->own_rows, m1, NULL, NULL);
}

/* The algebraic rows of all stages, dropped invariants left out. */
static inline __attribute__((always_inline)) void
gather_algebraic(double *rows, const dfl_formulation *form, const stages *st)
{
    const dfl_system *sys = form->sys;
    const int ne = sys->eom->ne, row_e = sys->row_e, width = form->width;
    const double *alg = st->points->alg;
    if (form->nactive == ne) {
        gather(rows, st, alg, sys->m1 + sys->m2 + sys->m3, NULL, NULL);
        return;
    }
    gather(rows, st, alg, row_e, NULL, NULL);
    rows += row_e * width;
    for (int i = 0; i < ne; i++)
        if (form->active[i]) {
            gather(rows, st, alg + row_e + i, 1, NULL, NULL);
            rows += width;
        }
    gather(rows, st, alg + row_e + ne, sys->m3, NULL, NULL);
}

/* f_dyn - M v': M constant, so that it may act on transformed derivatives, or stage by stage; or
   a - v'. */
static inline __attribute__((always_inline)) dfl_outcome
gather_dynamics(double *rho, dfl_formulation *form, const stages *st, const double *yp,
                const double *xp)
{
    dfl_system *sys = form->sys;
    const int nv = sys->n3;
    if (form->rates_are_a) {
        gather(rho, st, st->points->a, nv, yp, NULL);
        return DFL_STEP_OK;
    }
    if (sys->constant) {
        if (!sys->diagonal)
            dfl_lanes_mul(form->momentum, form->width, sys->M, nv, nv, yp);
        gather(rho, st, st->points->blocks.f, nv, sys->diagonal ? yp : form->momentum,
               sys->diagonal ? sys->M : NULL);
        return DFL_STEP_OK;
    }
    for (int k = 0; k < st->count; k++) {
        for (int i = 0; i < nv; i++)
            form->vp[i] = xp[i * form->width + k];
        dfl_outcome outcome =
            dfl_system_dynamics(form->momentum + k * nv, sys, &st->points[k], form->vp);
        if (outcome)
            return outcome;
    }
    dfl_lanes_gather(rho, st->count, st->transform, nv, form->momentum, nv, NULL, NULL);
    return DFL_STEP_OK;
}

dfl_outcome dfl_projected_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                                   int count, const double *transform, const double *yp,
                                   const double *xp)
{
    dfl_system *sys = form->sys;
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np, width = form->width;
    const stages st = stages_of(points, count, transform);
    double *rho_v = form->rho + nr * width, *rho_p = rho_v + nv * width;
    gather_algebraic(rows, form, &st);
    if (form->stagewise) {
        dfl_outcome outcome = dfl_stagewise_solve(form, points, count);
        if (outcome)
            return outcome;
        gather_own(rows, form, &st);
    }
    if (nr > 0)
        gather(form->rho, &st, points->dif, nr, yp + sys->off_r * width, NULL);
    gather(rho_p, &st, points->blocks.kin, np, yp + sys->off_p * width, NULL);
    return gather_dynamics(rho_v, form, &st, yp + sys->off_v * width, xp + sys->off_v * width);
}

dfl_outcome dfl_projected_mixed(double *rows, dfl_formulation *form, const dfl_point *differential,
                                const dfl_point *algebraic, double weight, const double *yp,
                                const double *xp)
{
    const double weighted[DFL_LANES] = {weight}, once[DFL_LANES] = {1};
    const stages st = stages_of(algebraic, 1, once);
    dfl_outcome outcome = dfl_projected_residual(rows, form, differential, 1, weighted, yp, xp);
    gather_algebraic(rows, form, &st);
    return outcome;
}

/* d = S rho */
static void project(double *d, const dfl_formulation *form)
{
    const int nr = form->sys->n2, nv = form->sys->n3, np = form->sys->eom->np, width = form->width;
    const double *rho_v = form->rho + nr * width;
    for (int i = 0; i < nr * width; i++)
        *d++ = form->rho[i];
    if (form->sv_identity)
        memcpy(d, rho_v, (size_t)(nv * width) * sizeof *d);
    else
        dfl_lanes_mul(d, width, form->Sv, form->nsv, nv, rho_v);
    dfl_lanes_mul(d + form->nsv * width, width, form->Sp, form->nfp, np, rho_v + nv * width);
}

/* u of all shifts from  d - (zeta SM_a - SJ_a) a */
void dfl_projected_solve(double *dx, dfl_formulation *form, double *rows)
{
    const int ma = form->ma, width = form->width;
    double *d = rows + ma * width;
    project(d, form);
    dfl_lanes_mul_shifted(d, width, &form->shifts, form->SM, form->SJ, form->nd, ma, rows);
    dfl_shifted_solve(form->E, d);
    dfl_lanes_mul(dx, width, form->CB, form->sys->n, form->K, rows);
}

dfl_outcome dfl_projected_defect(double *err, dfl_formulation *form, const dfl_point *point,
                                 const double *y)
{
    dfl_system *sys = form->sys;
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np, nd = form->nd;
    double *d = form->u, *rho = form->pp;
    dfl_outcome outcome = DFL_STEP_OK;
    for (int i = 0; i < nv; i++)
        form->vp[i] = -y[sys->off_v + i];
    if (form->rates_are_a)
        for (int i = 0; i < nv; i++)
            form->y[i] = point->a[i] - form->vp[i];
    else
        outcome = dfl_system_dynamics(form->y, sys, point, form->vp);
    if (outcome)
        return outcome;
    for (int i = 0; i < nr; i++)
        d[i] = point->dif[i] + y[sys->off_r + i];
    for (int i = 0; i < np; i++)
        rho[i] = point->blocks.kin[i] + y[sys->off_p + i];
    if (form->sv_identity)
        memcpy(d + nr, form->y, (size_t)nv * sizeof *d);
    else
        product(form->nsv, 1, nv, 1, form->Sv, form->nsv, form->y, nv, 0, d + nr, form->nsv);
    product(form->nfp, 1, np, 1, form->Sp, form->nfp, rho, np, 0, d + nr + form->nsv, form->nfp);
    dfl_shifted_solve_real(form->E, d);
    dfl_gemm(sys->n, 1, nd, 1, form->CB + (size_t)form->ma * (size_t)sys->n, sys->n, d, nd, 0, err,
             sys->n);
    return DFL_STEP_OK;
}

/* X1 -= N N^T X1, N = ker of block 1 in the columns [a sigma w l m] */
void dfl_projected_minimum_norm(double *X, const dfl_formulation *form)
{
    const int n1 = form->sys->n1, width = form->width;
    if (form->defect == 0 || form->sys->psi1)
        return;
    for (int j = 0; j < form->defect; j++) {
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
