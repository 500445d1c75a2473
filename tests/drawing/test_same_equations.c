/* Drawings with expressions and the numeric recursions are two independent ways to the same
   equations: mass matrix, forces, kinematics, rows of loops and their rates agree at random states
   of random mechanisms. */
#include "drawn.h"

enum { MOST = 64, ROWS = 6 };

/* A state of both. */
typedef struct place {
    double t, p[MOST], v[MOST], x[3 * MOST];
} place;

static place random_state(const drawn *d, dfl_tree *tree, uint64_t *seed)
{
    place s = {.t = number(seed, 1.0)};
    const dfl_layout at = dfl_eom_layout(dfl_runnable_eom(d->run));
    assert_int_equal(d->eq->np, dfl_tree_np(tree));
    assert_int_equal(d->eq->nv, dfl_tree_nv(tree));
    random_place(s.p, tree, seed);
    numbers(s.v, d->eq->nv, seed, 1.0);
    memcpy(s.x + at.v, s.v, (size_t)d->eq->nv * sizeof(double));
    memcpy(s.x + at.p, s.p, (size_t)d->eq->np * sizeof(double));
    drawn_drive(tree, s.t);
    dfl_tree_place(tree, s.p);
    dfl_tree_poses(tree);
    dfl_tree_velocities(tree, s.v);
    return s;
}

static void assert_same_tree(const drawn *d, dfl_tree *tree, const place *s, const double *push)
{
    const dfl_eom *eom = dfl_runnable_eom(d->run);
    const int n = d->eq->nv;
    static double M[MOST * MOST], Mt[MOST * MOST], K0[MOST * MOST];
    double f[MOST], tau[MOST], none[MOST] = {0}, kin[MOST], rates[MOST];
    memset(M, 0, sizeof M);
    memset(Mt, 0, sizeof Mt);
    eom->mass(M, s->t, s->x, eom->user);
    if (eom->mass_diagonal)
        for (int i = n - 1; i >= 0; i--) {
            const double diagonal = M[i];
            M[i] = 0.0;
            M[i + i * n] = diagonal;
        }
    dfl_tree_mass(Mt, n, tree);
    assert_same(M, Mt, n * n, "M");
    dfl_blocks out = {.f = f, .kin = kin, .K0 = K0};
    assert_int_equal(eom->eval(&out, s->t, s->x, DFL_FORCE | DFL_KINEMATICS, eom->user), 0);
    dfl_tree_inverse(tau, tree, s->v, none);
    for (int i = 0; i < n; i++)
        tau[i] = (push ? push[i] : 0.0) - tau[i];
    assert_same(f, tau, n, "f");
    dfl_tree_kinematics(rates, tree, s->p, s->v);
    if (!eom->trivial_kinematics)
        assert_same(kin, rates, d->eq->np, "kin");
}

/* Compares at three states. */
static void compare_trees(const dfl_multibody_description *description, bool parameters,
                          uint64_t *seed)
{
    dfl_context *ctx = dfl_context_create();
    dfl_tree *tree = new_tree(ctx, description);
    drawn d = drawn_new(description->planar, parameters);
    drawn_tree(&d, description);
    drawn_finish(&d);
    for (int k = 0; k < 3; k++) {
        const place s = random_state(&d, tree, seed);
        assert_same_tree(&d, tree, &s, NULL);
        assert_near(dfl_runnable_energy(d.run, s.t, s.x), tree_energy(tree, description, s.p, s.v),
                    1e-10 * 1e3);
    }
    drawn_free(&d);
    dfl_tree_free(tree);
    dfl_context_free(ctx);
}

static void random_trees_have_the_same_equations(void **state)
{
    (void)state;
    uint64_t seed = 4711;
    for (int trial = 0; trial < 20; trial++) {
        random_tree tree;
        make_random_tree(&tree, &seed, trial % 4 == 3);
        int nv = 0;
        for (int i = 0; i < TREE_BODIES; i++)
            nv += tree.joint[i].kind != DFL_JOINT_FIXED;
        if (nv > 0)
            compare_trees(&tree.description, trial % 2, &seed);
    }
}

/* Each kind between two others, along axes of coordinates and in general. */
static void every_joint_has_the_same_equations(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int kind = 0; kind < TREE_KINDS; kind++)
        for (int aligned = 0; aligned < 2; aligned++) {
            random_tree tree;
            make_random_tree(&tree, &seed, false);
            tree.description.nbodies = tree.description.njoints = 3;
            for (int i = 0; i < 3; i++) {
                tree.joint[i].kind = i == 1 ? (dfl_joint_kind)kind : DFL_JOINT_REVOLUTE;
                tree.joint[i].parent = i - 1;
                for (int k = 0; k < 3 && aligned; k++) {
                    tree.joint[i].axis[k] = k == 2 ? (i == 2 ? -2.0 : 1.0) : 0.0;
                    tree.joint[i].axis2[k] = k == 1;
                }
            }
            compare_trees(&tree.description, true, &seed);
        }
}

static void make_plane_tree(random_tree *tree, uint64_t *seed)
{
    static const dfl_joint_kind kinds[4] = {DFL_JOINT_REVOLUTE, DFL_JOINT_PRISMATIC,
                                            DFL_JOINT_PLANAR, DFL_JOINT_FIXED};
    make_random_tree(tree, seed, false);
    for (int i = 0; i < TREE_BODIES; i++) {
        dfl_joint *joint = &tree->joint[i];
        joint->kind = i == 0 ? DFL_JOINT_REVOLUTE : kinds[choice(seed, 4)];
        for (int k = 0; k < 3; k++) {
            const bool shift = joint->kind == DFL_JOINT_PRISMATIC;
            joint->axis[k] = k == 2 ? !shift : shift ? joint->axis[k] : 0.0;
            joint->axis2[k] = 0.0;
        }
        joint->at[2] = tree->body[i].com[2] = 0.0;
        for (int k = 0; k < 6; k++)
            tree->body[i].inertia[k] *= k == 2;
    }
    tree->description.gravity[2] = 0.0;
    tree->description.planar = true;
}

static void plane_trees_have_the_same_equations(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 10; trial++) {
        random_tree tree;
        make_plane_tree(&tree, &seed);
        compare_trees(&tree.description, trial % 2, &seed);
    }
}

static void prescribed_motions_have_the_same_equations(void **state)
{
    (void)state;
    uint64_t seed = 21;
    static const dfl_joint_kind kinds[3] = {DFL_JOINT_REVOLUTE, DFL_JOINT_PRISMATIC,
                                            DFL_JOINT_SCREW};
    for (int trial = 0; trial < 6; trial++) {
        random_tree tree;
        make_random_tree(&tree, &seed, false);
        tree.description.nbodies = tree.description.njoints = 5;
        for (int i = 0; i < 5; i++) {
            tree.joint[i].driven = i % 2 == 0;
            if (i % 2 == 0)
                tree.joint[i].kind = kinds[(trial + i) % 3];
            else if (tree.joint[i].kind == DFL_JOINT_FIXED)
                tree.joint[i].kind = DFL_JOINT_SPHERICAL;
        }
        dfl_context *ctx = dfl_context_create();
        dfl_tree *numeric = new_tree(ctx, &tree.description);
        drawn d = drawn_new(false, trial % 2);
        drawn_tree(&d, &tree.description);
        drawn_finish(&d);
        for (int k = 0; k < 3; k++) {
            const place s = random_state(&d, numeric, &seed);
            assert_same_tree(&d, numeric, &s, NULL);
            assert_near(dfl_runnable_energy(d.run, s.t, s.x),
                        tree_energy(numeric, &tree.description, s.p, s.v), 1e-10 * 1e3);
        }
        drawn_free(&d);
        dfl_tree_free(numeric);
        dfl_context_free(ctx);
    }
}

/* ------------------------------------------------------------------ loops */

static dfl_loop random_loop(dfl_joint_kind kind, int a, int b, bool plane, uint64_t *seed)
{
    dfl_loop loop = {.name = "loop", .kind = kind, .a = a, .b = b, .apart = true};
    double other[3];
    numbers(loop.at, 3, seed, 1.0);
    numbers(loop.axis, 3, seed, 1.0);
    numbers(other, 3, seed, 1.0);
    cross3(loop.axis2, loop.axis, other);
    numbers(loop.at_b, 3, seed, 1.0);
    numbers(loop.axis_b, 3, seed, 1.0);
    numbers(other, 3, seed, 1.0);
    cross3(loop.axis2_b, loop.axis_b, other);
    loop.length = kind == DFL_JOINT_DISTANCE && a == 2 ? 0.7 : 0.0;
    loop.lead = kind == DFL_JOINT_SCREW ? 0.3 : 0.0;
    if (plane) {
        loop.at[2] = loop.at_b[2] = loop.axis[2] = loop.axis_b[2] = 0.0;
        memset(loop.axis2, 0, sizeof loop.axis2);
        memset(loop.axis2_b, 0, sizeof loop.axis2_b);
        if (dfl_joint_types[kind].plane != DFL_PLANE_WITHIN) {
            memset(loop.axis, 0, sizeof loop.axis);
            memset(loop.axis_b, 0, sizeof loop.axis_b);
        }
    }
    return loop;
}

static void assert_same_loop(const drawn *d, const dfl_loops *loops, const place *s)
{
    const dfl_eom *eom = dfl_runnable_eom(d->run);
    const int n = dfl_loops_rows(loops);
    double g[2][ROWS], gI[2][ROWS], bias[2][ROWS], W[2][ROWS * MOST] = {{0}}, K0[MOST], ep[MOST];
    double e[MOST], gam[MOST];
    assert_int_equal(d->eq->nl, n);
    dfl_blocks out = {.g = g[0], .gI = gI[0], .bias = bias[0], .W = W[0]};
    out.K0 = K0;
    out.ep = ep;
    out.e = e;
    out.gam = gam;
    const unsigned need = DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS;
    assert_int_equal(eom->eval(&out, s->t, s->x, need, eom->user), 0);
    dfl_loops_position(g[1], loops, s->p);
    dfl_loops_velocity(gI[1], loops, s->v);
    dfl_loops_directions(W[1], n, loops);
    dfl_loops_bias(bias[1], loops);
    assert_same(g[0], g[1], n, "g");
    assert_same(gI[0], gI[1], n, "gI");
    assert_same(W[0], W[1], n * d->eq->nv, "W");
    assert_same(bias[0], bias[1], n, "bias");
}

static void compare_loops(const dfl_multibody_description *description, const dfl_loop *loop,
                          uint64_t *seed)
{
    dfl_context *ctx = dfl_context_create();
    dfl_tree *tree = new_tree(ctx, description);
    dfl_loops *loops = NULL;
    if (dfl_loops_create(&loops, ctx, tree, 1, loop, 0, NULL))
        fail_msg("%s", dfl_message(ctx));
    drawn d = drawn_new(description->planar, true);
    drawn_tree(&d, description);
    drawn_loop(&d, loop);
    drawn_finish(&d);
    for (int k = 0; k < 2; k++) {
        const place s = random_state(&d, tree, seed);
        assert_same_loop(&d, loops, &s);
    }
    drawn_free(&d);
    dfl_loops_free(loops);
    dfl_tree_free(tree);
    dfl_context_free(ctx);
}

/* On a branched tree, to the ground, and between bodies that hang on a third one. */
static void every_loop_has_the_same_rows(void **state)
{
    (void)state;
    static const int ends[3][2] = {{2, 4}, {DFL_GROUND, 2}, {1, 4}};
    uint64_t seed = 8;
    for (int kind = 0; kind < DFL_JOINT_KINDS; kind++)
        for (int i = 0; i < 3 && dfl_joint_types[kind].space.count > 0; i++) {
            random_tree tree;
            make_random_tree(&tree, &seed, false);
            tree.description.nbodies = tree.description.njoints = 5;
            for (int k = 0; k < 5; k++) {
                tree.joint[k].parent = k == 3 ? 0 : k - 1;
                tree.joint[k].driven = k == 3;
                if (tree.joint[k].kind == DFL_JOINT_FIXED || k == 3)
                    tree.joint[k].kind = DFL_JOINT_REVOLUTE;
            }
            const dfl_loop loop =
                random_loop((dfl_joint_kind)kind, ends[i][0], ends[i][1], false, &seed);
            compare_loops(&tree.description, &loop, &seed);
        }
}

static void every_plane_loop_has_the_same_rows(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int trial = 0; trial < 3 * DFL_JOINT_KINDS; trial++) {
        const dfl_joint_kind kind = (dfl_joint_kind)(trial % DFL_JOINT_KINDS);
        if (dfl_joint_types[kind].flat.count == 0)
            continue;
        random_tree tree;
        make_plane_tree(&tree, &seed);
        tree.description.nbodies = tree.description.njoints = 5;
        for (int k = 0; k < 5; k++) {
            tree.joint[k].parent = k == 3 ? 0 : k - 1;
            if (tree.joint[k].kind == DFL_JOINT_FIXED)
                tree.joint[k].kind = DFL_JOINT_PLANAR;
        }
        const dfl_loop loop = random_loop(kind, trial % 3 == 0 ? DFL_GROUND : 2, 4, true, &seed);
        compare_loops(&tree.description, &loop, &seed);
    }
}

/* ------------------------------------------------------------------ kinematics, forces */

static void assert_same_motion(drawn *d, dfl_tree *tree, const place *s, int body,
                               const double *point, const double *a)
{
    enum { EXPRS = 27 };
    const dfl_vec at = plain_vector(d, point);
    dfl_vec v[7];
    dfl_mat R;
    dfl_expr exprs[EXPRS];
    double value[EXPRS];
    const dfl_frame frame = dfl_tree_frame(tree, body, point, NULL, NULL);
    const dfl_motion m = dfl_frame_motion(tree, &frame);
    drawn_expect(d, dfl_drawing_rotation(&R, d->drawing, body));
    drawn_expect(d, dfl_drawing_point(&v[0], d->drawing, body, at));
    drawn_expect(d, dfl_drawing_omega(&v[1], d->drawing, body));
    drawn_expect(d, dfl_drawing_velocity(&v[2], d->drawing, body, at));
    drawn_expect(d, dfl_drawing_acceleration(&v[3], &v[4], d->drawing, body, at, true));
    drawn_expect(d, dfl_drawing_acceleration(&v[6], &v[5], d->drawing, body, at, false));
    memcpy(exprs, R.e, sizeof R.e);
    memcpy(exprs + 9, v, 6 * sizeof *v);
    drawn_expect(d, dfl_runnable_values(value, d->run, exprs, EXPRS, s->t, s->x, a));
    assert_same(value, m.R, 9, "R");
    assert_same(value + 9, m.r, 3, "r");
    assert_same(value + 12, m.omega, 3, "omega");
    assert_same(value + 15, m.v, 3, "v");
    assert_same(value + 18, m.alpha, 3, "alpha");
    assert_same(value + 21, m.a, 3, "a");

    double J[6][MOST] = {{0}}, expected[6][MOST] = {{0}}, whole[3];
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none[3] = {0};
    dfl_jacobian_column columns[MOST];
    int count;
    drawn_expect(d, dfl_drawing_jacobian(columns, &count, MOST, d->drawing, body, at));
    for (int c = 0; c < count; c++) {
        int place_of = 0;
        while (d->eq->x[d->eq->nl + place_of].symbol != columns[c].v)
            place_of++;
        memcpy(exprs, columns[c].omega.e, sizeof at);
        memcpy(exprs + 3, columns[c].velocity.e, sizeof at);
        drawn_expect(d, dfl_runnable_values(value, d->run, exprs, 6, s->t, s->x, NULL));
        for (int k = 0; k < 6; k++)
            J[k][place_of] = value[k];
    }
    for (int k = 0; k < 3; k++) {
        dfl_tree_project(expected[k], 1, tree, frame.node, m.r, unit[k], none);
        dfl_tree_project(expected[3 + k], 1, tree, frame.node, m.r, none, unit[k]);
    }
    assert_same(J[0], expected[0], 6 * MOST, "Jacobian");

    /* a = J v' + bias */
    drawn_expect(d, dfl_runnable_values(value, d->run, v[5].e, 3, s->t, s->x, a));
    for (int k = 0; k < 3; k++) {
        whole[k] = m.a[k];
        for (int j = 0; j < d->eq->nv; j++)
            whole[k] += expected[3 + k][j] * a[j];
    }
    assert_same(value, whole, 3, "acceleration");
}

static void points_move_and_forces_act_as_in_the_numeric_tree(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 8; trial++) {
        random_tree tree;
        make_random_tree(&tree, &seed, false);
        tree.joint[0].kind = DFL_JOINT_UNIVERSAL;
        dfl_context *ctx = dfl_context_create();
        dfl_tree *numeric = new_tree(ctx, &tree.description);
        drawn d = drawn_new(false, true);
        drawn_tree(&d, &tree.description);
        double point[3], F[3], T[3], a[MOST];
        const int body = choice(&seed, TREE_BODIES);
        numbers(point, 3, &seed, 1.0);
        numbers(F, 3, &seed, 5.0);
        numbers(T, 3, &seed, 5.0);
        numbers(a, MOST, &seed, 1.0);
        drawn_expect(&d, dfl_drawing_apply(d.drawing, body, plain_vector(&d, point),
                                           plain_vector(&d, F), plain_vector(&d, T), false));
        drawn_finish(&d);
        const place s = random_state(&d, numeric, &seed);
        double push[MOST] = {0};
        const dfl_frame frame = dfl_tree_frame(numeric, body, point, NULL, NULL);
        const dfl_motion m = dfl_frame_motion(numeric, &frame);
        dfl_tree_project(push, 1, numeric, frame.node, m.r, T, F);
        assert_same_motion(&d, numeric, &s, body, point, a);
        assert_same_tree(&d, numeric, &s, push);
        assert_false(dfl_model_conservative(d.model));
        drawn_free(&d);
        dfl_tree_free(numeric);
        dfl_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_have_the_same_equations),
        cmocka_unit_test(every_joint_has_the_same_equations),
        cmocka_unit_test(plane_trees_have_the_same_equations),
        cmocka_unit_test(prescribed_motions_have_the_same_equations),
        cmocka_unit_test(every_loop_has_the_same_rows),
        cmocka_unit_test(every_plane_loop_has_the_same_rows),
        cmocka_unit_test(points_move_and_forces_act_as_in_the_numeric_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
