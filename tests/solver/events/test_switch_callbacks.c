/* A model in C with branches of its own: a mass between two springs behind gaps, and a window of
   force, by switching functions without bounds, which the solver samples. */
#include "support.h"

enum { V, P }; /* of x */
static const double stiffness = 1e4, pi = 3.14159265358979323846;

/* Free, or in the right (1) or left (-1) spring; in the window or not. */
typedef struct ball {
    int side, window;
    double first, width; /* the window, a force of 1 there; width 0: none */
} ball;

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const ball *m = user;
    (void)t;
    if (need & DFL_FORCE)
        out->f[0] = (m->side ? -stiffness * (x[P] - m->side) : 0) + (m->window > 0 ? 1 : 0);
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = 1;
    return 0;
}

/* Both ends of the free branch, or the border of a spring; both ends of the window. */
static int borders(double *value, int count, double t, const double *x, void *user)
{
    const ball *m = user;
    const double from = x[P] - m->first, to = m->first + m->width - x[P];
    (void)count, (void)t;
    value[0] = m->side > 0 ? x[P] - 1 : 1 - x[P];
    value[1] = m->side < 0 ? -1 - x[P] : x[P] + 1;
    value[2] = m->window ? (m->window > 0 ? from : m->window == -1 ? -from : from) : 1;
    value[3] = m->window ? (m->window > 0 ? to : m->window == -1 ? to : -to) : 1;
    if (m->window < 0) /* before it (-1) or behind it (-2) only its near end counts */
        value[m->window == -1 ? 3 : 2] = 1;
    return 0;
}

static int settle(bool *changed, double t, const double *x, const double *rate, void *user)
{
    ball *m = user;
    const ball old = *m;
    (void)t, (void)rate;
    m->side = x[P] > 1 ? 1 : x[P] < -1 ? -1 : 0;
    if (m->width > 0)
        m->window = x[P] < m->first ? -1 : x[P] > m->first + m->width ? -2 : 1;
    *changed = m->side != old.side || m->window != old.window;
    return 0;
}

static int flip(dfl_change *change, const bool *crossed, double t, const double *x, void *user)
{
    ball *m = user;
    (void)change, (void)t, (void)x;
    if (!crossed)
        return 0;
    if (crossed[0])
        m->side = m->side ? 0 : 1;
    if (crossed[1])
        m->side = m->side ? 0 : -1;
    if (crossed[2])
        m->window = m->window > 0 ? -1 : 1;
    if (crossed[3])
        m->window = m->window > 0 ? -2 : 1;
    return 0;
}

static run run_ball(ball *m, double t_end, double tol)
{
    const dfl_eom eom = {
        .np = 1, .nv = 1, .eval = eval, .mass = mass, .trivial_kinematics = true, .user = m};
    const double x0[] = {[V] = 1, [P] = 0};
    const dfl_solver_options options = {
        .rtol = tol,
        .atol = tol,
        .switches = {.count = 4, .eval = borders, .settle = settle, .flip = flip, .user = m}};
    return run_with(&eom, 0, x0, t_end, &options, NULL);
}

/* 1 s to the first spring, then half a period in it and 2 s to the other. */
static void springs_are_met(void **state)
{
    (void)state;
    const double inside = pi / sqrt(stiffness), t_end = 30;
    const double turns = floor((t_end - 1) / (2 + inside));
    const double rest = t_end - 1 - turns * (2 + inside) - inside;
    for (double tol = 1e-6; tol > 1e-11; tol *= 1e-2) {
        ball m = {0};
        const run r = run_ball(&m, t_end, tol);
        if (r.status)
            fail_msg("%s", r.message);
        const double sign = fmod(turns, 2) == 0 ? 1 : -1;
        assert_near(r.x[P], sign * (1 - rest), 1e3 * tol);
        assert_near(r.x[V], -sign, 1e3 * tol);
        assert_int_equal(r.stats.crossings, 2 * (int)turns + 2);
    }
}

/* v^2 grows by twice the width; from 0.3 on, a few percent of the long step before. */
static void narrow_windows_are_sampled(void **state)
{
    (void)state;
    for (double width = 0.2; width > 0.02; width *= 0.5) {
        ball m = {.first = 0.3, .width = width};
        const run r = run_ball(&m, 0.8, 1e-8);
        if (r.status)
            fail_msg("%s", r.message);
        assert_near(r.x[V], sqrt(1 + 2 * width), 1e-6);
        assert_int_equal(r.stats.crossings, 2);
    }
}

/* Force 1 where sin(3 x) > 0, else -1: at coarse tolerances ten of them are more than the sine can
   do. */
static int ripple_force(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)x;
    if (need & DFL_FORCE)
        out->f[0] = *(const int *)user;
    return 0;
}

static int ripple(double *value, int count, double t, const double *x, void *user)
{
    (void)count, (void)t;
    value[0] = *(const int *)user * sin(3 * x[P]);
    return 0;
}

static int settle_ripple(bool *changed, double t, const double *x, const double *rate, void *user)
{
    (void)t, (void)x, (void)rate, (void)user;
    *changed = false;
    return 0;
}

static int flip_ripple(dfl_change *change, const bool *crossed, double t, const double *x,
                       void *user)
{
    (void)change, (void)t, (void)x;
    if (crossed && crossed[0])
        *(int *)user *= -1;
    return 0;
}

/* Every half wave takes the time tau. */
static void ripples_below_the_tolerance_are_seen(void **state)
{
    (void)state;
    const double t_end = 10, tau = sqrt(1 + 2 * pi / 3) - 1;
    for (double tol = 1e-1; tol > 1e-8; tol *= 0.1) {
        int sign = 1;
        const dfl_eom eom = {.np = 1,
                             .nv = 1,
                             .eval = ripple_force,
                             .mass = mass,
                             .trivial_kinematics = true,
                             .user = &sign};
        const double x0[] = {[V] = 1, [P] = 0};
        const dfl_solver_options options = {.rtol = tol,
                                            .atol = tol,
                                            .switches = {.count = 1,
                                                         .eval = ripple,
                                                         .settle = settle_ripple,
                                                         .flip = flip_ripple,
                                                         .user = &sign}};
        const run r = run_with(&eom, 0, x0, t_end, &options, NULL);
        if (r.status)
            fail_msg("%s", r.message);
        assert_int_equal(r.stats.crossings, (int)(t_end / tau));
        assert_near(r.x[P], floor(t_end / tau) * pi / 3, pi / 3);
    }
}

static void missing_callbacks_are_refused(void **state)
{
    (void)state;
    ball m = {0};
    const dfl_eom eom = {
        .np = 1, .nv = 1, .eval = eval, .mass = mass, .trivial_kinematics = true, .user = &m};
    const double x0[] = {1, 0};
    const dfl_solver_options options = {.switches = {.count = 4, .eval = borders, .user = &m}};
    const run r = run_with(&eom, 0, x0, 1, &options, NULL);
    assert_int_equal(r.status, DFL_INVALID);
    assert_non_null(strstr(r.message, "switches need eval, settle and flip"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_are_met),
        cmocka_unit_test(narrow_windows_are_sampled),
        cmocka_unit_test(ripples_below_the_tolerance_are_seen),
        cmocka_unit_test(missing_callbacks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
