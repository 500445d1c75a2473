/* fmu_calls.c: fmu(file, { inputs = , outputs = , period = , set = , name = }): a controller that
   is an FMU. */
#include "script/arguments.h"
#include "script/language.h"
#include "script/model_file.h"
#include "script/order.h"
#include "script/symbol.h"

#include "guest/guest.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

/* A variable of the FMU that the script names. */
typedef struct wanted {
    const char *name; /* lives in the table of options */
    dfl_guest_causality causality;
    unsigned reference;
    dfl_expr expr; /* of an input */
    double value;  /* of a parameter */
} wanted;

typedef struct request {
    const char *file, *name;
    double period;
    int count;
    wanted *item;
} request;

enum { OPTIONS = 2, MOST_VARIABLES = 1000, LONGEST_NAME = 100 };

static int call_fmu(lua_State *L);
static void read_options(request *r, lua_State *L);
static void read_named(request *r, lua_State *L, const char *key, dfl_guest_causality causality);
static void read_outputs(request *r, lua_State *L);
static dfl_status resolve(request *r, dfl_context *ctx, const dfl_text *archive);
static void make_name(char out[LONGEST_NAME], const char *before, const char *name);

void dfl_fmus_open(lua_State *L)
{
    static const luaL_Reg calls[] = {{"fmu", call_fmu}, {0}};
    luaL_setfuncs(L, calls, 0);
}

/* Returns the outputs, in their order. */
static int call_fmu(lua_State *L)
{
    dfl_script *script = dfl_script_of(L);
    const int line = dfl_script_line(L);
    char own[LONGEST_NAME], name[LONGEST_NAME];
    request r = {.period = 0};
    int foreign, outputs = 0;
    dfl_arg_count(L, "fmu", 2, 2);
    r.file = dfl_arg_string(L, "fmu", 1, "give the name of a file, such as \"controller.fmu\"");
    if (!script->options.allow_fmu)
        return dfl_script_error(
            L,
            "fmu '%s': an FMU is a program that no sandbox keeps from anything; "
            "allow it with %s if you trust it",
            r.file,
            strcmp(script->options.prefix, "--") == 0
                ? "--allow-fmu"
                : lua_pushfstring(L, "%sallow_fmu", script->options.prefix));
    dfl_arg_table(L, "fmu", OPTIONS,
                  "write { inputs = { u = ... }, outputs = { \"y\" }, period = 0.01 }");
    r.item = lua_newuserdatauv(L, MOST_VARIABLES * sizeof *r.item, 0);
    read_options(&r, L);
    make_name(own, NULL, r.name ? r.name : r.file);
    dfl_text_clear(&script->scratch);
    dfl_script_check(L, dfl_model_file_read(&script->scratch, script->model, "fmu", r.file));
    dfl_script_check(L, resolve(&r, script->ctx, &script->scratch));
    dfl_script_check(
        L, dfl_model_foreign(&foreign, script->model, line, own, &script->scratch, r.period));
    dfl_text_clear(&script->scratch);
    luaL_checkstack(L, r.count, "fmu: too many outputs");
    for (int i = 0; i < r.count; i++) {
        const wanted *it = &r.item[i];
        dfl_expr symbol;
        if (it->causality == DFL_GUEST_INPUT) {
            dfl_script_check(
                L, dfl_model_foreign_input(script->model, foreign, it->reference, it->expr));
        } else if (it->causality == DFL_GUEST_PARAMETER) {
            dfl_script_check(
                L, dfl_model_foreign_set(script->model, foreign, it->reference, it->value));
        } else {
            make_name(name, own, it->name);
            dfl_script_check(L, dfl_model_foreign_output(&symbol, script->model, line, foreign,
                                                         it->reference, name));
            dfl_symbol_push(L, symbol);
            outputs++;
        }
    }
    return outputs;
}

/* Inputs before outputs: so their values come. */
static void read_options(request *r, lua_State *L)
{
    static const char *const words[] = {"inputs", "outputs", "period", "set", "name"};
    bool period = false;
    lua_Integer place = 0;
    const int top = lua_gettop(L);
    lua_pushvalue(L, OPTIONS); /* options are read from the last value */
    for (const char *key; (key = dfl_next_option(L, "fmu", top + 1, &place));) {
        if (!strcmp(key, "period")) {
            period = dfl_value_number(&r->period, L, -1);
            if (!period)
                dfl_script_error(L, "fmu '%s': period is %s; give a number, in s", r->file,
                                 dfl_arg_kind(L, -1));
        } else if (!strcmp(key, "name")) {
            if (lua_type(L, -1) != LUA_TSTRING)
                dfl_script_error(L, "fmu '%s': name is %s; give a name in quotes", r->file,
                                 dfl_arg_kind(L, -1));
            r->name = lua_tostring(L, -1); /* lives in the table */
        } else if (strcmp(key, "inputs") != 0 && strcmp(key, "outputs") != 0 &&
                   strcmp(key, "set") != 0) {
            dfl_arg_unknown(L, "fmu", "option", key, words, 5);
        }
    }
    if (!period)
        dfl_script_error(L, "fmu '%s': the period is missing; give period = ..., in s", r->file);
    read_named(r, L, "set", DFL_GUEST_PARAMETER);
    read_named(r, L, "inputs", DFL_GUEST_INPUT);
    read_outputs(r, L);
    lua_settop(L, top);
}

static wanted *add(request *r, lua_State *L, const char *name, dfl_guest_causality causality)
{
    if (r->count == MOST_VARIABLES)
        dfl_script_error(L, "fmu '%s': more than %d variables", r->file, MOST_VARIABLES);
    r->item[r->count] = (wanted){.name = name, .causality = causality};
    return &r->item[r->count++];
}

/* The table of names and values, or nothing. */
static void read_named(request *r, lua_State *L, const char *key, dfl_guest_causality causality)
{
    if (lua_getfield(L, OPTIONS, key) == LUA_TNIL)
        return;
    if (!lua_istable(L, -1))
        dfl_script_error(L, "fmu '%s': %s is %s; write %s = { name = value }", r->file, key,
                         dfl_arg_kind(L, -1), key);
    const int table = lua_gettop(L);
    dfl_push_sorted_keys(L, table);
    const lua_Integer n = (lua_Integer)lua_rawlen(L, table + 1);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, table + 1, i);
        if (lua_type(L, -1) != LUA_TSTRING)
            dfl_script_error(L,
                             "fmu '%s': %s has values without names; write %s = { name = value }",
                             r->file, key, key);
        wanted *it = add(r, L, lua_tostring(L, -1), causality);
        lua_rawget(L, table);
        if (causality == DFL_GUEST_INPUT)
            it->expr = dfl_arg_expr(L, "fmu", lua_gettop(L));
        else if (!dfl_value_number(&it->value, L, lua_gettop(L)))
            dfl_script_error(L, "fmu '%s': %s.%s is %s; give a number", r->file, key, it->name,
                             dfl_arg_kind(L, -1));
        lua_settop(L, table + 1);
    }
}

/* A list of names. */
static void read_outputs(request *r, lua_State *L)
{
    const int kind = lua_getfield(L, OPTIONS, "outputs");
    const int list = lua_gettop(L);
    const lua_Integer n = kind == LUA_TTABLE ? (lua_Integer)lua_rawlen(L, list) : 0;
    if (n == 0)
        dfl_script_error(L, "fmu '%s': there are no outputs; write outputs = { \"y\" }", r->file);
    for (lua_Integer i = 1; i <= n; i++) {
        if (lua_rawgeti(L, list, i) != LUA_TSTRING)
            dfl_script_error(L, "fmu '%s': output %d is %s; give a name in quotes", r->file, (int)i,
                             dfl_arg_kind(L, -1));
        add(r, L, lua_tostring(L, -1), DFL_GUEST_OUTPUT);
        lua_settop(L, list);
    }
}

/* ------------------------------------------------------------------------------- variables */

static bool fits(dfl_guest_causality is, dfl_guest_causality as)
{
    return is == as || (as == DFL_GUEST_OUTPUT && is == DFL_GUEST_LOCAL);
}

static dfl_status refuse(const request *r, dfl_context *ctx, const dfl_guest_description *d,
                         const wanted *it)
{
    static const char *const word[] = {"parameter", "input", "output"};
    dfl_text list = {.ctx = ctx};
    int listed = 0;
    for (int i = 0; i < d->count && list.length < 300; i++)
        if (d->variables[i].causality == it->causality)
            dfl_text_add(&list, "%s%s", listed++ ? ", " : "", d->variables[i].name);
    const dfl_status status =
        dfl_fail(ctx, DFL_INVALID, "fmu '%s' has no %s '%s' that is a real number; it has %s",
                 r->file, word[it->causality], it->name, listed ? list.data : "none");
    dfl_text_clear(&list);
    return status;
}

/* Finds the references of all variables. */
static dfl_status resolve(request *r, dfl_context *ctx, const dfl_text *archive)
{
    dfl_guest_description d = {0};
    dfl_status status = dfl_guest_inspect(&d, ctx, archive);
    if (status == DFL_INVALID)
        status = dfl_fail(ctx, DFL_INVALID, "fmu '%s': %s", r->file, dfl_message(ctx));
    for (int i = 0; !status && i < r->count; i++) {
        wanted *it = &r->item[i];
        const int found = dfl_guest_find(&d, it->name, strlen(it->name));
        if (found < 0 || !fits(d.variables[found].causality, it->causality))
            status = refuse(r, ctx, &d, it);
        else
            it->reference = d.variables[found].reference;
    }
    dfl_guest_description_clear(&d, ctx);
    return status;
}

/* Of the file without its folder and ending, or BEFORE.NAME, with characters that names may have.
 */
static void make_name(char out[LONGEST_NAME], const char *before, const char *name)
{
    const char *slash = before ? NULL : strrchr(name, '/');
    snprintf(out, LONGEST_NAME, "%s%s%s", before ? before : "", before ? "." : "",
             slash ? slash + 1 : name);
    const size_t length = strlen(out);
    if (!before && length > 4 && !strcmp(out + length - 4, ".fmu"))
        out[length - 4] = 0;
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_.-[]", *c))
            *c = '_';
}
