/* language.c: the calls of the model language; each checks its arguments and declares in the model.
 */
#include "script/language.h"

#include "script/arguments.h"
#include "script/element.h"
#include "script/lookup.h"
#include "script/mechanism_calls.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

enum { ROOM_FOR_UNIT = 128, MOST_ARGUMENTS = 250 };

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
static int call_invariant(lua_State *L);
static int call_energy(lua_State *L);
static int call_kinetic_energy(lua_State *L);
static int call_potential_energy(lua_State *L);
static void energies(dfl_expr *T, dfl_expr *V, lua_State *L, const char *call);
static int call_output(lua_State *L);
static int call_unit(lua_State *L);
static dfl_expr need_symbol(lua_State *L, const char *call, int i, const char *remedy);

static const luaL_Reg calls[] = {{"position", call_position},
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
    dfl_values_open(L);
    dfl_unknowns_open(L);
    dfl_lookups_open(L);
    dfl_signals_open(L);
    dfl_actions_open(L);
    dfl_fmus_open(L);
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
    dfl_script *script = dfl_script_of(L);
    if (!script->options.prescribe) {
        script->motion_line = script->motion_line ? script->motion_line : dfl_script_line(L);
        return 0;
    }
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
