/* bench_loops: the N four-bar of the IFToMM library of benchmark problems (A02), hanging and
   swinging, so that it passes no singular position: N+1 uprights of 1 m and 1 kg on pins at (i, 0),
   N couplers between their tips, N loops, gravity 9.81; all tips start with 1 m/s. One JSON line
   per N: CPU time per simulated second, steps, the largest residuals of the loops on position and
   velocity level, and the error of the angle against the motion of one degree of freedom, I theta''
   = -W sin theta. usage: bench_loops [N [tolerance]] */
#define _POSIX_C_SOURCE 200809L
#include <driftless/driftless.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct linkage {
    int n;
    dfl_rigid_body *body;
    dfl_joint *joint;
    dfl_loop *loop;
    double *x0;
} linkage;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *need(void *block)
{
    if (!block) {
        fprintf(stderr, "bench_loops: no memory\n");
        exit(1);
    }
    return block;
}

/* Bodies 0 .. n are uprights, n+1 .. 2n couplers; drawn as it hangs. */
static linkage make_linkage(int n)
{
    linkage l = {.n = n};
    l.body = need(calloc((size_t)(2 * n + 1), sizeof *l.body));
    l.joint = need(calloc((size_t)(2 * n + 1), sizeof *l.joint));
    l.loop = need(calloc((size_t)n, sizeof *l.loop));
    l.x0 = need(calloc((size_t)(2 * n + 2 * (2 * n + 1)), sizeof *l.x0));
    for (int i = 0; i < 2 * n + 1; i++) {
        const int column = i <= n ? i : i - n - 1;
        l.body[i] = (dfl_rigid_body){.name = i <= n ? "upright" : "coupler", .mass = 1};
        l.body[i].inertia[2] = 1.0 / 12;
        l.body[i].com[0] = i <= n ? column : column + 0.5;
        l.body[i].com[1] = i <= n ? -0.5 : -1;
        l.joint[i] = (dfl_joint){.name = l.body[i].name,
                                 .kind = DFL_JOINT_REVOLUTE,
                                 .parent = i <= n ? DFL_GROUND : column,
                                 .child = i,
                                 .at = {column, i <= n ? 0 : -1, 0},
                                 .axis = {0, 0, 1}};
        l.x0[2 * n + i] = i <= n ? 1 : -1; /* couplers do not turn */
    }
    for (int i = 0; i < n; i++)
        l.loop[i] = (dfl_loop){.name = "pin",
                               .kind = DFL_JOINT_REVOLUTE,
                               .a = i + 1,
                               .b = n + 1 + i,
                               .at = {i + 1, -1, 0}};
    return l;
}

static void free_linkage(linkage *l)
{
    free(l->body);
    free(l->joint);
    free(l->loop);
    free(l->x0);
}

/* theta at time t by small steps of the classical Runge-Kutta method. */
static double reference(int n, double t)
{
    const double k = 9.81 * ((n + 1) * 0.5 + n) / ((n + 1) / 3.0 + n);
    const int steps = (int)(t * 1e4);
    const double h = t / steps;
    double q = 0, w = 1;
    for (int i = 0; i < steps; i++) {
        const double a1 = -k * sin(q), w2 = w + h / 2 * a1, a2 = -k * sin(q + h / 2 * w);
        const double w3 = w + h / 2 * a2, a3 = -k * sin(q + h / 2 * w2);
        const double w4 = w + h * a3, a4 = -k * sin(q + h * w3);
        q += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
        w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return q;
}

static void measure(int n, double tolerance)
{
    const double t_end = 10;
    linkage l = make_linkage(n);
    const dfl_multibody_description d = {.nbodies = 2 * n + 1,
                                         .njoints = 2 * n + 1,
                                         .bodies = l.body,
                                         .joints = l.joint,
                                         .gravity = {0, -9.81, 0},
                                         .planar = true,
                                         .nloops = n,
                                         .loops = l.loop};
    const dfl_solver_options options = {.rtol = tolerance, .atol = tolerance};
    dfl_context *ctx = need(dfl_context_create());
    dfl_multibody *m = NULL;
    dfl_solver *solver = NULL;
    const dfl_eom *eom = NULL;
    dfl_status status = dfl_multibody_create(&m, ctx, &d);
    if (!status)
        status = dfl_multibody_eom(&eom, m);
    if (!status)
        status = dfl_solver_create(&solver, ctx, eom, &options);
    if (!status)
        status = dfl_solver_start(solver, 0, l.x0, NULL);
    const double start = now();
    if (!status)
        status = dfl_solver_advance(solver, t_end);
    const double seconds = now() - start;
    if (status) {
        fprintf(stderr, "bench_loops: N = %d: %s\n", n, dfl_message(ctx));
    } else {
        const dfl_statistics s = dfl_solver_statistics(solver);
        const double theta = dfl_solver_state(solver)[2 * n + 2 * n + 1];
        printf("{\"model\":\"fourbars-hanging\",\"N\":%d,\"bodies\":%d,\"solver\":\"driftless\","
               "\"tolerance\":%g,\"seconds\":%g,\"cpu_per_second\":%.4g,\"steps\":%ld,"
               "\"jacobians\":%ld,\"differences\":%ld,\"res_pos\":%.1e,\"res_vel\":%.1e,"
               "\"err_angle\":%.1e}\n",
               n, 2 * n + 1, tolerance, t_end, seconds / t_end, s.accepted, s.jacobians,
               s.difference_evaluations, s.max_residual.position, s.max_residual.velocity,
               fabs(theta - reference(n, t_end)));
        fflush(stdout);
    }
    dfl_solver_free(solver);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
    free_linkage(&l);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1, 2, 5, 10, 20, 40, 100};
    const double tolerance = argc > 2 ? atof(argv[2]) : 1e-6;
    if (argc > 1) {
        measure(atoi(argv[1]), tolerance);
        return 0;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        measure(sizes[i], tolerance);
    return 0;
}
