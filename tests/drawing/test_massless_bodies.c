/* Bodies without mass in mechanism scripts: the numbers of independent prototypes (fixed-step Radau
   IIA on hand-written rows, and Arnold 2013), limits of small masses, and the numeric
   recursions. */
#include "../scripted.h"
#include "drawn.h"

#include "multibody/multibody.h"

static const dfl_solver_options sharp = {.rtol = 1e-10, .atol = 1e-10, .self_check = true};

/* Sets parameters in front of a text and loads it. */
static scripted load(const char *parameters, const char *text)
{
    char whole[3000];
    const int length = snprintf(whole, sizeof whole, "%s%s", parameters, text);
    assert_true(length > 0 && (size_t)length < sizeof whole);
    return scripted_text(whole);
}

/* Start and end of a run; the start may be that of another model with the same unknowns. */
static void run_from(double *end, scripted *s, const double *start, double t_end)
{
    const dfl_layout at = dfl_eom_layout(dfl_runnable_eom(s->run));
    for (int i = at.v; start && i < s->eq->n; i++)
        scripted_give(s, s->eq->x[i].name, start[i], false);
    scripted_start(s, &sharp);
    if (t_end > 0.0)
        scripted_advance(s, t_end);
    memcpy(end, s->x, (size_t)s->eq->n * sizeof *end);
}

/* The distance of positions from those of the massless model, both from the start of that one, for
   a mass or inertia `small`; `text` takes it as m. */
static double distance_from_limit(const char *text, double small, double t_end, int n0)
{
    char parameters[60];
    double start[40], limit[40], end[40];
    scripted s = load("local m = 0\n", text);
    const int np = s.eq->np, n = s.eq->n;
    assert_int_equal(s.eq->n0, n0);
    run_from(start, &s, NULL, 0.0);
    run_from(limit, &s, start, t_end);
    assert_true(dfl_solver_statistics(s.solver).max_residual.massless < 1e-6);
    assert_true(dfl_solver_statistics(s.solver).max_residual.position < 1e-9);
    scripted_free(&s);
    snprintf(parameters, sizeof parameters, "local m = %.17g\n", small);
    s = load(parameters, text);
    assert_int_equal(s.eq->n0, 0);
    assert_int_equal(s.eq->n, n);
    run_from(end, &s, start, t_end);
    scripted_free(&s);
    return distance(end + n - np, limit + n - np, np);
}

/* Ten times smaller masses have ten times smaller effects; the smaller one, as a multiple of its
   mass. */
static double first_order_of(const char *text, double t_end, int n0)
{
    const double coarse = distance_from_limit(text, 1e-3, t_end, n0);
    const double fine = distance_from_limit(text, 1e-4, t_end, n0);
    assert_between(coarse / fine, 8.5, 11.5);
    return fine / 1e-4;
}

/* ------------------------------------------------------------------ trees */

static const char oscillator[] =
    "planar()\n"
    "local one, two = body('one'), body('two', { mass = 1 })\n"
    "local a = prismatic('a', ground, one, { at = {0, 0}, axis = {1, 0} })\n"
    "local b = prismatic('b', one, two, { at = {0, 0}, axis = {1, 0} })\n"
    "force(a.q, 50*sin(10*time) - 1e4*a.q - d*a.qd)\n"
    "force(b.q, -1e4*b.q - d*b.qd)\n"
    "initial{ [a.q] = 0.02, [b.q] = 0.03 }\n";

/* Arnold (2013), section 2.2, with m1 = 0: two masses in a row, the second one on the first. */
static void the_oscillator_without_first_mass_is_followed(void **state)
{
    (void)state;
    const struct {
        const char *d;
        double p1, p2, v2;
    } cases[] = {{"local d = 2\n", -0.004578862976, -0.013718353142, 0.099677978935},
                 {"local d = 50\n", 0.004495708023, 0.00453983925, 0.023136757831}};
    for (int i = 0; i < 2; i++) {
        scripted s = load(cases[i].d, oscillator);
        assert_int_equal(s.eq->n0, 1);
        scripted_start(&s, &sharp);
        assert_near(scripted_value(&s, "der(a.q)") + scripted_value(&s, "der(b.q)"), 0.0, 1e-8);
        scripted_advance(&s, 2.0);
        assert_near(scripted_value(&s, "a.q"), cases[i].p1, 1e-8);
        assert_near(scripted_value(&s, "a.q") + scripted_value(&s, "b.q"), cases[i].p2, 1e-8);
        assert_near(scripted_value(&s, "der(a.q)") + scripted_value(&s, "der(b.q)"), cases[i].v2,
                    1e-7);
        scripted_free(&s);
    }
}

/* The two planar configurations of Arnold (2013), figure 3, with bodies as point masses. */
static const char upper[] =
    "planar()\n"
    "local slide, i = body('slide'), body('i', { mass = m })\n"
    "local lift, j = body('lift'), body('j', { mass = 1 })\n"
    "local ix = prismatic('ix', ground, slide, { at = {0, 0}, axis = {1, 0} })\n"
    "local iy = prismatic('iy', slide, i, { at = {0, 0}, axis = {0, 1} })\n"
    "local jy = prismatic('jy', i, lift, { at = {0, 0}, axis = {0, 1} })\n"
    "local jx = prismatic('jx', lift, j, { at = {0, 0}, axis = {1, 0} })\n"
    "force(ix.q, -400*ix.q - 6*ix.qd)\n"
    "force(iy.q, -300*iy.q - 8*iy.qd)\n"
    "force(jx.q, -200*jx.q - 3*jx.qd)\n"
    "guess{ [ix.q] = 0.1, [iy.q] = 0.1, [jy.q] = 0.2, [jx.q] = 0, [ix.qd] = 0.3 }\n";
static const char lower[] =
    "planar()\n"
    "local slide, i, j = body('slide'), body('i', { mass = m }), body('j', { mass = 1 })\n"
    "local ix = prismatic('ix', ground, slide, { at = {0, 0}, axis = {1, 0} })\n"
    "local iy = prismatic('iy', slide, i, { at = {0, 0}, axis = {0, 1} })\n"
    "local jy = prismatic('jy', i, j, { at = {0, 0}, axis = {0, 1} })\n"
    "force(ix.q, -400*ix.q - 6*ix.qd)\n"
    "force(iy.q, -300*iy.q - 8*iy.qd)\n"
    "guess{ [ix.q] = 0.1, [iy.q] = 0.1, [jy.q] = 0.2, [ix.qd] = 0.3 }\n";

static void arnolds_planar_examples_start_consistently(void **state)
{
    (void)state;
    static const char *const names[4] = {"der(ix.q)", "der(iy.q)", "der(jy.q)", "der(jx.q)"};
    for (int up = 0; up < 2; up++) {
        const double expected[4] = {up ? -4.34444 : 0.3, -3.75, 3.75, 4.64444};
        scripted s = load("local m = 0\n", up ? upper : lower);
        assert_int_equal(s.eq->n0, up ? 2 : 1);
        scripted_start(&s, &sharp);
        for (int k = 0; k < (up ? 4 : 3); k++)
            assert_near(scripted_value(&s, names[k]), expected[k], 1e-5);
        scripted_free(&s);
    }
}

/* 2.17e-2 m_i and 5.3e-2 m_i over all coordinates and velocities of the prototype, here positions
   alone. */
static void arnolds_planar_examples_are_limits_of_small_masses(void **state)
{
    (void)state;
    assert_between(first_order_of(upper, 0.5, 2), 1.5e-2, 3e-2);
    assert_between(first_order_of(lower, 0.5, 1), 3.5e-2, 7e-2);
}

/* A massless rotor with a unit mass on two slides: K0 = (1, y, -x) turns with the motion. */
static const char rotor[] =
    "planar()\n"
    "local wheel = body('wheel', { inertia = {0, 0, m} })\n"
    "local slide, load = body('slide'), body('load', { mass = 1 })\n"
    "local turn = revolute('turn', ground, wheel, { at = {0, 0} })\n"
    "local x = prismatic('x', wheel, slide, { at = {0, 0}, axis = {1, 0} })\n"
    "local y = prismatic('y', slide, load, { at = {0, 0}, axis = {0, 1} })\n"
    "force(turn.q, -50*turn.q - 4*turn.qd)\n"
    "force(x.q, -300*x.q - 2*x.qd)\n"
    "force(y.q, -300*y.q - 2*y.qd)\n"
    "guess{ [turn.q] = 0.3, [x.q] = 0.7, [y.q] = 0.4, [x.qd] = 1, [y.qd] = -0.5 }\n";

static void a_moving_null_space_is_followed(void **state)
{
    (void)state;
    scripted s = load("local m = 0\n", rotor);
    const dfl_eom *eom = dfl_runnable_eom(s.run);
    double K0[3] = {0}, W[1] = {0};
    scripted_start(&s, &sharp);
    assert_int_equal(eom->n0, 1);
    assert_int_equal(
        eom->eval(&(dfl_blocks){.K0 = K0, .W = W}, 0.0, s.x, DFL_DIRECTIONS, eom->user), 0);
    assert_near(K0[0], 1.0, 0.0);
    assert_near(K0[1], 0.4, 1e-15);
    assert_near(K0[2], -0.7, 1e-15);
    scripted_free(&s);
    first_order_of(rotor, 0.1, 1);
}

/* A massless body on a universal joint, a point mass on three slides, and a pendulum on it: the
   joint has one direction with and one without mass. */
static const char spatial[] =
    "gravity{0, 0, -9.81}\n"
    "local cross = body('cross', { inertia = {m, m, m} })\n"
    "local knot = body('knot', { mass = 1, com = {0.5, 0.1, -0.4} })\n"
    "local bob = body('bob', { mass = 0.5, com = {0.5, 0.1, -1}, inertia = {0.02, 0.02, 0.01} })\n"
    "local u = universal('u', ground, cross, { at = {0, 0, 0}, axis = {1, 0, 0}, axis2 = {0, 1, 0} "
    "})\n"
    "local t = translation('t', cross, knot, { at = {0.5, 0.1, -0.4} })\n"
    "local r = revolute('r', knot, bob, { at = {0.5, 0.1, -0.4}, axis = {0, 1, 0} })\n"
    "force(u.q1, -40*u.q1 - 5*u.qd1)\n"
    "force(u.q2, -30*u.q2 - 4*u.qd2)\n"
    "force(t.q1, -300*t.q1 - 2*t.qd1)\n"
    "force(t.q2, -300*t.q2 - 2*t.qd2)\n"
    "force(t.q3, -300*t.q3 - 2*t.qd3)\n"
    "guess{ [u.q1] = 0.1, [u.q2] = -0.2, [t.q1] = 0.05, [r.q] = 0.3, [r.qd] = 1 }\n";

static void a_spatial_chain_has_massless_directions_within_a_joint(void **state)
{
    (void)state;
    scripted s = load("local m = 0\n", spatial);
    const int n0 = s.eq->n0;
    assert_between(n0, 1, 2);
    scripted_free(&s);
    first_order_of(spatial, 0.3, n0);
}

/* wall - spring - node - spring - node - spring - 1 kg */
static const char nodes[] =
    "planar()\n"
    "local one, two, three = body('one', { mass = m }), body('two', { mass = m }), body('three', { "
    "mass = 1 })\n"
    "local a = prismatic('a', ground, one, { at = {0, 0}, axis = {1, 0} })\n"
    "local b = prismatic('b', one, two, { at = {0, 0}, axis = {1, 0} })\n"
    "local c = prismatic('c', two, three, { at = {0, 0}, axis = {1, 0} })\n"
    "force(a.q, -100*a.q - 3*a.qd)\n"
    "force(b.q, -150*b.q - 2*b.qd)\n"
    "force(c.q, -200*c.q - 4*c.qd)\n"
    "guess{ [a.q] = 0.02, [b.q] = 0.03, [c.q] = 0.05 }\n";

static void two_massless_nodes_in_a_row_are_of_first_order(void **state)
{
    (void)state;
    assert_between(first_order_of(nodes, 0.5, 2), 1e-3, 5e-2);
}

/* ------------------------------------------------------------------ loops */

/* Slender rods, crank 1, coupler 2, rocker 2.5, ground 3, cut at the coupler's tip: the coupler has
   no mass and is held by the loop. */
static const char four_bar[] =
    "planar() gravity{0, -9.81}\n"
    "local crank = body('crank', { mass = 1, com = {0.5, 0}, inertia = {0, 0, 1/12} })\n"
    "local coupler = body('coupler', { com = {2, 0} })\n"
    "local rocker = body('rocker', { mass = 2, com = {4.25, 0}, inertia = {0, 0, 12.5/12} })\n"
    "local j1 = revolute('j1', ground, crank, { at = {0, 0} })\n"
    "local j2 = revolute('j2', crank, coupler, { at = {1, 0} })\n"
    "local j3 = revolute('j3', ground, rocker, { at = {3, 0} })\n"
    "revolute('pin', rocker, coupler, { at = {5.5, 0}, at_b = {3, 0} })\n"
    "initial{ [j1.q] = 1.2845706, [j1.qd] = 2 }\n"
    "guess{ [j2.q] = -0.60621223, [j3.q] = 2.05350884 }\n";

static void a_massless_coupler_is_held_by_its_loop(void **state)
{
    (void)state;
    scripted s = scripted_text(four_bar);
    const dfl_eom *eom = dfl_runnable_eom(s.run);
    assert_int_equal(eom->n0, 0);
    scripted_start(&s, &sharp);
    assert_near(scripted_value(&s, "der(j2.q)"), -2.7088967, 1e-6);
    assert_near(scripted_value(&s, "der(j3.q)"), 0.46467184, 1e-6);
    /* rows are in axes of the rocker, the numbers of the prototype in world axes, on the coupler */
    const double q = scripted_value(&s, "j3.q"), c = cos(q), d = sin(q);
    assert_near(c * s.x[0] - d * s.x[1], 1.571857008, 1e-6);
    assert_near(d * s.x[0] + c * s.x[1], 1.266837891, 1e-6);
    const double a[3] = {-0.703825990, 2.242992026, 1.544003622};
    double W[6] = {0}, bias[2], M[9] = {0}, f[3];
    dfl_blocks blocks = {.W = W, .bias = bias, .f = f};
    const unsigned need = DFL_DIRECTIONS | DFL_BIAS | DFL_FORCE;
    assert_int_equal(eom->eval(&blocks, 0, s.x, need, eom->user), 0);
    assert_int_equal(eom->mass(M, 0, s.x, eom->user), 0);
    assert_true(eom->mass_diagonal); /* two bars apart from each other, and nothing */
    for (int i = 0; i < 3; i++)
        assert_near(M[i] * a[i] - f[i] + W[2 * i] * s.x[0] + W[2 * i + 1] * s.x[1], 0.0, 1e-6);
    for (int i = 0; i < 2; i++)
        assert_near(bias[i] + W[i] * a[0] + W[2 + i] * a[1] + W[4 + i] * a[2], 0.0, 1e-6);
    scripted_advance(&s, 0.5);
    assert_true(dfl_solver_statistics(s.solver).max_residual.position < 1e-10);
    scripted_free(&s);
}

/* Crank and rocker with crossed axes, joined by a rod on balls; the one at the crank is a universal
   joint, so that the rod cannot spin. */
#define CROSSED(joint)                                                                             \
    "gravity{0, 0, -9.81}\n"                                                                       \
    "local crank = body('crank', { mass = 1, com = {0, 0.5, 0}, inertia = {0.08, 0.01, 0.08} })\n" \
    "local rod = body('rod', { mass = m, com = {1, 1.5, 0.25}, inertia = {m, m, m} })\n"           \
    "local rocker = body('rocker', { mass = 2, com = {2, 1, 0.25}, inertia = {0.7, 0.1, 0.7} })\n" \
    "local a = revolute('a', ground, crank, { at = {0, 0, 0}, axis = {0, 0, 1} })\n" joint         \
    "local c = revolute('c', ground, rocker, { at = {2, 0, 0}, axis = {1, 0, 0} })\n"              \
    "spherical('ball', rocker, rod, { at = {2, 2, 0.5} })\n"                                       \
    "guess{ [a.qd] = 1 }\n"

static void a_massless_rod_in_space_is_held_by_its_loop(void **state)
{
    (void)state;
    first_order_of(CROSSED("universal('b', crank, rod, { at = {0, 1, 0}, axis = {1, -2, 0}, "
                           "axis2 = {0.5, 0.25, -2.5} })\n"),
                   0.5, 0);
}

/* A massless node on a circle, joined to a mass by springs and dampers: one direction is held,
   along the circle the node is of first order. */
static const char circle[] =
    "planar()\n"
    "local slide, node = body('slide'), body('node', { mass = m })\n"
    "local other, load = body('other'), body('load', { mass = 1 })\n"
    "local x = prismatic('x', ground, slide, { at = {0, 0}, axis = {1, 0} })\n"
    "local y = prismatic('y', slide, node, { at = {0, 0}, axis = {0, 1} })\n"
    "local u = prismatic('u', node, other, { at = {0, 0}, axis = {1, 0} })\n"
    "local v = prismatic('v', other, load, { at = {0, 0}, axis = {0, 1} })\n"
    "distance('circle', ground, node, { at = {0, 0}, at_b = {0, 0}, length = 1 })\n"
    "force(x.q, -x.qd)\n"
    "force(y.q, -y.qd)\n"
    "force(u.q, -100*u.q - 3*u.qd)\n"
    "force(v.q, -80*v.q - 2*v.qd)\n"
    "guess{ [x.q] = 0.8, [y.q] = 0.6, [u.q] = 0.3, [v.q] = -0.1, [v.qd] = 0.2 }\n";

static void a_massless_node_on_a_circle_is_held_and_damped(void **state)
{
    (void)state;
    first_order_of(circle, 0.5, 1);
}

/* ------------------------------------------------------------------ quasistatic */

/* wall - spring - node - spring - 1 kg, without dampers: p2 at t = 1 misses the limit by 0.44 m1
   (started where the node is in balance). */
static void a_quasistatic_node_is_the_limit_of_small_masses(void **state)
{
    (void)state;
    static const char text[] =
        "planar()\n"
        "local one, two = body('one', { mass = m, quasistatic = true }), body('two', { mass = 1 "
        "})\n"
        "local a = prismatic('a', ground, one, { at = {0, 0}, axis = {1, 0} })\n"
        "local b = prismatic('b', one, two, { at = {0, 0}, axis = {1, 0} })\n"
        "force(a.q, 50*sin(10*time) - 1e4*a.q)\n"
        "force(b.q, -1e4*b.q)\n"
        "guess{ [b.q] = 0.025, [a.q] = 0.025 }\n";
    double start[8], limit[8], end[2][8];
    scripted s = load("local m = 0\n", text);
    assert_int_equal(s.eq->n0, 0);
    assert_int_equal(s.eq->nl, 1);
    run_from(start, &s, NULL, 0.0);
    assert_near(start[3], start[4], 1e-12); /* both springs carry the same force */
    run_from(limit, &s, start, 1.0);
    assert_near(scripted_value(&s, "lambda(a.q.balance)"), 0.0, 1e-9);
    scripted_free(&s);
    for (int k = 0; k < 2; k++) {
        s = load(k ? "local m = 1e-4\n" : "local m = 1e-3\n", text);
        assert_int_equal(s.eq->nl, 0);
        for (int i = 0; i < 4; i++)
            scripted_give(&s, s.eq->x[i].name, start[1 + i], false);
        scripted_run(&s, 1.0, 1e-9);
        memcpy(end[k] + 1, s.x, 4 * sizeof(double));
        scripted_free(&s);
    }
    const double p2 = limit[3] + limit[4];
    const double coarse = fabs(end[0][3] + end[0][4] - p2), fine = fabs(end[1][3] + end[1][4] - p2);
    assert_between(fine / 1e-4, 0.2, 0.7);
    assert_between(coarse / fine, 5.0, 20.0);
}

/* ------------------------------------------------------------------ the numeric way */

/* M K0 = 0 with the numeric M, as many directions as the recursions find, and gam = K0^T f. */
static void check_directions(const drawn *d, dfl_tree *tree, uint64_t *seed)
{
    static double M[TREE_MOST * TREE_MOST], K0[TREE_MOST * TREE_MOST], W[1];
    double x[3 * TREE_MOST] = {0}, f[TREE_MOST], gam[TREE_MOST], rest[TREE_MOST];
    const dfl_eom *eom = dfl_runnable_eom(d->run);
    const int nv = eom->nv, n0 = eom->n0;
    numbers(x, nv, seed, 1.0);
    random_place(x + nv, tree, seed);
    dfl_tree_place(tree, x + nv);
    dfl_tree_mass(M, nv, tree);
    memset(K0, 0, sizeof K0);
    dfl_blocks out = {.f = f, .K0 = K0, .gam = gam, .W = W, .e = rest};
    assert_int_equal(eom->eval(&out, 0.0, x, DFL_FORCE | DFL_VELOCITY | DFL_DIRECTIONS, eom->user),
                     0);
    for (int k = 0; k < n0; k++) {
        const double *y = K0 + k * nv;
        double size = 0.0, balance = 0.0, forces = 1.0;
        assert_near(y[d->eq->massless.velocity[k]], 1.0, 0.0);
        for (int i = 0; i < nv; i++) {
            size = fmax(size, fabs(y[i]));
            forces = fmax(forces, fabs(f[i] * y[i]));
            balance += y[i] * f[i];
        }
        for (int i = 0; i < nv; i++) {
            double sum = 0.0;
            for (int j = 0; j < nv; j++)
                sum += M[i + j * nv] * y[j];
            assert_near(sum, 0.0, 1e-9 * size * 100.0); /* entries of M are up to 100 */
        }
        assert_near(gam[k], balance, 1e-9 * forces);
    }
}

/* Trees with consecutive massless bodies, rods and points on joints of all kinds. */
static void random_trees_have_the_directions_of_the_recursions(void **state)
{
    (void)state;
    uint64_t seed = 31;
    int with = 0;
    for (int trial = 0; trial < 24; trial++) {
        random_tree tree;
        make_random_tree(&tree, &seed, true);
        tree.description.nbodies = tree.description.njoints = 6;
        for (int i = 0; i < 6; i++)
            if (tree.joint[i].kind == DFL_JOINT_FIXED)
                tree.joint[i].kind = DFL_JOINT_REVOLUTE;
        dfl_context *ctx = dfl_context_create();
        dfl_tree *numeric = new_tree(ctx, &tree.description);
        double p[TREE_MOST];
        dfl_tree_reference(p, numeric);
        dfl_tree_decide_ranks(numeric, p);
        drawn d = drawn_new(false, trial % 2);
        drawn_tree(&d, &tree.description);
        drawn_finish(&d);
        assert_int_equal(d.eq->n0, dfl_tree_n0(numeric));
        with += d.eq->n0 > 0;
        for (int k = 0; k < 2; k++)
            check_directions(&d, numeric, &seed);
        drawn_free(&d);
        dfl_tree_free(numeric);
        dfl_context_free(ctx);
    }
    assert_true(with > 12);
}

/* The rotor of above through the recursions: the same motion. */
static void both_ways_give_the_same_motion(void **state)
{
    (void)state;
    const dfl_rigid_body bodies[3] = {
        {.name = "wheel"}, {.name = "slide"}, {.name = "load", .mass = 1}};
    const dfl_joint joints[3] = {
        {.name = "turn", .kind = DFL_JOINT_REVOLUTE, .parent = -1, .child = 0, .axis = {0, 0, 1}},
        {.name = "x", .kind = DFL_JOINT_PRISMATIC, .parent = 0, .child = 1, .axis = {1, 0, 0}},
        {.name = "y", .kind = DFL_JOINT_PRISMATIC, .parent = 1, .child = 2, .axis = {0, 1, 0}}};
    const dfl_joint_spring springs[3] = {{0, 0, 50, 4, 0}, {1, 0, 300, 2, 0}, {2, 0, 300, 2, 0}};
    dfl_multibody_description description = {.nbodies = 3,
                                             .njoints = 3,
                                             .bodies = bodies,
                                             .joints = joints,
                                             .gravity = {0},
                                             .planar = true,
                                             .nsprings = 3,
                                             .springs = springs};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *numeric = NULL;
    scripted s = load("local m = 0\n", rotor);
    scripted_start(&s, &sharp);
    description.p0 = s.x + 3;
    assert_int_equal(dfl_multibody_create(&numeric, ctx, &description), DFL_OK);
    const run r = run_with(eom_of(numeric), 0.0, s.x, 1.0, &sharp, NULL);
    assert_succeeded(&r);
    scripted_advance(&s, 1.0);
    assert_near(distance(s.x, r.x, 6), 0.0, 1e-7);
    dfl_multibody_free(numeric);
    dfl_context_free(ctx);
    scripted_free(&s);
}

/* ------------------------------------------------------------------ messages */

static void assert_refused(const char *text, const char *const *parts)
{
    scripted s = scripted_text(text);
    assert_int_equal(scripted_try_start(&s, NULL), DFL_INVALID);
    for (; *parts; parts++)
        if (!strstr(dfl_message(s.ctx), *parts))
            fail_msg("expected '%s' in '%s'", *parts, dfl_message(s.ctx));
    scripted_free(&s);
}

static void directions_without_damping_are_refused_by_name(void **state)
{
    (void)state;
    assert_refused("planar()\n"
                   "local one, two = body('one'), body('two', { mass = 1 })\n"
                   "local a = prismatic('a', ground, one, { at = {0, 0}, axis = {1, 0} })\n"
                   "local b = prismatic('b', one, two, { at = {0, 0}, axis = {1, 0} })\n"
                   "force(a.q, -400*a.q) force(b.q, -400*b.q)\n"
                   "guess{ [a.q] = 0.1, [b.q] = 0.2 }\n",
                   (const char *const[]){"no mass along der(a.q) - der(b.q), which moves only the "
                                         "massless bodies 'one', no constraint holds it",
                                         "add a damper", "quasistatic", "8.0e+02", NULL});
    assert_refused("planar()\n"
                   "local one, two = body('one'), body('two', { mass = 1 })\n"
                   "local a = prismatic('a', ground, one, { at = {0, 0}, axis = {1, 0} })\n"
                   "local b = prismatic('b', one, two, { at = {0, 0}, axis = {1, 0} })\n",
                   (const char *const[]){"'one'",
                                         "undetermined (neither mass, damping nor "
                                         "stiffness)",
                                         NULL});
    assert_refused(
        "planar()\n"
        "local a, b, c = body('a'), body('b'), body('c', { mass = 1 })\n"
        "local j1 = prismatic('j1', ground, a, { at = {0, 0}, axis = {1, 0} })\n"
        "local j2 = prismatic('j2', a, b, { at = {0, 0}, axis = {1, 0} })\n"
        "local j3 = prismatic('j3', b, c, { at = {0, 0}, axis = {1, 0} })\n"
        "force(j1.q, -400*j1.q) force(j2.q, -400*j2.q) force(j3.q, -400*j3.q)\n",
        (const char *const[]){"no mass along der(j1.q) - der(j3.q), which moves only the "
                              "massless bodies 'a', 'b', no",
                              NULL});
    assert_refused(
        "planar()\n"
        "local a, b, c = body('a'), body('b'), body('c')\n"
        "revolute('j1', ground, a, { at = {0, 0} })\n"
        "revolute('j2', a, b, { at = {1, 0} })\n"
        "revolute('j3', b, c, { at = {2, 0} })\n",
        (const char *const[]){"der(j1.q), which moves only the massless bodies 'a', 'b', "
                              "'c', no",
                              NULL});
    assert_refused("local rod = body('rod')\n"
                   "spherical('s', ground, rod, { at = {0, 0, 0} })\n",
                   (const char *const[]){"massless bodies 'rod',", "undetermined", NULL});
    assert_refused("local m = 0\n" CROSSED("spherical('b', crank, rod, { at = {0, 1, 0} })\n"),
                   (const char *const[]){"no mass along b.w1 + 0.5 b.w2 + 0.25 b.w3, which moves "
                                         "only the massless bodies 'rod', no constraint holds it",
                                         "undetermined", "lock the joint", NULL});
}

/* Every second link has no mass; the last one, on a spring and a damper alone, stays straight. */
static void a_long_chain_with_massless_links_runs(void **state)
{
    (void)state;
    for (int n = 32; n <= 256; n *= 2) {
        char text[900], name[16];
        snprintf(text, sizeof text,
                 "gravity{0, -9.81, 0}\n"
                 "local previous = ground\n"
                 "for i = 1, %d do\n"
                 "  local link = i%%2 == 0 and body('b'..i, {mass = 0, com = {i - 0.5, 0, 0}})\n"
                 "    or body('b'..i, {mass = 0.1, com = {i - 0.5, 0, 0}, inertia = {0.001, 0.01, "
                 "0.01}})\n"
                 "  local j = revolute('j'..i, previous, link, {at = {i - 1, 0, 0}, axis = {0, 0, "
                 "1}})\n"
                 "  if i == %d then torsion('hold', j, {stiffness = 1, damping = 0.1}) end\n"
                 "  previous = link\n"
                 "end\n",
                 n, n);
        scripted s = scripted_text(text);
        scripted_run(&s, 0.1, 1e-6);
        snprintf(name, sizeof name, "j%d.q", n);
        assert_near(scripted_value(&s, name), 0, 1e-6);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oscillator_without_first_mass_is_followed),
        cmocka_unit_test(arnolds_planar_examples_start_consistently),
        cmocka_unit_test(arnolds_planar_examples_are_limits_of_small_masses),
        cmocka_unit_test(a_moving_null_space_is_followed),
        cmocka_unit_test(a_spatial_chain_has_massless_directions_within_a_joint),
        cmocka_unit_test(two_massless_nodes_in_a_row_are_of_first_order),
        cmocka_unit_test(a_massless_coupler_is_held_by_its_loop),
        cmocka_unit_test(a_massless_rod_in_space_is_held_by_its_loop),
        cmocka_unit_test(a_massless_node_on_a_circle_is_held_and_damped),
        cmocka_unit_test(a_quasistatic_node_is_the_limit_of_small_masses),
        cmocka_unit_test(random_trees_have_the_directions_of_the_recursions),
        cmocka_unit_test(both_ways_give_the_same_motion),
        cmocka_unit_test(a_long_chain_with_massless_links_runs),
        cmocka_unit_test(directions_without_damping_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
