/* tree_recursion.c: inverse dynamics, forward dynamics, null space and mass matrix at the place of
   a tree.

   passes.h holds the recursions themselves. The mass matrix is Featherstone (2008), table 6.2, with
   the force of a column carried to the ancestors in world axes, where a step costs one moment. */
#include "multibody/tree_internal.h"

#include <string.h>

static void start_ground(dfl_tree *tree);
static void fill_columns(double *M, int ld, const dfl_tree *tree, int node, const double *A);
KERNEL void fill_path(double *M, int ld, const dfl_tree *tree, int i, int node, const double *at,
                      const double *F);
KERNEL void fill_ancestor(double *M, long ld, const dfl_tree *tree, int i, int j, const double *at,
                          const double *F);

tree_view dfl_tree_view(const dfl_tree *tree)
{
    return (tree_view){tree->node,   tree->rest,  tree->mass,    tree->nnodes,
                       tree->nslots, tree->drive, tree->gravity, tree->least};
}

WIDE void dfl_tree_place(dfl_tree *tree, const double *p)
{
    for (int i = 1; i < tree->nnodes; i++)
        place_node(&tree->state[i], &tree->node[i], &tree->rest[i], p, tree->drive);
}

/* The ground is accelerated upwards instead of every body being pulled downwards. */
static void start_ground(dfl_tree *tree)
{
    node_state *ground = &tree->state[0];
    memset(ground->v, 0, sizeof ground->v);
    memset(ground->a, 0, sizeof ground->a);
    for (int k = 0; k < 3; k++)
        ground->a[3 + k] = -tree->gravity[k];
}

WIDE void dfl_tree_inverse(double *tau, dfl_tree *tree, const double *v, const double *a)
{
    const tree_view view = dfl_tree_view(tree);
    const pass_input in = {v, a, tree->drive};
    start_ground(tree);
    inverse_passes(tau, tree->state, &view, &in);
}

WIDE void dfl_tree_move(dfl_tree *tree, const double *v, const double *a)
{
    const tree_view view = dfl_tree_view(tree);
    const pass_input in = {v, a, tree->drive};
    start_ground(tree);
    inverse_outwards(tree->state, &view, &in);
}

WIDE void dfl_tree_collect(double *tau, dfl_tree *tree)
{
    const tree_view view = dfl_tree_view(tree);
    inverse_inwards(tau, tree->state, &view);
}

WIDE bool dfl_tree_forward(double *a, double *gam, dfl_tree *tree, const double *v,
                           const double *tau)
{
    const tree_view view = dfl_tree_view(tree);
    const pass_input in = {v, tau, tree->drive};
    start_ground(tree);
    return forward_passes(a, gam, tree->state, tree->fold, &view, &in);
}

/* One forward pass per column, from the massless joint to what hangs on it: K0 = L^-1 N. */
void dfl_tree_null_space(double *K0, int ld, dfl_tree *tree)
{
    static const double none[6] = {0};
    for (int c = 0; c < tree->n0; c++) {
        double *column = K0 + (long)c * ld;
        const int dof = tree->massless[c], first = tree->dof.node[dof];
        memset(column, 0, (size_t)tree->nv * sizeof *column);
        for (int i = first; i < tree->node[first].end; i++) {
            const dfl_node *n = &tree->node[i];
            node_state *s = &tree->state[i];
            memset(s->a, 0, sizeof s->a);
            if (i > first)
                motion_to_child(s->a, s->E, s->r, tree->state[n->parent].a);
            else if (n->dofs > 1)
                s->a[dof - n->v] = 1.0;
            else
                dfl_node_axis(s->a, n);
            if (n->dofs > 1)
                solve_several(column, s, &tree->fold[n->slot], n, none, NULL);
            else if (i > first)
                solve_axis(column, s, n, 0.0);
        }
        column[dof] = 1.0;
    }
}

void dfl_node_axis(double *S, const dfl_node *n)
{
    memset(S, 0, 6 * sizeof *S);
    S[2] = n->kind == DFL_STEP_PRISMATIC ? 0.0 : 1.0;
    S[5] = n->kind == DFL_STEP_PRISMATIC ? 1.0 : n->kind == DFL_STEP_SCREW ? n->lead : 0.0;
}

/* ------------------------------------------------------------------ mass matrix */

WIDE void dfl_tree_mass(double *M, int ld, dfl_tree *tree)
{
    dfl_tree_poses(tree);
    for (int c = 0; c < tree->nv; c++)
        memset(M + (long)c * ld, 0, (size_t)tree->nv * sizeof *M);
    for (int i = tree->nnodes - 1; i > 0; i--)
        fill_columns(M, ld, tree, i, dfl_tree_composite(tree, i));
}

const double *dfl_tree_composite(dfl_tree *tree, int node)
{
    const dfl_node *n = tree->node;
    const node_state *s = &tree->state[node];
    double *A = tree->fold[n[node].slot].A, *up = tree->fold[n[n[node].parent].slot].A;
    if (starts_itself(n, node))
        start_inertia(A, &tree->mass[node]);
    if (starts_parent(n, node))
        start_inertia(up, &tree->mass[n[node].parent]);
    if (n[node].parent > 0)
        articulated_to_parent(up, s->E, s->r, A);
    return A;
}

/* M_ij = S_j^T F for F = I^c S_i and all ancestors j. */
static void fill_columns(double *M, int ld, const dfl_tree *tree, int node, const double *A)
{
    const dfl_node *n = &tree->node[node];
    const double *pose = tree->pose + 12 * node;
    double S[6], F[6], world[6];
    for (int k = 0; k < n->dofs; k++) {
        if (n->dofs > 1) {
            memset(S, 0, sizeof S);
            S[k] = 1.0;
        } else {
            dfl_node_axis(S, n);
        }
        articulated_times(F, A, S);
        rotate(world, pose, F);
        rotate(world + 3, pose, F + 3);
        fill_path(M, ld, tree, n->v + k, node, pose + 9, world);
    }
}

KERNEL void fill_path(double *M, int ld, const dfl_tree *tree, int i, int node, const double *at,
                      const double *F)
{
    for (int j = node; j > 0; j = tree->node[j].parent)
        fill_ancestor(M, ld, tree, i, j, at, F);
}

void dfl_tree_fill_path(double *M, int ld, const dfl_tree *tree, int i, int node, const double *at,
                        const double *F)
{
    fill_path(M, ld, tree, i, node, at, F);
}

/* S_j^T F for F = (n; f) in world axes, n about the world point `at`. */
KERNEL void fill_ancestor(double *M, long ld, const dfl_tree *tree, int i, int j, const double *at,
                          const double *F)
{
    const dfl_node *n = &tree->node[j];
    const double *pose = tree->pose + 12 * j, *f = F + 3;
    const double arm[3] = {at[0] - pose[9], at[1] - pose[10], at[2] - pose[11]};
    double moment[3] = {F[0], F[1], F[2]}, own[6];
    cross_add(moment, arm, f);
    own[2] = pose[2] * moment[0] + pose[5] * moment[1] + pose[8] * moment[2];
    if (n->kind == DFL_STEP_REVOLUTE && n->v >= 0) {
        M[n->v + i * ld] = M[i + n->v * ld] = own[2];
        return;
    }
    rotate_back(own, pose, moment);
    rotate_back(own + 3, pose, f);
    if (n->kind == DFL_STEP_PRISMATIC)
        own[2] = own[5];
    else if (n->kind == DFL_STEP_SCREW)
        own[2] += n->lead * own[5];
    for (int l = 0; l < n->dofs; l++)
        M[n->v + l + i * ld] = M[i + (n->v + l) * ld] = own[n->dofs > 1 ? l : 2];
}
