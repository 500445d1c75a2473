/* language.c: the calls of the model language; each checks its arguments and declares in the model.
   */
#include "script/language.h"
#include "script/input_files.h"

#include "script/arguments.h"
#include "script/element.h"
#include "script/lookup.h"
#include "script/mechanism_calls.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <stdio.h>
#include <math.h>
#include <string.h>

enum { ROOM_FOR_UNIT = 128, MOST_ARGUMENTS = 250 };

static int call_param(lua_State *L);
static int call_input(lua_State *L);
static int call_setting(lua_State *L);
static void apply_set(double *value, lua_State *L, const char *name);
static int call_set(lua_State *L);
static int call_position(lua_State *L);
static int call_speed(lua_State *L);
static int declare_each(lua_State *L, const char *call,
                        dfl_status (*declare)(dfl_expr *, dfl_model *, int, const char *));
static int call_velocity(lua_State *L);
static int call_acceleration(lua_State *L);
static int find_each(lua_State *L, const char *call, const char *remedy,
                     dfl_status (*find)(dfl_expr *, dfl_model *, dfl_expr));
static int call_kinematics(lua_State *L);
static int call_kinetic(lua_State *L);
static int call_potential(lua_State *L);
static int call_mass(lua_State *L);
static int call_force(lua_State *L);
static int call_quasistatic(lua_State *L);
static int call_constraint(lua_State *L);
static int call_nonholonomic(lua_State *L);
static int call_motion(lua_State *L);
typedef dfl_status (*row_fn)(int *out, dfl_model *model, int line, const char *name, dfl_expr row);
static int add_row(lua_State *L, const char *call, row_fn declare);
static int call_multiplier(lua_State *L);
static int call_dynamic(lua_State *L);
static int call_auxiliary(lua_State *L);
static int call_contact(lua_State *L);
static int declare_variable(lua_State *L, const char *call, dfl_declared kind);
static void call_for_equations(lua_State *L, const char *call, int count);
static int call_invariant(lua_State *L);
static int call_energy(lua_State *L);
static int call_kinetic_energy(lua_State *L);
static int call_potential_energy(lua_State *L);
static void energies(dfl_expr *T, dfl_expr *V, lua_State *L, const char *call);
static int call_output(lua_State *L);
static int call_unit(lua_State *L);
static dfl_expr need_symbol(lua_State *L, const char *call, int i, const char *remedy);

enum { MOST_VARIABLES = 100 }; /* of one call */

static const luaL_Reg calls[] = {{"param", call_param},
                                 {"input", call_input},
                                 {"setting", call_setting},
                                 {"set", call_set},
                                 {"position", call_position},
                                 {"speed", call_speed},
                                 {"velocity", call_velocity},
                                 {"acceleration", call_acceleration},
                                 {"kinematics", call_kinematics},
                                 {"kinetic", call_kinetic},
                                 {"potential", call_potential},
                                 {"mass", call_mass},
                                 {"force", call_force},
                                 {"quasistatic", call_quasistatic},
                                 {"constraint", call_constraint},
                                 {"nonholonomic", call_nonholonomic},
                                 {"motion", call_motion},
                                 {"multiplier", call_multiplier},
                                 {"dynamic", call_dynamic},
                                 {"auxiliary", call_auxiliary},
                                 {"contact", call_contact},
                                 {"invariant", call_invariant},
                                 {"energy", call_energy},
                                 {"kinetic_energy", call_kinetic_energy},
                                 {"potential_energy", call_potential_energy},
                                 {"output", call_output},
                                 {"unit", call_unit},
                                 {"initial", dfl_script_initial},
                                 {"guess", dfl_script_guess},
                                 {"simulate", dfl_script_simulate},
                                 {0}};

void dfl_language_open(lua_State *L)
{
    luaL_setfuncs(L, calls, 0);
    dfl_lookups_open(L);
    dfl_signals_open(L);
    dfl_actions_open(L);
    dfl_goals_open(L);
    dfl_studies_open(L);
    dfl_draw_open(L);
    dfl_mechanism_open(L);
    dfl_elements_open(L);
    dfl_frictions_open(L);
    dfl_loads_open(L);
    dfl_unilaterals_open(L);
    dfl_closures_open(L);
    dfl_elastics_open(L);
    dfl_symbol_push(L, dfl_symbol_expr(dfl_script_of(L)->model->graph, DFL_SYM_TIME, 0, "time"));
    lua_setfield(L, -2, "time");
}

static dfl_model *model_of(lua_State *L)
{
    return dfl_script_of(L)->model;
}

static int call_param(lua_State *L)
{
    dfl_model *model = model_of(L);
    const int n = dfl_arg_count(L, "param", 2, 3);
    const char *name = dfl_arg_name(L, "param", 1);
    const double value = dfl_arg_number(L, "param", 2);
    const char *unit =
        n == 3 ? dfl_arg_string(L, "param", 3, "give the unit in quotes, such as \"kg\"") : NULL;
    dfl_expr symbol;
    dfl_script_check(L, dfl_model_param(&symbol, model, dfl_script_line(L), name, value, unit));
    apply_set(&model->declarations.item[model->declarations.count - 1].value, L, name);
    dfl_symbol_push(L, symbol);
    return 1;
}

/* The number of an input; an expression of time and parameters is added to the number 0. */
static double input_value(dfl_expr *function, lua_State *L)
{
    const dfl_graph *graph = model_of(L)->graph;
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
    dfl_model *model = model_of(L);
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
    dfl_model *model = model_of(L);
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
static void apply_set(double *value, lua_State *L, const char *name)
{
    dfl_set_values_apply(value, dfl_script_of(L), name);
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

static int call_position(lua_State *L)
{
    return declare_each(L, "position", dfl_model_position);
}

static int call_speed(lua_State *L)
{
    return declare_each(L, "speed", dfl_model_speed);
}

/* One symbol for each name. */
static int declare_each(lua_State *L, const char *call,
                        dfl_status (*declare)(dfl_expr *, dfl_model *, int, const char *))
{
    const int n = dfl_arg_count(L, call, 1, MOST_ARGUMENTS);
    luaL_checkstack(L, n + 10, call);
    for (int i = 1; i <= n; i++) {
        dfl_expr symbol;
        dfl_script_check(
            L, declare(&symbol, model_of(L), dfl_script_line(L), dfl_arg_name(L, call, i)));
        dfl_symbol_push(L, symbol);
    }
    return n;
}

static int call_velocity(lua_State *L)
{
    return find_each(L, "velocity", "give what position(...) returned", dfl_model_velocity);
}

static int call_acceleration(lua_State *L)
{
    return find_each(L, "acceleration", "give what position, velocity or speed returned",
                     dfl_model_acceleration);
}

/* The rate of each symbol. */
static int find_each(lua_State *L, const char *call, const char *remedy,
                     dfl_status (*find)(dfl_expr *, dfl_model *, dfl_expr))
{
    const int n = dfl_arg_count(L, call, 1, MOST_ARGUMENTS);
    luaL_checkstack(L, n + 10, call);
    for (int i = 1; i <= n; i++) {
        dfl_expr rate;
        dfl_script_check(L, find(&rate, model_of(L), need_symbol(L, call, i, remedy)));
        dfl_symbol_push(L, rate);
    }
    return n;
}

static int call_kinematics(lua_State *L)
{
    dfl_arg_count(L, "kinematics", 2, 2);
    const dfl_expr x = need_symbol(L, "kinematics", 1, "give what position(...) returned");
    dfl_script_check(L, dfl_model_kinematics(model_of(L), x, dfl_arg_expr(L, "kinematics", 2)));
    return 0;
}

static int call_kinetic(lua_State *L)
{
    dfl_arg_count(L, "kinetic", 1, 1);
    dfl_script_check(
        L, dfl_model_kinetic(model_of(L), dfl_script_line(L), dfl_arg_expr(L, "kinetic", 1)));
    return 0;
}

static int call_potential(lua_State *L)
{
    dfl_arg_count(L, "potential", 1, 1);
    dfl_script_check(
        L, dfl_model_potential(model_of(L), dfl_script_line(L), dfl_arg_expr(L, "potential", 1)));
    return 0;
}

/* mass(u, k) or mass(u, v, k). */
static int call_mass(lua_State *L)
{
    static const char remedy[] = "give what position, velocity or speed returned";
    const int n = dfl_arg_count(L, "mass", 2, 3);
    const dfl_expr u = need_symbol(L, "mass", 1, remedy);
    const dfl_expr v = n == 3 ? need_symbol(L, "mass", 2, remedy) : u;
    dfl_script_check(
        L, dfl_model_mass(model_of(L), dfl_script_line(L), u, v, dfl_arg_expr(L, "mass", n)));
    return 0;
}

static int call_force(lua_State *L)
{
    dfl_arg_count(L, "force", 2, 2);
    const dfl_expr u = need_symbol(L, "force", 1,
                                   "give what position, velocity or speed returned, or the "
                                   "coordinate of a joint, such as j.q");
    dfl_script_check(
        L, dfl_model_force(model_of(L), dfl_script_line(L), u, dfl_arg_expr(L, "force", 2)));
    return 0;
}

static int call_quasistatic(lua_State *L)
{
    static const char remedy[] = "give what position, velocity or speed returned";
    const int n = dfl_arg_count(L, "quasistatic", 1, MOST_ARGUMENTS);
    for (int i = 1; i <= n; i++)
        dfl_script_check(
            L, dfl_model_quasistatic(model_of(L), need_symbol(L, "quasistatic", i, remedy)));
    return 0;
}

static int call_constraint(lua_State *L)
{
    return add_row(L, "constraint", dfl_model_constraint);
}

/* A constraint for inverse dynamics, with the name of its coordinate or its number. */
static int call_motion(lua_State *L)
{
    dfl_model *model = model_of(L);
    dfl_arg_count(L, "motion", 2, 2);
    const dfl_expr moved = dfl_arg_expr(L, "motion", 1), path = dfl_arg_expr(L, "motion", 2);
    const dfl_declaration *decl = dfl_model_owner(model, moved);
    const unsigned allowed = 1U << DFL_SYM_TIME | 1U << DFL_SYM_PARAM;
    int number;
    if (dfl_node_of(model->graph, path)->depends & ~allowed)
        dfl_script_error(L, "motion: argument 2 depends on variables; give an expression of time "
                            "and parameters");
    if (!dfl_script_of(L)->options.prescribe)
        return 0;
    const char *name =
        decl && decl->kind == DFL_A_POSITION && decl->symbol == moved
            ? lua_pushfstring(L, DFL_MOTION_PREFIX "%s", decl->name)
            : lua_pushfstring(L, DFL_MOTION_PREFIX "%d", model->count[DFL_A_CONSTRAINT] + 1);
    dfl_script_check(L, dfl_model_constraint(&number, model, dfl_script_line(L), name,
                                             dfl_sub(model->graph, moved, path)));
    return 0;
}

static int call_nonholonomic(lua_State *L)
{
    return add_row(L, "nonholonomic", dfl_model_nonholonomic);
}

/* NAME, expression and perhaps { active = ... }. */
static int add_row(lua_State *L, const char *call, row_fn declare)
{
    int number;
    const int n = dfl_arg_count(L, call, 2, 3);
    const char *name = dfl_arg_name(L, call, 1);
    dfl_expr expr = dfl_arg_expr(L, call, 2), mask = DFL_NO_EXPR;
    if (n == 3)
        dfl_script_check(
            L, dfl_model_mask(&mask, &expr, model_of(L), name, dfl_arg_active(L, call, 3)));
    dfl_script_check(L, declare(&number, model_of(L), dfl_script_line(L), name, expr));
    model_of(L)->declarations.item[number].mask = mask;
    return dfl_constraint_push(L, number);
}

/* A handle: the number of the declaration. */
int dfl_constraint_push(lua_State *L, int number)
{
    int *handle = lua_newuserdatauv(L, sizeof *handle, 0);
    *handle = number;
    luaL_setmetatable(L, DFL_CONSTRAINT);
    return 1;
}

static int call_multiplier(lua_State *L)
{
    dfl_arg_count(L, "multiplier", 1, 1);
    const int *handle = luaL_testudata(L, 1, DFL_CONSTRAINT);
    if (!handle)
        return dfl_arg_error(L, "multiplier", 1,
                             "give what constraint(...) or nonholonomic(...) returned");
    dfl_symbol_push(L, model_of(L)->declarations.item[*handle].symbol);
    return 1;
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
        dfl_script_check(L, dfl_model_variable(&symbol, model_of(L), dfl_script_line(L), kind,
                                               lua_tostring(L, i)));
        if (has_unit)
            dfl_script_check(
                L, dfl_model_unit(model_of(L), dfl_model_owner(model_of(L), symbol), unit));
        dfl_symbol_push(L, symbol); /* at last + i */
    }
    if (function)
        call_for_equations(L, call, count);
    for (int i = 1; i <= count; i++) {
        const dfl_expr equation = dfl_arg_expr(L, call, function ? last + count + i : last);
        dfl_script_check(
            L, dfl_model_equation(model_of(L), dfl_arg_expr(L, call, last + i), equation));
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

static int call_invariant(lua_State *L)
{
    dfl_arg_count(L, "invariant", 2, 2);
    const char *name = dfl_arg_name(L, "invariant", 1);
    dfl_script_check(L, dfl_model_invariant(model_of(L), dfl_script_line(L), name,
                                            dfl_arg_expr(L, "invariant", 2)));
    return 0;
}

static int call_energy(lua_State *L)
{
    dfl_expr T, V;
    energies(&T, &V, L, "energy");
    dfl_symbol_push(L, dfl_add(model_of(L)->graph, T, V));
    return 1;
}

static int call_kinetic_energy(lua_State *L)
{
    dfl_expr T, V;
    energies(&T, &V, L, "kinetic_energy");
    dfl_symbol_push(L, T);
    return 1;
}

static int call_potential_energy(lua_State *L)
{
    dfl_expr T, V;
    energies(&T, &V, L, "potential_energy");
    dfl_symbol_push(L, V);
    return 1;
}

/* Of everything that has been declared; no more terms may follow. */
static void energies(dfl_expr *T, dfl_expr *V, lua_State *L, const char *call)
{
    dfl_arg_count(L, call, 0, 0);
    *T = *V = 0;
    if (dfl_script_of(L)->drawing)
        dfl_script_check(L, dfl_drawing_close(dfl_script_of(L)->drawing));
    dfl_script_check(L, dfl_model_energies(T, V, model_of(L)));
    model_of(L)->energy.asked_line = dfl_script_line(L);
}

static int call_output(lua_State *L)
{
    if (luaL_testudata(L, 2, DFL_JOINT) || luaL_testudata(L, 2, DFL_BODY_POINT))
        return dfl_motion_output(L);
    const int n = dfl_arg_count(L, "output", 2, 3);
    const char *name = dfl_arg_name(L, "output", 1);
    const char *unit =
        n < 3 ? NULL : dfl_arg_string(L, "output", 3, "give the unit in quotes, \"N\"");
    dfl_model *model = model_of(L);
    dfl_script_check(
        L, dfl_model_output(model, dfl_script_line(L), name, dfl_arg_expr(L, "output", 2)));
    if (unit)
        dfl_script_check(
            L,
            dfl_model_unit(model, &model->declarations.item[model->declarations.count - 1], unit));
    return 0;
}

/* unit(x, "m"): of a coordinate, speed or variable. */
static int call_unit(lua_State *L)
{
    dfl_arg_count(L, "unit", 2, 2);
    const char *unit = dfl_arg_string(L, "unit", 2, "give the unit in quotes, \"m\"");
    const char *remedy = "give a coordinate, a speed or a variable";
    const dfl_expr symbol = need_symbol(L, "unit", 1, remedy);
    dfl_declaration *decl = dfl_model_owner(model_of(L), symbol);
    const unsigned known = 1U << DFL_A_POSITION | 1U << DFL_A_SPEED | 1U << DFL_A_DYNAMIC |
                           1U << DFL_AN_AUXILIARY | 1U << DFL_A_CONTACT;
    if (!decl || decl->symbol != symbol || !(known >> decl->kind & 1))
        return dfl_arg_error(L, "unit", 1, remedy);
    dfl_script_check(L, dfl_model_unit(model_of(L), decl, unit));
    return 0;
}

/* A symbol, not a number. */
static dfl_expr need_symbol(lua_State *L, const char *call, int i, const char *remedy)
{
    const dfl_expr *symbol = luaL_testudata(L, i, DFL_SYMBOL);
    if (!symbol)
        dfl_arg_error(L, call, i, remedy);
    return *symbol;
}
