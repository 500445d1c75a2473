/* test_generous.c: a model that writes every block, whatever it is asked for, moves as one that
   writes what it is asked for: to the last bit, in every form and with every method. */
#include "support.h"

/* Another model, which writes everything if it is generous; p' = v also where it leaves that to
   the library. */
typedef struct giver {
    dfl_eom eom;
    bool generous;
} giver;

static int give(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const giver *g = user;
    const dfl_eom *eom = &g->eom;
    const unsigned given = g->generous ? DFL_EVERYTHING : need;
    const dfl_layout at = dfl_eom_layout(eom);
    if (eom->trivial_kinematics && given & DFL_KINEMATICS)
        memcpy(out->kin, x + at.v, (size_t)eom->np * sizeof *x);
    return eom->eval(out, t, x, given, eom->user);
}

static int give_mass(double *M, double t, const double *x, void *user)
{
    const giver *g = user;
    return g->eom.mass(M, t, x, g->eom.user);
}

static run run_giver(const problem *prob, bool generous, dfl_form form, dfl_integrator integrator)
{
    giver g = {.eom = prob->eom, .generous = generous};
    dfl_eom eom = prob->eom;
    const dfl_solver_options options = {
        .rtol = 1e-5, .form = form, .integrator = integrator, .step.max_attempts = 60};
    eom.eval = give;
    eom.user = &g;
    eom.trivial_kinematics = false;
    eom.jacobian = NULL;
    eom.mass = eom.mass ? give_mass : NULL;
    return run_with(&eom, prob->t0, prob->x0, prob->t0 + 0.1 * (prob->t_end - prob->t0), &options,
                    NULL);
}

/* `least` combinations at least are not refused. */
static void compare(const char *name, int least)
{
    problem prob;
    int compared = 0;
    assert_true(problem_make(&prob, name, 0));
    for (int form = 0; form < DFL_FORMS; form++)
        for (int method = 0; method < DFL_INTEGRATORS; method++) {
            const run a = run_giver(&prob, false, (dfl_form)form, (dfl_integrator)method);
            const run b = run_giver(&prob, true, (dfl_form)form, (dfl_integrator)method);
            if (a.status != b.status || a.stats.accepted != b.stats.accepted ||
                memcmp(a.x, b.x, (size_t)a.n * sizeof *a.x) != 0)
                fail_msg("%s, %s, %s: %ld steps, %s; generous %ld, %s", name,
                         dfl_form_name((dfl_form)form), dfl_integrator_name((dfl_integrator)method),
                         a.stats.accepted, a.message, b.stats.accepted, b.message);
            compared += a.stats.accepted > 0;
        }
    if (compared < least)
        fail_msg("%s: only %d combinations run", name, compared);
    problem_free(&prob);
}

static void holonomic_models_may_write_more_than_they_are_asked_for(void **state)
{
    (void)state;
    compare("pendulum", 50);
    compare("fourbar", 50);
}

static void nonholonomic_models_may_write_more_than_they_are_asked_for(void **state)
{
    (void)state;
    compare("sleigh", 50);
}

static void models_with_other_variables_may_write_more_than_they_are_asked_for(void **state)
{
    (void)state;
    compare("top", 50);
    compare("friction", 50);
    compare("oscillator", 10);
    compare("wheelset", 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holonomic_models_may_write_more_than_they_are_asked_for),
        cmocka_unit_test(nonholonomic_models_may_write_more_than_they_are_asked_for),
        cmocka_unit_test(models_with_other_variables_may_write_more_than_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
