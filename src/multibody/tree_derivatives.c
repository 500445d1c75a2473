/* tree_derivatives.c: derivatives of inverse dynamics with respect to positions and velocities, and
   the mass matrix, in one sweep: Carpentier and Mansard, Analytical derivatives of rigid body
   dynamics algorithms (RSS 2018); Singh, Russell and Wensing, Efficient analytical derivatives of
   rigid-body dynamics using spatial vector algebra (IEEE RA-L 2022).

   Everything is in world axes about one common point near the mechanism. Per velocity k of a node
   with parent pi:  P = v_pi x S,  PP = a_pi x S + v_pi x P,  SS = v x S; per node
       B = 1/2 (v x* I - I v x + (I v) xbar*),   f xbar* m := m x* f,   f = I a + v x* I v
   I, B, f are summed over subtrees; then with
       t1 = 2 B S + I (P + SS),  t2 = 2 B^T S,  t3 = I S,  t4 = 2 B P + I PP + f xbar* S
   for j = i and every ancestor j
       dtau_i/dq_j = t2^T P_j + t3^T PP_j       dtau_i/dv_j = t2^T S_j + t3^T (P_j + SS_j)
       dtau_j/dq_i = S_j^T t4,  dtau_j/dv_i = S_j^T t1,  M_ij = M_ji = S_j^T t3   (j != i)
   They hold because S is constant in the frame of every node. */
#include "multibody/tree_internal.h"

#include <string.h>

static void choose_origin(dfl_tree_derivatives *work);
static void motion_to_world(double *y, const double *pose, const double *origin, const double *x);
static void fill_node(dfl_tree_derivatives *work, int node);
static void fill_dofs(dfl_tree_derivatives *work, int node);
static void fill_B(double *B, const node_terms *t);
static void add_subtree(node_terms *parent, const node_terms *child);
static void fill_rows(double *Tq, double *Tv, double *M, long ld, const dfl_tree_derivatives *work,
                      int node);
static void fill_pair(double *Tq, double *Tv, double *M, long nv, int i, int j, bool same,
                      double t[4][6], const dof_terms *d);

dfl_status dfl_tree_derivatives_create(dfl_tree_derivatives **out, dfl_context *ctx, dfl_tree *tree)
{
    *out = NULL;
    dfl_tree_derivatives *work = dfl_alloc(ctx, 1, sizeof *work);
    if (!work)
        return DFL_NO_MEMORY;
    work->ctx = ctx;
    work->tree = tree;
    work->dof = dfl_alloc(ctx, (size_t)tree->nv, sizeof *work->dof);
    work->node = dfl_alloc(ctx, (size_t)tree->nnodes, sizeof *work->node);
    work->tau = dfl_alloc(ctx, (size_t)tree->nv, sizeof *work->tau);
    if (!work->dof || !work->node || !work->tau) {
        dfl_tree_derivatives_free(work);
        return DFL_NO_MEMORY;
    }
    *out = work;
    return DFL_OK;
}

void dfl_tree_derivatives_free(dfl_tree_derivatives *work)
{
    if (!work)
        return;
    dfl_context *ctx = work->ctx;
    dfl_free(ctx, work->dof);
    dfl_free(ctx, work->node);
    dfl_free(ctx, work->tau);
    dfl_free(ctx, work);
}

void dfl_tree_derive(double *Tq, double *Tv, double *M, dfl_tree_derivatives *work, const double *v,
                     const double *a)
{
    dfl_tree *tree = work->tree;
    const size_t size = (size_t)tree->nv * (size_t)tree->nv * sizeof(double);
    memset(Tq, 0, size);
    memset(Tv, 0, size);
    memset(M, 0, size);
    dfl_tree_poses(tree);
    dfl_tree_inverse(work->tau, tree, v, a); /* twists and accelerations of all nodes */
    dfl_tree_derive_nodes(work);
    dfl_tree_derive_sweep(Tq, Tv, M, tree->nv, work);
}

void dfl_tree_derive_nodes(dfl_tree_derivatives *work)
{
    choose_origin(work);
    for (int i = 0; i < work->tree->nnodes; i++)
        fill_node(work, i);
    for (int i = 1; i < work->tree->nnodes; i++)
        fill_dofs(work, i);
}

void dfl_tree_derive_sweep(double *Tq, double *Tv, double *M, long ld, dfl_tree_derivatives *work)
{
    const dfl_tree *tree = work->tree;
    for (int i = tree->nnodes - 1; i > 0; i--) {
        fill_rows(Tq, Tv, M, ld, work, i);
        add_subtree(&work->node[tree->node[i].parent], &work->node[i]);
    }
}

/* The mean of all nodes, so that no arm is longer than the mechanism. */
static void choose_origin(dfl_tree_derivatives *work)
{
    const dfl_tree *tree = work->tree;
    memset(work->origin, 0, sizeof work->origin);
    for (int i = 1; i < tree->nnodes; i++)
        for (int k = 0; k < 3; k++)
            work->origin[k] += tree->pose[12 * i + 9 + k] / (tree->nnodes - 1);
}

/* A motion in axes of a node at its origin becomes one in world axes at `origin`. */
static void motion_to_world(double *y, const double *pose, const double *origin, const double *x)
{
    const double arm[3] = {origin[0] - pose[9], origin[1] - pose[10], origin[2] - pose[11]};
    rotate(y, pose, x);
    rotate(y + 3, pose, x + 3);
    cross_add(y + 3, y, arm);
}

void dfl_mass_to_pose(node_mass *t, const node_mass *n, const double *pose, const double *origin)
{
    static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const double r[3] = {pose[9] - origin[0], pose[10] - origin[1], pose[11] - origin[2]};
    const double E[9] = {pose[0], pose[3], pose[6], pose[1], pose[4],
                         pose[7], pose[2], pose[5], pose[8]};
    double h[3];
    rotate(h, pose, n->h);
    symmetric_to_parent(t->J, E, n->J);
    t->m = n->m;
    const double both = 2.0 * dot(h, r) + n->m * dot(r, r);
    for (int k = 0; k < 6; k++) { /* + (2 h^T r + m r^T r) 1 - h r^T - r h^T - m r r^T */
        const int i = row[k], j = column[k];
        t->J[k] += (i == j ? both : 0.0) - h[i] * r[j] - r[i] * h[j] - n->m * r[i] * r[j];
    }
    for (int k = 0; k < 3; k++)
        t->h[k] = h[k] + n->m * r[k];
}

static void fill_node(dfl_tree_derivatives *work, int node)
{
    const dfl_tree *tree = work->tree;
    const double *pose = tree->pose + 12 * node;
    node_terms *t = &work->node[node];
    node_mass moved;
    double momentum[6], gyro[6];
    motion_to_world(t->v, pose, work->origin, tree->state[node].v);
    motion_to_world(t->a, pose, work->origin, tree->state[node].a);
    dfl_mass_to_pose(&moved, &tree->mass[node], pose, work->origin);
    t->m = moved.m;
    memcpy(t->h, moved.h, sizeof t->h);
    memcpy(t->J, moved.J, sizeof t->J);
    rigid_times(momentum, t->m, t->h, t->J, t->v);
    cross_force(gyro, t->v, momentum);
    rigid_times(t->f, t->m, t->h, t->J, t->a);
    for (int k = 0; k < 6; k++)
        t->f[k] += gyro[k];
    fill_B(t->B, t);
}

/* By columns: 2 B e_k = v x* I e_k - I (v x e_k) + e_k x* I v. */
static void fill_B(double *B, const node_terms *t)
{
    double momentum[6], x[6], y[6], z[6];
    rigid_times(momentum, t->m, t->h, t->J, t->v);
    for (int k = 0; k < 6; k++) {
        double unit[6] = {0};
        unit[k] = 1.0;
        rigid_times(y, t->m, t->h, t->J, unit);
        cross_force(x, t->v, y);
        cross_motion(y, t->v, unit);
        rigid_times(z, t->m, t->h, t->J, y);
        cross_force(y, unit, momentum);
        for (int i = 0; i < 6; i++)
            B[6 * i + k] = 0.5 * (x[i] - z[i] + y[i]);
    }
}

static void fill_dofs(dfl_tree_derivatives *work, int node)
{
    const dfl_tree *tree = work->tree;
    const dfl_node *n = &tree->node[node];
    const node_terms *own = &work->node[node], *parent = &work->node[n->parent];
    double t[6];
    for (int k = 0; k < n->dofs; k++) {
        dof_terms *d = &work->dof[n->v + k];
        dfl_tree_axis(d->S, tree, node, k, work->origin);
        cross_motion(d->P, parent->v, d->S);
        cross_motion(d->PP, parent->a, d->S);
        cross_motion(t, parent->v, d->P);
        cross_motion(d->Q, own->v, d->S);
        for (int i = 0; i < 6; i++) {
            d->PP[i] += t[i];
            d->Q[i] += d->P[i];
        }
    }
}

static void add_subtree(node_terms *parent, const node_terms *child)
{
    for (int k = 0; k < 6; k++) {
        parent->f[k] += child->f[k];
        parent->J[k] += child->J[k];
    }
    for (int k = 0; k < 3; k++)
        parent->h[k] += child->h[k];
    for (int k = 0; k < 36; k++)
        parent->B[k] += child->B[k];
    parent->m += child->m;
}

static void fill_rows(double *Tq, double *Tv, double *M, long ld, const dfl_tree_derivatives *work,
                      int node)
{
    const dfl_tree *tree = work->tree;
    const dfl_node *n = &tree->node[node];
    const node_terms *c = &work->node[node];
    for (int k = 0; k < n->dofs; k++) {
        const dof_terms *d = &work->dof[n->v + k];
        double t[4][6], IQ[6], IPP[6], turn[6];
        rigid_times(IQ, c->m, c->h, c->J, d->Q);
        rigid_times(IPP, c->m, c->h, c->J, d->PP);
        rigid_times(t[2], c->m, c->h, c->J, d->S);
        cross_force(turn, d->S, c->f);
        for (int i = 0; i < 6; i++) {
            double BS = 0.0, BTS = 0.0, BP = 0.0;
            for (int j = 0; j < 6; j++) {
                BS += c->B[6 * i + j] * d->S[j];
                BP += c->B[6 * i + j] * d->P[j];
                BTS += c->B[6 * j + i] * d->S[j];
            }
            t[0][i] = 2.0 * BS + IQ[i];
            t[1][i] = 2.0 * BTS;
            t[3][i] = 2.0 * BP + IPP[i] + turn[i];
        }
        for (int l = 0; l < n->dofs; l++)
            fill_pair(Tq, Tv, M, ld, n->v + k, n->v + l, true, t, &work->dof[n->v + l]);
        dfl_tree_derive_path(Tq, Tv, M, ld, work, n->v + k, n->parent, t);
    }
}

void dfl_tree_derive_path(double *Tq, double *Tv, double *M, long ld,
                          const dfl_tree_derivatives *work, int i, int node, double t[4][6])
{
    const dfl_tree *tree = work->tree;
    for (int j = node; j > 0; j = tree->node[j].parent)
        for (int l = 0; l < tree->node[j].dofs; l++)
            fill_pair(Tq, Tv, M, ld, i, tree->node[j].v + l, false, t,
                      &work->dof[tree->node[j].v + l]);
}

/* Velocity i of the node at hand and velocity j of it or of an ancestor; t = t1 .. t4. */
static void fill_pair(double *Tq, double *Tv, double *M, long nv, int i, int j, bool same,
                      double t[4][6], const dof_terms *d)
{
    Tq[i + j * nv] = dot6(t[1], d->P) + dot6(t[2], d->PP);
    Tv[i + j * nv] = dot6(t[1], d->S) + dot6(t[2], d->Q);
    M[i + j * nv] = M[j + i * nv] = dot6(t[2], d->S);
    if (same)
        return;
    Tq[j + i * nv] = dot6(d->S, t[3]);
    Tv[j + i * nv] = dot6(d->S, t[0]);
}
