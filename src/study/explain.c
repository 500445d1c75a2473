/* explain.c: what only the model knows about a failure, such as the line of the row. */
#include "study/study_internal.h"

#include "symbolic/symbolic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status explain_jump(dfl_runnable *run, dfl_status status);
static dfl_status explain_rank(dfl_runnable *run, dfl_status status);
static dfl_status explain_balance(dfl_runnable *run, dfl_status status, double t, const double *x);
static dfl_status locate(dfl_runnable *run, dfl_status status, double t, const double *x);
static dfl_status place(dfl_runnable *run);
static const dfl_declaration *declaration_of(const dfl_model *model, dfl_declared kind, int index);

dfl_status dfl_study_explain(dfl_runnable *run, dfl_status status, double t, const double *x)
{
    dfl_status better = DFL_OK;
    if (status == DFL_NOT_FINITE || status == DFL_CALLBACK)
        better = dfl_explain_domain(run, status, t, x);
    else if (status == DFL_SINGULAR || status == DFL_INCONSISTENT)
        better = dfl_study_check_determined(run, t, x);
    else if (status == DFL_RANK_CHANGED && eq_of(run)->n0 > 0)
        better = explain_rank(run, status);
    else if (status == DFL_TOO_MANY_STEPS || status == DFL_NOT_CONVERGED)
        better = explain_jump(run, status);
    if (!better && status == DFL_INCONSISTENT)
        better = explain_balance(run, status, t, x);
    if (!better && status == DFL_INCONSISTENT)
        better = locate(run, status, t, x);
    if ((status == DFL_INCONSISTENT || status == DFL_RANK_CHANGED) && (!better || better == status))
        better = dfl_explain_motions(run, status, t, x);
    const dfl_status placed = place(run);
    return placed ? placed : better ? better : status;
}

/* The first of the model's events, samples and contacts that a message names, in quotes; 0: none.
 */
static int line_of_named(const dfl_model *model, const char *message)
{
    const dfl_actions *actions = &model->actions;
    const int events = actions->list.count;
    const char *first = NULL;
    int line = 0;
    for (int i = 0; i < events + actions->touches.count; i++) {
        const bool event = i < events;
        const dfl_action *action = event ? &actions->list.item[i] : NULL;
        const dfl_touch *touch = event ? NULL : &actions->touches.item[i - events];
        char quoted[200];
        snprintf(quoted, sizeof quoted, "'%s'", event ? action->name : touch->name);
        const char *at = strstr(message, quoted);
        if (at && (!first || at < first)) {
            first = at;
            line = event ? action->line : touch->line;
        }
    }
    return line;
}

/* Puts file and line of what a message names in front of it, if there is none. */
static dfl_status place(dfl_runnable *run)
{
    const dfl_model *model = eq_of(run)->model;
    const char *message = dfl_message(ctx_of(run));
    const int line = line_of_named(model, message);
    if (line == 0 || !strncmp(message, model->path, strlen(model->path)))
        return DFL_OK;
    char *copy = dfl_copy_string(ctx_of(run), message);
    if (!copy)
        return DFL_NO_MEMORY;
    dfl_model_fail(model, line, "%s", copy);
    dfl_free(ctx_of(run), copy);
    return DFL_OK;
}

/* An operation that may jump; NULL: none. */
static const char *jumping(const dfl_graph *graph, const dfl_node *node)
{
    const bool table = node->op == DFL_OP_SPLINE && node->c == 0;
    if (table)
        return graph->splines[node->b].smoothness < 0 ? "a table with a jump" : NULL;
    return node->op == DFL_OP_SIGN     ? "sign"
           : node->op == DFL_OP_SELECT ? "select"
           : node->op == DFL_OP_FLOOR  ? "floor or mod"
                                       : NULL;
}

/* Adds to the message which part jumps with the state, such as dry friction by sign. */
static dfl_status explain_jump(dfl_runnable *run, dfl_status status)
{
    const dfl_graph *graph = eq_of(run)->graph;
    const unsigned state = 1u << DFL_SYM_V | 1u << DFL_SYM_P | 1u << DFL_SYM_R | 1u << DFL_SYM_S |
                           1u << DFL_SYM_W | 1u << DFL_SYM_LAMBDA | 1u << DFL_SYM_MU;
    dfl_study_part owner = {NULL, 0, DFL_NO_EXPR};
    const char *what = NULL;
    for (uint32_t i = 0; !owner.name && i < graph->nnodes; i++) {
        what = jumping(graph, &graph->nodes[i]);
        if (what && graph->nodes[i].depends & state)
            owner = dfl_study_part_containing(run, i);
    }
    if (!owner.name)
        return DFL_OK;
    char *message = dfl_copy_string(ctx_of(run), dfl_message(ctx_of(run)));
    if (!message)
        return DFL_NO_MEMORY;
    dfl_model_fail(
        eq_of(run)->model, owner.line,
        "%s; '%s' contains %s, which may jump: where the motion sticks to a "
        "jump no step is small enough; dry friction that sticks is friction(...), a relay "
        "needs a dead band",
        message, owner.name, what);
    dfl_free(ctx_of(run), message);
    return status;
}

/* Massless directions are part of the rank: their dampers may have vanished. */
static dfl_status explain_rank(dfl_runnable *run, dfl_status status)
{
    const dfl_equations *eq = eq_of(run);
    dfl_text text = {.ctx = ctx_of(run)};
    dfl_text_add(&text,
                 "%s; or the balance of forces no longer depends on the speed along a "
                 "massless direction (",
                 dfl_message(ctx_of(run)));
    for (int k = 0; k < eq->n0; k++)
        dfl_text_add(&text, "%s%s", k ? ", " : "",
                     dfl_equations_v(eq)[eq->massless.velocity[k]].name);
    dfl_text_add(&text, "): look for a damper that vanishes");
    if (!text.status)
        dfl_model_fail(eq->model, 0, "%s", dfl_text_string(&text));
    const dfl_status failed = text.status;
    dfl_text_clear(&text);
    return failed ? failed : status;
}

/* Held velocities that leave a massless direction no freedom; DFL_OK if there is none. */
static dfl_status explain_balance(dfl_runnable *run, dfl_status status, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    const int v = eq->nw + eq->nl + eq->nm + eq->nr;
    dfl_blocks blocks;
    double *given = dfl_alloc(ctx_of(run), (size_t)eq->n, sizeof *given);
    bool *held = dfl_alloc(ctx_of(run), (size_t)eq->n, sizeof *held);
    dfl_status looked = dfl_state_blocks_create(&blocks, run, DFL_DIRECTIONS, t, x);
    if (!given || !held)
        looked = DFL_NO_MEMORY;
    dfl_status better = DFL_OK;
    if (!looked)
        dfl_study_given(given, held, run);
    for (int k = 0; !looked && !better && k < eq->n0; k++) {
        bool all = true;
        for (int j = 0; j < eq->nv; j++)
            all = all && (held[v + j] || fabs(blocks.K0[j + k * eq->nv]) < 1e-9);
        if (!all)
            continue;
        char *message = dfl_copy_string(ctx_of(run), dfl_message(ctx_of(run)));
        dfl_model_fail(eq->model, 0,
                       "%s; the velocity along a massless direction follows from the balance of "
                       "forces: do not hold %s",
                       message ? message : "inconsistent initial values",
                       dfl_equations_v(eq)[eq->massless.velocity[k]].name);
        dfl_free(ctx_of(run), message);
        better = status;
    }
    dfl_state_blocks_free(&blocks, run);
    dfl_free(ctx_of(run), given);
    dfl_free(ctx_of(run), held);
    return looked ? looked : better;
}

/* Puts the file and line of the row that the given values violate most in front of the message;
   rows of positions come first, since the others build on them. */
static dfl_status locate(dfl_runnable *run, dfl_status status, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    dfl_blocks blocks;
    const dfl_status looked =
        dfl_state_blocks_create(&blocks, run, DFL_POSITION | DFL_VELOCITY | DFL_AUXILIARY, t, x);
    const struct {
        const double *rows;
        int count;
        dfl_declared kind;
    } levels[] = {{blocks.g, eq->nl, DFL_A_CONSTRAINT},
                  {blocks.c, eq->ns, DFL_A_CONTACT},
                  {blocks.gI, eq->nl, DFL_A_CONSTRAINT},
                  {blocks.hv, eq->nm, DFL_A_NONHOLONOMIC},
                  {blocks.d, eq->nw, DFL_AN_AUXILIARY}};
    double worst = 1e-8;
    const dfl_declaration *decl = NULL;
    for (size_t k = 0; !looked && !decl && k < sizeof levels / sizeof *levels; k++)
        for (int i = 0; i < levels[k].count; i++)
            if (fabs(levels[k].rows[i]) > worst) {
                worst = fabs(levels[k].rows[i]);
                decl = declaration_of(eq->model, levels[k].kind, i);
            }
    dfl_state_blocks_free(&blocks, run);
    if (!looked && decl) {
        const bool prescribes = decl->kind == DFL_A_CONSTRAINT && !decl->meaning &&
                                dfl_depends(eq->graph, decl->expr, DFL_SYM_TIME) &&
                                strstr(dfl_message(ctx_of(run)), "held values in conflict");
        char *message = dfl_copy_string(ctx_of(run), dfl_message(ctx_of(run)));
        dfl_model_fail(
            eq->model, decl->line, "%s%s%s%s", message ? message : "inconsistent initial values",
            prescribes ? "; '" : "", prescribes ? decl->name : "",
            prescribes ? "' prescribes this motion: hold the value that it begins with, or none"
                       : "");
        dfl_free(ctx_of(run), message);
    }
    return looked ? looked : status;
}

static const dfl_declaration *declaration_of(const dfl_model *model, dfl_declared kind, int index)
{
    for (int i = 0; i < model->declarations.count; i++)
        if (model->declarations.item[i].kind == kind && model->declarations.item[i].index == index)
            return &model->declarations.item[i];
    return NULL;
}
