/* test_geoms_codes.c: every code of IDID that can be reached, by the situation that the manual
   gives for it. The codes that cannot be reached are listed in docs/fortran.md. */
#include "geoms_call.h"

#include <limits.h>

/* ---- -10..: arguments ---- */

/* One spoiled argument at a time: -1001, nothing computed, nothing called. */
static void assert_wrong(arguments a)
{
    const arguments before = a;
    memset(model.calls, 0, sizeof model.calls);
    assert_int_equal(call(&a), -1001);
    assert_memory_equal(a.x, before.x, sizeof a.x);
    assert_true(a.t == before.t);
    for (int i = 0; i < ROUTINES; i++)
        assert_int_equal(model.calls[i], 0);
}

static void wrong_integers_are_1001(void **state)
{
    (void)state;
    static const struct {
        int number, value;
    } bad[] = {{GEOMS_LUN, -1},      {GEOMS_NIT, -1},    {GEOMS_NIT, 1000},  {GEOMS_STARTN, 2},
               {GEOMS_FORM, -1},     {GEOMS_FORM, 2},    {GEOMS_NMAX, -5},   {GEOMS_PRED, 3},
               {GEOMS_NWTMAT, 4},    {GEOMS_NWTMAT, -1}, {GEOMS_NWTUPD, -1}, {GEOMS_NWTUPD, 99},
               {GEOMS_DECOMPC, 4},   {GEOMS_DECOMPD, 2}, {GEOMS_SELCOMP, 2}, {GEOMS_AUTONOM, 2},
               {GEOMS_MASSTRKT, 5},  {GEOMS_RIGID, 2},   {GEOMS_IVCNSST, 3}, {GEOMS_IVCNSST, -1},
               {GEOMS_PRED, INT_MIN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        arguments a = swing(2.8);
        a.iopt[bad[i].number - 1] = bad[i].value;
        assert_wrong(a);
    }
    arguments a = swing(2.8);
    a.iopt[GEOMS_STARTN - 1] = 1;
    a.iopt[GEOMS_NWTMAT - 1] = 2;
    assert_wrong(a);
}

static void wrong_reals_are_1001(void **state)
{
    (void)state;
    static const struct {
        int number;
        double value;
    } bad[] = {{GEOMS_UROUND, 1e-30}, {GEOMS_UROUND, -1}, {GEOMS_UROUND, NAN}, {GEOMS_SAFE, 2},
               {GEOMS_SAFE, -0.9},    {GEOMS_THET, 1.5},  {GEOMS_THET, NAN},   {GEOMS_FNEWT, -1},
               {GEOMS_FNEWT, 2},      {GEOMS_QUOT1, 1.5}, {GEOMS_QUOT1, -1},   {GEOMS_QUOT2, 0.5},
               {GEOMS_QUOT2, NAN},    {GEOMS_HMAX, -1},   {GEOMS_HMAX, NAN},   {GEOMS_FACL, -1},
               {GEOMS_FACL, 1e6},     {GEOMS_FACR, NAN},  {GEOMS_FACR, 1e-9}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        arguments a = swing(2.8);
        a.ropt[bad[i].number - 1] = bad[i].value;
        assert_wrong(a);
    }
    arguments a = swing(2.8); /* two lower bounds */
    a.ropt[GEOMS_FACL - 1] = 0.2;
    a.ropt[GEOMS_FACR - 1] = 0.3;
    assert_wrong(a);
}

static void wrong_sizes_are_1001(void **state)
{
    (void)state;
    for (int i = 0; i < 11; i++) {
        const int bad[] = {-1, INT_MIN, INT_MAX};
        for (int k = 0; k < 3; k++) {
            arguments a = swing(2.8);
            int *const size[11] = {&a.np, &a.nv, &a.nr, &a.nw, &a.ns,     &a.nl,
                                   &a.nm, &a.ni, &a.m,  &a.n,  &a.nivcond};
            *size[i] = bad[k];
            assert_wrong(a);
        }
    }
    arguments a = swing(2.8);
    a.m = 6; /* of the other form */
    assert_wrong(a);
}

static void wrong_switches_and_steps_are_1001(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        arguments a = swing(2.8);
        int *const flag[3] = {&a.itol, &a.ijac, &a.iout};
        *flag[i] = 2;
        assert_wrong(a);
    }
    arguments a = swing(2.8);
    a.h = NAN;
    assert_wrong(a);
}

static void short_work_arrays_are_1001(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    a.liwork = 19;
    assert_wrong(a);
    a.liwork = -1;
    assert_wrong(a);
    a = swing(2.8);
    a.lrwork = 24; /* 5 N - 1 */
    assert_wrong(a);
    a.lrwork = 25;
    assert_int_equal(call(&a), 0);
    /* consistent values: less is enough, by decomposition */
    const struct {
        int decompc, decompd, enough;
    } rule[] = {{1, 0, 0}, {2, 0, 5}, {1, 1, 10}, {2, 1, 10}, {3, 0, 10}, {3, 1, 10}};
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        for (int missing = 0; missing <= 1; missing++) {
            a = swing(2.8);
            a.iopt[GEOMS_IVCNSST - 1] = 1;
            a.iopt[GEOMS_DECOMPC - 1] = rule[i].decompc;
            a.iopt[GEOMS_DECOMPD - 1] = rule[i].decompd;
            a.lrwork = rule[i].enough - missing;
            a.tend = 0.1;
            if (missing)
                assert_wrong(a);
            else
                assert_int_equal(call(&a), 0);
        }
}

static void wrong_tolerances_are_1001(void **state)
{
    (void)state;
    const double bad[] = {0, -1e-6, NAN, INFINITY};
    for (int itol = 0; itol <= 1; itol++)
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            for (int relative = 0; relative <= 1; relative++) {
                arguments a = swing(2.8);
                a.itol = itol;
                (relative ? a.rtol : a.atol)[itol ? 4 : 0] = bad[i];
                assert_wrong(a);
            }
    arguments a = swing(2.8);
    a.rtol[0] = 1;
    assert_wrong(a);
    a.rtol[0] = 1e-18;
    assert_wrong(a);
}

static void a_negative_idid_is_1002(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    a.idid = -1118; /* of an earlier call */
    const arguments before = a;
    assert_int_equal(call(&a), -1002);
    assert_memory_equal(a.x, before.x, sizeof a.x);
    a.idid = 7; /* not negative */
    assert_int_equal(call(&a), 0);
}

/* ---- -11..: the run ---- */

/* Stops in call `at` of a routine. */
static arguments stopped(int routine, int at, int ijac)
{
    arguments a = swing(2.8);
    a.iout = 1;
    a.ijac = ijac;
    a.iopt[GEOMS_IVCNSST - 1] = 1;
    a.iopt[GEOMS_MASSTRKT - 1] = 2;
    model.stop_in = routine;
    model.stop_at = at;
    call(&a);
    assert_true(a.ierr == -1);
    assert_int_equal(model.calls[routine], at); /* at once */
    return a;
}

static void routines_stop_the_run(void **state)
{
    (void)state;
    arguments a = stopped(SOLOUT_ROUTINE, 1, 1);
    assert_int_equal(a.idid, -1101);
    assert_true(a.t == 0);
    a = stopped(SOLOUT_ROUTINE, 20, 1);
    assert_int_equal(a.idid, -1101);
    assert_int_equal(counter(&a, NACCPT), 19);
    assert_true(a.t > 0 && a.t < 5);
    for (int at = 1; at < 200; at += 33) {
        a = stopped(EOM_ROUTINE, at, 1);
        assert_int_equal(a.idid, -1102);
        a = stopped(MAS_ROUTINE, at, 1);
        assert_int_equal(a.idid, -1103);
    }
    a = stopped(JAC_ROUTINE, 1, 1);
    assert_int_equal(a.idid, -1104);
    a = stopped(JAC_ROUTINE, 12, 1);
    assert_int_equal(a.idid, -1104);
}

/* With differences some calls of EOM are for them: -1201. Every call is one or the other. */
static void stops_while_differencing_are_1201(void **state)
{
    (void)state;
    int differenced = 0, others = 0;
    for (int at = 1; at <= 60; at++) {
        const arguments a = stopped(EOM_ROUTINE, at, 0);
        differenced += a.idid == -1201;
        others += a.idid == -1102;
    }
    assert_true(differenced >= 12); /* 6 for the ranks at the start, 6 in each of the first steps */
    assert_true(others >= 12);
    assert_int_equal(differenced + others, 60);
}

static void positive_ierr_means_nothing(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    a.ierr = 3;
    assert_int_equal(call(&a), 0);
    assert_int_equal(a.ierr, 3); /* unchanged */
}

/* Far from the rod in a way that no velocity can repair: 0 = |p|^2 - 1 has no slope at p = 0. */
static void values_that_cannot_be_made_consistent_are_1105(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    a.x[4] = 0;
    const arguments before = a;
    assert_int_equal(call(&a), -1105);
    assert_memory_equal(a.x, before.x, sizeof a.x);
    a = swing(2.8);
    a.x[2] = NAN;
    assert_int_equal(call(&a), -1105);
    a = swing(2.8);
    model.nan_from = 1e-300;
    a.t = 1;
    assert_int_equal(call(&a), -1105);
}

static void an_end_before_the_start_is_1106(void **state)
{
    (void)state;
    const double tend[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        arguments a = swing(2.8);
        a.tend = tend[i];
        assert_int_equal(call(&a), -1106);
    }
    arguments a = swing(2.8);
    a.t = NAN;
    assert_int_equal(call(&a), -1106);
}

/* M v' = 0 with M = 0: no step size makes E1 regular. */
static void massless_mas(double *t, int *nx, double *x, int *m, int *n, double *ma, int *iopt,
                         double *ropt, int *ipar, double *rpar, int *ierr)
{
    (void)t, (void)nx, (void)x, (void)m, (void)n, (void)ma, (void)iopt, (void)ropt, (void)ipar;
    (void)rpar, (void)ierr;
}

static void free_eom(int *m, int *n, double *t, double *x, double *rda, int *iopt, double *ropt,
                     int *ipar, double *rpar, int *ierr)
{
    (void)m, (void)n, (void)t, (void)iopt, (void)ropt, (void)ipar, (void)rpar, (void)ierr;
    rda[0] = 0;
    rda[1] = x[0];
}

static void a_singular_iteration_matrix_is_1115_or_1114(void **state)
{
    (void)state;
    for (int qr = 0; qr <= 1; qr++) {
        arguments a = {.np = 1,
                       .nv = 1,
                       .m = 2,
                       .n = 2,
                       .tend = 1,
                       .h = 0.01,
                       .rtol = {1e-6},
                       .atol = {1e-6},
                       .liwork = 20,
                       .lrwork = 10};
        a.iopt[GEOMS_DECOMPD - 1] = qr;
        assert_int_equal(call_with(&a, free_eom, massless_mas, NULL), qr ? -1114 : -1115);
    }
}

static void too_many_steps_are_1117(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    a.iopt[GEOMS_NMAX - 1] = 10;
    assert_int_equal(call(&a), -1117);
    assert_int_equal(counter(&a, NSTEP), 10);
    assert_true(a.t > 0 && a.h > 0);
}

static void a_vanishing_step_is_1118(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    model.nan_from = 1;
    assert_int_equal(call(&a), -1118);
    assert_true(a.t > 0.9 && a.t < 1);
    a = swing(2.8);
    a.t = 1;
    a.h = 1e-25;
    assert_int_equal(call(&a), -1118);
}

/* ---- -21..: initial values by conditions ---- */

static arguments conditioned(int count, double p1, double square)
{
    arguments a = swing(2.8);
    a.tend = 0;
    a.nivcond = count;
    a.x[3] = 0.5;
    model.conditions[0] = p1;
    model.conditions[1] = square;
    return a;
}

static void stops_at_the_initial_values_are_2101_and_2102(void **state)
{
    (void)state;
    for (int at = 1; at <= 8; at++) {
        arguments a = conditioned(2, 0.6, 4);
        a.ijac = 0;
        model.stop_in = EOM_ROUTINE;
        model.stop_at = at;
        assert_int_equal(call(&a), -2101);
        a = conditioned(2, 0.6, 4);
        model.stop_in = IVCOND_ROUTINE;
        model.stop_at = at;
        assert_int_equal(call(&a), -2102);
    }
}

static void contradictory_conditions_are_2104(void **state)
{
    (void)state;
    arguments a = conditioned(3, 0.6, 4); /* also p2 = 0.1 */
    const arguments before = a;
    assert_int_equal(call(&a), -2104);
    assert_memory_equal(a.x, before.x, sizeof a.x);
}

/* |v|^2 = -1: the iteration wanders without end. */
static void unsettled_conditions_are_2105(void **state)
{
    (void)state;
    arguments a = conditioned(2, 0.6, -1);
    assert_int_equal(call(&a), -2105);
}

static void too_few_conditions_are_2106_unless_everything_holds(void **state)
{
    (void)state;
    arguments a = conditioned(1, 0.6, 0);
    assert_int_equal(call(&a), -2106);
    a = conditioned(1, 0, 0);
    a.x[3] = 0;
    assert_int_equal(call(&a), 0);
}

/* ---- -14.., -24.., -26..: ranks ---- */

static arguments decomposed(arguments a, int decompc)
{
    a.iopt[GEOMS_DECOMPC - 1] = decompc;
    a.iopt[GEOMS_DECOMPD - 1] = 0;
    return a;
}

static void redundant_constraints_need_the_svd(void **state)
{
    (void)state;
    arguments a = decomposed(doubled(), 1);
    assert_int_equal(call(&a), -2603);
    a = decomposed(doubled(), 2);
    assert_int_equal(call(&a), -1403);
    a = decomposed(doubled(), 3);
    assert_int_equal(call(&a), 0);
    assert_near(a.x[0], a.x[1], 1e-9);
    assert_near(energy_of(&a), 2.8 * 2.8 / 2 - 13.75, 1e-5);
}

/* d = 0 whatever w is. */
static void a_singular_first_block_is_1401_2601_2402(void **state)
{
    (void)state;
    const int expected[] = {-2601, -1401, -2402};
    for (int decompc = 1; decompc <= 3; decompc++) {
        arguments a = decomposed(swing(2.8), decompc);
        model.flat = true;
        memmove(a.x + 1, a.x, 5 * sizeof *a.x);
        a.nw = 1;
        a.n = 6;
        a.m = 8;
        a.ijac = 0;
        assert_int_equal(call(&a), expected[decompc - 1]);
    }
}

/* Two independent rows of g, of whose derivatives one vanishes. */
static void dependent_velocity_rows_are_1402_2602_2403(void **state)
{
    (void)state;
    const int expected[] = {-2602, -1402, -2403};
    for (int decompc = 1; decompc <= 3; decompc++) {
        arguments a = decomposed(doubled(), decompc);
        const double x0[6] = {0, 0, 0, 0, sqrt(0.5), sqrt(0.5)};
        memcpy(a.x, x0, sizeof x0);
        model.loose = true;
        assert_int_equal(call(&a), expected[decompc - 1]);
    }
}

/* The second rod becomes longer after 1 s. */
static void a_changing_rank_is_2401(void **state)
{
    (void)state;
    arguments a = decomposed(doubled(), 3);
    model.opening = 1;
    assert_int_equal(call(&a), -2401);
    assert_true(a.t > 0.9 && a.t < 1.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_integers_are_1001),
        cmocka_unit_test(wrong_reals_are_1001),
        cmocka_unit_test(wrong_sizes_are_1001),
        cmocka_unit_test(wrong_switches_and_steps_are_1001),
        cmocka_unit_test(short_work_arrays_are_1001),
        cmocka_unit_test(wrong_tolerances_are_1001),
        cmocka_unit_test(a_negative_idid_is_1002),
        cmocka_unit_test(routines_stop_the_run),
        cmocka_unit_test(stops_while_differencing_are_1201),
        cmocka_unit_test(positive_ierr_means_nothing),
        cmocka_unit_test(values_that_cannot_be_made_consistent_are_1105),
        cmocka_unit_test(an_end_before_the_start_is_1106),
        cmocka_unit_test(a_singular_iteration_matrix_is_1115_or_1114),
        cmocka_unit_test(too_many_steps_are_1117),
        cmocka_unit_test(a_vanishing_step_is_1118),
        cmocka_unit_test(stops_at_the_initial_values_are_2101_and_2102),
        cmocka_unit_test(contradictory_conditions_are_2104),
        cmocka_unit_test(unsettled_conditions_are_2105),
        cmocka_unit_test(too_few_conditions_are_2106_unless_everything_holds),
        cmocka_unit_test(redundant_constraints_need_the_svd),
        cmocka_unit_test(a_singular_first_block_is_1401_2601_2402),
        cmocka_unit_test(dependent_velocity_rows_are_1402_2602_2403),
        cmocka_unit_test(a_changing_rank_is_2401),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
