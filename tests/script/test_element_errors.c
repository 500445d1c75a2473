/* Force elements in scripts: every mistake gets a sentence with file, line and remedy; no failed
   allocation leaks; exported outputs take the accelerations that they contain. */
#include "scripts.h"

#include "export/export.h"
#include "derive/derive.h"

#define MODEL                                                                                      \
    "planar()\n"                                                                                   \
    "local a = body('a', {mass = 1, com = {1, 0}, inertia = 1})\n"                                 \
    "local b = body('b', {mass = 1, com = {2, 0}, inertia = 1})\n"                                 \
    "local j = revolute('j', ground, a, {at = {0, 0}})\n"                                          \
    "local k = free('k', ground, b, {at = {2, 0}})\n"

static const struct {
    const char *line, *message; /* line 6 of the script */
} mistakes[] = {
    {"spring('s', a, b, {from = {1, 0}, to = {2, 0}, stifness = 1})",
     "test.lua:6: spring 's': unknown option 'stifness'; did you mean 'stiffness'?"},
    {"spring('s', a, b, {from = {1, 0}, to = {2, 0}})",
     "test.lua:6: spring 's': stiffness, damping or force is missing; give stiffness = ..., in "
     "N/m"},
    {"spring('s', a, b, {to = {2, 0}, stiffness = 1})",
     "spring 's': the point of the first body is missing; give from = {x, y}"},
    {"spring('s', a, b, {from = {1, 0}, stiffness = 1})",
     "spring 's': the point of the second body is missing; give to = {x, y}"},
    {"spring('s', a, b, {from = {1, 0}, to = {1, 0}, stiffness = 1})",
     "spring 's': its ends meet in the drawing, where no direction is known; give other points, or "
     "delta = 0.001"},
    {"spring('s', point(a, {1, 0}), b, {from = {0, 0}, to = {2, 0}, stiffness = 1})",
     "spring 's': a point of a body is given already; leave out from and to"},
    {"spring('s', a, b, {from = {1, 0}, to = {2, 0}, force = 'much'})",
     "spring 's': force is a text; give an expression, a function that returns one, or a spline"},
    {"spring('s', a, 3)",
     "test.lua:6: spring: argument 3 is a number; give a body, ground, or a point of a body"},
    {"spring('s', 3, a)", "give a joint, a body, ground, or a point of a body"},
    {"spring('s', j, {stiffness = 1}, 4)", "spring 's': only options may follow a joint"},
    {"torsion('t', k, {stiffness = 1, coordinate = 4})",
     "torsion 't': joint 'k' has 3 coordinates; choose one from 1 to 3"},
    {"spring('s', a, body('c'), {from = {1, 0}, to = {2, 0}, stiffness = 1})",
     "spring 's': body 'c' does not hang on the ground yet; give the joints between them first"},
    {"maxwell('m', j, {stiffness = 1})", "maxwell 'm': damping is missing"},
    {"actuator('m', j, {voltage = 1, resistance = 1})",
     "actuator 'm': the motor's constant is missing; give constant = ..., in N m/A"},
    {"friction('f', j, {coefficient = 1})",
     "friction 'f': the normal force is missing; give load = ..., in N"},
    {"wrench('w', ground, a, {force = {1, 0}})",
     "wrench 'w': the point is missing; give at = {x, y}"},
    {"wrench('w', ground, a)", "wrench 'w': force or torque is missing"},
    {"bushing('u', a, b, {at = {1, 0}})", "bushing 'u': a stiffness or damping is missing"},
    {"bushing('u', a, b, {at = {1, 0}, stiffness = {1, 2}})",
     "bushing 'u': stiffness has 2 numbers; give one, or {x, y, z}"},
    {"bushing('u', a, b, {at = {1, 0}, stiffness = j.q})",
     "bushing 'u': the stiffnesses of a bushing may contain only numbers, parameters and inputs"},
    {"impact('i', ground, b, {at = {2, 0}, stiffness = 1, plane = {0, 0}})",
     "impact 'i': the normal of the plane is missing; give normal = {x, y, z}, to the free side"},
    {"impact('i', ground, b, {at = {2, 0}, stiffness = 1})",
     "impact 'i': what it strikes is missing"},
    {"attraction('g', ground, {mu = 1})", "attraction 'g': a body is missing"},
    {"attraction('g', a, {})", "attraction 'g': the gravitational parameter is missing"},
    {"effort('d', j, 'x')", "effort: argument 3 is a text; give a number or an expression"},
    {"pid('c', {value = j.q, p = 1, d = 1})", "pid 'c': the time of the filter is missing"},
    {"pid('c', {value = j.q, p = 1, windup = 1})", "pid 'c': windup needs a limit"},
    {"pid('c', {p = 1})", "pid 'c': the value is missing"},
    {"pid('c', {value = j.q})", "pid 'c': a gain is missing"},
    {"lag('l', j.q, 0)", "lag 'l': the time is 0; give a positive one, in s"},
    {"local s = spring('s', j, {stiffness = 1}) output('x', s.force)", "test.lua:6: "},
    {"output('p', point(a, {0, 0}), 'velocty')",
     "output: unknown quantity 'velocty'; did you mean 'velocity'?"},
    {"output('p', point(a, {0, 0}).ox)", "point: unknown field 'ox'"},
    {"output('p', j, 'force')", "output 'p': nothing may follow a joint"},
    {"output('e', energy()) spring('s', j, {stiffness = 1})",
     "spring 's': energy() of line 6 is the sum of what was declared before it"},
    {"local m = revolute('m', a, b, {at = {1, 0}}) torsion('t', m, {stiffness = 1})",
     "torsion 't': joint 'm' closes a loop and has no coordinate"},
};

static void mistakes_are_explained(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[2000];
        snprintf(text, sizeof text, MODEL "%s\n", mistakes[i].line);
        assert_refused(text, mistakes[i].message, NULL);
    }
}

static void what_a_prescribed_joint_cannot_have_is_explained(void **state)
{
    (void)state;
    assert_refused(
        "planar()\nlocal a = body('a', {mass = 1})\n"
        "local j = prismatic('j', ground, a, {at = {0, 0}, axis = {1, 0}, motion = time})\n"
        "spring('s', j, {stiffness = 1})\n",
        "test.lua:4: spring 's': joint 'j' has a prescribed motion, which no force changes", NULL);
}

/* Every kind of element, reactions and motion. */
static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static const char text[] = MODEL
        "distance('l', a, b, {at = {1, 0}, at_b = {3, 0}})\n"
        "spring('s', a, b, {from = {1, 0}, to = {2, 0}, stiffness = 1, damping = 1})\n"
        "torsion('t', j, {stiffness = 1})\n"
        "maxwell('m', j, {stiffness = 1, damping = 1})\n"
        "bushing('u', a, b, {at = {1, 0}, stiffness = 1})\n"
        "impact('i', ground, b, {at = {2, 0}, plane = {0, -1}, normal = {0, 1}, stiffness = 1})\n"
        "actuator('e', j, {voltage = 1, resistance = 1, inductance = 1, constant = 1})\n"
        "local c = pid('c', {value = j.q, p = 1, i = 1, d = 1, filter = 1})\n"
        "effort('d', j.q + point(b, {2, 0}).x, c.out)\n"
        "output('j', j) output('p', point(b, {1, 1}), 'acceleration', 'rotation')\n";
    assert_survives_failed_allocations(text, 1);
}

static void exported_outputs_take_their_accelerations(void **state)
{
    (void)state;
    loaded l;
    dfl_equations *eq = NULL;
    load_good(&l, MODEL "output('j', j)\n");
    dfl_text text = {.ctx = l.ctx};
    assert_int_equal(dfl_equations_create(&eq, l.model, true), DFL_OK);
    const double x[64] = {0};
    assert_in_range(eq->n, 1, 64);
    assert_int_equal(dfl_export_c(&text, eq, &(dfl_export_start){.x = x}), DFL_OK);
    assert_non_null(strstr(dfl_text_string(&text),
                           "void test_outputs(double *out, double t, const double *x, const double "
                           "*a, const double *par, double *work)"));
    dfl_text_clear(&text);
    dfl_equations_free(eq);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(what_a_prescribed_joint_cannot_have_is_explained),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(exported_outputs_take_their_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
