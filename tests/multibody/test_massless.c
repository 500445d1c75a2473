/* Massless bodies: the factorization M = L^T D L with singular pivots and its bound, on random
   trees; the two-mass oscillator of Arnold (2013), section 2.2, as m1 goes to zero; a spatial chain
   whose universal joint is half massless. */
#include "trees.h"
#include "two_masses.h"

#include "multibody/multibody.h"
#include "multibody/tree_internal.h"

#include <lapacke.h>

enum { TREES = 200, PIVOTS = 36 };

static double largest(const double *x, int n)
{
    double value = 0.0;
    for (int i = 0; i < n; i++)
        value = fmax(value, fabs(x[i]));
    return value;
}

/* D = S^T I^A S of a node after the recursion, dofs x dofs: zero where the direction is
   massless. */
static void pivot_of(double *D, const dfl_tree *tree, int node)
{
    const dfl_node *n = &tree->node[node];
    if (n->dofs > 1)
        several_axes(D, tree->fold[n->slot].A, n->dofs);
    else
        D[0] = n->regular ? 1.0 / tree->state[node].D : 0.0;
}

/* Row block of L of a node: D^- S^T I^A x for a motion x of the node. */
static void row_of(double *row, const dfl_tree *tree, int node, const double *x)
{
    const dfl_node *n = &tree->node[node];
    double F[6], D[PIVOTS];
    if (n->dofs == 1) {
        row[0] = tree->state[node].D * dot6(tree->state[node].U, x);
        return;
    }
    articulated_times(F, tree->fold[n->slot].A, x);
    several_axes(D, tree->fold[n->slot].A, n->dofs);
    masked_factor(D, n->dofs, n->regular, NULL);
    memcpy(row, F, (size_t)n->dofs * sizeof *row);
    masked_solve(row, D, n->dofs, n->regular);
}

/* L: unit blocks on the diagonal, below them D_i^- S_i^T I^A_i X_ij S_j for all that hangs on j. */
static void fill_L(double *L, const dfl_tree *tree)
{
    static double motion[TREE_MOST][6];
    const int nv = tree->nv;
    memset(L, 0, (size_t)(nv * nv) * sizeof *L);
    for (int c = 0; c < nv; c++) {
        const int first = tree->dof.node[c];
        L[c + c * nv] = 1.0;
        memset(motion[first], 0, sizeof motion[first]);
        if (tree->node[first].dofs > 1)
            motion[first][c - tree->node[first].v] = 1.0;
        else
            dfl_node_axis(motion[first], &tree->node[first]);
        for (int i = first + 1; i < tree->node[first].end; i++) {
            const dfl_node *n = &tree->node[i];
            motion_to_child(motion[i], tree->state[i].E, tree->state[i].r, motion[n->parent]);
            if (n->dofs > 0)
                row_of(L + n->v + c * nv, tree, i, motion[i]);
        }
    }
}

/* M = sum over nodes of L_i^T D_i L_i. */
static void multiply(double *M, const dfl_tree *tree, const double *L)
{
    const int nv = tree->nv;
    memset(M, 0, (size_t)(nv * nv) * sizeof *M);
    for (int i = 1; i < tree->nnodes; i++) {
        const dfl_node *n = &tree->node[i];
        double D[PIVOTS];
        if (n->dofs == 0)
            continue;
        pivot_of(D, tree, i);
        for (int r = 0; r < nv; r++)
            for (int c = 0; c < nv; c++)
                for (int k = 0; k < n->dofs * n->dofs; k++)
                    M[r + c * nv] +=
                        L[n->v + k / n->dofs + r * nv] * D[k] * L[n->v + k % n->dofs + c * nv];
    }
}

/* Every pivot is at most the inertia of all that hangs on the joint, rigidly, which is its block of
   M: M_ii - D_i >= 0. */
static void assert_bounded(const dfl_tree *tree, const double *M)
{
    for (int i = 1; i < tree->nnodes; i++) {
        const int k = tree->node[i].dofs, v = tree->node[i].v;
        double D[PIVOTS], value[6];
        if (k == 0)
            continue;
        pivot_of(D, tree, i);
        for (int j = 0; j < k * k; j++)
            D[j] = M[v + j / k + (v + j % k) * tree->nv] - D[j];
        const double size = 1.0 + largest(M, tree->nv * tree->nv);
        assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', k, D, k, value), 0);
        assert_true(value[0] >= -1e-12 * size);
    }
}

static void the_mass_matrix_is_factored_with_singular_pivots(void **state)
{
    (void)state;
    static double M[TREE_MOST * TREE_MOST], product[TREE_MOST * TREE_MOST];
    static double L[TREE_MOST * TREE_MOST];
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 13;
    for (int i = 0; i < TREES; i++) {
        random_tree made;
        double p[TREE_MOST], zero[TREE_MOST] = {0}, a[TREE_MOST];
        make_random_tree(&made, &seed, true);
        dfl_tree *tree = new_tree(ctx, &made.description);
        const int nv = dfl_tree_nv(tree);
        random_place(p, tree, &seed);
        dfl_tree_place(tree, p);
        dfl_tree_mass(M, nv, tree);
        dfl_tree_forward(a, NULL, tree, zero, zero);
        fill_L(L, tree);
        multiply(product, tree, L);
        assert_true(distance(M, product, nv * nv) <= 1e-11 * (1.0 + largest(M, nv * nv)));
        assert_bounded(tree, M);
        dfl_tree_free(tree);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* ------------------------------------------------------------------ the oscillator */

static run oscillate(double m1, double d, double t_end, double tol)
{
    two_masses it;
    two_masses_make(&it, m1, d);
    const dfl_solver_options options = {.rtol = tol, .atol = tol, .order = 5};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = NULL;
    if (dfl_multibody_create(&m, ctx, &it.description))
        fail_msg("%s", dfl_message(ctx));
    const run r = run_with(eom_of(m), 0, two_masses_start, t_end, &options, NULL);
    assert_succeeded(&r);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
    return r;
}

/* The table of prototypes: with d = 2 the distance of p at 2 s is 2.1e-5 for m1 = 1e-3 and 2.5e-7
   for 1e-5, with d = 50 it is 6.3e-8 and 6.3e-10. */
static void the_oscillator_is_the_limit_of_small_masses(void **state)
{
    (void)state;
    const double d[2] = {2, 50}, factor[2] = {2.5e-2, 6.3e-5};
    for (int k = 0; k < 2; k++) {
        const run limit = oscillate(0, d[k], 2, 1e-11);
        const run small = oscillate(1e-4, d[k], 2, 1e-11), tiny = oscillate(1e-5, d[k], 2, 1e-11);
        const double coarse = distance(small.x + 2, limit.x + 2, 2);
        const double fine = distance(tiny.x + 2, limit.x + 2, 2);
        assert_between(coarse / fine, 8.0, 12.0);
        assert_between(coarse / 1e-4, 0.5 * factor[k], 2.0 * factor[k]);
    }
}

/* With weak damping the fast mode of m1 oscillates sqrt(2 c m1) / d times before it dies. */
static void a_massless_node_saves_the_steps_of_a_small_mass(void **state)
{
    (void)state;
    const long none = oscillate(0, 2e-4, 0.05, 1e-6).stats.accepted;
    const long large = oscillate(1e-2, 2e-4, 0.05, 1e-6).stats.accepted;
    const long small = oscillate(1e-4, 2e-4, 0.05, 1e-6).stats.accepted;
    assert_between((double)small / (double)large, 5, 20); /* as 1 / sqrt(m1) */
    assert_true(none < 200);
    assert_true(small > 20 * none);
}

/* ------------------------------------------------------------------ a spatial chain */

/* A massless cross on a universal joint, a point mass on three slides, a pendulum: one direction of
   the universal joint has mass, one has not. A small inertia eps changes the motion by O(eps). */
static run spatial_chain(double eps, const double *x0, double t_end, int *n0)
{
    const dfl_rigid_body bodies[3] = {
        {.name = "cross", .com = {0, 0, 0}, .inertia = {eps, eps, eps}},
        {.name = "point", .mass = 1, .com = {0.8, 0, 0.3}},
        {.name = "bob", .mass = 0.5, .com = {0.8, 0, -0.2}, .inertia = {0.02, 0.02, 0.01}}};
    const dfl_joint joints[3] = {
        {.name = "u",
         .kind = DFL_JOINT_UNIVERSAL,
         .parent = DFL_GROUND,
         .child = 0,
         .axis = {1, 0, 0},
         .axis2 = {0, 1, 0}},
        {.name = "t", .kind = DFL_JOINT_TRANSLATION, .parent = 0, .child = 1, .at = {0.8, 0, 0.3}},
        {.name = "r",
         .kind = DFL_JOINT_REVOLUTE,
         .parent = 1,
         .child = 2,
         .at = {0.8, 0, 0.3},
         .axis = {0, 1, 0}}};
    const dfl_joint_spring springs[6] = {{0, 0, 30, 4, 0},  {0, 1, 30, 4, 0},  {1, 0, 200, 3, 0},
                                         {1, 1, 200, 3, 0}, {1, 2, 200, 3, 0}, {2, 0, 0, 0.1, 0}};
    const dfl_multibody_description d = {.nbodies = 3,
                                         .njoints = 3,
                                         .bodies = bodies,
                                         .joints = joints,
                                         .gravity = {0, 0, -9.81},
                                         .planar = false,
                                         .nsprings = 6,
                                         .springs = springs,
                                         .p0 = x0 + 6};
    const dfl_solver_options options = {.rtol = 1e-10, .atol = 1e-10, .self_check = true};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = NULL;
    if (dfl_multibody_create(&m, ctx, &d))
        fail_msg("%s", dfl_message(ctx));
    *n0 = eom_of(m)->n0;
    const run r = run_with(eom_of(m), 0, x0, t_end, &options, NULL);
    assert_succeeded(&r);
    dfl_multibody_free(m);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    return r;
}

static void a_universal_joint_splits_into_first_and_second_order(void **state)
{
    (void)state;
    const double x0[12] = {0.3, -0.2, 0.1, 0.2, 0, 0.5, 0.2, 0.1, 0.05, -0.02, 0.03, 0.4};
    int n0;
    const run start = spatial_chain(0, x0, 0, &n0);
    assert_int_equal(n0, 2 + 3 + 1 - 5);
    const run limit = spatial_chain(0, start.x, 0.3, &n0);
    assert_true(limit.stats.max_residual.massless < 1e-9 * 200); /* forces of up to 200 N */
    const run coarse = spatial_chain(1e-4, start.x, 0.3, &n0);
    assert_int_equal(n0, 0);
    const run fine = spatial_chain(1e-5, start.x, 0.3, &n0);
    const double far = distance(coarse.x + 6, limit.x + 6, 6);
    const double near = distance(fine.x + 6, limit.x + 6, 6);
    assert_between(far / near, 9.0, 11.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mass_matrix_is_factored_with_singular_pivots),
        cmocka_unit_test(the_oscillator_is_the_limit_of_small_masses),
        cmocka_unit_test(a_massless_node_saves_the_steps_of_a_small_mass),
        cmocka_unit_test(a_universal_joint_splits_into_first_and_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
