/* case_run.c: one case of a study. Everything of a case lives in a context of its own: memory is counted
   there, and nothing is left of it afterwards. */
#include "sweep/sweep_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory of a case: the size of each block is in front of it. */
typedef struct budget {
    size_t used, most; /* bytes; most is 0: no limit */
    bool exceeded;
} budget;
enum { IN_FRONT = 16 };

typedef struct case_run {
    const dfl_cases *cases;
    dfl_case *it;
    const char **set; /* "NAME=VALUE" */
    char *texts;
    dfl_derived derived;
    dfl_settings settings;
    dfl_record *record; /* of series, or NULL */
    dfl_table table;
    dfl_trends trends;
    dfl_simulation sim;
    double deadline;
    bool late, stopped;
    bool (*stop)(void *user);
    void *user;
} case_run;

static dfl_status run_case(case_run *r, dfl_context *ctx, const double *values);
static dfl_status write_sets(case_run *r, dfl_context *ctx, const double *values);
static dfl_status prepare(case_run *r, dfl_context *ctx);
static dfl_status open_table(dfl_simulation *sim, void *user);
static bool watch(double t, double step, void *user);
static dfl_status met(int event, int direction, double t, void *user);
static void keep(case_run *r);
static void keep_series(case_run *r);
static void explain(dfl_case *it, const case_run *r, const budget *memory, const dfl_context *ctx,
                    dfl_status status);
static void clear(case_run *r, dfl_context *ctx);

static void *take(size_t bytes, void *user)
{
    budget *memory = user;
    if (memory->most > 0 && (bytes > memory->most || memory->used > memory->most - bytes)) {
        memory->exceeded = true;
        return NULL;
    }
    char *block = malloc(bytes + IN_FRONT);
    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    memory->used += bytes;
    return block + IN_FRONT;
}

static void give_back(void *block, void *user)
{
    budget *memory = user;
    size_t bytes;
    if (!block)
        return;
    memcpy(&bytes, (char *)block - IN_FRONT, sizeof bytes);
    memory->used -= bytes;
    free((char *)block - IN_FRONT);
}

void dfl_cases_run(dfl_case *it, const dfl_cases *cases, const double *values,
                   bool (*stop)(void *user), void *user)
{
    const dfl_cases_options *options = &cases->options;
    const size_t numbers = dfl_case_numbers(&cases->layout);
    budget memory = {.most = (size_t)(options->megabytes * 1e6)};
    dfl_context *ctx = dfl_context_create_with(
        &(dfl_allocator){.alloc = take, .release = give_back, .user = &memory});
    case_run r = {.cases = cases,
                  .it = it,
                  .deadline = options->seconds > 0 ? dfl_clock() + options->seconds : INFINITY,
                  .stop = stop,
                  .user = user};
    for (size_t i = 0; i < numbers; i++)
        it->numbers[i] = NAN;
    it->message[0] = 0;
    it->state = DFL_CASE_FAILED;
    if (!ctx) {
        snprintf(it->message, sizeof it->message, "no memory");
        return;
    }
    const dfl_status status = run_case(&r, ctx, values);
    if (r.stopped)
        it->state = DFL_CASE_MISSING;
    else if (status)
        explain(it, &r, &memory, ctx, status);
    clear(&r, ctx);
    dfl_context_free(ctx);
}

static dfl_status run_case(case_run *r, dfl_context *ctx, const double *values)
{
    dfl_summary summary;
    dfl_status status = write_sets(r, ctx, values);
    if (!status)
        status = prepare(r, ctx);
    if (status)
        return status;
    for (int i = 0; i < r->cases->layout.list[DFL_CASE_EVENT_NAMES].count; i++)
        r->it->numbers[1 + STATS * r->cases->layout.list[DFL_CASE_OUTPUTS].count + 2 * i] = 0;
    status = dfl_simulate(&summary, &r->sim);
    if (r->sim.started)
        keep(r);
    if (!status)
        r->it->state = strcmp(summary.status, "stopped") ? DFL_CASE_COMPLETED : DFL_CASE_STOPPED;
    return status ? dfl_fail(ctx, status, "%s", summary.message) : DFL_OK;
}

/* "NAME=VALUE" for every parameter of the case, with all digits. */
static dfl_status write_sets(case_run *r, dfl_context *ctx, const double *values)
{
    const int count = dfl_design_parameters(r->cases->design);
    const char *const *names = dfl_design_parameter_names(r->cases->design);
    size_t room = 1;
    for (int i = 0; i < count; i++)
        room += strlen(names[i]) + 32;
    r->set = dfl_alloc(ctx, (size_t)count, sizeof *r->set);
    r->texts = dfl_alloc(ctx, room, 1);
    if (!r->set || !r->texts)
        return DFL_NO_MEMORY;
    char *at = r->texts;
    for (int i = 0; i < count; i++) {
        r->set[i] = at;
        at += snprintf(at, room - (size_t)(at - r->texts), "%s=%.17g", names[i], values[i]) + 1;
    }
    return DFL_OK;
}

static dfl_status prepare(case_run *r, dfl_context *ctx)
{
    const dfl_cases *cases = r->cases;
    const dfl_cases_options *options = &cases->options;
    const double megabytes = options->megabytes;
    const dfl_derivation how = {
        .purpose = DFL_TO_RUN,
        .nsettings = options->nsettings,
        .settings = options->settings,
        .prefix = "--",
        .nmore = dfl_design_parameters(cases->design),
        .more = r->set,
        .max_seconds = options->seconds,
        .max_memory = megabytes > 0 && megabytes < 256 ? (size_t)(megabytes * 1e6) : 0};
    dfl_status status = dfl_derived_create(&r->derived, ctx, cases->model, &how);
    if (!status)
        status = dfl_settings_resolve(&r->settings, &r->derived.choices, r->derived.runnable);
    if (!status)
        status = dfl_settings_check_end(&r->settings, &r->derived.choices, r->derived.model);
    if (!status)
        status = dfl_trends_create(&r->trends, r->derived.eq, cases->columns);
    if (!status && cases->layout.rows > 0)
        status = dfl_record_create(&r->record, r->derived.eq, NULL, 0);
    r->table = (dfl_table){.ctx = ctx};
    r->sim = (dfl_simulation){.ctx = ctx,
                              .run = r->derived.runnable,
                              .eq = r->derived.eq,
                              .settings = &r->settings,
                              .record = r->record,
                              .open = r->record ? open_table : NULL,
                              .watch = watch,
                              .met = met,
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
    case_run *r = user;
    (void)t;
    (void)step;
    r->stopped = r->stop && r->stop(r->user);
    r->late = dfl_clock() > r->deadline;
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

/* Rows that are on the grid; at a jump the row after it. */
static void keep_series(case_run *r)
{
    const dfl_cases *cases = r->cases;
    const dfl_case_layout *layout = &cases->layout;
    const int columns = layout->list[DFL_CASE_SERIES].count;
    double *series = r->it->numbers + dfl_case_series_at(layout);
    for (int i = 0; i < r->table.rows; i++) {
        const double *row = r->table.values + (size_t)i * (size_t)r->table.columns;
        const double place = (row[0] - cases->from) / cases->every;
        long number = lround(place);
        if (row[0] == r->settings.to)
            number = (long)ceil(place * (1.0 - 1e-12));
        else if (fabs(place - (double)number) > 1e-6)
            continue;
        if (number < 0 || number >= layout->rows)
            continue;
        double *to = series + number * columns;
        to[0] = row[0];
        for (int k = 0; k < r->trends.count; k++)
            to[k + 1] = row[1 + r->trends.column[k]];
    }
}

static void explain(dfl_case *it, const case_run *r, const budget *memory, const dfl_context *ctx,
                    dfl_status status)
{
    const dfl_cases_options *options = &r->cases->options;
    it->state = DFL_CASE_FAILED;
    if (r->late)
        snprintf(it->message, sizeof it->message,
                 "not finished within the %g s that a case may take, at t = %.10g",
                 options->seconds, it->numbers[0]);
    else if (memory->exceeded && status == DFL_NO_MEMORY)
        snprintf(it->message, sizeof it->message,
                 "more than the %g MB of memory that a case may take", options->megabytes);
    else
        dfl_visible(it->message, sizeof it->message, dfl_message(ctx));
}

static void clear(case_run *r, dfl_context *ctx)
{
    if (r->sim.ctx)
        dfl_simulation_clear(&r->sim);
    if (r->trends.ctx)
        dfl_trends_clear(&r->trends);
    dfl_record_free(r->record);
    if (r->table.ctx)
        dfl_table_clear(&r->table);
    if (r->derived.ctx)
        dfl_derived_clear(&r->derived);
    dfl_free(ctx, r->set);
    dfl_free(ctx, r->texts);
}
