/* Dynamics through driftless/multibody.h alone: exact solutions, forward and inverse dynamics as
   inverses of each other, several states at once, momentum, derivatives against differences. */
#include "public.h"

/* A pendulum of mass m at distance l: J q'' = -m g l sin q, J = m l^2 + I. */
static void a_pendulum_has_the_acceleration_of_the_textbook(void **state)
{
    (void)state;
    const double m = 2, l = 0.7, I = 0.3, g = 9.81, q = 0.4, w = 1.5;
    const dfl_rigid_body bob = {
        .name = "bob", .mass = m, .com = {0, -l, 0}, .inertia = {0.2, 0.2, I}};
    const dfl_joint pin = {
        .name = "pin", .kind = DFL_JOINT_REVOLUTE, .parent = DFL_GROUND, .axis = {0, 0, 2}};
    const dfl_multibody_description d = {
        .nbodies = 1, .njoints = 1, .bodies = &bob, .joints = &pin, .gravity = {0, -g, 0}};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *mb = new_multibody(ctx, &d);
    const double J = m * l * l + I, tau = 0.8;
    double a, M, back, x[3] = {0, -l, 0};
    dfl_frame tip;
    assert_int_equal(dfl_multibody_move(mb, 0, &q, &w), DFL_OK);
    assert_int_equal(dfl_multibody_forward(&a, NULL, mb, &tau), DFL_OK);
    assert_near(a, (tau - m * g * l * sin(q)) / J, 1e-13);
    dfl_multibody_mass(&M, mb);
    assert_near(M, J, 1e-14);
    assert_int_equal(dfl_multibody_inverse(&back, mb, &a), DFL_OK);
    assert_near(back, tau, 1e-13);
    assert_int_equal(dfl_multibody_frame(&tip, mb, 0, x, NULL, NULL), DFL_OK);
    const dfl_motion at = dfl_multibody_motion(mb, &tip);
    assert_near(at.r[0], l * sin(q), 1e-14);
    assert_near(at.r[1], -l * cos(q), 1e-14);
    assert_near(at.v[0], l * w * cos(q), 1e-14);
    assert_near(at.omega[2], w, 1e-14);
    assert_near(at.a[0], -l * w * w * sin(q), 1e-14); /* centripetal: v' = 0 */
    dfl_multibody_free(mb);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void inverse_of_forward_dynamics_is_the_identity(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 12;
    all_joints made;
    make_all_joints(&made, &seed);
    dfl_multibody *m = new_multibody(ctx, &made.description);
    const int nv = dfl_multibody_sizes_of(m).nv;
    for (int k = 0; k < 20; k++) {
        double p[MOST], v[MOST], tau[MOST], a[MOST], back[MOST], M[MOST * MOST], zero[MOST] = {0};
        any_place(p, m, &seed);
        fill(v, nv, &seed, 1.0);
        fill(tau, nv, &seed, 5.0);
        assert_int_equal(dfl_multibody_move(m, 0, p, v), DFL_OK);
        assert_int_equal(dfl_multibody_forward(a, NULL, m, tau), DFL_OK);
        assert_int_equal(dfl_multibody_inverse(back, m, a), DFL_OK);
        assert_near(distance(back, tau, nv), 0.0, 1e-10);
        /* M a - f is linear in a */
        dfl_multibody_mass(M, m);
        assert_int_equal(dfl_multibody_inverse(zero, m, zero), DFL_OK);
        for (int i = 0; i < nv; i++) {
            for (int j = 0; j < nv; j++)
                zero[i] += M[i + j * nv] * a[j];
            assert_near(zero[i], tau[i], 1e-10);
        }
    }
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

static void four_states_at_once_are_four_states(void **state)
{
    (void)state;
    enum { L = DFL_MULTIBODY_LANES };
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 13;
    all_joints made;
    make_all_joints(&made, &seed);
    dfl_multibody *m = new_multibody(ctx, &made.description);
    const dfl_multibody_sizes n = dfl_multibody_sizes_of(m);
    dfl_multibody_lanes *lanes = NULL;
    double p[L][MOST], v[L][MOST], x[L][MOST], y[MOST];
    double P[L * MOST], V[L * MOST], X[L * MOST], tau[L * MOST], a[L * MOST];
    for (int k = 0; k < L; k++) {
        any_place(p[k], m, &seed);
        fill(v[k], n.nv, &seed, 1.0);
        fill(x[k], n.nv, &seed, 2.0);
        for (int i = 0; i < n.np; i++)
            P[i * L + k] = p[k][i];
        for (int i = 0; i < n.nv; i++) {
            V[i * L + k] = v[k][i];
            X[i * L + k] = x[k][i];
        }
    }
    assert_int_equal(dfl_multibody_lanes_create(&lanes, m), DFL_OK);
    assert_int_equal(dfl_multibody_lanes_move(lanes, 0, P, V), DFL_OK);
    assert_int_equal(dfl_multibody_lanes_inverse(tau, lanes, X), DFL_OK);
    assert_int_equal(dfl_multibody_lanes_forward(a, lanes, X), DFL_OK);
    for (int k = 0; k < L; k++) { /* products may be fused in one and not in the other */
        assert_int_equal(dfl_multibody_move(m, 0, p[k], v[k]), DFL_OK);
        assert_int_equal(dfl_multibody_inverse(y, m, x[k]), DFL_OK);
        for (int i = 0; i < n.nv; i++)
            assert_near(tau[i * L + k], y[i], 1e-11 * (1 + fabs(y[i])));
        assert_int_equal(dfl_multibody_forward(y, NULL, m, x[k]), DFL_OK);
        for (int i = 0; i < n.nv; i++)
            assert_near(a[i * L + k], y[i], 1e-9 * (1 + fabs(y[i])));
    }
    dfl_multibody_lanes_free(lanes);
    dfl_multibody_free(m);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static int accelerated(double *motion, double t, void *user)
{
    (void)user;
    motion[0] = t * t;
    motion[1] = 2 * t;
    motion[2] = 2;
    return 0;
}

/* The lanes are at t = 1, whatever the mechanism does; and it is where it was. */
static void several_states_keep_their_own_drives(void **state)
{
    (void)state;
    enum { L = DFL_MULTIBODY_LANES };
    four_bar made;
    make_four_bar(&made, true);
    made.description.nloops = 0;
    made.joint[0].driven = true;
    made.description.drive = accelerated;
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &made.description);
    dfl_multibody_lanes *lanes = NULL;
    const double P[2 * L] = {0.1, 0.2, 0.3, 0.4}, V[2 * L] = {1, 1, 1, 1}, A[2 * L] = {0};
    const double p[2] = {0.2, 0}, v[2] = {1, 0};
    double one[2], before[2 * L], after[2 * L], two[2];
    assert_int_equal(dfl_multibody_lanes_create(&lanes, m), DFL_OK);
    assert_int_equal(dfl_multibody_move(m, 2, p, v), DFL_OK);
    assert_int_equal(dfl_multibody_inverse(two, m, A), DFL_OK);
    assert_int_equal(dfl_multibody_lanes_move(lanes, 1, P, V), DFL_OK);
    assert_int_equal(dfl_multibody_lanes_inverse(before, lanes, A), DFL_OK);
    assert_int_equal(dfl_multibody_inverse(one, m, A), DFL_OK);
    assert_memory_equal(one, two, sizeof one);
    assert_int_equal(dfl_multibody_lanes_inverse(after, lanes, A), DFL_OK);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(dfl_multibody_move(m, 1, p, v), DFL_OK);
    assert_int_equal(dfl_multibody_inverse(one, m, A), DFL_OK);
    assert_near(after[1], one[0], 1e-12); /* products may be fused in one and not in the other */
    dfl_multibody_lanes_free(lanes);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* A body held at the origin, with its centre of mass at (l, 0, 0): on the body -lambda u is the
   force of a row u.d, and lambda_4 x cross z = -lambda_4 y the torque of xZ. */
static void the_force_of_a_joint_is_read_from_multipliers(void **state)
{
    (void)state;
    const double m = 2, l = 0.7, g = 9.81;
    const dfl_rigid_body body = {.mass = m, .com = {l, 0, 0}, .inertia = {1, 1, 1}};
    const dfl_joint free = {.kind = DFL_JOINT_FREE, .parent = DFL_GROUND};
    const dfl_loop hold = {.kind = DFL_JOINT_FIXED, .a = DFL_GROUND, .b = 0};
    const dfl_loop rod = {.kind = DFL_JOINT_DISTANCE,
                          .a = DFL_GROUND,
                          .b = 0,
                          .at = {l, 0, 0},
                          .apart = true,
                          .at_b = {l, 0, -3}};
    dfl_multibody_description d = {.nbodies = 1,
                                   .njoints = 1,
                                   .bodies = &body,
                                   .joints = &free,
                                   .gravity = {0, 0, -g},
                                   .nloops = 1,
                                   .loops = &hold};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *mb = new_multibody(ctx, &d);
    double a[6], lambda[6];
    assert_int_equal(dfl_multibody_forward(a, lambda, mb, NULL), DFL_OK);
    const double held[6] = {0, 0, -m * g, m * g * l, 0, 0};
    assert_near(distance(lambda, held, 6), 0.0, 1e-12); /* some 20 N, rounding */
    dfl_multibody_free(mb);
    d.loops =
        &(dfl_loop){.kind = rod.kind, .a = rod.a, .apart = true, .at = {l}, .at_b = {l, 0, -3}};
    mb = new_multibody(ctx, &d);
    const double tau[6] = {0, -m * g * l}; /* of a torque that carries the offset */
    assert_int_equal(dfl_multibody_forward(a, lambda, mb, tau), DFL_OK);
    assert_near(lambda[0], m * g, 1e-12); /* the rod pulls */
    dfl_multibody_free(mb);
    dfl_context_free(ctx);
}

/* ------------------------------------------------------------------ derivatives */

/* tau or a, with the state moved by `by` along velocity k, in velocity k, or in tau_k. */
typedef enum change { ALONG, SPEED, FORCE } change;

static void value_at(double *y, dfl_multibody *m, const double *p, const double *v, const double *x,
                     bool forward, change what, int k, double by)
{
    const dfl_multibody_sizes n = dfl_multibody_sizes_of(m);
    double unit[MOST] = {0}, q[MOST], u[MOST], z[MOST];
    unit[k] = by;
    assert_int_equal(dfl_multibody_move(m, 0, p, unit), DFL_OK);
    dfl_multibody_rates(q, m);
    for (int i = 0; i < n.np; i++)
        q[i] = p[i] + (what == ALONG ? q[i] : 0.0);
    for (int i = 0; i < n.nv; i++) {
        u[i] = v[i] + (what == SPEED ? unit[i] : 0.0);
        z[i] = x[i] + (what == FORCE ? unit[i] : 0.0);
    }
    assert_int_equal(dfl_multibody_move(m, 0, q, u), DFL_OK);
    if (forward)
        assert_int_equal(dfl_multibody_forward(y, NULL, m, z), DFL_OK);
    else
        assert_int_equal(dfl_multibody_inverse(y, m, z), DFL_OK);
}

/* Central differences: 1e-10 |third derivative| + 1e-16 |value| / 1e-5. */
static void assert_slopes(dfl_multibody *m, const double *p, const double *v, const double *x,
                          bool forward)
{
    static double S[3][MOST * MOST];
    const int nv = dfl_multibody_sizes_of(m).nv;
    const double step = 1e-5;
    double high[MOST], low[MOST];
    assert_int_equal(dfl_multibody_move(m, 0, p, v), DFL_OK);
    assert_int_equal(forward ? dfl_multibody_forward_slopes(S[0], S[1], S[2], m, x)
                             : dfl_multibody_inverse_slopes(S[0], S[1], S[2], m, x),
                     DFL_OK);
    for (int what = 0; what < 3; what++)
        for (int k = 0; k < nv; k++) {
            value_at(high, m, p, v, x, forward, (change)what, k, step);
            value_at(low, m, p, v, x, forward, (change)what, k, -step);
            for (int i = 0; i < nv; i++) {
                const double s = S[what][i + k * nv];
                assert_near((high[i] - low[i]) / (2 * step), s, 2e-6 * (10 + fabs(s)));
            }
        }
}

static void derivatives_of_trees_are_limits_of_differences(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 14;
    all_joints made;
    make_all_joints(&made, &seed);
    dfl_multibody *m = new_multibody(ctx, &made.description);
    const int nv = dfl_multibody_sizes_of(m).nv;
    double p[MOST], v[MOST], x[MOST];
    any_place(p, m, &seed);
    fill(v, nv, &seed, 1.0);
    fill(x, nv, &seed, 1.0);
    assert_slopes(m, p, v, x, false);
    assert_slopes(m, p, v, x, true);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* Off the closed position as well: W a + bias = 0 is kept wherever the rows are evaluated. */
static void derivatives_of_loops_are_limits_of_differences(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    for (int planar = 0; planar < 2; planar++) {
        four_bar made;
        make_four_bar(&made, planar);
        made.loop.kind = planar ? DFL_JOINT_REVOLUTE : DFL_JOINT_POINT_ON_LINE;
        dfl_multibody *m = new_multibody(ctx, &made.description);
        const double p[3] = {0.3, -0.2, 0.4}, v[3] = {1, 0.5, -0.7}, tau[3] = {2, 0, -1};
        assert_slopes(m, p, v, tau, true);
        dfl_multibody_free(m);
    }
    dfl_context_free(ctx);
}

/* A rod on two springs of a force callback: slopes by differences inside. */
static int two_springs(double *tau, dfl_multibody *m, double t, const double *p, const double *v,
                       void *user)
{
    (void)t, (void)p, (void)v;
    const dfl_frame *end = user;
    const dfl_motion at = dfl_multibody_motion(m, end);
    const double force[3] = {-30 * at.r[0] - 2 * at.v[0], -30 * at.r[1] - 2 * at.v[1],
                             -30 * at.r[2] - 2 * at.v[2]};
    dfl_multibody_push(tau, m, end, force, NULL);
    return 0;
}

static void forces_by_callback_have_derivatives(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 15;
    all_joints made;
    dfl_frame end;
    make_all_joints(&made, &seed);
    made.description.force = two_springs;
    made.description.user = &end;
    dfl_multibody *m = new_multibody(ctx, &made.description);
    const int nv = dfl_multibody_sizes_of(m).nv;
    const double at[3] = {0.3, 0.2, 0.9};
    double p[MOST], v[MOST], x[MOST];
    assert_int_equal(dfl_multibody_frame(&end, m, 4, at, NULL, NULL), DFL_OK);
    any_place(p, m, &seed);
    fill(v, nv, &seed, 1.0);
    fill(x, nv, &seed, 1.0);
    assert_slopes(m, p, v, x, false);
    assert_slopes(m, p, v, x, true);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* J v is the velocity; J^T F is what a push adds. */
static void jacobians_belong_to_motions_and_pushes(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 16;
    all_joints made;
    make_all_joints(&made, &seed);
    dfl_multibody *m = new_multibody(ctx, &made.description);
    const int nv = dfl_multibody_sizes_of(m).nv;
    const double at[3] = {0.1, -0.4, 0.2}, axis[3] = {1, 2, 3};
    const double F[3] = {1, -2, 3}, N[3] = {0.5, 0.2, -1};
    double p[MOST], v[MOST], J[6 * MOST], tau[MOST] = {0};
    any_place(p, m, &seed);
    fill(v, nv, &seed, 1.0);
    for (int body = 0; body < MOST_BODIES; body++) {
        dfl_frame frame;
        assert_int_equal(dfl_multibody_frame(&frame, m, body, at, axis, NULL), DFL_OK);
        assert_int_equal(dfl_multibody_move(m, 0, p, v), DFL_OK);
        const dfl_motion move = dfl_multibody_motion(m, &frame);
        dfl_multibody_jacobian(J, m, &frame);
        memset(tau, 0, sizeof tau);
        dfl_multibody_push(tau, m, &frame, F, N);
        for (int k = 0; k < 6; k++) {
            double sum = 0;
            for (int i = 0; i < nv; i++)
                sum += J[k + 6 * i] * v[i];
            assert_near(sum, k < 3 ? move.omega[k] : move.v[k - 3], 1e-12);
        }
        for (int i = 0; i < nv; i++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += J[k + 6 * i] * N[k] + J[k + 3 + 6 * i] * F[k];
            assert_near(tau[i], sum, 1e-12);
        }
    }
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* Free bodies without gravity: M v of the free joint at the centre of mass stays, whatever hangs on
   it. */
static void momentum_of_a_free_mechanism_is_conserved(void **state)
{
    (void)state;
    const dfl_rigid_body bodies[2] = {
        {.name = "base", .mass = 3, .inertia = {0.5, 0.6, 0.7}},
        {.name = "arm", .mass = 1, .com = {1, 0, 0}, .inertia = {0.1, 0.2, 0.2}}};
    const dfl_joint joints[2] = {
        {.name = "free", .kind = DFL_JOINT_FREE, .parent = DFL_GROUND, .child = 0},
        {.name = "hinge", .kind = DFL_JOINT_REVOLUTE, .parent = 0, .child = 1, .axis = {0, 0, 1}}};
    const dfl_multibody_description d = {
        .nbodies = 2, .njoints = 2, .bodies = bodies, .joints = joints};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &d);
    const dfl_eom *eom = NULL;
    assert_int_equal(dfl_multibody_eom(&eom, m), DFL_OK);
    double x0[15] = {0.3, 0.2, -0.1, 1, 0, 0.5, 2, 0, 0, 0, 1}, P[2][3];
    const dfl_solver_options options = {.rtol = 1e-9, .atol = 1e-9, .self_check = true};
    const run end = run_with(eom, 0, x0, 2, &options, NULL);
    assert_succeeded(&end);
    for (int k = 0; k < 2; k++) {
        const double *x = k ? end.x : x0;
        memset(P[k], 0, sizeof P[k]);
        assert_int_equal(dfl_multibody_move(m, 0, x + 7, x), DFL_OK);
        for (int b = 0; b < 2; b++) {
            dfl_frame centre;
            assert_int_equal(dfl_multibody_frame(&centre, m, b, bodies[b].com, NULL, NULL), DFL_OK);
            const dfl_motion move = dfl_multibody_motion(m, &centre);
            for (int i = 0; i < 3; i++)
                P[k][i] += bodies[b].mass * move.v[i];
        }
    }
    assert_near(distance(P[0], P[1], 3), 0.0, 1e-6); /* some 5 kg m/s, tolerance 1e-9 */
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* A tree joint and the same joint as a loop between a free body and the ground: the same motion. */
static void loops_and_tree_joints_are_the_same_mechanism(void **state)
{
    (void)state;
    const dfl_rigid_body body = {
        .name = "body", .mass = 2, .com = {0.5, 0.2, 0.1}, .inertia = {0.2, 0.3, 0.4}};
    const double at[3] = {0.1, 0.2, 0}, axis[3] = {0.6, 0, 0.8};
    dfl_joint hinge = {.name = "hinge", .kind = DFL_JOINT_REVOLUTE, .parent = DFL_GROUND};
    dfl_joint free = {.name = "free", .kind = DFL_JOINT_FREE, .parent = DFL_GROUND};
    dfl_loop loop = {.name = "hinge", .kind = DFL_JOINT_REVOLUTE, .a = DFL_GROUND, .b = 0};
    memcpy(hinge.at, at, sizeof at);
    memcpy(hinge.axis, axis, sizeof axis);
    memcpy(loop.at, at, sizeof at);
    memcpy(loop.axis, axis, sizeof axis);
    const dfl_multibody_description tree = {
        .nbodies = 1, .njoints = 1, .bodies = &body, .joints = &hinge, .gravity = {0, -9.81, 0}};
    dfl_multibody_description cut = tree;
    cut.joints = &free;
    cut.nloops = 1;
    cut.loops = &loop;
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *one = new_multibody(ctx, &tree), *two = new_multibody(ctx, &cut);
    const double w = 1.3;
    double a[2][6], lambda[5], q = 0, p[7], v[6] = {w * axis[0], 0, w * axis[2]};
    const double r[3] = {-at[0], -at[1], -at[2]}; /* of the free joint's origin from the hinge */
    v[3] = v[1] * r[2] - v[2] * r[1];
    v[4] = v[2] * r[0] - v[0] * r[2];
    v[5] = v[0] * r[1] - v[1] * r[0];
    dfl_multibody_reference(p, two);
    assert_int_equal(dfl_multibody_move(one, 0, &q, &w), DFL_OK);
    assert_int_equal(dfl_multibody_move(two, 0, p, v), DFL_OK);
    assert_int_equal(dfl_multibody_forward(a[0], NULL, one, NULL), DFL_OK);
    assert_int_equal(dfl_multibody_forward(a[1], lambda, two, NULL), DFL_OK);
    for (int k = 0; k < 3; k++)
        assert_near(a[1][k], a[0][0] * axis[k], 1e-12);
    dfl_multibody_free(one);
    dfl_multibody_free(two);
    dfl_context_free(ctx);
}

/* A parallelogram turns as one bar: 5 rows of which 3 depend on the others give the same
   acceleration as 2. */
static void redundant_rows_change_nothing(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    double a[2][3];
    for (int planar = 0; planar < 2; planar++) {
        four_bar made;
        double p[3] = {0.3, 0, 0.3}, v[3] = {0.7, -0.7, 0.7}, lambda[5], back[3];
        double g[5], gI[5], W[15];
        make_four_bar(&made, planar);
        dfl_multibody *m = new_multibody(ctx, &made.description);
        const int nl = dfl_multibody_sizes_of(m).nl;
        assert_int_equal(nl, planar ? 2 : 5);
        assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_OK);
        assert_int_equal(dfl_multibody_move(m, 0, p, v), DFL_OK);
        dfl_multibody_loops(&(dfl_loop_rows){.g = g, .gI = gI, .W = W}, m);
        for (int k = 0; k < nl; k++)
            assert_near(g[k], 0.0, 1e-12);
        assert_int_equal(dfl_multibody_forward(a[planar], lambda, m, NULL), DFL_OK);
        assert_int_equal(dfl_multibody_inverse(back, m, a[planar]), DFL_OK);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < nl; k++)
                back[i] += W[k + i * nl] * lambda[k];
            assert_near(back[i], 0.0, 1e-10);
        }
        dfl_multibody_free(m);
    }
    assert_near(distance(a[0], a[1], 3), 0.0, 1e-11);
    dfl_context_free(ctx);
}

/* Accepted steps and rejected iterations of a run of 0.5 s. */
static dfl_statistics run_form(dfl_context *ctx, const dfl_eom *eom, const double *x0,
                               dfl_form form)
{
    const dfl_solver_options options = {.form = form, .rtol = 1e-6, .atol = 1e-6};
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, 0.5), DFL_OK);
    const dfl_statistics stats = dfl_solver_statistics(solver);
    dfl_solver_free(solver);
    return stats;
}

/* The mass matrix of slender rods on spherical joints changes much within a step. The steps must be
   those of the motion, which the underlying ordinary differential equation takes. */
static void a_chain_of_rods_takes_the_steps_of_its_motion(void **state)
{
    (void)state;
    enum { RODS = 8 };
    dfl_context *ctx = dfl_context_create();
    dfl_rigid_body rod[RODS];
    dfl_joint joint[RODS];
    for (int i = 0; i < RODS; i++) {
        rod[i] = (dfl_rigid_body){
            .mass = 1, .com = {i + 0.5, 0, 0}, .inertia = {0.01, 0.1, 0.1, 0, 0, 0}};
        joint[i] =
            (dfl_joint){.kind = DFL_JOINT_SPHERICAL, .parent = i - 1, .child = i, .at = {i, 0, 0}};
    }
    const dfl_multibody_description d = {
        .nbodies = RODS, .njoints = RODS, .bodies = rod, .joints = joint, .gravity = {0, 0, -9.81}};
    dfl_multibody *m = new_multibody(ctx, &d);
    const dfl_eom *eom = NULL;
    assert_int_equal(dfl_multibody_eom(&eom, m), DFL_OK);
    double x0[7 * RODS] = {0};
    dfl_multibody_reference(x0 + eom->nv, m);
    const dfl_statistics psf = run_form(ctx, eom, x0, DFL_PSF),
                         ode = run_form(ctx, eom, x0, DFL_UODE);
    assert_true(psf.rejected_newton <= 1);
    assert_true(psf.accepted <= 2 * ode.accepted);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_the_acceleration_of_the_textbook),
        cmocka_unit_test(inverse_of_forward_dynamics_is_the_identity),
        cmocka_unit_test(four_states_at_once_are_four_states),
        cmocka_unit_test(several_states_keep_their_own_drives),
        cmocka_unit_test(the_force_of_a_joint_is_read_from_multipliers),
        cmocka_unit_test(derivatives_of_trees_are_limits_of_differences),
        cmocka_unit_test(derivatives_of_loops_are_limits_of_differences),
        cmocka_unit_test(forces_by_callback_have_derivatives),
        cmocka_unit_test(jacobians_belong_to_motions_and_pushes),
        cmocka_unit_test(momentum_of_a_free_mechanism_is_conserved),
        cmocka_unit_test(loops_and_tree_joints_are_the_same_mechanism),
        cmocka_unit_test(redundant_rows_change_nothing),
        cmocka_unit_test(a_chain_of_rods_takes_the_steps_of_its_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
