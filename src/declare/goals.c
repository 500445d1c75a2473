/* goals.c: what optimize{} of a script says. */
#include "declare/declare_internal.h"

#include "context/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

dfl_status dfl_model_vary(dfl_model *model, const char *name, double low, double high)
{
    dfl_goals *goals = &model->goals;
    dfl_varied *all = dfl_grow(model->ctx, goals->varied.item, &goals->varied.room,
                               goals->varied.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    goals->varied.item = all;
    all[goals->varied.count] = (dfl_varied){dfl_copy_string(model->ctx, name), low, high};
    return all[goals->varied.count++].name ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_model_measure(dfl_expr *out, dfl_model *model, int line, dfl_expr expr, double t)
{
    dfl_goals *goals = &model->goals;
    char name[40];
    snprintf(name, sizeof name, "measure%d", goals->measures.count + 1);
    dfl_status status = dfl_model_param(out, model, line, name, 0, NULL);
    dfl_measure *all = dfl_grow(model->ctx, goals->measures.item, &goals->measures.room,
                                goals->measures.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    goals->measures.item = all;
    if (!status)
        all[goals->measures.count++] = (dfl_measure){.symbol = *out,
                                                     .expr = expr,
                                                     .param = model->count[DFL_A_PARAM] - 1,
                                                     .t = t,
                                                     .met = DFL_NO_EXPR};
    return status;
}

dfl_status dfl_model_peak(dfl_expr *out, dfl_model *model, int line, dfl_expr expr)
{
    const dfl_status status = dfl_model_measure(out, model, line, expr, NAN);
    if (!status)
        model->goals.measures.item[model->goals.measures.count - 1].peak = true;
    return status;
}

/* The event counts how often it happens, and notes the time of the k-th time: discrete variables,
   which have derivatives. */
dfl_status dfl_model_event_time(dfl_expr *out, dfl_model *model, int line, const char *name, int k)
{
    dfl_graph *g = model->graph;
    dfl_expr count, when;
    int action;
    dfl_status status = dfl_model_action_of(&action, model, name);
    if (!status)
        status = dfl_model_hidden_discrete(&count, model, "times of an event", 0);
    if (!status)
        status = dfl_model_hidden_discrete(&when, model, "time of an event", 0);
    if (status)
        return status;
    const dfl_expr next = dfl_add(g, count, dfl_constant(g, 1));
    const dfl_expr apart = dfl_unary(g, DFL_OP_ABS, dfl_sub(g, next, dfl_constant(g, k)));
    const dfl_expr time = dfl_symbol_expr(g, DFL_SYM_TIME, 0, "time");
    status = dfl_model_assign_own(model, action, count, next);
    if (!status)
        status = dfl_model_assign_own(
            model, action, when,
            dfl_select(g, dfl_sub(g, apart, dfl_constant(g, 0.5)), when, time));
    if (!status)
        status = dfl_model_measure(out, model, line, when, NAN);
    if (status)
        return status;
    dfl_measure *measure = &model->goals.measures.item[model->goals.measures.count - 1];
    measure->met = count;
    measure->wanted = k;
    measure->event = (int)(dfl_model_find(model, name) - model->declarations.item);
    return DFL_OK;
}

dfl_status dfl_model_subject(dfl_model *model, dfl_expr expr, bool equal)
{
    dfl_goals *goals = &model->goals;
    dfl_limit *all = dfl_grow(model->ctx, goals->limits.item, &goals->limits.room,
                              goals->limits.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    goals->limits.item = all;
    all[goals->limits.count++] = (dfl_limit){expr, equal};
    return DFL_OK;
}

dfl_status dfl_model_measured(dfl_model *model, const char *name, const double *time,
                              const double *value, int count, double weight)
{
    dfl_goals *goals = &model->goals;
    dfl_measured *all = dfl_grow(model->ctx, goals->measured.item, &goals->measured.room,
                                 goals->measured.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    goals->measured.item = all;
    dfl_measured *it = &all[goals->measured.count++];
    *it = (dfl_measured){.name = dfl_copy_string(model->ctx, name),
                         .count = count,
                         .time = dfl_alloc(model->ctx, 2 * (size_t)count, sizeof(double)),
                         .weight = weight};
    if (!it->name || !it->time)
        return DFL_NO_MEMORY;
    it->value = it->time + count;
    memcpy(it->time, time, (size_t)count * sizeof *time);
    memcpy(it->value, value, (size_t)count * sizeof *value);
    return DFL_OK;
}

void dfl_goals_clear(dfl_goals *goals, dfl_context *ctx)
{
    for (int i = 0; i < goals->varied.count; i++)
        dfl_free(ctx, goals->varied.item[i].name);
    for (int i = 0; i < goals->measured.count; i++) {
        dfl_free(ctx, goals->measured.item[i].name);
        dfl_free(ctx, goals->measured.item[i].time);
    }
    dfl_free(ctx, goals->varied.item);
    dfl_free(ctx, goals->measured.item);
    dfl_free(ctx, goals->measures.item);
    dfl_free(ctx, goals->limits.item);
}
