/* The projected forms in an iteration of a Runge-Kutta method: increments of all stages at once.

   The stages X = x + Z have the derivatives A^-1 Z / h and the rows a = alg(X), f = dif(X).
   Newton's increments dX = CB [a; u] (reduced.h) solve J dX = -a for every u, and

       S diag(I,M,I) A^-1 (Z + dX) / h = S (f + JD dX)

   for the right u. S, M and all derivatives are the same for all stages, so that A^-1 / h = T
   Lambda T^-1 decouples what is left, nd rows:

       (Lambda SM_u - SJ_u) T^-1 u = T^-1 (S f + SJ_a a) - Lambda T^-1 (S diag(I,M,I) Z + SM_a a)

   Rows are projected, then transformed: three transformations of nd rows instead of two of nearly
   all rows and unknowns. If rows are a - v', M means I. If they are f_dyn - M v' with an M that
   varies, they are formed stage by stage, and the factor of Z_v is zero. */
#include "formulation/projected.h"
#include "formulation/stage_plan.h"
#include "linalg/linalg.h"

#include <float.h>
#include <string.h>

static dfl_outcome evaluate(dfl_projected *form, const dfl_stages *st);
static dfl_outcome subtract_momenta(dfl_projected *form, const dfl_stages *st);
DFL_WIDE static double solve_stages(const dfl_projected *form, const dfl_stages *st);

dfl_outcome dfl_projected_increment(double *squares, dfl_formulation *base, const dfl_stages *st,
                                    double *rows)
{
    dfl_projected *form = (dfl_projected *)base;
    if (!form->plan->valid)
        dfl_stage_plan_renew(form->plan, form, st, rows);
    dfl_outcome outcome = evaluate(form, st);
    if (outcome)
        return outcome;
    *squares = solve_stages(form, st);
    return DFL_STEP_OK;
}

static dfl_outcome evaluate(dfl_projected *form, const dfl_stages *st)
{
    dfl_system *sys = form->base.sys;
    dfl_outcome outcome = dfl_system_call(sys, st->points, st->count);
    for (int k = 0; !outcome && !dfl_system_combines_in_lanes(sys) && k < st->count; k++)
        outcome = dfl_system_finish(sys, &st->points[k]);
    if (!outcome && form->base.stagewise)
        outcome = dfl_stagewise_solve(form, st->points, st->count);
    if (!outcome && form->base.reads_rates)
        outcome = subtract_momenta(form, st);
    return outcome;
}

/* form->momentum (nv numbers of each stage) = f_dyn - M v', stage by stage */
static dfl_outcome subtract_momenta(dfl_projected *form, const dfl_stages *st)
{
    dfl_system *sys = form->base.sys;
    const int nv = sys->n3, width = form->base.width;
    double *rate = form->rates;
    dfl_lanes_transform(rate, st->count, st->AI, nv, st->Z + sys->at.v * width);
    for (int k = 0; k < st->count; k++) {
        for (int i = 0; i < nv; i++)
            form->dense.vp[i] = rate[i * width + k] / st->h;
        dfl_outcome outcome =
            dfl_system_dynamics(form->momentum + k * nv, sys, &st->points[k], form->dense.vp);
        if (outcome)
            return outcome;
    }
    return DFL_STEP_OK;
}

static DFL_INLINE void collect(int stages, int quads, const dfl_stage_plan *plan, segment s)
{
    const double *first = plan->first;
    const long distance = plan->distance;
    for (; s.at < s.end; s.at++, s.lanes += 4 * quads) {
        dfl_four y[2];
        dfl_lane_pick(y, stages, first + *s.at, distance);
        dfl_lane_store(s.lanes, quads, y);
    }
}

/* n entries of each stage that are not stored at points, one stage after another. */
static DFL_INLINE void collect_apart(int stages, int quads, double *lanes, long n,
                                     const double *entry)
{
    for (long i = 0; i < n; i++, lanes += 4 * quads) {
        dfl_four y[2];
        dfl_lane_pick(y, stages, entry + i, n);
        dfl_lane_store(lanes, quads, y);
    }
}

/* Lanes of n components of x + Z. */
static DFL_INLINE void place(int quads, double *lanes, long n, const double *x, const double *Z)
{
    for (const double *end = x + n; x < end; x++, lanes += 4 * quads, Z += 4 * quads) {
        const double start = *x;
        for (int q = 0; q < quads; q++)
            *(dfl_quad *)(lanes + 4 * q) = start + *(const dfl_quad *)(Z + 4 * q);
    }
}

/* f_dyn = f - W^T (l, m), a = M^-1 f_dyn with a constant diagonal M, and gII, hI = bias + W a; f
   becomes f_dyn or a. What is read repeatedly is in local variables: for the compiler, a store of
   lanes may change anything. */
static DFL_INLINE void combine_forces(int quads, const dfl_stage_plan *plan, const double *x,
                                      bool rates_are_a)
{
    const long nv = plan->dyn.nv, nc = plan->dyn.nc, width = 4 * quads;
    const double *l = x + plan->dyn.at_l, *Zl = plan->dyn.Z_l, *M_inv = plan->dyn.M_inv,
                 *W = plan->W.lanes;
    double *acc = plan->dyn.acc, *f = plan->f.lanes;
    for (long j = 0; j < nv; j++, f += width, W += nc * width)
        for (int q = 0; q < quads; q++) {
            dfl_four y = *(const dfl_quad *)(f + 4 * q);
            for (long i = 0; i < nc; i++)
                y -= *(const dfl_quad *)(W + i * width + 4 * q) *
                     (l[i] + *(const dfl_quad *)(Zl + i * width + 4 * q));
            const dfl_four a = M_inv[j] * y;
            *(dfl_quad *)(f + 4 * q) = rates_are_a ? a : y;
            for (long i = 0; i < nc; i++)
                *(dfl_quad *)(acc + i * width + 4 * q) +=
                    *(const dfl_quad *)(W + i * width + 4 * q) * a;
        }
}

/* The same for a single constraint, from f and W of all stages: only f_dyn or a and gII leave the
   registers. */
static DFL_INLINE void combine_single(int stages, int quads, const dfl_stage_plan *plan,
                                      const double *x, bool rates_are_a)
{
    const long width = 4 * quads, distance = plan->distance;
    const double *first = plan->first, *M_inv = plan->dyn.M_inv;
    const int *at_f = plan->f.at, *end = plan->f.end, *at_W = plan->W.at;
    double *f = plan->f.lanes;
    dfl_four l[2], sum[2];
    for (int q = 0; q < quads; q++) {
        l[q] = x[plan->dyn.at_l] + *(const dfl_quad *)(plan->dyn.Z_l + 4 * q);
        sum[q] = *(const dfl_quad *)(plan->dyn.acc + 4 * q);
    }
    for (; at_f < end; at_f++, at_W++, M_inv++, f += width) {
        dfl_four y[2], W[2];
        dfl_lane_pick(y, stages, first + *at_f, distance);
        dfl_lane_pick(W, stages, first + *at_W, distance);
        const double inverse = *M_inv;
        for (int q = 0; q < quads; q++) {
            y[q] -= W[q] * l[q];
            const dfl_four a = inverse * y[q];
            *(dfl_quad *)(f + 4 * q) = rates_are_a ? a : y[q];
            sum[q] += W[q] * a;
        }
    }
    dfl_lane_store(plan->dyn.acc, quads, sum);
}

/* The right-hand side of M v' or v'. */
static DFL_INLINE void collect_forces(int stages, int quads, const dfl_stage_plan *plan,
                                      const double *x, bool rates_are_a)
{
    if (plan->dyn.momentum) {
        collect_apart(stages, quads, plan->f.lanes, plan->dyn.nv, plan->dyn.momentum);
    } else if (plan->dyn.M_inv && plan->dyn.nc == 1) {
        combine_single(stages, quads, plan, x, rates_are_a);
    } else {
        collect(stages, quads, plan, plan->f);
        collect(stages, quads, plan, plan->W);
        if (plan->dyn.M_inv)
            combine_forces(quads, plan, x, rates_are_a);
    }
}

/* The algebraic rows and, in rho, the right-hand sides of r', M v' or v', p'. */
static DFL_INLINE void collect_rows(int stages, int quads, const dfl_projected *form,
                                    const double *x)
{
    const dfl_stage_plan *plan = form->plan;
    collect_apart(stages, quads, plan->own.lanes, plan->own.n, form->own.rows);
    collect(stages, quads, plan, plan->alg);
    collect(stages, quads, plan, plan->r);
    collect(stages, quads, plan, plan->kin);
    place(quads, plan->kin.lanes, plan->shift.n, x + plan->shift.at, plan->shift.Z);
    collect_forces(stages, quads, plan, x, form->base.rates_are_a);
}

/* Sums d and y of `rows` rows: d += A X, y += B V, n columns. */
static DFL_INLINE void add_products(int rows, int quads, dfl_four d[2][2], dfl_four y[2][2],
                                    const double *A, const double *B, long ld, long n,
                                    const double *X, const double *V)
{
    for (const double *end = X + n * 4 * quads; X < end; X += 4 * quads, V += 4 * quads) {
        for (int i = 0; i < rows; i++)
            for (int q = 0; q < quads; q++) {
                d[i][q] += A[i] * *(const dfl_quad *)(X + 4 * q);
                y[i][q] += B[i] * *(const dfl_quad *)(V + 4 * q);
            }
        A += ld;
        B += ld;
    }
}

static DFL_INLINE void project_rows(int rows, int quads, const dfl_stage_plan *plan, const block *b,
                                    long i)
{
    const int width = 4 * quads;
    const double rate = plan->rate;
    double *d = b->d + i * width, *y = b->y + i * width;
    dfl_four left[2][2] = {{{0}, {0}}, {{0}, {0}}}, right[2][2] = {{{0}, {0}}, {{0}, {0}}};
    add_products(rows, quads, left, right, b->S + i, b->SM + i, b->m, b->n, b->f, b->Z);
    add_products(rows, quads, left, right, b->SJ_a + i, b->SM_a + i, plan->nd, b->na, b->alg,
                 b->alg);
    for (int k = 0; k < rows; k++) {
        dfl_lane_store(d + k * width, quads, left[k]);
        for (int q = 0; q < quads; q++)
            *(dfl_quad *)(y + k * width + 4 * q) = rate * right[k][q];
    }
}

static DFL_INLINE void project_block(int quads, const dfl_stage_plan *plan, const block *b)
{
    long i = 0;
    for (; i + 2 <= b->m; i += 2)
        project_rows(2, quads, plan, b, i);
    if (i < b->m)
        project_rows(1, quads, plan, b, i);
}

/* d = S f + SJ_a a,  y = (S diag(I,M,I) Z + SM_a a) / h */
static DFL_INLINE void project(int quads, const dfl_projected *form)
{
    const dfl_stage_plan *plan = form->plan;
    const int width = 4 * quads;
    for (long i = 0; i < plan->nr; i++) {
        const double one = 1;
        const block r = {.S = &one,
                         .SM = &one,
                         .m = 1,
                         .n = 1,
                         .f = plan->r.lanes + i * width,
                         .Z = plan->Z_r + i * width,
                         .SJ_a = form->newton.SJ + i,
                         .SM_a = form->newton.SM + i,
                         .alg = plan->lanes,
                         .na = plan->ma,
                         .d = plan->lanes + (plan->ma + i) * width,
                         .y = form->moved + i * width};
        project_rows(1, quads, plan, &r, 0);
    }
    project_block(quads, plan, &plan->v);
    project_block(quads, plan, &plan->p);
}

/* x = T^-1 d - h Lambda T^-1 (y / h) for one component */
static DFL_INLINE void decouple(int stages, int quads, dfl_four x[2], const dfl_stages *st,
                                const double *d, const double *y)
{
    dfl_four right[2];
    dfl_lane_transform_one(x, stages, quads, st->TI, d);
    dfl_lane_transform_one(right, stages, quads, st->LTI, y);
    for (int q = 0; q < quads; q++)
        x[q] -= right[q];
}

/* u = T E^-1 (T^-1 d - h Lambda T^-1 (y / h)), d is where u will be. Two components stay in
   registers. */
static DFL_INLINE void solve_decoupled(int stages, int quads, const dfl_projected *form,
                                       const dfl_stages *st)
{
    const dfl_stage_plan *plan = form->plan;
    const long width = 4 * quads, nd = plan->nd;
    double *u = plan->dZ.u;
    const double *y = form->moved;
    if (plan->inverse) {
        dfl_four x[2][2];
        decouple(stages, quads, x[0], st, u, y);
        decouple(stages, quads, x[1], st, u + width, y + width);
        dfl_lane_multiply_two(quads, u, x, plan->inverse);
    } else {
        for (long i = 0; i < nd; i++) {
            dfl_four x[2];
            decouple(stages, quads, x, st, u + i * width, y + i * width);
            dfl_lane_store(u + i * width, quads, x);
        }
        dfl_shifted_solve(form->newton.E, u);
    }
    dfl_lane_transform(stages, quads, u, st->T, nd, u);
}

/* dZ = CB [a; u] without the blocks of CB that are zero (general_solution.c): [s p] depend on a3
   u_p, v on a2 a3 u_p u_v, r on u_r. If the stages have their own matrices, the first unknowns
   contain -a1. */
static DFL_INLINE void multiply_blocks(int quads, double *dZ, const dfl_projected *form,
                                       const double *rows)
{
    const dfl_system *sys = form->base.sys;
    const long n = sys->n, m1 = sys->m1, n1 = sys->n1, n3 = sys->n3, off_v = sys->at.v,
               off_sp = sys->at.sp, width = 4 * quads;
    const long a2 = m1, a3 = a2 + form->m2, u_p = form->newton.ma, u_v = u_p + form->newton.nfp,
               u_r = u_v + form->newton.nfv, own = form->base.stagewise ? m1 : 0;
    const double *CB = form->newton.CB;
    dfl_lane_mul(quads, dZ, CB + own * n, n, n1, form->newton.K - own, rows + own * width);
    for (long i = 0; i < own * width; i++)
        dZ[i] -= rows[i];
    memcpy(dZ + sys->at.r * width, rows + u_r * width, (size_t)(sys->n2 * width) * sizeof *dZ);
    dfl_lane_mul(quads, dZ + off_v * width, CB + a2 * n + off_v, n, n3, u_r - a2,
                 rows + a2 * width);
    dfl_lane_mul(quads, dZ + off_sp * width, CB + a3 * n + off_sp, n, sys->n4, u_v - a3,
                 rows + a3 * width);
}

/* Up to six rows of dZ in registers, added to Z: X = x + Z at the stages. */
static DFL_INLINE void move_rows(int rows, int stages, int quads, const dfl_four dZ[12], double *Z,
                                 const double *x, double *stage, long distance)
{
    DFL_UNROLL
    for (int i = 0; i < rows; i++) {
        const double start = x[i];
        dfl_four X[2];
        DFL_UNROLL
        for (int q = 0; q < quads; q++) {
            dfl_quad *z = (dfl_quad *)(Z + 4 * (i * quads + q));
            const dfl_four now = *z + dZ[i * quads + q];
            *z = now;
            X[q] = start + now;
        }
        DFL_UNROLL
        for (int k = 0; k < stages; k++)
            stage[k * distance + i] = X[k / 4][k % 4];
    }
}

/* dZ = CB [a; u] of a few rows, cheaper with the zeros in CB than without them. dZ is measured and
   added without leaving the registers. */
static DFL_INLINE double expand_few(int rows, int stages, int quads, const dfl_stage_plan *plan,
                                    const dfl_stages *st)
{
    const double *weight = st->weight;
    double *increment = st->dZ;
    dfl_four dZ[12], sum[2] = {{0}, {0}};
    dfl_lane_sum_rows(rows, quads, dZ, plan->dZ.CB, rows, plan->dZ.K, plan->lanes);
    DFL_UNROLL
    for (int i = 0; i < rows * quads; i++) {
        const dfl_four y = weight[i / quads] * dZ[i];
        sum[i % 2] += y * y;
    }
    DFL_UNROLL
    for (int i = 0; i < rows * quads; i++)
        *(dfl_quad *)(increment + 4 * i) = dZ[i];
    const double squares = dfl_lane_add_up(sum[0] + sum[1]);
    if (squares <= DBL_MAX)
        move_rows(rows, stages, quads, dZ, st->Z, st->x, st->points->x, plan->distance);
    return squares;
}

/* dZ = CB [a; u], Z += dZ and the stages, unless dZ is not finite: returns the squares of weighted
   dZ. */
static DFL_INLINE double expand(int stages, int quads, const dfl_projected *form,
                                const dfl_stages *st)
{
    const dfl_stage_plan *plan = form->plan;
    switch (plan->dZ.few) {
    case 6:
        return expand_few(6, stages, quads, plan, st);
    case 5:
        return expand_few(5, stages, quads, plan, st);
    case 4:
        return expand_few(4, stages, quads, plan, st);
    case 3:
        return expand_few(3, stages, quads, plan, st);
    case 2:
        return expand_few(2, stages, quads, plan, st);
    case 1:
        return expand_few(1, stages, quads, plan, st);
    }
    if (plan->dZ.whole)
        dfl_lane_mul(quads, st->dZ, plan->dZ.CB, plan->dZ.n, plan->dZ.n, plan->dZ.K, plan->lanes);
    else
        multiply_blocks(quads, st->dZ, form, plan->lanes);
    const double sum = dfl_lane_squares(quads, st->dZ, (int)plan->dZ.n, st->weight);
    if (sum <= DBL_MAX)
        dfl_lane_scatter(stages, quads, st->points->x, plan->distance, (int)plan->dZ.n, st->x,
                         st->Z, st->dZ);
    return sum;
}

/* From the rows of evaluated stages to their increments. */
DFL_WIDE static double solve_stages(const dfl_projected *form, const dfl_stages *st)
{
#define SOLVE(stages, quads)                                                                       \
    do {                                                                                           \
        collect_rows(stages, quads, form, st->x);                                                  \
        project(quads, form);                                                                      \
        solve_decoupled(stages, quads, form, st);                                                  \
        return expand(stages, quads, form, st);                                                    \
    } while (0)
    DFL_FOR_STAGES(st->count, SOLVE);
#undef SOLVE
}
