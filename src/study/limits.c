/* limits.c: arguments that leave a table which allows no others, and signals that are shorter than
   the run. */
#include "study/study_internal.h"

#include <math.h>
#include <stdio.h>

static dfl_status fail_limit(const dfl_model *model, const dfl_declaration *limit, double t);

dfl_status dfl_study_check_limits(dfl_runnable *run, double t, const double *x)
{
    const dfl_model *model = eq_of(run)->model;
    const int count = model->count[DFL_AN_EVENT];
    double *value = dfl_alloc(ctx_of(run), (size_t)count, sizeof *value);
    dfl_status status = value ? DFL_OK : DFL_NO_MEMORY;
    if (!status && count > 0)
        dfl_runnable_events(value, run, t, x);
    for (int i = 0; !status && i < count; i++)
        if (value[i] < 0 && dfl_study_event(model, i)->failure)
            status = fail_limit(model, dfl_study_event(model, i), t);
    dfl_free(ctx_of(run), value);
    return status;
}

const dfl_declaration *dfl_study_event(const dfl_model *model, int event)
{
    int i = 0;
    while (model->declarations.item[i].kind != DFL_AN_EVENT ||
           model->declarations.item[i].index != event)
        i++;
    return &model->declarations.item[i];
}

static dfl_status fail_limit(const dfl_model *model, const dfl_declaration *limit, double t)
{
    return dfl_model_fail(model, limit->line, "%s at t = %.10g", limit->failure, t);
}

dfl_status dfl_study_end_at_event(dfl_summary *summary, dfl_simulation *sim)
{
    const dfl_model *model = sim->eq->model;
    const dfl_declaration *event = dfl_study_event(model, sim->stop_event);
    const double t = dfl_solver_time(sim->solver);
    const dfl_status status = event->failure ? fail_limit(model, event, t) : DFL_OK;
    summary->status = status ? "failed" : "stopped";
    if (status)
        snprintf(sim->message, sizeof sim->message, "%s", dfl_message(sim->ctx));
    else
        snprintf(sim->message, sizeof sim->message, "event '%s' at t = %.10g", event->name, t);
    return status;
}

dfl_status dfl_simulation_stopped(dfl_simulation *sim)
{
    const double t = dfl_solver_time(sim->solver);
    if (sim->stop_event < 0)
        return dfl_fail(sim->ctx, DFL_STOPPED, "the run was stopped at t = %.10g", t);
    const dfl_declaration *event = dfl_study_event(sim->eq->model, sim->stop_event);
    return event->failure ? fail_limit(sim->eq->model, event, t)
                          : dfl_fail(sim->ctx, DFL_STOPPED,
                                     "event '%s' stopped the run at t = %.10g", event->name, t);
}

void dfl_study_advise_signals(const dfl_model *model, const dfl_settings *settings,
                              dfl_advice_fn tell, void *user)
{
    const double begin = fmin(settings->from, settings->to),
                 end = fmax(settings->from, settings->to);
    for (int i = 0; i < model->signals.count; i++) {
        const dfl_model_signal *signal = &model->signals.item[i];
        const double little = 1e-9 * (signal->last - signal->first);
        const bool late = begin < signal->first - little;
        if (!late && end <= signal->last + little)
            continue;
        dfl_text text = {.ctx = model->ctx};
        dfl_text_add(&text,
                     "%s:%d: signal %s at %.10g s, the run at %.10g: outside = \"%s\" assumed",
                     model->path, signal->line, late ? "begins" : "ends",
                     late ? signal->first : signal->last, late ? begin : end,
                     signal->held ? "hold" : "extend");
        tell(dfl_text_string(&text), user);
        dfl_text_clear(&text);
    }
}
