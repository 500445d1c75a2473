/* passes.h: the passes of the recursions over the nodes of a tree, for a type `real` (see
   spatial.h) and functions sine_cosine(real *s, real *c, real q) and all_above(real x, double
   least) that the including file may define before.

   Featherstone (2008), tables 5.1 (Newton-Euler) and 7.1 (articulated bodies); massless directions
   after Arnold (2013), eqs. (24), (25), (28), in the form of a factorization M = L^T D L that
   exists for every positive semidefinite M, also with several massless bodies in a row. */
#ifndef DFL_MECHANICS_PASSES_H
#define DFL_MECHANICS_PASSES_H

#include "multibody/node.h"
#include "multibody/spatial.h"

#ifndef DFL_SINE_COSINE
#include <math.h>
KERNEL void sine_cosine(real *s, real *c, real q)
{
    *s = sin(q);
    *c = cos(q);
}

KERNEL bool all_above(real x, double least)
{
    return x > least;
}
#endif

/* What changes with the state. E and r hold their constant parts from the creation on. */
typedef struct node_state {
    real E[9], r[3];
    real c[6];       /* velocity-product acceleration */
    real U[6];       /* one axis: I^A S; several: tau - S^T p^A */
    real D, u;       /* one axis: 1 / (S^T I^A S) or 0, tau - S^T p^A */
    real v[6], a[6]; /* twist, acceleration minus gravity */
    real p[6];       /* Newton-Euler: the force on the body */
} node_state;

/* An articulated body on the way inwards, until its parent has it: nodes share these places
   (dfl_node.slot), so that they stay in the cache. A spherical or free node keeps its own. */
typedef struct node_fold {
    real A[ARTICULATED], p[6]; /* I^A, p^A */
} node_fold;

/* What one evaluation reads. */
typedef struct pass_input {
    const real *v, *x;   /* velocities; accelerations or forces */
    const double *drive; /* 3 per drive */
} pass_input;

/* ------------------------------------------------------------------ positions */

/* E = Rz(q)^T E0, of which row z stays. */
KERNEL void turn_about_z(node_state *s, const node_rest *n, real q)
{
    real sine, cosine;
    sine_cosine(&sine, &cosine, q);
    for (int k = 0; k < 3; k++) {
        s->E[k] = cosine * n->E[k] + sine * n->E[3 + k];
        s->E[3 + k] = cosine * n->E[3 + k] - sine * n->E[k];
    }
}

KERNEL void shift_along_z(node_state *s, const node_rest *n, real q)
{
    for (int k = 0; k < 3; k++)
        s->r[k] = n->r[k] + q * n->E[6 + k];
}

/* E = R(e)^T E0, R = ((e0^2 - eps^T eps) 1 + 2 eps eps^T + 2 e0 [eps]x) / e^T e. */
KERNEL void turn_by_quaternion(node_state *s, const node_rest *n, const real *e)
{
    const real w = 2.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    const real xx = w * e[1] * e[1], yy = w * e[2] * e[2], zz = w * e[3] * e[3];
    const real xy = w * e[1] * e[2], xz = w * e[1] * e[3], yz = w * e[2] * e[3];
    const real x0 = w * e[0] * e[1], y0 = w * e[0] * e[2], z0 = w * e[0] * e[3];
    const real T[9] = {1.0 - yy - zz, xy + z0,       xz - y0, /* R^T */
                       xy - z0,       1.0 - xx - zz, yz + x0, xz + y0, yz - x0, 1.0 - xx - yy};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            s->E[3 * i + k] =
                T[3 * i] * n->E[k] + T[3 * i + 1] * n->E[3 + k] + T[3 * i + 2] * n->E[6 + k];
}

KERNEL void place_node(node_state *s, const dfl_node *n, const node_rest *rest, const real *p,
                       const double *drive)
{
    real q = {0};
    if (n->p >= 0)
        q = p[n->p];
    else
        q += drive[3 * n->drive];
    switch (n->kind) {
    case DFL_STEP_REVOLUTE:
        turn_about_z(s, rest, q);
        break;
    case DFL_STEP_PRISMATIC:
        shift_along_z(s, rest, q);
        break;
    case DFL_STEP_SCREW:
        turn_about_z(s, rest, q);
        shift_along_z(s, rest, q * n->lead);
        break;
    case DFL_STEP_SPHERICAL:
        turn_by_quaternion(s, rest, p + n->p);
        break;
    case DFL_STEP_FREE:
        for (int k = 0; k < 3; k++)
            s->r[k] = rest->r[k] + rest->E[k] * p[n->p] + rest->E[3 + k] * p[n->p + 1] +
                      rest->E[6 + k] * p[n->p + 2];
        turn_by_quaternion(s, rest, p + n->p + 3);
        break;
    }
}

/* ------------------------------------------------------------------ motions */

/* v += S q' and c = v x S q' for the rates of a node. */
KERNEL void join_rates(node_state *s, const dfl_node *n, const pass_input *in)
{
    real *v = s->v, *c = s->c;
    real q = {0};
    if (n->v >= 0)
        q = in->v[n->v];
    else
        q += in->drive[3 * n->drive + 1];
    real rate[6] = {0};
    c[2] = c[5] = (real){0};
    switch (n->kind) {
    case DFL_STEP_REVOLUTE:
        v[2] += q;
        c[0] = v[1] * q;
        c[1] = -v[0] * q;
        c[3] = v[4] * q;
        c[4] = -v[3] * q;
        break;
    case DFL_STEP_PRISMATIC:
        v[5] += q;
        c[0] = c[1] = (real){0};
        c[3] = v[1] * q;
        c[4] = -v[0] * q;
        break;
    case DFL_STEP_SCREW:
        v[2] += q;
        v[5] += n->lead * q;
        c[0] = v[1] * q;
        c[1] = -v[0] * q;
        c[3] = (v[4] + n->lead * v[1]) * q;
        c[4] = -(v[3] + n->lead * v[0]) * q;
        break;
    default:
        for (int k = 0; k < n->dofs; k++)
            v[k] += rate[k] = in->v[n->v + k];
        cross_motion(c, v, rate);
    }
}

/* a += S q''; `x` holds the accelerations, driven joints have their own. */
KERNEL void join_accelerations(real *a, const dfl_node *n, const real *x, const double *drive)
{
    real q = {0};
    if (n->v >= 0)
        q = x[n->v];
    else
        q += drive[3 * n->drive + 2];
    switch (n->kind) {
    case DFL_STEP_REVOLUTE:
        a[2] += q;
        break;
    case DFL_STEP_PRISMATIC:
        a[5] += q;
        break;
    case DFL_STEP_SCREW:
        a[2] += q;
        a[5] += n->lead * q;
        break;
    default:
        for (int k = 0; k < n->dofs; k++)
            a[k] += x[n->v + k];
    }
}

/* p = v x* I v. */
KERNEL void start_force(real *p, const real *v, const node_mass *n)
{
    real momentum[6];
    rigid_times(momentum, n->m, n->h, n->J, v);
    cross_force(p, v, momentum);
}

KERNEL void clear_force(real *p)
{
    for (int k = 0; k < 6; k++)
        p[k] = (real){0};
}

/* ------------------------------------------------------------------ Newton-Euler */

KERNEL void inverse_outward(node_state *s, const node_state *parent, const dfl_node *n,
                            const node_mass *mass, const pass_input *in)
{
    real force[6];
    motion_to_child(s->v, s->E, s->r, parent->v);
    join_rates(s, n, in);
    motion_to_child(s->a, s->E, s->r, parent->a);
    for (int k = 0; k < 6; k++)
        s->a[k] += s->c[k];
    join_accelerations(s->a, n, in->x, in->drive);
    if (n->empty) {
        clear_force(s->p);
        return;
    }
    start_force(s->p, s->v, mass);
    rigid_times(force, mass->m, mass->h, mass->J, s->a);
    for (int k = 0; k < 6; k++)
        s->p[k] += force[k];
}

/* tau = S^T f; nothing for driven joints. */
KERNEL void project_force(real *tau, const dfl_node *n, const real *f)
{
    if (n->v < 0)
        return;
    switch (n->kind) {
    case DFL_STEP_REVOLUTE:
        tau[n->v] = f[2];
        break;
    case DFL_STEP_PRISMATIC:
        tau[n->v] = f[5];
        break;
    case DFL_STEP_SCREW:
        tau[n->v] = f[2] + n->lead * f[5];
        break;
    default:
        for (int k = 0; k < n->dofs; k++)
            tau[n->v + k] = f[k];
    }
}

KERNEL void inverse_outwards(node_state *state, const tree_view *tree, const pass_input *in)
{
    const dfl_node *node = tree->node;
    for (int i = 1; i < tree->nnodes; i++)
        inverse_outward(state + i, state + node[i].parent, node + i, tree->mass + i, in);
}

KERNEL void inverse_inwards(real *tau, node_state *state, const tree_view *tree)
{
    const dfl_node *node = tree->node;
    for (int i = tree->nnodes - 1; i > 0; i--) {
        node_state *s = state + i;
        project_force(tau, node + i, s->p);
        if (node[i].parent > 0)
            force_to_parent(state[node[i].parent].p, s->E, s->r, s->p);
    }
}

KERNEL void inverse_passes(real *tau, node_state *state, const tree_view *tree,
                           const pass_input *in)
{
    inverse_outwards(state, tree, in);
    inverse_inwards(tau, state, tree);
}

/* ------------------------------------------------------------------ articulated bodies */

/* I^A = I: H = [h]x, M = m 1. */
KERNEL void start_inertia(real *A, const node_mass *n)
{
    for (int k = 0; k < 6; k++) {
        A[AI + k] = (real){0} + n->J[k];
        A[AM + k] = (real){0} + (k < 3 ? n->m : 0.0);
    }
    A[AH] = A[AH + 4] = A[AH + 8] = (real){0};
    A[AH + 1] = (real){0} - n->h[2];
    A[AH + 2] = (real){0} + n->h[1];
    A[AH + 3] = (real){0} + n->h[2];
    A[AH + 5] = (real){0} - n->h[0];
    A[AH + 6] = (real){0} - n->h[1];
    A[AH + 7] = (real){0} + n->h[0];
}

/* v and c of a node. */
KERNEL void forward_outward(node_state *s, const node_state *parent, const dfl_node *n,
                            const pass_input *in)
{
    motion_to_child(s->v, s->E, s->r, parent->v);
    join_rates(s, n, in);
    if (n->v < 0)
        join_accelerations(s->c, n, in->x, in->drive);
}

/* I^A and p^A of a body alone. */
KERNEL void start_body(node_fold *f, const node_state *s, const dfl_node *n, const node_mass *mass)
{
    start_inertia(f->A, mass);
    if (n->empty)
        clear_force(f->p);
    else
        start_force(f->p, s->v, mass);
}

/* U = I^A S and u = tau - S^T p^A of a one-axis node; returns D = S^T U. */
KERNEL real one_axis(node_state *s, const node_fold *f, const dfl_node *n, const real *tau)
{
    const real *A = f->A, *H = f->A + AH, *M = f->A + AM;
    const real turn[6] = {A[4], A[5], A[2], H[6], H[7], H[8]};
    const real push[6] = {H[2], H[5], H[8], M[4], M[5], M[2]};
    const real t = n->v >= 0 ? tau[n->v] : (real){0};
    switch (n->kind) {
    case DFL_STEP_REVOLUTE:
        for (int k = 0; k < 6; k++)
            s->U[k] = turn[k];
        s->u = t - f->p[2];
        return turn[2];
    case DFL_STEP_PRISMATIC:
        for (int k = 0; k < 6; k++)
            s->U[k] = push[k];
        s->u = t - f->p[5];
        return push[5];
    default:
        for (int k = 0; k < 6; k++)
            s->U[k] = turn[k] + n->lead * push[k];
        s->u = t - f->p[2] - n->lead * f->p[5];
        return s->U[2] + n->lead * s->U[5];
    }
}

/* B = A - U U^T D, D being the inverse of the pivot. */
KERNEL void eliminate_axis(real *B, const real *A, const real *U, real D)
{
    const real k0 = U[0] * D, k1 = U[1] * D, k2 = U[2] * D;
    const real k3 = U[3] * D, k4 = U[4] * D, k5 = U[5] * D;
    B[0] = A[0] - U[0] * k0;
    B[1] = A[1] - U[1] * k1;
    B[2] = A[2] - U[2] * k2;
    B[3] = A[3] - U[0] * k1;
    B[4] = A[4] - U[0] * k2;
    B[5] = A[5] - U[1] * k2;
    for (int k = 0; k < 3; k++) {
        B[AH + k] = A[AH + k] - k0 * U[3 + k];
        B[AH + 3 + k] = A[AH + 3 + k] - k1 * U[3 + k];
        B[AH + 6 + k] = A[AH + 6 + k] - k2 * U[3 + k];
    }
    B[AM] = A[AM] - U[3] * k3;
    B[AM + 1] = A[AM + 1] - U[4] * k4;
    B[AM + 2] = A[AM + 2] - U[5] * k5;
    B[AM + 3] = A[AM + 3] - U[3] * k4;
    B[AM + 4] = A[AM + 4] - U[3] * k5;
    B[AM + 5] = A[AM + 5] - U[4] * k5;
}

/* p^a = p^A + I^a c + U D u goes to the parent, I^a as well. */
KERNEL void fold_axis(node_fold *parent, const node_fold *f, const node_state *s, bool about_z)
{
    real B[ARTICULATED], p[6];
    eliminate_axis(B, f->A, s->U, s->D);
    articulated_times(p, B, s->c);
    for (int k = 0; k < 6; k++)
        p[k] += f->p[k] + s->U[k] * (s->D * s->u);
    force_to_parent(parent->p, s->E, s->r, p);
    if (about_z)
        articulated_about_z(parent->A, s->E, s->r, B);
    else
        articulated_to_parent(parent->A, s->E, s->r, B);
}

/* A driven or massless axis takes nothing away: I^a = I^A. */
KERNEL void fold_rigid(node_fold *parent, const node_fold *f, const node_state *s)
{
    real p[6];
    articulated_times(p, f->A, s->c);
    for (int k = 0; k < 6; k++)
        p[k] += f->p[k];
    force_to_parent(parent->p, s->E, s->r, p);
    articulated_to_parent(parent->A, s->E, s->r, f->A);
}

/* A (k x k, row-major) of which the rows in `mask` are factored: L D L^T in place, no pivoting.
   False: a pivot is not above its number in `least` (NULL: none). */
KERNEL bool masked_factor(real *A, int k, unsigned mask, const double *least)
{
    bool sure = true;
    for (int j = 0; j < k; j++) {
        if (!(mask >> j & 1))
            continue;
        sure = sure && (!least || all_above(A[j * k + j], least[j]));
        const real d = 1.0 / A[j * k + j];
        for (int i = j + 1; i < k; i++) {
            if (!(mask >> i & 1))
                continue;
            const real l = A[j * k + i] * d;
            for (int m = i; m < k; m++)
                A[i * k + m] -= l * A[j * k + m];
            A[i * k + j] = l;
        }
        A[j * k + j] = d;
    }
    return sure;
}

/* x := D^- x with the factor: the rows outside of `mask` become 0. */
KERNEL void masked_solve(real *x, const real *A, int k, unsigned mask)
{
    for (int i = 0; i < k; i++) {
        if (!(mask >> i & 1)) {
            x[i] = (real){0};
            continue;
        }
        for (int j = 0; j < i; j++)
            if (mask >> j & 1)
                x[i] -= A[i * k + j] * x[j];
    }
    for (int i = k - 1; i >= 0; i--) {
        if (!(mask >> i & 1))
            continue;
        x[i] *= A[i * k + i];
        for (int j = i + 1; j < k; j++)
            if (mask >> j & 1)
                x[i] -= A[j * k + i] * x[j];
    }
}

/* The place of entry (i, j) of a 6 x 6 articulated inertia. */
KERNEL int articulated_at(int i, int j)
{
    static const unsigned char at[6][6] = {{0, 3, 4, 6, 7, 8},      {3, 1, 5, 9, 10, 11},
                                           {4, 5, 2, 12, 13, 14},   {6, 9, 12, 15, 18, 19},
                                           {7, 10, 13, 18, 16, 20}, {8, 11, 14, 19, 20, 17}};
    return at[i][j];
}

/* D = S^T I^A S of a spherical or free node, k x k. */
KERNEL void several_axes(real *D, const real *A, int k)
{
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            D[i * k + j] = A[articulated_at(i, j)];
}

/* The spherical node: I^a keeps M - H^T D^- H only, since the range of H lies in that of D. */
KERNEL void fold_ball(node_fold *parent, const node_fold *f, const node_state *s, const real *y,
                      const real *D, unsigned mask)
{
    const real *H = f->A + AH;
    real B[ARTICULATED] = {0}, Z[9], p[6], x[6] = {y[0], y[1], y[2]};
    for (int k = 0; k < 3; k++) { /* Z = D^- H, by columns */
        for (int i = 0; i < 3; i++)
            Z[3 * k + i] = H[3 * i + k];
        masked_solve(Z + 3 * k, D, 3, mask);
    }
    static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        const int i = row[k], j = column[k];
        B[AM + k] =
            f->A[AM + k] - H[i] * Z[3 * j] - H[3 + i] * Z[3 * j + 1] - H[6 + i] * Z[3 * j + 2];
    }
    articulated_times(p, f->A, x); /* U y */
    symmetric_times(x + 3, B + AM, s->c + 3);
    for (int k = 0; k < 6; k++)
        p[k] += f->p[k] + (k < 3 ? (real){0} : x[k]);
    force_to_parent(parent->p, s->E, s->r, p);
    articulated_to_parent(parent->A, s->E, s->r, B);
}

/* The free node: I^a = 0 and p^a = p^A + D D^- u. */
KERNEL void fold_free(node_fold *parent, const node_fold *f, const node_state *s, const real *y)
{
    real p[6];
    articulated_times(p, f->A, y);
    for (int k = 0; k < 6; k++)
        p[k] += f->p[k];
    force_to_parent(parent->p, s->E, s->r, p);
}

/* Spherical and free nodes: y = D^- u; forces along massless directions: u - D y. */
KERNEL void fold_several(node_fold *parent, const node_fold *f, node_state *s, const dfl_node *n,
                         const real *tau, real *gam)
{
    real D[36], y[6] = {0}, back[6];
    const int k = n->dofs;
    for (int i = 0; i < k; i++)
        y[i] = s->U[i] = tau[n->v + i] - f->p[i];
    if (!parent && !gam)
        return;
    several_axes(D, f->A, k);
    masked_factor(D, k, n->regular, NULL);
    masked_solve(y, D, k, n->regular);
    if (gam && n->regular != (1u << k) - 1) {
        articulated_times(back, f->A, y);
        for (int i = 0, g = n->gam; i < k; i++)
            if (!(n->regular >> i & 1))
                gam[g++] = s->U[i] - back[i];
    }
    if (!parent)
        return;
    if (n->kind == DFL_STEP_SPHERICAL)
        fold_ball(parent, f, s, y, D, n->regular);
    else
        fold_free(parent, f, s, y);
}

/* False: a pivot of one axis is not above its number in `least`; solve_several says so of
   several. */
KERNEL bool forward_inward(node_fold *parent, const node_fold *f, node_state *s, const dfl_node *n,
                           const real *tau, real *gam, const double *least)
{
    if (n->dofs > 1) {
        fold_several(parent, f, s, n, tau, gam);
        return true;
    }
    const real pivot = one_axis(s, f, n, tau);
    bool sure = true;
    s->D = (real){0};
    if (n->regular) {
        s->D = 1.0 / pivot;
        sure = all_above(pivot, least[n->v]);
    }
    if (!n->regular && n->v >= 0 && gam)
        gam[n->gam] = s->u;
    if (!parent)
        return sure;
    if (!n->regular)
        fold_rigid(parent, f, s);
    else
        fold_axis(parent, f, s, n->kind == DFL_STEP_REVOLUTE);
    return sure;
}

/* q'' = D^- (u - U^T a) of a spherical or free node, a += S q''. False: as masked_factor. */
KERNEL bool solve_several(real *qdd, node_state *s, const node_fold *f, const dfl_node *n,
                          const real *u, const double *least)
{
    real D[36], x[6];
    const int k = n->dofs;
    several_axes(D, f->A, k);
    const bool sure = masked_factor(D, k, n->regular, least);
    articulated_times(x, f->A, s->a);
    for (int i = 0; i < k; i++)
        x[i] = u[i] - x[i];
    masked_solve(x, D, k, n->regular);
    for (int i = 0; i < k; i++) {
        qdd[n->v + i] = x[i];
        s->a[i] += x[i];
    }
    return sure;
}

/* q'' = (u - U^T a) / D, a += S q'' for one axis. */
KERNEL void solve_axis(real *qdd, node_state *s, const dfl_node *n, real u)
{
    const real *U = s->U, *a = s->a;
    const real q = s->D * (u - (U[0] * a[0] + U[1] * a[1] + U[2] * a[2]) -
                           (U[3] * a[3] + U[4] * a[4] + U[5] * a[5]));
    if (n->v < 0)
        return;
    qdd[n->v] = q;
    if (n->kind != DFL_STEP_PRISMATIC)
        s->a[2] += q;
    if (n->kind != DFL_STEP_REVOLUTE)
        s->a[5] += (n->kind == DFL_STEP_PRISMATIC ? 1.0 : n->lead) * q;
}

KERNEL bool solve_node(real *qdd, node_state *s, const node_state *parent, const node_fold *f,
                       const dfl_node *n, const double *least)
{
    motion_to_child(s->a, s->E, s->r, parent->a);
    for (int k = 0; k < 6; k++)
        s->a[k] += s->c[k];
    if (n->dofs > 1)
        return solve_several(qdd, s, f, n, s->U, least + n->v);
    solve_axis(qdd, s, n, s->u);
    return true;
}

/* A body is started when it is first needed, by itself if it is a leaf, else by the first of its
   children on the way inwards, which ends where it ends. */
KERNEL bool starts_itself(const dfl_node *node, int i)
{
    return node[i].end == i + 1;
}

KERNEL bool starts_parent(const dfl_node *node, int i)
{
    return node[i].parent > 0 && node[node[i].parent].end == node[i].end;
}

/* False: a pivot is so small that it may be a rounding error. */
KERNEL bool forward_passes(real *qdd, real *gam, node_state *state, node_fold *fold,
                           const tree_view *tree, const pass_input *in)
{
    const dfl_node *node = tree->node;
    bool sure = true;
    for (int i = 1; i < tree->nnodes; i++)
        forward_outward(state + i, state + node[i].parent, node + i, in);
    for (int i = tree->nnodes - 1; i > 0; i--) {
        const int parent = node[i].parent;
        node_fold *own = fold + node[i].slot, *out = parent > 0 ? fold + node[parent].slot : NULL;
        if (starts_itself(node, i))
            start_body(own, state + i, node + i, tree->mass + i);
        if (starts_parent(node, i))
            start_body(out, state + parent, node + parent, tree->mass + parent);
        sure &= forward_inward(out, own, state + i, node + i, in->x, gam, tree->least);
    }
    for (int i = 1; i < tree->nnodes; i++)
        sure &= solve_node(qdd, state + i, state + node[i].parent, fold + node[i].slot, node + i,
                           tree->least);
    return sure;
}

#endif
