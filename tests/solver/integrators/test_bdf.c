/* What is BDF's own: the choice of the order, stiffness, the start of fixed steps. */
#include "support.h"

#include <stdlib.h>

/* Orders and sizes of the steps of a run. */
typedef struct steps {
    int count;
    int order[20000];
    double h[20000];
} steps;

static int note(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    steps *s = user;
    (void)x;
    if (t != t_old) {
        assert_true(s->count < 20000);
        s->order[s->count] = dfl_solver_order(solver);
        s->h[s->count++] = t - t_old;
    }
    return 0;
}

static run swing(steps *s, int order, double rtol)
{
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    s->count = 0;
    const run r = run_problem(&prob, 10,
                              &(dfl_solver_options){.integrator = DFL_BDF,
                                                    .order = order,
                                                    .rtol = rtol,
                                                    .output.on_step = note,
                                                    .user = s});
    assert_succeeded(&r);
    problem_free(&prob);
    return r;
}

/* The start: order 1, then one more with every step of twice the size, as long as the
   differences fall. */
static void order_and_step_rise_together_at_the_start(void **state)
{
    (void)state;
    static steps s;
    swing(&s, 0, 1e-6);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s.order[i], i + 1);
        if (i > 0)
            assert_near(s.h[i], 2 * s.h[i - 1], 1e-12 * s.h[i]);
    }
}

static void the_order_follows_the_tolerance(void **state)
{
    (void)state;
    static steps s;
    const run fine = swing(&s, 0, 1e-9);
    long of_order[6] = {0};
    for (int i = 0; i < s.count; i++) {
        of_order[s.order[i]]++;
        assert_true(i == 0 || abs(s.order[i] - s.order[i - 1]) <= 1);
    }
    assert_true((double)of_order[5] > 0.9 * s.count);
    assert_int_equal(fine.stats.accepted, s.count);
    swing(&s, 0, 1e-2);
    long low = 0, changes = 0;
    for (int i = 0; i < s.count; i++) {
        low += s.order[i] < 5;
        changes += i > 0 && s.order[i] != s.order[i - 1];
    }
    assert_true(low > s.count / 4 && changes > 5);
}

/* A bound on the order is kept, and costs steps: errors of h^(k+1) allow h = tol^(1/(k+1)),
   which is 4.6 times longer with order 2 than with order 1, up to constants. */
static void the_option_bounds_the_order(void **state)
{
    (void)state;
    static steps s;
    long count[6] = {0};
    for (int k = 1; k <= 5; k++) {
        const run r = swing(&s, k, 1e-4);
        for (int i = 0; i < s.count; i++)
            assert_true(s.order[i] >= 1 && s.order[i] <= k);
        count[k] = r.stats.accepted;
    }
    print_message("steps with order 1 to 5: %ld %ld %ld %ld %ld\n", count[1], count[2], count[3],
                  count[4], count[5]);
    assert_true(count[1] > 3 * count[2] && count[2] > count[3] && count[3] > count[5]);
}

static int crossing(double *value, double t, const double *x, void *user)
{
    (void)t, (void)user;
    value[0] = x[3];
    return 0;
}

/* After a terminal event the past is forgotten: order 1, a short step, no rejected attempts. */
static void an_event_that_stops_begins_a_new_past(void **state)
{
    (void)state;
    static steps s;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    const dfl_event_kind stop = {.terminal = true};
    const dfl_solver_options options = {.integrator = DFL_BDF,
                                        .rtol = 1e-6,
                                        .events.count = 1,
                                        .events.eval = crossing,
                                        .events.kinds = &stop,
                                        .output.on_step = note,
                                        .user = &s};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    s.count = 0;
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, prob.t0, prob.x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, 1), DFL_STOPPED);
    const long attempts = dfl_solver_statistics(solver).attempts;
    const int before = s.count;
    assert_true(s.order[before - 1] > 2);
    assert_int_equal(dfl_solver_advance(solver, 0.6), DFL_OK);
    assert_int_equal(s.order[before], 1);
    assert_int_equal(s.order[before + 1], 2);
    assert_true(s.h[before] < 0.1 * s.h[before - 1]);
    assert_int_equal(dfl_solver_statistics(solver).attempts - attempts, s.count - before);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&prob);
}

/* ---- stiffness ---- */

/* An oscillator p'' = -p with a first-order element r' = -rate (r - p) that follows it. */
static double rate;
static int follow(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)need, (void)user;
    out->f[0] = -x[2];
    out->b[0] = -rate * (x[0] - x[2]);
    return 0;
}

static int unit_mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = 1;
    return 0;
}

static void a_stiff_element_costs_nothing(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1,
                         .nv = 1,
                         .nr = 1,
                         .eval = follow,
                         .mass = unit_mass,
                         .mass_diagonal = true,
                         .mass_constant = true,
                         .trivial_kinematics = true};
    const dfl_solver_options options = {.integrator = DFL_BDF, .rtol = 1e-6};
    long count[2];
    for (int k = 0; k < 2; k++) {
        rate = k ? 1e8 : 1;
        const run r = run_with(&eom, 0, (double[]){1, 0, 1}, 20, &options, NULL);
        assert_succeeded(&r);
        count[k] = r.stats.accepted;
        assert_near(r.x[2], cos(20), 1e-3);
        if (k)
            assert_near(r.x[0], cos(20), 1e-3);
    }
    print_message("%ld steps, %ld with a rate of 1e8\n", count[0], count[1]);
    assert_true((double)count[1] < 1.2 * (double)count[0]);
}

/* ---- fixed steps ---- */

/* v, s and p after 50 steps of order 2, Newton iterated to rounding. */
static int after(double *x, const char *name, const dfl_solver_options *form, double h)
{
    problem prob;
    assert_true(problem_make(&prob, name, 0));
    const dfl_layout at = dfl_eom_layout(&prob.eom);
    dfl_solver_options options = *form;
    options.integrator = DFL_BDF;
    options.order = 2;
    options.rtol = 1e-6;
    options.newton.tolerance = 1e-9;
    options.newton.iterations = 50;
    options.step.fixed = h;
    const run r = run_problem(&prob, prob.t0 + 50 * h, &options);
    assert_succeeded(&r);
    assert_int_equal(r.stats.accepted, 50);
    memcpy(x, r.x + at.v, (size_t)(at.n - at.v) * sizeof *x);
    problem_free(&prob);
    return at.n - at.v;
}

/* Petzold and Potra 1992: local coordinates in the tangent plane (5.4) and projected invariants
   (5.10) are the same method when both refer to one point, and so are the solution of the
   overdetermined system and the system extended by multipliers, (3.17). Their numerical
   solutions agree to rounding, since the start is the same; other pairs differ by the errors of
   both. */
static void equivalent_forms_agree_to_rounding_with_order_two(void **state)
{
    (void)state;
    const dfl_solver_options tangent = {.form = DFL_TANGENT,
                                        .constraints.renewal = DFL_RENEW_ALWAYS},
                             invariants = {.form = DFL_PINV, .constraints.lagged = true},
                             odae = {.form = DFL_ODAE},
                             extended = {.form = DFL_EXT317, .constraints.lagged = true};
    const struct {
        const char *name;
        double h;
    } cases[] = {{"slidercrank", 1e-3}, {"sleigh", 1e-3}, {"andrews", 1e-5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double a[RUN_MOST], b[RUN_MOST], c[RUN_MOST], d[RUN_MOST];
        const int n = after(a, cases[i].name, &tangent, cases[i].h);
        after(b, cases[i].name, &invariants, cases[i].h);
        after(c, cases[i].name, &odae, cases[i].h);
        after(d, cases[i].name, &extended, cases[i].h);
        print_message("%-12s tangent - pinv %.1e, odae - ext317 %.1e, tangent - odae %.1e\n",
                      cases[i].name, distance(a, b, n), distance(c, d, n), distance(a, c, n));
        assert_true(distance(a, b, n) < 1e-12);
        assert_true(distance(c, d, n) < 1e-12);
        assert_true(distance(a, c, n) > 1e-9);
    }
}

/* Order k > 2 begins with k - 1 steps of Radau IIA; then the order is k. */
static void fixed_steps_have_the_order_at_once(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    for (int k = 1; k <= 5; k++) {
        static steps s;
        s.count = 0;
        const run r = run_problem(&prob, 0.1,
                                  &(dfl_solver_options){.integrator = DFL_BDF,
                                                        .order = k,
                                                        .step.fixed = 0.01,
                                                        .output.on_step = note,
                                                        .user = &s});
        assert_succeeded(&r);
        assert_int_equal(s.count, 10);
        for (int i = 0; i < s.count; i++)
            assert_int_equal(s.order[i], k > 2 && i < k - 1 ? 5 : k);
    }
    problem_free(&prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_and_step_rise_together_at_the_start),
        cmocka_unit_test(the_order_follows_the_tolerance),
        cmocka_unit_test(the_option_bounds_the_order),
        cmocka_unit_test(an_event_that_stops_begins_a_new_past),
        cmocka_unit_test(a_stiff_element_costs_nothing),
        cmocka_unit_test(equivalent_forms_agree_to_rounding_with_order_two),
        cmocka_unit_test(fixed_steps_have_the_order_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
