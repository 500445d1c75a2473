/* running.h: runs of driftless/model.h in tests. */
#ifndef DFL_TESTS_RUNNING_H
#define DFL_TESTS_RUNNING_H

#include <driftless/model.h>

#include "../support.h"

#include <stdlib.h>

static const char *const cart = "local u = input('u', 0) local m = param('m', 2, 'kg')\n"
                                "local x = position('x') unit(x, 'm') mass(x, m) force(x, u)\n"
                                "event('half', x - 0.5)\n"
                                "output('twice', 2*x)\n"
                                "initial{ x = 0, ['der(x)'] = 0 }\n"
                                "simulate{ to = 4, rtol = 1e-9 }\n";

static const char *const pendulum =
    "local L = param('L', 1)\n"
    "local x, y = position('x', 'y') mass(x, 1) mass(y, 1) force(y, -9.81)\n"
    "constraint('rod', x^2 + y^2 - L^2)\n"
    "output('energy', energy() + 9.81*y)\n"
    "initial{ x = 0.9, ['der(x)'] = 0 } guess{ y = -0.5 }\n"
    "simulate{ to = 3, rtol = 1e-8 }\n";

static const char *const bouncing =
    "local y, x = position('y', 'x') mass(y, 1) mass(x, 1) force(y, -9.81)\n"
    "local n = discrete('n', 0)\n"
    "unilateral('floor', y, { restitution = 0.7 })\n"
    "force(x, -0.3*sign(velocity(x)) + select(x - 1, -2, 1) + n)\n"
    "sample('tick', { period = 0.13, set = { [n] = 0.2 - n } })\n"
    "initial{ y = 1, x = 0, ['der(y)'] = 0, ['der(x)'] = 0.4 }\n";

typedef struct fixture {
    dfl_context *ctx;
    dfl_model *model;
    dfl_run *run;
} fixture;

static inline void expect(const fixture *f, dfl_status status)
{
    if (status)
        fail_msg("%s: %s", dfl_status_name(status), dfl_message(f->ctx));
}

static inline fixture created(const char *text, const dfl_run_options *options)
{
    fixture f = {.ctx = dfl_context_create()};
    assert_non_null(f.ctx);
    expect(&f, dfl_model_load_text(&f.model, f.ctx, "test.lua", text, strlen(text), NULL));
    expect(&f, dfl_run_create(&f.run, f.ctx, f.model, options));
    return f;
}

static inline fixture started(const char *text, const dfl_run_options *options)
{
    fixture f = created(text, options);
    expect(&f, dfl_run_start(f.run));
    return f;
}

static inline void finished(fixture *f)
{
    dfl_run_free(f->run);
    dfl_model_free(f->model);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
}

static inline double value(const fixture *f, const char *name)
{
    const int number = dfl_run_find(f->run, name);
    assert_true(number >= 0);
    return dfl_run_get(f->run, number);
}

static inline void set(const fixture *f, const char *name, double to)
{
    expect(f, dfl_run_set(f->run, dfl_run_find(f->run, name), to));
}

#endif
