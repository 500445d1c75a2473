/* The rows of the plain forms at a stage, and what an integrator makes of them (plain.h). */
#include "formulation/plain.h"

#include <math.h>
#include <string.h>

static dfl_outcome stage_rows(double *F, dfl_formulation *form, const dfl_point *point,
                              const double *rate);
static dfl_outcome set_corrections(dfl_formulation *form, const dfl_point *point);
static dfl_outcome dynamic_rows(double *F, dfl_formulation *form, const dfl_point *point,
                                const double *rate);
static dfl_outcome kinematic_rows(double *F, dfl_formulation *form, const dfl_point *point,
                                  const double *rate);
static void acceleration_rows(double *F, const dfl_formulation *form, const dfl_point *point,
                              const double *rate);
static void multiplier_rows(double *F, const dfl_formulation *form, const dfl_point *point);
static void acceleration_defect(double *F, dfl_formulation *form, const dfl_point *point);
static void put(double *to, bool present, const double *from, int count);

dfl_outcome dfl_plain_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                               int count, const double *transform, const double *yp,
                               const double *xp)
{
    dfl_plain *plain = form->plain;
    const int n = plain->n, width = form->width;
    (void)rows, (void)yp;
    for (int k = 0; k < count; k++) {
        double *F = plain->F + (size_t)k * (size_t)n;
        for (int i = form->sys->off_r; i < n; i++)
            plain->rate[i] = xp[i * width + k];
        dfl_outcome outcome = stage_rows(F, form, &points[k], plain->rate);
        if (outcome)
            return outcome;
    }
    dfl_lanes_gather(form->rho, count, transform, n, plain->F, n, NULL, NULL);
    return DFL_STEP_OK;
}

/* gII and hI contain derivatives: W v' + bias. */
static bool acceleration_rows_have_rates(const dfl_formulation *form)
{
    const dfl_acceleration a = form->traits->acceleration;
    return (a == DFL_ACC_RATE || a == DFL_ACC_CORRECTED) && !form->sys->geoms;
}

/* Rows up to row_a contain derivatives. */
dfl_outcome dfl_plain_mixed(double *rows, dfl_formulation *form, const dfl_point *differential,
                            const dfl_point *algebraic, double weight, const double *yp,
                            const double *xp)
{
    dfl_plain *plain = form->plain;
    const double weighted[DFL_LANES] = {weight};
    dfl_outcome outcome = dfl_plain_residual(rows, form, differential, 1, weighted, yp, xp);
    if (!outcome)
        outcome = stage_rows(plain->F, form, algebraic, plain->rate);
    const int first = plain->row_acc;
    const int last = acceleration_rows_have_rates(form) ? first + form->sys->nc : first;
    for (int i = plain->row_a; i < plain->n; i++)
        if (i < first || i >= last)
            form->rho[i * form->width] = plain->F[i];
    return outcome;
}

/* Rows without derivatives count as satisfied. */
dfl_outcome dfl_plain_defect(double *err, dfl_formulation *form, const dfl_point *point,
                             const double *y)
{
    dfl_plain *plain = form->plain;
    const int n = plain->n;
    const bool rates = acceleration_rows_have_rates(form);
    const int acc = rates ? form->sys->nc : 0;
    for (int i = form->sys->off_r; i < n; i++)
        plain->rate[i] = -y[i];
    dfl_outcome outcome = stage_rows(err, form, point, plain->rate);
    if (outcome)
        return outcome;
    memset(err + plain->row_a, 0, (size_t)(plain->row_acc - plain->row_a) * sizeof *err);
    memset(err + plain->row_acc + acc, 0, (size_t)(n - plain->row_acc - acc) * sizeof *err);
    if (rates)
        acceleration_defect(err, form, point);
    dfl_shifted_solve_real(form->E, err);
    if (form->traits->discarded)
        memset(err + plain->col_tau, 0, (size_t)(form->sys->na - plain->col_tau) * sizeof *err);
    return DFL_STEP_OK;
}

/* Where gII and hI contain v', the defect of v' alone, delta = a - alpha with M a = f_dyn, as M
   delta and -W delta with the matrices of the decomposition. What the point itself leaves of gII
   and hI, and the change of M and W since then, would be errors of the multipliers that do not
   shrink with the step. Left as it is where M is singular. */
static void acceleration_defect(double *F, dfl_formulation *form, const dfl_point *point)
{
    const dfl_system *sys = form->sys;
    dfl_plain *plain = form->plain;
    const int nc = sys->nc, nv = sys->n3;
    const double *M = form->jac.M;
    double *delta = plain->turn, *acc = F + plain->row_acc;
    if (dfl_formulation_accelerations(delta, form, point)) {
        for (int i = 0; i < nv; i++)
            delta[i] -= plain->alpha[i];
        for (int i = 0; sys->diagonal && i < nv; i++)
            F[i] = M[i] * delta[i];
        if (!sys->diagonal)
            dfl_gemm(nv, 1, nv, 1, M, nv, delta, nv, 0, F, nv);
        dfl_gemm(nc, 1, nv, -1, plain->W, nc, delta, nv, 0, acc, nc);
    }
    for (int i = 0; form->defect > 0 && i < nc; i++)
        if (plain->dropped[i])
            acc[i] = 0;
}

static void put(double *to, bool present, const double *from, int count)
{
    if (present && count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

static dfl_outcome stage_rows(double *F, dfl_formulation *form, const dfl_point *point,
                              const double *rate)
{
    const dfl_plain *plain = form->plain;
    const dfl_form_traits *has = form->traits;
    const dfl_system *sys = form->sys;
    const dfl_eom *eom = sys->eom;
    const dfl_blocks *b = &point->blocks;
    dfl_outcome outcome = set_corrections(form, point);
    if (!outcome)
        outcome = dynamic_rows(F, form, point, rate);
    if (!outcome)
        outcome = kinematic_rows(F + plain->row_kin, form, point, rate);
    if (outcome)
        return outcome;
    for (int i = 0; i < eom->nr; i++)
        F[plain->row_b + i] = b->b[i] - rate[sys->off_r + i];
    put(F + plain->row_d, true, b->d, eom->nw);
    put(F + plain->row_c, true, b->c, eom->ns);
    if (has->acceleration != DFL_ACC_NONE)
        acceleration_rows(F + plain->row_acc, form, point, rate);
    put(F + plain->row_gI, has->velocity, b->gI, eom->nl);
    put(F + plain->row_hv, has->nonholonomic, b->hv, eom->nm);
    put(F + plain->row_g, has->position, b->g, eom->nl);
    put(F + plain->row_ep, has->mu, b->ep, eom->nep);
    if (form->defect > 0)
        multiplier_rows(F, form, point);
    return DFL_STEP_OK;
}

/* push = W^T tau and turn = W_l^T mu + (L Z)^T tau; both zero where the multipliers are discarded.
   */
static dfl_outcome set_corrections(dfl_formulation *form, const dfl_point *point)
{
    dfl_system *sys = form->sys;
    dfl_plain *plain = form->plain;
    const dfl_form_traits *has = form->traits;
    const int nc = sys->nc, nl = sys->eom->nl, nv = sys->n3;
    const bool lagged = form->options->constraints.lagged;
    const double *W = lagged ? plain->W : point->blocks.W, *L = plain->L;
    const double *tau = point->x + plain->col_tau, *mu = point->x + plain->col_mu;
    memset(plain->push, 0, (size_t)nv * sizeof *tau);
    memset(plain->turn, 0, (size_t)nv * sizeof *tau);
    if (has->discarded)
        return DFL_STEP_OK;
    if (plain->have_stage_jac) {
        dfl_outcome outcome = dfl_system_jacobian(&plain->stage_jac, sys, point->t, point->x,
                                                  plain->rate + sys->off_v);
        if (outcome)
            return outcome;
        if (!dfl_plain_turning(plain->L_stage, form, &plain->stage_jac))
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

static dfl_outcome dynamic_rows(double *F, dfl_formulation *form, const dfl_point *point,
                                const double *rate)
{
    dfl_system *sys = form->sys;
    dfl_plain *plain = form->plain;
    const dfl_form_traits *has = form->traits;
    const int nv = sys->n3;
    const double *vp = rate + sys->off_v, *a = point->x;
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
        outcome = dfl_system_dynamics(F + plain->row_a, sys, point, a);
    return outcome;
}

/* Z (v - turn) - p' - ep_p^T eps, where Z u is what the model returns for velocities u. */
static dfl_outcome kinematic_rows(double *F, dfl_formulation *form, const dfl_point *point,
                                  const double *rate)
{
    dfl_system *sys = form->sys;
    const dfl_plain *plain = form->plain;
    const dfl_eom *eom = sys->eom;
    const int np = eom->np, nv = sys->n3, nep = eom->nep;
    const double *kin = point->blocks.kin;
    dfl_point *moved = &form->jac.scratch;
    if (form->traits->mu && !form->traits->discarded) {
        memcpy(moved->x, point->x, (size_t)sys->n * sizeof *kin);
        for (int i = 0; i < nv; i++)
            moved->x[sys->off_v + i] -= plain->turn[i];
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
        F[i] = kin[i] - rate[sys->off_p + i];
    if (form->traits->mu && !form->traits->discarded)
        dfl_gemm_tn(np, 1, nep, -1, plain->ep_p, nep, point->x + plain->col_eps, nep, 1, F, np);
    return DFL_STEP_OK;
}

/* gII, hI; after Baumgarte gII + 2 alpha gI + beta^2 g, hI + alpha hv */
static void acceleration_rows(double *F, const dfl_formulation *form, const dfl_point *point,
                              const double *rate)
{
    const dfl_system *sys = form->sys;
    const dfl_form_traits *has = form->traits;
    const dfl_blocks *b = &point->blocks;
    const int nc = sys->nc, nl = sys->eom->nl, nv = sys->n3;
    const double alpha = fmax(0, form->options->baumgarte.alpha),
                 beta = fmax(0, form->options->baumgarte.beta);
    const double *a = has->acceleration == DFL_ACC_UNKNOWN     ? point->x
                      : has->acceleration == DFL_ACC_CORRECTED ? form->plain->alpha
                                                               : rate + sys->off_v;
    memcpy(F, b->bias, (size_t)nc * sizeof *F);
    if (!sys->geoms)
        dfl_gemm(nc, 1, nv, 1, b->W, nc, a, nv, 1, F, nc);
    for (int i = 0; has->stabilised && i < nc; i++)
        F[i] += i < nl ? 2 * alpha * b->gI[i] + beta * beta * b->g[i] : alpha * b->hv[i - nl];
}

/* The first level of constraints belongs to l and m: there the undetermined part of these
   vanishes. The next ones belong to tau and mu, of which the redundant ones vanish. */
static void multiplier_rows(double *F, const dfl_formulation *form, const dfl_point *point)
{
    const dfl_plain *plain = form->plain;
    const dfl_form_traits *has = form->traits;
    const int nc = form->sys->nc, nl = form->sys->eom->nl;
    const bool acc = has->acceleration != DFL_ACC_NONE;
    const double *l = point->x + form->sys->off_l, *tau = point->x + plain->col_tau;
    const double *mu = point->x + plain->col_mu;
    for (int i = 0; i < nc; i++) {
        if (!plain->dropped[i])
            continue;
        double undetermined = 0;
        for (int j = 0; j < nc; j++)
            undetermined += plain->kernel[j * nc + i] * l[j];
        double *velocity = i < nl ? &F[plain->row_gI + i] : &F[plain->row_hv + i - nl];
        const bool has_velocity = i < nl ? has->velocity : has->nonholonomic;
        if (acc)
            F[plain->row_acc + i] = undetermined;
        if (has_velocity)
            *velocity = acc ? (has->discarded ? 0 : tau[i]) : undetermined;
        if (has->position && i < nl)
            F[plain->row_g + i] = has->mu ? (has->discarded ? 0 : mu[i]) : undetermined;
    }
}
