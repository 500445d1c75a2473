/* Descriptions of trees: what is refused and how, order, merged bodies, ranks, memory. */
#include "failing.h"
#include "trees.h"

#include "multibody/tree_internal.h"

static dfl_rigid_body ball(const char *name)
{
    return (dfl_rigid_body){.name = name, .mass = 1, .inertia = {0.1, 0.1, 0.1}};
}

static dfl_joint hinge(const char *name, int parent, int child)
{
    return (dfl_joint){.name = name,
                       .kind = DFL_JOINT_REVOLUTE,
                       .parent = parent,
                       .child = child,
                       .at = {(double)child, 0, 0},
                       .axis = {0, 0, 1}};
}

/* Two balls on hinges, and a change that makes them impossible. */
typedef struct wrong {
    const char *text; /* in the message */
    void (*change)(dfl_multibody_description *d, dfl_rigid_body *bodies, dfl_joint *joints);
} wrong;

static void negative_mass(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)d, (void)j;
    b[1].mass = -1;
}

static void flat_inertia(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)d, (void)j;
    b[1].inertia[2] = 0.3; /* more than 0.1 + 0.1 */
}

static void mixed_inertia(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)d, (void)j;
    b[1].inertia[3] = 0.2; /* not positive */
}

static void infinite_com(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)d, (void)j;
    b[0].com[1] = INFINITY;
}

static void no_axis(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)d, (void)b;
    j[0].axis[2] = 0;
}

static void skew_axes(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)d, (void)b;
    j[1].kind = DFL_JOINT_UNIVERSAL;
    j[1].axis2[0] = j[1].axis2[2] = 1;
}

static void two_parents(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)d, (void)b;
    j[1].child = 0;
    j[1].parent = 1;
}

static void ring(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)d, (void)b;
    j[0].parent = 1;
}

static void no_joint(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)b, (void)j;
    d->njoints = 1;
}

static void out_of_plane(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)b;
    d->planar = true;
    j[1].kind = DFL_JOINT_SPHERICAL;
}

static void driven_ball(dfl_multibody_description *d, dfl_rigid_body *b, dfl_joint *j)
{
    (void)d, (void)b;
    j[1].kind = DFL_JOINT_SPHERICAL;
    j[1].driven = true;
}

static void impossible_descriptions_are_refused_by_name(void **state)
{
    (void)state;
    const wrong all[] = {{"body 'b': mass is -1", negative_mass},
                         {"body 'b': no body has the inertia", flat_inertia},
                         {"body 'b': no body has the inertia", mixed_inertia},
                         {"body 'a': mass, com and inertia must be finite", infinite_com},
                         {"joint 'ja': axis has length zero", no_axis},
                         {"joint 'jb': the two axes are not perpendicular", skew_axes},
                         {"body 'a' is the child of joint 'ja' and of joint 'jb'", two_parents},
                         {"does not hang on the ground", ring},
                         {"body 'b' has no joint", no_joint},
                         {"joint 'jb': does not stay in the plane", out_of_plane},
                         {"joint 'jb': only revolute, prismatic and screw", driven_ball}};
    dfl_context *ctx = dfl_context_create();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dfl_rigid_body bodies[2] = {ball("a"), ball("b")};
        dfl_joint joints[2] = {hinge("ja", -1, 0), hinge("jb", 0, 1)};
        dfl_multibody_description d = {
            .nbodies = 2, .njoints = 2, .bodies = bodies, .joints = joints};
        dfl_tree *tree = NULL;
        all[i].change(&d, bodies, joints);
        assert_int_equal(dfl_tree_create(&tree, ctx, &d), DFL_INVALID);
        assert_null(tree);
        if (!strstr(dfl_message(ctx), all[i].text))
            fail_msg("'%s' is not in '%s'", all[i].text, dfl_message(ctx));
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* Three bodies on fixed joints are one: the inertia of the whole about the hinge. */
static void fixed_bodies_are_merged(void **state)
{
    (void)state;
    dfl_rigid_body bodies[3] = {ball("a"), ball("b"), ball("c")};
    dfl_joint joints[3] = {hinge("ja", -1, 0), hinge("jb", 0, 1), hinge("jc", 1, 2)};
    joints[1].kind = joints[2].kind = DFL_JOINT_FIXED;
    bodies[1].com[0] = 2;
    bodies[2].com[1] = 3;
    const dfl_multibody_description d = {
        .nbodies = 3, .njoints = 3, .bodies = bodies, .joints = joints};
    dfl_context *ctx = dfl_context_create();
    dfl_tree *tree = new_tree(ctx, &d);
    const double p = 0.3;
    double M;
    assert_int_equal(dfl_tree_nv(tree), 1);
    assert_int_equal(tree->nnodes, 2);
    dfl_tree_place(tree, &p);
    dfl_tree_mass(&M, 1, tree);
    assert_near(M, 0.3 + 4 + 9, 1e-14);
    dfl_tree_free(tree);
    dfl_context_free(ctx);
}

/* Bodies may be described before their parents; coordinates follow the joints. */
static void the_order_of_the_description_does_not_matter(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_rigid_body bodies[3] = {ball("a"), ball("b"), ball("c")};
    dfl_joint forth[3] = {hinge("ja", -1, 0), hinge("jb", 0, 1), hinge("jc", 0, 2)};
    forth[1].axis[0] = forth[2].axis[1] = 0.5;
    const dfl_joint back[3] = {forth[2], forth[1], forth[0]};
    const dfl_multibody_description d = {
        .nbodies = 3, .njoints = 3, .bodies = bodies, .joints = forth, .gravity = {0, -9.81, 0}};
    const dfl_multibody_description e = {
        .nbodies = 3, .njoints = 3, .bodies = bodies, .joints = back, .gravity = {0, -9.81, 0}};
    dfl_tree *one = new_tree(ctx, &d), *two = new_tree(ctx, &e);
    const double p[3] = {0.1, 0.2, 0.3}, v[3] = {1, 2, 3}, tau[3] = {3, 2, 1};
    const double q[3] = {0.3, 0.2, 0.1}, u[3] = {3, 2, 1}, sigma[3] = {1, 2, 3};
    double a[3], b[3];
    dfl_tree_place(one, p);
    dfl_tree_place(two, q);
    dfl_tree_forward(a, NULL, one, v, tau);
    dfl_tree_forward(b, NULL, two, u, sigma);
    for (int i = 0; i < 3; i++)
        assert_near(a[i], b[2 - i], 1e-11);
    assert_int_equal(dfl_tree_joint_v(two, 0), 0);
    assert_string_equal(dfl_tree_joint_name(two, 0), "jc");
    dfl_tree_free(one);
    dfl_tree_free(two);
    dfl_context_free(ctx);
}

/* A universal joint with a massless body, a point mass on three slides, a pendulum behind: the
   joint splits into one direction with mass and one without. */
static void a_universal_joint_may_be_half_massless(void **state)
{
    (void)state;
    dfl_rigid_body bodies[3] = {{.name = "cross"}, {.name = "point", .mass = 1}, ball("bob")};
    dfl_joint joints[3] = {hinge("u", -1, 0), hinge("t", 0, 1), hinge("r", 1, 2)};
    joints[0].kind = DFL_JOINT_UNIVERSAL;
    joints[0].axis2[0] = 1;
    joints[1].kind = DFL_JOINT_TRANSLATION;
    bodies[1].com[0] = bodies[2].com[0] = 2; /* the point on the axis of the pendulum */
    bodies[2].com[1] = -1;
    bodies[2].inertia[0] = bodies[2].inertia[1] = bodies[2].inertia[2] = 0;
    const dfl_multibody_description d = {
        .nbodies = 3, .njoints = 3, .bodies = bodies, .joints = joints};
    dfl_context *ctx = dfl_context_create();
    dfl_tree *tree = new_tree(ctx, &d);
    assert_int_equal(dfl_tree_nv(tree), 6);
    assert_int_equal(dfl_tree_n0(tree), 1);
    assert_int_equal(dfl_tree_joint_of(tree, dfl_tree_massless(tree, 0)), 0);
    dfl_tree_free(tree);
    dfl_context_free(ctx);
}

/* Stretched out, a chain of two slides along one line has no mass across it; near it, it has. */
static void a_singular_position_is_not_taken_for_a_massless_body(void **state)
{
    (void)state;
    dfl_rigid_body bodies[2] = {{.name = "rod"}, {.name = "point", .mass = 1}};
    dfl_joint joints[2] = {hinge("turn", -1, 0), hinge("slide", 0, 1)};
    joints[1].kind = DFL_JOINT_PRISMATIC;
    joints[1].axis[2] = 0;
    joints[1].axis[0] = 1;
    const dfl_multibody_description d = {
        .nbodies = 2, .njoints = 2, .bodies = bodies, .joints = joints};
    dfl_context *ctx = dfl_context_create();
    dfl_tree *tree = new_tree(ctx, &d); /* the point sits on the axis of the hinge */
    const double p[2] = {0, 0};
    const dfl_tree_ranks found = dfl_tree_decide_ranks(tree, p);
    assert_int_equal(found.n0, 0);
    assert_int_equal(found.singular, 1);
    dfl_tree_free(tree);
    bodies[0].inertia[2] = bodies[0].inertia[0] = 1e-8; /* beside a slide of 1 kg m^2 */
    bodies[1].com[0] = 1;
    joints[1].kind = DFL_JOINT_PLANAR;
    joints[1].axis[2] = 1;
    joints[1].axis[0] = 0;
    tree = new_tree(ctx, &d);
    const double q[4] = {0, 0, 0, 0};
    const dfl_tree_ranks small = dfl_tree_decide_ranks(tree, q);
    assert_int_equal(small.negligible, 0);
    assert_between(small.ratio, 1e-10, 1e-6);
    dfl_tree_free(tree);
    dfl_context_free(ctx);
}

/* Slides along x, y and x with a mass at the end: the first x moves no mass of its own. What the
   last slide leaves of the mass along x is rounding, and stays that behind the slide along y. */
static void rounding_is_no_mass_behind_a_regular_joint(void **state)
{
    (void)state;
    dfl_rigid_body bodies[3] = {{.name = "a"}, {.name = "b"}, ball("end")};
    dfl_joint joints[3] = {hinge("x", -1, 0), hinge("y", 0, 1), hinge("again", 1, 2)};
    const double axes[3][3] = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0.6, 0.8, 0}};
    for (int i = 0; i < 3; i++) {
        joints[i].kind = DFL_JOINT_PRISMATIC;
        memcpy(joints[i].axis, axes[i], sizeof axes[i]);
    }
    bodies[2].mass = 0.7;
    const dfl_multibody_description d = {
        .nbodies = 3, .njoints = 3, .bodies = bodies, .joints = joints};
    dfl_context *ctx = dfl_context_create();
    dfl_tree *tree = new_tree(ctx, &d);
    assert_int_equal(dfl_tree_n0(tree), 1);
    assert_int_equal(dfl_tree_massless(tree, 0), 0);
    dfl_tree_free(tree);
    dfl_context_free(ctx);
}

/* Long chains need less than 850 bytes per body and no deep recursion, and every joint moves
   mass. */
static void a_long_chain_is_small(void **state)
{
    (void)state;
    enum { N = 20000 };
    static dfl_rigid_body bodies[N];
    static dfl_joint joints[N];
    static double x[3 * N];
    dfl_context *ctx = dfl_context_create();
    for (int i = 0; i < N; i++) {
        bodies[i] = ball("b");
        joints[i] = hinge("j", i - 1, i);
        joints[i].axis[2] = i % 3 == 2;
        joints[i].axis[i % 3] = 1; /* x, y, z: stiffer than in a plane */
        bodies[i].com[0] = i + 0.5;
    }
    const dfl_multibody_description d = {
        .nbodies = N, .njoints = N, .bodies = bodies, .joints = joints};
    dfl_tree *tree = new_tree(ctx, &d);
    assert_true(tree->bytes < 850 * (size_t)N);
    assert_int_equal(dfl_tree_n0(tree), 0);
    x[0] = 1.0;
    dfl_tree_place(tree, x + N);
    dfl_tree_forward(x + 2 * N, NULL, tree, x + N, x);
    dfl_tree_inverse(x + N, tree, x + N, x + 2 * N);
    assert_near(x[N], 1.0, 1e-6); /* distances of 2e4 m against 0.1 kg m^2 */
    dfl_tree_free(tree);
    dfl_context_free(ctx);
}

static void creation_survives_every_failed_allocation(void **state)
{
    (void)state;
    uint64_t seed = 1;
    random_tree made;
    dfl_context *ctx = dfl_context_create();
    dfl_status status;
    make_random_tree(&made, &seed, true);
    WHILE_ALLOCATIONS_FAIL(status, ctx) {
        dfl_tree *tree = NULL;
        status = dfl_tree_create(&tree, ctx, &made.description);
        dfl_tree_free(tree);
    }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_descriptions_are_refused_by_name),
        cmocka_unit_test(fixed_bodies_are_merged),
        cmocka_unit_test(the_order_of_the_description_does_not_matter),
        cmocka_unit_test(a_universal_joint_may_be_half_massless),
        cmocka_unit_test(a_singular_position_is_not_taken_for_a_massless_body),
        cmocka_unit_test(rounding_is_no_mass_behind_a_regular_joint),
        cmocka_unit_test(a_long_chain_is_small),
        cmocka_unit_test(creation_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
