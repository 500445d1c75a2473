/* contact_calls.c: contact_curves, contact_surfaces and contact_wheel: contact of two bodies, given
   by functions of parameters.

   curve_a = function(s) return x, y end returns a point of the drawing that moves with body A; `at`
   instead of a curve is a single point. */
#include "drawing/drawing.h"

#include "script/arguments.h"
#include "script/language.h"
#include "script/mechanism_calls.h"
#include "script/symbol.h"
#include "symbolic/symbolic.h"

#include <lauxlib.h>
#include <string.h>

/* How the options of a call are named. */
typedef struct wording {
    const char *call, *a, *b;
    int variables; /* of a curve or surface */
    bool wheel;
} wording;

static int declare_contact(lua_State *L, const wording *words);
static void show_curves(lua_State *L, const dfl_drawn_contact *con, const double *start);
static void read_rolls(dfl_drawn_wheel *wheel, lua_State *L);
static void show_wheel(lua_State *L, const dfl_drawn_wheel *wheel, const double *start);
static void read_starts(double *start, lua_State *L, const wording *words, const char *name,
                        int count);
static dfl_vec call_curve(lua_State *L, const wording *words, const char *name, const char *key,
                          const dfl_expr *s, int count, int wanted);

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
    bool point = false;
    int number = 0;
    dfl_arg_count(L, words->call, 4, 4);
    dfl_drawn_contact con = {.line = dfl_script_line(L),
                             .name = dfl_arg_name(L, words->call, 1),
                             .a = dfl_arg_material(L, words->call, 2),
                             .b = dfl_arg_material(L, words->call, 3),
                             .nb = words->variables,
                             .normal = {{0, 0, one}}};
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &con.x1, &point},
                                  {"normal", DFL_OPTION_AXIS, &con.normal, NULL},
                                  {"start", DFL_OPTION_OTHER, NULL, NULL},
                                  {words->a, DFL_OPTION_OTHER, NULL, NULL},
                                  {words->b, DFL_OPTION_OTHER, NULL, NULL}};
    dfl_read_options(L, words->call, con.name, 4, options, 5);
    con.na = point ? 0 : words->variables;
    read_starts(start, L, words, con.name, con.na + con.nb);
    dfl_sandbox_charge(L, 1e4);
    for (int k = 0; k < con.na + con.nb; k++)
        dfl_script_check(
            L, dfl_drawing_contact_variable(&con.s[k], drawing, con.line, con.name, k, start[k]));
    if (!point)
        con.x1 = call_curve(L, words, con.name, words->a, con.s, con.na, planar ? 2 : 3);
    con.x2 = call_curve(L, words, con.name, words->b, con.s + con.na, con.nb, planar ? 2 : 3);
    dfl_script_check(L, dfl_drawing_contact(&number, drawing, &con));
    show_curves(L, &con, start);
    dfl_constraint_push(L, number);
    for (int k = 0; k < con.na + con.nb; k++)
        dfl_symbol_push(L, con.s[k]);
    return 1 + con.na + con.nb;
}

/* Curves are drawn on their bodies; surfaces are not. */
static void show_curves(lua_State *L, const dfl_drawn_contact *con, const double *start)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    const char *a = lua_pushfstring(L, "%s.a", con->name);
    const char *b = lua_pushfstring(L, "%s.b", con->name);
    const dfl_sight first = {.line = con->line,
                             .kind = DFL_SEE_CURVE,
                             .name = a,
                             .a = con->a,
                             .at = con->x1,
                             .s = con->s[0],
                             .start = start[0]};
    const dfl_sight second = {.line = con->line,
                              .kind = DFL_SEE_CURVE,
                              .name = b,
                              .a = con->b,
                              .at = con->x2,
                              .s = con->s[con->na],
                              .start = start[con->na]};
    if (con->na == 1)
        dfl_script_check(L, dfl_drawing_show(drawing, &first));
    if (con->nb == 1)
        dfl_script_check(L, dfl_drawing_show(drawing, &second));
    lua_pop(L, 2);
}

/* contact_wheel(name, A, B, { at, axis, wheel = function(u) return lateral, radius end, along,
   rail = function(y) return x, y, z end, start = {u, y} [, rolls] }) */
int dfl_script_contact_wheel(lua_State *L)
{
    static const wording words = {"contact_wheel", "wheel", "rail", 1, true};
    dfl_drawing *drawing = dfl_script_drawing(L);
    bool given[3] = {false, false, false};
    double start[2];
    int number = 0;
    dfl_arg_count(L, words.call, 4, 4);
    dfl_drawn_wheel wheel = {.line = dfl_script_line(L),
                             .name = dfl_arg_name(L, words.call, 1),
                             .a = dfl_arg_material(L, words.call, 2),
                             .b = dfl_arg_material(L, words.call, 3)};
    if (dfl_drawing_is_planar(drawing))
        dfl_script_error(L,
                         "contact_wheel '%s': a plane model has no rails; use rolling_disk or "
                         "contact_curves",
                         wheel.name);
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &wheel.at, &given[0]},
                                  {"axis", DFL_OPTION_AXIS, &wheel.axis, &given[1]},
                                  {"along", DFL_OPTION_AXIS, &wheel.along, &given[2]},
                                  {"start", DFL_OPTION_OTHER, NULL, NULL},
                                  {"wheel", DFL_OPTION_OTHER, NULL, NULL},
                                  {"rail", DFL_OPTION_OTHER, NULL, NULL},
                                  {"rolls", DFL_OPTION_OTHER, NULL, NULL}};
    dfl_read_options(L, words.call, wheel.name, 4, options, 7);
    read_rolls(&wheel, L);
    for (int k = 0; k < 3; k++)
        if (!given[k])
            dfl_script_error(L, "contact_wheel '%s': %s is missing; give %s = {x, y, z}",
                             wheel.name, options[k].key, options[k].key);
    read_starts(start, L, &words, wheel.name, 2);
    wheel.start = start[1];
    dfl_sandbox_charge(L, 1e4);
    dfl_script_check(
        L, dfl_drawing_contact_variable(&wheel.u, drawing, wheel.line, wheel.name, 0, start[0]));
    dfl_script_check(
        L, dfl_drawing_contact_variable(&wheel.y, drawing, wheel.line, wheel.name, 1, start[1]));
    const dfl_vec profile = call_curve(L, &words, wheel.name, "wheel", &wheel.u, 1, 2);
    wheel.lateral = profile.e[0];
    wheel.radius = profile.e[1];
    wheel.rail = call_curve(L, &words, wheel.name, "rail", &wheel.y, 1, 3);
    dfl_script_check(L, dfl_drawing_wheel(&number, drawing, &wheel));
    show_wheel(L, &wheel, start);
    dfl_constraint_push(L, number);
    dfl_symbol_push(L, wheel.u);
    dfl_symbol_push(L, wheel.y);
    return 3;
}

/* rolls = true, "along" or "across" the rail. */
static void read_rolls(dfl_drawn_wheel *wheel, lua_State *L)
{
    const int type = lua_getfield(L, 4, "rolls");
    const char *way = type == LUA_TSTRING ? lua_tostring(L, -1) : "";
    const bool both = type == LUA_TBOOLEAN && lua_toboolean(L, -1);
    wheel->rolls[0] = both || strcmp(way, "along") == 0;
    wheel->rolls[1] = both || strcmp(way, "across") == 0;
    const bool known =
        type == LUA_TNIL || type == LUA_TBOOLEAN || wheel->rolls[0] || wheel->rolls[1];
    lua_pop(L, 1);
    if (!known)
        dfl_script_error(L,
                         "contact_wheel '%s': unknown value of rolls; give true, \"along\" or "
                         "\"across\" (the rail)",
                         wheel->name);
}

/* A disk with the radius at the start, and the profile of the rail. */
static void show_wheel(lua_State *L, const dfl_drawn_wheel *wheel, const double *start)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_graph *g = dfl_script_of(L)->model->graph;
    const dfl_expr u = dfl_constant(g, start[0]);
    const char *rail = lua_pushfstring(L, "%s.rail", wheel->name);
    dfl_sight disk = {.line = wheel->line,
                      .kind = DFL_SEE_DISK,
                      .name = wheel->name,
                      .a = wheel->a,
                      .at = wheel->at,
                      .axis = wheel->axis};
    const dfl_sight profile = {.line = wheel->line,
                               .kind = DFL_SEE_CURVE,
                               .name = rail,
                               .a = wheel->b,
                               .at = wheel->rail,
                               .s = wheel->y,
                               .start = start[1]};
    dfl_script_check(L, dfl_substitute_exprs(&disk.radius, g, &wheel->radius, 1, &wheel->u, &u, 1));
    dfl_script_check(L, dfl_drawing_show(drawing, &disk));
    dfl_script_check(L, dfl_drawing_show(drawing, &profile));
    lua_pop(L, 1);
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
