/* Reactions of joints: statics by hand, known formulas, trees against cut joints; motion of
   points. */
#include "../scripted.h"

/* m g cos(phi) + m l phi'^2 along the rod, nothing else. */
static void a_pendulum_pulls_at_its_pin(void **state)
{
    (void)state;
    scripted s = scripted_text("planar()\ngravity{0, -9.81}\n"
                               "local b = body('b', {mass = 2, com = {0, -1.5}, inertia = 0})\n"
                               "local j = revolute('j', ground, b, {at = {0, 0}})\n"
                               "output('j', j) output('drive', j.drive)\n"
                               "initial{[j.q] = 0.7, [j.qd] = 0.4}\n");
    scripted_start(&s, NULL);
    for (int i = 0; i < 2; i++) {
        const double phi = scripted_value(&s, "j.q"), w = scripted_value(&s, "der(j.q)");
        const double pull = 2 * 9.81 * cos(phi) + 2 * 1.5 * w * w;
        assert_near(scripted_output(&s, "j.fx"), -pull * sin(phi), 1e-12);
        assert_near(scripted_output(&s, "j.fy"), pull * cos(phi), 1e-12);
        assert_near(scripted_output(&s, "j.mz"), 0.0, 1e-12);
        assert_near(scripted_output(&s, "drive"), 0.0, 1e-12);
        scripted_advance(&s, 0.8);
    }
    scripted_free(&s);
}

/* A beam of 5 kg with its centre at 1.5 m of 4 m, loaded with 20 N at 3 m: moments about the left
   end. The load is declared after the output that sees it. */
static void a_beam_rests_on_two_bearings(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "planar()\ngravity{0, -9.81}\n"
        "local b = body('b', {mass = 5, com = {1.5, 0}, inertia = 1})\n"
        "local left = revolute('left', ground, b, {at = {0, 0}})\n"
        "local right = point_on_line('right', ground, b, {at = {4, 0}, axis = {1, 0}})\n"
        "output('left', left) output('right', right)\n"
        "wrench('load', ground, b, {at = {3, 0}, force = {0, -20}})\n");
    scripted_start(&s, NULL);
    const double right = (5 * 9.81 * 1.5 + 20 * 3) / 4;
    assert_near(scripted_output(&s, "right.fx"), 0.0, 1e-12);
    assert_near(scripted_output(&s, "right.fy"), right, 1e-11);
    assert_near(scripted_output(&s, "left.fx"), 0.0, 1e-12);
    assert_near(scripted_output(&s, "left.fy"), 5 * 9.81 + 20 - right, 1e-11);
    assert_near(scripted_output(&s, "left.mz"), 0.0, 1e-11);
    scripted_free(&s);
}

/* A clamped beam with a plate welded to it, on which a torque acts, and a hanging mass at its tip;
   the joint between beam and plate carries the plate's part only. */
static void a_clamp_carries_force_and_moment(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "gravity{0, 0, -10}\n"
        "local beam = body('beam', {mass = 2, com = {1, 0, 0}, inertia = {1, 1, 1}})\n"
        "local plate = body('plate', {mass = 1, com = {0.5, 0, 0}, inertia = {1, 1, 1}})\n"
        "local bob = body('bob', {mass = 3, com = {2, 0, -1}, inertia = {1, 1, 1}})\n"
        "local clamp = fixed('clamp', ground, beam, {at = {0, 0, 0}})\n"
        "local weld = fixed('weld', beam, plate, {at = {0.5, 0, 0}})\n"
        "local j = revolute('j', beam, bob, {at = {2, 0, 0}, axis = {0, 1, 0}})\n"
        "wrench('w', ground, plate, {torque = {7, 0, 0}})\n"
        "output('c', clamp) output('w', weld)\n");
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "c.fz"), 60.0, 1e-12);
    assert_near(scripted_output(&s, "c.my"), -(20 * 1 + 10 * 0.5 + 30 * 2), 1e-12);
    assert_near(scripted_output(&s, "c.mx"), -7.0, 1e-12);
    assert_near(scripted_output(&s, "w.fz"), 10.0, 1e-12);
    assert_near(scripted_output(&s, "w.mx"), -7.0, 1e-12);
    assert_near(scripted_output(&s, "w.my"), 0.0, 1e-12);
    scripted_free(&s);
}

/* Two bodies, the second on a joint of each kind and pulled by a spring: once as a tree, once as
   free bodies tied by cut joints. In the drawing all rotations are 1, so speeds in axes of bodies
   are those of the world. */
static scripted chain(const char *kind, bool cut, const char *outputs)
{
    char text[2000];
    snprintf(text, sizeof text,
             "gravity{0.5, 1, -9.81}\n"
             "local a = body('a', {mass = 2, com = {1, 0.2, 0}, inertia = {0.3, 0.25, 0.2}})\n"
             "local b = body('b', {mass = 1, com = {2, 0, 0.3},"
             " inertia = {0.2, 0.25, 0.3, 0.01, 0.02, 0.03}})\n"
             "%s"
             "local i = revolute('i', ground, a, {at = {0, 0, 0}, axis = {0.2, 1, 0}})\n"
             "local j = %s('j', a, b,"
             " {at = {1.5, 0.1, 0}, axis = {0, 0.4, 1}, axis2 = {1, 0, 0}%s})\n"
             "spring('s', ground, b, {from = {1, 1, 1}, to = {2, 0, 0}, stiffness = 30, length = "
             "0.5})\n"
             "%s",
             cut ? "free('fa', ground, a, {at = {0, 0, 0}}) free('fb', ground, b, {at = {2, 0, "
                   "0}})\n"
                 : "",
             kind, strcmp(kind, "screw") == 0 ? ", lead = 0.2" : "", outputs);
    return scripted_text(text);
}

/* A tree that moves with the joint's velocities named in `moving`. */
static scripted moving_tree(const char *const moving[3], const char *outputs)
{
    scripted s = chain(moving[0], false, outputs);
    scripted_give(&s, "der(i.q)", 0.9, true);
    for (int n = 1; n < 3; n++)
        if (moving[n])
            scripted_give(&s, moving[n], 0.7 - 0.4 * n, true);
    scripted_start(&s, NULL);
    return s;
}

static void trees_and_cut_joints_have_the_same_reactions(void **state)
{
    (void)state;
    static const char *const kinds[][3] = {{"revolute", "der(j.q)", NULL},
                                           {"prismatic", "der(j.q)", NULL},
                                           {"screw", "der(j.q)", NULL},
                                           {"cylindrical", "der(j.q1)", "der(j.q2)"},
                                           {"universal", "der(j.q1)", "der(j.q2)"},
                                           {"planar_joint", "der(j.q1)", "der(j.q3)"},
                                           {"translation", "der(j.q1)", "der(j.q3)"},
                                           {"spherical", "j.w1", "j.w3"},
                                           {"fixed", NULL, NULL}};
    static const char *const speeds[][2] = {
        {"fa.w1", "a.wx"}, {"fa.w2", "a.wy"}, {"fa.w3", "a.wz"}, {"fa.v1", "a.vx"},
        {"fa.v2", "a.vy"}, {"fa.v3", "a.vz"}, {"fb.w1", "b.wx"}, {"fb.w2", "b.wy"},
        {"fb.w3", "b.wz"}, {"fb.v1", "b.vx"}, {"fb.v2", "b.vy"}, {"fb.v3", "b.vz"}};
    static const char *const components[] = {"i.fx", "i.fy", "i.fz", "i.mx", "i.my", "i.mz",
                                             "j.fx", "j.fy", "j.fz", "j.mx", "j.my", "j.mz"};
    static const char outputs[] = "output('i', i) output('j', j)\n";
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        scripted tree = moving_tree(kinds[k], outputs), cut = chain(kinds[k][0], true, outputs);
        scripted motion =
            moving_tree(kinds[k], "output('a', point(a, {0, 0, 0}), 'velocity', 'spin')\n"
                                  "output('b', point(b, {2, 0, 0}), 'velocity', 'spin')\n");
        for (int n = 0; n < 12; n++)
            scripted_give(&cut, speeds[n][0], scripted_output(&motion, speeds[n][1]), false);
        scripted_start(&cut, NULL);
        for (int n = 0; n < 12; n++)
            assert_near(scripted_output(&cut, components[n]), scripted_output(&tree, components[n]),
                        1e-9); /* about 30 N */
        scripted_free(&tree);
        scripted_free(&cut);
        scripted_free(&motion);
    }
}

/* A four-bar cut at different pins: every pin carries the same, wherever the loop is open. */
static void a_loop_may_be_cut_anywhere(void **state)
{
    (void)state;
    double found[3][8];
    for (int cut = 0; cut < 3; cut++) {
        char text[2000];
        static const char *const order[] = {"ABCD", "DCBA", "ADBC"};
        static const char *const pins[] = {
            "A = revolute('A', ground, a, {at = {0, 0}})\n",
            "B = revolute('B', a, b, {at = {0, 1}})\n",
            "C = revolute('C', b, c, {at = {2, 2}})\n",
            "D = revolute('D', c, ground, {at = {3, 0}})\n",
        };
        static const char *const turned[] = {
            "A = revolute('A', a, ground, {at = {0, 0}})\n",
            "B = revolute('B', b, a, {at = {0, 1}})\n",
            "C = revolute('C', c, b, {at = {2, 2}})\n",
            "D = revolute('D', ground, c, {at = {3, 0}})\n",
        };
        int length = snprintf(text, sizeof text,
                              "planar()\ngravity{0, -9.81}\nlocal A, B, C, D\n"
                              "local a = body('a', {mass = 1, com = {0, 0.5}, inertia = 0.1})\n"
                              "local b = body('b', {mass = 2, com = {1, 1.6}, inertia = 0.5})\n"
                              "local c = body('c', {mass = 3, com = {2.4, 1}, inertia = 0.6})\n");
        for (int k = 0; k < 4; k++) {
            const int pin = order[cut][k] - 'A';
            const bool back = cut == 1 || (cut == 2 && pin == 3);
            length += snprintf(text + length, sizeof text - (size_t)length, "%s",
                               (back ? turned : pins)[pin]);
        }
        snprintf(text + length, sizeof text - (size_t)length,
                 "wrench('w', ground, c, {at = {2.4, 1}, force = {30, 5}})\n"
                 "output('wa', a.wz) output('A', A) output('B', B) output('C', C) output('D', D)\n"
                 "initial{['der(%s.q)'] = %s}\n",
                 cut == 1 ? "D" : "A", cut == 1 ? "0.6" : "1");
        scripted s = scripted_text(text);
        if (cut == 1) { /* the speed of a as in the other cuts */
            scripted_start(&s, NULL);
            scripted_give(&s, "der(D.q)", 0.6 / scripted_output(&s, "wa"), true);
        }
        scripted_start(&s, NULL);
        static const char *const names[] = {"A.fx", "A.fy", "B.fx", "B.fy",
                                            "C.fx", "C.fy", "D.fx", "D.fy"};
        for (int k = 0; k < 8; k++)
            found[cut][k] = scripted_output(&s, names[k]);
        scripted_free(&s);
    }
    for (int k = 0; k < 8; k++) {
        assert_near(found[1][k], -found[0][k], 1e-9); /* parents and children are exchanged */
        assert_near(found[2][k], k < 6 ? found[0][k] : -found[0][k], 1e-9);
    }
}

/* A cart rests on the hub of a rolling disk and is pushed: the road's forces act on the disk, so
   that the hub carries what the cart needs, and no moment. */
static void forces_of_rolling_act_on_the_disk(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "planar()\ngravity{0, -10}\n"
        "local cart = body('cart', {mass = 3, com = {0, 1}, inertia = 1})\n"
        "local disk = body('disk', {mass = 2, com = {0, 1}, inertia = 1})\n"
        "local slide = translation('slide', ground, cart)\n"
        "local hub = revolute('hub', cart, disk, {at = {0, 1}})\n"
        "local road = rolling_disk('road', disk, {at = {0, 1}, radius = 1, normal = {0, 1}})\n"
        "wrench('w', ground, cart, {at = {0, 1}, force = {12, 0}})\n"
        "output('hub', hub) output('a', acceleration(slide.q1))\n");
    scripted_start(&s, NULL);
    const double a = 12.0 / (5 + 1); /* both masses and the turning disk, J / R^2 = 1 */
    assert_near(scripted_output(&s, "a"), a, 1e-12);
    assert_near(scripted_output(&s, "hub.fx"), 12 - 3 * a, 1e-11);
    assert_near(scripted_output(&s, "hub.fy"), -30.0, 1e-11); /* the cart rests on the disk */
    assert_near(scripted_output(&s, "hub.mz"), 0.0, 1e-11);
    scripted_free(&s);
}

/* A wheel that is free to shift rests on a rail: the rail carries it, not the joint. */
static void a_rail_carries_the_wheel(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "gravity{0, 0, -10}\n"
        "local wheel = body('wheel', {mass = 3, com = {0, 0, 0.6}})\n"
        "local shift = translation('shift', ground, wheel, {at = {0, 0, 0.6}})\n"
        "local touch = contact_wheel('touch', wheel, ground,\n"
        "  {at = {0, 0, 0.6}, axis = {0, 1, 0}, along = {1, 0, 0},\n"
        "   wheel = function(u) return u, 0.5 + 0.1*u end,\n"
        "   rail = function(y) return 0, 0.1*sin(y), 0.1*cos(y) end, start = {0, 0}})\n"
        "output('shift', shift) output('push', multiplier(touch))\n");
    scripted_start(&s, NULL);
    assert_near(fabs(scripted_output(&s, "push")), 30 / sqrt(1.01), 1e-10); /* on the cone */
    assert_near(scripted_output(&s, "shift.fy"), 0.0, 1e-10);
    assert_near(scripted_output(&s, "shift.fz"), 0.0, 1e-10);
    scripted_free(&s);
}

/* A prescribed turn of a body with the inertia 4 + 2 * 1^2 about the axis needs 6 phi''; its power
   is the rate of the energy. */
static void a_prescribed_motion_shows_its_drive(void **state)
{
    (void)state;
    scripted s =
        scripted_text("local a = body('a', {mass = 2, com = {1, 0, 0}, inertia = {2, 2, 4}})\n"
                      "local b = body('b', {mass = 1, com = {5, 0, 0}, inertia = {1, 1, 1}})\n"
                      "local j = revolute('j', ground, a, {at = {0, 0, 0}, axis = {0, 0, 1}, "
                      "motion = sin(2*time)})\n"
                      "local k = prismatic('k', ground, b, {at = {5, 0, 0}, axis = {1, 0, 0}})\n"
                      "effort('d', k, 3)\n"
                      "output('drive', j.drive) output('mz', j.mz) output('k', k.drive)\n"
                      "output('T', kinetic_energy())\n");
    scripted_run(&s, 0.3, 1e-9);
    assert_near(scripted_output(&s, "drive"), 6 * -4 * sin(0.6), 1e-12);
    assert_near(scripted_output(&s, "mz"), 6 * -4 * sin(0.6), 1e-12);
    assert_near(scripted_output(&s, "k"), 3.0, 1e-12); /* what drives the slide */
    const double w = 2 * cos(0.6);
    assert_near(scripted_output(&s, "T"), 6 * w * w / 2 + 9 * 0.09 / 2, 1e-7);
    scripted_free(&s);
}

/* Accelerations of a point and of the turn are the rates of its velocities along a run. */
static void points_show_how_they_move(void **state)
{
    (void)state;
    static const char *const rates[][2] = {{"vx", "ax"},  {"vy", "ay"},  {"vz", "az"},
                                           {"wx", "alx"}, {"wy", "aly"}, {"wz", "alz"}};
    const double h = 1e-4, t = 0.5;
    char name[2][10];
    double v[6][3], a[6];
    scripted s = scripted_text(
        "gravity{0, 0, -9.81}\n"
        "local a = body('a', {mass = 2, com = {1, 0, 0}, inertia = {0.3, 0.25, 0.2}})\n"
        "local b = body('b', {mass = 1, com = {2, 0, 0.3}, inertia = {0.2, 0.25, 0.3}})\n"
        "revolute('i', ground, a, {at = {0, 0, 0}, axis = {0, 1, 0}})\n"
        "spherical('j', a, b, {at = {1.5, 0, 0}})\n"
        "output('p', frame('tip', b, {at = {2, 1, 0}, axis = {1, 0, 0}}), 'velocity', "
        "'acceleration',\n"
        "  'spin', 'spin_rate', 'rotation')\n"
        "initial{['der(i.q)'] = 1, ['j.w1'] = 2, ['j.w3'] = 1}\n");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-11, .atol = 1e-11});
    /* axis z of the frame along x of the world, x of the frame along y: (1, 1, 1, 1) / 2 */
    double length = 0;
    for (int k = 0; k < 4; k++) {
        snprintf(name[0], sizeof name[0], "p.q%d", k);
        length += pow(scripted_output(&s, name[0]), 2);
    }
    assert_near(length, 1.0, 1e-14);
    assert_near(scripted_output(&s, "p.q0"), 0.5, 1e-14);
    for (int k = 0; k < 3; k++) {
        scripted_advance(&s, t + (k - 1) * h);
        for (int n = 0; n < 6; n++) {
            snprintf(name[0], sizeof name[0], "p.%s", rates[n][0]);
            snprintf(name[1], sizeof name[1], "p.%s", rates[n][1]);
            v[n][k] = scripted_output(&s, name[0]);
            if (k == 1)
                a[n] = scripted_output(&s, name[1]);
        }
    }
    for (int n = 0; n < 6; n++) /* h^2 / 6 times the third rate, about 1e3 */
        assert_near((v[n][2] - v[n][0]) / (2 * h), a[n], 1e-5);
    scripted_free(&s);
}

static void reactions_stand_in_outputs_only(void **state)
{
    (void)state;
    dfl_status status;
    scripted s = scripted_try(&status, "planar()\nlocal b = body('b', {mass = 1, inertia = 1})\n"
                                       "local j = revolute('j', ground, b, {at = {0, 0}})\n"
                                       "event('e', j.fx)\n");
    assert_int_equal(status, DFL_INVALID);
    assert_non_null(strstr(dfl_message(s.ctx), "test.lua:4: event 'e': the expression contains the "
                                               "reaction j.fx"));
    scripted_free(&s);
    s = scripted_try(&status, "local b = body('b', {mass = 1, inertia = {1, 1, 1}})\n"
                              "local j = spherical('j', ground, b, {at = {0, 0, 0}})\n"
                              "output('d', j.drive)\n");
    assert_int_equal(status, DFL_INVALID);
    assert_non_null(strstr(dfl_message(s.ctx), "test.lua:3: joint 'j' has no drive"));
    scripted_free(&s);
}

/* A block slides on a cart on a spring, then sticks: the guide carries both, and the spring alone
   drives the cart. Rigid contacts, friction in a plane, along a line. */
static void contacts_are_part_of_reactions(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "impact('c', cart, block, {at = {0.2, 0.3, 0}, plane = {0, 0, 0}, normal = {0, 0, 1}, "
        "restitution = 0, "
        "friction = 0.4})\n",
        "local f = point_on_plane('f', cart, block, {at = {0.2, 0.3, 0}, axis = {0, 0, 1}})\n"
        "friction('c', cart, block, {to = {0.2, 0.3, 0}, normal = {0, 0, 1}, load = f.lambda, "
        "coefficient = 0.4})\n",
        ("local f = point_on_line('f', cart, block, {at = {0.2, 0.3, 0}, axis = {1, 0, 0}})\n"
         "friction('c', cart, block, {from = {-1, 0.3, 0}, to = {0.2, 0.3, 0}, load = 12})\n")};
    for (int way = 0; way < 3; way++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "gravity{0, 0, -9.81}\n"
            "local cart = body('cart', {mass = 2, com = {0, 0, 0}, inertia = {1, 1, 1}})\n"
            "local p = prismatic('p', ground, cart, {at = {0, 0, 0}, axis = {1, 0, 0}})\n"
            "local block = body('block', {mass = 3, com = {0.2, 0.3, 0}, inertia = {1, 1, 1}})\n"
            "local j = translation('j', ground, block) force(p.q, -20*p.q)\n%s"
            "output('p', p) output('drive', p.drive)\n"
            "output('pull', -20*p.q) output('side', 3*acceleration(j.qd2))\n"
            "initial{['der(j.q1)'] = 1, ['der(j.q2)'] = %g, ['der(j.q3)'] = 0, ['der(p.q)'] = 0}\n",
            ways[way], way < 2 ? 0.3 : 0);
        scripted s = scripted_text(text);
        scripted_start(&s, NULL);
        for (int i = 0; i < 3; i++) {
            assert_near(scripted_output(&s, "p.fz"), 5 * 9.81, 1e-10);
            assert_near(scripted_output(&s, "drive"), scripted_output(&s, "pull"), 1e-10);
            assert_near(scripted_output(&s, "p.fy"), scripted_output(&s, "side"), 1e-10);
            const double x = scripted_value(&s, "j.q1") + 0.2, y = scripted_value(&s, "j.q2") + 0.3;
            assert_near(scripted_output(&s, "p.my"), -(x - scripted_value(&s, "p.q")) * 3 * 9.81,
                        1e-9);
            assert_near(scripted_output(&s, "p.mx"), y * 3 * 9.81, 1e-9);
            scripted_advance(&s, 0.1 + 0.3 * i);
        }
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_pulls_at_its_pin),
        cmocka_unit_test(a_beam_rests_on_two_bearings),
        cmocka_unit_test(a_clamp_carries_force_and_moment),
        cmocka_unit_test(trees_and_cut_joints_have_the_same_reactions),
        cmocka_unit_test(a_loop_may_be_cut_anywhere),
        cmocka_unit_test(forces_of_rolling_act_on_the_disk),
        cmocka_unit_test(a_rail_carries_the_wheel),
        cmocka_unit_test(a_prescribed_motion_shows_its_drive),
        cmocka_unit_test(contacts_are_part_of_reactions),
        cmocka_unit_test(points_show_how_they_move),
        cmocka_unit_test(reactions_stand_in_outputs_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
