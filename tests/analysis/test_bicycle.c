/* Whipple's bicycle, drawn as four bodies with rolling wheels, against the linear equations of
   Meijaard, Papadopoulos, Ruina and Schwab (2007): M q'' + v C1 q' + (g K0 + v^2 K2) q = 0. */
#include "near.h"

static near ride(double v)
{
    static const char *const bicycle =
        "gravity{0, 0, -9.81}\n"
        "local tilt, v = math.pi/10, %.17g\n"
        "local frame = body('frame', { mass = 85, com = {0.3, 0, 0.9},\n"
        "    inertia = {9.2, 11, 2.8, 0, -2.4, 0} })\n"
        "local rear = body('rear', { mass = 2, com = {0, 0, 0.3},\n"
        "    inertia = {0.0603, 0.12, 0.0603} })\n"
        "local fork = body('fork', { mass = 4, com = {0.9, 0, 0.7},\n"
        "    inertia = {0.05892, 0.06, 0.00708, 0, 0.00756, 0} })\n"
        "local front = body('front', { mass = 3, com = {1.02, 0, 0.35},\n"
        "    inertia = {0.1405, 0.28, 0.1405} })\n"
        "local f = free('f', ground, frame, { at = {0, 0, 0} })\n"
        "local r1 = revolute('hub1', frame, rear, { at = {0, 0, 0.3}, axis = {0, 1, 0} })\n"
        "local st = revolute('steer', frame, fork, { at = {1.1, 0, 0},\n"
        "    axis = {math.sin(tilt), 0, -math.cos(tilt)} })\n"
        "local r2 = revolute('hub2', fork, front, { at = {1.02, 0, 0.35}, axis = {0, 1, 0} })\n"
        "rolling_disk('back', rear, { at = {0, 0, 0.3}, axis = {0, 1, 0}, radius = 0.3 })\n"
        "rolling_disk('ahead', front, { at = {1.02, 0, 0.35}, axis = {0, 1, 0}, radius = 0.35 })\n"
        "initial{ [st.q] = 0, [st.qd] = 0, [r1.q] = 0, [r2.q] = 0, [r1.qd] = v/0.3 }\n"
        "initial{ [f.q1] = 0, [f.q2] = 0, [f.q4] = 1, [f.q5] = 0, [f.q6] = 0, [f.q7] = 0,\n"
        "         [f.w1] = 0, [f.w3] = 0 }\n";
    char text[4000];
    snprintf(text, sizeof text, bicycle, v);
    return near_find(text, NULL, NULL);
}

/* The matrix of (q, q') of the published equations. */
static void published(double *A, double v)
{
    static const double M[4] = {80.81722, 2.31941332208709, 2.31941332208709, .29784188199686};
    static const double C1[4] = {0, -.85035641456978, 33.86641391492494, 1.6854039739756};
    static const double K0[4] = {-80.95, -2.59951685249872, -2.59951685249872, -.80329488458618};
    static const double K2[4] = {0, 0, 76.59734589573222, 2.65431523794604};
    const double det = M[0] * M[3] - M[1] * M[2];
    memset(A, 0, 16 * sizeof *A);
    for (int j = 0; j < 2; j++) {
        const double k[2] = {9.81 * K0[2 * j] + v * v * K2[2 * j],
                             9.81 * K0[2 * j + 1] + v * v * K2[2 * j + 1]};
        const double c[2] = {v * C1[2 * j], v * C1[2 * j + 1]};
        A[4 * (2 + j) + j] = 1;
        A[4 * j + 2] = -(M[3] * k[0] - M[2] * k[1]) / det;
        A[4 * j + 3] = -(M[0] * k[1] - M[1] * k[0]) / det;
        A[4 * (2 + j) + 2] = -(M[3] * c[0] - M[2] * c[1]) / det;
        A[4 * (2 + j) + 3] = -(M[0] * c[1] - M[1] * c[0]) / det;
    }
}

/* The matrices have 14 digits, so 1e-8 leaves room for rounding of ten states alone. */
static void eigenvalues_over_speed_are_the_published_ones(void **state)
{
    (void)state;
    for (int v = 0; v <= 10; v++) {
        near it = ride(v);
        double A[16];
        dfl_modes modes;
        published(A, v);
        scripted_expect(&it.s, dfl_modes_find(&modes, it.s.ctx, 4, A));
        assert_int_equal(it.modes.count, 10); /* six of them are zero: place, heading, speed */
        assert_int_equal(it.modes.indifferent, 6);
        assert_int_equal(it.linear.linear.kind, v ? DFL_AT_STEADY_MOTION : DFL_AT_EQUILIBRIUM);
        for (int i = 0; i < 4; i++)
            near_has(&it, modes.mode[i].re, modes.mode[i].im, 1e-8);
        if (v == 5)
            near_has(&it, -.775341882196, 4.46486771379, 1e-9);
        if (v == 10)
            near_has(&it, .161053386532, 0, 1e-9);
        dfl_modes_clear(&modes);
        near_free(&it);
    }
}

/* Weave ends at 4.29238253634 m/s, capsize begins at 6.02426201539 m/s; there its eigenvalue is
   next to those of place and heading, and the doubt is larger. */
static void it_rides_by_itself_between_weave_and_capsize_speed(void **state)
{
    (void)state;
    static const struct {
        double v;
        int unstable;
    } at[] = {{4.29238253634 - 1e-6, 2},
              {4.29238253634 + 1e-6, 0},
              {6.02426201539 - 0.02, 0},
              {6.02426201539 + 0.02, 1}};
    for (int i = 0; i < 4; i++) {
        near it = ride(at[i].v);
        assert_int_equal(it.modes.unstable, at[i].unstable);
        near_free(&it);
    }
}

/* The real eigenvalue of the capsize mode near its speed, or the real part of the weave mode near
   its own. */
static double growth(double v, bool weave)
{
    near it = ride(v);
    double found = NAN;
    for (int i = 0; i < it.modes.count; i++) {
        const dfl_mode *mode = &it.modes.mode[i];
        const bool slow = fabs(mode->re) > 1e-3 && fabs(mode->re) < 1;
        if (weave ? mode->im > 1 : mode->im == 0 && slow)
            found = mode->re;
    }
    near_free(&it);
    return found;
}

/* Where it vanishes: the polynomial v(growth) through six speeds around it. */
static double vanishes_at(double v, double h, bool weave)
{
    enum { POINTS = 6 };
    double speed[POINTS], value[POINTS], root = 0;
    for (int i = 0; i < POINTS; i++) {
        speed[i] = v + h * (i - 2.5);
        value[i] = growth(speed[i], weave);
        assert_true(isfinite(value[i]));
    }
    for (int i = 0; i < POINTS; i++) {
        double part = speed[i];
        for (int k = 0; k < POINTS; k++)
            part *= k == i ? 1 : value[k] / (value[k] - value[i]);
        root += part;
    }
    return root;
}

static void weave_and_capsize_speed(void **state)
{
    (void)state;
    near_close(vanishes_at(4.3, 0.02, true), 4.29238253634, 1e-9);
    near_close(vanishes_at(6.03, 0.1, false), 6.02426201539, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_over_speed_are_the_published_ones),
        cmocka_unit_test(it_rides_by_itself_between_weave_and_capsize_speed),
        cmocka_unit_test(weave_and_capsize_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
