/* test_geoms_manual.c: what the manual of GEOMS says and its other versions do not: tolerances down
   to 1D-15, initial values that are only checked, the two numberings of IOPT(11). */
#include "geoms_call.h"

static void assert_idid(arguments *a, int idid)
{
    assert_int_equal(call(a), idid);
}

/* The pendulum keeps its energy: v^2/2 + g p2. */
static double energy(const arguments *a)
{
    return 0.5 * (a->x[1] * a->x[1] + a->x[2] * a->x[2]) + 13.75 * a->x[4];
}

/* The paper's truck ran with RTOL = ATOL = 1D-15. What is reached is close to rounding: no worse
   than with 3D-15, and both agree to some 1e-12. */
static void a_tolerance_of_1e_15_runs(void **state)
{
    (void)state;
    for (int itol = 0; itol <= 1; itol++) {
        arguments a = swing(2.8), b = swing(2.8);
        const double before = energy(&a);
        a.itol = b.itol = itol;
        a.tend = b.tend = 1;
        for (int i = 0; i < 8; i++) {
            a.rtol[i] = a.atol[i] = 1e-15;
            b.rtol[i] = b.atol[i] = 3e-15;
        }
        assert_idid(&a, 0);
        assert_idid(&b, 0);
        assert_near(energy(&a), before, 1e-11);
        assert_true(distance(a.x + 1, b.x + 1, 4) < 1e-11);
    }
}

/* Section 3 of the paper: without sufficient conditions the values are checked only. */
static void without_conditions_inconsistent_values_stop_on_request(void **state)
{
    (void)state;
    arguments a = swing(2.8);
    a.iopt[GEOMS_IVCNSST - 1] = 2;
    assert_idid(&a, 0); /* consistent */
    for (int k = 0; k < 2; k++) {
        a = swing(2.8);
        a.iopt[GEOMS_IVCNSST - 1] = 2;
        a.x[k == 0 ? 4 : 2] += 1e-3; /* p2, or v2 */
        const arguments before = a;
        assert_idid(&a, -1105);
        assert_memory_equal(a.x, before.x, sizeof a.x);
        assert_true(a.t == 0);
        a = before;
        a.iopt[GEOMS_IVCNSST - 1] = 0;
        assert_idid(&a, 0); /* corrected */
    }
}

/* With the numbers of the option list: 0 LU, 1 QR, 2 SVD. */
static void iopt_11_has_both_numberings(void **state)
{
    (void)state;
    for (int method = 0; method < 3; method++) {
        arguments text = swing(2.8), list = swing(2.8);
        text.iopt[GEOMS_DECOMPC - 1] = method + 1;
        list.iopt[GEOMS_DECOMPC - 1] = method;
        list.iopt[GEOMS_NUMBERING - 1] = 1;
        assert_idid(&text, 0);
        assert_idid(&list, 0);
        assert_memory_equal(text.iwork, list.iwork, sizeof text.iwork);
        assert_memory_equal(text.x, list.x, sizeof text.x);
    }
    arguments a = swing(2.8);
    a.iopt[GEOMS_DECOMPC - 1] = 3;
    a.iopt[GEOMS_NUMBERING - 1] = 1;
    assert_idid(&a, -1001);
}

/* A rod that is given twice needs SVD, whatever its number. */
static void redundant_constraints_need_svd_in_both_numberings(void **state)
{
    (void)state;
    for (int list = 0; list <= 1; list++)
        for (int method = 0; method < 3; method++) {
            arguments a = swing(2.8);
            model.rods = 2;
            a.nl = 2, a.n = 6, a.m = 10, a.ijac = 0, a.tend = 0.1;
            const double x0[6] = {(2.8 * 2.8 + 13.75) / 4, (2.8 * 2.8 + 13.75) / 4, 2.8, 0, 0, -1};
            memcpy(a.x, x0, sizeof x0);
            a.iopt[GEOMS_DECOMPC - 1] = list ? method : method + 1;
            a.iopt[GEOMS_NUMBERING - 1] = list;
            a.iopt[GEOMS_NWTUPD - 1] = 1;
            const int idid = call(&a);
            assert_int_equal(idid, method == 0 ? -2603 : method == 1 ? -1403 : 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tolerance_of_1e_15_runs),
        cmocka_unit_test(without_conditions_inconsistent_values_stop_on_request),
        cmocka_unit_test(iopt_11_has_both_numberings),
        cmocka_unit_test(redundant_constraints_need_svd_in_both_numberings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
