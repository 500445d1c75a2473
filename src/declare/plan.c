/* plan.c: what study{} of a script says. */
#include "declare/declare.h"

#include "context/context.h"

dfl_status dfl_model_plan(dfl_model *model, bool sampled, const char *text)
{
    dfl_plan *plan = &model->plan;
    char ***item = sampled ? &plan->sample.item : &plan->over.item;
    int *count = sampled ? &plan->sample.count : &plan->over.count;
    int *room = sampled ? &plan->sample.room : &plan->over.room;
    char **all = dfl_grow(model->ctx, *item, room, *count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    *item = all;
    all[*count] = dfl_copy_string(model->ctx, text);
    return all[(*count)++] ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_plan_clear(dfl_plan *plan, dfl_context *ctx)
{
    for (int i = 0; i < plan->over.count; i++)
        dfl_free(ctx, plan->over.item[i]);
    for (int i = 0; i < plan->sample.count; i++)
        dfl_free(ctx, plan->sample.item[i]);
    dfl_free(ctx, plan->over.item);
    dfl_free(ctx, plan->sample.item);
    dfl_free(ctx, plan->design);
    dfl_free(ctx, plan->cases);
    dfl_free(ctx, plan->columns);
}
