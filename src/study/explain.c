/* explain.c: what only the model knows about a failure: the line of the row, and the function
   that was evaluated outside its domain. */
#include "study/study_internal.h"

#include "symbolic/symbolic.h"

#include <math.h>
#include <string.h>

enum { LONGEST_SHOWN = 200 }; /* characters of an expression in a message */

/* A named place in the script. */
typedef struct part {
    const char *name;
    int line;
} part;

static dfl_status explain_jump(dfl_runnable *run, dfl_status status);
static dfl_status explain_rank(dfl_runnable *run, dfl_status status);
static dfl_status explain_balance(dfl_runnable *run, dfl_status status, double t, const double *x);
static dfl_status locate(dfl_runnable *run, dfl_status status, double t, const double *x);
static const dfl_declaration *declaration_of(const dfl_model *model, dfl_declared kind, int index);
static dfl_status explain_domain(dfl_runnable *run, dfl_status status, double t, const double *x);
static dfl_status blame(dfl_runnable *run, dfl_status status, double t, dfl_expr expr,
                        double argument);
static part part_behind(const dfl_runnable *run, dfl_expr expr);
static part part_containing(const dfl_runnable *run, dfl_expr expr);
static bool contains(const dfl_runnable *run, dfl_expr root, dfl_expr sought);

dfl_status dfl_study_explain(dfl_runnable *run, dfl_status status, double t, const double *x)
{
    dfl_status better = DFL_OK;
    if (status == DFL_NOT_FINITE || status == DFL_CALLBACK)
        better = explain_domain(run, status, t, x);
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
    return better ? better : status;
}

/* Adds to the message which part jumps with the state, such as dry friction by sign. */
static dfl_status explain_jump(dfl_runnable *run, dfl_status status)
{
    const dfl_graph *graph = eq_of(run)->graph;
    part owner = {NULL, 0};
    for (uint32_t i = 0; !owner.name && i < graph->nnodes; i++) {
        const dfl_node *node = &graph->nodes[i];
        if ((node->op == DFL_OP_SIGN || node->op == DFL_OP_SELECT) &&
            (dfl_depends(graph, i, DFL_SYM_V) || dfl_depends(graph, i, DFL_SYM_P)))
            owner = part_containing(run, i);
    }
    if (!owner.name)
        return DFL_OK;
    char *message = dfl_copy_string(ctx_of(run), dfl_message(ctx_of(run)));
    if (!message)
        return DFL_NO_MEMORY;
    dfl_model_fail(eq_of(run)->model, owner.line,
                   "%s; '%s' contains sign or select, which may jump: where the motion sticks to a "
                   "jump no step is small enough; smooth it, for example by tanh(v/0.01)",
                   message, owner.name);
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

/* The first operation of the equations with a result that is not finite though its operands are.
   DFL_OK if there is none. */
static dfl_status explain_domain(dfl_runnable *run, dfl_status status, double t, const double *x)
{
    const dfl_graph *graph = eq_of(run)->graph;
    const dfl_numbers numbers = dfl_runnable_numbers(run, t, x, NULL);
    double *value = dfl_alloc(ctx_of(run), graph->nnodes, sizeof *value);
    if (!value)
        return DFL_NO_MEMORY;
    dfl_status found = DFL_OK;
    for (uint32_t i = 0; !found && i < graph->nnodes; i++) {
        const dfl_node *node = &graph->nodes[i];
        const int operands = dfl_op_operands((dfl_op)node->op);
        if (node->op == DFL_OP_SYMBOL)
            value[i] = dfl_numbers_symbol(&numbers, eq_of(run), node->a);
        else if (node->op == DFL_OP_CONSTANT)
            value[i] = graph->constants[node->a];
        else
            value[i] = dfl_op_value(graph, node, value[node->a], value[node->b], value[node->c]);
        if (operands && !isfinite(value[i]) && isfinite(value[node->a]) &&
            (operands < 2 || isfinite(value[node->b])))
            found = blame(run, status, t, i, value[operands == 2 ? node->b : node->a]);
    }
    dfl_free(ctx_of(run), value);
    return found;
}

/* The message about operation `expr`; DFL_OK if it belongs to no equation. */
static dfl_status blame(dfl_runnable *run, dfl_status status, double t, dfl_expr expr,
                        double argument)
{
    const dfl_graph *graph = eq_of(run)->graph;
    const part owner = part_behind(run, expr);
    if (!owner.name)
        return DFL_OK;
    dfl_text text = {.ctx = ctx_of(run)};
    dfl_print_expr(&text, graph, expr, NULL, DFL_TEXT);
    dfl_model_fail(
        eq_of(run)->model, owner.line,
        "'%s' cannot be evaluated at t = %g: in %.*s%s the argument is %g; change the initial "
        "values, the guesses or the parameters",
        owner.name, t, LONGEST_SHOWN, dfl_text_string(&text),
        text.length > LONGEST_SHOWN ? " ..." : "", argument);
    dfl_text_clear(&text);
    return status;
}

/* The part that contains an expression or, since a derivative belongs to what was
   differentiated, one of the operations below it. */
static part part_behind(const dfl_runnable *run, dfl_expr expr)
{
    enum { TRIES = 50 };
    const dfl_graph *graph = eq_of(run)->graph;
    part owner = {NULL, 0};
    int tries = 0;
    for (dfl_expr i = expr; !owner.name && tries < TRIES && i > 0; i--)
        if (dfl_node_of(graph, i)->op > DFL_OP_SYMBOL && contains(run, expr, i)) {
            owner = part_containing(run, i);
            tries++;
        }
    return owner;
}

/* The declared part of the equations that contains an expression; name NULL if there is none. */
static part part_containing(const dfl_runnable *run, dfl_expr expr)
{
    const dfl_model *model = eq_of(run)->model;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        const bool row = decl->kind >= DFL_A_POSITION && decl->kind <= DFL_AN_INVARIANT;
        if (row && decl->expr != DFL_NO_EXPR && contains(run, decl->expr, expr))
            return (part){decl->name, decl->line};
    }
    for (int i = 0; i < model->forces.count; i++)
        if (contains(run, model->forces.item[i].expr, expr))
            return (part){"force", model->forces.item[i].line};
    for (int i = 0; i < model->masses.count; i++)
        if (contains(run, model->masses.item[i].expr, expr))
            return (part){"mass", model->masses.item[i].line};
    if (model->energy.kinetic != DFL_NO_EXPR && contains(run, model->energy.kinetic, expr))
        return (part){"kinetic", model->energy.kinetic_line};
    if (model->energy.potential != DFL_NO_EXPR && contains(run, model->energy.potential, expr))
        return (part){"potential", model->energy.potential_line};
    return (part){NULL, 0};
}

/* Whether `sought` is below `root`; false also without memory. */
static bool contains(const dfl_runnable *run, dfl_expr root, dfl_expr sought)
{
    dfl_part below;
    if (sought > root || dfl_part_create(&below, eq_of(run)->graph, &root, 1))
        return false;
    const bool found = dfl_part_place(&below, sought) != DFL_NO_EXPR;
    dfl_part_clear(&below);
    return found;
}
