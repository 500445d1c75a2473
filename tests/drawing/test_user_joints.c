/* Joints given by a function move like the built-in joints that they imitate.

   The same mechanism is run with each; the bounds are K times the tolerance 1e-10. */
#include "scripted.h"

#include <math.h>

static const double TOL = 1e-10;

/* A body on a revolute joint carries another one on the joint under test. */
#define CHAIN                                                                                      \
    "gravity{0, -9.81, 1}\n"                                                                       \
    "local A = body('A', { mass = 1.3, inertia = {0.1, 0.2, 0.25, 0.01, 0.02, 0.03},\n"            \
    "  com = {0.5, 0.1, 0.2} })\n"                                                                 \
    "local B = body('B', { mass = 0.7, inertia = {0.1, 0.15, 0.2}, com = {1.5, 0.3, -0.2} })\n"    \
    "local a = revolute('a', ground, A, { at = {0, 0, 0}, axis = {0, 1, 0} })\n"                   \
    "initial{ [a.q] = 0.1, [a.qd] = 1 }\n"

#define RESULTS                                                                                    \
    "local tip = point(B, {2, 0, 0})\n"                                                            \
    "output('x', tip.x) output('y', tip.y) output('z', tip.z) output('energy', energy())\n"

/* Runs all mechanisms and compares tip and energy with those of the first. */
static void compare(const char *const *joints, int count, double K)
{
    static const char *const names[] = {"x", "y", "z", "energy"};
    double first[4] = {0};
    for (int k = 0; k < count; k++) {
        char text[4000];
        snprintf(text, sizeof text, "%s%s%s", CHAIN, joints[k], RESULTS);
        scripted s = scripted_text(text);
        scripted_start(&s, &(dfl_solver_options){.rtol = TOL, .self_check = true});
        const double energy = scripted_output(&s, "energy");
        scripted_advance(&s, 1.0);
        assert_near(scripted_output(&s, "energy"), energy, K * TOL);
        for (int i = 0; i < 4; i++) {
            if (k == 0)
                first[i] = scripted_output(&s, names[i]);
            assert_near(scripted_output(&s, names[i]), first[i], K * TOL);
        }
        scripted_free(&s);
    }
}

static void every_way_to_write_a_cylindrical_joint_moves_alike(void **state)
{
    (void)state;
    static const char *const joints[] = {
        "local c = cylindrical('c', A, B, { at = {1, 0, 0}, axis = {0, 0, 1} })\n"
        "initial{ [c.q1] = 0.2, [c.q2] = 0.3, [c.qd1] = 2, [c.qd2] = -0.4 }\n",
        /* axis and angle */
        "local c = joint('c', A, B, { at = {1, 0, 0}, coordinates = {'phi', 's'},\n"
        "  pose = function(phi, s) return {0, 0, s}, { axis = {0, 0, 2}, angle = phi } end })\n"
        "initial{ [c.phi] = 0.2, [c.s] = 0.3, [velocity(c.phi)] = 2, [velocity(c.s)] = -0.4 }\n",
        /* a matrix */
        "local c = joint('c', A, B, { at = {1, 0, 0}, coordinates = 2, pose = function(q, s)\n"
        "  return {0, 0, s}, {{cos(q), -sin(q), 0}, {sin(q), cos(q), 0}, {0, 0, 1}} end })\n"
        "initial{ [c.q1] = 0.2, [c.q2] = 0.3, [c.qd1] = 2, [c.qd2] = -0.4 }\n",
        /* residuals of the poses, as in Arnold (2013), eq. (7) */
        "local phi, s = joint('c', A, B, { at = {1, 0, 0}, coordinates = {'phi', 's'},\n"
        "  residual = function(a, b, phi, s)\n"
        "    local function turn(i, k)\n"
        "      return a.R[1][i]*b.R[1][k] + a.R[2][i]*b.R[2][k] + a.R[3][i]*b.R[3][k] end\n"
        "    local function shift(i)\n"
        "      return a.R[1][i]*(b.x - a.x) + a.R[2][i]*(b.y - a.y) + a.R[3][i]*(b.z - a.z) end\n"
        "    return shift(1), shift(2), shift(3) - s, turn(1, 3), turn(2, 3),\n"
        "           turn(2, 1)*cos(phi) - turn(1, 1)*sin(phi) end })\n"
        "initial{ [phi] = 0.2, [s] = 0.3, [velocity(phi)] = 2, [velocity(s)] = -0.4 }\n"};
    compare(joints, 4, 100);
}

static void angles_about_x_and_y_are_a_universal_joint(void **state)
{
    (void)state;
    static const char *const joints[] = {
        "local c = universal('c', A, B, { at = {1, 0, 0}, axis = {1, 0, 0}, axis2 = {0, 1, 0} })\n"
        "initial{ [c.q1] = 0.2, [c.q2] = 0.3, [c.qd1] = 2, [c.qd2] = -0.4 }\n",
        "local c = joint('c', A, B, { at = {1, 0, 0}, coordinates = 2,\n"
        "  pose = function(q1, q2) return {0, 0, 0}, { angles = {q1, q2, 0} } end })\n"
        "initial{ [c.q1] = 0.2, [c.q2] = 0.3, [c.qd1] = 2, [c.qd2] = -0.4 }\n",
        /* other coordinates for the same motion */
        "local c = joint('c', A, B, { at = {1, 0, 0}, coordinates = 2,\n"
        "  pose = function(u, v) return nil, { angles = {u + v, u - v, 0} } end })\n"
        "initial{ [c.q1] = 0.25, [c.q2] = -0.05, [c.qd1] = 0.8, [c.qd2] = 1.2 }\n"};
    compare(joints, 3, 100);
}

static void six_coordinates_are_a_free_body(void **state)
{
    (void)state;
    static const char *const joints[] = {
        "local c = free('c', A, B, { at = {1, 0, 0} })\n"
        "initial{ [c.q1] = 0.1, [c.q2] = 0, [c.q3] = 0, [c.w1] = 0.3, [c.w2] = 0.2, [c.w3] = 1,\n"
        "  [c.v1] = 0.5, [c.v2] = 0, [c.v3] = 0.1, [c.q4] = 1, [c.q5] = 0, [c.q6] = 0, [c.q7] = 0 "
        "}\n",
        "local c = joint('c', A, B, { at = {1, 0, 0}, coordinates = 6,\n"
        "  pose = function(x, y, z, a, b, c) return {x, y, z}, { angles = {a, b, c} } end })\n"
        "initial{ [c.q1] = 0.1, [c.qd1] = 0.5, [c.q2] = 0, [c.qd2] = 0, [c.q3] = 0, [c.qd3] = "
        "0.1,\n"
        "  [c.q4] = 0, [c.qd4] = 0.3, [c.q5] = 0, [c.qd5] = 0.2, [c.q6] = 0, [c.qd6] = 1 }\n"};
    compare(joints, 2, 200);
}

/* In the plane the pose is {x, y} and an angle; a bead on a curve that turns with it. The kinetic
   energy of a bead on the parabola y = x^2 is m (1 + 4 x^2) x'^2 / 2 + J (2 / (1 + 4 x^2))^2 x'^2 /
   2. */
static void a_bead_follows_its_curve(void **state)
{
    (void)state;
    scripted s =
        scripted_text("planar()\n gravity{0, -9.81}\n"
                      "local b = body('b', { mass = 2, inertia = 0.5 })\n"
                      "local j = joint('j', ground, b, { at = {0, 0}, coordinates = {'s'},\n"
                      "  pose = function(s) return {s, s^2}, atan(2*s) end })\n"
                      "initial{ [j.s] = 1, [velocity(j.s)] = 0 }\n");
    scripted_run(&s, 2.0, TOL);
    const double x = scripted_value(&s, "j.s"), v = scripted_value(&s, "der(j.s)");
    const double slope = 1 + 4 * x * x, turn = 2 / slope;
    assert_near(0.5 * (2 * slope + 0.5 * turn * turn) * v * v + 2 * 9.81 * x * x, 2 * 9.81,
                1000 * TOL);
    scripted_free(&s);
}

/* The angle of a body in the plane counts the turns of all joints before it, those of poses as
   well. */
static void poses_count_in_the_angle_of_bodies(void **state)
{
    (void)state;
    scripted s =
        scripted_text("planar()\n"
                      "local a = body('a', { mass = 2, inertia = 0.5 })\n"
                      "local b = body('b', { mass = 1, inertia = 0.1, com = {1, 0} })\n"
                      "local j = joint('j', ground, a, { at = {0, 0}, coordinates = {'s'},\n"
                      "  pose = function(s) return {s, 0}, 2*s end })\n"
                      "local r = revolute('r', a, b, { at = {1, 0}, axis = {0, 0, -1} })\n"
                      "initial{ [j.s] = 0.3, [r.q] = 0.1 }\n"
                      "output('a', a.angle) output('b', b.angle)\n");
    scripted_start(&s, NULL);
    assert_near(scripted_output(&s, "a"), 0.6, 1e-15);
    assert_near(scripted_output(&s, "b"), 0.5, 1e-15);
    scripted_free(&s);
}

/* A pose that moves with time, without coordinates: the same as motion = ... */
static void a_pose_of_time_alone_is_a_prescribed_motion(void **state)
{
    (void)state;
    static const char *const joints[] = {
        "local d = body('d', {})\n"
        "revolute('c', A, d, { at = {1, 0, 0}, axis = {0, 0, 1}, motion = sin(3*time) })\n"
        "local r = revolute('r', d, B, { at = {1.5, 0, 0}, axis = {1, 0, 0} })\n"
        "initial{ [r.q] = 0.1, [r.qd] = 1 }\n",
        "local d = body('d', {})\n"
        "joint('c', A, d, { at = {1, 0, 0},\n"
        "  pose = function(t) return {0, 0, 0}, { axis = {0, 0, 1}, angle = sin(3*t) } end })\n"
        "local r = revolute('r', d, B, { at = {1.5, 0, 0}, axis = {1, 0, 0} })\n"
        "initial{ [r.q] = 0.1, [r.qd] = 1 }\n"};
    double first[2] = {0};
    for (int k = 0; k < 2; k++) {
        char text[4000];
        snprintf(text, sizeof text, "%s%s%s", CHAIN, joints[k], RESULTS);
        scripted s = scripted_text(text);
        scripted_run(&s, 1.0, TOL);
        const double now[2] = {scripted_output(&s, "x"), scripted_output(&s, "energy")};
        for (int i = 0; i < 2; i++)
            assert_near(now[i], k == 0 ? now[i] : first[i], 100 * TOL);
        memcpy(first, now, sizeof first);
        scripted_free(&s);
    }
}

static void assert_refused(const char *joint, const char *message)
{
    char text[4000];
    snprintf(text, sizeof text, "%s%s", CHAIN, joint);
    scripted_refused(text, message);
}

static void joints_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    assert_refused(
        "joint('c', A, B, { at = {1, 0, 0}, coordinates = 2,\n"
        "  pose = function(u, v) return {0, 0, 0}, { axis = {1, 0, 0}, angle = u + v } end })",
        "c.q2 adds no motion to those of the coordinates before it; "
        "leave it out");
    assert_refused("local c = joint('c', A, B, { at = {1, 0, 0}, coordinates = 3,\n"
                   "  pose = function(u, v, w) return {0, 0, 0}, { angles = {u, v, w} } end })\n"
                   "initial{ [c.q2] = pi/2 }",
                   "its pose is singular at the start: there c.q3 adds no motion");
    assert_refused(
        "joint('c', A, B, { at = {1, 0, 0}, coordinates = 1,\n"
        "  pose = function(u) return {0, 0, u}, {{1, u, 0}, {0, 1, 0}, {0, 0, 1}} end })",
        "the matrix of its pose is not a rotation");
    assert_refused("joint('c', A, B, { at = {1, 0, 0}, coordinates = 1,\n"
                   "  pose = function(u) return {0, 0, a.q}, nil end })",
                   "contains variables other than the joint's own coordinates");
    assert_refused("joint('c', A, B, { at = {1, 0, 0}, coordinates = 7, pose = function() end })",
                   "coordinates are a number from 0 to 6");
    assert_refused("joint('c', A, B, { at = {1, 0, 0}, coordinates = 1 })", "give one function");
    assert_refused("joint('c', A, B, { coordinates = 1 })", "the point is missing");
    assert_refused("joint('c', A, B, { at = {1, 0, 0}, cordinates = 1 })",
                   "did you mean 'coordinates'?");
    assert_refused("joint('c', A, B, { at = {1, 0, 0}, coordinates = 1,\n"
                   "  pose = function(u) return {0, 0}, nil end })",
                   "the position that pose returns has 2 numbers");
    assert_refused("joint('c', A, B, { at = {1, 0, 0}, coordinates = 1,\n"
                   "  residual = function(a, b, u) return b.x - a.x end })",
                   "residual returns 1 values; return more than its 1 coordinates");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_write_a_cylindrical_joint_moves_alike),
        cmocka_unit_test(angles_about_x_and_y_are_a_universal_joint),
        cmocka_unit_test(six_coordinates_are_a_free_body),
        cmocka_unit_test(a_bead_follows_its_curve),
        cmocka_unit_test(poses_count_in_the_angle_of_bodies),
        cmocka_unit_test(a_pose_of_time_alone_is_a_prescribed_motion),
        cmocka_unit_test(joints_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
