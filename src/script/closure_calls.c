/* closure_calls.c: the calls of the language that close mechanisms: gear, rack, thread, belt,
   coupling, drive; knife_edge, rolling_disk, rolling_ball. */
#include "drawing/drawing.h"

#include "script/arguments.h"
#include "script/language.h"
#include "script/mechanism_calls.h"
#include "script/symbol.h"

#include <lauxlib.h>

typedef dfl_status (*declare_pair_fn)(int *out, dfl_drawing *drawing, int line, const char *name,
                                      int a, int b, dfl_expr factor);

static int call_gear(lua_State *L);
static int call_rack(lua_State *L);
static int declare_pair(lua_State *L, const char *call, const char *option,
                        declare_pair_fn declare);
static int call_thread(lua_State *L);
static int call_belt(lua_State *L);
static int call_coupling(lua_State *L);
static int call_drive(lua_State *L);
static int call_knife_edge(lua_State *L);
static int call_rolling_disk(lua_State *L);
static int call_rolling_ball(lua_State *L);
static int call_rolling_wheel(lua_State *L);
static int declare_roller(lua_State *L, const char *call, bool ball);
static dfl_vec lateral_of(lua_State *L, const char *call, const char *name, dfl_vec direction,
                          bool given, dfl_vec normal);

static const luaL_Reg calls[] = {{"gear", call_gear},
                                 {"rack", call_rack},
                                 {"thread", call_thread},
                                 {"belt", call_belt},
                                 {"coupling", call_coupling},
                                 {"drive", call_drive},
                                 {"knife_edge", call_knife_edge},
                                 {"rolling_disk", call_rolling_disk},
                                 {"rolling_ball", call_rolling_ball},
                                 {"rolling_wheel", call_rolling_wheel},
                                 {"joint", dfl_script_user_joint},
                                 {"contact_curves", dfl_script_contact_curves},
                                 {"contact_surfaces", dfl_script_contact_surfaces},
                                 {"contact_wheel", dfl_script_contact_wheel},
                                 {0}};

void dfl_closures_open(lua_State *L)
{
    luaL_setfuncs(L, calls, 0);
}

/* gear(name, joint_a, joint_b, { ratio = ... }) */
static int call_gear(lua_State *L)
{
    return declare_pair(L, "gear", "ratio", dfl_drawing_gear);
}

/* rack(name, pinion, slide, { radius = ... }) */
static int call_rack(lua_State *L)
{
    return declare_pair(L, "rack", "radius", dfl_drawing_rack);
}

/* Two joints with one factor between their motions. */
static int declare_pair(lua_State *L, const char *call, const char *option, declare_pair_fn declare)
{
    dfl_expr factor = 0;
    int number = 0;
    dfl_arg_count(L, call, 4, 4);
    const char *name = dfl_arg_name(L, call, 1);
    const int a = dfl_arg_joint(L, call, 2), b = dfl_arg_joint(L, call, 3);
    const dfl_option options[] = {{option, DFL_OPTION_EXPR, &factor, NULL}};
    dfl_read_options(L, call, name, 4, options, 1);
    dfl_script_check(
        L, declare(&number, dfl_script_drawing(L), dfl_script_line(L), name, a, b, factor));
    return dfl_constraint_push(L, number);
}

/* thread(name, cylindrical joint, { lead = ... }) */
static int call_thread(lua_State *L)
{
    dfl_expr lead = 0;
    int number = 0;
    dfl_arg_count(L, "thread", 3, 3);
    const char *name = dfl_arg_name(L, "thread", 1);
    const int joint = dfl_arg_joint(L, "thread", 2);
    const dfl_option options[] = {{"lead", DFL_OPTION_EXPR, &lead, NULL}};
    dfl_read_options(L, "thread", name, 3, options, 1);
    dfl_script_check(L, dfl_drawing_thread(&number, dfl_script_drawing(L), dfl_script_line(L), name,
                                           joint, lead));
    return dfl_constraint_push(L, number);
}

/* belt(name, joint_a, joint_b, { radius_a, radius_b [, stiffness, damping] }) */
static int call_belt(lua_State *L)
{
    dfl_expr radius_a = 0, radius_b = 0, stiffness = 0, damping = 0;
    bool elastic = false, damped = false;
    int number = 0;
    dfl_arg_count(L, "belt", 4, 4);
    const char *name = dfl_arg_name(L, "belt", 1);
    const int a = dfl_arg_joint(L, "belt", 2), b = dfl_arg_joint(L, "belt", 3);
    const dfl_option options[] = {{"radius_a", DFL_OPTION_EXPR, &radius_a, NULL},
                                  {"radius_b", DFL_OPTION_EXPR, &radius_b, NULL},
                                  {"stiffness", DFL_OPTION_EXPR, &stiffness, &elastic},
                                  {"damping", DFL_OPTION_EXPR, &damping, &damped}};
    dfl_read_options(L, "belt", name, 4, options, 4);
    dfl_drawing *drawing = dfl_script_drawing(L);
    if (elastic) {
        dfl_script_check(L, dfl_drawing_elastic_belt(drawing, dfl_script_line(L), name, a, b,
                                                     radius_a, radius_b, stiffness, damping));
        return 0;
    }
    if (damped)
        dfl_script_error(L,
                         "belt '%s': damping without stiffness; give both, or none for a rigid "
                         "belt",
                         name);
    dfl_script_check(
        L, dfl_drawing_belt(&number, drawing, dfl_script_line(L), name, a, b, radius_a, radius_b));
    return dfl_constraint_push(L, number);
}

/* coupling(name, expr): 0 = expr of coordinates and time. */
static int call_coupling(lua_State *L)
{
    int number = 0;
    dfl_arg_count(L, "coupling", 2, 2);
    const char *name = dfl_arg_name(L, "coupling", 1);
    const dfl_expr row = dfl_arg_expr(L, "coupling", 2);
    dfl_script_check(
        L, dfl_model_constraint(&number, dfl_script_of(L)->model, dfl_script_line(L), name, row));
    return dfl_constraint_push(L, number);
}

/* drive(name, joint, motion) */
static int call_drive(lua_State *L)
{
    int number = 0;
    dfl_arg_count(L, "drive", 3, 3);
    const char *name = dfl_arg_name(L, "drive", 1);
    const int joint = dfl_arg_joint(L, "drive", 2);
    const dfl_expr motion = dfl_arg_expr(L, "drive", 3);
    dfl_script_check(L, dfl_drawing_drive(&number, dfl_script_drawing(L), dfl_script_line(L), name,
                                          joint, motion));
    return dfl_constraint_push(L, number);
}

/* knife_edge(name, body, { at, lateral }) or { at, direction [, normal] } */
static int call_knife_edge(lua_State *L)
{
    const dfl_expr one = dfl_constant(dfl_script_of(L)->model->graph, 1.0);
    dfl_vec at = vec_zero(), lateral = vec_zero(), direction = vec_zero(), normal = {{0, 0, one}};
    bool sideways = false, along = false;
    int number = 0;
    dfl_arg_count(L, "knife_edge", 3, 3);
    const char *name = dfl_arg_name(L, "knife_edge", 1);
    const int body = dfl_arg_material(L, "knife_edge", 2);
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &at, NULL},
                                  {"lateral", DFL_OPTION_AXIS, &lateral, &sideways},
                                  {"direction", DFL_OPTION_AXIS, &direction, &along},
                                  {"normal", DFL_OPTION_AXIS, &normal, NULL}};
    dfl_read_options(L, "knife_edge", name, 3, options, 4);
    if (!sideways)
        lateral = lateral_of(L, "knife_edge", name, direction, along, normal);
    dfl_script_check(L, dfl_drawing_knife_edge(&number, dfl_script_drawing(L), dfl_script_line(L),
                                               name, body, at, lateral));
    return dfl_constraint_push(L, number);
}

/* normal x direction */
static dfl_vec lateral_of(lua_State *L, const char *call, const char *name, dfl_vec direction,
                          bool given, dfl_vec normal)
{
    if (!given)
        dfl_script_error(L,
                         "%s '%s': the direction is missing; give direction = {x, y, z}, along "
                         "which it moves, or lateral, along which it does not",
                         call, name);
    return vec_cross(dfl_script_of(L)->model->graph, normal, direction);
}

/* rolling_wheel(name, body, { at, direction, radius, spin }): an upright wheel seen from above; it
   neither slides sideways nor slips. */
static int call_rolling_wheel(lua_State *L)
{
    dfl_graph *g = dfl_script_of(L)->model->graph;
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_vec at = vec_zero(), direction = vec_zero(), normal = {{0, 0, dfl_constant(g, 1.0)}};
    dfl_expr radius = 0, spin = 0;
    bool along = false;
    int number = 0;
    dfl_arg_count(L, "rolling_wheel", 3, 3);
    const char *name = dfl_arg_name(L, "rolling_wheel", 1);
    const int body = dfl_arg_material(L, "rolling_wheel", 2);
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &at, NULL},
                                  {"direction", DFL_OPTION_AXIS, &direction, &along},
                                  {"normal", DFL_OPTION_AXIS, &normal, NULL},
                                  {"radius", DFL_OPTION_EXPR, &radius, NULL},
                                  {"spin", DFL_OPTION_EXPR, &spin, NULL}};
    dfl_read_options(L, "rolling_wheel", name, 3, options, 5);
    const dfl_vec lateral = lateral_of(L, "rolling_wheel", name, direction, along, normal);
    const char *side = lua_pushfstring(L, "%s.side", name);
    const char *roll = lua_pushfstring(L, "%s.roll", name);
    dfl_script_check(
        L, dfl_drawing_knife_edge(&number, drawing, dfl_script_line(L), side, body, at, lateral));
    dfl_constraint_push(L, number);
    dfl_script_check(L, dfl_drawing_wheel_spin(&number, drawing, dfl_script_line(L), roll, body, at,
                                               direction, radius, spin));
    dfl_constraint_push(L, number);
    dfl_script_check(L, dfl_drawing_show(drawing, &(dfl_sight){.line = dfl_script_line(L),
                                                               .kind = DFL_SEE_WHEEL,
                                                               .name = name,
                                                               .a = body,
                                                               .at = at,
                                                               .axis = direction,
                                                               .axis2 = normal,
                                                               .radius = radius}));
    return 2;
}

static int call_rolling_disk(lua_State *L)
{
    return declare_roller(L, "rolling_disk", false);
}

static int call_rolling_ball(lua_State *L)
{
    return declare_roller(L, "rolling_ball", true);
}

/* rolling_disk(name, body, { at, axis, radius [, normal, point, on, slips] }) */
static int declare_roller(lua_State *L, const char *call, bool ball)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    const dfl_expr one = dfl_constant(dfl_script_of(L)->model->graph, 1.0);
    const bool planar = dfl_drawing_is_planar(drawing);
    bool at = false, axis = false;
    int number = 0;
    dfl_arg_count(L, call, 3, 3);
    dfl_drawn_roller roller = {.line = dfl_script_line(L),
                               .name = dfl_arg_name(L, call, 1),
                               .body = dfl_arg_material(L, call, 2),
                               .on = DFL_GROUND,
                               .normal = {{0, planar ? one : 0, planar ? 0 : one}}};
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &roller.at, &at},
                                  {"radius", DFL_OPTION_EXPR, &roller.radius, NULL},
                                  {"normal", DFL_OPTION_AXIS, &roller.normal, NULL},
                                  {"point", DFL_OPTION_POINT, &roller.point, NULL},
                                  {"on", DFL_OPTION_BODY, &roller.on, NULL},
                                  {"slips", DFL_OPTION_FLAG, &roller.slips, NULL},
                                  {"axis", DFL_OPTION_AXIS, &roller.axis, &axis}};
    dfl_read_options(L, call, roller.name, 3, options, ball ? 6 : 7);
    if (!at)
        dfl_script_error(L, "%s '%s': the centre is missing; give at = {%s}", call, roller.name,
                         planar ? "x, y" : "x, y, z");
    if (!ball && !axis && !planar)
        dfl_script_error(L, "%s '%s': the axis is missing; give axis = {x, y, z}", call,
                         roller.name);
    dfl_script_check(L, dfl_drawing_roller(&number, drawing, &roller));
    return dfl_constraint_push(L, number);
}
