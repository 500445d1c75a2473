/* elastic_file_calls.c: elastic(name, { file = "part.SID_FEM" }): bodies of SID files. */
#include "drawing/drawing.h"

#include "script/arguments.h"
#include "script/language.h"
#include "script/mechanism_calls.h"
#include "script/model_file.h"

#include <lauxlib.h>
#include <string.h>

static void keep_turns_about_z(dfl_drawn_modes *m);

/* elastic(name, { file = "part.SID_FEM", at = {...} }); part["17"] is its node 17 */
int dfl_elastic_from_sid(lua_State *L, const char *name, int table, const char *file)
{
    dfl_script *script = dfl_script_of(L);
    dfl_drawn_modes *m = lua_newuserdatauv(L, sizeof *m, 0);
    dfl_sid *sid = lua_newuserdatauv(L, sizeof *sid, 0);
    const dfl_option options[] = {{"file", DFL_OPTION_OTHER, NULL, NULL},
                                  {"at", DFL_OPTION_POINT, &m->at, NULL},
                                  {"axis", DFL_OPTION_AXIS, &m->axis, NULL},
                                  {"axis2", DFL_OPTION_AXIS, &m->axis2, NULL},
                                  DFL_ELASTIC_OPTIONS};
    dfl_elastic_begin_in_space(m, L, name);
    dfl_read_options(L, "elastic", name, table, options, sizeof options / sizeof *options);
    dfl_text text = {.ctx = script->ctx};
    dfl_status status = dfl_model_file_read(&text, script->model, "elastic body", file);
    if (!status)
        status = dfl_sid_read(sid, script->ctx, file, dfl_text_string(&text));
    if (!status)
        status = dfl_sid_check(sid, script->ctx, file);
    dfl_text_clear(&text);
    dfl_script_check(L, status);
    dfl_elastic_take_sid(m, L, sid);
    return dfl_elastic_declare(L, m, table);
}

void dfl_elastic_begin_in_space(dfl_drawn_modes *m, lua_State *L, const char *name)
{
    dfl_elastic_begin(m, L, name);
    if (dfl_drawing_is_planar(dfl_script_drawing(L)))
        dfl_script_error(L, "elastic '%s': bodies of files move in space; leave out planar()",
                         name);
}

void dfl_elastic_take_sid(dfl_drawn_modes *m, lua_State *L, const dfl_sid *sid)
{
    dfl_graph *g = dfl_script_of(L)->model->graph;
    m->n = sid->n;
    m->mass = sid->mass;
    memcpy(m->moment, sid->moment, sizeof m->moment);
    memcpy(m->inertia, sid->inertia, sizeof m->inertia);
    memcpy(m->S, sid->S, sizeof m->S);
    memcpy(m->J1, sid->J1, sizeof m->J1);
    memcpy(m->C0, sid->C0, sizeof m->C0);
    memcpy(m->C1, sid->C1, sizeof m->C1);
    memcpy(m->J2, sid->J2, sizeof m->J2);
    memcpy(m->Me, sid->Me, sizeof m->Me);
    m->J2_given = true;
    m->stiffened = sid->stiffened;
    m->affine = sid->affine ? sid : NULL; /* Lua keeps it until the call returns */
    memcpy(m->S2, sid->S2, sizeof m->S2);
    memcpy(m->C2, sid->C2, sizeof m->C2);
    for (int i = 0; i < m->n * m->n; i++) {
        m->K[i] = dfl_constant(g, sid->K[i]);
        m->D[i] = dfl_constant(g, sid->D[i]);
    }
    m->noutline = sid->noutline;
    m->outline = sid->outline; /* kept like the names below */
    m->nnodes = sid->nnodes < DFL_MOST_TABLE_NODES ? sid->nnodes : DFL_MOST_TABLE_NODES;
    for (int k = 0; k < m->nnodes; k++) {
        m->node_name[k] = sid->node[k].name; /* Lua keeps it until the call returns */
        m->node[k].id = sid->node[k].id;
        memcpy(m->node[k].at, sid->node[k].at, sizeof m->node[k].at);
        memcpy(m->node[k].phi, sid->node[k].phi, sizeof m->node[k].phi);
        memcpy(m->node[k].psi, sid->node[k].psi, sizeof m->node[k].psi);
        memcpy(m->node[k].phi2, sid->node[k].phi2, sizeof m->node[k].phi2);
        memcpy(m->node[k].psi2, sid->node[k].psi2, sizeof m->node[k].psi2);
    }
    if (dfl_drawing_is_planar(dfl_script_drawing(L)))
        keep_turns_about_z(m);
}

/* In the plane the first rows of turns are those about z, and the first inertia is zz. */
static void keep_turns_about_z(dfl_drawn_modes *m)
{
    const int n = m->n;
    m->inertia[0] = m->inertia[2];
    memmove(m->J1, m->J1 + 2 * n, (size_t)n * sizeof *m->J1);
    memmove(m->C0, m->C0 + 2 * n, (size_t)n * sizeof *m->C0);
    memmove(m->C1, m->C1 + 2 * n * n, (size_t)(n * n) * sizeof *m->C1);
    memmove(m->J2, m->J2 + 2 * n * n, (size_t)(n * n) * sizeof *m->J2);
    for (int k = 0; k < m->nnodes; k++)
        memmove(m->node[k].psi, m->node[k].psi + 2 * n, (size_t)n * sizeof *m->node[k].psi);
}
