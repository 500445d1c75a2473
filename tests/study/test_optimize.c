#define _POSIX_C_SOURCE 200809L
/* optimize{}: optima in closed form, parameters recovered from runs, bounds, wrong input. */
#include "optimum.h"

#include "../coupler.h"

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

static void what_has_no_influence_is_known(void **state)
{
    (void)state;
    const found at = optimum_of("local u, w = param('u', 1), param('w', 1)\n"
                                "local x = position('x') mass(x, 1) force(x, u) initial{ x = 0 }\n"
                                "optimize{ vary = { u = {-5, 5}, w = {0, 3} },\n"
                                "  minimize = final((x - 0.5)^2) }\n"
                                "simulate{ to = 2 }\n");
    assert_string_equal(at.message, "");
    assert_true(!at.idle[0] && at.idle[1]);
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
    refused(BASE "optimize{ vary = { u = {0, 3} }, minimize = event_time('hit') }",
            "no event 'hit'");
    refused(BASE
            "event('hit', x - 99)\n"
            "optimize{ vary = { u = {0, 3} }, minimize = event_time('hit') } simulate{ to = 1 }",
            "happens 0 times");
    refused(BASE "optimize{ vary = { u = {0, 3} }, minimize = x^2 } simulate{ to = 1 }",
            "variables of the motion outside of a measure");
    refused(BASE "optimize{ vary = { u = {0, 3} }, minimize = final(x) + time }", "contains time");
    refused(BASE "optimize{ vary = { u = {0, 3} }, minimize = final(x),\n"
                 "  subject = { limit(velocity(x), '<=', 1) } }",
            "subject contains variables");
    const found root = optimum_of(BASE "optimize{ vary = { u = {0, 3} },\n"
                                       "  minimize = log(final(x) - 9) } simulate{ to = 1 }");
    assert_non_null(strstr(root.message, "not a number"));
    refused(BASE "optimize{ vary = { u = {0, 3} }, minimize = final(x), subject = { 1 } }",
            "is no limit");
    refused(BASE "optimize{ vary = { u = {0, 3} }, minimize = final(x),\n"
                 "  subject = { limit(u, '<', 1) } }",
            "<=");
    const found missing =
        optimum_of(BASE "optimize{ vary = { u = {0, 3} }, fit = { file = 'none.csv', x = 'x' } }");
    assert_non_null(strstr(missing.message, "optimize: fit 'none.csv'"));
    refused(BASE "optimize{ vary = { u = {0, 3} }, minimize = maximum(x, { smooth = 1 }) }",
            "at least 2");
    refused("local p = param('p', 0.7) local x = position('x') mass(x, 1) initial{ x = 1 }\n"
            "optimize{ vary = { p = {0.2, 3} }, minimize = at(p, x^2) }\n",
            "as a time");
}

/* The optimum of an example. */
static found optimum_of_example(const char *name)
{
    char path[300], text[4000] = "";
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    return optimum_of(text);
}

/* The links and the point of a four-bar linkage from the curve that it draws, from 20 % off. */
static void a_coupler_curve_is_synthesized(void **state)
{
    (void)state;
    static const double truth[] = {3, 3.5, 1, 1.5, 1.2}; /* c d r u v, in alphabetical order */
    const four_bar linkage = {.r = 1, .c = 3, .d = 3.5, .ground = 4, .u = 1.5, .v = 1.2};
    char path[200], rows[4000] = "t,px,py\n";
    for (int i = 0; i < 30; i++) {
        double at[2];
        coupler_point(at, &linkage, 0.2 * i);
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%.17g,%.17g,%.17g\n", 0.2 * i,
                 at[0], at[1]);
    }
    write_file(path, sizeof path, "coupler-curve.csv", rows);
    const found at = optimum_of_example("coupler-curve");
    assert_string_equal(at.message, "");
    assert_true(at.converged);
    for (int i = 0; i < 5; i++)
        assert_near(at.best[i], truth[i], 1e-6);
}

/* From a point that is a metre off a line to one that stays within 7 mm of it, over four metres;
   the deviation is that of the closed form, not of the run. */
static void a_straight_stretch_is_found(void **state)
{
    (void)state;
    const double right = asin(1.0);
    const found at = optimum_of_example("straight-line");
    assert_string_equal(at.message, "");
    assert_true(at.converged);
    const double *best = at.best; /* c d height r u v */
    const four_bar linkage = {best[3], best[0], best[1], 2, best[4], best[5]};
    double begin[2], point[2];
    coupler_point(begin, &linkage, right);
    for (int i = 0; i <= 100; i++) {
        coupler_point(point, &linkage, right * (1 + 0.02 * i));
        assert_near(point[1], best[2], 0.007);
    }
    assert_near(begin[0] - point[0], 4, 1e-3);
}

/* A cycloid needs 0.58290 s; a curve through four places is a little slower. */
static void a_bead_finds_the_fastest_wire(void **state)
{
    (void)state;
    const found at = optimum_of_example("brachistochrone");
    assert_string_equal(at.message, "");
    assert_true(at.objective > 0.5828954 && at.objective < 0.5836);
}

/* The force with the least integral of u^2 that swings x'' = u - w^2 x from rest at 0 to rest at 1,
   up to p times the square of what is missing: u = y . g(T - t), g(t) = (sin(w t)/w, cos(w t)), (W
   + I/p) y = (1, 0), W the integral of g g^T; objective y_1. A cubic curve through six ordinates
   comes near it from above. */
static void a_swing_takes_the_least_effort(void **state)
{
    (void)state;
    const double w = 2, T = 2, p = 100, wave = sin(2 * w * T) / (4 * w);
    const double W11 = (T / 2 - wave) / (w * w) + 1 / p, W22 = T / 2 + wave + 1 / p;
    const double W12 = sin(w * T) * sin(w * T) / (2 * w * w), det = W11 * W22 - W12 * W12;
    const double least = W22 / det;
    const found at = optimum_of(
        "local knots, u, vary = {}, {}, {}\n"
        "for i = 0, 5 do knots[i + 1] = 0.4*i u[i + 1] = param('u' .. i, 0) vary['u' .. i] = {-20, "
        "20} end\n"
        "local push = lookup(knots, u, { kind = 'cubic' })(time) local x = position('x')\n"
        "mass(x, 1) force(x, push - 4*x) initial{ x = 0, ['der(x)'] = 0 }\n"
        "optimize{ vary = vary, tolerance = 1e-5, minimize = integral(push^2) + 100*((final(x) - "
        "1)^2 + "
        "final(velocity(x))^2) }\n"
        "simulate{ to = 2, rtol = 1e-7 }\n");
    assert_string_equal(at.message, "");
    assert_true(at.converged);
    assert_true(at.objective > least && at.objective < least * (1 + 1e-4));
    for (int i = 1; i < 5; i++) { /* at the ends the curve is looser */
        const double back = T - 0.4 * i;
        assert_near(at.best[i], (W22 * sin(w * back) / w - W12 * cos(w * back)) / det, 0.01);
    }
}

/* x = cos(w t) rises through zero at 3 pi/2w and 7 pi/2w; a ball flies farthest at pi/4. */
static void times_of_events_are_measures(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    const found turn = optimum_of("local w = param('w', 5) local x = position('x') mass(x, 1)\n"
                                  "force(x, -w^2*x) initial{ x = 1, ['der(x)'] = 0 }\n"
                                  "event('up', x, { direction = 'rising' })\n"
                                  "optimize{ vary = { w = {4, 8} },\n"
                                  "  minimize = (event_time('up', 2) - 2)^2 }\n"
                                  "simulate{ to = 3.5, rtol = 1e-10 }\n");
    assert_string_equal(turn.message, "");
    assert_near(turn.best[0], 7 * pi / 4, 1e-7);
    const found thrown = optimum_of(
        "local a = param('a', 0.5) local x, y = position('x', 'y')\n"
        "mass(x, 1) mass(y, 1) force(y, -9.81) event('land', y, { direction = 'falling' })\n"
        "initial{ x = 0, y = 0, ['der(x)'] = 8*cos(a), ['der(y)'] = 8*sin(a) }\n"
        "optimize{ vary = { a = {0.1, 1.4} }, minimize = -8*cos(a)*event_time('land') }\n"
        "simulate{ to = 2, rtol = 1e-10 }\n");
    assert_string_equal(thrown.message, "");
    assert_near(thrown.best[0], pi / 4, 1e-7);
}

/* x = p cos(2 t): the largest speed is 2 p; the eighth-power mean of |cos| is (35/128)^(1/8). */
static void largest_values_are_measures(void **state)
{
    (void)state;
#define SWING                                                                                      \
    "local p = param('p', 1) local x = position('x') mass(x, 1) force(x, -4*x)\n"                  \
    "initial{ x = p, ['der(x)'] = 0 } simulate{ to = pi, rtol = 1e-10 }\n"
    const found fast = optimum_of(
        SWING "optimize{ vary = { p = {0.1, 4} }, minimize = (maximum(velocity(x)) - 3)^2 }\n");
    assert_string_equal(fast.message, "");
    assert_near(fast.best[0], 1.5, 1e-6);
    const found smooth = optimum_of(SWING "optimize{ vary = { p = {0.1, 4} },\n"
                                          "  minimize = (maximum(x, { smooth = 8 }) - 1)^2 }\n");
    assert_string_equal(smooth.message, "");
    assert_near(smooth.best[0], pow(128. / 35, 0.125), 1e-6);
    /* the speed is largest where the force turns, at a time that depends on T: there it is T */
    const found turn = optimum_of(
        "local T = param('T', 0.6) local x = position('x') mass(x, 1)\n"
        "force(x, select(T - time, 1, -1)) initial{ x = 0, ['der(x)'] = 0 }\n"
        "optimize{ vary = { T = {0.1, 0.9} }, minimize = (maximum(velocity(x)) - 0.4)^2 }\n"
        "simulate{ to = 1 }\n");
    assert_string_equal(turn.message, "");
    assert_near(turn.best[0], 0.4, 1e-7);
}

/* cos(3 x) + x^2/20 has several valleys; the deepest ones are near +-pi/3. */
static void several_starts_find_the_deepest_valley(void **state)
{
    (void)state;
    static const char text[] =
        "local u = param('u', 4.5) local x = position('x') mass(x, 1)\n"
        "force(x, 2*u) initial{ x = 0, ['der(x)'] = 0 }\n"
        "optimize{ vary = { u = {-5, 5} }, minimize = final(cos(3*x) + x^2/20) }\n"
        "simulate{ to = 1, rtol = 1e-9 }\n";
    const found one = optimum_of(text),
                many = optimum_from(text, &(dfl_search_options){.starts = 8});
    assert_string_equal(many.message, "");
    assert_true(one.objective > -0.7);
    assert_near(fabs(many.best[0]), 1.0356, 1e-3);
    for (int threads = 1; threads <= 3; threads++) {
        const found same =
            optimum_from(text, &(dfl_search_options){.starts = 8, .threads = threads});
        assert_string_equal(same.message, "");
        assert_true(same.best[0] == many.best[0] && same.objective == many.objective);
        assert_int_equal(same.runs, many.runs);
    }
}

/* Not asserted where the program was built without NLopt. */
static void needs_nlopt(const found *at)
{
    if (strstr(at->message, "need the library NLopt"))
        skip();
    assert_string_equal(at->message, "");
    assert_true(at->converged);
}

/* v = u, x = u/2 at the end; with a force u1 + u2 t and the speed 0 at the end u1 = 1/2 balances
   way and energy. */
static void limits_are_kept(void **state)
{
    (void)state;
    static const char *const able[] = {"slsqp", "mma", "ccsaq", "cobyla", NULL};
    for (int i = 0; able[i]; i++) {
        const found at =
            optimum_by("local u = param('u', 0.1) local x = position('x') mass(x, 1) force(x, u)\n"
                       "initial{ x = 0, ['der(x)'] = 0 } simulate{ to = 1, rtol = 1e-9 }\n"
                       "optimize{ vary = { u = {0, 2} }, minimize = -final(x),\n"
                       "  subject = { limit(final(velocity(x)), '<=', 0.5) }, tolerance = 1e-7 }\n",
                       able[i]);
        needs_nlopt(&at);
        assert_near(at.best[0], 0.5, 1e-5);
    }
    const found rest = optimum_of(
        "local a, b = param('a', 0.1), param('b', 0.1) local x = position('x') mass(x, 1)\n"
        "force(x, a + b*time) initial{ x = 0, ['der(x)'] = 0 } simulate{ to = 1, rtol = 1e-9 }\n"
        "optimize{ vary = { a = {-3, 3}, b = {-3, 3} },\n"
        "  minimize = -final(x) + integral((a + b*time)^2/2),\n"
        "  subject = { limit(final(velocity(x)), '==', 0), limit(a, '>=', 0) } }\n");
    needs_nlopt(&rest);
    assert_near(rest.best[0], 0.5, 1e-6);
    assert_near(rest.best[1], -1, 1e-6);
}

static void every_search_finds_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {"bfgs",    "slsqp",  "mma",    "ccsaq", "lbfgs",
                                        "tnewton", "bobyqa", "cobyla", "crs",   NULL};
    for (int i = 0; names[i]; i++) {
        const found at =
            optimum_by("local u = param('u', 1) local x = position('x') mass(x, 1) force(x, u)\n"
                       "initial{ x = 0, ['der(x)'] = 0 } simulate{ to = 2, rtol = 1e-9 }\n"
                       "optimize{ vary = { u = {-5, 5} }, minimize = final((x - 0.5)^2),\n"
                       "  tolerance = 1e-5 }\n",
                       names[i]);
        needs_nlopt(&at);
        assert_near(at.best[0], 0.25, 1e-3);
    }
    const found none = optimum_by("local u = param('u', 1) local x = position('x') mass(x, 1)\n"
                                  "optimize{ vary = { u = {0, 2} }, minimize = final(x) }\n"
                                  "simulate{ to = 1 }\n",
                                  "gradient");
    assert_int_equal(none.status, DFL_INVALID);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_objective_of_measures_has_its_optimum),
                                       cmocka_unit_test(measures_are_numbers_of_the_run),
                                       cmocka_unit_test(a_bound_holds_what_would_leave_it),
                                       cmocka_unit_test(what_has_no_influence_is_known),
                                       cmocka_unit_test(a_slider_crank_is_recovered),
                                       cmocka_unit_test(a_coupler_curve_is_synthesized),
                                       cmocka_unit_test(a_straight_stretch_is_found),
                                       cmocka_unit_test(a_bead_finds_the_fastest_wire),
                                       cmocka_unit_test(a_swing_takes_the_least_effort),
                                       cmocka_unit_test(times_of_events_are_measures),
                                       cmocka_unit_test(largest_values_are_measures),
                                       cmocka_unit_test(several_starts_find_the_deepest_valley),
                                       cmocka_unit_test(limits_are_kept),
                                       cmocka_unit_test(every_search_finds_the_same),
                                       cmocka_unit_test(wrong_goals_are_refused)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_folder();
    return failed;
}
