/* case_run.c: one case of a study. */
#include "sweep/sweep_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct case_run {
    const dfl_cases *cases;
    dfl_case *it;
    dfl_case_model *model;
    dfl_settings settings;
    dfl_record *record; /* of series, or NULL */
    dfl_table table;
    dfl_trends trends;
    dfl_simulation sim;
    long left_out; /* rows of series for which there is no room */
    double deadline;
    bool late, stopped;
    char warnings[DFL_CASE_MESSAGE];
    bool (*stop)(void *user);
    void *user;
} case_run;

static dfl_status run_case(case_run *r, const double *values);
static dfl_status prepare(case_run *r);
static dfl_status open_table(dfl_simulation *sim, void *user);
static bool watch(double t, double step, void *user);
static bool over(void *user);
static dfl_status met(int event, int direction, double t, void *user);
static void hear(dfl_log_level level, const char *text, void *user);
static void say(char *message, const char *text);
static void keep(case_run *r);
static void keep_series(case_run *r);
static void doubt_series(case_run *r);
static void explain(dfl_case *it, const case_run *r, dfl_status status);
static void clear(case_run *r);

void dfl_cases_run(dfl_case *it, dfl_case_model *model, const dfl_cases *cases,
                   const double *values, bool (*stop)(void *user), void *user)
{
    const double seconds = cases->options.seconds;
    const size_t numbers = dfl_case_numbers(&cases->layout);
    case_run r = {.cases = cases,
                  .it = it,
                  .model = model,
                  .deadline = seconds > 0 ? dfl_clock() + seconds : INFINITY,
                  .stop = stop,
                  .user = user};
    for (size_t i = 0; i < numbers; i++)
        it->numbers[i] = NAN;
    it->message[0] = 0;
    it->state = DFL_CASE_FAILED;
    model->over = over;
    model->user = &r;
    model->over_since = 0;
    const dfl_status status = run_case(&r, values);
    model->over = NULL;
    if (r.stopped)
        it->state = DFL_CASE_MISSING;
    else if (status)
        explain(it, &r, status);
    clear(&r);
    dfl_case_model_leave(model, !status);
}

static dfl_status run_case(case_run *r, const double *values)
{
    dfl_summary summary;
    dfl_status status = dfl_case_model_take(r->model, r->cases, values);
    if (!status)
        status = prepare(r);
    if (status)
        return status;
    for (int i = 0; i < r->cases->layout.list[DFL_CASE_EVENT_NAMES].count; i++)
        r->it->numbers[1 + STATS * r->cases->layout.list[DFL_CASE_OUTPUTS].count + 2 * i] = 0;
    status = dfl_simulate(&summary, &r->sim);
    if (r->sim.started)
        keep(r);
    if (!status && r->left_out > 0)
        doubt_series(r);
    if (!status && r->warnings[0])
        say(r->it->message, r->warnings);
    if (!status)
        r->it->state = strcmp(summary.status, "stopped") ? DFL_CASE_COMPLETED : DFL_CASE_STOPPED;
    return status ? dfl_fail(r->model->ctx, status, "%s", summary.message) : DFL_OK;
}

static dfl_status prepare(case_run *r)
{
    const dfl_cases *cases = r->cases;
    const dfl_derived *derived = &r->model->derived;
    dfl_context *ctx = r->model->ctx;
    dfl_status status = dfl_settings_resolve(&r->settings, &derived->choices, derived->runnable);
    if (!status)
        status = dfl_settings_check_end(&r->settings, &derived->choices, derived->model);
    if (!status)
        status = dfl_trends_create(&r->trends, derived->eq, cases->columns);
    if (!status && cases->layout.rows > 0)
        status = dfl_record_create(&r->record, derived->eq, NULL, 0);
    r->table = (dfl_table){.ctx = ctx};
    r->sim = (dfl_simulation){.ctx = ctx,
                              .run = derived->runnable,
                              .eq = derived->eq,
                              .settings = &r->settings,
                              .record = r->record,
                              .open = r->record ? open_table : NULL,
                              .watch = watch,
                              .met = met,
                              .log = hear,
                              .trends = &r->trends,
                              .user = r};
    return status;
}

static dfl_status open_table(dfl_simulation *sim, void *user)
{
    return dfl_record_open_table(sim->record, &((case_run *)user)->table);
}

static bool watch(double t, double step, void *user)
{
    (void)t;
    (void)step;
    return over(user);
}

static bool over(void *user)
{
    case_run *r = user;
    r->stopped = r->stopped || (r->stop && r->stop(r->user));
    r->late = r->late || dfl_clock() > r->deadline;
    return r->stopped || r->late;
}

/* Counts an event, and lists it if there is room. Events of cases have the names of the cases's. */
static dfl_status met(int event, int direction, double t, void *user)
{
    case_run *r = user;
    const dfl_case_layout *layout = &r->cases->layout;
    const int known = layout->list[DFL_CASE_EVENT_NAMES].count;
    const char *name = r->sim.event_names[event];
    int number = event;
    if (number >= known || strcmp(r->cases->events[number], name) != 0)
        for (number = 0; number < known && strcmp(r->cases->events[number], name) != 0;)
            number++;
    if (number == known)
        return DFL_OK;
    double *at = r->it->numbers + 1 + STATS * layout->list[DFL_CASE_OUTPUTS].count + 2 * number;
    if (at[0] == 0)
        at[1] = t;
    at[0]++;
    double *listed = r->it->numbers + dfl_case_events_at(layout);
    for (int i = 0; i < DFL_CASE_EVENTS; i++)
        if (isnan(listed[DFL_CASE_EVENT * i])) {
            listed[DFL_CASE_EVENT * i] = number;
            listed[DFL_CASE_EVENT * i + 1] = direction;
            listed[DFL_CASE_EVENT * i + 2] = t;
            break;
        }
    return DFL_OK;
}

/* The warnings of a run belong to its case. */
static void hear(dfl_log_level level, const char *text, void *user)
{
    if (level == DFL_LOG_WARNING)
        say(((case_run *)user)->warnings, text);
}

/* Adds a text to a message, as far as there is room. */
static void say(char *message, const char *text)
{
    size_t length = strlen(message);
    if (length > 0)
        length += (size_t)snprintf(message + length, DFL_CASE_MESSAGE - length, "; ");
    if (length < DFL_CASE_MESSAGE)
        dfl_visible(message + length, DFL_CASE_MESSAGE - length, text);
}

/* What is known at the end, also of a run that failed. */
static void keep(case_run *r)
{
    double *to = r->it->numbers;
    *to++ = dfl_solver_time(r->sim.solver);
    for (int i = 0; i < r->trends.count; i++) {
        const dfl_trend_values values = dfl_trends_values(&r->trends, i);
        to[STAT_FINAL] = values.final;
        to[STAT_MIN] = values.min;
        to[STAT_MAX] = values.max;
        to[STAT_MEAN] = values.mean;
        to[STAT_RMS] = values.rms;
        to += STATS;
    }
    if (r->cases->layout.rows > 0)
        keep_series(r);
}

/* Rows that are on the grid, which begins where the case does; at a jump the row after it. */
static void keep_series(case_run *r)
{
    const dfl_case_layout *layout = &r->cases->layout;
    const double from = r->settings.from;
    const double every = copysign(r->cases->every, r->settings.to - from);
    const int columns = layout->list[DFL_CASE_SERIES].count;
    double *series = r->it->numbers + dfl_case_series_at(layout);
    for (int i = 0; i < r->table.rows; i++) {
        const double *row = r->table.values + (size_t)i * (size_t)r->table.columns;
        const double place = (row[0] - from) / every;
        long number = lround(place);
        if (row[0] == r->settings.to)
            number = (long)ceil(place * (1.0 - 1e-12));
        else if (fabs(place - (double)number) > 1e-6)
            continue;
        if (number >= layout->rows) {
            r->left_out++;
            continue;
        }
        double *to = series + number * columns;
        to[0] = row[0];
        for (int k = 0; k < r->trends.count; k++)
            to[k + 1] = row[1 + r->trends.column[k]];
    }
}

static void doubt_series(case_run *r)
{
    char text[200];
    const long rows = r->cases->layout.rows;
    snprintf(text, sizeof text,
             "the series ends at t = %.10g: there is room for the %ld rows that the model's own "
             "values need; let those be the longest run",
             r->settings.from +
                 copysign(r->cases->every, r->settings.to - r->settings.from) * (double)(rows - 1),
             rows);
    say(r->it->message, text);
}

static void explain(dfl_case *it, const case_run *r, dfl_status status)
{
    const dfl_cases_options *options = &r->cases->options;
    it->state = DFL_CASE_FAILED;
    if (r->late && !r->sim.started && status == DFL_NO_MEMORY)
        snprintf(it->message, sizeof it->message,
                 "not ready to start within the %g s that a case may take", options->seconds);
    else if (r->late && r->sim.started)
        snprintf(it->message, sizeof it->message,
                 "not finished within the %g s that a case may take, at t = %.10g",
                 options->seconds, it->numbers[0]);
    else if (r->model->memory.exceeded && status == DFL_NO_MEMORY)
        snprintf(it->message, sizeof it->message,
                 "more than the %g MB of memory that a case may take", options->megabytes);
    else if (!r->model->ctx)
        snprintf(it->message, sizeof it->message, "no memory");
    else
        dfl_visible(it->message, sizeof it->message, dfl_message(r->model->ctx));
}

static void clear(case_run *r)
{
    if (r->sim.ctx)
        dfl_simulation_clear(&r->sim);
    if (r->trends.ctx)
        dfl_trends_clear(&r->trends);
    dfl_record_free(r->record);
    if (r->table.ctx)
        dfl_table_clear(&r->table);
}
