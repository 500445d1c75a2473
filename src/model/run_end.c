/* run_end.c: the end of a run, and how it went. */
#include "model/run_internal.h"

#include <math.h>
#include <stdio.h>

static void note_failure(dfl_summary *summary, dfl_status *status, dfl_run *run, dfl_status found);
static void take_statistics(dfl_summary *summary, dfl_run *run);
static void fill_report(dfl_run *run, const dfl_summary *summary);

dfl_status dfl_run_complete(dfl_run *run)
{
    if (!run)
        return DFL_INVALID; /* there is no place for a message */
    dfl_status status =
        dfl_settings_check_end(&run->settings, &run->derived.choices, run->derived.model);
    if (!status)
        status = dfl_run_begin(run, false);
    return status ? status : dfl_run_finish(run);
}

dfl_status dfl_run_finish(dfl_run *run)
{
    if (!run)
        return DFL_INVALID; /* there is no place for a message */
    if (isnan(run->settings.to))
        return dfl_fail(run->ctx, DFL_INVALID, "the run has no end; give the setting 'to'");
    dfl_status status = dfl_run_ready(run);
    if (!run->started || run->finished)
        return status;
    if (!status)
        status = dfl_run_go_on(run, run->settings.to);
    if (run->sim.trouble == DFL_STOPPED && run->asked) { /* by a callback */
        run->sim.trouble = DFL_OK;
        status = DFL_STOPPED;
    }
    atomic_store(&run->cancelled, false);
    return dfl_run_conclude(run, status);
}

/* A run that was stopped can go on from where it is, after a failure an older state stays; a run
   that never started leaves no files. */
dfl_status dfl_run_conclude(dfl_run *run, dfl_status status)
{
    dfl_summary summary;
    status = dfl_simulation_end(&summary, &run->sim, status);
    run->finished = true;
    if (run->started)
        take_statistics(&summary, run);
    if (!run->started)
        dfl_record_abandon(run->record);
    else if ((!status || status == DFL_STOPPED) && !run->sim.trouble)
        note_failure(&summary, &status, run, dfl_run_save_at_end(run));
    note_failure(&summary, &status, run, dfl_record_close(run->record, &summary));
    fill_report(run, &summary);
    dfl_status told = dfl_summary_json(&run->summary, run->record, &summary);
    if (!told && run->started)
        told = dfl_summary_text(&run->text, run->record, &summary);
    if (status) /* its message, not that of what came after it */
        return dfl_fail(run->ctx, status, "%s", summary.message);
    return told;
}

/* A result that could not be stored is a failure of the run, unless there is one already. */
static void note_failure(dfl_summary *summary, dfl_status *status, dfl_run *run, dfl_status found)
{
    if (!found || (*status && *status != DFL_STOPPED) || run->sim.trouble)
        return;
    *status = run->sim.trouble = found;
    summary->status = "failed";
    snprintf(run->sim.message, sizeof run->sim.message, "%s", dfl_message(run->ctx));
    summary->message = run->sim.message;
}

static void take_statistics(dfl_summary *summary, dfl_run *run)
{
    for (int i = 0; run->sim.trends && i < run->trends.count; i++) {
        const dfl_trend_values found = dfl_trends_values(&run->trends, i);
        run->over_time[i] =
            (dfl_over_time){.name = run->trends.columns.names[run->trends.column[i]],
                            .min = found.min,
                            .max = found.max,
                            .mean = found.mean,
                            .rms = found.rms,
                            .final = found.final};
        summary->over_time = run->over_time;
        summary->nover_time = i + 1;
    }
}

static void fill_report(dfl_run *run, const dfl_summary *summary)
{
    dfl_summary_levels(run->levels, summary, run->derived.eq);
    run->report = (dfl_run_report){.model = run->derived.model->name,
                                   .form = summary->form,
                                   .method = summary->method,
                                   .status = summary->status,
                                   .message = summary->message,
                                   .seconds = summary->seconds,
                                   .energy_drift = summary->energy_drift,
                                   .nlevels = DFL_LEVELS,
                                   .level_names = dfl_level_names,
                                   .levels = run->levels,
                                   .statistics = summary->statistics};
}

const dfl_run_report *dfl_run_about(const dfl_run *run)
{
    return run && run->finished ? &run->report : NULL;
}

const char *dfl_run_event_name(const dfl_run *run, int event)
{
    const dfl_description *about = run ? dfl_record_about(run->record) : NULL;
    return about && event >= 0 && event < about->nevents ? about->events[event] : NULL;
}

dfl_value_at_start dfl_run_at_start(const dfl_run *run, int number)
{
    const dfl_description *about = run ? dfl_record_about(run->record) : NULL;
    if (!about || number < 0 || number >= about->n || !about->given)
        return (dfl_value_at_start){
            .name = dfl_run_value(run, number).name, .given = NAN, .completed = NAN, .atol = NAN};
    return (dfl_value_at_start){.name = about->names[number],
                                .given = about->given[number],
                                .held = about->held[number] != 0,
                                .completed = about->corrected[number],
                                .atol = NAN};
}

const char *dfl_run_summary(const dfl_run *run)
{
    return run && run->finished ? dfl_text_string(&run->summary) : NULL;
}

const char *dfl_run_text(const dfl_run *run)
{
    return run && run->finished ? dfl_text_string(&run->text) : NULL;
}

void dfl_run_span(const dfl_run *run, double *from, double *to)
{
    if (from)
        *from = run ? run->settings.from : NAN;
    if (to)
        *to = run ? run->settings.to : NAN;
}
