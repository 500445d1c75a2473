/* test_geoms_output.c: what a successful call of GEOMS gives back: counters, SOLOUT, continuous
   output, the state, and the arguments that pass through. */
#include "geoms_call.h"

/* ---- counters ---- */

typedef struct row {
    double v0, tol;
    int published; /* accepted steps: tables 3 and 4 of the paper */
} row;

static const row rows[] = {{2.8, 1e-7, 187}, {2.8, 1e-8, 270}, {2.8, 1e-9, 391},
                           {2.9, 1e-7, 207}, {2.9, 1e-8, 303}, {2.9, 1e-9, 441}};

/* Identities that hold in every published row. The counts themselves: within 10 % for v0 = 2.8; for
   v0 = 2.9 the published runs have Newton failures that do not occur here (tests/solver). */
static void the_published_tables_are_met(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        arguments a = swing(rows[i].v0);
        a.rtol[0] = a.atol[0] = rows[i].tol;
        assert_int_equal(call(&a), 0);
        print_message("v0 %.1f tol %.0e: accepted %d (published %d), solves %d, H %.3e\n",
                      rows[i].v0, rows[i].tol, counter(&a, NACCPT), rows[i].published,
                      counter(&a, NBSUB), a.h);
        assert_int_equal(counter(&a, NEOM), 3 * counter(&a, NBSUB) + counter(&a, NACCPT));
        assert_int_equal(counter(&a, NEDEC),
                         counter(&a, NACCPT) + counter(&a, NERJCT) + counter(&a, NCRJCT));
        assert_int_equal(counter(&a, NSTEP), counter(&a, NEDEC));
        assert_int_equal(counter(&a, NPDEC), counter(&a, NACCPT));
        assert_int_equal(counter(&a, NJAC), counter(&a, NACCPT));
        assert_int_equal(counter(&a, NMAS), 1);
        assert_int_equal(counter(&a, NSEL) - counter(&a, NCRJCT), rows[i].v0 < 2.85 ? 1 : 13);
        if (rows[i].v0 < 2.85)
            assert_between(counter(&a, NACCPT), 0.9 * rows[i].published, 1.1 * rows[i].published);
    }
}

/* The published H of the runs with v0 = 2.8; it is the step proposed next, since the last step
   taken is cut to end at TEND. */
static void h_is_the_proposed_next_step(void **state)
{
    (void)state;
    const double published[] = {0.254e-1, 0.176e-1, 0.118e-1};
    for (int i = 0; i < 3; i++) {
        arguments a = swing(2.8);
        a.rtol[0] = a.atol[0] = rows[i].tol;
        assert_int_equal(call(&a), 0);
        assert_between(a.h, 0.9 * published[i], 1.1 * published[i]);
    }
}

/* ---- SOLOUT and GEDENSOUT ---- */

static void solout_sees_the_start_and_every_accepted_step(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    a.iout = 1;
    assert_int_equal(call(&a), 0);
    assert_int_equal(model.calls[SOLOUT_ROUTINE], counter(&a, NACCPT) + 1);
    assert_int_equal(model.first_naccpt, 0);
    assert_true(model.first_t == 0 && model.first_told == 0);
    assert_int_equal(model.last_naccpt, counter(&a, NACCPT));
    a = swing(2.8);
    assert_int_equal(call(&a), 0);
    assert_int_equal(model.calls[SOLOUT_ROUTINE], 0);
}

/* The interpolant goes through both ends of a step: rounding of x, amplified by the differences. */
static void continuous_output_goes_through_the_grid(void **state)
{
    (void)state;
    arguments a = swing(2.9);
    a.iout = 1;
    assert_int_equal(call(&a), 0);
    assert_true(model.dense_error < 1e-12);
}

/* The pendulum of period 2 at t = 1.3: problems/pendulum.c. */
static double dense[5];

static void solout_at_1_3(int *naccpt, double *told, double *t, double *x, int *n, int *nn2,
                          int *nn3, int *nn4, double *contx, double *h, double *c1m1, double *c2m1,
                          double *rpar, int *ipar, int *ierr)
{
    double tout = 1.3;
    (void)naccpt, (void)x, (void)rpar, (void)ipar, (void)ierr;
    if (*told < tout && tout <= *t)
        for (int i = 1; i <= 5; i++)
            dense[i - 1] = gedensout_(&i, &tout, n, nn2, nn3, nn4, t, h, contx, c1m1, c2m1);
}

static void continuous_output_is_accurate_between_the_grid(void **state)
{
    (void)state;
    const double exact[5] = {11.8329067080717311, 2.27877178670985753, -3.25336872920835781,
                             -0.819064681701747085, -0.573701182837211636};
    arguments a = swing(0);
    const double x0[5] = {0, 0, 0, 1, 0};
    memcpy(a.x, x0, sizeof x0);
    model.gravity = 13.750371636040745655;
    a.rtol[0] = a.atol[0] = 1e-9;
    a.iout = 1;
    assert_int_equal(call_with(&a, NULL, NULL, solout_at_1_3), 0);
    assert_true(distance(dense + 1, exact + 1, 4) < 1e-5); /* an interpolant of order 3 */
    assert_true(fabs(dense[0] - exact[0]) < 1e-3);
}

/* ---- what passes through ---- */

static void parameters_reach_every_routine(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    a.iout = 1;
    a.nivcond = 2;
    model.conditions[1] = 2.8 * 2.8;
    assert_int_equal(call(&a), 0);
    for (int i = EOM_ROUTINE; i < ROUTINES; i++)
        assert_true(model.calls[i] > 0);
    assert_true(model.parameters_seen);
}

static void the_end_is_reached_exactly(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    assert_int_equal(call(&a), 0);
    assert_true(a.t == 5 && a.ierr == 0);
    a = swing(2.8);
    a.tend = a.t = 3; /* nothing to do */
    a.iout = 1;
    assert_int_equal(call(&a), 0);
    assert_int_equal(counter(&a, NSTEP), 0);
    assert_int_equal(model.calls[SOLOUT_ROUTINE], 1);
}

/* Two runs, one inside a routine of the other: nothing is shared. */
static double inner_end[5];

static void solout_that_runs(int *naccpt, double *told, double *t, double *x, int *n, int *nn2,
                             int *nn3, int *nn4, double *contx, double *h, double *c1m1,
                             double *c2m1, double *rpar, int *ipar, int *ierr)
{
    (void)told, (void)t, (void)x, (void)n, (void)nn2, (void)nn3, (void)nn4, (void)contx, (void)h;
    (void)c1m1, (void)c2m1, (void)rpar, (void)ipar, (void)ierr;
    if (*naccpt != 5)
        return;
    arguments inner = swing(2.8);
    assert_int_equal(call(&inner), 0);
    memcpy(inner_end, inner.x, sizeof inner_end);
}

static void a_routine_may_call_geoms(void **state)
{
    (void)state;
    arguments a = swing(2.8), b = swing(2.8);
    a.iout = 1;
    assert_int_equal(call_with(&a, NULL, NULL, solout_that_runs), 0);
    assert_int_equal(call(&b), 0);
    assert_memory_equal(a.x, b.x, 5 * sizeof *a.x);
    assert_memory_equal(inner_end, b.x, sizeof inner_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_tables_are_met),
        cmocka_unit_test(h_is_the_proposed_next_step),
        cmocka_unit_test(solout_sees_the_start_and_every_accepted_step),
        cmocka_unit_test(continuous_output_goes_through_the_grid),
        cmocka_unit_test(continuous_output_is_accurate_between_the_grid),
        cmocka_unit_test(parameters_reach_every_routine),
        cmocka_unit_test(the_end_is_reached_exactly),
        cmocka_unit_test(a_routine_may_call_geoms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
