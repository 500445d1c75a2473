/* test_linear.c: linear equations of motion with matrices that depend on time, on a bead on a
   rotating rod.

   G = (-sin wt, cos wt): in the direction of the rod r'' = w^2 r, so r = cosh wt from rest at r =
   1, and lambda = -2 w r'. Velocities are those of the plane, Z = I, or those of the rotating
   frame, Z = R(t), v = (r', w r). */
#include "failing.h"
#include "support.h"

#include "problems.h"

#include <driftless/linear.h>

static const double w = 1.5;

static void rod(dfl_linear_matrices *out, double t)
{
    const double s = sin(w * t), c = cos(w * t);
    out->M[0] = out->M[3] = 1;
    out->G[0] = -s, out->G[1] = c;
    out->G_dot[0] = -w * c, out->G_dot[1] = -w * s;
    out->G_ddot[0] = w * w * s, out->G_ddot[1] = -w * w * c;
}

static int in_the_plane(dfl_linear_matrices *out, double t, void *user)
{
    (void)user;
    rod(out, t);
    return 0;
}

/* p = R q: p' = R v, and v' = -R^T R' v without forces. */
static int in_the_frame(dfl_linear_matrices *out, double t, void *user)
{
    const double s = sin(w * t), c = cos(w * t);
    (void)user;
    rod(out, t);
    out->Z[0] = out->Z[3] = c, out->Z[1] = s, out->Z[2] = -s;
    out->Z_dot[0] = out->Z_dot[3] = -w * s, out->Z_dot[1] = w * c, out->Z_dot[2] = -w * c;
    out->D[2] = w, out->D[1] = -w;
    return 0;
}

/* The rod and, on top of it, a drive 0 = r - cosh wt, written as cos(wt) x + sin(wt) y - cosh wt:
   nothing is free; and a spring of stiffness 2 with damping, which the multipliers balance. */
static int driven(dfl_linear_matrices *out, double t, void *user)
{
    const double s = sin(w * t), c = cos(w * t);
    (void)user;
    out->M[0] = 2, out->M[3] = 3, out->M[1] = out->M[2] = 0.5 * sin(t);
    out->C[0] = out->C[3] = -2;
    out->D[0] = out->D[3] = -0.1;
    out->f[1] = cos(t);
    out->G[0] = -s, out->G[2] = c, out->G[1] = c, out->G[3] = s;
    out->G_dot[0] = -w * c, out->G_dot[2] = -w * s, out->G_dot[1] = -w * s, out->G_dot[3] = w * c;
    out->G_ddot[0] = w * w * s, out->G_ddot[2] = -w * w * c;
    out->G_ddot[1] = -w * w * c, out->G_ddot[3] = -w * w * s;
    out->g[1] = -cosh(w * t), out->g_dot[1] = -w * sinh(w * t),
    out->g_ddot[1] = -w * w * cosh(w * t);
    return 0;
}

static dfl_linear *linear_of(dfl_context *ctx, dfl_linear_fn matrices, bool trivial, int nl)
{
    dfl_linear *linear = NULL;
    const dfl_linear_system system = {.np = 2,
                                      .nv = 2,
                                      .nl = nl,
                                      .trivial_kinematics = trivial,
                                      .mass_constant = nl == 1,
                                      .matrices = matrices};
    assert_int_equal(dfl_linear_create(&linear, ctx, &system), DFL_OK);
    return linear;
}

static void check_bead(const dfl_eom *eom, bool frame, const dfl_solver_options *options)
{
    const double t = 2, r = cosh(w * t), rate = w * sinh(w * t), s = sin(w * t), c = cos(w * t);
    const double x0[] = {0, 0, w, 1, 0};
    const run found = run_with(eom, 0, x0, t, options, NULL);
    assert_succeeded(&found);
    const double vx = frame ? rate : rate * c - w * r * s,
                 vy = frame ? w * r : rate * s + w * r * c;
    const double exact[] = {-2 * w * rate, vx, vy, r * c, r * s};
    /* r grows like exp(3): errors of 1e-9 become 2e-8, those of index 2 multipliers are larger */
    assert_near(distance(found.x + 1, exact + 1, 4), 0, 1e-6);
    assert_near(found.x[0], exact[0], options->form == DFL_PSF ? 1e-6 : 1e-2);
}

static void a_bead_on_a_rotating_rod_moves_as_it_should(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    for (int frame = 0; frame < 2; frame++) {
        dfl_linear *linear = linear_of(ctx, frame ? in_the_frame : in_the_plane, !frame, 1);
        static const dfl_form forms[] = {DFL_PSF, DFL_PSI1, DFL_EOM2, DFL_EOM1, DFL_GGL, DFL_PINV};
        for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
            /* the self-check compares gI, bias and all derivatives with differences */
            const dfl_solver_options options = {.form = forms[k],
                                                .rtol = 1e-9,
                                                .self_check = true,
                                                .constraints.selectors = DFL_UNIT};
            check_bead(dfl_linear_eom(linear), frame, &options);
        }
        dfl_linear_free(linear);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void constraints_may_have_a_part_that_depends_on_time_alone(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_linear *linear = linear_of(ctx, driven, true, 2);
    const dfl_solver_options options = {.rtol = 1e-8, .self_check = true};
    const run r =
        run_with(dfl_linear_eom(linear), 0, (const double[]){0, 0, 0, w, 1, 0}, 2, &options, NULL);
    assert_succeeded(&r);
    assert_near(r.x[4], cosh(2 * w) * cos(2 * w), 1e-8);
    assert_near(r.x[5], cosh(2 * w) * sin(2 * w), 1e-8);
    assert_true(r.stats.max_residual.acceleration < 1e-6);
    dfl_linear_free(linear);
    dfl_context_free(ctx);
}

/* Algorithm 13: the equations of a step of BDF and of the trapezoidal rule are solved by one
   iteration, whatever the tolerance of Newton's; and their solution is that of the general way. */
static void one_iteration_solves_a_step(void **state)
{
    (void)state;
    static const dfl_form forms[] = {DFL_PSF, DFL_PSI1, DFL_EOM2, DFL_GGL, DFL_PARTITION};
    static const dfl_integrator integrators[] = {DFL_BDF, DFL_TRAPEZOIDAL};
    const double x0[] = {0, 0, w, 1, 0};
    dfl_context *ctx = dfl_context_create();
    dfl_linear *linear = linear_of(ctx, in_the_plane, true, 1);
    dfl_eom general = *dfl_linear_eom(linear);
    general.linear = false;
    for (int k = 0; k < 10; k++) {
        /* BDF1, since higher orders start with several stages; selectors that do not depend on
           where the first matrix is */
        const dfl_solver_options options = {.form = forms[k / 2],
                                            .integrator = integrators[k % 2],
                                            .order = k % 2 == 0,
                                            .step.fixed = 0.01,
                                            .newton.iterations = 50,
                                            .newton.tolerance = 1e-8,
                                            .newton.reuse = -1,
                                            .constraints.selectors = DFL_UNIT};
        const run once = run_with(dfl_linear_eom(linear), 0, x0, 1, &options, NULL);
        const run often = run_with(&general, 0, x0, 1, &options, NULL);
        assert_succeeded(&once);
        assert_succeeded(&often);
        assert_int_equal(once.stats.back_substitutions, once.stats.attempts);
        assert_true(often.stats.back_substitutions > once.stats.back_substitutions);
        assert_near(distance(once.x, often.x, 5), 0, 1e-7);
        assert_true(once.stats.max_residual.velocity < 1e-12);
    }
    dfl_linear_free(linear);
    dfl_context_free(ctx);
}

/* A pendulum is not linear. */
static void a_wrong_claim_is_found(void **state)
{
    (void)state;
    problem p;
    assert_true(problem_pendulum(&p, 0));
    dfl_eom eom = p.eom;
    eom.linear = true;
    const run r = run_with(&eom, 0, p.x0, 0.1, &(dfl_solver_options){.self_check = true}, NULL);
    assert_failed(&r, DFL_INVALID, "declared linear");
    problem_free(&p);
}

static int refuses(dfl_linear_matrices *out, double t, void *user)
{
    (void)user;
    rod(out, t);
    return t > 0.5 ? -1 : 0;
}

static void a_system_without_sense_is_refused_and_a_callback_may_stop(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_linear *linear = NULL;
    const dfl_linear_system wrong[] = {
        {.np = -1, .matrices = in_the_plane},
        {.np = 2, .nv = 2},
        {.np = 3, .nv = 2, .trivial_kinematics = true, .matrices = in_the_plane}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(dfl_linear_create(&linear, ctx, &wrong[i]), DFL_INVALID);
        assert_null(linear);
    }
    linear = linear_of(ctx, refuses, true, 1);
    const run r =
        run_with(dfl_linear_eom(linear), 0, (const double[]){0, 0, w, 1, 0}, 1, NULL, NULL);
    assert_int_equal(r.status, DFL_CALLBACK);
    dfl_linear_free(linear);
    dfl_linear_free(NULL);
    dfl_context_free(ctx);
}

static void creation_survives_every_failed_allocation(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, ctx) {
        dfl_linear *linear = NULL;
        const dfl_linear_system system = {.np = 2, .nv = 2, .nl = 1, .matrices = in_the_frame};
        status = dfl_linear_create(&linear, ctx, &system);
        dfl_linear_free(linear);
    }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bead_on_a_rotating_rod_moves_as_it_should),
        cmocka_unit_test(constraints_may_have_a_part_that_depends_on_time_alone),
        cmocka_unit_test(one_iteration_solves_a_step),
        cmocka_unit_test(a_wrong_claim_is_found),
        cmocka_unit_test(a_system_without_sense_is_refused_and_a_callback_may_stop),
        cmocka_unit_test(creation_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
