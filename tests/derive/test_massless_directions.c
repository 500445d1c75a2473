/* Directions without mass in declared models: which they are, what determines them, and what users
   hear. */
#include "../scripted.h"

#include "study/study.h"

static const dfl_solver_options sharp = {.rtol = 1e-10, .atol = 1e-10, .self_check = true};

static void evaluate_K0(double *K0, const scripted *s)
{
    static double W[100];
    const dfl_eom *eom = dfl_runnable_eom(s->run);
    memset(K0, 0, (size_t)(eom->nv * eom->n0) * sizeof *K0);
    dfl_blocks blocks = {.K0 = K0, .W = W};
    assert_int_equal(eom->eval(&blocks, 0.0, s->x, DFL_DIRECTIONS, eom->user), 0);
}

/* ------------------------------------------------------------------ which they are */

/* Arnold (2013), section 2.2, numbers of an independent prototype at t = 2. */
static void masses_of_value_zero_are_no_masses(void **state)
{
    (void)state;
    scripted s = scripted_text("local m = param('m', 0)\n"
                               "local x1, x2 = position('x1', 'x2')\n"
                               "local v1, v2 = velocity(x1, x2)\n"
                               "kinetic(m*v1^2/2 + v2^2/2)\n"
                               "potential(1e4/2*x1^2 + 1e4/2*(x2 - x1)^2)\n"
                               "force(x1, 50*sin(10*time) - 50*v1 + 50*(v2 - v1))\n"
                               "force(x2, -50*(v2 - v1))\n"
                               "initial{ x1 = 0.02, x2 = 0.05, [v2] = 0 }\n");
    assert_int_equal(s.eq->n0, 1);
    scripted_start(&s, &sharp);
    scripted_advance(&s, 2.0);
    assert_near(scripted_value(&s, "x1"), 0.004495708023, 1e-8);
    assert_near(scripted_value(&s, "x2"), 0.00453983925, 1e-8);
    assert_near(scripted_value(&s, "der(x2)"), 0.023136757831, 1e-7);
    scripted_free(&s);
}

/* The same in the distances of the masses: M = [1 1; 1 1], K0 = (1, -1). */
static void constant_masses_may_be_singular(void **state)
{
    (void)state;
    scripted s = scripted_text("local q1, q2 = position('q1', 'q2')\n"
                               "local v1, v2 = velocity(q1, q2)\n"
                               "kinetic((v1 + v2)^2/2)\n"
                               "potential(1e4/2*q1^2 + 1e4/2*q2^2)\n"
                               "force(q1, 50*sin(10*time) - 2*v1)\n"
                               "force(q2, -2*v2)\n"
                               "initial{ q1 = 0.02, q2 = 0.03 }\n");
    double K0[2];
    scripted_start(&s, &sharp);
    evaluate_K0(K0, &s);
    assert_near(K0[0], 1.0, 0.0);
    assert_near(K0[1], -1.0, 0.0);
    scripted_advance(&s, 2.0);
    assert_near(scripted_value(&s, "q1"), -0.004578862976, 1e-8);
    assert_near(scripted_value(&s, "q1") + scripted_value(&s, "q2"), -0.013718353142, 1e-8);
    scripted_free(&s);
}

/* M = a a^T + b b^T of rank 2 in three coordinates with a, b that depend on the state; K0 = a x
   b. */
static const char moving[] =
    "local x, y, z = position('x', 'y', 'z')\n"
    "local u, v, w = velocity(x, y, z)\n"
    "kinetic((u + cos(y)*v)^2/2 + (v - (1 + x^2)*w)^2/2 + m*(u^2 + v^2 + w^2)/2)\n"
    "potential(10*x^2 + 20*y^2 + 15*(z - x)^2)\n"
    "force(x, -u) force(y, -2*v) force(z, -3*w)\n"
    "guess{ x = 0.3, y = 0.4, z = -0.2, [u] = 1 }\n";

static scripted load_moving(double m)
{
    char text[1000];
    snprintf(text, sizeof text, "local m = %.17g\n%s", m, moving);
    return scripted_text(text);
}

static void directions_may_depend_on_the_state(void **state)
{
    (void)state;
    double K0[3], start[6], limit[3], error[2];
    scripted s = load_moving(0.0);
    assert_int_equal(s.eq->n0, 1);
    scripted_start(&s, &sharp);
    evaluate_K0(K0, &s);
    const double c = cos(0.4), b = 1.0 + 0.3 * 0.3;
    assert_near(K0[0] / K0[1], -c, 1e-14);
    assert_near(K0[2] / K0[1], 1.0 / b, 1e-14);
    memcpy(start, s.x, sizeof start);
    scripted_advance(&s, 0.5);
    assert_true(dfl_solver_statistics(s.solver).max_residual.massless < 1e-9);
    memcpy(limit, s.x + 3, sizeof limit);
    scripted_free(&s);
    for (int k = 0; k < 2; k++) { /* the error of small masses is of first order */
        s = load_moving(k ? 1e-5 : 1e-4);
        assert_int_equal(s.eq->n0, 0);
        for (int i = 0; i < 6; i++)
            scripted_give(&s, s.eq->x[i].name, start[i], false);
        scripted_start(&s, &sharp);
        scripted_advance(&s, 0.5);
        error[k] = distance(s.x + 3, limit, 3);
        scripted_free(&s);
    }
    assert_between(error[0] / error[1], 9.0, 11.0);
}

/* A massless rotor with a unit mass on it, in an order that offers the rotor's x^2 + y^2 as the
   first pivot: the constant masses are taken, and K0 = (y, -x, 1) is regular where the mass passes
   the axis. */
static void constant_masses_are_the_better_pivots(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, y, phi = position('x', 'y', 'phi')\n"
                               "local vx, vy, w = velocity(x, y, phi)\n"
                               "kinetic(((vx - y*w)^2 + (vy + x*w)^2)/2)\n"
                               "potential(25*phi^2 + 50*(x^2 + y^2)) force(phi, -4*w)\n"
                               "initial{ x = 0.7, y = 0, phi = 0 }\n");
    double K0[3];
    assert_int_equal(s.eq->n0, 1);
    evaluate_K0(K0, &s); /* at zero */
    assert_near(K0[0], 0.0, 0.0);
    assert_near(K0[1], 0.0, 0.0);
    assert_near(K0[2], 1.0, 0.0);
    scripted_start(&s, &sharp);
    scripted_advance(&s, 2.0); /* without torque the rotor rests: x = 0.7 cos 10 t */
    assert_near(scripted_value(&s, "x"), 0.7 * cos(20.0), 1e-7);
    scripted_free(&s);
}

/* M = a a^T with a = (cos t, sin t): the pivot of either order vanishes on the way, at different
   times. The direction itself is regular: steps are refused, but both orders have the same
   motion. */
static void vanishing_pivots_cost_steps_but_no_accuracy(void **state)
{
    (void)state;
    static const char *const orders[2] = {"local x, y = position('x', 'y')\n",
                                          "local y, x = position('y', 'x')\n"};
    double end[2][4];
    for (int k = 0; k < 2; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "%s"
                 "local u, v, t = velocity(x), velocity(y), time + 1\n"
                 "kinetic((cos(t)*u + sin(t)*v)^2/2)\n"
                 "force(x, 1 - u - x) force(y, sin(3*t) - v - y)\n"
                 "initial{ x = 0.1, y = 0.2 }\n",
                 orders[k]);
        scripted s = scripted_text(text);
        assert_int_equal(s.eq->n0, 1);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-9, .atol = 1e-9});
        scripted_advance(&s, 5.0);
        const char *const names[4] = {"x", "y", "der(x)", "der(y)"};
        for (int i = 0; i < 4; i++)
            end[k][i] = scripted_value(&s, names[i]);
        scripted_free(&s);
    }
    assert_near(distance(end[0], end[1], 4), 0.0, 3e-9); /* 3e-10 was measured */
}

/* A massless point on a circle that is driven and damped along it goes around with angular velocity
   1: x and y vanish in turn, and no pivot does. */
static void directions_follow_constraints(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, y, q = position('x', 'y', 'q')\n"
                               "kinetic(velocity(q)^2/2) potential(q^2)\n"
                               "constraint('circle', x^2 + y^2 - 1)\n"
                               "force(x, -velocity(x) - y) force(y, -velocity(y) + x)\n"
                               "initial{ x = 1, q = -1 }\n");
    double K0[3];
    scripted_start(&s, &sharp);
    assert_int_equal(s.eq->n0, 1);
    evaluate_K0(K0, &s);
    assert_near(K0[0], 0.0, 1e-12);
    scripted_advance(&s, 7.0);
    assert_true(dfl_solver_statistics(s.solver).max_residual.position < 1e-9);
    assert_near(scripted_value(&s, "x"), cos(7.0), 1e-8);
    assert_near(scripted_value(&s, "y"), sin(7.0), 1e-8);
    scripted_free(&s);
}

/* What constraints hold completely needs no balance: two rows, two massless coordinates. */
static void held_directions_add_nothing(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, y, q = position('x', 'y', 'q')\n"
                               "kinetic(velocity(q)^2/2) potential(y)\n"
                               "constraint('a', x + y - q) constraint('b', x - 2*y)\n"
                               "initial{ q = 3 }\n");
    assert_int_equal(s.eq->n0, 0);
    scripted_start(&s, &sharp);
    scripted_advance(&s, 1.0); /* y = q/3: q'' = -1/3 */
    assert_near(scripted_value(&s, "q"), 3.0 - 1.0 / 6.0, 1e-9);
    assert_near(scripted_value(&s, "x"), 2.0 * scripted_value(&s, "q") / 3.0, 1e-9);
    scripted_free(&s);
}

/* sin(theta)^2 vanishes at the start only: a singular position, not a massless direction. */
static void singular_positions_are_not_massless(void **state)
{
    (void)state;
    scripted s = scripted_text("local theta, phi = position('theta', 'phi')\n"
                               "kinetic((velocity(theta)^2 + sin(theta)^2*velocity(phi)^2)/2)\n"
                               "force(phi, -velocity(phi))\n"
                               "initial{ theta = 0 }\n");
    assert_int_equal(s.eq->n0, 0);
    assert_int_equal(scripted_try_start(&s, NULL), DFL_INVALID);
    assert_non_null(strstr(dfl_message(s.ctx), "no mass along der(phi)"));
    scripted_free(&s);
}

/* [0 1; 1 0] is not a mass matrix. */
static void matrices_that_are_not_masses_are_left_alone(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, y = position('x', 'y')\n"
                               "mass(x, y, 1)\n"
                               "force(x, -velocity(x)) force(y, -velocity(y))\n");
    assert_int_equal(s.eq->n0, 0);
    scripted_free(&s);
}

/* ------------------------------------------------------------------ what determines them */

static dfl_massless_kinds kinds_of(scripted *s, const char *text)
{
    dfl_massless_kinds kinds;
    *s = scripted_text(text);
    scripted_expect(s, dfl_diagnose_massless(&kinds, s->run, 0.0, s->x));
    return kinds;
}

static void directions_are_of_first_order_quasistatic_or_undetermined(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int first_order, quasistatic, undetermined;
        bool negative;
    } cases[] = {
        {"force(x, -2*velocity(x)) force(y, -velocity(y))", 2, 0, 0, false},
        {"force(x, -2*velocity(x)) potential(y^2)", 1, 1, 0, false},
        {"force(x, -2*velocity(x)) potential(x^2)", 1, 0, 1, false},
        {"potential((x - y)^2)", 0, 1, 1, false},
        {"force(x, velocity(y) - velocity(x)) force(y, velocity(x) - velocity(y)) potential(x^2)",
         1, 1, 0, false},
        {"force(x, 2*velocity(x)) force(y, -velocity(y))", 2, 0, 0, true},
        {"force(x, -velocity(x) - 9*velocity(y)) force(y, 9*velocity(x) - velocity(y))", 2, 0, 0,
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        scripted s;
        snprintf(text, sizeof text,
                 "local x, y, q = position('x', 'y', 'q')\nkinetic(velocity(q)^2/2)\n%s\n",
                 cases[i].text);
        dfl_massless_kinds kinds = kinds_of(&s, text);
        assert_int_equal(kinds.first_order, cases[i].first_order);
        assert_int_equal(kinds.quasistatic, cases[i].quasistatic);
        assert_int_equal(kinds.undetermined, cases[i].undetermined);
        assert_int_equal(kinds.negative_damping, cases[i].negative);
        assert_int_equal(kinds.direction == NULL, cases[i].first_order == 2);
        dfl_massless_kinds_clear(&kinds);
        scripted_free(&s);
    }
}

/* wall - spring - a - damper - b - spring - 1 kg: a + b has stiffness only, a - b damping. */
static const char mixed[] = "local a, b, q = position('a', 'b', 'q')\n"
                            "local va, vb, vq = velocity(a, b, q)\n"
                            "kinetic(m*(va^2 + vb^2)/2 + vq^2/2)\n"
                            "potential(100/2*a^2 + 200/2*(q - b)^2)\n"
                            "force(a, 5*(vb - va)) force(b, -5*(vb - va))\n"
                            "quasistatic(b)\n"
                            "guess{ a = 0.1, b = 0.2, q = 0.5 }\n";

static void a_direction_with_stiffness_and_one_with_damping_are_told_apart(void **state)
{
    (void)state;
    char text[600];
    double start[7], limit[3], error[2];
    snprintf(text, sizeof text, "local m = 0\n%s", mixed);
    scripted s = scripted_text(text);
    assert_int_equal(s.eq->nl, 1);
    assert_int_equal(s.eq->n0, 1);
    scripted_start(&s, &sharp);
    memcpy(start, s.x, sizeof start);
    const double a = scripted_value(&s, "a"), b = scripted_value(&s, "b");
    assert_near(100 * a, 200 * (scripted_value(&s, "q") - b), 1e-9);
    scripted_advance(&s, 0.5);
    assert_near(scripted_value(&s, "lambda(b.balance)"), 0.0, 1e-8);
    memcpy(limit, s.x + 4, sizeof limit);
    scripted_free(&s);
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "local m = %g\n%s", k ? 1e-5 : 1e-4, mixed);
        s = scripted_text(text);
        assert_int_equal(s.eq->nl, 0);
        for (int i = 0; i < 6; i++)
            scripted_give(&s, s.eq->x[i].name, start[1 + i], false);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-9, .atol = 1e-10});
        scripted_advance(&s, 0.5);
        error[k] = distance(s.x + 3, limit, 3);
        scripted_free(&s);
    }
    assert_true(error[0] < 1e-3);
    assert_between(error[0] / error[1], 3.0, 30.0); /* vibrations without damping */
}

/* ------------------------------------------------------------------ messages */

static void assert_start_refused(const char *text, dfl_status expected, const char *part)
{
    dfl_status status;
    scripted s = scripted_try(&status, text);
    if (!status)
        status = scripted_try_start(&s, NULL);
    if (status != expected || !strstr(dfl_message(s.ctx), part))
        fail_msg("expected '%s', found '%s'", part, dfl_message(s.ctx));
    scripted_free(&s);
}

static void what_determines_nothing_is_refused(void **state)
{
    (void)state;
    assert_start_refused(
        "local x, y = position('x', 'y')\n"
        "kinetic((velocity(x) + velocity(y))^2) potential((x - y)^2)\n"
        "force(x, -velocity(x) - velocity(y)) force(y, -velocity(x) - velocity(y))",
        DFL_INVALID,
        "test.lua:2: there is no mass along der(x) - der(y), no constraint holds "
        "it, and no force depends on this velocity (|d gamma/d zeta| = 0.0e+00, "
        "needed > 1e-10 * 1.0e+00); add a damper, mass or a constraint there, or declare it "
        "quasistatic (its stiffness, 8.0e+00, determines the "
        "position)");
    assert_start_refused("local x, y = position('x', 'y')\n"
                         "kinetic((velocity(x) + velocity(y))^2) quasistatic(x)\n",
                         DFL_INVALID, "undetermined (neither mass, damping nor stiffness)");
    assert_start_refused("local x, y = position('x', 'y')\n"
                         "kinetic(velocity(x)^2) quasistatic(y)\n"
                         "local r = dynamic('r', function(r) return x - r end)\n"
                         "force(y, r - y)\n",
                         DFL_INVALID, "'y' cannot be quasistatic");
    assert_start_refused("quasistatic(3)\n", DFL_INVALID, "give what position, velocity or speed");
}

static void velocities_along_massless_directions_cannot_be_held(void **state)
{
    (void)state;
    assert_start_refused("local x, y = position('x', 'y')\n"
                         "kinetic(velocity(y)^2) force(x, y - velocity(x))\n"
                         "initial{ x = 0, y = 1, [velocity(x)] = 3 }\n",
                         DFL_INCONSISTENT,
                         "the velocity along a massless direction follows from the balance of "
                         "forces: do not hold der(x)");
}

/* The rates of invariants are known where M is singular: accelerations follow from the constraints
   and from the rate of the balance. x' = y and y'' = -y: x - 2 y' is not kept, x + y' is. */
static void invariants_are_checked_with_singular_masses(void **state)
{
    (void)state;
    static const char text[] = "local x, y, c = position('x', 'y', 'c')\n"
                               "local u, v, w = velocity(x, y, c)\n"
                               "kinetic(v^2/2) potential(y^2/2) force(x, y - u)\n"
                               "constraint('rail', c - 3*y)\n"
                               "invariant('kept', x %s)\n"
                               "invariant('speed', u - w/3 %s)\n"
                               "initial{ x = 0, y = 1, [v] = 0.2 }\n";
    char whole[500];
    snprintf(whole, sizeof whole, text, "+ v", "- y + w/3");
    scripted s = scripted_text(whole);
    assert_int_equal(s.eq->n0, 1);
    scripted_start(&s, NULL);
    scripted_free(&s);
    snprintf(whole, sizeof whole, text, "+ v", "");
    assert_start_refused(whole, DFL_INVALID, "the motion does not keep the invariant 'speed'");
    snprintf(whole, sizeof whole, text, "- 2*v", "- y + w/3");
    assert_start_refused(whole, DFL_INVALID, "the motion does not keep the invariant 'kept'");
}

static void keep(const char *text, void *user)
{
    char *all = user;
    strcat(all, text);
    strcat(all, "\n");
}

static void assert_advice(const char *text, const char *part)
{
    char all[1000] = "";
    scripted s = scripted_text(text);
    scripted_start(&s, NULL);
    scripted_expect(&s, dfl_study_advise(s.run, 0.0, s.x, s.chosen, keep, all));
    if (part ? !strstr(all, part) : all[0])
        fail_msg("expected '%s', found '%s'", part ? part : "nothing", all);
    scripted_free(&s);
}

static void users_are_told_about_velocities_damping_and_small_masses(void **state)
{
    (void)state;
    assert_advice("local x, y = position('x', 'y')\n"
                  "kinetic(velocity(y)^2) force(x, y - velocity(x))\n"
                  "initial{ x = 0, y = 1 } guess{ [velocity(x)] = 3 }\n",
                  "der(x) starts at 1, not at 3: it follows from the balance of forces along a "
                  "massless direction");
    assert_advice("local x, y = position('x', 'y')\n"
                  "kinetic(velocity(y)^2) force(x, y + velocity(x))\n",
                  "negative damping on a massless direction");
    assert_advice("local x, y = position('x', 'y')\n"
                  "kinetic((velocity(x) + velocity(y))^2 + 1e-8*velocity(x)^2)\n",
                  "the mass that der(x) moves by itself is negligible (1.0e-08 of all it moves)");
    assert_advice("local x, y = position('x', 'y')\n"
                  "kinetic(velocity(y)^2) force(x, y - velocity(x))\n"
                  "initial{ x = 0, y = 1 }\n",
                  NULL);
}

/* ------------------------------------------------------------------ memory */

static void every_failed_allocation_is_clean(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "local x, y, z, q = position('x', 'y', 'z', 'q')\n"
        "kinetic((velocity(q) + velocity(z))^2/2) constraint('c', x^2 + y*q - 1)\n"
        "force(x, -velocity(x)) force(z, -velocity(z)) guess{ x = 0.6, y = 0.8, q = 1 }\n",
        "local a, q = position('a', 'q')\n"
        "kinetic((velocity(a) + velocity(q))^2/2) potential(a^2 + q^2) quasistatic(a)\n"};
    for (int k = 0; k < 2; k++) {
        dfl_status status = DFL_NO_MEMORY;
        for (int n = 0; status; n++) {
            dfl_context *ctx = dfl_context_create();
            dfl_model *model = NULL;
            dfl_equations *eq = NULL;
            dfl_runnable *runnable = NULL;
            assert_int_equal(
                dfl_script_load_text(&model, ctx, "t.lua", texts[k], strlen(texts[k]), NULL),
                DFL_OK);
            dfl_context_fail_after(ctx, n);
            status = dfl_equations_create(&eq, model, true);
            if (!status)
                status = dfl_runnable_create(&runnable, eq);
            if (!status) {
                double x[20]; /* K0 of the first text is not finite at x = y = 0 */
                for (int i = 0; i < 20; i++)
                    x[i] = 0.5;
                dfl_massless_kinds kinds;
                status = dfl_diagnose_massless(&kinds, runnable, 0.0, x);
                dfl_massless_kinds_clear(&kinds);
            }
            assert_true(status == DFL_OK || status == DFL_NO_MEMORY);
            dfl_runnable_free(runnable);
            dfl_equations_free(eq);
            dfl_model_free(model);
            assert_int_equal(dfl_context_live(ctx), 0);
            dfl_context_free(ctx);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_of_value_zero_are_no_masses),
        cmocka_unit_test(constant_masses_may_be_singular),
        cmocka_unit_test(directions_may_depend_on_the_state),
        cmocka_unit_test(constant_masses_are_the_better_pivots),
        cmocka_unit_test(vanishing_pivots_cost_steps_but_no_accuracy),
        cmocka_unit_test(directions_follow_constraints),
        cmocka_unit_test(held_directions_add_nothing),
        cmocka_unit_test(singular_positions_are_not_massless),
        cmocka_unit_test(matrices_that_are_not_masses_are_left_alone),
        cmocka_unit_test(directions_are_of_first_order_quasistatic_or_undetermined),
        cmocka_unit_test(a_direction_with_stiffness_and_one_with_damping_are_told_apart),
        cmocka_unit_test(what_determines_nothing_is_refused),
        cmocka_unit_test(velocities_along_massless_directions_cannot_be_held),
        cmocka_unit_test(invariants_are_checked_with_singular_masses),
        cmocka_unit_test(users_are_told_about_velocities_damping_and_small_masses),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
