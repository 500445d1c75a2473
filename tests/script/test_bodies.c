/* test_bodies.c: scripts with bodies and joints: what they mean, how they run, and what their
   authors are told. */
#include "scripted.h"
#include "scripts.h"

#define TWO                                                                                        \
    "local a = body('a', { mass = 1, inertia = {1, 1, 1} })\n"                                     \
    "local b = body('b', { mass = 1, inertia = {1, 1, 1} })\n"
#define Z "{ at = {0, 0, 0}, axis = {0, 0, 1} })\n"

static void wrong_bodies_are_explained(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"body()", "test.lua:1: body: 0 arguments are given; it takes at least 1"},
        {"body(1)", "test.lua:1: body: argument 1 is a number; give a name in quotes"},
        {"\nbody('a', { masse = 1 })",
         "test.lua:2: body 'a': unknown option 'masse'; did you mean 'mass'?"},
        {"body('a', { banana = 1 })", "unknown option 'banana'; there are mass, com, inertia"},
        {"body('a', 1)", "body: argument 2 is a number; give the options in braces"},
        {"body('a', { 1 })", "body 'a': a value without a name; write name = value"},
        {"body('a', { mass = 'x' })", "body 'a': mass is a text; give a number or an expression"},
        {"body('a', { mass = -1 })", "test.lua:1: body 'a': mass is -1; give 0 or more"},
        {"body('a', { mass = 1/0 })", "body 'a': mass is inf; give finite numbers"},
        {"body('a', { mass = time })",
         "body 'a': mass contains variables; give numbers or expressions of parameters"},
        {"body('a', { mass = 1, com = {1, 2} })", "body 'a': com has 2 numbers; give {x, y, z}"},
        {"body('a', { mass = 1, com = 1 })", "body 'a': com is a number; give {x, y, z}"},
        {"body('a', { inertia = {1, 1, 3} })",
         "body 'a': no body has the inertia {1, 1, 3, 0, 0, 0}; each principal moment"},
        {"body('a', { inertia = {1, 1, 1, 2, 0, 0} })", "body 'a': no body has the inertia"},
        {"body('a', { inertia = {1, 1} })",
         "body 'a': inertia has 2 numbers; give {xx, yy, zz} or {xx, yy, zz, xy, xz, yz}"},
        {"body('a', { inertia = 1 })", "body 'a': inertia is one number; give {xx, yy, zz}"},
        {"planar()\nbody('a', { com = {0, 0, 1} })",
         "test.lua:2: body 'a': com has a z; a plane model has none, give {x, y}"},
        {"planar()\nbody('a', { inertia = -1 })", "body 'a': inertia is -1; give 0 or more"},
        {"body('a')\nbody('a')",
         "test.lua:2: body: the name 'a' is taken by the body of line 1; choose another one"},
        {"body('ground')", "body: the name 'ground' is taken"},
        {"body('a b')", "test.lua:1: "},
        {"body('a')\nplanar()", "test.lua:2: planar: bodies and joints have been given before"},
        {"gravity(9.81)", "gravity: argument 1 is a number; write gravity{0, -9.81, 0}"},
        {"gravity{0, time, 0}", "gravity: it contains variables"},
        {"gravity{0, 0, -9.81}\nplate = 1\ngravity{0, 0, 0}",
         "test.lua:3: gravity: it has been given on line 1"},
        {"planar()\ngravity{0, 0, -9.81}",
         "test.lua:2: gravity: it has a z; a plane model has none"},
    };
    CHECK_ALL(list);
}

static void wrong_joints_are_explained(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"revolute('j')", "test.lua:1: revolute: 1 argument is given; it takes at least 3"},
        {"revolute('j', ground, 1)", "revolute: argument 3 is a number; give a body, or ground"},
        {TWO "revolute('j', ground, a, { axis = {0, 0, 1} })",
         "test.lua:3: revolute 'j': the point is missing; give at = {x, y, z}"},
        {TWO "revolute('j', ground, a, { at = {0, 0, 0} })",
         "revolute 'j': the axis is missing; give axis = {x, y, z}"},
        {TWO "revolute('j', ground, a, { at = {0, 0, 0}, axis = {0, 0, 0} })",
         "revolute 'j': axis has length zero; give three numbers that are not all zero"},
        {TWO "revolute('j', ground, a, { at = {0, 0, 0}, axes = {0, 0, 1} })",
         "revolute 'j': unknown option 'axes'; did you mean 'axis'?"},
        {TWO "revolute('j', a, a, " Z, "revolute 'j': joins a with itself; give two bodies"},
        {TWO "revolute('a', ground, a, " Z, "the name 'a' is taken by the body of line 1"},
        {TWO "revolute('j', ground, a, { at = {0, 0, 0}, axis = {0, 0, 1}, lead = 1 })",
         "revolute 'j': only a screw has a lead"},
        {TWO "universal('j', ground, a, { at = {0, 0, 0}, axis = {0, 0, 1}, axis2 = {0, 1, 1} })",
         "universal 'j': axis and axis2 are not perpendicular"},
        {TWO "universal('j', ground, a, " Z, "universal 'j': axis2 is missing or zero"},
        {TWO "spherical('j', ground, a, { at = {0, 0, 0}, motion = time })",
         "spherical 'j': motion can be prescribed for revolute, prismatic and screw joints"},
        {TWO "local j = revolute('j', ground, a, " Z
             "revolute('k', a, b, { at = {0, 0, 0}, axis = {0, 0, 1}, motion = j.q })",
         "test.lua:4: revolute 'k': motion contains variables; give a function of time"},
        {TWO "revolute('j', ground, a, { at = {0, 0, 0}, axis = {0, 0, 1}, at_b = {1, 0, 0} })",
         "revolute 'j': at_b and axis_b are for joints that close loops; a hangs on this one"},
        {TWO "revolute('j', ground, a, { at = {0, 0, 0}, axis = {0, 0, 1}, cut = 1 })",
         "revolute 'j': cut is a number; give true or false"},
        {TWO "local x = position('x')\n"
             "revolute('j', ground, a, { at = {x, 0, 0}, axis = {0, 0, 1} })",
         "revolute 'j': at contains variables; give numbers or expressions of parameters"},
        {TWO "revolute('j', ground, a, " Z "local q = 1\nposition('j.q')", "test.lua:5: "},
        {"planar()\nlocal a = body('a', { mass = 1, inertia = 1 })\n"
         "spherical('j', ground, a, { at = {0, 0} })",
         "spherical 'j': does not stay in the plane; a plane model has revolute joints about z"},
        {"planar()\nlocal a = body('a', { mass = 1, inertia = 1 })\n"
         "prismatic('j', ground, a, { at = {0, 0}, axis = {0, 0, 1} })",
         "prismatic 'j': does not stay in the plane"},
    };
    CHECK_ALL(list);
}

static void wrong_loops_are_explained(void **state)
{
    (void)state;
    static const wrong list[] = {
        {TWO "revolute('j', ground, a, " Z "revolute('k', a, b, " Z
             "free('l', ground, b, { at = {0, 0, 0} })",
         "test.lua:5: free 'l': cannot close a loop; give it before the other joint of b"},
        {TWO "revolute('j', ground, a, " Z "revolute('k', a, b, " Z "screw('l', ground, b, " Z,
         "screw 'l': the lead is missing; give lead = METRES_PER_RADIAN"},
        {TWO "revolute('j', ground, a, " Z "revolute('k', a, b, " Z
             "screw('l', ground, b, { at = {0, 0, 0}, axis = {0, 0, 1}, lead = 0 })",
         "screw 'l': a loop needs a lead in m/rad; without one it is revolute"},
        {TWO "revolute('j', ground, a, " Z "revolute('k', a, b, " Z
             "prismatic('l', ground, b, { at = {0, 0, 0}, axis = {1, 0, 0}, motion = time })",
         "prismatic 'l': a joint that closes a loop has no motion of its own"},
        {TWO "fixed('j', ground, a)\nfixed('k', ground, b)\nfixed('l', a, b)",
         "test.lua:5: fixed 'l': its bodies cannot move against each other; leave it out"},
        {TWO "revolute('j', ground, a, " Z "revolute('k', a, b, " Z
             "spherical('l', ground, b, { at = {1, 0, 0}, at_b = {1, 0, 0.5} })",
         "test.lua:5: spherical 'l' can never be closed: no joint allows the z translation that "
         "its bodies are apart (by 0.5)"},
        {TWO "revolute('j', ground, a, " Z "revolute('k', a, b, " Z
             "distance('l', ground, b, { at = {1, 0, 0} })",
         "distance 'l': its points coincide; give a length, or at_b in b"},
        {TWO "revolute('j', ground, a, " Z "revolute('k', a, b, " Z
             "distance('l', ground, b, { at = {1, 0, 0}, at_b = {2, 0, 0}, length = -1 })",
         "distance 'l': length is -1; give a positive number"},
        {TWO "revolute('j', ground, a, " Z,
         "test.lua:2: body 'b' has no joint that it hangs on: give one with 'b' as its second "
         "body, such as free"},
        {TWO "revolute('j', ground, a, " Z "output('E', energy())",
         "test.lua:4: body 'b' has no joint that it hangs on"},
        {TWO "revolute('j', b, a, " Z "revolute('k', a, b, " Z,
         "test.lua:1: body 'a' does not hang on the ground: follow its joints, starting with 'j'"},
        {TWO "revolute('j', ground, a, " Z "revolute('k', ground, b, { at = {0, 0, 0}, axis = "
             "{0, 0, 1}, cut = true })",
         "test.lua:2: body 'b' has no joint that it hangs on"},
    };
    CHECK_ALL(list);
}

static void wrong_uses_of_handles_are_explained(void **state)
{
    (void)state;
    static const wrong list[] = {
        {TWO "local j = revolute('j', ground, a, " Z "print(j.qq)",
         "test.lua:4: joint 'j' has no 'qq'; there are q and qd"},
        {TWO "local j = spherical('j', ground, a, { at = {0, 0, 0} })\nprint(j.q)",
         "joint 'j' has no 'q'; there are q1 to q4 and qd1 to qd3"},
        {TWO "local j = fixed('j', ground, a)\nprint(j.q)", "joint 'j' has no 'q': it is fixed"},
        {TWO "revolute('j', ground, a, " Z "revolute('k', a, b, " Z
             "local l = spherical('l', ground, b, { at = {1, 0, 0} })\nprint(l.q)",
         "joint 'l' closes a loop and has no 'q': its second body is the ground or already hangs "
         "on another joint"},
        {TWO "local j = revolute('j', ground, a, " Z "initial{ [j] = 1 }",
         "a key of the table is a joint; give its coordinate, such as [j.q]"},
        {TWO "revolute('j', ground, a, " Z "initial{ j = 1 }",
         "initial: there is no variable 'j'; did you mean 'j.q'?"},
        {TWO "spherical('j', ground, a, { at = {0, 0, 0} })\ninitial{ j = 1 }",
         "initial: there is no variable 'j'; did you mean 'j.q1'?"},
        {TWO "revolute('j', ground, a, " Z "initial{ ['der(j)'] = 1 }",
         "initial: there is no variable 'der(j)'; did you mean 'der(j.q)'?"},
        {TWO "revolute('j', ground, a, " Z "initial{ ['j.qd'] = 1 }",
         "initial: there is no variable 'j.qd'; its name is [\"der(j.q)\"]"},
        {TWO "local j = revolute('j', ground, a, " Z "force(j, 1)",
         "force: argument 1 is a joint; give what position, velocity or speed returned, or the "
         "coordinate of a joint, such as j.q"},
        {"planar()\nbody('a')", "such as free(\"...\", ground, a, { at = {0, 0} })"},
        {TWO "print(point(a, {0, 0, 0}).x)",
         "test.lua:3: body 'a' does not hang on the ground yet; give the joints between them"},
        {TWO "revolute('j', ground, a, " Z "print(point(a, {0, 0, 0}).u)",
         "point: unknown field 'u'"},
        {TWO "point(a, {0, 0})", "point: it has 2 numbers; give {x, y, z}"},
        {TWO "point(1, {0, 0})", "point: argument 1 is a number; give a body, or ground"},
        {TWO "print(a.x)", "a body has no 'x'; there are wx, wy, wz"},
        {TWO "revolute('j', ground, a, " Z "print(a.angle)",
         "body 'a': bodies have an angle in plane models only"},
        {"frame('f', ground, { att = {0, 0, 0} })", "frame 'f': unknown option 'att'; did you"},
        {TWO "revolute('j', ground, a, " Z "revolute('k', a, b, " Z
             "output('E', energy())\nbody('c')",
         "test.lua:6: body 'c': energy() of line 5 is the sum of what was declared before it"},
        {TWO "print(sin(a))", "test.lua:3: "},
        {TWO "constraint('c', a)", "constraint: argument 2 is a body; give a number"},
    };
    CHECK_ALL(list);
}

static void handles_have_names_and_no_addresses(void **state)
{
    (void)state;
    assert_prints("print(ground)\nlocal a = body('a')\nprint(a)\n"
                  "local j = free('j', ground, a, { at = {0, 0, 0} })\nprint(j)\n"
                  "print(point(a, {1, 0, 0}))",
                  "body ground\nbody a\njoint j\npoint of a body\n");
}

/* ------------------------------------------------------------------ what scripts mean */

/* A pendulum of length 1 in the plane, q = 0 horizontal: q'' = -g cos q. */
static void a_pendulum_falls_as_it_should(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "planar()\ngravity{0, -9.81}\n"
        "local L = param('L', 1)\n"
        "local b = body('bob', { mass = 2, com = {L, 0} })\n"
        "local j = revolute('pin', ground, b, { at = {0, 0} })\n"
        "local p = point(b, {L, 0})\n"
        "output('x', p.x)\noutput('vy', p.vy)\noutput('E', energy())\noutput('w', b.wz)\n"
        "output('angle', b.angle)\n"
        "initial{ [j.q] = 0.3, [j.qd] = 2 }");
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "x"), cos(0.3), 1e-15);
    assert_near(scripted_output(&s, "vy"), 2 * cos(0.3), 1e-15);
    assert_near(scripted_output(&s, "E"), 4.0 + 2 * 9.81 * sin(0.3), 1e-14);
    assert_near(scripted_output(&s, "w"), 2.0, 0.0);
    assert_near(scripted_output(&s, "angle"), 0.3, 0.0);
    scripted_run(&s, 1.0, 1e-9);
    assert_near(scripted_output(&s, "E"), 4.0 + 2 * 9.81 * sin(0.3), 1e-7);
    scripted_free(&s);
}

static const char slider_crank[] =
    "gravity{0, -9.81, 0}\n"
    "local n = {%g, %g, %g}\n"
    "local crank = body('crank', { mass = 1, inertia = {0.01, 0.1, 0.1}, com = {0.5, 0, 0} })\n"
    "local rod = body('rod', { mass = 1, inertia = {0.01, 0.4, 0.4}, com = {2, 0, 0} })\n"
    "local slider = body('slider', { mass = 1, inertia = {0.1, 0.1, 0.1}, com = {3, 0, 0} })\n"
    "local j1 = revolute('bearing', ground, crank, { at = {0, 0, 0}, axis = n })\n"
    "revolute('crank-pin', crank, rod, { at = {1, 0, 0}, axis = n })\n"
    "revolute('slider-pin', rod, slider, { at = {3, 0, 0}, axis = n })\n"
    "prismatic('guide', ground, slider, { at = {3, 0, 0}, axis = {1, 0, 0} })\n"
    "output('x', point(slider, {3, 0, 0}).x)\n"
    "output('E', energy())\n"
    "initial{ [j1.q] = 0.3, [j1.qd] = 2 }\n";

/* The same mechanism in a plane of coordinates, where superfluous rows vanish, and in an inclined
   one, where only one does and the others are found to be redundant; gravity has the same part in
   both planes. */
static void a_slider_crank_stays_on_its_constraints(void **state)
{
    (void)state;
    double x[2] = {0};
    for (int k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text, slider_crank, 0.0, k ? 0.6 : 0.0, k ? 0.8 : 1.0);
        char *g = strstr(text, "-9.81, 0}");
        assert_non_null(g);
        if (!k)
            memcpy(g, "-7.848,0}", 9); /* 9.81 times 0.8 */
        scripted s = scripted_text(text);
        assert_int_equal(s.eq->nl, k ? 4 : 2);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-10});
        const double E = scripted_output(&s, "E");
        scripted_advance(&s, 5.0);
        const dfl_statistics stats = dfl_solver_statistics(s.solver);
        assert_true(stats.max_residual.position < 1e-8);
        assert_near(scripted_output(&s, "E"), E, 1e-6);
        x[k] = scripted_output(&s, "x");
        scripted_free(&s);
    }
    assert_near(x[0], x[1], 1e-6);
}

static void rows_of_loops_have_names_and_meanings(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, TWO "revolute('j', ground, a, " Z
                      "revolute('k', a, b, { at = {1, 0, 0}, axis = {1, 0, 0} })\n"
                      "revolute('l', ground, b, { at = {2, 0, 0}, axis = {0, 0, 1} })\n"
                      "point_on_plane('m', ground, b, { at = {3, 0, 0}, axis = {0, 1, 0} })\n");
    const dfl_declaration *d = dfl_model_find(l.model, "l.1");
    assert_non_null(d);
    assert_string_equal(d->meaning, "x translation");
    assert_int_equal(d->line, 5);
    assert_string_equal(dfl_model_find(l.model, "l.4")->meaning, "y rotation");
    assert_string_equal(dfl_model_find(l.model, "m")->meaning, "y translation");
    assert_null(dfl_model_find(l.model, "l.3")); /* no joint moves it along z */
    unload(&l);
}

/* Rows without a counterpart among the numeric loops, from their definitions. */
static void lines_in_the_plane_and_translations_prevent_what_they_should(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "planar()\n"
        "local a = body('a', { mass = 1, inertia = 1 })\n"
        "local b = body('b', { mass = 1, inertia = 1 })\n"
        "local f = free('f', ground, a, { at = {0, 0} })\n"
        "local h = free('h', ground, b, { at = {0, 0} })\n"
        "point_on_line('line', ground, a, { at = {1, 2}, axis = {3, 4} })\n"
        "translation('same', a, b)\n"
        "local p = point(a, {1, 2})\n"
        "output('off', 0.8*(p.x - 1) - 0.6*(p.y - 2))\noutput('turn', a.angle - b.angle)\n"
        "initial{ [f.q1] = 1, [f.q3] = 0.2, [f.qd1] = 1, [f.qd3] = 0.5 }");
    assert_int_equal(s.eq->nl, 2);
    scripted_run(&s, 1.0, 1e-9);
    assert_near(scripted_output(&s, "off"), 0.0, 1e-9);
    assert_near(scripted_output(&s, "turn"), 0.0, 1e-9);
    assert_true(fabs(scripted_value(&s, "f.q3")) > 0.5);
    scripted_free(&s);

    s = scripted_text("local a = body('a', { mass = 1, inertia = {1, 1, 1} })\n"
                      "local b = body('b', { mass = 1, inertia = {1, 1, 1} })\n"
                      "local f = free('f', ground, a, { at = {0, 0, 0} })\n"
                      "local h = free('h', ground, b, { at = {0, 0, 0} })\n"
                      "translation('same', a, b)\n"
                      "output('wx', a.wx - b.wx)\noutput('wy', a.wy - b.wy)\n"
                      "output('wz', a.wz - b.wz)\n"
                      "initial{ [f.w1] = 1, [f.w2] = -2, [f.w3] = 0.5, [h.v1] = 1 }");
    assert_int_equal(s.eq->nl, 3);
    scripted_run(&s, 1.0, 1e-9);
    assert_near(scripted_output(&s, "wx"), 0.0, 1e-8);
    assert_near(scripted_output(&s, "wy"), 0.0, 1e-8);
    assert_near(scripted_output(&s, "wz"), 0.0, 1e-8);
    scripted_free(&s);
}

/* A prescribed crank: x = cos(w t) exactly, and the work of the drive is in the energy. */
static void a_prescribed_motion_is_followed(void **state)
{
    (void)state;
    scripted s =
        scripted_text("planar()\n"
                      "local a = body('a', { mass = 1, com = {1, 0} })\n"
                      "local b = body('b', { mass = 1, com = {2, 0}, inertia = 1 })\n"
                      "local j = revolute('j', ground, a, { at = {0, 0}, motion = 3*time })\n"
                      "local k = revolute('k', a, b, { at = {1, 0} })\n"
                      "output('x', point(a, {1, 0}).x)\noutput('v', j.qd)\n"
                      "output('E', energy())\n"
                      "initial{ [k.q] = 0, [k.qd] = -3 }"); /* b does not turn */
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "E"), 9.0, 1e-13); /* two masses at 3 m/s */
    scripted_run(&s, 1.0, 1e-8);
    assert_near(scripted_output(&s, "x"), cos(3.0), 1e-15);
    assert_near(scripted_output(&s, "v"), 3.0, 0.0);
    scripted_free(&s);
}

/* Without forces a free body keeps its momentum; the quaternion keeps its length. */
static void a_free_body_tumbles_without_losing_anything(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "local a = body('a', { mass = 2, com = {0.1, 0.2, 0.3}, inertia = {1, 2, 2.5} })\n"
        "local j = free('j', ground, a, { at = {0, 0, 0} })\n"
        "local c = point(a, {0.1, 0.2, 0.3})\n"
        "output('vx', c.vx)\noutput('vy', c.vy)\noutput('vz', c.vz)\n"
        "initial{ [j.w1] = 1, [j.w2] = 2, [j.w3] = -1, [j.v1] = 0.5, [j.qd5] = 0, [j.v3] = 1 }");
    scripted_start(&s, NULL);
    const double v[3] = {scripted_output(&s, "vx"), scripted_output(&s, "vy"),
                         scripted_output(&s, "vz")};
    const double E = dfl_runnable_energy(s.run, 0, s.x);
    assert_int_equal(s.eq->nep, 1);
    scripted_run(&s, 3.0, 1e-10);
    assert_near(scripted_output(&s, "vx"), v[0], 1e-8);
    assert_near(scripted_output(&s, "vy"), v[1], 1e-8);
    assert_near(scripted_output(&s, "vz"), v[2], 1e-8);
    assert_near(dfl_runnable_energy(s.run, 3, s.x), E, 1e-8);
    scripted_free(&s);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static const char text[] =
        TWO "gravity{0, 0, -9.81}\n"
            "local j = free('j', ground, a, { at = {0, 0, 0} })\n"
            "universal('k', a, b, { at = {1, 0, 0}, axis = {0, 0, 1}, axis2 = {0, 1, 0} })\n"
            "distance('l', ground, b, { at = {1, 0, 0}, at_b = {2, 0, 0} })\n"
            "output('x', point(b, {2, 0, 0}).vx)";
    assert_survives_failed_allocations(text, 1);
}

/* ------------------------------------------------------------------------------- quaternions */

#define FREE                                                                                       \
    "local b = body('b', { mass = 1, inertia = {1, 2, 3} })\n"                                     \
    "local f = free('f', ground, b, { at = {0, 0, 0} })\n"

static double start_of(const loaded *l, const char *name)
{
    const dfl_model *model = l->model;
    const dfl_expr symbol = dfl_model_variable_named(model, name);
    for (int i = 0; i < model->starts.count; i++)
        if (model->starts.item[i].symbol == symbol)
            return model->starts.item[i].value;
    return 0.0;
}

static void quaternions_are_completed_to_length_1(void **state)
{
    (void)state;
    static const struct {
        const char *given;
        double e[4];
        int warnings;
    } list[] = {
        {"", {1, 0, 0, 0}, 0},
        {"initial{ [f.q5] = 0.6 }", {0.8, 0.6, 0, 0}, 0},
        {"initial{ [f.q4] = 0.6, [f.q6] = -0.8 }", {0.6, 0, -0.8, 0}, 0},
        {"initial{ [f.q5] = 0.48, [f.q7] = -0.36 }", {0.8, 0.48, 0, -0.36}, 0},
        {"initial{ [f.q4] = 0.6 } guess{ [f.q5] = 2 }", {0.6, 0.8, 0, 0}, 0},
        {"guess{ [f.q4] = 3, [f.q5] = 4 }", {0.6, 0.8, 0, 0}, 0},
        {"guess{ [f.q6] = 0.6 }", {0.8, 0, 0.6, 0}, 0},
        {"initial{ [f.q4] = 3, [f.q5] = 0, [f.q6] = 4, [f.q7] = 0 }", {0.6, 0, 0.8, 0}, 1},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[400];
        loaded l;
        snprintf(text, sizeof text, FREE "%s", list[i].given);
        load_bytes(&l, text, strlen(text), NULL);
        assert_int_equal(l.status, DFL_OK);
        for (int k = 0; k < 4; k++) {
            char name[] = "f.q4";
            name[3] = (char)('4' + k);
            assert_true(fabs(start_of(&l, name) - list[i].e[k]) < 1e-15);
        }
        assert_int_equal(l.model->warnings.count, list[i].warnings);
        unload(&l);
    }
}

static void quaternions_that_say_too_little_or_too_much_are_refused(void **state)
{
    (void)state;
    static const wrong list[] = {
        {FREE "initial{ [f.q4] = 0.6 }",
         "test.lua:3: joint 'f': the given part of its quaternion has length 0.6 and does not say "
         "about which axis"},
        {FREE "initial{ [f.q4] = 1, [f.q5] = 1 }", "test.lua:3: joint 'f': the given part of its "
                                                   "quaternion has length 1.414, more than 1"},
        {FREE "guess{ [f.q4] = 0 }", "test.lua:3: joint 'f': its quaternion is zero"},
        {FREE "initial{ [f.q4] = 0, [f.q5] = 0, [f.q6] = 0, [f.q7] = 0 }",
         "its quaternion is zero"},
    };
    CHECK_ALL(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_bodies_are_explained),
        cmocka_unit_test(wrong_joints_are_explained),
        cmocka_unit_test(wrong_loops_are_explained),
        cmocka_unit_test(wrong_uses_of_handles_are_explained),
        cmocka_unit_test(handles_have_names_and_no_addresses),
        cmocka_unit_test(a_pendulum_falls_as_it_should),
        cmocka_unit_test(a_slider_crank_stays_on_its_constraints),
        cmocka_unit_test(rows_of_loops_have_names_and_meanings),
        cmocka_unit_test(lines_in_the_plane_and_translations_prevent_what_they_should),
        cmocka_unit_test(a_prescribed_motion_is_followed),
        cmocka_unit_test(a_free_body_tumbles_without_losing_anything),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(quaternions_are_completed_to_length_1),
        cmocka_unit_test(quaternions_that_say_too_little_or_too_much_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
