/* run_actions.c: discrete variables, what events and samples do, rows that can be off: tables and
   programs for carry/branching_actions.c. */
#include "engine/engine_internal.h"

static int count_values(const dfl_model *model);
static dfl_status create_values(dfl_runnable *run);
static dfl_status create_masks(dfl_runnable *run);
static void list_targets(dfl_run_actions *act, const dfl_equations *eq);
static int slot_of(const dfl_equations *eq, dfl_expr symbol);

dfl_status dfl_actions_create(dfl_runnable *run)
{
    const dfl_actions *all = &run->eq->model->actions;
    dfl_run_actions *act = &run->actions;
    const size_t discretes = (size_t)all->discretes.count,
                 values = (size_t)count_values(run->eq->model);
    act->first = dfl_alloc(run->ctx, discretes, sizeof *act->first);
    act->before = dfl_alloc(run->ctx, discretes, sizeof *act->before);
    act->table = dfl_alloc(run->ctx, (size_t)all->list.count, sizeof *act->table);
    act->target = dfl_alloc(run->ctx, values, sizeof *act->target);
    act->acting =
        dfl_alloc(run->ctx, (size_t)run->eq->model->count[DFL_AN_EVENT], sizeof *act->acting);
    if (!act->first || !act->before || !act->table || !act->target || !act->acting)
        return DFL_NO_MEMORY;
    for (int i = 0; i < all->discretes.count; i++) {
        act->first[i] = all->discretes.item[i].value;
        act->before[i] = all->discretes.item[i].before;
    }
    for (int i = 0; i < all->list.count; i++)
        if (!all->list.item[i].sampled)
            act->acting[all->list.item[i].event] = true;
    for (int i = 0; i < all->touches.count; i++)
        if (all->touches.item[i].event >= 0)
            act->acting[all->touches.item[i].event] = true;
    list_targets(act, run->eq);
    return DFL_OK;
}

static void list_targets(dfl_run_actions *act, const dfl_equations *eq)
{
    const int v = eq->n - eq->np - eq->ns - eq->nv;
    int n = 0;
    for (int i = 0; i < eq->model->actions.list.count; i++) {
        const dfl_action *action = &eq->model->actions.list.item[i];
        act->table[i] = (dfl_carried_action){.sampled = action->sampled,
                                             .event = action->event,
                                             .direction = action->direction,
                                             .nsets = action->sets.count,
                                             .nimpulses = action->impulses.count,
                                             .first = n,
                                             .target = act->target + n,
                                             .foreign = action->foreign};
        for (int k = 0; k < action->sets.count; k++)
            act->target[n++] = slot_of(eq, action->sets.item[k].target);
        for (int k = 0; k < action->impulses.count; k++)
            act->target[n++] = slot_of(eq, action->impulses.item[k].target) - v;
    }
}

/* The place of an unknown in x, or -1 - k of the discrete variable k. */
static int slot_of(const dfl_equations *eq, dfl_expr symbol)
{
    const dfl_symbol *s = &eq->graph->symbols[dfl_node_of(eq->graph, symbol)->a];
    return s->kind == DFL_SYM_DISCRETE ? -1 - s->index : eq->slot[s->kind][s->index];
}

void dfl_actions_clear(dfl_runnable *run)
{
    dfl_free(run->ctx, run->actions.first);
    dfl_free(run->ctx, run->actions.before);
    dfl_free(run->ctx, run->actions.table);
    dfl_free(run->ctx, run->actions.target);
    dfl_free(run->ctx, run->actions.acting);
}

dfl_status dfl_actions_prepare(dfl_runnable *run)
{
    const dfl_status status = create_values(run);
    return status ? status : create_masks(run);
}

static int count_values(const dfl_model *model)
{
    int count = 0;
    for (int i = 0; i < model->actions.list.count; i++)
        count +=
            model->actions.list.item[i].sets.count + model->actions.list.item[i].impulses.count;
    return count;
}

static dfl_status create_values(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    const int count = count_values(model);
    dfl_expr *rows = dfl_alloc(run->ctx, (size_t)count, sizeof *rows);
    int n = 0;
    if (!rows)
        return DFL_NO_MEMORY;
    for (int i = 0; i < model->actions.list.count; i++) {
        const dfl_action *action = &model->actions.list.item[i];
        for (int k = 0; k < action->sets.count; k++)
            rows[n++] = action->sets.item[k].value;
        for (int k = 0; k < action->impulses.count; k++)
            rows[n++] = action->impulses.item[k].value;
    }
    const dfl_status status = dfl_program_create(&run->actions.values, run, rows, count);
    dfl_free(run->ctx, rows);
    return status;
}

/* Rows in the order of the equations: holonomic, then nonholonomic. */
static dfl_status create_masks(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const int count = eq->nl + eq->nm;
    dfl_expr *rows = dfl_alloc(run->ctx, (size_t)count, sizeof *rows);
    if (!rows)
        return DFL_NO_MEMORY;
    for (int i = 0; i < count; i++) {
        const int number = eq->declared.row[i];
        const dfl_expr mask = number < 0 ? DFL_NO_EXPR : eq->model->declarations.item[number].mask;
        run->actions.masked = run->actions.masked || mask != DFL_NO_EXPR;
        rows[i] = mask == DFL_NO_EXPR ? dfl_constant(eq->graph, 1.0) : mask;
    }
    const dfl_status status = dfl_program_create(&run->actions.masks, run, rows, count);
    dfl_free(run->ctx, rows);
    return status;
}

void dfl_actions_list(dfl_switch *items, const dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    for (int i = 0; i < model->actions.list.count; i++) {
        const dfl_action *action = &model->actions.list.item[i];
        items[i] = (dfl_switch){.kind = action->sampled ? DFL_SWITCH_FLOOR : DFL_SWITCH_SIGN,
                                .source = action->function,
                                .condition = action->function,
                                .branch = DFL_NO_EXPR};
    }
}

bool dfl_runnable_masked(const dfl_runnable *run)
{
    return run->actions.masked;
}
