/* draw_body.c: what a body looks like: body(name, { color = "blue", shape = {"box", size = {1,
   0.1}} }).

   A shape is written as the call of `draw` would be: its kind, for a line the points, then named
   options; `at` is its place in the drawing, by default the centre of mass. It becomes that call,
   with the name of the body. */
#include "script/language.h"

#include "declare/declare.h"
#include "script/arguments.h"
#include "script/mechanism_calls.h"

#include <lauxlib.h>
#include <string.h>

static int read_kind(lua_State *L, const char *name, int table);
static int push_points(lua_State *L, int kind, int table, int options);
static void push_options(lua_State *L, int table, int options, int body);

const char *dfl_draw_color(lua_State *L, const char *name, int i)
{
    if (!lua_istable(L, i))
        return NULL;
    lua_getfield(L, i, "color");
    if (!lua_isnil(L, -1) && lua_type(L, -1) != LUA_TSTRING)
        dfl_script_error(L, "body '%s': color is %s; give a word such as \"blue\", or \"#rrggbb\"",
                         name, dfl_arg_kind(L, -1));
    const char *color = lua_tostring(L, -1); /* stays alive in the table */
    lua_pop(L, 1);
    if (color)
        dfl_script_check(L, dfl_model_check_color(dfl_script_of(L)->model, name, color));
    return color;
}

void dfl_draw_body(lua_State *L, const char *name, int i)
{
    const int body = lua_gettop(L), table = body + 1;
    if (!lua_istable(L, i) || lua_getfield(L, i, "shape") == LUA_TNIL) {
        lua_settop(L, body);
        return;
    }
    luaL_checkstack(L, 20, "body");
    const int kind = read_kind(L, name, table);
    dfl_draw_push(L, kind);
    lua_pushstring(L, name);
    if (kind == DFL_MESH)
        lua_getfield(L, table, "file");
    const int points = push_points(L, kind, table, i);
    push_options(L, table, i, body);
    lua_call(L, (kind == DFL_MESH) + 2 + points, 0);
    lua_settop(L, body);
}

static int read_kind(lua_State *L, const char *name, int table)
{
    if (!lua_istable(L, table))
        return dfl_script_error(L, "body '%s': shape is %s; write shape = {\"box\", size = ...}",
                                name, dfl_arg_kind(L, table));
    lua_rawgeti(L, table, 1);
    const char *word = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    if (!word)
        return dfl_script_error(L,
                                "body '%s': the shape has no kind; write shape = {\"box\", size = "
                                "...}",
                                name);
    int kind = 0;
    while (kind < DFL_SHAPE_KINDS && strcmp(word, dfl_shape_names[kind]) != 0)
        kind++;
    if (kind == DFL_SHAPE_KINDS)
        return dfl_arg_unknown(L, "body", "shape", word, dfl_shape_names, DFL_SHAPE_KINDS);
    lua_pop(L, 1);
    return kind;
}

/* The points after the kind, or `at`, or the centre of mass. */
static int push_points(lua_State *L, int kind, int table, int options)
{
    const int given = (int)lua_rawlen(L, table) - 1;
    luaL_checkstack(L, given + 20, "body");
    for (int k = 0; k < given; k++)
        lua_rawgeti(L, table, 2 + k);
    if (given > 0 || kind == DFL_LINE || kind == DFL_SPRING)
        return given;
    if (lua_getfield(L, table, "at") != LUA_TNIL)
        return 1;
    lua_pop(L, 1);
    if (lua_getfield(L, options, "com") != LUA_TNIL)
        return 1;
    lua_pop(L, 1);
    lua_newtable(L);
    const int numbers = dfl_drawing_is_planar(dfl_script_drawing(L)) ? 2 : 3;
    for (int k = 1; k <= numbers; k++) {
        lua_pushnumber(L, 0);
        lua_rawseti(L, -2, k);
    }
    return 1;
}

/* A copy of the named ones, with the body and its colour. */
static void push_options(lua_State *L, int table, int options, int body)
{
    lua_newtable(L);
    lua_getfield(L, options, "color");
    lua_setfield(L, -2, "color");
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "at";
        if (strcmp(key, "at") == 0 || strcmp(key, "file") == 0)
            continue;
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -5);
    }
    lua_pushvalue(L, body);
    lua_setfield(L, -2, "body");
}
