/* The recursions against each other and against dense linear algebra on random trees. */
#include "trees.h"

#include <lapacke.h>

enum { TREES = 200 };

typedef void (*check_fn)(dfl_tree *tree, const dfl_multibody_description *d, uint64_t *seed);

static void for_random_trees(check_fn check, bool massless)
{
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 2013;
    for (int i = 0; i < TREES; i++) {
        random_tree made;
        make_random_tree(&made, &seed, massless);
        dfl_tree *tree = new_tree(ctx, &made.description);
        if (dfl_tree_nv(tree) > 0)
            check(tree, &made.description, &seed);
        dfl_tree_free(tree);
        assert_int_equal(dfl_context_live(ctx), 0);
    }
    dfl_context_free(ctx);
}

static double largest(const double *x, int n)
{
    double value = 0.0;
    for (int i = 0; i < n; i++)
        value = fmax(value, fabs(x[i]));
    return value;
}

/* Entries are sums of at most 9 bodies' terms of the size of M's largest: 1e-13 relative. */
static void check_mass_and_inverse(dfl_tree *tree, const dfl_multibody_description *d,
                                   uint64_t *seed)
{
    const int n = dfl_tree_nv(tree);
    double p[TREE_MOST], v[TREE_MOST], a[TREE_MOST], tau[TREE_MOST], C[TREE_MOST];
    static double M[TREE_MOST * TREE_MOST], dense[TREE_MOST * TREE_MOST];
    random_place(p, tree, seed);
    numbers(v, n, seed, 1.0);
    numbers(a, n, seed, 1.0);
    dfl_tree_place(tree, p);
    dense_equations(dense, C, tree, d, v);
    dfl_tree_mass(M, n, tree);
    assert_true(distance(M, dense, n * n) <= 1e-13 * (1 + largest(dense, n * n)));
    dfl_tree_inverse(tau, tree, v, a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[i] += dense[i + j * n] * a[j];
    assert_true(distance(tau, C, n) <= 1e-12 * (1 + largest(C, n)));
}

static void mass_matrix_and_inverse_dynamics_are_the_dense_ones(void **state)
{
    (void)state;
    for_random_trees(check_mass_and_inverse, false);
    for_random_trees(check_mass_and_inverse, true);
}

/* M^-1 amplifies rounding by the condition of M (up to 1e6 here). */
static void check_forward(dfl_tree *tree, const dfl_multibody_description *d, uint64_t *seed)
{
    (void)d;
    const int n = dfl_tree_nv(tree);
    double p[TREE_MOST], v[TREE_MOST], a[TREE_MOST], tau[TREE_MOST], back[TREE_MOST];
    random_place(p, tree, seed);
    numbers(v, n, seed, 1.0);
    numbers(tau, n, seed, 1.0);
    dfl_tree_place(tree, p);
    dfl_tree_forward(a, NULL, tree, v, tau);
    dfl_tree_inverse(back, tree, v, a);
    assert_true(distance(back, tau, n) <= 1e-10 * (1 + largest(a, n)));
}

static void forward_dynamics_undoes_inverse_dynamics(void **state)
{
    (void)state;
    for_random_trees(check_forward, false);
}

/* The number of singular values above 1e-9 of the largest, rows and columns scaled to unit
   diagonal. */
static int dense_rank(const double *M, int n)
{
    static double A[TREE_MOST * TREE_MOST], sigma[TREE_MOST];
    int rank = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double scale = sqrt(M[i + i * n] * M[j + j * n]);
            A[i + j * n] = scale > 1e-12 ? M[i + j * n] / scale : 0.0;
        }
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', n, A, n, sigma), 0);
    for (int i = 0; i < n; i++)
        rank += sigma[i] > 1e-9 * sigma[n - 1];
    return rank;
}

/* ker M, gamma = K0^T (tau - C), and accelerations that solve M a = tau - C once gamma = 0: tau is
   corrected on the massless directions. */
static void check_massless(dfl_tree *tree, const dfl_multibody_description *d, uint64_t *seed)
{
    const int n = dfl_tree_nv(tree), n0 = dfl_tree_n0(tree);
    double p[TREE_MOST], v[TREE_MOST], a[TREE_MOST], tau[TREE_MOST], C[TREE_MOST];
    double gam[TREE_MOST], product[TREE_MOST];
    static double M[TREE_MOST * TREE_MOST], K0[TREE_MOST * TREE_MOST];
    random_place(p, tree, seed);
    numbers(v, n, seed, 1.0);
    numbers(tau, n, seed, 1.0);
    dfl_tree_place(tree, p);
    dense_equations(M, C, tree, d, v);
    const double size = 1 + largest(M, n * n);
    assert_int_equal(n - n0, largest(M, n * n) > 0 ? dense_rank(M, n) : 0);
    dfl_tree_forward(a, gam, tree, v, tau);
    dfl_tree_null_space(K0, n, tree);
    for (int k = 0; k < n0; k++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            product[i] = 0.0;
            for (int j = 0; j < n; j++)
                product[i] += M[i + j * n] * K0[j + k * n];
            sum += K0[i + k * n] * (tau[i] - C[i]);
        }
        const double reach = 1 + largest(K0 + k * n, n);
        assert_true(largest(product, n) <= 1e-10 * size * reach);
        assert_near(gam[k], sum, 1e-10 * reach * (1 + largest(C, n)));
    }
    for (int k = 0; k < n0; k++) /* K0 is the identity on the massless velocities */
        tau[dfl_tree_massless(tree, k)] -= gam[k];
    dfl_tree_forward(a, gam, tree, v, tau);
    assert_true(largest(gam, n0) <= 1e-10 * (1 + largest(K0, n * n0)) * (1 + largest(C, n)));
    dfl_tree_inverse(product, tree, v, a);
    assert_true(distance(product, tau, n) <= 1e-9 * (1 + largest(a, n)));
}

/* The random trees contain what the test is about. */
static int trees_with_kernel, massless_pairs;

static void count_massless(dfl_tree *tree, const dfl_multibody_description *d, uint64_t *seed)
{
    (void)seed;
    trees_with_kernel += dfl_tree_n0(tree) > 0;
    for (int i = 0; i < d->njoints; i++) {
        const int parent = d->joints[i].parent;
        massless_pairs += parent >= 0 && d->bodies[i].mass == 0 && d->bodies[parent].mass == 0;
    }
}

static void massless_directions_span_the_kernel_of_the_mass_matrix(void **state)
{
    (void)state;
    for_random_trees(check_massless, true);
    for_random_trees(count_massless, true);
    assert_true(trees_with_kernel > TREES / 4);
    assert_true(massless_pairs > TREES / 4);
}

/* d/dt (kinetic + potential energy) = v^T tau. */
static void check_power(dfl_tree *tree, const dfl_multibody_description *d, uint64_t *seed)
{
    const int n = dfl_tree_nv(tree), np = dfl_tree_np(tree);
    const double h = 1e-5;
    double p[TREE_MOST], v[TREE_MOST], a[TREE_MOST], tau[TREE_MOST], pd[TREE_MOST];
    double q[2][TREE_MOST], u[2][TREE_MOST], power = 0.0;
    random_place(p, tree, seed);
    numbers(v, n, seed, 1.0);
    numbers(a, n, seed, 1.0);
    dfl_tree_place(tree, p);
    dfl_tree_inverse(tau, tree, v, a);
    dfl_tree_kinematics(pd, tree, p, v);
    for (int i = 0; i < n; i++)
        power += v[i] * tau[i];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < np; i++)
            q[side][i] = p[i] + (side ? h : -h) * pd[i];
        for (int i = 0; i < n; i++)
            u[side][i] = v[i] + (side ? h : -h) * a[i];
    }
    const double rate =
        (tree_energy(tree, d, q[1], u[1]) - tree_energy(tree, d, q[0], u[0])) / (2 * h);
    assert_near(rate, power, 1e-6 * (1 + fabs(power)));
}

static void power_of_joint_forces_changes_the_energy(void **state)
{
    (void)state;
    for_random_trees(check_power, false);
}

/* The power of a force and a torque on a body is that of their generalized force. */
static void check_forces(dfl_tree *tree, const dfl_multibody_description *d, uint64_t *seed)
{
    const int n = dfl_tree_nv(tree);
    double p[TREE_MOST], v[TREE_MOST], row[TREE_MOST] = {0}, at[3], F[3], T[3], power = 0.0;
    const int body = choice(seed, d->nbodies);
    random_place(p, tree, seed);
    numbers(v, n, seed, 1.0);
    numbers(at, 3, seed, 1.0);
    numbers(F, 3, seed, 1.0);
    numbers(T, 3, seed, 1.0);
    dfl_tree_place(tree, p);
    dfl_tree_poses(tree);
    dfl_tree_velocities(tree, v);
    const dfl_frame frame = dfl_tree_frame(tree, body, at, NULL, NULL);
    const dfl_motion m = dfl_frame_motion(tree, &frame);
    dfl_tree_project(row, 1, tree, frame.node, m.r, T, F);
    for (int i = 0; i < n; i++)
        power += row[i] * v[i];
    assert_near(power, dot3(F, m.v) + dot3(T, m.omega), 1e-12 * (1 + fabs(power)));
}

static void forces_on_bodies_are_generalized_forces(void **state)
{
    (void)state;
    for_random_trees(check_forces, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_matrix_and_inverse_dynamics_are_the_dense_ones),
        cmocka_unit_test(forward_dynamics_undoes_inverse_dynamics),
        cmocka_unit_test(massless_directions_span_the_kernel_of_the_mass_matrix),
        cmocka_unit_test(power_of_joint_forces_changes_the_energy),
        cmocka_unit_test(forces_on_bodies_are_generalized_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
