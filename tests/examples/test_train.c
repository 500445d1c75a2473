/* A train of cars on hills: sparse matrices in absolute coordinates against dense ones in joint
   coordinates, and the laws that hold for any length of the train. */
#include "example.h"

#include <math.h>

static scripted load_train(const char *cars, bool absolute)
{
    char path[512];
    const char *const sets[] = {cars};
    const dfl_script_options options = {.nset = 1,
                                        .set = sets,
                                        .dynamics = absolute ? DFL_DYNAMICS_ABSOLUTE
                                                             : DFL_DYNAMICS_EXPRESSIONS};
    scripted s = {.ctx = dfl_context_create()};
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, train);
    scripted_expect(&s, dfl_script_load(&s.model, s.ctx, path, &options));
    scripted_expect(&s, dfl_equations_create(&s.eq, s.model, true));
    scripted_expect(&s, absolute ? dfl_runnable_create_packed(&s.run, s.eq)
                                 : dfl_runnable_create(&s.run, s.eq));
    s.x = dfl_alloc(s.ctx, (size_t)s.eq->n, sizeof *s.x);
    return s;
}

static double coordinate(const scripted *s, int car, int k)
{
    char name[40];
    snprintf(name, sizeof name, "free%d.q%d", car, k);
    return scripted_value(s, name);
}

/* Wheels are on the track of the script, drawbars have 1 m; of 20 t each. */
static void check_geometry(const scripted *s, int cars)
{
    for (int i = 1; i <= cars; i++) {
        const double x = coordinate(s, i, 1), y = coordinate(s, i, 2), angle = coordinate(s, i, 3);
        for (int side = -1; side <= 1; side += 2) {
            const double wx = x + side * 3.5 * cos(angle), wy = y + side * 3.5 * sin(angle);
            assert_near(wy, 4 * sin(wx / 25) + 2 * sin(wx / 9), 1e-6);
        }
        if (i == cars)
            continue;
        const double next = coordinate(s, i + 1, 3);
        const double dx = x - 5 * cos(angle) - coordinate(s, i + 1, 1) - 5 * cos(next);
        const double dy = y - 5 * sin(angle) - coordinate(s, i + 1, 2) - 5 * sin(next);
        assert_near(hypot(dx, dy), 1, 1e-6);
    }
}

static void a_short_train_moves_alike_with_both_matrices(void **state)
{
    (void)state;
    scripted dense = load_train("N=5", false), sparse = load_train("N=5", true);
    scripted *const both[] = {&dense, &sparse};
    for (int k = 0; k < 2; k++) {
        scripted_start(both[k], &(dfl_solver_options){.rtol = 1e-9});
        scripted_advance(both[k], 3);
        check_geometry(both[k], 5);
    }
    for (int car = 1; car <= 5; car++)
        for (int k = 1; k <= 3; k++)
            assert_near(coordinate(&sparse, car, k), coordinate(&dense, car, k), 1e-6);
    scripted_free(&dense);
    scripted_free(&sparse);
}

/* 50 cars of 20 t at about 12 m/s have 7e7 J. */
static void fifty_cars_keep_their_energy(void **state)
{
    (void)state;
    scripted s = load_train("N=50", true);
    check_opening(train);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-7});
    const double energy = dfl_runnable_energy(s.run, 0, s.x), x = coordinate(&s, 1, 1);
    check_geometry(&s, 50);
    scripted_advance(&s, 1);
    check_geometry(&s, 50);
    assert_true(coordinate(&s, 1, 1) - x > 10);
    assert_near(dfl_runnable_energy(s.run, 1, s.x), energy, 1e-6 * 7e7);
    scripted_free(&s);
}

/* Steps of 1e-10 s: multipliers are not differences of numbers that grow as 1/h^2. */
static void a_long_train_runs_for_a_nanosecond(void **state)
{
    (void)state;
    scripted s = load_train("N=120", true);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6});
    scripted_advance(&s, 1e-9);
    check_geometry(&s, 120);
    assert_int_equal(dfl_solver_statistics(s.solver).rejected_newton, 0);
    scripted_free(&s);
}

/* No singular position is suspected between the steps of long trains, so their ways are not
   divided. */
static void steps_of_long_trains_are_not_divided(void **state)
{
    (void)state;
    scripted s = load_train("N=120", true);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6});
    scripted_advance(&s, 1);
    check_geometry(&s, 120);
    assert_true(dfl_solver_statistics(s.solver).partial_evaluations < 3);
    scripted_free(&s);
}

/* Errors of second order add up along a train; that costs iterations, but no second matrix. */
static void a_step_of_a_long_train_takes_one_matrix(void **state)
{
    (void)state;
    scripted s = load_train("N=400", true);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6, .order = 5});
    scripted_advance(&s, 3);
    check_geometry(&s, 400);
    const dfl_statistics statistics = dfl_solver_statistics(s.solver);
    assert_true(statistics.newton_updates < 3);
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_train_moves_alike_with_both_matrices),
        cmocka_unit_test(fifty_cars_keep_their_energy),
        cmocka_unit_test(a_long_train_runs_for_a_nanosecond),
        cmocka_unit_test(steps_of_long_trains_are_not_divided),
        cmocka_unit_test(a_step_of_a_long_train_takes_one_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
