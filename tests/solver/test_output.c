/* test_output.c: what a run gives out between its steps, and how runs can be cut, turned and
   repeated. Exact values are those of the pendulum of period 2 (problems/pendulum.c). */
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

static void begin(fixture *f, const char *name, dfl_solver_options options)
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

static void end(fixture *f)
{
    dfl_solver_free(f->solver);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
    problem_free(&f->prob);
    free(f->rec);
}

static int on_output(double t, const double *x, void *user)
{
    recorder *rec = user;
    assert_true(rec->count < MOST);
    rec->t[rec->count] = t;
    memcpy(rec->x[rec->count], x, (size_t)rec->n * sizeof *x);
    return ++rec->count == rec->stop_at;
}

static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
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

/* The exact x and y at time t, by Jacobi's functions as series of the theta functions:
   k^2 = 1/2, nome exp(-pi). */
static void exact_position(double *x, double *y, double t)
{
    const double pi = 3.14159265358979323846, q = exp(-pi), z = 0.5 * pi * (1 + 2 * t);
    double s = 0, s2 = 0, d3 = 1, d4 = 1, sum3 = 1, sum4 = 1;
    for (int n = 0; n < 8; n++) { /* u = K + sqrt(g) t = K (1 + 2 t) */
        const double sign = n % 2 ? -1 : 1;
        s += 2 * sign * pow(q, (n + 0.5) * (n + 0.5)) * sin((2 * n + 1) * z);
        s2 += 2 * pow(q, (n + 0.5) * (n + 0.5));
    }
    for (int n = 1; n < 8; n++) {
        const double w = 2 * pow(q, n * n), sign = n % 2 ? -1 : 1;
        d3 += w * cos(2 * n * z);
        d4 += sign * w * cos(2 * n * z);
        sum3 += w;
        sum4 += sign * w;
    }
    const double sn = sum3 / s2 * s / d4, dn = sum4 / sum3 * d3 / d4;
    const double S = sqrt(0.5) * sn;
    *x = 2 * S * dn;
    *y = 2 * S * S - 1;
}

static void the_exact_solution_of_this_test_agrees_with_the_references(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    for (int i = 0; i < prob.nreferences && prob.references[i].t < 100; i++) {
        double x, y;
        exact_position(&x, &y, prob.references[i].t);
        assert_near(x, prob.references[i].x[3], 2e-13);
        assert_near(y, prob.references[i].x[4], 2e-13);
    }
    problem_free(&prob);
}

/* The largest error of x and y inside and, in *at_end, after steps of size h from 0 to 0.4. */
static double interpolation_error(double h, double *at_end)
{
    fixture f;
    begin(&f, "pendulum",
          (dfl_solver_options){.rtol = 1e-12, .fixed_step = h, .newton_iterations = 30});
    const double steps = round(0.4 / h);
    double x, y, largest = 0, state[5];
    for (int k = 1; k <= (int)steps; k++) {
        assert_int_equal(dfl_solver_advance(f.solver, k * h), DFL_OK);
        for (int i = 0; i <= 20; i++) {
            const double t = (k - 1 + i / 20.0) * h;
            assert_int_equal(dfl_solver_interpolate(state, f.solver, t, false), DFL_OK);
            exact_position(&x, &y, t);
            largest = fmax(largest, fmax(fabs(state[3] - x), fabs(state[4] - y)));
        }
    }
    exact_position(&x, &y, 0.4);
    *at_end =
        fmax(fabs(dfl_solver_state(f.solver)[3] - x), fabs(dfl_solver_state(f.solver)[4] - y));
    end(&f);
    return largest;
}

/* The collocation polynomial of degree 3 has the error c h^4; the ends of the steps have h^5. */
static void the_continuous_output_has_order_four(void **state)
{
    (void)state;
    double end1, end2;
    const double e1 = interpolation_error(0.04, &end1), e2 = interpolation_error(0.02, &end2);
    assert_between(log2(e1 / e2), 3.5, 4.5);
    assert_true(end2 < 0.1 * e2);
}

static void the_continuous_output_meets_the_ends_of_the_step(void **state)
{
    (void)state;
    fixture f;
    double x[RUN_MOST], old[RUN_MOST];
    begin(&f, "andrews", (dfl_solver_options){0});
    double t_old = 0;
    for (int k = 1; k < 20; k++) {
        memcpy(old, dfl_solver_state(f.solver), (size_t)f.n * sizeof *x);
        t_old = dfl_solver_time(f.solver);
        const double h = fmin(fabs(dfl_solver_step(f.solver)), 1e-3);
        const long before = dfl_solver_statistics(f.solver).accepted;
        assert_int_equal(dfl_solver_advance(f.solver, t_old + (h > 0 ? 0.9 * h : 1e-6)), DFL_OK);
        if (dfl_solver_statistics(f.solver).accepted != before + 1)
            continue;
        const double t = dfl_solver_time(f.solver);
        assert_int_equal(dfl_solver_interpolate(x, f.solver, t, false), DFL_OK);
        assert_true(distance(x, dfl_solver_state(f.solver), f.n) == 0);
        assert_int_equal(dfl_solver_interpolate(x, f.solver, t_old, false), DFL_OK);
        /* multipliers are of order 100; the cubic's Newton form costs a few roundings. At the
           start of the first step w, l, m of the model may jump by the tolerance of Newton */
        for (int i = 0; i < f.n; i++)
            assert_near(x[i], old[i], 1e-12 * fmax(1, fabs(old[i])));
    }
    end(&f);
}

static void interpolation_outside_the_last_step_is_refused(void **state)
{
    (void)state;
    fixture f;
    double x[RUN_MOST];
    begin(&f, "pendulum", (dfl_solver_options){0});
    assert_int_equal(dfl_solver_interpolate(x, f.solver, 0, false), DFL_OK); /* the start itself */
    assert_int_equal(dfl_solver_interpolate(x, f.solver, 1e-9, false), DFL_INVALID);
    assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_OK);
    assert_int_equal(dfl_solver_interpolate(x, f.solver, 1, false), DFL_OK);
    const double outside[] = {1 + 1e-9, 0, -1, 1e300, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_int_equal(dfl_solver_interpolate(x, f.solver, outside[i], false), DFL_INVALID);
        assert_non_null(strstr(dfl_message(f.ctx), "outside the last step"));
    }
    end(&f);
}

static int check_output(double t, const double *x, void *user)
{
    recorder *rec = user;
    rec->residual = fmax(rec->residual, residual_of(rec->eom, t, x));
    return on_output(t, x, user);
}

/* Near rounding: 1e-11 times the size of the terms, which stay below 1e2 in these problems. */
static void projected_output_satisfies_every_level(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum_energy", "andrews",        "bricard", "friction",
                                 "oscillator",      "top_invariants", "flyball"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int project = 0; project <= 1; project++) {
            fixture f;
            problem prob;
            assert_true(problem_make(&prob, names[k], 0));
            const double span = fmin(prob.t_end - prob.t0, 0.5), t_end = prob.t0 + span;
            problem_free(&prob);
            begin(&f, names[k],
                  (dfl_solver_options){.rtol = 1e-4,
                                       .every = span / 57,
                                       .project_output = project,
                                       .on_output = check_output});
            assert_int_equal(dfl_solver_advance(f.solver, t_end), DFL_OK);
            assert_int_equal(f.rec->count, 58);
            if (project && f.rec->residual > 1e-9)
                fail_msg("%s: residual %g", names[k], f.rec->residual);
            end(&f);
        }
}

static void interpolated_states_are_projected_on_request(void **state)
{
    (void)state;
    fixture f;
    double x[RUN_MOST], raw[RUN_MOST];
    begin(&f, "andrews", (dfl_solver_options){.rtol = 1e-4, .on_step = on_step});
    assert_int_equal(dfl_solver_advance(f.solver, 0.01), DFL_OK);
    const double t = 0.5 * (f.rec->last_old + f.rec->last);
    assert_int_equal(dfl_solver_interpolate(raw, f.solver, t, false), DFL_OK);
    assert_int_equal(dfl_solver_interpolate(x, f.solver, t, true), DFL_OK);
    assert_true(residual_of(&f.prob.eom, t, x) < 1e-11);
    assert_true(residual_of(&f.prob.eom, t, raw) > 1e-11);
    const int p = dfl_eom_layout(&f.prob.eom).p;
    assert_true(distance(x + p, raw + p, f.prob.eom.np) < 1e-3); /* ten times the tolerance */
    /* the solver itself is not disturbed */
    assert_int_equal(dfl_solver_advance(f.solver, 0.02), DFL_OK);
    end(&f);
}

/* 0.1 k in floating point, end points included, whatever the steps. */
static void the_output_grid_has_exact_times(void **state)
{
    (void)state;
    const double rtol[] = {1e-3, 1e-6, 1e-10};
    for (int sign = -1; sign <= 1; sign += 2)
        for (int k = 0; k < 3; k++) {
            fixture f;
            begin(&f, "pendulum",
                  (dfl_solver_options){.rtol = rtol[k], .every = 0.1, .on_output = on_output});
            assert_int_equal(dfl_solver_advance(f.solver, sign * 3.05), DFL_OK);
            assert_int_equal(f.rec->count, 32);
            for (int i = 0; i <= 30; i++)
                assert_true(f.rec->t[i] == sign * (0.1 * i));
            assert_true(f.rec->t[31] == sign * 3.05);
            for (int i = 0; i < 32; i++) {
                double x, y;
                exact_position(&x, &y, f.rec->t[i]);
                assert_near(f.rec->x[i][3], x, 300 * rtol[k]);
                assert_near(f.rec->x[i][4], y, 300 * rtol[k]);
            }
            end(&f);
        }
}

static void without_a_grid_only_the_ends_are_given_out(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "pendulum", (dfl_solver_options){.on_output = on_output});
    assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_OK);
    assert_int_equal(dfl_solver_advance(f.solver, 3), DFL_OK);
    assert_int_equal(f.rec->count, 3);
    assert_true(f.rec->t[0] == 0 && f.rec->t[1] == 1 && f.rec->t[2] == 3);
    end(&f);
}

static void a_grid_goes_on_over_several_advances(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "pendulum", (dfl_solver_options){.every = 0.25, .on_output = on_output});
    const double ends[] = {0.5, 0.6, 0.7, 0.75, 1.3};
    const double expected[] = {0, 0.25, 0.5, 0.6, 0.7, 0.75, 1, 1.25, 1.3};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        assert_int_equal(dfl_solver_advance(f.solver, ends[k]), DFL_OK);
    assert_int_equal(f.rec->count, 9);
    for (int i = 0; i < 9; i++)
        assert_true(f.rec->t[i] == expected[i]);
    end(&f);
}

static void a_grid_is_also_met_on_the_way_back(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "pendulum", (dfl_solver_options){.every = 0.25, .on_output = on_output});
    const double ends[] = {0.6, -0.5, 0.25};
    const double expected[] = {0, 0.25, 0.5, 0.6, 0.5, 0.25, 0, -0.25, -0.5, -0.25, 0, 0.25};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        assert_int_equal(dfl_solver_advance(f.solver, ends[k]), DFL_OK);
    assert_int_equal(f.rec->count, 12);
    for (int i = 0; i < 12; i++)
        assert_true(f.rec->t[i] == expected[i]);
    end(&f);
}

static void on_step_may_stop_and_the_run_goes_on_from_there(void **state)
{
    (void)state;
    fixture f, g;
    begin(&f, "pendulum", (dfl_solver_options){.on_step = on_step});
    begin(&g, "pendulum", (dfl_solver_options){0});
    f.rec->stop_step = 7;
    assert_int_equal(dfl_solver_advance(f.solver, 3), DFL_STOPPED);
    assert_non_null(strstr(dfl_message(f.ctx), "on_step"));
    assert_int_equal(dfl_solver_statistics(f.solver).accepted, 7);
    assert_true(dfl_solver_time(f.solver) == f.rec->last);
    assert_int_equal(dfl_solver_advance(f.solver, 3), DFL_OK);
    assert_int_equal(dfl_solver_advance(g.solver, 3), DFL_OK);
    /* a stop changes nothing */
    assert_true(distance(dfl_solver_state(f.solver), dfl_solver_state(g.solver), f.n) == 0);
    assert_int_equal(f.rec->steps, dfl_solver_statistics(f.solver).accepted + 1);
    end(&f);
    end(&g);
}

static void on_output_may_stop_and_the_grid_goes_on_without_a_gap(void **state)
{
    (void)state;
    for (int stop = 2; stop < 40; stop += 3) {
        fixture f;
        begin(&f, "pendulum",
              (dfl_solver_options){.rtol = 1e-3, .every = 0.01, .on_output = on_output});
        f.rec->stop_at = stop;
        assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_STOPPED);
        assert_non_null(strstr(dfl_message(f.ctx), "on_output"));
        assert_true(f.rec->t[stop - 1] <= dfl_solver_time(f.solver));
        assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_OK);
        assert_int_equal(f.rec->count, 101);
        for (int i = 0; i <= 100; i++)
            assert_near(f.rec->t[i], 0.01 * i, 1e-15);
        end(&f);
    }
}

/* Stopped within a step, then turned round: the grid of the way back begins at the present time. */
static void a_stopped_run_may_turn_round(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "pendulum",
          (dfl_solver_options){.rtol = 1e-3, .every = 0.01, .on_output = on_output});
    f.rec->stop_at = 30;
    assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_STOPPED);
    const double t = dfl_solver_time(f.solver);
    assert_int_equal(dfl_solver_advance(f.solver, 0), DFL_OK);
    assert_true(f.rec->t[30] < t && f.rec->t[30] >= t - 0.01);
    assert_true(f.rec->t[f.rec->count - 1] == 0);
    end(&f);
}

/* The error of either way is within ten times the tolerance or so. */
static void integrating_back_returns_to_the_start(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum", "pendulum_energy", "sleigh", "top_invariants"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        fixture f;
        begin(&f, names[k], (dfl_solver_options){.rtol = 1e-8});
        const dfl_layout at = dfl_eom_layout(&f.prob.eom);
        double x0[RUN_MOST];
        memcpy(x0, dfl_solver_state(f.solver), (size_t)f.n * sizeof *x0);
        const double span = fmin(1, f.prob.t_end - f.prob.t0);
        if (dfl_solver_advance(f.solver, f.prob.t0 + span))
            fail_msg("%s: %s", names[k], dfl_message(f.ctx));
        assert_int_equal(dfl_solver_advance(f.solver, f.prob.t0), DFL_OK);
        assert_true(dfl_solver_time(f.solver) == f.prob.t0);
        for (int i = at.v; i < at.n; i++)
            assert_near(dfl_solver_state(f.solver)[i], x0[i], 1e-5 * fmax(1, fabs(x0[i])));
        end(&f);
    }
}

/* Fifty pieces cost at most one cut step each, and the step size survives a cut. */
static void many_small_advances_agree_with_one(void **state)
{
    (void)state;
    fixture f, g;
    begin(&f, "pendulum", (dfl_solver_options){.rtol = 1e-8});
    begin(&g, "pendulum", (dfl_solver_options){.rtol = 1e-8});
    assert_int_equal(dfl_solver_advance(f.solver, 2.5), DFL_OK);
    for (int k = 1; k <= 50; k++)
        assert_int_equal(dfl_solver_advance(g.solver, 0.05 * k), DFL_OK);
    const dfl_statistics one = dfl_solver_statistics(f.solver);
    const dfl_statistics many = dfl_solver_statistics(g.solver);
    assert_true(dfl_solver_time(f.solver) == dfl_solver_time(g.solver));
    assert_true(distance(dfl_solver_state(f.solver), dfl_solver_state(g.solver), f.n) < 1e-6);
    assert_true(many.accepted <= one.accepted + 50);
    end(&f);
    end(&g);
}

static void an_advance_of_length_zero_changes_nothing(void **state)
{
    (void)state;
    fixture f;
    double x[RUN_MOST];
    begin(&f, "andrews", (dfl_solver_options){.on_output = on_output, .on_step = on_step});
    assert_int_equal(dfl_solver_advance(f.solver, 0), DFL_OK);
    assert_int_equal(dfl_solver_statistics(f.solver).attempts, 0);
    assert_int_equal(dfl_solver_advance(f.solver, 0.01), DFL_OK);
    memcpy(x, dfl_solver_state(f.solver), (size_t)f.n * sizeof *x);
    const int outputs = f.rec->count;
    const double h = dfl_solver_step(f.solver);
    assert_int_equal(dfl_solver_advance(f.solver, 0.01), DFL_OK);
    assert_true(distance(x, dfl_solver_state(f.solver), f.n) == 0);
    assert_true(dfl_solver_step(f.solver) == h);
    assert_int_equal(f.rec->count, outputs);
    end(&f);
}

static void an_advance_by_one_rounding_error_succeeds(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "pendulum", (dfl_solver_options){0});
    assert_int_equal(dfl_solver_advance(f.solver, 1), DFL_OK);
    for (int k = 0; k < 5; k++) {
        const double t = nextafter(dfl_solver_time(f.solver), 2);
        assert_int_equal(dfl_solver_advance(f.solver, t), DFL_OK);
        assert_true(dfl_solver_time(f.solver) == t);
    }
    assert_int_equal(dfl_solver_advance(f.solver, 2), DFL_OK);
    assert_near(dfl_solver_state(f.solver)[3], 1, 1e-4);
    end(&f);
}

static void advance_some(fixture *f, double *x, double t_end)
{
    assert_int_equal(dfl_solver_advance(f->solver, t_end), DFL_OK);
    memcpy(x, dfl_solver_state(f->solver), (size_t)f->n * sizeof *x);
}

static double short_span(const problem *prob)
{
    return prob->t0 + fmin(0.3, 0.3 * (prob->t_end - prob->t0));
}

static void starting_again_repeats_a_run_bit_by_bit(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum_energy", "andrews", "bricard",        "friction",
                                 "oscillator",      "servo",   "top_invariants", "slidercrank",
                                 "fekete",          "sleigh"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int selectors = DFL_ORTHOGONAL; selectors <= DFL_UNIT; selectors++) {
            problem prob;
            assert_true(problem_make(&prob, names[k], 0));
            const int n = dfl_eom_unknowns(&prob.eom);
            const double t_end = short_span(&prob);
            double *x = calloc((size_t)n, sizeof *x);
            dfl_context *ctx = dfl_context_create();
            dfl_solver *solver = NULL;
            const dfl_solver_options options = {.selectors = (dfl_selectors)selectors};
            assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
            dfl_statistics first = {0};
            for (int round = 0; round < 3; round++) {
                if (dfl_solver_start(solver, prob.t0, prob.x0, NULL) ||
                    dfl_solver_advance(solver, t_end))
                    fail_msg("%s, selectors %d: %s", names[k], selectors, dfl_message(ctx));
                const dfl_statistics stats = dfl_solver_statistics(solver);
                if (round == 0) {
                    memcpy(x, dfl_solver_state(solver), (size_t)n * sizeof *x);
                    first = stats;
                } else if (memcmp(x, dfl_solver_state(solver), (size_t)n * sizeof *x) != 0) {
                    fail_msg("%s differs when started again", names[k]);
                }
                assert_int_equal(stats.evaluations, first.evaluations);
                assert_int_equal(stats.jacobians, first.jacobians);
                assert_int_equal(stats.check_evaluations, first.check_evaluations);
                if (round == 1) /* leave it somewhere else */
                    assert_int_equal(dfl_solver_advance(solver, t_end + 0.01 * (t_end - prob.t0)),
                                     DFL_OK);
            }
            dfl_solver_free(solver);
            dfl_context_free(ctx);
            free(x);
            problem_free(&prob);
        }
}

static void two_solvers_side_by_side_do_not_disturb_each_other(void **state)
{
    (void)state;
    fixture f, g;
    double alone_f[RUN_MOST], alone_g[RUN_MOST], x[RUN_MOST];
    begin(&f, "andrews", (dfl_solver_options){0});
    begin(&g, "friction", (dfl_solver_options){.selectors = DFL_UNIT});
    for (int k = 1; k <= 10; k++)
        advance_some(&f, alone_f, 0.003 * k);
    for (int k = 1; k <= 10; k++)
        advance_some(&g, alone_g, 0.2 * k);
    end(&f);
    end(&g);
    begin(&f, "andrews", (dfl_solver_options){0});
    begin(&g, "friction", (dfl_solver_options){.selectors = DFL_UNIT});
    for (int k = 1; k <= 10; k++) {
        advance_some(&g, x, 0.2 * k);
        advance_some(&f, x, 0.003 * k);
    }
    assert_memory_equal(dfl_solver_state(f.solver), alone_f, (size_t)f.n * sizeof(double));
    assert_memory_equal(dfl_solver_state(g.solver), alone_g, (size_t)g.n * sizeof(double));
    end(&f);
    end(&g);
}

/* A model that counts its own calls. */
typedef struct counter {
    const dfl_eom *model;
    long eval, mass, jacobian;
} counter;

static int counted_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    counter *c = user;
    c->eval++;
    return c->model->eval(out, t, x, need, c->model->user);
}

static int counted_mass(double *M, double t, const double *x, void *user)
{
    counter *c = user;
    c->mass++;
    return c->model->mass(M, t, x, c->model->user);
}

static int counted_jacobian(dfl_jacobian *out, double t, const double *x, const double *a,
                            void *user)
{
    counter *c = user;
    c->jacobian++;
    return c->model->jacobian(out, t, x, a, c->model->user);
}

static void the_statistics_count_every_call_of_the_model(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum_energy", "andrews", "bricard", "oscillator", "friction"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int differences = 0; differences <= 1; differences++) {
            fixture f;
            begin(&f, names[k], (dfl_solver_options){0});
            counter c = {.model = &f.prob.eom};
            dfl_eom eom = f.prob.eom;
            eom.user = &c;
            eom.eval = counted_eval;
            eom.mass = eom.mass ? counted_mass : NULL;
            eom.jacobian = eom.jacobian && !differences ? counted_jacobian : NULL;
            const dfl_solver_options options = {.every = short_span(&f.prob) / 10,
                                                .project_output = true,
                                                .on_output = on_output,
                                                .user = f.rec};
            dfl_solver *solver = NULL;
            assert_int_equal(dfl_solver_create(&solver, f.ctx, &eom, &options), DFL_OK);
            assert_int_equal(dfl_solver_start(solver, f.prob.t0, f.prob.x0, NULL), DFL_OK);
            assert_int_equal(dfl_solver_advance(solver, short_span(&f.prob)), DFL_OK);
            const dfl_statistics s = dfl_solver_statistics(solver);
            if (s.evaluations + s.difference_evaluations + s.check_evaluations != c.eval)
                fail_msg("%s: %ld + %ld + %ld evaluations, %ld calls", names[k], s.evaluations,
                         s.difference_evaluations, s.check_evaluations, c.eval);
            assert_true(s.accepted > 0);
            assert_true(s.accepted + s.rejected_error + s.rejected_newton <= s.attempts);
            /* only rejections of the first step are left out of rejected_error, as in RADAU5 */
            assert_true(s.accepted + s.rejected_error + s.rejected_newton >= s.attempts - 5);
            assert_true(s.algebraic_decompositions <= s.jacobians);
            assert_true(s.seconds > 0);
            assert_true(s.max_residual.position < 1e-6 && s.max_residual.velocity < 1e-4);
            if (eom.jacobian)
                assert_true(s.jacobians <= c.jacobian);
            dfl_solver_free(solver);
            end(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_solution_of_this_test_agrees_with_the_references),
        cmocka_unit_test(the_continuous_output_has_order_four),
        cmocka_unit_test(the_continuous_output_meets_the_ends_of_the_step),
        cmocka_unit_test(interpolation_outside_the_last_step_is_refused),
        cmocka_unit_test(projected_output_satisfies_every_level),
        cmocka_unit_test(interpolated_states_are_projected_on_request),
        cmocka_unit_test(the_output_grid_has_exact_times),
        cmocka_unit_test(without_a_grid_only_the_ends_are_given_out),
        cmocka_unit_test(a_grid_goes_on_over_several_advances),
        cmocka_unit_test(a_grid_is_also_met_on_the_way_back),
        cmocka_unit_test(on_step_may_stop_and_the_run_goes_on_from_there),
        cmocka_unit_test(on_output_may_stop_and_the_grid_goes_on_without_a_gap),
        cmocka_unit_test(a_stopped_run_may_turn_round),
        cmocka_unit_test(integrating_back_returns_to_the_start),
        cmocka_unit_test(many_small_advances_agree_with_one),
        cmocka_unit_test(an_advance_of_length_zero_changes_nothing),
        cmocka_unit_test(an_advance_by_one_rounding_error_succeeds),
        cmocka_unit_test(starting_again_repeats_a_run_bit_by_bit),
        cmocka_unit_test(two_solvers_side_by_side_do_not_disturb_each_other),
        cmocka_unit_test(the_statistics_count_every_call_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
