/* Where forward dynamics has no solution: singular mass matrices, loops that cannot be kept. */
#include "public.h"

#include <stdlib.h>

/* A point mass in polar coordinates: M = diag(r^2, 1), at r = 1 in the drawing. */
static const dfl_rigid_body polar_bodies[2] = {{.name = "arm"},
                                               {.name = "mass", .mass = 1, .com = {1, 0, 0}}};
static const dfl_joint polar_joints[2] = {
    {.name = "turn", .kind = DFL_JOINT_REVOLUTE, .parent = DFL_GROUND, .child = 0},
    {.name = "slide", .kind = DFL_JOINT_PRISMATIC, .parent = 0, .child = 1, .axis = {1, 0, 0}}};
static const dfl_multibody_description polar = {.nbodies = 2,
                                                .njoints = 2,
                                                .bodies = polar_bodies,
                                                .joints = polar_joints,
                                                .planar = true,
                                                .gravity = {0, -9.81, 0}};

/* r^2 phi'' = -g r for phi = 0, r' = 0. The pivot is a difference of numbers of size 1, rounded at
   1e-16: three digits are left of r^2 > 1e-13. */
static void forward_dynamics_is_right_or_says_where_the_mass_matrix_is_singular(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &polar);
    double a[2], A[3][4];
    int refused = 0;
    for (int k = 0; k < 300; k++) {
        const double p[2] = {0, -1 + pow(10, -0.05 * k)}, r = 1 + p[1];
        assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
        const dfl_status status = dfl_multibody_forward(a, NULL, m, NULL);
        assert_true(status == DFL_OK || r < 1e-6);
        if (!status) {
            assert_near(a[0] * r, -9.81, 1e-2);
            continue;
        }
        refused++;
        assert_int_equal(status, DFL_SINGULAR);
        assert_non_null(strstr(dfl_message(ctx), "singular at t = 0: joint 'turn' moves no mass"));
        assert_int_equal(dfl_multibody_forward_slopes(A[0], A[1], A[2], m, NULL), DFL_SINGULAR);
    }
    assert_true(refused > 150); /* from 3e-7 on */
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

static void one_of_several_states_may_be_singular(void **state)
{
    (void)state;
    enum { L = DFL_MULTIBODY_LANES };
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &polar);
    dfl_multibody_lanes *lanes = NULL;
    const double p[2] = {0.3, 0.2}, zero[2] = {0};
    double P[2 * L] = {0.1, 0.2, 0.3, 0.4, 0, 1, -1, 2}, a[2 * L], before[2], after[2];
    assert_int_equal(dfl_multibody_lanes_create(&lanes, m), DFL_OK);
    assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
    assert_int_equal(dfl_multibody_inverse(before, m, zero), DFL_OK);
    assert_int_equal(dfl_multibody_lanes_move(lanes, 0, P, NULL), DFL_OK);
    assert_int_equal(dfl_multibody_lanes_forward(a, lanes, NULL), DFL_SINGULAR);
    assert_non_null(strstr(dfl_message(ctx), "in state 2: joint 'turn'"));
    assert_near(a[0], -9.81 * cos(0.1), 1e-13); /* r = 1; the other states are as they should */
    assert_int_equal(dfl_multibody_inverse(after, m, zero), DFL_OK);
    assert_memory_equal(before, after, sizeof before);
    P[L + 2] = 0;
    assert_int_equal(dfl_multibody_lanes_move(lanes, 0, P, NULL), DFL_OK);
    assert_int_equal(dfl_multibody_lanes_forward(a, lanes, NULL), DFL_OK);
    dfl_multibody_lanes_free(lanes);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* A point mass at the end of an arm of length 1 on two axes: with the second angle at pi/2 it is on
   the first axis. */
static void an_arm_along_its_first_axis_is_singular(void **state)
{
    (void)state;
    const dfl_rigid_body body = {.name = "arm", .mass = 1, .com = {0, 1, 0}};
    const dfl_joint joint = {.name = "two axes",
                             .kind = DFL_JOINT_UNIVERSAL,
                             .parent = DFL_GROUND,
                             .axis = {0, 0, 1},
                             .axis2 = {1, 0, 0}};
    const dfl_multibody_description d = {
        .nbodies = 1, .njoints = 1, .bodies = &body, .joints = &joint};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &d);
    const double tau[2] = {1, 1};
    double a[2], p[2] = {0.3, acos(0.0)};
    assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
    assert_int_equal(dfl_multibody_forward(a, NULL, m, tau), DFL_SINGULAR);
    assert_non_null(strstr(dfl_message(ctx), "joint 'two axes'"));
    p[1] -= 1e-3;
    assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
    assert_int_equal(dfl_multibody_forward(a, NULL, m, tau), DFL_OK);
    assert_near(a[0] * pow(sin(1e-3), 2), 1.0, 1e-9); /* rounding of 1e-16 beside 1e-6 */
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* Chains of thousands of bodies are far from singular, though their inertia grows with the cube of
   the length and the pivots do not. */
static void long_chains_are_not_singular(void **state)
{
    (void)state;
    enum { N = 5000 };
    dfl_context *ctx = dfl_context_create();
    dfl_rigid_body *bodies = calloc(N, sizeof *bodies);
    dfl_joint *joints = calloc(N, sizeof *joints);
    double *p = calloc(N, sizeof *p), *a = calloc(N, sizeof *a);
    for (int i = 0; i < N; i++) {
        bodies[i] = (dfl_rigid_body){.mass = 1, .com = {i + 0.5, 0, 0}, .inertia = {1, 1, 1}};
        joints[i] = (dfl_joint){.kind = DFL_JOINT_REVOLUTE, .parent = i - 1, .child = i};
        joints[i].at[0] = i;
        joints[i].axis[i % 2 ? 1 : 2] = 1;
        p[i] = 0.1 * sin(i);
    }
    const dfl_multibody_description d = {
        .nbodies = N, .njoints = N, .bodies = bodies, .joints = joints, .gravity = {0, 0, -9.81}};
    dfl_multibody *m = new_multibody(ctx, &d);
    for (int k = 0; k < 2; k++) { /* in the drawing straight, then bent */
        assert_int_equal(dfl_multibody_forward(a, NULL, m, NULL), DFL_OK);
        assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
    }
    dfl_multibody_free(m);
    free(bodies);
    free(joints);
    free(p);
    free(a);
    dfl_context_free(ctx);
}

/* ------------------------------------------------------------------ loops */

static double crank_acceleration;

static int both(double *motion, double t, void *user)
{
    (void)t, (void)user;
    memset(motion, 0, 6 * sizeof *motion);
    motion[2] = crank_acceleration;
    motion[5] = 2;
    return 0;
}

/* Crank and rocker of a parallelogram, both driven: the coupler follows if they agree. */
static void a_loop_that_cannot_be_kept_is_named(void **state)
{
    (void)state;
    four_bar made;
    make_four_bar(&made, true);
    made.joint[0].driven = made.joint[2].driven = true;
    made.description.drive = both;
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &made.description);
    double p[1] = {0}, a[1], lambda[2], A[3];
    assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
    assert_int_equal(dfl_multibody_forward(a, lambda, m, NULL), DFL_INCONSISTENT);
    assert_non_null(strstr(dfl_message(ctx), "loop 'pin' cannot be kept"));
    assert_int_equal(dfl_multibody_forward_slopes(A, A + 1, A + 2, m, NULL), DFL_INCONSISTENT);
    crank_acceleration = 2;
    assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
    assert_int_equal(dfl_multibody_forward(a, lambda, m, NULL), DFL_OK);
    assert_near(a[0], -2.0, 1e-13); /* the coupler does not turn */
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* A parallelogram in space at constant speed without gravity: all that is left of the rows that
   depend on each other is rounding, in any position. */
static void rounding_is_not_a_contradiction(void **state)
{
    (void)state;
    four_bar made;
    make_four_bar(&made, false);
    made.description.gravity[1] = 0;
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &made.description);
    for (int k = 0; k < 200; k++) {
        const double q = 0.031 * k, w = pow(10, 4 * sin(k));
        const double p[3] = {q, -q, q}, v[3] = {w, -w, w};
        double a[3];
        assert_int_equal(dfl_multibody_move(m, 0, p, v), DFL_OK);
        if (dfl_multibody_forward(a, NULL, m, NULL))
            fail_msg("q = %g, w = %g: %s", q, w, dfl_message(ctx));
        for (int i = 0; i < 3; i++)
            assert_near(a[i], 0.0, 1e-12 * w * w);
    }
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* Forces and accelerations may share an array, with and without loops. */
static void accelerations_may_replace_forces(void **state)
{
    (void)state;
    four_bar made;
    make_four_bar(&made, true);
    dfl_context *ctx = dfl_context_create();
    for (int nloops = 0; nloops < 2; nloops++) {
        const double q = 0.3, p[3] = {q, -q, q}, tau[3] = {1, 2, 3};
        double a[3], x[3] = {1, 2, 3};
        made.description.nloops = nloops;
        dfl_multibody *m = new_multibody(ctx, &made.description);
        assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
        assert_int_equal(dfl_multibody_forward(a, NULL, m, tau), DFL_OK);
        assert_int_equal(dfl_multibody_forward(x, NULL, m, x), DFL_OK);
        assert_memory_equal(a, x, sizeof a);
        dfl_multibody_free(m);
    }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_dynamics_is_right_or_says_where_the_mass_matrix_is_singular),
        cmocka_unit_test(one_of_several_states_may_be_singular),
        cmocka_unit_test(an_arm_along_its_first_axis_is_singular),
        cmocka_unit_test(long_chains_are_not_singular),
        cmocka_unit_test(a_loop_that_cannot_be_kept_is_named),
        cmocka_unit_test(rounding_is_not_a_contradiction),
        cmocka_unit_test(accelerations_may_replace_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
