/* elastic_frame_calls.c: elastic(name, { points = {...}, beams = {...} }): frames and rings of
   beams. */
#include "drawing/drawing.h"

#include "script/arguments.h"
#include "script/language.h"
#include "script/mechanism_calls.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_POINTS = DFL_MOST_WATCHED,
    MOST_BEAMS = 200,
    MOST_ELEMENTS = 100,
    DEFAULT_ELEMENTS = 4,
    DEFAULT_MODES = 6
};

typedef struct frame {
    const char *name;
    int npoints, nbeams;
    const char *point_name[MOST_POINTS]; /* texts of the script's table */
    double point[3 * MOST_POINTS];
    dfl_fe_beam beam[MOST_BEAMS];
    dfl_fe_task task;
    int id[DFL_MOST_INTERFACES];
} frame;

static void read_points(frame *f, lua_State *L, int table);
static void read_beams(frame *f, lua_State *L, int table);
static void read_beam(frame *f, lua_State *L, int beams, int k, int table);
static void read_elements(dfl_fe_beam *out, lua_State *L, const frame *f, int table);
static void evaluate(dfl_fe_beam *out, lua_State *L, const frame *f, const dfl_drawn_beam *b);
static void read_interfaces(frame *f, lua_State *L, int table);
static int point_of(lua_State *L, const frame *f, int i);
static dfl_status reduce(dfl_sid *sid, dfl_context *ctx, const frame *f);

int dfl_elastic_from_beams(lua_State *L, const char *name, int table)
{
    dfl_drawn_modes *m = lua_newuserdatauv(L, sizeof *m, 0);
    dfl_sid *sid = lua_newuserdatauv(L, sizeof *sid, 0);
    frame *f = lua_newuserdatauv(L, sizeof *f, 0);
    const dfl_option options[] = {{"points", DFL_OPTION_OTHER, NULL, NULL},
                                  {"beams", DFL_OPTION_OTHER, NULL, NULL},
                                  {"section", DFL_OPTION_OTHER, NULL, NULL},
                                  {"modes", DFL_OPTION_OTHER, NULL, NULL},
                                  {"interfaces", DFL_OPTION_OTHER, NULL, NULL},
                                  {"frame", DFL_OPTION_OTHER, NULL, NULL},
                                  DFL_ELASTIC_OPTIONS,
                                  {"first_order", DFL_OPTION_OTHER, NULL, NULL}};
    dfl_elastic_begin(m, L, name);
    dfl_read_options(L, "elastic", name, table, options, sizeof options / sizeof *options);
    memset(f, 0, sizeof *f);
    f->name = name;
    f->task.planar = dfl_drawing_is_planar(dfl_script_drawing(L));
    read_points(f, L, table);
    read_beams(f, L, table);
    read_interfaces(f, L, table);
    f->task.modes = dfl_elastic_count(L, name, table, "modes", DEFAULT_MODES);
    f->task.frame = dfl_elastic_frame(L, name, table);
    f->task.first_order = dfl_elastic_flag(L, name, table, "first_order");
    dfl_sandbox_charge(L, 1e7);
    dfl_script_check(L, reduce(sid, dfl_script_of(L)->ctx, f));
    for (int k = f->task.ninterfaces; k < sid->nnodes; k++)
        snprintf(sid->node[k].name, sizeof sid->node[k].name, "%s",
                 f->point_name[f->task.watched[k - f->task.ninterfaces] - 1]);
    dfl_elastic_take_sid(m, L, sid);
    return dfl_elastic_declare(L, m, table);
}

/* Without calls of Lua, which might not return. */
static dfl_status reduce(dfl_sid *sid, dfl_context *ctx, const frame *f)
{
    dfl_fe fe = {.ctx = ctx};
    dfl_status status = dfl_fe_frame(&fe, f->point, f->npoints, f->beam, f->nbeams);
    if (!status)
        status = dfl_fe_complete(&fe);
    if (!status)
        status = dfl_fe_reduce(sid, &fe, &f->task);
    dfl_fe_clear(&fe);
    return status;
}

/* { a = {x, y, z}, ... }, by name */
static void read_points(frame *f, lua_State *L, int table)
{
    const int type = lua_getfield(L, table, "points"), points = lua_gettop(L);
    if (type != LUA_TTABLE)
        dfl_script_error(L, "elastic '%s': give points = { a = {x, y, z}, ... }", f->name);
    for (lua_pushnil(L); lua_next(L, points) != 0; lua_pop(L, 1)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        if (!*name || strlen(name) >= DFL_LONGEST_FE_NAME || !lua_istable(L, -1))
            dfl_script_error(L, "elastic '%s': give points = { a = {x, y, z}, ... }", f->name);
        if (f->npoints == MOST_POINTS)
            dfl_script_error(L, "elastic '%s': a frame has at most %d points", f->name,
                             MOST_POINTS);
        int k = f->npoints++;
        for (; k > 0 && strcmp(f->point_name[k - 1], name) > 0; k--) /* Lua's order is not ours */
            f->point_name[k] = f->point_name[k - 1];
        f->point_name[k] = name;
    }
    for (int k = 0; k < f->npoints; k++) {
        lua_getfield(L, points, f->point_name[k]);
        const int axes = f->task.planar ? 2 : 3;
        if (dfl_elastic_numbers(L, f->name, f->point + 3 * k, axes, lua_gettop(L), 0) != axes)
            dfl_script_error(L, "elastic '%s': point '%s' is %s", f->name, f->point_name[k],
                             axes == 2 ? "{x, y}" : "{x, y, z}");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* { { between = {"a", "b"}, width = ..., ... }, ... } */
static void read_beams(frame *f, lua_State *L, int table)
{
    const int type = lua_getfield(L, table, "beams"), beams = lua_gettop(L);
    const lua_Unsigned count = type == LUA_TTABLE ? lua_rawlen(L, beams) : 0;
    if (count < 1 || count > MOST_BEAMS)
        dfl_script_error(
            L, "elastic '%s': give beams = { { between = {\"a\", \"b\"} }, ... }, 1 to %d", f->name,
            MOST_BEAMS);
    f->nbeams = (int)count;
    for (int k = 0; k < f->nbeams; k++)
        read_beam(f, L, beams, k, table);
    lua_pop(L, 1);
}

/* What a beam does not say is that of `section`. */
static void read_beam(frame *f, lua_State *L, int beams, int k, int table)
{
    dfl_fe_beam *out = &f->beam[k];
    lua_rawgeti(L, beams, k + 1);
    const int own = lua_gettop(L);
    if (!lua_istable(L, own) || lua_getfield(L, own, "between") != LUA_TTABLE ||
        lua_rawlen(L, -1) != 2)
        dfl_script_error(L, "elastic '%s': beam %d needs between = {\"a\", \"b\"}", f->name, k + 1);
    for (int end = 0; end < 2; end++) {
        lua_rawgeti(L, own + 1, end + 1);
        *(end ? &out->last : &out->first) = point_of(L, f, lua_gettop(L));
        lua_pop(L, 1);
    }
    if (memcmp(f->point + 3 * out->first, f->point + 3 * out->last, 3 * sizeof *f->point) == 0)
        dfl_script_error(L, "elastic '%s': beam %d has no length: its points are the same place",
                         f->name, k + 1);
    lua_newtable(L);
    const int all = lua_gettop(L);
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            lua_pushvalue(L, own);
        else
            lua_getfield(L, table, "section");
        const int from = lua_gettop(L);
        for (lua_pushnil(L); lua_istable(L, from) && lua_next(L, from) != 0;) {
            lua_pushvalue(L, -2);
            lua_insert(L, -2); /* key, key, value */
            lua_rawset(L, all);
        }
        lua_settop(L, from - 1);
    }
    lua_pushnil(L);
    lua_setfield(L, all, "between");
    dfl_drawn_beam *beam = lua_newuserdatauv(L, sizeof *beam, 0);
    *beam = (dfl_drawn_beam){.line = dfl_script_line(L), .name = f->name};
    dfl_elastic_read_section(beam, L, all, false);
    if (beam->ntaper > 0)
        dfl_script_error(L, "elastic '%s': beams of frames have no taper; give shorter beams",
                         f->name);
    if (f->task.planar && lua_getfield(L, all, "up") != LUA_TNIL)
        dfl_script_error(L, "elastic '%s': up is for models in space; in the plane it is in it",
                         f->name);
    evaluate(out, L, f, beam);
    read_elements(out, L, f, all);
    lua_settop(L, own - 1);
}

static void read_elements(dfl_fe_beam *out, lua_State *L, const frame *f, int table)
{
    double elements = DEFAULT_ELEMENTS;
    if (lua_getfield(L, table, "elements") != LUA_TNIL &&
        (!dfl_value_number(&elements, L, lua_gettop(L)) || elements != floor(elements) ||
         elements < 1.0 || elements > MOST_ELEMENTS))
        dfl_script_error(L, "elastic '%s': elements is a whole number from 1 to %d", f->name,
                         MOST_ELEMENTS);
    out->elements = (int)elements;
    lua_pop(L, 1);
}

/* Present values; inertias of the section are shared out like EI and EI2. In the plane what is
   across it does nothing, and need not be given. */
static void evaluate(dfl_fe_beam *out, lua_State *L, const frame *f, const dfl_drawn_beam *b)
{
    const bool planar = f->task.planar;
    const struct {
        dfl_expr expr;
        double *value;
        const char *what;
        bool across;
    } all[] = {{b->EA, &out->EA, "EA", false},
               {b->EI, &out->EI, "EI", false},
               {b->EI2, &out->EI2, "EI2", true},
               {b->GJ, &out->GJ, "GJ", true},
               {b->rhoA, &out->rhoA, "mass_per_length", false},
               {b->rhoJ, &out->rhoI, "section_inertia", true}};
    dfl_model *model = dfl_script_of(L)->model;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        dfl_script_check(L, dfl_model_value(all[k].value, model, all[k].expr));
        const bool left_out = planar && all[k].across && *all[k].value == 0.0;
        if (!left_out && (!(*all[k].value > 0.0) || !isfinite(*all[k].value)))
            dfl_script_error(L,
                             "elastic '%s': %s of a beam is %f; give a section: E, density, width "
                             "and height or radius, or %s",
                             f->name, all[k].what, *all[k].value,
                             planar ? "EA, EI, mass_per_length"
                                    : "EA, EI, EI2, GJ, mass_per_length, section_inertia");
    }
    out->EI2 = out->EI2 > 0.0 ? out->EI2 : out->EI;
    out->GJ = out->GJ > 0.0 ? out->GJ : out->EI;
    const double whole = out->rhoI, *from = f->point + 3 * out->first,
                 *to = f->point + 3 * out->last;
    out->rhoI = whole * out->EI / (out->EI + out->EI2);
    out->rhoI2 = whole - out->rhoI;
    for (int a = 0; a < 3; a++)
        dfl_script_check(L, dfl_model_value(&out->up[a], model, b->up.e[a]));
    if (planar) {
        out->up[0] = from[1] - to[1];
        out->up[1] = to[0] - from[0];
    }
}

/* Points where joints hold the frame, in this order; all others can be watched. */
static void read_interfaces(frame *f, lua_State *L, int table)
{
    dfl_fe_task *task = &f->task;
    const int type = lua_getfield(L, table, "interfaces"), list = lua_gettop(L);
    const lua_Unsigned count = type == LUA_TTABLE ? lua_rawlen(L, list) : 0;
    if (count < 1 || count > DFL_MOST_INTERFACES)
        dfl_script_error(L, "elastic '%s': give interfaces = {\"a\", ...}, 1 to %d of its points",
                         f->name, DFL_MOST_INTERFACES);
    for (int k = 0; k < (int)count; k++) {
        lua_rawgeti(L, list, k + 1);
        f->id[k] = point_of(L, f, lua_gettop(L)) + 1;
        lua_pop(L, 1);
        dfl_fe_interface *out = &task->interface[task->ninterfaces++];
        snprintf(out->name, sizeof out->name, "%s", f->point_name[f->id[k] - 1]);
        out->count = 1;
        out->id = &f->id[k];
    }
    for (int i = 1; i <= f->npoints; i++) {
        bool held = false;
        for (int k = 0; k < task->ninterfaces; k++)
            held = held || f->id[k] == i;
        if (!held)
            task->watched[task->nwatched++] = i;
    }
    lua_pop(L, 1);
}

static int point_of(lua_State *L, const frame *f, int i)
{
    const char *name = lua_type(L, i) == LUA_TSTRING ? lua_tostring(L, i) : "?";
    for (int k = 0; k < f->npoints; k++)
        if (strcmp(f->point_name[k], name) == 0)
            return k;
    return dfl_script_error(L, "elastic '%s': there is no point '%s'", f->name, name);
}
