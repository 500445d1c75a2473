/* Narrow smooth pulses of functions of time are not stepped over: velocities after a push are known
   integrals. Without the bounds of slopes the first three rows of `pushes` end without any push. */
#include "../scripted.h"

static const double pi = 3.14159265358979323846;

/* v(10) under the force 100 u(t) on 1 kg from rest, by a run with rtol = atol. */
static double speed_after(const char *u, double tol, dfl_integrator integrator,
                          dfl_statistics *stats)
{
    char text[400];
    snprintf(text, sizeof text,
             "local x = position('x') kinetic(velocity(x)^2/2)\n"
             "initial{x = 0, ['der(x)'] = 0} force(x, 100*(%s))\n",
             u);
    scripted s = scripted_text(text);
    scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol, .integrator = integrator});
    scripted_advance(&s, 10);
    const double speed = scripted_value(&s, "der(x)");
    *stats = dfl_solver_statistics(s.solver);
    scripted_free(&s);
    return speed;
}

/* The modified Bessel function I0. */
static double bessel(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; k < 200; k++) {
        term *= x / 2 / k * (x / 2 / k);
        sum += term;
    }
    return sum;
}

static void narrow_pushes_are_felt(void **state)
{
    (void)state;
    const double root = sqrt(pi);
    const struct {
        const char *u;
        double speed;
    } pushes[] = {
        {"exp(-((time - 1)/0.01)^2)", root},
        {"exp(-((time - 1)/1e-3)^2)", 0.1 * root},
        {"exp(-((time - 1)/1e-5)^2)", 1e-3 * root},
        {"exp(-((time - 1)/0.1)^2)", 10 * root},
        {"exp(20*sin(2*pi*time) - 20)", 1000 * exp(-20) * bessel(20)},
        {"1 + sin(5*time)", 1000 + 20 * (1 - cos(50))},
        {"sin(200*time)*exp(-time)",
         100 * (200 - exp(-10) * (sin(2000) + 200 * cos(2000))) / 40001},
        /* on top of something larger, twice, of both signs */
        {"sin(time) + exp(-((time - 7.3)/1e-3)^2)", 100 * (1 - cos(10)) + 0.1 * root},
        {"exp(-((time - 2)/1e-4)^2) - 3*exp(-((time - 8)/1e-4)^2)", -0.02 * root},
        {"1e-3*time^2 + 1/(1 + ((time - 5)/1e-3)^2)", 100. / 3 + 0.2 * atan(5e3)},
        /* in a branch that begins later */
        {"select(time - 3, exp(-((time - 6)/1e-3)^2), 0)", 0.1 * root},
    };
    for (size_t i = 0; i < sizeof pushes / sizeof *pushes; i++) {
        dfl_statistics stats;
        const double found = speed_after(pushes[i].u, 1e-6, DFL_RADAU, &stats);
        assert_near(found, pushes[i].speed, 1e-5 * (1 + fabs(pushes[i].speed)));
    }
}

static void other_methods_feel_them_too(void **state)
{
    (void)state;
    const dfl_integrator integrators[] = {DFL_BDF,           DFL_TRAPEZOIDAL,   DFL_MIDPOINT,
                                          DFL_EXPLICIT_PAIR, DFL_HALF_EXPLICIT, DFL_EXTRAPOLATION};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        dfl_statistics stats;
        const double found = speed_after("exp(-((time - 1)/1e-3)^2)", 1e-6, integrators[i], &stats);
        assert_near(found, 0.1 * sqrt(pi), 1e-3);
    }
}

static void start_without_bounds(scripted *s, dfl_solver_options *options)
{
    dfl_runnable_lock(&options->switches, s->run, NULL);
    scripted_expect(s, dfl_solver_create(&s->solver, s->ctx, dfl_runnable_eom(s->run), options));
    scripted_expect(s, dfl_study_start(s->x, &s->chosen, s->run, s->solver, options, 0.0));
}

/* Where a step of a smooth function is long enough anyway, bounds change nothing. */
static void smooth_functions_cost_no_step(void **state)
{
    (void)state;
    const char *const smooth[] = {"1 + sin(5*time)",   "sin(200*time)*exp(-time)",
                                  "time^6*exp(-time)", "sqrt(time)",
                                  "1/(1 + time)",      "time*abs(time - 5)"};
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        char text[300];
        long steps[2];
        snprintf(text, sizeof text,
                 "local x = position('x') kinetic(velocity(x)^2/2)\n"
                 "initial{x = 0, ['der(x)'] = 0} force(x, 100*(%s))\n",
                 smooth[i]);
        for (int k = 0; k < 2; k++) {
            scripted s = scripted_text(text);
            dfl_solver_options options = {.rtol = 1e-6, .atol = 1e-6};
            if (k == 0)
                scripted_start(&s, &options);
            else
                start_without_bounds(&s, &options);
            scripted_advance(&s, 10);
            steps[k] = dfl_solver_statistics(s.solver).accepted;
            scripted_free(&s);
        }
        assert_int_equal(steps[0], steps[1]);
    }
}

/* A motion that moves its body by 1 within a millisecond and back: the spring that hangs on it gets
   an impulse of k times the area. */
static void pulses_of_motions_are_felt(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, y = position('x'), position('y')\n"
                               "kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
                               "constraint('drive', y - exp(-((time - 2)/1e-3)^2))\n"
                               "force(x, 100*y)\n");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6, .atol = 1e-6});
    scripted_advance(&s, 4);
    assert_near(scripted_value(&s, "der(x)"), 0.1 * sqrt(pi), 1e-5);
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_pushes_are_felt),
        cmocka_unit_test(other_methods_feel_them_too),
        cmocka_unit_test(smooth_functions_cost_no_step),
        cmocka_unit_test(pulses_of_motions_are_felt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
