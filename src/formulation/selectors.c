/* Selectors Sp, Sv: the rows of kinematics and dynamics that are integrated together with the
   constraints.

   With Kp, Kv bases of the kernels of block 3 and block 2, (11) of GEOMS asks that Sp Kp and Sv M
   Kv be nonsingular. Orthogonal: orthonormal bases themselves, safe whenever M is definite on the
   kernel. Unit: single rows; for full M they come from row pivoting of M Kv, since the independent
   velocities' own rows may give a singular Sv M Kv. In psi1 all nv rows are kept, reduced to [Kv^T;
   W] when invariants or massless rows take part. */
#include "formulation/projected.h"

#include <math.h>
#include <string.h>

static dfl_outcome ask_user(dfl_projected *form, double t, const double *x);
static void orthogonal_rows(double *S, const dfl_projected *form, int rows, int n, const double *B,
                            int ldb, bool complete, const double *unit);
static void in_units(double *S, int rows, int n, const double *unit, bool forces);
static void unit_dynamics(dfl_projected *form);
static void pivot_dynamics(dfl_projected *form, const unsigned char *favoured);
static bool dynamics_outdated(dfl_projected *form);
static void reduced_identity(dfl_projected *form);
static bool user_selectors_regular(dfl_projected *form);

dfl_outcome dfl_selectors_compute(dfl_projected *form, double t, const double *x)
{
    const dfl_system *sys = form->base.sys;
    const dfl_solver_options *opt = form->base.options;
    const int ns = sys->eom->ns, np = sys->eom->np, nv = sys->n3, nfp = form->newton.nfp;
    sys->stats->selector_computations++;
    if (opt->constraints.independent)
        dfl_local_partition(form);
    else if (opt->constraints.selectors == DFL_UNIT ||
             (opt->constraints.renewal == DFL_RENEW_ON_CHANGE && !form->local))
        dfl_selectors_pivots(form, form->pivot_p, form->pivot_v);
    form->newton.sv_identity = sys->psi1 && form->newton.nsv == nv;
    if (opt->constraints.selectors == DFL_USER) {
        dfl_outcome outcome = ask_user(form, t, x);
        if (outcome)
            return outcome;
    } else if (opt->constraints.ncombinations > 0) {
        dfl_local_combinations(form);
    } else if (opt->constraints.selectors == DFL_UNIT) {
        dfl_unit_rows(form->newton.Sp, nfp, np, form->pivot_p + ns);
    } else {
        orthogonal_rows(form->newton.Sp, form, nfp, np, form->dense.split3->N + ns, sys->n4,
                        ns == 0, dfl_formulation_units(&form->base, sys->at.p));
        in_units(form->newton.Sp, nfp, np, dfl_formulation_units(&form->base, sys->at.p), false);
    }
    if (form->newton.sv_identity || (opt->constraints.selectors == DFL_USER && !sys->psi1) ||
        opt->constraints.ncombinations > 0)
        ;
    else if (sys->psi1)
        reduced_identity(form);
    else if (opt->constraints.selectors == DFL_UNIT)
        unit_dynamics(form);
    else {
        orthogonal_rows(form->newton.Sv, form, form->newton.nsv, nv, form->dense.split2->N, nv,
                        true, dfl_formulation_units(&form->base, sys->at.v));
        in_units(form->newton.Sv, form->newton.nsv, nv,
                 dfl_formulation_units(&form->base, sys->at.v), !form->base.rates_are_a);
    }
    if (opt->constraints.selectors == DFL_USER && !user_selectors_regular(form))
        return dfl_system_trouble(form->base.sys, DFL_STEP_SINGULAR,
                                  "Sp Kp or Sv M Kv of the user's selectors", t);
    if (dfl_coordinates_are_fixed(opt) && !dfl_local_regular(form))
        return dfl_system_trouble(form->base.sys, DFL_STEP_SINGULAR,
                                  "the partition into independent and dependent coordinates", t);
    form->have_selectors = true;
    return DFL_STEP_OK;
}

static dfl_outcome call_user(double *Sp, double *Sv, dfl_projected *form, double t, const double *x)
{
    const dfl_solver_options *opt = form->base.options;
    const int nsv = form->base.sys->psi1 ? 0 : form->newton.nsv;
    const int rc = opt->constraints.select(Sp, Sv, form->newton.nfp, nsv, t, x, opt->user);
    return rc ? dfl_system_returned(form->base.sys, rc, "select", t) : DFL_STEP_OK;
}

/* User-defined selectors, or their mean over both ends of a step (end_selectors.h). */
static dfl_outcome ask_user(dfl_projected *form, double t, const double *x)
{
    const dfl_system *sys = form->base.sys;
    const int np = form->newton.nfp * sys->eom->np, nv = sys->psi1 ? 0 : form->newton.nsv * sys->n3;
    double *Sp = form->dense.work, *Sv = Sp + np;
    dfl_outcome outcome = call_user(form->newton.Sp, form->newton.Sv, form, t, x);
    if (outcome || !form->base.mean_with)
        return outcome;
    outcome = call_user(Sp, Sv, form, form->base.mean_with->t, form->base.mean_with->x + sys->na);
    if (!outcome && !dfl_end_selectors_mean(&form->ends, sys, form->newton.Sp, form->newton.Sv, Sp,
                                            Sv, form->newton.nfp, nv > 0 ? form->newton.nsv : 0))
        return dfl_system_trouble(form->base.sys, DFL_STEP_SINGULAR,
                                  "the mean of the user's selectors at both ends of a step", t);
    return outcome;
}

bool dfl_selectors_outdated(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const dfl_solver_options *opt = form->base.options;
    if (opt->constraints.renewal == DFL_RENEW_ALWAYS)
        return true;
    if (form->local)
        return dfl_local_outdated(form);
    unsigned char *p = (unsigned char *)form->dense.work, *v = p + sys->n4;
    dfl_selectors_pivots(form, p, v);
    return memcmp(p, form->pivot_p, (size_t)sys->n4) != 0 ||
           memcmp(v, form->pivot_v, (size_t)sys->n3) != 0 ||
           (opt->constraints.selectors == DFL_UNIT && dynamics_outdated(form));
}

void dfl_selectors_pivots(dfl_projected *form, unsigned char *pivot_p, unsigned char *pivot_v)
{
    const dfl_system *sys = form->base.sys;
    const dfl_split *s3 = form->dense.split3, *s2 = form->dense.split2;
    if (form->dense.method != DFL_METHOD_LU) {
        dfl_split_rule rule = {.method = DFL_METHOD_LU,
                               .tolerance = form->dense.rank_tolerance,
                               .rank = -1,
                               .leading = sys->eom->ns,
                               .favoured = form->have_selectors ? form->pivot_p : NULL,
                               .scale_rows = true,
                               .columns = dfl_formulation_units(&form->base, sys->at.sp)};
        dfl_split_compute(form->pivots3, &rule, form->dense.jac.J3, sys->m3, sys->m3, sys->n4);
        rule.leading = 0;
        rule.columns = dfl_formulation_units(&form->base, sys->at.v);
        rule.favoured = form->have_selectors ? form->pivot_v : NULL;
        dfl_split_compute(form->dense.trial2, &rule, form->J2 + sys->at.v * form->m2, form->m2,
                          form->m2, sys->n3);
        s3 = form->pivots3;
        s2 = form->dense.trial2;
    }
    memset(pivot_p, 0, (size_t)sys->n4);
    memset(pivot_v, 0, (size_t)sys->n3);
    /* off the constraints redundant rows show full rank: use the known rank */
    for (int i = 0; i < s3->rank && i < form->dense.split3->rank; i++)
        pivot_p[s3->pivot[i]] = 1;
    for (int i = 0; i < s2->rank && i < form->dense.split2->rank; i++)
        pivot_v[s2->pivot[i]] = 1;
}

/* S (rows x n) := the first n rows of B's columns in units of the unknowns, which are orthonormal
   already if B is a complete null-space basis from QR or SVD. */
static void orthogonal_rows(double *S, const dfl_projected *form, int rows, int n, const double *B,
                            int ldb, bool complete, const double *unit)
{
    if (form->dense.method == DFL_METHOD_LU || !complete) {
        dfl_orthonormal_rows(S, rows, n, B, ldb, unit);
        return;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            S[j * rows + i] = B[i * ldb + j] / (unit ? unit[j] : 1);
}

/* From rows for rates in units of the unknowns to rows for rates, or for forces, whose product with
   an unknown has no unit of it. */
static void in_units(double *S, int rows, int n, const double *unit, bool forces)
{
    for (int j = 0; unit && j < n; j++)
        for (int i = 0; i < rows; i++)
            S[j * rows + i] *= forces ? unit[j] : 1 / unit[j];
}

/* Gram-Schmidt, twice */
void dfl_orthonormal_rows(double *S, int rows, int n, const double *B, int ldb, const double *unit)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++)
            S[j * rows + i] = B[i * ldb + j] / (unit ? unit[j] : 1);
        double size = 1;
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < i; k++) {
                double dot = 0;
                for (int j = 0; j < n; j++)
                    dot += S[j * rows + k] * S[j * rows + i];
                for (int j = 0; j < n; j++)
                    S[j * rows + i] -= dot * S[j * rows + k];
            }
            size = 0;
            for (int j = 0; j < n; j++)
                size += S[j * rows + i] * S[j * rows + i];
            size = sqrt(size);
            for (int j = 0; j < n; j++)
                S[j * rows + i] /= size;
        }
    }
}

void dfl_unit_rows(double *S, int rows, int n, const unsigned char *pivot)
{
    memset(S, 0, (size_t)rows * (size_t)n * sizeof *S);
    for (int j = 0, i = 0; j < n && i < rows; j++)
        if (!pivot[j])
            S[j * rows + i++] = 1;
}

/* Rows of the independent velocities, or for a full M those chosen by pivoting on (M Kv)^T. */
static void unit_dynamics(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int nv = sys->n3, nfv = form->newton.nfv;
    if (sys->mass.diagonal || form->base.rates_are_a) {
        dfl_unit_rows(form->newton.Sv, nfv, nv, form->pivot_v);
        return;
    }
    pivot_dynamics(form, NULL);
    memset(form->newton.Sv, 0, (size_t)nfv * (size_t)nv * sizeof(double));
    for (int i = 0; i < nfv; i++)
        form->newton.Sv[form->dense.trial2->pivot[i] * nfv + i] = 1;
}

/* trial2 := the pivot columns of (M Kv)^T = Kv^T M (nfv x nv). */
static void pivot_dynamics(dfl_projected *form, const unsigned char *favoured)
{
    const int nv = form->base.sys->n3, nfv = form->newton.nfv;
    double *MK = form->dense.work;
    dfl_gemm_tn(nfv, nv, nv, 1, form->dense.split2->N, nv, form->dense.jac.M, nv, 0, MK, nfv);
    const dfl_split_rule rule = {
        .method = DFL_METHOD_LU, .tolerance = 0, .rank = -1, .favoured = favoured};
    dfl_split_compute(form->dense.trial2, &rule, MK, nfv, nfv, nv);
}

/* Whether other rows of a full M are pivots now: the pivots of W do not show this. */
static bool dynamics_outdated(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int nv = sys->n3, nfv = form->newton.nfv;
    if (sys->psi1 || sys->mass.diagonal || form->base.rates_are_a)
        return false;
    unsigned char *present = (unsigned char *)(form->dense.work + nfv * nv);
    memset(present, 0, (size_t)nv);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nfv; i++)
            present[j] |= form->newton.Sv[j * nfv + i] != 0;
    pivot_dynamics(form, present);
    for (int i = 0; i < nfv; i++)
        if (!present[form->dense.trial2->pivot[i]])
            return true;
    return false;
}

/* psi1 with invariants or massless rows: Sv = [Kv^T; W] without dependent rows. */
static void reduced_identity(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int nv = sys->n3, nfv = form->newton.nfv, nsv = form->newton.nsv, nlm = form->nflm;
    double *Q = form->dense.work, *basis = Q + nv * nfv; /* nc x nlm */
    dfl_orthonormal_rows(Q, nfv, nv, form->dense.split2->N, nv, NULL);
    dfl_selectors_free_multipliers(basis, sys->nc, form);
    const double *W = form->J2 + sys->at.v * form->m2;
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nfv; i++)
            form->newton.Sv[j * nsv + i] = Q[j * nfv + i];
        for (int i = 0; i < nlm; i++) {
            double sum = 0;
            for (int k = 0; k < sys->nc; k++)
                sum += basis[i * sys->nc + k] * W[j * form->m2 + k];
            form->newton.Sv[j * nsv + nfv + i] = sum;
        }
    }
}

/* The identity, or with redundant constraints an orthonormal basis of the range of W. */
void dfl_selectors_free_multipliers(double *B, int ld, dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int nc = sys->nc, nv = sys->n3, nlm = form->nflm;
    if (form->base.defect == 0) {
        for (int i = 0; i < nc; i++)
            for (int j = 0; j < nc; j++)
                B[j * ld + i] = i == j;
        return;
    }
    /* columns of W, Gram-Schmidt with the largest remainder first */
    double *R = form->dense.least;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nc; i++)
            R[j * nc + i] = form->dense.jac.J2[(sys->at.v + j) * sys->m2 + i];
    for (int k = 0; k < nlm; k++) {
        int best = 0;
        double largest = -1;
        for (int j = 0; j < nv; j++) {
            double size = 0;
            for (int i = 0; i < nc; i++)
                size += R[j * nc + i] * R[j * nc + i];
            if (size > largest)
                largest = size, best = j;
        }
        for (int i = 0; i < nc; i++)
            B[k * ld + i] = R[best * nc + i] / sqrt(largest);
        for (int j = 0; j < nv; j++) {
            double dot = 0;
            for (int i = 0; i < nc; i++)
                dot += B[k * ld + i] * R[j * nc + i];
            for (int i = 0; i < nc; i++)
                R[j * nc + i] -= dot * B[k * ld + i];
        }
    }
}

/* (11): Sp Kp and Sv M Kv must be regular. */
static bool user_selectors_regular(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int np = sys->eom->np, ns = sys->eom->ns, nv = sys->n3, nfp = form->newton.nfp,
              nsv = form->newton.nsv;
    const dfl_split_rule rule = {.method = DFL_METHOD_QR, .tolerance = 1e-8, .rank = -1};
    double *A = form->dense.work, *MK = A + nv * nv;
    dfl_gemm(nfp, nfp, np, 1, form->newton.Sp, nfp, form->dense.split3->N + ns, sys->n4, 0, A, nfp);
    if (!dfl_split_compute(form->quality, &rule, A, nfp, nfp, nfp))
        return false;
    if (sys->psi1)
        return true;
    if (sys->mass.diagonal)
        for (int j = 0; j < nsv; j++)
            for (int i = 0; i < nv; i++)
                MK[j * nv + i] = form->dense.jac.M[i] * form->dense.split2->N[j * nv + i];
    else
        dfl_gemm(nv, nsv, nv, 1, form->dense.jac.M, nv, form->dense.split2->N, nv, 0, MK, nv);
    dfl_gemm(nsv, nsv, nv, 1, form->newton.Sv, nsv, MK, nv, 0, A, nsv);
    return dfl_split_compute(form->quality, &rule, A, nsv, nsv, nsv);
}
