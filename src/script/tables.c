/* tables.c: the calls of the language that take tables: starting values, settings of the run.

   Tables are read in a fixed order of their keys, so that equal scripts give equal models and
   messages. */
#include "script/language.h"

#include "script/arguments.h"
#include "script/order.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <string.h>

enum { LONGEST_WORD = 40 };

static int start_values(lua_State *L, const char *call, bool held);
static dfl_expr start_symbol(lua_State *L, const char *call);
static void check_not_driven(lua_State *L, const char *call, dfl_expr expr);
static void check_name_not_driven(lua_State *L, const char *call, const char *name);
static void driven_error(lua_State *L, const char *call, int joint);
static int unknown_variable(lua_State *L, const char *call, const char *name);
static const char *coordinate_of_rate(lua_State *L, const char *name);
static const char *joint_coordinate(lua_State *L, const char *name);
static int find_setting(lua_State *L, const char *key);
static void set_number(lua_State *L, const dfl_setting *setting, int number);
static void set_text(lua_State *L, const dfl_setting *setting, int number);

int dfl_script_initial(lua_State *L)
{
    return start_values(L, "initial", true);
}

int dfl_script_guess(lua_State *L)
{
    return start_values(L, "guess", false);
}

int dfl_script_simulate(lua_State *L)
{
    dfl_arg_count(L, "simulate", 1, 1);
    dfl_arg_table(L, "simulate", 1, "write simulate{ to = 10 }");
    dfl_script_of(L)->model->run_line = dfl_script_line(L);
    lua_Integer place = 0;
    for (const char *key; (key = dfl_next_option(L, "simulate", 1, &place));) {
        const int number = find_setting(L, key);
        const dfl_setting *setting = dfl_setting_at(number);
        if (setting->kind == DFL_SETTING_WORD || setting->kind == DFL_SETTING_TEXT)
            set_text(L, setting, number);
        else
            set_number(L, setting, number);
    }
    return 0;
}

static int start_values(lua_State *L, const char *call, bool held)
{
    dfl_model *model = dfl_script_of(L)->model;
    dfl_arg_count(L, call, 1, 1);
    dfl_arg_table(L, call, 1, "write it with braces and names: { x = 1, [\"der(x)\"] = 0 }");
    dfl_push_sorted_keys(L, 1);
    const lua_Integer n = (lua_Integer)lua_rawlen(L, 2);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_settop(L, 2);
        lua_rawgeti(L, 2, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, 1); /* stack: table, keys, key, value */
        const dfl_expr symbol = start_symbol(L, call);
        double value;
        dfl_expr from;
        if (!dfl_value_from(&value, &from, L, 4))
            return dfl_script_error(
                L, "%s: the value of %s is %s; give a number, or an expression of parameters", call,
                dfl_value_text(L, 3), dfl_arg_kind(L, 4));
        const dfl_status status = dfl_model_start(model, dfl_script_line(L), symbol, value, held);
        if (status == DFL_INVALID)
            return dfl_script_error(L, "%s: %s", call, dfl_message(model->ctx));
        dfl_script_check(L, status);
        dfl_model_start_from(model, symbol, from);
    }
    return 0;
}

/* The symbol that the key in place 3 means. */
static dfl_expr start_symbol(lua_State *L, const char *call)
{
    const dfl_expr *symbol = luaL_testudata(L, 3, DFL_SYMBOL);
    if (symbol) {
        check_not_driven(L, call, *symbol);
        return *symbol;
    }
    if (lua_type(L, 3) != LUA_TSTRING)
        dfl_script_error(L, "%s: a value without a name; write name = value", call);
    const char *name = lua_tostring(L, 3);
    const dfl_expr named = dfl_model_variable_named(dfl_script_of(L)->model, name);
    if (named == DFL_NO_EXPR) {
        check_name_not_driven(L, call, name);
        unknown_variable(L, call, name);
    }
    return named;
}

/* j.q and j.qd of a joint with a prescribed motion are the motion and its rate, not variables. */
static void check_not_driven(lua_State *L, const char *call, dfl_expr expr)
{
    const dfl_script *script = dfl_script_of(L);
    if (dfl_model_owner(script->model, expr))
        return;
    for (int i = 0; script->drawing && i < dfl_drawing_njoints(script->drawing); i++) {
        const dfl_joint_symbols s = dfl_drawing_joint_symbols(script->drawing, i);
        if (s.motion != DFL_NO_EXPR && (expr == s.motion || expr == s.motion_rate))
            driven_error(L, call, i);
    }
}

/* The same for j, j.q, j.qd and der(j.q). */
static void check_name_not_driven(lua_State *L, const char *call, const char *name)
{
    static const char *const forms[] = {"%s", "%s.q", "%s.qd", "der(%s.q)"};
    const dfl_script *script = dfl_script_of(L);
    for (int i = 0; script->drawing && i < dfl_drawing_njoints(script->drawing); i++)
        for (int k = 0; k < 4; k++) {
            const char *joint = dfl_drawing_joint_name(script->drawing, i);
            const char *form = lua_pushfstring(L, forms[k], joint);
            const bool same = strcmp(name, form) == 0;
            lua_pop(L, 1);
            if (same && dfl_drawing_joint_symbols(script->drawing, i).motion != DFL_NO_EXPR)
                driven_error(L, call, i);
        }
}

static void driven_error(lua_State *L, const char *call, int joint)
{
    const dfl_drawing *drawing = dfl_script_of(L)->drawing;
    dfl_script_error(
        L,
        "%s: the motion of joint '%s' (line %d) prescribes its position and speed, also at the "
        "start; leave out the value, make the motion begin with it, or leave out the motion",
        call, dfl_drawing_joint_name(drawing, joint), dfl_drawing_joint_line(drawing, joint));
}

/* Says why `name` is not a variable. */
static int unknown_variable(lua_State *L, const char *call, const char *name)
{
    enum {
        VARIABLES = 1 << DFL_A_POSITION | 1 << DFL_A_SPEED | 1 << DFL_A_DYNAMIC |
                    1 << DFL_AN_AUXILIARY | 1 << DFL_A_CONTACT
    };
    const dfl_model *model = dfl_script_of(L)->model;
    const dfl_declaration *d = dfl_model_find(model, name);
    if (d && (d->kind == DFL_A_CONSTRAINT || d->kind == DFL_A_NONHOLONOMIC))
        return dfl_script_error(L, "%s: '%s' is a constraint; its multiplier is [\"%s(%s)\"]", call,
                                name, d->kind == DFL_A_CONSTRAINT ? "lambda" : "mu", name);
    if (d)
        return dfl_script_error(L,
                                "%s: '%s' is not a variable; starting values are for coordinates, "
                                "velocities, multipliers and other unknowns",
                                call, name);
    const char *open = strchr(name, '(');
    const size_t length = strlen(name);
    if (!open || name[length - 1] != ')') {
        const char *q = coordinate_of_rate(L, name), *nearest = joint_coordinate(L, name);
        if (q)
            return dfl_script_error(L, "%s: there is no variable '%s'; its name is [\"der(%s)\"]",
                                    call, name, q);
        if (!nearest)
            nearest = dfl_model_nearest(model, name, VARIABLES);
        return dfl_script_error(L, "%s: there is no variable '%s'%s%s%s", call, name,
                                nearest ? "; did you mean '" : "", nearest ? nearest : "",
                                nearest ? "'?" : "; declare it first");
    }
    const char *prefix = lua_pushlstring(L, name, (size_t)(open - name));
    const char *inner = lua_pushlstring(L, open + 1, length - (size_t)(open + 1 - name) - 1);
    const unsigned kinds = strcmp(prefix, "lambda") == 0 ? 1u << DFL_A_CONSTRAINT
                           : strcmp(prefix, "mu") == 0   ? 1u << DFL_A_NONHOLONOMIC
                                                         : 1u << DFL_A_POSITION;
    d = dfl_model_find(model, inner);
    if (d && d->kind == DFL_A_POSITION && strcmp(prefix, "der") == 0)
        return dfl_script_error(L,
                                "%s: '%s' follows from the kinematics of %s; give the starting "
                                "values of the speeds",
                                call, name, inner);
    const char *nearest = joint_coordinate(L, inner);
    if (!nearest)
        nearest = dfl_model_nearest(model, inner, kinds);
    return dfl_script_error(
        L, "%s: there is no variable '%s'%s%s%s%s%s", call, name, nearest ? "; did you mean '" : "",
        nearest ? prefix : "", nearest ? "(" : "", nearest ? nearest : "",
        nearest ? ")'?" : "; there are names such as x, der(x), lambda(c), mu(c)");
}

/* "j.q1" of "j.qd1", or NULL. */
static const char *coordinate_of_rate(lua_State *L, const char *name)
{
    const char *rate = strstr(name, ".qd");
    if (!rate)
        return NULL;
    const char *before = lua_pushlstring(L, name, (size_t)(rate - name));
    const char *coordinate = lua_pushfstring(L, "%s.q%s", before, rate + 3);
    return dfl_model_find(dfl_script_of(L)->model, coordinate) ? coordinate : NULL;
}

/* The first coordinate of the joint `name`, or NULL. */
static const char *joint_coordinate(lua_State *L, const char *name)
{
    static const char *const endings[] = {"q", "q1"};
    for (int i = 0; i < 2; i++) {
        const char *coordinate = lua_pushfstring(L, "%s.%s", name, endings[i]);
        if (dfl_model_find(dfl_script_of(L)->model, coordinate))
            return coordinate;
    }
    return NULL;
}

/* The number of a setting that scripts may give. */
static int find_setting(lua_State *L, const char *key)
{
    const char *words[DFL_MOST_SETTINGS];
    int count = 0;
    for (int i = 0; i < dfl_settings_count(); i++) {
        const dfl_setting *setting = dfl_setting_at(i);
        if (!(setting->where & DFL_FOR_SCRIPT))
            continue;
        if (!strcmp(key, setting->name))
            return i;
        words[count++] = setting->name;
    }
    return dfl_arg_unknown(L, "simulate", "setting", key, words, count);
}

/* Stores the number or flag on top of the stack. */
static void set_number(lua_State *L, const dfl_setting *setting, int number)
{
    dfl_model *model = dfl_script_of(L)->model;
    const bool flag = setting->kind == DFL_SETTING_FLAG;
    double value = lua_toboolean(L, -1);
    dfl_expr from = DFL_NO_EXPR;
    if (flag ? !lua_isboolean(L, -1) : !dfl_value_from(&value, &from, L, lua_gettop(L)))
        dfl_script_error(L, "simulate: %s is %s; give %s", setting->name, dfl_arg_kind(L, -1),
                         flag ? "true or false" : "a number, or an expression of parameters");
    if (dfl_choose_number(&model->run, model->ctx, number, value))
        dfl_script_error(L, "%s", dfl_message(model->ctx));
    model->run_from[number] = from == DFL_NO_EXPR ? 0 : from;
}

/* Stores the text on top of the stack. */
static void set_text(lua_State *L, const dfl_setting *setting, int number)
{
    dfl_model *model = dfl_script_of(L)->model;
    if (lua_type(L, -1) != LUA_TSTRING || lua_rawlen(L, -1) > LONGEST_WORD)
        dfl_script_error(L, "simulate: %s is %s; give a name in quotes, such as \"%s\"",
                         setting->name,
                         lua_type(L, -1) == LUA_TSTRING ? "too long" : dfl_arg_kind(L, -1),
                         setting->words ? setting->words[0] : setting->value);
    char *copy = dfl_copy_string(model->ctx, lua_tostring(L, -1));
    if (!copy)
        dfl_script_check(L, DFL_NO_MEMORY);
    dfl_free(model->ctx, (void *)model->run.text[number]);
    model->run.text[number] = copy;
}

/* The sorted keys follow the table's place on the stack. */
const char *dfl_next_option(lua_State *L, const char *call, int table, lua_Integer *i)
{
    const int keys = table + 1;
    lua_settop(L, *i == 0 ? table : keys);
    if (*i == 0)
        dfl_push_sorted_keys(L, table);
    if (lua_rawgeti(L, keys, ++*i) == LUA_TNIL)
        return NULL;
    if (lua_type(L, -1) != LUA_TSTRING)
        dfl_script_error(L, "%s: a value without a name; write name = value", call);
    lua_pushvalue(L, -1);
    lua_rawget(L, table);
    return lua_tostring(L, -2);
}
