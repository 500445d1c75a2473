/* test_language.c: each call of the model language and what it does to the model. */
#include "scripts.h"

/* The declaration `name`, which must be there. */
static const dfl_declaration *find(const loaded *l, const char *name)
{
    const dfl_declaration *d = dfl_model_find(l->model, name);
    if (!d)
        fail_msg("'%s' is not declared", name);
    return d;
}

/* The starting value of a variable, which must be there. */
static const dfl_start_value *start_of(const loaded *l, const char *name)
{
    const dfl_expr symbol = dfl_model_variable_named(l->model, name);
    for (int i = 0; i < l->model->starts.count; i++)
        if (l->model->starts.item[i].symbol == symbol)
            return &l->model->starts.item[i];
    fail_msg("'%s' has no starting value", name);
    return NULL;
}

static void set_replaces_the_values_behind_it(void **state)
{
    (void)state;
    static const char script[] =
        "set{ m = 7, ['initial(x)'] = 3, ['initial(der(x))'] = 4, n = 5 }\n"
        "local m, n = param('m', 1), setting('n', 3)\n"
        "local x = position('x') kinetic(m/2*velocity(x)^2) initial{ x = 1 } print(n)";
    loaded l;
    load_good(&l, script);
    assert_string_equal(l.printed, "5\n");
    assert_true(find(&l, "m")->value == 7 && find(&l, "m")->preset == 1);
    assert_true(start_of(&l, "x")->value == 3 && start_of(&l, "der(x)")->value == 4);
    unload(&l);

    const char *const set[] = {"m=9", "initial(x)=6"}; /* the caller's go before it */
    load(&l, script, &(dfl_script_options){.nset = 2, .set = set});
    assert_int_equal(l.status, DFL_OK);
    assert_true(find(&l, "m")->value == 9);
    assert_true(start_of(&l, "x")->value == 6 && start_of(&l, "der(x)")->value == 4);
    unload(&l);
}

/* What simulate{} says. */
static double number(const dfl_model *model, const char *setting)
{
    return dfl_choices_number(&model->run, setting);
}

static void the_pendulum_of_the_manual_is_a_model(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, "local m = param(\"m\", 1)\n"
                  "local L = param(\"L\", 1)\n"
                  "local g = param(\"g\", 13.75)\n"
                  "\n"
                  "local x, y = position(\"x\", \"y\")\n"
                  "kinetic  (m/2 * (velocity(x)^2 + velocity(y)^2))\n"
                  "potential(m*g*y)\n"
                  "constraint(\"rod\", x^2 + y^2 - L^2)\n"
                  "\n"
                  "initial{ x = 1, y = 0 }\n"
                  "simulate{ to = 10, rtol = 1e-8 }\n");
    const dfl_model *model = l.model;
    assert_string_equal(model->name, "test");
    assert_memory_equal(model->text, "local m", 7);
    assert_int_equal(model->count[DFL_A_PARAM], 3);
    assert_int_equal(model->count[DFL_A_POSITION], 2);
    assert_int_equal(model->count[DFL_A_CONSTRAINT], 1);
    assert_int_equal(find(&l, "rod")->line, 8);
    assert_int_equal(model->energy.kinetic_line, 6);
    assert_int_equal(model->energy.potential_line, 7);
    assert_int_equal(model->starts.count, 2);
    assert_true(start_of(&l, "x")->value == 1 && start_of(&l, "x")->held);
    assert_true(number(model, "to") == 10 && number(model, "rtol") == 1e-8 &&
                isnan(number(model, "atol")));
    assert_int_equal(model->run_line, 11);
    unload(&l);
}

static void values_come_from_the_script_or_the_command_line(void **state)
{
    (void)state;
    static const char script[] = "local m = param('m', 1, 'kg')\n"
                                 "local F = input('F', 2)\n"
                                 "local n, h = setting('n', 3), setting('h', 0.5)\n"
                                 "print(m, F, n, h, 'x' .. n)";
    const char *const set[] = {"n=5", "m=7.5", "h=2", "m=8"};
    loaded l;
    load_good(&l, script);
    assert_string_equal(l.printed, "m\tF\t3\t0.5\tx3\n");
    assert_string_equal(find(&l, "m")->unit, "kg");
    assert_true(find(&l, "m")->value == 1 && find(&l, "F")->value == 2);
    unload(&l);

    load(&l, script, &(dfl_script_options){.nset = 4, .set = set});
    assert_int_equal(l.status, DFL_OK);
    assert_string_equal(l.printed, "m\tF\t5\t2.0\tx5\n");                 /* an integer stays one */
    assert_true(find(&l, "m")->value == 8 && find(&l, "m")->preset == 1); /* the last one counts */
    assert_true(find(&l, "n")->value == 5 && find(&l, "n")->preset == 3);
    unload(&l);

    load(&l, "print(setting('n', 3))",
         &(dfl_script_options){.nset = 1, .set = (const char *[]){"n=2.5"}});
    assert_string_equal(l.printed, "2.5\n");
    unload(&l);
}

static void coordinates_come_several_at_once(void **state)
{
    (void)state;
    assert_prints("local x, y, z = position('x', 'y', 'z')\n"
                  "print(x, y, z, velocity(x))\n"
                  "print(velocity(x, z))\n"
                  "print(speed('u', 'v'))",
                  "x\ty\tz\tder(x)\nder(x)\tder(z)\nu\tv\n");
}

static void kinematics_gives_the_velocity(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, "local x, u = position('x'), speed('u')\n"
                  "kinematics(x, cos(x)*u)\n"
                  "print(velocity(x))\n"
                  "mass(u, 2) mass(u, u, x) force(u, -x)");
    assert_string_equal(l.printed, "u*cos(x)\n");
    assert_true(find(&l, "x")->expr != DFL_NO_EXPR);
    assert_int_equal(l.model->masses.count, 2);
    assert_int_equal(l.model->masses.item[1].u, find(&l, "u")->symbol);
    assert_int_equal(l.model->masses.item[1].v, find(&l, "u")->symbol);
    assert_int_equal(l.model->masses.item[1].expr, find(&l, "x")->symbol);
    assert_int_equal(l.model->forces.count, 1);
    assert_int_equal(l.model->forces.item[0].line, 4);
    unload(&l);
}

static void a_coordinate_in_mass_and_force_means_its_velocity(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, "local x, y = position('x', 'y')\n"
                  "mass(x, velocity(y), 3) force(x, 1)");
    assert_int_equal(l.model->masses.item[0].u, find(&l, "x")->velocity);
    assert_int_equal(l.model->masses.item[0].v, find(&l, "y")->velocity);
    assert_int_equal(l.model->forces.item[0].u, find(&l, "x")->velocity);
    unload(&l);
}

static void energies_add_up(void **state)
{
    (void)state;
    assert_prints("local x, y = position('x', 'y')\n"
                  "kinetic(velocity(x)^2) kinetic(velocity(y)^2)\n"
                  "potential(x) potential(0) potential(y)\n"
                  "print(energy())",
                  "der(x)^2 + der(y)^2 + x + y\n");
}

static void constraints_have_multipliers(void **state)
{
    (void)state;
    assert_prints("local x, y = position('x', 'y')\n"
                  "local c = constraint('rod', x^2 - 1)\n"
                  "local h = nonholonomic('edge', velocity(y))\n"
                  "print(c, h, multiplier(c), multiplier(h), type(c))\n"
                  "force(x, -0.1*abs(multiplier(c)))",
                  "constraint 'rod'\tconstraint 'edge'\tlambda(rod)\tmu(edge)\tconstraint\n");
}

static void other_variables_take_expressions_or_functions(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, "local x = position('x')\n"
                  "local r = dynamic('r', function(r) return x - r end)\n"
                  "local q = dynamic('q', 2*r)\n"
                  "local one = dynamic('one', 1)\n"
                  "local w = auxiliary('w', function(w) return w + w^3 - x end)\n"
                  "local s = contact('s', function(s) return s - sin(x) end)\n"
                  "print(r, q, one, w, s)");
    assert_string_equal(l.printed, "r\tq\tone\tw\ts\n");
    assert_int_equal(find(&l, "r")->kind, DFL_A_DYNAMIC);
    assert_int_equal(find(&l, "w")->kind, DFL_AN_AUXILIARY);
    assert_int_equal(find(&l, "s")->kind, DFL_A_CONTACT);
    dfl_graph *g = l.model->graph;
    assert_int_equal(find(&l, "r")->expr, dfl_sub(g, find(&l, "x")->symbol, find(&l, "r")->symbol));
    assert_int_equal(find(&l, "one")->expr, dfl_constant(g, 1));
    unload(&l);
}

static void variables_that_depend_on_each_other_are_declared_together(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, "local x = position('x')\n"
                  "local s, u = contact('s', 'u', function(s, u) return s - u*x, u + 2*s end)\n"
                  "local a, b = dynamic('a', 'b', function(a, b) return b, -1 end)\n"
                  "print(s, u, a, b)");
    assert_string_equal(l.printed, "s\tu\ta\tb\n");
    dfl_graph *g = l.model->graph;
    const dfl_expr s = find(&l, "s")->symbol, u = find(&l, "u")->symbol;
    assert_int_equal(find(&l, "s")->expr, dfl_sub(g, s, dfl_mul(g, u, find(&l, "x")->symbol)));
    assert_int_equal(find(&l, "u")->expr, dfl_add(g, u, dfl_mul(g, dfl_constant(g, 2), s)));
    assert_int_equal(find(&l, "a")->expr, find(&l, "b")->symbol);
    assert_int_equal(find(&l, "b")->expr, dfl_constant(g, -1));
    unload(&l);
}

static void outputs_events_and_invariants_are_declared(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, "local x = position('x')\n"
                  "kinetic(velocity(x)^2)\n"
                  "invariant('E', energy())\n"
                  "output('two', 2) output('double', 2*x)\n"
                  "event('any', x)\n"
                  "event('up', x, {direction = 'rising'})\n"
                  "event('down', x, {direction = -1, stop = true})\n"
                  "event('both', time - 1, {direction = 'both', stop = false})");
    assert_int_equal(l.model->count[DFL_AN_OUTPUT], 2);
    assert_int_equal(find(&l, "E")->expr, l.model->energy.kinetic);
    assert_int_equal(find(&l, "any")->direction, 0);
    assert_false(find(&l, "any")->stop);
    assert_int_equal(find(&l, "up")->direction, 1);
    assert_int_equal(find(&l, "down")->direction, -1);
    assert_true(find(&l, "down")->stop);
    assert_int_equal(find(&l, "both")->direction, 0);
    unload(&l);
}

static void starting_values_accumulate_by_name_or_symbol(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, "local x, u = position('x'), speed('u')\n"
                  "local z = position('z')\n"
                  "local c = constraint('rod', x)\n"
                  "initial{ x = 1, ['der(x)'] = 2, [u] = 3 }\n"
                  "guess{ [velocity(z)] = 4, ['lambda(rod)'] = 5 }\n"
                  "guess{ [multiplier(c)] = 7 }\n"
                  "initial{ x = 6 }");
    assert_int_equal(l.model->starts.count, 5);
    assert_true(start_of(&l, "x")->value == 6 && start_of(&l, "x")->held);
    assert_int_equal(start_of(&l, "x")->line, 7);
    assert_true(start_of(&l, "der(x)")->value == 2 && start_of(&l, "der(x)")->held);
    assert_true(start_of(&l, "u")->value == 3 && start_of(&l, "u")->held);
    assert_true(start_of(&l, "der(z)")->value == 4 && !start_of(&l, "der(z)")->held);
    assert_true(start_of(&l, "lambda(rod)")->value == 7);
    unload(&l);
}

static void expressions_of_parameters_count_as_numbers(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, "local L, T = param('L', 2), param('T', 3)\n"
                  "param('half', L/2)\n"
                  "local x = position('x')\n"
                  "initial{ x = sqrt(2*L) }\n"
                  "simulate{ to = 2*T }\n"
                  "print(spline({0, T, 4}, {0, 1, L})(3))");
    assert_true(start_of(&l, "x")->value == 2);
    assert_true(number(l.model, "to") == 6);
    assert_true(find(&l, "half")->value == 1);
    assert_string_equal(l.printed, "1.0\n");
    unload(&l);
}

static void settings_of_the_run_are_kept(void **state)
{
    (void)state;
    loaded l;
    load_good(
        &l, "simulate{ from = -1, to = 10, rtol = 1e-8, atol = 1e-9, every = 0.1, form = 'psi1',\n"
            "          method = 'radau5', first_step = 1e-3, max_step = 0.5, fixed_step = 0.25,\n"
            "          max_steps = 1000 }\n"
            "simulate{ to = 20, form = 'psf' }");
    const dfl_model *m = l.model;
    assert_true(number(m, "from") == -1 && number(m, "to") == 20);
    assert_true(number(m, "rtol") == 1e-8 && number(m, "atol") == 1e-9);
    assert_true(number(m, "every") == 0.1 && number(m, "first_step") == 1e-3);
    assert_true(number(m, "max_step") == 0.5 && number(m, "fixed_step") == 0.25);
    assert_true(number(m, "max_steps") == 1000);
    assert_string_equal(dfl_choices_text(&m->run, "form"), "psf");
    assert_string_equal(dfl_choices_text(&m->run, "method"), "radau5");
    assert_int_equal(m->run_line, 4);
    unload(&l);
}

static void functions_of_numbers_are_numbers(void **state)
{
    (void)state;
    assert_prints(
        "for _, f in ipairs{sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt} do\n"
        "    assert(type(f(0.5)) == 'number')\n"
        "    assert(type(f(time)) == 'symbol')\n"
        "end\n"
        "print(math.abs(sin(pi/6) - 0.5) < 1e-15, exp(0), sqrt(16), pi == math.pi)",
        "true\t1.0\t4.0\ttrue\n");
    /* integers stay integers where the result is one of the arguments, or its size */
    assert_prints("print(abs(-3), abs(-3.5), sign(-2), sign(0.5), min(3, 1, 2), max(3, 1.5))",
                  "3\t3.5\t-1\t1.0\t1\t3\n");
    assert_prints("print(atan(1, -1) == atan2(1, -1), atan(1) == pi/4, atan2(-0.0, 1))",
                  "true\ttrue\t-0.0\n");
    assert_prints("print(select(1, 2, 3), select(0, 2, 3), select(-1, 2, 3))", "2\t3\t3\n");
}

static void functions_of_symbols_are_expressions(void **state)
{
    (void)state;
    assert_prints("local x, y = position('x', 'y')\n"
                  "print(sin(x), math.sin(x), atan(x, y), atan2(x, 1), abs(x), sign(x))\n"
                  "print(min(x, 1, y), max(1, 2, x), select(x, 1, y))\n"
                  "print(x + 1, 1 - x, 2*x, x/2, 1/x, x^2, x^y, 2^x, -x, x - y)",
                  "sin(x)\tsin(x)\tatan2(x, y)\tatan2(x, 1)\tabs(x)\tsign(x)\n"
                  "min(min(x, 1), y)\tmax(2, x)\tselect(x, 1, y)\n"
                  "x + 1\t1 - x\t2*x\t0.5*x\t1/x\tx^2\tx^y\t2^x\t-x\tx - y\n");
}

static void equal_expressions_are_one_node(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, "local x, y = position('x', 'y')\n"
                  "output('a', sin(x*y) + 1)\n"
                  "output('b', 1 + sin(y*x))");
    assert_int_equal(find(&l, "a")->expr, find(&l, "b")->expr);
    unload(&l);
}

static void splines_pass_through_their_points(void **state)
{
    (void)state;
    assert_prints("local s = spline({0, 1, 2, 3}, {1, 0, 2, 5})\n"
                  "for i = 0, 3 do print(string.format('%.9f', s(i))) end\n"
                  "print(s, type(s), type(s(time)))",
                  "1.000000000\n0.000000000\n2.000000000\n5.000000000\nspline\tspline\tsymbol\n");
}

/* The remainder has the sign of the divisor, as Lua's own. */
static void floors_and_remainders_are_those_of_lua(void **state)
{
    (void)state;
    loaded l;
    assert_prints("print(floor(2.7), floor(-2.5), floor(7), mod(-7, 3), mod(7, -3), mod(5.5, 2))\n"
                  "print(floor(time), time % 2, mod(time, 2), 3 % time)",
                  "2\t-3\t7\t2\t-2\t1.5\n"
                  "floor(time)\ttime - 2*floor(0.5*time)\ttime - 2*floor(0.5*time)\t"
                  "3 - time*floor(3/time)\n");
    load_good(&l, "local x, m = param('x', -7.25), param('m', 3)\n"
                  "simulate{to = x % m, from = (-x) % (-m), max_step = floor(m + 0.5)}");
    assert_true(dfl_choices_number(&l.model->run, "to") == 1.75);
    assert_true(dfl_choices_number(&l.model->run, "from") == -1.75);
    assert_true(dfl_choices_number(&l.model->run, "max_step") == 3);
    unload(&l);
}

static void a_long_expression_is_not_written_out(void **state)
{
    (void)state;
    assert_prints("local e = time\n"
                  "for i = 1, 60 do e = sin(e)*e end\n" /* 2^60 times `time` */
                  "print(e)",
                  "an expression of more than 500 operations\n");
}

static void loops_build_families(void **state)
{
    (void)state;
    loaded l;
    const char *const set[] = {"n=40"};
    load(&l,
         "local n = setting('n', 3)\n"
         "local x = {}\n"
         "for i = 1, n do\n"
         "    x[i] = position('x[' .. i .. ']')\n"
         "    kinetic(velocity(x[i])^2)\n"
         "    if i > 1 then constraint('rod-' .. i, x[i] - x[i - 1] - 1) end\n"
         "    initial{ ['x[' .. i .. ']'] = i }\n"
         "end\n",
         &(dfl_script_options){.nset = 1, .set = set});
    assert_int_equal(l.status, DFL_OK);
    assert_int_equal(l.model->count[DFL_A_POSITION], 40);
    assert_int_equal(l.model->count[DFL_A_CONSTRAINT], 39);
    assert_int_equal(l.model->starts.count, 40);
    assert_true(start_of(&l, "x[40]")->value == 40);
    unload(&l);
}

static void the_rest_of_lua_is_there(void **state)
{
    (void)state;
    assert_prints("local t = {} table.insert(t, 'b') table.insert(t, 1, 'a') table.insert(t, 'c')\n"
                  "table.remove(t, 2) print(table.concat(t, ','), #t, table.unpack(t))\n"
                  "print(table.pack(1, nil, 3).n, #{...})",
                  "a,c\t2\ta\tc\n3\t0\n");
    assert_prints(
        "print(('abc'):upper(), ('abc'):sub(2), ('abc'):rep(2, '-'), #'abc', ('x'):byte())\n"
        "print(string.format('%05.1f|%d|%s|%q', 2.25, 3, true, 'a'))\n"
        "print(math.floor(2.7), math.ceil(2.2), math.huge, 7 // 2, 7 % 3, 2^10)",
        "ABC\tbc\tabc-abc\t3\t120\n002.2|3|true|\"a\"\n2\t3\tinf\t3\t1\t1024.0\n");
    assert_prints("print(tostring(1.5), tonumber('2') + 1, type(nil), assert(1, 2))",
                  "1.5\t3\tnil\t1\t2\n");
    assert_prints("local function f(...) local a = {...} return #a end print(f(1, 2, 3))", "3\n");
    assert_prints("count = 0\nfunction bump() count = count + 1 end\nbump() bump() print(count)",
                  "2\n");
}

static void marks_of_editors_and_shells_are_skipped(void **state)
{
    (void)state;
    assert_prints("\xEF\xBB\xBFprint(1)", "1\n");
    assert_prints("#!/usr/bin/env -S driftless run\nprint(2)", "2\n");
    assert_refused("#!/usr/bin/env -S driftless run\n\nfoo()", "test.lua:3: ", NULL);
    assert_prints("print(3)\r\nprint(4)\r\n", "3\n4\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pendulum_of_the_manual_is_a_model),
        cmocka_unit_test(values_come_from_the_script_or_the_command_line),
        cmocka_unit_test(set_replaces_the_values_behind_it),
        cmocka_unit_test(coordinates_come_several_at_once),
        cmocka_unit_test(kinematics_gives_the_velocity),
        cmocka_unit_test(a_coordinate_in_mass_and_force_means_its_velocity),
        cmocka_unit_test(energies_add_up),
        cmocka_unit_test(constraints_have_multipliers),
        cmocka_unit_test(other_variables_take_expressions_or_functions),
        cmocka_unit_test(variables_that_depend_on_each_other_are_declared_together),
        cmocka_unit_test(outputs_events_and_invariants_are_declared),
        cmocka_unit_test(starting_values_accumulate_by_name_or_symbol),
        cmocka_unit_test(expressions_of_parameters_count_as_numbers),
        cmocka_unit_test(settings_of_the_run_are_kept),
        cmocka_unit_test(functions_of_numbers_are_numbers),
        cmocka_unit_test(functions_of_symbols_are_expressions),
        cmocka_unit_test(equal_expressions_are_one_node),
        cmocka_unit_test(floors_and_remainders_are_those_of_lua),
        cmocka_unit_test(splines_pass_through_their_points),
        cmocka_unit_test(a_long_expression_is_not_written_out),
        cmocka_unit_test(loops_build_families),
        cmocka_unit_test(the_rest_of_lua_is_there),
        cmocka_unit_test(marks_of_editors_and_shells_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
