/* Frames of beams: a portal under its weight, pendulums of one beam, and what is refused. */
#include "near.h"

#include <math.h>

#define PORTAL(INTERFACES, MODES, HOLD)                                                            \
    "gravity{0, 0, -9.81}\n"                                                                       \
    "local f = elastic('f', { section = { EA = 1e12, EI = 2e6, EI2 = 1e6, GJ = 1e6,\n"             \
    "    mass_per_length = 10, section_inertia = 1e-3, elements = 8, up = {0, 1, 0} },\n"          \
    "  points = { a = {0, 0, 0}, b = {0, 0, 3}, m = {2, 0, 3}, c = {4, 0, 3}, d = {4, 0, 0} },\n"  \
    "  beams = { { between = {'a', 'b'} }, { between = {'b', 'm'} }, { between = {'m', 'c'} },\n"  \
    "    { between = {'c', 'd'} } }, interfaces = " INTERFACES ", modes = " MODES " })\n" HOLD

/* Clamped at both feet, width L, height h, all beams alike: moments q L^2 / (6 (2 + h/L)) at the
   corners (Kleinlogel), so that the middle sags by 5 q L^4 / 384 EI - M L^2 / 8 EI. */
static void a_portal_sags_under_its_weight(void **state)
{
    (void)state;
    const double q = 98.1, L = 4, h = 3, EI = 1e6, M = q * L * L / (6 * (2 + h / L));
    const double sag = 5 * q * pow(L, 4) / (384 * EI) - M * L * L / (8 * EI);
    near it = near_find(PORTAL("{'a', 'm', 'd'}", "10",
                               "fixed('left', ground, f.a)\nfixed('right', ground, f.d)\n"
                               "output('sag', deflection(f.m, 'z'))\n"),
                        "equilibrium", NULL);
    memcpy(it.s.x, it.state.x, (size_t)it.s.eq->n * sizeof *it.s.x);
    assert_near(scripted_output(&it.s, "sag"), -sag, 0.002 * sag);
    near_free(&it);
}

/* The same portal in the plane, and moments and forces in its beams: M at the corners, M / 2 at the
   feet, 3 M / 2 h along the upper beams (Kleinlogel); elements of a quarter of a metre are off by q
   l^2 / 12. Modes do not stretch within a leg: its force is the mean one, with half of its weight.
 */
static void a_portal_in_the_plane_has_these_moments(void **state)
{
    (void)state;
    const double q = 98.1, L = 4, h = 3, EI = 2e6, M = q * L * L / (6 * (2 + h / L));
    const double sag = 5 * q * pow(L, 4) / (384 * EI) - M * L * L / (8 * EI);
    near it = near_find(
        "planar() gravity{0, -9.81}\n"
        "local f = elastic('f', { section = { EA = 1e12, EI = 2e6, mass_per_length = 10,\n"
        "    elements = 8 }, points = { a = {0, 0}, b = {0, 3}, m = {2, 3}, c = {4, 3}, d = {4, 0} "
        "},\n"
        "  beams = { { between = {'a', 'b'} }, { between = {'b', 'm'} }, { between = {'m', 'c'} "
        "},\n"
        "    { between = {'c', 'd'} } }, interfaces = {'a', 'b', 'm', 'c', 'd'}, modes = 16 })\n"
        "fixed('left', ground, f.a)\nfixed('right', ground, f.d)\n"
        "output('sag', deflection(f.m)) output('foot', beam_load(f.a))\n"
        "output('corner', beam_load(f.b, 'moment', 1)) output('beam', beam_load(f.b, 'moment', "
        "2))\n"
        "output('push', beam_load(f.b, 'force', 2)) output('leg', beam_load(f.a, 'force'))\n"
        "output('middle', beam_load(f.m, 'moment', 3))\n",
        "equilibrium", NULL);
    memcpy(it.s.x, it.state.x, (size_t)it.s.eq->n * sizeof *it.s.x);
    assert_near(scripted_output(&it.s, "sag"), -sag, 0.002 * sag);
    assert_near(scripted_output(&it.s, "corner"), -M, 0.02 * M);
    assert_near(scripted_output(&it.s, "beam"), -M, 0.02 * M);
    assert_near(scripted_output(&it.s, "foot"), 0.5 * M, 0.02 * M);
    assert_near(scripted_output(&it.s, "middle"), q * L * L / 8 - M, 0.02 * M);
    assert_near(scripted_output(&it.s, "push"), -1.5 * M / h, 0.03 * M / h);
    assert_near(scripted_output(&it.s, "leg"), -q * 0.5 * (L + h), 1e-6 * q); /* mean of the leg */
    near_free(&it);
}

/* A cantilever of one beam, frequencies in units of sqrt(EI / rho A L^4). */
#define COLUMN(FRAME, INTERFACES, MORE, REST)                                                      \
    "local f = elastic('f', { section = { EI = 1.2, EI2 = 1, EA = 1e6, GJ = 100, elements = 20,\n" \
    "  mass_per_length = 1, section_inertia = 1e-7 }, points = { a = {0, 0, 0}, b = {1, 0, 0} "    \
    "},\n"                                                                                         \
    "  beams = { { between = {'a', 'b'} } }, interfaces = " INTERFACES ", modes = 10,\n"           \
    "  frame = '" FRAME "'" MORE " })\n" REST

static const struct {
    const char *frame, *interfaces;
} holds[] = {{"tangent", "{'a'}"},
             {"tangent", "{'a', 'b'}"},
             {"chord", "{'a', 'b'}"},
             {"buckens", "{'a', 'b'}"}};

static near column(int i, const char *more, const char *rest)
{
    char text[2000];
    snprintf(text, sizeof text, COLUMN("%s", "%s", "%s", "%s"), holds[i].interfaces, holds[i].frame,
             more, rest);
    return near_find(text, "equilibrium", NULL);
}

/* A rotating cantilever, 12 of these units, in the plane of rotation and across it: exact by power
   series (as in test_rotating_beams.c); static shapes approach them from above. */
static void centrifugal_forces_stiffen_frames(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        near it = column(i, "",
                         "revolute('spin', ground, f.a, { at = {0, 0, 0}, axis = {0, 0, 1},\n"
                         "  motion = 12*time })\n");
        near_has(&it, 0, 13.1701505, 1e-3 * 13.1701505);
        near_free(&it);
        it = column(i, "",
                    "revolute('spin', ground, f.a, { at = {0, 0, 0}, axis = {0, 1, 0},\n"
                    "  motion = 12*time })\n");
        near_has(&it, 0, 5.42704928, 6e-3 * 5.42704928); /* w^2 is smaller by 144: (13.17/5.43)^2 */
        near_free(&it);
    }
    near soft = column(0, ", first_order = true",
                       "revolute('spin', ground, f.a, { at = {0, 0, 0}, axis = {0, 1, 0},\n"
                       "  motion = 2*time })\n");
    near_has(&soft, 0, sqrt(3.516015269 * 3.516015269 - 4), 1e-3);
    near_free(&soft);
}

/* In the plane of rotation, and buckling, with coordinates of the plane alone. */
static void frames_in_the_plane_are_stiffened_too(void **state)
{
    (void)state;
    static const char *const text =
        "planar()\n"
        "local f = elastic('f', { section = { EI = 1, EA = 1e6, elements = 20, mass_per_length = 1 "
        "},\n"
        "  points = { a = {0, 0}, b = {1, 0} }, beams = { { between = {'a', 'b'} } },\n"
        "  interfaces = %s, modes = 10, frame = '%s' })\n%s";
    char script[1000], rest[400];
    for (int i = 0; i < 4; i++) {
        snprintf(script, sizeof script, text, holds[i].interfaces, holds[i].frame,
                 "revolute('spin', ground, f.a, { at = {0, 0}, motion = 12*time })\n");
        near it = near_find(script, "equilibrium", NULL);
        near_has(&it, 0, 5.42704928, 6e-3 * 5.42704928);
        near_free(&it);
        for (int over = 0; over < 2; over++) {
            snprintf(rest, sizeof rest,
                     "fixed('foot', ground, f.a)\n"
                     "wrench('push', ground, f.b, { at = {1, 0}, force = {-%.17g, 0} })\n",
                     2.4674011 * (over ? 1.005 : 0.995));
            snprintf(script, sizeof script, text, holds[i].interfaces, holds[i].frame, rest);
            it = near_find(script, "equilibrium", NULL);
            double most = 0.0;
            for (int k = 0; k < it.modes.count; k++)
                most = fmax(most, it.modes.mode[k].re);
            assert_true(over ? most > 0.1 : most < 1e-6);
            near_free(&it);
        }
    }
}

/* Where the frame of reference is not that of the bent body, a start without deflections is not
   balanced, and its frequencies (here 13.53 instead of 13.17) are not those of a steady motion. */
static void a_start_that_is_not_balanced_is_called_so(void **state)
{
    (void)state;
    near it = near_find(COLUMN("chord", "{'a', 'b'}", "",
                               "revolute('spin', ground, f.a, { at = {0, 0, 0}, axis = {0, 0, 1},\n"
                               "  motion = 12*time })\n"),
                        NULL, NULL);
    assert_int_equal(it.linear.linear.kind, DFL_AT_FROZEN);
    near_free(&it);
}

/* Euler: pi^2 EI / 4 L^2; Greenhill: rho A g L^3 = 7.8373 EI. Beyond them a column falls over. */
static void columns_buckle(void **state)
{
    (void)state;
    static const struct {
        const char *weight, *push;
        double critical;
    } cases[] = {{"%.17g", "0", 7.8373}, {"0", "%.17g", 2.4674011}};
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 4; c++) {
            const double load = cases[c / 2].critical * (c % 2 ? 1.005 : 0.995);
            char form[200], rest[400];
            snprintf(form, sizeof form,
                     "gravity{-%s, 0, 0} fixed('foot', ground, f.a)\n"
                     "wrench('push', ground, f.b, { at = {1, 0, 0}, force = {-%s, 0, 0} })\n",
                     cases[c / 2].weight, cases[c / 2].push);
            snprintf(rest, sizeof rest, form, load);
            near it = column(i, "", rest);
            double most = 0.0;
            for (int k = 0; k < it.modes.count; k++)
                most = fmax(most, it.modes.mode[k].re);
            assert_true(c % 2 ? most > 0.1 : most < 1e-6);
            near_free(&it);
        }
}

/* The same beam as a built-in one and as a frame moves in the same way. */
static void a_frame_of_one_beam_is_a_beam(void **state)
{
    (void)state;
#define REST                                                                                       \
    "local j = spherical('j', ground, b.a, { at = {0, 0, 0} })\n"                                  \
    "initial{ ['j.w3'] = 2 }\noutput('z', point(b.b, {1, 0, 0}).z)\noutput('y', "                  \
    "point(b.b, {1, 0, 0}).y)\noutput('energy', energy())\n"
    static const char *const texts[] = {
        "gravity{0, 0, -9.81}\n"
        "local b = elastic('b', { beam = { from = {0, 0, 0}, to = {1, 0, 0}, width = .01,\n"
        "  height = .02, E = 7e10, density = 2700, elements = 16 }, modes = 8, interface = true,\n"
        "  nodes = { a = 0, b = 1 } })\n" REST,
        "gravity{0, 0, -9.81}\n"
        "local b = elastic('b', { section = { width = .01, height = .02, E = 7e10, density = "
        "2700,\n"
        "  elements = 16 }, points = { a = {0, 0, 0}, b = {1, 0, 0} }, frame = 'chord',\n"
        "  beams = { { between = {'a', 'b'} } }, interfaces = {'a', 'b'}, modes = 8 })\n" REST};
    double z[2], y[2];
    for (int i = 0; i < 2; i++) {
        scripted s = scripted_text(texts[i]);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8, .self_check = true});
        const double before = scripted_output(&s, "energy");
        scripted_advance(&s, 0.3);
        assert_near(scripted_output(&s, "energy"), before, 1e-6);
        z[i] = scripted_output(&s, "z");
        y[i] = scripted_output(&s, "y");
        scripted_free(&s);
    }
    assert_true(fabs(z[0]) > 0.1);
    assert_near(z[0], z[1], 2e-4); /* sections that turn have inertia in the frame alone */
    assert_near(y[0], y[1], 2e-4);
}

/* On a hub without mass hardly anything but modes carries its masses, which second order must not
   make negative: a frame of 14 coordinates deflects by 4 % of its length, as the beam does, which
   has all terms of fourth order; 20 of their squares are the difference. */
static void many_modes_leave_masses_positive(void **state)
{
    (void)state;
#define SWING                                                                                      \
    "local hub = revolute('hub', ground, r.a, { at = {0, 0, 0}, axis = {0, .3, 1} })\n"            \
    "local tip = body('tip', { mass = 2, com = {1.5, .1, .05}, inertia = {.01, .01, .02} })\n"     \
    "fixed('grip', r.b, tip)\ntorsion('spring', hub, { stiffness = 3000 })\n"                      \
    "gravity{0, -9.81, 2}\ninitial{ [hub.qd] = 3 }\n"                                              \
    "output('y', r.b.y) output('z', r.b.z) output('energy', energy())\n"
    static const char *const section =
        "EA = 1.26e8, EI = 9450, EI2 = 4200, GJ = 4000, mass_per_length = 4.71, section_inertia = "
        "1e-7";
    static const char *const forms[] = {
        "local r = elastic('r', { beam = { from = {0, 0, 0}, to = {1.5, 0, 0}, %s },\n"
        "  modes = 8, interface = true, nodes = { a = 0, b = 1 }, frame = 'tangent' })\n" SWING,
        "local r = elastic('r', { section = { %s, elements = 20 },\n"
        "  points = { a = {0, 0, 0}, b = {1.5, 0, 0} }, beams = { { between = {'a', 'b'} } },\n"
        "  interfaces = {'a', 'b'}, modes = 8 })\n" SWING};
    double y[2], z[2];
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text, forms[i], section);
        scripted s = scripted_text(text);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8, .atol = 1e-10});
        const double before = scripted_output(&s, "energy");
        scripted_advance(&s, 0.25);
        assert_near(scripted_output(&s, "energy"), before, 1e-7);
        y[i] = scripted_output(&s, "y");
        z[i] = scripted_output(&s, "z");
        scripted_free(&s);
    }
    assert_near(y[0], y[1], 1e-4); /* moments turn sections of beams alone */
    assert_near(z[0], z[1], 1e-4);
}

/* A bar of 15 micrometres sags by a hundred thousandth of a hundred thousandth of what one of 1.5
   metres does: nothing of its masses, 1e-15 of the other's, is taken for rounding. */
static void small_frames_are_like_large_ones(void **state)
{
    (void)state;
    double sag[2];
    for (int i = 0; i < 2; i++) {
        const double s = i ? 1e-5 : 1.0;
        char text[1000];
        snprintf(text, sizeof text,
                 "gravity{0, -9.81, 0}\n"
                 "local r = elastic('r', { section = { width = %g, height = %g, E = 2.1e11,\n"
                 "  density = 7850, elements = 10 }, points = { a = {0, 0, 0}, b = {%g, 0, 0} },\n"
                 "  beams = { { between = {'a', 'b'} } }, interfaces = {'a', 'b'}, modes = 2 })\n"
                 "fixed('f', ground, r.a)\noutput('sag', deflection(r.b))\n",
                 .02 * s, .03 * s, 1.5 * s);
        near it = near_find(text, "equilibrium", NULL);
        memcpy(it.s.x, it.state.x, (size_t)it.s.eq->n * sizeof *it.s.x);
        sag[i] = scripted_output(&it.s, "sag");
        near_free(&it);
    }
    const double L = 1.5, h = .03;
    near_close(sag[0], -1.5 * 7850 * 9.81 * pow(L, 4) / (2.1e11 * h * h), 1e-12);
    near_close(sag[1], 1e-10 * sag[0], 1e-20);
}

static void wrong_frames_are_refused(void **state)
{
    (void)state;
    scripted_refused(PORTAL("{'x'}", "6", ""), "there is no point 'x'");
    scripted_refused(PORTAL("{}", "6", ""), "give interfaces");
    scripted_refused(PORTAL("{'a', 'a'}", "6", ""), "node 1 is given twice");
    scripted_refused(PORTAL("{'a', 'd'}", "38", ""), "44 coordinates");
    scripted_refused("elastic('f', { points = { a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 0, 0} },\n"
                     "  section = { radius = .1, E = 1e9, density = 1000 }, frame = 'chord',\n"
                     "  beams = { { between = {'a', 'b'} }, { between = {'b', 'c'} } },\n"
                     "  interfaces = {'a', 'c'} })",
                     "'a' and 'c' are the same place");
    scripted_refused("elastic('f', { points = { a = {0, 0, 0} }, beams = {}, interfaces = {'a'} })",
                     "give beams");
    scripted_refused("elastic('f', { points = { a = {0, 0, 0}, b = {1, 0, 0} },\n"
                     "  beams = { { between = {'a', 'b'} } }, interfaces = {'a'} })",
                     "EA of a beam is 0");
    scripted_refused("elastic('f', { points = { a = {0, 0, 0}, b = {1, 0, 0}, c = {5, 0, 0} },\n"
                     "  section = { radius = .1, E = 1e9, density = 1000 },\n"
                     "  beams = { { between = {'a', 'b'} } }, interfaces = {'a'} })",
                     "stiffness of node 3");
    scripted_refused("planar() elastic('f', { points = { a = {0, 0, 0}, b = {1, 0, 0} },\n"
                     "  section = { radius = .1, E = 1e9, density = 1000 },\n"
                     "  beams = { { between = {'a', 'b'} } }, interfaces = {'a'} })",
                     "point 'a' is {x, y}");
    scripted_refused(
        "planar() elastic('f', { points = { a = {0, 0}, b = {0, 0} }, interfaces = {'a'},\n"
        "  section = { EI = 1, EA = 1, mass_per_length = 1 }, beams = { { between = {'a', 'b'} } } "
        "})",
        "beam 1 has no length");
    scripted_refused(PORTAL("{'a'}", "6", "fixed('x', ground, f.q)"),
                     "no node 'q'; its nodes: a, b, c, d, m");
    scripted_refused(
        PORTAL("{'a'}", "6", "revolute('x', ground, f, { at = {2, 0, 3.5}, axis = {0, 1, 0} })"),
        "f.m (0.5 m away), f.b (2.062 m away), f.c (2.062 m away)");
    scripted_refused("planar() elastic('f', { file = 'part.SID_FEM' })", "leave out planar()");
    scripted_refused(PORTAL("{'a'}", "6", "output('M', beam_load(f.b))"),
                     "the number of a beam of the frame that ends at this node");
    scripted_refused(PORTAL("{'a'}", "6", "output('M', beam_load(f.b, 'moment', 3))"),
                     "the number of a beam of the frame that ends at this node");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_portal_sags_under_its_weight),
        cmocka_unit_test(centrifugal_forces_stiffen_frames),
        cmocka_unit_test(a_portal_in_the_plane_has_these_moments),
        cmocka_unit_test(frames_in_the_plane_are_stiffened_too),
        cmocka_unit_test(a_start_that_is_not_balanced_is_called_so),
        cmocka_unit_test(columns_buckle),
        cmocka_unit_test(a_frame_of_one_beam_is_a_beam),
        cmocka_unit_test(many_modes_leave_masses_positive),
        cmocka_unit_test(small_frames_are_like_large_ones),
        cmocka_unit_test(wrong_frames_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
