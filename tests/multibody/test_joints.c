/* Twists and accelerations of every kind of joint against differences of its poses, and the columns
   S of the table of joints written out. */
#include "trees.h"

static const double step = 1e-5; /* central differences: error of 1e-10 from both sides */

/* A body on one joint of a moving parent. */
typedef struct pair {
    dfl_rigid_body body[2];
    dfl_joint joint[2];
    dfl_multibody_description description;
} pair;

static pair pair_of(dfl_joint_kind kind, dfl_joint_kind parent, uint64_t *seed)
{
    pair made = {.body = {{.name = "a"}, {.name = "b"}}};
    for (int i = 0; i < 2; i++) {
        random_inertia(&made.body[i], WHOLE, seed);
        random_joint(&made.joint[i], i ? kind : parent, seed);
        made.joint[i].name = "j";
        made.joint[i].parent = i - 1;
        made.joint[i].child = i;
    }
    return made;
}

static void describe(pair *made)
{
    made->description = (dfl_multibody_description){
        .nbodies = 2, .njoints = 2, .bodies = made->body, .joints = made->joint};
}

/* The motion of a frame on body b at p + t Z v, with the velocity v. */
static dfl_motion motion_at(dfl_tree *tree, const dfl_frame *frame, const double *p,
                            const double *v, double t)
{
    double pd[TREE_MOST] = {0}, q[TREE_MOST];
    dfl_tree_kinematics(pd, tree, p, v);
    for (int i = 0; i < dfl_tree_np(tree); i++)
        q[i] = p[i] + t * pd[i];
    dfl_tree_place(tree, q);
    dfl_tree_poses(tree);
    dfl_tree_velocities(tree, v);
    return dfl_frame_motion(tree, frame);
}

/* p moves along p' = Z v to second order: the midpoint is p, so odd errors cancel; accelerations of
   quaternions along v' = 0 need p'' as well, which a straight line in p misses by O(t^2) in
   direction only: the rate of omega is not affected at the midpoint. */
static void assert_motion(dfl_tree *tree, const dfl_frame *frame, const double *p, const double *v)
{
    const dfl_motion m = motion_at(tree, frame, p, v, 0.0);
    const dfl_motion high = motion_at(tree, frame, p, v, step);
    const dfl_motion low = motion_at(tree, frame, p, v, -step);
    for (int i = 0; i < 3; i++) {
        assert_near((high.r[i] - low.r[i]) / (2 * step), m.v[i], 1e-8);
        assert_near((high.v[i] - low.v[i]) / (2 * step), m.a[i], 1e-8);
        assert_near((high.omega[i] - low.omega[i]) / (2 * step), m.alpha[i], 1e-8);
        for (int k = 0; k < 3; k++) { /* R' = [omega]x R */
            const double column[3] = {m.R[k], m.R[3 + k], m.R[6 + k]};
            double rate[3];
            cross3(rate, m.omega, column);
            assert_near((high.R[3 * i + k] - low.R[3 * i + k]) / (2 * step), rate[i], 1e-8);
        }
    }
}

static void motions_of_every_joint_are_rates_of_its_poses(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 7;
    for (int kind = 0; kind < TREE_KINDS; kind++)
        for (int parent = 0; parent < TREE_KINDS; parent++) {
            pair made = pair_of((dfl_joint_kind)kind, (dfl_joint_kind)parent, &seed);
            double p[TREE_MOST], v[TREE_MOST], at[3], axis[3];
            describe(&made);
            dfl_tree *tree = new_tree(ctx, &made.description);
            random_place(p, tree, &seed);
            numbers(v, dfl_tree_nv(tree), &seed, 1.0);
            numbers(at, 3, &seed, 1.0);
            numbers(axis, 3, &seed, 1.0);
            const dfl_frame frame = dfl_tree_frame(tree, 1, at, axis, NULL);
            assert_motion(tree, &frame, p, v);
            dfl_tree_free(tree);
        }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* A driven joint moves as the joint with a coordinate does. */
static void a_driven_joint_moves_as_prescribed(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 11;
    const dfl_joint_kind kinds[] = {DFL_JOINT_REVOLUTE, DFL_JOINT_PRISMATIC, DFL_JOINT_SCREW};
    for (int k = 0; k < 3; k++) {
        pair made = pair_of(DFL_JOINT_REVOLUTE, kinds[k], &seed);
        describe(&made);
        dfl_tree *tree = new_tree(ctx, &made.description);
        made.joint[0].driven = true;
        dfl_tree *driven = new_tree(ctx, &made.description);
        const double p[2] = {0.4, -0.7}, v[2] = {0.9, 0.3}, a[2] = {-0.6, 1.1};
        double tau[2], drive_tau[1], back[1];
        assert_int_equal(dfl_tree_nv(driven), 1);
        assert_int_equal(dfl_tree_joint_v(driven, 1), 0);
        dfl_tree_drive(driven, 0, p[0], v[0], a[0]);
        dfl_tree_place(tree, p);
        dfl_tree_place(driven, p + 1);
        dfl_tree_inverse(tau, tree, v, a);
        dfl_tree_inverse(drive_tau, driven, v + 1, a + 1);
        assert_near(drive_tau[0], tau[1], 1e-14);
        dfl_tree_forward(back, NULL, driven, v + 1, drive_tau);
        assert_near(back[0], a[1], 1e-13);
        dfl_tree_free(tree);
        dfl_tree_free(driven);
    }
    dfl_context_free(ctx);
}

/* One joint on the ground at the origin with z (or x, then y) as axis: the twist in axes of the
   child, as the table of joints has it. */
typedef struct column_case {
    dfl_joint_kind kind;
    double axis[3], axis2[3], lead;
    int np, nv;
    double p[7], v[6], twist[6];
} column_case;

static void twists_are_those_of_the_table(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    const double q = 0.7, s = sin(q), c = cos(q), h = 0.25;
    const column_case cases[] = {
        {DFL_JOINT_REVOLUTE, {0, 0, 1}, {0}, 0, 1, 1, {q}, {2}, {0, 0, 2, 0, 0, 0}},
        {DFL_JOINT_PRISMATIC, {0, 0, 1}, {0}, 0, 1, 1, {q}, {2}, {0, 0, 0, 0, 0, 2}},
        {DFL_JOINT_SCREW, {0, 0, 1}, {0}, h, 1, 1, {q}, {2}, {0, 0, 2, 0, 0, 2 * h}},
        {DFL_JOINT_CYLINDRICAL, {0, 0, 1}, {0}, 0, 2, 2, {q, 0.3}, {2, 3}, {0, 0, 2, 0, 0, 3}},
        {DFL_JOINT_UNIVERSAL,
         {1, 0, 0},
         {0, 1, 0},
         0,
         2,
         2,
         {0.3, q},
         {2, 3},
         {2 * c, 3, 2 * s, 0, 0, 0}},
        {DFL_JOINT_PLANAR,
         {0, 0, 1},
         {1, 0, 0},
         0,
         3,
         3,
         {0.3, 0.4, q},
         {2, 3, 5},
         {0, 0, 5, 2 * c + 3 * s, -2 * s + 3 * c, 0}},
        {DFL_JOINT_TRANSLATION, {0}, {0}, 0, 3, 3, {1, 2, 3}, {4, 5, 6}, {0, 0, 0, 4, 5, 6}},
        {DFL_JOINT_SPHERICAL, {0}, {0}, 0, 4, 3, {0.8, 0.6, 0, 0}, {1, 2, 3}, {1, 2, 3, 0, 0, 0}},
        {DFL_JOINT_FREE,
         {0},
         {0},
         0,
         7,
         6,
         {1, 2, 3, 0.8, 0, 0.6, 0},
         {1, 2, 3, 4, 5, 6},
         {1, 2, 3, 4, 5, 6}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const column_case *k = &cases[i];
        const dfl_rigid_body body = {.name = "b", .mass = 1};
        dfl_joint joint = {.name = "j", .kind = k->kind, .parent = DFL_GROUND, .lead = k->lead};
        memcpy(joint.axis, k->axis, sizeof joint.axis);
        memcpy(joint.axis2, k->axis2, sizeof joint.axis2);
        const dfl_multibody_description d = {
            .nbodies = 1, .njoints = 1, .bodies = &body, .joints = &joint};
        dfl_tree *tree = new_tree(ctx, &d);
        assert_int_equal(dfl_tree_np(tree), k->np);
        assert_int_equal(dfl_tree_nv(tree), k->nv);
        const double origin[3] = {0};
        const dfl_frame frame = dfl_tree_frame(tree, 0, origin, NULL, NULL);
        const dfl_motion m = motion_at(tree, &frame, k->p, k->v, 0.0);
        for (int j = 0; j < 3; j++) { /* R^T omega, R^T v */
            const double column[3] = {m.R[j], m.R[3 + j], m.R[6 + j]};
            assert_near(dot3(column, m.omega), k->twist[j], 1e-14);
            assert_near(dot3(column, m.v), k->twist[3 + j], 1e-14);
        }
        dfl_tree_free(tree);
    }
    dfl_context_free(ctx);
}

/* Derivatives along velocities and with respect to quaternions: Z^+ Z = 1 at any length. */
static void chain_is_a_left_inverse_of_the_kinematics(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 3;
    pair made = pair_of(DFL_JOINT_FREE, DFL_JOINT_SPHERICAL, &seed);
    describe(&made);
    dfl_tree *tree = new_tree(ctx, &made.description);
    enum { NV = 9, NP = 11 };
    double p[NP], A[NV * NV] = {0}, Y[NV * NP] = {0};
    numbers(p, NP, &seed, 1.0); /* quaternions of any length */
    for (int i = 0; i < NV; i++)
        A[i + i * NV] = 1.0;
    dfl_tree_chain(Y, NV, tree, A, NV, NV, p);
    for (int j = 0; j < NV; j++) {
        double v[NV] = {0}, pd[NP], sum;
        v[j] = 1.0;
        dfl_tree_kinematics(pd, tree, p, v);
        for (int i = 0; i < NV; i++) {
            sum = 0.0;
            for (int k = 0; k < NP; k++)
                sum += Y[i + k * NV] * pd[k];
            assert_near(sum, i == j ? 1.0 : 0.0, 1e-14);
        }
    }
    dfl_tree_free(tree);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_of_every_joint_are_rates_of_its_poses),
        cmocka_unit_test(a_driven_joint_moves_as_prescribed),
        cmocka_unit_test(twists_are_those_of_the_table),
        cmocka_unit_test(chain_is_a_left_inverse_of_the_kinematics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
