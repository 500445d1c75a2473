/* arguments.c: arguments of the language's calls, checked with one wording of the messages. */
#include "script/arguments.h"

#include "context/context.h"
#include "script/lookup.h"
#include "script/mechanism_calls.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

int dfl_arg_count(lua_State *L, const char *call, int least, int most)
{
    const int n = lua_gettop(L);
    if (n >= least && n <= most)
        return n;
    const char *given = n == 1 ? "1 argument is" : lua_pushfstring(L, "%d arguments are", n);
    if (most == least)
        return dfl_script_error(L, "%s: %s given; it takes %d", call, given, least);
    if (n < least)
        return dfl_script_error(L, "%s: %s given; it takes at least %d", call, given, least);
    return dfl_script_error(L, "%s: %s given; it takes at most %d", call, given, most);
}

const char *dfl_arg_kind(lua_State *L, int i)
{
    switch (lua_type(L, i)) {
    case LUA_TNONE:
        return "missing";
    case LUA_TNIL:
        return "nil";
    case LUA_TNUMBER:
        return "a number";
    case LUA_TSTRING:
        return "a text";
    case LUA_TBOOLEAN:
        return "true or false";
    case LUA_TTABLE:
        return "a table";
    case LUA_TFUNCTION:
        return "a function";
    default:
        break;
    }
    static const struct {
        const char *kind, *text;
    } handles[] = {
        {DFL_SYMBOL, "a symbol"}, {DFL_SPLINE, "a spline"}, {DFL_LOOKUP, "a lookup"},
        {DFL_MAP, "a map"},       {DFL_SIGNAL, "a signal"}, {DFL_CONSTRAINT, "a constraint"},
        {DFL_BODY, "a body"},     {DFL_JOINT, "a joint"},   {DFL_BODY_POINT, "a point of a body"}};
    for (size_t k = 0; k < sizeof handles / sizeof *handles; k++)
        if (luaL_testudata(L, i, handles[k].kind))
            return handles[k].text;
    return "something else";
}

int dfl_arg_error(lua_State *L, const char *call, int i, const char *remedy)
{
    return dfl_script_error(L, "%s: argument %d is %s; %s", call, i, dfl_arg_kind(L, i), remedy);
}

bool dfl_value_number(double *out, lua_State *L, int i)
{
    dfl_expr from;
    const bool known = dfl_value_from(out, &from, L, i);
    if (known && from != DFL_NO_EXPR)
        dfl_script_check(L, dfl_model_value(out, dfl_script_of(L)->model, from));
    return known;
}

bool dfl_value_from(double *out, dfl_expr *from, lua_State *L, int i)
{
    const dfl_expr *symbol = luaL_testudata(L, i, DFL_SYMBOL);
    *from = symbol ? *symbol : DFL_NO_EXPR;
    if (!symbol) {
        *out = lua_tonumber(L, i);
        return lua_type(L, i) == LUA_TNUMBER;
    }
    const dfl_status status = dfl_model_number(out, dfl_script_of(L)->model, *symbol);
    if (status == DFL_NO_MEMORY)
        dfl_script_check(L, status);
    return !status;
}

double dfl_arg_number(lua_State *L, const char *call, int i)
{
    double value;
    if (!dfl_value_number(&value, L, i))
        dfl_arg_error(L, call, i, "give a number, or an expression of parameters");
    return value;
}

const char *dfl_arg_name(lua_State *L, const char *call, int i)
{
    return dfl_arg_string(L, call, i, "give a name in quotes");
}

const char *dfl_arg_string(lua_State *L, const char *call, int i, const char *remedy)
{
    if (lua_type(L, i) != LUA_TSTRING)
        dfl_arg_error(L, call, i, remedy);
    size_t length;
    const char *text = lua_tolstring(L, i, &length);
    if (strlen(text) != length)
        dfl_script_error(L, "%s: argument %d contains a zero byte", call, i);
    return text;
}

void dfl_arg_table(lua_State *L, const char *call, int i, const char *remedy)
{
    if (lua_type(L, i) != LUA_TTABLE)
        dfl_arg_error(L, call, i, remedy);
}

dfl_expr dfl_arg_expr(lua_State *L, const char *call, int i)
{
    const dfl_expr *symbol = luaL_testudata(L, i, DFL_SYMBOL);
    if (symbol)
        return *symbol;
    if (lua_type(L, i) != LUA_TNUMBER)
        dfl_arg_error(L, call, i, "give a number or an expression");
    const double value = lua_tonumber(L, i);
    if (!isfinite(value))
        dfl_script_error(L, "%s: argument %d is %f; give finite numbers", call, i, value);
    return dfl_constant(dfl_script_of(L)->model->graph, value);
}

int dfl_arg_unknown(lua_State *L, const char *call, const char *what, const char *word,
                    const char *const *words, int count)
{
    const char *nearest = dfl_nearest_word(word, words, count);
    if (nearest)
        return dfl_script_error(L, "%s: unknown %s '%s'; did you mean '%s'?", call, what, word,
                                nearest);
    luaL_Buffer list;
    luaL_buffinit(L, &list);
    for (int i = 0; i < count; i++) {
        luaL_addstring(&list, i ? ", " : "");
        luaL_addstring(&list, words[i]);
    }
    luaL_pushresult(&list);
    return dfl_script_error(L, "%s: unknown %s '%s'; there are %s", call, what, word,
                            lua_tostring(L, -1));
}
