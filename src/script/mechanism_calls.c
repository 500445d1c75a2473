/* mechanism_calls.c: the calls of the language that draw mechanisms: gravity, planar, body, joints,
   point, frame.

   Handles are userdata with the number of the body or joint; their fields are expressions. */
#include "script/mechanism_calls.h"

#include "context/context.h"
#include "drawing/drawing.h"
#include "script/arguments.h"
#include "script/language.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_FIELD = 16 };

static int call_gravity(lua_State *L);
static int call_planar(lua_State *L);
static int call_body(lua_State *L);
static int call_joint(lua_State *L);
static void check_given(lua_State *L, const dfl_drawn_joint *joint, bool at, bool axis);
static int call_point(lua_State *L);
static int call_frame(lua_State *L);
static void push_handle(lua_State *L, const char *kind, int number);
static void push_point(lua_State *L, const dfl_body_point *point);
static int joint_field(lua_State *L);
static bool joint_symbol(dfl_expr *out, lua_State *L, int joint, const char *field);
static int point_field(lua_State *L);
static bool push_elastic_field(lua_State *L, int body, const char *field);
static int body_field(lua_State *L);
static int handle_text(lua_State *L);
static int set_field(lua_State *L);

static const luaL_Reg calls[] = {{"gravity", call_gravity}, {"planar", call_planar},
                                 {"body", call_body},       {"point", call_point},
                                 {"frame", call_frame},     {0}};

void dfl_mechanism_open(lua_State *L)
{
    luaL_setfuncs(L, calls, 0);
    for (int kind = 0; kind < DFL_JOINT_KINDS; kind++) {
        lua_pushinteger(L, kind);
        lua_pushcclosure(L, call_joint, 1);
        lua_setfield(L, -2, dfl_joint_types[kind].name);
    }
    static const struct {
        const char *name;
        lua_CFunction index;
    } kinds[] = {{DFL_BODY, body_field}, {DFL_JOINT, joint_field}, {DFL_BODY_POINT, point_field}};
    for (int i = 0; i < 3; i++) {
        luaL_newmetatable(L, kinds[i].name);
        const luaL_Reg methods[] = {{"__index", kinds[i].index},
                                    {"__newindex", set_field},
                                    {"__tostring", handle_text},
                                    {0}};
        luaL_setfuncs(L, methods, 0);
        lua_pop(L, 1);
    }
    push_handle(L, DFL_BODY, DFL_GROUND);
    lua_setfield(L, -2, "ground");
}

dfl_drawing *dfl_script_drawing(lua_State *L)
{
    dfl_script *script = dfl_script_of(L);
    if (!script->drawing)
        dfl_script_check(L, dfl_drawing_create(&script->drawing, script->model));
    return script->drawing;
}

int dfl_arg_body(lua_State *L, const char *call, int i)
{
    const int *body = luaL_testudata(L, i, DFL_BODY);
    const dfl_body_point *point = luaL_testudata(L, i, DFL_BODY_POINT);
    if (point && dfl_drawing_is_elastic(dfl_script_drawing(L), point->body))
        return point->body; /* a node */
    if (!body)
        return dfl_arg_error(L, call, i, "give a body, or ground");
    return *body;
}

int dfl_arg_material(lua_State *L, const char *call, int i)
{
    const int body = dfl_arg_body(L, call, i);
    const dfl_drawing *drawing = dfl_script_drawing(L);
    if (dfl_drawing_is_elastic_frame(drawing, body))
        return dfl_arg_error(L, call, i,
                             "the body is elastic, and its frame of reference is no point of it; "
                             "give one of its nodes, such as rod.mid");
    return body;
}

int dfl_arg_joint(lua_State *L, const char *call, int i)
{
    const int *joint = luaL_testudata(L, i, DFL_JOINT);
    if (!joint)
        return dfl_arg_error(L, call, i, "give a joint");
    return *joint;
}

static int call_gravity(lua_State *L)
{
    dfl_arg_count(L, "gravity", 1, 1);
    dfl_arg_table(L, "gravity", 1, "write gravity{0, -9.81, 0}");
    const dfl_vec gravity = dfl_read_vector(L, "gravity", "it", 1, true);
    dfl_script_check(L,
                     dfl_drawing_set_gravity(dfl_script_drawing(L), dfl_script_line(L), gravity));
    return 0;
}

static int call_planar(lua_State *L)
{
    dfl_arg_count(L, "planar", 0, 0);
    dfl_script_check(L, dfl_drawing_set_planar(dfl_script_drawing(L)));
    return 0;
}

static int call_body(lua_State *L)
{
    dfl_arg_count(L, "body", 1, 2);
    dfl_drawn_body body = {.line = dfl_script_line(L), .name = dfl_arg_name(L, "body", 1)};
    bool com = false;
    dfl_body_point frame = {.at = {{0}}};
    const dfl_option options[] = {{"mass", DFL_OPTION_EXPR, &body.mass, NULL},
                                  {"com", DFL_OPTION_POINT, &body.com, &com},
                                  {"inertia", DFL_OPTION_INERTIA, &body.inertia, NULL},
                                  {"frame", DFL_OPTION_FRAME, &frame, &body.framed},
                                  {"quasistatic", DFL_OPTION_FLAG, &body.quasistatic, NULL},
                                  {"hidden", DFL_OPTION_FLAG, &body.hidden, NULL},
                                  {"color", DFL_OPTION_OTHER, NULL, NULL},
                                  {"shape", DFL_OPTION_OTHER, NULL, NULL}};
    dfl_read_options(L, "body", body.name, 2, options, sizeof options / sizeof *options);
    body.com_missing = !com;
    body.frame_at = frame.at;
    body.frame_axis = frame.axis;
    body.frame_axis2 = frame.axis2;
    body.color = dfl_draw_color(L, body.name, 2);
    int number = 0;
    dfl_sandbox_charge(L, 1e3);
    dfl_script_check(L, dfl_drawing_body(&number, dfl_script_drawing(L), &body));
    push_handle(L, DFL_BODY, number);
    if (!body.hidden)
        dfl_draw_body(L, body.name, 2);
    return 1;
}

/* KIND(name, bodyA, bodyB, {options}) */
static int call_joint(lua_State *L)
{
    dfl_drawn_joint joint = {.line = dfl_script_line(L),
                             .kind = (dfl_joint_kind)lua_tointeger(L, lua_upvalueindex(1))};
    const char *call = dfl_joint_types[joint.kind].name;
    dfl_arg_count(L, call, 3, 4);
    joint.name = dfl_arg_name(L, call, 1);
    joint.parent = dfl_arg_body(L, call, 2);
    joint.child = dfl_arg_body(L, call, 3);
    bool at = false, axis = false, lead = false, at_b = false, axis_b = false, axis2_b = false;
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &joint.at, &at},
                                  {"axis", DFL_OPTION_AXIS, &joint.axis, &axis},
                                  {"axis2", DFL_OPTION_AXIS, &joint.axis2, NULL},
                                  {"cut", DFL_OPTION_FLAG, &joint.cut, NULL},
                                  {"at_b", DFL_OPTION_POINT, &joint.at_b, &at_b},
                                  {"axis_b", DFL_OPTION_AXIS, &joint.axis_b, &axis_b},
                                  {"axis2_b", DFL_OPTION_AXIS, &joint.axis2_b, &axis2_b},
                                  {"motion", DFL_OPTION_EXPR, &joint.motion, &joint.driven},
                                  {"lead", DFL_OPTION_EXPR, &joint.lead, &lead},
                                  {"length", DFL_OPTION_EXPR, &joint.length, NULL},
                                  {"tolerance", DFL_OPTION_EXPR, &joint.tolerance, NULL}};
    dfl_read_options(L, call, joint.name, 4, options, sizeof options / sizeof *options);
    check_given(L, &joint, at, axis);
    if (joint.kind == DFL_JOINT_SCREW && !lead)
        dfl_script_error(L, "screw '%s': the lead is missing; give lead = METRES_PER_RADIAN",
                         joint.name);
    joint.apart = at_b || axis_b || axis2_b;
    joint.at_b = at_b ? joint.at_b : joint.at;
    joint.axis_b = axis_b ? joint.axis_b : joint.axis;
    joint.axis2_b = axis2_b ? joint.axis2_b : joint.axis2;
    int number = 0;
    dfl_sandbox_charge(L, 2e3);
    dfl_script_check(L, dfl_drawing_joint(&number, dfl_script_drawing(L), &joint));
    push_handle(L, DFL_JOINT, number);
    return 1;
}

/* Options that a kind needs or does not know. */
static void check_given(lua_State *L, const dfl_drawn_joint *joint, bool at, bool axis)
{
    const char *call = dfl_joint_types[joint->kind].name;
    const bool planar = dfl_drawing_is_planar(dfl_script_drawing(L));
    const bool needs_at = dfl_joint_types[joint->kind].point != DFL_POINT_UNUSED;
    if (!at && needs_at)
        dfl_script_error(L, "%s '%s': the point is missing; give at = {%s}", call, joint->name,
                         planar ? "x, y" : "x, y, z");
    if (!axis && dfl_joint_needs_axis(joint->kind, planar))
        dfl_script_error(L, "%s '%s': the axis is missing; give axis = {%s}", call, joint->name,
                         planar ? "x, y" : "x, y, z");
    if (joint->lead && joint->kind != DFL_JOINT_SCREW)
        dfl_script_error(L, "%s '%s': only a screw has a lead", call, joint->name);
    if (joint->length && joint->kind != DFL_JOINT_DISTANCE)
        dfl_script_error(L, "%s '%s': only a distance has a length", call, joint->name);
}

/* point(body, {x, y, z}): a point of the drawing that moves with the body. */
static int call_point(lua_State *L)
{
    dfl_arg_count(L, "point", 2, 2);
    int body = dfl_arg_body(L, "point", 1);
    dfl_sandbox_charge(L, 2e3);
    const dfl_vec at = dfl_read_vector(L, "point", "it", 2, true);
    dfl_script_check(L, dfl_drawing_need_node(&body, dfl_script_drawing(L), "point", "of it", at));
    push_point(L, &(dfl_body_point){.body = body, .at = at});
    return 1;
}

/* frame(name, body, {at = ..., axis = ..., axis2 = ...}): a point with a name and axes. */
static int call_frame(lua_State *L)
{
    dfl_body_point frame = {.at = {{0}}};
    dfl_arg_count(L, "frame", 2, 3);
    const char *name = dfl_arg_name(L, "frame", 1);
    frame.body = dfl_arg_material(L, "frame", 2);
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &frame.at, NULL},
                                  {"axis", DFL_OPTION_AXIS, &frame.axis, NULL},
                                  {"axis2", DFL_OPTION_AXIS, &frame.axis2, NULL}};
    dfl_read_options(L, "frame", name, 3, options, 3);
    dfl_sandbox_charge(L, 2e3);
    dfl_script_check(L, dfl_drawing_frame(dfl_script_drawing(L), dfl_script_line(L), name,
                                          frame.body, frame.at, frame.axis, frame.axis2));
    push_point(L, &frame);
    return 1;
}

static void push_handle(lua_State *L, const char *kind, int number)
{
    int *handle = lua_newuserdatauv(L, sizeof *handle, 0);
    *handle = number;
    luaL_setmetatable(L, kind);
}

void dfl_body_push(lua_State *L, int body)
{
    push_handle(L, DFL_BODY, body);
}

void dfl_joint_push(lua_State *L, int joint)
{
    push_handle(L, DFL_JOINT, joint);
}

static void push_point(lua_State *L, const dfl_body_point *point)
{
    dfl_body_point *handle = lua_newuserdatauv(L, sizeof *handle, 0);
    *handle = *point;
    luaL_setmetatable(L, DFL_BODY_POINT);
}

/* -------------------------------------------------------------------------- fields of handles */

static int joint_field(lua_State *L)
{
    const int joint = *(int *)lua_touserdata(L, 1);
    const dfl_drawing *drawing = dfl_script_drawing(L);
    const dfl_joint_symbols s = dfl_drawing_joint_symbols(drawing, joint);
    const char *name = dfl_drawing_joint_name(drawing, joint);
    const char *field = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    dfl_expr symbol;
    if (joint_symbol(&symbol, L, joint, field)) {
        dfl_symbol_push(L, symbol);
        return 1;
    }
    if (s.loop)
        return dfl_script_error(L,
                                "joint '%s' closes a loop and has no '%s': its second body is the "
                                "ground or already hangs on another joint; only the joint on which "
                                "a body hangs as the second body has coordinates",
                                name, field);
    if (s.np == 0 && s.motion == DFL_NO_EXPR)
        return dfl_script_error(L, "joint '%s' has no '%s': it is fixed", name, field);
    if (s.np <= 1)
        return dfl_script_error(L, "joint '%s' has no '%s'; there are q and qd", name, field);
    return dfl_script_error(L, "joint '%s' has no '%s'; there are q1 to q%d and qd1 to qd%d", name,
                            field, s.np, s.nv);
}

/* fx to mz, drive; q, qd; q1, qd1, ...; of speeds also w1, v1, ...; lambda, lambda1, ... of
   loops. */
static bool joint_symbol(dfl_expr *out, lua_State *L, int joint, const char *field)
{
    for (int k = 0; k < DFL_REACTIONS; k++)
        if (strcmp(field, dfl_reaction_names[k]) == 0) {
            dfl_script_check(L, dfl_drawing_reaction(out, dfl_script_drawing(L), joint, k));
            return true;
        }
    const dfl_joint_symbols s = dfl_drawing_joint_symbols(dfl_script_drawing(L), joint);
    char wanted[LONGEST_FIELD];
    for (int i = 0; i < (s.np ? s.np : s.motion != DFL_NO_EXPR); i++) {
        snprintf(wanted, sizeof wanted, s.np > 1 ? "q%d" : "q", i + 1);
        *out = s.np ? s.p[i] : s.motion;
        if (strcmp(field, wanted) == 0)
            return true;
    }
    for (int i = 0; i < (s.np ? s.nv : s.motion != DFL_NO_EXPR); i++) {
        snprintf(wanted, sizeof wanted, s.np > 1 ? "qd%d" : "qd", i + 1);
        *out = s.np ? s.v[i] : s.motion_rate;
        if (strcmp(field, wanted) == 0)
            return true;
        snprintf(wanted, sizeof wanted, "%c%d", i < 3 ? 'w' : 'v', i % 3 + 1);
        if (s.speeds && strcmp(field, wanted) == 0)
            return true;
    }
    const char *name = dfl_drawing_joint_name(dfl_script_drawing(L), joint);
    const dfl_declaration *own =
        dfl_model_find(dfl_script_of(L)->model, lua_pushfstring(L, "%s.%s", name, field));
    if (own && (own->kind == DFL_A_POSITION || own->kind == DFL_A_CONTACT)) {
        *out = own->symbol; /* a coordinate that the user named, or the angle of a loop */
        return true;
    }
    if (!s.loop || strncmp(field, "lambda", 6) != 0)
        return false;
    const char *row = field[6] ? lua_pushfstring(L, "%s.%s", name, field + 6) : name;
    const dfl_declaration *d = dfl_model_find(dfl_script_of(L)->model, row);
    *out = d && d->kind == DFL_A_CONSTRAINT ? d->symbol : DFL_NO_EXPR;
    return *out != DFL_NO_EXPR;
}

static int point_field(lua_State *L)
{
    const dfl_body_point *point = lua_touserdata(L, 1);
    const char *field = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    dfl_symbol_push(L, dfl_motion_field(L, point, field));
    return 1;
}

/* A node of an elastic body; q1, qd1, ... */
static bool push_elastic_field(lua_State *L, int body, const char *field)
{
    const dfl_drawing *drawing = dfl_script_drawing(L);
    const int node = dfl_drawing_node(drawing, body, field);
    char wanted[LONGEST_FIELD];
    dfl_expr q, v;
    if (node >= 0) {
        push_point(L, &(dfl_body_point){.body = node, .at = dfl_drawing_node_point(drawing, node)});
        return true;
    }
    for (int k = 0; dfl_drawing_elastic_coordinate(&q, &v, drawing, body, k); k++) {
        snprintf(wanted, sizeof wanted, "q%d", k + 1);
        const bool position = strcmp(field, wanted) == 0;
        snprintf(wanted, sizeof wanted, "qd%d", k + 1);
        if (position || strcmp(field, wanted) == 0) {
            dfl_symbol_push(L, position ? q : v);
            return true;
        }
    }
    return false;
}

/* The message has the nodes that there are. */
static int refuse_node(lua_State *L, int body, const char *field)
{
    dfl_text list = {.ctx = dfl_script_of(L)->ctx};
    const dfl_status status = dfl_drawing_list_nodes(&list, dfl_script_drawing(L), body);
    lua_pushstring(L, dfl_text_string(&list)); /* kept by Lua */
    dfl_text_clear(&list);
    dfl_script_check(L, status);
    return dfl_script_error(L, "this elastic body has no node '%s'; its nodes: %s", field,
                            *lua_tostring(L, -1) ? lua_tostring(L, -1) : "none");
}

static int body_field(lua_State *L)
{
    static const char *const words[] = {"wx", "wy", "wz", "angle"};
    const int body = *(int *)lua_touserdata(L, 1);
    const char *field = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_vec omega = {{0}};
    dfl_expr angle = 0;
    int k = 0;
    if (dfl_drawing_is_elastic(drawing, body) && push_elastic_field(L, body, field))
        return 1;
    while (k < 4 && strcmp(field, words[k]) != 0)
        k++;
    if (k == 4 && dfl_drawing_is_elastic_frame(drawing, body))
        return refuse_node(L, body, field);
    if (k == 4)
        return dfl_script_error(L,
                                "a body has no '%s'; there are wx, wy, wz, in plane models angle, "
                                "and point(body, {x, y, z}) for its points",
                                field);
    dfl_script_check(L, k < 3 ? dfl_drawing_omega(&omega, drawing, body)
                              : dfl_drawing_angle(&angle, drawing, body));
    dfl_symbol_push(L, k < 3 ? omega.e[k] : angle);
    return 1;
}

static int handle_text(lua_State *L)
{
    const int *number = luaL_testudata(L, 1, DFL_BODY);
    const dfl_drawing *drawing = dfl_script_drawing(L);
    if (number)
        lua_pushfstring(L, "body %s", dfl_drawing_body_name(drawing, *number));
    else if ((number = luaL_testudata(L, 1, DFL_JOINT)))
        lua_pushfstring(L, "joint %s", dfl_drawing_joint_name(drawing, *number));
    else
        lua_pushstring(L, "point of a body");
    return 1;
}

/* HANDLE.field = value */
static int set_field(lua_State *L)
{
    lua_pushcfunction(L, handle_text);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return dfl_script_error(
        L,
        "%s: its fields cannot be assigned; starting values go into initial{} or "
        "guess{}, motions into drive",
        lua_tostring(L, -1));
}
