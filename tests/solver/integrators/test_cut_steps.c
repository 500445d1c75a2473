/* Steps that are cut short by the goal of an advance leave step control alone: with rows a run
   takes at most as many steps as there are rows, and those it takes without rows. */
#include "evidence.h"

static const dfl_integrator integrators[] = {DFL_RADAU,        DFL_BDF,           DFL_TRAPEZOIDAL,
                                             DFL_MIDPOINT,     DFL_HALF_EXPLICIT, DFL_EXPLICIT_PAIR,
                                             DFL_EXTRAPOLATION};
enum { METHODS = sizeof integrators / sizeof *integrators, MOST = 64 };

/* Steps of a run to `end` by rows; *x gets the end. */
static long steps_by_rows(double *x, const char *name, dfl_integrator integrator, double end,
                          int rows)
{
    const int order = integrator == DFL_RADAU ? 9 : 0; /* the order changes the number of steps */
    const dfl_solver_options options = {.integrator = integrator,
                                        .order = order,
                                        .rtol = 1e-5,
                                        .atol = 1e-5,
                                        .output.ends_only = true};
    run r;
    run_make(&r, name, 0, &options);
    for (int k = 1; k <= rows; k++)
        memcpy(x, run_to(&r, k < rows ? end * k / rows : end), (size_t)r.at.n * sizeof *x);
    const long steps = dfl_solver_statistics(r.solver).accepted;
    run_free(&r);
    return steps;
}

static void rows_cost_one_step_each_at_most(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double end;
    } cases[] = {{"pendulum", 1.9}, {"slidercrank", 0.3}, {"andrews", 0.01}, {"sleigh", 2}};
    const int rows[] = {7, 30, 131, 1000};
    for (int c = 0; c < 4; c++)
        for (int m = 0; m < METHODS; m++) {
            double alone[MOST], x[MOST];
            /* halves of the distance keep the past of BDF regular */
            const int per_row = integrators[m] == DFL_BDF ? 3 : 1;
            if (c == 3 && integrators[m] == DFL_HALF_EXPLICIT)
                continue; /* nothing but nonholonomic rows */
            const long free = steps_by_rows(alone, cases[c].name, integrators[m], cases[c].end, 1);
            for (int k = 0; k < 4; k++) {
                const long steps =
                    steps_by_rows(x, cases[c].name, integrators[m], cases[c].end, rows[k]);
                print_message("%-12s %-14s %4d rows: %5ld steps, %5ld without\n", cases[c].name,
                              dfl_integrator_name(integrators[m]), rows[k], steps, free);
                assert_true(steps <= per_row * rows[k] + free);
            }
        }
}

/* A short step, then a long way: what was proposed before goes on. */
static void a_tiny_step_does_not_slow_the_run(void **state)
{
    (void)state;
    const dfl_solver_options options = {.rtol = 1e-9, .atol = 1e-9};
    for (int order = 0; order <= 13; order += 13) {
        long steps[2];
        for (int k = 0; k < 2; k++) {
            dfl_solver_options o = options;
            o.order = order;
            run r;
            run_make(&r, "pendulum", 0, &o);
            run_to(&r, 5);
            if (k == 1)
                for (int i = 1; i <= 3; i++)
                    run_to(&r, 5 + 1e-9 * i);
            run_to(&r, 10);
            steps[k] = dfl_solver_statistics(r.solver).accepted;
            run_free(&r);
        }
        print_message("order %d: %ld steps, %ld with tiny ones\n", order, steps[0], steps[1]);
        assert_true(steps[1] <= steps[0] + 3 + 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_cost_one_step_each_at_most),
        cmocka_unit_test(a_tiny_step_does_not_slow_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
