/* Mass matrices, bias forces and accelerations of random trees beside those of another library,
   which is linked as peer.h says. Prints the largest differences. */
#include "peer.h"

#include "multibody/trees.h"

enum { TREES = 200, STATES = 5 };

typedef struct differences {
    double M, bias, a;
    int joints[TREE_KINDS];
} differences;

static double largest(const double *x, int n)
{
    double value = 0.0;
    for (int i = 0; i < n; i++)
        value = fmax(value, fabs(x[i]));
    return value;
}

/* Relative to the largest entry. */
static double difference(const double *found, const double *peer, int n)
{
    return distance(found, peer, n) / (1.0 + largest(peer, n));
}

/* A random tree of joints that the peer has; every second one floats. */
static void make_tree(random_tree *made, bool floating, uint64_t *seed)
{
    make_random_tree(made, seed, false);
    for (int i = 0; i < TREE_BODIES; i++)
        while (!peer_has(made->joint[i].kind))
            made->joint[i].kind = (dfl_joint_kind)choice(seed, TREE_KINDS);
    if (floating)
        made->joint[0].kind = DFL_JOINT_FREE;
}

static void compare_state(differences *found, dfl_tree *tree, const dfl_multibody_description *d,
                          uint64_t *seed)
{
    static double M[TREE_MOST * TREE_MOST], peer_M[TREE_MOST * TREE_MOST];
    double p[TREE_MOST], v[TREE_MOST], tau[TREE_MOST], none[TREE_MOST] = {0};
    double bias[TREE_MOST], a[TREE_MOST], peer_bias[TREE_MOST], peer_a[TREE_MOST];
    int joint_p[TREE_BODIES], joint_v[TREE_BODIES];
    const int n = dfl_tree_nv(tree);
    random_place(p, tree, seed);
    numbers(v, n, seed, 2.0);
    numbers(tau, n, seed, 5.0);
    for (int i = 0; i < TREE_BODIES; i++) {
        joint_p[i] = dfl_tree_joint_p(tree, i);
        joint_v[i] = dfl_tree_joint_v(tree, i);
        found->joints[d->joints[i].kind]++;
    }
    dfl_tree_place(tree, p);
    dfl_tree_mass(M, n, tree);
    dfl_tree_inverse(bias, tree, v, none);
    dfl_tree_forward(a, NULL, tree, v, tau);
    const peer_result out = {peer_M, peer_bias, peer_a};
    const peer_state at = {n, joint_p, joint_v, p, v, tau};
    assert_int_equal(peer_compute(&out, d, &at), 0);
    found->M = fmax(found->M, difference(M, peer_M, n * n));
    found->bias = fmax(found->bias, difference(bias, peer_bias, n));
    found->a = fmax(found->a, difference(a, peer_a, n));
}

/* Both sides round sums of some ten terms; accelerations by the condition of M, up to 1e6 here. */
static void recursions_agree_with_the_peer(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    differences found = {0};
    uint64_t seed = 1981;
    for (int i = 0; i < TREES; i++) {
        random_tree made;
        make_tree(&made, i % 2 == 0, &seed);
        dfl_tree *tree = new_tree(ctx, &made.description);
        for (int k = 0; k < STATES && dfl_tree_nv(tree) > 0; k++)
            compare_state(&found, tree, &made.description, &seed);
        dfl_tree_free(tree);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    printf("%s, %d trees of %d bodies, %d states each: largest relative difference of M %.1e, "
           "bias %.1e, accelerations %.1e\n",
           peer_name, TREES, TREE_BODIES, STATES, found.M, found.bias, found.a);
    for (int kind = 0; kind < TREE_KINDS; kind++)
        assert_int_equal(found.joints[kind] > 0, peer_has((dfl_joint_kind)kind));
    assert_true(found.M < 1e-12);
    assert_true(found.bias < 1e-12);
    assert_true(found.a < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recursions_agree_with_the_peer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
