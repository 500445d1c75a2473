/* followed.c: the inputs with which a script's model follows its motions. */
#include "model/run_internal.h"

#include <math.h>

struct dfl_followed {
    dfl_context *ctx;
    dfl_derived derived;
    dfl_settings settings;
    dfl_inverse_table table;
    dfl_followed_report report;
};

static dfl_status follow(dfl_followed *it, const dfl_model *model, int nsettings,
                         const char *const *settings)
{
    const dfl_derivation how = {.purpose = DFL_TO_LINEARIZE,
                                .nsettings = nsettings,
                                .settings = settings,
                                .prescribe = true};
    dfl_status status = dfl_derived_create(&it->derived, it->ctx, model, &how);
    if (!status)
        status = dfl_settings_resolve(&it->settings, &it->derived.choices, it->derived.runnable);
    if (!status)
        status = dfl_study_inverse_table(&it->table, it->derived.runnable, &it->settings);
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
    if (out)
        *out = NULL;
    dfl_status status = dfl_check_call(out, ctx, model);
    if (status)
        return status;
    dfl_followed *it = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    it->ctx = ctx;
    status = follow(it, model, nsettings, settings);
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
    dfl_derived_clear(&followed->derived);
    dfl_free(ctx, followed);
}

const dfl_followed_report *dfl_followed_about(const dfl_followed *followed)
{
    return followed ? &followed->report : NULL;
}
