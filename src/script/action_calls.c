/* action_calls.c: what happens at single instants: discrete, previous, event, sample, delay. */
#include "script/language.h"

#include "script/arguments.h"
#include "script/order.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <string.h>

enum { MOST_DELAYS = 1000 };

static int call_discrete(lua_State *L);
static int call_previous(lua_State *L);
static int call_event(lua_State *L);
static int call_sample(lua_State *L);
static int call_delay(lua_State *L);
static void read_event(int *direction, bool *stop, bool *acts, lua_State *L, int i);
static void read_actions(lua_State *L, const char *call, int table, int action);
static void read_assignments(lua_State *L, const char *call, const char *key, int action);
static dfl_expr target_of(lua_State *L, const char *call, const char *key, int i);
static bool flag(lua_State *L, const char *key);
static int direction_of(lua_State *L);

static const luaL_Reg calls[] = {{"discrete", call_discrete}, {"previous", call_previous},
                                 {"event", call_event},       {"sample", call_sample},
                                 {"delay", call_delay},       {0}};

void dfl_actions_open(lua_State *L)
{
    luaL_setfuncs(L, calls, 0);
}

static dfl_model *model_of(lua_State *L)
{
    return dfl_script_of(L)->model;
}

/* discrete(name, value) */
static int call_discrete(lua_State *L)
{
    dfl_expr symbol;
    dfl_arg_count(L, "discrete", 2, 2);
    const char *name = dfl_arg_name(L, "discrete", 1);
    double value;
    dfl_expr from;
    if (!dfl_value_from(&value, &from, L, 2))
        dfl_arg_error(L, "discrete", 2, "give a number, or an expression of parameters");
    dfl_script_check(L, dfl_model_discrete(&symbol, model_of(L), dfl_script_line(L), name, value));
    if (from != DFL_NO_EXPR)
        dfl_model_discrete_from(model_of(L), symbol, from);
    dfl_symbol_push(L, symbol);
    return 1;
}

static int call_previous(lua_State *L)
{
    dfl_expr symbol;
    dfl_arg_count(L, "previous", 1, 1);
    dfl_script_check(L, dfl_model_previous(&symbol, model_of(L), dfl_arg_expr(L, "previous", 1)));
    dfl_symbol_push(L, symbol);
    return 1;
}

/* event(name, expression [, { direction, stop, set, impulse, restart }]) */
static int call_event(lua_State *L)
{
    int direction, action;
    bool stop, acts;
    dfl_arg_count(L, "event", 2, 3);
    const char *name = dfl_arg_name(L, "event", 1);
    const dfl_expr expr = dfl_arg_expr(L, "event", 2);
    read_event(&direction, &stop, &acts, L, 3);
    dfl_script_check(L,
                     dfl_model_event(model_of(L), dfl_script_line(L), name, expr, direction, stop));
    if (acts && stop)
        return dfl_script_error(
            L, "event '%s': a run that stops there has no use for set, impulse or restart", name);
    if (!acts)
        return 0;
    dfl_script_check(L, dfl_model_action(&action, model_of(L)));
    read_actions(L, "event", 3, action);
    return 0;
}

static void read_event(int *direction, bool *stop, bool *acts, lua_State *L, int i)
{
    static const char *const words[] = {"direction", "stop", "set", "impulse", "restart"};
    *direction = 0;
    *stop = *acts = false;
    if (lua_isnoneornil(L, i))
        return;
    dfl_arg_table(L, "event", i, "write { direction = \"rising\", stop = true }");
    lua_Integer place = 0;
    for (const char *key; (key = dfl_next_option(L, "event", i, &place));)
        if (strcmp(key, "direction") == 0)
            *direction = direction_of(L);
        else if (strcmp(key, "stop") == 0)
            *stop = flag(L, key);
        else if (strcmp(key, "restart") == 0)
            *acts = *acts || flag(L, key);
        else if (strcmp(key, "set") == 0 || strcmp(key, "impulse") == 0)
            *acts = true;
        else
            dfl_arg_unknown(L, "event", "option", key, words, 5);
}

/* The boolean on top of the stack. */
static bool flag(lua_State *L, const char *key)
{
    if (!lua_isboolean(L, -1))
        dfl_script_error(L, "event: %s is %s; give true or false", key, dfl_arg_kind(L, -1));
    return lua_toboolean(L, -1);
}

/* sample(name, { period, phase, set }) */
static int call_sample(lua_State *L)
{
    static const char *const words[] = {"period", "phase", "set", "impulse"};
    double number[2] = {0, 0};
    bool period = false;
    int action;
    dfl_arg_count(L, "sample", 2, 2);
    const char *name = dfl_arg_name(L, "sample", 1);
    dfl_arg_table(L, "sample", 2, "write { period = 0.01, set = { [u] = ... } }");
    lua_Integer place = 0;
    for (const char *key; (key = dfl_next_option(L, "sample", 2, &place));) {
        const bool first = strcmp(key, "period") == 0;
        if (strcmp(key, "set") == 0 || strcmp(key, "impulse") == 0)
            continue;
        if (!first && strcmp(key, "phase") != 0)
            dfl_arg_unknown(L, "sample", "option", key, words, 4);
        if (!dfl_value_number(&number[!first], L, -1))
            return dfl_script_error(L, "sample '%s': %s is %s; give a number, in s", name, key,
                                    dfl_arg_kind(L, -1));
        period = period || first;
    }
    if (!period)
        return dfl_script_error(L, "sample '%s': the period is missing; give period = ..., in s",
                                name);
    dfl_script_check(
        L, dfl_model_sample(&action, model_of(L), dfl_script_line(L), name, number[0], number[1]));
    read_actions(L, "sample", 2, action);
    return 0;
}

/* delay(name, expression, sample, count) */
static int call_delay(lua_State *L)
{
    dfl_expr symbol;
    const int n = dfl_arg_count(L, "delay", 3, 4);
    const char *name = dfl_arg_name(L, "delay", 1);
    const dfl_expr expr = dfl_arg_expr(L, "delay", 2);
    const char *sample = dfl_arg_name(L, "delay", 3);
    const double count = n == 4 ? dfl_arg_number(L, "delay", 4) : 1;
    if (!(count >= 1 && count <= MOST_DELAYS && count == (int)count))
        return dfl_script_error(
            L, "delay '%s': the number of samples is %f; give a whole number from 1 to %d", name,
            count, MOST_DELAYS);
    dfl_script_check(L, dfl_model_delay(&symbol, model_of(L), dfl_script_line(L), name, expr,
                                        sample, (int)count));
    dfl_symbol_push(L, symbol);
    return 1;
}

static void read_actions(lua_State *L, const char *call, int table, int action)
{
    static const char *const keys[] = {"set", "impulse"};
    for (int k = 0; k < 2; k++) {
        lua_settop(L, table);
        if (lua_getfield(L, table, keys[k]) == LUA_TNIL)
            continue;
        if (!lua_istable(L, -1))
            dfl_script_error(L, "%s: %s is %s; write %s = { [velocity(x)] = ... }", call, keys[k],
                             dfl_arg_kind(L, -1), keys[k]);
        read_assignments(L, call, keys[k], action);
    }
}

/* Of the table on top of the stack. */
static void read_assignments(lua_State *L, const char *call, const char *key, int action)
{
    const int table = lua_gettop(L);
    dfl_push_sorted_keys(L, table);
    const lua_Integer n = (lua_Integer)lua_rawlen(L, table + 1);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_settop(L, table + 1);
        lua_rawgeti(L, table + 1, i);
        const dfl_expr target = target_of(L, call, key, table + 2);
        lua_pushvalue(L, table + 2);
        lua_rawget(L, table);
        const dfl_expr *symbol = luaL_testudata(L, -1, DFL_SYMBOL);
        if (!symbol && lua_type(L, -1) != LUA_TNUMBER)
            dfl_script_error(L, "%s: a value of %s is %s; give a number or an expression", call,
                             key, dfl_arg_kind(L, -1));
        const dfl_expr value = symbol ? *symbol : dfl_arg_expr(L, call, table + 3);
        dfl_script_check(L, key[0] == 's' ? dfl_model_assign(model_of(L), action, target, value)
                                          : dfl_model_impulse(model_of(L), action, target, value));
    }
}

/* A symbol, or the name of a variable. */
static dfl_expr target_of(lua_State *L, const char *call, const char *key, int i)
{
    const dfl_expr *symbol = luaL_testudata(L, i, DFL_SYMBOL);
    if (symbol)
        return *symbol;
    const char *name = lua_type(L, i) == LUA_TSTRING ? lua_tostring(L, i) : NULL;
    const dfl_declaration *decl = name ? dfl_model_find(model_of(L), name) : NULL;
    dfl_expr named = name ? dfl_model_variable_named(model_of(L), name) : DFL_NO_EXPR;
    if (named == DFL_NO_EXPR && decl && decl->symbol != DFL_NO_EXPR)
        named = decl->symbol;
    if (named == DFL_NO_EXPR)
        dfl_script_error(L,
                         "%s: %s has no variable %s; write the variable in brackets, "
                         "[velocity(x)] = ...",
                         call, key, name ? name : "of this kind");
    return named;
}

dfl_expr dfl_arg_active(lua_State *L, const char *call, int i)
{
    static const char *const words[] = {"active"};
    dfl_expr active = DFL_NO_EXPR;
    dfl_arg_table(L, call, i, "write { active = ... }");
    lua_Integer place = 0;
    for (const char *key; (key = dfl_next_option(L, call, i, &place));) {
        if (strcmp(key, "active") != 0)
            dfl_arg_unknown(L, call, "option", key, words, 1);
        active = dfl_arg_expr(L, call, lua_gettop(L));
    }
    if (active == DFL_NO_EXPR)
        dfl_script_error(L, "%s: the table of options is empty; write { active = ... }", call);
    return active;
}

/* The direction on top of the stack. */
static int direction_of(lua_State *L)
{
    static const char *const words[] = {"rising", "falling", "both"};
    static const int directions[] = {1, -1, 0};
    if (lua_type(L, -1) == LUA_TNUMBER) {
        const double value = lua_tonumber(L, -1);
        if (value == 1 || value == -1 || value == 0)
            return (int)value;
        return dfl_script_error(
            L, "event: direction is %f; give \"rising\", \"falling\" or \"both\"", value);
    }
    if (lua_type(L, -1) != LUA_TSTRING)
        return dfl_script_error(L,
                                "event: direction is %s; give \"rising\", \"falling\" or \"both\"",
                                dfl_arg_kind(L, -1));
    for (int i = 0; i < 3; i++)
        if (strcmp(lua_tostring(L, -1), words[i]) == 0)
            return directions[i];
    return dfl_arg_unknown(L, "event", "direction", lua_tostring(L, -1), words, 3);
}
