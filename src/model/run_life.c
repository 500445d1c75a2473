/* run_life.c: a run from its creation to its end. */
#include "model/run_internal.h"

#include <math.h>
#include <string.h>

static dfl_status derive(dfl_run *run, const dfl_model *model, const dfl_run_options *options);
static dfl_status open_files(dfl_simulation *sim, void *user);
static bool watch(double t, double step, void *user);
static void tell(dfl_log_level level, const char *text, void *user);
static dfl_status met(int event, int direction, double t, void *user);
static dfl_status advance(dfl_run *run, double t);
static dfl_status explain(dfl_run *run, dfl_status status);

dfl_status dfl_run_create(dfl_run **out, dfl_context *ctx, const dfl_model *model,
                          const dfl_run_options *options)
{
    static const dfl_run_options none = {0};
    *out = NULL;
    if (!ctx || !model)
        return ctx ? dfl_fail(ctx, DFL_INVALID, "model is NULL; load one first") : DFL_INVALID;
    dfl_run *run = dfl_alloc(ctx, 1, sizeof *run);
    if (!run)
        return DFL_NO_MEMORY;
    run->ctx = run->table.ctx = run->summary.ctx = ctx;
    run->options = options ? *options : none;
    run->known_at = NAN;
    const dfl_status status = derive(run, model, &run->options);
    if (status) {
        dfl_run_free(run);
        return status;
    }
    run->options.settings = NULL;
    run->options.nsettings = 0;
    *out = run;
    return DFL_OK;
}

static dfl_status derive(dfl_run *run, const dfl_model *model, const dfl_run_options *options)
{
    dfl_choices choices;
    dfl_status status =
        dfl_choose_texts(&choices, run->texts, run->ctx, options->nsettings, options->settings);
    if (!status)
        status = dfl_model_load_again(&run->model, run->ctx, model, &choices, false);
    if (!status)
        status = dfl_study_derive(&run->eq, &run->runnable, run->model, &choices);
    if (!status)
        status = dfl_settings_resolve(&run->settings, &choices, run->runnable);
    if (!status)
        status = dfl_record_create(&run->record, run->eq, run->facts,
                                   dfl_settings_describe(run->facts, &run->settings));
    if (!status)
        status = dfl_run_list_values(run);
    run->sim = (dfl_simulation){.ctx = run->ctx,
                                .run = run->runnable,
                                .eq = run->eq,
                                .settings = &run->settings,
                                .record = run->record,
                                .open = open_files,
                                .watch = watch,
                                .log = tell,
                                .met = met,
                                .user = run};
    return status;
}

void dfl_run_free(dfl_run *run)
{
    if (!run)
        return;
    dfl_context *ctx = run->ctx;
    dfl_simulation_clear(&run->sim);
    dfl_record_free(run->record);
    dfl_table_clear(&run->table);
    dfl_text_clear(&run->summary);
    dfl_run_clear_values(run);
    dfl_runnable_free(run->runnable);
    dfl_equations_free(run->eq);
    dfl_model_free(run->model);
    for (int i = 0; i < DFL_MOST_SETTINGS; i++)
        dfl_free(ctx, run->texts[i]);
    for (int i = 0; i < run->nfiles; i++)
        dfl_free(ctx, run->files[i]);
    dfl_free(ctx, run);
}

dfl_status dfl_run_write(dfl_run *run, const char *path)
{
    if (run->started)
        return dfl_fail(run->ctx, DFL_INVALID, "'%s': result files are named before the start",
                        path);
    if (run->nfiles == MOST_RESULT_FILES)
        return dfl_fail(run->ctx, DFL_INVALID, "'%s': a run has at most %d result files", path,
                        MOST_RESULT_FILES);
    run->files[run->nfiles] = dfl_copy_string(run->ctx, path);
    if (!run->files[run->nfiles])
        return DFL_NO_MEMORY;
    run->nfiles++;
    return DFL_OK;
}

dfl_status dfl_run_keep(dfl_run *run)
{
    if (run->started)
        return dfl_fail(run->ctx, DFL_INVALID, "rows are kept from the start on; ask before it");
    run->kept = true;
    return DFL_OK;
}

const double *dfl_run_rows(const dfl_run *run, int *rows, int *columns)
{
    *rows = run->kept ? run->table.rows : 0;
    *columns = run->kept ? run->table.columns : 0;
    return run->kept ? run->table.values : NULL;
}

static dfl_status open_files(dfl_simulation *sim, void *user)
{
    dfl_run *run = user;
    dfl_status status = run->kept ? dfl_record_open_table(sim->record, &run->table) : DFL_OK;
    for (int i = 0; !status && i < run->nfiles; i++)
        status = dfl_record_open(sim->record, run->files[i]);
    return status;
}

dfl_status dfl_run_start(dfl_run *run)
{
    if (run->started)
        return dfl_fail(run->ctx, DFL_INVALID, "the run has started; create another one");
    const dfl_status status = dfl_simulation_begin(&run->sim);
    run->started = !status;
    if (status)
        dfl_record_abandon(run->record);
    return status;
}

/* ------------------------------------------------------------------------------- advancing */

dfl_status dfl_run_advance(dfl_run *run, double t)
{
    run->single = false;
    return isfinite(t) ? explain(run, advance(run, t))
                       : dfl_fail(run->ctx, DFL_INVALID, "cannot advance to t = %g", t);
}

dfl_status dfl_run_step(dfl_run *run)
{
    const double end = run->settings.to, t = dfl_run_time(run);
    const bool ahead = isfinite(end) && (end - t) * (end - run->settings.from) > 0;
    run->single = true;
    run->stepped = false;
    const dfl_status status = advance(run, ahead ? end : INFINITY);
    const bool one = status == DFL_STOPPED && run->stepped && run->sim.stop_event < 0;
    return one && !run->sim.trouble ? DFL_OK : explain(run, status);
}

static dfl_status advance(dfl_run *run, double t)
{
    if (!run->started || run->finished)
        return dfl_fail(run->ctx, DFL_INVALID, "the run has %s",
                        run->finished ? "finished" : "not started; call dfl_run_start first");
    const dfl_status status = dfl_run_refresh(run);
    if (status)
        return status;
    run->sim.stop_event = -1;
    run->known_at = NAN;
    if (run->single && isinf(t)) /* a time that the next step cannot reach */
        t = dfl_run_time(run) + 1e6 * (1 + fabs(dfl_run_time(run)));
    return run->single ? dfl_solver_advance(run->sim.solver, t)
                       : dfl_simulation_advance(&run->sim, t);
}

/* The message of what ended an advance; a run that was stopped may go on. */
static dfl_status explain(dfl_run *run, dfl_status status)
{
    dfl_simulation *sim = &run->sim;
    if (!run->started || run->finished)
        return status;
    const bool stopped = sim->trouble == DFL_STOPPED || (!sim->trouble && status == DFL_STOPPED);
    if (stopped) {
        sim->trouble = DFL_OK;
        atomic_store(&run->cancelled, false);
        return dfl_simulation_stopped(sim);
    }
    if (sim->trouble)
        return dfl_fail(run->ctx, sim->trouble, "%s", sim->message);
    return status ? dfl_study_explain(run->runnable, status, dfl_run_time(run),
                                      dfl_solver_state(sim->solver))
                  : DFL_OK;
}

static bool watch(double t, double step, void *user)
{
    dfl_run *run = user;
    run->stepped = true;
    return run->single || atomic_load(&run->cancelled) ||
           (run->options.on_step && run->options.on_step(t, step, run->options.user));
}

void dfl_run_cancel(dfl_run *run)
{
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
    const dfl_run *run = user;
    return run->options.on_event && run->options.on_event(event, direction, t, run->options.user)
               ? DFL_STOPPED
               : DFL_OK;
}

dfl_status dfl_run_finish(dfl_run *run)
{
    dfl_summary summary;
    if (isnan(run->settings.to))
        return dfl_fail(run->ctx, DFL_INVALID, "the run has no end; give the setting 'to'");
    run->single = false;
    dfl_status status = advance(run, run->settings.to);
    if (run->finished || !run->started)
        return status;
    if (run->sim.trouble == DFL_STOPPED) { /* by a callback */
        run->sim.trouble = DFL_OK;
        status = DFL_STOPPED;
    }
    atomic_store(&run->cancelled, false);
    status = dfl_simulation_end(&summary, &run->sim, status);
    run->finished = true;
    const dfl_status closed = dfl_record_close(run->record, &summary);
    const dfl_status told = dfl_summary_json(&run->summary, run->record, &summary);
    if (status) /* its message, not that of what came after it */
        return dfl_fail(run->ctx, status, "%s", summary.message);
    return closed ? closed : told;
}

const char *dfl_run_summary(const dfl_run *run)
{
    return run->finished ? dfl_text_string(&run->summary) : NULL;
}
