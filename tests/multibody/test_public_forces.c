/* Forces of a callback without slopes: what the solver and the derivatives make of them. */
#include "public.h"

static int nothing(double *tau, dfl_multibody *m, double t, const double *p, const double *v,
                   void *user)
{
    (void)tau, (void)m, (void)t, (void)p, (void)v, (void)user;
    return 0;
}

/* Two bodies joined by a ball and a second joint, some rows of which say the same. */
static dfl_status start_twice_joined(dfl_context *ctx, dfl_joint_kind second, uint64_t *seed)
{
    dfl_rigid_body bodies[2] = {{.name = "A", .mass = 1, .inertia = {1, 1, 1}},
                                {.name = "B", .mass = 1, .inertia = {1, 1, 1}}};
    dfl_joint joints[2] = {{.name = "base", .kind = DFL_JOINT_CYLINDRICAL, .parent = DFL_GROUND},
                           {.name = "ball", .kind = DFL_JOINT_SPHERICAL, .parent = 0, .child = 1}};
    dfl_loop loop = {.name = "second",
                     .kind = second,
                     .b = 1,
                     .axis = {0.6, 0.8, 0},
                     .axis2 = {0.8, -0.6, 0},
                     .lead = 0.1};
    for (int k = 0; k < 2; k++) {
        fill(bodies[k].com, 3, seed, 1);
        fill(joints[k].at, 3, seed, 1);
        fill(joints[k].axis, 3, seed, 1);
    }
    fill(loop.at, 3, seed, 1);
    const dfl_multibody_description d = {.nbodies = 2,
                                         .njoints = 2,
                                         .bodies = bodies,
                                         .joints = joints,
                                         .gravity = {0, -1, -9.81},
                                         .nloops = 1,
                                         .loops = &loop,
                                         .force = nothing};
    dfl_multibody *m = new_multibody(ctx, &d);
    const dfl_multibody_sizes n = dfl_multibody_sizes_of(m);
    const dfl_eom *eom = NULL;
    dfl_solver *solver = NULL;
    double x[MOST] = {0};
    dfl_multibody_reference(x + n.nl + n.nv, m);
    x[n.nl + n.nv] = 0.3;
    dfl_status status = dfl_multibody_eom(&eom, m);
    if (!status)
        status = dfl_solver_create(&solver, ctx, eom, NULL);
    if (!status)
        status = dfl_solver_start(solver, 0, x, NULL);
    dfl_solver_free(solver);
    dfl_multibody_free(m);
    return status;
}

/* Exact derivatives of the rows keep dependent rows dependent, those by differences do not. */
static void a_force_without_slopes_allows_redundant_loops(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 21;
    const dfl_joint_kind kinds[] = {DFL_JOINT_REVOLUTE, DFL_JOINT_CYLINDRICAL, DFL_JOINT_SPHERICAL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int k = 0; k < 10; k++)
            if (start_twice_joined(ctx, kinds[i], &seed))
                fail_msg("kind %d: %s", (int)kinds[i], dfl_message(ctx));
    dfl_context_free(ctx);
}

static const double mu = 3.986e14; /* m^3/s^2, of the earth */

/* Gravity of the earth, and a drag that is quadratic in v. */
static int orbit(double *tau, dfl_multibody *m, double t, const double *p, const double *v,
                 void *user)
{
    (void)m, (void)t, (void)user;
    const double r = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (int i = 0; i < 3; i++)
        tau[i] -= mu * p[i] / (r * r * r) + 1e-9 * v[i] * fabs(v[i]);
    return 0;
}

/* d a_x / d x = -mu (1 / r^3 - 3 x^2 / r^5). A forward difference over h = 1e-7 |x| has an error of
   about 3 h / r, and rounding of 1e-16 / 1e-7. */
static void differences_of_forces_follow_the_size_of_the_state(void **state)
{
    (void)state;
    const dfl_rigid_body body = {.name = "satellite", .mass = 1};
    const dfl_joint joint = {
        .name = "t", .kind = DFL_JOINT_TRANSLATION, .parent = DFL_GROUND, .child = 0};
    const dfl_multibody_description d = {
        .nbodies = 1, .njoints = 1, .bodies = &body, .joints = &joint, .force = orbit};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_multibody(ctx, &d);
    const double p[3] = {3.1e8, 2.2e8, 1e8}, v[3] = {0, 7546, 0};
    double Aq[9], Av[9], At[9];
    const double r2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2], r3 = r2 * sqrt(r2);
    assert_int_equal(dfl_multibody_move(m, 0, p, v), DFL_OK);
    assert_int_equal(dfl_multibody_forward_slopes(Aq, Av, At, m, NULL), DFL_OK);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(Aq[i + 3 * j], -mu / r3 * ((i == j) - 3 * p[i] * p[j] / r2),
                        1e-6 * mu / r3);
    assert_near(Av[4], -2e-9 * v[1], 1e-6 * 2e-9 * v[1]);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_without_slopes_allows_redundant_loops),
        cmocka_unit_test(differences_of_forces_follow_the_size_of_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
