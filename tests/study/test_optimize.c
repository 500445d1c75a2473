#define _POSIX_C_SOURCE 200809L
/* optimize{}: optima in closed form, parameters recovered from runs, bounds, wrong input. */
#include "../scripted.h"

#include <math.h>
#include <unistd.h>

/* A script in a folder of its own, loaded again and again. */
typedef struct varied {
    dfl_context *ctx;
    const char *path;
} varied;

static dfl_status load(dfl_loaded *out, const char *const *settings, int count, void *user)
{
    const varied *it = user;
    const dfl_script_options options = {
        .nset = count, .set = settings, .goals = true, .dynamics = DFL_DYNAMICS_EXPRESSIONS};
    dfl_status status = dfl_script_load(&out->model, it->ctx, it->path, &options);
    if (!status)
        status = dfl_equations_create(&out->eq, out->model, true);
    return status ? status : dfl_runnable_create(&out->run, out->eq);
}

static void tell(int iteration, long runs, double objective, void *user)
{
    (void)iteration, (void)runs, (void)objective, (void)user;
}

/* What was found; values in the order of the names. */
typedef struct found {
    dfl_status status;
    char message[500];
    double best[4], deviation[4], objective;
    bool at_bound[4], converged;
    long runs;
} found;

static char folder[] = "/tmp/driftless-optimize-XXXXXX";

static void write_file(char *path, size_t size, const char *name, const char *text)
{
    snprintf(path, size, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static found optimum_of(const char *text)
{
    char path[200];
    found out = {0};
    write_file(path, sizeof path, "model.lua", text);
    varied self = {.ctx = dfl_context_create(), .path = path};
    const dfl_variation variation = {load, &self};
    const dfl_choices choices = dfl_choices_none("test: ");
    dfl_optimum optimum = {0};
    dfl_loaded loaded = {0};
    out.status = load(&loaded, NULL, 0, &self);
    if (!out.status)
        out.status = dfl_study_optimize(&optimum, loaded.model, &choices, &variation, tell, NULL);
    if (out.status)
        snprintf(out.message, sizeof out.message, "%s", dfl_message(self.ctx));
    for (int i = 0; !out.status && i < optimum.count; i++) {
        out.best[i] = optimum.best[i];
        out.deviation[i] = optimum.deviation[i];
        out.at_bound[i] = optimum.at_bound[i];
    }
    out.objective = optimum.objective;
    out.converged = optimum.converged;
    out.runs = optimum.runs;
    dfl_optimum_clear(&optimum);
    dfl_loaded_clear(&loaded);
    assert_int_equal(dfl_context_live(self.ctx), 0);
    dfl_context_free(self.ctx);
    return out;
}

/* x = u T^2/2: (x - 1/2)^2 + u^2/1000 T is smallest for u = (T^2/4)/(T^4/4 + T/1000). */
static void an_objective_of_measures_has_its_optimum(void **state)
{
    (void)state;
    const found at = optimum_of("local u = param('u', 1) local x = position('x') mass(x, 1)\n"
                                "force(x, u) initial{ x = 0 }\n"
                                "optimize{ vary = { u = {-5, 5} },\n"
                                "  minimize = final((x - 0.5)^2) + integral(1e-3*u^2) }\n"
                                "simulate{ to = 2, rtol = 1e-9 }\n");
    assert_string_equal(at.message, "");
    assert_true(at.converged);
    assert_near(at.best[0], 1 / 4.002, 1e-7);
}

/* Times inside the run, a product of measures, an initial value that varies. */
static void measures_are_numbers_of_the_run(void **state)
{
    (void)state;
    /* x(t) = x0 + t: x(1)^2 + x(3)^2 is smallest for x0 = -2 */
    const found at = optimum_of("local x = position('x') mass(x, 1)\n"
                                "initial{ x = 1, ['der(x)'] = 1 }\n"
                                "optimize{ vary = { ['initial(x)'] = {-9, 9} },\n"
                                "  minimize = at(1, x)^2 + at(3, x)*at(3, x) }\n"
                                "simulate{ to = 4 }\n");
    assert_string_equal(at.message, "");
    assert_near(at.best[0], -2, 1e-7);
    assert_near(at.objective, 2, 1e-9);
}

static void a_bound_holds_what_would_leave_it(void **state)
{
    (void)state;
    const found at = optimum_of("local u, w = param('u', 0.3), param('w', 0.2)\n"
                                "local x = position('x') mass(x, 1) force(x, u + w)\n"
                                "initial{ x = 0 }\n"
                                "optimize{ vary = { u = {0, 0.5}, w = {0.1, 0.4} },\n"
                                "  minimize = final((x - 10)^2) }\n"
                                "simulate{ to = 1 }\n");
    assert_string_equal(at.message, "");
    assert_near(at.best[0], 0.5, 1e-12);
    assert_near(at.best[1], 0.4, 1e-12);
    assert_true(at.at_bound[0] && at.at_bound[1]);
}

/* Lengths and a mass from five positions of the slider. */
static void a_slider_crank_is_recovered(void **state)
{
    (void)state;
    char path[200];
    static const char model[] =
        "local l1, l2, m3 = param('l1', %s), param('l2', %s), param('m3', %s)\n"
        "local x, a, b = position('x', 'alpha', 'beta')\n"
        "local u, v, w = velocity(x, a, b)\n"
        "local rx, ry = u - l2/2*sin(a)*v, l2/2*cos(a)*v\n"
        "local cx = u - l2*sin(a)*v - l1/2*sin(a + b)*(v + w)\n"
        "local cy = l2*cos(a)*v + l1/2*cos(a + b)*(v + w)\n"
        "kinetic(m3/2*u^2 + 0.075552*(rx^2 + ry^2) + 0.006296*l2^2*v^2 + 0.18*(cx^2 + cy^2)\n"
        "  + 0.015*l1^2*(v + w)^2)\n"
        "potential(9.81*(0.075552*l2*sin(a) + 0.36*(l2*sin(a) + l1/2*sin(a + b))))\n"
        "constraint('px', x + l2*cos(a) + l1*cos(a + b))\n"
        "constraint('py', l2*sin(a) + l1*sin(a + b))\n"
        "initial{ x = sqrt(l2^2 - l1^2), alpha = pi - asin(l1/l2), beta = pi/2 + asin(l1/l2),\n"
        "  [u] = -10*l1, [v] = 0, [w] = 10 }\n"
        "simulate{ to = 1, rtol = %s }\n"
        "optimize{ vary = { l1 = {.1, .19}, l2 = {.2, .5}, m3 = {.02, .3} },\n"
        "  fit = { file = 'measured.csv', x = 'x' }, tolerance = 1e-6 }\n";
    char text[2000], rows[500] = "t,x\n";
    /* the measurements: a run of the true mechanism */
    write_file(path, sizeof path, "measured.csv", "t,x\n0,0\n1,0\n");
    snprintf(text, sizeof text, model, "0.15", "0.30", "0.075552", "1e-11");
    write_file(path, sizeof path, "true.lua", text);
    varied truth = {.ctx = dfl_context_create(), .path = path};
    dfl_loaded loaded = {0};
    assert_int_equal(load(&loaded, NULL, 0, &truth), DFL_OK);
    scripted s = {.ctx = truth.ctx, .model = loaded.model, .eq = loaded.eq, .run = loaded.run};
    s.x = dfl_alloc(truth.ctx, (size_t)loaded.eq->n, sizeof *s.x);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-11, .atol = 1e-12});
    for (int i = 1; i <= 5; i++) {
        scripted_advance(&s, 0.2 * i);
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%.17g,%.17g\n", 0.2 * i,
                 scripted_value(&s, "x"));
    }
    scripted_free(&s);
    write_file(path, sizeof path, "measured.csv", rows);
    snprintf(text, sizeof text, model, "0.14", "0.32", "0.10", "1e-6");
    const found at = optimum_of(text);
    assert_string_equal(at.message, "");
    assert_true(at.converged);
    assert_true(at.runs <= 10);
    assert_near(at.best[0], 0.15, 1e-6);
    assert_near(at.best[1], 0.30, 1e-6);
    assert_near(at.best[2], 0.075552, 1e-5);
    assert_true(at.deviation[0] < 1e-6);
}

static void refused(const char *text, const char *message)
{
    const found at = optimum_of(text);
    assert_int_equal(at.status, DFL_INVALID);
    if (!strstr(at.message, message))
        fail_msg("'%s' does not contain '%s'", at.message, message);
}

static void wrong_goals_are_refused(void **state)
{
    (void)state;
#define BASE "local u = param('u', 1) local x = position('x') mass(x, 1) force(x, u)\n"
    refused(BASE "simulate{ to = 1 }", "says nothing about what to optimize");
    refused(BASE "optimize{ minimize = final(x) } simulate{ to = 1 }", "vary is missing");
    refused(BASE "optimize{ vary = { u = {0, 2} } } simulate{ to = 1 }", "nothing is wanted");
    refused(BASE "optimize{ vary = { u = {2, 1} }, minimize = final(x) }", "is to be smaller");
    refused(BASE "optimize{ vary = { q = {0, 1} }, minimize = final(x) } simulate{ to = 1 }",
            "'q' is no parameter");
    refused(BASE "optimize{ vary = { u = {2, 3} }, minimize = final(x) } simulate{ to = 1 }",
            "not between its bounds");
    refused(BASE "optimize{ vary = { u = {0, 3} }, minimize = at(2, x) } simulate{ to = 1 }",
            "outside of the run");
    refused(BASE "optimize{ vary = { u = {0, 3} }, fit = { file = 'none.csv', x = 'x' } }",
            "none.csv");
    refused(BASE "optimize{ vary = { u = {0, 3} }, minimize = final(x), goal = 1 }", "goal");
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_objective_of_measures_has_its_optimum),
                                       cmocka_unit_test(measures_are_numbers_of_the_run),
                                       cmocka_unit_test(a_bound_holds_what_would_leave_it),
                                       cmocka_unit_test(a_slider_crank_is_recovered),
                                       cmocka_unit_test(wrong_goals_are_refused)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const files[] = {"model.lua", "true.lua", "measured.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        remove(path);
    }
    rmdir(folder);
    return failed;
}
