/* The algebraic decomposition: all solutions of J dx = -alg as dx = CB [alg; u].

   J is block triangular: block 3 acts on [s p], block 2 on [v | s p], block 1 on everything. With
   right inverses R and null-space bases N of the diagonal blocks,

       d[sp] = -R3 a3 + N3 u_p
       dv    = R2 (-a2 - J2sp d[sp]) + N2 u_v
       dr    = u_r
       d[wlm]= R1 (-a1 - J1r dr - J1v dv - J1sp d[sp])

   (GEOMS). Forming CB costs about as much as the factors and turns every later solve into one
   product with lanes. Massless rows depend on the first block's unknowns: those are eliminated from
   block 2 beforehand. The columns of CB are ordered a1 a2 a3 | u_p u_v u_r u_lm, so that the
   nonzero columns of each block row are contiguous; all others stay zero. */
#include "formulation/projected.h"
#include "linalg/linalg.h"

#include <string.h>

static void set_dimensions(dfl_projected *form);
static void set_parts(dfl_projected *form);
static void clear_matrices(dfl_projected *form);
static void build_CB(dfl_projected *form);
static void project_matrices(dfl_projected *form);

dfl_outcome dfl_projected_linearize(dfl_formulation *base, double t, const double *x,
                                    const double *a, bool update)
{
    dfl_projected *form = (dfl_projected *)base;
    dfl_system *sys = form->base.sys;
    dfl_outcome outcome = dfl_system_jacobian(&form->dense.jac, sys, t, x, a);
    if (outcome)
        return outcome;
    sys->trouble.t = t;
    if (!update && sys->eom->ne > 0)
        dfl_projected_choose_invariants(form);
    dfl_projected_compress_invariants(form);
    outcome = dfl_projected_split(form);
    if (outcome)
        return outcome;
    sys->stats->algebraic_decompositions++;
    set_dimensions(form);
    if (!form->have_selectors)
        clear_matrices(form);
    if (!form->have_selectors || sys->eom->ne > 0) /* at first, or as invariants come and go */
        dfl_projected_locate_rows(form);
    build_CB(form);
    if (!form->have_selectors || (!update && dfl_selectors_outdated(form))) {
        outcome = dfl_projected_select(form, t, x);
        if (outcome)
            return outcome;
    } else {
        project_matrices(form);
    }
    return DFL_STEP_OK;
}

/* Whether the matrices have zeros in the places of the present dimensions. */
static bool has_zeros(const dfl_stage_solution *before, const dfl_projected *form)
{
    return before->again && before->ma == form->newton.ma && before->nd == form->newton.nd &&
           before->nfp == form->newton.nfp;
}

dfl_outcome dfl_projected_solve_at(dfl_projected *form, const dfl_stage_solution *before, double t)
{
    form->base.sys->trouble.t = t;
    dfl_projected_compress_invariants(form);
    const dfl_outcome outcome = dfl_projected_split(form);
    if (outcome)
        return outcome;
    set_dimensions(form);
    if (!form->have_selectors)
        return dfl_system_part_trouble(form->base.sys, DFL_STEP_RANK, DFL_FAILURE_POSITION, t);
    if (has_zeros(before, form))
        set_parts(form);
    else
        clear_matrices(form);
    build_CB(form);
    project_matrices(form);
    return DFL_STEP_OK;
}

dfl_outcome dfl_projected_select(dfl_projected *form, double t, const double *x)
{
    dfl_outcome outcome = dfl_selectors_compute(form, t, x + form->base.sys->na);
    if (!outcome)
        project_matrices(form);
    return outcome;
}

/* Selectors become invalid if the numbers of free variables change. */
static void set_dimensions(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int old_nsv = form->newton.nsv, old_nfp = form->newton.nfp;
    form->newton.ma = sys->m1 + form->m2 + sys->m3;
    form->newton.nfp = sys->n4 - form->dense.split3->rank;
    form->newton.nfv = sys->n3 - form->dense.split2->rank;
    form->nflm = sys->psi1 ? sys->nc - form->base.defect : 0;
    form->newton.nsv = form->newton.nfv + form->nflm;
    form->newton.nd = form->newton.nfp + form->newton.nsv + sys->n2;
    form->newton.K = form->newton.ma + form->newton.nd;
    if (old_nsv != form->newton.nsv || old_nfp != form->newton.nfp)
        form->have_selectors = false;
}

/* Y = sign A X + beta Y in the columns of a part X of CB; A has m rows. */
static DFL_INLINE void times(double *Y, int ldy, double beta, double sign, const double *A, int m,
                             const dfl_unknown_part *x, const dfl_projected *form)
{
    dfl_product(m, x->count, x->rows, sign, A, m, form->newton.CB + x->at, form->base.sys->n, beta,
                Y + x->first * ldy, ldy);
}

/* Copies rows x cols of A (leading dimension rows) into B, times sign. */
static DFL_INLINE void put(double *B, int ldb, double sign, const double *A, int rows, int cols)
{
    for (int j = 0; j < cols; j++, A += rows, B += ldb)
        for (int i = 0; i < rows; i++)
            B[i] = sign * A[i];
}

static void put_identity(double *B, int ldb, double value, int n)
{
    for (int i = 0; i < n; i++)
        B[(size_t)i * (size_t)ldb + (size_t)i] = value;
}

/* Massless rows make velocities depend on everything. */
static void set_parts(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int m1 = sys->m1, K = form->newton.K, to_sp = sys->m3 + form->newton.nfp, nr = sys->n2,
              nlm = form->nflm;
    form->sp = (dfl_unknown_part){sys->at.sp, sys->n4, m1 + form->m2, to_sp, 0};
    form->p = (dfl_unknown_part){sys->at.p, sys->eom->np, m1 + form->m2, to_sp, 0};
    form->v = sys->eom->n0 > 0 ? (dfl_unknown_part){sys->at.v, sys->n3, 0, K, 0}
                               : (dfl_unknown_part){sys->at.v, sys->n3, m1,
                                                    form->m2 + to_sp + form->newton.nfv, 0};
    form->r = (dfl_unknown_part){sys->at.r, nr, K - nlm - nr, nr, 0};
    form->lm = (dfl_unknown_part){sys->at.l, sys->nc, K - nlm, nlm, 0};
    dfl_unknown_part *const part[] = {&form->sp, &form->p, &form->v, &form->r, &form->lm};
    for (int i = 0; i < 5; i++)
        part[i]->at = part[i]->first * sys->n + part[i]->row;
}

/* New dimensions: zeros, and dr = u_r. */
static void clear_matrices(dfl_projected *form)
{
    const int n = form->base.sys->n, nd = form->newton.nd, K = form->newton.K;
    set_parts(form);
    memset(form->newton.CB, 0, (size_t)n * (size_t)K * sizeof(double));
    memset(form->newton.SM, 0, (size_t)nd * (size_t)K * sizeof(double));
    memset(form->newton.SJ, 0, (size_t)nd * (size_t)K * sizeof(double));
    put_identity(form->newton.CB + form->r.at, n, 1, form->r.rows);
    put_identity(form->newton.SM + form->r.first * nd, nd, 1, form->r.rows);
}

/* d[sp] = -R3 a3 + N3 u_p */
static void build_positions(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int n = sys->n;
    double *X4 = form->newton.CB + form->sp.at;
    put(X4, n, -1, form->dense.split3->R, sys->n4, sys->m3);
    put(X4 + sys->m3 * n, n, 1, form->dense.split3->N, sys->n4, form->newton.nfp);
}

/* What massless rows add to dv: R2 (J2_1 R1 a1 - J2r dr - J2lm d[lm]) */
static void build_massless(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int n = sys->n, m1 = sys->m1, m2 = form->m2;
    const dfl_unknown_part *r = &form->r, *lm = &form->lm;
    const double *J2 = form->J2, *R2 = form->dense.split2->R;
    double *X3 = form->newton.CB + sys->at.v, *T = form->dense.work;
    dfl_gemm(sys->n3, m1, m2, 1, R2, sys->n3, J2, m2, 0, X3, n);
    times(T, m2, 0, -1, J2 + r->row * m2, m2, r, form);
    times(T, m2, 0, -1, J2 + lm->row * m2, m2, lm, form);
    dfl_gemm(sys->n3, r->count + lm->count, m2, 1, R2, sys->n3, T + r->first * m2, m2, 0,
             X3 + r->first * n, n);
}

/* dv = R2 (-a2 - J2sp d[sp]) + N2 u_v */
static void build_velocities(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int n = sys->n, nv = sys->n3, m2 = form->m2;
    const dfl_unknown_part *sp = &form->sp;
    const double *R2 = form->dense.split2->R;
    double *X3 = form->newton.CB + sys->at.v, *T = form->dense.work;
    put(X3 + sys->m1 * n, n, -1, R2, nv, m2);
    times(T, m2, 0, -1, form->J2 + sp->row * m2, m2, sp, form);
    dfl_product(nv, sp->count, m2, 1, R2, nv, T + sp->first * m2, m2, 0, X3 + sp->first * n, n);
    put(X3 + (form->newton.ma + form->newton.nfp) * n, n, 1, form->dense.split2->N, nv,
        form->newton.nfv);
    if (sys->eom->n0 > 0)
        build_massless(form);
}

/* d[wlm] = R1 (-a1 - J1r dr - J1v dv - J1sp d[sp]), or -a1 + ... if each stage has its own R1 */
static void build_first(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int n = sys->n, m1 = sys->m1, K = form->newton.K, n1 = dfl_determined_first(sys);
    const dfl_unknown_part *v = &form->v, *sp = &form->sp, *r = &form->r, *lm = &form->lm;
    const double *J1 = form->dense.jac.J1, *R1 = form->split1->R;
    double *CB = form->newton.CB, *T = form->dense.work;
    if (K > r->first)
        memset(T + r->first * m1, 0, (size_t)(m1 * (K - r->first)) * sizeof *T);
    times(T, m1, 0, -1, J1 + v->row * m1, m1, v, form);
    times(T, m1, 1, -1, J1 + sp->row * m1, m1, sp, form);
    if (r->count > 0)
        times(T, m1, 1, -1, J1 + r->row * m1, m1, r, form);
    if (lm->count > 0)
        times(T, m1, 1, -1, J1 + lm->row * m1, m1, lm, form);
    dfl_product(n1, K - v->first, m1, 1, R1, n1, T + v->first * m1, m1, 0, CB + v->first * n, n);
    if (form->base.stagewise)
        put_identity(CB, n, -1, n1);
    else if (sys->eom->n0 == 0)
        put(CB, n, -1, R1, n1, m1);
    else
        for (int j = 0; j < m1; j++)
            for (int i = 0; i < n1; i++)
                CB[j * n + i] -= R1[j * n1 + i];
}

static void build_CB(dfl_projected *form)
{
    if (form->lm.count > 0)
        dfl_selectors_free_multipliers(form->newton.CB + form->lm.at, form->base.sys->n, form);
    build_positions(form);
    build_velocities(form);
    if (form->base.sys->m1 > 0)
        build_first(form);
}

/* Y = Sv M (nsv x nv), or with the inverse of a diagonal M. */
static void scale_selector(double *Y, const dfl_projected *form, const double *M, bool inverse)
{
    const int nv = form->base.sys->n3, nsv = form->newton.nsv;
    const double *Sv = form->newton.Sv;
    if (!form->base.sys->mass.diagonal) {
        if (form->newton.sv_identity)
            memcpy(Y, M, (size_t)(nv * nv) * sizeof *Y);
        else
            dfl_gemm(nsv, nv, nv, 1, Sv, nsv, M, nv, 0, Y, nsv);
        return;
    }
    for (int j = 0; j < nv; j++, Sv += nsv, Y += nsv) {
        const double factor = inverse ? 1 / M[j] : M[j];
        for (int i = 0; i < nsv; i++)
            Y[i] = Sv[i] * factor;
    }
}

void dfl_projected_rate_rows(double *out, const dfl_projected *form)
{
    if (form->base.rates_are_a)
        memcpy(out, form->newton.Sv, (size_t)(form->newton.nsv * form->base.sys->n3) * sizeof *out);
    else
        scale_selector(out, form, form->dense.jac.M, false);
}

/* The rows of SM for v: Sv X3, or Sv M X3. A constant Sv M is kept for the increments of all stages
   (stage_increments.c). */
static void project_momenta(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    double *SM = form->newton.SM + sys->n2,
           *SvM = sys->mass.constant ? form->SvM : form->dense.work;
    if (!form->base.rates_are_a)
        scale_selector(SvM, form, form->dense.jac.M, false);
    times(SM, form->newton.nd, 0, 1, form->base.rates_are_a ? form->newton.Sv : SvM,
          form->newton.nsv, &form->v, form);
}

/* The rows of SJ for v: (Sv D) CB with the derivatives D of f_dyn, or of a = M^-1 f_dyn with a
   diagonal M. If a is carried, its derivatives are the first rows of CB. */
static void project_forces(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int n = sys->n, nv = sys->n3, nsv = form->newton.nsv, nd = form->newton.nd,
              K = form->newton.K, na = sys->na;
    const dfl_unknown_part *v = &form->v, *sp = &form->sp, *r = &form->r;
    const double *S = form->newton.Sv,
                 *SD = form->newton.sv_identity ? form->dense.jac.blocks.dyn : form->dense.work;
    double *SJ = form->newton.SJ + sys->n2, *scaled = form->dense.work + nsv * sys->nu;
    if (form->base.rates_are_a && sys->carried) {
        dfl_product(nsv, K, nv, 1, S, nsv, form->newton.CB, n, 0, SJ, nd);
        return;
    }
    if (form->base.rates_are_a) {
        scale_selector(scaled, form, form->dense.jac.M, true);
        S = scaled;
    }
    if (!form->newton.sv_identity)
        dfl_product(nsv, sys->nu, nv, 1, S, nsv, form->dense.jac.blocks.dyn, nv, 0,
                    form->dense.work, nsv);
    dfl_product(nsv, K, sys->n1 - na, 1, SD, nsv, form->newton.CB + na, n, 0, SJ, nd);
    times(SJ, nd, 1, 1, SD + (v->row - na) * nsv, nsv, v, form);
    times(SJ, nd, 1, 1, SD + (sp->row - na) * nsv, nsv, sp, form);
    if (r->count > 0)
        times(SJ, nd, 1, 1, SD + (r->row - na) * nsv, nsv, r, form);
}

/* The rows for p: Sp Xp and (Sp kin_x) [X3; X4], kin being v or Z(p) v. */
static void project_kinematics(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int nfp = form->newton.nfp, nd = form->newton.nd, np = sys->eom->np, nv = sys->n3;
    double *SM = form->newton.SM + nd - nfp, *SJ = form->newton.SJ + nd - nfp,
           *SZ = form->dense.work;
    times(SM, nd, 0, 1, form->newton.Sp, nfp, &form->p, form);
    if (sys->eom->trivial_kinematics) {
        times(SJ, nd, 0, 1, form->newton.Sp, nfp, &form->v, form);
        return;
    }
    dfl_gemm(nfp, nv + sys->n4, np, 1, form->newton.Sp, nfp, form->dense.jac.blocks.kin, np, 0, SZ,
             nfp);
    times(SJ, nd, 0, 1, SZ, nfp, &form->v, form);
    times(SJ, nd, 1, 1, SZ + nv * nfp, nfp, &form->sp, form);
}

/* SM = S diag(I,M,I) CB and SJ = S JD CB */
static void project_matrices(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int n = sys->n, nr = sys->n2, nv = sys->n3;
    for (int j = 0; form->newton.sv_identity && j < nv; j++)
        for (int i = 0; i < nv; i++)
            form->newton.Sv[j * nv + i] = i == j;
    if (nr > 0)
        dfl_gemm(nr, form->newton.K, sys->nu, 1, form->dense.jac.blocks.b, nr,
                 form->newton.CB + sys->na, n, 0, form->newton.SJ, form->newton.nd);
    project_momenta(form);
    project_forces(form);
    project_kinematics(form);
}
