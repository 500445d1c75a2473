/* test_geoms_options.c: every option of GEOMS does what the manual says, as seen in counters,
   states and what the routines are called with.

   The pendulum of the paper's tables, v0 = 2.8 or 2.9, tolerance 1e-7 (see geoms_call.h). CLOSE:
   runs that differ in their steps agree to about a hundred tolerances after 5 s. */
#include "geoms_call.h"

#define CLOSE 1e-5

/* A run with IOPT(number) = value. */
static arguments with(int number, int value, double v0)
{
    arguments a = swing(v0);
    a.iopt[number - 1] = value;
    assert_int_equal(call(&a), 0);
    return a;
}

/* A run with ROPT(number) = value. */
static arguments with_real(int number, double value)
{
    arguments a = swing(2.8);
    a.ropt[number - 1] = value;
    assert_int_equal(call(&a), 0);
    return a;
}

static arguments plain(void)
{
    return with(GEOMS_MASSTRKT, 4, 2.8);
}

static void assert_same_run(const arguments *a, const arguments *b)
{
    assert_memory_equal(a->iwork, b->iwork, sizeof a->iwork);
    assert_memory_equal(a->x, b->x, sizeof a->x);
}

static void assert_same_motion(const arguments *a, const arguments *b)
{
    assert_true(distance(a->x + 1, b->x + 1, 4) < CLOSE);
}

/* ---- IOPT ---- */

static void fewer_newton_iterations_reject_more_steps(void **state)
{
    (void)state;
    const arguments a = with(GEOMS_NIT, 3, 2.8), b = plain(), c = with(GEOMS_NIT, 10, 2.8);
    assert_true(counter(&a, NCRJCT) > counter(&b, NCRJCT));
    assert_same_run(&b, &c); /* the default is 10 */
    assert_same_motion(&a, &b);
}

static void starting_from_zero_takes_more_iterations(void **state)
{
    (void)state;
    const arguments a = with(GEOMS_STARTN, 1, 2.8), b = plain();
    assert_true(counter(&a, NBSUB) > counter(&b, NBSUB));
    assert_same_motion(&a, &b);
}

static void the_index_1_form_needs_no_second_derivatives(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    const arguments b = plain();
    a.iopt[GEOMS_FORM - 1] = 1;
    a.m = 6;
    model = (pendulum){.gravity = 13.75, .rods = 1, .parameters_seen = true};
    assert_int_equal(call(&a), 0);
    assert_true(model.m1 == 0);
    assert_same_motion(&a, &b);
    a = swing(2.8);
    a.iopt[GEOMS_FORM - 1] = 1;
    a.m = 6;
    a.ijac = 0;
    assert_int_equal(call(&a), 0);
    assert_same_motion(&a, &b);
}

static void the_number_of_steps_is_bounded_and_the_run_can_be_continued(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    const arguments b = plain();
    int calls = 0;
    a.iopt[GEOMS_NMAX - 1] = 50;
    for (; calls < 20 && call(&a) == -1117; calls++) {
        assert_int_equal(counter(&a, NSTEP), 50);
        assert_true(a.t < 5);
        a.idid = 0;
    }
    assert_int_equal(a.idid, 0);
    assert_true(calls >= 3 && a.t == 5);
    assert_same_motion(&a, &b);
}

static void there_are_two_controllers(void **state)
{
    (void)state;
    const arguments a = plain(), b = with(GEOMS_PRED, 1, 2.8), c = with(GEOMS_PRED, 2, 2.8);
    assert_same_run(&a, &b);
    assert_true(memcmp(a.x, c.x, sizeof a.x) != 0);
    assert_same_motion(&a, &c);
}

/* The manual calls the second stage the fastest choice. */
static void the_matrix_of_an_extrapolated_stage_saves_iterations(void **state)
{
    (void)state;
    const arguments a = plain();
    for (int stage = 1; stage <= 3; stage++) {
        const arguments b = with(GEOMS_NWTMAT, stage, 2.8);
        assert_true(counter(&b, NBSUB) != counter(&a, NBSUB));
        assert_same_motion(&a, &b);
        if (stage == 2)
            assert_true(counter(&b, NBSUB) < counter(&a, NBSUB));
    }
}

/* With few iterations allowed, an update of the matrix saves steps from being rejected. */
static void updates_of_the_matrix_are_allowed_on_request(void **state)
{
    (void)state;
    arguments a = swing(2.9), b = swing(2.9);
    a.iopt[GEOMS_NIT - 1] = b.iopt[GEOMS_NIT - 1] = 4;
    b.iopt[GEOMS_NWTUPD - 1] = 1;
    assert_int_equal(call(&a), 0);
    assert_int_equal(call(&b), 0);
    assert_int_equal(counter(&a, NUPDATES), 0);
    assert_true(counter(&b, NUPDATES) > 0);
    assert_true(counter(&b, NCRJCT) < counter(&a, NCRJCT));
}

static void decompositions_of_the_algebraic_part_agree(void **state)
{
    (void)state;
    const arguments zero = plain(), lu = with(GEOMS_DECOMPC, 1, 2.8);
    assert_same_run(&zero, &lu);
    for (int method = 2; method <= 3; method++) {
        const arguments a = with(GEOMS_DECOMPC, method, 2.8);
        assert_same_motion(&a, &lu);
        assert_int_equal(counter(&a, NSEL), counter(&a, NPDEC)); /* orthonormal selectors */
    }
}

static void decompositions_of_the_differential_part_agree(void **state)
{
    (void)state;
    arguments a = swing(2.8), b = swing(2.8);
    a.iopt[GEOMS_DECOMPD - 1] = 1;
    b.iopt[GEOMS_SELCOMP - 1] = 1; /* QR of E1, E2 renews the selectors, too */
    assert_int_equal(call(&a), 0);
    assert_int_equal(call(&b), 0);
    assert_int_equal(counter(&a, NACCPT), counter(&b, NACCPT));
    assert_true(distance(a.x, b.x, 5) < 1e-9);
}

static void selectors_are_renewed_when_the_pivots_change_or_always(void **state)
{
    (void)state;
    const arguments a = with(GEOMS_SELCOMP, 0, 2.9), b = with(GEOMS_SELCOMP, 1, 2.9);
    assert_int_equal(counter(&a, NSEL) - counter(&a, NCRJCT), 13);
    assert_int_equal(counter(&b, NSEL), counter(&b, NPDEC) + counter(&b, NCRJCT));
    assert_same_motion(&a, &b);
}

static void autonomy_changes_nothing_but_may_be_declared(void **state)
{
    (void)state;
    const arguments a = with(GEOMS_AUTONOM, 0, 2.8), b = with(GEOMS_AUTONOM, 1, 2.8);
    assert_same_run(&a, &b);
}

static void the_structure_of_the_mass_matrix_is_used(void **state)
{
    (void)state;
    arguments a[5];
    for (int structure = 1; structure <= 4; structure++) {
        a[structure] = swing(2.8);
        a[structure].iopt[GEOMS_MASSTRKT - 1] = structure;
        model.off_diagonal = structure % 2 == 0; /* must not be looked at */
        assert_int_equal(call(&a[structure]), 0);
        assert_true(distance(a[structure].x, a[1].x, 5) < 1e-9);
        assert_true(structure <= 2 ? counter(&a[structure], NMAS) > 100
                                   : counter(&a[structure], NMAS) == 1);
    }
    arguments zero = swing(2.8);
    zero.iopt[GEOMS_MASSTRKT - 1] = 0;
    assert_int_equal(call(&zero), 0);
    assert_same_run(&zero, &a[1]); /* the default is 1 */
}

/* e = |v|^2/2 + g p2 = 0 from a horizontal start at rest: e_v = v vanishes there and at every
   turning point. Rigid, the solution may as well stay at rest; what counts is that e is never
   dropped. */
static void a_degenerate_invariant_is_dropped_unless_told_otherwise(void **state)
{
    (void)state;
    for (int rigid = 0; rigid <= 1; rigid++) {
        arguments a = swing(0);
        const double x0[5] = {0, 0, 0, 1, 0};
        memcpy(a.x, x0, sizeof x0);
        model.energy = true;
        a.ni = 1;
        a.m = 8;
        a.ijac = 0;
        a.tend = 2;
        a.iopt[GEOMS_RIGID - 1] = rigid;
        const int idid = call(&a);
        if (rigid) {
            assert_int_equal(counter(&a, NDROPPED), 0);
            continue;
        }
        assert_int_equal(idid, 0);
        assert_true(counter(&a, NDROPPED) > 0);
        assert_true(fabs(energy_of(&a)) < CLOSE);
    }
}

static void initial_values_are_corrected_unless_declared_consistent(void **state)
{
    (void)state;
    arguments a = swing(2.8), b;
    a.tend = 0;
    a.x[0] = 0;
    a.x[4] = -1.1;
    a.x[2] = 0.3;
    b = a;
    assert_int_equal(call(&a), 0);
    assert_near(a.x[4], -1, 1e-12);
    assert_near(a.x[2], 0, 1e-12);
    assert_near(a.x[0], (2.8 * 2.8 + 13.75) / 2, 1e-9);
    b.iopt[GEOMS_IVCNSST - 1] = 1;
    const arguments before = b;
    assert_int_equal(call(&b), 0);
    assert_memory_equal(b.x, before.x, sizeof b.x);
}

/* In both forms: without gII nothing determines l, which then stays as it was given. */
static void conditions_choose_the_initial_values(void **state)
{
    (void)state;
    for (int form = 0; form <= 1; form++) {
        arguments a = swing(2.8);
        a.iopt[GEOMS_FORM - 1] = form;
        a.m = 7 - form;
        a.tend = 0;
        a.nivcond = 2;
        a.x[3] = 0.5;
        model.conditions[0] = 0.6;
        model.conditions[1] = 4;
        const double given = a.x[0];
        assert_int_equal(call(&a), 0);
        assert_near(a.x[3], 0.6, 1e-12);
        assert_near(a.x[4], -0.8, 1e-12);
        assert_near(hypot(a.x[1], a.x[2]), 2, 1e-12);
        assert_near(a.x[0], form == 0 ? (4 + 0.8 * 13.75) / 2 : given, 1e-9);
        assert_true(model.calls[IVCOND_ROUTINE] > 0 && model.parameters_seen);
    }
}

/* ---- ROPT ---- */

/* The start is differenced once: p1 = 1 is moved by the root of UROUND. */
static void the_rounding_unit_sizes_the_differences(void **state)
{
    (void)state;
    const double uround[] = {0, 1e-14, 1e-10}, increment[] = {1.49e-8, 1e-7, 1e-5};
    for (int i = 0; i < 3; i++) {
        arguments a = swing(0);
        const double x0[5] = {0, 0, 0, 1, 0};
        memcpy(a.x, x0, sizeof x0);
        a.ijac = 0;
        a.tend = 0;
        a.iopt[GEOMS_IVCNSST - 1] = 1;
        a.ropt[GEOMS_UROUND - 1] = uround[i];
        assert_int_equal(call(&a), 0);
        assert_near(model.largest_p1 - 1, increment[i], 0.01 * increment[i]);
    }
}

static void a_smaller_safety_factor_takes_smaller_steps(void **state)
{
    (void)state;
    const arguments a = with_real(GEOMS_SAFE, 0.5), b = with_real(GEOMS_SAFE, 0.9), c = plain();
    assert_true(counter(&a, NACCPT) > counter(&c, NACCPT));
    assert_same_run(&b, &c);
}

static void jacobians_are_kept_as_thet_says(void **state)
{
    (void)state;
    const arguments often = with_real(GEOMS_THET, -1), rarely = with_real(GEOMS_THET, 0.3),
                    zero = plain(), usual = with_real(GEOMS_THET, 0.001);
    assert_int_equal(counter(&often, NJAC), counter(&often, NACCPT));
    assert_true(counter(&rarely, NJAC) < counter(&rarely, NACCPT));
    assert_same_run(&zero, &usual);
}

static void a_smaller_stopping_bound_takes_more_iterations(void **state)
{
    (void)state;
    const arguments a = with_real(GEOMS_FNEWT, 1e-6), b = plain();
    assert_true(counter(&a, NBSUB) > counter(&b, NBSUB) + counter(&b, NACCPT) / 2);
}

static void the_step_size_is_kept_within_its_quotients(void **state)
{
    (void)state;
    arguments a = swing(2.8), b = swing(2.8);
    a.ropt[GEOMS_THET - 1] = b.ropt[GEOMS_THET - 1] = 0.3;
    b.ropt[GEOMS_QUOT1 - 1] = 0.5;
    b.ropt[GEOMS_QUOT2 - 1] = 2;
    assert_int_equal(call(&a), 0);
    assert_int_equal(call(&b), 0);
    assert_true((double)counter(&b, NEDEC) / counter(&b, NSTEP) <
                (double)counter(&a, NEDEC) / counter(&a, NSTEP));
}

static void steps_are_not_longer_than_hmax(void **state)
{
    (void)state;
    const arguments a = with_real(GEOMS_HMAX, 0.01);
    assert_true(counter(&a, NACCPT) >= 500);
    assert_true(a.h <= 0.01);
}

/* From a first step of 1e-6 to about 0.03: 5 steps with a factor of 8, at least 15 with 2. */
static void the_step_size_changes_within_its_factors_in_either_order(void **state)
{
    (void)state;
    arguments a[3];
    for (int i = 0; i < 3; i++) {
        a[i] = swing(2.8);
        a[i].h = 1e-6;
    }
    a[1].ropt[GEOMS_FACL - 1] = a[2].ropt[GEOMS_FACR - 1] = 2;
    a[1].ropt[GEOMS_FACR - 1] = a[2].ropt[GEOMS_FACL - 1] = 0.2;
    for (int i = 0; i < 3; i++)
        assert_int_equal(call(&a[i]), 0);
    assert_true(counter(&a[1], NACCPT) >= counter(&a[0], NACCPT) + 8);
    assert_same_run(&a[1], &a[2]);
}

/* ---- other arguments ---- */

static void tolerances_may_be_vectors(void **state)
{
    (void)state;
    arguments a = swing(2.8), b = swing(2.8), c = swing(2.8);
    b.itol = c.itol = 1;
    for (int i = 1; i < 5; i++)
        a.rtol[i] = a.atol[i] = NAN; /* scalars: never read */
    c.atol[0] = c.rtol[0] = 1e-10;
    assert_int_equal(call(&a), 0);
    assert_int_equal(call(&b), 0);
    assert_int_equal(call(&c), 0);
    assert_same_run(&a, &b);
    assert_true(counter(&c, NSTEP) > counter(&b, NSTEP));
}

static void derivatives_come_from_jac_or_from_differences(void **state)
{
    (void)state;
    const arguments b = plain();
    arguments a = swing(2.8);
    a.ijac = 0;
    assert_int_equal(call(&a), 0);
    assert_int_equal(model.calls[JAC_ROUTINE], 0);
    assert_true(counter(&a, NDIFF) > 5 * counter(&a, NJAC));
    assert_int_equal(counter(&b, NDIFF), 0);
    assert_int_equal(counter(&a, NACCPT), counter(&b, NACCPT));
    assert_same_motion(&a, &b);
}

/* IOPT(18) to IOPT(40) need not be set. */
static void entries_beyond_the_manual_are_not_read(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    const arguments b = plain();
    for (int i = 17; i < 40; i++)
        a.iopt[i] = -1 - i;
    a.iopt[0] = 99;
    assert_int_equal(call(&a), 0);
    assert_same_run(&a, &b);
}

/* The original estimates nothing; 0 would never move. */
static void a_first_step_of_zero_is_estimated(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    const arguments b = plain();
    a.h = 0;
    assert_int_equal(call(&a), 0);
    assert_same_motion(&a, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_newton_iterations_reject_more_steps),
        cmocka_unit_test(starting_from_zero_takes_more_iterations),
        cmocka_unit_test(the_index_1_form_needs_no_second_derivatives),
        cmocka_unit_test(the_number_of_steps_is_bounded_and_the_run_can_be_continued),
        cmocka_unit_test(there_are_two_controllers),
        cmocka_unit_test(the_matrix_of_an_extrapolated_stage_saves_iterations),
        cmocka_unit_test(updates_of_the_matrix_are_allowed_on_request),
        cmocka_unit_test(decompositions_of_the_algebraic_part_agree),
        cmocka_unit_test(decompositions_of_the_differential_part_agree),
        cmocka_unit_test(selectors_are_renewed_when_the_pivots_change_or_always),
        cmocka_unit_test(autonomy_changes_nothing_but_may_be_declared),
        cmocka_unit_test(the_structure_of_the_mass_matrix_is_used),
        cmocka_unit_test(a_degenerate_invariant_is_dropped_unless_told_otherwise),
        cmocka_unit_test(initial_values_are_corrected_unless_declared_consistent),
        cmocka_unit_test(conditions_choose_the_initial_values),
        cmocka_unit_test(the_rounding_unit_sizes_the_differences),
        cmocka_unit_test(a_smaller_safety_factor_takes_smaller_steps),
        cmocka_unit_test(jacobians_are_kept_as_thet_says),
        cmocka_unit_test(a_smaller_stopping_bound_takes_more_iterations),
        cmocka_unit_test(the_step_size_is_kept_within_its_quotients),
        cmocka_unit_test(steps_are_not_longer_than_hmax),
        cmocka_unit_test(the_step_size_changes_within_its_factors_in_either_order),
        cmocka_unit_test(tolerances_may_be_vectors),
        cmocka_unit_test(derivatives_come_from_jac_or_from_differences),
        cmocka_unit_test(entries_beyond_the_manual_are_not_read),
        cmocka_unit_test(a_first_step_of_zero_is_estimated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
