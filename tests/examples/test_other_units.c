/* test_other_units.c: examples rewritten in other units of length and time, as a user would write
   them: the same steps, and the same motion in these units.

   Each example is changed as text: parameters with a unit by that unit, other numbers by a list.
   `len` and `tim` are how many units of the new system a metre and a second are. */
#include "example.h"

typedef struct change {
    const char *from, *to;
} change;

enum { MOST_CHANGES = 8, ROOM = 16384 };

typedef struct rewritten {
    const char *name;
    double to; /* s */
    change changes[MOST_CHANGES];
} rewritten;

static const rewritten examples[] = {
    {"pendulum", 10, {{"initial{ x = 1,", "initial{ x = len,"}}},
    {"double-pendulum", 3, {{0}}},
    {"slider-crank",
     2,
     {{"[velocity(phi)] = 10", "[velocity(phi)] = 10/tim"}, {"x = 0.25", "x = 0.25*len"}}},
    {"sleigh", 10, {{"[vx] = 1, [w] = 1", "[vx] = len/tim, [w] = 1/tim"}}},
    {"crane", 10, {{"input(\"push\", 10)", "input(\"push\", 10*len/tim^2)"}}},
    {"ellipse", 5, {{"{ x = 1,", "{ x = len,"}, {"y = 0.5,", "y = 0.5*len,"}}},
    {"spherical-pendulum",
     10,
     {{"x = 0.8", "x = 0.8*len"},
      {"[vy] = 1.2", "[vy] = 1.2*len/tim"},
      {"z = -0.6", "z = -0.6*len"}}},
    {"heavy-top", 2, {{"w3 = 20", "w3 = 20/tim"}, {"z = 0.5", "z = 0.5*len"}}},
    {"slider-crank-bodies",
     2,
     {{"[bearing.qd] = 10", "[bearing.qd] = 10/tim"},
      {"[\"guide.q\"] = -0.2", "[\"guide.q\"] = -0.2*len"}}},
    {"top-bodies", 2, {{"[tip.w3] = 20", "[tip.w3] = 20/tim"}}},
    {"gear-rack",
     2,
     {{"com = {0.15, 0}", "com = {0.15*len, 0}"},
      {"com = {0.15, -0.03}", "com = {0.15*len, -0.03*len}"},
      {"at = {0.15, 0}", "at = {0.15*len, 0}"},
      {"at = {0.15, -0.03}", "at = {0.15*len, -0.03*len}"},
      {"[slide.qd] = 1", "[slide.qd] = len/tim"}}},
    {"cam-follower",
     1,
     {{"inertia = 0.01", "inertia = 0.01*len^2"},
      {"com = {0, 0.1}", "com = {0, 0.1*len}"},
      {"at = {0, 0.1}", "at = {0, 0.1*len}"},
      {"[axle.qd] = 20", "[axle.qd] = 20/tim"}}},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

/* How a quantity with the unit of a parameter changes. */
static const change units[] = {{"\"m\"", "*len"},
                               {"\"m/s^2\"", "*len/tim^2"},
                               {"\"N/m\"", "/tim^2"},
                               {"\"kg m^2\"", "*len^2"},
                               {"\"1/m\"", "/len"}};

static void append(char *text, const char *part, size_t length)
{
    const size_t used = strlen(text);
    assert_true(used + length + 1 < ROOM);
    memcpy(text + used, part, length);
    text[used + length] = 0;
}

/* Replaces every `from`; there must be one. */
static void replace(char *text, const char *from, const char *to)
{
    char out[ROOM] = "";
    const char *rest = text, *found = strstr(rest, from);
    if (!found)
        fail_msg("the example has no '%s'", from);
    for (; found; found = strstr(rest, from)) {
        append(out, rest, (size_t)(found - rest));
        append(out, to, strlen(to));
        rest = found + strlen(from);
    }
    append(out, rest, strlen(rest));
    memcpy(text, out, strlen(out) + 1);
}

/* param("g", 9.81, "m/s^2") becomes param("g", 9.81*len/tim^2, "m/s^2"). */
static void rewrite_parameters(char *text)
{
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        char from[40], to[60];
        snprintf(from, sizeof from, ", %s)", units[k].from);
        snprintf(to, sizeof to, "%s, %s)", units[k].to, units[k].from);
        if (strstr(text, from))
            replace(text, from, to);
    }
}

/* The example in units of 1/len m and 1/tim s, without its drawing and its settings. */
static void rewrite(char *out, const rewritten *example, double len, double tim)
{
    char path[512], line[512], text[ROOM] = "";
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, example->name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "draw.", 5) != 0 && strncmp(line, "simulate", 8) != 0 &&
            strncmp(line, "output", 6) != 0)
            append(text, line, strlen(line));
    fclose(file);
    for (int k = 0; k < MOST_CHANGES && example->changes[k].from; k++)
        replace(text, example->changes[k].from, example->changes[k].to);
    rewrite_parameters(text);
    snprintf(out, ROOM, "local len, tim = %.17g, %.17g\n%s", len, tim, text);
}

typedef struct outcome {
    long steps;
    scripted s;
} outcome;

static const double rtol = 1e-6;

static outcome run_in(const rewritten *example, double len, double tim)
{
    char text[ROOM];
    rewrite(text, example, len, tim);
    outcome o = {.s = scripted_text(text)};
    scripted_start(&o.s, &(dfl_solver_options){.rtol = rtol, .error.duration = example->to * tim});
    scripted_advance(&o.s, example->to * tim);
    o.steps = dfl_solver_statistics(o.s.solver).accepted;
    return o;
}

/* A position in metres, or a number such as an angle, which no system changes: whichever is nearer
   to the value in SI units. */
static double in_metres(double x, double len, double si)
{
    return fabs(x / len - si) < fabs(x - si) ? x / len : x;
}

static void examples_need_the_same_steps_in_all_units(void **state)
{
    (void)state;
    const double systems[][2] = {{1e3, 1}, {1e6, 1}, {1, 1e3}, {1e6, 1e3}};
    for (int e = 0; e < EXAMPLES; e++) {
        outcome si = run_in(&examples[e], 1, 1);
        for (int k = 0; k < 4; k++) {
            outcome o = run_in(&examples[e], systems[k][0], systems[k][1]);
            const dfl_equations *eq = si.s.eq;
            print_message("%s, %g per m, %g per s: %ld steps, %ld in SI\n", examples[e].name,
                          systems[k][0], systems[k][1], o.steps, si.steps);
            assert_true(fabs((double)(o.steps - si.steps)) <= fmax(1, 0.05 * (double)si.steps));
            for (int i = eq->n - eq->np; i < eq->n; i++)
                assert_near(in_metres(o.s.x[i], systems[k][0], si.s.x[i]), si.s.x[i],
                            100 * rtol * fmax(1, fabs(si.s.x[i])));
            scripted_free(&o.s);
        }
        scripted_free(&si.s);
    }
}

/* 1e-9 kg on 0.1 N/m, an amplitude of 0.1 micrometres: x = 1e-7 cos(1e4 t). */
static const char resonator[] = "local x = position(\"x\") unit(x, \"m\")\n"
                                "kinetic(1e-9/2*velocity(x)^2) potential(0.1/2*x^2)\n"
                                "initial{x = %s, [velocity(x)] = %s}\n";

static double resonate(const char *x0, const char *v0, double duration)
{
    char text[400];
    snprintf(text, sizeof text, resonator, x0, v0);
    scripted s = scripted_text(text);
    scripted_start(&s, &(dfl_solver_options){.error.duration = duration});
    scripted_advance(&s, 0.01);
    const double x = scripted_value(&s, "x");
    scripted_free(&s);
    return x;
}

/* At rtol = 1e-6: 100 rtol of the amplitude after 16 periods. */
static void tiny_amplitudes_are_as_accurate_as_others(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double duration = k ? 0.01 : 0;
        assert_near(resonate("1e-7", "0", duration), 8.6231887228768393e-8, 1e-11);
        assert_near(resonate("1e-10", "1e-3", duration), 1e-10 * cos(100) + 1e-7 * sin(100), 1e-11);
    }
    assert_near(resonate("0", "1e-3", 0.01), 1e-7 * sin(100), 1e-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_need_the_same_steps_in_all_units),
        cmocka_unit_test(tiny_amplitudes_are_as_accurate_as_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
