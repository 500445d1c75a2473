/* ranks.c: which directions of joints have no mass.

   The pivots D_i = S^T I^A S of the factorization M = L^T D L are at most S^T I^c S, I^c being the
   inertia of all that hangs on the joint, rigidly. The ratio does not depend on units: below 1e-10 a
   direction is massless. The decision is taken once, at p and at two configurations near it, and kept:
   a rank that is lower at p only is a singular position of the mechanism. */
#include "mechanics/tree_internal.h"

#include <math.h>
#include <string.h>

static const double null_ratio = 1e-10, negligible_ratio = 1e-6;

enum { TRIALS = 3 };

static void perturb(double *q, const dfl_tree *tree, const double *p, unsigned *seed);
static int try_ranks(dfl_tree *tree, dfl_tree_ranks *found, const double *q, int trial);
static void composite_diagonal(dfl_tree *tree);
static unsigned decide_axis(dfl_tree_ranks *found, const dfl_tree *tree, int node, double ratio);
static unsigned decide_several(dfl_tree_ranks *found, const dfl_tree *tree, int node,
                               const double *s);
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
    return found;
}

int dfl_tree_n0(const dfl_tree *tree)
{
    return tree->n0;
}

int dfl_tree_massless(const dfl_tree *tree, int index)
{
    return tree->massless[index];
}

/* Every coordinate is moved by up to 0.5 (rad, m, or part of a quaternion), the same in every run. */
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
    composite_diagonal(tree);
    for (int i = 1; i < tree->nnodes; i++) {
        memset(tree->state[i].v, 0, sizeof tree->state[i].v);
        memset(tree->state[i].c, 0, sizeof tree->state[i].c);
    }
    for (int i = tree->nnodes - 1; i > 0; i--) {
        dfl_node *n = &tree->node[i];
        node_state *state = &tree->state[i];
        node_fold *own = &tree->fold[n->slot], *up = &tree->fold[tree->node[n->parent].slot];
        unsigned mask = 0;
        if (starts_itself(tree->node, i))
            start_body(own, state, n, &tree->mass[i], NULL);
        if (starts_parent(tree->node, i))
            start_body(up, &tree->state[n->parent], &tree->node[n->parent], &tree->mass[n->parent],
                       NULL);
        if (n->dofs > 1)
            mask = decide_several(found, tree, i, state->a);
        else if (n->dofs == 1 && state->a[0] > 0.0)
            mask = decide_axis(found, tree, i, one_axis(state, own, n, q) / state->a[0]);
        n->regular = n->trial[trial] = (unsigned char)mask;
        rank += count_bits(mask);
        if (n->parent > 0) /* q in place of forces: only the inertias matter here */
            forward_inward(up, own, state, n, q, NULL);
    }
    return rank;
}

/* diag(S^T I^c S) of every node, in its `a`, which is free here. */
static void composite_diagonal(dfl_tree *tree)
{
    static const unsigned char diagonal[6] = {0, 1, 2, AM, AM + 1, AM + 2};
    for (int i = tree->nnodes - 1; i > 0; i--) {
        const dfl_node *n = &tree->node[i];
        const double *A = dfl_tree_composite(tree, i);
        double S[6], F[6];
        for (int k = 0; k < n->dofs && n->dofs > 1; k++)
            tree->state[i].a[k] = A[diagonal[k]];
        if (n->dofs != 1)
            continue;
        dfl_node_axis(S, n);
        articulated_times(F, A, S);
        tree->state[i].a[0] = S[2] * F[2] + S[5] * F[5];
    }
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

/* Cholesky with pivoting of s^-1/2 D s^-1/2: the mask of the pivots above the limit. */
static unsigned decide_several(dfl_tree_ranks *found, const dfl_tree *tree, int node,
                               const double *s)
{
    const int k = tree->node[node].dofs;
    double D[36];
    unsigned mask = 0;
    several_axes(D, tree->fold[tree->node[node].slot].A, k);
    for (int i = 0; i < k * k; i++) {
        const double scale = sqrt(s[i / k] * s[i % k]);
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

/* The first trial of highest rank, unless the other two agree against p. */
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
