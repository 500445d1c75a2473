/* lookup.c: functions through tables as Lua values.

   A function has a list of terms (symbolic/table_terms.h) and the ends of its table; calling it
   with numbers gives a number, with an expression an expression. */
#include "script/lookup.h"

#include "script/arguments.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

/* The userdata of a function; its user value is the label of messages. */
typedef struct function {
    const char *type;
    int line;
    int arguments;
    dfl_axis axis[2]; /* with their `ends` alone */
    double ends[2][2];
    bool assumed; /* a signal: nothing was said about what lies outside */
    int count;
    dfl_term terms[];
} function;

static function *new_function(lua_State *L, const char *type, const char *label, int arguments,
                              int room);
static void set_axis(function *f, int i, const dfl_axis *axis);
static void warn_overshoot(lua_State *L, const char *label, const dfl_axis *axis, const double *y);
static int apply(lua_State *L);
static void keep_inside(lua_State *L, const function *f, int i, dfl_expr argument);
static int function_text(lua_State *L);

static const char *const types[] = {DFL_SPLINE, DFL_LOOKUP, DFL_SIGNAL, DFL_MAP};
enum { TYPES = sizeof types / sizeof *types };

/* Overshoot of this part of the range of a table is worth a warning. */
static const double most_overshoot = 0.1;

/* What lies outside by this part of the table's length is at its end. */
static const double margin = 1e-9;

void dfl_lookup_types(lua_State *L)
{
    for (int i = 0; i < TYPES; i++) {
        luaL_newmetatable(L, types[i]);
        luaL_setfuncs(L, (const luaL_Reg[]){{"__call", apply}, {"__tostring", function_text}, {0}},
                      0);
        lua_pop(L, 1);
    }
}

bool dfl_is_lookup(lua_State *L, int i)
{
    for (int k = 0; k < TYPES; k++)
        if (luaL_testudata(L, i, types[k]))
            return ((const function *)lua_touserdata(L, i))->arguments == 1;
    return false;
}

void dfl_lookup_push(lua_State *L, const char *type, const char *label, const double *x,
                     const dfl_expr *y, int n, const dfl_lookup_options *options)
{
    dfl_model *model = dfl_script_of(L)->model;
    const dfl_axis axis = {x, n, options->kind, options->outside, options->free_ends};
    double *value = lua_newuserdatauv(L, (size_t)n * sizeof *value, 0);
    bool symbolic = false;
    const bool overshoots = axis.kind == DFL_TABLE_CUBIC || axis.kind == DFL_TABLE_SMOOTH;
    dfl_script_check(L, dfl_axis_check(model->ctx, &axis, "x"));
    for (int i = 0; i < n; i++) {
        symbolic = symbolic || !dfl_is_constant(model->graph, y[i]);
        dfl_script_check(L, overshoots ? dfl_model_value(&value[i], model, y[i]) /* for a warning */
                                       : dfl_model_finite(&value[i], model, y[i]));
    }
    function *f = new_function(L, type, label, 1, symbolic ? dfl_table_terms(n) : 1);
    set_axis(f, 0, &axis);
    f->assumed = strcmp(type, DFL_SIGNAL) == 0 && !options->outside_given;
    dfl_script_check(L, dfl_table_create(f->terms, &f->count, model->graph, &axis, y));
    if (overshoots)
        warn_overshoot(L, label, &axis, value);
}

void dfl_spline_push(lua_State *L, const double *x, const double *y, int n)
{
    dfl_graph *graph = dfl_script_of(L)->model->graph;
    const dfl_axis axis = {x, n, DFL_TABLE_SMOOTH, DFL_OUTSIDE_EXTEND, false};
    function *f = new_function(L, DFL_SPLINE, DFL_SPLINE, 1, 1);
    f->terms[0] = (dfl_term){.factor = dfl_constant(graph, 1), .along_y = -1};
    f->count = 1;
    dfl_script_check(L, dfl_spline_create(&f->terms[0].along_x, graph, x, y, n));
    set_axis(f, 0, &axis);
    warn_overshoot(L, DFL_SPLINE, &axis, y);
}

void dfl_map_push(lua_State *L, const dfl_axis *x, const dfl_axis *y, const dfl_expr *z,
                  bool symbolic)
{
    const int room = symbolic ? dfl_map_terms(x->n, y->n) : x->n < y->n ? x->n : y->n;
    function *f = new_function(L, DFL_MAP, DFL_MAP, 2, room);
    set_axis(f, 0, x);
    set_axis(f, 1, y);
    dfl_script_check(L,
                     dfl_map_create(f->terms, &f->count, dfl_script_of(L)->model->graph, x, y, z));
}

void dfl_lookup_scale(lua_State *L, dfl_expr factor)
{
    function *f = lua_touserdata(L, -1);
    for (int i = 0; i < f->count; i++)
        f->terms[i].factor = dfl_mul(dfl_script_of(L)->model->graph, f->terms[i].factor, factor);
}

/* Pushes a function without terms. */
static function *new_function(lua_State *L, const char *type, const char *label, int arguments,
                              int room)
{
    function *f = lua_newuserdatauv(L, sizeof *f + (size_t)room * sizeof *f->terms, 1);
    *f = (function){.type = type, .line = dfl_script_line(L), .arguments = arguments};
    lua_pushstring(L, label);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, type);
    return f;
}

static void set_axis(function *f, int i, const dfl_axis *axis)
{
    f->ends[i][0] = axis->x[0];
    f->ends[i][1] = axis->x[axis->n - 1];
    f->axis[i] = (dfl_axis){.x = f->ends[i], .n = 2, .kind = axis->kind, .outside = axis->outside};
}

/* Splines may run far beyond their points. */
static void warn_overshoot(lua_State *L, const char *label, const dfl_axis *axis, const double *y)
{
    dfl_script *script = dfl_script_of(L);
    dfl_text *text = &script->scratch;
    double range[2], low = y[0], high = y[0];
    for (int i = 1; i < axis->n; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    dfl_script_check(L, dfl_table_range(range, script->ctx, axis, y));
    const double most = most_overshoot * (high - low) + 1e-9 * fmax(fabs(low), fabs(high));
    if (range[0] >= low - most && range[1] <= high + most)
        return;
    dfl_text_clear(text);
    dfl_text_add(text,
                 "%s:%d: %s through values from %.3g to %.3g runs from %.3g to %.3g between them; "
                 "lookup(xs, ys, { kind = \"monotone\" }) does not overshoot",
                 script->model->path, dfl_script_line(L), label, low, high, range[0], range[1]);
    dfl_script_check(L, text->status ? text->status
                                     : dfl_model_warn(script->model, dfl_text_string(text)));
}

/* f(x), f(x, y); a signal also f(). The function itself is the first argument. */
static int apply(lua_State *L)
{
    dfl_model *model = dfl_script_of(L)->model;
    const function *f = lua_touserdata(L, 1);
    dfl_expr argument[2] = {0, 0};
    lua_rotate(L, 1, -1); /* arguments first, from 1 */
    if (lua_gettop(L) == 1 && strcmp(f->type, DFL_SIGNAL) == 0) {
        dfl_symbol_push(L, dfl_symbol_expr(model->graph, DFL_SYM_TIME, 0, "time"));
        lua_insert(L, 1);
    }
    if (lua_gettop(L) - 1 != f->arguments)
        return dfl_script_error(L, "%s: call it with %s", f->type,
                                f->arguments == 1 ? "one number or expression"
                                                  : "two numbers or expressions");
    for (int i = 0; i < f->arguments; i++) {
        argument[i] = dfl_arg_expr(L, f->type, i + 1);
        keep_inside(L, f, i, argument[i]);
        argument[i] = dfl_axis_argument(model->graph, &f->axis[i], argument[i]);
    }
    const dfl_expr value =
        dfl_terms_expr(model->graph, f->terms, f->count, argument[0], argument[1]);
    if (dfl_is_constant(model->graph, value))
        lua_pushnumber(L, dfl_constant_value(model->graph, value));
    else
        dfl_symbol_push(L, value);
    return 1;
}

/* Argument i of a table that ends with an error must not leave it; the ends of a signal without
   such a rule are remembered. */
static void keep_inside(lua_State *L, const function *f, int i, dfl_expr argument)
{
    dfl_model *model = dfl_script_of(L)->model;
    dfl_graph *graph = model->graph;
    const double first = f->ends[i][0], last = f->ends[i][1], slack = margin * (last - first);
    double number;
    if (f->assumed && argument == dfl_symbol_expr(graph, DFL_SYM_TIME, 0, "time"))
        dfl_script_check(L, dfl_model_signal_ends(model, f->line, first, last,
                                                  f->axis[i].outside == DFL_OUTSIDE_HOLD));
    if (f->axis[i].outside != DFL_OUTSIDE_ERROR)
        return;
    lua_getiuservalue(L, f->arguments + 1, 1);
    const char *label = lua_tostring(L, -1), *name = dfl_value_text(L, i + 1);
    const bool known = dfl_value_number(&number, L, i + 1);
    dfl_text *text = &dfl_script_of(L)->scratch;
    dfl_text_clear(text);
    dfl_text_add(text,
                 "%s: its argument %s is outside of the table, which goes from %.10g to %.10g,",
                 label, name, first, last);
    if (known && (number < first - slack || number > last + slack))
        dfl_script_error(L, "%s: its argument is %f, but the table goes from %f to %f", label,
                         number, first, last);
    if (!known) {
        const dfl_expr above = dfl_sub(graph, argument, dfl_constant(graph, first - slack)),
                       below = dfl_sub(graph, dfl_constant(graph, last + slack), argument);
        const dfl_expr inside = dfl_binary(graph, DFL_OP_MIN, above, below);
        dfl_script_check(L, dfl_model_limit(model, f->line, inside, dfl_text_string(text)));
    }
    lua_settop(L, f->arguments + 1);
}

static int function_text(lua_State *L)
{
    lua_pushstring(L, ((const function *)lua_touserdata(L, 1))->type);
    return 1;
}
