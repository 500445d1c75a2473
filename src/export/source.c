/* source.c: what the exports of source code share. */
#include "export/source_internal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { LONGEST_NAME = 40 }; /* Matlab cuts identifiers at 63 characters; ours get endings */

static dfl_status make_identifier(dfl_source *source);
static dfl_status collect_declarations(dfl_source *source);
static void list_blocks(dfl_source *source);
static void list_jacobians(dfl_source *source);
static const char *why_no_ode(const dfl_equations *eq);

dfl_status dfl_source_init(dfl_source *out, const dfl_equations *eq, const dfl_export_start *start)
{
    *out = (dfl_source){.eq = eq, .ctx = eq->model->ctx, .start = *start};
    const dfl_actions *actions = &eq->model->actions;
    if (actions->discretes.count + actions->list.count > 0)
        return dfl_fail(out->ctx, DFL_INVALID,
                        "the model has discrete variables, events that act, or contacts; exported "
                        "equations cannot change at events");
    dfl_status status = make_identifier(out);
    if (!status)
        status = collect_declarations(out);
    if (status)
        return status;
    list_blocks(out);
    if (eq->have_jacobians)
        list_jacobians(out);
    out->no_ode = why_no_ode(eq);
    return DFL_OK;
}

void dfl_source_clear(dfl_source *source)
{
    dfl_free(source->ctx, source->name);
    dfl_free(source->ctx, source->upper);
    dfl_free(source->ctx, source->par);
    dfl_free(source->ctx, source->output);
    dfl_free(source->ctx, source->event);
    dfl_free(source->ctx, source->expr);
    dfl_free(source->ctx, source->slot);
    dfl_source_clear_motion(source);
    *source = (dfl_source){.ctx = source->ctx};
}

bool dfl_source_takes_a(const dfl_source *source, dfl_block_id id)
{
    bool contained = false;
    for (int i = 0; id == DFL_BLOCK_OUTPUTS && i < source->noutputs; i++)
        contained = contained || dfl_depends(source->eq->graph, source->expr[i], DFL_SYM_A);
    return contained || id >= DFL_BLOCK_ACCELERATIONS;
}

dfl_status dfl_source_tape(dfl_tape **out, const dfl_source *source, const dfl_block_id *blocks,
                           int count)
{
    int ntargets = 0;
    for (int i = 0; i < count; i++) {
        const dfl_block *block = &source->block[blocks[i]];
        ntargets += block->matrix ? block->matrix->count : block->rows;
    }
    dfl_target *targets = dfl_alloc(source->ctx, (size_t)ntargets, sizeof *targets);
    if (!targets)
        return DFL_NO_MEMORY;
    int n = 0;
    for (int i = 0; i < count; i++) {
        const dfl_block *block = &source->block[blocks[i]];
        for (int k = 0; block->vector && k < block->rows; k++)
            targets[n++] = (dfl_target){block->vector[k], i, k};
        for (int k = 0; block->matrix && k < block->matrix->count; k++) {
            const dfl_entry *entry = &block->matrix->entry[k];
            targets[n++] = (dfl_target){entry->expr, i, entry->row + entry->col * block->rows};
        }
    }
    dfl_place places[DFL_SYM_KINDS] = {
        [DFL_SYM_TIME] = {DFL_SOURCE_TIME, NULL},
        [DFL_SYM_PARAM] = {DFL_SOURCE_PAR, NULL},
        [DFL_SYM_INPUT] = {DFL_SOURCE_PAR, source->slot},
        [DFL_SYM_LEVEL] = {DFL_SOURCE_PAR, source->slot + source->ninputs},
    };
    for (int kind = DFL_SYM_W; kind <= DFL_SYM_P; kind++)
        places[kind] = (dfl_place){DFL_SOURCE_X, source->eq->slot[kind]};
    places[DFL_SYM_A] = (dfl_place){DFL_SOURCE_A, source->eq->slot[DFL_SYM_A]};
    const dfl_status status =
        dfl_tape_create(out, source->ctx, source->eq->graph, places, targets, ntargets);
    dfl_free(source->ctx, targets);
    return status;
}

double dfl_source_value(const dfl_source *source, int i)
{
    const int level = i - source->nparams - source->ninputs;
    return level < 0 ? source->par[i]->value : source->start.levels[level];
}

void dfl_source_words(dfl_text *text, const char *words)
{
    for (const char *c = words; *c; c++) {
        if (c[0] == '*' || c[0] == '/') /* never next to each other */
            dfl_text_add(text, c[1] == '*' || c[1] == '/' ? "%c " : "%c", c[0]);
        else
            dfl_text_add(text, "%c", iscntrl((unsigned char)*c) || *c == '\\' ? ' ' : *c);
    }
}

/* ------------------------------------------------------------------------------- names */

/* Letters, digits and '_', starting with a letter ("model_" in front if necessary). No export uses
   the identifier without an ending, so it may be a keyword. */
static dfl_status make_identifier(dfl_source *source)
{
    const char *given = source->eq->model->name ? source->eq->model->name : "";
    dfl_text name = {.ctx = source->ctx};
    if (!isalpha((unsigned char)given[0]) || (unsigned char)given[0] > 127)
        dfl_text_add(&name, "model_");
    for (int i = 0; given[i] && i < LONGEST_NAME; i++) {
        const unsigned char c = (unsigned char)given[i];
        dfl_text_add(&name, "%c", c < 128 && isalnum(c) ? c : '_');
    }
    source->name = name.data;
    if (name.status)
        return name.status;
    source->upper = dfl_copy_string(source->ctx, source->name);
    if (!source->upper)
        return DFL_NO_MEMORY;
    for (char *c = source->upper; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- blocks */

static dfl_status collect_declarations(dfl_source *source)
{
    const dfl_model *model = source->eq->model;
    source->nparams = model->count[DFL_A_PARAM];
    source->ninputs = model->count[DFL_AN_INPUT];
    source->nlevels = model->count[DFL_AN_INVARIANT];
    source->noutputs = model->count[DFL_AN_OUTPUT];
    source->nevents = model->count[DFL_AN_EVENT];
    const int free_slots = source->ninputs + source->nlevels;
    const int nexprs = source->noutputs + source->nevents + 1;
    source->par = dfl_alloc(source->ctx, (size_t)(source->nparams + free_slots), sizeof(void *));
    source->output = dfl_alloc(source->ctx, (size_t)source->noutputs, sizeof(void *));
    source->event = dfl_alloc(source->ctx, (size_t)source->nevents, sizeof(void *));
    source->expr = dfl_alloc(source->ctx, (size_t)nexprs, sizeof *source->expr);
    source->slot = dfl_alloc(source->ctx, (size_t)free_slots, sizeof *source->slot);
    if (!source->par || !source->output || !source->event || !source->expr || !source->slot)
        return DFL_NO_MEMORY;
    for (int i = 0; i < free_slots; i++)
        source->slot[i] = source->nparams + i;
    const dfl_declaration **const list[DFL_DECLARED_KINDS] = {
        [DFL_A_PARAM] = source->par,
        [DFL_AN_INPUT] = source->par + source->nparams,
        [DFL_AN_INVARIANT] = source->par + source->nparams + source->ninputs,
        [DFL_AN_OUTPUT] = source->output,
        [DFL_AN_EVENT] = source->event,
    };
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (list[decl->kind])
            list[decl->kind][decl->index] = decl;
    }
    for (int i = 0; i < source->noutputs; i++)
        source->expr[i] = source->output[i]->expr;
    for (int i = 0; i < source->nevents; i++)
        source->expr[source->noutputs + i] = source->event[i]->expr;
    source->expr[nexprs - 1] = source->eq->energy;
    return DFL_OK;
}

static void list_blocks(dfl_source *source)
{
    const dfl_equations *eq = source->eq;
    const dfl_expr *outputs = source->expr, *events = outputs + source->noutputs,
                   *energy = events + source->nevents;
    const int nc = eq->nl + eq->nm;
    const dfl_block all[DFL_BLOCK_J_D] = {
        [DFL_BLOCK_KIN] = {"kin", "kin", "p' = kin", eq->np, 1, eq->rows.kin, NULL},
        [DFL_BLOCK_M] = {"M", "M", "mass matrix", eq->nv, eq->nv, NULL, &eq->M},
        [DFL_BLOCK_F] = {"f", "f", "forces without constraint forces", eq->nv, 1, eq->rows.f, NULL},
        [DFL_BLOCK_B] = {"b", "b", "r' = b", eq->nr, 1, eq->rows.b, NULL},
        [DFL_BLOCK_D] = {"d", "d", "auxiliary equations 0 = d", eq->nw, 1, eq->rows.d, NULL},
        [DFL_BLOCK_C] = {"c", "c", "contact equations 0 = c", eq->ns, 1, eq->rows.c, NULL},
        [DFL_BLOCK_G] = {"g", "g", "holonomic constraints 0 = g", eq->nl, 1, eq->rows.g, NULL},
        [DFL_BLOCK_EP] = {"ep", "ep", "invariants of positions, minus their levels", eq->nep, 1,
                          eq->rows.ep, NULL},
        [DFL_BLOCK_GI] = {"gI", "gI", "dg/dt", eq->nl, 1, eq->rows.gI, NULL},
        [DFL_BLOCK_HV] = {"hv", "hv", "nonholonomic constraints 0 = hv", eq->nm, 1, eq->rows.hv,
                          NULL},
        [DFL_BLOCK_E] = {"e", "e", "invariants, minus their levels", eq->ne, 1, eq->rows.e, NULL},
        [DFL_BLOCK_GAM] = {"gam", "gam", "balance along massless directions, 0 = gam", eq->n0, 1,
                           eq->rows.gam, NULL},
        [DFL_BLOCK_W] = {"W", "W", "directions of the constraint forces", nc, eq->nv, NULL, &eq->W},
        [DFL_BLOCK_K0] = {"K0", "K0", "massless directions: gam = K0^T f", eq->nv, eq->n0, NULL,
                          &eq->massless.K0},
        [DFL_BLOCK_BIAS] = {"bias", "bias", "acceleration level: 0 = W a + bias", nc, 1,
                            eq->rows.bias, NULL},
        [DFL_BLOCK_OUTPUTS] = {"outputs", "out", "outputs of the model", source->noutputs, 1,
                               outputs, NULL},
        [DFL_BLOCK_EVENTS] = {"events", "out", "functions whose zeros are events", source->nevents,
                              1, events, NULL},
        [DFL_BLOCK_ENERGY] = {"energy", "E", "kinetic and potential energy", *energy != DFL_NO_EXPR,
                              1, energy, NULL},
    };
    memcpy(source->block, all, sizeof all);
}

static void list_jacobians(dfl_source *source)
{
    const dfl_equations *eq = source->eq;
    const struct {
        const char *name, *variable, *meaning;
        const dfl_sparse *matrix;
    } all[] = {
        {"jacobian_d", "J.d", "derivatives of d, with respect to x", &eq->jacobian.d},
        {"jacobian_acc", "J.acc", "derivatives of W a + bias, with respect to x",
         &eq->jacobian.acc},
        {"jacobian_vel", "J.vel", "derivatives of gI, hv, e, with respect to v, s, p",
         &eq->jacobian.vel},
        {"jacobian_gam", "J.gam", "derivatives of gam, with respect to x", &eq->jacobian.gam},
        {"jacobian_pos", "J.pos", "derivatives of c, g, ep, with respect to s, p",
         &eq->jacobian.pos},
        {"jacobian_b", "J.b", "derivatives of b, with respect to x", &eq->jacobian.b},
        {"jacobian_dyn", "J.dyn", "derivatives of f - W^T (lambda, mu) - M a, with respect to x",
         &eq->jacobian.dyn},
        {"jacobian_kin", "J.kin", "derivatives of kin, with respect to v, s, p", &eq->jacobian.kin},
    };
    for (int i = 0; i < DFL_BLOCK_S_D - DFL_BLOCK_J_D; i++)
        source->block[DFL_BLOCK_J_D + i] = (dfl_block){.name = all[i].name,
                                                       .variable = all[i].variable,
                                                       .meaning = all[i].meaning,
                                                       .rows = all[i].matrix->nrows,
                                                       .cols = all[i].matrix->ncols,
                                                       .matrix = all[i].matrix};
}

/* The QR form needs v' as a function of (p, v, r, t) from one linear system. */
static const char *why_no_ode(const dfl_equations *eq)
{
    if (eq->nv == 0)
        return "prescribed motions leave no velocities";
    if (eq->nw)
        return "the auxiliary variables follow from the equations 0 = d, which an ODE cannot hold";
    if (eq->ns)
        return "the contact variables follow from the equations 0 = c, which an ODE cannot hold";
    if (eq->n0)
        return "there are massless directions, whose velocities follow from a balance of forces "
               "and not from "
               "an acceleration";
    for (int i = 0; i < eq->nv; i++)
        if (dfl_depends(eq->graph, eq->rows.f[i], DFL_SYM_LAMBDA) ||
            dfl_depends(eq->graph, eq->rows.f[i], DFL_SYM_MU))
            return "the forces depend on multipliers, which then follow from nonlinear equations";
    for (int k = 0; k < eq->W.count; k++)
        if (dfl_depends(eq->graph, eq->W.entry[k].expr, DFL_SYM_V))
            return "a nonholonomic constraint is not linear in the velocities";
    return NULL;
}
