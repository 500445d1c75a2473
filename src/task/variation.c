/* variation.c: the same script once more, with more settings. */
#include "task/task_internal.h"

static dfl_status load(dfl_loaded *out, const char *const *settings, int count, void *user)
{
    const dfl_task_again *again = user;
    const dfl_task_options *options = again->options;
    const dfl_derivation how = {.purpose = DFL_TO_FOLLOW,
                                .nsettings = options->nsettings,
                                .settings = options->settings,
                                .start_from = options->start_from,
                                .prefix = options->prefix,
                                .goals = again->goals,
                                .nmore = count,
                                .more = settings};
    dfl_derived model;
    const dfl_status status =
        dfl_derived_create(&model, again->near->ctx, again->near->source, &how);
    *out = (dfl_loaded){model.model, model.eq, model.runnable};
    model.model = NULL;
    model.eq = NULL;
    model.runnable = NULL;
    dfl_derived_clear(&model);
    return status;
}

dfl_variation dfl_task_variation(dfl_task_again *again)
{
    return (dfl_variation){load, again};
}
