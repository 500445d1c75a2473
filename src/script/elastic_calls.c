/* elastic_calls.c: elastic(name, {...}): bodies that bend; deflection(node). */
#include "drawing/drawing.h"

#include "script/arguments.h"
#include "script/language.h"
#include "script/mechanism_calls.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_LABEL = 120, MOST_ELEMENTS = 400, DEFAULT_ELEMENTS = 20, DEFAULT_MODES = 4 };

/* What a beam table gives; expressions that were not given are 0. */
typedef struct section {
    dfl_expr width, height, radius, inner, E, G, nu, density;
    bool round, hollow, G_given, nu_given;
} section;

static int call_elastic(lua_State *L);
static int call_deflection(lua_State *L);
static int call_beam_load(lua_State *L);
static int declare_beam(lua_State *L, const char *name, int table, int beam_table);
static void fill_section(dfl_drawn_beam *beam, lua_State *L, const section *s);
static dfl_expr rectangle_twist(lua_State *L, dfl_expr a, dfl_expr b);
static int read_count(lua_State *L, const char *name, int table, const char *key, int least,
                      int most, int missing);
static void read_taper(dfl_drawn_beam *beam, lua_State *L, int table);
static int read_factors(dfl_drawn_beam *beam, lua_State *L, int taper, const char *key, double *out,
                        bool places);
static void read_frame(dfl_drawn_beam *beam, lua_State *L, int table);
static void read_damping(dfl_drawn_beam *beam, lua_State *L, int table);
static void read_nodes(dfl_drawn_beam *beam, lua_State *L, int table);

void dfl_elastics_open(lua_State *L)
{
    static const luaL_Reg calls[] = {{"elastic", call_elastic},
                                     {"deflection", call_deflection},
                                     {"beam_load", call_beam_load},
                                     {0}};
    luaL_setfuncs(L, calls, 0);
}

/* elastic(name, { beam = {...}, ... }) */
static int call_elastic(lua_State *L)
{
    dfl_arg_count(L, "elastic", 2, 2);
    const char *name = dfl_arg_name(L, "elastic", 1);
    dfl_arg_table(L, "elastic", 2, "write elastic(name, { beam = {...}, nodes = {...} })");
    luaL_checkstack(L, 20, "elastic");
    lua_getfield(L, 2, "beam");
    if (lua_istable(L, 3))
        return declare_beam(L, name, 2, 3);
    lua_getfield(L, 2, "modes");
    if (lua_isnil(L, 3) && lua_istable(L, 4))
        return dfl_elastic_from_table(L, name, 2, 4);
    if (lua_isnil(L, 3) && lua_getfield(L, 2, "file") == LUA_TSTRING)
        return dfl_elastic_from_sid(L, name, 2, lua_tostring(L, -1));
    if (lua_isnil(L, 3) && lua_getfield(L, 2, "K") != LUA_TNIL)
        return dfl_elastic_from_matrices(L, name, 2);
    if (lua_isnil(L, 3) && lua_getfield(L, 2, "beams") != LUA_TNIL)
        return dfl_elastic_from_beams(L, name, 2);
    return dfl_script_error(
        L,
        "elastic '%s': give beam = { from = ..., to = ..., ... }, beams and points of a frame, a "
        "table "
        "modes = { mass = ..., Me = ..., K = ... }, file = \"part.SID_FEM\", or "
        "matrices K = \"part.sti\", M = \"part.mas\", ... of finite elements",
        name);
}

/* deflection(node [, "y"]): displacement in the frame of the elastic body, along its y, z or x. */
static int call_deflection(lua_State *L)
{
    const int given = dfl_arg_count(L, "deflection", 1, 2);
    dfl_drawing *drawing = dfl_script_drawing(L);
    const dfl_body_point *point = luaL_testudata(L, 1, DFL_BODY_POINT);
    if (!point || !dfl_drawing_is_elastic(drawing, point->body))
        return dfl_arg_error(L, "deflection", 1, "give a node of an elastic body, such as rod.mid");
    const char *axis = given > 1 && lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "y";
    if (given > 1 && (lua_type(L, 2) != LUA_TSTRING || strlen(axis) != 1 || !strchr("xyz", *axis)))
        return dfl_arg_error(L, "deflection", 2, "give \"x\", along the beam, \"y\" or \"z\"");
    dfl_symbol_push(L, dfl_drawing_deflection(drawing, point->body).e[*axis - 'x']);
    return 1;
}

/* beam_load(node [, kind [, beam]]): what one half of a beam does to the other at a node. */
static int call_beam_load(lua_State *L)
{
    static const char *const kinds[] = {"force", "moment", "moment2", "torque"};
    const int given = dfl_arg_count(L, "beam_load", 1, 3);
    const dfl_drawing *drawing = dfl_script_drawing(L);
    const dfl_body_point *point = luaL_testudata(L, 1, DFL_BODY_POINT);
    const int beams = point ? dfl_drawing_count_beams(drawing, point->body, 0) : 0;
    if (beams == 0)
        return dfl_arg_error(L, "beam_load", 1,
                             "give a node of an elastic beam, such as rod.mid, or a point of a "
                             "frame where a beam ends");
    const char *kind = given > 1 && lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "moment";
    int k = 0;
    while (k < DFL_BEAM_FAMILIES && strcmp(kind, kinds[k]) != 0)
        k++;
    if ((given > 1 && lua_type(L, 2) != LUA_TSTRING) || k == DFL_BEAM_FAMILIES)
        return dfl_arg_error(L, "beam_load", 2,
                             "give \"moment\", \"moment2\", \"force\" or \"torque\"");
    double beam = 0.0;
    if ((given > 2 && (!dfl_value_number(&beam, L, 3) || beam != floor(beam) || beam < 1.0 ||
                       beam > 1e6 || !dfl_drawing_count_beams(drawing, point->body, (int)beam))) ||
        (given < 3 && beams > 1))
        return dfl_arg_error(L, "beam_load", 3,
                             "give the number of a beam of the frame that ends at this node");
    dfl_symbol_push(L, dfl_drawing_beam_load(drawing, point->body, (dfl_beam_family)k, (int)beam));
    return 1;
}

/* ------------------------------------------------------------------ beams */

static int declare_beam(lua_State *L, const char *name, int table, int beam_table)
{
    dfl_drawn_beam *beam = lua_newuserdatauv(L, sizeof *beam, 0); /* freed by Lua */
    const dfl_option options[] = {
        {"beam", DFL_OPTION_OTHER, NULL, NULL},        {"modes", DFL_OPTION_OTHER, NULL, NULL},
        {"frame", DFL_OPTION_OTHER, NULL, NULL},       {"damping", DFL_OPTION_OTHER, NULL, NULL},
        {"nodes", DFL_OPTION_OTHER, NULL, NULL},       {"interface", DFL_OPTION_OTHER, NULL, NULL},
        {"color", DFL_OPTION_OTHER, NULL, NULL},       {"hidden", DFL_OPTION_OTHER, NULL, NULL},
        {"first_order", DFL_OPTION_OTHER, NULL, NULL}, {"magnify", DFL_OPTION_OTHER, NULL, NULL},
        {"quasistatic", DFL_OPTION_OTHER, NULL, NULL}, {"start", DFL_OPTION_OTHER, NULL, NULL}};
    *beam = (dfl_drawn_beam){.line = dfl_script_line(L), .name = name};
    dfl_read_options(L, "elastic", name, table, options, sizeof options / sizeof *options);
    dfl_elastic_read_section(beam, L, beam_table, true);
    beam->elements =
        read_count(L, name, beam_table, "elements", 1, MOST_ELEMENTS, DEFAULT_ELEMENTS);
    beam->interface = dfl_elastic_flag(L, name, table, "interface");
    beam->modes =
        read_count(L, name, table, "modes", beam->interface ? 0 : 1, DFL_MOST_MODES, DEFAULT_MODES);
    beam->first_order = dfl_elastic_flag(L, name, table, "first_order");
    beam->hidden = dfl_elastic_flag(L, name, table, "hidden");
    beam->smooth = dfl_elastic_start(L, name, table);
    beam->magnify = dfl_elastic_positive(L, name, table, "magnify", 1.0);
    beam->quasistatic = dfl_elastic_positive(L, name, table, "quasistatic", 0.0);
    beam->color = dfl_draw_color(L, name, table);
    read_frame(beam, L, table);
    read_damping(beam, L, table);
    read_nodes(beam, L, table);
    int body = 0;
    dfl_sandbox_charge(L, 1e5 + 1e3 * pow(beam->elements, 2.0) +
                              1e3 * pow(beam->modes, beam->first_order ? 2.0 : 4.0));
    dfl_script_check(L, dfl_drawing_beam(&body, dfl_script_drawing(L), beam));
    dfl_body_push(L, body);
    return 1;
}

void dfl_elastic_read_section(dfl_drawn_beam *beam, lua_State *L, int table, bool ends)
{
    section s = {0};
    bool from = false, to = false;
    const dfl_option options[] = {{"from", DFL_OPTION_POINT, &beam->from, &from},
                                  {"to", DFL_OPTION_POINT, &beam->to, &to},
                                  {"up", DFL_OPTION_AXIS, &beam->up, NULL},
                                  {"width", DFL_OPTION_EXPR, &s.width, NULL},
                                  {"height", DFL_OPTION_EXPR, &s.height, NULL},
                                  {"radius", DFL_OPTION_EXPR, &s.radius, &s.round},
                                  {"inner_radius", DFL_OPTION_EXPR, &s.inner, &s.hollow},
                                  {"E", DFL_OPTION_EXPR, &s.E, NULL},
                                  {"G", DFL_OPTION_EXPR, &s.G, &s.G_given},
                                  {"nu", DFL_OPTION_EXPR, &s.nu, &s.nu_given},
                                  {"density", DFL_OPTION_EXPR, &s.density, NULL},
                                  {"EA", DFL_OPTION_EXPR, &beam->EA, NULL},
                                  {"EI", DFL_OPTION_EXPR, &beam->EI, NULL},
                                  {"EI2", DFL_OPTION_EXPR, &beam->EI2, NULL},
                                  {"GJ", DFL_OPTION_EXPR, &beam->GJ, NULL},
                                  {"mass_per_length", DFL_OPTION_EXPR, &beam->rhoA, NULL},
                                  {"section_inertia", DFL_OPTION_EXPR, &beam->rhoJ, NULL},
                                  {"elements", DFL_OPTION_OTHER, NULL, NULL},
                                  {"taper", DFL_OPTION_OTHER, NULL, NULL}};
    dfl_read_options(L, "elastic", beam->name, table, options, sizeof options / sizeof *options);
    if (ends && (!from || !to))
        dfl_script_error(L, "elastic '%s': the beam needs from = {...} and to = {...}", beam->name);
    fill_section(beam, L, &s);
    read_taper(beam, L, table);
}

/* What was not given follows from the cross-section. */
static void fill_section(dfl_drawn_beam *beam, lua_State *L, const section *s)
{
    dfl_graph *g = dfl_script_of(L)->model->graph;
    const dfl_expr one = dfl_constant(g, 1.0), pi = dfl_constant(g, 3.14159265358979323846);
    const dfl_expr twelfth = dfl_constant(g, 1.0 / 12.0), quarter = dfl_constant(g, 0.25);
    dfl_expr A = 0, I = 0, I2 = 0, Jt = 0;
    if (s->round) {
        const dfl_expr r2 = dfl_mul(g, s->radius, s->radius), i2 = dfl_mul(g, s->inner, s->inner);
        A = dfl_mul(g, pi, dfl_sub(g, r2, i2));
        I = I2 =
            dfl_mul(g, dfl_mul(g, pi, quarter), dfl_sub(g, dfl_mul(g, r2, r2), dfl_mul(g, i2, i2)));
        Jt = dfl_mul(g, dfl_constant(g, 2.0), I);
    } else if (s->width && s->height) {
        const dfl_expr w = s->width, h = s->height;
        A = dfl_mul(g, w, h);
        I = dfl_mul(g, twelfth, dfl_mul(g, A, dfl_mul(g, h, h)));
        I2 = dfl_mul(g, twelfth, dfl_mul(g, A, dfl_mul(g, w, w)));
        Jt = rectangle_twist(L, w, h);
    }
    const dfl_expr nu = s->nu_given ? s->nu : dfl_constant(g, 0.3);
    const dfl_expr G =
        s->G_given ? s->G : dfl_div(g, s->E, dfl_mul(g, dfl_constant(g, 2.0), dfl_add(g, one, nu)));
    beam->EA = beam->EA ? beam->EA : dfl_mul(g, s->E, A);
    beam->EI = beam->EI ? beam->EI : dfl_mul(g, s->E, I);
    beam->EI2 = beam->EI2 ? beam->EI2 : I2 ? dfl_mul(g, s->E, I2) : beam->EI;
    beam->GJ = beam->GJ ? beam->GJ : dfl_mul(g, G, Jt);
    beam->rhoA = beam->rhoA ? beam->rhoA : dfl_mul(g, s->density, A);
    beam->rhoJ = beam->rhoJ ? beam->rhoJ : dfl_mul(g, s->density, dfl_add(g, I, I2));
}

static int is_higher(const double *sides, int count, const void *facts)
{
    (void)count, (void)facts;
    return sides[0] < sides[1];
}

/* Saint-Venant's torsion of a rectangle a x b, a >= b:
   a b^3 (1/3 - 0.21 b/a (1 - b^4 / (12 a^4))), within 0.5 % (Young, Roark's formulas). */
static dfl_expr rectangle_twist(lua_State *L, dfl_expr a, dfl_expr b)
{
    dfl_model *model = dfl_script_of(L)->model;
    dfl_graph *g = model->graph;
    const dfl_expr sides[] = {a, b};
    int higher = 0;
    dfl_script_check(L, dfl_model_decide(&higher, model, sides, 2, is_higher, NULL, 0));
    if (higher) {
        const dfl_expr swap = a;
        a = b;
        b = swap;
    }
    const dfl_expr r = dfl_div(g, b, a), r2 = dfl_mul(g, r, r), b2 = dfl_mul(g, b, b);
    const dfl_expr inner = dfl_sub(g, dfl_constant(g, 1.0),
                                   dfl_mul(g, dfl_constant(g, 1.0 / 12.0), dfl_mul(g, r2, r2)));
    const dfl_expr factor = dfl_sub(g, dfl_constant(g, 1.0 / 3.0),
                                    dfl_mul(g, dfl_mul(g, dfl_constant(g, 0.21), r), inner));
    return dfl_mul(g, dfl_mul(g, dfl_mul(g, a, b), b2), factor);
}

/* ------------------------------------------------------------------ options */

static int read_count(lua_State *L, const char *name, int table, const char *key, int least,
                      int most, int missing)
{
    double value = missing;
    if (lua_getfield(L, table, key) != LUA_TNIL &&
        (!dfl_value_number(&value, L, lua_gettop(L)) || value != floor(value) || value < least ||
         value > most))
        dfl_script_error(L, "elastic '%s': %s is a whole number from %d to %d", name, key, least,
                         most);
    lua_pop(L, 1);
    return (int)value;
}

bool dfl_elastic_flag(lua_State *L, const char *name, int table, const char *key)
{
    const int type = lua_getfield(L, table, key);
    const bool value = lua_toboolean(L, -1);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        dfl_script_error(L, "elastic '%s': %s is true or false", name, key);
    lua_pop(L, 1);
    return value;
}

bool dfl_elastic_start(lua_State *L, const char *name, int table)
{
    const int type = lua_getfield(L, table, "start");
    const char *word = type == LUA_TSTRING ? lua_tostring(L, -1) : "?";
    const bool smooth = strcmp(word, "quasistatic") == 0;
    if (type != LUA_TNIL && !smooth && strcmp(word, "given") != 0)
        dfl_script_error(L, "elastic '%s': start is \"given\" or \"quasistatic\"", name);
    lua_pop(L, 1);
    return smooth;
}

double dfl_elastic_positive(lua_State *L, const char *name, int table, const char *key,
                            double missing)
{
    double value = missing;
    if (lua_getfield(L, table, key) != LUA_TNIL &&
        (!dfl_value_number(&value, L, lua_gettop(L)) || !(value > 0.0 && isfinite(value))))
        dfl_script_error(L, "elastic '%s': %s is a number above 0", name, key);
    lua_pop(L, 1);
    return value;
}

static void read_frame(dfl_drawn_beam *beam, lua_State *L, int table)
{
    static const char *const words[] = {"chord", "tangent", "buckens"};
    int k = 0;
    if (lua_getfield(L, table, "frame") != LUA_TNIL) {
        const char *word = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "?";
        while (k < 3 && strcmp(word, words[k]) != 0)
            k++;
        if (k == 3)
            dfl_script_error(L, "elastic '%s': frame is \"chord\", \"tangent\" or \"buckens\"",
                             beam->name);
        beam->frame = (dfl_beam_frame)k;
        beam->frame_given = true;
    }
    lua_pop(L, 1);
}

/* A ratio for all modes, or { alpha = , beta = , ratio = }. */
static void read_damping(dfl_drawn_beam *beam, lua_State *L, int table)
{
    const dfl_option options[] = {{"ratio", DFL_OPTION_EXPR, &beam->ratio, NULL},
                                  {"alpha", DFL_OPTION_EXPR, &beam->alpha, NULL},
                                  {"beta", DFL_OPTION_EXPR, &beam->beta, NULL}};
    const int type = lua_getfield(L, table, "damping"), top = lua_gettop(L);
    if (type == LUA_TTABLE)
        dfl_read_options(L, "elastic", beam->name, top, options, 3);
    else if (type != LUA_TNIL)
        beam->ratio = dfl_arg_expr(L, "elastic", top);
    const dfl_expr all[] = {beam->ratio, beam->alpha, beam->beta};
    for (int k = 0; k < 3; k++) {
        double value = 0.0;
        dfl_script_check(L,
                         dfl_model_within(&value, dfl_script_of(L)->model, all[k], 0.0, DBL_MAX));
        if (!(value >= 0.0))
            dfl_script_error(L, "elastic '%s': its damping is %f; give positive numbers",
                             beam->name, value);
    }
    lua_pop(L, 1);
}

/* { x = {0, ..., 1}, mass = {...}, EI = {...}, ... }: factors; what is not given stays 1. */
static void read_taper(dfl_drawn_beam *beam, lua_State *L, int table)
{
    static const char *const keys[] = {"mass", "EA", "EI", "EI2", "GJ", "x"};
    const int type = lua_getfield(L, table, "taper"), taper = lua_gettop(L);
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    dfl_option options[DFL_TAPERS + 1];
    for (int k = 0; k <= DFL_TAPERS; k++)
        options[k] = (dfl_option){keys[k], DFL_OPTION_OTHER, NULL, NULL};
    dfl_read_options(L, "elastic", beam->name, taper, options, DFL_TAPERS + 1);
    beam->ntaper = read_factors(beam, L, taper, "x", beam->taper_place, true);
    for (int k = 0; k < DFL_TAPERS; k++) {
        const int count = read_factors(beam, L, taper, keys[k], beam->taper[k], false);
        for (int i = 0; i < beam->ntaper && count == 0; i++)
            beam->taper[k][i] = 1.0;
        if (beam->ntaper < 2 || (count && count != beam->ntaper))
            dfl_script_error(L,
                             "elastic '%s': taper is { x = {0, ..., 1}, EI = {...}, mass = {...} } "
                             "with lists of the same length",
                             beam->name);
    }
    lua_pop(L, 1);
}

/* A list of places from 0 to 1, or of positive factors; returns its length. */
static int read_factors(dfl_drawn_beam *beam, lua_State *L, int taper, const char *key, double *out,
                        bool places)
{
    const bool given = lua_getfield(L, taper, key) == LUA_TTABLE;
    const int list = lua_gettop(L), count = given ? (int)lua_rawlen(L, list) : 0;
    bool fine = count <= DFL_MOST_TAPER && (given || lua_isnil(L, list));
    for (int i = 0; i < count && fine; i++) {
        lua_rawgeti(L, list, i + 1);
        fine = dfl_value_number(&out[i], L, lua_gettop(L)) && isfinite(out[i]);
        lua_pop(L, 1);
        if (places)
            fine = fine && (i == 0 ? out[i] == 0.0 : out[i] > out[i - 1]) &&
                   (i < count - 1 || out[i] == 1.0);
        else
            fine = fine && out[i] > 0.0;
    }
    if (!fine)
        dfl_script_error(L, "elastic '%s': %s of the taper must be a list of up to %d %s",
                         beam->name, key, DFL_MOST_TAPER,
                         places ? "places that ascend from 0 to 1" : "positive factors");
    lua_pop(L, 1);
    return count;
}

/* { a = 0, b = 1 }: stations along the beam, from 0 to 1; by ascending station. */
static void read_nodes(dfl_drawn_beam *beam, lua_State *L, int table)
{
    if (lua_getfield(L, table, "nodes") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    const int nodes = lua_gettop(L);
    if (!lua_istable(L, nodes))
        dfl_script_error(L, "elastic '%s': write nodes = { a = 0, b = 1 }", beam->name);
    for (lua_pushnil(L); lua_next(L, nodes) != 0; lua_pop(L, 1)) {
        double station = -1.0;
        if (lua_type(L, -2) != LUA_TSTRING || !dfl_value_number(&station, L, lua_gettop(L)) ||
            !(station >= 0.0 && station <= 1.0))
            dfl_script_error(L,
                             "elastic '%s': a node is a name with its place along the beam, from 0 "
                             "to 1: nodes = { a = 0, mid = .5, b = 1 }",
                             beam->name);
        if (beam->nnodes == DFL_MOST_NODES)
            dfl_script_error(L, "elastic '%s': a beam has at most %d nodes", beam->name,
                             DFL_MOST_NODES);
        const char *name = lua_tostring(L, -2); /* the table keeps the text */
        int k = beam->nnodes++;
        for (; k > 0 &&
               (beam->station[k - 1] > station ||
                (beam->station[k - 1] == station && strcmp(beam->node_name[k - 1], name) > 0));
             k--) { /* Lua's order is not ours */
            beam->station[k] = beam->station[k - 1];
            beam->node_name[k] = beam->node_name[k - 1];
        }
        beam->station[k] = station;
        beam->node_name[k] = name;
    }
    lua_pop(L, 1);
}
