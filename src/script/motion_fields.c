/* motion_fields.c: how points of bodies move and what joints transmit, as symbols and as
   outputs. */
#include "script/mechanism_calls.h"

#include "drawing/drawing.h"
#include "script/arguments.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <string.h>

/* What a field is part of. */
typedef enum quantity {
    POSITION,
    VELOCITY,
    ACCELERATION,
    ROTATION,
    SPIN,
    SPIN_RATE,
    ANGLE,
    QUANTITIES
} quantity;

static const char *const quantity_names[QUANTITIES] = {
    "position", "velocity", "acceleration", "rotation", "spin", "spin_rate", "angle"};

static const struct {
    const char *name;
    quantity of;
    int component;
} fields[] = {{"x", POSITION, 0},      {"y", POSITION, 1},      {"z", POSITION, 2},
              {"vx", VELOCITY, 0},     {"vy", VELOCITY, 1},     {"vz", VELOCITY, 2},
              {"ax", ACCELERATION, 0}, {"ay", ACCELERATION, 1}, {"az", ACCELERATION, 2},
              {"q0", ROTATION, 0},     {"q1", ROTATION, 1},     {"q2", ROTATION, 2},
              {"q3", ROTATION, 3},     {"wx", SPIN, 0},         {"wy", SPIN, 1},
              {"wz", SPIN, 2},         {"alx", SPIN_RATE, 0},   {"aly", SPIN_RATE, 1},
              {"alz", SPIN_RATE, 2},   {"angle", ANGLE, 0}};
enum { FIELDS = sizeof fields / sizeof *fields };

static dfl_status evaluate(dfl_expr out[4], dfl_drawing *drawing, const dfl_body_point *point,
                           quantity of);
static void add_output(lua_State *L, const char *name, const char *field, dfl_expr expr,
                       const char *unit);
static void output_reactions(lua_State *L, const char *name, int joint);
static void output_quantity(lua_State *L, const char *name, const dfl_body_point *point,
                            quantity of);
static quantity quantity_named(lua_State *L, const char *word);

dfl_expr dfl_motion_field(lua_State *L, const dfl_body_point *point, const char *field)
{
    const char *words[FIELDS];
    dfl_expr out[4] = {0};
    int k = 0;
    while (k < FIELDS && strcmp(field, fields[k].name) != 0)
        k++;
    for (int i = 0; i < FIELDS; i++)
        words[i] = fields[i].name;
    if (k == FIELDS)
        dfl_arg_unknown(L, "point", "field", field, words, FIELDS);
    dfl_script_check(L, evaluate(out, dfl_script_drawing(L), point, fields[k].of));
    return out[fields[k].component];
}

static dfl_status evaluate(dfl_expr out[4], dfl_drawing *drawing, const dfl_body_point *point,
                           quantity of)
{
    dfl_vec value = {{0}}, other = {{0}};
    dfl_status status = DFL_OK;
    switch (of) {
    case POSITION:
        status = dfl_drawing_point(&value, drawing, point->body, point->at);
        break;
    case VELOCITY:
        status = dfl_drawing_velocity(&value, drawing, point->body, point->at);
        break;
    case ACCELERATION:
        status = dfl_drawing_acceleration(&other, &value, drawing, point->body, point->at, false);
        break;
    case SPIN:
        status = dfl_drawing_omega(&value, drawing, point->body);
        break;
    case SPIN_RATE:
        status = dfl_drawing_acceleration(&value, &other, drawing, point->body, point->at, false);
        break;
    case ROTATION:
        return dfl_drawing_quaternion(out, drawing, point->body, point->axis, point->axis2);
    default:
        return dfl_drawing_angle(out, drawing, point->body);
    }
    memcpy(out, value.e, sizeof value.e);
    return status;
}

/* -------------------------------------------------------------------------- outputs */

int dfl_motion_output(lua_State *L)
{
    const int n = dfl_arg_count(L, "output", 2, 2 + QUANTITIES);
    const char *name = dfl_arg_name(L, "output", 1);
    const dfl_body_point *point = luaL_testudata(L, 2, DFL_BODY_POINT);
    luaL_checkstack(L, 20, "output");
    dfl_sandbox_charge(L, 2e3);
    if (!point) {
        if (n > 2)
            return dfl_script_error(L, "output '%s': nothing may follow a joint", name);
        output_reactions(L, name, dfl_arg_joint(L, "output", 2));
        return 0;
    }
    for (int i = 3; i <= n; i++)
        quantity_named(L, dfl_arg_string(L, "output", i, "give a word such as \"velocity\""));
    if (n == 2)
        output_quantity(L, name, point, POSITION);
    for (int i = 3; i <= n; i++)
        output_quantity(L, name, point, quantity_named(L, lua_tostring(L, i)));
    return 0;
}

static quantity quantity_named(lua_State *L, const char *word)
{
    for (int i = 0; i < QUANTITIES; i++)
        if (strcmp(word, quantity_names[i]) == 0)
            return (quantity)i;
    return (quantity)dfl_arg_unknown(L, "output", "quantity", word, quantity_names, QUANTITIES);
}

/* In a plane model what is always zero is left out. */
static void output_reactions(lua_State *L, const char *name, int joint)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    const bool planar = dfl_drawing_is_planar(drawing);
    for (int k = 0; k < 6; k++) {
        dfl_expr symbol = 0;
        if (planar && k != 0 && k != 1 && k != 5)
            continue;
        dfl_script_check(L, dfl_drawing_reaction(&symbol, drawing, joint, k));
        add_output(L, name, dfl_reaction_names[k], symbol, k < 3 ? "N" : "N m");
    }
}

static void output_quantity(lua_State *L, const char *name, const dfl_body_point *point,
                            quantity of)
{
    const bool planar = dfl_drawing_is_planar(dfl_script_drawing(L));
    const bool turns = of == SPIN || of == SPIN_RATE;
    static const char *const units[QUANTITIES] = {
        [POSITION] = "m",        [VELOCITY] = "m/s", [ACCELERATION] = "m/s^2", [SPIN] = "rad/s",
        [SPIN_RATE] = "rad/s^2", [ROTATION] = "",    [ANGLE] = "rad"};
    dfl_expr out[4] = {0};
    dfl_script_check(L, evaluate(out, dfl_script_drawing(L), point, of));
    for (int k = 0; k < FIELDS; k++) {
        const bool along_z = fields[k].component == 2;
        if (fields[k].of == of && (!planar || of >= ANGLE || of == ROTATION || along_z == turns))
            add_output(L, name, fields[k].name, out[fields[k].component], units[of]);
    }
}

static void add_output(lua_State *L, const char *name, const char *field, dfl_expr expr,
                       const char *unit)
{
    dfl_model *model = dfl_script_of(L)->model;
    const char *full = lua_pushfstring(L, "%s.%s", name, field);
    dfl_script_check(L, dfl_model_output(model, dfl_script_line(L), full, expr));
    dfl_script_check(
        L, dfl_model_unit(model, &model->declarations.item[model->declarations.count - 1], unit));
    lua_pop(L, 1);
}
