/* linearize.c: derivatives of the equations of a mechanism without loops.

   Along massless directions gam = K0^T f with K0 = [-M_PP^-1 M_PF; 1] (P: velocities with a pivot, F:
   massless ones). Differentiating M_P. K0 = 0 gives d gam = K0^T d(f - M a) for the a with a_F = 0,
   M_PP a_P = f_P, which is what the articulated-body recursion returns: K0 itself need not be
   differentiated. */
#include "mechanics/mechanism_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

static int fill_dynamics(dfl_mechanism *m, double t, const double *p, const double *v,
                         const double *a);
static int difference_force(double *Tq, double *Tv, dfl_mechanism *m, double t, const double *p,
                            const double *v);
static void fill_kinematics(dfl_jacobian *out, dfl_mechanism *m, const double *p, const double *v);
static void fill_constraints(dfl_jacobian *out, dfl_mechanism *m, const double *p);
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

/* Rows of couplings (W is constant) and lengths of quaternions. */
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
    int result = dfl_mechanism_forces(m->tau, m, t, p, v);
    dfl_tree_forward(m->a, m->gam, m->tree, v, m->tau, NULL);
    dfl_tree_null_space(m->K0, nv, m->tree);
    if (!result)
        result = fill_dynamics(m, t, p, v, m->a);
    dfl_gemm_tn(n0, nv, nv, 1.0, m->K0, nv, m->Tv, nv, 0.0, out->gam + (long)nl * n0, n0);
    dfl_gemm_tn(n0, nv, nv, 1.0, m->K0, nv, m->Tq, nv, 0.0, m->Y, n0);
    dfl_tree_chain(out->gam + (long)(nl + nv) * n0, n0, m->tree, m->Y, n0, n0, p);
    return result;
}
