/* test_lookup_tables.c: functions through tables against numbers from other programs (natural and
   periodic splines, PCHIP), their continuity, and what they are beyond the table. */
#include "random_expr.h"

#include "failing.h"
#include "symbolic/table_terms.h"

enum { MOST = 40, MOST_TERMS = 200 };

/* A function in a graph of its own. */
typedef struct function {
    dfl_context *ctx;
    dfl_graph *g;
    dfl_axis x, y;
    dfl_term terms[MOST_TERMS];
    int count;
} function;

static function open_function(void)
{
    function f = {.ctx = dfl_context_create()};
    assert_int_equal(dfl_graph_create(&f.g, f.ctx, 0), DFL_OK);
    return f;
}

static void close_function(function *f)
{
    dfl_graph_free(f->g);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
}

static dfl_expr parameter(function *f, int i)
{
    char name[16];
    snprintf(name, sizeof name, "y%d", i);
    return dfl_symbol_expr(f->g, DFL_SYM_PARAM, i, name);
}

/* Through (x, y); bits of `symbolic` mark ordinates that are parameters. */
static function table_of(const double *x, const double *y, int n, dfl_table_kind kind,
                         dfl_outside outside, unsigned symbolic)
{
    function f = open_function();
    dfl_expr values[MOST];
    f.x = (dfl_axis){.x = x, .n = n, .kind = kind, .outside = outside};
    for (int i = 0; i < n; i++)
        values[i] = symbolic >> i & 1 ? parameter(&f, i) : dfl_constant(f.g, y[i]);
    if (outside == DFL_OUTSIDE_REPEAT)
        values[n - 1] = values[0];
    assert_int_equal(dfl_axis_check(f.ctx, &f.x, "x"), DFL_OK);
    if (dfl_table_create(f.terms, &f.count, f.g, &f.x, values))
        fail_msg("%s", dfl_message(f.ctx));
    assert_true(f.count <= dfl_table_terms(n));
    return f;
}

/* The value, or the first derivative by x, of the function where its parameters are `y`. */
static double value_at(function *f, const double *y, double at, int derivative)
{
    const dfl_expr x = dfl_symbol_expr(f->g, DFL_SYM_P, 0, "x");
    dfl_expr e = dfl_terms_expr(f->g, f->terms, f->count, dfl_axis_argument(f->g, &f->x, x), 0);
    dfl_expr one = dfl_constant(f->g, 1);
    for (int i = 0; i < derivative; i++)
        assert_int_equal(dfl_along_exprs(&e, f->g, &e, 1, &x, &one, 1), DFL_OK);
    double values[MOST + 1], *all;
    for (int i = 0; i < f->g->nsymbols; i++) {
        const dfl_symbol *symbol = &f->g->symbols[i];
        values[i] = symbol->kind == DFL_SYM_P ? at : y[symbol->index];
    }
    all = evaluate_graph(f->g, values);
    const double value = all[e];
    free(all);
    return value;
}

typedef struct sample {
    double x, value;
} sample;

/* The same values whichever ordinates are numbers and which are parameters. */
static void assert_values(const double *x, const double *y, int n, dfl_table_kind kind,
                          dfl_outside outside, const sample *samples, int count)
{
    static const unsigned symbolic[] = {0, ~0U, 0x15, 0x4};
    for (size_t k = 0; k < sizeof symbolic / sizeof *symbolic; k++) {
        function f = table_of(x, y, n, kind, outside, symbolic[k]);
        for (int i = 0; i < count; i++) {
            const double value = value_at(&f, y, samples[i].x, 0);
            if (!(fabs(value - samples[i].value) <= 1e-12 * fmax(1, fabs(samples[i].value))))
                fail_msg("kind %d, mask %u: %.17g at %g, not %.17g", kind, symbolic[k], value,
                         samples[i].x, samples[i].value);
        }
        close_function(&f);
    }
}

#define CHECK(x, y, kind, outside, ...)                                                            \
    assert_values(x, y, (int)(sizeof x / sizeof *x), DFL_TABLE_##kind, DFL_OUTSIDE_##outside,      \
                  (const sample[]){__VA_ARGS__},                                                   \
                  (int)(sizeof((const sample[]){__VA_ARGS__}) / sizeof(sample)))

static const double step_x[] = {0, 1, 1.01, 2, 3}, step_y[] = {0, 0, 1, 1, 1};
static const double steer_x[] = {0, 1, 1.5, 2, 2.5, 3, 4, 10},
                    steer_y[] = {0, 0, .05, 0, -.05, 0, 0, 0};
static const double cam_x[] = {0, 1, 2, 3, 4, 5}, cam_y[] = {0, 1, 4, 5, 5.5, 2};
static const double wave_x[] = {0, 1, 2.5, 3, 4}, wave_y[] = {0, 2, 1, -1, 0};

/* SciPy's CubicSpline and PchipInterpolator have these values. */
static void known_tables_have_known_values(void **state)
{
    (void)state;
    CHECK(step_x, step_y, LINEAR, HOLD, {.5, 0}, {1.005, .5}, {1.5, 1}, {2.5, 1});
    CHECK(step_x, step_y, MONOTONE, HOLD, {.5, 0}, {1.005, .5}, {1.5, 1}, {2.5, 1});
    CHECK(step_x, step_y, CUBIC, EXTEND, {.5, -18.6707390595078}, {1.005, .500281855096095},
          {1.5, 16.9096300260567}, {2.5, -4.34532590963898});
    CHECK(steer_x, steer_y, MONOTONE, HOLD, {.5, 0}, {1.25, .025}, {1.9, .0116}, {2.75, -.025},
          {6, 0});
    CHECK(steer_x, steer_y, CUBIC, EXTEND, {.5, -.0195636595270324}, {1.25, .0307045744087905},
          {1.9, .0154317700453858}, {2.75, -.0306149972131539}, {6, -.0509594712954853});
    CHECK(cam_x, cam_y, MONOTONE, HOLD, {.5, .3125}, {1.7, 3.226}, {2.5, 55.25 / 12}, {3.3, 5.206},
          {4.6, 4.024});
    CHECK(cam_x, cam_y, CUBIC, EXTEND, {.5, .241626794258373}, {1.7, 3.18178947368421},
          {2.5, 4.65789473684211}, {3.3, 5.32628947368421}, {4.6, 3.76413397129187});
    CHECK(wave_x, wave_y, CUBIC, REPEAT, {.5, 1.13983050847458}, {4.5, 1.13983050847458},
          {2, 2.29566854990584}, {3.7, -0.754406779661017}, {-.3, -0.754406779661017});
}

static void known_tables_have_known_slopes(void **state)
{
    (void)state;
    static const double slopes[] = {0, 1.5, 1.5, 2.0 / 3, 0, -5.5};
    function f = table_of(cam_x, cam_y, 6, DFL_TABLE_MONOTONE, DFL_OUTSIDE_EXTEND, 0);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(value_at(&f, cam_y, cam_x[i], 1) - slopes[i]) < 1e-13);
    close_function(&f);
    f = table_of(wave_x, wave_y, 5, DFL_TABLE_CUBIC, DFL_OUTSIDE_REPEAT, 0);
    for (int turn = -2; turn <= 2; turn++)
        assert_true(fabs(value_at(&f, wave_y, 4 * turn, 1) - 2.545197740112995) < 1e-12);
    close_function(&f);
}

/* Beyond the end the last value, or the line of the last slope. */
static void tables_go_on_as_they_are_told(void **state)
{
    (void)state;
    CHECK(cam_x, cam_y, LINEAR, HOLD, {-3, 0}, {7, 2});
    CHECK(cam_x, cam_y, LINEAR, EXTEND, {-3, -3}, {7, -5});
    CHECK(cam_x, cam_y, MONOTONE, HOLD, {-3, 0}, {7, 2});
    CHECK(cam_x, cam_y, MONOTONE, EXTEND, {-3, 0}, {7, 2 - 11});
    CHECK(cam_x, cam_y, MONOTONE, ERROR, {-3, 0}, {7, 2 - 11});
    CHECK(wave_x, wave_y, LINEAR, REPEAT, {0.5, 1}, {4.5, 1}, {-3.5, 1}, {11.75, -.25});
    static const dfl_table_kind curved[] = {DFL_TABLE_CUBIC, DFL_TABLE_SMOOTH};
    for (int k = 0; k < 2; k++) {
        function f = table_of(cam_x, cam_y, 6, curved[k], DFL_OUTSIDE_EXTEND, 0);
        const double first = value_at(&f, cam_y, 0, 1), last = value_at(&f, cam_y, 5, 1);
        assert_true(fabs(value_at(&f, cam_y, -2, 0) + 2 * first) < 1e-12);
        assert_true(fabs(value_at(&f, cam_y, 8, 0) - 2 - 3 * last) < 1e-12);
        assert_true(fabs(value_at(&f, cam_y, 8, 1) - last) < 1e-12);
        close_function(&f);
        f = table_of(cam_x, cam_y, 6, curved[k], DFL_OUTSIDE_HOLD, 0);
        assert_true(value_at(&f, cam_y, -2, 0) == 0 && value_at(&f, cam_y, 8, 0) == 2);
        assert_true(value_at(&f, cam_y, -2, 1) == 0 && value_at(&f, cam_y, 8, 1) == 0);
        close_function(&f);
    }
}

/* The derivatives that a kind promises agree on both sides of every point, and across the seam of a
   table that repeats; the next one does not. */
static void derivatives_are_as_continuous_as_the_kind_says(void **state)
{
    (void)state;
    static const int smooth[] = {0, 1, 2, 4};
    static const dfl_outside outside[] = {DFL_OUTSIDE_EXTEND, DFL_OUTSIDE_REPEAT};
    for (int kind = 0; kind < DFL_TABLE_KINDS; kind++)
        for (int o = 0; o < 2; o++) {
            function f = table_of(wave_x, wave_y, 5, (dfl_table_kind)kind, outside[o], 0);
            assert_int_equal(f.g->splines[0].smoothness, smooth[kind]);
            for (int i = 0; i < 5; i++) {
                const bool end = (i == 0 || i == 4) && outside[o] == DFL_OUTSIDE_EXTEND;
                const int promised = end && smooth[kind] > 1 ? 1 : smooth[kind];
                for (int d = 0; d <= promised; d++) {
                    const double little = 1e-9, at = wave_x[i];
                    const double left = value_at(&f, wave_y, at - little, d),
                                 right = value_at(&f, wave_y, at + little, d);
                    if (!(fabs(right - left) < 1e-5 * pow(10, d)))
                        fail_msg("kind %d: derivative %d jumps by %g at %g", kind, d, right - left,
                                 at);
                }
            }
            const double before = value_at(&f, wave_y, 1 - 1e-9, smooth[kind] + 1),
                         after = value_at(&f, wave_y, 1 + 1e-9, smooth[kind] + 1);
            assert_true(fabs(after - before) > 1e-3);
            close_function(&f);
        }
}

static void a_place_given_twice_is_a_jump(void **state)
{
    (void)state;
    static const double x[] = {0, 1, 1, 2, 2}, y[] = {0, 1, 3, 4, 0};
    CHECK(x, y, LINEAR, HOLD, {.5, .5}, {1, 1}, {1 + 1e-9, 3 + 1e-9}, {1.5, 3.5}, {3, 0});
    CHECK(x, y, LINEAR, REPEAT, {2.5, .5}, {-.5, 3.5}, {4 + 1e-9, 1e-9});
    function f = table_of(x, y, 5, DFL_TABLE_LINEAR, DFL_OUTSIDE_HOLD, 0);
    assert_int_equal(f.g->splines[0].n, 3);
    assert_int_equal(f.g->splines[0].smoothness, -1);
    close_function(&f);
}

/* What may be watched: a kink at the end of a table that holds its value, none where the slope is
   zero there. */
static void the_smoothness_of_the_ends_is_known(void **state)
{
    (void)state;
    static const struct {
        const double *x, *y;
        int n;
        dfl_table_kind kind;
        dfl_outside outside;
        int ends;
    } tables[] = {{cam_x, cam_y, 6, DFL_TABLE_MONOTONE, DFL_OUTSIDE_HOLD, 0},
                  {cam_x, cam_y, 6, DFL_TABLE_MONOTONE, DFL_OUTSIDE_EXTEND, 1},
                  {cam_x, cam_y, 6, DFL_TABLE_CUBIC, DFL_OUTSIDE_EXTEND, 2},
                  {cam_x, cam_y, 6, DFL_TABLE_CUBIC, DFL_OUTSIDE_HOLD, 0},
                  {cam_x, cam_y, 6, DFL_TABLE_SMOOTH, DFL_OUTSIDE_EXTEND, 1},
                  {steer_x, steer_y, 8, DFL_TABLE_LINEAR, DFL_OUTSIDE_HOLD, 5}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        function f =
            table_of(tables[i].x, tables[i].y, tables[i].n, tables[i].kind, tables[i].outside, 0);
        assert_int_equal(f.g->splines[0].end_smoothness, tables[i].ends);
        close_function(&f);
    }
}

/* With free ends a spline through points of a polynomial is that polynomial: of degree 3, or of the
   highest that the points determine. */
static void free_ends_keep_cubics(void **state)
{
    (void)state;
    static const double x[] = {-1, -0.2, 0.5, 2, 2.3, 4};
    for (int n = 2; n <= 6; n++) {
        double y[6];
        dfl_expr values[6];
        const double c[4] = {1, -2, n > 2 ? 0.7 : 0, n > 3 ? 0.3 : 0};
        function f = open_function();
        f.x = (dfl_axis){x, n, DFL_TABLE_CUBIC, DFL_OUTSIDE_HOLD, true};
        for (int i = 0; i < n; i++) {
            y[i] = c[0] + x[i] * (c[1] + x[i] * (c[2] + x[i] * c[3]));
            values[i] = dfl_constant(f.g, y[i]);
        }
        assert_int_equal(dfl_table_create(f.terms, &f.count, f.g, &f.x, values), DFL_OK);
        for (double at = x[0]; at < x[n - 1]; at += 0.1)
            assert_true(fabs(value_at(&f, y, at, 0) -
                             (c[0] + at * (c[1] + at * (c[2] + at * c[3])))) < 1e-13 * 40);
        close_function(&f);
    }
}

/* z over x and y, as numbers or as parameters; also with the arguments exchanged. */
static void maps_have_known_values(void **state)
{
    (void)state;
    static const double x[] = {0, 1, 3}, y[] = {0, 2, 3, 5};
    static const double z[] = {0, 1, 2, 1, 1, 3, 2, 0, 2, 2, 5, 4};
    static const double places[3][2] = {{.5, 1}, {2, 2.5}, {2.9, 4.1}};
    static const double expected[2][3] = {
        {1.25, 3, 4.2725}, {1.593526785714286, 3.215401785714286, 5.092806773214286}};
    for (int variant = 0; variant < 8; variant++) {
        const bool cubic = variant & 1, symbolic = variant & 2, swapped = variant & 4;
        function f = open_function();
        dfl_expr values[12];
        f.x =
            (dfl_axis){x, 3, cubic ? DFL_TABLE_CUBIC : DFL_TABLE_LINEAR, DFL_OUTSIDE_EXTEND, false};
        f.y = (dfl_axis){y, 4, f.x.kind, DFL_OUTSIDE_EXTEND, false};
        for (int i = 0; i < 12; i++) {
            const int from = swapped ? i % 3 * 4 + i / 3 : i;
            values[i] = symbolic ? parameter(&f, from) : dfl_constant(f.g, z[from]);
        }
        const dfl_axis *first = swapped ? &f.y : &f.x, *second = swapped ? &f.x : &f.y;
        assert_int_equal(dfl_map_create(f.terms, &f.count, f.g, first, second, values), DFL_OK);
        assert_true(f.count <= dfl_map_terms(first->n, second->n));
        assert_true(symbolic || f.count == 3);
        for (int i = 0; i < 3; i++) {
            const dfl_expr at[] = {dfl_constant(f.g, places[i][swapped]),
                                   dfl_constant(f.g, places[i][!swapped])};
            const dfl_expr e = dfl_terms_expr(f.g, f.terms, f.count, at[0], at[1]);
            double numbers[12], *all;
            for (int k = 0; k < f.g->nsymbols; k++)
                numbers[k] = z[f.g->symbols[k].index];
            all = evaluate_graph(f.g, numbers);
            assert_true(fabs(all[e] - expected[cubic][i]) < 1e-12);
            free(all);
        }
        close_function(&f);
    }
}

/* Slopes of a table that repeats, of random and uneven points, agree at its ends. */
static void random_tables_repeat_smoothly(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int k = 0; k < 60; k++) {
        double x[8] = {random_between(&seed, -2, 2)}, y[8];
        const int n = 3 + random_below(&seed, 6);
        for (int i = 0; i < n; i++) {
            y[i] = random_between(&seed, -1, 1);
            if (i > 0)
                x[i] = x[i - 1] + random_between(&seed, 0.2, 1.5);
        }
        y[n - 1] = y[0];
        for (int kind = DFL_TABLE_MONOTONE; kind <= DFL_TABLE_SMOOTH; kind++) {
            function f = table_of(x, y, n, (dfl_table_kind)kind, DFL_OUTSIDE_REPEAT, 0);
            const dfl_spline *s = &f.g->splines[0];
            const int smooth = s->smoothness;
            for (int d = 0; d <= smooth; d++) {
                const double first = dfl_spline_value(s, d, nextafter(x[0], INFINITY)),
                             last = dfl_spline_value(s, d, x[n - 1]);
                double size = 1;
                for (int i = 0; i < n; i++)
                    size = fmax(size, fabs(dfl_spline_value(s, d, x[i])));
                if (!(fabs(first - last) < 1e-10 * size))
                    fail_msg("kind %d: derivative %d is %.15g and %.15g at the ends", kind, d,
                             first, last);
            }
            close_function(&f);
        }
    }
}

static void assert_refused(const double *x, int n, dfl_table_kind kind, dfl_outside outside,
                           const char *text)
{
    dfl_context *ctx = dfl_context_create();
    const dfl_axis axis = {.x = x, .n = n, .kind = kind, .outside = outside};
    assert_int_equal(dfl_axis_check(ctx, &axis, "x"), DFL_INVALID);
    assert_string_equal(dfl_message(ctx), text);
    dfl_context_free(ctx);
}

static void bad_places_are_refused_by_row(void **state)
{
    (void)state;
    assert_refused((const double[]){0, 1, 2, 2.5, 2}, 5, DFL_TABLE_LINEAR, DFL_OUTSIDE_HOLD,
                   "table: x must ascend (row 5: 2 after 2.5)");
    assert_refused((const double[]){0, 1, 1}, 3, DFL_TABLE_CUBIC, DFL_OUTSIDE_HOLD,
                   "table: x must ascend (row 3: 1 after 1)");
    assert_refused((const double[]){0, 1, 1, 1}, 4, DFL_TABLE_LINEAR, DFL_OUTSIDE_HOLD,
                   "table: x = 1 is given three times (row 4); a jump has two rows");
    assert_refused((const double[]){0, NAN}, 2, DFL_TABLE_LINEAR, DFL_OUTSIDE_HOLD,
                   "table: x of row 2 is nan; give finite numbers");
    assert_refused((const double[]){0}, 1, DFL_TABLE_LINEAR, DFL_OUTSIDE_HOLD,
                   "table: x has 1 number; give at least 2");
    assert_refused((const double[]){0, 1}, 2, DFL_TABLE_SMOOTH, DFL_OUTSIDE_HOLD,
                   "table: x has 2 numbers; give at least 3");
}

static void tables_survive_every_failed_allocation(void **state)
{
    (void)state;
    for (int kind = 0; kind < DFL_TABLE_KINDS; kind++) {
        dfl_context *ctx = dfl_context_create();
        dfl_status status;
        WHILE_ALLOCATIONS_FAIL(status, ctx) {
            dfl_graph *g = NULL;
            dfl_term terms[MOST_TERMS];
            int count;
            double range[2];
            const dfl_axis axis = {wave_x, 5, (dfl_table_kind)kind, DFL_OUTSIDE_REPEAT, false};
            status = dfl_graph_create(&g, ctx, 0);
            dfl_expr y[5] = {0};
            for (int i = 0; !status && i < 5; i++)
                y[i] =
                    i == 2 ? dfl_symbol_expr(g, DFL_SYM_PARAM, 0, "p") : dfl_constant(g, wave_y[i]);
            if (!status)
                status = dfl_graph_status(g);
            if (!status)
                status = dfl_table_create(terms, &count, g, &axis, y);
            if (!status)
                status = dfl_table_range(range, ctx, &axis, wave_y);
            dfl_graph_free(g);
        }
        dfl_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_tables_have_known_values),
        cmocka_unit_test(known_tables_have_known_slopes),
        cmocka_unit_test(tables_go_on_as_they_are_told),
        cmocka_unit_test(derivatives_are_as_continuous_as_the_kind_says),
        cmocka_unit_test(a_place_given_twice_is_a_jump),
        cmocka_unit_test(the_smoothness_of_the_ends_is_known),
        cmocka_unit_test(free_ends_keep_cubics),
        cmocka_unit_test(maps_have_known_values),
        cmocka_unit_test(random_tables_repeat_smoothly),
        cmocka_unit_test(bad_places_are_refused_by_row),
        cmocka_unit_test(tables_survive_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
