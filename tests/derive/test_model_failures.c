/* Models that cannot be run say why, with file and line; and every failed allocation on the way
   from the text to the start is clean. */
#include "scripted.h"

#include <stdbool.h>

/* The text fails before or at its start with a message that contains `expected`. */
static void assert_refused(const char *text, dfl_status expected_status, const char *expected)
{
    dfl_status status;
    scripted s = scripted_try(&status, text);
    if (!status)
        status = scripted_try_start(&s, &(dfl_solver_options){.rtol = 1e-8});
    if (status != expected_status || !strstr(dfl_message(s.ctx), expected))
        fail_msg("expected %s with '%s', found %s: '%s'", dfl_status_name(expected_status),
                 expected, dfl_status_name(status), status ? dfl_message(s.ctx) : "");
    scripted_free(&s);
}

/* ------------------------------------------------------------ what cannot be derived */

static void models_without_unknowns_are_refused(void **state)
{
    (void)state;
    assert_refused("local m = param('m', 1)\n", DFL_INVALID,
                   "test.lua: the model has no coordinates; declare some with position(\"x\")");
}

static void kinetic_energies_that_are_not_quadratic_are_refused(void **state)
{
    (void)state;
    assert_refused("local x, y = position('x', 'y')\n"
                   "kinetic(velocity(x)^2 + velocity(y)^2*velocity(x)^2)\n",
                   DFL_INVALID,
                   "test.lua:2: the kinetic energy is not quadratic in the velocities");
    assert_refused("local x = position('x')\n"
                   "kinetic(velocity(x)^4)\n",
                   DFL_INVALID, "the mass of der(x) and der(x) still contains a velocity");
    assert_refused("local x = position('x')\n"
                   "kinetic(velocity(x)^2 + abs(velocity(x)))\n",
                   DFL_INVALID, "one is inside abs, sign, floor, min, max or select");
}

static void nonholonomic_constraints_that_are_not_linear_are_refused(void **state)
{
    (void)state;
    assert_refused(
        "local x, y = position('x', 'y')\n"
        "kinetic(velocity(x)^2 + velocity(y)^2)\n"
        "nonholonomic('even', velocity(x)*velocity(y) - 1)\n",
        DFL_INVALID,
        "test.lua:3: nonholonomic 'even' is not linear in the velocities: its derivative by");
}

static void kinematics_that_are_not_linear_are_refused(void **state)
{
    (void)state;
    assert_refused("local x = position('x')\n"
                   "local u = speed('u')\n"
                   "kinematics(x, u^2) mass(u, 1)\n",
                   DFL_INVALID, "test.lua:1: kinematics of 'x' must be linear in the speeds");
    assert_refused("local x = position('x')\n"
                   "local u = speed('u')\n"
                   "kinematics(x, u + 1) mass(u, 1)\n",
                   DFL_INVALID, "with no term free of them");
}

static void contact_equations_must_determine_their_variables(void **state)
{
    (void)state;
    assert_refused("local x = position('x')\n"
                   "kinetic(velocity(x)^2)\n"
                   "local s = contact('s', function(s) return s - x end)\n"
                   "contact('u', s^2 - x)\n",
                   DFL_INVALID, "test.lua:3: contact 's': 2 equations for 1 contact variables");
}

/* ------------------------------------------------------------ what cannot be started */

static void directions_without_mass_are_named(void **state)
{
    (void)state;
    assert_refused("local x, y = position('x', 'y')\n"
                   "kinetic((velocity(x) + velocity(y))^2)\n",
                   DFL_INVALID, "test.lua:2: there is no mass along der(x) - der(y)");
    assert_refused("local x, y, z = position('x', 'y', 'z')\n"
                   "kinetic(velocity(x)^2)\n"
                   "constraint('c', y + 2*z - 1)\n",
                   DFL_INVALID, "there is no mass along der(y) - 0.5 der(z)");
    assert_refused("local x, y = position('x', 'y')\n"
                   "kinetic((velocity(x) + velocity(y))^2)\n"
                   "potential(9.81*y)\n",
                   DFL_INVALID, "test.lua:2: there is no mass along der(x) - der(y)");
}

/* A massless coordinate needs a force that depends on its velocity. */
static void massless_coordinates_without_damping_are_refused(void **state)
{
    (void)state;
    assert_refused("local x, y = position('x', 'y')\n"
                   "kinetic(velocity(x)^2)\n"
                   "potential((x - y)^2)\n",
                   DFL_INVALID, "der(y)");
}

static void held_values_in_conflict_are_named(void **state)
{
    (void)state;
    assert_refused("local x, y = position('x', 'y')\n"
                   "kinetic(velocity(x)^2 + velocity(y)^2)\n"
                   "constraint('rod', x^2 + y^2 - 1)\n"
                   "initial{ x = 1, y = 0.5 }\n",
                   DFL_INCONSISTENT, "rod");
    assert_refused("local x, y = position('x', 'y')\n"
                   "kinetic(velocity(x)^2 + velocity(y)^2)\n"
                   "constraint('rod', x^2 + y^2 - 1)\n"
                   "initial{ x = 1, y = 0, ['der(x)'] = 2 }\n",
                   DFL_INCONSISTENT, "der(x)");
}

static void functions_outside_their_domain_are_named_with_their_line(void **state)
{
    (void)state;
    assert_refused("local x, y = position('x', 'y')\n"
                   "kinetic(velocity(x)^2 + velocity(y)^2)\n"
                   "constraint('rod', sqrt(x - 2) + y)\n"
                   "initial{ x = 1 }\n",
                   DFL_NOT_FINITE, "test.lua:3: 'rod' cannot be evaluated at t = 0: in ");
    assert_refused("local x = position('x')\n"
                   "kinetic(velocity(x)^2)\n"
                   "\n"
                   "potential(1/x)\n",
                   DFL_NOT_FINITE, "test.lua:4: 'potential' cannot be evaluated at t = 0");
    assert_refused("local x = position('x')\n"
                   "kinetic(velocity(x)^2)\n"
                   "force(x, log(-3 + time))\n",
                   DFL_NOT_FINITE, "test.lua:3: 'force' cannot be evaluated at t = 0");
}

static void auxiliary_variables_that_nothing_determines_are_named(void **state)
{
    (void)state;
    assert_refused("local x, y = position('x', 'y')\n"
                   "kinetic(velocity(x)^2 + velocity(y)^2)\n"
                   "local w = auxiliary('w', function(w) return x end)\n"
                   "force(y, w)\n",
                   DFL_INVALID,
                   "test.lua:3: the auxiliary equations do not determine 'w' at the start");
}

/* Neither gravity left out of the energy nor friction is kept; at rest the rate vanishes, and other
   velocities show it. */
static void invariants_that_the_motion_does_not_keep_are_refused(void **state)
{
    (void)state;
    assert_refused("local x, y = position('x', 'y')\n"
                   "kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
                   "invariant('E', energy())\n"
                   "force(y, -9.81)\n"
                   "initial{ [velocity(y)] = 1 }\n",
                   DFL_INVALID,
                   "test.lua:3: the motion does not keep the invariant 'E': its rate is "
                   "-9.81 at the start");
    assert_refused("local x, y = position('x', 'y')\n"
                   "kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
                   "potential(9.81*y)\n"
                   "constraint('rod', x^2 + y^2 - 1)\n"
                   "force(y, -0.5*velocity(y))\n"
                   "invariant('E', energy())\n"
                   "initial{ x = 1, y = 0 }\n",
                   DFL_INVALID, "for another velocity from the same position");
}

/* Dry friction by sign: when the motion stops, its sign changes again and again. */
static void a_run_that_sticks_to_a_jump_names_it(void **state)
{
    (void)state;
    scripted s = scripted_text("local x = position('x')\n"
                               "kinetic(velocity(x)^2/2)\n"
                               "force(x, -sign(velocity(x)))\n"
                               "initial{ x = 0, ['der(x)'] = 1 }\n");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6});
    dfl_status status = dfl_solver_advance(s.solver, 2.0);
    assert_int_equal(status, DFL_NOT_CONVERGED);
    status =
        dfl_study_explain(s.run, status, dfl_solver_time(s.solver), dfl_solver_state(s.solver));
    assert_int_equal(status, DFL_NOT_CONVERGED);
    assert_non_null(strstr(dfl_message(s.ctx), "test.lua:3: events accumulate at t = 1"));
    assert_non_null(strstr(dfl_message(s.ctx), "'force' contains sign, which may jump"));
    scripted_free(&s);
}

/* A chain of angles whose derivation needs more nodes than allowed: the message names the
   declaration with the largest share. */
static void a_full_graph_names_its_largest_part(void **state)
{
    (void)state;
    const char text[] = "local vx, vy, T = 0, 0, 0\n"
                        "for i = 1, 12 do\n"
                        "  local q = position('q' .. i)\n"
                        "  vx = vx + cos(q)*velocity(q)\n"
                        "  vy = vy + sin(q)*velocity(q)\n"
                        "  T = T + (vx^2 + vy^2)/2\n"
                        "end\n"
                        "kinetic(T)\n"
                        "output('small', vx)\n";
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.max_nodes = 1000};
    scripted_expect(
        &s, dfl_script_load_text(&s.model, s.ctx, "test.lua", text, sizeof text - 1, &options));
    assert_int_equal(scripted_prepare(&s), DFL_INVALID);
    assert_non_null(strstr(dfl_message(s.ctx),
                           "test.lua:8: the derived equations need more than 1000 "
                           "nodes; the largest declaration is 'kinetic energy'"));
    scripted_free(&s);
}

/* ------------------------------------------------------------ redundant constraints */

static void note_redundancy(dfl_log_level level, const char *text, void *user)
{
    if (level == DFL_LOG_NOTICE && strstr(text, "redundant"))
        ++*(int *)user;
}

static void redundant_constraints_run_with_a_notice(void **state)
{
    (void)state;
    int notices = 0;
    scripted s = scripted_text("local x, y = position('x', 'y')\n"
                               "kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
                               "potential(9.81*y)\n"
                               "constraint('rod', x^2 + y^2 - 1)\n"
                               "constraint('again', 3*(x^2 + y^2 - 1))\n"
                               "initial{ x = 1, y = 0 }\n");
    scripted_start(&s,
                   &(dfl_solver_options){.rtol = 1e-9, .log = note_redundancy, .user = &notices});
    assert_int_equal(notices, 1);
    scripted_advance(&s, 1.0);
    /* exact: the pendulum released from the horizontal with g = 9.81 */
    assert_near(scripted_value(&s, "x"), -0.9862917511318753, 1e-7);
    assert_near(scripted_value(&s, "y"), -0.1650108531255412, 1e-7);
    scripted_free(&s);
}

/* ------------------------------------------------------------ memory */

static const char small_model[] =
    "local m = param('m', 1, 'kg') local push = input('push', 1)\n"
    "local x, y = position('x', 'y')\n"
    "kinetic(m*(velocity(x)^2 + velocity(y)^2)/2)\n"
    "local s = contact('s', function(s) return s - x end)\n"
    "local c = constraint('c', y - s^2)\n"
    "local w = auxiliary('w', function(w) return w - velocity(x) end)\n"
    "local r = dynamic('r', function(r) return w - r end)\n"
    "force(x, push - r)\n"
    "invariant('i', velocity(y) - 2*x*velocity(x))\n"
    "output('o', x + y)\n"
    "initial{ x = 1 }\n"
    "simulate{ to = 1, form = 'psf' }\n";

/* Fails the first, second, third ... allocation until loading, deriving, preparing and starting
   succeed. */
static void every_failed_allocation_is_clean(void **state)
{
    (void)state;
    dfl_status status = DFL_NO_MEMORY;
    for (long n = 0; status; n++) {
        scripted s = {.ctx = dfl_context_create()};
        dfl_context_fail_after(s.ctx, n);
        status = dfl_script_load_text(&s.model, s.ctx, "test.lua", small_model,
                                      sizeof small_model - 1, NULL);
        if (!status)
            status = scripted_prepare(&s);
        if (!status)
            status = scripted_try_start(&s, NULL);
        if (status && status != DFL_NO_MEMORY)
            fail_msg("allocation %ld: %s: %s", n, dfl_status_name(status), dfl_message(s.ctx));
        scripted_free(&s);
        assert_true(n < 20000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_without_unknowns_are_refused),
        cmocka_unit_test(kinetic_energies_that_are_not_quadratic_are_refused),
        cmocka_unit_test(nonholonomic_constraints_that_are_not_linear_are_refused),
        cmocka_unit_test(kinematics_that_are_not_linear_are_refused),
        cmocka_unit_test(contact_equations_must_determine_their_variables),
        cmocka_unit_test(directions_without_mass_are_named),
        cmocka_unit_test(massless_coordinates_without_damping_are_refused),
        cmocka_unit_test(held_values_in_conflict_are_named),
        cmocka_unit_test(functions_outside_their_domain_are_named_with_their_line),
        cmocka_unit_test(auxiliary_variables_that_nothing_determines_are_named),
        cmocka_unit_test(invariants_that_the_motion_does_not_keep_are_refused),
        cmocka_unit_test(a_run_that_sticks_to_a_jump_names_it),
        cmocka_unit_test(a_full_graph_names_its_largest_part),
        cmocka_unit_test(redundant_constraints_run_with_a_notice),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
