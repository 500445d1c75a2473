/* Contacts, impacts and friction that sticks, against closed forms. */
#include "met_events.h"

static const double tolerances[] = {1e-6, 1e-8, 1e-10};
enum { TOLERANCES = 3 };

static void a_ball_bounces_and_comes_to_rest(void **state)
{
    (void)state;
    static const double impacts[] = {.4515236409857309, 1.1739614665629004, 1.7519117270246359};
    const double zeno = 4.0637127688715781;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i];
        scripted s = met_begin(&m,
                               "local y = position('y') mass(y, 1) force(y, -9.81)\n"
                               "local c = unilateral('floor', y, { restitution = 0.8 })\n"
                               "output('N', c.f) output('mode', c.mode)\n"
                               "initial{ y = 1, ['der(y)'] = 0 }\n",
                               tol);
        scripted_advance(&s, 3);
        assert_int_equal(m.count, 6);
        for (int k = 0; k < 3; k++)
            assert_near(m.time[k], impacts[k], 10 * tol);
        assert_near(scripted_value(&s, "y"), .068707460965765722, 100 * tol);
        scripted_advance(&s, 6);
        assert_near(m.time[9], 3.5788929510204383, 100 * tol);
        assert_near(scripted_value(&s, "y"), 0, 100 * tol);
        assert_near(scripted_output(&s, "N"), 9.81, 1e-9);
        assert_near(scripted_output(&s, "mode"), 1, 0);
        const double speed = sqrt(2 * 9.81 * 10 * tol); /* of the last rebound, at most */
        assert_true(m.time[m.count - 1] > zeno - 2 * speed / (9.81 * 0.2) &&
                    m.time[m.count - 1] < zeno);
        scripted_free(&s);
    }
}

/* Turning points lose 2 F. */
static void dry_friction_stops_an_oscillator(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i];
        for (int k = 0; k < 2; k++) {
            char text[300];
            snprintf(text, sizeof text,
                     "local x = position('x') mass(x, 1) force(x, -x)\n"
                     "friction('dry', x, { load = 0.1, static = %s })\n"
                     "initial{ x = 1.05, ['der(x)'] = 0 }\n",
                     k ? "3" : "1");
            scripted s = met_begin(&m, text, tol);
            scripted_advance(&s, 4);
            assert_near(scripted_value(&s, "x"), -.59023271564770894, 100 * tol);
            assert_near(scripted_value(&s, "der(x)"), .56760187148094619, 100 * tol);
            scripted_advance(&s, 30);
            assert_near(scripted_value(&s, "x"), k ? 0.25 : -0.05, 100 * tol);
            assert_near(scripted_value(&s, "der(x)"), 0, tol);
            assert_near(scripted_value(&s, "mu(dry)"), k ? -0.25 : 0.05, 100 * tol);
            scripted_free(&s);
        }
    }
}

static void a_block_breaks_away(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        scripted s =
            met_begin(&m,
                      "local x = position('x') mass(x, 1) force(x, 2*time)\n"
                      "local f = friction('dry', x, { load = 1, coefficient = 0.8, static = 1 })\n"
                      "event('slips', f.mode - 0.5)\n",
                      tolerances[i]);
        scripted_advance(&s, 2);
        assert_near(scripted_value(&s, "der(x)"), 2.55, 100 * tolerances[i]);
        assert_near(scripted_value(&s, "x"), 1.35, 100 * tolerances[i]);
        scripted_free(&s);
    }
}

/* 3 m/s uphill on a slope of 0.3 rad; N is the multiplier of the slope. */
static void a_block_on_a_slope(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++)
        for (int k = 0; k < 2; k++) {
            const double tol = tolerances[i];
            char text[500];
            snprintf(
                text, sizeof text,
                "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                "force(x, -9.81*sin(0.3)) force(y, -9.81*cos(0.3))\n"
                "unilateral('slope', y, { friction = 0.25, static = %s, slip = velocity(x) })\n"
                "initial{ x = 0, y = 0, ['der(x)'] = 3, ['der(y)'] = 0 }\n",
                k ? "0.28" : "0.4");
            scripted s = met_begin(&m, text, tol);
            scripted_advance(&s, 2);
            assert_near(scripted_value(&s, "x"), k ? .29170028061728424 : .85844835811076409,
                        100 * tol);
            assert_near(scripted_value(&s, "der(x)"), k ? -.79393099807787806 : 0, 100 * tol);
            assert_near(scripted_value(&s, "lambda(slope)"), -9.81 * cos(0.3), 1e-8);
            scripted_free(&s);
        }
}

/* A bead in a bowl of radius 1: N is the multiplier of the bowl. */
static void a_bead_in_a_bowl(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i];
        scripted s = met_begin(
            &m,
            "local x, y = position('x', 'y') mass(x, 1) mass(y, 1) force(y, -9.81)\n"
            "local bowl = constraint('bowl', (x^2 + y^2 - 1)/2)\n"
            "friction('rub', atan2(x, -y), { load = multiplier(bowl), coefficient = 0.2,\n"
            "  static = 0.25 })\n"
            "initial{ x = 1, y = 0, ['der(x)'] = 0, ['der(y)'] = 0 }\n",
            tol);
        scripted_advance(&s, 4);
        const double angle = atan2(scripted_value(&s, "x"), -scripted_value(&s, "y"));
        assert_near(fabs(angle), .09404817815809761, 100 * tol);
        assert_near(scripted_value(&s, "der(x)"), 0, tol);
        scripted_free(&s);
    }
}

/* A mass on a belt that moves with 0.2, held by a spring. */
static void a_belt_sticks_and_slips(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i];
        scripted s =
            met_begin(&m,
                      "local x = position('x') mass(x, 1) force(x, -x)\n"
                      "local f = friction('belt', x - 0.2*time, { load = 1, coefficient = 0.6,\n"
                      "  static = 1 })\n"
                      "event('turn', velocity(x), { direction = 'rising' })\n"
                      "initial{ x = 0, ['der(x)'] = 0.2 }\n",
                      tol);
        scripted_advance(&s, 60);
        assert_true(m.count > 4);
        assert_near(m.time[m.count - 1] - m.time[m.count - 3], 8.0688878715914055, 100 * tol);
        scripted_free(&s);
    }
}

/* The same with a Stribeck curve and a damper. */
static void a_belt_with_falling_friction(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i];
        scripted s =
            met_begin(&m,
                      "local x = position('x') mass(x, 1) force(x, -x - 0.05*velocity(x))\n"
                      "friction('belt', x - 0.2*time, { load = 1,\n"
                      "  coefficient = 0.6 + 0.4*exp(-abs(velocity(x) - 0.2)/0.5) })\n"
                      "event('turn', velocity(x), { direction = 'rising' })\n"
                      "initial{ x = 0, ['der(x)'] = 0.2 }\n",
                      tol);
        scripted_advance(&s, 60);
        assert_near(m.time[m.count - 1] - m.time[m.count - 3], 7.833546521282824, 100 * tol);
        scripted_free(&s);
    }
}

static void a_clutch_locks_and_unlocks(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i];
        scripted s = met_begin(&m,
                               "local a, b = position('a', 'b') mass(a, 2) mass(b, 3)\n"
                               "force(a, 40) force(b, -10 - 20*max(0, time - 8))\n"
                               "friction('clutch', a - b, { load = 50, static = 1.2 })\n"
                               "initial{ a = 0, b = 0, ['der(a)'] = 100, ['der(b)'] = 0 }\n",
                               tol);
        scripted_advance(&s, 7);
        assert_near(scripted_value(&s, "der(a)"), 72.727272727272727 + 6 * (7 - 60.0 / 11),
                    100 * 100 * tol);
        assert_near(scripted_value(&s, "mu(clutch)"), 28, 1e-6);
        scripted_advance(&s, 13);
        assert_near(scripted_value(&s, "der(a)"), 75, 100 * 100 * tol);
        assert_near(scripted_value(&s, "der(b)"), 63.333333333333333, 100 * 100 * tol);
        scripted_free(&s);
    }
}

/* A wall is hit with u = 2.4 mm/s, 5e-6 before the mass would turn back: within ten tolerances of
   the gap, but not of the velocity. */
static void a_wall_within_the_noise(void **state)
{
    (void)state;
    const double before = sqrt(1.2 * (1 + 5e-6)), u = sqrt(1.2 * 5e-6), t = (before - u) / 0.6;
    for (int k = 0; k < 3; k++) {
        met m;
        char text[300];
        snprintf(text, sizeof text,
                 "local x = position('x') mass(x, 1) force(x, 0.6)\n"
                 "unilateral('wall', x, { restitution = 0.8 })\n"
                 "initial{ x = 1, ['der(x)'] = %.17g }\n",
                 -before);
        scripted s = met_begin(&m, text, tolerances[k]);
        scripted_advance(&s, 4);
        assert_int_equal(m.count, 1);
        assert_near(scripted_value(&s, "der(x)"), 0.8 * u + 0.6 * (4 - t), 10 * tolerances[k]);
        scripted_free(&s);
    }
}

/* Two masses with a gap of 0.1 between them. */
static void backlash(void **state)
{
    (void)state;
    static const double times[] = {.05,
                                   .21666666666666667,
                                   .49444444444444444,
                                   .95740740740740741,
                                   1.7290123456790123,
                                   3.0150205761316872};
    met m;
    scripted s =
        met_begin(&m,
                  "local a, b = position('a', 'b') mass(a, 1) mass(b, 3)\n"
                  "stop('gap', a - b, { lower = -0.05, upper = 0.05, restitution = 0.6 })\n"
                  "initial{ a = 0, b = 0, ['der(a)'] = 1, ['der(b)'] = 0 }\n",
                  1e-8);
    scripted_advance(&s, 3.1);
    assert_int_equal(m.count, 6);
    for (int k = 0; k < 6; k++)
        assert_near(m.time[k], times[k], 1e-7);
    assert_near(scripted_value(&s, "der(a)"), .284992, 1e-9);
    assert_near(scripted_value(&s, "der(b)"), .238336, 1e-9);
    scripted_free(&s);
}

/* A box that falls flat rebounds flat: with v = -3, e = 0.5 it rises with 1.5, and slip s that goes
   on loses mu (1 + e) 3. Two edges in a plane, four corners in space; what turns it is seen at
   once. */
static void a_box_that_falls_flat(void **state)
{
    (void)state;
    static const struct {
        double friction, slip, after;
    } cases[] = {{0, 1, 1}, {0.3, 0, 0}, {0.2, 2, 2 - 0.2 * 4.5}};
    for (int way = 0; way < 2; way++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const char *const box =
                way == 0
                    ? "planar() local b = body('b', {mass = 1, com = {0, 1.5}, inertia = 0.1})\n"
                      "local j = free('j', ground, b, {at = {0, 1.5}})\n"
                      "for k, x in ipairs{-0.3, 0.3} do impact('c'..k, ground, b, {at = {x, 1}, "
                      "plane = "
                      "{0, 0}, normal = {0, 1}, restitution = 0.5, friction = %g}) end\n"
                      "initial{['der(j.q1)'] = %g, ['der(j.q2)'] = -3, ['der(j.q3)'] = 0}\n"
                    : "local b = body('b', {mass = 1, com = {0, 0, 1.5}, inertia = {.1, .2, "
                      ".15}})\n"
                      "local j = free('j', ground, b, {at = {0, 0, 1.5}})\n"
                      "for k = 1, 4 do impact('c'..k, ground, b, {at = {k < 3 and -0.3 or 0.3, k "
                      "%% 2 - 0.5, 1}, "
                      "plane = {0, 0, 0}, normal = {0, 0, 1}, restitution = 0.5, friction = %g}) "
                      "end\n"
                      "initial{['j.v1'] = %g, ['j.v2'] = 0, ['j.v3'] = -3, ['j.w1'] = 0, ['j.w2'] "
                      "= 0, ['j.w3'] = "
                      "0}\n";
            char text[2000];
            met m;
            snprintf(text, sizeof text, box, cases[i].friction, cases[i].slip);
            scripted s = met_begin(&m, text, 1e-8);
            scripted_advance(&s, 0.5);
            assert_int_equal(m.count, way == 0 ? 2 : 4);
            assert_near(scripted_value(&s, way == 0 ? "der(j.q2)" : "j.v3"), 1.5, 1e-9);
            assert_near(scripted_value(&s, way == 0 ? "der(j.q1)" : "j.v1"), cases[i].after, 1e-9);
            assert_near(scripted_value(&s, way == 0 ? "der(j.q3)" : "j.w2"), 0, 1e-9);
            scripted_free(&s);
        }
}

/* The same where slip stops during the impact. Until compression ends nothing turns: with the
   height a = 0.5 of the centre and the edges at -+b = 0.3 the front one bears a s/b more. With the
   restitution times these impulses the box turns about its base, with w = e a s/(J + a^2). */
static void a_box_that_grips_as_it_falls_flat(void **state)
{
    (void)state;
    static const double restitutions[] = {0, 0.5};
    for (int way = 0; way < 2; way++)
        for (int k = 0; k < 2; k++) {
            const double e = restitutions[k], J = way == 0 ? 0.1 : 0.2, w = e * 0.5 / (J + 0.25);
            const char *const box =
                way == 0
                    ? "planar() local b = body('b', {mass = 1, com = {0, 1.5}, inertia = 0.1})\n"
                      "local j = free('j', ground, b, {at = {0, 1.5}})\n"
                      "for k, x in ipairs{-0.3, 0.3} do impact('c'..k, ground, b, {at = {x, 1}, "
                      "plane = {0, 0}, normal = {0, 1}, restitution = %g, friction = 0.5}) end\n"
                      "initial{['der(j.q1)'] = 1, ['der(j.q2)'] = -3, ['der(j.q3)'] = 0}\n"
                    : "local b = body('b', {mass = 1, com = {0, 0, 1.5}, inertia = {.1, .2, "
                      ".15}})\n"
                      "local j = free('j', ground, b, {at = {0, 0, 1.5}})\n"
                      "for k = 1, 4 do impact('c'..k, ground, b, {at = {k < 3 and -0.3 or 0.3, k "
                      "%% 2 - 0.5, 1}, plane = {0, 0, 0}, normal = {0, 0, 1}, restitution = %g, "
                      "friction = 0.5}) end\n"
                      "initial{['j.v1'] = 1, ['j.v2'] = 0, ['j.v3'] = -3, ['j.w1'] = 0, ['j.w2'] "
                      "= 0, ['j.w3'] = 0}\n";
            char text[2000];
            met m;
            snprintf(text, sizeof text, box, e);
            scripted s = met_begin(&m, text, 1e-8);
            scripted_advance(&s, 0.4);
            assert_int_equal(m.count, way == 0 ? 2 : 4);
            const double along = scripted_value(&s, way == 0 ? "der(j.q1)" : "j.v1");
            const double up = scripted_value(&s, way == 0 ? "der(j.q2)" : "j.v3");
            assert_near(hypot(along, up), hypot(0.5 * w, 3 * e), 1e-8); /* axes of the body turn */
            assert_near(scripted_value(&s, way == 0 ? "der(j.q3)" : "j.w2"), way == 0 ? w : -w,
                        1e-8);
            scripted_free(&s);
        }
}

/* Rows of balls: the fastest contact first. */
static void chains_of_balls(void **state)
{
    (void)state;
    static const struct {
        double m[5], e, v[5], after[5];
        int n, impacts;
    } cases[] = {
        {{1, 1, 1}, 1, {1, 0, 0}, {0, 0, 1}, 3, 2},
        {{1, 1, 1}, .9, {1, 0, 0}, {.047625, .049875, .9025}, 3, 3},
        {{3, 2, 1}, 1, {1, 0, 0}, {.2, .4, 1.6}, 3, 2},
        {{1, 1, 1, 1, 1}, 1, {1, 1, 0, 0, 0}, {0, 0, 0, 1, 1}, 5, 6},
        {{1, 1, 1}, 1, {1, 0, -1}, {-1, 0, 1}, 3, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2000] = "";
        met m;
        for (int k = 0; k < cases[i].n; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "local x%d = position('x%d') mass(x%d, %g) initial{ x%d = %d, ['der(x%d)'] = "
                     "%g }\n",
                     k, k, k, cases[i].m[k], k, k, k, cases[i].v[k]);
        for (int k = 1; k < cases[i].n; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "unilateral('c%d', x%d - x%d - 1, { restitution = %g })\n", k, k, k - 1,
                     cases[i].e);
        scripted s = met_begin(&m, text, 1e-8);
        scripted_advance(&s, 0.01);
        for (int k = 0; k < cases[i].n; k++) {
            char name[20];
            snprintf(name, sizeof name, "der(x%d)", k);
            assert_near(scripted_value(&s, name), cases[i].after[k], 1e-10);
        }
        if (cases[i].impacts > 0)
            assert_int_equal(m.count, cases[i].impacts);
        scripted_free(&s);
    }
}

/* Three balls of masses 1, 1/2, 1/3 fall on the floor and on each other, and come to rest. */
static void a_stack_comes_to_rest(void **state)
{
    (void)state;
    met m;
    scripted s = met_begin(&m,
                           "local y = {}\n"
                           "for i = 1, 3 do\n"
                           "  y[i] = position('y' .. i) mass(y[i], 1/i) force(y[i], -9.81/i)\n"
                           "  initial{ ['y' .. i] = 1 + 0.2*i, ['der(y' .. i .. ')'] = 0 }\n"
                           "end\n"
                           "unilateral('floor', y[1] - 0.05, { restitution = 0.6 })\n"
                           "for i = 2, 3 do\n"
                           "  unilateral('c' .. i, y[i] - y[i - 1] - 0.1, { restitution = 0.6 })\n"
                           "end\n",
                           1e-6);
    scripted_advance(&s, 5);
    for (int i = 1; i <= 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "y%d", i);
        assert_near(scripted_value(&s, name), 0.1 * i - 0.05, 1e-4);
    }
    assert_near(scripted_value(&s, "lambda(floor)"), -9.81 * (1 + 1.0 / 2 + 1.0 / 3), 1e-9);
    assert_near(scripted_value(&s, "lambda(c3)"), -9.81 / 3, 1e-9);
    scripted_free(&s);
}

static void count_doubts(dfl_log_level level, const char *text, void *user)
{
    if (level == DFL_LOG_NOTICE && strstr(text, "'tip' may be open or closed at t = 0"))
        ++*(int *)user;
}

/* Painlevé's rod that turns: open, or slipping with N = 22.04; it flies. */
static void what_may_be_open_or_closed_is_open(void **state)
{
    (void)state;
    int told = 0;
    scripted s =
        scripted_text("local x, y, q = position('x', 'y', 'q') mass(x, 1) mass(y, 1) mass(q, 1/3)\n"
                      "force(y, -9.81)\n"
                      "unilateral('tip', y - sin(q), { friction = 1.5, slip = velocity(x) + "
                      "sin(q)*velocity(q) })\n"
                      "initial{ x = 0, y = math.sin(1.1), q = 1.1, ['der(q)'] = 4, ['der(x)'] = "
                      "-8, ['der(y)'] = 4*math.cos(1.1) }\n");
    scripted_start(
        &s, &(dfl_solver_options){.rtol = 1e-8, .atol = 1e-8, .log = count_doubts, .user = &told});
    scripted_advance(&s, 0.1);
    assert_int_equal(told, 1);
    assert_near(scripted_value(&s, "der(x)"), -8, 1e-9);
    assert_near(scripted_value(&s, "q"), 1.5, 1e-9);
    assert_near(scripted_value(&s, "y"), sin(1.1) + 0.4 * cos(1.1) - 9.81 / 200, 1e-7);
    scripted_free(&s);
}

/* Painlevé's rod: no mode is possible. */
static void what_is_impossible_is_refused_by_name(void **state)
{
    (void)state;
    scripted s =
        scripted_text("local x, y, q = position('x', 'y', 'q') mass(x, 1) mass(y, 1) mass(q, 1/3)\n"
                      "force(y, -9.81)\n"
                      "unilateral('tip', y - sin(q), { friction = 1.5, slip = velocity(x) + "
                      "sin(q)*velocity(q) })\n"
                      "initial{ x = 0, y = math.sin(1.1), q = 1.1, ['der(q)'] = 0, ['der(x)'] = "
                      "-5, ['der(y)'] = 0 }\n");
    const dfl_status status =
        scripted_try_start(&s, &(dfl_solver_options){.rtol = 1e-6, .atol = 1e-6});
    assert_int_equal(status, DFL_NOT_CONVERGED);
    /* n M^-1 n^T = 1 + 3 cos^2 q over n M^-1 t^T = 3 sin q cos q is 1.33 */
    if (!strstr(dfl_message(s.ctx), "'tip' jams at t = 0") ||
        !strstr(dfl_message(s.ctx), "(coefficient 1.5, limit 1.33 in this position)"))
        fail_msg("%s", dfl_message(s.ctx));
    scripted_free(&s);
    scripted_refused("local x = position('x') mass(x, 1)\n"
                     "friction('f', x, { load = 1, coefficient = 0.3, static = 0.2 })\n",
                     "static friction 0.2 is below sliding friction 0.3");
    scripted_refused(
        "local x = position('x') mass(x, 1) unilateral('c', x, { restitution = 1.1 })\n",
        "restitution is 1.1; give a number from 0 to 1");
    scripted_refused("local x = position('x') mass(x, 1)\n"
                     "friction('f', x, { load = 1, coefficient = -0.3 })\n",
                     "the coefficient of friction is -0.3; give a number that is not negative");
}

/* A row along a massless direction has nothing to hold. */
static void contacts_need_mass(void **state)
{
    static const char *const texts[][2] = {
        {"friction('rub', x, {load = 1, coefficient = 0.3})\n", "friction 'rub' sticks"},
        {"unilateral('floor', x + 0.001)\n", "contact 'floor' closes"}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "local x, y = position('x', 'y') mass(x, 0) mass(y, 1)\n"
                 "force(x, 10*(y - x) - 0.5*velocity(x)) force(y, 10*(x - y))\n%s"
                 "initial{x = 0, y = 0, ['der(y)'] = -1}\n",
                 texts[i][0]);
        scripted s = scripted_text(text);
        dfl_status status =
            scripted_try_start(&s, &(dfl_solver_options){.rtol = 1e-8, .atol = 1e-8});
        if (!status)
            status = dfl_solver_advance(s.solver, 1);
        assert_int_not_equal(status, DFL_OK);
        assert_non_null(strstr(dfl_message(s.ctx), texts[i][1]));
        assert_non_null(strstr(dfl_message(s.ctx), "without mass"));
        scripted_free(&s);
    }
}

/* Starts and solvers that cannot serve a contact. */
static void what_contacts_do_not_go_with_is_named(void **state)
{
    (void)state;
    static const char ball[] = "local y = position('y') mass(y, 1) unilateral('floor', y)\n";
    static const char inside[] = "local y = position('y') mass(y, 1) unilateral('floor', y)\n"
                                 "initial{ y = -0.1 }\n";
    const struct {
        const char *text, *message;
        dfl_form form;
        dfl_status status;
    } cases[] = {
        {ball, "go with the forms psf and psi1, not with ggl", DFL_GGL, DFL_INVALID},
        {inside, "contact 'floor' begins 0.1 inside", DFL_PSF, DFL_INCONSISTENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scripted s = scripted_text(cases[i].text);
        const dfl_solver_options options = {.rtol = 1e-6, .atol = 1e-6, .form = cases[i].form};
        assert_int_equal(scripted_try_start(&s, &options), cases[i].status);
        if (!strstr(dfl_message(s.ctx), cases[i].message))
            fail_msg("'%s' does not contain '%s'", dfl_message(s.ctx), cases[i].message);
        scripted_free(&s);
    }
}

/* Forty balls come to rest one after the other, the highest at 3 sqrt(2/g); all are lifted at once.
 */
static void forty_contacts(void **state)
{
    (void)state;
    const double g = 9.81;
    met m;
    scripted s = met_begin(&m,
                           "for i = 1, 40 do\n"
                           "  local y = position('y' .. i) mass(y, i)\n"
                           "  force(y, i*9.81*(2*select(time - 2, 1, 0) - 1))\n"
                           "  unilateral('c' .. i, y, { restitution = 0.5 })\n"
                           "  initial{ ['y' .. i] = i/40, ['der(y' .. i .. ')'] = 0 }\n"
                           "end\n",
                           1e-6);
    scripted_advance(&s, 0.5);
    for (int i = 1; i <= 40; i++) {
        char name[32];
        const double h = i / 40.0, first = sqrt(2 * h / g), t = 0.5 - first;
        const double second =
            first + sqrt(2 * h / g); /* e = 1/2: in the air for twice half of it */
        snprintf(name, sizeof name, "y%d", i);
        if (first > 0.5)
            assert_near(scripted_value(&s, name), h - g / 8, 1e-5);
        else if (second > 0.5)
            assert_near(scripted_value(&s, name), 0.5 * g * first * t - g / 2 * t * t, 1e-5);
    }
    scripted_advance(&s, 1.9);
    for (int i = 1; i <= 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "lambda(c%d)", i);
        assert_near(scripted_value(&s, name), -i * g, 1e-4);
    }
    scripted_advance(&s, 3);
    for (int i = 1; i <= 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "y%d", i);
        assert_near(scripted_value(&s, name), g / 2, 1e-4);
    }
    scripted_free(&s);
}

/* Friction of a shaft acts at its radius. */
static void friction_has_a_radius(void **state)
{
    (void)state;
    met m;
    scripted s = met_begin(&m,
                           "local q = position('q') mass(q, 1)\n"
                           "friction('bearing', q, { load = 1, coefficient = 0.5, radius = 2 })\n"
                           "initial{ q = 0, ['der(q)'] = 1 }\n",
                           1e-8);
    scripted_advance(&s, 3);
    assert_near(scripted_value(&s, "q"), 0.5, 1e-7);
    scripted_free(&s);
}

/* In a groove with play: 5 N press it against one side, 0.2 rub, from 1 m/s to rest within 1 s; the
   other side is the same upside down. */
static void stops_rub(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        met m;
        char text[400];
        snprintf(
            text, sizeof text,
            "local x, y = position('x', 'y') mass(x, 1) mass(y, 1) force(y, %d)\n"
            "stop('groove', y, {lower = 0, upper = 0.01, friction = 0.2, slip = velocity(x)})\n"
            "initial{ x = 0, y = %g, ['der(x)'] = 1, ['der(y)'] = 0 }\n",
            side ? 5 : -5, side ? 0.01 : 0.0);
        scripted s = met_begin(&m, text, 1e-8);
        scripted_advance(&s, 0.5);
        assert_near(scripted_value(&s, "x"), 0.375, 1e-7);
        scripted_advance(&s, 2);
        assert_near(scripted_value(&s, "x"), 0.5, 1e-7);
        assert_near(scripted_value(&s, "der(x)"), 0, 1e-12);
        scripted_free(&s);
    }
    scripted_refused("local x = position('x') mass(x, 1) stop('s', x, {lower = 0, friction = 0.1})",
                     "give slip");
}

/* A box pushed at a height of 0.9: it rests, or tips about its front edge. */
static void a_box_rests_or_tips(void **state)
{
    (void)state;
    static const double push[] = {2, 3.28, 6}, rear[] = {1.905, 0, 0},
                        front[] = {7.905, 9.815955882, 11.435955882},
                        turn[] = {0, -.019852941, -5.419852941};
    for (int i = 0; i < 3; i++) {
        char text[900];
        met m;
        snprintf(
            text, sizeof text,
            "local x, y, q = position('x', 'y', 'q') mass(x, 1) mass(y, 1) mass(q, 1.36/12)\n"
            "force(y, -9.81) force(x, %g) force(q, -%g*0.4*cos(q))\n"
            "for name, c in pairs{ rear = -0.3, front = 0.3 } do\n"
            "  unilateral(name, y + c*sin(q) - 0.5*cos(q), { friction = 0.5,\n"
            "    slip = velocity(x) + (-c*sin(q) + 0.5*cos(q))*velocity(q) })\n"
            "end\n"
            "output('turn', acceleration(q))\n"
            "initial{ x = 0, y = 0.5, q = 0, ['der(x)'] = 0, ['der(y)'] = 0, ['der(q)'] = 0 }\n",
            push[i], push[i]);
        scripted s = met_begin(&m, text, 1e-8);
        assert_near(scripted_value(&s, "lambda(rear)"), -rear[i], 1e-8);
        assert_near(scripted_value(&s, "lambda(front)"), -front[i], 1e-8);
        assert_near(scripted_output(&s, "turn"), turn[i], 1e-8);
        scripted_free(&s);
    }
}

/* A ball of radius 0.1 that slips, then rolls. */
static void a_bowling_ball(void **state)
{
    (void)state;
    met m;
    for (int i = 0; i < TOLERANCES; i++) {
        const double tol = tolerances[i];
        scripted s = met_begin(
            &m,
            "local x, y, q = position('x', 'y', 'q')\n"
            "mass(x, 1) mass(y, 1) mass(q, 0.4*0.01) force(y, -9.81)\n"
            "unilateral('lane', y, { friction = 0.2, slip = velocity(x) - 0.1*velocity(q) })\n"
            "initial{ x = 0, y = 0, q = 0, ['der(x)'] = 7, ['der(y)'] = 0, ['der(q)'] = 0 }\n",
            tol);
        scripted_advance(&s, 3);
        assert_near(scripted_value(&s, "x"), 16.019367991845056, 1000 * tol);
        assert_near(scripted_value(&s, "der(x)"), 5, 100 * tol);
        assert_near(scripted_value(&s, "der(q)"), 50, 1000 * tol);
        scripted_free(&s);
    }
}

/* A disk of a mechanism falls with 1 m/s along the floor: it bounces and rolls at last. */
static void a_rigid_impact_of_a_body(void **state)
{
    (void)state;
    met m;
    scripted s =
        met_begin(&m,
                  "planar() gravity{0, -9.81}\n"
                  "local ball = body('ball', { mass = 1, com = {0, 1}, inertia = 0.004 })\n"
                  "free('fly', ground, ball, { at = {0, 1} })\n"
                  "local i = impact('bounce', ground, ball, { at = {0, 1}, radius = 0.1,\n"
                  "  plane = {0, 0}, normal = {0, 1}, restitution = 0.8, friction = 0.3 })\n"
                  "output('N', i.f)\n"
                  "initial{ ['der(fly.q1)'] = 1, ['der(fly.q2)'] = 0, ['der(fly.q3)'] = 0 }\n",
                  1e-8);
    scripted_advance(&s, 8);
    assert_near(m.time[0], sqrt(2 * 0.9 / 9.81), 1e-7);
    assert_near(scripted_value(&s, "der(fly.q1)"), 5.0 / 7, 1e-7);
    assert_near(scripted_value(&s, "der(fly.q3)"), -50.0 / 7, 1e-6);
    assert_near(scripted_value(&s, "fly.q2"), -0.9, 1e-6);
    assert_near(scripted_output(&s, "N"), 9.81, 1e-9);
    scripted_free(&s);
}

/* A sphere thrown on the floor: it sticks or slips during the impact. */
static void impacts_with_friction(void **state)
{
    (void)state;
    static const double v[] = {1, 10}, after[] = {.71428571428571429, 8.38},
                        spin[] = {7.1428571428571429, 40.5};
    met m;
    for (int i = 0; i < 2; i++) {
        char text[500];
        snprintf(
            text, sizeof text,
            "local x, y, q = position('x', 'y', 'q')\n"
            "mass(x, 1) mass(y, 1) mass(q, 0.4*0.01)\n"
            "unilateral('floor', y, { friction = 0.3, restitution = 0.8,\n"
            "  slip = velocity(x) - 0.1*velocity(q) })\n"
            "initial{ x = 0, y = 0.3, q = 0, ['der(x)'] = %g, ['der(y)'] = -3, ['der(q)'] = 0 }\n",
            v[i]);
        scripted s = met_begin(&m, text, 1e-8);
        scripted_advance(&s, 0.2);
        assert_int_equal(m.count, 1);
        assert_near(m.time[0], 0.1, 1e-9);
        assert_near(scripted_value(&s, "der(x)"), after[i], 1e-8);
        assert_near(scripted_value(&s, "der(y)"), 2.4, 1e-8);
        assert_near(scripted_value(&s, "der(q)"), spin[i], 1e-7);
        scripted_free(&s);
    }
}

/* Rods of mass 1 and length 2 strike the floor with friction in all directions: no impact creates
   energy, and none penetrates. */
static void eccentric_impacts_lose_energy(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int ended = 0;
    for (int k = 0; k < 200; k++) {
        double r[6];
        char text[900];
        for (int i = 0; i < 6; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            r[i] = (double)(seed >> 11) / 9007199254740992.0;
        }
        const double q = 0.1 + 2.9 * r[0], vx = 4 * r[1] - 2, w = 4 * r[2] - 2;
        const double vy = -0.5 - 2 * r[3] + cos(q) * w; /* the tip falls */
        snprintf(text, sizeof text,
                 "local x, y, q = position('x', 'y', 'q') mass(x, 1) mass(y, 1) mass(q, 1/3)\n"
                 "unilateral('tip', y - sin(q), { restitution = %.17g, friction = %.17g,\n"
                 "  slip = velocity(x) + sin(q)*velocity(q) })\n"
                 "initial{ x = 0, y = %.17g, q = %.17g, ['der(x)'] = %.17g, ['der(y)'] = %.17g,\n"
                 "  ['der(q)'] = %.17g }\n",
                 0.3 + 0.7 * r[4], 0.1 + 1.1 * r[5], sin(q), q, vx, vy, w);
        scripted s = scripted_text(text);
        const dfl_solver_options options = {.rtol = 1e-9, .atol = 1e-9};
        if (!scripted_try_start(&s, &options)) { /* else it jams, by name */
            const double *x = dfl_solver_state(s.solver);
            memcpy(s.x, x, (size_t)s.eq->n * sizeof *x);
            const double ax = scripted_value(&s, "der(x)"), ay = scripted_value(&s, "der(y)"),
                         aw = scripted_value(&s, "der(q)");
            const double before = vx * vx + vy * vy + w * w / 3,
                         after = ax * ax + ay * ay + aw * aw / 3;
            assert_true(after <= before * (1 + 1e-9));
            assert_true(ay - cos(q) * aw >= -1e-9);
            ended++;
        } else if (!strstr(dfl_message(s.ctx), "jams")) {
            fail_msg("%s", dfl_message(s.ctx));
        }
        scripted_free(&s);
    }
    assert_true(ended > 150);
}

/* A slider-crank that hits a wall: the impulse goes through its constraints. */
static void an_impact_through_constraints(void **state)
{
    (void)state;
    met m;
    scripted s =
        met_begin(&m,
                  "local x, y, q = position('x', 'y', 'q')\n"
                  "mass(x, 1) mass(y, 1) mass(q, 2)\n"
                  "constraint('crank', x^2 + y^2 - 1)\n"
                  "constraint('rod', (q - x)^2 + y^2 - 4)\n"
                  "unilateral('wall', 2.3027756377319946 - q, { restitution = 0.5 })\n"
                  "initial{ x = 0.5, y = sqrt(3)/2, ['der(x)'] = sqrt(3), ['der(y)'] = -1 }\n"
                  "guess{ q = 2.3 }\n",
                  1e-10);
    assert_int_equal(m.count, 1);
    memcpy(s.x, dfl_solver_state(s.solver), (size_t)s.eq->n * sizeof *s.x);
    assert_near(scripted_value(&s, "der(x)"), -.86602540378443865, 1e-9);
    assert_near(scripted_value(&s, "der(y)"), .5, 1e-9);
    assert_near(scripted_value(&s, "der(q)"), -1.1062176344920693, 1e-9);
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_and_comes_to_rest),
        cmocka_unit_test(dry_friction_stops_an_oscillator),
        cmocka_unit_test(a_block_breaks_away),
        cmocka_unit_test(a_block_on_a_slope),
        cmocka_unit_test(a_bead_in_a_bowl),
        cmocka_unit_test(a_belt_sticks_and_slips),
        cmocka_unit_test(a_belt_with_falling_friction),
        cmocka_unit_test(a_clutch_locks_and_unlocks),
        cmocka_unit_test(a_wall_within_the_noise),
        cmocka_unit_test(backlash),
        cmocka_unit_test(chains_of_balls),
        cmocka_unit_test(a_box_that_falls_flat),
        cmocka_unit_test(a_box_that_grips_as_it_falls_flat),
        cmocka_unit_test(a_stack_comes_to_rest),
        cmocka_unit_test(what_may_be_open_or_closed_is_open),
        cmocka_unit_test(what_is_impossible_is_refused_by_name),
        cmocka_unit_test(contacts_need_mass),
        cmocka_unit_test(what_contacts_do_not_go_with_is_named),
        cmocka_unit_test(forty_contacts),
        cmocka_unit_test(friction_has_a_radius),
        cmocka_unit_test(stops_rub),
        cmocka_unit_test(a_box_rests_or_tips),
        cmocka_unit_test(a_bowling_ball),
        cmocka_unit_test(impacts_with_friction),
        cmocka_unit_test(eccentric_impacts_lose_energy),
        cmocka_unit_test(a_rigid_impact_of_a_body),
        cmocka_unit_test(an_impact_through_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
