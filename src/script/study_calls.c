/* study_calls.c: study{...}: the cases of `driftless sweep`. All other commands ignore it. */
#include "script/language.h"

#include "script/arguments.h"
#include "script/order.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

static int call_study(lua_State *L);
static void read_varied(lua_State *L, const char *key);
static const char *read_values(lua_State *L, const char *name, int value);
static void read_text(lua_State *L, const char *key, int value, char **out);
static void read_columns(lua_State *L, int value);
static void read_file(lua_State *L, int value);
static void read_amount(lua_State *L, const char *key, int value);

void dfl_studies_open(lua_State *L)
{
    static const luaL_Reg calls[] = {{"study", call_study}, {0}};
    luaL_setfuncs(L, calls, 0);
}

static int call_study(lua_State *L)
{
    dfl_plan *plan = &dfl_script_of(L)->model->plan;
    dfl_arg_count(L, "study", 1, 1);
    dfl_arg_table(L, "study", 1, "write study{ over = { L = \"0.5:2:16\" } }");
    if (plan->line > 0)
        return dfl_script_error(L, "study: there is one already, in line %d", plan->line);
    plan->line = dfl_script_line(L);
    lua_Integer place = 0;
    for (const char *key; (key = dfl_next_option(L, "study", 1, &place));) {
        const int value = lua_gettop(L);
        if (!strcmp(key, "over") || !strcmp(key, "sample"))
            read_varied(L, key);
        else if (!strcmp(key, "design"))
            read_text(L, key, value, &plan->design);
        else if (!strcmp(key, "cases"))
            read_file(L, value);
        else if (!strcmp(key, "columns"))
            read_columns(L, value);
        else
            read_amount(L, key, value);
    }
    if (plan->over.count + plan->sample.count == 0 && !plan->cases)
        return dfl_script_error(L, "study: nothing varies; give over, sample or cases");
    return 0;
}

/* { NAME = "0.5:2:16", NAME = {1, 2, 5}, "NAME=..." } on top of the stack. */
static void read_varied(lua_State *L, const char *key)
{
    dfl_model *model = dfl_script_of(L)->model;
    const bool sampled = key[0] == 's';
    const int table = lua_gettop(L);
    if (!lua_istable(L, table))
        dfl_script_error(L, "study: %s is %s; write %s", key, dfl_arg_kind(L, table),
                         sampled ? "sample = { L = \"normal(1, 0.02)\" }"
                                 : "over = { L = \"0.5:2:16\", m = {1, 2, 5} }");
    dfl_push_sorted_keys(L, table);
    const int keys = lua_gettop(L);
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, keys); i++) {
        lua_settop(L, keys);
        lua_rawgeti(L, keys, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, table); /* keys, key, value */
        const bool named = lua_type(L, keys + 1) == LUA_TSTRING;
        const char *name = named ? lua_tostring(L, keys + 1) : "";
        const char *text = lua_type(L, keys + 2) == LUA_TSTRING ? lua_tostring(L, keys + 2) : NULL;
        if (!text && named && !sampled && lua_istable(L, keys + 2))
            text = read_values(L, name, keys + 2);
        if (!text || (!named && !strchr(text, '=')))
            dfl_script_error(
                L, "study: %s: the entry %s is %s; write %s", key, name, dfl_arg_kind(L, keys + 2),
                sampled ? "NAME = \"normal(1, 0.02)\"" : "NAME = \"0.5:2:16\" or NAME = {1, 2, 5}");
        if (named)
            text = lua_pushfstring(L, "%s=%s", name, text);
        dfl_script_check(L, dfl_model_plan(model, sampled, text));
    }
    lua_settop(L, table);
}

/* {1, 2, 5} as "1,2,5", with all digits, on the stack. */
static const char *read_values(lua_State *L, const char *name, int value)
{
    const lua_Integer count = (lua_Integer)lua_rawlen(L, value);
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (lua_Integer i = 1; i <= count; i++) {
        char digits[40];
        lua_rawgeti(L, value, i);
        if (lua_type(L, -1) != LUA_TNUMBER || !isfinite(lua_tonumber(L, -1)))
            dfl_script_error(L, "study: over: '%s' has values that are no finite numbers", name);
        snprintf(digits, sizeof digits, "%s%.17g", i > 1 ? "," : "", lua_tonumber(L, -1));
        lua_pop(L, 1);
        luaL_addstring(&text, digits);
    }
    luaL_pushresult(&text);
    return count > 0 ? lua_tostring(L, -1) : NULL;
}

static void read_text(lua_State *L, const char *key, int value, char **out)
{
    if (lua_type(L, value) != LUA_TSTRING)
        dfl_script_error(L, "study: %s is %s; give a text in quotes", key, dfl_arg_kind(L, value));
    *out = dfl_copy_string(dfl_script_of(L)->ctx, lua_tostring(L, value));
    if (!*out)
        dfl_script_check(L, DFL_NO_MEMORY);
}

/* "a,b", or a list of names. */
static void read_columns(lua_State *L, int value)
{
    if (lua_istable(L, value)) {
        luaL_Buffer text;
        luaL_buffinit(L, &text);
        for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, value); i++) {
            if (i > 1)
                luaL_addchar(&text, ',');
            if (lua_rawgeti(L, value, i) != LUA_TSTRING)
                dfl_script_error(L, "study: columns has an entry that is %s; give names in quotes",
                                 dfl_arg_kind(L, -1));
            luaL_addvalue(&text);
        }
        luaL_pushresult(&text);
        value = lua_gettop(L);
    }
    read_text(L, "columns", value, &dfl_script_of(L)->model->plan.columns);
}

/* Scripts reach files below their folder only. */
static void read_file(lua_State *L, int value)
{
    dfl_plan *plan = &dfl_script_of(L)->model->plan;
    read_text(L, "cases", value, &plan->cases);
    if (plan->cases[0] == '/' || strstr(plan->cases, ".."))
        dfl_script_error(L, "study: cases '%s': give a file below the model's folder", plan->cases);
}

static void read_amount(lua_State *L, const char *key, int value)
{
    static const char *const words[] = {"over",  "sample", "design", "cases",        "columns",
                                        "count", "seed",   "every",  "case_seconds", "case_memory"};
    dfl_plan *plan = &dfl_script_of(L)->model->plan;
    double *const places[] = {&plan->count, &plan->seed, &plan->every, &plan->seconds,
                              &plan->megabytes};
    const int first = 5, all = (int)(sizeof words / sizeof *words);
    for (int i = first; i < all; i++) {
        if (strcmp(key, words[i]) != 0)
            continue;
        const double number = dfl_arg_number(L, "study", value);
        const bool whole = i < first + 2;
        if (!isfinite(number) || (i != first + 1 && !(number > 0)) ||
            (whole && number != floor(number)))
            dfl_script_error(L, "study: %s is %f; give a %s", key, number,
                             whole ? "whole number" : "positive number");
        *places[i - first] = number;
        return;
    }
    dfl_arg_unknown(L, "study", "option", key, words, all);
}
