/* actions.c: discrete variables, actions of events and samples, contacts. */
#include "declare/declare_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status add_discrete(int *out, dfl_model *model, int line, const char *name,
                               double value);
static int number_of(const dfl_model *model, dfl_expr symbol);
static dfl_status act_at(int *out, dfl_model *model, const dfl_declaration *event);
static dfl_status add_action(int *out, dfl_model *model, const dfl_action *action);
static dfl_status check_target(dfl_model *model, const dfl_action *action, dfl_expr target);
static dfl_status add_impact(int *out, dfl_model *model, const dfl_touch *touch);
static dfl_status add_modes(dfl_touch *new, dfl_model *model);
static dfl_status add_rubbing(dfl_touch *new, dfl_model *model);

dfl_status dfl_model_discrete(dfl_expr *out, dfl_model *model, int line, const char *name,
                              double value)
{
    int number, own;
    if (!isfinite(value))
        return dfl_fail(model->ctx, DFL_INVALID,
                        "the value of the discrete variable '%s' is %g; give a finite number", name,
                        value);
    dfl_status status = dfl_model_declare(&own, model, line, DFL_AN_OUTPUT, name);
    if (!status)
        status = add_discrete(&number, model, line, name, value);
    if (!status)
        status = dfl_model_own_symbol(out, model, own, DFL_SYM_DISCRETE, number);
    if (!status)
        model->declarations.item[own].expr = *out;
    return status;
}

dfl_status dfl_model_hidden_discrete(dfl_expr *out, dfl_model *model, const char *name,
                                     double value)
{
    int number;
    const dfl_status status = add_discrete(&number, model, 0, name, value);
    *out = status ? DFL_NO_EXPR : model->actions.discretes.item[number].symbol;
    return status;
}

static dfl_status add_discrete(int *out, dfl_model *model, int line, const char *name, double value)
{
    dfl_status status = dfl_model_check_count(model, model->actions.discretes.count);
    if (status)
        return status;
    dfl_discrete *all =
        dfl_grow(model->ctx, model->actions.discretes.item, &model->actions.discretes.room,
                 model->actions.discretes.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->actions.discretes.item = all;
    *out = model->actions.discretes.count++;
    all[*out] =
        (dfl_discrete){.symbol = dfl_symbol_expr(model->graph, DFL_SYM_DISCRETE, *out, name),
                       .value = value,
                       .before = -1,
                       .line = line};
    return dfl_graph_status(model->graph);
}

/* Of a discrete variable, or -1. */
static int number_of(const dfl_model *model, dfl_expr symbol)
{
    const dfl_node *node = dfl_node_of(model->graph, symbol);
    if (node->op != DFL_OP_SYMBOL || model->graph->symbols[node->a].kind != DFL_SYM_DISCRETE)
        return -1;
    return model->graph->symbols[node->a].index;
}

dfl_status dfl_model_previous(dfl_expr *out, dfl_model *model, dfl_expr discrete)
{
    const int of = number_of(model, discrete);
    if (of < 0 || model->actions.discretes.item[of].before >= 0)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "previous: the argument is not a discrete variable; give what "
                        "discrete(...) returned");
    for (int i = 0; i < model->actions.discretes.count; i++)
        if (model->actions.discretes.item[i].before == of) {
            *out = model->actions.discretes.item[i].symbol;
            return DFL_OK;
        }
    char name[160];
    const uint32_t symbol = dfl_node_of(model->graph, discrete)->a;
    snprintf(name, sizeof name, "previous(%s)", model->graph->symbols[symbol].name);
    int number;
    const dfl_status status =
        add_discrete(&number, model, 0, name, model->actions.discretes.item[of].value);
    if (status)
        return status;
    model->actions.discretes.item[number].before = of;
    model->actions.discretes.item[number].from = model->actions.discretes.item[of].from;
    *out = model->actions.discretes.item[number].symbol;
    return DFL_OK;
}

dfl_status dfl_model_action_of(int *out, dfl_model *model, const char *name)
{
    const dfl_declaration *event = dfl_model_find(model, name);
    if (!event || event->kind != DFL_AN_EVENT)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "there is no event '%s'; declare it before, with event(\"%s\", ...)", name,
                        name);
    for (int i = 0; i < model->actions.touches.count; i++)
        if (model->actions.touches.item[i].event == event->index)
            return dfl_fail(model->ctx, DFL_INVALID,
                            "'%s' is an impact; declare an event of its gap", name);
    if (event->stop)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "event '%s' ends the run; let it go on (without stop)", name);
    return act_at(out, model, event);
}

dfl_status dfl_model_action(int *out, dfl_model *model)
{
    return act_at(out, model, &model->declarations.item[model->declarations.count - 1]);
}

static dfl_status act_at(int *out, dfl_model *model, const dfl_declaration *event)
{
    const dfl_action action = {.name = event->name,
                               .line = event->line,
                               .event = event->index,
                               .direction = event->direction,
                               .function = event->expr};
    return add_action(out, model, &action);
}

dfl_status dfl_model_sample(int *out, dfl_model *model, int line, const char *name, double period,
                            double phase)
{
    dfl_graph *g = model->graph;
    int number;
    if (!(period > 0 && isfinite(period)))
        return dfl_fail(model->ctx, DFL_INVALID,
                        "sample '%s': the period is %g; it must be positive", name, period);
    if (!isfinite(phase))
        return dfl_fail(model->ctx, DFL_INVALID, "sample '%s': the phase is %g", name, phase);
    const dfl_status status = dfl_model_declare(&number, model, line, DFL_A_SAMPLE, name);
    const dfl_expr time = dfl_symbol_expr(g, DFL_SYM_TIME, 0, "time");
    const dfl_action action = {
        .name = model->declarations.item[status ? 0 : number].name,
        .line = line,
        .event = -1,
        .sampled = true,
        .function = dfl_div(g, dfl_sub(g, time, dfl_constant(g, phase)), dfl_constant(g, period))};
    return status ? status : add_action(out, model, &action);
}

static dfl_status add_action(int *out, dfl_model *model, const dfl_action *action)
{
    dfl_action *all = dfl_grow(model->ctx, model->actions.list.item, &model->actions.list.room,
                               model->actions.list.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->actions.list.item = all;
    *out = model->actions.list.count;
    all[*out] = *action;
    all[*out].name = dfl_copy_string(model->ctx, action->name);
    if (!all[*out].name)
        return DFL_NO_MEMORY;
    model->actions.list.count++;
    return dfl_graph_status(model->graph);
}

static dfl_status add_assignment(dfl_assignment **items, int *count, int *room, dfl_model *model,
                                 dfl_assignment new)
{
    dfl_assignment *all = dfl_grow(model->ctx, *items, room, *count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    *items = all;
    all[(*count)++] = new;
    return DFL_OK;
}

dfl_status dfl_model_assign(dfl_model *model, int action, dfl_expr target, dfl_expr value)
{
    dfl_action *a = &model->actions.list.item[action];
    dfl_status status = check_target(model, a, target);
    if (!status)
        status = dfl_model_check_contents(model, DFL_FOR_ACTION, a->name, value);
    return status ? status : dfl_model_assign_own(model, action, target, value);
}

dfl_status dfl_model_assign_own(dfl_model *model, int action, dfl_expr target, dfl_expr value)
{
    dfl_action *a = &model->actions.list.item[action];
    const int discrete = number_of(model, target);
    if (discrete >= 0)
        model->actions.discretes.item[discrete].assigned = true;
    return add_assignment(&a->sets.item, &a->sets.count, &a->sets.room, model,
                          (dfl_assignment){target, value});
}

/* One of the unknowns that may jump; velocities that follow from kinematics may not. */
static dfl_status check_target(dfl_model *model, const dfl_action *action, dfl_expr target)
{
    const dfl_node *node = dfl_node_of(model->graph, target);
    const unsigned targets =
        1U << DFL_SYM_V | 1U << DFL_SYM_P | 1U << DFL_SYM_R | 1U << DFL_SYM_DISCRETE;
    const bool symbol = node->op == DFL_OP_SYMBOL;
    const dfl_declaration *owner = symbol ? dfl_model_owner(model, target) : NULL;
    if (!symbol || !(node->depends & targets) || !owner)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "set of '%s': only velocities, speeds, positions, dynamic and discrete "
                        "variables can be set; give one of them in brackets, [velocity(x)] = ...",
                        action->name);
    if (owner->kind == DFL_A_POSITION && owner->expr != DFL_NO_EXPR && target == owner->velocity)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "set of '%s': the velocity of %s follows from its kinematics; set speeds",
                        action->name, owner->name);
    for (int i = 0; i < action->sets.count; i++)
        if (action->sets.item[i].target == target)
            return dfl_fail(model->ctx, DFL_INVALID, "set of '%s': %s is set twice", action->name,
                            model->graph->symbols[node->a].name);
    return DFL_OK;
}

dfl_status dfl_model_impulse(dfl_model *model, int action, dfl_expr u, dfl_expr value)
{
    dfl_action *a = &model->actions.list.item[action];
    dfl_assignment new = {.value = value};
    dfl_status status = dfl_model_velocity_of(&new.target, model, "impulse", u);
    if (!status)
        status = dfl_model_check_contents(model, DFL_FOR_ACTION, a->name, value);
    return status ? status
                  : add_assignment(&a->impulses.item, &a->impulses.count, &a->impulses.room, model,
                                   new);
}

dfl_status dfl_model_delay(dfl_expr *out, dfl_model *model, int line, const char *name,
                           dfl_expr expr, const char *sample, int count)
{
    int action = 0;
    const int n = model->actions.list.count;
    while (action < n && (strcmp(model->actions.list.item[action].name, sample) != 0 ||
                          !model->actions.list.item[action].sampled))
        action++;
    if (action == n)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "delay '%s': there is no sample '%s' above; declare it before", name,
                        sample);
    dfl_expr now = expr;
    const int known = number_of(model, expr);
    const dfl_discrete first =
        known >= 0 ? model->actions.discretes.item[known] : (dfl_discrete){0};
    dfl_status status = DFL_OK;
    char link[160];
    int number;
    if (known < 0) { /* the value at the sample itself */
        snprintf(link, sizeof link, "%s.0", name);
        status = add_discrete(&number, model, 0, link, 0);
        if (status)
            return status;
        now = model->actions.discretes.item[number].symbol;
        status = dfl_model_assign_own(model, action, now, expr);
    }
    for (int k = 1; !status && k <= count; k++) {
        dfl_expr before, next = 0;
        status = dfl_model_previous(&before, model, now);
        snprintf(link, sizeof link, "%s.%d", name, k);
        if (!status && k == count)
            status = dfl_model_discrete(&next, model, line, name, first.value);
        else if (!status && !(status = add_discrete(&number, model, 0, link, first.value)))
            next = model->actions.discretes.item[number].symbol;
        if (!status) {
            dfl_model_discrete_from(model, next, first.from);
            status = dfl_model_assign_own(model, action, next, before);
        }
        now = next;
    }
    *out = now;
    return status;
}

/* ------------------------------------------------------------------------------- contacts */

dfl_status dfl_model_touch(int *out, dfl_model *model, const dfl_touch *touch)
{
    dfl_graph *g = model->graph;
    dfl_touch *all = dfl_grow(model->ctx, model->actions.touches.item, &model->actions.touches.room,
                              model->actions.touches.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->actions.touches.item = all;
    dfl_touch *new = &all[model->actions.touches.count];
    *new = *touch;
    new->normal = new->tangent[0] = new->tangent[1] = new->event = -1;
    new->name = dfl_copy_string(model->ctx, touch->name);
    if (!new->name)
        return DFL_NO_MEMORY;
    *out = model->actions.touches.count++;
    dfl_status status = add_modes(new, model);
    const dfl_expr closed = status ? 0 : model->actions.discretes.item[new->closed].symbol;
    if (!status && touch->gap != DFL_NO_EXPR)
        status = dfl_model_constraint(&new->normal, model, touch->line, touch->name,
                                      dfl_mul(g, closed, touch->gap));
    if (!status)
        status = add_rubbing(new, model);
    if (status || new->normal < 0)
        return status;
    model->declarations.item[new->normal].mask = closed;
    new->load = dfl_neg(g, dfl_mul(g, closed, model->declarations.item[new->normal].symbol));
    return add_impact(&new->event, model, touch);
}

/* The rows of friction. */
static dfl_status add_rubbing(dfl_touch *new, dfl_model *model)
{
    const dfl_discrete *modes = model->actions.discretes.item;
    const dfl_expr stick = modes[new->stick].symbol, sense = modes[new->sense].symbol;
    dfl_status status = DFL_OK;
    new->sliding = dfl_mul(model->graph, sense, new->slip[0]);
    for (int k = 0; !status && k < new->directions; k++) {
        char name[160];
        snprintf(name, sizeof name, "%s%s%s", new->name, new->gap != DFL_NO_EXPR ? ".friction" : "",
                 new->directions < 2 ? ""
                 : k                 ? ".2"
                                     : ".1");
        status = dfl_model_nonholonomic(&new->tangent[k], model, new->line, name,
                                        dfl_mul(model->graph, stick, new->slip[k]));
        if (!status)
            model->declarations.item[new->tangent[k]].mask = stick;
    }
    return status;
}

dfl_status dfl_model_mask(dfl_expr *mask, dfl_expr *expr, dfl_model *model, const char *name,
                          dfl_expr active)
{
    dfl_graph *g = model->graph;
    const unsigned allowed = 1U << DFL_SYM_DISCRETE | 1U << DFL_SYM_PARAM | 1U << DFL_SYM_INPUT;
    if (dfl_node_of(g, active)->depends & ~allowed)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "'%s': active may contain discrete variables, parameters and inputs; set a "
                        "discrete variable at an event",
                        name);
    *mask = dfl_select(g, active, dfl_constant(g, 1.0), dfl_constant(g, 0.0));
    *expr = dfl_mul(g, *mask, *expr);
    return dfl_graph_status(g);
}

/* The event of its impacts. */
static dfl_status add_impact(int *out, dfl_model *model, const dfl_touch *touch)
{
    char name[160];
    snprintf(name, sizeof name, "%s.impact", touch->name);
    const dfl_status status = dfl_model_event(model, touch->line, name, touch->gap, -1, false);
    if (!status)
        *out = model->declarations.item[model->declarations.count - 1].index;
    return status;
}

/* Not columns of the results. */
static dfl_status add_modes(dfl_touch *new, dfl_model *model)
{
    const struct {
        int *number;
        const char *what;
        double value;
    } modes[] = {{&new->closed, "closed", 0},    {&new->stick, "stick", 0},
                 {&new->sense, "sense", 0},      {&new->along[0], "along.1", 0},
                 {&new->along[1], "along.2", 0}, {&new->speed, "speed", 1}};
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < (new->directions == 2 ? 6 : 3); i++) {
        char name[160];
        snprintf(name, sizeof name, "%s.%s", new->name, modes[i].what);
        status = add_discrete(modes[i].number, model, 0, name, modes[i].value);
    }
    return status;
}

void dfl_model_clear_actions(dfl_model *model)
{
    dfl_context *ctx = model->ctx;
    dfl_actions *all = &model->actions;
    for (int i = 0; i < all->list.count; i++) {
        dfl_free(ctx, all->list.item[i].name);
        dfl_free(ctx, all->list.item[i].sets.item);
        dfl_free(ctx, all->list.item[i].impulses.item);
    }
    for (int i = 0; i < all->touches.count; i++)
        dfl_free(ctx, all->touches.item[i].name);
    dfl_free(ctx, all->list.item);
    dfl_free(ctx, all->discretes.item);
    dfl_free(ctx, all->touches.item);
    dfl_model_clear_foreigns(model);
}
