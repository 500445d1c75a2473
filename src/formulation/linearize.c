/* The algebraic decomposition: all solutions of J dx = -alg as dx = CB [alg; u].

   J is block triangular: block 3 acts on [s p], block 2 on [v | s p], block 1 on everything. With
   right inverses R and null-space bases N of the diagonal blocks,

       d[sp] = -R3 a3 + N3 u_p
       dv    = R2 (-a2 - J2sp d[sp]) + N2 u_v
       dr    = u_r
       d[wlm]= R1 (-a1 - J1r dr - J1v dv - J1sp d[sp])

   (GEOMS). Forming CB costs about as much as the factors themselves and turns every later solve
   into one product with lanes. Massless rows depend on the first block's unknowns: those are
   eliminated from block 2 beforehand. The columns of CB are ordered a1 a2 a3 | u_p u_v u_r u_lm, so
   that the nonzero columns of each block row are contiguous. */
#include "formulation/projection.h"

#include <float.h>
#include <math.h>
#include <string.h>

static dfl_outcome split_blocks(dfl_formulation *form);
static dfl_outcome split_first(dfl_formulation *form);
static void scale_first(dfl_formulation *form, const double *A, int n);
static bool split_redundant(dfl_formulation *form);
static void expand_multipliers(dfl_formulation *form, int n);
static void remove_first_unknowns(dfl_formulation *form);
static void set_dimensions(dfl_formulation *form);
static void build_CB(dfl_formulation *form);
static void project_mass(dfl_formulation *form);
static void project_matrices(dfl_formulation *form);

dfl_outcome dfl_projected_linearize(dfl_formulation *form, double t, const double *x,
                                    const double *a, bool update)
{
    dfl_system *sys = form->sys;
    dfl_outcome outcome = dfl_system_jacobian(&form->jac, sys, t, x, a);
    if (outcome)
        return outcome;
    sys->trouble.t = t;
    if (!update)
        dfl_invariants_choose(form);
    dfl_invariants_compress(form);
    outcome = split_blocks(form);
    if (outcome)
        return outcome;
    sys->stats->algebraic_decompositions++;
    const int old_nsv = form->nsv, old_nfp = form->nfp;
    set_dimensions(form);
    if (!form->have_selectors || sys->eom->ne > 0) /* at first, or as invariants come and go */
        dfl_projected_locate_rows(form);
    build_CB(form);
    if (old_nsv != form->nsv || old_nfp != form->nfp)
        form->have_selectors = false;
    if (!form->have_selectors || (!update && dfl_selectors_outdated(form))) {
        outcome = dfl_projected_select(form, t, x);
        if (outcome)
            return outcome;
    } else {
        project_matrices(form);
    }
    return DFL_STEP_OK;
}

dfl_outcome dfl_projected_select(dfl_formulation *form, double t, const double *x)
{
    dfl_outcome outcome = dfl_selectors_compute(form, t, x + form->sys->na);
    if (!outcome)
        project_matrices(form);
    return outcome;
}

/* Splits a block whose rank is known. With redundant rows the rank is imposed, since points off the
   constraints show full rank, and only the gap behind it is watched. */
static bool split_known(dfl_split *split, const dfl_formulation *form, dfl_split_rule *rule,
                        const double *A, int m, int n, int rank)
{
    const bool impose = rule->method == DFL_METHOD_SVD && rank < m;
    rule->rank = impose ? rank : -1;
    if (!dfl_split_compute(split, rule, A, m, m, n) || split->rank != rank)
        return false;
    if (impose && rank == 0) /* rows of zeros; nothing to compare with */
        return split->dropped == 0;
    return !impose || (split->dropped < 1e-2 * split->smallest &&
                       split->smallest > form->rank_tolerance * split->largest);
}

/* The smallest length of a row of W relative to its largest so far: scaling rows before a decomposition
   hides a row that vanishes. */
static double shortest_row(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const int ld = sys->m2;
    const double *W = form->jac.J2 + sys->off_v * ld;
    double shortest = 1;
    for (int i = 0; i < sys->nc; i++) {
        double square = 0;
        for (int j = 0; j < sys->n3; j++)
            square += W[j * ld + i] * W[j * ld + i];
        form->row_size[i] = fmax(form->row_size[i], square);
        shortest = fmin(shortest, square / form->row_size[i]);
    }
    return sqrt(shortest);
}

static dfl_outcome split_blocks(dfl_formulation *form)
{
    dfl_system *sys = form->sys;
    const double t = sys->trouble.t;
    dfl_split_rule rule = {.method = form->method,
                           .tolerance = form->rank_tolerance,
                           .leading = sys->eom->ns,
                           .favoured = form->have_selectors ? form->pivot_p : NULL,
                           .scale_rows = true,
                           .least = form->defect > 0 ? form->least3 : NULL};
    if (!split_known(form->split3, form, &rule, form->jac.J3, sys->m3, sys->n4, form->rank3))
        return dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_POSITION, t);
    dfl_outcome outcome = split_first(form);
    if (outcome)
        return outcome;
    if (sys->eom->n0 > 0)
        remove_first_unknowns(form);
    if (!dfl_split_velocity(form, form->J2 + sys->off_v * form->m2, form->m2,
                            form->rank2 + sys->eom->n0 + form->nactive,
                            form->have_selectors ? form->pivot_v : NULL))
        return dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, t);
    return DFL_STEP_OK;
}

bool dfl_split_velocity(dfl_formulation *form, const double *J2v, int m2, int rank,
                        const unsigned char *favoured)
{
    dfl_split_rule rule = {.method = form->method,
                           .tolerance = form->rank_tolerance,
                           .favoured = favoured,
                           .scale_rows = true};
    double *least = form->least2 + form->sys->m2;
    if (form->defect > 0) {
        dfl_formulation_least_rows(least, form, J2v, m2);
        rule.least = least;
    }
    const bool split = split_known(form->split2, form, &rule, J2v, m2, form->sys->n3, rank);
    form->weakest = form->split2->largest > 0 ? form->split2->smallest / form->split2->largest : 1;
    form->weakest = fmin(form->weakest, shortest_row(form));
    return split;
}

/* Splits A, square and regular but perhaps badly scaled, so that only an exact defect counts: the rank was decided
   on W. */
static bool split_regular(dfl_formulation *form, const double *A, int n)
{
    const dfl_algebraic wanted = form->options->algebraic;
    dfl_split_rule rule = {
        .method = DFL_METHOD_LU, .tolerance = 1e-14, .rank = -1, .scale_rows = true};
    rule.columns_in_order = wanted == DFL_ALGEBRAIC_AUTO;
    if (wanted == DFL_ALGEBRAIC_SVD)
        rule = (dfl_split_rule){.method = DFL_METHOD_SVD, .rank = n};
    else if (wanted == DFL_ALGEBRAIC_QR)
        rule.method = DFL_METHOD_QR;
    bool regular = dfl_split_compute(form->split1, &rule, A, n, n, n);
    if (!regular && rule.columns_in_order) { /* full pivoting and scaling have the last word */
        rule.columns_in_order = false;
        scale_first(form, A, n);
        regular = dfl_split_compute(form->split1, &rule, form->work, n, n, n);
        for (int j = 0; regular && j < n; j++)
            for (int i = 0; i < n; i++)
                form->split1->R[(size_t)j * (size_t)n + (size_t)i] *= form->column_scale[i];
    }
    return regular;
}

/* The largest entry of rows i0 .. i1-1 and columns j0 .. j1-1 of A (leading dimension n). */
static double largest_entry(const double *A, int n, int i0, int i1, int j0, int j1)
{
    double largest = 0;
    for (int j = j0; j < j1; j++)
        for (int i = i0; i < i1; i++)
            largest = fmax(largest, fabs(A[(size_t)j * (size_t)n + (size_t)i]));
    return largest;
}

/* form->work := A with scaled columns. Auxiliary variables have units of their own: accelerations and multipliers are
   first counted in units in which they weigh as much in the dynamics as auxiliary variables do. */
static void scale_first(dfl_formulation *form, const double *A, int n)
{
    const dfl_system *sys = form->sys;
    const int nv = sys->carried ? sys->n3 : 0, lead = sys->off_l < n ? sys->off_l : n;
    const double mass = largest_entry(A, n, 0, nv, 0, nv);
    const double auxiliary = largest_entry(A, n, 0, nv, sys->row_d, lead);
    const double force = largest_entry(A, n, 0, nv, lead, n);
    double *scale = form->column_scale;
    for (int j = 0; j < n; j++)
        scale[j] = 1;
    for (int j = 0; mass > 0 && auxiliary > 0 && j < nv; j++)
        scale[j] = auxiliary / mass;
    for (int j = lead; auxiliary > 0 && force > 0 && j < n; j++)
        scale[j] = auxiliary / force;
    memmove(form->work, A, (size_t)n * (size_t)n * sizeof *A);
    double *row = form->column_scale + n;
    for (int i = 0; i < n; i++) {
        row[i] = 0;
        for (int j = 0; j < n; j++)
            row[i] = fmax(row[i], fabs(A[(size_t)j * (size_t)n + (size_t)i]) * scale[j]);
    }
    for (int j = 0; j < n; j++) {
        double *column = form->work + (size_t)j * (size_t)n, largest = 0;
        for (int i = 0; i < n; i++)
            largest = fmax(largest, row[i] > 0 ? fabs(column[i]) / row[i] : 0);
        scale[j] = largest > 0 && 1 / largest <= DBL_MAX ? 1 / largest : 1;
        for (int i = 0; i < n; i++)
            column[i] *= scale[j];
    }
}

/* Block 1: [a sigma w l m] from the saddle system, or w alone. */
static dfl_outcome split_first(dfl_formulation *form)
{
    dfl_system *sys = form->sys;
    const bool regular = sys->psi1 || form->defect == 0 ? split_regular(form, form->jac.J1, sys->m1)
                                                        : split_redundant(form);
    return regular ? DFL_STEP_OK
                   : dfl_system_part_trouble(sys, DFL_STEP_SINGULAR, DFL_FAILURE_MULTIPLIERS,
                                             sys->trouble.t);
}

/* Block 1 with redundant constraints: the effect y of the multipliers (redundant.h) instead of themselves as
   unknowns, and independent rows of gII, hI only. R and N are those of the multipliers again. */
static bool split_redundant(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const dfl_redundant *red = &form->redundant;
    const int m1 = sys->m1, lead = sys->off_l, first = sys->row_acc, n = m1 - form->defect;
    double *A = form->work;
    dfl_redundant_choose(&form->redundant, form->jac.J2 + sys->off_v * sys->m2, sys->m2,
                         form->rank2);
    if (red->rank < form->rank2)
        return false;
    for (int j = 0; j < n; j++) {
        const int column = j < lead ? j : lead + red->order[j - lead];
        for (int i = 0; i < n; i++) {
            const int row = i < first ? i : first + red->order[i - first];
            A[(size_t)j * (size_t)n + (size_t)i] =
                form->jac.J1[(size_t)column * (size_t)m1 + (size_t)row];
        }
    }
    if (!split_regular(form, A, n))
        return false;
    expand_multipliers(form, n);
    return true;
}

/* R (n x n, in y) := that of all multipliers, n1 x m1; N := those without effect. */
static void expand_multipliers(dfl_formulation *form, int n)
{
    const dfl_system *sys = form->sys;
    const dfl_redundant *red = &form->redundant;
    const int n1 = sys->n1, lead = sys->off_l, first = sys->row_acc;
    dfl_split *split = form->split1;
    double *R = form->work;
    memcpy(R, split->R, (size_t)n * (size_t)n * sizeof *R);
    memset(split->R, 0, (size_t)n1 * (size_t)sys->m1 * sizeof *R);
    memset(split->N, 0, (size_t)n1 * (size_t)form->defect * sizeof *R);
    for (int j = 0; j < n; j++) {
        const int row = j < first ? j : first + red->order[j - first];
        double *out = split->R + (size_t)row * (size_t)n1;
        memcpy(out, R + (size_t)j * (size_t)n, (size_t)lead * sizeof *R);
        dfl_redundant_expand(out + lead, red, R + (size_t)j * (size_t)n + lead);
    }
    dfl_redundant_kernel(split->N + lead, n1, red);
}

/* The number of leading unknowns that block 1 determines: all of [a sigma w l m], or w alone. */
static int determined_first(const dfl_system *sys)
{
    return sys->psi1 ? sys->eom->nw : sys->n1;
}

/* J2 -= J2_1 R1 J1 in the columns behind those of block 1; J2_1 R1 stays in the first columns. */
static void remove_first_unknowns(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const int m1 = sys->m1, m2 = form->m2, n1 = determined_first(sys), rest = sys->n - n1;
    double *T = form->work;
    dfl_gemm(m2, m1, n1, 1, form->J2, m2, form->split1->R, n1, 0, T, m2);
    memcpy(form->J2, T, (size_t)m2 * (size_t)m1 * sizeof *T);
    dfl_gemm(m2, rest, m1, -1, form->J2, m2, form->jac.J1 + n1 * m1, m1, 1, form->J2 + n1 * m2, m2);
}

static void set_dimensions(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    form->ma = sys->m1 + form->m2 + sys->m3;
    form->nfp = sys->n4 - form->split3->rank;
    form->nfv = sys->n3 - form->split2->rank;
    form->nflm = sys->psi1 ? sys->nc - form->defect : 0;
    form->nsv = form->nfv + form->nflm;
    form->nd = form->nfp + form->nsv + sys->n2;
    form->K = form->ma + form->nd;
}

/* Copies rows x cols of A (leading dimension rows) into B, times sign. */
static void put(double *B, int ldb, double sign, const double *A, int rows, int cols)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            B[(size_t)j * (size_t)ldb + (size_t)i] = sign * A[(size_t)j * (size_t)rows + (size_t)i];
}

static void put_identity(double *B, int ldb, double value, int n)
{
    for (int i = 0; i < n; i++)
        B[(size_t)i * (size_t)ldb + (size_t)i] = value;
}

/* d[sp] and dr, then dv */
static void build_velocity(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const int n = sys->n, m1 = sys->m1, m2 = form->m2, massless = sys->eom->n0 > 0;
    const int at_a3 = m1 + m2, at_up = form->ma, at_uv = at_up + form->nfp,
              at_ur = at_uv + form->nfv;
    double *CB = form->CB, *X4 = CB + sys->off_sp, *X3 = CB + sys->off_v, *X2 = CB + sys->off_r;
    put(X4 + at_a3 * n, n, -1, form->split3->R, sys->n4, sys->m3);
    put(X4 + at_up * n, n, 1, form->split3->N, sys->n4, form->nfp);
    put_identity(X2 + at_ur * n, n, 1, sys->n2);

    /* T = -[.. I ..] - J2sp d[sp] (- J2r dr - J2lm d[lm] and + J2_1 R1 with massless rows) */
    const int first = massless ? 0 : m1, last = massless ? form->K : at_ur, cols = last - first;
    double *T = form->work;
    dfl_gemm(m2, cols, sys->n4, -1, form->J2 + sys->off_sp * m2, m2, X4 + first * n, n, 0, T, m2);
    for (int i = 0; i < m2; i++)
        T[(m1 - first + i) * m2 + i] -= 1;
    if (massless) {
        const int at_ulm = form->K - form->nflm;
        for (int i = 0; i < m1 * m2; i++)
            T[i] += form->J2[i];
        dfl_gemm(m2, sys->n2, sys->n2, -1, form->J2 + sys->off_r * m2, m2, X2 + at_ur * n, n, 1,
                 T + at_ur * m2, m2);
        dfl_gemm(m2, form->nflm, sys->nc, -1, form->J2 + sys->off_l * m2, m2,
                 CB + at_ulm * n + sys->off_l, n, 1, T + at_ulm * m2, m2);
    }
    dfl_gemm(sys->n3, cols, m2, 1, form->split2->R, sys->n3, T, m2, 0, X3 + first * n, n);
    put(X3 + at_uv * n, n, 1, form->split2->N, sys->n3, form->nfv);
}

static void build_CB(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const int n = sys->n, m1 = sys->m1, K = form->K;
    const int first = determined_first(sys);
    double *CB = form->CB, *T = form->work;
    memset(CB, 0, (size_t)n * (size_t)K * sizeof *CB);
    if (sys->psi1)
        dfl_selectors_free_multipliers(CB + (size_t)(K - form->nflm) * (size_t)n + sys->off_l, n,
                                       form);
    build_velocity(form);
    if (m1 == 0)
        return;
    dfl_gemm(m1, K, n - first, -1, form->jac.J1 + first * m1, m1, CB + first, n, 0, T, m1);
    for (int i = 0; i < m1 && !form->stagewise; i++)
        T[i * m1 + i] -= 1;
    dfl_gemm(first, K, m1, 1, form->split1->R, first, T, m1, 0, CB, n);
    if (form->stagewise)
        put_identity(CB, n, -1, first);
}

/* The derivatives of a = M^-1 f_dyn from those of f_dyn, M being diagonal. */
static void divide_by_mass(double *rows, const dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    for (int j = 0; j < form->K; j++, rows += sys->mdif)
        for (int i = 0; i < sys->n3; i++)
            rows[i] = sys->constant ? rows[i] * sys->M_inv[i] : rows[i] / form->jac.M[i];
}

/* Sv M for the increments of all stages (stages.c), which take M from there where it is constant. */
static void project_mass(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const int nv = sys->n3, nsv = form->nsv;
    for (int j = 0; form->sv_identity && j < nv; j++)
        for (int i = 0; i < nv; i++)
            form->Sv[j * nv + i] = i == j;
    if (form->rates_are_a || !sys->constant)
        return;
    if (!sys->diagonal)
        dfl_gemm(nsv, nv, nv, 1, form->Sv, nsv, sys->M, nv, 0, form->SvM, nsv);
    for (int j = 0; sys->diagonal && j < nv; j++)
        for (int i = 0; i < nsv; i++)
            form->SvM[j * nsv + i] = form->Sv[j * nsv + i] * sys->M[j];
}

/* SM = S diag(I,M,I) CB and SJ = S JD CB */
static void project_matrices(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const int n = sys->n, K = form->K, nd = form->nd, nr = sys->n2, nv = sys->n3, np = sys->eom->np;
    const int mdif = sys->mdif, na = sys->na, nvsp = nv + sys->n4;
    const bool trivial = sys->eom->trivial_kinematics;
    const double *CB = form->CB, *X3 = CB + sys->off_v, *Xp = CB + sys->off_p;
    const double *Sv = form->Sv, *Sp = form->Sp;
    const int nsv = form->nsv, nfp = form->nfp;
    double *work = form->work, *SM = form->SM, *SJ = form->SJ;

    /* M X3, or X3 */
    const double *MX = form->rates_are_a ? X3 : work;
    const int ldm = form->rates_are_a ? n : nv;
    if (!form->rates_are_a && !sys->diagonal)
        dfl_gemm(nv, K, nv, 1, form->jac.M, nv, X3, n, 0, work, nv);
    for (int j = 0; !form->rates_are_a && sys->diagonal && j < K; j++)
        for (int i = 0; i < nv; i++)
            work[j * nv + i] = form->jac.M[i] * X3[j * n + i];
    for (int j = 0; j < K; j++)
        for (int i = 0; i < nr; i++)
            SM[j * nd + i] = CB[j * n + sys->off_r + i];
    if (form->sv_identity)
        for (int j = 0; j < K; j++)
            memcpy(SM + j * nd + nr, MX + j * ldm, (size_t)nv * sizeof *SM);
    else
        dfl_gemm(nsv, K, nv, 1, Sv, nsv, MX, ldm, 0, SM + nr, nd);
    dfl_gemm(nfp, K, np, 1, Sp, nfp, Xp, n, 0, SM + nr + nsv, nd);

    project_mass(form);

    /* JD CB; where a is carried, its derivatives are the first rows of CB */
    const bool carried = form->rates_are_a && sys->carried;
    const double *F = carried ? CB : work + nr;
    const int ldf = carried ? n : mdif;
    dfl_gemm(carried ? nr : nr + nv, K, n - na, 1, form->jac.JD + na * mdif, mdif, CB + na, n, 0,
             work, mdif);
    if (form->rates_are_a && !carried)
        divide_by_mass(work + nr, form);
    if (!trivial)
        dfl_gemm(np, K, nvsp, 1, form->jac.JD + sys->off_v * mdif + nr + nv, mdif, X3, n, 0,
                 work + nr + nv, mdif);
    for (int j = 0; j < K; j++)
        for (int i = 0; i < nr; i++)
            SJ[j * nd + i] = work[j * mdif + i];
    if (form->sv_identity)
        for (int j = 0; j < K; j++)
            memcpy(SJ + j * nd + nr, F + j * ldf, (size_t)nv * sizeof *SJ);
    else
        dfl_gemm(nsv, K, nv, 1, Sv, nsv, F, ldf, 0, SJ + nr, nd);
    dfl_gemm(nfp, K, np, 1, Sp, nfp, trivial ? X3 : work + nr + nv, trivial ? n : mdif, 0,
             SJ + nr + nsv, nd);
}
