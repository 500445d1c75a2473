/* followed.c: the inputs with which a script's model follows its motions. */
#include "model/run_internal.h"

#include <math.h>

struct dfl_followed {
    dfl_context *ctx;
    dfl_model *model;
    dfl_equations *eq;
    dfl_runnable *runnable;
    dfl_settings settings;
    char *texts[DFL_MOST_SETTINGS];
    dfl_inverse_table table;
    dfl_followed_report report;
};

static dfl_status follow(dfl_followed *it, const dfl_model *model, int nsettings,
                         const char *const *settings)
{
    dfl_choices choices;
    dfl_status status = dfl_choose_texts(&choices, it->texts, it->ctx, nsettings, settings);
    if (!status)
        status = dfl_model_load_again(&it->model, it->ctx, model,
                                      dfl_choices_joint_dynamics(&choices), true);
    if (!status)
        status = dfl_equations_create(&it->eq, it->model, true);
    if (!status)
        status = dfl_runnable_create(&it->runnable, it->eq);
    if (!status)
        status = dfl_settings_resolve(&it->settings, &choices, it->runnable);
    if (!status)
        status = dfl_study_inverse_table(&it->table, it->runnable, &it->settings);
    if (status)
        return status;
    for (int i = 0; i < it->table.inverse.nu; i++)
        it->table.inverse.peak[i] = fabs(it->table.inverse.peak[i]);
    it->report = (dfl_followed_report){.rows = it->table.rows,
                                       .columns = 1 + it->table.ncolumns,
                                       .values = it->table.values,
                                       .names = (const char *const *)it->table.names,
                                       .ndrives = it->table.inverse.nu,
                                       .first_drive = it->table.nvariables,
                                       .peak = it->table.inverse.peak,
                                       .rms = it->table.inverse.rms};
    return DFL_OK;
}

dfl_status dfl_model_inverse(dfl_followed **out, dfl_context *ctx, const dfl_model *model,
                             int nsettings, const char *const *settings)
{
    *out = NULL;
    if (!ctx || !model)
        return ctx ? dfl_fail(ctx, DFL_INVALID, "model is NULL; load one first") : DFL_INVALID;
    dfl_followed *it = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    it->ctx = ctx;
    const dfl_status status = follow(it, model, nsettings, settings);
    if (status)
        dfl_followed_free(it);
    else
        *out = it;
    return status;
}

void dfl_followed_free(dfl_followed *followed)
{
    if (!followed)
        return;
    dfl_context *ctx = followed->ctx;
    dfl_inverse_table_clear(&followed->table);
    dfl_runnable_free(followed->runnable);
    dfl_equations_free(followed->eq);
    dfl_model_free(followed->model);
    for (int i = 0; i < DFL_MOST_SETTINGS; i++)
        dfl_free(ctx, followed->texts[i]);
    dfl_free(ctx, followed);
}

const dfl_followed_report *dfl_followed_about(const dfl_followed *followed)
{
    return &followed->report;
}
