/* What driftless/multibody.h refuses, with a message that names the thing; callbacks that fail;
   failing allocations. */
#include "failing.h"
#include "public.h"

static void assert_refused(const dfl_multibody_description *d, const char *part)
{
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = NULL;
    assert_int_equal(dfl_multibody_create(&m, ctx, d), DFL_INVALID);
    assert_null(m);
    if (!strstr(dfl_message(ctx), part))
        fail_msg("'%s' is not in: %s", part, dfl_message(ctx));
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

typedef struct switches {
    int drive, force;
    bool moves; /* the force calls what it must not */
    dfl_status refused;
} switches;

static int prescribed(double *motion, double t, void *user)
{
    const switches *s = user;
    motion[0] = 0.1 * t;
    motion[1] = 0.1;
    motion[2] = 0;
    return s->drive;
}

static void the_empty_mechanism_is_valid(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &(dfl_multibody_description){0});
    assert_int_equal(dfl_multibody_sizes_of(m).nv, 0);
    assert_int_equal(dfl_multibody_move(m, 0, (double[1]){0}, NULL), DFL_OK);
    assert_int_equal(dfl_multibody_joint_p(m, 0), -1);
    assert_int_equal(dfl_multibody_joint_v(m, -1), -1);
    dfl_multibody_free(m);
    dfl_multibody_free(NULL);
    dfl_multibody_lanes_free(NULL);
    dfl_context_free(ctx);
}

/* A change of the four-bar `made` is refused with a message that contains `part`. */
#define REFUSE(change, part)                                                                       \
    do {                                                                                           \
        make_four_bar(&made, true);                                                                \
        change;                                                                                    \
        assert_refused(&made.description, part);                                                   \
    } while (0)

static void wrong_numbers_are_refused_by_name(void **state)
{
    (void)state;
    four_bar made;
    const dfl_joint_spring spring = {5, 0, 1, 1, 0}, endless = {0, 0, INFINITY, 0, 0};
    const dfl_coupling_term term = {1, 3, 1}, inexact = {1, 0, NAN};
    const dfl_coupling gear = {"gear", 1, &term, 0}, odd = {"odd", 1, &inexact, 0};
    const dfl_coupling less[] = {{"less", -1, &term, 0}, {"gear", 1, &term, 0}};
    const dfl_coupling none = {"none", 2, NULL, 0};
    REFUSE(made.description.nbodies = -1, "nbodies is -1");
    REFUSE(made.description.loops = NULL, "nloops is 1");
    REFUSE(made.joint[1].parent = 7, "joint 'b': connects bodies 7 and 1 of 3");
    REFUSE(made.joint[2].child = 0, "body 'crank' is the child of joint 'a' and of joint 'd'");
    REFUSE(made.joint[0].parent = 1, "body 'crank' does not hang on the ground");
    REFUSE(made.joint[2].kind = DFL_JOINT_DISTANCE, "joint 'd'");
    REFUSE(made.joint[2].kind = DFL_JOINT_KINDS, "joint 'd': unknown kind");
    REFUSE(made.joint[2].axis[0] = 1, "joint 'd': does not stay in the plane");
    REFUSE(made.joint[2].name = NULL; made.joint[2].axis[0] = 1, "joint 2: does not stay");
    REFUSE(made.body[2].mass = -1, "body 'rocker': mass is -1");
    REFUSE(made.loop.b = 3, "loop 'pin': connects bodies 1 and 3 of 3");
    REFUSE(made.loop.b = 1, "loop 'pin': its bodies cannot move against each other");
    REFUSE(made.loop.kind = DFL_JOINT_FREE, "loop 'pin': a free joint cannot close a loop");
    REFUSE(made.description.gravity[1] = NAN, "gravity");
    REFUSE(made.joint[0].driven = true, "joints are driven, but nothing prescribes");
    REFUSE((made.description.nsprings = 1, made.description.springs = &spring),
           "spring 0: there is no joint 5; there are 3 joints");
    REFUSE((made.description.nsprings = 1, made.description.springs = &endless), "spring 0");
    REFUSE((made.description.ncouplings = 1, made.description.couplings = &gear),
           "coupling 'gear': component 3 of joint 'b' is not an angle");
    REFUSE((made.description.ncouplings = 1, made.description.couplings = &odd), "coupling 'odd'");
    REFUSE((made.description.ncouplings = 2, made.description.couplings = less),
           "coupling 'less': nterms is -1");
    REFUSE((made.description.ncouplings = 1, made.description.couplings = &none),
           "coupling 'none': nterms is 2, but there are none");
    REFUSE((made.loop.apart = true, made.loop.at_b[0] = NAN),
           "loop 'pin': points, axes and length");
    /* the axes of B: a plane pin needs none, one in space does */
    make_four_bar(&made, false);
    made.loop.apart = true;
    memcpy(made.loop.at_b, made.loop.at, sizeof made.loop.at);
    assert_refused(&made.description, "loop 'pin': axis has length zero");
}

static void parts_that_do_not_fit_are_refused_by_name(void **state)
{
    (void)state;
    four_bar made;
    switches calm = {0};
    const dfl_coupling false_gear = {"false", 0, NULL, 1};
    const double p0[3] = {0, NAN, 0};
    REFUSE(made.joint[2].kind = DFL_JOINT_USER, "joint 'd': user joints are for scripts only");
    REFUSE(made.loop.kind = DFL_JOINT_PLANAR, "a planar joint cannot close a loop in a plane");
    REFUSE((made.loop.name = NULL, made.loop.b = 3), "loop 0: connects bodies 1 and 3");
    REFUSE((made.loop.kind = DFL_JOINT_PRISMATIC), "loop 'pin': the axis does not fit");
    REFUSE((made.loop.kind = DFL_JOINT_POINT_ON_LINE), "a point on a line has it in the plane");
    REFUSE((made.loop.kind = DFL_JOINT_DISTANCE, made.loop.length = -2),
           "loop 'pin': length is -2");
    REFUSE(made.description.p0 = p0, "p0[1] is not finite");
    REFUSE((made.description.ncouplings = 1, made.description.couplings = &false_gear),
           "coupling 'false' can never hold: no joint changes it, and its sum is -1");
    made.joint[0].driven = true;
    made.description.drive = prescribed;
    made.description.user = &calm;
    made.description.nsprings = 1;
    made.description.springs = &(const dfl_joint_spring){0, 0, 1, 1, 0};
    assert_refused(&made.description, "spring 0: joint 'a' is driven");
}

/* The second axis of a universal joint decides its fourth row. */
static void universal_loops_need_perpendicular_axes(void **state)
{
    (void)state;
    four_bar made;
    const double wrong[3][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    for (int k = 0; k < 3; k++) {
        make_four_bar(&made, false);
        made.loop.kind = DFL_JOINT_UNIVERSAL;
        memcpy(made.loop.axis2, wrong[k], sizeof wrong[k]);
        assert_refused(&made.description, "loop 'pin': a universal joint needs a second axis");
    }
    made.loop.axis2[2] = 0;
    dfl_context *ctx = dfl_context_create();
    dfl_multibody_free(new_multibody(ctx, &made.description));
    dfl_context_free(ctx);
}

/* Turned by pi about (3, 0, 4) / 5, the point (0, 0, 1) is at (0.96, 0, 0.28). */
static void axes_may_have_any_length(void **state)
{
    (void)state;
    const dfl_rigid_body body = {.mass = 1, .com = {1, 0, 0}, .inertia = {1, 1, 1}};
    const double lengths[] = {1e-320, 1e-162, 1, 1e200, 4e307}, q = acos(-1.0), tip[3] = {0, 0, 1};
    dfl_context *ctx = dfl_context_create();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const double s = lengths[i], error = s < 1e-300 ? 1e-3 : 1e-15; /* 2024 units of 5e-324 */
        const dfl_joint joint = {
            .kind = DFL_JOINT_REVOLUTE, .parent = DFL_GROUND, .axis = {3 * s, 0, 4 * s}};
        const dfl_multibody_description d = {
            .nbodies = 1, .njoints = 1, .bodies = &body, .joints = &joint};
        dfl_multibody *m = new_multibody(ctx, &d);
        dfl_frame frame;
        assert_int_equal(dfl_multibody_frame(&frame, m, 0, tip, NULL, NULL), DFL_OK);
        assert_int_equal(dfl_multibody_move(m, 0, &q, NULL), DFL_OK);
        const dfl_motion at = dfl_multibody_motion(m, &frame);
        assert_near(at.r[0], 0.96, error);
        assert_near(at.r[2], 0.28, error);
        dfl_multibody_free(m);
    }
    dfl_context_free(ctx);
}

/* In the plane an axis that is not given is z, also for the direction of shifts. */
static void axes_across_the_plane_need_not_be_given(void **state)
{
    (void)state;
    const dfl_rigid_body bodies[2] = {{.mass = 1, .com = {1, 2, 0}, .inertia = {[2] = 1}},
                                      {.mass = 2, .com = {1, 2, 0}, .inertia = {[2] = 3}}};
    dfl_joint joints[2] = {{.kind = DFL_JOINT_PLANAR, .parent = -1, .axis2 = {0, 1, 0}},
                           {.kind = DFL_JOINT_REVOLUTE, .parent = 0, .child = 1}};
    const dfl_multibody_description d = {
        .nbodies = 2, .njoints = 2, .bodies = bodies, .joints = joints, .planar = true};
    const double p[4] = {0.1, 0.2, 0.3, 0.4};
    double M[2][16];
    dfl_context *ctx = dfl_context_create();
    for (int given = 0; given < 2; given++) {
        joints[0].axis[2] = joints[1].axis[2] = given;
        dfl_multibody *m = new_multibody(ctx, &d);
        assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
        dfl_multibody_mass(M[given], m);
        dfl_multibody_free(m);
    }
    assert_memory_equal(M[0], M[1], sizeof M[0]);
    dfl_context_free(ctx);
}

static void coordinates_without_direction_are_refused(void **state)
{
    (void)state;
    enum { L = DFL_MULTIBODY_LANES };
    const dfl_rigid_body body = {.mass = 1, .inertia = {1, 1, 1}};
    const dfl_joint joint = {.kind = DFL_JOINT_FREE, .parent = DFL_GROUND};
    double p[7] = {1, 2, 3}, P[7 * L] = {0}, e[7];
    dfl_multibody_description d = {.nbodies = 1, .njoints = 1, .bodies = &body, .joints = &joint};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &d);
    dfl_multibody_lanes *lanes = NULL;
    assert_int_equal(dfl_multibody_lanes_create(&lanes, m), DFL_OK);
    assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "joint 0: its quaternion has length 0"));
    assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_INVALID);
    for (int k = 0; k < L; k++)
        P[3 * L + k] = k != 2; /* state 2 has none */
    assert_int_equal(dfl_multibody_lanes_move(lanes, 0, P, NULL), DFL_INVALID);
    p[3] = 1e-200; /* its square underflows */
    assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_INVALID);
    p[3] = 1e200;
    assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_INVALID);
    p[3] = NAN; /* moves, and gives what is not finite */
    assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "p[3] is not finite"));
    assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
    dfl_multibody_rates(e, m);
    assert_true(isnan(e[0]));
    dfl_multibody_lanes_free(lanes);
    dfl_multibody_free(m);
    d.p0 = (const double[7]){0};
    assert_refused(&d, "joint 0: its quaternion has length 0");
    dfl_context_free(ctx);
}

/* In space the pin of a plane mechanism is fixed along z: apart by 0.1 m it can never be closed. */
static void a_loop_that_cannot_close_is_refused(void **state)
{
    (void)state;
    four_bar made;
    make_four_bar(&made, false);
    made.loop.apart = true;
    memcpy(made.loop.at_b, (double[3]){2, 1, 0.1}, sizeof made.loop.at_b);
    memcpy(made.loop.axis_b, made.loop.axis, sizeof made.loop.axis);
    assert_refused(&made.description, "loop 'pin' can never be closed");
    /* within the plane it may be a matter of lengths, which only assembling finds */
    memcpy(made.loop.at_b, (double[3]){20, 1, 0}, sizeof made.loop.at_b);
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &made.description);
    double p[3] = {0};
    assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_INCONSISTENT);
    assert_non_null(strstr(dfl_message(ctx), "loop 'pin' cannot be closed"));
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

static void frames_of_no_body_are_refused(void **state)
{
    (void)state;
    four_bar made;
    make_four_bar(&made, true);
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &made.description);
    dfl_frame frame;
    assert_int_equal(dfl_multibody_frame(&frame, m, 3, NULL, NULL, NULL), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "body 3: there are 3 bodies"));
    assert_int_equal(dfl_multibody_frame(&frame, m, DFL_GROUND, NULL, NULL, NULL), DFL_OK);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* ------------------------------------------------------------------ callbacks that fail */

static int pushed(double *tau, dfl_multibody *m, double t, const double *p, const double *v,
                  void *user)
{
    switches *s = user;
    tau[0] += 1;
    if (s->moves)
        s->refused = dfl_multibody_move(m, t, p, v);
    return s->force;
}

static void make_driven_four_bar(four_bar *made, switches *s)
{
    make_four_bar(made, true);
    made->joint[0].driven = true;
    made->description.drive = prescribed;
    made->description.user = s;
}

static void callbacks_that_fail_stop_with_a_message(void **state)
{
    (void)state;
    four_bar made;
    switches s = {0};
    make_driven_four_bar(&made, &s);
    made.description.force = pushed;
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &made.description);
    assert_int_equal(dfl_multibody_sizes_of(m).ndrives, 1);
    double p[2] = {0}, y[2], A[3][4];
    s.drive = 1;
    assert_int_equal(dfl_multibody_move(m, 2, p, NULL), DFL_CALLBACK);
    assert_non_null(strstr(dfl_message(ctx), "`drive` returned 1 at t = 2"));
    assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_CALLBACK);
    s.drive = 0;
    assert_int_equal(dfl_multibody_move(m, 2, p, NULL), DFL_OK);
    s.force = -1;
    assert_int_equal(dfl_multibody_inverse(y, m, p), DFL_CALLBACK);
    assert_non_null(strstr(dfl_message(ctx), "`force` returned -1 at t = 2"));
    assert_int_equal(dfl_multibody_forward(y, NULL, m, NULL), DFL_CALLBACK);
    assert_int_equal(dfl_multibody_inverse_slopes(A[0], A[1], A[2], m, p), DFL_CALLBACK);
    assert_int_equal(dfl_multibody_forward_slopes(A[0], A[1], A[2], m, p), DFL_CALLBACK);
    s.force = 0;
    s.moves = true;
    assert_int_equal(dfl_multibody_inverse(y, m, p), DFL_OK);
    assert_int_equal(s.refused, DFL_INVALID);
    dfl_multibody_free(m);
    s.drive = 3;
    assert_int_equal(dfl_multibody_create(&m, ctx, &made.description), DFL_CALLBACK);
    assert_null(m);
    dfl_context_free(ctx);
}

/* The motion of the crank is not known at t = 2: the mechanism stays where it was. */
static void a_move_that_fails_changes_nothing(void **state)
{
    (void)state;
    four_bar made;
    switches s = {0};
    make_driven_four_bar(&made, &s);
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &made.description);
    const double p[2][2] = {{0.1, 0.2}, {0.3, 0.4}}, v[2] = {1, 2}, a[2] = {0};
    double tau[2][2];
    assert_int_equal(dfl_multibody_move(m, 1, p[0], v), DFL_OK);
    assert_int_equal(dfl_multibody_inverse(tau[0], m, a), DFL_OK);
    s.drive = 1;
    assert_int_equal(dfl_multibody_move(m, 2, p[1], NULL), DFL_CALLBACK);
    assert_int_equal(dfl_multibody_inverse(tau[1], m, a), DFL_OK);
    assert_memory_equal(tau[0], tau[1], sizeof tau[0]);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* ------------------------------------------------------------------ messages of the solver */

static int seven(double *Tq, double *Tv, dfl_multibody *m, double t, const double *p,
                 const double *v, void *user)
{
    (void)Tq, (void)Tv, (void)m, (void)t, (void)p, (void)v, (void)user;
    return 7;
}

static int endless(double *tau, dfl_multibody *m, double t, const double *p, const double *v,
                   void *user)
{
    (void)m, (void)t, (void)p, (void)v, (void)user;
    tau[0] = NAN;
    return 0;
}

static void assert_start_says(const dfl_multibody_description *d, switches *s, const char *part)
{
    const switches wanted = *s;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_eom *eom = NULL;
    const double x[8] = {0};
    *s = (switches){0};
    dfl_multibody *m = new_multibody(ctx, d);
    assert_int_equal(dfl_multibody_eom(&eom, m), DFL_OK);
    assert_int_equal(dfl_solver_create(&solver, ctx, eom, NULL), DFL_OK);
    *s = wanted;
    assert_int_not_equal(dfl_solver_start(solver, 0, x, NULL), DFL_OK);
    if (!strstr(dfl_message(ctx), part))
        fail_msg("'%s' is not in: %s", part, dfl_message(ctx));
    dfl_solver_free(solver);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

static void the_solver_names_the_callback_of_the_mechanism(void **state)
{
    (void)state;
    four_bar made;
    switches s = {.force = 1};
    make_four_bar(&made, true);
    made.description.user = &s;
    made.description.force = pushed;
    assert_start_says(&made.description, &s, "the callback `force` fails at the start");
    s = (switches){.force = -1};
    assert_start_says(&made.description, &s, "the callback `force` fails at the start");
    made.description.force = endless;
    s = (switches){0};
    assert_start_says(&made.description, &s, "the callback `force` returns NaN or Inf in");
    made.description.force = pushed;
    made.description.slopes = seven;
    assert_start_says(&made.description, &s, "the callback `slopes` fails at the start");
    made.description.force = NULL;
    made.joint[0].driven = true;
    made.description.drive = prescribed;
    s = (switches){.drive = 1};
    assert_start_says(&made.description, &s, "the callback `drive` fails at the start");
}

/* Prescribes nothing from 0.05 s on. */
static int torn(double *motion, double t, void *user)
{
    (void)user;
    motion[0] = motion[1] = motion[2] = t < 0.05 ? 0 : NAN;
    return 0;
}

/* With a loop and without one, whose M is then at the points; a force that follows the poses must
   not be blamed for them. */
static void nan_of_a_drive_on_the_way_is_its_own(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        four_bar made;
        switches s = {0};
        make_driven_four_bar(&made, &s);
        made.description.drive = torn;
        if (k % 2 == 1)
            made.description.nloops = 0;
        if (k > 1)
            made.description.force = pushed;
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        const dfl_eom *eom = NULL;
        double x[8] = {0};
        dfl_multibody *m = new_multibody(ctx, &made.description);
        assert_int_equal(dfl_multibody_eom(&eom, m), DFL_OK);
        assert_int_equal(dfl_multibody_assemble(x + eom->nl + eom->nv, m, 0), DFL_OK);
        assert_int_equal(dfl_solver_create(&solver, ctx, eom, NULL), DFL_OK);
        if (dfl_solver_start(solver, 0, x, NULL))
            fail_msg("%s", dfl_message(ctx));
        assert_int_equal(dfl_solver_advance(solver, 1), DFL_NOT_FINITE);
        if (!strstr(dfl_message(ctx), "the callback `drive` returns NaN or Inf"))
            fail_msg("blamed: %s", dfl_message(ctx));
        dfl_solver_free(solver);
        dfl_multibody_free(m);
        dfl_context_free(ctx);
    }
}

static void several_states_know_no_callbacks_and_loops(void **state)
{
    (void)state;
    four_bar made;
    switches s = {0};
    double x[12] = {0};
    make_four_bar(&made, true);
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &made.description);
    dfl_multibody_lanes *lanes = NULL;
    assert_int_equal(dfl_multibody_lanes_create(&lanes, m), DFL_OK);
    assert_int_equal(dfl_multibody_lanes_move(lanes, 0, x, NULL), DFL_OK);
    assert_int_equal(dfl_multibody_lanes_forward(x, lanes, NULL), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "2 rows of loops"));
    dfl_multibody_lanes_free(lanes);
    dfl_multibody_free(m);
    made.description.force = pushed;
    made.description.user = &s;
    m = new_multibody(ctx, &made.description);
    assert_int_equal(dfl_multibody_lanes_create(&lanes, m), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "force callback"));
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* ------------------------------------------------------------------ massless directions */

/* A massless node between two springs: 0 = -c1 q1 + c2 q2 along it. */
static void massless_directions_are_named_and_refused(void **state)
{
    (void)state;
    const dfl_rigid_body bodies[2] = {{.name = "node"}, {.name = "load", .mass = 1}};
    const dfl_joint joints[2] = {
        {.name = "q1", .kind = DFL_JOINT_PRISMATIC, .parent = DFL_GROUND, .child = 0, .axis = {1}},
        {.name = "q2", .kind = DFL_JOINT_PRISMATIC, .parent = 0, .child = 1, .axis = {1}}};
    dfl_joint_spring springs[2] = {{0, 0, 100, 2, 0}, {1, 0, 300, 4, 0}};
    const dfl_multibody_description d = {.nbodies = 2,
                                         .njoints = 2,
                                         .bodies = bodies,
                                         .joints = joints,
                                         .planar = true,
                                         .nsprings = 2,
                                         .springs = springs};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &d);
    double p[2] = {0.3, 0.1}, v[2] = {1, 2}, a[2], K0[2], gam;
    dfl_massless found;
    assert_int_equal(dfl_multibody_sizes_of(m).n0, 1);
    assert_int_equal(dfl_multibody_move(m, 0, p, v), DFL_OK);
    assert_int_equal(dfl_multibody_null_space(K0, &gam, m, NULL), DFL_OK);
    assert_near(K0[0] + K0[1], 0.0, 1e-15); /* the load rests while the node moves */
    assert_near(gam, K0[0] * (-100 * 0.3 - 2 * 1) + K0[1] * (-300 * 0.1 - 4 * 2), 1e-12);
    assert_int_equal(dfl_multibody_forward(a, NULL, m, NULL), DFL_SINGULAR);
    assert_non_null(strstr(dfl_message(ctx), "1 direction has no mass"));
    assert_int_equal(dfl_multibody_check_massless(&found, m), DFL_OK);
    assert_int_equal(found.first_order, 1);
    dfl_multibody_free(m);
    springs[0].damping = springs[1].damping = 0;
    m = new_multibody(ctx, &d);
    assert_int_equal(dfl_multibody_move(m, 0, p, v), DFL_OK);
    assert_int_equal(dfl_multibody_check_massless(&found, m), DFL_SINGULAR);
    assert_int_equal(found.quasistatic, 1);
    assert_non_null(strstr(dfl_message(ctx), "joint 'q1'"));
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* ------------------------------------------------------------------ memory */

/* Everything that allocates, until it succeeds. */
static dfl_status use_all(dfl_context *ctx, const dfl_multibody_description *d)
{
    double p[3] = {0}, a[3], A[3][9];
    dfl_multibody *m = NULL;
    dfl_multibody_lanes *lanes = NULL;
    const dfl_eom *eom = NULL;
    dfl_massless found;
    dfl_status status = dfl_multibody_create(&m, ctx, d);
    if (!status)
        status = dfl_multibody_eom(&eom, m);
    if (!status)
        status = dfl_multibody_assemble(p, m, 0);
    if (!status)
        status = dfl_multibody_forward(a, NULL, m, NULL);
    if (!status)
        status = dfl_multibody_forward_slopes(A[0], A[1], A[2], m, NULL);
    if (!status)
        status = dfl_multibody_inverse_slopes(A[0], A[1], A[2], m, a);
    if (!status)
        status = dfl_multibody_check_massless(&found, m);
    if (!status)
        status = dfl_multibody_lanes_create(&lanes, m);
    dfl_multibody_lanes_free(lanes);
    dfl_multibody_free(m);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    four_bar made;
    dfl_context *ctx = dfl_context_create();
    for (int loops = 0; loops < 2; loops++) {
        dfl_status status;
        make_four_bar(&made, true);
        made.description.nloops = loops;
        made.body[1].mass = loops ? 0 : 1; /* the loop holds a massless coupler */
        made.body[1].inertia[2] = loops ? 0 : 1;
        WHILE_ALLOCATIONS_FAIL(status, ctx)
            status = use_all(ctx, &made.description);
    }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_empty_mechanism_is_valid),
        cmocka_unit_test(wrong_numbers_are_refused_by_name),
        cmocka_unit_test(parts_that_do_not_fit_are_refused_by_name),
        cmocka_unit_test(a_loop_that_cannot_close_is_refused),
        cmocka_unit_test(frames_of_no_body_are_refused),
        cmocka_unit_test(callbacks_that_fail_stop_with_a_message),
        cmocka_unit_test(universal_loops_need_perpendicular_axes),
        cmocka_unit_test(axes_may_have_any_length),
        cmocka_unit_test(axes_across_the_plane_need_not_be_given),
        cmocka_unit_test(coordinates_without_direction_are_refused),
        cmocka_unit_test(a_move_that_fails_changes_nothing),
        cmocka_unit_test(the_solver_names_the_callback_of_the_mechanism),
        cmocka_unit_test(nan_of_a_drive_on_the_way_is_its_own),
        cmocka_unit_test(several_states_know_no_callbacks_and_loops),
        cmocka_unit_test(massless_directions_are_named_and_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
