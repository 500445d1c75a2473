/* carry_functions.c: functions that are watched for zeros: switches, pulses, events. */
#include "carry/branching_internal.h"
#include "carry/carry_internal.h"

#include <math.h>

void dfl_carried_bounds(dfl_bounds *value, const dfl_carried_run *run, int program,
                        const dfl_bounds *t, const dfl_bounds *x)
{
    const dfl_bounds *const in[] = {t, x, NULL, NULL, NULL, NULL, NULL, NULL};
    if (!run->tape[program])
        return;
    dfl_tape_enclose_prepare(run->tape[program], run->bounds, run->work[program]);
    dfl_tape_enclose(run->tape[program], run->bounds, in, &value);
}

/* ------------------------------------------------------------------------------- switches */

static void evaluate(double *out, int program, double t, const double *x, void *run)
{
    dfl_carried_evaluate(run, program, t, x, NULL, &out);
}

static void enclose(dfl_bounds *out, int program, const dfl_bounds *t, const dfl_bounds *x,
                    void *run)
{
    dfl_carried_bounds(out, run, program, t, x);
}

static void prepare(void *run)
{
    dfl_carried_prepare(run);
}

static void set_levels(double t, const double *x, void *run)
{
    dfl_carried_set_levels(run, t, x);
}

static void refuse(int line, const char *message, void *run)
{
    (void)line;
    dfl_fail(((dfl_carried_run *)run)->ctx, DFL_CALLBACK, "%s", message);
}

dfl_status dfl_carried_create_branching(dfl_carried_run *run)
{
    const dfl_branching_host host = {.evaluate = evaluate,
                                     .enclose = enclose,
                                     .prepare = prepare,
                                     .set_levels = set_levels,
                                     .refuse = refuse,
                                     .run = run};
    return dfl_branching_create(&run->branching, run->ctx, &run->model->branching, &run->graph,
                                &host);
}

bool dfl_carried_settle(dfl_carried_run *run, double t, const double *x, const double *rate)
{
    return dfl_branching_settle(&run->branching, t, x, rate);
}

void dfl_carried_lock(dfl_carried_run *run, bool locked)
{
    run->branching.locked = locked;
}

void dfl_carried_noise(double *noise, double *room, dfl_carried_run *run, double t, const double *x)
{
    dfl_solver_tolerances(room, run->solver);
    for (int i = 0; i < run->model->n; i++)
        room[i] += run->rtol * fabs(x[i]);
    dfl_branching_noise(noise, &run->branching, t, x, room);
}

int dfl_carried_indicators(const dfl_carried_run *run)
{
    return run->model->branching.switches.count + run->model->nevents;
}

void dfl_carried_indicate(double *value, dfl_carried_run *run, double t, const double *x)
{
    double *events = value + run->model->branching.switches.count;
    dfl_branching_values(value, &run->branching, t, x);
    dfl_carried_evaluate(run, DFL_CARRY_EVENTS, t, x, NULL, &events);
}

dfl_status dfl_carried_indicate_tangent(double *slope, dfl_carried_run *run, double t,
                                        const double *x, const dfl_carried_direction *along)
{
    double *events = slope + run->model->branching.switches.count;
    const dfl_status status =
        dfl_carried_tangent(&slope, run, DFL_CARRY_SWITCHES, t, x, NULL, along);
    dfl_branching_turn(slope, &run->branching);
    return status ? status : dfl_carried_tangent(&events, run, DFL_CARRY_EVENTS, t, x, NULL, along);
}

/* ------------------------------------------------------------------------------- pulses, events */

static int pulse_values(double *value, int count, double t, const double *x, void *user)
{
    (void)count;
    dfl_carried_evaluate(user, DFL_CARRY_PULSES, t, x, NULL, &value);
    return 0;
}

static int pulse_bounds(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                        void *user)
{
    (void)count;
    dfl_carried_bounds(value, user, DFL_CARRY_PULSES, t, x);
    return 0;
}

static int event_values(double *value, double t, const double *x, void *user)
{
    dfl_carried_evaluate(user, DFL_CARRY_EVENTS, t, x, NULL, &value);
    return 0;
}

static int event_bounds(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                        void *user)
{
    (void)count;
    dfl_carried_bounds(value, user, DFL_CARRY_EVENTS, t, x);
    return 0;
}

static int event_noise(double *noise, double t, const double *x, const double *tolerance,
                       void *user)
{
    dfl_carried_run *run = user;
    dfl_carried_evaluate(run, DFL_CARRY_EVENT_SLOPES, t, x, NULL, &run->slope);
    dfl_watched_noise(noise, &run->model->events, run->slope, run->model->n, tolerance);
    return 0;
}

static int on_event(int event, int direction, double t, const double *x, void *user)
{
    dfl_carried_run *run = user;
    (void)direction, (void)t, (void)x;
    if (run->model->event_kinds[event].terminal)
        run->stopped = event;
    return 0;
}

static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    const dfl_carried_run *run = user;
    (void)solver;
    return t != t_old && run->step && run->step(t, x, run->step_user);
}

void dfl_carried_listen(dfl_solver_options *options, dfl_carried_run *run)
{
    const dfl_carried *m = run->model;
    options->pulses = (dfl_pulse_options){
        .count = m->pulses.count, .eval = pulse_values, .enclose = pulse_bounds, .user = run};
    options->events = (dfl_event_options){.count = m->nevents,
                                          .eval = event_values,
                                          .kinds = m->event_kinds,
                                          .on_event = on_event,
                                          .names = m->event_names,
                                          .enclose = event_bounds,
                                          .noise = event_noise};
    options->output.on_step = on_step;
    options->output.ends_only = true;
    options->user = run;
    dfl_branching_lock(&options->switches, &run->branching);
}
