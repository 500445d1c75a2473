/* derived.c: a loaded model, derived again for a purpose. */
#include "model/run_internal.h"

#include <stdio.h>
#include <string.h>

static dfl_status load(dfl_derived *out, const dfl_model *model, const dfl_derivation *how);
static bool runs(dfl_purpose purpose);
static dfl_status refuse_sparse(const dfl_derived *it);
static dfl_status make_runnable(dfl_derived *out, const dfl_derivation *how);
static dfl_status start_from(dfl_derived *out, const dfl_derivation *how);

dfl_status dfl_check_model(dfl_context *ctx, const dfl_model *model)
{
    if (!ctx)
        return DFL_INVALID; /* there is no place for a message */
    return model ? DFL_OK : dfl_fail(ctx, DFL_INVALID, "model is NULL; load one first");
}

dfl_status dfl_check_call(const void *out, dfl_context *ctx, const dfl_model *model)
{
    if (ctx && !out)
        return dfl_fail(ctx, DFL_INVALID, "out is NULL; give the address of what shall be filled");
    return dfl_check_model(ctx, model);
}

dfl_status dfl_derived_create(dfl_derived *out, dfl_context *ctx, const dfl_model *model,
                              const dfl_derivation *how)
{
    *out = (dfl_derived){.ctx = ctx, .saved.ctx = ctx};
    snprintf(out->prefix, sizeof out->prefix, "%s", how->prefix ? how->prefix : "");
    dfl_status status = dfl_choose_texts(&out->choices, out->texts, ctx, out->prefix,
                                         how->nsettings, how->settings);
    if (!status)
        status = load(out, model, how);
    if (!status && how->precision > 0)
        out->model->precision = how->precision;
    if (!status && how->slides)
        status = dfl_model_slide(out->model);
    if (!status && how->purpose == DFL_TO_FOLLOW)
        status = refuse_sparse(out);
    if (!status && runs(how->purpose))
        status = dfl_study_derive(&out->eq, &out->runnable, out->model, &out->choices);
    else if (!status)
        status = dfl_equations_create(&out->eq, out->model, true);
    if (!status)
        status = make_runnable(out, how);
    if (!status && out->runnable && how->start_from)
        status = start_from(out, how);
    return status == DFL_OK || status == DFL_NO_MEMORY ? status : DFL_INVALID;
}

static dfl_status load(dfl_derived *out, const dfl_model *model, const dfl_derivation *how)
{
    dfl_script_options options = dfl_model_said(model, out->prefix);
    const int count = options.nset;
    const char **set = dfl_alloc(out->ctx, (size_t)(count + how->nmore), sizeof *set);
    if (!set)
        return DFL_NO_MEMORY;
    for (int i = 0; i < count; i++)
        set[i] = options.set[i];
    for (int i = 0; i < how->nmore; i++)
        set[count + i] = how->more[i];
    options.set = set;
    options.nset += how->nmore;
    options.prescribe = how->prescribe;
    options.goals = how->goals;
    options.bodies = how->bodies;
    options.unseen = how->unseen;
    options.frames = how->purpose == DFL_TO_READ;
    options.max_seconds = how->max_seconds;
    options.max_memory = how->max_memory;
    if (how->purpose == DFL_TO_READ)
        options.dynamics = DFL_DYNAMICS_EXPRESSIONS;
    else if (how->purpose == DFL_TO_FOLLOW || how->purpose == DFL_TO_LINEARIZE ||
             how->purpose == DFL_FEW_MODES)
        options.dynamics = dfl_choices_joint_dynamics(&out->choices);
    else
        options.dynamics = dfl_choices_dynamics(&out->choices);
    dfl_status status = dfl_script_load_text(&out->model, out->ctx, model->path, model->text,
                                             strlen(model->text), &options);
    if (!status && how->purpose == DFL_TO_CARRY && out->model->tree &&
        options.dynamics != DFL_DYNAMICS_RECURSION) { /* only expressions can be carried */
        dfl_model_free(out->model);
        options.dynamics = DFL_DYNAMICS_EXPRESSIONS;
        options.print = NULL; /* it was heard already */
        status = dfl_script_load_text(&out->model, out->ctx, model->path, model->text,
                                      strlen(model->text), &options);
    }
    dfl_free(out->ctx, set);
    return status;
}

/* Whether it shall move as `driftless run` does. */
static bool runs(dfl_purpose purpose)
{
    return purpose == DFL_TO_RUN || purpose == DFL_TO_CARRY || purpose == DFL_TO_FOLLOW;
}

/* Derivatives by parameters are followed with dense matrices. */
static dfl_status refuse_sparse(const dfl_derived *it)
{
    const char *own = dfl_choices_text(&it->choices, "linear");
    const char *linear = own ? own : dfl_choices_text(&it->model->run, "linear");
    if (!linear || (strcmp(linear, "sparse") != 0 && strcmp(linear, "tree") != 0))
        return DFL_OK;
    return dfl_fail(it->ctx, DFL_INVALID,
                    "linear = %s: derivatives by parameters are followed with dense matrices; give "
                    "linear = dense",
                    linear);
}

static dfl_status make_runnable(dfl_derived *out, const dfl_derivation *how)
{
    const dfl_purpose purpose = how->purpose;
    if (runs(purpose) && purpose != DFL_TO_RUN && dfl_runnable_packed(out->runnable)) {
        dfl_runnable_free(out->runnable);
        out->runnable = NULL;
    }
    if (out->runnable || purpose == DFL_TO_READ)
        return DFL_OK;
    if (purpose == DFL_TO_START)
        return dfl_study_runnable(&out->runnable, out->eq, &out->choices);
    return purpose == DFL_FEW_MODES && dfl_study_suits_few(out->eq, how->count)
               ? dfl_runnable_create_packed(&out->runnable, out->eq)
               : dfl_runnable_create(&out->runnable, out->eq);
}

/* A saved run, where a run goes on from it, or values by name. */
static dfl_status start_from(dfl_derived *out, const dfl_derivation *how)
{
    const dfl_status status = dfl_saved_run_read(&out->saved, how->start_from);
    if (status || out->saved.length == 0)
        return status ? status : dfl_study_start_from(out->runnable, how->start_from);
    return how->purpose == DFL_TO_RUN ? DFL_OK : dfl_saved_run_refuse(out->ctx, how->start_from);
}

dfl_status dfl_derived_revalue(bool *same, dfl_derived *it, const dfl_derivation *how)
{
    dfl_runnable_free(it->runnable);
    it->runnable = NULL;
    dfl_status status = dfl_model_revalue(same, it->model, how->more, how->nmore);
    if (!status && *same)
        status = dfl_equations_compare_masses(same, it->eq);
    return status || !*same ? status : dfl_study_runnable(&it->runnable, it->eq, &it->choices);
}

void dfl_derived_clear(dfl_derived *derived)
{
    dfl_runnable_free(derived->runnable);
    dfl_equations_free(derived->eq);
    dfl_model_free(derived->model);
    dfl_text_clear(&derived->saved);
    for (int i = 0; i < DFL_MOST_SETTINGS; i++)
        dfl_free(derived->ctx, derived->texts[i]);
    *derived = (dfl_derived){0};
}
