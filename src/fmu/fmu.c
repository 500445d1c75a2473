/* fmu.c: an instance: its life, its variables, its steps. */
#include "fmu/fmu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status create_parts(dfl_fmu *fmu, const char *name)
{
    const size_t n = (size_t)fmu->model->n, outputs = (size_t)fmu->model->noutputs;
    const size_t length = name ? strlen(name) : 0;
    fmu->name = dfl_alloc(fmu->ctx, length + 1, 1);
    fmu->x =
        dfl_alloc(fmu->ctx, 4 * n + outputs + (size_t)(2 * fmu->counts.indicators), sizeof *fmu->x);
    if (!fmu->name || !fmu->x)
        return DFL_NO_MEMORY;
    memcpy(fmu->name, name ? name : "", length);
    fmu->state = fmu->x + n;
    fmu->rate = fmu->state + n;
    fmu->spare = fmu->rate + n;
    fmu->outputs = fmu->spare + n;
    fmu->event = fmu->outputs + outputs;
    fmu->lift = fmu->event + fmu->model->nevents;
    fmu->indicators = fmu->event + fmu->counts.indicators;
    return dfl_fmu_reset(fmu) == DFL_FMU_OK ? DFL_OK : DFL_NO_MEMORY;
}

dfl_fmu *dfl_fmu_create(const char *name, const char *token, bool outside)
{
    if (!token || strcmp(token, dfl_carried_model.hash) != 0)
        return NULL; /* the description belongs to another model */
    dfl_context *ctx = dfl_context_create();
    dfl_fmu *fmu = ctx ? dfl_alloc(ctx, 1, sizeof *fmu) : NULL;
    if (!fmu) {
        dfl_context_free(ctx);
        return NULL;
    }
    *fmu = (dfl_fmu){.ctx = ctx, .model = &dfl_carried_model, .outside = outside};
    fmu->counts = (dfl_reference_counts){
        fmu->model->nparams, fmu->model->ninputs, fmu->model->noutputs, fmu->model->n,
        fmu->model->branching.switches.count + fmu->model->nevents};
    if (create_parts(fmu, name)) {
        dfl_fmu_free(fmu);
        return NULL;
    }
    return fmu;
}

void dfl_fmu_free(dfl_fmu *fmu)
{
    if (!fmu)
        return;
    dfl_context *ctx = fmu->ctx;
    dfl_exchange_free(fmu->exchange);
    dfl_carried_free(fmu->run);
    dfl_free(ctx, fmu->x);
    dfl_free(ctx, fmu->name);
    dfl_free(ctx, fmu);
    dfl_context_free(ctx);
}

dfl_fmu_status dfl_fmu_reset(dfl_fmu *fmu)
{
    dfl_exchange_free(fmu->exchange);
    dfl_carried_free(fmu->run);
    fmu->exchange = NULL;
    fmu->run = NULL;
    fmu->phase = DFL_FMU_CREATED;
    fmu->t = fmu->model->time;
    fmu->tolerance = 0;
    fmu->fresh = fmu->known = fmu->reported = false;
    memset(fmu->event, 0, (size_t)fmu->counts.indicators * sizeof *fmu->event);
    dfl_status status = dfl_carried_create(&fmu->run, fmu->ctx, fmu->model);
    if (!status && dfl_exchange_is_linear(&fmu->model->eom))
        status = dfl_exchange_create(&fmu->exchange, fmu->ctx, dfl_carried_eom(fmu->run));
    return dfl_fmu_report(fmu, status);
}

dfl_fmu_status dfl_fmu_report(dfl_fmu *fmu, dfl_status status)
{
    return status ? dfl_fmu_refuse(fmu, dfl_message(fmu->ctx)) : DFL_FMU_OK;
}

dfl_fmu_status dfl_fmu_refuse(dfl_fmu *fmu, const char *message)
{
    if (fmu->tell)
        fmu->tell(fmu, DFL_FMU_ERROR, message);
    return DFL_FMU_ERROR;
}

/* ------------------------------------------------------------------------------- initialization */

dfl_fmu_status dfl_fmu_initialize(dfl_fmu *fmu, double t, double tolerance)
{
    if (fmu->phase != DFL_FMU_CREATED)
        return dfl_fmu_refuse(fmu, "the instance is initialized already; reset it first");
    fmu->t = t;
    fmu->tolerance = tolerance;
    fmu->phase = DFL_FMU_INITIALIZING;
    return DFL_FMU_OK;
}

/* The consistent state that belongs to the values of the present initialization. */
static dfl_fmu_status start(dfl_fmu *fmu)
{
    if (fmu->fresh)
        return DFL_FMU_OK;
    const dfl_status status = dfl_carried_start(fmu->run, fmu->t, fmu->tolerance);
    fmu->known = fmu->reported = false;
    if (status)
        return dfl_fmu_report(fmu, status);
    memcpy(fmu->state, dfl_carried_state(fmu->run), (size_t)fmu->model->n * sizeof *fmu->state);
    fmu->fresh = true;
    return DFL_FMU_OK;
}

dfl_fmu_status dfl_fmu_begin(dfl_fmu *fmu)
{
    if (fmu->phase != DFL_FMU_INITIALIZING)
        return dfl_fmu_refuse(fmu, "the instance is not being initialized");
    const dfl_fmu_status status = start(fmu);
    fmu->phase = status ? DFL_FMU_TERMINATED : DFL_FMU_RUNNING;
    return status;
}

/* ------------------------------------------------------------------------------- variables */

dfl_fmu_status dfl_fmu_evaluate(dfl_fmu *fmu, double *rate, double *x)
{
    if (!fmu->exchange)
        return dfl_fmu_report(fmu, dfl_carried_complete(rate, x, fmu->run, fmu->t));
    dfl_exchange_impose(fmu->exchange, dfl_carried_rank(fmu->run));
    return dfl_exchange_eval(rate, x, fmu->exchange, fmu->t)
               ? DFL_FMU_OK
               : dfl_fmu_refuse(fmu,
                                "the accelerations cannot be found: a matrix is singular, or a "
                                "number is not finite");
}

/* What the caller does not integrate begins with its last value. */
static void keep_guess(dfl_fmu *fmu)
{
    const dfl_layout at = dfl_eom_layout(&fmu->model->eom);
    memcpy(fmu->state, fmu->x, (size_t)at.r * sizeof *fmu->x);
    memcpy(fmu->state + at.s, fmu->x + at.s, (size_t)fmu->model->eom.ns * sizeof *fmu->x);
}

dfl_fmu_status dfl_fmu_complete(dfl_fmu *fmu)
{
    const size_t bytes = (size_t)fmu->model->n * sizeof *fmu->x;
    dfl_fmu_status status = fmu->phase <= DFL_FMU_INITIALIZING ? start(fmu) : DFL_FMU_OK;
    if (status || fmu->known)
        return status;
    if (fmu->outside) {
        memcpy(fmu->x, fmu->state, bytes);
        status = dfl_fmu_evaluate(fmu, fmu->rate, fmu->x);
        if (status)
            return status;
        keep_guess(fmu);
    } else {
        status = dfl_fmu_report(fmu, dfl_carried_refresh(fmu->run));
        if (status)
            return status;
        memcpy(fmu->x, dfl_carried_state(fmu->run), bytes);
        dfl_carried_rates(fmu->rate, fmu->run, fmu->t, fmu->x);
    }
    fmu->known = true;
    fmu->reported = false;
    return DFL_FMU_OK;
}

static void report_outputs(dfl_fmu *fmu)
{
    if (!fmu->reported)
        dfl_carried_outputs(fmu->outputs, fmu->run, fmu->t, fmu->x);
    fmu->reported = true;
}

dfl_fmu_status dfl_fmu_get(dfl_fmu *fmu, const unsigned *reference, size_t count, double *value)
{
    for (size_t i = 0; i < count; i++) {
        int index;
        const dfl_reference_kind kind = dfl_reference_find(&index, &fmu->counts, reference[i]);
        if (kind >= DFL_REF_OUTPUT && kind < DFL_REF_NONE && dfl_fmu_complete(fmu))
            return DFL_FMU_ERROR;
        switch (kind) {
        case DFL_REF_TIME:
            value[i] = fmu->t;
            break;
        case DFL_REF_PARAM:
            value[i] = dfl_carried_param(fmu->run, index);
            break;
        case DFL_REF_INPUT:
            value[i] = dfl_carried_input(fmu->run, index);
            break;
        case DFL_REF_OUTPUT:
            report_outputs(fmu);
            value[i] = fmu->outputs[index];
            break;
        case DFL_REF_UNKNOWN:
            value[i] = fmu->x[index];
            break;
        case DFL_REF_RATE:
            value[i] = fmu->rate[index];
            break;
        case DFL_REF_INDICATOR:
            if (dfl_fmu_indicate(fmu, fmu->indicators))
                return DFL_FMU_ERROR;
            value[i] = fmu->indicators[index];
            break;
        case DFL_REF_NONE:
            return dfl_fmu_refuse(fmu, "there is no variable with this value reference");
        }
    }
    return DFL_FMU_OK;
}

static bool set_one(dfl_fmu *fmu, unsigned reference, double value)
{
    int index;
    const dfl_reference_kind kind = dfl_reference_find(&index, &fmu->counts, reference);
    const bool starting = fmu->phase <= DFL_FMU_INITIALIZING;
    if (!isfinite(value))
        return false;
    if (kind == DFL_REF_PARAM)
        dfl_carried_set_param(fmu->run, index, value);
    else if (kind == DFL_REF_INPUT)
        dfl_carried_set_input(fmu->run, index, value);
    else if (kind == DFL_REF_UNKNOWN && starting)
        dfl_carried_set_start(fmu->run, index, value);
    else
        return false;
    fmu->fresh = fmu->fresh && !starting;
    fmu->known = false;
    return true;
}

dfl_fmu_status dfl_fmu_set(dfl_fmu *fmu, const unsigned *reference, size_t count,
                           const double *value)
{
    for (size_t i = 0; i < count; i++)
        if (!set_one(fmu, reference[i], value[i]))
            return dfl_fmu_refuse(fmu, "a value is not finite, or a variable cannot be set now: "
                                       "parameters and inputs always can, states before the start");
    return DFL_FMU_OK;
}

/* ------------------------------------------------------------------------------- co-simulation */

/* The state of the last step of the solver. */
static bool at_step(double t, const double *x, void *user)
{
    dfl_fmu *fmu = user;
    fmu->t = t;
    memcpy(fmu->x, x, (size_t)fmu->model->n * sizeof *fmu->x);
    dfl_carried_rates(fmu->rate, fmu->run, t, fmu->x);
    fmu->known = true;
    fmu->reported = false;
    return fmu->on_step(fmu, t);
}

dfl_fmu_status dfl_fmu_step(dfl_fmu *fmu, double t, double step, bool *stopped)
{
    char text[200];
    *stopped = false;
    if (fmu->phase != DFL_FMU_RUNNING || fmu->outside)
        return dfl_fmu_refuse(fmu, "the instance is not ready for a step");
    if (!(fabs(t - fmu->t) <= 1e-9 * fmax(fabs(t), fabs(step))) || !(step >= 0)) {
        snprintf(text, sizeof text, "a step of %.10g s from t = %.10g: the present time is %.10g",
                 step, t, fmu->t);
        return dfl_fmu_refuse(fmu, text);
    }
    dfl_carried_watch_steps(fmu->run, fmu->on_step ? at_step : NULL, fmu);
    const dfl_status status = dfl_carried_advance(fmu->run, t + step);
    fmu->t = dfl_carried_time(fmu->run);
    fmu->known = false;
    const int event = dfl_carried_stopped(fmu->run);
    if (status == DFL_STOPPED && event >= 0 && !fmu->model->event_failures[event]) {
        *stopped = true;
        return DFL_FMU_OK;
    }
    if (status == DFL_STOPPED && event < 0)
        return DFL_FMU_OK; /* the caller has asked for an early end */
    if (status == DFL_STOPPED)
        return dfl_fmu_refuse(fmu, fmu->model->event_failures[event]);
    return dfl_fmu_report(fmu, status);
}
