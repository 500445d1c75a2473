/* goals.c: what optimize{} of a script says. */
#include "declare/declare_internal.h"

#include "context/context.h"

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
        all[goals->measures.count++] = (dfl_measure){
            .symbol = *out, .expr = expr, .param = model->count[DFL_A_PARAM] - 1, .t = t};
    return status;
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
}
