/* All blocks of the equations of motion at once, against the same motion in minimal coordinates. */
#include "mixed.h"
#include "packed.h"

static void check_mixed(mixed m, double t_end, const dfl_solver_options *options, bool sparse)
{
    const int nc = m.rows, nv = 3 + m.massless;
    double y[6] = {0.4, 1.1, 0.2, 0.6, 0.8, 0.3}, X[20] = {0};
    const dfl_eom eom = mixed_eom(&m);
    packed_model packed;
    mixed_start(X, &m, y);
    packed_create(&packed, &eom, mixed_t0, X);
    const run r = run_with(sparse ? &packed.eom : &eom, mixed_t0, X, t_end, options, NULL);
    packed_free(&packed);
    assert_succeeded(&r);
    rk4(y, 6, mixed_t0, t_end, 400, mixed_rate, NULL);
    const double *p = r.x + 3 + nc + nv;
    /* 20 times the tolerance of 1e-8, as elsewhere */
    assert_near(r.x[1 + nc], y[2], 2e-7);
    assert_near(r.x[3 + nc], y[1], 2e-7);
    assert_near(p[1], cos(y[0]), 2e-7);
    assert_near(p[2], sin(y[0]), 2e-7);
    assert_near(p[3], y[3], 2e-7);
    if (m.massless)
        assert_near(p[4], y[5], 2e-7);
}

static void run_mixed(mixed m, double t_end, const dfl_solver_options *options)
{
    check_mixed(m, t_end, options, false);
}

static void all_blocks_at_once_give_the_motion_without_constraints(void **state)
{
    (void)state;
    const dfl_solver_options options[] = {
        {.rtol = 1e-8},
        {.rtol = 1e-8, .form = DFL_PSI1},
        {.rtol = 1e-8, .constraints.selectors = DFL_UNIT},
    };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            run_mixed((mixed){.rows = 1, .invariants = k}, 2.3, &options[i]);
            run_mixed((mixed){.rows = 3, .invariants = k}, 2.3, &options[i]);
            run_mixed((mixed){.rows = 3, .invariants = k}, -1.7, &options[i]); /* backwards */
            run_mixed((mixed){.rows = 1, .massless = 1, .invariants = k}, 2.3, &options[i]);
            run_mixed((mixed){.rows = 3, .massless = 1, .invariants = k}, 2.3, &options[i]);
        }
}

/* The rows that depend on each other are a nonholonomic one and a multiple; every method must find
   the same motion. */
static void with_sparse_matrices_too(void **state)
{
    (void)state;
    const dfl_solver_options options[] = {{.rtol = 1e-8},
                                          {.rtol = 1e-8, .order = 5},
                                          {.rtol = 1e-8, .order = 13},
                                          {.rtol = 1e-8, .constraints.rigid_invariants = true}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (int k = 0; k < 2; k++) {
            check_mixed((mixed){.rows = 1, .invariants = k}, 2.3, &options[i], true);
            check_mixed((mixed){.rows = 3, .invariants = k}, 2.3, &options[i], true);
            check_mixed((mixed){.rows = 3, .invariants = k}, -1.7, &options[i], true);
            check_mixed((mixed){.rows = 1, .massless = 1, .invariants = k}, 2.3, &options[i], true);
            check_mixed((mixed){.rows = 3, .massless = 1, .invariants = k}, 2.3, &options[i], true);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_sparse_matrices_too),
        cmocka_unit_test(all_blocks_at_once_give_the_motion_without_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
