/* test_near_singular.c: positions next to singular ones, rows that are nearly parallel, multipliers
   that the constraints do not determine. */
#include "support.h"

/* ---------------------------------------------------------------- nearly parallel rows */
/* (x, y) = 0 held by the rows n and s (n + m/33): n, m a frame that turns with `speed`, and s a
   length that varies by `swell`. z'' = -z is free. */
typedef struct frame {
    double speed, swell;
} frame;

/* The row w and its first two time derivatives. */
static void turning_row(double w[3][2], const frame *fr, int row, double t)
{
    const double o = fr->speed, e = row ? 0.03 : 0, swell = row ? fr->swell : 0;
    const double s = 1 + swell * sin(2 * t), s1 = 2 * swell * cos(2 * t), s2 = -4 * (s - 1);
    const double n[2] = {cos(o * t), sin(o * t)}, m[2] = {-n[1], n[0]};
    for (int i = 0; i < 2; i++) {
        const double a = n[i] + e * m[i], b = o * (m[i] - e * n[i]);
        w[0][i] = s * a;
        w[1][i] = s1 * a + s * b;
        w[2][i] = s2 * a + 2 * s1 * b - s * o * o * a;
    }
}

static double dot2(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1];
}

static int frame_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 2, *p = x + 5;
    if (need & DFL_FORCE) {
        out->f[0] = out->f[1] = 0;
        out->f[2] = -p[2];
    }
    for (int row = 0; row < 2; row++) {
        double w[3][2];
        turning_row(w, user, row, t);
        if (need & DFL_POSITION)
            out->g[row] = dot2(w[0], p);
        if (need & DFL_VELOCITY)
            out->gI[row] = dot2(w[0], v) + dot2(w[1], p);
        if (need & DFL_DIRECTIONS) {
            out->W[row] = w[0][0];
            out->W[2 + row] = w[0][1];
        }
        if (need & DFL_BIAS)
            out->bias[row] = 2 * dot2(w[1], v) + dot2(w[2], p);
    }
    return 0;
}

static void nearly_parallel_turning_rows_are_no_singular_position(void **state)
{
    (void)state;
    frame frames[] = {{3, 0}, {3, 0.5}, {4, 0}, {5, 0.5}, {6, 0}, {6.5, 0.5}};
    const double x0[8] = {0, 0, 0, 0, 1, 0, 0, 0};
    for (int i = 0; i < 6; i++) {
        const dfl_eom eom = {.np = 3,
                             .nv = 3,
                             .nl = 2,
                             .eval = frame_eval,
                             .trivial_kinematics = true,
                             .user = &frames[i]};
        const run r = run_with(&eom, 0, x0, 20, NULL, NULL);
        assert_succeeded(&r);
        assert_int_equal(r.stats.rank_position, 2);
        assert_near(r.x[7], sin(20), 2e-5); /* 20 times the tolerance over 20 s */
        assert_near(fmax(fabs(r.x[5]), fabs(r.x[6])), 0, 1e-9);
    }
}

/* ---------------------------------------------------------------- singular positions */
/* A parallelogram in the angles of its crank (1), coupler (2) and rocker (1), without forces.
   `user` says whether the ground is added first: then crank and rocker do not cancel exactly in g.
   */
static int parallelogram_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 2, *p = x + 5, length[3] = {1, 2, -1};
    const bool ground_first = *(const bool *)user;
    double sum[3][2] = {{ground_first ? -2 : 0}}; /* g, gI, bias */
    (void)t;
    for (int i = 0; i < 3; i++) {
        const double c = length[i] * cos(p[i]), s = length[i] * sin(p[i]);
        sum[0][0] += i == 1 && !ground_first ? c - 2 : c;
        sum[0][1] += s;
        sum[1][0] -= s * v[i];
        sum[1][1] += c * v[i];
        sum[2][0] -= c * v[i] * v[i];
        sum[2][1] -= s * v[i] * v[i];
        if (need & DFL_DIRECTIONS) {
            out->W[2 * i] = -s;
            out->W[2 * i + 1] = c;
        }
        if (need & DFL_FORCE)
            out->f[i] = 0;
    }
    if (need & DFL_POSITION)
        memcpy(out->g, sum[0], sizeof sum[0]);
    if (need & DFL_VELOCITY)
        memcpy(out->gI, sum[1], sizeof sum[1]);
    if (need & DFL_BIAS)
        memcpy(out->bias, sum[2], sizeof sum[2]);
    return 0;
}

static dfl_eom parallelogram(bool *ground_first)
{
    return (dfl_eom){.np = 3,
                     .nv = 3,
                     .nl = 2,
                     .eval = parallelogram_eval,
                     .trivial_kinematics = true,
                     .user = ground_first};
}

/* The crank turns with 1 rad/s from 0.3 rad and is flat at pi: the run stops in front of that, by
   at most `margin` seconds. */
static void meet_flat_position(bool ground_first, double rtol, double margin)
{
    const double x0[8] = {0, 0, 1, 0, 1, 0.3, 0, 0.3}, flat = acos(-1) - 0.3;
    const dfl_eom eom = parallelogram(&ground_first);
    const run r = run_with(&eom, 0, x0, 10, &(dfl_solver_options){.rtol = rtol}, NULL);
    print_message("rtol %g: %s %.1e s before, at most %.1e\n", rtol, dfl_status_name(r.status),
                  flat - r.t, margin);
    assert_true(r.status == DFL_RANK_CHANGED || r.status == DFL_NOT_CONVERGED);
    assert_non_null(strstr(r.message, "g[0]"));
    assert_non_null(strstr(r.message, "g[1]"));
    assert_between(r.t, flat - margin, flat);
    /* on the branch it came along: on the other one the coupler's angle is of the size of the
       distance to the flat position */
    assert_near(r.x[5], 0.3 + r.t, 1e-6);
    assert_near(r.x[6], 0, 1e-6);
    assert_near(r.x[7], 0.3 + r.t, 1e-6);
}

/* Crank and rocker cancel exactly, so only the singular position itself ends the run. */
static void a_parallelogram_stops_shortly_before_its_flat_position(void **state)
{
    (void)state;
    for (int k = 6; k <= 10; k += 2)
        meet_flat_position(false, pow(10, -k), 0.01);
}

/* At the distance s from the flat position the smallest singular value of W is s, and each of p,
   v, a and the multipliers divides the rounding of the one before by it: eps/s^4 reaches rtol at s
   = (eps/rtol)^(1/4), where the multipliers cannot be computed any more. Twice that is allowed. */
static void rounding_stops_a_parallelogram_where_multipliers_are_lost(void **state)
{
    (void)state;
    for (int k = 6; k <= 10; k += 2)
        meet_flat_position(true, pow(10, -k), 2 * pow(2.2e-16 * pow(10, k), 0.25));
}

static void a_start_at_rest_in_the_flat_position_is_refused(void **state)
{
    (void)state;
    const double x0[8] = {0};
    bool ground_first = false;
    const dfl_eom eom = parallelogram(&ground_first);
    const run r = run_with(&eom, 0, x0, 1, NULL, NULL);
    assert_failed(&r, DFL_SINGULAR, "singular position");
}

/* ---------------------------------------------------------------- undetermined multipliers */
/* The circle twice, with friction in proportion to the first multiplier alone. */
static int doubled_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 2, *p = x + 4, scale[2] = {1, 3};
    (void)t;
    (void)user;
    if (need & DFL_FORCE) {
        const double friction = -0.1 * x[0] * tanh(10 * (p[0] * v[1] - p[1] * v[0]));
        out->f[0] = -p[1] * friction;
        out->f[1] = p[0] * friction - 9.81;
    }
    for (int i = 0; i < 2; i++) {
        if (need & DFL_POSITION)
            out->g[i] = scale[i] * (p[0] * p[0] + p[1] * p[1] - 1) / 2;
        if (need & DFL_VELOCITY)
            out->gI[i] = scale[i] * (p[0] * v[0] + p[1] * v[1]);
        if (need & DFL_DIRECTIONS) {
            out->W[i] = scale[i] * p[0];
            out->W[2 + i] = scale[i] * p[1];
        }
        if (need & DFL_BIAS)
            out->bias[i] = scale[i] * (v[0] * v[0] + v[1] * v[1]);
    }
    return 0;
}

static void forces_that_depend_on_an_undetermined_multiplier_are_refused(void **state)
{
    (void)state;
    const dfl_form forms[] = {DFL_PSF, DFL_PSI1};
    const double x0[6] = {0, 0, 0, 0, 0.6, -0.8};
    for (int i = 0; i < 2; i++) {
        const dfl_eom eom = {
            .np = 2, .nv = 2, .nl = 2, .eval = doubled_eval, .trivial_kinematics = true};
        const run r = run_with(&eom, 0, x0, 2, &(dfl_solver_options){.form = forms[i]}, NULL);
        assert_failed(&r, DFL_SINGULAR, "undetermined");
    }
}

/* x = [l0 l1 | v | p]: p0 = 0 and (1 - t) p1 = 0, whose row vanishes at t = 1; p2 swings freely. */
static int vanishing_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 2, *p = v + 3, a = 1 - t;
    (void)user;
    if (need & DFL_FORCE) {
        out->f[0] = out->f[1] = 1;
        out->f[2] = -p[2];
    }
    if (need & DFL_POSITION) {
        out->g[0] = p[0];
        out->g[1] = a * p[1];
    }
    if (need & DFL_VELOCITY) {
        out->gI[0] = v[0];
        out->gI[1] = a * v[1] - p[1];
    }
    if (need & DFL_DIRECTIONS) {
        out->W[0] = 1;
        out->W[3] = a;
    }
    if (need & DFL_BIAS) {
        out->bias[0] = 0;
        out->bias[1] = -2 * v[1];
    }
    return 0;
}

static void a_row_that_vanishes_is_named_with_time_and_ranks(void **state)
{
    (void)state;
    const dfl_eom eom = {
        .np = 3, .nv = 3, .nl = 2, .eval = vanishing_eval, .trivial_kinematics = true};
    const double x0[8] = {0, 0, 0, 0, 0, 0, 0, 1};
    for (int selectors = DFL_ORTHOGONAL; selectors <= DFL_UNIT; selectors++) {
        const dfl_solver_options options = {.constraints.selectors = (dfl_selectors)selectors};
        const run r = run_with(&eom, 0, x0, 2, &options, NULL);
        assert_failed(&r, DFL_RANK_CHANGED, "g[1] become dependent");
        assert_failed(&r, DFL_RANK_CHANGED, "t = 1");
        assert_failed(&r, DFL_RANK_CHANGED, "rank 2 -> 1");
        assert_near(r.t, 1, 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_parallel_turning_rows_are_no_singular_position),
        cmocka_unit_test(a_parallelogram_stops_shortly_before_its_flat_position),
        cmocka_unit_test(rounding_stops_a_parallelogram_where_multipliers_are_lost),
        cmocka_unit_test(a_start_at_rest_in_the_flat_position_is_refused),
        cmocka_unit_test(forces_that_depend_on_an_undetermined_multiplier_are_refused),
        cmocka_unit_test(a_row_that_vanishes_is_named_with_time_and_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
