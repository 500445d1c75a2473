/* Mechanisms through the solver: massless bodies of every kind with the numbers of independent
   prototypes (fixed-step Radau IIA on hand-written rows), self-checks of all blocks, messages. */
#include "failing.h"
#include "trees.h"
#include "two_masses.h"

#include "multibody/multibody.h"

enum { PARTS = 4 };

/* A chain of bodies, each on the one before, in a plane. */
typedef struct plane_chain {
    dfl_rigid_body body[PARTS];
    dfl_joint joint[PARTS];
    dfl_joint_spring spring[PARTS];
    dfl_multibody_description description;
} plane_chain;

typedef struct part {
    double mass;
    dfl_joint_kind kind;
    double axis[3];
    double stiffness, damping;
} part;

static void make_chain(plane_chain *chain, const part *parts, int n)
{
    static const char *const names[PARTS] = {"one", "two", "three", "four"};
    memset(chain, 0, sizeof *chain);
    for (int i = 0; i < n; i++) {
        chain->body[i] = (dfl_rigid_body){.name = names[i], .mass = parts[i].mass};
        chain->joint[i] =
            (dfl_joint){.name = names[i], .kind = parts[i].kind, .parent = i - 1, .child = i};
        memcpy(chain->joint[i].axis, parts[i].axis, sizeof parts[i].axis);
        chain->spring[i] = (dfl_joint_spring){i, 0, parts[i].stiffness, parts[i].damping, 0.0};
    }
    chain->description = (dfl_multibody_description){.nbodies = n,
                                                     .njoints = n,
                                                     .bodies = chain->body,
                                                     .joints = chain->joint,
                                                     .gravity = {0},
                                                     .planar = true,
                                                     .nsprings = n};
    chain->description.springs = chain->spring;
}

static dfl_multibody *new_mechanism(dfl_context *ctx, const dfl_multibody_description *described,
                                    const double *p0)
{
    dfl_multibody_description d = *described;
    dfl_multibody *m = NULL;
    d.p0 = p0;
    if (dfl_multibody_create(&m, ctx, &d))
        fail_msg("%s", dfl_message(ctx));
    return m;
}

static const dfl_solver_options sharp = {.rtol = 1e-10, .atol = 1e-10, .self_check = true};

/* Arnold (2013), section 2.2, with m1 = 0: two masses in a row. */
static void the_oscillator_without_first_mass_is_followed(void **state)
{
    (void)state;
    const struct {
        double d, p1, p2, v2;
    } cases[] = {{2, -0.004578862976, -0.013718353142, 0.099677978935},
                 {50, 0.004495708023, 0.00453983925, 0.023136757831}};
    dfl_context *ctx = dfl_context_create();
    for (int i = 0; i < 2; i++) {
        two_masses it;
        two_masses_make(&it, 0, cases[i].d);
        dfl_multibody *m = new_mechanism(ctx, &it.description, NULL);
        assert_int_equal(eom_of(m)->n0, 1);
        assert_non_null(eom_of(m)->jacobian);
        const run r = run_with(eom_of(m), 0, two_masses_start, 2, &sharp, NULL);
        assert_succeeded(&r);
        assert_near(r.x[2], cases[i].p1, 1e-8);
        assert_near(r.x[2] + r.x[3], cases[i].p2, 1e-8);
        assert_near(r.x[0] + r.x[1], cases[i].v2, 1e-7);
        dfl_multibody_free(m);
    }
    dfl_context_free(ctx);
}

/* The two planar configurations of Arnold (2013), figure 3, with bodies as point masses. */
static void make_arnold(plane_chain *chain, bool upper, double mi)
{
    const part parts[4] = {{0, DFL_JOINT_PRISMATIC, {1, 0, 0}, 400, 6},
                           {mi, DFL_JOINT_PRISMATIC, {0, 1, 0}, 300, 8},
                           {upper ? 0.0 : 1.0, DFL_JOINT_PRISMATIC, {0, 1, 0}, 0, 0},
                           {1, DFL_JOINT_PRISMATIC, {1, 0, 0}, 200, 3}};
    make_chain(chain, parts, upper ? 4 : 3);
}

static run run_arnold(bool upper, double mi, double t_end)
{
    dfl_context *ctx = dfl_context_create();
    plane_chain chain;
    make_arnold(&chain, upper, mi);
    dfl_multibody *m = new_mechanism(ctx, &chain.description, NULL);
    const int n = upper ? 4 : 3;
    /* consistent with m_i = 0: absolute velocity of body j (0.3, 0) */
    const double vix = upper ? -39.1 / 9 : 0.3;
    const double up[8] = {vix, -3.75, 3.75, 0.3 - vix, 0.1, 0.1, 0.2, 0};
    const double low[6] = {vix, -3.75, 3.75, 0.1, 0.1, 0.2};
    const run r = run_with(eom_of(m), 0, upper ? up : low, t_end, &sharp, NULL);
    assert_succeeded(&r);
    assert_int_equal(eom_of(m)->n0, mi > 0 ? 0 : upper ? 2 : 1);
    assert_int_equal(r.n, 2 * n);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
    return r;
}

static void arnolds_planar_examples_start_consistently(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    for (int upper = 0; upper < 2; upper++) {
        plane_chain chain;
        dfl_massless found;
        dfl_solver *solver = NULL;
        make_arnold(&chain, upper, 0.0);
        dfl_multibody *m = new_mechanism(ctx, &chain.description, NULL);
        const double up[8] = {0.3, 0, 0, 0, 0.1, 0.1, 0.2, 0};
        const double low[6] = {0.3, 0, 0, 0.1, 0.1, 0.2};
        const double *x0 = upper ? up : low;
        const int n = upper ? 4 : 3;
        assert_int_equal(classify(&found, m, x0 + n, x0), DFL_OK);
        assert_int_equal(found.first_order, upper ? 2 : 1);
        assert_false(found.negative_damping);
        assert_int_equal(dfl_solver_create(&solver, ctx, eom_of(m), &sharp), DFL_OK);
        assert_int_equal(dfl_solver_start(solver, 0, x0, NULL), DFL_OK);
        const double *v = dfl_solver_state(solver);
        const double expected[4] = {upper ? -4.34444 : 0.3, -3.75, 3.75, 4.64444};
        for (int i = 0; i < n; i++)
            assert_near(v[i], expected[i], 1e-5);
        dfl_solver_free(solver);
        dfl_multibody_free(m);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* The error of a small mass is 2.17e-2 m_i in the upper, 5.3e-2 m_i in the lower configuration: the
   largest one over the coordinates in relative form. */
static void arnolds_planar_examples_are_limits_of_small_masses(void **state)
{
    (void)state;
    for (int upper = 0; upper < 2; upper++) {
        const int n = upper ? 4 : 3;
        const run limit = run_arnold(upper, 0.0, 0.5);
        const run heavy = run_arnold(upper, 1e-3, 0.5), light = run_arnold(upper, 1e-4, 0.5);
        const double coarse = distance(heavy.x + n, limit.x + n, n);
        const double fine = distance(light.x + n, limit.x + n, n);
        assert_between(coarse / fine, 9.0, 11.0);
        assert_between(fine / 1e-4, upper ? 1.5e-2 : 3.5e-2, upper ? 3e-2 : 7e-2);
    }
}

/* A massless rotor with a unit mass on two slides: K0 = (1, y, -x) turns with the motion. */
static void a_moving_null_space_is_followed(void **state)
{
    (void)state;
    const part parts[3] = {{0, DFL_JOINT_REVOLUTE, {0, 0, 1}, 50, 4},
                           {0, DFL_JOINT_PRISMATIC, {1, 0, 0}, 300, 2},
                           {1, DFL_JOINT_PRISMATIC, {0, 1, 0}, 300, 2}};
    dfl_context *ctx = dfl_context_create();
    plane_chain chain;
    make_chain(&chain, parts, 3);
    const double x0[6] = {0, 1, -0.5, 0.3, 0.7, 0.4};
    dfl_multibody *m = new_mechanism(ctx, &chain.description, x0 + 3);
    const dfl_eom *eom = eom_of(m);
    double K0[3], gam[1];
    dfl_blocks blocks = {.K0 = K0, .gam = gam};
    assert_int_equal(eom->n0, 1);
    assert_int_equal(eom->eval(&blocks, 0, x0, DFL_DIRECTIONS, m), 0);
    assert_near(K0[0], 1.0, 1e-15);
    assert_near(K0[1], 0.4, 1e-14);
    assert_near(K0[2], -0.7, 1e-14);
    const run r = run_with(eom, 0, x0, 1, &sharp, NULL);
    assert_succeeded(&r);
    assert_true(r.stats.max_residual.massless < 1e-9 * 300); /* forces up to 300 N */
    const run start = run_with(eom, 0, x0, 0, &sharp, NULL);
    const run limit = run_with(eom, 0, start.x, 0.1, &sharp, NULL);
    dfl_multibody_free(m);
    double error[2];
    for (int k = 0; k < 2;
         k++) { /* a small rotor, from the same start: first order in its inertia */
        chain.body[0].inertia[2] = k ? 1e-3 : 1e-2;
        m = new_mechanism(ctx, &chain.description, x0 + 3);
        assert_int_equal(eom_of(m)->n0, 0);
        const run small = run_with(eom_of(m), 0, start.x, 0.1, &sharp, NULL);
        assert_succeeded(&small);
        error[k] = distance(small.x + 3, limit.x + 3, 3);
        dfl_multibody_free(m);
    }
    assert_between(error[0] / error[1], 9.0, 11.0);
    dfl_context_free(ctx);
}

/* Slender rods in a plane, crank a = 1, coupler b = 2, rocker c = 2.5, ground 3, cut at the
   coupler's tip; the coupler has no mass and is held by the loop: kind a. */
static const dfl_rigid_body four_bar_bodies[3] = {
    {.name = "crank", .mass = 1, .com = {0.5, 0, 0}, .inertia = {0, 0, 1.0 / 12}},
    {.name = "coupler", .com = {2, 0, 0}},
    {.name = "rocker", .mass = 2, .com = {4.25, 0, 0}, .inertia = {0, 0, 12.5 / 12}}};
static const dfl_joint four_bar_joints[3] = {
    {.name = "j1", .kind = DFL_JOINT_REVOLUTE, .parent = -1, .child = 0, .axis = {0, 0, 1}},
    {.name = "j2",
     .kind = DFL_JOINT_REVOLUTE,
     .parent = 0,
     .child = 1,
     .at = {1, 0, 0},
     .axis = {0, 0, 1}},
    {.name = "j3",
     .kind = DFL_JOINT_REVOLUTE,
     .parent = -1,
     .child = 2,
     .at = {3, 0, 0},
     .axis = {0, 0, 1}}};
static const dfl_loop four_bar_pin = {.name = "pin",
                                      .kind = DFL_JOINT_REVOLUTE,
                                      .a = 2,
                                      .b = 1,
                                      .at = {5.5, 0, 0},
                                      .apart = true,
                                      .at_b = {3, 0, 0}};
static const dfl_multibody_description four_bar = {.nbodies = 3,
                                                   .njoints = 3,
                                                   .bodies = four_bar_bodies,
                                                   .joints = four_bar_joints,
                                                   .gravity = {0, -9.81, 0},
                                                   .planar = true,
                                                   .nloops = 1,
                                                   .loops = &four_bar_pin};
static const double four_bar_start[8] = {0,          0,         2,           -2.7088967,
                                         0.46467184, 1.2845706, -0.60621223, 2.05350884};
static const double four_bar_a[3] = {-0.703825990, 2.242992026, 1.544003622};

static void a_massless_coupler_is_held_by_its_loop(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    const double *x0 = four_bar_start, *a = four_bar_a;
    dfl_multibody *m = new_mechanism(ctx, &four_bar, x0 + 5);
    const dfl_eom *eom = eom_of(m);
    dfl_massless found;
    assert_int_equal(eom->n0, 0);
    assert_int_equal(classify(&found, m, x0 + 5, x0 + 2), DFL_OK);
    assert_int_equal(found.held, 1);
    const run r = run_with(eom, 0, x0, 0, &sharp, NULL);
    assert_succeeded(&r);
    /* rows are in axes of the rocker, the numbers of the prototype in world axes, on the coupler */
    const double c = cos(x0[7]), s = sin(x0[7]);
    assert_near(c * r.x[0] - s * r.x[1], 1.571857008, 1e-6);
    assert_near(s * r.x[0] + c * r.x[1], 1.266837891, 1e-6);
    double W[6] = {0}, bias[2], y[3];
    dfl_blocks blocks = {.W = W, .bias = bias};
    assert_int_equal(eom->eval(&blocks, 0, r.x, DFL_DIRECTIONS | DFL_BIAS, m), 0);
    assert_int_equal(dfl_multibody_move(m, 0, r.x + 5, r.x + 2), DFL_OK);
    assert_int_equal(dfl_multibody_inverse(y, m, a), DFL_OK);
    for (int i = 0; i < 3; i++)
        assert_near(y[i] + W[2 * i] * r.x[0] + W[2 * i + 1] * r.x[1], 0.0, 1e-6);
    for (int i = 0; i < 2; i++)
        assert_near(bias[i] + W[i] * a[0] + W[2 + i] * a[1] + W[4 + i] * a[2], 0.0, 1e-6);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* By how much, per mass, a coupler of mass eps changes the accelerations. */
static double change_by_mass(double eps)
{
    dfl_context *ctx = dfl_context_create();
    dfl_rigid_body heavy[3] = {four_bar_bodies[0], four_bar_bodies[1], four_bar_bodies[2]};
    dfl_multibody_description other = four_bar;
    heavy[1].mass = eps;
    heavy[1].inertia[2] = eps / 3;
    other.bodies = heavy;
    dfl_multibody *m = new_mechanism(ctx, &other, four_bar_start + 5);
    const dfl_eom *eom = eom_of(m);
    const run r = run_with(eom, 0, four_bar_start, 0, &sharp, NULL);
    assert_succeeded(&r);
    double W[6] = {0}, y[3];
    assert_int_equal(eom->eval(&(dfl_blocks){.W = W}, 0, r.x, DFL_DIRECTIONS, m), 0);
    for (int i = 0; i < 3; i++)
        y[i] = -W[2 * i] * r.x[0] - W[2 * i + 1] * r.x[1];
    dfl_tree *tree = new_tree(ctx, &other);
    dfl_tree_place(tree, r.x + 5);
    dfl_tree_forward(y, NULL, tree, r.x + 2, y);
    dfl_tree_free(tree);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
    return distance(y, four_bar_a, 3) / eps;
}

static void a_light_coupler_tends_to_the_massless_one(void **state)
{
    (void)state;
    const double coarse = change_by_mass(1e-4), fine = change_by_mass(1e-5);
    assert_between(coarse, 1.5, 6.0); /* 2.9 */
    assert_near(fine / coarse, 1.0, 0.05);
}

/* wall - spring - node - spring - node - spring - 1 kg: two massless nodes in a row. */
static void two_massless_nodes_in_a_row_are_of_first_order(void **state)
{
    (void)state;
    const part parts[3] = {{0, DFL_JOINT_PRISMATIC, {1, 0, 0}, 100, 3},
                           {0, DFL_JOINT_PRISMATIC, {1, 0, 0}, 150, 2},
                           {1, DFL_JOINT_PRISMATIC, {1, 0, 0}, 200, 4}};
    const double x0[6] = {0, 0, 0, 0.02, 0.03, 0.05};
    dfl_context *ctx = dfl_context_create();
    plane_chain chain;
    dfl_massless found;
    run end[3], start = {0};
    for (int k = 0; k < 3; k++) {
        const double mass = k == 0 ? 0.0 : k == 1 ? 1e-4 : 1e-5;
        make_chain(&chain, parts, 3);
        chain.body[0].mass = chain.body[1].mass = mass;
        dfl_multibody *m = new_mechanism(ctx, &chain.description, NULL);
        assert_int_equal(eom_of(m)->n0, k == 0 ? 2 : 0);
        assert_int_equal(classify(&found, m, x0 + 3, x0), DFL_OK);
        assert_int_equal(found.first_order, k == 0 ? 2 : 0);
        if (k == 0)
            start = run_with(eom_of(m), 0, x0, 0, &sharp, NULL);
        end[k] = run_with(eom_of(m), 0, start.x, 0.5, &sharp, NULL);
        assert_succeeded(&end[k]);
        dfl_multibody_free(m);
    }
    const double coarse = distance(end[1].x + 3, end[0].x + 3, 3);
    const double fine = distance(end[2].x + 3, end[0].x + 3, 3);
    assert_between(coarse / fine, 9.0, 11.0); /* first order in the masses */
    dfl_context_free(ctx);
}

/* Without dampers the node is determined by springs only, without springs by nothing. */
static void directions_without_damping_are_refused_by_name(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    const double p[2] = {0.1, 0.2}, v[2] = {0};
    for (int springs = 0; springs < 2; springs++) {
        const double c = springs ? 400 : 0;
        const part parts[2] = {{0, DFL_JOINT_PRISMATIC, {1, 0, 0}, c, 0},
                               {1, DFL_JOINT_PRISMATIC, {1, 0, 0}, c, 0}};
        plane_chain chain;
        dfl_massless found;
        make_chain(&chain, parts, 2);
        dfl_multibody *m = new_mechanism(ctx, &chain.description, NULL);
        assert_int_equal(classify(&found, m, p, v), DFL_SINGULAR);
        assert_int_equal(found.quasistatic, springs);
        assert_int_equal(found.undetermined, !springs);
        const char *message = dfl_message(ctx);
        assert_non_null(strstr(message, "joint 'one' moves only the massless bodies 'one'"));
        assert_non_null(strstr(message, "1.00*der(one.q) -1.00*der(two.q)"));
        assert_non_null(strstr(message, "add a damper"));
        assert_int_equal(strstr(message, "undetermined") == NULL, springs);
        dfl_multibody_free(m);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void negative_damping_is_noticed(void **state)
{
    (void)state;
    const part parts[2] = {{0, DFL_JOINT_PRISMATIC, {1, 0, 0}, 100, -2},
                           {1, DFL_JOINT_PRISMATIC, {1, 0, 0}, 100, -1}};
    const double p[2] = {0.1, 0.2}, v[2] = {0};
    dfl_context *ctx = dfl_context_create();
    plane_chain chain;
    dfl_massless found;
    make_chain(&chain, parts, 2);
    dfl_multibody *m = new_mechanism(ctx, &chain.description, NULL);
    assert_int_equal(classify(&found, m, p, v), DFL_OK);
    assert_true(found.negative_damping);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* A massless node on a circle, joined to a mass by springs and dampers: one direction is held by
   the circle, along it the node is of first order (kinds a and b at once). */
static void a_massless_node_on_a_circle_is_held_and_damped(void **state)
{
    (void)state;
    const part parts[4] = {{0, DFL_JOINT_PRISMATIC, {1, 0, 0}, 0, 1},
                           {0, DFL_JOINT_PRISMATIC, {0, 1, 0}, 0, 1},
                           {0, DFL_JOINT_PRISMATIC, {1, 0, 0}, 100, 3},
                           {1, DFL_JOINT_PRISMATIC, {0, 1, 0}, 80, 2}};
    const dfl_loop rod = {.name = "circle",
                          .kind = DFL_JOINT_DISTANCE,
                          .a = DFL_GROUND,
                          .b = 1,
                          .apart = true,
                          .length = 1};
    const double x0[9] = {0, 0, 0, 0.2, 0, 0.8, 0.6, 0.3, -0.1};
    dfl_context *ctx = dfl_context_create();
    plane_chain chain;
    dfl_massless found;
    run end[3], start = {0};
    for (int k = 0; k < 3; k++) {
        make_chain(&chain, parts, 4);
        chain.description.nloops = 1;
        chain.description.loops = &rod;
        chain.body[1].mass = k == 0 ? 0.0 : k == 1 ? 1e-3 : 1e-4;
        dfl_multibody *m = new_mechanism(ctx, &chain.description, x0 + 5);
        const dfl_eom *eom = eom_of(m);
        assert_int_equal(classify(&found, m, x0 + 5, x0 + 1), DFL_OK);
        assert_int_equal(found.held, k == 0);
        assert_int_equal(eom->n0, k == 0);
        if (k == 0)
            start = run_with(eom, 0, x0, 0, &sharp, NULL);
        end[k] = run_with(eom, 0, start.x, 0.5, &sharp, NULL);
        assert_succeeded(&end[k]);
        assert_true(end[k].stats.max_residual.position < 1e-10);
        dfl_multibody_free(m);
    }
    const double coarse = distance(end[1].x + 5, end[0].x + 5, 4);
    const double fine = distance(end[2].x + 5, end[0].x + 5, 4);
    assert_between(coarse / fine, 8.0, 12.0);
    dfl_context_free(ctx);
}

/* Every block and derivative of random trees with quaternions, massless bodies and dampers,
   compared with differences by the self-check of the solver. */
static void blocks_of_random_trees_pass_the_self_check(void **state)
{
    (void)state;
    uint64_t seed = 42;
    dfl_context *ctx = dfl_context_create();
    const dfl_solver_options options = {.rtol = 1e-6, .self_check = true};
    for (int i = 0; i < 20; i++) {
        random_tree made;
        dfl_joint_spring springs[TREE_MOST];
        int nsprings = 0;
        make_random_tree(&made, &seed, false);
        made.description.nbodies = made.description.njoints = 4; /* few enough for RUN_MOST */
        for (int j = 0; j < 4; j++) {
            if (made.joint[j].kind == DFL_JOINT_REVOLUTE || made.joint[j].kind == DFL_JOINT_PLANAR)
                springs[nsprings++] = (dfl_joint_spring){j, 0, 50, 4, 0.1};
            if (made.joint[j].kind == DFL_JOINT_PRISMATIC && made.joint[j].parent != j - 1)
                springs[nsprings++] = (dfl_joint_spring){j, 0, 50, 4, 0.1};
        }
        dfl_multibody_description d = made.description;
        d.nsprings = nsprings;
        d.springs = springs;
        dfl_tree *tree = new_tree(ctx, &d);
        dfl_multibody *m = new_mechanism(ctx, &d, NULL);
        const dfl_eom *eom = eom_of(m);
        double x0[2 * TREE_MOST];
        numbers(x0, eom->nv, &seed, 0.5);
        random_place(x0 + eom->nv, tree, &seed);
        dfl_tree_free(tree);
        if (eom->nv > 0) {
            const run r = run_with(eom, 0, x0, 0.01, &options, NULL);
            assert_succeeded(&r);
        }
        dfl_multibody_free(m);
    }
    dfl_context_free(ctx);
}

/* A spatial four-bar with a spherical joint as cut; energy is conserved, all constraints are
   kept. */
static void a_spatial_loop_keeps_energy_and_constraints(void **state)
{
    (void)state;
    const dfl_rigid_body bodies[3] = {
        {.name = "a", .mass = 1, .com = {0, 0.5, 0}, .inertia = {0.1, 0.01, 0.1}},
        {.name = "b", .mass = 2, .com = {1, 1, 0.2}, .inertia = {0.02, 0.3, 0.3}},
        {.name = "c", .mass = 1.5, .com = {2, 0.6, 0.1}, .inertia = {0.1, 0.02, 0.1}}};
    const dfl_joint joints[3] = {
        {.name = "j1", .kind = DFL_JOINT_REVOLUTE, .parent = -1, .child = 0, .axis = {0, 0.2, 1}},
        {.name = "j2", .kind = DFL_JOINT_SPHERICAL, .parent = 0, .child = 1, .at = {0, 1, 0}},
        {.name = "j3",
         .kind = DFL_JOINT_REVOLUTE,
         .parent = -1,
         .child = 2,
         .at = {2, 0, 0},
         .axis = {0.1, 0, 1}}};
    const dfl_loop loop = {.name = "ball",
                           .kind = DFL_JOINT_UNIVERSAL,
                           .a = 1,
                           .b = 2,
                           .at = {2, 1.3, 0.3},
                           .axis = {0, 0, 1},
                           .axis2 = {1, 0, 0}};
    const dfl_multibody_description d = {.nbodies = 3,
                                         .njoints = 3,
                                         .bodies = bodies,
                                         .joints = joints,
                                         .gravity = {0, -9.81, 0},
                                         .planar = false,
                                         .nloops = 1,
                                         .loops = &loop};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_mechanism(ctx, &d, NULL);
    const dfl_eom *eom = eom_of(m);
    dfl_tree *tree = new_tree(ctx, &d);
    double x0[15] = {0}, e[2];
    x0[9 + 1] = 1.0; /* quaternion; p = (q1, e0..e3, q3) after 4 multipliers and 5 velocities */
    x0[4] = 1.0;
    const run first = run_with(eom, 0, x0, 0, &sharp, NULL);
    const run last = run_with(eom, 0, x0, 2, &sharp, NULL);
    assert_succeeded(&last);
    assert_true(last.stats.max_residual.position < 1e-10);
    assert_true(last.stats.max_residual.velocity < 1e-9);
    for (int k = 0; k < 2; k++)
        e[k] = tree_energy(tree, &d, (k ? &last : &first)->x + 9, (k ? &last : &first)->x + 4);
    dfl_tree_free(tree);
    assert_near(e[1], e[0], 1e-6);
    dfl_multibody_free(m);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void creation_survives_every_failed_allocation(void **state)
{
    (void)state;
    const part parts[2] = {{0, DFL_JOINT_PRISMATIC, {1, 0, 0}, 100, 2},
                           {1, DFL_JOINT_PRISMATIC, {1, 0, 0}, 100, 1}};
    const dfl_loop rod = {.name = "rod", .kind = DFL_JOINT_REVOLUTE, .a = -1, .b = 1};
    plane_chain chain;
    dfl_context *ctx = dfl_context_create();
    dfl_status status;
    make_chain(&chain, parts, 2);
    chain.description.nloops = 1;
    chain.description.loops = &rod;
    WHILE_ALLOCATIONS_FAIL(status, ctx) {
        dfl_multibody *m = NULL;
        status = dfl_multibody_create(&m, ctx, &chain.description);
        dfl_multibody_free(m);
    }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oscillator_without_first_mass_is_followed),
        cmocka_unit_test(arnolds_planar_examples_start_consistently),
        cmocka_unit_test(arnolds_planar_examples_are_limits_of_small_masses),
        cmocka_unit_test(a_moving_null_space_is_followed),
        cmocka_unit_test(two_massless_nodes_in_a_row_are_of_first_order),
        cmocka_unit_test(directions_without_damping_are_refused_by_name),
        cmocka_unit_test(negative_damping_is_noticed),
        cmocka_unit_test(a_massless_coupler_is_held_by_its_loop),
        cmocka_unit_test(a_light_coupler_tends_to_the_massless_one),
        cmocka_unit_test(a_massless_node_on_a_circle_is_held_and_damped),
        cmocka_unit_test(blocks_of_random_trees_pass_the_self_check),
        cmocka_unit_test(a_spatial_loop_keeps_energy_and_constraints),
        cmocka_unit_test(creation_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
