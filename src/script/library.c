/* library.c: what a script sees of Lua's own library: nothing that reaches outside, depends on
   addresses or hash order, catches errors, or runs long in C without being counted.

   Names are kept in hidden tables; what the script gets is an empty table that looks names up
   there, so that a misspelt name and an assignment to a predefined one are errors. */
#include "script/library.h"

#include "context/context.h"
#include "script/arguments.h"
#include "script/order.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <lualib.h>
#include <math.h>
#include <string.h>

static void copy_names(lua_State *L, const char *const *names);
static void open_strings(lua_State *L);
static void open_tables(lua_State *L);
static void open_math(lua_State *L);
static int look_up(lua_State *L);
static int unknown_name(lua_State *L, const char *label, const char *name);
static const char *nearest_key(lua_State *L, int t, const char *word, const char *best);
static int refuse_assignment(lua_State *L);

static int script_print(lua_State *L);
static int script_type(lua_State *L);
static int script_tostring(lua_State *L);
static int script_error(lua_State *L);
static int script_assert(lua_State *L);
static int charged_call(lua_State *L);
static int repeat_string(lua_State *L);
static int format_string(lua_State *L);
static int shift_elements(lua_State *L);

/* Names of Lua that do not exist here. */
static const char *const absent[] = {"_G",
                                     "collectgarbage",
                                     "coroutine",
                                     "debug",
                                     "dofile",
                                     "getmetatable",
                                     "io",
                                     "load",
                                     "loadfile",
                                     "next",
                                     "os",
                                     "package",
                                     "pcall",
                                     "rawequal",
                                     "rawget",
                                     "rawlen",
                                     "rawset",
                                     "require",
                                     "setmetatable",
                                     "utf8",
                                     "warn",
                                     "xpcall",
                                     "math.random",
                                     "math.randomseed",
                                     "string.dump",
                                     "string.find",
                                     "string.gmatch",
                                     "string.gsub",
                                     "string.match",
                                     "string.pack",
                                     "string.packsize",
                                     "string.unpack",
                                     "table.move"};

void dfl_library_open(lua_State *L)
{
    const int names = lua_gettop(L);
    lua_pushcfunction(L, luaopen_base); /* into the table of globals, which is replaced later */
    lua_call(L, 0, 1);
    copy_names(L, (const char *const[]){"ipairs", NULL});
    lua_getfield(L, -1, "tonumber");
    lua_pushcclosure(L, charged_call, 1);
    lua_setfield(L, names, "tonumber");
    lua_pop(L, 1);
    luaL_setfuncs(L,
                  (const luaL_Reg[]){{"print", script_print},
                                     {"type", script_type},
                                     {"tostring", script_tostring},
                                     {"error", script_error},
                                     {"assert", script_assert},
                                     {"pairs", dfl_script_pairs},
                                     {0}},
                  0);
    lua_pushnumber(L, 3.14159265358979323846);
    lua_setfield(L, names, "pi");
    open_strings(L);
    open_tables(L);
    open_math(L);
}

void dfl_library_set_globals(lua_State *L)
{
    dfl_library_protect(L, "");
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

/* Copies fields of the table on top to the one below it. */
static void copy_names(lua_State *L, const char *const *names)
{
    for (; *names; names++) {
        lua_getfield(L, -1, *names);
        lua_setfield(L, -3, *names);
    }
}

/* string, also for methods such as s:upper(). */
static void open_strings(lua_State *L)
{
    lua_newtable(L);
    lua_pushcfunction(L, luaopen_string);
    lua_call(L, 0, 1);
    copy_names(
        L, (const char *const[]){"byte", "char", "len", "lower", "reverse", "sub", "upper", NULL});
    lua_getfield(L, -1, "rep");
    lua_pushcclosure(L, repeat_string, 1);
    lua_setfield(L, -3, "rep");
    lua_getfield(L, -1, "format");
    lua_pushcclosure(L, format_string, 1);
    lua_setfield(L, -3, "format");
    lua_pop(L, 1);
    dfl_library_protect(L, "string");

    lua_pushstring(L, ""); /* all texts share one metatable */
    lua_newtable(L);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    lua_setfield(L, -2, "string");
}

static void open_tables(lua_State *L)
{
    lua_newtable(L);
    lua_pushcfunction(L, luaopen_table);
    lua_call(L, 0, 1);
    copy_names(L, (const char *const[]){"concat", "pack", "unpack", NULL});
    static const char *const shifting[] = {"insert", "remove"};
    for (int i = 0; i < 2; i++) {
        lua_getfield(L, -1, shifting[i]);
        lua_pushinteger(L, i == 0 ? 3 : 2); /* arguments when a place is given */
        lua_pushcclosure(L, shift_elements, 2);
        lua_setfield(L, -3, shifting[i]);
    }
    lua_pop(L, 1);
    lua_pushcfunction(L, dfl_script_sort);
    lua_setfield(L, -2, "sort");
    dfl_library_protect(L, "table");
    lua_setfield(L, -2, "table");
}

/* math: numbers only where Lua's own functions are used; sin, cos, ... are those of symbols. */
static void open_math(lua_State *L)
{
    lua_newtable(L);
    lua_pushcfunction(L, luaopen_math);
    lua_call(L, 0, 1);
    copy_names(L, (const char *const[]){"ceil", "deg", "floor", "fmod", "huge", "maxinteger",
                                        "mininteger", "modf", "pi", "rad", "tointeger", "type",
                                        "ult", NULL});
    lua_pop(L, 1);
    lua_pushvalue(L, -2); /* the names with the functions of symbols */
    copy_names(L, (const char *const[]){"sin", "cos", "tan", "asin", "acos", "atan", "atan2",
                                        "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign",
                                        "min", "max", NULL});
    lua_pop(L, 1);
    dfl_library_protect(L, "math");
    lua_setfield(L, -2, "math");
}

/* The table on top becomes hidden behind an empty one. */
void dfl_library_protect(lua_State *L, const char *label)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_pushvalue(L, -3);
    lua_pushstring(L, label);
    lua_pushcclosure(L, look_up, 2);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, -3);
    lua_pushstring(L, label);
    lua_pushcclosure(L, refuse_assignment, 2);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    lua_remove(L, -2);
}

/* A name that the script has not assigned itself. Upvalues: names, label. */
static int look_up(lua_State *L)
{
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    if (lua_type(L, 2) != LUA_TSTRING)
        return 1;
    return unknown_name(L, lua_tostring(L, lua_upvalueindex(2)), lua_tostring(L, 2));
}

static int unknown_name(lua_State *L, const char *label, const char *name)
{
    const char *full = *label ? lua_pushfstring(L, "%s.%s", label, name) : name;
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (strcmp(full, absent[i]) == 0)
            return dfl_script_error(L,
                                    "'%s' is not available: a model script only builds the model "
                                    "(no files, programs, random numbers, patterns)",
                                    full);
    const dfl_declaration *d = *label ? NULL : dfl_model_find(dfl_script_of(L)->model, name);
    if (d)
        return dfl_script_error(
            L, "unknown name '%s'; '%s' is declared in line %d but not kept: write local %s = ...",
            name, name, d->line, name);
    const char *nearest = nearest_key(L, lua_upvalueindex(1), name, NULL);
    if (!*label && lua_istable(L, 1))
        nearest = nearest_key(L, 1, name, nearest);
    if (!nearest)
        return dfl_script_error(L, "unknown name '%s'%s", full,
                                *label ? "" : "; assign a value before using it");
    return dfl_script_error(L, "unknown name '%s'; did you mean '%s%s%s'?", full, label,
                            *label ? "." : "", nearest);
}

/* The nearest of the texts among the keys of table t and `best`; of equally near ones the first in
   the alphabet, since the order of keys changes from run to run. */
static const char *nearest_key(lua_State *L, int t, const char *word, const char *best)
{
    lua_pushnil(L);
    while (lua_next(L, t)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            continue;
        const char *key = lua_tostring(L, -1);
        const bool first = !best || strcmp(key, best) < 0;
        const char *two[] = {first ? key : best, first ? best : key};
        best = dfl_nearest_word(word, two, two[1] ? 2 : 1);
    }
    return best;
}

/* Upvalues: names, label. Other names of the script's own are stored. */
static int refuse_assignment(lua_State *L)
{
    const char *label = lua_tostring(L, lua_upvalueindex(2));
    lua_settop(L, 3);
    if (*label)
        return dfl_script_error(L, "%s is predefined and cannot be changed", label);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return dfl_script_error(
            L, "'%s' is predefined; choose another name (or write: local %s = ...)",
            lua_tostring(L, 2), lua_tostring(L, 2));
    lua_pop(L, 1);
    lua_rawset(L, 1);
    return 0;
}

/* One line for each call. */
static int script_print(lua_State *L)
{
    const dfl_script *script = dfl_script_of(L);
    const int n = lua_gettop(L);
    luaL_Buffer line;
    luaL_buffinit(L, &line);
    for (int i = 1; i <= n; i++) {
        luaL_addstring(&line, i > 1 ? "\t" : "");
        dfl_value_text(L, i);
        luaL_addvalue(&line);
    }
    luaL_addchar(&line, '\n');
    luaL_pushresult(&line);
    if (script->options.print)
        script->options.print(lua_tostring(L, -1), script->options.user);
    return 0;
}

/* As in Lua, but "symbol", "spline" and "constraint" instead of "userdata". */
static int script_type(lua_State *L)
{
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__name") != LUA_TSTRING)
        lua_pushstring(L, luaL_typename(L, 1));
    return 1;
}

static int script_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    dfl_value_text(L, 1);
    return 1;
}

static int script_error(lua_State *L)
{
    return dfl_script_error(L, "%s", lua_isnoneornil(L, 1) ? "error" : dfl_value_text(L, 1));
}

static int script_assert(lua_State *L)
{
    luaL_checkany(L, 1);
    if (lua_toboolean(L, 1))
        return lua_gettop(L);
    return dfl_script_error(L, "%s",
                            lua_isnoneornil(L, 2) ? "assertion failed" : dfl_value_text(L, 2));
}

/* Lua's own function, charged for the length of its first argument. Upvalue: the function. */
static int charged_call(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TSTRING)
        dfl_sandbox_charge_bytes(L, lua_rawlen(L, 1));
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* string.rep; an empty text repeated very often would only waste time. Upvalue: Lua's own. */
static int repeat_string(lua_State *L)
{
    size_t length, separator = 0;
    luaL_checklstring(L, 1, &length);
    luaL_optlstring(L, 3, "", &separator);
    if (length + separator == 0) {
        luaL_checkinteger(L, 2);
        lua_pushstring(L, "");
        return 1;
    }
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* string.format; values other than numbers become text as in print, and %p, an address, is
   refused. */
static int format_string(lua_State *L)
{
    const char *format = luaL_checkstring(L, 1);
    for (const char *c = strchr(format, '%'); c; c = strchr(c, '%')) {
        c += 1 + strspn(c + 1, "-+ #0123456789.");
        if (*c == 'p')
            return dfl_script_error(L, "string.format: %%p is not available; use %%s");
        c += *c != 0;
    }
    const int n = lua_gettop(L);
    for (int i = 2; i <= n; i++)
        if (lua_type(L, i) != LUA_TNUMBER && lua_type(L, i) != LUA_TSTRING) {
            dfl_value_text(L, i);
            lua_replace(L, i);
        }
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* table.insert and table.remove; at a given place they move the elements after it. Upvalues: Lua's
   own, the number of arguments when a place is given. */
static int shift_elements(lua_State *L)
{
    if (lua_istable(L, 1) && lua_gettop(L) == lua_tointeger(L, lua_upvalueindex(2))) {
        const double moved = (double)lua_rawlen(L, 1) - lua_tonumber(L, 2);
        dfl_sandbox_charge(L, moved > 0 ? moved : 0);
    }
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}
