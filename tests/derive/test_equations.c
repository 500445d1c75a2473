/* What is derived from a model: the formulas of the text books, derivatives that pass the solver's
   self-check, contact variables eliminated from constraints, and the same bits from tape and
   native code. */
#define _POSIX_C_SOURCE 200809L

#include "scripted.h"

#include <unistd.h>

/* Values of expressions at a state that is given by name. */
typedef struct given {
    const char *name;
    double value;
} given;

static void set_state(scripted *s, const given *values)
{
    memset(s->x, 0, (size_t)s->eq->n * sizeof *s->x);
    for (; values->name; values++)
        s->x[dfl_equations_find(s->eq, values->name)] = values->value;
}

static double value_of(scripted *s, dfl_expr expr, double t)
{
    double value;
    scripted_expect(s, dfl_runnable_values(&value, s->run, &expr, 1, t, s->x, NULL));
    return value;
}

/* Entry (i, j), 0 where there is none. */
static double entry_of(scripted *s, const dfl_sparse *matrix, int i, int j)
{
    for (int k = 0; k < matrix->count; k++)
        if (matrix->entry[k].row == i && matrix->entry[k].col == j)
            return value_of(s, matrix->entry[k].expr, 0.0);
    return 0.0;
}

/* ------------------------------------------------------------ Lagrange's equations */

/* Rounding of a few operations on numbers of order 10. */
static const double rounding = 1e-13;

static void double_pendulum_has_the_text_books_mass_matrix_and_forces(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "local a, b = position('a', 'b')\n"
        "local u, w = velocity(a, b)\n"
        "kinetic(2*u^2/2 + 3/2*(u^2 + w^2/4 + u*w*cos(a - b)))\n" /* m1 = 2, m2 = 3, l1 = 1, l2 =
                                                                     1/2 */
        "potential(-9.81*(5*cos(a) + 1.5*cos(b)))\n");
    const double a = 0.7, b = -0.4, u = 1.3, w = 0.6;
    set_state(&s, (const given[]){{"a", a}, {"b", b}, {"der(a)", u}, {"der(b)", w}, {0}});
    assert_near(entry_of(&s, &s.eq->M, 0, 0), 5.0, 0.0);
    assert_near(entry_of(&s, &s.eq->M, 0, 1), 1.5 * cos(a - b), rounding);
    assert_near(entry_of(&s, &s.eq->M, 1, 0), 1.5 * cos(a - b), rounding);
    assert_near(entry_of(&s, &s.eq->M, 1, 1), 0.75, 0.0);
    assert_near(value_of(&s, s.eq->rows.f[0], 0), -1.5 * w * w * sin(a - b) - 9.81 * 5 * sin(a),
                rounding);
    assert_near(value_of(&s, s.eq->rows.f[1], 0), 1.5 * u * u * sin(a - b) - 9.81 * 1.5 * sin(b),
                rounding);
    assert_false(s.eq->flags.mass_constant || s.eq->flags.mass_diagonal || s.eq->flags.linear);
    assert_true(s.eq->flags.autonomous && s.eq->flags.trivial_kinematics &&
                s.eq->flags.forces_free_of_multipliers);
    scripted_free(&s);
}

/* T = m/2 (x' + a t)^2 has the momentum m (x' + a t), so m x'' = -m a; a bead on a wire that turns
   with the angle t^2 feels r (2t)^2. */
static void explicit_time_in_the_kinetic_energy_gives_inertial_forces(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, r = position('x', 'r')\n"
                               "kinetic(3/2*(velocity(x) + 4*time)^2)\n"
                               "kinetic(2/2*(velocity(r)^2 + (r*2*time)^2))\n");
    set_state(&s, (const given[]){{"r", 0.5}, {"der(r)", 0.7}, {"der(x)", 1.0}, {0}});
    assert_near(value_of(&s, s.eq->rows.f[0], 1.5), -12.0, 0.0);
    assert_near(value_of(&s, s.eq->rows.f[1], 1.5), 2 * 0.5 * 9.0, rounding);
    assert_true(s.eq->flags.mass_diagonal && s.eq->flags.mass_constant && s.eq->flags.linear);
    assert_false(s.eq->flags.autonomous);
    scripted_free(&s);
}

/* p' = Z u: a potential acts on the speeds with Z^T dV/dp. */
static void potentials_act_on_speeds_through_the_kinematics(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, y, h = position('x', 'y', 'h')\n"
                               "local ahead, turn = speed('ahead', 'turn')\n"
                               "kinematics(x, ahead*cos(h))\n"
                               "kinematics(y, ahead*sin(h))\n"
                               "kinematics(h, turn)\n"
                               "mass(ahead, 2)\n"
                               "mass(turn, 3)\n"
                               "mass(ahead, turn, 0.5)\n"
                               "potential(x^2 + 5*y + h)\n"
                               "force(turn, 7)\n");
    const double h = 0.3, x = 0.8;
    set_state(&s, (const given[]){{"x", x}, {"h", h}, {"ahead", 2.0}, {"turn", 1.0}, {0}});
    assert_near(value_of(&s, s.eq->rows.f[0], 0), -2 * x * cos(h) - 5 * sin(h), rounding);
    assert_near(value_of(&s, s.eq->rows.f[1], 0), 7.0 - 1.0, rounding);
    assert_near(entry_of(&s, &s.eq->M, 0, 1), 0.5, 0.0);
    assert_near(value_of(&s, s.eq->energy, 0), 4 + 1.5 + 1 + x * x + h, rounding);
    assert_int_equal(s.eq->nv, 2);
    assert_false(s.eq->flags.trivial_kinematics);
    scripted_free(&s);
}

/* T = (1 + q^2) x'^2 / 2 with q' = u: the momentum (1 + q^2) x' is kept, and u is driven by q
   x'^2. */
static void kinetic_energies_act_on_speeds_through_the_kinematics(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, q = position('x', 'q')\n"
                               "local u = speed('u')\n"
                               "kinematics(q, u)\n"
                               "mass(u, 1)\n"
                               "kinetic((1 + q^2)*velocity(x)^2/2)\n"
                               "initial{ x = 0, q = 0.5, u = 1, ['der(x)'] = 1 }\n");
    set_state(&s, (const given[]){{"q", 0.5}, {"der(x)", 3.0}, {"u", 2.0}, {0}});
    assert_near(value_of(&s, s.eq->rows.f[0], 0), -2 * 0.5 * 2 * 3, rounding);
    assert_near(value_of(&s, s.eq->rows.f[1], 0), 0.5 * 9, rounding);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-9});
    scripted_advance(&s, 2.0);
    const double q = scripted_value(&s, "q");
    assert_near((1 + q * q) * scripted_value(&s, "der(x)"), 1.25, 1e-7);
    scripted_free(&s);
}

/* A coordinate with neither mass nor constraint: its balance of forces is an equation, and the
   model is that of problems/oscillator.c. */
static void a_massless_coordinate_keeps_its_balance_of_forces(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "oscillator", 0));
    const oscillator_parameters *par = prob.parameters;
    char text[600];
    snprintf(text, sizeof text,
             "local x1, x2 = position('x1', 'x2')\n"
             "local v1, v2 = velocity(x1, x2)\n"
             "kinetic(v2^2/2)\n"
             "potential(1e4/2*x1^2 + 1e4/2*(x2 - x1)^2)\n"
             "local d = %.17g\n"
             "force(x1, 50*sin(10*time) - d*v1 + d*(v2 - v1))\n"
             "force(x2, -d*(v2 - v1))\n"
             "initial{ x1 = 0.02, x2 = 0.05, [v2] = 0 }\n",
             par->d);
    scripted s = scripted_text(text);
    assert_int_equal(s.eq->n0, 1);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-10, .self_check = true});
    for (int k = 0; k < prob.nreferences; k++) {
        scripted_advance(&s, prob.references[k].t);
        for (int i = 0; i < 4; i++) /* K of the oscillator in test_references.c */
            assert_near(s.x[i], prob.references[k].x[i], 200 * 1e-10 * fmax(1, fabs(s.x[i])));
    }
    problem_free(&prob);
    scripted_free(&s);
}

/* ------------------------------------------------------------ contact variables */

/* s = x^2, so that g = y - s^3 means g = y - x^6. */
static void a_contact_variable_is_eliminated_from_hidden_constraints(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, y = position('x', 'y')\n"
                               "kinetic(velocity(x)^2 + velocity(y)^2)\n"
                               "local s = contact('s', function(s) return s - x^2 end)\n"
                               "constraint('g', y - s^3)\n");
    const double x = 0.9, vx = 1.7, vy = -0.3;
    set_state(&s, (const given[]){{"x", x}, {"s", x * x}, {"der(x)", vx}, {"der(y)", vy}, {0}});
    assert_near(value_of(&s, s.eq->rows.gI[0], 0), vy - 6 * pow(x, 5) * vx, rounding);
    assert_near(value_of(&s, s.eq->rows.bias[0], 0), -30 * pow(x, 4) * vx * vx, 10 * rounding);
    assert_near(entry_of(&s, &s.eq->W, 0, 0), -6 * pow(x, 5), rounding);
    scripted_free(&s);
}

/* 2 a + b = x and a + 3 b = t^2, g = y - a b: two variables that depend on each other and on
   time. */
static void contact_variables_may_depend_on_each_other_and_on_time(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_model *model = NULL;
    dfl_expr x, y, vx, vy, a, b;
    int row;
    assert_int_equal(dfl_model_create(&model, ctx, "contact"), DFL_OK);
    dfl_graph *g = model->graph;
    const dfl_expr t = dfl_symbol_expr(g, DFL_SYM_TIME, 0, "time");
    assert_int_equal(dfl_model_position(&x, model, 0, "x"), DFL_OK);
    assert_int_equal(dfl_model_position(&y, model, 0, "y"), DFL_OK);
    assert_int_equal(dfl_model_velocity(&vx, model, x), DFL_OK);
    assert_int_equal(dfl_model_velocity(&vy, model, y), DFL_OK);
    assert_int_equal(
        dfl_model_kinetic(model, 0, dfl_add(g, dfl_mul(g, vx, vx), dfl_mul(g, vy, vy))), DFL_OK);
    assert_int_equal(dfl_model_variable(&a, model, 0, DFL_A_CONTACT, "a"), DFL_OK);
    assert_int_equal(dfl_model_variable(&b, model, 0, DFL_A_CONTACT, "b"), DFL_OK);
    const dfl_expr two = dfl_constant(g, 2.0), three = dfl_constant(g, 3.0);
    assert_int_equal(dfl_model_equation(model, a, dfl_sub(g, dfl_add(g, dfl_mul(g, two, a), b), x)),
                     DFL_OK);
    assert_int_equal(
        dfl_model_equation(model, b,
                           dfl_sub(g, dfl_add(g, a, dfl_mul(g, three, b)), dfl_mul(g, t, t))),
        DFL_OK);
    assert_int_equal(dfl_model_constraint(&row, model, 0, "g", dfl_sub(g, y, dfl_mul(g, a, b))),
                     DFL_OK);

    scripted s = {.ctx = ctx, .model = model};
    scripted_expect(&s, scripted_prepare(&s));
    const double T = 1.2, X = 0.7, u = 0.4, w = -0.6;
    const double A = (3 * X - T * T) / 5, B = (2 * T * T - X) / 5;
    const double dA = (3 * u - 2 * T) / 5, dB = (4 * T - u) / 5;
    set_state(&s, (const given[]){{"x", X}, {"a", A}, {"b", B}, {"der(x)", u}, {"der(y)", w}, {0}});
    assert_near(value_of(&s, s.eq->rows.gI[0], T), w - dA * B - A * dB, rounding);
    /* with x'' = 0: a'' = -2/5, b'' = 4/5 */
    assert_near(value_of(&s, s.eq->rows.bias[0], T), 0.4 * B - 2 * dA * dB - 0.8 * A, rounding);
    scripted_free(&s);
}

/* ------------------------------------------------------------ self-check */

/* Models that mix all kinds of unknowns. */
static const char *const mixtures[] = {
    /* constraint and dynamic force element, time-dependent */
    "local x, y = position('x', 'y')\n"
    "kinetic(velocity(x)^2 + velocity(y)^2)\n"
    "constraint('c', x^2 + 2*y^2 - (1 + 0.1*sin(time))^2)\n"
    "local r = dynamic('r', function(r) return x*y - r^3 + time end)\n"
    "force(x, -r*velocity(x))\n"
    "initial{ x = 0.8, r = 0.3 } guess{ y = 0.4, ['der(x)'] = 1 }",
    /* auxiliary variable that depends on a multiplier and on itself */
    "local x, y = position('x', 'y')\n"
    "kinetic(velocity(x)^2 + velocity(y)^2/2)\n"
    "local c = constraint('c', y - sin(x))\n"
    "local w = auxiliary('w', function(w) return w + w^3/10 - tanh(velocity(x))*(2 + "
    "multiplier(c)) end)\n"
    "force(x, -w) potential(9.81*y)\n"
    "initial{ x = 0.3, ['der(x)'] = 0.5 }",
    /* contact with g_s not 0, beside a nonholonomic constraint with a drift */
    "local x, y, z = position('x', 'y', 'z')\n"
    "kinetic(velocity(x)^2 + velocity(y)^2 + velocity(z)^2)\n"
    "local s = contact('s', function(s) return s + s^3/3 - x*y - time/10 end)\n"
    "constraint('g', z - sin(s) + s*y)\n"
    "nonholonomic('h', velocity(y) - s*velocity(x) - cos(time))\n"
    "initial{ x = 0.3, y = 0.4, ['der(x)'] = 0.7 }",
    /* quaternion with speeds, a nonholonomic row and an invariant */
    "local q0, q1, q2, q3 = position('q0', 'q1', 'q2', 'q3')\n"
    "local a, b, c = speed('a', 'b', 'c')\n"
    "kinematics(q0, (-q1*a - q2*b - q3*c)/2) kinematics(q1, (q0*a - q3*b + q2*c)/2)\n"
    "kinematics(q2, (q3*a + q0*b - q1*c)/2) kinematics(q3, (-q2*a + q1*b + q0*c)/2)\n"
    "mass(a, 1) mass(b, 2) mass(c, 3) mass(a, b, 0.1)\n"
    "force(a, -(3 - 2)*b*c) force(b, -(1 - 3)*c*a) force(c, -(2 - 1)*a*b)\n"
    "nonholonomic('h', a*(q0^2 + q1^2) + b*q2 + 0.1*c)\n"
    "invariant('length', q0^2 + q1^2 + q2^2 + q3^2)\n"
    "initial{ q0 = 0.8, q1 = 0.6, q2 = 0, q3 = 0, b = 1, c = 2 }",
    /* massless coordinate beside a constraint and a dynamic element */
    "local x, y, z = position('x', 'y', 'z')\n"
    "kinetic(velocity(y)^2 + velocity(z)^2)\n"
    "local r = dynamic('r', function(r) return x - r end)\n"
    "force(x, -3*velocity(x) - x^3 + y + r*time)\n"
    "force(y, x - y) constraint('c', y^2 + z^2 - 1)\n"
    "initial{ x = 0.2, y = 0.6, r = 0.1, ['der(y)'] = 0.3 } guess{ z = 1 }",
    /* energy and momentum as invariants, redundant rows */
    "local x, y = position('x', 'y')\n"
    "kinetic((velocity(x)^2 + velocity(y)^2)/2) potential(1/sqrt(x^2 + y^2) + x^2 + y^2)\n"
    "invariant('E', energy())\n"
    "initial{ x = 1, y = 0.2, ['der(x)'] = 0.3, ['der(y)'] = 1 }",
    /* massless joint between two masses, held by constraints */
    "local x, y, z = position('x', 'y', 'z')\n"
    "kinetic(velocity(x)^2 + (velocity(x)*cos(z) + velocity(z))^2)\n"
    "constraint('c', y - x^2 + z) potential(x^2 + z^4)\n"
    "initial{ x = 0.3, z = 0.2, ['der(x)'] = 1, ['der(z)'] = -0.5 }",
    /* splines, select, abs, min and max, inputs */
    "local f = spline({-2, -1, 0, 1, 2}, {1, 0.3, 0, 0.4, 1.2})\n"
    "local push = input('push', 0.7)\n"
    "local x, y = position('x', 'y')\n"
    "kinetic(velocity(x)^2 + velocity(y)^2) potential(f(x))\n"
    "constraint('c', y - f(x*cos(time/3)))\n"
    "force(x, push*select(x, x^2, 0) - abs(x)*velocity(x) + min(x, 5) + max(y, -3))\n"
    "initial{ x = 0.4, ['der(x)'] = 0.6 }",
    /* a mass that depends on position and time; a power, a logarithm */
    "local x, y = position('x', 'y')\n"
    "kinetic((1 + x^2 + exp(-time))*velocity(x)^2/2 + (2 + y^2)^1.5*velocity(y)^2)\n"
    "nonholonomic('h', velocity(y) - log(2 + x)*velocity(x))\n"
    "force(y, -atan(y, 1 + x^2))\n"
    "initial{ x = 0.5, y = 0.1, ['der(x)'] = 0.8 }",
    /* everything at once */
    "local x, y, m = position('x', 'y', 'm')\n"
    "local h, a, b = position('h', 'a', 'b')\n"
    "local turn = speed('turn')\n"
    "kinematics(h, turn*(1 + 0.1*x)) kinematics(a, -b*turn) kinematics(b, a*turn)\n"
    "kinetic(velocity(x)^2 + velocity(y)^2) mass(turn, 2 + sin(h))\n"
    "local s = contact('s', function(s) return s - 0.2*sin(s) - x*cos(h) end)\n"
    "local c = constraint('c', y - s^2 + 0.1*h)\n"
    "local n = nonholonomic('n', velocity(x) - turn*cos(h) - 0.1*time)\n"
    "local r = dynamic('r', function(r) return -r + velocity(y) + m end)\n"
    "local w = auxiliary('w', function(w) return w + 0.2*w^3 - r - 0.1*multiplier(c) - "
    "0.2*multiplier(n) end)\n"
    "force(m, -2*velocity(m) - m + x) force(x, -w) force(turn, 0.3*w - turn)\n"
    "invariant('i', a^2 + b^2)\n"
    "initial{ x = 0.4, h = 0.2, m = 0.1, r = 0.05, turn = 1, a = 0.6, b = 0.8 }",
};
enum { MIXTURES = sizeof mixtures / sizeof *mixtures };

static void derivatives_of_all_mixtures_pass_the_self_check(void **state)
{
    (void)state;
    for (int i = 0; i < MIXTURES; i++) {
        print_message("  mixture %d\n", i + 1);
        scripted s = scripted_text(mixtures[i]);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8, .self_check = true});
        scripted_advance(&s, 0.5);
        const dfl_statistics stats = dfl_solver_statistics(s.solver);
        assert_true(stats.max_residual.position < 1e-7 && stats.max_residual.velocity < 1e-6);
        assert_true(stats.max_residual.contact < 1e-7 && stats.max_residual.nonholonomic < 1e-6);
        scripted_free(&s);
    }
}

/* Without derivatives the solver takes differences: the same trajectory up to the tolerance. */
static void trajectories_without_derived_jacobians_are_the_same(void **state)
{
    (void)state;
    scripted exact = scripted_text(mixtures[2]);
    scripted_run(&exact, 1.0, 1e-8);
    scripted s = {.ctx = dfl_context_create()};
    scripted_expect(&s, dfl_script_load_text(&s.model, s.ctx, "test.lua", mixtures[2],
                                             strlen(mixtures[2]), NULL));
    scripted_expect(&s, dfl_equations_create(&s.eq, s.model, false));
    scripted_expect(&s, dfl_runnable_create(&s.run, s.eq));
    s.x = dfl_alloc(s.ctx, (size_t)s.eq->n, sizeof *s.x);
    assert_null(dfl_runnable_eom(s.run)->jacobian);
    scripted_run(&s, 1.0, 1e-8);
    assert_near(distance(s.x, exact.x, s.eq->n), 0.0, 1e-6);
    scripted_free(&s);
    scripted_free(&exact);
}

/* ------------------------------------------------------------ native code */

/* No constraint holds the accelerations of a mass matrix that varies; in many short steps they must
   not run away from what the velocities do. The energy of the double pendulum shows it. */
static void short_steps_keep_the_energy_without_constraints(void **state)
{
    (void)state;
    const int orders[] = {0, 5, 9, 13};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        scripted s = scripted_text("local a, b = position('a', 'b')\n"
                                   "local va, vb = velocity(a), velocity(b)\n"
                                   "kinetic(va^2 + vb^2/2 + va*vb*cos(a - b))\n"
                                   "potential(-9.81*(2*cos(a) + cos(b)))\n"
                                   "initial{ a = pi/2, b = pi/2 }\n");
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8, .order = orders[k]});
        const double before = dfl_runnable_energy(s.run, 0.0, s.x);
        for (int i = 1; i <= 500; i++)
            scripted_advance(&s, 0.02 * i);
        assert_near(dfl_runnable_energy(s.run, 10.0, s.x), before, 1e-6);
        scripted_free(&s);
    }
}

static void tape_and_native_code_give_the_same_bits(void **state)
{
    (void)state;
    char folder[] = "/tmp/driftless-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const dfl_native_options options = {.cache = folder};
    for (int i = 0; i < MIXTURES; i++) {
        bool native;
        scripted tape = scripted_text(mixtures[i]), code = scripted_text(mixtures[i]);
        scripted_expect(
            &tape, dfl_runnable_compile(&native, tape.run, DFL_EVAL_TAPE, &options, NULL, NULL));
        assert_false(native);
        scripted_expect(
            &code, dfl_runnable_compile(&native, code.run, DFL_EVAL_NATIVE, &options, NULL, NULL));
        assert_true(native);
        scripted_run(&tape, 0.5, 1e-8);
        scripted_run(&code, 0.5, 1e-8);
        assert_memory_equal(tape.x, code.x, (size_t)tape.eq->n * sizeof *tape.x);
        scripted_expect(
            &code, dfl_runnable_compile(&native, code.run, DFL_EVAL_TAPE, &options, NULL, NULL));
        assert_false(native); /* and back */
        scripted_run(&code, 0.5, 1e-8);
        assert_memory_equal(tape.x, code.x, (size_t)tape.eq->n * sizeof *tape.x);
        scripted_free(&tape);
        scripted_free(&code);
    }
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* A changed parameter or input reaches the evaluation, on both ways. */
static void parameters_and_inputs_are_set_without_deriving_again(void **state)
{
    (void)state;
    scripted s = scripted_text("local g = param('g', 9.81) local push = input('push', 0)\n"
                               "local x = position('x')\n"
                               "kinetic(velocity(x)^2/2) potential(g*x) force(x, push)\n");
    scripted_run(&s, 1.0, 1e-8);
    assert_near(scripted_value(&s, "x"), -9.81 / 2, 1e-12); /* a parabola: exact */
    dfl_runnable_set(s.run, DFL_A_PARAM, 0, 2.0);
    dfl_runnable_set(s.run, DFL_AN_INPUT, 0, 5.0);
    scripted_run(&s, 1.0, 1e-8);
    assert_near(scripted_value(&s, "x"), 1.5, 1e-12);
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum_has_the_text_books_mass_matrix_and_forces),
        cmocka_unit_test(explicit_time_in_the_kinetic_energy_gives_inertial_forces),
        cmocka_unit_test(potentials_act_on_speeds_through_the_kinematics),
        cmocka_unit_test(kinetic_energies_act_on_speeds_through_the_kinematics),
        cmocka_unit_test(a_massless_coordinate_keeps_its_balance_of_forces),
        cmocka_unit_test(a_contact_variable_is_eliminated_from_hidden_constraints),
        cmocka_unit_test(contact_variables_may_depend_on_each_other_and_on_time),
        cmocka_unit_test(derivatives_of_all_mixtures_pass_the_self_check),
        cmocka_unit_test(trajectories_without_derived_jacobians_are_the_same),
        cmocka_unit_test(short_steps_keep_the_energy_without_constraints),
        cmocka_unit_test(tape_and_native_code_give_the_same_bits),
        cmocka_unit_test(parameters_and_inputs_are_set_without_deriving_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
