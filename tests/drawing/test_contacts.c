/* Contact of curves and surfaces against closed forms: cams whose lift is known, a ball in a bowl
   that is a pendulum. The bounds are K times the tolerance 1e-10. */
#include "scripted.h"

#include "symbolic/symbolic.h"

#include <math.h>

static const double TOL = 1e-10;

/* A circle of radius R, eccentric by e, lifts a follower above its bearing; the follower's end is a
   roller of radius r, which does not turn. */
#define CAM                                                                                        \
    "planar()\n gravity{0, -9.81}\n"                                                               \
    "local R, e, r = 0.5, 0.2, 0.1\n"                                                              \
    "local cam = body('cam', { mass = 2, inertia = 0.3, com = {e, 0} })\n"                         \
    "local f = body('f', { mass = 1 })\n"                                                          \
    "local a = revolute('a', ground, cam, { at = {0, 0} })\n"                                      \
    "local b = prismatic('b', ground, f, { at = {0, 0}, axis = {0, 1} })\n"                        \
    "local function circle(s) return e + R*cos(s), R*sin(s) end\n"

static double lift(double q, double radius)
{
    const double e = 0.2;
    return e * sin(q) + sqrt(radius * radius - e * e * cos(q) * cos(q));
}

/* Both bodies' energy as a function of the cam's angle and speed. */
static double cam_energy(double q, double v, double radius)
{
    const double e = 0.2, h = 1e-5;
    const double slope = (lift(q + h, radius) - lift(q - h, radius)) / (2 * h); /* good to 1e-10 */
    return 0.5 * (0.3 + 2 * e * e + slope * slope) * v * v +
           9.81 * (2 * e * sin(q) + lift(q, radius));
}

static void a_roller_follows_an_eccentric_circle(void **state)
{
    (void)state;
    scripted s = scripted_text(
        CAM "local y0 = sqrt((R + r)^2 - e^2)\n"
            "contact_curves('touch', f, cam, { curve_b = circle, start = {-1.2, 1.9},\n"
            "  curve_a = function(s) return r*cos(s), y0 + r*sin(s) end })\n"
            "initial{ [a.q] = 0, [a.qd] = 6 }\n");
    scripted_start(&s, &(dfl_solver_options){.rtol = TOL, .self_check = true});
    const double energy = cam_energy(0.0, 6.0, 0.6);
    for (int k = 1; k <= 6; k++) {
        scripted_advance(&s, 0.5 * k);
        const double q = scripted_value(&s, "a.q"), v = scripted_value(&s, "der(a.q)");
        assert_near(scripted_value(&s, "b.q"), lift(q, 0.6) - lift(0.0, 0.6), 1e-12);
        assert_near(cam_energy(q, v, 0.6), energy, 1e-8); /* the slope above, times speeds */
    }
    scripted_free(&s);
}

/* A point instead of the roller: one contact variable. */
static void a_point_follows_an_eccentric_circle(void **state)
{
    (void)state;
    scripted s = scripted_text(CAM "contact_curves('touch', f, cam, { curve_b = circle,\n"
                                   "  at = {0, sqrt(R^2 - e^2)}, start = {1.9} })\n"
                                   "initial{ [a.q] = 0, [a.qd] = 6 }\n");
    scripted_run(&s, 2.0, TOL);
    const double q = scripted_value(&s, "a.q");
    assert_near(scripted_value(&s, "b.q"), lift(q, 0.5) - lift(0.0, 0.5), 1e-12);
    scripted_free(&s);
}

/* A flat follower, a line as curve: the lift is that of the circle's highest point, e sin q + R. */
static void a_flat_follower_rests_on_the_highest_point(void **state)
{
    (void)state;
    scripted s =
        scripted_text(CAM "contact_curves('touch', cam, f, { curve_a = circle,\n"
                          "  curve_b = function(s) return s, R end, start = {1.6, 0.2} })\n"
                          "initial{ [a.q] = 0, [a.qd] = 6 }\n");
    scripted_run(&s, 2.0, TOL);
    const double q = scripted_value(&s, "a.q");
    assert_near(scripted_value(&s, "b.q"), 0.2 * sin(q), 1e-12);
    assert_near(scripted_value(&s, "touch.s2"), 0.2 * cos(q), 1e-12); /* where it touches */
    scripted_free(&s);
}

/* A smooth ball of radius 0.2 in a bowl of radius 1.2 is a spherical pendulum of length 1: its
   equations in Cartesian coordinates give the same motion. */
static void a_ball_in_a_bowl_is_a_pendulum(void **state)
{
    (void)state;
    scripted s =
        scripted_text("gravity{0, 0, -9.81}\n"
                      "local b = body('b', { mass = 1, com = {0, 0, -1} })\n"
                      "local f = translation('f', ground, b, { at = {0, 0, -1} })\n"
                      "contact_surfaces('touch', b, ground, { start = {0.5, 0.1, 0.6, 0},\n"
                      "  surface_a = function(u, v)\n"
                      "    return 0.2*sin(u)*cos(v), 0.2*sin(u)*sin(v), -1 - 0.2*cos(u) end,\n"
                      "  surface_b = function(x, y) return x, y, -sqrt(1.44 - x^2 - y^2) end })\n"
                      "initial{ [f.q1] = 0.6, [f.q2] = 0, [f.qd2] = 1.2 }\n"
                      "guess{ [f.q3] = 0.2 }\n");
    scripted pendulum = scripted_text("local x, y, z = position('x', 'y', 'z')\n"
                                      "local u, v, w = velocity(x, y, z)\n"
                                      "kinetic((u^2 + v^2 + w^2)/2) potential(9.81*z)\n"
                                      "constraint('rod', (x^2 + y^2 + z^2 - 1)/2)\n"
                                      "initial{ x = 0.6, y = 0, [v] = 1.2 }\n guess{ z = -0.8 }\n");
    scripted_run(&s, 3.0, TOL);
    scripted_run(&pendulum, 3.0, TOL);
    assert_near(scripted_value(&s, "f.q1"), scripted_value(&pendulum, "x"), 200 * TOL);
    assert_near(scripted_value(&s, "f.q2"), scripted_value(&pendulum, "y"), 200 * TOL);
    assert_near(scripted_value(&s, "f.q3") - 1, scripted_value(&pendulum, "z"), 200 * TOL);
    assert_near(fabs(scripted_value(&s, "lambda(touch)")),
                fabs(scripted_value(&pendulum, "lambda(rod)")), 500 * TOL);
    scripted_free(&s);
    scripted_free(&pendulum);
}

/* A smooth ring (radius 0.5, tube 0.1) that spins and tumbles on a plane: as a surface of four
   variables, as a wheel on a flat rail with two, and with the height of its centre written by hand:
   R s + r. */
static void a_ring_on_a_plane_is_a_surface_and_a_wheel(void **state)
{
    (void)state;
    static const char *const contacts[] = {
        "local n = {point(b, {0, 0, 1}).x - point(b, {0, 0, 0}).x,\n"
        "  point(b, {0, 0, 1}).y - point(b, {0, 0, 0}).y}\n"
        "constraint('touch', f.q3 - 0.5*sqrt(n[1]^2 + n[2]^2) - 0.1)\n",
        "contact_surfaces('touch', b, ground, { start = {-1.2, -1.57, 0, -0.5},\n"
        "  surface_a = function(u, v) return (0.5 + 0.1*cos(u))*cos(v), (0.5 + "
        "0.1*cos(u))*sin(v),\n"
        "    0.1*sin(u) end,\n"
        "  surface_b = function(x, y) return x, y, 0 end })\n",
        "contact_wheel('touch', b, ground, { at = {0, 0, 0}, axis = {0, 0, 1}, along = {1, 0, 0},\n"
        "  wheel = function(u) return 0.1*sin(u), 0.5 + 0.1*cos(u) end,\n"
        "  rail = function(y) return 0, y, 0 end, start = {-1.2, -0.5} })\n"};
    static const char *const names[] = {"f.q1", "f.q3", "f.q5", "f.q7", "f.w1", "f.w2", "f.v3"};
    double first[8] = {0};
    for (int k = 0; k < 3; k++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "gravity{0, 0, -9.81}\n"
            "local b = body('b', { mass = 1, inertia = {0.15, 0.15, 0.25} })\n"
            "local f = free('f', ground, b, { at = {0, 0, 0} })\n"
            "%s"
            "initial{ [f.q1] = 0, [f.q2] = 0, [f.q4] = cos(0.6), [f.q5] = sin(0.6), [f.q6] = 0,\n"
            "  [f.q7] = 0, [f.w1] = 0.1, [f.w2] = 0.5, [f.w3] = 12 }\n"
            "guess{ [f.q3] = 0.55 }\n",
            contacts[k]);
        scripted s = scripted_text(text);
        scripted_run(&s, 0.5, TOL);
        const double force = fabs(scripted_value(&s, "lambda(touch)"));
        for (int i = 0; i < 7; i++)
            assert_near(scripted_value(&s, names[i]),
                        k == 0 ? (first[i] = scripted_value(&s, names[i])) : first[i], 500 * TOL);
        assert_near(force, k == 0 ? (first[7] = force) : first[7], 1e4 * TOL);
        scripted_free(&s);
    }
}

/* A wheel with a conical tread on a round rail, held upright: at slope c = 0.1 and rail radius q it
   touches the rail beside its top, and rises with the lateral shift x as the line does: z = c x. */
static void a_cone_climbs_on_a_round_rail(void **state)
{
    (void)state;
    scripted s = scripted_text(
        "gravity{0, 0, -9.81}\n"
        "local b = body('b', { mass = 1, com = {0, 0, 0.6} })\n"
        "local f = translation('f', ground, b, { at = {0, 0, 0.6} })\n"
        "contact_wheel('touch', b, ground, { at = {0, 0, 0.6}, axis = {0, 1, 0}, along = {1, 0, "
        "0},\n"
        "  wheel = function(u) return u, 0.5 + 0.1*u end,\n"
        "  rail = function(y) return 0, 0.1*sin(y), 0.1*cos(y) end, start = {0, 0} })\n"
        "initial{ [f.q1] = 0, [f.qd1] = 1, [f.q2] = 0, [f.qd2] = 0.3 }\n");
    /* the line r = 0.5 + 0.1 u touches the circle where its normal (0.1, 1) points */
    const double n = sqrt(1.01), fall = 9.81 * 0.1 / 1.01;
    scripted_start(&s, &(dfl_solver_options){.rtol = TOL, .self_check = true});
    assert_near(scripted_value(&s, "touch.s2"), atan(0.1), 1e-12);
    assert_near(0.6 + scripted_value(&s, "f.q3"), 0.1 * n + 0.5, 1e-12);
    const double z0 = scripted_value(&s, "f.q3");
    scripted_advance(&s, 1.0);
    const double x = scripted_value(&s, "f.q2");
    assert_near(scripted_value(&s, "f.q1"), 1.0, 100 * TOL);
    assert_near(x, 0.3 + 0.5 * fall, 100 * TOL); /* down an incline of slope 0.1 */
    assert_near(scripted_value(&s, "f.q3") - z0, -0.1 * x, 100 * TOL);
    scripted_free(&s);
}

/* The same wheel on an axle, of mass 2 with the moment J about it, in a frame of mass 1, pulled by
   F. It touches at the rail's point y = 0.1 sin(atan(0.1)), where its radius is 0.5 + 0.1 y; held
   there it rolls like a disk of this radius. */
#define RAILWAY                                                                                    \
    "gravity{0, 0, -9.81}\n"                                                                       \
    "local frame = body('frame', { mass = 1, com = {0, 0, 0.6} })\n"                               \
    "local wheel = body('wheel', { mass = 2, com = {0, 0, 0.6}, inertia = {0.3, 0.4, 0.3} })\n"    \
    "local f = translation('f', ground, frame, { at = {0, 0, 0.6} })\n"                            \
    "local axle = revolute('axle', frame, wheel, { at = {0, 0, 0.6}, axis = {0, 1, 0} })\n"        \
    "local options = { at = {0, 0, 0.6}, axis = {0, 1, 0}, along = {1, 0, 0},\n"                   \
    "  wheel = function(u) return u, 0.5 + 0.1*u end,\n"                                           \
    "  rail = function(y) return 0, 0.1*sin(y), 0.1*cos(y) end, start = {0, 0} }\n"                \
    "force(f.q1, 6)\n"

static void a_wheel_on_a_rail_rolls_where_it_is_told_to(void **state)
{
    (void)state;
    const double r = 0.5 + 0.1 * 0.1 * sin(atan(0.1)), a = 6 / (3 + 0.4 / (r * r));
    static const char *const ways[] = {"options.rolls = 'along'\ncoupling('held', f.q2)\n",
                                       "options.rolls = true\n"};
    for (int k = 0; k < 2; k++) { /* held sideways by a constraint, or by the rail */
        char text[1500];
        snprintf(text, sizeof text,
                 RAILWAY "%scontact_wheel('touch', wheel, ground, options)\n"
                         "initial{ [f.q1] = 0, [f.qd1] = 0, [axle.q] = 0, [f.q2] = 0 }\n",
                 ways[k]);
        scripted s = scripted_text(text);
        scripted_start(&s, &(dfl_solver_options){.rtol = TOL, .self_check = true});
        scripted_advance(&s, 2.0);
        assert_near(scripted_value(&s, "f.q1"), 2 * a, 100 * TOL);
        assert_near(scripted_value(&s, "axle.q"), 2 * a / r, 100 * TOL);
        assert_near(scripted_value(&s, "f.q2"), 0.0, 100 * TOL);
        assert_near(fabs(scripted_value(&s, "mu(touch.slip1)")), 0.4 * a / (r * r), 1e4 * TOL);
        scripted_free(&s);
    }
    scripted_refused(RAILWAY "options.rolls = 'sideways'\n"
                             "contact_wheel('touch', wheel, ground, options)\n",
                     "contact_wheel 'touch': unknown value of rolls; give true, \"along\"");
}

/* On contact the gap does not depend on the contact variables, so that gI = g_p p' although the
   model derives it with the rates of the variables. */
static void the_gap_is_stationary_in_the_contact_variables(void **state)
{
    (void)state;
    scripted s = scripted_text(
        CAM "local y0 = sqrt((R + r)^2 - e^2)\n"
            "contact_curves('touch', f, cam, { curve_b = circle, start = {-1.2, 1.9},\n"
            "  curve_a = function(s) return r*cos(s), y0 + r*sin(s) end })\n"
            "initial{ [a.q] = 0.4, [a.qd] = 6 }\n");
    scripted_start(&s, NULL);
    dfl_sparse slope;
    const dfl_expr symbols[2] = {dfl_model_find(s.model, "touch.s1")->symbol,
                                 dfl_model_find(s.model, "touch.s2")->symbol};
    scripted_expect(&s, dfl_jacobian_exprs(&slope, s.model->graph, s.eq->rows.g, 1, symbols, 2));
    assert_int_equal(slope.count, 2);
    for (int i = 0; i < 2; i++) {
        double value;
        scripted_expect(
            &s, dfl_runnable_values(&value, s.run, &slope.entry[i].expr, 1, 0.0, s.x, NULL));
        assert_near(value, 0.0, 1e-13);
    }
    dfl_sparse_clear(&slope, s.ctx);
    scripted_free(&s);
}

static void contacts_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    scripted_refused(CAM "contact_curves('c', f, cam, { at = {0, 0}, curve_b = circle })",
                     "contact_curves 'c': start is missing; give 1 number in braces");
    scripted_refused(
        CAM "contact_curves('c', f, cam, { curve_b = circle, start = {1, 1} })",
        "curve_a is missing; give a function of the curve parameter that returns x, y");
    scripted_refused(CAM
                     "contact_curves('c', f, f, { at = {0, 0}, curve_b = circle, start = {1} })",
                     "f cannot touch itself");
    scripted_refused(CAM "contact_curves('c', f, cam, { at = {0, 0}, start = {1},\n"
                         "  curve_b = function(s) return s end })",
                     "curve_b returns 1 values; return x, y");
    scripted_refused(CAM "contact_curves('c', f, cam, { at = {0, 0}, start = {1},\n"
                         "  curve_b = function(s) return 1, 2 end })",
                     "does not depend on its parameter");
    scripted_refused(CAM "contact_curves('c', f, cam, { at = {0, 0}, start = {1},\n"
                         "  curve_b = function(s) return s, a.q end })",
                     "a curve changes with time or motion");
    scripted_refused(CAM "contact_curves('c', f, cam, { at = {0, 0}, curv_b = circle })",
                     "did you mean 'curve_b'?");
}

/* A disk in the valley Y = X^2/2, which touches at u = 1, where the guess of the contact variables
   is rough: the positions are consistent, and stay. If they are off a little, they move a little.
 */
static void a_rough_guess_of_the_contact_moves_no_positions(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double off = k == 0 ? 0 : 1e-5, half = sqrt(0.5);
        scripted s =
            scripted_text("local x, y = position('x', 'y')\n"
                          "kinetic((velocity(x)^2 + velocity(y)^2)/2) potential(9.81*y)\n"
                          "local s, u = contact('s', 'u', function(s, u)\n"
                          "  local dx, dy = x + 0.2*cos(s) - u, y + 0.2*sin(s) - u^2/2\n"
                          "  return cos(s) + u*sin(s), dx + u*dy\n"
                          "end)\n"
                          "constraint('touch', (y + 0.2*sin(s) - u^2/2) - u*(x + 0.2*cos(s) - u))\n"
                          "guess{ s = -0.9, u = 1.1 }\n");
        scripted_give(&s, "x", 1 - 0.2 * half, false);
        scripted_give(&s, "y", 0.5 + 0.2 * half + off, false);
        scripted_start(&s, NULL);
        assert_near(scripted_value(&s, "x"), 1 - 0.2 * half, off + 1e-12);
        assert_near(scripted_value(&s, "y"), 0.5 + 0.2 * half, off + 1e-12);
        assert_near(scripted_value(&s, "u"), 1, off + 1e-12);
        assert_near(scripted_value(&s, "s"), -0.25 * acos(-1.0), off + 1e-12);
        scripted_free(&s);
    }
}

/* An elliptic cam with half axes a, b under a flat follower: the lift is its support function,
   sqrt(a^2 sin^2 q + b^2 cos^2 q) - b, and the contact point, which stays on the upper side, has
   turned back by about the angle of the cam. Other solutions of the contact's equations, on the
   lower side or turns away, must not be reached in long steps. */
static void a_contact_point_does_not_jump(void **state)
{
    (void)state;
    const double a = 0.05, b = 0.03, quarter = 0.5 * acos(-1.0);
    for (double tol = 1e-3; tol > 1e-6; tol *= 0.7) {
        scripted s = scripted_text(
            "planar()\n local a, b = 0.05, 0.03\n"
            "local cam = body('cam', { mass = 1, inertia = 0.01 })\n"
            "local f = body('f', { mass = 0.2, com = {0, 0.1} })\n"
            "local axle = revolute('axle', ground, cam, { at = {0, 0} })\n"
            "local guide = prismatic('guide', ground, f, { at = {0, 0.1}, axis = {0, 1} })\n"
            "contact_curves('touch', cam, f, { start = {pi/2, 0},\n"
            "  curve_a = function(s) return a*cos(s), b*sin(s) end,\n"
            "  curve_b = function(s) return s, b end })\n"
            "potential(1000*(guide.q + 0.03)^2)\n initial{ [axle.q] = 0, [axle.qd] = 20 }\n");
        scripted_start(&s, &(dfl_solver_options){.rtol = tol, .atol = tol});
        scripted_advance(&s, 1);
        const double q = scripted_value(&s, "axle.q");
        assert_near(q, 13.97741, 10 * tol + 1e-5); /* at rtol 1e-10 */
        assert_near(scripted_value(&s, "guide.q"), hypot(a * sin(q), b * cos(q)) - b, tol);
        assert_near(scripted_value(&s, "touch.s1"), quarter - q, 0.3);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_roller_follows_an_eccentric_circle),
        cmocka_unit_test(a_point_follows_an_eccentric_circle),
        cmocka_unit_test(a_flat_follower_rests_on_the_highest_point),
        cmocka_unit_test(a_ball_in_a_bowl_is_a_pendulum),
        cmocka_unit_test(a_ring_on_a_plane_is_a_surface_and_a_wheel),
        cmocka_unit_test(a_cone_climbs_on_a_round_rail),
        cmocka_unit_test(a_wheel_on_a_rail_rolls_where_it_is_told_to),
        cmocka_unit_test(the_gap_is_stationary_in_the_contact_variables),
        cmocka_unit_test(a_rough_guess_of_the_contact_moves_no_positions),
        cmocka_unit_test(contacts_that_make_no_sense_are_refused),
        cmocka_unit_test(a_contact_point_does_not_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
