/* What BDF, trapezoidal and midpoint rule have in common with Radau IIA: tolerances,
   constraints, events, dense output, backward integration, invariants, redundant constraints,
   fixed steps, memory. Orders are in test_method_orders.c, the rules of BDF's own in test_bdf.c. */
#include "failing_solver.h"
#include "support.h"

static const dfl_integrator methods[] = {DFL_BDF, DFL_TRAPEZOIDAL, DFL_MIDPOINT};
enum { METHODS = sizeof methods / sizeof *methods };

static const char *name_of(int m)
{
    return dfl_integrator_name(methods[m]);
}

/* ---- accuracy ---- */

/* Errors of positions and velocities at a reference. */
static double error_of_motion(const run *r, const problem *prob, double t)
{
    const dfl_layout at = dfl_eom_layout(&prob->eom);
    return error_of(r, prob, t, at.v, at.n - at.v);
}

/* The error of a method of varying order falls about as the tolerance does; that of a method of
   order 2 as its power 2/3, since errors of h^3 in each of T/h steps add up to h^2: over 1e-4 to
   1e-7 by 1e3 and 1e2. Half of that in decades is asked for, on problems with quaternions,
   nonholonomic rows, M(p), and force elements. */
static void the_error_falls_with_the_tolerance(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int reference;
        double per_tolerance; /* the error at most, as a multiple of 1e-7 */
    } cases[] = {{"pendulum", 3, 1e3},    {"top", 0, 2e3},     {"sleigh", 0, 1e3},
                 {"slidercrank", 0, 3e4}, {"caraxis", 0, 1e4}, {"friction", 0, 1e3}};
    for (int m = 0; m < METHODS; m++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            problem prob;
            assert_true(problem_make(&prob, cases[i].name, 0));
            const double t = prob.references[cases[i].reference].t;
            double error[2];
            for (int k = 0; k < 2; k++) {
                const dfl_solver_options options = {.integrator = methods[m],
                                                    .rtol = k ? 1e-7 : 1e-4};
                const run r = run_problem(&prob, t, &options);
                assert_succeeded(&r);
                error[k] = error_of_motion(&r, &prob, t);
            }
            print_message("%-12s %-12s errors %.1e, %.1e\n", name_of(m), cases[i].name, error[0],
                          error[1]);
            assert_true(error[1] < error[0] / (m == 0 ? 30 : 10));
            assert_true(error[1] < 1e-7 * cases[i].per_tolerance);
            problem_free(&prob);
        }
}

/* ---- constraints ---- */

/* Residuals over all steps of three runs, ten times longer each: they stay where Newton's
   iteration leaves them, a few tolerances of p in g, of v in gI, however long the run. */
static void constraints_hold_at_every_step_of_long_runs(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    for (int m = 0; m < METHODS; m++) {
        double g[2], gI[2];
        for (int k = 0; k < 2; k++) {
            const dfl_solver_options options = {.integrator = methods[m], .rtol = 1e-5};
            const run r = run_problem(&prob, k ? 200 : 20, &options);
            assert_succeeded(&r);
            g[k] = r.stats.max_residual.position;
            gI[k] = r.stats.max_residual.velocity;
            assert_true(r.stats.max_residual.acceleration < 1e-3);
        }
        print_message("%-12s g %.1e, %.1e, gI %.1e, %.1e\n", name_of(m), g[0], g[1], gI[0], gI[1]);
        assert_true(g[1] < 1e-5 && gI[1] < 1e-4);
        assert_true(g[1] < 5 * g[0] && gI[1] < 5 * gI[0]);
    }
    problem_free(&prob);
}

/* A tighter iteration leaves smaller residuals, the error stays what the steps make it. */
static void newton_tolerance_decides_about_the_residuals(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    for (int m = 0; m < METHODS; m++) {
        dfl_solver_options options = {.integrator = methods[m], .rtol = 1e-5};
        const run loose = run_problem(&prob, 5, &options);
        options.newton.tolerance = 1e-6;
        const run tight = run_problem(&prob, 5, &options);
        assert_succeeded(&loose);
        assert_succeeded(&tight);
        assert_true(tight.stats.max_residual.position < 1e-3 * loose.stats.max_residual.position);
        assert_true(tight.stats.back_substitutions > loose.stats.back_substitutions);
    }
    problem_free(&prob);
}

/* The energy as invariant: kept to a part of the tolerance that its size, some 10 J, and
   Newton's iteration explain. */
static void invariants_are_kept(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum_energy", 0));
    for (int m = 0; m < METHODS; m++) {
        const dfl_solver_options options = {.integrator = methods[m], .rtol = 1e-6};
        const run r = run_problem(&prob, 20, &options);
        assert_succeeded(&r);
        print_message("%-12s energy %.1e, %ld steps without it\n", name_of(m),
                      r.stats.max_residual.invariant, r.stats.steps_without_invariants);
        assert_true(r.stats.max_residual.invariant < 5e-5);
        assert_true(r.stats.steps_without_invariants < r.stats.accepted / 4);
    }
    problem_free(&prob);
}

/* Bricard's linkage: 30 constraints of which one is redundant. */
static void redundant_constraints_are_no_obstacle(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "bricard", 0));
    const double t = prob.references[0].t;
    for (int m = 0; m < METHODS; m++) {
        const dfl_solver_options options = {.integrator = methods[m], .rtol = 1e-4};
        const run r = run_problem(&prob, t, &options);
        assert_succeeded(&r);
        assert_true(r.stats.rank_velocity < prob.eom.nl + prob.eom.nm);
        assert_true(r.stats.max_residual.position < 1e-5);
        assert_true(error_of_motion(&r, &prob, t) < 0.05);
    }
    problem_free(&prob);
}

/* ---- time ---- */

/* Forward and back: the start again, up to the errors of both ways. */
static void backward_integration_returns_to_the_start(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    for (int m = 0; m < METHODS; m++) {
        const dfl_solver_options options = {.integrator = methods[m], .rtol = 1e-6};
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
        assert_int_equal(dfl_solver_start(solver, prob.t0, prob.x0, NULL), DFL_OK);
        double x0[5];
        memcpy(x0, dfl_solver_state(solver), sizeof x0);
        assert_int_equal(dfl_solver_advance(solver, 1.3), DFL_OK);
        assert_true(distance(dfl_solver_state(solver), x0, 5) > 0.1);
        assert_int_equal(dfl_solver_advance(solver, 0), DFL_OK);
        assert_near(distance(dfl_solver_state(solver) + 3, x0 + 3, 2), 0, m == 0 ? 1e-4 : 2e-3);
        dfl_solver_free(solver);
        dfl_context_free(ctx);
    }
    problem_free(&prob);
}

/* The past is kept from one advance to the next, and a step that was cut short does not shorten
   the next ones. */
static void many_short_advances_cost_little_more_than_one(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    for (int m = 0; m < METHODS; m++) {
        const dfl_solver_options options = {.integrator = methods[m], .rtol = 1e-6};
        const run once = run_problem(&prob, 4, &options);
        assert_succeeded(&once);
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
        assert_int_equal(dfl_solver_start(solver, prob.t0, prob.x0, NULL), DFL_OK);
        for (int i = 1; i <= 20; i++)
            assert_int_equal(dfl_solver_advance(solver, 0.2 * i), DFL_OK);
        const long steps = dfl_solver_statistics(solver).accepted;
        print_message("%-12s %ld steps at once, %ld in 20 pieces\n", name_of(m),
                      once.stats.accepted, steps);
        assert_true((double)steps < 1.5 * (double)once.stats.accepted);
        assert_near(distance(dfl_solver_state(solver), once.x, 5), 0, 5e-3);
        dfl_solver_free(solver);
        dfl_context_free(ctx);
    }
    problem_free(&prob);
}

static int height(double *value, double t, const double *x, void *user)
{
    (void)t, (void)user;
    value[0] = x[3]; /* the pendulum passes the vertical */
    return 0;
}

typedef struct passages {
    int count;
    double t[20];
} passages;

static int on_passage(int event, int direction, double t, const double *x, void *user)
{
    passages *p = user;
    (void)event, (void)direction, (void)x;
    assert_true(p->count < 20);
    p->t[p->count++] = t;
    return 0;
}

/* The pendulum of period 2 is in the vertical at t = 0.5, 1.5, ... */
static void events_are_located_and_may_stop(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    for (int m = 0; m < METHODS; m++) {
        passages p = {0};
        dfl_solver_options options = {.integrator = methods[m],
                                      .rtol = 1e-7,
                                      .events.count = 1,
                                      .events.eval = height,
                                      .events.on_event = on_passage,
                                      .user = &p};
        const run r = run_problem(&prob, 5, &options);
        assert_succeeded(&r);
        assert_int_equal(p.count, 5);
        for (int i = 0; i < 5; i++)
            assert_near(p.t[i], 0.5 + i, m == 0 ? 1e-5 : 3e-4);
        options.events.kinds = &(dfl_event_kind){.terminal = true};
        const run stopped = run_problem(&prob, 5, &options);
        assert_failed(&stopped, DFL_STOPPED, "event 0");
        assert_near(stopped.t, 0.5, 1e-4);
        assert_near(stopped.x[3], 0, 1e-9);
        assert_near(stopped.x[4], -1, 1e-9); /* moved onto the constraints */
    }
    problem_free(&prob);
}

/* ---- fixed steps ---- */

static void fixed_steps_are_fixed_and_timed(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "slidercrank", 0));
    for (int m = 0; m < METHODS; m++) {
        const dfl_solver_options options = {.integrator = methods[m], .step.fixed = 1e-3};
        const run r = run_problem(&prob, 0.5, &options);
        assert_succeeded(&r);
        assert_int_equal(r.stats.accepted, 500);
        assert_int_equal(r.stats.rejected_error, 0);
        assert_true(r.stats.longest_step > 0);
        assert_true(error_of_motion(&r, &prob, 0.5) < 0.01);
        const dfl_solver_options bounded = {.integrator = methods[m],
                                            .step = {.fixed = 1e-3, .accept_unconverged = true},
                                            .newton.iterations = 1};
        const run b = run_problem(&prob, 0.5, &bounded);
        assert_succeeded(&b);
        assert_int_equal(b.stats.accepted, 500);
        assert_true(b.stats.back_substitutions < r.stats.back_substitutions);
    }
    problem_free(&prob);
}

/* ---- options ---- */

static void step_sizes_obey_their_options(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    for (int m = 0; m < METHODS; m++) {
        const dfl_solver_options capped = {
            .integrator = methods[m], .rtol = 1e-3, .step.max = 1e-3};
        const run r = run_problem(&prob, 0.25, &capped);
        assert_succeeded(&r);
        assert_true(r.stats.accepted >= 250 && r.stats.accepted < 300);
        /* a first step that is too long is rejected at once, one that is short costs a few more */
        const dfl_solver_options natural = {.integrator = methods[m], .rtol = 1e-5},
                                 eager = {.integrator = methods[m],
                                          .rtol = 1e-5,
                                          .step.first = 0.1},
                                 timid = {
                                     .integrator = methods[m], .rtol = 1e-5, .step.first = 1e-9};
        const run a = run_problem(&prob, 0.25, &natural), b = run_problem(&prob, 0.25, &eager),
                  c = run_problem(&prob, 0.25, &timid);
        assert_succeeded(&a);
        assert_succeeded(&b);
        assert_succeeded(&c);
        assert_true(b.stats.attempts - b.stats.accepted > a.stats.attempts - a.stats.accepted);
        assert_true(c.stats.accepted > a.stats.accepted);
    }
    problem_free(&prob);
}

static void the_matrix_is_kept_while_the_iteration_converges(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    for (int m = 0; m < METHODS; m++) {
        dfl_solver_options options = {.integrator = methods[m], .rtol = 1e-6};
        const run kept = run_problem(&prob, 5, &options);
        options.newton.reuse = -1;
        const run fresh = run_problem(&prob, 5, &options);
        assert_succeeded(&kept);
        assert_succeeded(&fresh);
        assert_true(kept.stats.jacobians < kept.stats.accepted / 5);
        assert_true(fresh.stats.jacobians >= fresh.stats.accepted);
    }
    problem_free(&prob);
}

static void combinations_without_a_meaning_are_refused(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    const struct {
        dfl_solver_options options;
        const char *text;
    } cases[] = {{{.integrator = DFL_BDF, .order = 6}, "choose 1 to 5 with bdf"},
                 {{.integrator = DFL_BDF, .order = -1}, "choose 1 to 5 with bdf"},
                 {{.integrator = DFL_TRAPEZOIDAL, .order = 2}, "'trapezoidal' has one order"},
                 {{.integrator = DFL_MIDPOINT, .order = 5}, "'midpoint' has one order"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const run r = run_problem(&prob, 1, &cases[i].options);
        assert_failed(&r, DFL_INVALID, cases[i].text);
    }
    problem_free(&prob);
}

/* ---- trouble ---- */

/* A pendulum whose model refuses to go below t = 0.3 m, or returns NaN there: the run ends
   before, at an accepted step. */
static int (*model)(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static bool not_a_number;
static int refuse(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const int rc = model(out, t, x, need, user);
    if (x[4] < -0.5 && not_a_number)
        out->f[0] = NAN;
    return x[4] < -0.5 && !not_a_number ? 1 : rc;
}

static void failures_end_at_the_last_accepted_step(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    model = prob.eom.eval;
    dfl_eom eom = prob.eom;
    eom.eval = refuse;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 2; k++) {
            not_a_number = k;
            const dfl_solver_options options = {.integrator = methods[m], .rtol = 1e-5};
            const run r = run_with(&eom, prob.t0, prob.x0, 1, &options, NULL);
            assert_failed(&r, k ? DFL_NOT_FINITE : DFL_CALLBACK, "eval");
            assert_near(r.x[4], -0.5, 1e-3);
            assert_true(hypot(r.x[3], r.x[4]) < 1 + 1e-4);
        }
    problem_free(&prob);
}

/* Every allocation of a solver fails once: always DFL_NO_MEMORY, nothing stays. */
static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "friction", 0));
    for (int m = 0; m < METHODS; m++)
        for (int fixed = 0; fixed < 2; fixed++) {
            const dfl_solver_options options = {.integrator = methods[m],
                                                .order = fixed && m == 0 ? 4 : 0,
                                                .step.fixed = fixed ? 1e-3 : 0};
            assert_survives_failed_allocations(&prob, &options);
        }
    problem_free(&prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_falls_with_the_tolerance),
        cmocka_unit_test(constraints_hold_at_every_step_of_long_runs),
        cmocka_unit_test(newton_tolerance_decides_about_the_residuals),
        cmocka_unit_test(invariants_are_kept),
        cmocka_unit_test(redundant_constraints_are_no_obstacle),
        cmocka_unit_test(backward_integration_returns_to_the_start),
        cmocka_unit_test(many_short_advances_cost_little_more_than_one),
        cmocka_unit_test(events_are_located_and_may_stop),
        cmocka_unit_test(fixed_steps_are_fixed_and_timed),
        cmocka_unit_test(step_sizes_obey_their_options),
        cmocka_unit_test(the_matrix_is_kept_while_the_iteration_converges),
        cmocka_unit_test(combinations_without_a_meaning_are_refused),
        cmocka_unit_test(failures_end_at_the_last_accepted_step),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
