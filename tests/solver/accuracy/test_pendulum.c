/* The pendulum of period 2 over 500 periods at 1e-7: no level of the constraints drifts, the energy
   as an invariant is kept through 1000 turning points, and the three forms rank as published. */
#include "evidence.h"

static const double tol = 1e-7;

/* What a run of [0, 1000] shows. Errors are the largest of the last ten periods. */
typedef struct long_run {
    double position, multiplier, energy;
    dfl_statistics stats;
} long_run;

typedef struct watch {
    const problem *prob;
    double energy, start; /* largest change, value at the start */
} watch;

static int watch_energy(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    watch *w = user;
    const double energy = w->prob->energy(x, w->prob->parameters);
    (void)solver;
    if (t == t_old)
        w->start = energy;
    w->energy = fmax(w->energy, fabs(energy - w->start));
    return 0;
}

/* The errors against the exact solution at four phases of every one of the last ten periods. */
static void compare_last_periods(long_run *out, run *r)
{
    for (int period = 490; period < 500; period++)
        for (int i = 0; i < 4; i++) { /* references at t = 0.25, 0.5, 1, 1.3 */
            const problem_reference *ref = &r->prob.references[i];
            const double *x = run_to(r, 2.0 * period + ref->t);
            out->position = fmax(out->position, error_between(x, ref->x, r->at.p, r->at.n));
            out->multiplier =
                fmax(out->multiplier, error_between(x, ref->x, r->at.lambda, r->at.v));
        }
}

static long_run solve(const char *name, dfl_form form, int order)
{
    problem prob;
    assert_true(problem_make(&prob, name, 0));
    watch w = {.prob = &prob};
    const dfl_solver_options options = {
        .rtol = tol, .order = order, .form = form, .output.on_step = watch_energy, .user = &w};
    long_run out = {0};
    run r;
    run_start(&r, &prob, &options);
    compare_last_periods(&out, &r);
    run_to(&r, 1000);
    out.energy = w.energy;
    out.stats = dfl_solver_statistics(r.solver);
    print_message(
        "%-15s %s order %d: steps %ld, attempts %ld, without invariant %ld; position %.1e, lambda "
        "%.1e, energy %.1e; g %.1e, gI %.1e, gII %.1e, e %.1e\n",
        name, form == DFL_PSF ? "psf " : "psi1", order, out.stats.accepted, out.stats.attempts,
        out.stats.steps_without_invariants, out.position, out.multiplier, out.energy,
        out.stats.max_residual.position, out.stats.max_residual.velocity,
        out.stats.max_residual.acceleration, out.stats.max_residual.invariant);
    run_free(&r);
    return out;
}

/* Newton stops when an increment is below newton_tolerance (1e-3) times rtol' (2.2e-6) times the
   size of the unknowns; the rows of W have length 2, v is up to 5.2, |v|^2 and a are up to 28. So g
   stays below 2 * 2.2e-9 or so, gI below 2 * 5.2 * 2.2e-9, with room for a factor of two, and gII
   below rtol', its unknowns being differences of terms of size 28. */
static void assert_newton_level(const dfl_statistics *s)
{
    assert_at_most(s->max_residual.position, 7e-9, "the largest |g|");
    assert_at_most(s->max_residual.velocity, 4e-8, "the largest |gI|");
    assert_at_most(s->max_residual.acceleration, inner_tolerance(tol), "the largest |gII|");
}

static void residuals_of_all_levels_stay_at_newton_level_for_500_periods(void **state)
{
    (void)state;
    const long_run psf = solve("pendulum", DFL_PSF, 5), automatic = solve("pendulum", DFL_PSF, 0);
    assert_newton_level(&psf.stats);
    assert_int_equal(psf.stats.rejected_newton, 0);
    assert_newton_level(&automatic.stats);
}

/* At a turning point v = 0 and e_v vanishes; the invariant pauses there for a few steps. */
static void energy_is_kept_through_a_thousand_turning_points_without_collapse(void **state)
{
    (void)state;
    const long_run with = solve("pendulum_energy", DFL_PSF, 5);
    const long_run without = solve("pendulum", DFL_PSF, 5);
    const dfl_statistics *s = &with.stats;
    assert_true(s->accepted <= without.stats.accepted);
    assert_true(s->rejected_newton <= s->accepted / 1000);
    assert_true(s->steps_without_invariants >= 1000); /* at every turning point */
    assert_true(s->steps_without_invariants <= s->accepted / 5);
    /* next to a turning point the energy's row e_v = v is short and increments end less evenly */
    assert_at_most(s->max_residual.position, 7e-9, "the largest |g|");
    assert_at_most(s->max_residual.velocity, 0.1 * inner_tolerance(tol), "the largest |gI|");
    assert_at_most(s->max_residual.acceleration, inner_tolerance(tol), "the largest |gII|");
    /* v dv + g dy with dv of 5.2 * 3e-9 and more, dy of 3e-9: up to 1.5e-7 */
    assert_at_most(s->max_residual.invariant, 1.5e-7, "the largest |e|");
}

/* Longer steps sweep over larger arcs: in more of them the energy may vanish. It is kept
   nevertheless, at the level of order 5, in less than a third of the steps, and no order by number
   costs less. */
static void energy_is_kept_with_the_automatic_order(void **state)
{
    (void)state;
    const long_run five = solve("pendulum_energy", DFL_PSF, 5);
    const long_run automatic = solve("pendulum_energy", DFL_PSF, 0);
    assert_at_most(automatic.stats.max_residual.invariant, 1.5e-7, "the largest |e|");
    assert_true(automatic.stats.steps_without_invariants <= 2 * automatic.stats.accepted / 3);
    assert_true(3 * automatic.stats.accepted < five.stats.accepted);
    assert_true(automatic.stats.evaluations < five.stats.evaluations);
    assert_true(automatic.stats.evaluations <=
                solve("pendulum_energy", DFL_PSF, 9).stats.evaluations);
    assert_true(automatic.stats.evaluations <
                solve("pendulum_energy", DFL_PSF, 13).stats.evaluations);
}

/* At rest e_v = 0, and differences leave a little of it: the energy alone would let the pendulum
   stay where it is for ever. */
static void a_pendulum_with_energy_leaves_its_rest_also_by_differences(void **state)
{
    (void)state;
    const dfl_solver_options options = {.rtol = tol};
    problem prob;
    assert_true(problem_make(&prob, "pendulum_energy", 0));
    prob.eom.jacobian = NULL;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, prob.x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, 0.5), DFL_OK);
    const double *x = dfl_solver_state(solver);
    const dfl_layout at = dfl_eom_layout(&prob.eom);
    /* the lowest point after a quarter of the period, speed sqrt(2 g) */
    assert_at_most(fabs(x[at.p + 1] + 1), 1e-6, "the error of the lowest point");
    assert_at_most(fabs(x[at.v] + 5.24411510858423962), 1e-6, "the error of the speed there");
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&prob);
}

/* "Long run" of the algorithm's description: with the invariant best, then psf, then psi1. */
static void the_forms_rank_as_published(void **state)
{
    (void)state;
    const long_run invariant = solve("pendulum_energy", DFL_PSF, 5),
                   psf = solve("pendulum", DFL_PSF, 5), psi1 = solve("pendulum", DFL_PSI1, 5);
    assert_true(invariant.energy < psf.energy && psf.energy < psi1.energy);
    assert_true(invariant.position < psf.position && psf.position < psi1.position);
    assert_true(invariant.multiplier < psf.multiplier && psf.multiplier < psi1.multiplier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_of_all_levels_stay_at_newton_level_for_500_periods),
        cmocka_unit_test(energy_is_kept_through_a_thousand_turning_points_without_collapse),
        cmocka_unit_test(energy_is_kept_with_the_automatic_order),
        cmocka_unit_test(a_pendulum_with_energy_leaves_its_rest_also_by_differences),
        cmocka_unit_test(the_forms_rank_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
