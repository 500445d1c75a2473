/* multibody_slopes.c: derivatives of the equations of a mechanism.

   Along massless directions gam = K0^T f with K0 = [-M_PP^-1 M_PF; 1] (P: velocities with a pivot,
   F: massless ones). Differentiating M_P. K0 = 0 gives d gam = K0^T d(f - M a) for the a with a_F =
   0, M_PP a_P = f_P, which is what the articulated-body recursion returns: K0 itself need not be
   differentiated. Where loops hold massless directions C by rows R of W, differentiating W_R K0 = 0
   as well gives d gam = K0^T d(f - M a - W_R^T mu), a_C = a_F = 0, for the multipliers mu of these
   rows that balance the held directions: B_RC^T mu = gam_C of the tree, B = W K0. */
#include "multibody/multibody_internal.h"

#include "multibody/tree_internal.h"

#include <math.h>
#include <string.h>

static int add_force_slopes(dfl_multibody *m);
static int difference_force(dfl_multibody *m);
static double length_of(const dfl_tree *tree);
static double increment(const dfl_multibody *m, const double *p, const double *v, int column,
                        bool along, double length);
static int force_at(double *tau, dfl_multibody *m, const double *p, const double *v);
static void fill_kinematics(dfl_jacobian *out, dfl_multibody *m);
static void fill_constraints(dfl_jacobian *out, dfl_multibody *m);
static void fill_loops(dfl_jacobian *out, dfl_multibody *m);
static int hold_massless(dfl_multibody *m);
static int fill_massless(dfl_jacobian *out, dfl_multibody *m);

dfl_status dfl_multibody_inverse_slopes(double *Tq, double *Tv, double *M, dfl_multibody *m,
                                        const double *a)
{
    const int n = m->eom.nv * m->eom.nv;
    dfl_status status = dfl_multibody_ready(m);
    if (!status)
        status = dfl_multibody_need_matrices(m);
    if (!status)
        status = dfl_multibody_called(m, dfl_multibody_derive(m, a), m->t);
    for (int i = 0; i < n && !status; i++) {
        Tq[i] = -m->mat.Tq[i];
        Tv[i] = -m->mat.Tv[i];
        M[i] = m->mat.M[i];
    }
    return status;
}

int dfl_multibody_eom_jacobian(dfl_jacobian *out, double t, const double *x, const double *a,
                               void *user)
{
    dfl_multibody *m = user;
    const dfl_eom *eom = &m->eom;
    const int nv = eom->nv, nl = eom->nl;
    const double *v = x + nl, *p = v + nv;
    m->eom.failed = NULL;
    int result = dfl_multibody_place(m, t, p, v);
    if (!result)
        result = dfl_multibody_derive(m, a);
    if (result)
        return result;
    fill_loops(out, m);
    dfl_loops_derive_forces(m->mat.Tq, m->loops, m->derivatives, x);
    memcpy(out->dyn + (long)nl * nv, m->mat.Tv, (size_t)nv * (size_t)nv * sizeof *out->dyn);
    dfl_tree_chain(out->dyn + (long)(nl + nv) * nv, nv, m->tree, m->mat.Tq, nv, nv, p);
    fill_constraints(out, m);
    if (!eom->trivial_kinematics)
        fill_kinematics(out, m);
    return eom->n0 > 0 ? fill_massless(out, m) : 0;
}

/* ------------------------------------------------------------------ dynamics */

int dfl_multibody_derive(dfl_multibody *m, const double *a)
{
    const int nv = m->eom.nv;
    dfl_tree_derive(m->mat.Tq, m->mat.Tv, m->mat.M, m->derivatives, m->v, a);
    m->posed = true;
    m->moving = false;
    for (int i = 0; i < nv * nv; i++) {
        m->mat.Tq[i] = -m->mat.Tq[i];
        m->mat.Tv[i] = -m->mat.Tv[i];
    }
    return add_force_slopes(m);
}

/* m->mat.Tq, m->mat.Tv += the slopes of springs and forces. */
static int add_force_slopes(dfl_multibody *m)
{
    const int nv = m->eom.nv;
    for (int i = 0; i < m->nsprings; i++) {
        const placed_spring *s = &m->spring[i];
        m->mat.Tq[s->v + s->v * nv] -= s->stiffness;
        m->mat.Tv[s->v + s->v * nv] -= s->damping;
    }
    if (!m->call.force)
        return 0;
    if (!m->call.slopes)
        return difference_force(m);
    dfl_multibody_arrive(m);
    m->busy = true;
    const int result = m->call.slopes(m->mat.Tq, m->mat.Tv, m, m->t, m->p, m->v, m->call.user);
    m->busy = false;
    return dfl_multibody_note(m, result, "the callback `slopes`");
}

/* Forward differences of the applied forces, which leave the exact derivatives of everything else
   alone. */
static int difference_force(dfl_multibody *m)
{
    const int nv = m->eom.nv, np = m->eom.np;
    double *base = m->mat.Y, *moved = base + nv, *v = moved + nv, *u = v + nv, *p = u + nv;
    double *q = p + np;
    memcpy(v, m->v, (size_t)nv * sizeof *v);
    memcpy(p, m->p, (size_t)np * sizeof *p);
    const double length = length_of(m->tree);
    int result = force_at(base, m, p, v);
    for (int k = 0; k < 2 * nv && !result; k++) {
        const int column = k % nv;
        const double step = increment(m, p, v, column, k < nv, length);
        double *T = (k < nv ? m->mat.Tq : m->mat.Tv) + (long)column * nv;
        memset(u, 0, (size_t)nv * sizeof *u);
        u[column] = step;
        dfl_tree_kinematics(q, m->tree, p, u);
        for (int i = 0; i < np; i++)
            q[i] = p[i] + (k < nv ? q[i] : 0.0);
        for (int i = 0; i < nv; i++)
            u[i] = v[i] + (k < nv ? 0.0 : u[i]);
        result = force_at(moved, m, q, u);
        for (int i = 0; i < nv; i++)
            T[i] += (moved[i] - base[i]) / step;
    }
    dfl_multibody_place(m, m->t, p, v);
    dfl_multibody_pose(m);
    return result;
}

/* The largest distance in the tree: of a joint from that before it, or of a centre of mass. */
static double length_of(const dfl_tree *tree)
{
    double largest = 0;
    for (int i = 1; i < tree->nnodes; i++) {
        const double *r = tree->rest[i].r, *h = tree->mass[i].h, m = tree->mass[i].m;
        largest = fmax(largest, hypot(hypot(r[0], r[1]), r[2]));
        if (m > 0)
            largest = fmax(largest, hypot(hypot(h[0], h[1]), h[2]) / m);
    }
    return largest > 0 ? largest : 1;
}

/* 1e-7 of the coordinate or velocity that changes, and at least of 1 rad or of the mechanism's
   length, or that per second. */
static double increment(const dfl_multibody *m, const double *p, const double *v, int column,
                        bool along, double length)
{
    const dfl_node *n = &m->tree->node[m->tree->dof.node[column]];
    const double *q = p + n->p;
    const bool turns = n->dofs == 1 ? n->kind != DFL_STEP_PRISMATIC : column - n->v < 3;
    double size = fabs(v[column]);
    if (along && n->dofs == 1)
        size = fabs(*q);
    else if (along) /* a turn, or a shift of a free body */
        size = turns ? 1.0 : hypot(hypot(q[0], q[1]), q[2]);
    return 1e-7 * fmax(size, turns ? 1.0 : length);
}

static int force_at(double *tau, dfl_multibody *m, const double *p, const double *v)
{
    const int result = dfl_multibody_place(m, m->t, p, v);
    if (result)
        return result;
    dfl_multibody_arrive(m);
    memset(tau, 0, (size_t)m->eom.nv * sizeof *tau);
    m->busy = true;
    const int forced = m->call.force(tau, m, m->t, m->p, m->v, m->call.user);
    m->busy = false;
    return dfl_multibody_note(m, forced, "the callback `force`");
}

/* ------------------------------------------------------------------ rows */

/* W in all rows, and lengths of quaternions. */
static void fill_constraints(dfl_jacobian *out, dfl_multibody *m)
{
    const dfl_eom *eom = &m->eom;
    const int nv = eom->nv, nl = eom->nl, rows = nl + eom->nep;
    dfl_loops_directions(m->mat.W, nl, m->loops);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nl; i++) {
            out->vel[i + (long)j * nl] = m->mat.W[i + (long)j * nl];
            out->dyn[j + (long)i * nv] = -m->mat.W[i + (long)j * nl];
        }
    dfl_tree_chain(out->pos, rows, m->tree, m->mat.W, nl, nl, m->p);
    for (int i = 0; i < eom->nep; i++)
        for (int k = 0; k < 4; k++) {
            const int column = dfl_tree_quaternion(m->tree, i) + k;
            out->pos[nl + i + (long)column * rows] = 2.0 * m->p[column];
        }
}

/* gI and W a + bias, after dfl_tree_derive. */
static void fill_loops(dfl_jacobian *out, dfl_multibody *m)
{
    const int nv = m->eom.nv, nl = m->eom.nl;
    double *gIq = m->mat.G, *gIIq = gIq + (long)nl * nv;
    if (nl == 0)
        return;
    dfl_loops_derive(gIq, gIIq, out->acc + (long)nl * nl, nl, m->loops, m->derivatives);
    dfl_tree_chain(out->vel + (long)nv * nl, nl, m->tree, gIq, nl, nl, m->p);
    dfl_tree_chain(out->acc + (long)(nl + nv) * nl, nl, m->tree, gIIq, nl, nl, m->p);
}

/* Z by columns, and (Z v)_p: 1/2 Q omega is linear in e, R v turns with e. */
static void fill_kinematics(dfl_jacobian *out, dfl_multibody *m)
{
    const int nv = m->eom.nv, np = m->eom.np;
    double *unit = m->mat.Y;
    for (int j = 0; j < nv; j++) {
        memset(unit, 0, (size_t)nv * sizeof *unit);
        unit[j] = 1.0;
        dfl_tree_kinematics(out->kin + (long)j * np, m->tree, m->p, unit);
    }
    dfl_tree_kinematics_slope(out->kin + (long)nv * np, np, m->tree, m->p, m->v);
}

static int fill_massless(dfl_jacobian *out, dfl_multibody *m)
{
    const dfl_eom *eom = &m->eom;
    const int nv = eom->nv, nl = eom->nl, n0 = eom->n0;
    double *K0 = m->mat.Y, *Y = K0 + (long)nv * nv;
    int result = dfl_multibody_forces(m->tau, m);
    dfl_multibody_directions(m, m->tau);
    if (!result && m->held.count > 0)
        result = hold_massless(m);
    if (!result)
        result = dfl_multibody_derive(m, m->a);
    if (m->held.count > 0)
        dfl_loops_derive_forces(m->mat.Tq, m->loops, m->derivatives, m->held.mu);
    dfl_multibody_reduce(K0, NULL, m);
    dfl_gemm_tn(n0, nv, nv, 1.0, K0, nv, m->mat.Tv, nv, 0.0, out->gam + (long)nl * n0, n0);
    dfl_gemm_tn(n0, nv, nv, 1.0, K0, nv, m->mat.Tq, nv, 0.0, Y, n0);
    dfl_tree_chain(out->gam + (long)(nl + nv) * n0, n0, m->tree, Y, n0, n0, m->p);
    return result;
}

/* mu of the rows that hold massless directions, and a with their forces. */
static int hold_massless(dfl_multibody *m)
{
    const int nv = m->eom.nv, nl = m->eom.nl, held = m->held.count;
    double *A = dfl_factor_matrix(m->held.factor), *mu = m->held.gam;
    for (int k = 0; k < held; k++) {
        mu[k] = m->gam[m->held.column[k]];
        for (int l = 0; l < held; l++)
            A[k + l * held] = m->mat.B[m->held.row[l] + (long)m->held.column[k] * nl];
    }
    if (!dfl_factor_compute(m->held.factor, held, DFL_METHOD_LU))
        return 1;
    dfl_factor_solve(m->held.factor, mu);
    memset(m->held.mu, 0, (size_t)nl * sizeof *m->held.mu);
    for (int k = 0; k < held; k++) {
        m->held.mu[m->held.row[k]] = mu[k];
        for (int i = 0; i < nv; i++)
            m->tau[i] -= m->mat.W[m->held.row[k] + (long)i * nl] * mu[k];
    }
    dfl_tree_forward(m->a, NULL, m->tree, m->v, m->tau);
    return 0;
}
