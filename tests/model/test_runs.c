/* Scripts as a library: driftless/model.h. */
#include <driftless/model.h>

#include "running.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void values_have_names_kinds_and_units(void **state)
{
    (void)state;
    static const dfl_value_info known[] = {{"x", "m", DFL_VALUE_POSITION},
                                           {"der(x)", "m/s", DFL_VALUE_VELOCITY},
                                           {"twice", "", DFL_VALUE_OUTPUT},
                                           {"u", "", DFL_VALUE_INPUT},
                                           {"m", "kg", DFL_VALUE_PARAM}};
    fixture f = created(cart, NULL);
    assert_int_equal(dfl_run_values(f.run), 5);
    for (int i = 0; i < 5; i++) {
        const dfl_value_info info = dfl_run_value(f.run, i);
        assert_string_equal(info.name, known[i].name);
        assert_string_equal(info.unit, known[i].unit);
        assert_int_equal(info.kind, known[i].kind);
        assert_int_equal(dfl_run_find(f.run, info.name), i);
    }
    assert_int_equal(dfl_run_find(f.run, "nothing"), -1);
    assert_true(isnan(value(&f, "x")));
    assert_near(value(&f, "m"), 2, 0);
    finished(&f);
}

/* x'' = u/m with inputs and masses that change. */
static void inputs_and_parameters_change_between_advances(void **state)
{
    (void)state;
    fixture f = started(cart, NULL);
    expect(&f, dfl_run_advance(f.run, 1));
    assert_near(value(&f, "x"), 0, 1e-12);
    set(&f, "u", 2);
    expect(&f, dfl_run_advance(f.run, 2));
    assert_near(value(&f, "x"), 0.5, 1e-9);
    set(&f, "m", 1);
    set(&f, "u", -3);
    expect(&f, dfl_run_advance(f.run, 3));
    assert_near(value(&f, "der(x)"), 1 - 3, 1e-9);
    assert_near(value(&f, "twice"), 2 * (0.5 + 1 - 1.5), 1e-9);
    assert_near(value(&f, "u"), -3, 0);
    assert_near(dfl_run_time(f.run), 3, 0);
    finished(&f);
}

/* A rod that becomes longer: the state moves onto it, and stays. */
static void states_follow_lengths(void **state)
{
    (void)state;
    fixture f = started(pendulum, NULL);
    expect(&f, dfl_run_advance(f.run, 0.7));
    set(&f, "L", 1.1);
    const double x = value(&f, "x"), y = value(&f, "y");
    assert_near(x * x + y * y, 1.21, 1e-12);
    assert_true(dfl_run_residuals(f.run).position < 1e-12);
    assert_true(dfl_run_residuals(f.run).velocity < 1e-12);
    const double energy = value(&f, "energy");
    expect(&f, dfl_run_advance(f.run, 3));
    assert_near(value(&f, "energy"), energy, 1e-6);
    finished(&f);
}

/* The force that a branch decides jumps with the input; so does the multiplier. */
static void branches_follow_inputs(void **state)
{
    (void)state;
    fixture f = started("local u = input('u', 1) local x = position('x') mass(x, 1)\n"
                        "force(x, select(u - x - 2, 1, 0)) initial{ x = 0, ['der(x)'] = 0 }\n",
                        NULL);
    expect(&f, dfl_run_advance(f.run, 1));
    assert_near(value(&f, "x"), 0, 1e-14);
    set(&f, "u", 4);
    expect(&f, dfl_run_advance(f.run, 2));
    assert_near(value(&f, "x"), 0.5, 1e-7);
    set(&f, "u", 0);
    expect(&f, dfl_run_advance(f.run, 3));
    assert_near(value(&f, "x"), 1.5, 1e-7);
    finished(&f);
}

typedef struct seen {
    int steps, events, stop_after;
    double event_time;
} seen;

static int see_step(double t, double step, void *user)
{
    seen *s = user;
    (void)t, (void)step;
    return ++s->steps == s->stop_after;
}

static int see_event(int event, int direction, double t, void *user)
{
    seen *s = user;
    assert_int_equal(event, 0);
    assert_int_equal(direction, 1);
    s->event_time = t;
    s->events++;
    return 0;
}

static void callbacks_see_steps_and_events(void **state)
{
    (void)state;
    seen s = {0};
    const dfl_run_options options = {.on_step = see_step, .on_event = see_event, .user = &s};
    fixture f = started(cart, &options);
    set(&f, "u", 2);
    expect(&f, dfl_run_advance(f.run, 2));
    assert_int_equal(s.events, 1);
    assert_near(s.event_time, 1, 1e-8);
    assert_true(s.steps > 0);
    s.stop_after = s.steps + 1;
    assert_int_equal(dfl_run_advance(f.run, 3), DFL_STOPPED);
    expect(&f, dfl_run_advance(f.run, 3));
    assert_near(value(&f, "x"), 4.5, 1e-8);
    dfl_run_cancel(f.run);
    assert_int_equal(dfl_run_advance(f.run, 4), DFL_STOPPED);
    finished(&f);
}

/* A callback that wants to move its own run. */
typedef struct meddler {
    dfl_run *run;
    char bytes[20000];
    int calls;
} meddler;

static int meddle(double t, double step, void *user)
{
    meddler *m = user;
    (void)t, (void)step;
    m->calls++;
    assert_true(dfl_run_saved_size(m->run) <= sizeof m->bytes);
    assert_int_equal(dfl_run_advance(m->run, 9), DFL_INVALID);
    assert_int_equal(dfl_run_step(m->run), DFL_INVALID);
    assert_int_equal(dfl_run_save(m->bytes, m->run), DFL_INVALID);
    assert_int_equal(dfl_run_restore(m->run, m->bytes, sizeof m->bytes), DFL_INVALID);
    assert_int_equal(dfl_run_finish(m->run), DFL_INVALID);
    return 0;
}

static void callbacks_do_not_move_their_run(void **state)
{
    (void)state;
    meddler m = {0};
    const dfl_run_options options = {.on_step = meddle, .user = &m};
    fixture f = created(pendulum, &options);
    m.run = f.run;
    expect(&f, dfl_run_start(f.run));
    expect(&f, dfl_run_advance(f.run, 0.5));
    assert_true(m.calls > 0);
    assert_near(dfl_run_time(f.run), 0.5, 0);
    finished(&f);
}

/* Step by step the same states as at once; between them the continuous output. */
static void single_steps_are_those_of_a_run(void **state)
{
    (void)state;
    fixture f = started(pendulum, NULL);
    fixture whole = started(pendulum, NULL);
    double x[8], t_old = 0;
    while (dfl_run_time(f.run) < 3) {
        expect(&f, dfl_run_step(f.run));
        const double t = 0.5 * (t_old + dfl_run_time(f.run));
        expect(&f, dfl_run_interpolate(x, f.run, t, true));
        assert_near(x[0] * x[0] + x[1] * x[1], 1, 1e-12);
        t_old = dfl_run_time(f.run);
    }
    expect(&whole, dfl_run_finish(whole.run));
    assert_near(dfl_run_time(f.run), 3, 0);
    assert_true(value(&f, "x") == value(&whole, "x"));
    assert_true(value(&f, "der(y)") == value(&whole, "der(y)"));
    assert_int_equal(dfl_run_statistics(f.run).accepted, dfl_run_statistics(whole.run).accepted);
    finished(&f);
    finished(&whole);
}

/* Rows are due between the steps: these end there, and nothing goes back in time afterwards. */
static void steps_end_at_rows(void **state)
{
    (void)state;
    static const char *const settings[] = {"to=2", "every=0.05"};
    const dfl_run_options options = {.nsettings = 2, .settings = settings};
    fixture f = started(bouncing, &options), whole = started(bouncing, &options);
    double before = 0;
    for (int k = 0; k < 25; k++, before = dfl_run_time(f.run)) {
        expect(&f, dfl_run_step(f.run));
        assert_true(dfl_run_time(f.run) >= before);
        assert_true(floor(dfl_run_time(f.run) / 0.05 + 1e-9) - floor(before / 0.05 + 1e-9) <= 1);
    }
    expect(&f, dfl_run_advance(f.run, 2));
    expect(&whole, dfl_run_advance(whole.run, 2));
    assert_near(dfl_run_time(f.run), 2, 0);
    assert_int_equal(dfl_run_statistics(f.run).crossings, dfl_run_statistics(whole.run).crossings);
    for (int i = 0; i < dfl_run_values(f.run); i++)
        assert_near(dfl_run_get(f.run, i), dfl_run_get(whole.run, i), 1e-4);
    finished(&f);
    finished(&whole);
}

/* Stopped after every step, also where switches, samples and impacts are due: they happen when the
   run goes on, once. */
static void what_is_due_happens_when_a_run_goes_on(void **state)
{
    (void)state;
    static const char *const methods[] = {"method=radau", "method=bdf", "method=trapezoidal"};
    for (int k = 0; k < 3; k++) {
        const char *const settings[] = {methods[k], "to=2"};
        const dfl_run_options options = {.nsettings = 2, .settings = settings};
        fixture f = started(bouncing, &options), whole = started(bouncing, &options);
        double before = 0;
        for (; dfl_run_time(f.run) < 2; before = dfl_run_time(f.run)) {
            expect(&f, dfl_run_step(f.run));
            assert_true(dfl_run_time(f.run) >= before);
        }
        expect(&whole, dfl_run_advance(whole.run, 2));
        assert_int_equal(dfl_run_statistics(f.run).crossings,
                         dfl_run_statistics(whole.run).crossings);
        for (int i = 0; i < dfl_run_values(f.run); i++)
            assert_near(dfl_run_get(f.run, i), dfl_run_get(whole.run, i), 1e-4);
        finished(&f);
        finished(&whole);
    }
}

/* Forward to where the next switch is known already, and back to the start. */
static void runs_turn_back_between_switches(void **state)
{
    (void)state;
    fixture f = started("local x = position('x') mass(x, 1) force(x, select(time - 1, 2, 0))\n"
                        "initial{ x = 0, ['der(x)'] = 1 }\n",
                        NULL);
    expect(&f, dfl_run_advance(f.run, 0.9));
    expect(&f, dfl_run_advance(f.run, 0.1));
    assert_near(value(&f, "x"), 0.1, 1e-9);
    expect(&f, dfl_run_advance(f.run, 2));
    assert_near(value(&f, "x"), 3, 1e-6);
    expect(&f, dfl_run_advance(f.run, 0.5));
    assert_near(value(&f, "x"), 0.5, 1e-6);
    finished(&f);
}

/* An event that ends the program's run is named, and the run may go on; a limit is a failure. */
static void events_stop_runs(void **state)
{
    (void)state;
    fixture f = started("local x = position('x') mass(x, 1) initial{ x = 0, ['der(x)'] = 1 }\n"
                        "event('there', x - 1, { stop = true })\n",
                        NULL);
    assert_int_equal(dfl_run_advance(f.run, 2), DFL_STOPPED);
    assert_non_null(strstr(dfl_message(f.ctx), "event 'there' stopped the run at t = 1"));
    assert_near(dfl_run_time(f.run), 1, 1e-9);
    expect(&f, dfl_run_advance(f.run, 2));
    assert_near(value(&f, "x"), 2, 1e-9);
    finished(&f);
}

static void note_rejected(dfl_log_level level, const char *text, void *user)
{
    if (level == DFL_LOG_DEBUG && strstr(text, "rejected"))
        ++*(long *)user;
}

static void rejected_steps_are_logged(void **state)
{
    (void)state;
    static const char *const settings[] = {"first_step=0.9", "rtol=1e-10"};
    long rejected = 0;
    const dfl_run_options options = {
        .nsettings = 2, .settings = settings, .on_log = note_rejected, .user = &rejected};
    fixture f = started(pendulum, &options);
    expect(&f, dfl_run_advance(f.run, 1));
    assert_true(rejected > 0);
    assert_true(rejected >=
                dfl_run_statistics(f.run).rejected_error); /* without the first step's */
    finished(&f);
}

/* Rows and summary are those of the program. */
static void rows_are_kept_in_memory(void **state)
{
    (void)state;
    static const char *const settings[] = {"every=0.5"};
    const dfl_run_options options = {.nsettings = 1, .settings = settings};
    fixture f = created(pendulum, &options);
    int rows, columns;
    expect(&f, dfl_run_keep(f.run));
    expect(&f, dfl_run_start(f.run));
    assert_null(dfl_run_summary(f.run));
    expect(&f, dfl_run_finish(f.run));
    const double *values = dfl_run_rows(f.run, &rows, &columns);
    assert_int_equal(rows, 7);
    assert_int_equal(columns, 1 + 5 + 1);
    for (int i = 0; i < rows; i++) {
        const double *row = values + i * columns;
        assert_near(row[0], 0.5 * i, 1e-15);
        assert_near(row[1] * row[1] + row[2] * row[2], 1, 1e-10);
    }
    assert_non_null(strstr(dfl_run_summary(f.run), "\"completed\""));
    assert_int_equal(dfl_run_advance(f.run, 4), DFL_INVALID);
    finished(&f);
}

static void settings_and_initial_values_come_from_outside(void **state)
{
    (void)state;
    static const char *const initial[] = {"initial(x)=0.25", "initial(der(x))=-1", "m=4"};
    static const char *const settings[] = {"rtol=1e-6", "form=psi1", "method=bdf"};
    const dfl_load_options load = {.nset = 3, .set = initial};
    const dfl_run_options options = {.nsettings = 3, .settings = settings};
    fixture f = {.ctx = dfl_context_create()};
    expect(&f, dfl_model_load_text(&f.model, f.ctx, "test.lua", cart, strlen(cart), &load));
    expect(&f, dfl_run_create(&f.run, f.ctx, f.model, &options));
    expect(&f, dfl_run_start(f.run));
    assert_near(value(&f, "x"), 0.25, 0);
    assert_near(value(&f, "m"), 4, 0);
    expect(&f, dfl_run_advance(f.run, 1));
    assert_near(value(&f, "x"), -0.75, 1e-6);
    finished(&f);
}

static void refused(const char *setting, const char *message)
{
    const dfl_run_options options = {.nsettings = 1, .settings = &setting};
    fixture f = {.ctx = dfl_context_create()};
    expect(&f, dfl_model_load_text(&f.model, f.ctx, "test.lua", cart, strlen(cart), NULL));
    assert_int_equal(dfl_run_create(&f.run, f.ctx, f.model, &options), DFL_INVALID);
    if (!strstr(dfl_message(f.ctx), message))
        fail_msg("'%s' does not contain '%s'", dfl_message(f.ctx), message);
    assert_null(f.run);
    finished(&f);
}

static void wrong_use_gets_a_message(void **state)
{
    (void)state;
    refused("rtol", "write NAME=VALUE");
    refused("tolerance=1", "no setting 'tolerance'");
    refused("rtol=small", "not a number");
    refused("rtol=-1", "rtol");
    refused("form=nonsense", "nonsense");
    static const dfl_load_options negative = {.nset = -1}, absent = {.ninput = 2};
    static const dfl_run_options wrong = {.nsettings = -3};
    fixture f = created(cart, NULL);
    dfl_model *model;
    dfl_run *other;
    assert_int_equal(dfl_model_load_text(&model, f.ctx, "a", cart, strlen(cart), &negative),
                     DFL_INVALID);
    assert_int_equal(dfl_model_load_text(&model, f.ctx, "a", cart, strlen(cart), &absent),
                     DFL_INVALID);
    assert_int_equal(dfl_model_load(&model, f.ctx, NULL, NULL), DFL_INVALID);
    assert_int_equal(dfl_run_create(&other, f.ctx, f.model, &wrong), DFL_INVALID);
    assert_true(!model && !other);
    assert_int_equal(dfl_run_advance(f.run, 1), DFL_INVALID);
    assert_int_equal(dfl_run_step(f.run), DFL_INVALID);
    assert_int_equal(dfl_run_finish(f.run), DFL_INVALID);
    expect(&f, dfl_run_start(f.run));
    assert_int_equal(dfl_run_start(f.run), DFL_INVALID);
    assert_int_equal(dfl_run_write(f.run, "late.csv"), DFL_INVALID);
    assert_int_equal(dfl_run_set(f.run, 0, 1), DFL_INVALID);
    assert_int_equal(dfl_run_set(f.run, 99, 1), DFL_INVALID);
    assert_int_equal(dfl_run_set(f.run, 3, NAN), DFL_INVALID);
    assert_int_equal(dfl_run_advance(f.run, NAN), DFL_INVALID);
    assert_true(isnan(dfl_run_get(f.run, -1)));
    expect(&f, dfl_run_advance(f.run, 1));
    finished(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_names_kinds_and_units),
        cmocka_unit_test(inputs_and_parameters_change_between_advances),
        cmocka_unit_test(states_follow_lengths),
        cmocka_unit_test(branches_follow_inputs),
        cmocka_unit_test(callbacks_see_steps_and_events),
        cmocka_unit_test(callbacks_do_not_move_their_run),
        cmocka_unit_test(single_steps_are_those_of_a_run),
        cmocka_unit_test(steps_end_at_rows),
        cmocka_unit_test(what_is_due_happens_when_a_run_goes_on),
        cmocka_unit_test(runs_turn_back_between_switches),
        cmocka_unit_test(events_stop_runs),
        cmocka_unit_test(rejected_steps_are_logged),
        cmocka_unit_test(rows_are_kept_in_memory),
        cmocka_unit_test(settings_and_initial_values_come_from_outside),
        cmocka_unit_test(wrong_use_gets_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
