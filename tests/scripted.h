/* scripted.h: a model script as the tests use it: loaded, derived, made runnable, integrated. */
#ifndef DFL_TESTS_SCRIPTED_H
#define DFL_TESTS_SCRIPTED_H

#include "support.h"

#include "script/script.h"
#include "study/study.h"

#include <stdlib.h>

/* A script with everything that is made of it. */
typedef struct scripted {
    dfl_context *ctx;
    dfl_model *model;
    dfl_equations *eq;
    dfl_runnable *run;
    dfl_solver *solver;
    double *x;   /* n: the state after the start and after every advance */
    bool chosen; /* of dfl_study_start */
} scripted;

/* What a failed stage says. */
static inline void scripted_expect(const scripted *s, dfl_status status)
{
    if (status)
        fail_msg("%s: %s", dfl_status_name(status), dfl_message(s->ctx));
}

/* Derives a loaded model and makes it runnable. */
static inline dfl_status scripted_prepare(scripted *s)
{
    dfl_status status = dfl_equations_create(&s->eq, s->model, true);
    if (!status)
        status = dfl_runnable_create(&s->run, s->eq);
    if (!status) {
        s->x = dfl_alloc(s->ctx, (size_t)s->eq->n, sizeof *s->x);
        status = s->x ? DFL_OK : DFL_NO_MEMORY;
    }
    return status;
}

/* A text as far as it gets: *status is that of loading, deriving or preparing. */
static inline scripted scripted_try(dfl_status *status, const char *text)
{
    scripted s = {.ctx = dfl_context_create()};
    assert_non_null(s.ctx);
    *status = dfl_script_load_text(&s.model, s.ctx, "test.lua", text, strlen(text), NULL);
    if (!*status)
        *status = scripted_prepare(&s);
    return s;
}

static inline scripted scripted_text(const char *text)
{
    dfl_status status;
    scripted s = scripted_try(&status, text);
    scripted_expect(&s, status);
    return s;
}

/* Forces that jump with a speed may hold it, as in a run of the program. */
static inline scripted scripted_sliding(const char *text)
{
    scripted s = {.ctx = dfl_context_create()};
    assert_non_null(s.ctx);
    scripted_expect(&s,
                    dfl_script_load_text(&s.model, s.ctx, "test.lua", text, strlen(text), NULL));
    scripted_expect(&s, dfl_model_slide(s.model));
    scripted_expect(&s, scripted_prepare(&s));
    return s;
}

/* The text is refused with a message that contains `message`. */
static inline void scripted_refused(const char *text, const char *message)
{
    dfl_status status;
    scripted s = scripted_try(&status, text);
    assert_int_equal(status, DFL_INVALID);
    if (!strstr(dfl_message(s.ctx), message))
        fail_msg("'%s' does not contain '%s'", dfl_message(s.ctx), message);
    dfl_runnable_free(s.run);
    dfl_equations_free(s.eq);
    dfl_model_free(s.model);
    assert_int_equal(dfl_context_live(s.ctx), 0);
    dfl_context_free(s.ctx);
}

/* Creates a solver and completes the initial values; `options` as for dfl_solver_create. */
static inline dfl_status scripted_try_start(scripted *s, const dfl_solver_options *options)
{
    dfl_solver_options locked = options ? *options : (dfl_solver_options){0};
    dfl_solver_free(s->solver);
    s->solver = NULL;
    dfl_runnable_lock(&locked.switches, s->run, NULL);
    dfl_runnable_pulses(&locked.pulses, s->run);
    dfl_status status = dfl_solver_create(&s->solver, s->ctx, dfl_runnable_eom(s->run), &locked);
    if (!status)
        status = dfl_study_start(s->x, &s->chosen, s->run, s->solver, options, 0.0);
    return status;
}

static inline void scripted_start(scripted *s, const dfl_solver_options *options)
{
    scripted_expect(s, scripted_try_start(s, options));
}

static inline void scripted_advance(scripted *s, double t_end)
{
    scripted_expect(s, dfl_solver_advance(s->solver, t_end));
    memcpy(s->x, dfl_solver_state(s->solver), (size_t)s->eq->n * sizeof *s->x);
}

/* Start and advance with one tolerance for everything. */
static inline void scripted_run(scripted *s, double t_end, double tol)
{
    scripted_start(s, &(dfl_solver_options){.rtol = tol});
    scripted_advance(s, t_end);
}

/* The present value of a variable. */
static inline double scripted_value(const scripted *s, const char *name)
{
    const int place = dfl_equations_find(s->eq, name);
    if (place < 0)
        fail_msg("there is no variable %s", name);
    return s->x[place];
}

/* The present value of an output. */
static inline double scripted_output(const scripted *s, const char *name)
{
    double values[20];
    const dfl_declaration *decl = dfl_model_find(s->model, name);
    assert_true(decl && decl->kind == DFL_AN_OUTPUT && s->model->count[DFL_AN_OUTPUT] <= 20);
    dfl_runnable_outputs(values, s->run, s->solver ? dfl_solver_time(s->solver) : 0.0, s->x);
    return values[decl->index];
}

/* Another initial value (held) or guess than the script's, before the start. */
static inline void scripted_give(scripted *s, const char *name, double value, bool held)
{
    scripted_expect(
        s, dfl_model_start(s->model, 0, dfl_model_variable_named(s->model, name), value, held));
}

/* Frees everything; nothing stays allocated. */
static inline void scripted_free(scripted *s)
{
    dfl_solver_free(s->solver);
    dfl_free(s->ctx, s->x);
    dfl_runnable_free(s->run);
    dfl_equations_free(s->eq);
    dfl_model_free(s->model);
    assert_int_equal(dfl_context_live(s->ctx), 0);
    dfl_context_free(s->ctx);
    *s = (scripted){0};
}

#endif
