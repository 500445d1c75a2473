/* pendulum.c: the mathematical pendulum in Cartesian coordinates, with its exact solution.

       p = (x, y),  M = diag(m, m),  f = (0, -m g)
       g  = x^2 + y^2 - L^2
       gI = 2 (x vx + y vy),  gII = 2 (x vx' + y vy' + vx^2 + vy^2)
       lambda = m (vx^2 + vy^2 - g y) / (2 L^2)

   m = L = 1, start horizontal and at rest. The period is 4 sqrt(L/g) K(k^2 = 1/2), so that
   g = 4 K(1/2)^2 = 13.7503716360407456... makes it exactly 2. (The often printed constant
   13.7503716373294544 is right in its first ten digits only and spoils references at t = 10 by
   6e-9.) The references are the exact solution in elliptic functions: x = 2 S C, y = 2 S^2 - 1, S =
   k sn(u), C = dn(u), u = K + sqrt(g) t, k^2 = 1/2. With energy, e = m |v|^2 / 2 + m g y, which is
   zero for the horizontal start. */
#include "problems_internal.h"

/* The layout of x. */
enum { LAMBDA, VX, VY, X, Y, N };

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int eval_energy(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static int jacobian_energy(dfl_jacobian *out, double t, const double *x, const double *a,
                           void *user);
static void differentiate_all_but_velocity(dfl_jacobian *out, const double *x, const double *a);
static double energy(const double *x, const void *parameters);

/* The rounding of g to double shifts the phase at t = 1000 by up to 5e-14. */
static const problem_reference references[] = {
    {0.25,
     (const double[N]){8.54338562897760062, -1.3980048816155906, -3.07193150796299157,
                       0.910179721124454683, -0.414213562373095049},
     1e-14},
    {0.5, (const double[N]){20.6255574540611185, -5.24411510858423962, 0.0, 0.0, -1.0}, 1e-14},
    {1.0, (const double[N]){0.0, 0.0, 0.0, -1.0, 0.0}, 1e-14},
    {1.3,
     (const double[N]){11.8329067080717311, 2.27877178670985753, -3.25336872920835781,
                       -0.819064681701747085, -0.573701182837211636},
     1e-14},
    {10.0, (const double[N]){0.0, 0.0, 0.0, 1.0, 0.0}, 1e-14},
    {10.3,
     (const double[N]){11.8329067080717311, -2.27877178670985753, -3.25336872920835781,
                       0.819064681701747085, -0.573701182837211636},
     1e-14},
    {1000.0, (const double[N]){0.0, 0.0, 0.0, 1.0, 0.0}, 1e-12},
};

bool problem_pendulum(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "pendulum",
        .about = "mathematical pendulum of period 2 in Cartesian coordinates, exact solution",
        .eom = {.np = 2,
                .nv = 2,
                .nl = 1,
                .eval = eval,
                .trivial_kinematics = true,
                .mass = mass,
                .jacobian = jacobian,
                .mass_diagonal = true,
                .mass_constant = true,
                .autonomous = true,
                .forces_free_of_multipliers = true},
        .t_end = 10.0,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
        .energy = energy,
    };
    if (!problem_allocate(out, sizeof(pendulum_parameters)))
        return false;
    *(pendulum_parameters *)out->parameters =
        (pendulum_parameters){.m = 1.0, .L = 1.0, .g = 13.750371636040745655};
    out->x0[X] = 1.0;
    return true;
}

bool problem_pendulum_energy(problem *out, int size)
{
    if (!problem_pendulum(out, size))
        return false;
    out->name = "pendulum_energy";
    out->about = "the pendulum of period 2 with its energy as an invariant";
    out->eom.ne = 1;
    out->eom.eval = eval_energy;
    out->eom.jacobian = jacobian_energy;
    return true;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const pendulum_parameters *par = user;
    (void)t;
    if (need & DFL_KINEMATICS) {
        out->kin[0] = x[VX];
        out->kin[1] = x[VY];
    }
    if (need & DFL_FORCE) {
        out->f[0] = 0.0;
        out->f[1] = -par->m * par->g;
    }
    if (need & DFL_POSITION)
        out->g[0] = x[X] * x[X] + x[Y] * x[Y] - par->L * par->L;
    if (need & DFL_VELOCITY)
        out->gI[0] = 2.0 * (x[X] * x[VX] + x[Y] * x[VY]);
    if (need & DFL_DIRECTIONS) {
        out->W[0] = 2.0 * x[X];
        out->W[1] = 2.0 * x[Y];
    }
    if (need & DFL_BIAS)
        out->bias[0] = 2.0 * (x[VX] * x[VX] + x[VY] * x[VY]);
    return 0;
}

static int eval_energy(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    if (need & DFL_VELOCITY)
        out->e[0] = energy(x, user);
    return eval(out, t, x, need, user);
}

static int mass(double *M, double t, const double *x, void *user)
{
    const pendulum_parameters *par = user;
    (void)t, (void)x;
    M[0] = par->m;
    M[1] = par->m;
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    (void)t, (void)user;
    differentiate_all_but_velocity(out, x, a);
    out->vel[0] = 2.0 * x[X];
    out->vel[1] = 2.0 * x[Y];
    out->vel[2] = 2.0 * x[VX];
    out->vel[3] = 2.0 * x[VY];
    return 0;
}

/* As `jacobian`, with a second row of `vel` for the energy. */
static int jacobian_energy(dfl_jacobian *out, double t, const double *x, const double *a,
                           void *user)
{
    const pendulum_parameters *par = user;
    (void)t;
    differentiate_all_but_velocity(out, x, a);
    out->vel[0] = 2.0 * x[X];
    out->vel[2] = 2.0 * x[Y];
    out->vel[4] = 2.0 * x[VX];
    out->vel[6] = 2.0 * x[VY];
    out->vel[1] = par->m * x[VX];
    out->vel[3] = par->m * x[VY];
    out->vel[7] = par->m * par->g;
    return 0;
}

static void differentiate_all_but_velocity(dfl_jacobian *out, const double *x, const double *a)
{
    out->acc[VX] = 4.0 * x[VX];
    out->acc[VY] = 4.0 * x[VY];
    out->acc[X] = 2.0 * a[0];
    out->acc[Y] = 2.0 * a[1];
    out->pos[0] = 2.0 * x[X];
    out->pos[1] = 2.0 * x[Y];
    out->dyn[0 + 2 * LAMBDA] = -2.0 * x[X];
    out->dyn[1 + 2 * LAMBDA] = -2.0 * x[Y];
    out->dyn[0 + 2 * X] = -2.0 * x[LAMBDA];
    out->dyn[1 + 2 * Y] = -2.0 * x[LAMBDA];
    out->kin[0 + 2 * 0] = 1.0;
    out->kin[1 + 2 * 1] = 1.0;
}

static double energy(const double *x, const void *parameters)
{
    const pendulum_parameters *par = parameters;
    return par->m * (0.5 * (x[VX] * x[VX] + x[VY] * x[VY]) + par->g * x[Y]);
}
