/* Analyses of a model in C; every allocation fails in turn. */
#include "failing.h"
#include "models.h"
#include "near.h"

/* x = [lambda | vx vy | px py] */
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 1, *p = x + 3;
    (void)t, (void)need, (void)user;
    out->kin[0] = v[0], out->kin[1] = v[1];
    out->f[0] = 0, out->f[1] = -9.81;
    out->g[0] = p[0] * p[0] + p[1] * p[1] - 1;
    out->gI[0] = 2 * (p[0] * v[0] + p[1] * v[1]);
    out->W[0] = 2 * p[0], out->W[1] = 2 * p[1];
    out->bias[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

/* A horizontal force. */
static int slopes(dfl_input_slopes *out, double t, const double *x, const double *a, void *user)
{
    (void)t, (void)x, (void)a, (void)user;
    out->dyn[0] = 1;
    return 0;
}

static const dfl_eom pendulum = {.np = 2, .nv = 2, .nl = 1, .eval = eval};

/* Without `jacobian` derivatives are differences, with 7 digits. */
static void pendulum_in_c_swings_with_its_frequency(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    double x[5] = {0, 0, 0, 0.3, -sqrt(1 - 0.09)};
    dfl_equilibrium report;
    dfl_linearized linear;
    dfl_modes modes;
    const dfl_inputs force = {1, slopes, NULL};
    assert_int_equal(dfl_equilibrium_find(x, &report, ctx, &pendulum, 0, NULL), DFL_OK);
    near_close(x[3], 0, 1e-9);
    near_close(x[4], -1, 1e-12);
    near_close(x[0], 9.81 / 2, 1e-9);
    assert_int_equal(dfl_linearize(&linear, ctx, &pendulum, 0, x, &force), DFL_OK);
    assert_int_equal(linear.ny, 2);
    assert_int_equal(linear.state[0], 3);
    assert_int_equal(linear.state[1], 1);
    assert_int_equal(linear.kind, DFL_AT_EQUILIBRIUM);
    near_close(linear.B[1], 1, 1e-7);
    assert_int_equal(dfl_modes_find(&modes, ctx, linear.ny, linear.A), DFL_OK);
    near_close(modes.mode[0].im, sqrt(9.81), 1e-6);
    dfl_modes_clear(&modes);
    dfl_linearized_clear(&linear);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void other_contracts_are_refused(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_eom geoms = pendulum;
    dfl_linearized linear;
    const double x[5] = {0, 0, 0, 0, -1};
    geoms.no_bias = true;
    assert_int_equal(dfl_linearize(&linear, ctx, &geoms, 0, x, NULL), DFL_INVALID);
    dfl_linearized_clear(&linear);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void every_allocation_of_an_analysis_may_fail(void **state)
{
    (void)state;
    near it = near_load(slider_crank);
    const dfl_state_choice choice = {0};
    scripted_expect(&it.s, dfl_study_state(&it.state, it.s.run, &it.settings, &choice));
    const size_t n = (size_t)it.s.eq->n;
    double x[RUN_MOST];
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, it.s.ctx) {
        dfl_equilibrium report;
        dfl_state_found found = {.t = 0, .x = x};
        dfl_linear_model linear = {0};
        dfl_modes modes = {0};
        memcpy(x, it.state.x, n * sizeof *x);
        status = dfl_study_equilibrium(&report, x, it.s.run, 0, NULL);
        if (!status)
            status = dfl_linear_model_create(&linear, it.s.run, &found, "T,F", "slider,x");
        if (!status)
            status = dfl_modes_find(&modes, it.s.ctx, linear.linear.ny, linear.linear.A);
        if (!status)
            status = dfl_state_polish(x, it.s.ctx, dfl_runnable_eom(it.s.run), 0);
        dfl_modes_clear(&modes);
        dfl_linear_model_clear(&linear);
    }
    near_free(&it);
}

static void every_allocation_of_responses_and_feedback_may_fail(void **state)
{
    (void)state;
    near it = near_find(slider_crank, "equilibrium", NULL);
    const dfl_linearized *at = &it.linear.linear;
    const dfl_linear_equations linear = {at->ny, at->nu,      it.linear.no, at->A,
                                         at->B,  it.linear.C, it.linear.D};
    const double omega[2] = {1, 2};
    double re[8], im[8], Q[4], N[4], R[4], K[4], tau[2], multipliers[2];
    const double W[6] = {1, 0, 0, 1, 1, 1}, B[6] = {1, 0, 0, 0, 1, 1}, force[3] = {1, 2, 2};
    const dfl_drive_forces wanted = {3, 2, 2, W, B, force, 1};
    const dfl_weights weights = {Q, N, R};
    int count, worst;
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, it.s.ctx) {
        status = dfl_frequency_response(re, im, &count, it.s.ctx, &linear, omega, 2);
        if (!status)
            status = dfl_transmission_zeros(re, im, &count, it.s.ctx, &linear, 0, 0);
        if (!status)
            status = dfl_study_weights(&weights, &it.linear, it.s.run, "slider=1,x=2", "F=1,T=2");
        if (!status)
            status = dfl_lqr(K, it.s.ctx, &linear, Q, R);
        if (!status)
            status = dfl_mode_access(re, im, it.s.ctx, &linear, &it.modes);
        if (!status)
            status = dfl_drives_find(tau, multipliers, &worst, it.s.ctx, &wanted);
    }
    near_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_in_c_swings_with_its_frequency),
        cmocka_unit_test(other_contracts_are_refused),
        cmocka_unit_test(every_allocation_of_an_analysis_may_fail),
        cmocka_unit_test(every_allocation_of_responses_and_feedback_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
