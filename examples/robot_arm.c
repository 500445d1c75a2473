/* robot_arm.c: a robot arm whose elbow is driven by a closed linkage, described with
   driftless/multibody.h: how it stands, what its motors must hold, and how it moves to a target.

   A column turns about z. The lower arm (1 m) and a crank (0.3 m) turn about the shoulder; a rod
   parallel to the lower arm connects the crank with the tail of the upper arm, so that both motors
   stay at the shoulder. The linkage is a loop: five rows, of which two are independent, since all
   axes are parallel. */
#include <driftless/driftless.h>

#include <math.h>
#include <stdio.h>

enum { COLUMN, LOWER, UPPER, CRANK, ROD, BODIES };

/* Motors: yaw, shoulder, crank. */
enum { MOTORS = 3 };
static const int motor[MOTORS] = {COLUMN, LOWER, CRANK};

static const dfl_rigid_body bodies[BODIES] = {
    {.name = "column", .mass = 40, .com = {0, 0, 0.5}, .inertia = {4, 4, 1}},
    {.name = "lower arm", .mass = 12, .com = {0, 0, 1.5}, .inertia = {1, 1, 0.1}},
    {.name = "upper arm", .mass = 8, .com = {0.5, 0, 2}, .inertia = {0.1, 0.9, 0.9}},
    {.name = "crank", .mass = 2, .com = {-0.15, 0, 1}, .inertia = {0.01, 0.02, 0.02}},
    {.name = "rod", .mass = 1, .com = {-0.3, 0, 1.5}, .inertia = {0.1, 0.1, 0.01}}};

static const dfl_joint joints[BODIES] = {
    {"yaw", DFL_JOINT_REVOLUTE, DFL_GROUND, COLUMN, .axis = {0, 0, 1}},
    {"shoulder", DFL_JOINT_REVOLUTE, COLUMN, LOWER, .at = {0, 0, 1}, .axis = {0, 1, 0}},
    {"elbow", DFL_JOINT_REVOLUTE, LOWER, UPPER, .at = {0, 0, 2}, .axis = {0, 1, 0}},
    {"crank", DFL_JOINT_REVOLUTE, COLUMN, CRANK, .at = {0, 0, 1}, .axis = {0, 1, 0}},
    {"rod", DFL_JOINT_REVOLUTE, CRANK, ROD, .at = {-0.3, 0, 1}, .axis = {0, 1, 0}}};

static const dfl_loop linkage = {.name = "linkage",
                                 .kind = DFL_JOINT_REVOLUTE,
                                 .a = ROD,
                                 .b = UPPER,
                                 .at = {-0.3, 0, 2},
                                 .axis = {0, 1, 0}};

/* Springs and dampers of the controllers pull the motors to their targets. */
static int controllers(double *tau, dfl_multibody *arm, double t, const double *p, const double *v,
                       void *user)
{
    const double *target = user;
    (void)arm, (void)t;
    for (int i = 0; i < MOTORS; i++)
        tau[motor[i]] += 4000 * (target[i] - p[motor[i]]) - 800 * v[motor[i]];
    return 0;
}

static int controller_slopes(double *Tq, double *Tv, dfl_multibody *arm, double t, const double *p,
                             const double *v, void *user)
{
    (void)arm, (void)t, (void)p, (void)v, (void)user;
    for (int i = 0; i < MOTORS; i++) {
        Tq[motor[i] * (BODIES + 1)] -= 4000;
        Tv[motor[i] * (BODIES + 1)] -= 800;
    }
    return 0;
}

/* The hand, and how far the linkage is open. */
static void show(dfl_multibody *arm, const dfl_frame *hand, const char *when)
{
    double g[5], open = 0;
    const dfl_motion at = dfl_multibody_motion(arm, hand);
    dfl_multibody_loops(&(dfl_loop_rows){.g = g}, arm);
    for (int i = 0; i < 5; i++)
        open = fmax(open, fabs(g[i]));
    printf("%-14s hand at %6.3f %6.3f %6.3f m; linkage %s\n", when, at.r[0], at.r[1], at.r[2],
           open < 1e-9 ? "closed" : "open");
}

static dfl_status simulate(dfl_context *ctx, dfl_multibody *arm, const double *p)
{
    const dfl_solver_options options = {.rtol = 1e-8, .atol = 1e-8};
    const dfl_eom *eom = NULL;
    dfl_solver *solver = NULL;
    double x[5 + 2 * BODIES] = {0}; /* multipliers, velocities, coordinates */
    for (int i = 0; i < BODIES; i++)
        x[5 + BODIES + i] = p[i];
    dfl_status status = dfl_multibody_eom(&eom, arm);
    if (!status)
        status = dfl_solver_create(&solver, ctx, eom, &options);
    if (!status)
        status = dfl_solver_start(solver, 0, x, NULL);
    if (!status)
        status = dfl_solver_advance(solver, 4);
    if (!status) {
        const double *end = dfl_solver_state(solver);
        status = dfl_multibody_move(arm, 4, end + 5 + BODIES, end + 5);
    }
    dfl_solver_free(solver);
    return status;
}

int main(void)
{
    double target[MOTORS] = {1.0, 0.4, 0.3}, p[BODIES] = {0, 0.2, 0, 0, 0}, a[BODIES], lambda[5];
    const double tip[3] = {1, 0, 2};
    const dfl_multibody_description description = {.nbodies = BODIES,
                                                   .njoints = BODIES,
                                                   .bodies = bodies,
                                                   .joints = joints,
                                                   .gravity = {0, 0, -9.81},
                                                   .nloops = 1,
                                                   .loops = &linkage,
                                                   .force = controllers,
                                                   .slopes = controller_slopes,
                                                   .user = target};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *arm = NULL;
    dfl_frame hand;
    dfl_status status = ctx ? dfl_multibody_create(&arm, ctx, &description) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_multibody_frame(&hand, arm, UPPER, tip, NULL, NULL);
    if (!status) /* the shoulder was moved alone: the other joints follow */
        status = dfl_multibody_assemble(p, arm, 0);
    if (!status)
        status = dfl_multibody_forward(a, lambda, arm, NULL);
    if (!status) {
        show(arm, &hand, "at the start:");
        printf("%-14s shoulder %.3f, crank %.3f rad/s2\n", "it accelerates", a[LOWER], a[CRANK]);
        status = simulate(ctx, arm, p);
    }
    if (!status)
        show(arm, &hand, "after 4 s:");
    if (status)
        fprintf(stderr, "robot_arm: %s\n", ctx ? dfl_message(ctx) : "no memory");
    dfl_multibody_free(arm);
    dfl_context_free(ctx);
    return status != DFL_OK;
}
