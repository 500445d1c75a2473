/* test_output.c: what a run gives out between its steps: continuous output, projected or not,
   and its grid. */
#include "recorder.h"

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
          (dfl_solver_options){.rtol = 1e-12, .step.fixed = h, .newton.iterations = 30});
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
                                       .output.every = span / 57,
                                       .output.project = project,
                                       .output.on_output = check_output});
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
    begin(&f, "andrews", (dfl_solver_options){.rtol = 1e-4, .output.on_step = on_step});
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
                  (dfl_solver_options){
                      .rtol = rtol[k], .output.every = 0.1, .output.on_output = on_output});
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
    begin(&f, "pendulum", (dfl_solver_options){.output.on_output = on_output});
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
    begin(&f, "pendulum",
          (dfl_solver_options){.output.every = 0.25, .output.on_output = on_output});
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
    begin(&f, "pendulum",
          (dfl_solver_options){.output.every = 0.25, .output.on_output = on_output});
    const double ends[] = {0.6, -0.5, 0.25};
    const double expected[] = {0, 0.25, 0.5, 0.6, 0.5, 0.25, 0, -0.25, -0.5, -0.25, 0, 0.25};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        assert_int_equal(dfl_solver_advance(f.solver, ends[k]), DFL_OK);
    assert_int_equal(f.rec->count, 12);
    for (int i = 0; i < 12; i++)
        assert_true(f.rec->t[i] == expected[i]);
    end(&f);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
