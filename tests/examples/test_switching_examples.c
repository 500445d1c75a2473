/* Examples whose forces or rows switch: contacts, impacts, clutches, tables. Each is compared with
   independent numbers: exact solutions from one switch to the next, momenta that impacts keep,
   another method, another program. Tolerance and bounds as in test_examples.c. */
#include "example.h"
#include "../reference.h"

/* A road of straight pieces: from one of its points to the next the equations are smooth. */
typedef struct road {
    double x[40], y[40];
    int n, piece; /* the one that ends at point `piece` */
} road;

static road read_road(void)
{
    road r = {0};
    char line[80];
    FILE *file = fopen(DFL_SOURCE_DIR "/examples/road.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (r.n < 40 && fscanf(file, "%lf,%lf", &r.x[r.n], &r.y[r.n]) == 2)
        r.n++;
    fclose(file);
    assert_true(r.n > 20 && r.n < 40);
    return r;
}

static void quarter_car_rates(double *d, double t, const double *y, const void *user)
{
    const road *r = user;
    const double *x = r->x + r->piece, *h = r->y + r->piece;
    const double height = h[-1] + (h[0] - h[-1]) * (10 * t - x[-1]) / (x[0] - x[-1]);
    const double strut = 18000 * (y[1] - y[0]) + 1500 * (y[3] - y[2]);
    d[0] = y[2];
    d[1] = y[3];
    d[2] = (strut - 180000 * (y[0] - height)) / 40;
    d[3] = -strut / 350;
}

static void a_quarter_car_follows_a_road_of_straight_pieces(void **state)
{
    (void)state;
    static const char *const names[] = {"w", "b", "der(w)", "der(b)"};
    double y[4] = {0};
    road r = read_road();
    scripted s = load("quarter-car");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = 1e-3 * tol});
    for (r.piece = 1; r.piece < r.n; r.piece++) {
        const double from = r.x[r.piece - 1] / 10, to = r.x[r.piece] / 10;
        rk4(y, 4, from, to, 2000, quarter_car_rates, &r);
        scripted_advance(&s, to);
        for (int i = 0; i < 4; i++)
            assert_near(scripted_value(&s, names[i]), y[i], 10 * tol);
    }
    assert_near(scripted_output(&s, "road"), 0.0, 0.0);
    scripted_free(&s);
}

/* It locks at 60/11 s, unlocks at 12 s where 60 N m are not enough. */
static void a_clutch_locks_and_slips_again(void **state)
{
    (void)state;
    scripted s = load("clutch");
    scripted_run(&s, 7.0, tol);
    assert_near(scripted_value(&s, "der(motor)"), 72.727272727272727 + 6 * (7 - 60.0 / 11),
                1000 * tol);
    assert_near(scripted_output(&s, "locked"), 1.0, 0.0);
    scripted_advance(&s, 13.0);
    assert_near(scripted_value(&s, "der(motor)"), 75.0, 1000 * tol);
    assert_near(scripted_value(&s, "der(load)"), 190.0 / 3, 1000 * tol);
    assert_near(scripted_output(&s, "locked"), 0.0, 0.0);
    scripted_free(&s);
}

/* Neither impacts nor friction change the angular momentum about a point of the floor. */
static void a_bouncing_ball_ends_rolling_with_its_angular_momentum(void **state)
{
    (void)state;
    scripted s = load("ball");
    scripted_run(&s, 6.0, tol);
    const double v = (0.1 * 2 - 0.4 * 0.01 * 40) / (1.4 * 0.1);
    assert_near(scripted_value(&s, "der(x)"), v, 10 * tol);
    assert_near(scripted_value(&s, "der(turn)"), v / 0.1, 100 * tol);
    assert_near(scripted_value(&s, "y"), 0.1, 10 * tol);
    assert_near(scripted_output(&s, "normal"), 9.81, 1e-9);
    scripted_free(&s);
}

/* Knocks keep the momentum: it is the integral of the other forces. */
static void knocks_in_a_backlash_keep_the_momentum(void **state)
{
    (void)state;
    scripted s = load("backlash");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = 1e-3 * tol});
    for (int t = 1; t <= 10; t++) {
        scripted_advance(&s, t);
        const double a = scripted_value(&s, "a"), b = scripted_value(&s, "b");
        assert_near(scripted_value(&s, "der(a)") + 3 * scripted_value(&s, "der(b)"),
                    1.25 * (1 - cos(4.0 * t)) - 0.5 * (a + b), 100 * tol);
        assert_true(fabs(a - b) <= 0.05 + tol);
    }
    scripted_free(&s);
}

/* The time that the crank needs from -pi/4 to `angle`, by Simpson's rule: its energy is that of 2
   pi rad/s with the wheel at rest, J1 = 1, J2 = 0.2, and the wheel follows with (c cos q - 1) / (1
   + c^2 - 2 c cos q), c = sqrt(2). */
static double geneva_time(double angle)
{
    enum { PARTS = 2000 };
    const double pi = 3.14159265358979323846, c = sqrt(2.0), step = (angle + pi / 4) / PARTS;
    double sum = 0;
    for (int i = 0; i <= PARTS; i++) {
        const double q = -pi / 4 + i * step;
        const double ratio = (c * cos(q) - 1) / (3 - 2 * c * cos(q));
        const int weight = i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2;
        sum += weight * sqrt(1 + 0.2 * ratio * ratio);
    }
    return sum * step / 3 / (2 * pi);
}

/* Three eighths of a turn from the start the pin enters; between slots the crank turns at 2 pi. */
static void a_geneva_drive_turns_in_quarters(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846, slot = geneva_time(pi / 4);
    scripted s = load("geneva");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol});
    scripted_advance(&s, 0.5);
    const double crank = scripted_value(&s, "crank") - 2 * pi;
    assert_near(geneva_time(crank), 0.5 - 0.375, 100 * tol);
    assert_near(tan(scripted_value(&s, "wheel")), sin(crank) / (sqrt(2.0) - cos(crank)), 100 * tol);
    scripted_advance(&s, 5);
    const double left = 0.375 + slot + 4 * (0.75 + slot); /* for the fifth time */
    assert_near(scripted_output(&s, "turned"), 5, 0);
    assert_near(scripted_value(&s, "wheel"), -pi / 4 + 5 * pi / 2, 100 * tol);
    assert_near(scripted_value(&s, "crank"), 10.25 * pi + 2 * pi * (5 - left), 1000 * tol);
    assert_near(scripted_value(&s, "der(crank)"), 2 * pi, 1000 * tol);
    scripted_free(&s);
}

/* After two pecks, by tests/examples/woodpecker.py, which knows nothing of this library. Six
   impacts and eleven changes of modes come before. */
static void a_woodpecker_agrees_with_another_program(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value, size;
    } known[] = {{"y", -0.0576792600113647, 1e-2},        {"sleeve", -0.000806135646145203, 1e-1},
                 {"bird", 0.00737173434812197, 1e-1},     {"der(y)", -0.0264934908593746, 1},
                 {"der(sleeve)", -6.85212536791764, 100}, {"der(bird)", -4.04225103488518, 10}};
    scripted s = load("woodpecker");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = 1e-3 * tol});
    scripted_advance(&s, 0.3);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_near(scripted_value(&s, known[i].name), known[i].value, 100 * tol * known[i].size);
    scripted_free(&s);
}

/* How far the robot walks in 2 s with feet of some mass; *steps: that this took. */
static double walk(long *steps, const char *foot, dfl_integrator integrator, double rtol)
{
    scripted s = load_with("walker", (const char *const[]){foot, NULL});
    scripted_start(&s, &(dfl_solver_options){.rtol = rtol, .integrator = integrator});
    scripted_advance(&s, 2);
    const double way = scripted_value(&s, "fly.q1");
    *steps = dfl_solver_statistics(s.solver).accepted;
    scripted_free(&s);
    return way;
}

/* Feet without mass are the limit of light feet, whose equations are ordinary ones: the difference
   is of first order in their mass, 2 x(m) - x(2m) = x(0) up to the second order. An explicit method
   finds the same way, in less than half the steps that feet of 50 g need. Bounds: five times the
   differences that were measured. */
static void a_walker_has_the_limit_of_light_feet(void **state)
{
    (void)state;
    long steps, explicit_steps, heavy_steps;
    const double none = walk(&steps, "foot=0", DFL_RADAU, 1e-7);
    const double light = walk(&steps, "foot=0.01", DFL_RADAU, 1e-7);
    const double twice = walk(&steps, "foot=0.02", DFL_RADAU, 1e-7);
    assert_true(none > 0.5);
    assert_true(fabs(light - none) > 10 * fabs(2 * light - twice - none));
    assert_near(2 * light - twice, none, 5e-6);
    assert_near(walk(&explicit_steps, "foot=0", DFL_HALF_EXPLICIT, 1e-6), none, 2e-7);
    walk(&heavy_steps, "foot=0.05", DFL_HALF_EXPLICIT, 1e-6);
    assert_true(2 * explicit_steps < heavy_steps);
}

static void they_pass_the_self_check_and_run_with_their_own_settings(void **state)
{
    (void)state;
    for (int i = 0; i < SWITCHING_EXAMPLES; i++) {
        check_own_settings(switching_examples[i]);
        check_opening(switching_examples[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quarter_car_follows_a_road_of_straight_pieces),
        cmocka_unit_test(a_clutch_locks_and_slips_again),
        cmocka_unit_test(a_bouncing_ball_ends_rolling_with_its_angular_momentum),
        cmocka_unit_test(knocks_in_a_backlash_keep_the_momentum),
        cmocka_unit_test(a_geneva_drive_turns_in_quarters),
        cmocka_unit_test(a_woodpecker_agrees_with_another_program),
        cmocka_unit_test(a_walker_has_the_limit_of_light_feet),
        cmocka_unit_test(they_pass_the_self_check_and_run_with_their_own_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
