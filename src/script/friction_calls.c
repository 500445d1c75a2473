/* friction_calls.c: the call of dry friction: along a stroke, an expression of positions, two of
   them, or on a surface. With `speed` it is smooth; else it sticks. */
#include "script/element.h"

#include "script/arguments.h"
#include "script/symbol.h"

#include <lauxlib.h>

/* What the options say. */
typedef struct rubbing {
    dfl_expr load, coefficient, sticking, speed, radius;
    dfl_vec normal;
    bool load_given, on_plane, smooth;
} rubbing;

static int call_friction(lua_State *L);
static int add_sticking(lua_State *L, const dfl_element *e, const rubbing *r,
                        const dfl_stroke *stroke);
static int add_smooth(lua_State *L, const dfl_element *e, const rubbing *r,
                      const dfl_stroke *stroke);
static int add_pair(lua_State *L, const dfl_element *e, const rubbing *r);
static int add_on_plane(lua_State *L, const dfl_element *e, const rubbing *r);
static dfl_stroke stroke_of(lua_State *L, const dfl_element *e, dfl_expr x);

static const luaL_Reg calls[] = {{"friction", call_friction}, {0}};

void dfl_frictions_open(lua_State *L)
{
    luaL_setfuncs(L, calls, 0);
}

static dfl_graph *graph_of(lua_State *L)
{
    return dfl_script_of(L)->model->graph;
}

static void check(lua_State *L, const dfl_element *e, dfl_status status)
{
    if (status == DFL_INVALID)
        dfl_script_error(L, "%s '%s': %s", e->call, e->name, dfl_message(dfl_script_of(L)->ctx));
    dfl_script_check(L, status);
}

static int call_friction(lua_State *L)
{
    dfl_graph *g = graph_of(L);
    const bool pair = dfl_element_is_pair(L, 2);
    const bool expression = luaL_testudata(L, 2, DFL_SYMBOL) != NULL;
    dfl_element e = {.call = "friction", .joint = -1};
    if (!expression && !pair)
        e = dfl_element_begin(L, "friction");
    else
        e.name = dfl_arg_name(L, "friction", 1);
    rubbing r = {.coefficient = dfl_constant(g, 1.0),
                 .sticking = DFL_NO_EXPR,
                 .speed = dfl_constant(g, 0.01),
                 .radius = dfl_constant(g, 1.0)};
    const dfl_option options[] = {{"load", DFL_OPTION_EXPR, &r.load, &r.load_given},
                                  {"coefficient", DFL_OPTION_EXPR, &r.coefficient, NULL},
                                  {"static", DFL_OPTION_EXPR, &r.sticking, NULL},
                                  {"speed", DFL_OPTION_EXPR, &r.speed, &r.smooth},
                                  {"radius", DFL_OPTION_EXPR, &r.radius, NULL},
                                  {"normal", DFL_OPTION_AXIS, &r.normal, &r.on_plane}};
    if (expression || pair)
        dfl_read_options(L, "friction", e.name, 3, options, 5);
    else
        dfl_element_options(&e, L, options, e.joint < 0 ? 6 : 5);
    dfl_element_need(L, &e, r.load_given, "the normal force", "give load = ..., in N");
    if (pair)
        return add_pair(L, &e, &r);
    if (r.on_plane)
        return add_on_plane(L, &e, &r);
    dfl_stroke stroke =
        expression ? stroke_of(L, &e, dfl_arg_expr(L, "friction", 2)) : dfl_element_stroke(&e, L);
    stroke.line = dfl_script_line(L);
    return r.smooth ? add_smooth(L, &e, &r, &stroke) : add_sticking(L, &e, &r, &stroke);
}

/* Of an expression of positions. */
static dfl_stroke stroke_of(lua_State *L, const dfl_element *e, dfl_expr x)
{
    dfl_stroke stroke = {0};
    if (dfl_depends(graph_of(L), x, DFL_SYM_V))
        dfl_script_error(L,
                         "friction '%s': the expression contains velocities; give one of "
                         "positions, such as a.q - b.q",
                         e->name);
    check(L, e, dfl_stroke_expr(&stroke, dfl_script_drawing(L), x));
    stroke.line = dfl_script_line(L);
    return stroke;
}

static dfl_expr grip_of(lua_State *L, const rubbing *r)
{
    return dfl_unary(graph_of(L), DFL_OP_ABS, dfl_mul(graph_of(L), r->coefficient, r->load));
}

static int add_smooth(lua_State *L, const dfl_element *e, const rubbing *r,
                      const dfl_stroke *stroke)
{
    dfl_graph *g = graph_of(L);
    const bool line = stroke->kind == DFL_STROKE_LINE;
    const dfl_expr F = dfl_neg(g, dfl_mul(g, dfl_mul(g, r->radius, grip_of(L, r)),
                                          dfl_smooth_sign(g, stroke->xd, r->speed)));
    check(L, e, dfl_stroke_push(dfl_script_drawing(L), stroke, F, false));
    const dfl_field fields[] = {{line ? "l" : "q", stroke->x},
                                {line ? "ld" : "qd", stroke->xd},
                                {"f", F},
                                {"power", dfl_mul(g, F, stroke->xd)}};
    return dfl_element_push(L, e->name, fields, 4);
}

static dfl_touch_symbols touch(lua_State *L, const dfl_element *e, const rubbing *r,
                               const dfl_stroke *along, int directions)
{
    dfl_touch_symbols s;
    const dfl_touch_law law = {.line = dfl_script_line(L),
                               .name = e->name,
                               .gap = DFL_NO_EXPR,
                               .directions = directions,
                               .along = along,
                               .load = r->load,
                               .kinetic = r->coefficient,
                               .sticking = r->sticking,
                               .radius = r->radius};
    check(L, e, dfl_touch_add(&s, dfl_script_drawing(L), &law));
    return s;
}

static int add_sticking(lua_State *L, const dfl_element *e, const rubbing *r,
                        const dfl_stroke *stroke)
{
    const dfl_touch_symbols s = touch(L, e, r, stroke, 1);
    const dfl_expr f = s.friction[0];
    const dfl_field fields[] = {
        {"q", stroke->x},  {"v", stroke->xd},    {"f", f},
        {"mode", s.sense}, {"margin", s.margin}, {"power", dfl_mul(graph_of(L), f, stroke->xd)}};
    return dfl_element_push(L, e->name, fields, 6);
}

/* Two directions that are expressions of positions. */
static int add_pair(lua_State *L, const dfl_element *e, const rubbing *r)
{
    dfl_stroke along[2];
    if (r->smooth)
        return dfl_script_error(L,
                                "friction '%s': speed belongs to one direction; leave it out, or "
                                "give bodies and a normal",
                                e->name);
    for (int k = 0; k < 2; k++)
        along[k] = stroke_of(L, e, dfl_element_pair(L, e, "the directions", 2, k + 1));
    dfl_graph *g = graph_of(L);
    const dfl_touch_symbols s = touch(L, e, r, along, 2);
    const dfl_expr power =
        dfl_add(g, dfl_mul(g, s.friction[0], along[0].xd), dfl_mul(g, s.friction[1], along[1].xd));
    const dfl_field fields[] = {{"f", s.total},       {"f1", s.friction[0]}, {"f2", s.friction[1]},
                                {"v1", along[0].xd},  {"v2", along[1].xd},   {"mode", s.sense},
                                {"margin", s.margin}, {"power", power}};
    return dfl_element_push(L, e->name, fields, 8);
}

static int add_on_plane(lua_State *L, const dfl_element *e, const rubbing *r)
{
    dfl_graph *g = graph_of(L);
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_surface surface;
    dfl_vec f, v;
    dfl_element_need(L, e, e->to_given, "the point of the second body", "give to = {x, y, z}");
    if (r->smooth) {
        check(L, e,
              dfl_slip(&f, &v, drawing, e->a, e->b, e->to, r->normal, grip_of(L, r), r->speed));
        const dfl_field fields[] = {{"fx", f.e[0]}, {"fy", f.e[1]}, {"fz", f.e[2]},
                                    {"vx", v.e[0]}, {"vy", v.e[1]}, {"vz", v.e[2]}};
        return dfl_element_push(L, e->name, fields, 6);
    }
    check(L, e,
          dfl_surface_slip(&surface, drawing, dfl_script_line(L), e->a, e->b, e->to, r->normal));
    const dfl_touch_symbols s = touch(L, e, r, surface.along, surface.directions);
    check(L, e, dfl_touch_transmits(drawing, &s, vec_zero(), &surface));
    const bool two = surface.directions == 2;
    const dfl_expr slip[2] = {surface.along[0].xd, two ? surface.along[1].xd : 0};
    const dfl_expr power = dfl_add(g, dfl_mul(g, s.friction[0], slip[0]),
                                   two ? dfl_mul(g, s.friction[1], slip[1]) : 0);
    f = dfl_surface_vector(g, &surface, s.friction);
    v = dfl_surface_vector(g, &surface, slip);
    const dfl_field fields[] = {
        {"fx", f.e[0]}, {"fy", f.e[1]}, {"fz", f.e[2]},    {"vx", v.e[0]},       {"vy", v.e[1]},
        {"vz", v.e[2]}, {"f", s.total}, {"mode", s.sense}, {"margin", s.margin}, {"power", power}};
    return dfl_element_push(L, e->name, fields, 10);
}
