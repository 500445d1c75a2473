/* observe.c: the options' functions as callbacks of the run; rows and events.

   With two entries in tspan every step makes a row; with more the continuous output makes one at
   each of them. The state where an event or a function ends the run is the last row in either
   case. */
#include "geoms_mex.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status prepare_events(geoms_run *run);
static dfl_status read_event_kinds(geoms_run *run, dfl_event_kind *kinds, int count);
static dfl_status prepare_conditions(geoms_run *run);
static int count_values(geoms_run *run, const mxArray *f, const char *name);
static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user);
static int on_output(double t, const double *x, void *user);
static int event_values(double *value, double t, const double *x, void *user);
static int on_event(int event, int direction, double t, const double *x, void *user);
static int condition(double *residual, double t, const double *x, void *user);
static int select_rows(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x,
                       void *user);
static void on_log(dfl_log_level level, const char *text, void *user);
static bool add_rows(geoms_run *run, double t, bool with_t);
static bool add_row(geoms_run *run, geoms_table *table, const double *head, int nhead,
                    const double *x);
static int ask(geoms_run *run, const mxArray *f, int nin, mxArray **in, const char *name);

dfl_status geoms_set_callbacks(geoms_run *run)
{
    dfl_solver_options *o = &run->options;
    const geoms_given *given = &run->given;
    run->rows.columns = 1 + run->n;
    run->events.columns = 3 + run->n;
    run->corrected = dfl_alloc(run->gw.ctx, (size_t)run->n, sizeof(double));
    run->probe = dfl_alloc(run->gw.ctx, (size_t)run->n, sizeof(double));
    o->output.on_step = on_step;
    o->output.ends_only = run->ntimes == 2;
    o->output.on_output = given->on_output ? on_output : NULL;
    o->constraints.select = given->select ? select_rows : NULL;
    o->log = on_log;
    o->user = run;
    run->conditions.user = run;
    if (!run->corrected || !run->probe)
        return DFL_NO_MEMORY;
    const dfl_status status = given->event ? prepare_events(run) : DFL_OK;
    return !status && given->condition ? prepare_conditions(run) : status;
}

void geoms_add_end(geoms_run *run)
{
    const double t = dfl_solver_time(run->solver);
    const geoms_table *rows = &run->rows;
    if (rows->rows == 0 || rows->data[(size_t)(rows->rows - 1) * (size_t)rows->columns] != t)
        add_row(run, &run->rows, &t, 1, dfl_solver_state(run->solver));
}

/* One call at the start says how many events there are. */
static dfl_status prepare_events(geoms_run *run)
{
    dfl_solver_options *o = &run->options;
    const int count = count_values(run, run->given.event, "options.event");
    dfl_event_kind *kinds = count < 0 ? NULL : dfl_alloc(run->gw.ctx, (size_t)count, sizeof *kinds);
    if (!kinds)
        return count < 0 ? DFL_CALLBACK : DFL_NO_MEMORY;
    o->events.count = count;
    o->events.eval = event_values;
    o->events.kinds = kinds;
    o->events.on_event = on_event;
    return run->given.event_kinds ? read_event_kinds(run, kinds, count) : DFL_OK;
}

/* A struct array with direction and terminal. */
static dfl_status read_event_kinds(geoms_run *run, dfl_event_kind *kinds, int count)
{
    static const gateway_field parts[] = {
        {"direction", GATEWAY_COUNT, offsetof(dfl_event_kind, direction), NULL},
        {"terminal", GATEWAY_FLAG, offsetof(dfl_event_kind, terminal), NULL}};
    const mxArray *given = run->given.event_kinds;
    if (!mxIsStruct(given) || (int)mxGetNumberOfElements(given) != count)
        return dfl_fail(run->gw.ctx, DFL_INVALID,
                        "options.event_kinds must be an array of %d structs with direction and "
                        "terminal, one per event",
                        count);
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < count; i++) {
        mxArray *one = gateway_element(given, i);
        status = gateway_read(&kinds[i], run->gw.ctx, one, "options.event_kinds", parts, 2);
        mxDestroyArray(one);
    }
    return status;
}

static dfl_status prepare_conditions(geoms_run *run)
{
    const int count = count_values(run, run->given.condition, "options.condition");
    run->conditions.nconditions = count < 0 ? 0 : count;
    run->conditions.condition = condition;
    return count < 0 ? DFL_CALLBACK : DFL_OK;
}

/* How many numbers f returns at the start; -1 if it fails. */
static int count_values(geoms_run *run, const mxArray *f, const char *name)
{
    mxArray *result = geoms_call(run, f, run->times[0], run->x0, 0, NULL);
    if (!result)
        return -1;
    const int count = (int)mxGetNumberOfElements(result);
    const bool vector =
        gateway_is_numeric(result) && (mxGetM(result) == 1 || mxGetN(result) == 1 || count == 0);
    if (!vector)
        gateway_wrong(&run->gw, "what %s returns is no vector of numbers", name);
    mxDestroyArray(result);
    return vector ? count : -1;
}

static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    geoms_run *run = user;
    (void)solver;
    if (gateway_failed(&run->gw))
        return 1;
    if (!run->started)
        memcpy(run->corrected, x, (size_t)run->n * sizeof *x);
    run->started = true;
    if (run->ntimes == 2 || t_old == t) {
        run->next_time += run->ntimes > 2;
        if (!add_row(run, &run->rows, &t, 1, x))
            return 1;
    } else if (!add_rows(run, t, true)) {
        return 1;
    }
    if (!run->given.on_step)
        return 0;
    mxArray *in[3] = {mxCreateDoubleScalar(t_old), mxCreateDoubleScalar(t),
                      gateway_vector(x, run->n)};
    return ask(run, run->given.on_step, 3, in, "on_step");
}

static int on_output(double t, const double *x, void *user)
{
    geoms_run *run = user;
    mxArray *in[2] = {mxCreateDoubleScalar(t), gateway_vector(x, run->n)};
    return ask(run, run->given.on_output, 2, in, "on_output");
}

static int event_values(double *value, double t, const double *x, void *user)
{
    geoms_run *run = user;
    const int count = run->options.events.count;
    if (!geoms_call_vector(value, run, run->given.event, "options.event", t, x, count))
        return -1;
    for (int i = 0; i < count; i++)
        if (!isfinite(value[i])) {
            gateway_wrong(&run->gw, "event %d is %g at t = %.10g", i + 1, value[i], t);
            return -1;
        }
    return 0;
}

static int on_event(int event, int direction, double t, const double *x, void *user)
{
    geoms_run *run = user;
    const double head[3] = {t, event + 1, direction};
    if (!add_rows(run, t, false) || !add_row(run, &run->events, head, 3, x))
        return 1;
    run->met = event + 1;
    if (!run->given.on_event)
        return 0;
    mxArray *in[4] = {mxCreateDoubleScalar(event + 1), mxCreateDoubleScalar(direction),
                      mxCreateDoubleScalar(t), gateway_vector(x, run->n)};
    return ask(run, run->given.on_event, 4, in, "on_event");
}

static int condition(double *residual, double t, const double *x, void *user)
{
    geoms_run *run = user;
    return geoms_call_vector(residual, run, run->given.condition, "options.condition", t, x,
                             run->conditions.nconditions)
               ? 0
               : -1;
}

/* [Sp, Sv] = select(nfp, nfv, t, x) */
static int select_rows(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x,
                       void *user)
{
    geoms_run *run = user;
    char why[GATEWAY_WHY];
    mxArray *in[4] = {mxCreateDoubleScalar(nfp), mxCreateDoubleScalar(nfv), mxCreateDoubleScalar(t),
                      gateway_vector(x, run->n)};
    mxArray *out[2] = {NULL};
    const bool called = gateway_call(out, 2, &run->gw, run->given.select, 4, in);
    const bool good = called && gateway_copy(Sp, why, out[0], nfp, run->eom.np) &&
                      gateway_copy(Sv, why, out[1], nfv, run->eom.nv);
    if (called && !good)
        gateway_wrong(&run->gw, "what options.select returns %s", why);
    for (int i = 0; i < 4; i++)
        mxDestroyArray(in[i]);
    for (int i = 0; called && i < 2; i++)
        mxDestroyArray(out[i]);
    return good ? 0 : -1;
}

/* Notices and warnings are kept for info.messages; options.log gets everything. */
static void on_log(dfl_log_level level, const char *text, void *user)
{
    static const char *const levels[] = {"notice", "warning", "debug"};
    geoms_run *run = user;
    if (level != DFL_LOG_DEBUG && run->nmessages < GEOMS_MESSAGES) {
        char *copy = dfl_alloc(run->gw.ctx, strlen(text) + 1, 1);
        if (copy)
            run->messages[run->nmessages++] = strcpy(copy, text);
    }
    if (!run->given.log || gateway_failed(&run->gw))
        return;
    mxArray *in[2] = {mxCreateString(levels[level]), mxCreateString(text)};
    ask(run, run->given.log, 2, in, "log");
}

/* Rows at the times of tspan before t, and at t if wanted. */
static bool add_rows(geoms_run *run, double t, bool with_t)
{
    const double sense = run->times[1] > run->times[0] ? 1 : -1;
    double *x = run->probe;
    if (run->ntimes == 2)
        return true;
    for (; run->next_time < run->ntimes; run->next_time++) {
        const double at = run->times[run->next_time];
        if (sense * (at - t) > 0 || (at == t && !with_t))
            break;
        if (dfl_solver_interpolate(x, run->solver, at, run->options.output.project))
            return gateway_wrong(&run->gw, "%s", dfl_message(run->gw.ctx));
        if (!add_row(run, &run->rows, &at, 1, x))
            return false;
    }
    return true;
}

static bool add_row(geoms_run *run, geoms_table *table, const double *head, int nhead,
                    const double *x)
{
    const size_t columns = (size_t)table->columns;
    if (table->rows == table->room) {
        const int room = table->room ? 2 * table->room : 64;
        double *data = dfl_alloc(run->gw.ctx, columns * (size_t)room, sizeof *data);
        if (!data)
            return gateway_wrong(&run->gw, "there is no memory for more than %d rows", table->rows);
        if (table->rows > 0)
            memcpy(data, table->data, columns * (size_t)table->rows * sizeof *data);
        dfl_free(run->gw.ctx, table->data);
        table->data = data;
        table->room = room;
    }
    double *row = table->data + columns * (size_t)table->rows++;
    memcpy(row, head, (size_t)nhead * sizeof *row);
    memcpy(row + nhead, x, (size_t)run->n * sizeof *row);
    return true;
}

/* Calls a function that may ask to stop by returning true; destroys its arguments. */
static int ask(geoms_run *run, const mxArray *f, int nin, mxArray **in, const char *name)
{
    mxArray *answer = NULL;
    const bool called = gateway_call(&answer, -1, &run->gw, f, nin, in);
    for (int i = 0; i < nin; i++)
        mxDestroyArray(in[i]);
    if (!called)
        return 1;
    const bool stop = mxIsLogicalScalarTrue(answer); /* printf returns a number */
    mxDestroyArray(answer);
    if (stop)
        run->stopped = name;
    return stop;
}
