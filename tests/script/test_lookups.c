/* test_lookups.c: lookup, map and signal in scripts: values, warnings, what is refused, files. */
#define _XOPEN_SOURCE 700
#include "scripts.h"

#include "declare/declare.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define POINT "local x = position('x') kinetic(velocity(x)^2/2)\n"
#define STEP "{0, 1, 1.01, 2, 3}, {0, 0, 1, 1, 1}"

static void tables_are_called_with_numbers_and_expressions(void **state)
{
    (void)state;
    assert_prints("local f = lookup({0, 1, 3}, {0, 2, 0}, {kind = 'linear'})\n"
                  "local m = map({0, 1, 3}, {0, 2}, {{0, 1}, {1, 3}, {2, 2}})\n"
                  "print(f, type(f), f(0.5), f(2), f(-1), f(9), type(f(time)))\n"
                  "print(m, type(m), m(0.5, 1), m(3, 2), type(m(time, 1)))\n"
                  "print(spline({0, 1, 2}, {0, 1, 4})(0.5))",
                  "lookup\tlookup\t1.0\t1.0\t0.0\t0.0\tsymbol\n"
                  "map\tmap\t1.25\t2.0\tsymbol\n0.25\n");
}

/* A table is monotone unless it is said otherwise; cubic and smooth ones go on with their slope. */
static void kinds_and_outsides_have_defaults(void **state)
{
    (void)state;
    assert_prints("local xs, ys = {0, 1, 2, 3, 4, 5}, {0, 1, 4, 5, 5.5, 2}\n"
                  "print(string.format('%.12f %.12f', lookup(xs, ys)(0.5), lookup(xs, ys)(9)))\n"
                  "for _, k in ipairs{'linear', 'monotone', 'cubic', 'smooth'} do\n"
                  "  local f = lookup(xs, ys, {kind = k})\n"
                  "  print(k, f(6) == f(5), f(6) - f(5) == f(7) - f(6))\n"
                  "end",
                  "0.312500000000 2.000000000000\nlinear\ttrue\ttrue\nmonotone\ttrue\ttrue\n"
                  "cubic\tfalse\ttrue\nsmooth\tfalse\ttrue\n");
}

/* The value of an output of parameters alone. */
static double output_value(const loaded *l, const char *name)
{
    double value;
    assert_int_equal(dfl_model_value(&value, l->model, dfl_model_find(l->model, name)->expr),
                     DFL_OK);
    return value;
}

/* Ordinates that are parameters take the values of --set; the result is that of numbers. */
static void ordinates_may_be_parameters_that_are_set(void **state)
{
    (void)state;
    static const char text[] =
        "local p, q, at = param('p', 1), input('q', 2), param('at', 0.3)\n"
        "for _, k in ipairs{'linear', 'monotone', 'cubic', 'smooth'} do\n"
        "  for _, o in ipairs{'hold', 'extend', 'repeat'} do\n"
        "    local first = o == 'repeat' and 0.5 or p\n"
        "    local a = lookup({0, 1, 2, 4, 5}, {first, 2*p, p + q, 1, 0.5}, {kind = k, outside = "
        "o})\n"
        "    local b = lookup({0, 1, 2, 4, 5}, {o == 'repeat' and 0.5 or 3, 6, 3 + 0.25, 1, 0.5},\n"
        "                     {kind = k, outside = o})\n"
        "    for i = -3, 14 do output(k .. o .. '_' .. i + 3, a(at + 0.6*i) - b(at + 0.6*i)) end\n"
        "  end\n"
        "end\n"
        "local a = map({0, 1, 3}, {0, 2}, {{p, q}, {1, 3}, {2, q}}, {kind = 'bicubic'})\n"
        "local b = map({0, 1, 3}, {0, 2}, {{3, 0.25}, {1, 3}, {2, 0.25}}, {kind = 'bicubic'})\n"
        "output('map', a(at, 2*at) - b(at, 2*at))\n";
    const char *const set[] = {"p=3", "q=0.25"};
    loaded l;
    load(&l, text, &(dfl_script_options){.nset = 2, .set = set});
    assert_int_equal(l.status, DFL_OK);
    int compared = 0;
    for (int i = 0; i < l.model->declarations.count; i++)
        if (l.model->declarations.item[i].kind == DFL_AN_OUTPUT) {
            const char *name = l.model->declarations.item[i].name;
            if (!(fabs(output_value(&l, name)) < 1e-12))
                fail_msg("%s differs by %g", name, output_value(&l, name));
            compared++;
        }
    assert_int_equal(compared, 4 * 3 * 18 + 1);
    unload(&l);
}

static void assert_warnings(const char *text, int count, const char *piece)
{
    loaded l;
    load_good(&l, text);
    assert_int_equal(l.model->warnings.count, count);
    if (count > 0 && !strstr(l.model->warnings.item[0], piece))
        fail_msg("'%s' does not contain '%s'", l.model->warnings.item[0], piece);
    unload(&l);
}

static void splines_that_overshoot_are_named(void **state)
{
    (void)state;
    static const char far[] = "test.lua:1: spline through values from 0 to 1 runs from -36.8 to "
                              "26.5 between them";
    assert_warnings("local f = spline(" STEP ")", 1, far);
    assert_warnings("local f = lookup(" STEP ", {kind = 'smooth'})", 1, "from -36.8 to 26.5");
    assert_warnings("local f = lookup(" STEP ", {kind = 'cubic'})", 1, "from -19.2 to 17.9");
    assert_warnings("local f = lookup(" STEP ")", 0, "");
    assert_warnings("local f = lookup(" STEP ", {kind = 'linear'})", 0, "");
    assert_warnings("local f = spline({0, 1, 2, 3}, {0, 1, 4, 9})", 0, "");
    assert_warnings("local f = spline({0, 1, 2, 3}, {1, 1, 1, 1})", 0, "");
    assert_warnings("local p = param('p', 1) local f = lookup({0, 1, 1.01, 2, 3}, {0, 0, p, p, 1},"
                    " {kind = 'cubic'})",
                    1, "from -19.2 to 17.9");
}

/* What is differentiated twice: kinks are refused, jumps of the curvature are told. */
static void constraints_and_motions_need_smooth_tables(void **state)
{
    (void)state;
    static const wrong list[] = {
        {POINT "local f = lookup({0, 1, 2}, {0, 1, 0}, {kind = 'linear'})\n"
               "constraint('cam', x - f(time))",
         "test.lua:3: constraint 'cam' contains a linear table: velocities would jump at its "
         "knots; give it kind = \"cubic\" or \"smooth\""},
        {POINT "local p = param('p', 1) local f = lookup({0, 1, 2}, {0, p, 0}, {kind = 'linear'})\n"
               "constraint('cam', x - f(time))",
         "constraint 'cam' contains a linear table"},
        {POINT "local y = position('y') kinetic(velocity(y)^2)\n"
               "local f = map({0, 1, 2}, {0, 1}, {{0, 1}, {2, 3}, {5, 6}})\n"
               "constraint('cam', x - f(y, time))",
         "constraint 'cam' contains a linear table"},
        {"planar() local b = body('b', {mass = 1, com = {1, 0}})\n"
         "local f = lookup({0, 1, 2}, {0, 1, 0}, {kind = 'linear'})\n"
         "prismatic('rail', ground, b, {at = {0, 0}, axis = {1, 0}, motion = f(time)})",
         "motion of 'rail' contains a linear table"},
        {"planar() local b = body('b', {mass = 1, com = {1, 0}})\n"
         "local f = lookup({0, 1, 2}, {0, 1, 0}, {kind = 'linear'})\n"
         "local j = prismatic('rail', ground, b, {at = {0, 0}, axis = {1, 0}})\n"
         "drive('d', j, f(time))",
         "constraint 'd' contains a linear table"},
        {"planar() local b = body('b', {mass = 1, com = {1, 0}})\n"
         "local f = lookup({0, 1, 2}, {0, 1, 0}, {kind = 'linear'})\n"
         "joint('track', ground, b, {at = {0, 0}, coordinates = 1,\n"
         "  pose = function(s) return {s, f(s)} end})",
         "pose of 'track' contains a linear table"},
        {"planar() local b = body('b', {mass = 1, com = {0, 1}, inertia = 1})\n"
         "free('f', ground, b, {at = {0, 1}})\n"
         "local f = lookup({-1, 0, 1}, {0, 1, 0}, {kind = 'linear'})\n"
         "contact_curves('touch', ground, b, {start = {0, 0},\n"
         "  curve_a = function(u) return u, f(u) end,\n"
         "  curve_b = function(u) return cos(u), 2 + sin(u) end})",
         "contains a linear table"},
    };
    CHECK_ALL(list);
    assert_warnings(POINT "local f = lookup({0, 1, 2, 3}, {0, 0, 1, 1})\n"
                          "constraint('cam', x - f(time))",
                    1,
                    "test.lua:3: constraint 'cam' contains a monotone table: accelerations jump");
    assert_warnings(POINT "local f = lookup({0, 1, 2}, {0, 1, 2}, {kind = 'cubic'})\n"
                          "constraint('cam', x - f(time))",
                    0, "");
    assert_warnings(POINT
                    "local f = lookup({0, 1, 2}, {0, 1, 2}, {kind = 'cubic', outside = 'hold'})\n"
                    "constraint('cam', x - f(time))",
                    1, "constraint 'cam' contains a table with a kink at an end");
    assert_warnings(POINT "local p = param('p', 1) local f = lookup({0, 1, 2}, {0, 1, 0})\n"
                          "constraint('cam', x - f(p)*time)",
                    0, "");
}

static void wrong_tables_are_refused(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"lookup({0, 1, 2, 2.5, 2}, {1, 2, 3, 4, 5})",
         "test.lua:1: table: x must ascend (row 5: 2 after 2.5)"},
        {"lookup({0, 1, 1}, {1, 2, 3})", "table: x must ascend (row 3: 1 after 1)"},
        {"lookup({0}, {1})", "table: x has 1 number; give at least 2"},
        {"lookup({0, 1}, {1})", "lookup: 2 places but 1 values; give the same number of both"},
        {"lookup({0, 'a'}, {1, 2})", "lookup: entry 2 of argument 1 is a text; give a number"},
        {"lookup({0, 1}, {1, 'b'})", "lookup: value 2 is a text; give a number"},
        {"lookup({0, 1}, {1, time})", "lookup: value 2 is an expression of variables"},
        {"lookup({0, 1}, {1, 1/0})", "lookup: value 2 is inf; give finite numbers"},
        {"lookup({0, 0/0}, {1, 1})", "table: x of row 2 is"},
        {"lookup(1, 2)", "lookup: argument 1 is a number; give a table of numbers"},
        {"lookup({0, 1}, {1, 2}, {kind = 'linaer'})",
         "lookup: unknown kind 'linaer'; did you mean 'linear'?"},
        {"lookup({0, 1}, {1, 2}, {kind = 3})", "lookup: kind is a number; give a word in quotes"},
        {"lookup({0, 1}, {1, 2}, {outside = 'stop'})",
         "lookup: unknown outside 'stop'; there are hold, extend, repeat, error"},
        {"lookup({0, 1}, {1, 2}, {knd = 'linear'})",
         "lookup: unknown option 'knd'; did you mean 'kind'?"},
        {"lookup({0, 1, 2}, {1, 2, 3}, {outside = 'repeat'})",
         "table: what repeats must end as it begins; the first value is 1, the last is 3"},
        {"local p = param('p', 1) lookup({0, 1, 2}, {p, 2, 1}, {outside = 'repeat'})",
         "give the same expression for the first and the last value"},
        {"lookup({0, 1}, {1, 2})(1, 2)", "lookup: call it with one number or expression"},
        {"lookup({0, 1}, {1, 2})('a')", "lookup: argument 1 is a text; give a number"},
        {"lookup({0, 1}, {1, 2}, {outside = 'error'})(3)",
         "lookup: its argument is 3.0, but the table goes from 0.0 to 1.0"},
        {POINT "local f = lookup({0, 1}, {1, 2}, {outside = 'error'}) output('a', "
               "f(acceleration(x)))",
         "contains the acceleration der(der(x))"},
        {"map({0, 1}, {0, 1}, {{1, 2}})", "map: 1 rows of values, but 2 numbers x"},
        {"map({0, 1}, {0, 1}, {{1, 2}, {1}})",
         "map: row 2 has 1 values, but there are 2 numbers y"},
        {"map({0, 1}, {0, 1}, {{1, 2}, 3})", "map: row 2 of the values is a number"},
        {"map({0, 1}, {1, 0}, {{1, 2}, {3, 4}})", "table: y must ascend (row 2: 0 after 1)"},
        {"map({0, 1}, {0, 1}, {{1, 2}, {3, 4}}, {kind = 'cubic'})",
         "map: unknown kind 'cubic'; did you mean 'bicubic'?"},
        {"map({0, 1}, {0, 1}, {{1, 2}, {3, 4}})(1)", "map: call it with two numbers"},
    };
    CHECK_ALL(list);
}

/* A table that allows nothing outside declares one event for each of its arguments. */
static void limits_are_events_that_fail(void **state)
{
    (void)state;
    loaded l;
    load_good(&l, POINT "local f = lookup({0, 1, 3}, {0, 1, 0}, {outside = 'error'})\n"
                        "force(x, f(x) + f(x)*f(2*x))");
    assert_int_equal(l.model->count[DFL_AN_EVENT], 2);
    const dfl_declaration *limit = dfl_model_find(l.model, "outside.1");
    assert_non_null(limit);
    assert_true(limit->stop && limit->direction == -1 && limit->line == 2);
    assert_string_equal(limit->failure, "lookup: its argument x is outside of the table, which "
                                        "goes from 0 to 3,");
    unload(&l);
}

/* ------------------------------------------------------------------------------- files */

static char folder[64];

static void put_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_folder(void **state)
{
    char command[200];
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/driftless-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(command, sizeof command, "mkdir -p '%s/models/data'", folder);
    return system(command);
}

static int remove_folder(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Runs `text` as a model of the folder. */
static void load_there(loaded *l, const char *text)
{
    char path[128];
    *l = (loaded){.ctx = dfl_context_create()};
    snprintf(path, sizeof path, "%s/models/model.lua", folder);
    const dfl_script_options options = {.print = keep_printed, .user = l};
    l->status = dfl_script_load_text(&l->model, l->ctx, path, text, strlen(text), &options);
    snprintf(l->message, sizeof l->message, "%s", l->status ? dfl_message(l->ctx) : "");
}

/* `content` of models/s.csv gives F(0.5), as text; or a message that contains `expected`. */
static void assert_signal(const char *content, const char *expected, bool good)
{
    loaded l;
    put_file("models/s.csv", content);
    load_there(&l, "print(signal('s.csv', 'F')(0.5))");
    if (good != (l.status == DFL_OK) || !strstr(good ? l.printed : l.message, expected))
        fail_msg("%s\nexpected '%s', found '%s%s'", content, expected, l.printed, l.message);
    unload(&l);
}

static void signals_are_read_in_every_usual_form(void **state)
{
    (void)state;
    static const char *const good[] = {
        "t,F\n0,1\n1,2\n",
        "time,F\r\n0,1\r\n1,2",
        "\xEF\xBB\xBFt;other;F\n0;a;1\n1;;2\n\n",
        "\"F\", \"t\"\n\"1\", 0\n 2 ,\"1\"\n",
        "t,\"the \"\"x\"\", or y\",F\n0,\"a\nb\",1\n1,\"\",2\n",
        "other,F,time,t\n9,1.0e0,7,0\n9,+2.,7,1\n",
        "t,F\r0,1\r1,2\r",
        "t,F\n0,1\n0.5,1.5\n0.5,7\n1,8\n",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_signal(good[i], "1.5\n", true);
}

static void hostile_files_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *content, *message;
    } bad[] = {
        {"", "s.csv is empty; its first line names the columns 't' and 'F'"},
        {"t,G\n0,1\n1,2\n", "s.csv:1: there is no column 'F'; the first line is: t,G"},
        {"x,F\n0,1\n1,2\n", "s.csv:1: there is no column 't'"},
        {"t,F,F\n0,1,1\n1,2,2\n", "s.csv:1: two columns are named 'F'"},
        {"t,F\n", "s.csv has no row of numbers; give at least two"},
        {"t,F\n0,1\n", "s.csv has one row of numbers; give at least two"},
        {"t,F\n0,1\n1,n/a\n", "s.csv:3: 'n/a' is no number"},
        {"t,F\n0,1\n\n1,\n", "s.csv:4: '' is no number"},
        {"t,F\n0,1\n1,nan\n", "s.csv:3: 'nan' is no number"},
        {"t,F\n0,1\n1,inf\n", "s.csv:3: 'inf' is no number"},
        {"t,F\n0,1\n1,0x10\n", "s.csv:3: '0x10' is no number"},
        {"t,F\n0,1\n1,1e999\n", "s.csv:3: 1e999 is too large"},
        {"t,F\n0,1\n1,2 3\n", "s.csv:3: '2 3' is no number"},
        {"t;F\n0;1\n1;2,5\n", "s.csv:3: '2,5' is no number; write it with a decimal point"},
        {"t,F\n0,1\n1,2,3\n", "s.csv:3: the row has 3 fields, the first line has 2"},
        {"t,F\n0,1\n1\n", "s.csv:3: the row has 1 field, the first line has 2"},
        {"t,F\n0,1\n2,1\n1.5,2\n", "s.csv:4: times must ascend (1.5 after 2)"},
        {"t,F\n0,1\n1,1\n1,2\n1,3\n", "s.csv:5: the time 1 is given three times"},
        {"t,F\n0,1\n1,\"2\n", "s.csv:3: a quote is not closed"},
        {"t,F\n0,1\n1,\"2\"x\n", "s.csv:3: a text follows the quote of '2'"},
        {"t,a,F\n0,\"\n\n\",1\n1,,x\n", "s.csv:5: 'x' is no number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_signal(bad[i].content, bad[i].message, false);
    char *many = malloc(3000000);
    assert_non_null(many);
    int length = sprintf(many, "t,F\n");
    for (int i = 0; i <= 200000; i++)
        length += sprintf(many + length, "%d,1\n", i);
    assert_signal(many, "s.csv has more than 200000 rows; leave some out", false);
    memset(many, '9', 100000);
    memcpy(many, "t,F\n0,1\n1,", 10);
    strcpy(many + 100000, "\n");
    assert_signal(many, "99...' is no number", false);
    free(many);
}

/* One loaded text that fails with a message. */
static void assert_refused_there(const char *text, const char *message)
{
    loaded l;
    load_there(&l, text);
    if (l.status != DFL_INVALID || !strstr(l.message, message))
        fail_msg("%s\nexpected '%s', found '%s'", text, message, l.message);
    unload(&l);
}

static void signals_are_read_below_the_models_folder_only(void **state)
{
    (void)state;
    static const char good[] = "t,F\n0,1\n1,2\n", below[] = "only files below the model's folder";
    char text[300], path[200];
    put_file("secret.csv", good);
    put_file("models/data/a.csv", good);
    snprintf(path, sizeof path, "%s/models/link.csv", folder);
    assert_int_equal(symlink("../secret.csv", path), 0);
    snprintf(path, sizeof path, "%s/models/pipe.csv", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    put_file("models/zero.csv", "t,F\n0,1\n1,2\n");
    snprintf(path, sizeof path, "%s/models/zero.csv", folder);
    assert_int_equal(truncate(path, 40), 0);
    loaded l;
    load_there(&l, "print(signal('data/a.csv', 'F')(0.25))");
    assert_string_equal(l.printed, "1.25\n");
    unload(&l);
    assert_refused_there("signal('../secret.csv', 'F')", below);
    assert_refused_there("signal('data/../data/a.csv', 'F')", below);
    assert_refused_there("signal('link.csv', 'F')", below);
    snprintf(text, sizeof text, "signal('%s/models/data/a.csv', 'F')", folder);
    assert_refused_there(text, below);
    assert_refused_there("signal('pipe.csv', 'F')", "signal 'pipe.csv' is not a plain file");
    assert_refused_there("signal('data', 'F')", "signal 'data' is not a plain file");
    assert_refused_there("signal('none.csv', 'F')", "signal 'none.csv' cannot be read");
    assert_refused_there("signal('zero.csv', 'F')", "signal 'zero.csv' contains a zero byte");
    assert_refused_there("signal('a\\0b', 'F')", "argument 1 contains a zero byte");
    assert_refused_there("signal('data/a.csv', 'F', {scale = time})",
                         "signal: scale is an expression of variables");
    assert_refused_there("signal('data/a.csv', 'F', {time = 3})", "signal: time is a number");
    assert_refused_there("signal('data/a.csv', 'F', {tiem = 't'})",
                         "signal: unknown option 'tiem'; did you mean 'time'?");
}

static void signals_have_options(void **state)
{
    (void)state;
    loaded l;
    put_file("models/s.csv", "clock,F\n0,1\n2,3\n4,1\n");
    load_there(&l, "local k = param('k', 10)\n"
                   "local o = {time = 'clock', outside = 'repeat', kind = 'cubic', scale = 2}\n"
                   "print(signal('s.csv', 'F', o)(2), signal('s.csv', 'F', o)(6))\n"
                   "local f = signal('s.csv', 'F', {time = 'clock', scale = k})\n"
                   "output('one', f()) output('two', f(time)) output('three', f(k))");
    assert_string_equal(l.message, "");
    assert_string_equal(l.printed, "6.0\t6.0\n");
    assert_int_equal(dfl_model_find(l.model, "one")->expr, dfl_model_find(l.model, "two")->expr);
    assert_true(output_value(&l, "three") == 10);
    assert_int_equal(l.model->files.count, 1); /* read once */
    assert_int_equal(l.model->signals.count, 1);
    assert_true(l.model->signals.item[0].last == 4);
    unload(&l);
}

/* The same script with another file is another model. */
static void the_content_of_files_is_part_of_the_hash(void **state)
{
    (void)state;
    static const char *const contents[] = {"t,F\n0,1\n1,2\n", "t,F\n0,1\n1,3\n", "t,F\n0,1\n1,2\n"};
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        loaded l;
        put_file("models/s.csv", contents[i]);
        load_there(&l, "local F = signal('s.csv', 'F')");
        assert_int_equal(l.status, DFL_OK);
        hash[i] = dfl_model_hash(l.model);
        unload(&l);
    }
    assert_true(hash[0] != hash[1] && hash[0] == hash[2]);
}

static void tables_survive_every_failed_allocation(void **state)
{
    (void)state;
    assert_survives_failed_allocations(
        POINT "local p = param('p', 1)\n"
              "local f = lookup({0, 1, 2}, {0, p, 0}, {outside = 'error'})\n"
              "local m = map({0, 1}, {0, 1}, {{0, p}, {1, 2}})\n"
              "force(x, f(x)*m(x, time)) local s = spline(" STEP ")",
        3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_called_with_numbers_and_expressions),
        cmocka_unit_test(kinds_and_outsides_have_defaults),
        cmocka_unit_test(ordinates_may_be_parameters_that_are_set),
        cmocka_unit_test(splines_that_overshoot_are_named),
        cmocka_unit_test(constraints_and_motions_need_smooth_tables),
        cmocka_unit_test(wrong_tables_are_refused),
        cmocka_unit_test(limits_are_events_that_fail),
        cmocka_unit_test(signals_are_read_in_every_usual_form),
        cmocka_unit_test(hostile_files_are_refused_with_their_line),
        cmocka_unit_test(signals_are_read_below_the_models_folder_only),
        cmocka_unit_test(signals_have_options),
        cmocka_unit_test(the_content_of_files_is_part_of_the_hash),
        cmocka_unit_test(tables_survive_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
