/* tree_ranks.c: which directions of joints have no mass.

   The pivots D_i = S^T I^A S of the factorization M = L^T D L are found by subtractions, whose
   rounding errors are proportional to what was subtracted from. C_i is the inertia of which I^A_i
   is the remainder: the inertia of the body and, for each child, I^A before its joint took its part
   away and P^T C P, what is left there of earlier terms, P = 1 - S D^-1 S^T I^A. A direction is
   massless if D_i is below 1e-10 of S^T C_i S. The ratio does not depend on units and stays
   moderate in long chains, unlike that to the inertia of all that hangs on the joint, which grows
   with up to the cube of the length.

   The decision is taken once, at p and at two configurations near it, and kept: a rank that is
   lower only at p is a singular position of the mechanism.

   At a given p, M is singular if a pivot is below 1e-13 of what it was formed from: fewer than
   three of its digits are right. There C also contains what cancels when a child's I^a is moved to
   the origin of its parent. The recursion itself compares each pivot with one number, a part of its
   value at the decision; only a pivot below it is examined. */
#include "multibody/tree_internal.h"

#include <math.h>
#include <string.h>

static const double null_ratio = 1e-10, negligible_ratio = 1e-6, rounding_ratio = 1e-13;

/* Pivots below these parts of C, and of themselves, at the decision are looked into. */
static const double doubtful_of_scale = 1e-6, doubtful_of_pivot = 1e-3;

enum { TRIALS = 3 };

static void perturb(double *q, const dfl_tree *tree, const double *p, unsigned *seed);
static int try_ranks(dfl_tree *tree, dfl_tree_ranks *found, const double *q, int trial);
static void rest(dfl_tree *tree);
static void start_nodes(dfl_tree *tree, int node);
static void start_node(dfl_tree *tree, int node);
static unsigned decide_node(dfl_tree_ranks *found, const dfl_tree *tree, int node, double limit);
static unsigned decide_axis(dfl_tree_ranks *found, const dfl_tree *tree, int node, double ratio,
                            double limit);
static unsigned decide_several(dfl_tree_ranks *found, const dfl_tree *tree, int node, double limit);
static void note_least(dfl_tree *tree, int node, unsigned mask);
static void carry_scale(double *up, const dfl_tree *tree, int node, unsigned mask);
static void add_cancelled(double *up, const node_state *s, const double *B);
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
    for (int i = 0; i < tree->nv; i++)
        tree->least[i] = INFINITY;
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

int dfl_tree_singular(dfl_tree *tree)
{
    dfl_tree_ranks unused = {.ratio = 0.0};
    rest(tree);
    for (int i = tree->nnodes - 1; i > 0; i--) {
        const dfl_node *n = &tree->node[i];
        node_fold *up = &tree->fold[tree->node[n->parent].slot];
        start_nodes(tree, i);
        const unsigned missing = n->regular & ~decide_node(&unused, tree, i, rounding_ratio);
        for (int k = 0; k < n->dofs; k++)
            if (missing >> k & 1)
                return n->v + k;
        if (n->parent == 0)
            continue;
        double *scale = tree->scale + ARTICULATED * tree->node[n->parent].slot;
        carry_scale(scale, tree, i, n->regular);
        add_cancelled(scale, &tree->state[i], tree->fold[n->slot].A);
        forward_inward(up, &tree->fold[n->slot], &tree->state[i], n, tree->scratch, NULL,
                       tree->least);
    }
    return -1;
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
    rest(tree);
    for (int i = tree->nnodes - 1; i > 0; i--) {
        dfl_node *n = &tree->node[i];
        const int parent = n->parent, slot = n->slot, up = tree->node[parent].slot;
        start_nodes(tree, i);
        const unsigned mask = decide_node(found, tree, i, null_ratio);
        n->regular = n->trial[trial] = (unsigned char)mask;
        rank += count_bits(mask);
        note_least(tree, i, mask);
        if (parent == 0)
            continue;
        carry_scale(tree->scale + ARTICULATED * up, tree, i, mask);
        /* q in place of forces: only the inertias matter here */
        forward_inward(&tree->fold[up], &tree->fold[slot], &tree->state[i], n, q, NULL,
                       tree->least);
    }
    return rank;
}

static void rest(dfl_tree *tree)
{
    for (int i = 1; i < tree->nnodes; i++) {
        memset(tree->state[i].v, 0, sizeof tree->state[i].v);
        memset(tree->state[i].c, 0, sizeof tree->state[i].c);
    }
}

static void start_nodes(dfl_tree *tree, int node)
{
    if (starts_itself(tree->node, node))
        start_node(tree, node);
    if (starts_parent(tree->node, node))
        start_node(tree, tree->node[node].parent);
}

/* I^A and C of a body alone. */
static void start_node(dfl_tree *tree, int node)
{
    const int slot = tree->node[node].slot;
    start_body(&tree->fold[slot], &tree->state[node], &tree->node[node], &tree->mass[node]);
    start_inertia(tree->scale + ARTICULATED * slot, &tree->mass[node]);
}

static unsigned decide_node(dfl_tree_ranks *found, const dfl_tree *tree, int node, double limit)
{
    const dfl_node *n = &tree->node[node];
    const double *A = tree->fold[n->slot].A, *C = tree->scale + ARTICULATED * n->slot;
    double S[6], U[6], scale[6];
    if (n->dofs > 1)
        return decide_several(found, tree, node, limit);
    if (n->dofs == 0)
        return 0;
    velocity_axis(S, n, 0);
    articulated_times(U, A, S);
    articulated_times(scale, C, S);
    const double most = dot6(S, scale);
    return most > 0.0 ? decide_axis(found, tree, node, dot6(S, U) / most, limit) : 0;
}

static unsigned decide_axis(dfl_tree_ranks *found, const dfl_tree *tree, int node, double ratio,
                            double limit)
{
    if (!(ratio > limit))
        return 0;
    if (ratio < negligible_ratio && ratio < found->ratio) {
        found->ratio = ratio;
        found->negligible = tree->node[node].v;
    }
    return 1;
}

/* Cholesky with pivoting of s^-1/2 D s^-1/2, s = diag C: the mask of the pivots above the limit. */
static unsigned decide_several(dfl_tree_ranks *found, const dfl_tree *tree, int node, double limit)
{
    const int k = tree->node[node].dofs;
    const double *C = tree->scale + ARTICULATED * tree->node[node].slot;
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
        if (!decide_axis(found, tree, node, D[best * k + best], limit))
            break;
        mask |= 1u << best;
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++)
                if (!(mask >> i & 1) && !(mask >> j & 1))
                    D[i * k + j] -= D[i * k + best] * D[best * k + j] / D[best * k + best];
    }
    return mask;
}

/* Below which pivots of the recursion the velocities in `mask` are looked into. */
static void note_least(dfl_tree *tree, int node, unsigned mask)
{
    const dfl_node *n = &tree->node[node];
    const double *A = tree->fold[n->slot].A, *C = tree->scale + ARTICULATED * n->slot;
    double D[36], S[6], y[6];
    several_axes(D, A, n->dofs);
    if (n->dofs > 1)
        masked_factor(D, n->dofs, mask, NULL);
    for (int k = 0; k < n->dofs; k++) {
        if (!(mask >> k & 1))
            continue;
        velocity_axis(S, n, k);
        articulated_times(y, A, S);
        const double pivot = n->dofs > 1 ? 1.0 / D[k * n->dofs + k] : dot6(S, y);
        articulated_times(y, C, S);
        const double limit = fmin(doubtful_of_scale * dot6(S, y), doubtful_of_pivot * pivot);
        tree->least[n->v + k] = fmin(tree->least[n->v + k], limit);
    }
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

/* The parent's C += |X|^T |B| |X| for its turns, and 1e-13 of what other axes of its would have: p
   itself is rounded. */
static void add_cancelled(double *up, const node_state *s, const double *B)
{
    const double arm = dfl_length(s->r), reach[6] = {1, 1, 1, arm, arm, arm};
    for (int k = 0; k < 3; k++) {
        double turn[6] = {0}, y[6], sum = 0.0;
        turn[k] = 1.0;
        motion_to_child(y, s->E, s->r, turn);
        for (int i = 0; i < 36; i++) {
            const double b = fabs(B[articulated_at(i / 6, i % 6)]);
            sum += b * fabs(y[i / 6] * y[i % 6]) + rounding_ratio * b * reach[i / 6] * reach[i % 6];
        }
        up[articulated_at(k, k)] += sum;
    }
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
