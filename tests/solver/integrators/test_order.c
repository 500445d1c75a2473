/* The automatic order: raised where Newton's iteration converges fast, given up where steps
   fail, and every other feature works with every order. */
#include "evidence.h"

enum { MOST = 20000 };

/* The orders of the steps of a run, as the solver reports them. */
typedef struct journal {
    int n, orders[MOST];
} journal;

static int note_order(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    journal *j = user;
    (void)x;
    if (t != t_old && j->n < MOST)
        j->orders[j->n++] = dfl_solver_order(solver);
    return 0;
}

static int changes(const journal *j)
{
    int count = 0;
    for (int i = 1; i < j->n; i++)
        count += j->orders[i] != j->orders[i - 1];
    return count;
}

static int highest(const journal *j)
{
    int order = 0;
    for (int i = 0; i < j->n; i++)
        order = j->orders[i] > order ? j->orders[i] : order;
    return order;
}

/* Runs a problem to its last reference and returns its statistics. */
static dfl_statistics follow(journal *j, const char *name, double rtol, int order)
{
    const dfl_solver_options options = {
        .rtol = rtol, .order = order, .output.on_step = note_order, .user = j};
    run r;
    j->n = 0;
    run_make(&r, name, 0, &options);
    run_to(&r, r.prob.references[r.prob.nreferences - 1].t);
    const dfl_statistics stats = dfl_solver_statistics(r.solver);
    assert_int_equal(stats.accepted, j->n);
    run_free(&r);
    return stats;
}

static journal steps;

static void a_smooth_motion_is_followed_with_order_13_and_less_work(void **state)
{
    (void)state;
    const dfl_statistics five = follow(&steps, "caraxis", 1e-9, 5);
    assert_int_equal(highest(&steps), 5);
    const dfl_statistics automatic = follow(&steps, "caraxis", 1e-9, 0);
    assert_int_equal(steps.orders[0], 9); /* the first order */
    assert_int_equal(highest(&steps), 13);
    assert_int_equal(steps.orders[steps.n - 1], 13);
    assert_true(automatic.order_changes >= changes(&steps) && changes(&steps) >= 1);
    print_message("caraxis: %ld evaluations instead of %ld\n", automatic.evaluations,
                  five.evaluations);
    assert_true(2 * automatic.evaluations < five.evaluations);
}

static void a_given_order_is_kept(void **state)
{
    (void)state;
    for (int order = 5; order <= 13; order += 4) {
        const dfl_statistics stats = follow(&steps, "andrews", 1e-7, order);
        assert_int_equal(stats.order_changes, 0);
        for (int i = 0; i < steps.n; i++)
            assert_int_equal(steps.orders[i], order);
    }
}

/* 176 kinks in 10 s: higher orders are given up there and tried again, less and less often;
   between two attempts there are 64 steps and more, attempts take some 10 each. */
static void kinks_lower_the_order(void **state)
{
    (void)state;
    follow(&steps, "wheelset", 1e-6, 0);
    int raised = 0, lowered = 0, five = 0;
    for (int i = 1; i < steps.n; i++) {
        raised += steps.orders[i] > steps.orders[i - 1];
        lowered += steps.orders[i] < steps.orders[i - 1];
        five += steps.orders[i] == 5;
    }
    print_message("wheelset: %d steps, %d of order 5, raised %d times, lowered %d times\n", steps.n,
                  five, raised, lowered);
    assert_true(five > 0.8 * steps.n);
    assert_true(raised > 10 && lowered > 10);
    assert_true(raised < 176);
}

/* Evaluations of 1 s in pieces that end at `every`. */
static long in_pieces(const char *name, double rtol, int order, double every)
{
    const dfl_solver_options options = {.rtol = rtol, .order = order};
    run r;
    run_make(&r, name, 0, &options);
    for (int i = 1; i * every <= 1; i++)
        run_to(&r, i * every);
    const long evaluations = dfl_solver_statistics(r.solver).evaluations;
    run_free(&r);
    return evaluations;
}

/* Where ends of pieces make the steps, five stages are needed no more than seven; where they would
   need further steps, the higher order stays. */
static void steps_that_end_early_take_the_order_that_costs_least(void **state)
{
    (void)state;
    const long cut = in_pieces("top", 1e-5, 0, 0.005), nine = in_pieces("top", 1e-5, 9, 0.005);
    print_message("top in short steps: %ld evaluations, order 9 %ld\n", cut, nine);
    assert_true(10 * cut < 7 * nine);
    const long wide = in_pieces("top", 1e-10, 0, 0.1), five = in_pieces("top", 1e-10, 5, 0.1);
    print_message("top in long steps: %ld evaluations, order 5 %ld\n", wide, five);
    assert_true(10 * wide < 7 * five);
}

/* With a matrix of its own each step converges at 0.02, with one of the step before at 0.06;
   only the former says whether longer steps would converge. */
static void a_kept_matrix_does_not_hold_the_order_back(void **state)
{
    (void)state;
    follow(&steps, "top", 1e-8, 0);
    print_message("top: %d steps, the last of order %d\n", steps.n, steps.orders[steps.n - 1]);
    assert_true(highest(&steps) > 5);
}

static void fixed_steps_have_order_5_unless_another_is_given(void **state)
{
    (void)state;
    for (int order = 0; order <= 13; order += 13) {
        const dfl_solver_options options = {
            .step.fixed = 0.01, .order = order, .output.on_step = note_order, .user = &steps};
        run r;
        steps.n = 0;
        run_make(&r, "pendulum", 0, &options);
        assert_int_equal(dfl_solver_order(r.solver), order ? order : 5); /* before the first step */
        run_to(&r, 0.5);
        assert_int_equal(highest(&steps), order ? order : 5);
        assert_int_equal(changes(&steps), 0);
        run_free(&r);
    }
}

/* The height above the lowest point but 0.2: passed at a known angle. */
static int height(double *value, double t, const double *x, void *user)
{
    (void)t, (void)user;
    value[0] = x[4] + 0.8;
    return 0;
}

typedef struct passage {
    double t;
    int count;
} passage;

static int note_passage(int event, int direction, double t, const double *x, void *user)
{
    passage *p = user;
    (void)event, (void)direction, (void)x;
    p->t = t;
    p->count++;
    return 0;
}

/* The same passage as with tolerance 1e-12, where dense output is exact to 1e-9. */
static void events_are_located_with_every_order(void **state)
{
    (void)state;
    double reference = 0;
    const int orders[] = {13, 5, 9, 13, 0};
    for (int k = 0; k < 5; k++) {
        passage p = {0};
        const dfl_event_kind kind = {.direction = -1};
        const dfl_solver_options options = {.rtol = k == 0 ? 1e-13 : 1e-8,
                                            .order = orders[k],
                                            .step.max = k == 0 ? 0.01 : 0,
                                            .events.count = 1,
                                            .events.eval = height,
                                            .events.kinds = &kind,
                                            .events.on_event = note_passage,
                                            .user = &p};
        run r;
        run_make(&r, "pendulum", 0, &options);
        run_to(&r, 0.9);
        assert_int_equal(p.count, 1);
        if (k == 0)
            reference = p.t;
        print_message("order %2d: event at %.12f\n", orders[k], p.t);
        /* dense output has the error that the estimate allows, 0.1 rtol^(4/7) = 2.7e-6 of x */
        assert_at_most(fabs(p.t - reference), 3e-6, "the error of the event's time");
        run_free(&r);
    }
}

/* There and back again: the error of both ways is that of a run of twice the length. */
static void backward_integration_returns_with_every_order(void **state)
{
    (void)state;
    const int orders[] = {5, 9, 13, 0};
    for (int k = 0; k < 4; k++) {
        const dfl_solver_options options = {.rtol = 1e-9, .order = orders[k]};
        run r;
        run_make(&r, "top", 0, &options);
        double x0[20];
        memcpy(x0, dfl_solver_state(r.solver), (size_t)r.at.n * sizeof *x0);
        run_to(&r, 1);
        const double *x = run_to(&r, 0);
        assert_at_most(error_between(x, x0, r.at.v, r.at.n), 1e-7, "the error after the return");
        run_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smooth_motion_is_followed_with_order_13_and_less_work),
        cmocka_unit_test(a_given_order_is_kept),
        cmocka_unit_test(kinks_lower_the_order),
        cmocka_unit_test(steps_that_end_early_take_the_order_that_costs_least),
        cmocka_unit_test(a_kept_matrix_does_not_hold_the_order_back),
        cmocka_unit_test(fixed_steps_have_order_5_unless_another_is_given),
        cmocka_unit_test(events_are_located_with_every_order),
        cmocka_unit_test(backward_integration_returns_with_every_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
