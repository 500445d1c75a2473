/* foreign.c: controllers that are FMUs: samples whose values go into the FMU, and discrete
   variables that come out. */
#include "declare/declare_internal.h"

#include <stdio.h>
#include <string.h>

dfl_status dfl_model_foreign(int *out, dfl_model *model, int line, const char *name,
                             const dfl_text *archive, double period)
{
    int action;
    dfl_status status = dfl_model_sample(&action, model, line, name, period, 0);
    if (status)
        return status;
    dfl_foreign *all =
        dfl_grow(model->ctx, model->actions.foreigns.item, &model->actions.foreigns.room,
                 model->actions.foreigns.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->actions.foreigns.item = all;
    *out = model->actions.foreigns.count++;
    dfl_foreign *new = &all[*out];
    *new = (dfl_foreign){
        .name = dfl_copy_string(model->ctx, name), .archive.ctx = model->ctx, .action = action};
    dfl_text_bytes(&new->archive, archive->data, archive->length);
    model->actions.list.item[action].foreign = *out + 1;
    return new->name ? new->archive.status : DFL_NO_MEMORY;
}

static dfl_status add_reference(unsigned **item, int *count, int *room, dfl_model *model,
                                unsigned reference)
{
    unsigned *all = dfl_grow(model->ctx, *item, room, *count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    *item = all;
    all[(*count)++] = reference;
    return DFL_OK;
}

dfl_status dfl_model_foreign_input(dfl_model *model, int foreign, unsigned reference,
                                   dfl_expr value)
{
    dfl_foreign *f = &model->actions.foreigns.item[foreign];
    dfl_expr symbol;
    char name[160];
    snprintf(name, sizeof name, "%.100s.input%d", f->name, f->inputs.count + 1);
    dfl_status status = dfl_model_check_contents(model, DFL_FOR_ACTION, f->name, value);
    if (!status)
        status = dfl_model_hidden_discrete(&symbol, model, name, 0);
    if (!status)
        status = dfl_model_assign_own(model, f->action, symbol, value);
    return status ? status
                  : add_reference(&f->inputs.item, &f->inputs.count, &f->inputs.room, model,
                                  reference);
}

/* Between samples it keeps its value: the action assigns that, and the FMU another one. */
dfl_status dfl_model_foreign_output(dfl_expr *out, dfl_model *model, int line, int foreign,
                                    unsigned reference, const char *name)
{
    dfl_foreign *f = &model->actions.foreigns.item[foreign];
    dfl_status status = dfl_model_discrete(out, model, line, name, 0);
    if (!status)
        status = dfl_model_assign_own(model, f->action, *out, *out);
    return status ? status
                  : add_reference(&f->outputs.item, &f->outputs.count, &f->outputs.room, model,
                                  reference);
}

dfl_status dfl_model_foreign_set(dfl_model *model, int foreign, unsigned reference, double value)
{
    dfl_foreign *f = &model->actions.foreigns.item[foreign];
    double *all =
        dfl_grow(model->ctx, f->values.item, &f->values.room, f->values.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    f->values.item = all;
    all[f->values.count++] = value;
    return add_reference(&f->params.item, &f->params.count, &f->params.room, model, reference);
}

void dfl_model_clear_foreigns(dfl_model *model)
{
    for (int i = 0; i < model->actions.foreigns.count; i++) {
        dfl_foreign *f = &model->actions.foreigns.item[i];
        dfl_free(model->ctx, f->name);
        dfl_text_clear(&f->archive);
        dfl_free(model->ctx, f->inputs.item);
        dfl_free(model->ctx, f->outputs.item);
        dfl_free(model->ctx, f->params.item);
        dfl_free(model->ctx, f->values.item);
    }
    dfl_free(model->ctx, model->actions.foreigns.item);
}
