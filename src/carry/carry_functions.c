/* carry_functions.c: functions that are watched for zeros: bounds, noise, rates. */
#include "carry/carry_internal.h"

#include <math.h>
#include <string.h>

void dfl_carried_bounds(dfl_bounds *value, const dfl_carried_run *run, int program,
                        const dfl_bounds *t, const dfl_bounds *x)
{
    const dfl_bounds *const in[] = {t, x, NULL, NULL, NULL, NULL, NULL, NULL};
    if (!run->tape[program])
        return;
    dfl_tape_enclose_prepare(run->tape[program], run->bounds, run->work[program]);
    dfl_tape_enclose(run->tape[program], run->bounds, in, &value);
}

void dfl_carried_noise(double *noise, const dfl_carried_run *run,
                       const dfl_carried_functions *functions, int slopes, double t,
                       const double *x, const double *tolerance)
{
    double *slope = run->slope;
    memset(noise, 0, (size_t)functions->count * sizeof *noise);
    dfl_carried_evaluate(run, slopes, t, x, NULL, &slope);
    for (int k = 0; k < functions->nslopes; k++) {
        const int column = functions->column[k];
        const double change = column < run->model->n ? fabs(slope[k]) * tolerance[column] : 0;
        noise[functions->row[k]] += isfinite(change) ? change : 0;
    }
}

double dfl_carried_rate(const dfl_carried_run *run, int which, double t, const double *x,
                        const double *rate)
{
    const dfl_carried_functions *functions = &run->model->switches;
    double *slope = run->slope, sum = 0;
    dfl_carried_evaluate(run, DFL_CARRY_SWITCH_SLOPES, t, x, NULL, &slope);
    for (int k = 0; k < functions->nslopes; k++)
        if (functions->row[k] == which)
            sum +=
                slope[k] * (functions->column[k] < run->model->n ? rate[functions->column[k]] : 1);
    return sum;
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
    const dfl_carried_run *run = user;
    dfl_carried_noise(noise, run, &run->model->events, DFL_CARRY_EVENT_SLOPES, t, x, tolerance);
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
    options->user = run;
    dfl_carried_describe_switches(&options->switches, run);
}
