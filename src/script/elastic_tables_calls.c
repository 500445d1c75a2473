/* elastic_tables_calls.c: elastic(name, { modes = {...}, nodes = {...} }): bodies given by their
   modes. */
#include "drawing/drawing.h"

#include "script/arguments.h"
#include "script/language.h"
#include "script/mechanism_calls.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

static void read_matrices(dfl_drawn_modes *m, lua_State *L, int table);
static void read_damping(dfl_drawn_modes *m, lua_State *L, int table);
static void read_nodes(dfl_drawn_modes *m, lua_State *L, int table);
static void read_node(dfl_drawn_modes *m, lua_State *L, int k, int table);
static bool read_block(double *out, lua_State *L, const dfl_drawn_modes *m, int table,
                       const char *key, int count);
static void read_pairs(double *out, lua_State *L, dfl_drawn_modes *m, int table, const char *key,
                       double sign, int first, int axes);
static void read_exprs(dfl_expr *out, lua_State *L, const dfl_drawn_modes *m, int table,
                       const char *key, int count);
static int flatten(dfl_expr *out, lua_State *L, const dfl_drawn_modes *m, const char *key, int i,
                   int have, int count);

int dfl_elastic_from_table(lua_State *L, const char *name, int table, int modes)
{
    dfl_drawn_modes *m = lua_newuserdatauv(L, sizeof *m, 0); /* freed by Lua */
    const dfl_option options[] = {
        {"modes", DFL_OPTION_OTHER, NULL, NULL},     {"nodes", DFL_OPTION_OTHER, NULL, NULL},
        {"at", DFL_OPTION_POINT, &m->at, NULL},      {"axis", DFL_OPTION_AXIS, &m->axis, NULL},
        {"axis2", DFL_OPTION_AXIS, &m->axis2, NULL}, DFL_ELASTIC_OPTIONS};
    dfl_elastic_begin(m, L, name);
    dfl_read_options(L, "elastic", name, table, options, sizeof options / sizeof *options);
    read_matrices(m, L, modes);
    read_nodes(m, L, table);
    return dfl_elastic_declare(L, m, table);
}

void dfl_elastic_begin(dfl_drawn_modes *m, lua_State *L, const char *name)
{
    memset(m, 0, sizeof *m);
    m->line = dfl_script_line(L);
    m->name = name;
}

int dfl_elastic_declare(lua_State *L, dfl_drawn_modes *m, int table)
{
    int body = 0;
    read_damping(m, L, table);
    m->smooth = dfl_elastic_start(L, m->name, table);
    m->hidden = dfl_elastic_flag(L, m->name, table, "hidden");
    m->magnify = dfl_elastic_positive(L, m->name, table, "magnify", 1.0);
    m->color = dfl_draw_color(L, m->name, table);
    dfl_sandbox_charge(L, 1e5 + 1e3 * (double)m->n * m->n * m->n);
    dfl_script_check(L, dfl_drawing_modes(&body, dfl_script_drawing(L), m));
    dfl_body_push(L, body);
    return 1;
}

/* The number of modes is that of the rows of Me. */
static void read_matrices(dfl_drawn_modes *m, lua_State *L, int table)
{
    static const char *const keys[] = {"mass", "moment", "inertia", "S", "J1", "J2", "C0",
                                       "C1",   "Me",     "K",       "D", "Kw", "Kt", "Kr"};
    dfl_option options[sizeof keys / sizeof *keys];
    const bool planar = dfl_drawing_is_planar(dfl_script_drawing(L));
    const int shifts = planar ? 2 : 3, turns = planar ? 1 : 3, inertias = planar ? 1 : 6;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        options[k] = (dfl_option){keys[k], DFL_OPTION_OTHER, NULL, NULL};
    dfl_read_options(L, "elastic", m->name, table, options, sizeof keys / sizeof *keys);
    lua_getfield(L, table, "Me");
    const lua_Unsigned rows = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    lua_pop(L, 1);
    if (rows < 1 || rows > DFL_MOST_MODES)
        dfl_script_error(L,
                         "elastic '%s': modes needs Me = {{...}, ...}, the mass matrix of 1 to %d "
                         "modes",
                         m->name, DFL_MOST_MODES);
    const int n = m->n = (int)rows;
    read_block(&m->mass, L, m, table, "mass", 1);
    read_block(m->moment, L, m, table, "moment", shifts);
    read_block(m->inertia, L, m, table, "inertia", inertias);
    read_block(m->S, L, m, table, "S", shifts * n);
    read_block(m->J1, L, m, table, "J1", inertias * n);
    m->J2_given = read_block(m->J2, L, m, table, "J2", inertias * n * n);
    read_block(m->C0, L, m, table, "C0", turns * n);
    read_block(m->C1, L, m, table, "C1", turns * n * n);
    read_block(m->Me, L, m, table, "Me", n * n);
    m->Kw_given = read_block(m->Kw, L, m, table, "Kw", inertias * n * n);
    read_pairs(m->S2, L, m, table, "Kt", 1.0, 0, shifts);
    read_pairs(m->C2, L, m, table, "Kr", 1.0, planar ? 2 : 0, turns);
    read_exprs(m->K, L, m, table, "K", n * n);
    read_exprs(m->D, L, m, table, "D", n * n);
}

/* damping = ratio, or { alpha = , beta = , ratio = }: alpha Me + beta K + 2 ratio sqrt(K Me) of the
   diagonals, added to D. */
static void read_damping(dfl_drawn_modes *m, lua_State *L, int table)
{
    dfl_graph *g = dfl_script_of(L)->model->graph;
    dfl_expr alpha = 0, beta = 0, ratio = 0;
    const dfl_option options[] = {{"alpha", DFL_OPTION_EXPR, &alpha, NULL},
                                  {"beta", DFL_OPTION_EXPR, &beta, NULL},
                                  {"ratio", DFL_OPTION_EXPR, &ratio, NULL}};
    const int type = lua_getfield(L, table, "damping");
    if (type == LUA_TTABLE)
        dfl_read_options(L, "elastic", m->name, lua_gettop(L), options, 3);
    else if (type != LUA_TNIL)
        ratio = dfl_arg_expr(L, "elastic", lua_gettop(L));
    for (int i = 0; i < m->n * m->n; i++) {
        const dfl_expr Me = dfl_constant(g, m->Me[i]);
        m->D[i] = dfl_add(g, m->D[i], dfl_add(g, dfl_mul(g, alpha, Me), dfl_mul(g, beta, m->K[i])));
        if (i % (m->n + 1) == 0 && ratio) {
            const dfl_expr root = dfl_unary(g, DFL_OP_SQRT, dfl_mul(g, m->K[i], Me));
            m->D[i] =
                dfl_add(g, m->D[i], dfl_mul(g, dfl_constant(g, 2.0), dfl_mul(g, ratio, root)));
        }
    }
    lua_pop(L, 1);
}

/* { a = { at = {...}, phi = {...}, psi = {...} } }, by name. */
static void read_nodes(dfl_drawn_modes *m, lua_State *L, int table)
{
    const int type = lua_getfield(L, table, "nodes"), nodes = lua_gettop(L);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        dfl_script_error(
            L, "elastic '%s': write nodes = { a = { at = ..., phi = ..., psi = ... } }", m->name);
    if (type == LUA_TTABLE)
        for (lua_pushnil(L); lua_next(L, nodes) != 0; lua_pop(L, 1)) {
            if (lua_type(L, -2) != LUA_TSTRING || !lua_istable(L, -1))
                dfl_script_error(L, "elastic '%s': a node is NAME = { at = ..., phi = ... }",
                                 m->name);
            if (m->nnodes == DFL_MOST_TABLE_NODES)
                dfl_script_error(L, "elastic '%s': a body has at most %d nodes", m->name,
                                 DFL_MOST_TABLE_NODES);
            const char *name = lua_tostring(L, -2); /* the table keeps the text */
            int k = m->nnodes++;
            for (; k > 0 && strcmp(m->node_name[k - 1], name) > 0;
                 k--) /* Lua's order is not ours */
                m->node_name[k] = m->node_name[k - 1];
            m->node_name[k] = name;
        }
    for (int k = 0; k < m->nnodes; k++) {
        lua_getfield(L, nodes, m->node_name[k]);
        read_node(m, L, k, lua_gettop(L));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_node(dfl_drawn_modes *m, lua_State *L, int k, int table)
{
    const dfl_option options[] = {{"at", DFL_OPTION_OTHER, NULL, NULL},
                                  {"phi", DFL_OPTION_OTHER, NULL, NULL},
                                  {"psi", DFL_OPTION_OTHER, NULL, NULL},
                                  {"Kf", DFL_OPTION_OTHER, NULL, NULL},
                                  {"Km", DFL_OPTION_OTHER, NULL, NULL}};
    const bool planar = dfl_drawing_is_planar(dfl_script_drawing(L));
    const int shifts = planar ? 2 : 3, turns = planar ? 1 : 3;
    dfl_read_options(L, "elastic", m->name, table, options, sizeof options / sizeof *options);
    read_pairs(m->node[k].phi2, L, m, table, "Kf", -1.0, 0, shifts);
    read_pairs(m->node[k].psi2, L, m, table, "Km", -1.0, planar ? 2 : 0, turns);
    read_block(m->node[k].at, L, m, table, "at", shifts);
    read_block(m->node[k].phi, L, m, table, "phi", shifts * m->n);
    read_block(m->node[k].psi, L, m, table, "psi", turns * m->n);
}

/* ------------------------------------------------------------------ blocks of numbers */

/* Numbers with their present values; false: not given. */
static bool read_block(double *out, lua_State *L, const dfl_drawn_modes *m, int table,
                       const char *key, int count)
{
    dfl_expr exprs[6 * DFL_MOST_MODES * DFL_MOST_MODES];
    const bool given = lua_getfield(L, table, key) != LUA_TNIL;
    lua_pop(L, 1);
    if (!given)
        return false;
    read_exprs(exprs, L, m, table, key, count);
    for (int i = 0; i < count; i++)
        dfl_script_check(L, dfl_model_value(&out[i], dfl_script_of(L)->model, exprs[i]));
    return true;
}

/* Stiffness by loads, n x n for each axis and symmetric: fields of second order, or minus them. */
static void read_pairs(double *out, lua_State *L, dfl_drawn_modes *m, int table, const char *key,
                       double sign, int first, int axes)
{
    double K[3 * DFL_MOST_MODES * DFL_MOST_MODES];
    const int n = m->n;
    if (!read_block(K, L, m, table, key, axes * n * n))
        return;
    m->stiffened = true;
    for (int a = 0; a < axes; a++) {
        const double *A = K + a * n * n;
        double size = 0.0;
        for (int i = 0; i < n * n; i++)
            size = fmax(size, fabs(A[i]));
        for (int i = 0; i < n; i++)
            for (int k = i; k < n; k++) {
                if (!(fabs(A[i * n + k] - A[k * n + i]) <= 1e-9 * size))
                    dfl_script_error(L, "elastic '%s': %s is not symmetric in rows %d and %d",
                                     m->name, key, i + 1, k + 1);
                out[(first + a) * DFL_MOST_PAIRS + dfl_mode_pair(n, i, k)] = sign * A[i * n + k];
            }
    }
}

static void read_exprs(dfl_expr *out, lua_State *L, const dfl_drawn_modes *m, int table,
                       const char *key, int count)
{
    const int type = lua_getfield(L, table, key), top = lua_gettop(L);
    const int found = type == LUA_TNIL ? count : flatten(out, L, m, key, top, 0, count);
    if (found != count)
        dfl_script_error(L, "elastic '%s': %s has %d numbers; give %d", m->name, key, found, count);
    lua_pop(L, 1);
}

/* Adds the numbers of nested lists to the `have` that are there; at most one more than `count`. */
static int flatten(dfl_expr *out, lua_State *L, const dfl_drawn_modes *m, const char *key, int i,
                   int have, int count)
{
    if (!lua_istable(L, i)) {
        if (have < count)
            out[have] = dfl_arg_expr(L, "elastic", i);
        return have + 1;
    }
    luaL_checkstack(L, 5, "elastic: lists within lists");
    const lua_Unsigned length = lua_rawlen(L, i);
    for (lua_Unsigned k = 1; k <= length && have <= count; k++) {
        lua_rawgeti(L, i, (lua_Integer)k);
        have = flatten(out, L, m, key, lua_gettop(L), have, count);
        lua_pop(L, 1);
    }
    return have;
}
