/* Rows of loops: rates against differences along the motion, for every kind, between random bodies
   of random trees; couplings; what is refused. */
#include "trees.h"

#include "multibody/multibody.h"

static const double step = 1e-5;

/* The tree at p + t Z v, velocities v + t a. */
static void move(dfl_tree *tree, double *q, double *u, const double *p, const double *v,
                 const double *a, double t)
{
    double pd[TREE_MOST];
    dfl_tree_kinematics(pd, tree, p, v);
    for (int i = 0; i < dfl_tree_np(tree); i++)
        q[i] = p[i] + t * pd[i];
    for (int i = 0; i < dfl_tree_nv(tree); i++)
        u[i] = v[i] + t * a[i];
    dfl_tree_place(tree, q);
    dfl_tree_poses(tree);
    dfl_tree_velocities(tree, u);
}

/* In the plane the axis of a slide lies in it, others are along z; the axes of a universal joint
   are perpendicular. */
static dfl_loop random_loop(dfl_joint_kind kind, int a, int b, bool planar, uint64_t *seed)
{
    dfl_loop loop = {.name = "loop", .kind = kind, .a = a, .b = b, .apart = true, .lead = 0.3};
    numbers(loop.at, 3, seed, 1.0);
    numbers(loop.axis, 3, seed, 1.0);
    numbers(loop.axis2, 3, seed, 1.0);
    numbers(loop.at_b, 3, seed, 1.0);
    numbers(loop.axis_b, 3, seed, 1.0);
    numbers(loop.axis2_b, 3, seed, 1.0);
    if (planar && dfl_joint_types[kind].plane == DFL_PLANE_WITHIN)
        loop.axis[2] = loop.axis_b[2] = 0.0;
    if (planar && dfl_joint_types[kind].plane == DFL_PLANE_ACROSS)
        memset(loop.axis, 0, sizeof loop.axis);
    if (planar && dfl_joint_types[kind].plane == DFL_PLANE_ACROSS)
        memset(loop.axis_b, 0, sizeof loop.axis_b);
    if (kind == DFL_JOINT_UNIVERSAL) {
        const double across[3] = {-loop.axis_b[1], loop.axis_b[0], 0};
        memcpy(loop.axis2_b, across, sizeof across);
    }
    return loop;
}

/* The same tree with joints of the plane. */
static void flatten(random_tree *made, uint64_t *seed)
{
    static const dfl_joint_kind kinds[4] = {DFL_JOINT_REVOLUTE, DFL_JOINT_PRISMATIC,
                                            DFL_JOINT_PLANAR, DFL_JOINT_TRANSLATION};
    made->description.planar = true;
    made->description.gravity[2] = 0.0;
    for (int i = 0; i < TREE_BODIES; i++) {
        dfl_joint *joint = &made->joint[i];
        joint->kind = i == 0 ? DFL_JOINT_REVOLUTE : kinds[choice(seed, 4)];
        const bool slide = joint->kind == DFL_JOINT_PRISMATIC;
        joint->axis[slide ? 2 : 0] = joint->axis[1] = 0.0;
        memset(joint->axis2, 0, sizeof joint->axis2);
    }
}

/* W v = gI, gI = dg/dt, W a + bias = d gI/dt. */
static void assert_rates(dfl_tree *tree, const dfl_loops *loops, uint64_t *seed)
{
    enum { MOST = 8 };
    const int n = dfl_loops_rows(loops), nv = dfl_tree_nv(tree);
    double p[TREE_MOST], v[TREE_MOST], a[TREE_MOST], q[TREE_MOST], u[TREE_MOST];
    double g[2][MOST], gI[3][MOST], bias[MOST], W[MOST * TREE_MOST];
    random_place(p, tree, seed);
    numbers(v, nv, seed, 1.0);
    numbers(a, nv, seed, 1.0);
    for (int side = 0; side < 2; side++) {
        move(tree, q, u, p, v, a, side ? step : -step);
        dfl_loops_position(g[side], loops, q);
        dfl_loops_velocity(gI[side], loops, u);
    }
    move(tree, q, u, p, v, a, 0.0);
    dfl_loops_velocity(gI[2], loops, v);
    dfl_loops_bias(bias, loops);
    dfl_loops_directions(W, n, loops);
    for (int i = 0; i < n; i++) {
        double speed = 0.0, second = bias[i];
        for (int j = 0; j < nv; j++) {
            speed += W[i + j * n] * v[j];
            second += W[i + j * n] * a[j];
        }
        assert_near(speed, gI[2][i], 1e-12 * (1 + fabs(speed)));
        assert_near((g[1][i] - g[0][i]) / (2 * step), speed, 1e-7 * (1 + fabs(speed)));
        assert_near((gI[1][i] - gI[0][i]) / (2 * step), second, 1e-6 * (1 + fabs(second)));
    }
}

/* gI, W a + bias and W^T lambda of the tree at p + t Z e_k (position) or v + t e_k. */
typedef struct loop_values {
    double gI[8], gII[8], force[TREE_MOST];
} loop_values;

static loop_values shifted(dfl_tree *tree, const dfl_loops *loops, const double *p, const double *v,
                           const double *a, const double *lambda, int k, double t, bool position)
{
    const int n = dfl_loops_rows(loops), nv = dfl_tree_nv(tree);
    double unit[TREE_MOST] = {0}, q[TREE_MOST], u[TREE_MOST], W[8 * TREE_MOST];
    loop_values values;
    unit[k] = t;
    dfl_tree_kinematics(q, tree, p, unit);
    for (int i = 0; i < dfl_tree_np(tree); i++)
        q[i] = p[i] + (position ? q[i] : 0.0);
    for (int i = 0; i < nv; i++)
        u[i] = v[i] + (position ? 0.0 : unit[i]);
    dfl_tree_place(tree, q);
    dfl_tree_poses(tree);
    dfl_tree_velocities(tree, u);
    dfl_loops_velocity(values.gI, loops, u);
    dfl_loops_bias(values.gII, loops);
    dfl_loops_directions(W, n, loops);
    for (int j = 0; j < nv; j++) {
        values.force[j] = 0.0;
        for (int i = 0; i < n; i++) {
            values.gII[i] += W[i + j * n] * a[j];
            values.force[j] += W[i + j * n] * lambda[i];
        }
    }
    return values;
}

/* Differences: 1e-10 |third derivative| + 1e-11 |value|. */
static void assert_column(const double *slope, const double *high, const double *low, int n)
{
    for (int i = 0; i < n; i++)
        assert_near(slope[i], (high[i] - low[i]) / (2 * step), 1e-7 * (1 + fabs(slope[i])));
}

static void assert_slopes(dfl_context *ctx, dfl_tree *tree, const dfl_loops *loops, uint64_t *seed)
{
    static double Tq[TREE_MOST * TREE_MOST], Tv[TREE_MOST * TREE_MOST], M[TREE_MOST * TREE_MOST];
    double gIq[8 * TREE_MOST], gIIq[8 * TREE_MOST], gIIv[8 * TREE_MOST];
    double p[TREE_MOST], v[TREE_MOST], a[TREE_MOST], lambda[8];
    const int n = dfl_loops_rows(loops), nv = dfl_tree_nv(tree);
    dfl_tree_derivatives *work = NULL;
    assert_int_equal(dfl_tree_derivatives_create(&work, ctx, tree), DFL_OK);
    random_place(p, tree, seed);
    numbers(v, nv, seed, 1.0);
    numbers(a, nv, seed, 1.0);
    numbers(lambda, n, seed, 1.0);
    dfl_tree_place(tree, p);
    dfl_tree_derive(Tq, Tv, M, work, v, a);
    dfl_loops_derive(gIq, gIIq, gIIv, n, loops, work);
    memset(Tq, 0, sizeof Tq);
    dfl_loops_derive_forces(Tq, loops, work, lambda);
    for (int k = 0; k < nv; k++) {
        const loop_values hp = shifted(tree, loops, p, v, a, lambda, k, step, true);
        const loop_values lp = shifted(tree, loops, p, v, a, lambda, k, -step, true);
        const loop_values hv = shifted(tree, loops, p, v, a, lambda, k, step, false);
        const loop_values lv = shifted(tree, loops, p, v, a, lambda, k, -step, false);
        assert_column(gIq + k * n, hp.gI, lp.gI, n);
        assert_column(gIIq + k * n, hp.gII, lp.gII, n);
        assert_column(gIIv + k * n, hv.gII, lv.gII, n);
        assert_column(Tq + k * nv, lp.force, hp.force, nv);
    }
    dfl_tree_derivatives_free(work);
}

static void rates_and_derivatives_of_every_loop_are_limits_of_differences(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 1989;
    int checked[2][DFL_JOINT_KINDS] = {{0}}; /* random bodies may be one, on fixed joints */
    for (int round = 0; round < 20; round++)
        for (int kind = 0; kind < DFL_JOINT_KINDS; kind++) {
            const bool planar = round % 2;
            if (dfl_joint_rows_of((dfl_joint_kind)kind, planar)->count == 0)
                continue;
            random_tree made;
            make_random_tree(&made, &seed, false);
            made.joint[0].kind = DFL_JOINT_REVOLUTE; /* something moves against the ground */
            if (planar)
                flatten(&made, &seed);
            dfl_tree *tree = new_tree(ctx, &made.description);
            const int a = choice(&seed, 3) ? 0 : DFL_GROUND, b = TREE_BODIES - 1;
            const dfl_loop loop = random_loop((dfl_joint_kind)kind, a, b, planar, &seed);
            dfl_loops *loops = NULL;
            if (!dfl_loops_create(&loops, ctx, tree, 1, &loop, 0, NULL)) {
                assert_rates(tree, loops, &seed);
                assert_slopes(ctx, tree, loops, &seed);
                checked[planar][kind]++;
            }
            dfl_loops_free(loops);
            dfl_tree_free(tree);
            assert_int_equal(dfl_context_live(ctx), 0);
        }
    for (int i = 0; i < 2 * DFL_JOINT_KINDS; i++) {
        const int kind = i / 2, planar = i % 2;
        const bool closes = dfl_joint_rows_of((dfl_joint_kind)kind, planar)->count > 0;
        assert_true(!closes || checked[planar][kind] >= 5);
    }
    dfl_context_free(ctx);
}

/* Two shafts and a rack: 0 = q1 - 3 q2 - 0.5 and 0 = x - 0.2 q1. */
static void couplings_are_linear_rows(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    const dfl_rigid_body bodies[3] = {{.name = "a", .inertia = {1, 1, 1}},
                                      {.name = "b", .inertia = {1, 1, 1}},
                                      {.name = "c", .mass = 1}};
    const dfl_joint joints[3] = {
        {.name = "a", .kind = DFL_JOINT_REVOLUTE, .parent = -1, .child = 0, .axis = {0, 0, 1}},
        {.name = "b", .kind = DFL_JOINT_REVOLUTE, .parent = -1, .child = 1, .axis = {0, 0, 1}},
        {.name = "c", .kind = DFL_JOINT_PRISMATIC, .parent = -1, .child = 2, .axis = {1, 0, 0}}};
    const dfl_multibody_description d = {
        .nbodies = 3, .njoints = 3, .bodies = bodies, .joints = joints};
    dfl_tree *tree = new_tree(ctx, &d);
    const dfl_coupling_term gears[2] = {{0, 0, 1}, {1, 0, -3}}, rack[2] = {{2, 0, 1}, {0, 0, -0.2}};
    const dfl_coupling couplings[2] = {{"gears", 2, gears, 0.5}, {"rack", 2, rack, 0}};
    dfl_loops *loops = NULL;
    assert_int_equal(dfl_loops_create(&loops, ctx, tree, 0, NULL, 2, couplings), DFL_OK);
    const double p[3] = {2, 0.5, 0.4};
    double g[2], W[6];
    int within;
    dfl_tree_place(tree, p);
    dfl_tree_poses(tree);
    dfl_loops_position(g, loops, p);
    dfl_loops_directions(W, 2, loops);
    assert_near(g[0], 0.0, 1e-15);
    assert_near(g[1], 0.0, 1e-15);
    const double expected[6] = {1, -0.2, -3, 0, 0, 1};
    assert_true(distance(W, expected, 6) == 0.0);
    assert_string_equal(dfl_loops_name(loops, 1, &within), "rack");
    assert_rates(tree, loops, &(uint64_t){5});
    dfl_loops_free(loops);
    const dfl_coupling_term wrong[2] = {{0, 0, 1}, {7, 0, -3}};
    const dfl_coupling bad = {"gears", 2, wrong, 0.5};
    assert_int_equal(dfl_loops_create(&loops, ctx, tree, 0, NULL, 1, &bad), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "coupling 'gears'"));
    dfl_tree_free(tree);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_and_derivatives_of_every_loop_are_limits_of_differences),
        cmocka_unit_test(couplings_are_linear_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
