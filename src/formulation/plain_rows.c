/* The rows of the plain forms at a stage, and what an integrator makes of them (plain.h). */
#include "formulation/plain.h"

#include <math.h>
#include <string.h>

static dfl_outcome stage_rows(double *F, dfl_plain *plain, const dfl_point *point,
                              const double *rate);
static dfl_outcome set_corrections(dfl_plain *plain, const dfl_point *point);
static dfl_outcome dynamic_rows(double *F, dfl_plain *plain, const dfl_point *point,
                                const double *rate);
static dfl_outcome kinematic_rows(double *F, dfl_plain *plain, const dfl_point *point,
                                  const double *rate);
static void acceleration_rows(double *F, const dfl_plain *plain, const dfl_point *point,
                              const double *rate);
static void multiplier_rows(double *F, const dfl_plain *plain, const dfl_point *point);
static void acceleration_defect(double *F, dfl_plain *plain, const dfl_point *point);
static void put(double *to, bool present, const double *from, int count);

dfl_outcome dfl_plain_residual(double *rows, dfl_formulation *base, const dfl_point *points,
                               int count, const double *transform, const double *yp,
                               const double *xp)
{
    dfl_plain *plain = (dfl_plain *)base;
    const int n = plain->n, width = plain->base.width;
    (void)rows, (void)yp;
    for (int k = 0; k < count; k++) {
        double *F = plain->F + (size_t)k * (size_t)n;
        for (int i = plain->base.sys->at.r; i < n; i++)
            plain->rate[i] = xp[i * width + k];
        dfl_outcome outcome = stage_rows(F, plain, &points[k], plain->rate);
        if (outcome)
            return outcome;
    }
    dfl_lanes_gather(plain->rho, count, transform, n, plain->F, n, NULL, NULL);
    return DFL_STEP_OK;
}

/* gII and hI contain derivatives: W v' + bias. */
static bool acceleration_rows_have_rates(const dfl_plain *plain)
{
    const dfl_acceleration a = plain->base.traits->acceleration;
    return (a == DFL_ACC_RATE || a == DFL_ACC_CORRECTED) && !plain->base.sys->geoms;
}

/* Rows up to row_a contain derivatives. */
dfl_outcome dfl_plain_mixed(double *rows, dfl_formulation *base, const dfl_point *differential,
                            const dfl_point *algebraic, double weight, const double *yp,
                            const double *xp)
{
    dfl_plain *plain = (dfl_plain *)base;
    const double weighted[DFL_LANES] = {weight};
    dfl_outcome outcome = dfl_plain_residual(rows, base, differential, 1, weighted, yp, xp);
    if (!outcome)
        outcome = stage_rows(plain->F, plain, algebraic, plain->rate);
    const int first = plain->row.acc;
    const int last = acceleration_rows_have_rates(plain) ? first + plain->base.sys->nc : first;
    for (int i = plain->row.a; i < plain->n; i++)
        if (i < first || i >= last)
            plain->rho[i * plain->base.width] = plain->F[i];
    return outcome;
}

/* Rows without derivatives are taken as satisfied. */
dfl_outcome dfl_plain_defect(double *err, dfl_formulation *base, const dfl_point *point,
                             const double *y)
{
    dfl_plain *plain = (dfl_plain *)base;
    const int n = plain->n;
    const bool rates = acceleration_rows_have_rates(plain);
    const int acc = rates ? plain->base.sys->nc : 0;
    for (int i = plain->base.sys->at.r; i < n; i++)
        plain->rate[i] = -y[i];
    dfl_outcome outcome = stage_rows(err, plain, point, plain->rate);
    if (outcome)
        return outcome;
    memset(err + plain->row.a, 0, (size_t)(plain->row.acc - plain->row.a) * sizeof *err);
    memset(err + plain->row.acc + acc, 0, (size_t)(n - plain->row.acc - acc) * sizeof *err);
    if (rates)
        acceleration_defect(err, plain, point);
    dfl_shifted_solve_real(plain->factors, err);
    if (plain->base.traits->discarded)
        memset(err + plain->col_tau, 0,
               (size_t)(plain->base.sys->na - plain->col_tau) * sizeof *err);
    return DFL_STEP_OK;
}

/* If gII and hI contain v': the defect of v' alone, delta = a - alpha with M a = f_dyn, as M delta
   and -W delta with the matrices of the decomposition. The residuals of gII and hI at the point,
   and the change of M and W since the decomposition, would be errors of the multipliers that do not
   shrink with the step. Nothing is changed if M is singular. */
static void acceleration_defect(double *F, dfl_plain *plain, const dfl_point *point)
{
    const dfl_system *sys = plain->base.sys;
    const int nc = sys->nc, nv = sys->n3;
    const double *M = plain->dense.jac.M;
    double *delta = plain->turn, *acc = F + plain->row.acc;
    if (dfl_formulation_accelerations(delta, &plain->base, point)) {
        for (int i = 0; i < nv; i++)
            delta[i] -= plain->alpha[i];
        for (int i = 0; sys->mass.diagonal && i < nv; i++)
            F[i] = M[i] * delta[i];
        if (!sys->mass.diagonal)
            dfl_gemm(nv, 1, nv, 1, M, nv, delta, nv, 0, F, nv);
        dfl_gemm(nc, 1, nv, -1, plain->W, nc, delta, nv, 0, acc, nc);
    }
    for (int i = 0; plain->base.defect > 0 && i < nc; i++)
        if (plain->dropped[i])
            acc[i] = 0;
}

static void put(double *to, bool present, const double *from, int count)
{
    if (present && count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

static dfl_outcome stage_rows(double *F, dfl_plain *plain, const dfl_point *point,
                              const double *rate)
{
    const dfl_form_traits *has = plain->base.traits;
    const dfl_system *sys = plain->base.sys;
    const dfl_eom *eom = sys->eom;
    const dfl_blocks *b = &point->blocks;
    dfl_outcome outcome = set_corrections(plain, point);
    if (!outcome)
        outcome = dynamic_rows(F, plain, point, rate);
    if (!outcome)
        outcome = kinematic_rows(F + plain->row.kin, plain, point, rate);
    if (outcome)
        return outcome;
    for (int i = 0; i < eom->nr; i++)
        F[plain->row.b + i] = b->b[i] - rate[sys->at.r + i];
    put(F + plain->row.d, true, b->d, eom->nw);
    put(F + plain->row.c, true, b->c, eom->ns);
    if (has->acceleration != DFL_ACC_NONE)
        acceleration_rows(F + plain->row.acc, plain, point, rate);
    put(F + plain->row.gI, has->velocity, b->gI, eom->nl);
    put(F + plain->row.hv, has->nonholonomic, b->hv, eom->nm);
    put(F + plain->row.g, has->position, b->g, eom->nl);
    put(F + plain->row.ep, has->mu, b->ep, eom->nep);
    if (plain->base.defect > 0)
        multiplier_rows(F, plain, point);
    return DFL_STEP_OK;
}

/* push = W^T tau and turn = W_l^T mu + (L Z)^T tau; both zero if the multipliers are discarded. */
static dfl_outcome set_corrections(dfl_plain *plain, const dfl_point *point)
{
    dfl_system *sys = plain->base.sys;
    const dfl_form_traits *has = plain->base.traits;
    const int nc = sys->nc, nl = sys->eom->nl, nv = sys->n3;
    const bool lagged = plain->base.options->constraints.lagged;
    const double *W = lagged ? plain->W : point->blocks.W, *L = plain->L;
    const double *tau = point->x + plain->col_tau, *mu = point->x + plain->col_mu;
    memset(plain->push, 0, (size_t)nv * sizeof *tau);
    memset(plain->turn, 0, (size_t)nv * sizeof *tau);
    if (has->discarded)
        return DFL_STEP_OK;
    if (plain->have_stage_jac) {
        dfl_outcome outcome = dfl_system_jacobian(&plain->stage_jac, sys, point->t, point->x,
                                                  plain->rate + sys->at.v);
        if (outcome)
            return outcome;
        if (!dfl_plain_turning(plain->L_stage, plain, &plain->stage_jac))
            return dfl_system_part_trouble(sys, DFL_STEP_SINGULAR, DFL_FAILURE_POSITION, point->t);
        L = plain->L_stage;
    }
    if (has->tau)
        dfl_gemm_tn(nv, 1, nc, 1, W, nc, tau, nc, 0, plain->push, nv);
    if (has->mu)
        dfl_gemm_tn(nv, 1, nl, 1, W, nc, mu, nl, 0, plain->turn, nv);
    if (has->tau_turns)
        dfl_gemm_tn(nv, 1, nc, 1, L, nc, tau, nc, 1, plain->turn, nv);
    return DFL_STEP_OK;
}

static dfl_outcome dynamic_rows(double *F, dfl_plain *plain, const dfl_point *point,
                                const double *rate)
{
    dfl_system *sys = plain->base.sys;
    const dfl_form_traits *has = plain->base.traits;
    const int nv = sys->n3;
    const double *vp = rate + sys->at.v, *a = point->x;
    const bool corrected = has->acceleration == DFL_ACC_CORRECTED;
    dfl_outcome outcome = DFL_STEP_OK;
    for (int i = 0; i < nv; i++)
        plain->alpha[i] = corrected ? vp[i] + plain->push[i] : vp[i];
    if (has->rates_are_a)
        for (int i = 0; i < nv; i++)
            F[i] = a[i] - vp[i];
    else
        outcome = dfl_system_dynamics(F, sys, point, plain->alpha);
    for (int i = 0; has->tau && !corrected && i < nv; i++)
        F[i] -= plain->push[i];
    if (!outcome && has->acceleration == DFL_ACC_UNKNOWN)
        outcome = dfl_system_dynamics(F + plain->row.a, sys, point, a);
    return outcome;
}

/* Z (v - turn) - p' - ep_p^T eps, where Z u is what the model returns for velocities u. */
static dfl_outcome kinematic_rows(double *F, dfl_plain *plain, const dfl_point *point,
                                  const double *rate)
{
    dfl_system *sys = plain->base.sys;
    const dfl_eom *eom = sys->eom;
    const int np = eom->np, nv = sys->n3, nep = eom->nep;
    const double *kin = point->blocks.kin;
    dfl_point *moved = &plain->dense.jac.scratch;
    if (plain->base.traits->mu && !plain->base.traits->discarded) {
        memcpy(moved->x, point->x, (size_t)sys->n * sizeof *kin);
        for (int i = 0; i < nv; i++)
            moved->x[sys->at.v + i] -= plain->turn[i];
        if (!eom->trivial_kinematics) {
            sys->stats->evaluations++;
            const int rc =
                eom->eval(&moved->blocks, point->t, moved->x + sys->na, DFL_KINEMATICS, eom->user);
            if (rc)
                return dfl_system_returned(sys, rc, "eval", point->t);
        }
        kin = moved->blocks.kin;
    }
    for (int i = 0; i < np; i++)
        F[i] = kin[i] - rate[sys->at.p + i];
    if (plain->base.traits->mu && !plain->base.traits->discarded)
        dfl_gemm_tn(np, 1, nep, -1, plain->ep_p, nep, point->x + plain->col_eps, nep, 1, F, np);
    return DFL_STEP_OK;
}

/* gII, hI; after Baumgarte gII + 2 alpha gI + beta^2 g, hI + alpha hv */
static void acceleration_rows(double *F, const dfl_plain *plain, const dfl_point *point,
                              const double *rate)
{
    const dfl_system *sys = plain->base.sys;
    const dfl_form_traits *has = plain->base.traits;
    const dfl_blocks *b = &point->blocks;
    const int nc = sys->nc, nl = sys->eom->nl, nv = sys->n3;
    const double alpha = fmax(0, plain->base.options->baumgarte.alpha),
                 beta = fmax(0, plain->base.options->baumgarte.beta);
    const double *a = has->acceleration == DFL_ACC_UNKNOWN     ? point->x
                      : has->acceleration == DFL_ACC_CORRECTED ? plain->alpha
                                                               : rate + sys->at.v;
    memcpy(F, b->bias, (size_t)nc * sizeof *F);
    if (!sys->geoms)
        dfl_gemm(nc, 1, nv, 1, b->W, nc, a, nv, 1, F, nc);
    for (int i = 0; has->stabilised && i < nc; i++)
        F[i] += i < nl ? 2 * alpha * b->gI[i] + beta * beta * b->g[i] : alpha * b->hv[i - nl];
}

/* The first level of constraints belongs to l and m: its redundant rows let the undetermined part
   of l and m vanish. The next levels belong to tau and mu, whose redundant entries vanish. */
static void multiplier_rows(double *F, const dfl_plain *plain, const dfl_point *point)
{
    const dfl_form_traits *has = plain->base.traits;
    const int nc = plain->base.sys->nc, nl = plain->base.sys->eom->nl;
    const bool acc = has->acceleration != DFL_ACC_NONE;
    const double *l = point->x + plain->base.sys->at.l, *tau = point->x + plain->col_tau;
    const double *mu = point->x + plain->col_mu;
    for (int i = 0; i < nc; i++) {
        if (!plain->dropped[i])
            continue;
        double undetermined = 0;
        for (int j = 0; j < nc; j++)
            undetermined += plain->kernel[j * nc + i] * l[j];
        double *velocity = i < nl ? &F[plain->row.gI + i] : &F[plain->row.hv + i - nl];
        const bool has_velocity = i < nl ? has->velocity : has->nonholonomic;
        if (acc)
            F[plain->row.acc + i] = undetermined;
        if (has_velocity)
            *velocity = acc ? (has->discarded ? 0 : tau[i]) : undetermined;
        if (has->position && i < nl)
            F[plain->row.g + i] = has->mu ? (has->discarded ? 0 : mu[i]) : undetermined;
    }
}
