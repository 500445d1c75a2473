/* elastic_fe_calls.c: elastic(name, { K = "part.sti", M = "part.mas", ... }): bodies of finite elements. */
#include "drawing/drawing.h"

#include "script/arguments.h"
#include "script/language.h"
#include "script/mechanism_calls.h"
#include "script/model_file.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_MODES = 4 };

/* What the script says; texts and lists belong to Lua. */
typedef struct request {
    const char *name, *K, *M, *unknowns, *nodes;
    dfl_fe_task task;
    bool boxed[DFL_MOST_INTERFACES]; /* an interface of all nodes within a box */
    double box[DFL_MOST_INTERFACES][6];
} request;

static const char *file_of(lua_State *L, const request *q, int table, const char *key, bool needed);
static void read_interfaces(request *q, lua_State *L, int table);
static void read_interface(request *q, lua_State *L, int k, int table);
static void read_ids(request *q, lua_State *L, dfl_fe_interface *out, int list);
static void read_watched(request *q, lua_State *L, int table);
static dfl_status reduce(dfl_sid *sid, dfl_script *script, request *q);
static dfl_status read_files(dfl_fe *fe, const dfl_script *script, const request *q);
static dfl_status fill_boxes(request *q, int **ids, const dfl_fe *fe);

int dfl_elastic_from_matrices(lua_State *L, const char *name, int table)
{
    dfl_script *script = dfl_script_of(L);
    dfl_drawn_modes *m = lua_newuserdatauv(L, sizeof *m, 0);
    dfl_sid *sid = lua_newuserdatauv(L, sizeof *sid, 0);
    request *q = lua_newuserdatauv(L, sizeof *q, 0);
    static const char *const others[] = {"K",          "M",     "dof",   "nodes",
                                         "interfaces", "modes", "frame", "watch"};
    enum { OTHERS = sizeof others / sizeof *others, COMMON = 8 };
    dfl_option options[COMMON + OTHERS] = {{"at", DFL_OPTION_POINT, &m->at, NULL},
                                           {"axis", DFL_OPTION_AXIS, &m->axis, NULL},
                                           {"axis2", DFL_OPTION_AXIS, &m->axis2, NULL},
                                           DFL_ELASTIC_OPTIONS};
    for (int k = 0; k < OTHERS; k++)
        options[COMMON + k] = (dfl_option){others[k], DFL_OPTION_OTHER, NULL, NULL};
    dfl_elastic_begin_in_space(m, L, name);
    dfl_read_options(L, "elastic", name, table, options, sizeof options / sizeof *options);
    memset(q, 0, sizeof *q);
    q->name = name;
    q->K = file_of(L, q, table, "K", true);
    q->M = file_of(L, q, table, "M", true);
    q->nodes = file_of(L, q, table, "nodes", true);
    q->unknowns = file_of(L, q, table, "dof", false);
    q->task.modes = dfl_elastic_count(L, name, table, "modes", DEFAULT_MODES);
    q->task.frame = dfl_elastic_frame(L, name, table);
    read_interfaces(q, L, table);
    read_watched(q, L, table);
    dfl_sandbox_charge(L, 1e8);
    dfl_script_check(L, reduce(sid, script, q));
    dfl_elastic_take_sid(m, L, sid);
    return dfl_elastic_declare(L, m, table);
}

/* ------------------------------------------------------------------ options */

/* The text stays in the table of the caller. */
static const char *file_of(lua_State *L, const request *q, int table, const char *key, bool needed)
{
    const int type = lua_getfield(L, table, key);
    const char *file = type == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    if (!file && (needed || type != LUA_TNIL))
        dfl_script_error(L, "elastic '%s': give %s = \"FILE\", a file below the model's folder",
                         q->name, key);
    lua_pop(L, 1);
    return file;
}

int dfl_elastic_count(lua_State *L, const char *name, int table, const char *key, int missing)
{
    double value = missing;
    if (lua_getfield(L, table, key) != LUA_TNIL &&
        (!dfl_value_number(&value, L, lua_gettop(L)) || value != floor(value) || value < 0.0 ||
         value > DFL_MOST_MODES))
        dfl_script_error(L, "elastic '%s': %s is a whole number from 0 to %d", name, key,
                         DFL_MOST_MODES);
    lua_pop(L, 1);
    return (int)value;
}

int dfl_elastic_frame(lua_State *L, const char *name, int table)
{
    const int type = lua_getfield(L, table, "frame");
    const char *word = type == LUA_TSTRING ? lua_tostring(L, -1) : "?";
    const dfl_beam_frame frame = type == LUA_TNIL || strcmp(word, "tangent") == 0
                                     ? DFL_FRAME_TANGENT
                                 : strcmp(word, "chord") == 0 ? DFL_FRAME_CHORD
                                                              : DFL_FRAME_BUCKENS;
    if (frame == DFL_FRAME_BUCKENS && strcmp(word, "buckens") != 0)
        dfl_script_error(L, "elastic '%s': frame is \"tangent\", \"chord\" or \"buckens\"", name);
    lua_pop(L, 1);
    return (int)frame;
}

/* { a = {1, 2, 3}, b = { nodes = {...}, at = {...} }, c = { box = {{...}, {...}} } }, by name */
static void read_interfaces(request *q, lua_State *L, int table)
{
    dfl_fe_task *task = &q->task;
    const char *hint = "interfaces = { a = {1, 2, 3}, b = { box = {{x, y, z}, {x, y, z}} } }";
    const int type = lua_getfield(L, table, "interfaces"), list = lua_gettop(L);
    if (type != LUA_TTABLE)
        dfl_script_error(L, "elastic '%s': give %s", q->name, hint);
    for (lua_pushnil(L); lua_next(L, list) != 0; lua_pop(L, 1)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        if (!*name || strlen(name) >= DFL_LONGEST_FE_NAME || !lua_istable(L, -1))
            dfl_script_error(L, "elastic '%s': give %s", q->name, hint);
        if (task->ninterfaces == DFL_MOST_INTERFACES)
            dfl_script_error(L, "elastic '%s': a body has at most %d interfaces", q->name,
                             DFL_MOST_INTERFACES);
        int k = task->ninterfaces++;
        for (; k > 0 && strcmp(task->interface[k - 1].name, name) > 0; k--)
            task->interface[k] = task->interface[k - 1];
        snprintf(task->interface[k].name, sizeof task->interface[k].name, "%s", name);
    }
    for (int k = 0; k < task->ninterfaces; k++) { /* the lists stay on the stack */
        lua_getfield(L, list, task->interface[k].name);
        read_interface(q, L, k, lua_gettop(L));
    }
}

static void read_interface(request *q, lua_State *L, int k, int table)
{
    dfl_fe_interface *out = &q->task.interface[k];
    const dfl_option options[] = {{"nodes", DFL_OPTION_OTHER, NULL, NULL},
                                  {"box", DFL_OPTION_OTHER, NULL, NULL},
                                  {"at", DFL_OPTION_OTHER, NULL, NULL}};
    luaL_checkstack(L, 10, "elastic: interfaces");
    if (lua_rawlen(L, table) > 0) {
        read_ids(q, L, out, table);
        return;
    }
    dfl_read_options(L, "elastic", q->name, table, options, 3);
    if (lua_getfield(L, table, "at") != LUA_TNIL) {
        out->at_given = true;
        if (dfl_elastic_numbers(L, q->name, out->at, 3, lua_gettop(L), 0) != 3)
            dfl_script_error(L, "elastic '%s': at of interface '%s' is {x, y, z}", q->name,
                             out->name);
    }
    if (lua_getfield(L, table, "box") != LUA_TNIL) {
        q->boxed[k] = true;
        if (dfl_elastic_numbers(L, q->name, q->box[k], 6, lua_gettop(L), 0) != 6)
            dfl_script_error(L, "elastic '%s': box of interface '%s' is {{x, y, z}, {x, y, z}}",
                             q->name, out->name);
        return;
    }
    if (lua_getfield(L, table, "nodes") != LUA_TTABLE)
        dfl_script_error(L, "elastic '%s': interface '%s' needs nodes = {...} or box = {...}",
                         q->name, out->name);
    read_ids(q, L, out, lua_gettop(L));
}

/* Whole numbers, in memory of Lua that stays on the stack. */
static void read_ids(request *q, lua_State *L, dfl_fe_interface *out, int list)
{
    const lua_Unsigned count = lua_rawlen(L, list);
    if (count < 1 || count > DFL_MOST_FE_DOFS)
        dfl_script_error(L, "elastic '%s': interface '%s' has no nodes", q->name, out->name);
    int *ids = lua_newuserdatauv(L, (size_t)count * sizeof *ids, 0);
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(L, list, (lua_Integer)i);
        const lua_Number value = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : 0.0;
        if (!(value >= 1.0 && value <= 2147483647.0) || value != floor(value))
            dfl_script_error(L, "elastic '%s': nodes of interface '%s' are whole numbers from 1",
                             q->name, out->name);
        ids[i - 1] = (int)value;
        lua_pop(L, 1);
    }
    out->count = (int)count;
    out->id = ids;
}

int dfl_elastic_numbers(lua_State *L, const char *name, double *out, int most, int i, int have)
{
    if (!lua_istable(L, i)) {
        double x = 0.0;
        if (!dfl_value_number(&x, L, i) || !isfinite(x))
            dfl_script_error(L, "elastic '%s': a number is missing", name);
        if (have < most)
            out[have] = x;
        return have + 1;
    }
    luaL_checkstack(L, 5, "elastic: lists within lists");
    const lua_Unsigned length = lua_rawlen(L, i);
    for (lua_Unsigned k = 1; k <= length && have <= most; k++) {
        lua_rawgeti(L, i, (lua_Integer)k);
        have = dfl_elastic_numbers(L, name, out, most, lua_gettop(L), have);
        lua_pop(L, 1);
    }
    return have;
}

static void read_watched(request *q, lua_State *L, int table)
{
    double ids[DFL_MOST_WATCHED];
    if (lua_getfield(L, table, "watch") != LUA_TNIL) {
        const int count = dfl_elastic_numbers(L, q->name, ids, DFL_MOST_WATCHED, lua_gettop(L), 0);
        if (count > DFL_MOST_WATCHED)
            dfl_script_error(L, "elastic '%s': watch at most %d nodes", q->name, DFL_MOST_WATCHED);
        for (int k = 0; k < count; k++)
            q->task.watched[q->task.nwatched++] =
                ids[k] >= 1.0 && ids[k] <= 2147483647.0 ? (int)ids[k] : 0;
    }
    lua_pop(L, 1);
}

/* ------------------------------------------------------------------ files */

/* Without calls of Lua, which might not return. */
static dfl_status reduce(dfl_sid *sid, dfl_script *script, request *q)
{
    dfl_fe fe = {.ctx = script->ctx};
    int *ids[DFL_MOST_INTERFACES] = {NULL};
    dfl_status status = read_files(&fe, script, q);
    if (!status)
        status = dfl_fe_complete(&fe);
    if (!status)
        status = fill_boxes(q, ids, &fe);
    if (!status)
        status = dfl_fe_reduce(sid, &fe, &q->task);
    for (int k = 0; k < DFL_MOST_INTERFACES; k++)
        dfl_free(script->ctx, ids[k]);
    dfl_fe_clear(&fe);
    if (!status)
        status = dfl_sid_check(sid, script->ctx, q->M);
    return status;
}

static dfl_status read_files(dfl_fe *fe, const dfl_script *script, const request *q)
{
    const char *const files[] = {q->nodes, q->unknowns, q->K, q->M};
    dfl_status status = DFL_OK;
    for (int k = 0; k < 4 && !status; k++) {
        if (!files[k])
            continue;
        dfl_text text = {.ctx = script->ctx};
        status = dfl_model_file_read(&text, script->model, "elastic body", files[k]);
        const char *bytes = dfl_text_string(&text);
        if (!status)
            status = k == 0   ? dfl_fe_read_nodes(fe, files[k], bytes)
                     : k == 1 ? dfl_fe_read_unknowns(fe, files[k], bytes)
                              : dfl_fe_read_matrix(fe, k == 2 ? DFL_FE_STIFFNESS : DFL_FE_MASS,
                                                   files[k], bytes);
        dfl_text_clear(&text);
    }
    return status;
}

static dfl_status fill_boxes(request *q, int **ids, const dfl_fe *fe)
{
    for (int k = 0; k < q->task.ninterfaces; k++) {
        dfl_fe_interface *out = &q->task.interface[k];
        if (!q->boxed[k])
            continue;
        ids[k] = dfl_alloc(fe->ctx, (size_t)fe->nnodes, sizeof **ids);
        if (!ids[k])
            return DFL_NO_MEMORY;
        double size = 0.0;
        for (int a = 0; a < 6; a++)
            size = fmax(size, fabs(q->box[k][a]));
        for (int i = 0; i < fe->nnodes; i++) {
            bool inside = true;
            for (int a = 0; a < 3; a++) {
                const double x = fe->at[3 * (size_t)i + (size_t)a];
                const double low = fmin(q->box[k][a], q->box[k][3 + a]);
                const double high = fmax(q->box[k][a], q->box[k][3 + a]);
                inside = inside && x >= low - 1e-9 * size && x <= high + 1e-9 * size;
            }
            if (inside)
                ids[k][out->count++] = fe->id[i];
        }
        out->id = ids[k];
        if (out->count == 0)
            return dfl_fail(fe->ctx, DFL_INVALID, "elastic '%s': no node lies in the box of '%s'",
                            q->name, out->name);
    }
    return DFL_OK;
}
