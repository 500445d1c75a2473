/* goal_calls.c: optimize{...} and what it is made of: at, final, integral, maximum, event_time,
   limit. Only `driftless optimize` asks for them; otherwise they are checked and do nothing. */
#include "script/language.h"

#include "script/arguments.h"
#include "script/model_file.h"
#include "script/order.h"
#include "script/separated_values.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

static int call_at(lua_State *L);
static int call_final(lua_State *L);
static int call_integral(lua_State *L);
static int call_maximum(lua_State *L);
static int call_event_time(lua_State *L);
static int call_limit(lua_State *L);
static int call_optimize(lua_State *L);
static void read_subject(lua_State *L);
static void read_vary(lua_State *L);
static void read_fit(lua_State *L);
static void add_measured(lua_State *L, const dfl_csv *file, const char *name, double weight);

void dfl_goals_open(lua_State *L)
{
    static const luaL_Reg calls[] = {{"at", call_at},
                                     {"final", call_final},
                                     {"integral", call_integral},
                                     {"maximum", call_maximum},
                                     {"event_time", call_event_time},
                                     {"limit", call_limit},
                                     {"optimize", call_optimize},
                                     {0}};
    luaL_setfuncs(L, calls, 0);
}

/* Pushes the symbol of a measure, or 0 where nobody optimizes. */
static int push_measure(lua_State *L, dfl_expr expr, double t)
{
    dfl_script *script = dfl_script_of(L);
    dfl_expr symbol = dfl_constant(script->model->graph, 0);
    if (script->options.goals)
        dfl_script_check(L, dfl_model_measure(&symbol, script->model, dfl_script_line(L), expr, t));
    dfl_symbol_push(L, symbol);
    return 1;
}

static int call_at(lua_State *L)
{
    dfl_arg_count(L, "at", 2, 2);
    const double t = dfl_arg_number(L, "at", 1);
    if (!isfinite(t))
        return dfl_arg_error(L, "at", 1, "give a time of the run");
    return push_measure(L, dfl_arg_expr(L, "at", 2), t);
}

static int call_final(lua_State *L)
{
    dfl_arg_count(L, "final", 1, 1);
    return push_measure(L, dfl_arg_expr(L, "final", 1), NAN);
}

/* The end of a dynamic variable whose rate is the expression. */
static int push_integral(lua_State *L, dfl_expr expr)
{
    dfl_script *script = dfl_script_of(L);
    dfl_model *model = script->model;
    const int line = dfl_script_line(L);
    if (!script->options.goals)
        return push_measure(L, expr, NAN);
    const char *name = lua_pushfstring(L, "integral%d", model->goals.measures.count + 1);
    dfl_expr symbol;
    dfl_script_check(L, dfl_model_variable(&symbol, model, line, DFL_A_DYNAMIC, name));
    dfl_script_check(L, dfl_model_equation(model, symbol, expr));
    dfl_script_check(L, dfl_model_start(model, line, symbol, 0, true));
    return push_measure(L, symbol, NAN);
}

static int call_integral(lua_State *L)
{
    dfl_arg_count(L, "integral", 1, 1);
    return push_integral(L, dfl_arg_expr(L, "integral", 1));
}

/* (integral of |f|^p over integral of 1)^(1/p) */
static int push_norm(lua_State *L, dfl_expr f, double p)
{
    dfl_graph *g = dfl_script_of(L)->model->graph;
    const dfl_expr power =
        dfl_binary(g, DFL_OP_POW, dfl_unary(g, DFL_OP_ABS, f), dfl_constant(g, p));
    push_integral(L, power);
    const dfl_expr sum = dfl_arg_expr(L, "maximum", lua_gettop(L));
    push_integral(L, dfl_constant(g, 1));
    const dfl_expr span = dfl_arg_expr(L, "maximum", lua_gettop(L));
    const dfl_expr mean = dfl_script_of(L)->options.goals ? dfl_div(g, sum, span) : sum;
    dfl_symbol_push(L, dfl_binary(g, DFL_OP_POW, mean, dfl_constant(g, 1 / p)));
    return 1;
}

/* maximum(expr [, { smooth = p }]) */
static int call_maximum(lua_State *L)
{
    dfl_script *script = dfl_script_of(L);
    double p = 0;
    dfl_arg_count(L, "maximum", 1, 2);
    const dfl_expr f = dfl_arg_expr(L, "maximum", 1);
    lua_Integer place = 0;
    if (lua_gettop(L) == 2) {
        static const char *const words[] = {"smooth"};
        dfl_arg_table(L, "maximum", 2, "write maximum(x, { smooth = 8 })");
        for (const char *key; (key = dfl_next_option(L, "maximum", 2, &place));)
            if (strcmp(key, "smooth") == 0)
                p = dfl_arg_number(L, "maximum: smooth", lua_gettop(L));
            else
                dfl_arg_unknown(L, "maximum", "option", key, words, 1);
        if (!(p >= 2 && isfinite(p)))
            return dfl_script_error(L, "maximum: smooth is %f; give a power of at least 2", p);
        return push_norm(L, f, p);
    }
    dfl_expr symbol = dfl_constant(script->model->graph, 0);
    if (script->options.goals)
        dfl_script_check(L, dfl_model_peak(&symbol, script->model, dfl_script_line(L), f));
    dfl_symbol_push(L, symbol);
    return 1;
}

/* event_time(name [, k]) */
static int call_event_time(lua_State *L)
{
    dfl_script *script = dfl_script_of(L);
    dfl_arg_count(L, "event_time", 1, 2);
    const char *name = dfl_arg_name(L, "event_time", 1);
    const double k = lua_gettop(L) == 2 ? dfl_arg_number(L, "event_time", 2) : 1;
    if (!(k >= 1 && k <= 1e6 && k == floor(k)))
        return dfl_arg_error(L, "event_time", 2, "give a whole number from 1 on");
    dfl_expr symbol = dfl_constant(script->model->graph, 0);
    if (script->options.goals)
        dfl_script_check(
            L, dfl_model_event_time(&symbol, script->model, dfl_script_line(L), name, (int)k));
    dfl_symbol_push(L, symbol);
    return 1;
}

/* limit(expr, "<=" | ">=" | "==", expr): { difference, equal } */
static int call_limit(lua_State *L)
{
    dfl_graph *g = dfl_script_of(L)->model->graph;
    dfl_arg_count(L, "limit", 3, 3);
    const dfl_expr a = dfl_arg_expr(L, "limit", 1), b = dfl_arg_expr(L, "limit", 3);
    const char *sense = dfl_arg_string(L, "limit", 2, "write \"<=\", \">=\" or \"==\"");
    const bool equal = strcmp(sense, "==") == 0, above = strcmp(sense, ">=") == 0;
    if (!equal && !above && strcmp(sense, "<=") != 0)
        return dfl_arg_error(L, "limit", 2, "write \"<=\", \">=\" or \"==\"");
    lua_createtable(L, 2, 0);
    dfl_symbol_push(L, above ? dfl_sub(g, b, a) : dfl_sub(g, a, b));
    lua_rawseti(L, -2, 1);
    lua_pushboolean(L, equal);
    lua_rawseti(L, -2, 2);
    return 1;
}

/* One number for the whole run: variables and time are inside of measures. */
static dfl_expr arg_of_run(lua_State *L, const char *what, int index)
{
    const dfl_graph *g = dfl_script_of(L)->model->graph;
    const dfl_expr expr = dfl_arg_expr(L, what, index);
    for (int kind = 0; kind < DFL_SYM_KINDS; kind++)
        if (kind != DFL_SYM_PARAM && kind != DFL_SYM_INPUT &&
            dfl_depends(g, expr, (dfl_symbol_kind)kind))
            dfl_script_error(L,
                             "%s contains %s outside of a measure; write at(t, ...), final(...), "
                             "integral(...) or maximum(...)",
                             what, kind == DFL_SYM_TIME ? "time" : "variables of the motion");
    return expr;
}

/* A list of limits on top of the stack. */
static void read_subject(lua_State *L)
{
    static const char remedy[] = "write subject = { limit(maximum(x), \"<=\", 2) }";
    const int table = lua_gettop(L);
    dfl_arg_table(L, "optimize: subject", table, remedy);
    const lua_Integer count = (lua_Integer)lua_rawlen(L, table);
    for (lua_Integer i = 1; i <= count; i++) {
        if (lua_rawgeti(L, table, i) != LUA_TTABLE || lua_rawgeti(L, -1, 2) != LUA_TBOOLEAN)
            dfl_script_error(L, "optimize: subject: item %d is no limit; %s", (int)i, remedy);
        const bool equal = lua_toboolean(L, -1);
        lua_rawgeti(L, table + 1, 1);
        dfl_script_check(L, dfl_model_subject(dfl_script_of(L)->model,
                                              arg_of_run(L, "optimize: subject", lua_gettop(L)),
                                              equal));
        lua_settop(L, table);
    }
    if (count == 0)
        dfl_script_error(L, "optimize: subject is empty; %s", remedy);
}

static int call_optimize(lua_State *L)
{
    static const char *const words[] = {"vary", "minimize", "fit", "subject", "tolerance"};
    dfl_script *script = dfl_script_of(L);
    dfl_goals *goals = &script->model->goals;
    dfl_arg_count(L, "optimize", 1, 1);
    dfl_arg_table(L, "optimize", 1, "write optimize{ vary = { L = {0.5, 2} }, minimize = ... }");
    if (goals->line > 0)
        return dfl_script_error(L, "optimize: there is one already, in line %d", goals->line);
    goals->line = dfl_script_line(L);
    lua_Integer place = 0;
    for (const char *key; (key = dfl_next_option(L, "optimize", 1, &place));) {
        const int value = lua_gettop(L);
        if (strcmp(key, "vary") == 0) {
            read_vary(L);
        } else if (strcmp(key, "minimize") == 0) {
            goals->minimize = arg_of_run(L, "optimize: minimize", value);
        } else if (strcmp(key, "fit") == 0) {
            read_fit(L);
        } else if (strcmp(key, "subject") == 0) {
            read_subject(L);
        } else if (strcmp(key, "tolerance") == 0) {
            goals->tolerance = dfl_arg_number(L, "optimize: tolerance", value);
            if (!(goals->tolerance > 0))
                dfl_script_error(L, "optimize: the tolerance is %f; give a positive number",
                                 goals->tolerance);
        } else {
            dfl_arg_unknown(L, "optimize", "option", key, words, 5);
        }
    }
    if (goals->varied.count == 0)
        return dfl_script_error(L, "optimize: vary is missing; write vary = { L = {0.5, 2} }");
    if (goals->minimize == DFL_NO_EXPR && goals->measured.count == 0)
        return dfl_script_error(L, "optimize: nothing is wanted; give minimize or fit");
    return 0;
}

/* The bounds in the table on top of the stack. */
static double bound(lua_State *L, const char *name, lua_Integer which)
{
    double value;
    lua_rawgeti(L, -1, which);
    if (!dfl_value_number(&value, L, lua_gettop(L)) || !isfinite(value))
        dfl_script_error(L, "optimize: the bounds of '%s' are two numbers, {low, high}", name);
    lua_pop(L, 1);
    return value;
}

/* { NAME = {low, high}, ... } on top of the stack. */
static void read_vary(lua_State *L)
{
    dfl_model *model = dfl_script_of(L)->model;
    const int table = lua_gettop(L);
    dfl_arg_table(L, "optimize: vary", table, "write vary = { L = {0.5, 2} }");
    dfl_push_sorted_keys(L, table);
    const int keys = lua_gettop(L);
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, keys); i++) {
        lua_settop(L, keys);
        lua_rawgeti(L, keys, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, table); /* keys, key, value */
        if (lua_type(L, keys + 1) != LUA_TSTRING || !lua_istable(L, keys + 2))
            dfl_script_error(L, "optimize: vary: write NAME = {low, high}");
        const char *name = lua_tostring(L, keys + 1);
        const double low = bound(L, name, 1), high = bound(L, name, 2);
        if (!(low < high))
            dfl_script_error(L,
                             "optimize: '%s' has the bounds %f and %f; the first one is to be "
                             "smaller",
                             name, low, high);
        dfl_script_check(L, dfl_model_vary(model, name, low, high));
    }
    lua_settop(L, table);
}

/* The text in the field `key` of the table in place `table`, or NULL. */
static const char *text_field(lua_State *L, int table, const char *key)
{
    const char *text = NULL;
    if (lua_getfield(L, table, key) == LUA_TSTRING)
        text = lua_tostring(L, -1); /* lives in the table */
    else if (!lua_isnil(L, -1))
        dfl_script_error(L, "optimize: fit: %s is %s; give a text in quotes", key,
                         dfl_arg_kind(L, -1));
    lua_pop(L, 1);
    return text;
}

/* { file = "measured.csv", time = "t", weight = 1, NAME = "column", ... } on top of the stack. */
static void read_fit(lua_State *L)
{
    const int table = lua_gettop(L);
    double weight = 1;
    dfl_arg_table(L, "optimize: fit", table, "write fit = { file = \"measured.csv\", x = \"x\" }");
    dfl_csv csv = {.file = text_field(L, table, "file"), .time = text_field(L, table, "time")};
    if (!csv.file)
        dfl_script_error(L, "optimize: fit: file is missing; write file = \"measured.csv\"");
    lua_getfield(L, table, "weight");
    if (!lua_isnil(L, -1) && !dfl_value_number(&weight, L, lua_gettop(L)))
        dfl_script_error(L, "optimize: fit: the weight is %s; give a number", dfl_arg_kind(L, -1));
    lua_settop(L, table);
    if (dfl_script_of(L)
            ->options.goals) /* else the file may be missing, yet to be written by a run */
        csv.text = dfl_signal_file(L, "optimize: fit", csv.file);
    dfl_push_sorted_keys(L, table);
    const int keys = lua_gettop(L);
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, keys); i++) {
        lua_settop(L, keys);
        lua_rawgeti(L, keys, i);
        const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
        if (!strcmp(name, "file") || !strcmp(name, "time") || !strcmp(name, "weight"))
            continue;
        csv.column = *name ? text_field(L, table, name) : NULL;
        if (!csv.column)
            dfl_script_error(L, "optimize: fit: write NAME = \"column\"");
        add_measured(L, &csv, name, weight);
    }
    lua_settop(L, table);
}

static void add_measured(lua_State *L, const dfl_csv *file, const char *name, double weight)
{
    dfl_script *script = dfl_script_of(L);
    const size_t room = file->text ? dfl_csv_rows(file->text) : 1;
    double *time = lua_newuserdatauv(L, 2 * room * sizeof *time, 0), *value = time + room;
    int count = 0;
    if (file->text) {
        dfl_sandbox_charge(L, (double)strlen(file->text));
        dfl_script_check(L, dfl_csv_read(time, value, &count, script->ctx, file));
    }
    dfl_script_check(L, dfl_model_measured(script->model, name, time, value, count, weight));
}
