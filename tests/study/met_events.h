/* met_events.h: a script that runs with its events, and what the run has met. */
#ifndef DFL_TESTS_MET_EVENTS_H
#define DFL_TESTS_MET_EVENTS_H

#include "../scripted.h"

enum { MOST_MET = 2000 };

typedef struct met {
    dfl_runnable *run;
    int count, event[MOST_MET];
    double time[MOST_MET];
    int jumps; /* of the state */
} met;

static inline int met_event(int event, int direction, double t, const double *x, void *user)
{
    met *m = user;
    (void)x, (void)direction;
    assert_true(m->count < MOST_MET);
    m->event[m->count] = event;
    m->time[m->count++] = t;
    return 0;
}

static inline int met_jump(double t, const double *x, bool after, void *user)
{
    (void)t, (void)x;
    ((met *)user)->jumps += after;
    return 0;
}

static inline int met_values(double *value, double t, const double *x, void *user)
{
    dfl_runnable_events(value, ((met *)user)->run, t, x);
    return 0;
}

static inline int met_bounds(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                             void *user)
{
    (void)count;
    dfl_runnable_event_bounds(value, ((met *)user)->run, t, x);
    return 0;
}

/* Started at t = 0, with rtol = atol. */
static inline scripted met_begin(met *m, const char *text, double tol)
{
    scripted s = scripted_text(text);
    dfl_solver_options options = {.rtol = tol, .atol = tol, .user = m};
    *m = (met){.run = s.run};
    options.events.count = s.model->count[DFL_AN_EVENT];
    options.events.eval = met_values;
    options.events.enclose = met_bounds;
    options.events.on_event = met_event;
    options.output.on_jump = met_jump;
    scripted_start(&s, &options);
    return s;
}

#endif
