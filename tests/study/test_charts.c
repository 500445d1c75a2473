/* Local coordinates that no longer determine the motion: a run renews them, or ends with a message
   if the user fixed them; it never goes on along another branch. Every integrator that can run the
   form, several tolerances and fixed steps. References are runs in the form psf, which has no
   such coordinates, with a tolerance of 1e-11; the circle's solution is known. */
#include "scripted.h"

#include <math.h>

/* Kurz, Burkhardt, Eberhard (2011), section 5: counted from the slider, y = (x, alpha, beta), loop
   closed at the crank's bearing. The rod turns back, alpha' = 0, at t = 0.754. */
static const char slider[] =
    "local L, R, ms, mr, mc = 1, 0.5, 1, 0.8, 0.6\n"
    "local x, alpha, beta = position('x', 'alpha', 'beta')\n"
    "local vx, va, vb = velocity(x, alpha, beta)\n"
    "local th = alpha + beta\n"
    "local px, py = x + L*cos(alpha), L*sin(alpha)\n"
    "local function ke(m, len, ux, uy, angle, w)\n"
    "  local gx, gy = ux - len/2*sin(angle)*w, uy + len/2*cos(angle)*w\n"
    "  return m/2*(gx^2 + gy^2) + m*len^2/24*w^2\n"
    "end\n"
    "kinetic(ms/2*vx^2 + ke(mr, L, vx, 0, alpha, va)\n"
    "        + ke(mc, R, vx - L*sin(alpha)*va, L*cos(alpha)*va, th, va + vb))\n"
    "constraint('cx', px + R*cos(th))\n"
    "constraint('cy', py + R*sin(th))\n"
    "initial{ [beta] = 0.8, [vb] = 2.5 }\n"
    "guess{ x = -1.2, alpha = 0.4 }\n";

/* Steinbrecher (2002), section 6: p1 = sin t, p2 = cos t. */
static const char circle[] = "local p1, p2 = position('p1', 'p2')\n"
                             "local v1, v2 = velocity(p1, p2)\n"
                             "mass(p1, 1) mass(p2, 1)\n"
                             "force(p1, -p1 - 2*p1*v1*v2)\n"
                             "force(p2, -v1 + 2*p1*p2^2)\n"
                             "constraint('circle', p1^2 + p2^2 - 1)\n"
                             "initial{ p1 = 0, p2 = 1, [v1] = 1, [v2] = 0 }\n";

/* A pendulum that starts at the bottom and swings up to `th` degrees. x turns back at 90. */
static const char pendulum[] = "local th = param('th', 89)\n"
                               "local x, y = position('x', 'y')\n"
                               "kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
                               "potential(9.81*y)\n"
                               "constraint('rod', x^2 + y^2 - 1)\n"
                               "initial{ x = 0, y = -1, [velocity(y)] = 0,\n"
                               "         [velocity(x)] = sqrt(19.62*(1 - cos(th*pi/180))) }\n";

/* A spherical pendulum that swings over the horizontal plane, where z turns back for x, y. */
static const char sphere[] = "local x, y, z = position('x', 'y', 'z')\n"
                             "kinetic((velocity(x)^2 + velocity(y)^2 + velocity(z)^2)/2)\n"
                             "potential(9.81*z)\n"
                             "constraint('rod', x^2 + y^2 + z^2 - 1)\n"
                             "initial{ x = 0.6, y = 0, z = -0.8, [velocity(x)] = 3.2,\n"
                             "         [velocity(y)] = 2.5 }\n";

/* Two cranks and two couplers: a five-bar with two degrees of freedom. The second crank turns
   round; the position of the couplers' joint does not determine it where crank and coupler are in
   line. */
static const char five_bar[] =
    "local a, b, x, y = position('a', 'b', 'x', 'y')\n"
    "local va, vb, vx, vy = velocity(a, b, x, y)\n"
    "kinetic((va^2 + vb^2)/6 + 0.4*(vx^2 + vy^2))\n"
    "constraint('left', (x - cos(a))^2 + (y - sin(a))^2 - 2.25)\n"
    "constraint('right', (x - 1.5 - 0.5*cos(b))^2 + (y - 0.5*sin(b))^2 - 2.25)\n"
    "initial{ a = 1.9, b = 0.4, [va] = 0.1, [vb] = 4 }\n"
    "guess{ x = 1, y = 1.6 }\n";

/* A circle that is said twice: redundant constraints. */
static const char doubled[] = "local p1, p2 = position('p1', 'p2')\n"
                              "local v1, v2 = velocity(p1, p2)\n"
                              "mass(p1, 1) mass(p2, 1)\n"
                              "constraint('circle', p1^2 + p2^2 - 1)\n"
                              "constraint('again', 2*p1^2 + 2*p2^2 - 2)\n"
                              "initial{ p1 = 0, p2 = 1, [v1] = 1, [v2] = 0 }\n";

/* A body that turns freely with 20 rad/s, almost about its third axis: Z is not the identity, and
   q0 follows from q1, q2, q3 by the length of the quaternion up to half a turn. A mass in
   a guide follows it. */
static const char body[] = "local x, q0, q1, q2, q3 = position('x', 'q0', 'q1', 'q2', 'q3')\n"
                           "local w1, w2, w3 = speed('w1', 'w2', 'w3')\n"
                           "kinematics(q0, (-q1*w1 - q2*w2 - q3*w3)/2)\n"
                           "kinematics(q1, ( q0*w1 - q3*w2 + q2*w3)/2)\n"
                           "kinematics(q2, ( q3*w1 + q0*w2 - q1*w3)/2)\n"
                           "kinematics(q3, (-q2*w1 + q1*w2 + q0*w3)/2)\n"
                           "kinetic(velocity(x)^2/2)\n"
                           "mass(w1, 1) mass(w2, 1) mass(w3, 0.4)\n"
                           "force(w1, 0.6*w2*w3) force(w2, -0.6*w3*w1)\n"
                           "constraint('guide', x - q1*q3 - q0*q2)\n"
                           "invariant('length', q0^2 + q1^2 + q2^2 + q3^2)\n"
                           "initial{ q0 = 1, q1 = 0, q2 = 0, q3 = 0, w1 = 0.3, w2 = 0, w3 = 20 }\n";

static const char *const methods[] = {"explicit-pair", "radau",       "radau5",  "radau13",
                                      "bdf",           "trapezoidal", "midpoint"};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct outcome {
    dfl_status status;
    double t, x[12];
    char message[400];
    dfl_statistics stats;
} outcome;

/* A run with settings as the command line has them: name, value, name, ..., NULL. */
static outcome run_model(const char *text, double to, const char *const *settings)
{
    scripted s = scripted_text(text);
    dfl_settings resolved;
    dfl_choices choices = dfl_choices_none("--");
    for (int i = 0; settings[i]; i += 2) {
        const int number = dfl_setting_find(settings[i]);
        assert_true(number >= 0);
        const dfl_setting_kind kind = dfl_setting_at(number)->kind;
        if (kind == DFL_SETTING_WORD || kind == DFL_SETTING_TEXT)
            choices.text[number] = settings[i + 1];
        else
            choices.number[number] = atof(settings[i + 1]);
    }
    scripted_expect(&s, dfl_settings_resolve(&resolved, &choices, s.run));
    outcome out = {.status = scripted_try_start(&s, &resolved.solver)};
    if (!out.status)
        out.status = dfl_solver_advance(s.solver, to);
    snprintf(out.message, sizeof out.message, "%s", dfl_message(s.ctx));
    out.t = dfl_solver_time(s.solver);
    out.stats = dfl_solver_statistics(s.solver);
    assert_true(s.eq->n <= 12);
    memcpy(out.x, dfl_solver_state(s.solver), (size_t)s.eq->n * sizeof(double));
    scripted_free(&s);
    return out;
}

static void assert_at_most(double value, double bound, const char *what)
{
    if (!(value <= bound))
        fail_msg("%s: %g exceeds %g", what, value, bound);
}

static outcome reference(const char *text, double to)
{
    const char *const settings[] = {"rtol", "1e-11", NULL};
    const outcome out = run_model(text, to, settings);
    assert_int_equal(out.status, DFL_OK);
    return out;
}

/* The largest difference of positions and velocities, which come after the multipliers. */
static double difference(const outcome *a, const outcome *b, int multipliers, int n)
{
    double largest = 0;
    for (int i = multipliers; i < n; i++)
        largest = fmax(largest, fabs(a->x[i] - b->x[i]));
    return largest;
}

/* A run with fixed coordinates that ended: the message names the coordinates, the time and what to
   do; the last state is one of the motion. */
static void assert_ended(const outcome *r, const char *text, const char *independent, double t_end,
                         int multipliers, int n, double tolerance)
{
    char start[80];
    snprintf(start, sizeof start, "the independent coordinates %s do not determine", independent);
    assert_int_equal(r->status, DFL_SINGULAR);
    if (!strstr(r->message, start) || !strstr(r->message, "leave `independent` out"))
        fail_msg("unexpected message: %s", r->message);
    const char *at = strstr(r->message, "t = ");
    assert_non_null(at);
    if (!(fabs(atof(at + 4) - t_end) < 0.02))
        fail_msg("the chart ends at %g: %s", t_end, r->message);
    assert_true(r->t <= t_end + 0.02);
    if (r->t > 0) {
        const outcome exact = reference(text, r->t);
        assert_at_most(difference(r, &exact, multipliers, n), tolerance, "the last state");
    }
}

/* Errors of positions and velocities may be 100 times the tolerance of methods of higher order on
   these short motions, and are amplified by the inverse of the quality, 100, at the end; the rules
   of order 2 and BDF lose more. */
static double allowed(const char *method, double rtol)
{
    return method[0] == 'r' || method[0] == 'e' ? 1e4 * rtol : 1e5 * rtol;
}

typedef struct bad_choice {
    const char *name, *text, *independent, *speeds;
    double to, t_end; /* of the run; of the chart */
    int multipliers, n;
} bad_choice;

static const bad_choice bad[] = {{"slider", slider, "alpha", "", 40, 0.75464, 2, 8},
                                 {"circle", circle, "p1", "", 5, 1.570796, 1, 5},
                                 {"pendulum", pendulum, "y", "", 1, 0, 1, 5},
                                 {"sphere", sphere, "x, y", "", 2, 0.2834, 1, 7},
                                 {"five-bar", five_bar, "x, y", "", 4, 0.33954, 2, 10},
                                 {"doubled", doubled, "p1", "", 5, 1.570796, 2, 6},
                                 {"body", body, "q1, q2, q3", ",w1,w2,w3", 1, 0.157, 1, 10}};
enum { BAD = sizeof bad / sizeof *bad };

static void fixed_coordinates_end_with_their_chart(void **state)
{
    (void)state;
    static const char *const tolerances[] = {"1e-3", "1e-5", "1e-7"};
    for (int i = 0; i < BAD; i++)
        for (int m = 0; m < METHODS; m++)
            for (int k = 0; k < 3; k++) {
                char names[30] = "";
                for (const char *c = bad[i].independent; *c; c++)
                    if (*c != ' ')
                        strncat(names, c, 1);
                strcat(names, bad[i].speeds);
                if (bad[i].speeds[0] && m == 0)
                    continue; /* explicit methods need p' = v */
                const char *const settings[] = {
                    "form", "partition",   "independent", names,    "method", methods[m],
                    "rtol", tolerances[k], "max_steps",   "200000", NULL};
                const outcome r = run_model(bad[i].text, bad[i].to, settings);
                print_message("%s %s %s: t = %.4f, %ld steps\n", bad[i].name, methods[m],
                              tolerances[k], r.t, r.stats.accepted);
                assert_ended(&r, bad[i].text, bad[i].independent, bad[i].t_end, bad[i].multipliers,
                             bad[i].n, allowed(methods[m], atof(tolerances[k])));
            }
}

/* Newton's iteration converges to rounding, so each step is what the method makes of it. */
static void fixed_coordinates_end_with_their_chart_in_fixed_steps(void **state)
{
    (void)state;
    static const char *const sizes[] = {"0.1", "0.013", "0.001"};
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < METHODS; m++)
            for (int k = 0; k < 3; k++) {
                const char *const settings[] = {
                    "form",   "partition", "independent", bad[i].independent,
                    "method", methods[m],  "fixed_step",  sizes[k],
                    "rtol",   "1e-8",      NULL};
                const outcome r = run_model(bad[i].text, bad[i].to, settings);
                if (r.status == DFL_NOT_CONVERGED && strstr(r.message, "has not converged"))
                    continue; /* a long step, also a message */
                assert_int_equal(r.status, DFL_SINGULAR);
                assert_non_null(strstr(r.message, "do not determine the motion"));
                assert_true(r.t < bad[i].t_end + 0.1);
            }
}

/* The same motions with coordinates that are chosen anew, or rows that are. */
static void chosen_coordinates_are_renewed(void **state)
{
    (void)state;
    static const char *const forms[][2] = {
        {"partition", "orthogonal"}, {"tangent", "orthogonal"}, {"psf", "unit"}, {"psi1", "unit"}};
    const struct {
        const char *text;
        double to;
        int multipliers, n;
    } motions[] = {{slider, 6, 2, 8}, {circle, 5, 1, 5}, {sphere, 2, 1, 7}, {five_bar, 4, 2, 10}};
    for (int i = 0; i < 4; i++) {
        const outcome exact = reference(motions[i].text, motions[i].to);
        for (int f = 0; f < 4; f++)
            for (int m = 0; m < METHODS; m++) {
                if (f > 1 && m == 0)
                    continue; /* explicit methods have no selectors */
                if (f == 3 && m == 5)
                    continue; /* multipliers of index 2 alternate (docs/numerics.md) */
                const char *const settings[] = {"form",      forms[f][0], "selectors",
                                                forms[f][1], "method",    methods[m],
                                                "rtol",      "1e-7",      NULL};
                const outcome r = run_model(motions[i].text, motions[i].to, settings);
                if (r.status)
                    fail_msg("motion %d, %s, %s: %s", i, forms[f][0], methods[m], r.message);
                const double error = difference(&r, &exact, motions[i].multipliers, motions[i].n);
                print_message("motion %d %s %s: %.1e, %ld steps\n", i, forms[f][0], methods[m],
                              error, r.stats.accepted);
                assert_at_most(error, m < 4 ? 1e-4 : 5e-3, "error");
            }
    }
}

/* Up to 89.9 degrees x determines y, though at last it hardly moves. */
static void coordinates_serve_as_long_as_they_determine_the_motion(void **state)
{
    (void)state;
    static const double amplitudes[] = {60, 89, 89.9};
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s", pendulum);
        char *number = strstr(text, "89)");
        snprintf(number, sizeof text - (size_t)(number - text), "%g)%s", amplitudes[i],
                 strstr(pendulum, "89)") + 3);
        const outcome exact = reference(text, 5);
        for (int m = 0; m < METHODS; m++) {
            const char *const settings[] = {"form",     "partition", "independent", "x", "method",
                                            methods[m], "rtol",      "1e-7",        NULL};
            const outcome r = run_model(text, 5, settings);
            if (r.status)
                fail_msg("%g degrees, %s: %s", amplitudes[i], methods[m], r.message);
            assert_at_most(difference(&r, &exact, 1, 5), m < 4 ? 1e-4 : 2e-2, "error");
        }
    }
}

/* 40 s of the slider-crank with beta, which always determines it, against the crank's angle. */
static void a_good_choice_is_never_refused(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        const char *const settings[] = {"form",     "partition", "independent", "beta", "method",
                                        methods[m], "rtol",      "1e-6",        NULL};
        const outcome r = run_model(slider, 40, settings);
        assert_int_equal(r.status, DFL_OK);
        assert_true(fabs(r.x[6] + r.x[7] - 71.7432) < 0.02); /* alpha + beta */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_coordinates_end_with_their_chart),
        cmocka_unit_test(fixed_coordinates_end_with_their_chart_in_fixed_steps),
        cmocka_unit_test(chosen_coordinates_are_renewed),
        cmocka_unit_test(coordinates_serve_as_long_as_they_determine_the_motion),
        cmocka_unit_test(a_good_choice_is_never_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
