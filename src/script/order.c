/* order.c: sorting that does not depend on addresses, hash values or the clock: `pairs` and
   `table.sort`.

   Lua's own `next` follows the hash table, whose order changes from run to run, and its sort may
   choose pivots by the clock. Both are replaced by a merge sort. */
#include "script/order.h"

#include "script/arguments.h"
#include "script/mechanism_calls.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <string.h>

/* Whether the value on top of the stack comes before the one below it. */
typedef bool (*before_fn)(lua_State *L);

static int next_pair(lua_State *L);
static bool key_before(lua_State *L);
static int key_rank(lua_State *L, int i);
static bool value_before(lua_State *L);
static void charge_texts(lua_State *L);
static bool function_before(lua_State *L);
static void merge_sort(lua_State *L, int array, lua_Integer n, before_fn before);
static void merge(lua_State *L, int from, int to, lua_Integer left, lua_Integer middle,
                  lua_Integer right, before_fn before);

enum { LESS = 2 }; /* place of sort's function on the stack */

void dfl_push_sorted_keys(lua_State *L, int t)
{
    t = lua_absindex(L, t);
    lua_newtable(L);
    const int keys = lua_gettop(L);
    lua_Integer n = 0;
    lua_pushnil(L);
    while (lua_next(L, t)) {
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
        lua_rawseti(L, keys, ++n);
    }
    merge_sort(L, keys, n, key_before);
}

int dfl_script_pairs(lua_State *L)
{
    dfl_arg_count(L, "pairs", 1, 1);
    dfl_arg_table(L, "pairs", 1, "give a table");
    dfl_push_sorted_keys(L, 1);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_pair, 2);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

int dfl_script_sort(lua_State *L)
{
    const int count = dfl_arg_count(L, "table.sort", 1, 2);
    dfl_arg_table(L, "table.sort", 1, "give a table");
    if (count == 2 && lua_type(L, LESS) != LUA_TFUNCTION)
        return dfl_arg_error(L, "table.sort", 2, "give a function that compares two elements");
    lua_settop(L, 2);
    const lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
    lua_newtable(L); /* a copy, in case the function changes the table */
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, 1, i);
        lua_rawseti(L, 3, i);
    }
    merge_sort(L, 3, n, count == 2 ? function_before : value_before);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, 3, i);
        lua_rawseti(L, 1, i);
    }
    return 0;
}

/* The iterator of pairs. Upvalues: sorted keys, place of the last one. Argument: the table. */
static int next_pair(lua_State *L)
{
    lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));
    const lua_Integer n = (lua_Integer)lua_rawlen(L, lua_upvalueindex(1));
    dfl_arg_table(L, "pairs", 1, "give a table");
    while (i < n) {
        lua_settop(L, 1);
        lua_rawgeti(L, lua_upvalueindex(1), ++i);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 1) != LUA_TNIL) { /* not removed meanwhile */
            lua_pushinteger(L, i);
            lua_replace(L, lua_upvalueindex(2));
            return 2;
        }
    }
    return 0;
}

static bool key_before(lua_State *L)
{
    const int a = key_rank(L, -1), b = key_rank(L, -2);
    if (a != b)
        return a < b;
    if (a == 0)
        return lua_compare(L, -1, -2, LUA_OPLT);
    if (a == 1) {
        size_t na, nb;
        charge_texts(L);
        const char *ta = lua_tolstring(L, -1, &na), *tb = lua_tolstring(L, -2, &nb);
        const int order = memcmp(ta, tb, na < nb ? na : nb);
        return order ? order < 0 : na < nb;
    }
    const dfl_expr ea = *(const dfl_expr *)lua_touserdata(L, -1);
    const dfl_expr eb = *(const dfl_expr *)lua_touserdata(L, -2);
    if (ea == eb)
        dfl_script_error(L, "two keys of the table are the same symbol; use one of them");
    return ea < eb;
}

static int key_rank(lua_State *L, int i)
{
    if (lua_type(L, i) == LUA_TNUMBER)
        return 0;
    if (lua_type(L, i) == LUA_TSTRING)
        return 1;
    if (luaL_testudata(L, i, DFL_JOINT))
        dfl_script_error(L, "a key of the table is a joint; give its coordinate, such as [j.q]");
    if (!luaL_testudata(L, i, DFL_SYMBOL))
        dfl_script_error(L,
                         "a key of the table is %s; only numbers, texts and symbols have an order",
                         dfl_arg_kind(L, i));
    return 2;
}

static bool value_before(lua_State *L)
{
    charge_texts(L);
    return lua_compare(L, -1, -2, LUA_OPLT);
}

/* Long texts take their time, wherever they differ. */
static void charge_texts(lua_State *L)
{
    if (lua_type(L, -1) == LUA_TSTRING && lua_type(L, -2) == LUA_TSTRING)
        dfl_sandbox_charge_bytes(L, lua_rawlen(L, -1));
}

static bool function_before(lua_State *L)
{
    lua_pushvalue(L, LESS);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -4);
    lua_call(L, 2, 1);
    const bool less = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return less;
}

/* Sorts elements 1 to n of the table at `array`: runs of 1, 2, 4, ... elements are merged in pairs.
 */
static void merge_sort(lua_State *L, int array, lua_Integer n, before_fn before)
{
    luaL_checkstack(L, 10, "sort");
    if (n == 1 && before == key_before) { /* a single key is checked too */
        lua_rawgeti(L, array, 1);
        key_rank(L, -1);
        lua_pop(L, 1);
    }
    lua_newtable(L);
    const int other = lua_gettop(L);
    int from = array, to = other;
    for (lua_Integer run = 1; run < n; run *= 2) {
        dfl_sandbox_charge(L, 10.0 * (double)n);
        for (lua_Integer left = 1; left <= n; left += 2 * run) {
            const lua_Integer middle = left + run <= n ? left + run : n + 1;
            const lua_Integer right = middle + run <= n ? middle + run : n + 1;
            merge(L, from, to, left, middle, right, before);
        }
        const int swap = from;
        from = to;
        to = swap;
    }
    if (from != array)
        for (lua_Integer i = 1; i <= n; i++) {
            lua_rawgeti(L, from, i);
            lua_rawseti(L, array, i);
        }
    lua_settop(L, other - 1);
}

/* Merges the sorted elements left .. middle-1 and middle .. right-1. */
static void merge(lua_State *L, int from, int to, lua_Integer left, lua_Integer middle,
                  lua_Integer right, before_fn before)
{
    lua_Integer a = left, b = middle;
    for (lua_Integer i = left; i < right; i++) {
        bool second = a == middle;
        if (a < middle && b < right) {
            lua_rawgeti(L, from, a);
            lua_rawgeti(L, from, b);
            second = before(L);
            lua_pop(L, 2);
        }
        lua_rawgeti(L, from, second ? b++ : a++);
        lua_rawseti(L, to, i);
    }
}
