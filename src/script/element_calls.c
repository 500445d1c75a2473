/* element_calls.c: the calls of elements that act along a stroke: spring, torsion, maxwell,
   actuator, effort; and of controllers: pid, lag. */
#include "script/element.h"

#include "script/arguments.h"
#include "script/symbol.h"

#include <lauxlib.h>

static int call_spring(lua_State *L);
static int call_torsion(lua_State *L);
static int add_spring(lua_State *L, dfl_element *e, const char *rest_key, const char *law_key);
static int push_stroke(lua_State *L, const dfl_element *e, const dfl_stroke *stroke, dfl_expr f,
                       dfl_field last);
static int call_maxwell(lua_State *L);
static int call_actuator(lua_State *L);
static int call_effort(lua_State *L);
static int call_pid(lua_State *L);
static int call_lag(lua_State *L);
static void check(lua_State *L, const dfl_element *e, dfl_status status);

static const luaL_Reg calls[] = {{"spring", call_spring},   {"torsion", call_torsion},
                                 {"maxwell", call_maxwell}, {"actuator", call_actuator},
                                 {"effort", call_effort},   {"pid", call_pid},
                                 {"lag", call_lag},         {0}};

void dfl_elements_open(lua_State *L)
{
    luaL_setfuncs(L, calls, 0);
}

static dfl_graph *graph_of(lua_State *L)
{
    return dfl_script_of(L)->model->graph;
}

/* Messages of the mechanism get the call in front. */
static void check(lua_State *L, const dfl_element *e, dfl_status status)
{
    if (status == DFL_INVALID)
        dfl_script_error(L, "%s '%s': %s", e->call, e->name, dfl_message(dfl_script_of(L)->ctx));
    dfl_script_check(L, status);
}

/* -------------------------------------------------------------------------- springs */

static int call_spring(lua_State *L)
{
    dfl_element e = dfl_element_begin(L, "spring");
    return add_spring(L, &e, "length", "force");
}

static int call_torsion(lua_State *L)
{
    dfl_element e = dfl_element_begin(L, "torsion");
    return add_spring(L, &e, "rest", "torque");
}

static int add_spring(lua_State *L, dfl_element *e, const char *rest_key, const char *law_key)
{
    dfl_drawing *drawing = dfl_script_drawing(L);
    dfl_graph *g = graph_of(L);
    const bool turns = rest_key[0] == 'r';
    dfl_expr c = 0, d = 0, rest = DFL_NO_EXPR, pull = 0;
    bool c_given = false, d_given = false, law_given = false;
    const dfl_option options[] = {{"stiffness", DFL_OPTION_EXPR, &c, &c_given},
                                  {"damping", DFL_OPTION_EXPR, &d, &d_given},
                                  {rest_key, DFL_OPTION_EXPR, &rest, NULL},
                                  {law_key, DFL_OPTION_OTHER, NULL, &law_given}};
    dfl_element_options(e, L, options, 4);
    dfl_element_need(L, e, c_given || d_given || law_given,
                     turns ? "stiffness, damping or torque" : "stiffness, damping or force",
                     turns ? "give stiffness = ..., in N m/rad" : "give stiffness = ..., in N/m");
    if (turns && e->joint < 0 && dfl_drawing_is_planar(drawing) && !e->axis_given) {
        e->axis.e[2] = dfl_constant(g, 1.0);
        e->axis_given = true;
    }
    if (turns && e->joint < 0)
        dfl_element_need(L, e, e->axis_given, "the axis", "give axis = {x, y, z}");
    const dfl_stroke stroke = dfl_element_stroke(e, L);
    check(L, e,
          dfl_spring(&pull, drawing, &stroke, c, d, rest == DFL_NO_EXPR ? stroke.drawn : rest));
    const dfl_compliance compliance = {.name = (char *)e->name,
                                       .kind = turns ? "torsion spring" : "spring",
                                       .limit = turns ? "a joint without this turn"
                                                      : "distance(name, A, B, { ... })",
                                       .stretch = stroke.x,
                                       .stiffness = c,
                                       .damping = d};
    check(L, e, dfl_model_compliance(dfl_script_of(L)->model, &compliance));
    const dfl_expr law = dfl_element_law(L, e, law_key, &stroke);
    if (law != DFL_NO_EXPR) {
        check(L, e, dfl_stroke_push(drawing, &stroke, dfl_neg(g, law), false));
        pull = dfl_add(g, pull, law);
    }
    return push_stroke(L, e, &stroke, pull, (dfl_field){NULL, 0});
}

/* l, ld or q, qd; f; and one more. */
static int push_stroke(lua_State *L, const dfl_element *e, const dfl_stroke *stroke, dfl_expr f,
                       dfl_field last)
{
    const bool line = stroke->kind == DFL_STROKE_LINE;
    const dfl_field fields[] = {
        {line ? "l" : "q", stroke->x}, {line ? "ld" : "qd", stroke->xd}, {"f", f}, last};
    return dfl_element_push(L, e->name, fields, last.name ? 4 : 3);
}

static int call_maxwell(lua_State *L)
{
    dfl_element e = dfl_element_begin(L, "maxwell");
    dfl_expr c = 0, d = 0, rest = DFL_NO_EXPR, r = 0, pull = 0;
    bool c_given = false, d_given = false;
    const dfl_option options[] = {{"stiffness", DFL_OPTION_EXPR, &c, &c_given},
                                  {"damping", DFL_OPTION_EXPR, &d, &d_given},
                                  {"length", DFL_OPTION_EXPR, &rest, NULL}};
    dfl_element_options(&e, L, options, 3);
    dfl_element_need(L, &e, c_given, "stiffness", "give stiffness = ..., of the spring");
    dfl_element_need(L, &e, d_given, "damping", "give damping = ..., of the damper in series");
    const dfl_stroke stroke = dfl_element_stroke(&e, L);
    check(L, &e,
          dfl_maxwell(&r, &pull, dfl_script_drawing(L), dfl_script_line(L), e.name, &stroke, c, d,
                      rest == DFL_NO_EXPR ? stroke.drawn : rest));
    return push_stroke(L, &e, &stroke, pull, (dfl_field){"r", r});
}

/* -------------------------------------------------------------------------- drives */

static int call_actuator(lua_State *L)
{
    dfl_graph *g = graph_of(L);
    dfl_element e = dfl_element_begin(L, "actuator");
    dfl_motor motor = {.line = dfl_script_line(L),
                       .name = e.name,
                       .gear = dfl_constant(g, 1.0),
                       .limit = DFL_NO_EXPR,
                       .inductance = 0};
    bool u_given = false, R_given = false, k_given = false;
    const dfl_option options[] = {{"voltage", DFL_OPTION_EXPR, &motor.voltage, &u_given},
                                  {"resistance", DFL_OPTION_EXPR, &motor.resistance, &R_given},
                                  {"inductance", DFL_OPTION_EXPR, &motor.inductance, NULL},
                                  {"constant", DFL_OPTION_EXPR, &motor.constant, &k_given},
                                  {"gear", DFL_OPTION_EXPR, &motor.gear, NULL},
                                  {"limit", DFL_OPTION_EXPR, &motor.limit, NULL}};
    dfl_element_options(&e, L, options, 6);
    dfl_element_need(L, &e, u_given, "the voltage", "give voltage = ..., in V");
    dfl_element_need(L, &e, R_given, "the resistance", "give resistance = ..., in ohm");
    dfl_element_need(L, &e, k_given, "the motor's constant", "give constant = ..., in N m/A");
    const dfl_stroke stroke = dfl_element_stroke(&e, L);
    dfl_expr current = 0, force = 0;
    check(L, &e, dfl_motor_add(&current, &force, dfl_script_drawing(L), &stroke, &motor));
    const dfl_field fields[] = {{"i", current},
                                {"f", force},
                                {"u", dfl_saturate(g, motor.voltage, motor.limit)},
                                {"power", dfl_mul(g, force, stroke.xd)}};
    return dfl_element_push(L, e.name, fields, 4);
}

/* effort(name, x, F): a force that does the work F dx; x is a joint or an expression of
   positions. */
static int call_effort(lua_State *L)
{
    dfl_element e = {.call = "effort"};
    dfl_arg_count(L, "effort", 3, 3);
    e.name = dfl_arg_name(L, "effort", 1);
    dfl_drawing *drawing = dfl_script_drawing(L);
    const dfl_expr F = dfl_arg_expr(L, "effort", 3);
    dfl_stroke stroke = {0};
    dfl_sandbox_charge(L, 2e3);
    if (luaL_testudata(L, 2, DFL_JOINT))
        check(L, &e, dfl_stroke_joint(&stroke, drawing, dfl_arg_joint(L, "effort", 2), 0));
    else
        check(L, &e, dfl_stroke_expr(&stroke, drawing, dfl_arg_expr(L, "effort", 2)));
    stroke.line = dfl_script_line(L);
    check(L, &e, dfl_stroke_push(drawing, &stroke, F, false));
    const dfl_expr power = dfl_mul(graph_of(L), F, stroke.xd);
    return push_stroke(L, &e, &stroke, F, (dfl_field){"power", power});
}

/* -------------------------------------------------------------------------- control */

static int call_pid(lua_State *L)
{
    dfl_graph *g = graph_of(L);
    dfl_element e = {.call = "pid"};
    dfl_arg_count(L, "pid", 2, 2);
    e.name = dfl_arg_name(L, "pid", 1);
    dfl_pid pid = {
        .line = dfl_script_line(L), .name = e.name, .limit = DFL_NO_EXPR, .windup = DFL_NO_EXPR};
    dfl_expr reference = 0, value = 0, out = 0, period = DFL_NO_EXPR, phase = 0;
    bool value_given = false, p = false, i = false, d = false, filter = false;
    const dfl_option options[] = {{"reference", DFL_OPTION_EXPR, &reference, NULL},
                                  {"value", DFL_OPTION_EXPR, &value, &value_given},
                                  {"p", DFL_OPTION_EXPR, &pid.p, &p},
                                  {"i", DFL_OPTION_EXPR, &pid.i, &i},
                                  {"d", DFL_OPTION_EXPR, &pid.d, &d},
                                  {"filter", DFL_OPTION_EXPR, &pid.filter, &filter},
                                  {"limit", DFL_OPTION_EXPR, &pid.limit, NULL},
                                  {"windup", DFL_OPTION_EXPR, &pid.windup, NULL},
                                  {"period", DFL_OPTION_EXPR, &period, NULL},
                                  {"phase", DFL_OPTION_EXPR, &phase, NULL}};
    dfl_read_options(L, "pid", e.name, 2, options, 10);
    dfl_element_need(L, &e, value_given, "the value", "give value = ..., what is controlled");
    dfl_element_need(L, &e, p || i || d, "a gain", "give p = ..., i = ... or d = ...");
    dfl_element_need(L, &e, filter || !d, "the time of the filter",
                     "give filter = ..., in s: what is faster is not differentiated");
    if (pid.windup != DFL_NO_EXPR && pid.limit == DFL_NO_EXPR)
        dfl_script_error(L, "pid '%s': windup needs a limit; give limit = ...", e.name);
    pid.error = dfl_sub(g, reference, value);
    dfl_model *model = dfl_script_of(L)->model;
    const bool sampled = period != DFL_NO_EXPR;
    if (sampled) {
        check(L, &e, dfl_model_value(&pid.period, model, period));
        check(L, &e, dfl_model_value(&pid.phase, model, phase));
    }
    check(L, &e, (sampled ? dfl_pid_sample : dfl_pid_add)(&out, model, &pid));
    const dfl_field fields[] = {{"out", out}, {"error", pid.error}};
    return dfl_element_push(L, e.name, fields, 2);
}

/* lag(name, u, T): the variable r with T r' = u - r. */
static int call_lag(lua_State *L)
{
    dfl_expr r = 0;
    dfl_arg_count(L, "lag", 3, 3);
    const char *name = dfl_arg_name(L, "lag", 1);
    const dfl_expr u = dfl_arg_expr(L, "lag", 2), T = dfl_arg_expr(L, "lag", 3);
    if (T == 0)
        return dfl_script_error(L, "lag '%s': the time is 0; give a positive one, in s", name);
    dfl_script_check(L, dfl_lag(&r, dfl_script_of(L)->model, dfl_script_line(L), name, u, T));
    dfl_symbol_push(L, r);
    return 1;
}
