/* sleigh.c: the Chaplygin sleigh, a rigid body on a knife edge, with its exact solution.

   p = (x, y, phi) of the knife edge, the centre of mass lies a ahead of it; m = 1, J = 0.5 about
   the centre of mass, a = 0.3, B = J + m a^2:

       M = (m, 0, -m a sin phi; 0, m, m a cos phi; sym, B)
       f = m a phi'^2 (cos phi, sin phi, 0)
       hv = -x' sin phi + y' cos phi,   bias = -(x' cos phi + y' sin phi) phi'

   Start p = 0, v = (1, 0, 1). Exact: with the speed u along the knife edge, V^2 = u0^2 + B w0^2 /
   m, c = m a V / B and tanh d = u0 / V: u = V tanh(c t + d), phi' = V sqrt(m/B) / cosh(c t + d);
   the references follow from it. Energy m u^2 / 2 + B phi'^2 / 2. */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

enum { MU, VX, VY, VPHI, X, Y, PHI, N };
enum { NM = 1, NV = 3 };

static const double m = 1.0, ma = 0.3, B = 0.5 + 0.3 * 0.3;

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static double energy(const double *x, const void *parameters);

/* clang-format off */
static const problem_reference references[] = {
    {1.0, (const double[N]){
        -0.5705534414024218, 0.8487762203754929, 0.8236484001345964, 0.5692430904887424,
        0.9819826797499646, 0.4528505898815191, 0.7703745088965238}, 1e-13},
    {5.0, (const double[N]){
        -0.04827709333855306, -0.04504043208688389, 1.259669099056862, 0.04519487669143666,
        2.027355835257945, 5.192610570775463, 1.606536865702769}, 1e-13},
    {10.0, (const double[N]){
        -0.001957591092943082, -0.1301266613554369, 1.254218909127364, 0.001831916590749519,
        1.491332299049203, 11.47313010847217, 1.674177598919583}, 1e-12},
};
/* clang-format on */

bool problem_sleigh(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "sleigh",
        .about = "Chaplygin sleigh on a knife edge: nonholonomic, exact solution",
        .eom = {.np = NV,
                .nv = NV,
                .nm = NM,
                .eval = eval,
                .trivial_kinematics = true,
                .mass = mass,
                .jacobian = jacobian,
                .autonomous = true,
                .forces_free_of_multipliers = true},
        .t_end = 10.0,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
        .energy = energy,
    };
    if (!problem_allocate(out, 1))
        return false;
    out->x0[VX] = out->x0[VPHI] = 1.0;
    if (problem_solve_multipliers(out))
        return true;
    problem_free(out);
    return false;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double s = sin(x[PHI]), c = cos(x[PHI]);
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, x + VX, NV * sizeof *x);
    if (need & DFL_FORCE) {
        out->f[0] = ma * c * x[VPHI] * x[VPHI];
        out->f[1] = ma * s * x[VPHI] * x[VPHI];
        out->f[2] = 0.0;
    }
    if (need & DFL_VELOCITY)
        out->hv[0] = c * x[VY] - s * x[VX];
    if (need & DFL_DIRECTIONS) {
        out->W[0] = -s;
        out->W[1] = c;
    }
    if (need & DFL_BIAS)
        out->bias[0] = -(c * x[VX] + s * x[VY]) * x[VPHI];
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)user;
    M[0 + NV * 0] = M[1 + NV * 1] = m;
    M[2 + NV * 0] = M[0 + NV * 2] = -ma * sin(x[PHI]);
    M[2 + NV * 1] = M[1 + NV * 2] = ma * cos(x[PHI]);
    M[2 + NV * 2] = B;
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const double s = sin(x[PHI]), c = cos(x[PHI]);
    const double along = c * x[VX] + s * x[VY], across = c * x[VY] - s * x[VX];
    double *dyn_phi = out->dyn + NV * PHI;
    (void)t, (void)user;
    out->acc[VX] = -c * x[VPHI];
    out->acc[VY] = -s * x[VPHI];
    out->acc[VPHI] = -along;
    out->acc[PHI] = -c * a[0] - s * a[1] - across * x[VPHI];
    out->vel[0] = -s;
    out->vel[1] = c;
    out->vel[PHI - VX] = -along;
    out->dyn[0 + NV * MU] = s;
    out->dyn[1 + NV * MU] = -c;
    out->dyn[0 + NV * VPHI] = 2.0 * ma * c * x[VPHI];
    out->dyn[1 + NV * VPHI] = 2.0 * ma * s * x[VPHI];
    dyn_phi[0] = -ma * s * x[VPHI] * x[VPHI] + c * x[MU] + ma * c * a[2];
    dyn_phi[1] = ma * c * x[VPHI] * x[VPHI] + s * x[MU] + ma * s * a[2];
    dyn_phi[2] = ma * (c * a[0] + s * a[1]);
    for (int i = 0; i < NV; i++)
        out->kin[i + NV * i] = 1.0;
    return 0;
}

static double energy(const double *x, const void *parameters)
{
    const double s = sin(x[PHI]), c = cos(x[PHI]);
    (void)parameters;
    return 0.5 * m * (x[VX] * x[VX] + x[VY] * x[VY]) + 0.5 * B * x[VPHI] * x[VPHI] +
           ma * x[VPHI] * (c * x[VY] - s * x[VX]);
}
