/* tree_ranks.c: which directions of joints have no mass.

   The pivots D_i = S^T I^A S of the factorization M = L^T D L are found by subtractions, whose
   rounding errors are proportional to what was subtracted from. C_i is the inertia of which I^A_i
   is the remainder: the inertia of the body and, for each child, I^A before its joint took its part
   away and P^T C P, what is left there of earlier terms, P = 1 - S D^-1 S^T I^A. A direction is
   massless if D_i is below 1e-10 of S^T C_i S. The ratio does not depend on units and stays
   moderate in long chains, unlike that to the inertia of all that hangs on the joint, which grows
   with up to the cube of the length.

   The decision is taken once, at p and at two configurations near it, and kept: a rank that is
   lower only at p is a singular position of the mechanism. */
#include "multibody/tree_internal.h"

#include <math.h>
#include <string.h>

static const double null_ratio = 1e-10, negligible_ratio = 1e-6;

enum { TRIALS = 3 };

static void perturb(double *q, const dfl_tree *tree, const double *p, unsigned *seed);
static int try_ranks(dfl_tree *tree, dfl_tree_ranks *found, const double *q, int trial);
static void start_node(dfl_tree *tree, int node);
static unsigned decide_node(dfl_tree_ranks *found, const dfl_tree *tree, int node);
static unsigned decide_axis(dfl_tree_ranks *found, const dfl_tree *tree, int node, double ratio);
static unsigned decide_several(dfl_tree_ranks *found, const dfl_tree *tree, int node,
                               const double *C);
static void carry_scale(double *up, const dfl_tree *tree, int node, unsigned mask);
static void project_scale(double *C, double *A, const double *S);
static void velocity_axis(double *S, const dfl_node *node, int k);
static int choose_trial(const dfl_tree *tree, const int *rank);
static void keep_trial(dfl_tree *tree, dfl_tree_ranks *found, int trial);
static int count_bits(unsigned mask);

dfl_tree_ranks dfl_tree_decide_ranks(dfl_tree *tree, const double *p)
{
    dfl_tree_ranks found = {.negligible = -1, .ratio = 1.0};
    double *q = tree->scratch + tree->np;
    int rank[TRIALS];
    unsigned seed = 1;
    for (int trial = 0; trial < TRIALS; trial++) {
        memcpy(q, p, (size_t)tree->np * sizeof *q);
        if (trial > 0)
            perturb(q, tree, p, &seed);
        rank[trial] = try_ranks(tree, &found, q, trial);
    }
    keep_trial(tree, &found, choose_trial(tree, rank));
    dfl_tree_place(tree, p);
    tree->ranks = found;
    return found;
}

dfl_tree_ranks dfl_tree_ranks_of(const dfl_tree *tree)
{
    return tree->ranks;
}

int dfl_tree_n0(const dfl_tree *tree)
{
    return tree->n0;
}

int dfl_tree_massless(const dfl_tree *tree, int index)
{
    return tree->massless[index];
}

/* Every coordinate is moved by up to 0.5 (rad, m, or part of a quaternion), the same in every
   run. */
static void perturb(double *q, const dfl_tree *tree, const double *p, unsigned *seed)
{
    for (int i = 0; i < tree->np; i++) {
        *seed = *seed * 1664525u + 1013904223u; /* Numerical Recipes, section 7.1 */
        q[i] = p[i] + (double)(*seed >> 8) / (double)(1u << 24) - 0.5;
    }
}

/* The articulated inertias at q, each rank decided as soon as its pivot is known. */
static int try_ranks(dfl_tree *tree, dfl_tree_ranks *found, const double *q, int trial)
{
    int rank = 0;
    dfl_tree_place(tree, q);
    for (int i = 1; i < tree->nnodes; i++) {
        memset(tree->state[i].v, 0, sizeof tree->state[i].v);
        memset(tree->state[i].c, 0, sizeof tree->state[i].c);
    }
    for (int i = tree->nnodes - 1; i > 0; i--) {
        dfl_node *n = &tree->node[i];
        const int parent = n->parent, slot = n->slot, up = tree->node[parent].slot;
        if (starts_itself(tree->node, i))
            start_node(tree, i);
        if (starts_parent(tree->node, i))
            start_node(tree, parent);
        const unsigned mask = decide_node(found, tree, i);
        n->regular = n->trial[trial] = (unsigned char)mask;
        rank += count_bits(mask);
        if (parent == 0)
            continue;
        carry_scale(tree->scale + ARTICULATED * up, tree, i, mask);
        /* q in place of forces: only the inertias matter here */
        forward_inward(&tree->fold[up], &tree->fold[slot], &tree->state[i], n, q, NULL);
    }
    return rank;
}

/* I^A and C of a body alone. */
static void start_node(dfl_tree *tree, int node)
{
    const int slot = tree->node[node].slot;
    start_body(&tree->fold[slot], &tree->state[node], &tree->node[node], &tree->mass[node]);
    start_inertia(tree->scale + ARTICULATED * slot, &tree->mass[node]);
}

static unsigned decide_node(dfl_tree_ranks *found, const dfl_tree *tree, int node)
{
    const dfl_node *n = &tree->node[node];
    const double *A = tree->fold[n->slot].A, *C = tree->scale + ARTICULATED * n->slot;
    double S[6], U[6], scale[6];
    if (n->dofs > 1)
        return decide_several(found, tree, node, C);
    if (n->dofs == 0)
        return 0;
    velocity_axis(S, n, 0);
    articulated_times(U, A, S);
    articulated_times(scale, C, S);
    const double most = dot6(S, scale);
    return most > 0.0 ? decide_axis(found, tree, node, dot6(S, U) / most) : 0;
}

static unsigned decide_axis(dfl_tree_ranks *found, const dfl_tree *tree, int node, double ratio)
{
    if (!(ratio > null_ratio))
        return 0;
    if (ratio < negligible_ratio && ratio < found->ratio) {
        found->ratio = ratio;
        found->negligible = tree->node[node].v;
    }
    return 1;
}

/* Cholesky with pivoting of s^-1/2 D s^-1/2, s = diag C: the mask of the pivots above the limit. */
static unsigned decide_several(dfl_tree_ranks *found, const dfl_tree *tree, int node,
                               const double *C)
{
    const int k = tree->node[node].dofs;
    double D[36];
    unsigned mask = 0;
    several_axes(D, tree->fold[tree->node[node].slot].A, k);
    for (int i = 0; i < k * k; i++) {
        const int row = i / k, column = i % k;
        const double scale = sqrt(C[articulated_at(row, row)] * C[articulated_at(column, column)]);
        D[i] = scale > 0.0 ? D[i] / scale : 0.0;
    }
    for (int step = 0; step < k; step++) {
        int best = -1;
        for (int i = 0; i < k; i++)
            if (!(mask >> i & 1) && (best < 0 || D[i * k + i] > D[best * k + best]))
                best = i;
        if (!decide_axis(found, tree, node, D[best * k + best]))
            break;
        mask |= 1u << best;
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++)
                if (!(mask >> i & 1) && !(mask >> j & 1))
                    D[i * k + j] -= D[i * k + best] * D[best * k + j] / D[best * k + best];
    }
    return mask;
}

/* The parent's C += X^T (P^T C P + I^A) X for the velocities of a node in `mask`. A free node
   carries nothing, without rounding; one that takes nothing away carries C. */
static void carry_scale(double *up, const dfl_tree *tree, int node, unsigned mask)
{
    const dfl_node *n = &tree->node[node];
    const node_state *s = &tree->state[node];
    double C[ARTICULATED], A[ARTICULATED], S[6];
    if (n->kind == DFL_STEP_FREE)
        return;
    memcpy(C, tree->scale + ARTICULATED * n->slot, sizeof C);
    memcpy(A, tree->fold[n->slot].A, sizeof A);
    for (int k = 0; k < n->dofs; k++) {
        if (!(mask >> k & 1))
            continue;
        velocity_axis(S, n, k);
        project_scale(C, A, S);
    }
    for (int i = 0; i < ARTICULATED && mask; i++)
        C[i] += tree->fold[n->slot].A[i];
    articulated_to_parent(up, s->E, s->r, C);
}

/* One axis: C := P^T C P and A := A P, P = 1 - S k^T with k = A S / S^T A S. */
static void project_scale(double *C, double *A, const double *S)
{
    double U[6], k[6], y[6];
    articulated_times(U, A, S);
    articulated_times(y, C, S);
    const double D = dot6(S, U), half = 0.5 * dot6(S, y);
    for (int i = 0; i < 6; i++) {
        k[i] = U[i] / D;
        y[i] -= half * k[i];
    }
    for (int i = 0; i < 6; i++)
        for (int j = i; j < 6; j++) {
            C[articulated_at(i, j)] -= k[i] * y[j] + y[i] * k[j];
            A[articulated_at(i, j)] -= U[i] * k[j];
        }
}

/* S of velocity k of a node in its own frame. */
static void velocity_axis(double *S, const dfl_node *node, int k)
{
    if (node->dofs == 1) {
        dfl_node_axis(S, node);
        return;
    }
    memset(S, 0, 6 * sizeof *S);
    S[k] = 1.0;
}

/* The first trial of highest rank, unless the other two agree with each other but not with p. */
static int choose_trial(const dfl_tree *tree, const int *rank)
{
    int best = 0;
    for (int trial = 1; trial < TRIALS; trial++)
        if (rank[trial] > rank[best])
            best = trial;
    if (best > 0)
        return best;
    bool agree = rank[1] == rank[0] && rank[2] == rank[0], differ = false;
    for (int i = 1; i < tree->nnodes; i++) {
        const dfl_node *n = &tree->node[i];
        if (n->dofs > 1)
            continue; /* pivots are chosen freely there */
        agree = agree && n->trial[1] == n->trial[2];
        differ = differ || n->trial[0] != n->trial[1];
    }
    return agree && differ ? 1 : 0;
}

static void keep_trial(dfl_tree *tree, dfl_tree_ranks *found, int trial)
{
    tree->n0 = 0;
    for (int i = 1; i < tree->nnodes; i++) {
        dfl_node *n = &tree->node[i];
        n->regular = n->trial[trial];
        n->gam = tree->n0;
        found->singular += count_bits(n->trial[0]) < count_bits(n->regular);
        for (int k = 0; k < n->dofs; k++)
            if (!(n->regular >> k & 1))
                tree->massless[tree->n0++] = n->v + k;
    }
    found->n0 = tree->n0;
}

static int count_bits(unsigned mask)
{
    int count = 0;
    for (; mask; mask >>= 1)
        count += (int)(mask & 1);
    return count;
}
