/* Newton's and Euler's balance of a body in a closed chain from what outputs say of it;
   orientations at half turns; prescribed motions with and without a coordinate. */
#include "../scripted.h"

static void cross(double *c, const double *a, const double *b)
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void times(double *y, double A[3][3], const double *x)
{
    for (int i = 0; i < 3; i++)
        y[i] = A[i][0] * x[0] + A[i][1] * x[1] + A[i][2] * x[2];
}

/* R of a unit quaternion. */
static void rotation(double R[3][3], const double *q)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        R[i][i] = 1 - 2 * (q[1 + j] * q[1 + j] + q[1 + k] * q[1 + k]);
        R[i][j] = 2 * (q[1 + i] * q[1 + j] - q[0] * q[1 + k]);
        R[j][i] = 2 * (q[1 + i] * q[1 + j] + q[0] * q[1 + k]);
    }
}

static void read(double *x, const scripted *s, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        x[i] = scripted_output(s, names[i]);
}

/* The spatial four-bar with two spheres. The coupler has a full inertia I about its centre; P and Q
   are its spheres. m a = F_P - F_Q + m g; I alpha + omega x I omega = p x F_P - q x F_Q, the loop
   cut at either sphere. */
static void check_coupler(const char *joints)
{
    static const char *const acceleration[] = {"k.ax", "k.ay", "k.az"},
                             *const spin[] = {"k.wx", "k.wy", "k.wz"},
                             *const rate[] = {"k.alx", "k.aly", "k.alz"},
                             *const turn[] = {"k.q0", "k.q1", "k.q2", "k.q3"},
                             *const at_P[] = {"Px", "Py", "Pz"}, *const at_Q[] = {"Qx", "Qy", "Qz"};
    static const double g[3] = {0.3, -0.5, -9.81}, p[3] = {-0.5, 0, -0.1}, q[3] = {0.5, 0.1, 0.1};
    double I[3][3] = {{0.2, 0.02, 0.01}, {0.02, 0.3, 0.03}, {0.01, 0.03, 0.25}};
    char text[2000];
    snprintf(
        text, sizeof text,
        "gravity{0.3, -0.5, -9.81}\n"
        "local c = body('c', {mass = 1, com = {0, 0.1, 0.1}, inertia = {0.02, 0.03, 0.04}})\n"
        "local k = body('k', {mass = 2, com = {0.5, 0.2, 0.3}, "
        "inertia = {0.2, 0.3, 0.25, 0.02, 0.01, 0.03}})\n"
        "local r = body('r', {mass = 1.5, com = {1, 0.2, 0.15}, inertia = {0.05, 0.04, 0.03}})\n"
        "local A = revolute('A', ground, c, {at = {0, 0, 0}, axis = {1, 0, 0}})\n%s\n"
        "output('k', point(k, {0.5, 0.2, 0.3}), 'acceleration', 'rotation', 'spin', 'spin_rate')\n"
        "output('Px', P.fx) output('Py', P.fy) output('Pz', P.fz)\n"
        "output('Qx', sign*Q.fx) output('Qy', sign*Q.fy) output('Qz', sign*Q.fz)\n"
        "initial{[A.q] = 0.3, [A.qd] = 4}\n",
        joints);
    scripted s = scripted_text(text);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8});
    for (int i = 0; i < 2; i++) {
        double a[3], w[3], al[3], e[4], F[3], G[3], R[3][3], arm_p[3], arm_q[3];
        read(a, &s, acceleration, 3), read(w, &s, spin, 3), read(al, &s, rate, 3);
        read(e, &s, turn, 4), read(F, &s, at_P, 3), read(G, &s, at_Q, 3);
        rotation(R, e);
        times(arm_p, R, p), times(arm_q, R, q);
        double W[3][3], T[3][3], Iw[3], Ial[3], gyro[3], M[3], N[3];
        for (int m = 0; m < 3; m++)
            times(T[m], I, R[m]); /* T = R I, since I is symmetric */
        for (int m = 0; m < 3; m++)
            times(W[m], R, T[m]); /* W = R I R^T */
        times(Iw, W, w), times(Ial, W, al);
        cross(gyro, w, Iw), cross(M, arm_p, F), cross(N, arm_q, G);
        for (int m = 0; m < 3; m++) {
            assert_near(2 * a[m], F[m] - G[m] + 2 * g[m], 1e-9); /* 1e-10 of forces of 20 N */
            assert_near(Ial[m] + gyro[m], M[m] - N[m], 1e-9);
        }
        scripted_advance(&s, 0.6);
    }
    scripted_free(&s);
}

static void the_coupler_of_a_spatial_four_bar_is_in_balance(void **state)
{
    (void)state;
    check_coupler("local P = spherical('P', c, k, {at = {0, 0.2, 0.2}})\n"
                  "revolute('D', ground, r, {at = {1, 0.1, -0.1}, axis = {0.2, 1, 0.1}})\n"
                  "local Q, sign = spherical('Q', k, r, {at = {1, 0.3, 0.4}}), 1");
    check_coupler("revolute('D', ground, r, {at = {1, 0.1, -0.1}, axis = {0.2, 1, 0.1}})\n"
                  "local Q, sign = spherical('Q', r, k, {at = {1, 0.3, 0.4}}), -1\n"
                  "local P = spherical('P', c, k, {at = {0, 0.2, 0.2}})");
}

/* The quaternion that comes out is the one that went in, or its opposite: at turns of pi about any
   axis, and at small components, to rounding. */
static void orientations_come_back(void **state)
{
    (void)state;
    static const double turns[][4] = {{0, 0.6, -0.8, 0},       {0, -0.48, 0.6, 0.64}, {0, 0, 0, 1},
                                      {1e-9, 0.6, 0, -0.8},    {0.8, 0.6, 0, 0},      {1, 0, 0, 0},
                                      {0.28, -0.96, 1e-10, 0}, {0.5, -0.5, 0.5, -0.5}};
    static const char *const in[] = {"f.q4", "f.q5", "f.q6", "f.q7"}, *const out[] = {
                                                                          "p.q0", "p.q1", "p.q2",
                                                                          "p.q3"};
    scripted s = scripted_text("local b = body('b', {mass = 1, inertia = {1, 1, 1}})\n"
                               "free('f', ground, b, {at = {0, 0, 0}})\n"
                               "output('p', point(b, {0, 0, 0}), 'rotation')\n");
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        double e[4], along = 0.0;
        for (int k = 0; k < 4; k++)
            scripted_give(&s, in[k], turns[i][k], true);
        scripted_start(&s, NULL);
        read(e, &s, out, 4);
        for (int k = 0; k < 4; k++)
            along += e[k] * turns[i][k];
        assert_true(e[0] >= 0.0);
        for (int k = 0; k < 4; k++)
            assert_near(e[k], along > 0 ? turns[i][k] : -turns[i][k], 1e-15);
    }
    scripted_free(&s);
}

/* A crane that turns and travels: without coordinates, and with coordinates that drives hold. */
static const char *const crane =
    "gravity{0, 0, -9.81}\n"
    "local tower = body('tower', {mass = 10, com = {1, 0, 0}, inertia = {2, 2, 3, 0.1, 0.2, "
    "0.3}})\n"
    "local cart = body('cart', {mass = 3, com = {2, 0.1, 0}, inertia = {0.3, 0.2, 0.3}})\n"
    "local load = body('load', {mass = 5, com = {2, 0, -3}, inertia = {0.5, 0.5, 0.4}})\n"
    "local turn, go = 0.5*time^2, 0.2*sin(3*time)\n"
    "local function option(motion) return driven and motion or nil end\n"
    "local a = revolute('a', ground, tower, {at = {0, 0, 0}, axis = {0, 0, 1}, motion = "
    "option(turn)})\n"
    "local b = prismatic('b', tower, cart, {at = {2, 0, 0}, axis = {1, 0, 0}, motion = "
    "option(go)})\n"
    "local s = spherical('s', cart, load, {at = {2, 0, 0}})\n"
    "local torque, push = a.drive, b.drive\n"
    "if not driven then\n"
    "  torque, push = -multiplier(drive('da', a, turn)), -multiplier(drive('db', b, go))\n"
    "end\n"
    "initial{[s.q2] = 0.1, [s.q3] = 0, [s.q4] = 0, [s.w1] = 0, [s.w2] = 0, [s.w3] = 0}\n"
    "output('torque', torque) output('push', push) output('energy', energy())\n"
    "output('s', s) output('a', a)\n";

static void a_motion_needs_the_force_of_its_drive(void **state)
{
    (void)state;
    static const char *const names[] = {"torque", "push", "energy", "s.fx", "s.fy", "s.fz",
                                        "a.fx",   "a.fy", "a.fz",   "a.mx", "a.my", "a.mz"};
    enum { count = sizeof names / sizeof *names };
    double x[2][count];
    for (int i = 0; i < 2; i++) {
        char text[3000];
        snprintf(text, sizeof text, "local driven = %s\n%s", i ? "true" : "false", crane);
        scripted s = scripted_text(text);
        scripted_run(&s, 1.5, 1e-10);
        read(x[i], &s, names, count);
        scripted_free(&s);
    }
    for (int k = 0; k < count; k++)
        assert_near(x[1][k], x[0][k], 1e-7 * (1 + fabs(x[0][k])));
}

/* What was missing said nothing, or named no remedy. */
static void messages_name_the_remedy(void **state)
{
    (void)state;
    scripted_refused("local b = body('b', {mass = 1, inertia = {1, 1, 1}})\n"
                     "screw('j', ground, b, {at = {0, 0, 0}, axis = {1, 0, 0}})\n",
                     "test.lua:2: screw 'j': the lead is missing; give lead = ");
    scripted_refused("planar()\nlocal b = body('b', {mass = 1})\n",
                     "free(\"...\", ground, b, { at = {0, 0} })");
    scripted_refused("planar()\nlocal b = body('b', {mass = 1})\n"
                     "prismatic('j', ground, b, {at = {0, 0}, axis = {0, 0}})\n",
                     "give two numbers that are not all zero");
    scripted_refused("planar()\nlocal b = body('b', {mass = 1, inertia = 1})\n"
                     "local j = revolute('j', ground, b, {at = {0, 0}})\nj.q = 1\n",
                     "test.lua:4: joint j: its fields cannot be assigned; starting values go into");
    scripted_refused("planar()\nlocal b = body('b', {mass = 1, inertia = 1})\n"
                     "revolute('j', ground, b, {at = {0, 0}, motion = time})\n",
                     "joints that are not driven");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_coupler_of_a_spatial_four_bar_is_in_balance),
        cmocka_unit_test(orientations_come_back),
        cmocka_unit_test(a_motion_needs_the_force_of_its_drive),
        cmocka_unit_test(messages_name_the_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
