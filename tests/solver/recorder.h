/* recorder.h: a problem in progress, and what its callbacks saw. Exact values are those of the
   pendulum of period 2 (problems/pendulum.c). */
#ifndef DFL_TESTS_RECORDER_H
#define DFL_TESTS_RECORDER_H

#include "support.h"

#include <stdlib.h>

enum { MOST = 2000 };

/* What the callbacks saw, and when they are to stop. */
typedef struct recorder {
    double t[MOST], x[MOST][RUN_MOST];
    int n, count, stop_at; /* unknowns; outputs; stop at this output, 0: never */
    int steps, stop_step;
    double last_old, last;
    /* for projected states */
    const dfl_eom *eom;
    double residual;
} recorder;

typedef struct fixture {
    problem prob;
    dfl_context *ctx;
    dfl_solver *solver;
    recorder *rec;
    int n;
} fixture;

static inline void begin(fixture *f, const char *name, dfl_solver_options options)
{
    *f = (fixture){.rec = calloc(1, sizeof(recorder))};
    assert_non_null(f->rec);
    assert_true(problem_make(&f->prob, name, 0));
    f->n = f->rec->n = dfl_eom_unknowns(&f->prob.eom);
    f->rec->eom = &f->prob.eom;
    f->ctx = dfl_context_create();
    options.user = f->rec;
    assert_int_equal(dfl_solver_create(&f->solver, f->ctx, &f->prob.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(f->solver, f->prob.t0, f->prob.x0, NULL), DFL_OK);
}

static inline void end(fixture *f)
{
    dfl_solver_free(f->solver);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
    problem_free(&f->prob);
    free(f->rec);
}

static inline int on_output(double t, const double *x, void *user)
{
    recorder *rec = user;
    assert_true(rec->count < MOST);
    rec->t[rec->count] = t;
    memcpy(rec->x[rec->count], x, (size_t)rec->n * sizeof *x);
    return ++rec->count == rec->stop_at;
}

static inline int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    recorder *rec = user;
    assert_true(t == dfl_solver_time(solver));
    assert_true(x == dfl_solver_state(solver));
    if (rec->steps > 0)
        assert_true(t_old == rec->last);
    rec->last_old = t_old;
    rec->last = t;
    return rec->steps++ == rec->stop_step && rec->stop_step > 0;
}

#endif
