/* Closing loops through driftless/multibody.h: mirror images, what is not finite. */
#include "public.h"

/* A body that is free but for one loop to the ground. */
typedef struct held_body {
    dfl_rigid_body body;
    dfl_joint joint;
    dfl_loop loop;
    dfl_multibody_description description;
} held_body;

static void hold_body(held_body *out, dfl_joint_kind kind)
{
    *out = (held_body){
        .body = {.name = "body", .mass = 1, .com = {0.3, 0.1, 0.2}, .inertia = {1, 1, 1}},
        .joint = {.name = "free", .kind = DFL_JOINT_FREE, .parent = DFL_GROUND},
        .loop = {.name = "hold", .kind = kind, .a = DFL_GROUND, .b = 0, .axis = {0, 0, 1}}};
    out->description = (dfl_multibody_description){.nbodies = 1,
                                                   .njoints = 1,
                                                   .bodies = &out->body,
                                                   .joints = &out->joint,
                                                   .nloops = 1,
                                                   .loops = &out->loop};
}

/* The rows are sines: from any turn, also from exactly half a turn, the loop closes as it is drawn
   and not with opposite axes. */
static void loops_do_not_close_as_mirror_images(void **state)
{
    (void)state;
    const dfl_joint_kind kinds[] = {DFL_JOINT_FIXED,       DFL_JOINT_PRISMATIC,
                                    DFL_JOINT_TRANSLATION, DFL_JOINT_REVOLUTE,
                                    DFL_JOINT_CYLINDRICAL, DFL_JOINT_PLANAR};
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 31;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        held_body made;
        hold_body(&made, kinds[i]);
        dfl_multibody *m = new_multibody(ctx, &made.description);
        dfl_frame frame;
        assert_int_equal(dfl_multibody_frame(&frame, m, 0, NULL, NULL, NULL), DFL_OK);
        for (int k = 0; k < 100; k++) {
            double p[7] = {0, 0, 0, 0, 1, 0, 0};
            if (k >= 3)
                fill(p, 7, &seed, 1.0);
            else
                p[4] = 0, p[4 + k] = 1; /* half a turn about x, y, z */
            if (dfl_multibody_assemble(p, m, 0))
                fail_msg("kind %d: %s", (int)kinds[i], dfl_message(ctx));
            const dfl_motion at = dfl_multibody_motion(m, &frame);
            assert_near(at.R[8], 1.0, 1e-12); /* rows below 1e-13 */
            if (i < 3)
                assert_near(at.R[0] + at.R[4], 2.0, 1e-12);
        }
        dfl_multibody_free(m);
    }
    dfl_context_free(ctx);
}

/* The solver's start closes them in the same way, or says that it found a mirror image. */
static void a_start_does_not_close_loops_as_mirror_images(void **state)
{
    (void)state;
    const dfl_joint_kind kinds[] = {DFL_JOINT_REVOLUTE, DFL_JOINT_CYLINDRICAL, DFL_JOINT_PLANAR};
    uint64_t seed = 7;
    int closed = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int k = 0; k < 20; k++) {
            dfl_context *ctx = dfl_context_create();
            dfl_solver *solver = NULL;
            const dfl_eom *eom;
            dfl_frame frame;
            held_body made;
            hold_body(&made, kinds[i]);
            dfl_multibody *m = new_multibody(ctx, &made.description);
            assert_int_equal(dfl_multibody_eom(&eom, m), DFL_OK);
            assert_int_equal(dfl_multibody_frame(&frame, m, 0, NULL, NULL, NULL), DFL_OK);
            double x[24] = {0}, *p = x + eom->nl + eom->nv;
            fill(p, 7, &seed, 1.0);
            assert_int_equal(dfl_solver_create(&solver, ctx, eom, NULL), DFL_OK);
            if (dfl_solver_start(solver, 0, x, NULL)) {
                assert_non_null(strstr(dfl_message(ctx), "loop 'hold'"));
            } else {
                p = (double *)dfl_solver_state(solver) + eom->nl + eom->nv;
                assert_int_equal(dfl_multibody_move(m, 0, p, NULL), DFL_OK);
                assert_near(dfl_multibody_motion(m, &frame).R[8], 1.0, 1e-6);
                closed++;
            }
            dfl_solver_free(solver);
            dfl_multibody_free(m);
            dfl_context_free(ctx);
        }
    assert_true(closed > 50);
}

/* In the plane a slide turned by nearly half a turn turns back. */
static void plane_slides_do_not_close_as_mirror_images(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    held_body made;
    hold_body(&made, DFL_JOINT_PRISMATIC);
    made.joint.kind = DFL_JOINT_PLANAR;
    made.loop.axis[0] = 1;
    made.loop.axis[2] = 0;
    made.description.planar = true;
    dfl_multibody *m = new_multibody(ctx, &made.description);
    for (int k = 0; k < 100; k++) {
        double p[3] = {0.1, 0.2, 0.0629 * k};
        assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_OK);
        assert_near(cos(p[2]), 1.0, 1e-12);
    }
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* The axes of a plane mechanism in space cannot turn: drawn opposite they stay so. */
static void a_mirror_image_that_stays_is_named(void **state)
{
    (void)state;
    four_bar made;
    make_four_bar(&made, false);
    made.loop.apart = true;
    memcpy(made.loop.at_b, made.loop.at, sizeof made.loop.at);
    made.loop.axis_b[2] = -1;
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &made.description);
    double p[3] = {0};
    assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_INCONSISTENT);
    assert_non_null(
        strstr(dfl_message(ctx), "loop 'pin' cannot be turned out of its mirror image"));
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* The row of a universal joint is a cosine: it is closed wherever its axes are perpendicular. */
static void a_universal_joint_has_no_mirror_image(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    held_body made;
    hold_body(&made, DFL_JOINT_UNIVERSAL);
    made.loop.axis2[0] = 1;
    dfl_multibody *m = new_multibody(ctx, &made.description);
    double p[7] = {0, 0, 0, 0, 1, 0, 0};
    assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_OK);
    assert_near(fabs(p[4]), 1.0, 1e-15); /* it has not moved */
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_do_not_close_as_mirror_images),
        cmocka_unit_test(a_start_does_not_close_loops_as_mirror_images),
        cmocka_unit_test(plane_slides_do_not_close_as_mirror_images),
        cmocka_unit_test(a_mirror_image_that_stays_is_named),
        cmocka_unit_test(a_universal_joint_has_no_mirror_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
