/* simulate.c: one run from its initial values to its end, into all its files. */
#include "study/study_internal.h"

#include "declare/declare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status prepare(dfl_simulation *sim);
static void tell_expressions(const dfl_simulation *sim);
static dfl_status create_solver(dfl_simulation *sim);
static dfl_status start(dfl_simulation *sim);
static dfl_status check_end(const dfl_simulation *sim);
static dfl_status open_files(dfl_simulation *sim);
static dfl_status compile(dfl_simulation *sim);
static void advise(const char *text, void *user);
static dfl_status store_start(dfl_simulation *sim, const double *corrected);
static bool steps_to_rows(const dfl_settings *settings);
static dfl_status advance_by_rows(dfl_simulation *sim, double to);
static dfl_status advance_to(dfl_simulation *sim, double t);
static double longest_advance(const dfl_simulation *sim);
static dfl_status conclude(dfl_summary *summary, dfl_simulation *sim, dfl_status status);

dfl_status dfl_simulate(dfl_summary *summary, dfl_simulation *sim)
{
    dfl_status status = dfl_simulation_begin(sim);
    if (!status)
        status = dfl_simulation_advance(sim, sim->settings->to);
    return dfl_simulation_end(summary, sim, status);
}

dfl_status dfl_simulation_begin(dfl_simulation *sim)
{
    sim->stop_event = -1;
    sim->energy = sim->energy_drift = NAN;
    sim->begun = dfl_clock();
    const dfl_status status = prepare(sim);
    return status ? status : start(sim);
}

dfl_status dfl_simulation_advance(dfl_simulation *sim, double t)
{
    const double from = sim->settings->from, now = dfl_solver_time(sim->solver);
    const bool back = now != from && (t - now) * (now - from) < 0;
    return steps_to_rows(sim->settings) && !back ? advance_by_rows(sim, t) : advance_to(sim, t);
}

dfl_status dfl_simulation_end(dfl_summary *summary, dfl_simulation *sim, dfl_status status)
{
    *summary = (dfl_summary){.form = sim->settings->form,
                             .method = sim->settings->method,
                             .linear = dfl_runnable_matrices(sim->run),
                             .t = NAN,
                             .energy_drift = NAN};
    const dfl_status outcome = conclude(summary, sim, status);
    summary->seconds = dfl_clock() - sim->begun;
    return outcome;
}

void dfl_simulation_clear(dfl_simulation *sim)
{
    dfl_solver_free(sim->solver);
    dfl_free(sim->ctx, sim->event_kinds);
    dfl_free(sim->ctx, sim->event_names);
    dfl_free(sim->ctx, sim->events);
    dfl_free(sim->ctx, sim->outputs);
    dfl_free(sim->ctx, sim->undefined);
    dfl_free(sim->ctx, sim->atol);
    dfl_free(sim->ctx, sim->largest);
    dfl_free(sim->ctx, sim->scene);
    dfl_study_jumps_clear(sim);
    dfl_study_doubts_clear(sim);
    dfl_study_switches_clear(sim);
}

/* Everything before the first state: memory, the solver. */
static dfl_status prepare(dfl_simulation *sim)
{
    const dfl_model *model = sim->eq->model;
    const size_t outputs = (size_t)(model->count[DFL_AN_OUTPUT] + sim->nmore);
    const size_t scene = (size_t)(dfl_scene_columns(model) + sim->nmore_scene);
    sim->outputs = dfl_alloc(sim->ctx, outputs, sizeof *sim->outputs);
    sim->undefined = dfl_alloc(sim->ctx, outputs, sizeof *sim->undefined);
    sim->event_kinds =
        dfl_alloc(sim->ctx, (size_t)model->count[DFL_AN_EVENT], sizeof *sim->event_kinds);
    sim->event_names =
        dfl_alloc(sim->ctx, (size_t)model->count[DFL_AN_EVENT], sizeof *sim->event_names);
    sim->scene = dfl_alloc(sim->ctx, scene, sizeof *sim->scene);
    if (!sim->outputs || !sim->undefined || !sim->event_kinds || !sim->event_names || !sim->scene ||
        dfl_study_tolerances_create(sim) || dfl_study_jumps_create(sim) ||
        dfl_study_doubts_create(sim) || dfl_study_switches_create(sim))
        return DFL_NO_MEMORY;
    tell_expressions(sim);
    return create_solver(sim);
}

/* If recursion was chosen, but is not possible. */
static void tell_expressions(const dfl_simulation *sim)
{
    const dfl_model *model = sim->eq->model;
    char text[200];
    if (sim->settings->evaluation != DFL_EVAL_RECURSION || model->tree || !sim->log)
        return;
    snprintf(text, sizeof text, "masses are evaluated as expressions, not by recursion: %s",
             model->no_tree ? model->no_tree : "the model has no bodies");
    sim->log(DFL_LOG_NOTICE, text, sim->user);
}

static dfl_status create_solver(dfl_simulation *sim)
{
    const dfl_model *model = sim->eq->model;
    dfl_solver_options options = sim->settings->solver;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *event = &model->declarations.item[i];
        if (event->kind == DFL_AN_EVENT) {
            sim->event_kinds[event->index] =
                (dfl_event_kind){.direction = event->direction, .terminal = event->stop};
            sim->event_names[event->index] = event->name;
        }
    }
    options.output.project = options.output.project && dfl_form_keeps_constraints(options.form);
    if (steps_to_rows(sim->settings))
        options.output.every = 0;
    options.output.ends_only = !sim->trends && !sim->looks_inside;
    dfl_study_listen(&options, sim);
    dfl_runnable_lock(&options.switches, sim->run, dfl_study_name_function);
    dfl_runnable_pulses(&options.pulses, sim->run);
    return dfl_solver_create(&sim->solver, sim->ctx, dfl_runnable_eom(sim->run), &options);
}

/* The initial values, then everything that needs them. */
static dfl_status start(dfl_simulation *sim)
{
    bool chosen = false;
    double *corrected = dfl_alloc(sim->ctx, (size_t)sim->eq->n, sizeof *corrected);
    dfl_status status = DFL_NO_MEMORY;
    if (corrected && sim->settings->start == DFL_START_AS_GIVEN)
        status = dfl_study_start_as_given(corrected, sim->run, sim->solver, sim->settings->from);
    else if (corrected)
        status = dfl_study_start(corrected, &chosen, sim->run, sim->solver, &sim->settings->solver,
                                 sim->settings->from);
    if (!status && sim->saved)
        status = dfl_simulation_restore(sim, sim->saved, sim->saved_size);
    if (!status && sim->saved)
        status = check_end(sim);
    if (!status && sim->saved)
        memcpy(corrected, dfl_solver_state(sim->solver), (size_t)sim->eq->n * sizeof *corrected);
    if (!status)
        status = dfl_runnable_remember(sim->run, dfl_solver_time(sim->solver), corrected);
    if (!status)
        status = compile(sim);
    if (!status)
        status = open_files(sim);
    if (!status)
        dfl_study_advise_signals(sim->eq->model, sim->settings, advise, sim);
    if (!status && !sim->saved)
        status = dfl_study_advise(sim->run, sim->settings->from, corrected, chosen, advise, sim);
    if (!status)
        status = store_start(sim, corrected);
    dfl_free(sim->ctx, corrected);
    return status;
}

/* A saved run goes on, not back. */
static dfl_status check_end(const dfl_simulation *sim)
{
    const double from = sim->settings->from, to = sim->settings->to;
    const double t = dfl_solver_time(sim->solver);
    return isnan(to) || (to - t) * (to - from) > 0
               ? DFL_OK
               : dfl_fail(sim->ctx, DFL_INVALID,
                          "the saved run is at t = %.10g already; give an end (to) beyond it", t);
}

/* The files, and what they want. */
static dfl_status open_files(dfl_simulation *sim)
{
    const dfl_status status = sim->open ? sim->open(sim, sim->user) : DFL_OK;
    if (status || !sim->record)
        return status;
    sim->drawn = dfl_record_takes_scene(sim->record);
    sim->records_steps = dfl_record_takes_steps(sim->record);
    return DFL_OK;
}

/* Native code from the start, if requested. */
static dfl_status compile(dfl_simulation *sim)
{
    bool native;
    return dfl_runnable_compile(&native, sim->run, sim->settings->evaluation, NULL,
                                dfl_study_notice, sim);
}

static void advise(const char *text, void *user)
{
    dfl_study_tell(DFL_LOG_WARNING, text, user);
}

static void warn_of_trends(dfl_simulation *sim)
{
    char text[400];
    dfl_trends_doubt(text, sizeof text, sim->trends);
    if (text[0])
        advise(text, sim);
}

/* The initial values, and the first row and step. */
static dfl_status store_start(dfl_simulation *sim, const double *corrected)
{
    const double t = dfl_solver_time(sim->solver);
    double *given = dfl_alloc(sim->ctx, (size_t)sim->eq->n, sizeof *given);
    bool *held = dfl_alloc(sim->ctx, (size_t)sim->eq->n, sizeof *held);
    if (given && held) {
        dfl_study_given(given, held, sim->run);
        if (sim->record)
            dfl_study_note_trouble(sim, dfl_record_start(sim->record, given, held, corrected));
        sim->started = true;
        sim->row_time = NAN;
        dfl_study_note_largest(sim, corrected);
        dfl_study_trends_begin(sim, t, corrected);
        if (!sim->saved) {
            sim->energy = dfl_runnable_energy(sim->run, t, corrected);
            sim->energy_drift = isnan(sim->energy) ? NAN : 0;
        }
        dfl_study_store_modes(sim, t);
        dfl_study_look_for_doubts(sim, t, corrected);
        dfl_study_store_row(sim, t, corrected);
        dfl_study_store_step(sim, t, t, sim->energy);
    }
    const dfl_status status = !given || !held ? DFL_NO_MEMORY : sim->trouble;
    dfl_free(sim->ctx, held);
    dfl_free(sim->ctx, given);
    return status;
}

/* Whether rows of `every` are reached by a step instead of by interpolation: not with fixed steps,
   nor if `every` is below 1e-9 of the run. */
static bool steps_to_rows(const dfl_settings *settings)
{
    const dfl_solver_options *solver = &settings->solver;
    const double length = isfinite(settings->to) ? fabs(settings->to - settings->from) : 0;
    return solver->output.every > 1e-9 * length && solver->output.project &&
           !(solver->step.fixed > 0);
}

double dfl_simulation_next_row(const dfl_simulation *sim)
{
    const dfl_settings *settings = sim->settings;
    const double every = settings->solver.output.every;
    const bool back = settings->to < settings->from;
    return every > 0 && steps_to_rows(settings)
               ? settings->from + (sim->rows + 1) * (back ? -every : every)
               : NAN;
}

bool dfl_simulation_take_row(dfl_simulation *sim)
{
    sim->rows++;
    return dfl_study_store_row(sim, dfl_solver_time(sim->solver), dfl_solver_state(sim->solver));
}

/* The last row is at `to`, if it is the end of the run or on the grid. */
static dfl_status advance_by_rows(dfl_simulation *sim, double to)
{
    const dfl_settings *settings = sim->settings;
    const double length = to - settings->from;
    const double every = copysign(settings->solver.output.every, length);
    const double rows = ceil(length / every * (1.0 - 1e-12));
    const bool last = to == settings->to || fabs(length - rows * every) <= 1e-9 * fabs(every);
    dfl_status status = DFL_OK;
    for (double k = sim->rows + 1; !status && k <= rows; k++) {
        const double t = k < rows ? settings->from + k * every : to;
        status = advance_to(sim, t);
        if (k == rows && !last)
            break;
        if (!status && !dfl_study_store_row(sim, t, dfl_solver_state(sim->solver)))
            status = DFL_STOPPED;
        sim->rows += !status;
        if (!status && k < rows &&
            dfl_solver_statistics(sim->solver).attempts >= settings->solver.step.max_attempts)
            status = dfl_fail(sim->ctx, DFL_TOO_MANY_STEPS,
                              "more than the allowed number of steps at t = %.10g; raise "
                              "max_steps, or choose a larger value of every",
                              t);
    }
    return status;
}

static dfl_status advance_to(dfl_simulation *sim, double t)
{
    const double from = dfl_solver_time(sim->solver), longest = longest_advance(sim);
    const double pieces = longest > 0 ? ceil(fabs(t - from) / longest * (1.0 - 1e-12)) : 1;
    dfl_status status = DFL_OK;
    for (double k = 1; !status && k < pieces; k++)
        status = dfl_solver_advance(sim->solver, from + (t - from) * k / pieces);
    return status ? status : dfl_solver_advance(sim->solver, t);
}

/* If motions prescribe everything, nothing is left to integrate and no error limits the steps: they
   would jump over rows and events. The limit is a hundredth of the run, unless the user gives one;
   0: no limit. */
static double longest_advance(const dfl_simulation *sim)
{
    const dfl_settings *settings = sim->settings;
    const bool modes = sim->eq->model->actions.discretes.count > 0; /* what is held may be freed */
    const int freedoms = modes ? 1 : sim->eq->nv - dfl_solver_statistics(sim->solver).rank_velocity;
    const bool limited = settings->solver.step.max > 0 || settings->solver.step.fixed > 0;
    return freedoms + sim->eq->nr > 0 || limited || !isfinite(settings->to)
               ? 0
               : fabs(settings->to - settings->from) / 100;
}

/* Reports how the run ended, with the last row at its end. */
static dfl_status conclude(dfl_summary *summary, dfl_simulation *sim, dfl_status status)
{
    dfl_status outcome = status;
    summary->status = status == DFL_OK ? "completed" : "failed";
    if (sim->started && !sim->trouble)
        dfl_study_store_row(sim, dfl_solver_time(sim->solver), dfl_solver_state(sim->solver));
    if (sim->trouble) {
        outcome = sim->trouble;
        const bool stopped = outcome == DFL_STOPPED && dfl_interrupted(sim->ctx);
        summary->status = stopped ? "interrupted" : "failed";
    } else if (status == DFL_STOPPED && sim->stop_event >= 0) {
        outcome = dfl_study_end_at_event(summary, sim);
    } else if (status == DFL_STOPPED) {
        summary->status = "interrupted";
        snprintf(sim->message, sizeof sim->message, "interrupted at t = %.10g",
                 dfl_solver_time(sim->solver));
    } else if (status) {
        if (sim->started)
            outcome = dfl_study_explain(sim->run, status, dfl_solver_time(sim->solver),
                                        dfl_solver_state(sim->solver));
        snprintf(sim->message, sizeof sim->message, "%s", dfl_message(sim->ctx));
    }
    summary->message = sim->message;
    if (sim->started) {
        summary->t = dfl_solver_time(sim->solver);
        summary->x = dfl_solver_state(sim->solver);
        dfl_runnable_outputs(sim->outputs, sim->run, summary->t, summary->x);
        summary->outputs = sim->outputs;
        summary->energy_drift = sim->energy_drift;
        summary->statistics = dfl_solver_statistics(sim->solver);
        dfl_study_add_rows(&summary->statistics, sim);
        summary->events = sim->events;
        summary->nevents = sim->nevents;
        summary->switches = sim->switched.record;
        summary->nswitches = sim->switched.count;
        summary->total_switches = sim->switched.total;
        dfl_solver_tolerances(sim->atol, sim->solver);
        summary->atol = sim->atol;
        summary->rtol = sim->settings->solver.rtol;
    }
    if (sim->started && !outcome)
        dfl_study_warn_coarse(sim, advise, sim);
    if (sim->started)
        dfl_study_tell_neglected(sim);
    if (sim->started && !outcome && sim->trends)
        warn_of_trends(sim);
    return outcome;
}
