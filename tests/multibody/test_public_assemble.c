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

/* Near half a turn about x the rows, which are sines, lead to the mirror image; near the drawing
   they lead to it. */
static void a_mirror_image_is_not_closed(void **state)
{
    (void)state;
    const dfl_joint_kind kinds[] = {DFL_JOINT_FIXED,       DFL_JOINT_PRISMATIC,
                                    DFL_JOINT_TRANSLATION, DFL_JOINT_REVOLUTE,
                                    DFL_JOINT_CYLINDRICAL, DFL_JOINT_PLANAR};
    dfl_context *ctx = dfl_context_create();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        held_body made;
        hold_body(&made, kinds[i]);
        dfl_multibody *m = new_multibody(ctx, &made.description);
        double far[7] = {0, 0, 0, cos(1.48), sin(1.48)}, near[7] = {0, 0, 0, cos(0.6), sin(0.6)};
        assert_int_equal(dfl_multibody_assemble(far, m, 0), DFL_INCONSISTENT);
        assert_non_null(strstr(dfl_message(ctx), "loop 'hold' closes as a mirror image"));
        assert_int_equal(dfl_multibody_assemble(near, m, 0), DFL_OK);
        assert_near(fabs(near[3]), 1.0, 1e-12); /* rows below 1e-13 */
        dfl_multibody_free(m);
    }
    dfl_context_free(ctx);
}

/* In the plane a slide has a mirror image too: turned by half a turn. A pin and a universal joint
   have none. */
static void joints_without_a_mirror_image_close_anywhere(void **state)
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
    double p[3] = {0.1, 0.2, 3.0};
    assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_INCONSISTENT);
    dfl_multibody_free(m);
    made.loop.kind = DFL_JOINT_REVOLUTE;
    made.loop.axis[0] = 0;
    m = new_multibody(ctx, &made.description);
    assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_OK);
    dfl_multibody_free(m);
    hold_body(&made, DFL_JOINT_UNIVERSAL);
    made.loop.axis2[0] = 1;
    m = new_multibody(ctx, &made.description);
    double q[7] = {0, 0, 0, cos(1.48), sin(1.48)};
    assert_int_equal(dfl_multibody_assemble(q, m, 0), DFL_OK);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mirror_image_is_not_closed),
        cmocka_unit_test(joints_without_a_mirror_image_close_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
