/* user_joint_calls.c: joint(name, A, B, {...}): joints given by a function.

   Explicit: pose = function(q1, ..., t) returns the shift of the point `at` and the turn of B, in
   axes of A. Implicit: residual = function(a, b, q1, ..., t) returns residuals of the poses of A
   and B, as in Arnold (2013), eq. (7): k(p_B, p_A, q, t) = 0. B then moves freely, and the
   residuals are constraints; the coordinates q are positions without mass, which these rows
   determine. */
#include "drawing/drawing.h"

#include "script/arguments.h"
#include "script/language.h"
#include "script/mechanism_calls.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COORDINATES = 6, LONGEST_LABEL = 120 };

/* What the script gives; strings live in Lua. */
typedef struct request {
    const char *name;
    char label[LONGEST_LABEL]; /* "joint 'NAME'", before messages */
    int a, b;
    dfl_vec at;
    bool at_given;
    int n;
    const char *names[MOST_COORDINATES];
    bool named;
} request;

static void read_request(request *req, lua_State *L, int table);
static void read_coordinates(request *req, lua_State *L, int table);
static int declare_explicit(lua_State *L, const request *req);
static void read_rotation(dfl_user_pose *pose, lua_State *L, const request *req, int i);
static void read_matrix(dfl_user_pose *pose, lua_State *L, const request *req, int i);
static void add_turn(dfl_user_pose *pose, lua_State *L, const request *req, dfl_vec axis,
                     dfl_expr angle);
static int declare_implicit(lua_State *L, const request *req);
static void push_pose(lua_State *L, const request *req, int body);
static dfl_expr result_expr(lua_State *L, const request *req, int i, const char *what);

int dfl_script_user_joint(lua_State *L)
{
    request req = {.n = 0};
    dfl_arg_count(L, "joint", 4, 4);
    req.name = dfl_arg_name(L, "joint", 1);
    snprintf(req.label, sizeof req.label, "joint '%.100s'", req.name);
    req.a = dfl_arg_material(L, "joint", 2);
    req.b = dfl_arg_material(L, "joint", 3);
    dfl_arg_table(L, "joint", 4,
                  "give the options in braces: { at = ..., coordinates = ..., pose = ... }");
    read_request(&req, L, 4);
    lua_settop(L, 4);
    lua_getfield(L, 4, "pose");
    lua_getfield(L, 4, "residual");
    const bool explicit = lua_isfunction(L, 5), implicit = lua_isfunction(L, 6);
    if (explicit == implicit)
        return dfl_script_error(L,
                                "joint '%s': give one function: pose = function(q, t) for the pose "
                                "of %s, or residual = function(a, b, q, t) for equations between "
                                "the poses",
                                req.name, dfl_drawing_body_name(dfl_script_drawing(L), req.b));
    lua_remove(L, explicit ? 6 : 5); /* the function is at 5 */
    return explicit ? declare_explicit(L, &req) : declare_implicit(L, &req);
}

static void read_request(request *req, lua_State *L, int table)
{
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &req->at, &req->at_given},
                                  {"coordinates", DFL_OPTION_OTHER, NULL, NULL},
                                  {"pose", DFL_OPTION_OTHER, NULL, NULL},
                                  {"residual", DFL_OPTION_OTHER, NULL, NULL}};
    dfl_read_options(L, "joint", req->name, table, options, 4);
    if (!req->at_given)
        dfl_script_error(L, "%s: the point is missing; give at = {%s}", req->label,
                         dfl_drawing_is_planar(dfl_script_drawing(L)) ? "x, y" : "x, y, z");
    read_coordinates(req, L, table);
}

/* coordinates = n or {"name", ...} */
static void read_coordinates(request *req, lua_State *L, int table)
{
    lua_getfield(L, table, "coordinates");
    const int i = lua_gettop(L);
    if (lua_isinteger(L, i)) {
        const lua_Integer n = lua_tointeger(L, i);
        req->n = n >= 0 && n <= MOST_COORDINATES ? (int)n : -1;
    } else if (lua_istable(L, i)) {
        const lua_Unsigned n = lua_rawlen(L, i);
        req->n = n <= MOST_COORDINATES ? (int)n : -1;
        req->named = true;
        for (int k = 0; k < req->n; k++) {
            lua_rawgeti(L, i, k + 1);
            req->names[k] = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
            if (!req->names[k])
                dfl_script_error(L, "joint '%s': coordinate %d is %s; give names in quotes",
                                 req->name, k + 1, dfl_arg_kind(L, -1));
            lua_pop(L, 1); /* the table keeps the text */
        }
    } else if (!lua_isnil(L, i)) {
        req->n = -1;
    }
    if (req->n < 0)
        dfl_script_error(L,
                         "joint '%s': coordinates are a number from 0 to 6, or up to 6 names, such "
                         "as coordinates = {\"s\", \"phi\"}",
                         req->name);
    lua_pop(L, 1);
}

/* ------------------------------------------------------------------ explicit */

static int declare_explicit(lua_State *L, const request *req)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    const dfl_drawn_joint drawn = {.line = dfl_script_line(L),
                                   .name = req->name,
                                   .kind = DFL_JOINT_USER,
                                   .parent = req->a,
                                   .child = req->b,
                                   .at = req->at,
                                   .ncoordinates = req->n,
                                   .coordinate_names = req->named ? req->names : NULL};
    dfl_user_pose pose = {.nturns = 0};
    int joint = 0;
    dfl_sandbox_charge(L, 1e4);
    dfl_script_check(L, dfl_drawing_joint(&joint, drawing, &drawn));
    const dfl_joint_symbols symbols = dfl_drawing_joint_symbols(drawing, joint);
    luaL_checkstack(L, 20, "joint");
    lua_pushvalue(L, 5);
    for (int k = 0; k < req->n; k++)
        dfl_symbol_push(L, symbols.p[k]);
    dfl_symbol_push(L, dfl_symbol_expr(dfl_script_of(L)->model->graph, DFL_SYM_TIME, 0, "time"));
    lua_call(L, req->n + 1, 2); /* results at 6 and 7 */
    if (!lua_isnil(L, 6))
        pose.shift = dfl_read_vector(L, req->label, "the position that pose returns", 6, true);
    if (!lua_isnil(L, 7))
        read_rotation(&pose, L, req, 7);
    dfl_script_check(L, dfl_drawing_set_pose(drawing, joint, &pose));
    dfl_joint_push(L, joint);
    return 1;
}

/* An angle (plane), { axis = ..., angle = ... }, { angles = {x, y, z} }, or a matrix by rows. */
static void read_rotation(dfl_user_pose *pose, lua_State *L, const request *req, int i)
{
    dfl_graph *g = dfl_script_of(L)->model->graph;
    const bool planar = dfl_drawing_is_planar(dfl_script_drawing(L));
    const dfl_mat one = mat_identity(g);
    if (lua_type(L, i) == LUA_TNUMBER || luaL_testudata(L, i, DFL_SYMBOL)) {
        if (!planar)
            dfl_script_error(L,
                             "joint '%s': pose returns one angle; in space return { axis = {x, y, "
                             "z}, angle = ... }, { angles = {x, y, z} } or a matrix",
                             req->name);
        add_turn(pose, L, req, mat_row(one, 2), dfl_arg_expr(L, "joint", i));
        return;
    }
    if (lua_type(L, i) != LUA_TTABLE || planar)
        dfl_script_error(L, "joint '%s': the rotation that pose returns is %s; return %s",
                         req->name, dfl_arg_kind(L, i),
                         planar ? "an angle" : "{ axis = ..., angle = ... } or a matrix");
    lua_getfield(L, i, "axis");
    lua_getfield(L, i, "angle");
    lua_getfield(L, i, "angles");
    const int top = lua_gettop(L);
    if (!lua_isnil(L, top - 2)) {
        const dfl_vec axis = dfl_read_vector(L, req->label, "axis", top - 2, false);
        add_turn(pose, L, req, axis, result_expr(L, req, top - 1, "the angle"));
    } else if (!lua_isnil(L, top)) {
        const dfl_vec angles = dfl_read_vector(L, req->label, "angles", top, false);
        for (int k = 0; k < 3; k++)
            add_turn(pose, L, req, mat_row(one, k), angles.e[k]);
    } else {
        read_matrix(pose, L, req, i);
    }
}

static void read_matrix(dfl_user_pose *pose, lua_State *L, const request *req, int i)
{
    pose->matrix = true;
    if (lua_rawlen(L, i) != 3)
        dfl_script_error(L,
                         "joint '%s': the rotation that pose returns has %d entries; return three "
                         "rows of three numbers, { axis = ..., angle = ... } or { angles = ... }",
                         req->name, (int)lua_rawlen(L, i));
    for (int row = 0; row < 3; row++) {
        lua_rawgeti(L, i, row + 1);
        const dfl_vec entries =
            dfl_read_vector(L, req->label, "a row of the matrix", lua_gettop(L), false);
        memcpy(&pose->R.e[3 * row], entries.e, sizeof entries.e);
        lua_pop(L, 1);
    }
}

/* Nothing for an angle that is always 0. */
static void add_turn(dfl_user_pose *pose, lua_State *L, const request *req, dfl_vec axis,
                     dfl_expr angle)
{
    dfl_vec unit;
    dfl_script_check(L, dfl_drawing_direction(&unit, dfl_script_drawing(L), req->name, axis));
    if (angle == 0)
        return;
    pose->axis[pose->nturns] = unit;
    pose->angle[pose->nturns++] = angle;
}

/* ------------------------------------------------------------------ implicit */

static int declare_implicit(lua_State *L, const request *req)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_model *model = dfl_script_of(L)->model;
    int joint = -1;
    if (!dfl_drawing_is_hung(drawing, req->b)) {
        const dfl_drawn_joint drawn = {.line = dfl_script_line(L),
                                       .name = req->name,
                                       .kind = DFL_JOINT_FREE,
                                       .parent = req->a,
                                       .child = req->b,
                                       .at = req->at};
        dfl_script_check(L, dfl_drawing_joint(&joint, drawing, &drawn));
    }
    luaL_checkstack(L, 40, "joint");
    lua_pushvalue(L, 5);
    push_pose(L, req, req->a);
    push_pose(L, req, req->b);
    dfl_expr q[MOST_COORDINATES];
    for (int k = 0; k < req->n; k++) {
        const char *name = req->named ? lua_pushfstring(L, "%s.%s", req->name, req->names[k])
                                      : lua_pushfstring(L, "%s.u%d", req->name, k + 1);
        dfl_script_check(L, dfl_model_position(&q[k], model, dfl_script_line(L), name));
        lua_pop(L, 1);
        dfl_symbol_push(L, q[k]);
    }
    dfl_symbol_push(L, dfl_symbol_expr(model->graph, DFL_SYM_TIME, 0, "time"));
    lua_call(L, req->n + 3, LUA_MULTRET); /* results from 6 on */
    const int count = lua_gettop(L) - 5, most = dfl_drawing_is_planar(drawing) ? 3 : 6;
    if (count <= req->n || count > most + req->n)
        return dfl_script_error(L,
                                "joint '%s': residual returns %d values; return more than its %d "
                                "coordinates, and not more than %d",
                                req->name, count, req->n, most + req->n);
    for (int k = 0; k < count; k++) {
        const dfl_expr row = result_expr(L, req, 6 + k, "a residual");
        int number;
        const char *name = lua_pushfstring(L, "%s.%d", req->name, k + 1);
        dfl_script_check(L, dfl_model_constraint(&number, model, dfl_script_line(L), name, row));
        model->declarations.item[number].meaning = "a residual of the user";
        lua_pop(L, 1);
    }
    for (int k = 0; k < req->n; k++)
        dfl_symbol_push(L, q[k]);
    return req->n;
}

/* { x, y, z of the point `at`; R = rows of the rotation relative to the drawing } of a body, in the
   world. */
static void push_pose(lua_State *L, const request *req, int body)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_vec x;
    dfl_mat R;
    dfl_script_check(L, dfl_drawing_point(&x, drawing, body, req->at));
    dfl_script_check(L, dfl_drawing_rotation(&R, drawing, body));
    static const char *const axes[] = {"x", "y", "z"};
    lua_createtable(L, 0, 4);
    for (int i = 0; i < 3; i++) {
        dfl_symbol_push(L, x.e[i]);
        lua_setfield(L, -2, axes[i]);
    }
    lua_createtable(L, 3, 0);
    for (int i = 0; i < 3; i++) {
        lua_createtable(L, 3, 0);
        for (int k = 0; k < 3; k++) {
            dfl_symbol_push(L, R.e[3 * i + k]);
            lua_rawseti(L, -2, k + 1);
        }
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "R");
}

static dfl_expr result_expr(lua_State *L, const request *req, int i, const char *what)
{
    if (lua_type(L, i) != LUA_TNUMBER && !luaL_testudata(L, i, DFL_SYMBOL))
        dfl_script_error(L, "joint '%s': %s is %s; return a number or an expression", req->name,
                         what, dfl_arg_kind(L, i));
    return dfl_arg_expr(L, "joint", i);
}
