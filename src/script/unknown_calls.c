/* unknown_calls.c: further unknowns with their equations: dynamic, auxiliary, contact. */
#include "script/arguments.h"
#include "script/language.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

enum { ROOM_FOR_UNIT = 128, MOST_VARIABLES = 100 /* of one call */ };

static int call_dynamic(lua_State *L);
static int call_auxiliary(lua_State *L);
static int call_contact(lua_State *L);
static int declare_variable(lua_State *L, const char *call, dfl_declared kind);
static void call_for_equations(lua_State *L, const char *call, int count);

void dfl_unknowns_open(lua_State *L)
{
    static const luaL_Reg calls[] = {
        {"dynamic", call_dynamic}, {"auxiliary", call_auxiliary}, {"contact", call_contact}, {0}};
    luaL_setfuncs(L, calls, 0);
}

static int call_dynamic(lua_State *L)
{
    return declare_variable(L, "dynamic", DFL_A_DYNAMIC);
}

static int call_auxiliary(lua_State *L)
{
    return declare_variable(L, "auxiliary", DFL_AN_AUXILIARY);
}

static int call_contact(lua_State *L)
{
    return declare_variable(L, "contact", DFL_A_CONTACT);
}

/* Variables and their equations: an expression for one, or a function of all new symbols that
   returns one equation for each; a unit may follow. */
static int declare_variable(lua_State *L, const char *call, dfl_declared kind)
{
    const int given = dfl_arg_count(L, call, 2, MOST_VARIABLES + 2);
    const bool has_unit = given > 2 && lua_type(L, given) == LUA_TSTRING;
    const int count = has_unit ? given - 2 : given - 1, last = count + 1;
    char unit[ROOM_FOR_UNIT] = "";
    if (has_unit)
        snprintf(unit, sizeof unit, "%s", lua_tostring(L, given));
    lua_settop(L, last);
    for (int i = 1; i <= count; i++)
        dfl_arg_name(L, call, i);
    const bool function = lua_isfunction(L, last);
    if (!function && count > 1)
        return dfl_script_error(L,
                                "%s: argument %d is %s; for several variables give a function of "
                                "them that returns one equation for each",
                                call, last, dfl_arg_kind(L, last));
    if (!function)
        dfl_arg_expr(L, call, last); /* is checked before anything is declared */
    luaL_checkstack(L, 3 * count + 10, NULL);
    for (int i = 1; i <= count; i++) {
        dfl_expr symbol;
        dfl_script_check(L, dfl_model_variable(&symbol, dfl_script_of(L)->model, dfl_script_line(L),
                                               kind, lua_tostring(L, i)));
        if (has_unit)
            dfl_script_check(L, dfl_model_unit(dfl_script_of(L)->model,
                                               dfl_model_owner(dfl_script_of(L)->model, symbol),
                                               unit));
        dfl_symbol_push(L, symbol); /* at last + i */
    }
    if (function)
        call_for_equations(L, call, count);
    for (int i = 1; i <= count; i++) {
        const dfl_expr equation = dfl_arg_expr(L, call, function ? last + count + i : last);
        dfl_script_check(L, dfl_model_equation(dfl_script_of(L)->model,
                                               dfl_arg_expr(L, call, last + i), equation));
    }
    lua_settop(L, last + count);
    return count;
}

/* Calls the function that follows `count` names with the symbols that follow it on the stack;
   leaves its `count` results. */
static void call_for_equations(lua_State *L, const char *call, int count)
{
    const int last = count + 1, top = last + count;
    lua_pushvalue(L, last);
    for (int i = 1; i <= count; i++)
        lua_pushvalue(L, last + i);
    lua_call(L, count, LUA_MULTRET);
    const int results = lua_gettop(L) - top;
    if (results != count)
        dfl_script_error(L,
                         "%s '%s': the function returns %d values; return one equation for each "
                         "variable",
                         call, lua_tostring(L, 1), results);
    for (int i = 1; i <= count; i++)
        if (lua_type(L, top + i) != LUA_TNUMBER && !luaL_testudata(L, top + i, DFL_SYMBOL))
            dfl_script_error(L,
                             "%s '%s': the function returns %s; return a number or an expression",
                             call, lua_tostring(L, i), dfl_arg_kind(L, top + i));
}
