/* test_truck_seat.c: the truck in the structure of table 5 of Steinbrecher (2007): 7 bodies, 11
   coordinates, 1 constraint, with data of our own. References: the balance of the loading area at
   rest, other integrators, and the sizes that the paper names. */
#include "example.h"

enum { NP = 11, NL = 1, N = NL + 2 * NP };

static void it_passes_the_self_check_and_runs_with_its_own_settings(void **state)
{
    (void)state;
    check_own_settings(truck_seat);
    check_opening(truck_seat);
}

static void it_has_the_structure_of_table_5(void **state)
{
    (void)state;
    scripted s = load(truck_seat);
    assert_int_equal(s.eq->np, NP);
    assert_int_equal(s.eq->nv, NP);
    assert_int_equal(s.eq->nl, NL);
    assert_int_equal(s.eq->n, N);
    scripted_free(&s);
}

/* The hinge carries the part 1 - 1.6/4 of the loading area, whose lift is 4 m in front of it and
   whose centre is 1.6 m; nothing moves until the hump comes. */
static void it_rests_on_its_springs(void **state)
{
    (void)state;
    scripted s = load(truck_seat);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-10});
    assert_near(scripted_value(&s, "lambda(hinge)"), -11500 * 9.81 * (1 - 1.6 / 4), 1e-6);
    scripted_advance(&s, 2.0 / 15);
    const double *x = dfl_solver_state(s.solver);
    for (int i = NL; i < N; i++)
        assert_near(x[i], 0, 1e-13);
    scripted_free(&s);
}

/* Methods and forms agree to 1e-6, all at tolerances of 1e-8 or less; the sizes are those of the
   paper: lambda of 1e4, p and v of 1e-2. */
static void methods_agree(void **state)
{
    (void)state;
    const dfl_solver_options methods[] = {{.rtol = 1e-9},
                                          {.rtol = 1e-9, .integrator = DFL_HALF_EXPLICIT},
                                          {.rtol = 1e-9, .integrator = DFL_EXTRAPOLATION},
                                          {.rtol = 1e-15, .atol = 1e-15, .order = 5},
                                          {.rtol = 1e-8, .form = DFL_GGL, .order = 5}};
    double x[5][N];
    for (int k = 0; k < 5; k++) {
        scripted s = load(truck_seat);
        scripted_start(&s, &methods[k]);
        scripted_advance(&s, 5);
        memcpy(x[k], dfl_solver_state(s.solver), sizeof x[k]);
        scripted_free(&s);
    }
    assert_true(fabs(x[0][0]) > 1e4 && fabs(x[0][0]) < 1e5);
    for (int i = NL; i < N; i++)
        for (int k = 0; k < 5; k++) {
            assert_true(fabs(x[k][i]) < 0.3);
            assert_near(x[k][i], x[3][i], 1e-6);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_passes_the_self_check_and_runs_with_its_own_settings),
        cmocka_unit_test(it_has_the_structure_of_table_5),
        cmocka_unit_test(it_rests_on_its_springs),
        cmocka_unit_test(methods_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
