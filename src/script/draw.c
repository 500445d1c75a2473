/* draw.c: draw.point, draw.line, ...: what the report shows of the mechanism.

   All calls have one form: draw.KIND(name, [file,] point ..., {options}). A point is {x, y} or {x,
   y, z} with numbers or expressions; options are named. One table says what each kind takes; the
   columns that come out are those of declare/declare.h. */
#include "script/language.h"

#include "drawing/drawing.h"
#include "declare/declare.h"
#include "script/arguments.h"
#include "script/library.h"
#include "script/mechanism_calls.h"
#include "script/mesh.h"
#include "script/order.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <string.h>

enum { MOST_POINTS = 200, POSE = 7 };

/* What an option does. */
typedef enum option_kind {
    ONE,         /* one number or expression */
    UP_TO_THREE, /* one, or a table of two or three */
    ANGLE,
    QUATERNION,
    COLOR,
    TRACE,
    CARRIER /* a body */
} option_kind;

typedef struct option {
    const char *name;
    option_kind kind;
    int place;     /* of its first number after the points or the pose */
    double preset; /* of a number */
} option;

enum { MOST_OPTIONS = 8 };
#define POSED                                                                                      \
    {"angle", ANGLE, 0, 0}, {"quaternion", QUATERNION, 0, 0},                                      \
    {                                                                                              \
        "trace", TRACE, 0, 0                                                                       \
    }
#define COLORED                                                                                    \
    {                                                                                              \
        "color", COLOR, 0, 0                                                                       \
    }
#define CARRIED                                                                                    \
    {                                                                                              \
        "body", CARRIER, 0, 0                                                                      \
    }
typedef struct rule {
    int least, most; /* points */
    bool posed;      /* has an orientation */
    int sizes;       /* numbers after the points or the pose */
    option options[MOST_OPTIONS];
} rule;

static const rule rules[DFL_SHAPE_KINDS] = {
    [DFL_POINT] = {1, 1, false, 1, {{"size", ONE, 0, 0}, {"trace", TRACE, 0, 0}, COLORED, CARRIED}},
    [DFL_LINE] = {2, MOST_POINTS, false, 1, {{"size", ONE, 0, 0}, COLORED, CARRIED}},
    [DFL_SPRING] = {2, 2, false, 2, {{"size", ONE, 0, 0}, {"coils", ONE, 1, 8}, COLORED, CARRIED}},
    [DFL_BOX] = {1, 1, true, 3, {{"size", UP_TO_THREE, 0, 0.1}, POSED, COLORED, CARRIED}},
    [DFL_CYLINDER] =
        {1, 1, true, 2, {{"radius", ONE, 0, 0.1}, {"length", ONE, 1, 0}, POSED, COLORED, CARRIED}},
    [DFL_SPHERE] = {1, 1, true, 3, {{"radius", UP_TO_THREE, 0, 0.1}, POSED, COLORED, CARRIED}},
    [DFL_FRAME] = {1, 1, true, 1, {{"size", ONE, 0, 0}, POSED, CARRIED}},
    [DFL_MESH] = {1, 1, true, 1, {{"scale", ONE, 0, 1}, POSED, COLORED, CARRIED}},
};

/* A shape while its arguments are read; what it points to lives in Lua. */
typedef struct drawing {
    const char *call; /* "draw.point" */
    const rule *rule;
    dfl_shape shape;
    dfl_expr *size; /* its numbers after the points or the pose */
    bool turned;    /* an orientation was given */
} drawing;

static int draw(lua_State *L);
static int draw_none(lua_State *L);
static dfl_status declare_shape(dfl_model *model, dfl_shape *shape, const char *file);
static int count_points(lua_State *L, const drawing *d, int first);
static bool is_point(lua_State *L, int i);
static void make_columns(drawing *d, lua_State *L, int points);
static void read_points(drawing *d, lua_State *L, int first, int points);
static int read_numbers(dfl_expr *out, lua_State *L, const drawing *d, const char *what, int least,
                        int most);
static dfl_expr read_number(lua_State *L, const drawing *d, const char *what);
static void read_options(drawing *d, lua_State *L, int i);
static void read_option(drawing *d, lua_State *L, const char *key);
static int unknown_option(lua_State *L, const drawing *d, const char *key);
static void read_size(drawing *d, lua_State *L, const option *opt);
static void read_orientation(drawing *d, lua_State *L, const option *opt);

void dfl_draw_open(lua_State *L)
{
    lua_newtable(L);
    for (int kind = 0; kind < DFL_SHAPE_KINDS; kind++) {
        dfl_draw_push(L, kind);
        lua_setfield(L, -2, dfl_shape_names[kind]);
    }
    lua_pushcfunction(L, draw_none);
    lua_setfield(L, -2, "none");
    dfl_library_protect(L, "draw");
    lua_setfield(L, -2, "draw");
}

void dfl_draw_push(lua_State *L, int kind)
{
    lua_pushinteger(L, kind);
    lua_pushfstring(L, "draw.%s", dfl_shape_names[kind]);
    lua_pushcclosure(L, draw, 2);
}

/* draw.none(): only what the script draws is shown. */
static int draw_none(lua_State *L)
{
    dfl_arg_count(L, "draw.none", 0, 0);
    dfl_drawing_show_nothing(dfl_script_drawing(L));
    return 0;
}

static int draw(lua_State *L)
{
    const dfl_shape_kind kind = (dfl_shape_kind)lua_tointeger(L, lua_upvalueindex(1));
    drawing d = {.call = lua_tostring(L, lua_upvalueindex(2)),
                 .rule = &rules[kind],
                 .shape = {.kind = kind, .line = dfl_script_line(L), .planar = true}};
    const int first = kind == DFL_MESH ? 3 : 2; /* argument that is a point */
    const int n = dfl_arg_count(L, d.call, first + d.rule->least - 1, MOST_POINTS + 3);
    luaL_checkstack(L, 20, d.call);
    d.shape.name = dfl_arg_name(L, d.call, 1);
    const char *file =
        kind == DFL_MESH ? dfl_arg_string(L, d.call, 2, "give the file in quotes") : NULL;
    const int points = count_points(L, &d, first);
    make_columns(&d, L, points);
    read_points(&d, L, first, points);
    if (first + points <= n)
        read_options(&d, L, first + points);
    dfl_sandbox_charge(L, file ? 1e6 : 1e3);
    dfl_script_check(L, declare_shape(dfl_script_of(L)->model, &d.shape, file));
    return 0;
}

/* With the triangles of `file`, which is NULL unless the shape is a mesh. */
static dfl_status declare_shape(dfl_model *model, dfl_shape *shape, const char *file)
{
    dfl_status status = DFL_OK;
    if (file)
        status = dfl_mesh_read(&shape->triangles, &shape->ntriangles, model, file);
    if (!status)
        status = dfl_model_shape(model, shape);
    dfl_free(model->ctx, shape->triangles);
    return status;
}

/* From argument `first` on; only a table of options may follow them. */
static int count_points(lua_State *L, const drawing *d, int first)
{
    const rule *r = d->rule;
    const int last = lua_gettop(L);
    int points = 0;
    while (first + points <= last && is_point(L, first + points))
        points++;
    const int rest = last - first - points + 1;
    if (points < r->least)
        return dfl_arg_error(L, d->call, first + points, "give a point {x, y} or {x, y, z}");
    if (points > r->most)
        return dfl_script_error(L, "%s '%s': %d points are given; it takes %s%d", d->call,
                                d->shape.name, points, r->most > 2 ? "at most " : "", r->most);
    if (rest > 1 || (rest == 1 && lua_type(L, last) != LUA_TTABLE))
        return dfl_arg_error(L, d->call, first + points,
                             "only options may follow the points: { color = \"blue\" }");
    return points;
}

static bool is_point(lua_State *L, int i)
{
    if (lua_type(L, i) != LUA_TTABLE)
        return false;
    const bool numbered = lua_rawgeti(L, i, 1) != LUA_TNIL;
    lua_pop(L, 1);
    return numbered;
}

/* Space for the numbers of the shape, with defaults. */
static void make_columns(drawing *d, lua_State *L, int points)
{
    dfl_graph *graph = dfl_script_of(L)->model->graph;
    const int before = d->rule->posed ? POSE : 3 * points;
    d->shape.ncolumns = before + d->rule->sizes;
    d->shape.column = lua_newuserdatauv(L, (size_t)d->shape.ncolumns * sizeof(dfl_expr), 0);
    d->size = d->shape.column + before;
    for (int i = 0; i < d->shape.ncolumns; i++)
        d->shape.column[i] = dfl_constant(graph, 0);
    if (d->rule->posed)
        d->shape.column[3] = dfl_constant(graph, 1); /* not turned */
    for (const option *opt = d->rule->options; opt->name; opt++)
        for (int i = 0; i < (opt->kind == ONE ? 1 : opt->kind == UP_TO_THREE ? 3 : 0); i++)
            d->size[opt->place + i] = dfl_constant(graph, opt->preset);
}

static void read_points(drawing *d, lua_State *L, int first, int points)
{
    for (int k = 0; k < points; k++) {
        lua_pushvalue(L, first + k);
        const char *what = points > 1 ? lua_pushfstring(L, "point %d", k + 1) : "the point";
        lua_pushvalue(L, first + k);
        if (read_numbers(d->shape.column + 3 * k, L, d, what, 2, 3) == 3)
            d->shape.planar = false;
        lua_pop(L, points > 1 ? 3 : 2);
    }
}

/* The numbers of the table on top. */
static int read_numbers(dfl_expr *out, lua_State *L, const drawing *d, const char *what, int least,
                        int most)
{
    const int table = lua_gettop(L);
    const int count = (int)lua_rawlen(L, table);
    if (count < least || count > most)
        return dfl_script_error(L, "%s '%s': %s has %d numbers; give %d%s%d", d->call,
                                d->shape.name, what, count, least,
                                most == least + 1 ? " or "
                                : most > least    ? " to "
                                                  : ", not ",
                                most > least ? most : count);
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, table, i + 1);
        out[i] = read_number(L, d, what);
        lua_settop(L, table);
    }
    return count;
}

/* A number or expression on top. */
static dfl_expr read_number(lua_State *L, const drawing *d, const char *what)
{
    const dfl_expr *symbol = luaL_testudata(L, -1, DFL_SYMBOL);
    if (symbol)
        return *symbol;
    if (lua_type(L, -1) != LUA_TNUMBER)
        dfl_script_error(L, "%s '%s': %s has %s; give numbers or expressions", d->call,
                         d->shape.name, what, dfl_arg_kind(L, -1));
    return dfl_constant(dfl_script_of(L)->model->graph, lua_tonumber(L, -1));
}

static void read_options(drawing *d, lua_State *L, int i)
{
    dfl_push_sorted_keys(L, i);
    const int keys = lua_gettop(L);
    const lua_Integer count = (lua_Integer)lua_rawlen(L, keys);
    for (lua_Integer k = 1; k <= count; k++) {
        lua_rawgeti(L, keys, k);
        if (lua_type(L, -1) != LUA_TSTRING)
            dfl_script_error(L, "%s '%s': a value without a name; write name = value", d->call,
                             d->shape.name);
        lua_pushvalue(L, -1);
        lua_rawget(L, i); /* stack: keys, key, value */
        read_option(d, L, lua_tostring(L, -2));
        lua_settop(L, keys);
    }
}

/* The option `key`, whose value is on top. */
static void read_option(drawing *d, lua_State *L, const char *key)
{
    const option *opt = d->rule->options;
    while (opt->name && strcmp(opt->name, key) != 0)
        opt++;
    if (!opt->name) {
        unknown_option(L, d, key);
    } else if (opt->kind == COLOR) {
        if (lua_type(L, -1) != LUA_TSTRING)
            dfl_script_error(L,
                             "%s '%s': color is %s; give a word such as \"blue\", or \"#rrggbb\"",
                             d->call, d->shape.name, dfl_arg_kind(L, -1));
        d->shape.color = lua_tostring(L, -1); /* stays alive in the table of options */
    } else if (opt->kind == TRACE) {
        if (!lua_isboolean(L, -1))
            dfl_script_error(L, "%s '%s': trace is %s; give true or false", d->call, d->shape.name,
                             dfl_arg_kind(L, -1));
        d->shape.trace = lua_toboolean(L, -1);
    } else if (opt->kind == CARRIER) {
        const int *body = luaL_testudata(L, -1, DFL_BODY);
        if (!body)
            dfl_script_error(L, "%s '%s': body is %s; give a body", d->call, d->shape.name,
                             dfl_arg_kind(L, -1));
        d->shape.carrier = *body + 1; /* the ground is 0: nothing moves */
    } else if (opt->kind == ANGLE || opt->kind == QUATERNION) {
        read_orientation(d, L, opt);
    } else {
        read_size(d, L, opt);
    }
}

static int unknown_option(lua_State *L, const drawing *d, const char *key)
{
    const char *words[MOST_OPTIONS];
    int count = 0;
    for (const option *opt = d->rule->options; opt->name; opt++)
        words[count++] = opt->name;
    return dfl_arg_unknown(L, d->call, "option", key, words, count);
}

/* A number for all directions, or a table of two or three; in the plane the third is the smaller
   one. */
static void read_size(drawing *d, lua_State *L, const option *opt)
{
    dfl_graph *graph = dfl_script_of(L)->model->graph;
    dfl_expr *size = d->size + opt->place;
    if (opt->kind == ONE) {
        size[0] = read_number(L, d, opt->name);
        return;
    }
    if (lua_type(L, -1) != LUA_TTABLE) {
        size[0] = size[1] = size[2] = read_number(L, d, opt->name);
        return;
    }
    if (read_numbers(size, L, d, opt->name, 2, 3) == 2)
        size[2] = dfl_binary(graph, DFL_OP_MIN, size[0], size[1]);
}

/* An angle about the z axis, or a quaternion with its scalar first. */
static void read_orientation(drawing *d, lua_State *L, const option *opt)
{
    dfl_graph *graph = dfl_script_of(L)->model->graph;
    dfl_expr *q = d->shape.column + 3;
    if (d->turned)
        dfl_script_error(L, "%s '%s': give angle or quaternion, not both", d->call, d->shape.name);
    d->turned = true;
    if (opt->kind == ANGLE) {
        const dfl_expr half =
            dfl_mul(graph, dfl_constant(graph, 0.5), read_number(L, d, opt->name));
        q[0] = dfl_unary(graph, DFL_OP_COS, half);
        q[3] = dfl_unary(graph, DFL_OP_SIN, half);
        return;
    }
    if (lua_type(L, -1) != LUA_TTABLE)
        dfl_script_error(L, "%s '%s': quaternion is %s; give {q0, q1, q2, q3}", d->call,
                         d->shape.name, dfl_arg_kind(L, -1));
    read_numbers(q, L, d, opt->name, 4, 4);
    d->shape.planar = false;
}
