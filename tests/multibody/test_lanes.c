/* Four states at once are the same as one after the other. */
#include "trees.h"

#include "multibody/multibody_internal.h"

enum { L = DFL_MULTIBODY_LANES };

static void pack(double *lanes, const double *x, int n, int k)
{
    for (int i = 0; i < n; i++)
        lanes[i * L + k] = x[i];
}

/* Both use the same operations; products may be fused in one and not in the other. */
static void assert_lane(const double *lanes, const double *x, int n, int k)
{
    double size = 1.0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    for (int i = 0; i < n; i++)
        assert_near(lanes[i * L + k], x[i], 1e-9 * size);
}

static void check(dfl_context *ctx, const dfl_multibody_description *d, uint64_t *seed)
{
    dfl_tree *tree = new_tree(ctx, d);
    dfl_tree_lanes *lanes = NULL;
    const int nv = dfl_tree_nv(tree), np = dfl_tree_np(tree), n0 = dfl_tree_n0(tree);
    double p[L][TREE_MOST], v[L][TREE_MOST], x[L][TREE_MOST], out[TREE_MOST], gam[TREE_MOST];
    double P[L * TREE_MOST], V[L * TREE_MOST], X[L * TREE_MOST], tau[L * TREE_MOST];
    double a[L * TREE_MOST], Gam[L * TREE_MOST];
    assert_int_equal(dfl_tree_lanes_create(&lanes, ctx, tree), DFL_OK);
    for (int k = 0; k < L; k++) {
        random_place(p[k], tree, seed);
        numbers(v[k], nv, seed, 1.0);
        numbers(x[k], nv, seed, 1.0);
        pack(P, p[k], np, k);
        pack(V, v[k], nv, k);
        pack(X, x[k], nv, k);
    }
    dfl_tree_lanes_place(lanes, P, (double[1]){0}); /* nothing is driven */
    dfl_tree_lanes_inverse(tau, lanes, V, X);
    dfl_tree_lanes_forward(a, Gam, lanes, V, X);
    for (int k = 0; k < L; k++) {
        dfl_tree_place(tree, p[k]);
        dfl_tree_inverse(out, tree, v[k], x[k]);
        assert_lane(tau, out, nv, k);
        dfl_tree_forward(out, gam, tree, v[k], x[k]);
        assert_lane(a, out, nv, k);
        assert_lane(Gam, gam, n0, k);
    }
    dfl_tree_lanes_free(lanes);
    dfl_tree_free(tree);
}

static void lanes_are_single_states(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 4;
    for (int i = 0; i < 100; i++) {
        random_tree made;
        make_random_tree(&made, &seed, i % 2);
        check(ctx, &made.description, &seed);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_single_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
