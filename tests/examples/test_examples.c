/* Every file in examples/ is run and compared with independent numbers, here or in one of the
   tests whose examples example.h lists.

   Where problems/ has the same model written by hand, all blocks of the equations and all
   derivatives must agree at random states, to rounding (1e-12 of the block's largest entry), and
   the trajectory must reach the problem's references. The other examples are compared with exact
   solutions: elliptic functions, energy integrals, matrix exponentials, values of tables.

   Trajectories are computed with tolerance 1e-10. A bound K 1e-10 stands beside each comparison; K
   counts how much the model amplifies local errors and is about five times what was measured. */
#define _POSIX_C_SOURCE 200809L

#include "closed_forms.h"
#include "example.h"
#include "same_equations.h"
#include "../coupler.h"
#include "../reference.h"

#include <dirent.h>

/* ------------------------------------------------------------ the same equations */

/* The trajectory reaches the references of the problem: the state within K tol, the multipliers and
   auxiliary variables within L tol, relative to max(1, |x|). */
static void compare_references(scripted *s, const problem *prob, double t_end, double K, double L)
{
    const dfl_layout at = dfl_eom_layout(&prob->eom);
    scripted_start(s, &(dfl_solver_options){.rtol = tol});
    for (int k = 0; k < prob->nreferences && prob->references[k].t <= t_end; k++) {
        const problem_reference *ref = &prob->references[k];
        scripted_advance(s, ref->t);
        for (int i = 0; i < at.n; i++)
            if (!isnan(ref->x[i]))
                assert_near(s->x[i], ref->x[i],
                            (i < at.r ? L : K) * tol * fmax(1.0, fabs(ref->x[i])));
    }
}

static void compare_with_problem(const char *name, const char *const *sets,
                                 const char *problem_name, int size, double t_end, double K,
                                 double L)
{
    problem prob;
    scripted s = load_with(name, sets);
    assert_true(problem_make(&prob, problem_name, size));
    compare_equations(&s, &prob);
    compare_references(&s, &prob, t_end, K, L);
    problem_free(&prob);
    scripted_free(&s);
}

/* The exact solution in elliptic functions belongs to g = 4 K(1/2)^2. */
static void check_pendulum(void)
{
    compare_with_problem("pendulum", (const char *const[]){"g=13.750371636040745655", NULL},
                         "pendulum", 0, 10.3, 80, 30);
}

static void check_rolling_disk(void)
{
    compare_with_problem("rolling-disk", NULL, "disk", 0, 5, 70, 30);
}

static void check_sleigh(void)
{
    compare_with_problem("sleigh", NULL, "sleigh", 0, 10, 20, 5);
}

static void check_heavy_top(void)
{
    compare_with_problem("heavy-top", NULL, "top", 0, 2, 60, 120);
}

/* The oscillator in distances instead of coordinates. */
static void check_massless_node(void)
{
    problem prob;
    scripted s = load("massless-node");
    assert_true(problem_make(&prob, "oscillator", 0));
    const dfl_layout at = dfl_eom_layout(&prob.eom);
    assert_int_equal(s.eq->n0, 1);
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    for (int k = 0; k < prob.nreferences; k++) {
        const double *x = prob.references[k].x;
        scripted_advance(&s, prob.references[k].t);
        assert_near(scripted_output(&s, "x1"), x[at.p], 200 * tol);
        assert_near(scripted_output(&s, "x2"), x[at.p + 1], 200 * tol);
        assert_near(scripted_output(&s, "v2"), x[at.v + 1], 200 * tol);
    }
    problem_free(&prob);
    scripted_free(&s);
}

static void check_andrews(void)
{
    compare_with_problem("andrews", NULL, "andrews", 0, 0.05, 3000, 200);
}

static void check_car_axis(void)
{
    compare_with_problem("car-axis", NULL, "caraxis", 0, 3, 1000, 2);
}

static void check_friction(void)
{
    compare_with_problem("friction", NULL, "friction", 0, 5, 120, 240); /* automatic order, kinks */
}

static void check_chain(void)
{
    compare_with_problem("chain", (const char *const[]){"N=2", NULL}, "nchain", 2, 2, 15, 25);
    compare_with_problem("chain", (const char *const[]){"N=5", NULL}, "nchain", 5, 2, 5, 50);
    compare_with_problem("chain", NULL, "nchain", 10, 0, 0, 0);
}

/* ------------------------------------------------------------ exact solutions */

/* The same pendulum in Cartesian coordinates is the chain of two point masses, with references good
   to 4e-13. */
static void check_double_pendulum(void)
{
    static const struct {
        double t, x[4];
    } references[] = {
        {0.5, {0.5400294089888501, -0.8416461473963707, 1.473465670052015, -1.200389435183641}},
        {1.0, {-0.5851683919988752, -0.8109118034690646, -1.444818849943476, -1.321794461381465}},
        {2.0, {-0.4644128686995140, -0.8856188160751147, -1.434124817464277, -1.129870195647158}}};
    static const char *const names[4] = {"x1", "y1", "x2", "y2"};
    scripted s = load("double-pendulum");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    for (int k = 0; k < 3; k++) {
        scripted_advance(&s, references[k].t);
        for (int i = 0; i < 4; i++)
            assert_near(scripted_output(&s, names[i]), references[k].x[i], 25 * tol);
        assert_near(scripted_output(&s, "energy"), 0.0, 200 * tol);
    }
    scripted_free(&s);
}

/* The largest deflection of a rod of 24 rigid links with springs. */
static void check_elastic_rod(void)
{
    double most = 0.0;
    scripted s = load("elastic-rod");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8});
    for (int i = 1; i <= 150; i++) {
        scripted_advance(&s, 2e-4 * i);
        most = fmax(most, fabs(scripted_output(&s, "deflection")));
    }
    assert_near(most, 1.6195e-3, 0.005 * 1.6195e-3);
    scripted_free(&s);
}

/* The mean sag is that of Kleinlogel's portal with its weight q and the load P in the middle, and
   of feet that become shorter. */
static void check_portal_crane(void)
{
    const double L = 12, h = 6, E = 2.1e11, EI = E * 0.3 * 0.3 * 0.3 * 0.3 / 12;
    const double q = 7850 * 0.09 * 9.81, P = 3000 * 9.81, k = 2 + h / L;
    const double M = q * L * L / (6 * k) + P * L / (4 * k);
    const double sag = 5 * q * L * L * L * L / (384 * EI) + P * L * L * L / (48 * EI) -
                       M * L * L / (8 * EI) + (P + q * L + q * h) / 2 * h / (E * 0.09);
    double mean = 0.0;
    scripted s = load("portal-crane");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-5});
    for (int i = 1; i <= 200; i++) {
        scripted_advance(&s, 0.025 * i);
        mean += scripted_output(&s, "sag") / 200;
    }
    assert_near(mean, sag, 0.02 * sag);
    scripted_free(&s);
}

/* The lowest frequency of the blade in flapping, as a beam without rotary inertia under the tension
   of its own turning, by 160 Hermite elements computed apart from this program: 6.5279 rad/s at
   rest, 6.9517 at 2 rad/s. */
static void check_blade(void)
{
    double last = 0.0, first_zero = 0.0, zero = 0.0;
    int zeros = 0;
    scripted s = load("blade");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-7});
    last = scripted_output(&s, "flap");
    for (int i = 1; i <= 500; i++) {
        scripted_advance(&s, 0.01 * i);
        const double flap = scripted_output(&s, "flap");
        if (last < 0 && flap >= 0) {
            zero = 0.01 * (i - flap / (flap - last));
            first_zero = zeros++ ? first_zero : zero;
        }
        last = flap;
    }
    assert_true(zeros > 3);
    assert_near(6.283185307179586 * (zeros - 1) / (zero - first_zero), 6.9517, 0.01);
    scripted_free(&s);
}

/* The references of problems/slidercrank.c, which counts from the slider: alpha is the angle of the
   rod towards the pin, beta that of the crank relative to the rod. */
static void check_slider_crank(void)
{
    problem prob;
    scripted s = load("slider-crank");
    assert_true(problem_make(&prob, "slidercrank", 0));
    const dfl_layout at = dfl_eom_layout(&prob.eom);
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    for (int k = 0; k < prob.nreferences; k++) {
        const double *p = prob.references[k].x + at.p, *v = prob.references[k].x + at.v;
        scripted_advance(&s, prob.references[k].t);
        assert_near(scripted_value(&s, "x"), p[0], 50 * tol);
        assert_near(scripted_value(&s, "theta"), p[1] - PI, 70 * tol);
        assert_near(scripted_value(&s, "phi"), p[1] + p[2] - PI, 300 * tol);
        assert_near(scripted_value(&s, "der(x)"), v[0], 250 * tol);
        assert_near(scripted_value(&s, "der(theta)"), v[1], 2000 * tol);
        assert_near(scripted_value(&s, "der(phi)"), v[1] + v[2], 800 * tol);
        assert_near(scripted_output(&s, "energy"), 0.766032768, 25 * tol);
    }
    problem_free(&prob);
    scripted_free(&s);
}

/* The energy changes by what the road gives and the dampers take; in the end the tyre carries all
   of the 342 kg. */
static void check_suspension(void)
{
    scripted s = load("suspension");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    const double before = scripted_output(&s, "energy");
    double stop = 0;
    for (double t = 0.05; t < 3; t += 0.05) {
        scripted_advance(&s, t);
        stop = fmax(stop, scripted_output(&s, "stop-force"));
        assert_near(scripted_output(&s, "energy") + scripted_value(&s, "taken") -
                        scripted_value(&s, "given"),
                    before, 5e4 * tol); /* energies of 2000 J, kinks of the stop */
    }
    assert_true(stop > 100);
    scripted_advance(&s, 40);
    assert_near(scripted_output(&s, "tyre-load"), 342 * 9.81, 1e-6);
    scripted_free(&s);
}

/* The arm's equations by hand: angle, speed, reference, integral, filter, current. */
static void arm_rates(double *d, double t, const double *y, const void *user)
{
    (void)t;
    (void)user;
    const double m = 2, L = 0.8, bag = 1, J = m * L * L / 3 + bag * L * L, e = y[2] - y[0];
    const double raw = 60 * e + 80 * y[3] + 12 * (e - y[4]) / 0.02,
                 u = raw / pow(1 + pow(raw / 24, 8), 0.125);
    const double grip = 20 * 0.1 * 0.03 * y[1] / sqrt(y[1] * y[1] + 0.05 * 0.05);
    d[0] = y[1];
    d[1] = (80 * 0.05 * y[5] - grip - (m * L / 2 + bag * L) * 9.81 * cos(y[0])) / J;
    d[2] = (1 - y[2]) / 0.2;
    d[3] = e + (u - raw) / (80 * 0.1);
    d[4] = (e - y[4]) / 0.02;
    d[5] = (u - 0.8 * y[5] - 80 * 0.05 * y[1]) / 2e-3;
}

static void check_arm_pid(void)
{
    static const char *const names[] = {"hinge.q",   "der(hinge.q)", "reference",
                                        "control.i", "control.d",    "motor.i"};
    double y[6] = {-PI / 2, 0, -PI / 2, 0, 0, 0};
    scripted s = load("arm-pid");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    for (int t = 1; t <= 2; t++) {
        rk4(y, 6, t - 1, t, 20000, arm_rates, NULL); /* a fiftieth of the current's time */
        scripted_advance(&s, t);
        for (int i = 0; i < 6; i++)
            assert_near(scripted_value(&s, names[i]), y[i], 500 * tol);
    }
    scripted_advance(&s, 100); /* the weight's moment over gear and constant */
    assert_near(scripted_value(&s, "hinge.q"), 1.0, 1e-6);
    assert_near(scripted_value(&s, "motor.i"), 1.6 * 9.81 * cos(1) / 4, 1e-5);
    scripted_free(&s);
}

/* One degree of freedom: with the crank's inertia J(phi), J phi'^2/2 + V = E. */
typedef struct linkage {
    double J, V;
} linkage;

static linkage linkage_at(double phi)
{
    const double a = 1, b = 2, c = 2.5, d = 3, rho = 1, g = 9.81;
    /* from the pin of the crank to the bearing of the rocker: distance r, angle at; law of
       cosines */
    const double dx = d - a * cos(phi), dy = -a * sin(phi), r = hypot(dx, dy);
    const double theta = atan2(dy, dx) + acos((b * b + r * r - c * c) / (2 * b * r));
    const double psi = atan2(a * sin(phi) + b * sin(theta), a * cos(phi) + b * cos(theta) - d);
    /* rates for phi' = 1 from the loop, differentiated and multiplied with the bars' directions */
    const double w = a * sin(phi - psi) / (b * sin(psi - theta));
    const double v = a * sin(phi - theta) / (c * sin(psi - theta));
    return (linkage){rho * (a * a * a / 3 +
                            b * (a * a + a * b * w * cos(phi - theta) + b * b * w * w / 3) +
                            c * c * c * v * v / 3),
                     rho * g *
                         (a * a / 2 * sin(phi) + b * (a * sin(phi) + b / 2 * sin(theta)) +
                          c * c / 2 * sin(psi))};
}

/* dt/dphi on the energy level of the start. */
static double linkage_slowness(double phi, const void *data)
{
    const linkage at = linkage_at(phi);
    return sqrt(at.J / (2.0 * (*(const double *)data - at.V)));
}

/* After the time of one turn, an integral, the crank has turned once and is as fast as at the
   start. */
static void check_four_bar(void)
{
    const linkage start = linkage_at(0.0);
    const double E = 0.5 * start.J * 144.0 + start.V;
    const double period = integrate_period(linkage_slowness, &E, 400);
    assert_near(integrate_period(linkage_slowness, &E, 200), period, 1e-14);
    scripted s = load("four-bar");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    assert_near(scripted_output(&s, "energy"), E, 1e-12 * E);
    for (int turn = 1; turn <= 3; turn++) {
        scripted_advance(&s, turn * period);
        assert_near(scripted_value(&s, "phi"), 2 * PI * turn, 60 * tol);
        assert_near(scripted_value(&s, "der(phi)"), 12.0, 300 * tol);
    }
    scripted_free(&s);
}

/* z'^2 = 2 g (z - z1)(z - z2)(z - z3) / L^2, so z = z1 + (z2 - z1) sn^2; the start is the upper
   turning point z2 = -0.6. */
static void check_spherical_pendulum(void)
{
    const double g = 9.81, z2 = -0.6, momentum = 0.8 * 1.2, E = 0.5 * 1.2 * 1.2 + g * z2;
    const double sum = E / g - z2, product = (momentum * momentum - 2 * E) / (2 * g) / z2;
    const double z1 = 0.5 * sum - sqrt(0.25 * sum * sum - product);
    const double z3 = 0.5 * sum + sqrt(0.25 * sum * sum - product);
    const double rate = sqrt(0.5 * g * (z3 - z1)), m = (z2 - z1) / (z3 - z1);
    scripted s = load("spherical-pendulum");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    for (int t = 1; t <= 10; t++) {
        double K;
        elliptic_sn(0.0, m, &K);
        const double sn = elliptic_sn(K + rate * t, m, &K);
        scripted_advance(&s, t);
        assert_near(scripted_value(&s, "z"), z1 + (z2 - z1) * sn * sn, 7 * tol);
        assert_near(scripted_output(&s, "momentum"), momentum, 50 * tol);
        assert_near(scripted_output(&s, "energy"), E, 100 * tol);
    }
    scripted_free(&s);
}

/* A linear system: (x, v, F) by Taylor's series of the exponential. */
static void check_maxwell(void)
{
    double y[3] = {0.1, 0, 0}, A[3][3] = {{0, 1, 0}, {-20, 0, -1}, {0, 50, -10}};
    scripted s = load("maxwell");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    for (int k = 1; k <= 4; k++) {
        solve_linear(y, A, 0.5);
        scripted_advance(&s, 0.5 * k);
        assert_near(scripted_value(&s, "x"), y[0], tol);
        assert_near(scripted_value(&s, "der(x)"), y[1], 5 * tol);
        assert_near(scripted_value(&s, "F"), y[2], 20 * tol);
    }
    scripted_free(&s);
}

/* A circle of radius r in the valley y = k x^2 that touches at u: its centre. */
typedef struct valley {
    double r, k, g, u0, y0; /* u0, y0: at the turning point */
} valley;

static double centre_height(const valley *v, double u)
{
    return v->k * u * u + v->r / sqrt(1 + 4 * v->k * v->k * u * u);
}

/* dt/dangle with u = u0 sin(angle): 3/4 m |centre'|^2 = m g (y0 - y), as J = m r^2 / 2. */
static double rolling_slowness(double angle, const void *data)
{
    const valley *v = data;
    const double u = v->u0 * sin(angle), slope = 2 * v->k * u, w = sqrt(1 + slope * slope);
    const double speed = (1 - 2 * v->r * v->k / (w * w * w)) * w; /* of the centre, for u' = 1 */
    return speed * fabs(v->u0 * cos(angle)) /
           sqrt(4.0 / 3.0 * v->g * (v->y0 - centre_height(v, u)));
}

/* A circle reaches the bottom after a quarter of its period, an integral. */
static void check_circle_in_valley(void)
{
    valley v = {.r = 0.2, .k = 0.3, .g = 9.81, .u0 = 1.0};
    for (int i = 0; i < 50; i++) { /* the centre lies at x = 1: u = 1 + r sin(slope angle) */
        const double slope = 2 * v.k * v.u0;
        v.u0 = 1.0 + v.r * slope / sqrt(1 + slope * slope);
    }
    v.y0 = centre_height(&v, v.u0);
    const double period = integrate_period(rolling_slowness, &v, 128);
    assert_near(integrate_period(rolling_slowness, &v, 64), period, 5e-13);
    scripted s = load_with("ellipse", (const char *const[]){"a=0.2", NULL});
    scripted_run(&s, 0.25 * period, tol);
    assert_near(scripted_value(&s, "x"), 0.0, tol);
    scripted_advance(&s, 1.75 * period);
    assert_near(scripted_value(&s, "x"), 0.0, 2 * tol);
    assert_near(scripted_output(&s, "contact-x"), 0.0, 2 * tol);
    scripted_free(&s);
}

/* An ellipse on flat ground, angle phi = phi0 sin(angle): its centre has the height
   h = sqrt(a^2 sin^2 + b^2 cos^2) and the distance sqrt(h^2 + h'^2) from the contact point. */
static double rocking_slowness(double angle, const void *data)
{
    const double a = 0.3, b = 0.2, g = 9.81, phi0 = *(const double *)data, phi = phi0 * sin(angle);
    const double h = hypot(a * sin(phi), b * cos(phi)), h0 = hypot(a * sin(phi0), b * cos(phi0));
    const double slope = (a * a - b * b) * sin(phi) * cos(phi) / h;
    const double J = (a * a + b * b) / 4 + h * h + slope * slope;
    return sqrt(J / (2 * g * (h0 - h))) * fabs(phi0 * cos(angle));
}

static void check_ellipse(void)
{
    check_circle_in_valley();

    const double phi0 = 1.0, period = integrate_period(rocking_slowness, &phi0, 256);
    scripted flat = load_with("ellipse", (const char *const[]){"steep=0", NULL});
    scripted_give(&flat, "phi", phi0, true);
    scripted_give(&flat, "s", -2.7, false); /* the lowest point, not the highest */
    scripted_run(&flat, 0.25 * period, tol);
    assert_near(scripted_value(&flat, "phi"), 0.0, 5 * tol);
    scripted_free(&flat);

    scripted s = load("ellipse");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    const double E = scripted_output(&s, "energy");
    scripted_advance(&s, 5.0);
    assert_near(scripted_output(&s, "energy"), E, 20 * tol);
    scripted_free(&s);
}

/* What an event callback notes. */
typedef struct noted {
    scripted *s;
    int count, event[10];
    double t[10];
} noted;

static int events_of(double *value, double t, const double *x, void *user)
{
    dfl_runnable_events(value, ((noted *)user)->s->run, t, x);
    return 0;
}

static int note_event(int event, int direction, double t, const double *x, void *user)
{
    noted *note = user;
    (void)direction, (void)x;
    assert_true(note->count < 10);
    note->event[note->count] = event;
    note->t[note->count++] = t;
    return 0;
}

static const dfl_event_kind cam_events[3] = {{1, false}, {-1, false}, {0, true}};

/* The valve follows the table; it opens and closes at entries of the table. */
static void check_cam(void)
{
    const double lift[10] = {0, .0003, .0012, .0035, .0071, .0071, .0035, .0012, .0003, 0};
    scripted s = load("cam");
    noted note = {.s = &s};
    const dfl_solver_options options = {.rtol = tol,
                                        .atol = 1e-12,
                                        .events.count = 3,
                                        .events.eval = events_of,
                                        .events.kinds = cam_events,
                                        .events.on_event = note_event,
                                        .user = &note};
    scripted_start(&s, &options);
    for (int i = 0; i < 10; i++) {
        scripted_advance(&s, 20.0 * i / 7200.0);
        assert_near(scripted_value(&s, "y"), lift[i], 1e-15);
    }
    assert_int_equal(note.count, 2);
    assert_true(note.event[0] == 0 && note.event[1] == 1);
    assert_near(note.t[0], 40.0 / 7200.0, 1e-9);
    assert_near(note.t[1], 140.0 / 7200.0, 1e-9);
    scripted_free(&s);

    /* two and a half times as fast, inertia wins against the spring: k (y + preload) < -m y'' */
    s = load_with("cam", (const char *const[]){"rpm=3000", NULL});
    note = (noted){.s = &s};
    scripted_start(&s, &options);
    assert_int_equal(dfl_solver_advance(s.solver, 0.01), DFL_STOPPED);
    assert_int_equal(note.event[note.count - 1], 2);
    assert_between(note.t[note.count - 1] * 18000.0, 60.0, 90.0);
    scripted_free(&s);
}

/* A constant push F: the momentum along the rail is F t, the energy grows by the work F x. */
static void check_crane(void)
{
    scripted s = load_with("crane", (const char *const[]){"push=20", NULL});
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    for (int t = 1; t <= 10; t++) {
        scripted_advance(&s, t);
        const double v = scripted_value(&s, "der(x)"), w = scripted_value(&s, "der(phi)");
        const double phi = scripted_value(&s, "phi"), x = scripted_value(&s, "x");
        assert_near(15 * v + 5 * 3 * w * cos(phi), 20.0 * t, 1000 * tol);
        assert_near(dfl_runnable_energy(s.run, t, s.x) + 5 * 9.81 * 3, 20.0 * x, 300 * tol * x);
    }
    scripted_free(&s);
}

/* The face is as high as the ellipse's highest point, sqrt(a^2 sin^2 q + b^2 cos^2 q); one degree
   of freedom. */
static void check_cam_follower(void)
{
    const double a = 0.05, b = 0.03, k = 2000, preload = 0.03;
    const double E = 0.5 * 0.01 * 400 + 0.5 * k * preload * preload;
    scripted s = load("cam-follower");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = 1e-12});
    for (int i = 1; i <= 5; i++) {
        scripted_advance(&s, 0.2 * i);
        const double q = scripted_value(&s, "axle.q"), v = scripted_value(&s, "der(axle.q)");
        const double h = hypot(a * sin(q), b * cos(q)), lift = scripted_value(&s, "guide.q");
        const double slope = (a * a - b * b) * sin(q) * cos(q) / h;
        assert_near(lift, h - b, 1e-13);
        assert_near(0.5 * (0.01 + 0.2 * slope * slope) * v * v +
                        0.5 * k * (lift + preload) * (lift + preload),
                    E, 200 * tol);
        assert_near(scripted_output(&s, "energy"), E, 200 * tol);
    }
    scripted_free(&s);
}

/* x = sin(w t) / w with the mass m + (J2 + i^2 J1) / r^2. */
static void check_gear_rack(void)
{
    const double r = 0.03, i = 4, mass = 3 + (5e-3 + i * i * 2e-4) / (r * r), w = sqrt(500 / mass);
    scripted s = load("gear-rack");
    scripted_start(&s, &(dfl_solver_options){.rtol = tol});
    for (int t = 1; t <= 2; t++) {
        scripted_advance(&s, t);
        assert_near(scripted_value(&s, "slide.q"), sin(w * t) / w, 100 * tol);
        assert_near(scripted_value(&s, "motor.q"), -i * sin(w * t) / w / r, 1e4 * tol);
        /* what turns the wheels: -lambda is the force on the rack */
        const double push = -3 * w * sin(w * t) + 500 * sin(w * t) / w;
        assert_near(scripted_value(&s, "lambda(teeth)"), -push, 1e4 * tol);
    }
    scripted_free(&s);
}

/* v' = 2/7 W e_z x v: a circle of radius v / w with w = 2 W / 7, once round and half round. The
   ball turns thirty radians per second against the table; where Newton's iteration limits the steps
   of a high order, the order falls instead of every second step failing. */
static void check_turntable(void)
{
    const double w = 2.0 * 3 / 7, radius = 0.2 / w;
    scripted s = load("turntable");
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8});
    for (int half = 1; half <= 2; half++) {
        const double t = half * 3.14159265358979323846 / w;
        scripted_advance(&s, t);
        assert_near(scripted_value(&s, "f.q1"), 0.0, 1e-6);
        assert_near(scripted_value(&s, "f.q2"), half == 1 ? 2 * radius : 0.0, 1e-6);
    }
    const dfl_statistics stats = dfl_solver_statistics(s.solver);
    assert_true(4 * stats.rejected_newton < stats.accepted);
    scripted_free(&s);
}

/* A straight wire, half as steep as a fall. */
static void check_brachistochrone(void)
{
    scripted s = load("brachistochrone");
    scripted_run(&s, 0.6, tol);
    assert_near(scripted_value(&s, "y"), -9.81 * 0.36 / 4, 100 * tol);
    assert_near(scripted_value(&s, "x"), 9.81 * 0.36 / 4, 100 * tol);
    scripted_free(&s);
}

/* Driven linkages: where the point of the coupler is follows from the crank's angle. */
static void check_linkage(const char *name, const four_bar *at, double first, const char *x,
                          const char *y, double height)
{
    scripted s = load(name);
    double want[2];
    scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol});
    for (int i = 1; i <= 3; i++) {
        scripted_advance(&s, i);
        coupler_point(want, at, first + i);
        assert_near(scripted_output(&s, x), want[0], 100 * tol);
        assert_near(scripted_output(&s, y), want[1] - height, 100 * tol);
    }
    scripted_free(&s);
}

static void check_coupler_curve(void)
{
    const four_bar at = {.r = 0.8, .c = 3.6, .d = 4.2, .ground = 4, .u = 1.2, .v = 1.44};
    check_linkage("coupler-curve", &at, 0, "px", "py", 0);
}

static void check_straight_line(void)
{
    const four_bar at = {.r = 1, .c = 3, .d = 3, .ground = 2, .u = 4, .v = 0.5};
    check_linkage("straight-line", &at, asin(1.0), "x", "off", 4);
}

/* ------------------------------------------------------------ the folder */

static const struct {
    const char *name;
    void (*check)(void);
} checks[] = {
    {"andrews", check_andrews},
    {"arm-pid", check_arm_pid},
    {"cam", check_cam},
    {"cam-follower", check_cam_follower},
    {"car-axis", check_car_axis},
    {"chain", check_chain},
    {"coupler-curve", check_coupler_curve},
    {"crane", check_crane},
    {"double-pendulum", check_double_pendulum},
    {"ellipse", check_ellipse},
    {"four-bar", check_four_bar},
    {"friction", check_friction},
    {"gear-rack", check_gear_rack},
    {"heavy-top", check_heavy_top},
    {"massless-node", check_massless_node},
    {"brachistochrone", check_brachistochrone},
    {"maxwell", check_maxwell},
    {"pendulum", check_pendulum},
    {"rolling-disk", check_rolling_disk},
    {"sleigh", check_sleigh},
    {"elastic-rod", check_elastic_rod},
    {"portal-crane", check_portal_crane},
    {"blade", check_blade},
    {"slider-crank", check_slider_crank},
    {"spherical-pendulum", check_spherical_pendulum},
    {"straight-line", check_straight_line},
    {"suspension", check_suspension},
    {"turntable", check_turntable},
};
enum { CHECKS = sizeof checks / sizeof *checks };

static void every_example_reaches_independent_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < CHECKS; i++) {
        print_message("  %s\n", checks[i].name);
        checks[i].check();
    }
}

static void every_example_passes_the_self_check_and_runs_with_its_own_settings(void **state)
{
    (void)state;
    for (int i = 0; i < CHECKS; i++)
        check_own_settings(checks[i].name);
}

static bool is_file_of(const char *file, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(file, name, length) == 0 && strcmp(file + length, ".lua") == 0;
}

static bool is_checked(const char *file)
{
    for (int i = 0; i < CHECKS; i++)
        if (is_file_of(file, checks[i].name))
            return true;
    for (int i = 0; i < DRAWN_EXAMPLES; i++)
        if (is_file_of(file, drawn_examples[i]))
            return true;
    for (int i = 0; i < SWITCHING_EXAMPLES; i++)
        if (is_file_of(file, switching_examples[i]))
            return true;
    return is_file_of(file, truck_seat) || is_file_of(file, train);
}

static void every_file_of_the_folder_has_a_check(void **state)
{
    (void)state;
    DIR *folder = opendir(DFL_SOURCE_DIR "/examples");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending && strcmp(ending, ".lua") == 0 && !is_checked(entry->d_name))
            fail_msg("examples/%s has no check; example.h lists where they are", entry->d_name);
    }
    closedir(folder);
}

static void every_example_opens_with_three_lines_of_comment(void **state)
{
    (void)state;
    for (int i = 0; i < CHECKS; i++)
        check_opening(checks[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_reaches_independent_numbers),
        cmocka_unit_test(every_example_passes_the_self_check_and_runs_with_its_own_settings),
        cmocka_unit_test(every_file_of_the_folder_has_a_check),
        cmocka_unit_test(every_example_opens_with_three_lines_of_comment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
