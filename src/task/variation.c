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

/* A variation with a context of its own. */
typedef struct forked {
    dfl_task_again again;
    dfl_task_state near;
} forked;

static dfl_status fork_variation(dfl_variation *out, dfl_context *ctx, const void *user);

static void release(dfl_variation *variation)
{
    forked *it = variation->user;
    dfl_free(it->near.ctx, it);
    variation->user = NULL;
}

static dfl_status fork_variation(dfl_variation *out, dfl_context *ctx, const void *user)
{
    const dfl_task_again *from = user;
    forked *it = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    it->near.ctx = ctx;
    it->near.source = from->near->source;
    it->again = *from;
    it->again.near = &it->near;
    *out = dfl_task_variation(&it->again);
    out->user = it; /* it begins with `again` */
    return DFL_OK;
}

dfl_variation dfl_task_variation(dfl_task_again *again)
{
    return (dfl_variation){load, again, fork_variation, release};
}
