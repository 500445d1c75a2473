/* test_event_ends.c: how a run ends at a terminal event: on_step and the output grid see the
   step that was cut there, in order and without gaps, with every method.

   The pendulum of period 2 passes x = 0 at t = 0.5, 1.5, .... With a tolerance of 1e-3 the
   continuous output finds it some grid points away from where the step that ends there does. */
#include "support.h"

enum { LAMBDA, VX, VY, X, Y, N };

typedef struct watcher {
    double last;      /* time of the last output, ... */
    long outputs;     /* ... and their number */
    long disordered;  /* outputs before the one before, or behind a run that ended */
    double step_end;  /* of the last step, ... */
    int steps, gaps;  /* ... their number, and that of those that begin elsewhere */
    int unreachable;  /* steps whose beginning cannot be interpolated */
    double event;     /* time of the last event */
    int stop_outputs; /* on_output stops every so many calls; 0: never */
} watcher;

static int position(double *value, double t, const double *x, void *user)
{
    (void)t, (void)user;
    value[0] = x[X];
    return 0;
}

static int on_event(int event, int direction, double t, const double *x, void *user)
{
    watcher *w = user;
    (void)event, (void)direction, (void)x;
    w->disordered += w->last > t;
    w->event = t;
    return 0;
}

static int on_output(double t, const double *x, void *user)
{
    watcher *w = user;
    (void)x;
    w->disordered += w->outputs > 0 && (t <= w->last || t < w->event);
    w->last = t;
    w->outputs++;
    return w->stop_outputs > 0 && w->outputs % w->stop_outputs == 0;
}

static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    watcher *w = user;
    double middle[N];
    w->gaps += w->steps > 0 && t_old != w->step_end;
    w->unreachable += dfl_solver_interpolate(middle, solver, t_old, false) != DFL_OK;
    w->unreachable += t_old < t && middle[VY] == x[VY];
    w->step_end = t;
    w->steps++;
    return 0;
}

static const dfl_event_kind terminal = {.terminal = true};

/* Advances until the end, however often it is stopped; returns how often. */
static int go_on(dfl_solver *solver, const dfl_context *ctx, double t_end)
{
    for (int stops = 0; stops < 1000; stops++) {
        const dfl_status status = dfl_solver_advance(solver, t_end);
        if (status == DFL_OK)
            return stops;
        if (status != DFL_STOPPED)
            fail_msg("%s", dfl_message(ctx));
    }
    return 1000;
}

static dfl_statistics watched_run(watcher *w, dfl_solver_options options, double t_end)
{
    problem prob;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    options.events.count = 1;
    options.events.eval = position;
    options.events.on_event = on_event;
    options.events.kinds = &terminal;
    options.user = w;
    assert_true(problem_make(&prob, "pendulum", 0));
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, prob.x0, NULL), DFL_OK);
    assert_true(go_on(solver, ctx, t_end) >= 2);
    const dfl_statistics stats = dfl_solver_statistics(solver);
    assert_int_equal(stats.events, 2);
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    problem_free(&prob);
    return stats;
}

/* 2e-5: less than what separates the two zeros. */
static void the_grid_is_complete_and_in_order_around_terminal_events(void **state)
{
    (void)state;
    for (int method = 0; method < DFL_INTEGRATORS; method++)
        for (int projected = 0; projected <= 1; projected++) {
            watcher w = {0};
            const double every = projected ? 2e-4 : 2e-6;
            watched_run(&w,
                        (dfl_solver_options){.rtol = 1e-3,
                                             .integrator = (dfl_integrator)method,
                                             .output.every = every,
                                             .output.project = projected,
                                             .output.on_output = on_output},
                        2);
            if (w.outputs != lround(2 / every) + 1 || w.disordered > 0)
                fail_msg("%s: %ld outputs, %ld in disorder",
                         dfl_integrator_name((dfl_integrator)method), w.outputs, w.disordered);
        }
}

/* The run may be stopped by an output between the beginning of the step and the event that ends
   it. */
static void outputs_may_stop_the_run_before_a_terminal_event(void **state)
{
    (void)state;
    for (int method = 0; method < DFL_INTEGRATORS; method++) {
        watcher w = {.stop_outputs = 7};
        watched_run(&w,
                    (dfl_solver_options){.rtol = 1e-4,
                                         .integrator = (dfl_integrator)method,
                                         .output.every = 1e-3,
                                         .output.on_output = on_output},
                    2);
        assert_int_equal(w.outputs, 2001);
        assert_int_equal(w.disordered, 0);
    }
}

static void every_accepted_step_is_told_also_the_one_cut_at_an_event(void **state)
{
    (void)state;
    for (int method = 0; method < DFL_INTEGRATORS; method++) {
        watcher w = {0};
        const dfl_statistics stats = watched_run(
            &w,
            (dfl_solver_options){.integrator = (dfl_integrator)method, .output.on_step = on_step},
            2);
        assert_int_equal(w.steps, stats.accepted + 1); /* and one at the start */
        assert_int_equal(w.gaps, 0);
        assert_int_equal(w.unreachable, 0);
        assert_true(w.step_end == 2);
    }
}

static int quarter(double *value, double t, const double *x, void *user)
{
    (void)x, (void)user;
    value[0] = t - 0.25;
    return 0;
}

/* A step that ends at the event as it is begins with its own stages, which are the solution:
   each of the two steps that confirm the zero takes one iteration. */
static void a_fixed_step_that_ends_at_an_event_is_confirmed_by_its_own_stages(void **state)
{
    (void)state;
    problem pendulum;
    assert_true(problem_make(&pendulum, "pendulum", 0));
    dfl_solver_options options = {.step.fixed = 0.0625};
    const run plain = run_problem(&pendulum, 0.25, &options);
    options.events.count = 1;
    options.events.eval = quarter;
    options.events.kinds = &terminal;
    const run cut = run_problem(&pendulum, 1, &options);
    assert_succeeded(&plain);
    assert_failed(&cut, DFL_STOPPED, "event 0");
    assert_true(cut.t == 0.25);
    assert_int_equal(cut.stats.back_substitutions, plain.stats.back_substitutions + 2);
    problem_free(&pendulum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_is_complete_and_in_order_around_terminal_events),
        cmocka_unit_test(outputs_may_stop_the_run_before_a_terminal_event),
        cmocka_unit_test(every_accepted_step_is_told_also_the_one_cut_at_an_event),
        cmocka_unit_test(a_fixed_step_that_ends_at_an_event_is_confirmed_by_its_own_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
