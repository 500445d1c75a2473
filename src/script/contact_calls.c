/* contact_calls.c: contact_curves, contact_surfaces and contact_wheel: contact of two bodies, given by functions of parameters.

   curve_a = function(s) return x, y end returns a point of the drawing that moves with body A; `at` instead of a
   curve is a single point. */
#include "mechanism/closures.h"

#include "mechanism/vectors.h"
#include "script/arguments.h"
#include "script/language.h"
#include "script/mechanism.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <string.h>

/* How the options of a call are named. */
typedef struct wording {
    const char *call, *a, *b;
    int variables; /* of a curve or surface */
    bool wheel;
} wording;

static int declare_contact(lua_State *L, const wording *words);
static void check_keys(lua_State *L, const wording *words, const char *name);
static void read_starts(double *start, lua_State *L, const wording *words, const char *name,
                        int count);
static dfl_vec call_curve(lua_State *L, const wording *words, const char *name, const char *key,
                          const dfl_expr *s, int count, int wanted);
static dfl_vec need_vector(lua_State *L, const char *name, const char *key, bool point);

int dfl_script_contact_curves(lua_State *L)
{
    static const wording words = {"contact_curves", "curve_a", "curve_b", 1, false};
    return declare_contact(L, &words);
}

int dfl_script_contact_surfaces(lua_State *L)
{
    static const wording words = {"contact_surfaces", "surface_a", "surface_b", 2, false};
    return declare_contact(L, &words);
}

static int declare_contact(lua_State *L, const wording *words)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    const dfl_expr one = dfl_constant(dfl_script_of(L)->model->graph, 1.0);
    const bool planar = dfl_drawing_is_planar(drawing);
    double start[DFL_MOST_CONTACT_VARIABLES] = {0};
    int number = 0;
    dfl_arg_count(L, words->call, 4, 4);
    dfl_drawn_contact con = {.name = dfl_arg_name(L, words->call, 1),
                             .a = dfl_arg_body(L, words->call, 2),
                             .b = dfl_arg_body(L, words->call, 3),
                             .nb = words->variables,
                             .normal = {{0, 0, one}}};
    dfl_arg_table(L, words->call, 4, "give the options in braces");
    check_keys(L, words, con.name);
    lua_getfield(L, 4, "at");
    lua_getfield(L, 4, "normal");
    const bool point = !lua_isnil(L, 5);
    con.na = point ? 0 : words->variables;
    if (point)
        con.x1 = dfl_read_vector(L, words->call, "at", 5, true);
    if (!lua_isnil(L, 6))
        con.normal = dfl_read_vector(L, words->call, "normal", 6, false);
    read_starts(start, L, words, con.name, con.na + con.nb);
    dfl_sandbox_charge(L, 1e4);
    for (int k = 0; k < con.na + con.nb; k++)
        dfl_script_check(L,
                         dfl_drawing_contact_variable(&con.s[k], drawing, con.name, k, start[k]));
    if (!point)
        con.x1 = call_curve(L, words, con.name, words->a, con.s, con.na, planar ? 2 : 3);
    con.x2 = call_curve(L, words, con.name, words->b, con.s + con.na, con.nb, planar ? 2 : 3);
    dfl_script_of(L)->model->line = dfl_script_line(L);
    dfl_script_check(L, dfl_drawing_contact(&number, drawing, &con));
    dfl_constraint_push(L, number);
    for (int k = 0; k < con.na + con.nb; k++)
        dfl_symbol_push(L, con.s[k]);
    return 1 + con.na + con.nb;
}

/* contact_wheel(name, A, B, { at, axis, wheel = function(u) return lateral, radius end, along,
   rail = function(y) return x, y, z end, start = {u, y} }) */
int dfl_script_contact_wheel(lua_State *L)
{
    static const wording words = {"contact_wheel", "wheel", "rail", 1, true};
    dfl_drawing *drawing = dfl_script_drawing(L);
    double start[2];
    int number = 0;
    dfl_arg_count(L, words.call, 4, 4);
    dfl_drawn_wheel wheel = {.name = dfl_arg_name(L, words.call, 1),
                             .a = dfl_arg_body(L, words.call, 2),
                             .b = dfl_arg_body(L, words.call, 3)};
    dfl_arg_table(L, words.call, 4, "give the options in braces");
    if (dfl_drawing_is_planar(drawing))
        dfl_script_error(L,
                         "contact_wheel '%s': a plane model has no rails; use rolling_disk or "
                         "contact_curves",
                         wheel.name);
    check_keys(L, &words, wheel.name);
    wheel.at = need_vector(L, wheel.name, "at", true);
    wheel.axis = need_vector(L, wheel.name, "axis", false);
    wheel.along = need_vector(L, wheel.name, "along", false);
    read_starts(start, L, &words, wheel.name, 2);
    wheel.start = start[1];
    dfl_sandbox_charge(L, 1e4);
    dfl_script_check(L, dfl_drawing_contact_variable(&wheel.u, drawing, wheel.name, 0, start[0]));
    dfl_script_check(L, dfl_drawing_contact_variable(&wheel.y, drawing, wheel.name, 1, start[1]));
    const dfl_vec profile = call_curve(L, &words, wheel.name, "wheel", &wheel.u, 1, 2);
    wheel.lateral = profile.e[0];
    wheel.radius = profile.e[1];
    wheel.rail = call_curve(L, &words, wheel.name, "rail", &wheel.y, 1, 3);
    dfl_script_of(L)->model->line = dfl_script_line(L);
    dfl_script_check(L, dfl_drawing_wheel(&number, drawing, &wheel));
    dfl_constraint_push(L, number);
    dfl_symbol_push(L, wheel.u);
    dfl_symbol_push(L, wheel.y);
    return 3;
}

static dfl_vec need_vector(lua_State *L, const char *name, const char *key, bool point)
{
    lua_getfield(L, 4, key);
    if (lua_isnil(L, -1))
        dfl_script_error(L, "contact_wheel '%s': %s is missing; give %s = {x, y, z}", name, key,
                         key);
    const dfl_vec vector = dfl_read_vector(L, "contact_wheel", key, lua_gettop(L), point);
    lua_pop(L, 1);
    return vector;
}

static void check_keys(lua_State *L, const wording *words, const char *name)
{
    const char *const known[] = {words->a, words->b, "at", "start", "normal", "axis", "along"};
    const int count = words->wheel ? 7 : 5;
    lua_pushnil(L);
    while (lua_next(L, 4)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "(number)";
        int k = 0;
        while (k < count && strcmp(key, known[k]) != 0)
            k++;
        if (k == count)
            dfl_arg_unknown(L, lua_pushfstring(L, "%s '%s'", words->call, name), "option", key,
                            known, count);
        lua_pop(L, 1);
    }
}

/* start = {s1, s2, ...}: near which parameters the bodies touch. */
static void read_starts(double *start, lua_State *L, const wording *words, const char *name,
                        int count)
{
    lua_getfield(L, 4, "start");
    const int i = lua_gettop(L);
    const int given = lua_istable(L, i) ? (int)lua_rawlen(L, i) : -1;
    if (given != count)
        dfl_script_error(L,
                         "%s '%s': start %s; give %d number%s in braces: the parameters near "
                         "which the bodies touch at the start",
                         words->call, name, lua_isnil(L, i) ? "is missing" : "does not fit", count,
                         count == 1 ? "" : "s");
    for (int k = 0; k < count; k++) {
        lua_rawgeti(L, i, k + 1);
        if (!dfl_value_number(&start[k], L, i + 1))
            dfl_script_error(L, "%s '%s': start has %s; give numbers", words->call, name,
                             dfl_arg_kind(L, i + 1));
        lua_settop(L, i);
    }
    lua_pop(L, 1);
}

/* The point that function `key` returns: two or three numbers or expressions. */
static dfl_vec call_curve(lua_State *L, const wording *words, const char *name, const char *key,
                          const dfl_expr *s, int count, int wanted)
{
    const char *values = wanted == 3 ? "x, y, z" : words->wheel ? "lateral place, radius" : "x, y";
    dfl_vec x = vec_zero();
    const int top = lua_gettop(L);
    luaL_checkstack(L, 20, words->call);
    lua_getfield(L, 4, key);
    if (!lua_isfunction(L, -1))
        dfl_script_error(L, "%s '%s': %s is %s; give a function of %s that returns %s", words->call,
                         name, key, lua_isnil(L, -1) ? "missing" : dfl_arg_kind(L, -1),
                         count == 1 ? "the curve parameter" : "two parameters", values);
    for (int k = 0; k < count; k++)
        dfl_symbol_push(L, s[k]);
    lua_call(L, count, LUA_MULTRET);
    const int results = lua_gettop(L) - top;
    if (results != wanted)
        dfl_script_error(L, "%s '%s': %s returns %d values; return %s", words->call, name, key,
                         results, values);
    for (int k = 0; k < wanted; k++) {
        if (lua_type(L, top + 1 + k) != LUA_TNUMBER && !luaL_testudata(L, top + 1 + k, DFL_SYMBOL))
            dfl_script_error(L, "%s '%s': %s returns %s; return numbers or expressions",
                             words->call, name, key, dfl_arg_kind(L, top + 1 + k));
        x.e[k] = dfl_arg_expr(L, words->call, top + 1 + k);
    }
    lua_settop(L, top);
    return x;
}
