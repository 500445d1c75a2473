/* The same mechanism drawn in any direction of space moves alike: rows that no joint changes are
   met to rounding only, and their derivatives are rounding. */
#include "public.h"

enum { DIRECTIONS = 25 };

/* A rotation by random angles, from a quaternion. */
static void any_rotation(double R[3][3], uint64_t *seed)
{
    double e[4], square = 0;
    fill(e, 4, seed, 1.0);
    for (int i = 0; i < 4; i++)
        square += e[i] * e[i];
    for (int i = 0; i < 4; i++)
        e[i] /= sqrt(square);
    const double w = e[0], x = e[1], y = e[2], z = e[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(R, rows, sizeof rows);
}

static void turn(double *x, double R[3][3])
{
    const double old[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < 3; i++)
        x[i] = R[i][0] * old[0] + R[i][1] * old[1] + R[i][2] * old[2];
}

/* All of a four-bar in space; its inertias are those of balls. */
static void turn_four_bar(four_bar *made, double R[3][3])
{
    for (int i = 0; i < 3; i++) {
        turn(made->body[i].com, R);
        turn(made->joint[i].at, R);
        turn(made->joint[i].axis, R);
    }
    turn(made->loop.at, R);
    turn(made->loop.axis, R);
    turn(made->description.gravity, R);
}

/* The last state of a run. */
static void run_to(double *x, dfl_context *ctx, dfl_multibody *m, const double *x0, int n, double t,
                   double tol)
{
    const dfl_eom *eom = NULL;
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_multibody_eom(&eom, m), DFL_OK);
    const dfl_solver_options options = {.rtol = tol, .atol = tol};
    assert_int_equal(dfl_solver_create(&solver, ctx, eom, &options), DFL_OK);
    if (dfl_solver_start(solver, 0, x0, NULL) || dfl_solver_advance(solver, t))
        fail_msg("%s", dfl_message(ctx));
    memcpy(x, dfl_solver_state(solver), (size_t)n * sizeof *x);
    dfl_solver_free(solver);
}

/* Two of five rows are independent, the other three are constants. */
static void a_four_bar_moves_alike_in_every_plane(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 11;
    for (int loose = 0; loose < 2; loose++) {
        const double tol = loose ? 1e-6 : 1e-10;
        double first[11], x[11], p[3] = {0.3, 0, 0.3};
        for (int k = 0; k < DIRECTIONS; k++) {
            four_bar made;
            double R[3][3], x0[11] = {[5] = 0.7, [6] = -0.7, [7] = 0.7};
            make_four_bar(&made, false);
            any_rotation(R, &seed);
            if (k > 0)
                turn_four_bar(&made, R);
            dfl_multibody *m = new_multibody(ctx, &made.description);
            assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_OK);
            memcpy(x0 + 8, p, sizeof p);
            run_to(x, ctx, m, x0, 11, 0.5, tol);
            if (k == 0)
                memcpy(first, x, sizeof x);
            for (int i = 5; i < 11; i++)
                assert_near(x[i], first[i], 100 * tol);
            dfl_multibody_free(m);
        }
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* A table on two parallel rails, the second one as a loop: all of its five rows are constants. The
   table falls along the rails with g times their slope. */
static void a_table_slides_on_two_rails_in_every_direction(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 5;
    for (int k = 0; k < DIRECTIONS; k++) {
        const dfl_rigid_body table = {.mass = 2, .com = {0.3, 0.1, 0.2}, .inertia = {1, 1, 1}};
        dfl_joint rail = {.kind = DFL_JOINT_PRISMATIC, .parent = DFL_GROUND};
        dfl_loop second = {.name = "rail", .kind = DFL_JOINT_PRISMATIC, .a = DFL_GROUND};
        fill(rail.axis, 3, &seed, 1.0);
        fill(second.at, 3, &seed, 1.0);
        memcpy(second.axis, rail.axis, sizeof rail.axis);
        const dfl_multibody_description d = {.nbodies = 1,
                                             .njoints = 1,
                                             .bodies = &table,
                                             .joints = &rail,
                                             .gravity = {0, 0, -9.81},
                                             .nloops = 1,
                                             .loops = &second};
        dfl_multibody *m = new_multibody(ctx, &d);
        const double *u = rail.axis, length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        const double a = -9.81 * u[2] / length, x0[7] = {[5] = 0.5, [6] = 0.1};
        double x[7];
        run_to(x, ctx, m, x0, 7, 0.5, 1e-8);
        assert_near(x[5], 0.5 + 0.5 * a, 1e-7);
        assert_near(x[6], 0.1 + 0.25 + 0.125 * a, 1e-7);
        dfl_multibody_free(m);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* A parallelogram folds flat: of its five rows in space the two in its plane become dependent, and
   only these are named. */
static void rows_that_are_always_zero_are_not_blamed(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    four_bar made;
    make_four_bar(&made, false);
    dfl_multibody *m = new_multibody(ctx, &made.description);
    const dfl_eom *eom = NULL;
    dfl_solver *solver = NULL;
    const double x0[11] = {[5] = 7, [6] = -7, [7] = 7};
    assert_int_equal(dfl_multibody_eom(&eom, m), DFL_OK);
    assert_int_equal(dfl_solver_create(&solver, ctx, eom, NULL), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, 1), DFL_RANK_CHANGED);
    assert_non_null(strstr(dfl_message(ctx), "the constraints pin[1], pin[2] become dependent"));
    dfl_solver_free(solver);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_four_bar_moves_alike_in_every_plane),
        cmocka_unit_test(a_table_slides_on_two_rails_in_every_direction),
        cmocka_unit_test(rows_that_are_always_zero_are_not_blamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
