/* test_event_search.c: zeros that are hard to find: two of them close together, of higher order,
   of functions that stay zero, shortly behind the start. The functions are of time alone, so
   their zeros are known, or of a ball that falls freely, whose motion is a polynomial. */
#include "support.h"

enum { MOST = 60 };

typedef struct seeker {
    double (*function)(double t, const struct seeker *s);
    double at, width; /* what the function is about */
    int count;
    struct {
        int direction;
        double t;
    } met[MOST];
} seeker;

/* A ball: x = [v | p]. */
enum { V, P, N };

static int fall(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)need, (void)user;
    out->kin[0] = x[V];
    out->f[0] = -1;
    return 0;
}

static const dfl_eom ball = {.np = 1, .nv = 1, .eval = fall};

static int values(double *value, double t, const double *x, void *user)
{
    const seeker *s = user;
    value[0] = s->function ? s->function(t, s) : x[P];
    return 0;
}

static int on_event(int event, int direction, double t, const double *x, void *user)
{
    seeker *s = user;
    (void)event, (void)x;
    assert_true(s->count < MOST);
    s->met[s->count].direction = direction;
    s->met[s->count++].t = t;
    return 0;
}

/* From t = 0 to 1, or from 1 to 0, with some steps. */
static void seek(seeker *s, bool back, dfl_event_kind kind)
{
    const double x0[N] = {0, 1};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_solver_options options = {.step.max = 0.13,
                                        .events.count = 1,
                                        .events.eval = values,
                                        .events.kinds = &kind,
                                        .events.on_event = on_event,
                                        .user = s};
    s->count = 0;
    assert_int_equal(dfl_solver_create(&solver, ctx, &ball, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, back, x0, NULL), DFL_OK);
    for (int stops = 0; stops <= MOST && dfl_solver_advance(solver, !back); stops++)
        assert_true(kind.terminal);
    assert_true(dfl_solver_time(solver) == !back);
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static double dip(double t, const seeker *s)
{
    return (t - s->at) * (t - s->at) - s->width * s->width;
}

/* Not a polynomial, and not symmetric. */
static double crooked_dip(double t, const seeker *s)
{
    return exp(3 * (t - s->at)) - 1 - 3 * (t - s->at) - s->width * s->width;
}

static double cube(double t, const seeker *s)
{
    return (t - s->at) * (t - s->at) * (t - s->at);
}

static double ramp_down(double t, const seeker *s)
{
    return t < s->at ? s->at - t : 0;
}

static double up_and_down(double t, const seeker *s)
{
    return t * (s->width - t);
}

/* Rounding in dip moves its zeros by 1e-16 over twice its width; places all over the steps. */
static void two_zeros_close_together_are_both_found(void **state)
{
    (void)state;
    for (int k = 0; k < 400; k++) {
        seeker s = {.function = dip, .at = 0.01 + 0.00245 * k, .width = pow(10, -2 - k % 5)};
        const double slack = 1e-15 + 1e-16 / s.width;
        for (int back = 0; back <= 1; back++)
            for (int terminal = 0; terminal <= 1; terminal++) {
                seek(&s, back, (dfl_event_kind){.terminal = terminal});
                if (s.at - s.width <= 0 || s.at + s.width >= 1)
                    continue; /* an end of the run lies between them */
                if (s.count != 2)
                    fail_msg("%d zeros at %g -+ %g", s.count, s.at, s.width);
                assert_int_equal(s.met[0].direction, -1);
                assert_int_equal(s.met[1].direction, 1);
                assert_near(s.met[0].t, s.at + (back ? 1 : -1) * s.width, slack);
                assert_near(s.met[1].t, s.at - (back ? 1 : -1) * s.width, slack);
            }
    }
}

static void of_two_zeros_close_together_the_wanted_one_is_found(void **state)
{
    (void)state;
    for (int k = 0; k < 100; k++)
        for (int direction = -1; direction <= 1; direction += 2) {
            seeker s = {.function = crooked_dip, .at = 0.03 + 0.009 * k, .width = 1e-3};
            seek(&s, false, (dfl_event_kind){.direction = direction});
            assert_int_equal(s.count, 1);
            assert_int_equal(s.met[0].direction, direction);
            assert_near(crooked_dip(s.met[0].t, &s), 0, 1e-15);
        }
}

static void a_function_that_only_touches_zero_has_no_event(void **state)
{
    (void)state;
    for (int k = 1; k < 100; k++) {
        seeker s = {.function = dip, .at = 0.00991 * k};
        seek(&s, false, (dfl_event_kind){0});
        assert_int_equal(s.count, 0);
    }
}

static void a_triple_zero_is_found_to_rounding(void **state)
{
    (void)state;
    for (int k = 1; k < 100; k++) {
        seeker s = {.function = cube, .at = 0.00991 * k};
        seek(&s, k % 2, (dfl_event_kind){0});
        assert_int_equal(s.count, 1);
        assert_near(s.met[0].t, s.at, 1e-15);
    }
}

/* A zero that is met exactly counts as the first if the function is not zero 1e-9 of an interval
   before. */
static void a_function_that_stays_zero_has_one_event_where_it_becomes_zero(void **state)
{
    (void)state;
    for (int k = 1; k < 100; k++) {
        seeker s = {.function = ramp_down, .at = 0.00991 * k};
        seek(&s, false, (dfl_event_kind){0});
        assert_int_equal(s.count, 1);
        assert_near(s.met[0].t, s.at, 1e-9);
    }
}

static void a_zero_shortly_behind_one_at_the_start_is_found(void **state)
{
    (void)state;
    for (double width = 0.5; width > 1e-4; width /= 2) {
        seeker s = {.function = up_and_down, .width = width};
        seek(&s, false, (dfl_event_kind){0});
        assert_int_equal(s.count, 1);
        assert_near(s.met[0].t, width, 1e-15);
    }
}

/* A dip too narrow to be seen between two samples, and a function that passes zero in it. */
static int narrow_values(double *value, double t, const double *x, void *user)
{
    const seeker *s = user;
    const double distance = (t - s->at) / s->width;
    (void)x;
    value[0] = 1 - 2 / (1 + distance * distance);
    value[1] = distance - 0.5;
    return 0;
}

/* The second function shows that the first has passed zero: before, where it did, and not there.
   Zeros at -1, 1/2, 1. */
static void a_zero_that_another_event_reveals_is_met_where_it_is(void **state)
{
    (void)state;
    const double x0[N] = {0, 1}, place[] = {-1, 0.5, 1};
    for (int k = 0; k < 100; k++) {
        seeker s = {.at = 0.03 + 0.0094 * k, .width = 1e-4};
        const dfl_solver_options options = {.step.max = 0.13,
                                            .events.count = 2,
                                            .events.eval = narrow_values,
                                            .events.on_event = on_event,
                                            .user = &s};
        const run r = run_with(&ball, 0, x0, 1, &options, NULL);
        assert_succeeded(&r);
        assert_int_equal(s.count, 3);
        for (int i = 0; i < 3; i++)
            assert_near(s.met[i].t, s.at + place[i] * s.width, 1e-15);
        assert_int_equal(s.met[0].direction, -1);
        assert_int_equal(s.met[2].direction, 1);
    }
}

/* From the height 1/2 with g = 1: it arrives at t = 1 with speed 1, and each jump takes 0.8
   times the time of the one before, 2 * 0.8^k. All is exact but for rounding, and for the error
   of BDF, 1e-8 in each jump. A jump begins at zero, up to rounding: that is not an event, also
   where any direction counts. */
static void a_ball_bounces_at_its_exact_times(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * DFL_INTEGRATORS; k++) {
        const int method = k / 2;
        const dfl_event_kind kind = {.direction = -(k % 2), .terminal = true};
        seeker s = {0};
        const dfl_solver_options options = {.rtol = 1e-8,
                                            .integrator = (dfl_integrator)method,
                                            .events.count = 1,
                                            .events.eval = values,
                                            .events.kinds = &kind,
                                            .events.on_event = on_event,
                                            .user = &s};
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        double x[N] = {0, 0.5}, t = 0, expected = 1, jump = 2;
        assert_int_equal(dfl_solver_create(&solver, ctx, &ball, &options), DFL_OK);
        for (int bounce = 0; bounce < 40; bounce++) {
            assert_int_equal(dfl_solver_start(solver, t, x, NULL), DFL_OK);
            assert_int_equal(dfl_solver_advance(solver, 100), DFL_STOPPED);
            t = dfl_solver_time(solver);
            assert_near(t, expected, method == DFL_BDF ? 1e-6 : 1e-12);
            x[V] = -0.8 * dfl_solver_state(solver)[V];
            x[P] = dfl_solver_state(solver)[P];
            jump *= 0.8;
            expected += jump;
        }
        dfl_solver_free(solver);
        dfl_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_zeros_close_together_are_both_found),
        cmocka_unit_test(of_two_zeros_close_together_the_wanted_one_is_found),
        cmocka_unit_test(a_function_that_only_touches_zero_has_no_event),
        cmocka_unit_test(a_triple_zero_is_found_to_rounding),
        cmocka_unit_test(a_function_that_stays_zero_has_one_event_where_it_becomes_zero),
        cmocka_unit_test(a_zero_shortly_behind_one_at_the_start_is_found),
        cmocka_unit_test(a_zero_that_another_event_reveals_is_met_where_it_is),
        cmocka_unit_test(a_ball_bounces_at_its_exact_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
