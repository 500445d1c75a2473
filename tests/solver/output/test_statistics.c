/* test_statistics.c: what the statistics say is what a model and its user see themselves: calls,
   with every method and in every form, and the largest residuals over the start and all steps. */
#include "counted.h"
#include "support.h"

/* What a user who evaluates a model after every step finds. */
typedef struct observer {
    counter calls; /* first */
    double position, velocity, nonholonomic, contact, auxiliary, invariant, massless;
    long steps;
} observer;

static double largest(double old, const double *rows, int n)
{
    for (int i = 0; i < n; i++)
        old = fmax(old, fabs(rows[i]));
    return old;
}

/* NAN without rows. */
static void assert_level(const char *level, double found, const double *rows, int n)
{
    const double seen = largest(0, rows, n);
    if (n == 0 ? !isnan(found) : !(fabs(found - seen) <= 1e-13 + 1e-9 * seen))
        fail_msg("%s residual %g from the solver, %g seen in %d rows", level, found, seen, n);
}

static void assert_residuals(dfl_residuals r, const dfl_eom *eom, const dfl_blocks *b)
{
    assert_level("position", r.position, b->g, eom->nl);
    assert_level("velocity", r.velocity, b->gI, eom->nl);
    assert_level("nonholonomic", r.nonholonomic, b->hv, eom->nm);
    assert_level("contact", r.contact, b->c, eom->ns);
    assert_level("auxiliary", r.auxiliary, b->d, eom->nw);
    assert_level("massless", r.massless, b->gam, eom->n0);
    assert_level("invariant", r.invariant, eom->ne ? b->e : b->ep, eom->ne + eom->nep);
    if (eom->nl + eom->nm == 0)
        assert_true(isnan(r.acceleration));
}

/* Compares what the solver says about the state that a step ends with. */
static int observe(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    observer *o = user;
    const dfl_eom *eom = o->calls.model;
    static double room[14][RUN_MOST * RUN_MOST];
    dfl_blocks b = {room[0], room[1], room[2], room[3],  room[4],  room[5],  room[6],
                    room[7], room[8], room[9], room[10], room[11], room[12], room[13]};
    (void)t_old;
    assert_int_equal(eom->eval(&b, t, x, DFL_EVERYTHING, eom->user), 0);
    o->position = largest(o->position, b.g, eom->nl);
    o->velocity = largest(o->velocity, b.gI, eom->nl);
    o->nonholonomic = largest(o->nonholonomic, b.hv, eom->nm);
    o->contact = largest(o->contact, b.c, eom->ns);
    o->auxiliary = largest(o->auxiliary, b.d, eom->nw);
    o->invariant = largest(largest(o->invariant, b.e, eom->ne), b.ep, eom->nep);
    o->massless = largest(o->massless, b.gam, eom->n0);
    o->steps++;
    assert_residuals(dfl_solver_residuals(solver), eom, &b);
    return 0;
}

static dfl_eom observed(observer *o, const problem *prob)
{
    *o = (observer){0};
    return counted_model(&o->calls, &prob->eom);
}

static double short_span(const problem *prob)
{
    return prob->t0 + fmin(0.3, 0.05 * (prob->t_end - prob->t0));
}

static int sign(double *value, double t, const double *x, void *user)
{
    (void)t, (void)user;
    value[0] = x[1];
    return 0;
}

/* Methods that cannot take a shorter step again end at an event inside the step. */
static void residuals_are_those_of_the_state_that_a_step_ends_with_also_at_an_event(void **state)
{
    (void)state;
    const dfl_event_kind terminal = {.terminal = true};
    long steps = 0, events = 0;
    for (int form = 0; form < DFL_FORMS; form++)
        for (int method = 0; method < DFL_INTEGRATORS; method++) {
            problem prob;
            observer o;
            assert_true(problem_make(&prob, "pendulum", 0));
            const dfl_eom eom = observed(&o, &prob);
            const dfl_solver_options options = {.rtol = 1e-2,
                                                .form = (dfl_form)form,
                                                .integrator = (dfl_integrator)method,
                                                .output.on_step = observe,
                                                .events.count = 1,
                                                .events.eval = sign,
                                                .events.kinds = &terminal,
                                                .user = &o};
            const run r = run_with(&eom, prob.t0, prob.x0, 1.2, &options, NULL);
            steps += o.steps;
            events += r.stats.events;
            problem_free(&prob);
        }
    assert_true(steps > 1000 && events >= 20); /* most combinations run */
}

/* With events, one of which ends steps; the run may be refused or stop early. */
static void every_call_is_counted_in_every_form_and_with_every_method(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum", "slidercrank", "sleigh", "top", "oscillator"};
    const dfl_event_kind terminal = {.terminal = true};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int form = 0; form < DFL_FORMS; form++)
            for (int method = 0; method < DFL_INTEGRATORS; method++) {
                problem prob;
                observer o;
                assert_true(problem_make(&prob, names[k], 0));
                const dfl_eom eom = observed(&o, &prob);
                const dfl_solver_options options = {.rtol = 1e-4,
                                                    .form = (dfl_form)form,
                                                    .integrator = (dfl_integrator)method,
                                                    .events.count = 1,
                                                    .events.eval = sign,
                                                    .events.kinds = &terminal};
                const run r = run_with(&eom, prob.t0, prob.x0, short_span(&prob), &options, NULL);
                const dfl_statistics s = r.stats;
                const long counted = s.evaluations + s.difference_evaluations +
                                     s.check_evaluations + s.partial_evaluations;
                if (s.accepted > 0 && counted != o.calls.eval)
                    fail_msg("%s, %s, %s: %ld + %ld + %ld + %ld evaluations, %ld calls", names[k],
                             dfl_form_name((dfl_form)form),
                             dfl_integrator_name((dfl_integrator)method), s.evaluations,
                             s.difference_evaluations, s.check_evaluations, s.partial_evaluations,
                             o.calls.eval);
                problem_free(&prob);
            }
}

static void assert_same(const char *name, const char *level, double found, double seen)
{
    if (!(fabs(found - seen) <= 1e-13 + 1e-9 * seen))
        fail_msg("%s: %s residual %g in the statistics, %g seen", name, level, found, seen);
}

/* A loose tolerance, so that there is something to see; of massless rows, which are linear here,
   at the start, where v1 is a little wrong. */
static void the_largest_residuals_are_those_of_all_steps(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum_energy", "sleigh",        "disk",
                                        "wheelset",        "friction",      "oscillator",
                                        "andrews",         "top_invariants"};
    double sum[7] = {0};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int method = 0; method < DFL_INTEGRATORS; method++) {
            problem prob;
            observer o;
            assert_true(problem_make(&prob, names[k], 0));
            const dfl_eom eom = observed(&o, &prob);
            const dfl_conditions as_given = {.mode = DFL_START_AS_GIVEN};
            if (eom.n0 > 0)
                prob.x0[0] += 1e-3;
            const dfl_solver_options options = {.rtol = 1e-2,
                                                .integrator = (dfl_integrator)method,
                                                .step.max_attempts = 300,
                                                .output.on_step = observe,
                                                .user = &o};
            const run r = run_with(&eom, prob.t0, prob.x0, short_span(&prob), &options,
                                   eom.n0 > 0 ? &as_given : NULL);
            const double seen[] = {o.position,  o.velocity,  o.nonholonomic, o.contact,
                                   o.auxiliary, o.invariant, o.massless};
            assert_same(names[k], "position", r.stats.max_residual.position, o.position);
            assert_same(names[k], "velocity", r.stats.max_residual.velocity, o.velocity);
            assert_same(names[k], "nonholonomic", r.stats.max_residual.nonholonomic,
                        o.nonholonomic);
            assert_same(names[k], "contact", r.stats.max_residual.contact, o.contact);
            assert_same(names[k], "auxiliary", r.stats.max_residual.auxiliary, o.auxiliary);
            assert_same(names[k], "invariant", r.stats.max_residual.invariant, o.invariant);
            assert_same(names[k], "massless", r.stats.max_residual.massless, o.massless);
            for (int i = 0; i < 7; i++)
                sum[i] += seen[i];
            problem_free(&prob);
        }
    for (int i = 0; i < 7; i++) /* each level was seen somewhere */
        if (!(sum[i] > 1e-12))
            fail_msg("level %d: residuals of %g only", i, sum[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_is_counted_in_every_form_and_with_every_method),
        cmocka_unit_test(residuals_are_those_of_the_state_that_a_step_ends_with_also_at_an_event),
        cmocka_unit_test(the_largest_residuals_are_those_of_all_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
