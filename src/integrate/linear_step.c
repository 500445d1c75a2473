/* linear_step.c: a step of Radau IIA as a linear map of derivatives (linear_step.h). */
#include "integrate/linear_step.h"

#include <string.h>

dfl_status dfl_linear_step_init(dfl_linear_step *step, dfl_system *sys, dfl_formulation *form,
                                int stages, int columns)
{
    dfl_context *ctx = sys->ctx;
    const size_t s = (size_t)stages, k = (size_t)columns, d = sizeof(double);
    const size_t room = (size_t)dfl_formulation_room(form);
    const int nd = sys->n2 + sys->n3 + sys->n4 + sys->nc;
    step->sys = sys;
    step->stages = stages;
    step->columns = columns;
    dfl_status status = dfl_formulation_twin(&step->twin, form);
    for (int i = 0; !status && i < stages; i++)
        status = dfl_stage_solution_init(&step->at[i], form);
    if (!status)
        status = dfl_factor_create(&step->K, ctx, stages * nd, false);
    if (status)
        return status;
    step->alg = dfl_alloc(ctx, (size_t)(sys->m1 + sys->m2 + sys->m3), d);
    step->selection = dfl_alloc(ctx, dfl_formulation_selection_size(form), 1);
    step->u = dfl_alloc(ctx, s * k * (size_t)nd, d);
    step->rates = dfl_alloc(ctx, (s + 1) * k * (size_t)nd, d);
    step->c = dfl_alloc(ctx, s * k * room, d);
    step->d = dfl_alloc(ctx, s * k * (size_t)sys->mdif, d);
    step->x = dfl_alloc(ctx, s * k * (size_t)sys->n, d);
    step->momenta = sys->eom->n0 > 0;
    const bool varies = step->momenta && !sys->mass.constant;
    step->mixed = varies ? dfl_alloc(ctx, (size_t)nd * room, d) : NULL;
    const bool all =
        step->alg && step->selection && step->u && step->rates && step->c && step->d && step->x;
    return all && (step->mixed || !varies) ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_linear_step_clear(dfl_linear_step *step)
{
    if (!step->sys)
        return;
    dfl_context *ctx = step->sys->ctx;
    for (int i = 0; i < step->stages; i++)
        dfl_stage_solution_clear(&step->at[i], ctx);
    dfl_formulation_free(step->twin);
    dfl_factor_free(step->K, ctx);
    dfl_free(ctx, step->alg);
    dfl_free(ctx, step->selection);
    dfl_free(ctx, step->u);
    dfl_free(ctx, step->rates);
    dfl_free(ctx, step->c);
    dfl_free(ctx, step->d);
    dfl_free(ctx, step->x);
    dfl_free(ctx, step->mixed);
    *step = (dfl_linear_step){0};
}

/* (A^-1)_ij / h */
static double rate(const dfl_linear_step *step, int i, int j)
{
    return step->rk->AI[i * step->rk->stages + j] / step->h;
}

/* R_i CB_j, nd x (ma + nd), if R_i varies */
static const double *mixed_rows(const dfl_linear_step *step, int i, int j)
{
    const dfl_system *sys = step->sys;
    const dfl_stage_solution *of = &step->at[j];
    const int nd = of->nd, K = of->ma + nd;
    if (i == j)
        return of->SM;
    memcpy(step->mixed, of->SM, (size_t)(nd * K) * sizeof *step->mixed);
    dfl_gemm(of->nsv, K, sys->n3, 1, step->at[i].Rv, of->nsv, of->CB + sys->at.v, sys->n, 0,
             step->mixed + sys->n2, nd);
    return step->mixed;
}

/* K := factor A (nd x nd), with the given distances between rows and columns of K */
static DFL_INLINE void put(double *K, int down, int right, const double *A, double factor, int nd)
{
    for (int l = 0; l < nd; l++, K += right, A += nd)
        for (int k = 0; k < nd; k++)
            K[k * down] = factor * A[k];
}

/* K = ((A^-1)_ij/h R_i CB_u,j - delta_ij SJ_u,i) */
static void fill(dfl_linear_step *step, bool transposed)
{
    const int s = step->rk->stages, nd = step->at[0].nd, order = s * nd;
    const int down = transposed ? order : 1, right = transposed ? 1 : order;
    for (int j = 0; j < s; j++) {
        const dfl_stage_solution *at = &step->at[j];
        double *K = dfl_factor_matrix(step->K) + j * nd * right;
        const double *SJ = at->SJ + at->ma * nd;
        for (int i = 0; i < s; i++) {
            const double *SM = (step->mixed ? mixed_rows(step, i, j) : at->SM) + at->ma * nd;
            put(K + i * nd * down, down, right, SM, rate(step, i, j), nd);
        }
        for (int l = 0; l < nd; l++)
            for (int k = 0; k < nd; k++)
                K[(j * nd + k) * down + l * right] -= SJ[l * nd + k];
    }
}

dfl_outcome dfl_linear_step_build(dfl_linear_step *step, const dfl_coefficients *rk, double h,
                                  const dfl_point *stage, const dfl_rows_jacobian *jac,
                                  bool transposed)
{
    dfl_outcome outcome = DFL_STEP_OK;
    step->rk = rk;
    step->h = h;
    dfl_formulation_select(step->twin, step->selection);
    for (int i = 0; !outcome && i < rk->stages; i++)
        outcome = dfl_formulation_solution(&step->at[i], step->twin, &jac[i], stage[i].t);
    if (outcome)
        return outcome;
    fill(step, transposed);
    return dfl_factor_compute(step->K, rk->stages * step->at[0].nd, DFL_METHOD_LU)
               ? DFL_STEP_OK
               : dfl_system_part_trouble(step->sys, DFL_STEP_SINGULAR, DFL_FAILURE_NEWTON_MATRIX,
                                         stage[0].t);
}

static bool is_used(int row, const dfl_stage_solution *at, const dfl_system *sys)
{
    const int e = row - sys->row.e;
    return e < 0 || e >= sys->eom->ne || at->active[e];
}

void dfl_linear_step_compress(double *c, const double *alg, const dfl_stage_solution *at,
                              const dfl_system *sys)
{
    for (int i = 0; i < sys->m1 + sys->m2 + sys->m3; i++)
        if (is_used(i, at, sys))
            *c++ = alg[i];
}

/* The way back, with zeros for the other rows. */
static void expand(double *alg, const double *c, const dfl_stage_solution *at,
                   const dfl_system *sys)
{
    for (int i = 0; i < sys->m1 + sys->m2 + sys->m3; i++)
        alg[i] = is_used(i, at, sys) ? *c++ : 0;
}

/* Columns of a matrix with leading dimension ld. */
typedef struct columns {
    const double *r, *v, *p;
    int ld, count;
} columns;

/* Y (nd x count, leading dimension ld) += factor S [r; v; p], with Sv or Rv for v */
static void add_selected(double *Y, int ld, const dfl_linear_step *step,
                         const dfl_stage_solution *at, const double *Sv, double factor,
                         const columns *of)
{
    const dfl_system *sys = step->sys;
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np;
    for (int j = 0; j < of->count; j++)
        for (int i = 0; i < nr; i++)
            Y[j * ld + i] += factor * of->r[j * of->ld + i];
    dfl_gemm(at->nsv, of->count, nv, factor, Sv, at->nsv, of->v, of->ld, 1, Y + nr, ld);
    dfl_gemm(at->nfp, of->count, np, factor, at->Sp, at->nfp, of->p, of->ld, 1, Y + nr + at->nsv,
             ld);
}

/* [r; v; p] += factor S^T y, alike */
static void add_expanded(double *r, double *v, double *p, const dfl_stage_solution *at,
                         const dfl_system *sys, const double *Sv, double factor, const double *y)
{
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np;
    for (int i = 0; i < nr; i++)
        r[i] += factor * y[i];
    dfl_gemm_tn(nv, 1, at->nsv, factor, Sv, at->nsv, y + nr, at->nsv, 1, v, nv);
    dfl_gemm_tn(np, 1, at->nfp, factor, at->Sp, at->nfp, y + nr + at->nsv, at->nfp, 1, p, np);
}

/* sum_j (A^-1)_ij / h */
static double rate_of_start(const dfl_linear_step *step, int i)
{
    double sum = 0;
    for (int j = 0; j < step->rk->stages; j++)
        sum += rate(step, i, j);
    return sum;
}

/* alpha and u of stage i, (ma + nd) x columns */
static double *coefficients(const dfl_linear_step *step, int i)
{
    return step->c + (size_t)i * (size_t)step->columns * (size_t)(step->at[0].ma + step->at[0].nd);
}

/* Whether parameters change b, a or kin while the unknowns are fixed. */
static bool has_dif(const dfl_linear_step *step)
{
    const dfl_system *sys = step->sys;
    return !sys->carried || step->momenta || sys->n2 > 0 || !sys->eom->trivial_kinematics;
}

static double *dif_of(const dfl_linear_step *step, int i)
{
    return step->d + (size_t)i * (size_t)step->columns * (size_t)step->sys->mdif;
}

const double *dfl_linear_step_values(const dfl_linear_step *step, int i)
{
    return step->x + (size_t)i * (size_t)step->columns * (size_t)step->sys->n;
}

/* alg by a parameter; the values of invariants (level, ne + nep) are those of the start */
static void load_alg(dfl_linear_step *step, int i, int column, const dfl_rows_jacobian *jac,
                     const dfl_jacobian *slopes, const double *level)
{
    const dfl_system *sys = step->sys;
    const int ne = sys->eom->ne, nep = sys->eom->nep;
    double *c = coefficients(step, i) + column * (step->at[0].ma + step->at[0].nd);
    double *alg = ne > 0 ? step->alg : c, *ep = alg + sys->m1 + sys->m2 + sys->m3 - nep;
    dfl_alg_by_parameter(alg, jac, sys, slopes, column);
    for (int k = 0; k < ne; k++)
        alg[sys->row.e + k] -= level[k];
    for (int k = 0; k < nep; k++)
        ep[k] -= level[ne + k];
    if (ne > 0)
        dfl_linear_step_compress(c, alg, &step->at[0], sys);
}

void dfl_linear_step_load(dfl_linear_step *step, int i, const dfl_rows_jacobian *jac,
                          const dfl_jacobian *slopes, const double *level, int count)
{
    const dfl_system *sys = step->sys;
    for (int j = 0; j < count; j++) {
        load_alg(step, i, j, jac, slopes, level + j * (sys->eom->ne + sys->eom->nep));
        if (has_dif(step))
            dfl_dif_by_parameter(dif_of(step, i) + j * sys->mdif, jac, sys, slopes, step->momenta,
                                 j);
    }
}

/* u_j (nd x count) = sum_i (A^-1)_ji/h (R Y_k - R CB_a,i alpha_i): the same R at all stages */
static void add_common_rates(dfl_linear_step *step, const columns *start)
{
    const int s = step->rk->stages, ma = step->at[0].ma, nd = step->at[0].nd, count = start->count;
    const int order = s * nd;
    const size_t each = (size_t)(nd * count);
    double *of_start = step->rates + (size_t)s * each;
    memset(of_start, 0, each * sizeof *of_start);
    add_selected(of_start, nd, step, &step->at[0], step->at[0].Rv, 1, start);
    for (int i = 0; i < s; i++) {
        double *rates = step->rates + (size_t)i * each;
        memcpy(rates, of_start, each * sizeof *rates);
        dfl_gemm(nd, count, ma, -1, step->at[i].SM, nd, coefficients(step, i), ma + nd, 1, rates,
                 nd);
    }
    for (int l = 0; l < count; l++)
        dfl_gemm(nd, s, s, 1 / step->h, step->rates + l * nd, nd * count, step->rk->AI, s, 1,
                 step->u + l * order, nd);
}

/* The same with R_j of each stage. */
static void add_mixed_rates(dfl_linear_step *step, const columns *start)
{
    const int s = step->rk->stages, ma = step->at[0].ma, nd = step->at[0].nd, order = s * nd;
    for (int j = 0; j < s; j++) {
        double *u = step->u + j * nd;
        add_selected(u, order, step, &step->at[j], step->at[j].Rv, rate_of_start(step, j), start);
        for (int i = 0; i < s; i++)
            dfl_gemm(nd, start->count, ma, -rate(step, j, i), mixed_rows(step, j, i), nd,
                     coefficients(step, i), ma + nd, 1, u, order);
    }
}

void dfl_linear_step_solve(dfl_linear_step *step, const double *y_k, int count)
{
    const dfl_system *sys = step->sys;
    const int s = step->rk->stages, n = sys->n, ma = step->at[0].ma, nd = step->at[0].nd;
    const int K = ma + nd, order = s * nd, nr = sys->n2, nv = sys->n3;
    const columns start = {y_k + sys->at.r, y_k + sys->at.v, y_k + sys->at.p, n, count};
    memset(step->u, 0, (size_t)order * (size_t)count * sizeof *step->u);
    if (step->mixed)
        add_mixed_rates(step, &start);
    else
        add_common_rates(step, &start);
    for (int i = 0; i < s; i++) {
        const dfl_stage_solution *at = &step->at[i];
        const double *d = dif_of(step, i);
        const columns dif = {d, d + nr, d + nr + nv, sys->mdif, count};
        double *rhs = step->u + i * nd;
        if (has_dif(step))
            add_selected(rhs, order, step, at, at->Sv, 1, &dif);
        dfl_gemm(nd, count, ma, 1, at->SJ, nd, coefficients(step, i), K, 1, rhs, order);
    }
    for (int j = 0; j < count; j++)
        dfl_factor_solve(step->K, step->u + j * order);
    for (int i = 0; i < s; i++) {
        double *c = coefficients(step, i);
        for (int j = 0; j < count; j++)
            for (int k = 0; k < nd; k++)
                c[j * K + ma + k] = step->u[j * order + i * nd + k];
        dfl_gemm(n, count, K, 1, step->at[i].CB, n, c, K, 0, step->x + i * step->columns * n, n);
    }
}

/* c (ma) -= sum_j (A^-1)_ji/h (R_j CB_a,i)^T mu_j, mu in step->u */
static void add_rates(double *c, dfl_linear_step *step, int i)
{
    const int s = step->rk->stages, ma = step->at[i].ma, nd = step->at[i].nd;
    double *rates = step->rates;
    memset(rates, 0, (size_t)nd * sizeof *rates);
    for (int j = 0; j < s; j++) {
        const double *mu = step->u + j * nd;
        if (step->mixed)
            dfl_gemm_tn(ma, 1, nd, -rate(step, j, i), mixed_rows(step, j, i), nd, mu, nd, 1, c, ma);
        else
            for (int k = 0; k < nd; k++)
                rates[k] -= rate(step, j, i) * mu[k];
    }
    if (!step->mixed)
        dfl_gemm_tn(ma, 1, nd, 1, step->at[i].SM, nd, rates, nd, 1, c, ma);
}

void dfl_linear_step_transpose(dfl_point *points, dfl_linear_step *step, double *y_k)
{
    const dfl_system *sys = step->sys;
    const int s = step->rk->stages, n = sys->n, ma = step->at[0].ma, nd = step->at[0].nd;
    const int K = ma + nd, nr = sys->n2, nv = sys->n3, np = sys->eom->np;
    for (int i = 0; i < s; i++) {
        dfl_gemm_tn(K, 1, n, 1, step->at[i].CB, n, points[i].x, n, 0, step->c + i * K, K);
        memcpy(step->u + i * nd, step->c + i * K + ma, (size_t)nd * sizeof *step->u);
    }
    dfl_factor_solve(step->K, step->u);
    for (int i = 0; i < s; i++) {
        const dfl_stage_solution *at = &step->at[i];
        const double *mu = step->u + i * nd;
        double *c = step->c + i * K;
        dfl_gemm_tn(ma, 1, nd, 1, at->SJ, nd, mu, nd, 1, c, ma);
        add_rates(c, step, i);
        expand(points[i].alg, c, at, sys);
        memset(points[i].blocks.b, 0, (size_t)nr * sizeof *mu);
        memset(points[i].a, 0, (size_t)nv * sizeof *mu);
        memset(points[i].blocks.kin, 0, (size_t)np * sizeof *mu);
        add_expanded(points[i].blocks.b, points[i].a, points[i].blocks.kin, at, sys, at->Sv, 1, mu);
        add_expanded(y_k + sys->at.r, y_k + sys->at.v, y_k + sys->at.p, at, sys, at->Rv,
                     rate_of_start(step, i), mu);
    }
}
