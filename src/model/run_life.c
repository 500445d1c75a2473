/* run_life.c: a run from its creation to its end. */
#include "model/run_internal.h"

#include <math.h>
#include <string.h>

static dfl_status derive(dfl_run *run, const dfl_model *model, const dfl_run_options *options);
static bool watch(double t, double h, void *user);
static void tell(dfl_log_level level, const char *text, void *user);
static dfl_status follow_outputs(dfl_run *run);
static dfl_status met(int event, int direction, double t, void *user);
static dfl_status step(dfl_run *run);
static bool runs_ahead(const dfl_run *run, double t);
static dfl_status run_ahead(dfl_run *run, double t);
static dfl_status explain(dfl_run *run, dfl_status status);

dfl_status dfl_run_create(dfl_run **out, dfl_context *ctx, const dfl_model *model,
                          const dfl_run_options *options)
{
    static const dfl_run_options none = {0};
    if (out)
        *out = NULL;
    dfl_status status = dfl_check_call(out, ctx, model);
    if (status)
        return status;
    dfl_run *run = dfl_alloc(ctx, 1, sizeof *run);
    if (!run)
        return DFL_NO_MEMORY;
    run->ctx = run->table.ctx = run->summary.ctx = run->text.ctx = ctx;
    run->page.ctx = ctx;
    run->options = options ? *options : none;
    run->known_at = run->shown = NAN;
    run->saved = (dfl_new_file){.ctx = ctx, .file = -1, .leftover = -1};
    status = derive(run, model, &run->options);
    if (status) {
        dfl_run_free(run);
        return status;
    }
    run->options.settings = NULL;
    run->options.nsettings = 0;
    run->options.start_from = run->options.columns = run->options.prefix = NULL;
    *out = run;
    return DFL_OK;
}

static dfl_status derive(dfl_run *run, const dfl_model *model, const dfl_run_options *options)
{
    const dfl_derivation how = {.purpose = DFL_TO_RUN,
                                .nsettings = options->nsettings,
                                .settings = options->settings,
                                .start_from = options->start_from,
                                .prefix = options->prefix};
    dfl_status status = dfl_derived_create(&run->derived, run->ctx, model, &how);
    if (!status && options->columns) {
        run->plotted = dfl_copy_string(run->ctx, options->columns);
        status = run->plotted ? DFL_OK : DFL_NO_MEMORY;
    }
    if (!status)
        status = dfl_settings_resolve(&run->settings, &run->derived.choices, run->derived.runnable);
    if (!status)
        status = dfl_record_create(&run->record, run->derived.eq, run->facts,
                                   dfl_settings_describe(run->facts, &run->settings));
    if (!status)
        status = dfl_run_list_values(run);
    run->sim =
        (dfl_simulation){.ctx = run->ctx,
                         .run = run->derived.runnable,
                         .eq = run->derived.eq,
                         .settings = &run->settings,
                         .record = run->record,
                         .open = dfl_run_open_files,
                         .saved = run->derived.saved.length > 0 ? run->derived.saved.data : NULL,
                         .saved_size = run->derived.saved.length,
                         .all_events = options->all_events,
                         .watch = watch,
                         .log = tell,
                         .met = met,
                         .user = run};
    if (!status && options->statistics)
        status = follow_outputs(run);
    return status;
}

static dfl_status follow_outputs(dfl_run *run)
{
    const dfl_status status = dfl_trends_create(&run->trends, run->derived.eq, NULL);
    if (status)
        return status;
    run->over_time = dfl_alloc(run->ctx, (size_t)run->trends.count, sizeof *run->over_time);
    run->sim.trends = &run->trends;
    return run->over_time ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_run_free(dfl_run *run)
{
    if (!run)
        return;
    dfl_context *ctx = run->ctx;
    dfl_simulation_clear(&run->sim);
    if (run->trends.ctx)
        dfl_trends_clear(&run->trends);
    dfl_free(ctx, run->over_time);
    dfl_record_free(run->record);
    dfl_table_clear(&run->table);
    dfl_text_clear(&run->summary);
    dfl_text_clear(&run->text);
    dfl_text_clear(&run->page);
    dfl_free(ctx, run->plotted);
    dfl_run_clear_values(run);
    dfl_derived_clear(&run->derived);
    dfl_run_clear_files(run);
    dfl_free(ctx, run);
}

dfl_status dfl_run_start(dfl_run *run)
{
    return run ? dfl_run_begin(run, true) : DFL_INVALID; /* there is no place for a message */
}

dfl_status dfl_run_begin(dfl_run *run, bool looks_inside)
{
    if (run->started || run->finished)
        return dfl_fail(run->ctx, DFL_INVALID, "the run has %s; create another one",
                        run->started ? "started" : "failed to start");
    run->sim.looks_inside = looks_inside;
    const dfl_status status = dfl_simulation_begin(&run->sim);
    run->started = !status;
    if (status)
        return dfl_run_conclude(run, status);
    if (run->sim.saved)
        dfl_run_take_numbers(run);
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- advancing */

dfl_status dfl_run_advance(dfl_run *run, double t)
{
    dfl_status status = dfl_run_ready(run);
    if (status)
        return status;
    if (!isfinite(t))
        return dfl_fail(run->ctx, DFL_INVALID, "cannot advance to t = %g", t);
    if (dfl_run_reaches(run, t))
        return dfl_run_show(run, t);
    if (runs_ahead(run, t))
        return explain(run, run_ahead(run, t));
    return explain(run, dfl_run_go_on(run, t));
}

dfl_status dfl_run_step(dfl_run *run)
{
    const dfl_status status = dfl_run_ready(run);
    return status ? status : explain(run, step(run));
}

dfl_status dfl_run_ready(dfl_run *run)
{
    if (!run)
        return DFL_INVALID; /* there is no place for a message */
    if (!run->started || run->finished)
        return dfl_fail(run->ctx, DFL_INVALID, "the run has %s",
                        run->finished ? "finished" : "not started; call dfl_run_start first");
    const dfl_status status = dfl_run_outside(run);
    return status ? status : dfl_run_refresh(run);
}

dfl_status dfl_run_outside(const dfl_run *run)
{
    return run->calling
               ? dfl_fail(run->ctx, DFL_INVALID,
                          "a callback of the run cannot advance, save or restore it; return "
                          "nonzero to stop, then go on")
               : DFL_OK;
}

dfl_status dfl_run_go_on(dfl_run *run, double t)
{
    run->single = run->stop_ahead = run->asked = false;
    run->sim.stop_event = -1;
    run->known_at = run->shown = NAN;
    return dfl_simulation_advance(&run->sim, t);
}

/* One step, not beyond the end of the settings. DFL_OK also where a step ends at an event. */
static dfl_status step(dfl_run *run)
{
    const double end = run->settings.to, t = dfl_solver_time(run->sim.solver);
    const bool ahead = isfinite(end) && (end - t) * (end - run->settings.from) > 0;
    run->single = true;
    run->stepped = run->stop_ahead = run->asked = false;
    run->sim.stop_event = -1;
    run->known_at = run->shown = NAN;
    /* without an end: a time that the step cannot reach */
    const double limit = ahead ? end : t + 1e6 * (1 + fabs(t));
    const double row = dfl_simulation_next_row(&run->sim);
    const bool within = (row - t) * (limit - row) > 0;
    const dfl_status status = dfl_solver_advance(run->sim.solver, within ? row : limit);
    if (within && dfl_solver_time(run->sim.solver) == row &&
        (!status || (status == DFL_STOPPED && run->stepped)) && !dfl_simulation_take_row(&run->sim))
        return DFL_STOPPED;
    const bool other = run->asked || run->sim.stop_event >= 0 || run->sim.trouble;
    return status == DFL_STOPPED && run->stepped && !other ? DFL_OK : status;
}

/* Steps need not end where somebody looks, if rows may be interpolated; methods that begin with
   short steps after every change are not turned back. */
static bool runs_ahead(const dfl_run *run, double t)
{
    const dfl_solver_options *options = &run->settings.solver;
    const bool back = (t - dfl_solver_time(run->sim.solver)) *
                          (dfl_solver_time(run->sim.solver) - run->settings.from) <
                      0;
    const bool remembers = options->integrator == DFL_BDF ||
                           options->integrator == DFL_TRAPEZOIDAL ||
                           options->integrator == DFL_MIDPOINT;
    return !options->output.project && !remembers && !back && t != run->settings.to;
}

/* Until t is inside the last step; what stops the run behind t waits until t is there. */
static dfl_status run_ahead(dfl_run *run, double t)
{
    dfl_status status = run->stop_ahead ? DFL_STOPPED : DFL_OK;
    run->stop_ahead = false;
    const double sign = t < dfl_solver_time(run->sim.solver) ? -1 : 1;
    while (!status && sign * (t - dfl_solver_time(run->sim.solver)) > 0)
        status = step(run);
    run->shown = run->known_at = NAN;
    if ((status && status != DFL_STOPPED) || !dfl_run_reaches(run, t))
        return status;
    run->stop_ahead = status == DFL_STOPPED;
    if (run->stop_ahead)
        run->sim.trouble = DFL_OK;
    return dfl_run_show(run, t);
}

/* The message of what ended an advance; a run that was stopped may go on. */
static dfl_status explain(dfl_run *run, dfl_status status)
{
    dfl_simulation *sim = &run->sim;
    const bool stopped = sim->trouble == DFL_STOPPED || (!sim->trouble && status == DFL_STOPPED);
    if (stopped) {
        sim->trouble = DFL_OK;
        atomic_store(&run->cancelled, false);
        return dfl_simulation_stopped(sim);
    }
    if (sim->trouble)
        return dfl_fail(run->ctx, sim->trouble, "%s", sim->message);
    return status ? dfl_study_explain(run->derived.runnable, status, dfl_run_time(run),
                                      dfl_solver_state(sim->solver))
                  : DFL_OK;
}

static bool watch(double t, double h, void *user)
{
    dfl_run *run = user;
    run->stepped = run->calling = true;
    run->asked = atomic_load(&run->cancelled) ||
                 (run->options.on_step && run->options.on_step(t, h, run->options.user));
    run->calling = false;
    return run->asked || run->single;
}

void dfl_run_cancel(dfl_run *run)
{
    if (!run)
        return;
    atomic_store(&run->cancelled, true);
}

static void tell(dfl_log_level level, const char *text, void *user)
{
    const dfl_run *run = user;
    if (run->options.on_log)
        run->options.on_log(level, text, run->options.user);
}

static dfl_status met(int event, int direction, double t, void *user)
{
    dfl_run *run = user;
    if (!run->options.on_event || !run->options.on_event(event, direction, t, run->options.user))
        return DFL_OK;
    run->asked = true;
    return DFL_STOPPED;
}
