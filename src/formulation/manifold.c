/* States moved onto the constraints, for explicit methods.

   Positions: W dq = -g with the least dq in the metric of M, p += Z dq, by simplified Newton with
   one factored matrix. Velocities: W dv = -(gI, hv), which is linear in v. If positions have
   invariants ep (unit quaternions), which no displacement Z dq changes, positions follow by least
   squares in p itself. Contact variables follow from c = 0. Velocities along massless directions,
   which are not part of a state and do not affect the constraints, follow from gam = 0. Velocities
   then move along the constraints until the invariants e vanish. */
#include "formulation/ode_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { most_iterations = 10 };
static const double degenerate = 1e-3; /* of the velocities */

static dfl_outcome displacement(dfl_ode *ode, dfl_point *point);
static dfl_outcome least_squares(dfl_ode *ode, dfl_point *point);

static double largest(const double *x, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

/* Whether a correction no longer changes anything, or no longer shrinks at the level of rounding;
   `last` is the previous correction. The rounding of rows does not follow the size of the unknowns,
   which may be close to zero: a correction below `least` may be rounding as well. */
static bool settled(double size, double last, double scale, double least)
{
    return size <= 8 * DBL_EPSILON * scale ||
           (size <= fmax(1e-9 * scale, least) && size >= 0.5 * last);
}

/* Not converged: a smaller step may help; no callback caused this. */
static dfl_outcome give_up(dfl_system *sys)
{
    sys->trouble.outcome = DFL_STEP_OK;
    return DFL_STEP_RETRY;
}

dfl_outcome dfl_ode_move_positions(dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const dfl_eom *eom = sys->eom;
    const double *p = point->x + sys->at.p;
    double last = INFINITY;
    for (int it = 0; it < most_iterations; it++) {
        dfl_outcome outcome = dfl_ode_contact(ode, point);
        if (!outcome)
            outcome =
                dfl_system_eval_blocks(sys, point, DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS);
        if (!outcome && (it == 0 || eom->nep > 0))
            outcome = dfl_saddle_factor(&ode->saddle, point, point->blocks.W);
        if (outcome)
            return outcome;
        if (eom->nep > 0)
            outcome = least_squares(ode, point);
        else
            outcome = displacement(ode, point);
        if (outcome)
            return outcome;
        const double size = largest(ode->change, eom->np), scale = largest(p, eom->np);
        if (!isfinite(size))
            return dfl_system_check_finite(sys, point) ? DFL_STEP_NONFINITE : give_up(sys);
        if (settled(size, last, scale > 0 ? scale : 1, ode->least))
            return it == 0 ? DFL_STEP_OK : dfl_saddle_factor(&ode->saddle, point, point->blocks.W);
        for (int i = 0; i < eom->np; i++)
            point->x[sys->at.p + i] += ode->change[i];
        last = size;
    }
    return give_up(sys);
}

/* change (np) = Z dq */
static dfl_outcome displacement(dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const dfl_eom *eom = sys->eom;
    const size_t nv = (size_t)eom->nv;
    double *v = point->x + sys->at.v;
    for (int i = 0; i < sys->nc; i++)
        ode->target[i] = i < eom->nl ? -point->blocks.g[i] : 0;
    dfl_saddle_least_change(ode->change, &ode->saddle, ode->target);
    if (eom->trivial_kinematics)
        return DFL_STEP_OK;
    /* Z is linear in v: evaluate the kinematics of the model with dq instead of v. This may write
       other blocks as well; those of velocities are still needed for v. */
    double *kept = ode->change + eom->np, *rows = ode->rows;
    memcpy(kept, v, nv * sizeof *v);
    memcpy(rows, point->alg + sys->m1, (size_t)sys->m2 * sizeof *v);
    memcpy(v, ode->change, nv * sizeof *v);
    const dfl_outcome outcome = dfl_system_eval_blocks(sys, point, DFL_KINEMATICS);
    memcpy(v, kept, nv * sizeof *v);
    memcpy(point->alg + sys->m1, rows, (size_t)sys->m2 * sizeof *v);
    memcpy(ode->change, point->blocks.kin, (size_t)eom->np * sizeof *v);
    return outcome;
}

/* change (np): the least change with g, ep + [g; ep]_p dp = 0, s depending on p */
static dfl_outcome least_squares(dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const int m = sys->m3, n = sys->n4, ns = sys->eom->ns;
    double *A = ode->rows, *b = A + (size_t)m * (size_t)n;
    dfl_outcome outcome = dfl_system_jacobian(&ode->jac, sys, point->t, point->x, point->x);
    if (outcome)
        return outcome;
    memcpy(A, ode->jac.J3, (size_t)m * (size_t)n * sizeof *A);
    for (int i = 0; i < m; i++)
        b[i] = -point->alg[sys->m1 + sys->m2 + i];
    double *change = ode->change + sys->n4;
    if (!dfl_lstsq_solve(change, ode->lstsq, m, n, A, b, ode->options->constraints.rank_tolerance,
                         NULL))
        return dfl_system_part_trouble(sys, DFL_STEP_SINGULAR, DFL_FAILURE_POSITION, point->t);
    memcpy(ode->change, change + ns, (size_t)sys->eom->np * sizeof *change);
    return DFL_STEP_OK;
}

/* Newton's iteration on c(p, s, t) = 0. */
dfl_outcome dfl_ode_contact(dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const int ns = sys->eom->ns, m3 = sys->m3;
    double *s = point->x + sys->at.sp, *ds = ode->change, last = INFINITY;
    for (int it = 0; ns > 0 && it < most_iterations; it++) {
        dfl_outcome outcome = dfl_system_eval_blocks(sys, point, DFL_POSITION);
        if (!outcome && it % 4 == 0)
            outcome = dfl_system_jacobian(&ode->jac, sys, point->t, point->x, point->x);
        if (outcome)
            return outcome;
        double *C = dfl_factor_matrix(ode->contact);
        for (int j = 0; it % 4 == 0 && j < ns; j++)
            for (int i = 0; i < ns; i++)
                C[j * ns + i] = ode->jac.J3[j * m3 + i];
        if (it % 4 == 0 && !dfl_factor_compute(ode->contact, ns, DFL_METHOD_LU))
            return dfl_system_part_trouble(sys, DFL_STEP_SINGULAR, DFL_FAILURE_POSITION, point->t);
        memcpy(ds, point->blocks.c, (size_t)ns * sizeof *ds);
        dfl_factor_solve(ode->contact, ds);
        for (int i = 0; i < ns; i++)
            s[i] -= ds[i];
        const double size = largest(ds, ns), scale = largest(s, ns);
        if (!isfinite(size))
            return give_up(sys);
        if (settled(size, last, scale > 0 ? scale : 1, ode->least))
            return DFL_STEP_OK;
        last = size;
    }
    return ns > 0 ? give_up(sys) : DFL_STEP_OK;
}

/* Fills the matrix gam_v K0 by differences along the massless directions; keeps gam at the point in
   `gam`. */
static dfl_outcome massless_matrix(double *gam, dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const int nv = sys->n3, n0 = sys->eom->n0;
    double *v = point->x + sys->at.v, *B = dfl_factor_matrix(ode->contact);
    dfl_outcome outcome = dfl_system_eval_blocks(sys, point, DFL_VELOCITY | DFL_DIRECTIONS);
    memcpy(gam, point->blocks.gam, (size_t)n0 * sizeof *gam);
    for (int k = 0; !outcome && k < n0; k++) {
        const double *K0 = point->blocks.K0 + k * nv;
        const double delta = sqrt(sys->rounding) * fmax(1e-3, largest(v, nv));
        for (int j = 0; j < nv; j++)
            v[j] += delta * K0[j];
        outcome = dfl_system_eval_blocks(sys, point, DFL_VELOCITY);
        for (int j = 0; j < nv; j++)
            v[j] -= delta * K0[j];
        for (int i = 0; i < n0; i++)
            B[k * n0 + i] = (point->blocks.gam[i] - gam[i]) / delta;
    }
    return outcome;
}

dfl_outcome dfl_ode_massless(dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const int nv = sys->n3, n0 = sys->eom->n0;
    double *v = point->x + sys->at.v, *gam = ode->change, last = INFINITY;
    for (int it = 0; n0 > 0 && it < most_iterations; it++) {
        dfl_outcome outcome = massless_matrix(gam, ode, point);
        if (outcome)
            return outcome;
        if (!dfl_factor_compute(ode->contact, n0, DFL_METHOD_LU))
            return dfl_system_part_trouble(sys, DFL_STEP_SINGULAR, DFL_FAILURE_VELOCITY, point->t);
        dfl_factor_solve(ode->contact, gam);
        for (int k = 0; k < n0; k++)
            for (int j = 0; j < nv; j++)
                v[j] -= gam[k] * point->blocks.K0[k * nv + j];
        const double size = largest(gam, n0), scale = largest(v, nv);
        if (!isfinite(size))
            return give_up(sys);
        if (settled(size, last, scale > 0 ? scale : 1, ode->least))
            return DFL_STEP_OK;
        last = size;
    }
    return n0 > 0 ? give_up(sys) : DFL_STEP_OK;
}

dfl_outcome dfl_ode_move_velocities(dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const double *rows = point->blocks.gI; /* gI, then hv */
    double *v = point->x + sys->at.v;
    for (int i = 0; i < sys->nc; i++)
        ode->target[i] = -rows[i];
    dfl_saddle_least_change(ode->change, &ode->saddle, ode->target);
    for (int i = 0; i < sys->n3; i++)
        v[i] += ode->change[i];
    return dfl_ode_massless(ode, point);
}

/* One step of Newton's iteration on e = 0 within the velocities that the constraints allow: dv =
   sum k_i q_i, q_i being the direction of e_v,i; returns the size of dv relative to v. */
static dfl_outcome correct_invariants(double *size, dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const int nv = sys->n3, ne = sys->eom->ne, first = sys->nc + sys->eom->n0;
    double *Q = ode->rows, *A = Q + nv * ne, *b = A + ne * ne, *k = b + ne, *ev = ode->change;
    double *v = point->x + sys->at.v;
    dfl_outcome outcome = dfl_system_jacobian(&ode->jac, sys, point->t, point->x, point->x);
    if (outcome)
        return outcome;
    const double *J = ode->jac.J2 + sys->at.v * sys->m2 + first;
    for (int i = 0; i < ne; i++) {
        for (int j = 0; j < nv; j++)
            ev[j] = J[j * sys->m2 + i];
        dfl_saddle_direction(Q + i * nv, &ode->saddle, ev);
        b[i] = -point->blocks.e[i];
    }
    for (int j = 0; j < ne; j++)
        for (int i = 0; i < ne; i++) {
            A[j * ne + i] = 0;
            for (int l = 0; l < nv; l++)
                A[j * ne + i] += J[l * sys->m2 + i] * Q[j * nv + l];
        }
    if (!dfl_lstsq_solve(k, ode->lstsq, ne, ne, A, b, 1e-8, NULL))
        return give_up(sys);
    dfl_gemm(nv, 1, ne, 1, Q, nv, k, ne, 0, ev, nv);
    const double speed = largest(v, nv);
    *size = speed > 0 ? largest(ev, nv) / speed : INFINITY;
    for (int j = 0; *size < degenerate && j < nv; j++)
        v[j] += ev[j];
    return DFL_STEP_OK;
}

/* If an invariant is degenerate, as the energy is at a turning point, it does not determine v. A
   correction that is not small compared with v is left out; a later step makes up for it. */
dfl_outcome dfl_ode_move_invariants(dfl_ode *ode, dfl_point *point)
{
    double size = INFINITY, last;
    for (int it = 0; ode->sys->eom->ne > 0 && it < most_iterations; it++) {
        dfl_outcome outcome = dfl_system_eval_blocks(ode->sys, point, DFL_VELOCITY);
        last = size;
        if (!outcome)
            outcome = correct_invariants(&size, ode, point);
        if (outcome)
            return outcome;
        if (!(size < degenerate) || settled(size, last, 1, 0))
            break;
    }
    return DFL_STEP_OK;
}
