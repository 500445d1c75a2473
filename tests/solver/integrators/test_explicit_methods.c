/* The half-explicit method and the explicit pair as integrators: orders, counts against
   published ones, constraints, continuous output, events, backward integration, everything a run
   may ask for. */
#include "evidence.h"
#include "failing_solver.h"

#include <stdlib.h>

static const dfl_integrator methods[] = {DFL_HALF_EXPLICIT, DFL_EXPLICIT_PAIR, DFL_EXTRAPOLATION};

static errors fixed_steps(const char *name, int reference, dfl_integrator integrator, int steps)
{
    return errors_after(steps, name, reference, (dfl_solver_options){.integrator = integrator});
}

/* Fails unless the error falls like h^order, within `slack`, when h is halved. */
static void assert_order(double coarse, double fine, double order, double slack, const char *what)
{
    const double observed = log2(coarse / fine);
    if (!(fabs(observed - order) <= slack))
        fail_msg("%s: order %.2f, not %.1f (errors %.2e and %.2e)", what, observed, order, coarse,
                 fine);
}

/* A plane pendulum, Andrews' mechanism with M(p), a spatial loop with redundant constraints.
   Errors lie between 1e-5 and 1e-11, above the references' own. Multipliers come from the
   acceleration level at the ends of the steps and have the order as well. */
static void half_explicit_has_order_five_in_positions_velocities_and_multipliers(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int reference, steps;
        bool multipliers;
    } cases[] = {
        {"pendulum", 4, 1000, true}, {"andrews", 2, 500, true}, {"bricard", 4, 500, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const errors a =
            fixed_steps(cases[i].name, cases[i].reference, DFL_HALF_EXPLICIT, cases[i].steps);
        const errors b =
            fixed_steps(cases[i].name, cases[i].reference, DFL_HALF_EXPLICIT, 2 * cases[i].steps);
        print_message("%-10s p %.1e %.1e v %.1e %.1e\n", cases[i].name, a.position, b.position,
                      a.velocity, b.velocity);
        assert_order(a.position, b.position, 5, 0.3, cases[i].name);
        assert_order(a.velocity, b.velocity, 5, 0.4, cases[i].name);
        if (cases[i].multipliers)
            assert_order(a.multiplier, b.multiplier, 5, 0.4, cases[i].name);
    }
}

static void explicit_pair_with_projection_has_order_eight(void **state)
{
    (void)state;
    const errors a = fixed_steps("top", 0, DFL_EXPLICIT_PAIR, 16);
    const errors b = fixed_steps("top", 0, DFL_EXPLICIT_PAIR, 32);
    assert_order(a.position, b.position, 8, 0.4, "positions");
    assert_order(a.velocity, b.velocity, 8, 0.4, "velocities");
    assert_order(a.multiplier, b.multiplier, 8, 0.4, "multipliers");
}

/* Errors of positions below 1e-4 and 1e-6 take a published half-explicit code 736 and 2232
   evaluations. */
static void andrews_mechanism_takes_fewer_evaluations_than_published(void **state)
{
    (void)state;
    const struct {
        double tolerance, error;
        long evaluations;
    } goal[] = {{1e-6, 1e-4, 736}, {1e-8, 1e-6, 2232}};
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 2; i++) {
            const double tol = goal[i].tolerance;
            const dfl_solver_options options = {
                .integrator = methods[m], .rtol = m == 0 ? tol : 10 * tol, .atol = tol};
            run r;
            run_make(&r, "andrews", 0, &options);
            const double *x = run_to(&r, 0.03);
            const double error = error_between(x, r.prob.references[2].x, r.at.p, r.at.n);
            const dfl_statistics s = dfl_solver_statistics(r.solver);
            print_message("%s: error %.1e with %ld + %ld evaluations\n",
                          dfl_integrator_name(methods[m]), error, s.evaluations,
                          s.partial_evaluations);
            assert_at_most(error, goal[i].error, "error");
            assert_true(s.evaluations < goal[i].evaluations);
            run_free(&r);
        }
}

/* Every kind of model: quaternions, contact variables, redundant and nonholonomic constraints,
   dynamic force elements, implicit friction laws. Positions and velocities end on their
   constraints to rounding, and errors are in proportion to the tolerance: 300 tol for motions of
   this length. */
static void all_levels_hold_at_every_step_of_every_kind_of_model(void **state)
{
    (void)state;
    static const char *const names[] = {
        "pendulum", "nchain", "andrews", "slidercrank",     "disk",    "sleigh", "top",
        "bricard",  "servo",  "caraxis", "fourbar_hanging", "friction"};
    for (int m = 0; m < 3; m++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const dfl_solver_options options = {
                .integrator = methods[m], .rtol = 1e-7, .atol = 1e-7};
            run r;
            run_make(&r, names[i], 0, &options);
            const problem_reference *ref = &r.prob.references[r.prob.nreferences - 1];
            while (ref->t > 20) /* of the pendulum there are later ones */
                ref--;
            const double *x = run_to(&r, ref->t);
            const dfl_statistics s = dfl_solver_statistics(r.solver);
            assert_at_most(s.max_residual.position, 1e-13, names[i]);
            assert_at_most(s.max_residual.velocity, 1e-13, names[i]);
            assert_at_most(s.max_residual.nonholonomic, 1e-13, names[i]);
            assert_at_most(s.max_residual.contact, 1e-13, names[i]);
            assert_at_most(s.max_residual.acceleration, 1e-10, names[i]);
            assert_at_most(error_between(x, ref->x, r.at.p, r.at.n), 3e-5, names[i]);
            run_free(&r);
        }
}

/* The wheelset has contact variables; 1 s is enough. */
static void contact_variables_follow_the_positions(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        const dfl_solver_options options = {.integrator = methods[m], .rtol = 1e-6, .atol = 1e-6},
                                 radau = {.rtol = 1e-9, .atol = 1e-9};
        run a, b;
        run_make(&a, "wheelset", 0, &options);
        run_make(&b, "wheelset", 0, &radau);
        const double *x = run_to(&a, 0.5), *y = run_to(&b, 0.5);
        assert_at_most(error_between(x, y, a.at.s, a.at.n), 1e-6, "s, p");
        assert_at_most(dfl_solver_statistics(a.solver).max_residual.contact, 1e-13, "contact");
        run_free(&a);
        run_free(&b);
    }
}

/* Invariants are kept by moving velocities along the constraints: the pendulum's energy, except
   near its turning points, where it says nothing about v; energy and momenta of the top to
   rounding. The pendulum's phase gains four digits. */
static void invariants_are_kept(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        const dfl_solver_options options = {.integrator = methods[m]};
        run a, b, c;
        run_make(&a, "pendulum", 0, &options);
        run_make(&b, "pendulum_energy", 0, &options);
        run_make(&c, "top_invariants", 0, &options);
        const double *x = run_to(&a, 10), *y = run_to(&b, 10), *exact = a.prob.references[4].x;
        run_to(&c, 2);
        assert_true(error_between(y, exact, b.at.p, b.at.n) <
                    1e-3 * error_between(x, exact, a.at.p, a.at.n));
        assert_at_most(dfl_solver_statistics(b.solver).max_residual.invariant, 1e-6, "energy");
        assert_at_most(dfl_solver_statistics(c.solver).max_residual.invariant, 1e-12, "top");
        run_free(&a);
        run_free(&b);
        run_free(&c);
    }
}

/* The velocity of a massless part between springs and dampers follows from its balance of
   forces. */
static void massless_directions_follow_their_balance(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        const dfl_solver_options options = {.integrator = methods[m]};
        run r;
        run_make(&r, "oscillator", 0, &options);
        const problem_reference *ref = &r.prob.references[r.prob.nreferences - 1];
        const double *x = run_to(&r, ref->t);
        assert_at_most(error_between(x, ref->x, r.at.p, r.at.n), 1e-6, "positions");
        run_free(&r);
    }
}

/* The largest error of the state over a step of size h from the pendulum's reference 3, inside
   the step. */
static double inside_a_step(dfl_integrator integrator, double h, bool multipliers)
{
    const dfl_solver_options options = {.integrator = integrator, .step.fixed = h},
                             fine = {.integrator = DFL_EXPLICIT_PAIR, .rtol = 1e-13, .atol = 1e-13};
    double x[5], largest = 0;
    run r, exact;
    run_make(&r, "pendulum", 0, &options);
    run_make(&exact, "pendulum", 0, &fine);
    run_to(&r, h);
    for (int k = 1; k < 8; k++) {
        const double *y = run_to(&exact, h * k / 8);
        assert_int_equal(dfl_solver_interpolate(x, r.solver, h * k / 8, false), DFL_OK);
        largest = fmax(largest, multipliers ? fabs(x[0] - y[0]) : error_between(x, y, 1, 5));
    }
    run_free(&r);
    run_free(&exact);
    return largest;
}

/* Orders 7 and 4 mean h^8 and h^5 in one step from an exact state. Multipliers go through seven
   and four nodes: h^7 of the first, h^4 or better of the second. */
static void continuous_output_has_its_order(void **state)
{
    (void)state;
    assert_order(inside_a_step(DFL_EXPLICIT_PAIR, 0.2, false),
                 inside_a_step(DFL_EXPLICIT_PAIR, 0.1, false), 8, 1, "explicit-pair");
    assert_order(inside_a_step(DFL_HALF_EXPLICIT, 0.08, false),
                 inside_a_step(DFL_HALF_EXPLICIT, 0.04, false), 5, 1, "half-explicit");
    const double a = inside_a_step(DFL_EXPLICIT_PAIR, 0.2, true),
                 b = inside_a_step(DFL_EXPLICIT_PAIR, 0.1, true),
                 c = inside_a_step(DFL_HALF_EXPLICIT, 0.08, true),
                 d = inside_a_step(DFL_HALF_EXPLICIT, 0.04, true);
    assert_order(a, b, 7, 1, "multipliers of explicit-pair");
    assert_true(c > 16 * d);
}

static int height(double *value, double t, const double *x, void *user)
{
    (void)t, (void)user;
    value[0] = x[3]; /* the pendulum's x passes zero at its lowest point */
    return 0;
}

static int note_time(int event, int direction, double t, const double *x, void *user)
{
    double **next = user;
    (void)event, (void)direction, (void)x;
    *(*next)++ = t;
    return 0;
}

/* From rest at (1, 0) a pendulum of period 2 passes its lowest point at 0.5, 1.5, 2.5, ... */
static void events_are_found_at_their_exact_times(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        double times[8] = {0}, *next = times;
        const dfl_solver_options options = {.integrator = methods[m],
                                            .rtol = 1e-9,
                                            .atol = 1e-9,
                                            .events.count = 1,
                                            .events.eval = height,
                                            .events.on_event = note_time,
                                            .user = &next};
        run r;
        run_make(&r, "pendulum", 0, &options);
        run_to(&r, 4);
        assert_int_equal(next - times, 4);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(times[k] - (0.5 + k)) < 1e-6);
        run_free(&r);
    }
}

/* Forward and back again: the start, to the accuracy of both ways. */
static void time_may_run_backwards(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        const dfl_solver_options options = {.integrator = methods[m], .rtol = 1e-9, .atol = 1e-9};
        run r;
        run_make(&r, "andrews", 0, &options);
        run_to(&r, 0.005);
        const double *x = run_to(&r, 0);
        assert_at_most(error_between(x, r.prob.x0, r.at.p, r.at.n), 1e-7, "positions");
        run_free(&r);
    }
}

static int stop_soon(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    int *left = user;
    (void)solver, (void)t_old, (void)t, (void)x;
    return (*left)-- == 0;
}

/* Stopped and continued, a run takes the same steps as one that was left alone. */
static void a_stopped_run_continues_as_if_nothing_had_happened(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        int left = 7, never = -1;
        dfl_solver_options options = {.integrator = methods[m],
                                      .output.on_step = stop_soon,
                                      .user = &left},
                           whole = options;
        whole.user = &never;
        run a, b;
        run_make(&a, "slidercrank", 0, &options);
        run_make(&b, "slidercrank", 0, &whole);
        assert_int_equal(dfl_solver_advance(a.solver, 0.5), DFL_STOPPED);
        const double *x = run_to(&a, 0.5), *y = run_to(&b, 0.5);
        assert_memory_equal(x, y, (size_t)a.at.n * sizeof *x);
        run_free(&a);
        run_free(&b);
    }
}

/* Rows on a grid cost nothing that changes the steps. */
static void output_on_a_grid_does_not_change_the_steps(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        const dfl_solver_options options = {.integrator = methods[m]};
        double x[8];
        run a, b;
        run_make(&a, "slidercrank", 0, &options);
        run_make(&b, "slidercrank", 0, &options);
        for (int k = 1; k <= 3; k++) {
            assert_int_equal(dfl_solver_advance(a.solver, 0.1 * k), DFL_OK);
            assert_int_equal(dfl_solver_advance(b.solver, 0.1 * k), DFL_OK);
            const double t = dfl_solver_time(a.solver) - 1e-4;
            assert_int_equal(dfl_solver_interpolate(x, a.solver, t, true), DFL_OK);
        }
        assert_memory_equal(dfl_solver_state(a.solver), dfl_solver_state(b.solver), sizeof x);
        run_free(&a);
        run_free(&b);
    }
}

/* Four bars that fall flat: a singular position is not stepped over. */
static void a_singular_position_stops_the_run(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        const dfl_solver_options options = {.integrator = methods[m]};
        run r;
        run_make(&r, "fourbar", 0, &options);
        assert_int_equal(dfl_solver_advance(r.solver, 5), DFL_RANK_CHANGED);
        assert_non_null(strstr(dfl_message(r.ctx), "singular position"));
        run_free(&r);
    }
}

static void wrong_combinations_are_refused_with_a_reason(void **state)
{
    (void)state;
    const struct {
        const char *problem;
        dfl_form form;
        dfl_integrator integrator;
        const char *because;
    } wrong[] = {{"pendulum", DFL_EOM, DFL_EXPLICIT_PAIR, "no explicit right-hand side"},
                 {"pendulum", DFL_GGL, DFL_EXPLICIT_PAIR, "no explicit right-hand side"},
                 {"pendulum", DFL_UODE, DFL_HALF_EXPLICIT, "goes with the form psf"},
                 {"top", DFL_PARTITION, DFL_EXPLICIT_PAIR, "p' = v"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        problem prob;
        assert_true(problem_make(&prob, wrong[i].problem, 0));
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        const dfl_solver_options options = {.form = wrong[i].form,
                                            .integrator = wrong[i].integrator};
        assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_INVALID);
        if (!strstr(dfl_message(ctx), wrong[i].because))
            fail_msg("'%s' does not say '%s'", dfl_message(ctx), wrong[i].because);
        dfl_context_free(ctx);
        problem_free(&prob);
    }
}

static void create_survives_every_failed_allocation(void **state)
{
    (void)state;
    const struct {
        dfl_integrator integrator;
        dfl_form form;
    } kind[] = {
        {DFL_HALF_EXPLICIT, DFL_PSF}, {DFL_EXPLICIT_PAIR, DFL_PARTITION}, {DFL_RADAU, DFL_QR}};
    problem prob;
    assert_true(problem_make(&prob, "friction", 0)); /* forces that depend on multipliers */
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        const dfl_solver_options options = {.integrator = kind[k].integrator, .form = kind[k].form};
        assert_survives_failed_allocations(&prob, &options);
    }
    problem_free(&prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_explicit_has_order_five_in_positions_velocities_and_multipliers),
        cmocka_unit_test(explicit_pair_with_projection_has_order_eight),
        cmocka_unit_test(andrews_mechanism_takes_fewer_evaluations_than_published),
        cmocka_unit_test(all_levels_hold_at_every_step_of_every_kind_of_model),
        cmocka_unit_test(contact_variables_follow_the_positions),
        cmocka_unit_test(invariants_are_kept),
        cmocka_unit_test(massless_directions_follow_their_balance),
        cmocka_unit_test(continuous_output_has_its_order),
        cmocka_unit_test(events_are_found_at_their_exact_times),
        cmocka_unit_test(time_may_run_backwards),
        cmocka_unit_test(a_stopped_run_continues_as_if_nothing_had_happened),
        cmocka_unit_test(output_on_a_grid_does_not_change_the_steps),
        cmocka_unit_test(a_singular_position_stops_the_run),
        cmocka_unit_test(wrong_combinations_are_refused_with_a_reason),
        cmocka_unit_test(create_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
