/* planned.c: what study{} of the script says, where the caller says nothing. */
#include "sweep/sweep_internal.h"

#include <stdio.h>
#include <string.h>

static dfl_status add_every(dfl_sweep_options *out, dfl_sweep *sweep, double every);
static dfl_status find_cases(dfl_sweep_options *out, dfl_sweep *sweep, const char *file);

dfl_status dfl_sweep_plan(dfl_sweep_options *out, dfl_sweep *sweep, const dfl_sweep_options *given)
{
    const dfl_plan *plan = &sweep->model->plan;
    *out = *given;
    if (out->case_seconds == 0)
        out->case_seconds = plan->seconds;
    if (out->case_memory == 0)
        out->case_memory = plan->megabytes;
    if (out->resume) /* the file says all the rest */
        return DFL_OK;
    if (!out->columns)
        out->columns = plan->columns;
    dfl_status status = plan->every > 0 ? add_every(out, sweep, plan->every) : DFL_OK;
    if (status || given->nover + given->nsample > 0 || given->cases)
        return status;
    out->nover = plan->over.count;
    out->over = (const char *const *)plan->over.item;
    out->nsample = plan->sample.count;
    out->sample = (const char *const *)plan->sample.item;
    if (out->count == 0)
        out->count = plan->count;
    if (out->seed == 0)
        out->seed = plan->seed;
    if (!out->design)
        out->design = plan->design;
    return plan->cases ? find_cases(out, sweep, plan->cases) : DFL_OK;
}

/* One more setting, unless the caller has it. */
static dfl_status add_every(dfl_sweep_options *out, dfl_sweep *sweep, double every)
{
    for (int i = 0; i < out->nsettings; i++)
        if (out->settings && out->settings[i] && !strncmp(out->settings[i], "every=", 6))
            return DFL_OK;
    const char **all = dfl_alloc(sweep->ctx, (size_t)out->nsettings + 1, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    for (int i = 0; i < out->nsettings; i++)
        all[i] = out->settings ? out->settings[i] : NULL;
    snprintf(sweep->every, sizeof sweep->every, "every=%.17g", every);
    all[out->nsettings++] = sweep->every;
    sweep->settings = all;
    out->settings = all;
    return DFL_OK;
}

/* A file beside the script. */
static dfl_status find_cases(dfl_sweep_options *out, dfl_sweep *sweep, const char *file)
{
    const char *path = sweep->model->path, *slash = strrchr(path, '/');
    dfl_text whole = {.ctx = sweep->ctx};
    dfl_text_bytes(&whole, path, slash ? (size_t)(slash - path + 1) : 0);
    dfl_text_add(&whole, "%s", file);
    sweep->cases_file = whole.data;
    out->cases = whole.data;
    return whole.status;
}
