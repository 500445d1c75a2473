/* load_calls.c: the calls of elements that act on bodies in several directions: wrench, bushing,
   impact, attraction. */
#include "script/element.h"

#include "drawing/drawing.h"
#include "script/arguments.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <string.h>

static int call_wrench(lua_State *L);
static int call_bushing(lua_State *L);
static void note_compliances(lua_State *L, const dfl_element *e, const dfl_bushing *b,
                             const dfl_bushing_symbols *s);
static void need_damping(lua_State *L, const dfl_element *e, const dfl_bushing *bushing);
static int call_impact(lua_State *L);
static int add_rigid(lua_State *L, const dfl_element *e, const dfl_impact *impact,
                     dfl_expr restitution, dfl_expr sticking);
static int call_attraction(lua_State *L);
static dfl_element begin(lua_State *L, const char *call, dfl_vec *at, bool *at_given);
static void check(lua_State *L, const dfl_element *e, dfl_status status);
static int vector_fields(dfl_field *fields, dfl_vec a, dfl_vec b, const char *const names[6]);

static const luaL_Reg calls[] = {{"wrench", call_wrench},
                                 {"bushing", call_bushing},
                                 {"impact", call_impact},
                                 {"attraction", call_attraction},
                                 {0}};

static const char *const wrench_names[6] = {"fx", "fy", "fz", "tx", "ty", "tz"};

void dfl_loads_open(lua_State *L)
{
    luaL_setfuncs(L, calls, 0);
}

/* CALL(name, A, B, {options}); the point may be that of the second body. */
static dfl_element begin(lua_State *L, const char *call, dfl_vec *at, bool *at_given)
{
    dfl_element e = {.call = call, .joint = -1, .options = 4};
    dfl_vec unused;
    bool none = false;
    dfl_arg_count(L, call, 3, 4);
    e.name = dfl_arg_name(L, call, 1);
    luaL_checkstack(L, 20, call);
    dfl_sandbox_charge(L, 2e3);
    e.a = dfl_element_end(L, call, 2, &unused, &none);
    e.b = dfl_element_end(L, call, 3, at, at_given);
    return e;
}

static void check(lua_State *L, const dfl_element *e, dfl_status status)
{
    if (status == DFL_INVALID)
        dfl_script_error(L, "%s '%s': %s", e->call, e->name, dfl_message(dfl_script_of(L)->ctx));
    dfl_script_check(L, status);
}

static int vector_fields(dfl_field *fields, dfl_vec a, dfl_vec b, const char *const names[6])
{
    for (int i = 0; i < 6; i++)
        fields[i] = (dfl_field){names[i], i < 3 ? a.e[i] : b.e[i - 3]};
    return 6;
}

/* In a plane model a torque is one number, about z. */
static int call_wrench(lua_State *L)
{
    dfl_vec at, force = vec_zero(), torque = vec_zero();
    bool at_given = false, f = false, t = false, body_axes = false;
    const dfl_element e = begin(L, "wrench", &at, &at_given);
    const bool planar = dfl_drawing_is_planar(dfl_script_drawing(L));
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &at, &at_given},
                                  {"force", DFL_OPTION_POINT, &force, &f},
                                  {"torque", planar ? DFL_OPTION_EXPR : DFL_OPTION_POINT,
                                   planar ? (void *)&torque.e[2] : &torque, &t},
                                  {"body_axes", DFL_OPTION_FLAG, &body_axes, NULL}};
    dfl_read_options(L, "wrench", e.name, 4, options, 4);
    dfl_element_need(L, &e, f || t, "force or torque", "give force = {x, y, z}, in N");
    dfl_element_need(L, &e, !f || at_given, "the point",
                     planar ? "give at = {x, y}" : "give at = {x, y, z}");
    if (body_axes) {
        const dfl_body_point *frame = luaL_testudata(L, 3, DFL_BODY_POINT);
        const dfl_vec z = frame ? frame->axis : vec_zero(), x = frame ? frame->axis2 : vec_zero();
        check(L, &e, dfl_load_turn(&force, dfl_script_drawing(L), e.b, z, x));
        check(L, &e, dfl_load_turn(&torque, dfl_script_drawing(L), e.b, z, x));
    }
    check(L, &e,
          dfl_load(dfl_script_drawing(L), e.a, e.b, at_given ? at : vec_zero(), force, torque));
    dfl_field fields[6];
    return dfl_element_push(L, e.name, fields, vector_fields(fields, force, torque, wrench_names));
}

static int call_bushing(lua_State *L)
{
    bool at_given = false;
    dfl_bushing b = {.a = 0};
    const dfl_element e = begin(L, "bushing", &b.at, &at_given);
    dfl_bushing_symbols s;
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &b.at, &at_given},
                                  {"axis", DFL_OPTION_AXIS, &b.axis, NULL},
                                  {"axis2", DFL_OPTION_AXIS, &b.axis2, NULL},
                                  {"stiffness", DFL_OPTION_EACH, &b.stiffness, NULL},
                                  {"damping", DFL_OPTION_EACH, &b.damping, NULL},
                                  {"turn_stiffness", DFL_OPTION_EACH, &b.turn_stiffness, NULL},
                                  {"turn_damping", DFL_OPTION_EACH, &b.turn_damping, NULL}};
    dfl_read_options(L, "bushing", e.name, 4, options, 7);
    b.a = e.a;
    b.b = e.b;
    dfl_element_need(L, &e, at_given, "the point", "give at = {x, y, z}");
    need_damping(L, &e, &b);
    check(L, &e, dfl_bushing_add(&s, dfl_script_drawing(L), &b));
    note_compliances(L, &e, &b, &s);
    dfl_field fields[12];
    static const char *const ways[6] = {"dx", "dy", "dz", "ex", "ey", "ez"};
    vector_fields(fields, s.force, s.torque, wrench_names);
    vector_fields(fields + 6, s.shift, s.turn, ways);
    return dfl_element_push(L, e.name, fields, 12);
}

static void note_compliances(lua_State *L, const dfl_element *e, const dfl_bushing *b,
                             const dfl_bushing_symbols *s)
{
    for (int i = 0; i < 6; i++) {
        const bool turns = i >= 3;
        const int k = i % 3;
        const dfl_compliance compliance = {
            .name = (char *)e->name,
            .kind = "bushing",
            .limit = "a loop joint",
            .stretch = turns ? s->turn.e[k] : s->shift.e[k],
            .stiffness = turns ? b->turn_stiffness.e[k] : b->stiffness.e[k],
            .damping = turns ? b->turn_damping.e[k] : b->damping.e[k]};
        check(L, e, dfl_model_compliance(dfl_script_of(L)->model, &compliance));
    }
}

static void need_damping(lua_State *L, const dfl_element *e, const dfl_bushing *bushing)
{
    const bool none = vec_is_zero(bushing->stiffness) && vec_is_zero(bushing->damping) &&
                      vec_is_zero(bushing->turn_stiffness) && vec_is_zero(bushing->turn_damping);
    dfl_element_need(L, e, !none, "a stiffness or damping",
                     "give stiffness = ... or {x, y, z}, in N/m, and turn_stiffness, in N m/rad");
}

static int call_impact(lua_State *L)
{
    dfl_graph *g = dfl_script_of(L)->model->graph;
    bool at_given = false, plane = false, centre = false, normal = false, k = false;
    bool rigid = false, smooth = false;
    dfl_expr restitution = 0, sticking = DFL_NO_EXPR;
    dfl_impact impact = {.exponent = dfl_constant(g, 1.5), .speed = dfl_constant(g, 0.01)};
    dfl_vec on_plane = vec_zero(), middle = vec_zero();
    const dfl_element e = begin(L, "impact", &impact.at, &at_given);
    const dfl_option options[] = {{"at", DFL_OPTION_POINT, &impact.at, &at_given},
                                  {"radius", DFL_OPTION_EXPR, &impact.radius, NULL},
                                  {"plane", DFL_OPTION_POINT, &on_plane, &plane},
                                  {"normal", DFL_OPTION_AXIS, &impact.normal, &normal},
                                  {"center", DFL_OPTION_POINT, &middle, &centre},
                                  {"center_radius", DFL_OPTION_EXPR, &impact.other_radius, NULL},
                                  {"stiffness", DFL_OPTION_EXPR, &impact.stiffness, &k},
                                  {"exponent", DFL_OPTION_EXPR, &impact.exponent, NULL},
                                  {"damping", DFL_OPTION_EXPR, &impact.damping, NULL},
                                  {"friction", DFL_OPTION_EXPR, &impact.grip, NULL},
                                  {"speed", DFL_OPTION_EXPR, &impact.speed, &smooth},
                                  {"restitution", DFL_OPTION_EXPR, &restitution, &rigid},
                                  {"static", DFL_OPTION_EXPR, &sticking, NULL}};
    dfl_read_options(L, "impact", e.name, 4, options, 13);
    dfl_element_need(L, &e, at_given, "the point of the second body", "give at = {x, y, z}");
    dfl_element_need(L, &e, k != rigid, "stiffness or restitution",
                     "give stiffness = ..., in N/m^exponent, or restitution = ... of a rigid "
                     "contact, not both");
    dfl_element_need(L, &e, !rigid || (!smooth && impact.damping == 0), "a law",
                     "damping and speed belong to stiffness; leave them out");
    dfl_element_need(L, &e, plane != centre, "what it strikes",
                     "give plane = {x, y, z} and normal = {x, y, z}, or center = {x, y, z} and "
                     "center_radius");
    dfl_element_need(L, &e, centre || normal, "the normal of the plane",
                     "give normal = {x, y, z}, to the free side");
    impact.a = e.a;
    impact.b = e.b;
    impact.sphere = centre;
    impact.other = centre ? middle : on_plane;
    const dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_script_check(L, dfl_drawing_need_node(&impact.a, drawing, "impact", e.name, impact.other));
    dfl_script_check(L, dfl_drawing_need_node(&impact.b, drawing, "impact", e.name, impact.at));
    if (rigid)
        return add_rigid(L, &e, &impact, restitution, sticking);
    dfl_impact_symbols s;
    check(L, &e, dfl_impact_add(&s, dfl_script_drawing(L), &impact));
    const dfl_field fields[] = {{"gap", s.gap},      {"rate", s.rate},    {"f", s.force},
                                {"fx", s.slip.e[0]}, {"fy", s.slip.e[1]}, {"fz", s.slip.e[2]}};
    return dfl_element_push(L, e.name, fields, 6);
}

static int add_rigid(lua_State *L, const dfl_element *e, const dfl_impact *impact,
                     dfl_expr restitution, dfl_expr sticking)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_graph *g = dfl_script_of(L)->model->graph;
    const int line = dfl_script_line(L);
    dfl_rigid_impact r;
    dfl_touch_symbols s;
    check(L, e, dfl_impact_rigid(&r, drawing, line, impact));
    const int directions = impact->grip != 0 ? r.surface.directions : 0;
    const dfl_touch_law law = {.line = line,
                               .name = e->name,
                               .gap = r.gap,
                               .directions = directions,
                               .along = r.surface.along,
                               .restitution = restitution,
                               .kinetic = impact->grip,
                               .sticking = sticking,
                               .radius = dfl_constant(g, 1.0)};
    check(L, e, dfl_touch_add(&s, drawing, &law));
    if (directions == 0)
        s.friction[0] = s.friction[1] = 0;
    check(L, e, dfl_touch_transmits(drawing, &s, r.normal, &r.surface));
    const dfl_vec f = dfl_surface_vector(g, &r.surface, s.friction);
    const dfl_field fields[] = {
        {"gap", r.gap},     {"rate", r.rate},   {"f", s.load},
        {"mode", s.closed}, {"fx", f.e[0]},     {"fy", f.e[1]},
        {"fz", f.e[2]},     {"sense", s.sense}, {"friction", directions > 0 ? s.total : 0},
    };
    return dfl_element_push(L, e->name, fields, 9);
}

/* attraction(name, body, {center = , mu = , gradient = true}) */
static int call_attraction(lua_State *L)
{
    dfl_element e = {.call = "attraction"};
    dfl_arg_count(L, "attraction", 3, 3);
    e.name = dfl_arg_name(L, "attraction", 1);
    e.b = dfl_arg_material(L, "attraction", 2);
    dfl_vec centre = vec_zero(), force, torque;
    dfl_expr mu = 0;
    bool mu_given = false, gradient = false;
    const dfl_option options[] = {{"center", DFL_OPTION_POINT, &centre, NULL},
                                  {"mu", DFL_OPTION_EXPR, &mu, &mu_given},
                                  {"gradient", DFL_OPTION_FLAG, &gradient, NULL}};
    dfl_read_options(L, "attraction", e.name, 3, options, 3);
    dfl_element_need(L, &e, e.b != DFL_GROUND, "a body", "the ground is not attracted");
    dfl_element_need(L, &e, mu_given, "the gravitational parameter", "give mu = ..., in m^3/s^2");
    check(L, &e, dfl_attraction(&force, &torque, dfl_script_drawing(L), e.b, centre, mu, gradient));
    dfl_field fields[6];
    return dfl_element_push(L, e.name, fields, vector_fields(fields, force, torque, wrench_names));
}
