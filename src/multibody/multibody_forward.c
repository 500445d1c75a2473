/* multibody_forward.c: inverse and forward dynamics at the state, with loops, and derivatives of
   accelerations.

   With W R = 1 (or R the pseudo-inverse) and W N = 0 the equations M a + W^T lambda = h, W a =
   -bias have the solution

       a = -R bias + N u,   N^T M N u = N^T (h + M R bias),   lambda = R^T (h - M a)

   which allows rows that depend on each other and massless directions that loops hold. Derivatives
   solve the same equations with other right-hand sides. */
#include "multibody/multibody_internal.h"

#include "multibody/tree_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows of W are treated as dependent below this part of the largest singular value. */
static const double dependent = 1e-10;

/* Dependent rows contradict each other if what is left of W a + bias is more than these parts of
   its terms and of what squares of velocities can leave by rounding. */
static const double contradictory = 1e-6, rounded = 1e-10;

struct loop_solver {
    dfl_split *split;
    dfl_factor *factor; /* N^T M N */
    double *bias, *lambda;
    double *h, *y, *zero, *a; /* nv each: forces, h - M a, zeros, accelerations */
    double *M, *MN, *U;       /* nv x nv: M; M N or right-hand sides; N^T of them */
    double *one;              /* nv x nv: the identity */
};

static dfl_status need_solver(dfl_multibody *m);
static void set_up(loop_solver *s, size_t nv);
static bool has_forces(const dfl_multibody *m);
static dfl_status applied(dfl_multibody *m, const double *tau);
static dfl_status forward_tree(double *a, dfl_multibody *m, const double *tau);
static dfl_status forward_loops(double *a, double *lambda, dfl_multibody *m, const double *tau);
static dfl_status factor_loops(dfl_multibody *m);
static bool split_rows(loop_solver *s, const dfl_multibody *m);
static dfl_status check_kept(dfl_multibody *m, const double *a);
static double rounding_of_bias(const dfl_multibody *m);
static void solve_columns(double *X, const dfl_multibody *m, int columns, const double *r1,
                          const double *r2);

/* ------------------------------------------------------------------ dynamics */

dfl_status dfl_multibody_inverse(double *tau, dfl_multibody *m, const double *a)
{
    dfl_status status = dfl_multibody_ready(m);
    const bool forces = has_forces(m);
    if (!status && forces)
        status = dfl_multibody_called(m, dfl_multibody_forces(m->tau, m), m->t);
    if (status)
        return status;
    dfl_tree_inverse(tau, m->tree, m->v, a);
    m->moving = false;
    for (int i = 0; i < m->eom.nv && forces; i++)
        tau[i] -= m->tau[i];
    return DFL_OK;
}

dfl_status dfl_multibody_forward(double *a, double *lambda, dfl_multibody *m, const double *tau)
{
    const dfl_status status = dfl_multibody_ready(m);
    if (status)
        return status;
    if (m->eom.n0 > 0)
        return dfl_multibody_massless(m);
    return m->eom.nl > 0 ? forward_loops(a, lambda, m, tau) : forward_tree(a, m, tau);
}

void dfl_multibody_mass(double *M, dfl_multibody *m)
{
    dfl_tree_mass(M, m->eom.nv, m->tree);
    m->posed = true;
}

dfl_status dfl_multibody_null_space(double *K0, double *gam, dfl_multibody *m, const double *tau)
{
    dfl_status status = dfl_multibody_ready(m);
    if (!status)
        status = dfl_multibody_need_matrices(m);
    if (!status)
        status = applied(m, tau);
    if (status)
        return status;
    dfl_multibody_directions(m, m->tau);
    dfl_multibody_reduce(K0, gam, m);
    return DFL_OK;
}

static bool has_forces(const dfl_multibody *m)
{
    return m->nsprings > 0 || m->call.force;
}

/* m->tau = applied forces + tau */
static dfl_status applied(dfl_multibody *m, const double *tau)
{
    const dfl_status status = dfl_multibody_called(m, dfl_multibody_forces(m->tau, m), m->t);
    for (int i = 0; i < m->eom.nv && tau && !status; i++)
        m->tau[i] += tau[i];
    return status;
}

static dfl_status forward_tree(double *a, dfl_multibody *m, const double *tau)
{
    if (has_forces(m) || !tau) {
        const dfl_status status = applied(m, tau);
        if (status)
            return status;
        tau = m->tau;
    }
    const bool sure = dfl_tree_forward(a, NULL, m->tree, m->v, tau);
    m->moving = false;
    return sure ? DFL_OK : dfl_multibody_check_mass(m, m->t, -1);
}

dfl_status dfl_multibody_check_mass(dfl_multibody *m, double t, int state)
{
    const int v = dfl_tree_singular(m->tree);
    char which[32] = "";
    if (v < 0)
        return DFL_OK;
    if (state >= 0)
        snprintf(which, sizeof which, " in state %d", state);
    return dfl_fail(m->ctx, DFL_SINGULAR,
                    "the mass matrix is singular at t = %g%s: %s moves no mass there, or p is not "
                    "finite; leave this position, or give the bodies inertia",
                    t, which, dfl_joint_label(m->tree, dfl_tree_joint_of(m->tree, v)).text);
}

dfl_status dfl_multibody_massless(const dfl_multibody *m)
{
    return dfl_fail(m->ctx, DFL_SINGULAR,
                    "%d %s no mass, so that forces do not determine accelerations; use "
                    "dfl_multibody_eom with the solver, or give the bodies mass",
                    m->eom.n0, m->eom.n0 == 1 ? "direction has" : "directions have");
}

/* ------------------------------------------------------------------ loops */

static dfl_status forward_loops(double *a, double *lambda, dfl_multibody *m, const double *tau)
{
    const int nv = m->eom.nv, nl = m->eom.nl;
    dfl_status status = need_solver(m);
    if (!status)
        status = applied(m, tau);
    if (status)
        return status;
    loop_solver *s = m->solver;
    dfl_tree_inverse(s->h, m->tree, m->v, s->zero);
    m->moving = false;
    for (int i = 0; i < nv; i++)
        s->h[i] = m->tau[i] - s->h[i];
    dfl_multibody_arrive(m);
    dfl_loops_bias(s->bias, m->loops);
    for (int i = 0; i < nl; i++)
        s->bias[i] = -s->bias[i];
    status = factor_loops(m);
    if (status)
        return status;
    solve_columns(a, m, 1, s->h, s->bias);
    memcpy(s->y, s->h, (size_t)nv * sizeof *s->y);
    dfl_gemm(nv, 1, nv, -1.0, s->M, nv, a, nv, 1.0, s->y, nv);
    dfl_gemm_tn(nl, 1, nv, 1.0, s->split->R, nv, s->y, nv, 0.0, s->lambda, nl);
    if (lambda)
        memcpy(lambda, s->lambda, (size_t)nl * sizeof *lambda);
    return s->split->rank < nl ? check_kept(m, a) : DFL_OK;
}

/* Whether the accelerations keep the loops, W a + bias = 0, though rows depend on each other. */
static dfl_status check_kept(dfl_multibody *m, const double *a)
{
    const int nv = m->eom.nv, nl = m->eom.nl;
    double size = 0.0, worst = 0.0;
    int row = 0, within;
    for (int i = 0; i < nl; i++) {
        double left = -m->solver->bias[i], terms = fabs(left); /* the right-hand side is -bias */
        for (int j = 0; j < nv; j++) {
            left += m->mat.W[i + (long)j * nl] * a[j];
            terms += fabs(m->mat.W[i + (long)j * nl] * a[j]);
        }
        size = fmax(size, terms);
        if (fabs(left) > fabs(worst)) {
            worst = left;
            row = i;
        }
    }
    if (!(fabs(worst) > contradictory * size + rounded * rounding_of_bias(m)))
        return DFL_OK;
    return dfl_fail(m->ctx, DFL_INCONSISTENT,
                    "%s cannot be kept at t = %g: no accelerations satisfy its rows, %g is left; "
                    "driven joints, positions or velocities contradict it",
                    dfl_loops_label(m->loops, row, &within).text, m->t, worst);
}

/* The size of what cancels in bias: |W| (|v|^2 + |u''|), driven joints included. */
static double rounding_of_bias(const dfl_multibody *m)
{
    double W = 0.0, v = 0.0, udd = 0.0;
    for (int i = 0; i < m->eom.nl * m->eom.nv; i++)
        W = fmax(W, fabs(m->mat.W[i]));
    for (int i = 0; i < m->eom.nv; i++)
        v = fmax(v, fabs(m->v[i]));
    for (int k = 0; k < m->tree->ndrives; k++) {
        v = fmax(v, fabs(m->tree->drive[3 * k + 1]));
        udd = fmax(udd, fabs(m->tree->drive[3 * k + 2]));
    }
    return W * (v * v + udd);
}

static dfl_status need_solver(dfl_multibody *m)
{
    dfl_context *ctx = m->ctx;
    const size_t nv = (size_t)m->eom.nv, nl = (size_t)m->eom.nl, d = sizeof(double);
    dfl_status status = dfl_multibody_need_matrices(m);
    if (status || m->solver)
        return status;
    loop_solver *s = m->solver = dfl_alloc(ctx, 1, sizeof *s);
    if (!s)
        return DFL_NO_MEMORY;
    s->bias = dfl_alloc(ctx, nl, d);
    s->lambda = dfl_alloc(ctx, nl, d);
    s->h = dfl_alloc(ctx, 4 * nv, d);
    s->M = dfl_alloc(ctx, nv * nv, d);
    s->MN = dfl_alloc(ctx, nv * nv, d);
    s->U = dfl_alloc(ctx, nv * nv, d);
    s->one = dfl_alloc(ctx, nv * nv, d);
    status =
        s->bias && s->lambda && s->h && s->M && s->MN && s->U && s->one ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        set_up(s, nv);
    if (!status)
        status = dfl_split_create(&s->split, ctx, m->eom.nl, m->eom.nv);
    if (!status)
        status = dfl_factor_create(&s->factor, ctx, m->eom.nv, false);
    if (status)
        dfl_multibody_free_solver(m);
    return status;
}

static void set_up(loop_solver *s, size_t nv)
{
    s->y = s->h + nv;
    s->zero = s->y + nv;
    s->a = s->zero + nv;
    for (size_t i = 0; i < nv; i++)
        s->one[i * (nv + 1)] = 1.0;
}

void dfl_multibody_free_solver(dfl_multibody *m)
{
    loop_solver *s = m->solver;
    if (!s)
        return;
    void *blocks[] = {s->bias, s->lambda, s->h, s->M, s->MN, s->U, s->one};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(m->ctx, blocks[i]);
    dfl_split_free(s->split, m->ctx);
    dfl_factor_free(s->factor, m->ctx);
    dfl_free(m->ctx, s);
    m->solver = NULL;
}

/* M, W and the factors at the state. */
static dfl_status factor_loops(dfl_multibody *m)
{
    loop_solver *s = m->solver;
    const int nv = m->eom.nv;
    dfl_multibody_mass(s->M, m);
    dfl_loops_directions(m->mat.W, m->eom.nl, m->loops);
    bool regular = split_rows(s, m);
    const int free = regular ? nv - s->split->rank : 0;
    if (regular) {
        dfl_gemm(nv, free, nv, 1.0, s->M, nv, s->split->N, nv, 0.0, s->MN, nv);
        dfl_gemm_tn(free, free, nv, 1.0, s->split->N, nv, s->MN, nv, 0.0,
                    dfl_factor_matrix(s->factor), free);
        regular = dfl_factor_compute(s->factor, free, DFL_METHOD_QR);
    }
    return regular ? DFL_OK
                   : dfl_fail(m->ctx, DFL_SINGULAR,
                              "the mass matrix is singular at t = %g, or the state is not finite; "
                              "give all bodies mass, or look at p and v",
                              m->t);
}

/* QR needs independent rows; SVD takes all. */
static bool split_rows(loop_solver *s, const dfl_multibody *m)
{
    dfl_split_rule rule = {.method = DFL_METHOD_QR, .tolerance = dependent, .rank = -1};
    const int nv = m->eom.nv, nl = m->eom.nl;
    if (nl <= nv && dfl_split_compute(s->split, &rule, m->mat.W, nl, nl, nv))
        return true;
    rule.method = DFL_METHOD_SVD;
    return dfl_split_compute(s->split, &rule, m->mat.W, nl, nl, nv);
}

/* X (nv x columns) solves M X + W^T Y = r1, W X = r2 (NULL: 0). */
static void solve_columns(double *X, const dfl_multibody *m, int columns, const double *r1,
                          const double *r2)
{
    loop_solver *s = m->solver;
    const int nv = m->eom.nv, nl = m->eom.nl, free = nv - s->split->rank;
    double *T = s->MN, *U = s->U;
    memset(X, 0, (size_t)nv * (size_t)columns * sizeof *X);
    if (r2 && nl > 0)
        dfl_gemm(nv, columns, nl, 1.0, s->split->R, nv, r2, nl, 0.0, X, nv);
    memcpy(T, r1, (size_t)nv * (size_t)columns * sizeof *T);
    dfl_gemm(nv, columns, nv, -1.0, s->M, nv, X, nv, 1.0, T, nv);
    dfl_gemm_tn(free, columns, nv, 1.0, s->split->N, nv, T, nv, 0.0, U, free);
    for (int c = 0; c < columns && free > 0; c++)
        dfl_factor_solve(s->factor, U + (long)c * free);
    dfl_gemm(nv, columns, free, 1.0, s->split->N, nv, U, free, 1.0, X, nv);
}

/* ------------------------------------------------------------------ derivatives */

dfl_status dfl_multibody_forward_slopes(double *Aq, double *Av, double *At, dfl_multibody *m,
                                        const double *tau)
{
    const int nv = m->eom.nv, nl = m->eom.nl;
    dfl_status status = dfl_multibody_ready(m);
    if (!status)
        status = need_solver(m);
    if (!status)
        status = dfl_multibody_forward(m->solver->a, NULL, m, tau);
    if (!status)
        status = factor_loops(m);
    if (!status)
        status = dfl_multibody_called(m, dfl_multibody_derive(m, m->solver->a), m->t);
    if (status)
        return status;
    double *gIq = m->mat.G, *gIIq = gIq + (long)nl * nv, *gIIv = gIIq + (long)nl * nv;
    if (nl > 0) {
        dfl_loops_derive(gIq, gIIq, gIIv, nl, m->loops, m->derivatives);
        dfl_loops_derive_forces(m->mat.Tq, m->loops, m->derivatives, m->solver->lambda);
    }
    for (int i = 0; i < 2 * nl * nv; i++)
        gIIq[i] = -gIIq[i];
    solve_columns(Aq, m, nv, m->mat.Tq, gIIq);
    solve_columns(Av, m, nv, m->mat.Tv, gIIv);
    solve_columns(At, m, nv, m->solver->one, NULL);
    return DFL_OK;
}
