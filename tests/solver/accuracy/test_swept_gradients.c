/* Gradients from C: the pendulum's derivatives by its length, beside the state and by a sweep
   backwards, with steps in memory and in a file; against the exact numbers. */
#include "evidence.h"

#include <driftless/gradient.h>

enum { X = 3 }; /* lambda, vx, vy, x, y */

/* The last of `count` parameters is L; g = x^2 + y^2 - L^2. */
typedef struct lengths {
    int count;
    double L;
} lengths;

static int slopes(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const lengths *it = user;
    (void)t;
    (void)x;
    (void)a;
    out->pos[it->count - 1] = -2 * it->L;
    return 0;
}

/* Both: *direct beside the state, *swept backwards; `limit` bytes of memory. Returns what the
   record takes. */
static size_t differentiate(double *direct, double *swept, const char *name, size_t limit)
{
    problem prob;
    assert_true(problem_make(&prob, name, 0));
    dfl_context *ctx = dfl_context_create();
    const dfl_solver_options options = {.rtol = 1e-9, .atol = 1e-9};
    dfl_solver *solver;
    lengths one = {1, 1}, all = {0, 1};
    const dfl_parameters along = {.count = 1, .slopes = slopes, .user = &one};
    double start[5 * 20] = {0}, weight[5] = {0};
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, prob.x0, NULL), DFL_OK);
    const int spare = dfl_solver_spare(solver, &along);
    all.count = spare + 1;
    assert_in_range(all.count, 1, 20);
    const dfl_parameters parameters = {.count = all.count, .slopes = slopes, .user = &all};
    start[X] = 1; /* the pendulum begins at x = L */
    assert_int_equal(dfl_solver_follow(solver, &along, start), DFL_OK);
    start[X] = 0;
    start[spare * 5 + X] = 1;
    assert_int_not_equal(dfl_solver_record(solver, &parameters, spare - 1, start), DFL_OK);
    assert_int_equal(dfl_solver_record(solver, &parameters, spare, start), DFL_OK);
    dfl_solver_record_limit(solver, limit);
    assert_int_equal(dfl_solver_advance(solver, 1.3), DFL_OK);
    *direct = dfl_solver_derivatives(solver).x[X];
    weight[X] = 1;
    *swept = 0;
    assert_int_equal(dfl_solver_weigh(solver, 0, weight, NULL, NULL), DFL_OK);
    assert_int_equal(dfl_solver_sweep(swept, solver, 1), DFL_OK);
    const size_t taken = dfl_solver_recorded(solver);
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    problem_free(&prob);
    return taken;
}

static void both_have_the_exact_derivative(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum", "pendulum_energy"};
    for (int k = 0; k < 2; k++) {
        double direct, swept, filed, again;
        const size_t all = differentiate(&direct, &swept, names[k], (size_t)1 << 30);
        const size_t few = differentiate(&again, &filed, names[k], 3000);
        assert_true(fabs(direct + 2.30026634) <= 2e-7);
        assert_true(fabs(swept - direct) <= 1e-11);
        assert_true(again == direct && filed == swept);
        assert_true(few < all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_have_the_exact_derivative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
