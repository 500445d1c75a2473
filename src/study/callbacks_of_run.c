/* callbacks_of_run.c: what the solver tells a run: steps, rows, jumps, events, messages.

   A callback that cannot store what it got stops the run, and the reason is kept here, because the
   solver's own message only says who stopped it. */
#include "study/study_internal.h"

#include "declare/declare.h"

#include <math.h>
#include <stdio.h>

static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user);
static bool interrupted(const dfl_simulation *sim, double t);
static int on_output(double t, const double *x, void *user);
static int on_jump(double t, const double *x, bool after, void *user);
static int on_side(const bool *crossed, void *user);
static int on_event(int event, int direction, double t, const double *x, void *user);
static int event_values(double *value, double t, const double *x, void *user);
static int event_bounds(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                        void *user);
static int event_noise(double *noise, double t, const double *x, const double *tolerance,
                       void *user);

void dfl_study_listen(dfl_solver_options *options, dfl_simulation *sim)
{
    options->output.on_step = on_step;
    options->output.on_output = options->output.every > 0 ? on_output : NULL;
    options->output.on_jump = on_jump;
    options->output.on_instant = dfl_study_on_instant;
    options->output.on_side = sim->side ? on_side : NULL;
    options->events.count = sim->eq->model->count[DFL_AN_EVENT];
    options->events.eval = event_values;
    options->events.kinds = sim->event_kinds;
    options->events.names = sim->event_names;
    options->events.on_event = on_event;
    options->events.enclose = event_bounds;
    options->events.noise = event_noise;
    options->log = dfl_study_tell;
    options->user = sim;
}

/* Native code from here on, if it saves time in the rest of the run. */
static dfl_status consider_native(dfl_simulation *sim, double t)
{
    const dfl_settings *settings = sim->settings;
    const dfl_statistics stats = dfl_solver_statistics(sim->solver);
    if (!isfinite(settings->to)) /* nobody knows what is left */
        return DFL_OK;
    if (settings->solver.step.fixed >
        0) /* the work of a fixed step is bounded: no files, no memory */
        return DFL_OK;
    const dfl_run_progress done = {.share = (t - settings->from) / (settings->to - settings->from),
                                   .evaluations = stats.evaluations + stats.difference_evaluations,
                                   .masses = stats.mass_evaluations,
                                   .jacobians = stats.jacobians};
    return dfl_runnable_consider_native(sim->run, &done, NULL, dfl_study_notice, sim);
}

void dfl_study_notice(const char *text, void *user)
{
    dfl_study_tell(DFL_LOG_NOTICE, text, user);
}

static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    dfl_simulation *sim = user;
    (void)solver;
    if (!sim->started)
        return 0;
    const double energy = dfl_runnable_energy(sim->run, t, x);
    dfl_study_note_largest(sim, x);
    dfl_study_look_for_doubts(sim, t, x);
    dfl_study_trends_step(sim, t_old, t, x);
    if (fabs(energy - sim->energy) > sim->energy_drift)
        sim->energy_drift = fabs(energy - sim->energy);
    const bool stored =
        (sim->settings->solver.output.every > 0 || dfl_study_store_row(sim, t, x)) &&
        dfl_study_store_step(sim, t_old, t, energy);
    dfl_study_note_trouble(sim, consider_native(sim, t));
    return !stored || sim->trouble || interrupted(sim, t);
}

static bool interrupted(const dfl_simulation *sim, double t)
{
    return sim->watch && sim->watch(t, dfl_solver_step(sim->solver), sim->user);
}

static int on_output(double t, const double *x, void *user)
{
    dfl_simulation *sim = user;
    return sim->started && (!dfl_study_store_row(sim, t, x) || interrupted(sim, t));
}

/* Two rows where the state jumps: the first one is computed while discrete variables have their
   former values, and stored if there is a second one. */
static int on_jump(double t, const double *x, bool after, void *user)
{
    dfl_simulation *sim = user;
    if (!sim->started)
        return 0;
    if (!after) {
        dfl_study_keep_row(sim, t, x);
        sim->switched.energy = dfl_runnable_branch_energy(sim->run, t, x);
        dfl_study_drives_begin(sim, t, x);
        return 0;
    }
    const bool stored = dfl_study_store_kept(sim);
    dfl_study_trends_jump(sim, t, x);
    dfl_study_forget_velocities(sim);
    sim->row_time = NAN;
    return !stored || !dfl_study_store_row(sim, t, x);
}

static int on_side(const bool *crossed, void *user)
{
    dfl_simulation *sim = user;
    if (sim->started)
        dfl_study_note_trouble(sim, sim->side(sim, crossed, sim->user));
    return sim->trouble != DFL_OK;
}

static dfl_status list_event(dfl_simulation *sim, const dfl_event_record *record)
{
    dfl_event_record *events =
        dfl_grow(sim->ctx, sim->events, &sim->event_room, sim->nevents, sizeof *events);
    if (!events)
        return DFL_NO_MEMORY;
    sim->events = events;
    events[sim->nevents++] = *record;
    return DFL_OK;
}

static int on_event(int event, int direction, double t, const double *x, void *user)
{
    dfl_simulation *sim = user;
    const dfl_event_record record = {
        .event = event, .direction = direction, .time = t, .acts = dfl_study_done_by_event(sim, t)};
    (void)x;
    if (sim->all_events || sim->nevents < DFL_LISTED_EVENTS)
        dfl_study_note_trouble(sim, list_event(sim, &record));
    if (sim->record)
        dfl_study_note_trouble(sim, dfl_record_event(sim->record, &record));
    if (sim->met)
        dfl_study_note_trouble(sim, sim->met(event, direction, t, sim->user));
    if (sim->event_kinds[event].terminal)
        sim->stop_event = event;
    return sim->trouble != DFL_OK;
}

static int event_values(double *value, double t, const double *x, void *user)
{
    const dfl_simulation *sim = user;
    dfl_runnable_events(value, sim->run, t, x);
    return 0;
}

static int event_bounds(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                        void *user)
{
    (void)count; /* always all of them */
    dfl_runnable_event_bounds(value, ((dfl_simulation *)user)->run, t, x);
    return 0;
}

static int event_noise(double *noise, double t, const double *x, const double *tolerance,
                       void *user)
{
    dfl_runnable_event_noise(noise, ((dfl_simulation *)user)->run, t, x, tolerance);
    return 0;
}

void dfl_study_tell(dfl_log_level level, const char *text, void *user)
{
    dfl_simulation *sim = user;
    if (level == DFL_LOG_WARNING && sim->record)
        dfl_record_warn(sim->record, text);
    if (sim->log)
        sim->log(level, text, sim->user);
}

/* Writes a row everywhere, unless the last one was already there. */
void dfl_study_evaluate_row(double *outputs, double *scene, dfl_simulation *sim, double t,
                            const double *x)
{
    const dfl_model *model = sim->eq->model;
    dfl_runnable_outputs(outputs, sim->run, t, x);
    if (sim->drawn)
        dfl_runnable_scene(scene, sim->run, t, x);
    if (sim->more)
        dfl_study_note_trouble(sim, sim->more(outputs + model->count[DFL_AN_OUTPUT],
                                              sim->drawn ? scene + dfl_scene_columns(model) : NULL,
                                              sim, t, x));
}

bool dfl_study_store_row(dfl_simulation *sim, double t, const double *x)
{
    if (t == sim->row_time)
        return true;
    dfl_study_evaluate_row(sim->outputs, sim->scene, sim, t, x);
    dfl_study_check_row(sim, t, x);
    dfl_study_check_outputs(sim, t);
    if (sim->record)
        dfl_study_note_trouble(
            sim, dfl_record_row(sim->record, t, x, sim->outputs, sim->drawn ? sim->scene : NULL));
    sim->row_time = t;
    return !sim->trouble;
}

bool dfl_study_store_step(dfl_simulation *sim, double t_old, double t, double energy)
{
    if (!sim->records_steps)
        return true;
    const dfl_residuals residuals = dfl_solver_residuals(sim->solver);
    const dfl_statistics stats = dfl_solver_statistics(sim->solver);
    const long rejections = stats.rejected_error + stats.rejected_newton;
    dfl_step_record step = {.time = t,
                            .size = t - t_old,
                            .order = dfl_solver_order(sim->solver),
                            .rejections = rejections - sim->rejections,
                            .energy = energy};
    sim->rejections = rejections;
    dfl_residual_levels(step.residual, &residuals);
    dfl_study_note_trouble(sim, dfl_record_step(sim->record, &step));
    return !sim->trouble;
}

void dfl_study_note_trouble(dfl_simulation *sim, dfl_status status)
{
    if (!status || sim->trouble)
        return;
    sim->trouble = status;
    snprintf(sim->message, sizeof sim->message, "%s", dfl_message(sim->ctx));
}
