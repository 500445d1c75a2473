/* test_events.c: zeros of functions of the state are located, in order and in the wanted direction.

   The pendulum of period 2 starts horizontally at rest: its lowest points x = 0 are at t =
   0.5, 1.5, 2.5 ..., its turning points at t = 0, 1, 2 .... Events of a function of time alone have
   exact times, whatever the error of the solution. */
#include "support.h"

enum { LAMBDA, VX, VY, X, Y, N };
enum { MOST = 100 };

typedef struct met {
    int event, direction;
    double t, x[N];
} met;

/* What the callbacks of a run saw, and what they are told to do. */
typedef struct recorder {
    met events[MOST];
    int count;
    int stop_at;        /* on_event stops at this call; 0: never */
    double zero[3];     /* times where the functions of time pass zero */
    double slope[3];    /* and how */
    double bad_from;    /* from this time on event 0 is NaN */
    int calls, fail_at; /* the event function fails at this call; 0: never */
    double energy;      /* largest at ends of steps */
    double outputs[MOST];
    int noutputs, stop_output_at;
} recorder;

typedef struct fixture {
    problem prob;
    dfl_context *ctx;
    dfl_solver *solver;
} fixture;

static void begin(fixture *f, const dfl_solver_options *options)
{
    *f = (fixture){0};
    assert_true(problem_make(&f->prob, "pendulum", 0));
    f->ctx = dfl_context_create();
    assert_int_equal(dfl_solver_create(&f->solver, f->ctx, &f->prob.eom, options), DFL_OK);
    assert_int_equal(dfl_solver_start(f->solver, 0, f->prob.x0, NULL), DFL_OK);
}

static void end(fixture *f)
{
    dfl_solver_free(f->solver);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
    problem_free(&f->prob);
}

static int position(double *value, double t, const double *x, void *user)
{
    (void)t, (void)user;
    value[0] = x[X];
    return 0;
}

static int position_twice_and_speed(double *value, double t, const double *x, void *user)
{
    (void)t, (void)user;
    value[0] = x[X];
    value[1] = -x[X];
    value[2] = x[VX];
    return 0;
}

/* Lines through zero[i] at times zero[i]. */
static int times(double *value, double t, const double *x, void *user)
{
    recorder *rec = user;
    (void)x;
    for (int i = 0; i < 3; i++)
        value[i] = rec->slope[i] * (t - rec->zero[i]);
    if (rec->bad_from > 0 && t >= rec->bad_from)
        value[0] = NAN;
    return ++rec->calls == rec->fail_at;
}

static int on_event(int event, int direction, double t, const double *x, void *user)
{
    recorder *rec = user;
    assert_true(rec->count < MOST);
    met *m = &rec->events[rec->count++];
    *m = (met){.event = event, .direction = direction, .t = t};
    memcpy(m->x, x, sizeof m->x);
    return rec->count == rec->stop_at;
}

static int on_output(double t, const double *x, void *user)
{
    recorder *rec = user;
    (void)x;
    assert_true(rec->noutputs < MOST);
    rec->outputs[rec->noutputs++] = t;
    return rec->noutputs == rec->stop_output_at;
}

static dfl_solver_options with_positions(recorder *rec, double rtol)
{
    return (dfl_solver_options){.rtol = rtol,
                                .events.count = 1,
                                .events.eval = position,
                                .events.on_event = on_event,
                                .user = rec};
}

static dfl_solver_options with_times(recorder *rec, int nevents)
{
    return (dfl_solver_options){
        .events.count = nevents, .events.eval = times, .events.on_event = on_event, .user = rec};
}

/* At rtol = 1e-13 the phase is good to some 1e-12 after two periods (speed 5.24 at the lowest
   point), and the interpolant of these short steps is better than that. */
static void every_lowest_point_is_found_at_its_exact_time(void **state)
{
    (void)state;
    recorder rec = {0};
    dfl_solver_options options = with_positions(&rec, 1e-13);
    options.step.max = 1e-3;
    fixture f;
    begin(&f, &options);
    assert_int_equal(dfl_solver_advance(f.solver, 4), DFL_OK);
    assert_int_equal(rec.count, 4);
    for (int k = 0; k < 4; k++) {
        assert_near(rec.events[k].t, 0.5 + k, 2e-12);
        assert_int_equal(rec.events[k].direction, k % 2 ? 1 : -1);
    }
    assert_int_equal(dfl_solver_statistics(f.solver).events, 4);
    end(&f);
}

/* The function is zero at the located time to rounding: the root of the continuous output. */
static void the_event_function_vanishes_at_a_located_event(void **state)
{
    (void)state;
    recorder rec = {0};
    const dfl_solver_options options = with_positions(&rec, 1e-6);
    fixture f;
    begin(&f, &options);
    assert_int_equal(dfl_solver_advance(f.solver, 10), DFL_OK);
    assert_int_equal(rec.count, 10);
    for (int k = 0; k < 10; k++) {
        assert_near(rec.events[k].x[X], 0, 1e-13);   /* speed 5.24 times 4 ulp of t < 16 */
        assert_near(rec.events[k].t, 0.5 + k, 1e-5); /* ten times the tolerance */
    }
    end(&f);
}

static void a_direction_selects_rising_or_falling_zeros(void **state)
{
    (void)state;
    for (int direction = -1; direction <= 1; direction += 2) {
        recorder rec = {0};
        const dfl_event_kind kind = {.direction = direction};
        dfl_solver_options options = with_positions(&rec, 1e-8);
        options.events.kinds = &kind;
        fixture f;
        begin(&f, &options);
        assert_int_equal(dfl_solver_advance(f.solver, 6), DFL_OK);
        assert_int_equal(rec.count, 3);
        for (int k = 0; k < 3; k++) {
            assert_near(rec.events[k].t, 2 * k + (direction > 0 ? 1.5 : 0.5), 1e-7);
            assert_int_equal(rec.events[k].direction, direction);
        }
        end(&f);
    }
}

/* With tolerances that differ a little: how many steps are taken again for the time is up to
   rounding. */
static void a_terminal_event_leaves_a_consistent_state_at_its_time(void **state)
{
    (void)state;
    const dfl_event_kind kind = {.terminal = true};
    for (int k = 0; k < 8; k++) {
        recorder rec = {0};
        dfl_solver_options options = with_positions(&rec, 1e-8 * (1 + 1e-4 * k));
        options.events.kinds = &kind;
        fixture f;
        begin(&f, &options);
        assert_int_equal(dfl_solver_advance(f.solver, 4), DFL_STOPPED);
        assert_non_null(strstr(dfl_message(f.ctx), "event 0"));
        const double *x = dfl_solver_state(f.solver);
        assert_near(dfl_solver_time(f.solver), 0.5, 1e-7);
        assert_true(dfl_solver_time(f.solver) == rec.events[0].t);
        assert_near(x[X] * x[X] + x[Y] * x[Y] - 1, 0, 1e-15);
        assert_near(x[X] * x[VX] + x[Y] * x[VY], 0, 1e-14);
        assert_near(x[LAMBDA], 0.5 * (x[VX] * x[VX] + x[VY] * x[VY] - 13.750371636040746 * x[Y]),
                    1e-13);
        end(&f);
    }
}

static double energy(const double *x)
{
    return 0.5 * (x[VX] * x[VX] + x[VY] * x[VY]) + 13.750371636040746 * x[Y];
}

/* The largest change of the energy, which was 0, at ends of steps. */
static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    recorder *rec = user;
    (void)solver, (void)t_old, (void)t;
    rec->energy = fmax(rec->energy, fabs(energy(x)));
    return 0;
}

/* The continuous output of radau is of lower order: with it the energy would be wrong by 50 to
   1000 times what it is at ends of steps. */
static void a_terminal_event_is_as_accurate_as_a_step(void **state)
{
    (void)state;
    const dfl_event_kind kind = {.terminal = true};
    const int orders[] = {5, 9, 13, 0};
    for (int k = 0; k < 8; k++) {
        recorder rec = {0};
        dfl_solver_options options = with_positions(&rec, k < 4 ? 1e-6 : 1e-9);
        options.order = orders[k % 4];
        options.events.kinds = &kind;
        options.output.on_step = on_step;
        fixture f;
        begin(&f, &options);
        for (int n = 1; n <= 3; n++) {
            assert_int_equal(dfl_solver_advance(f.solver, 6), DFL_STOPPED);
            const double *x = dfl_solver_state(f.solver), t = dfl_solver_time(f.solver);
            assert_near(x[X], 0, 1e-12);
            assert_near(t, n - 0.5, 10 * options.rtol);
            assert_true(t == rec.events[n - 1].t && rec.events[n - 1].x[VX] == x[VX]);
            assert_true(fabs(energy(x)) <= 5 * rec.energy);
        }
        end(&f);
    }
}

/* The pendulum whose evaluation asks once for a smaller step. */
typedef struct reluctant {
    dfl_eom eom;
    long calls, refuse_at;
} reluctant;

static int evaluate_reluctantly(dfl_blocks *out, double t, const double *x, unsigned need,
                                void *user)
{
    reluctant *r = user;
    return ++r->calls == r->refuse_at ? 1 : r->eom.eval(out, t, x, need, r->eom.user);
}

/* The lowest point at t = 0.5 ends the run, also where the step that would end there cannot be
   taken and the continuous output has to do. */
static void a_terminal_event_is_met_whichever_evaluation_is_refused(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    reluctant r = {.eom = prob.eom};
    dfl_eom eom = prob.eom;
    eom.eval = evaluate_reluctantly;
    eom.user = &r;
    const dfl_event_kind kind = {.terminal = true};
    recorder rec = {0};
    dfl_solver_options options = with_positions(&rec, 1e-7);
    options.events.kinds = &kind;
    options.events.on_event = NULL;
    long total = 1;
    for (long k = 0; k <= total; k++) {
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        r.calls = 0;
        r.refuse_at = k;
        assert_int_equal(dfl_solver_create(&solver, ctx, &eom, &options), DFL_OK);
        if (!dfl_solver_start(solver, 0, prob.x0, NULL)) {
            assert_int_equal(dfl_solver_advance(solver, 2), DFL_STOPPED);
            assert_near(dfl_solver_time(solver), 0.5, 1e-5);
            assert_near(dfl_solver_state(solver)[X], 0, 1e-6);
        }
        total = k == 0 ? r.calls : total;
        dfl_solver_free(solver);
        assert_int_equal(dfl_context_live(ctx), 0);
        dfl_context_free(ctx);
    }
    problem_free(&prob);
}

static void a_run_continues_from_a_terminal_event_without_meeting_it_again(void **state)
{
    (void)state;
    recorder rec = {0};
    const dfl_event_kind kind = {.terminal = true};
    dfl_solver_options options = with_positions(&rec, 1e-8);
    options.events.kinds = &kind;
    fixture f;
    begin(&f, &options);
    for (int k = 0; k < 6; k++) {
        assert_int_equal(dfl_solver_advance(f.solver, 6), DFL_STOPPED);
        assert_int_equal(rec.count, k + 1);
        assert_near(dfl_solver_time(f.solver), 0.5 + k, 1e-6);
    }
    assert_int_equal(dfl_solver_advance(f.solver, 6), DFL_OK);
    assert_int_equal(rec.count, 6);
    assert_near(dfl_solver_state(f.solver)[X], 1, 1e-6);
    end(&f);
}

/* Stopped at 1.5, back over 0.5: the event at 1.5 itself does not count. */
static void turning_back_at_a_terminal_event_does_not_meet_it_again(void **state)
{
    (void)state;
    recorder rec = {0};
    const dfl_event_kind kind = {.direction = 1, .terminal = true};
    dfl_solver_options options = with_positions(&rec, 1e-9);
    options.events.kinds = &kind;
    fixture f;
    begin(&f, &options);
    assert_int_equal(dfl_solver_advance(f.solver, 4), DFL_STOPPED);
    assert_near(dfl_solver_time(f.solver), 1.5, 1e-7);
    /* backwards x rises at 0.5: from below zero at 1 to above zero at 0 */
    assert_int_equal(dfl_solver_advance(f.solver, 0), DFL_STOPPED);
    assert_near(dfl_solver_time(f.solver), 0.5, 1e-7);
    assert_int_equal(dfl_solver_advance(f.solver, 0), DFL_OK);
    assert_int_equal(rec.count, 2);
    end(&f);
}

static void events_are_found_backwards_in_time(void **state)
{
    (void)state;
    recorder rec = {0};
    const dfl_solver_options options = with_positions(&rec, 1e-9);
    fixture f;
    begin(&f, &options);
    assert_int_equal(dfl_solver_advance(f.solver, -3), DFL_OK);
    assert_int_equal(rec.count, 3);
    for (int k = 0; k < 3; k++)
        assert_near(rec.events[k].t, -0.5 - k, 1e-7);
    assert_int_equal(rec.events[0].direction, -1); /* x falls on the way, as forwards */
    end(&f);
}

/* The step is limited only by the end: all three zeros lie in one or two steps. */
static void several_events_of_one_step_come_in_their_order(void **state)
{
    (void)state;
    recorder rec = {.zero = {0.0131, 0.0111, 0.0121}, .slope = {1, -1, 1}};
    dfl_solver_options options = with_times(&rec, 3);
    options.step.first = 0.02;
    fixture f;
    begin(&f, &options);
    assert_int_equal(dfl_solver_advance(f.solver, 0.02), DFL_OK);
    assert_int_equal(rec.count, 3);
    const int order[] = {1, 2, 0};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(rec.events[k].event, order[k]);
        assert_int_equal(rec.events[k].direction, rec.slope[order[k]] > 0 ? 1 : -1);
        assert_near(rec.events[k].t, rec.zero[order[k]], 1e-16);
    }
    assert_true(dfl_solver_statistics(f.solver).accepted <= 2);
    end(&f);
}

static void functions_that_vanish_together_are_all_reported(void **state)
{
    (void)state;
    recorder rec = {0};
    dfl_solver_options options = with_positions(&rec, 1e-8);
    options.events.count = 3;
    options.events.eval = position_twice_and_speed;
    fixture f;
    begin(&f, &options);
    assert_int_equal(dfl_solver_advance(f.solver, 0.75), DFL_OK);
    assert_int_equal(rec.count, 2);
    assert_true(rec.events[0].t == rec.events[1].t);
    assert_int_equal(rec.events[0].event, 0);
    assert_int_equal(rec.events[0].direction, -1);
    assert_int_equal(rec.events[1].event, 1);
    assert_int_equal(rec.events[1].direction, 1);
    end(&f);
}

static void a_zero_at_the_start_is_not_an_event(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        recorder rec = {.zero = {0, 5, 5}, .slope = {sign, 1, 1}};
        const dfl_solver_options options = with_times(&rec, 3);
        fixture f;
        begin(&f, &options);
        assert_int_equal(dfl_solver_advance(f.solver, 0.5), DFL_OK);
        assert_int_equal(rec.count, 0);
        end(&f);
    }
}

/* Rising and falling, the zero exactly at the end of a step; the next advance must not repeat it.
 */
static void a_zero_at_the_end_of_an_advance_is_an_event_once(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        recorder rec = {.zero = {0.25, 5, 5}, .slope = {sign, 1, 1}};
        const dfl_solver_options options = with_times(&rec, 3);
        fixture f;
        begin(&f, &options);
        assert_int_equal(dfl_solver_advance(f.solver, 0.25), DFL_OK);
        assert_int_equal(rec.count, 1);
        assert_true(rec.events[0].t == 0.25);
        assert_int_equal(rec.events[0].direction, sign);
        assert_int_equal(dfl_solver_advance(f.solver, 0.5), DFL_OK);
        assert_int_equal(rec.count, 1);
        end(&f);
    }
}

static void on_event_may_stop_at_an_event_that_is_not_terminal(void **state)
{
    (void)state;
    recorder rec = {.stop_at = 2};
    const dfl_solver_options options = with_positions(&rec, 1e-9);
    fixture f;
    begin(&f, &options);
    assert_int_equal(dfl_solver_advance(f.solver, 4), DFL_STOPPED);
    assert_true(dfl_solver_time(f.solver) == rec.events[1].t);
    assert_near(dfl_solver_time(f.solver), 1.5, 1e-7);
    assert_int_equal(dfl_solver_advance(f.solver, 4), DFL_OK);
    assert_int_equal(rec.count, 4);
    end(&f);
}

/* Outputs every 1e-3 and three events within one step; the output callback stops between them. */
static void a_stop_by_the_output_loses_neither_events_nor_outputs(void **state)
{
    (void)state;
    for (int stop = 2; stop <= 21; stop++) {
        recorder rec = {
            .zero = {0.0135, 0.0115, 0.02}, .slope = {1, -1, 1}, .stop_output_at = stop};
        dfl_solver_options options = with_times(&rec, 3);
        options.step.first = 0.02;
        options.output.every = 1e-3;
        options.output.on_output = on_output;
        fixture f;
        begin(&f, &options);
        assert_int_equal(dfl_solver_advance(f.solver, 0.02), DFL_STOPPED);
        assert_int_equal(dfl_solver_advance(f.solver, 0.03), DFL_OK);
        assert_int_equal(rec.count, 3);
        assert_int_equal(rec.events[0].event, 1);
        assert_int_equal(rec.events[1].event, 0);
        assert_int_equal(rec.events[2].event, 2);
        assert_int_equal(rec.noutputs, 31);
        for (int k = 0; k <= 30; k++)
            assert_near(rec.outputs[k], 1e-3 * k, 1e-15);
        end(&f);
    }
}

static void an_event_function_that_is_not_finite_is_named(void **state)
{
    (void)state;
    recorder rec = {.zero = {9, 9, 9}, .slope = {1, 1, 1}, .bad_from = 0.3};
    const dfl_solver_options options = with_times(&rec, 3);
    fixture f;
    begin(&f, &options);
    assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_NOT_FINITE);
    assert_non_null(strstr(dfl_message(f.ctx), "event 0 is"));
    assert_between(dfl_solver_time(f.solver), 0.2, 1);
    rec.bad_from = 0;
    rec.zero[1] = 1.5;
    assert_int_equal(dfl_solver_advance(f.solver, 2), DFL_OK);
    assert_int_equal(rec.count, 1);
    assert_near(rec.events[0].t, 1.5, 1e-15);
    end(&f);
}

static void an_event_function_that_is_not_finite_at_the_start_fails_the_start(void **state)
{
    (void)state;
    recorder rec = {.zero = {NAN, 9, 9}, .slope = {1, 1, 1}};
    const dfl_solver_options options = with_times(&rec, 3);
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    const run r = run_problem(&prob, 1, &options);
    assert_failed(&r, DFL_NOT_FINITE, "event 0");
    problem_free(&prob);
}

/* Whichever call fails, the run can go on from the last accepted step; no event is invented. */
static void a_failing_event_function_stops_with_a_message_and_the_run_can_go_on(void **state)
{
    (void)state;
    for (int k = 2; k < 60; k++) {
        recorder rec = {.zero = {0.3, 0.6, 0.9}, .slope = {1, -1, 1}, .fail_at = k};
        const dfl_solver_options options = with_times(&rec, 3);
        fixture f;
        begin(&f, &options);
        assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_CALLBACK);
        assert_non_null(strstr(dfl_message(f.ctx), "event"));
        assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_OK);
        assert_true(rec.count <= 3);
        for (int i = 0; i < rec.count; i++)
            assert_near(rec.events[i].t, rec.zero[rec.events[i].event], 1e-15);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lowest_point_is_found_at_its_exact_time),
        cmocka_unit_test(the_event_function_vanishes_at_a_located_event),
        cmocka_unit_test(a_direction_selects_rising_or_falling_zeros),
        cmocka_unit_test(a_terminal_event_leaves_a_consistent_state_at_its_time),
        cmocka_unit_test(a_terminal_event_is_as_accurate_as_a_step),
        cmocka_unit_test(a_terminal_event_is_met_whichever_evaluation_is_refused),
        cmocka_unit_test(a_run_continues_from_a_terminal_event_without_meeting_it_again),
        cmocka_unit_test(turning_back_at_a_terminal_event_does_not_meet_it_again),
        cmocka_unit_test(events_are_found_backwards_in_time),
        cmocka_unit_test(several_events_of_one_step_come_in_their_order),
        cmocka_unit_test(functions_that_vanish_together_are_all_reported),
        cmocka_unit_test(a_zero_at_the_start_is_not_an_event),
        cmocka_unit_test(a_zero_at_the_end_of_an_advance_is_an_event_once),
        cmocka_unit_test(on_event_may_stop_at_an_event_that_is_not_terminal),
        cmocka_unit_test(a_stop_by_the_output_loses_neither_events_nor_outputs),
        cmocka_unit_test(an_event_function_that_is_not_finite_is_named),
        cmocka_unit_test(an_event_function_that_is_not_finite_at_the_start_fails_the_start),
        cmocka_unit_test(a_failing_event_function_stops_with_a_message_and_the_run_can_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
