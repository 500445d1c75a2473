/* linearize.c: derivatives of the equations of a mechanism.

   Along massless directions gam = K0^T f with K0 = [-M_PP^-1 M_PF; 1] (P: velocities with a pivot, F:
   massless ones). Differentiating M_P. K0 = 0 gives d gam = K0^T d(f - M a) for the a with a_F = 0,
   M_PP a_P = f_P, which is what the articulated-body recursion returns: K0 itself need not be
   differentiated. Where loops hold massless directions C by rows R of W, differentiating W_R K0 = 0 as
   well gives d gam = K0^T d(f - M a - W_R^T mu), a_C = a_F = 0, for the multipliers mu of these rows
   that balance the held directions: B_RC^T mu = gam_C of the tree, B = W K0. */
#include "multibody/mechanism_internal.h"

#include <math.h>
#include <string.h>

static int fill_dynamics(dfl_mechanism *m, double t, const double *p, const double *v,
                         const double *a);
static int difference_force(double *Tq, double *Tv, dfl_mechanism *m, double t, const double *p,
                            const double *v);
static void fill_kinematics(dfl_jacobian *out, dfl_mechanism *m, const double *p, const double *v);
static void fill_constraints(dfl_jacobian *out, dfl_mechanism *m, const double *p);
static void fill_loops(dfl_jacobian *out, dfl_mechanism *m, const double *p);
static int hold_massless(dfl_mechanism *m, const double *v);
static int fill_massless(dfl_jacobian *out, dfl_mechanism *m, double t, const double *p,
                         const double *v);

int dfl_mechanism_jacobian(dfl_jacobian *out, double t, const double *x, const double *a,
                           void *user)
{
    dfl_mechanism *m = user;
    const dfl_eom *eom = &m->eom;
    const int nv = eom->nv, nl = eom->nl;
    const double *v = x + nl, *p = v + nv;
    dfl_mechanism_arrive(m, t, p, v);
    int result = fill_dynamics(m, t, p, v, a);
    fill_loops(out, m, p);
    dfl_loops_derive_forces(m->Tq, m->loops, m->derivatives, x);
    memcpy(out->dyn + (long)nl * nv, m->Tv, (size_t)nv * (size_t)nv * sizeof *out->dyn);
    dfl_tree_chain(out->dyn + (long)(nl + nv) * nv, nv, m->tree, m->Tq, nv, nv, p);
    fill_constraints(out, m, p);
    if (!eom->trivial_kinematics)
        fill_kinematics(out, m, p, v);
    if (!result && eom->n0 > 0)
        result = fill_massless(out, m, t, p, v);
    return result;
}

/* m->Tq, m->Tv: derivatives of f - M a along velocities and by v. */
static int fill_dynamics(dfl_mechanism *m, double t, const double *p, const double *v,
                         const double *a)
{
    const int nv = m->eom.nv;
    dfl_tree_derive(m->Tq, m->Tv, m->M, m->derivatives, v, a);
    for (int i = 0; i < nv * nv; i++) {
        m->Tq[i] = -m->Tq[i];
        m->Tv[i] = -m->Tv[i];
    }
    return dfl_mechanism_slopes(m->Tq, m->Tv, m, t, p, v);
}

int dfl_mechanism_slopes(double *Tq, double *Tv, dfl_mechanism *m, double t, const double *p,
                         const double *v)
{
    const int nv = m->eom.nv;
    for (int i = 0; i < m->nsprings; i++) {
        const placed_spring *s = &m->spring[i];
        Tq[s->v + s->v * nv] -= s->stiffness;
        Tv[s->v + s->v * nv] -= s->damping;
    }
    if (!m->force)
        return 0;
    if (!m->slopes)
        return difference_force(Tq, Tv, m, t, p, v);
    dfl_mechanism_arrive(m, t, p, v);
    return m->slopes(Tq, Tv, m->tree, t, p, v, m->user);
}

/* Forward differences of the applied forces; for the check of massless directions only. */
static int difference_force(double *Tq, double *Tv, dfl_mechanism *m, double t, const double *p,
                            const double *v)
{
    const int nv = m->eom.nv, np = m->eom.np;
    const double step = 1e-7;
    double *base = m->Y, *moved = base + nv, *unit = moved + nv, *q = unit + nv;
    int result = 0;
    for (int side = 0; side < 2 && !result; side++)
        for (int k = -1; k < nv && !result; k++) {
            memset(unit, 0, (size_t)nv * sizeof *unit);
            memset(moved, 0, (size_t)nv * sizeof *moved);
            unit[k < 0 ? 0 : k] = k < 0 ? 0.0 : step;
            dfl_tree_kinematics(q, m->tree, p, unit);
            for (int i = 0; i < np; i++)
                q[i] = p[i] + (side ? 0.0 : q[i]);
            for (int i = 0; i < nv; i++)
                unit[i] = v[i] + (side ? unit[i] : 0.0);
            dfl_mechanism_arrive(m, t, q, unit);
            result = m->force(k < 0 ? memset(base, 0, (size_t)nv * sizeof *base) : moved, m->tree,
                              t, q, unit, m->user);
            for (int i = 0; i < nv && k >= 0; i++)
                (side ? Tv : Tq)[i + k * nv] += (moved[i] - base[i]) / step;
        }
    dfl_mechanism_arrive(m, t, p, v);
    return result;
}

/* W in all rows, and lengths of quaternions. */
static void fill_constraints(dfl_jacobian *out, dfl_mechanism *m, const double *p)
{
    const dfl_eom *eom = &m->eom;
    const int nv = eom->nv, nl = eom->nl, rows = nl + eom->nep;
    dfl_loops_directions(m->W, nl, m->loops);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nl; i++) {
            out->vel[i + (long)j * nl] = m->W[i + (long)j * nl];
            out->dyn[j + (long)i * nv] = -m->W[i + (long)j * nl];
        }
    dfl_tree_chain(out->pos, rows, m->tree, m->W, nl, nl, p);
    for (int i = 0; i < eom->nep; i++)
        for (int k = 0; k < 4; k++) {
            const int column = dfl_tree_quaternion(m->tree, i) + k;
            out->pos[nl + i + (long)column * rows] = 2.0 * p[column];
        }
}

/* gI and W a + bias, after dfl_tree_derive. */
static void fill_loops(dfl_jacobian *out, dfl_mechanism *m, const double *p)
{
    const int nv = m->eom.nv, nl = m->eom.nl;
    double *gIq = m->G, *gIIq = gIq + (long)nl * nv;
    if (nl == 0)
        return;
    dfl_loops_derive(gIq, gIIq, out->acc + (long)nl * nl, nl, m->loops, m->derivatives);
    dfl_tree_chain(out->vel + (long)nv * nl, nl, m->tree, gIq, nl, nl, p);
    dfl_tree_chain(out->acc + (long)(nl + nv) * nl, nl, m->tree, gIIq, nl, nl, p);
}

/* Z by columns, and (Z v)_p: 1/2 Q omega is linear in e, R v turns with e. */
static void fill_kinematics(dfl_jacobian *out, dfl_mechanism *m, const double *p, const double *v)
{
    const int nv = m->eom.nv, np = m->eom.np;
    double *unit = m->Y;
    for (int j = 0; j < nv; j++) {
        memset(unit, 0, (size_t)nv * sizeof *unit);
        unit[j] = 1.0;
        dfl_tree_kinematics(out->kin + (long)j * np, m->tree, p, unit);
    }
    dfl_tree_kinematics_slope(out->kin + (long)nv * np, np, m->tree, p, v);
}

static int fill_massless(dfl_jacobian *out, dfl_mechanism *m, double t, const double *p,
                         const double *v)
{
    const dfl_eom *eom = &m->eom;
    const int nv = eom->nv, nl = eom->nl, n0 = eom->n0;
    double *K0 = m->Y, *Y = K0 + (long)nv * nv;
    int result = dfl_mechanism_forces(m->tau, m, t, p, v);
    dfl_mechanism_null_space(m, v, m->tau);
    if (!result && m->held > 0)
        result = hold_massless(m, v);
    if (!result)
        result = fill_dynamics(m, t, p, v, m->a);
    if (m->held > 0)
        dfl_loops_derive_forces(m->Tq, m->loops, m->derivatives, m->mu);
    dfl_mechanism_reduce(K0, NULL, m);
    dfl_gemm_tn(n0, nv, nv, 1.0, K0, nv, m->Tv, nv, 0.0, out->gam + (long)nl * n0, n0);
    dfl_gemm_tn(n0, nv, nv, 1.0, K0, nv, m->Tq, nv, 0.0, Y, n0);
    dfl_tree_chain(out->gam + (long)(nl + nv) * n0, n0, m->tree, Y, n0, n0, p);
    return result;
}

/* mu of the rows that hold massless directions, and a with their forces. */
static int hold_massless(dfl_mechanism *m, const double *v)
{
    const int nv = m->eom.nv, nl = m->eom.nl, held = m->held;
    double *A = dfl_factor_matrix(m->held_factor), *mu = m->gam_held;
    for (int k = 0; k < held; k++) {
        mu[k] = m->gam[m->held_column[k]];
        for (int l = 0; l < held; l++)
            A[k + l * held] = m->B[m->held_row[l] + (long)m->held_column[k] * nl];
    }
    if (!dfl_factor_compute(m->held_factor, held, DFL_METHOD_LU))
        return 1;
    dfl_factor_solve(m->held_factor, mu);
    memset(m->mu, 0, (size_t)nl * sizeof *m->mu);
    for (int k = 0; k < held; k++) {
        m->mu[m->held_row[k]] = mu[k];
        for (int i = 0; i < nv; i++)
            m->tau[i] -= m->W[m->held_row[k] + (long)i * nl] * mu[k];
    }
    dfl_tree_forward(m->a, NULL, m->tree, v, m->tau, NULL);
    return 0;
}
