/* test_errors.c: wrong scripts and what their authors are told: the line, the thing, the remedy. */
#include "scripts.h"

static void errors_of_lua_come_with_file_and_line(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"x = = 1", "test.lua:1: unexpected symbol near '='"},
        {"\n\nfor i = 1, 3 do", "test.lua:3: 'end' expected near <eof>"},
        {"print('abc", "test.lua:1: unfinished string near"},
        {"local t = nil\n\nlocal a = t.x", "test.lua:3: attempt to index a nil value (local 't')"},
        {"local t = {}\nt.f()", "test.lua:2: attempt to call a nil value (field 'f')"},
        {"local a = {} + 1", "test.lua:1: attempt to perform arithmetic on a table value"},
        {"local a = '1' + 1", "test.lua:1: attempt to perform arithmetic on a string value"},
        {"local x <const> = 1\nx = 2", "test.lua:2: attempt to assign to const variable 'x'"},
        {"goto nowhere", "test.lua:1: no visible label 'nowhere'"},
        {"table.insert(nil, 1)",
         "test.lua:1: bad argument #1 to 'insert' (table expected, got nil)"},
        {"math.floor('a')", "test.lua:1: bad argument #1 to 'floor' (number expected, got string)"},
        {"error('no\\nway')", "test.lua:1: no way"},
        {"local function f()\nerror('deep')\nend\nf()", "test.lua:2: deep"},
        {"error()", "test.lua:1: error"},
        {"error({})", "test.lua:1: table"},
        {"assert(1 == 2)", "test.lua:1: assertion failed"},
        {"\nassert(false, 'because')", "test.lua:2: because"},
    };
    CHECK_ALL(list);
}

static void misspelt_names_get_a_suggestion(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"\nlocal x = positon('x')",
         "test.lua:2: unknown name 'positon'; did you mean 'position'?"},
        {"Kinetic(1)", "test.lua:1: unknown name 'Kinetic'; did you mean 'kinetic'?"},
        {"local a = sqrd(1)", "unknown name 'sqrd'; did you mean 'sqrt'?"},
        {"length = 2\nlocal a = lenght",
         "test.lua:2: unknown name 'lenght'; did you mean 'length'?"},
        {"local a = zzzzzz", "unknown name 'zzzzzz'; assign a value before using it"},
        {"math.flor(1)", "unknown name 'math.flor'; did you mean 'math.floor'?"},
        {"('a'):uper()", "unknown name 'string.uper'; did you mean 'string.upper'?"},
        {"param('m', 1)\nkinetic(m)", "test.lua:2: unknown name 'm'; 'm' is declared in line 1 but "
                                      "not kept: write local m = ..."},
        {"local x = position('angle')\ninitial{ angel = 1 }",
         "test.lua:2: initial: there is no variable 'angel'; did you mean 'angle'?"},
        {"local x = position('angle')\nguess{ ['der(angel)'] = 1 }",
         "test.lua:2: guess: there is no variable 'der(angel)'; did you mean 'der(angle)'?"},
        {"local x = position('x')\nconstraint('rod', x)\nguess{ ['lambda(rood)'] = 1 }",
         "test.lua:3: guess: there is no variable 'lambda(rood)'; did you mean 'lambda(rod)'?"},
        {"initial{ ['der(x'] = 1 }", "there is no variable 'der(x'; declare it first"},
        {"initial{ ['foo(x)'] = 1 }", "there are names such as x, der(x), lambda(c), mu(c)"},
        {"simulate{ rtoll = 1 }", "simulate: unknown setting 'rtoll'; did you mean 'rtol'?"},
        {"simulate{ banana = 1 }",
         "unknown setting 'banana'; there are to, from, rtol, atol, every"},
        {"event('e', time - 1, { stopp = true })",
         "event: unknown option 'stopp'; did you mean 'stop'?"},
        {"event('e', time - 1, { direction = 'risin' })",
         "event: unknown direction 'risin'; did you mean 'rising'?"},
    };
    CHECK_ALL(list);
}

static void predefined_names_cannot_be_assigned(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"\nsin = 1", "test.lua:2: 'sin' is predefined; choose another name"},
        {"time = 3", "'time' is predefined"},
        {"function position() end", "'position' is predefined"},
        {"math.sin = nil", "math is predefined and cannot be changed"},
        {"string.foo = 1", "string is predefined and cannot be changed"},
    };
    CHECK_ALL(list);
}

static void wrong_arguments_of_declarations_are_named_with_a_remedy(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"position('x', 3)", "test.lua:1: position: argument 2 is a number; give a name in quotes"},
        {"position()", "position: 0 arguments are given; it takes at least 1"},
        {"position(x)", "unknown name 'x'"},
        {"local x = position('x')\nposition(x)",
         "test.lua:2: position: argument 1 is a symbol; give a name"},
        {"position('a\\0b')", "position: argument 1 contains a zero byte"},
        {"param('m')", "param: 1 argument is given; it takes at least 2"},
        {"param('m', 1, 'kg', 2)", "param: 4 arguments are given; it takes at most 3"},
        {"param('m', '1')", "param: argument 2 is a text; give a number"},
        {"local a = position('a')\nparam('b', a)",
         "test.lua:2: param: argument 2 is a symbol; give a number, or an expression of "
         "parameters"},
        {"local x = position('x')\nkinetic(velocity(x)^2)\noutput('E', energy())\npotential(x)",
         "test.lua:4: energy() of line 3 is the sum of what was declared before it"},
        {"local x, y = position('x', 'y')\nkinematics(x, y*velocity(y))",
         "kinematics: the expression contains the velocity of y; it may contain speeds only"},
        {"param('m', 1, 5)", "param: argument 3 is a number; give the unit in quotes"},
        {"param('m', 0/0)", "the value of the parameter 'm' is"},
        {"input('u', 1e999)", "the value of the input 'u' is inf; give a finite number"},
        {"setting('n', nil)", "setting: argument 2 is nil; give a number"},
        {"velocity(1)", "velocity: argument 1 is a number; give what position(...) returned"},
        {"local u = speed('u')\nvelocity(u)",
         "test.lua:2: velocity: the argument is not a position"},
        {"kinetic({})", "kinetic: argument 1 is a table; give a number or an expression"},
        {"kinetic()", "kinetic: 0 arguments are given; it takes 1"},
        {"potential(1/0)", "potential: argument 1 is inf; give finite numbers"},
        {"mass(1, 2)",
         "mass: argument 1 is a number; give what position, velocity or speed returned"},
        {"local m = param('m', 1)\nforce(m, 1)",
         "test.lua:2: force: the first argument is not a coordinate"},
        {"constraint(time)", "constraint: 1 argument is given; it takes at least 2"},
        {"constraint('c', true)",
         "constraint: argument 2 is true or false; give a number or an expression"},
        {"multiplier('rod')", "multiplier: argument 1 is a text; give what constraint(...)"},
    };
    CHECK_ALL(list);
}

static void wrong_functions_and_tables_of_declarations_are_named_with_a_remedy(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"dynamic('r', function(r) end)",
         "dynamic 'r': the function returns 0 values; return one equation for each variable"},
        {"dynamic('r', function(r) return nil end)",
         "dynamic 'r': the function returns nil; return a number"},
        {"contact('s', 'u', function(s, u) return s end)",
         "contact 's': the function returns 1 values; return one equation for each variable"},
        {"contact('s', 'u', 3)", "contact: argument 3 is a number; for several variables"},
        {"dynamic('r', 'r')", "dynamic: argument 2 is a text; give a number or an expression"},
        {"event('e', time, 1)", "event: argument 3 is a number; write { direction ="},
        {"event('e', time, { stop = 1 })", "event: stop is a number; give true or false"},
        {"event('e', time, { direction = 2 })", "event: direction is 2.0; give \"rising\""},
        {"event('e', time, { direction = {} })", "event: direction is a table; give \"rising\""},
        {"event('e', time, { 'stop' })", "event: a value without a name; write name = value"},
        {"simulate(10)", "simulate: argument 1 is a number; write simulate{ to = 10 }"},
        {"simulate{ 10 }", "simulate: a value without a name; write name = value"},
        {"simulate{ to = 'ten' }", "simulate: to is a text; give a number"},
        {"simulate{ to = 1/0 }", "simulate: to is inf; give a finite number"},
        {"simulate{ rtol = -1 }", "simulate: rtol is -1; it must be positive"},
        {"simulate{ form = 1 }",
         "simulate: form is a number; give a name in quotes, such as \"psf\""},
    };
    CHECK_ALL(list);
}

static void wrong_starting_values_are_named_with_a_remedy(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"initial(1)", "initial: argument 1 is a number; write it with braces and names"},
        {"initial{ 1 }", "initial: a value without a name; write name = value"},
        {"position('x')\ninitial{ x = 'one' }", "test.lua:2: initial: the value of x is a text"},
        {"position('x')\ninitial{ x = 1/0 }", "initial: the starting value of x is inf"},
        {"param('m', 1)\ninitial{ m = 1 }",
         "initial: 'm' is not a variable; starting values are for"},
        {"initial{ [time] = 1 }", "initial: time is not an unknown"},
        {"local x = position('x')\ninitial{ [2*x] = 1 }",
         "belongs to one variable, not to an expression"},
        {"local x = position('x')\nconstraint('rod', x)\nguess{ rod = 1 }",
         "test.lua:3: guess: 'rod' is a constraint; its multiplier is [\"lambda(rod)\"]"},
        {"local x = position('x')\ninitial{ [velocity(x)] = 1, [velocity(x)] = 2 }",
         "two keys of the table are the same symbol"},
    };
    CHECK_ALL(list);
}

static void wrong_arguments_of_functions_are_named_with_a_remedy(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"spline({1, 2, 3}, {1, 2})",
         "spline: 3 places but 2 values; give the same number of both"},
        {"spline({1, 2, 'c'}, {1, 2, 3})",
         "spline: entry 3 of argument 1 is a text; give a number"},
        {"spline(1, 2)", "spline: argument 1 is a number; give a table of numbers"},
        {"spline({1, 1, 2}, {1, 2, 3})", "points 1 and 2 of a spline"},
        {"spline({1, 2}, {1, 2})", "a spline"},
        {"sin()", "sin: 0 arguments are given; it takes 1"},
        {"sin('x')", "sin: argument 1 is a text; give a number or an expression"},
        {"log(2, 10)", "log: 2 arguments are given; it takes 1"},
        {"min(1, 'x')", "min: argument 2 is a text"},
        {"min(1/0, position('x'))", "min: argument 1 is inf"},
        {"max(1, 1/0, position('x'))", "max: argument 2 is inf"},
        {"select(1 > 2, 1, 2)",
         "select: argument 1 is true or false; give a number or an expression"},
        {"select(1, 2)", "select: 2 arguments are given; it takes 3"},
    };
    CHECK_ALL(list);
}

static void what_symbols_cannot_do_is_explained(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"local x = position('x')\n\nif x < 0 then end",
         "test.lua:3: symbols have no value yet and cannot be "
         "compared with < or >; use select(c, a, b)"},
        {"local x = position('x')\nif 1 >= x then end", "compared with <= or >=; use select"},
        {"local x = position('x')\nlocal a = x // 2",
         "test.lua:2: symbols cannot be divided with //; use /"},
        {"local x = position('x')\nlocal a = x % 0", "there is no remainder of a division by 0"},
        {"local x = position('x')\nlocal a = x % 'm'",
         "cannot take the remainder of a symbol and a text"},
        {"mod(3, 0)", "there is no remainder of a division by 0"},
        {"mod(3, 'm')", "mod: argument 2 is a text; give a number or an expression"},
        {"local x = position('x')\nlocal a = 'x: ' .. x",
         "a symbol is not a text; tostring(x) gives its formula"},
        {"local x = position('x')\nlocal a = #x", "a symbol has no length"},
        {"local x = position('x')\nlocal a = x.y", "a symbol has no fields"},
        {"local x = position('x')\nx.y = 1", "a symbol has no fields"},
        {"local x = position('x')\nlocal a = 2*x (1)",
         "a symbol is not a function; is a * or a comma missing?"},
        {"local x = position('x')\nlocal a = x + nil",
         "test.lua:2: cannot add a symbol and nil; is a name"},
        {"local x = position('x')\nlocal a = {} * x", "cannot multiply a table and a symbol"},
        {"local x = position('x')\nlocal a = 'a' / x", "cannot divide a text and a symbol"},
        {"local x = position('x')\nlocal a = x * (1/0)",
         "cannot multiply a symbol and the number inf"},
        {"local x = position('x')\nlocal a = x & 1",
         "attempt to perform bitwise operation on a symbol value"},
        {"local x = position('x')\nlocal a = math.floor(x)", "number expected, got symbol"},
        {"local n = param('n', 3)\nfor i = 1, n do end",
         "test.lua:2: bad 'for' limit (number expected, got symbol); symbols have no value while "
         "the "
         "script runs: for loop counts and decisions use setting(\"n\", 3), not param"},
        {"local n = param('n', 3)\nif n > 2 then end", "or setting(name, value), a number"},
        {"local n = param('n', 3)\nlocal s = ('x'):rep(n)", "use setting(\"n\", 3), not param"},
        {"local x = position('x')\nlocal c = constraint('c', x)\nlocal a = c + 1",
         "test.lua:3: attempt to perform arithmetic on a constraint value (local 'c')"},
        {"local x = position('x')\nfor i = 1, x do end", "test.lua:2: "},
    };
    CHECK_ALL(list);
}

static void wrong_models_are_refused_with_the_line_of_the_call(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"position('x', 'x')",
         "test.lua:1: the name 'x' is already used by the position of line 1"},
        {"param('a', 1)\nposition('a')",
         "test.lua:2: the name 'a' is already used by the parameter of line 1"},
        {"position('time')", "the name 'time' belongs to the symbol of time"},
        {"position('')", "the name is empty"},
        {"position('2x')", "the name '2x' must start with a letter"},
        {"position('der(x)')", "the name 'der(x)' may consist of letters"},
        {"position('a b')", "the name 'a b' may consist of letters"},
        {"position(('x'):rep(101))", "is longer than 100 characters"},
        {"local x = position('x')\nconstraint('c', velocity(x))",
         "test.lua:2: constraint 'c': the expression contains the velocity der(x)"},
        {"local x = position('x')\nconstraint('c', velocity(x))", "use nonholonomic"},
        {"constraint('c', 1)", "constraint 'c': the expression depends on no coordinate"},
        {"constraint('c', sin(time))", "constraint 'c': the expression depends on no coordinate"},
        {"local x = position('x')\nnonholonomic('c', x)",
         "nonholonomic 'c': the expression contains no "
         "velocity; use constraint"},
        {"local x = position('x')\npotential(velocity(x))",
         "what depends on velocities is a force: use force"},
        {"local u = speed('u')\nkinetic(u^2)",
         "kinetic: the expression contains the speed u; Lagrange's "
         "equations need the velocities of coordinates: use mass"},
        {"local x = position('x')\nmass(x, velocity(x))",
         "mass: the expression contains the velocity der(x)"},
        {"local x, u = position('x'), speed('u')\nforce(velocity(x), 1)\nkinematics(x, u)",
         "test.lua:3: kinematics: the velocity of x has been used before; declare kinematics "
         "first"},
        {"local x, u = position('x'), speed('u')\nkinematics(x, u)\nforce(x, 1)",
         "test.lua:3: force: x has kinematics, so it has no velocity of its own; use the speeds"},
        {"local x, u = position('x'), speed('u')\nkinematics(x, u)\ninitial{ ['der(x)'] = 1 }",
         "'der(x)' follows from the kinematics of x; give the starting values of the speeds"},
        {"local x, u = position('x'), speed('u')\nkinematics(x, u)\nkinematics(x, u)",
         "kinematics: x already has kinematics"},
        {"local x = position('x')\nkinematics(x, 2*x)",
         "kinematics 'x': the expression contains no speed"},
        {"local u = speed('u')\nkinematics(u, u)",
         "kinematics: the first argument is not a position"},
        {"local x = position('x')\nlocal r = dynamic('r', x)\nconstraint('c', x - r)",
         "constraint 'c': the expression contains the dynamic variable r; it may contain "
         "positions"},
        {"local x = position('x')\ncontact('s', x)",
         "contact 's': the expression contains no contact variable"},
        {"auxiliary('w', 0)", "auxiliary 'w': the expression is a number; give an equation"},
        {"invariant('e', 1)", "invariant 'e': the expression depends on no coordinate"},
        {"energy()", "energy: no energy has been given yet"},
        {"event('e', 1)", "event 'e': the expression depends neither on time nor on a variable"},
        {"local x = position('x')\nkinetic(x/0)", "test.lua:2: cannot divide by 0"},
    };
    CHECK_ALL(list);
}

static void wrong_settings_of_the_command_line_are_refused(void **state)
{
    (void)state;
    static const char script[] = "param('mass', 1)\nposition('x')";
    static const struct {
        const char *set, *message;
    } list[] = {
        {"mass", "--set mass: write --set NAME=VALUE"},
        {"=3", "--set =3: write --set NAME=VALUE"},
        {"mass=", "--set mass=: '' is not a finite number"},
        {"mass=abc", "'abc' is not a finite number"},
        {"mass=1kg", "'1kg' is not a finite number"},
        {"mass=inf", "'inf' is not a finite number"},
        {"mass=nan", "'nan' is not a finite number"},
        {"mas=1",
         "--set mas=1: test.lua has no parameter, input or setting 'mas'; did you mean 'mass'?"},
        {"x=1", "--set x=1: 'x' is a position in test.lua; only parameters, inputs and settings"},
        {"zzzzzz=1", "has no parameter, input or setting 'zzzzzz'"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        assert_refused(script, list[i].message,
                       &(dfl_script_options){.nset = 1, .set = &list[i].set});
}

static void values_of_set_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } list[] = {
        {"set{ mas = 1 } param('mass', 1)",
         "test.lua:1: set: mas: test.lua has no parameter, input or setting 'mas'; did you mean "
         "'mass'?"},
        {"param('mass', 1)\nset{ mass = 2 }",
         "test.lua:2: set: mass: 'mass' is declared before; write set{} at the beginning"},
        {"set{ ['initial(y)'] = 2 }", "set: initial(y): test.lua has no variable 'y'"},
        {"set{ L = 1/0 }", "set: 'L' is not a finite number"},
        {"set{ L = 'a' }", "set"},
        {"set(2)", "write set{ L = 2 }"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        assert_refused(list[i].text, list[i].message, NULL);
}

static void files_that_are_no_scripts_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path, *message;
    } list[] = {
        {DFL_SOURCE_DIR "/no-such-file.lua", "no-such-file.lua: cannot be opened: "},
        {DFL_SOURCE_DIR, "cannot be read: "},
        {"/dev/null", "/dev/null: the script is empty; declare positions"},
        {"/dev/zero", "/dev/zero: the script is longer than 16 MiB"},
    };
    dfl_context *ctx = dfl_context_create();
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        dfl_model *model;
        assert_int_equal(dfl_script_load(&model, ctx, list[i].path, NULL), DFL_INVALID);
        assert_non_null(strstr(dfl_message(ctx), list[i].message));
        assert_null(model);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    assert_refused("", "test.lua: the script is empty", NULL);
    assert_refused(" \n\t\r\n", "test.lua: the script is empty", NULL);
}

static void a_long_path_is_shown_in_full(void **state)
{
    (void)state;
    char path[301];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = 0;
    dfl_context *ctx = dfl_context_create();
    dfl_model *model;
    assert_int_equal(dfl_script_load_text(&model, ctx, path, "\nfoo()", 6, NULL), DFL_INVALID);
    assert_memory_equal(dfl_message(ctx), path, sizeof path - 1);
    assert_string_equal(dfl_message(ctx) + sizeof path - 1,
                        ":2: unknown name 'foo'; assign a value before using it");
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_lua_come_with_file_and_line),
        cmocka_unit_test(misspelt_names_get_a_suggestion),
        cmocka_unit_test(predefined_names_cannot_be_assigned),
        cmocka_unit_test(wrong_arguments_of_declarations_are_named_with_a_remedy),
        cmocka_unit_test(wrong_functions_and_tables_of_declarations_are_named_with_a_remedy),
        cmocka_unit_test(wrong_starting_values_are_named_with_a_remedy),
        cmocka_unit_test(wrong_arguments_of_functions_are_named_with_a_remedy),
        cmocka_unit_test(what_symbols_cannot_do_is_explained),
        cmocka_unit_test(wrong_models_are_refused_with_the_line_of_the_call),
        cmocka_unit_test(wrong_settings_of_the_command_line_are_refused),
        cmocka_unit_test(values_of_set_are_checked),
        cmocka_unit_test(files_that_are_no_scripts_are_refused),
        cmocka_unit_test(a_long_path_is_shown_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
