/* case_model.c: the model with the values of a case.

   Script and derivation are repeated only where they would give other equations than those of the
   last case of the thread (dfl_derived_revalue), so a case has the bits of a run of its own,
   whatever came before. */
#include "sweep/sweep_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN_FRONT = 16 }; /* the size of a block is in front of it */

/* Equations that have grown by this many bytes through all that is asked of them are derived again.
 */
static const size_t most_growth = 1 << 20;

static dfl_status begin(dfl_case_model *model, const dfl_cases *cases);
static void write_sets(dfl_case_model *model, const dfl_cases *cases, const double *values);
static dfl_derivation derivation(const dfl_case_model *model, const dfl_cases *cases);

/* Compilers are ended, too. */
static bool is_over(void *user)
{
    dfl_case_model *model = user;
    return model->over && model->over(model->user);
}

/* Whoever finds the time over by itself, as a script does, still needs some memory to say so. */
static bool is_long_over(dfl_case_model *model)
{
    static const double grace = 0.05;
    const double now = dfl_clock();
    if (model->over_since == 0)
        model->over_since = now;
    return now > model->over_since + grace;
}

static void *take(size_t bytes, void *user)
{
    dfl_case_model *model = user;
    const size_t most = model->memory.most, used = model->memory.used;
    if (is_over(model) && is_long_over(model))
        return NULL; /* it ends also where there are no steps to count */
    if (most > 0 && (bytes > most || used > most - bytes)) {
        model->memory.exceeded = true;
        return NULL;
    }
    char *block = malloc(bytes + IN_FRONT);
    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    model->memory.used += bytes;
    return block + IN_FRONT;
}

static void give_back(void *block, void *user)
{
    dfl_case_model *model = user;
    size_t bytes;
    if (!block)
        return;
    memcpy(&bytes, (char *)block - IN_FRONT, sizeof bytes);
    model->memory.used -= bytes;
    free((char *)block - IN_FRONT);
}

dfl_status dfl_case_model_take(dfl_case_model *model, const dfl_cases *cases, const double *values)
{
    bool same = false;
    if (model->ctx) {
        write_sets(model, cases, values);
        const dfl_derivation how = derivation(model, cases);
        const dfl_status status = dfl_derived_revalue(&same, &model->derived, &how);
        if (!status && same)
            return DFL_OK;
        dfl_case_model_clear(model); /* a message belongs to a script with these values */
    }
    const dfl_status status = begin(model, cases);
    if (status)
        return status;
    write_sets(model, cases, values);
    const dfl_derivation how = derivation(model, cases);
    return dfl_derived_create(&model->derived, model->ctx, cases->model, &how);
}

static dfl_status begin(dfl_case_model *model, const dfl_cases *cases)
{
    const int count = dfl_design_parameters(cases->design);
    const char *const *names = dfl_design_parameter_names(cases->design);
    const double bytes = cases->options.megabytes * 1e6;
    *model = (dfl_case_model){
        .limit = bytes, .memory.most = (size_t)bytes, .over = model->over, .user = model->user};
    model->ctx = dfl_context_create_with(
        &(dfl_allocator){.alloc = take, .release = give_back, .user = model});
    if (!model->ctx)
        return DFL_NO_MEMORY;
    dfl_interrupted_by(model->ctx, is_over, model);
    model->room = 1;
    for (int i = 0; i < count; i++)
        model->room += strlen(names[i]) + 32;
    model->sets = dfl_alloc(model->ctx, (size_t)count, sizeof *model->sets);
    model->texts = dfl_alloc(model->ctx, model->room, 1);
    return model->sets && model->texts ? DFL_OK : DFL_NO_MEMORY;
}

/* With all digits. */
static void write_sets(dfl_case_model *model, const dfl_cases *cases, const double *values)
{
    const char *const *names = dfl_design_parameter_names(cases->design);
    char *at = model->texts, *end = model->texts + model->room;
    for (int i = 0; i < dfl_design_parameters(cases->design); i++) {
        model->sets[i] = at;
        at += snprintf(at, (size_t)(end - at), "%s=%.17g", names[i], values[i]) + 1;
    }
}

static dfl_derivation derivation(const dfl_case_model *model, const dfl_cases *cases)
{
    const dfl_cases_options *options = &cases->options;
    const double megabytes = options->megabytes;
    return (dfl_derivation){.purpose = DFL_TO_RUN,
                            .nsettings = options->nsettings,
                            .settings = options->settings,
                            .prefix = "--",
                            .unseen = true,
                            .nmore = dfl_design_parameters(cases->design),
                            .more = model->sets,
                            .max_seconds = options->seconds,
                            .max_memory =
                                megabytes > 0 && megabytes < 256 ? (size_t)(megabytes * 1e6) : 0};
}

void dfl_case_model_leave(dfl_case_model *model, bool well)
{
    dfl_runnable_free(model->derived.runnable);
    model->derived.runnable = NULL;
    if (model->kept == 0)
        model->kept = model->memory.used;
    if (!well || model->memory.used > model->kept + most_growth)
        dfl_case_model_clear(model);
    else if (model->memory.most > 0) /* what is left of this case does not count for the next one */
        model->memory.most =
            (size_t)(model->limit + (double)model->memory.used - (double)model->kept);
}

void dfl_case_model_clear(dfl_case_model *model)
{
    if (!model->ctx)
        return;
    if (model->derived.ctx)
        dfl_derived_clear(&model->derived);
    dfl_free(model->ctx, model->sets);
    dfl_free(model->ctx, model->texts);
    dfl_context_free(model->ctx);
    *model = (dfl_case_model){.over = model->over, .user = model->user};
}
