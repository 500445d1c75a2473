/* lookup_calls.c: spline, lookup and map: tables in a script, and the functions through them. */
#include "script/lookup.h"

#include "script/arguments.h"
#include "script/language.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

static int call_spline(lua_State *L);
static int call_lookup(lua_State *L);
static int call_map(lua_State *L);
static int read_map_values(dfl_expr *z, lua_State *L, int nx, int ny);
static dfl_lookup_options read_options(lua_State *L, const char *call, dfl_table_kind kind);
static int read_word(lua_State *L, const char *call, const char *what, const char *const *words,
                     int count);
static int count_places(lua_State *L, const char *call, int places, int values);
static double *read_numbers(lua_State *L, const char *call, int table, int n);
static int read_values(dfl_expr *values, lua_State *L, const char *call, int table, int n);
static void check_size(lua_State *L, const char *call, double size);
static const char *const kind_words[] = {[DFL_TABLE_LINEAR] = "linear",
                                         [DFL_TABLE_MONOTONE] = "monotone",
                                         [DFL_TABLE_CUBIC] = "cubic",
                                         [DFL_TABLE_SMOOTH] = "smooth"};
static const char *const map_words[] = {"bilinear", "bicubic"};
static const char *const outside_words[] = {[DFL_OUTSIDE_HOLD] = "hold",
                                            [DFL_OUTSIDE_EXTEND] = "extend",
                                            [DFL_OUTSIDE_REPEAT] = "repeat",
                                            [DFL_OUTSIDE_ERROR] = "error"};

void dfl_lookups_open(lua_State *L)
{
    static const luaL_Reg calls[] = {
        {"spline", call_spline}, {"lookup", call_lookup}, {"map", call_map}, {0}};
    luaL_setfuncs(L, calls, 0);
    dfl_lookup_types(L);
}

static int call_spline(lua_State *L)
{
    dfl_arg_count(L, "spline", 2, 2);
    for (int i = 1; i <= 2; i++)
        dfl_arg_table(L, "spline", i,
                      "give a table of numbers: spline({x1, x2, ...}, {y1, y2, ...})");
    const int n = count_places(L, "spline", 1, 2);
    const double *x = read_numbers(L, "spline", 1, n), *y = read_numbers(L, "spline", 2, n);
    dfl_spline_push(L, x, y, n);
    return 1;
}

/* lookup(xs, ys, {kind = , outside = }) */
static int call_lookup(lua_State *L)
{
    dfl_arg_count(L, "lookup", 2, 3);
    for (int i = 1; i <= 2; i++)
        dfl_arg_table(L, "lookup", i,
                      "give a table of numbers: lookup({x1, x2, ...}, {y1, y2, ...})");
    const dfl_lookup_options options = read_options(L, "lookup", DFL_TABLE_MONOTONE);
    const int n = count_places(L, "lookup", 1, 2);
    const double *x = read_numbers(L, "lookup", 1, n);
    dfl_expr *y = lua_newuserdatauv(L, (size_t)n * sizeof *y, 0);
    const int symbolic = read_values(y, L, "lookup", 2, n);
    check_size(L, "lookup", (double)n * symbolic);
    dfl_lookup_push(L, DFL_LOOKUP, DFL_LOOKUP, x, y, n, &options);
    return 1;
}

/* map(xs, ys, zs, {kind = , outside = }): zs has a row for every x. */
static int call_map(lua_State *L)
{
    dfl_context *ctx = dfl_script_of(L)->ctx;
    dfl_arg_count(L, "map", 3, 4);
    for (int i = 1; i <= 3; i++)
        dfl_arg_table(
            L, "map", i,
            "write map({x1, x2, ...}, {y1, y2, ...}, {{z11, z12, ...}, {z21, ...}, ...})");
    const dfl_lookup_options options = read_options(L, "map", DFL_TABLE_LINEAR);
    const int nx = (int)lua_rawlen(L, 1), ny = (int)lua_rawlen(L, 2);
    const double *x = read_numbers(L, "map", 1, nx), *y = read_numbers(L, "map", 2, ny);
    const dfl_axis along_x = {x, nx, options.kind, options.outside, false},
                   along_y = {y, ny, options.kind, options.outside, false};
    dfl_script_check(L, dfl_axis_check(ctx, &along_x, "x"));
    dfl_script_check(L, dfl_axis_check(ctx, &along_y, "y"));
    check_size(L, "map", (double)nx * ny);
    dfl_expr *z = lua_newuserdatauv(L, (size_t)nx * (size_t)ny * sizeof *z, 0);
    const int symbolic = read_map_values(z, L, nx, ny);
    check_size(L, "map", (double)(nx > ny ? nx : ny) * symbolic);
    dfl_map_push(L, &along_x, &along_y, z, symbolic > 0);
    return 1;
}

/* The rows of argument 3; returns how many values are expressions. */
static int read_map_values(dfl_expr *z, lua_State *L, int nx, int ny)
{
    int symbolic = 0;
    if ((int)lua_rawlen(L, 3) != nx)
        dfl_script_error(L, "map: %d rows of values, but %d numbers x; give a row for every x",
                         (int)lua_rawlen(L, 3), nx);
    for (int i = 0; i < nx; i++) {
        if (lua_rawgeti(L, 3, i + 1) != LUA_TTABLE)
            dfl_script_error(L, "map: row %d of the values is %s; give a table of numbers", i + 1,
                             dfl_arg_kind(L, -1));
        if ((int)lua_rawlen(L, -1) != ny)
            dfl_script_error(L, "map: row %d has %d values, but there are %d numbers y", i + 1,
                             (int)lua_rawlen(L, -1), ny);
        symbolic += read_values(z + (size_t)i * (size_t)ny, L, "map", lua_gettop(L), ny);
        lua_pop(L, 1);
    }
    return symbolic;
}

/* kind and outside, in the last of the arguments, which may be missing. */
static dfl_lookup_options read_options(lua_State *L, const char *call, dfl_table_kind kind)
{
    static const char *const words[] = {"kind", "outside"};
    dfl_lookup_options options = {.kind = kind};
    const int place = strcmp(call, "map") == 0 ? 4 : 3;
    lua_Integer i = 0;
    if (!lua_isnoneornil(L, place)) {
        dfl_arg_table(L, call, place, "write { kind = \"linear\", outside = \"hold\" }");
        for (const char *key; (key = dfl_next_option(L, call, place, &i));)
            if (!dfl_lookup_option(&options, L, call, key))
                dfl_arg_unknown(L, call, "option", key, words, 2);
        lua_settop(L, place);
    }
    dfl_lookup_default(&options);
    return options;
}

bool dfl_lookup_option(dfl_lookup_options *out, lua_State *L, const char *call, const char *key)
{
    if (strcmp(key, "kind") == 0 && strcmp(call, "map") == 0)
        out->kind = read_word(L, call, key, map_words, 2) == 0 ? DFL_TABLE_LINEAR : DFL_TABLE_CUBIC;
    else if (strcmp(key, "kind") == 0)
        out->kind = (dfl_table_kind)read_word(L, call, key, kind_words, DFL_TABLE_KINDS);
    else if (strcmp(key, "outside") == 0)
        out->outside = (dfl_outside)read_word(L, call, key, outside_words, DFL_OUTSIDES);
    else
        return false;
    out->outside_given = out->outside_given || strcmp(key, "outside") == 0;
    return true;
}

void dfl_lookup_default(dfl_lookup_options *options)
{
    if (!options->outside_given)
        options->outside = options->kind == DFL_TABLE_CUBIC || options->kind == DFL_TABLE_SMOOTH
                               ? DFL_OUTSIDE_EXTEND
                               : DFL_OUTSIDE_HOLD;
}

/* The number of the word on top of the stack. */
static int read_word(lua_State *L, const char *call, const char *what, const char *const *words,
                     int count)
{
    if (lua_type(L, -1) != LUA_TSTRING)
        dfl_script_error(L, "%s: %s is %s; give a word in quotes, such as \"%s\"", call, what,
                         dfl_arg_kind(L, -1), words[0]);
    for (int i = 0; i < count; i++)
        if (strcmp(lua_tostring(L, -1), words[i]) == 0)
            return i;
    return dfl_arg_unknown(L, call, what, lua_tostring(L, -1), words, count);
}

/* As many places as values. */
static int count_places(lua_State *L, const char *call, int places, int values)
{
    const int n = (int)lua_rawlen(L, places), given = (int)lua_rawlen(L, values);
    if (n != given)
        dfl_script_error(L, "%s: %d places but %d values; give the same number of both", call, n,
                         given);
    dfl_sandbox_charge(L, 100.0 * n);
    return n;
}

/* Pushes the array that it returns. */
static double *read_numbers(lua_State *L, const char *call, int table, int n)
{
    double *values = lua_newuserdatauv(L, (size_t)n * sizeof *values, 0);
    for (int i = 1; i <= n; i++) {
        lua_rawgeti(L, table, i);
        if (!dfl_value_number(&values[i - 1], L, lua_gettop(L)))
            dfl_script_error(L,
                             "%s: entry %d of argument %d is %s; give a number, or an expression "
                             "of parameters",
                             call, i, table, dfl_arg_kind(L, -1));
        lua_pop(L, 1);
    }
    return values;
}

/* Numbers and expressions of parameters; returns how many are expressions. */
static int read_values(dfl_expr *values, lua_State *L, const char *call, int table, int n)
{
    dfl_graph *graph = dfl_script_of(L)->model->graph;
    int symbolic = 0;
    for (int i = 1; i <= n; i++) {
        double number;
        dfl_expr from;
        lua_rawgeti(L, table, i);
        const dfl_expr *symbol = luaL_testudata(L, -1, DFL_SYMBOL);
        if (!dfl_value_from(&number, &from, L, lua_gettop(L)))
            dfl_script_error(L, "%s: value %d is %s; give a number, or an expression of parameters",
                             call, i, symbol ? "an expression of variables" : dfl_arg_kind(L, -1));
        if (symbol)
            dfl_script_check(L, dfl_model_finite(&number, dfl_script_of(L)->model, from));
        if (!isfinite(number))
            dfl_script_error(L, "%s: value %d is %f; give finite numbers", call, i, number);
        values[i - 1] = symbol ? *symbol : dfl_constant(graph, number);
        symbolic += !dfl_is_constant(graph, values[i - 1]);
        lua_pop(L, 1);
    }
    return symbolic;
}

/* The memory of a function; `size`: points times values that are expressions. */
static void check_size(lua_State *L, const char *call, double size)
{
    if (size > 1e6)
        dfl_script_error(L, "%s: the table is too large; leave points out", call);
    dfl_sandbox_charge(L, 100 * size);
}
