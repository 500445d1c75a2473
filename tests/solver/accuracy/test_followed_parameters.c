/* driftless/gradient.h on a model in C: the pendulum's derivatives by its length, gravity and mass
   against their exact values, from slopes by hand and by differences. */
#include <driftless/gradient.h>

#include "../../failing.h"
#include "../../support.h"
#include "problems.h"

enum { N = 5, COUNT = 3 };

/* x' = vx, y' = vy in x = (lambda, vx, vy, x, y); at t = 1.3, with y = 0 held at the start. */
static const double exact[COUNT][4] = {{-11.46010486, -1.51406115, -2.30026634, 1.54098849},
                                       {.99916402, -.12649168, .10772085, -.15379146},
                                       {0, 0, 0, 0}};

/* L, g, m. */
static int slopes(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const pendulum_parameters *par = user;
    (void)t, (void)x;
    out->pos[0] = -2 * par->L;
    out->dyn[2 * 1 + 1] = -par->m;
    out->dyn[2 * 2] = -a[0];
    out->dyn[2 * 2 + 1] = -par->g - a[1];
    return 0;
}

/* Its own value plus `by`: the values that the test uses. */
static int move(int which, double by, void *user)
{
    pendulum_parameters *par = user;
    double *const value[COUNT] = {&par->L, &par->g, &par->m};
    const double own[COUNT] = {1, 13.750371636040745655, 1};
    *value[which] = own[which] + by;
    return 0;
}

typedef enum way { BY_HAND, BY_DIFFERENCES, WITHOUT_JACOBIAN } way;

static const double start[N * COUNT] = {0, 0, 0, 1, 0}; /* x = L */

/* gradient (COUNT x 4) at t = 1.3. */
static dfl_status differentiate(double (*gradient)[4], dfl_context *ctx, way by)
{
    problem prob;
    dfl_solver *solver = NULL;
    dfl_parameter_differences *differences = NULL;
    assert_true(problem_make(&prob, "pendulum", 0));
    prob.eom.jacobian = by == WITHOUT_JACOBIAN ? NULL : prob.eom.jacobian;
    const dfl_parameters hand = {.count = COUNT, .slopes = slopes, .user = prob.parameters};
    const dfl_parameters *parameters = &hand;
    dfl_status status = dfl_solver_create(&solver, ctx, &prob.eom,
                                          &(dfl_solver_options){.rtol = 1e-10, .atol = 1e-10});
    if (!status && (by == BY_DIFFERENCES || by == WITHOUT_JACOBIAN)) {
        const double size[COUNT] = {1, 13.75, 1};
        status = dfl_parameter_differences_create(&differences, ctx, &prob.eom, COUNT, size, move,
                                                  prob.parameters);
        if (!status)
            parameters = dfl_parameter_differences_of(differences);
    }
    if (!status)
        status = dfl_solver_start(solver, 0, prob.x0, NULL);
    if (!status)
        status = dfl_solver_follow(solver, parameters, start);
    if (!status)
        status = dfl_solver_advance(solver, 1.3);
    if (!status) {
        const double *X = dfl_solver_derivatives(solver).x;
        for (int j = 0; j < COUNT; j++)
            for (int i = 0; i < 4; i++)
                gradient[j][i] = X[N * j + 1 + i];
    }
    dfl_solver_free(solver);
    dfl_parameter_differences_free(differences);
    problem_free(&prob);
    return status;
}

static void all_ways_give_the_exact_derivatives(void **state)
{
    (void)state;
    static const struct {
        way by;
        double tolerance;
    } list[] = {{BY_HAND, 2e-8}, {BY_DIFFERENCES, 2e-8}, {WITHOUT_JACOBIAN, 1e-6}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        dfl_context *ctx = dfl_context_create();
        double gradient[COUNT][4];
        if (differentiate(gradient, ctx, list[k].by))
            fail_msg("%s", dfl_message(ctx));
        for (int j = 0; j < COUNT; j++)
            for (int i = 0; i < 4; i++)
                assert_near(gradient[j][i], exact[j][i], list[k].tolerance);
        assert_int_equal(dfl_context_live(ctx), 0);
        dfl_context_free(ctx);
    }
}

static void differences_survive_failing_allocations(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    double gradient[COUNT][4];
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, ctx) {
        status = differentiate(gradient, ctx, BY_DIFFERENCES);
    }
    dfl_context_free(ctx);
}

static void wrong_parameters_are_refused(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_parameter_differences *differences = NULL;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    assert_int_equal(dfl_parameter_differences_create(&differences, ctx, &prob.eom, 0, NULL, move,
                                                      prob.parameters),
                     DFL_INVALID);
    assert_int_equal(dfl_parameter_differences_create(&differences, ctx, &prob.eom, 1, NULL, NULL,
                                                      prob.parameters),
                     DFL_INVALID);
    prob.eom.no_bias = true;
    assert_int_equal(dfl_parameter_differences_create(&differences, ctx, &prob.eom, 1, NULL, move,
                                                      prob.parameters),
                     DFL_INVALID);
    assert_null(differences);
    problem_free(&prob);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_give_the_exact_derivatives),
        cmocka_unit_test(differences_survive_failing_allocations),
        cmocka_unit_test(wrong_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
