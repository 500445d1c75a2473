/* run_actions.c: discrete variables, and what events and samples do. */
#include "engine/engine_internal.h"

#include <math.h>

static int count_values(const dfl_model *model);
static dfl_status create_values(dfl_runnable *run);
static dfl_status create_masks(dfl_runnable *run);
static void act(dfl_change *change, dfl_runnable *run, int number, int first, double t);
static bool begins(dfl_runnable *run, int number, double t);
static bool acts(dfl_runnable *run, int number, const bool *crossed, double t);
static int slot_of(const dfl_equations *eq, dfl_expr symbol);

dfl_status dfl_actions_create(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    dfl_run_actions *act = &run->actions;
    const size_t rows = (size_t)(run->eq->nl + run->eq->nm);
    act->discrete =
        dfl_alloc(run->ctx, (size_t)model->actions.discretes.count, sizeof *act->discrete);
    act->value = dfl_alloc(run->ctx, (size_t)count_values(model), sizeof *act->value);
    act->mask = dfl_alloc(run->ctx, rows, sizeof *act->mask);
    act->off = dfl_alloc(run->ctx, rows, sizeof *act->off);
    act->acting = dfl_alloc(run->ctx, (size_t)model->count[DFL_AN_EVENT], sizeof *act->acting);
    if (!act->discrete || !act->value || !act->mask || !act->off || !act->acting)
        return DFL_NO_MEMORY;
    for (int i = 0; i < model->actions.list.count; i++)
        if (!model->actions.list.item[i].sampled)
            act->acting[model->actions.list.item[i].event] = true;
    for (int i = 0; i < model->actions.touches.count; i++)
        if (model->actions.touches.item[i].event >= 0)
            act->acting[model->actions.touches.item[i].event] = true;
    dfl_actions_begin(run);
    return DFL_OK;
}

void dfl_actions_begin(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    for (int i = 0; i < model->actions.discretes.count; i++)
        run->actions.discrete[i] = model->actions.discretes.item[i].value;
}

void dfl_actions_clear(dfl_runnable *run)
{
    dfl_free(run->ctx, run->actions.discrete);
    dfl_free(run->ctx, run->actions.value);
    dfl_free(run->ctx, run->actions.mask);
    dfl_free(run->ctx, run->actions.off);
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

bool dfl_actions_mask(dfl_runnable *run)
{
    dfl_run_actions *act = &run->actions;
    const int count = run->eq->nl + run->eq->nm;
    bool changed = false;
    if (count > 0)
        dfl_runnable_evaluate(&act->masks, run, 0, NULL, NULL, &act->mask);
    for (int i = 0; i < count; i++) {
        const bool off = act->mask[i] == 0;
        changed = changed || off != act->off[i];
        act->off[i] = off;
    }
    return changed;
}

bool dfl_runnable_row_is_off(const dfl_runnable *run, int row)
{
    return run->actions.masked && run->actions.off[row];
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

/* In the order of declaration; each sees what those before it have done. */
void dfl_actions_do(dfl_change *change, dfl_runnable *run, const bool *crossed, double t)
{
    const dfl_model *model = run->eq->model;
    int first = 0;
    for (int i = 0; i < model->actions.discretes.count; i++) {
        const int of = model->actions.discretes.item[i].before;
        if (of >= 0)
            run->actions.discrete[i] = run->actions.discrete[of];
    }
    for (int i = 0; i < model->actions.list.count; i++) {
        if (acts(run, i, crossed, t))
            act(change, run, i, first, t);
        first +=
            model->actions.list.item[i].sets.count + model->actions.list.item[i].impulses.count;
    }
}

/* Whether a sample is due at the start of the run. */
static bool begins(dfl_runnable *run, int number, double t)
{
    dfl_switches *sw = &run->switches;
    const int item = sw->lock->count + number;
    for (int i = 0; i < sw->instants; i++)
        if (sw->watched[i].number == item) {
            dfl_runnable_evaluate(&sw->of_time.values, run, t, NULL, NULL, &sw->value);
            const double nearest = round(sw->value[i]);
            if (fabs(sw->value[i] - nearest) > 1e-9 * fmax(1, fabs(nearest)))
                return false;
            sw->branch[item] = nearest;
            return nearest >= 0;
        }
    return false;
}

/* Whether a function moves away from the zero that its event has found: that zero is one of rounding,
   where events come closer and closer. */
bool dfl_actions_contrary(const dfl_runnable *run, int which, const dfl_change *change, double t)
{
    const dfl_switches *sw = &run->switches;
    const int item = sw->watched[which].number;
    double *value = sw->value;
    if (item < sw->lock->count || item >= sw->first_contact ||
        sw->item[item].kind != DFL_SWITCH_SIGN)
        return false;
    dfl_runnable_evaluate(&sw->all.values, run, t, change->x, NULL, &value);
    dfl_functions_noise(sw->noise, &sw->all, run, t, change->x, change->tolerance);
    const double slope = dfl_functions_rate(&sw->all, run, which, t, change->x, change->rate);
    return fabs(value[which]) <= 10 * sw->noise[which] && slope * sw->branch[item] > 0;
}

/* The new branch of its switch is known. */
static bool acts(dfl_runnable *run, int number, const bool *crossed, double t)
{
    const dfl_switches *sw = &run->switches;
    const dfl_action *action = &run->eq->model->actions.list.item[number];
    const int item = sw->lock->count + number;
    if (!crossed)
        return action->sampled && begins(run, number, t);
    for (int i = 0; i < sw->count; i++)
        if (sw->flipped[i] && sw->watched[i].number == item)
            return action->sampled ? sw->branch[item] >= 0
                                   : action->direction * sw->branch[item] >= 0;
    return false;
}

/* All right sides first. */
static void act(dfl_change *change, dfl_runnable *run, int number, int first, double t)
{
    const dfl_equations *eq = run->eq;
    const dfl_action *action = &eq->model->actions.list.item[number];
    dfl_run_actions *all = &run->actions;
    const int v = eq->n - eq->np - eq->ns - eq->nv;
    dfl_runnable_prepare(run);
    dfl_runnable_evaluate(&all->values, run, t, change->x, NULL, &all->value);
    for (int k = 0; k < action->sets.count; k++) {
        const dfl_expr target = action->sets.item[k].target;
        const int place = slot_of(eq, target);
        if (place < 0) {
            all->discrete[eq->graph->symbols[dfl_node_of(eq->graph, target)->a].index] =
                all->value[first + k];
        } else {
            change->x[place] = all->value[first + k];
            change->assigned[place] = true;
        }
    }
    if (!action->sampled && change->met)
        change->met[action->event] =
            run->switches.branch[run->switches.lock->count + number] > 0 ? 1 : -1;
    for (int k = 0; k < action->impulses.count; k++)
        change->impulse[slot_of(eq, action->impulses.item[k].target) - v] +=
            all->value[first + action->sets.count + k];
    change->acted = true;
}

/* The place of an unknown in x, or -1 of a discrete variable. */
static int slot_of(const dfl_equations *eq, dfl_expr symbol)
{
    const dfl_symbol *s = &eq->graph->symbols[dfl_node_of(eq->graph, symbol)->a];
    return s->kind == DFL_SYM_DISCRETE ? -1 : eq->slot[s->kind][s->index];
}
