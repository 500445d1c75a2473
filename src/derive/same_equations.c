/* same_equations.c: whether two models have the same equations, numbers included: the parts of
   their graphs that the equations consist of are the same, node by node. */
#include "derive/derive_internal.h"

#include <string.h>

/* A growing list of expressions. */
typedef struct list {
    dfl_expr *item;
    int count;
} list;

static void add(list *to, const dfl_expr *from, int count)
{
    for (int i = 0; i < count; i++)
        to->item[to->count++] = from[i];
}

static void add_entries(list *to, const dfl_sparse *matrix)
{
    for (int i = 0; i < matrix->count; i++)
        to->item[to->count++] = matrix->entry[i].expr;
}

/* What happens at instants. */
static void add_actions(list *to, const dfl_actions *actions)
{
    for (int i = 0; i < actions->list.count; i++) {
        const dfl_action *action = &actions->list.item[i];
        if (action->event < 0) /* else the function is that of a declaration */
            add(to, &action->function, 1);
        for (int k = 0; k < action->sets.count; k++)
            add(to, &action->sets.item[k].value, 1);
        for (int k = 0; k < action->impulses.count; k++)
            add(to, &action->impulses.item[k].value, 1);
    }
    for (int i = 0; i < actions->touches.count; i++) {
        const dfl_touch *touch = &actions->touches.item[i];
        const dfl_expr part[] = {touch->gap,   touch->slip[0],     touch->slip[1],
                                 touch->load,  touch->restitution, touch->kinetic,
                                 touch->limit, touch->coefficient, touch->sliding};
        for (size_t k = 0; k < sizeof part / sizeof *part; k++)
            if (part[k] != DFL_NO_EXPR)
                add(to, &part[k], 1);
    }
}

/* What optimize{} says, if it was read. */
static void add_goals(list *to, const dfl_goals *goals)
{
    for (int i = 0; i < goals->measures.count; i++)
        add(to, &goals->measures.item[i].expr, 1);
    for (int i = 0; i < goals->limits.count; i++)
        add(to, &goals->limits.item[i].expr, 1);
    if (goals->line > 0 && goals->minimize != DFL_NO_EXPR)
        add(to, &goals->minimize, 1);
}

static int count_actions(const dfl_actions *actions)
{
    int count = 9 * actions->touches.count;
    for (int i = 0; i < actions->list.count; i++)
        count += 1 + actions->list.item[i].sets.count + actions->list.item[i].impulses.count;
    return count;
}

static dfl_status list_expressions(list *out, const dfl_equations *eq)
{
    const dfl_equation_rows *rows = &eq->rows;
    const dfl_model *model = eq->model;
    const dfl_mass_tree *tree = model->tree;
    out->item = dfl_exprs(eq, eq->np + eq->nv + eq->nr + eq->nw + eq->ns + 3 * eq->nl + 2 * eq->nm +
                                  eq->ne + eq->nep + eq->n0 + eq->M.count + eq->W.count +
                                  model->declarations.count + count_actions(&model->actions) +
                                  model->goals.measures.count + model->goals.limits.count + 1 +
                                  (tree ? tree->nnumbers + 3 * tree->ndrives : 0));
    if (!out->item)
        return DFL_NO_MEMORY;
    add(out, rows->kin, eq->np);
    add(out, rows->f, eq->nv);
    add(out, rows->b, eq->nr);
    add(out, rows->d, eq->nw);
    add(out, rows->c, eq->ns);
    add(out, rows->g, eq->nl);
    add(out, rows->gI, eq->nl);
    add(out, rows->hv, eq->nm);
    add(out, rows->e, eq->ne);
    add(out, rows->ep, eq->nep);
    add(out, rows->gam, eq->n0);
    add(out, rows->bias, eq->nl + eq->nm);
    add_entries(out, &eq->M);
    add_entries(out, &eq->W);
    for (int i = 0; i < model->declarations.count; i++)
        if (model->declarations.item[i].kind == DFL_AN_OUTPUT ||
            model->declarations.item[i].kind == DFL_AN_EVENT)
            add(out, &model->declarations.item[i].expr, 1);
    add_actions(out, &model->actions);
    add_goals(out, &model->goals);
    for (int i = 0; tree && i < tree->nnumbers; i++)
        add(out, &tree->numbers[i].expr, 1);
    if (tree)
        add(out, tree->drives, 3 * tree->ndrives);
    return DFL_OK;
}

static bool same_spline(const dfl_spline *a, const dfl_spline *b)
{
    return a->n == b->n && !memcmp(a->x, b->x, (size_t)a->n * sizeof *a->x) &&
           !memcmp(a->coef, b->coef, 6 * (size_t)(a->n + 1) * sizeof *a->coef);
}

/* Pairs of nodes that are to be the same; those that were compared are remembered. */
typedef struct comparison {
    const dfl_graph *a, *b;
    uint32_t *partner; /* per node of a: that of b + 1, or 0 */
    dfl_expr *stack;   /* pairs that are to be compared */
    size_t depth;
    bool scaled; /* rows are divided by powers of two that depend on numbers (quasistatic.c) */
} comparison;

/* Near the border between two such powers they differ by the factor 2, and the equations are the
   same. */
static bool same_number(const comparison *it, double a, double b)
{
    return a == b || (it->scaled && (a == 2 * b || b == 2 * a));
}

static bool has_quasistatic(const dfl_model *model)
{
    bool found = false;
    for (int i = 0; i < model->declarations.count; i++)
        found = found || model->declarations.item[i].quasistatic;
    return found;
}

/* Whether the nodes agree, apart from their operands, which go on the stack. */
static bool same_node(comparison *it, dfl_expr x, dfl_expr y)
{
    const dfl_node *a = dfl_node_of(it->a, x), *b = dfl_node_of(it->b, y);
    if (a->op != b->op)
        return false;
    if (a->op == DFL_OP_CONSTANT)
        return same_number(it, dfl_constant_value(it->a, x), dfl_constant_value(it->b, y));
    if (a->op == DFL_OP_SYMBOL) {
        const dfl_symbol *s = &it->a->symbols[a->a], *t = &it->b->symbols[b->a];
        return s->kind == t->kind && s->index == t->index;
    }
    const int operands = dfl_op_operands((dfl_op)a->op);
    const dfl_expr of_a[] = {a->a, a->b, a->c}, of_b[] = {b->a, b->b, b->c};
    for (int i = 0; i < operands; i++)
        if (it->partner[of_a[i]] == 0) {
            it->partner[of_a[i]] = of_b[i] + 1;
            it->stack[it->depth++] = of_a[i];
        } else if (it->partner[of_a[i]] != of_b[i] + 1) {
            return false;
        }
    return a->op != DFL_OP_SPLINE ||
           (a->c == b->c && same_spline(&it->a->splines[a->b], &it->b->splines[b->b]));
}

dfl_status dfl_equations_same(bool *same, const dfl_equations *a, const dfl_equations *b)
{
    dfl_context *ctx = a->model->ctx;
    list of_a = {0}, of_b = {0};
    comparison it = {.a = a->graph,
                     .b = b->graph,
                     .scaled = has_quasistatic(a->model),
                     .partner = dfl_alloc(ctx, a->graph->nnodes, sizeof *it.partner),
                     .stack = dfl_alloc(ctx, a->graph->nnodes, sizeof *it.stack)};
    dfl_status status = it.partner && it.stack ? list_expressions(&of_a, a) : DFL_NO_MEMORY;
    if (!status)
        status = list_expressions(&of_b, b);
    *same = !status && of_a.count == of_b.count && a->n == b->n;
    for (int i = 0; *same && i < of_a.count; i++) {
        const dfl_expr x = of_a.item[i];
        if (it.partner[x] == 0) {
            it.partner[x] = of_b.item[i] + 1;
            it.stack[it.depth++] = x;
        }
        *same = it.partner[x] == of_b.item[i] + 1;
        while (*same && it.depth > 0) {
            const dfl_expr next = it.stack[--it.depth];
            *same = same_node(&it, next, it.partner[next] - 1);
        }
    }
    dfl_free(ctx, of_a.item);
    dfl_free(ctx, of_b.item);
    dfl_free(ctx, it.partner);
    dfl_free(ctx, it.stack);
    return status;
}
