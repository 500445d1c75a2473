/* Life of a formulation, its ranks, and the functions an integrator calls in every iteration. */
#include "formulation/formulation.h"
#include "formulation/projection.h"

#include <math.h>
#include <string.h>

static dfl_status allocate(dfl_formulation *form);
static dfl_status create_factors(dfl_formulation *form);

dfl_status dfl_formulation_init(dfl_formulation *form, dfl_system *sys,
                                const dfl_solver_options *options, int stages)
{
    memset(form, 0, sizeof *form);
    form->sys = sys;
    form->options = options;
    form->max_stages = stages;
    dfl_status status = dfl_rows_jacobian_init(&form->jac, sys);
    if (!status)
        status = allocate(form);
    if (!status)
        status = create_factors(form);
    return status;
}

static dfl_status allocate(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const dfl_eom *eom = sys->eom;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, nv = (size_t)eom->nv, np = (size_t)eom->np, d = sizeof(double);
    /* every unknown is algebraic or differential; redundant and dropped rows add to both counts */
    const size_t ma = (size_t)(sys->m1 + sys->m2 + sys->m3);
    const size_t nd = (size_t)(eom->nr + sys->n3 + sys->n4 + sys->nc), K = ma + nd;
    const size_t width = (size_t)dfl_lanes_width(form->max_stages);
    form->J2_store = dfl_alloc(ctx, (size_t)sys->m2 * n, d);
    form->Sp = dfl_alloc(ctx, np * np, d);
    form->Sv = dfl_alloc(ctx, nv * nv, d);
    form->pivot_p = dfl_alloc(ctx, (size_t)sys->n4, 1);
    form->pivot_v = dfl_alloc(ctx, nv, 1);
    form->CB = dfl_alloc(ctx, n * K, d);
    form->SM = dfl_alloc(ctx, nd * K, d);
    form->SJ = dfl_alloc(ctx, nd * K, d);
    form->work = dfl_alloc(ctx,
                           (size_t)(sys->mdif + sys->m1 + sys->m2) * K + 2 * nv * nv + np * np +
                               (size_t)(sys->m3 * sys->n4 + sys->nc * (sys->n3 + 2)),
                           d);
    form->active = dfl_alloc(ctx, (size_t)eom->ne, 1);
    form->q = dfl_alloc(ctx, (size_t)eom->ne * nv, d);
    form->q_old = dfl_alloc(ctx, (size_t)eom->ne * nv, d);
    form->rho = dfl_alloc(ctx, (size_t)sys->mdif * width, d);
    form->u = dfl_alloc(ctx, 2 * nd * width + 2 * nd, d);
    form->vp = dfl_alloc(ctx, nv, d);
    form->y = dfl_alloc(ctx, nv, d);
    form->momentum = dfl_alloc(ctx, nv * width, d);
    form->pp = dfl_alloc(ctx, np, d);
    form->row_size = dfl_alloc(ctx, (size_t)sys->nc, d);
    form->least = dfl_alloc(ctx, nv * (size_t)sys->nc + nv + (size_t)sys->nc, d);
    return form->J2_store && form->Sp && form->Sv && form->pivot_p && form->pivot_v && form->CB &&
                   form->SM && form->SJ && form->work && form->active && form->q && form->q_old &&
                   form->rho && form->u && form->vp && form->y && form->momentum && form->pp &&
                   form->row_size && form->least
               ? DFL_OK
               : DFL_NO_MEMORY;
}

static dfl_status create_factors(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    dfl_context *ctx = sys->ctx;
    const int nd = sys->n2 + sys->n3 + sys->n4 + sys->nc;
    dfl_status status = dfl_split_create(&form->split1, ctx, sys->m1, sys->n1);
    if (!status)
        status = dfl_split_create(&form->split2, ctx, sys->m2, sys->n3);
    if (!status)
        status = dfl_split_create(&form->split3, ctx, sys->m3, sys->n4);
    if (!status)
        status =
            dfl_split_create(&form->pivots2, ctx, sys->m2 > sys->n3 ? sys->m2 : sys->n3, sys->n3);
    if (!status)
        status = dfl_split_create(&form->pivots3, ctx, sys->m3, sys->n4);
    const int larger = sys->n3 > sys->n4 ? sys->n3 : sys->n4;
    if (!status && form->options->selectors == DFL_USER)
        status = dfl_split_create(&form->user_check, ctx, larger, larger);
    if (!status)
        status = dfl_factor_create(&form->E_real, ctx, nd, false);
    for (int k = 0; !status && k < form->max_stages / 2; k++)
        status = dfl_factor_create(&form->E_complex[k], ctx, nd, true);
    if (!status)
        status = dfl_lstsq_create(&form->lstsq, ctx, sys->n3, sys->nc);
    return status;
}

void dfl_formulation_clear(dfl_formulation *form)
{
    if (!form->sys)
        return;
    dfl_context *ctx = form->sys->ctx;
    double *const block[] = {form->J2_store, form->Sp,   form->Sv, form->CB,       form->SM,
                             form->SJ,       form->work, form->q,  form->q_old,    form->rho,
                             form->u,        form->vp,   form->y,  form->momentum, form->pp,
                             form->row_size, form->least};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, form->pivot_p);
    dfl_free(ctx, form->pivot_v);
    dfl_free(ctx, form->active);
    dfl_rows_jacobian_clear(&form->jac, ctx);
    dfl_split_free(form->split1, ctx);
    dfl_split_free(form->split2, ctx);
    dfl_split_free(form->split3, ctx);
    dfl_split_free(form->pivots2, ctx);
    dfl_split_free(form->pivots3, ctx);
    dfl_split_free(form->user_check, ctx);
    dfl_factor_free(form->E_real, ctx);
    for (int k = 0; k < form->max_stages / 2; k++)
        dfl_factor_free(form->E_complex[k], ctx);
    dfl_lstsq_free(form->lstsq, ctx);
}

void dfl_formulation_bind(dfl_formulation *form)
{
    const dfl_solver_options *opt = form->options;
    const int ne = form->sys->eom->ne;
    dfl_rows_jacobian_bind(&form->jac, form->sys);
    form->method = opt->algebraic == DFL_ALGEBRAIC_LU    ? DFL_METHOD_LU
                   : opt->algebraic == DFL_ALGEBRAIC_SVD ? DFL_METHOD_SVD
                                                         : DFL_METHOD_QR;
    form->rank_tolerance = opt->rank_tolerance;
    form->have_selectors = form->have_old = form->suspended = false;
    form->defect = 0;
    memset(form->row_size, 0, (size_t)form->sys->nc * sizeof(double));
    memset(form->active, 1, (size_t)ne);
    form->nactive = ne;
    form->secure = ne == 0 || opt->rigid_invariants;
}

dfl_outcome dfl_formulation_factor(dfl_formulation *form, int nreal, int ncomplex,
                                   const double *zeta)
{
    const int nd = form->nd;
    const size_t count = (size_t)nd * (size_t)nd;
    const double *SM = form->SM + (size_t)form->ma * (size_t)nd;
    const double *SJ = form->SJ + (size_t)form->ma * (size_t)nd;
    const dfl_method method =
        form->options->differential == DFL_DIFFERENTIAL_QR ? DFL_METHOD_QR : DFL_METHOD_LU;
    form->sys->stats->differential_decompositions++;
    form->nreal = nreal;
    form->width = dfl_lanes_width(nreal + 2 * ncomplex);
    form->ncomplex = ncomplex;
    memcpy(form->zeta, zeta, (size_t)(nreal + 2 * ncomplex) * sizeof *zeta);
    bool regular = true;
    if (nreal) {
        double *E = dfl_factor_matrix(form->E_real);
        for (size_t i = 0; i < count; i++)
            E[i] = zeta[0] * SM[i] - SJ[i];
        regular = dfl_factor_compute(form->E_real, nd, method);
    }
    for (int k = 0; regular && k < ncomplex; k++) {
        double *E = dfl_factor_matrix(form->E_complex[k]);
        const double re = zeta[nreal + 2 * k], im = zeta[nreal + 2 * k + 1];
        for (size_t i = 0; i < count; i++) {
            E[2 * i] = re * SM[i] - SJ[i];
            E[2 * i + 1] = im * SM[i];
        }
        regular = dfl_factor_compute(form->E_complex[k], nd, method);
    }
    if (!regular)
        return dfl_system_part_trouble(form->sys, DFL_STEP_SINGULAR, DFL_FAILURE_NEWTON_MATRIX, 0);
    return DFL_STEP_OK;
}

/* What the residuals of all stages are gathered from. */
typedef struct stages {
    const dfl_point *points;
    int count;
    const double *transform; /* over the stages */
    const double *from[DFL_LANES];
} stages;

/* Rows first .. first+count-1 of alg into lanes; returns the place behind them. */
static double *gather_rows(double *rows, stages *st, int first, int count)
{
    for (int k = 0; k < st->count; k++)
        st->from[k] = st->points[k].alg + first;
    dfl_lanes_gather(rows, st->count, st->transform, count, st->from, NULL, NULL);
    return rows + count * dfl_lanes_width(st->count);
}

/* The algebraic rows of all stages, dropped invariants left out. */
static void gather_algebraic(double *rows, const dfl_formulation *form, stages *st)
{
    const dfl_system *sys = form->sys;
    const int ne = sys->eom->ne;
    if (form->nactive == ne) {
        gather_rows(rows, st, 0, sys->m1 + sys->m2 + sys->m3);
        return;
    }
    rows = gather_rows(rows, st, 0, sys->row_e);
    for (int i = 0; i < ne; i++)
        if (form->active[i])
            rows = gather_rows(rows, st, sys->row_e + i, 1);
    gather_rows(rows, st, sys->row_e + ne, sys->m3);
}

/* f_dyn - M v': M constant, so that it may act on transformed derivatives, or stage by stage. */
static dfl_outcome gather_dynamics(double *rho, dfl_formulation *form, stages *st, const double *yp,
                                   const double *xp)
{
    dfl_system *sys = form->sys;
    const int nv = sys->n3;
    if (sys->constant) {
        for (int k = 0; k < st->count; k++)
            st->from[k] = st->points[k].blocks.f;
        if (!sys->diagonal)
            dfl_lanes_mul(form->momentum, form->width, sys->M, nv, nv, yp);
        dfl_lanes_gather(rho, st->count, st->transform, nv, st->from,
                         sys->diagonal ? yp : form->momentum, sys->diagonal ? sys->M : NULL);
        return DFL_STEP_OK;
    }
    for (int k = 0; k < st->count; k++) {
        double *y = form->momentum + k * nv;
        for (int i = 0; i < nv; i++)
            form->vp[i] = xp[i * form->width + k];
        dfl_outcome outcome = dfl_system_dynamics(y, sys, &st->points[k], form->vp);
        if (outcome)
            return outcome;
        st->from[k] = y;
    }
    dfl_lanes_gather(rho, st->count, st->transform, nv, st->from, NULL, NULL);
    return DFL_STEP_OK;
}

dfl_outcome dfl_formulation_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                                     int count, const double *transform, const double *yp,
                                     const double *xp)
{
    dfl_system *sys = form->sys;
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np, width = form->width;
    stages st = {points, count, transform, {NULL}};
    double *rho_v = form->rho + nr * width, *rho_p = rho_v + nv * width;
    gather_algebraic(rows, form, &st);
    for (int k = 0; nr > 0 && k < count; k++)
        st.from[k] = points[k].dif;
    dfl_lanes_gather(form->rho, count, transform, nr, st.from, yp + sys->off_r * width, NULL);
    for (int k = 0; k < count; k++)
        st.from[k] = points[k].blocks.kin;
    dfl_lanes_gather(rho_p, count, transform, np, st.from, yp + sys->off_p * width, NULL);
    return gather_dynamics(rho_v, form, &st, yp + sys->off_v * width, xp + sys->off_v * width);
}

/* u of all shifts from  d - (zeta SM_a - SJ_a) a, both products at hand. `width` is a constant for the
   compiler. */
static inline __attribute__((always_inline)) void
solve_shifts(double *d, int width, dfl_formulation *form, const double *SMa, const double *SJa)
{
    const int nd = form->nd;
    double *b = form->u + 2 * nd * width;
    if (form->nreal) {
        for (int i = 0; i < nd; i++)
            b[i] = d[i * width] - form->zeta[0] * SMa[i * width] + SJa[i * width];
        dfl_factor_solve(form->E_real, b);
        for (int i = 0; i < nd; i++)
            d[i * width] = b[i];
    }
    for (int k = 0; k < form->ncomplex; k++) {
        const int lane = form->nreal + 2 * k;
        const double re = form->zeta[lane], im = form->zeta[lane + 1];
        for (int i = 0; i < nd; i++) {
            const int at = i * width + lane;
            b[2 * i] = d[at] - (re * SMa[at] - im * SMa[at + 1]) + SJa[at];
            b[2 * i + 1] = d[at + 1] - (re * SMa[at + 1] + im * SMa[at]) + SJa[at + 1];
        }
        dfl_factor_solve(form->E_complex[k], b);
        for (int i = 0; i < nd; i++) {
            d[i * width + lane] = b[2 * i];
            d[i * width + lane + 1] = b[2 * i + 1];
        }
    }
}

/* d = S rho */
static void project(double *d, const dfl_formulation *form)
{
    const int nr = form->sys->n2, nv = form->sys->n3, np = form->sys->eom->np, width = form->width;
    const double *rho_v = form->rho + nr * width;
    memcpy(d, form->rho, (size_t)(nr * width) * sizeof *d);
    d += nr * width;
    if (form->sv_identity)
        memcpy(d, rho_v, (size_t)(nv * width) * sizeof *d);
    else
        dfl_lanes_mul(d, width, form->Sv, form->nsv, nv, rho_v);
    dfl_lanes_mul(d + form->nsv * width, width, form->Sp, form->nfp, np, rho_v + nv * width);
}

void dfl_formulation_solve(double *dx, dfl_formulation *form, double *rows)
{
    const int nd = form->nd, ma = form->ma, width = form->width;
    double *SMa = form->u, *SJa = form->u + nd * width, *d = rows + ma * width;
    form->sys->stats->back_substitutions++;
    project(d, form);
    dfl_lanes_mul(SMa, width, form->SM, nd, ma, rows);
    dfl_lanes_mul(SJa, width, form->SJ, nd, ma, rows);
    if (width == 4)
        solve_shifts(d, 4, form, SMa, SJa);
    else
        solve_shifts(d, 8, form, SMa, SJa);
    dfl_lanes_mul(dx, width, form->CB, form->sys->n, form->K, rows);
}

dfl_outcome dfl_formulation_defect(double *err, dfl_formulation *form, const dfl_point *point,
                                   const double *y)
{
    dfl_system *sys = form->sys;
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np, nd = form->nd;
    double *d = form->u, *rho = form->pp;
    for (int i = 0; i < nv; i++)
        form->vp[i] = -y[sys->off_v + i];
    dfl_outcome outcome = dfl_system_dynamics(form->y, sys, point, form->vp);
    if (outcome)
        return outcome;
    for (int i = 0; i < nr; i++)
        d[i] = point->dif[i] + y[sys->off_r + i];
    for (int i = 0; i < np; i++)
        rho[i] = point->blocks.kin[i] + y[sys->off_p + i];
    if (form->sv_identity)
        memcpy(d + nr, form->y, (size_t)nv * sizeof *d);
    else
        dfl_gemm(form->nsv, 1, nv, 1, form->Sv, form->nsv, form->y, nv, 0, d + nr, form->nsv);
    dfl_gemm(form->nfp, 1, np, 1, form->Sp, form->nfp, rho, np, 0, d + nr + form->nsv, form->nfp);
    dfl_factor_solve(form->E_real, d);
    dfl_gemm(sys->n, 1, nd, 1, form->CB + (size_t)form->ma * (size_t)sys->n, sys->n, d, nd, 0, err,
             sys->n);
    return DFL_STEP_OK;
}

/* X1 -= N N^T X1, N = ker of block 1 in the columns [a sigma w l m] */
void dfl_formulation_minimum_norm(double *X, const dfl_formulation *form)
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

/* The minimum-norm solution of W^T l = W^T l_given. */
void dfl_formulation_least_multipliers(dfl_point *point, dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const int nv = sys->n3, nc = sys->nc;
    if (form->defect == 0 || sys->geoms)
        return;
    double *A = form->least, *b = A + nv * nc, *l = b + nv, *given = point->x + sys->off_l;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nc; j++)
            A[j * nv + i] = point->blocks.W[i * nc + j];
    dfl_gemm(nv, 1, nc, 1, A, nv, given, nc, 0, b, nv);
    if (dfl_lstsq_solve(l, form->lstsq, nv, nc, A, b, form->rank_tolerance, NULL))
        memcpy(given, l, (size_t)nc * sizeof *l);
}

bool dfl_formulation_suspend(dfl_formulation *form)
{
    if (form->nactive == 0 || form->options->rigid_invariants)
        return false;
    form->suspended = true;
    return true;
}

void dfl_formulation_accepted(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const int ne = sys->eom->ne;
    if (form->nactive < ne)
        sys->stats->steps_without_invariants++;
    form->suspended = false;
    form->have_old = ne > 0 && !form->options->rigid_invariants;
    memcpy(form->q_old, form->q, (size_t)ne * (size_t)sys->n3 * sizeof(double));
}
