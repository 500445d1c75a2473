/* unilateral_calls.c: rigid contacts: unilateral, stop. */
#include "script/element.h"

#include "drawing/drawing.h"
#include "script/arguments.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <stdio.h>

static int call_unilateral(lua_State *L);
static int call_stop(lua_State *L);

static const luaL_Reg calls[] = {{"unilateral", call_unilateral}, {"stop", call_stop}, {0}};

void dfl_unilaterals_open(lua_State *L)
{
    luaL_setfuncs(L, calls, 0);
}

static void check(lua_State *L, const dfl_element *e, dfl_status status)
{
    if (status == DFL_INVALID)
        dfl_script_error(L, "%s '%s': %s", e->call, e->name,
                         dfl_message(dfl_script_of(L)->model->ctx));
    dfl_script_check(L, status);
}

/* The option slip: one expression, or a list of two. */
static int read_slip(dfl_stroke along[2], lua_State *L, const dfl_element *e)
{
    int count = 0;
    if (lua_isnoneornil(L, 3))
        return 0;
    lua_getfield(L, 3, "slip");
    const int i = lua_gettop(L);
    const bool pair = dfl_element_is_pair(L, i);
    if (!lua_isnil(L, i))
        count = pair ? 2 : 1;
    for (int k = 0; k < count; k++)
        along[k] = (dfl_stroke){.kind = DFL_STROKE_EXPR,
                                .line = dfl_script_line(L),
                                .v = DFL_NO_EXPR,
                                .xd = pair ? dfl_element_pair(L, e, "slip", i, k + 1)
                                           : dfl_arg_expr(L, e->call, i)};
    lua_pop(L, 1);
    return count;
}

/* Friction of a contact: the coefficient `rough` and the directions of its slip belong together. */
static void read_friction(dfl_touch_law *law, dfl_stroke along[2], lua_State *L,
                          const dfl_element *e, bool rough)
{
    law->directions = read_slip(along, L, e);
    law->along = along;
    const bool slips = law->directions > 0;
    dfl_element_need(L, e, slips == rough, slips ? "the coefficient" : "the speed of slip",
                     slips ? "give friction = ..." : "give slip = ..., in m/s");
}

/* unilateral(name, gap, { restitution, friction, static, slip }): gap >= 0. */
static int call_unilateral(lua_State *L)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_element e = {.call = "unilateral", .joint = -1};
    dfl_stroke gap = {0}, along[2];
    dfl_touch_symbols s;
    bool rough = false;
    dfl_touch_law law = {.line = dfl_script_line(L),
                         .sticking = DFL_NO_EXPR,
                         .radius = dfl_constant(dfl_script_of(L)->model->graph, 1.0)};
    dfl_arg_count(L, "unilateral", 2, 3);
    e.name = law.name = dfl_arg_name(L, "unilateral", 1);
    law.gap = dfl_arg_expr(L, "unilateral", 2);
    const dfl_option options[] = {{"restitution", DFL_OPTION_EXPR, &law.restitution, NULL},
                                  {"friction", DFL_OPTION_EXPR, &law.kinetic, &rough},
                                  {"static", DFL_OPTION_EXPR, &law.sticking, NULL},
                                  {"slip", DFL_OPTION_OTHER, NULL, NULL}};
    dfl_read_options(L, "unilateral", e.name, 3, options, 4);
    dfl_sandbox_charge(L, 2e3);
    read_friction(&law, along, L, &e, rough);
    const bool slips = law.directions > 0;
    check(L, &e, dfl_stroke_expr(&gap, drawing, law.gap));
    check(L, &e, dfl_touch_add(&s, drawing, &law));
    const dfl_field fields[] = {{"gap", law.gap},
                                {"rate", gap.xd},
                                {"f", s.load},
                                {"mode", s.closed},
                                {"friction", slips ? s.total : 0},
                                {"margin", slips ? s.margin : 0},
                                {"sense", s.sense},
                                {"friction1", slips ? s.friction[0] : 0},
                                {"friction2", law.directions > 1 ? s.friction[1] : 0}};
    return dfl_element_push(L, e.name, fields, law.directions > 1 ? 9 : 7);
}

/* stop(name, joint or expression, { lower, upper, restitution, friction, static, slip }). */
static int call_stop(lua_State *L)
{
    dfl_graph *g = dfl_script_of(L)->model->graph;
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_element e = {.call = "stop", .joint = -1};
    dfl_stroke x = {0}, along[2];
    dfl_expr bound[2] = {DFL_NO_EXPR, DFL_NO_EXPR}, gap = 0, mode = 0, force = 0, rubbing = 0;
    bool rough = false;
    dfl_touch_law law = {
        .line = dfl_script_line(L), .sticking = DFL_NO_EXPR, .radius = dfl_constant(g, 1.0)};
    dfl_arg_count(L, "stop", 3, 3);
    e.name = dfl_arg_name(L, "stop", 1);
    if (luaL_testudata(L, 2, DFL_JOINT))
        check(L, &e, dfl_stroke_joint(&x, drawing, dfl_arg_joint(L, "stop", 2), 0));
    else
        check(L, &e, dfl_stroke_expr(&x, drawing, dfl_arg_expr(L, "stop", 2)));
    const dfl_option options[] = {{"lower", DFL_OPTION_EXPR, &bound[0], NULL},
                                  {"upper", DFL_OPTION_EXPR, &bound[1], NULL},
                                  {"restitution", DFL_OPTION_EXPR, &law.restitution, NULL},
                                  {"friction", DFL_OPTION_EXPR, &law.kinetic, &rough},
                                  {"static", DFL_OPTION_EXPR, &law.sticking, NULL},
                                  {"slip", DFL_OPTION_OTHER, NULL, NULL}};
    dfl_read_options(L, "stop", e.name, 3, options, 6);
    dfl_sandbox_charge(L, 2e3);
    dfl_element_need(L, &e, bound[0] != DFL_NO_EXPR || bound[1] != DFL_NO_EXPR, "a bound",
                     "give lower = ... or upper = ...");
    read_friction(&law, along, L, &e, rough);
    for (int k = 0; k < 2; k++) {
        char name[128];
        dfl_touch_symbols s;
        if (bound[k] == DFL_NO_EXPR)
            continue;
        snprintf(name, sizeof name, "%s.%s", e.name, k ? "upper" : "lower");
        const dfl_expr distance = k ? dfl_sub(g, bound[1], x.x) : dfl_sub(g, x.x, bound[0]);
        law.name = name;
        law.gap = distance;
        check(L, &e, dfl_touch_add(&s, drawing, &law));
        gap = mode == 0 ? distance : dfl_binary(g, DFL_OP_MIN, gap, distance);
        mode = dfl_add(g, mode, s.closed);
        force = k ? dfl_sub(g, force, s.load) : s.load;
        if (rough)
            rubbing = dfl_add(g, rubbing, s.total);
    }
    const dfl_field fields[] = {
        {"gap", gap}, {"rate", x.xd}, {"f", force}, {"mode", mode}, {"friction", rubbing}};
    return dfl_element_push(L, e.name, fields, 5);
}
