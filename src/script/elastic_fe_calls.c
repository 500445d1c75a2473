/* elastic_fe_calls.c: elastic(name, { K = "part.sti", M = "part.mas", ... }): bodies of finite
   elements. */
#include "drawing/drawing.h"

#include "script/arguments.h"
#include "script/language.h"
#include "script/mechanism_calls.h"
#include "script/model_file.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_MODES = 4, PARTS = DFL_FE_PART_MASS + 1, LONGEST_LABEL = 300 };

static const char *const parts[PARTS] = {"nodes", "dof", "K", "M"}; /* as dfl_fe_part */

/* What the script says; texts and lists belong to Lua. */
typedef struct request {
    const char *name, *file[PARTS];
    char label[PARTS][2 * LONGEST_LABEL]; /* FILE, or FILE:SET of an HDF5 file */
    dfl_fe_task task;
    bool boxed[DFL_MOST_INTERFACES]; /* an interface of all nodes within a box */
    double box[DFL_MOST_INTERFACES][6];
    int nloads;
    dfl_fe_load load[DFL_MOST_FE_LOADS];
    struct {
        const char *file[PARTS];
        char label[PARTS][2 * LONGEST_LABEL];
    } load_files[DFL_MOST_FE_LOADS];
} request;

static const char *file_of(lua_State *L, const request *q, int table, const char *key, bool needed);
static void read_interfaces(request *q, lua_State *L, int table);
static void read_interface(request *q, lua_State *L, int k, int table);
static void read_ids(request *q, lua_State *L, dfl_fe_interface *out, int list);
static void read_watched(request *q, lua_State *L, int table);
static dfl_status reduce(dfl_sid *sid, dfl_script *script, request *q);
static dfl_status read_files(dfl_fe *fe, const dfl_script *script, request *q);
static dfl_status read_part(dfl_fe *fe, const dfl_script *script, dfl_fe_part part,
                            const char *given, char *label);
static dfl_status read_text(dfl_fe *fe, dfl_fe_part part, const char *label, const char *text);
static void read_loads(request *q, lua_State *L, int table);
static void read_load(request *q, lua_State *L, int k, int table);
static int node_of(lua_State *L, const request *q, int k, int table);
static dfl_status read_load_files(const dfl_script *script, request *q);
static dfl_status fill_boxes(request *q, int **ids, const dfl_fe *fe);

int dfl_elastic_from_matrices(lua_State *L, const char *name, int table)
{
    dfl_script *script = dfl_script_of(L);
    dfl_drawn_modes *m = lua_newuserdatauv(L, sizeof *m, 0);
    dfl_sid *sid = lua_newuserdatauv(L, sizeof *sid, 0);
    request *q = lua_newuserdatauv(L, sizeof *q, 0);
    static const char *const others[] = {"K",     "M",     "dof",   "nodes",     "interfaces",
                                         "modes", "frame", "watch", "stiffening"};
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
    for (int k = 0; k < PARTS; k++)
        q->file[k] = file_of(L, q, table, parts[k], k != DFL_FE_PART_UNKNOWNS);
    q->task.modes = dfl_elastic_count(L, name, table, "modes", DEFAULT_MODES);
    q->task.frame = dfl_elastic_frame(L, name, table);
    read_interfaces(q, L, table);
    read_watched(q, L, table);
    read_loads(q, L, table);
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

/* stiffening = { { K = "spun.sti", dof = "spun.dof", turning = {0, 0, 100} }, ... } */
static void read_loads(request *q, lua_State *L, int table)
{
    const int type = lua_getfield(L, table, "stiffening"), list = lua_gettop(L);
    const lua_Unsigned count = type == LUA_TTABLE ? lua_rawlen(L, list) : 0;
    if (type != LUA_TNIL && (count < 1 || count > DFL_MOST_FE_LOADS))
        dfl_script_error(
            L,
            "elastic '%s': give stiffening = { { K = \"FILE\", turning = {0, 0, 100} }, "
            "... }, 1 to %d loads",
            q->name, DFL_MOST_FE_LOADS);
    for (lua_Unsigned k = 0; k < count; k++) { /* the tables stay on the stack, with their texts */
        luaL_checkstack(L, 10, "elastic: stiffening");
        lua_rawgeti(L, list, (lua_Integer)k + 1);
        read_load(q, L, (int)k, lua_gettop(L));
    }
    q->nloads = (int)count;
}

static void read_load(request *q, lua_State *L, int k, int table)
{
    static const char *const kinds[] = {"turning", "gravity", "force", "moment"};
    static const char *const keys[] = {"K",     "dof",    "turning", "gravity",
                                       "force", "moment", "node",    "softened"};
    enum { KEYS = sizeof keys / sizeof *keys };
    dfl_option options[KEYS];
    dfl_fe_load *out = &q->load[k];
    int given = 0, axes = 0;
    if (!lua_istable(L, table))
        dfl_script_error(L, "elastic '%s': a load of stiffening is { K = \"FILE\", ... }", q->name);
    for (int i = 0; i < KEYS; i++)
        options[i] = (dfl_option){keys[i], DFL_OPTION_OTHER, NULL, NULL};
    dfl_read_options(L, "elastic", q->name, table, options, KEYS);
    q->load_files[k].file[DFL_FE_PART_NODES] = q->file[DFL_FE_PART_NODES];
    q->load_files[k].file[DFL_FE_PART_STIFFNESS] = file_of(L, q, table, "K", true);
    q->load_files[k].file[DFL_FE_PART_UNKNOWNS] = file_of(L, q, table, "dof", false);
    if (!q->load_files[k].file[DFL_FE_PART_UNKNOWNS])
        q->load_files[k].file[DFL_FE_PART_UNKNOWNS] = q->file[DFL_FE_PART_UNKNOWNS];
    for (int i = 0; i < 4; i++) {
        if (lua_getfield(L, table, kinds[i]) != LUA_TNIL) {
            given++;
            out->kind = (dfl_fe_load_kind)i;
            if (dfl_elastic_numbers(L, q->name, out->load, 3, lua_gettop(L), 0) != 3)
                dfl_script_error(L, "elastic '%s': %s of stiffening is {x, y, z}", q->name,
                                 kinds[i]);
        }
        lua_pop(L, 1);
    }
    for (int a = 0; a < 3; a++)
        axes += out->load[a] != 0.0;
    if (given != 1 || axes < 1 || axes > (out->kind == DFL_FE_TURNING ? 2 : 1))
        dfl_script_error(
            L,
            "elastic '%s': load %d of stiffening is turning = {x, y, z} about one axis, "
            "or two, or gravity, force or moment along one",
            q->name, k + 1);
    out->softened = lua_getfield(L, table, "softened") == LUA_TNIL || lua_toboolean(L, -1);
    lua_pop(L, 1);
    out->node = out->kind >= DFL_FE_FORCE ? node_of(L, q, k, table) : 0;
}

/* An interface, or a node that is watched. */
static int node_of(lua_State *L, const request *q, int k, int table)
{
    const int type = lua_getfield(L, table, "node");
    int found = -1;
    double id = 0.0;
    for (int i = 0; i < q->task.ninterfaces && type == LUA_TSTRING; i++)
        if (strcmp(q->task.interface[i].name, lua_tostring(L, -1)) == 0)
            found = i;
    for (int i = 0; i < q->task.nwatched && type == LUA_TNUMBER; i++)
        if (dfl_value_number(&id, L, lua_gettop(L)) && q->task.watched[i] == (int)id)
            found = q->task.ninterfaces + i;
    if (found < 0)
        dfl_script_error(L,
                         "elastic '%s': load %d of stiffening needs node = \"a\", an interface, or "
                         "the number of a node of watch",
                         q->name, k + 1);
    lua_pop(L, 1);
    return found;
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
        status = read_load_files(script, q);
    q->task.nloads = q->nloads;
    q->task.load = q->load;
    if (!status)
        status = dfl_fe_reduce(sid, &fe, &q->task);
    for (int k = 0; k < DFL_MOST_INTERFACES; k++)
        dfl_free(script->ctx, ids[k]);
    for (int k = 0; k < q->nloads; k++)
        dfl_fe_clear(&q->load[k].body);
    dfl_fe_clear(&fe);
    if (!status)
        status = dfl_sid_check(sid, script->ctx, q->label[DFL_FE_PART_MASS]);
    return status;
}

static dfl_status read_files(dfl_fe *fe, const dfl_script *script, request *q)
{
    dfl_status status = DFL_OK;
    for (int k = 0; k < PARTS && !status; k++)
        if (q->file[k])
            status = read_part(fe, script, (dfl_fe_part)k, q->file[k], q->label[k]);
    return status;
}

/* The stiffness under each load, with the nodes of the body. */
static dfl_status read_load_files(const dfl_script *script, request *q)
{
    dfl_status status = DFL_OK;
    for (int k = 0; k < q->nloads; k++)
        q->load[k].body = (dfl_fe){.ctx = script->ctx};
    for (int k = 0; k < q->nloads && !status; k++) {
        dfl_fe *body = &q->load[k].body;
        for (int part = 0; part < DFL_FE_PART_MASS && !status; part++)
            if (q->load_files[k].file[part])
                status = read_part(body, script, (dfl_fe_part)part, q->load_files[k].file[part],
                                   q->load_files[k].label[part]);
        if (!status)
            status = dfl_fe_complete_stiffness(body);
    }
    return status;
}

/* FILE, or FILE:/SET: a data set of an HDF5 file, by default with the name of the option. */
static dfl_status read_part(dfl_fe *fe, const dfl_script *script, dfl_fe_part part,
                            const char *given, char *label)
{
    const char *set = strstr(given, ":/");
    char file[LONGEST_LABEL];
    dfl_text text = {.ctx = script->ctx};
    const size_t length = set ? (size_t)(set - given) : strlen(given);
    if (strlen(given) + 16 > LONGEST_LABEL)
        return dfl_fail(script->ctx, DFL_INVALID,
                        "elastic body: the name of the file %s is too long", parts[part]);
    memcpy(file, given, length);
    file[length] = '\0';
    dfl_status status = dfl_model_file_read(&text, script->model, "elastic body", file);
    const char *bytes = dfl_text_string(&text);
    const bool packed = set || (!status && dfl_fe_is_hdf5(bytes, text.length));
    snprintf(label, 2 * LONGEST_LABEL, "%s%s%s", file, packed ? ":/" : "",
             set      ? set + 2
             : packed ? parts[part]
                      : "");
    if (!status && packed)
        status = dfl_fe_read_hdf5(fe, part, label, set ? set + 1 : parts[part], bytes, text.length);
    else if (!status)
        status = read_text(fe, part, label, bytes);
    dfl_text_clear(&text);
    return status;
}

static dfl_status read_text(dfl_fe *fe, dfl_fe_part part, const char *label, const char *text)
{
    if (part == DFL_FE_PART_UNKNOWNS)
        return dfl_fe_read_unknowns(fe, label, text);
    if (part != DFL_FE_PART_NODES)
        return dfl_fe_read_matrix(fe, part == DFL_FE_PART_MASS ? DFL_FE_MASS : DFL_FE_STIFFNESS,
                                  label, text);
    const dfl_status status = dfl_fe_read_nodes(fe, label, text);
    return status ? status : dfl_fe_read_elements(fe, label, text);
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
