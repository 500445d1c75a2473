/* Elastic bodies in trees: masses, forces of inertia and their derivatives by recursion are those
   of expressions, to rounding; runs and gradients agree; what the recursion does not take is said.
 */
#include "same_blocks.h"

/* 100 to 1000 roundings of the largest entry of each block. */
static const double closeness = 1e-12;

static void compare(const char *text)
{
    uint64_t seed = 77;
    scripted one = load(text, DFL_DYNAMICS_EXPRESSIONS, NULL);
    scripted other = load(text, DFL_DYNAMICS_RECURSION, NULL);
    assert_null(one.model->tree);
    if (!other.model->tree)
        fail_msg("%s\nno recursion: %s", text, other.model->no_tree);
    for (int k = 0; k < 3; k++)
        compare_at(text, closeness, &one, &other, &seed);
    scripted_free(&one);
    scripted_free(&other);
}

/* ------------------------------------------------------------------ random trees */

enum { BODIES = 4, ROOM = 8000 };

typedef struct writer {
    char text[ROOM];
    size_t length;
    uint64_t seed;
    double end[BODIES][3], middle[BODIES][3];
    bool elastic[BODIES];
} writer;

static void write_text(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->length +=
        (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, arguments);
    va_end(arguments);
    assert_true(w->length < sizeof w->text);
}

/* From `at` in a random direction: a beam that is soft, so that no stiffness hides masses, or a
   rigid body. */
static void write_body(writer *w, int i, const double *at)
{
    static const char *const options[] = {
        "frame = 'chord'", "frame = 'tangent'", "frame = 'buckens'",
        "frame = 'chord', first_order = true", "frame = 'tangent', first_order = true"};
    double d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = number(&w->seed, 1.0) + (k == i % 3);
        w->end[i][k] = at[k] + d[k];
        w->middle[i][k] = at[k] + 0.375 * d[k];
    }
    w->elastic[i] = i == 0 || choice(&w->seed, 3) > 0;
    if (w->elastic[i])
        write_text(
            w,
            "local b%d = elastic('b%d', {beam = {from = {%.17g, %.17g, %.17g},\n"
            " to = {%.17g, %.17g, %.17g}, width = .2*k, height = .3, E = 50, density = 20},\n"
            " modes = %d, damping = .02, %s, nodes = {a = 0, m = .375, b = 1}})\n",
            i, i, at[0], at[1], at[2], w->end[i][0], w->end[i][1], w->end[i][2],
            1 + choice(&w->seed, 5), options[choice(&w->seed, 5)]);
    else
        write_text(w,
                   "local b%d = body('b%d', {mass = 2*k, com = {%.17g, %.17g, %.17g},\n"
                   " inertia = {.4, .5, .6, .02, .01, -.03}})\n",
                   i, i, w->middle[i][0], w->middle[i][1], w->middle[i][2]);
}

static void write_joint(writer *w, int i, const char *parent, const double *at)
{
    static const char *const kinds[] = {"revolute",  "revolute",  "prismatic", "cylindrical",
                                        "spherical", "universal", "fixed",     "free"};
    const int kind = choice(&w->seed, i == 0 ? 6 : 8);
    const char *end = w->elastic[i] ? (kind == 7 ? "" : ".a") : "";
    write_text(w, "local j%d = %s('j%d', %s, b%d%s, {at = {%.17g, %.17g, %.17g}", i, kinds[kind], i,
               parent, i, end, at[0], at[1], at[2]);
    if (kind < 6 && kind != 4)
        write_text(w, ", axis = {1, %.17g, %.17g}", number(&w->seed, 1.0),
                   kind == 5 ? 0.0 : number(&w->seed, 1.0));
    if (kind == 5)
        write_text(w, ", axis2 = {0, 0, 1}");
    if (kind == 0 && choice(&w->seed, 2))
        write_text(w, ", motion = k*sin(2*time)");
    write_text(w, "})\n");
}

/* Hangs body i on the ground or on a place of an earlier body. */
static void write_step(writer *w, int i)
{
    static const double ground[3] = {0};
    char parent[20] = "ground";
    const double *at = ground;
    const int on = i == 0 ? -1 : choice(&w->seed, i);
    if (on >= 0) {
        const bool middle = choice(&w->seed, 2);
        at = middle ? w->middle[on] : w->end[on];
        snprintf(parent, sizeof parent, w->elastic[on] ? "b%d.%s" : "b%d", on, middle ? "m" : "b");
    }
    write_body(w, i, at);
    write_joint(w, i, parent, at);
}

static void random_trees_agree(void **state)
{
    (void)state;
    for (int tree = 0; tree < 12; tree++) {
        writer *w = calloc(1, sizeof *w);
        w->seed = 1000 + 7 * (uint64_t)tree;
        for (int k = 0; k < 10; k++)
            number(&w->seed, 1.0);
        write_text(w, "local k = param('k', 1.1)\ngravity{0.5, -9.81, 0.3}\n");
        for (int i = 0; i < BODIES; i++)
            write_step(w, i);
        compare(w->text);
        free(w);
    }
}

/* ------------------------------------------------------------------ other models */

#define BEAM(NAME, X, MORE)                                                                        \
    "local " NAME " = elastic('" NAME "', {beam = {from = {" X ", 0}, to = {" X " + 1, .2},\n"     \
    "  width = .2, height = .3*k, E = 60, density = 20}, modes = 4, " MORE                         \
    "  nodes = {a = 0, m = .5, b = 1}})\n"
#define FLAT "planar()\nlocal k = param('k', 1.1)\ngravity{0.5, -9.81}\n"

/* A mast of length 1 given by matrices, with masses that no beam has. */
#define TABLE                                                                                      \
    "local mast = elastic('mast', {at = {1, .2}, axis = {0, 1},\n"                                 \
    "  nodes = {foot = {at = {0, 0}}, top = {at = {1, 0}, phi = {{0, .1}, {1, .3}},\n"             \
    "    psi = {2, .4}, Kf = {{{.3, .1}, {.1, .2}}, {{0, .1}, {.1, 0}}}}},\n"                      \
    "  modes = {mass = 3, moment = {3/2, 0}, inertia = 1, Me = {{9/5, .1}, {.1, .7}},\n"           \
    "    S = {{0, .1}, {1, .2}}, C0 = {3/4, .1}, C1 = {{0, .2}, {-.2, 0}}, J1 = {.1, .2},\n"       \
    "    J2 = {{.5, .1}, {.1, .6}}, Kw = {{.3, .1}, {.1, .2}}, K = {{40, 1}, {1, 60*k}}}})\n"

static void plane_trees_tables_loops_and_forces_agree(void **state)
{
    (void)state;
    static const char *const models[] = {
        /* plane: chord on tangent, a body at the tip, a spring to a node, motion prescribed */
        FLAT BEAM("A", "0", "frame = 'tangent', damping = .02,")
            BEAM("B", "1", "") "revolute('j1', ground, A.a, {at = {0, 0}})\n"
                               "revolute('j2', A.b, B.a, {at = {1, .2}, motion = k*sin(time)})\n"
                               "local c = body('c', {mass = .3, com = {2, .3}, inertia = .01})\n"
                               "fixed('grip', B.b, c)\n"
                               "spring('s', point(ground, {3, 1}), B.m, {stiffness "
                               "= 9, damping = 1})\n",
        /* a loop: both ends of a beam held */
        FLAT BEAM("A", "0", "") "local c = body('c', {mass = .3, com = {2, .3}, inertia = .01})\n"
                                "revolute('j1', ground, A.a, {at = {0, 0}})\n"
                                "revolute('j2', A.b, c, {at = {1, .2}})\n"
                                "prismatic('j3', ground, c, {at = {2, .3}, axis = {1, 0}})\n",
        /* a body on a table's node, a slide below it */
        FLAT BEAM("A", "0", "frame = 'tangent',") TABLE
        "prismatic('j1', ground, A.a, {at = {0, 0}, axis = {1, .3}})\n"
        "revolute('j2', A.b, mast.foot, {at = {1, .2}})\n"
        "local c = body('c', {mass = .3, com = {1, 1.3}, inertia = .01})\n"
        "revolute('j3', mast.top, c, {at = {1, 1.2}})\n",
        /* a free elastic body in the plane, clamped to the ground, and in space */
        FLAT BEAM("A", "0", "frame = 'buckens',") "free('j1', ground, A, {at = {0, 0}})\n",
        FLAT BEAM("A", "0", "") "fixed('j1', ground, A.a, {at = {0, 0}})\n",
        "local k = param('k', 1.1)\ngravity{0.5, -9.81, 0.3}\n"
        "local p = elastic('p', {section = {width = .2, height = .3, E = 60, density = 20},\n"
        "  points = {a = {0, 0, 0}, b = {1, 0, .5}, c = {1.5, 1, .5}},\n"
        "  beams = {{between = {'a', 'b'}}, {between = {'b', 'c'}}}, interfaces = {'a', 'c'},\n"
        "  modes = 2})\n"
        "local c = body('c', {mass = k, com = {2, 1, .5}, inertia = {.1, .1, .1}})\n"
        "spherical('j1', ground, p.a, {at = {0, 0, 0}})\n"
        "revolute('j2', p.c, c, {at = {1.5, 1, .5}, axis = {0, 1, 1}})\n",
        FLAT "local p = elastic('p', {section = {EA = 90, EI = 3, mass_per_length = 2},\n"
             "  points = {a = {0, 0}, b = {1, .5}, c = {1.5, 1}}, interfaces = {'a', 'c'},\n"
             "  beams = {{between = {'a', 'b'}}, {between = {'b', 'c'}}}, modes = 3})\n"
             "local c = body('c', {mass = k, com = {2, 1}, inertia = .1})\n"
             "revolute('j1', ground, p.a, {at = {0, 0}})\n"
             "revolute('j2', p.c, c, {at = {1.5, 1}})\n"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        compare(models[i]);
}

/* The same motion, within errors of tolerance 1e-9. */
static void runs_agree(void **state)
{
    (void)state;
    static const char *const text = FLAT BEAM("A", "0", "damping = .02,") BEAM(
        "B", "1", "damping = .02,") "revolute('j1', ground, A.a, {at = {0, 0}})\n"
                                    "revolute('j2', A.b, B.a, {at = {1, .2}})\n"
                                    "prismatic('j3', ground, B.b, {at = {2, .2}, axis = {1, 0}})\n";
    scripted one = load(text, DFL_DYNAMICS_EXPRESSIONS, NULL);
    scripted other = load(text, DFL_DYNAMICS_RECURSION, NULL);
    scripted_run(&one, 0.3, 1e-9);
    scripted_run(&other, 0.3, 1e-9);
    for (int i = 0; i < one.eq->n; i++)
        assert_near(other.x[i], one.x[i], 1e-6 * (1.0 + fabs(one.x[i])));
    scripted_free(&one);
    scripted_free(&other);
}

static void what_is_left_to_expressions_is_said(void **state)
{
    (void)state;
    static const char *const models[][2] = {
        {FLAT BEAM("A", "0",
                   "quasistatic = 1, damping = .1,") "revolute('j1', ground, A.a, {at = {0, 0}})\n",
         "there are modes without inertia"},
        {FLAT BEAM("A", "0",
                   "") "local c = body('c', {})\nrevolute('j1', ground, A.a, {at = {0, 0}})\n"
                       "local h = revolute('j2', A.b, c, {at = {1, .2}})\n"
                       "torsion('t', h, {stiffness = 3, damping = 1})\n",
         "there are elastic bodies, and directions without mass"}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        scripted s = load(models[i][0], DFL_DYNAMICS_RECURSION, NULL);
        assert_null(s.model->tree);
        assert_string_equal(s.model->no_tree, models[i][1]);
        scripted_free(&s);
    }
}

/* Long chains are left to recursions by themselves, short ones are not. */
static void chains_of_beams_choose_the_way_by_their_length(void **state)
{
    (void)state;
    for (int n = 1; n <= 6; n += 5) {
        char text[3000] = "gravity{0, 0, -9.81}\nlocal last = ground\n";
        size_t length = strlen(text);
        for (int i = 0; i < n; i++)
            length += (size_t)snprintf(
                text + length, sizeof text - length,
                "local b%d = elastic('b%d', {beam = {from = {%d, 0, 0}, to = {%d, 0, 0}, width = "
                ".02,\n"
                " height = .03, E = 7e10, density = 2700}, modes = 4, nodes = {a = 0, b = 1}})\n"
                "revolute('j%d', last, b%d.a, {at = {%d, 0, 0}, axis = {0, 1, 0}})\nlast = b%d.b\n",
                i, i, i, i + 1, i, i, i, i);
        scripted s = load(text, DFL_DYNAMICS_AUTO, NULL);
        assert_int_equal(s.model->tree != NULL, n == 6);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_agree),
        cmocka_unit_test(plane_trees_tables_loops_and_forces_agree), cmocka_unit_test(runs_agree),
        cmocka_unit_test(what_is_left_to_expressions_is_said),
        cmocka_unit_test(chains_of_beams_choose_the_way_by_their_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
