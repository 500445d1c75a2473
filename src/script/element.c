/* element.c: what the calls of force elements share. */
#include "script/element.h"

#include "drawing/drawing.h"
#include "script/arguments.h"
#include "script/library.h"
#include "script/lookup.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <string.h>

enum { MOST_OPTIONS = 20 };

dfl_element dfl_element_begin(lua_State *L, const char *call)
{
    dfl_element e = {.call = call, .joint = -1};
    const int n = dfl_arg_count(L, call, 2, 4);
    e.name = dfl_arg_name(L, call, 1);
    luaL_checkstack(L, 20, call);
    dfl_sandbox_charge(L, 2e3);
    if (luaL_testudata(L, 2, DFL_JOINT)) {
        e.joint = dfl_arg_joint(L, call, 2);
        e.options = 3;
        if (n > 3)
            dfl_script_error(L, "%s '%s': only options may follow a joint", call, e.name);
        return e;
    }
    e.a = dfl_element_end(L, call, 2, &e.from, &e.from_given);
    e.b = dfl_element_end(L, call, 3, &e.to, &e.to_given);
    e.options = 4;
    return e;
}

int dfl_element_end(lua_State *L, const char *call, int i, dfl_vec *at, bool *given)
{
    const dfl_body_point *point = luaL_testudata(L, i, DFL_BODY_POINT);
    if (point) {
        *at = point->at;
        *given = true;
        return point->body;
    }
    if (!luaL_testudata(L, i, DFL_BODY))
        return dfl_arg_error(L, call, i,
                             i == 2 ? "give a joint, a body, ground, or a point of a body"
                                    : "give a body, ground, or a point of a body");
    return dfl_arg_body(L, call, i);
}

void dfl_element_options(dfl_element *e, lua_State *L, const dfl_option *own, int count)
{
    const bool from_known = e->from_given, to_known = e->to_given;
    const dfl_vec from = e->from, to = e->to;
    dfl_expr coordinate = 0;
    dfl_option all[MOST_OPTIONS];
    int n = 0;
    for (; n < count; n++)
        all[n] = own[n];
    if (e->joint < 0) {
        all[n++] = (dfl_option){"from", DFL_OPTION_POINT, &e->from, &e->from_given};
        all[n++] = (dfl_option){"to", DFL_OPTION_POINT, &e->to, &e->to_given};
        all[n++] = (dfl_option){"axis", DFL_OPTION_AXIS, &e->axis, &e->axis_given};
        all[n++] = (dfl_option){"delta", DFL_OPTION_EXPR, &e->delta, &e->delta_given};
    } else {
        all[n++] = (dfl_option){"coordinate", DFL_OPTION_EXPR, &coordinate, &e->coordinate_given};
    }
    dfl_read_options(L, e->call, e->name, e->options, all, n);
    if ((from_known && memcmp(&from, &e->from, sizeof from) != 0) ||
        (to_known && memcmp(&to, &e->to, sizeof to) != 0))
        dfl_script_error(L, "%s '%s': a point of a body is given already; leave out from and to",
                         e->call, e->name);
    e->coordinate = 1;
    if (e->coordinate_given)
        dfl_script_check(L, dfl_model_value(&e->coordinate, dfl_script_of(L)->model, coordinate));
}

dfl_stroke dfl_element_stroke(const dfl_element *e, lua_State *L)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_stroke stroke = {0};
    dfl_status status;
    if (e->joint >= 0) {
        status = dfl_stroke_joint(&stroke, drawing, e->joint, (int)e->coordinate - 1);
    } else if (e->axis_given) {
        status = dfl_stroke_turn(&stroke, drawing, e->a, e->b, e->axis);
    } else {
        const bool planar = dfl_drawing_is_planar(drawing);
        dfl_element_need(L, e, e->from_given, "the point of the first body",
                         planar ? "give from = {x, y}" : "give from = {x, y, z}");
        dfl_element_need(L, e, e->to_given, "the point of the second body",
                         planar ? "give to = {x, y}" : "give to = {x, y, z}");
        status = dfl_stroke_line(&stroke, drawing, e->a, e->b, e->from, e->to, e->delta);
        if (!status && stroke.drawn == 0)
            dfl_script_error(L,
                             "%s '%s': its ends meet in the drawing, where no direction is known; "
                             "give other points, or delta = 0.001",
                             e->call, e->name);
    }
    if (status == DFL_INVALID)
        dfl_script_error(L, "%s '%s': %s", e->call, e->name, dfl_message(dfl_script_of(L)->ctx));
    dfl_script_check(L, status);
    stroke.line = dfl_script_line(L);
    if (stroke.kind == DFL_STROKE_LINE)
        dfl_script_check(L, dfl_drawing_show(drawing, &(dfl_sight){.line = stroke.line,
                                                                   .kind = DFL_SEE_SPRING,
                                                                   .name = e->name,
                                                                   .a = e->a,
                                                                   .b = e->b,
                                                                   .at = e->from,
                                                                   .to = e->to}));
    return stroke;
}

void dfl_element_need(lua_State *L, const dfl_element *e, bool given, const char *what,
                      const char *remedy)
{
    if (!given)
        dfl_script_error(L, "%s '%s': %s is missing; %s", e->call, e->name, what, remedy);
}

dfl_expr dfl_element_law(lua_State *L, const dfl_element *e, const char *key,
                         const dfl_stroke *stroke)
{
    if (!lua_istable(L, e->options))
        return DFL_NO_EXPR;
    lua_pushstring(L, key);
    if (lua_rawget(L, e->options) == LUA_TNIL) {
        lua_pop(L, 1);
        return DFL_NO_EXPR;
    }
    const bool spline = dfl_is_lookup(L, -1);
    if (lua_isfunction(L, -1) || spline) {
        dfl_symbol_push(L, stroke->x);
        if (!spline)
            dfl_symbol_push(L, stroke->xd);
        lua_call(L, spline ? 1 : 2, 1);
    }
    const dfl_expr *symbol = luaL_testudata(L, -1, DFL_SYMBOL);
    if (!symbol && lua_type(L, -1) != LUA_TNUMBER)
        dfl_script_error(L,
                         "%s '%s': %s is %s; give an expression, a function that returns one, or "
                         "a spline",
                         e->call, e->name, key, dfl_arg_kind(L, -1));
    const dfl_expr law = symbol ? *symbol : dfl_arg_expr(L, e->call, lua_gettop(L));
    lua_pop(L, 1);
    return law;
}

int dfl_element_push(lua_State *L, const char *name, const dfl_field *fields, int count)
{
    lua_createtable(L, 0, count);
    for (int i = 0; i < count; i++) {
        dfl_symbol_push(L, fields[i].expr);
        lua_setfield(L, -2, fields[i].name);
    }
    dfl_library_protect(L, name);
    return 1;
}

/* -------------------------------------------------------------------------- pairs */

bool dfl_element_is_pair(lua_State *L, int i)
{
    return lua_type(L, i) == LUA_TTABLE && lua_rawlen(L, i) > 0;
}

dfl_expr dfl_element_pair(lua_State *L, const dfl_element *e, const char *what, int i, int k)
{
    if (lua_rawlen(L, i) != 2)
        dfl_script_error(L, "%s '%s': %s: a list of %d; give one expression, or two in a list",
                         e->call, e->name, what, (int)lua_rawlen(L, i));
    lua_rawgeti(L, i, k);
    const dfl_expr *symbol = luaL_testudata(L, -1, DFL_SYMBOL);
    if (!symbol)
        dfl_script_error(L, "%s '%s': %s: item %d is no expression", e->call, e->name, what, k);
    const dfl_expr out = *symbol;
    lua_pop(L, 1);
    return out;
}
