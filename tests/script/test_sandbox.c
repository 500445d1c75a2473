/* test_sandbox.c: scripts that try to reach out, to run for ever, to take all memory; and that the
   same script gives the same model, bit by bit. */
#include "scripts.h"

#include <stdlib.h>
#include <time.h>

#define MIB (1024 * 1024)

/* A script that uses every call. */
static const char everything[] =
    "local m, F, n = param('m', 1, 'kg'), input('F', 0), setting('n', 3)\n"
    "local q = {}\n"
    "for i = 1, n do q[i] = position('q' .. i) end\n"
    "local z, u = position('z'), speed('u')\n"
    "kinematics(z, u)\n"
    "local s = spline({0, 1, 2, 4}, {0, 1, 0, 2})\n"
    "for i, x in ipairs(q) do\n"
    "    kinetic(m/2*velocity(x)^2)\n"
    "    potential(m*cos(x) + s(x))\n"
    "end\n"
    "mass(u, m) mass(u, q[1], 0.1) force(u, F - z)\n"
    "local c = constraint('c', q[1]^2 + q[2]^2 - 1)\n"
    "local h = nonholonomic('h', velocity(q[3]) - u)\n"
    "dynamic('r', function(r) return -r end)\n"
    "auxiliary('w', function(w) return w - sin(q[1]) end)\n"
    "contact('k', function(k) return k - q[2] end)\n"
    "invariant('e', energy())\n"
    "output('l', multiplier(c) + multiplier(h))\n"
    "event('stop', q[1], {direction = 'rising', stop = true})\n"
    "initial{ q1 = 1, [velocity(q[1])] = 0 }\n"
    "guess{ ['lambda(c)'] = 2 }\n"
    "simulate{ to = 1, rtol = 1e-6, form = 'psf', method = 'radau5' }\n"
    "local order = {}\n"
    "for k, v in pairs{ b = 1, a = 2, 3, 4 } do order[#order + 1] = k end\n"
    "print(table.concat(order, ' '), string.format('%s %d', m, 1), tostring(energy()))\n"
    "local t = {3, 1, 2} table.sort(t) print(t[1])\n";

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void nothing_outside_can_be_reached(void **state)
{
    (void)state;
    static const char *const names[] = {"io.open('/etc/passwd')",
                                        "os.execute('true')",
                                        "os.getenv('HOME')",
                                        "require 'os'",
                                        "dofile('x.lua')",
                                        "loadfile('x.lua')",
                                        "load('return 1')",
                                        "package.loadlib('a','b')",
                                        "debug.getregistry()",
                                        "coroutine.create(print)",
                                        "pcall(print)",
                                        "xpcall(print, print)",
                                        "setmetatable({}, {})",
                                        "getmetatable('')",
                                        "rawset({}, 1, 1)",
                                        "rawget({}, 1)",
                                        "rawequal(1, 1)",
                                        "rawlen({})",
                                        "next({})",
                                        "collectgarbage()",
                                        "math.random()",
                                        "math.randomseed(1)",
                                        "string.find('a', 'a')",
                                        "('a'):match('a')",
                                        "('a'):gsub('a', 'b')",
                                        "string.gmatch('a', 'a')",
                                        "string.dump(print)",
                                        "string.pack('i', 1)",
                                        "table.move({}, 1, 1, 2)",
                                        "_G.print(1)",
                                        "utf8.char(1)",
                                        "warn('@on')"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_refused(names[i], "is not available: a model script only builds the model", NULL);
    assert_refused("local a = _ENV.io", "'io' is not available", NULL);
    assert_refused("local a <close> = {}", "test.lua:1: ", NULL); /* needs a metatable */
}

static void only_text_is_run(void **state)
{
    (void)state;
    loaded l;
    load_bytes(&l, "\x1bLua\x54\x00\x19\x93", 8, NULL);
    assert_int_equal(l.status, DFL_INVALID);
    assert_string_equal(l.message, "test.lua: compiled Lua is refused; give the script as text");
    unload(&l);
    load_bytes(&l, "x = 1\n\0", 7, NULL);
    assert_int_equal(l.status, DFL_INVALID);
    assert_string_equal(l.message, "test.lua:2: a zero byte; the script is not a text");
    unload(&l);
}

static void endless_loops_end_at_the_limit_of_instructions(void **state)
{
    (void)state;
    const dfl_script_options options = {.max_instructions = 1000000};
    static const char *const scripts[] = {
        "\nwhile true do end",
        "\nrepeat until false",
        "\nfor i = 1, math.huge do end",
        "\n::again:: goto again",
        "\nlocal function f() return f() end f()",
        "\nlocal t = {} for i = 1, 1e4 do t[i] = i end while true do table.insert(t, 1, 0) end",
        "\nlocal t = {} while true do for i = 1, 9999 do t[i] = 1 end table.remove(t, 1) end",
        "\nlocal t = {} for i = 1, 1e4 do t[i] = -i end while true do table.sort(t) end",
        "\nlocal t = {1, 2, 3} while true do for k in pairs(t) do end end",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        assert_refused(scripts[i],
                       "test.lua:2: the script has run more than 1000000 instructions; is this an "
                       "endless loop?",
                       &options);
}

/* With the limits of every user: some tenths of a second, and no more memory than Lua has. */
static void endless_lists_of_parts_end_soon(void **state)
{
    (void)state;
    static const struct {
        const char *script, *message;
    } list[] = {
        {"for i = 1, 1e9 do body('b' .. i) end",
         "body 'b100001': a mechanism has at most 100000 bodies"},
        {"local b = body('b')\nfor i = 1, 1e9 do frame('f' .. i, b, {}) end",
         "frame 'f10001': a mechanism has at most 100000 bodies, as many joints, and 10000"},
        {"planar() local b = body('b') revolute('j', ground, b, { at = {0, 0} })\n"
         "for i = 1, 1e9 do distance('d' .. i, ground, b, { at = {2, 2}, at_b = {1, 0} }) end",
         "distance 'd100000': a mechanism has at most 100000 bodies, as many joints"},
        {"local b = body('b')\nfor i = 1, 1e9 do point(b, {i, 0, 0}) end",
         "more than 1000000000 instructions"},
    };
    const double start = seconds();
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        assert_refused(list[i].script, list[i].message, NULL);
    assert_true(seconds() - start < 20); /* 1 s here; it was minutes */
}

static void endless_loops_end_at_the_limit_of_time(void **state)
{
    (void)state;
    const dfl_script_options options = {.max_seconds = 0.05, .max_memory = 64 * MIB};
    static const char *const scripts[] = {
        "while true do end",
        /* few instructions, much work in each */
        "local s = ('x'):rep(1e7) while true do s = s:upper() end",
        "local s = ('x'):rep(1e7) while true do local a = s .. 'y' end",
        "while true do local a = ('x'):rep(1e7) end",
        /* garbage is collected again and again because almost all memory is in use */
        "local t = {} for i = 1, 3e5 do t[i] = {i} end while true do local a = ('x'):rep(2e7) end",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        const double start = seconds();
        assert_refused(scripts[i], "the script has run longer than 0.05 s", &options);
        assert_true(seconds() - start < 3); /* with a sanitizer on a busy machine */
    }
}

/* `count` times `piece` between two texts, as a script of at most 16 MiB. */
static void assert_ends_in_time(const char *head, const char *piece, size_t count, const char *tail)
{
    const dfl_script_options options = {.max_seconds = 0.2};
    const size_t length = strlen(piece);
    char *text = malloc(strlen(head) + count * length + strlen(tail) + 1), *end = text;
    assert_non_null(text);
    end += sprintf(end, "%s", head);
    for (size_t i = 0; i < count; i++, end += length)
        memcpy(end, piece, length);
    strcpy(end, tail);
    loaded l;
    const double start = seconds();
    load(&l, text, &options);
    assert_true(seconds() - start < 5); /* of minutes; a sanitizer takes its time */
    if (!strstr(l.message, "the script has run longer than 0.2 s"))
        fail_msg("%s...: '%s'", head, l.message);
    unload(&l);
    free(text);
}

/* Neither the compiler nor a C function runs instructions that could be counted. */
static void work_in_c_ends_at_the_limit_of_time(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "local s = ('1'):rep(1e8) while true do tonumber(s) end",
        "local s = ('1'):rep(1e7) while true do tonumber(s, 7) end",
        "local a, b = ('1'):rep(1e8), ('1'):rep(1e8) while true do local c = a < b end",
        "local a, b = ('1'):rep(1e8), ('1'):rep(1e8) while true do local c = a == b end",
        "local s, t = ('x'):rep(1e8), {} for i = 1, 1e4 do t[i] = s end table.sort(t)",
        ("local s, t = ('x'):rep(1e6), {} for i = 1, 90 do t[s .. i] = 1 end\n"
         "while true do for k in pairs(t) do end end"),
        "local t = {} for i = 1, 1e6 do t[i] = '' end while true do table.concat(t) end",
        "local s = ('x'):rep(9e5) while true do local a = s:byte(1, -1) end",
        "local f = ('%%'):rep(1e7) while true do string.format(f) end",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        assert_ends_in_time(scripts[i], "", 0, "");
    assert_ends_in_time("local x = 1 if x == 0 then x = 1\n", "elseif x == 2 then\n", 800000,
                        "end");
    assert_ends_in_time("local a, b = 1, 2 local x = ", "a == b or ", 1600000, "a");
}

static void scripts_that_take_all_memory_end_with_a_message(void **state)
{
    (void)state;
    const dfl_script_options options = {.max_memory = 4 * MIB};
    static const char *const scripts[] = {
        "local t = {} for i = 1, 1e8 do t[i] = i end",
        "local t = {} for i = 1, 1e8 do t[i] = {} end",
        "local t = {} for i = 1, 1e8 do t['k' .. i] = i end",
        "local s = 'x' while true do s = s .. s end",
        "local s = ('x'):rep(1e8)",
        "local s = ('x'):rep(1e3, ('y'):rep(1e5))",
        "local t = {} for i = 1, 1e5 do t[i] = 'x' end local s = table.concat(t, t[1]:rep(500))",
        "local t = nil while true do local u = t t = function() return u end end",
        "local t = {} for i = 1, 1e5 do t[i] = i end print(table.unpack(t))",
        "local s = ('%s'):rep(1e5) local a = string.format('%s%s%s', s:rep(9), s:rep(9), s:rep(9))",
        "local x = position('x') local t = {} while true do t[#t + 1] = x + 1 end",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        assert_refused(scripts[i], "test.lua: the script needs more than 4 MiB of memory",
                       &options);
    assert_refused("local s = ('x'):rep(1e18)", "resulting string too large", &options);
    assert_refused("local s = ('x'):rep(1e18, 'yy')", "resulting string too large", &options);
}

static void the_expressions_and_declarations_are_limited_too(void **state)
{
    (void)state;
    assert_refused("local x = position('x')\nlocal y = x\nfor i = 1, 1e6 do y = sin(y) end",
                   "test.lua:3: ", &(dfl_script_options){.max_nodes = 1000});
    assert_refused("local x = position('x')\nwhile true do force(x, 1) end",
                   "test.lua:2: more than 1048576 declarations of one kind", NULL);
}

static void recursion_without_end_ends_with_a_message(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "local function f() return 1 + f() end\nf()",
        "local function f(a, b) table.sort({2, 1}, f) return true end\nf()",
        "local n = 0\nlocal function f() n = n + 1 return dynamic('r' .. n, f) end\nf()",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        assert_refused(scripts[i], "stack overflow", NULL);

    char nested[20000];
    memset(nested, '(', sizeof nested - 1);
    memcpy(nested, "x = ", 4);
    nested[sizeof nested - 1] = 0;
    assert_refused(nested, "functions or brackets are nested too deeply", NULL);
}

static void an_empty_text_repeated_very_often_takes_no_time(void **state)
{
    (void)state;
    const double start = seconds();
    assert_prints("print(#string.rep('', 1e15), #(''):rep(math.maxinteger, ''))", "0\t0\n");
    assert_true(seconds() - start < 1);
}

static void no_text_contains_an_address(void **state)
{
    (void)state;
    assert_prints("print({}, print, function() end, math, string)",
                  "table\tfunction\tfunction\ttable\ttable\n");
    assert_prints("print(tostring({}), string.format('%s %10s', {}, print))",
                  "table\ttable   function\n");
    assert_refused("local s = string.format('%d %-20p', 1, {})",
                   "string.format: %p is not available", NULL);
    assert_refused("local s = ('%%%p'):format({})", "string.format: %p is not available", NULL);
    assert_prints("print(('%%p'):format())", "%p\n");
    assert_refused("error({})", "test.lua:1: table", NULL);
    assert_refused("local a = ('%'):format(1)", "test.lua:1: ", NULL);
}

static void pairs_has_a_fixed_order(void **state)
{
    (void)state;
    for (int run = 0; run < 5; run++) {
        assert_prints(
            "local x, y = position('x', 'y')\n"
            "local t = {[y] = 1, [x] = 2, zeta = 3, alpha = 4, Beta = 5, [2] = 6, [1] = 7, "
            "[-3.5] = 8, ['10'] = 9, [1e300] = 10, aleph = 11}\n"
            "local s = {}\n"
            "for k in pairs(t) do s[#s + 1] = tostring(k) end\n"
            "print(table.concat(s, ' '))",
            "-3.5 1 2 1e+300 10 Beta aleph alpha zeta x y\n");
        assert_prints("local t = {}\n"
                      "for i = 1, 200 do t['k' .. (i * 37) % 200] = i end\n"
                      "local last, n = '', 0\n"
                      "for k in pairs(t) do assert(last < k) last, n = k, n + 1 end\n"
                      "print(n)",
                      "200\n");
    }
    assert_prints("for k in pairs{} do print(k) end", "");
    assert_prints("local t = {1, 2, 3} for k in pairs(t) do t[k + 1] = nil print(k) end", "1\n3\n");
    assert_refused("for k in pairs{[true] = 1} do end", "a key of the table is true or false",
                   NULL);
    assert_refused("for k in pairs{[{}] = 1, 2} do end", "a key of the table is a table", NULL);
    assert_refused("pairs(nil)", "pairs: argument 1 is nil; give a table", NULL);
}

static void sorting_is_stable_and_survives_bad_functions(void **state)
{
    (void)state;
    assert_prints("local t = {5, 2, 8, 1, 9, 3} table.sort(t) print(table.concat(t, ' '))",
                  "1 2 3 5 8 9\n");
    assert_prints("local t = {'b', 'a', 'B'} table.sort(t) print(table.concat(t, ' '))", "B a b\n");
    assert_prints("local t = {} for i = 1, 500 do t[i] = i end\n"
                  "table.sort(t, function(a, b) return a % 7 < b % 7 end)\n"
                  "for i = 2, 500 do\n"
                  "    local a, b = t[i - 1], t[i]\n"
                  "    assert(a % 7 < b % 7 or a % 7 == b % 7 and a < b)\n"
                  "end",
                  "");
    assert_prints("local t = {} for i = 1, 500 do t[i] = i % 10 end\n"
                  "table.sort(t, function() return true end) print(#t)",
                  "500\n");
    assert_prints("local t = {3, 2, 1} table.sort(t, function(a, b) t[2] = nil return a < b end)\n"
                  "print(table.concat(t, ' '))",
                  "1 2 3\n");
    assert_refused("table.sort({1, 'a'})", "attempt to compare", NULL);
    assert_refused("table.sort({3, 2}, function() error('stop') end)", "test.lua:1: stop", NULL);
    assert_refused("table.sort({3, 2}, 1)", "table.sort: argument 2 is a number", NULL);
}

/* Whether two graphs have the same bytes. */
static void assert_same_graph(const dfl_graph *a, const dfl_graph *b)
{
    assert_int_equal(a->nnodes, b->nnodes);
    assert_memory_equal(a->nodes, b->nodes, a->nnodes * sizeof *a->nodes);
    assert_int_equal(a->nconstants, b->nconstants);
    assert_memory_equal(a->constants, b->constants, a->nconstants * sizeof *a->constants);
    assert_int_equal(a->nsymbols, b->nsymbols);
    for (int i = 0; i < a->nsymbols; i++)
        assert_string_equal(a->symbols[i].name, b->symbols[i].name);
}

/* The model of `script` is the same in several runs, which have different hash seeds and addresses.
 */
static void assert_repeats(const char *script)
{
    loaded first, again;
    load_good(&first, script);
    for (int i = 0; i < 5; i++) {
        load_good(&again, script);
        assert_same_graph(first.model->graph, again.model->graph);
        assert_string_equal(first.printed, again.printed);
        assert_int_equal(first.model->starts.count, again.model->starts.count);
        for (int k = 0; k < first.model->starts.count; k++)
            assert_int_equal(first.model->starts.item[k].symbol,
                             again.model->starts.item[k].symbol);
        unload(&again);
    }
    unload(&first);
}

static void the_same_script_gives_the_same_model(void **state)
{
    (void)state;
    assert_repeats(everything);
    assert_repeats("local q = {}\n"
                   "for _, n in ipairs{'a', 'b', 'c', 'd', 'e'} do q[n] = position(n) end\n"
                   "local sum, square = 0, {}\n"
                   "for n, x in pairs(q) do sum = sum + sin(x)*velocity(x) square[x] = x^2 end\n"
                   "for x, y in pairs(square) do constraint('c' .. tostring(x), y - 1) end\n"
                   "kinetic(sum^2)\n"
                   "initial{ e = 5, d = 4, c = 3, b = 2, a = 1 }\n");
}

static void every_limit_of_memory_is_met_cleanly(void **state)
{
    (void)state;
    dfl_status status = DFL_INVALID;
    int runs = 0;
    for (size_t limit = 1; status; limit += limit < 100000 ? 499 : 4999, runs++) {
        loaded l;
        load(&l, everything, &(dfl_script_options){.max_memory = limit});
        status = l.status;
        if (status && (status != DFL_INVALID || !strstr(l.message, "the script needs more than")))
            fail_msg("limit %zu: %s", limit, l.message);
        unload(&l);
        assert_true(limit < MIB);
    }
    assert_true(runs > 20);
}

static void every_failed_allocation_is_met_cleanly(void **state)
{
    (void)state;
    dfl_status status = DFL_NO_MEMORY;
    int runs = 0;
    for (; status; runs++) {
        dfl_context *ctx = dfl_context_create();
        dfl_model *model = NULL;
        const char *const set[] = {"m=2", "n=2"};
        dfl_context_fail_after(ctx, runs);
        status = dfl_script_load_text(&model, ctx, "test.lua", everything, strlen(everything),
                                      &(dfl_script_options){.nset = 1, .set = set});
        assert_true(status == DFL_OK || status == DFL_NO_MEMORY);
        assert_true((status == DFL_OK) == (model != NULL));
        if (status)
            assert_non_null(strstr(dfl_message(ctx), "no memory"));
        dfl_model_free(model);
        assert_int_equal(dfl_context_live(ctx), 0);
        dfl_context_free(ctx);
    }
    assert_true(runs > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_outside_can_be_reached),
        cmocka_unit_test(only_text_is_run),
        cmocka_unit_test(endless_loops_end_at_the_limit_of_instructions),
        cmocka_unit_test(endless_lists_of_parts_end_soon),
        cmocka_unit_test(endless_loops_end_at_the_limit_of_time),
        cmocka_unit_test(work_in_c_ends_at_the_limit_of_time),
        cmocka_unit_test(scripts_that_take_all_memory_end_with_a_message),
        cmocka_unit_test(the_expressions_and_declarations_are_limited_too),
        cmocka_unit_test(recursion_without_end_ends_with_a_message),
        cmocka_unit_test(an_empty_text_repeated_very_often_takes_no_time),
        cmocka_unit_test(no_text_contains_an_address),
        cmocka_unit_test(pairs_has_a_fixed_order),
        cmocka_unit_test(sorting_is_stable_and_survives_bad_functions),
        cmocka_unit_test(the_same_script_gives_the_same_model),
        cmocka_unit_test(every_limit_of_memory_is_met_cleanly),
        cmocka_unit_test(every_failed_allocation_is_met_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
