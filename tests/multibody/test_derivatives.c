/* Derivatives of inverse dynamics against central differences along p' = Z v, and M against the
   mass matrix, on random trees with every kind of joint. */
#include "trees.h"

enum { TREES = 100 };
static const double step = 1e-5;

/* tau at p + t Z e_k (k < nv) or v + t e_k. */
static void shifted(double *tau, dfl_tree *tree, const double *p, const double *v, const double *a,
                    int k, double t, bool position)
{
    double unit[TREE_MOST] = {0}, pd[TREE_MOST], q[TREE_MOST], u[TREE_MOST];
    const int np = dfl_tree_np(tree), nv = dfl_tree_nv(tree);
    unit[k] = 1.0;
    dfl_tree_kinematics(pd, tree, p, unit);
    for (int i = 0; i < np; i++)
        q[i] = p[i] + (position ? t * pd[i] : 0.0);
    for (int i = 0; i < nv; i++)
        u[i] = v[i] + (position ? 0.0 : t * unit[i]);
    dfl_tree_place(tree, q);
    dfl_tree_inverse(tau, tree, u, a);
}

static void check(dfl_context *ctx, const dfl_multibody_description *d, uint64_t *seed)
{
    static double Tq[TREE_MOST * TREE_MOST], Tv[TREE_MOST * TREE_MOST], M[TREE_MOST * TREE_MOST];
    static double mass[TREE_MOST * TREE_MOST];
    double p[TREE_MOST], v[TREE_MOST], a[TREE_MOST], high[TREE_MOST], low[TREE_MOST];
    dfl_tree *tree = new_tree(ctx, d);
    dfl_tree_derivatives *work = NULL;
    const int n = dfl_tree_nv(tree);
    assert_int_equal(dfl_tree_derivatives_create(&work, ctx, tree), DFL_OK);
    random_place(p, tree, seed);
    numbers(v, n, seed, 1.0);
    numbers(a, n, seed, 1.0);
    dfl_tree_place(tree, p);
    dfl_tree_mass(mass, n, tree);
    dfl_tree_derive(Tq, Tv, M, work, v, a);
    assert_true(distance(M, mass, n * n) <= 1e-12 * (1 + fabs(mass[0])) * 100);
    for (int k = 0; k < n; k++)
        for (int position = 0; position < 2; position++) {
            const double *T = (position ? Tq : Tv) + k * n;
            shifted(high, tree, p, v, a, k, step, position);
            shifted(low, tree, p, v, a, k, -step, position);
            for (int i = 0; i < n; i++) /* differences: 1e-10 |tau''| + 1e-11 |tau|, |tau| < 1e3 */
                assert_near(T[i], (high[i] - low[i]) / (2 * step), 1e-7 * (10 + fabs(T[i])));
        }
    dfl_tree_derivatives_free(work);
    dfl_tree_free(tree);
}

static void derivatives_are_limits_of_differences(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 2018;
    for (int i = 0; i < TREES; i++) {
        random_tree made;
        make_random_tree(&made, &seed, i % 2 == 0);
        check(ctx, &made.description, &seed);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_limits_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
