/* option_tables.c: tables of named options, { at = {0, 0, 0}, axis = {0, 0, 1} }, with one wording
   of messages. */
#include "script/mechanism_calls.h"

#include "script/arguments.h"
#include "script/order.h"
#include "script/symbol.h"

#include <assert.h>
#include <lauxlib.h>
#include <math.h>
#include <string.h>

enum { MOST_OPTIONS = 32 };

static void read_option(lua_State *L, const char *label, const dfl_option *option);
static dfl_expr read_number(lua_State *L, const char *label, const char *what, int i);
static int read_numbers(dfl_expr *out, lua_State *L, const char *label, const char *what, int i,
                        int most);
static dfl_vec read_each(lua_State *L, const char *label, const char *what, int i);
static dfl_sym read_inertia(lua_State *L, const char *label, const char *what, int i);

void dfl_read_options(lua_State *L, const char *call, const char *name, int i,
                      const dfl_option *options, int count)
{
    const char *words[MOST_OPTIONS];
    assert(count <= MOST_OPTIONS);
    if (lua_isnoneornil(L, i))
        return;
    dfl_arg_table(L, call, i, "give the options in braces: { at = {0, 0, 0} }");
    luaL_checkstack(L, 20, call);
    const char *label = lua_pushfstring(L, "%s '%s'", call, name);
    const int bottom = lua_gettop(L);
    for (int k = 0; k < count; k++)
        words[k] = options[k].key;
    dfl_push_sorted_keys(L, i);
    const int keys = lua_gettop(L);
    const lua_Integer n = (lua_Integer)lua_rawlen(L, keys);
    for (lua_Integer k = 1; k <= n; k++) {
        int o = 0;
        lua_settop(L, keys);
        lua_rawgeti(L, keys, k);
        if (lua_type(L, -1) != LUA_TSTRING)
            dfl_script_error(L, "%s: a value without a name; write name = value", label);
        const char *key = lua_tostring(L, -1);
        while (o < count && strcmp(key, words[o]) != 0)
            o++;
        if (o == count)
            dfl_arg_unknown(L, label, "option", key, words, count);
        lua_pushvalue(L, -1);
        lua_rawget(L, i); /* stack: keys, key, value */
        read_option(L, label, &options[o]);
    }
    lua_settop(L, bottom - 1);
}

/* The option whose value is on top. */
static void read_option(lua_State *L, const char *label, const dfl_option *option)
{
    const int i = lua_gettop(L);
    const char *key = option->key;
    if (option->given)
        *option->given = true;
    switch (option->kind) {
    case DFL_OPTION_EXPR:
        *(dfl_expr *)option->out = read_number(L, label, key, i);
        break;
    case DFL_OPTION_POINT:
    case DFL_OPTION_AXIS:
        *(dfl_vec *)option->out =
            dfl_read_vector(L, label, key, i, option->kind == DFL_OPTION_POINT);
        break;
    case DFL_OPTION_INERTIA:
        *(dfl_sym *)option->out = read_inertia(L, label, key, i);
        break;
    case DFL_OPTION_FLAG:
        if (!lua_isboolean(L, i))
            dfl_script_error(L, "%s: %s is %s; give true or false", label, key, dfl_arg_kind(L, i));
        *(bool *)option->out = lua_toboolean(L, i);
        break;
    case DFL_OPTION_EACH:
        *(dfl_vec *)option->out = read_each(L, label, key, i);
        break;
    case DFL_OPTION_BODY: {
        const int *body = luaL_testudata(L, i, DFL_BODY);
        if (!body)
            dfl_script_error(L, "%s: %s is %s; give a body", label, key, dfl_arg_kind(L, i));
        *(int *)option->out = *body;
        break;
    }
    case DFL_OPTION_FRAME: {
        const dfl_body_point *frame = luaL_testudata(L, i, DFL_BODY_POINT);
        if (!frame)
            dfl_script_error(L, "%s: %s is %s; give what frame(...) or point(...) returned", label,
                             key, dfl_arg_kind(L, i));
        *(dfl_body_point *)option->out = *frame;
        break;
    }
    case DFL_OPTION_OTHER:
        break;
    }
}

static dfl_expr read_number(lua_State *L, const char *label, const char *what, int i)
{
    const dfl_expr *symbol = luaL_testudata(L, i, DFL_SYMBOL);
    if (symbol)
        return *symbol;
    if (lua_type(L, i) != LUA_TNUMBER)
        dfl_script_error(L, "%s: %s is %s; give a number or an expression", label, what,
                         dfl_arg_kind(L, i));
    const double value = lua_tonumber(L, i);
    if (!isfinite(value))
        dfl_script_error(L, "%s: %s is %f; give finite numbers", label, what, value);
    return dfl_constant(dfl_script_of(L)->model->graph, value);
}

dfl_vec dfl_read_vector(lua_State *L, const char *label, const char *what, int i, bool point)
{
    const bool planar = dfl_drawing_is_planar(dfl_script_drawing(L));
    dfl_vec vector = {{0, 0, 0}};
    if (lua_type(L, i) != LUA_TTABLE)
        dfl_script_error(L, "%s: %s is %s; give {%s}", label, what, dfl_arg_kind(L, i),
                         planar ? "x, y" : "x, y, z");
    const int count = read_numbers(vector.e, L, label, what, i, 3);
    if (count != 3 && !(planar && count == 2))
        dfl_script_error(L, "%s: %s has %d numbers; give {%s}", label, what, count,
                         planar ? "x, y" : "x, y, z");
    if (planar && point && vector.e[2] != 0)
        dfl_script_error(L, "%s: %s has a z; a plane model has none, give {x, y}", label, what);
    return vector;
}

/* At most `most` entries of the table at i; returns their number. */
static int read_numbers(dfl_expr *out, lua_State *L, const char *label, const char *what, int i,
                        int most)
{
    const int count = (int)lua_rawlen(L, i), top = lua_gettop(L);
    for (int k = 0; k < count && k < most; k++) {
        lua_rawgeti(L, i, k + 1);
        out[k] = read_number(L, label, what, top + 1);
        lua_settop(L, top);
    }
    return count;
}

/* One number for all directions, or {x, y, z}. */
static dfl_vec read_each(lua_State *L, const char *label, const char *what, int i)
{
    dfl_vec each = {{0, 0, 0}};
    if (lua_type(L, i) != LUA_TTABLE) {
        each.e[0] = each.e[1] = each.e[2] = read_number(L, label, what, i);
        return each;
    }
    const int count = read_numbers(each.e, L, label, what, i, 3);
    if (count != 3)
        dfl_script_error(L, "%s: %s has %d numbers; give one, or {x, y, z}", label, what, count);
    return each;
}

/* {xx, yy, zz}, {xx, yy, zz, xy, xz, yz}; in a plane model one number. */
static dfl_sym read_inertia(lua_State *L, const char *label, const char *what, int i)
{
    const bool planar = dfl_drawing_is_planar(dfl_script_drawing(L));
    dfl_sym inertia = {{0}};
    if (lua_type(L, i) != LUA_TTABLE) {
        inertia.e[2] = read_number(L, label, what, i);
        if (!planar)
            dfl_script_error(L,
                             "%s: %s is one number; give {xx, yy, zz} or {xx, yy, zz, xy, "
                             "xz, yz}, or call planar() first",
                             label, what);
        return inertia;
    }
    const int count = read_numbers(inertia.e, L, label, what, i, 6);
    if (count != 3 && count != 6)
        dfl_script_error(L,
                         "%s: %s has %d numbers; give %s{xx, yy, zz} or {xx, yy, zz, xy, xz, "
                         "yz}",
                         label, what, count, planar ? "one number, " : "");
    return inertia;
}
