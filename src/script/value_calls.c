/* value_calls.c: values that can be changed from outside: param, input, setting, set. */
#include "script/arguments.h"
#include "script/input_files.h"
#include "script/language.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <math.h>

static int call_param(lua_State *L);
static int call_input(lua_State *L);
static int call_setting(lua_State *L);
static int call_set(lua_State *L);
static bool apply_set(double *value, lua_State *L, const char *name);

void dfl_values_open(lua_State *L)
{
    static const luaL_Reg calls[] = {{"param", call_param},
                                     {"input", call_input},
                                     {"setting", call_setting},
                                     {"set", call_set},
                                     {0}};
    luaL_setfuncs(L, calls, 0);
}

static int call_param(lua_State *L)
{
    dfl_model *model = dfl_script_of(L)->model;
    const int n = dfl_arg_count(L, "param", 2, 3);
    const char *name = dfl_arg_name(L, "param", 1);
    double value;
    dfl_expr from;
    if (!dfl_value_from(&value, &from, L, 2))
        dfl_arg_error(L, "param", 2, "give a number, or an expression of parameters");
    const char *unit =
        n == 3 ? dfl_arg_string(L, "param", 3, "give the unit in quotes, such as \"kg\"") : NULL;
    dfl_expr symbol;
    dfl_script_check(L, dfl_model_param(&symbol, model, dfl_script_line(L), name, value, unit));
    dfl_declaration *declared = &model->declarations.item[model->declarations.count - 1];
    declared->given = apply_set(&declared->value, L, name);
    declared->from = from != DFL_NO_EXPR ? from : 0;
    dfl_symbol_push(L, symbol);
    return 1;
}

/* The number of an input; an expression of time and parameters is added to the number 0. */
static double input_value(dfl_expr *function, lua_State *L)
{
    const dfl_graph *graph = dfl_script_of(L)->model->graph;
    const dfl_expr *given = luaL_testudata(L, 2, DFL_SYMBOL);
    *function = DFL_NO_EXPR;
    if (!given)
        return dfl_arg_number(L, "input", 2);
    const unsigned allowed = 1U << DFL_SYM_TIME | 1U << DFL_SYM_PARAM;
    if (dfl_node_of(graph, *given)->depends & ~allowed)
        dfl_script_error(L, "input: argument 2 depends on variables; give a number, or an "
                            "expression of time and parameters");
    *function = *given;
    return 0;
}

static int call_input(lua_State *L)
{
    dfl_model *model = dfl_script_of(L)->model;
    dfl_arg_count(L, "input", 2, 2);
    const char *name = dfl_arg_name(L, "input", 1);
    dfl_expr symbol, function;
    const int number = model->declarations.count;
    dfl_script_check(
        L, dfl_model_input(&symbol, model, dfl_script_line(L), name, input_value(&function, L)));
    apply_set(&model->declarations.item[number].value, L, name);
    if (dfl_input_file(&function, L, name)) /* the value is added, for analyses */
        model->declarations.item[number].value = model->declarations.item[number].preset = 0;
    model->declarations.item[number].expr = function;
    dfl_symbol_push(L, function == DFL_NO_EXPR ? symbol : dfl_add(model->graph, symbol, function));
    return 1;
}

/* A plain number; if the script gives an integer, a whole number stays an integer: x1, not x1.0. */
static int call_setting(lua_State *L)
{
    dfl_model *model = dfl_script_of(L)->model;
    dfl_arg_count(L, "setting", 2, 2);
    const char *name = dfl_arg_name(L, "setting", 1);
    dfl_script_check(
        L, dfl_model_setting(model, dfl_script_line(L), name, dfl_arg_number(L, "setting", 2)));
    double *value = &model->declarations.item[model->declarations.count - 1].value;
    apply_set(value, L, name);
    lua_Integer whole;
    if (lua_isinteger(L, 2) && lua_numbertointeger(*value, &whole) && (double)whole == *value)
        lua_pushinteger(L, whole);
    else
        lua_pushnumber(L, *value);
    return 1;
}

/* Replaces the value if set{} or the caller (--set NAME=...) has another. */
static bool apply_set(double *value, lua_State *L, const char *name)
{
    return dfl_set_values_apply(value, dfl_script_of(L), name);
}

/* set{ NAME = number, ... }: in place of the values in the rest of the script. */
static int call_set(lua_State *L)
{
    dfl_arg_count(L, "set", 1, 1);
    dfl_arg_table(L, "set", 1, "write set{ L = 2 }");
    lua_Integer place = 0;
    for (const char *name; (name = dfl_next_option(L, "set", 1, &place));) {
        const double value = dfl_arg_number(L, "set", lua_gettop(L));
        if (!isfinite(value))
            return dfl_script_error(L, "set: '%s' is not a finite number", name);
        dfl_script_check(L, dfl_set_values_add(dfl_script_of(L), dfl_script_line(L), name, value));
    }
    return 0;
}
