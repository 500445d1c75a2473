/* Masses as expressions and masses by recursion are the same equations: for every joint, every
   loop, every coupling and contact and every force element all blocks and their derivatives agree
   at random states to 1e-9 of the largest entry, and runs arrive at the same state. */
#include "same_blocks.h"

/* Equations at three states. */
static void compare_equations(const char *text)
{
    uint64_t seed = 77;
    scripted one = load(text, DFL_DYNAMICS_EXPRESSIONS, NULL);
    scripted other = load(text, DFL_DYNAMICS_RECURSION, NULL);
    assert_null(one.model->tree);
    assert_non_null(other.model->tree);
    for (int k = 0; k < 3; k++)
        compare_at(text, 1e-9, &one, &other, &seed);
    scripted_free(&one);
    scripted_free(&other);
}

/* And the state after a run: tolerance 1e-9, errors of both below 1e-6. */
static void compare(const char *base, const char *more)
{
    char text[4000];
    snprintf(text, sizeof text, "%s%s", base, more);
    compare_equations(text);
    scripted one = load(text, DFL_DYNAMICS_EXPRESSIONS, NULL);
    scripted other = load(text, DFL_DYNAMICS_RECURSION, NULL);
    scripted_run(&one, 0.2, 1e-9);
    scripted_run(&other, 0.2, 1e-9);
    for (int i = 0; i < one.eq->n; i++)
        if (!(fabs(one.x[i] - other.x[i]) <= 1e-6 * (1.0 + fabs(one.x[i]))))
            fail_msg("%s\n%s: recursion %.10g, expressions %.10g", text, one.eq->x[i].name,
                     other.x[i], one.x[i]);
    scripted_free(&one);
    scripted_free(&other);
}

static void compare_all(const char *base, const char *const *more, int count)
{
    for (int i = 0; i < count; i++)
        compare(base, more[i]);
}

#define COMPARE_ALL(base, list) compare_all(base, list, (int)(sizeof list / sizeof *list))

static void every_joint_of_a_tree_agrees(void **state)
{
    (void)state;
    static const char *const joints[] = {
        "fixed('j', c, d, {at = {3, 0, 0}})\n",
        "revolute('j', c, d, {at = {3, 0, 0}, axis = {1, -1, 0.5}})\n",
        "prismatic('j', c, d, {at = {3, 0, 0}, axis = {1, -1, 0.5}})\n",
        "screw('j', c, d, {at = {3, 0, 0}, axis = {1, -1, 0.5}, lead = 0.2*k})\n",
        "cylindrical('j', c, d, {at = {3, 0, 0}, axis = {1, -1, 0.5}})\n",
        "universal('j', c, d, {at = {3, 0, 0}, axis = {1, 0, 0}, axis2 = {0, 1, 0.3}})\n",
        "planar_joint('j', c, d, {at = {3, 0, 0}, axis = {1, -1, 0.5}})\n",
        "translation('j', c, d, {at = {3, 0, 0}})\n",
        "spherical('j', c, d, {at = {3, 0, 0}})\n",
        "free('j', ground, d, {at = {3, 0, 0}})\n",
        "free('j', c, d, {at = {3, 0, 0}})\n",
        "revolute('j', c, d, {at = {3, 0, 0}, axis = {1, 2, 3}, motion = k*sin(3*time)})\n",
        "prismatic('j', c, d, {at = {3, 0, 0}, axis = {1, 2, 3}, motion = time^2})\n",
        "screw('j', c, d, {at = {3, 0, 0}, axis = {1, 2, 3}, lead = 0.3, motion = cos(time)})\n"};
    COMPARE_ALL(SPACE "local d = body('d', {mass = 0.7, com = {3.3, 0.2, 0.1},\n"
                      "  inertia = {0.2, 0.2, 0.3}})\n",
                joints);
    static const char *const plane[] = {
        "",
        "local d = body('d', {mass = 2, com = {1, 1}, inertia = 1})\n"
        "free('f', ground, d, {at = {1, 1}})\n",
        "local d = body('d', {mass = 2, com = {1, 1}, inertia = 1})\n"
        "translation('t', c, d, {at = {1, 1}})\n"};
    COMPARE_ALL(PLANE, plane);
}

static void every_loop_agrees(void **state)
{
    (void)state;
    static const char *const loops[] = {
        "spherical('l', ground, c, {at = {3, 0.5, 0}})\n",
        "revolute('l', ground, c, {at = {3, 0.5, 0}, axis = {0.2, 0.3, 1}})\n",
        "prismatic('l', ground, c, {at = {3, 0.5, 0}, axis = {1, 1, 0}})\n",
        "cylindrical('l', ground, c, {at = {3, 0.5, 0}, axis = {1, 1, 0}})\n",
        "universal('l', ground, c, {at = {3, 0.5, 0}, axis = {1, 1, 0}, axis2 = {0, 0, 1}})\n",
        "planar_joint('l', ground, c, {at = {3, 0.5, 0}, axis = {1, 1, 0}})\n",
        "translation('l', ground, c, {at = {3, 0.5, 0}})\n",
        "screw('l', ground, c, {at = {3, 0.5, 0}, axis = {1, 1, 0}, lead = 0.1})\n",
        "point_on_line('l', ground, c, {at = {3, 0.5, 0}, axis = {1, 1, 0}})\n",
        "point_on_plane('l', ground, c, {at = {3, 0.5, 0}, axis = {1, 1, 0}})\n",
        "distance('l', ground, c, {at = {3, 2, 0}, at_b = {3, 0.5, 0}})\n",
        "distance('l', a, c, {at = {k, 2, 0}, at_b = {3, 0.5, 0}, length = 2.3*k})\n",
        "spherical('l', a, c, {at = {3, 0.5, 0}, at_b = {3, 0.4, 0.1}})\n",
        "local d = body('d', {mass = 1, com = {3, 0, 0}, inertia = {1, 1, 1}})\n"
        "revolute('j', c, d, {at = {3, 0, 0}, axis = {0, 0, 1}, motion = 0.2*sin(3*time)})\n"
        "spherical('l', a, d, {at = {3, 0.5, 0}})\n",
        "local d = body('d', {mass = 1, com = {3, 0, 0}, inertia = {1, 1, 1}})\n "
        "free('j', ground, d, {at = {3, 0, 0}})\n "
        "fixed('l', c, d, {at = {3, 1, 0}})\n"};
    static const char *const plane[] = {
        "local d = body('d', {mass = 1, com = {3, 0}, inertia = 1})\n"
        "free('j', ground, d, {at = {3, 0}})\n fixed('l', c, d, {at = {3, 1}})\n",
        "local d = body('d', {mass = 1, com = {3, 0}, inertia = 1})\n"
        "free('j', ground, d, {at = {3, 0}})\n translation('l', c, d, {at = {3, 1}})\n",
        "revolute('l', ground, c, {at = {3, 0.5}})\n",
        /* a and b cannot move against each other: what they share cancels in the rows */
        "revolute('l', a, b, {at = {1.3, 2}})\n initial{[ja.q] = 0, [ja.qd] = 1.2}\n",
        "prismatic('l', ground, c, {at = {3, 0.5}, axis = {1, 0}})\n",
        "point_on_line('l', ground, c, {at = {3, 0}, axis = {1, 3}})\n",
        "distance('l', ground, c, {at = {3, 2}, at_b = {3, 0}})\n"};
    COMPARE_ALL(SPACE, loops);
    COMPARE_ALL(PLANE, plane);
}

static void couplings_rolling_and_contacts_agree(void **state)
{
    (void)state;
    static const char *const couplings[] = {
        "gear('g', ja, jb, {ratio = -0.5})\n",
        "rack('g', ja, jc, {radius = 0.3})\n",
        "belt('g', ja, jb, {radius_a = 0.2, radius_b = 0.4})\n",
        "belt('g', ja, jb, {radius_a = 0.2, radius_b = 0.4, stiffness = 50, damping = 1})\n",
        "coupling('g', ja.q^2 + 0.3*jb.q - 0.2*jc.q)\n",
        "drive('g', ja, 0.2*sin(time))\n"};
    static const char *const wholes[] = {
        SPACE "thread('t', jc, {lead = 0.05})\n",
        "planar()\n local s = body('s', {mass = 1, inertia = 0.5, com = {0.3, 0}})\n"
        "local f = free('f', ground, s, {at = {0, 0}})\n"
        "knife_edge('edge', s, {at = {0, 0}, direction = {2, 0}})\n"
        "initial{[f.q1] = 0, [f.q2] = 0, [f.q3] = 0, [f.qd1] = 1, [f.qd3] = 1}\n",
        "planar()\n local w = body('w', {mass = 2, inertia = 0.25})\n"
        "local f = free('f', ground, w, {at = {0, 0}})\n"
        "local r = body('r', {mass = 0.1, inertia = 0.1})\n"
        "local s = revolute('s', ground, r, {at = {0, 0}})\n"
        "rolling_wheel('tyre', w, {at = {0, 0}, direction = {1, 0}, radius = 0.4, spin = s.q})\n"
        "initial{[f.q1] = 0, [f.q2] = 0, [f.q3] = 0, [f.qd1] = 1, [f.qd3] = 0.5}\n",
        "gravity{0, 0, -9.81}\n local coin = body('coin', {mass = 1, inertia = {0.25, 0.25, "
        "0.5}})\n"
        "local f = free('f', ground, coin, {at = {0, 0, 0}})\n"
        "rolling_disk('table', coin, {at = {0, 0, 0}, axis = {0, 0, 1}, radius = 1})\n"
        "initial{[f.q1] = 0, [f.q2] = 0, [f.q4] = cos(0.6), [f.q5] = sin(0.6), [f.q6] = 0,\n"
        "  [f.q7] = 0, [f.w3] = 5}\n guess{[f.q3] = 0.9}\n",
        "gravity{0, 0, -9.81}\n local disc = body('disc', {mass = 1, inertia = {1, 1, 1}})\n"
        "revolute('axle', ground, disc, {at = {0, 0, 0}, axis = {0, 0, 1}, motion = 7*time})\n"
        "local ball = body('ball', {mass = 2, inertia = {0.2, 0.2, 0.2}, com = {1, 0, 0.5}})\n"
        "local f = free('f', ground, ball, {at = {1, 0, 0.5}})\n"
        "rolling_ball('contact', ball, {at = {1, 0, 0.5}, radius = 0.5, on = disc})\n"
        "initial{[f.q1] = 0, [f.q2] = 0, [f.v1] = 0, [f.v2] = 1, [f.w3] = 0}\n",
        "planar()\n gravity{0, -9.81}\n local R, e = 0.5, 0.2\n"
        "local cam = body('cam', {mass = 2, inertia = 0.3, com = {e, 0}})\n"
        "local f = body('f', {mass = 1})\n"
        "local a = revolute('a', ground, cam, {at = {0, 0}})\n"
        "local b = prismatic('b', ground, f, {at = {0, 0}, axis = {0, 1}})\n"
        "contact_curves('touch', f, cam, {start = {-1.2, 1.9},\n"
        "  curve_b = function(s) return e + R*cos(s), R*sin(s) end,\n"
        "  curve_a = function(s) return 0.1*cos(s), sqrt(0.32) + 0.1*sin(s) end})\n"
        "initial{[a.q] = 0, [a.qd] = 6}\n",
        "gravity{0, 0, -9.81}\n local b = body('b', {mass = 1, com = {0, 0, -1}})\n"
        "local f = translation('f', ground, b, {at = {0, 0, -1}})\n"
        "contact_surfaces('touch', b, ground, {start = {0.5, 0.1, 0.6, 0},\n"
        "  surface_a = function(u, v)\n"
        "    return 0.2*sin(u)*cos(v), 0.2*sin(u)*sin(v), -1 - 0.2*cos(u) end,\n"
        "  surface_b = function(x, y) return x, y, -sqrt(1.44 - x^2 - y^2) end})\n"
        "initial{[f.q1] = 0.6, [f.q2] = 0, [f.qd2] = 1.2}\n guess{[f.q3] = 0.2}\n",
        "gravity{0, 0, -9.81}\n local b = body('b', {mass = 1, com = {0, 0, 0.6}})\n"
        "local f = translation('f', ground, b, {at = {0, 0, 0.6}})\n"
        "contact_wheel('touch', b, ground, {at = {0, 0, 0.6}, axis = {0, 1, 0}, along = {1, 0, "
        "0},\n"
        "  wheel = function(u) return u, 0.5 + 0.1*u end,\n"
        "  rail = function(y) return 0, 0.1*sin(y), 0.1*cos(y) end, start = {0, 0}})\n"
        "initial{[f.q1] = 0, [f.qd1] = 1, [f.q2] = 0, [f.qd2] = 0.3}\n"};
    COMPARE_ALL(PLANE, couplings);
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        compare(wholes[i], "");
}

static void every_force_element_agrees(void **state)
{
    (void)state;
    static const char *const elements[] = {
        "spring('e', a, c, {from = {0.5, 1, 0}, to = {2, 0.5, 1}, stiffness = 10*k, damping = "
        "2})\n",
        "torsion('e', ja, {stiffness = 3, damping = 0.5, rest = 0.1})\n",
        "torsion('e', ground, a, {axis = {0.2, 0.3, 1}, stiffness = 3, damping = 0.5})\n",
        "maxwell('e', ground, c, {from = {0, 1, 0}, to = {2, 1, 0}, stiffness = 20, damping = "
        "8})\n",
        "bushing('e', a, c, {at = {2, 0, 0}, stiffness = {k, 50, 60}, damping = 2,\n"
        "  turn_stiffness = 5, turn_damping = 1})\n",
        "wrench('e', a, c, {at = {1, 0, 0}, force = {0, 3, k}, torque = {0, 0, 0.5},\n"
        "  body_axes = true})\n",
        "wrench('e', ground, b, {at = {1, 0, 0}, force = {sin(time), 3, 0}})\n",
        "effort('e', ja.q + 2*jc.q2, 6*k)\n",
        "actuator('e', ja, {voltage = 12, resistance = 2, inductance = 0.5, constant = 0.4})\n",
        "friction('e', ja, {load = 30, coefficient = 0.2, speed = 0.5, radius = 0.1})\n",
        "friction('e', ground, point(c, {2, 0, 0}), {normal = {0, 0, 1}, load = 5,\n"
        "  coefficient = 0.3, speed = 0.5})\n",
        "impact('e', ground, c, {at = {2, 0, 0}, radius = 0.5, plane = {0, -0.3, 0},\n"
        "  normal = {0, 1, 0}, stiffness = 100, exponent = 1.5, damping = 0.1,\n"
        "  friction = 0.2, speed = 0.1})\n",
        "attraction('e', c, {center = {-2, 1, 0.5}, mu = 3*k, gradient = true})\n",
        "local u = pid('e', {reference = 1, value = ja.q, p = 3, i = 2, d = 0.5, filter = 0.1})\n"
        "effort('m', ja, u.out)\n",
        "local u = lag('e', ja.q, 0.4)\n effort('m', ja, 2*u)\n",
        /* what scripts declare themselves */
        "mass(ja.q, 0.3) force(ja.q, -2*ja.qd) potential(3*jc.q2^2)\n",
        "kinetic(ja.qd*jc.qd2/10 + jc.qd1^2/5)\n",
        "local w = auxiliary('w', function(w) return w^3 + w - ja.q end) force(ja.q, w)\n",
        "local c1 = constraint('c1', ja.q - jc.q1^2 - jc.q2)\n force(ja.q, multiplier(c1)/10)\n"
        "output('T', kinetic_energy())\n",
        "invariant('E', energy())\n output('acc', acceleration(ja.q))\n"};
    COMPARE_ALL(SPACE, elements);
    compare_equations(PLANE "output('E', energy()) force(ja.q, 2)\n");
}

/* A parameter changed before the script runs, or later, is seen by the recursion. */
static void parameters_reach_the_recursion(void **state)
{
    (void)state;
    uint64_t seed = 3;
    scripted one = load(SPACE, DFL_DYNAMICS_EXPRESSIONS, "k=1.45");
    scripted other = load(SPACE, DFL_DYNAMICS_RECURSION, "k=1.45");
    compare_at("--set", 1e-9, &one, &other, &seed);
    scripted_expect(&one, dfl_runnable_set(one.run, DFL_A_PARAM, 0, 0.7));
    scripted_expect(&other, dfl_runnable_set(other.run, DFL_A_PARAM, 0, 0.7));
    compare_at("dfl_runnable_set", 1e-9, &one, &other, &seed);
    assert_int_equal(dfl_runnable_set(other.run, DFL_A_PARAM, 0, -1.0), DFL_INVALID);
    assert_non_null(strstr(dfl_message(other.ctx), "body 'a'"));
    compare_at("a value that was refused", 1e-9, &one, &other, &seed); /* the former one counts */
    scripted_free(&one);
    scripted_free(&other);
}

/* The derivatives of gam at the end of a run, where gam = 0, against differences. */
static void check_balance(const char *text, const scripted *s)
{
    const dfl_eom *e = dfl_runnable_eom(s->run);
    const double step = 1e-6;
    dfl_blocks at[2];
    dfl_jacobian jacobian;
    double x[200], a[100] = {0};
    scripted_expect(s, dfl_state_jacobian_create(&jacobian, s->run, 0.2, s->x, a));
    for (int j = 0; j < s->eq->n; j++) {
        for (int side = 0; side < 2; side++) {
            memcpy(x, s->x, (size_t)s->eq->n * sizeof *x);
            x[j] += side ? step : -step;
            scripted_expect(s, dfl_state_blocks_create(&at[side], s->run, DFL_VELOCITY, 0.2, x));
        }
        for (int i = 0; i < e->n0; i++) {
            const double slope = (at[1].gam[i] - at[0].gam[i]) / (2 * step);
            const double exact = jacobian.gam[i + j * e->n0];
            if (!(fabs(slope - exact) <= 1e-5 * (1.0 + fabs(exact))))
                fail_msg("%s\ngam[%d] by %s: %.10g, differences %.10g", text, i, s->eq->x[j].name,
                         exact, slope);
        }
        dfl_state_blocks_free(&at[0], s->run);
        dfl_state_blocks_free(&at[1], s->run);
    }
    dfl_state_jacobian_free(&jacobian, s->run);
}

/* The outputs at the end of runs to 0.2, both at the state of one. */
static void compare_outputs(const char *text, const scripted *one, const scripted *other)
{
    double here[10], there[10];
    const int count = one->model->count[DFL_AN_OUTPUT];
    assert_true(count <= 10);
    dfl_runnable_outputs(here, one->run, 0.2, one->x);
    dfl_runnable_outputs(there, other->run, 0.2, one->x);
    assert_same(text, 1e-9, "outputs", there, here, (size_t)count);
}

/* Leaves without mass, several in a row, between bodies with mass, held by loops and couplings
   altogether or in part; the second number is that of the directions that are left. */
static void massless_bodies_agree(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int left;
    } cases[] = {
        {MASSLESS, 1},
        {MASSLESS "output('a', acceleration(h.q))\n force(h.q, sin(5*time))\n", 1},
        /* an auxiliary variable beside the massless direction: its balance still has a rate */
        {MASSLESS "output('a', acceleration(h.q))\n"
                  "local w = auxiliary('w', function(w) return w^3 + w - j.q end)\n"
                  "force(j.q, -w)\n",
         1},
        {SPACE "local d = body('d', {})\n"
               "local j = universal('j', c, d, {at = {3, 0, 0}, axis = {1, 0, 0}, axis2 = {0, 1, "
               "0.3}})\n"
               "torsion('t', j, {coordinate = 1, stiffness = 3, damping = 1})\n"
               "torsion('u', j, {coordinate = 2, stiffness = 2, damping = k})\n",
         2},
        {SPACE
         "local d, e = body('d', {}), body('e', {mass = 1, com = {4, 0, 0}})\n"
         "local j = prismatic('j', c, d, {at = {3, 0, 0}, axis = {1, 0.2, 0}})\n"
         "local h = revolute('h', d, e, {at = {3.5, 0, 0}, axis = {0, 0, 1}})\n"
         "spring('s', c, d, {from = {2, 0, 0}, to = {3, 0, 0}, stiffness = 9, damping = 2})\n",
         0},
        {PLANE "local d, e = body('d', {}), body('e', {})\n"
               "local j = prismatic('j', c, d, {at = {3, 0}, axis = {1, 0}})\n"
               "local h = prismatic('h', d, e, {at = {3, 0}, axis = {0.3, 1}})\n"
               "spring('s', c, d, {from = {2, 0.5}, to = {3, 0}, stiffness = 9, damping = 2})\n"
               "spring('u', ground, e, {from = {2, 3}, to = {3, 0}, stiffness = 5, damping = 1})\n",
         2},
        {PLANE "local d = body('d', {})\n"
               "local j = revolute('j', c, d, {at = {3, 0}, motion = 0.3*sin(4*time)})\n"
               "local e = body('e', {})\n"
               "local h = revolute('h', d, e, {at = {4, 0}})\n"
               "torsion('t', h, {stiffness = 3, damping = 1})\n"
               "spring('u', ground, e, {from = {2, 3}, to = {5, 0}, stiffness = 5, damping = 1})\n",
         1},
        /* a coupler held by its loop, and a leaf besides */
        {PLANE "local d, e = body('d', {}), body('e', {})\n"
               "local j = revolute('j', c, d, {at = {3, 0}})\n"
               "revolute('l', ground, d, {at = {4, 0}})\n"
               "local h = revolute('h', b, e, {at = {2, 1}})\n"
               "torsion('t', h, {stiffness = 3, damping = 1})\n",
         1},
        /* a node on a circle: one of two directions is held */
        {PLANE "local d = body('d', {})\n"
               "local j = translation('j', ground, d, {at = {3, 1}})\n"
               "distance('l', ground, d, {at = {4, 2}, at_b = {3, 1}})\n"
               "spring('u', c, d, {from = {2, 0.5}, to = {3, 1}, stiffness = 5, damping = 1})\n"
               "spring('v', ground, d, {from = {1, 3}, to = {3, 1}, stiffness = 5, damping = 1})\n",
         1},
        /* a node on a plane: two are left */
        {SPACE
         "local d = body('d', {})\n"
         "local j = translation('j', ground, d, {at = {3, 1, 0}})\n"
         "point_on_plane('l', ground, d, {at = {3, 1, 0}, axis = {1, 2, 3}})\n"
         "spring('u', c, d, {from = {2, 0.5, 0}, to = {3, 1, 0}, stiffness = 5, damping = 1})\n"
         "spring('v', a, d, {from = {1, 3, 1}, to = {3, 1, 0}, stiffness = 4, damping = 2})\n"
         "spring('w', ground, d, {from = {3, 4, 2}, to = {3, 1, 0}, stiffness = 4, damping = "
         "2})\n",
         2},
        /* a row that the user writes holds one of two */
        {PLANE "local d, e = body('d', {}), body('e', {})\n"
               "local j = revolute('j', c, d, {at = {3, 0}})\n"
               "local h = revolute('h', c, e, {at = {3, 0}})\n"
               "gear('g', j, h, {ratio = -0.5})\n"
               "torsion('t', h, {stiffness = 3, damping = 1})\n",
         1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scripted one = load(cases[i].text, DFL_DYNAMICS_EXPRESSIONS, NULL);
        scripted other = load(cases[i].text, DFL_DYNAMICS_RECURSION, NULL);
        assert_non_null(other.model->tree);
        assert_int_equal(one.eq->n0, cases[i].left);
        assert_int_equal(other.eq->n0, cases[i].left);
        scripted_run(&one, 0.2, 1e-9);
        scripted_run(&other, 0.2, 1e-9);
        for (int k = 0; k < one.eq->n; k++)
            if (!(fabs(one.x[k] - other.x[k]) <= 1e-6 * (1.0 + fabs(one.x[k]))))
                fail_msg("%s\n%s: recursion %.10g, expressions %.10g", cases[i].text,
                         one.eq->x[k].name, other.x[k], one.x[k]);
        check_balance(cases[i].text, &other);
        compare_outputs(cases[i].text, &one, &other);
        scripted_free(&one);
        scripted_free(&other);
    }
}

/* Every second link has no mass, the last one neither: M has one zero eigenvalue, which the ranks
   of 256 links must find, and the next one is 0.01. */
static void a_long_chain_with_massless_links_runs(void **state)
{
    (void)state;
    static const char chain[] =
        "gravity{0, -9.81, 0}\n local before = ground\n local n = setting('n', 256)\n"
        "for i = 1, n do\n"
        "  local b = i%2 == 0 and body('b' .. i, {com = {i - 0.5, 0, 0}}) or body('b' .. i,\n"
        "    {mass = 0.1, com = {i - 0.5, 0, 0}, inertia = {0.001, 0.01, 0.01}})\n"
        "  local j = revolute('j' .. i, before, b, {at = {i - 1, 0, 0}, axis = {0, 0, 1}})\n"
        "  if i == n then torsion('hold', j, {stiffness = 1, damping = 0.1}) end\n"
        "  before = b\n"
        "end\n";
    scripted s = load(chain, DFL_DYNAMICS_AUTO, NULL);
    assert_non_null(s.model->tree);
    assert_int_equal(s.eq->n0, 1);
    assert_int_equal(s.eq->massless.velocity[0], 255);
    scripted_run(&s, 0.01, 1e-6);
    scripted_free(&s);
}

/* Close to the drawing all coordinates are near zero, but not what rounding leaves in the rows. */
static void explicit_methods_start_from_the_drawing(void **state)
{
    (void)state;
    static const char arch[] =
        "gravity{0, -9.81, 0}\n local last, N = ground, 12\n"
        "local function at(i) return {1 - cos(math.pi*i/N), -sin(math.pi*i/N), 0} end\n"
        "for i = 1, N do\n"
        "  local p, q = at(i - 1), at(i)\n"
        "  local b = body('b'..i, {mass = 0.1, com = {(p[1] + q[1])/2, (p[2] + q[2])/2, 0},\n"
        "                          inertia = {1e-4, 1e-4, 1e-4}})\n"
        "  local j = revolute('j'..i, last, b, {at = p, axis = {0, 0, 1}})\n"
        "  torsion('t'..i, j, {stiffness = 500, damping = 2})\n last = b\n"
        "end\n revolute('close', last, ground, {at = at(N), axis = {0, 0, 1}})\n";
    for (int way = 0; way < 4; way++) {
        scripted s = load(arch, way % 2 ? DFL_DYNAMICS_RECURSION : DFL_DYNAMICS_EXPRESSIONS, NULL);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6,
                                                 .integrator = way / 2 ? DFL_HALF_EXPLICIT
                                                                       : DFL_EXPLICIT_PAIR});
        scripted_advance(&s, 0.001);
        scripted_free(&s);
    }
}

/* A mass that becomes 0 during a run would need another set of equations: that is said. */
static void masses_do_not_vanish_during_a_run(void **state)
{
    (void)state;
    static const char text[] =
        "local m = param('m', 1)\n local a = body('a', {mass = 1, inertia = {1, 1, 1}})\n"
        "local b = body('b', {inertia = {m, m, m}})\n local c = body('c', {})\n"
        "local j = revolute('j', ground, a, {at = {0, 0, 0}, axis = {0, 0, 1}})\n"
        "local h = revolute('h', a, b, {at = {0, 0, 0}, axis = {0, 1, 0}})\n"
        "local i = revolute('i', b, c, {at = {0, 0, 0}, axis = {1, 0, 0}})\n"
        "torsion('t', h, {damping = 1})\n torsion('u', i, {damping = 1})\n";
    scripted s = load(text, DFL_DYNAMICS_RECURSION, NULL);
    assert_int_equal(s.eq->n0, 1);
    scripted_expect(&s, dfl_runnable_set(s.run, DFL_A_PARAM, 0, 2.0));
    assert_int_equal(dfl_runnable_set(s.run, DFL_A_PARAM, 0, 0.0), DFL_INVALID);
    assert_non_null(strstr(dfl_message(s.ctx), "set the value before the run"));
    scripted_run(&s, 0.1, 1e-6);
    scripted_free(&s);
}

/* Fails the first, second, third ... allocation until everything succeeds. */
static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static const char text[] = PLANE /* with a loop, and one of two massless directions held */
        "local d = body('d', {})\n local j = translation('j', ground, d, {at = {3, 1}})\n"
        "distance('l', ground, d, {at = {4, 2}, at_b = {3, 1}})\n"
        "spring('u', c, d, {from = {2, 0.5}, to = {3, 1}, stiffness = 5, damping = 1})\n"
        "output('a', acceleration(j.q1))\n";
    dfl_status status = DFL_NO_MEMORY;
    for (int n = 0; status; n++) {
        scripted s = {.ctx = dfl_context_create()};
        const dfl_script_options options = {.dynamics = DFL_DYNAMICS_RECURSION};
        dfl_context_fail_after(s.ctx, n);
        status = dfl_script_load_text(&s.model, s.ctx, "test.lua", text, strlen(text), &options);
        if (!status)
            status = dfl_equations_create(&s.eq, s.model, true);
        if (!status)
            status = dfl_runnable_create(&s.run, s.eq);
        assert_true(status == DFL_OK || status == DFL_NO_MEMORY);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_of_a_tree_agrees),
        cmocka_unit_test(every_loop_agrees),
        cmocka_unit_test(couplings_rolling_and_contacts_agree),
        cmocka_unit_test(every_force_element_agrees),
        cmocka_unit_test(parameters_reach_the_recursion),
        cmocka_unit_test(massless_bodies_agree),
        cmocka_unit_test(a_long_chain_with_massless_links_runs),
        cmocka_unit_test(explicit_methods_start_from_the_drawing),
        cmocka_unit_test(masses_do_not_vanish_during_a_run),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
