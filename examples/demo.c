/* demo.c: a slider-crank, from its equations to a table. The first program to read.

   A crank of length l1 turns about the origin; a rod of length l2 joins its pin to a slider on the
   x axis. Nothing drives the mechanism: gravity pulls in -y, and the energy must stay what it is.
   Three coordinates describe it; two constraints pin the rod to the slider, one freedom is left.

       p  = (phi, theta, x)     angles of crank and rod against the x axis, position of the slider
       v  = p'
       g  = (l1 cos phi + l2 cos theta - x,  l1 sin phi + l2 sin theta) = 0

   All numbers are in SI units. Crank and rod are uniform bars. */
#include <driftless/driftless.h>

#include <math.h>
#include <stdio.h>

static const double m1 = 0.36, l1 = 0.15;    /* crank */
static const double m2 = 0.151104, l2 = 0.3; /* rod */
static const double m3 = 0.075552;           /* slider */
static const double gravity = 9.81;
static const double half_pi = 1.57079632679489661923;

/* The unknowns in the order of the library: multipliers, then velocities, then positions. */
enum { LAMBDA1, LAMBDA2, V_PHI, V_THETA, V_X, PHI, THETA, X, N };
enum { NV = 3, NL = 2 };

/* M(p), column by column; it arrives filled with zeros. */
static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)user;
    M[0 + NV * 0] = (m1 / 3 + m2) * l1 * l1;
    M[1 + NV * 1] = m2 * l2 * l2 / 3;
    M[2 + NV * 2] = m3;
    M[0 + NV * 1] = M[1 + NV * 0] = 0.5 * m2 * l1 * l2 * cos(x[PHI] - x[THETA]);
    return 0;
}

/* Everything else: M v' = f - W^T lambda, the constraint g, and what its time derivatives need:
   gI = W v is the first one, W v' + bias the second. The library finds lambda and v' itself. */
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + V_PHI;
    const double c1 = l1 * cos(x[PHI]), s1 = l1 * sin(x[PHI]);
    const double c2 = l2 * cos(x[THETA]), s2 = l2 * sin(x[THETA]);
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        for (int i = 0; i < NV; i++)
            out->kin[i] = v[i];
    if (need & DFL_FORCE) {
        const double k = 0.5 * m2 * l1 * l2 * sin(x[PHI] - x[THETA]);
        out->f[0] = -k * v[1] * v[1] - gravity * (0.5 * m1 + m2) * c1;
        out->f[1] = k * v[0] * v[0] - gravity * 0.5 * m2 * c2;
        out->f[2] = 0;
    }
    if (need & DFL_POSITION) {
        out->g[0] = c1 + c2 - x[X];
        out->g[1] = s1 + s2;
    }
    if (need & DFL_VELOCITY) {
        out->gI[0] = -s1 * v[0] - s2 * v[1] - v[2];
        out->gI[1] = c1 * v[0] + c2 * v[1];
    }
    if (need & DFL_DIRECTIONS) { /* 2 x 3, by columns */
        out->W[0 + NL * 0] = -s1;
        out->W[1 + NL * 0] = c1;
        out->W[0 + NL * 1] = -s2;
        out->W[1 + NL * 1] = c2;
        out->W[0 + NL * 2] = -1;
    }
    if (need & DFL_BIAS) {
        out->bias[0] = -c1 * v[0] * v[0] - c2 * v[1] * v[1];
        out->bias[1] = -s1 * v[0] * v[0] - s2 * v[1] * v[1];
    }
    return 0;
}

static double energy(const double *x)
{
    double M[NV * NV] = {0};
    double sum = gravity * ((0.5 * m1 + m2) * l1 * sin(x[PHI]) + 0.5 * m2 * l2 * sin(x[THETA]));
    mass(M, 0, x, NULL);
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < NV; j++)
            sum += 0.5 * x[V_PHI + i] * M[i + NV * j] * x[V_PHI + j];
    return sum;
}

static void print_line(const dfl_solver *solver, double energy_at_start)
{
    const double *x = dfl_solver_state(solver);
    printf("%6.2f  %13.8f  %12.6f  %14.1e\n", dfl_solver_time(solver), x[X], x[PHI],
           energy(x) - energy_at_start);
}

/* The largest residuals over all steps, and what they mean. */
static void print_residuals(const dfl_solver *solver)
{
    const dfl_statistics s = dfl_solver_statistics(solver);
    printf("\nLargest violation of the constraints over all steps:\n");
    printf("  position      g    %8.1e m      the rod stays on the slider\n",
           s.max_residual.position);
    printf("  velocity      gI   %8.1e m/s    and does not pull away from it\n",
           s.max_residual.velocity);
    printf("  acceleration  gII  %8.1e m/s^2  so lambda are the true joint forces\n",
           s.max_residual.acceleration);
    printf(
        "\nThe energy is not imposed: its drift is the error of the integration, which follows\n"
        "the tolerance (1e-9). The constraints are solved for in every step: they do not drift,\n"
        "however long the run.\n");
}

int main(void)
{
    const dfl_eom slider_crank = {.np = NV, .nv = NV, .nl = NL, .eval = eval, .mass = mass};
    const dfl_solver_options options = {.rtol = 1e-9, .self_check = true};

    /* The crank stands upright and turns at 10 rad/s: these two are held. Rod and slider are only
       guessed, their velocities and the multipliers not even that: the start completes them. */
    const double x0[N] = {[V_PHI] = 10, [PHI] = half_pi, [THETA] = -0.4, [X] = 0.3};
    const bool held[N] = {[V_PHI] = true, [PHI] = true};
    const dfl_conditions conditions = {.mode = DFL_START_PROJECT, .held = held};

    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    if (!ctx)
        return 1;
    dfl_status status = dfl_solver_create(&solver, ctx, &slider_crank, &options);
    if (!status)
        status = dfl_solver_start(solver, 0, x0, &conditions);
    if (!status) {
        const double energy_at_start = energy(dfl_solver_state(solver));
        printf("A slider-crank: three coordinates, two constraints, one degree of freedom.\n\n"
               "time s  slider x in m  crank in rad  energy drift J\n");
        print_line(solver, energy_at_start);
        for (int i = 1; !status && i <= 8; i++) {
            status = dfl_solver_advance(solver, 0.25 * i);
            print_line(solver, energy_at_start);
        }
        print_residuals(solver);
    }
    if (status)
        fprintf(stderr, "demo: %s\n", dfl_message(ctx)); /* says what is wrong and where */
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    return status != DFL_OK;
}
