#define _POSIX_C_SOURCE 200809L
/* Confidence of identified parameters: a slider crank is measured with noise, again and again. */
#include "optimum.h"

#include <stdint.h>

#ifdef __SANITIZE_ADDRESS__
enum { SEEDS = 5, SAMPLES = 40 }; /* for faults alone */
#else
enum { SEEDS = 200, SAMPLES = 40 };
#endif

static const char crank[] =
    "local l1, l2, m3 = param('l1', 0.15), param('l2', 0.30), param('m3', 0.075552)\n"
    "local m1, m2 = 0.36, 0.151104\n"
    "local x, a, b = position('x', 'alpha', 'beta')\n"
    "local u, v, w = velocity(x, a, b)\n"
    "local rx, ry = u - l2/2*sin(a)*v, l2/2*cos(a)*v\n"
    "local cx = u - l2*sin(a)*v - l1/2*sin(a + b)*(v + w)\n"
    "local cy = l2*cos(a)*v + l1/2*cos(a + b)*(v + w)\n"
    "kinetic(m3/2*u^2 + m2/2*(rx^2 + ry^2) + m2*l2^2/24*v^2 + m1/2*(cx^2 + cy^2)\n"
    "  + m1*l1^2/24*(v + w)^2)\n"
    "potential(9.81*(m2*l2/2*sin(a) + m1*(l2*sin(a) + l1/2*sin(a + b))))\n"
    "constraint('px', x + l2*cos(a) + l1*cos(a + b))\n"
    "constraint('py', l2*sin(a) + l1*sin(a + b))\n"
    "initial{ x = sqrt(l2^2 - l1^2), alpha = pi - asin(l1/l2), beta = pi/2 + asin(l1/l2),\n"
    "  [u] = -10*l1, [v] = 0, [w] = 10 }\n"
    "simulate{ to = 1, rtol = 1e-7 }\n"
    "optimize{ vary = { l1 = {0.1, 0.19}, l2 = {0.2, 0.5}, m3 = {0.02, 0.3} },\n"
    "  fit = { file = 'measured.csv', x = 'x' }, tolerance = 1e-6 }\n";

/* Normal numbers by Box and Muller's method, from a linear congruence. */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    const double a = uniform(state), b = uniform(state);
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

/* value (SAMPLES): x without noise at times of the run. */
static void take_truth(double *value)
{
    const char *const of[] = {"x"};
    for (int i = 0; i < SAMPLES; i++) {
        dfl_context *ctx = dfl_context_create();
        dfl_settings settings;
        dfl_loaded loaded = {0};
        char path[200];
        write_file(path, sizeof path, "measured.csv", "t,x\n0,0\n1,0\n");
        write_file(path, sizeof path, "model.lua", crank);
        varied self = {.ctx = ctx, .path = path};
        const dfl_variation variation = {.load = load, .user = &self};
        const dfl_choices choices = dfl_choices_none("test: ");
        dfl_gradient gradient = {0};
        assert_int_equal(load(&loaded, NULL, 0, &self), DFL_OK);
        assert_int_equal(dfl_settings_resolve(&settings, &choices, loaded.run), DFL_OK);
        settings.to = (i + 1.0) / SAMPLES;
        assert_int_equal(dfl_study_gradient(&gradient, loaded.run, &settings, "m3", of, 1,
                                            DFL_DERIVATIVES_AUTO, &variation, NULL),
                         DFL_OK);
        value[i] = gradient.value[0];
        dfl_gradient_clear(&gradient);
        dfl_loaded_clear(&loaded);
        dfl_context_free(ctx);
    }
}

/* Intervals of 95 % hold the truth in 90 to 99 % of the cases, for each parameter. */
static void intervals_hold_the_truth(void **state)
{
    (void)state;
    static const double truth[] = {0.15, 0.30, 0.075552};
    const double quantile = 2.026; /* of Student's distribution, SAMPLES - 3 = 37 degrees */
    double value[SAMPLES];
    int inside[3] = {0};
    take_truth(value);
    for (int seed = 1; seed <= SEEDS; seed++) {
        char text[SAMPLES * 60 + 10] = "t,x\n", path[200];
        uint64_t random = (uint64_t)seed * 1000003u;
        for (int i = 0; i < SAMPLES; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.17g\n",
                     (i + 1.0) / SAMPLES, value[i] + 1e-4 * normal(&random));
        write_file(path, sizeof path, "measured.csv", text);
        const found at = optimum_of(crank);
        assert_string_equal(at.message, "");
        assert_true(at.converged);
        for (int k = 0; k < 3; k++)
            inside[k] += fabs(at.best[k] - truth[k]) <= quantile * at.deviation[k];
    }
    for (int k = 0; SEEDS >= 200 && k < 3; k++)
        assert_in_range(inside[k], 0.90 * SEEDS, 0.99 * SEEDS);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_hold_the_truth)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_folder();
    return failed;
}
